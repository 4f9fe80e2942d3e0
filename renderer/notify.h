/* SPDX-License-Identifier: MIT */
/*
 * What a sealed worker (jail_seal()) wants to map: the kernel stops it at its mmap() and passes the arguments on.
 *
 * They are numbers, and what they mean does not change while the worker waits: its descriptors of the client's
 * memories stay what they are, and only its main thread may map, which is in one system call at a time. So a call
 * that was looked at can be let go on.
 *
 * A worker that was taken over may interrupt that call with a signal, before Linux 5.19: then the notification is gone,
 * and neither an answer nor a new descriptor arrives. So nothing is granted, and nothing is reported as given back,
 * before the descriptor is the one that it has to be; a worker whose descriptor cannot be replaced is killed.
 */
#ifndef NOTIFY_H
#define NOTIFY_H

#include <stdbool.h>
#include <stdint.h>

#include "maps.h"
#include "source.h"

struct message;
struct worker_process;

struct notify {
	struct source source;		/* fd -1: it is not sealed */
	int maps;			/* its /proc/PID/maps */
	uint32_t fds[4];		/* numbers of message_setup's descriptors in the worker */
	struct file_id *known;		/* files that it had open or mapped before it got a client */
	uint32_t n_known;
};

/* Nothing to wait for yet. */
void notify_init(struct worker_process *w);

/* It is sealed: take the descriptors that message_sealed brings. False: it was before, or they may not stay. */
bool notify_begin(struct worker_process *w, struct message *m);

/* Returns true if the worker had this file open or mapped before it got a client. */
bool notify_knows(const struct notify *n, const struct file_id *file);

/* There is a notification, or the end of the worker, as @events (EPOLL*) say. May kill it. */
void notify_receive(struct worker_process *w, uint32_t events);

void notify_end(struct worker_process *w);

#endif
