// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Framebuffers of cursors that were replaced without a wait for the vblank.
 *
 * The ioctls for cursors neither wait for a vblank nor have an event. The device scans out the old
 * framebuffer until the next vblank, so it stays pinned, and a work item unpins it. A framebuffer
 * that was never on screen, because another one replaced it in the same frame, is unpinned at once.
 * So a frame keeps one framebuffer, however often the cursor changes.
 */

#include <linux/atomic.h>
#include <linux/slab.h>
#include <linux/wait_bit.h>
#include <linux/workqueue.h>

#include <drm/drm_drv.h>
#include <drm/drm_framebuffer.h>

#include "sundog_kms.h"
#include "sundog_wq.h"

/* Has a reference to the framebuffer and its pin, and a reference to the device. */
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

/*
 * Returns true if the device may scan out the framebuffer of a state that was replaced: its commit
 * took effect, a later one has not yet.
 */
static bool sundog_cursor_is_shown(struct sundog_head *head, u64 token)
{
	u64 latched;
	int idx;

	if (token == U64_MAX || !drm_dev_enter(head->crtc.dev, &idx))
		return false;
	latched = sundog_head_latched(head);
	drm_dev_exit(idx);
	return latched >= token && latched < READ_ONCE(head->token);
}

/**
 * sundog_cursor_cleanup_fb() - &drm_plane_helper_funcs.cleanup_fb
 * @plane: cursor
 * @state: state that was replaced, or never committed
 *
 * Called after the commit is signalled as done, so this may allocate. Without memory it waits for
 * the vblank.
 */
void sundog_cursor_cleanup_fb(struct drm_plane *plane, struct drm_plane_state *state)
{
	struct sundog_head *head = to_sundog_plane(plane)->head;
	struct sundog_old_cursor *old = NULL;

	if (!state->fb)
		return;
	if (sundog_cursor_is_shown(head, to_sundog_plane_state(state)->token)) {
		old = kmalloc(sizeof(*old), GFP_KERNEL);
		if (!old)
			sundog_head_wait_latched(head);
	}
	if (!old) {
		sundog_fb_unpin(state->fb);
		return;
	}
	INIT_WORK(&old->work, sundog_old_cursor_work);
	old->head = head;
	old->fb = state->fb;
	drm_framebuffer_get(old->fb);
	drm_dev_get(head->crtc.dev);
	atomic_inc(&head->n_old_cursors);
	queue_work(sundog_flip_wq, &old->work);
}

/**
 * sundog_cursor_wait() - wait until no framebuffer is kept for a cursor that changed
 * @head: head that is off, or gone
 */
void sundog_cursor_wait(struct sundog_head *head)
{
	wait_var_event(&head->n_old_cursors, !atomic_read(&head->n_old_cursors));
}
