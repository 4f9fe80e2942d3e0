/* SPDX-License-Identifier: MIT */
/*
 * Messages to a socket whose other side may not read: what it has no room for waits here, so that the
 * broker does not.
 */
#ifndef OUTBOX_H
#define OUTBOX_H

#include <stdbool.h>
#include <stdint.h>

#include "source.h"
#include "sundog_messages.h"

/* Who lets this many messages wait does not read: twice what a device can ask for at a time. */
#define OUTBOX_MAX (4 * (SUNDOG_MAX_CHANNELS + SUNDOG_MAX_GUEST_MAPS))

struct closing;
struct packet;

struct outbox {
	struct packet *first, **last;	/* what waits */
	uint32_t n;
	int64_t full_ms;		/* since when, 0: nothing does */
	struct closing *who;		/* for whom its descriptors are closed, or NULL */
};

void outbox_init(struct outbox *o);

static inline bool outbox_is_empty(const struct outbox *o)
{
	return !o->n;
}

/* Send to @s, now or when there is room. @fds stay the caller's. Returns 0 or -errno. */
int outbox_send(struct outbox *o, struct source *s, const struct sundog_message *m, const int *fds, int n_fds);

/* Keep a message until outbox_flush(). Returns 0 or -errno. */
int outbox_keep(struct outbox *o, const struct sundog_message *m, const int *fds, int n_fds);

/* Put what @from has behind what @o has. */
void outbox_append(struct outbox *o, struct outbox *from);

/* Send what waits, as far as there is room for it; watch @s for more room. Returns 0 or -errno. */
int outbox_flush(struct outbox *o, struct source *s);

/* Forget what waits. */
void outbox_clear(struct outbox *o);

#endif
