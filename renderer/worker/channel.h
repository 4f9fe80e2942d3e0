/* SPDX-License-Identifier: MIT */
/*
 * Channels: a ring of submissions in memory shared with the driver, see protocol/sundog.yaml,
 * layouts.
 *
 * The worker's main thread owns a channel. The completion thread accesses only what
 * channel_complete() uses, and only while an entry of the channel is in its queue. The watchdog
 * calls channel_progress() with batches.lock held; the main thread takes a channel out of the
 * worker's table under that lock before it frees the channel.
 */
#ifndef WORKER_CHANNEL_H
#define WORKER_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "exec/batch.h"
#include "exec/shader_prefetch.h"
#include "sundog_messages.h"

struct worker;

struct channel {
	struct exec_channel exec;	/* the part that batches know */
	int doorbell, irq;
	char *segment;
	const struct sundog_ring_control *control;
	struct sundog_ring_status *status;
	const struct sundog_ring_entry *ring;
	const struct sundog_list_entry *list;
	uint32_t get;			/* private copy of status->get, which the guest can write */
	uint64_t last_seqno;		/* seqno of the last entry taken */
	uint64_t completed;		/* written by the completion thread */
	uint64_t completed_at;		/* time of that, CLOCK_MONOTONIC, ns; same writer */
	uint64_t told_idle;		/* last idle_seqno that got an IRQ; both threads write it */
	bool asleep;			/* the ring was empty, the worker waits for the doorbell */
	bool dead;
	struct sundog_ring_entry entry;	/* the entry taken last */
	uint32_t *stream;		/* copy of its stream while it waits for shaders */
	bool waits;
	bool behind;			/* an entry of another channel has to run first */
	struct shader_prefetch prefetch;		/* shaders of its stream */
};

/* Returns the channel that @exec is part of. */
static inline struct channel *channel_of(struct exec_channel *exec)
{
	return (struct channel *)((char *)exec - offsetof(struct channel, exec));
}

/*
 * Makes channel @index. Maps its segment of @channels_fd read-only, with the status page from
 * @status_fd writable. Takes over @doorbell and @irq. Returns NULL with errno set; the caller keeps
 * both descriptors then.
 */
struct channel *channel_new(uint32_t index, int channels_fd, int status_fd, int doorbell, int irq);
void channel_free(struct exec *x, struct channel *ch);

/*
 * Takes and runs one ring entry; stops the channel if the entry is invalid. Returns false if there
 * is no entry, if its stream waits for shaders, or if an entry of another channel has to run first.
 */
bool channel_run(struct worker *w, struct channel *ch);

/* Call after shaders were compiled: updates ch->waits. */
void channel_look_again(struct exec *x, struct channel *ch);

/* Asks the driver for a doorbell. If there is an entry to run, withdraws that and returns false. */
bool channel_sleep(struct channel *ch);
void channel_wake(struct channel *ch);

/*
 * Publishes in the status page that @seqno is completed, and raises the IRQ if the driver wants it.
 * The channel is that of channel_of(). Completion thread.
 */
void channel_complete(struct exec_channel *channel, uint64_t seqno);

/* Counts up `progress` in the status page. Any thread that keeps the channel from being freed. */
void channel_progress(struct channel *ch);

#endif
