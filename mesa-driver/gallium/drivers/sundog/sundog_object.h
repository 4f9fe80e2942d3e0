/* SPDX-License-Identifier: MIT */
/*
 * Objects of the device, which are made and destroyed by packets of a context: images, views,
 * samplers, shaders. An id can name the next object only when the packet that destroys the last
 * one has been executed, since contexts run side by side; the ids of submissions that never were
 * are lost.
 */
#ifndef SUNDOG_OBJECT_H
#define SUNDOG_OBJECT_H

#include <sundog.h>

#include "util/list.h"
#include "util/u_dynarray.h"

struct sdog_context;

struct sdog_objects {
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

/* An id for a new object; 0 if there is none left, and then the submission being built is lost. */
uint32_t
sdog_object_new(struct sdog_context *ctx);

/* Destroy an object. Id 0 is nothing. */
void
sdog_object_destroy(struct sdog_context *ctx, enum sundog_object_kind kind, uint32_t id);
/* Have @owner, which may be another thread's, destroy it when it next begins a submission. Under
 * screen->object_lock. */
void
sdog_object_destroy_later(struct sdog_context *owner, enum sundog_object_kind kind, uint32_t id);

/* A submission begins: destroy what was left for it. */
void
sdog_objects_begin(struct sdog_context *ctx);
/* A submission was queued, with @fence; or could not be, NULL. */
void
sdog_objects_queued(struct sdog_context *ctx, struct sundog_fence *fence);

#endif
