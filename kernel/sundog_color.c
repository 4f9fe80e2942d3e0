// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * What happens to a head's colours when its planes have been blended: a transform, then a table.
 */

#include <linux/array_size.h>
#include <linux/stddef.h>

#include <drm/drm_color_mgmt.h>
#include <drm/drm_crtc.h>

#include "sundog_device.h"
#include "sundog_kms.h"

#define SUNDOG_GAMMA_SIZE	ARRAY_SIZE(((struct sundog_head_color *)NULL)->gamma)

/**
 * sundog_color_check() - can the device do that to colours?
 * @state: state of a CRTC
 *
 * Return: 0 or -EINVAL.
 */
int sundog_color_check(const struct drm_crtc_state *state)
{
	if (state->gamma_lut && drm_color_lut_size(state->gamma_lut) != SUNDOG_GAMMA_SIZE)
		return -EINVAL;
	return 0;
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

static void sundog_color_write_gamma(struct sundog_head *head, const struct drm_color_lut *lut)
{
	unsigned int i;

	for (i = 0; i < SUNDOG_GAMMA_SIZE; i++)
		sundog_color_write(head, offsetof(struct sundog_head_color, gamma[i]),
				   lut[i].red | (u64)lut[i].green << 16 | (u64)lut[i].blue << 32);
}

/**
 * sundog_color_update() - tell the device, which takes it over with the next commit
 * @head: head; the caller is inside drm_dev_enter()
 * @state: the new state of its CRTC
 */
void sundog_color_update(struct sundog_head *head, const struct drm_crtc_state *state)
{
	u32 flags = 0;

	if (state->ctm) {
		sundog_color_write_ctm(head, state->ctm->data);
		flags |= SUNDOG_HEAD_COLOR_FLAG_CTM;
	}
	if (state->gamma_lut) {
		sundog_color_write_gamma(head, state->gamma_lut->data);
		flags |= SUNDOG_HEAD_COLOR_FLAG_GAMMA;
	}
	sundog_color_write(head, offsetof(struct sundog_head_color, flags), flags);
}

/**
 * sundog_color_init() - say what can be done to colours
 * @head: head, whose CRTC is there
 *
 * Return: 0 or a negative error code.
 */
int sundog_color_init(struct sundog_head *head)
{
	drm_crtc_enable_color_mgmt(&head->crtc, 0, true, SUNDOG_GAMMA_SIZE);
	return drm_mode_crtc_set_gamma_size(&head->crtc, SUNDOG_GAMMA_SIZE);
}
