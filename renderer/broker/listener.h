/* SPDX-License-Identifier: MIT */
/*
 * Listening sockets of the broker, and the limits on connections. Called by the broker's event
 * thread.
 */
#ifndef BROKER_LISTENER_H
#define BROKER_LISTENER_H

#include <stdbool.h>
#include <stdint.h>

#include "broker/event_source.h"

struct broker;

struct listener {
	struct event_source source;		/* fd -1: no listener */
	uint32_t role;			/* role of the peers */
	/* no connections are accepted until then; 0: they are accepted */
	int64_t resume_ms;
};

/*
 * Listens at @path and replaces a stale socket there. @type is SOCK_SEQPACKET or SOCK_STREAM.
 * Returns false after an error in the log.
 */
bool listener_begin(struct listener *l, const char *path, int type, uint32_t role);

/* Accepts one connection, or refuses it if a limit is reached. */
void listener_accept(struct broker *b, struct listener *l);

/*
 * Resumes a paused listener when its time has come. Returns when that will be, 0 if the listener is
 * not paused.
 */
int64_t listener_resume(struct listener *l, int64_t now_ms);

#endif
