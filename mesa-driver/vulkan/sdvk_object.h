/* SPDX-License-Identifier: MIT */
/*
 * Objects of the renderer, and their ids. Packets that create and destroy them are queued and go to
 * the beginning of the next submission: no earlier one can use the object, and none uses it after
 * it was destroyed. An id is reused when the submission that destroyed its object is done.
 */
#ifndef SDVK_OBJECT_H
#define SDVK_OBJECT_H

#include "sdvk_stream.h"
#include "util/list.h"
#include "util/simple_mtx.h"
#include "util/u_dynarray.h"

struct sdvk_device;

/* Pending dwords after which packets of objects get a submission of their own. */
#define SDVK_PENDING_DWORDS 0x10000

struct sdvk_objects {
   /* also held while a submission is assembled, so that it has the packets of all its objects */
   simple_mtx_t lock;
   struct sdvk_stream pending;
   uint32_t many;              /* pending dwords after which they are submitted */
   struct util_dynarray ended; /* ids whose destroy packets are in `pending` */
   struct list_head retired;   /* struct retired: ids whose destroy packets are in flight */
   struct set *dead;           /* ids of objects that were never created, see sdvk_pending.h */
};

/* Returns false without memory; then sdvk_objects_fini() is still to be called. */
bool
sdvk_objects_init(struct sdvk_objects *objects);
void
sdvk_objects_fini(struct sdvk_device *device);

/*
 * Allocates an id. Returns the stream for the packet of @dwords that creates the object, and holds
 * the lock until sdvk_object_end(). NULL: no id is left, or no memory; the lock is not held.
 */
struct sundog_stream *
sdvk_object_begin(struct sdvk_device *device, uint32_t dwords, uint32_t *id);
/*
 * Returns the stream for a packet of @dwords that changes an object, and holds the lock until
 * sdvk_object_end(). Never NULL, see sdvk_stream_reserve().
 */
struct sundog_stream *
sdvk_object_packet(struct sdvk_device *device, uint32_t dwords);
void
sdvk_object_end(struct sdvk_device *device);

/* Destroys an object; id 0 is ignored. */
void
sdvk_object_destroy(struct sdvk_device *device, enum sundog_object_kind kind, uint32_t id);

/*
 * The first @dwords of pending packets were submitted with @fence, and all before them. The caller
 * holds the lock.
 */
void
sdvk_objects_queued(struct sdvk_device *device, uint32_t dwords, struct sdrm_fence *fence);

#endif
