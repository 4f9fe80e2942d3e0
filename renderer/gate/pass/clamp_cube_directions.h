/* SPDX-License-Identifier: MIT */
/*
 * Pass "cube-directions": clamps the directions into cube images. gate.c runs it.
 */
#ifndef GATE_PASS_CLAMP_CUBE_DIRECTIONS_H
#define GATE_PASS_CLAMP_CUBE_DIRECTIONS_H

#include "gate/module.h"

/*
 * Makes directions into cubes finite and long enough. Runs after gate_reflect(), which records the
 * kinds of image types.
 */
bool gate_clamp_cube_directions(struct gate *g);

#endif
