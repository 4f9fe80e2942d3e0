/* SPDX-License-Identifier: MIT */
/* Accesses through handles of textures and images: see sundog_nir.h. */
#include "nir_builder.h"
#include "pipe/p_state.h"
#include "sundog_handle.h"
#include "sundog_nir.h"
#include "sundog_stage.h"

/* The translator indexes images by driver_location; slots have the first ones. */
#define FIRST_TEXTURE (2 * SUNDOG_MAX_TEXTURES)
#define FIRST_IMAGE SUNDOG_MAX_IMAGES

struct lower_handles {
   nir_variable *tables[SUNDOG_NUM_HANDLE_KINDS];
   unsigned num_textures;
   unsigned num_images;
   bool written;
};

static enum sundog_handle_dim
handle_dim(enum glsl_sampler_dim dim, bool array)
{
   switch (dim) {
   case GLSL_SAMPLER_DIM_1D:
      return array ? SUNDOG_HANDLE_DIM_1D_ARRAY : SUNDOG_HANDLE_DIM_1D;
   case GLSL_SAMPLER_DIM_3D:
      return SUNDOG_HANDLE_DIM_3D;
   case GLSL_SAMPLER_DIM_CUBE:
      return array ? SUNDOG_HANDLE_DIM_CUBE_ARRAY : SUNDOG_HANDLE_DIM_CUBE;
   case GLSL_SAMPLER_DIM_BUF:
      return SUNDOG_HANDLE_DIM_BUFFER;
   case GLSL_SAMPLER_DIM_MS:
      return array ? SUNDOG_HANDLE_DIM_MS_ARRAY : SUNDOG_HANDLE_DIM_MS;
   default:
      return array ? SUNDOG_HANDLE_DIM_2D_ARRAY : SUNDOG_HANDLE_DIM_2D;
   }
}

static enum sdog_handle_number
number_of(nir_alu_type type)
{
   switch (nir_alu_type_get_base_type(type)) {
   case nir_type_int:
      return SDOG_HANDLE_SINT;
   case nir_type_uint:
      return SDOG_HANDLE_UINT;
   default:
      return SDOG_HANDLE_FLOAT;
   }
}

static const enum glsl_base_type glsl_types[] = {
   [SDOG_HANDLE_FLOAT] = GLSL_TYPE_FLOAT,
   [SDOG_HANDLE_SINT] = GLSL_TYPE_INT,
   [SDOG_HANDLE_UINT] = GLSL_TYPE_UINT,
};

static nir_variable *
add_table(nir_shader *nir, struct lower_handles *lower, const struct glsl_type *type,
          unsigned binding)
{
   bool image = glsl_type_is_image(type);
   nir_variable *var = lower->tables[binding];

   if (var)
      return var;
   var = nir_variable_create(nir, image ? nir_var_image : nir_var_uniform,
                             glsl_array_type(type, SUNDOG_MAX_HANDLES, 0),
                             ralloc_asprintf(nir, "handles%u", binding));
   var->data.descriptor_set = SUNDOG_HANDLE_SET;
   var->data.binding = binding;
   var->data.driver_location =
      image ? MIN2(FIRST_IMAGE + lower->num_images++, PIPE_MAX_SHADER_IMAGES - 1)
            : FIRST_TEXTURE + lower->num_textures++;
   lower->tables[binding] = var;
   return var;
}

static nir_def *
table_entry(nir_builder *b, nir_variable *table, nir_def *handle)
{
   return &nir_build_deref_array(b, nir_build_deref_var(b, table), nir_u2u32(b, handle))->def;
}

/* Adds the results for the three numeric types, for instructions that do not say the type of the
 * texels: the entries of all but one are empty, and their result is zero. */
static nir_def *
sum(nir_builder *b, nir_def *const *results, bool is_float)
{
   nir_def *all = results[0];

   for (unsigned i = 1; i < SUNDOG_NUM_HANDLE_NUMBERS; i++)
      all = is_float ? nir_fadd(b, all, results[i]) : nir_iadd(b, all, results[i]);
   return all;
}

/* Textures */

static void
set_texture(nir_builder *b, struct lower_handles *lower, nir_tex_instr *tex,
            enum sdog_handle_number number)
{
   bool external = tex->sampler_dim == GLSL_SAMPLER_DIM_EXTERNAL ||
                   tex->sampler_dim == GLSL_SAMPLER_DIM_RECT;
   enum glsl_sampler_dim dim = external ? GLSL_SAMPLER_DIM_2D : tex->sampler_dim;
   unsigned binding = sdog_handle_binding(SUNDOG_HANDLE_CLASS_SAMPLED,
                                          handle_dim(dim, tex->is_array), number);
   const struct glsl_type *type =
      glsl_sampler_type(dim, false, tex->is_array, glsl_types[number]);
   nir_variable *table = add_table(b->shader, lower, type, binding);
   int handle = nir_tex_instr_src_index(tex, nir_tex_src_texture_handle);

   b->cursor = nir_before_instr(&tex->instr);
   nir_src_rewrite(&tex->src[handle].src, table_entry(b, table, tex->src[handle].src.ssa));
   tex->src[handle].src_type = nir_tex_src_texture_deref;
   tex->sampler_dim = dim;
}

static bool
lower_tex(nir_builder *b, nir_tex_instr *tex, struct lower_handles *lower)
{
   nir_def *results[SUNDOG_NUM_HANDLE_NUMBERS];

   if (nir_tex_instr_src_index(tex, nir_tex_src_texture_handle) < 0)
      return false;
   b->cursor = nir_before_instr(&tex->instr);
   nir_steal_tex_src(tex, nir_tex_src_sampler_handle);
   if (!nir_tex_instr_is_query(tex)) {
      set_texture(b, lower, tex, number_of(tex->dest_type));
      return true;
   }
   for (unsigned i = 0; i < SUNDOG_NUM_HANDLE_NUMBERS; i++) {
      nir_tex_instr *clone = nir_instr_as_tex(nir_instr_clone(b->shader, &tex->instr));

      nir_builder_instr_insert(b, &clone->instr);
      set_texture(b, lower, clone, i);
      b->cursor = nir_after_instr(&clone->instr);
      results[i] = &clone->def;
   }
   nir_def_replace(&tex->def, sum(b, results, tex->op == nir_texop_lod));
   return true;
}

/* Images */

static bool
deref_intrinsic(nir_intrinsic_op op, nir_intrinsic_op *out)
{
   switch (op) {
#define CASE(name)                                                                                 \
   case nir_intrinsic_bindless_image_##name:                                                       \
      *out = nir_intrinsic_image_deref_##name;                                                     \
      return true;
      CASE(load)
      CASE(store)
      CASE(atomic)
      CASE(atomic_swap)
      CASE(size)
      CASE(samples)
#undef CASE
   default:
      return false;
   }
}

static bool
is_atomic(const nir_intrinsic_instr *intr)
{
   return nir_intrinsic_has_atomic_op(intr);
}

/* Returns the numeric type of the access. Atomic operations have 32-bit formats. */
static enum sdog_handle_number
image_number(const nir_intrinsic_instr *intr)
{
   enum pipe_format format = nir_intrinsic_format(intr);

   if (nir_intrinsic_has_src_type(intr))
      return number_of(nir_intrinsic_src_type(intr));
   if (nir_intrinsic_has_dest_type(intr))
      return number_of(nir_intrinsic_dest_type(intr));
   if (format == PIPE_FORMAT_R32_FLOAT)
      return SDOG_HANDLE_FLOAT;
   return format == PIPE_FORMAT_R32_SINT ? SDOG_HANDLE_SINT : SDOG_HANDLE_UINT;
}

static void
set_image(nir_builder *b, struct lower_handles *lower, nir_intrinsic_instr *intr,
          enum sdog_handle_number number)
{
   static const enum pipe_format formats[] = {
      [SDOG_HANDLE_FLOAT] = PIPE_FORMAT_R32_FLOAT,
      [SDOG_HANDLE_SINT] = PIPE_FORMAT_R32_SINT,
      [SDOG_HANDLE_UINT] = PIPE_FORMAT_R32_UINT,
   };
   bool atomic = is_atomic(intr), array = nir_intrinsic_image_array(intr);
   enum glsl_sampler_dim dim = nir_intrinsic_image_dim(intr);
   unsigned binding =
      sdog_handle_binding(atomic ? SUNDOG_HANDLE_CLASS_ATOMIC : SUNDOG_HANDLE_CLASS_STORAGE,
                          handle_dim(dim, array), number);
   nir_variable *table;

   if (dim == GLSL_SAMPLER_DIM_RECT)
      dim = GLSL_SAMPLER_DIM_2D;
   table = add_table(b->shader, lower, glsl_image_type(dim, array, glsl_types[number]), binding);
   if (atomic)
      table->data.image.format = formats[number];
   b->cursor = nir_before_instr(&intr->instr);
   nir_src_rewrite(&intr->src[0], table_entry(b, table, intr->src[0].ssa));
}

static bool
lower_image(nir_builder *b, nir_intrinsic_instr *intr, struct lower_handles *lower)
{
   nir_def *results[SUNDOG_NUM_HANDLE_NUMBERS];
   nir_intrinsic_op op;

   if (!deref_intrinsic(intr->intrinsic, &op))
      return false;
   intr->intrinsic = op;
   lower->written |= op == nir_intrinsic_image_deref_store || is_atomic(intr);
   if (op != nir_intrinsic_image_deref_size && op != nir_intrinsic_image_deref_samples) {
      set_image(b, lower, intr, image_number(intr));
      return true;
   }
   b->cursor = nir_before_instr(&intr->instr);
   for (unsigned i = 0; i < SUNDOG_NUM_HANDLE_NUMBERS; i++) {
      nir_intrinsic_instr *clone =
         nir_instr_as_intrinsic(nir_instr_clone(b->shader, &intr->instr));

      nir_builder_instr_insert(b, &clone->instr);
      set_image(b, lower, clone, i);
      b->cursor = nir_after_instr(&clone->instr);
      results[i] = &clone->def;
   }
   nir_def_replace(&intr->def, sum(b, results, false));
   return true;
}

/* Non-uniform handles */

static nir_src *
handle_of(nir_instr *instr)
{
   nir_tex_instr *tex;
   nir_intrinsic_op op;
   int i;

   if (instr->type == nir_instr_type_intrinsic) {
      nir_intrinsic_instr *intr = nir_instr_as_intrinsic(instr);

      return deref_intrinsic(intr->intrinsic, &op) ? &intr->src[0] : NULL;
   }
   if (instr->type != nir_instr_type_tex)
      return NULL;
   tex = nir_instr_as_tex(instr);
   i = nir_tex_instr_src_index(tex, nir_tex_src_texture_handle);
   return i < 0 ? NULL : &tex->src[i].src;
}

/* Limit on the instructions that are followed back from a handle. If it is exceeded, the handle
 * counts as non-uniform. */
#define UNIFORM_STEPS 64

/* Returns true if @def is the same in all invocations, because it is computed from uniforms and
 * constants only. */
static bool
is_uniform_within(const nir_def *def, unsigned *steps)
{
   nir_intrinsic_instr *intr;
   nir_alu_instr *alu;

   if (!*steps)
      return false;
   --*steps;
   switch (def->parent_instr->type) {
   case nir_instr_type_load_const:
      return true;
   case nir_instr_type_alu:
      alu = nir_instr_as_alu(def->parent_instr);
      for (unsigned i = 0; i < nir_op_infos[alu->op].num_inputs; i++) {
         if (!is_uniform_within(alu->src[i].src.ssa, steps))
            return false;
      }
      return true;
   case nir_instr_type_intrinsic:
      intr = nir_instr_as_intrinsic(def->parent_instr);
      return intr->intrinsic == nir_intrinsic_load_ubo &&
             is_uniform_within(intr->src[0].ssa, steps) &&
             is_uniform_within(intr->src[1].ssa, steps);
   default:
      return false;
   }
}

static bool
is_uniform(const nir_def *def)
{
   unsigned steps = UNIFORM_STEPS;

   return is_uniform_within(def, &steps);
}

static bool
mark_different(nir_builder *b, nir_instr *instr, void *data)
{
   nir_src *handle = handle_of(instr);

   if (!handle)
      return false;
   b->cursor = nir_before_instr(instr);
   nir_src_rewrite(handle, nir_u2u32(b, handle->ssa));
   if (instr->type == nir_instr_type_tex) {
      nir_tex_instr *tex = nir_instr_as_tex(instr);

      nir_steal_tex_src(tex, nir_tex_src_sampler_handle);
      tex->texture_non_uniform = !is_uniform(handle_of(instr)->ssa);
   } else if (!is_uniform(handle->ssa)) {
      nir_intrinsic_instr *intr = nir_instr_as_intrinsic(instr);

      nir_intrinsic_set_access(intr, nir_intrinsic_access(intr) | ACCESS_NON_UNIFORM);
   }
   return true;
}

bool
sdog_nir_split_handles(nir_shader *nir)
{
   const nir_lower_non_uniform_access_options options = {
      .types = nir_lower_non_uniform_texture_access | nir_lower_non_uniform_image_access,
   };

   if (!nir_shader_instructions_pass(nir, mark_different, nir_metadata_control_flow, NULL))
      return false;
   return nir_lower_non_uniform_access(nir, &options);
}

static bool
lower_instr(nir_builder *b, nir_instr *instr, void *data)
{
   if (instr->type == nir_instr_type_tex)
      return lower_tex(b, nir_instr_as_tex(instr), data);
   return instr->type == nir_instr_type_intrinsic &&
          lower_image(b, nir_instr_as_intrinsic(instr), data);
}

bool
sdog_nir_lower_handles(nir_shader *nir, bool *used, bool *written)
{
   struct lower_handles lower = {0};

   *used = nir_shader_instructions_pass(nir, lower_instr, nir_metadata_none, &lower);
   *written = lower.written;
   return *used;
}
