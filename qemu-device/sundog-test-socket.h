/*
 * sundog: sockets of viewers, for the qtest
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef SUNDOG_TEST_SOCKET_H
#define SUNDOG_TEST_SOCKET_H

/* Connect to a UNIX socket. */
int dial(const char *path);

/* All of it, or the test fails. */
void get_bytes(int fd, void *to, size_t size);
void put_bytes(int fd, const void *from, size_t size);

#endif
