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
   /* For each slot of the device: the index of its vertex buffer, and the byte offset that is added
    * to the buffer's. */
   uint8_t buffers[SUNDOG_MAX_VERTEX_BUFFERS];
   uint16_t bases[SUNDOG_MAX_VERTEX_BUFFERS];
};

void
sdog_vertex_elements_emit(struct sdog_context *ctx);
/* Passes the uses of the vertex buffers to sdog_use_for_draw(). */
void
sdog_vertex_buffers_order(struct sdog_context *ctx);
void
sdog_vertex_buffers_emit(struct sdog_context *ctx);

void
sdog_init_vertex_functions(struct pipe_context *pctx);

#endif
