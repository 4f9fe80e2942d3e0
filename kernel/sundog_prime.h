/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Export and import of dma-bufs. */
#ifndef _SUNDOG_PRIME_H_
#define _SUNDOG_PRIME_H_

struct dma_buf;
struct drm_device;
struct drm_file;
struct drm_gem_object;

struct dma_buf *sundog_prime_export(struct drm_gem_object *obj, int flags);
struct drm_gem_object *sundog_prime_import(struct drm_device *drm, struct dma_buf *dma_buf);
int sundog_ioctl_resource_open(struct drm_device *drm, void *data, struct drm_file *file);

#endif
