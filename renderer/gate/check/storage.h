/* SPDX-License-Identifier: MIT */
/*
 * Records writes to storage buffers and images. check/reflect.c calls it for each instruction.
 */
#ifndef GATE_CHECK_STORAGE_H
#define GATE_CHECK_STORAGE_H

#include "gate/module.h"

/* Records an instruction that writes memory which others see. */
bool gate_storage_access(struct gate *g, const uint32_t *in);

/* Passes on the variable that a pointer or image leads to. */
void gate_storage_derive(struct gate *g, const uint32_t *in);

#endif
