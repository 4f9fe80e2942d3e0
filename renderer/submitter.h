/* SPDX-License-Identifier: MIT */
/*
 * Where the host takes submissions: in the main thread, as long as it is quick about that.
 *
 * A host may do much of the work inside vkQueueSubmit2(): vertices, copies, waits for what was before. The main
 * thread has messages to answer and streams to decode, so while submissions take long a thread of their own hands
 * them over; while they do not, that would only be one more thread to wake up.
 *
 * Our lavapipe counts on a thread of ours to rasterise beside its own. That is the main one while it has nothing
 * else to do, or the submitter while that takes long.
 *
 * The main thread owns this but for what `lock` protects. One thread submits at a time: the main one only when the
 * other has nothing.
 */
#ifndef SUBMITTER_H
#define SUBMITTER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

#include "batch.h"

struct worker;

#define MAX_SUBMISSIONS (2 * NUM_BATCHES)	/* that wait for the thread, and what it has just ended */
#define SLOW_SUBMISSION_NS 1000000
#define TAKE_PART_NS 500000		/* until the main thread looks for messages again */

struct submission {
	VkCommandBuffer cmds[2];
	uint32_t n_cmds;
	VkSemaphore timeline;		/* or null */
	uint64_t value;			/* that it reaches then */
	bool is_long;			/* it is known to take long, so the main thread keeps away from it */
};

struct submitter {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t more;
	struct submission queue[MAX_SUBMISSIONS];
	uint32_t head, tail;		/* count freely; tail: what the thread is at */
	atomic_bool main_runs;		/* the main thread is where the host runs submissions */
	uint64_t took_ns;		/* the slowest of late: old ones count less and less */
};

bool submitter_init(struct worker *w);

/* Hand @s to the host, now or after those before. An error that comes later ends the worker. */
VkResult submitter_submit(struct worker *w, const struct submission *s);

/* Main thread: take part in what was submitted, for a moment. False: there is nothing that it can do. */
bool submitter_take_part(struct worker *w);

#endif
