// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * What happens to a head's colours when its planes have been blended: a table, a transform, and
 * another table.
 */

#include <linux/array_size.h>
#include <linux/stddef.h>

#include <drm/drm_color_mgmt.h>
#include <drm/drm_crtc.h>

#include "sundog_device.h"
#include "sundog_kms.h"

/* Entries of either table. */
#define SUNDOG_LUT_SIZE	ARRAY_SIZE(((struct sundog_head_color *)NULL)->gamma)

static bool sundog_lut_fits(const struct drm_property_blob *lut)
{
	return !lut || drm_color_lut_size(lut) == SUNDOG_LUT_SIZE;
}

/**
 * sundog_color_check() - can the device do that to colours?
 * @state: state of a CRTC
 *
 * Return: 0 or -EINVAL.
 */
int sundog_color_check(const struct drm_crtc_state *state)
{
	if (!sundog_lut_fits(state->degamma_lut) || !sundog_lut_fits(state->gamma_lut))
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

static void sundog_color_write_lut(struct sundog_head *head, u32 reg,
				   const struct drm_color_lut *lut)
{
	unsigned int i;

	for (i = 0; i < SUNDOG_LUT_SIZE; i++)
		sundog_write64(head->sdev, reg + i * sizeof(u64),
			       lut[i].red | (u64)lut[i].green << 16 | (u64)lut[i].blue << 32);
}

/**
 * sundog_color_off() - colours stay what they are, from the next commit on
 * @head: head; the caller is inside drm_dev_enter()
 */
void sundog_color_off(struct sundog_head *head)
{
	sundog_color_write(head, offsetof(struct sundog_head_color, flags), 0);
}

/**
 * sundog_color_update() - tell the device, which takes it over with the next commit
 * @head: head; the caller is inside drm_dev_enter()
 * @state: the new state of its CRTC
 */
void sundog_color_update(struct sundog_head *head, const struct drm_crtc_state *state)
{
	const u32 gamma = SUNDOG_REG_HEAD_COLOR(head->index) +
			  offsetof(struct sundog_head_color, gamma);
	u32 flags = 0;

	if (state->degamma_lut) {
		sundog_color_write_lut(head, SUNDOG_REG_HEAD_DEGAMMA(head->index),
				       state->degamma_lut->data);
		flags |= SUNDOG_HEAD_COLOR_FLAG_DEGAMMA;
	}
	if (state->ctm) {
		sundog_color_write_ctm(head, state->ctm->data);
		flags |= SUNDOG_HEAD_COLOR_FLAG_CTM;
	}
	if (state->gamma_lut) {
		sundog_color_write_lut(head, gamma, state->gamma_lut->data);
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
	/* Devices of protocol 5.0 have no first table. */
	const u32 degamma = sundog_device_has_minor(head->sdev, 1) ? SUNDOG_LUT_SIZE : 0;

	drm_crtc_enable_color_mgmt(&head->crtc, degamma, true, SUNDOG_LUT_SIZE);
	return drm_mode_crtc_set_gamma_size(&head->crtc, SUNDOG_LUT_SIZE);
}
