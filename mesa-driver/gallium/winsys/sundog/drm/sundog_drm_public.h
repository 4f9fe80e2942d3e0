/* SPDX-License-Identifier: MIT */
/* Entry points for the loaders: they create the sundog screen. */
#ifndef SUNDOG_DRM_PUBLIC_H
#define SUNDOG_DRM_PUBLIC_H

struct pipe_screen;
struct pipe_screen_config;
struct sw_winsys;

/* Returns the screen for @fd, a DRM device file of the sundog kernel driver, or NULL. Calls for the
 * same device file share one screen. */
struct pipe_screen *
sundog_drm_screen_create(int fd, const struct pipe_screen_config *config);

/* Returns a screen on the first device of sundog that has a renderer, or NULL, for a window system
 * that takes no buffers of a device: the screen presents copies through @sws. */
struct pipe_screen *
sundog_copied_screen_create(struct sw_winsys *sws);

/* Returns a screen on a connection to sundog-renderd, without a kernel driver, or NULL. The
 * environment variable SUNDOG_SOCKET names the socket. The screen presents through @sws. */
struct pipe_screen *
sundog_direct_screen_create(struct sw_winsys *sws);

#endif
