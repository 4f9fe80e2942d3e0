/* SPDX-License-Identifier: MIT */
/*
 * Transform feedback: its counters, and its state in the stream. Called by the decoder on the
 * worker's main thread.
 *
 * The host adds a counter to a pointer with few checks: llvmpipe takes it as signed when it
 * compares with the end of the buffer and as unsigned when it writes. So counters lie in private
 * memory that only the host and the shader of feedback_init() write, ranges end below 2 GiB, and a
 * counter may be resumed only in a range that is at least as large as the one it last counted in,
 * or as the limit that it was loaded with.
 */
#ifndef EXEC_FEEDBACK_H
#define EXEC_FEEDBACK_H

#include "exec/object.h"

/* Counter buffer: how many bytes of a feedback buffer are written. */
struct feedback_counter {
	struct object object;
	struct vk_host_buffer buffer;	/* contains one uint32_t */
	/* of the range that it counted in, or the limit it was loaded with; 0: none */
	uint64_t size;
	/* `size` before the current stream, if the stream counts with it */
	uint64_t size_before;
	struct feedback_counter *next_counted;
	bool in_counted;
};

/* State of the current stream. */
struct feedback {
	uint32_t bound;			/* mask of bound buffers */
	uint64_t sizes[SUNDOG_MAX_FEEDBACK_BUFFERS];
	bool on;
	struct feedback_counter *counters[SUNDOG_MAX_FEEDBACK_BUFFERS];
	struct feedback_counter *counted;	/* a list */
};

/*
 * Create the shader that copies counters, after the layouts of descriptor.c. Returns false if the
 * host fails.
 */
bool feedback_init(struct exec *x);

/* Reset the state at the start of a stream. */
void feedback_reset(struct feedback *f);

/* The stream was submitted, or will never be: then its counters get their former sizes back. */
void feedback_done(struct feedback *f, bool submitted);

/* Returns true if active transform feedback counts with @counter. */
bool feedback_has(const struct feedback *f, const struct feedback_counter *counter);

void feedback_counter_free(struct exec *x, struct feedback_counter *counter);

#endif
