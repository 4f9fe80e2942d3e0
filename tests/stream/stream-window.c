// SPDX-License-Identifier: MIT
/*
 * Tests which parts of VRAM a worker maps, by /proc: its client's extents and the listed
 * allocations of others, until they are revoked. Prints TAP.
 */
#define _GNU_SOURCE
#include <err.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "fake-device.h"

/* Each client owns a part of VRAM. SHARED, which both use, is in extents that no client owns. */
enum { FIRST = STREAM + 1, SECOND, SHARED, MANY };
#define PART (4ull << 20)
#define FIRST_OFFSET PART
#define SECOND_OFFSET (2 * PART)
#define SHARED_OFFSET (3 * PART)
#define SIZE (16 * PAGE)

struct scene {
	struct device *d;
	struct channel first, second;
	int pids[2];			/* PIDs of their workers */
};

static struct scene scene_new(void)
{
	struct scene s = { .d = device_new() };
	struct workers one, two;

	publish(s.d, FIRST, SUNDOG_HEAP_VRAM, FIRST_OFFSET, SIZE);
	publish(s.d, SECOND, SUNDOG_HEAP_VRAM, SECOND_OFFSET, SIZE);
	publish(s.d, SHARED, SUNDOG_HEAP_VRAM, SHARED_OFFSET, SIZE);
	give_extents(s.d, FIRST_OFFSET, PART, 1);
	give_extents(s.d, SECOND_OFFSET, PART, 2);
	s.first = channel_new(s.d, 1, 0);
	one = wait_for_workers(1);
	s.second = channel_new(s.d, 2, 1);
	two = wait_for_workers(2);
	s.pids[0] = one.pids[0];
	s.pids[1] = two.pids[two.pids[0] == one.pids[0]];
	return s;
}

static void scene_free(struct scene *s)
{
	channel_free(&s->first);
	channel_free(&s->second);
	device_free(s->d);
}

static uint32_t *at(const struct scene *s, uint64_t offset)
{
	return (uint32_t *)(s->d->vram + offset);
}

static bool fill(struct scene *s, struct channel *ch, uint32_t handle, uint32_t value)
{
	const uint32_t list[] = { handle, 0 };

	emit_fill(s->d, handle, SIZE, value);
	return run(s->d, ch, list) && is_filled(at(s, s->d->table[handle].offset), SIZE, value);
}

static bool use_all(struct scene *s, uint32_t value)
{
	return fill(s, &s->first, FIRST, value) && fill(s, &s->second, SECOND, ~value) &&
	       fill(s, &s->first, SHARED, value) && fill(s, &s->second, SHARED, value + 1);
}

static bool maps(const struct scene *s, int worker, uint64_t offset, uint64_t size)
{
	return count_areas(s->d, s->pids[worker], offset, size);
}

static void test_own(void)
{
	struct scene s = scene_new();
	bool ok = use_all(&s, 1);

	report(ok && maps(&s, 0, FIRST_OFFSET, PART) && maps(&s, 1, SECOND_OFFSET, PART),
	       "workers map extents of their clients");
	report(!maps(&s, 0, SECOND_OFFSET, PART) && !maps(&s, 1, FIRST_OFFSET, PART),
	       "and none of others");
	report(maps(&s, 0, SHARED_OFFSET, SIZE) && maps(&s, 1, SHARED_OFFSET, SIZE) &&
	       !maps(&s, 0, SHARED_OFFSET + SIZE, PART - SIZE) &&
	       !maps(&s, 1, SHARED_OFFSET + SIZE, PART - SIZE),
	       "of nobody's extents they map the allocations that were listed");
	scene_free(&s);
}

/* New and freed allocations make no mappings: the client's extents stay one mapping. */
static void test_make_and_free(void)
{
	struct scene s = scene_new();
	bool ok = fill(&s, &s.first, FIRST, 1);

	for (uint32_t i = 0; ok && i < 1000; i++) {
		publish(s.d, MANY + i % 10, SUNDOG_HEAP_VRAM, FIRST_OFFSET + SIZE + i % 60 * SIZE,
			SIZE);
		ok = fill(&s, &s.first, MANY + i % 10, i);
	}
	report(ok && count_areas(s.d, s.pids[0], FIRST_OFFSET, PART) == 1,
	       "1000 allocations, one memory area");
	scene_free(&s);
}

static void test_foreign_extents(void)
{
	struct scene s = scene_new();
	bool ok = fill(&s, &s.second, SECOND, 1);

	/*
	 * An allocation that is exported later stays in the extents of its client. The kernel
	 * driver lists it for the other client.
	 */
	ok = ok && fill(&s, &s.second, FIRST, 2);
	report(ok && maps(&s, 1, FIRST_OFFSET, SIZE) &&
	       !maps(&s, 1, FIRST_OFFSET + SIZE, PART - SIZE),
	       "of another client's extents only the allocation that was listed is mapped");
	scene_free(&s);
}

static bool take_back(struct scene *s)
{
	post_revoke(s->d);
	return expect_revoked(s->d);
}

static void test_revoke(void)
{
	struct scene s = scene_new();
	bool ok = use_all(&s, 1);

	report(ok && take_back(&s) && use_all(&s, 2), "a revoke of nothing changes nothing");
	unpublish(s.d, FIRST);
	give_extents(s.d, FIRST_OFFSET, PART / 2, 0);
	ok = take_back(&s) && !maps(&s, 0, FIRST_OFFSET, PART / 2) &&
	     maps(&s, 0, FIRST_OFFSET + PART / 2, PART / 2) &&
	     maps(&s, 1, SECOND_OFFSET, PART) && maps(&s, 0, SHARED_OFFSET, SIZE);
	report(ok, "extents that were taken from a client are not mapped any more, all others are");
	give_extents(s.d, FIRST_OFFSET, PART / 2, 2);
	publish(s.d, FIRST, SUNDOG_HEAP_VRAM, FIRST_OFFSET, SIZE);
	report(fill(&s, &s.second, FIRST, 3) && !maps(&s, 0, FIRST_OFFSET, PART / 2),
	       "another client has them then");
	give_extents(s.d, FIRST_OFFSET, PART / 2, 1);
	ok = take_back(&s) && fill(&s, &s.first, FIRST, 4) &&
	     !maps(&s, 1, FIRST_OFFSET + SIZE, PART / 2 - SIZE);
	report(ok, "and the first one again");
	unpublish(s.d, SHARED);
	ok = take_back(&s) && !maps(&s, 0, SHARED_OFFSET, SIZE) &&
	     !maps(&s, 1, SHARED_OFFSET, SIZE);
	report(ok, "an allocation that was freed is not mapped any more");
	publish(s.d, SHARED, SUNDOG_HEAP_VRAM, SHARED_OFFSET + SIZE, SIZE);
	report(use_all(&s, 5), "its handle can be used anew");
	scene_free(&s);
}

/* A revoke does not wait for jobs on other memory. */
static void test_revoke_busy(void)
{
	const uint32_t list[] = { FIRST, 0 };
	struct scene s = scene_new();
	bool ok = use_all(&s, 1), busy = false;

	/* On a busy machine the job may be done first. */
	for (int i = 0; ok && !busy && i < 50; i++) {
		publish(s.d, SHARED, SUNDOG_HEAP_VRAM, SHARED_OFFSET, SIZE);
		ok = fill(&s, &s.first, SHARED, 1);
		for (int k = 0; k < 10000; k++)
			emit_fill(s.d, FIRST, SIZE, k);
		submit(s.d, &s.first, STREAM, list);
		while (s.first.status->get != s.first.control->put)
			sched_yield();
		unpublish(s.d, SHARED);
		ok = ok && take_back(&s);
		busy = !is_done(&s.first);
		ok = ok && wait_done(s.d, &s.first);
	}
	report(ok && busy, "a revoke does not wait for jobs");
	scene_free(&s);
}

static void test_revoke_stopped(void)
{
	struct scene s = scene_new();
	bool ok = fill(&s, &s.first, FIRST, 1) && fill(&s, &s.second, SECOND, 1);

	kill(s.pids[0], SIGSTOP);
	give_extents(s.d, SECOND_OFFSET + PART / 2, PART / 2, 0);
	report(ok && take_back(&s), "a revoke does not wait for a worker that has nothing of it");
	give_extents(s.d, FIRST_OFFSET, PART, 0);
	ok = take_back(&s) && !maps(&s, 0, FIRST_OFFSET, PART) &&
	     expect_state(s.d, 0, SUNDOG_CHANNEL_STATE_DEAD, SUNDOG_FAULT_CODE_WORKER);
	report(ok, "a worker that gives nothing back is ended");
	report(fill(&s, &s.second, SECOND, 2), "and others go on");
	scene_free(&s);
}

/* Returns the number of channel segments that the worker maps, by their status pages. */
static uint32_t count_segments(const struct scene *s, int worker)
{
	char path[64], line[512];
	uint32_t n = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", s->pids[worker]);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f))
		n += strstr(line, "rw-s") && strstr(line, "memfd:device-channels");
	if (f)
		fclose(f);
	return n;
}

static void test_channels(void)
{
	struct scene s = scene_new();
	struct channel third = channel_new(s.d, 1, 2);
	bool ok = count_segments(&s, 0) == 2 && count_segments(&s, 1) == 1;

	report(ok, "workers map their own channels");
	destroy(s.d, &third);
	report(count_segments(&s, 0) == 1 && use_all(&s, 1), "and those that are OFF no more");
	channel_free(&third);
	/* The slot gets a new owner. */
	third = channel_new(s.d, 2, 2);
	report(count_segments(&s, 0) == 1 && count_segments(&s, 1) == 2,
	       "which may be another client's then");
	channel_free(&third);
	scene_free(&s);
}

static void test_reset(void)
{
	struct sundog_message_reset reset;
	struct scene s = scene_new();
	bool ok = use_all(&s, 1), revoked = false;
	struct message m;

	kill(s.pids[0], SIGSTOP);
	give_extents(s.d, FIRST_OFFSET, PART, 0);
	post_revoke(s.d);
	message_init(&reset, RESET);
	send_message(s.d, &reset.header, NULL, 0);
	while (ok && receive(s.d, &m) && m.header.type != SUNDOG_MESSAGE_RESET_DONE)
		revoked |= m.header.type == SUNDOG_MESSAGE_REVOKED;
	report(ok && revoked && m.header.type == SUNDOG_MESSAGE_RESET_DONE,
	       "a reset ends a revoke");
	scene_free(&s);
}

static void test_bad(void)
{
	struct scene s = scene_new();
	bool ok = use_all(&s, 1);
	struct message m;

	kill(s.pids[0], SIGSTOP);
	give_extents(s.d, FIRST_OFFSET, PART, 0);
	post_revoke(s.d);
	post_revoke(s.d);
	while (ok && receive(s.d, &m) && m.header.type != SUNDOG_MESSAGE_ERROR)
		;
	report(ok && m.header.type == SUNDOG_MESSAGE_ERROR, "two revokes at a time are refused");
	scene_free(&s);
}

int main(void)
{
	test_own();
	test_make_and_free();
	test_foreign_extents();
	test_revoke();
	test_revoke_busy();
	test_channels();
	test_reset();
	test_bad();
	test_revoke_stopped();
	return report_end();
}
