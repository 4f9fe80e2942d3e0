/* SPDX-License-Identifier: MIT */
/* Image slots: see sundog_nir.h. */
#include "nir_builder.h"
#include "nir_deref.h"
#include "sundog_nir.h"
#include "sundog_stage.h"
#include "vulkan/vulkan_core.h"

struct lower_images {
   nir_variable *vars[SUNDOG_MAX_IMAGES];
   struct sdog_nir_image_slots *slots;
};

static bool
is_image_access(const nir_intrinsic_instr *intr)
{
   switch (intr->intrinsic) {
   case nir_intrinsic_image_deref_load:
   case nir_intrinsic_image_deref_store:
   case nir_intrinsic_image_deref_atomic:
   case nir_intrinsic_image_deref_atomic_swap:
   case nir_intrinsic_image_deref_size:
   case nir_intrinsic_image_deref_samples:
      return true;
   default:
      return false;
   }
}

static bool
writes_image(const nir_intrinsic_instr *intr)
{
   return intr->intrinsic == nir_intrinsic_image_deref_store ||
          intr->intrinsic == nir_intrinsic_image_deref_atomic ||
          intr->intrinsic == nir_intrinsic_image_deref_atomic_swap;
}

static VkImageViewType
view_type(const struct glsl_type *type)
{
   bool array = glsl_sampler_type_is_array(type);

   switch (glsl_get_sampler_dim(type)) {
   case GLSL_SAMPLER_DIM_1D:
      return array ? VK_IMAGE_VIEW_TYPE_1D_ARRAY : VK_IMAGE_VIEW_TYPE_1D;
   case GLSL_SAMPLER_DIM_3D:
      return VK_IMAGE_VIEW_TYPE_3D;
   case GLSL_SAMPLER_DIM_CUBE:
      return array ? VK_IMAGE_VIEW_TYPE_CUBE_ARRAY : VK_IMAGE_VIEW_TYPE_CUBE;
   default:
      return array ? VK_IMAGE_VIEW_TYPE_2D_ARRAY : VK_IMAGE_VIEW_TYPE_2D;
   }
}

/* Returns the variable of @slot. Each slot has one of its own, those of an array, too. */
static nir_variable *
slot_var(struct lower_images *lower, nir_shader *nir, const nir_variable *declared, unsigned slot)
{
   const struct glsl_type *type = glsl_without_array(declared->type);
   bool is_buffer = glsl_get_sampler_dim(type) == GLSL_SAMPLER_DIM_BUF;
   nir_variable *var = lower->vars[slot];

   if (var)
      return var;
   var = nir_variable_create(nir, nir_var_image, type, ralloc_asprintf(nir, "image%u", slot));
   var->data.access = declared->data.access;
   var->data.precision = declared->data.precision;
   var->data.image.format = declared->data.image.format;
   var->data.descriptor_set = sdog_stage_index(nir->info.stage);
   var->data.binding = (is_buffer ? SUNDOG_BINDING_STORAGE_TEXELS0 : SUNDOG_BINDING_IMAGE0) + slot;
   var->data.driver_location = slot;
   lower->vars[slot] = var;
   *(is_buffer ? &lower->slots->texels : &lower->slots->images) |= BITFIELD_BIT(slot);
   lower->slots->types[slot] = view_type(type);
   return var;
}

/*
 * lavapipe treats an array image with one layer as an image without layers, and accesses that layer
 * whichever the shader names. For a layer out of bounds, this moves the x coordinate out of bounds
 * instead.
 */
static void
keep_to_layers(nir_builder *b, nir_intrinsic_instr *intr, nir_def *image)
{
   const enum glsl_sampler_dim dim = nir_intrinsic_image_dim(intr);
   const unsigned layer = dim == GLSL_SAMPLER_DIM_1D ? 1 : 2;
   nir_def *coord = intr->src[1].ssa, *size, *outside, *x;

   if (dim != GLSL_SAMPLER_DIM_3D &&
       (!nir_intrinsic_image_array(intr) || dim == GLSL_SAMPLER_DIM_CUBE))
      return;
   size = nir_image_deref_size(b, layer + 1, 32, image, nir_imm_int(b, 0), .image_dim = dim,
                               .image_array = nir_intrinsic_image_array(intr));
   outside = nir_uge(b, nir_channel(b, coord, layer), nir_channel(b, size, layer));
   x = nir_bcsel(b, outside, nir_imm_int(b, -1), nir_channel(b, coord, 0));
   nir_src_rewrite(&intr->src[1], nir_vector_insert_imm(b, coord, x, 0));
}

static bool
has_place(const nir_intrinsic_instr *intr)
{
   return intr->intrinsic == nir_intrinsic_image_deref_load || writes_image(intr);
}

static void
set_slot(nir_builder *b, struct lower_images *lower, nir_intrinsic_instr *intr,
         const nir_variable *declared, unsigned slot)
{
   nir_variable *var;
   nir_def *image;

   slot = MIN2(slot, SUNDOG_MAX_IMAGES - 1);
   var = slot_var(lower, b->shader, declared, slot);
   b->cursor = nir_before_instr(&intr->instr);
   image = &nir_build_deref_var(b, var)->def;
   nir_src_rewrite(&intr->src[0], image);
   if (has_place(intr))
      keep_to_layers(b, intr, image);
   if (writes_image(intr))
      lower->slots->written |= BITFIELD_BIT(slot);
}

/* Clones @intr for slot @slot at the cursor. Returns the result, or NULL if it has none. */
static nir_def *
clone_for_slot(nir_builder *b, struct lower_images *lower, nir_intrinsic_instr *intr,
               const nir_variable *declared, unsigned slot)
{
   nir_intrinsic_instr *clone =
      nir_instr_as_intrinsic(nir_instr_clone(b->shader, &intr->instr));

   nir_builder_instr_insert(b, &clone->instr);
   set_slot(b, lower, clone, declared, slot);
   b->cursor = nir_after_instr(&clone->instr);
   return nir_intrinsic_infos[clone->intrinsic].has_dest ? &clone->def : NULL;
}

static nir_def *
build_ladder(nir_builder *b, struct lower_images *lower, nir_intrinsic_instr *intr,
             const nir_variable *declared, nir_def *index, unsigned i, unsigned count)
{
   unsigned slot = declared->data.driver_location + i;
   nir_def *here, *rest;

   if (i + 1 == count)
      return clone_for_slot(b, lower, intr, declared, slot);
   nir_push_if(b, nir_ieq_imm(b, index, i));
   here = clone_for_slot(b, lower, intr, declared, slot);
   nir_push_else(b, NULL);
   rest = build_ladder(b, lower, intr, declared, index, i + 1, count);
   nir_pop_if(b, NULL);
   return here ? nir_if_phi(b, here, rest) : NULL;
}

/* Counts the elements of arrays of arrays. */
static void
element_size(const struct glsl_type *type, unsigned *size, unsigned *align)
{
   *size = glsl_type_is_array(type) ? glsl_get_aoa_size(type) : 1;
   *align = 1;
}

static bool
lower_image(nir_builder *b, nir_intrinsic_instr *intr, void *data)
{
   struct lower_images *lower = data;
   nir_deref_instr *deref;
   nir_variable *declared;
   nir_def *index, *result;

   if (!is_image_access(intr))
      return false;
   deref = nir_src_as_deref(intr->src[0]);
   declared = nir_deref_instr_get_variable(deref);
   b->cursor = nir_before_instr(&intr->instr);
   if (!nir_deref_instr_has_indirect(deref)) {
      unsigned i = nir_deref_instr_get_const_offset(deref, element_size);

      set_slot(b, lower, intr, declared, declared->data.driver_location + i);
      return true;
   }
   index = nir_build_deref_offset(b, deref, element_size);
   result = build_ladder(b, lower, intr, declared, index, 0, glsl_get_aoa_size(declared->type));
   if (result)
      nir_def_rewrite_uses(&intr->def, result);
   nir_instr_remove(&intr->instr);
   return true;
}

bool
sdog_nir_lower_images(nir_shader *nir, struct sdog_nir_image_slots *slots)
{
   struct lower_images lower = {.slots = slots};
   struct exec_list declared;
   bool progress;

   /* The pass adds variables, which must not be lowered again, so the declared ones are moved out
    * of the shader first. */
   exec_list_make_empty(&declared);
   nir_foreach_variable_with_modes_safe(var, nir, nir_var_image) {
      exec_node_remove(&var->node);
      exec_list_push_tail(&declared, &var->node);
   }
   progress = nir_shader_intrinsics_pass(nir, lower_image, nir_metadata_none, &lower);
   NIR_PASS(_, nir, nir_opt_dce);
   return progress;
}
