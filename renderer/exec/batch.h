/* SPDX-License-Identifier: MIT */
/*
 * Batches: one host submission per ring entry, up to NUM_BATCHES in flight, completed in order.
 *
 * The worker's main thread records into x->batches.recording and submits it (submitter.h). The
 * completion thread waits for the host's timeline semaphore, adds query results to VRAM, advances
 * the channel's status page and raises the channel's interrupt. If the host driver has a completion
 * callback (vk.lavapipe.set_queue_done_callback), its calling thread does this work and there is no
 * completion thread. `lock` protects the queue between the two threads. The main thread owns a
 * batch except between batch_submit() and the moment that `done` reaches the batch's value.
 */
#ifndef EXEC_BATCH_H
#define EXEC_BATCH_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "exec/query.h"
#include "exec/watch.h"
#include "host/arena.h"
#include "host/vk.h"
#include "ipc/worker_options.h"

struct exec;

#define MAX_MARKS 256			/* per batch */
#define EARLY_MARKS 128			/* the first marks of a batch: one after each command */
/* renderings that lavapipe may have queued when a mark is passed */
#define RENDERINGS_AT_ONCE 4
#define LATE_MARK_STEP 16		/* commands per mark after the first EARLY_MARKS */
#define CODE_NS_PER_DWORD 5000000ull	/* see batch_note_code() */
#define MAX_CODE_NS 600000000000ull	/* of a batch */
#define MAX_DESCRIPTOR_CHUNKS 256	/* in all batches */
#define DESCRIPTOR_CHUNK_SIZE (2u << 20)

/* A chunk of descriptor buffer memory. A batch takes another one whenever its first one is full. */
struct descriptor_chunk {
	struct descriptor_chunk *next;
	struct vk_host_buffer buffer;
};

struct batch {
	VkCommandPool pool;
	struct arena arena;		/* host memory of `pool` */
	VkCommandBuffer cmd, prologue;
	struct queries queries;
	bool prologue_begun;
	/* timeline value that the host reaches when the batch is done */
	uint64_t value;
	/* see batch_mark(); null if the host counts its progress itself */
	VkEvent marks[MAX_MARKS];
	uint32_t n_renderings;
	/* recorded marks; commands after EARLY_MARKS that may have a mark */
	uint32_t n_marks, markable;
	/* CPU time that the host may take to compile the shaders that this batch uses first */
	uint64_t code_ns;
	bool is_long;			/* the host takes long inside vkQueueSubmit2() */
	struct descriptor_chunk *chunks;	/* a list; the first chunk is being filled */
	uint32_t chunk_used;		/* bytes used of the first chunk */
};

/* The part of a channel that batches know. The owner embeds it. */
struct exec_channel {
	uint32_t index;
	uint64_t serial;		/* counts all channels of this worker, from 1 */
};

/*
 * Publishes that @seqno of @channel is completed. Called by the completion thread, or by the main
 * thread for a fence behind no batch.
 */
typedef void completed_fn(struct exec_channel *channel, uint64_t seqno);

/*
 * An entry of the completion queue: when the host reaches `value`, `seqno` of `channel` completes.
 */
struct completion {
	uint64_t value, seqno;
	struct exec_channel *channel;
	struct batch *batch;		/* NULL: a fence without a batch */
};

#define NUM_COMPLETIONS 1024

struct batches {
	struct batch batch[NUM_BATCHES];
	struct batch *recording;
	completed_fn *on_completed;
	VkSemaphore timeline;		/* null: the host calls on_queue_done() instead */
	uint64_t submitted;		/* value of the last host submission */
	uint64_t begun;			/* number of batches begun, submitted or not */
	struct descriptor_chunk *free_chunks;
	uint32_t n_chunks;

	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t less;		/* signalled when `tail` moves */
	struct completion queue[NUM_COMPLETIONS];
	/* free-running counters; tail: the next entry to complete */
	uint32_t head, tail;
	uint64_t reached;		/* last value that the host has completed */
	uint64_t done;			/* last value whose completion was processed */
	bool completing;		/* a thread is processing completions */
	/* CLOCK_MONOTONIC ns: when the entry at `tail` became the oldest */
	uint64_t head_since;
	uint64_t idle_since;		/* CLOCK_MONOTONIC ns: when the queue became empty */
	/* how long to stay awake after the queue became empty, see message_setup */
	uint64_t awake_ns;
	bool stay_awake;		/* the last idle time was shorter than awake_ns */
};

static inline uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Returns false if the host fails. */
bool batches_init(struct exec *x, completed_fn *on_completed);

/*
 * Start receiving completions. Call it before the first batch, after all other host submissions
 * were waited for. Returns false if the host fails.
 */
bool batches_start(struct exec *x);

/*
 * Take a free batch and begin recording; waits until one is free. Returns NULL with a fault
 * recorded if the host fails.
 */
struct batch *batch_begin(struct exec *x);

/*
 * Note that the recorded batch is the first that draws or dispatches with a shader of @dwords
 * dwords: the host compiles the shader when the batch runs. Hosts that do not count their progress
 * get CODE_NS_PER_DWORD of time per dword for that, MAX_CODE_NS per batch. LLVM takes 0.05 ms per
 * dword for most shaders, and up to 2.5 ms for those with large unrolled loops.
 */
void batch_note_code(struct exec *x, uint32_t dwords);

/*
 * Note that a dispatch or a rendering (@draws) was recorded. For a host that does not count its
 * progress, this records an event as a mark, so that the watchdog sees how far the batch is. A
 * batch has marks in its first 2,176 such commands only. Lavapipe sets events before it has
 * rasterized, so every fourth rendering is followed by a full barrier before its mark.
 */
void batch_mark(struct exec *x, bool draws);

/*
 * Note that the host runs much of the recorded batch before vkQueueSubmit2() returns, as with a
 * dispatch of many work groups.
 */
void batch_note_long(struct exec *x);

/*
 * Returns the command buffer that runs before the batch's own, outside renderings; null with a
 * fault recorded if the host fails.
 */
VkCommandBuffer batch_prologue(struct exec *x);

/*
 * Submit the recorded batch to the host; its completion completes @seqno of @channel. Returns false
 * with a fault recorded if the host fails.
 */
bool batch_submit(struct exec *x, struct exec_channel *channel, uint64_t seqno);

/* Discard the recorded batch. */
void batch_discard(struct exec *x);

/* Complete @seqno of @channel after all batches submitted so far. */
void batch_fence(struct exec *x, struct exec_channel *channel, uint64_t seqno);

/*
 * Store in @work the oldest submission that the host has not completed, among the queue entries
 * before @head. Returns false if there is none. Caller holds b->lock.
 */
bool batches_running(const struct batches *b, uint32_t head, struct work *work);

/*
 * Returns how many marks of the oldest batch in the queue the host has passed. Caller holds
 * b->lock.
 */
uint64_t batches_marks_passed(struct exec *x);

/*
 * Returns the compile time allowance (batch_note_code()) of the oldest batch in the queue in ns, 0
 * if there is none. Caller holds b->lock.
 */
uint64_t batches_code_ns(const struct batches *b);

/*
 * Wait for the batch with @value. Returns false if @value is not submitted yet: it is the batch
 * being recorded.
 */
bool batches_wait(struct exec *x, uint64_t value);

/* Wait for all batches up to @value that were submitted. Call it while no batch is recorded. */
void batches_wait_submitted(struct exec *x, uint64_t value);

/* Wait for submitted batches whose query results are added to the word at @at. */
void batches_wait_results(struct exec *x, const uint64_t *at);

/*
 * Add a chunk to the recorded batch as its first. Returns NULL with a fault recorded if the host
 * has no memory.
 */
struct descriptor_chunk *batch_add_chunk(struct exec *x);

/* Returns the timeline value that the batch being recorded completes with. */
static inline uint64_t batches_recording_value(const struct batches *b)
{
	return b->submitted + 1;
}

/* Returns the last value whose completion was processed. */
uint64_t batches_done(struct exec *x);

/* Main thread, when idle: returns true if it should poll again instead of sleeping. */
bool batches_stay_awake(struct exec *x);

/* Wait until all completions of @channel are processed. */
void batches_drain(struct exec *x, const struct exec_channel *channel);

#endif
