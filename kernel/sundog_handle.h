/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef _SUNDOG_HANDLE_H_
#define _SUNDOG_HANDLE_H_

#include <linux/types.h>

struct drm_file;
struct sundog_bo;
struct sundog_res;

int sundog_handle_note(struct drm_file *file, u32 handle, struct sundog_res *res);
struct sundog_res *sundog_handle_res(struct drm_file *file, u32 handle);
bool sundog_handle_forget(struct drm_file *file, u32 handle, struct sundog_res *res);
void sundog_handle_close(struct drm_file *file, struct sundog_res *res, u32 handle,
			 struct sundog_bo *bo);

#endif
