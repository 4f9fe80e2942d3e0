/* SPDX-License-Identifier: MIT */
/*
 * Part of pass "flatten" of the gate: fragments that end in a function become helpers there.
 * gate.c runs it if calls of such functions could not be inlined, and scans the result.
 */
#ifndef GATE_PASS_DEMOTE_KILLS_H
#define GATE_PASS_DEMOTE_KILLS_H

#include "gate/module.h"

bool gate_demote_kills(struct gate *g, bool *changed);

#endif
