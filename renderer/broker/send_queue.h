/* SPDX-License-Identifier: MIT */
/*
 * Queue of messages to a socket whose peer may not read: messages that the socket has no room for
 * wait here, so that the broker's event thread does not. Connections and worker processes have one
 * each.
 */
#ifndef BROKER_SEND_QUEUE_H
#define BROKER_SEND_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "broker/event_source.h"
#include "sundog_messages.h"

/*
 * Limit of queued messages; a peer that exceeds it does not read. Twice what a device can cause at
 * a time.
 */
#define SEND_QUEUE_MAX (4 * (SUNDOG_MAX_CHANNELS + SUNDOG_MAX_GUEST_MAPS))

struct async_closer;
struct packet;

struct send_queue {
	struct packet *first, **last;	/* queued messages */
	uint32_t n;
	int64_t full_ms;		/* since when messages have been waiting; 0: none wait */
	struct async_closer *who;	/* counts the descriptors, or NULL */
};

void send_queue_init(struct send_queue *q);

static inline bool send_queue_is_empty(const struct send_queue *q)
{
	return !q->n;
}

/* Sends @m to @s, or queues it until there is room. The caller keeps @fds. Returns 0 or -errno. */
int send_queue_send(struct send_queue *q, struct event_source *s, const struct sundog_message *m,
		    const int *fds, int n_fds);

/* Queues a message until send_queue_flush(). The caller keeps @fds. Returns 0 or -errno. */
int send_queue_keep(struct send_queue *q, const struct sundog_message *m, const int *fds,
		    int n_fds);

/* Moves all messages of @from behind those of @q. */
void send_queue_append(struct send_queue *q, struct send_queue *from);

/*
 * Sends queued messages as far as the socket has room, and watches @s for more room. Returns 0 or
 * -errno.
 */
int send_queue_flush(struct send_queue *q, struct event_source *s);

/* Drops all queued messages. */
void send_queue_clear(struct send_queue *q);

#endif
