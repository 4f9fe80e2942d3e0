/* SPDX-License-Identifier: MIT */
/*
 * Values computed from query results while a stream runs, and conditional rendering with them.
 *
 * The value of a memory word has two parts: the sum that earlier entries added, which is read while
 * decoding, and the results that queries of this entry will add. The host adds the latter with
 * query_value.comp in memory of the renderer. The shader reads no client memory, and conditions and
 * copies use its output, which no client can change.
 */
#ifndef EXEC_QUERY_VALUE_H
#define EXEC_QUERY_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

#include "sundog_packets.h"

struct query_value;
struct vk;
struct exec;

#define QUERY_VALUES_SIZE (SUNDOG_MAX_QUERY_VALUES * sizeof(struct query_value))

/* query_value.comp has the same structure. */
struct query_value {
	uint64_t value;
	/* value clamped to the maximum of uint32_t and of int32_t */
	uint32_t capped[2];
	uint64_t sums[2];		/* of words in memory: added, subtracted */
	uint32_t counts[2];		/* numbers of terms added, subtracted */
	uint32_t differ;		/* enum sundog_query_value */
	uint32_t padding;
	uint32_t terms[2][SUNDOG_MAX_QUERIES];	/* indices of words in this batch's results */
};

/* Conditional rendering of the stream that is being decoded. */
struct condition {
	bool open;
	/* rendering in which the condition began, 0: outside renderings */
	uint32_t scope;
	VkConditionalRenderingBeginInfoEXT info;
};

/* Create the compute shader, after the layouts of descriptor.c. Returns false if the host fails. */
bool query_values_init(struct exec *x);

/*
 * Suspend an open condition, and go on with it: host commands between the two run in any case. A
 * condition that began outside of a rendering is suspended inside, which lavapipe accepts.
 */
void condition_suspend(struct exec *x);
void condition_resume(struct exec *x);

/* Returns true if no condition that began in @scope is open, else false with a fault recorded. */
bool condition_closed(struct exec *x, uint32_t scope);

#endif
