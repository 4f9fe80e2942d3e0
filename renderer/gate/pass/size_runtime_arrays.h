/* SPDX-License-Identifier: MIT */
/*
 * Pass "array-lengths": gives arrays a length. gate.c runs it.
 */
#ifndef GATE_PASS_SIZE_RUNTIME_ARRAYS_H
#define GATE_PASS_SIZE_RUNTIME_ARRAYS_H

#include "gate/module.h"

/*
 * Gives arrays of descriptors the length that the layout has, and inputs of geometry shaders that
 * of a primitive. @changed: the module was rewritten, and its ids have to be scanned again.
 */
bool gate_size_runtime_arrays(struct gate *g, bool *changed);

#endif
