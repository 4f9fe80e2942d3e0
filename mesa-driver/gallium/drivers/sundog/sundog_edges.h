/* SPDX-License-Identifier: MIT */
/*
 * Polygons with more than three corners, which the device has not, and the edges of unfilled
 * polygons: the diagonals of a quad are not drawn, nor are edges whose flag says so.
 */
#ifndef SUNDOG_EDGES_H
#define SUNDOG_EDGES_H

#include <stdbool.h>

#include "pipe/p_defines.h"

struct pipe_draw_info;
struct pipe_draw_start_count_bias;
struct primconvert_context;
struct sdog_context;
struct sdog_edges_key;

struct sdog_edges {
   struct primconvert_context *converter;
   /* What is drawn as triangles, and how many they are; MESA_PRIM_COUNT: just triangles. */
   enum mesa_prim source;
   unsigned triangles;
   /* Restarts make several draws of one, which count their polygons on from @first. */
   bool restarted;
   unsigned first;
};

/* Polygons of more than three corners. */
#define SDOG_EDGES_MODES                                                                           \
   (BITFIELD_BIT(MESA_PRIM_QUADS) | BITFIELD_BIT(MESA_PRIM_QUAD_STRIP) |                           \
    BITFIELD_BIT(MESA_PRIM_POLYGON))
/* Modes that are drawn as others: who does has to know how many vertices there are. */
#define SDOG_CONVERTED_MODES (SDOG_EDGES_MODES | BITFIELD_BIT(MESA_PRIM_LINE_LOOP))

bool
sdog_edges_init(struct sdog_context *ctx);
void
sdog_edges_finish(struct sdog_context *ctx);

/* Draw triangles in the place of @info's mode, by other calls of draw_vbo(). */
void
sdog_edges_draw(struct sdog_context *ctx, const struct pipe_draw_info *info,
                unsigned drawid_offset, const struct pipe_draw_start_count_bias *draws,
                unsigned num_draws);

/* Are there edges, or corners, of @prim that must not be drawn? What says so goes to @key. */
bool
sdog_edges_hidden(const struct sdog_context *ctx, enum mesa_prim prim,
                  struct sdog_edges_key *key);

#endif
