/* SPDX-License-Identifier: MIT */
/* Opens the sundog device that a test runs on. */
#ifndef DEVICE_H
#define DEVICE_H

struct sdrm_device;

/*
 * Opens the direct device at socket SUNDOG_SOCKET, with SUNDOG_TEST_VRAM MiB of VRAM (default 256),
 * or else the first render node of the sundog kernel driver. Ends the program if there is none.
 */
struct sdrm_device *device_open(void);

#endif
