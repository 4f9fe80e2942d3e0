// SPDX-License-Identifier: MIT
/*
 * Tracks the submissions that use a buffer, so that most idle checks need no ioctl, and so that the
 * direct back end knows when it can reuse memory. A timeline is the sequence of a context's
 * submissions. The slot of a context that ended gets a new serial, which ends all uses with the old
 * one. The caller holds dev->lock, except for sdrm_seqno_done().
 */
#include "sundog_priv.h"

#include <errno.h>
#include <stdlib.h>

uint32_t sdrm_timeline_new(struct sdrm_device *dev, uint32_t slot,
			   const struct sundog_ring_status *status)
{
	if (!++dev->serial)
		dev->serial++;
	dev->timelines[slot] = (struct sdrm_timeline){ .serial = dev->serial, .status = status };
	return dev->serial;
}

bool sdrm_seqno_done(const struct sundog_ring_status *status, uint64_t seqno)
{
	return __atomic_load_n(&status->completed, __ATOMIC_ACQUIRE) >= seqno;
}

static bool use_done(const struct sdrm_device *dev, const struct sdrm_use *use, uint64_t seqno)
{
	const struct sdrm_timeline *timeline = &dev->timelines[use->slot];

	return timeline->serial != use->serial || timeline->over ||
	       sdrm_seqno_done(timeline->status, seqno);
}

static uint64_t last_seqno(const struct sdrm_use *use, bool write)
{
	return write && use->read > use->write ? use->read : use->write;
}

static struct sdrm_use *get_use(const struct sdrm_uses *uses, uint32_t i)
{
	return i ? &uses->more[i - 1] : (struct sdrm_use *)&uses->first;
}

static struct sdrm_use *find_use(const struct sdrm_uses *uses, uint32_t slot, uint32_t serial)
{
	for (uint32_t i = 0; i <= uses->n_more; i++) {
		struct sdrm_use *use = get_use(uses, i);

		if (use->slot == slot && use->serial == serial)
			return use;
	}
	return NULL;
}

/* Returns an entry whose submissions are done, or which is unused (serial 0, which no timeline in
 * use has), or NULL. */
static struct sdrm_use *find_idle(struct sdrm_device *dev, struct sdrm_uses *uses)
{
	for (uint32_t i = 0; i <= uses->n_more; i++) {
		struct sdrm_use *use = get_use(uses, i);

		if (!use->serial || use_done(dev, use, last_seqno(use, true)))
			return use;
	}
	return NULL;
}

static struct sdrm_use *append_use(struct sdrm_uses *uses)
{
	struct sdrm_use *more = realloc(uses->more, (uses->n_more + 1) * sizeof(*more));

	if (!more)
		return NULL;
	uses->more = more;
	return &more[uses->n_more++];
}

/* Adds submission @seqno of @ctx to the uses of a buffer. Returns 0 or -ENOMEM. */
int sdrm_use_add(struct sdrm_device *dev, struct sdrm_uses *uses,
		 const struct sdrm_context *ctx, uint64_t seqno, uint32_t access)
{
	struct sdrm_use *use = find_use(uses, ctx->slot, ctx->serial);

	if (!use) {
		use = find_idle(dev, uses);
		if (!use)
			use = append_use(uses);
		if (!use)
			return -ENOMEM;
		*use = (struct sdrm_use){ .slot = ctx->slot, .serial = ctx->serial };
	}
	if (access & SUNDOG_ACCESS_WRITE)
		use->write = seqno;
	else
		use->read = seqno;
	return 0;
}

/* Returns a use with an unfinished submission that writes (@write false) or uses (@write true) the
 * buffer, or NULL. Ignores the timeline with serial @except, if that is not 0. */
static const struct sdrm_use *find_busy(const struct sdrm_device *dev,
					const struct sdrm_uses *uses, bool write,
					uint32_t except)
{
	for (uint32_t i = 0; i <= uses->n_more; i++) {
		const struct sdrm_use *use = get_use(uses, i);
		const uint64_t seqno = last_seqno(use, write);

		if (use->serial && use->serial != except && seqno && !use_done(dev, use, seqno))
			return use;
	}
	return NULL;
}

bool sdrm_use_conflicts(const struct sdrm_device *dev, const struct sdrm_uses *uses,
			const struct sdrm_context *ctx, uint32_t access)
{
	return find_busy(dev, uses, access & SUNDOG_ACCESS_WRITE, ctx->serial);
}

bool sdrm_use_busy(const struct sdrm_device *dev, const struct sdrm_uses *uses, bool write,
		   struct sdrm_use *busy, uint64_t *seqno)
{
	const struct sdrm_use *use = find_busy(dev, uses, write, 0);

	if (!use)
		return false;
	*busy = *use;
	*seqno = last_seqno(use, write);
	return true;
}
