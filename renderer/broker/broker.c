// SPDX-License-Identifier: MIT
/*
 * The event loop of the broker, and the idle worker: accepts a device or direct clients and runs
 * one worker process per client.
 *
 * The broker never calls Vulkan and never maps guest memory: a guest can reach it only through
 * small, checked messages and through entries of the driver's tables (access_table.h). One thread
 * does everything except close() (async_close.c), and never blocks on a peer or a worker. It always
 * keeps one idle worker ready, since making a Vulkan device takes a tenth of a second.
 *
 * Ownership: a connection (connection.c, handshake.c) owns its memfds and clients; a client
 * (client.c) owns its worker process (process.c).
 *
 * All workers of a connection are dead before the peer can see the connection end, and a client's
 * worker is dead before the broker itself reports a channel DEAD: the memory that they mapped is
 * free then.
 */
#define _GNU_SOURCE
#include "broker/broker.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "broker/async_close.h"
#include "broker/broker_sandbox.h"
#include "broker/client.h"
#include "broker/connection.h"
#include "broker/handshake.h"
#include "broker/process.h"
#include "ipc/file.h"
#include "ipc/log.h"
#include "ipc/worker_options.h"

#define LATE_MS 100			/* a later wakeup means that the broker stood still */
#define HEAR_MS 1000			/* time to receive the messages sent meanwhile */

/* Workers */

static void on_worker_ready(struct broker *b, struct worker_process *w, const struct message *m)
{
	w->ready = true;
	b->welcome = m->welcome;
	if (w->client)
		client_begin(w->client);
	for (struct connection *c = b->connections; c; c = c->next)
		handshake_answer(b, c);
}

/*
 * Ends all connections that wait for WELCOME: the first worker failed, so the host's capabilities
 * are unknown. After that, a failing worker concerns its own client only.
 *
 * If @for_good, another worker would fail, too: ends all connections, and then the renderer.
 */
static void on_first_worker_failed(struct broker *b, const char *text, bool for_good)
{
	if (b->welcome.header.size)
		return;
	log_error("cannot serve clients%s: %s", for_good ? ", ending the renderer" : "", text);
	for (struct connection *c = b->connections, *next; c; c = next) {
		next = c->next;
		if (c->greeted || for_good)
			connection_end(c, text);
	}
	if (for_good)
		snprintf(b->failure, sizeof(b->failure), "%s", text);
}

/*
 * Handles a message of worker @w, which may be hijacked. Returns false if it must not send that
 * message in its state.
 */
static bool take_message(struct broker *b, struct worker_process *w, struct message *m)
{
	/* WELCOME and ERROR are valid once, before the worker has processed client data. */
	switch (m->header.type) {
	case SUNDOG_MESSAGE_CHANNEL_STATE:
		return w->client && client_on_channel_state(w->client, m);
	case MESSAGE_PROGRESS:
		return w->client && client_on_progress(w->client);
	case MESSAGE_SEALED:
		return w->client && mmap_filter_begin(w, m);
	case SUNDOG_MESSAGE_WELCOME:
		if (w->ready)
			return false;
		on_worker_ready(b, w, m);
		return true;
	case SUNDOG_MESSAGE_ERROR:
		if (w->ready)
			return false;
		w->ready = true;
		m->error.text[sizeof(m->error.text) - 1] = 0;
		on_first_worker_failed(b, m->error.text, true);
		return true;
	default:
		return false;
	}
}

/*
 * Receives and handles one message of @w. Returns false if there is none or the worker was killed.
 */
static bool receive(struct broker *b, struct worker_process *w)
{
	struct message m;
	bool ok;
	int got;

	message_begin(&m);
	got = message_continue(w->source.fd, false, &m);
	if (got == -EAGAIN)
		return false;
	ok = got > 0 && take_message(b, w, &m);
	if (got < 0)
		log_warn("worker %d: malformed message or receive error: %s, killing it",
			 (int)w->pid, strerror(-got));
	else if (got && !ok)
		log_warn("worker %d: message type %u is unexpected or invalid, killing it",
			 (int)w->pid, m.header.type);
	if (!ok)
		process_kill(w);
	async_close_for(w->out.who, m.fds, m.n_fds);
	return !w->killed;
}

void broker_hear(struct worker_process *w)
{
	while (!w->killed && receive(w->broker, w))
		;
}

static void on_worker_end(struct broker *b, struct worker_process *w)
{
	struct client *client = w->client;
	const bool ready = w->ready;
	const pid_t pid = w->pid;
	struct connection *c;
	int status;

	/* Handle the messages that the worker sent before it ended. */
	broker_hear(w);
	status = process_reap(w);
	if (!client) {
		if (!ready)
			on_first_worker_failed(b, "the first worker ended before it was ready; the "
						  "renderer's log has the reason", false);
		return;
	}
	if (!client->destroyed)
		log_warn("client %u: worker %d ended, ending its channels", client->id, (int)pid);
	c = client->connection;
	client_worker_ended(client, status == WORKER_TIMEOUT ? SUNDOG_FAULT_CODE_TIMEOUT :
								 SUNDOG_FAULT_CODE_WORKER);
	connection_reap(c);
}

/* Events */

/* Returns ms until the next deadline, -1 if there is none. */
static int check_deadlines(struct broker *b)
{
	const int64_t now = now_ms();
	int64_t first = earlier_ms(processes_resume_output(b, now), processes_check(b, now));

	first = earlier_ms(first, async_close_resume(now));
	for (int i = 0; i < 2; i++)
		first = earlier_ms(first, listener_resume(&b->listeners[i], now));
	for (struct connection *c = b->connections, *next; c; c = next) {
		next = c->next;
		first = earlier_ms(first, connection_check(c, now));
	}
	return first ? first - now : -1;
}

/* Handles one event per wait, since a handler may free the owner of another pending event. */
static void on_event(struct broker *b, struct event_source *s, uint32_t events)
{
	struct worker_process *w;

	switch (s->kind) {
	case SOURCE_LISTENER:
		listener_accept(b, s->owner);
		break;
	case SOURCE_CONNECTION:
		if (events & ~(uint32_t)EPOLLOUT)
			connection_on_message(s->owner, events);
		else
			connection_on_room(s->owner);
		break;
	case SOURCE_WORKER:
		w = s->owner;
		if (events & ~(uint32_t)EPOLLOUT)
			receive(b, w);
		else
			client_on_room(w->client);
		break;
	case SOURCE_WORKER_END:
		on_worker_end(b, s->owner);
		break;
	case SOURCE_WORKER_LOG:
		process_read_output(s->owner);
		break;
	case SOURCE_MMAP_FILTER:
		mmap_filter_receive(s->owner, events);
		break;
	}
}

/*
 * Postpones all deadlines by @ms, during which the broker did not receive messages; @busy: because
 * it was at work.
 */
static void excuse(struct broker *b, int64_t ms, bool busy)
{
	for (struct worker_process *w = b->workers; w; w = w->next)
		if (w->ready_deadline_ms)
			w->ready_deadline_ms += ms;
	for (struct connection *c = b->connections; c; c = c->next)
		connection_excuse(c, ms, busy);
}

/* Start and end */

void broker_connection_ended(struct broker *b)
{
	b->stop = b->listeners[0].source.fd < 0 && b->listeners[1].source.fd < 0;
}

static bool listen_at_all(struct broker *b)
{
	const struct broker_options *o = b->options;

	if (o->passed.direct >= 0)
		listener_begin_passed(&b->listeners[0], o->passed.direct, SUNDOG_ROLE_DIRECT);
	if (o->passed.device >= 0)
		listener_begin_passed(&b->listeners[1], o->passed.device, SUNDOG_ROLE_DEVICE);
	return (!o->socket_path ||
		listener_begin(&b->listeners[0], o, o->socket_path, SUNDOG_ROLE_DIRECT)) &&
	       (!o->stream_path ||
		listener_begin(&b->listeners[1], o, o->stream_path, SUNDOG_ROLE_DEVICE));
}

static unsigned int smaller(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

/*
 * Reduces the limits of the options to what RLIMIT_NOFILE allows. A connection has a socket and
 * five memfds, and a worker five more descriptors; handshakes get a share of an eighth. Maps of
 * guest pages take one each: those that all connections and workers leave, but at least half.
 */
static void limit_connections(struct broker *b)
{
	const unsigned int files = files_allow();
	uint64_t others;

	b->max_connections = smaller(b->options->max_connections, files / 11);
	b->max_peers = smaller(b->options->max_peers, b->max_connections * 3 / 4);
	b->max_handshakes = smaller(b->options->max_handshakes, files / 8);
	others = 6ull * b->max_connections + 5ull * b->options->max_workers;
	b->max_maps = files - (others < files / 2 ? others : files / 2);
}

static bool can_serve_device(int fd)
{
	socklen_t size = sizeof(int);
	int domain;

	if (fd < 0 || (!getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) && domain == AF_UNIX))
		return true;
	if (fcntl(fd, F_GETFD) < 0)
		log_error("--device-fd %d: no open descriptor has this number; pass the socket to "
			  "this process without FD_CLOEXEC", fd);
	else
		log_error("--device-fd %d: the descriptor is no Unix socket", fd);
	return false;
}

static void serve_device(struct broker *b, int fd)
{
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	connection_new(b, fd, SUNDOG_ROLE_DEVICE, true);
}

/* Opens what the sandbox forbids to open later; the file may be missing. */
static void open_oom_score(struct broker *b)
{
	ssize_t n;

	b->oom_score_fd = open("/proc/self/oom_score_adj", O_RDWR | O_CLOEXEC);
	n = read(b->oom_score_fd, b->oom_score, sizeof(b->oom_score) - 1);
	b->oom_score[n > 0 ? n : 0] = '\0';
}

/*
 * Opens this program through /proc/self/exe, since a file that replaced it by now has another
 * protocol. program_fd and handed_fds get their numbers before any peer connects, so that
 * descriptors of peers have higher numbers (spawn.c).
 */
static bool open_program(struct broker *b)
{
	const int fd = open("/proc/self/exe", O_PATH | O_CLOEXEC);

	if (fd < 0) {
		log_error("cannot open /proc/self/exe: %s; mount /proc", strerror(errno));
		return false;
	}
	open_oom_score(b);
	b->program_fd = fcntl(fd, F_DUPFD_CLOEXEC, WORKER_SOCKET + 1);
	for (int i = 0; i < 2; i++)
		b->handed_fds[i] = fcntl(fd, F_DUPFD_CLOEXEC, WORKER_SOCKET + 1);
	close(fd);
	if (b->program_fd >= 0 && b->handed_fds[0] >= 0 && b->handed_fds[1] >= 0)
		return true;
	log_error("cannot duplicate the descriptor of /proc/self/exe: %s; raise the limit of open "
		  "files (ulimit -n)", strerror(errno));
	return false;
}

void broker_begin(struct broker *b, const struct broker_options *options)
{
	*b = (struct broker){ .options = options, .program_fd = -1, .oom_score_fd = -1 };
	b->listeners[0].source.fd = b->listeners[1].source.fd = -1;
	limit_connections(b);
}

int broker_step(struct broker *b)
{
	struct event_source *s;
	uint32_t events;
	const int timeout_ms = check_deadlines(b);
	const int64_t start = now_ms();
	const int n = event_sources_wait(&s, &events, timeout_ms);
	const int64_t awake = now_ms();

	/*
	 * The broker stood still (stopped or suspended): give peers and workers time until their
	 * messages are received.
	 */
	if (timeout_ms >= 0 && awake - start > timeout_ms + LATE_MS)
		excuse(b, awake - start - timeout_ms + HEAR_MS, false);
	if (n == 1) {
		on_event(b, s, events);
		excuse(b, now_ms() - awake, true);
	}
	return n;
}

void broker_end(struct broker *b)
{
	while (b->workers)
		process_reap(b->workers);
}

int broker_run(const struct broker_options *options)
{
	struct broker b;
	int n;

	broker_begin(&b, options);
	if (!can_serve_device(options->device_fd) || !open_program(&b) || !event_sources_init() ||
	    !listen_at_all(&b) || !broker_sandbox_enter(b.program_fd))
		return 1;
	b.idle = process_new(&b);
	if (options->device_fd >= 0)
		serve_device(&b, options->device_fd);

	while (!b.stop && !b.failure[0]) {
		n = broker_step(&b);
		if (n < 0) {
			log_error("epoll_wait: %s, ending the renderer", strerror(-n));
			return 1;
		}
	}
	for (int i = 0; b.failure[0] && i < 2; i++)
		listener_end(&b.listeners[i], b.failure);
	broker_end(&b);
	return b.failure[0] ? 1 : 0;
}
