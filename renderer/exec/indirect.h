/* SPDX-License-Identifier: MIT */
/*
 * Draws whose arguments are in memory. Called by the decoder on the worker's main thread.
 */
#ifndef EXEC_INDIRECT_H
#define EXEC_INDIRECT_H

#include <stdbool.h>
#include <stdint.h>

#include "sundog_packets.h"

struct exec;

bool indirect_init(struct exec *x);

#endif
