/* SPDX-License-Identifier: MIT */
/*
 * Sockets that the broker listens at.
 */
#ifndef LISTENER_H
#define LISTENER_H

/*
 * Listen at @path, where a socket that nobody listens at any more is replaced. @type is SOCK_SEQPACKET or
 * SOCK_STREAM. Returns the descriptor; -1: logged.
 */
int listener_new(const char *path, int type);

#endif
