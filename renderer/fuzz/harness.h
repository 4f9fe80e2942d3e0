/* SPDX-License-Identifier: MIT */
/*
 * A decoder with a real host driver, for fuzz targets that draw. One thread calls these functions.
 *
 * All memory around the client's is PROT_NONE, as far as 32-bit offsets reach in both directions,
 * so that an access out of bounds is a crash.
 */
#ifndef HARNESS_H
#define HARNESS_H

#include "exec/exec.h"

struct sundog_stream;

#define HARNESS_MEMORY (16u << 20)	/* bytes of the client's memory */

extern struct exec harness_exec;
extern const struct sundog_mem harness_memory;

/* Makes the decoder. Aborts if that fails. */
void harness_init(void);
/* Makes the mapped VRAM around the client's memory inaccessible; after objects were created. */
void harness_close(void);
/* Decodes and submits a stream and waits for it. Returns false if the decoder refuses it. */
bool harness_run(struct sundog_stream *s);
/* Returns the client's memory from @offset on. */
const void *harness_bytes(uint32_t offset);

#endif
