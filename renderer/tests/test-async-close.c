// SPDX-License-Identifier: MIT
/*
 * Tests async_close.h where no thread can be started: descriptors stay open, since close() in the
 * caller could block, and are closed when threads can be started again. Also tests it where close()
 * blocks in each thread: the threads are few, and one connection does not use up all. Prints TAP.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "broker/async_close.h"
#include "broker/event_source.h"
#include "broker/guest.h"
#include "broker/share.h"

#define N_PIPES 3
#define N_CONNECTIONS 10
#define N_CALLS 70			/* of one connection */
#define MANY_THREADS 600
#define THREADS_OF_ONE 64
#define USER 1000
#define OTHER_USER 1001
#define PATIENCE_MS 60000

static unsigned int count;
static bool failed, threads_fail, threads_block;
static unsigned int n_blocked;
static pthread_mutex_t blocked = PTHREAD_MUTEX_INITIALIZER;

static void report(bool ok, const char *name)
{
	printf("%sok %u - %s\n", ok ? "" : "not ", ++count, name);
	failed |= !ok;
}

struct blocked_thread {
	void *(*start)(void *arg);
	void *arg;
};

static void *blocked_main(void *arg)
{
	const struct blocked_thread thread = *(struct blocked_thread *)arg;

	free(arg);
	pthread_mutex_lock(&blocked);
	pthread_mutex_unlock(&blocked);
	return thread.start(thread.arg);
}

/*
 * Replaces libc's, as if the limit of threads was reached, or as if close() blocked in the thread
 * until unblock().
 */
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
		   void *arg)
{
	typeof(&pthread_create) create = dlsym(RTLD_NEXT, "pthread_create");
	struct blocked_thread *b = threads_block ? malloc(sizeof(*b)) : NULL;

	if (threads_fail)
		return EAGAIN;
	if (!b)
		return create(thread, attributes, start, arg);
	*b = (struct blocked_thread){ start, arg };
	n_blocked++;
	return create(thread, attributes, blocked_main, b);
}

static void block(void)
{
	pthread_mutex_lock(&blocked);
	threads_block = true;
	n_blocked = 0;
}

static void unblock(void)
{
	threads_block = false;
	pthread_mutex_unlock(&blocked);
}

static bool is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

/* Returns true if the other end of a pipe is closed, or is closed in time. */
static bool hangs_up(int fd)
{
	struct pollfd p = { .fd = fd };

	return poll(&p, 1, PATIENCE_MS) == 1 && p.revents & POLLHUP;
}

/* Returns true if all descriptors that wait for a thread get one in time. */
static bool all_resume(void)
{
	const int64_t end = now_ms() + PATIENCE_MS;

	while (async_close_resume(now_ms())) {
		if (now_ms() > end)
			return false;
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	}
	return true;
}

static int copy_of(int fd)
{
	const int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);

	if (copy < 0)
		err(1, "dup");
	return copy;
}

static void close_copies(struct async_closer *who, int fd)
{
	for (int i = 0; i < N_CALLS; i++) {
		const int copy = copy_of(fd);

		async_close_for(who, &copy, 1);
	}
}

/* Closes copies of @fd with one call, which uses all threads of a connection. */
static void close_at_once(struct async_closer *who, int fd)
{
	int copies[THREADS_OF_ONE];

	for (int i = 0; i < THREADS_OF_ONE; i++)
		copies[i] = copy_of(fd);
	async_close_for(who, copies, THREADS_OF_ONE);
}

static struct share_use count_files(const struct async_closer *who)
{
	struct share_use use = { 0 };

	async_closer_count(who, &use);
	return use;
}

/* Returns true if no descriptor counts, or none does in time. */
static bool none_counts(const struct async_closer *who)
{
	const int64_t end = now_ms() + PATIENCE_MS;

	while (count_files(who).all) {
		if (now_ms() > end)
			return false;
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	}
	return true;
}

static void test_blocked(void)
{
	struct async_closer *all[N_CONNECTIONS], *last = async_closer_new(USER);
	struct rlimit files;
	unsigned int before;
	int ends[2], copy;

	if (getrlimit(RLIMIT_NOFILE, &files))
		err(1, "getrlimit");
	files.rlim_cur = files.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &files) || pipe(ends))
		err(1, "pipe");
	block();
	close_copies(NULL, ends[1]);
	printf("# %u threads\n", n_blocked);
	report(n_blocked < N_CALLS, "calls without a connection have few threads");
	report(async_closer_is_slow(NULL), "and are too many");
	before = n_blocked;
	all[0] = async_closer_new(USER);
	close_copies(all[0], ends[1]);
	printf("# %u threads\n", n_blocked - before);
	report(n_blocked - before < N_CALLS, "a connection has few threads");
	for (int i = 1; i < N_CONNECTIONS; i++) {
		all[i] = async_closer_new(USER);
		close_copies(all[i], ends[1]);
	}
	printf("# %u threads\n", n_blocked);
	report(n_blocked < MANY_THREADS, "all connections together, too");
	before = n_blocked;
	copy = fcntl(ends[1], F_DUPFD_CLOEXEC, 0);
	async_close_for(last, &copy, 1);
	report(n_blocked == before + 1, "and yet another connection gets a thread");
	unblock();
	report(all_resume(), "when close() goes on, none wait");
	close(ends[1]);
	report(hangs_up(ends[0]), "and all are closed");
	close(ends[0]);
	for (int i = 0; i < N_CONNECTIONS; i++)
		async_closer_put(all[i]);
	async_closer_put(last);
}

static bool add_maps(struct guest_heap *heap, uint64_t n, int fd, struct async_closer *who)
{
	bool ok = true;

	for (uint64_t i = 0; i < n; i++)
		ok &= !guest_heap_add(heap, i * SUNDOG_PAGE_SIZE, SUNDOG_PAGE_SIZE, copy_of(fd),
				      who);
	return ok;
}

/* The broker pauses reading from a connection that removes maps faster than they are closed. */
static void test_maps(void)
{
	static struct guest_heap heap;
	struct async_closer *removed = async_closer_new(USER), *cleared = async_closer_new(USER);
	const uint64_t size = SUNDOG_PAGE_SIZE;
	unsigned int before;
	int ends[2];
	bool ok;

	if (pipe(ends))
		err(1, "pipe");
	block();
	ok = add_maps(&heap, N_CALLS, ends[1], removed);
	for (int i = 0; i < N_CALLS; i++)
		ok &= guest_heap_remove(&heap, i * size, size, removed);
	report(ok && async_closer_is_slow(removed), "removed maps count for their connection");
	close_at_once(cleared, ends[1]);
	ok = add_maps(&heap, N_CALLS, ends[1], cleared);
	before = n_blocked;
	guest_heap_clear(&heap, cleared);
	printf("# %u threads\n", n_blocked - before);
	report(ok && n_blocked == before, "and so do those that a reset removes");
	unblock();
	close(ends[1]);
	report(all_resume() && hangs_up(ends[0]), "they are closed");
	close(ends[0]);
	async_closer_put(removed);
	async_closer_put(cleared);
}

/*
 * Descriptors count until they are closed, also those that wait for a thread: a device that maps
 * and resets in a loop would use up all descriptors of the broker.
 */
static void test_count(void)
{
	static struct guest_heap heap;
	struct async_closer *device = async_closer_new(USER), *same_user = async_closer_new(USER),
		*other = async_closer_new(OTHER_USER);
	struct share_use use;
	int ends[2];
	bool ok = none_counts(other);

	if (pipe(ends))
		err(1, "pipe");
	block();
	close_at_once(device, ends[1]);
	ok = ok && add_maps(&heap, N_CALLS, ends[1], device) &&
	     !guest_heap_add(&heap, N_CALLS * SUNDOG_PAGE_SIZE, SUNDOG_PAGE_SIZE, -1, device);
	use = count_files(device);
	printf("# %u descriptors\n", use.connection);
	report(ok && use.connection == THREADS_OF_ONE + N_CALLS,
	       "maps and descriptors that are being closed count");
	guest_heap_clear(&heap, device);
	use = count_files(device);
	printf("# %u descriptors\n", use.connection);
	report(use.connection == THREADS_OF_ONE + N_CALLS,
	       "maps that a reset removes count until they are closed");
	async_closer_put(device);
	use = count_files(same_user);
	report(!use.connection && use.user == THREADS_OF_ONE + N_CALLS,
	       "after the connection has ended they count for its user");
	use = count_files(other);
	report(!use.user && use.all == THREADS_OF_ONE + N_CALLS,
	       "and in all, but not for another user");
	unblock();
	close(ends[1]);
	report(all_resume() && hangs_up(ends[0]) && none_counts(other),
	       "closed descriptors do not count");
	close(ends[0]);
	async_closer_put(same_user);
	async_closer_put(other);
}

/* One connection with many unfinished calls keeps nobody out. */
static void test_busy(void)
{
	struct async_closer *who = async_closer_new(USER);
	int ends[2];

	if (pipe(ends))
		err(1, "pipe");
	block();
	close_at_once(who, ends[1]);
	close_copies(who, ends[1]);
	report(!async_close_is_busy(), "one connection does not make the broker busy");
	unblock();
	close(ends[1]);
	report(all_resume() && hangs_up(ends[0]), "they are closed");
	close(ends[0]);
	async_closer_put(who);
}

int main(void)
{
	int pipes[N_PIPES][2];
	bool all_open = true, all_closed = true;
	int64_t next;

	for (int i = 0; i < N_PIPES; i++)
		if (pipe(pipes[i]))
			err(1, "pipe");
	threads_fail = true;
	for (int i = 0; i < N_PIPES; i++)
		async_close(&pipes[i][1], 1);
	for (int i = 0; i < N_PIPES; i++)
		all_open &= is_open(pipes[i][1]);
	report(all_open, "without threads, descriptors stay open");
	next = async_close_resume(now_ms());
	report(next > 0, "there is a time for the next attempt");
	next = async_close_resume(next);
	report(next > 0, "an attempt that fails is repeated later");
	threads_fail = false;
	report(!async_close_resume(next), "an attempt that succeeds is the last one");
	for (int i = 0; i < N_PIPES; i++)
		all_closed &= hangs_up(pipes[i][0]);
	report(all_closed, "with threads, they are closed");
	report(!async_close_resume(now_ms()), "none wait");
	test_blocked();
	test_maps();
	test_count();
	test_busy();
	printf("1..%u\n", count);
	return failed;
}
