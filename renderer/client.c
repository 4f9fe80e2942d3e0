// SPDX-License-Identifier: MIT
/*
 * Clients, see client.h.
 */
#define _GNU_SOURCE
#include "client.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "broker.h"
#include "connection.h"
#include "log.h"

static bool has_channel(const struct client *client, uint32_t channel)
{
	return client->channels[channel / 64] >> (channel % 64) & 1;
}

void client_assign_channel(struct client *client, uint32_t channel, bool there)
{
	const uint64_t bit = 1ull << (channel % 64);

	client->channels[channel / 64] = (client->channels[channel / 64] & ~bit) | (there ? bit : 0);
}

struct client *client_find(struct connection *c, uint32_t id)
{
	for (struct client *client = c->clients; client; client = client->next)
		if (client->id == id)
			return client;
	return NULL;
}

struct client *client_of_channel(struct connection *c, uint32_t channel)
{
	for (struct client *client = c->clients; client; client = client->next)
		if (has_channel(client, channel))
			return client;
	return NULL;
}

static uint32_t client_count(const struct connection *c)
{
	uint32_t n = 0;

	for (const struct client *client = c->clients; client; client = client->next)
		n++;
	return n;
}

void client_stop(struct client *client, uint32_t state, uint32_t fault)
{
	struct connection *c = client->connection;

	if (client->worker)
		process_end(client->worker);
	client->worker = NULL;
	connection_answer(c);
	for (uint32_t i = 0; i < SUNDOG_MAX_CHANNELS; i++) {
		bool off = state == SUNDOG_CHANNEL_STATE_OFF || c->closing[i];

		if (!has_channel(client, i))
			continue;
		if (off) {
			client_assign_channel(client, i, false);
			c->closing[i] = 0;
		}
		connection_send_state(c, i, off ? SUNDOG_CHANNEL_STATE_OFF : state,
				      off ? SUNDOG_FAULT_CODE_NONE : fault);
	}
}

/* A worker that cannot get a message is stopped. */
static void unreachable(struct client *client, int err)
{
	log_warn("client %u: its worker takes no messages: %s", client->id, strerror(-err));
	client_stop(client, SUNDOG_CHANNEL_STATE_DEAD, SUNDOG_FAULT_CODE_WORKER);
}

void client_send(struct client *client, const struct sundog_message *m, const int *fds, int n_fds)
{
	int err = client->worker ? process_send(client->worker, m, fds, n_fds) : 0;

	if (err)
		unreachable(client, err);
}

void client_send_map(struct client *client, const struct guest_map *map)
{
	struct sundog_message_guest_map m;

	message_init(&m, GUEST_MAP);
	m.offset = map->offset;
	m.size = map->size;
	client_send(client, &m.header, &map->fd, 1);
}

void client_on_room(struct client *client)
{
	int err = process_flush(client->worker);

	if (err)
		unreachable(client, err);
	else
		connection_answer(client->connection);
}

void client_begin(struct client *client)
{
	const struct connection *c = client->connection;
	const int fds[3] = { c->memfds[0], c->table_ro, c->memfds[2] };
	struct sundog_message_hello setup;
	int err;

	message_init(&setup, HELLO);
	setup.magic = SUNDOG_MAGIC;
	setup.version = SUNDOG_VERSION;
	setup.role = c->role;
	setup.vram_size = c->vram_size;
	client_send(client, &setup.header, fds, 3);
	for (uint32_t i = 0; i < c->guest.n_maps; i++)
		client_send_map(client, &c->guest.maps[i]);
	client->unmapped = c->unmaps;
	err = client->worker ? process_begin(client->worker) : 0;
	if (err)
		unreachable(client, err);
}

struct client *client_new(struct broker *b, struct connection *c, uint32_t id)
{
	struct client *client;

	/* A worker is a process of the host: no more of them than channels. */
	if (client_count(c) >= SUNDOG_MAX_CHANNELS)
		return NULL;
	if (!b->idle)
		b->idle = process_new(b);
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

	log_info("client %u: worker %d", id, (int)client->worker->pid);
	if (client->worker->ready)
		client_begin(client);
	b->idle = process_new(b);
	return client;
}

void client_destroy(struct client *client)
{
	struct client **at = &client->connection->clients;

	client_stop(client, SUNDOG_CHANNEL_STATE_OFF, SUNDOG_FAULT_CODE_NONE);
	while (*at != client)
		at = &(*at)->next;
	*at = client->next;
	free(client);
}

void clients_kill(const struct client *clients)
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

void client_on_channel_state(struct client *client, const struct message *m)
{
	const uint32_t channel = m->channel_state.channel;

	/* A worker may be hijacked: it speaks for its own channels only. */
	if (channel >= SUNDOG_MAX_CHANNELS || !has_channel(client, channel) ||
	    m->channel_state.state > SUNDOG_CHANNEL_STATE_DEAD)
		return;
	if (m->channel_state.state == SUNDOG_CHANNEL_STATE_OFF) {
		if (!client->connection->closing[channel])
			return;
		client_assign_channel(client, channel, false);
		client->connection->closing[channel] = 0;
	}
	connection_send(client->connection, &m->header, 0);
}

/* A worker may be hijacked: it answers for itself, each request once. */
void client_on_guest_unmapped(struct client *client)
{
	if (client->unmapped == client->connection->unmaps)
		return;
	client->unmapped++;
	connection_answer(client->connection);
}
