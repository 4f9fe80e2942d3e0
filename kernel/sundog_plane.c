// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Planes: a primary one, overlays, a cursor.
 *
 * To the device all planes of a head are alike. They write shadow registers only; the CRTC commits
 * them. Their pictures are pinned in VRAM for as long as they are on screen.
 *
 * A cursor may be shown by the UI of the virtual machine, which moves it by itself: the device is
 * told where its hot spot is, and moves outside of atomic commits write nothing but places, so that
 * it knows that the picture is the same. An atomic commit may say that somebody drew to it. DRM has
 * the hot spot of drmModeSetCursor2() in the plane's state before it asks if that cursor can be
 * shown, which a move does not believe.
 *
 * The ioctls for cursors neither wait for a vblank nor have an event. The device scans out the old
 * framebuffer until the next vblank, so it stays pinned, and a work item unpins it. A framebuffer
 * that was never on screen, because another one replaced it in the same frame, is unpinned at once.
 * So a frame keeps one framebuffer, however often the cursor changes.
 *
 * The panic screen is drawn over the picture of the primary plane, which is pinned, and all of VRAM
 * is mapped. The other processors stopped wherever they were, in the middle of a commit or with a
 * lock of ours. So none is taken, and the primary plane is written anew, with the others off, for
 * they may cover it. Where debugfs has it drawn without a panic, it may spoil a commit that is
 * under way. Where drm_panic cannot draw in a picture's format, the same memory is shown as a
 * picture in one that it can draw in, of the same size, and with rows that are no longer. drm_panic
 * lets go of planes before the device is unplugged, so it is there, and while it holds the panic
 * lock it is safe to look at a plane's state.
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

/* The device takes any; more is of no use to anybody, and 16.16 bits have to hold the quotient. */
#define SUNDOG_MAX_SCALE	16

#define SUNDOG_ROTATIONS	(DRM_MODE_ROTATE_MASK | DRM_MODE_REFLECT_MASK)

/* drm_panic does not look if its logo has room: as text, in the largest font, 16 x 32. */
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
 * Who takes the locks of modes so that signals interrupt him starts over. Others may not: the
 * console that comes back, a switch of terminals, a hot-plug and resuming do not.
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
	/* Nothing waits for its drawing, and DRM's helpers warn of such a fence. */
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

/* Can the device tell a UI where the plane points? That came with protocol 5.2. */
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

/* With which spot a cursor points. */
static void sundog_plane_write_hot_spot(struct sundog_plane *plane,
					const struct drm_plane_state *state)
{
	sundog_plane_write(plane, SUNDOG_REG_PLANE_POINTER(0), 1);
	sundog_plane_write(plane, SUNDOG_REG_PLANE_HOT_X(0), state->hotspot_x);
	sundog_plane_write(plane, SUNDOG_REG_PLANE_HOT_Y(0), state->hotspot_y);
}

/**
 * sundog_plane_off() - a head shows nothing of a plane any more
 * @plane: plane
 *
 * Takes effect with the next commit. The caller is inside drm_dev_enter().
 */
void sundog_plane_off(struct sundog_plane *plane)
{
	plane->written = false;
	sundog_plane_write(plane, SUNDOG_REG_PLANE_FORMAT(0), 0);
}

/**
 * sundog_plane_write_opaque() - a head shows a plane that was written as if it had no alpha
 * @plane: plane
 * @format: what its picture has in place of its own format, with no more bytes to a row
 *
 * Takes effect with the next commit. The caller is inside drm_dev_enter().
 */
static void sundog_plane_write_opaque(struct sundog_plane *plane, u32 format)
{
	sundog_plane_write(plane, SUNDOG_REG_PLANE_FORMAT(0), format);
	sundog_plane_write(plane, SUNDOG_REG_PLANE_ALPHA(0), 0xffff);
	sundog_plane_write(plane, SUNDOG_REG_PLANE_BLEND(0), DRM_MODE_BLEND_PIXEL_NONE);
}

/**
 * sundog_plane_write_state() - a head shows a plane as its state says
 * @plane: plane
 * @state: its state, with a picture that is pinned
 *
 * Takes effect with the next commit. The caller is inside drm_dev_enter(). The device cuts off what
 * is outside, so it gets what was asked for, not what is left of it.
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
 * The same picture again may have been drawn to, unless its damage clips say where, which cursors
 * do not have, and that is not on screen; of another one the device knows by itself.
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

/* Is somebody drawing to it? A commit waits for that. */
static bool sundog_fb_is_busy(struct drm_framebuffer *fb)
{
	unsigned int i;

	for (i = 0; i < fb->format->num_planes; i++)
		if (!dma_resv_test_signaled(drm_gem_fb_get_obj(fb, i)->resv, DMA_RESV_USAGE_WRITE))
			return true;
	return false;
}

/* Does a cursor show the same as before, but in another place? */
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
 * A cursor that was there and stays does not wait for a flip before it, so that both are in the
 * same frame. A head that is off gets nothing to show, which nobody might take away before it is
 * on.
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
	/* A mode set or a panic screen leaves nothing of it on the device. */
	if (moves && cursor->written) {
		sundog_plane_write_place(cursor, to);
		sundog_head_commit_move(cursor->head);
	} else {
		sundog_cursor_show(cursor, to, is_new);
	}
	mutex_unlock(&cursor->head->commit_lock);
	drm_dev_exit(idx);
}

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
 * sundog_cursor_wait() - wait until no framebuffer is kept for a cursor that changed
 * @head: head that is off, or gone
 */
void sundog_cursor_wait(struct sundog_head *head)
{
	wait_var_event(&head->n_old_cursors, !atomic_read(&head->n_old_cursors));
}

/* In which format the panic screen is drawn over a picture. drm_panic looks if it can. */
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

/**
 * sundog_panic_get_buffer() - where on a head the panic screen is to be drawn
 * @primary: primary plane of the head
 * @buffer: what of its picture is shown
 *
 * Return: 0, or -ENODEV if there is nothing on screen that it could draw over.
 */
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

/**
 * sundog_panic_flush() - the panic screen is drawn: a head shows that and nothing else
 * @primary: primary plane of the head
 *
 * At once, or when a frame was written that the device is at. Somebody may have been about to ask
 * for another one, or to fade this.
 */
static void sundog_panic_flush(struct drm_plane *primary)
{
	struct sundog_head *head = to_sundog_plane(primary)->head;
	struct sundog_device *sdev = head->sdev;
	unsigned int i;

	for (i = SUNDOG_PLANE_PRIMARY + 1; i < SUNDOG_HEAD_PLANES; i++)
		sundog_plane_off(&head->planes[i]);
	sundog_plane_write_state(to_sundog_plane(primary), primary->state);
	sundog_plane_write_opaque(to_sundog_plane(primary),
				  sundog_panic_format(primary->state->fb));
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

/* What cursors do not have. */
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

/* The cursor stays above the others. */
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
	/* The CRTC of the same index is made next. */
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
