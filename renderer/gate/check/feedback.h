/* SPDX-License-Identifier: MIT */
/*
 * Checks of transform feedback. check/reflect.c calls them for each output.
 */
#ifndef GATE_CHECK_FEEDBACK_H
#define GATE_CHECK_FEEDBACK_H

#include "gate/module.h"

/* Checks what transform feedback captures of the output variable @var of type @type_id. */
bool gate_feedback(struct gate *g, const struct gate_id *var, uint32_t type_id);

#endif
