/* SPDX-License-Identifier: MIT */
/*
 * Allocator of VRAM in pages, for the direct back end: two-level segregated fit, constant time.
 * Knows offsets only, never touches the memory. Not thread-safe.
 */
#ifndef SUNDOG_VRAM_H
#define SUNDOG_VRAM_H

#include <stdint.h>

#define SDRM_VRAM_CLASSES 40	/* powers of two of pages */
#define SDRM_VRAM_STEPS 16	/* size steps in each */

struct sdrm_vram_block;

struct sdrm_vram {
	uint64_t pages;
	uint64_t unused;	/* pages that are free */
	uint64_t touched;	/* first of the pages that were never allocated */
	uint64_t classes;	/* bit: class has a free block */
	uint32_t steps[SDRM_VRAM_CLASSES];
	struct sdrm_vram_block *free[SDRM_VRAM_CLASSES][SDRM_VRAM_STEPS];
	struct sdrm_vram_block *first;
};

int sdrm_vram_init(struct sdrm_vram *vram, uint64_t pages);
void sdrm_vram_fini(struct sdrm_vram *vram);
/* Allocate a block of @pages, at least 1. Returns NULL if no free block is large enough or memory
 * is short. *@used becomes the number of pages at the start of the block that may hold old
 * contents. */
struct sdrm_vram_block *sdrm_vram_new(struct sdrm_vram *vram, uint64_t pages, uint64_t *used);
void sdrm_vram_del(struct sdrm_vram *vram, struct sdrm_vram_block *block);
uint64_t sdrm_vram_page(const struct sdrm_vram_block *block);

#endif
