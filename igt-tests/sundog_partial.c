// SPDX-License-Identifier: MIT
/*
 * Partial release: an unshared resource frees some allocations, keeps the others under their names,
 * and can get new ones. Streams that were built before name the same allocations.
 */
#include "sundog_gate.h"

#include <unistd.h>

IGT_TEST_DESCRIPTION("Partial release of unshared resources");

static void check_at(int fd, const struct sd_resource *res, uint32_t i)
{
	struct drm_sundog_alloc_info info;

	igt_assert_eq(sd_info_try(fd, res->bos[i].handle, &info), 0);
	igt_assert_eq_u32(info.kres, res->kres);
	igt_assert_eq_u32(info.index, res->bos[i].index);
	igt_assert_eq_u32(info.device_handle, res->bos[i].device_handle);
}

static void test_listed(int fd)
{
	const struct sd_counts idle = sd_idle_counts(fd);
	struct sd_resource *res = sd_resource(fd, 0, PAGE, 5);
	const uint32_t handles[] = { res->bos[3].handle, res->bos[0].handle };
	struct drm_sundog_alloc_info info;
	struct sd_counts expected = idle;

	for (uint32_t i = 0; i < 5; i++)
		sd_fill(fd, &res->bos[i], i);
	igt_assert_eq(sd_dealloc_try(fd, res->res, handles, 2), 0);
	expected.live += 3;
	expected.resources++;
	expected.res_ids++;
	expected.kres++;
	sd_wait_counts(fd, &expected);
	igt_assert_eq(sd_info_try(fd, handles[0], &info), -ENOENT);
	igt_assert_eq(sd_info_try(fd, handles[1], &info), -ENOENT);
	for (uint32_t i = 1; i < 5; i += i == 2 ? 2 : 1) {
		check_at(fd, res, i);
		igt_assert(sd_is_filled(fd, &res->bos[i], i));
	}
	sd_destroy(fd, res);
	sd_wait_counts(fd, &idle);
}

/*
 * After the release of all allocations the resource is as new, except that it keeps its kernel
 * handle.
 */
static void test_all(int fd)
{
	const struct sd_counts idle = sd_idle_counts(fd);
	struct sd_resource *res = sd_resource(fd, 0, PAGE, 4);
	const uint32_t kres = res->kres;

	for (int i = 0; i < 5; i++) {
		igt_assert_eq(sd_remove_try(fd, res, 0, 4), 0);
		igt_assert_eq(sd_counts(fd).live, idle.live);
		igt_assert_eq(sd_counts(fd).kres, idle.kres + 1);
		res->count = 0;
		igt_assert_eq(sd_add_try(fd, res, 4), 0);
		igt_assert_eq_u32(res->kres, kres);
	}
	igt_assert_eq(sd_remove_try(fd, res, 0, 4), 0);
	sd_destroy(fd, res);
	sd_wait_counts(fd, &idle);
}

/*
 * Releases and adds at random: the other allocations keep their indices, and no two have the same
 * index.
 */
static void test_indexes(int fd)
{
	struct sd_resource *res = sd_resource(fd, 0, PAGE, 64);
	uint32_t seed = 1;

	for (int round = 0; round < 30; round++) {
		const struct sd_resource before = *res;
		uint64_t used[DRM_SUNDOG_MAX_ALLOCS / 64] = { 0 };
		uint32_t kept = 0;

		for (uint32_t i = 0; i < before.count; i++) {
			seed = seed * 1103515245 + 12345;
			if (seed >> 16 & 1)
				res->bos[kept++] = before.bos[i];
			else
				igt_assert_eq(sd_remove_try(fd, &before, i, 1), 0);
		}
		res->count = kept;
		if (before.count != kept)
			igt_assert_eq(sd_add_try(fd, res, before.count - kept), 0);
		for (uint32_t i = 0; i < res->count; i++) {
			const uint32_t index = res->bos[i].index;

			check_at(fd, res, i);
			igt_assert(!(used[index / 64] & 1ull << index % 64));
			used[index / 64] |= 1ull << index % 64;
		}
	}
	sd_destroy(fd, res);
}

static void test_others(int fd)
{
	struct sd_resource *a = sd_resource(fd, 0, PAGE, 2), *b = sd_resource(fd, 0, PAGE, 2);
	struct sd_bo bo = sd_alloc(fd, PAGE);

	igt_assert_eq(sd_remove_try(fd, a, 0, 2), 0);
	check_at(fd, b, 0);
	check_at(fd, b, 1);
	sd_destroy(fd, a);
	check_at(fd, b, 0);
	check_at(fd, b, 1);
	sd_destroy(fd, b);
	sd_dealloc(fd, &bo);
}

static void test_mapping(int fd)
{
	const struct sd_counts idle = sd_idle_counts(fd);
	struct sd_resource *res = sd_resource(fd, 0, PAGE, 2);
	const struct sd_bo bo = res->bos[0];
	volatile uint32_t *map = sd_map(fd, &bo);

	map[0] = 5;
	igt_assert_eq(sd_remove_try(fd, res, 0, 1), 0);
	igt_assert_eq_u32(map[0], 5);
	sd_destroy(fd, res);
	igt_assert_eq_u32(map[0], 5);
	sd_unmap((void *)map, &bo);
	sd_wait_counts(fd, &idle);
}

static void test_dma_buf(int fd)
{
	const struct sd_counts idle = sd_idle_counts(fd);
	struct sd_resource *res = sd_resource(fd, 0, PAGE, 2);
	int dmabuf = sd_export(fd, res->bos[0].handle);
	struct sd_counts expected = idle;

	igt_assert_eq(sd_remove_try(fd, res, 0, 1), 0);
	sd_destroy(fd, res);
	expected.live++;
	expected.shared++;
	sd_wait_counts(fd, &expected);
	close(dmabuf);
	sd_wait_counts(fd, &idle);
}

/* Builds a stream, then releases allocations, then submits the stream with the remaining ones. */
static void test_stream_before(int fd)
{
	struct sd_context *ctx = sd_context(fd);
	struct sd_resource *res = sd_resource(fd, 0, 4 * PAGE, 40);

	for (uint32_t i = 1; i < 40; i += 2)
		sd_emit_fill(ctx, &res->bos[i], 0x1000 + i, 1);
	for (uint32_t i = 0; i < 40; i += 2)
		igt_assert_eq(sd_remove_try(fd, res, i, 1), 0);
	sd_run(ctx);
	for (uint32_t i = 1; i < 40; i += 2)
		igt_assert(sd_is_filled(fd, &res->bos[i], 0x1000 + i));
	sd_destroy(fd, res);
	sd_context_free(ctx);
}

/* Releases allocations while a stream, which uses some of them, waits in the queue. */
static void test_stream_queued(int fd)
{
	struct sd_context *ctx = sd_context(fd);
	struct sd_resource *res = sd_resource(fd, 0, 4 * PAGE, 4);
	struct sd_gate gate;

	sd_fill(fd, &res->bos[1], 0x99);
	gate = sd_gate_before(ctx);
	sd_emit_copy(ctx, &res->bos[1], &res->bos[3]);
	sd_submit(ctx);
	igt_assert_eq(sd_remove_try(fd, res, 0, 3), 0);
	igt_assert(sd_is_filled(fd, &res->bos[3], 0));
	sd_gate_lift(&gate);
	sd_wait(fd, &res->bos[3]);
	igt_assert(sd_is_filled(fd, &res->bos[3], 0x99));
	sd_destroy(fd, res);
	sd_context_free(ctx);
}

/* The driver assigns all indices before it reuses any, and then begins with the lowest. */
static void use_up_indexes(int fd, struct sd_resource *res)
{
	const uint32_t count = res->count;
	uint32_t last = 0;

	while (last < DRM_SUNDOG_MAX_ALLOCS - 1) {
		igt_assert_eq(sd_add_try(fd, res, 1), 0);
		last = res->bos[count].index;
		igt_assert_eq(sd_remove_try(fd, res, count, 1), 0);
		res->count = count;
	}
}

/* A new allocation gets a name that a queued stream uses for an old one. */
static void test_name_reused(int fd)
{
	struct sd_context *ctx = sd_context(fd);
	struct sd_resource *res = sd_resource(fd, 0, 4 * PAGE, 2);
	const uint32_t index = res->bos[1].index;
	struct sd_gate gate;
	uint64_t seqno;

	use_up_indexes(fd, res);
	gate = sd_gate_before(ctx);
	sd_emit_fill(ctx, &res->bos[1], 0xbad, 1);
	seqno = sd_submit(ctx);
	igt_assert_eq(sd_remove_try(fd, res, 1, 1), 0);
	igt_assert_eq(sd_add_try(fd, res, 1), 0);
	igt_assert_eq_u32(res->bos[2].index, index);
	igt_assert(ctx->status->completed < seqno);
	sd_gate_lift(&gate);
	sd_wait_seqno(ctx, seqno);
	igt_assert(sd_is_filled(fd, &res->bos[2], 0));
	sd_emit_fill(ctx, &res->bos[2], 0x600d, 1);
	sd_run(ctx);
	igt_assert(sd_is_filled(fd, &res->bos[2], 0x600d));
	sd_destroy(fd, res);
	sd_context_free(ctx);
}

/* A released allocation cannot be listed, so its name does not resolve. */
static void test_released_faults(int fd)
{
	struct sd_context *ctx = sd_context(fd);
	struct sd_resource *res = sd_resource(fd, 0, 4 * PAGE, 2);
	const struct sundog_cmd_fill_buffer fill = {
		.dst = { .mem = res->bos[0].mem, .size = PAGE },
		.value = 1,
	};

	igt_assert_eq(sd_remove_try(fd, res, 0, 1), 0);
	sundog_emit_fill_buffer(&ctx->stream, &fill);
	sd_list(ctx, &res->bos[1], WRITE);
	sd_submit(ctx);
	igt_assert_eq(sd_wait_dead(ctx).fault, SUNDOG_FAULT_CODE_NOT_LISTED);
	igt_assert(sd_is_filled(fd, &res->bos[1], 0));
	sd_destroy(fd, res);
	sd_context_free(ctx);
}

igt_main()
{
	static int fd = -1;

	igt_fixture()
		fd = sd_open();

	igt_describe("DEALLOC frees the listed allocations of a resource; the others keep their "
		     "contents and names.");
	igt_subtest("frees-what-is-listed")
		test_listed(fd);

	igt_describe("A resource stays valid after the release of all allocations, and can get new "
		     "ones.");
	igt_subtest("resource-survives-the-loss-of-all")
		test_all(fd);

	igt_describe("Remaining allocations keep their indices, and no two allocations of a "
		     "resource have the same index.");
	igt_subtest("indexes-stay")
		test_indexes(fd);

	igt_describe("Partial release and destruction of a resource do not change another "
		     "resource.");
	igt_subtest("others-do-not-notice")
		test_others(fd);

	igt_describe("A mapping outlives the release of its allocation.");
	igt_subtest("mapping-survives")
		test_mapping(fd);

	igt_describe("A dma-buf outlives the release of its allocation, and its resource.");
	igt_subtest("dma-buf-survives")
		test_dma_buf(fd);

	igt_fixture() {
		close(fd);
		fd = sd_open_renderer();
	}

	igt_describe("A stream that was built before a partial release can use the remaining "
		     "allocations.");
	igt_subtest("stream-built-before-resolves")
		test_stream_before(fd);

	igt_describe("A queued stream can use the allocations that it listed, also those that were "
		     "released meanwhile.");
	igt_subtest("stream-queued-before-resolves")
		test_stream_queued(fd);

	igt_describe("A queued stream uses the released allocation, and not a new allocation of "
		     "the same index.");
	igt_subtest("reused-index-is-not-the-old-one")
		test_name_reused(fd);

	igt_describe("A stream that names a released allocation faults.");
	igt_subtest("released-name-faults")
		test_released_faults(fd);

	igt_fixture()
		close(fd);
}
