/* SPDX-License-Identifier: MIT */
/*
 * A look ahead in the stream of an entry: the shaders that it creates begin to be compiled before it is decoded, and
 * it is not decoded before those are compiled that it binds. Until then the main thread has time for other channels.
 *
 * The main thread owns it. A stream that is looked at stays where it is until it is decoded.
 */
#ifndef AHEAD_H
#define AHEAD_H

#include <stdbool.h>
#include <stdint.h>

#include "sundog_packets.h"

struct shader;
struct worker;

#define MAX_AHEAD 64			/* shaders of a stream; more are compiled when they are decoded */

struct ahead {
	struct shader *shaders[MAX_AHEAD];	/* in the order of their packets */
	bool needed[MAX_AHEAD];			/* the stream binds it */
	uint32_t n, taken;
};

/* Have the shaders of @stream compiled, as far as there is room. Malformed packets are for the decoder to find. */
void ahead_look(struct worker *w, struct ahead *ahead, const uint32_t *stream, uint32_t dwords);

/* Is there a shader that @stream binds and that is not compiled? */
bool ahead_waits(struct worker *w, const struct ahead *ahead, const uint32_t *stream, uint32_t dwords);

/* The shader that was made of the packet of @cmd; NULL: none was. The reference is the caller's. */
struct shader *ahead_take(struct ahead *ahead, const struct sundog_cmd_create_shader *cmd);

/* Nobody decodes the rest of the stream. */
void ahead_end(struct worker *w, struct ahead *ahead);

#endif
