/* SPDX-License-Identifier: MIT */
/*
 * Objects of the renderer. The packets that make and end them are kept and go first in the next submission: nobody
 * can have used an object before, nor uses it after its end. An id is given out again when its end was executed.
 */
#ifndef SDVK_OBJECT_H
#define SDVK_OBJECT_H

#include "sdvk_stream.h"
#include "util/list.h"
#include "util/simple_mtx.h"
#include "util/u_dynarray.h"

struct sdvk_device;

struct sdvk_objects {
   simple_mtx_t lock; /* also held while a submission is put together, so that all of its objects are there */
   struct sdvk_stream pending;
   struct util_dynarray ended; /* ids, by packets that are pending */
   struct list_head retired;   /* ids, by submissions that are not known to be done */
};

void
sdvk_objects_init(struct sdvk_objects *objects);
void
sdvk_objects_fini(struct sdvk_device *device);

/*
 * A new id, and where to put the packet of @dwords that makes it; NULL: there is no id left, or no memory. Holds the lock
 * until _end.
 */
struct sundog_stream *
sdvk_object_begin(struct sdvk_device *device, uint32_t dwords, uint32_t *id);
/* Likewise for a packet that changes one; never NULL, see sdvk_stream_reserve(). */
struct sundog_stream *
sdvk_object_packet(struct sdvk_device *device, uint32_t dwords);
void
sdvk_object_end(struct sdvk_device *device);

/* 0 is none. */
void
sdvk_object_destroy(struct sdvk_device *device, enum sundog_object_kind kind, uint32_t id);

/* What was pending is submitted, up to @fence; with the lock held. */
void
sdvk_objects_queued(struct sdvk_device *device, struct sundog_fence *fence);

#endif
