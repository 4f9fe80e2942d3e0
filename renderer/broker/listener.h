/* SPDX-License-Identifier: MIT */
/*
 * Listening sockets of the broker, and the limits on connections. Called by the broker's event
 * thread.
 */
#ifndef BROKER_LISTENER_H
#define BROKER_LISTENER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "broker/event_source.h"

struct broker;
struct broker_options;

/* Listening sockets that systemd passed (sd_listen_fds(3)); -1: none. */
struct passed_sockets {
	int direct;			/* SOCK_SEQPACKET */
	int device;			/* SOCK_STREAM */
};

/*
 * Takes over the sockets that the environment announces, and removes them from the environment, so
 * that workers do not see it. Returns false after an error in the log.
 */
bool listener_take_passed(struct passed_sockets *out);

struct listener {
	struct event_source source;		/* fd -1: no listener */
	uint32_t role;			/* role of the peers */
	/* no connections are accepted until then; 0: they are accepted */
	int64_t resume_ms;
};

/*
 * Listens at @path with the mode and group of @o, and replaces a stale socket there. Returns false
 * after an error in the log. @role decides the type of the socket.
 */
bool listener_begin(struct listener *l, const struct broker_options *o, const char *path,
		    uint32_t role);

/* Listens with a socket that listens already. */
void listener_begin_passed(struct listener *l, int fd, uint32_t role);

/*
 * Refuses all connections that wait with the reason @text, and closes the socket. Does nothing if
 * there is no listener.
 */
void listener_end(struct listener *l, const char *text);

/* Accepts one connection, or refuses it if a limit is reached. */
void listener_accept(struct broker *b, struct listener *l);

/*
 * Resumes a paused listener when its time has come. Returns when that will be, 0 if the listener is
 * not paused.
 */
int64_t listener_resume(struct listener *l, int64_t now_ms);

#endif
