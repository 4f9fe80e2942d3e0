/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Counters of a device, shown in debugfs. */
#ifndef _SUNDOG_STATS_H_
#define _SUNDOG_STATS_H_

#include <linux/percpu.h>
#include <linux/types.h>

struct sundog_device;

/**
 * struct sundog_stats - numbers of objects, for debugfs
 *
 * Each CPU has its own counters. They may be negative; only the sums over all CPUs are meaningful.
 * The sums are exact while no object is being created or destroyed. All members are s64, because
 * sundog_stats_sum() adds them up as an array.
 */
struct sundog_stats {
	/**
	 * @live: allocations that a handle, a resource, a dma-buf, a framebuffer or a residency
	 * list refers to
	 */
	s64 live;
	/** @shared: allocations in @live that have a dma-buf */
	s64 shared;
	/** @zombie: allocations without a GEM reference, kept by a job or a mapping */
	s64 zombie;
	/** @resources: resources */
	s64 resources;
	/** @res_ids: res ids of all files */
	s64 res_ids;
	/** @kres: kernel resource handles in use */
	s64 kres;
	/** @imported: imports of other drivers' dma-bufs, until the device returned the pages */
	s64 imported;
	/** @contexts: contexts, until their channel is free again */
	s64 contexts;
	/** @jobs: jobs that are queued, run, or wait for their cleanup */
	s64 jobs;
	/** @list_written: list entries that were written into list snapshots, since the probe */
	s64 list_written;
	/** @list_copied: list entries that were copied to list rings, since the probe */
	s64 list_copied;
	/** @waits: implicit dependencies that jobs got for their allocations, since the probe */
	s64 waits;
};

int sundog_stats_init(struct sundog_device *sdev);
struct sundog_stats sundog_stats_sum(const struct sundog_device *sdev);

#endif
