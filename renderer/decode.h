/* SPDX-License-Identifier: MIT */
/*
 * From packets to Vulkan commands.
 */
#ifndef DECODE_H
#define DECODE_H

#include <stdbool.h>
#include <stdint.h>

struct worker;

/* The private buffer that streams are copied into, with room for @dwords; NULL: out of memory. */
uint32_t *decode_buffer(uint32_t dwords);

/* What is in it is the caller's from now on, to be freed. */
uint32_t *decode_buffer_keep(void);

/*
 * Record a stream into the batch that is being recorded. False on the first bad packet: the fault is
 * recorded and *offset is the packet's byte offset.
 */
bool decode(struct worker *w, const uint32_t *stream, uint32_t dwords, uint64_t *offset);

#endif
