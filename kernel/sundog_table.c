// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The allocation table in the control region: where on the device each allocation is.
 *
 * An allocation owns one entry (its device handle) from its birth until its memory is free, and
 * keeps it when it moves. A new place gets a new generation; the first one, the allocation's birth,
 * stays in the entry and tells the device that this is still the same memory. Generations come from
 * one counter that starts at the time of day, so that none repeats in a slot, not even across a
 * reload of the driver.
 *
 * Workers read the table at any time. An entry changes only while nothing that runs can name it:
 * its allocation is idle, by its dma_resv. There is no lock here beyond that of the id allocator.
 */

#include <kunit/visibility.h>
#include <linux/idr.h>
#include <linux/timekeeping.h>

#include <drm/drm_managed.h>
#include <drm/drm_print.h>

#include "sundog_device.h"
#include "sundog_table.h"

VISIBLE_IF_KUNIT
struct sundog_alloc_entry *sundog_table_entry(struct sundog_device *sdev, u32 handle)
{
	struct sundog_alloc_entry *table = sdev->control + SUNDOG_CONTROL_TABLE;

	return &table[handle];
}

static void sundog_table_fini(struct drm_device *drm, void *arg)
{
	struct sundog_device *sdev = to_sundog_device(drm);

	drm_WARN_ON(drm, !ida_is_empty(&sdev->table_handles));
	ida_destroy(&sdev->table_handles);
}

/**
 * sundog_table_init() - set up the handle allocator
 * @sdev: device
 *
 * Return: 0 or a negative error code.
 */
int sundog_table_init(struct sundog_device *sdev)
{
	ida_init(&sdev->table_handles);
	atomic64_set(&sdev->table_generation, ktime_get_real_ns());
	return drmm_add_action_or_reset(&sdev->drm, sundog_table_fini, NULL);
}

/**
 * sundog_table_reserve() - get a device handle
 * @sdev: device
 *
 * Return: the handle, or -ENOMEM, also if all are in use.
 */
int sundog_table_reserve(struct sundog_device *sdev)
{
	int handle = ida_alloc_range(&sdev->table_handles, 1, SUNDOG_TABLE_ENTRIES - 1, GFP_KERNEL);

	/* To user space -ENOSPC means VRAM. */
	return handle == -ENOSPC ? -ENOMEM : handle;
}

/**
 * sundog_table_release() - give a device handle back
 * @sdev: device
 * @handle: handle, its entry is clear
 */
void sundog_table_release(struct sundog_device *sdev, u32 handle)
{
	ida_free(&sdev->table_handles, handle);
}

/**
 * sundog_table_set() - tell the device where an allocation is now
 * @sdev: device
 * @handle: its handle, whose entry is clear
 * @heap: SUNDOG_HEAP_VRAM or SUNDOG_HEAP_GUEST
 * @offset: byte offset in the heap
 * @size: bytes
 * @birth: generation of the allocation's first placement, 0: this is the first
 *
 * Return: the generation of this placement.
 */
u64 sundog_table_set(struct sundog_device *sdev, u32 handle, u32 heap, u64 offset, u64 size,
		     u64 birth)
{
	struct sundog_alloc_entry *entry = sundog_table_entry(sdev, handle);
	u64 generation = atomic64_inc_return(&sdev->table_generation);

	WRITE_ONCE(entry->size, cpu_to_le64(size));
	WRITE_ONCE(entry->heap, cpu_to_le32(heap));
	WRITE_ONCE(entry->flags, 0);
	WRITE_ONCE(entry->n_runs, cpu_to_le32(1));
	WRITE_ONCE(entry->run_list, 0);
	WRITE_ONCE(entry->offset, cpu_to_le64(offset));
	WRITE_ONCE(entry->birth, cpu_to_le64(birth ?: generation));
	/* Workers see the rest of the entry when they see its generation. */
	virt_store_release(&entry->generation, cpu_to_le64(generation));
	return generation;
}

/**
 * sundog_table_vram_offset() - where the device finds an allocation
 * @sdev: device; the caller knows that the allocation does not move
 * @handle: handle
 * @generation: generation of the placement that is meant
 * @offset: out: byte offset in VRAM
 *
 * Return: false if it is not in VRAM, or not there any more.
 */
bool sundog_table_vram_offset(struct sundog_device *sdev, u32 handle, u64 generation, u64 *offset)
{
	const struct sundog_alloc_entry *entry;

	if (handle >= SUNDOG_TABLE_ENTRIES)
		return false;
	entry = sundog_table_entry(sdev, handle);
	if (le64_to_cpu(READ_ONCE(entry->generation)) != generation ||
	    le32_to_cpu(entry->heap) != SUNDOG_HEAP_VRAM)
		return false;
	*offset = le64_to_cpu(entry->offset);
	return true;
}

/**
 * sundog_table_clear() - an allocation has no place on the device any more
 * @sdev: device
 * @handle: its handle
 */
void sundog_table_clear(struct sundog_device *sdev, u32 handle)
{
	int idx;

	if (!drm_dev_enter(&sdev->drm, &idx))
		return;
	WRITE_ONCE(sundog_table_entry(sdev, handle)->generation, 0);
	/* Before anything else is written there, or to the place it had. */
	virt_wmb();
	drm_dev_exit(idx);
}
