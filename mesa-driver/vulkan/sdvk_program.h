/* SPDX-License-Identifier: MIT */
/*
 * Shaders that a draw or dispatch uses together, of a pipeline or of bound shader objects, and the
 * descriptor sets that they use. The pipeline, or the cache of sdvk_shader_object.c, owns it.
 */
#ifndef SDVK_PROGRAM_H
#define SDVK_PROGRAM_H

#include "sdvk_stage.h"

#define SDVK_NUM_STAGES 8

struct sdvk_program {
   bool compute;
   struct sdvk_stage *stages[SDVK_NUM_STAGES]; /* n_stages stages, in any order */
   uint32_t n_stages;
   uint32_t shaders[SDVK_NUM_STAGES]; /* ids, indexed by enum sundog_stage; 0: none */
   uint32_t own_shaders; /* mask of `shaders` that the program owns; stages own the others */
   uint32_t unchecked; /* mask of `shaders` that the renderer has not reported as accepted */
   struct vk_pipeline_layout *layout;
   /* mask of sets that the stages use and the layout has, set by sdvk_program_link() */
   uint32_t sets;
   struct sdvk_spirv_repeats repeats;  /* repeated sets, see sdvk_spirv_kinds.c */
   struct sdvk_layout *repeats_layout; /* layout with the repeated sets; NULL: there are none */
   bool second_color; /* its fragment shader has a second colour output for dual-source blending */
   bool counts_draws;                  /* one of its shaders reads the DrawIndex built-in */
};

void
sdvk_program_init(struct sdvk_program *program, bool compute);
void
sdvk_program_fini(struct sdvk_device *device, struct sdvk_program *program);

/* Both take a reference. */
void
sdvk_program_set_layout(struct sdvk_program *program, struct vk_pipeline_layout *layout);
void
sdvk_program_add_stage(struct sdvk_program *program, struct sdvk_stage *stage);

/* Returns true if variables of several kinds share a binding. Then the program owns its shaders. */
bool
sdvk_program_has_repeats(const struct sdvk_program *program);

/*
 * Gets or creates the renderer's shaders. VK_PIPELINE_COMPILE_REQUIRED: some do not exist, and
 * @may_compile is false.
 */
VkResult
sdvk_program_link(struct sdvk_device *device, struct sdvk_program *program,
                  const struct sdvk_spirv_options *options, bool may_compile);

/*
 * Asks the renderer about the unchecked shaders of @n programs, each of which may be NULL, and
 * waits once for all of them. Stores in @results[i] why program i cannot be used, or VK_SUCCESS.
 */
void
sdvk_programs_check(struct sdvk_device *device, struct sdvk_program *const *programs, uint32_t n,
                    VkResult *results);

/*
 * Frees the SPIR-V of the stages from @first on. No one else uses these stages, and no further
 * shaders are made of them.
 */
void
sdvk_program_forget_code(struct sdvk_program *program, uint32_t first);

#endif
