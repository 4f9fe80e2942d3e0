/* SPDX-License-Identifier: MIT */
/*
 * Connections: a device or a direct client at its socket.
 *
 * A connection owns its memfds, its clients and the guest pages that it mapped. All workers of it are
 * dead before the peer can see its end.
 */
#ifndef CONNECTION_H
#define CONNECTION_H

#include <stdbool.h>
#include <stdint.h>

#include "guest.h"
#include "message.h"
#include "source.h"

struct broker;
struct client;

/* Guest pages that some worker may not have heard of. */
struct map {
	struct map *next;
	struct sundog_message_guest_mapped answer;
};

/* Guest pages that workers may still have. */
struct unmap {
	struct unmap *next;
	int64_t deadline_ms;		/* when every worker must have done it */
	struct sundog_message_guest_unmapped answer;
};

struct connection {
	struct source source;
	struct connection *next;
	struct client *clients;
	int64_t closing[SUNDOG_MAX_CHANNELS];	/* when a channel must be OFF, ms; 0: it need not */
	bool greeted;			/* hello is there */
	bool welcomed;
	uint32_t role;
	uint64_t vram_size;
	int memfds[3];			/* vram, table, channels */
	int table_ro;			/* the table for workers, opened for reading only */
	struct guest_heap guest;
	struct map *mapping;		/* in the order of the requests */
	struct unmap *unmapping;	/* in the order of the requests */
	uint64_t unmaps;		/* requests ever */
	uint64_t unmapped;		/* answers ever; unmapping has those in between */
};

/* Serve what is connected at @fd, which is taken over. */
void connection_new(struct broker *b, int fd);

/* Its end; the broker's too if nobody can connect any more. Frees @c. */
void connection_close(struct broker *b, struct connection *c);

/* Take a message of the peer. It may end @c. */
void connection_receive(struct broker *b, struct connection *c);

/* To the peer, with the first @n_fds of the memories. */
void connection_send(struct connection *c, const struct sundog_message *m, int n_fds);
void connection_send_state(struct connection *c, uint32_t channel, uint32_t state, uint32_t fault);

/* Say why the peer's last message is refused; the caller closes the connection. */
void connection_refuse(struct connection *c, const char *text);

/* Answer maps and unmaps that no worker is waited for any more. */
void connection_answer(struct connection *c);

/*
 * Workers that did not read, stop a channel, or give guest pages back in time are killed.
 * Returns ms until the next deadline, -1 if there is none.
 */
int connection_check_deadlines(struct connection *c);

#endif
