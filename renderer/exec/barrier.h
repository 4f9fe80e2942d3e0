/* SPDX-License-Identifier: MIT */
/*
 * The order of transfers on hosts that need fewer barriers. Called by the decoder on the worker's
 * main thread.
 */
#ifndef EXEC_BARRIER_H
#define EXEC_BARRIER_H

#include <stdbool.h>
#include <stdint.h>

#include "sundog_packets.h"

struct exec;

/* Note that from now on some memory is used by two objects. */
void memory_aliased(struct exec *x);

/*
 * As outside_rendering(). Records a barrier that run_barrier() left out, if the transfer needs
 * it.
 */
bool may_transfer(struct exec *x, uint32_t opcode);

#endif
