/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef _SUNDOG_STATS_H_
#define _SUNDOG_STATS_H_

#include <linux/percpu.h>
#include <linux/types.h>

struct sundog_device;

/**
 * struct sundog_stats - how many of each thing there are, for debugfs
 *
 * Each processor has its own, which may be negative: only sums mean something. They are exact once
 * nothing is being created or destroyed.
 */
struct sundog_stats {
	/**
	 * @live: allocations that a handle, a resource, a dma-buf, a framebuffer or a residency
	 * list refers to
	 */
	int live;
	/** @shared: those of @live that have a dma-buf */
	int shared;
	/** @zombie: allocations nobody can name any more, kept by a job or a mapping */
	int zombie;
	/** @resources: resources */
	int resources;
	/** @res_ids: resource ids over all files */
	int res_ids;
	/** @kres: kernel resource handles in use */
	int kres;
	/** @imported: mappings of other drivers' dma-bufs, until the device has given them back */
	int imported;
	/** @contexts: contexts, until their channel is free again */
	int contexts;
	/** @jobs: submissions that are queued or run, or wait to be cleaned up */
	int jobs;
	/** @list_written: entries that were written for residency lists, ever */
	u64 list_written;
	/** @list_copied: list entries that were copied to the device, ever */
	u64 list_copied;
	/** @waits: fences that the scheduler was given for what jobs list, ever */
	u64 waits;
};

int sundog_stats_init(struct sundog_device *sdev);
struct sundog_stats sundog_stats_sum(const struct sundog_device *sdev);

#endif
