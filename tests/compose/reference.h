/* SPDX-License-Identifier: MIT */
/*
 * The picture that planes make, as sundog-compose.h has it, one pixel after the other.
 */
#ifndef REFERENCE_H
#define REFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sundog-compose.h"

/* May the plane be composed? */
bool reference_allows(const SundogPlane *p, uint64_t vram_size);

/* The whole of a head, its rows one after the other. */
void reference_compose(const SundogPlane *planes, unsigned n, const SundogColor *color, const uint8_t *vram,
		       unsigned width, unsigned height, uint32_t *pixels);

uint32_t reference_crc(const uint32_t *pixels, size_t n);

#endif
