// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The SUBMIT ioctl: from user space's lists to a job in the scheduler's queue.
 *
 * In order: copy the arguments; find the context and wait until its queue has room; find the
 * allocations and the syncobjs; make everything that can fail; then, with submit_lock and the
 * dma_resv of every allocation held, bring each into VRAM, write the allocation list, collect what
 * to wait for, arm the job, and publish its fence.
 * Nothing fails after drm_sched_job_arm(). What happens next is in sundog_sched.c.
 *
 * The list is a snapshot: it says which allocation a {kres, index} means for this job, whatever
 * becomes of the resource later. An allocation's placement cannot change before the job is done,
 * because the job's fence is in its dma_resv before that is unlocked.
 */

#include <linux/dma-fence-chain.h>
#include <linux/slab.h>

#include <drm/drm_exec.h>
#include <drm/drm_file.h>
#include <drm/drm_syncobj.h>
#include "uapi/sundog_drm.h"

#include "sundog_bo.h"
#include "sundog_compat.h"
#include "sundog_context.h"
#include "sundog_device.h"
#include "sundog_ioctl.h"
#include "sundog_room.h"
#include "sundog_sched.h"
#include "sundog_submit.h"
#include "sundog_trace.h"

/* Far more than anybody needs; keeps a caller from pinning kernel memory. */
#define SUNDOG_MAX_SYNCS	1024

#define SUNDOG_SUBMIT_ACCESS	(DRM_SUNDOG_SUBMIT_READ | DRM_SUNDOG_SUBMIT_WRITE)

/**
 * struct sundog_out_sync - a syncobj to signal, with what that takes
 */
struct sundog_out_sync {
	/** @syncobj: syncobj, with a reference */
	struct drm_syncobj *syncobj;
	/** @chain: link for a timeline point, NULL for a binary syncobj */
	struct dma_fence_chain *chain;
	/** @point: the point */
	u64 point;
};

/**
 * struct sundog_submit - one SUBMIT call
 */
struct sundog_submit {
	/** @file: DRM file */
	struct drm_file *file;
	/** @args: arguments */
	struct drm_sundog_submit *args;
	/** @allocs: the allocation list as user space gave it */
	struct drm_sundog_submit_alloc *allocs;
	/** @outs: syncobjs to signal, args->n_out_syncs of them */
	struct sundog_out_sync *outs;
	/** @job: the job that is being made */
	struct sundog_job *job;
	/** @n_held: how many of the job's allocations this call holds by their GEM objects */
	u32 n_held;
	/** @room: this call's part in who may evict, while allocations are locked */
	struct sundog_room room;
	/** @exec: the locked allocations */
	struct drm_exec exec;
};

/* Frees a job that is done, or was never armed; its scheduler part is cleaned up. */
static void sundog_job_free(struct sundog_job *job)
{
	struct sundog_context *ctx = job->ctx;
	struct sundog_device *sdev = ctx->sdev;
	u32 i;

	for (i = 0; i < job->n_bos; i++)
		ttm_bo_put(&job->bos[i]->tbo);
	if (job->fence)
		sundog_hw_fence_free(job->fence);
	kvfree(job->bos);
	kvfree(job->list);
	kfree(job);
	sundog_context_put(ctx);
	atomic_dec(&sdev->stats.jobs);
	drm_dev_put(&sdev->drm);
}

static void sundog_job_reap(struct work_struct *work)
{
	sundog_job_free(container_of(work, struct sundog_job, reap));
}

static struct sundog_job *sundog_job_create(struct sundog_context *ctx, u32 n_list)
{
	struct sundog_job *job = kzalloc(sizeof(*job), GFP_KERNEL_ACCOUNT);

	if (!job)
		return NULL;
	INIT_WORK(&job->reap, sundog_job_reap);
	sundog_context_get(ctx);
	job->ctx = ctx;
	drm_dev_get(&ctx->sdev->drm);
	atomic_inc(&ctx->sdev->stats.jobs);
	job->fence = sundog_hw_fence_alloc(ctx->ch);
	/* The stream may come on top of the list. */
	job->bos = kvmalloc_array(n_list + 1, sizeof(*job->bos), GFP_KERNEL_ACCOUNT);
	job->list = kvmalloc_array(max(n_list, 1u), sizeof(*job->list), GFP_KERNEL_ACCOUNT);
	if (!job->fence || !job->bos || !job->list) {
		sundog_job_free(job);
		return NULL;
	}
	return job;
}

static int sundog_submit_check(const struct drm_sundog_submit *args)
{
	if (args->flags || args->pad)
		return -EINVAL;
	if (args->stream_size % 4 || args->stream_offset % 4 ||
	    args->stream_size / 4 > SUNDOG_MAX_STREAM_DWORDS)
		return -EINVAL;
	if (args->n_allocs > SUNDOG_LIST_ENTRIES || args->n_in_syncs > SUNDOG_MAX_SYNCS ||
	    args->n_out_syncs > SUNDOG_MAX_SYNCS)
		return -EINVAL;
	return 0;
}

/*
 * Adds an allocation to the job. Jobs hold TTM references, see struct sundog_bo; until the job is
 * armed there is a GEM reference as well, because drm_exec works on GEM objects.
 */
static int sundog_submit_add_bo(struct sundog_submit *submit, u32 handle)
{
	struct sundog_job *job = submit->job;
	struct sundog_bo *bo = sundog_bo_lookup(submit->file, handle);

	if (!bo)
		return -ENOENT;
	ttm_bo_get(&bo->tbo);
	job->bos[job->n_bos++] = bo;
	submit->n_held++;
	return 0;
}

static void sundog_submit_release_bos(struct sundog_submit *submit)
{
	while (submit->n_held)
		sundog_bo_put(submit->job->bos[--submit->n_held]);
}

static int sundog_submit_find_allocs(struct sundog_submit *submit)
{
	const struct drm_sundog_submit *args = submit->args;
	const struct sundog_array array = { args->allocs, args->n_allocs, args->alloc_stride };
	u32 flags;
	u32 i;
	int ret;

	submit->allocs = sundog_array_read(&array, sizeof(*submit->allocs), SUNDOG_LIST_ENTRIES);
	if (IS_ERR(submit->allocs)) {
		ret = PTR_ERR(submit->allocs);
		submit->allocs = NULL;
		return ret;
	}
	for (i = 0; i < args->n_allocs; i++) {
		flags = submit->allocs[i].flags;
		if (!(flags & SUNDOG_SUBMIT_ACCESS) ||
		    flags & ~(SUNDOG_SUBMIT_ACCESS | DRM_SUNDOG_SUBMIT_NO_IMPLICIT))
			return -EINVAL;
		ret = sundog_submit_add_bo(submit, submit->allocs[i].handle);
		if (ret)
			return ret;
	}
	return 0;
}

/* The stream is the last of the job's allocations, after those of the list. */
static int sundog_submit_find_stream(struct sundog_submit *submit)
{
	const struct drm_sundog_submit *args = submit->args;
	struct sundog_bo *bo;
	u64 size;
	int ret;

	if (!args->stream_size)
		return 0;
	ret = sundog_submit_add_bo(submit, args->stream);
	if (ret)
		return ret;
	bo = submit->job->bos[args->n_allocs];
	size = bo->tbo.base.size;
	/* The device reads streams in VRAM only. */
	if (bo->guest || args->stream_offset > size ||
	    args->stream_size > size - args->stream_offset)
		return -EINVAL;
	return 0;
}

static int sundog_submit_in_syncs(struct sundog_submit *submit)
{
	const struct drm_sundog_submit *args = submit->args;
	const struct sundog_array array = { args->in_syncs, args->n_in_syncs, args->sync_stride };
	struct drm_sundog_sync *syncs;
	struct dma_fence *fence;
	u32 i;
	int ret = 0;

	syncs = sundog_array_read(&array, sizeof(*syncs), SUNDOG_MAX_SYNCS);
	if (IS_ERR(syncs))
		return PTR_ERR(syncs);
	for (i = 0; !ret && i < args->n_in_syncs; i++) {
		if (syncs[i].flags) {
			ret = -EINVAL;
			break;
		}
		ret = drm_syncobj_find_fence(submit->file, syncs[i].handle, syncs[i].point, 0,
					     &fence);
		if (!ret)
			ret = drm_sched_job_add_dependency(&submit->job->base, fence);
	}
	kvfree(syncs);
	return ret;
}

static int sundog_submit_out_sync(struct sundog_submit *submit, struct sundog_out_sync *out,
				  const struct drm_sundog_sync *sync)
{
	if (sync->flags)
		return -EINVAL;
	out->syncobj = drm_syncobj_find(submit->file, sync->handle);
	if (!out->syncobj)
		return -ENOENT;
	out->point = sync->point;
	if (sync->point) {
		out->chain = dma_fence_chain_alloc();
		if (!out->chain)
			return -ENOMEM;
	}
	return 0;
}

static int sundog_submit_out_syncs(struct sundog_submit *submit)
{
	const struct drm_sundog_submit *args = submit->args;
	const struct sundog_array array = { args->out_syncs, args->n_out_syncs, args->sync_stride };
	struct drm_sundog_sync *syncs;
	u32 i;
	int ret = 0;

	syncs = sundog_array_read(&array, sizeof(*syncs), SUNDOG_MAX_SYNCS);
	if (IS_ERR_OR_NULL(syncs))
		return PTR_ERR_OR_ZERO(syncs);
	submit->outs = kvcalloc(args->n_out_syncs, sizeof(*submit->outs), GFP_KERNEL);
	if (!submit->outs)
		ret = -ENOMEM;
	for (i = 0; !ret && i < args->n_out_syncs; i++)
		ret = sundog_submit_out_sync(submit, &submit->outs[i], &syncs[i]);
	kvfree(syncs);
	return ret;
}

static void sundog_submit_free_outs(struct sundog_submit *submit)
{
	u32 i;

	if (!submit->outs)
		return;
	for (i = 0; i < submit->args->n_out_syncs; i++) {
		if (submit->outs[i].syncobj)
			drm_syncobj_put(submit->outs[i].syncobj);
		dma_fence_chain_free(submit->outs[i].chain);
	}
	kvfree(submit->outs);
}

static int sundog_submit_lock(struct sundog_submit *submit)
{
	struct sundog_job *job = submit->job;
	u32 i;
	int ret = 0;

	drm_exec_init(&submit->exec, DRM_EXEC_INTERRUPTIBLE_WAIT | DRM_EXEC_IGNORE_DUPLICATES,
		      job->n_bos);
	drm_exec_until_all_locked(&submit->exec) {
		for (i = 0; i < job->n_bos; i++) {
			ret = drm_exec_prepare_obj(&submit->exec, &job->bos[i]->tbo.base, 1);
			drm_exec_retry_on_contention(&submit->exec);
			if (ret)
				return ret;
		}
	}
	return ret;
}

/* The locked allocations: what the job uses, once each. */
static struct sundog_bo *sundog_submit_locked(struct sundog_submit *submit, u32 i)
{
	return i < submit->exec.num_objects ? to_sundog_bo(submit->exec.objects[i]) : NULL;
}

/* How many of them are not in VRAM; -E2BIG if they cannot be there together. */
static int sundog_submit_must_place(struct sundog_submit *submit)
{
	struct sundog_device *sdev = submit->job->ctx->sdev;
	struct sundog_bo *bo;
	u64 size = 0;
	int away = 0;
	u32 i;

	for (i = 0; (bo = sundog_submit_locked(submit, i)); i++) {
		if (!sundog_bo_needs_vram(bo))
			continue;
		size += bo->tbo.base.size;
		away += !sundog_bo_is_ready(bo);
	}
	return size > sdev->vram_size ? -E2BIG : away;
}

static int sundog_submit_place_all(struct sundog_submit *submit, struct ttm_operation_ctx *ctx)
{
	struct sundog_bo *bo;
	int ret = 0;
	u32 i;

	for (i = 0; !ret && (bo = sundog_submit_locked(submit, i)); i++)
		ret = sundog_bo_place(bo, ctx);
	return ret;
}

static int sundog_submit_evict_all(struct sundog_submit *submit, struct ttm_operation_ctx *ctx)
{
	struct sundog_bo *bo;
	int ret = 0;
	u32 i;

	for (i = 0; !ret && (bo = sundog_submit_locked(submit, i)); i++)
		ret = sundog_bo_evict(bo, ctx);
	return ret;
}

/*
 * Brings what the job uses into VRAM. What is there already may be in the way of the rest, for each
 * allocation is one range: the last resort takes that out, and packs everything anew.
 */
static int sundog_submit_place(struct sundog_submit *submit, enum sundog_room_stage stage)
{
	struct ttm_operation_ctx ctx = { .interruptible = true };
	int ret;

	ret = sundog_submit_must_place(submit);
	if (ret <= 0)
		return ret;
	ret = sundog_submit_place_all(submit, &ctx);
	if (ret != -ENOSPC || stage != SUNDOG_ROOM_ALL)
		return ret;
	ret = sundog_submit_evict_all(submit, &ctx);
	return ret ?: sundog_submit_place_all(submit, &ctx);
}

/* Locks what the job uses, in VRAM; on failure nothing is locked. */
static int sundog_submit_lock_placed(struct sundog_submit *submit)
{
	struct sundog_room *room = &submit->room;
	int ret;

	ret = sundog_room_begin(room, submit->job->ctx->sdev);
	if (ret)
		return ret;
	for (;;) {
		ret = sundog_submit_lock(submit);
		if (!ret)
			ret = sundog_submit_place(submit, room->stage);
		if (!ret)
			return 0;
		drm_exec_fini(&submit->exec);
		if (ret != -ENOSPC)
			break;
		ret = sundog_room_more(room);
		if (ret)
			return ret;
	}
	sundog_room_end(room);
	return ret == -E2BIG ? -ENOSPC : ret;
}

/* Another driver may share what is to be the stream, and keep it out of VRAM. */
static bool sundog_submit_stream_is_away(struct sundog_submit *submit)
{
	const struct drm_sundog_submit *args = submit->args;

	return args->stream_size && !sundog_bo_needs_vram(submit->job->bos[args->n_allocs]);
}

/* In this order: who evicts alone can count on nobody else to hold anything. */
static void sundog_submit_unlock(struct sundog_submit *submit)
{
	drm_exec_fini(&submit->exec);
	sundog_room_end(&submit->room);
}

/* What is used now is evicted last. */
static void sundog_submit_touch(struct sundog_submit *submit)
{
	spinlock_t *lru_lock = &submit->job->ctx->sdev->ttm.lru_lock;
	struct sundog_bo *bo;
	u32 i;

	spin_lock(lru_lock);
	for (i = 0; (bo = sundog_submit_locked(submit, i)); i++)
		ttm_bo_move_to_lru_tail(&bo->tbo);
	spin_unlock(lru_lock);
}

/* One entry per allocation: what is listed twice, perhaps under two handles, gets both accesses. */
static void sundog_submit_add_entry(struct sundog_job *job, struct sundog_bo *bo, u32 flags)
{
	struct sundog_list_entry *entry;
	u64 name;

	if (bo->list_pos == SUNDOG_NOT_LISTED) {
		bo->list_pos = job->entry.list_count++;
		bo->list_implicit = false;
		name = READ_ONCE(bo->name);
		job->list[bo->list_pos] = (struct sundog_list_entry) {
			.kres = upper_32_bits(name),
			.index = name ? lower_32_bits(name) : bo->handle,
			.handle = bo->handle,
			.generation = bo->generation,
		};
	}
	entry = &job->list[bo->list_pos];
	if (flags & DRM_SUNDOG_SUBMIT_READ)
		entry->access |= SUNDOG_ACCESS_READ;
	if (flags & DRM_SUNDOG_SUBMIT_WRITE)
		entry->access |= SUNDOG_ACCESS_WRITE;
	if (!(flags & DRM_SUNDOG_SUBMIT_NO_IMPLICIT))
		bo->list_implicit = true;
}

/* Leaves in each list_pos where the allocation is in the list. */
static void sundog_submit_build_list(struct sundog_submit *submit)
{
	struct sundog_job *job = submit->job;
	u32 i;

	for (i = 0; i < submit->args->n_allocs; i++)
		sundog_submit_add_entry(job, job->bos[i], submit->allocs[i].flags);
}

static void sundog_submit_build_entry(struct sundog_submit *submit)
{
	struct sundog_ring_entry *entry = &submit->job->entry;
	const struct drm_sundog_submit *args = submit->args;
	struct sundog_bo *stream;

	if (!args->stream_size)
		return;
	stream = submit->job->bos[args->n_allocs];
	entry->stream_handle = stream->handle;
	entry->stream_generation = stream->generation;
	entry->stream_offset = args->stream_offset;
	entry->stream_dwords = args->stream_size / 4;
}

static enum dma_resv_usage sundog_submit_waits_for(u32 flags)
{
	if (flags & DRM_SUNDOG_SUBMIT_NO_IMPLICIT)
		return DMA_RESV_USAGE_KERNEL;
	return dma_resv_usage_rw(flags & DRM_SUNDOG_SUBMIT_WRITE);
}

static int sundog_submit_implicit_deps(struct sundog_submit *submit)
{
	struct sundog_job *job = submit->job;
	enum dma_resv_usage usage;
	u32 i;
	int ret = 0;

	for (i = 0; !ret && i < job->n_bos; i++) {
		usage = i < submit->args->n_allocs ?
			sundog_submit_waits_for(submit->allocs[i].flags) : DMA_RESV_USAGE_KERNEL;
		ret = drm_sched_job_add_resv_dependencies(&job->base, job->bos[i]->tbo.base.resv,
							  usage);
	}
	return ret;
}

/* Others wait for it as their own use asks for, or not at all. */
static enum dma_resv_usage sundog_submit_is_waited_for(const struct sundog_bo *bo, u32 access)
{
	if (!bo->list_implicit)
		return DMA_RESV_USAGE_BOOKKEEP;
	return access & SUNDOG_ACCESS_WRITE ? DMA_RESV_USAGE_WRITE : DMA_RESV_USAGE_READ;
}

/* Once per allocation, for there is room for one; resets the list_pos of each. */
static void sundog_submit_add_fences(struct sundog_submit *submit, struct dma_fence *fence)
{
	struct sundog_job *job = submit->job;
	u32 n = submit->args->n_allocs;
	struct sundog_bo *bo;
	u32 access;
	u32 i;

	if (job->n_bos > n && job->bos[n]->list_pos == SUNDOG_NOT_LISTED)
		dma_resv_add_fence(job->bos[n]->tbo.base.resv, fence, DMA_RESV_USAGE_BOOKKEEP);
	for (i = 0; i < n; i++) {
		bo = job->bos[i];
		if (bo->list_pos == SUNDOG_NOT_LISTED)
			continue;
		access = job->list[bo->list_pos].access;
		bo->list_pos = SUNDOG_NOT_LISTED;
		dma_resv_add_fence(bo->tbo.base.resv, fence,
				   sundog_submit_is_waited_for(bo, access));
	}
}

static void sundog_submit_signal_outs(struct sundog_submit *submit, struct dma_fence *fence)
{
	struct sundog_out_sync *out;
	u32 i;

	for (i = 0; i < submit->args->n_out_syncs; i++) {
		out = &submit->outs[i];
		if (out->chain) {
			drm_syncobj_add_point(out->syncobj, out->chain, fence, out->point);
			out->chain = NULL;
		} else {
			drm_syncobj_replace_fence(out->syncobj, fence);
		}
	}
}

/* Past the last failure. */
static void sundog_submit_arm(struct sundog_submit *submit)
{
	struct sundog_job *job = submit->job;
	struct sundog_context *ctx = job->ctx;
	struct dma_fence *finished;

	lockdep_assert_held(&ctx->submit_lock);
	job->entry.seqno = ++ctx->seqno;
	submit->args->seqno = job->entry.seqno;
	drm_sched_job_arm(&job->base);
	finished = &job->base.s_fence->finished;
	trace_sundog_submit(ctx->ch->index, job->entry.seqno, job->entry.stream_dwords,
			    job->entry.list_count);
	sundog_submit_add_fences(submit, finished);
	sundog_submit_signal_outs(submit, finished);
}

static int sundog_submit_queue(struct sundog_submit *submit)
{
	struct sundog_job *job = submit->job;
	struct sundog_context *ctx = job->ctx;
	int ret;

	ret = mutex_lock_interruptible(&ctx->submit_lock);
	if (ret)
		return ret;
	ret = sundog_submit_lock_placed(submit);
	if (ret)
		goto out_unlock;
	ret = sundog_submit_stream_is_away(submit) ? -EBUSY : sundog_submit_implicit_deps(submit);
	if (!ret && sundog_context_is_lost(ctx))
		ret = -EIO;
	if (!ret) {
		sundog_submit_build_list(submit);
		sundog_submit_build_entry(submit);
		sundog_submit_arm(submit);
		sundog_submit_touch(submit);
	}
	sundog_submit_unlock(submit);
	sundog_submit_release_bos(submit);
	/* Once it is pushed the job can be gone at any time. */
	if (!ret)
		drm_sched_entity_push_job(&job->base);
out_unlock:
	mutex_unlock(&ctx->submit_lock);
	return ret;
}

static int sundog_submit_prepare(struct sundog_submit *submit)
{
	int ret;

	ret = sundog_submit_find_allocs(submit);
	if (!ret)
		ret = sundog_submit_find_stream(submit);
	if (!ret)
		ret = sundog_submit_in_syncs(submit);
	if (!ret)
		ret = sundog_submit_out_syncs(submit);
	return ret;
}

/* Makes a job and queues it; the caller frees what is left of the call. */
static int sundog_submit_job(struct sundog_submit *submit, struct sundog_context *ctx)
{
	u32 n_list = submit->args->n_allocs;
	struct sundog_job *job;
	int ret;

	ret = sundog_context_begin_job(ctx);
	if (ret)
		return ret;
	job = sundog_job_create(ctx, n_list);
	if (!job) {
		ret = -ENOMEM;
		goto err_end;
	}
	submit->job = job;
	ret = drm_sched_job_init(&job->base, &ctx->entity, sundog_sched_credits(n_list),
				 submit->file, submit->file->client_id);
	if (ret)
		goto err_free;
	ret = sundog_submit_prepare(submit);
	if (!ret)
		ret = sundog_submit_queue(submit);
	if (!ret)
		return 0;
	sundog_submit_release_bos(submit);
	drm_sched_job_cleanup(&job->base);
err_free:
	sundog_job_free(job);
err_end:
	sundog_context_end_job(ctx);
	return ret;
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
	ret = sundog_submit_job(&submit, ctx);
	sundog_submit_free_outs(&submit);
	kvfree(submit.allocs);
	sundog_context_put(ctx);
	return ret;
}
