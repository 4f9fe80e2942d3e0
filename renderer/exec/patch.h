/* SPDX-License-Identifier: MIT */
/*
 * Patches and tessellation: the domain origin, and the check before draws. Called by the decoder on
 * the worker's main thread.
 */
#ifndef EXEC_PATCH_H
#define EXEC_PATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "sundog_packets.h"

struct draw;
struct exec;

/* After shaders were bound: set the tessellation domain origin of the stream in the host. */
void patch_origin_to_host(struct exec *x);

/* Returns true if topology, patch size and tessellation shaders match. */
bool patches_fit(const struct draw *d);

#endif
