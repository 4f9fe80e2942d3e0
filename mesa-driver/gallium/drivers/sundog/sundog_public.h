/* SPDX-License-Identifier: MIT */
#ifndef SUNDOG_PUBLIC_H
#define SUNDOG_PUBLIC_H

struct pipe_screen;
struct sundog_device;
struct sw_winsys;

/* Takes over @dev. @sws shows pictures where there is no DRM, NULL where there is. */
struct pipe_screen *
sundog_screen_create(struct sundog_device *dev, struct sw_winsys *sws);

#endif
