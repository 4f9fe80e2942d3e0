// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Vblanks: how long frames last, their interrupt, how many there were, and when.
 *
 * With VRR_ENABLED a frame lasts until the next one is committed, between the mode's period and
 * what the screen takes. The core has nothing to estimate then: the device counts vblanks, and says
 * when they were. What drm_crtc_next_vblank_start() makes of the mode is a hint for fences.
 *
 * The device counts them by a clock of its own, and VBLANK_TIME is what that showed at the last
 * one, exactly. A reading of both clocks tells how far CLOCK_MONOTONIC is ahead of it, but no
 * better than within the time that the reading took, and on a busy host that can be a frame. So the
 * difference is kept, and corrected only as far as a reading contradicts it: where the clocks run
 * alike, frames are as long as the device made them, whenever the interrupt came; where they do
 * not, the difference follows the quickest readings.
 */

#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/minmax.h>

#include <drm/drm_crtc.h>
#include <drm/drm_drv.h>
#include <drm/drm_modes.h>

#include "sundog_device.h"
#include "sundog_kms.h"

/**
 * sundog_head_has_vrr() - can the head have frames of different lengths?
 * @head: head
 *
 * Return: true if the device knows that.
 */
bool sundog_head_has_vrr(const struct sundog_head *head)
{
	/* Came with protocol 5.2. */
	return sundog_device_has_minor(head->sdev, 2);
}

/* In ns. */
static u32 sundog_mode_period(const struct drm_display_mode *mode)
{
	u64 period = div_u64((u64)mode->htotal * mode->vtotal * NSEC_PER_MSEC, mode->clock);

	return clamp_t(u64, period, NSEC_PER_MSEC, NSEC_PER_SEC);
}

/* A mode that is as slow as the screen can be has one rate. */
static u32 sundog_head_longest(const struct sundog_head *head, const struct drm_crtc_state *state)
{
	const u32 max_period = READ_ONCE(head->max_period);

	if (!sundog_head_has_vrr(head) || !state->vrr_enabled ||
	    max_period <= sundog_mode_period(&state->adjusted_mode))
		return 0;
	return max_period;
}

/**
 * sundog_head_set_periods() - how long frames last, from the next commit on
 * @head: head; the caller is inside drm_dev_enter() and holds @commit_lock
 * @state: mode, and whether the rate may vary
 */
void sundog_head_set_periods(struct sundog_head *head, const struct drm_crtc_state *state)
{
	const unsigned int i = head->index;

	lockdep_assert_held(&head->commit_lock);
	head->longest = sundog_head_longest(head, state);
	sundog_write(head->sdev, SUNDOG_REG_HEAD_PERIOD(i),
		     sundog_mode_period(&state->adjusted_mode));
	if (sundog_head_has_vrr(head))
		sundog_write(head->sdev, SUNDOG_REG_HEAD_PERIOD_MAX(i), head->longest);
}

/**
 * sundog_head_update_periods() - the same, where that is not what it was
 * @head: head that is on; the caller is inside drm_dev_enter() and holds @commit_lock
 * @state: mode, and whether the rate may vary
 *
 * The screen may have another range by now: its EDID is read when somebody asks for it.
 */
void sundog_head_update_periods(struct sundog_head *head, const struct drm_crtc_state *state)
{
	if (sundog_head_longest(head, state) != head->longest)
		sundog_head_set_periods(head, state);
}

/**
 * sundog_crtc_enable_vblank() - &drm_crtc_funcs.enable_vblank
 * @crtc: CRTC
 *
 * A mode may be set while the device goes away. The core has whoever waits for vblanks do so again
 * then, and must not be told that it cannot: it would drop a reference that is somebody else's.
 *
 * Return: 0.
 */
int sundog_crtc_enable_vblank(struct drm_crtc *crtc)
{
	int idx;

	if (!drm_dev_enter(crtc->dev, &idx))
		return 0;
	sundog_head_set_control(to_sundog_head(crtc), 0, SUNDOG_HEAD_CONTROL_VBLANK_IRQ);
	drm_dev_exit(idx);
	return 0;
}

/**
 * sundog_crtc_disable_vblank() - &drm_crtc_funcs.disable_vblank
 * @crtc: CRTC
 */
void sundog_crtc_disable_vblank(struct drm_crtc *crtc)
{
	int idx;

	if (!drm_dev_enter(crtc->dev, &idx))
		return;
	sundog_head_set_control(to_sundog_head(crtc), SUNDOG_HEAD_CONTROL_VBLANK_IRQ, 0);
	drm_dev_exit(idx);
}

/**
 * sundog_crtc_get_vblank_counter() - &drm_crtc_funcs.get_vblank_counter
 * @crtc: CRTC
 *
 * Return: vblanks since the CRTC was enabled.
 */
u32 sundog_crtc_get_vblank_counter(struct drm_crtc *crtc)
{
	struct sundog_head *head = to_sundog_head(crtc);
	unsigned long flags;
	u32 count = 0;
	int idx;

	if (drm_dev_enter(crtc->dev, &idx)) {
		/* It changes what is read of VBLANK_TIME. */
		spin_lock_irqsave(&head->lock, flags);
		count = sundog_read(head->sdev, SUNDOG_REG_VBLANK_COUNT(head->index));
		spin_unlock_irqrestore(&head->lock, flags);
		drm_dev_exit(idx);
	}
	return count;
}

/* Reads both clocks. Returns by how much CLOCK_MONOTONIC is ahead, and within what, in ns. */
static s64 sundog_head_clock_ahead(struct sundog_head *head, int *max_error)
{
	s64 before, after, clock;
	u32 low;

	lockdep_assert_held(&head->lock);
	/* The high half is of whoever read the low one last. */
	spin_lock(&head->sdev->clock_lock);
	before = ktime_get_ns();
	low = sundog_read(head->sdev, SUNDOG_REG_CLOCK);
	after = ktime_get_ns();
	clock = low | (u64)sundog_read(head->sdev, SUNDOG_REG_CLOCK + 4) << 32;
	spin_unlock(&head->sdev->clock_lock);
	head->clock_ahead = clamp(head->clock_ahead, before - clock, after - clock);
	*max_error = min_t(s64, after - before, INT_MAX);
	return head->clock_ahead;
}

/**
 * sundog_crtc_get_vblank_timestamp() - &drm_crtc_funcs.get_vblank_timestamp
 * @crtc: CRTC
 * @max_error: within what @vblank_time is right, in ns
 * @vblank_time: when the last vblank was
 * @in_vblank_irq: called from the vblank's interrupt
 *
 * Return: true, or false without a device.
 */
bool sundog_crtc_get_vblank_timestamp(struct drm_crtc *crtc, int *max_error, ktime_t *vblank_time,
				      bool in_vblank_irq)
{
	struct sundog_head *head = to_sundog_head(crtc);
	unsigned long flags;
	s64 time;
	int idx;

	if (!drm_dev_enter(crtc->dev, &idx))
		return false;
	spin_lock_irqsave(&head->lock, flags);
	/* VBLANK_TIME is of when this is read. */
	sundog_read(head->sdev, SUNDOG_REG_VBLANK_COUNT(head->index));
	time = sundog_read64(head->sdev, SUNDOG_REG_VBLANK_TIME(head->index));
	*vblank_time = ns_to_ktime(time + sundog_head_clock_ahead(head, max_error));
	spin_unlock_irqrestore(&head->lock, flags);
	drm_dev_exit(idx);
	return true;
}
