/* SPDX-License-Identifier: MIT */
/*
 * Pass "subgroup-barriers": lowers control barriers of subgroup scope. gate.c runs it.
 */
#ifndef GATE_PASS_LOWER_SUBGROUP_BARRIERS_H
#define GATE_PASS_LOWER_SUBGROUP_BARRIERS_H

#include "gate/module.h"

/*
 * Replaces control barriers of subgroup scope by memory barriers. Runs after gate_reflect().
 */
bool gate_lower_subgroup_barriers(struct gate *g);

#endif
