/* SPDX-License-Identifier: MIT */
/*
 * A renderer for the unit tests of the direct back end. It speaks the protocol of broker and worker
 * in threads of the test's process, draws nothing, checks the ring entries and lists that the
 * library queues, and executes the orders in the streams.
 */
#ifndef FAKE_RENDERER_H
#define FAKE_RENDERER_H

#include <stdatomic.h>
#include <stdint.h>

/* A stream is one NOP packet with a struct fake_order as its data. */
enum fake_verb {
	FAKE_CHECK,	/* the list must hold @handles, and each allocation start with @value */
	FAKE_GATE,	/* wait until the gate is at @value */
	FAKE_FAULT,	/* the channel goes to FAULT, then to DEAD */
	FAKE_CRASH,	/* the worker ends: all channels go to DEAD */
	FAKE_BLAME,	/* as FAKE_CRASH, and the worker names this submission */
	FAKE_CLOSE,	/* the broker closes the connection */
};

struct fake_order {
	uint32_t verb;
	uint32_t value;
	uint32_t handles;	/* sum */
};

struct fake_renderer {
	char path[64];
	/* set before the start: */
	const char *refusal;	/* the reason of a refusal, before HELLO is read; NULL: none */
	uint32_t version;	/* of the protocol; 0: the right one */
	/* set at any time: */
	atomic_bool hold;	/* take no work while set */
	atomic_uint gate;
	atomic_uint ended;	/* the workers of clients up to this id ended without a message */
	atomic_uint done;	/* completed submissions */
};

/* Serve one connection at renderer->path, which this sets. */
void fake_renderer_start(struct fake_renderer *renderer);
/* Wait until the device has closed the connection. */
void fake_renderer_join(struct fake_renderer *renderer);

#endif
