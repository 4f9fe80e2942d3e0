// SPDX-License-Identifier: MIT
/*
 * Worker processes, see process.h.
 */
#define _GNU_SOURCE
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "broker.h"
#include "client.h"
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

/* Whose lines they are, which is not for the worker to say. */
static void with_prefix(struct worker_process *w, void (*what)(struct output *o, const char *prefix))
{
	char prefix[64];

	if (w->client)
		snprintf(prefix, sizeof(prefix), "sundog-renderd[%d] client %u: ", (int)w->pid, w->client->id);
	else
		snprintf(prefix, sizeof(prefix), "sundog-renderd[%d] idle: ", (int)w->pid);
	what(&w->output, prefix);
}

void process_read_output(struct worker_process *w)
{
	with_prefix(w, output_read);
}

int64_t processes_resume_output(struct broker *b, int64_t now_ms)
{
	int64_t first = 0;

	for (struct worker_process *w = b->workers; w; w = w->next) {
		const int64_t next = output_resume(&w->output, now_ms);

		if (next && (!first || next < first))
			first = next;
	}
	return first;
}

void process_end(struct worker_process *w)
{
	struct worker_process **at = &w->broker->workers;
	int status = 0;

	kill(w->pid, SIGKILL);
	while (waitpid(w->pid, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL)
		log_error("worker %d was ended by signal %d", (int)w->pid, WTERMSIG(status));
	with_prefix(w, output_end);
	source_close(&w->source);
	packets_free(w->early);
	packets_free(w->packets);
	while (*at != w)
		at = &(*at)->next;
	*at = w->next;
	free(w);
}

/* Let it be @to after exec. */
static bool hand_on(int fd, int to)
{
	return fd == to ? !fcntl(fd, F_SETFD, 0) : dup2(fd, to) == to;
}

/* Where memory is short, a worker goes: before QEMU, which may be larger, and before its broker. */
static void offer_to_oom_killer(void)
{
	const int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
	const ssize_t written = write(fd, "1000", 4);

	(void)written;	/* there may be no such file */
	close(fd);
}

/*
 * Of the broker's descriptors a worker keeps its socket and its pipe to the log. It is executed anew, so
 * that no two have the same addresses, and none the broker's. It must not outlive the broker.
 */
static void worker_child(const struct broker *b, pid_t broker, int sock, int output)
{
	const char *gpu = b->options->gpu;
	char *argv[] = { "sundog-worker", "--worker", "--log", (char *)log_level_name(),
			 gpu ? "--gpu" : NULL, (char *)gpu, NULL };
	const int null = open("/dev/null", O_RDWR);

	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != broker)
		_exit(1);
	if (null < 0 || !hand_on(null, 0) || !hand_on(null, 1) || !hand_on(output, 2) ||
	    !hand_on(sock, WORKER_SOCKET) || close_range(WORKER_SOCKET + 1, ~0u, CLOSE_RANGE_CLOEXEC))
		_exit(1);
	offer_to_oom_killer();
	execveat(b->program_fd, "", argv, environ, AT_EMPTY_PATH);
	_exit(1);
}

struct worker_process *process_new(struct broker *b)
{
	struct worker_process *w = calloc(1, sizeof(*w));
	int pair[2] = { -1, -1 }, output = -1;
	const pid_t self = getpid();

	if (!w)
		return NULL;
	w->output.source.fd = -1;
	w->last_early = &w->early;
	w->last = &w->packets;
	if (!socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		output = output_begin(&w->output, w);
	w->pid = output < 0 ? -1 : fork();
	if (!w->pid)
		worker_child(b, self, pair[1], output);
	if (w->pid < 0)
		log_error("cannot start a worker: %s", strerror(errno));
	close(pair[1]);
	close(output);
	w->source = (struct source){ SOURCE_WORKER, pair[0], w };
	if (w->pid < 0) {
		output_end(&w->output, "");
		close(pair[0]);
		free(w);
		return NULL;
	}
	fcntl(pair[0], F_SETFL, O_NONBLOCK);
	source_watch(&w->source);
	w->broker = b;
	w->next = b->workers;
	b->workers = w;
	return w;
}
