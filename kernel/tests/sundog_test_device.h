/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A struct sundog_device for KUnit tests that need no hardware, with the members that the
 * allocation table, resources and (with registers) extents use.
 */
#ifndef _SUNDOG_TEST_DEVICE_H_
#define _SUNDOG_TEST_DEVICE_H_

#include <kunit/test.h>
#include <linux/idr.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/spinlock.h>

#include "../sundog_device.h"
#include "../sundog_stats.h"

/* Number of entries of the allocation table. */
#define SUNDOG_TEST_ENTRIES 16

/* A KUnit action gets a plain pointer, so it gets the device: @stats is a __percpu pointer. */
static inline void sundog_test_device_free(void *data)
{
	struct sundog_device *sdev = data;

	free_percpu(sdev->stats);
}

static inline struct sundog_device *sundog_test_device(struct kunit *test)
{
	struct sundog_device *sdev = kunit_kzalloc(test, sizeof(*sdev), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, sdev);
	sdev->control = kunit_kcalloc(test, SUNDOG_TEST_ENTRIES, sizeof(struct sundog_alloc_entry),
				      GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, sdev->control);
	sdev->stats = alloc_percpu(struct sundog_stats);
	KUNIT_ASSERT_TRUE(test, sdev->stats);
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, sundog_test_device_free, sdev));
	ida_init(&sdev->table_handles);
	ida_init(&sdev->kres_ids);
	spin_lock_init(&sdev->owner_lock);
	return sdev;
}

/* Adds registers in plain memory, for a test that plays the device. */
static inline void sundog_test_device_add_regs(struct kunit *test, struct sundog_device *sdev)
{
	void *regs = kunit_kzalloc(test, PAGE_SIZE, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, regs);
	sdev->regs = (void __iomem __force *)regs;
}

#endif
