// SPDX-License-Identifier: MIT
/*
 * Peers of the broker, see peer.h. Called by fuzz-broker.c.
 */
#define _GNU_SOURCE
#include "peer.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "broker/broker.h"
#include "broker/connection.h"
#include "ipc/message.h"
#include "pool.h"
#include "scribble.h"
#include "stub-worker.h"

#define VRAM_SIZE (16ull << 20)
#define EXTENT_SHIFT 16
#define BACKLOG 16

struct peer {
	int fd;				/* -1: not connected */
	uint8_t party;
	bool device;
	/* its connection may end because of its own actions, or because it had another one */
	bool shut;
	struct message in;
	struct scribble_rest rest;
	int states[4];			/* of the first channels, -1: no state received */
};

static struct peer peers[MAX_PARTIES + 1];
static struct {
	int fd;
	struct sockaddr_un address;
	socklen_t size;
} doors[2];

/* Connections */

static void listen_for(int door, int type)
{
	struct sockaddr_un *address = &doors[door].address;

	/* Linux chooses an abstract socket name. */
	address->sun_family = AF_UNIX;
	doors[door].size = sizeof(*address);
	doors[door].fd = socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	MUST(doors[door].fd >= 0 &&
	     !bind(doors[door].fd, (struct sockaddr *)address, sizeof(address->sun_family)) &&
	     !listen(doors[door].fd, BACKLOG) &&
	     !getsockname(doors[door].fd, (struct sockaddr *)address, &doors[door].size), "listen");
}

void peers_init(void)
{
	listen_for(0, SOCK_SEQPACKET);
	listen_for(1, SOCK_STREAM);
	for (int party = 1; party <= MAX_PARTIES; party++)
		peers[party].fd = -1;
}

void peers_reset(struct broker *b)
{
	static bool watched;

	for (int i = 0; i < 2; i++) {
		struct listener *l = &b->listeners[i];

		l->source = (struct event_source){ SOURCE_LISTENER, doors[i].fd, l };
		l->role = i ? SUNDOG_ROLE_DEVICE : SUNDOG_ROLE_DIRECT;
		if (!watched)
			event_source_watch(&l->source);
	}
	watched = true;
	for (int party = 1; party <= MAX_PARTIES; party++) {
		peers[party].party = party;
		peers[party].shut = false;
		peers[party].rest.at = peers[party].rest.size = 0;
	}
}

struct peer *peer_get(uint8_t party)
{
	return &peers[party];
}

static int knock(int door)
{
	const int type = door ? SOCK_STREAM : SOCK_SEQPACKET;
	const int fd = socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd >= 0 && connect(fd, (struct sockaddr *)&doors[door].address, doors[door].size)) {
		close(fd);
		return -1;
	}
	return fd;
}

static int be_given(struct broker *b)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair))
		return -1;
	connection_new(b, pair[0], SUNDOG_ROLE_DEVICE, true);
	return pair[1];
}

void peer_connect(struct peer *p, struct broker *b, enum peer_way way)
{
	if (p->fd >= 0)
		return;
	p->fd = way == PEER_GIVEN ? be_given(b) : knock(way);
	p->device = way != PEER_DIRECT;
	message_begin(&p->in);
	p->rest.at = p->rest.size = 0;
	for (int i = 0; i < 4; i++)
		p->states[i] = -1;
}

void peer_leave(struct peer *p)
{
	if (p->fd < 0)
		return;
	message_close_fds(&p->in);
	close(p->fd);
	p->fd = -1;
	p->shut = true;
}

void peer_shut(struct peer *p, int how)
{
	if (p->fd < 0)
		return;
	shutdown(p->fd, how);
	p->shut = true;
}

/* Messages to the broker */

static void say(struct peer *p, const void *m, const int *fds, int n_fds)
{
	if (p->fd >= 0)
		message_send(p->fd, m, fds, n_fds);
}

static struct sundog_message_hello hello(const struct peer *p)
{
	struct sundog_message_hello m;

	message_init(&m, HELLO);
	m.magic = SUNDOG_MAGIC;
	m.version = SUNDOG_VERSION;
	m.role = p->device ? SUNDOG_ROLE_DEVICE : SUNDOG_ROLE_DIRECT;
	m.extent_shift = p->device ? EXTENT_SHIFT : 0;
	m.vram_size = pool_size(p->party, VRAM_SIZE);
	return m;
}

void peer_say_hello(struct peer *p)
{
	const struct sundog_message_hello m = hello(p);

	say(p, &m, NULL, 0);
}

static struct sundog_message_channel_create creation(uint32_t client, uint32_t channel)
{
	struct sundog_message_channel_create m;

	message_init(&m, CHANNEL_CREATE);
	m.client = client;
	m.channel = channel;
	return m;
}

void peer_create_channel(struct peer *p, uint32_t client, uint32_t channel)
{
	const struct sundog_message_channel_create m = creation(client, channel);

	say(p, &m, (const int[]){ pool_get(p->party, POOL_DOORBELL), pool_get(p->party, POOL_IRQ) },
	    2);
}

void peer_destroy_channel(struct peer *p, uint32_t client, uint32_t channel)
{
	struct sundog_message_channel_destroy m;

	message_init(&m, CHANNEL_DESTROY);
	m.client = client;
	m.channel = channel;
	say(p, &m, NULL, 0);
}

static struct sundog_message_guest_map map(const struct peer *p, uint64_t offset, uint64_t size)
{
	struct sundog_message_guest_map m;

	message_init(&m, GUEST_MAP);
	m.offset = offset;
	m.size = pool_size(p->party, size);
	return m;
}

void peer_map(struct peer *p, uint32_t nth)
{
	const struct sundog_message_guest_map m = map(p, nth * 0x20000ull, 0x10000);
	const int fd = pool_get(p->party, POOL_GUEST);

	say(p, &m, &fd, 1);
}

static void bring(const struct peer *p, struct message *m, int n)
{
	static const enum pool_kind kinds[][3] = {
		{ POOL_GUEST },
		{ POOL_DOORBELL, POOL_IRQ },
		{ POOL_VRAM, POOL_TABLE, POOL_CHANNELS },
	};

	for (m->n_fds = 0; m->n_fds < n; m->n_fds++)
		m->fds[m->n_fds] = pool_get(p->party, kinds[n - 1][m->n_fds]);
}

/* Returns one of a few valid channels, or an invalid one. */
static uint32_t channel(uint8_t arg)
{
	return arg < 0xf0 ? arg >> 2 & 3 : SUNDOG_MAX_CHANNELS + (arg & 15);
}

static uint64_t offset(uint8_t arg)
{
	return arg < 0xf0 ? (arg & 15) * 0x10000ull : -0x10000ull * (arg & 15);
}

/* Composes a valid message about one of a few clients, channels and ranges. */
static void compose(struct peer *p, uint8_t type, uint8_t arg, struct message *m)
{
	message_begin(m);
	switch (type % 8) {
	case 0:
		m->hello = hello(p);
		bring(p, m, p->device ? 3 : 0);
		break;
	case 1:
		m->channel_create = creation(arg & 3, channel(arg));
		bring(p, m, 2);
		break;
	case 2:
		message_init(&m->channel_destroy, CHANNEL_DESTROY);
		m->channel_destroy.channel = channel(arg);
		break;
	case 3:
		message_init(&m->client_destroy, CLIENT_DESTROY);
		m->client_destroy.client = arg & 3;
		break;
	case 4:
		m->guest_map = map(p, offset(arg), (1 + (arg >> 4)) * 0x10000ull);
		bring(p, m, 1);
		break;
	case 5:
		message_init(&m->guest_unmap, GUEST_UNMAP);
		m->guest_unmap.offset = offset(arg);
		m->guest_unmap.size = (1 + (arg >> 4)) * 0x10000ull;
		break;
	case 6:
		message_init(&m->revoke, REVOKE);
		m->revoke.serial = arg;
		break;
	default:
		/* Some message types of the same size are not allowed here. */
		message_init(&m->reset, RESET);
		if (arg > 127)
			m->header.type = arg - 128;
	}
}

void peer_send(struct peer *p, struct input *in)
{
	const uint8_t type = input_take(in), arg = input_take(in);
	struct message m;

	if (p->fd < 0 || !scribble_finish(p->fd, &p->rest))
		return;
	compose(p, type, arg, &m);
	scribble_send(p->fd, p->party, &m, scribble_ways(type), in, &p->rest);
}

void peer_continue(struct peer *p, struct input *in)
{
	scribble_continue(p->fd, p->party, &p->rest, in);
}

/* Memories */

static void write_entry(const struct peer *p, uint8_t handle, uint8_t a, uint8_t b)
{
	const struct sundog_alloc_entry entry = {
		.generation = a % 4,
		.size = (1 + (b & 15)) * SUNDOG_PAGE_SIZE,
		.heap = a & 4 ? SUNDOG_HEAP_GUEST : SUNDOG_HEAP_VRAM,
		.n_runs = 1,
		.offset = (b >> 4) * 0x8000ull,
	};

	pool_write(p->party, POOL_TABLE, handle * sizeof(entry), &entry, sizeof(entry));
}

void peer_write(struct peer *p, struct input *in)
{
	const uint64_t extents = SUNDOG_CONTROL_EXTENTS - SUNDOG_CONTROL_CHANNELS;
	const uint8_t what = input_take(in), at = what >> 2 & 3, a = input_take(in);
	const uint32_t client = a % 4;
	const struct sundog_ring_entry ring = { .stream_handle = a >> 2 & 3,
						.stream_generation = a % 4,
						.order = a & 7,
						.after = a >> 5 };
	const struct sundog_list_entry list = { .handle = a >> 2 & 3, .generation = a % 4 };

	switch (what % 4) {
	case 0:
		pool_write(p->party, POOL_CHANNELS, extents + (what >> 2) * sizeof(client), &client,
			   sizeof(client));
		break;
	case 1:
		write_entry(p, at, a, input_take(in));
		break;
	case 2:
		pool_write(p->party, POOL_CHANNELS, at * SUNDOG_CHANNEL_SIZE + SUNDOG_CHANNEL_RING,
			   &ring, sizeof(ring));
		break;
	default:
		pool_write(p->party, POOL_CHANNELS, at * SUNDOG_CHANNEL_SIZE + SUNDOG_CHANNEL_LIST,
			   &list, sizeof(list));
	}
}

/* Messages from the broker */

static void look(struct peer *p, const struct message *m)
{
	uint8_t party = p->party;

	switch (m->header.type) {
	case SUNDOG_MESSAGE_WELCOME:
		party = pool_party(m->welcome.vram_size);
		MUST(m->n_fds == (p->device ? 0 : 3),
		     "only a direct client gets memories, and it gets all");
		MUST(!m->n_fds || pool_party_of_memory(m->fds[0]) == party,
		     "a peer gets somebody else's VRAM");
		break;
	case SUNDOG_MESSAGE_CHANNEL_STATE:
		if (m->channel_state.arg)
			party = m->channel_state.arg;
		if (m->channel_state.channel < 4)
			p->states[m->channel_state.channel] = m->channel_state.state;
		break;
	case SUNDOG_MESSAGE_GUEST_MAPPED:
		if (m->guest_mapped.size)
			party = pool_party(m->guest_mapped.size);
		break;
	case SUNDOG_MESSAGE_GUEST_UNMAPPED:
		party = pool_party(m->guest_unmapped.size);
		break;
	case SUNDOG_MESSAGE_REVOKED:
		party = m->revoked.serial >> 28;
		break;
	case SUNDOG_MESSAGE_RESET_DONE:
	case SUNDOG_MESSAGE_ERROR:
		break;
	default:
		MUST(false, "a peer gets a message that is not for peers");
	}
	MUST(party == p->party, "a peer gets somebody else's message");
}

void peer_read(struct peer *p)
{
	int got;

	if (p->fd < 0)
		return;
	while ((got = message_continue(p->fd, p->device, &p->in)) == 1) {
		look(p, &p->in);
		message_close_fds(&p->in);
		message_begin(&p->in);
	}
	message_close_fds(&p->in);
	/* A direct client may run out of descriptors, which it shares with the broker here. */
	MUST(got != -EPROTO || !p->device, "a peer gets a malformed message");
	MUST(got || p->shut || !stub_workers_have(p->party),
	     "a peer sees its end before its workers are dead");
}

int peer_state(struct peer *p, uint32_t channel)
{
	const int state = p->states[channel];

	p->states[channel] = -1;
	return state;
}
