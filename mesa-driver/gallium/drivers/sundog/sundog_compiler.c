/* SPDX-License-Identifier: MIT */
/* Compiles NIR to SPIR-V for the device: lowers a copy of the shader for its variant's key and
 * calls the translator of zink. The state tracker calls sdog_finalize_nir(), sundog_shader.c calls
 * the rest. */
#include "sundog_compiler.h"

#include "nir.h"
#include "nir/nir_draw_helpers.h"
#include "nir_to_spirv/nir_to_spirv.h"
#include "sundog_caps.h"
#include "sundog_debug.h"
#include "sundog_nir.h"
#include "sundog_screen.h"
#include "sundog_stage.h"
#include "sundog_stipple.h"
#include "tgsi/tgsi_from_mesa.h"
#include "util/log.h"
#include "util/u_memory.h"

/* The device accepts 64 KiB of variables per shader. The rest is left for the variables that phis
 * become. */
#define MAX_LOCAL_SIZE (48 * 1024)

/* The translator expects variables for inputs and outputs, and derefs of textures. Everything that
 * it has no SPIR-V instruction for is lowered here. */
static const nir_shader_compiler_options common_options = {
   .io_options = nir_io_separate_clip_cull_distance_arrays | nir_io_dont_optimize,
   .lower_ffma16 = true,
   .lower_ffma32 = true,
   .lower_ffma64 = true,
   .lower_scmp = true,
   .lower_fdph = true,
   .lower_flrp32 = true,
   .lower_fsat = true,
   .lower_hadd = true,
   .lower_iadd_sat = true,
   .lower_fisnormal = true,
   .lower_extract_byte = true,
   .lower_extract_word = true,
   .lower_insert_byte = true,
   .lower_insert_word = true,
   .lower_ldexp = true,
   .lower_mul_high = true,
   .lower_to_scalar = true,
   .lower_uadd_carry = true,
   .compact_arrays = true,
   .lower_usub_borrow = true,
   .lower_uadd_sat = true,
   .lower_usub_sat = true,
   .lower_vector_cmp = true,
   .lower_flrp64 = true,
   .lower_uniforms_to_ubo = true,
   .has_fsub = true,
   .has_isub = true,
   .lower_mul_2x32_64 = true,
   .support_indirect_inputs = (uint8_t)BITFIELD_MASK(MESA_SHADER_COMPUTE),
   .support_indirect_outputs = (uint8_t)BITFIELD_MASK(MESA_SHADER_COMPUTE),
   .max_unroll_iterations = 32,
   .force_indirect_unrolling_sampler = true,
   /* The translator puts a discard into a function of its own, and the device does not support
    * function calls. */
   .discard_is_demote = true,
   /* The only driver callback that runs after inputs and outputs became intrinsics and before they
    * become variables again. */
   .lower_mediump_io = sdog_nir_size_distances,
};

/* Runs in each iteration of optimize(), since other passes create more 64-bit operations. */
static bool
lower_wide(nir_shader *nir)
{
   bool progress = false;

   NIR_PASS(progress, nir, nir_lower_int64);
   NIR_PASS(progress, nir, nir_lower_doubles, NULL, nir->options->lower_doubles_options);
   return progress;
}

static void
optimize(nir_shader *nir)
{
   bool wide = (nir->info.bit_sizes_int | nir->info.bit_sizes_float) & 64;
   bool progress;

   do {
      progress = wide && lower_wide(nir);
      /* The other passes of this loop work on SSA values, not on local variables. */
      NIR_PASS(_, nir, nir_lower_vars_to_ssa);
      /* Remove copies and dead code that lowering left behind: the host compiles the rest at the
       * first draw, and a smaller shader compiles faster. */
      NIR_PASS(progress, nir, nir_opt_copy_prop_vars);
      NIR_PASS(progress, nir, nir_copy_prop);
      NIR_PASS(progress, nir, nir_opt_remove_phis);
      NIR_PASS(progress, nir, nir_opt_dce);
      NIR_PASS(progress, nir, nir_opt_dead_cf);
      /* A phi of a vector would hide from the passes below that one of its components is
       * constant. */
      NIR_PASS(progress, nir, nir_lower_phis_to_scalar, false);
      NIR_PASS(progress, nir, nir_opt_cse);
      /* A branch costs more than eight instructions on a host that runs invocations in lockstep. */
      NIR_PASS(progress, nir, nir_opt_peephole_select, 8, true, true);
      /* Also does the lowering that nir_options selects. */
      NIR_PASS(progress, nir, nir_opt_algebraic);
      /* Only uniforms with constant offsets can be push constants. */
      NIR_PASS(progress, nir, nir_opt_constant_folding);
      NIR_PASS(progress, nir, nir_opt_undef);
      /* The translator has no conversion between booleans of different sizes. */
      NIR_PASS(progress, nir, zink_nir_lower_b2b);
   } while (progress);

   do {
      progress = false;
      /* These rules undo forms that help the passes above, so they run last and separately. */
      NIR_PASS(progress, nir, nir_opt_algebraic_late);
      if (progress) {
         NIR_PASS(_, nir, nir_copy_prop);
         NIR_PASS(_, nir, nir_opt_dce);
         NIR_PASS(_, nir, nir_opt_cse);
      }
   } while (progress);
}

/* Votes and ballots use the device's subgroups if it supports them. */
static void
lower_subgroups(nir_shader *nir, const struct sundog_caps *caps)
{
   const nir_lower_subgroups_options options = {
      .subgroup_size = caps->subgroup_size,
      .ballot_bit_size = 32,
      .ballot_components = 4,
      .lower_to_scalar = true,
      .lower_subgroup_masks = true,
   };

   if (sdog_has_subgroups(caps, nir->info.stage))
      NIR_PASS(_, nir, nir_lower_subgroups, &options);
   else
      NIR_PASS(_, nir, sdog_nir_vote_alone);
}

/* Lowering that does not depend on a variant. The state tracker calls it once per shader. */
static char *
sdog_finalize_nir(struct pipe_screen *pscreen, nir_shader *nir)
{
   const nir_lower_tex_options tex_options = {
      /* SPIR-V has no projective sampling of these types. */
      .lower_txp = BITFIELD_BIT(GLSL_SAMPLER_DIM_CUBE) | BITFIELD_BIT(GLSL_SAMPLER_DIM_MS),
      .lower_txp_array = true,
      /* Rectangle textures are 2D textures on the device: scale their coordinates. */
      .lower_rect = true,
      /* Vertex shaders have no derivatives; GL uses level 0 there. */
      .lower_invalid_implicit_lod = true,
      /* In SPIR-V a gather with four offsets takes only constant offsets. */
      .lower_tg4_offsets = true,
   };

   lower_subgroups(nir, sdog_screen(pscreen)->caps);
   if (nir->info.stage == MESA_SHADER_COMPUTE)
      NIR_PASS(_, nir, sdog_nir_know_no_views);
   NIR_PASS(_, nir, sdog_nir_loop_float_atomics);
   NIR_PASS(_, nir, sdog_nir_nudge_rectangles);
   /* Before optimize(), so that it sees the arithmetic that this pass emits. */
   NIR_PASS(_, nir, nir_lower_tex, &tex_options);
   optimize(nir);
   nir_shader_gather_info(nir, nir_shader_get_entrypoint(nir));
   return NULL;
}

static void
scan_tex(struct sdog_shader *shader, const nir_tex_instr *tex)
{
   bool has_slot = nir_tex_instr_src_index(tex, nir_tex_src_texture_handle) < 0;
   bool compares = tex->is_shadow && !nir_tex_instr_is_query(tex);
   uint32_t slot = BITFIELD_BIT(tex->texture_index);

   if (!has_slot)
      return;
   if (nir_tex_instr_is_query(tex) ||
       nir_alu_type_get_base_type(tex->dest_type) != nir_type_float)
      shader->integers |= slot;
   if (tex->sampler_dim == GLSL_SAMPLER_DIM_BUF)
      shader->texels |= slot & BITFIELD_MASK(SDOG_SWIZZLE_SLOTS);
   if (compares)
      shader->shadows |= slot;
   if (compares && tex->op != nir_texop_tg4 && !tex->is_new_style_shadow)
      shader->legacy_shadow |= slot;
}

/* Returns the primitive that the stage outputs, or MESA_PRIM_UNKNOWN if it does not change the
 * primitive of the draw. */
static enum mesa_prim
output_prim(const nir_shader *nir)
{
   switch (nir->info.stage) {
   case MESA_SHADER_GEOMETRY:
      return nir->info.gs.output_primitive;
   case MESA_SHADER_TESS_EVAL:
      if (nir->info.tess.point_mode)
         return MESA_PRIM_POINTS;
      return nir->info.tess._primitive_mode == TESS_PRIMITIVE_ISOLINES ? MESA_PRIM_LINES
                                                                       : MESA_PRIM_TRIANGLES;
   default:
      return MESA_PRIM_UNKNOWN;
   }
}

void
sdog_compiler_scan(struct sdog_shader *shader)
{
   nir_shader *nir = shader->nir;

   /* The translator takes constant indices only, and the scan below treats each element
    * separately. */
   NIR_PASS(_, nir, sdog_nir_split_texture_arrays);
   shader->takes_group_size = nir->info.workgroup_size_variable;
   shader->varyings_read = sdog_nir_varyings_read(nir);
   shader->varyings_written = sdog_nir_varyings_written(nir);
   if (shader->stage != MESA_SHADER_FRAGMENT) {
      shader->clip_planes = sdog_nir_clip_planes(nir);
      shader->writes_point_size = nir->info.outputs_written & VARYING_BIT_PSIZ;
      shader->writes_viewport = nir->info.outputs_written & VARYING_BIT_VIEWPORT;
   }
   shader->knows_layers =
      (shader->stage == MESA_SHADER_FRAGMENT ? nir->info.inputs_read : nir->info.outputs_written) &
      VARYING_BIT_LAYER;
   shader->output_prim = output_prim(nir);
   if (shader->stage == MESA_SHADER_TESS_CTRL || shader->stage == MESA_SHADER_TESS_EVAL)
      shader->patch_varyings = sdog_nir_patch_varyings(nir);
   nir_foreach_block(block, nir_shader_get_entrypoint(nir)) {
      nir_foreach_instr(instr, block) {
         if (instr->type == nir_instr_type_tex)
            scan_tex(shader, nir_instr_as_tex(instr));
      }
   }
   if (shader->stage != MESA_SHADER_FRAGMENT)
      return;
   shader->writes_second_color = sdog_nir_writes_second_color(nir);
   shader->knows_samples = sdog_nir_knows_samples(nir);
   NIR_PASS(_, nir, sdog_nir_store_fetched);
   shader->fetched_colors = sdog_nir_fetched_colors(nir);
   shader->counts_primitives = nir->info.inputs_read & VARYING_BIT_PRIMITIVE_ID;
   shader->reads_texcoords =
      (nir->info.inputs_read & (BITFIELD64_RANGE(VARYING_SLOT_TEX0, 8) | VARYING_BIT_PNTC)) ||
      BITSET_TEST(nir->info.system_values_read, SYSTEM_VALUE_POINT_COORD);
   shader->broadcasts_color = nir->info.outputs_written & BITFIELD64_BIT(FRAG_RESULT_COLOR);
}

/* Vulkan has no polygon stipple: the shader samples the pattern and discards by it
 * (sundog_stipple.h). */
static void
lower_stipple(nir_shader *nir, uint8_t faces)
{
   nir_variable *last =
      nir_variable_create(nir, nir_var_uniform, glsl_bare_sampler_type(), "last");
   unsigned slot;

   /* Mesa chooses the slot after the last sampler variable, but ignores that arrays take
    * several. */
   last->data.binding = SDOG_STIPPLE_SLOT - 1;
   nir_lower_pstipple_fs(nir, &slot, 0, false, nir_type_bool1);
   assert(slot == SDOG_STIPPLE_SLOT);
   if (faces != PIPE_FACE_FRONT_AND_BACK)
      sdog_nir_discard_on_face(nir, faces == PIPE_FACE_FRONT);
}

static void
lower_key(nir_shader *nir, const struct sdog_shader_key *key, struct sdog_variant *variant)
{
   /* The device has point coordinates, but cannot replace texture coordinates by them. */
   if (key->coord_replace)
      nir_lower_texcoord_replace(nir, key->coord_replace, true, false);
   /* Vulkan requires that the previous stage writes every input; GL leaves the value undefined. */
   if (key->missing_inputs || key->missing_patch_inputs)
      NIR_PASS(_, nir, sdog_nir_zero_inputs, key->missing_inputs, key->missing_patch_inputs);
   if (nir->info.stage == MESA_SHADER_TESS_CTRL)
      NIR_PASS(_, nir, sdog_nir_trim_barriers);
   if (key->patch_vertices)
      sdog_nir_set_patch_vertices(nir, key->patch_vertices);
   if (key->disabled_planes)
      NIR_PASS(_, nir, sdog_nir_disable_clip_distances, key->disabled_planes);
   if (key->drop_point_size)
      sdog_nir_drop_output(nir, VARYING_SLOT_PSIZ);
   if (key->wide_points)
      NIR_PASS(_, nir, sdog_nir_widen_points);
   /* gl_ClipVertex was lowered to clip distances, but a later stage may still read it. */
   if (!key->not_last)
      sdog_nir_drop_output(nir, VARYING_SLOT_CLIP_VERTEX);
   if (!key->pass_flags)
      sdog_nir_drop_output(nir, VARYING_SLOT_EDGE);
   if (key->views && nir->info.stage != MESA_SHADER_FRAGMENT)
      sdog_nir_drop_output(nir, VARYING_SLOT_LAYER);
   if (key->edges.source != MESA_PRIM_POINTS)
      NIR_PASS(_, nir, sdog_nir_write_edges, &key->edges);
   if (nir->info.stage != MESA_SHADER_FRAGMENT)
      return;
   if (key->views)
      NIR_PASS(_, nir, sdog_nir_zero_inputs, VARYING_BIT_LAYER, 0);
   if (key->edges_slot)
      sdog_nir_discard_edges(nir, key->edges_slot, key->edge_modes[0], key->edge_modes[1]);
   if (key->counted)
      NIR_PASS(variant->knows_draw, nir, sdog_nir_count_polygons, key->counted);
   if (key->single_sample)
      NIR_PASS(_, nir, sdog_nir_ignore_samples);
   variant->fetched_colors = sdog_nir_fetched_colors(nir);
   NIR_PASS(_, nir, sdog_nir_lower_fetch, key->fetch);
   /* In Vulkan the y coordinate of points starts at the top only; GL has
    * POINT_SPRITE_COORD_ORIGIN (OpenGL 4.6, 14.4.1 Basic Point Rasterization). */
   if (key->point_coord_flip)
      NIR_PASS(_, nir, sdog_nir_flip_point_coord);
   /* Vulkan draws points as squares; for round points the shader computes the coverage. */
   if (key->point_smooth) {
      NIR_PASS(_, nir, sdog_nir_widen_colors);
      NIR_PASS(_, nir, nir_lower_point_smooth, false);
   }
   if (key->round_samples)
      NIR_PASS(_, nir, sdog_nir_round_points, key->round_samples);
   if (key->stipple)
      lower_stipple(nir, key->stipple);
   /* gl_FragColor is written to all colour buffers (OpenGL 4.6, 17.4.1 Selecting Buffers for
    * Writing), which have separate locations in Vulkan. With dual-source blending there is only one
    * colour buffer. */
   NIR_PASS(_, nir, nir_lower_fragcolor,
            nir->info.fs.color_is_dual_source ? 1 : MAX2(key->color_outputs, 1));
   if (key->second_color)
      sdog_nir_add_second_color(nir);
   /* A gl_FragColor that is declared but not written would be an output without a location. */
   NIR_PASS(_, nir, nir_remove_dead_variables, nir_var_shader_out, NULL);
}

static void
lower_images(nir_shader *nir, struct sdog_variant *variant)
{
   struct sdog_nir_image_slots slots = {0};

   /* The translator treats images like textures. */
   NIR_PASS(_, nir, sdog_nir_lower_images, &slots);
   variant->images = slots.images;
   variant->storage_texels = slots.texels;
   variant->images_written = slots.written;
   STATIC_ASSERT(sizeof(variant->image_types) == sizeof(slots.types));
   memcpy(variant->image_types, slots.types, sizeof(slots.types));
}

static void
split_storage(nir_shader *nir, struct sdog_variant *variant)
{
   /* As for uniform blocks, accesses use the index of the buffer. */
   nir_foreach_variable_with_modes_safe(var, nir, nir_var_mem_ssbo)
      exec_node_remove(&var->node);
   NIR_PASS(_, nir, sdog_nir_split_accesses);
   sdog_nir_storage_masks(nir, &variant->ssbos, &variant->ssbos_written);
}

static void
lower_storage(nir_shader *nir, const struct sdog_variant *variant)
{
   /* Must run after the last optimisation, which would assume that two variables do not alias,
    * although a program may bind one buffer twice. */
   NIR_PASS(_, nir, sdog_nir_lower_storage_to_derefs, variant->ssbos);
   NIR_PASS(_, nir, sdog_nir_lower_shared_to_words);
   NIR_PASS(_, nir, nir_opt_constant_folding);
   NIR_PASS(_, nir, nir_opt_dce);
}

static void
lower_uniforms(nir_shader *nir, struct sdog_variant *variant, uint32_t block_size)
{
   bool constant;

   /* Loads use the index of the buffer; the translator cannot use these declarations. */
   nir_foreach_variable_with_modes_safe(var, nir, nir_var_mem_ubo)
      exec_node_remove(&var->node);
   /* Buffers are declared as arrays of 16-byte vectors; an unaligned vector load would cross two of
    * them. */
   NIR_PASS(_, nir, nir_lower_io_to_scalar, nir_var_mem_ubo, NULL, NULL);
   NIR_PASS(_, nir, sdog_nir_split_uniforms);
   /* Folds the offsets of the scalar loads. */
   optimize(nir);
   variant->uniform_size = sdog_nir_uniform_size(nir, &constant);
   variant->blocks = sdog_nir_block_mask(nir);
   variant->push = variant->uniform_size && constant &&
                   variant->uniform_size <=
                      (variant->knows_draw ? SDOG_DRAW_PARAMETERS : SDOG_PUSH_DWORDS) * 4 &&
                   sdog_stage_pushes(sdog_stage_index(nir->info.stage)) && !(SDOG_DBG(NO_PUSH));
   /* The translator takes derefs of a variable that has a descriptor set and a binding. */
   NIR_PASS(_, nir, sdog_nir_lower_uniforms_to_buffers,
            variant->push ? 0 : variant->uniform_size, variant->blocks, block_size);
}

static void
push_constants(nir_shader *nir, const struct sdog_variant *variant)
{
   uint32_t size = variant->push ? variant->uniform_size : 0;

   if (size || variant->knows_draw)
      NIR_PASS(_, nir, sdog_nir_lower_uniforms_to_push, size, variant->knows_draw);
   if (variant->knows_draw)
      NIR_PASS(_, nir, sdog_nir_add_draw_parameters, size / 16);
}

/* Returns true if the local arrays that remain in memory, because they have non-constant indices,
 * fit in MAX_LOCAL_SIZE. Logs an error otherwise. */
static bool
locals_fit(const nir_shader *nir)
{
   unsigned size = 0;

   nir_foreach_function_temp_variable(var, nir_shader_get_entrypoint(nir))
      size += glsl_get_component_slots(var->type) * 4;
   nir_foreach_variable_with_modes(var, nir, nir_var_shader_temp)
      size += glsl_get_component_slots(var->type) * 4;
   if (size > MAX_LOCAL_SIZE)
      mesa_loge("sundog: a shader has %u bytes of local arrays with variable indices, at most %u: "
                "skipping its draws", size, MAX_LOCAL_SIZE);
   return size <= MAX_LOCAL_SIZE;
}

static void
dump_spirv(const struct spirv_shader *spirv)
{
   static unsigned number;
   char path[32];
   FILE *file;

   snprintf(path, sizeof(path), "sundog-%u.spv", number++);
   file = fopen(path, "wb");
   if (!file)
      return;
   fwrite(spirv->words, sizeof(uint32_t), spirv->num_words, file);
   fclose(file);
}

struct spirv_shader *
sdog_compile(const struct sdog_screen *screen, const struct sdog_shader *shader,
             struct sdog_variant *variant)
{
   static const struct zink_shader_info info = {.bindless_set_idx = UINT32_MAX};
   nir_shader *nir = nir_shader_clone(NULL, shader->nir);
   struct spirv_shader *spirv;

   if (shader->takes_group_size)
      sdog_nir_set_group_size(nir, variant->key.group_size);
   /* Done for all variants: a program without captures declares none. It must run before the key is
    * lowered, because transform feedback captures the values that the program wrote. */
   if (variant->key.not_last)
      sdog_nir_capture_nothing(nir);
   else
      NIR_PASS(_, nir, sdog_nir_capture_outputs, variant->key.packed_outputs);
   lower_key(nir, &variant->key, variant);
   if (nir->info.stage == MESA_SHADER_VERTEX) {
      NIR_PASS(_, nir, sdog_nir_split_attributes);
      if (screen->caps->features & SUNDOG_FEATURE_INDIRECT)
         NIR_PASS(_, nir, sdog_nir_count_instances_from_zero);
      variant->knows_draw = sdog_nir_knows_draw(nir);
   }
   /* Before textures get variables, whose types say whether they compare. */
   NIR_PASS(_, nir, sdog_nir_lower_shadow, &variant->key, &variant->plain_textures);
   /* The translator takes textures by deref. */
   NIR_PASS(_, nir, sdog_nir_lower_textures, &variant->key, &variant->textures,
            &variant->texels);
   NIR_PASS(_, nir, sdog_nir_swizzle_texels, variant->key.texel_swizzle);
   lower_images(nir, variant);
   if (sdog_has_subgroups(screen->caps, nir->info.stage))
      NIR_PASS(_, nir, sdog_nir_split_handles);
   NIR_PASS(_, nir, sdog_nir_lower_handles, &variant->handles, &variant->handles_written);
   split_storage(nir, variant);
   lower_uniforms(nir, variant, screen->base.caps.max_constant_buffer_size);
   /* SPIR-V demotes unconditionally, so the condition becomes a branch. */
   NIR_PASS(_, nir, nir_lower_discard_if,
            nir_lower_discard_if_to_cf | nir_lower_demote_if_to_cf | nir_lower_terminate_if_to_cf);
   /* The translator does not support frexp. */
   NIR_PASS(_, nir, nir_lower_frexp);
   optimize(nir);
   /* The translator declares every remaining variable, and the device requires bindings for all
    * that are declared. */
   NIR_PASS(_, nir, nir_remove_dead_variables,
            nir_var_function_temp | nir_var_shader_temp | nir_var_uniform, NULL);
   if (!locals_fit(nir)) {
      ralloc_free(nir);
      return NULL;
   }
   /* Must run after the last optimisation: an index that shares its constant with a float gets a
    * bitcast, and is then not a constant in SPIR-V. */
   push_constants(nir, variant);
   lower_storage(nir, variant);
   if (variant->key.per_sample)
      sdog_nir_run_per_sample(nir);
   sdog_nir_assign_locations(nir, variant->key.packed_inputs, variant->key.packed_outputs);
   nir_shader_gather_info(nir, nir_shader_get_entrypoint(nir));
   /* Stream 0 alone needs no capability. With other streams, each emitted vertex names its
    * stream. */
   if (nir->info.stage == MESA_SHADER_GEOMETRY)
      nir->info.gs.active_stream_mask =
         nir->info.gs.active_stream_mask & ~1 ? nir->info.gs.active_stream_mask | 1 : 0;
   /* The translator would mistake generic attributes for the varyings with the same numbers. */
   if (nir->info.stage == MESA_SHADER_VERTEX)
      nir->info.inputs_read = 0;
   /* The translator does not support phis, which become variables. */
   NIR_PASS(_, nir, nir_convert_from_ssa, true, false);
   nir_index_ssa_defs(nir_shader_get_entrypoint(nir));
   if (SDOG_DBG(NIR))
      nir_print_shader(nir, stderr);

   spirv = nir_to_spirv(nir, &info, SPIRV_VERSION(1, 5), true);
   if (spirv && SDOG_DBG(SPIRV))
      dump_spirv(spirv);
   ralloc_free(nir);
   return spirv;
}

static const void *
sdog_get_compiler_options(struct pipe_screen *pscreen, enum pipe_shader_ir ir,
                          enum pipe_shader_type shader)
{
   return sdog_screen(pscreen)->nir_options;
}

static nir_shader_compiler_options *
options_new(const struct sundog_caps *caps)
{
   nir_shader_compiler_options *options = MALLOC_STRUCT(nir_shader_compiler_options);

   if (!options)
      return NULL;
   *options = common_options;
   options->lower_int64_options = ~0;
   options->lower_doubles_options = ~0;
   /* The operations that the translator has no instruction for. */
   if (caps->features & SUNDOG_FEATURE_INT64)
      options->lower_int64_options =
         nir_lower_bit_count64 | nir_lower_find_lsb64 | nir_lower_ufind_msb64;
   if (caps->features & SUNDOG_FEATURE_FLOAT64)
      options->lower_doubles_options = nir_lower_dround_even;
   return options;
}

bool
sdog_compiler_init(struct sdog_screen *screen)
{
   screen->nir_options = options_new(screen->caps);
   return screen->nir_options;
}

void
sdog_compiler_finish(struct sdog_screen *screen)
{
   FREE(screen->nir_options);
}

void
sdog_init_compiler_functions(struct pipe_screen *pscreen)
{
   pscreen->get_compiler_options = sdog_get_compiler_options;
   pscreen->finalize_nir = sdog_finalize_nir;
}
