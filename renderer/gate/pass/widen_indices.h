/* SPDX-License-Identifier: MIT */
/*
 * Pass "widen-indices": widens the indices of access chains. gate.c runs it.
 */
#ifndef GATE_PASS_WIDEN_INDICES_H
#define GATE_PASS_WIDEN_INDICES_H

#include "gate/module.h"

/*
 * Converts indices to 32 bits or more, and null indices to 0. @changed: the module was rewritten,
 * and its ids have to be scanned again.
 */
bool gate_widen_indices(struct gate *g, bool *changed);

#endif
