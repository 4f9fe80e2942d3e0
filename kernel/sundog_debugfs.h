/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The debugfs files of a device. */
#ifndef _SUNDOG_DEBUGFS_H_
#define _SUNDOG_DEBUGFS_H_

struct sundog_device;

void sundog_debugfs_init(struct sundog_device *sdev);

#endif
