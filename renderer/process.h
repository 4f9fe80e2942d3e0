/* SPDX-License-Identifier: MIT */
/*
 * Worker processes as the broker has them: their start, messages to them, their end.
 *
 * The end takes a while: a process gives back its memory first. It is killed, and when it is dead its
 * `end` has an event; nobody waits.
 */
#ifndef PROCESS_H
#define PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "notify.h"
#include "outbox.h"
#include "output.h"
#include "source.h"
#include "sundog_messages.h"

struct broker;
struct client;

struct worker_process {
	struct broker *broker;
	struct worker_process *next;	/* of the broker's */
	struct source source;		/* its socket */
	struct source end;		/* its pidfd */
	struct output output;
	struct notify notify;		/* what it wants to map */
	pid_t pid;
	int64_t ready_deadline_ms;	/* when it must be ready, unless it is */
	bool ready;			/* said what its host can do, or why it cannot; reads messages now */
	bool killed;			/* nothing that it says counts any more */
	struct client *client;		/* NULL: idle */
	struct outbox early;		/* for process_begin() */
	struct outbox out;
};

/* Start one. NULL: logged. */
struct worker_process *process_new(struct broker *b);

/*
 * Send a message, now or when there is room for it: the broker waits for no worker. One that is not ready
 * gets it later. @fds stay the caller's. Returns 0 or -errno.
 */
int process_send(struct worker_process *w, const struct sundog_message *m, const int *fds, int n_fds);

/* It is ready, and what it has to know before all else was sent: the rest follows. Returns 0 or -errno. */
int process_begin(struct worker_process *w);

/* Those that were not ready in time are killed. Returns when one must be; 0: all are. */
int64_t processes_check(struct broker *b, int64_t now_ms);

/* There is output of it. */
void process_read_output(struct worker_process *w);

/* Returns when output of one of them is read again; 0: all is. Call when that time has come. */
int64_t processes_resume_output(struct broker *b, int64_t now_ms);

/* It will be dead soon. */
void process_kill(struct worker_process *w);

/* It is dead: reap it and free @w. Returns what waitid() has in si_status, if it exited by itself; else -1. */
int process_reap(struct worker_process *w);

#endif
