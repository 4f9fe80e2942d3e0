/* SPDX-License-Identifier: MIT */
/*
 * Peers of the broker: devices and direct clients, of whom all but the first mean harm. Each is a party (pool.h), and
 * looks at what it gets: it must be its own.
 */
#ifndef PEER_H
#define PEER_H

#include <stdbool.h>
#include <stdint.h>

#include "input.h"

struct broker;
struct peer;

/* Listen where peers will connect, for as long as the process lives. */
void peers_init(void);

/* Have @b listen there. */
void peers_reset(struct broker *b);

struct peer *peer_get(uint8_t party);

/* Connect to @b: to the socket for direct clients, to the one for devices, or as the device that QEMU brings. */
enum peer_way { PEER_DIRECT, PEER_DEVICE, PEER_GIVEN, PEER_WAYS };
void peer_connect(struct peer *p, struct broker *b, enum peer_way way);

/* Leave, or say only that nothing more will be sent or read (SHUT_*). */
void peer_leave(struct peer *p);
void peer_shut(struct peer *p, int how);

/* Messages that are right. */
void peer_say_hello(struct peer *p);
void peer_create_channel(struct peer *p, uint32_t client, uint32_t channel);
void peer_destroy_channel(struct peer *p, uint32_t client, uint32_t channel);

/* Bring guest pages, the @nth of many. */
void peer_map(struct peer *p, uint32_t nth);

/* Or whatever @in says, and more of it. */
void peer_send(struct peer *p, struct input *in);
void peer_continue(struct peer *p, struct input *in);

/* A device writes to the memories that the broker reads. */
void peer_write(struct peer *p, struct input *in);

/* Read all that is there. */
void peer_read(struct peer *p);

/* The state that the broker has last told of @channel, or -1; forgets it. */
int peer_state(struct peer *p, uint32_t channel);

#endif
