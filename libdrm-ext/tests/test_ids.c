// SPDX-License-Identifier: MIT
/*
 * Unit test of sdrm_ids: allocated ids are unique, freed ids are reused oldest first, and an
 * exhausted allocator returns 0.
 */
#include "check.h"
#include "sundog_ids.h"

#include <stdbool.h>
#include <string.h>

static void test_order(void)
{
	struct sdrm_ids ids;

	sdrm_ids_init(&ids, 10);
	CHECK(sdrm_ids_new(&ids) == 1);
	CHECK(sdrm_ids_new(&ids) == 2);
	CHECK(sdrm_ids_new(&ids) == 3);
	sdrm_ids_del(&ids, 2);
	sdrm_ids_del(&ids, 1);
	CHECK(sdrm_ids_new(&ids) == 2);
	sdrm_ids_del(&ids, 3);
	CHECK(sdrm_ids_new(&ids) == 1);
	CHECK(sdrm_ids_new(&ids) == 3);
	CHECK(sdrm_ids_new(&ids) == 4);
	sdrm_ids_fini(&ids);
}

static void test_limit(void)
{
	struct sdrm_ids ids;

	sdrm_ids_init(&ids, 5);
	for (uint32_t i = 1; i < 5; i++)
		CHECK(sdrm_ids_new(&ids) == i);
	CHECK(!sdrm_ids_new(&ids));
	sdrm_ids_del(&ids, 3);
	CHECK(sdrm_ids_new(&ids) == 3);
	CHECK(!sdrm_ids_new(&ids));
	sdrm_ids_fini(&ids);
}

static void test_random(void)
{
	enum { LIMIT = 3000 };
	static bool out[LIMIT];
	static uint32_t held[LIMIT];
	uint32_t n = 0;
	struct sdrm_ids ids;

	sdrm_ids_init(&ids, LIMIT);
	srand(1);
	for (int i = 0; i < 1000000; i++) {
		if (rand() % 1000 < 500 + (i / 100000 % 2 ? 20 : -20)) {
			uint32_t id = sdrm_ids_new(&ids);

			CHECK(id || n == LIMIT - 1);
			if (!id)
				continue;
			CHECK(id < LIMIT && !out[id]);
			out[id] = true;
			held[n++] = id;
		} else if (n) {
			uint32_t at = rand() % n;

			out[held[at]] = false;
			sdrm_ids_del(&ids, held[at]);
			held[at] = held[--n];
		}
	}
	sdrm_ids_fini(&ids);
}

int main(void)
{
	test_order();
	test_limit();
	test_random();
	return 0;
}
