/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The device's allocation table. */
#ifndef _SUNDOG_TABLE_H_
#define _SUNDOG_TABLE_H_

#include <linux/types.h>

struct sundog_alloc_entry;
struct sundog_device;

int sundog_table_init(struct sundog_device *sdev);
int sundog_table_reserve(struct sundog_device *sdev);
void sundog_table_release(struct sundog_device *sdev, u32 handle);
u64 sundog_table_set(struct sundog_device *sdev, u32 handle, u32 heap, u64 offset, u64 size,
		     u64 birth);
bool sundog_table_vram_offset(struct sundog_device *sdev, u32 handle, u64 generation, u64 *offset);
void sundog_table_clear(struct sundog_device *sdev, u32 handle);

/* For tests. */
#if IS_ENABLED(CONFIG_KUNIT)
struct sundog_alloc_entry *sundog_table_entry(struct sundog_device *sdev, u32 handle);
#endif

#endif
