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

/* A copy of the module's code for one stage, to be freed, in @dwords; NULL: no memory, or there is no such entry point. */
uint32_t *
sdvk_spirv_of_stage(const VkPipelineShaderStageCreateInfo *info, uint32_t *dwords);

/* Of a fragment shader, what @options say; NULL: no memory, or it cannot be; @code is freed. */
uint32_t *
sdvk_spirv_apply_options(uint32_t *code, uint32_t *dwords, const struct sdvk_spirv_options *options);

/* A mask of the descriptor sets that one entry point's code has something in. */
uint32_t
sdvk_spirv_sets(const uint32_t *code, uint32_t dwords);

/* Does a fragment shader, which is one entry point's, have a second colour to blend with? */
bool
sdvk_spirv_has_second_color(const uint32_t *code, uint32_t dwords);

/* Does a shader know which draw of a command it is for? */
bool
sdvk_spirv_counts_draws(const uint32_t *code, uint32_t dwords);

/* sdvk_spirv_unused.c: leave out what function @entry does not come to. False: no memory. */
bool
sdvk_spirv_drop_unused(uint32_t *code, uint32_t *dwords, uint32_t entry);

/*
 * sdvk_spirv_groups.c: to @out, which is empty, a module without its groups of decorations; nothing where it has none.
 * False: no memory.
 */
bool
sdvk_spirv_expand_groups(const uint32_t *code, size_t dwords, struct util_dynarray *out);

/* sdvk_spirv_replicate.c: @code, or another instead; NULL: no memory, or too many parts, and @code is freed. */
uint32_t *
sdvk_spirv_expand_replicas(uint32_t *code, uint32_t *dwords);

/* sdvk_spirv_copy.c: @code, or another instead; NULL: no memory, and @code is freed. */
uint32_t *
sdvk_spirv_lower_copies(uint32_t *code, uint32_t *dwords);

/* sdvk_spirv_fragment.c: of a shader whose @dwords are one entry point's; @code, or another instead. */
uint32_t *
sdvk_spirv_lower_fragment(uint32_t *code, uint32_t *dwords, const struct sdvk_spirv_options *options);

/*
 * sdvk_spirv_outputs.c: outputs of a fragment shader, which is one entry point's. NULL: no memory, or it does something
 * with an array of them that nobody knows; @code is freed.
 */
uint32_t *
sdvk_spirv_move_outputs(uint32_t *code, uint32_t *dwords, const struct sdvk_spirv_options *options);

/*
 * sdvk_spirv_tess.c: @code of one of the two shaders of tessellation, with what the other one alone says; NULL: no
 * memory, and @code is freed.
 */
uint32_t *
sdvk_spirv_add_patch_modes(uint32_t *code, uint32_t *dwords, const uint32_t *other, uint32_t other_dwords,
                           bool is_control);

struct vk_pipeline_layout;

/* What kind a variable is at a binding, if that is mutable; at others there are fewer. */
struct sdvk_spirv_kind {
   uint32_t set, binding, kind;
};

/* sdvk_spirv_kinds.c: those of one shader, each once, in an array of these. False: no memory. */
bool
sdvk_spirv_list_kinds(uint32_t *code, uint32_t dwords, struct util_dynarray *out);
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
sdvk_spirv_part_kinds(uint32_t *const *codes, const uint32_t *dwords, uint32_t count,
                      const struct vk_pipeline_layout *layout, struct sdvk_spirv_repeats *repeats);

/*
 * sdvk_spirv_ycbcr.c: samplers that have a conversion by @layout; @code may be another instead. False: no memory, or a
 * function is called with several kinds of them.
 */
bool
sdvk_spirv_convert_ycbcr(uint32_t **code, uint32_t *dwords, const struct vk_pipeline_layout *layout);

#endif
