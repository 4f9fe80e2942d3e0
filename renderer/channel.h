/* SPDX-License-Identifier: MIT */
/*
 * Channels: a ring of submissions in shared memory, see protocol/sundog.yaml, layouts.
 *
 * The main thread owns a channel. The completion thread touches only what channel_complete() says,
 * and only while an entry of the channel is in its queue. The watchdog calls channel_progress(), with the lock of the
 * batches, under which a channel is taken out of the worker's table before it is freed.
 */
#ifndef CHANNEL_H
#define CHANNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "ahead.h"
#include "sundog_messages.h"

struct worker;

struct channel {
	uint32_t index;
	uint64_t serial;		/* among all that the worker had, from 1 */
	int doorbell, irq;
	char *segment;
	const struct sundog_ring_control *control;
	struct sundog_ring_status *status;
	const struct sundog_ring_entry *ring;
	const struct sundog_list_entry *list;
	uint32_t get;			/* private copy: the guest can write the page */
	uint64_t last_seqno;		/* of the last entry taken */
	uint64_t completed;		/* completion thread's to write */
	uint64_t completed_at;		/* likewise, ns */
	uint64_t told_idle;		/* the idle_seqno that was told last, by either thread */
	bool asleep;			/* all entries were looked for in vain, and the doorbell is waited for */
	bool dead;
	struct sundog_ring_entry entry;	/* next to be run */
	uint32_t *stream;		/* its stream, while that waits for shaders */
	bool waits;
	bool behind;			/* one of another channel has to run first */
	struct ahead ahead;		/* of its stream */
};

/*
 * Make channel @index: its segment of @channels_fd, of which only the status page, from @status_fd, can be written.
 * Takes the events' descriptors. NULL with errno set.
 */
struct channel *channel_new(uint32_t index, int channels_fd, int status_fd, int doorbell, int irq);
void channel_free(struct worker *w, struct channel *ch);

/* Take and run one ring entry, or stop the channel over it. False when there is none, its stream waits for shaders, or
 * it is not its turn. */
bool channel_run(struct worker *w, struct channel *ch);

/* Shaders were compiled: does it still wait for some? */
void channel_look_again(struct worker *w, struct channel *ch);

/* Ask for a doorbell, unless an entry came meanwhile: then false. */
bool channel_sleep(struct channel *ch);
void channel_wake(struct channel *ch);

/* The worker makes progress, and says so in the status page. Any thread that keeps the channel where it is. */
void channel_progress(struct channel *ch);

/* Completion thread: @seqno is done. */
void channel_complete(struct channel *ch, uint64_t seqno);

#endif
