/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef _SUNDOG_TT_H_
#define _SUNDOG_TT_H_

#include <linux/types.h>

struct sundog_device;
struct ttm_resource;
struct ttm_resource_manager_func;
struct ttm_tt;

extern const struct ttm_resource_manager_func sundog_tt_func;

int sundog_tt_bind(struct sundog_device *sdev, struct ttm_resource *res, struct ttm_tt *tt);
int sundog_tt_unbind(struct sundog_device *sdev, struct ttm_resource *res);
bool sundog_tt_is_lost(struct sundog_device *sdev, struct ttm_resource *res);

#endif
