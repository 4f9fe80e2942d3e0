/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Work queues of the module. */
#ifndef _SUNDOG_WQ_H_
#define _SUNDOG_WQ_H_

struct workqueue_struct;

extern struct workqueue_struct *sundog_wq;
extern struct workqueue_struct *sundog_reap_wq;
extern struct workqueue_struct *sundog_submit_wq;
extern struct workqueue_struct *sundog_flip_wq;

int sundog_wq_init(void);
void sundog_wq_exit(void);

#endif
