/* SPDX-License-Identifier: MIT */
/*
 * The submission that a context is building: space in the command stream and the list of the BOs
 * that it accesses.
 */
#ifndef SUNDOG_BATCH_H
#define SUNDOG_BATCH_H

#include <sundog.h>

struct sdog_context;
struct sdog_resource;

/* The size of a submission, and the reserve that must be free before any packet other than a shader
 * is emitted: room for all state and a few draws. Both in dwords. */
#define SDOG_BATCH_DWORDS (256 * 1024)
#define SDOG_BATCH_RESERVE (16 * 1024)

/* Limit on the resources that a submission lists before the next draw; that draw may add its
 * own. */
#define SDOG_BATCH_LIST 4096

struct sdog_batch {
   struct sdrm_context *hw;
   struct sdrm_submit *submit;
   struct sundog_stream *stream;
   /* Unique among all contexts of the process. */
   uint64_t id;
   /* Number of resources listed so far. */
   uint32_t listed;
   /* @listed_bytes is the total size of the listed BOs, which must all be in VRAM at once. @room is
    * its limit, which only the resources of a single draw may exceed. */
   uint64_t listed_bytes;
   uint64_t room;
   /* @listed_bytes of the last submission, for the message if it does not fit. */
   uint64_t flushed_bytes;
   /* No packet of the program was emitted yet, and the context may have been lost since the
    * submission was begun: see sdog_batch_reserve(). */
   bool fresh;
   /* sdog_batch_flush() is running: the packets that end the rendering may use SDOG_BATCH_RESERVE
    * and must not cause another flush. */
   bool flushing;
   /* A sync_file of the fences that the program made the context wait for, or -1. Submissions and
    * CPU accesses to shared memory have to wait for it. Owned by the batch. */
   int in_fence;
   /* A submission that waits for @in_fence was queued; later ones run after it. */
   bool in_fence_queued;
   /* Fence of the last queued submission. */
   struct sdrm_fence *last_fence;
   /* Index of the next query in this submission. */
   uint32_t next_query;
   /* Index of the next query value in this submission, see sundog_query_value.h. */
   uint32_t next_value;
   /* Number of shaders that this submission creates. The host compiles them while it executes
    * it. */
   uint32_t new_shaders;
   /* A submission that is not known to be complete created shaders. */
   bool compiles;
};

bool
sdog_batch_init(struct sdog_context *ctx);
void
sdog_batch_finish(struct sdog_context *ctx);

/* Replaces the lost device context by a new one and begins a new submission. Returns false if no
 * device context can be created. */
bool
sdog_batch_renew(struct sdog_context *ctx);

/* Makes sure that @dwords fit in addition to SDOG_BATCH_RESERVE, and flushes otherwise. May also
 * find that the context was lost and renew it: object ids from before the call are then invalid, so
 * callers look up ids after it. */
void
sdog_batch_reserve(struct sdog_context *ctx, uint32_t dwords);

/* As sdog_batch_reserve(), before a draw, clear or transfer: also makes sure that there is room in
 * the list and in VRAM. Must not be called in the middle of such an operation, whose first half
 * would end up in the earlier submission. */
void
sdog_batch_prepare(struct sdog_context *ctx, uint32_t dwords);

/* Returns the bytes that the submission would have to list in addition for @rsc, at most. */
uint64_t
sdog_batch_missing(const struct sdog_batch *batch, const struct sdog_resource *rsc);

/* If another @bytes of memory for the next draw or transfer exceed the limit, flushes the
 * submission and returns true. */
bool
sdog_batch_make_room(struct sdog_context *ctx, uint64_t bytes);

/* As sdog_batch_prepare(), before an operation that runs shaders: also keeps to the limit of new
 * shaders per submission. */
void
sdog_batch_prepare_shaders(struct sdog_context *ctx, uint32_t dwords);

/* Queues the emitted packets. Ends the rendering; the next draw resumes it. */
void
sdog_batch_flush(struct sdog_context *ctx);

/* Waits for the fences that the program made the context wait for, up to @timeout_ms, or without a
 * limit if that is negative. Returns false on a timeout. */
bool
sdog_batch_wait_in_fence(struct sdog_context *ctx, int timeout_ms);

/* Marks the submission as failed, because an object or a list entry that its packets name could not
 * be created: sdrm_submit_flush() returns an error and the device never sees the packets. */
void
sdog_batch_fail(struct sdog_context *ctx);

/* Lists the BO of @rsc with the SUNDOG_ACCESS_* flags in @access. */
void
sdog_batch_add(struct sdog_context *ctx, struct sdog_resource *rsc, uint32_t access);

/* Returns the access (SUNDOG_ACCESS_*) that the current submission has to @rsc. */
uint32_t
sdog_batch_access(const struct sdog_batch *batch, const struct sdog_resource *rsc);

#endif
