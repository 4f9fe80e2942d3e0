// SPDX-License-Identifier: MIT
/*
 * Mappings: new memory is zero, CPU and device see the same bytes, and a client cannot map another
 * client's memory.
 */
#include "sundog_test.h"

#include <sys/mman.h>
#include <unistd.h>

IGT_TEST_DESCRIPTION("Mapping allocations of a sundog device");

#define SIZE (64 * PAGE)

/* Makes half of the free VRAM dirty first, so that the new memory was in use before. */
static void test_zero(int fd)
{
	const uint64_t size = sd_vram_free(fd) / 2 & ~(uint64_t)(PAGE - 1);
	struct sd_bo bo = sd_alloc(fd, size);
	char *map = sd_map(fd, &bo);

	memset(map, 0x5a, size);
	sd_unmap(map, &bo);
	sd_dealloc(fd, &bo);
	for (int i = 0; i < 8; i++) {
		bo = sd_alloc(fd, size / 4);
		igt_assert(sd_is_filled(fd, &bo, 0));
		sd_dealloc(fd, &bo);
	}
}

static void test_two_mappings(int fd)
{
	struct sd_bo bo = sd_alloc(fd, SIZE);
	volatile uint32_t *a = sd_map(fd, &bo), *b = sd_map(fd, &bo);

	for (uint32_t i = 0; i < SIZE / 4; i += 97) {
		a[i] = i;
		igt_assert_eq_u32(b[i], i);
		b[i] = ~i;
		igt_assert_eq_u32(a[i], ~i);
	}
	sd_unmap((void *)a, &bo);
	sd_unmap((void *)b, &bo);
	sd_dealloc(fd, &bo);
}

static void test_wrong_file(int fd)
{
	int other = sd_open();
	struct sd_bo bo = sd_alloc(fd, PAGE);

	igt_assert(mmap(NULL, PAGE, PROT_READ, MAP_SHARED, other, bo.map_offset) == MAP_FAILED);
	igt_assert_eq(errno, EACCES);
	sd_dealloc(fd, &bo);
	close(other);
}

static void test_bad_ranges(int fd)
{
	struct sd_bo bo = sd_alloc(fd, 2 * PAGE);
	const uint64_t end = bo.map_offset + bo.size;

	igt_assert(mmap(NULL, 3 * PAGE, PROT_READ, MAP_SHARED, fd, bo.map_offset) == MAP_FAILED);
	igt_assert(mmap(NULL, 2 * PAGE, PROT_READ, MAP_SHARED, fd, end) == MAP_FAILED);
	igt_assert(mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED);
	sd_dealloc(fd, &bo);
	igt_assert(mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, bo.map_offset) == MAP_FAILED);
}

/* A mapping keeps its memory after the handle is closed. */
static void test_outlives_handle(int fd)
{
	const uint64_t before = sd_idle_vram_free(fd);
	struct sd_bo bo = sd_alloc(fd, SIZE), other;
	uint32_t *map = sd_map(fd, &bo);

	map[0] = 0x12345678;
	sd_dealloc(fd, &bo);
	other = sd_alloc(fd, SIZE);
	igt_assert(sd_is_filled(fd, &other, 0));
	igt_assert_eq_u32(map[0], 0x12345678);
	map[1] = 1;
	igt_assert(sd_is_filled(fd, &other, 0));
	sd_dealloc(fd, &other);
	sd_unmap(map, &bo);
	sd_wait_vram_free(fd, before);
}

static void test_fork(int fd)
{
	struct sd_bo bo = sd_alloc(fd, PAGE);
	volatile uint32_t *map = sd_map(fd, &bo);

	igt_fork(child, 1) {
		(void)child;
		map[1] = 2;
	}
	igt_waitchildren();
	igt_assert_eq_u32(map[1], 2);
	sd_unmap((void *)map, &bo);
	sd_dealloc(fd, &bo);
}

static void test_device_writes(int fd)
{
	struct sd_context *ctx = sd_context(fd);
	struct sd_bo bo = sd_alloc(fd, SIZE);
	volatile uint32_t *map = sd_map(fd, &bo);

	for (uint32_t i = 1; i < 50; i++) {
		map[i] = ~i;
		sd_emit_fill(ctx, &bo, i, 1);
		sd_run(ctx);
		igt_assert_eq_u32(map[0], i);
		igt_assert_eq_u32(map[i], i);
		igt_assert_eq_u32(map[SIZE / 4 - 1], i);
	}
	sd_unmap((void *)map, &bo);
	sd_dealloc(fd, &bo);
	sd_context_free(ctx);
}

static void test_device_reads(int fd)
{
	struct sd_context *ctx = sd_context(fd);
	struct sd_bo src = sd_alloc(fd, SIZE), dst = sd_alloc(fd, SIZE);
	uint32_t *from = sd_map(fd, &src), *to = sd_map(fd, &dst);

	for (uint32_t round = 0; round < 10; round++) {
		for (uint32_t i = 0; i < SIZE / 4; i++)
			from[i] = i * 2654435761u + round;
		sd_emit_copy(ctx, &src, &dst);
		sd_run(ctx);
		igt_assert(!memcmp(from, to, SIZE));
	}
	sd_unmap(from, &src);
	sd_unmap(to, &dst);
	sd_dealloc(fd, &src);
	sd_dealloc(fd, &dst);
	sd_context_free(ctx);
}

igt_main()
{
	static int fd = -1;

	igt_fixture()
		fd = sd_open();

	igt_describe("A new BO reads as zero, also where the data of a freed BO was.");
	igt_subtest("zero-on-new")
		test_zero(fd);

	igt_describe("Two mappings of an allocation show the same bytes.");
	igt_subtest("two-mappings")
		test_two_mappings(fd);

	igt_describe("mmap() of a BO through a file that has no handle of it fails with EACCES.");
	igt_subtest("wrong-file")
		test_wrong_file(fd);

	igt_describe("mmap() past the end of a BO, at an offset without a BO, or of a freed BO "
		     "fails.");
	igt_subtest("bad-range")
		test_bad_ranges(fd);

	igt_describe("A mapping keeps its memory after the handle was closed, and no new BO gets "
		     "that memory.");
	igt_subtest("outlives-handle")
		test_outlives_handle(fd);

	igt_describe("The parent sees a child's write to an inherited mapping.");
	igt_subtest("fork")
		test_fork(fd);

	igt_fixture() {
		close(fd);
		fd = sd_open_renderer();
	}

	igt_describe("The CPU reads the device's writes through an existing mapping, without a "
		     "call in between.");
	igt_subtest("device-writes")
		test_device_writes(fd);

	igt_describe("The device reads the CPU's writes.");
	igt_subtest("device-reads")
		test_device_reads(fd);

	igt_fixture()
		close(fd);
}
