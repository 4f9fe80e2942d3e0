/* SPDX-License-Identifier: MIT */
/*
 * Part of pass "flatten": folds specialization constants. gate.c runs it before SPIRV-Tools inlines
 * calls.
 */
#ifndef GATE_PASS_FOLD_SPEC_CONSTANTS_H
#define GATE_PASS_FOLD_SPEC_CONSTANTS_H

#include "gate/module.h"

/*
 * Gives the specialization constants of a valid module their defaults, and folds the operations on
 * them.
 */
bool gate_fold_spec_constants(struct gate *g);

#endif
