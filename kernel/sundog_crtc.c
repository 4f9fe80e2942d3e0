// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The CRTC: mode, and commits.
 *
 * Every atomic commit ends in a write of COMMIT with a new token, and so does a move of the cursor,
 * which takes no turn behind other commits. The device takes it over at the next vblank, or at once
 * while the head is off or for an asynchronous flip, and shows the token in LATCHED. A page flip's
 * event is sent from the first vblank interrupt that finds its token, or a later one, there; that
 * of an asynchronous flip right away. While a frame is written for a writeback connector, see
 * sundog_writeback.c, every commit waits for that.
 *
 * At a variable rate a commit ends the frame that it finds. A move of the cursor does not: it shows
 * at once, in that frame, or together with a commit that is under way.
 */

#include <linux/iopoll.h>

#include <drm/drm_atomic.h>
#include <drm/drm_atomic_helper.h>
#include <drm/drm_crtc.h>
#include <drm/drm_crtc_helper.h>
#include <drm/drm_drv.h>
#include <drm/drm_managed.h>
#include <drm/drm_modes.h>
#include <drm/drm_print.h>
#include <drm/drm_vblank.h>

#include "sundog_compat.h"
#include "sundog_device.h"
#include "sundog_kms.h"

/**
 * sundog_head_set_control() - change bits of HEAD_CONTROL
 * @head: head; the caller is inside drm_dev_enter()
 * @clear: bits to clear
 * @set: bits to set
 */
void sundog_head_set_control(struct sundog_head *head, u32 clear, u32 set)
{
	unsigned long flags;

	spin_lock_irqsave(&head->lock, flags);
	head->control = (head->control & ~clear) | set;
	sundog_write(head->sdev, SUNDOG_REG_HEAD_CONTROL(head->index), head->control);
	spin_unlock_irqrestore(&head->lock, flags);
}

/**
 * sundog_head_commit() - take over the shadow registers
 * @head: head; the caller is inside drm_dev_enter() and holds @commit_lock
 * @event: to be sent when that took effect, or NULL
 */
void sundog_head_commit(struct sundog_head *head, struct drm_pending_vblank_event *event)
{
	unsigned long flags;

	lockdep_assert_held(&head->commit_lock);
	spin_lock_irqsave(&head->lock, flags);
	sundog_write(head->sdev, SUNDOG_REG_COMMIT(head->index), lower_32_bits(++head->token));
	if (event) {
		drm_WARN_ON(head->crtc.dev, head->event);
		head->event = event;
		head->event_token = head->token;
	}
	spin_unlock_irqrestore(&head->lock, flags);
}

/* In the middle of a frame, with all that was committed before and waits for its end. */
static void sundog_head_commit_async(struct sundog_head *head)
{
	sundog_head_set_control(head, 0, SUNDOG_HEAD_CONTROL_ASYNC);
	sundog_head_commit(head, NULL);
	sundog_head_set_control(head, SUNDOG_HEAD_CONTROL_ASYNC, 0);
}

/**
 * sundog_head_latched() - which commit is shown
 * @head: head; the caller is inside drm_dev_enter()
 *
 * Return: its token.
 */
u64 sundog_head_latched(struct sundog_head *head)
{
	const u32 latched = sundog_read(head->sdev, SUNDOG_REG_LATCHED(head->index));
	const u64 token = READ_ONCE(head->token);

	return token - (u32)(lower_32_bits(token) - latched);
}

/* Has all that was committed been shown, and been told of? Nobody commits meanwhile. */
static bool sundog_head_is_at_rest(struct sundog_head *head)
{
	unsigned long flags;
	bool at_rest;

	lockdep_assert_held(&head->commit_lock);
	if (sundog_writeback_is_busy(head))
		return false;
	spin_lock_irqsave(&head->lock, flags);
	at_rest = !head->event && sundog_head_latched(head) == head->token;
	spin_unlock_irqrestore(&head->lock, flags);
	return at_rest;
}

/**
 * sundog_head_commit_move() - take over the shadow registers: only the cursor has moved
 * @head: head; the caller is inside drm_dev_enter() and holds @commit_lock
 *
 * Where the rate varies, that makes no frame of its own.
 */
void sundog_head_commit_move(struct sundog_head *head)
{
	if (head->longest && sundog_head_is_at_rest(head))
		sundog_head_commit_async(head);
	else
		sundog_head_commit(head, NULL);
}

static bool sundog_head_has_latched(struct sundog_head *head, u64 token)
{
	bool latched;
	int idx;

	/* What is gone shows nothing any more. */
	if (!drm_dev_enter(head->crtc.dev, &idx))
		return true;
	latched = sundog_head_latched(head) >= token;
	drm_dev_exit(idx);
	return latched;
}

/**
 * sundog_head_wait_latched() - wait until the last commit took effect
 * @head: head; the caller is outside of drm_dev_enter(), which an unplug waits for
 *
 * A frame that the device writes for a writeback connector delays that. The wait has a limit, for
 * the caller may hold mode-setting locks.
 */
void sundog_head_wait_latched(struct sundog_head *head)
{
	const u64 token = READ_ONCE(head->token);
	bool latched;

	if (read_poll_timeout(sundog_head_has_latched, latched, latched, 500,
			      SUNDOG_LATCH_TIMEOUT_US, false, head, token))
		drm_err(head->crtc.dev, "head %u: commit %llu took no effect in %ld s\n",
			head->index, token, SUNDOG_LATCH_TIMEOUT_US / USEC_PER_SEC);
}

/* Sends the event that waits, if its commit is @latched or an earlier one. */
static void sundog_head_send_event(struct sundog_head *head, u64 latched)
{
	struct drm_pending_vblank_event *event = NULL;

	lockdep_assert_held(&head->crtc.dev->event_lock);
	spin_lock(&head->lock);
	if (head->event && latched >= head->event_token)
		swap(event, head->event);
	spin_unlock(&head->lock);
	if (event) {
		drm_crtc_send_vblank_event(&head->crtc, event);
		drm_crtc_vblank_put(&head->crtc);
	}
}

/**
 * sundog_crtc_vblank() - a vblank happened
 * @head: head
 *
 * Called from the display interrupt.
 */
void sundog_crtc_vblank(struct sundog_head *head)
{
	struct drm_device *drm = head->crtc.dev;
	/* Read first: the vblank that is counted then is not before the one that took the flip. */
	const u64 latched = sundog_head_latched(head);

	if (drm_crtc_handle_vblank(&head->crtc))
		sundog_crtc_add_crc(head);

	spin_lock(&drm->event_lock);
	sundog_head_send_event(head, latched);
	spin_unlock(&drm->event_lock);
}

/**
 * sundog_crtc_wait_shown() - wait until what was committed shows, and send its event
 * @head: head; the caller is outside of drm_dev_enter()
 */
void sundog_crtc_wait_shown(struct sundog_head *head)
{
	struct drm_device *drm = head->crtc.dev;
	u64 latched;
	int idx;

	sundog_head_wait_latched(head);
	if (!drm_dev_enter(drm, &idx))
		return;
	/* As in sundog_crtc_vblank(), but the interrupt may still be to come. */
	latched = sundog_head_latched(head);
	spin_lock_irq(&drm->event_lock);
	drm_crtc_accurate_vblank_count(&head->crtc);
	sundog_head_send_event(head, latched);
	spin_unlock_irq(&drm->event_lock);
	drm_dev_exit(idx);
}

/**
 * sundog_crtc_unplug() - the device was reset for the last time: there are no more vblanks
 * @head: head, whose device is unplugged
 */
void sundog_crtc_unplug(struct sundog_head *head)
{
	struct drm_device *drm = head->crtc.dev;

	spin_lock_irq(&drm->event_lock);
	sundog_head_send_event(head, head->token);
	spin_unlock_irq(&drm->event_lock);
}

/**
 * sundog_crtc_restart() - the device was reset, and counts commits from 0 again
 * @head: head, which is off
 */
void sundog_crtc_restart(struct sundog_head *head)
{
	int idx;

	if (!drm_dev_enter(head->crtc.dev, &idx))
		return;
	/* Takes effect at once. Nobody waits for an earlier one then. */
	mutex_lock(&head->commit_lock);
	sundog_head_commit(head, NULL);
	mutex_unlock(&head->commit_lock);
	drm_dev_exit(idx);
}

static enum drm_mode_status sundog_crtc_mode_valid(struct drm_crtc *crtc,
						   const struct drm_display_mode *mode)
{
	int refresh = drm_mode_vrefresh(mode);

	return refresh >= 1 && refresh <= 1000 ? MODE_OK : MODE_BAD;
}

static void sundog_head_set_mode(struct sundog_head *head, const struct drm_display_mode *mode)
{
	sundog_write(head->sdev, SUNDOG_REG_HEAD_WIDTH(head->index), mode->hdisplay);
	sundog_write(head->sdev, SUNDOG_REG_HEAD_HEIGHT(head->index), mode->vdisplay);
}

/* The head is off, so this takes effect at once and the vblank counter starts before it is used. */
static void sundog_crtc_atomic_enable(struct drm_crtc *crtc, struct drm_atomic_state *state)
{
	struct sundog_head *head = to_sundog_head(crtc);
	unsigned int i;
	int idx;

	if (drm_dev_enter(crtc->dev, &idx)) {
		mutex_lock(&head->commit_lock);
		for (i = 0; i < SUNDOG_HEAD_PLANES; i++)
			sundog_plane_off(&head->planes[i]);
		sundog_head_set_mode(head, &crtc->state->adjusted_mode);
		sundog_head_set_periods(head, crtc->state);
		sundog_color_update(head, crtc->state);
		sundog_head_set_control(head, 0, SUNDOG_HEAD_CONTROL_ENABLE);
		sundog_head_commit(head, NULL);
		sundog_crtc_restart_crcs(head);
		mutex_unlock(&head->commit_lock);
		drm_dev_exit(idx);
	}
	drm_crtc_vblank_on(crtc);
}

/* Hands an event that nothing will latch any more back to its waiter. */
static void sundog_crtc_send_now(struct drm_crtc *crtc)
{
	struct drm_pending_vblank_event *event = crtc->state->event;

	if (!event)
		return;
	crtc->state->event = NULL;
	spin_lock_irq(&crtc->dev->event_lock);
	drm_crtc_send_vblank_event(crtc, event);
	spin_unlock_irq(&crtc->dev->event_lock);
}

static void sundog_crtc_atomic_disable(struct drm_crtc *crtc, struct drm_atomic_state *state)
{
	struct sundog_head *head = to_sundog_head(crtc);
	int idx;

	sundog_writeback_finish(head);
	drm_crtc_vblank_off(crtc);
	if (drm_dev_enter(crtc->dev, &idx)) {
		mutex_lock(&head->commit_lock);
		sundog_head_set_control(head, SUNDOG_HEAD_CONTROL_ENABLE, 0);
		sundog_head_commit(head, NULL);
		mutex_unlock(&head->commit_lock);
		drm_dev_exit(idx);
	}
	sundog_head_wait_latched(head);
	/* A head that is off writes nothing. */
	sundog_writeback_cancel(head);
	if (!crtc->state->active)
		sundog_crtc_send_now(crtc);
}

static int sundog_crtc_atomic_check(struct drm_crtc *crtc, struct drm_atomic_state *state)
{
	return sundog_color_check(drm_atomic_get_new_crtc_state(state, crtc));
}

static void sundog_crtc_flip_async(struct drm_crtc *crtc)
{
	sundog_head_commit_async(to_sundog_head(crtc));
	sundog_crtc_send_now(crtc);
}

static void sundog_crtc_flip_at_vblank(struct drm_crtc *crtc)
{
	struct drm_pending_vblank_event *event = crtc->state->event;

	/* Without vblank interrupts nothing would send it later. */
	if (event && drm_crtc_vblank_get(crtc)) {
		sundog_crtc_send_now(crtc);
		event = NULL;
	}
	crtc->state->event = NULL;
	sundog_head_commit(to_sundog_head(crtc), event);
}

/* Nobody commits what the planes write until all of it is written; heads come in their order. */
static void sundog_crtc_atomic_begin(struct drm_crtc *crtc, struct drm_atomic_state *state)
{
	struct sundog_head *head = to_sundog_head(crtc);

	mutex_lock_nested(&head->commit_lock, head->index);
}

static void sundog_crtc_atomic_flush(struct drm_crtc *crtc, struct drm_atomic_state *state)
{
	struct sundog_head *head = to_sundog_head(crtc);
	/* While a frame is written what is shown has to stay. */
	const bool async = crtc->state->async_flip && !sundog_writeback_is_busy(head);
	int idx;

	sundog_writeback_queue(head, state);
	if (!drm_dev_enter(crtc->dev, &idx)) {
		sundog_crtc_send_now(crtc);
	} else {
		if (crtc->state->color_mgmt_changed)
			sundog_color_update(head, crtc->state);
		sundog_head_update_periods(head, crtc->state);
		if (async)
			sundog_crtc_flip_async(crtc);
		else
			sundog_crtc_flip_at_vblank(crtc);
		drm_dev_exit(idx);
	}
	mutex_unlock(&head->commit_lock);
}

static const struct drm_crtc_helper_funcs sundog_crtc_helpers = {
	.mode_valid = sundog_crtc_mode_valid,
	.atomic_check = sundog_crtc_atomic_check,
	.atomic_begin = sundog_crtc_atomic_begin,
	.atomic_flush = sundog_crtc_atomic_flush,
	.atomic_enable = sundog_crtc_atomic_enable,
	.atomic_disable = sundog_crtc_atomic_disable,
};

static const struct drm_crtc_funcs sundog_crtc_funcs = {
	.reset = drm_atomic_helper_crtc_reset,
	.set_config = drm_atomic_helper_set_config,
	.page_flip = drm_atomic_helper_page_flip,
	.atomic_duplicate_state = drm_atomic_helper_crtc_duplicate_state,
	.atomic_destroy_state = drm_atomic_helper_crtc_destroy_state,
	.enable_vblank = sundog_crtc_enable_vblank,
	.disable_vblank = sundog_crtc_disable_vblank,
	.get_vblank_counter = sundog_crtc_get_vblank_counter,
	.get_vblank_timestamp = sundog_crtc_get_vblank_timestamp,
	.set_crc_source = sundog_crtc_set_crc_source,
	.verify_crc_source = sundog_crtc_verify_crc_source,
	.get_crc_sources = sundog_crtc_get_crc_sources,
};

/**
 * sundog_crtc_init() - set up the CRTC
 * @head: head, whose planes are there
 *
 * Return: 0 or a negative error code.
 */
int sundog_crtc_init(struct sundog_head *head)
{
	struct drm_device *drm = &head->sdev->drm;
	int ret;

	spin_lock_init(&head->lock);
	ret = drmm_mutex_init(drm, &head->commit_lock);
	if (ret)
		return ret;
	ret = drmm_crtc_init_with_planes(drm, &head->crtc, &head->planes[SUNDOG_PLANE_PRIMARY].base,
					 &head->planes[SUNDOG_PLANE_CURSOR].base,
					 &sundog_crtc_funcs, NULL);
	if (ret)
		return ret;
	drm_crtc_helper_add(&head->crtc, &sundog_crtc_helpers);
	return sundog_color_init(head);
}
