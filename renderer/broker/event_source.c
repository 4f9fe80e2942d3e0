// SPDX-License-Identifier: MIT
/*
 * The epoll set of the broker, see event_source.h.
 */
#include "broker/event_source.h"

#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "ipc/log.h"

static int epoll_fd;

bool event_sources_init(void)
{
	epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (epoll_fd < 0)
		log_error("epoll_create1: %s, ending the renderer", strerror(errno));
	return epoll_fd >= 0;
}

int event_sources_wait(struct event_source **s, uint32_t *events, int timeout_ms)
{
	struct epoll_event event;
	int n = epoll_wait(epoll_fd, &event, 1, timeout_ms);

	if (n < 0)
		return errno == EINTR ? 0 : -errno;
	if (n == 1) {
		*s = event.data.ptr;
		*events = event.events;
	}
	return n;
}

int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000ll + t.tv_nsec / 1000000;
}

static void control(struct event_source *s, int op, uint32_t events)
{
	struct epoll_event event = { .events = events, .data.ptr = s };

	if (epoll_ctl(epoll_fd, op, s->fd, &event))
		log_error("epoll_ctl of descriptor %d: %s, its events are lost", s->fd,
			  strerror(errno));
}

void event_source_watch(struct event_source *s)
{
	control(s, EPOLL_CTL_ADD, EPOLLIN);
}

void event_source_set_events(struct event_source *s, uint32_t events)
{
	control(s, EPOLL_CTL_MOD, events);
}

void event_source_unwatch(struct event_source *s)
{
	epoll_ctl(epoll_fd, EPOLL_CTL_DEL, s->fd, NULL);
}

/*
 * Removes @s from the set first: a worker that was just forked may still have a copy of the
 * descriptor, so close() would not do that.
 */
void event_source_close(struct event_source *s)
{
	event_source_unwatch(s);
	close(s->fd);
}
