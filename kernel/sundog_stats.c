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
	s64 *total = (s64 *)&sum;
	const s64 *counters;
	int cpu, i;

	for_each_possible_cpu(cpu) {
		counters = (const s64 *)per_cpu_ptr(sdev->stats, cpu);
		for (i = 0; i < sizeof(sum) / sizeof(*total); i++)
			total[i] += READ_ONCE(counters[i]);
	}
	return sum;
}
