/* SPDX-License-Identifier: MIT */
/*
 * Objects of the device, which are made and destroyed by packets of a context: images, views,
 * samplers, shaders. An id can name the next object only when the packet that destroys the last
 * one has been executed, since contexts run side by side.
 *
 * All objects of a client of the device are lost with it (sundog_recovery.h). So each knows which
 * client of its context it was made in: who needs it asks sdog_object_make() first, and emits the
 * packet that makes it if it is not there.
 */
#ifndef SUNDOG_OBJECT_H
#define SUNDOG_OBJECT_H

#include <sundog.h>

#include "util/list.h"
#include "util/u_dynarray.h"

struct sdog_context;

/* All zero: there is none. */
struct sdog_object {
   uint32_t id;
   /* Which of its context's clients has it. */
   uint32_t client;
};

struct sdog_objects {
   /* The context's client of the device: counts those that it had, from 1. */
   uint32_t client;
   /* Objects (struct sdog_leftover) to destroy when the next submission begins; other threads add
    * to it, too. Under screen->object_lock. */
   struct util_dynarray left_over;
   /* Ids (uint32_t) that the submission being built destroys. */
   struct util_dynarray dying;
   /* Ids of submissions that may not be done yet, oldest first. */
   struct list_head retired;
};

void
sdog_objects_init(struct sdog_context *ctx);
/* When the last submission was queued. */
void
sdog_objects_fini(struct sdog_context *ctx);

bool
sdog_object_exists(const struct sdog_context *ctx, const struct sdog_object *object);

/* Is the object yet to be made? Then it has an id now, and the caller emits the packet. If there
 * is no id left, the submission being built is lost. */
bool
sdog_object_make(struct sdog_context *ctx, struct sdog_object *object);

/* Destroy an object, if there is one. */
void
sdog_object_destroy(struct sdog_context *ctx, enum sundog_object_kind kind,
                    struct sdog_object *object);
/* Have @owner, which may be another thread's, destroy it when it next begins a submission. Under
 * screen->object_lock. */
void
sdog_object_destroy_later(struct sdog_context *owner, enum sundog_object_kind kind,
                          struct sdog_object object);

/* A submission begins: destroy what was left for it. */
void
sdog_objects_begin(struct sdog_context *ctx);
/* A submission was queued, with @fence; or could not be, NULL. */
void
sdog_objects_queued(struct sdog_context *ctx, struct sundog_fence *fence);

/* The context has another client, with no objects; what the last one had is gone. */
void
sdog_objects_renew(struct sdog_context *ctx);

#endif
