/* SPDX-License-Identifier: MIT */
/*
 * Worker processes as the broker has them: their start, messages to them, their end.
 */
#ifndef PROCESS_H
#define PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "source.h"
#include "sundog_messages.h"

struct client;
struct packet;

struct worker_process {
	struct source source;
	pid_t pid;
	bool ready;			/* said what its host can do, or why it cannot */
	struct client *client;		/* NULL: idle */
	struct packet *packets, **last;	/* in the order of sending */
	uint32_t n_packets;
};

/* Start one on Vulkan device @gpu, see worker.h. NULL: logged. */
struct worker_process *process_new(const char *gpu);

/*
 * Send a message, now or when the worker takes it: the broker waits for no worker. One that still
 * makes its Vulkan device has not begun to read. @fds stay the caller's. Returns 0 or -errno.
 */
int process_send(struct worker_process *w, const struct sundog_message *m, const int *fds, int n_fds);

/* Send what waits, as far as the worker takes it now. Returns 0 or -errno. */
int process_flush(struct worker_process *w);

/* Kill it, and return when it is dead and reaped. Frees @w. */
void process_end(struct worker_process *w);

#endif
