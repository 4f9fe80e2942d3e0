/* SPDX-License-Identifier: MIT */
/*
 * Part of pass "robust-access": restores indices that are out of bounds. gate.c runs it after
 * SPIRV-Tools.
 */
#ifndef GATE_PASS_RESTORE_OOB_H
#define GATE_PASS_RESTORE_OOB_H

#include "gate/module.h"

/*
 * Lets out-of-bounds indices of storage buffers, which SPIRV-Tools clamped with ids from @first on,
 * reach an element past the end.
 */
bool gate_restore_oob(struct gate *g, uint32_t first);

#endif
