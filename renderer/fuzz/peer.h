/* SPDX-License-Identifier: MIT */
/*
 * Peers of the broker: devices and direct clients. All except the bystander may be malicious. Each
 * is a party (pool.h), and checks that all messages and descriptors it receives are its own.
 */
#ifndef PEER_H
#define PEER_H

#include <stdbool.h>
#include <stdint.h>

#include "input.h"

struct broker;
struct peer;

/* Creates the listening sockets, once per process. */
void peers_init(void);

/* Makes @b listen on these sockets. */
void peers_reset(struct broker *b);

struct peer *peer_get(uint8_t party);

/*
 * Connect to @b: to the socket for direct clients, to the one for devices, or as the device on a
 * socket that QEMU passes.
 */
enum peer_way { PEER_DIRECT, PEER_DEVICE, PEER_GIVEN, PEER_WAYS };
void peer_connect(struct peer *p, struct broker *b, enum peer_way way);

/* Disconnect; or shut down one direction of the connection (SHUT_*). */
void peer_leave(struct peer *p);
void peer_shut(struct peer *p, int how);

/* Send valid messages. */
void peer_say_hello(struct peer *p);
void peer_create_channel(struct peer *p, uint32_t client, uint32_t channel);
void peer_destroy_channel(struct peer *p, uint32_t client, uint32_t channel);

/* Sends the @nth of many guest mappings. */
void peer_map(struct peer *p, uint32_t nth);

/* Send a message that @in describes, valid or not; send more of a message that was cut. */
void peer_send(struct peer *p, struct input *in);
void peer_continue(struct peer *p, struct input *in);

/* As a device, writes to the memories that the broker reads. */
void peer_write(struct peer *p, struct input *in);

/* Reads and checks all pending messages. */
void peer_read(struct peer *p);

/* Returns the last state that the broker sent for @channel and forgets it; -1 if there is none. */
int peer_state(struct peer *p, uint32_t channel);

#endif
