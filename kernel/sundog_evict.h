/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Eviction from VRAM for a call that needs BOs in VRAM. */
#ifndef _SUNDOG_EVICT_H_
#define _SUNDOG_EVICT_H_

#include "sundog_evict_types.h"

struct drm_exec;

void sundog_evict_init(struct sundog_evict *evict, struct sundog_device *sdev, u32 flags);
void sundog_evict_fini(struct sundog_evict *evict);
void sundog_evict_note_busy(struct sundog_evict *evict, struct ttm_buffer_object *tbo);
int sundog_evict_place(struct sundog_bo *bo, struct sundog_evict *evict);
int sundog_evict_bo(struct sundog_bo *bo, struct sundog_evict *evict);
int sundog_evict_wait(struct sundog_evict *evict, struct drm_exec *exec);
int sundog_evict_claim(struct sundog_evict *evict);
int sundog_evict_more(struct sundog_evict *evict);

#endif
