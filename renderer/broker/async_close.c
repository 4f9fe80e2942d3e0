// SPDX-License-Identifier: MIT
/*
 * Asynchronous close(), see async_close.h: one detached thread per descriptor, within limits of all
 * connections and of each. The broker's event thread queues descriptors; the counters are atomic.
 * Descriptors for which no thread can be started wait in a list: whatever keeps threads from
 * starting, close() in the event thread could last for ever.
 */
#include "broker/async_close.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "broker/event_source.h"
#include "broker/share.h"

#define MAX_BUSY 64
#define MAX_THREADS 512
#define MAX_THREADS_OF_ONE 64		/* of one connection */
/* A connection may have so many even if others have MAX_THREADS, so that it is not held up. */
#define MIN_THREADS_OF_ONE 4
#define STUCK_MS 1000
#define RETRY_MS 10			/* between attempts to start a thread */
/*
 * More unfinished async_close_for() calls of one connection do not count in @busy, and no messages
 * of its peer are read.
 */
#define MAX_OF_ONE 16

struct async_closer {
	struct async_closer *next;
	uid_t uid;
	/* refs: one is of the list of closers, which frees */
	atomic_int refs, batches, threads, files;
};

/* File descriptors queued by one async_close_for() call. */
struct batch {
	struct batch *next_waiting;
	struct async_closer *who;
	atomic_int next, threads;
	int n;
	int fds[];
};

static atomic_int busy, n_threads;
static struct async_closer of_no_connection = { .uid = (uid_t)-1, .refs = 1 };
/* All but of_no_connection; of the event thread. */
static struct async_closer *closers;
/* Batches without a thread, oldest first, of the event thread. */
static struct batch *waiting, **last_waiting = &waiting;
static int64_t retry_ms;
/*
 * When the number of unfinished calls reached MAX_BUSY; reset to 0 when it falls to half of that.
 */
static _Atomic int64_t full_ms;

/* Frees the closers that nothing but the list refers to, so none can refer to them again. */
static void free_unused(void)
{
	struct async_closer **at = &closers;

	while (*at) {
		struct async_closer *who = *at;

		if (who->refs > 1) {
			at = &who->next;
			continue;
		}
		*at = who->next;
		free(who);
	}
}

struct async_closer *async_closer_new(uid_t uid)
{
	struct async_closer *who = malloc(sizeof(*who));

	free_unused();
	if (!who)
		return NULL;
	*who = (struct async_closer){ .next = closers, .uid = uid, .refs = 2 };
	closers = who;
	return who;
}

void async_closer_put(struct async_closer *who)
{
	if (who)
		who->refs--;
}

static struct async_closer *closer_of(struct async_closer *who)
{
	return who ? who : &of_no_connection;
}

void async_closer_keep(struct async_closer *who, int n)
{
	closer_of(who)->files += n;
}

void async_closer_count(const struct async_closer *who, struct share_use *use)
{
	free_unused();
	use->all += of_no_connection.files;
	for (const struct async_closer *other = closers; other; other = other->next) {
		/* Read it once: threads change it, and @use must stay consistent. */
		const unsigned int n = other->files;

		use->all += n;
		use->user += other->uid == who->uid ? n : 0;
		use->connection += other == who ? n : 0;
	}
}

bool async_closer_is_closing(const struct async_closer *who)
{
	return who->batches > 0;
}

bool async_closer_is_slow(const struct async_closer *who)
{
	return (who ? who : &of_no_connection)->batches >= MAX_OF_ONE;
}

static void close_all(const int *fds, int n)
{
	for (int i = 0; i < n; i++)
		if (fds[i] >= 0)
			close(fds[i]);
}

static void batch_end(struct batch *batch)
{
	bool counts;

	if (--batch->threads)
		return;
	counts = batch->who->batches-- <= MAX_OF_ONE;
	async_closer_put(batch->who);
	free(batch);
	if (counts && --busy == MAX_BUSY / 2)
		full_ms = 0;
}

static void *closer_main(void *arg)
{
	struct batch *batch = arg;
	int i;

	while ((i = batch->next++) < batch->n) {
		close(batch->fds[i]);
		batch->who->files--;
	}
	batch->who->threads--;
	batch_end(batch);
	n_threads--;
	return NULL;
}

static bool may_start(const struct async_closer *who)
{
	return who->threads < MIN_THREADS_OF_ONE ||
	       (who->threads < MAX_THREADS_OF_ONE && n_threads < MAX_THREADS);
}

static bool start_thread(struct batch *batch)
{
	pthread_t thread;

	n_threads++;
	batch->who->threads++;
	batch->threads++;
	if (pthread_create(&thread, NULL, closer_main, batch)) {
		n_threads--;
		batch->who->threads--;
		batch->threads--;
		return false;
	}
	pthread_detach(thread);
	return true;
}

static void batch_begin(struct batch *batch, struct async_closer *who)
{
	batch->who = who;
	who->refs++;
	who->files += batch->n;
	if (who->batches++ < MAX_OF_ONE && ++busy == MAX_BUSY && !full_ms)
		full_ms = now_ms();
}

/*
 * Starts one thread per descriptor, within the limits: a descriptor does not wait behind another
 * one that blocks in close(). Returns false if none could be started.
 */
static bool batch_start(struct batch *batch)
{
	int started = 0;

	while (started < batch->n && may_start(batch->who) && start_thread(batch))
		started++;
	if (started)
		batch_end(batch);
	return started;
}

void async_close_for(struct async_closer *who, const int *fds, int n)
{
	struct batch *batch = n ? malloc(sizeof(*batch) + n * sizeof(*fds)) : NULL;

	if (!batch) {
		close_all(fds, n);
		return;
	}
	*batch = (struct batch){ .threads = 1 };
	for (int i = 0; i < n; i++)
		if (fds[i] >= 0)
			batch->fds[batch->n++] = fds[i];
	if (!batch->n) {
		free(batch);
		return;
	}
	batch_begin(batch, closer_of(who));
	if (batch_start(batch))
		return;
	if (!waiting)
		retry_ms = now_ms() + RETRY_MS;
	*last_waiting = batch;
	last_waiting = &batch->next_waiting;
}

/* Starts threads for the waiting batches, except those of connections at their limit. */
static void start_waiting(void)
{
	struct batch **at = &waiting;

	while (*at) {
		/* The last thread frees the batch. */
		struct batch *batch = *at, *next = batch->next_waiting;

		if (!may_start(batch->who))
			at = &batch->next_waiting;
		else if (batch_start(batch))
			*at = next;
		else
			return;
	}
	last_waiting = at;
}

int64_t async_close_resume(int64_t now)
{
	if (waiting && now >= retry_ms) {
		start_waiting();
		retry_ms = now + RETRY_MS;
	}
	return waiting ? retry_ms : 0;
}

bool async_close_is_busy(void)
{
	return busy >= MAX_BUSY;
}

bool async_close_is_stuck(void)
{
	const int64_t since = full_ms;

	return since && now_ms() - since > STUCK_MS;
}
