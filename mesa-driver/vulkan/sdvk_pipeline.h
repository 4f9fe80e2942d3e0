/* SPDX-License-Identifier: MIT */
#ifndef SDVK_PIPELINE_H
#define SDVK_PIPELINE_H

#include "vk_graphics_state.h"
#include "vk_pipeline.h"

#define SDVK_NUM_STAGES 6

/* Shaders of the renderer, and state that is set when it is bound. */
struct sdvk_pipeline {
   struct vk_pipeline vk;
   uint32_t shaders[SDVK_NUM_STAGES]; /* ids, by enum sundog_stage; 0: none */
   struct vk_dynamic_graphics_state dynamic;
   struct vk_vertex_input_state vertex_input;
};

VK_DEFINE_NONDISP_HANDLE_CASTS(sdvk_pipeline, vk.base, VkPipeline, VK_OBJECT_TYPE_PIPELINE)

#endif
