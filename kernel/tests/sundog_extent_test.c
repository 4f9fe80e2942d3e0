// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * KUnit tests of sundog_extent.c, with sundog_revoke.c. The test plays the device: it decides when
 * to acknowledge a revoke.
 */

#include <linux/bitmap.h>
#include <linux/log2.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include <drm/ttm/ttm_placement.h>

#include "../sundog_evict.h"
#include "../sundog_extent.h"
#include "../sundog_revoke.h"
#include "../sundog_vram.h"
#include "sundog_test_device.h"

/* Number of extents, and pages of an extent. */
#define SUNDOG_TEST_EXTENTS	8
#define SUNDOG_TEST_PAGES	4

static int sundog_extent_test_init(struct kunit *test)
{
	struct sundog_device *sdev = sundog_test_device(test);
	struct sundog_extents *ex;

	sundog_test_device_add_regs(test, sdev);
	ex = sundog_extents_alloc(SUNDOG_TEST_EXTENTS, ilog2(SUNDOG_TEST_PAGES));
	KUNIT_ASSERT_NOT_NULL(test, ex);
	ex->sdev = sdev;
	ex->table = kunit_kcalloc(test, SUNDOG_TEST_EXTENTS, sizeof(*ex->table), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, ex->table);
	bitmap_fill(ex->sets[SUNDOG_EXTENT_FREE], ex->n);
	sdev->extents = ex;
	test->priv = sdev;
	return 0;
}

static void sundog_extent_test_exit(struct kunit *test)
{
	struct sundog_device *sdev = test->priv;

	sundog_revoke_gone(sdev);
	sundog_extents_destroy(sdev->extents);
}

static struct sundog_vram_owner *sundog_extent_test_owner(struct kunit *test, u32 client)
{
	struct sundog_device *sdev = test->priv;
	struct sundog_vram_owner *owner = sundog_vram_owner_create(sdev->extents);

	KUNIT_ASSERT_NOT_NULL(test, owner);
	sundog_extents_set_client(owner, client);
	return owner;
}

static struct sundog_range *sundog_extent_test_try_at(struct kunit *test,
						      struct sundog_vram_owner *owner, u64 pages,
						      u32 placement)
{
	struct sundog_range *range = kzalloc_obj(*range, GFP_KERNEL);
	struct sundog_extents *ex = owner->ex;
	int ret;

	KUNIT_ASSERT_NOT_NULL(test, range);
	range->base.placement = placement;
	spin_lock(&ex->lock);
	ret = sundog_extents_insert(ex, range, owner, pages, false);
	spin_unlock(&ex->lock);
	if (!ret)
		return range;
	KUNIT_EXPECT_EQ(test, ret, -ENOSPC);
	kfree(range);
	return NULL;
}

static struct sundog_range *sundog_extent_test_try(struct kunit *test,
						   struct sundog_vram_owner *owner, u64 pages)
{
	return sundog_extent_test_try_at(test, owner, pages, 0);
}

static struct sundog_range *sundog_extent_test_insert(struct kunit *test,
						      struct sundog_vram_owner *owner, u64 pages)
{
	struct sundog_range *range = sundog_extent_test_try(test, owner, pages);

	KUNIT_ASSERT_NOT_NULL(test, range);
	return range;
}

static void sundog_extent_test_remove(struct sundog_extents *ex, struct sundog_range *range)
{
	spin_lock(&ex->lock);
	sundog_extents_remove(ex, range);
	spin_unlock(&ex->lock);
	kfree(range);
}

static void sundog_extent_test_pending_revoke(struct sundog_extents *ex, struct sundog_range *range)
{
	spin_lock(&ex->lock);
	sundog_revoke_range(ex, range);
	spin_unlock(&ex->lock);
}

static void sundog_extent_test_ask(struct sundog_extents *ex)
{
	spin_lock(&ex->lock);
	sundog_revoke_ask(ex);
	spin_unlock(&ex->lock);
}

static void sundog_extent_test_age(struct sundog_extents *ex)
{
	spin_lock(&ex->lock);
	sundog_extents_age(ex);
	spin_unlock(&ex->lock);
}

static bool sundog_extent_test_take_at(struct sundog_extents *ex, struct sundog_vram_owner *owner,
				       u64 pages, u32 placement)
{
	const struct sundog_range range = { .base.placement = placement };
	u32 first, end;
	bool ret;

	spin_lock(&ex->lock);
	ret = sundog_extents_take(ex, &range, owner, pages, true, &first, &end);
	spin_unlock(&ex->lock);
	return ret;
}

static bool sundog_extent_test_take(struct sundog_extents *ex, struct sundog_vram_owner *owner,
				    u64 pages)
{
	return sundog_extent_test_take_at(ex, owner, pages, 0);
}

/* Like sundog_vram_clean(), but clears no memory. */
static u32 sundog_extent_test_clean(struct sundog_extents *ex, struct sundog_vram_owner *owner)
{
	u32 first = 0, n, all = 0;

	spin_lock(&ex->lock);
	while ((n = sundog_extents_hold_dirty(ex, owner, &first, ex->n, 3))) {
		sundog_extents_return_clean(ex, first, n);
		first += n;
		all += n;
	}
	spin_unlock(&ex->lock);
	return all;
}

/* Like sundog_revoke_event(), but queues no work. */
static void sundog_extent_test_answer(struct sundog_device *sdev, u32 revoked)
{
	struct sundog_extents *ex = sdev->extents;

	sundog_write(sdev, SUNDOG_REG_REVOKED, revoked);
	spin_lock(&ex->lock);
	sundog_revoke_look(ex);
	spin_unlock(&ex->lock);
}

static u32 sundog_extent_test_n_free(struct sundog_extents *ex)
{
	return bitmap_weight(ex->sets[SUNDOG_EXTENT_FREE], ex->n);
}

/* An owner fills one extent after the other, and no extent has ranges of two owners. */
static void sundog_extent_test_owners(struct kunit *test)
{
	struct sundog_device *sdev = test->priv;
	struct sundog_extents *ex = sdev->extents;
	struct sundog_vram_owner *one = sundog_extent_test_owner(test, 11);
	struct sundog_vram_owner *two = sundog_extent_test_owner(test, 22);
	struct sundog_range *a = sundog_extent_test_insert(test, one, 1);
	struct sundog_range *b = sundog_extent_test_insert(test, two, 1);
	struct sundog_range *c = sundog_extent_test_insert(test, one, SUNDOG_TEST_PAGES - 1);
	struct sundog_range *d = sundog_extent_test_insert(test, two, 2 * SUNDOG_TEST_PAGES);

	KUNIT_EXPECT_EQ(test, a->node.start >> ex->shift, 0);
	KUNIT_EXPECT_EQ(test, b->node.start >> ex->shift, 1);
	KUNIT_EXPECT_EQ(test, c->node.start >> ex->shift, 0);
	KUNIT_EXPECT_EQ(test, d->node.start >> ex->shift, 2);
	KUNIT_EXPECT_EQ(test, ex->table[0], 11);
	KUNIT_EXPECT_EQ(test, ex->table[1], 22);
	KUNIT_EXPECT_EQ(test, ex->table[2], 22);
	KUNIT_EXPECT_EQ(test, ex->table[3], 22);
	KUNIT_EXPECT_EQ(test, ex->table[4], 0);
	KUNIT_EXPECT_EQ(test, sundog_extent_test_n_free(ex), SUNDOG_TEST_EXTENTS - 4);
	sundog_extents_set_client(two, 33);
	KUNIT_EXPECT_EQ(test, ex->table[0], 11);
	KUNIT_EXPECT_EQ(test, ex->table[1], 33);
	KUNIT_EXPECT_EQ(test, ex->table[3], 33);

	sundog_extent_test_remove(ex, a);
	sundog_extent_test_remove(ex, b);
	sundog_extent_test_remove(ex, c);
	sundog_extent_test_remove(ex, d);
	sundog_vram_owner_put(one);
	sundog_vram_owner_put(two);
}

/* Free space is reusable at once by the same owner, and by another owner after revoke and clear. */
static void sundog_extent_test_revoke(struct kunit *test)
{
	struct sundog_device *sdev = test->priv;
	struct sundog_extents *ex = sdev->extents;
	struct sundog_vram_owner *one = sundog_extent_test_owner(test, 11);
	struct sundog_vram_owner *two = sundog_extent_test_owner(test, 22);
	const u64 all = SUNDOG_TEST_EXTENTS * SUNDOG_TEST_PAGES;
	struct sundog_range *range = sundog_extent_test_insert(test, one, all);

	sundog_extent_test_remove(ex, range);
	range = sundog_extent_test_insert(test, one, all);
	sundog_extent_test_remove(ex, range);
	KUNIT_EXPECT_NULL(test, sundog_extent_test_try(test, two, 1));

	sundog_extent_test_age(ex);
	KUNIT_EXPECT_EQ(test, ex->table[0], 11);
	sundog_extent_test_age(ex);
	KUNIT_EXPECT_EQ(test, ex->table[0], 0);
	KUNIT_EXPECT_NULL(test, sundog_extent_test_try(test, two, 1));
	sundog_extent_test_ask(ex);
	KUNIT_EXPECT_EQ(test, sundog_read(sdev, SUNDOG_REG_REVOKE), 1);
	sundog_extent_test_answer(sdev, 0);
	KUNIT_EXPECT_NULL(test, sundog_extent_test_try(test, two, 1));
	KUNIT_EXPECT_NULL(test, sundog_extent_test_try(test, one, 1));
	sundog_extent_test_answer(sdev, 1);
	/* Dirty: the worker of "one" could write the extents, and that of "two" read them. */
	KUNIT_EXPECT_NULL(test, sundog_extent_test_try(test, two, 1));
	KUNIT_EXPECT_EQ(test, sundog_extent_test_clean(ex, NULL), SUNDOG_TEST_EXTENTS);
	KUNIT_EXPECT_EQ(test, sundog_extent_test_n_free(ex), SUNDOG_TEST_EXTENTS);
	range = sundog_extent_test_insert(test, two, all);
	KUNIT_EXPECT_EQ(test, ex->table[0], 22);

	sundog_extent_test_remove(ex, range);
	sundog_vram_owner_put(one);
	sundog_vram_owner_put(two);
}

/* An owner takes unused extents of other owners, and no third owner can take these meanwhile. */
static void sundog_extent_test_new_owner(struct kunit *test)
{
	struct sundog_device *sdev = test->priv;
	struct sundog_extents *ex = sdev->extents;
	struct sundog_vram_owner *one = sundog_extent_test_owner(test, 11);
	struct sundog_vram_owner *two = sundog_extent_test_owner(test, 22);
	struct sundog_vram_owner *three = sundog_extent_test_owner(test, 33);
	struct sundog_range *first = sundog_extent_test_insert(test, one, SUNDOG_TEST_PAGES);
	struct sundog_range *rest = sundog_extent_test_insert(test, one, 5 * SUNDOG_TEST_PAGES);

	sundog_extent_test_remove(ex, rest);
	KUNIT_EXPECT_NULL(test, sundog_extent_test_try(test, two, 7 * SUNDOG_TEST_PAGES));
	KUNIT_EXPECT_FALSE(test, sundog_extent_test_take(ex, two, 8 * SUNDOG_TEST_PAGES));
	KUNIT_EXPECT_EQ(test, one->n_owned, 6);
	KUNIT_EXPECT_TRUE(test, sundog_extent_test_take(ex, two, 7 * SUNDOG_TEST_PAGES));
	KUNIT_EXPECT_EQ(test, one->n_owned, 1);
	KUNIT_EXPECT_EQ(test, two->n_owned, 2);
	KUNIT_EXPECT_EQ(test, ex->table[1], 0);
	/* A second call takes no more extents, and no other owner gets any. */
	KUNIT_EXPECT_TRUE(test, sundog_extent_test_take(ex, two, 7 * SUNDOG_TEST_PAGES));
	KUNIT_EXPECT_FALSE(test, sundog_extent_test_take(ex, three, 1));
	sundog_extent_test_ask(ex);
	KUNIT_EXPECT_FALSE(test, sundog_extent_test_take(ex, three, 1));
	sundog_extent_test_answer(sdev, 1);
	KUNIT_EXPECT_FALSE(test, sundog_extent_test_take(ex, three, 1));
	KUNIT_EXPECT_EQ(test, ex->table[1], 0);
	KUNIT_EXPECT_EQ(test, sundog_extent_test_clean(ex, NULL), 0);
	KUNIT_EXPECT_EQ(test, sundog_extent_test_clean(ex, two), 5);
	KUNIT_EXPECT_EQ(test, two->n_owned, 7);
	KUNIT_EXPECT_EQ(test, ex->table[1], 22);
	KUNIT_EXPECT_FALSE(test, sundog_extent_test_take(ex, three, 1));
	rest = sundog_extent_test_insert(test, two, 7 * SUNDOG_TEST_PAGES);

	sundog_extent_test_remove(ex, first);
	sundog_extent_test_remove(ex, rest);
	sundog_vram_owner_put(one);
	sundog_vram_owner_put(two);
	sundog_vram_owner_put(three);
}

/* A call reserves dirty extents and never uses them. A call of another owner waits for them. */
static void sundog_extent_test_abandoned(struct kunit *test)
{
	const u64 all = SUNDOG_TEST_EXTENTS * SUNDOG_TEST_PAGES;
	struct sundog_device *sdev = test->priv;
	struct sundog_extents *ex = sdev->extents;
	struct sundog_vram_owner *one = sundog_extent_test_owner(test, 11);
	struct sundog_vram_owner *two = sundog_extent_test_owner(test, 22);
	struct sundog_range range = { .base.size = PAGE_SIZE };
	struct sundog_evict evict;
	int i;

	bitmap_zero(ex->sets[SUNDOG_EXTENT_FREE], ex->n);
	bitmap_fill(ex->sets[SUNDOG_EXTENT_DIRTY], ex->n);
	KUNIT_EXPECT_TRUE(test, sundog_extent_test_take(ex, one, all));
	sundog_evict_init(&evict, sdev, 0);
	mutex_lock(&ex->clean_lock);
	KUNIT_EXPECT_EQ(test, sundog_vram_insert_slow(ex, &range, two, &evict), -ENOSPC);
	mutex_unlock(&ex->clean_lock);
	KUNIT_EXPECT_FALSE(test, evict.revoke);
	/* Without the reservation, the third call returns -ENOSPC. */
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_EQ(test, sundog_evict_more(&evict), 0);
	KUNIT_EXPECT_FALSE(test, evict.repack);
	sundog_evict_fini(&evict);
	sundog_extent_test_age(ex);
	KUNIT_EXPECT_TRUE(test, sundog_extent_test_take(ex, two, 1));
	sundog_vram_owner_put(one);
	sundog_vram_owner_put(two);
}

/* An acknowledged revoke covers only ranges that were pending before its request. */
static void sundog_extent_test_pending_revoke_order(struct kunit *test)
{
	struct sundog_device *sdev = test->priv;
	struct sundog_extents *ex = sdev->extents;
	const u64 half = SUNDOG_TEST_EXTENTS * SUNDOG_TEST_PAGES / 2;
	struct sundog_range *a = sundog_extent_test_insert(test, ex->common, half);
	struct sundog_range *b = sundog_extent_test_insert(test, ex->common, half);

	sundog_extent_test_pending_revoke(ex, a);
	sundog_extent_test_ask(ex);
	sundog_extent_test_pending_revoke(ex, b);
	sundog_extent_test_ask(ex);
	KUNIT_EXPECT_EQ(test, ex->pending_revoke_pages, 2 * half);
	KUNIT_EXPECT_NULL(test, sundog_extent_test_try(test, ex->common, 1));
	sundog_extent_test_answer(sdev, 1);
	KUNIT_EXPECT_EQ(test, ex->pending_revoke_pages, half);
	KUNIT_EXPECT_NULL(test, sundog_extent_test_try(test, ex->common, half + 1));
	/* The second request was urgent, so it is in flight. */
	KUNIT_EXPECT_EQ(test, ex->asked, 2);
	sundog_extent_test_answer(sdev, 2);
	KUNIT_EXPECT_EQ(test, ex->pending_revoke_pages, 0);
	/* No worker maps extents of the common owner, so they become free without a revoke. */
	sundog_extent_test_age(ex);
	sundog_extent_test_age(ex);
	KUNIT_EXPECT_EQ(test, sundog_extent_test_n_free(ex), SUNDOG_TEST_EXTENTS);
	KUNIT_EXPECT_EQ(test, ex->asked, 2);
}

static void sundog_extent_test_is_of(struct kunit *test, const struct sundog_range *range,
				     u32 client)
{
	struct sundog_device *sdev = test->priv;
	const struct sundog_extents *ex = sdev->extents;
	u64 page;

	for (page = 0; range && page < range->node.size; page++)
		KUNIT_ASSERT_EQ(test, ex->table[(range->node.start + page) >> ex->shift], client);
}

/* Extents that were reserved for an owner that does not use them become free after a while. */
static void sundog_extent_test_late_new_owner(struct kunit *test)
{
	struct sundog_device *sdev = test->priv;
	struct sundog_extents *ex = sdev->extents;
	struct sundog_vram_owner *one = sundog_extent_test_owner(test, 11);
	struct sundog_vram_owner *two = sundog_extent_test_owner(test, 22);
	const u64 all = SUNDOG_TEST_EXTENTS * SUNDOG_TEST_PAGES;
	struct sundog_range *range = sundog_extent_test_insert(test, one, all);

	sundog_extent_test_remove(ex, range);
	KUNIT_EXPECT_TRUE(test, sundog_extent_test_take(ex, two, all));
	sundog_vram_owner_put(two);
	sundog_extent_test_ask(ex);
	sundog_extent_test_answer(sdev, 1);
	KUNIT_EXPECT_EQ(test, sundog_extent_test_clean(ex, NULL), 0);
	sundog_extent_test_age(ex);
	KUNIT_EXPECT_EQ(test, sundog_extent_test_clean(ex, NULL), SUNDOG_TEST_EXTENTS);
	range = sundog_extent_test_insert(test, one, all);
	sundog_extent_test_remove(ex, range);
	sundog_vram_owner_put(one);
}

/* TTM_PL_FLAG_TOPDOWN puts a range at the end of VRAM, even if clean extents precede it. */
static void sundog_extent_test_top(struct kunit *test)
{
	struct sundog_device *sdev = test->priv;
	struct sundog_extents *ex = sdev->extents;
	struct sundog_vram_owner *one = sundog_extent_test_owner(test, 11);
	struct sundog_vram_owner *two = sundog_extent_test_owner(test, 22);
	const u64 all = SUNDOG_TEST_EXTENTS * SUNDOG_TEST_PAGES, top = 2 * SUNDOG_TEST_PAGES;
	struct sundog_range *range = sundog_extent_test_insert(test, one, all);
	u32 first = 0;

	sundog_extent_test_remove(ex, range);
	sundog_extent_test_age(ex);
	sundog_extent_test_age(ex);
	sundog_extent_test_ask(ex);
	sundog_extent_test_answer(sdev, 1);
	/* The last three extents stay dirty. */
	spin_lock(&ex->lock);
	sundog_extents_return_clean(ex, 0, sundog_extents_hold_dirty(ex, NULL, &first, ex->n, 5));
	spin_unlock(&ex->lock);
	KUNIT_EXPECT_NULL(test, sundog_extent_test_try_at(test, two, top, TTM_PL_FLAG_TOPDOWN));
	KUNIT_EXPECT_TRUE(test, sundog_extent_test_take_at(ex, two, top, TTM_PL_FLAG_TOPDOWN));
	KUNIT_EXPECT_EQ(test, sundog_extent_test_clean(ex, two), 2);
	range = sundog_extent_test_try_at(test, two, top, TTM_PL_FLAG_TOPDOWN);
	KUNIT_ASSERT_NOT_NULL(test, range);
	KUNIT_EXPECT_EQ(test, range->node.start, all - top);
	sundog_extent_test_remove(ex, range);
	sundog_vram_owner_put(one);
	sundog_vram_owner_put(two);
}

/* A client has reserved dirty extents; another one with the same owner needs one extent. */
static void sundog_extent_test_clean_own(struct kunit *test)
{
	const u64 all = SUNDOG_TEST_EXTENTS * SUNDOG_TEST_PAGES;
	struct sundog_device *sdev = test->priv;
	struct sundog_extents *ex = sdev->extents;
	struct sundog_vram_owner *owner = sundog_extent_test_owner(test, 1);
	struct sundog_range *range = kzalloc_obj(*range, GFP_KERNEL);
	struct sundog_evict evict;

	KUNIT_ASSERT_NOT_NULL(test, range);
	sdev->vram = kunit_kzalloc(test, all << PAGE_SHIFT, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, sdev->vram);
	bitmap_zero(ex->sets[SUNDOG_EXTENT_FREE], ex->n);
	bitmap_fill(ex->sets[SUNDOG_EXTENT_DIRTY], ex->n);
	KUNIT_EXPECT_TRUE(test, sundog_extent_test_take(ex, owner, all - SUNDOG_TEST_PAGES));
	range->base.size = SUNDOG_TEST_PAGES << PAGE_SHIFT;
	sundog_evict_init(&evict, sdev, 0);
	mutex_lock(&ex->clean_lock);
	KUNIT_EXPECT_EQ(test, sundog_vram_insert_slow(ex, range, owner, &evict), 0);
	mutex_unlock(&ex->clean_lock);
	sundog_evict_fini(&evict);
	KUNIT_EXPECT_EQ(test, bitmap_weight(ex->sets[SUNDOG_EXTENT_DIRTY], ex->n), ex->n - 1);
	list_del(&range->in_list);
	sundog_extent_test_remove(ex, range);
	sundog_vram_owner_put(owner);
}

/* Ranges may cross extents of their owner, but never overlap an extent of another owner. */
static void sundog_extent_test_gaps(struct kunit *test)
{
	struct sundog_device *sdev = test->priv;
	struct sundog_extents *ex = sdev->extents;
	struct sundog_vram_owner *owners[2] = {
		sundog_extent_test_owner(test, 1), sundog_extent_test_owner(test, 2),
	};
	struct sundog_range *ranges[16] = {};
	u32 seed = 1, asked = 0, i, round, slot;

	for (round = 0; round < 4000; round++) {
		seed = seed * 1103515245 + 12345;
		slot = (seed >> 16) % ARRAY_SIZE(ranges);
		if (ranges[slot])
			sundog_extent_test_remove(ex, ranges[slot]);
		ranges[slot] = sundog_extent_test_try(test, owners[slot % 2],
						      1 + (seed >> 20) % 9);
		if (!(seed >> 24 & 7)) {
			sundog_extent_test_age(ex);
			sundog_extent_test_ask(ex);
			asked = ex->asked;
			sundog_extent_test_answer(sdev, asked);
			sundog_extent_test_clean(ex, NULL);
		}
		for (i = 0; i < ARRAY_SIZE(ranges); i++)
			sundog_extent_test_is_of(test, ranges[i], 1 + i % 2);
	}
	KUNIT_EXPECT_GT(test, asked, 10);
	for (i = 0; i < ARRAY_SIZE(ranges); i++)
		if (ranges[i])
			sundog_extent_test_remove(ex, ranges[i]);
	sundog_vram_owner_put(owners[0]);
	sundog_vram_owner_put(owners[1]);
}

static struct kunit_case sundog_extent_test_cases[] = {
	KUNIT_CASE(sundog_extent_test_owners),
	KUNIT_CASE(sundog_extent_test_revoke),
	KUNIT_CASE(sundog_extent_test_new_owner),
	KUNIT_CASE(sundog_extent_test_late_new_owner),
	KUNIT_CASE(sundog_extent_test_abandoned),
	KUNIT_CASE(sundog_extent_test_pending_revoke_order),
	KUNIT_CASE(sundog_extent_test_top),
	KUNIT_CASE(sundog_extent_test_gaps),
	KUNIT_CASE(sundog_extent_test_clean_own),
	{}
};

static struct kunit_suite sundog_extent_test_suite = {
	.name = "sundog_extent",
	.init = sundog_extent_test_init,
	.exit = sundog_extent_test_exit,
	.test_cases = sundog_extent_test_cases,
};

kunit_test_suite(sundog_extent_test_suite);
