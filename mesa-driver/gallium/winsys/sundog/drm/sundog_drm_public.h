/* SPDX-License-Identifier: MIT */
/* Entry points of the loaders: how a sundog screen comes to be. */
#ifndef SUNDOG_DRM_PUBLIC_H
#define SUNDOG_DRM_PUBLIC_H

struct pipe_screen;
struct pipe_screen_config;
struct sw_winsys;

/* A screen on a DRM file descriptor of the sundog kernel driver. */
struct pipe_screen *
sundog_drm_screen_create(int fd, const struct pipe_screen_config *config);

/* A screen on sundog-renderd with no kernel driver, at the socket that SUNDOG_SOCKET names;
 * pictures are shown through @sws. */
struct pipe_screen *
sundog_direct_screen_create(struct sw_winsys *sws);

#endif
