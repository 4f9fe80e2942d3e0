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
#define OUTBOX_MAX (4 * (SUNDOG_MAX_CHANNELS + SUNDOG_MAX_GUEST_MAPS))

struct closing;
struct packet;

struct outbox {
	struct packet *first, **last;	/* queued messages */
	uint32_t n;
	int64_t full_ms;		/* since when messages have been waiting; 0: none wait */
	struct closing *who;		/* counts the descriptors that are closed, or NULL */
};

void outbox_init(struct outbox *o);

static inline bool outbox_is_empty(const struct outbox *o)
{
	return !o->n;
}

/* Sends @m to @s, or queues it until there is room. The caller keeps @fds. Returns 0 or -errno. */
int outbox_send(struct outbox *o, struct source *s, const struct sundog_message *m, const int *fds,
		int n_fds);

/* Queues a message until outbox_flush(). The caller keeps @fds. Returns 0 or -errno. */
int outbox_keep(struct outbox *o, const struct sundog_message *m, const int *fds, int n_fds);

/* Moves all messages of @from behind those of @o. */
void outbox_append(struct outbox *o, struct outbox *from);

/*
 * Sends queued messages as far as the socket has room, and watches @s for more room. Returns 0 or
 * -errno.
 */
int outbox_flush(struct outbox *o, struct source *s);

/* Drops all queued messages. */
void outbox_clear(struct outbox *o);

#endif
