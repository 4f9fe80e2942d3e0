/*
 * sundog: the broker's end of the connection, for the qtest
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See sundog-test-broker.h.
 */

#include "qemu/osdep.h"
#include <dirent.h>
#include <poll.h>
#include <sys/un.h>
#include "qemu/sockets.h"
#include "sundog-test-broker.h"

int broker_listen(const char *path)
{
    struct sockaddr_un addr = { .sun_family = AF_UNIX };
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    g_assert_cmpint(fd, >=, 0);
    g_assert_cmpuint(strlen(path), <, sizeof(addr.sun_path));
    strcpy(addr.sun_path, path);
    g_assert_cmpint(bind(fd, (struct sockaddr *)&addr, sizeof(addr)), ==, 0);
    g_assert_cmpint(listen(fd, 1), ==, 0);
    return fd;
}

bool broker_readable(int sock, int timeout_ms)
{
    struct pollfd p = { .fd = sock, .events = POLLIN };

    return poll(&p, 1, timeout_ms) == 1;
}

int broker_accept(int listener)
{
    int fd;

    g_assert_true(broker_readable(listener, PATIENCE_MS));
    fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    g_assert_cmpint(fd, >=, 0);
    return fd;
}

/* Receives at most SIZE bytes and the descriptors that came with them. */
static ssize_t receive(int sock, Message *m, size_t size)
{
    char control[CMSG_SPACE(sizeof(m->fds))] __attribute__((aligned(8)));
    struct iovec iov = { m->bytes, size };
    struct msghdr msg = {
        .msg_iov = &iov, .msg_iovlen = 1,
        .msg_control = control, .msg_controllen = sizeof(control),
    };
    ssize_t got = recvmsg(sock, &msg, MSG_CMSG_CLOEXEC);
    struct cmsghdr *c;

    m->n_fds = 0;
    for (c = CMSG_FIRSTHDR(&msg); got > 0 && c; c = CMSG_NXTHDR(&msg, c)) {
        if (c->cmsg_type == SCM_RIGHTS) {
            m->n_fds = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
            memcpy(m->fds, CMSG_DATA(c), m->n_fds * sizeof(int));
        }
    }
    return got;
}

void broker_expect(int sock, Message *m, uint32_t type, size_t size, int n_fds)
{
    g_assert_true(broker_readable(sock, PATIENCE_MS));
    g_assert_cmpint(receive(sock, m, size), ==, size);
    g_assert_cmpuint(m->header.type, ==, type);
    g_assert_cmpuint(m->header.size, ==, size);
    g_assert_cmpint(m->n_fds, ==, n_fds);
}

bool broker_receive(int sock, Message *m)
{
    return broker_readable(sock, 0) &&
           receive(sock, m, sizeof(m->bytes)) > 0;
}

void broker_close_fds(Message *m)
{
    for (int i = 0; i < m->n_fds; i++) {
        close(m->fds[i]);
    }
    m->n_fds = 0;
}

void broker_expect_nothing(int sock)
{
    g_assert_false(broker_readable(sock, 100));
}

void broker_send_some(int sock, const void *data, size_t size)
{
    if (send(sock, data, size, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) {
        g_assert_true(errno == EAGAIN || errno == EPIPE ||
                      errno == ECONNRESET);
    }
}

void broker_send_bytes(int sock, const void *data, size_t size)
{
    g_assert_cmpint(send(sock, data, size, MSG_NOSIGNAL), ==, size);
}

void broker_send_channel_state(int sock, uint32_t channel, uint32_t state,
                               uint32_t fault, uint64_t seqno, uint64_t offset,
                               uint64_t arg)
{
    struct sundog_message_channel_state m = {
        .header = { SUNDOG_MESSAGE_CHANNEL_STATE, sizeof(m) },
        .channel = channel,
        .state = state,
        .fault = fault,
        .seqno = seqno,
        .offset = offset,
        .arg = arg,
    };

    broker_send_bytes(sock, &m, sizeof(m));
}

void broker_send_reset_done(int sock)
{
    struct sundog_message_reset_done m = {
        .header = { SUNDOG_MESSAGE_RESET_DONE, sizeof(m) },
    };

    broker_send_bytes(sock, &m, sizeof(m));
}

void broker_send_guest_mapped(int sock, uint64_t offset, uint64_t size)
{
    struct sundog_message_guest_mapped m = {
        .header = { SUNDOG_MESSAGE_GUEST_MAPPED, sizeof(m) },
        .offset = offset,
        .size = size,
    };

    broker_send_bytes(sock, &m, sizeof(m));
}

void broker_send_guest_unmapped(int sock, uint64_t offset, uint64_t size)
{
    struct sundog_message_guest_unmapped m = {
        .header = { SUNDOG_MESSAGE_GUEST_UNMAPPED, sizeof(m) },
        .offset = offset,
        .size = size,
    };

    broker_send_bytes(sock, &m, sizeof(m));
}

void broker_send_revoked(int sock, uint32_t serial)
{
    struct sundog_message_revoked m = {
        .header = { SUNDOG_MESSAGE_REVOKED, sizeof(m) },
        .serial = serial,
    };

    broker_send_bytes(sock, &m, sizeof(m));
}

void broker_fill_welcome(struct sundog_message_welcome *m, uint64_t vram_size)
{
    *m = (struct sundog_message_welcome) {
        .header = { SUNDOG_MESSAGE_WELCOME, sizeof(*m) },
        .vram_size = vram_size,
        .caps = {
            .size = sizeof(m->caps),
            .version = SUNDOG_VERSION,
            .features = ~0ull,
            .host_driver = "qtest",
            .max_image_2d = 16384,
        },
    };
}

/*
 * Returns what this renderer inherited and must not: descriptors other than
 * stdio and its socket, or blocked signals. NULL: nothing.
 */
static const char *inherited(int sock)
{
    DIR *dir = opendir("/proc/self/fd");
    struct dirent *entry;
    sigset_t mask;
    int fd;

    while ((entry = readdir(dir))) {
        fd = atoi(entry->d_name);
        if (entry->d_name[0] != '.' && fd > 2 && fd != sock &&
            fd != dirfd(dir)) {
            return "a descriptor of QEMU's";
        }
    }
    closedir(dir);
    sigprocmask(SIG_SETMASK, NULL, &mask);
    for (int sig = 1; sig < NSIG; sig++) {
        if (sigismember(&mask, sig) == 1) {
            return "a blocked signal";
        }
    }
    return NULL;
}

int broker_main(int sock, char **options)
{
    g_autofree char *joined = g_strjoinv("|", options);
    const char *bad = inherited(sock);
    struct sundog_message_welcome welcome;
    Message m;

    if (receive(sock, &m, sizeof(m.bytes)) != sizeof(m.hello)) {
        return 1;
    }
    broker_close_fds(&m);
    broker_fill_welcome(&welcome, m.hello.vram_size);
    welcome.caps.host_vendor = getpid();
    g_strlcpy(welcome.caps.host_device, joined,
              sizeof(welcome.caps.host_device));
    if (bad) {
        snprintf(welcome.caps.host_driver, sizeof(welcome.caps.host_driver),
                 "inherited %s", bad);
    }
    broker_send_bytes(sock, &welcome, sizeof(welcome));
    while (receive(sock, &m, sizeof(m.bytes)) > 0) {
        broker_close_fds(&m);
        if (m.header.type == SUNDOG_MESSAGE_CHANNEL_CREATE) {
            if (m.create.client == BROKER_CLIENT_CRASH) {
                raise(SIGKILL);
            } else if (m.create.client == BROKER_CLIENT_HANG) {
                pause();
            }
            broker_send_channel_state(sock, m.create.channel,
                                      SUNDOG_CHANNEL_STATE_RUN, 0, 0, 0, 0);
        } else if (m.header.type == SUNDOG_MESSAGE_RESET) {
            broker_send_reset_done(sock);
        } else if (m.header.type == SUNDOG_MESSAGE_GUEST_MAP) {
            broker_send_guest_mapped(sock, m.guest_map.offset,
                                     m.guest_map.size);
        } else if (m.header.type == SUNDOG_MESSAGE_REVOKE) {
            broker_send_revoked(sock, m.revoke.serial);
        }
    }
    return 0;
}
