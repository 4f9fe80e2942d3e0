/* SPDX-License-Identifier: MIT */
/*
 * Pass "part-indices": splits NonUniform indices by array. gate.c runs it.
 */
#ifndef GATE_PASS_SPLIT_NONUNIFORM_H
#define GATE_PASS_SPLIT_NONUNIFORM_H

#include "gate/module.h"

/*
 * Makes the NonUniform indices into different arrays of textures and images different values. Runs
 * after gate_reflect().
 */
bool gate_split_nonuniform(struct gate *g);

#endif
