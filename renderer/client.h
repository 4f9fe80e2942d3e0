/* SPDX-License-Identifier: MIT */
/*
 * Clients as the broker has them: a worker process, and the channels that it serves.
 *
 * A client is its connection's. Before the broker reports a channel of it OFF its worker was seen not to map that
 * any more, or is dead; before it reports it DEAD, the worker is dead.
 */
#ifndef CLIENT_H
#define CLIENT_H

#include <stdbool.h>
#include <stdint.h>

#include "grant.h"
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
	struct grants grants;
	struct guest_map guest;		/* that its worker's descriptor of heap GUEST is of; not its fd */
	struct file_id guest_file;	/* of that */
	uint64_t asked, confirmed;	/* requests to its worker to unmap something */
	uint64_t due;			/* what it must have confirmed by the deadline */
	uint64_t hasty;			/* the last request that is no CHANNEL_DESTROY */
	int64_t asked_ms;		/* when that deadline was set first */
	int64_t born_ms;
	uint32_t n_progress;		/* messages of progress */
	int64_t deadline_ms;		/* 0: there is none */
	int64_t excuse_ms;		/* by which that may still be put off because the broker is busy */
};

/* NULL: there is none. */
struct client *client_find(struct connection *c, uint32_t id);
struct client *client_of_channel(struct connection *c, uint32_t channel);

/* Make client @id, with the worker that is ready. NULL: out of memory or processes, or it has enough. */
struct client *client_new(struct broker *b, struct connection *c, uint32_t id);

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

/*
 * The same with a message that asks for something to be unmapped, which is request ++client->asked. A worker that does
 * not confirm it in time is killed: it has one time for all that waits when the time begins, and the next one begins
 * when that is confirmed.
 */
void client_ask(struct client *client, const struct sundog_message *m);

/*
 * Its worker says that it unmapped what it was asked for up to @request. Returns 0; -EINVAL: that is no request that
 * waits, also where Linux repeats the system call of a worker that was interrupted; -EPERM: it still maps what it must
 * not, and is killed.
 */
int client_check(struct client *client, uint64_t request);

/* That was right, and nothing of it is in a descriptor of the worker: its grants end, and whoever waits is answered. */
void client_confirm(struct client *client, uint64_t request);

/*
 * The broker did not listen for @ms. @busy: it was at work, which a worker can see to: that is no excuse for ever.
 */
void client_excuse(struct client *client, int64_t ms, bool busy);

/* Its worker is ready: it is told what there is. */
void client_begin(struct client *client);

/* There is room for messages to its worker again. */
void client_on_room(struct client *client);

/* A message of its worker. False: it may not say that. */
bool client_on_channel_state(struct client *client, const struct message *m);

/* Its worker makes progress with what keeps it from answering. False: it says so more often than it may. */
bool client_on_progress(struct client *client);

/* Kill the worker, because of @why. Its channels become DEAD. */
void client_kill(struct client *client, const char *why);

/* Kill the worker. Once it is dead, connection_reap() frees the client. */
void client_destroy(struct client *client);

/* Free one that was destroyed and whose worker is dead. Its channels go OFF. */
void client_free(struct client *client);

/* The worker is dead and freed: its channels become DEAD, with @fault, unless they are to go OFF. */
void client_worker_ended(struct client *client, uint32_t fault);

#endif
