// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The panic screen, which drm_panic draws when the kernel is at its end.
 *
 * It draws over the picture of the primary plane, which is pinned, and all of VRAM is mapped. The
 * other processors stopped wherever they were, in the middle of a commit or with a lock of ours. So
 * none is taken, and the primary plane is written anew, with the others off, for they may cover it.
 * Where debugfs has it drawn without a panic, it may spoil a commit that is under way.
 *
 * Where drm_panic cannot draw in a picture's format, the same memory is shown as a picture in one
 * that it can draw in, of the same size, and with rows that are no longer.
 *
 * drm_panic lets go of planes before the device is unplugged, so it is there, and while it holds
 * the panic lock it is safe to look at a plane's state.
 */

#include <linux/iosys-map.h>

#include <drm/drm_fourcc.h>
#include <drm/drm_framebuffer.h>
#include <drm/drm_panic.h>
#include <drm/drm_plane.h>

#include "sundog_device.h"
#include "sundog_kms.h"

/* drm_panic does not look if its logo has room: as text, in the largest font, 16 x 32. */
#define SUNDOG_PANIC_WIDTH	(22 * 16)
#define SUNDOG_PANIC_HEIGHT	(8 * 32)

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
int sundog_panic_get_buffer(struct drm_plane *primary, struct drm_scanout_buffer *buffer)
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
void sundog_panic_flush(struct drm_plane *primary)
{
	struct sundog_head *head = to_sundog_plane(primary)->head;
	struct sundog_device *sdev = head->sdev;
	unsigned int i;

	for (i = SUNDOG_PLANE_PRIMARY + 1; i < SUNDOG_HEAD_PLANES; i++)
		sundog_plane_off(&head->planes[i]);
	sundog_plane_write_state(to_sundog_plane(primary), primary->state);
	sundog_plane_write_opaque(to_sundog_plane(primary),
				  sundog_panic_format(primary->state->fb));
	sundog_color_off(head);
	sundog_writeback_off(head);
	sundog_write(sdev, SUNDOG_REG_HEAD_CONTROL(head->index),
		     head->control | SUNDOG_HEAD_CONTROL_ASYNC);
	sundog_write(sdev, SUNDOG_REG_COMMIT(head->index), lower_32_bits(++head->token));
	sundog_write(sdev, SUNDOG_REG_HEAD_CONTROL(head->index), head->control);
	sundog_write(sdev, SUNDOG_REG_DAMAGE(head->index), 1);
}
