/* SPDX-License-Identifier: MIT */
/*
 * Part of pass "robust-access": corrects result types of access chains. gate.c runs it after SPIRV-
 * Tools.
 */
#ifndef GATE_PASS_FIX_ACCESS_CHAIN_TYPES_H
#define GATE_PASS_FIX_ACCESS_CHAIN_TYPES_H

#include "gate/module.h"

/*
 * Corrects the result types of access chains that SPIRV-Tools added, with ids from @first on.
 */
bool gate_fix_access_chain_types(struct gate *g, uint32_t first);

#endif
