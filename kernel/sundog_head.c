// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Functions that all parts of a head use: commits, and pins of framebuffers.
 *
 * The CRTC, the planes and the writeback connector call them, in threads that commit and in the
 * display interrupt. &sundog_head.commit_lock protects the shadow registers, &sundog_head.lock the
 * token and HEAD_CONTROL.
 *
 * Every atomic commit ends with a write of a new token to COMMIT. A cursor move does so, too,
 * without waiting for other commits. The device latches the commit at the next vblank, or at once
 * if the head is off or the flip is async. Then LATCHED returns the token. While the device writes
 * a writeback frame, see sundog_writeback.c, it latches no commit.
 *
 * At a variable rate a commit ends the current frame. A cursor move does not: it takes effect at
 * once, within that frame, or together with a commit that is not latched yet.
 */

#include <linux/iopoll.h>
#include <linux/lockdep.h>
#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/spinlock.h>

#include <drm/drm_drv.h>
#include <drm/drm_fourcc.h>
#include <drm/drm_framebuffer.h>
#include <drm/drm_gem_framebuffer_helper.h>
#include <drm/drm_print.h>

#include "sundog_bo.h"
#include "sundog_device.h"
#include "sundog_head.h"
#include "sundog_pin.h"

static struct sundog_bo *sundog_fb_bo(struct drm_framebuffer *fb, unsigned int i)
{
	return to_sundog_bo(drm_gem_fb_get_obj(fb, i));
}

/* Returns true if the device can scan out colour plane @part of the framebuffer. */
static bool sundog_fb_part_can_show(struct drm_framebuffer *fb, unsigned int part)
{
	const struct drm_format_info *info = fb->format;
	const u32 width = DIV_ROUND_UP(fb->width, part ? info->hsub : 1);
	const u32 height = DIV_ROUND_UP(fb->height, part ? info->vsub : 1);
	const u64 end = fb->offsets[part] + (u64)fb->pitches[part] * (height - 1) +
			drm_format_info_min_pitch(info, part, width);
	const struct sundog_bo *bo = sundog_fb_bo(fb, part);
	const u32 align = max(info->cpp[part], 4);

	if (fb->pitches[part] % align || fb->offsets[part] % align)
		return false;
	/* An odd size needs one more sample of chroma, which older GEM helpers do not check. */
	if (end > bo->tbo.base.size)
		return false;
	/* Scanout needs VRAM, so no imports. Framebuffers can be shared, so no PRIVATE BOs. */
	return !bo->guest && !bo->file_resv;
}

/**
 * sundog_fb_can_show() - check that the device can scan out a framebuffer
 * @fb: framebuffer
 *
 * Return: false if the device would read outside of an allocation or cannot read it, or if the
 * alignment is wrong.
 */
bool sundog_fb_can_show(struct drm_framebuffer *fb)
{
	unsigned int i;

	for (i = 0; i < fb->format->num_planes; i++)
		if (!sundog_fb_part_can_show(fb, i))
			return false;
	return true;
}

/* Unpins the first @n colour planes of a framebuffer. */
static void sundog_fb_unpin_parts(struct drm_framebuffer *fb, unsigned int n)
{
	while (n--)
		sundog_unpin(sundog_fb_bo(fb, n));
}

/**
 * sundog_fb_pin() - pin all colour planes of a framebuffer in VRAM
 * @fb: framebuffer
 * @starts_over: the caller is an ioctl, as for sundog_pin_vram()
 *
 * Return: 0, -EINVAL if the device cannot scan it out, or another negative error code.
 */
int sundog_fb_pin(struct drm_framebuffer *fb, bool starts_over)
{
	unsigned int i;
	int ret;

	if (!sundog_fb_can_show(fb))
		return -EINVAL;
	for (i = 0; i < fb->format->num_planes; i++) {
		ret = sundog_pin_vram(sundog_fb_bo(fb, i), starts_over);
		if (ret) {
			sundog_fb_unpin_parts(fb, i);
			return ret;
		}
	}
	return 0;
}

/**
 * sundog_fb_unpin() - undo sundog_fb_pin()
 * @fb: framebuffer
 */
void sundog_fb_unpin(struct drm_framebuffer *fb)
{
	sundog_fb_unpin_parts(fb, fb->format->num_planes);
}

/**
 * sundog_fb_vram_offset() - find a colour plane of a framebuffer in VRAM
 * @fb: framebuffer, pinned
 * @part: index of the colour plane
 *
 * Return: byte offset in VRAM.
 */
u64 sundog_fb_vram_offset(struct drm_framebuffer *fb, unsigned int part)
{
	return sundog_bo_vram_offset(sundog_fb_bo(fb, part)) + fb->offsets[part];
}

/**
 * sundog_head_has_vrr() - check whether a head supports a variable refresh rate
 * @head: head
 *
 * Return: true if the device has HEAD_PERIOD_MAX.
 */
bool sundog_head_has_vrr(const struct sundog_head *head)
{
	/* HEAD_PERIOD_MAX is new in protocol 5.2. */
	return sundog_device_has_minor(head->sdev, 2);
}

/**
 * sundog_head_is_writing() - check whether a head has unfinished writeback jobs
 * @head: head
 *
 * Return: true if writeback frames may delay commits.
 */
bool sundog_head_is_writing(struct sundog_head *head)
{
	unsigned long flags;
	bool busy;

	spin_lock_irqsave(&head->lock, flags);
	busy = !list_empty(&head->writeback_jobs);
	spin_unlock_irqrestore(&head->lock, flags);
	return busy;
}

/**
 * sundog_head_set_control() - change bits of HEAD_CONTROL
 * @head: head
 * @clear: bits to clear
 * @set: bits to set
 *
 * Return: 0, or -ENODEV after sundog_crtc_stop().
 */
int sundog_head_set_control(struct sundog_head *head, u32 clear, u32 set)
{
	unsigned long flags;
	bool gone;

	spin_lock_irqsave(&head->lock, flags);
	gone = head->gone;
	if (!gone) {
		head->control = (head->control & ~clear) | set;
		sundog_write(head->sdev, SUNDOG_REG_HEAD_CONTROL(head->index), head->control);
	}
	spin_unlock_irqrestore(&head->lock, flags);
	return gone ? -ENODEV : 0;
}

/**
 * sundog_head_commit() - commit the shadow registers
 * @head: head; the caller is inside drm_dev_enter() and holds @commit_lock
 * @event: event to send when the commit is latched, with a vblank reference, or NULL
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

/**
 * sundog_head_commit_async() - commit the shadow registers in the middle of a frame
 * @head: head; the caller is inside drm_dev_enter() and holds @commit_lock
 *
 * Earlier commits that wait for the next vblank take effect, too.
 */
void sundog_head_commit_async(struct sundog_head *head)
{
	sundog_head_set_control(head, 0, SUNDOG_HEAD_CONTROL_ASYNC);
	sundog_head_commit(head, NULL);
	sundog_head_set_control(head, SUNDOG_HEAD_CONTROL_ASYNC, 0);
}

/**
 * sundog_head_latched() - read LATCHED and extend it to 64 bits
 * @head: head; the caller is inside drm_dev_enter()
 *
 * Return: token of the last commit that took effect.
 */
u64 sundog_head_latched(struct sundog_head *head)
{
	const u32 latched = sundog_read(head->sdev, SUNDOG_REG_LATCHED(head->index));
	const u64 token = READ_ONCE(head->token);

	return token - (u32)(lower_32_bits(token) - latched);
}

/*
 * Returns true if the last commit is latched, its event is sent, and no writeback job is left.
 * @commit_lock excludes new commits.
 */
static bool sundog_head_is_at_rest(struct sundog_head *head)
{
	unsigned long flags;
	bool at_rest;

	lockdep_assert_held(&head->commit_lock);
	if (sundog_head_is_writing(head))
		return false;
	spin_lock_irqsave(&head->lock, flags);
	at_rest = !head->event && sundog_head_latched(head) == head->token;
	spin_unlock_irqrestore(&head->lock, flags);
	return at_rest;
}

/**
 * sundog_head_commit_move() - commit the shadow registers after a cursor move
 * @head: head; the caller is inside drm_dev_enter() and holds @commit_lock
 *
 * At a variable rate, a move alone does not start a new frame.
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

	/* A device that is unplugged or was pulled out latches no more commits. */
	if (!drm_dev_enter(head->crtc.dev, &idx))
		return true;
	latched = sundog_head_latched(head) >= token || !sundog_device_is_present(head->sdev);
	drm_dev_exit(idx);
	return latched;
}

/**
 * sundog_head_wait_latched() - wait until the last commit is latched
 * @head: head; the caller is outside of drm_dev_enter(), which an unplug waits for
 *
 * A writeback frame may delay the commit. The wait ends after SUNDOG_LATCH_TIMEOUT_US, because the
 * caller may hold mode-setting locks.
 *
 * Context: may sleep.
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
