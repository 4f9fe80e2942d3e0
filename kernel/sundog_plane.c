// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Planes of a head: a primary plane, overlays, a cursor.
 *
 * The DRM core calls the functions here from atomic commits, cursor ioctls and drm_panic. The
 * device treats all planes alike. Planes write shadow registers only, under
 * &sundog_head.commit_lock, and the CRTC commits them. Framebuffers are pinned in VRAM while they
 * are on screen.
 *
 * A UI of the virtual machine may show the cursor and move it by itself. It needs the hot spot, and
 * has to know if the picture of the cursor is unchanged. A move outside of atomic commits therefore
 * writes the position only; an atomic commit may report damage. A move ignores the hot spot of the
 * plane state. DRM stores the hot spot of drmModeSetCursor2() there before it checks the new
 * cursor, which may fail.
 *
 * The cursor ioctls neither wait for a vblank nor have an event. The device scans out the old
 * framebuffer until the next vblank, so it stays pinned until a work item unpins it. A framebuffer
 * that another one replaced in the same frame was never on screen and is unpinned at once. Each
 * frame therefore keeps at most one framebuffer pinned, however often the cursor changes.
 *
 * drm_panic draws over the framebuffer of the primary plane, which is pinned, and all of VRAM is
 * mapped. The other CPUs may have stopped inside a commit or with a lock of this driver. The panic
 * code therefore takes no lock, writes the complete primary plane, and turns the other planes off,
 * because they may cover it. A panic screen that debugfs requests may spoil a commit in progress.
 * If drm_panic does not support the format of the framebuffer, the device shows the memory in a
 * supported one. That has the same size and no more bytes per row. No such format fits NV12, with
 * which drm_panic shows nothing. drm_panic unregisters planes before the device is unplugged, so
 * the device is mapped. The panic lock keeps the plane state stable.
 */

#include <linux/array_size.h>
#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/dma-fence.h>
#include <linux/dma-resv.h>
#include <linux/iosys-map.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/wait_bit.h>
#include <linux/workqueue.h>

#include <drm/drm_atomic.h>
#include <drm/drm_atomic_helper.h>
#include <drm/drm_atomic_state_helper.h>
#include <drm/drm_blend.h>
#include <drm/drm_color_mgmt.h>
#include <drm/drm_damage_helper.h>
#include <drm/drm_drv.h>
#include <drm/drm_fourcc.h>
#include <drm/drm_framebuffer.h>
#include <drm/drm_gem.h>
#include <drm/drm_gem_atomic_helper.h>
#include <drm/drm_gem_framebuffer_helper.h>
#include <drm/drm_panic.h>
#include <drm/drm_plane.h>

#include "sundog_device.h"
#include "sundog_head.h"
#include "sundog_plane.h"
#include "sundog_wq.h"
#include "sundog_writeback.h"

/* Largest scale factor. The device has no limit, but DRM computes the factor in 16.16 bits. */
#define SUNDOG_MAX_SCALE	16

#define SUNDOG_ROTATIONS	(DRM_MODE_ROTATE_MASK | DRM_MODE_REFLECT_MASK)

/* Room for the text logo in the largest font, 16 x 32 pixels: drm_panic does not check the size. */
#define SUNDOG_PANIC_WIDTH	(22 * 16)
#define SUNDOG_PANIC_HEIGHT	(8 * 32)

static const u32 sundog_plane_formats[] = {
	DRM_FORMAT_XRGB8888,
	DRM_FORMAT_ARGB8888,
	DRM_FORMAT_XBGR8888,
	DRM_FORMAT_ABGR8888,
	DRM_FORMAT_XRGB2101010,
	DRM_FORMAT_ARGB2101010,
	DRM_FORMAT_XRGB16161616F,
	DRM_FORMAT_ARGB16161616F,
	DRM_FORMAT_RGB565,
	DRM_FORMAT_NV12,
	DRM_FORMAT_P010,
};

static const u32 sundog_cursor_formats[] = {
	DRM_FORMAT_ARGB8888,
	DRM_FORMAT_XRGB8888,
};

static const u64 sundog_modifiers[] = {
	DRM_FORMAT_MOD_LINEAR,
	DRM_FORMAT_MOD_INVALID,
};

/*
 * Returns true if the caller is an ioctl, which takes the mode-setting locks interruptibly and can
 * be restarted. The console that returns, a VT switch, a hot-plug and resume cannot be.
 */
static bool sundog_plane_starts_over(const struct drm_plane_state *state)
{
	const struct drm_modeset_acquire_ctx *ctx = state->state->acquire_ctx;

	return ctx && ctx->interruptible;
}

static int sundog_plane_prepare_fb(struct drm_plane *plane, struct drm_plane_state *state)
{
	int ret;

	if (!state->fb)
		return 0;
	ret = sundog_fb_pin(state->fb, sundog_plane_starts_over(state));
	if (ret)
		return ret;
	ret = drm_gem_plane_helper_prepare_fb(plane, state);
	if (ret)
		sundog_fb_unpin(state->fb);
	return ret;
}

static void sundog_plane_cleanup_fb(struct drm_plane *plane, struct drm_plane_state *state)
{
	if (state->fb)
		sundog_fb_unpin(state->fb);
}

static bool sundog_plane_is_cursor(const struct drm_plane *plane)
{
	return plane->type == DRM_PLANE_TYPE_CURSOR;
}

static int sundog_plane_atomic_check(struct drm_plane *plane, struct drm_atomic_commit *state)
{
	struct drm_plane_state *new_state = drm_atomic_get_new_plane_state(state, plane);
	struct drm_crtc_state *crtc_state = NULL;
	int min_scale = DRM_PLANE_NO_SCALING, max_scale = DRM_PLANE_NO_SCALING;

	if (!sundog_plane_is_cursor(plane)) {
		min_scale = DRM_PLANE_NO_SCALING / SUNDOG_MAX_SCALE;
		max_scale = DRM_PLANE_NO_SCALING * SUNDOG_MAX_SCALE;
	}
	if (new_state->fb && (new_state->crtc_w > SUNDOG_MAX_PLANE_SIZE ||
			      new_state->crtc_h > SUNDOG_MAX_PLANE_SIZE))
		return -ERANGE;
	/* drm_atomic_helper_wait_for_fences() warns about a fence without a framebuffer. */
	if (!new_state->fb) {
		dma_fence_put(new_state->fence);
		new_state->fence = NULL;
	}
	if (new_state->crtc)
		crtc_state = drm_atomic_get_new_crtc_state(state, new_state->crtc);
	return drm_atomic_helper_check_plane_state(new_state, crtc_state, min_scale, max_scale,
						   true, true);
}

static void sundog_plane_write(struct sundog_plane *plane, u32 reg, u32 value)
{
	const u32 stride = SUNDOG_REG_PLANE_FORMAT(1) - SUNDOG_REG_PLANE_FORMAT(0);
	const u32 n = SUNDOG_HEAD_PLANES * plane->head->index + plane->index;

	sundog_write(plane->head->sdev, reg + stride * n, value);
}

static void sundog_plane_write_picture(struct sundog_plane *plane, struct drm_framebuffer *fb)
{
	static const u32 offset_regs[] = {
		SUNDOG_REG_PLANE_OFFSET(0), SUNDOG_REG_PLANE_OFFSET1(0),
	};
	static const u32 pitch_regs[] = {
		SUNDOG_REG_PLANE_PITCH(0), SUNDOG_REG_PLANE_PITCH1(0),
	};
	unsigned int i;
	u64 offset;

	for (i = 0; i < fb->format->num_planes; i++) {
		offset = sundog_fb_vram_offset(fb, i);
		sundog_plane_write(plane, offset_regs[i], lower_32_bits(offset));
		sundog_plane_write(plane, offset_regs[i] + 4, upper_32_bits(offset));
		sundog_plane_write(plane, pitch_regs[i], fb->pitches[i]);
	}
	sundog_plane_write(plane, SUNDOG_REG_PLANE_FORMAT(0), fb->format->format);
	sundog_plane_write(plane, SUNDOG_REG_PLANE_WIDTH(0), fb->width);
	sundog_plane_write(plane, SUNDOG_REG_PLANE_HEIGHT(0), fb->height);
}

/* PLANE_POINTER and the registers of the hot spot are new in protocol 5.2. */
static bool sundog_plane_is_pointer(const struct sundog_plane *plane)
{
	return sundog_plane_is_cursor(&plane->base) &&
	       sundog_device_has_minor(plane->head->sdev, 2);
}

static void sundog_plane_write_place(struct sundog_plane *plane,
				     const struct drm_plane_state *state)
{
	sundog_plane_write(plane, SUNDOG_REG_PLANE_DST_X(0), state->crtc_x);
	sundog_plane_write(plane, SUNDOG_REG_PLANE_DST_Y(0), state->crtc_y);
}

static void sundog_plane_write_hot_spot(struct sundog_plane *plane,
					const struct drm_plane_state *state)
{
	sundog_plane_write(plane, SUNDOG_REG_PLANE_POINTER(0), 1);
	sundog_plane_write(plane, SUNDOG_REG_PLANE_HOT_X(0), state->hotspot_x);
	sundog_plane_write(plane, SUNDOG_REG_PLANE_HOT_Y(0), state->hotspot_y);
}

/**
 * sundog_plane_off() - turn a plane off in the shadow registers
 * @plane: plane
 *
 * Takes effect with the next commit. The caller is inside drm_dev_enter().
 */
void sundog_plane_off(struct sundog_plane *plane)
{
	plane->written = false;
	sundog_plane_write(plane, SUNDOG_REG_PLANE_FORMAT(0), 0);
}

/*
 * Takes effect with the next commit. The framebuffer of @state is pinned, and the caller is inside
 * drm_dev_enter(). The device clips planes to the head, so the rectangles are unclipped.
 */
static void sundog_plane_write_state(struct sundog_plane *plane,
				     const struct drm_plane_state *state)
{
	if (!state->visible) {
		sundog_plane_off(plane);
		return;
	}
	sundog_plane_write_picture(plane, state->fb);
	sundog_plane_write(plane, SUNDOG_REG_PLANE_SRC_X(0), state->src_x);
	sundog_plane_write(plane, SUNDOG_REG_PLANE_SRC_Y(0), state->src_y);
	sundog_plane_write(plane, SUNDOG_REG_PLANE_SRC_W(0), state->src_w);
	sundog_plane_write(plane, SUNDOG_REG_PLANE_SRC_H(0), state->src_h);
	sundog_plane_write_place(plane, state);
	sundog_plane_write(plane, SUNDOG_REG_PLANE_DST_W(0), state->crtc_w);
	sundog_plane_write(plane, SUNDOG_REG_PLANE_DST_H(0), state->crtc_h);
	sundog_plane_write(plane, SUNDOG_REG_PLANE_BLEND(0), state->pixel_blend_mode);
	sundog_plane_write(plane, SUNDOG_REG_PLANE_ALPHA(0), state->alpha);
	sundog_plane_write(plane, SUNDOG_REG_PLANE_ROTATION(0), state->rotation);
	sundog_plane_write(plane, SUNDOG_REG_PLANE_ZPOS(0), state->normalized_zpos);
	sundog_plane_write(plane, SUNDOG_REG_PLANE_ENCODING(0), state->color_encoding);
	sundog_plane_write(plane, SUNDOG_REG_PLANE_RANGE(0), state->color_range);
	if (sundog_plane_is_pointer(plane))
		sundog_plane_write_hot_spot(plane, state);
	plane->written = true;
}

/*
 * Returns true if the device needs a damage report. User space may have redrawn an unchanged
 * framebuffer, unless its damage clips are all off screen; cursors have no damage clips. A change
 * of framebuffer needs no report.
 */
static bool sundog_plane_is_damaged(struct drm_plane *plane,
				    const struct drm_plane_state *old_state,
				    struct drm_plane_state *new_state)
{
	struct drm_rect damage;

	if (!new_state->visible || new_state->fb != old_state->fb)
		return false;
	return sundog_plane_is_cursor(plane) ||
	       drm_atomic_helper_damage_merged(old_state, new_state, &damage);
}

static void sundog_plane_atomic_update(struct drm_plane *plane, struct drm_atomic_commit *state)
{
	struct drm_plane_state *old_state = drm_atomic_get_old_plane_state(state, plane);
	struct drm_plane_state *new_state = drm_atomic_get_new_plane_state(state, plane);
	struct sundog_plane *splane = to_sundog_plane(plane);
	struct sundog_head *head = splane->head;
	int idx;

	if (!drm_dev_enter(plane->dev, &idx))
		return;
	sundog_plane_write_state(splane, new_state);
	to_sundog_plane_state(new_state)->token = head->token + 1;
	if (new_state->fb == old_state->fb)
		to_sundog_plane_state(new_state)->token =
			min(head->token + 1, to_sundog_plane_state(old_state)->token);
	if (sundog_plane_is_damaged(plane, old_state, new_state))
		sundog_write(head->sdev, SUNDOG_REG_DAMAGE(head->index), 1);
	drm_dev_exit(idx);
}

/* Returns true if the framebuffer has unsignalled write fences, which a commit waits for. */
static bool sundog_fb_is_busy(struct drm_framebuffer *fb)
{
	unsigned int i;

	for (i = 0; i < fb->format->num_planes; i++)
		if (!dma_resv_test_signaled(drm_gem_fb_get_obj(fb, i)->resv, DMA_RESV_USAGE_WRITE))
			return true;
	return false;
}

/* Returns true if two states of a cursor differ in the position only, apart from the hot spot. */
static bool sundog_cursor_only_moves(const struct drm_plane_state *a,
				     const struct drm_plane_state *b)
{
	return a->visible && b->visible && a->crtc == b->crtc && a->fb == b->fb &&
	       (a->crtc_x != b->crtc_x || a->crtc_y != b->crtc_y) &&
	       a->src_x == b->src_x && a->src_y == b->src_y &&
	       a->src_w == b->src_w && a->src_h == b->src_h &&
	       a->crtc_w == b->crtc_w && a->crtc_h == b->crtc_h &&
	       a->alpha == b->alpha && a->pixel_blend_mode == b->pixel_blend_mode &&
	       a->normalized_zpos == b->normalized_zpos;
}

/*
 * An update of a cursor that stays enabled does not wait for a flip before it, so that both are in
 * the same frame. A head that is off takes no such update. Commits skip its planes, so the
 * framebuffer might stay in the registers until the head is on.
 */
static int sundog_cursor_atomic_async_check(struct drm_plane *plane,
					    struct drm_atomic_commit *state, bool flip)
{
	const struct drm_plane_state *new_state = drm_atomic_get_new_plane_state(state, plane);
	const struct drm_plane_state *old_state = plane->state;
	const struct drm_crtc_state *crtc_state;

	if (flip || !old_state->fb || !new_state->fb)
		return -EINVAL;
	if (new_state->visible && !sundog_cursor_only_moves(old_state, new_state) &&
	    sundog_fb_is_busy(new_state->fb))
		return -EINVAL;
	crtc_state = drm_atomic_get_new_crtc_state(state, new_state->crtc);
	if (!crtc_state || !crtc_state->active)
		return -EINVAL;
	if (new_state->alpha != old_state->alpha ||
	    new_state->pixel_blend_mode != old_state->pixel_blend_mode)
		return -EINVAL;
	return 0;
}

/* Same framebuffer: user space may have redrawn it, so report damage. */
static void sundog_cursor_show(struct sundog_plane *cursor, const struct drm_plane_state *state,
			       bool is_new)
{
	struct sundog_head *head = cursor->head;

	sundog_plane_write_state(cursor, state);
	if (!is_new && state->visible)
		sundog_write(head->sdev, SUNDOG_REG_DAMAGE(head->index), 1);
	sundog_head_commit(head, NULL);
}

static void sundog_cursor_atomic_async_update(struct drm_plane *plane,
					      struct drm_atomic_commit *state)
{
	struct drm_plane_state *new_state = drm_atomic_get_new_plane_state(state, plane);
	struct sundog_plane *cursor = to_sundog_plane(plane);
	struct drm_plane_state *to = plane->state;
	const bool moves = sundog_cursor_only_moves(to, new_state);
	const bool is_new = new_state->fb != to->fb;
	int idx;

	/* The caller cleans up the new state, which therefore gets the old framebuffer. */
	swap(to->fb, new_state->fb);
	to->crtc_x = new_state->crtc_x;
	to->crtc_y = new_state->crtc_y;
	to->crtc_w = new_state->crtc_w;
	to->crtc_h = new_state->crtc_h;
	to->src_x = new_state->src_x;
	to->src_y = new_state->src_y;
	to->src_w = new_state->src_w;
	to->src_h = new_state->src_h;
	to->src = new_state->src;
	to->dst = new_state->dst;
	to->visible = new_state->visible;
	to->hotspot_x = new_state->hotspot_x;
	to->hotspot_y = new_state->hotspot_y;
	if (!drm_dev_enter(plane->dev, &idx))
		return;
	mutex_lock(&cursor->head->commit_lock);
	if (is_new) {
		to_sundog_plane_state(new_state)->token = to_sundog_plane_state(to)->token;
		to_sundog_plane_state(to)->token = cursor->head->token + 1;
	}
	/* After a mode set or a panic screen the registers need the complete state. */
	if (moves && cursor->written) {
		sundog_plane_write_place(cursor, to);
		sundog_head_commit_move(cursor->head);
	} else {
		sundog_cursor_show(cursor, to, is_new);
	}
	mutex_unlock(&cursor->head->commit_lock);
	drm_dev_exit(idx);
}

/*
 * Replaced framebuffer of a cursor, unpinned after the next vblank. Owns a reference to @fb, a pin
 * of @fb, and a reference to the DRM device.
 */
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
 * Returns true if the device may still scan out the framebuffer of a replaced state. Then its
 * commit has taken effect, and the last commit has not.
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

/*
 * @state was replaced, or never committed. Called after drm_atomic_helper_commit_hw_done(), so it
 * may allocate memory. If the allocation fails, the function waits for the vblank.
 */
static void sundog_cursor_cleanup_fb(struct drm_plane *plane, struct drm_plane_state *state)
{
	struct sundog_head *head = to_sundog_plane(plane)->head;
	struct sundog_old_cursor *old = NULL;

	if (!state->fb)
		return;
	if (sundog_cursor_is_shown(head, to_sundog_plane_state(state)->token)) {
		old = kmalloc_obj(*old, GFP_KERNEL);
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
 * sundog_cursor_wait() - wait until all replaced framebuffers of the cursor are unpinned
 * @head: head that is off, or whose device is unplugged
 */
void sundog_cursor_wait(struct sundog_head *head)
{
	wait_var_event(&head->n_old_cursors, !atomic_read(&head->n_old_cursors));
}

/* Returns the format in which drm_panic draws over @fb. drm_panic refuses it if it is NV12. */
static u32 sundog_panic_format(const struct drm_framebuffer *fb)
{
	switch (fb->format->format) {
	case DRM_FORMAT_XRGB16161616F:
	case DRM_FORMAT_ARGB16161616F:
		return DRM_FORMAT_XRGB8888;
	case DRM_FORMAT_P010:
		return DRM_FORMAT_RGB565;
	default:
		return fb->format->format;
	}
}

/* Fills in @buffer with the visible part of the framebuffer. */
static int sundog_panic_get_buffer(struct drm_plane *primary, struct drm_scanout_buffer *buffer)
{
	const struct drm_plane_state *state = primary->state;
	struct drm_framebuffer *fb = state->fb;
	const struct drm_format_info *format;
	u64 offset;

	if (!state->visible || state->src_w >> 16 < SUNDOG_PANIC_WIDTH ||
	    state->src_h >> 16 < SUNDOG_PANIC_HEIGHT)
		return -ENODEV;
	format = drm_format_info(sundog_panic_format(fb));
	offset = sundog_fb_vram_offset(fb, 0) + (u64)(state->src_y >> 16) * fb->pitches[0] +
		 (state->src_x >> 16) * format->cpp[0];
	buffer->format = format;
	buffer->width = state->src_w >> 16;
	buffer->height = state->src_h >> 16;
	buffer->pitch[0] = fb->pitches[0];
	iosys_map_set_vaddr(&buffer->map[0], to_sundog_device(primary->dev)->vram + offset);
	return 0;
}

/*
 * Takes effect at once, or after the writeback frame in progress. Turns writeback and colour
 * conversion off, because a stopped commit may have written their registers.
 */
static void sundog_panic_flush(struct drm_plane *primary)
{
	struct sundog_plane *plane = to_sundog_plane(primary);
	struct sundog_head *head = plane->head;
	struct sundog_device *sdev = head->sdev;
	unsigned int i;

	for (i = SUNDOG_PLANE_PRIMARY + 1; i < SUNDOG_HEAD_PLANES; i++)
		sundog_plane_off(&head->planes[i]);
	sundog_plane_write_state(plane, primary->state);
	sundog_plane_write(plane, SUNDOG_REG_PLANE_FORMAT(0),
			   sundog_panic_format(primary->state->fb));
	sundog_plane_write(plane, SUNDOG_REG_PLANE_ALPHA(0), 0xffff);
	sundog_plane_write(plane, SUNDOG_REG_PLANE_BLEND(0), DRM_MODE_BLEND_PIXEL_NONE);
	sundog_write64(sdev, SUNDOG_REG_HEAD_COLOR(head->index) +
			     offsetof(struct sundog_head_color, flags), 0);
	sundog_writeback_off(head);
	sundog_write(sdev, SUNDOG_REG_HEAD_CONTROL(head->index),
		     head->control | SUNDOG_HEAD_CONTROL_ASYNC);
	sundog_write(sdev, SUNDOG_REG_COMMIT(head->index), lower_32_bits(++head->token));
	sundog_write(sdev, SUNDOG_REG_HEAD_CONTROL(head->index), head->control);
	sundog_write(sdev, SUNDOG_REG_DAMAGE(head->index), 1);
}

static const struct drm_plane_helper_funcs sundog_primary_helpers = {
	.prepare_fb = sundog_plane_prepare_fb,
	.cleanup_fb = sundog_plane_cleanup_fb,
	.atomic_check = sundog_plane_atomic_check,
	.atomic_update = sundog_plane_atomic_update,
	.get_scanout_buffer = sundog_panic_get_buffer,
	.panic_flush = sundog_panic_flush,
};

static const struct drm_plane_helper_funcs sundog_overlay_helpers = {
	.prepare_fb = sundog_plane_prepare_fb,
	.cleanup_fb = sundog_plane_cleanup_fb,
	.atomic_check = sundog_plane_atomic_check,
	.atomic_update = sundog_plane_atomic_update,
};

static const struct drm_plane_helper_funcs sundog_cursor_helpers = {
	.prepare_fb = sundog_plane_prepare_fb,
	.cleanup_fb = sundog_cursor_cleanup_fb,
	.atomic_check = sundog_plane_atomic_check,
	.atomic_update = sundog_plane_atomic_update,
	.atomic_async_check = sundog_cursor_atomic_async_check,
	.atomic_async_update = sundog_cursor_atomic_async_update,
};

static const struct drm_plane_helper_funcs *const sundog_plane_helpers[] = {
	[DRM_PLANE_TYPE_PRIMARY] = &sundog_primary_helpers,
	[DRM_PLANE_TYPE_OVERLAY] = &sundog_overlay_helpers,
	[DRM_PLANE_TYPE_CURSOR] = &sundog_cursor_helpers,
};

static struct drm_plane_state *sundog_plane_duplicate_state(struct drm_plane *plane)
{
	struct sundog_plane_state *state = kzalloc_obj(*state, GFP_KERNEL);

	if (!state)
		return NULL;
	__drm_atomic_helper_plane_duplicate_state(plane, &state->base);
	state->token = U64_MAX;
	return &state->base;
}

static void sundog_plane_destroy_state(struct drm_plane *plane, struct drm_plane_state *state)
{
	__drm_atomic_helper_plane_destroy_state(state);
	kfree(to_sundog_plane_state(state));
}

static void sundog_plane_reset(struct drm_plane *plane)
{
	struct sundog_plane_state *state = kzalloc_obj(*state, GFP_KERNEL);

	if (plane->state)
		sundog_plane_destroy_state(plane, plane->state);
	__drm_atomic_helper_plane_reset(plane, state ? &state->base : NULL);
}

static const struct drm_plane_funcs sundog_plane_funcs = {
	.update_plane = drm_atomic_helper_update_plane,
	.disable_plane = drm_atomic_helper_disable_plane,
	.destroy = drm_plane_cleanup,
	.reset = sundog_plane_reset,
	.atomic_duplicate_state = sundog_plane_duplicate_state,
	.atomic_destroy_state = sundog_plane_destroy_state,
};

static int sundog_plane_init_alpha(struct drm_plane *plane)
{
	int ret = drm_plane_create_alpha_property(plane);

	if (ret)
		return ret;
	return drm_plane_create_blend_mode_property(plane, BIT(DRM_MODE_BLEND_PREMULTI) |
						    BIT(DRM_MODE_BLEND_COVERAGE) |
						    BIT(DRM_MODE_BLEND_PIXEL_NONE));
}

/* Creates the properties that cursors do not have. */
static int sundog_plane_init_picture(struct drm_plane *plane)
{
	int ret = drm_plane_create_rotation_property(plane, DRM_MODE_ROTATE_0, SUNDOG_ROTATIONS);

	if (ret)
		return ret;
	drm_plane_enable_fb_damage_clips(plane);
	return drm_plane_create_color_properties(plane, BIT(DRM_COLOR_YCBCR_BT601) |
						 BIT(DRM_COLOR_YCBCR_BT709) |
						 BIT(DRM_COLOR_YCBCR_BT2020),
						 BIT(DRM_COLOR_YCBCR_LIMITED_RANGE) |
						 BIT(DRM_COLOR_YCBCR_FULL_RANGE),
						 DRM_COLOR_YCBCR_BT601,
						 DRM_COLOR_YCBCR_LIMITED_RANGE);
}

/* The cursor stays above the other planes. */
static int sundog_plane_init_zpos(struct drm_plane *plane, unsigned int index)
{
	if (sundog_plane_is_cursor(plane))
		return drm_plane_create_zpos_immutable_property(plane, index);
	return drm_plane_create_zpos_property(plane, index, 0, SUNDOG_PLANE_CURSOR - 1);
}

static int sundog_plane_init_one(struct sundog_head *head, unsigned int index,
				 enum drm_plane_type type)
{
	const bool cursor = type == DRM_PLANE_TYPE_CURSOR;
	struct sundog_plane *plane = &head->planes[index];
	int ret;

	plane->head = head;
	plane->index = index;
	/* The CRTC is created later; its index is that of the head. */
	ret = drm_universal_plane_init(&head->sdev->drm, &plane->base, BIT(head->index),
				       &sundog_plane_funcs,
				       cursor ? sundog_cursor_formats : sundog_plane_formats,
				       cursor ? ARRAY_SIZE(sundog_cursor_formats) :
						ARRAY_SIZE(sundog_plane_formats),
				       sundog_modifiers, type, NULL);
	if (ret)
		return ret;
	drm_plane_helper_add(&plane->base, sundog_plane_helpers[type]);
	ret = sundog_plane_init_alpha(&plane->base);
	if (!ret && !cursor)
		ret = sundog_plane_init_picture(&plane->base);
	return ret ?: sundog_plane_init_zpos(&plane->base, index);
}

/**
 * sundog_plane_init() - set up the planes
 * @head: head
 *
 * Return: 0 or a negative error code.
 */
int sundog_plane_init(struct sundog_head *head)
{
	unsigned int i;
	int ret;

	ret = sundog_plane_init_one(head, SUNDOG_PLANE_PRIMARY, DRM_PLANE_TYPE_PRIMARY);
	for (i = SUNDOG_PLANE_PRIMARY + 1; !ret && i < SUNDOG_PLANE_CURSOR; i++)
		ret = sundog_plane_init_one(head, i, DRM_PLANE_TYPE_OVERLAY);
	return ret ?: sundog_plane_init_one(head, SUNDOG_PLANE_CURSOR, DRM_PLANE_TYPE_CURSOR);
}
