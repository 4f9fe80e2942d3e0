/* SPDX-License-Identifier: MIT */
/*
 * Draws whose arguments are in memory, and which may need more room than the host has: a compute
 * shader of the renderer cuts them into pieces right before they are drawn, as split_draw.c does
 * with direct draws. Called by the decoder on the worker's main thread.
 *
 * The pieces are in memory that only this shader writes, so no client can make one larger than the
 * host has room for. The shader runs within the rendering, which only hosts with
 * QUIRK_DISPATCH_IN_RENDERING allow; the same hosts run commands in order, so that all draws share
 * one buffer of pieces.
 */
#ifndef EXEC_SPLIT_INDIRECT_H
#define EXEC_SPLIT_INDIRECT_H

#include <stdbool.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

struct exec;

/* A draw whose arguments are in memory of the client, or come from a counter. */
struct split_indirect {
	bool indexed;
	VkDeviceAddress draws;		/* of the first draw's arguments */
	uint32_t stride;		/* bytes from draw to draw */
	uint32_t max_draws;
	VkDeviceAddress count;		/* of the number of draws; 0: there are max_draws */
	/* bytes per vertex; then `draws` is the address of a number of bytes. 0: of arguments */
	uint32_t divisor;
	uint32_t instances, first_instance;	/* with a divisor */
};

/*
 * Create the compute shader, after the layouts of descriptor.c. Does nothing on hosts without the
 * quirk. Returns false if the host fails.
 */
bool split_indirect_init(struct exec *x);

/* Returns true if the host can split a draw of at most @max_draws with the bound shaders. */
bool may_split_indirect(const struct exec *x, uint32_t max_draws);

/*
 * Record such a draw in pieces. may_split_indirect() holds. Returns false with a fault recorded if
 * the host has no memory.
 */
bool split_indirect(struct exec *x, const struct split_indirect *s);

#endif
