/* SPDX-License-Identifier: MIT */
/*
 * Hazards between uses of memory inside one submission.
 *
 * A clock of the process ticks with each barrier and each submission. A resource remembers the
 * time of its last read and write by the device; a context remembers, for each kind of use, up to
 * when earlier work is visible to it. A use needs a barrier if the resource was touched after
 * that. Barriers between fragments, and after nothing but transform feedback, name just the uses
 * that meet, because some hosts need not act on those; any other barrier is for all uses.
 *
 * What shaders store is a use of its own: OpenGL orders stores and loads of shaders with each other
 * only where the program asks for it (glMemoryBarrier), which is the time of hazards.fence. Other
 * uses are ordered after stores as they are after any write.
 *
 * All that a draw, a clear, a dispatch or a transfer uses is looked at first, then barriers are
 * emitted, then it is noted: what is noted before a barrier passes for done when that was.
 */
#ifndef SUNDOG_BARRIER_H
#define SUNDOG_BARRIER_H

#include <stdbool.h>
#include <stdint.h>

struct pipe_context;
struct sdog_context;
struct sdog_resource;

enum sdog_use {
   /* By all shaders but those of fragments. */
   SDOG_USE_VERTEX_TEXTURE,
   SDOG_USE_FRAGMENT_TEXTURE,
   SDOG_USE_COLOR,
   SDOG_USE_DEPTH,
   SDOG_USE_VERTEX,
   SDOG_USE_INDEX,
   SDOG_USE_INDIRECT,
   SDOG_USE_UNIFORM,
   /* Storage buffers and images of shaders. */
   SDOG_USE_STORAGE_READ,
   SDOG_USE_STORAGE_WRITE,
   SDOG_USE_FEEDBACK,
   /* How much of it feedback wrote. */
   SDOG_USE_DRAW_COUNT,
   SDOG_USE_TRANSFER_READ,
   /* Of an image, and of a buffer. */
   SDOG_USE_TRANSFER_WRITE,
   SDOG_USE_BUFFER_WRITE,
   SDOG_NUM_USES,
};

struct sdog_hazards {
   uint64_t now;
   uint64_t visible[SDOG_NUM_USES];
   uint64_t last[SDOG_NUM_USES];
   /* What shaders stored before this is ordered before what they load and store after it. */
   uint64_t fence;
   /* While what comes next is looked at: which of its uses need a barrier, a bit for each. */
   bool looking;
   uint32_t conflicts;
   /* And how many bytes of it the submission does not list yet, at most. */
   uint64_t unlisted;
};

/* Make everything so far visible to all uses. Outside a rendering. */
void
sdog_barrier_all(struct sdog_context *ctx);

/* Note that the device uses @rsc, and list its memory. */
void
sdog_use_resource(struct sdog_context *ctx, struct sdog_resource *rsc, enum sdog_use use);

/* From now on sdog_use_for_draw() just finds out which uses need a barrier. */
void
sdog_uses_look(struct sdog_context *ctx);

/* Does all of that have room in the submission? If not, that was flushed, and what comes next is to be
 * looked at again. */
bool
sdog_uses_fit(struct sdog_context *ctx);

/* What was found gets its barriers, outside a rendering; from now on uses are noted. */
void
sdog_uses_note(struct sdog_context *ctx);

/* What the next draw, clear or dispatch uses, told once to look at it and once to note it. */
void
sdog_use_for_draw(struct sdog_context *ctx, struct sdog_resource *rsc, enum sdog_use use);

/* A barrier, if what comes next needs one for @use of @rsc, which is yet to be noted. Outside a
 * rendering. */
void
sdog_order(struct sdog_context *ctx, const struct sdog_resource *rsc, enum sdog_use use);

void
sdog_init_barrier_functions(struct pipe_context *pctx);

/* A submission was queued: everything of it is visible to the next. */
void
sdog_hazards_reset(struct sdog_hazards *hazards);

#endif
