/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The CRTC of a head: interface to the other parts of mode setting. */
#ifndef _SUNDOG_CRTC_H_
#define _SUNDOG_CRTC_H_

struct sundog_head;

int sundog_crtc_init(struct sundog_head *head);
void sundog_crtc_vblank(struct sundog_head *head);
void sundog_crtc_wait_shown(struct sundog_head *head);
void sundog_crtc_unplug(struct sundog_head *head);
void sundog_crtc_restart(struct sundog_head *head);

#endif
