// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Functions that all parts of a head use: its commits, and the framebuffers that it shows.
 *
 * Every atomic commit ends in a write of COMMIT with a new token, and so does a move of the cursor,
 * which takes no turn behind other commits. The device takes it over at the next vblank, or at once
 * while the head is off or for an asynchronous flip, and shows the token in LATCHED. While a frame
 * is written for a writeback connector, see sundog_writeback.c, every commit waits for that.
 *
 * At a variable rate a commit ends the frame that it finds. A move of the cursor does not: it shows
 * at once, in that frame, or together with a commit that is under way.
 */

#include <linux/iopoll.h>
#include <linux/lockdep.h>
#include <linux/spinlock.h>

#include <drm/drm_drv.h>
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

/* The first @n parts of a picture. */
static void sundog_fb_unpin_parts(struct drm_framebuffer *fb, unsigned int n)
{
	while (n--)
		sundog_unpin(sundog_fb_bo(fb, n));
}

/**
 * sundog_fb_pin() - keep all parts of a framebuffer in VRAM
 * @fb: framebuffer
 * @starts_over: as for sundog_pin_vram()
 *
 * Return: 0 or a negative error code.
 */
int sundog_fb_pin(struct drm_framebuffer *fb, bool starts_over)
{
	unsigned int i;
	int ret;

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
 * sundog_fb_vram_offset() - where the device finds a part of a framebuffer
 * @fb: framebuffer, pinned
 * @part: which one
 *
 * Return: its offset in VRAM.
 */
u64 sundog_fb_vram_offset(struct drm_framebuffer *fb, unsigned int part)
{
	return sundog_bo_vram_offset(sundog_fb_bo(fb, part)) + fb->offsets[part];
}

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

/**
 * sundog_head_is_writing() - does the head have writeback jobs?
 * @head: head
 *
 * Return: true if commits may have to wait for that.
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

/**
 * sundog_head_commit_async() - take over the shadow registers in the middle of a frame
 * @head: head; the caller is inside drm_dev_enter() and holds @commit_lock
 *
 * Includes what was committed before and waits for the end of the frame.
 */
void sundog_head_commit_async(struct sundog_head *head)
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
	if (sundog_head_is_writing(head))
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

	/* An unplugged device shows nothing any more, nor does one that was pulled out. */
	if (!drm_dev_enter(head->crtc.dev, &idx))
		return true;
	latched = sundog_head_latched(head) >= token || !sundog_device_is_present(head->sdev);
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
