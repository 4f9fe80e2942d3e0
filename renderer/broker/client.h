/* SPDX-License-Identifier: MIT */
/*
 * Clients in the broker: each has a worker process and the channels that this worker serves.
 *
 * A connection owns its clients. The broker reports a channel OFF only after it has seen that the
 * worker does not map the channel any more, or after the worker died. It reports a channel DEAD by
 * itself only after the worker died.
 *
 * All functions run in the broker's event thread.
 */
#ifndef BROKER_CLIENT_H
#define BROKER_CLIENT_H

#include <stdbool.h>
#include <stdint.h>

#include "broker/guest.h"
#include "broker/mappings.h"
#include "broker/process.h"
#include "ipc/message.h"

struct broker;
struct connection;

struct client {
	struct client *next;
	struct connection *connection;
	struct worker_process *worker;	/* NULL: the worker is dead */
	uint32_t id;
	/* client_find() skips a destroyed client; it is freed once its worker is dead */
	bool destroyed;
	uint64_t channels[SUNDOG_MAX_CHANNELS / 64];
	struct mappings mappings;
	/* map that the worker's descriptor of heap GUEST refers to; .fd is not valid */
	struct guest_map guest;
	struct file_id guest_file;	/* file of that map */
	/* unmap requests: the last one sent, the last one confirmed */
	uint64_t asked, confirmed;
	uint64_t due;			/* last request that must be confirmed by deadline_ms */
	uint64_t hasty;			/* last request other than CHANNEL_DESTROY */
	int64_t asked_ms;		/* when deadline_ms was set for the first time */
	int64_t born_ms;
	uint32_t n_progress;		/* number of MESSAGE_PROGRESS received */
	int64_t deadline_ms;		/* CLOCK_MONOTONIC; 0: none */
	int64_t excuse_ms;		/* by which a busy broker may still postpone the deadline */
};

/*
 * Return the client with this id, or with this channel; NULL if there is none. client_find() does
 * not return destroyed clients.
 */
struct client *client_find(struct connection *c, uint32_t id);
struct client *client_of_channel(struct connection *c, uint32_t channel);

/*
 * Makes client @id and gives it the idle worker. Returns NULL if the connection, its user or all
 * direct clients together have as many as they may, if no worker can be started, or if memory is
 * short. For the shares of devices see share.h.
 */
struct client *client_new(struct broker *b, struct connection *c, uint32_t id);

/* Returns true if the client has a worker that was not killed. */
static inline bool client_is_served(const struct client *client)
{
	return client->worker && !client->worker->killed;
}

/* Sets whether @channel belongs to the client. */
void client_assign_channel(struct client *client, uint32_t channel, bool there);
bool client_has_channel(const struct client *client, uint32_t channel);

/*
 * Sends @m to the client's worker, if it is served. A worker that cannot get the message is killed.
 * The caller keeps @fds.
 */
void client_send(struct client *client, const struct sundog_message *m, const int *fds, int n_fds);

/*
 * Sends @m, which asks the worker to unmap something; this is request ++client->asked. A worker
 * that does not confirm its requests in time is killed. A deadline covers all requests that were
 * sent when it was set; when those are confirmed, the next deadline is set for the rest.
 */
void client_ask(struct client *client, const struct sundog_message *m);

/*
 * Checks the worker's claim that it unmapped what the requests up to @request revoke. Returns 0;
 * -EINVAL if @request is not pending, which also happens if Linux restarts the interrupted system
 * call of a worker; -EPERM if the worker still maps what it must not, after killing it.
 */
int client_check(struct client *client, uint64_t request);

/*
 * Ends the grants that the requests up to @request revoke, sets channels to OFF and answers the
 * peer. client_check() must have returned 0 before, and the worker's descriptor of heap GUEST must
 * not refer to revoked pages any more.
 */
void client_confirm(struct client *client, uint64_t request);

/*
 * Postpones the client's deadline by @ms, during which the broker did not receive messages. If
 * @busy, the broker was at work: a worker can cause that, so the sum of these extensions is
 * limited.
 */
void client_excuse(struct client *client, int64_t ms, bool busy);

/* The worker is ready: sends it the client's setup and the messages that were queued before. */
void client_begin(struct client *client);

/* The worker's socket accepts data again: sends queued messages. */
void client_on_room(struct client *client);

/* Handles CHANNEL_STATE of the worker. Returns false if the worker must not send it. */
bool client_on_channel_state(struct client *client, const struct message *m);

/*
 * Handles MESSAGE_PROGRESS of the worker, which is busy with work that it has to finish before it
 * can answer. Returns false if the worker sends this too often.
 */
bool client_on_progress(struct client *client);

/* Kills the worker and logs the reason. The channels become DEAD when the worker is dead. */
void client_kill(struct client *client, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Kills the worker and marks the client as destroyed. connection_reap() frees the client when the
 * worker is dead.
 */
void client_destroy(struct client *client);

/* Frees a destroyed client whose worker is dead. Its channels become OFF. */
void client_free(struct client *client);

/*
 * The worker is dead and freed: the channels become DEAD with @fault, or OFF if they were to be
 * destroyed.
 */
void client_worker_ended(struct client *client, uint32_t fault);

#endif
