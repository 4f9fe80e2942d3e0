// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The CRTC: mode, and commits.
 *
 * Every atomic commit ends in a write of COMMIT with a new token, and so does a move of the cursor,
 * which takes no turn behind other commits. The device takes it over at the next vblank, or at once
 * while the head is off or for an asynchronous flip, and shows the token in LATCHED. A page flip's
 * event is sent from the first vblank interrupt that finds its token, or a later one, there; that
 * of an asynchronous flip right away.
 */

#include <linux/iopoll.h>
#include <linux/math64.h>

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

/* Longer than the longest period. */
#define SUNDOG_LATCH_TIMEOUT_US	(2 * USEC_PER_SEC)

static struct sundog_device *to_sdev(struct drm_crtc *crtc)
{
	return to_sundog_device(crtc->dev);
}

/**
 * sundog_head_set_control() - change bits of HEAD_CONTROL
 * @sdev: device; the caller is inside drm_dev_enter()
 * @clear: bits to clear
 * @set: bits to set
 */
void sundog_head_set_control(struct sundog_device *sdev, u32 clear, u32 set)
{
	struct sundog_head *head = sdev->head;
	unsigned long flags;

	spin_lock_irqsave(&head->lock, flags);
	head->control = (head->control & ~clear) | set;
	sundog_write(sdev, SUNDOG_REG_HEAD_CONTROL(0), head->control);
	spin_unlock_irqrestore(&head->lock, flags);
}

/**
 * sundog_head_commit() - take over the shadow registers
 * @sdev: device; the caller is inside drm_dev_enter() and holds the head's @commit_lock
 * @event: to be sent when that took effect, or NULL
 */
void sundog_head_commit(struct sundog_device *sdev, struct drm_pending_vblank_event *event)
{
	struct sundog_head *head = sdev->head;
	unsigned long flags;

	lockdep_assert_held(&head->commit_lock);
	spin_lock_irqsave(&head->lock, flags);
	sundog_write(sdev, SUNDOG_REG_COMMIT(0), ++head->token);
	if (event) {
		drm_WARN_ON(&sdev->drm, head->event);
		head->event = event;
		head->event_token = head->token;
	}
	spin_unlock_irqrestore(&head->lock, flags);
}

static bool sundog_head_has_latched(struct sundog_device *sdev, u32 token)
{
	bool latched;
	int idx;

	/* What is gone shows nothing any more. */
	if (!drm_dev_enter(&sdev->drm, &idx))
		return true;
	latched = (s32)(sundog_read(sdev, SUNDOG_REG_LATCHED(0)) - token) >= 0;
	drm_dev_exit(idx);
	return latched;
}

/**
 * sundog_head_wait_latched() - wait until the last commit took effect
 * @sdev: device; the caller is outside of drm_dev_enter(), which an unplug waits for
 */
void sundog_head_wait_latched(struct sundog_device *sdev)
{
	u32 token = READ_ONCE(sdev->head->token);
	bool latched;

	if (read_poll_timeout(sundog_head_has_latched, latched, latched, 500,
			      SUNDOG_LATCH_TIMEOUT_US, false, sdev, token))
		drm_err(&sdev->drm, "commit %u took no effect\n", token);
}

/* Sends the event that waits, if its commit is @latched or an earlier one. */
static void sundog_head_send_event(struct sundog_device *sdev, u32 latched)
{
	struct sundog_head *head = sdev->head;
	struct drm_pending_vblank_event *event = NULL;

	lockdep_assert_held(&sdev->drm.event_lock);
	spin_lock(&head->lock);
	if (head->event && (s32)(latched - head->event_token) >= 0)
		swap(event, head->event);
	spin_unlock(&head->lock);
	if (event) {
		drm_crtc_send_vblank_event(&head->crtc, event);
		drm_crtc_vblank_put(&head->crtc);
	}
}

/**
 * sundog_crtc_vblank() - a vblank happened
 * @sdev: device
 *
 * Called from the display interrupt.
 */
void sundog_crtc_vblank(struct sundog_device *sdev)
{
	/* Read first: the vblank that is counted then is not before the one that took the flip. */
	u32 latched = sundog_read(sdev, SUNDOG_REG_LATCHED(0));

	drm_crtc_handle_vblank(&sdev->head->crtc);

	spin_lock(&sdev->drm.event_lock);
	sundog_head_send_event(sdev, latched);
	spin_unlock(&sdev->drm.event_lock);
}

/**
 * sundog_crtc_unplug() - the device was reset for the last time: there are no more vblanks
 * @sdev: device, unplugged
 */
void sundog_crtc_unplug(struct sundog_device *sdev)
{
	spin_lock_irq(&sdev->drm.event_lock);
	sundog_head_send_event(sdev, sdev->head->token);
	spin_unlock_irq(&sdev->drm.event_lock);
}

static enum drm_mode_status sundog_crtc_mode_valid(struct drm_crtc *crtc,
						   const struct drm_display_mode *mode)
{
	int refresh = drm_mode_vrefresh(mode);

	return refresh >= 1 && refresh <= 1000 ? MODE_OK : MODE_BAD;
}

static void sundog_crtc_set_mode(struct sundog_device *sdev, const struct drm_display_mode *mode)
{
	u64 period = div_u64((u64)mode->htotal * mode->vtotal * NSEC_PER_MSEC, mode->clock);

	sundog_write(sdev, SUNDOG_REG_HEAD_WIDTH(0), mode->hdisplay);
	sundog_write(sdev, SUNDOG_REG_HEAD_HEIGHT(0), mode->vdisplay);
	sundog_write(sdev, SUNDOG_REG_HEAD_PERIOD(0),
		     clamp_t(u64, period, NSEC_PER_MSEC, NSEC_PER_SEC));
}

/* The head is off, so this takes effect at once and the vblank counter starts before it is used. */
static void sundog_crtc_atomic_enable(struct drm_crtc *crtc, struct drm_atomic_state *state)
{
	struct sundog_device *sdev = to_sdev(crtc);
	int idx;

	if (drm_dev_enter(crtc->dev, &idx)) {
		mutex_lock(&sdev->head->commit_lock);
		sundog_crtc_set_mode(sdev, &crtc->state->adjusted_mode);
		sundog_head_set_control(sdev, 0, SUNDOG_HEAD_CONTROL_ENABLE);
		sundog_head_commit(sdev, NULL);
		mutex_unlock(&sdev->head->commit_lock);
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
	struct sundog_device *sdev = to_sdev(crtc);
	int idx;

	drm_crtc_vblank_off(crtc);
	if (drm_dev_enter(crtc->dev, &idx)) {
		mutex_lock(&sdev->head->commit_lock);
		sundog_head_set_control(sdev, SUNDOG_HEAD_CONTROL_ENABLE |
					SUNDOG_HEAD_CONTROL_PRIMARY |
					SUNDOG_HEAD_CONTROL_CURSOR, 0);
		sundog_head_commit(sdev, NULL);
		mutex_unlock(&sdev->head->commit_lock);
		drm_dev_exit(idx);
	}
	sundog_head_wait_latched(sdev);
	if (!crtc->state->active)
		sundog_crtc_send_now(crtc);
}

static void sundog_crtc_flip_async(struct drm_crtc *crtc)
{
	struct sundog_device *sdev = to_sdev(crtc);

	sundog_head_set_control(sdev, 0, SUNDOG_HEAD_CONTROL_ASYNC);
	sundog_head_commit(sdev, NULL);
	sundog_head_set_control(sdev, SUNDOG_HEAD_CONTROL_ASYNC, 0);
	sundog_crtc_send_now(crtc);
}

static void sundog_crtc_flip_at_vblank(struct drm_crtc *crtc)
{
	struct drm_pending_vblank_event *event = crtc->state->event;

	/* Without vblank interrupts, as when the device goes away, nothing would send it later. */
	if (event && drm_crtc_vblank_get(crtc)) {
		sundog_crtc_send_now(crtc);
		event = NULL;
	}
	crtc->state->event = NULL;
	sundog_head_commit(to_sdev(crtc), event);
}

/* Nobody commits what the planes write until all of it is written. */
static void sundog_crtc_atomic_begin(struct drm_crtc *crtc, struct drm_atomic_state *state)
{
	mutex_lock(&to_sdev(crtc)->head->commit_lock);
}

static void sundog_crtc_atomic_flush(struct drm_crtc *crtc, struct drm_atomic_state *state)
{
	int idx;

	if (!drm_dev_enter(crtc->dev, &idx)) {
		sundog_crtc_send_now(crtc);
	} else {
		if (crtc->state->async_flip)
			sundog_crtc_flip_async(crtc);
		else
			sundog_crtc_flip_at_vblank(crtc);
		drm_dev_exit(idx);
	}
	mutex_unlock(&to_sdev(crtc)->head->commit_lock);
}

static const struct drm_crtc_helper_funcs sundog_crtc_helpers = {
	.mode_valid = sundog_crtc_mode_valid,
	.atomic_check = drm_crtc_helper_atomic_check,
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
};

/**
 * sundog_crtc_init() - set up the CRTC
 * @sdev: device, whose planes are there
 *
 * Return: 0 or a negative error code.
 */
int sundog_crtc_init(struct sundog_device *sdev)
{
	struct sundog_head *head = sdev->head;
	int ret;

	spin_lock_init(&head->lock);
	ret = drmm_mutex_init(&sdev->drm, &head->commit_lock);
	if (ret)
		return ret;
	ret = drmm_crtc_init_with_planes(&sdev->drm, &head->crtc, &head->primary, &head->cursor,
					 &sundog_crtc_funcs, NULL);
	if (ret)
		return ret;
	drm_crtc_helper_add(&head->crtc, &sundog_crtc_helpers);
	return 0;
}
