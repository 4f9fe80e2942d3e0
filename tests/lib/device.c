// SPDX-License-Identifier: MIT
/* Opens the direct device or a render node, see device.h. */
#include "device.h"

#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "sundog.h"

#define DEFAULT_VRAM_MIB "256"

/* Minors of render nodes. */
#define FIRST_NODE 128
#define LAST_NODE 191

static struct sdrm_device *open_node(int number)
{
	struct sdrm_device *dev;
	char path[32];
	int fd;

	snprintf(path, sizeof(path), "/dev/dri/renderD%d", number);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	dev = sdrm_device_new(fd);
	close(fd);
	return dev;
}

static uint64_t vram_size(void)
{
	const char *mib = getenv("SUNDOG_TEST_VRAM");

	return strtoull(mib ? mib : DEFAULT_VRAM_MIB, NULL, 10) << 20;
}

struct sdrm_device *device_open(void)
{
	const char *socket = getenv("SUNDOG_SOCKET");
	struct sdrm_device *dev = NULL;

	if (socket)
		dev = sdrm_device_new_direct(socket, vram_size());
	for (int i = FIRST_NODE; i <= LAST_NODE && !socket && !dev; i++)
		dev = open_node(i);
	if (!dev)
		err(1, "no sundog device");
	return dev;
}
