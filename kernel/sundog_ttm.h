/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The TTM device: managers, moves, and page vectors. */
#ifndef _SUNDOG_TTM_H_
#define _SUNDOG_TTM_H_

struct sundog_device;

int sundog_ttm_evict_all(struct sundog_device *sdev);
int sundog_ttm_init(struct sundog_device *sdev);

#endif
