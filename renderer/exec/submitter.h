/* SPDX-License-Identifier: MIT */
/*
 * Submission to the host: in the main thread as long as vkQueueSubmit2() is fast, else in a
 * submitter thread.
 *
 * A host may do much of the work inside vkQueueSubmit2(): vertices, copies, waits for earlier work.
 * The main thread has messages to answer and streams to decode, so while submissions are slow, a
 * separate thread makes them; while they are fast, that would only add a thread to wake up.
 *
 * Our lavapipe expects a thread of the renderer to rasterize beside its own. That is the main
 * thread when it is idle, or the submitter thread while rasterization takes long.
 *
 * The main thread owns this, except what `lock` protects. Only one thread submits at a time: the
 * main thread does only if the submitter thread has nothing to submit.
 */
#ifndef EXEC_SUBMITTER_H
#define EXEC_SUBMITTER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

#include "exec/batch.h"

struct exec;

#define MAX_SUBMISSIONS (2 * NUM_BATCHES)	/* queued, and the one that just ended */
#define SLOW_SUBMISSION_NS 1000000
#define TAKE_PART_NS 500000		/* after which the main thread looks for messages */

struct submission {
	VkCommandBuffer cmds[2];
	uint32_t n_cmds;
	VkSemaphore timeline;		/* or null */
	uint64_t value;			/* value that `timeline` reaches at the end */
	bool is_long;			/* known to be slow: never submitted by the main thread */
};

struct submitter {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t more;
	struct submission queue[MAX_SUBMISSIONS];
	uint32_t head, tail;		/* free-running; tail: the thread's current one */
	atomic_bool main_runs;		/* the main thread may be executing the host's work */
	uint64_t took_ns;		/* slowest recent submission; old ones decay */
};

bool submitter_init(struct exec *x);

/*
 * Submits @s to the host at once, or after the queued submissions. An error in the submitter thread
 * ends the worker.
 */
VkResult submitter_submit(struct exec *x, const struct submission *s);

/*
 * Takes part in the execution of submissions for a moment. Main thread. Returns false if there is
 * nothing to do.
 */
bool submitter_take_part(struct exec *x);

#endif
