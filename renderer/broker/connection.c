// SPDX-License-Identifier: MIT
/*
 * Connections of the broker, see connection.h: messages of the peer, answers to it and deadlines.
 */
#define _GNU_SOURCE
#include "broker/connection.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "broker/async_close.h"
#include "broker/broker.h"
#include "broker/client.h"
#include "broker/handshake.h"
#include "broker/share.h"
#include "ipc/file.h"
#include "ipc/log.h"

/* Time in which a worker must read queued messages. */
#define ROOM_TIMEOUT_MS 2000
/* Devices of this protocol version and later understand that a map is refused. */
#define VERSION_WITH_REFUSED_MAPS (5 << 16 | 8)
/* Reading from a peer pauses for so long while many of its descriptors are being closed. */
#define PAUSE_MS 10
/* Descriptors of a connection that do not pause reading even if others use up all. */
#define MIN_FILES 8

/* Messages to the peer */

/*
 * The peer disconnected or does not read. connection_check() ends the connection; the socket is not
 * shut down before, since the peer must not see the end while there are workers.
 */
static void give_up(struct connection *c, int err)
{
	log_debug("connection of user %u: cannot send a message: %s, closing it",
		  (unsigned int)c->uid, strerror(-err));
	c->broken = true;
}

void connection_send(struct connection *c, const struct sundog_message *m, int n_fds)
{
	const int err = c->broken || c->ending ? 0 :
			send_queue_send(&c->out, &c->source, m, c->memfds, n_fds);

	if (err)
		give_up(c, err);
}

void connection_on_room(struct connection *c)
{
	const int err = send_queue_flush(&c->out, &c->source);

	if (err)
		give_up(c, err);
}

void connection_pass_state(struct connection *c, const struct sundog_message_channel_state *m)
{
	c->states[m->channel] = m->state;
	if (m->state == SUNDOG_CHANNEL_STATE_OFF)
		c->closing[m->channel] = 0;
	connection_send(c, &m->header, 0);
}

void connection_enter(struct connection *c, uint32_t channel, uint32_t state, uint32_t fault)
{
	struct sundog_message_channel_state m;

	message_init(&m, CHANNEL_STATE);
	m.channel = channel;
	m.state = state;
	m.fault = fault;
	connection_pass_state(c, &m);
}

/* Answers that wait for workers */

static void finish_unmaps(struct connection *c)
{
	while (c->unmapping && !c->unmapping->n_waiting) {
		struct unmap *unmap = c->unmapping;

		c->unmapping = unmap->next;
		connection_send(c, &unmap->answer.header, 0);
		free(unmap);
	}
}

static void finish_revoke(struct connection *c)
{
	struct sundog_message_revoked done;

	if (c->granted.n_revoked)
		return;
	c->revoking = false;
	message_init(&done, REVOKED);
	done.serial = c->revoke_serial;
	connection_send(c, &done.header, 0);
}

void connection_answer(struct connection *c)
{
	finish_unmaps(c);
	if (c->revoking)
		finish_revoke(c);
}

/*
 * Handlers of the peer's messages. Each returns the reason for a refusal, which ends the
 * connection, or NULL.
 */

static const char *on_channel_create(struct broker *b, struct connection *c, struct message *m)
{
	const uint32_t channel = m->channel_create.channel;
	struct client *client;

	for (int i = 0; i < SUNDOG_MESSAGE_CHANNEL_CREATE_FDS; i++)
		if (!file_is_eventfd(m->fds[i]))
			return connection_refuse(c, "CHANNEL_CREATE: doorbell and IRQ of "
						 "channel %u must be eventfds", channel);
	/* Do not report a state: an existing channel keeps its own. */
	if (channel >= SUNDOG_MAX_CHANNELS || client_of_channel(c, channel)) {
		log_warn("CHANNEL_CREATE: channel %u exists or is above %d, ignoring the message",
			 channel, SUNDOG_MAX_CHANNELS - 1);
		return NULL;
	}
	client = client_find(c, m->channel_create.client);
	if (!client && m->channel_create.client && !c->resets)
		client = client_new(b, c, m->channel_create.client);
	if (!client || !client->worker) {
		connection_enter(c, channel, SUNDOG_CHANNEL_STATE_DEAD, SUNDOG_FAULT_CODE_WORKER);
		return NULL;
	}
	client_assign_channel(client, channel, true);
	c->states[channel] = SUNDOG_CHANNEL_STATE_CREATING;
	client_send(client, &m->header, m->fds, m->n_fds);
	return NULL;
}

static void on_channel_destroy(struct connection *c, struct message *m)
{
	const uint32_t channel = m->channel_destroy.channel;
	struct client *client;

	if (channel >= SUNDOG_MAX_CHANNELS)
		return;
	client = client_of_channel(c, channel);
	/* OFF was reported already, when the client was destroyed. */
	if (!client && c->states[channel] == SUNDOG_CHANNEL_STATE_OFF)
		return;
	if (!client || !client->worker) {
		if (client)
			client_assign_channel(client, channel, false);
		connection_enter(c, channel, SUNDOG_CHANNEL_STATE_OFF, SUNDOG_FAULT_CODE_NONE);
		return;
	}
	if (c->closing[channel])
		return;
	c->closing[channel] = client->asked + 1;
	client_ask(client, &m->header);
}

/*
 * Returns true if @fd has @size bytes and cannot shrink: a dma-buf, as QEMU sends, or a sealed
 * memfd.
 */
static bool is_guest_memory(int fd, uint64_t size)
{
	if (file_is_dmabuf(fd))
		return (uint64_t)lseek(fd, 0, SEEK_END) == size;
	return memfd_is_ok(fd, size);
}

/* Returns true if the connection's share of descriptors has room for another map, @fd. */
static bool may_map(const struct connection *c, int fd)
{
	const struct broker *b = c->broker;
	struct share_use use = { 0 };
	unsigned int most;

	async_closer_count(c->brought, &use);
	most = share_of(b, c, &use, b->max_maps);
	if (use.connection < most && file_may_stay(fd))
		return true;
	log_warn("refusing a map of guest pages of user %u: its device has %u of %u descriptors of "
		 "all, and may have %u; raise the limit of open files (ulimit -n)",
		 (unsigned int)c->uid, use.connection, use.all, most);
	return false;
}

/*
 * A map that is refused has no pages, and the device removes it like another map: it may have sent
 * GUEST_UNMAP before it gets the answer. An old device would disconnect at a refusal, and again at
 * each new connection, where it sends its maps again: it gets no refusal, and contexts that list
 * the pages get fault LIST.
 */
static const char *on_guest_map(struct connection *c, struct message *m)
{
	const uint64_t offset = m->guest_map.offset, size = m->guest_map.size;
	struct sundog_message_guest_mapped done;
	bool ok;
	int err;

	if (c->role != SUNDOG_ROLE_DEVICE)
		return "GUEST_MAP: a direct client has no guest pages";
	if (!is_guest_memory(m->fds[0], size))
		return connection_refuse(c, "GUEST_MAP: the descriptor is no dma-buf and no "
					 "sealed memfd of %llu bytes",
					 (unsigned long long)size);
	ok = may_map(c, m->fds[0]);
	err = guest_heap_add(&c->guest, offset, size, ok ? m->fds[0] : -1, c->brought);
	if (err)
		return connection_refuse(c, "GUEST_MAP: %llu bytes at %#llx: %s; maps must be "
					 "whole pages and not overlap, at most %d of them of at "
					 "most %llu bytes",
					 (unsigned long long)size, (unsigned long long)offset,
					 strerror(-err), SUNDOG_MAX_GUEST_MAPS,
					 (unsigned long long)SUNDOG_MAX_GUEST_PAGES *
						 SUNDOG_PAGE_SIZE);
	if (ok)
		m->fds[0] = -1;
	message_init(&done, GUEST_MAPPED);
	done.offset = offset;
	done.size = ok || c->version < VERSION_WITH_REFUSED_MAPS ? size : 0;
	connection_send(c, &done.header, 0);
	return NULL;
}

static const char *on_guest_unmap(struct connection *c, const struct message *m)
{
	const uint64_t offset = m->guest_unmap.offset, size = m->guest_unmap.size;
	struct unmap *unmap = calloc(1, sizeof(*unmap)), **at = &c->unmapping;

	if (!unmap || !guest_heap_remove(&c->guest, offset, size, c->brought)) {
		free(unmap);
		return connection_refuse(c, "GUEST_UNMAP: no map of %llu bytes at %#llx, or the "
					 "renderer is out of memory",
					 (unsigned long long)size, (unsigned long long)offset);
	}
	message_init(&unmap->answer, GUEST_UNMAPPED);
	unmap->answer.offset = offset;
	unmap->answer.size = size;
	for (struct client *client = c->clients; client; client = client->next)
		if (mappings_revoke_guest(&client->mappings, offset, size, client->asked + 1,
					  &unmap->n_waiting))
			client_ask(client, &m->header);
	while (*at)
		at = &(*at)->next;
	*at = unmap;
	connection_answer(c);
	return NULL;
}

static const char *on_revoke(struct connection *c, const struct message *m)
{
	if (c->role != SUNDOG_ROLE_DEVICE)
		return "REVOKE: a direct client must not send it";
	if (c->revoking)
		return connection_refuse(c, "REVOKE %u: REVOKE %u is not answered yet",
					 m->revoke.serial, c->revoke_serial);
	for (struct client *client = c->clients; client; client = client->next)
		if (mappings_revoke_vram(client, client->asked + 1))
			client_ask(client, &m->header);
	c->revoking = true;
	c->revoke_serial = m->revoke.serial;
	connection_answer(c);
	return NULL;
}

static void destroy_clients(struct connection *c)
{
	for (struct client *client = c->clients; client; client = client->next)
		client_destroy(client);
}

static void on_reset(struct connection *c)
{
	destroy_clients(c);
	guest_heap_clear(&c->guest, c->brought);
	c->resets++;
	connection_reap(c);
}

static const char *on_peer_message(struct connection *c, struct message *m)
{
	struct client *client;

	if (m->header.type == SUNDOG_MESSAGE_HELLO)
		return handshake_receive(c->broker, c, m);
	if (!c->welcomed)
		return connection_refuse(c, "message type %u before WELCOME: a peer must send "
					 "HELLO first and wait for the answer", m->header.type);
	switch (m->header.type) {
	case SUNDOG_MESSAGE_CHANNEL_CREATE:
		return on_channel_create(c->broker, c, m);
	case SUNDOG_MESSAGE_CHANNEL_DESTROY:
		on_channel_destroy(c, m);
		return NULL;
	case SUNDOG_MESSAGE_CLIENT_DESTROY:
		client = client_find(c, m->client_destroy.client);
		if (client) {
			client_destroy(client);
			connection_reap(c);
		}
		return NULL;
	case SUNDOG_MESSAGE_RESET:
		on_reset(c);
		return NULL;
	case SUNDOG_MESSAGE_GUEST_MAP:
		return on_guest_map(c, m);
	case SUNDOG_MESSAGE_GUEST_UNMAP:
		return on_guest_unmap(c, m);
	case SUNDOG_MESSAGE_REVOKE:
		return on_revoke(c, m);
	default:
		return connection_refuse(c, "unexpected message type %u", m->header.type);
	}
}

/*
 * Returns true if the descriptors of an incomplete message may stay open until the rest arrives,
 * which may be never.
 */
static bool may_wait(const struct message *m)
{
	for (int i = 0; i < m->n_fds; i++)
		if (!file_may_stay(m->fds[i]))
			return false;
	return true;
}

static void receive(struct connection *c)
{
	const int got = c->broken ? 0 : message_continue(c->source.fd, c->stream, &c->in);
	const char *error;

	if (got == -EAGAIN) {
		if (!may_wait(&c->in))
			connection_end(c, "the renderer's limit of open files is reached; raise it "
					  "(ulimit -n)");
		return;
	}
	if (got < 0)
		connection_refuse(c, "malformed message or receive error: %s", strerror(-got));
	if (got <= 0) {
		connection_end(c, got ? c->error : NULL);
		return;
	}
	error = on_peer_message(c, &c->in);
	if (error) {
		connection_end(c, error);
		return;
	}
	async_close_for(c->brought, c->in.fds, c->in.n_fds);
	message_begin(&c->in);
}

static void pause_listening(struct connection *c, int64_t now_ms)
{
	event_source_set_events(&c->source, send_queue_is_empty(&c->out) ? 0 : EPOLLOUT);
	c->resume_ms = now_ms + PAUSE_MS;
}

/*
 * Returns true if so many descriptors of the peer are being closed, or so long, that no more
 * messages should be read: one message can have the broker close hundreds that were queued for a
 * worker.
 */
static bool is_slow(const struct connection *c)
{
	struct share_use use = { 0 };

	if (async_closer_is_slow(c->brought))
		return true;
	if (!async_closer_is_closing(c->brought))
		return false;
	async_closer_count(c->brought, &use);
	return use.connection >= MIN_FILES &&
	       use.connection >= share_of(c->broker, c, &use, c->broker->max_maps);
}

static void resume_listening(struct connection *c, int64_t now_ms)
{
	if (is_slow(c)) {
		c->resume_ms = now_ms + PAUSE_MS;
		return;
	}
	event_source_set_events(&c->source,
				send_queue_is_empty(&c->out) ? EPOLLIN : EPOLLIN | EPOLLOUT);
	c->resume_ms = 0;
}

/*
 * While too many descriptors of the peer are being closed, no more messages are read, so that the
 * delay it causes others is bounded. A peer that has disconnected sends nothing more, so its
 * connection ends.
 */
void connection_on_message(struct connection *c, uint32_t events)
{
	if (!is_slow(c))
		receive(c);
	else if (events & EPOLLHUP)
		connection_end(c, NULL);
	else
		pause_listening(c, now_ms());
}

/* Start and end */

uid_t connection_peer(int fd)
{
	struct ucred cred = { .uid = (uid_t)-1 };
	socklen_t size = sizeof(cred);

	getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &size);
	return cred.uid;
}

void connection_new(struct broker *b, int fd, uint32_t role, bool patient)
{
	struct connection *c = calloc(1, sizeof(*c));
	socklen_t size = sizeof(int);
	int type = 0;

	if (c) {
		c->uid = connection_peer(fd);
		c->brought = async_closer_new(c->uid);
	}
	if (!c || !c->brought) {
		async_close(&fd, 1);
		free(c);
		return;
	}
	getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size);
	c->source = (struct event_source){ SOURCE_CONNECTION, fd, c };
	c->broker = b;
	c->role = role;
	c->stream = type == SOCK_STREAM;
	c->hello_deadline_ms = patient || !b->options->handshake_ms ? 0 :
		now_ms() + b->options->handshake_ms;
	message_begin(&c->in);
	send_queue_init(&c->out);
	c->out.who = c->brought;
	for (int i = 0; i < 3; i++)
		c->memfds[i] = -1;
	c->table_ro = c->channels_ro = -1;
	c->next = b->connections;
	b->connections = c;
	b->n_connections++;
	event_source_watch(&c->source);
	receive(c);
}

/*
 * Descriptors of the peer can be of any kind, so async_close_for() closes them and not this thread.
 */
static void connection_free(struct connection *c)
{
	struct connection **at = &c->broker->connections;
	const int fds[] = {
		c->source.fd, c->memfds[0], c->memfds[1], c->memfds[2], c->table_ro, c->channels_ro,
	};

	while (*at != c)
		at = &(*at)->next;
	*at = c->next;
	c->broker->n_connections--;
	async_close_for(c->brought, c->in.fds, c->in.n_fds);
	async_close_for(c->brought, fds, sizeof(fds) / sizeof(fds[0]));
	guest_heap_clear(&c->guest, c->brought);
	send_queue_clear(&c->out);
	async_closer_put(c->brought);
	while (c->unmapping) {
		struct unmap *unmap = c->unmapping;

		c->unmapping = unmap->next;
		free(unmap);
	}
	broker_connection_ended(c->broker);
	free(c);
}

/*
 * Sends the reason of the end, if there is one, the peer takes messages and none are queued before
 * it.
 */
static void send_error(struct connection *c)
{
	struct sundog_message_error m;

	if (!c->error[0] || c->broken || !send_queue_is_empty(&c->out))
		return;
	message_init(&m, ERROR);
	memcpy(m.text, c->error, sizeof(m.text));
	message_send(c->source.fd, &m.header, NULL, 0);
}

static bool any_worker(const struct connection *c)
{
	for (const struct client *client = c->clients; client; client = client->next)
		if (client->worker)
			return true;
	return false;
}

static void free_clients(struct connection *c)
{
	for (struct client *client = c->clients, *next; client; client = next) {
		next = client->next;
		if (client->destroyed && !client->worker)
			client_free(client);
	}
}

void connection_reap(struct connection *c)
{
	struct sundog_message_reset_done done;

	/* After RESET, or at the end, no channel becomes OFF before all workers are dead. */
	if ((c->resets || c->ending) && any_worker(c))
		return;
	free_clients(c);
	message_init(&done, RESET_DONE);
	for (; c->resets; c->resets--)
		connection_send(c, &done.header, 0);
	if (c->ending) {
		send_error(c);
		connection_free(c);
	}
}

const char *connection_refuse(struct connection *c, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(c->error, sizeof(c->error), fmt, args);
	va_end(args);
	return c->error;
}

void connection_end(struct connection *c, const char *error)
{
	if (c->ending)
		return;
	if (error)
		log_error("connection of user %u: %s, closing it", (unsigned int)c->uid, error);
	if (error && error != c->error)
		snprintf(c->error, sizeof(c->error), "%s", error);
	c->ending = true;
	event_source_unwatch(&c->source);
	async_close_for(c->brought, c->in.fds, c->in.n_fds);
	c->in.n_fds = 0;
	destroy_clients(c);
	connection_reap(c);
}

/* Deadlines */

/*
 * Returns the time at which the client's worker counts as hanging unless it answers or reads; 0:
 * never.
 */
static int64_t client_deadline_ms(const struct client *client)
{
	int64_t room;

	if (!client_is_served(client))
		return 0;
	room = client->worker->out.full_ms;
	return earlier_ms(client->deadline_ms, room ? room + ROOM_TIMEOUT_MS : 0);
}

/* Kills the worker of a client whose deadline has passed at @now_ms. */
static void kill_late(struct client *client, int64_t now_ms)
{
	if (client->deadline_ms && client->deadline_ms <= now_ms)
		client_kill(client, "no answer to an unmap request in time; --timeout %u sets the "
				    "limit",
			    client->connection->broker->options->worker.batch_ms);
	else
		client_kill(client, "messages not read within %d ms", ROOM_TIMEOUT_MS);
}

int64_t connection_check(struct connection *c, int64_t now_ms)
{
	int64_t first = c->greeted || c->ending ? 0 : c->hello_deadline_ms, deadline;

	if (c->broken && !c->ending) {
		connection_end(c, NULL);
		return 0;
	}
	if (first && first <= now_ms) {
		connection_refuse(c, "no HELLO within %u ms (--handshake-timeout)",
				  c->broker->options->handshake_ms);
		connection_end(c, c->error);
		return 0;
	}
	if (c->resume_ms && c->resume_ms <= now_ms && !c->ending)
		resume_listening(c, now_ms);
	first = earlier_ms(first, c->ending ? 0 : c->resume_ms);
	for (struct client *client = c->clients; client; client = client->next) {
		deadline = client_deadline_ms(client);
		if (deadline && deadline <= now_ms)
			kill_late(client, now_ms);
		else
			first = earlier_ms(first, deadline);
	}
	return first;
}

static void put_off(int64_t *deadline_ms, int64_t ms)
{
	if (*deadline_ms)
		*deadline_ms += ms;
}

void connection_excuse(struct connection *c, int64_t ms, bool busy)
{
	if (!ms)
		return;
	put_off(&c->hello_deadline_ms, ms);
	for (struct client *client = c->clients; client; client = client->next) {
		client_excuse(client, ms, busy);
		if (client->worker)
			put_off(&client->worker->out.full_ms, ms);
	}
}
