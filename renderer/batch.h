/* SPDX-License-Identifier: MIT */
/*
 * Batches: one host submission per ring entry, a few in flight, completed in order.
 *
 * The main thread records into w->batches.recording and submits it (submitter.h). The completion thread waits for
 * the host's timeline, adds query results to VRAM, moves the channel's status page on and raises its
 * interrupt; where the host calls us at the end of a submission, the thread that calls does that, and
 * there is no other. `lock` protects the queue between the two; a batch belongs to the main thread,
 * except between batch_submit() and the moment that `done` passes its value.
 */
#ifndef BATCH_H
#define BATCH_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "arena.h"
#include "blame.h"
#include "query.h"
#include "vk.h"

struct worker;
struct channel;

#define NUM_BATCHES 4
#define MAX_MARKS 256			/* of a batch */
#define EARLY_MARKS 128			/* of them, those that stand after each command */
#define RENDERINGS_AT_ONCE 4		/* that lavapipe may have queued when a mark is passed */
#define LATE_MARK_STEP 16		/* each of the others stands after as many */
#define CODE_NS_PER_DWORD 250000u	/* see batch_note_code() */
#define MAX_DESCRIPTOR_CHUNKS 256	/* of all batches */
#define DESCRIPTOR_CHUNK_SIZE (2u << 20)

/* A piece of descriptor buffer; a batch takes as many as it fills. */
struct descriptor_chunk {
	struct descriptor_chunk *next;
	struct vk_host_buffer buffer;
};

struct batch {
	VkCommandPool pool;
	struct arena arena;		/* of the pool */
	VkCommandBuffer cmd, prologue;
	struct queries queries;
	bool prologue_begun;
	uint64_t value;			/* of the timeline when it is done */
	VkEvent marks[MAX_MARKS];	/* see batch_mark(); null where the host counts progress itself */
	uint32_t n_renderings;
	uint32_t n_marks, markable;	/* those that are recorded; commands after which a mark may stand */
	uint64_t code_ns;		/* CPU time that the host may take to compile what it draws with first */
	bool is_long;			/* the host takes long inside vkQueueSubmit2() */
	struct descriptor_chunk *chunks;	/* first: the one being filled */
	uint32_t chunk_used;		/* bytes of the first */
};

/* A ring entry on its way: value reached -> seqno completed. */
struct completion {
	uint64_t value, seqno;
	struct channel *channel;
	struct batch *batch;		/* NULL: a fence and nothing else */
};

#define NUM_COMPLETIONS 1024

struct batches {
	struct batch batch[NUM_BATCHES];
	struct batch *recording;
	VkSemaphore timeline;		/* null: the host calls us */
	uint64_t submitted;		/* value of the last host submission */
	uint64_t begun;			/* batches so far, submitted or not */
	struct descriptor_chunk *free_chunks;
	uint32_t n_chunks;

	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t less;		/* tail moved */
	struct completion queue[NUM_COMPLETIONS];
	uint32_t head, tail;		/* count freely; tail: next to complete */
	uint64_t reached;		/* last value that the host is done with */
	uint64_t done;			/* last value whose completion was processed */
	bool completing;		/* a thread takes them from the queue */
	uint64_t head_since;		/* when what is next to complete became that */
	uint64_t idle_since;		/* when the queue became empty, CLOCK_MONOTONIC */
	uint64_t awake_ns;		/* see message_setup */
	bool stay_awake;		/* the last idle time was that short */
};

static inline uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

bool batches_init(struct worker *w);

/* Before the first batch, and after anything else was submitted and waited for: hear of ends from now on. */
bool batches_start(struct worker *w);

/* Take a free batch and begin recording; waits for one. NULL with a fault recorded. */
struct batch *batch_begin(struct worker *w);

/*
 * The recorded batch is the first that draws or dispatches with a shader of @dwords: the host compiles it when the batch
 * runs. Hosts that do not count their progress get time for that by its size; LLVM takes a fifth of that.
 */
void batch_note_code(struct worker *w, uint32_t dwords);

/*
 * A dispatch, or a rendering, was recorded. For a host that does not count its progress an event marks it, so that the
 * watchdog sees how far the batch is; a batch of thousands of such commands has marks in its first 2,176 only.
 * Lavapipe sets events before it has rasterized, so each fourth mark behind a rendering (@draws) has a barrier before it.
 */
void batch_mark(struct worker *w, bool draws);

/* The host runs much of the recorded batch before vkQueueSubmit2() returns: a dispatch of many work groups. */
void batch_note_long(struct worker *w);

/* Command buffer that runs before the batch's own, outside renderings. */
VkCommandBuffer batch_prologue(struct worker *w);

/* Hand the recorded batch to the host; its end completes @seqno of @channel. */
bool batch_submit(struct worker *w, struct channel *channel, uint64_t seqno);

/* Throw the recorded batch away. */
void batch_discard(struct worker *w);

/* Complete @seqno of @channel after everything submitted so far. */
void batch_fence(struct worker *w, struct channel *channel, uint64_t seqno);

/* The submission that the host runs, of those that were there when b->head was @head: the first that it is not done with.
 * False: there is none. Needs the lock. */
bool batches_running(const struct batches *b, uint32_t head, struct work *work);

/* A number that changes when the batch at the head of the queue passes a mark. Needs the lock. */
uint64_t batches_marks_passed(struct worker *w);

/* Time for code (batch_note_code()) of the batch at the head of the queue, ns; 0: none. Needs the lock. */
uint64_t batches_code_ns(const struct batches *b);

/* Wait for the batch with @value; false: it is the one that is recorded. */
bool batches_wait(struct worker *w, uint64_t value);

/* The same while nothing is recorded; there is nothing to wait for beyond what was submitted. */
void batches_wait_submitted(struct worker *w, uint64_t value);

/* Wait for batches that were submitted and add results of queries to the word at @at. */
void batches_wait_results(struct worker *w, const uint64_t *at);

/* A new chunk for the recorded batch, now its first. */
struct descriptor_chunk *batch_add_chunk(struct worker *w);

/* Value that work being recorded now will complete with. */
static inline uint64_t batches_recording_value(const struct batches *b)
{
	return b->submitted + 1;
}

/* Last value whose completion was processed. */
uint64_t batches_done(struct worker *w);

/* Main thread, with nothing to do: shall it look again, rather than sleep? */
bool batches_stay_awake(struct worker *w);

/* Wait until every completion of @channel was processed. */
void batches_drain(struct worker *w, const struct channel *channel);

#endif
