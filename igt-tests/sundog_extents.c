// SPDX-License-Identifier: MIT
/*
 * Owners of the extents of VRAM: a client's worker maps the client's extents and no others, and an
 * extent that one client freed goes to another only after the device has acknowledged that no
 * worker maps it.
 *
 * Most BOs are a sixteenth of VRAM, so these tests want a small VRAM.
 */
#include "sundog_share.h"

#include <sys/mman.h>
#include <unistd.h>

#include <xf86drm.h>

IGT_TEST_DESCRIPTION("Extents of VRAM and their owners");

#define CLIENTS 6

static uint64_t vram, size, extent;

/* Allocates without touching, unlike sd_alloc(). */
static struct sd_bo alloc(int fd, uint64_t bytes)
{
	struct sd_bo bo;

	igt_assert_eq(sd_alloc_try(fd, 0, &bytes, 1, &bo), 0);
	return bo;
}

static void device_fill(struct sd_context *ctx, const struct sd_bo *bo, uint32_t value)
{
	sd_emit_fill(ctx, bo, value, 1);
	sd_run(ctx);
}

static void wait_free_extents(int fd, uint64_t n)
{
	const int64_t end = sd_deadline();

	while (sd_vram_number(fd, "free_extents") != n && sd_now_plus_ms(0) < end)
		usleep(10000);
	igt_assert_eq_u64(sd_vram_number(fd, "free_extents"), n);
}

/* Returns the number of dwords of BAR 4 in the range that are not 0. */
static uint32_t count_control(int fd, uint64_t offset, size_t bytes)
{
	volatile uint32_t *map = sd_map_bar(fd, 4, offset, bytes, PROT_READ);
	uint32_t n = 0;

	for (size_t i = 0; i < bytes / 4; i++)
		n += map[i] != 0;
	munmap((void *)map, bytes);
	return n;
}

static uint32_t count_mapped(int fd)
{
	return count_control(fd, SUNDOG_CONTROL_EXTENTS, SUNDOG_MAX_EXTENTS * 4);
}

static void test_closed_file(int fd)
{
	struct sd_context *ctx;
	uint64_t before;
	uint32_t mapped;
	int own;

	sd_settle(fd);
	before = sd_vram_number(fd, "free_extents");
	mapped = count_mapped(fd);
	own = sd_open();
	ctx = sd_context(own);
	for (int i = 0; i < 4; i++) {
		struct sd_bo bo = alloc(own, 3 * extent);

		device_fill(ctx, &bo, 0x1000 + i);
	}
	igt_assert(sd_vram_number(fd, "free_extents") <= before - 12);
	igt_assert(count_mapped(fd) >= mapped + 12);
	sd_context_unmap(ctx);
	close(own);
	wait_free_extents(fd, before);
	igt_assert_eq_u32(count_mapped(fd), mapped);
}

/* Returns the number of pages that begin with @value in extents that some worker may map. */
static uint32_t count_visible(int fd, uint32_t value)
{
	const uint64_t n = sd_vram_number(fd, "extents");
	volatile uint32_t *table = sd_map_bar(fd, 4, SUNDOG_CONTROL_EXTENTS, SUNDOG_MAX_EXTENTS * 4,
					      PROT_READ);
	volatile uint8_t *memory = sd_map_bar(fd, 2, 0, n * extent, PROT_READ);
	uint32_t found = 0;

	for (uint64_t page = 0; page < n * extent; page += PAGE)
		found += table[page / extent] && *(volatile uint32_t *)(memory + page) == value;
	munmap((void *)table, SUNDOG_MAX_EXTENTS * 4);
	munmap((void *)memory, n * extent);
	return found;
}

/* A worker sees whole extents: the parts that its client does not use hold no old data. */
static void test_old_data(int fd)
{
	const uint32_t secret = 0x5ec2e7;
	struct sd_context *ctx = sd_context(fd), *theirs;
	int victim = sd_open();
	struct sd_bo bos[96], bo;

	theirs = sd_context(victim);
	bo = alloc(victim, 8 * size);
	device_fill(theirs, &bo, secret);
	igt_assert_eq_u32(count_visible(fd, secret), bo.size / PAGE);
	sd_context_unmap(theirs);
	close(victim);
	for (int i = 0; i < 96; i++) {
		bos[i] = alloc(fd, 8 * extent + PAGE);
		sd_list(ctx, &bos[i], WRITE);
		sd_run(ctx);
	}
	igt_assert_eq_u32(count_visible(fd, secret), 0);
	for (int i = 0; i < 96; i++)
		sd_dealloc(fd, &bos[i]);
	sd_context_free(ctx);
}

/* A worker may map the extents that its channel lists. The first context has the first channel. */
static void test_channel(int fd)
{
	const struct sd_counts idle = sd_idle_counts(fd);
	const uint64_t list = SUNDOG_CONTROL_CHANNELS + SUNDOG_CHANNEL_RING;
	const size_t bytes = SUNDOG_CHANNEL_SIZE - SUNDOG_CHANNEL_RING;
	struct sd_context *ctx = sd_context(fd);
	struct sd_bo bo = alloc(fd, PAGE);
	int other = sd_open();

	igt_assert_eq_u32(count_control(fd, list, bytes), 0);
	device_fill(ctx, &bo, 1);
	igt_assert(count_control(fd, list, bytes));
	sd_dealloc(fd, &bo);
	sd_context_free(ctx);
	sd_wait_counts(fd, &idle);
	ctx = sd_context(other);
	igt_assert_eq_u32(count_control(fd, list, bytes), 0);
	sd_context_free(ctx);
	close(other);
}

/* A file gets its own memory back at once, without a revoke. */
static void test_own_memory(int fd)
{
	struct sd_context *ctx = sd_context(fd);
	struct sd_bo keep = alloc(fd, PAGE), bo;
	const int64_t end = sd_now_plus_ms(1500);

	device_fill(ctx, &keep, 1);
	sd_settle(fd);
	for (unsigned int i = 0; i < 200 || sd_now_plus_ms(0) < end; i++) {
		bo = alloc(fd, PAGE);
		device_fill(ctx, &bo, 2);
		sd_dealloc(fd, &bo);
		igt_assert_eq_u64(sd_vram_number(fd, "pending_revoke_pages"), 0);
	}
	sd_dealloc(fd, &keep);
	sd_context_free(ctx);
}

/* Memory that one client freed goes to another client only after the device has revoked it. */
static void test_given_up(int fd)
{
	int other = sd_open();
	struct sd_context *ctx = sd_context(fd), *second = sd_context(other);
	struct sd_bo bo = alloc(fd, 12 * size);
	uint64_t revoked;

	device_fill(ctx, &bo, 0x11111111);
	device_fill(second, &second->stream_bo, 0);
	sd_settle(fd);
	revoked = sd_vram_number(fd, "revoked");
	sd_dealloc(fd, &bo);
	bo = alloc(other, 12 * size);
	device_fill(second, &bo, 0x22222222);
	igt_assert(sd_vram_number(fd, "revoked") > revoked);
	igt_assert(sd_is_filled(other, &bo, 0x22222222));
	sd_dealloc(other, &bo);
	sd_context_free(second);
	sd_context_free(ctx);
	close(other);
}

/* An extent that several clients used is revoked before any client, even its owner, gets it. */
static void test_shared(int fd)
{
	int other = sd_open();
	struct sd_context *ctx = sd_context(fd), *second = sd_context(other);
	struct sd_bo keep = alloc(fd, PAGE), bo = alloc(fd, size), seen = bo;
	uint64_t revokes, used;
	int dma_buf = sd_export(fd, bo.handle);

	device_fill(ctx, &keep, 1);
	device_fill(ctx, &bo, 0x33333333);
	igt_assert_eq(drmPrimeFDToHandle(other, dma_buf, &seen.handle), 0);
	close(dma_buf);
	sd_list(second, &seen, READ);
	sd_run(second);
	sd_settle(fd);
	used = sd_vram_number(fd, "used");
	revokes = sd_vram_number(fd, "revokes");
	sd_gem_close(other, seen.handle);
	sd_dealloc(fd, &bo);
	sd_wait_vram_free(fd, vram - used + size);
	igt_assert(sd_vram_number(fd, "pending_revoke_pages") == size / PAGE ||
		   sd_vram_number(fd, "revokes") > revokes);
	sd_settle(fd);
	igt_assert(sd_vram_number(fd, "revoked") > revokes);
	sd_dealloc(fd, &keep);
	sd_context_free(second);
	sd_context_free(ctx);
	close(other);
}

/* Small BOs of other clients all over VRAM are evicted for a BO that needs most of VRAM. */
static void test_many_clients(int fd)
{
	struct sd_context *ctx[CLIENTS], *own = sd_context(fd);
	struct sd_bo bos[CLIENTS][8], large;
	int files[CLIENTS];

	for (int i = 0; i < CLIENTS; i++) {
		files[i] = sd_open();
		ctx[i] = sd_context(files[i]);
	}
	for (int j = 0; j < 8; j++) {
		for (int i = 0; i < CLIENTS; i++) {
			bos[i][j] = alloc(files[i], size / 4);
			device_fill(ctx[i], &bos[i][j], 0x100 * i + j);
		}
	}
	large = alloc(fd, 12 * size);
	device_fill(own, &large, 0x44444444);
	igt_assert(sd_is_filled(fd, &large, 0x44444444));
	sd_dealloc(fd, &large);
	for (int i = 0; i < CLIENTS; i++) {
		for (int j = 0; j < 8; j++) {
			sd_list(ctx[i], &bos[i][j], READ);
			sd_run(ctx[i]);
			igt_assert(sd_is_filled(files[i], &bos[i][j], 0x100 * i + j));
		}
		sd_context_unmap(ctx[i]);
		close(files[i]);
	}
	sd_context_free(own);
}

igt_main()
{
	static int fd = -1;

	igt_fixture() {
		fd = sd_open_renderer();
		vram = sd_param(fd, DRM_SUNDOG_PARAM_VRAM_SIZE);
		size = vram / 16;
		extent = sd_vram_number(fd, "extent_pages") * PAGE;
	}

	igt_describe("Closing a file frees its extents, and no worker may map them any more.");
	igt_subtest("closed-file")
		test_closed_file(fd);

	igt_describe("Extents that a worker may map contain no data of a client that used them "
		     "before.");
	igt_subtest("old-data")
		test_old_data(fd);

	igt_describe("The lists of a channel have no entries of the context that used the channel "
		     "before.");
	igt_subtest("channel")
		test_channel(fd);

	igt_describe("A client reuses its own freed VRAM without a revoke.");
	igt_subtest("own-memory")
		test_own_memory(fd);

	igt_describe("VRAM that one client freed goes to another client only after it was "
		     "revoked.");
	igt_subtest("given-up")
		test_given_up(fd);

	igt_describe("VRAM that several clients used is revoked after it was freed.");
	igt_subtest("shared")
		test_shared(fd);

	igt_describe("A BO of most of VRAM is placed although small BOs of many clients are all "
		     "over VRAM.");
	igt_subtest("many-clients")
		test_many_clients(fd);

	igt_fixture()
		close(fd);
}
