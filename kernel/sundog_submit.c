// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The SUBMIT ioctl: turns user space's lists into a job in the queue of a context.
 *
 * It runs in the calling process. sundog_context.submit_lock and the dma_resv of each allocation
 * are held in steps 4 and 5:
 *
 * 1. Copy the arguments. Find the context, and wait until its queue has room.
 * 2. Find the allocations, including those of the residency list, and the syncobjs. Allocate the
 *    job.
 * 3. Take submit_lock and lock the dma_resv of each allocation.
 * 4. Keep each allocation once, bring it into VRAM, and collect the fences to wait for.
 * 5. Write the allocation list, arm the job, publish its fence, and push the job.
 *
 * Nothing fails after sundog_submit_arm(). From there until the job is pushed, other threads may
 * wait for a fence that this thread has yet to make signal: nothing is allocated, freed or waited
 * for. sundog_sched.c continues from there.
 *
 * The allocation list is a snapshot: it says which allocation a {kres, index} means for this job,
 * whatever happens to the resource later. The placement of an allocation cannot change before the
 * job is done, because the job's fence is in its dma_resv before that is unlocked.
 */

#include <linux/dma-fence-chain.h>
#include <linux/dma-resv.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include <drm/drm_exec.h>
#include <drm/drm_file.h>
#include <drm/drm_syncobj.h>
#include "uapi/sundog_drm.h"

#include "sundog_array.h"
#include "sundog_bo.h"
#include "sundog_context.h"
#include "sundog_deps.h"
#include "sundog_device.h"
#include "sundog_evict.h"
#include "sundog_file.h"
#include "sundog_job.h"
#include "sundog_private_list.h"
#include "sundog_reslist.h"
#include "sundog_sched.h"
#include "sundog_stats.h"
#include "sundog_submit.h"
#include "sundog_trace.h"
#include "sundog_vram.h"

/* Most calls have no more of them. Up to this number, nothing is allocated. */
#define SUNDOG_FEW_SYNCS	4
#define SUNDOG_FEW_ALLOCS	16
/* Values of sundog_submit_is_waited_for(). A dma_resv has a fence at most once for each. */
#define SUNDOG_FENCE_USAGES	3

/**
 * struct sundog_out_sync - syncobj that the job signals
 */
struct sundog_out_sync {
	/** @syncobj: syncobj, with a reference */
	struct drm_syncobj *syncobj;
	/** @chain: preallocated link for a timeline point, NULL for a binary syncobj */
	struct dma_fence_chain *chain;
	/** @point: timeline point, 0 for a binary syncobj */
	u64 point;
};

/**
 * struct sundog_submit - one SUBMIT call, on the stack of the ioctl
 */
struct sundog_submit {
	/** @file: DRM file of the caller */
	struct drm_file *file;
	/** @args: arguments of the ioctl */
	struct drm_sundog_submit *args;
	/** @reslist: residency list, with a reference, or NULL */
	struct sundog_reslist *reslist;
	/** @flags: DRM_SUNDOG_SUBMIT_* for each of @job's bos, 0 for the stream; part of @job */
	u32 *flags;
	/** @stream: allocation of the stream, also in @job's bos; or NULL */
	struct sundog_bo *stream;
	/** @first_private: first allocation of @job's privates, with a GEM reference, or NULL */
	struct sundog_bo *first_private;
	/** @are_listed: @job's privates have a list_pos, like @job's bos */
	bool are_listed;
	/** @private: PRIVATE allocation through which the dma_resv of all is locked, or NULL */
	struct sundog_bo *private;
	/** @outs: syncobjs to signal, an array of args->n_syncs */
	struct sundog_out_sync *outs;
	/** @n_outs: number of syncobjs in @outs */
	u32 n_outs;
	/** @few_outs: storage of @outs if that is large enough */
	struct sundog_out_sync few_outs[SUNDOG_FEW_SYNCS];
	/** @job: job under construction */
	struct sundog_job *job;
	/** @list_ring: contents of the channel's list ring after @job */
	struct sundog_list_ring list_ring;
	/** @n_held: number of @job's bos to which this call has GEM references */
	u32 n_held;
	/** @evict: state of the call for sundog_evict.c */
	struct sundog_evict evict;
	/** @exec: locks of the allocations */
	struct drm_exec exec;
};

static int sundog_submit_check(const struct drm_sundog_submit *args)
{
	if (args->flags)
		return -EINVAL;
	if (args->stream_size % 4 || args->stream_offset % 4 ||
	    args->stream_size / 4 > SUNDOG_MAX_STREAM_DWORDS)
		return -EINVAL;
	if (args->pad || args->n_allocs > SUNDOG_LIST_ENTRIES || args->n_syncs > SUNDOG_MAX_SYNCS)
		return -EINVAL;
	return 0;
}

/*
 * Adds an allocation to the job and takes over the GEM reference. Jobs hold TTM references, see
 * struct sundog_bo. Until the job is armed the call holds a GEM reference, too, because drm_exec
 * works on GEM objects.
 */
static void sundog_submit_add_bo(struct sundog_submit *submit, struct sundog_bo *bo, u32 flags)
{
	struct sundog_job *job = submit->job;

	kref_get(&bo->tbo.kref);
	submit->flags[job->n_bos] = flags;
	job->bos[job->n_bos++] = bo;
	submit->n_held++;
}

static int sundog_submit_add_handle(struct sundog_submit *submit, u32 handle, u32 flags)
{
	struct sundog_bo *bo = sundog_bo_lookup(submit->file, handle);

	if (!bo)
		return -ENOENT;
	sundog_submit_add_bo(submit, bo, flags);
	return 0;
}

static void sundog_submit_release_bos(struct sundog_submit *submit)
{
	while (submit->n_held)
		sundog_bo_put(submit->job->bos[--submit->n_held]);
	if (submit->first_private)
		sundog_bo_put(submit->first_private);
	submit->first_private = NULL;
}

static int sundog_submit_find_allocs(struct sundog_submit *submit)
{
	const struct drm_sundog_submit *args = submit->args;
	const struct sundog_array array = { args->allocs, args->n_allocs, args->alloc_stride };
	struct drm_sundog_submit_alloc few[SUNDOG_FEW_ALLOCS], *allocs;
	u32 i;
	int ret = 0;

	allocs = sundog_array_read(&array, sizeof(*allocs), SUNDOG_LIST_ENTRIES, few,
				   ARRAY_SIZE(few));
	if (IS_ERR(allocs))
		return PTR_ERR(allocs);
	for (i = 0; !ret && i < args->n_allocs; i++) {
		if (!sundog_reslist_flags_are_valid(allocs[i].flags))
			ret = -EINVAL;
		else
			ret = sundog_submit_add_handle(submit, allocs[i].handle, allocs[i].flags);
	}
	sundog_array_free(allocs, few);
	return ret;
}

static int sundog_submit_find_stream(struct sundog_submit *submit)
{
	const struct drm_sundog_submit *args = submit->args;
	u64 size;
	int ret;

	if (!args->stream_size)
		return 0;
	ret = sundog_submit_add_handle(submit, args->stream, 0);
	if (ret)
		return ret;
	submit->stream = submit->job->bos[submit->job->n_bos - 1];
	size = submit->stream->tbo.base.size;
	/* The device reads streams in VRAM only. */
	if (submit->stream->guest || args->stream_offset > size ||
	    args->stream_size > size - args->stream_offset)
		return -EINVAL;
	return 0;
}

/* Jobs of one context run in order, so they need not wait for each other. */
static bool sundog_submit_must_wait(struct sundog_submit *submit, struct dma_fence *fence)
{
	return fence->context != submit->job->fence_context && !dma_fence_is_signaled(fence);
}

/* Takes over the reference to @fence. */
static int sundog_submit_in_sync(struct sundog_submit *submit, struct dma_fence *fence)
{
	if (sundog_submit_must_wait(submit, fence))
		return sundog_job_wait_for(submit->job, fence);
	dma_fence_put(fence);
	return 0;
}

static int sundog_submit_wait_sync(struct sundog_submit *submit, const struct drm_sundog_sync *sync)
{
	struct dma_fence *fence;
	int ret;

	ret = drm_syncobj_find_fence(submit->file, sync->handle, sync->point, 0, &fence);
	return ret ?: sundog_submit_in_sync(submit, fence);
}

static int sundog_submit_signal_sync(struct sundog_submit *submit,
				     const struct drm_sundog_sync *sync)
{
	struct sundog_out_sync *out = &submit->outs[submit->n_outs];

	out->syncobj = drm_syncobj_find(submit->file, sync->handle);
	if (!out->syncobj)
		return -ENOENT;
	submit->n_outs++;
	out->point = sync->point;
	if (sync->point) {
		out->chain = dma_fence_chain_alloc();
		if (!out->chain)
			return -ENOMEM;
	}
	return 0;
}

static int sundog_submit_add_sync(struct sundog_submit *submit, const struct drm_sundog_sync *sync)
{
	const bool has_point = sync->type == DRM_SUNDOG_SYNC_TYPE_TIMELINE;

	if (sync->pad || sync->type > DRM_SUNDOG_SYNC_TYPE_TIMELINE || has_point != !!sync->point)
		return -EINVAL;
	switch (sync->flags) {
	case DRM_SUNDOG_SYNC_WAIT:
		return sundog_submit_wait_sync(submit, sync);
	case DRM_SUNDOG_SYNC_SIGNAL:
		return sundog_submit_signal_sync(submit, sync);
	default:
		return -EINVAL;
	}
}

static int sundog_submit_add_syncs(struct sundog_submit *submit)
{
	const struct drm_sundog_submit *args = submit->args;
	const struct sundog_array array = { args->syncs, args->n_syncs, args->sync_stride };
	struct drm_sundog_sync few[SUNDOG_FEW_SYNCS], *syncs;
	u32 i;
	int ret = 0;

	syncs = sundog_array_read(&array, sizeof(*syncs), SUNDOG_MAX_SYNCS, few, ARRAY_SIZE(few));
	if (IS_ERR_OR_NULL(syncs))
		return PTR_ERR_OR_ZERO(syncs);
	submit->outs = submit->few_outs;
	if (args->n_syncs > SUNDOG_FEW_SYNCS)
		submit->outs = kvcalloc(args->n_syncs, sizeof(*submit->outs), GFP_KERNEL);
	if (!submit->outs)
		ret = -ENOMEM;
	for (i = 0; !ret && i < args->n_syncs; i++) {
		cond_resched();
		ret = fatal_signal_pending(current) ? -EINTR :
						      sundog_submit_add_sync(submit, &syncs[i]);
	}
	sundog_array_free(syncs, few);
	return ret;
}

static void sundog_submit_free_outs(struct sundog_submit *submit)
{
	u32 i;

	if (!submit->outs)
		return;
	for (i = 0; i < submit->n_outs; i++) {
		drm_syncobj_put(submit->outs[i].syncobj);
		dma_fence_chain_free(submit->outs[i].chain);
	}
	if (submit->outs != submit->few_outs)
		kvfree(submit->outs);
}

/* PRIVATE allocations share one dma_resv, which is locked by the first of them. */
static bool sundog_submit_is_locked(struct sundog_submit *submit, struct sundog_bo *bo)
{
	if (!bo->file_resv)
		return false;
	if (submit->private)
		return true;
	submit->private = bo;
	return false;
}

/*
 * Merges allocations that came under several handles. Afterwards list_pos is the index of each
 * allocation in the job, and eviction skips it. All dma_resv must be locked.
 */
static void sundog_submit_merge(struct sundog_submit *submit)
{
	struct sundog_job *job = submit->job;
	u32 i, pos, n = 0;
	struct sundog_bo *bo;

	for (i = 0; i < job->n_bos; i++) {
		bo = job->bos[i];
		pos = bo->list_pos;
		if (pos == SUNDOG_NOT_LISTED) {
			bo->list_pos = n;
			WRITE_ONCE(bo->was_listed, true);
			submit->flags[n] = submit->flags[i];
			job->bos[n++] = bo;
			continue;
		}
		submit->flags[pos] |= submit->flags[i];
		/* Not the last references: the job holds the same allocation at @pos. */
		ttm_bo_fini(&bo->tbo);
		sundog_bo_put(bo);
	}
	job->n_bos = n;
	submit->n_held = n;
}

/* Counts the job's bos, and its privates if they have a list_pos. */
static u32 sundog_submit_count(const struct sundog_submit *submit)
{
	const struct sundog_job *job = submit->job;

	return job->n_bos + (submit->are_listed ? job->privates->n : 0);
}

static struct sundog_bo *sundog_submit_bo(const struct sundog_submit *submit, u32 i)
{
	const struct sundog_job *job = submit->job;

	return i < job->n_bos ? job->bos[i] : job->privates->list[i - job->n_bos].bo;
}

/* Gives the privates a list_pos. A locked dma_resv is not enough if something has to move. */
static void sundog_submit_list_privates(struct sundog_submit *submit)
{
	u32 i;

	if (!submit->job->privates)
		return;
	submit->are_listed = true;
	for (i = submit->job->n_bos; i < sundog_submit_count(submit); i++)
		if (sundog_submit_bo(submit, i)->list_pos == SUNDOG_NOT_LISTED)
			sundog_submit_bo(submit, i)->list_pos = i;
}

/* Undoes sundog_submit_merge() and sundog_submit_list_privates(). All dma_resv must be locked. */
static void sundog_submit_unlist(struct sundog_submit *submit)
{
	u32 i;

	for (i = 0; i < sundog_submit_count(submit); i++)
		sundog_submit_bo(submit, i)->list_pos = SUNDOG_NOT_LISTED;
	submit->are_listed = false;
}

/*
 * Counts the allocations that are to be brought into VRAM, each once. Sets @size to the bytes of
 * all that must be in VRAM together.
 */
static u32 sundog_submit_count_away(struct sundog_submit *submit, u64 *size)
{
	struct sundog_bo *bo;
	u32 i, away = 0;

	*size = 0;
	for (i = 0; i < sundog_submit_count(submit); i++) {
		bo = sundog_submit_bo(submit, i);
		if (bo->list_pos != i || !sundog_bo_needs_vram(bo))
			continue;
		*size += bo->tbo.base.size;
		away += !sundog_bo_is_ready(bo);
	}
	return away;
}

/*
 * Returns true if no allocation has to move. May return false without need, because an allocation
 * that is also among the privates is counted twice.
 */
static bool sundog_submit_is_ready(struct sundog_submit *submit)
{
	struct sundog_private_list *privates = submit->job->privates;
	u64 size;

	if (privates && !sundog_private_list_is_current(privates))
		return false;
	if (sundog_submit_count_away(submit, &size))
		return false;
	return size + (privates ? privates->size : 0) <= submit->job->ctx->sdev->vram_size;
}

/* Returns the number of allocations to bring into VRAM; -E2BIG if they cannot be there together. */
static int sundog_submit_must_place(struct sundog_submit *submit)
{
	int away;
	u64 size;

	if (sundog_submit_is_ready(submit))
		return 0;
	sundog_submit_list_privates(submit);
	away = sundog_submit_count_away(submit, &size);
	return size > submit->job->ctx->sdev->vram_size ? -E2BIG : away;
}

static int sundog_submit_place_all(struct sundog_submit *submit)
{
	int ret = 0;
	u32 i;

	for (i = 0; !ret && i < sundog_submit_count(submit); i++)
		ret = sundog_evict_place(sundog_submit_bo(submit, i), &submit->evict);
	return ret;
}

static int sundog_submit_evict_all(struct sundog_submit *submit)
{
	int ret = 0;
	u32 i;

	for (i = 0; !ret && i < sundog_submit_count(submit); i++)
		ret = sundog_evict_bo(sundog_submit_bo(submit, i), &submit->evict);
	return ret;
}

/*
 * Brings the job's allocations into VRAM. Each is one range, so those that are there may block the
 * rest. As the last resort all are evicted, and placed again without gaps.
 */
static int sundog_submit_place(struct sundog_submit *submit)
{
	int ret = sundog_submit_must_place(submit);

	if (ret <= 0)
		return ret;
	ret = submit->evict.repack ? sundog_submit_evict_all(submit) : 0;
	return ret ?: sundog_submit_place_all(submit);
}

/* Imports of one dma-buf share its dma_resv, where reservations of slots do not add up. */
static int sundog_submit_lock_bo(struct sundog_submit *submit, struct sundog_bo *bo)
{
	if (!bo || sundog_submit_is_locked(submit, bo))
		return 0;
	return drm_exec_prepare_obj(&submit->exec, sundog_bo_lock_obj(bo),
				    bo->guest ? SUNDOG_FENCE_USAGES : 1);
}

/* On contention drm_exec drops all locks. Other drivers' dma_resv come last, for a short time. */
static int sundog_submit_lock_bos(struct sundog_submit *submit)
{
	struct sundog_job *job = submit->job;
	int ret;
	u32 i;

	submit->private = NULL;
	ret = sundog_submit_lock_bo(submit, submit->first_private);
	for (i = 0; !ret && i < job->n_bos; i++)
		if (!job->bos[i]->guest)
			ret = sundog_submit_lock_bo(submit, job->bos[i]);
	for (i = 0; !ret && i < job->n_bos; i++)
		if (job->bos[i]->guest)
			ret = sundog_submit_lock_bo(submit, job->bos[i]);
	return ret;
}

/* In the reverse order of locking, for which drm_exec_unlock_obj() is fast. */
static void sundog_submit_unlock_bos(struct sundog_submit *submit)
{
	struct sundog_job *job = submit->job;
	u32 i;

	for (i = job->n_bos; i--;)
		if (job->bos[i]->guest)
			drm_exec_unlock_obj(&submit->exec, &job->bos[i]->tbo.base);
	for (i = job->n_bos; i--;)
		if (!job->bos[i]->guest && !job->bos[i]->file_resv)
			drm_exec_unlock_obj(&submit->exec, &job->bos[i]->tbo.base);
	if (submit->private)
		drm_exec_unlock_obj(&submit->exec, sundog_bo_lock_obj(submit->private));
}

/* The job's BOs are unlocked while the call waits for a victim or a revoke, see sundog_evict.c. */
static int sundog_submit_try_lock(struct sundog_submit *submit)
{
	int ret;

	do {
		ret = sundog_evict_wait(&submit->evict, &submit->exec);
		if (!ret)
			ret = sundog_submit_lock_bos(submit);
		if (ret)
			return ret;
		sundog_submit_merge(submit);
		submit->evict.resv = submit->private ? submit->private->tbo.base.resv : NULL;
		ret = sundog_submit_place(submit);
		if (!ret)
			return 0;
		sundog_submit_unlist(submit);
		sundog_submit_unlock_bos(submit);
		if (ret == -ENOSPC)
			ret = sundog_evict_more(&submit->evict);
	} while (!ret);
	return ret;
}

/* Returns -EALREADY if the call has to queue for the claim of VRAM, see sundog_evict_claim(). */
static int sundog_submit_lock_once(struct sundog_submit *submit)
{
	int ret = 0;

	drm_exec_init(&submit->exec, DRM_EXEC_INTERRUPTIBLE_WAIT | DRM_EXEC_IGNORE_DUPLICATES,
		      submit->job->n_bos + 1);
	drm_exec_until_all_locked(&submit->exec) {
		ret = sundog_submit_try_lock(submit);
		drm_exec_retry_on_contention(&submit->exec);
		if (ret)
			break;
	}
	if (ret)
		drm_exec_fini(&submit->exec);
	return ret;
}

/* Locks the job's allocations and brings them into VRAM; on failure nothing is locked. */
static int sundog_submit_lock_placed(struct sundog_submit *submit)
{
	int ret;

	sundog_evict_init(&submit->evict, submit->job->ctx->sdev, 0);
	do {
		ret = sundog_submit_lock_once(submit);
	} while (ret == -EALREADY && !(ret = sundog_evict_claim(&submit->evict)));
	sundog_evict_fini(&submit->evict);
	return ret == -E2BIG ? -ENOSPC : ret;
}

/* Another driver may share the allocation of the stream, which keeps it out of VRAM. */
static bool sundog_submit_stream_is_away(struct sundog_submit *submit)
{
	return submit->stream && !sundog_bo_needs_vram(submit->stream);
}

static void sundog_submit_unlock(struct sundog_submit *submit)
{
	sundog_submit_unlist(submit);
	drm_exec_fini(&submit->exec);
}

static void sundog_submit_touch(struct sundog_submit *submit)
{
	struct sundog_job *job = submit->job;
	spinlock_t *lru_lock = &job->ctx->sdev->ttm.lru_lock;
	u32 i;

	spin_lock(lru_lock);
	for (i = 0; i < job->n_bos; i++)
		ttm_bo_move_to_lru_tail(&job->bos[i]->tbo);
	spin_unlock(lru_lock);
	if (job->privates)
		sundog_private_list_touch(job->privates);
}

/* All privates are in VRAM, and their dma_resv is locked. */
static int sundog_submit_write_privates(struct sundog_submit *submit)
{
	struct sundog_job *job = submit->job;
	int ret;

	if (!job->privates)
		return 0;
	ret = sundog_private_list_write(job->privates);
	if (!ret)
		job->snapshot = sundog_list_snapshot_get(job->privates->snapshot);
	return ret;
}

/* An allocation that is only the stream has no flags, and no list entry. */
static void sundog_submit_build_list(struct sundog_submit *submit)
{
	struct sundog_job *job = submit->job;
	u32 i;

	for (i = 0; i < job->n_bos; i++)
		if (submit->flags[i])
			sundog_bo_list_entry(job->bos[i], submit->flags[i],
					     &job->list[job->n_list++]);
	job->entry.list_count = cpu_to_le32(job->n_list + (job->snapshot ? job->snapshot->n : 0));
}

static void sundog_submit_build_entry(struct sundog_submit *submit)
{
	struct sundog_ring_entry *entry = &submit->job->entry;
	const struct drm_sundog_submit *args = submit->args;

	if (!submit->stream)
		return;
	entry->stream_handle = cpu_to_le32(submit->stream->handle);
	entry->stream_generation = cpu_to_le64(submit->stream->generation);
	entry->stream_offset = cpu_to_le64(args->stream_offset);
	entry->stream_dwords = cpu_to_le32(args->stream_size / 4);
}

/* Without IMPLICIT, and for the stream, the job waits for kernel fences only, such as moves. */
static enum dma_resv_usage sundog_submit_waits_for(u32 flags)
{
	if (!(flags & DRM_SUNDOG_SUBMIT_IMPLICIT))
		return DMA_RESV_USAGE_KERNEL;
	return dma_resv_usage_rw(flags & DRM_SUNDOG_SUBMIT_WRITE);
}

static enum dma_resv_usage sundog_submit_is_waited_for(u32 flags)
{
	if (!(flags & DRM_SUNDOG_SUBMIT_IMPLICIT))
		return DMA_RESV_USAGE_BOOKKEEP;
	return flags & DRM_SUNDOG_SUBMIT_WRITE ? DMA_RESV_USAGE_WRITE : DMA_RESV_USAGE_READ;
}

/*
 * Like drm_sched_job_add_resv_dependencies(), but skips signalled fences, which a dma_resv keeps
 * while it has room. Other clients may have added any number of fences, and may wait for the locks
 * that this thread holds. Therefore a fatal signal ends the loop.
 */
static int sundog_submit_add_deps(struct sundog_submit *submit, struct sundog_deps *deps,
				  struct sundog_bo *bo, enum dma_resv_usage usage)
{
	struct dma_resv_iter cursor;
	struct dma_fence *fence;
	int ret;

	dma_resv_for_each_fence(&cursor, bo->tbo.base.resv, usage, fence) {
		if (!sundog_submit_must_wait(submit, fence))
			continue;
		if (fatal_signal_pending(current))
			return -EINTR;
		ret = sundog_deps_add(deps, fence);
		if (ret)
			return ret;
		cond_resched();
	}
	return 0;
}

static int sundog_submit_collect_deps(struct sundog_submit *submit, struct sundog_deps *deps)
{
	struct sundog_job *job = submit->job;
	int ret = 0;
	u32 i;

	if (submit->private)
		ret = sundog_submit_add_deps(submit, deps, submit->private, DMA_RESV_USAGE_KERNEL);
	for (i = 0; !ret && i < job->n_bos; i++)
		if (!job->bos[i]->file_resv)
			ret = sundog_submit_add_deps(submit, deps, job->bos[i],
						     sundog_submit_waits_for(submit->flags[i]));
	return ret;
}

static int sundog_submit_implicit_deps(struct sundog_submit *submit)
{
	struct sundog_deps deps;
	int ret;

	sundog_deps_init(&deps, submit->job);
	ret = sundog_submit_collect_deps(submit, &deps);
	if (!ret)
		ret = sundog_deps_finish(&deps);
	sundog_deps_fini(&deps);
	return ret;
}

/* Adds one fence per dma_resv, as reserved; sundog_submit_lock_bo() explains imports. */
static void sundog_submit_add_fences(struct sundog_submit *submit, struct dma_fence *fence)
{
	struct sundog_job *job = submit->job;
	u32 i;

	if (submit->private)
		dma_resv_add_fence(submit->private->tbo.base.resv, fence, DMA_RESV_USAGE_BOOKKEEP);
	for (i = 0; i < job->n_bos; i++)
		if (!job->bos[i]->file_resv)
			dma_resv_add_fence(job->bos[i]->tbo.base.resv, fence,
					   sundog_submit_is_waited_for(submit->flags[i]));
}

/*
 * drm_syncobj_add_point() compares a point with all unsignalled points of its timeline. Therefore
 * no dma_resv is locked here.
 */
static void sundog_submit_signal_outs(struct sundog_submit *submit, struct dma_fence *fence)
{
	struct sundog_out_sync *out;
	u32 i;

	for (i = 0; i < submit->n_outs; i++) {
		cond_resched();
		out = &submit->outs[i];
		if (out->chain) {
			drm_syncobj_add_point(out->syncobj, out->chain, fence, out->point);
			out->chain = NULL;
		} else {
			drm_syncobj_replace_fence(out->syncobj, fence);
		}
	}
}

/* Skips the privates: no other file uses them, and they are in the file's own extents. */
static void sundog_submit_note_uses(struct sundog_submit *submit)
{
	const struct sundog_file *sfile = submit->file->driver_priv;
	struct sundog_job *job = submit->job;
	u32 i;

	for (i = 0; i < job->n_bos; i++)
		sundog_vram_note_use(job->bos[i]->tbo.resource, sfile->vram_owner);
}

/*
 * Makes the job a direct or a scheduled one. It is direct if it has no dependency, the last
 * scheduled job of the context is done, and the ring has room, which the job then has taken. A
 * scheduled job also waits for the direct jobs before it. This is the last step that can fail.
 */
static int sundog_submit_select(struct sundog_submit *submit)
{
	struct sundog_job *job = submit->job;
	struct sundog_context *ctx = job->ctx;
	const bool follows = ctx->last && !dma_fence_is_signaled(ctx->last);
	int ret = 0;

	lockdep_assert_held(&ctx->submit_lock);
	if (!job->n_waits && !(follows && ctx->last_was_scheduled) &&
	    sundog_sched_try_claim(ctx->ch, job))
		return 0;
	if (follows && !ctx->last_was_scheduled)
		ret = sundog_job_wait_for(job, dma_fence_get(ctx->last));
	return ret ?: sundog_job_schedule(job, submit->file);
}

/*
 * The call has a GEM reference to the first of the privates only. If RESLIST_UPDATE removed another
 * one meanwhile, the job may have its last reference, and sundog_gem_force_irq() found no fence.
 */
static void sundog_submit_note_update(struct sundog_submit *submit)
{
	struct sundog_job *job = submit->job;

	/* Pairs with sundog_gem_force_irq(): it sees the fence, or we see that the list changed. */
	smp_mb();
	job->force_irq = job->privates &&
			  !sundog_reslist_has_privates(submit->reslist, job->privates);
}

/* Publishes the job's fence. Nothing fails from here on. */
static void sundog_submit_arm(struct sundog_submit *submit)
{
	struct sundog_job *job = submit->job;
	struct sundog_context *ctx = job->ctx;
	struct dma_fence *fence;

	lockdep_assert_held(&ctx->submit_lock);
	job->entry.seqno = cpu_to_le64(++ctx->seqno);
	submit->args->seqno = ctx->seqno;
	ctx->list_ring = submit->list_ring;
	sundog_context_end_job(ctx, SUNDOG_LONGEST_JOB - (int)job->queued);
	fence = sundog_sched_arm_job(job);
	dma_fence_put(ctx->last);
	ctx->last = dma_fence_get(fence);
	ctx->last_was_scheduled = job->is_scheduled;
	trace_sundog_submit(ctx->ch->index, ctx->seqno, le32_to_cpu(job->entry.stream_dwords),
			    le32_to_cpu(job->entry.list_count));
	sundog_submit_add_fences(submit, fence);
	sundog_submit_note_update(submit);
}

static void sundog_submit_build(struct sundog_submit *submit)
{
	struct sundog_job *job = submit->job;

	sundog_submit_build_list(submit);
	sundog_submit_build_entry(submit);
	submit->list_ring = job->ctx->list_ring;
	sundog_sched_plan_list(&submit->list_ring, job);
	if (job->is_copied)
		job->queued = 1;
	job->queued += job->n_deps / SUNDOG_LIST_PER_SLOT;
}

/* Passes a reference to the job on to drm_sched or, for a direct job, to its hardware fence. */
static void sundog_submit_run(struct sundog_job *job)
{
	refcount_inc(&job->refs);
	if (job->is_scheduled)
		drm_sched_entity_push_job(&job->base);
	else
		sundog_sched_run_direct(job);
}

static int sundog_submit_queue(struct sundog_submit *submit)
{
	struct sundog_context *ctx = submit->job->ctx;
	bool cookie;
	int ret;

	ret = mutex_lock_interruptible(&ctx->submit_lock);
	if (ret)
		return ret;
	ret = sundog_submit_lock_placed(submit);
	if (ret)
		goto out_unlock;
	ret = sundog_submit_stream_is_away(submit) ? -EBUSY : sundog_submit_implicit_deps(submit);
	if (!ret)
		ret = sundog_submit_write_privates(submit);
	if (!ret && sundog_context_is_lost(ctx))
		ret = -EIO;
	if (!ret) {
		sundog_submit_build(submit);
		ret = sundog_submit_select(submit);
	}
	if (!ret) {
		sundog_submit_note_uses(submit);
		sundog_submit_touch(submit);
		cookie = dma_fence_begin_signalling();
		sundog_submit_arm(submit);
		sundog_submit_run(submit->job);
		dma_fence_end_signalling(cookie);
	}
	sundog_submit_unlock(submit);
	sundog_submit_release_bos(submit);
	if (!ret)
		sundog_submit_signal_outs(submit, ctx->last);
out_unlock:
	mutex_unlock(&ctx->submit_lock);
	return ret;
}

static int sundog_submit_map_imports(struct sundog_submit *submit)
{
	struct sundog_job *job = submit->job;
	u32 i;
	int ret = 0;

	for (i = 0; !ret && i < job->n_bos; i++)
		ret = sundog_bo_map_import(job->bos[i]);
	return ret;
}

static int sundog_submit_prepare(struct sundog_submit *submit)
{
	int ret;

	ret = sundog_submit_find_allocs(submit);
	if (!ret)
		ret = sundog_submit_find_stream(submit);
	if (!ret)
		ret = sundog_submit_map_imports(submit);
	if (!ret)
		ret = sundog_submit_add_syncs(submit);
	return ret;
}

static int sundog_submit_add_reslist(struct sundog_submit *submit)
{
	struct sundog_job *job = submit->job;
	struct sundog_reslist_entry *entry;
	unsigned long handle;
	int ret;

	ret = sundog_reslist_privates(submit->reslist, &job->privates);
	if (ret)
		return ret;
	if (job->privates) {
		submit->first_private = job->privates->list[0].bo;
		drm_gem_object_get(&submit->first_private->tbo.base);
	}
	xa_for_each(&submit->reslist->entries, handle, entry) {
		drm_gem_object_get(&entry->bo->tbo.base);
		sundog_submit_add_bo(submit, entry->bo, entry->flags);
	}
	return 0;
}

/* Creates a job with arrays for all allocations, and adds those of the residency list. */
static int sundog_submit_create_job(struct sundog_submit *submit, struct sundog_context *ctx)
{
	struct sundog_reslist *reslist = submit->reslist;
	const u32 n_list = submit->args->n_allocs + (reslist ? reslist->n : 0);
	int ret = 0;

	if (n_list > SUNDOG_LIST_ENTRIES)
		return -EINVAL;
	submit->job = sundog_job_create(ctx, n_list - (reslist ? reslist->n_private : 0),
					&submit->flags);
	if (!submit->job)
		return -ENOMEM;
	submit->job->queued = sundog_sched_credits(n_list);
	if (reslist)
		ret = sundog_submit_add_reslist(submit);
	if (ret)
		sundog_job_put(submit->job);
	return ret;
}

/* Holds the lock of the residency list until its allocations are in the job. */
static int sundog_submit_start_job(struct sundog_submit *submit, struct sundog_context *ctx)
{
	int ret;

	if (!submit->reslist)
		return sundog_submit_create_job(submit, ctx);
	mutex_lock(&submit->reslist->lock);
	ret = sundog_submit_create_job(submit, ctx);
	mutex_unlock(&submit->reslist->lock);
	return ret;
}

/* Creates and queues a job; the caller frees the rest of @submit. */
static int sundog_submit_job(struct sundog_submit *submit, struct sundog_context *ctx)
{
	struct sundog_job *job;
	int ret;

	ret = sundog_context_begin_job(ctx);
	if (ret)
		return ret;
	ret = sundog_submit_start_job(submit, ctx);
	if (ret)
		goto err_end;
	job = submit->job;
	ret = sundog_submit_prepare(submit);
	if (!ret)
		ret = sundog_submit_queue(submit);
	if (!ret) {
		sundog_job_put(job);
		return 0;
	}
	if (job->is_scheduled)
		drm_sched_job_cleanup(&job->base);
	sundog_submit_release_bos(submit);
	sundog_job_put(job);
err_end:
	sundog_context_end_job(ctx, SUNDOG_LONGEST_JOB);
	return ret;
}

static int sundog_submit_find_reslist(struct sundog_submit *submit)
{
	if (!submit->args->reslist)
		return 0;
	submit->reslist = sundog_reslist_lookup(submit->file, submit->args->reslist);
	return submit->reslist ? 0 : -ENOENT;
}

/**
 * sundog_ioctl_submit() - DRM_IOCTL_SUNDOG_SUBMIT
 * @drm: DRM device
 * @data: struct drm_sundog_submit
 * @file: DRM file
 *
 * Return: 0 or a negative error code.
 */
int sundog_ioctl_submit(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct sundog_submit submit = { .file = file, .args = data };
	struct sundog_context *ctx;
	int ret;

	ret = sundog_submit_check(submit.args);
	if (ret)
		return ret;
	if (drm_dev_is_unplugged(drm))
		return -ENODEV;
	ctx = sundog_context_lookup(file, submit.args->ctx);
	if (!ctx)
		return -ENOENT;
	ret = sundog_submit_find_reslist(&submit);
	if (!ret)
		ret = sundog_submit_job(&submit, ctx);
	sundog_submit_free_outs(&submit);
	if (submit.reslist)
		sundog_reslist_put(submit.reslist);
	sundog_sched_reap(ctx->ch);
	sundog_context_put(ctx);
	return ret;
}
