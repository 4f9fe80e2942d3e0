/* SPDX-License-Identifier: MIT */
/*
 * Device objects: images, views, samplers, shaders. Packets of a context create and destroy them.
 * An id can be reused only after the packet that destroys its object was executed, because contexts
 * run concurrently.
 *
 * All objects of a client of the device are lost with it (sundog_loss.h). Each object therefore
 * records in which client of its context it was created. Users of an object first call
 * sdog_object_make(), and emit the packet that creates the object if it returns true.
 */
#ifndef SUNDOG_OBJECT_H
#define SUNDOG_OBJECT_H

#include <sundog.h>

#include "util/list.h"
#include "util/u_dynarray.h"

struct sdog_context;

/* All zero: no object. */
struct sdog_object {
   uint32_t id;
   /* The value of sdog_objects::client when the object was created. */
   uint32_t client;
};

struct sdog_objects {
   /* Number of the context's current client of the device; the first is 1. */
   uint32_t client;
   /* Objects (struct sdog_leftover) to destroy when the next submission begins. Other threads
    * append to it. Protected by screen->object_lock. */
   struct util_dynarray left_over;
   /* Ids (uint32_t) of the objects that the submission being built destroys. */
   struct util_dynarray dying;
   /* Ids destroyed by submissions that may be in flight, oldest first. */
   struct list_head retired;
};

void
sdog_objects_init(struct sdog_context *ctx);
/* Called after the last submission was queued. */
void
sdog_objects_fini(struct sdog_context *ctx);

bool
sdog_object_exists(const struct sdog_context *ctx, const struct sdog_object *object);

/* Returns true if @object does not exist in the current client. It has an id then, and the caller
 * must emit the packet that creates it. If no id is available, returns false and the submission
 * being built fails. */
bool
sdog_object_make(struct sdog_context *ctx, struct sdog_object *object);

/* Destroys @object, if there is one, and clears it. */
void
sdog_object_destroy(struct sdog_context *ctx, enum sundog_object_kind kind,
                    struct sdog_object *object);
/* Lets @owner, which may belong to another thread, destroy @object when it begins its next
 * submission. Caller holds screen->object_lock. */
void
sdog_object_destroy_later(struct sdog_context *owner, enum sundog_object_kind kind,
                          struct sdog_object object);

/* Called at the begin of a submission: destroys the objects that were left for it. */
void
sdog_objects_begin(struct sdog_context *ctx);
/* Called after a submission was queued with @fence, or could not be queued (NULL). */
void
sdog_objects_queued(struct sdog_context *ctx, struct sdrm_fence *fence);

/* Called when the context has a new client, which has no objects: all ids that the old client
 * destroyed are free. */
void
sdog_objects_renew(struct sdog_context *ctx);

#endif
