/* SPDX-License-Identifier: MIT */
/*
 * Hazards between uses of memory inside one submission.
 *
 * A clock that all contexts of the process share ticks at each barrier and at each submission. A
 * resource stores the time of its last read and write by the device. A context stores, for each
 * kind of use, the time up to which earlier work is visible to it (hazards.visible). A use needs a
 * barrier if the resource was accessed at or after that time. A barrier between uses by fragments,
 * or after transform feedback only, names just the two uses, because some hosts skip it; any other
 * barrier covers all uses.
 *
 * Stores by shaders are a separate use: OpenGL orders loads and stores of shaders with each other
 * only at glMemoryBarrier(), whose time is hazards.fence. All other uses are ordered after stores
 * as after any write.
 *
 * A draw, clear, dispatch or transfer works in three steps: check all its uses for hazards, emit
 * the barriers, record the uses. A use that is recorded before a barrier counts as completed by
 * that barrier, so recording comes last.
 */
#ifndef SUNDOG_BARRIER_H
#define SUNDOG_BARRIER_H

#include <stdbool.h>
#include <stdint.h>

struct pipe_context;
struct sdog_context;
struct sdog_resource;

enum sdog_use {
   /* Textures of all shaders except fragment shaders. */
   SDOG_USE_VERTEX_TEXTURE,
   SDOG_USE_FRAGMENT_TEXTURE,
   SDOG_USE_COLOR,
   SDOG_USE_DEPTH,
   SDOG_USE_VERTEX,
   SDOG_USE_INDEX,
   SDOG_USE_INDIRECT,
   SDOG_USE_UNIFORM,
   /* Storage buffers and storage images of shaders. */
   SDOG_USE_STORAGE_READ,
   SDOG_USE_STORAGE_WRITE,
   SDOG_USE_FEEDBACK,
   /* The byte counter of transform feedback, read by a draw. */
   SDOG_USE_DRAW_COUNT,
   SDOG_USE_TRANSFER_READ,
   /* Destination of a transfer: an image, or a buffer. */
   SDOG_USE_TRANSFER_WRITE,
   SDOG_USE_BUFFER_WRITE,
   SDOG_NUM_USES,
};

struct sdog_hazards {
   uint64_t now;
   uint64_t visible[SDOG_NUM_USES];
   uint64_t last[SDOG_NUM_USES];
   /* Time of the last glMemoryBarrier(): shader stores before it are ordered before the shader
    * loads and stores after it. */
   uint64_t fence;
   /* Between sdog_uses_look() and sdog_uses_note(), uses are checked and not recorded; @conflicts
    * is the mask of those that need a barrier. */
   bool looking;
   uint32_t conflicts;
   /* Upper bound of the bytes of the checked resources that the submission does not list yet. */
   uint64_t unlisted;
};

/* Makes all earlier work visible to all uses. Must be called outside a rendering. */
void
sdog_barrier_all(struct sdog_context *ctx);

/* Records that the device uses @rsc, and lists its BO in the submission. */
void
sdog_use_resource(struct sdog_context *ctx, struct sdog_resource *rsc, enum sdog_use use);

/* Starts the check: until sdog_uses_note(), sdog_use_for_draw() only finds the uses that need a
 * barrier. */
void
sdog_uses_look(struct sdog_context *ctx);

/* Returns true if the memory of the checked uses fits in the submission. Otherwise flushes it, ends
 * the check and returns false; the caller then starts the check again. */
bool
sdog_uses_fit(struct sdog_context *ctx);

/* Ends the check: emits the barriers for the conflicts found. After that, sdog_use_for_draw()
 * records uses. Must be called outside a rendering. */
void
sdog_uses_note(struct sdog_context *ctx);

/* A use of @rsc by the next draw, clear or dispatch. Called once per use during the check and once
 * more to record it. */
void
sdog_use_for_draw(struct sdog_context *ctx, struct sdog_resource *rsc, enum sdog_use use);

/* Emits a barrier if @use of @rsc, which is not recorded yet, needs one. Must be called outside a
 * rendering. */
void
sdog_order(struct sdog_context *ctx, const struct sdog_resource *rsc, enum sdog_use use);

void
sdog_init_barrier_functions(struct pipe_context *pctx);

/* Called after a submission is queued: all its work is visible to the next submission. */
void
sdog_hazards_reset(struct sdog_hazards *hazards);

#endif
