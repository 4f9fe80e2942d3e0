// SPDX-License-Identifier: MIT
/*
 * A list finds each handle that was added, and no other, before and after it grows and is cleared.
 */
#include "check.h"
#include "sundog_list.h"

#include <stddef.h>

/* Handles that fall on the same few slots, and some that do not. */
static uint32_t handle_of(uint32_t i)
{
	return i % 2 ? i : 4096 * i + 1;
}

static void fill(struct sundog_list *list, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		struct sundog_list_item *item;

		CHECK(!sundog_list_find(list, handle_of(i + 1)));
		item = sundog_list_add(list, handle_of(i + 1));
		CHECK(item);
		item->access = i;
	}
}

static void check(const struct sundog_list *list, uint32_t count)
{
	CHECK(list->count == count);
	for (uint32_t i = 0; i < count; i++) {
		const struct sundog_list_item *item = sundog_list_find(list, handle_of(i + 1));

		CHECK(item && item->access == i);
	}
	CHECK(!sundog_list_find(list, 0x7fffffff));
}

int main(void)
{
	struct sundog_list list = { 0 };

	CHECK(!sundog_list_find(&list, 1));
	for (uint32_t count = 1; count < 5000; count = count * 2 + 1) {
		fill(&list, count);
		check(&list, count);
		sundog_list_clear(&list);
		check(&list, 0);
	}
	sundog_list_fini(&list);
	return 0;
}
