// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * KUnit tests of sundog_resource.c: the states of a resource, and checks of arguments. The
 * allocations have no memory. The test has a reference to each, so that the driver frees none.
 * Comments name rows of the table of rules in docs/design/resource-model.md of the sundog project.
 */

#include <linux/idr.h>
#include <linux/mman.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "uapi/sundog_drm.h"

#include "../sundog_bo.h"
#include "../sundog_resource.h"
#include "sundog_test_device.h"

static int sundog_resource_test_init(struct kunit *test)
{
	test->priv = sundog_test_device(test);
	return 0;
}

/* A test must leave no kres and no resource behind. */
static void sundog_resource_test_exit(struct kunit *test)
{
	struct sundog_device *sdev = test->priv;

	KUNIT_EXPECT_TRUE(test, ida_is_empty(&sdev->kres_ids));
	KUNIT_EXPECT_EQ(test, sundog_stats_sum(sdev).kres, 0);
	KUNIT_EXPECT_EQ(test, sundog_stats_sum(sdev).resources, 0);
	ida_destroy(&sdev->kres_ids);
}

/* Creates a set of allocations without resource. */
static struct sundog_bo_set sundog_test_bo_set(struct kunit *test, u32 n)
{
	struct sundog_device *sdev = test->priv;
	struct sundog_bo_set set = { .n = n };
	u32 i;

	set.bos = kunit_kcalloc(test, n, sizeof(*set.bos), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, set.bos);
	for (i = 0; i < n; i++) {
		set.bos[i] = kunit_kzalloc(test, sizeof(*set.bos[i]), GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, set.bos[i]);
		set.bos[i]->tbo.base.dev = &sdev->drm;
		kref_init(&set.bos[i]->tbo.base.refcount);
	}
	return set;
}

static void sundog_expect_refs(struct kunit *test, const struct sundog_bo_set *set, u32 refs)
{
	u32 i;

	for (i = 0; i < set->n; i++)
		KUNIT_EXPECT_EQ(test, kref_read(&set->bos[i]->tbo.base.refcount), refs);
}

/* Expects that no resource owns an allocation of the set, and that only the test refers to it. */
static void sundog_expect_free(struct kunit *test, const struct sundog_bo_set *set)
{
	u32 i;

	sundog_expect_refs(test, set, 1);
	for (i = 0; i < set->n; i++) {
		KUNIT_EXPECT_NULL(test, set->bos[i]->owner);
		KUNIT_EXPECT_EQ(test, set->bos[i]->name, 0);
	}
}

static struct sundog_resource *sundog_test_resource(struct kunit *test, bool shared)
{
	struct sundog_resource *resource = sundog_resource_create(test->priv, shared, NULL);

	KUNIT_ASSERT_NOT_NULL(test, resource);
	return resource;
}

/* Row 4: the first allocation brings the kernel handle. */
static void sundog_resource_test_kres(struct kunit *test)
{
	struct sundog_resource *a = sundog_test_resource(test, false);
	struct sundog_resource *b = sundog_test_resource(test, true);
	struct sundog_bo_set set_a = sundog_test_bo_set(test, 3);
	struct sundog_bo_set set_b = sundog_test_bo_set(test, 1);
	u32 i;

	KUNIT_EXPECT_EQ(test, a->kres, 0);
	KUNIT_EXPECT_EQ(test, sundog_resource_attach(a, &set_a), 0);
	KUNIT_EXPECT_EQ(test, sundog_resource_attach(b, &set_b), 0);
	KUNIT_EXPECT_NE(test, a->kres, 0);
	KUNIT_EXPECT_NE(test, b->kres, 0);
	KUNIT_EXPECT_NE(test, a->kres, b->kres);
	KUNIT_EXPECT_EQ(test, a->n_allocs, 3);
	for (i = 0; i < set_a.n; i++) {
		KUNIT_EXPECT_PTR_EQ(test, set_a.bos[i]->owner, a);
		KUNIT_EXPECT_EQ(test, set_a.bos[i]->name, (u64)a->kres << 32 | i);
	}
	sundog_expect_refs(test, &set_a, 2);
	sundog_resource_put(a);
	sundog_resource_put(b);
	sundog_expect_free(test, &set_a);
	sundog_expect_free(test, &set_b);
}

/* Row 8: the first allocations seal a shared resource; a refused attach changes nothing. */
static void sundog_resource_test_sealed(struct kunit *test)
{
	struct sundog_resource *resource = sundog_test_resource(test, true);
	struct sundog_bo_set first = sundog_test_bo_set(test, 2);
	struct sundog_bo_set none = {}, second = sundog_test_bo_set(test, 2);
	u32 kres;

	KUNIT_EXPECT_EQ(test, sundog_resource_attach(resource, &none), 0);
	KUNIT_EXPECT_EQ(test, sundog_resource_attach(resource, &first), 0);
	kres = resource->kres;
	KUNIT_EXPECT_EQ(test, sundog_resource_attach(resource, &second), -EBUSY);
	KUNIT_EXPECT_EQ(test, resource->kres, kres);
	KUNIT_EXPECT_EQ(test, resource->n_allocs, 2);
	sundog_expect_free(test, &second);
	sundog_resource_put(resource);
	sundog_expect_free(test, &first);
}

/* Rows 11 and 12: a partial release keeps resource and kres, and more can be attached later. */
static void sundog_resource_test_partial(struct kunit *test)
{
	struct sundog_resource *resource = sundog_test_resource(test, false);
	struct sundog_bo_set first = sundog_test_bo_set(test, 2);
	struct sundog_bo_set second = sundog_test_bo_set(test, 2);
	u32 kres;

	KUNIT_EXPECT_EQ(test, sundog_resource_attach(resource, &first), 0);
	kres = resource->kres;
	mutex_lock(&resource->lock);
	sundog_resource_detach_one(resource, first.bos[0]);
	sundog_resource_detach_one(resource, first.bos[0]);
	KUNIT_EXPECT_EQ(test, resource->n_allocs, 1);
	KUNIT_EXPECT_EQ(test, lower_32_bits(first.bos[1]->name), 1);
	sundog_resource_detach_one(resource, first.bos[1]);
	mutex_unlock(&resource->lock);
	sundog_expect_free(test, &first);

	KUNIT_EXPECT_EQ(test, resource->kres, kres);
	KUNIT_EXPECT_EQ(test, sundog_resource_attach(resource, &second), 0);
	KUNIT_EXPECT_EQ(test, resource->kres, kres);
	KUNIT_EXPECT_EQ(test, resource->n_allocs, 2);
	sundog_resource_put(resource);
	sundog_expect_free(test, &second);
}

/* A failed attach of too many allocations has no effect: a resource without kres gets none. */
static void sundog_resource_test_limit(struct kunit *test)
{
	struct sundog_resource *resource = sundog_test_resource(test, false);
	struct sundog_bo_set many = sundog_test_bo_set(test, DRM_SUNDOG_MAX_ALLOCS + 1);
	struct sundog_bo_set most = many, rest;

	KUNIT_EXPECT_EQ(test, sundog_resource_attach(resource, &many), -EINVAL);
	KUNIT_EXPECT_EQ(test, resource->kres, 0);
	KUNIT_EXPECT_EQ(test, resource->n_allocs, 0);
	sundog_expect_free(test, &many);

	most.n = DRM_SUNDOG_MAX_ALLOCS - 1;
	rest = (struct sundog_bo_set) { .bos = many.bos + most.n, .n = 2 };
	KUNIT_EXPECT_EQ(test, sundog_resource_attach(resource, &most), 0);
	KUNIT_EXPECT_EQ(test, sundog_resource_attach(resource, &rest), -EINVAL);
	KUNIT_EXPECT_NE(test, resource->kres, 0);
	KUNIT_EXPECT_EQ(test, resource->n_allocs, most.n);
	sundog_expect_free(test, &rest);
	rest.n = 1;
	KUNIT_EXPECT_EQ(test, sundog_resource_attach(resource, &rest), 0);
	sundog_resource_put(resource);
	sundog_expect_free(test, &many);
}

/* Row 9: only the last holder releases everything. An unpublished resource is not found. */
static void sundog_resource_test_holders(struct kunit *test)
{
	struct sundog_device *sdev = test->priv;
	struct sundog_resource *resource = sundog_test_resource(test, true);
	struct sundog_bo_set set = sundog_test_bo_set(test, 2);

	KUNIT_EXPECT_EQ(test, sundog_resource_attach(resource, &set), 0);
	KUNIT_EXPECT_NULL(test, sundog_resource_of(set.bos[1]));
	sundog_resource_publish(resource);
	KUNIT_EXPECT_PTR_EQ(test, sundog_resource_of(set.bos[1]), resource);
	spin_lock(&sdev->owner_lock);
	sundog_resource_hold(resource);
	spin_unlock(&sdev->owner_lock);
	sundog_resource_put(resource);
	sundog_resource_put(resource);
	KUNIT_EXPECT_PTR_EQ(test, set.bos[0]->owner, resource);
	sundog_resource_put(resource);
	sundog_expect_free(test, &set);
	KUNIT_EXPECT_NULL(test, sundog_resource_of(set.bos[1]));
}

/* sundog_resource_of() does not find an unshared resource. */
static void sundog_resource_test_unshared(struct kunit *test)
{
	struct sundog_resource *resource = sundog_test_resource(test, false);
	struct sundog_bo_set set = sundog_test_bo_set(test, 1);

	KUNIT_EXPECT_EQ(test, sundog_resource_attach(resource, &set), 0);
	sundog_resource_publish(resource);
	KUNIT_EXPECT_NULL(test, sundog_resource_of(set.bos[0]));
	sundog_resource_put(resource);
	sundog_expect_free(test, &set);
}

/* Row 10: DEALLOC without a resource refuses allocations that a resource owns. */
static void sundog_resource_test_dealloc_device(struct kunit *test)
{
	struct sundog_device *sdev = test->priv;
	struct sundog_resource *resource = sundog_test_resource(test, false);
	struct sundog_bo_set all = sundog_test_bo_set(test, 3);
	struct sundog_bo_set owned = { .bos = all.bos + 2, .n = 1 };

	KUNIT_EXPECT_EQ(test, sundog_dealloc_device(sdev, &all), 0);
	KUNIT_EXPECT_EQ(test, sundog_resource_attach(resource, &owned), 0);
	KUNIT_EXPECT_EQ(test, sundog_dealloc_device(sdev, &all), -EINVAL);
	sundog_resource_put(resource);
	KUNIT_EXPECT_EQ(test, sundog_dealloc_device(sdev, &all), 0);
}

static void sundog_resource_test_duplicates(struct kunit *test)
{
	u32 none[] = { 5, 1, U32_MAX, 0, 3 }, one[] = { 5, 1, 3, 0, 5 };

	KUNIT_EXPECT_FALSE(test, sundog_has_duplicate(none, 0));
	KUNIT_EXPECT_FALSE(test, sundog_has_duplicate(none, ARRAY_SIZE(none)));
	KUNIT_EXPECT_TRUE(test, sundog_has_duplicate(one, ARRAY_SIZE(one)));
}

static void sundog_resource_test_private(struct kunit *test)
{
	static const char text[] = "private";
	u64 user = kunit_vm_mmap(test, NULL, 0, PAGE_SIZE, PROT_READ | PROT_WRITE,
				 MAP_ANONYMOUS | MAP_PRIVATE, 0);
	struct sundog_private *priv;
	u32 size = 3;

	KUNIT_ASSERT_NE(test, user, 0);
	KUNIT_ASSERT_EQ(test, copy_to_user(u64_to_user_ptr(user), text, sizeof(text)), 0);
	KUNIT_EXPECT_NULL(test, sundog_private_read(user, 0));
	KUNIT_EXPECT_PTR_EQ(test, sundog_private_read(user, DRM_SUNDOG_MAX_PRIVATE + 1),
			    ERR_PTR(-EINVAL));
	KUNIT_EXPECT_PTR_EQ(test, sundog_private_read(0, 1), ERR_PTR(-EFAULT));
	priv = sundog_private_read(user, sizeof(text));
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, priv);
	KUNIT_EXPECT_EQ(test, priv->size, sizeof(text));
	KUNIT_EXPECT_MEMEQ(test, priv->data, text, sizeof(text));

	/* A buffer of 3 bytes gets 3 bytes, and the size of all data is returned. */
	KUNIT_EXPECT_EQ(test, clear_user(u64_to_user_ptr(user), PAGE_SIZE), 0);
	KUNIT_EXPECT_EQ(test, sundog_private_write(priv, user, &size), 0);
	KUNIT_EXPECT_EQ(test, size, sizeof(text));
	KUNIT_EXPECT_EQ(test, copy_from_user(priv->data, u64_to_user_ptr(user), sizeof(text)), 0);
	KUNIT_EXPECT_STREQ(test, (char *)priv->data, "pri");
	KUNIT_EXPECT_EQ(test, sundog_private_write(priv, 0, &size), -EFAULT);
	kfree(priv);
	KUNIT_EXPECT_EQ(test, sundog_private_write(NULL, 0, &size), 0);
	KUNIT_EXPECT_EQ(test, size, 0);
}

static struct kunit_case sundog_resource_test_cases[] = {
	KUNIT_CASE(sundog_resource_test_kres),
	KUNIT_CASE(sundog_resource_test_sealed),
	KUNIT_CASE(sundog_resource_test_partial),
	KUNIT_CASE(sundog_resource_test_limit),
	KUNIT_CASE(sundog_resource_test_holders),
	KUNIT_CASE(sundog_resource_test_unshared),
	KUNIT_CASE(sundog_resource_test_dealloc_device),
	KUNIT_CASE(sundog_resource_test_duplicates),
	KUNIT_CASE(sundog_resource_test_private),
	{}
};

static struct kunit_suite sundog_resource_test_suite = {
	.name = "sundog_resource",
	.init = sundog_resource_test_init,
	.exit = sundog_resource_test_exit,
	.test_cases = sundog_resource_test_cases,
};

kunit_test_suite(sundog_resource_test_suite);
