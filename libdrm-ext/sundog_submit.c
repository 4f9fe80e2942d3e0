// SPDX-License-Identifier: MIT
/*
 * Submissions: stream memory, the list of buffers, queueing.
 *
 * A submit writes its stream into a chunk, a BO that the device reads in place. Streams
 * follow each other in the chunk. A full chunk goes to the end of its context's list; once its last
 * stream is done it can be reused, and chunk_trim() frees all of these but one.
 */
#include "sundog_priv.h"

#include <errno.h>
#include <stdlib.h>

#define CHUNK_DWORDS 0x8000	/* smallest chunk */
#define MAX_CHUNKS 16		/* a context with as many in flight waits for the oldest */
#define STREAM_ALIGN 16		/* dwords, one cache line */

static void chunk_free(struct sdrm_chunk *chunk)
{
	sdrm_bo_del(chunk->bo);
	free(chunk);
}

/* Marks the streams in @chunk as gone, for sdrm_context_packet(). The caller holds ctx->lock. */
static void forget_places(struct sdrm_context *ctx, const struct sdrm_chunk *chunk)
{
	for (uint32_t i = 0; i < SUNDOG_RING_SLOTS; i++)
		if (ctx->places[i].chunk == chunk)
			ctx->places[i].chunk = NULL;
}

/* Returns a chunk, or NULL if memory is short. Its BO is not private: with VRAM full it starts in
 * system memory, and moving a private BO would wait for all jobs of the file. */
static struct sdrm_chunk *chunk_new(struct sdrm_device *dev, uint32_t dwords)
{
	struct sdrm_chunk *chunk = calloc(1, sizeof(*chunk));

	if (!chunk)
		return NULL;
	chunk->size = dwords * 2 < CHUNK_DWORDS ? CHUNK_DWORDS :
		      SUNDOG_ALIGN(dwords * 2, STREAM_ALIGN);
	if (sdrm_bo_new(dev, chunk->size * 4ull, &chunk->bo)) {
		free(chunk);
		return NULL;
	}
	chunk->map = sdrm_bo_map(chunk->bo);
	if (!chunk->map) {
		chunk_free(chunk);
		return NULL;
	}
	return chunk;
}

/* Appends a chunk to the list. The caller holds ctx->lock. */
static void chunk_put(struct sdrm_context *ctx, struct sdrm_chunk *chunk)
{
	struct sdrm_chunk **at = &ctx->chunks;

	while (*at)
		at = &(*at)->next;
	chunk->next = NULL;
	*at = chunk;
	ctx->n_chunks++;
}

/* Takes a chunk that is done and large enough out of the list; NULL if there is none. The caller
 * holds ctx->lock. */
static struct sdrm_chunk *chunk_take(struct sdrm_context *ctx, uint32_t dwords)
{
	for (struct sdrm_chunk **at = &ctx->chunks; *at; at = &(*at)->next) {
		struct sdrm_chunk *chunk = *at;

		if (chunk->size < dwords || !sdrm_seqno_done(ctx->status, chunk->last.seqno))
			continue;
		*at = chunk->next;
		ctx->n_chunks--;
		forget_places(ctx, chunk);
		chunk->used = 0;
		return chunk;
	}
	return NULL;
}

/* Waits for the oldest chunk and frees it, since it may be too small. Returns false if the list is
 * empty. The caller holds ctx->lock. */
static bool chunk_drop_oldest(struct sdrm_context *ctx)
{
	struct sdrm_chunk *chunk = ctx->chunks;

	if (!chunk)
		return false;
	ctx->chunks = chunk->next;
	ctx->n_chunks--;
	if (!sdrm_seqno_done(ctx->status, chunk->last.seqno))
		ctx->dev->ops->point_wait(ctx, &chunk->last, SDRM_FOREVER);
	forget_places(ctx, chunk);
	chunk_free(chunk);
	return true;
}

static struct sdrm_chunk *chunk_get(struct sdrm_context *ctx, uint32_t dwords)
{
	struct sdrm_chunk *chunk;

	for (;;) {
		chunk = chunk_take(ctx, dwords);
		if (!chunk && ctx->n_chunks < MAX_CHUNKS)
			chunk = chunk_new(ctx->dev, dwords);
		if (chunk || !chunk_drop_oldest(ctx))
			return chunk;
	}
}

/* Frees the chunks of a burst that are done, except for one. The list is in the order of seqnos.
 * The caller holds ctx->lock. */
static void chunk_trim(struct sdrm_context *ctx)
{
	struct sdrm_chunk *spare = ctx->chunks, *chunk;

	while (spare && (chunk = spare->next) &&
	       sdrm_seqno_done(ctx->status, chunk->last.seqno)) {
		spare->next = chunk->next;
		ctx->n_chunks--;
		forget_places(ctx, chunk);
		chunk_free(chunk);
	}
}

/* Gives the submit an empty stream of @dwords. -ENOMEM: it gets a stream that always overflows. */
static int stream_begin(struct sdrm_submit *submit, uint32_t dwords)
{
	struct sdrm_context *ctx = submit->ctx;
	struct sdrm_chunk *chunk = submit->chunk;

	submit->stream = (struct sundog_stream){ 0 };
	if (!chunk || chunk->size - chunk->used < dwords) {
		sdrm_lock(&ctx->lock);
		if (chunk)
			chunk_put(ctx, chunk);
		submit->chunk = chunk_get(ctx, dwords);
		sdrm_unlock(&ctx->lock);
		chunk = submit->chunk;
		if (!chunk)
			return -ENOMEM;
	}
	submit->stream.map = chunk->map + chunk->used;
	submit->stream.size = dwords;
	return 0;
}

static void list_release(struct sdrm_submit *submit)
{
	for (uint32_t i = 0; i < submit->list.count; i++)
		sdrm_bo_del(submit->list.items[i].bo);
	sdrm_list_clear(&submit->list);
}

SUNDOG_PUBLIC struct sdrm_submit *sdrm_submit_new(struct sdrm_context *ctx, uint32_t dwords)
{
	struct sdrm_submit *submit;

	if (!dwords || dwords > SUNDOG_MAX_STREAM_DWORDS) {
		errno = EINVAL;
		return NULL;
	}
	submit = calloc(1, sizeof(*submit));
	if (!submit)
		return NULL;
	submit->ctx = sdrm_context_ref(ctx);
	submit->dwords = dwords;
	if (stream_begin(submit, dwords)) {
		sdrm_submit_del(submit);
		errno = ENOMEM;
		return NULL;
	}
	return submit;
}

SUNDOG_PUBLIC void sdrm_submit_del(struct sdrm_submit *submit)
{
	struct sdrm_context *ctx;

	if (!submit)
		return;
	ctx = submit->ctx;
	list_release(submit);
	sdrm_list_fini(&submit->list);
	sdrm_reslist_del(submit->reslist);
	if (submit->chunk) {
		sdrm_lock(&ctx->lock);
		chunk_put(ctx, submit->chunk);
		sdrm_unlock(&ctx->lock);
	}
	free(submit);
	sdrm_context_del(ctx);
}

SUNDOG_PUBLIC int sdrm_submit_reserve(struct sdrm_submit *submit, uint32_t dwords)
{
	if (submit->stream.used)
		return -EBUSY;
	if (!dwords || dwords > SUNDOG_MAX_STREAM_DWORDS)
		return -EINVAL;
	return dwords > submit->stream.size ? stream_begin(submit, dwords) : 0;
}

SUNDOG_PUBLIC struct sundog_stream *sdrm_submit_stream(struct sdrm_submit *submit)
{
	return &submit->stream;
}

/* Returns true if the list has reached the device's limit. In the DRM back end the residency list
 * counts as well; the direct one adds its buffers to the list in flush(). */
static bool list_is_full(const struct sdrm_submit *submit)
{
	const struct sdrm_device *dev = submit->ctx->dev;
	uint32_t count = submit->list.count;

	if (submit->reslist && dev->ops->reslist_set)
		count += submit->reslist->n;
	return count >= dev->max_list;
}

SUNDOG_PUBLIC void sdrm_submit_set_reslist(struct sdrm_submit *submit,
					   struct sdrm_reslist *list)
{
	struct sdrm_reslist *old = submit->reslist;

	submit->reslist = list ? sdrm_reslist_ref(list) : NULL;
	sdrm_reslist_del(old);
}

SUNDOG_PUBLIC int sdrm_submit_add(struct sdrm_submit *submit, struct sdrm_bo *bo,
				  uint32_t access)
{
	struct sdrm_list_item *item = sdrm_list_find(&submit->list, bo);

	if (!item) {
		if (!bo->handle || !access || access & ~(SUNDOG_ACCESS_READ | SUNDOG_ACCESS_WRITE))
			return -EINVAL;
		if (list_is_full(submit))
			return -ENOSPC;
		item = sdrm_list_add(&submit->list, bo);
		if (!item)
			return -ENOMEM;
		sdrm_bo_ref(bo);
	}
	item->access |= access;
	return 0;
}

SUNDOG_PUBLIC uint32_t sdrm_submit_access(const struct sdrm_submit *submit,
					  const struct sdrm_bo *bo)
{
	const struct sdrm_list_item *item = sdrm_list_find(&submit->list, bo);

	return item ? item->access : 0;
}

static void fence_init(struct sdrm_fence *fence, struct sdrm_context *ctx,
		       const struct sdrm_point *at)
{
	atomic_init(&fence->refs, 1);
	fence->ctx = sdrm_context_ref(ctx);
	fence->at = *at;
	fence->fd = -1;
}

bool sdrm_submit_shares(const struct sdrm_submit *submit)
{
	struct sdrm_device *dev = submit->ctx->dev;
	bool shares = false;

	sdrm_lock(&dev->lock);
	for (uint32_t i = 0; !shares && i < submit->list.count; i++) {
		const struct sdrm_list_item *item = &submit->list.items[i];

		shares = sdrm_use_conflicts(dev, &item->bo->uses, submit->ctx, item->access);
	}
	sdrm_unlock(&dev->lock);
	return shares;
}

/* Adds the submission to the uses of its BOs. If memory is short, this waits until it is done. */
static void note_uses(struct sdrm_submit *submit, const struct sdrm_point *at)
{
	struct sdrm_context *ctx = submit->ctx;
	struct sdrm_device *dev = ctx->dev;
	int ret = 0;

	sdrm_lock(&dev->lock);
	for (uint32_t i = 0; i < submit->list.count; i++) {
		const struct sdrm_list_item *item = &submit->list.items[i];

		ret |= sdrm_use_add(dev, &item->bo->uses, ctx, at->seqno, item->access);
	}
	if (submit->stream.used)
		ret |= sdrm_use_add(dev, &submit->chunk->bo->uses, ctx, at->seqno,
				    SUNDOG_ACCESS_READ);
	sdrm_unlock(&dev->lock);
	if (ret)
		dev->ops->point_wait(ctx, at, SDRM_FOREVER);
}

/* Queues the submission and keeps the location of its stream. The caller holds ctx->lock. */
static int queue(struct sdrm_submit *submit, int in_fence_fd, const struct sdrm_syncs *syncs)
{
	struct sdrm_context *ctx = submit->ctx;
	struct sdrm_chunk *chunk = submit->chunk;
	struct sdrm_point at = { 0 };
	int ret;

	ret = ctx->dev->ops->submit(submit, in_fence_fd, syncs, &at);
	if (ret)
		return ret;
	note_uses(submit, &at);
	ctx->last = at;
	if (submit->stream.used) {
		chunk->last = at;
		ctx->places[at.seqno % SUNDOG_RING_SLOTS] = (struct sdrm_stream_place){
			at.seqno, chunk, chunk->used, submit->stream.used,
		};
		chunk->used = SUNDOG_ALIGN(chunk->used + submit->stream.used, STREAM_ALIGN);
	}
	return 0;
}

/* See sdrm_submit_flush(). If there is nothing to queue, the fence is that of the submission
 * before; a context without one queues an empty submission. */
static int flush(struct sdrm_submit *submit, int in_fence_fd, const struct sdrm_syncs *syncs,
		 struct sdrm_fence **out)
{
	struct sdrm_context *ctx = submit->ctx;
	const bool empty = !submit->stream.used && !submit->list.count && in_fence_fd < 0 &&
			   !syncs->n_waits && !syncs->n_signals;
	struct sdrm_fence *fence = NULL;
	struct sdrm_point last;
	int ret = 0;

	if (submit->stream.overflow)
		return -EOVERFLOW;
	if (empty && !out)
		return 0;
	if (submit->reslist && !ctx->dev->ops->reslist_set)
		ret = sdrm_reslist_add_to(submit->reslist, submit);
	if (ret)
		return ret;
	/* Allocate the fence first: a queued submission cannot be taken back. */
	if (out) {
		fence = calloc(1, sizeof(*fence));
		if (!fence)
			return -ENOMEM;
	}
	sdrm_lock(&ctx->lock);
	if (!empty || !ctx->last.seqno)
		ret = queue(submit, in_fence_fd, syncs);
	last = ctx->last;
	chunk_trim(ctx);
	sdrm_unlock(&ctx->lock);
	if (ret) {
		free(fence);
		return ret;
	}
	if (out) {
		fence_init(fence, ctx, &last);
		*out = fence;
	}
	return 0;
}

static int flush_and_begin(struct sdrm_submit *submit, int in_fence_fd,
			   const struct sdrm_syncs *syncs, struct sdrm_fence **out)
{
	int ret = flush(submit, in_fence_fd, syncs, out);

	list_release(submit);
	stream_begin(submit, submit->dwords);
	return ret;
}

SUNDOG_PUBLIC int sdrm_submit_flush(struct sdrm_submit *submit, int in_fence_fd,
				    struct sdrm_fence **out)
{
	return flush_and_begin(submit, in_fence_fd, &(struct sdrm_syncs){ 0 }, out);
}

SUNDOG_PUBLIC int sdrm_submit_flush_syncs(struct sdrm_submit *submit,
					  const struct sdrm_syncs *syncs,
					  struct sdrm_fence **out)
{
	return flush_and_begin(submit, -1, syncs, out);
}

/* The stream of a submission that faulted is still in its chunk, because only chunks whose last
 * stream is done are reused. */
SUNDOG_PUBLIC int sdrm_context_packet(struct sdrm_context *ctx, uint64_t seqno, uint64_t offset)
{
	const struct sdrm_stream_place *place = &ctx->places[seqno % SUNDOG_RING_SLOTS];
	int ret = -ENOENT;

	sdrm_lock(&ctx->lock);
	if (place->chunk && place->seqno == seqno && offset / 4 < place->dwords)
		ret = SUNDOG_PACKET_OPCODE(place->chunk->map[place->first + offset / 4]);
	sdrm_unlock(&ctx->lock);
	return ret;
}
