/* SPDX-License-Identifier: MIT */
/*
 * Connections of the broker: a device or a direct client at its socket.
 *
 * A connection owns its memfds, its clients and its maps of guest pages. All workers of a
 * connection are dead before the peer can see the connection end. The broker never blocks on a
 * peer: it receives a message in pieces, and queues what the peer does not read in a bounded
 * send queue.
 *
 * All functions run in the broker's event thread.
 */
#ifndef BROKER_CONNECTION_H
#define BROKER_CONNECTION_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "broker/event_source.h"
#include "broker/guest.h"
#include "broker/mappings.h"
#include "broker/send_queue.h"
#include "ipc/message.h"

struct broker;
struct client;
struct async_closer;

/* A GUEST_UNMAP that is not answered yet, because workers may still map the pages. */
struct unmap {
	struct unmap *next;
	struct sundog_message_guest_unmapped answer;
	uint32_t n_waiting;		/* clients that may still map the pages */
};

struct connection {
	struct event_source source;
	struct connection *next;
	struct broker *broker;
	struct client *clients;
	uid_t uid;			/* user of the peer */
	uint32_t role;			/* role of the peer, that of the listener */
	bool stream;			/* SOCK_STREAM */
	struct message in;		/* the next message, as far as it was received */
	struct async_closer *brought;	/* descriptors of the peer that are not closed yet */
	int64_t resume_ms;		/* no messages are read until then; 0: they are read */
	struct send_queue out;
	int64_t hello_deadline_ms;	/* deadline for HELLO; 0: none */
	bool greeted;			/* HELLO was accepted */
	uint32_t version;		/* protocol version of the peer, from HELLO */
	bool welcomed;
	bool broken;			/* the peer does not take messages */
	bool ending;			/* freed when the last worker is dead */
	uint32_t resets;		/* RESETs to answer when the last worker is dead */
	char error[256];		/* text of the final ERROR message */
	uint64_t vram_size;
	uint32_t extent_shift;		/* 0: all of VRAM belongs to one client */
	int memfds[3];			/* vram, table, channels */
	int table_ro, channels_ro;	/* read-only descriptors for workers */
	uint8_t states[SUNDOG_MAX_CHANNELS];	/* channel states as the peer knows them */
	uint64_t closing[SUNDOG_MAX_CHANNELS];	/* CHANNEL_DESTROY's request number; 0: none */
	struct mappings_total granted;
	struct guest_heap guest;
	struct unmap *unmapping;	/* unanswered GUEST_UNMAPs, oldest first */
	bool revoking;			/* a REVOKE is not answered yet */
	uint32_t revoke_serial;		/* serial of that REVOKE */
};

/*
 * Serves the peer at @fd, which is non-blocking and becomes the connection's, and receives its
 * first message at once. If @patient, HELLO has no deadline. Closes @fd if memory is short.
 */
void connection_new(struct broker *b, int fd, uint32_t role, bool patient);

/* Returns the user of the peer at socket @fd (SO_PEERCRED), or (uid_t)-1. */
uid_t connection_peer(int fd);

/*
 * Ends the connection; @error, if not NULL, is logged and sent to the peer. @c is freed when its
 * workers are dead, which may be during this call. Without a listener the broker ends with it.
 */
void connection_end(struct connection *c, const char *error);

/*
 * Writes the reason of a refusal to c->error. Returns c->error, for `return connection_refuse(...)`
 * in a handler whose caller ends the connection with it.
 */
const char *connection_refuse(struct connection *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Call after a worker died or a client was destroyed: frees clients and does what waited for that.
 * It may free @c.
 */
void connection_reap(struct connection *c);

/* Events of the socket. They may end @c. */
void connection_on_message(struct connection *c, uint32_t events);
void connection_on_room(struct connection *c);

/* Sends @m to the peer, with the first @n_fds of c->memfds. */
void connection_send(struct connection *c, const struct sundog_message *m, int n_fds);

/* Changes the state of a channel and reports it to the peer. */
void connection_enter(struct connection *c, uint32_t channel, uint32_t state, uint32_t fault);
void connection_pass_state(struct connection *c, const struct sundog_message_channel_state *m);

/* Answers the GUEST_UNMAPs and the REVOKE for which no worker is pending any more. */
void connection_answer(struct connection *c);

/*
 * Enforces the deadlines: kills workers that did not read messages or unmap memory in time, and
 * ends the connection if the peer does not read messages or did not send HELLO in time. Returns the
 * next deadline, 0 if there is none. It may end @c.
 */
int64_t connection_check(struct connection *c, int64_t now_ms);

/*
 * Postpones the deadlines of the connection and its clients by @ms; for @busy see client_excuse().
 */
void connection_excuse(struct connection *c, int64_t ms, bool busy);

#endif
