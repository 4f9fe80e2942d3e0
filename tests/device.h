/* SPDX-License-Identifier: MIT */
/* How the tests find their device. */
#ifndef DEVICE_H
#define DEVICE_H

struct sundog_device;

/*
 * The direct device at the socket that SUNDOG_SOCKET names, with SUNDOG_TEST_VRAM MiB of VRAM (256),
 * else the first render node that the sundog kernel driver made. Ends the program if there is none.
 */
struct sundog_device *device_open(void);

#endif
