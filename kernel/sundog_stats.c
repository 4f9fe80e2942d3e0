// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Numbers of objects, for debugfs. The counters are per CPU, so that all files of the driver can
 * update them without a locked instruction: a resource with one allocation has ten updates in its
 * life.
 */

#include <linux/percpu.h>

#include <drm/drm_managed.h>

#include "sundog_device.h"
#include "sundog_stats.h"

static void sundog_stats_free(struct drm_device *drm, void *arg)
{
	free_percpu(to_sundog_device(drm)->stats);
}

/**
 * sundog_stats_init() - allocate the counters
 * @sdev: device
 *
 * Return: 0 or -ENOMEM.
 */
int sundog_stats_init(struct sundog_device *sdev)
{
	sdev->stats = alloc_percpu(struct sundog_stats);
	if (!sdev->stats)
		return -ENOMEM;
	return drmm_add_action_or_reset(&sdev->drm, sundog_stats_free, NULL);
}

/**
 * sundog_stats_sum() - add up the counters
 * @sdev: device
 *
 * Return: sums over all CPUs.
 */
struct sundog_stats sundog_stats_sum(const struct sundog_device *sdev)
{
	struct sundog_stats sum = {};
	const struct sundog_stats *stats;
	int cpu;

	for_each_possible_cpu(cpu) {
		stats = per_cpu_ptr(sdev->stats, cpu);
		sum.live += READ_ONCE(stats->live);
		sum.shared += READ_ONCE(stats->shared);
		sum.zombie += READ_ONCE(stats->zombie);
		sum.resources += READ_ONCE(stats->resources);
		sum.res_ids += READ_ONCE(stats->res_ids);
		sum.kres += READ_ONCE(stats->kres);
		sum.imported += READ_ONCE(stats->imported);
		sum.contexts += READ_ONCE(stats->contexts);
		sum.jobs += READ_ONCE(stats->jobs);
		sum.list_written += READ_ONCE(stats->list_written);
		sum.list_copied += READ_ONCE(stats->list_copied);
		sum.waits += READ_ONCE(stats->waits);
	}
	return sum;
}
