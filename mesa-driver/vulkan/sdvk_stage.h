/* SPDX-License-Identifier: MIT */
/*
 * A shader stage, shared by pipelines, pipeline libraries and shader objects: its SPIR-V, and the
 * renderer's shaders that were made of it. These depend on state that may be known only when stages
 * are linked or used in a draw: the pipeline layout that all stages share, and the attachments of a
 * fragment shader. Its users count references.
 */
#ifndef SDVK_STAGE_H
#define SDVK_STAGE_H

#include "sdvk_descriptor.h"
#include "sdvk_spirv.h"
#include "util/simple_mtx.h"
#include "util/u_dynarray.h"

struct sdvk_device;

/* VK_SHADER_STAGE_ALL_GRAPHICS has the stages of Vulkan 1.0 only. */
#define SDVK_GRAPHICS_STAGES                                                                       \
   (VK_SHADER_STAGE_ALL_GRAPHICS | VK_SHADER_STAGE_TASK_BIT_EXT | VK_SHADER_STAGE_MESH_BIT_EXT)

struct sdvk_stage {
   uint32_t ref_cnt;
   VkShaderStageFlagBits stage;
   struct sdvk_code code; /* one entry point, specialised; empty after sdvk_program_forget_code() */
   uint32_t sets;               /* mask of sets that it has variables in */
   struct util_dynarray kinds;  /* struct sdvk_spirv_kind */
   simple_mtx_t lock;           /* guards `shaders` */
   struct util_dynarray shaders; /* struct variant, see sdvk_stage.c */
};

VkResult
sdvk_stage_new(struct sdvk_device *device, const VkPipelineShaderStageCreateInfo *info,
               struct sdvk_stage **out);
struct sdvk_stage *
sdvk_stage_ref(struct sdvk_stage *stage);
void
sdvk_stage_unref(struct sdvk_device *device, struct sdvk_stage *stage);

/*
 * Copies execution modes that only one of two tessellation shaders declares to the other. No one
 * else uses either stage yet.
 */
VkResult
sdvk_stages_share_modes(struct sdvk_device *device, struct sdvk_stage *control,
                        struct sdvk_stage *evaluation);

/* Returns a copy of the stage's code after all passes, which the caller frees even on failure. */
VkResult
sdvk_stage_get_code(struct sdvk_device *device, const struct sdvk_stage *stage,
                    const struct vk_pipeline_layout *layout,
                    const struct sdvk_spirv_options *options, struct sdvk_code *out);

/* A shader of the renderer. */
struct sdvk_shader {
   uint32_t id;
   bool accepted;     /* by the renderer, as far as it was asked, see sdvk_report.h */
   bool second_color; /* it has an output with Index 1 */
   bool counts_draws; /* it reads the DrawIndex built-in */
};

/*
 * Returns the shader for @layout and @options, which lives as long as the stage.
 * VK_PIPELINE_COMPILE_REQUIRED: it does not exist, and @may_compile is false. Any other error may
 * be what sdvk_stage_set_result() set.
 */
VkResult
sdvk_stage_get_shader(struct sdvk_device *device, struct sdvk_stage *stage,
                      struct vk_pipeline_layout *layout, const struct sdvk_spirv_options *options,
                      bool may_compile, struct sdvk_shader *out);

/* Stores what the renderer reported of the shader @id; other stages' shaders are ignored. */
void
sdvk_stage_set_result(struct sdvk_stage *stage, uint32_t id, VkResult result);

/* Creates a shader of @code in @layout, which the caller destroys. */
VkResult
sdvk_shader_new(struct sdvk_device *device, VkShaderStageFlagBits stage,
                const struct sdvk_layout *layout, const struct sdvk_code *code,
                struct sdvk_shader *out);

enum sundog_stage
sdvk_packet_stage(VkShaderStageFlagBits stage);

#endif
