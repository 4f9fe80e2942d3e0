/* SPDX-License-Identifier: MIT */
/*
 * A worker: one sandboxed process that executes the streams of one client.
 *
 * Threads: the main thread owns everything here. It receives messages, takes ring entries, decodes
 * and submits, and takes part in rasterization if the host driver wants that. The completion thread
 * (batch.h), or a thread of the host driver, reports completed submissions and owns only what
 * batch.h says. A further thread takes submissions that are slow (submitter.h), two compile shaders
 * (compiler.h), and one is the watchdog (watchdog.h).
 */
#ifndef WORKER_WORKER_H
#define WORKER_WORKER_H

#include <stdbool.h>
#include <stdint.h>

#include "exec/exec.h"
#include "ipc/file.h"
#include "ipc/message.h"
#include "ipc/worker_options.h"
#include "worker/channel.h"
#include "worker/crash_report.h"
#include "worker/watchdog.h"

struct worker {
	atomic_bool owes;		/* the main thread is handling a message of the broker */
	int sock;			/* socket to the broker */
	int epoll;
	struct exec exec;
	struct watchdog watchdog;
	struct crash_report crash_report;
	struct channel *channels[SUNDOG_MAX_CHANNELS];
	uint64_t n_channels;		/* number of channels made so far */
	int fds[4];			/* descriptors of message_setup */
	/* regular files that were open before the client came */
	struct file_id files[MESSAGE_MAX_FILES];
	uint32_t n_files;
	uint64_t asked;			/* unmap requests that are done */
};

/*
 * Runs a worker with the broker's socket @sock until the broker ends it. Returns the exit status if
 * the worker cannot start; else it does not return.
 */
int worker_main(int sock, const struct worker_options *options);

#endif
