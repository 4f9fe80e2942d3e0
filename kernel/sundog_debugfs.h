/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef _SUNDOG_DEBUGFS_H_
#define _SUNDOG_DEBUGFS_H_

struct drm_file;
struct drm_printer;
struct sundog_device;

void sundog_debugfs_init(struct sundog_device *sdev);
void sundog_show_fdinfo(struct drm_printer *p, struct drm_file *file);

#endif
