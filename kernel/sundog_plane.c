// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The primary plane and the cursor plane.
 *
 * Both write shadow registers only; the CRTC commits them. Their pictures are pinned in VRAM for as
 * long as they are on screen.
 */

#include <linux/bits.h>
#include <linux/container_of.h>
#include <linux/mutex.h>

#include <drm/drm_atomic.h>
#include <drm/drm_atomic_helper.h>
#include <drm/drm_drv.h>
#include <drm/drm_fourcc.h>
#include <drm/drm_framebuffer.h>
#include <drm/drm_gem_atomic_helper.h>
#include <drm/drm_gem_framebuffer_helper.h>
#include <drm/drm_plane.h>

#include "sundog_bo.h"
#include "sundog_compat.h"
#include "sundog_device.h"
#include "sundog_kms.h"
#include "sundog_pin.h"

static const u32 sundog_primary_formats[] = {
	DRM_FORMAT_XRGB8888,
	DRM_FORMAT_ARGB8888,
};

static const u32 sundog_cursor_formats[] = {
	DRM_FORMAT_ARGB8888,
};

static const u64 sundog_modifiers[] = {
	DRM_FORMAT_MOD_LINEAR,
	DRM_FORMAT_MOD_INVALID,
};

static struct sundog_head *to_head(struct drm_plane *plane)
{
	return container_of(plane, struct sundog_plane, base)->head;
}

static struct sundog_bo *sundog_plane_bo(const struct drm_plane_state *state)
{
	return to_sundog_bo(drm_gem_fb_get_obj(state->fb, 0));
}

static int sundog_plane_prepare_fb(struct drm_plane *plane, struct drm_plane_state *state)
{
	int ret;

	if (!state->fb)
		return 0;
	ret = sundog_pin_vram(sundog_plane_bo(state));
	if (ret)
		return ret;
	ret = drm_gem_plane_helper_prepare_fb(plane, state);
	if (ret)
		sundog_unpin(sundog_plane_bo(state));
	return ret;
}

static void sundog_plane_cleanup_fb(struct drm_plane *plane, struct drm_plane_state *state)
{
	if (state->fb)
		sundog_unpin(sundog_plane_bo(state));
}

static int sundog_plane_check(struct drm_plane_state *new_state, struct drm_atomic_state *state,
			      bool can_position)
{
	struct drm_crtc_state *crtc_state = NULL;

	if (new_state->crtc)
		crtc_state = drm_atomic_get_new_crtc_state(state, new_state->crtc);
	return drm_atomic_helper_check_plane_state(new_state, crtc_state, DRM_PLANE_NO_SCALING,
						   DRM_PLANE_NO_SCALING, can_position,
						   can_position);
}

static int sundog_primary_atomic_check(struct drm_plane *plane, struct drm_atomic_state *state)
{
	return sundog_plane_check(drm_atomic_get_new_plane_state(state, plane), state, false);
}

/* The first pixel that is shown. */
static u64 sundog_primary_offset(const struct drm_plane_state *state)
{
	const struct drm_framebuffer *fb = state->fb;

	return sundog_bo_vram_offset(sundog_plane_bo(state)) + fb->offsets[0] +
	       (u64)(state->src.y1 >> 16) * fb->pitches[0] +
	       (state->src.x1 >> 16) * fb->format->cpp[0];
}

static void sundog_primary_atomic_update(struct drm_plane *plane, struct drm_atomic_state *state)
{
	struct drm_plane_state *new_state = drm_atomic_get_new_plane_state(state, plane);
	struct sundog_head *head = to_head(plane);
	int idx;

	if (!drm_dev_enter(plane->dev, &idx))
		return;
	if (new_state->visible) {
		sundog_write(head->sdev, SUNDOG_REG_PRIMARY_FORMAT(head->index),
			     new_state->fb->format->format);
		sundog_write(head->sdev, SUNDOG_REG_PRIMARY_PITCH(head->index),
			     new_state->fb->pitches[0]);
		sundog_write64(head->sdev, SUNDOG_REG_PRIMARY_OFFSET(head->index),
			       sundog_primary_offset(new_state));
		sundog_head_set_control(head, 0, SUNDOG_HEAD_CONTROL_PRIMARY);
	} else {
		sundog_head_set_control(head, SUNDOG_HEAD_CONTROL_PRIMARY, 0);
	}
	drm_dev_exit(idx);
}

/* The device takes one size, rows packed. It clips by itself. */
static int sundog_cursor_atomic_check(struct drm_plane *plane, struct drm_atomic_state *state)
{
	struct drm_plane_state *new_state = drm_atomic_get_new_plane_state(state, plane);
	const struct drm_framebuffer *fb = new_state->fb;
	int ret;

	ret = sundog_plane_check(new_state, state, true);
	if (ret || !fb)
		return ret;
	if (fb->width != SUNDOG_MAX_CURSOR || fb->height != SUNDOG_MAX_CURSOR ||
	    fb->pitches[0] != SUNDOG_MAX_CURSOR * 4)
		return -EINVAL;
	if (new_state->src_x || new_state->src_y ||
	    new_state->src_w >> 16 != fb->width || new_state->src_h >> 16 != fb->height)
		return -EINVAL;
	return 0;
}

static void sundog_cursor_write(struct sundog_head *head, const struct drm_plane_state *state)
{
	if (!state->visible) {
		sundog_head_set_control(head, SUNDOG_HEAD_CONTROL_CURSOR, 0);
		return;
	}
	sundog_write64(head->sdev, SUNDOG_REG_CURSOR_OFFSET(head->index),
		       sundog_bo_vram_offset(sundog_plane_bo(state)) + state->fb->offsets[0]);
	sundog_write(head->sdev, SUNDOG_REG_CURSOR_X(head->index), state->crtc_x);
	sundog_write(head->sdev, SUNDOG_REG_CURSOR_Y(head->index), state->crtc_y);
	sundog_head_set_control(head, 0, SUNDOG_HEAD_CONTROL_CURSOR);
}

static void sundog_cursor_atomic_update(struct drm_plane *plane, struct drm_atomic_state *state)
{
	int idx;

	if (!drm_dev_enter(plane->dev, &idx))
		return;
	sundog_cursor_write(to_head(plane), drm_atomic_get_new_plane_state(state, plane));
	drm_dev_exit(idx);
}

/*
 * A move of the same picture does not wait for a flip before it, so that both are in the same
 * frame. A new picture does: the old one is let go of when it is not on screen any more.
 */
static int sundog_cursor_atomic_async_check(struct drm_plane *plane, SUNDOG_COMPAT_ASYNC_PARAM)
{
	const struct drm_plane_state *new_state = drm_atomic_get_new_plane_state(state, plane);

	if (SUNDOG_COMPAT_ASYNC_FLIP || !plane->state->fb || new_state->fb != plane->state->fb)
		return -EINVAL;
	return 0;
}

static void sundog_cursor_atomic_async_update(struct drm_plane *plane,
					      struct drm_atomic_state *state)
{
	const struct drm_plane_state *new_state = drm_atomic_get_new_plane_state(state, plane);
	struct sundog_head *head = to_head(plane);
	int idx;

	plane->state->crtc_x = new_state->crtc_x;
	plane->state->crtc_y = new_state->crtc_y;
	plane->state->src = new_state->src;
	plane->state->dst = new_state->dst;
	plane->state->visible = new_state->visible;
	if (!drm_dev_enter(plane->dev, &idx))
		return;
	mutex_lock(&head->commit_lock);
	sundog_cursor_write(head, plane->state);
	sundog_head_commit(head, NULL);
	mutex_unlock(&head->commit_lock);
	drm_dev_exit(idx);
}

static const struct drm_plane_helper_funcs sundog_primary_helpers = {
	.prepare_fb = sundog_plane_prepare_fb,
	.cleanup_fb = sundog_plane_cleanup_fb,
	.atomic_check = sundog_primary_atomic_check,
	.atomic_update = sundog_primary_atomic_update,
};

static const struct drm_plane_helper_funcs sundog_cursor_helpers = {
	.prepare_fb = sundog_plane_prepare_fb,
	.cleanup_fb = sundog_plane_cleanup_fb,
	.atomic_check = sundog_cursor_atomic_check,
	.atomic_update = sundog_cursor_atomic_update,
	.atomic_async_check = sundog_cursor_atomic_async_check,
	.atomic_async_update = sundog_cursor_atomic_async_update,
};

static const struct drm_plane_funcs sundog_plane_funcs = {
	.update_plane = drm_atomic_helper_update_plane,
	.disable_plane = drm_atomic_helper_disable_plane,
	.destroy = drm_plane_cleanup,
	.reset = drm_atomic_helper_plane_reset,
	.atomic_duplicate_state = drm_atomic_helper_plane_duplicate_state,
	.atomic_destroy_state = drm_atomic_helper_plane_destroy_state,
};

static int sundog_plane_init_one(struct sundog_head *head, struct sundog_plane *plane,
				 const u32 *formats, unsigned int n_formats,
				 enum drm_plane_type type,
				 const struct drm_plane_helper_funcs *helpers)
{
	int ret;

	plane->head = head;
	/* The CRTC of the same index is made next. */
	ret = drm_universal_plane_init(&head->sdev->drm, &plane->base, BIT(head->index),
				       &sundog_plane_funcs, formats, n_formats, sundog_modifiers,
				       type, NULL);
	if (ret)
		return ret;
	drm_plane_helper_add(&plane->base, helpers);
	return 0;
}

/**
 * sundog_plane_init() - set up the planes
 * @head: head
 *
 * Return: 0 or a negative error code.
 */
int sundog_plane_init(struct sundog_head *head)
{
	int ret;

	ret = sundog_plane_init_one(head, &head->primary, sundog_primary_formats,
				    ARRAY_SIZE(sundog_primary_formats), DRM_PLANE_TYPE_PRIMARY,
				    &sundog_primary_helpers);
	if (ret)
		return ret;
	return sundog_plane_init_one(head, &head->cursor, sundog_cursor_formats,
				     ARRAY_SIZE(sundog_cursor_formats), DRM_PLANE_TYPE_CURSOR,
				     &sundog_cursor_helpers);
}
