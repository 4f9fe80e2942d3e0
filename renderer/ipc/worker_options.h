/* SPDX-License-Identifier: MIT */
/*
 * How the broker starts a worker, and how a worker ends: main.c parses the options in both
 * processes, spawn.c passes them on.
 */
#ifndef IPC_WORKER_OPTIONS_H
#define IPC_WORKER_OPTIONS_H

#include <stdint.h>

#define WORKER_SOCKET 3			/* descriptor of the broker's socket in a new worker */
#define WORKER_TIMEOUT 3		/* exit status of a worker that its watchdog ended */

#define NUM_BATCHES 4			/* submissions that a worker has in flight */

/*
 * Bytes that a client can make its worker allocate: private memory and the host driver's heap may
 * have this much each.
 */
#define WORKER_MAX_HEAP (4ull << 30)
/*
 * Bytes of address space beyond that: stacks of threads and arenas of malloc() reserve more than
 * they use.
 */
#define WORKER_SPARE_ADDRESSES (4ull << 30)

struct worker_options {
	const char *gpu;		/* see vk_init() */
	/*
	 * Limits without progress in ms, 0: none. Of a batch; of decoding a packet or compiling a
	 * shader.
	 */
	uint32_t batch_ms, decode_ms;
	uint32_t max_threads;		/* threads of the host driver's rasterizer */
};

#endif
