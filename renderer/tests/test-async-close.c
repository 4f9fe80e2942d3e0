// SPDX-License-Identifier: MIT
/*
 * Tests async_close.h where no thread can be started: descriptors stay open, since close() in the
 * caller could block, and are closed when threads can be started again. Prints TAP.
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
#include <unistd.h>

#include "broker/async_close.h"
#include "broker/event_source.h"

#define N_PIPES 3
#define PATIENCE_MS 60000

static unsigned int count;
static bool failed, threads_fail;

static void report(bool ok, const char *name)
{
	printf("%sok %u - %s\n", ok ? "" : "not ", ++count, name);
	failed |= !ok;
}

/* Replaces libc's, as if the limit of threads was reached. */
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
		   void *arg)
{
	typeof(&pthread_create) create = dlsym(RTLD_NEXT, "pthread_create");

	return threads_fail ? EAGAIN : create(thread, attributes, start, arg);
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
	printf("1..%u\n", count);
	return failed;
}
