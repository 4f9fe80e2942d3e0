/* SPDX-License-Identifier: MIT */
/* Capabilities of a host with all features and the limits of lavapipe, for tests of the gate. */
#ifndef GATE_CAPS_H
#define GATE_CAPS_H

#include <stdint.h>

#include "sundog_hw.h"

static const struct sundog_caps gate_caps = {
	.features = UINT64_MAX, .layout_flags = SUNDOG_LAYOUT_FLAG_RESIDENCY,
	.max_group_size = { 1024, 1024, 1024 }, .max_group_invocations = 1024,
	.max_shared_memory = 32768,
	.max_patch_vertices = 32, .subgroup_size = 8,
};

#endif
