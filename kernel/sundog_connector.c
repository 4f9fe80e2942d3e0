// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Encoder and connector: is a display there, and what does its EDID say.
 *
 * Refresh rates may vary down to what the EDID says. QEMU's has a range, but does not say that any
 * rate in it will do, so the core takes no notice of that. Then they vary as far as is usual: what
 * shows the frames is a UI of the host's, and has no limits of its own.
 */

#include <linux/container_of.h>
#include <linux/list.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include <drm/drm_atomic_helper.h>
#include <drm/drm_atomic_state_helper.h>
#include <drm/drm_drv.h>
#include <drm/drm_edid.h>
#include <drm/drm_encoder.h>
#include <drm/drm_modes.h>
#include <drm/drm_probe_helper.h>

#include "sundog_device.h"
#include "sundog_kms.h"

#define SUNDOG_HEAD_CONNECTED	BIT(0)

/* The lowest refresh rate of a screen that does not name one. */
#define SUNDOG_MIN_VREFRESH	40

static struct sundog_head *to_head(struct drm_connector *connector)
{
	return container_of(connector, struct sundog_head, connector);
}

static int sundog_connector_read_edid(void *context, u8 *buf, unsigned int block, size_t len)
{
	const struct sundog_head *head = context;
	size_t start = (size_t)block * EDID_LENGTH;
	u32 word;
	size_t i;

	if (start + len > SUNDOG_EDID_SIZE)
		return -EINVAL;
	for (i = 0; i < len; i++) {
		if (i % 4 == 0)
			word = sundog_read(head->sdev,
					   SUNDOG_REG_EDID(head->index) + start + i);
		buf[i] = word >> 8 * (i % 4);
	}
	return 0;
}

/* The core shows the range in debugfs. What is read of it elsewhere is of one moment. */
static void sundog_connector_set_vrr_range(struct drm_connector *connector)
{
	struct drm_monitor_range_info *range = &connector->display_info.monitor_range;
	const struct drm_display_mode *mode;
	bool capable;

	if (!range->min_vfreq) {
		range->min_vfreq = SUNDOG_MIN_VREFRESH;
		range->max_vfreq = SUNDOG_MIN_VREFRESH;
		list_for_each_entry(mode, &connector->probed_modes, head)
			range->max_vfreq = max_t(int, range->max_vfreq, drm_mode_vrefresh(mode));
	}
	capable = range->max_vfreq > range->min_vfreq;
	WRITE_ONCE(to_head(connector)->max_period, capable ? NSEC_PER_SEC / range->min_vfreq : 0);
	drm_connector_set_vrr_capable_property(connector, capable);
}

static int sundog_connector_get_modes(struct drm_connector *connector)
{
	const struct drm_edid *edid;
	int idx, n;

	if (!drm_dev_enter(connector->dev, &idx))
		return 0;
	edid = drm_edid_read_custom(connector, sundog_connector_read_edid, to_head(connector));
	drm_edid_connector_update(connector, edid);
	n = drm_edid_connector_add_modes(connector);
	if (sundog_head_has_vrr(to_head(connector)))
		sundog_connector_set_vrr_range(connector);
	drm_edid_free(edid);
	drm_dev_exit(idx);
	return n;
}

static int sundog_connector_detect(struct drm_connector *connector,
				   struct drm_modeset_acquire_ctx *ctx, bool force)
{
	const struct sundog_head *head = to_head(connector);
	int status = connector_status_disconnected;
	int idx;

	if (drm_dev_enter(connector->dev, &idx)) {
		if (sundog_read(head->sdev, SUNDOG_REG_HEAD_STATUS(head->index)) &
		    SUNDOG_HEAD_CONNECTED)
			status = connector_status_connected;
		drm_dev_exit(idx);
	}
	return status;
}

static const struct drm_connector_helper_funcs sundog_connector_helpers = {
	.get_modes = sundog_connector_get_modes,
	.detect_ctx = sundog_connector_detect,
};

static const struct drm_connector_funcs sundog_connector_funcs = {
	.reset = drm_atomic_helper_connector_reset,
	.fill_modes = drm_helper_probe_single_connector_modes,
	.atomic_duplicate_state = drm_atomic_helper_connector_duplicate_state,
	.atomic_destroy_state = drm_atomic_helper_connector_destroy_state,
};

/**
 * sundog_connector_init() - set up encoder and connector
 * @head: head, whose CRTC is there
 *
 * Return: 0 or a negative error code.
 */
int sundog_connector_init(struct sundog_head *head)
{
	struct drm_device *drm = &head->sdev->drm;
	int ret;

	ret = drmm_encoder_init(drm, &head->encoder, NULL, DRM_MODE_ENCODER_VIRTUAL, NULL);
	if (ret)
		return ret;
	head->encoder.possible_crtcs = drm_crtc_mask(&head->crtc);

	ret = drmm_connector_init(drm, &head->connector, &sundog_connector_funcs,
				  DRM_MODE_CONNECTOR_VIRTUAL, NULL);
	if (ret)
		return ret;
	head->connector.polled = DRM_CONNECTOR_POLL_HPD;
	drm_connector_helper_add(&head->connector, &sundog_connector_helpers);
	/* Virtual connectors do not get it by themselves. */
	drm_connector_attach_edid_property(&head->connector);
	if (sundog_head_has_vrr(head)) {
		ret = drm_connector_attach_vrr_capable_property(&head->connector);
		if (ret)
			return ret;
	}
	return drm_connector_attach_encoder(&head->connector, &head->encoder);
}
