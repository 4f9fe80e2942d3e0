/* SPDX-License-Identifier: MIT */
/* Shaders that draw or compute together, of a pipeline or bound one by one, and what descriptor sets they see. */
#ifndef SDVK_PROGRAM_H
#define SDVK_PROGRAM_H

#include "sdvk_stage.h"

#define SDVK_NUM_STAGES 8

struct sdvk_program {
   bool compute;
   struct sdvk_stage *stages[SDVK_NUM_STAGES]; /* so many, in any order */
   uint32_t n_stages;
   uint32_t shaders[SDVK_NUM_STAGES]; /* ids, by enum sundog_stage; 0: none */
   uint32_t own_shaders;              /* a mask of those that are of nobody else */
   struct vk_pipeline_layout *layout;
   uint32_t sets;                      /* a mask of those that the stages name and the layout has, once it is linked */
   struct sdvk_spirv_repeats repeats;  /* of them */
   struct sdvk_layout *repeats_layout; /* the layout with these; NULL: there are none */
   bool second_color;                  /* its fragment shader has one */
   bool counts_draws;                  /* one of its shaders knows which of a command's it is for */
};

void
sdvk_program_init(struct sdvk_program *program, bool compute);
void
sdvk_program_fini(struct sdvk_device *device, struct sdvk_program *program);

/* A reference each. */
void
sdvk_program_set_layout(struct sdvk_program *program, struct vk_pipeline_layout *layout);
void
sdvk_program_add_stage(struct sdvk_program *program, struct sdvk_stage *stage);

/* Have variables of several kinds a binding in common? Shaders of such stages are of one program alone. */
bool
sdvk_program_has_repeats(const struct sdvk_program *program);

/* Get the renderer's shaders; VK_PIPELINE_COMPILE_REQUIRED: not without making some. */
VkResult
sdvk_program_link(struct sdvk_device *device, struct sdvk_program *program, const struct sdvk_spirv_options *options,
                  bool may_compile);

/* Stages from @first on are of nobody else, and no more shaders are made of them. */
void
sdvk_program_forget_code(struct sdvk_program *program, uint32_t first);

#endif
