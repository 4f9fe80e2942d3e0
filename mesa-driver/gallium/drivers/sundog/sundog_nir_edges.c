/* SPDX-License-Identifier: MIT */
/*
 * Hides edges of unfilled polygons: see sundog_nir.h. The host draws all edges, or corners, of
 * every triangle. A geometry shader adds a vec4 varying to each triangle.
 *
 * Three components are for the edges: each is 0 at both ends of its edge and 1 at the opposite
 * corner. A fragment of a line is on an edge of the triangle if one of them is 0, and at a corner
 * if two are. Other fragments are on edges that clipping created, which are drawn. The fourth
 * component is the same at all corners: a bit for each edge and for each corner that is hidden.
 */
#include "nir_builder.h"
#include "nir_xfb_info.h"
#include "sundog_nir.h"

gl_varying_slot
sdog_nir_edges_slot(uint64_t varyings)
{
   /* The first choice does not share a location with fixed-function varyings; see
    * varying_location(). */
   for (unsigned i = 0; i < 32; i++) {
      unsigned slot = VARYING_SLOT_VAR0 + (16 + i) % 32;
      uint64_t all = varyings | BITFIELD64_BIT(slot);

      if (all != varyings)
         return util_bitcount64(sdog_nir_pack_varyings(all)) <= 32 ? slot : 0;
   }
   return 0;
}

nir_shader *
sdog_nir_edges_shader(const nir_shader *vs)
{
   nir_shader *nir = nir_create_passthrough_gs(vs->options, vs, MESA_PRIM_TRIANGLES,
                                               MESA_PRIM_TRIANGLES, false, false, true);

   /* The passthrough shader declares its inputs with room for adjacent vertices. */
   nir_foreach_shader_in_variable(var, nir) {
      if (glsl_type_is_array(var->type))
         var->type = glsl_array_type(glsl_get_array_element(var->type), 3, 0);
   }
   nir_fixup_deref_types(nir);
   nir->info.clip_distance_array_size = vs->info.clip_distance_array_size;
   nir->info.cull_distance_array_size = vs->info.cull_distance_array_size;
   /* This is the last stage before rasterization, so its outputs are captured. */
   if (vs->xfb_info)
      nir->xfb_info = ralloc_memdup(nir, vs->xfb_info,
                                    nir_xfb_info_size(vs->xfb_info->output_count));
   return nir;
}

static nir_def *
load_flag(nir_builder *b, enum mesa_prim source, unsigned vertex)
{
   nir_variable *var =
      nir_find_variable_with_location(b->shader, nir_var_shader_in, VARYING_SLOT_EDGE);

   /* Edge flags do not apply to strips. */
   if (!var || source == MESA_PRIM_QUAD_STRIP)
      return nir_imm_true(b);
   return nir_fneu_imm(b, nir_channel(b, nir_load_array_var_imm(b, var, vertex), 0), 0.0);
}

/* Returns true if edge @edge of triangle @number, which begins at vertex @edge, is an edge of the
 * source primitive. Matches the order of the triangles that u_indices generates. */
static nir_def *
is_outer(nir_builder *b, const struct sdog_edges_key *key, nir_def *number, unsigned edge)
{
   nir_def *first = nir_ieq_imm(b, number, 0);
   nir_def *last = nir_ieq_imm(b, number, (int)key->triangles - 1);
   nir_def *odd = nir_i2b(b, nir_iand_imm(b, number, 1));
   nir_def *yes = nir_imm_true(b);

   switch (key->source) {
   case MESA_PRIM_QUADS:
   case MESA_PRIM_QUAD_STRIP:
      if (key->first_provokes)
         return edge == 0 ? nir_inot(b, odd) : edge == 2 ? odd : yes;
      return edge == 1 ? odd : edge == 2 ? nir_inot(b, odd) : yes;
   case MESA_PRIM_POLYGON:
      if (key->first_provokes)
         return edge == 0 ? first : edge == 2 ? last : yes;
      return edge == 1 ? last : edge == 2 ? first : yes;
   default:
      return yes;
   }
}

/* Returns true if corner @vertex was already drawn for an earlier triangle of the same polygon. */
static nir_def *
is_again(nir_builder *b, const struct sdog_edges_key *key, nir_def *number, unsigned vertex)
{
   /* The edge that a triangle shares with the previous one. */
   const unsigned edge = key->first_provokes ? 0 : 2;

   if (!key->once || (vertex != edge && vertex != (edge + 1) % 3))
      return nir_imm_false(b);
   switch (key->source) {
   case MESA_PRIM_QUADS:
   case MESA_PRIM_QUAD_STRIP:
      return nir_i2b(b, nir_iand_imm(b, number, 1));
   case MESA_PRIM_POLYGON:
      return nir_ine_imm(b, number, 0);
   default:
      return nir_imm_false(b);
   }
}

static nir_def *
hidden_bits(nir_builder *b, const struct sdog_edges_key *key, nir_def *number)
{
   nir_def *bits = nir_imm_int(b, 0);

   for (unsigned i = 0; i < 3; i++) {
      nir_def *flag = load_flag(b, key->source, i);
      nir_def *edge = nir_iand(b, flag, is_outer(b, key, number, i));
      nir_def *corner = nir_iand(b, flag, nir_inot(b, is_again(b, key, number, i)));

      bits = nir_bcsel(b, edge, bits, nir_ior_imm(b, bits, BITFIELD_BIT(i)));
      bits = nir_bcsel(b, corner, bits, nir_ior_imm(b, bits, BITFIELD_BIT(3 + i)));
   }
   return bits;
}

static nir_def *
edges_at(nir_builder *b, const struct sdog_edges_key *key, nir_def *number, unsigned vertex)
{
   nir_def *channels[4];

   for (unsigned edge = 0; edge < 3; edge++)
      channels[edge] = nir_imm_float(b, vertex == (edge + 2) % 3);
   channels[3] = nir_u2f32(b, hidden_bits(b, key, number));
   return nir_vec(b, channels, 4);
}

struct write_edges {
   const struct sdog_edges_key *key;
   nir_variable *var;
   unsigned vertex;
};

static bool
write_at_vertex(nir_builder *b, nir_intrinsic_instr *intr, void *data)
{
   struct write_edges *write = data;
   nir_variable *number;

   if (intr->intrinsic != nir_intrinsic_emit_vertex)
      return false;
   b->cursor = nir_before_instr(&intr->instr);
   number = nir_find_variable_with_location(b->shader, nir_var_shader_in,
                                            VARYING_SLOT_PRIMITIVE_ID);
   nir_store_var(b, write->var,
                 edges_at(b, write->key, nir_load_var(b, number), write->vertex++), 0xf);
   return true;
}

static nir_variable *
edges_variable(nir_shader *nir, nir_variable_mode mode, gl_varying_slot slot)
{
   return nir_create_variable_with_location(nir, mode, slot, glsl_vec4_type());
}

bool
sdog_nir_write_edges(nir_shader *nir, const struct sdog_edges_key *key)
{
   struct write_edges write = {
      .key = key,
      .var = edges_variable(nir, nir_var_shader_out, key->slot),
   };

   return nir_shader_intrinsics_pass(nir, write_at_vertex, nir_metadata_control_flow, &write);
}

/* Returns true if any of @three is true whose bit in @bits, from bit @first, is set. */
static nir_def *
any_of(nir_builder *b, nir_def *const *three, nir_def *bits, unsigned first)
{
   nir_def *any = nir_imm_false(b);

   for (unsigned i = 0; i < 3; i++) {
      nir_def *bit = nir_test_mask(b, bits, BITFIELD_BIT(first + i));

      any = nir_ior(b, any, nir_iand(b, three[i], bit));
   }
   return any;
}

static nir_def *
is_drawn(nir_builder *b, nir_def *edges, unsigned mode)
{
   /* The component is interpolated, so it must be rounded. */
   nir_def *hidden = nir_f2u32(b, nir_fround_even(b, nir_channel(b, edges, 3)));
   nir_def *on[3], *at[3], *corner, *on_hidden;

   for (unsigned i = 0; i < 3; i++)
      on[i] = nir_feq_imm(b, nir_channel(b, edges, i), 0.0);
   for (unsigned i = 0; i < 3; i++)
      at[i] = nir_iand(b, on[i], on[(i + 2) % 3]);
   corner = nir_ior(b, at[0], nir_ior(b, at[1], at[2]));
   on_hidden = any_of(b, on, hidden, 0);
   switch (mode) {
   case PIPE_POLYGON_MODE_LINE:
      return nir_ior(b, any_of(b, on, nir_inot(b, hidden), 0), nir_inot(b, on_hidden));
   case PIPE_POLYGON_MODE_POINT:
      return nir_inot(b, nir_bcsel(b, corner, any_of(b, at, hidden, 3), on_hidden));
   default:
      return nir_imm_true(b);
   }
}

void
sdog_nir_discard_edges(nir_shader *nir, gl_varying_slot slot, unsigned front_mode,
                       unsigned back_mode)
{
   nir_builder b = nir_builder_at(nir_before_impl(nir_shader_get_entrypoint(nir)));
   nir_def *edges = nir_load_var(&b, edges_variable(nir, nir_var_shader_in, slot));
   nir_def *drawn = is_drawn(&b, edges, front_mode);

   if (front_mode != back_mode)
      drawn = nir_bcsel(&b, nir_load_front_face(&b, 1), drawn, is_drawn(&b, edges, back_mode));
   nir_demote_if(&b, nir_inot(&b, drawn));
}

void
sdog_nir_discard_on_face(nir_shader *nir, bool front)
{
   nir_block *block = nir_start_block(nir_shader_get_entrypoint(nir));

   nir_foreach_instr(instr, block) {
      nir_intrinsic_instr *intr =
         instr->type == nir_instr_type_intrinsic ? nir_instr_as_intrinsic(instr) : NULL;
      nir_builder b = nir_builder_at(nir_before_instr(instr));
      nir_def *face;

      if (!intr || (intr->intrinsic != nir_intrinsic_demote_if &&
                    intr->intrinsic != nir_intrinsic_terminate_if))
         continue;
      face = nir_load_front_face(&b, 1);
      if (!front)
         face = nir_inot(&b, face);
      nir_src_rewrite(&intr->src[0], nir_iand(&b, intr->src[0].ssa, face));
      return;
   }
}

static bool
count_polygons(nir_builder *b, nir_intrinsic_instr *intr, void *data)
{
   const enum mesa_prim *source = data;
   const nir_variable *var;
   nir_def *number;

   if (intr->intrinsic != nir_intrinsic_load_deref)
      return false;
   var = nir_intrinsic_get_var(intr, 0);
   if (!var || var->data.mode != nir_var_shader_in ||
       var->data.location != VARYING_SLOT_PRIMITIVE_ID)
      return false;
   b->cursor = nir_after_instr(&intr->instr);
   /* A draw has a single polygon. */
   number = *source == MESA_PRIM_POLYGON ? nir_imm_int(b, 0) : nir_ushr_imm(b, &intr->def, 1);
   /* Replaced by the first polygon of the draw: see sdog_nir_add_draw_parameters(). */
   number = nir_iadd(b, number, nir_load_draw_id(b));
   nir_def_rewrite_uses_after(&intr->def, number, number->parent_instr);
   return true;
}

bool
sdog_nir_count_polygons(nir_shader *nir, enum mesa_prim source)
{
   bool progress =
      nir_shader_intrinsics_pass(nir, count_polygons, nir_metadata_control_flow, &source);

   /* Inputs that are not read must not be declared. */
   nir_opt_dce(nir);
   nir_remove_dead_variables(nir, nir_var_shader_in, NULL);
   return progress;
}
