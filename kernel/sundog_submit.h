/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef _SUNDOG_SUBMIT_H_
#define _SUNDOG_SUBMIT_H_

struct drm_device;
struct drm_file;

/* Bounds the kernel memory that a caller can pin; programs need far fewer. */
#define SUNDOG_MAX_SYNCS	2048

int sundog_ioctl_submit(struct drm_device *drm, void *data, struct drm_file *file);

#endif
