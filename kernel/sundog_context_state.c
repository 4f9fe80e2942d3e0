// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The states of contexts: the life of a channel slot, from CREATE to OFF.
 *
 * The driver posts CREATE, DESTROY and CLIENT_DESTROY. The device answers with an event and a new
 * CHANNEL_STATE. The thread of the event IRQ handles the events. Ioctls, works of the channels, the
 * close of a file, unplug and resume call the rest.
 *
 * A context without a user is *abandoned*: it was destroyed, its file closed, or its creator was
 * killed while it waited. It goes through the same states and frees itself at OFF, so no thread has
 * to wait for it.
 *
 *	CREATING -> RUN -> FAULT -> DEAD -> DESTROYING -> OFF
 *
 * RUN and FAULT can also be followed by DESTROYING. The device answers the operations of a channel
 * one by one, so a context that is abandoned in CREATING first waits for RUN. Jobs fail, and their
 * memory can be used again, at DEAD or OFF and not before; see sundog_sched.c.
 *
 * If a channel does not stop in time, its watchdog acts. First it ends the whole client, unless its
 * worker reports progress. If the channel still does not stop, the device is wedged and the memory
 * of the channel's jobs is quarantined.
 *
 * command_lock protects the states and the commands. It is never held while fences signal.
 */

#include <linux/dma-fence.h>
#include <linux/moduleparam.h>
#include <linux/sched.h>

#include <drm/drm_drv.h>
#include <drm/drm_print.h>
#include "uapi/sundog_drm.h"

#include "sundog_client.h"
#include "sundog_context.h"
#include "sundog_context_state.h"
#include "sundog_device.h"
#include "sundog_job.h"
#include "sundog_sched.h"
#include "sundog_wq.h"

/*
 * Limit for the stop of a channel without progress of its worker, in ms. With progress, the limit
 * is job_timeout_ms.
 */
static unsigned int sundog_stop_timeout_ms = 10000;
module_param_named(stop_timeout_ms, sundog_stop_timeout_ms, uint, 0644);
MODULE_PARM_DESC(stop_timeout_ms,
		 "milliseconds that a channel may take to stop without progress (default 10000)");

static void sundog_post(struct sundog_device *sdev, enum sundog_channel_op op, u32 client,
			u32 channel)
{
	lockdep_assert_held(&sdev->command_lock);
	sundog_write(sdev, SUNDOG_REG_CHANNEL_CLIENT, client);
	sundog_write(sdev, SUNDOG_REG_CHANNEL_CMD, op << 16 | channel);
}

/**
 * sundog_context_stop_timeout() - limit for the stop of a channel without progress of its worker
 *
 * Return: jiffies.
 */
unsigned long sundog_context_stop_timeout(void)
{
	return msecs_to_jiffies(sundog_stop_timeout_ms);
}

/* Keeps the first fault, because later ones are its consequences. */
static void sundog_context_note_fault(struct sundog_context *ctx, const struct sundog_fault *fault)
{
	struct sundog_device *sdev = ctx->sdev;

	lockdep_assert_held(&sdev->command_lock);
	if (ctx->fault.code || !fault->code)
		return;
	ctx->fault = *fault;
	/* The end of an abandoned context is no news. */
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
 * The device reports the end of a worker, by these codes, for all channels of the client. Only the
 * channel whose job ended the worker has a seqno.
 */
static bool sundog_fault_is_common(u32 code)
{
	return code == SUNDOG_FAULT_CODE_WORKER || code == SUNDOG_FAULT_CODE_TIMEOUT;
}

/* Reads the fault of a channel from its registers; the caller sets @guilty. */
static struct sundog_fault sundog_channel_read_fault(const struct sundog_channel *ch)
{
	struct sundog_device *sdev = ch->sdev;
	u32 i = ch->index, code = sundog_read(sdev, SUNDOG_REG_CHANNEL_FAULT(i));

	/* Often there is no fault. A device that was pulled out reads as ones. */
	if (!code || code == U32_MAX)
		return (struct sundog_fault){ 0 };
	return (struct sundog_fault){
		.code = code,
		.seqno = sundog_read64(sdev, SUNDOG_REG_CHANNEL_FAULT_SEQNO(i)),
		.offset = sundog_read64(sdev, SUNDOG_REG_CHANNEL_FAULT_OFFSET(i)),
		.arg = sundog_read64(sdev, SUNDOG_REG_CHANNEL_FAULT_ARG(i)),
	};
}

/* The registers of a channel that is OFF describe its previous context. */
static bool sundog_channel_is_of(const struct sundog_channel *ch,
				 const struct sundog_client *client)
{
	return ch->ctx && ch->ctx->client == client && ch->ctx->state != SUNDOG_CHANNEL_STATE_OFF;
}

/* Returns the channel whose job ended the worker, if the device reports one, or NULL. */
static struct sundog_channel *sundog_client_find_named(const struct sundog_client *client)
{
	struct sundog_device *sdev = client->sdev;
	struct sundog_channel *ch;
	u32 i;

	for (i = 0; (ch = sundog_sched_channel(sdev, i)); i++)
		if (sundog_channel_is_of(ch, client) &&
		    sundog_fault_is_common(sundog_read(sdev, SUNDOG_REG_CHANNEL_FAULT(i))) &&
		    sundog_read64(sdev, SUNDOG_REG_CHANNEL_FAULT_SEQNO(i)))
			return ch;
	return NULL;
}

/*
 * For a worker that ended without CLIENT_DESTROY. Its end is the fault of @named. Without @named,
 * each channel with incomplete jobs may have caused it, unless the whole renderer ended.
 */
static bool sundog_channel_is_to_blame(struct sundog_channel *ch, struct sundog_channel *named)
{
	if (named)
		return ch == named;
	return sundog_sched_is_busy(ch) &&
	       sundog_read(ch->sdev, SUNDOG_REG_RENDERER_STATE) == SUNDOG_RENDERER_STATE_READY;
}

/*
 * Records the end of the client in each of its contexts. A context keeps a fault of its own, if its
 * stream was bad just before.
 */
static void sundog_client_note_end(struct sundog_client *client, u32 code, bool by_itself)
{
	struct sundog_channel *ch, *named = by_itself ? sundog_client_find_named(client) : NULL;
	struct sundog_fault fault;
	u32 i;

	for (i = 0; (ch = sundog_sched_channel(client->sdev, i)); i++) {
		if (!sundog_channel_is_of(ch, client))
			continue;
		fault = sundog_channel_read_fault(ch);
		if (!fault.code || sundog_fault_is_common(fault.code)) {
			if (ch != named)
				fault = (struct sundog_fault){ .code = code };
			fault.guilty = by_itself && sundog_channel_is_to_blame(ch, named);
		} else {
			fault.guilty = true;
		}
		sundog_context_note_fault(ch->ctx, &fault);
	}
}

/*
 * Closing the channels sets @lost in the status pages. That comes first, so that a thread that is
 * refused because of @killed finds its context lost.
 */
static void sundog_client_set_killed(struct sundog_client *client)
{
	struct sundog_channel *ch;
	u32 i;

	lockdep_assert_held(&client->sdev->command_lock);
	for (i = 0; (ch = sundog_sched_channel(client->sdev, i)); i++)
		if (sundog_channel_is_of(ch, client))
			sundog_sched_close(ch);
	WRITE_ONCE(client->killed, true);
}

/**
 * sundog_client_kill() - end a client and its worker
 * @client: client; its channels become OFF, or their watchdogs expire
 * @code: fault code for its contexts, 0 if no thread can query them
 * @by_itself: the worker has ended, or reports that it ends
 */
void sundog_client_kill(struct sundog_client *client, u32 code, bool by_itself)
{
	struct sundog_device *sdev = client->sdev;
	struct sundog_channel *ch;
	u32 i;
	int idx;

	if (!drm_dev_enter(&sdev->drm, &idx))
		return;
	spin_lock(&sdev->command_lock);
	if (!client->killed) {
		sundog_client_set_killed(client);
		sundog_client_note_end(client, code, by_itself);
		for (i = 0; (ch = sundog_sched_channel(sdev, i)); i++) {
			/* OFF: not created yet, and sundog_context_start() refuses it now. */
			if (!sundog_channel_is_of(ch, client))
				continue;
			ch->ctx->destroy_posted = true;
			mod_delayed_work(sundog_wq, &ch->watchdog, sundog_context_stop_timeout());
		}
		/* Otherwise user space could have any number of these posted, without a channel. */
		if (client->known)
			sundog_post(sdev, SUNDOG_CHANNEL_OP_CLIENT_DESTROY, client->id, 0);
	}
	spin_unlock(&sdev->command_lock);
	drm_dev_exit(idx);
}

/*
 * Records the fault of a channel that the device stopped. A client without a worker is useless:
 * kill it, so that the next context of the file gets another client.
 */
static void sundog_context_handle_fault(struct sundog_context *ctx)
{
	struct sundog_fault fault = sundog_channel_read_fault(ctx->ch);

	if (sundog_fault_is_common(fault.code)) {
		sundog_client_kill(ctx->client, fault.code, true);
		return;
	}
	fault.guilty = true;
	spin_lock(&ctx->sdev->command_lock);
	sundog_context_note_fault(ctx, &fault);
	spin_unlock(&ctx->sdev->command_lock);
}

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

/* Starts the watchdog of a channel that is to stop. */
static void sundog_context_begin_stop(struct sundog_context *ctx)
{
	lockdep_assert_held(&ctx->sdev->command_lock);
	sundog_sched_stop_begins(ctx->ch);
	mod_delayed_work(sundog_wq, &ctx->ch->watchdog, sundog_context_stop_timeout());
}

/* Called before fences fail, so that a thread that sees such a fence finds the context lost. */
static void sundog_context_set_lost(struct sundog_context *ctx)
{
	struct sundog_device *sdev = ctx->sdev;

	spin_lock(&sdev->command_lock);
	if (ctx->state == SUNDOG_CHANNEL_STATE_CREATING || ctx->state == SUNDOG_CHANNEL_STATE_RUN) {
		sundog_sched_close(ctx->ch);
		ctx->state = SUNDOG_CHANNEL_STATE_FAULT;
		sundog_context_begin_stop(ctx);
	}
	spin_unlock(&sdev->command_lock);
}

/* The worker decodes nothing new, but the host may still execute submitted work: wait for DEAD. */
static void sundog_context_faulted(struct sundog_context *ctx)
{
	sundog_context_handle_fault(ctx);
	sundog_context_set_lost(ctx);
}

/* At OFF the driver may use the slot again. */
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

/* DEAD or OFF: nothing of the channel runs, so its jobs fail. */
static void sundog_context_stopped(struct sundog_context *ctx, enum sundog_channel_state state)
{
	struct sundog_fault fault;

	sundog_context_set_lost(ctx);
	cancel_delayed_work(&ctx->ch->watchdog);
	spin_lock(&ctx->sdev->command_lock);
	fault = ctx->fault;
	spin_unlock(&ctx->sdev->command_lock);
	if (fault.guilty)
		sundog_dump_take(ctx->ch, ctx->comm, ctx->pid, &fault);
	sundog_sched_stop(ctx->ch, -EIO);
	sundog_sched_release_quarantine(ctx->ch);
	sundog_context_set_stopped(ctx, state);
}

/* Posts DESTROY for the channel of an abandoned context, if its state allows that. */
static void sundog_context_destroy_if_abandoned(struct sundog_context *ctx)
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
	case SUNDOG_CHANNEL_STATE_CREATING:
		/* DESTROY has to wait for the answer to CREATE, which may never come. */
		sundog_context_begin_stop(ctx);
		return;
	default:
		return;
	}
	sundog_sched_close(ctx->ch);
	ctx->destroy_posted = true;
	ctx->state = SUNDOG_CHANNEL_STATE_DESTROYING;
	sundog_context_begin_stop(ctx);
	sundog_post(sdev, SUNDOG_CHANNEL_OP_DESTROY, ctx->client->id, ctx->ch->index);
}

static void sundog_channel_event(struct sundog_channel *ch)
{
	struct sundog_device *sdev = ch->sdev;
	struct sundog_context *ctx;
	u32 state;

	/*
	 * The state is read with the lock held, so it is not older than the last command. A context
	 * that is OFF has not started yet: the event was for its predecessor.
	 */
	spin_lock(&sdev->command_lock);
	ctx = ch->ctx;
	if (ctx && (ctx->state == SUNDOG_CHANNEL_STATE_OFF || !refcount_inc_not_zero(&ctx->refs)))
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
	case SUNDOG_CHANNEL_STATE_OFF:
		sundog_context_handle_fault(ctx);
		sundog_context_stopped(ctx, state);
		break;
	}
	spin_lock(&sdev->command_lock);
	sundog_context_destroy_if_abandoned(ctx);
	spin_unlock(&sdev->command_lock);
	wake_up_all(&sdev->event_wait);
	sundog_context_put_later(ctx);
}

/**
 * sundog_channel_events() - handle the state changes of all channels
 * @sdev: device
 *
 * Called from the thread of the event interrupt.
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
	return READ_ONCE(ctx->destroy_posted) || READ_ONCE(ctx->abandoned) ||
	       READ_ONCE(ctx->state) == SUNDOG_CHANNEL_STATE_FAULT;
}

/* Handles a channel that did not stop in time. Returns true if the device has become wedged. */
static bool sundog_channel_help_stop(struct sundog_channel *ch)
{
	/* sundog_context_free() waits for this work, so the context is alive. */
	struct sundog_context *ctx = ch->ctx;
	struct sundog_device *sdev = ch->sdev;
	bool stops;

	if (!ctx || !sundog_context_is_stopping(ctx))
		return false;
	spin_lock(&sdev->command_lock);
	stops = !ctx->client->killed && sundog_sched_still_stops(ch);
	if (stops)
		mod_delayed_work(sundog_wq, &ch->watchdog, sundog_context_stop_timeout());
	spin_unlock(&sdev->command_lock);
	/* sundog_sched_still_stops() returns false, too, if the channel has stopped meanwhile. */
	if (stops || READ_ONCE(ch->stopped))
		return false;
	if (!READ_ONCE(ctx->client->killed)) {
		drm_warn(&sdev->drm, "%s does not stop, ending its client\n", ch->name);
		sundog_client_kill(ctx->client, SUNDOG_FAULT_CODE_TIMEOUT, false);
		return false;
	}
	if (!sundog_sched_quarantine(ch))
		return false;
	drm_warn(&sdev->drm,
		 "%s does not stop, the device is wedged: its memory stays in use, no new contexts\n",
		 ch->name);
	sundog_sched_stop(ch, -EIO);
	return true;
}

/* Acts on a channel that does not stop in time. */
static void sundog_channel_watchdog(struct work_struct *work)
{
	struct sundog_channel *ch = container_of(work, struct sundog_channel, watchdog.work);
	const bool cookie = dma_fence_begin_signalling();
	const bool wedged = sundog_channel_help_stop(ch);

	dma_fence_end_signalling(cookie);
	/* Allocates memory, so it is called outside of the fence signalling path. */
	if (wedged)
		drm_dev_wedged_event(&ch->sdev->drm, DRM_WEDGE_RECOVERY_REBIND, NULL);
}

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

/* Ends the client of a channel whose worker makes no progress. */
static void sundog_channel_timeout(struct work_struct *work)
{
	struct sundog_channel *ch = container_of(work, struct sundog_channel, timeout.work);
	const bool cookie = dma_fence_begin_signalling();
	const u64 seqno = sundog_sched_look(ch);

	/* sundog_context_free() waits for this work, so the context is alive. */
	if (seqno)
		sundog_context_hang(ch->ctx, seqno);
	dma_fence_end_signalling(cookie);
}

/** sundog_context_sched_funcs - the scheduler's callbacks into the context code */
const struct sundog_sched_funcs sundog_context_sched_funcs = {
	.end_job = sundog_context_end_job,
	.put_job = sundog_job_put,
	.watchdog = sundog_channel_watchdog,
	.timeout = sundog_channel_timeout,
};

/**
 * sundog_context_abandon() - end a context and drop its file's reference; does not wait
 * @ctx: context, with the file's reference
 */
void sundog_context_abandon(struct sundog_context *ctx)
{
	struct sundog_device *sdev = ctx->sdev;
	int idx;

	if (drm_dev_enter(&sdev->drm, &idx)) {
		spin_lock(&sdev->command_lock);
		ctx->abandoned = true;
		sundog_context_destroy_if_abandoned(ctx);
		spin_unlock(&sdev->command_lock);
		drm_dev_exit(idx);
	}
	sundog_context_put(ctx);
}

/* On failure the device sends no answer, and the context stays OFF. */
static int sundog_context_post_create(struct sundog_context *ctx)
{
	struct sundog_device *sdev = ctx->sdev;

	lockdep_assert_held(&sdev->command_lock);
	if (sdev->ending)
		return -ENODEV;
	if (ctx->client->killed)
		return -EIO;
	sundog_post(sdev, SUNDOG_CHANNEL_OP_CREATE, ctx->client->id, ctx->ch->index);
	ctx->client->known = true;
	/* The device refuses CREATE if the renderer has just disconnected. */
	if (sundog_read(sdev, SUNDOG_REG_CHANNEL_STATE(ctx->ch->index)) ==
	    SUNDOG_CHANNEL_STATE_OFF)
		return -ENODEV;
	ctx->state = SUNDOG_CHANNEL_STATE_CREATING;
	return 0;
}

/**
 * sundog_context_start() - have the device create a context's channel
 * @ctx: new context; the caller is inside drm_dev_enter()
 *
 * Return: 0 if the device will answer, or a negative error code.
 */
int sundog_context_start(struct sundog_context *ctx)
{
	struct sundog_device *sdev = ctx->sdev;
	int ret;

	if (sundog_read(sdev, SUNDOG_REG_RENDERER_STATE) != SUNDOG_RENDERER_STATE_READY)
		return -ENODEV;
	sundog_sched_start(ctx->ch, &ctx->client->busy);
	/* Reference of the channel, until it is OFF. */
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

/* Returns the context that uses the channel, with a reference, or NULL. */
static struct sundog_context *sundog_channel_get_context(struct sundog_channel *ch)
{
	struct sundog_context *ctx;

	spin_lock(&ch->sdev->command_lock);
	ctx = ch->ctx;
	if (ctx && !refcount_inc_not_zero(&ctx->refs))
		ctx = NULL;
	spin_unlock(&ch->sdev->command_lock);
	return ctx;
}

/**
 * sundog_context_kill_all() - end all clients and their workers, and refuse new contexts
 * @sdev: device that is about to be unplugged
 *
 * Does not wait. The thread of the event interrupt fails the jobs when the workers have ended, and
 * the watchdogs of the channels do if a worker does not end. Neither needs drm_dev_enter(), so
 * every fence of the device signals even if drm_dev_unplug() waits for a thread that waits for it.
 */
void sundog_context_kill_all(struct sundog_device *sdev)
{
	struct sundog_context *ctx;
	struct sundog_channel *ch;
	u32 i;

	spin_lock(&sdev->command_lock);
	sdev->ending = true;
	spin_unlock(&sdev->command_lock);
	for (i = 0; (ch = sundog_sched_channel(sdev, i)); i++) {
		ctx = sundog_channel_get_context(ch);
		if (!ctx)
			continue;
		sundog_client_kill(ctx->client, DRM_SUNDOG_FAULT_DEVICE, false);
		sundog_context_put(ctx);
	}
}

/**
 * sundog_context_end_all() - end all contexts and clients of a device that was reset
 * @sdev: device, mapped
 * @code: fault code for the contexts
 * @quiet: the reset succeeded, so no worker runs; if false, workers may still write to memory of
 * jobs, and it stays in quarantine for good
 */
void sundog_context_end_all(struct sundog_device *sdev, u32 code, bool quiet)
{
	const struct sundog_fault fault = { .code = code };
	struct sundog_context *ctx;
	struct sundog_channel *ch;
	u32 i;

	for (i = 0; (ch = sundog_sched_channel(sdev, i)); i++) {
		ctx = sundog_channel_get_context(ch);
		if (!ctx)
			continue;
		spin_lock(&sdev->command_lock);
		sundog_context_note_fault(ctx, &fault);
		if (!ctx->client->killed)
			sundog_client_set_killed(ctx->client);
		spin_unlock(&sdev->command_lock);
		if (quiet) {
			sundog_context_stopped(ctx, SUNDOG_CHANNEL_STATE_OFF);
		} else {
			sundog_sched_quarantine(ch);
			sundog_sched_stop(ch, -ENODEV);
			/* Jobs in quarantine hold the context, so its slot stays in use. */
			sundog_context_set_stopped(ctx, SUNDOG_CHANNEL_STATE_OFF);
		}
		sundog_sched_tell_lost(ch);
		sundog_context_put(ctx);
	}
	wake_up_all(&sdev->event_wait);
}
