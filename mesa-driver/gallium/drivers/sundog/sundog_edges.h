/* SPDX-License-Identifier: MIT */
/*
 * Polygons with more than three corners, which the device does not support, and the edges of
 * unfilled polygons. Diagonals of quads and polygons are not drawn, nor are edges whose edge flag
 * is false (OpenGL 4.6 Compatibility Profile, 10.1.17 Polygon Edges).
 */
#ifndef SUNDOG_EDGES_H
#define SUNDOG_EDGES_H

#include <stdbool.h>

#include "pipe/p_defines.h"

struct primconvert_context;
struct sdog_context;
struct sdog_draw;
struct sdog_edges_key;

struct sdog_edges {
   struct primconvert_context *converter;
   /* The mode that is drawn as triangles, and the number of triangles if it is a polygon.
    * MESA_PRIM_COUNT: no conversion is active. */
   enum mesa_prim source;
   unsigned triangles;
   /* A draw with restarts is being drawn as several. Their polygons are numbered continuously;
    * @first is the number of the next draw's first. */
   bool restarted;
   unsigned first;
};

/* Polygons with more than three corners. */
#define SDOG_EDGES_MODES                                                                           \
   (BITFIELD_BIT(MESA_PRIM_QUADS) | BITFIELD_BIT(MESA_PRIM_QUAD_STRIP) |                           \
    BITFIELD_BIT(MESA_PRIM_POLYGON))
/* Modes that are converted to others. The conversion needs the number of vertices on the CPU. */
#define SDOG_CONVERTED_MODES (SDOG_EDGES_MODES | BITFIELD_BIT(MESA_PRIM_LINE_LOOP))

bool
sdog_edges_init(struct sdog_context *ctx);
void
sdog_edges_finish(struct sdog_context *ctx);

/* Draws the triangles of @draw's polygons by recursive calls of draw_vbo(). */
void
sdog_edges_draw(const struct sdog_draw *draw);

/* Returns true if edges or corners of @prim must be hidden, and then fills in @key. */
bool
sdog_edges_hidden(const struct sdog_context *ctx, enum mesa_prim prim,
                  struct sdog_edges_key *key);

#endif
