/* SPDX-License-Identifier: MIT */
/*
 * Checks of the numbers in instructions on textures and images. check/reflect.c calls it for each
 * instruction. gate/texture.h has the kinds of textures.
 */
#ifndef GATE_CHECK_TEXTURE_H
#define GATE_CHECK_TEXTURE_H

#include "gate/module.h"

/* Checks that the numeric operands of an instruction on a texture or an image have 32 bits. */
bool gate_texture_numbers(struct gate *g, const uint32_t *in);

#endif
