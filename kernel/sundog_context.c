// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Contexts: their references, their channel slots, and the number of their queued jobs.
 *
 * The ioctls on contexts, SUBMIT and the scheduler's callbacks call these functions in process
 * context, in works and where fences signal. channels_lock protects the slots; references and job
 * counts are atomic. sundog_context_state.c has the states of a context.
 */

#include <linux/sched/signal.h>
#include <linux/slab.h>

#include <drm/drm_file.h>

#include "sundog_client.h"
#include "sundog_context.h"
#include "sundog_device.h"
#include "sundog_file.h"
#include "sundog_quota.h"
#include "sundog_sched.h"
#include "sundog_stats.h"
#include "sundog_wq.h"

/*
 * Limit for ring slots of jobs that are queued or run. It is larger than the ring, and bounds the
 * memory of their lists.
 */
#define SUNDOG_MAX_QUEUED	1024

static struct sundog_channel *sundog_channel_find_free(struct sundog_device *sdev)
{
	u32 i;

	lockdep_assert_held(&sdev->channels_lock);
	for (i = 0; i < sdev->n_channels; i++)
		if (!sdev->channels[i] || !sdev->channels[i]->ctx)
			return sundog_sched_get_channel(sdev, i);
	return ERR_PTR(-EBUSY);
}

/*
 * Returns true if a slot becomes free without a further call: one that is charged to @quota, or any
 * slot if @quota is NULL.
 */
static bool sundog_channel_is_on_its_way(struct sundog_device *sdev,
					 const struct sundog_quota *quota)
{
	struct sundog_channel *ch;
	u32 i;

	lockdep_assert_held(&sdev->channels_lock);
	for (i = 0; (ch = sundog_sched_channel(sdev, i)); i++)
		if (ch->ctx && READ_ONCE(ch->ctx->abandoned) &&
		    (!quota || quota == ch->ctx->quota || quota == ch->ctx->quota->user))
			return true;
	return false;
}

/* Nothing fails after @ch->ctx is set: other threads then find the context and take references. */
static int sundog_channel_claim_locked(struct sundog_device *sdev, struct sundog_context *ctx)
{
	struct sundog_channel *ch = sundog_channel_find_free(sdev);
	struct drm_gpu_scheduler *sched;
	struct sundog_quota *full = NULL;
	int ret;

	if (!IS_ERR(ch))
		full = sundog_quota_charge_context(ctx->quota);
	if (full || ch == ERR_PTR(-EBUSY))
		return sundog_channel_is_on_its_way(sdev, full) ? -EAGAIN : -EBUSY;
	if (IS_ERR(ch))
		return PTR_ERR(ch);
	sched = &ch->sched;
	ret = drm_sched_entity_init(&ctx->entity, DRM_SCHED_PRIORITY_NORMAL, &sched, 1, NULL);
	if (ret) {
		sundog_quota_uncharge_context(ctx->quota);
		return ret;
	}
	ctx->ch = ch;
	spin_lock(&sdev->command_lock);
	ch->ctx = ctx;
	spin_unlock(&sdev->command_lock);
	return 0;
}

/* Takes the lowest free slot. Returns -EAGAIN if the file cannot have one now, but soon. */
static int sundog_channel_try_claim(struct sundog_device *sdev, struct sundog_context *ctx)
{
	int ret;

	mutex_lock(&sdev->channels_lock);
	ret = sundog_channel_claim_locked(sdev, ctx);
	mutex_unlock(&sdev->channels_lock);
	return ret;
}

/* The close of a file does not wait for its contexts to stop, so the next CONTEXT_CREATE waits. */
static int sundog_channel_claim(struct sundog_device *sdev, struct sundog_context *ctx)
{
	long left = SUNDOG_CREATE_TIMEOUT;
	int seen, ret;

	do {
		seen = atomic_read(&sdev->n_slots_freed);
		ret = sundog_channel_try_claim(sdev, ctx);
		if (ret != -EAGAIN)
			return ret;
		left = wait_event_killable_timeout(sdev->event_wait,
						   atomic_read(&sdev->n_slots_freed) != seen, left);
	} while (left > 0);
	return left ?: -EBUSY;
}

static void sundog_channel_free_slot(struct sundog_channel *ch)
{
	struct sundog_device *sdev = ch->sdev;

	mutex_lock(&sdev->channels_lock);
	sundog_quota_uncharge_context(ch->ctx->quota);
	spin_lock(&sdev->command_lock);
	ch->ctx = NULL;
	spin_unlock(&sdev->command_lock);
	mutex_unlock(&sdev->channels_lock);
	atomic_inc(&sdev->n_slots_freed);
	wake_up_all(&sdev->event_wait);
}

static void sundog_context_free(struct sundog_context *ctx)
{
	struct sundog_device *sdev = ctx->sdev;

	cancel_delayed_work_sync(&ctx->ch->watchdog);
	cancel_delayed_work_sync(&ctx->ch->timeout);
	/* Both hold the last job's fence, and with it the module. */
	dma_fence_put(ctx->last);
	drm_sched_entity_fini(&ctx->entity);
	sundog_channel_free_slot(ctx->ch);
	sundog_client_put(ctx->client);
	sundog_quota_put(ctx->quota);
	mutex_destroy(&ctx->submit_lock);
	kfree(ctx);
	this_cpu_dec(sdev->stats->contexts);
}

/* The context may hold the last reference to the device. */
static void sundog_context_reap(struct work_struct *work)
{
	struct sundog_context *ctx = container_of(work, struct sundog_context, reap);
	struct sundog_device *sdev = ctx->sdev;

	sundog_context_put(ctx);
	drm_dev_put(&sdev->drm);
}

/**
 * sundog_context_new() - create a context with a channel slot that is off
 * @sdev: device
 * @sfile: DRM file that owns the context
 *
 * Waits for a slot if one is about to become free.
 *
 * Return: the context with one reference, -EBUSY if no slot is free or the file or its user has too
 * many, or another error pointer.
 */
struct sundog_context *sundog_context_new(struct sundog_device *sdev, struct sundog_file *sfile)
{
	struct sundog_context *ctx;
	int ret;

	ctx = kzalloc_obj(*ctx, GFP_KERNEL_ACCOUNT);
	if (!ctx)
		return ERR_PTR(-ENOMEM);
	refcount_set(&ctx->refs, 1);
	init_waitqueue_head(&ctx->queue_wait);
	mutex_init(&ctx->submit_lock);
	INIT_WORK(&ctx->reap, sundog_context_reap);
	ctx->sdev = sdev;
	ctx->quota = sfile->quota;
	sundog_quota_get(ctx->quota);
	ctx->fence_context = dma_fence_context_alloc(1);
	get_task_comm(ctx->comm, current->group_leader);
	ctx->pid = task_tgid_nr(current);
	ctx->client = sundog_client_get(sfile, sdev);
	if (IS_ERR(ctx->client)) {
		ret = PTR_ERR(ctx->client);
		goto err_free;
	}
	ret = sundog_channel_claim(sdev, ctx);
	if (ret)
		goto err_put_client;
	this_cpu_inc(sdev->stats->contexts);
	return ctx;

err_put_client:
	sundog_client_put(ctx->client);
err_free:
	sundog_quota_put(ctx->quota);
	mutex_destroy(&ctx->submit_lock);
	kfree(ctx);
	return ERR_PTR(ret);
}

/**
 * sundog_context_get() - take a reference
 * @ctx: context
 */
void sundog_context_get(struct sundog_context *ctx)
{
	refcount_inc(&ctx->refs);
}

/* CONTEXT_DESTROY waits until it holds the only reference. */
static void sundog_context_wake(struct sundog_device *sdev)
{
	if (wq_has_sleeper(&sdev->event_wait))
		wake_up_all(&sdev->event_wait);
}

/**
 * sundog_context_put() - drop a reference; may sleep
 * @ctx: context
 */
void sundog_context_put(struct sundog_context *ctx)
{
	struct sundog_device *sdev = ctx->sdev;

	if (refcount_dec_and_test(&ctx->refs))
		sundog_context_free(ctx);
	else
		sundog_context_wake(sdev);
}

/**
 * sundog_context_put_later() - drop a reference in the fence signalling path
 * @ctx: context
 *
 * sundog_context_free() takes mutexes under which memory is allocated, and waits for works. If the
 * reference is the last one, a work item drops it.
 */
void sundog_context_put_later(struct sundog_context *ctx)
{
	struct sundog_device *sdev = ctx->sdev;

	if (refcount_dec_not_one(&ctx->refs)) {
		sundog_context_wake(sdev);
		return;
	}
	drm_dev_get(&sdev->drm);
	queue_work(sundog_reap_wq, &ctx->reap);
}

/**
 * sundog_context_lookup() - find a context by its id
 * @file: DRM file
 * @id: context id
 *
 * Return: the context with a reference, or NULL.
 */
struct sundog_context *sundog_context_lookup(struct drm_file *file, u32 id)
{
	struct sundog_file *sfile = file->driver_priv;
	struct sundog_context *ctx;

	xa_lock(&sfile->contexts);
	ctx = xa_load(&sfile->contexts, id);
	if (ctx)
		sundog_context_get(ctx);
	xa_unlock(&sfile->contexts);
	return ctx;
}

/**
 * sundog_context_is_lost() - check if a context takes no more jobs
 * @ctx: context
 *
 * Return: true if the context does not run, or its client was killed.
 */
bool sundog_context_is_lost(struct sundog_context *ctx)
{
	return READ_ONCE(ctx->state) != SUNDOG_CHANNEL_STATE_RUN ||
	       READ_ONCE(ctx->client->killed);
}

static bool sundog_context_try_begin_job(struct sundog_context *ctx)
{
	int n = atomic_read(&ctx->n_queued);

	do {
		if (n >= SUNDOG_MAX_QUEUED)
			return false;
	} while (!atomic_try_cmpxchg(&ctx->n_queued, &n, n + SUNDOG_LONGEST_JOB));
	return true;
}

/**
 * sundog_context_begin_job() - wait until the queue has room for a job, and count that job
 * @ctx: context
 *
 * The length of the job is not known yet, so it counts like one with the longest list.
 * sundog_context_end_job() corrects that.
 *
 * Return: 0 or -ERESTARTSYS.
 */
int sundog_context_begin_job(struct sundog_context *ctx)
{
	if (sundog_context_try_begin_job(ctx))
		return 0;
	sundog_sched_force_irq_channel(ctx->ch);
	return wait_event_interruptible(ctx->queue_wait, sundog_context_try_begin_job(ctx));
}

/**
 * sundog_context_end_job() - return queue slots of a job that ended, failed, or is shorter
 * @ctx: context
 * @queued: number of ring slots to return
 *
 * In the fence signalling path.
 */
void sundog_context_end_job(struct sundog_context *ctx, int queued)
{
	atomic_sub(queued, &ctx->n_queued);
	if (wq_has_sleeper(&ctx->queue_wait))
		wake_up(&ctx->queue_wait);
}

/**
 * sundog_context_init() - initialise the device's state for contexts
 * @sdev: device
 */
void sundog_context_init(struct sundog_device *sdev)
{
	spin_lock_init(&sdev->command_lock);
	init_waitqueue_head(&sdev->event_wait);
	/* A faulty program loses contexts again and again. */
	ratelimit_state_init(&sdev->loss_ratelimit, 5 * HZ, 10);
}
