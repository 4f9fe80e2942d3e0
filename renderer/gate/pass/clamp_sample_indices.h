/* SPDX-License-Identifier: MIT */
/*
 * Pass "sample-indices": clamps the numbers of samples and invocations. gate.c runs it.
 */
#ifndef GATE_PASS_CLAMP_SAMPLE_INDICES_H
#define GATE_PASS_CLAMP_SAMPLE_INDICES_H

#include "gate/module.h"

/* Clamps the numbers of samples and invocations. Runs after gate_reflect(). */
bool gate_clamp_sample_indices(struct gate *g);

#endif
