/* SPDX-License-Identifier: MIT */
/*
 * Pass "compact-arrays": lowers dynamic indices of built-in arrays. gate.c runs it.
 */
#ifndef GATE_PASS_LOWER_COMPACT_ARRAYS_H
#define GATE_PASS_LOWER_COMPACT_ARRAYS_H

#include "gate/module.h"

/*
 * Replaces dynamic indices of built-in arrays that a control shader reads. Runs after
 * gate_reflect().
 */
bool gate_lower_compact_arrays(struct gate *g);

#endif
