/* SPDX-License-Identifier: MIT */
/*
 * Outputs that transform feedback captures: see sundog_nir.h. A vector that is captured as a whole
 * is decorated. SPIR-V can capture neither parts of a vector nor an array whose elements are not
 * adjacent in the buffer. Such a part is additionally stored to a separate output that no other
 * stage reads, and so is an output that a variant may change.
 */
#include "nir_builder.h"
#include "nir_xfb_info.h"
#include "sundog_nir.h"
#include "util/log.h"

#define NUM_LOCATIONS 32

/* An output for components [first, first + count) of @slot. */
struct part {
   nir_variable *var;
   unsigned slot;
   unsigned first;
   unsigned count;
};

struct capture {
   struct part parts[NUM_LOCATIONS * 4];
   unsigned num_parts;
   /* Mask of the components of each location that are in use. */
   unsigned taken[NUM_LOCATIONS];
};

static unsigned
num_slots(const nir_variable *var)
{
   if (var->data.compact)
      return DIV_ROUND_UP(glsl_get_length(var->type), 4);
   return glsl_count_vec4_slots(var->type, false, false);
}

static nir_variable *
find_output(nir_shader *nir, unsigned slot)
{
   nir_foreach_variable_with_modes(var, nir, nir_var_shader_out) {
      if (slot >= var->data.location && slot < var->data.location + num_slots(var))
         return var;
   }
   return NULL;
}

static void
declare_captured(const nir_shader *nir, nir_variable *var, const nir_xfb_output_info *output)
{
   var->data.explicit_xfb_buffer = true;
   var->data.xfb.buffer = output->buffer;
   var->data.xfb.stride = nir->xfb_info->buffers[output->buffer].stride;
   var->data.offset = output->offset;
   var->data.stream = nir->xfb_info->buffer_to_stream[output->buffer];
}

/* Returns true if @var can be captured directly. Not possible for point sizes, which variants
 * change afterwards. */
static bool
is_whole(const nir_variable *var, const nir_xfb_output_info *output)
{
   /* gl_ClipVertex is lowered to clip distances; its value exists only to be captured. */
   return var && var->data.location != VARYING_SLOT_PSIZ &&
          var->data.location != VARYING_SLOT_CLIP_VERTEX &&
          glsl_type_is_vector_or_scalar(var->type) && !var->data.explicit_xfb_buffer &&
          output->component_mask == BITFIELD_MASK(glsl_get_vector_elements(var->type));
}

/* Finds the first location with room for @count components. Returns false if there is none. */
static bool
find_room(struct capture *capture, unsigned count, unsigned *location, unsigned *component)
{
   for (*location = 0; *location < NUM_LOCATIONS; (*location)++) {
      *component = util_last_bit(capture->taken[*location]);
      if (*component + count <= 4)
         return true;
   }
   return false;
}

static void
add_part(nir_shader *nir, struct capture *capture, const nir_variable *whole,
         const nir_xfb_output_info *output)
{
   unsigned count = util_bitcount(output->component_mask), location, component;
   enum glsl_base_type base =
      whole ? glsl_get_base_type(glsl_without_array(whole->type)) : GLSL_TYPE_FLOAT;
   nir_variable *var;

   if (!find_room(capture, count, &location, &component)) {
      mesa_loge("sundog: captured outputs need more than %u locations, skipping one",
                NUM_LOCATIONS);
      return;
   }
   capture->taken[location] |= BITFIELD_RANGE(component, count);
   var = nir_variable_create(nir, nir_var_shader_out, glsl_vector_type(base, count), "captured");
   var->data.location = VARYING_SLOT_VAR0 + location;
   var->data.location_frac = component;
   declare_captured(nir, var, output);
   capture->parts[capture->num_parts++] = (struct part){
      .var = var,
      .slot = output->location,
      .first = output->component_offset,
      .count = count,
   };
}

/* Returns in @slot and @first the component of which slot the stored value begins at. */
static bool
stored_components(nir_deref_instr *deref, unsigned *slot, unsigned *first)
{
   const nir_variable *var = nir_deref_instr_get_variable(deref);
   unsigned index = 0;

   if (deref->deref_type == nir_deref_type_array) {
      if (!nir_src_is_const(deref->arr.index))
         return false;
      index = nir_src_as_uint(deref->arr.index);
   }
   *slot = var->data.location + (var->data.compact ? index / 4 : index);
   *first = var->data.location_frac + (var->data.compact ? index % 4 : 0);
   return true;
}

static void
store_part(nir_builder *b, const struct part *part, nir_def *value, unsigned mask, unsigned first)
{
   nir_def *channels[4];
   unsigned part_mask = 0;

   for (unsigned i = 0; i < part->count; i++) {
      unsigned component = part->first + i;

      if (component >= first && component - first < value->num_components &&
          (mask & BITFIELD_BIT(component - first))) {
         channels[i] = nir_channel(b, value, component - first);
         part_mask |= BITFIELD_BIT(i);
      } else {
         channels[i] = nir_undef(b, 1, value->bit_size);
      }
   }
   if (part_mask)
      nir_store_var(b, part->var, nir_vec(b, channels, part->count), part_mask);
}

static bool
store_parts(nir_builder *b, nir_intrinsic_instr *intr, void *data)
{
   const struct capture *capture = data;
   nir_deref_instr *deref;
   unsigned slot, first;

   if (intr->intrinsic != nir_intrinsic_store_deref)
      return false;
   deref = nir_src_as_deref(intr->src[0]);
   if (!nir_deref_mode_is(deref, nir_var_shader_out) ||
       !stored_components(deref, &slot, &first))
      return false;
   b->cursor = nir_after_instr(&intr->instr);
   for (unsigned i = 0; i < capture->num_parts; i++) {
      if (capture->parts[i].slot == slot && capture->parts[i].var != deref->var)
         store_part(b, &capture->parts[i], intr->src[1].ssa, nir_intrinsic_write_mask(intr),
                    first);
   }
   return true;
}

void
sdog_nir_capture_nothing(nir_shader *nir)
{
   nir->info.has_transform_feedback_varyings = false;
   nir->xfb_info = NULL;
}

bool
sdog_nir_capture_outputs(nir_shader *nir, uint64_t packed)
{
   const nir_xfb_info *info = nir->xfb_info;
   struct capture capture = {0};

   nir->info.has_transform_feedback_varyings = info && info->output_count;
   if (!nir->info.has_transform_feedback_varyings)
      return false;
   /* Makes each store access a single slot. */
   NIR_PASS(_, nir, nir_lower_indirect_derefs, nir_var_shader_out, UINT32_MAX);
   u_foreach_bit(i, sdog_nir_locations_taken(nir, packed))
      capture.taken[i] = BITFIELD_MASK(4);
   for (unsigned i = 0; i < info->output_count; i++) {
      nir_variable *var = find_output(nir, info->outputs[i].location);

      if (is_whole(var, &info->outputs[i]))
         declare_captured(nir, var, &info->outputs[i]);
      else
         add_part(nir, &capture, var, &info->outputs[i]);
   }
   return nir_shader_intrinsics_pass(nir, store_parts, nir_metadata_control_flow, &capture);
}
