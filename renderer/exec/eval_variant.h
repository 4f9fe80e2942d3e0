/* SPDX-License-Identifier: MIT */
/*
 * Evaluation shaders and line modes of hosts whose compiled evaluation shaders fit only draws with
 * the same vertex stride. Called by the decoder on the worker's main thread.
 */
#ifndef EXEC_EVAL_VARIANT_H
#define EXEC_EVAL_VARIANT_H

#include <stdbool.h>
#include <stdint.h>

struct exec;

/*
 * Binds an evaluation shader, and sets a line mode, with which the next draw is safe. Returns false
 * with a fault recorded.
 */
bool eval_variant_to_host(struct exec *x);

/*
 * Sets the line mode of the next draw if it should be smooth. @never: the host draws such lines as
 * plain ones.
 */
void smooth_lines_to_host(struct exec *x, bool never);

#endif
