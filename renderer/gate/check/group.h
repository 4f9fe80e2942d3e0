/* SPDX-License-Identifier: MIT */
/*
 * Checks of work groups: local size, shared memory and barriers. check/reflect.c, check/stage.c and
 * check/mesh.c call them; gate.c runs gate_group_set_local_size() as pass "group-size".
 */
#ifndef GATE_CHECK_GROUP_H
#define GATE_CHECK_GROUP_H

#include "gate/module.h"

/*
 * Sets the local size of the execution mode to the constant decorated WorkgroupSize, which
 * overrides it. @changed: the module was rewritten.
 */
bool gate_group_set_local_size(struct gate *g, bool *changed);

/*
 * Check LocalSize, a variable of shared memory, a barrier; and at the end their sums against the
 * limits.
 */
bool gate_group_size(struct gate *g, const uint32_t *in, uint32_t words);
bool gate_group_variable(struct gate *g, uint32_t type_id, const uint32_t *in, uint32_t words);
bool gate_group_barrier(struct gate *g, const uint32_t *in);
bool gate_group_ok(struct gate *g);

/*
 * Returns true if the state that invocations save at barriers also fits if the module's values are
 * multiplied by @factor.
 */
bool gate_group_saves(const struct gate *g, uint32_t factor);

/*
 * Returns true if an instruction is a control barrier of subgroup scope in a stage for which
 * pass/lower_subgroup_barriers.c replaces it.
 */
bool gate_is_subgroup_barrier(struct gate *g, const uint32_t *in);

#endif
