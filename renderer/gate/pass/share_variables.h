/* SPDX-License-Identifier: MIT */
/*
 * Pass "share-variables": lets Function variables that hold no value at the same time share their
 * memory. gate.c runs it before calls are inlined, and on the result.
 */
#ifndef GATE_PASS_SHARE_VARIABLES_H
#define GATE_PASS_SHARE_VARIABLES_H

#include "gate/module.h"

/*
 * Shares the Function variables of a valid module without recursion, with calls or without. A
 * variable of a called function becomes one of the entry point, so a module with calls is invalid
 * until they are inlined. @changed: the module was rewritten.
 */
bool gate_share_variables(struct gate *g, bool *changed);

#endif
