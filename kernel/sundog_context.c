// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Contexts and clients: the life of a channel slot, from CREATE to OFF.
 *
 * The driver posts CREATE, DESTROY and CLIENT_DESTROY; the device answers with an event and a
 * new CHANNEL_STATE. A context that nobody wants any more (destroyed, its file closed, its
 * creator killed while it waited) is *abandoned*: it goes through the same states and frees
 * itself at OFF, so nobody has to wait for it.
 *
 *	CREATING -> RUN -> FAULT -> DEAD -> DESTROYING -> OFF
 *
 * and from RUN and FAULT straight to DESTROYING. Jobs fail, and their memory can be used again, at
 * DEAD or OFF and not before; see sundog_sched.c. A channel that was told to stop and does not is
 * helped along by its watchdog: first the whole client is ended, and if that does not help either,
 * the device is wedged and the memory is quarantined.
 *
 * command_lock protects the states and the commands. It is never held while fences signal.
 */

#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include <drm/drm_device.h>
#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_managed.h>
#include <drm/drm_print.h>
#include <drm/drm_vma_manager.h>
#include "uapi/sundog_drm.h"

#include "sundog_context.h"
#include "sundog_device.h"
#include "sundog_extent.h"
#include "sundog_file.h"
#include "sundog_quota.h"
#include "sundog_sched.h"
#include "sundog_wq.h"

/* How long a channel may take to stop, before it is helped along. */
static unsigned int sundog_stop_timeout_ms = 10000;
module_param_named(stop_timeout_ms, sundog_stop_timeout_ms, uint, 0644);
MODULE_PARM_DESC(stop_timeout_ms,
		 "milliseconds that a channel may take to stop (default 10000)");

/* A new client needs a new worker process, on a machine that may be busy. */
#define SUNDOG_CREATE_TIMEOUT	(30 * HZ)

/* Jobs that may wait or run: more than fills the ring, few enough to bound what they take. */
#define SUNDOG_MAX_QUEUED	1024

/* A context's status page is mapped at its id, below the offsets that GEM gives out. */
#define SUNDOG_MAX_CONTEXT_ID	(DRM_FILE_PAGE_OFFSET_START - 1)

static void sundog_post(struct sundog_device *sdev, enum sundog_channel_op op, u32 client,
			u32 channel)
{
	lockdep_assert_held(&sdev->command_lock);
	sundog_write(sdev, SUNDOG_REG_CHANNEL_CLIENT, client);
	sundog_write(sdev, SUNDOG_REG_CHANNEL_CMD, op << 16 | channel);
}

static unsigned long sundog_stop_timeout(void)
{
	return msecs_to_jiffies(sundog_stop_timeout_ms);
}

static void sundog_client_free(struct kref *kref)
{
	struct sundog_client *client = container_of(kref, struct sundog_client, kref);

	xa_erase(&client->sdev->clients, client->id);
	kfree(client);
}

static void sundog_client_put(struct sundog_client *client)
{
	kref_put(&client->kref, sundog_client_free);
}

static struct sundog_client *sundog_client_create(struct sundog_device *sdev)
{
	struct sundog_client *client = kzalloc(sizeof(*client), GFP_KERNEL_ACCOUNT);
	int ret;

	if (!client)
		return ERR_PTR(-ENOMEM);
	kref_init(&client->kref);
	client->sdev = sdev;
	ret = xa_alloc_cyclic(&sdev->clients, &client->id, client, XA_LIMIT(1, INT_MAX),
			      &sdev->clients_next, GFP_KERNEL);
	if (ret < 0) {
		kfree(client);
		return ERR_PTR(ret);
	}
	return client;
}

/* The file's client; a new one after the last was ended, because it hung or lost its worker. */
static struct sundog_client *sundog_client_get(struct sundog_file *sfile,
					       struct sundog_device *sdev)
{
	struct sundog_client *client;

	mutex_lock(&sfile->lock);
	client = sfile->client;
	if (!client || READ_ONCE(client->killed)) {
		client = sundog_client_create(sdev);
		if (IS_ERR(client))
			goto out_unlock;
		sundog_extents_set_client(sfile->tenant, client->id);
		if (sfile->client) {
			sfile->busy_ns += atomic64_read(&sfile->client->busy_ns);
			sundog_client_put(sfile->client);
		}
		sfile->client = client;
	}
	kref_get(&client->kref);
out_unlock:
	mutex_unlock(&sfile->lock);
	return client;
}

/* The first fault counts, what follows is a consequence. */
static void sundog_context_note_fault(struct sundog_context *ctx, const struct sundog_fault *fault)
{
	struct sundog_device *sdev = ctx->sdev;

	lockdep_assert_held(&sdev->command_lock);
	if (ctx->fault.code || !fault->code)
		return;
	ctx->fault = *fault;
	/* What is not wanted any more may end as it likes. */
	if (ctx->abandoned || !__ratelimit(&sdev->loss_ratelimit))
		return;
	if (fault->guilty)
		drm_warn(&sdev->drm,
			 "%s[%d] lost its context on %s: %s, fault %u in submission %llu at offset 0x%llx, arg 0x%llx\n",
			 ctx->comm, ctx->pid, ctx->ch->name, sundog_fault_name(fault->code),
			 fault->code, fault->seqno, fault->offset, fault->arg);
	else
		drm_warn(&sdev->drm, "%s[%d] lost its context on %s, not by its own fault: %s\n",
			 ctx->comm, ctx->pid, ctx->ch->name, sundog_fault_name(fault->code));
}

/*
 * The worker ended. If it did by itself, who had work there may be the reason, unless the whole
 * renderer went.
 */
static void sundog_context_note_end(struct sundog_context *ctx, u32 code, bool by_itself)
{
	struct sundog_device *sdev = ctx->sdev;
	const struct sundog_fault fault = {
		.code = code,
		.guilty = by_itself && sundog_sched_is_busy(ctx->ch) &&
			  sundog_read(sdev, SUNDOG_REG_RENDERER_STATE) ==
			  SUNDOG_RENDERER_STATE_READY,
	};

	sundog_context_note_fault(ctx, &fault);
}

/*
 * Ends a client and its worker, if that did not end @by_itself; its channels go OFF, or their
 * watchdogs run out. @code is what its contexts are told, 0 if nobody can ask.
 */
static void sundog_client_kill(struct sundog_client *client, u32 code, bool by_itself)
{
	struct sundog_device *sdev = client->sdev;
	struct sundog_channel *ch;
	u32 i;
	int idx;

	if (!drm_dev_enter(&sdev->drm, &idx))
		return;
	spin_lock(&sdev->command_lock);
	if (!client->killed) {
		client->killed = true;
		for (i = 0; (ch = sundog_sched_channel(sdev, i)); i++) {
			/* One that is off was not created yet, and will not be: see start. */
			if (!ch->ctx || ch->ctx->client != client ||
			    ch->ctx->state == SUNDOG_CHANNEL_STATE_OFF)
				continue;
			sundog_context_note_end(ch->ctx, code, by_itself);
			sundog_sched_close(ch);
			ch->ctx->destroy_posted = true;
			mod_delayed_work(sundog_wq, &ch->watchdog, sundog_stop_timeout());
		}
		sundog_post(sdev, SUNDOG_CHANNEL_OP_CLIENT_DESTROY, client->id, 0);
	}
	spin_unlock(&sdev->command_lock);
	drm_dev_exit(idx);
}

/* Takes the lowest free slot. -EAGAIN: there is none, but there will be. */
static struct sundog_channel *sundog_channel_try_claim(struct sundog_device *sdev,
						       struct sundog_context *ctx)
{
	struct sundog_channel *ch = ERR_PTR(-EBUSY);
	u32 i;

	mutex_lock(&sdev->channels_lock);
	for (i = 0; i < sdev->n_channels; i++) {
		if (!sdev->channels[i] || !sdev->channels[i]->ctx) {
			ch = sundog_sched_get_channel(sdev, i);
			break;
		}
		if (READ_ONCE(sdev->channels[i]->ctx->abandoned))
			ch = ERR_PTR(-EAGAIN);
	}
	if (!IS_ERR(ch)) {
		spin_lock(&sdev->command_lock);
		ch->ctx = ctx;
		spin_unlock(&sdev->command_lock);
	}
	mutex_unlock(&sdev->channels_lock);
	return ch;
}

/* Nobody waits for the end of what he closes, so who comes next does. */
static struct sundog_channel *sundog_channel_claim(struct sundog_device *sdev,
						   struct sundog_context *ctx)
{
	long left = SUNDOG_CREATE_TIMEOUT;
	struct sundog_channel *ch;
	int seen;

	do {
		seen = atomic_read(&sdev->n_slots_freed);
		ch = sundog_channel_try_claim(sdev, ctx);
		if (ch != ERR_PTR(-EAGAIN))
			return ch;
		left = wait_event_killable_timeout(sdev->event_wait,
						   atomic_read(&sdev->n_slots_freed) != seen, left);
	} while (left > 0);
	return ERR_PTR(left ?: -EBUSY);
}

static void sundog_channel_free_slot(struct sundog_channel *ch)
{
	struct sundog_device *sdev = ch->sdev;

	mutex_lock(&sdev->channels_lock);
	spin_lock(&sdev->command_lock);
	ch->ctx = NULL;
	spin_unlock(&sdev->command_lock);
	mutex_unlock(&sdev->channels_lock);
	atomic_inc(&sdev->n_slots_freed);
	wake_up_all(&sdev->event_wait);
}

static void sundog_context_free(struct kref *kref)
{
	struct sundog_context *ctx = container_of(kref, struct sundog_context, kref);
	struct sundog_device *sdev = ctx->sdev;

	cancel_delayed_work_sync(&ctx->ch->watchdog);
	/* Also lets go of the last job's fence, and with it of the module. */
	drm_sched_entity_fini(&ctx->entity);
	sundog_channel_free_slot(ctx->ch);
	sundog_client_put(ctx->client);
	mutex_destroy(&ctx->submit_lock);
	kfree(ctx);
	atomic_dec(&sdev->stats.contexts);
}

/**
 * sundog_context_get() - take a reference
 * @ctx: context
 */
void sundog_context_get(struct sundog_context *ctx)
{
	kref_get(&ctx->kref);
}

/**
 * sundog_context_put() - drop a reference; may sleep
 * @ctx: context
 */
void sundog_context_put(struct sundog_context *ctx)
{
	struct sundog_device *sdev = ctx->sdev;

	/* Who destroys it waits to be the last. */
	if (!kref_put(&ctx->kref, sundog_context_free) && wq_has_sleeper(&sdev->event_wait))
		wake_up_all(&sdev->event_wait);
}

/**
 * sundog_context_lookup() - find a context
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
 * sundog_context_is_lost() - does the context take no more work?
 * @ctx: context
 *
 * Return: true if it is lost.
 */
bool sundog_context_is_lost(struct sundog_context *ctx)
{
	return READ_ONCE(ctx->state) != SUNDOG_CHANNEL_STATE_RUN ||
	       READ_ONCE(ctx->client->killed);
}

/**
 * sundog_context_begin_job() - count one more job, as soon as the queue has room for it
 * @ctx: context
 *
 * Return: 0 or -ERESTARTSYS.
 */
int sundog_context_begin_job(struct sundog_context *ctx)
{
	return wait_event_interruptible(ctx->room_wait,
					atomic_add_unless(&ctx->n_queued, 1, SUNDOG_MAX_QUEUED));
}

/**
 * sundog_context_end_job() - a job is done, or was not queued
 * @ctx: context
 *
 * In the fence signalling path.
 */
void sundog_context_end_job(struct sundog_context *ctx)
{
	atomic_dec(&ctx->n_queued);
	wake_up(&ctx->room_wait);
}

/* That the worker ended is said of all its channels alike, and nothing more. */
static bool sundog_fault_is_common(u32 code)
{
	return code == SUNDOG_FAULT_CODE_WORKER || code == SUNDOG_FAULT_CODE_TIMEOUT;
}

static void sundog_context_read_fault(struct sundog_context *ctx)
{
	struct sundog_device *sdev = ctx->sdev;
	u32 i = ctx->ch->index;
	const struct sundog_fault fault = {
		.code = sundog_read(sdev, SUNDOG_REG_CHANNEL_FAULT(i)),
		.guilty = true,
		.seqno = sundog_read64(sdev, SUNDOG_REG_CHANNEL_FAULT_SEQNO(i)),
		.offset = sundog_read64(sdev, SUNDOG_REG_CHANNEL_FAULT_OFFSET(i)),
		.arg = sundog_read64(sdev, SUNDOG_REG_CHANNEL_FAULT_ARG(i)),
	};

	spin_lock(&sdev->command_lock);
	if (sundog_fault_is_common(fault.code))
		sundog_context_note_end(ctx, fault.code, true);
	else
		sundog_context_note_fault(ctx, &fault);
	spin_unlock(&sdev->command_lock);
}

/* The device answered CREATE. */
static void sundog_context_running(struct sundog_context *ctx)
{
	struct sundog_device *sdev = ctx->sdev;

	spin_lock(&sdev->command_lock);
	if (ctx->state == SUNDOG_CHANNEL_STATE_CREATING && !ctx->client->killed) {
		sundog_sched_run(ctx->ch);
		ctx->state = SUNDOG_CHANNEL_STATE_RUN;
	}
	spin_unlock(&sdev->command_lock);
}

/* Comes before the fences that fail: who hears of it from one finds the context lost. */
static void sundog_context_set_lost(struct sundog_context *ctx)
{
	struct sundog_device *sdev = ctx->sdev;

	spin_lock(&sdev->command_lock);
	if (ctx->state == SUNDOG_CHANNEL_STATE_CREATING || ctx->state == SUNDOG_CHANNEL_STATE_RUN) {
		ctx->state = SUNDOG_CHANNEL_STATE_FAULT;
		mod_delayed_work(sundog_wq, &ctx->ch->watchdog, sundog_stop_timeout());
	}
	spin_unlock(&sdev->command_lock);
}

/* Nothing new is decoded, but the host may still work on what it has: wait for DEAD. */
static void sundog_context_faulted(struct sundog_context *ctx)
{
	sundog_context_read_fault(ctx);
	sundog_context_set_lost(ctx);
	sundog_sched_close(ctx->ch);
}

/* At OFF the slot is ours again. */
static void sundog_context_set_stopped(struct sundog_context *ctx, enum sundog_channel_state state)
{
	struct sundog_device *sdev = ctx->sdev;
	enum sundog_channel_state old;

	spin_lock(&sdev->command_lock);
	old = ctx->state;
	if (old != SUNDOG_CHANNEL_STATE_OFF)
		ctx->state = state;
	spin_unlock(&sdev->command_lock);
	if (state == SUNDOG_CHANNEL_STATE_OFF && old != SUNDOG_CHANNEL_STATE_OFF)
		sundog_context_put(ctx);
}

/* DEAD or OFF: nothing of the channel runs. */
static void sundog_context_stopped(struct sundog_context *ctx, enum sundog_channel_state state)
{
	sundog_context_set_lost(ctx);
	cancel_delayed_work(&ctx->ch->watchdog);
	if (ctx->fault.guilty)
		sundog_dump_take(ctx->ch, ctx->comm, ctx->pid, &ctx->fault);
	sundog_sched_stop(ctx->ch, -EIO);
	sundog_sched_release_quarantine(ctx->ch);
	sundog_context_set_stopped(ctx, state);
}

/* Gives back what an abandoned context has on the device, if its state lets us. */
static void sundog_context_wind_up(struct sundog_context *ctx)
{
	struct sundog_device *sdev = ctx->sdev;

	lockdep_assert_held(&sdev->command_lock);
	if (!ctx->abandoned || ctx->destroy_posted)
		return;
	switch (ctx->state) {
	case SUNDOG_CHANNEL_STATE_RUN:
	case SUNDOG_CHANNEL_STATE_FAULT:
	case SUNDOG_CHANNEL_STATE_DEAD:
		break;
	default:
		return;
	}
	sundog_sched_close(ctx->ch);
	ctx->destroy_posted = true;
	ctx->state = SUNDOG_CHANNEL_STATE_DESTROYING;
	mod_delayed_work(sundog_wq, &ctx->ch->watchdog, sundog_stop_timeout());
	sundog_post(sdev, SUNDOG_CHANNEL_OP_DESTROY, ctx->client->id, ctx->ch->index);
}

static void sundog_channel_event(struct sundog_channel *ch)
{
	struct sundog_device *sdev = ch->sdev;
	struct sundog_context *ctx;
	u32 state;

	/*
	 * The state is read with the lock held, so it is not older than what was posted. A context
	 * that is off has not started yet: this event was for the one before it.
	 */
	spin_lock(&sdev->command_lock);
	ctx = ch->ctx;
	if (ctx && (ctx->state == SUNDOG_CHANNEL_STATE_OFF || !kref_get_unless_zero(&ctx->kref)))
		ctx = NULL;
	state = sundog_read(sdev, SUNDOG_REG_CHANNEL_STATE(ch->index));
	spin_unlock(&sdev->command_lock);
	if (!ctx)
		return;

	switch (state) {
	case SUNDOG_CHANNEL_STATE_RUN:
		sundog_context_running(ctx);
		break;
	case SUNDOG_CHANNEL_STATE_FAULT:
		sundog_context_faulted(ctx);
		break;
	case SUNDOG_CHANNEL_STATE_DEAD:
		sundog_context_read_fault(ctx);
		sundog_context_stopped(ctx, state);
		/* Without its worker a client is of no use; the file gets another. */
		if (sundog_fault_is_common(READ_ONCE(ctx->fault.code)))
			sundog_client_kill(ctx->client, ctx->fault.code, true);
		break;
	case SUNDOG_CHANNEL_STATE_OFF:
		sundog_context_read_fault(ctx);
		sundog_context_stopped(ctx, state);
		break;
	}
	spin_lock(&sdev->command_lock);
	sundog_context_wind_up(ctx);
	spin_unlock(&sdev->command_lock);
	wake_up_all(&sdev->event_wait);
	sundog_context_put(ctx);
}

/**
 * sundog_channel_events() - channels changed their state
 * @sdev: device
 *
 * Called from the event interrupt's thread.
 */
void sundog_channel_events(struct sundog_device *sdev)
{
	struct sundog_channel *ch;
	unsigned long bits;
	u32 word, bit;

	for (word = 0; word < SUNDOG_MAX_CHANNELS / 32; word++) {
		bits = sundog_read(sdev, SUNDOG_REG_CHANNEL_EVENTS(word));
		if (!bits)
			continue;
		sundog_write(sdev, SUNDOG_REG_CHANNEL_EVENTS(word), bits);
		for_each_set_bit(bit, &bits, 32) {
			ch = sundog_sched_channel(sdev, word * 32 + bit);
			if (ch)
				sundog_channel_event(ch);
		}
	}
}

static bool sundog_context_is_stopping(struct sundog_context *ctx)
{
	if (READ_ONCE(ctx->ch->stopped))
		return false;
	return READ_ONCE(ctx->destroy_posted) ||
	       READ_ONCE(ctx->state) == SUNDOG_CHANNEL_STATE_FAULT;
}

/* A channel did not stop in time. */
static void sundog_channel_watchdog(struct work_struct *work)
{
	struct sundog_channel *ch = container_of(work, struct sundog_channel, watchdog.work);
	/* Freeing a context waits for this work, so it is there. */
	struct sundog_context *ctx = ch->ctx;
	struct sundog_device *sdev = ch->sdev;

	if (!ctx || !sundog_context_is_stopping(ctx))
		return;
	if (!READ_ONCE(ctx->client->killed)) {
		drm_warn(&sdev->drm, "%s does not stop, ending its client\n", ch->name);
		sundog_client_kill(ctx->client, SUNDOG_FAULT_CODE_TIMEOUT, false);
		return;
	}
	if (!sundog_sched_quarantine(ch))
		return;
	drm_warn(&sdev->drm,
		 "%s does not stop, the device is wedged: its memory stays in use, no new contexts\n",
		 ch->name);
	sundog_sched_stop(ch, -EIO);
}

/* A worker makes no progress: end it. */
static void sundog_context_hang(struct sundog_context *ctx, u64 seqno)
{
	struct sundog_device *sdev = ctx->sdev;
	const struct sundog_fault fault = {
		.code = SUNDOG_FAULT_CODE_TIMEOUT,
		.guilty = true,
		.seqno = seqno,
	};

	drm_warn(&sdev->drm, "%s makes no progress, ending its client\n", ctx->ch->name);
	spin_lock(&sdev->command_lock);
	sundog_context_note_fault(ctx, &fault);
	spin_unlock(&sdev->command_lock);
	sundog_client_kill(ctx->client, fault.code, false);
}

/** sundog_context_sched_funcs - what contexts do for the scheduler */
const struct sundog_sched_funcs sundog_context_sched_funcs = {
	.hang = sundog_context_hang,
	.end_job = sundog_context_end_job,
	.watchdog = sundog_channel_watchdog,
};

/* The file's part of a context's end. Nothing here waits. */
static void sundog_context_abandon(struct sundog_context *ctx)
{
	struct sundog_device *sdev = ctx->sdev;
	int idx;

	if (drm_dev_enter(&sdev->drm, &idx)) {
		spin_lock(&sdev->command_lock);
		ctx->abandoned = true;
		sundog_context_wind_up(ctx);
		spin_unlock(&sdev->command_lock);
		drm_dev_exit(idx);
	}
	sundog_context_put(ctx);
}

static struct sundog_context *sundog_context_new(struct sundog_device *sdev,
						 struct sundog_file *sfile)
{
	struct drm_gpu_scheduler *sched;
	struct sundog_context *ctx;
	int ret;

	ctx = kzalloc(sizeof(*ctx), GFP_KERNEL_ACCOUNT);
	if (!ctx)
		return ERR_PTR(-ENOMEM);
	kref_init(&ctx->kref);
	init_waitqueue_head(&ctx->room_wait);
	mutex_init(&ctx->submit_lock);
	ctx->sdev = sdev;
	ctx->fence_context = dma_fence_context_alloc(1);
	get_task_comm(ctx->comm, current->group_leader);
	ctx->pid = task_tgid_nr(current);
	ctx->client = sundog_client_get(sfile, sdev);
	if (IS_ERR(ctx->client)) {
		ret = PTR_ERR(ctx->client);
		goto err_free;
	}
	ctx->ch = sundog_channel_claim(sdev, ctx);
	if (IS_ERR(ctx->ch)) {
		ret = PTR_ERR(ctx->ch);
		goto err_put_client;
	}
	sched = &ctx->ch->sched;
	ret = drm_sched_entity_init(&ctx->entity, DRM_SCHED_PRIORITY_NORMAL, &sched, 1, NULL);
	if (ret)
		goto err_free_slot;
	atomic_inc(&sdev->stats.contexts);
	return ctx;

err_free_slot:
	sundog_channel_free_slot(ctx->ch);
err_put_client:
	sundog_client_put(ctx->client);
err_free:
	kfree(ctx);
	return ERR_PTR(ret);
}

/* On failure there will be no answer, and the context stays off. */
static int sundog_context_post_create(struct sundog_context *ctx)
{
	struct sundog_device *sdev = ctx->sdev;

	lockdep_assert_held(&sdev->command_lock);
	if (ctx->client->killed)
		return -EIO;
	sundog_post(sdev, SUNDOG_CHANNEL_OP_CREATE, ctx->client->id, ctx->ch->index);
	/* Refused, because the renderer went away just now? */
	if (sundog_read(sdev, SUNDOG_REG_CHANNEL_STATE(ctx->ch->index)) ==
	    SUNDOG_CHANNEL_STATE_OFF)
		return -ENODEV;
	ctx->state = SUNDOG_CHANNEL_STATE_CREATING;
	return 0;
}

static int sundog_context_start(struct sundog_context *ctx)
{
	struct sundog_device *sdev = ctx->sdev;
	int ret;

	if (sundog_read(sdev, SUNDOG_REG_RENDERER_STATE) != SUNDOG_RENDERER_STATE_READY)
		return -ENODEV;
	sundog_sched_start(ctx->ch, &ctx->client->busy_ns);
	/* The channel's reference, until it is off. */
	sundog_context_get(ctx);
	spin_lock(&sdev->command_lock);
	ret = sundog_context_post_create(ctx);
	spin_unlock(&sdev->command_lock);
	if (!ret)
		return 0;
	sundog_sched_stop(ctx->ch, ret);
	sundog_context_put(ctx);
	return ret;
}

static int sundog_context_wait_created(struct sundog_context *ctx)
{
	long ret;

	ret = wait_event_killable_timeout(ctx->sdev->event_wait,
					  READ_ONCE(ctx->state) != SUNDOG_CHANNEL_STATE_CREATING,
					  SUNDOG_CREATE_TIMEOUT);
	if (ret < 0)
		return ret;
	return READ_ONCE(ctx->state) == SUNDOG_CHANNEL_STATE_RUN ? 0 : -EIO;
}

static int sundog_context_create(struct drm_device *drm, struct sundog_file *sfile,
				 struct drm_sundog_context_create *args)
{
	struct sundog_device *sdev = to_sundog_device(drm);
	struct sundog_context *ctx;
	int idx, ret;

	ctx = sundog_context_new(sdev, sfile);
	if (IS_ERR(ctx))
		return PTR_ERR(ctx);

	ret = -ENODEV;
	if (drm_dev_enter(drm, &idx)) {
		ret = sundog_context_start(ctx);
		drm_dev_exit(idx);
	}
	if (!ret)
		ret = sundog_context_wait_created(ctx);
	if (ret)
		goto err_abandon;

	ret = xa_alloc_cyclic(&sfile->contexts, &args->ctx, ctx,
			      XA_LIMIT(1, SUNDOG_MAX_CONTEXT_ID), &sfile->contexts_next,
			      GFP_KERNEL);
	if (ret < 0)
		goto err_abandon;
	args->status_offset = (u64)args->ctx << PAGE_SHIFT;
	return 0;

err_abandon:
	sundog_context_abandon(ctx);
	return ret;
}

/**
 * sundog_ioctl_context_create() - DRM_IOCTL_SUNDOG_CONTEXT_CREATE
 * @drm: DRM device
 * @data: struct drm_sundog_context_create
 * @file: DRM file
 *
 * Return: 0 or a negative error code.
 */
int sundog_ioctl_context_create(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct sundog_device *sdev = to_sundog_device(drm);
	struct sundog_file *sfile = file->driver_priv;
	struct drm_sundog_context_create *args = data;
	int ret;

	if (args->flags)
		return -EINVAL;
	if (atomic_read(&sdev->wedged))
		return -EIO;
	if (sundog_quota_charge(sfile->quota, SUNDOG_QUOTA_CONTEXTS, 1))
		return -EBUSY;
	ret = sundog_context_create(drm, sfile, args);
	if (ret)
		sundog_quota_uncharge(sfile->quota, SUNDOG_QUOTA_CONTEXTS, 1);
	return ret;
}

/**
 * sundog_ioctl_context_destroy() - DRM_IOCTL_SUNDOG_CONTEXT_DESTROY
 * @drm: DRM device
 * @data: struct drm_sundog_context_destroy
 * @file: DRM file
 *
 * Return: 0 or a negative error code.
 */
int sundog_ioctl_context_destroy(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct sundog_device *sdev = to_sundog_device(drm);
	struct sundog_file *sfile = file->driver_priv;
	struct drm_sundog_context_destroy *args = data;
	struct sundog_context *ctx;

	if (args->pad)
		return -EINVAL;
	mutex_lock(&sfile->lock);
	ctx = xa_erase(&sfile->contexts, args->ctx);
	mutex_unlock(&sfile->lock);
	if (!ctx)
		return -ENOENT;
	sundog_quota_uncharge(sfile->quota, SUNDOG_QUOTA_CONTEXTS, 1);
	unmap_mapping_range(drm->anon_inode->i_mapping, (u64)args->ctx << PAGE_SHIFT, PAGE_SIZE, 1);

	sundog_context_get(ctx);
	sundog_context_abandon(ctx);
	/*
	 * A courtesy to the caller, who may count contexts; whoever is impatient need not wait.
	 * Jobs end soon, but for those that wait for fences of others.
	 */
	wait_event_killable_timeout(sdev->event_wait,
				    READ_ONCE(ctx->state) == SUNDOG_CHANNEL_STATE_OFF,
				    2 * sundog_stop_timeout());
	wait_event_killable_timeout(sdev->event_wait, kref_read(&ctx->kref) == 1, HZ / 10);
	sundog_context_put(ctx);
	return 0;
}

static enum drm_sundog_context_state sundog_context_uapi_state(const struct sundog_context *ctx)
{
	switch (ctx->state) {
	case SUNDOG_CHANNEL_STATE_RUN:
		return ctx->client->killed ? DRM_SUNDOG_CONTEXT_LOST : DRM_SUNDOG_CONTEXT_RUNNING;
	case SUNDOG_CHANNEL_STATE_DEAD:
	case SUNDOG_CHANNEL_STATE_OFF:
		return DRM_SUNDOG_CONTEXT_ENDED;
	default:
		return DRM_SUNDOG_CONTEXT_LOST;
	}
}

static enum drm_sundog_guilt sundog_context_guilt(const struct sundog_context *ctx)
{
	if (!ctx->fault.code)
		return DRM_SUNDOG_GUILT_NONE;
	return ctx->fault.guilty ? DRM_SUNDOG_GUILTY : DRM_SUNDOG_INNOCENT;
}

/**
 * sundog_ioctl_context_query() - DRM_IOCTL_SUNDOG_CONTEXT_QUERY
 * @drm: DRM device
 * @data: struct drm_sundog_context_query
 * @file: DRM file
 *
 * Return: 0 or a negative error code.
 */
int sundog_ioctl_context_query(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct sundog_device *sdev = to_sundog_device(drm);
	struct drm_sundog_context_query *args = data;
	struct sundog_context *ctx;

	if (args->flags || args->pad)
		return -EINVAL;
	ctx = sundog_context_lookup(file, args->ctx);
	if (!ctx)
		return -ENOENT;
	spin_lock(&sdev->command_lock);
	args->state = sundog_context_uapi_state(ctx);
	args->guilt = sundog_context_guilt(ctx);
	args->fault = ctx->fault.code;
	args->seqno = ctx->fault.seqno;
	args->offset = ctx->fault.offset;
	args->arg = ctx->fault.arg;
	spin_unlock(&sdev->command_lock);
	sundog_context_put(ctx);
	return 0;
}

/**
 * sundog_context_busy_ns() - how long the device worked for a file
 * @file: DRM file
 *
 * Return: nanoseconds, those of channels side by side added up; never less than before.
 */
u64 sundog_context_busy_ns(struct drm_file *file)
{
	struct sundog_device *sdev = to_sundog_device(file->minor->dev);
	struct sundog_file *sfile = file->driver_priv;
	u64 ns;

	mutex_lock(&sfile->lock);
	ns = sfile->busy_ns;
	if (sfile->client) {
		sundog_sched_account(sdev, &sfile->client->busy_ns);
		ns += atomic64_read(&sfile->client->busy_ns);
	}
	mutex_unlock(&sfile->lock);
	return ns;
}

/**
 * sundog_context_file_close() - end a file's contexts and its client
 * @file: DRM file that closes
 *
 * Does not wait: what is still running frees itself when it has stopped.
 */
void sundog_context_file_close(struct drm_file *file)
{
	struct sundog_file *sfile = file->driver_priv;
	struct sundog_context *ctx;
	unsigned long id;

	/* One command ends them all. */
	if (sfile->client)
		sundog_client_kill(sfile->client, SUNDOG_FAULT_CODE_NONE, false);
	xa_for_each(&sfile->contexts, id, ctx)
		sundog_context_abandon(ctx);
	xa_destroy(&sfile->contexts);
	sundog_quota_uncharge_all(sfile->quota, SUNDOG_QUOTA_CONTEXTS);
	if (sfile->client)
		sundog_client_put(sfile->client);
}

/**
 * sundog_context_unplug() - the device was reset for the last time
 * @sdev: device, unplugged but still mapped
 * @quiet: nothing runs on it any more; otherwise what it may still write to is never let go
 */
void sundog_context_unplug(struct sundog_device *sdev, bool quiet)
{
	const struct sundog_fault fault = { .code = DRM_SUNDOG_FAULT_DEVICE };
	struct sundog_context *ctx;
	struct sundog_channel *ch;
	u32 i;

	for (i = 0; (ch = sundog_sched_channel(sdev, i)); i++) {
		spin_lock(&sdev->command_lock);
		ctx = ch->ctx;
		if (ctx && !kref_get_unless_zero(&ctx->kref))
			ctx = NULL;
		if (ctx)
			sundog_context_note_fault(ctx, &fault);
		spin_unlock(&sdev->command_lock);
		if (!ctx)
			continue;
		if (quiet) {
			sundog_context_stopped(ctx, SUNDOG_CHANNEL_STATE_OFF);
		} else {
			sundog_sched_quarantine(ch);
			sundog_sched_stop(ch, -ENODEV);
			/* Nobody gets the slot; jobs that are kept keep the context. */
			sundog_context_set_stopped(ctx, SUNDOG_CHANNEL_STATE_OFF);
		}
		sundog_context_put(ctx);
	}
	wake_up_all(&sdev->event_wait);
}

/* The page of a context that is gone reads as zero. */
static vm_fault_t sundog_status_fault(struct vm_fault *vmf)
{
	struct vm_area_struct *vma = vmf->vma;
	struct drm_file *file = vma->vm_file->private_data;
	struct sundog_device *sdev = to_sundog_device(file->minor->dev);
	struct sundog_file *sfile = file->driver_priv;
	unsigned long pfn = page_to_pfn(ZERO_PAGE(vmf->address));
	struct sundog_context *ctx;
	bool there;
	vm_fault_t ret;
	u64 segment;
	int idx;

	there = drm_dev_enter(&sdev->drm, &idx);
	mutex_lock(&sfile->lock);
	ctx = xa_load(&sfile->contexts, vma->vm_pgoff);
	if (ctx && there) {
		segment = SUNDOG_CONTROL_CHANNELS + (u64)ctx->ch->index * SUNDOG_CHANNEL_SIZE;
		pfn = (sdev->control_base + segment + SUNDOG_CHANNEL_STATUS) >> PAGE_SHIFT;
	}
	ret = vmf_insert_pfn(vma, vmf->address, pfn);
	mutex_unlock(&sfile->lock);
	if (there)
		drm_dev_exit(idx);
	return ret;
}

static const struct vm_operations_struct sundog_status_vm_ops = {
	.fault = sundog_status_fault,
};

/**
 * sundog_context_mmap() - map a status page, read-only
 * @filp: DRM file
 * @vma: one page, at the offset that CONTEXT_CREATE returned
 *
 * Return: 0, -EINVAL, or -EACCES if it is to be written.
 */
int sundog_context_mmap(struct file *filp, struct vm_area_struct *vma)
{
	struct drm_file *file = filp->private_data;
	struct sundog_file *sfile = file->driver_priv;

	if (vma_pages(vma) != 1 || !xa_load(&sfile->contexts, vma->vm_pgoff))
		return -EINVAL;
	if (vma->vm_flags & VM_WRITE)
		return -EACCES;
	vm_flags_mod(vma, VM_PFNMAP | VM_IO | VM_DONTEXPAND | VM_DONTDUMP, VM_MAYWRITE);
	vma->vm_ops = &sundog_status_vm_ops;
	return 0;
}

static void sundog_context_fini(struct drm_device *drm, void *arg)
{
	struct sundog_device *sdev = to_sundog_device(drm);

	drm_WARN_ON(drm, !xa_empty(&sdev->clients));
	xa_destroy(&sdev->clients);
}

/**
 * sundog_context_init() - prepare for contexts
 * @sdev: device
 *
 * Return: 0 or a negative error code.
 */
int sundog_context_init(struct sundog_device *sdev)
{
	xa_init_flags(&sdev->clients, XA_FLAGS_ALLOC1);
	spin_lock_init(&sdev->command_lock);
	init_waitqueue_head(&sdev->event_wait);
	/* A program that goes wrong does so again and again. */
	ratelimit_state_init(&sdev->loss_ratelimit, 5 * HZ, 10);
	return drmm_add_action_or_reset(&sdev->drm, sundog_context_fini, NULL);
}
