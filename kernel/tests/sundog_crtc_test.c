// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * KUnit tests of vblanks in sundog_crtc.c. The test plays the device and the DRM core.
 */

#include <linux/ktime.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include <drm/drm_crtc.h>

#include "../sundog_crtc.h"
#include "../sundog_head.h"
#include "sundog_test_device.h"

static int sundog_crtc_test_init(struct kunit *test)
{
	struct sundog_device *sdev = sundog_test_device(test);
	struct sundog_head *head = kunit_kzalloc(test, sizeof(*head), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, head);
	sundog_test_device_add_regs(test, sdev);
	spin_lock_init(&sdev->clock_lock);
	spin_lock_init(&head->lock);
	mutex_init(&head->commit_lock);
	head->sdev = sdev;
	head->crtc.dev = &sdev->drm;
	test->priv = head;
	return 0;
}

static void sundog_crtc_test_vblank(struct sundog_head *head, u64 count, u64 time)
{
	sundog_write64(head->sdev, SUNDOG_REG_VBLANK_COUNT(0), count);
	sundog_write64(head->sdev, SUNDOG_REG_VBLANK_TIME(0), time);
}

static u64 sundog_crtc_test_time(struct kunit *test)
{
	struct sundog_head *head = test->priv;
	ktime_t time;
	int error;

	KUNIT_ASSERT_TRUE(test, sundog_crtc_get_vblank_timestamp(&head->crtc, &error, &time, true));
	return ktime_to_ns(time) - head->clock_ahead;
}

static void sundog_crtc_test_vblanks(struct kunit *test)
{
	struct sundog_head *head = test->priv;

	sundog_crtc_test_vblank(head, 5, 50 * NSEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, sundog_crtc_get_vblank_counter(&head->crtc), 5);
	KUNIT_EXPECT_EQ(test, sundog_crtc_test_time(test), 50 * NSEC_PER_MSEC);
	sundog_crtc_test_vblank(head, U32_MAX + 8ULL, 80 * NSEC_PER_SEC);
	KUNIT_EXPECT_EQ(test, sundog_crtc_get_vblank_counter(&head->crtc), 7);
	KUNIT_EXPECT_EQ(test, sundog_crtc_test_time(test), 80 * NSEC_PER_SEC);
}

/* The core reads the count, then the time, and may be interrupted for longer than a frame. */
static void sundog_crtc_test_vblank_between(struct kunit *test)
{
	struct sundog_head *head = test->priv;

	sundog_crtc_test_vblank(head, 5, 50 * NSEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, sundog_crtc_get_vblank_counter(&head->crtc), 5);
	sundog_crtc_test_vblank(head, 6, 60 * NSEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, sundog_crtc_test_time(test), 50 * NSEC_PER_MSEC);
}

/* A device that was pulled out, which the driver does not know yet. */
static void sundog_crtc_test_pulled(struct kunit *test)
{
	struct sundog_head *head = test->priv;

	sundog_crtc_test_vblank(head, 5, 50 * NSEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, sundog_crtc_get_vblank_counter(&head->crtc), 5);
	sundog_write(head->sdev, SUNDOG_REG_MAGIC, U32_MAX);
	sundog_crtc_test_vblank(head, U64_MAX, U64_MAX);
	KUNIT_EXPECT_EQ(test, sundog_crtc_get_vblank_counter(&head->crtc), 5);
	KUNIT_EXPECT_EQ(test, sundog_crtc_test_time(test), 50 * NSEC_PER_MSEC);
	sundog_write(head->sdev, SUNDOG_REG_MAGIC, SUNDOG_MAGIC);
	sundog_crtc_test_vblank(head, 0, 0);
	KUNIT_EXPECT_EQ(test, sundog_crtc_get_vblank_counter(&head->crtc), 0);
}

/* The console may wait for a vblank while drm_dev_unplug() runs. */
static void sundog_crtc_test_unplug(struct kunit *test)
{
	struct sundog_head *head = test->priv;

	head->sdev->drm.unplugged = true;
	sundog_crtc_test_vblank(head, 5, 50 * NSEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, sundog_crtc_get_vblank_counter(&head->crtc), 5);
	KUNIT_EXPECT_EQ(test, sundog_crtc_test_time(test), 50 * NSEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, sundog_head_set_control(head, 0, SUNDOG_HEAD_CONTROL_VBLANK_IRQ), 0);
	KUNIT_EXPECT_EQ(test, sundog_read(head->sdev, SUNDOG_REG_HEAD_CONTROL(0)),
			SUNDOG_HEAD_CONTROL_VBLANK_IRQ);
}

/* The core asks once more when it turns vblanks off, and would count up to 2^32 of them. */
static void sundog_crtc_test_gone(struct kunit *test)
{
	struct sundog_head *head = test->priv;
	ktime_t time = 0;
	int error;

	sundog_crtc_test_vblank(head, 5, 50 * NSEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, sundog_crtc_get_vblank_counter(&head->crtc), 5);
	sundog_crtc_count_last(head);
	sundog_crtc_test_vblank(head, 0, 0);
	KUNIT_EXPECT_EQ(test, sundog_crtc_get_vblank_counter(&head->crtc), 6);
	sundog_crtc_count_last(head);
	KUNIT_EXPECT_EQ(test, sundog_crtc_get_vblank_counter(&head->crtc), 6);
	KUNIT_EXPECT_EQ(test, sundog_head_set_control(head, 0, SUNDOG_HEAD_CONTROL_VBLANK_IRQ),
			-ENODEV);
	KUNIT_EXPECT_EQ(test, sundog_read(head->sdev, SUNDOG_REG_HEAD_CONTROL(0)), 0);
	/* The core would store 0 as the time of the last vblank. */
	KUNIT_EXPECT_TRUE(test, sundog_crtc_get_vblank_timestamp(&head->crtc, &error, &time,
								 false));
	KUNIT_EXPECT_GT(test, time, 0);
}

static struct kunit_case sundog_crtc_test_cases[] = {
	KUNIT_CASE(sundog_crtc_test_vblanks),
	KUNIT_CASE(sundog_crtc_test_vblank_between),
	KUNIT_CASE(sundog_crtc_test_pulled),
	KUNIT_CASE(sundog_crtc_test_unplug),
	KUNIT_CASE(sundog_crtc_test_gone),
	{}
};

static struct kunit_suite sundog_crtc_test_suite = {
	.name = "sundog_crtc",
	.init = sundog_crtc_test_init,
	.test_cases = sundog_crtc_test_cases,
};

kunit_test_suite(sundog_crtc_test_suite);
