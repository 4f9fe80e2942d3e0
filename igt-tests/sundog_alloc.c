// SPDX-License-Identifier: MIT
/*
 * Allocations that a file owns (no resource): sizes, limits, all or nothing, and that all bytes are
 * freed.
 */
#include "sundog_test.h"

#include <unistd.h>

IGT_TEST_DESCRIPTION("Allocations that belong to the open file");

static void test_alloc(int fd)
{
	const uint64_t before = sd_idle_vram_free(fd);
	struct drm_sundog_alloc_info info;
	struct sd_bo a = sd_alloc(fd, 1), b = sd_alloc(fd, 3 * PAGE);

	igt_assert(a.handle && b.handle && a.device_handle && b.device_handle);
	igt_assert_neq_u32(a.handle, b.handle);
	igt_assert_neq_u32(a.device_handle, b.device_handle);
	igt_assert_eq_u32(a.mem.kres, 0);
	igt_assert_eq_u32(a.index, 0);
	igt_assert_eq_u64(a.size, PAGE);
	igt_assert_eq_u64(b.size, 3 * PAGE);
	igt_assert_eq(sd_info_try(fd, b.handle, &info), 0);
	igt_assert_eq_u32(info.device_handle, b.device_handle);
	igt_assert_eq_u64(info.size, b.size);
	igt_assert_eq_u64(info.map_offset, b.map_offset);
	igt_assert_eq_u32(info.kres, 0);
	sd_dealloc(fd, &a);
	sd_dealloc(fd, &b);
	igt_assert_eq(sd_info_try(fd, b.handle, &info), -ENOENT);
	sd_wait_vram_free(fd, before);
}

static void test_sizes(int fd)
{
	const uint64_t before = sd_idle_vram_free(fd),
		vram = sd_param(fd, DRM_SUNDOG_PARAM_VRAM_SIZE);
	const uint64_t zero = 0, large[] = {
		vram + 1, (1ull << 32) * PAGE, 1ull << 63, UINT64_MAX - PAGE, UINT64_MAX,
	};
	struct sd_bo bo;

	igt_assert_eq(sd_alloc_try(fd, 0, &zero, 1, &bo), -EINVAL);
	for (unsigned int i = 0; i < sizeof(large) / sizeof(large[0]); i++)
		igt_assert_eq(sd_alloc_try(fd, 0, &large[i], 1, &bo), -ENOSPC);
	igt_assert_eq_u64(sd_vram_free(fd), before);
}

static void test_count(int fd)
{
	const uint64_t before = sd_idle_vram_free(fd);
	uint64_t sizes[DRM_SUNDOG_MAX_ALLOCS + 1];
	struct sd_bo bos[DRM_SUNDOG_MAX_ALLOCS + 1];
	uint32_t handles[DRM_SUNDOG_MAX_ALLOCS];

	for (int i = 0; i <= DRM_SUNDOG_MAX_ALLOCS; i++)
		sizes[i] = PAGE;
	igt_assert_eq(sd_alloc_try(fd, 0, sizes, 0, bos), -EINVAL);
	igt_assert_eq(sd_alloc_try(fd, 0, sizes, DRM_SUNDOG_MAX_ALLOCS + 1, bos), -EINVAL);
	igt_assert_eq(sd_alloc_try(fd, 0, sizes, DRM_SUNDOG_MAX_ALLOCS, bos), 0);
	for (int i = 0; i < DRM_SUNDOG_MAX_ALLOCS; i++)
		handles[i] = bos[i].handle;
	igt_assert_eq(sd_dealloc_try(fd, 0, handles, DRM_SUNDOG_MAX_ALLOCS), 0);
	sd_wait_vram_free(fd, before);
}

/* The last of three allocations is too large: none is created. */
static void test_all_or_nothing(int fd)
{
	const uint64_t before = sd_idle_vram_free(fd);
	const uint64_t sizes[] = { PAGE, PAGE, sd_param(fd, DRM_SUNDOG_PARAM_VRAM_SIZE) + 1 };
	struct sd_bo bos[3];

	igt_assert_eq(sd_alloc_try(fd, 0, sizes, 3, bos), -ENOSPC);
	sd_wait_vram_free(fd, before);
}

/* Allocates sixteen times the size of VRAM without touching it. */
static void test_untouched(int fd)
{
	const uint64_t before = sd_idle_vram_free(fd);
	const uint64_t size = sd_param(fd, DRM_SUNDOG_PARAM_VRAM_SIZE) / 64;
	struct sd_bo bos[1024];

	for (int i = 0; i < 1024; i++)
		igt_assert_eq(sd_alloc_try(fd, 0, &size, 1, &bos[i]), 0);
	igt_assert_eq_u64(sd_vram_free(fd), before);
	sd_touch(fd, &bos[512]);
	igt_assert_eq_u64(sd_vram_free(fd), before - size);
	for (int i = 0; i < 1024; i++)
		sd_dealloc(fd, &bos[i]);
	sd_wait_vram_free(fd, before);
}

static void test_dealloc_unknown(int fd)
{
	int other = sd_open();
	struct sd_bo bo = sd_alloc(fd, PAGE), stranger = sd_alloc(other, PAGE);
	const uint32_t twice[] = { bo.handle, bo.handle }, missing[] = { bo.handle, 0x7ffffff0 };
	const uint32_t zero[] = { bo.handle, 0 };
	struct drm_sundog_alloc_info info;

	igt_assert_eq(sd_dealloc_try(fd, 0, missing, 2), -ENOENT);
	igt_assert_eq(sd_dealloc_try(fd, 0, zero, 2), -ENOENT);
	igt_assert_eq(sd_dealloc_try(fd, 0, twice, 2), -EINVAL);
	igt_assert_eq(sd_dealloc_try(fd, 0, twice, 0), -EINVAL);
	igt_assert_eq(sd_dealloc_try(fd, 77, &bo.handle, 1), -ENOENT);
	igt_assert_eq(sd_info_try(fd, bo.handle, &info), 0);
	sd_dealloc(fd, &bo);
	igt_assert_eq(sd_dealloc_try(fd, 0, &bo.handle, 1), -ENOENT);
	sd_dealloc(other, &stranger);
	close(other);
}

static void test_gem_close(int fd)
{
	const uint64_t before = sd_idle_vram_free(fd);
	struct sd_bo bo = sd_alloc(fd, 64 * PAGE);

	sd_gem_close(fd, bo.handle);
	igt_assert_eq(sd_dealloc_try(fd, 0, &bo.handle, 1), -ENOENT);
	sd_wait_vram_free(fd, before);
}

static void test_close_file(int fd)
{
	const uint64_t before = sd_idle_vram_free(fd);

	for (int i = 0; i < 16; i++) {
		int other = sd_open();

		for (int j = 0; j < 16; j++)
			sd_alloc(other, 16 * PAGE);
		close(other);
	}
	sd_wait_vram_free(fd, before);
}

static void alloc_forever(void)
{
	int fd = sd_open();
	struct sd_bo bos[64];

	for (;;) {
		for (int i = 0; i < 64; i++)
			bos[i] = sd_alloc(fd, (1 + i) * PAGE);
		for (int i = 0; i < 64; i += 2)
			sd_dealloc(fd, &bos[i]);
		for (int i = 1; i < 64; i += 2)
			sd_dealloc(fd, &bos[i]);
	}
}

static void test_kill(int fd)
{
	const uint64_t before = sd_idle_vram_free(fd);

	for (int i = 0; i < sd_rounds(8, 20); i++) {
		pid_t child = sd_start_child(alloc_forever);

		usleep(3000 * (i % 7) + 1000);
		sd_kill_child(child);
	}
	sd_wait_vram_free(fd, before);
}

static void test_parallel(int fd)
{
	const uint64_t before = sd_idle_vram_free(fd);

	igt_fork(child, 4) {
		int other = child % 2 ? sd_open() : fd;

		for (int i = 0; i < sd_rounds(100, 300); i++) {
			struct sd_bo bo = sd_alloc(other, (1 + (i * 7 + child) % 40) * PAGE);

			igt_assert(sd_is_filled(other, &bo, 0));
			sd_dealloc(other, &bo);
		}
	}
	igt_waitchildren();
	sd_wait_vram_free(fd, before);
}

igt_main()
{
	static int fd = -1;

	igt_fixture()
		fd = sd_open();

	igt_describe("Allocate two BOs, query them with ALLOC_INFO, and free them.");
	igt_subtest("alloc-dealloc")
		test_alloc(fd);

	igt_describe("ALLOC rejects a size of 0 with EINVAL, and sizes larger than VRAM with "
		     "ENOSPC.");
	igt_subtest("bad-size")
		test_sizes(fd);

	igt_describe("One ALLOC accepts up to DRM_SUNDOG_MAX_ALLOCS allocations, and rejects 0 and "
		     "more than that.");
	igt_subtest("count")
		test_count(fd);

	igt_describe("An ALLOC that fails for one of its allocations creates none of them.");
	igt_subtest("all-or-nothing")
		test_all_or_nothing(fd);

	igt_describe("BOs that were never touched take no VRAM, even if they are larger than VRAM "
		     "together.");
	igt_subtest("untouched-takes-no-vram")
		test_untouched(fd);

	igt_describe("DEALLOC with an unknown handle, an unknown resource or the same handle twice "
		     "fails and frees nothing.");
	igt_subtest("dealloc-unknown")
		test_dealloc_unknown(fd);

	igt_describe("GEM_CLOSE frees an allocation too.");
	igt_subtest("gem-close")
		test_gem_close(fd);

	igt_describe("Closing a file frees its BOs.");
	igt_subtest("close-file")
		test_close_file(fd);

	igt_describe("Four processes, two of them on one file, allocate and free BOs at the same "
		     "time; new BOs read as zero.");
	igt_subtest("parallel")
		test_parallel(fd);

	igt_describe("Killing a process at any moment frees its BOs.");
	igt_subtest("kill")
		test_kill(fd);

	igt_fixture()
		close(fd);
}
