/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef _SUNDOG_HANDLE_H_
#define _SUNDOG_HANDLE_H_

#include <linux/types.h>

struct drm_file;
struct drm_gem_object;
struct sundog_bo;
struct sundog_res;

void sundog_handle_untrack(struct sundog_res *res);
int sundog_handle_track(struct sundog_res *res, u32 kres);
void sundog_handle_delete(struct drm_file *file, u32 handle, const struct sundog_bo *bo);
int sundog_handle_opened(struct drm_gem_object *obj, struct drm_file *file);
void sundog_handle_closed(struct drm_gem_object *obj, struct drm_file *file);

#endif
