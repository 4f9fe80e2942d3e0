/* SPDX-License-Identifier: MIT */
#ifndef SDVK_PIPELINE_H
#define SDVK_PIPELINE_H

#include "sdvk_program.h"
#include "sdvk_stream.h"
#include "util/mesa-blake3.h"
#include "vk_graphics_state.h"
#include "vk_pipeline.h"

#define SDVK_NUM_STATE_GROUPS 10

/* A packet in a stream, which sets a group of states; 0 dwords: there is none. */
struct sdvk_static_packet {
   uint32_t at, dwords;
};

/* Shaders, and state that is set when it is bound; of a library, what other pipelines make that of. */
struct sdvk_pipeline {
   struct vk_pipeline vk;
   struct sdvk_program program;
   struct vk_graphics_pipeline_state library; /* all of it, in memory of its own */
   void *library_memory;
   bool ordered;                      /* its fragments read what others of it have drawn */
   struct sdvk_stream state;          /* packets of those groups that are static */
   struct sdvk_static_packet packets[SDVK_NUM_STATE_GROUPS];
   blake3_hash state_hash;            /* of that state, where it is all that is static */
   bool has_hash;
   struct vk_dynamic_graphics_state dynamic; /* what is static of the others */
   struct vk_vertex_input_state vertex_input;
};

VK_DEFINE_NONDISP_HANDLE_CASTS(sdvk_pipeline, vk.base, VkPipeline, VK_OBJECT_TYPE_PIPELINE)

/* sdvk_cmd_state.c: make packets of what is static. False: out of memory. */
bool
sdvk_pipeline_emit_state(struct sdvk_pipeline *pipeline);

#endif
