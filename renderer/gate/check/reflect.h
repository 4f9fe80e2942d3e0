/* SPDX-License-Identifier: MIT */
/*
 * Pass "reflect": checks the declarations of a module, and calls the other checks of this folder
 * for each instruction. gate.c runs it.
 */
#ifndef GATE_CHECK_REFLECT_H
#define GATE_CHECK_REFLECT_H

#include "gate/module.h"

/*
 * Checks a valid module against its packet and our limits, and fills in the resources that it
 * uses.
 */
bool gate_reflect(struct gate *g);

#endif
