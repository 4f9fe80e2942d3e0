// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Mode setting: limits, framebuffers, the commit tail, hot-plug, connectors.
 *
 * The DRM core calls this file for atomic commits, framebuffers and probes of connectors. The rest
 * of the driver calls it for display interrupts, unplug and suspend. The other parts of the
 * pipeline of a head are in sundog_crtc.c, sundog_plane.c and sundog_writeback.c. sundog_head.h
 * describes the data of a head and its locks.
 *
 * With VRR_ENABLED the lowest refresh rate is that of the EDID. The EDID of QEMU has a range but
 * not the flag for continuous frequencies, so the core ignores the range. The driver then uses
 * SUNDOG_MIN_VREFRESH, a usual value: a UI of the host shows the frames, and has no limit.
 */

#include <linux/completion.h>
#include <linux/container_of.h>
#include <linux/dma-fence.h>
#include <linux/jiffies.h>
#include <linux/list.h>
#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/spinlock.h>
#include <linux/time64.h>

#include <drm/drm_atomic.h>
#include <drm/drm_atomic_helper.h>
#include <drm/drm_atomic_state_helper.h>
#include <drm/drm_drv.h>
#include <drm/drm_edid.h>
#include <drm/drm_encoder.h>
#include <drm/drm_framebuffer.h>
#include <drm/drm_gem_framebuffer_helper.h>
#include <drm/drm_managed.h>
#include <drm/drm_mode_config.h>
#include <drm/drm_modes.h>
#include <drm/drm_modeset_helper.h>
#include <drm/drm_modeset_lock.h>
#include <drm/drm_probe_helper.h>
#include <drm/drm_vblank.h>

#include "sundog_crtc.h"
#include "sundog_device.h"
#include "sundog_head.h"
#include "sundog_kms.h"
#include "sundog_plane.h"
#include "sundog_writeback.h"

/* Time that suspend waits for pending flips, in jiffies. */
#define SUNDOG_SETTLE_TIMEOUT	(30 * HZ)

#define SUNDOG_HEAD_CONNECTED	BIT(0)

/* Lowest refresh rate of a screen without a range in its EDID, in Hz. */
#define SUNDOG_MIN_VREFRESH	40

static struct drm_framebuffer *sundog_fb_create(struct drm_device *drm, struct drm_file *file,
						const struct drm_format_info *info,
						const struct drm_mode_fb_cmd2 *cmd)
{
	struct drm_framebuffer *fb = drm_gem_fb_create_with_dirty(drm, file, info, cmd);

	/* A commit may use it already: its id is published. sundog_fb_pin() checks it again. */
	if (!IS_ERR(fb) && !sundog_fb_can_show(fb)) {
		drm_framebuffer_put(fb);
		return ERR_PTR(-EINVAL);
	}
	return fb;
}

static enum drm_mode_status sundog_mode_valid(struct drm_device *drm,
					      const struct drm_display_mode *mode)
{
	struct sundog_device *sdev = to_sundog_device(drm);
	const int refresh = drm_mode_vrefresh(mode);

	/* The device scans out each line once per frame. */
	if (mode->flags & DRM_MODE_FLAG_INTERLACE)
		return MODE_NO_INTERLACE;
	if (mode->flags & DRM_MODE_FLAG_DBLSCAN)
		return MODE_NO_DBLESCAN;
	if (mode->vscan > 1)
		return MODE_NO_VSCAN;
	if (refresh < 1 || refresh > 1000)
		return MODE_BAD;
	if (mode->hdisplay > SUNDOG_MAX_PLANE_SIZE)
		return MODE_VIRTUAL_X;
	if (mode->vdisplay > SUNDOG_MAX_PLANE_SIZE)
		return MODE_VIRTUAL_Y;
	/* Page flips need two framebuffers in VRAM. */
	if ((u64)mode->hdisplay * mode->vdisplay * 4 > sdev->vram_size / 2)
		return MODE_MEM;
	return MODE_OK;
}

/*
 * Waits for commits that a writeback frame delays, which can take longer than DRM's own wait for a
 * flip. With @before, also waits if the event of the previous commit is still pending, because
 * DRM's wait for it may have timed out.
 */
static void sundog_commit_wait_shown(struct drm_atomic_commit *state, bool before)
{
	struct drm_crtc_state *crtc_state;
	struct drm_crtc *crtc;
	int i;

	for_each_new_crtc_in_state(state, crtc, crtc_state, i) {
		struct sundog_head *head = to_sundog_head(crtc);

		if (sundog_head_is_writing(head) || (before && READ_ONCE(head->event)))
			sundog_crtc_wait_shown(head);
	}
}

/*
 * Fences of this commit and of the next one signal only after hw_done. Code before hw_done may
 * neither allocate memory, nor take a dma_resv lock, nor a lock under which other code does either.
 */
static void sundog_commit_tail(struct drm_atomic_commit *state)
{
	const bool cookie = dma_fence_begin_signalling();
	struct drm_device *drm = state->dev;

	sundog_commit_wait_shown(state, true);
	drm_atomic_helper_commit_modeset_disables(drm, state);
	drm_atomic_helper_commit_modeset_enables(drm, state);
	drm_atomic_helper_commit_planes(drm, state, DRM_PLANE_COMMIT_ACTIVE_ONLY);
	drm_atomic_helper_commit_hw_done(state);
	dma_fence_end_signalling(cookie);
	sundog_commit_wait_shown(state, false);
	/* Unpin the old framebuffers only after the device has stopped scanning them out. */
	drm_atomic_helper_wait_for_flip_done(drm, state);
	drm_atomic_helper_cleanup_planes(drm, state);
}

static const struct drm_mode_config_funcs sundog_mode_config_funcs = {
	.fb_create = sundog_fb_create,
	.mode_valid = sundog_mode_valid,
	.atomic_check = drm_atomic_helper_check,
	.atomic_commit = drm_atomic_helper_commit,
};

static const struct drm_mode_config_helper_funcs sundog_mode_config_helpers = {
	.atomic_commit_tail = sundog_commit_tail,
};

/**
 * sundog_kms_event() - handle display events
 * @sdev: device
 * @events: bits of DISPLAY_EVENTS
 *
 * Called from the display interrupt.
 */
void sundog_kms_event(struct sundog_device *sdev, u32 events)
{
	unsigned int i;

	for (i = 0; i < sdev->num_heads; i++) {
		if (events & SUNDOG_DISPLAY_EVENT_VBLANK << i)
			sundog_crtc_vblank(&sdev->heads[i]);
		if (events & SUNDOG_DISPLAY_EVENT_WRITEBACK << i)
			sundog_writeback_done(&sdev->heads[i]);
	}
}

/**
 * sundog_kms_call_heads() - call a function for each head
 * @sdev: device
 * @fn: function to call
 */
void sundog_kms_call_heads(struct sundog_device *sdev, void (*fn)(struct sundog_head *head))
{
	unsigned int i;

	for (i = 0; i < sdev->num_heads; i++)
		fn(&sdev->heads[i]);
}

/**
 * sundog_kms_wait() - wait for the unpin of all cursor and writeback framebuffers
 * @sdev: device with all heads off
 *
 * Context: may sleep; the unpins run on work queues.
 */
void sundog_kms_wait(struct sundog_device *sdev)
{
	sundog_kms_call_heads(sdev, sundog_cursor_wait);
	sundog_kms_call_heads(sdev, sundog_writeback_wait);
}

/*
 * Waits for hw_done of the last commit, for at most @left jiffies, and subtracts the time of the
 * wait from @left. Returns false on a timeout.
 */
static bool sundog_crtc_settle(struct drm_crtc *crtc, unsigned long *left)
{
	struct drm_crtc_commit *last;

	drm_modeset_lock(&crtc->mutex, NULL);
	last = crtc->state->commit;
	if (last)
		drm_crtc_commit_get(last);
	drm_modeset_unlock(&crtc->mutex);
	if (!last)
		return true;
	*left = wait_for_completion_timeout(&last->hw_done, *left);
	drm_crtc_commit_put(last);
	return *left;
}

/**
 * sundog_kms_settle() - wait for the last commits of all heads, which may wait for rendering
 * @sdev: device without new commits
 *
 * Return: 0, or -EBUSY after SUNDOG_SETTLE_TIMEOUT.
 */
int sundog_kms_settle(struct sundog_device *sdev)
{
	unsigned long left = SUNDOG_SETTLE_TIMEOUT;
	unsigned int i;

	for (i = 0; i < sdev->num_heads; i++)
		if (!sundog_crtc_settle(&sdev->heads[i].crtc, &left))
			return -EBUSY;
	return 0;
}

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

/*
 * Also updates the range in the connector, which the core shows in debugfs. Other readers use
 * @max_period, without a lock.
 */
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

static int sundog_connector_init(struct sundog_head *head)
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
	/* drm_connector_init() attaches no EDID property to virtual connectors. */
	drm_connector_attach_edid_property(&head->connector);
	if (sundog_head_has_vrr(head)) {
		ret = drm_connector_attach_vrr_capable_property(&head->connector);
		if (ret)
			return ret;
	}
	return drm_connector_attach_encoder(&head->connector, &head->encoder);
}

static int sundog_head_init(struct sundog_device *sdev, unsigned int index)
{
	struct sundog_head *head = &sdev->heads[index];
	int ret;

	head->sdev = sdev;
	head->index = index;
	ret = sundog_plane_init(head);
	if (ret)
		return ret;
	ret = sundog_crtc_init(head);
	if (ret)
		return ret;
	ret = sundog_connector_init(head);
	if (ret)
		return ret;
	return sundog_writeback_init(head);
}

/**
 * sundog_kms_init() - set up mode setting
 * @sdev: device
 *
 * Return: 0 or a negative error code.
 */
int sundog_kms_init(struct sundog_device *sdev)
{
	struct drm_device *drm = &sdev->drm;
	struct drm_mode_config *config = &drm->mode_config;
	unsigned int i;
	int ret;

	sdev->num_heads = clamp(sundog_read(sdev, SUNDOG_REG_NUM_HEADS), 1, SUNDOG_MAX_HEADS);
	spin_lock_init(&sdev->clock_lock);
	/* drmm frees in reverse order: the cleanup of the mode configuration still uses @heads. */
	sdev->heads = drmm_kcalloc(drm, sdev->num_heads, sizeof(*sdev->heads), GFP_KERNEL);
	if (!sdev->heads)
		return -ENOMEM;
	/* Before protocol 5.2 the device has no use for hot spots, so ask user space for none. */
	if (!sundog_device_has_minor(sdev, 2))
		drm->driver_features &= ~DRIVER_CURSOR_HOTSPOT;
	ret = drmm_mode_config_init(drm);
	if (ret)
		return ret;
	config->min_width = 1;
	config->min_height = 1;
	/* The largest framebuffer is a square with 4 bytes per pixel that fits VRAM. */
	config->max_width = min_t(unsigned long, int_sqrt(sdev->vram_size / 4),
				  SUNDOG_MAX_PLANE_SIZE);
	config->max_height = config->max_width;
	config->cursor_width = SUNDOG_CURSOR_SIZE;
	config->cursor_height = SUNDOG_CURSOR_SIZE;
	config->normalize_zpos = true;
	config->preferred_depth = 24;
	config->async_page_flip = true;
	config->funcs = &sundog_mode_config_funcs;
	config->helper_private = &sundog_mode_config_helpers;

	for (i = 0; i < sdev->num_heads; i++) {
		ret = sundog_head_init(sdev, i);
		if (ret)
			return ret;
	}
	drm->max_vblank_count = U32_MAX;
	ret = drm_vblank_init(drm, sdev->num_heads);
	if (ret)
		return ret;
	drm_mode_config_reset(drm);
	drmm_kms_helper_poll_init(drm);
	return 0;
}
