// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Cursors that the ioctls of old change: what they showed before.
 *
 * Who calls those does not wait for a vblank, and has no event that would tell of one. But until
 * then the device scans out the picture before, so that stays pinned, and a work lets go of it. One
 * that was never shown, since it was changed again in the same frame, is let go of at once: however
 * often that happens, one picture of a frame is kept.
 */

#include <linux/atomic.h>
#include <linux/slab.h>
#include <linux/wait_bit.h>
#include <linux/workqueue.h>

#include <drm/drm_atomic.h>
#include <drm/drm_drv.h>
#include <drm/drm_framebuffer.h>

#include "sundog_kms.h"
#include "sundog_wq.h"

/* Holds the framebuffer, which it pinned, and the device. */
struct sundog_old_cursor {
	struct work_struct work;
	struct drm_framebuffer *fb;
	struct sundog_head *head;
};

static void sundog_old_cursor_work(struct work_struct *work)
{
	struct sundog_old_cursor *old = container_of(work, struct sundog_old_cursor, work);
	struct sundog_head *head = old->head;
	struct drm_device *drm = head->crtc.dev;

	sundog_head_wait_latched(head);
	sundog_fb_unpin(old->fb);
	drm_framebuffer_put(old->fb);
	if (atomic_dec_and_test(&head->n_old_cursors))
		wake_up_var(&head->n_old_cursors);
	drm_dev_put(drm);
	kfree(old);
}

/* Was what the plane showed before its last change ever latched? */
static bool sundog_plane_was_shown(struct sundog_plane *plane)
{
	bool shown;
	int idx;

	if (!drm_dev_enter(plane->base.dev, &idx))
		return false;
	shown = sundog_head_latched(plane->head) >= plane->old_token;
	drm_dev_exit(idx);
	return shown;
}

/**
 * sundog_cursor_keep() - keep what a cursor showed until the device shows it no more
 * @plane: cursor, whose new picture was committed; no other commit of it has followed
 * @fb: picture before, pinned
 *
 * The caller is outside of drm_dev_enter(), for without memory this waits for a vblank.
 */
void sundog_cursor_keep(struct sundog_plane *plane, struct drm_framebuffer *fb)
{
	struct sundog_head *head = plane->head;
	struct sundog_old_cursor *old;

	if (!sundog_plane_was_shown(plane))
		return;
	old = kmalloc(sizeof(*old), GFP_KERNEL);
	if (!old) {
		sundog_head_wait_latched(head);
		return;
	}
	INIT_WORK(&old->work, sundog_old_cursor_work);
	old->head = head;
	old->fb = fb;
	drm_dev_get(head->crtc.dev);
	drm_framebuffer_get(fb);
	sundog_fb_pin_again(fb);
	atomic_inc(&head->n_old_cursors);
	queue_work(sundog_flip_wq, &old->work);
}

/**
 * sundog_cursor_keep_old() - the same for all that a commit took from cursors
 * @state: what was written and committed; no other commit has followed
 *
 * Does nothing about commits that wait for their flip.
 */
void sundog_cursor_keep_old(struct drm_atomic_state *state)
{
	struct drm_plane_state *old_state, *new_state;
	struct drm_plane *plane;
	int i;

	if (!state->legacy_cursor_update)
		return;
	for_each_oldnew_plane_in_state(state, plane, old_state, new_state, i)
		if (old_state->fb && old_state->fb != new_state->fb)
			sundog_cursor_keep(to_sundog_plane(plane), old_state->fb);
}

/**
 * sundog_cursor_wait() - wait until nothing is kept for a cursor that was changed
 * @head: head that is off, or gone
 */
void sundog_cursor_wait(struct sundog_head *head)
{
	wait_var_event(&head->n_old_cursors, !atomic_read(&head->n_old_cursors));
}
