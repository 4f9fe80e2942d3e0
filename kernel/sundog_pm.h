/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Operations for system sleep. */
#ifndef _SUNDOG_PM_H_
#define _SUNDOG_PM_H_

#include <linux/pm.h>

extern const struct dev_pm_ops sundog_pm_ops;

#endif
