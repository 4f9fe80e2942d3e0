/* SPDX-License-Identifier: MIT */
/*
 * Sockets that the broker listens at, and who may come in.
 */
#ifndef LISTENER_H
#define LISTENER_H

#include <stdbool.h>
#include <stdint.h>

#include "source.h"

struct broker;

struct listener {
	struct source source;		/* fd -1: it is not there */
	uint32_t role;			/* whom it is for */
	int64_t resume_ms;		/* when it is watched again; 0: it is */
};

/*
 * Listen at @path, where a socket that nobody listens at any more is replaced. @type is SOCK_SEQPACKET or
 * SOCK_STREAM. False: logged.
 */
bool listener_begin(struct listener *l, const char *path, int type, uint32_t role);

/* Somebody wants to connect: let them in, if there is room. */
void listener_accept(struct broker *b, struct listener *l);

/* Returns when it is watched again, 0 if it is. Call when that time has come. */
int64_t listener_resume(struct listener *l, int64_t now_ms);

#endif
