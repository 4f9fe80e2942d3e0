/* SPDX-License-Identifier: MIT */
/*
 * Translation of an application's SPIR-V module to one that the renderer accepts: one entry point,
 * called main; specialisation constants with their final values; no input attachments. The passes
 * work on a module that the caller owns, on any thread.
 */
#ifndef SDVK_SPIRV_H
#define SDVK_SPIRV_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <vulkan/vulkan_core.h>

#include <sundog.h>

struct util_dynarray;

/* SPIR-V words, allocated with malloc(). */
struct sdvk_code {
   uint32_t *words;
   uint32_t count;
};

/* State of a pipeline or rendering that the code of its fragment shader depends on. */
struct sdvk_spirv_options {
   bool views;      /* the rendering has a view mask */
   bool per_sample; /* sample shading: run for each sample */
   /* outputs are moved: attachment i gets the output at locations[i], none if that is too great */
   bool moves_outputs;
   uint8_t locations[SUNDOG_MAX_COLOR_ATTACHMENTS];
};

/* Locations are compared only if outputs are moved. */
static inline bool
sdvk_spirv_same_options(const struct sdvk_spirv_options *a, const struct sdvk_spirv_options *b)
{
   return a->views == b->views && a->per_sample == b->per_sample &&
          a->moves_outputs == b->moves_outputs &&
          (!a->moves_outputs || !memcmp(a->locations, b->locations, sizeof(a->locations)));
}

/*
 * Sets moves_outputs and locations from @map, which has the output location of each of @count
 * attachments.
 */
void
sdvk_spirv_set_locations(struct sdvk_spirv_options *options, const uint8_t *map, uint32_t count);

/*
 * Returns the module's code for one stage in @out, which the caller frees. False: no memory, the
 * module is invalid, or it has no such entry point. Each instruction of @out is complete, and has
 * all operands that are not optional.
 */
bool
sdvk_spirv_of_stage(const VkPipelineShaderStageCreateInfo *info, struct sdvk_code *out);

/* Returns a mask of the descriptor sets that the code has variables in. */
uint32_t
sdvk_spirv_sets(const struct sdvk_code *code);

/* Returns true if the fragment shader has an output with Index 1 (dual-source blending). */
bool
sdvk_spirv_has_second_color(const struct sdvk_code *code);

/* Returns true if the shader reads the DrawIndex built-in. */
bool
sdvk_spirv_counts_draws(const struct sdvk_code *code);

/*
 * The passes below rewrite @code in place or replace it. They return false if they cannot, most
 * often for lack of memory; @code is then as it was.
 */

/* sdvk_spirv_groups.c: replaces decoration groups by decorations of each target. */
bool
sdvk_spirv_expand_groups(struct sdvk_code *code);

/*
 * sdvk_spirv_replicate.c: expands replicated composites; fails if a composite has too many parts
 * for an instruction.
 */
bool
sdvk_spirv_expand_replicas(struct sdvk_code *code);

/* sdvk_spirv_unused.c: removes functions and variables that function @entry does not reach. */
bool
sdvk_spirv_drop_unused(struct sdvk_code *code, uint32_t entry);

/*
 * sdvk_spirv_fragment.c: lowers input attachments, views and sample shading of a fragment shader
 * with one entry point.
 */
bool
sdvk_spirv_lower_fragment(struct sdvk_code *code, const struct sdvk_spirv_options *options);

/*
 * sdvk_spirv_outputs.c: moves outputs of a fragment shader with one entry point to the locations of
 * @options. Fails if it cannot split an output array.
 */
bool
sdvk_spirv_move_outputs(struct sdvk_code *code, const struct sdvk_spirv_options *options);

/*
 * sdvk_spirv_tess.c: adds execution modes to one tessellation shader that only the @other one
 * declares.
 */
bool
sdvk_spirv_add_patch_modes(struct sdvk_code *code, const struct sdvk_code *other, bool is_control);

/*
 * sdvk_spirv_rays.c: lowers ray queries and acceleration structures, whose descriptors become
 * storage buffers.
 */
bool
sdvk_spirv_lower_rays(struct sdvk_code *code);

struct vk_pipeline_layout;

/* The kind of a variable at a binding, as for a mutable binding; others tell fewer kinds apart. */
struct sdvk_spirv_kind {
   uint32_t set, binding, kind;
};

/*
 * sdvk_spirv_kinds.c: appends the kinds of one shader to @out, struct sdvk_spirv_kind, each once.
 * False: no memory.
 */
bool
sdvk_spirv_list_kinds(const struct sdvk_code *code, struct util_dynarray *out);
/* Returns true if the shaders of these lists have several kinds at one binding of @layout. */
bool
sdvk_spirv_kinds_differ(const struct util_dynarray *const *lists, uint32_t count,
                        const struct vk_pipeline_layout *layout);

/* Sets that are bound a second time, to slots behind those of a layout. */
struct sdvk_spirv_repeats {
   uint32_t first; /* first slot: the number of the layout's sets */
   uint32_t count;
   uint32_t sets[SUNDOG_MAX_SETS]; /* the layout's set that each of them repeats */
};

/*
 * sdvk_spirv_kinds.c: moves variables of the shaders of a pipeline whose binding another kind uses
 * to repeated sets. False: no memory, or there would be more than SUNDOG_MAX_SETS sets.
 */
bool
sdvk_spirv_part_kinds(struct sdvk_code *codes, uint32_t count,
                      const struct vk_pipeline_layout *layout, struct sdvk_spirv_repeats *repeats);

/*
 * sdvk_spirv_ycbcr.c: lowers samples with a Y'CbCr conversion by @layout. Fails if a function is
 * called with samplers of several conversions.
 */
bool
sdvk_spirv_convert_ycbcr(struct sdvk_code *code, const struct vk_pipeline_layout *layout);

#endif
