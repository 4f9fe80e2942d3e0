// SPDX-License-Identifier: MIT
/*
 * Worker processes, see process.h.
 */
#define _GNU_SOURCE
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "file.h"
#include "log.h"
#include "message.h"
#include "worker.h"

/* A worker that lets this many messages wait does not read: twice what a device can ask for at a time. */
#define MAX_PACKETS (4 * (SUNDOG_MAX_CHANNELS + SUNDOG_MAX_GUEST_MAPS))

/* A message that waits until its worker has read others. */
struct packet {
	struct packet *next;
	int fds[MESSAGE_MAX_FDS];	/* its own */
	int n_fds;
	struct sundog_message header;
	char body[];
};

static void packet_free(struct packet *p)
{
	for (int i = 0; i < p->n_fds; i++)
		close(p->fds[i]);
	free(p);
}

static struct packet *packet_new(const struct sundog_message *m, const int *fds, int n_fds)
{
	struct packet *p = malloc(sizeof(*p) + m->size - sizeof(*m));

	if (!p)
		return NULL;
	p->next = NULL;
	memcpy(&p->header, m, m->size);
	for (p->n_fds = 0; p->n_fds < n_fds; p->n_fds++) {
		p->fds[p->n_fds] = fcntl(fds[p->n_fds], F_DUPFD_CLOEXEC, 0);
		if (p->fds[p->n_fds] < 0) {
			packet_free(p);
			return NULL;
		}
	}
	return p;
}

int process_flush(struct worker_process *w)
{
	int err = 0;

	while (w->packets && !(err = message_send(w->source.fd, &w->packets->header, w->packets->fds,
						  w->packets->n_fds))) {
		struct packet *p = w->packets;

		w->packets = p->next;
		w->n_packets--;
		packet_free(p);
	}
	if (!w->packets)
		w->last = &w->packets;
	if (!w->packets || !w->full_ms)
		w->full_ms = w->packets ? now_ms() : 0;
	source_set_events(&w->source, w->packets ? EPOLLIN | EPOLLOUT : EPOLLIN);
	return err == -EAGAIN ? 0 : err;
}

int process_send(struct worker_process *w, const struct sundog_message *m, const int *fds, int n_fds)
{
	struct packet *p;
	int err = w->ready && !w->packets ? message_send(w->source.fd, m, fds, n_fds) : -EAGAIN;

	if (err != -EAGAIN)
		return err;
	if (w->n_packets == MAX_PACKETS)
		return -ENOBUFS;
	p = packet_new(m, fds, n_fds);
	if (!p)
		return -errno;
	w->n_packets++;
	if (!w->ready) {
		*w->last_early = p;
		w->last_early = &p->next;
		return 0;
	}
	*w->last = p;
	w->last = &p->next;
	return process_flush(w);
}

int process_begin(struct worker_process *w)
{
	if (w->early) {
		*w->last = w->early;
		w->last = w->last_early;
		w->early = NULL;
		w->last_early = &w->early;
	}
	return process_flush(w);
}

static void packets_free(struct packet *p)
{
	while (p) {
		struct packet *next = p->next;

		packet_free(p);
		p = next;
	}
}

void process_end(struct worker_process *w)
{
	int status = 0;

	kill(w->pid, SIGKILL);
	while (waitpid(w->pid, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL)
		log_error("worker %d was ended by signal %d", (int)w->pid, WTERMSIG(status));
	source_close(&w->source);
	packets_free(w->early);
	packets_free(w->packets);
	free(w);
}

/*
 * Of the broker's descriptors a worker keeps its socket and the log, and that for writing only: it may
 * be somebody's terminal. A log that cannot be opened again, as a socket, stays as it is.
 */
static void worker_child(int sock, const char *gpu)
{
	const int null = open("/dev/null", O_RDWR), log = file_reopen(2, O_WRONLY | O_APPEND);

	if (null < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0 || (log >= 0 && dup2(log, 2) < 0) ||
	    dup2(sock, 3) < 0 || close_range(4, ~0u, 0))
		_exit(1);
	_exit(worker_main(3, gpu));
}

struct worker_process *process_new(const char *gpu)
{
	struct worker_process *w;
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair)) {
		log_error("socketpair: %s", strerror(errno));
		return NULL;
	}
	fcntl(pair[0], F_SETFL, O_NONBLOCK);
	w = calloc(1, sizeof(*w));
	if (w)
		w->pid = fork();
	if (!w || w->pid < 0) {
		log_error("cannot start a worker: %s", strerror(errno));
		close(pair[0]);
		close(pair[1]);
		free(w);
		return NULL;
	}
	if (!w->pid)
		worker_child(pair[1], gpu);
	close(pair[1]);
	w->source = (struct source){ SOURCE_WORKER, pair[0] };
	w->last_early = &w->early;
	w->last = &w->packets;
	source_watch(&w->source);
	return w;
}
