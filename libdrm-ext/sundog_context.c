// SPDX-License-Identifier: MIT
/*
 * Contexts: in-order queues of submissions.
 */
#include "sundog_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

/* Seconds that the submissions of a deleted context get to complete. */
#define LAST_WORK_S 10

SUNDOG_PUBLIC struct sundog_context *sundog_context_new(struct sundog_device *dev)
{
	struct sundog_context *ctx = calloc(1, sizeof(*ctx));
	int ret;

	if (!ctx)
		return NULL;
	atomic_init(&ctx->refs, 1);
	ctx->dev = dev;
	sundog_lock_init(&ctx->lock);
	ret = dev->ops->context_init(ctx);
	if (ret) {
		sundog_lock_fini(&ctx->lock);
		free(ctx);
		errno = -ret;
		return NULL;
	}
	sundog_device_ref(dev);
	return ctx;
}

SUNDOG_PUBLIC struct sundog_context *sundog_context_ref(struct sundog_context *ctx)
{
	atomic_fetch_add(&ctx->refs, 1);
	return ctx;
}

/* Wait for the queued submissions: context_fini() would drop them, but other contexts and processes
 * may rely on them. */
static void wait_for_last(struct sundog_context *ctx)
{
	struct timespec now;

	if (!ctx->last.seqno || sundog_seqno_done(ctx->status, ctx->last.seqno))
		return;
	clock_gettime(CLOCK_MONOTONIC, &now);
	ctx->dev->ops->point_wait(ctx, &ctx->last,
				  (now.tv_sec + LAST_WORK_S) * 1000000000ll + now.tv_nsec);
}

SUNDOG_PUBLIC void sundog_context_del(struct sundog_context *ctx)
{
	struct sundog_device *dev;

	if (!ctx || atomic_fetch_sub(&ctx->refs, 1) != 1)
		return;
	dev = ctx->dev;
	wait_for_last(ctx);
	for (struct sundog_chunk *chunk = ctx->chunks, *next; chunk; chunk = next) {
		next = chunk->next;
		sundog_bo_del(chunk->bo);
		free(chunk);
	}
	dev->ops->context_fini(ctx);
	sundog_lock_fini(&ctx->lock);
	free(ctx);
	sundog_device_del(dev);
}

SUNDOG_PUBLIC bool sundog_context_is_lost(struct sundog_context *ctx)
{
	return ctx->dev->ops->context_is_lost(ctx);
}

SUNDOG_PUBLIC int sundog_context_query(struct sundog_context *ctx,
				       struct sundog_context_status *status)
{
	return ctx->dev->ops->context_query(ctx, status);
}
