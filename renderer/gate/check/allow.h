/* SPDX-License-Identifier: MIT */
/*
 * The allow-lists of capabilities, execution modes, decorations and built-ins, for check/scan.c and
 * pass/lower_variable_pointers.c.
 */
#ifndef GATE_CHECK_ALLOW_H
#define GATE_CHECK_ALLOW_H

#include "gate/module.h"

/*
 * Return true if the host supports the enumerant and the gate handles its effects. They do not
 * refuse.
 */
bool gate_capability_allowed(const struct gate *g, uint32_t capability);
bool gate_mode_allowed(const struct gate *g, uint32_t mode);
bool gate_decoration_allowed(const struct gate *g, uint32_t decoration);
bool gate_builtin_allowed(uint32_t builtin);

#endif
