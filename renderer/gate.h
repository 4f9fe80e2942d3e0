/* SPDX-License-Identifier: MIT */
/*
 * The gate that every shader passes before the host driver sees it.
 *
 * A guest's SPIR-V is hostile until shown otherwise: capabilities come from an allow-list, spirv-val
 * must accept the module, what it declares must lie inside the interface of its create_shader packet
 * and inside our limits, and SPIRV-Tools rewrites it so that no index leaves its array.
 */
#ifndef GATE_H
#define GATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sundog_packets.h"

/* A module that passed. */
struct gate_module {
	uint32_t *code;			/* free() it */
	size_t words;
};

/*
 * Check and rewrite the shader of a create_shader packet, @code being its n_dwords words.
 * On refusal returns false with the reason in @why.
 */
bool gate_shader(const struct sundog_cmd_create_shader *cmd, const uint32_t *code,
		 struct gate_module *out, char *why, size_t why_size);

#endif
