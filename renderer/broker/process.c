// SPDX-License-Identifier: MIT
/*
 * Worker processes of the broker, see process.h: their sockets, log pipes and pidfds.
 */
#define _GNU_SOURCE
#include "broker/process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "broker/async_close.h"
#include "broker/broker.h"
#include "broker/client.h"
#include "broker/spawn.h"
#include "ipc/file.h"
#include "ipc/log.h"

int process_send(struct worker_process *w, const struct sundog_message *m, const int *fds,
		 int n_fds)
{
	if (!w->ready)
		return send_queue_keep(&w->early, m, fds, n_fds);
	return send_queue_send(&w->out, &w->source, m, fds, n_fds);
}

int process_begin(struct worker_process *w)
{
	send_queue_append(&w->out, &w->early);
	return send_queue_flush(&w->out, &w->source);
}

/* The broker determines the prefix of a worker's lines, not the worker. */
static void with_prefix(struct worker_process *w,
			void (*what)(struct worker_log *o, const char *prefix))
{
	char prefix[64];

	if (w->client)
		snprintf(prefix, sizeof(prefix), "sundog-renderd[%d] client %u: ", (int)w->pid,
			 w->client->id);
	else
		snprintf(prefix, sizeof(prefix), "sundog-renderd[%d] idle: ", (int)w->pid);
	what(&w->output, prefix);
}

void process_read_output(struct worker_process *w)
{
	with_prefix(w, worker_log_read);
}

int64_t processes_resume_output(struct broker *b, int64_t now_ms)
{
	int64_t first = 0;

	for (struct worker_process *w = b->workers; w; w = w->next)
		first = earlier_ms(first, output_resume(&w->output, now_ms));
	return first;
}

int64_t processes_check(struct broker *b, int64_t now_ms)
{
	int64_t first = 0;

	for (struct worker_process *w = b->workers; w; w = w->next) {
		if (w->ready || w->killed || !w->ready_deadline_ms)
			continue;
		if (w->ready_deadline_ms > now_ms) {
			first = earlier_ms(first, w->ready_deadline_ms);
			continue;
		}
		log_warn("worker %d: not ready within %u ms (--start-timeout), killing it",
			 (int)w->pid, b->options->ready_ms);
		process_kill(w);
	}
	return first;
}

void process_kill(struct worker_process *w)
{
	if (w->killed)
		return;
	w->killed = true;
	spawn_kill(w->pid);
	mmap_filter_end(w);
	/*
	 * The socket is closed together with messages that were sent but not received, and these
	 * have descriptors of the client's peer.
	 */
	event_source_unwatch(&w->source);
	async_close_for(w->out.who, &w->source.fd, 1);
	send_queue_clear(&w->early);
	send_queue_clear(&w->out);
	if (w->broker->idle == w)
		w->broker->idle = NULL;
}

int process_reap(struct worker_process *w)
{
	struct worker_process **at = &w->broker->workers;
	int status;

	process_kill(w);
	status = spawn_reap(w->pid);
	with_prefix(w, worker_log_end);
	event_source_close(&w->end);
	while (*at != w)
		at = &(*at)->next;
	*at = w->next;
	w->broker->n_workers--;
	free(w);
	return status;
}

struct worker_process *process_new(struct broker *b)
{
	struct worker_process *w;
	int pair[2], output, end = -1;

	/* The idle worker is not counted. */
	if (b->n_workers > b->options->max_workers) {
		log_warn("cannot start a worker: %u exist, --max-workers is %u", b->n_workers,
			 b->options->max_workers);
		return NULL;
	}
	w = calloc(1, sizeof(*w));
	if (!w || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair)) {
		log_error("cannot start a worker: %s", strerror(errno));
		free(w);
		return NULL;
	}
	w->broker = b;
	w->output.source.fd = -1;
	mmap_filter_init(w);
	send_queue_init(&w->early);
	send_queue_init(&w->out);
	output = worker_log_begin(&w->output, w);
	if (output >= 0 && file_may_stay(output) && file_may_stay(pair[1]))
		w->pid = spawn_worker(b, pair[1], output, &end);
	else
		errno = EMFILE;
	if (end < 0)
		log_error("cannot start a worker: %s", strerror(errno));
	close(pair[1]);
	close(output);
	if (end < 0) {
		worker_log_end(&w->output, "");
		close(pair[0]);
		free(w);
		return NULL;
	}
	fcntl(pair[0], F_SETFL, O_NONBLOCK);
	w->ready_deadline_ms = b->options->ready_ms ? now_ms() + b->options->ready_ms : 0;
	w->source = (struct event_source){ SOURCE_WORKER, pair[0], w };
	w->end = (struct event_source){ SOURCE_WORKER_END, end, w };
	event_source_watch(&w->source);
	event_source_watch(&w->end);
	w->next = b->workers;
	b->workers = w;
	b->n_workers++;
	return w;
}
