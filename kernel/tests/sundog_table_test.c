// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * KUnit tests of the allocation table in sundog_table.c.
 */

#include <linux/idr.h>
#include <linux/string.h>

#include "../sundog_table.h"
#include "sundog_test_device.h"

static int sundog_table_test_init(struct kunit *test)
{
	test->priv = sundog_test_device(test);
	return 0;
}

static void sundog_table_test_exit(struct kunit *test)
{
	struct sundog_device *sdev = test->priv;

	ida_destroy(&sdev->table_handles);
}

/* Handle 0 means "no allocation", also on the device, so the first handle is 1. */
static void sundog_table_test_handles(struct kunit *test)
{
	struct sundog_device *sdev = test->priv;

	KUNIT_EXPECT_EQ(test, sundog_table_reserve(sdev), 1);
	KUNIT_EXPECT_EQ(test, sundog_table_reserve(sdev), 2);
	KUNIT_EXPECT_EQ(test, sundog_table_reserve(sdev), 3);
	sundog_table_release(sdev, 2);
	KUNIT_EXPECT_EQ(test, sundog_table_reserve(sdev), 2);
}

static void sundog_table_test_last_handle(struct kunit *test)
{
	struct sundog_device *sdev = test->priv;
	const u32 last = SUNDOG_TABLE_ENTRIES - 1;

	KUNIT_ASSERT_EQ(test, ida_alloc_range(&sdev->table_handles, last, last, GFP_KERNEL), last);
	KUNIT_EXPECT_EQ(test, ida_alloc_range(&sdev->table_handles, last, last, GFP_KERNEL),
			-ENOSPC);
	KUNIT_EXPECT_EQ(test, sundog_table_reserve(sdev), 1);
}

static void sundog_table_test_set(struct kunit *test)
{
	struct sundog_device *sdev = test->priv;
	const struct sundog_alloc_entry *entry = sundog_table_entry(sdev, 5);
	const struct sundog_alloc_entry *before = sundog_table_entry(sdev, 4);
	const struct sundog_alloc_entry *after = sundog_table_entry(sdev, 6);
	u64 generation = sundog_table_set(sdev, 5, SUNDOG_HEAP_VRAM, 0x123456000, 0x2000, 0);

	KUNIT_EXPECT_NE(test, generation, 0);
	KUNIT_EXPECT_EQ(test, le64_to_cpu(entry->generation), generation);
	KUNIT_EXPECT_EQ(test, le64_to_cpu(entry->birth), generation);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(entry->heap), SUNDOG_HEAP_VRAM);
	KUNIT_EXPECT_EQ(test, le64_to_cpu(entry->offset), 0x123456000);
	KUNIT_EXPECT_EQ(test, le64_to_cpu(entry->size), 0x2000);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(entry->n_runs), 1);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(entry->run_list), 0);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(entry->flags), 0);
	KUNIT_EXPECT_NULL(test, memchr_inv(before, 0, sizeof(*before)));
	KUNIT_EXPECT_NULL(test, memchr_inv(after, 0, sizeof(*after)));
}

/* A move changes the generation, not the birth; a new allocation in the slot has its own birth. */
static void sundog_table_test_generations(struct kunit *test)
{
	struct sundog_device *sdev = test->priv;
	const struct sundog_alloc_entry *entry = sundog_table_entry(sdev, 1);
	u64 birth = sundog_table_set(sdev, 1, SUNDOG_HEAP_VRAM, 0, PAGE_SIZE, 0);
	u64 moved, next;

	sundog_table_clear(sdev, 1);
	KUNIT_EXPECT_EQ(test, le64_to_cpu(entry->generation), 0);
	moved = sundog_table_set(sdev, 1, SUNDOG_HEAP_VRAM, 0, PAGE_SIZE, birth);
	KUNIT_EXPECT_GT(test, moved, birth);
	KUNIT_EXPECT_EQ(test, le64_to_cpu(entry->generation), moved);
	KUNIT_EXPECT_EQ(test, le64_to_cpu(entry->birth), birth);

	sundog_table_clear(sdev, 1);
	next = sundog_table_set(sdev, 1, SUNDOG_HEAP_VRAM, 0, PAGE_SIZE, 0);
	KUNIT_EXPECT_GT(test, next, moved);
	KUNIT_EXPECT_EQ(test, le64_to_cpu(entry->birth), next);
}

static struct kunit_case sundog_table_test_cases[] = {
	KUNIT_CASE(sundog_table_test_handles),
	KUNIT_CASE(sundog_table_test_last_handle),
	KUNIT_CASE(sundog_table_test_set),
	KUNIT_CASE(sundog_table_test_generations),
	{}
};

static struct kunit_suite sundog_table_test_suite = {
	.name = "sundog_table",
	.init = sundog_table_test_init,
	.exit = sundog_table_test_exit,
	.test_cases = sundog_table_test_cases,
};

kunit_test_suite(sundog_table_test_suite);
