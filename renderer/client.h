/* SPDX-License-Identifier: MIT */
/*
 * Clients as the broker has them: a worker process, and the channels that it serves.
 *
 * A client is its connection's. Its worker is always dead before a channel of it is reported OFF or DEAD
 * by the broker.
 */
#ifndef CLIENT_H
#define CLIENT_H

#include <stdbool.h>
#include <stdint.h>

#include "guest.h"
#include "message.h"
#include "process.h"

struct broker;
struct connection;

struct client {
	struct client *next;
	struct connection *connection;
	struct worker_process *worker;	/* NULL: it is dead */
	uint32_t id;
	bool destroyed;			/* nobody can find it any more; it goes with its worker */
	uint64_t channels[SUNDOG_MAX_CHANNELS / 64];
	uint64_t unmapped;		/* how many of connection.unmaps its worker has done */
};

/* NULL: there is none. */
struct client *client_find(struct connection *c, uint32_t id);
struct client *client_of_channel(struct connection *c, uint32_t channel);

/* Make client @id, with the worker that is ready. NULL: out of memory or processes, or it has enough. */
struct client *client_new(struct broker *b, struct connection *c, uint32_t id);

/* Does its worker know what is mapped? It does when it is ready, and as long as it is not dead. */
static inline bool client_has_maps(const struct client *client)
{
	return client->worker && client->worker->ready;
}

/* Does its worker do what it is told? */
static inline bool client_is_served(const struct client *client)
{
	return client->worker && !client->worker->killed;
}

/* Its channel @channel is there, or is not any more. */
void client_assign_channel(struct client *client, uint32_t channel, bool there);
bool client_has_channel(const struct client *client, uint32_t channel);

/* To its worker, if it is served. A worker that cannot get the message is killed. */
void client_send(struct client *client, const struct sundog_message *m, const int *fds, int n_fds);
void client_send_map(struct client *client, const struct guest_map *map);

/* Its worker is ready: it is told what there is. */
void client_begin(struct client *client);

/* There is room for messages to its worker again. */
void client_on_room(struct client *client);

/* Messages of its worker. False: it may not say that. */
bool client_on_channel_state(struct client *client, const struct message *m);
bool client_on_guest_unmapped(struct client *client);

/* Kill the worker, because of @why. Its channels become DEAD. */
void client_kill(struct client *client, const char *why);

/* Kill the worker. Once it is dead, connection_reap() frees the client. */
void client_destroy(struct client *client);

/* Free one that was destroyed and whose worker is dead. Its channels go OFF. */
void client_free(struct client *client);

/* The worker is dead and freed: its channels become DEAD, with @fault, unless they are to go OFF. */
void client_worker_ended(struct client *client, uint32_t fault);

#endif
