/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Pins of BOs in VRAM and in heap GUEST. */
#ifndef _SUNDOG_PIN_H_
#define _SUNDOG_PIN_H_

struct sundog_bo;
struct sundog_device;

int sundog_pin_vram_locked(struct sundog_bo *bo);
int sundog_pin_vram(struct sundog_bo *bo, bool starts_over);
int sundog_pin_guest(struct sundog_bo *bo);
void sundog_pin_settle(struct sundog_device *sdev);
void sundog_unpin(struct sundog_bo *bo);

#endif
