// SPDX-License-Identifier: MIT
/*
 * The broker: accepts a device or direct clients, runs one worker process per client.
 *
 * It is single-threaded, never calls Vulkan and never maps guest memory, so a fork of it is a clean
 * start for a worker and nothing that a guest does can reach it but small, checked messages.
 * One idle worker is always being kept ready: making a Vulkan device takes a tenth of a second.
 *
 * Ownership: a connection (connection.c, hello.c) owns its memfds and clients; a client (client.c) owns its
 * worker process (process.c). Here is the event loop, and the idle worker.
 * A worker is always dead before a channel of it is reported OFF or DEAD by the broker, and all of a
 * connection's are before the peer can see its end: memory that they had is free then.
 */
#define _GNU_SOURCE
#include "broker.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "client.h"
#include "connection.h"
#include "hello.h"
#include "listener.h"
#include "log.h"
#include "process.h"
#include "worker.h"

/* Workers */

static void on_worker_ready(struct broker *b, struct worker_process *w, const struct message *m)
{
	w->ready = true;
	b->welcome = m->welcome;
	if (w->client)
		client_begin(w->client);
	for (struct connection *c = b->connections; c; c = c->next)
		hello_answer(b, c);
}

static void on_idle_worker_failed(struct broker *b, const char *text)
{
	struct connection *c = b->connections, *next;

	log_error("no renderer: %s", text);
	for (; c; c = next) {
		next = c->next;
		if (!c->welcomed) {
			connection_refuse(c, text);
			connection_close(b, c);
		}
	}
}

static void on_worker_lost(struct broker *b, struct worker_process *w)
{
	struct client *client = w->client;

	if (client) {
		log_warn("client %u: its worker %d ended", client->id, (int)w->pid);
		client_stop(client, SUNDOG_CHANNEL_STATE_DEAD, SUNDOG_FAULT_CODE_WORKER);
		return;
	}
	if (!w->ready)
		on_idle_worker_failed(b, "the first worker ended before it was ready");
	process_end(w);
	b->idle = NULL;
}

static void on_worker(struct broker *b, struct worker_process *w)
{
	struct message m;

	if (message_receive(w->source.fd, &m) <= 0) {
		on_worker_lost(b, w);
		return;
	}
	/* What the host can do is said before a client's data is seen, and only then. */
	if (m.header.type == SUNDOG_MESSAGE_CHANNEL_STATE && w->client) {
		client_on_channel_state(w->client, &m);
	} else if (m.header.type == SUNDOG_MESSAGE_GUEST_UNMAPPED && w->client) {
		client_on_guest_unmapped(w->client);
	} else if (m.header.type == SUNDOG_MESSAGE_WELCOME && !w->ready) {
		on_worker_ready(b, w, &m);
	} else if (m.header.type == SUNDOG_MESSAGE_ERROR && !w->ready) {
		w->ready = true;
		m.error.text[sizeof(m.error.text) - 1] = 0;
		on_idle_worker_failed(b, m.error.text);
	}
	message_close_fds(&m);
}

/* Returns ms until the next deadline, -1 if there is none. */
static int check_deadlines(struct broker *b)
{
	const int64_t now = now_ms(), resume = processes_resume_output(b, now);
	int first = resume ? resume - now : -1;

	for (struct connection *c = b->connections; c; c = c->next) {
		const int next = connection_check_deadlines(c);

		if (next >= 0 && (first < 0 || next < first))
			first = next;
	}
	return first;
}

static void on_event(struct broker *b, struct source *s, uint32_t events)
{
	int fd;

	switch (s->kind) {
	case SOURCE_LISTENER:
		fd = accept4(s->fd, NULL, NULL, SOCK_CLOEXEC);
		if (fd >= 0)
			connection_new(b, fd);
		break;
	case SOURCE_CONNECTION:
		connection_receive(b, s->owner);
		break;
	case SOURCE_WORKER:
		/* Either may free the worker; what is left to do is an event again. */
		if (events & ~(uint32_t)EPOLLOUT)
			on_worker(b, s->owner);
		else
			client_on_room(((struct worker_process *)s->owner)->client);
		break;
	case SOURCE_OUTPUT:
		process_read_output(s->owner);
		break;
	}
}

static bool listen_at_all(struct broker *b)
{
	static const int types[] = { SOCK_SEQPACKET, SOCK_STREAM };
	const char *paths[] = { b->options->socket_path, b->options->stream_path };

	for (int i = 0; i < 2; i++) {
		b->listeners[i] = (struct source){ SOURCE_LISTENER, -1, b };
		if (!paths[i])
			continue;
		b->listeners[i].fd = listener_new(paths[i], types[i]);
		if (b->listeners[i].fd < 0)
			return false;
		source_watch(&b->listeners[i]);
	}
	return true;
}

/* The broker keeps one for each map of guest pages, its workers do too. */
static void allow_descriptors(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

/* However it may be called: a file that replaced it since has another protocol. */
static bool open_program(struct broker *b)
{
	const int fd = open("/proc/self/exe", O_PATH | O_CLOEXEC);

	b->program_fd = fcntl(fd, F_DUPFD_CLOEXEC, WORKER_SOCKET + 1);
	if (b->program_fd < 0)
		log_error("cannot open this program once more: %s; is /proc there?", strerror(errno));
	close(fd);
	return b->program_fd >= 0;
}

int broker_run(const struct broker_options *options)
{
	struct broker b = { .options = options };
	struct source *s;
	uint32_t events;

	allow_descriptors();
	if (!open_program(&b) || !sources_init() || !listen_at_all(&b))
		return 1;
	if (options->device_fd >= 0)
		connection_new(&b, options->device_fd);
	b.idle = process_new(&b);

	while (!b.stop) {
		int n = sources_wait(&s, &events, check_deadlines(&b));

		if (n < 0) {
			log_error("epoll_wait: %s", strerror(-n));
			return 1;
		}
		if (n == 1)
			on_event(&b, s, events);
	}
	if (b.idle)
		process_end(b.idle);
	return 0;
}
