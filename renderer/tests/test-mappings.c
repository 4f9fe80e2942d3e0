// SPDX-License-Identifier: MIT
/*
 * Tests mappings.h with the clients of one connection: a limit of their grants, and the end of a
 * REVOKE and of a GUEST_UNMAP, which the broker has to notice in a time that does not depend on the
 * number of grants. Prints TAP.
 */
#define _GNU_SOURCE
#include <err.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "broker/client.h"
#include "broker/connection.h"
#include "broker/mappings.h"

#define N_CLIENTS 24u
#define N_EARLY 60u			/* grants of the last client before the others get theirs */
#define FEW 128u			/* each client may have so many */
#define N_HANDLES 70000u		/* more than a connection may have grants */
#define MOST 65536u
#define EXTENT_SHIFT 16
#define VRAM_SIZE (16ull << 20)
#define N_ANSWERS 4000
#define MAX_CPU_MS 500			/* visiting all grants takes several times that */

static unsigned int count;
static bool failed;
static struct connection connection;
static struct client clients[N_CLIENTS];

static void report(bool ok, const char *name)
{
	printf("%sok %u - %s\n", ok ? "" : "not ", ++count, name);
	failed |= !ok;
}

static int cpu_ms(clock_t start)
{
	return (clock() - start) * 1000 / CLOCKS_PER_SEC;
}

static int memory(uint64_t size)
{
	const int fd = memfd_create("test", MFD_CLOEXEC);

	if (fd < 0 || ftruncate(fd, size))
		err(1, "memfd");
	return fd;
}

/* The driver's tables */

static void set_generation(uint32_t handle, uint64_t generation)
{
	const struct sundog_alloc_entry entry = { .generation = generation };

	if (pwrite(connection.memfds[1], &entry, sizeof(entry), handle * sizeof(entry)) !=
	    sizeof(entry))
		err(1, "pwrite");
}

static void set_owner(uint32_t extent, uint32_t owner)
{
	if (pwrite(connection.memfds[2], &owner, sizeof(owner),
		   SUNDOG_CONTROL_EXTENTS - SUNDOG_CONTROL_CHANNELS + extent * sizeof(owner)) !=
	    sizeof(owner))
		err(1, "pwrite");
}

static void begin(void)
{
	connection = (struct connection){
		.vram_size = VRAM_SIZE, .extent_shift = EXTENT_SHIFT,
		.broken = true,		/* answers are not sent */
		.memfds = { -1, memory(N_HANDLES * sizeof(struct sundog_alloc_entry)),
			    memory(SUNDOG_CHANNELS_MEMORY) },
	};
	for (uint32_t i = 1; i < N_HANDLES; i++)
		set_generation(i, i);
	for (uint32_t i = N_CLIENTS; i--;) {
		clients[i] = (struct client){ .id = i + 1, .connection = &connection,
					      .next = connection.clients };
		connection.clients = &clients[i];
		if (!mappings_init(&clients[i].mappings, &connection.granted,
				   VRAM_SIZE >> EXTENT_SHIFT))
			errx(1, "no memory");
	}
}

/* Grants a client as many allocations as it may have. Returns their number. */
static uint32_t grant_all(struct client *client)
{
	uint32_t n = 0;

	while (n + 1 < N_HANDLES &&
	       mappings_grant_allocation(&client->mappings, n + 1, n + 1, 0, SUNDOG_PAGE_SIZE))
		n++;
	return n;
}

static bool post_revoke(struct client *client)
{
	connection.revoking = true;
	return mappings_revoke_vram(client, 1);
}

static bool is_revoked(void)
{
	connection_answer(&connection);
	return !connection.revoking;
}

static bool grant_up_to(struct client *client, uint32_t n)
{
	bool ok = true;

	for (uint32_t i = client->mappings.n_allocations; ok && i < n; i++)
		ok = mappings_grant_allocation(&client->mappings, i + 1, i + 1, 0,
					       SUNDOG_PAGE_SIZE);
	return ok;
}

/* All clients but the last one want as much as they can get. */
static void test_limit(void)
{
	struct client *last = &clients[N_CLIENTS - 1];
	uint32_t n[N_CLIENTS], all = 0;
	bool each = grant_up_to(last, N_EARLY);

	for (uint32_t i = 0; i < N_CLIENTS - 1; i++) {
		n[i] = grant_all(&clients[i]);
		printf("# client %u has %u grants\n", i, n[i]);
		all += n[i];
		each &= n[i] >= FEW;
	}
	report(n[0] == (MOST - N_EARLY) / 2, "a client gets half of a connection's grants");
	report(each, "each client gets some, however many the others want");
	report(all <= MOST + N_CLIENTS * FEW,
	       "all clients together get few more than that connection may have");
	report(grant_up_to(last, FEW), "a client that has a few gets more");
	report(mappings_have_allocation(&clients[0].mappings, 1, 1, 0, SUNDOG_PAGE_SIZE) &&
	       mappings_grant_allocation(&clients[0].mappings, 1, 1, 0, SUNDOG_PAGE_SIZE),
	       "a client at its limit keeps its grants");
}

/* The last client has a grant of an allocation that is gone. */
static void test_revoke(void)
{
	struct client *last = &clients[N_CLIENTS - 1];
	bool none = true, waits = true;
	clock_t start;
	int ms;

	start = clock();
	for (uint32_t i = 0; i < N_CLIENTS; i++)
		none &= !post_revoke(&clients[i]);
	printf("# %d ms\n", cpu_ms(start));
	report(none && is_revoked(), "a REVOKE of nothing is done at once");
	set_generation(1, N_HANDLES);
	report(post_revoke(last) && post_revoke(last) && !is_revoked(),
	       "another one waits for a worker");
	start = clock();
	for (int i = 0; i < N_ANSWERS; i++)
		waits &= !is_revoked();
	ms = cpu_ms(start);
	printf("# %d ms\n", ms);
	report(waits && ms < MAX_CPU_MS, "it takes no time to see that it does");
	mappings_end(last, 1);
	report(is_revoked(), "it is done when the worker has given the allocation back");
	set_generation(1, 1);
}

static void test_extents(void)
{
	struct client *client = &clients[0];

	set_owner(2, client->id);
	set_owner(3, client->id);
	mappings_grant_extents(&client->mappings, 2, 2);
	report(!post_revoke(client) && is_revoked(), "extents of the client are not revoked");
	set_owner(3, 0);
	report(post_revoke(client) && !is_revoked(), "an extent that it lost is");
	mappings_end(client, 1);
	report(is_revoked(), "and is given back");
	set_owner(2, 0);
	set_generation(2, N_HANDLES);
	report(post_revoke(client) && !is_revoked(), "an extent and an allocation are revoked");
	mappings_free(&client->mappings);
	report(is_revoked(), "the end of the worker gives all back");
}

static void test_guest(void)
{
	const struct guest_map map = { 0, SUNDOG_PAGE_SIZE, -1 };
	const struct file_id file = { 1, 2 };
	uint32_t n_waiting = 0;
	bool ok = true;

	for (uint32_t i = 1; i < N_CLIENTS; i++)
		ok &= mappings_grant_guest(&clients[i].mappings, &map, &file);
	for (uint32_t i = 1; i < N_CLIENTS; i++)
		ok &= mappings_revoke_guest(&clients[i].mappings, 0, SUNDOG_PAGE_SIZE, 1,
					    &n_waiting);
	report(ok && n_waiting == N_CLIENTS - 1, "an unmap waits for each client with the pages");
	mappings_end(&clients[1], 1);
	report(n_waiting == N_CLIENTS - 2, "until it has given them back");
	for (uint32_t i = 2; i < N_CLIENTS; i++)
		mappings_free(&clients[i].mappings);
	report(!n_waiting, "or has ended");
}

int main(void)
{
	begin();
	test_limit();
	test_revoke();
	test_extents();
	test_guest();
	mappings_free(&clients[1].mappings);
	report(!connection.granted.n_allocations && !connection.granted.n_revoked,
	       "nothing is counted when all clients have ended");
	close(connection.memfds[1]);
	close(connection.memfds[2]);
	printf("1..%u\n", count);
	return failed;
}
