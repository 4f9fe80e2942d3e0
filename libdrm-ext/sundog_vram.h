/* SPDX-License-Identifier: MIT */
/*
 * Allocator of VRAM in pages, for the direct back end: two-level segregated fit, constant time.
 * Knows offsets only, never touches the memory. Not thread-safe.
 */
#ifndef SUNDOG_VRAM_H
#define SUNDOG_VRAM_H

#include <stdint.h>

#define SUNDOG_VRAM_CLASSES 40	/* powers of two of pages */
#define SUNDOG_VRAM_STEPS 16	/* size steps in each */

struct sundog_vram_block;

struct sundog_vram {
	uint64_t pages;
	uint64_t unused;	/* pages that are free */
	uint64_t touched;	/* first of the pages that were never allocated */
	uint64_t classes;	/* bit: class has a free block */
	uint32_t steps[SUNDOG_VRAM_CLASSES];
	struct sundog_vram_block *free[SUNDOG_VRAM_CLASSES][SUNDOG_VRAM_STEPS];
	struct sundog_vram_block *first;
};

int sundog_vram_init(struct sundog_vram *vram, uint64_t pages);
void sundog_vram_fini(struct sundog_vram *vram);
/* Allocate a block of @pages, at least 1. Returns NULL if no free block is large enough or memory
 * is short. *@used becomes the number of pages at the start of the block that may hold old
 * contents. */
struct sundog_vram_block *sundog_vram_new(struct sundog_vram *vram, uint64_t pages, uint64_t *used);
void sundog_vram_del(struct sundog_vram *vram, struct sundog_vram_block *block);
uint64_t sundog_vram_page(const struct sundog_vram_block *block);

#endif
