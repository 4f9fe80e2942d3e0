// SPDX-License-Identifier: MIT
/*
 * Tests the order of entries of several channels by their fields `order` and `after`, with valid
 * and invalid values. Prints TAP.
 */
#include <err.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "fake-device.h"

#define CHANNELS 3
#define ENTRIES 4

/* A stream for each entry, and the page that all of them fill. */
enum { FIRST_STREAM = STREAM + 1, TARGET = FIRST_STREAM + CHANNELS * ENTRIES };
#define PART (4ull << 20)
#define TARGET_OFFSET (PART + TARGET * PAGE)

struct entry {
	uint32_t channel;
	uint64_t order, after;
	uint32_t value;			/* fill value; 0: the entry faults */
};

/* Puts an entry with its own stream into the ring, without ringing the doorbell. */
static void put(struct device *d, struct channel *ch, uint32_t stream, const struct entry *e)
{
	const uint64_t offset = PART + stream * PAGE;
	const uint32_t at = ch->control->put, first = at % SUNDOG_RING_SLOTS * SUNDOG_LIST_PER_SLOT;

	d->stream.used = 0;
	emit_fill(d, TARGET, PAGE, e->value);
	memcpy(d->vram + offset, d->vram + STREAM_OFFSET, d->stream.used * 4);
	if (!e->value)
		*(uint32_t *)(d->vram + offset) = UINT32_MAX;	/* an unknown opcode */
	ch->list[first] = list_entry(d, TARGET);
	ch->ring[at % SUNDOG_RING_SLOTS] = (struct sundog_ring_entry){
		.seqno = ++ch->seqno,
		.stream_handle = stream, .stream_generation = d->table[stream].generation,
		.stream_dwords = d->stream.used,
		.list_first = first, .list_count = 1,
		.order = e->order, .after = e->after,
	};
	__atomic_store_n(&ch->control->put, at + 1, __ATOMIC_RELEASE);
}

static void ring(const struct channel *ch)
{
	const uint64_t one = 1;

	if (write(ch->doorbell, &one, sizeof(one)) != sizeof(one))
		err(1, "doorbell");
}

/*
 * Puts all entries before the worker sees any. @winner: fill value of the entry that must run last;
 * 0: only checks that no channel waits forever.
 */
static void test(const char *name, const struct entry *entries, uint32_t n, uint32_t winner)
{
	const struct timespec moment = { .tv_nsec = 20000000 };
	struct device *d = device_new();
	struct channel channels[CHANNELS];
	bool ok = true;

	for (uint32_t i = FIRST_STREAM; i <= TARGET; i++)
		publish(d, i, SUNDOG_HEAP_VRAM, PART + i * PAGE, PAGE);
	give_extents(d, PART, PART, 1);
	for (uint32_t i = 0; i < CHANNELS; i++)
		channels[i] = channel_new(d, 1, i);
	nanosleep(&moment, NULL);
	for (uint32_t i = 0; i < n; i++)
		put(d, &channels[entries[i].channel], FIRST_STREAM + i, &entries[i]);
	for (uint32_t i = 0; i < CHANNELS; i++)
		ring(&channels[i]);
	for (uint32_t i = 0; i < n; i++) {
		struct channel *ch = &channels[entries[i].channel];

		if (!entries[i].value)
			ok &= faults(d, ch, entries[i].after >
				     entries[i].order ? SUNDOG_FAULT_CODE_RING :
				     SUNDOG_FAULT_CODE_OPCODE);
		else
			ok &= wait_done(d, ch);
	}
	ok &= !winner || is_filled((uint32_t *)(d->vram + TARGET_OFFSET), PAGE, winner);
	report(ok, name);
	for (uint32_t i = 0; i < CHANNELS; i++)
		channel_free(&channels[i]);
	device_free(d);
}

#define TEST(name, winner, ...) \
	test(name, (const struct entry[]){ __VA_ARGS__ }, \
	     sizeof((const struct entry[]){ __VA_ARGS__ }) / sizeof(struct entry), winner)

int main(void)
{
	TEST("a channel behind the other's", 2, { 2, 1, 1, 1 }, { 0, 2, 2, 2 });
	TEST("a channel before the other's", 2, { 0, 1, 1, 1 }, { 2, 2, 2, 2 });
	TEST("back and forth", 9,
	     { 2, 1, 1, 1 }, { 0, 2, 2, 2 }, { 1, 3, 3, 3 }, { 2, 4, 4, 4 }, { 1, 5, 5, 5 },
	     { 0, 6, 6, 6 }, { 2, 7, 7, 7 },
	     { 1, 8, 8, 8 }, { 0, 9, 9, 9 });
	TEST("the largest numbers", 2, { 2, UINT64_MAX - 1, UINT64_MAX - 1, 1 },
	     { 0, UINT64_MAX, UINT64_MAX, 2 });
	TEST("who does not ask does not wait", 1, { 2, 1, 1, 1 }, { 0, 2, 0, 2 });
	TEST("numbers that repeat", 0, { 0, 7, 7, 1 }, { 1, 7, 7, 2 }, { 2, 7, 7, 3 });
	TEST("numbers that fall", 0,
	     { 0, 9, 9, 1 }, { 0, 1, 1, 2 }, { 1, 5, 5, 3 }, { 1, 4, 4, 4 }, { 2, 8, 8, 5 },
	     { 2, 0, 0, 6 });
	TEST("some without numbers", 0, { 0, 9, 9, 1 }, { 1, 0, 0, 2 }, { 2, 3, 3, 3 });
	TEST("a channel that dies holds nobody up", 2, { 2, 1, 1, 0 }, { 0, 2, 2, 2 });
	TEST("a channel that waits for larger numbers dies", 1,
	     { 0, 2, 2, 1 }, { 1, 1, 2, 0 }, { 2, 3, UINT64_MAX, 0 });
	TEST("two that wait for each other's larger numbers", 0, { 0, 1, 9, 0 }, { 1, 2, 9, 0 });
	TEST("nor one that dies behind others", 1, { 0, 1, 1, 1 }, { 1, 2, 2, 0 }, { 2, 3, 3, 0 });
	return report_end();
}
