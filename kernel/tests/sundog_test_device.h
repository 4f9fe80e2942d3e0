/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A device for KUnit tests of what needs no hardware: the parts that the allocation table and
 * resources use.
 */
#ifndef _SUNDOG_TEST_DEVICE_H_
#define _SUNDOG_TEST_DEVICE_H_

#include <kunit/test.h>

#include "sundog_device.h"
#include "sundog_stats.h"

/* Entries of its allocation table. */
#define SUNDOG_TEST_ENTRIES 16

static inline void sundog_test_device_free(void *data)
{
	free_percpu(data);
}

static inline struct sundog_device *sundog_test_device(struct kunit *test)
{
	struct sundog_device *sdev = kunit_kzalloc(test, sizeof(*sdev), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, sdev);
	sdev->control = kunit_kcalloc(test, SUNDOG_TEST_ENTRIES, sizeof(struct sundog_alloc_entry),
				      GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, sdev->control);
	sdev->stats = alloc_percpu(struct sundog_stats);
	KUNIT_ASSERT_NOT_NULL(test, sdev->stats);
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, sundog_test_device_free,
							   sdev->stats));
	ida_init(&sdev->table_handles);
	ida_init(&sdev->kres_ids);
	spin_lock_init(&sdev->owner_lock);
	return sdev;
}

#endif
