/* SPDX-License-Identifier: MIT */
/*
 * Clients as the broker has them: a worker process, and the channels that it serves.
 *
 * A client is its connection's. Its worker is always dead before a channel of it is reported OFF or DEAD
 * by the broker.
 */
#ifndef CLIENT_H
#define CLIENT_H

#include <stdint.h>

#include "guest.h"
#include "message.h"
#include "process.h"

struct broker;
struct connection;

struct client {
	struct client *next;
	struct connection *connection;
	struct worker_process *worker;	/* NULL: it died */
	uint32_t id;
	uint64_t channels[SUNDOG_MAX_CHANNELS / 64];
	uint64_t unmapped;		/* how many of connection.unmaps its worker has done */
};

/* NULL: there is none. */
struct client *client_find(struct connection *c, uint32_t id);
struct client *client_of_channel(struct connection *c, uint32_t channel);

/* Make client @id, with the worker that is ready. NULL: out of memory or processes. */
struct client *client_new(struct broker *b, struct connection *c, uint32_t id);

/* Does its worker know what is mapped? It does when it is ready. */
static inline bool client_has_maps(const struct client *client)
{
	return client->worker && client->worker->ready;
}

/* Its channel @channel is there, or is not any more. */
void client_assign_channel(struct client *client, uint32_t channel, bool there);

/* To its worker, if it has one. A worker that cannot get the message is stopped. */
void client_send(struct client *client, const struct sundog_message *m, const int *fds, int n_fds);
void client_send_map(struct client *client, const struct guest_map *map);

/* Its worker is ready: it is told what there is. */
void client_begin(struct client *client);

/* There is room for messages to its worker again. */
void client_on_room(struct client *client);

/* Messages of its worker. */
void client_on_channel_state(struct client *client, const struct message *m);
void client_on_guest_unmapped(struct client *client);

/* Kill the worker. Its channels become @state (closing ones OFF), with @fault. */
void client_stop(struct client *client, uint32_t state, uint32_t fault);

/* Stop it and free it; its channels go OFF. */
void client_destroy(struct client *client);

/* When this returns none of the clients' workers runs any more. They are still to be reaped. */
void clients_kill(const struct client *clients);

#endif
