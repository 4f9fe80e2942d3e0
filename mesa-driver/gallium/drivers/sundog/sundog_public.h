/* SPDX-License-Identifier: MIT */
/* The entry point of the driver, which the winsys calls. */
#ifndef SUNDOG_PUBLIC_H
#define SUNDOG_PUBLIC_H

struct pipe_screen;
struct sdrm_device;
struct sw_winsys;

/* Creates the screen on @dev and takes @dev over. @sws presents frames if there is no DRM device,
 * otherwise it is NULL. Returns NULL on failure. */
struct pipe_screen *
sundog_screen_create(struct sdrm_device *dev, struct sw_winsys *sws);

#endif
