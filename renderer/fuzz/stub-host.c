// SPDX-License-Identifier: MIT
/*
 * The host of the broker's fuzz target, see stub-host.h.
 */
#define _GNU_SOURCE
#include "stub-host.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "broker/async_close.h"
#include "broker/broker_sandbox.h"
#include "broker/event_source.h"
#include "broker/worker_log.h"
#include "ipc/log.h"

/* Linux rounds it up to its minimum: a few messages. */
#define ROOM 1

int64_t __wrap_now_ms(void);
int __real_event_sources_wait(struct event_source **s, uint32_t *events, int timeout_ms);
int __wrap_event_sources_wait(struct event_source **s, uint32_t *events, int timeout_ms);
int __real_accept4(int fd, struct sockaddr *address, socklen_t *size, int flags);
int __wrap_accept4(int fd, struct sockaddr *address, socklen_t *size, int flags);
int __real_socketpair(int domain, int type, int protocol, int *pair);
int __wrap_socketpair(int domain, int type, int protocol, int *pair);
void __wrap_log_write(enum log_level level, const char *fmt, ...);
void __wrap_log_line(const char *prefix, const char *text, size_t size);

static int64_t now = 1;
static enum stub_closers closers;

/* Two periods later, because the log's limits count per period. */
void stub_host_reset(void)
{
	now += 2 * LOG_PERIOD_MS;
	closers = CLOSERS_FREE;
}

void stub_host_pass(unsigned int ms)
{
	now += ms;
}

void stub_host_set_closers(enum stub_closers how)
{
	closers = how;
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

/* async_close.c */

struct async_closer {
	int refs;
};

struct async_closer *async_closer_new(void)
{
	struct async_closer *who = malloc(sizeof(*who));

	who->refs = 1;
	return who;
}

void async_closer_put(struct async_closer *who)
{
	if (!--who->refs)
		free(who);
}

bool async_closer_is_slow(const struct async_closer *who)
{
	return who && closers == CLOSERS_STUCK;
}

void async_close_for(struct async_closer *who, const int *fds, int n)
{
	(void)who;
	for (int i = 0; i < n; i++)
		if (fds[i] >= 0)
			close(fds[i]);
}

int64_t async_close_resume(int64_t now)
{
	(void)now;
	return 0;
}

bool async_close_is_busy(void)
{
	return closers != CLOSERS_FREE;
}

bool async_close_is_stuck(void)
{
	return closers == CLOSERS_STUCK;
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
