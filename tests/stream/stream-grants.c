// SPDX-License-Identifier: MIT
/*
 * Tests work that a guest's kernel can cause in the broker, for which other clients wait: many
 * allocations that each span all of VRAM, that a worker was allowed to map and that the table names
 * again at a revoke. Also tests a program that maps all of VRAM at many device addresses.
 *
 * Measures the CPU time of the broker, so that a slow machine does not fail. Prints TAP.
 */
#include <err.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fake-device.h"

#define FIRST 100u
#define N_GRANTS 2000u
#define AT_ONCE 4u
#define N_ADDRESSES 8ull		/* which map 64 GiB */
#define ANSWER_S 10			/* a worker's time limit for an answer */
#define MAX_CPU_MS 1000			/* without the fix the broker needed several times that */

static uint64_t cpu_ms(int pid)
{
	unsigned long user = 0, system = 0;
	char path[64], line[1024];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	file = fopen(path, "r");
	if (!file || !fgets(line, sizeof(line), file))
		err(1, "%s", path);
	sscanf(strrchr(line, ')') + 2, "%*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %lu %lu", &user,
	       &system);
	fclose(file);
	return (user + system) * 1000 / sysconf(_SC_CLK_TCK);
}

static bool list(struct device *d, struct channel *ch, uint32_t handle)
{
	for (uint32_t i = 0; i < AT_ONCE; i++)
		ch->list[i] = list_entry(d, handle + i);
	*sundog_stream_reserve(&d->stream, SUNDOG_OP_NOP, 2) = 0;
	submit_list(d, ch, STREAM, 0, AT_ONCE);
	return wait_done(d, ch);
}

/*
 * Grants the worker allocations of all of VRAM. Then shrinks them to a page, so that it has address
 * space for the next ones.
 */
static bool grant(struct device *d, struct channel *ch, uint32_t handle, uint64_t *generations)
{
	for (uint32_t i = 0; i < AT_ONCE; i++) {
		publish(d, handle + i, SUNDOG_HEAP_VRAM, 0, VRAM_SIZE);
		generations[i] = d->table[handle + i].generation;
	}
	if (!list(d, ch, handle))
		return false;
	for (uint32_t i = 0; i < AT_ONCE; i++)
		publish(d, handle + i, SUNDOG_HEAP_VRAM, 0, PAGE);
	return list(d, ch, handle);
}

static void name_again(struct sundog_alloc_entry *entry, uint64_t generation)
{
	__atomic_store_n(&entry->generation, 0, __ATOMIC_RELEASE);
	entry->size = VRAM_SIZE;
	__atomic_store_n(&entry->generation, generation, __ATOMIC_RELEASE);
}

static void test_many(int renderd)
{
	uint64_t generations[N_GRANTS], ms;
	struct device *d = device_new();
	struct channel ch;
	bool ok = true;

	give_extents(d, 0, EXTENT, 1);
	ch = channel_new(d, 1, 0);
	for (uint32_t i = 0; ok && i < N_GRANTS; i += AT_ONCE)
		ok = grant(d, &ch, FIRST + i, generations + i);
	report(ok, "many allocations of all of VRAM");
	/*
	 * All but the first allocation: that one is given back, because otherwise the broker asks
	 * no worker.
	 */
	for (uint32_t i = 1; i < N_GRANTS; i++)
		name_again(&d->table[FIRST + i], generations[i]);
	ms = cpu_ms(renderd);
	post_revoke(d);
	report(expect_revoked(d), "some of it is given back");
	ms = cpu_ms(renderd) - ms;
	printf("# %d ms\n", (int)ms);
	report(ms < MAX_CPU_MS, "for which nobody else has to wait");
	channel_free(&ch);
	device_free(d);
}

static void signal_all(const struct workers *w, int signal)
{
	for (int i = 0; i < w->n; i++)
		kill(w->pids[i], signal);
}

/*
 * The broker is stopped for longer than the time limit of a worker that has answered at once: it
 * must not end the worker.
 */
static void test_late(int renderd)
{
	const uint32_t shared[] = { FIRST, 0 };
	struct device *d = device_new();
	struct workers all;
	struct channel ch;
	bool ok;

	give_extents(d, 0, EXTENT, 1);
	ch = channel_new(d, 1, 0);
	publish(d, FIRST, SUNDOG_HEAP_VRAM, VRAM_SIZE / 2, PAGE);
	emit_fill(d, FIRST, PAGE, 1);
	ok = run(d, &ch, shared);
	unpublish(d, FIRST);
	all = wait_for_workers(1);
	signal_all(&all, SIGSTOP);
	post_revoke(d);
	sleep(1);
	kill(renderd, SIGSTOP);
	signal_all(&all, SIGCONT);
	sleep(ANSWER_S + 1);
	kill(renderd, SIGCONT);
	ok = ok && expect_revoked(d);
	*sundog_stream_reserve(&d->stream, SUNDOG_OP_NOP, 2) = 0;
	submit(d, &ch, STREAM, (const uint32_t[]){ 0 });
	report(wait_done(d, &ch) && ok, "a worker is not late because the broker is");
	channel_free(&ch);
	device_free(d);
}

/* Mapping VRAM at many addresses would use memory for page tables that no limit counts. */
static void test_addresses(void)
{
	const uint32_t all[] = { FIRST, 0 };
	struct device *d = device_new();
	struct channel ch;

	give_extents(d, 0, EXTENT, 1);
	ch = channel_new(d, 1, 0);
	publish(d, FIRST, SUNDOG_HEAP_VRAM, 0, VRAM_SIZE);
	for (uint64_t i = 1; i <= N_ADDRESSES; i++)
		sundog_emit_map_address(&d->stream, &(struct sundog_cmd_map_address){
			mem(FIRST), i * VRAM_SIZE });
	sundog_emit_unmap_address(&d->stream, &(struct sundog_cmd_unmap_address){ VRAM_SIZE });
	sundog_emit_map_address(&d->stream, &(struct sundog_cmd_map_address){
		mem(FIRST), VRAM_SIZE });
	report(run(d, &ch, all), "all of VRAM at many addresses");
	sundog_emit_map_address(&d->stream,
				&(struct sundog_cmd_map_address){ mem(FIRST),
								  (N_ADDRESSES + 1) * VRAM_SIZE });
	submit(d, &ch, STREAM, all);
	report(faults(d, &ch, SUNDOG_FAULT_CODE_HOST), "but at no more");
	channel_free(&ch);
	device_free(d);
}

int main(void)
{
	const int renderd = atoi(getenv("SUNDOG_RENDERD"));

	test_late(renderd);
	test_many(renderd);
	test_addresses();
	return report_end();
}
