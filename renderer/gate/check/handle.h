/* SPDX-License-Identifier: MIT */
/*
 * Checks of handle tables, which are the arrays of textures and images in descriptor set
 * SUNDOG_HANDLE_SET. check/reflect.c and check/storage.c call them.
 */
#ifndef GATE_CHECK_HANDLE_H
#define GATE_CHECK_HANDLE_H

#include "gate/module.h"

/* Checks the variable @var of @count textures or images of type @image. */
bool gate_handle_table(struct gate *g, const struct gate_id *var, const struct gate_id *image,
		       uint64_t count);

static inline bool gate_is_handle_table(const struct gate *g, const struct gate_id *var)
{
	return !g->layout && var->set == SUNDOG_HANDLE_SET;
}

/* Records a store to an image of a table, or an atomic operation on it. */
bool gate_handle_write(struct gate *g, const struct gate_id *var, bool is_atomic);

/* Refuses an OpLoad of a whole array of textures or images. */
bool gate_handle_load(struct gate *g, const uint32_t *in);

#endif
