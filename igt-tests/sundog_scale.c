// SPDX-License-Identifier: MIT
/*
 * Many live resources: all of them work, however long that takes. A long run has more than a
 * hundred thousand.
 */
#include "sundog_test.h"

#include <unistd.h>

IGT_TEST_DESCRIPTION("Many live resources");

/*
 * The fields that the test keeps of each resource; a whole struct sd_resource would be too large.
 */
struct small {
	uint64_t res;
	uint32_t kres, handle, device_handle;
	uint64_t map_offset;
};

static struct small *numbers(uint32_t count)
{
	struct small *all = calloc(count, sizeof(*all));

	igt_assert(all);
	return all;
}

static struct small create(int fd, uint32_t flags)
{
	struct drm_sundog_alloc_desc desc = { .size = PAGE };
	struct drm_sundog_resource_create args = {
		.allocs = (uintptr_t)&desc,
		.n_allocs = 1,
		.alloc_stride = sizeof(desc),
		.flags = flags,
	};

	sd_ioctl(fd, DRM_IOCTL_SUNDOG_RESOURCE_CREATE, &args);
	return (struct small){ args.res, args.kres, desc.handle, desc.device_handle,
			       desc.map_offset };
}

static void check(int fd, const struct small *one)
{
	struct drm_sundog_alloc_info info;

	igt_assert_eq(sd_info_try(fd, one->handle, &info), 0);
	igt_assert_eq_u32(info.kres, one->kres);
	igt_assert_eq_u32(info.device_handle, one->device_handle);
	igt_assert_eq_u64(info.map_offset, one->map_offset);
}

/* Adds a number to a set. Fails if the number is in the set already. */
static void add(uint8_t *set, uint32_t number, uint32_t limit)
{
	igt_assert(number && number < limit);
	igt_assert(!(set[number / 8] & 1 << number % 8));
	set[number / 8] |= 1 << number % 8;
}

static void test_live(int fd, uint32_t count)
{
	const struct sd_counts idle = sd_idle_counts(fd);
	const uint32_t limit = 1 << 21;
	uint8_t *kres = calloc(1, limit / 8), *device_handles = calloc(1, limit / 8);
	struct small *all = numbers(count);
	struct sd_counts expected = idle;

	for (uint32_t i = 0; i < count; i++) {
		all[i] = create(fd, i % 3 ? 0 : SHARED);
		add(kres, all[i].kres, limit);
		add(device_handles, all[i].device_handle, limit);
		igt_assert(i == 0 || all[i].res != all[i - 1].res);
	}
	expected.live += count;
	expected.resources += count;
	expected.res_ids += count;
	expected.kres += count;
	sd_wait_counts(fd, &expected);

	for (uint32_t i = 0; i < count; i += 997) {
		const struct sd_bo bo = { .size = PAGE, .map_offset = all[i].map_offset };

		check(fd, &all[i]);
		igt_assert(sd_is_filled(fd, &bo, 0));
		sd_fill(fd, &bo, i);
	}
	for (uint32_t i = 0; i < count; i += 997) {
		const struct sd_bo bo = { .size = PAGE, .map_offset = all[i].map_offset };

		igt_assert(sd_is_filled(fd, &bo, i));
	}
	/*
	 * 7919 is a prime that does not divide the count: each is destroyed once, far from the one
	 * before.
	 */
	for (uint64_t i = 0; i < count; i++)
		igt_assert_eq(sd_destroy_try(fd, all[i * 7919 % count].res), 0);
	free(all);
	free(kres);
	free(device_handles);
	sd_wait_counts(fd, &idle);
}

/* Half of the resources are destroyed and created again, several times over. */
static void test_turnover(int fd, uint32_t count)
{
	const struct sd_counts idle = sd_idle_counts(fd);
	struct small *all = numbers(count);

	for (uint32_t i = 0; i < count; i++)
		all[i] = create(fd, 0);
	for (uint32_t round = 0; round < 4; round++) {
		for (uint32_t i = round & 1; i < count; i += 2)
			igt_assert_eq(sd_destroy_try(fd, all[i].res), 0);
		for (uint32_t i = round & 1; i < count; i += 2)
			all[i] = create(fd, SHARED);
		for (uint32_t i = 0; i < count; i += 499)
			check(fd, &all[i]);
	}
	for (uint32_t i = 0; i < count; i++)
		igt_assert_eq(sd_destroy_try(fd, all[i].res), 0);
	free(all);
	sd_wait_counts(fd, &idle);
}

static void test_close(int fd, uint32_t count)
{
	const struct sd_counts idle = sd_idle_counts(fd);
	int other = sd_open();

	for (uint32_t i = 0; i < count; i++)
		create(other, i % 2 ? SHARED : 0);
	igt_assert_eq(sd_counts(fd).live, idle.live + (int)count);
	close(other);
	sd_wait_counts(fd, &idle);
}

/* One resource, opened very often in one file and in many. */
static void test_opens(int fd, uint32_t count)
{
	const struct sd_counts idle = sd_idle_counts(fd);
	struct drm_sundog_alloc_desc desc;
	struct small one = create(fd, SHARED);
	struct drm_sundog_resource_open args = {
		.allocs = (uintptr_t)&desc,
		.alloc_stride = sizeof(desc),
		.fd = sd_export(fd, one.handle),
	};
	int files[16];

	for (uint32_t i = 0; i < 16; i++)
		files[i] = sd_open();
	for (uint32_t i = 0; i < count; i++) {
		memset(&desc, 0, sizeof(desc));
		args.n_allocs = 1;
		sd_ioctl(files[i % 2 ? 0 : i / 2 % 16], DRM_IOCTL_SUNDOG_RESOURCE_OPEN, &args);
		igt_assert_eq_u32(args.kres, one.kres);
		igt_assert_eq_u32(desc.device_handle, one.device_handle);
	}
	igt_assert_eq(sd_counts(fd).res_ids, idle.res_ids + 1 + (int)count);
	igt_assert_eq(sd_counts(fd).resources, idle.resources + 1);
	for (uint32_t i = 0; i < 16; i++)
		close(files[i]);
	igt_assert_eq(sd_counts(fd).res_ids, idle.res_ids + 1);
	close(args.fd);
	igt_assert_eq(sd_destroy_try(fd, one.res), 0);
	sd_wait_counts(fd, &idle);
}

igt_main()
{
	static int fd = -1;

	igt_fixture()
		fd = sd_open();

	igt_describe("Many live resources have distinct handles and separate contents.");
	igt_subtest("many-live-resources")
		test_live(fd, sd_rounds(10000, 200000));

	igt_describe("Every other one of many resources is destroyed and created again; all "
		     "resources stay valid.");
	igt_subtest("many-come-and-go")
		test_turnover(fd, sd_rounds(2000, 50000));

	igt_describe("Closing a file with many resources frees all of them.");
	igt_subtest("close-with-many")
		test_close(fd, sd_rounds(5000, 200000));

	igt_describe("One resource can be opened very often, in one file and in many.");
	igt_subtest("many-opens")
		test_opens(fd, sd_rounds(2000, 100000));

	igt_fixture()
		close(fd);
}
