/* SPDX-License-Identifier: MIT */
/* Inputs and outputs: see sundog_nir.h. */
#include "nir_builder.h"
#include "nir_xfb_info.h"
#include "sundog_nir.h"

/* Returns the location of a varying slot, or UINT_MAX for built-ins. Generic varyings count up from
 * location 0, fixed-function ones down from 31. They can collide if there are more than 16 generic
 * ones: see sdog_nir_pack_varyings(). Per-patch varyings have a separate space of locations. */
static unsigned
varying_location(unsigned slot)
{
   if (slot >= VARYING_SLOT_PATCH0)
      return slot - VARYING_SLOT_PATCH0;
   switch (slot) {
   case VARYING_SLOT_COL0:
   case VARYING_SLOT_COL1:
      return 31 - (slot - VARYING_SLOT_COL0);
   case VARYING_SLOT_BFC0:
   case VARYING_SLOT_BFC1:
      return 29 - (slot - VARYING_SLOT_BFC0);
   case VARYING_SLOT_FOGC:
      return 27;
   case VARYING_SLOT_CLIP_VERTEX:
      return 18;
   case VARYING_SLOT_EDGE:
      return 17;
   default:
      /* Arrays of texture coordinates need ascending locations. */
      if (slot >= VARYING_SLOT_TEX0 && slot <= VARYING_SLOT_TEX7)
         return 19 + slot - VARYING_SLOT_TEX0;
      if (slot >= VARYING_SLOT_VAR0 && slot <= VARYING_SLOT_VAR31)
         return slot - VARYING_SLOT_VAR0;
      /* A built-in, which the translator identifies by slot. */
      return UINT_MAX;
   }
}

uint64_t
sdog_nir_pack_varyings(uint64_t slots)
{
   uint64_t located = 0;
   uint32_t taken = 0;
   bool collide = false;

   /* All others are above the locations of the first 16 generic ones. */
   if (!(slots >> VARYING_SLOT_VAR16))
      return 0;
   u_foreach_bit64(slot, slots) {
      unsigned location = varying_location(slot);

      if (location == UINT_MAX)
         continue;
      located |= BITFIELD64_BIT(slot);
      collide |= taken & BITFIELD_BIT(location);
      taken |= BITFIELD_BIT(location);
   }
   return collide ? located : 0;
}

static unsigned
packed_location(unsigned slot, uint64_t packed)
{
   if (slot < VARYING_SLOT_PATCH0 && (packed & BITFIELD64_BIT(slot)))
      return util_bitcount64(packed & BITFIELD64_MASK(slot));
   return varying_location(slot);
}

/* Returns true if the reader gets the varying from the previous stage. For the others, the device
 * provides a value. */
static bool
is_passed_on(unsigned slot, gl_shader_stage reader)
{
   if (varying_location(slot) != UINT_MAX)
      return true;
   switch (slot) {
   case VARYING_SLOT_CLIP_DIST0:
   case VARYING_SLOT_CLIP_DIST1:
   case VARYING_SLOT_CULL_DIST0:
   case VARYING_SLOT_CULL_DIST1:
   /* These read as zero if not written. lavapipe handles that for one of them only, and otherwise
    * reads other inputs. */
   case VARYING_SLOT_LAYER:
   case VARYING_SLOT_VIEWPORT:
      return true;
   case VARYING_SLOT_POS:
   case VARYING_SLOT_PSIZ:
      return reader != MESA_SHADER_FRAGMENT;
   default:
      return false;
   }
}

/* Returns the type of @var without the array of the vertices of a primitive. */
static const struct glsl_type *
varying_type(const nir_shader *nir, const nir_variable *var)
{
   return nir_is_arrayed_io(var, nir->info.stage) ? glsl_get_array_element(var->type) : var->type;
}

static unsigned
num_slots(const nir_shader *nir, const nir_variable *var)
{
   const struct glsl_type *type = varying_type(nir, var);

   return var->data.compact ? DIV_ROUND_UP(glsl_get_length(type), 4)
                            : glsl_count_vec4_slots(type, false, false);
}

static uint64_t
slot_mask(const nir_shader *nir, const nir_variable *var)
{
   return BITFIELD64_RANGE(var->data.location, num_slots(nir, var));
}

static uint32_t
patch_mask(const nir_shader *nir, const nir_variable *var)
{
   return BITFIELD_RANGE(var->data.location - VARYING_SLOT_PATCH0, num_slots(nir, var));
}

static uint64_t
varying_mask(const nir_shader *nir, nir_variable_mode mode, gl_shader_stage reader)
{
   uint64_t mask = 0;

   nir_foreach_variable_with_modes(var, nir, mode) {
      if (!var->data.patch && is_passed_on(var->data.location, reader))
         mask |= slot_mask(nir, var);
   }
   return mask;
}

uint32_t
sdog_nir_patch_varyings(const nir_shader *nir)
{
   nir_variable_mode mode =
      nir->info.stage == MESA_SHADER_TESS_CTRL ? nir_var_shader_out : nir_var_shader_in;
   uint32_t mask = 0;

   nir_foreach_variable_with_modes(var, nir, mode) {
      if (var->data.patch && var->data.location >= VARYING_SLOT_PATCH0)
         mask |= patch_mask(nir, var);
   }
   return mask;
}

uint64_t
sdog_nir_varyings_read(const nir_shader *nir)
{
   return nir->info.stage == MESA_SHADER_VERTEX
             ? 0 : varying_mask(nir, nir_var_shader_in, nir->info.stage);
}

uint64_t
sdog_nir_varyings_written(const nir_shader *nir)
{
   /* The stage that will read them is unknown here; for a geometry shader the mask is largest. */
   return nir->info.stage == MESA_SHADER_FRAGMENT
             ? 0 : varying_mask(nir, nir_var_shader_out, MESA_SHADER_GEOMETRY);
}

uint32_t
sdog_nir_locations_taken(const nir_shader *nir, uint64_t packed)
{
   uint64_t slots = sdog_nir_varyings_written(nir);
   /* An additional output at such a location would be taken for the packed slot of that
    * location. */
   uint32_t mask = packed >> VARYING_SLOT_VAR0;

   u_foreach_bit64(slot, slots) {
      unsigned location = packed_location(slot, packed);

      if (location != UINT_MAX)
         mask |= BITFIELD_BIT(location);
   }
   return mask;
}

struct missing {
   uint64_t varyings;
   uint32_t patch_varyings;
};

static bool
is_missing(const nir_shader *nir, const nir_variable *var, const struct missing *missing)
{
   if (!var->data.patch)
      return !(slot_mask(nir, var) & ~missing->varyings);
   return var->data.location >= VARYING_SLOT_PATCH0 &&
          !(patch_mask(nir, var) & ~missing->patch_varyings);
}

static bool
zero_input(nir_builder *b, nir_intrinsic_instr *intr, void *data)
{
   nir_variable *var;

   switch (intr->intrinsic) {
   case nir_intrinsic_load_deref:
   case nir_intrinsic_interp_deref_at_centroid:
   case nir_intrinsic_interp_deref_at_sample:
   case nir_intrinsic_interp_deref_at_offset:
      break;
   default:
      return false;
   }
   var = nir_intrinsic_get_var(intr, 0);
   if (!var || var->data.mode != nir_var_shader_in || !is_missing(b->shader, var, data))
      return false;
   b->cursor = nir_before_instr(&intr->instr);
   nir_def_replace(&intr->def, nir_imm_zero(b, intr->def.num_components, intr->def.bit_size));
   return true;
}

bool
sdog_nir_zero_inputs(nir_shader *nir, uint64_t varyings, uint32_t patch_varyings)
{
   struct missing missing = {varyings, patch_varyings};
   bool progress =
      nir_shader_intrinsics_pass(nir, zero_input, nir_metadata_control_flow, &missing);

   nir_opt_dce(nir);
   nir_remove_dead_variables(nir, nir_var_shader_in, NULL);
   return progress;
}

void
sdog_nir_drop_output(nir_shader *nir, gl_varying_slot slot)
{
   nir_variable *var = nir_find_variable_with_location(nir, nir_var_shader_out, slot);

   if (!var)
      return;
   var->data.mode = nir_var_shader_temp;
   nir_fixup_deref_modes(nir);
   nir_remove_dead_variables(nir, nir_var_shader_temp, NULL);
}

static bool
add_to_size(nir_builder *b, nir_intrinsic_instr *intr, void *data)
{
   if (intr->intrinsic != nir_intrinsic_store_deref || nir_intrinsic_get_var(intr, 0) != data)
      return false;
   b->cursor = nir_before_instr(&intr->instr);
   nir_src_rewrite(&intr->src[1], nir_fadd_imm(b, intr->src[1].ssa, 1));
   return true;
}

static bool
write_size_at_vertex(nir_builder *b, nir_intrinsic_instr *intr, void *data)
{
   if (intr->intrinsic != nir_intrinsic_emit_vertex)
      return false;
   b->cursor = nir_before_instr(&intr->instr);
   nir_store_var(b, data, nir_imm_float(b, 2), 1);
   return true;
}

bool
sdog_nir_widen_points(nir_shader *nir)
{
   nir_variable *var =
      nir_find_variable_with_location(nir, nir_var_shader_out, VARYING_SLOT_PSIZ);
   nir_builder b;

   if (var)
      return nir_shader_intrinsics_pass(nir, add_to_size, nir_metadata_control_flow, var);
   var = nir_create_variable_with_location(nir, nir_var_shader_out, VARYING_SLOT_PSIZ,
                                           glsl_float_type());
   if (nir->info.stage == MESA_SHADER_GEOMETRY)
      return nir_shader_intrinsics_pass(nir, write_size_at_vertex, nir_metadata_control_flow, var);
   b = nir_builder_at(nir_before_impl(nir_shader_get_entrypoint(nir)));
   nir_store_var(&b, var, nir_imm_float(&b, 2), 1);
   nir_metadata_preserve(b.impl, nir_metadata_control_flow);
   return true;
}

static void
assign_locations(nir_shader *nir, nir_variable_mode mode, uint64_t packed)
{
   nir_foreach_variable_with_modes(var, nir, mode)
      var->data.driver_location = packed_location(var->data.location, packed);
}

void
sdog_nir_assign_locations(nir_shader *nir, uint64_t packed_inputs, uint64_t packed_outputs)
{
   if (nir->info.stage != MESA_SHADER_VERTEX)
      assign_locations(nir, nir_var_shader_in, packed_inputs);
   if (nir->info.stage != MESA_SHADER_FRAGMENT)
      assign_locations(nir, nir_var_shader_out, packed_outputs);
}

static bool
is_clip_distance(const nir_variable *var)
{
   return var->data.mode == nir_var_shader_out && (var->data.location == VARYING_SLOT_CLIP_DIST0 ||
                                                   var->data.location == VARYING_SLOT_CLIP_DIST1);
}

static bool
disable_clip_distance(nir_builder *b, nir_intrinsic_instr *intr, void *data)
{
   const uint32_t *planes = data;
   nir_deref_instr *deref;
   nir_variable *var;
   nir_def *plane, *off, *value;

   if (intr->intrinsic != nir_intrinsic_store_deref)
      return false;
   deref = nir_src_as_deref(intr->src[0]);
   var = nir_deref_instr_get_variable(deref);
   if (deref->deref_type != nir_deref_type_array || !is_clip_distance(var))
      return false;
   b->cursor = nir_before_instr(&intr->instr);
   plane = nir_iadd_imm(b, deref->arr.index.ssa,
                        var->data.location == VARYING_SLOT_CLIP_DIST1 ? 4 : 0);
   off = nir_i2b(b, nir_iand_imm(b, nir_ushr(b, nir_imm_int(b, *planes), plane), 1));
   /* Non-negative distances clip nothing and are kept, because fragment shaders may read them. */
   value = intr->src[1].ssa;
   nir_src_rewrite(&intr->src[1],
                   nir_bcsel(b, off, nir_fmax(b, value, nir_imm_float(b, 0.0f)), value));
   return true;
}

bool
sdog_nir_disable_clip_distances(nir_shader *nir, uint32_t planes)
{
   return nir_shader_intrinsics_pass(nir, disable_clip_distance, nir_metadata_control_flow,
                                     &planes);
}

uint32_t
sdog_nir_clip_planes(const nir_shader *nir)
{
   return nir->info.outputs_written & (VARYING_BIT_CLIP_DIST0 | VARYING_BIT_CLIP_DIST1)
             ? BITFIELD_MASK(nir->info.clip_distance_array_size) : 0;
}

/* Array sizes of clip and cull distances; all of a kind are in a single array. */
struct distances {
   unsigned clip, cull;
};

/* Turns accesses of the second four distances into accesses of the array that begins with the
 * first. */
static void
begin_with_first(nir_builder *b, nir_intrinsic_instr *intr)
{
   nir_io_semantics sem = nir_intrinsic_io_semantics(intr);

   if ((sem.location != VARYING_SLOT_CLIP_DIST1 && sem.location != VARYING_SLOT_CULL_DIST1) ||
       !nir_src_is_const(*nir_get_io_offset_src(intr)))
      return;
   b->cursor = nir_before_instr(&intr->instr);
   nir_src_rewrite(nir_get_io_offset_src(intr), nir_imm_int(b, 1));
   sem.location--;
   sem.num_slots = 8;
   nir_intrinsic_set_io_semantics(intr, sem);
}

/* Returns true for accesses whose array size must be derived here: inputs; outputs of a
 * tessellation control shader, which do not clip; and outputs of SPIR-V shaders, which the linker
 * does not examine. */
static bool
is_sized_by_use(const nir_shader *nir, const nir_intrinsic_instr *intr)
{
   switch (intr->intrinsic) {
   case nir_intrinsic_load_input:
      return nir->info.stage != MESA_SHADER_VERTEX;
   case nir_intrinsic_load_interpolated_input:
   case nir_intrinsic_load_per_vertex_input:
      return true;
   case nir_intrinsic_load_per_vertex_output:
   case nir_intrinsic_store_per_vertex_output:
      return nir->info.stage == MESA_SHADER_TESS_CTRL;
   case nir_intrinsic_store_output:
      return nir->info.stage != MESA_SHADER_FRAGMENT;
   default:
      return false;
   }
}

static unsigned
num_components(const nir_intrinsic_instr *intr)
{
   return nir_intrinsic_infos[intr->intrinsic].has_dest ? intr->def.num_components
                                                        : nir_src_num_components(intr->src[0]);
}

static void
count_distances(const nir_intrinsic_instr *intr, struct distances *used)
{
   const nir_io_semantics sem = nir_intrinsic_io_semantics(intr);
   bool clip = sem.location <= VARYING_SLOT_CLIP_DIST1;
   unsigned first = clip ? VARYING_SLOT_CLIP_DIST0 : VARYING_SLOT_CULL_DIST0;
   unsigned *size = clip ? &used->clip : &used->cull, end = sem.num_slots;

   if (sem.location < VARYING_SLOT_CLIP_DIST0 || sem.location > VARYING_SLOT_CULL_DIST1)
      return;
   if (nir_src_is_const(*nir_get_io_offset_src((nir_intrinsic_instr *)intr)))
      end = (sem.location - first) * 4 + nir_intrinsic_component(intr) + num_components(intr);
   *size = MAX2(*size, end);
}

void
sdog_nir_size_distances(nir_shader *nir)
{
   nir_builder b = nir_builder_create(nir_shader_get_entrypoint(nir));
   struct distances used = {0};

   nir_foreach_block(block, nir_shader_get_entrypoint(nir)) {
      nir_foreach_instr(instr, block) {
         nir_intrinsic_instr *intr;

         if (instr->type != nir_instr_type_intrinsic)
            continue;
         intr = nir_instr_as_intrinsic(instr);
         if (!is_sized_by_use(nir, intr))
            continue;
         count_distances(intr, &used);
         begin_with_first(&b, intr);
      }
   }
   if (!nir->info.clip_distance_array_size)
      nir->info.clip_distance_array_size = used.clip;
   if (!nir->info.cull_distance_array_size)
      nir->info.cull_distance_array_size = used.cull;
}

bool
sdog_nir_writes_second_color(const nir_shader *nir)
{
   nir_foreach_shader_out_variable(var, nir) {
      if (var->data.index == 1)
         return true;
   }
   return false;
}

void
sdog_nir_add_second_color(nir_shader *nir)
{
   nir_builder b = nir_builder_at(nir_before_impl(nir_shader_get_entrypoint(nir)));
   nir_variable *var =
      nir_variable_create(nir, nir_var_shader_out, glsl_vec4_type(), "second_color");

   var->data.location = FRAG_RESULT_DATA0;
   var->data.index = 1;
   nir_store_var(&b, var, nir_imm_vec4(&b, 0.0f, 0.0f, 0.0f, 0.0f), 0xf);
}

static bool
widen_color(nir_builder *b, nir_intrinsic_instr *intr, void *data)
{
   nir_variable *var =
      intr->intrinsic == nir_intrinsic_store_deref ? nir_intrinsic_get_var(intr, 0) : NULL;
   unsigned count = intr->num_components;
   nir_def *channels[4];

   if (!var || count == 4 || glsl_get_base_type(var->type) != GLSL_TYPE_FLOAT ||
       (var->data.location != FRAG_RESULT_COLOR && var->data.location < FRAG_RESULT_DATA0))
      return false;
   b->cursor = nir_before_instr(&intr->instr);
   for (unsigned i = 0; i < 4; i++)
      channels[i] = i < count ? nir_channel(b, intr->src[1].ssa, i) : nir_imm_float(b, 1.0f);
   var->type = glsl_vec4_type();
   nir_src_rewrite(&intr->src[1], nir_vec(b, channels, 4));
   intr->num_components = 4;
   nir_intrinsic_set_write_mask(intr,
                                nir_intrinsic_write_mask(intr) | (0xf & ~BITFIELD_MASK(count)));
   return true;
}

bool
sdog_nir_widen_colors(nir_shader *nir)
{
   bool progress =
      nir_shader_intrinsics_pass(nir, widen_color, nir_metadata_control_flow, NULL);

   if (progress)
      nir_fixup_deref_types(nir);
   return progress;
}

static bool
flip(nir_builder *b, nir_intrinsic_instr *intr, void *data)
{
   nir_def *flipped;

   if (intr->intrinsic != nir_intrinsic_load_point_coord &&
       intr->intrinsic != nir_intrinsic_load_point_coord_maybe_flipped)
      return false;
   b->cursor = nir_after_instr(&intr->instr);
   flipped = nir_vec2(b, nir_channel(b, &intr->def, 0),
                      nir_fsub_imm(b, 1.0f, nir_channel(b, &intr->def, 1)));
   nir_def_rewrite_uses_after(&intr->def, flipped, flipped->parent_instr);
   return true;
}

bool
sdog_nir_flip_point_coord(nir_shader *nir)
{
   return nir_shader_intrinsics_pass(nir, flip, nir_metadata_control_flow, NULL);
}
