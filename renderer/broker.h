/* SPDX-License-Identifier: MIT */
/*
 * The broker: accepts a device or direct clients, runs one worker process per client.
 */
#ifndef BROKER_H
#define BROKER_H

#include <stdint.h>

struct broker_options {
	int device_fd;			/* connected socket of a device, or -1 */
	const char *socket_path;	/* where to listen, or NULL */
	const char *stream_path;	/* the same with SOCK_STREAM, for QEMU's chardev, or NULL */
	uint64_t max_vram;		/* bytes that a direct client may ask for */
	const char *gpu;		/* part of the Vulkan device's name, or NULL: software */
};

/* Serve until the device goes away (or, listening, for ever). Returns the process's exit status. */
int broker_run(const struct broker_options *options);

#endif
