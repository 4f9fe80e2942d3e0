/* SPDX-License-Identifier: MIT */
/*
 * The beginning of a connection: hello and its answer, the memories that go with them.
 */
#ifndef HELLO_H
#define HELLO_H

#include "message.h"

struct broker;
struct connection;

/* Take a peer's hello. Returns why it is refused, or NULL. */
const char *hello_receive(struct broker *b, struct connection *c, struct message *m);

/* Welcome a peer that said hello, once the broker knows what the host can do. */
void hello_answer(struct broker *b, struct connection *c);

#endif
