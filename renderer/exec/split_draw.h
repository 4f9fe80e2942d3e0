/* SPDX-License-Identifier: MIT */
/*
 * Draws of more vertices or patches than the host has room for, split into pieces. Called by the
 * decoder on the worker's main thread.
 */
#ifndef EXEC_SPLIT_DRAW_H
#define EXEC_SPLIT_DRAW_H

#include <stdbool.h>
#include <stdint.h>

struct draw;
struct exec;

/* Returns true if the host has room for all vertices that one patch can be tessellated into. */
bool patch_fits(const struct draw *d);

/* Returns true if draws of any number of primitives or patches need no splitting. */
bool fits_at_once(const struct draw *d);

/* A draw of @count vertices, split into pieces that the host has room for. */
struct draw_pieces {
	uint32_t count, size, overlap, done;
};

bool draw_pieces(struct exec *x, uint32_t count, struct draw_pieces *out);

/* Get the next piece. Returns false if there is none left. */
bool next_piece(struct draw_pieces *p, uint32_t *first, uint32_t *count);

#endif
