/* SPDX-License-Identifier: MIT */
/*
 * Checks of execution modes and of the interface of stages. check/reflect.c calls them;
 * pass/size_runtime_arrays.c calls gate_stage_input_vertices().
 */
#ifndef GATE_CHECK_STAGE_H
#define GATE_CHECK_STAGE_H

#include "gate/module.h"

/* Returns the vertices of an input primitive; 0: @mode is another execution mode. */
uint32_t gate_stage_input_vertices(uint32_t mode);

/* Records an OpExecutionMode or OpExecutionModeId of the stage. */
bool gate_stage_mode(struct gate *g, const uint32_t *in, uint32_t words);

/*
 * Return the type of the input or output @var of type @type_id without the array of vertices around
 * it; 0: refused.
 */
uint32_t gate_stage_input(struct gate *g, const struct gate_id *var, uint32_t type_id);
uint32_t gate_stage_output(struct gate *g, const struct gate_id *var, uint32_t type_id);

/* Checks an instruction with a vertex stream. */
bool gate_stage_stream(struct gate *g, const uint32_t *in);

/* Checks the sums of the stage against the limits, at the end of gate_reflect(). */
bool gate_stage_ok(struct gate *g);

#endif
