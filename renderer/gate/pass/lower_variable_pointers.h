/* SPDX-License-Identifier: MIT */
/*
 * Pass "variable-pointers": lowers variable pointers. gate.c runs it.
 */
#ifndef GATE_PASS_LOWER_VARIABLE_POINTERS_H
#define GATE_PASS_LOWER_VARIABLE_POINTERS_H

#include "gate/module.h"

/*
 * Lowers variable pointers to integers that select among access chains. @changed: the module was
 * rewritten, and its ids have to be scanned again.
 */
bool gate_lower_variable_pointers(struct gate *g, bool *changed);

#endif
