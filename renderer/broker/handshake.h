/* SPDX-License-Identifier: MIT */
/*
 * The handshake of a connection: HELLO, its answer WELCOME, and the memfds that go with them.
 * Called by the broker's event thread.
 */
#ifndef BROKER_HANDSHAKE_H
#define BROKER_HANDSHAKE_H

#include "ipc/message.h"

struct broker;
struct connection;

/* Handles the HELLO of a peer. Returns the reason for a refusal, or NULL. */
const char *handshake_receive(struct broker *b, struct connection *c, struct message *m);

/*
 * Sends WELCOME to a peer that has sent HELLO, as soon as the broker knows the host's capabilities.
 */
void handshake_answer(struct broker *b, struct connection *c);

#endif
