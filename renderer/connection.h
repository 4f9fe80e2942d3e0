/* SPDX-License-Identifier: MIT */
/*
 * Connections: a device or a direct client at its socket.
 *
 * A connection owns its memfds, its clients and the guest pages that it mapped. All workers of it are
 * dead before the peer can see its end. No peer keeps the broker waiting: a message is received in pieces,
 * and what the peer does not read waits in an outbox that has an end.
 */
#ifndef CONNECTION_H
#define CONNECTION_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "guest.h"
#include "message.h"
#include "outbox.h"
#include "source.h"

struct broker;
struct client;
struct closing;

/* Guest pages that workers may still have. */
struct unmap {
	struct unmap *next;
	struct sundog_message_guest_unmapped answer;
};

struct connection {
	struct source source;
	struct connection *next;
	struct broker *broker;
	struct client *clients;
	uid_t uid;			/* the peer's */
	uint32_t role;			/* the peer's: each listener is for one */
	bool stream;			/* SOCK_STREAM */
	struct message in;		/* what was received of the next message */
	struct closing *brought;	/* what is being closed of that */
	int64_t resume_ms;		/* until then it is not listened to; 0: it is */
	struct outbox out;
	int64_t hello_deadline_ms;	/* when it must have said hello; 0: it did, or need not soon */
	bool greeted;			/* hello is there */
	bool welcomed;
	bool broken;			/* the peer does not take messages */
	bool ending;			/* ends when the last worker is dead */
	uint32_t resets;		/* that are answered when the last worker is dead */
	char error[256];		/* what is said at the end */
	uint64_t vram_size;
	uint32_t extent_shift;		/* 0: all of VRAM is one client's */
	int memfds[3];			/* vram, table, channels */
	int table_ro, channels_ro;	/* for workers, opened for reading only */
	uint8_t states[SUNDOG_MAX_CHANNELS];	/* of channels that a client has, as the peer knows them */
	uint64_t closing[SUNDOG_MAX_CHANNELS];	/* request to its worker to end a channel; 0: there is none */
	struct guest_heap guest;
	struct unmap *unmapping;	/* in the order of the requests */
	bool revoking;			/* workers are asked for VRAM */
	uint32_t revoke_serial;		/* what the device calls that */
};

/* Serve what is connected at @fd, which is non-blocking and taken over; what it said is looked at at once. @patient: hello may come late. */
void connection_new(struct broker *b, int fd, uint32_t role, bool patient);

/* Whose it is. */
uid_t connection_peer(int fd);

/*
 * Its end, because of @error if that is not NULL: when its workers are dead, which may be now, @c is freed.
 * The broker ends too if nobody can connect any more.
 */
void connection_end(struct connection *c, const char *error);

/* A worker of it is dead, or a client was destroyed: do what waited for that. It may free @c. */
void connection_reap(struct connection *c);

/* Events of its socket. They may end @c. */
void connection_on_message(struct connection *c, uint32_t events);
void connection_on_room(struct connection *c);

/* To the peer, with the first @n_fds of the memories. */
void connection_send(struct connection *c, const struct sundog_message *m, int n_fds);

/* A channel's state changes, and the peer is told. */
void connection_enter(struct connection *c, uint32_t channel, uint32_t state, uint32_t fault);
void connection_pass_state(struct connection *c, const struct sundog_message_channel_state *m);

/* Answer requests that no worker is waited for any more. */
void connection_answer(struct connection *c);

/*
 * Workers that did not read, or unmap what they were asked for, in time are killed, and a peer that
 * does not read, or did not say hello in time, is done with. Returns the next deadline, 0 if there is none.
 * It may end @c.
 */
int64_t connection_check(struct connection *c, int64_t now_ms);

/* Its deadlines are @ms later; @busy: see client_excuse(). */
void connection_excuse(struct connection *c, int64_t ms, bool busy);

#endif
