// SPDX-License-Identifier: MIT
/*
 * Allocator of VRAM: see sundog_vram.h.
 *
 * Free blocks are in lists by size: a class for each power of two, in 16 steps. A request is
 * rounded up to the next step, so that any block of the list is large enough.
 */
#include "sundog_vram.h"

#include <stdbool.h>
#include <stdlib.h>

#define STEP_BITS 4

struct sdrm_vram_block {
	uint64_t page, pages;
	struct sdrm_vram_block *before, *after;	/* neighbours in VRAM */
	struct sdrm_vram_block *prev, *next;		/* in the free list */
	bool free;
};

static int log2_floor(uint64_t value)
{
	return 63 - __builtin_clzll(value);
}

/* Computes the list of blocks of @pages. Class 0 has the sizes below 16, one step each. */
static void class_of(uint64_t pages, uint32_t *class, uint32_t *step)
{
	int log;

	if (pages < SDRM_VRAM_STEPS) {
		*class = 0;
		*step = pages;
		return;
	}
	log = log2_floor(pages);
	*class = log - STEP_BITS + 1;
	*step = pages >> (log - STEP_BITS) & (SDRM_VRAM_STEPS - 1);
}

static void list_insert(struct sdrm_vram *vram, struct sdrm_vram_block *block)
{
	uint32_t class, step;

	class_of(block->pages, &class, &step);
	block->free = true;
	block->prev = NULL;
	block->next = vram->free[class][step];
	if (block->next)
		block->next->prev = block;
	vram->free[class][step] = block;
	vram->steps[class] |= 1u << step;
	vram->classes |= 1ull << class;
	vram->unused += block->pages;
}

static void list_remove(struct sdrm_vram *vram, struct sdrm_vram_block *block)
{
	uint32_t class, step;

	class_of(block->pages, &class, &step);
	block->free = false;
	vram->unused -= block->pages;
	if (block->next)
		block->next->prev = block->prev;
	if (block->prev) {
		block->prev->next = block->next;
		return;
	}
	vram->free[class][step] = block->next;
	if (block->next)
		return;
	vram->steps[class] &= ~(1u << step);
	if (!vram->steps[class])
		vram->classes &= ~(1ull << class);
}

int sdrm_vram_init(struct sdrm_vram *vram, uint64_t pages)
{
	struct sdrm_vram_block *block = calloc(1, sizeof(*block));

	if (!block)
		return -1;
	*vram = (struct sdrm_vram){ .pages = pages, .first = block };
	block->pages = pages;
	list_insert(vram, block);
	return 0;
}

void sdrm_vram_fini(struct sdrm_vram *vram)
{
	struct sdrm_vram_block *block = vram->first, *after;

	for (; block; block = after) {
		after = block->after;
		free(block);
	}
}

/* Returns a block of a list that has only blocks of at least @pages, or NULL. */
static struct sdrm_vram_block *find_rounded(struct sdrm_vram *vram, uint64_t pages)
{
	uint32_t class, step, steps;
	uint64_t classes;

	if (pages >= SDRM_VRAM_STEPS)
		pages += (1ull << (log2_floor(pages) - STEP_BITS)) - 1;
	class_of(pages, &class, &step);
	if (class >= SDRM_VRAM_CLASSES)
		return NULL;
	steps = vram->steps[class] & ~0u << step;
	if (!steps) {
		classes = vram->classes & ~0ull << (class + 1);
		if (!classes)
			return NULL;
		class = __builtin_ctzll(classes);
		steps = vram->steps[class];
	}
	return vram->free[class][__builtin_ctz(steps)];
}

/* Returns a block of at least @pages from the list for their size, which has smaller ones, too; or
 * NULL. This searches the list, so use it only if find_rounded() fails: VRAM is nearly full. */
static struct sdrm_vram_block *find_exact(struct sdrm_vram *vram, uint64_t pages)
{
	struct sdrm_vram_block *block;
	uint32_t class, step;

	class_of(pages, &class, &step);
	if (class >= SDRM_VRAM_CLASSES)
		return NULL;
	for (block = vram->free[class][step]; block; block = block->next) {
		if (block->pages >= pages)
			return block;
	}
	return NULL;
}

/* Returns the part of @block behind @pages to the free lists. Returns -1 if memory is short. */
static int split(struct sdrm_vram *vram, struct sdrm_vram_block *block, uint64_t pages)
{
	struct sdrm_vram_block *rest;

	if (block->pages == pages)
		return 0;
	rest = malloc(sizeof(*rest));
	if (!rest)
		return -1;
	*rest = (struct sdrm_vram_block){
		.page = block->page + pages,
		.pages = block->pages - pages,
		.before = block,
		.after = block->after,
	};
	if (rest->after)
		rest->after->before = rest;
	block->after = rest;
	block->pages = pages;
	list_insert(vram, rest);
	return 0;
}

static uint64_t touch(struct sdrm_vram *vram, const struct sdrm_vram_block *block)
{
	const uint64_t end = block->page + block->pages;
	uint64_t used = 0;

	if (block->page < vram->touched)
		used = (end < vram->touched ? end : vram->touched) - block->page;
	if (vram->touched < end)
		vram->touched = end;
	return used;
}

struct sdrm_vram_block *sdrm_vram_new(struct sdrm_vram *vram, uint64_t pages, uint64_t *used)
{
	struct sdrm_vram_block *block;

	if (pages > vram->pages)
		return NULL;
	block = find_rounded(vram, pages);
	if (!block)
		block = find_exact(vram, pages);
	if (!block)
		return NULL;
	list_remove(vram, block);
	if (split(vram, block, pages)) {
		list_insert(vram, block);
		return NULL;
	}
	*used = touch(vram, block);
	return block;
}

/* Merges @block with the block behind it; neither is in a free list. */
static void absorb(struct sdrm_vram_block *block)
{
	struct sdrm_vram_block *after = block->after;

	block->pages += after->pages;
	block->after = after->after;
	if (block->after)
		block->after->before = block;
	free(after);
}

void sdrm_vram_del(struct sdrm_vram *vram, struct sdrm_vram_block *block)
{
	if (block->after && block->after->free) {
		list_remove(vram, block->after);
		absorb(block);
	}
	if (block->before && block->before->free) {
		block = block->before;
		list_remove(vram, block);
		absorb(block);
	}
	list_insert(vram, block);
}

uint64_t sdrm_vram_page(const struct sdrm_vram_block *block)
{
	return block->page;
}
