/* SPDX-License-Identifier: MIT */
/*
 * The decoder: translates packets into Vulkan commands, on the worker's main thread. Packet NAME is
 * executed by run_NAME(), which sundog_run.h declares and a file of this folder defines.
 */
#ifndef EXEC_DECODE_H
#define EXEC_DECODE_H

#include <stdbool.h>
#include <stdint.h>

struct exec;

/*
 * Returns the private buffer that streams are copied into, with room for @dwords; NULL: out of
 * memory.
 */
uint32_t *decode_buffer(uint32_t dwords);

/* Returns the buffer and passes its ownership to the caller, who must free() it. */
uint32_t *decode_buffer_keep(void);

/*
 * Record a stream into the batch that is being recorded. Returns false on the first bad packet: the
 * fault is recorded and *@offset is the packet's offset in bytes.
 */
bool decode(struct exec *x, const uint32_t *stream, uint32_t dwords, uint64_t *offset);

#endif
