/* SPDX-License-Identifier: MIT */
/*
 * VkPipeline: shaders, static state as packets, and for libraries the state that linking needs. It
 * is constant after its creation and owns all of that.
 */
#ifndef SDVK_PIPELINE_H
#define SDVK_PIPELINE_H

#include "sdvk_program.h"
#include "sdvk_stream.h"
#include "util/mesa-blake3.h"
#include "vk_graphics_state.h"
#include "vk_pipeline.h"

#define SDVK_NUM_STATE_GROUPS 10

/* A packet in a stream, which sets one group of states; 0 dwords: none. */
struct sdvk_static_packet {
   uint32_t at, dwords;
};

struct sdvk_pipeline {
   struct vk_pipeline vk;
   struct sdvk_program program;
   /* of a library: its whole state, stored in `library_memory` */
   struct vk_graphics_pipeline_state library;
   void *library_memory;
   /*
    * VK_EXT_rasterization_order_attachment_access: fragments read colours that earlier ones wrote
    */
   bool ordered;
   struct sdvk_stream state;          /* packets of groups whose states are all static */
   struct sdvk_static_packet packets[SDVK_NUM_STATE_GROUPS];
   blake3_hash state_hash; /* hash of `state`, if no other state is static (`has_hash`) */
   bool has_hash;
   struct vk_dynamic_graphics_state dynamic; /* static states of the other groups */
   struct vk_vertex_input_state vertex_input;
};

VK_DEFINE_NONDISP_HANDLE_CASTS(sdvk_pipeline, vk.base, VkPipeline, VK_OBJECT_TYPE_PIPELINE)

/* sdvk_cmd_state.c: builds the packets of static state. Returns false if there is no memory. */
bool
sdvk_pipeline_emit_state(struct sdvk_pipeline *pipeline);

#endif
