/* SPDX-License-Identifier: MIT */
#ifndef SDVK_PIPELINE_H
#define SDVK_PIPELINE_H

#include "sdvk_spirv.h"
#include "sdvk_stream.h"
#include "vk_graphics_state.h"
#include "vk_pipeline.h"

#define SDVK_NUM_STAGES 6
#define SDVK_NUM_STATE_GROUPS 10

/* A packet in a stream, which sets a group of states; 0 dwords: there is none. */
struct sdvk_static_packet {
   uint32_t at, dwords;
};

/* Shaders of the renderer, and state that is set when it is bound. */
struct sdvk_pipeline {
   struct vk_pipeline vk;
   uint32_t shaders[SDVK_NUM_STAGES]; /* ids, by enum sundog_stage; 0: none */
   struct vk_pipeline_layout *layout;
   uint32_t sets;                     /* a mask of those that the layout has */
   struct sdvk_spirv_repeats repeats; /* of them */
   uint32_t repeats_layout;           /* object: the layout with these; 0: there are none */
   bool second_color;                 /* its fragment shader has one */
   struct sdvk_stream state;          /* packets of those groups that are static */
   struct sdvk_static_packet packets[SDVK_NUM_STATE_GROUPS];
   struct vk_dynamic_graphics_state dynamic; /* what is static of the others */
   struct vk_vertex_input_state vertex_input;
};

VK_DEFINE_NONDISP_HANDLE_CASTS(sdvk_pipeline, vk.base, VkPipeline, VK_OBJECT_TYPE_PIPELINE)

/* sdvk_cmd_state.c: make packets of what is static. False: out of memory. */
bool
sdvk_pipeline_emit_state(struct sdvk_pipeline *pipeline);

#endif
