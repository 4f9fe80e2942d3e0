/* SPDX-License-Identifier: MIT */
/*
 * Transform feedback.
 *
 * The host adds a counter to a pointer and compares little: llvmpipe takes it as signed where it looks for the end
 * of the buffer and as unsigned where it writes. So counters lie in memory of the renderer's own, which only the
 * host writes, and one that is resumed must have counted in a range that was no larger.
 */
#ifndef FEEDBACK_H
#define FEEDBACK_H

#include "object.h"

/* How far a buffer is filled. */
struct feedback_counter {
	struct object object;
	struct vk_host_buffer buffer;	/* a uint32_t */
	uint64_t size;			/* of the range that it counted in, 0: none */
	uint64_t size_before;		/* the same before the current stream, if that counts with it */
	struct feedback_counter *next_counted;
	bool in_counted;
};

/* Of the current stream. */
struct feedback {
	uint32_t bound;			/* buffers */
	uint64_t sizes[SUNDOG_MAX_FEEDBACK_BUFFERS];
	bool on;
	struct feedback_counter *counters[SUNDOG_MAX_FEEDBACK_BUFFERS];
	struct feedback_counter *counted;	/* a list */
};

/* A stream begins. */
void feedback_reset(struct feedback *f);

/* The stream was submitted, or will never be: then nothing counted in it. */
void feedback_done(struct feedback *f, bool submitted);

/* Does feedback that is on count with @counter? */
bool feedback_has(const struct feedback *f, const struct feedback_counter *counter);

/* May a draw whose last stage before rasterisation writes to @buffers (a mask) do so? */
bool feedback_fits(const struct feedback *f, uint32_t buffers);

void feedback_counter_free(struct worker *w, struct feedback_counter *counter);

/* Packets */
bool feedback_counter_create(struct worker *w, const struct sundog_cmd_create_feedback_counter *cmd);
bool bind_feedback_buffers(struct worker *w, const struct sundog_cmd_bind_feedback_buffers *cmd,
			   const struct sundog_mem_range *buffers);
bool begin_feedback(struct worker *w, const struct sundog_cmd_begin_feedback *cmd);
bool end_feedback(struct worker *w);
bool feedback_counter_copy(struct worker *w, const struct sundog_cmd_copy_feedback_counter *cmd);

#endif
