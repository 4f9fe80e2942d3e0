// SPDX-License-Identifier: MIT
/*
 * sundog-probe: opens a sundog device or the socket of a renderer with libdrm_sundog, and prints
 * its properties. "sundog doctor" runs it, so that a failure cannot end the doctor.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "sundog.h"

int main(int argc, char **argv)
{
	struct sdrm_device *dev = NULL;
	const struct sundog_caps *caps;
	struct stat st;
	int fd;

	if (argc != 2) {
		fprintf(stderr, "usage: sundog-probe SOCKET | NODE\n");
		return 2;
	}
	if (stat(argv[1], &st)) {
		fprintf(stderr, "%s: %s\n", argv[1], strerror(errno));
		return 1;
	}
	if (S_ISSOCK(st.st_mode)) {
		dev = sdrm_device_new_direct(argv[1], 16 << 20);
	} else {
		fd = open(argv[1], O_RDWR | O_CLOEXEC);
		if (fd >= 0)
			dev = sdrm_device_new(fd);
	}
	if (!dev) {
		fprintf(stderr, "%s: %s\n", argv[1], strerror(errno));
		return errno == ENODEV ? 3 : 1;
	}
	caps = sdrm_device_caps(dev);
	printf("%.*s", (int)sizeof(caps->host_device), caps->host_device);
	/* The VRAM of a direct client is what this program has asked for. */
	if (!S_ISSOCK(st.st_mode))
		printf(", %llu MiB of VRAM", (unsigned long long)sdrm_device_vram_size(dev) >> 20);
	printf("; protocol %u.%u here %u.%u\n", caps->version >> 16, caps->version & 0xffff,
	       SUNDOG_VERSION_MAJOR, SUNDOG_VERSION_MINOR);
	sdrm_device_del(dev);
	return 0;
}
