/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The table of ioctls, and the ioctls that belong to no other file. */
#ifndef _SUNDOG_IOCTL_H_
#define _SUNDOG_IOCTL_H_

#include <drm/drm_ioctl.h>
#include "uapi/sundog_drm.h"

#define SUNDOG_N_IOCTLS		(DRM_SUNDOG_RESLIST_DESTROY + 1)

extern const struct drm_ioctl_desc sundog_ioctls[SUNDOG_N_IOCTLS];

#endif
