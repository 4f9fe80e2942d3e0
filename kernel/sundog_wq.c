// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Work queues of the module. They exist while the module is loaded, so work items on them may
 * outlive a device.
 */

#include <linux/workqueue.h>

#include "sundog_wq.h"

/** sundog_wq - watchdogs, maps of imports, release of memory; frozen while the device sleeps */
struct workqueue_struct *sundog_wq;

/*
 * Frees jobs and contexts. A work item may drop the last reference to the DRM device, whose release
 * waits for work items of the kernel. Memory reclaim must not wait for that, so the queue has no
 * WQ_MEM_RECLAIM.
 */
struct workqueue_struct *sundog_reap_wq;

/*
 * Runs the schedulers of all channels, one work item at a time on each CPU. Running a job and
 * freeing the previous one are short and need no second thread. The items stay on the CPU that
 * queues them, because waking an idle CPU is slow, above all in a guest.
 */
struct workqueue_struct *sundog_submit_wq;

/*
 * Unpins framebuffers that heads no longer show, and pins framebuffers for commits that cannot wait
 * for space. A work item may drop the last reference to the DRM device, as on sundog_reap_wq.
 * Suspend waits for the items, so the queue is not freezable.
 */
struct workqueue_struct *sundog_flip_wq;

/**
 * sundog_wq_init() - allocate the work queues
 *
 * Return: 0 or -ENOMEM.
 */
int __init sundog_wq_init(void)
{
	sundog_wq = alloc_workqueue("sundog", WQ_UNBOUND | WQ_MEM_RECLAIM | WQ_FREEZABLE, 0);
	if (!sundog_wq)
		return -ENOMEM;
	sundog_reap_wq = alloc_workqueue("sundog-reap", WQ_UNBOUND | WQ_FREEZABLE, 0);
	if (!sundog_reap_wq)
		goto err_wq;
	sundog_submit_wq = alloc_workqueue("sundog-submit", WQ_PERCPU | WQ_HIGHPRI |
					   WQ_MEM_RECLAIM, 1);
	if (!sundog_submit_wq)
		goto err_reap;
	sundog_flip_wq = alloc_workqueue("sundog-flip", WQ_UNBOUND, 0);
	if (sundog_flip_wq)
		return 0;
	destroy_workqueue(sundog_submit_wq);
err_reap:
	destroy_workqueue(sundog_reap_wq);
err_wq:
	destroy_workqueue(sundog_wq);
	return -ENOMEM;
}

/**
 * sundog_wq_exit() - drain and destroy the work queues
 */
void sundog_wq_exit(void)
{
	destroy_workqueue(sundog_flip_wq);
	destroy_workqueue(sundog_submit_wq);
	destroy_workqueue(sundog_reap_wq);
	destroy_workqueue(sundog_wq);
}
