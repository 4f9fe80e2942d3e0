/* SPDX-License-Identifier: MIT */
/* Tells if sundog can serve a program. In a Mesa that is installed beside the distribution's, EGL,
 * GLX and GBM ask before they open a screen. Any thread may call these functions. */
#ifndef SUNDOG_USABLE_H
#define SUNDOG_USABLE_H

#include <stdbool.h>
#include <xf86drm.h>

/* Returns true if the DRM device file @fd belongs to the driver sundog and a renderer serves it. */
bool sundog_usable(int fd);

/* Does the same for a device. Opens only PCI devices with the id of sundog, so that others stay
 * asleep. */
bool sundog_usable_device(drmDevicePtr device);

/* Returns a file of the render node of the first usable device, or -1. The caller closes it. */
int sundog_usable_open(void);

/* Returns true if any device is usable. */
bool sundog_usable_anywhere(void);

/* Returns true if the program asks for a renderer without a kernel driver. */
bool sundog_wants_direct(void);

/* Returns true if the program asks for software rendering, and not for such a renderer. */
bool sundog_wants_software(void);

#endif
