/* SPDX-License-Identifier: MIT */
/*
 * Values of results of queries, computed while a stream runs, and conditions that are such values.
 *
 * A word of memory is what entries before this one added to it, which is read while decoding, and what queries of
 * this one will. The host computes the latter (query_value.comp) in memory of the renderer's own: of a client's it
 * reads none, and conditions and copies take what came out, which nobody changes.
 */
#ifndef QUERY_VALUE_H
#define QUERY_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "sundog_packets.h"

struct query_value;
struct vk;
struct worker;

#define QUERY_VALUES_SIZE (SUNDOG_MAX_QUERY_VALUES * sizeof(struct query_value))

/* The same in query_value.comp. */
struct query_value {
	uint64_t value;
	uint32_t capped[2];		/* at the most that 32 bits hold, without and with a sign */
	uint64_t sums[2];		/* of words as they are in memory: added, subtracted */
	uint32_t counts[2];		/* of terms */
	uint32_t differ;		/* enum sundog_query_value */
	uint32_t padding;
	uint32_t terms[2][SUNDOG_MAX_QUERIES];	/* words among the results of this batch */
};

/* The condition of the stream that is being decoded. */
struct condition {
	bool open;
	uint32_t scope;			/* rendering it began in, 0: outside */
};

/* After the layouts of descriptors.c are made. */
bool query_values_init(struct worker *w);

/* Is no condition open that began in @scope? */
bool condition_closed(struct worker *w, uint32_t scope);

/* Packets */
bool query_value_compute(struct worker *w, const struct sundog_cmd_compute_query_value *cmd,
			 const struct sundog_mem_word *words);
bool query_value_copy(struct worker *w, const struct sundog_cmd_copy_query_value *cmd);
bool condition_begin(struct worker *w, const struct sundog_cmd_begin_condition *cmd);
bool memory_condition_begin(struct worker *w, const struct sundog_cmd_begin_memory_condition *cmd);
bool condition_end(struct worker *w);

#endif
