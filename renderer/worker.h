/* SPDX-License-Identifier: MIT */
/*
 * A worker: one process that executes the streams of one client, jailed.
 *
 * Threads: the main thread receives messages, takes ring entries, decodes and submits, and rasterises where the
 * host has it do that; it owns everything here. The completion thread (batch.h), or one of the host driver's,
 * tells what is done, and owns only what batch.h says. Submissions that take long have a thread (submitter.h),
 * shaders have two (compiler.h).
 */
#ifndef WORKER_H
#define WORKER_H

#include <stdbool.h>
#include <stdint.h>

#include "ahead.h"
#include "batch.h"
#include "blame.h"
#include "caps.h"
#include "channel.h"
#include "compiler.h"
#include "draw.h"
#include "memory.h"
#include "message.h"
#include "object.h"
#include "submitter.h"
#include "vk.h"
#include "watchdog.h"

struct worker {
	atomic_bool owes;		/* the main thread is at a message of the broker's */
	int sock;			/* to the broker */
	int epoll;
	struct vk vk;
	struct sundog_caps caps;
	struct memory memory;
	struct objects objects;
	struct batches batches;
	struct submitter submitter;
	struct watchdog watchdog;
	struct blame blame;
	struct compiler compiler;
	struct ahead *ahead;		/* of the stream that is decoded, or NULL */
	struct draw draw;
	VkCommandBuffer prelude;	/* prelude.h; null if this host has none */
	VkShaderEXT query_value;	/* query_value.h; null if this host has no conditions */
	VkShaderEXT idle_compute;	/* prelude_compute()'s; null if this host has no compute shaders */
	struct channel *channels[SUNDOG_MAX_CHANNELS];
	uint64_t n_channels;		/* made so far */
	int fds[4];			/* the client's memories, see message_setup */
	struct file_id files[MESSAGE_MAX_FILES];	/* that were open before */
	uint32_t n_files;
	uint64_t asked;			/* requests to give memory back that were done */

	/* The last fault that fault() recorded. */
	uint32_t fault;
	uint64_t fault_arg;
};

/* Does the host have all of @features? */
static inline bool worker_has(const struct worker *w, uint64_t features)
{
	return (w->caps.features & features) == features;
}

#define WORKER_SOCKET 3			/* the broker's, when a worker starts */

struct worker_options {
	const char *gpu;		/* see vk_init() */
	uint32_t batch_ms, decode_ms;	/* see watchdog_init() */
	uint32_t max_threads;		/* of the host driver's rasteriser */
};

/* Run a worker on the broker's socket @sock. Returns the exit status. */
int worker_main(int sock, const struct worker_options *options);

/* Record why a packet or an entry is refused. Always false, for `return fault(...)`. */
static inline bool fault(struct worker *w, enum sundog_fault_code code, uint64_t arg)
{
	w->fault = code;
	w->fault_arg = arg;
	return false;
}

#endif
