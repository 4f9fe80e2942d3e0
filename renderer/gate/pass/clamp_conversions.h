/* SPDX-License-Identifier: MIT */
/*
 * Pass "conversions": clamps floats that become integers. gate.c runs it.
 */
#ifndef GATE_PASS_CLAMP_CONVERSIONS_H
#define GATE_PASS_CLAMP_CONVERSIONS_H

#include "gate/module.h"

bool gate_clamp_conversions(struct gate *g);

#endif
