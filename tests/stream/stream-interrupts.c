// SPDX-License-Identifier: MIT
/*
 * Tests when a worker raises a channel's interrupt: irq_seqno and idle_seqno of struct
 * ring_control. Prints TAP.
 */
#include <err.h>
#include <poll.h>
#include <time.h>
#include <unistd.h>

#include "fake-device.h"
#include "patience.h"

#define TARGET (STREAM + 1)
#define TARGET_OFFSET (8ull << 20)
#define TARGET_SIZE (4ull << 20)
#define AHEAD 8

static const uint32_t listed[] = { TARGET, 0 };

/* Returns true if there is an interrupt within @timeout_ms, and consumes it. */
static bool takes(const struct channel *ch, int timeout_ms)
{
	struct pollfd irq = { .fd = ch->irq, .events = POLLIN };
	uint64_t count;

	return poll(&irq, 1, timeout_ms) == 1 &&
	       read(ch->irq, &count, sizeof(count)) == sizeof(count);
}

static bool asleep(const struct channel *ch)
{
	return __atomic_load_n(&ch->status->need_doorbell, __ATOMIC_ACQUIRE);
}

/* Waits until all entries are done and the worker sleeps: it raises no more interrupts then. */
static bool rests(struct device *d, struct channel *ch)
{
	const struct timespec moment = { .tv_nsec = 1000000 };

	if (!wait_done(d, ch))
		return false;
	for (int i = 0; i < PATIENCE_MS; i++) {
		if (asleep(ch)) {
			/* The worker sets its state before it raises the interrupt. */
			nanosleep(&moment, NULL);
			return true;
		}
		nanosleep(&moment, NULL);
	}
	return false;
}

static bool fill(struct device *d, struct channel *ch)
{
	emit_fill(d, TARGET, PAGE, 1);
	submit(d, ch, STREAM, listed);
	return rests(d, ch);
}

static void set(struct channel *ch, uint64_t irq_seqno, uint64_t idle_seqno)
{
	__atomic_store_n(&ch->control->irq_seqno, irq_seqno, __ATOMIC_RELAXED);
	__atomic_store_n(&ch->control->idle_seqno, idle_seqno, __ATOMIC_RELAXED);
}

static void test_none(struct device *d, struct channel *ch)
{
	set(ch, 0, 0);
	report(fill(d, ch) && !takes(ch, 0), "none that nobody asked for");
	set(ch, ch->seqno + 2, ch->seqno + 2);
	report(fill(d, ch) && !takes(ch, 0), "none for what is yet to come");
	set(ch, UINT64_MAX, UINT64_MAX);
	report(fill(d, ch) && !takes(ch, 0), "none for what never comes");
	set(ch, ch->seqno, 0);
	report(fill(d, ch) && !takes(ch, 0), "none for what was done before");
}

static void test_idle(struct device *d, struct channel *ch)
{
	set(ch, ch->seqno + 1, 0);
	report(fill(d, ch) && takes(ch, 0), "one for the seqno that is waited for");
	set(ch, 0, ch->seqno + 1);
	report(fill(d, ch) && takes(ch, PATIENCE_MS), "one when there is no more to do");
	report(fill(d, ch) && !takes(ch, 0), "which is told once");
	set(ch, 0, ch->seqno + 1);
	report(fill(d, ch) && takes(ch, PATIENCE_MS), "and again for what came later");
}

/* Keeps AHEAD entries of another channel in flight. */
static void keep_busy(struct device *d, struct channel *ch)
{
	while (ch->seqno - ch->status->completed < AHEAD) {
		d->stream.used = 0;
		emit_fill(d, TARGET, TARGET_SIZE, 2);
		submit(d, ch, STREAM, listed);
	}
}

static void test_beside(struct device *d, struct channel *ch)
{
	struct channel busy = channel_new(d, 1, 1);
	const int64_t end = patience_end();
	bool told;

	/* All entries of the other channel execute this stream. */
	emit_fill(d, TARGET, TARGET_SIZE, 2);
	report(run(d, &busy, listed), "another channel");
	set(ch, 0, ch->seqno + 1);
	keep_busy(d, &busy);
	submit(d, ch, STREAM, listed);
	do {
		keep_busy(d, &busy);
		told = takes(ch, 0);
	} while (!told && patience_pause(end));
	report(told && !is_done(&busy), "one though the other channel has more to do");
	report(wait_done(d, &busy), "which gets done");
	channel_free(&busy);
}

/* Writes numbers that no driver would, while the worker reads them. */
static void test_hostile(struct device *d, struct channel *ch)
{
	uint64_t number = 1;
	bool ok = true;

	for (int i = 0; i < 200; i++) {
		emit_fill(d, TARGET, PAGE, 3);
		submit(d, ch, STREAM, listed);
		while (!is_done(ch) && i % 10) {
			number = number * 6364136223846793005 + 1442695040888963407;
			set(ch, number >> (number & 63), number >> (number >> 32 & 63));
		}
		ok &= wait_done(d, ch);
	}
	report(ok, "numbers that change all the time hurt nobody");
}

int main(void)
{
	struct device *d = device_new();
	struct channel ch;

	publish(d, TARGET, SUNDOG_HEAP_VRAM, TARGET_OFFSET, TARGET_SIZE);
	give_extents(d, TARGET_OFFSET, TARGET_SIZE, 1);
	ch = channel_new(d, 1, 0);
	test_none(d, &ch);
	test_idle(d, &ch);
	test_beside(d, &ch);
	test_hostile(d, &ch);
	channel_free(&ch);
	device_free(d);
	return report_end();
}
