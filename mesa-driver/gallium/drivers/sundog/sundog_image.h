/* SPDX-License-Identifier: MIT */
/*
 * The device's objects of a resource in one context: an image, and the views of it that were asked
 * for. They are made when first needed, and kept until the resource gets other memory, or it or
 * the context ends: making one costs the host far more than looking for one.
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

/* The lists: screen->object_lock. */
struct sdog_image {
   struct list_head of_resource;
   struct list_head of_context;
   struct sdog_context *ctx;
   struct sdog_object object;
   /* The packets (struct sundog_cmd_create_image_view) that made its views, in the same client. */
   struct util_dynarray views;
};

/* Id of the image object of @rsc in @ctx, made in the current submission if need be; 0 if there is
 * no memory for it. */
uint32_t
sdog_image_id(struct sdog_context *ctx, struct sdog_resource *rsc);

/* Id of the view that @cmd describes, but for its ids; likewise. It lives at least as long as the
 * submission being built. */
uint32_t
sdog_image_view_id(struct sdog_context *ctx, struct sdog_resource *rsc,
                   const struct sundog_cmd_create_image_view *cmd);

/* May it be viewed as a cube? Arrays may, too. */
bool
sdog_image_may_be_cube(const struct pipe_resource *prsc);

/* May shaders store to it, through a view of its own format or of another? */
bool
sdog_image_may_be_stored_to(const struct sdog_screen *screen, const struct sdog_resource *rsc);

/* Do other contexts have an image of @rsc? Under screen->object_lock. */
bool
sdog_images_elsewhere(const struct sdog_context *ctx, const struct sdog_resource *rsc);

/* The memory of @rsc is going to change, or to end. Under screen->object_lock. */
void
sdog_images_drop(struct sdog_resource *rsc);

/* Destroy all image objects of a context that is about to end. */
void
sdog_context_drop_images(struct sdog_context *ctx);

/* A submission begins, and nothing names a view: drop those of images that have too many. */
void
sdog_context_trim_views(struct sdog_context *ctx);

#endif
