// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * KUnit tests of the array arguments of ioctls in sundog_array.c.
 */

#include <kunit/test.h>
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/uaccess.h>

#include "../sundog_array.h"

#define SUNDOG_TEST_N 4
#define SUNDOG_TEST_MAX 100

/* An element as the kernel knows it, and as a newer user space extends it. */
struct sundog_test_element {
	u32 a;
	u32 b;
};

struct sundog_test_longer {
	struct sundog_test_element known;
	u64 later;
};

/* Copies elements to new user memory of one page; the array argument refers to it. */
static struct sundog_array sundog_array_test_user(struct kunit *test, const void *elements,
						  u32 n, u32 stride)
{
	unsigned long user = kunit_vm_mmap(test, NULL, 0, PAGE_SIZE, PROT_READ | PROT_WRITE,
					   MAP_ANONYMOUS | MAP_PRIVATE, 0);

	KUNIT_ASSERT_NE(test, user, 0);
	KUNIT_ASSERT_EQ(test, copy_to_user((void __user *)user, elements, n * stride), 0);
	return (struct sundog_array) { user, n, stride };
}

static void *sundog_array_test_copy(const struct sundog_array *array, size_t size)
{
	return sundog_array_read(array, size, SUNDOG_TEST_MAX, NULL, 0);
}

static void sundog_array_test_read(struct kunit *test)
{
	const struct sundog_test_element user[SUNDOG_TEST_N] = {
		{ 1, 2 }, { 3, 4 }, { 5, 6 }, { 7, 8 },
	};
	struct sundog_array array = sundog_array_test_user(test, user, SUNDOG_TEST_N,
							   sizeof(user[0]));
	void *copy = sundog_array_test_copy(&array, sizeof(user[0]));

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, copy);
	KUNIT_EXPECT_MEMEQ(test, copy, user, sizeof(user));
	kvfree(copy);
}

/* A short array goes to the buffer of the caller, a longer one to allocated memory. */
static void sundog_array_test_few(struct kunit *test)
{
	const struct sundog_test_element user[SUNDOG_TEST_N] = {
		{ 1, 2 }, { 3, 4 }, { 5, 6 }, { 7, 8 },
	};
	struct sundog_array array = sundog_array_test_user(test, user, SUNDOG_TEST_N,
							   sizeof(user[0]));
	struct sundog_test_element few[SUNDOG_TEST_N] = {};
	void *copy = sundog_array_read(&array, sizeof(few[0]), SUNDOG_TEST_MAX, few,
				       SUNDOG_TEST_N - 1);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, copy);
	KUNIT_EXPECT_PTR_NE(test, copy, &few[0]);
	KUNIT_EXPECT_MEMEQ(test, copy, user, sizeof(user));
	KUNIT_EXPECT_EQ(test, few[0].a, 0);
	sundog_array_free(copy, few);

	copy = sundog_array_read(&array, sizeof(few[0]), SUNDOG_TEST_MAX, few, SUNDOG_TEST_N);
	KUNIT_EXPECT_PTR_EQ(test, copy, &few[0]);
	KUNIT_EXPECT_MEMEQ(test, few, user, sizeof(user));
	sundog_array_free(copy, few);

	array.ptr = 0;
	KUNIT_EXPECT_PTR_EQ(test, sundog_array_read(&array, sizeof(few[0]), SUNDOG_TEST_MAX, few,
						    SUNDOG_TEST_N), ERR_PTR(-EFAULT));
}

static void sundog_array_test_empty(struct kunit *test)
{
	const struct sundog_array array = { 0, 0, 0 };

	KUNIT_EXPECT_NULL(test, sundog_array_test_copy(&array, sizeof(struct sundog_test_element)));
}

static void sundog_array_test_longer(struct kunit *test)
{
	struct sundog_test_longer user[SUNDOG_TEST_N] = {
		{ { 1, 2 }, 0 }, { { 3, 4 }, 0 }, { { 5, 6 }, 0 }, { { 7, 8 }, 0 },
	};
	struct sundog_array array = sundog_array_test_user(test, user, SUNDOG_TEST_N,
							   sizeof(user[0]));
	struct sundog_test_element *copy = sundog_array_test_copy(&array, sizeof(*copy));
	int i;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, copy);
	for (i = 0; i < SUNDOG_TEST_N; i++)
		KUNIT_EXPECT_MEMEQ(test, &copy[i], &user[i].known, sizeof(*copy));
	kvfree(copy);

	/* A field that this kernel does not know is not zero. */
	user[SUNDOG_TEST_N - 1].later = 1;
	array = sundog_array_test_user(test, user, SUNDOG_TEST_N, sizeof(user[0]));
	KUNIT_EXPECT_PTR_EQ(test, sundog_array_test_copy(&array, sizeof(*copy)),
			    ERR_PTR(-EINVAL));
}

struct sundog_array_bad {
	const char *name;
	struct sundog_array array;
	int error;
};

static const struct sundog_array_bad sundog_array_bad[] = {
	{ "too many", { 0, SUNDOG_TEST_MAX + 1, 8 }, -EINVAL },
	{ "most", { 0, U32_MAX, 8 }, -EINVAL },
	{ "no stride", { 0, 1, 0 }, -EINVAL },
	{ "stride too short", { 0, 1, 7 }, -EINVAL },
	{ "stride too long", { 0, 1, PAGE_SIZE + 1 }, -EINVAL },
	{ "longest stride", { 0, 1, U32_MAX }, -EINVAL },
	{ "nothing mapped", { 0, 1, 8 }, -EFAULT },
	{ "nothing mapped, longer elements", { 0, 1, 16 }, -EFAULT },
	{ "address of the kernel", { (u64)-PAGE_SIZE, 1, 8 }, -EFAULT },
	{ "end of the address space", { U64_MAX, SUNDOG_TEST_MAX, 16 }, -EFAULT },
};

KUNIT_ARRAY_PARAM_DESC(sundog_array_bad, sundog_array_bad, name);

static void sundog_array_test_bad(struct kunit *test)
{
	const struct sundog_array_bad *bad = test->param_value;
	const struct sundog_test_element nothing = {};

	/* Attaches an address space, in which the addresses above are not mapped. */
	sundog_array_test_user(test, &nothing, 1, sizeof(nothing));
	KUNIT_EXPECT_PTR_EQ(test, sundog_array_test_copy(&bad->array, sizeof(nothing)),
			    ERR_PTR(bad->error));
}

static void sundog_array_test_write(struct kunit *test)
{
	struct sundog_test_longer user[SUNDOG_TEST_N] = {}, want[SUNDOG_TEST_N] = {};
	const struct sundog_test_element element = { 7, 8 };
	struct sundog_array array = sundog_array_test_user(test, user, SUNDOG_TEST_N,
							   sizeof(user[0]));

	want[2].known = element;
	KUNIT_EXPECT_EQ(test, sundog_array_write(&array, 2, &element, sizeof(element)), 0);
	KUNIT_EXPECT_EQ(test, copy_from_user(user, u64_to_user_ptr(array.ptr), sizeof(user)), 0);
	KUNIT_EXPECT_MEMEQ(test, user, want, sizeof(user));
	array.ptr = 0;
	KUNIT_EXPECT_EQ(test, sundog_array_write(&array, 2, &element, sizeof(element)), -EFAULT);
}

static struct kunit_case sundog_array_test_cases[] = {
	KUNIT_CASE(sundog_array_test_read),
	KUNIT_CASE(sundog_array_test_few),
	KUNIT_CASE(sundog_array_test_empty),
	KUNIT_CASE(sundog_array_test_longer),
	KUNIT_CASE_PARAM(sundog_array_test_bad, sundog_array_bad_gen_params),
	KUNIT_CASE(sundog_array_test_write),
	{}
};

static struct kunit_suite sundog_array_test_suite = {
	.name = "sundog_array",
	.test_cases = sundog_array_test_cases,
};

kunit_test_suite(sundog_array_test_suite);
