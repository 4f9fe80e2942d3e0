/* SPDX-License-Identifier: MIT */
/* Vertex elements and vertex buffers. */
#ifndef SUNDOG_VERTEX_H
#define SUNDOG_VERTEX_H

#include <sundog.h>

#include "pipe/p_state.h"

struct pipe_context;
struct sdog_context;

struct sdog_vertex_elements {
   struct sundog_cmd_set_vertex_input cmd;
   struct sundog_vertex_attribute attributes[PIPE_MAX_ATTRIBS];
   /* The vertex buffer of each of the device's slots, and where in that it begins. */
   uint8_t buffers[SUNDOG_MAX_VERTEX_BUFFERS];
   uint16_t bases[SUNDOG_MAX_VERTEX_BUFFERS];
};

void
sdog_vertex_elements_emit(struct sdog_context *ctx);
/* Order the vertex buffers after what wrote them, ending the rendering if it takes a barrier. */
void
sdog_vertex_buffers_order(struct sdog_context *ctx);
void
sdog_vertex_buffers_emit(struct sdog_context *ctx);

void
sdog_init_vertex_functions(struct pipe_context *pctx);

#endif
