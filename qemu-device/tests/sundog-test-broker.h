/*
 * sundog: the broker's end of the connection, for the qtest
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The test process plays the broker on a chardev's socket, or, started by QEMU
 * with renderer=, in a process of its own. A failed check ends the test.
 */

#ifndef SUNDOG_TEST_BROKER_H
#define SUNDOG_TEST_BROKER_H

#include "../../hw/display/sundog/sundog_messages.h"

/*
 * Timeout of events that must happen. It is that long because a loaded machine
 * may pause; no test measures it.
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
 * Receives the next message, which must have this type, this size and N_FDS
 * descriptors.
 */
void broker_expect(int sock, Message *m, uint32_t type, size_t size, int n_fds);
void broker_close_fds(Message *m);
void broker_expect_nothing(int sock);
bool broker_readable(int sock, int timeout_ms);

/* Receives a message without waiting. Returns false if there is none. */
bool broker_receive(int sock, Message *m);

/* Sends as much of DATA as the socket takes now; it may be disconnected. */
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

/* Clients whose CHANNEL_CREATE makes broker_main() crash or hang. */
#define BROKER_CLIENT_CRASH 0xdead
#define BROKER_CLIENT_HANG  0x4a46

/*
 * Main function of this program as the renderer that QEMU starts: sends WELCOME
 * and serves until QEMU disconnects. caps.host_vendor is the process id,
 * caps.host_device the options.
 */
int broker_main(int sock, char **options);

#endif
