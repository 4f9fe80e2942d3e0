// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * KUnit tests of calls that need VRAM: which victims they keep locked, and what a flip does not
 * wait for. The test plays the other client.
 */

#include <linux/dma-fence.h>
#include <linux/dma-resv.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include <drm/drm_drv.h>
#include <drm/drm_exec.h>
#include <drm/drm_gem.h>
#include <drm/ttm/ttm_placement.h>
#include <drm/ttm/ttm_resource.h>

#include "../sundog_bo.h"
#include "../sundog_evict.h"
#include "../sundog_extent.h"
#include "../sundog_vram.h"
#include "sundog_test_device.h"

/* GEM asks it for features. */
static const struct drm_driver sundog_evict_test_driver;

static int sundog_evict_test_init(struct kunit *test)
{
	struct sundog_device *sdev = sundog_test_device(test);

	sdev->drm.driver = &sundog_evict_test_driver;
	sdev->extents = kunit_kzalloc(test, sizeof(*sdev->extents), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, sdev->extents);
	mutex_init(&sdev->extents->clean_lock);
	test->priv = sdev;
	return 0;
}

/* Returns a BO with one GEM reference, which is published in VRAM. */
static struct sundog_bo *sundog_evict_test_bo(struct kunit *test)
{
	struct sundog_bo *bo = kunit_kzalloc(test, sizeof(*bo), GFP_KERNEL);
	struct sundog_device *sdev = test->priv;

	KUNIT_ASSERT_NOT_NULL(test, bo);
	drm_gem_private_object_init(&sdev->drm, &bo->tbo.base, PAGE_SIZE);
	bo->unpopulated.mem_type = TTM_PL_VRAM;
	bo->tbo.resource = &bo->unpopulated;
	bo->generation = 1;
	return bo;
}

static const char *sundog_evict_test_name(struct dma_fence *fence)
{
	return "sundog_evict";
}

static const struct dma_fence_ops sundog_evict_test_fence_ops = {
	.get_driver_name = sundog_evict_test_name,
	.get_timeline_name = sundog_evict_test_name,
};

/* Adds a fence that is not signalled until sundog_evict_test_end_job(). */
static struct dma_fence *sundog_evict_test_job(struct kunit *test, struct sundog_bo *bo)
{
	static DEFINE_SPINLOCK(lock);
	struct dma_fence *fence = kzalloc_obj(*fence, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, fence);
	dma_fence_init(fence, &sundog_evict_test_fence_ops, &lock, dma_fence_context_alloc(1), 1);
	dma_resv_lock(bo->tbo.base.resv, NULL);
	if (!dma_resv_reserve_fences(bo->tbo.base.resv, 1))
		dma_resv_add_fence(bo->tbo.base.resv, fence, DMA_RESV_USAGE_BOOKKEEP);
	dma_resv_unlock(bo->tbo.base.resv);
	return fence;
}

static void sundog_evict_test_end_job(struct dma_fence *fence)
{
	dma_fence_signal(fence);
	dma_fence_put(fence);
}

/* A client pins its framebuffer when another one has selected it as the victim. */
static void sundog_evict_test_pinned(struct kunit *test)
{
	struct sundog_bo *bo = sundog_evict_test_bo(test);
	struct dma_fence *job = sundog_evict_test_job(test, bo);
	struct sundog_evict evict;
	struct drm_exec exec;
	int ret = 0;

	sundog_evict_init(&evict, test->priv, 0);
	drm_gem_object_get(&bo->tbo.base);
	evict.victim = bo;
	bo->tbo.pin_count = 1;
	drm_exec_init(&exec, DRM_EXEC_IGNORE_DUPLICATES, 0);
	drm_exec_until_all_locked(&exec) {
		ret = sundog_evict_wait(&evict, &exec);
		drm_exec_retry_on_contention(&exec);
	}
	KUNIT_EXPECT_EQ(test, ret, 0);
	KUNIT_EXPECT_NULL(test, evict.victim);
	if (dma_resv_trylock(bo->tbo.base.resv))
		dma_resv_unlock(bo->tbo.base.resv);
	else
		KUNIT_FAIL(test, "the pinned BO is still locked");
	drm_exec_fini(&exec);
	sundog_evict_fini(&evict);
	sundog_evict_test_end_job(job);
	drm_gem_private_object_fini(&bo->tbo.base);
}

/* Without DISCARD, a client that allocates much memory clears it with this lock. */
static void sundog_evict_test_cleaning(struct kunit *test)
{
	struct sundog_device *sdev = test->priv;
	struct sundog_evict evict;

	sundog_evict_init(&evict, sdev, 0);
	evict.no_wait = true;
	mutex_lock(&sdev->extents->clean_lock);
	KUNIT_EXPECT_FALSE(test, sundog_vram_lock_clean(sdev->extents, &evict));
	mutex_unlock(&sdev->extents->clean_lock);
	KUNIT_EXPECT_TRUE(test, sundog_vram_lock_clean(sdev->extents, &evict));
	mutex_unlock(&sdev->extents->clean_lock);
	sundog_evict_fini(&evict);
}

/* A call that has queued for the claim in vain does not queue again: it keeps its victims. */
static void sundog_evict_test_unclaimed(struct kunit *test)
{
	struct sundog_bo *bo = sundog_evict_test_bo(test);
	struct sundog_device *sdev = test->priv;
	struct sundog_evict evict, other;

	sundog_evict_init(&evict, sdev, 0);
	drm_gem_object_get(&bo->tbo.base);
	evict.victim = bo;
	evict.thorough = true;
	evict.n_waits = 100;
	sdev->claim = &other;
	KUNIT_EXPECT_EQ(test, sundog_evict_more(&evict), -EALREADY);
	evict.unclaimed = true;
	KUNIT_EXPECT_EQ(test, sundog_evict_more(&evict), 0);
	KUNIT_EXPECT_PTR_EQ(test, evict.victim, bo);
	KUNIT_EXPECT_PTR_EQ(test, sdev->claim, &other);
	sundog_evict_fini(&evict);
	drm_gem_private_object_fini(&bo->tbo.base);
}

static struct kunit_case sundog_evict_test_cases[] = {
	KUNIT_CASE(sundog_evict_test_unclaimed),
	KUNIT_CASE(sundog_evict_test_pinned),
	KUNIT_CASE(sundog_evict_test_cleaning),
	{}
};

static struct kunit_suite sundog_evict_test_suite = {
	.name = "sundog_evict",
	.init = sundog_evict_test_init,
	.test_cases = sundog_evict_test_cases,
};

kunit_test_suite(sundog_evict_test_suite);
