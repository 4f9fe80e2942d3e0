// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * CRCs of frames, for tests: debugfs has them in crtc-N/crc.
 *
 * The device makes one of what the head shows, all planes composed, at the vblank where the frame
 * begins, or of as many frames as it finds time for. Whoever reads them counts frames, so those in
 * between are handed on with the CRC of a later one, as many as the core has room for at a time.
 */

#include <linux/array_size.h>
#include <linux/circ_buf.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/wait_bit.h>

#include <drm/drm_crtc.h>
#include <drm/drm_debugfs_crc.h>
#include <drm/drm_drv.h>
#include <drm/drm_vblank.h>

#include "sundog_device.h"
#include "sundog_kms.h"

/* Frames whose CRCs may wait for their reader, some seconds of them. */
#define SUNDOG_CRC_BACKLOG	1024

static const char *const sundog_crc_sources[] = { "auto" };

/**
 * sundog_crtc_get_crc_sources() - &drm_crtc_funcs.get_crc_sources
 * @crtc: CRTC
 * @count: how many there are
 *
 * Return: their names.
 */
const char *const *sundog_crtc_get_crc_sources(struct drm_crtc *crtc, size_t *count)
{
	*count = ARRAY_SIZE(sundog_crc_sources);
	return sundog_crc_sources;
}

/**
 * sundog_crtc_verify_crc_source() - &drm_crtc_funcs.verify_crc_source
 * @crtc: CRTC
 * @source: name, or NULL for none
 * @values: how many values each CRC has
 *
 * Return: 0, or -EINVAL if there is no such source.
 */
int sundog_crtc_verify_crc_source(struct drm_crtc *crtc, const char *source, size_t *values)
{
	if (source && strcmp(source, sundog_crc_sources[0]))
		return -EINVAL;
	*values = 1;
	return 0;
}

/* The core lets a file be opened whose last reader has not quite gone. */
static void sundog_crtc_want_crc(struct drm_crtc *crtc, bool comes)
{
	struct sundog_head *head = to_sundog_head(crtc);
	bool wanted;
	int idx;
	const bool here = drm_dev_enter(crtc->dev, &idx);

	spin_lock_irq(&head->lock);
	head->crc_readers += comes ? 1 : -1;
	wanted = head->crc_readers;
	if (here)
		head->crc_frame = sundog_read64(head->sdev,
						SUNDOG_REG_VBLANK_COUNT(head->index));
	spin_unlock_irq(&head->lock);
	if (!here)
		return;
	sundog_head_set_control(head, wanted ? 0 : SUNDOG_HEAD_CONTROL_CRC,
				wanted ? SUNDOG_HEAD_CONTROL_CRC : 0);
	drm_dev_exit(idx);
}

/**
 * sundog_crtc_set_crc_source() - &drm_crtc_funcs.set_crc_source
 * @crtc: CRTC
 * @source: name, or NULL for none
 *
 * Return: 0 or a negative error code.
 */
int sundog_crtc_set_crc_source(struct drm_crtc *crtc, const char *source)
{
	struct sundog_head *head = to_sundog_head(crtc);
	int ret;

	if (source) {
		if (drm_dev_is_unplugged(crtc->dev))
			return -ENODEV;
		ret = drm_crtc_vblank_get(crtc);
		if (ret)
			return ret;
	}
	sundog_crtc_want_crc(crtc, source);
	if (!source) {
		/* What is still handed on would be the next reader's. */
		wait_var_event(&head->crc_busy, !smp_load_acquire(&head->crc_busy));
		drm_crtc_vblank_put(crtc);
	}
	return 0;
}

/* How many CRCs there is room for. Only their reader makes more. */
static u32 sundog_crtc_crc_space(struct drm_crtc *crtc)
{
	u32 space;

	spin_lock(&crtc->crc.lock);
	space = CIRC_SPACE(crtc->crc.head, crtc->crc.tail, DRM_CRC_ENTRIES_NR);
	spin_unlock(&crtc->crc.lock);
	return space;
}

/* Returns of how many frames there is one now, up to @frame; others have their turn later. */
static u32 sundog_crtc_new_crcs(struct sundog_head *head, u64 *frame, u32 *crc)
{
	u64 last;
	u32 n;

	lockdep_assert_held(&head->lock);
	if (!head->crc_readers)
		return 0;
	last = sundog_read64(head->sdev, SUNDOG_REG_HEAD_CRC_FRAME(head->index));
	*crc = sundog_read(head->sdev, SUNDOG_REG_HEAD_CRC(head->index));
	/* One that was made before somebody wanted them is of an earlier frame. */
	if (last <= head->crc_frame)
		return 0;
	/* Who reads none for so long does not want all of them. */
	if (last - head->crc_frame > SUNDOG_CRC_BACKLOG)
		head->crc_frame = last - SUNDOG_CRC_BACKLOG;
	n = min_t(u64, last - head->crc_frame, sundog_crtc_crc_space(&head->crtc));
	head->crc_frame += n;
	*frame = head->crc_frame;
	head->crc_busy = n;
	return n;
}

/**
 * sundog_crtc_restart_crcs() - frames count from 0, which has no CRC
 * @head: head, that was just enabled
 */
void sundog_crtc_restart_crcs(struct sundog_head *head)
{
	spin_lock_irq(&head->lock);
	head->crc_frame = 0;
	spin_unlock_irq(&head->lock);
}

/**
 * sundog_crtc_add_crc() - a frame has begun: hand on its CRC
 * @head: head
 *
 * Called from the display interrupt, after the vblank was counted.
 */
void sundog_crtc_add_crc(struct sundog_head *head)
{
	u32 now, count, crc, n;
	u64 frame;

	spin_lock(&head->lock);
	n = sundog_crtc_new_crcs(head, &frame, &crc);
	spin_unlock(&head->lock);
	if (!n)
		return;
	/* The core counts on where the device begins anew. */
	do {
		now = sundog_crtc_get_vblank_counter(&head->crtc);
		count = drm_crtc_accurate_vblank_count(&head->crtc) - (now - (u32)frame);
	} while (now != sundog_crtc_get_vblank_counter(&head->crtc));
	while (n--)
		drm_crtc_add_crc_entry(&head->crtc, true, count - n, &crc);
	/* Pairs with sundog_crtc_set_crc_source(). */
	smp_store_release(&head->crc_busy, false);
	wake_up_var(&head->crc_busy);
}
