/* SPDX-License-Identifier: MIT */
/*
 * Empty renderings between others. Called by the decoder on the worker's main thread.
 */
#ifndef EXEC_RENDERING_H
#define EXEC_RENDERING_H

#include <stdbool.h>
#include <stdint.h>

#include "sundog_packets.h"

struct exec;

/*
 * Record an empty rendering, so that lavapipe puts later commands into another scene than earlier
 * ones.
 */
void rendering_break(struct exec *x);

#endif
