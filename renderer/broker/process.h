/* SPDX-License-Identifier: MIT */
/*
 * Worker processes in the broker: their start, the messages to them and their end. Called by the
 * broker's event thread.
 *
 * A killed process takes a while to end, since Linux frees its memory first. The broker does not
 * wait for that: @end of struct worker_process (a pidfd) has an event when the process is dead.
 */
#ifndef BROKER_PROCESS_H
#define BROKER_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "broker/event_source.h"
#include "broker/mmap_filter.h"
#include "broker/send_queue.h"
#include "broker/worker_log.h"
#include "sundog_messages.h"

struct broker;
struct client;

struct worker_process {
	struct broker *broker;
	struct worker_process *next;	/* in broker.workers */
	struct event_source source;		/* socket to the worker */
	struct event_source end;		/* pidfd of the worker */
	struct worker_log output;
	struct mmap_filter filter;		/* filter of its mmap() calls */
	pid_t pid;
	int64_t ready_deadline_ms;	/* deadline for WELCOME or ERROR; 0: none */
	bool ready;			/* sent WELCOME or ERROR; reads messages now */
	bool killed;			/* its messages are ignored from now on */
	struct client *client;		/* NULL: idle */
	struct send_queue early;		/* messages for process_begin() to send */
	struct send_queue out;
};

/* Starts a worker. Returns NULL after an error in the log. */
struct worker_process *process_new(struct broker *b);

/*
 * Sends a message, or queues it until the socket has room. Messages to a worker that is not ready
 * are queued until process_begin(). The caller keeps @fds. Returns 0 or -errno.
 */
int process_send(struct worker_process *w, const struct sundog_message *m, const int *fds,
		 int n_fds);

/*
 * The worker is ready and has got its setup: sends the messages that were queued before. Returns 0
 * or -errno.
 */
int process_begin(struct worker_process *w);

/*
 * Kills the workers that are not ready in time. Returns the next such deadline, 0 if there is none.
 */
int64_t processes_check(struct broker *b, int64_t now_ms);

/* Reads what the worker wrote to its stderr. */
void process_read_output(struct worker_process *w);

/* Resumes reading of paused log pipes. Returns when the next one resumes, 0 if none is paused. */
int64_t processes_resume_output(struct broker *b, int64_t now_ms);

/* Kills the worker, without waiting for its death, and closes its socket. */
void process_kill(struct worker_process *w);

/*
 * Kills @w if that is not done, waits for its death and frees @w. Returns the exit status; -1 if a
 * signal ended it.
 */
int process_reap(struct worker_process *w);

#endif
