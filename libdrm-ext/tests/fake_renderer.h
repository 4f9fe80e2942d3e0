/* SPDX-License-Identifier: MIT */
/*
 * A renderer for the unit tests: speaks the broker's protocol in threads of the test, draws
 * nothing, but checks whatever the library hands it, and does as the streams say.
 */
#ifndef FAKE_RENDERER_H
#define FAKE_RENDERER_H

#include <stdatomic.h>
#include <stdint.h>

/* A stream is one nop whose data is a struct fake_order. */
enum fake_verb {
	FAKE_CHECK,	/* the list must hold @handles, and each allocation start with @value */
	FAKE_GATE,	/* wait until the gate is at @value */
	FAKE_FAULT,	/* the channel faults, then dies */
	FAKE_CRASH,	/* the worker ends, and with it all channels */
	FAKE_BLAME,	/* the same, and it says that it was at this submission */
	FAKE_CLOSE,	/* the connection ends */
};

struct fake_order {
	uint32_t verb;
	uint32_t value;
	uint32_t handles;	/* sum */
};

struct fake_renderer {
	char path[64];
	atomic_bool hold;	/* take no work while set */
	atomic_uint gate;
	atomic_uint ended;	/* workers of clients up to this one have ended, unnoticed */
	atomic_uint done;	/* submissions that were checked */
};

/* Serve one connection at renderer->path, which this sets. */
void fake_renderer_start(struct fake_renderer *renderer);
/* Wait for the end of the connection. */
void fake_renderer_join(struct fake_renderer *renderer);

#endif
