// SPDX-License-Identifier: MIT
/*
 * Tests heap GUEST in the renderer: guest pages are mapped, used by streams without a copy, and
 * unmapped. Also tests invalid messages of a guest driver.
 *
 * Memfds replace QEMU's udmabufs. With argument "stuck": a worker that does not give pages back.
 * Prints TAP.
 */
#define _GNU_SOURCE
#include <err.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <vulkan/vulkan_core.h>

#include "fake-device.h"
#include "patience.h"

/* Device handles of the allocations, and their offsets in VRAM. Client 1 owns all of VRAM. */
enum { LOCAL = STREAM + 1, GUEST, MOVER, RACER };
#define LOCAL_OFFSET STREAM_SIZE
#define LOCAL_SIZE (64 * PAGE)
#define MOVER_OFFSET (LOCAL_OFFSET + LOCAL_SIZE)
#define RACER_OFFSET (MOVER_OFFSET + LOCAL_SIZE)

/* Allocation GUEST consists of two runs of guest pages. */
#define HEAP_OFFSET (16 * PAGE)
#define FIRST_SIZE (2 * PAGE)
#define SECOND_SIZE (3 * PAGE)
#define GUEST_SIZE (FIRST_SIZE + SECOND_SIZE)

/* A device with a channel, and the pages of allocation GUEST. */
struct scene {
	struct device *d;
	struct channel ch;
	struct pages first, second;
};

static struct scene scene_new(void)
{
	struct scene s = { .d = device_new(), .first = pages_new(FIRST_SIZE),
			   .second = pages_new(SECOND_SIZE) };

	publish(s.d, LOCAL, SUNDOG_HEAP_VRAM, LOCAL_OFFSET, LOCAL_SIZE);
	publish(s.d, GUEST, SUNDOG_HEAP_GUEST, HEAP_OFFSET, GUEST_SIZE);
	give_extents(s.d, 0, VRAM_SIZE, 1);
	s.ch = channel_new(s.d, 1, 0);
	return s;
}

static bool scene_map(struct scene *s)
{
	return map_pages(s->d, HEAP_OFFSET, &s->first) &&
	       map_pages(s->d, HEAP_OFFSET + FIRST_SIZE, &s->second);
}

static bool shows(const struct scene *s, uint32_t value)
{
	return is_filled(s->first.map, FIRST_SIZE, value) &&
	       is_filled(s->second.map, SECOND_SIZE, value);
}

static void scene_free(struct scene *s)
{
	channel_free(&s->ch);
	device_free(s->d);
	pages_free(&s->first);
	pages_free(&s->second);
}

static const uint32_t guest[] = { GUEST, 0 }, guest_and_local[] = { GUEST, LOCAL, 0 },
	local[] = { LOCAL, 0 };

static bool fill_guest(struct scene *s, struct channel *ch, uint32_t value)
{
	emit_fill(s->d, GUEST, GUEST_SIZE, value);
	return run(s->d, ch, guest) && shows(s, value);
}

static void test_zero_copy(void)
{
	struct scene s = scene_new();
	bool ok = scene_map(&s);

	for (uint32_t i = 1; i <= 10; i++)
		ok = ok && fill_guest(&s, &s.ch, i);
	report(ok, "streams write pages of the guest");

	for (uint32_t i = 0; i < FIRST_SIZE / 4; i++)
		s.first.map[i] = i;
	for (uint32_t i = 0; i < SECOND_SIZE / 4; i++)
		s.second.map[i] = ~i;
	emit_copy(s.d, GUEST, LOCAL, GUEST_SIZE);
	ok = run(s.d, &s.ch, guest_and_local) &&
	     !memcmp(s.d->vram + LOCAL_OFFSET, s.first.map, FIRST_SIZE) &&
	     !memcmp(s.d->vram + LOCAL_OFFSET + FIRST_SIZE, s.second.map, SECOND_SIZE);
	report(ok, "streams read what the guest wrote to them");
	scene_free(&s);
}

/* Workers that started before and after the map can use the pages. */
static void test_workers(void)
{
	struct scene s = scene_new();
	struct channel late;
	bool ok = scene_map(&s);

	late = channel_new(s.d, 2, 1);
	ok = ok && fill_guest(&s, &s.ch, 1) && fill_guest(&s, &late, 2);
	report(ok, "a worker that starts later has the pages too");
	ok = unmap_pages(s.d, HEAP_OFFSET, FIRST_SIZE);
	submit(s.d, &late, STREAM, guest);
	report(ok && faults(s.d, &late, SUNDOG_FAULT_CODE_LIST), "and loses them with the others");
	channel_free(&late);
	scene_free(&s);
}

/* Mapped pages can be used as soon as the device gets GUEST_MAPPED, repeatedly. */
static void test_map_use_unmap(void)
{
	struct scene s = scene_new();
	bool ok = true;

	for (uint32_t i = 1; ok && i <= 200; i++) {
		ok = scene_map(&s);
		publish(s.d, GUEST, SUNDOG_HEAP_GUEST, HEAP_OFFSET, GUEST_SIZE);
		ok = ok && fill_guest(&s, &s.ch, i) &&
		     unmap_pages(s.d, HEAP_OFFSET + FIRST_SIZE, SECOND_SIZE) &&
		     unmap_pages(s.d, HEAP_OFFSET, FIRST_SIZE);
	}
	report(ok, "map, use and unmap, 200 times");
	scene_free(&s);
}

/* Moves an allocation to guest pages and back to VRAM, under the same handle. */
static void test_move(void)
{
	const uint32_t mover[] = { MOVER, LOCAL, 0 };
	struct scene s = scene_new();
	bool ok = scene_map(&s);

	for (uint32_t i = 1; ok && i <= 10; i++) {
		publish(s.d, MOVER, SUNDOG_HEAP_VRAM, MOVER_OFFSET, GUEST_SIZE);
		emit_fill(s.d, MOVER, GUEST_SIZE, i);
		ok = run(s.d, &s.ch, mover) &&
		     is_filled((void *)(s.d->vram + MOVER_OFFSET), GUEST_SIZE, i);
		publish(s.d, MOVER, SUNDOG_HEAP_GUEST, HEAP_OFFSET, GUEST_SIZE);
		emit_fill(s.d, MOVER, GUEST_SIZE, ~i);
		emit_copy(s.d, MOVER, LOCAL, GUEST_SIZE);
		ok = ok && run(s.d, &s.ch, mover) && shows(&s, ~i) &&
		     is_filled((void *)(s.d->vram + LOCAL_OFFSET), GUEST_SIZE, ~i) &&
		     is_filled((void *)(s.d->vram + MOVER_OFFSET), GUEST_SIZE, i);
	}
	report(ok, "an allocation moves between VRAM and the guest's pages");
	scene_free(&s);
}

static void test_unmapped(void)
{
	struct scene s = scene_new();
	struct channel other = channel_new(s.d, 2, 1);

	submit(s.d, &s.ch, STREAM, guest);
	report(faults(s.d, &s.ch, SUNDOG_FAULT_CODE_LIST), "pages that were never mapped");
	report(map_pages(s.d, HEAP_OFFSET, &s.first), "half of the pages are mapped");
	submit(s.d, &other, STREAM, guest);
	report(faults(s.d, &other, SUNDOG_FAULT_CODE_LIST), "an allocation with a hole");
	channel_free(&other);
	scene_free(&s);
}

/* The table still names unmapped pages: the submission faults and the worker goes on. */
static void test_stale(void)
{
	struct scene s = scene_new();
	struct channel other = channel_new(s.d, 1, 1);
	bool ok = scene_map(&s) && fill_guest(&s, &s.ch, 1) &&
		  unmap_pages(s.d, HEAP_OFFSET + FIRST_SIZE, SECOND_SIZE);

	emit_fill(s.d, GUEST, GUEST_SIZE, 2);
	submit(s.d, &s.ch, STREAM, guest);
	ok = ok && faults(s.d, &s.ch, SUNDOG_FAULT_CODE_LIST) && shows(&s, 1);
	report(ok, "pages that were taken back");
	emit_fill(s.d, LOCAL, LOCAL_SIZE, 3);
	report(run(s.d, &other, local), "another channel of that client goes on");
	channel_free(&other);
	scene_free(&s);
}

/* Entries of the table for more than any process can map. */
static void test_huge(void)
{
	static const uint64_t sizes[] = { 1ull << 44, 1ull << 63, (1ull << 63) + PAGE, -PAGE };
	struct scene s = scene_new();
	struct channel other = channel_new(s.d, 1, 1);
	bool ok = scene_map(&s);

	for (uint32_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct channel ch = channel_new(s.d, 1, 2 + i);

		publish(s.d, GUEST, SUNDOG_HEAP_GUEST, 0, sizes[i]);
		submit(s.d, &ch, STREAM, guest);
		ok = faults(s.d, &ch, SUNDOG_FAULT_CODE_LIST) && ok;
		channel_free(&ch);
	}
	report(ok, "an allocation of more than can be mapped");
	emit_fill(s.d, LOCAL, LOCAL_SIZE, 4);
	report(run(s.d, &other, local), "another channel of that client goes on after that");
	channel_free(&other);
	scene_free(&s);
}

/*
 * A list names an allocation and, in its last entry, the allocation that its handle names
 * meanwhile. The first allocation is not in the list any more then, so no object can be made in it.
 * In between are allocations that are new to the worker, which takes time to map them.
 */
#define RACES 1000
#define BYSTANDERS (SUNDOG_LIST_ENTRIES - 2)
#define MAX_DELAY_US 500000

/*
 * Submits the list and changes the handle after the delay. Returns the fault of the channel, or 0
 * if the entry ran. The list won the race if the fault is NOT_LISTED. Otherwise *@at is the stale
 * list entry.
 */
static uint32_t race(struct device *d, struct channel *ch, uint32_t id, unsigned int delay_us,
		     uint64_t *at)
{
	const struct timespec delay = { .tv_nsec = delay_us * 1000l };
	const struct sundog_cmd_create_image image = {
		.id = id, .mem = { .kres = 1 }, .type = VK_IMAGE_TYPE_2D,
		.format = VK_FORMAT_B8G8R8A8_UNORM,
		.extent = { 64, 64, 1 }, .levels = 1, .layers = 1, .samples = 1,
		.usage = SUNDOG_IMAGE_USAGE_SAMPLED,
	};
	struct message m = { .n_fds = 0 };

	for (uint32_t i = 1; i <= BYSTANDERS; i++) {
		publish(d, RACER + i, SUNDOG_HEAP_VRAM, LOCAL_OFFSET, PAGE);
		ch->list[i] = list_entry(d, RACER + i);
	}
	publish(d, RACER, SUNDOG_HEAP_VRAM, RACER_OFFSET, LOCAL_SIZE);
	ch->list[0] = ch->list[BYSTANDERS + 1] = list_entry(d, RACER);
	ch->list[0].kres = 1;
	ch->list[0].index = 0;
	ch->list[BYSTANDERS + 1].generation = ++d->generation;
	sundog_emit_create_image(&d->stream, &image);
	submit_list(d, ch, STREAM, 0, BYSTANDERS + 2);
	nanosleep(&delay, NULL);
	__atomic_store_n(&d->table[RACER].generation, d->generation, __ATOMIC_RELEASE);
	while (!is_done(ch) && !message_waits(d->sock))
		sched_yield();
	d->stream.used = 0;
	if (is_done(ch))
		return 0;
	if (!expect(d, SUNDOG_MESSAGE_CHANNEL_STATE, &m) ||
	    !expect_state(d, ch->index, SUNDOG_CHANNEL_STATE_DEAD, m.channel_state.fault))
		errx(1, "the channel does not die");
	*at = m.channel_state.arg;
	return m.channel_state.fault;
}

/*
 * The start of the worker depends on the load of the machine, so each lost race adjusts the delay:
 * the handle changed before the worker came to the first entry (@was_early), or after it had come
 * to the last one.
 */
static unsigned int next_delay(unsigned int delay_us, bool was_early)
{
	if (!was_early)
		return delay_us - delay_us / 8;
	return delay_us < MAX_DELAY_US ? delay_us + delay_us / 8 + 10 : MAX_DELAY_US;
}

static void test_list_race(void)
{
	uint32_t won = 0, fault = SUNDOG_FAULT_CODE_LIST, n = 0;
	const int64_t end = patience_end();
	unsigned int delay_us = 1000;
	struct scene s = scene_new();
	bool ok = true;
	uint64_t at;

	while (ok && won < 3 && (n < RACES || patience_pause(end))) {
		struct channel ch = channel_new(s.d, 1, 1);

		fault = race(s.d, &ch, ++n, delay_us, &at);
		won += fault == SUNDOG_FAULT_CODE_NOT_LISTED;
		ok = fault == SUNDOG_FAULT_CODE_NOT_LISTED || fault == SUNDOG_FAULT_CODE_LIST;
		if (fault == SUNDOG_FAULT_CODE_LIST)
			delay_us = next_delay(delay_us, !at);
		destroy(s.d, &ch);
		channel_free(&ch);
	}
	printf("# won %u of %u, the last fault is %u, the last delay %u us\n", won, n, fault,
	       delay_us);
	report(ok && won == 3, "what a handle named before it changed is not listed any more");
	scene_free(&s);
}

/* A running job may still write to the pages, so GUEST_UNMAPPED waits for it. */
static void test_unmap_busy(void)
{
	struct scene s = scene_new();
	bool ok = scene_map(&s), waited = true;

	for (uint32_t i = 1; ok && i <= 5; i++) {
		for (int j = 0; j < 2000; j++)
			emit_fill(s.d, GUEST, GUEST_SIZE, i << 16 | j);
		submit(s.d, &s.ch, STREAM, guest);
		/* The worker has taken and checked the entry while the pages were mapped. */
		while (s.ch.status->get != s.ch.control->put)
			sched_yield();
		ok = unmap_pages(s.d, HEAP_OFFSET, FIRST_SIZE);
		waited = waited && is_done(&s.ch);
		ok = ok && wait_done(s.d, &s.ch) && map_pages(s.d, HEAP_OFFSET, &s.first);
		publish(s.d, GUEST, SUNDOG_HEAP_GUEST, HEAP_OFFSET, GUEST_SIZE);
	}
	report(ok && waited, "pages are taken back when the job on them is done");
	scene_free(&s);
}

static void test_stream_in_guest(void)
{
	struct scene s = scene_new();
	bool ok = scene_map(&s);

	emit_fill(s.d, LOCAL, LOCAL_SIZE, 1);
	submit(s.d, &s.ch, GUEST, local);
	report(ok && faults(s.d, &s.ch, SUNDOG_FAULT_CODE_STREAM),
	       "a stream in the guest's pages is refused");
	scene_free(&s);
}

static void test_reset(void)
{
	struct scene s = scene_new();
	struct sundog_message_reset reset;
	struct message m;
	bool ok = scene_map(&s);

	message_init(&reset, RESET);
	send_message(s.d, &reset.header, NULL, 0);
	ok = ok && expect_state(s.d, 0, SUNDOG_CHANNEL_STATE_OFF, 0) &&
	     expect(s.d, SUNDOG_MESSAGE_RESET_DONE, &m);
	report(ok && scene_map(&s), "a reset takes everything back");
	scene_free(&s);
}

/*
 * Returns true if the renderer sends ERROR and closes the connection, as it does for an invalid
 * message.
 */
static bool is_refused(struct device *d)
{
	struct message m;
	const bool refused = expect(d, SUNDOG_MESSAGE_ERROR, &m);

	while (receive(d, &m))
		;
	return refused;
}

static void test_bad_map(const char *name, uint64_t offset, uint64_t size)
{
	struct scene s = scene_new();
	struct sundog_message_guest_map m;
	bool ok = scene_map(&s);

	message_init(&m, GUEST_MAP);
	m.offset = offset;
	m.size = size;
	send_message(s.d, &m.header, &s.first.fd, 1);
	report(ok && is_refused(s.d), name);
	scene_free(&s);
}

static void test_bad_unmap(const char *name, uint64_t offset, uint64_t size)
{
	struct scene s = scene_new();
	bool ok = scene_map(&s);

	post_unmap(s.d, offset, size);
	report(ok && is_refused(s.d), name);
	scene_free(&s);
}

/*
 * A device may give the memory of clients to others after RESET is answered or the connection is
 * closed: the workers must have exited by then.
 */
static void test_end_of_workers(bool reset)
{
	struct scene s = scene_new();
	struct channel others[MAX_WORKERS - 1];
	struct sundog_message_reset message;
	struct workers workers;
	struct message m;
	bool ok;

	for (uint32_t i = 0; i < MAX_WORKERS - 1; i++)
		others[i] = channel_new(s.d, i + 2, i + 1);
	workers = wait_for_workers(MAX_WORKERS);
	ok = any_runs(&workers);
	message_init(&message, RESET);
	if (reset)
		send_message(s.d, &message.header, NULL, 0);
	else
		post_unmap(s.d, HEAP_OFFSET, FIRST_SIZE);
	ok = ok && receive(s.d, &m) && !any_runs(&workers);
	report(ok, reset ? "no worker runs when the first channel is OFF after a reset" :
			   "no worker runs when the device is hung up on");
	for (uint32_t i = 0; i < MAX_WORKERS - 1; i++)
		channel_free(&others[i]);
	scene_free(&s);
}

/* Makes a scene whose worker is stopped, and so does not get the maps of pages that follow. */
static struct scene scene_stopped(struct workers *workers)
{
	struct scene s = scene_new();

	*workers = wait_for_workers(1);
	kill(workers->pids[0], SIGSTOP);
	return s;
}

static uint64_t map_offset(uint32_t i)
{
	return HEAP_OFFSET + i * FIRST_SIZE;
}

static bool fill_last_map(struct scene *s, struct channel *ch, uint32_t value)
{
	emit_fill(s->d, GUEST, FIRST_SIZE, value);
	return run(s->d, ch, guest) && is_filled(s->first.map, FIRST_SIZE, value);
}

static void test_all_maps(void)
{
	struct workers workers;
	struct scene s = scene_stopped(&workers);
	struct channel late;
	bool ok = true;

	for (uint32_t i = 0; ok && i < SUNDOG_MAX_GUEST_MAPS; i++)
		ok = map_pages(s.d, map_offset(i), &s.first);
	report(ok, "a worker that reads nothing holds up no map");
	ok = unmap_pages(s.d, map_offset(0), FIRST_SIZE) && map_pages(s.d, map_offset(0), &s.first);
	report(ok, "nor an unmap of pages that it does not use");
	kill(workers.pids[0], SIGCONT);
	publish(s.d, GUEST, SUNDOG_HEAP_GUEST, map_offset(SUNDOG_MAX_GUEST_MAPS - 1), FIRST_SIZE);
	late = channel_new(s.d, 2, 1);
	report(fill_last_map(&s, &s.ch, 1) && fill_last_map(&s, &late, 2),
	       "and finds all of them afterwards");
	channel_free(&late);
	scene_free(&s);
}

/* Submits a job of @fills fills of other memory. Returns when the worker has started it. */
static void start_job(struct scene *s, struct channel *ch, uint32_t fills)
{
	for (uint32_t i = 0; i < fills; i++)
		emit_fill(s->d, LOCAL, LOCAL_SIZE, i);
	submit(s->d, ch, STREAM, local);
	while (ch->status->get != ch->control->put)
		sched_yield();
}

static void give_again(struct scene *s)
{
	publish(s->d, GUEST, SUNDOG_HEAP_GUEST, HEAP_OFFSET, GUEST_SIZE);
}

/*
 * An unmap does not wait for a worker without mappings of the pages. Here that worker is stopped.
 */
static void test_unmap_of_others(void)
{
	struct scene s = scene_new();
	struct workers first = wait_for_workers(1), both;
	struct channel other = channel_new(s.d, 2, 1);
	bool ok = scene_map(&s) && fill_guest(&s, &s.ch, 1);
	int pid;

	both = wait_for_workers(2);
	pid = both.pids[both.pids[0] == first.pids[0]];
	for (uint32_t i = 0; ok && i < 5; i++) {
		start_job(&s, &other, 4000);
		kill(pid, SIGSTOP);
		ok = unmap_pages(s.d, HEAP_OFFSET, FIRST_SIZE);
		kill(pid, SIGCONT);
		ok = ok && wait_done(s.d, &other) && map_pages(s.d, HEAP_OFFSET, &s.first);
		give_again(&s);
		ok = ok && fill_guest(&s, &s.ch, i);
	}
	report(ok, "an unmap does not wait for jobs of those who do not use the pages");
	channel_free(&other);
	scene_free(&s);
}

/*
 * An unmap does not wait for jobs of the same client that do not use the pages. On a busy machine
 * the job may be done first, so the test tries again with longer jobs.
 */
static void test_unmap_idle(void)
{
	struct scene s = scene_new();
	bool ok = scene_map(&s) && fill_guest(&s, &s.ch, 1), waited = true;

	for (uint32_t i = 0; ok && waited && i < 20; i++) {
		start_job(&s, &s.ch, i < 2 ? 4000 << i : 16000);
		ok = unmap_pages(s.d, HEAP_OFFSET, FIRST_SIZE);
		waited = is_done(&s.ch);
		ok = ok && wait_done(s.d, &s.ch) && map_pages(s.d, HEAP_OFFSET, &s.first);
		give_again(&s);
		ok = ok && fill_guest(&s, &s.ch, i);
	}
	report(ok && !waited, "an unmap does not wait for jobs that do not use the pages");
	scene_free(&s);
}

/*
 * Before it answers, a worker may wait for NUM_BATCHES batches and one more, each of which may take
 * --timeout, and in any case for ten seconds. A worker that is stopped for longer than ten seconds
 * answers in time: it has at least 25 seconds here.
 */
static void test_slow_worker(void)
{
	const struct timespec pause = { .tv_sec = 10, .tv_nsec = 500000000 };
	struct scene s = scene_new();
	struct workers workers = wait_for_workers(1);
	struct message m;
	bool ok = scene_map(&s) && fill_guest(&s, &s.ch, 1);

	kill(workers.pids[0], SIGSTOP);
	post_unmap(s.d, HEAP_OFFSET, FIRST_SIZE);
	nanosleep(&pause, NULL);
	kill(workers.pids[0], SIGCONT);
	ok = ok && expect(s.d, SUNDOG_MESSAGE_GUEST_UNMAPPED, &m);
	emit_fill(s.d, LOCAL, LOCAL_SIZE, 1);
	report(ok && run(s.d, &s.ch, local),
	       "one that takes as long as its batches may is not ended");
	scene_free(&s);
}

/* With --timeout 1000 the worker has ten seconds. */
static void test_stuck_worker(void)
{
	struct scene s = scene_new();
	struct channel other = channel_new(s.d, 2, 1);
	struct workers workers = wait_for_workers(2);
	bool ok = scene_map(&s) && fill_guest(&s, &s.ch, 1);

	for (int i = 0; i < workers.n; i++)
		kill(workers.pids[i], SIGSTOP);
	/* GUEST_UNMAPPED, which waited for the worker, comes before the states of its channels. */
	ok = ok && unmap_pages(s.d, HEAP_OFFSET, FIRST_SIZE) &&
	     expect_state(s.d, 0, SUNDOG_CHANNEL_STATE_DEAD, SUNDOG_FAULT_CODE_WORKER);
	report(ok, "one that reads nothing for long is ended");
	for (int i = 0; i < workers.n; i++)
		kill(workers.pids[i], SIGCONT);
	emit_fill(s.d, LOCAL, LOCAL_SIZE, 1);
	report(run(s.d, &other, local), "and others go on");
	channel_free(&other);
	scene_free(&s);
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "stuck")) {
		test_stuck_worker();
		return report_end();
	}
	test_zero_copy();
	test_workers();
	test_map_use_unmap();
	test_move();
	test_unmapped();
	test_stale();
	test_huge();
	test_list_race();
	test_unmap_busy();
	test_stream_in_guest();
	test_reset();
	test_end_of_workers(true);
	test_end_of_workers(false);
	test_all_maps();
	test_unmap_of_others();
	test_unmap_idle();
	test_slow_worker();
	test_bad_map("a map over another one", HEAP_OFFSET + PAGE, FIRST_SIZE);
	test_bad_map("a map of more than there is", 0, 2 * FIRST_SIZE);
	test_bad_map("a map of nothing", 0, 0);
	test_bad_map("a map at half a page", PAGE / 2, FIRST_SIZE);
	test_bad_map("a map past the end of all", UINT64_MAX - PAGE + 1, FIRST_SIZE);
	test_bad_unmap("an unmap of nothing", 0, FIRST_SIZE);
	test_bad_unmap("an unmap of a part", HEAP_OFFSET, PAGE);
	test_bad_unmap("an unmap of two", HEAP_OFFSET, GUEST_SIZE);
	return report_end();
}
