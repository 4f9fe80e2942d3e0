// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The allocation table in the control region (BAR4): the placement of each allocation, for workers.
 *
 * An allocation owns one entry from its creation until its memory is free, also while it moves. The
 * index of the entry is its device handle. Each placement has a new generation. The generation of
 * the first placement is the birth of the allocation. It stays in the entry, and tells a worker
 * that the allocation is the same after a move. Generations come from one counter that starts at
 * the time of day. One may repeat after a reload of the driver if the clock was set back. The reset
 * of the device in probe protects from that: it ends all workers, which may remember generations.
 *
 * Workers read the table at any time. An entry changes only while no running job can name it: the
 * allocation is idle according to its dma_resv. The only lock here is that of the id allocator.
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
 * sundog_table_init() - set up the allocator of device handles
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
 * sundog_table_reserve() - allocate a device handle
 * @sdev: device
 *
 * Return: the handle, or -ENOMEM without memory or without a free handle.
 */
int sundog_table_reserve(struct sundog_device *sdev)
{
	int handle = ida_alloc_range(&sdev->table_handles, 1, SUNDOG_TABLE_ENTRIES - 1, GFP_KERNEL);

	/* In the uAPI -ENOSPC only means that something does not fit VRAM. */
	return handle == -ENOSPC ? -ENOMEM : handle;
}

/**
 * sundog_table_release() - free a device handle
 * @sdev: device
 * @handle: device handle, whose entry is clear
 */
void sundog_table_release(struct sundog_device *sdev, u32 handle)
{
	ida_free(&sdev->table_handles, handle);
}

/**
 * sundog_table_set() - publish the placement of an allocation to the device
 * @sdev: device
 * @handle: device handle, whose entry is clear
 * @heap: SUNDOG_HEAP_VRAM or SUNDOG_HEAP_GUEST
 * @offset: byte offset in the heap
 * @size: size of the allocation in bytes
 * @birth: generation of the allocation's first placement, 0 if this is the first
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
	/* Pairs with the acquire in the worker: it reads the generation before the other fields. */
	virt_store_release(&entry->generation, cpu_to_le64(generation));
	return generation;
}

/**
 * sundog_table_vram_offset() - read the VRAM offset of an allocation
 * @sdev: device; the caller ensures that the allocation does not move
 * @handle: device handle
 * @generation: generation of the expected placement
 * @offset: out: byte offset in VRAM
 *
 * Return: true, or false if the allocation is not in VRAM with this generation.
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
 * sundog_table_clear() - remove the placement of an allocation from the table
 * @sdev: device
 * @handle: device handle
 */
void sundog_table_clear(struct sundog_device *sdev, u32 handle)
{
	int idx;

	if (!drm_dev_enter(&sdev->drm, &idx))
		return;
	WRITE_ONCE(sundog_table_entry(sdev, handle)->generation, 0);
	/* The clear precedes later writes to the entry, and to the memory of the placement. */
	virt_wmb();
	drm_dev_exit(idx);
}
