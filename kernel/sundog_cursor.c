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
#include <drm/drm_atomic_helper.h>
#include <drm/drm_drv.h>

#include "sundog_kms.h"
#include "sundog_wq.h"

struct sundog_old_cursor {
	struct work_struct work;
	struct drm_atomic_state *state;
	struct sundog_head *head;
};

static void sundog_old_cursor_work(struct work_struct *work)
{
	struct sundog_old_cursor *old = container_of(work, struct sundog_old_cursor, work);
	struct sundog_head *head = old->head;

	sundog_head_wait_latched(head);
	drm_atomic_helper_cleanup_planes(old->state->dev, old->state);
	if (atomic_dec_and_test(&head->n_old_cursors))
		wake_up_var(&head->n_old_cursors);
	/* Holds the device, and the head with it. */
	drm_atomic_state_put(old->state);
	kfree(old);
}

/* Was what the plane showed before its last change ever latched? */
static bool sundog_plane_was_shown(struct sundog_plane *plane)
{
	bool shown;
	int idx;

	if (!drm_dev_enter(plane->base.dev, &idx))
		return false;
	shown = (s32)(sundog_head_latched(plane->head) - plane->old_token) >= 0;
	drm_dev_exit(idx);
	return shown;
}

/**
 * sundog_cursor_still_shown() - may the device still scan out what a commit took from a cursor?
 * @state: what was written and committed; no other commit has followed it
 *
 * Return: the head, or NULL if not, or if the commit is one that waits for its flip.
 */
struct sundog_head *sundog_cursor_still_shown(struct drm_atomic_state *state)
{
	struct drm_plane_state *old_state, *new_state;
	struct drm_plane *plane;
	int i;

	if (!state->legacy_cursor_update)
		return NULL;
	for_each_oldnew_plane_in_state(state, plane, old_state, new_state, i) {
		if (old_state->fb && old_state->fb != new_state->fb &&
		    sundog_plane_was_shown(to_sundog_plane(plane)))
			return to_sundog_plane(plane)->head;
	}
	return NULL;
}

/**
 * sundog_cursor_cleanup_planes() - let go of what a commit took away, at the next vblank
 * @head: what sundog_cursor_still_shown() said
 * @state: state of the commit
 */
void sundog_cursor_cleanup_planes(struct sundog_head *head, struct drm_atomic_state *state)
{
	struct sundog_old_cursor *old = kmalloc(sizeof(*old), GFP_KERNEL);

	if (!old) {
		sundog_head_wait_latched(head);
		drm_atomic_helper_cleanup_planes(state->dev, state);
		return;
	}
	INIT_WORK(&old->work, sundog_old_cursor_work);
	old->head = head;
	old->state = drm_atomic_state_get(state);
	atomic_inc(&head->n_old_cursors);
	queue_work(sundog_flip_wq, &old->work);
}

/**
 * sundog_cursor_wait() - wait until nothing is kept for a cursor that was changed
 * @head: head that is off, or gone
 */
void sundog_cursor_wait(struct sundog_head *head)
{
	wait_var_event(&head->n_old_cursors, !atomic_read(&head->n_old_cursors));
}
