// SPDX-License-Identifier: MIT
/*
 * Unit test of sdrm_list: a list finds each buffer that was added, and no other, before and after
 * it grows and is cleared. It reuses the items of buffers without access.
 */
#include "check.h"
#include "sundog_list.h"

#include <stddef.h>

/* Addresses of fake BOs, half of them close together. */
static struct sdrm_bo *bo_of(uint32_t i)
{
	return (struct sdrm_bo *)(uintptr_t)(i % 2 ? 16 * i : 65536ull * i);
}

static void fill(struct sdrm_list *list, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		struct sdrm_list_item *item;

		CHECK(!sdrm_list_find(list, bo_of(i + 1)));
		item = sdrm_list_add(list, bo_of(i + 1));
		CHECK(item);
		item->access = i + 1;
	}
}

static void check(const struct sdrm_list *list, uint32_t count)
{
	CHECK(list->count == count);
	for (uint32_t i = 0; i < count; i++) {
		const struct sdrm_list_item *item = sdrm_list_find(list, bo_of(i + 1));

		CHECK(item && item->access == i + 1);
	}
	CHECK(!sdrm_list_find(list, bo_of(0x7fffffff)));
}

/* Adds BOs of which only the newest has access: the list does not grow. */
static void test_gone(struct sdrm_list *list)
{
	struct sdrm_list_item *item;

	for (uint32_t i = 1; i < 5000; i++) {
		if (i > 1)
			sdrm_list_find(list, bo_of(i - 1))->access = 0;
		item = sdrm_list_add(list, bo_of(i));
		CHECK(item);
		item->access = i;
		CHECK(sdrm_list_find(list, bo_of(i)) == item);
	}
	CHECK(list->size == 32);
	sdrm_list_clear(list);
}

int main(void)
{
	struct sdrm_list list = { 0 };

	CHECK(!sdrm_list_find(&list, bo_of(1)));
	for (uint32_t count = 1; count < 5000; count = count * 2 + 1) {
		fill(&list, count);
		check(&list, count);
		sdrm_list_clear(&list);
		check(&list, 0);
	}
	sdrm_list_fini(&list);
	list = (struct sdrm_list){ 0 };
	test_gone(&list);
	sdrm_list_fini(&list);
	return 0;
}
