/* SPDX-License-Identifier: MIT */
/*
 * Pass "positions": stores a zero Position at the begin of vertex and tessellation shaders. gate.c
 * runs it and, if it changed the module, scans the result.
 */
#ifndef GATE_PASS_ZERO_POSITIONS_H
#define GATE_PASS_ZERO_POSITIONS_H

#include "gate/module.h"

bool gate_zero_positions(struct gate *g, bool *changed);

#endif
