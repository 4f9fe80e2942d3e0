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

#include "exec/shader_prefetch.h"
#include "exec/batch.h"
#include "worker/crash_report.h"
#include "exec/caps.h"
#include "worker/channel.h"
#include "exec/compiler.h"
#include "exec/draw.h"
#include "exec/memory.h"
#include "ipc/message.h"
#include "exec/object.h"
#include "exec/submitter.h"
#include "host/vk.h"
#include "worker/watchdog.h"

struct worker {
	atomic_bool owes;		/* the main thread is handling a message of the broker */
	int sock;			/* socket to the broker */
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
	struct ahead *ahead;		/* shaders of the stream being decoded, or NULL */
	struct draw draw;
	VkCommandBuffer prelude;	/* quirk_prelude.h; null if the host needs none */
	/* query_value.h; null if the host has no conditional rendering */
	VkShaderEXT query_value;
	/* prelude_compute(); null if the host has no compute shaders */
	VkShaderEXT idle_compute;
	struct channel *channels[SUNDOG_MAX_CHANNELS];
	uint64_t n_channels;		/* number of channels made so far */
	int fds[4];			/* descriptors of message_setup */
	/* regular files that were open before the client came */
	struct file_id files[MESSAGE_MAX_FILES];
	uint32_t n_files;
	uint64_t asked;			/* unmap requests that are done */

	/* The fault that fault() recorded last. */
	uint32_t fault;
	uint64_t fault_arg;
};

/* Returns true if the host has all of @features. */
static inline bool worker_has(const struct worker *w, uint64_t features)
{
	return (w->caps.features & features) == features;
}

#define WORKER_SOCKET 3			/* descriptor of the broker's socket in a new worker */

struct worker_options {
	const char *gpu;		/* see vk_init() */
	uint32_t batch_ms, decode_ms;	/* see watchdog_init() */
	uint32_t max_threads;		/* threads of the host driver's rasterizer */
};

/*
 * Runs a worker with the broker's socket @sock until the broker ends it. Returns the exit status if
 * the worker cannot start; else it does not return.
 */
int worker_main(int sock, const struct worker_options *options);

/* Records why a packet or an entry is refused. Returns false, for `return fault(...)`. */
static inline bool fault(struct worker *w, enum sundog_fault_code code, uint64_t arg)
{
	w->fault = code;
	w->fault_arg = arg;
	return false;
}

#endif
