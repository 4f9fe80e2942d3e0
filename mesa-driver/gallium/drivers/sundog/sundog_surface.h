/* SPDX-License-Identifier: MIT */
/* Surfaces: the attachments of renderings. */
#ifndef SUNDOG_SURFACE_H
#define SUNDOG_SURFACE_H

#include <sundog.h>

#include "pipe/p_state.h"

struct pipe_context;
struct sdog_context;

struct sdog_surface {
   struct pipe_surface base;
   /* The packet that creates the view, without its ids. */
   struct sundog_cmd_create_image_view cmd;
};

static inline struct sdog_surface *
sdog_surface(struct pipe_surface *psurf)
{
   return (struct sdog_surface *)psurf;
}

static inline unsigned
sdog_surface_layers(const struct pipe_surface *psurf)
{
   return psurf->u.tex.last_layer - psurf->u.tex.first_layer + 1;
}

bool
sdog_surface_can_be_drawn_to(const struct pipe_surface *psurf);

/* Returns the id of the view of @surf, or 0 if it cannot be rendered to. Emits the packet that
 * creates the view if needed. */
uint32_t
sdog_surface_view(struct sdog_context *ctx, struct sdog_surface *surf);

void
sdog_init_surface_functions(struct pipe_context *pctx);

#endif
