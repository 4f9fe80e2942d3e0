/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The CRTC of a head: interface to the other parts of mode setting. */
#ifndef _SUNDOG_CRTC_H_
#define _SUNDOG_CRTC_H_

#include <linux/kconfig.h>
#include <linux/ktime.h>
#include <linux/types.h>

struct drm_crtc;
struct sundog_head;

int sundog_crtc_init(struct sundog_head *head);
void sundog_crtc_vblank(struct sundog_head *head);
void sundog_crtc_wait_shown(struct sundog_head *head);
void sundog_crtc_stop(struct sundog_head *head);
void sundog_crtc_unplug(struct sundog_head *head);
void sundog_crtc_restart(struct sundog_head *head);

/* For tests. */
#if IS_ENABLED(CONFIG_KUNIT)
void sundog_crtc_count_last(struct sundog_head *head);
u32 sundog_crtc_get_vblank_counter(struct drm_crtc *crtc);
bool sundog_crtc_get_vblank_timestamp(struct drm_crtc *crtc, int *max_error, ktime_t *vblank_time,
				      bool in_vblank_irq);
#endif

#endif
