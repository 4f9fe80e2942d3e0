/* SPDX-License-Identifier: MIT */
/*
 * What the broker waits for: file descriptors whose events name what they are of.
 */
#ifndef SOURCE_H
#define SOURCE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>

enum source_kind { SOURCE_LISTENER, SOURCE_CONNECTION, SOURCE_WORKER, SOURCE_WORKER_END, SOURCE_OUTPUT, SOURCE_NOTIFY };

/* What an event points to. */
struct source {
	enum source_kind kind;
	int fd;
	void *owner;
};

/* False: logged. */
bool sources_init(void);

/*
 * Wait up to @timeout_ms (-1: for ever) for one event, since handling one may free the source of another.
 * Returns 1 with *@s and *@events (EPOLL*), 0 if there is none, or -errno.
 */
int sources_wait(struct source **s, uint32_t *events, int timeout_ms);

/* The time, for deadlines. */
int64_t now_ms(void);

/* The earlier one of two times, where 0 is never. */
static inline int64_t earlier_ms(int64_t a, int64_t b)
{
	return !a || (b && b < a) ? b : a;
}

/* Watch @s for messages, until source_close(). */
void source_watch(struct source *s);

/* Watch it for @events (EPOLL*) from now on. */
void source_set_events(struct source *s, uint32_t events);

/* Do not watch it any more. */
void source_unwatch(struct source *s);

/* Its end, and its descriptor's. */
void source_close(struct source *s);

#endif
