/* SPDX-License-Identifier: MIT */
/*
 * A shader of one stage, which pipelines, libraries of them and shader objects have: its code, and the renderer's
 * shaders that were made of it. What such a one does depends on what may be known only when it is linked or drawn
 * with: the layout that all shaders share, and what a fragment shader writes to.
 */
#ifndef SDVK_STAGE_H
#define SDVK_STAGE_H

#include "sdvk_descriptor.h"
#include "sdvk_spirv.h"
#include "util/simple_mtx.h"
#include "util/u_dynarray.h"

struct sdvk_device;

/* VK_SHADER_STAGE_ALL_GRAPHICS has those of Vulkan 1.0. */
#define SDVK_GRAPHICS_STAGES                                                                       \
   (VK_SHADER_STAGE_ALL_GRAPHICS | VK_SHADER_STAGE_TASK_BIT_EXT | VK_SHADER_STAGE_MESH_BIT_EXT)

struct sdvk_stage {
   uint32_t ref_cnt;
   VkShaderStageFlagBits stage;
   struct sdvk_code code; /* of one entry point, with constants that are specialised; none: no more shaders are made of it */
   uint32_t sets;               /* a mask of those that it has something in */
   struct util_dynarray kinds;  /* struct sdvk_spirv_kind */
   simple_mtx_t lock;           /* of what follows */
   struct util_dynarray shaders; /* of the renderer, see sdvk_stage.c */
};

VkResult
sdvk_stage_new(struct sdvk_device *device, const VkPipelineShaderStageCreateInfo *info, struct sdvk_stage **out);
struct sdvk_stage *
sdvk_stage_ref(struct sdvk_stage *stage);
void
sdvk_stage_unref(struct sdvk_device *device, struct sdvk_stage *stage);

/* Two shaders that are of each other alone know the same of patches. */
VkResult
sdvk_stages_share_modes(struct sdvk_device *device, struct sdvk_stage *control, struct sdvk_stage *evaluation);

/* Code as the renderer takes it, to be freed, even if this fails. */
VkResult
sdvk_stage_get_code(struct sdvk_device *device, const struct sdvk_stage *stage,
                    const struct vk_pipeline_layout *layout, const struct sdvk_spirv_options *options,
                    struct sdvk_code *out);

/* A shader of the renderer. */
struct sdvk_shader {
   uint32_t id;
   bool second_color; /* a fragment shader that has one */
   bool counts_draws; /* it knows which of a command's it is for */
};

/* It lives as long as the stage; VK_PIPELINE_COMPILE_REQUIRED: there is none, and none is to be made. */
VkResult
sdvk_stage_get_shader(struct sdvk_device *device, struct sdvk_stage *stage, struct vk_pipeline_layout *layout,
                      const struct sdvk_spirv_options *options, bool may_compile, struct sdvk_shader *out);

/* One of @code in @layout, which the caller ends. */
VkResult
sdvk_shader_new(struct sdvk_device *device, VkShaderStageFlagBits stage, const struct sdvk_layout *layout,
                const struct sdvk_code *code, struct sdvk_shader *out);

enum sundog_stage
sdvk_packet_stage(VkShaderStageFlagBits stage);

#endif
