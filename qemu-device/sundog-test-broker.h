/*
 * sundog: the broker's end of the connection, for the qtest
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef SUNDOG_TEST_BROKER_H
#define SUNDOG_TEST_BROKER_H

#include "../../hw/display/sundog/sundog_messages.h"

/*
 * How long to wait for what should come: a bound and no measure, for a machine
 * that stands still at times.
 */
#define PATIENCE_MS 120000

#define BROKER_MAX_FDS 4

typedef struct Message {
    union {
        struct sundog_message header;
        struct sundog_message_hello hello;
        struct sundog_message_channel_create create;
        struct sundog_message_channel_destroy destroy;
        struct sundog_message_client_destroy client_destroy;
        struct sundog_message_guest_map guest_map;
        struct sundog_message_guest_unmap guest_unmap;
        struct sundog_message_revoke revoke;
        uint8_t bytes[4096];
    };
    int fds[BROKER_MAX_FDS];
    int n_fds;
} Message;

int broker_listen(const char *path);
int broker_accept(int listener);

/*
 * Take the next message, which has to be of this type and size and to bring so
 * many fds.
 */
void broker_expect(int sock, Message *m, uint32_t type, size_t size, int n_fds);
void broker_close_fds(Message *m);
void broker_expect_nothing(int sock);
bool broker_readable(int sock, int timeout_ms);

/* The next message, if there is one now. */
bool broker_receive(int sock, Message *m);

/* Of DATA what the connection takes now, if it is one. */
void broker_send_some(int sock, const void *data, size_t size);
void broker_send_bytes(int sock, const void *data, size_t size);
void broker_send_channel_state(int sock, uint32_t channel, uint32_t state,
                               uint32_t fault, uint64_t seqno, uint64_t offset,
                               uint64_t arg);
void broker_send_reset_done(int sock);
void broker_send_guest_mapped(int sock, uint64_t offset, uint64_t size);
void broker_send_guest_unmapped(int sock, uint64_t offset, uint64_t size);
void broker_send_revoked(int sock, uint32_t serial);
void broker_fill_welcome(struct sundog_message_welcome *m, uint64_t vram_size);

/* What broker_main() does when asked for a channel of this client. */
#define BROKER_CLIENT_CRASH 0xdead
#define BROKER_CLIENT_HANG  0x4a46

/*
 * This program as the renderer that QEMU starts: greet, then serve until QEMU
 * goes away. caps.host_vendor is its process, caps.host_device its options.
 */
int broker_main(int sock, char **options);

#endif
