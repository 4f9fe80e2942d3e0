/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef _SUNDOG_DRV_H_
#define _SUNDOG_DRV_H_

struct workqueue_struct;

extern unsigned int sundog_timeout_ms;
extern unsigned int sundog_stop_timeout_ms;
extern struct workqueue_struct *sundog_wq;
extern struct workqueue_struct *sundog_submit_wq;

#endif
