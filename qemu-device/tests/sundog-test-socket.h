/*
 * sundog: sockets of VNC and SPICE clients, for the qtest
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef SUNDOG_TEST_SOCKET_H
#define SUNDOG_TEST_SOCKET_H

/* Connects to a UNIX socket. */
int dial(const char *path);

/* Read or write SIZE bytes; the test fails on less. */
void get_bytes(int fd, void *to, size_t size);
void put_bytes(int fd, const void *from, size_t size);

#endif
