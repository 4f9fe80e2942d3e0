// SPDX-License-Identifier: MIT
/*
 * libFuzzer target: the broker, between malicious peers and workers.
 *
 * An input is a list of actions. Peers connect, send valid or invalid messages in parts and with
 * any descriptors, read or do not read, disconnect, and write to their tables. Workers start,
 * answer or not, ask to map memory, write to the log and die. After an action the broker runs until
 * it has nothing to do, or a single step, or not at all. Everything runs in one process: peer.c has
 * the peers, stub-worker.c the workers, stub-host.c the host.
 *
 * Whatever happens, the broker finishes each event, no party receives anything of another party, no
 * descriptor leaks, and a bystander that connected first is always served.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/socket.h>

#include "broker/async_close.h"
#include "broker/broker.h"
#include "broker/client.h"
#include "broker/connection.h"
#include "broker/process.h"
#include "broker/share.h"
#include "ipc/log.h"
#include "input.h"
#include "peer.h"
#include "pool.h"
#include "stub-host.h"
#include "stub-worker.h"

#define BYSTANDER 1
#define MAX_STEPS 100000		/* more than any action gives the broker to do */
/* messages; more than the broker queues for a peer that does not read */
#define MAX_FLOOD 4096
#define MAX_MAPS 128			/* of all devices; flood() can send many times that */
/* Descriptors of refused maps that wait to be closed: of calls of live and of ended connections. */
#define MAX_REFUSED 256

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct broker_options options = {
	.device_fd = -1,
	.max_vram = 1ull << 30,
	.max_connections = 8,
	.max_handshakes = 3,
	.handshake_ms = 30000,
	.ready_ms = 120000,
	.worker = { .batch_ms = 5000 },
	.max_peers = 8,
	.max_workers = 8,
	.max_clients = 3,
};
static struct broker broker;
static unsigned int flooded;

static void settle(void)
{
	for (int i = 0; i < MAX_STEPS; i++)
		if (!broker_step(&broker))
			return;
	MUST(false, "the broker turns in circles");
}

/* Runs the broker until all killed workers are dead and the consequences are handled. */
static void settle_all(void)
{
	settle();
	while (stub_workers_die())
		settle();
}

/* The bystander */

static void expect(uint32_t channel, int state)
{
	struct peer *p = peer_get(BYSTANDER);

	settle();
	stub_worker_serve(stub_worker_honest());
	settle();
	peer_read(p);
	MUST(peer_state(p, channel) == state, "the bystander is not served");
}

static void bystander_begin(void)
{
	struct peer *p = peer_get(BYSTANDER);

	peer_connect(p, &broker, PEER_DIRECT);
	peer_say_hello(p);
	settle();
	peer_create_channel(p, 1, 0);
	expect(0, SUNDOG_CHANNEL_STATE_RUN);
}

static void bystander_check(void)
{
	struct peer *p = peer_get(BYSTANDER);

	peer_create_channel(p, 1, 1);
	expect(1, SUNDOG_CHANNEL_STATE_RUN);
	peer_destroy_channel(p, 1, 0);
	expect(0, SUNDOG_CHANNEL_STATE_OFF);
}

/* Actions */

static void flood(struct peer *p, uint8_t how)
{
	unsigned int n = 1u << (how % 13);

	if (n > MAX_FLOOD - flooded)
		return;
	flooded += n;
	while (n--) {
		if (how & 0x80)
			peer_map(p, n);
		else
			peer_create_channel(p, 0, how >> 4);
		broker_step(&broker);
	}
}

static void act_peer(uint8_t what, struct peer *p, struct input *in)
{
	switch (what) {
	case 0:
		peer_connect(p, &broker, input_take(in) % PEER_WAYS);
		break;
	case 1:
		peer_continue(p, in);
		break;
	case 2:
		peer_read(p);
		break;
	case 3:
		peer_leave(p);
		break;
	case 4:
		peer_shut(p, input_take(in) % 2 ? SHUT_RD : SHUT_WR);
		break;
	case 5:
		peer_write(p, in);
		break;
	case 6:
		flood(p, input_take(in));
		break;
	default:
		peer_send(p, in);
	}
}

static void act_worker(uint8_t what, struct stub_worker *w, struct input *in)
{
	switch (w ? what : UINT8_MAX) {
	case 0:
		stub_worker_send(w, in);
		break;
	case 1:
		stub_worker_ask(w, in);
		break;
	case 2:
		stub_worker_say(w, in);
		break;
	case 3:
		stub_worker_exit(w, input_take(in) % 2 ? WORKER_TIMEOUT : 1);
		break;
	case 4:
		stub_worker_serve(w);
		break;
	}
}

static void act_host(uint8_t what, struct input *in)
{
	const uint8_t arg = input_take(in);

	switch (what) {
	case 0:
		stub_host_pass(arg < 128 ? arg : (arg - 127) * 250);
		break;
	case 1:
		stub_host_set_closers(arg % 3);
		break;
	case 2:
		stub_workers_fail(arg % 4);
		break;
	default:
		stub_workers_die();
	}
}

static void act(struct input *in, uint8_t first)
{
	const uint8_t how = input_take(in), what = how & 31, who = input_take(in);

	if (what < 20)
		act_peer(what, peer_get(first + who % (MAX_PARTIES + 1 - first)), in);
	else if (what < 28)
		act_worker(what < 25 ? what - 20 : 4, stub_worker_pick(who), in);
	else
		act_host(what - 28, in);
	if (how & 0x80)
		return;
	if (how & 0x40)
		broker_step(&broker);
	else
		settle();
}

/* Invariants */

/* The sealing prevents the peer that sent a memory from shrinking it. */
static void check_memory(int fd)
{
	const int want = F_SEAL_SHRINK | F_SEAL_GROW;

	MUST((fcntl(fd, F_GET_SEALS) & want) == want, "a memory is not sealed");
}

static uint32_t check_guest(const struct guest_heap *heap)
{
	uint32_t files = 0;

	MUST(heap->n_maps <= SUNDOG_MAX_GUEST_MAPS,
	     "there are more maps of guest pages than there may be");
	for (uint32_t i = 0; i < heap->n_maps; i++) {
		const struct guest_map *map = &heap->maps[i];

		files += map->fd >= 0;
		if (map->fd >= 0)
			check_memory(map->fd);
		MUST(map->size && map->offset + map->size - 1 > map->offset,
		     "a map of guest pages has no end");
		MUST(!i || map[-1].offset + map[-1].size <= map->offset,
		     "maps of guest pages overlap");
	}
	return files;
}

/* @idle: the broker has closed all descriptors of the peer but those of @maps. */
static void check_files(const struct connection *c, uint32_t maps, bool idle)
{
	struct share_use use = { 0 };

	async_closer_count(c->brought, &use);
	MUST(idle ? use.connection == maps : use.connection >= maps,
	     "the broker does not count the descriptors of a connection right");
	MUST(use.connection <= use.user && use.user <= use.all,
	     "the broker does not count all descriptors right");
}

/* Counts what the clients' workers may still map although it is revoked. */
static void check_revoked(const struct connection *c)
{
	uint64_t revoked = 0, waiting = 0, guest = 0;

	for (const struct client *client = c->clients; client; client = client->next) {
		const struct mappings *g = &client->mappings;

		for (uint64_t i = 0; g->revoked && i < g->n_extents; i++)
			revoked += g->revoked[i];
		for (int i = 0; i < MAPPINGS_BUCKETS; i++)
			for (const struct grant *grant = g->allocations[i]; grant;
			     grant = grant->next)
				revoked += grant->request != 0;
		for (const struct guest_grant *grant = g->guest; grant; grant = grant->next)
			guest += grant->request != 0;
	}
	for (const struct unmap *unmap = c->unmapping; unmap; unmap = unmap->next)
		waiting += unmap->n_waiting;
	MUST(revoked == c->granted.n_revoked, "the broker does not count revoked grants right");
	MUST(waiting == guest, "the broker does not count revoked guest pages right");
}

/* @idle: no descriptor is in a queue or waits to be closed. */
static void check_lists(bool idle)
{
	unsigned int connections = 0, workers = 0, served = 0, clients = 0;

	for (const struct connection *c = broker.connections; c; c = c->next) {
		uint32_t granted = 0;

		connections++;
		check_files(c, check_guest(&c->guest), idle);
		check_revoked(c);
		for (int i = 0; c->greeted && i < 3; i++)
			check_memory(c->memfds[i]);
		for (const struct client *client = c->clients; client; client = client->next) {
			clients += client->worker != NULL;
			granted += client->mappings.n_allocations;
			MUST(client->connection == c, "a client is in two connections");
			MUST(!client->worker || client->worker->client == client,
			     "a worker has two clients");
		}
		MUST(granted == c->granted.n_allocations, "the broker does not count grants right");
	}
	for (const struct worker_process *w = broker.workers; w; w = w->next) {
		workers++;
		served += w->client != NULL;
	}
	MUST(connections == broker.n_connections && workers == broker.n_workers &&
		     clients == served,
	     "the broker does not count right");
	MUST(workers <= options.max_workers + 1, "there are more workers than there may be");
}

static void end(bool bystander)
{
	check_lists(false);
	MUST(!flooded || pool_guest_copies() <= MAX_MAPS + MAX_REFUSED,
	     "maps of guest pages use more descriptors than they may");
	stub_host_set_closers(CLOSERS_FREE);
	stub_workers_fail(0);
	settle();
	check_lists(false);
	if (bystander)
		bystander_check();
	for (int party = 1 + bystander; party <= MAX_PARTIES; party++) {
		peer_read(peer_get(party));
		peer_leave(peer_get(party));
	}
	/* Listeners may be waiting for their retry time. */
	stub_host_pass(1000);
	settle_all();
	check_lists(true);
	MUST(broker.n_connections == bystander, "a connection is left");
	peer_leave(peer_get(BYSTANDER));
	settle_all();
	check_lists(true);
	MUST(!broker.n_connections, "a connection is left");
	broker_end(&broker);
	stub_workers_check();
	pool_end();
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	log_level = LOG_INFO;
	pool_init();
	stub_workers_init();
	peers_init();
	return !event_sources_init();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	const uint8_t start = input_take(&in);
	const bool bystander = start % 8;

	flooded = 0;
	pool_begin();
	stub_host_reset();
	stub_workers_reset(bystander, !bystander && start & 8);
	broker_begin(&broker, &options);
	broker.max_maps = MAX_MAPS;
	peers_reset(&broker);
	broker.idle = process_new(&broker);
	if (bystander)
		bystander_begin();
	while (in.left)
		act(&in, 1 + bystander);
	end(bystander);
	return 0;
}
