/* SPDX-License-Identifier: MIT */
/*
 * What a sealed worker (jail_seal()) wants to map: the kernel stops it at its mmap() and passes the arguments on.
 *
 * They are numbers, and what they mean does not change while the worker waits: its descriptors of the client's
 * memories stay what they are, and only its main thread may map, which is in one system call at a time. So a call
 * that was looked at can be let go on.
 */
#ifndef NOTIFY_H
#define NOTIFY_H

#include <stdbool.h>
#include <stdint.h>

#include "source.h"

struct message;
struct worker_process;

struct notify {
	struct source source;		/* fd -1: it is not sealed */
	int maps;			/* its /proc/PID/maps */
	uint32_t fds[4];		/* numbers of message_setup's descriptors in the worker */
};

/* Nothing to wait for yet. */
void notify_init(struct worker_process *w);

/* It is sealed: take the descriptors that message_sealed brings. False: it was before, or they may not stay. */
bool notify_begin(struct worker_process *w, struct message *m);

/* There is a notification, or the end of the worker, as @events (EPOLL*) say. May kill it. */
void notify_receive(struct worker_process *w, uint32_t events);

void notify_end(struct worker_process *w);

#endif
