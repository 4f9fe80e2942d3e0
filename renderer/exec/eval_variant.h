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

#endif
