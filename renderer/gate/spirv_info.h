/* SPDX-License-Identifier: MIT */
/*
 * Names of SPIR-V's enumerants, for refusals, and properties of opcodes. All passes and checks of
 * the gate call these functions. They have no state, so any thread may call them.
 */
#ifndef GATE_SPIRV_INFO_H
#define GATE_SPIRV_INFO_H

#include <stdbool.h>
#include <stdint.h>

/* Returns the name of an opcode; "Unknown" if SPIR-V has no such opcode. */
const char *gate_op_name(uint32_t op);

/* Return the name of an enumerant; "Unknown" if SPIR-V has no such value. */
const char *gate_builtin_name(uint32_t builtin);
const char *gate_capability_name(uint32_t capability);
const char *gate_class_name(uint32_t storage_class);
const char *gate_decoration_name(uint32_t decoration);
const char *gate_mode_name(uint32_t mode);
const char *gate_scope_name(uint32_t scope);

/* Returns the SpvExecutionModel of a SUNDOG_STAGE_*, and its name. */
uint32_t gate_execution_model(uint32_t stage);
const char *gate_stage_name(uint32_t stage);

/*
 * Returns true if an instruction shuffles or rotates by a distance, which pass/bound_rotations.c
 * bounds.
 */
bool gate_has_distance(uint32_t op);

#endif
