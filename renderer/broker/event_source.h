/* SPDX-License-Identifier: MIT */
/*
 * Event sources of the broker: the file descriptors in its epoll set, each with the object that
 * owns it. All functions but now_ms() run in the broker's event thread.
 */
#ifndef BROKER_EVENT_SOURCE_H
#define BROKER_EVENT_SOURCE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>

enum event_source_kind { SOURCE_LISTENER, SOURCE_CONNECTION, SOURCE_WORKER, SOURCE_WORKER_END,
		   SOURCE_WORKER_LOG, SOURCE_MMAP_FILTER };

/* The epoll user data of a descriptor. */
struct event_source {
	enum event_source_kind kind;
	int fd;
	void *owner;
};

/* Makes the epoll set. Returns false after an error in the log. */
bool event_sources_init(void);

/*
 * Waits up to @timeout_ms (-1: no limit) for one event. It takes one at a time, since the handler
 * may free the source of another. Returns 1 with *@s and *@events (EPOLL*), 0 if there is none, or
 * -errno.
 */
int event_sources_wait(struct event_source **s, uint32_t *events, int timeout_ms);

/* Returns CLOCK_MONOTONIC in ms. */
int64_t now_ms(void);

/* Returns the earlier of two times; 0 means never. */
static inline int64_t earlier_ms(int64_t a, int64_t b)
{
	return !a || (b && b < a) ? b : a;
}

/* Adds @s to the set, for EPOLLIN. */
void event_source_watch(struct event_source *s);

/* Watches @s for @events (EPOLL*) only. */
void event_source_set_events(struct event_source *s, uint32_t events);

/* Removes @s from the set. */
void event_source_unwatch(struct event_source *s);

/* Removes @s from the set and closes its descriptor. */
void event_source_close(struct event_source *s);

#endif
