/*
 * sundog: sockets of VNC and SPICE clients, for the qtest
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See sundog-test-socket.h.
 */

#include "qemu/osdep.h"
#include <sys/socket.h>
#include <sys/un.h>
#include "sundog-test-socket.h"

int dial(const char *path)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    g_assert_cmpint(fd, >=, 0);
    g_strlcpy(address.sun_path, path, sizeof(address.sun_path));
    g_assert_cmpint(connect(fd, (struct sockaddr *)&address, sizeof(address)),
                    ==, 0);
    return fd;
}

void get_bytes(int fd, void *to, size_t size)
{
    g_assert_cmpint(recv(fd, to, size, MSG_WAITALL), ==, size);
}

void put_bytes(int fd, const void *from, size_t size)
{
    g_assert_cmpint(send(fd, from, size, 0), ==, size);
}
