// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * KUnit tests of sundog_guest.c: division of pages into runs and maps, and the waits for the
 * device. The registers are plain memory, which the tests write in place of the device.
 */

#include <linux/completion.h>
#include <linux/dma-buf.h>
#include <linux/jiffies.h>
#include <linux/kref.h>
#include <linux/kthread.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/prandom.h>
#include <linux/scatterlist.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "../sundog_guest.h"
#include "../sundog_quota.h"
#include "sundog_test_device.h"

#define SUNDOG_GUEST_TEST_ENTRIES 4
#define SUNDOG_GUEST_TEST_RUNS 2000

struct sundog_guest_test {
	struct sundog_device *sdev;
	struct sundog_guest guest;
	struct sg_table sgt;
	struct scatterlist entries[SUNDOG_GUEST_TEST_ENTRIES];
	struct completion mapped;
	int ret;
};

static int sundog_guest_test_init(struct kunit *test)
{
	struct sundog_guest_test *priv = kunit_kzalloc(test, sizeof(*priv), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, priv);
	priv->sdev = sundog_test_device(test);
	priv->sdev->guest = kunit_kzalloc(test, sizeof(*priv->sdev->guest), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, priv->sdev->guest);
	sundog_test_device_add_regs(test, priv->sdev);
	mutex_init(&priv->sdev->guest->map_lock);
	mutex_init(&priv->sdev->guest->lock);
	mutex_init(&priv->sdev->guest->ranges_lock);
	init_waitqueue_head(&priv->sdev->guest->wait);
	INIT_LIST_HEAD(&priv->sdev->guest->users);
	sg_init_table(priv->entries, SUNDOG_GUEST_TEST_ENTRIES);
	priv->sgt.sgl = priv->entries;
	test->priv = priv;
	return 0;
}

static void sundog_guest_test_exit(struct kunit *test)
{
	struct sundog_guest_test *priv = test->priv;

	sundog_guest_clear_runs(&priv->guest);
	ida_destroy(&priv->sdev->table_handles);
	ida_destroy(&priv->sdev->kres_ids);
}

/* Returns a register of the test device, which the test may write. */
static u32 *sundog_guest_test_reg(struct sundog_guest_test *priv, u32 reg)
{
	return (u32 __force *)(priv->sdev->regs + reg);
}

static void sundog_guest_test_add(struct sundog_guest_test *priv, dma_addr_t addr, u32 size)
{
	struct scatterlist *sg = &priv->entries[priv->sgt.nents++];

	sg_dma_address(sg) = addr;
	sg_dma_len(sg) = size;
}

/* A run is an address and a number of pages minus one; runs that are too long are split. */
static void sundog_guest_test_set_pages(struct kunit *test)
{
	struct sundog_guest_test *priv = test->priv;
	const u32 max = SUNDOG_MAX_GUEST_PAGES;
	const u64 *runs;

	sundog_guest_test_add(priv, 0x10000, PAGE_SIZE);
	sundog_guest_test_add(priv, 0x100000000, (max + 2) * PAGE_SIZE);
	sundog_guest_test_add(priv, 0x20000, 3 * PAGE_SIZE);
	KUNIT_ASSERT_EQ(test, sundog_guest_set_pages(priv->sdev, &priv->guest, &priv->sgt,
						     (u64)(max + 6) << PAGE_SHIFT), 0);
	mutex_lock(&priv->sdev->guest->ranges_lock);
	KUNIT_EXPECT_PTR_EQ(test, sundog_guest_take_sgt(priv->sdev->guest, &priv->guest),
			    &priv->sgt);
	mutex_unlock(&priv->sdev->guest->ranges_lock);
	KUNIT_EXPECT_TRUE(test, list_empty(&priv->sdev->guest->users));
	KUNIT_ASSERT_EQ(test, priv->guest.n_runs, 4);
	runs = priv->guest.runs;
	KUNIT_EXPECT_EQ(test, runs[0], 0x10000);
	KUNIT_EXPECT_EQ(test, runs[1], 0x100000000 | (max - 1));
	KUNIT_EXPECT_EQ(test, runs[2], 0x100000000 + ((u64)max << PAGE_SHIFT) + 1);
	KUNIT_EXPECT_EQ(test, runs[3], 0x20000 + 2);
	/* The second run does not fit the first map; runs 2 and 3 fit one map. */
	KUNIT_EXPECT_EQ(test, sundog_guest_count_maps(&priv->guest), 3);
}

/* The scatterlist must consist of whole pages, and have the size of the allocation. */
static void sundog_guest_test_not_pages(struct kunit *test)
{
	struct sundog_guest_test *priv = test->priv;

	sundog_guest_test_add(priv, 0x10000, PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, sundog_guest_set_pages(priv->sdev, &priv->guest, &priv->sgt,
						     2 * PAGE_SIZE), -EOPNOTSUPP);
	sundog_guest_test_add(priv, 0x20800, PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, sundog_guest_set_pages(priv->sdev, &priv->guest, &priv->sgt,
						     2 * PAGE_SIZE), -EOPNOTSUPP);
	KUNIT_EXPECT_NULL(test, priv->guest.runs);
}

/* After the unbind of the device, setting pages fails with -ENODEV. */
static void sundog_guest_test_gone(struct kunit *test)
{
	struct sundog_guest_test *priv = test->priv;

	priv->sdev->guest->gone = true;
	sundog_guest_test_add(priv, 0x10000, PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, sundog_guest_set_pages(priv->sdev, &priv->guest, &priv->sgt,
						     PAGE_SIZE), -ENODEV);
	KUNIT_EXPECT_NULL(test, priv->guest.runs);
	KUNIT_EXPECT_TRUE(test, list_empty(&priv->sdev->guest->users));
}

/* No layout of pages needs more maps than sundog_tt_alloc() reserves. */
static void sundog_guest_test_worst(struct kunit *test)
{
	static const u32 most[] = { 1, 2, 16, SUNDOG_MAX_GUEST_PAGES };
	struct sundog_guest_test *priv = test->priv;
	struct sundog_guest *guest = &priv->guest;
	struct rnd_state rnd;
	u64 pages;
	u32 i;

	prandom_seed_state(&rnd, 1);
	guest->runs = kvzalloc_objs(*guest->runs, SUNDOG_GUEST_TEST_RUNS, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, guest->runs);
	for (i = 0; i < ARRAY_SIZE(most); i++) {
		pages = 0;
		for (guest->n_runs = 0; guest->n_runs < SUNDOG_GUEST_TEST_RUNS; guest->n_runs++) {
			guest->runs[guest->n_runs] = prandom_u32_state(&rnd) % most[i];
			pages += sundog_guest_run_pages(guest->runs[guest->n_runs]);
			KUNIT_EXPECT_LE(test, sundog_guest_count_maps(guest),
					DIV_ROUND_UP_ULL(pages, SUNDOG_MAX_GUEST_RUNS));
		}
	}
}

/* After a timeout, new maps fail with -EBUSY until the device has answered; then they succeed. */
static void sundog_guest_test_stuck(struct kunit *test)
{
	struct sundog_guest_test *priv = test->priv;
	u32 *state = sundog_guest_test_reg(priv, SUNDOG_REG_GUEST_STATE);

	priv->sdev->guest->stuck = true;
	*state = SUNDOG_GUEST_STATE_BUSY;
	KUNIT_EXPECT_EQ(test, sundog_guest_map(priv->sdev, &priv->guest), -EBUSY);
	KUNIT_EXPECT_FALSE(test, priv->guest.lost);
	*state = SUNDOG_GUEST_STATE_DONE;
	KUNIT_EXPECT_EQ(test, sundog_guest_map(priv->sdev, &priv->guest), 0);
}

/* A range that was never mapped needs no wait, whatever the value of GUEST_UNMAPPED. */
static void sundog_guest_test_unmapped(struct kunit *test)
{
	struct sundog_guest_test *priv = test->priv;

	*sundog_guest_test_reg(priv, SUNDOG_REG_GUEST_UNMAPPED) = 0x80000001;
	KUNIT_EXPECT_EQ(test, sundog_guest_wait(priv->sdev, &priv->guest), 0);
	KUNIT_EXPECT_FALSE(test, priv->guest.lost);
	/* An unmap that the device has already completed must not block. */
	priv->guest.unmapping = true;
	priv->guest.last_unmap = 0x80000001;
	KUNIT_EXPECT_EQ(test, sundog_guest_wait(priv->sdev, &priv->guest), 0);
}

/* A range is charged for its size if that is more than its maps: no file takes the heap. */
static void sundog_guest_test_share(struct kunit *test)
{
	struct sundog_guest_test *priv = test->priv;
	struct sundog_guest_heap *heap = priv->sdev->guest;
	struct sundog_quota user = {}, file = { .user = &user };
	struct sundog_guest *guest = &priv->guest;

	kref_init(&file.kref);
	heap->pages = 1 << 20;
	guest->node.size = heap->pages / 8 * 5;
	guest->n_maps = 160;
	KUNIT_EXPECT_EQ(test, sundog_guest_charge(priv->sdev, guest, &file), -EDQUOT);
	guest->node.size = heap->pages / 8 * 3;
	guest->n_maps = 200;
	heap->n_maps = 200;
	KUNIT_EXPECT_EQ(test, sundog_guest_charge(priv->sdev, guest, &file), 0);
	KUNIT_EXPECT_EQ(test, file.maps, 200);
	mutex_lock(&heap->ranges_lock);
	sundog_guest_trim(heap, guest, 96);
	KUNIT_EXPECT_EQ(test, heap->n_maps, 96);
	KUNIT_EXPECT_EQ(test, file.maps, 192);
	KUNIT_EXPECT_EQ(test, user.maps, 192);
	sundog_guest_trim(heap, guest, 0);
	mutex_unlock(&heap->ranges_lock);
	KUNIT_EXPECT_EQ(test, heap->n_maps, 0);
	KUNIT_EXPECT_EQ(test, file.maps, 0);
	KUNIT_EXPECT_EQ(test, user.maps, 0);
}

/* If the last reset fails, nobody waits for pages that will not come back. */
static void sundog_guest_test_kept(struct kunit *test)
{
	struct sundog_guest_test *priv = test->priv;
	const unsigned long begin = jiffies;

	priv->guest.unmapping = true;
	priv->guest.last_unmap = 1;
	WRITE_ONCE(priv->sdev->drm.unplugged, true);
	sundog_guest_keep(priv->sdev);
	KUNIT_EXPECT_EQ(test, sundog_guest_wait(priv->sdev, &priv->guest), -EIO);
	KUNIT_EXPECT_TRUE(test, priv->guest.lost);
	KUNIT_EXPECT_TRUE(test, time_before(jiffies, begin + 30 * HZ));
}

/* Thread that maps the range of @data. */
static int sundog_guest_test_map(void *data)
{
	struct sundog_guest_test *priv = data;

	priv->ret = sundog_guest_map(priv->sdev, &priv->guest);
	complete(&priv->mapped);
	return 0;
}

/* After an unplug during the first map, the device may access the pages until its reset. */
static void sundog_guest_test_unplug(struct kunit *test)
{
	struct sundog_guest_test *priv = test->priv;
	struct sundog_guest_heap *heap = priv->sdev->guest;
	struct task_struct *thread;

	heap->list = kunit_kzalloc(test, PAGE_SIZE, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, heap->list);
	sundog_guest_test_add(priv, 0x10000, PAGE_SIZE);
	KUNIT_ASSERT_EQ(test, sundog_guest_set_pages(priv->sdev, &priv->guest, &priv->sgt,
						     PAGE_SIZE), 0);
	*sundog_guest_test_reg(priv, SUNDOG_REG_GUEST_STATE) = SUNDOG_GUEST_STATE_BUSY;
	init_completion(&priv->mapped);
	thread = kthread_run(sundog_guest_test_map, priv, "sundog-guest-test");
	KUNIT_ASSERT_FALSE(test, IS_ERR(thread));
	while (!READ_ONCE(*sundog_guest_test_reg(priv, SUNDOG_REG_GUEST_MAP)))
		cond_resched();
	WRITE_ONCE(priv->sdev->drm.unplugged, true);
	wake_up_all(&heap->wait);
	wait_for_completion(&priv->mapped);
	KUNIT_EXPECT_EQ(test, priv->ret, -ENODEV);
	KUNIT_EXPECT_TRUE(test, priv->guest.unmapping);
	/* Only the reset ends the access of the device to the pages. */
	WRITE_ONCE(heap->gone, true);
	KUNIT_EXPECT_EQ(test, sundog_guest_wait(priv->sdev, &priv->guest), 0);
}

/* Thread that waits for the map of the import in @data; a signal interrupts the wait. */
static int sundog_guest_test_wait_import(void *data)
{
	struct sundog_guest_test *priv = data;

	allow_signal(SIGINT);
	priv->ret = sundog_import_map(&priv->guest);
	complete(&priv->mapped);
	return 0;
}

/* A signal interrupts the wait for the map of an import, but not the map itself. */
static void sundog_guest_test_interrupt(struct kunit *test)
{
	struct sundog_guest_test *priv = test->priv;
	struct sundog_guest_heap *heap = priv->sdev->guest;
	struct task_struct *thread;

	heap->list = kunit_kzalloc(test, PAGE_SIZE, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, heap->list);
	sundog_guest_test_add(priv, 0x10000, PAGE_SIZE);
	KUNIT_ASSERT_EQ(test, sundog_guest_set_pages(priv->sdev, &priv->guest, &priv->sgt,
						     PAGE_SIZE), 0);
	priv->guest.sdev = priv->sdev;
	INIT_WORK(&priv->guest.map_work, sundog_import_map_work);
	init_completion(&priv->mapped);
	thread = kthread_create(sundog_guest_test_wait_import, priv, "sundog-guest-test");
	KUNIT_ASSERT_FALSE(test, IS_ERR(thread));
	get_task_struct(thread);
	*sundog_guest_test_reg(priv, SUNDOG_REG_GUEST_STATE) = SUNDOG_GUEST_STATE_BUSY;
	wake_up_process(thread);
	while (!READ_ONCE(*sundog_guest_test_reg(priv, SUNDOG_REG_GUEST_MAP)))
		cond_resched();
	send_sig(SIGINT, thread, 1);
	wait_for_completion(&priv->mapped);
	put_task_struct(thread);
	KUNIT_EXPECT_EQ(test, priv->ret, -ERESTARTSYS);
	KUNIT_EXPECT_EQ(test, READ_ONCE(priv->guest.state), SUNDOG_IMPORT_MAPPING);

	WRITE_ONCE(*sundog_guest_test_reg(priv, SUNDOG_REG_GUEST_STATE), SUNDOG_GUEST_STATE_DONE);
	wake_up_all(&heap->wait);
	KUNIT_EXPECT_EQ(test, sundog_import_map(&priv->guest), 0);
	KUNIT_EXPECT_EQ(test, READ_ONCE(priv->guest.state), SUNDOG_IMPORT_MAPPED);
	flush_work(&priv->guest.map_work);
}

static int sundog_guest_test_unbind(void *arg)
{
	struct sundog_guest_test *priv = arg;

	sundog_guest_gone(priv->sdev);
	complete_all(&priv->mapped);
	return 0;
}

/* Unbind waits for a thread that gives the pages of an import back to the exporter. */
static void sundog_guest_test_unmapping(struct kunit *test)
{
	struct sundog_guest_test *priv = test->priv;
	struct sundog_guest_heap *heap = priv->sdev->guest;
	struct dma_buf_attachment attach = {};
	struct task_struct *thread;

	sundog_guest_test_add(priv, 0x10000, PAGE_SIZE);
	KUNIT_ASSERT_EQ(test, sundog_guest_set_pages(priv->sdev, &priv->guest, &priv->sgt,
						     PAGE_SIZE), 0);
	priv->guest.attach = &attach;
	mutex_lock(&heap->ranges_lock);
	KUNIT_EXPECT_NOT_NULL(test, sundog_guest_take_sgt(heap, &priv->guest));
	mutex_unlock(&heap->ranges_lock);
	init_completion(&priv->mapped);
	thread = kthread_run(sundog_guest_test_unbind, priv, "sundog-guest-test");
	KUNIT_ASSERT_FALSE(test, IS_ERR(thread));
	while (!READ_ONCE(heap->gone))
		cond_resched();
	KUNIT_EXPECT_EQ(test, wait_for_completion_timeout(&priv->mapped, HZ / 10), 0);
	sundog_guest_unmapped(heap);
	wait_for_completion(&priv->mapped);
}

static struct kunit_case sundog_guest_test_cases[] = {
	KUNIT_CASE(sundog_guest_test_set_pages),
	KUNIT_CASE(sundog_guest_test_not_pages),
	KUNIT_CASE(sundog_guest_test_gone),
	KUNIT_CASE(sundog_guest_test_worst),
	KUNIT_CASE(sundog_guest_test_stuck),
	KUNIT_CASE(sundog_guest_test_unmapped),
	KUNIT_CASE(sundog_guest_test_share),
	KUNIT_CASE(sundog_guest_test_kept),
	KUNIT_CASE(sundog_guest_test_unplug),
	KUNIT_CASE(sundog_guest_test_interrupt),
	KUNIT_CASE(sundog_guest_test_unmapping),
	{}
};

static struct kunit_suite sundog_guest_test_suite = {
	.name = "sundog_guest",
	.init = sundog_guest_test_init,
	.exit = sundog_guest_test_exit,
	.test_cases = sundog_guest_test_cases,
};

kunit_test_suite(sundog_guest_test_suite);
