/* SPDX-License-Identifier: MIT */
/*
 * Checks of descriptors against a pipeline layout, for check/reflect.c and check/storage.c. gate.c
 * runs gate_layout_move() as pass "layout".
 */
#ifndef GATE_CHECK_LAYOUT_H
#define GATE_CHECK_LAYOUT_H

#include "gate/module.h"

/* Returns the binding of a variable; NULL: the layout has no such binding. */
const struct sundog_set_binding *gate_layout_find(const struct gate_layout *layout,
						  const struct gate_id *var);

/*
 * Records a variable of @count descriptors of VkDescriptorType @type, and of @kind if they are
 * textures or images.
 */
bool gate_layout_declare(struct gate *g, const struct gate_id *var, uint64_t count, uint32_t type,
			 uint32_t kind);

/* Records a store to an image, or an atomic operation on it. */
bool gate_layout_write(struct gate *g, const struct gate_id *var, bool is_atomic);

/* Moves the variables of the result to the sets and bindings that the host has for them. */
bool gate_layout_move(struct gate *g);

#endif
