// SPDX-License-Identifier: MIT
/*
 * The broker: accepts a device or direct clients, runs one worker process per client.
 *
 * It is single-threaded, never calls Vulkan and never maps guest memory, so a fork of it is a clean
 * start for a worker and nothing that a guest does can reach it but small, checked messages.
 * One idle worker is always being kept ready: making a Vulkan device takes a tenth of a second.
 *
 * Ownership: a connection owns its memfds and clients; a client owns its worker process.
 * A worker is always dead before a channel of it is reported OFF or DEAD by the broker, and all of a
 * connection's are before the peer can see its end: memory that they had is free then.
 */
#define _GNU_SOURCE
#include "broker.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "guest.h"
#include "log.h"
#include "message.h"
#include "worker.h"

/* What a worker has to stop a channel, or to give guest pages back, from when it was asked. */
#define ANSWER_TIMEOUT_MS 10000
/* A worker that lets this many messages wait does not read any more: twice what a device can ask for. */
#define MAX_PACKETS (4 * (SUNDOG_MAX_CHANNELS + SUNDOG_MAX_GUEST_MAPS))
#define DEFAULT_VRAM (1ull << 30)
#define MIN_VRAM (16ull << 20)

enum source_kind { SOURCE_LISTENER, SOURCE_CONNECTION, SOURCE_WORKER };

/* What an epoll event points to; first member of everything that has a file descriptor. */
struct source {
	enum source_kind kind;
	int fd;
};

/* A message that waits until its worker is ready and has read others. */
struct packet {
	struct packet *next;
	int fds[MESSAGE_MAX_FDS];	/* its own */
	int n_fds;
	struct sundog_message header;
	char body[];
};

struct worker_process {
	struct source source;
	pid_t pid;
	bool ready;			/* said what its host can do, or why it cannot */
	struct client *client;		/* NULL: idle */
	struct packet *packets, **last;	/* in the order of sending */
	uint32_t n_packets;
};

struct client {
	struct client *next;
	struct connection *connection;
	struct worker_process *worker;	/* NULL: it died */
	uint32_t id;
	uint64_t channels[SUNDOG_MAX_CHANNELS / 64];
	uint64_t unmapped;		/* how many of connection.unmaps its worker has done */
};

/* Guest pages that workers may still have. */
struct unmap {
	struct unmap *next;
	int64_t deadline_ms;		/* when every worker must have done it */
	struct sundog_message_guest_unmapped answer;
};

struct connection {
	struct source source;
	struct connection *next;
	struct client *clients;
	int64_t closing[SUNDOG_MAX_CHANNELS];	/* when a channel must be OFF, ms; 0: it need not */
	bool greeted;			/* hello is there */
	bool welcomed;
	uint32_t role;
	uint64_t vram_size;
	int memfds[3];			/* vram, table, channels */
	int table_ro;			/* the table for workers, opened for reading only */
	struct guest_heap guest;
	struct unmap *unmapping;	/* in the order of the requests */
	uint64_t unmaps;		/* requests ever */
	uint64_t unmapped;		/* answers ever; unmapping has those in between */
};

struct broker {
	const struct broker_options *options;
	struct source listeners[2];	/* SOCK_SEQPACKET, SOCK_STREAM; fd -1: not there */
	struct connection *connections;
	struct worker_process *idle;
	struct sundog_message_welcome welcome;	/* header.size 0: no worker was ready yet */
	bool stop;
};

static int epoll_fd;

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000ll + t.tv_nsec / 1000000;
}

static bool test_bit(const uint64_t *map, uint32_t bit)
{
	return map[bit / 64] >> (bit % 64) & 1;
}

static void assign_bit(uint64_t *map, uint32_t bit, bool value)
{
	map[bit / 64] = (map[bit / 64] & ~(1ull << (bit % 64))) | (uint64_t)value << (bit % 64);
}

static void set_events(struct source *s, int op, uint32_t events)
{
	struct epoll_event event = { .events = events, .data.ptr = s };

	if (epoll_ctl(epoll_fd, op, s->fd, &event))
		log_error("epoll_ctl: %s", strerror(errno));
}

static void watch(struct source *s)
{
	set_events(s, EPOLL_CTL_ADD, EPOLLIN);
}

/* A worker that was just forked may still have a copy of the descriptor, so closing is not enough. */
static void unwatch_and_close(struct source *s)
{
	epoll_ctl(epoll_fd, EPOLL_CTL_DEL, s->fd, NULL);
	close(s->fd);
}

/* No peer may keep the broker waiting, for a message or for room to send one. */
static void set_timeouts(int fd)
{
	const struct timeval timeout = { .tv_sec = 2 };

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout));
}

/* Workers */

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

/* Send what waits, as far as the worker takes it now. Returns 0 or -errno. */
static int worker_flush(struct worker_process *w)
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
	set_events(&w->source, EPOLL_CTL_MOD, w->packets ? EPOLLIN | EPOLLOUT : EPOLLIN);
	return err == -EAGAIN ? 0 : err;
}

/*
 * Send a message, now or when the worker takes it: the broker waits for no worker. One that still
 * makes its Vulkan device has not begun to read. @fds stay the caller's. Returns 0 or -errno.
 */
static int worker_send(struct worker_process *w, const struct sundog_message *m, const int *fds, int n_fds)
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
	*w->last = p;
	w->last = &p->next;
	w->n_packets++;
	return w->ready ? worker_flush(w) : 0;
}

static void worker_reap(struct worker_process *w)
{
	int status = 0;

	kill(w->pid, SIGKILL);
	while (waitpid(w->pid, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL)
		log_error("worker %d was ended by signal %d", (int)w->pid, WTERMSIG(status));
	unwatch_and_close(&w->source);
	while (w->packets) {
		struct packet *p = w->packets;

		w->packets = p->next;
		packet_free(p);
	}
	free(w);
}

/* When this returns none of the clients' workers runs any more. They are still to be reaped. */
static void workers_kill(const struct client *clients)
{
	siginfo_t info;

	for (const struct client *client = clients; client; client = client->next)
		if (client->worker)
			kill(client->worker->pid, SIGKILL);
	for (const struct client *client = clients; client; client = client->next)
		if (client->worker)
			while (waitid(P_PID, client->worker->pid, &info, WEXITED | WNOWAIT) && errno == EINTR)
				;
}

/* The same file once more, with rights of its own, however it was opened. */
static int reopen(int fd, int flags)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return open(path, flags | O_CLOEXEC | O_NOCTTY);
}

/*
 * Of the broker's descriptors a worker keeps its socket and the log, and that for writing only: it may
 * be somebody's terminal. A log that cannot be opened again, as a socket, stays as it is.
 */
static void worker_child(int sock, const char *gpu)
{
	const int null = open("/dev/null", O_RDWR), log = reopen(2, O_WRONLY | O_APPEND);

	if (null < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0 || (log >= 0 && dup2(log, 2) < 0) ||
	    dup2(sock, 3) < 0 || close_range(4, ~0u, 0))
		_exit(1);
	_exit(worker_main(3, gpu));
}

static void worker_fork(struct broker *b)
{
	struct worker_process *w;
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair)) {
		log_error("socketpair: %s", strerror(errno));
		return;
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
		return;
	}
	if (!w->pid)
		worker_child(pair[1], b->options->gpu);
	close(pair[1]);
	w->source = (struct source){ SOURCE_WORKER, pair[0] };
	w->last = &w->packets;
	watch(&w->source);
	b->idle = w;
}

/* To the peer */

static void connection_send(struct connection *c, const struct sundog_message *m, int n_fds)
{
	int err = message_send(c->source.fd, m, c->memfds, n_fds);

	if (!err)
		return;
	/* It went away, or reads nothing: sends fail at once from now on, the event loop closes it. */
	log_debug("peer does not take messages: %s", strerror(-err));
	workers_kill(c->clients);
	shutdown(c->source.fd, SHUT_RDWR);
}

/* The peer's last message; the caller closes the connection. */
static void send_error(struct connection *c, const char *text)
{
	struct sundog_message_error m;

	workers_kill(c->clients);
	message_init(&m, ERROR);
	snprintf(m.text, sizeof(m.text), "%s", text);
	log_error("connection refused: %s", text);
	connection_send(c, &m.header, 0);
}

static void send_channel_state(struct connection *c, uint32_t channel, uint32_t state, uint32_t fault)
{
	struct sundog_message_channel_state m;

	message_init(&m, CHANNEL_STATE);
	m.channel = channel;
	m.state = state;
	m.fault = fault;
	connection_send(c, &m.header, 0);
}

/* Guest pages */

/* Somebody whose worker has not done the oldest request. */
static struct client *unmap_waits_for(const struct connection *c)
{
	for (struct client *client = c->clients; client; client = client->next)
		if (client->worker && client->unmapped <= c->unmapped)
			return client;
	return NULL;
}

static void finish_unmaps(struct connection *c)
{
	while (c->unmapping && !unmap_waits_for(c)) {
		struct unmap *unmap = c->unmapping;

		c->unmapping = unmap->next;
		c->unmapped++;
		connection_send(c, &unmap->answer.header, 0);
		free(unmap);
	}
}

/* Clients */

static struct client *client_find(struct connection *c, uint32_t id)
{
	for (struct client *client = c->clients; client; client = client->next)
		if (client->id == id)
			return client;
	return NULL;
}

static struct client *client_of_channel(struct connection *c, uint32_t channel)
{
	for (struct client *client = c->clients; client; client = client->next)
		if (test_bit(client->channels, channel))
			return client;
	return NULL;
}

static uint32_t count_clients(const struct connection *c)
{
	uint32_t n = 0;

	for (const struct client *client = c->clients; client; client = client->next)
		n++;
	return n;
}

/* Kill the worker. Its channels become @state (closing ones OFF), with @fault. */
static void client_stop(struct client *client, uint32_t state, uint32_t fault)
{
	struct connection *c = client->connection;

	if (client->worker)
		worker_reap(client->worker);
	client->worker = NULL;
	finish_unmaps(c);
	for (uint32_t i = 0; i < SUNDOG_MAX_CHANNELS; i++) {
		bool off = state == SUNDOG_CHANNEL_STATE_OFF || c->closing[i];

		if (!test_bit(client->channels, i))
			continue;
		if (off) {
			assign_bit(client->channels, i, false);
			c->closing[i] = 0;
		}
		send_channel_state(c, i, off ? SUNDOG_CHANNEL_STATE_OFF : state,
				   off ? SUNDOG_FAULT_CODE_NONE : fault);
	}
}

/* A worker that cannot get a message is stopped. */
static void client_unreachable(struct client *client, int err)
{
	log_warn("client %u: its worker takes no messages: %s", client->id, strerror(-err));
	client_stop(client, SUNDOG_CHANNEL_STATE_DEAD, SUNDOG_FAULT_CODE_WORKER);
}

/* To its worker, if it has one. */
static void client_send(struct client *client, const struct sundog_message *m, const int *fds, int n_fds)
{
	int err = client->worker ? worker_send(client->worker, m, fds, n_fds) : 0;

	if (err)
		client_unreachable(client, err);
}

static void send_guest_map(struct client *client, const struct guest_map *map)
{
	struct sundog_message_guest_map m;

	message_init(&m, GUEST_MAP);
	m.offset = map->offset;
	m.size = map->size;
	client_send(client, &m.header, &map->fd, 1);
}

static struct client *client_new(struct broker *b, struct connection *c, uint32_t id)
{
	const int fds[3] = { c->memfds[0], c->table_ro, c->memfds[2] };
	struct sundog_message_hello setup;
	struct client *client;

	/* A worker is a process of the host: no more of them than channels. */
	if (count_clients(c) >= SUNDOG_MAX_CHANNELS)
		return NULL;
	if (!b->idle)
		worker_fork(b);
	if (!b->idle)
		return NULL;
	client = calloc(1, sizeof(*client));
	if (!client)
		return NULL;
	client->connection = c;
	client->id = id;
	client->worker = b->idle;
	client->worker->client = client;
	client->next = c->clients;
	c->clients = client;
	b->idle = NULL;

	message_init(&setup, HELLO);
	setup.magic = SUNDOG_MAGIC;
	setup.version = SUNDOG_VERSION;
	setup.role = c->role;
	setup.vram_size = c->vram_size;
	log_info("client %u: worker %d", id, (int)client->worker->pid);
	client->unmapped = c->unmaps;
	client_send(client, &setup.header, fds, 3);
	for (uint32_t i = 0; i < c->guest.n_maps; i++)
		send_guest_map(client, &c->guest.maps[i]);
	worker_fork(b);
	return client;
}

static void client_destroy(struct client *client)
{
	struct client **at = &client->connection->clients;

	client_stop(client, SUNDOG_CHANNEL_STATE_OFF, SUNDOG_FAULT_CODE_NONE);
	while (*at != client)
		at = &(*at)->next;
	*at = client->next;
	free(client);
}

/* Messages of the peer */

static void on_channel_create(struct broker *b, struct connection *c, struct message *m)
{
	const uint32_t channel = m->channel_create.channel;
	struct client *client;

	/* A channel that is there keeps its state. */
	if (channel >= SUNDOG_MAX_CHANNELS || client_of_channel(c, channel)) {
		log_warn("channel_create: channel %u refused", channel);
		return;
	}
	client = client_find(c, m->channel_create.client);
	if (!client && m->channel_create.client)
		client = client_new(b, c, m->channel_create.client);
	if (!client || !client->worker) {
		send_channel_state(c, channel, SUNDOG_CHANNEL_STATE_DEAD, SUNDOG_FAULT_CODE_WORKER);
		return;
	}
	assign_bit(client->channels, channel, true);
	client_send(client, &m->header, m->fds, m->n_fds);
}

static void on_channel_destroy(struct connection *c, struct message *m)
{
	const uint32_t channel = m->channel_destroy.channel;
	struct client *client;

	if (channel >= SUNDOG_MAX_CHANNELS)
		return;
	client = client_of_channel(c, channel);
	if (!client || !client->worker) {
		if (client)
			assign_bit(client->channels, channel, false);
		send_channel_state(c, channel, SUNDOG_CHANNEL_STATE_OFF, SUNDOG_FAULT_CODE_NONE);
		return;
	}
	if (c->closing[channel])
		return;
	c->closing[channel] = now_ms() + ANSWER_TIMEOUT_MS;
	client_send(client, &m->header, NULL, 0);
}

/* False: refuse and close. */
static bool on_guest_map(struct connection *c, struct message *m)
{
	const uint64_t offset = m->guest_map.offset, size = m->guest_map.size;
	struct sundog_message_guest_mapped answer;

	if (c->role != SUNDOG_ROLE_DEVICE || lseek(m->fds[0], 0, SEEK_END) != (off_t)size ||
	    guest_heap_add(&c->guest, offset, size, m->fds[0])) {
		send_error(c, "guest_map: bad range, or one in use");
		return false;
	}
	m->fds[0] = -1;
	for (struct client *client = c->clients; client; client = client->next)
		send_guest_map(client, guest_heap_at(&c->guest, offset));
	message_init(&answer, GUEST_MAPPED);
	answer.offset = offset;
	answer.size = size;
	connection_send(c, &answer.header, 0);
	return true;
}

/* False: refuse and close. */
static bool on_guest_unmap(struct connection *c, const struct message *m)
{
	struct unmap **at = &c->unmapping, *unmap = calloc(1, sizeof(*unmap));

	if (!unmap || !guest_heap_remove(&c->guest, m->guest_unmap.offset, m->guest_unmap.size)) {
		free(unmap);
		send_error(c, "guest_unmap: there is no such map");
		return false;
	}
	unmap->deadline_ms = now_ms() + ANSWER_TIMEOUT_MS;
	message_init(&unmap->answer, GUEST_UNMAPPED);
	unmap->answer.offset = m->guest_unmap.offset;
	unmap->answer.size = m->guest_unmap.size;
	while (*at)
		at = &(*at)->next;
	*at = unmap;
	c->unmaps++;
	for (struct client *client = c->clients; client; client = client->next)
		client_send(client, &m->header, NULL, 0);
	finish_unmaps(c);
	return true;
}

static void on_reset(struct connection *c)
{
	struct sundog_message_reset_done done;

	workers_kill(c->clients);
	while (c->clients)
		client_destroy(c->clients);
	guest_heap_clear(&c->guest);
	message_init(&done, RESET_DONE);
	connection_send(c, &done.header, 0);
}

/* A memory of the broker's own, for a direct client. */
static int memory_new(const char *name, uint64_t size)
{
	int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd >= 0 && (ftruncate(fd, size) ||
			fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* The memory that a device brought must be as large as it says and must never shrink under us. */
static bool memory_ok(int fd, uint64_t size)
{
	const int want = F_SEAL_SHRINK | F_SEAL_GROW, have = fcntl(fd, F_GET_SEALS);
	struct stat st;

	/* Seals first: what has them is no file whose file system may make the broker wait. */
	return have >= 0 && (have & want) == want && !fstat(fd, &st) && (uint64_t)st.st_size >= size;
}

static const uint64_t table_size = (uint64_t)SUNDOG_TABLE_ENTRIES * sizeof(struct sundog_alloc_entry);
static const uint64_t channels_size = (uint64_t)SUNDOG_MAX_CHANNELS * SUNDOG_CHANNEL_SIZE;

static const char *make_memories(struct broker *b, struct connection *c, struct message *m)
{
	if (!c->vram_size)
		c->vram_size = DEFAULT_VRAM;
	if (m->n_fds || c->vram_size < MIN_VRAM || c->vram_size > b->options->max_vram ||
	    c->vram_size % SUNDOG_PAGE_SIZE)
		return "hello: VRAM size is out of range";
	c->memfds[0] = memory_new("sundog-vram", c->vram_size);
	c->memfds[1] = memory_new("sundog-table", table_size);
	c->memfds[2] = memory_new("sundog-channels", channels_size);
	if (c->memfds[0] < 0 || c->memfds[1] < 0 || c->memfds[2] < 0)
		return "cannot make the client's memories";
	return NULL;
}

static const char *take_memories(struct connection *c, struct message *m)
{
	if (m->n_fds != 3 || !c->vram_size || c->vram_size % SUNDOG_PAGE_SIZE)
		return "hello: a device brings three memories";
	for (int i = 0; i < 3; i++) {
		c->memfds[i] = m->fds[i];
		m->fds[i] = -1;
	}
	if (!memory_ok(c->memfds[0], c->vram_size) || !memory_ok(c->memfds[1], table_size) ||
	    !memory_ok(c->memfds[2], channels_size))
		return "hello: a memory is too small or not sealed";
	return NULL;
}

static const char *get_memories(struct broker *b, struct connection *c, struct message *m)
{
	const char *error;

	c->vram_size = m->hello.vram_size;
	error = c->role == SUNDOG_ROLE_DIRECT ? make_memories(b, c, m) : take_memories(c, m);
	if (error)
		return error;
	/* Seals against writing would hit a direct client, too: it maps its table after this. */
	c->table_ro = reopen(c->memfds[1], O_RDONLY);
	return c->table_ro < 0 ? "cannot open the table for reading; is /proc there?" : NULL;
}

static void connection_welcome(struct broker *b, struct connection *c)
{
	struct sundog_message_welcome welcome = b->welcome;

	if (c->welcomed || !c->greeted || !welcome.header.size)
		return;
	welcome.vram_size = c->vram_size;
	/* There are no guest pages without a guest. */
	if (c->role == SUNDOG_ROLE_DIRECT)
		welcome.caps.features &= ~(uint64_t)SUNDOG_FEATURE_HEAP_GUEST;
	connection_send(c, &welcome.header, c->role == SUNDOG_ROLE_DIRECT ? 3 : 0);
	c->welcomed = true;
}

/* False: refuse and close. */
static bool on_hello(struct broker *b, struct connection *c, struct message *m)
{
	const struct sundog_message_hello *hello = &m->hello;
	const char *error = NULL;

	if (c->greeted || hello->magic != SUNDOG_MAGIC)
		error = "hello: not a sundog device or client";
	else if (hello->version >> 16 != SUNDOG_VERSION_MAJOR)
		error = "hello: protocol major version is not the renderer's";
	else if (hello->role != SUNDOG_ROLE_DEVICE && hello->role != SUNDOG_ROLE_DIRECT)
		error = "hello: unknown role";
	else
		c->role = hello->role;
	if (!error)
		error = get_memories(b, c, m);
	if (!error) {
		c->greeted = true;
		if (!b->idle)
			worker_fork(b);
		connection_welcome(b, c);
		return true;
	}
	send_error(c, error);
	return false;
}

static bool on_peer_message(struct broker *b, struct connection *c, struct message *m)
{
	struct client *client;

	if (m->header.type == SUNDOG_MESSAGE_HELLO)
		return on_hello(b, c, m);
	if (!c->welcomed) {
		send_error(c, "the first message must be hello, and its answer be waited for");
		return false;
	}
	switch (m->header.type) {
	case SUNDOG_MESSAGE_CHANNEL_CREATE:
		on_channel_create(b, c, m);
		return true;
	case SUNDOG_MESSAGE_CHANNEL_DESTROY:
		on_channel_destroy(c, m);
		return true;
	case SUNDOG_MESSAGE_CLIENT_DESTROY:
		client = client_find(c, m->client_destroy.client);
		if (client)
			client_destroy(client);
		return true;
	case SUNDOG_MESSAGE_RESET:
		on_reset(c);
		return true;
	case SUNDOG_MESSAGE_GUEST_MAP:
		return on_guest_map(c, m);
	case SUNDOG_MESSAGE_GUEST_UNMAP:
		return on_guest_unmap(c, m);
	default:
		send_error(c, "unexpected message");
		return false;
	}
}

/* Connections */

static void connection_new(struct broker *b, int fd)
{
	struct connection *c = calloc(1, sizeof(*c));

	if (!c) {
		close(fd);
		return;
	}
	set_timeouts(fd);
	c->source = (struct source){ SOURCE_CONNECTION, fd };
	for (int i = 0; i < 3; i++)
		c->memfds[i] = -1;
	c->table_ro = -1;
	c->next = b->connections;
	b->connections = c;
	watch(&c->source);
}

static void connection_close(struct broker *b, struct connection *c)
{
	struct connection **at = &b->connections;

	workers_kill(c->clients);
	while (c->clients)
		client_destroy(c->clients);
	while (*at != c)
		at = &(*at)->next;
	*at = c->next;
	for (int i = 0; i < 3; i++)
		if (c->memfds[i] >= 0)
			close(c->memfds[i]);
	if (c->table_ro >= 0)
		close(c->table_ro);
	guest_heap_clear(&c->guest);
	unwatch_and_close(&c->source);
	free(c);
	if (b->listeners[0].fd < 0 && b->listeners[1].fd < 0)
		b->stop = true;
}

static void on_connection(struct broker *b, struct connection *c)
{
	struct message m;
	int got = message_receive(c->source.fd, &m);
	bool keep;

	if (got <= 0) {
		if (got < 0)
			send_error(c, "malformed message");
		connection_close(b, c);
		return;
	}
	keep = on_peer_message(b, c, &m);
	message_close_fds(&m);
	if (!keep)
		connection_close(b, c);
}

/* Events of workers */

/* There is room for messages. */
static void on_worker_room(struct worker_process *w)
{
	int err = worker_flush(w);

	if (err && w->client)
		client_unreachable(w->client, err);
}

static void on_worker_ready(struct broker *b, struct worker_process *w, const struct message *m)
{
	w->ready = true;
	b->welcome = m->welcome;
	on_worker_room(w);
	for (struct connection *c = b->connections; c; c = c->next)
		connection_welcome(b, c);
}

static void on_worker_channel_state(struct worker_process *w, const struct message *m)
{
	const uint32_t channel = m->channel_state.channel;
	struct client *client = w->client;

	/* A worker may be hijacked: it speaks for its own channels only. */
	if (!client || channel >= SUNDOG_MAX_CHANNELS || !test_bit(client->channels, channel) ||
	    m->channel_state.state > SUNDOG_CHANNEL_STATE_DEAD)
		return;
	if (m->channel_state.state == SUNDOG_CHANNEL_STATE_OFF) {
		if (!client->connection->closing[channel])
			return;
		assign_bit(client->channels, channel, false);
		client->connection->closing[channel] = 0;
	}
	connection_send(client->connection, &m->header, 0);
}

/* A worker may be hijacked: it answers for itself, each request once. */
static void on_worker_guest_unmapped(struct worker_process *w)
{
	struct client *client = w->client;

	if (!client || client->unmapped == client->connection->unmaps)
		return;
	client->unmapped++;
	finish_unmaps(client->connection);
}

static void on_idle_worker_failed(struct broker *b, const char *text)
{
	struct connection *c = b->connections, *next;

	log_error("no renderer: %s", text);
	for (; c; c = next) {
		next = c->next;
		if (!c->welcomed) {
			send_error(c, text);
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
	worker_reap(w);
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
	if (m.header.type == SUNDOG_MESSAGE_CHANNEL_STATE) {
		on_worker_channel_state(w, &m);
	} else if (m.header.type == SUNDOG_MESSAGE_GUEST_UNMAPPED) {
		on_worker_guest_unmapped(w);
	} else if (m.header.type == SUNDOG_MESSAGE_WELCOME && !w->ready) {
		on_worker_ready(b, w, &m);
	} else if (m.header.type == SUNDOG_MESSAGE_ERROR && !w->ready) {
		w->ready = true;
		m.error.text[sizeof(m.error.text) - 1] = 0;
		on_idle_worker_failed(b, m.error.text);
	}
	message_close_fds(&m);
}

/* The time at which the first of the connection's workers hangs if it goes on saying nothing; 0: never. */
static int64_t connection_deadline_ms(const struct connection *c)
{
	int64_t first = c->unmapping ? c->unmapping->deadline_ms : 0;

	for (uint32_t i = 0; i < SUNDOG_MAX_CHANNELS; i++)
		if (c->closing[i] && (!first || c->closing[i] < first))
			first = c->closing[i];
	return first;
}

/* Somebody whose worker should have answered by @deadline_ms, which is the connection's first. */
static struct client *client_late(struct connection *c, int64_t deadline_ms)
{
	if (c->unmapping && c->unmapping->deadline_ms == deadline_ms)
		return unmap_waits_for(c);
	for (uint32_t i = 0; i < SUNDOG_MAX_CHANNELS; i++)
		if (c->closing[i] == deadline_ms)
			return client_of_channel(c, i);
	return NULL;
}

/*
 * Workers that did not stop a channel, or give guest pages back, in time are killed.
 * Returns the distance of the next deadline, -1 if there is none.
 */
static int check_deadlines(struct broker *b)
{
	const int64_t now = now_ms();
	int64_t next = -1, deadline;

	for (struct connection *c = b->connections; c; c = c->next) {
		while ((deadline = connection_deadline_ms(c)) && deadline <= now) {
			struct client *client = client_late(c, deadline);

			log_warn("client %u: its worker hangs, killed", client->id);
			client_stop(client, SUNDOG_CHANNEL_STATE_DEAD, SUNDOG_FAULT_CODE_WORKER);
		}
		if (deadline && (next < 0 || deadline - now < next))
			next = deadline - now;
	}
	return next;
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
		on_connection(b, (struct connection *)s);
		break;
	case SOURCE_WORKER:
		/* Either may free the worker; what is left to do is an event again. */
		if (events & ~(uint32_t)EPOLLOUT)
			on_worker(b, (struct worker_process *)s);
		else
			on_worker_room((struct worker_process *)s);
		break;
	}
}

static int listen_at(const char *path, int type)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct stat old;
	int fd;

	if (strlen(path) >= sizeof(address.sun_path)) {
		log_error("%s: path is too long for a socket", path);
		return -1;
	}
	strcpy(address.sun_path, path);
	fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);
	/* A leftover of an earlier run is replaced; one that still answers is not. */
	if (fd >= 0 && !connect(fd, (struct sockaddr *)&address, sizeof(address))) {
		log_error("%s: another renderer listens there", path);
		close(fd);
		return -1;
	}
	if (fd >= 0)
		close(fd);
	if (!lstat(path, &old) && !S_ISSOCK(old.st_mode)) {
		log_error("%s: there is something that is no socket", path);
		return -1;
	}
	unlink(path);
	fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);
	if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)) ||
	    chmod(path, 0600) || listen(fd, 16)) {
		log_error("%s: %s", path, strerror(errno));
		if (fd >= 0)
			close(fd);
		return -1;
	}
	return fd;
}

static bool listen_at_all(struct broker *b)
{
	static const int types[] = { SOCK_SEQPACKET, SOCK_STREAM };
	const char *paths[] = { b->options->socket_path, b->options->stream_path };

	for (int i = 0; i < 2; i++) {
		b->listeners[i] = (struct source){ SOURCE_LISTENER, -1 };
		if (!paths[i])
			continue;
		b->listeners[i].fd = listen_at(paths[i], types[i]);
		if (b->listeners[i].fd < 0)
			return false;
		watch(&b->listeners[i]);
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

int broker_run(const struct broker_options *options)
{
	struct broker b = { .options = options };
	struct epoll_event event;

	allow_descriptors();
	epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (epoll_fd < 0) {
		log_error("epoll_create1: %s", strerror(errno));
		return 1;
	}
	if (!listen_at_all(&b))
		return 1;
	if (options->device_fd >= 0)
		connection_new(&b, options->device_fd);
	worker_fork(&b);

	/* One event at a time: handling one may free the source of another. */
	while (!b.stop) {
		int n = epoll_wait(epoll_fd, &event, 1, check_deadlines(&b));

		if (n < 0 && errno != EINTR) {
			log_error("epoll_wait: %s", strerror(errno));
			return 1;
		}
		if (n == 1)
			on_event(&b, event.data.ptr, event.events);
	}
	if (b.idle)
		worker_reap(b.idle);
	return 0;
}
