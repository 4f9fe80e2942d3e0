// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The CRTC of a head: mode, commits, vblanks, colours, and CRCs of frames.
 *
 * The DRM core calls this file for atomic commits, in the threads of the commits, and for vblank
 * queries. The display interrupt calls sundog_crtc_vblank(). &sundog_head.commit_lock protects the
 * shadow registers, &sundog_head.lock the event and the state of the CRCs.
 *
 * The event of a page flip has the token of its commit. The first vblank interrupt that reads that
 * token or a later one in LATCHED sends the event. The event of an async flip is sent at once.
 *
 * With VRR_ENABLED a frame lasts until the next commit, at least the period of the mode and at most
 * the longest period of the screen. The device supplies the count and the time of vblanks, so the
 * core needs no estimate. drm_crtc_next_vblank_start() uses the mode, but only for fence deadlines.
 *
 * VBLANK_TIME is the exact value of the device's CLOCK at the last vblank. A reading of both clocks
 * gives the offset of CLOCK_MONOTONIC from CLOCK. Its error is bounded by the duration of the
 * reading, which can be a whole frame on a busy host. The driver therefore keeps the offset, and
 * corrects it only as far as a reading contradicts it. If both clocks run at the same rate, frame
 * times are exact however late the interrupt is. Otherwise the offset follows the quickest
 * readings.
 *
 * The colours of the blended planes go through a degamma table, a matrix and a gamma table.
 *
 * CRCs of frames are for tests, which read them from crtc-N/crc in debugfs. The device computes
 * them from the composed picture at the start of a frame, and skips frames if it is too slow.
 * Readers expect an entry for each frame. A skipped frame therefore gets the CRC of a later one.
 */

#include <kunit/visibility.h>
#include <linux/array_size.h>
#include <linux/circ_buf.h>
#include <linux/iopoll.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/stddef.h>
#include <linux/string.h>
#include <linux/wait_bit.h>

#include <drm/drm_atomic.h>
#include <drm/drm_atomic_helper.h>
#include <drm/drm_color_mgmt.h>
#include <drm/drm_crtc.h>
#include <drm/drm_crtc_helper.h>
#include <drm/drm_debugfs_crc.h>
#include <drm/drm_drv.h>
#include <drm/drm_managed.h>
#include <drm/drm_modes.h>
#include <drm/drm_print.h>
#include <drm/drm_vblank.h>

#include "sundog_crtc.h"
#include "sundog_device.h"
#include "sundog_head.h"
#include "sundog_plane.h"
#include "sundog_writeback.h"

/* Maximum number of frames whose CRCs wait for space in the core's ring; several seconds. */
#define SUNDOG_CRC_BACKLOG	1024

/* Number of entries of the degamma table and of the gamma table. */
#define SUNDOG_LUT_SIZE	ARRAY_SIZE(((struct sundog_head_color *)NULL)->gamma)

static bool sundog_lut_fits(const struct drm_property_blob *lut)
{
	return !lut || drm_color_lut_size(lut) == SUNDOG_LUT_SIZE;
}

static void sundog_color_write(struct sundog_head *head, size_t offset, u64 value)
{
	sundog_write64(head->sdev, SUNDOG_REG_HEAD_COLOR(head->index) + offset, value);
}

static void sundog_color_write_ctm(struct sundog_head *head, const struct drm_color_ctm *ctm)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ctm->matrix); i++)
		sundog_color_write(head, offsetof(struct sundog_head_color, ctm[i]),
				   drm_color_ctm_s31_32_to_qm_n(ctm->matrix[i], 32, 32));
}

static void sundog_color_write_lut(struct sundog_head *head, u32 reg,
				   const struct drm_color_lut *lut)
{
	unsigned int i;

	for (i = 0; i < SUNDOG_LUT_SIZE; i++)
		sundog_write64(head->sdev, reg + i * sizeof(u64),
			       lut[i].red | (u64)lut[i].green << 16 | (u64)lut[i].blue << 32);
}

/* The next commit applies the colour conversion. The caller is inside drm_dev_enter(). */
static void sundog_color_update(struct sundog_head *head, const struct drm_crtc_state *state)
{
	const u32 gamma = SUNDOG_REG_HEAD_COLOR(head->index) +
			  offsetof(struct sundog_head_color, gamma);
	u32 flags = 0;

	if (state->degamma_lut) {
		sundog_color_write_lut(head, SUNDOG_REG_HEAD_DEGAMMA(head->index),
				       state->degamma_lut->data);
		flags |= SUNDOG_HEAD_COLOR_FLAG_DEGAMMA;
	}
	if (state->ctm) {
		sundog_color_write_ctm(head, state->ctm->data);
		flags |= SUNDOG_HEAD_COLOR_FLAG_CTM;
	}
	if (state->gamma_lut) {
		sundog_color_write_lut(head, gamma, state->gamma_lut->data);
		flags |= SUNDOG_HEAD_COLOR_FLAG_GAMMA;
	}
	sundog_color_write(head, offsetof(struct sundog_head_color, flags), flags);
}

static int sundog_color_init(struct sundog_head *head)
{
	/* HEAD_DEGAMMA is new in protocol 5.1. */
	const u32 degamma = sundog_device_has_minor(head->sdev, 1) ? SUNDOG_LUT_SIZE : 0;

	drm_crtc_enable_color_mgmt(&head->crtc, degamma, true, SUNDOG_LUT_SIZE);
	return drm_mode_crtc_set_gamma_size(&head->crtc, SUNDOG_LUT_SIZE);
}

/*
 * Returns the duration of a frame in ns, limited to the range of HEAD_PERIOD. The core accepts no
 * mode whose clock is 0.
 */
static u32 sundog_mode_period(const struct drm_display_mode *mode)
{
	u64 period = div_u64((u64)mode->htotal * mode->vtotal * NSEC_PER_MSEC, mode->clock);

	return clamp_t(u64, period, NSEC_PER_MSEC, NSEC_PER_SEC);
}

/* Returns HEAD_PERIOD_MAX in ns; 0, a fixed rate, if the mode has the lowest rate of the screen. */
static u32 sundog_head_longest(const struct sundog_head *head, const struct drm_crtc_state *state)
{
	const u32 max_period = READ_ONCE(head->max_period);

	if (!sundog_head_has_vrr(head) || !state->vrr_enabled ||
	    max_period <= sundog_mode_period(&state->adjusted_mode))
		return 0;
	return max_period;
}

/* The next commit applies the duration of frames. The caller is inside drm_dev_enter(). */
static void sundog_head_set_periods(struct sundog_head *head, const struct drm_crtc_state *state)
{
	const unsigned int i = head->index;

	lockdep_assert_held(&head->commit_lock);
	head->longest = sundog_head_longest(head, state);
	sundog_write(head->sdev, SUNDOG_REG_HEAD_PERIOD(i),
		     sundog_mode_period(&state->adjusted_mode));
	if (sundog_head_has_vrr(head))
		sundog_write(head->sdev, SUNDOG_REG_HEAD_PERIOD_MAX(i), head->longest);
}

/*
 * This callback and those below access registers until sundog_crtc_stop(), without drm_dev_enter():
 * the console may wait for a vblank while drm_dev_unplug() runs.
 */
static int sundog_crtc_enable_vblank(struct drm_crtc *crtc)
{
	return sundog_head_set_control(to_sundog_head(crtc), 0, SUNDOG_HEAD_CONTROL_VBLANK_IRQ);
}

static void sundog_crtc_disable_vblank(struct drm_crtc *crtc)
{
	sundog_head_set_control(to_sundog_head(crtc), SUNDOG_HEAD_CONTROL_VBLANK_IRQ, 0);
}

/*
 * Returns true if the registers of a vblank can be those of a device. One that was pulled out reads
 * as all zeros or all ones.
 */
static bool sundog_crtc_has_vblank(struct sundog_head *head, u32 count)
{
	return (count && count != U32_MAX) || sundog_device_is_present(head->sdev);
}

/*
 * Reads VBLANK_COUNT, and the exact time of that vblank to @head->vblank_time. After
 * sundog_crtc_stop() the count stays, so that the core counts no more vblanks.
 */
VISIBLE_IF_KUNIT u32 sundog_crtc_get_vblank_counter(struct drm_crtc *crtc)
{
	struct sundog_head *head = to_sundog_head(crtc);
	unsigned long flags;
	u32 count;
	u64 time;

	spin_lock_irqsave(&head->lock, flags);
	if (!head->gone) {
		/* The read of the count latches VBLANK_TIME; @lock protects the pair of reads. */
		count = sundog_read(head->sdev, SUNDOG_REG_VBLANK_COUNT(head->index));
		time = sundog_read64(head->sdev, SUNDOG_REG_VBLANK_TIME(head->index));
		if (sundog_crtc_has_vblank(head, count)) {
			head->vblank = count;
			head->vblank_time = time;
		}
	}
	count = head->vblank;
	spin_unlock_irqrestore(&head->lock, flags);
	return count;
}

/*
 * Reads both clocks. Returns the offset of CLOCK_MONOTONIC from CLOCK, in ns, and the bound of its
 * error in @max_error.
 */
static s64 sundog_head_clock_ahead(struct sundog_head *head, int *max_error)
{
	s64 before, after, clock;
	u32 low;

	lockdep_assert_held(&head->lock);
	/* Reading the low word latches the high word, for all heads. */
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

/*
 * Returns the time of the vblank whose number the last sundog_crtc_get_vblank_counter() returned.
 * To count vblanks, the core calls that function first, with &drm_device.vblank_time_lock held for
 * both. It tries again if a vblank came in between, but only three times, which a busy host uses
 * up. For the deadline of a fence it only asks for the time, which can be old then.
 */
VISIBLE_IF_KUNIT
bool sundog_crtc_get_vblank_timestamp(struct drm_crtc *crtc, int *max_error, ktime_t *vblank_time,
				      bool in_vblank_irq)
{
	struct sundog_head *head = to_sundog_head(crtc);
	unsigned long flags;

	spin_lock_irqsave(&head->lock, flags);
	if (head->gone) {
		*vblank_time = ktime_get();
		*max_error = 0;
	} else {
		*vblank_time = ns_to_ktime(head->vblank_time +
					   sundog_head_clock_ahead(head, max_error));
	}
	spin_unlock_irqrestore(&head->lock, flags);
	return true;
}

static const char *const sundog_crc_sources[] = { "auto" };

static const char *const *sundog_crtc_get_crc_sources(struct drm_crtc *crtc, size_t *count)
{
	*count = ARRAY_SIZE(sundog_crc_sources);
	return sundog_crc_sources;
}

static int sundog_crtc_verify_crc_source(struct drm_crtc *crtc, const char *source, size_t *values)
{
	if (source && strcmp(source, sundog_crc_sources[0]))
		return -EINVAL;
	*values = 1;
	return 0;
}

/*
 * Adds or removes a reader of CRCs. The core allows the next open of the debugfs file before it has
 * removed the source of the previous reader, so there can be two.
 */
static void sundog_crtc_want_crc(struct drm_crtc *crtc, bool comes)
{
	struct sundog_head *head = to_sundog_head(crtc);
	bool wanted;

	spin_lock_irq(&head->lock);
	head->crc_readers += comes ? 1 : -1;
	wanted = head->crc_readers;
	if (!head->gone)
		head->crc_frame = sundog_read64(head->sdev,
						SUNDOG_REG_VBLANK_COUNT(head->index));
	spin_unlock_irq(&head->lock);
	sundog_head_set_control(head, wanted ? 0 : SUNDOG_HEAD_CONTROL_CRC,
				wanted ? SUNDOG_HEAD_CONTROL_CRC : 0);
}

static int sundog_crtc_set_crc_source(struct drm_crtc *crtc, const char *source)
{
	struct sundog_head *head = to_sundog_head(crtc);
	int ret;

	if (source) {
		if (drm_dev_is_unplugged(crtc->dev))
			return -ENODEV;
		ret = drm_crtc_vblank_get(crtc);
		if (ret)
			return ret;
	}
	sundog_crtc_want_crc(crtc, source);
	if (!source) {
		/*
		 * An entry that the interrupt is still adding would go to the next reader. Pairs
		 * with sundog_crtc_add_crc().
		 */
		wait_var_event(&head->crc_busy, !smp_load_acquire(&head->crc_busy));
		drm_crtc_vblank_put(crtc);
	}
	return 0;
}

/* Returns the free entries of the core's ring. Its reader may only increase their number. */
static u32 sundog_crtc_crc_space(struct drm_crtc *crtc)
{
	u32 space;

	spin_lock(&crtc->crc.lock);
	space = CIRC_SPACE(crtc->crc.head, crtc->crc.tail, DRM_CRC_ENTRIES_NR);
	spin_unlock(&crtc->crc.lock);
	return space;
}

/*
 * Returns the number of frames to report now, with @crc, the last one being @frame. If the core's
 * ring has too little space, the rest is reported at later vblanks. @frame counts as the core does,
 * which does not restart at 0 as VBLANK_COUNT does. Under the core's lock @last is the VBLANK_COUNT
 * that belongs to its count.
 */
static u32 sundog_crtc_new_crcs(struct sundog_head *head, u32 *frame, u32 *crc)
{
	struct drm_crtc *crtc = &head->crtc;
	u64 last;
	u32 n;

	lockdep_assert_held(&crtc->dev->vblank_time_lock);
	lockdep_assert_held(&head->lock);
	if (!head->crc_readers)
		return 0;
	last = sundog_read64(head->sdev, SUNDOG_REG_HEAD_CRC_FRAME(head->index));
	*crc = sundog_read(head->sdev, SUNDOG_REG_HEAD_CRC(head->index));
	/* Do not report frames from before the source was set. */
	if (last <= head->crc_frame)
		return 0;
	/* A reader that is too far behind loses the oldest CRCs. */
	if (last - head->crc_frame > SUNDOG_CRC_BACKLOG)
		head->crc_frame = last - SUNDOG_CRC_BACKLOG;
	n = min_t(u64, last - head->crc_frame, sundog_crtc_crc_space(crtc));
	head->crc_frame += n;
	*frame = drm_crtc_vblank_count(crtc) -
		 (drm_crtc_vblank_crtc(crtc)->last - (u32)head->crc_frame);
	head->crc_busy = n;
	return n;
}

/* Called from the display interrupt, after drm_crtc_handle_vblank(). */
static void sundog_crtc_add_crc(struct sundog_head *head)
{
	struct drm_device *drm = head->crtc.dev;
	u32 frame, crc, n;

	spin_lock(&drm->vblank_time_lock);
	spin_lock(&head->lock);
	n = sundog_crtc_new_crcs(head, &frame, &crc);
	spin_unlock(&head->lock);
	spin_unlock(&drm->vblank_time_lock);
	if (!n)
		return;
	while (n--)
		drm_crtc_add_crc_entry(&head->crtc, true, frame - n, &crc);
	/* Pairs with sundog_crtc_set_crc_source(). */
	smp_store_release(&head->crc_busy, false);
	wake_up_var(&head->crc_busy);
}

static bool sundog_head_has_event(struct sundog_head *head)
{
	bool has;

	lockdep_assert_held(&head->crtc.dev->event_lock);
	spin_lock(&head->lock);
	has = head->event;
	spin_unlock(&head->lock);
	return has;
}

/* Sends the pending event if the token of its commit is @latched or earlier. */
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
 * sundog_crtc_vblank() - handle a vblank
 * @head: head
 *
 * Called from the display interrupt.
 */
void sundog_crtc_vblank(struct sundog_head *head)
{
	struct drm_device *drm = head->crtc.dev;
	/*
	 * Read LATCHED before the core updates its vblank count: the count in the event is then not
	 * before the vblank that latched the flip.
	 */
	const u64 latched = sundog_head_latched(head);
	const bool handled = drm_crtc_handle_vblank(&head->crtc);

	spin_lock(&drm->event_lock);
	sundog_head_send_event(head, latched);
	spin_unlock(&drm->event_lock);
	if (handled)
		sundog_crtc_add_crc(head);
}

/**
 * sundog_crtc_wait_shown() - wait until the last commit is latched, and send its event
 * @head: head; the caller is outside of drm_dev_enter()
 *
 * Context: may sleep.
 */
void sundog_crtc_wait_shown(struct sundog_head *head)
{
	struct drm_device *drm = head->crtc.dev;
	u64 latched;
	int idx;

	sundog_head_wait_latched(head);
	if (!drm_dev_enter(drm, &idx))
		return;
	/* Same order as in sundog_crtc_vblank(), whose interrupt may still be pending. */
	latched = sundog_head_latched(head);
	spin_lock_irq(&drm->event_lock);
	/* No other commit turns the head off before the event is sent. */
	if (sundog_head_has_event(head))
		drm_crtc_accurate_vblank_count(&head->crtc);
	sundog_head_send_event(head, latched);
	spin_unlock_irq(&drm->event_lock);
	drm_dev_exit(idx);
}

/*
 * Stops the count of vblanks, which goes up once more. Each commit has turned vblanks on and stored
 * its event before, or finds @gone.
 */
VISIBLE_IF_KUNIT void sundog_crtc_count_last(struct sundog_head *head)
{
	mutex_lock(&head->commit_lock);
	spin_lock_irq(&head->lock);
	if (!head->gone)
		head->vblank++;
	head->gone = true;
	spin_unlock_irq(&head->lock);
	mutex_unlock(&head->commit_lock);
}

/**
 * sundog_crtc_stop() - end the vblanks of a head
 * @head: head of a device that is unplugged or was pulled out
 *
 * Threads that wait for a vblank return. sundog_crtc_unplug() sends the event of a pending flip.
 *
 * Context: may sleep.
 */
void sundog_crtc_stop(struct sundog_head *head)
{
	sundog_crtc_count_last(head);
	/* Counts that vblank, wakes waiting threads, and lets no new thread wait. */
	drm_crtc_vblank_off(&head->crtc);
}

/**
 * sundog_crtc_unplug() - send the pending event of a head without further vblanks
 * @head: head of a device that was reset for the last time, or pulled out; sundog_crtc_stop() was
 *        called for it
 */
void sundog_crtc_unplug(struct sundog_head *head)
{
	struct drm_device *drm = head->crtc.dev;

	spin_lock_irq(&drm->event_lock);
	sundog_head_send_event(head, head->token);
	spin_unlock_irq(&drm->event_lock);
}

/**
 * sundog_crtc_restart() - bring LATCHED up to the last token after a reset, which cleared it
 * @head: head, which is off
 */
void sundog_crtc_restart(struct sundog_head *head)
{
	int idx;

	if (!drm_dev_enter(head->crtc.dev, &idx))
		return;
	/* The head is off, so LATCHED gets the token at once, and no later wait blocks. */
	mutex_lock(&head->commit_lock);
	sundog_head_commit(head, NULL);
	mutex_unlock(&head->commit_lock);
	drm_dev_exit(idx);
}

static void sundog_head_set_mode(struct sundog_head *head, const struct drm_display_mode *mode)
{
	sundog_write(head->sdev, SUNDOG_REG_HEAD_WIDTH(head->index), mode->hdisplay);
	sundog_write(head->sdev, SUNDOG_REG_HEAD_HEIGHT(head->index), mode->vdisplay);
}

/*
 * The head is off, so the commit takes effect at once, and VBLANK_COUNT runs before
 * drm_crtc_vblank_on() reads it. If that function cannot enable vblanks, it drops the reference of
 * a waiting thread, so it must not run when the vblanks have ended.
 */
static void sundog_crtc_atomic_enable(struct drm_crtc *crtc, struct drm_atomic_commit *state)
{
	struct sundog_head *head = to_sundog_head(crtc);
	unsigned int i;
	int idx;

	mutex_lock(&head->commit_lock);
	if (drm_dev_enter(crtc->dev, &idx)) {
		for (i = 0; i < SUNDOG_HEAD_PLANES; i++)
			sundog_plane_off(&head->planes[i]);
		sundog_head_set_mode(head, &crtc->state->adjusted_mode);
		sundog_head_set_periods(head, crtc->state);
		sundog_color_update(head, crtc->state);
		sundog_head_set_control(head, 0, SUNDOG_HEAD_CONTROL_ENABLE);
		sundog_head_commit(head, NULL);
		/* VBLANK_COUNT restarts at 0, a frame without a CRC. */
		spin_lock_irq(&head->lock);
		head->crc_frame = 0;
		spin_unlock_irq(&head->lock);
		drm_dev_exit(idx);
	}
	if (!head->gone)
		drm_crtc_vblank_on(crtc);
	mutex_unlock(&head->commit_lock);
}

/* Sends the event of the new state at once, without waiting for LATCHED. */
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

static void sundog_crtc_atomic_disable(struct drm_crtc *crtc, struct drm_atomic_commit *state)
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
	/* A head that is off writes no frames, so no remaining job can complete. */
	sundog_writeback_cancel(head);
	if (!crtc->state->active)
		sundog_crtc_send_now(crtc);
}

static int sundog_crtc_atomic_check(struct drm_crtc *crtc, struct drm_atomic_commit *state)
{
	const struct drm_crtc_state *new_state = drm_atomic_get_new_crtc_state(state, crtc);

	if (!sundog_lut_fits(new_state->degamma_lut) || !sundog_lut_fits(new_state->gamma_lut))
		return -EINVAL;
	return 0;
}

static void sundog_crtc_flip_at_vblank(struct drm_crtc *crtc)
{
	struct drm_pending_vblank_event *event = crtc->state->event;
	struct sundog_head *head = to_sundog_head(crtc);

	/* Without vblank interrupts no interrupt would send the event later. */
	if (event && (head->gone || drm_crtc_vblank_get(crtc))) {
		sundog_crtc_send_now(crtc);
		event = NULL;
	}
	crtc->state->event = NULL;
	sundog_head_commit(head, event);
}

/*
 * Held until sundog_crtc_atomic_flush(), so that no other thread commits half-written planes. A
 * commit of several heads locks them in the order of their indices.
 */
static void sundog_crtc_atomic_begin(struct drm_crtc *crtc, struct drm_atomic_commit *state)
{
	struct sundog_head *head = to_sundog_head(crtc);

	mutex_lock_nested(&head->commit_lock, head->index);
}

static void sundog_crtc_atomic_flush(struct drm_crtc *crtc, struct drm_atomic_commit *state)
{
	struct sundog_head *head = to_sundog_head(crtc);
	/* An async flip would change the picture in the middle of a writeback frame. */
	const bool async = crtc->state->async_flip && !sundog_head_is_writing(head);
	int idx;

	sundog_writeback_queue(head, state);
	if (!drm_dev_enter(crtc->dev, &idx)) {
		sundog_crtc_send_now(crtc);
	} else {
		if (crtc->state->color_mgmt_changed)
			sundog_color_update(head, crtc->state);
		/* A probe of the connector may have changed the range of the screen. */
		if (sundog_head_longest(head, crtc->state) != head->longest)
			sundog_head_set_periods(head, crtc->state);
		if (async) {
			sundog_head_commit_async(head);
			/* Without an interrupt, the count that the event gets could be old. */
			drm_crtc_accurate_vblank_count(crtc);
			sundog_crtc_send_now(crtc);
		} else {
			sundog_crtc_flip_at_vblank(crtc);
		}
		drm_dev_exit(idx);
	}
	mutex_unlock(&head->commit_lock);
}

static const struct drm_crtc_helper_funcs sundog_crtc_helpers = {
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
 * @head: head, whose planes are initialised
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
