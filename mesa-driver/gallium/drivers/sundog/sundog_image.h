/* SPDX-License-Identifier: MIT */
/*
 * The device objects of a resource in one context: an image, and the views that were requested of
 * it. They are created when first needed and kept until the resource gets other memory, or the
 * resource or the context is destroyed, because creation costs the host far more than a lookup.
 */
#ifndef SUNDOG_IMAGE_H
#define SUNDOG_IMAGE_H

#include <sundog.h>

#include "sundog_object.h"
#include "util/list.h"
#include "util/u_dynarray.h"

struct pipe_resource;
struct sdog_context;
struct sdog_resource;
struct sdog_screen;

/* The lists are protected by screen->object_lock. */
struct sdog_image {
   struct list_head of_resource;
   struct list_head of_context;
   struct sdog_context *ctx;
   struct sdog_object object;
   /* The packets (struct sundog_cmd_create_image_view) that created its views, all in the client of
    * @object. */
   struct util_dynarray views;
};

/* Returns the id of the image object of @rsc in @ctx, or 0 if memory is short. Emits the packet
 * that creates the object if needed. */
uint32_t
sdog_image_id(struct sdog_context *ctx, struct sdog_resource *rsc);

/* Returns the id of the view that @cmd describes (without its ids), or 0. The view lives at least
 * as long as the submission being built. */
uint32_t
sdog_image_view_id(struct sdog_context *ctx, struct sdog_resource *rsc,
                   const struct sundog_cmd_create_image_view *cmd);

/* Returns true if cube views of the image are possible, which includes suitable 2D arrays. */
bool
sdog_image_may_be_cube(const struct pipe_resource *prsc);

/* Returns true if shaders can store to the image, through a view of its own format or of
 * another. */
bool
sdog_image_may_be_stored_to(const struct sdog_screen *screen, const struct sdog_resource *rsc);

/* Returns true if contexts other than @ctx have an image of @rsc. Caller holds
 * screen->object_lock. */
bool
sdog_images_elsewhere(const struct sdog_context *ctx, const struct sdog_resource *rsc);

/* Destroys the images of @rsc in all contexts, before its memory changes or is freed. Caller holds
 * screen->object_lock. */
void
sdog_images_drop(struct sdog_resource *rsc);

/* Destroys all image objects of a context that is being destroyed. */
void
sdog_context_drop_images(struct sdog_context *ctx);

/* Called at the begin of a submission, when no packet names a view yet: drops the views of images
 * that have too many. */
void
sdog_context_trim_views(struct sdog_context *ctx);

#endif
