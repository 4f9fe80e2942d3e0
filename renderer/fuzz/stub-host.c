// SPDX-License-Identifier: MIT
/*
 * The host of the broker's fuzz target, see stub-host.h.
 */
#define _GNU_SOURCE
#include "stub-host.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "broker/broker_sandbox.h"
#include "broker/event_source.h"
#include "broker/worker_log.h"
#include "input.h"
#include "ipc/log.h"

/* More than async_close.c starts: 512, and 4 of each connection. */
#define MAX_STUCK 1024
/* Linux rounds it up to its minimum: a few messages. */
#define ROOM 1

int64_t __wrap_now_ms(void);
int __real_event_sources_wait(struct event_source **s, uint32_t *events, int timeout_ms);
int __wrap_event_sources_wait(struct event_source **s, uint32_t *events, int timeout_ms);
int __real_accept4(int fd, struct sockaddr *address, socklen_t *size, int flags);
int __wrap_accept4(int fd, struct sockaddr *address, socklen_t *size, int flags);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
			  void *(*start)(void *), void *arg);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
			  void *(*start)(void *), void *arg);
int __real_pthread_detach(pthread_t thread);
int __wrap_pthread_detach(pthread_t thread);
int __real_socketpair(int domain, int type, int protocol, int *pair);
int __wrap_socketpair(int domain, int type, int protocol, int *pair);
void __wrap_log_write(enum log_level level, const char *fmt, ...);
void __wrap_log_line(const char *prefix, const char *text, size_t size);

static int64_t now = 1;
static bool is_executing;
static enum stub_closers closers;
static struct stuck_thread {
	void *(*start)(void *arg);
	void *arg;
} stuck[MAX_STUCK];
static unsigned int n_stuck;

/* Two periods later, because the log's limits count per period. */
void stub_host_reset(void)
{
	now += 2 * LOG_PERIOD_MS;
	is_executing = true;
	closers = CLOSERS_FREE;
}

void stub_host_pass(unsigned int ms)
{
	now += ms;
}

void stub_host_set_closers(enum stub_closers how)
{
	closers = how;
	while (how == CLOSERS_FREE && n_stuck) {
		n_stuck--;
		stuck[n_stuck].start(stuck[n_stuck].arg);
	}
}

/* Clock and events */

int64_t __wrap_now_ms(void)
{
	return now;
}

int __wrap_event_sources_wait(struct event_source **s, uint32_t *events, int timeout_ms)
{
	(void)timeout_ms;
	return __real_event_sources_wait(s, events, 0);
}

/* Sockets */

static void shrink(int fd)
{
	const int room = ROOM;

	setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
}

int __wrap_accept4(int fd, struct sockaddr *address, socklen_t *size, int flags)
{
	const int peer = __real_accept4(fd, address, size, flags);

	if (peer >= 0)
		shrink(peer);
	return peer;
}

int __wrap_socketpair(int domain, int type, int protocol, int *pair)
{
	const int err = __real_socketpair(domain, type, protocol, pair);

	if (!err)
		shrink(pair[0]);
	return err;
}

/* Threads */

/* libFuzzer's own threads start before the first execution. */
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
			  void *(*start)(void *), void *arg)
{
	if (!is_executing)
		return __real_pthread_create(thread, attributes, start, arg);
	memset(thread, 0, sizeof(*thread));
	switch (closers) {
	case CLOSERS_FREE:
		start(arg);
		return 0;
	case CLOSERS_NONE:
		return EAGAIN;
	default:
		MUST(n_stuck < MAX_STUCK, "there are more threads than there may be");
		stuck[n_stuck++] = (struct stuck_thread){ start, arg };
		return 0;
	}
}

int __wrap_pthread_detach(pthread_t thread)
{
	return is_executing ? 0 : __real_pthread_detach(thread);
}

/* broker_sandbox.c */

bool broker_sandbox_enter(int program)
{
	(void)program;
	return true;
}

/* The log: messages are formatted, so that the sanitizer checks their arguments. */

void __wrap_log_write(enum log_level level, const char *fmt, ...)
{
	char text[1024];
	va_list args;

	(void)level;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
}

void __wrap_log_line(const char *prefix, const char *text, size_t size)
{
	char line[WORKER_LOG_LINE + 1];

	memcpy(line, text, size);
	snprintf(line, sizeof(line), "%s", prefix);
}
