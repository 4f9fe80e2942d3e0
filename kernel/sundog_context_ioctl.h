/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The ioctls on contexts. */
#ifndef _SUNDOG_CONTEXT_IOCTL_H_
#define _SUNDOG_CONTEXT_IOCTL_H_

struct drm_device;
struct drm_file;

void sundog_context_file_end(struct drm_file *file);
void sundog_context_file_close(struct drm_file *file);

int sundog_ioctl_context_create(struct drm_device *drm, void *data, struct drm_file *file);
int sundog_ioctl_context_destroy(struct drm_device *drm, void *data, struct drm_file *file);
int sundog_ioctl_context_query(struct drm_device *drm, void *data, struct drm_file *file);

#endif
