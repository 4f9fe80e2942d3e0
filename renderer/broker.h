/* SPDX-License-Identifier: MIT */
/*
 * The broker: accepts a device or direct clients, runs one worker process per client.
 */
#ifndef BROKER_H
#define BROKER_H

#include <stdbool.h>
#include <stdint.h>

#include "source.h"
#include "sundog_messages.h"

struct connection;
struct worker_process;

struct broker_options {
	int device_fd;			/* connected socket of a device, or -1 */
	const char *socket_path;	/* where to listen, or NULL */
	const char *stream_path;	/* the same with SOCK_STREAM, for QEMU's chardev, or NULL */
	uint64_t max_vram;		/* bytes that a direct client may ask for */
	const char *gpu;		/* part of the Vulkan device's name, or NULL: software */
};

/* What the broker's files share. */
struct broker {
	const struct broker_options *options;
	struct source listeners[2];	/* SOCK_SEQPACKET, SOCK_STREAM; fd -1: not there */
	struct connection *connections;
	int program_fd;			/* this program, for workers */
	struct worker_process *workers;	/* all */
	struct worker_process *idle;
	struct sundog_message_welcome welcome;	/* header.size 0: no worker was ready yet */
	bool stop;
};

/* Serve until the device goes away (or, listening, for ever). Returns the process's exit status. */
int broker_run(const struct broker_options *options);

#endif
