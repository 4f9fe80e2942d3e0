/* SPDX-License-Identifier: MIT */
/*
 * Variants of tessellation evaluation shaders, one for each vertex stride that the host's draws
 * can have. Called by the decoder on the worker's main thread.
 */
#ifndef EXEC_EVAL_VARIANT_H
#define EXEC_EVAL_VARIANT_H

#include <stdbool.h>
#include <stdint.h>

struct exec;

/*
 * Bind the variant of the evaluation shader that the next draw needs. Returns false with a fault
 * recorded.
 */
bool eval_variant_to_host(struct exec *x);

#endif
