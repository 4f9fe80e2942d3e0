/* SPDX-License-Identifier: MIT */
/*
 * Shader prefetch: scans the stream of a ring entry for shaders before it is decoded. The compiler
 * starts on the shaders that the stream creates, and the entry is not decoded until the shaders
 * that it binds are compiled; meanwhile the main thread serves other channels.
 *
 * The main thread owns all of this. The scanned stream must stay at its address until it is
 * decoded.
 */
#ifndef EXEC_SHADER_PREFETCH_H
#define EXEC_SHADER_PREFETCH_H

#include <stdbool.h>
#include <stdint.h>

#include "sundog_packets.h"

struct shader;
struct exec;

/* shaders of a stream; further ones are compiled during decoding */
#define MAX_PREFETCHED 64

struct shader_prefetch {
	struct shader *shaders[MAX_PREFETCHED];	/* in the order of their packets */
	bool needed[MAX_PREFETCHED];			/* the stream binds this shader */
	uint32_t n, taken;
};

/*
 * Queues the shaders that @stream creates for compilation, up to MAX_PREFETCHED. Skips malformed
 * packets; the decoder reports those.
 */
void prefetch_scan(struct exec *x, struct shader_prefetch *prefetch, const uint32_t *stream,
		   uint32_t dwords);

/*
 * Returns true if @stream binds a shader that is not compiled yet, and moves such shaders to the
 * front of the queue.
 */
bool prefetch_waits(struct exec *x, const struct shader_prefetch *prefetch, const uint32_t *stream,
		    uint32_t dwords);

/* Returns the shader made for the packet of @cmd, with its reference, or NULL if there is none. */
struct shader *prefetch_take(struct shader_prefetch *prefetch,
			     const struct sundog_cmd_create_shader *cmd);

/* Drops the shaders that were not taken: the rest of the stream is not decoded. */
void prefetch_end(struct exec *x, struct shader_prefetch *prefetch);

#endif
