/* SPDX-License-Identifier: MIT */
/*
 * The submission that a context is building: stream space, and the list of memory that it touches.
 */
#ifndef SUNDOG_BATCH_H
#define SUNDOG_BATCH_H

#include <sundog.h>

struct sdog_context;
struct sdog_resource;

/* Dwords of one submission, and what must be left before anything but a shader is emitted: all
 * state, and a few draws. */
#define SDOG_BATCH_DWORDS (256 * 1024)
#define SDOG_BATCH_RESERVE (16 * 1024)

/* A submission lists at most this much memory, and a draw's. */
#define SDOG_BATCH_LIST 4096

struct sdog_batch {
   struct sundog_context *hw;
   struct sundog_submit *submit;
   struct sundog_stream *stream;
   /* Unique over all contexts of the process. */
   uint64_t id;
   /* Resources listed so far. */
   uint32_t listed;
   /* Their bytes, all of which have to be in VRAM at once; and how many there should be at most,
    * but for what one draw needs. */
   uint64_t listed_bytes;
   uint64_t room;
   /* It has no packets of the program yet, and the context may have been lost since it was begun:
    * see sdog_batch_reserve(). */
   bool fresh;
   /* In sdog_batch_flush(): what ends the rendering may use SDOG_BATCH_RESERVE, without another
    * flush. */
   bool flushing;
   /* sync_file that the submission has to wait for, or -1. */
   int in_fence;
   /* Fence of the last submission that was queued. */
   struct sundog_fence *last_fence;
   /* Number of the next query of this submission. */
   uint32_t next_query;
   /* And of the next value of a query, see sundog_query_value.h. */
   uint32_t next_value;
   /* Shaders that it makes, which the host compiles while it draws. */
   uint32_t new_shaders;
   /* A submission that is not known to be done made shaders. */
   bool compiles;
};

bool
sdog_batch_init(struct sdog_context *ctx);
void
sdog_batch_finish(struct sdog_context *ctx);

/* Another queue of the device, in place of one that was lost, and a new submission. False if there
 * is none. */
bool
sdog_batch_renew(struct sdog_context *ctx);

/* Make sure that @dwords fit besides SDOG_BATCH_RESERVE; if not, queue what there is. A context
 * that was lost may have another client after that, so ids of objects are asked for later. */
void
sdog_batch_reserve(struct sdog_context *ctx, uint32_t dwords);

/* The same before a draw, clear or transfer, whose memory must fit as well: in the list, and in
 * VRAM together with what is listed. Not in the middle of one, which would lose the first half. */
void
sdog_batch_prepare(struct sdog_context *ctx, uint32_t dwords);

/* How much memory the submission will have to list for @rsc, in bytes; at most so much. */
uint64_t
sdog_batch_missing(const struct sdog_batch *batch, const struct sdog_resource *rsc);

/* The next draw or transfer needs @bytes more: if they have no room, queue what there is, and tell. */
bool
sdog_batch_make_room(struct sdog_context *ctx, uint64_t bytes);

/* The same before what runs shaders: a submission brings just so many of them. */
void
sdog_batch_prepare_shaders(struct sdog_context *ctx, uint32_t dwords);

/* Queue what was emitted; rendering ends and will be resumed. */
void
sdog_batch_flush(struct sdog_context *ctx);

/* Some object or list entry that its packets name could not be made: sundog_submit_flush() will
 * fail, and the device never sees them. */
void
sdog_batch_fail(struct sdog_context *ctx);

/* List @rsc's memory with SUNDOG_ACCESS_* flags. */
void
sdog_batch_add(struct sdog_context *ctx, struct sdog_resource *rsc, uint32_t access);

/* Access that the submission being built has to @rsc. */
uint32_t
sdog_batch_access(const struct sdog_batch *batch, const struct sdog_resource *rsc);

#endif
