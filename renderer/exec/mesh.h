/* SPDX-License-Identifier: MIT */
/*
 * The check before draws with mesh shaders. Called by draw.c on the worker's main thread.
 */
#ifndef EXEC_MESH_H
#define EXEC_MESH_H

#include <stdbool.h>
#include <stdint.h>

#include "sundog_packets.h"

struct draw;
struct exec;

/* Returns true if mesh shaders and state match, for the rules that the host does not check. */
bool meshes_fit(const struct draw *d);

#endif
