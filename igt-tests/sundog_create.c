// SPDX-License-Identifier: MIT
/*
 * RESOURCE_CREATE: shared and unshared resources with no, one and many allocations.
 */
#include "sundog_test.h"

#include <unistd.h>

IGT_TEST_DESCRIPTION("RESOURCE_CREATE");

#define MANY 300

/* The counts include all objects of a create, and all are freed with the resource. */
static void test_create(int fd, uint32_t flags, uint32_t count)
{
	const struct sd_counts idle = sd_idle_counts(fd);
	struct sd_resource *res = sd_resource(fd, flags, PAGE, count);
	struct sd_counts expected = idle;
	struct drm_sundog_alloc_info info;

	expected.live += count;
	expected.resources++;
	expected.res_ids++;
	expected.kres += count > 0;
	sd_wait_counts(fd, &expected);
	igt_assert(res->res);
	igt_assert_eq(!res->kres, !count);
	for (uint32_t i = 0; i < count; i++) {
		igt_assert_eq_u32(res->bos[i].index, i);
		igt_assert_eq(sd_info_try(fd, res->bos[i].handle, &info), 0);
		igt_assert_eq_u32(info.kres, res->kres);
		igt_assert_eq_u32(info.index, i);
		igt_assert_eq_u64(info.size, PAGE);
		igt_assert_eq_u32(info.device_handle, res->bos[i].device_handle);
		igt_assert(i == 0 || res->bos[i].handle != res->bos[0].handle);
		igt_assert(i == 0 || info.device_handle != res->bos[0].device_handle);
	}
	sd_destroy(fd, res);
	sd_wait_counts(fd, &idle);
}

static void test_most(int fd)
{
	const struct sd_counts idle = sd_idle_counts(fd);
	struct drm_sundog_resource_create args = { .n_allocs = DRM_SUNDOG_MAX_ALLOCS + 1 };
	struct drm_sundog_alloc_desc *descs = calloc(args.n_allocs, sizeof(*descs));

	for (uint32_t i = 0; i < args.n_allocs; i++)
		descs[i].size = 1;
	args.allocs = (uintptr_t)descs;
	args.alloc_stride = sizeof(*descs);
	igt_assert_eq(sd_try(fd, DRM_IOCTL_SUNDOG_RESOURCE_CREATE, &args), -EINVAL);
	sd_wait_counts(fd, &idle);
	args.n_allocs--;
	igt_assert_eq(sd_try(fd, DRM_IOCTL_SUNDOG_RESOURCE_CREATE, &args), 0);
	igt_assert_eq_u32(descs[args.n_allocs - 1].index, args.n_allocs - 1);
	igt_assert_eq(sd_destroy_try(fd, args.res), 0);
	free(descs);
	sd_wait_counts(fd, &idle);
}

static void test_sizes(int fd)
{
	static const uint64_t sizes[] = { 1, PAGE - 1, PAGE, PAGE + 1, 1 << 20 };
	struct drm_sundog_alloc_desc descs[5] = { 0 };
	struct drm_sundog_resource_create args = {
		.allocs = (uintptr_t)descs,
		.n_allocs = 5,
		.alloc_stride = sizeof(descs[0]),
	};

	for (int i = 0; i < 5; i++)
		descs[i].size = sizes[i];
	sd_ioctl(fd, DRM_IOCTL_SUNDOG_RESOURCE_CREATE, &args);
	for (int i = 0; i < 5; i++) {
		const struct sd_bo bo = {
			.size = descs[i].size, .map_offset = descs[i].map_offset
		};

		igt_assert_eq_u64(bo.size, (sizes[i] + PAGE - 1) / PAGE * PAGE);
		igt_assert(sd_is_filled(fd, &bo, 0));
	}
	igt_assert_eq(sd_destroy_try(fd, args.res), 0);
}

/* More ids than the generation of a 32-bit id could count beside the slot in the file's table. */
#define N_FRESH 5000

/* The driver never reuses an id that was destroyed, however many are created after it. */
static void test_never_again(int fd)
{
	struct drm_sundog_resource_create first = { 0 };

	sd_ioctl(fd, DRM_IOCTL_SUNDOG_RESOURCE_CREATE, &first);
	igt_assert_eq(sd_destroy_try(fd, first.res), 0);
	for (int i = 0; i < N_FRESH; i++) {
		struct drm_sundog_resource_create args = { 0 };

		sd_ioctl(fd, DRM_IOCTL_SUNDOG_RESOURCE_CREATE, &args);
		igt_assert(args.res != first.res);
		igt_assert_eq(sd_destroy_try(fd, first.res), -ENOENT);
		igt_assert_eq(sd_destroy_try(fd, args.res), 0);
	}
}

#define N_IDS 200

static void test_unique(int fd)
{
	static struct sd_resource *all[N_IDS];

	for (uint32_t i = 0; i < N_IDS; i++) {
		all[i] = sd_resource(fd, i % 2 ? SHARED : 0, PAGE, 1);
		for (uint32_t j = 0; j < i; j++) {
			igt_assert(all[i]->res != all[j]->res);
			igt_assert_neq_u32(all[i]->kres, all[j]->kres);
		}
	}
	for (uint32_t i = 0; i < N_IDS; i++)
		sd_destroy(fd, all[i]);
}

static void test_fresh(int fd)
{
	struct sd_resource *res = sd_resource(fd, 0, PAGE, 1);
	uint64_t last = res->res;

	for (int i = 0; i < 100; i++) {
		sd_destroy(fd, res);
		res = sd_resource(fd, 0, PAGE, 1);
		igt_assert(res->res != last);
		igt_assert_eq(sd_destroy_try(fd, last), -ENOENT);
		last = res->res;
	}
	sd_destroy(fd, res);
}

static void test_per_file(int fd)
{
	int other = sd_open();
	struct sd_resource *mine = sd_resource(fd, 0, PAGE, 1);
	struct sd_resource *theirs = sd_resource(other, 0, PAGE, 1);

	/* Even if both ids have the same number, each file names its own resource. */
	igt_assert_neq_u32(mine->kres, theirs->kres);
	sd_destroy(other, theirs);
	igt_assert_eq(sd_add_try(fd, mine, 1), 0);
	sd_destroy(fd, mine);
	close(other);
}

static void test_failed(int fd, uint32_t flags)
{
	const struct sd_counts idle = sd_idle_counts(fd);
	struct drm_sundog_alloc_desc descs[MANY];
	struct drm_sundog_resource_create args = {
		.allocs = (uintptr_t)descs,
		.n_allocs = MANY,
		.alloc_stride = sizeof(descs[0]),
		.flags = flags,
	};

	for (int bad = 0; bad < MANY; bad += MANY - 1) {
		memset(descs, 0, sizeof(descs));
		for (int i = 0; i < MANY; i++)
			descs[i].size = PAGE;
		descs[bad].size = sd_param(fd, DRM_SUNDOG_PARAM_VRAM_SIZE) + PAGE;
		igt_assert_eq(sd_try(fd, DRM_IOCTL_SUNDOG_RESOURCE_CREATE, &args), -ENOSPC);
		for (int i = 0; i < MANY; i++)
			igt_assert_eq_u32(descs[i].handle, 0);
		sd_wait_counts(fd, &idle);
	}
}

igt_main()
{
	static const struct {
		const char *name;
		uint32_t flags, count;
	} kinds[] = {
		{ "unshared-without-allocations", 0, 0 },
		{ "unshared-with-one-allocation", 0, 1 },
		{ "unshared-with-many-allocations", 0, MANY },
		{ "shared-without-allocations", SHARED, 0 },
		{ "shared-with-one-allocation", SHARED, 1 },
		{ "shared-with-many-allocations", SHARED, MANY },
	};
	static int fd = -1;

	igt_fixture()
		fd = sd_open();

	for (unsigned int i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		igt_describe("ALLOC_INFO describes each allocation of a new resource, and "
			     "RESOURCE_DESTROY frees all of its objects.");
		igt_subtest(kinds[i].name)
			test_create(fd, kinds[i].flags, kinds[i].count);
	}

	igt_describe("A resource can have DRM_SUNDOG_MAX_ALLOCS allocations; one more fails with "
		     "EINVAL.");
	igt_subtest("as-many-allocations-as-can-be")
		test_most(fd);

	igt_describe("Each allocation of a resource has its own size, rounded up to pages, and "
		     "reads as zero.");
	igt_subtest("allocations-have-their-own-sizes")
		test_sizes(fd);

	igt_describe("Live resources have distinct ids and distinct kernel handles.");
	igt_subtest("ids-are-unique")
		test_unique(fd);

	igt_describe("A new resource does not get the id of the resource that was destroyed before "
		     "it.");
	igt_subtest("ids-are-fresh")
		test_fresh(fd);

	igt_describe("The id of a destroyed resource stays invalid, and no later resource gets "
		     "it.");
	igt_subtest("ids-never-come-again")
		test_never_again(fd);

	igt_describe("Destroying a resource of one file leaves a resource of another file intact, "
		     "even if their ids are equal.");
	igt_subtest("ids-are-per-file")
		test_per_file(fd);

	igt_describe("RESOURCE_CREATE of an unshared resource creates nothing if its first or last "
		     "allocation fails.");
	igt_subtest("unshared-all-or-nothing")
		test_failed(fd, 0);

	igt_describe("RESOURCE_CREATE of a shared resource creates nothing if its first or last "
		     "allocation fails.");
	igt_subtest("shared-all-or-nothing")
		test_failed(fd, SHARED);

	igt_fixture()
		close(fd);
}
