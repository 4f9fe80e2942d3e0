/* SPDX-License-Identifier: MIT */
/*
 * Closes descriptors that peers sent, in threads of the broker process. close() can take as long as
 * the peer likes (a socket that lingers, a file in FUSE), or as Linux needs for gigabytes of
 * memory, and the broker's event thread must not wait for it.
 */
#ifndef BROKER_ASYNC_CLOSE_H
#define BROKER_ASYNC_CLOSE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Counts the unfinished close_later_for() calls of one connection. Reference-counted, since closing
 * can outlast the connection.
 */
struct closing;

/* Returns NULL if memory is short. */
struct closing *closing_new(void);
void closing_put(struct closing *who);
/*
 * Returns true if so many calls of close_later_for(@who) are not finished that no more messages
 * should be read from this peer.
 */
bool closing_is_slow(const struct closing *who);

/*
 * Closes @n descriptors asynchronously; entries of -1 are skipped. @who may be NULL. If memory is
 * short, closes them before it returns.
 */
void close_later_for(struct closing *who, const int *fds, int n);

static inline void close_later(const int *fds, int n)
{
	close_later_for(NULL, fds, n);
}

/*
 * Returns true if so many calls are not finished that no connection should be accepted. Peers that
 * connect and disconnect quickly cause this, too, for a moment.
 */
bool closers_are_busy(void);
/*
 * Returns true if closers_are_busy() became true more than a second ago and the number of
 * unfinished calls has not fallen to half since: a peer is blocking close().
 */
bool closers_are_stuck(void);

#endif
