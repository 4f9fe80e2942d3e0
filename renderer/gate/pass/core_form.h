/* SPDX-License-Identifier: MIT */
/*
 * Pass "core-form": lowers a module to the core form. gate.c runs it.
 */
#ifndef GATE_PASS_CORE_FORM_H
#define GATE_PASS_CORE_FORM_H

#include "gate/module.h"

/*
 * Lowers a valid module, whose functions are inlined, to the core form. @changed: the module was
 * rewritten.
 */
bool gate_core_form(struct gate *g, bool *changed);

/*
 * Returns true if a Function or Private variable of this type, without an initializer, gets zeros.
 */
bool gate_core_begins_zero(struct gate *g, uint32_t type_id);

#endif
