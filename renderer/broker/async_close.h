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
#include <stdint.h>
#include <sys/types.h>

struct share_use;

/*
 * Counts the descriptors of one connection that are open until close() has returned, and its
 * unfinished async_close_for() calls. Reference-counted, since closing can outlast the connection.
 * The sockets and memfds that each connection and each worker has are not counted while they are
 * in use.
 *
 * A parameter @who is the connection whose peer can delay close(), or NULL if there is none.
 */
struct async_closer;

/* Makes a counter for a connection of user @uid. Returns NULL if memory is short. */
struct async_closer *async_closer_new(uid_t uid);
void async_closer_put(struct async_closer *who);
/*
 * Counts @n more descriptors that the broker keeps for @who: maps of guest pages, and copies in
 * queued messages. With a negative @n the caller no longer uses them; async_close_for() then counts
 * them until they are closed.
 */
void async_closer_keep(struct async_closer *who, int n);
/*
 * Adds the counted descriptors to @use: those of all, also of connections that have ended, those of
 * the user of @who, and those of @who, which is not NULL. Called by the event thread.
 */
void async_closer_count(const struct async_closer *who, struct share_use *use);
/* Returns true if async_close_for(@who) has descriptors that are not closed yet. */
bool async_closer_is_closing(const struct async_closer *who);
/*
 * Returns true if so many calls of async_close_for(@who) are not finished that no more messages
 * should be read from this peer. If @who is NULL, the calls without a connection count: no
 * connection should be accepted then only to be refused.
 */
bool async_closer_is_slow(const struct async_closer *who);

/*
 * Closes @n descriptors asynchronously; entries of -1 are skipped. The threads of @who are limited.
 * If no thread can be started, the descriptors stay open until one can. If memory is short, closes
 * them before it returns.
 */
void async_close_for(struct async_closer *who, const int *fds, int n);

static inline void async_close(const int *fds, int n)
{
	async_close_for(NULL, fds, n);
}

/*
 * Tries again to start threads for descriptors that wait for one. Returns when to call it next, in
 * ms of now_ms(), or 0 if none wait.
 */
int64_t async_close_resume(int64_t now);

/*
 * Returns true if so many calls are not finished that no connection should be accepted. One
 * connection alone cannot cause this. Peers that connect and disconnect quickly cause this, too,
 * for a moment.
 */
bool async_close_is_busy(void);
/*
 * Returns true if async_close_is_busy() became true more than a second ago and the number of
 * unfinished calls has not fallen to half since: a peer is blocking close().
 */
bool async_close_is_stuck(void);

#endif
