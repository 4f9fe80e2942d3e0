/* SPDX-License-Identifier: MIT */
/*
 * A reference of the composition of planes that sundog-compose.h defines. It computes one pixel
 * after the other, for test-compose.c to compare with.
 */
#ifndef REFERENCE_H
#define REFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sundog-compose.h"

/* Returns true if sundog-compose.h allows the plane with this size of VRAM. */
bool reference_allows(const SundogPlane *p, uint64_t vram_size);

/* Composes the whole head into @pixels, row after row. */
void reference_compose(const SundogPlane *planes, unsigned n, const SundogColor *color,
		       const uint8_t *vram, unsigned width, unsigned height, uint32_t *pixels);

uint32_t reference_crc(const uint32_t *pixels, size_t n);

#endif
