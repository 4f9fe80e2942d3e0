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
bool fits_at_once(const struct exec *x);

/*
 * How draws of more than @size vertices are cut: into pieces of @size vertices, each of which
 * begins with the last @overlap vertices of the previous one. @never: they cannot be.
 */
struct draw_cut {
	uint32_t size, overlap;
	bool never;
};

enum cut_size {
	/* pieces of 512 MiB at most, which have all their primitives */
	CUT_SMALL,
	/* as few pieces as the 32 bits of the host's sizes permit, see fits_at_once() */
	CUT_LARGE,
};

struct draw_cut draw_cut(const struct draw *d, enum cut_size size);

/* A draw of @count vertices, split into pieces that the host has room for. */
struct draw_pieces {
	uint32_t count, size, overlap, done;
};

/*
 * Start to split a draw. If it cannot be split, or if the stream has too many pieces, the rest is
 * left out.
 */
void draw_pieces(struct exec *x, uint32_t count, struct draw_pieces *out);

/* Get the next piece. Returns false if there is none left. */
bool next_piece(struct draw_pieces *p, uint32_t *first, uint32_t *count);

#endif
