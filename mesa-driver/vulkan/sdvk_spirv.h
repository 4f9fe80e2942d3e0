/* SPDX-License-Identifier: MIT */
/*
 * What the packet for shaders takes of a module: one entry point, which is called main, constants that are
 * specialised, and no input attachments nor copies of memory.
 */
#ifndef SDVK_SPIRV_H
#define SDVK_SPIRV_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <vulkan/vulkan_core.h>

#include <sundog.h>

struct util_dynarray;

/* Code of a module, in memory of malloc(). */
struct sdvk_code {
   uint32_t *words;
   uint32_t count;
};

/* What a pipeline has its fragment shader do. */
struct sdvk_spirv_options {
   bool views;      /* draw those of a rendering that has some */
   bool per_sample; /* run for each sample */
   bool moves_outputs; /* have the output of an attachment at its location, which is none if it is too great */
   uint8_t locations[SUNDOG_MAX_COLOR_ATTACHMENTS];
};

/* Locations count where outputs are moved. */
static inline bool
sdvk_spirv_same_options(const struct sdvk_spirv_options *a, const struct sdvk_spirv_options *b)
{
   return a->views == b->views && a->per_sample == b->per_sample && a->moves_outputs == b->moves_outputs &&
          (!a->moves_outputs || !memcmp(a->locations, b->locations, sizeof(a->locations)));
}

/* Outputs go where @map says that those of @count attachments do. */
void
sdvk_spirv_set_locations(struct sdvk_spirv_options *options, const uint8_t *map, uint32_t count);

/*
 * The module's code for one stage, to be freed. False: no memory, or it is broken, or there is no such entry point. Each
 * instruction is as long as it says, and long enough (least_words() in sdvk_spirv.c).
 */
bool
sdvk_spirv_of_stage(const VkPipelineShaderStageCreateInfo *info, struct sdvk_code *out);

/* A mask of the descriptor sets that one entry point's code has something in. */
uint32_t
sdvk_spirv_sets(const struct sdvk_code *code);

/* Does a fragment shader, which is one entry point's, have a second colour to blend with? */
bool
sdvk_spirv_has_second_color(const struct sdvk_code *code);

/* Does a shader know which draw of a command it is for? */
bool
sdvk_spirv_counts_draws(const struct sdvk_code *code);

/*
 * What follows changes @code, or puts other code in its place. False: it cannot be, most often for lack of memory, and
 * @code is as it was.
 */

/* sdvk_spirv_groups.c: each is decorated by itself. */
bool
sdvk_spirv_expand_groups(struct sdvk_code *code);

/* sdvk_spirv_replicate.c: composites of one value; there may be too many parts. */
bool
sdvk_spirv_expand_replicas(struct sdvk_code *code);

/* sdvk_spirv_unused.c: leave out what function @entry does not come to. */
bool
sdvk_spirv_drop_unused(struct sdvk_code *code, uint32_t entry);

/* sdvk_spirv_copy.c */
bool
sdvk_spirv_lower_copies(struct sdvk_code *code);

/* sdvk_spirv_fragment.c: of a fragment shader, which is one entry point's. */
bool
sdvk_spirv_lower_fragment(struct sdvk_code *code, const struct sdvk_spirv_options *options);

/* sdvk_spirv_outputs.c: likewise; it may do something with an array of outputs that nobody knows. */
bool
sdvk_spirv_move_outputs(struct sdvk_code *code, const struct sdvk_spirv_options *options);

/* sdvk_spirv_tess.c: one of the two shaders of tessellation, with what the @other one alone says. */
bool
sdvk_spirv_add_patch_modes(struct sdvk_code *code, const struct sdvk_code *other, bool is_control);

struct vk_pipeline_layout;

/* What kind a variable is at a binding, if that is mutable; at others there are fewer. */
struct sdvk_spirv_kind {
   uint32_t set, binding, kind;
};

/* sdvk_spirv_kinds.c: those of one shader, each once, in an array of these. False: no memory. */
bool
sdvk_spirv_list_kinds(const struct sdvk_code *code, struct util_dynarray *out);
/* Has a binding of @layout several kinds in any of these arrays? */
bool
sdvk_spirv_kinds_differ(const struct util_dynarray *const *lists, uint32_t count,
                        const struct vk_pipeline_layout *layout);

/* Sets that are bound again behind those of a layout. */
struct sdvk_spirv_repeats {
   uint32_t first; /* as many sets has the layout */
   uint32_t count;
   uint32_t sets[SUNDOG_MAX_SETS]; /* which of the layout's each of them is */
};

/*
 * sdvk_spirv_kinds.c: what the shaders of a pipeline have at bindings where others have another kind is in sets behind
 * those of the layout. False: no memory, or there are more than there may be.
 */
bool
sdvk_spirv_part_kinds(struct sdvk_code *codes, uint32_t count, const struct vk_pipeline_layout *layout,
                      struct sdvk_spirv_repeats *repeats);

/* sdvk_spirv_ycbcr.c: samplers that have a conversion by @layout; a function may be called with several kinds of them. */
bool
sdvk_spirv_convert_ycbcr(struct sdvk_code *code, const struct vk_pipeline_layout *layout);

#endif
