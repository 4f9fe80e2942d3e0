// SPDX-License-Identifier: MIT
/*
 * Connections, see connection.h.
 */
#define _GNU_SOURCE
#include "connection.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "broker.h"
#include "client.h"
#include "hello.h"
#include "log.h"

/* What a worker has to stop a channel, or to give guest pages back, from when it was asked. */
#define ANSWER_TIMEOUT_MS 10000
/* What it has to make room for messages. Shorter: who maps guest pages waits for that. */
#define ROOM_TIMEOUT_MS 2000

/* No peer may keep the broker waiting, for a message or for room to send one. */
static void set_timeouts(int fd)
{
	const struct timeval timeout = { .tv_sec = 2 };

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout));
}

/* To the peer */

void connection_send(struct connection *c, const struct sundog_message *m, int n_fds)
{
	int err = message_send(c->source.fd, m, c->memfds, n_fds);

	if (!err)
		return;
	/* It went away, or reads nothing: sends fail at once from now on, the event loop closes it. */
	log_debug("peer does not take messages: %s", strerror(-err));
	clients_kill(c->clients);
	shutdown(c->source.fd, SHUT_RDWR);
}

void connection_refuse(struct connection *c, const char *text)
{
	struct sundog_message_error m;

	clients_kill(c->clients);
	message_init(&m, ERROR);
	snprintf(m.text, sizeof(m.text), "%s", text);
	log_error("connection refused: %s", text);
	connection_send(c, &m.header, 0);
}

void connection_send_state(struct connection *c, uint32_t channel, uint32_t state, uint32_t fault)
{
	struct sundog_message_channel_state m;

	message_init(&m, CHANNEL_STATE);
	m.channel = channel;
	m.state = state;
	m.fault = fault;
	connection_send(c, &m.header, 0);
}

/* Guest pages */

/* Is a map on its way to every worker? They look for it before they say that it is not there. */
static bool maps_are_sent(const struct connection *c)
{
	for (const struct client *client = c->clients; client; client = client->next)
		if (client->worker && client->worker->packets)
			return false;
	return true;
}

static void finish_maps(struct connection *c)
{
	while (c->mapping && maps_are_sent(c)) {
		struct map *map = c->mapping;

		c->mapping = map->next;
		connection_send(c, &map->answer.header, 0);
		free(map);
	}
}

/* Somebody whose worker has not done the oldest request. One that is not ready never had the pages. */
static struct client *unmap_waits_for(const struct connection *c)
{
	for (struct client *client = c->clients; client; client = client->next)
		if (client_has_maps(client) && client->unmapped <= c->unmapped)
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

void connection_answer(struct connection *c)
{
	finish_maps(c);
	finish_unmaps(c);
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
		connection_send_state(c, channel, SUNDOG_CHANNEL_STATE_DEAD, SUNDOG_FAULT_CODE_WORKER);
		return;
	}
	client_assign_channel(client, channel, true);
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
			client_assign_channel(client, channel, false);
		connection_send_state(c, channel, SUNDOG_CHANNEL_STATE_OFF, SUNDOG_FAULT_CODE_NONE);
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
	struct map **at = &c->mapping, *map = calloc(1, sizeof(*map));

	if (!map || c->role != SUNDOG_ROLE_DEVICE || lseek(m->fds[0], 0, SEEK_END) != (off_t)size ||
	    guest_heap_add(&c->guest, offset, size, m->fds[0])) {
		free(map);
		connection_refuse(c, "guest_map: bad range, or one in use");
		return false;
	}
	m->fds[0] = -1;
	message_init(&map->answer, GUEST_MAPPED);
	map->answer.offset = offset;
	map->answer.size = size;
	while (*at)
		at = &(*at)->next;
	*at = map;
	for (struct client *client = c->clients; client; client = client->next)
		if (client_has_maps(client))
			client_send_map(client, guest_heap_at(&c->guest, offset));
	connection_answer(c);
	return true;
}

/* False: refuse and close. */
static bool on_guest_unmap(struct connection *c, const struct message *m)
{
	struct unmap **at = &c->unmapping, *unmap = calloc(1, sizeof(*unmap));

	if (!unmap || !guest_heap_remove(&c->guest, m->guest_unmap.offset, m->guest_unmap.size)) {
		free(unmap);
		connection_refuse(c, "guest_unmap: there is no such map");
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
		if (client_has_maps(client))
			client_send(client, &m->header, NULL, 0);
	connection_answer(c);
	return true;
}

static void on_reset(struct connection *c)
{
	struct sundog_message_reset_done done;

	clients_kill(c->clients);
	while (c->clients)
		client_destroy(c->clients);
	guest_heap_clear(&c->guest);
	message_init(&done, RESET_DONE);
	connection_send(c, &done.header, 0);
}

static bool on_peer_message(struct broker *b, struct connection *c, struct message *m)
{
	struct client *client;

	if (m->header.type == SUNDOG_MESSAGE_HELLO)
		return hello_receive(b, c, m);
	if (!c->welcomed) {
		connection_refuse(c, "the first message must be hello, and its answer be waited for");
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
		connection_refuse(c, "unexpected message");
		return false;
	}
}

/* Beginning and end */

void connection_new(struct broker *b, int fd)
{
	struct connection *c = calloc(1, sizeof(*c));

	if (!c) {
		close(fd);
		return;
	}
	set_timeouts(fd);
	c->source = (struct source){ SOURCE_CONNECTION, fd, c };
	for (int i = 0; i < 3; i++)
		c->memfds[i] = -1;
	c->table_ro = -1;
	c->next = b->connections;
	b->connections = c;
	source_watch(&c->source);
}

void connection_close(struct broker *b, struct connection *c)
{
	struct connection **at = &b->connections;

	clients_kill(c->clients);
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
	source_close(&c->source);
	free(c);
	if (b->listeners[0].fd < 0 && b->listeners[1].fd < 0)
		b->stop = true;
}

void connection_receive(struct broker *b, struct connection *c)
{
	struct message m;
	int got = message_receive(c->source.fd, &m);
	bool keep;

	if (got <= 0) {
		if (got < 0)
			connection_refuse(c, "malformed message");
		connection_close(b, c);
		return;
	}
	keep = on_peer_message(b, c, &m);
	message_close_fds(&m);
	if (!keep)
		connection_close(b, c);
}

/* Deadlines */

/* When its worker must have made room for messages; 0: there is. */
static int64_t room_deadline_ms(const struct client *client)
{
	return client->worker && client->worker->full_ms ? client->worker->full_ms + ROOM_TIMEOUT_MS : 0;
}

/* The time at which the first of the connection's workers hangs if it goes on saying nothing; 0: never. */
static int64_t first_deadline_ms(const struct connection *c)
{
	int64_t first = c->unmapping ? c->unmapping->deadline_ms : 0;

	for (uint32_t i = 0; i < SUNDOG_MAX_CHANNELS; i++)
		if (c->closing[i] && (!first || c->closing[i] < first))
			first = c->closing[i];
	for (const struct client *client = c->clients; client; client = client->next) {
		const int64_t room = room_deadline_ms(client);

		if (room && (!first || room < first))
			first = room;
	}
	return first;
}

/* Somebody whose worker should have read or answered by @deadline_ms, which is the connection's first. */
static struct client *client_late(struct connection *c, int64_t deadline_ms)
{
	if (c->unmapping && c->unmapping->deadline_ms == deadline_ms)
		return unmap_waits_for(c);
	for (uint32_t i = 0; i < SUNDOG_MAX_CHANNELS; i++)
		if (c->closing[i] == deadline_ms)
			return client_of_channel(c, i);
	for (struct client *client = c->clients; client; client = client->next)
		if (room_deadline_ms(client) == deadline_ms)
			return client;
	return NULL;
}

int connection_check_deadlines(struct connection *c)
{
	const int64_t now = now_ms();
	int64_t deadline;

	while ((deadline = first_deadline_ms(c)) && deadline <= now) {
		struct client *client = client_late(c, deadline);

		log_warn("client %u: its worker hangs, killed", client->id);
		client_stop(client, SUNDOG_CHANNEL_STATE_DEAD, SUNDOG_FAULT_CODE_WORKER);
	}
	return deadline ? deadline - now : -1;
}
