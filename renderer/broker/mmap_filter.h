/* SPDX-License-Identifier: MIT */
/*
 * The broker's filter for the mmap() calls of a sealed worker (worker_sandbox_seal()): seccomp
 * suspends the call and notifies the broker, which checks the arguments.
 *
 * The arguments are numbers, and their meaning does not change while the worker waits: its
 * descriptors of the client's memories stay what they are, and only its main thread may map, one
 * system call at a time. Therefore the broker can let a checked call continue
 * (SECCOMP_USER_NOTIF_FLAG_CONTINUE).
 *
 * Before Linux 5.19 a hijacked worker can interrupt the call with a signal: then the notification
 * is gone, and neither an answer nor a new descriptor arrives. Therefore the broker replaces the
 * worker's descriptor before it grants pages or reports them as unmapped, and kills a worker whose
 * descriptor cannot be replaced.
 */
#ifndef BROKER_MMAP_FILTER_H
#define BROKER_MMAP_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "broker/event_source.h"
#include "broker/maps.h"

struct message;
struct worker_process;

struct mmap_filter {
	struct event_source source;	/* the listener of the notifications; fd -1: not sealed */
	int maps;			/* /proc/PID/maps of the worker */
	/* descriptors of message_setup, as numbered in the worker */
	uint32_t fds[4];
	struct file_id *known;		/* files open or mapped before it got a client */
	uint32_t n_known;
};

/* Initializes w->filter of a worker that is not sealed. */
void mmap_filter_init(struct worker_process *w);

/*
 * The worker is sealed: takes the descriptors of message_sealed and starts to watch. Returns false
 * if the worker was sealed before, if too many descriptors are open, or if its mappings cannot be
 * read or limited.
 */
bool mmap_filter_begin(struct worker_process *w, struct message *m);

/* Returns true if the worker had this file open or mapped before it got a client. */
bool mmap_filter_knows(const struct mmap_filter *n, const struct file_id *file);

/*
 * Handles a notification, or the end of the worker, as @events (EPOLL*) tell. May kill the worker.
 */
void mmap_filter_receive(struct worker_process *w, uint32_t events);

void mmap_filter_end(struct worker_process *w);

#endif
