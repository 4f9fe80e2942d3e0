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

SUNDOG_PUBLIC struct sdrm_context *sdrm_context_new(struct sdrm_device *dev)
{
	struct sdrm_context *ctx;
	int ret = sdrm_device_connect(dev);

	if (ret) {
		errno = -ret;
		return NULL;
	}
	ctx = calloc(1, sizeof(*ctx));
	if (!ctx)
		return NULL;
	atomic_init(&ctx->refs, 1);
	ctx->dev = dev;
	sdrm_lock_init(&ctx->lock);
	ret = dev->ops->context_init(ctx);
	if (ret) {
		sdrm_lock_fini(&ctx->lock);
		free(ctx);
		errno = -ret;
		return NULL;
	}
	sdrm_device_ref(dev);
	return ctx;
}

SUNDOG_PUBLIC struct sdrm_context *sdrm_context_ref(struct sdrm_context *ctx)
{
	atomic_fetch_add(&ctx->refs, 1);
	return ctx;
}

/* Wait for the queued submissions: context_fini() would drop them, but other contexts and processes
 * may rely on them. */
static void wait_for_last(struct sdrm_context *ctx)
{
	struct timespec now;

	if (!ctx->last.seqno || sdrm_seqno_done(ctx->status, ctx->last.seqno))
		return;
	clock_gettime(CLOCK_MONOTONIC, &now);
	ctx->dev->ops->point_wait(ctx, &ctx->last,
				  (now.tv_sec + LAST_WORK_S) * 1000000000ll + now.tv_nsec);
}

SUNDOG_PUBLIC void sdrm_context_del(struct sdrm_context *ctx)
{
	struct sdrm_device *dev;

	if (!ctx || atomic_fetch_sub(&ctx->refs, 1) != 1)
		return;
	dev = ctx->dev;
	wait_for_last(ctx);
	for (struct sdrm_chunk *chunk = ctx->chunks, *next; chunk; chunk = next) {
		next = chunk->next;
		sdrm_bo_del(chunk->bo);
		free(chunk);
	}
	dev->ops->context_fini(ctx);
	sdrm_lock_fini(&ctx->lock);
	free(ctx);
	sdrm_device_del(dev);
}

SUNDOG_PUBLIC bool sdrm_context_is_lost(struct sdrm_context *ctx)
{
	return ctx->dev->ops->context_is_lost(ctx);
}

SUNDOG_PUBLIC int sdrm_context_query(struct sdrm_context *ctx,
				     struct sdrm_context_status *status)
{
	return ctx->dev->ops->context_query(ctx, status);
}
