// SPDX-License-Identifier: MIT
/*
 * Unit test of sdrm_vram against an array of pages: blocks do not overlap, no page is lost, and
 * only pages that were allocated before are reported as used.
 */
#include "check.h"
#include "sundog_vram.h"

#include <string.h>

enum { PAGES = 5000, BLOCKS = 600 };

struct held {
	struct sdrm_vram_block *block;
	uint64_t page, pages;
};

static unsigned char owner[PAGES];	/* 0: free */
static unsigned char ever[PAGES];

static void take(struct sdrm_vram *vram, struct held *held, uint64_t pages)
{
	uint64_t used;

	held->pages = pages;
	held->block = sdrm_vram_new(vram, pages, &used);
	if (!held->block)
		return;
	held->page = sdrm_vram_page(held->block);
	CHECK(held->page + pages <= PAGES);
	for (uint64_t i = held->page; i < held->page + pages; i++) {
		CHECK(!owner[i]);
		CHECK(!ever[i] || i < held->page + used);
		owner[i] = 1;
		ever[i] = 1;
	}
}

static void give(struct sdrm_vram *vram, struct held *held)
{
	memset(owner + held->page, 0, held->pages);
	sdrm_vram_del(vram, held->block);
	held->block = NULL;
}

/* Fails if there are @pages contiguous free pages, although an allocation of @pages failed. */
static void check_refusal(uint64_t pages)
{
	uint64_t run = 0;

	for (uint64_t i = 0; i < PAGES; i++) {
		run = owner[i] ? 0 : run + 1;
		CHECK(run < pages);
	}
}

static void check_unused(const struct sdrm_vram *vram)
{
	uint64_t n = 0;

	for (uint64_t i = 0; i < PAGES; i++)
		n += !owner[i];
	CHECK(vram->unused == n);
}

static uint64_t random_pages(void)
{
	return rand() % 10 ? 1 + rand() % 12 : 1 + rand() % 400;
}

static void test_random(void)
{
	static struct held held[BLOCKS];
	struct sdrm_vram vram;
	int refused = 0;

	CHECK(!sdrm_vram_init(&vram, PAGES));
	srand(1);
	for (int i = 0; i < 300000; i++) {
		struct held *one = &held[rand() % BLOCKS];

		if (one->block) {
			give(&vram, one);
			continue;
		}
		take(&vram, one, random_pages());
		/* The steps of a size class may hide a block that fits, but small sizes have a list
		 * of their own. */
		if (!one->block && ++refused && one->pages < SDRM_VRAM_STEPS)
			check_refusal(one->pages);
		if (i % 1000 == 0)
			check_unused(&vram);
	}
	CHECK(refused);
	for (int i = 0; i < BLOCKS; i++) {
		if (held[i].block)
			give(&vram, &held[i]);
	}
	take(&vram, held, PAGES);
	CHECK(held[0].block);
	sdrm_vram_fini(&vram);
}

static void test_whole(void)
{
	struct sdrm_vram vram;
	uint64_t used;

	CHECK(!sdrm_vram_init(&vram, 1ull << 38));
	CHECK(!sdrm_vram_new(&vram, (1ull << 38) + 1, &used));
	CHECK(!sdrm_vram_new(&vram, UINT64_MAX, &used));
	CHECK(vram.unused == 1ull << 38);
	CHECK(sdrm_vram_new(&vram, 1ull << 38, &used) && !used);
	CHECK(!vram.unused);
	CHECK(!sdrm_vram_new(&vram, 1, &used));
	sdrm_vram_fini(&vram);
}

int main(void)
{
	test_whole();
	test_random();
	return 0;
}
