// SPDX-License-Identifier: MIT
/* How the tests find their device, see device.h. */
#include "device.h"

#include <err.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <xf86drm.h>

#include "sundog.h"

#define VRAM_SIZE (256ull << 20)

static struct sundog_device *open_node(const char *path)
{
	const int fd = open(path, O_RDWR | O_CLOEXEC);
	struct sundog_device *dev = fd >= 0 ? sundog_device_new(fd) : NULL;

	if (fd >= 0)
		close(fd);
	return dev;
}

struct sundog_device *device_open(void)
{
	const char *socket = getenv("SUNDOG_SOCKET");
	struct sundog_device *dev = NULL;
	drmDevicePtr devices[16];
	int n;

	if (socket) {
		dev = sundog_device_new_direct(socket, VRAM_SIZE);
	} else {
		n = drmGetDevices2(0, devices, 16);
		for (int i = 0; i < n && !dev; i++)
			if (devices[i]->available_nodes & 1 << DRM_NODE_RENDER)
				dev = open_node(devices[i]->nodes[DRM_NODE_RENDER]);
		if (n > 0)
			drmFreeDevices(devices, n);
	}
	if (!dev)
		err(1, "no sundog device");
	return dev;
}
