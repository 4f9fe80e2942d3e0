/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* GEM hooks of BOs, CPU mappings and dumb buffers. */
#ifndef _SUNDOG_GEM_H_
#define _SUNDOG_GEM_H_

struct drm_device;
struct drm_file;
struct drm_gem_object_funcs;
struct drm_mode_create_dumb;

extern const struct drm_gem_object_funcs sundog_gem_funcs;

int sundog_gem_dumb_create(struct drm_file *file, struct drm_device *drm,
			   struct drm_mode_create_dumb *args);

#endif
