/* SPDX-License-Identifier: MIT */
/*
 * The setup for draws whose arguments are in memory. The worker calls it once at startup, after the
 * layouts of descriptor.c were created.
 */
#ifndef EXEC_INDIRECT_H
#define EXEC_INDIRECT_H

#include <stdbool.h>
#include <stdint.h>

#include "sundog_packets.h"

struct exec;

bool indirect_init(struct exec *x);

#endif
