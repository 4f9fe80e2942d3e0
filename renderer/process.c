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
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "broker.h"
#include "client.h"
#include "file.h"
#include "log.h"
#include "worker.h"

int process_send(struct worker_process *w, const struct sundog_message *m, const int *fds, int n_fds)
{
	if (!w->ready)
		return outbox_keep(&w->early, m, fds, n_fds);
	return outbox_send(&w->out, &w->source, m, fds, n_fds);
}

int process_begin(struct worker_process *w)
{
	outbox_append(&w->out, &w->early);
	return outbox_flush(&w->out, &w->source);
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

	for (struct worker_process *w = b->workers; w; w = w->next)
		first = earlier_ms(first, output_resume(&w->output, now_ms));
	return first;
}

void process_kill(struct worker_process *w)
{
	if (w->killed)
		return;
	w->killed = true;
	kill(w->pid, SIGKILL);
	notify_end(w);
	source_close(&w->source);
	outbox_clear(&w->early);
	outbox_clear(&w->out);
	if (w->broker->idle == w)
		w->broker->idle = NULL;
}

int process_reap(struct worker_process *w)
{
	struct worker_process **at = &w->broker->workers;
	siginfo_t info = { 0 };

	process_kill(w);
	while (waitid(P_PID, w->pid, &info, WEXITED) && errno == EINTR)
		;
	if (info.si_code != CLD_EXITED && info.si_status != SIGKILL)
		log_error("worker %d was ended by signal %d", (int)w->pid, info.si_status);
	with_prefix(w, output_end);
	source_close(&w->end);
	while (*at != w)
		at = &(*at)->next;
	*at = w->next;
	w->broker->n_workers--;
	free(w);
	return info.si_code == CLD_EXITED ? info.si_status : -1;
}

/* Where memory is short, a worker goes: before QEMU, which may be larger, and before its broker. */
static void offer_to_oom_killer(void)
{
	const int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
	const ssize_t written = write(fd, "1000", 4);

	(void)written;	/* there may be no such file */
	close(fd);
}

/* Let it be @to after exec. */
static bool hand_on(int fd, int to)
{
	return fd == to ? !fcntl(fd, F_SETFD, 0) : dup2(fd, to) == to;
}

/*
 * Of the broker's descriptors a worker keeps its socket and its pipe to the log. It is executed anew, so
 * that no two have the same addresses, and none the broker's. It must not outlive the broker.
 */
static void worker_child(const struct broker *b, pid_t broker, int sock, int output)
{
	const struct worker_options *o = &b->options->worker;
	char batch[16], decode[16], threads[16];
	char *argv[] = {
		"sundog-worker", "--worker", "--log", (char *)log_level_name(), "--timeout", batch,
		"--compile-timeout", decode, "--max-threads", threads, o->gpu ? "--gpu" : NULL, (char *)o->gpu, NULL,
	};
	const int null = open("/dev/null", O_RDWR);

	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != broker)
		_exit(1);
	if (null < 0 || !hand_on(null, 0) || !hand_on(null, 1) || !hand_on(output, 2) ||
	    !hand_on(sock, WORKER_SOCKET) || close_range(WORKER_SOCKET + 1, ~0u, CLOSE_RANGE_CLOEXEC))
		_exit(1);
	snprintf(batch, sizeof(batch), "%u", o->batch_ms);
	snprintf(decode, sizeof(decode), "%u", o->decode_ms);
	snprintf(threads, sizeof(threads), "%u", o->max_threads);
	offer_to_oom_killer();
	execveat(b->program_fd, "", argv, environ, AT_EMPTY_PATH);
	_exit(1);
}

/* Start the process of @w with these. -1 with errno set. */
static int start(struct worker_process *w, int sock, int output)
{
	const pid_t self = getpid();
	int end;

	w->pid = fork();
	if (!w->pid)
		worker_child(w->broker, self, sock, output);
	if (w->pid < 0)
		return -1;
	end = file_keep(pidfd_open(w->pid, 0));
	if (end < 0) {
		kill(w->pid, SIGKILL);
		waitpid(w->pid, NULL, 0);
		return -1;
	}
	w->end = (struct source){ SOURCE_WORKER_END, end, w };
	return 0;
}

struct worker_process *process_new(struct broker *b)
{
	struct worker_process *w;
	int pair[2], output, err = -1;

	/* One is there for nobody yet. */
	if (b->n_workers > b->options->max_workers) {
		log_warn("cannot start a worker: there are %u", b->n_workers);
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
	notify_init(w);
	outbox_init(&w->early);
	outbox_init(&w->out);
	output = output_begin(&w->output, w);
	if (output >= 0 && file_may_stay(output) && file_may_stay(pair[1]))
		err = start(w, pair[1], output);
	else
		errno = EMFILE;
	if (err)
		log_error("cannot start a worker: %s", strerror(errno));
	close(pair[1]);
	close(output);
	if (err) {
		output_end(&w->output, "");
		close(pair[0]);
		free(w);
		return NULL;
	}
	fcntl(pair[0], F_SETFL, O_NONBLOCK);
	w->source = (struct source){ SOURCE_WORKER, pair[0], w };
	source_watch(&w->source);
	source_watch(&w->end);
	w->next = b->workers;
	b->workers = w;
	b->n_workers++;
	return w;
}
