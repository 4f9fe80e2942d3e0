// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Work queues of the module, which end with it and not with a device.
 */

#include <linux/workqueue.h>

#include "sundog_wq.h"

/** sundog_wq - work that frees things; it rests while the machine sleeps, and the device with it */
struct workqueue_struct *sundog_wq;

/*
 * Where jobs are freed that may be the last to hold something. That may be the device, which waits
 * for works of the kernel's when it goes: nobody who needs memory may wait for these.
 */
struct workqueue_struct *sundog_reap_wq;

/*
 * Where the schedulers of all channels work, one at a time on the CPU where there is work for them:
 * to run a job and to free the one before are both short, and take no second thread. A CPU that
 * would have to be woken up first is slow, in a guest above all.
 */
struct workqueue_struct *sundog_submit_wq;

/*
 * Where what heads do not show any more is let go of, and where room is made for what they are to
 * show when the caller cannot wait. It may be the last to hold the device, too, and is waited for
 * when the machine is about to sleep, so it does not rest before.
 */
struct workqueue_struct *sundog_flip_wq;

/**
 * sundog_wq_init() - make the work queues
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
 * sundog_wq_exit() - wait for what is on the work queues, and end them
 */
void sundog_wq_exit(void)
{
	destroy_workqueue(sundog_flip_wq);
	destroy_workqueue(sundog_submit_wq);
	destroy_workqueue(sundog_reap_wq);
	destroy_workqueue(sundog_wq);
}
