// SPDX-License-Identifier: MIT
/*
 * Shared resources: one call creates all allocations and seals the resource. An allocation that
 * no shared resource owns cannot be opened as a resource; its dma-buf is a plain one.
 */
#include "sundog_test.h"

#include <sys/mman.h>
#include <unistd.h>

#include <xf86drm.h>

IGT_TEST_DESCRIPTION("Shared resources are sealed; plain dma-bufs are no resources");

/* The driver rejects each change, and does no part of it. */
static void check_sealed(int fd, struct sd_resource *res)
{
	const struct sd_counts before = sd_idle_counts(fd);
	const uint32_t count = res->count;
	struct drm_sundog_alloc_info info;

	igt_assert_eq(sd_add_try(fd, res, 1), -EBUSY);
	igt_assert_eq(sd_add_try(fd, res, 20), -EBUSY);
	igt_assert_eq(sd_remove_try(fd, res, 0, 1), -EBUSY);
	igt_assert_eq(sd_remove_try(fd, res, 0, count), -EBUSY);
	igt_assert_eq(sd_dealloc_try(fd, 0, &res->bos[0].handle, 1), -EINVAL);
	sd_wait_counts(fd, &before);
	for (uint32_t i = 0; i < count; i++) {
		igt_assert_eq(sd_info_try(fd, res->bos[i].handle, &info), 0);
		igt_assert_eq_u32(info.kres, res->kres);
		igt_assert_eq_u32(info.index, i);
	}
}

static void test_sealed_by_create(int fd)
{
	struct sd_resource *res = sd_resource(fd, SHARED, PAGE, 3);

	check_sealed(fd, res);
	sd_destroy(fd, res);
}

static void test_sealed_by_alloc(int fd)
{
	struct sd_resource *res = sd_resource(fd, SHARED, PAGE, 0);

	igt_assert_eq(sd_add_try(fd, res, 3), 0);
	check_sealed(fd, res);
	sd_destroy(fd, res);
}

static void test_sealed_for_opener(int fd)
{
	int other = sd_open(), dmabuf;
	struct sd_resource *res = sd_resource(fd, SHARED, PAGE, 3), *opened;

	dmabuf = sd_export(fd, res->bos[0].handle);
	opened = sd_opened(other, dmabuf);
	close(dmabuf);
	check_sealed(other, opened);
	sd_destroy(fd, res);
	check_sealed(other, opened);
	sd_destroy(other, opened);
	close(other);
}

static void test_unshared_not_sealed(int fd)
{
	struct sd_resource *res = sd_resource(fd, 0, PAGE, 2);

	igt_assert_eq(sd_add_try(fd, res, 2), 0);
	igt_assert_eq(sd_remove_try(fd, res, 1, 2), 0);
	sd_destroy(fd, res);
}

/* The allocation of @dmabuf cannot be opened, and an attempt leaves nothing behind. */
static void check_not_openable(int fd, int dmabuf)
{
	struct sd_resource *opened = calloc(1, sizeof(*opened));
	const struct sd_counts before = sd_idle_counts(fd);
	int other = sd_open();
	uint32_t index;

	igt_assert_eq(sd_open_try(fd, dmabuf, opened, &index), -ENOENT);
	igt_assert_eq(sd_open_try(other, dmabuf, opened, &index), -ENOENT);
	close(other);
	free(opened);
	sd_wait_counts(fd, &before);
}

static void test_unshared_not_openable(int fd)
{
	struct sd_resource *res = sd_resource(fd, 0, PAGE, 2);
	int dmabuf = sd_export(fd, res->bos[1].handle);

	check_not_openable(fd, dmabuf);
	close(dmabuf);
	sd_destroy(fd, res);
}

static void test_device_owned_not_openable(int fd)
{
	struct sd_bo bo = sd_alloc(fd, PAGE);
	int dmabuf = sd_export(fd, bo.handle);

	check_not_openable(fd, dmabuf);
	close(dmabuf);
	sd_dealloc(fd, &bo);
}

/*
 * The dma-buf of an allocation that an unshared resource has released is still valid, but cannot be
 * opened.
 */
static void test_released_not_openable(int fd)
{
	const struct sd_counts idle = sd_idle_counts(fd);
	struct sd_resource *res = sd_resource(fd, 0, PAGE, 2);
	int dmabuf = sd_export(fd, res->bos[1].handle);

	igt_assert_eq(sd_remove_try(fd, res, 1, 1), 0);
	check_not_openable(fd, dmabuf);
	sd_destroy(fd, res);
	check_not_openable(fd, dmabuf);
	close(dmabuf);
	sd_wait_counts(fd, &idle);
}

static void test_no_dma_buf(int fd)
{
	struct sd_resource *opened = calloc(1, sizeof(*opened));
	int memfd = memfd_create("no dma-buf", MFD_CLOEXEC);
	uint32_t index;

	igt_assert_eq(sd_open_try(fd, -1, opened, &index), -EBADF);
	igt_assert_eq(sd_open_try(fd, memfd, opened, &index), -EINVAL);
	igt_assert_eq(sd_open_try(fd, fd, opened, &index), -EINVAL);
	close(memfd);
	free(opened);
}

/*
 * PRIME works for every allocation, with or without a resource: the importer gets the same memory,
 * and one handle per file.
 */
static void check_plain(int fd, const struct sd_bo *bo, uint32_t kres)
{
	struct drm_sundog_alloc_info info;
	int other = sd_open(), dmabuf = sd_export(fd, bo->handle);
	uint32_t handle, again;
	struct sd_bo imported;

	sd_fill(fd, bo, 0x77000000 + bo->handle);
	igt_assert_eq(drmPrimeFDToHandle(other, dmabuf, &handle), 0);
	igt_assert_eq(drmPrimeFDToHandle(other, dmabuf, &again), 0);
	igt_assert_eq_u32(handle, again);
	igt_assert_eq(sd_info_try(other, handle, &info), 0);
	igt_assert_eq_u32(info.device_handle, bo->device_handle);
	igt_assert_eq_u64(info.size, bo->size);
	igt_assert_eq_u32(info.kres, kres);
	imported = (struct sd_bo){ .size = info.size, .map_offset = info.map_offset };
	igt_assert(sd_is_filled(other, &imported, 0x77000000 + bo->handle));
	close(dmabuf);
	close(other);
}

static void test_plain_device_owned(int fd)
{
	const struct sd_counts idle = sd_idle_counts(fd);
	struct sd_bo bo = sd_alloc(fd, 3 * PAGE);

	check_plain(fd, &bo, 0);
	sd_dealloc(fd, &bo);
	sd_wait_counts(fd, &idle);
}

static void test_plain_owned(int fd, uint32_t flags)
{
	const struct sd_counts idle = sd_idle_counts(fd);
	struct sd_resource *res = sd_resource(fd, flags, PAGE, 3);

	for (int i = 0; i < 3; i++)
		check_plain(fd, &res->bos[i], res->kres);
	sd_destroy(fd, res);
	sd_wait_counts(fd, &idle);
}

/*
 * An importer names a plain allocation in its own streams by its device handle. That includes an
 * allocation of an unshared resource, and one that such a resource has released.
 */
static void test_stream_of_importer(int fd)
{
	int other = sd_open(), dmabuf;
	struct sd_resource *res = sd_resource(fd, 0, 4 * PAGE, 1);
	struct sd_bo bos[] = { sd_alloc(fd, 4 * PAGE), res->bos[0] };
	struct sd_context *ctx = sd_context(other);
	struct sd_bo imported;

	for (uint32_t i = 0; i < 2; i++) {
		imported = bos[i];
		imported.mem = (struct sundog_mem){ 0, bos[i].device_handle };
		dmabuf = sd_export(fd, bos[i].handle);
		igt_assert_eq(drmPrimeFDToHandle(other, dmabuf, &imported.handle), 0);
		close(dmabuf);
		sd_emit_fill(ctx, &imported, 0x44444444 + i, 1);
		sd_run(ctx);
		igt_assert(sd_is_filled(fd, &bos[i], 0x44444444 + i));
	}
	igt_assert_eq(sd_remove_try(fd, res, 0, 1), 0);
	sd_emit_fill(ctx, &imported, 0x55555555, 1);
	sd_run(ctx);
	sd_context_free(ctx);
	close(other);
	sd_dealloc(fd, &bos[0]);
	sd_destroy(fd, res);
}

igt_main()
{
	static int fd = -1;

	igt_fixture()
		fd = sd_open();

	igt_describe("A shared resource that was created with allocations rejects later ALLOC and "
		     "DEALLOC calls.");
	igt_subtest("sealed-by-create")
		test_sealed_by_create(fd);

	igt_describe("The first ALLOC of an empty shared resource seals it.");
	igt_subtest("sealed-by-its-first-alloc")
		test_sealed_by_alloc(fd);

	igt_describe("A shared resource is sealed for openers, too, also after the creator has "
		     "destroyed its id.");
	igt_subtest("sealed-for-openers")
		test_sealed_for_opener(fd);

	igt_describe("ALLOC and DEALLOC can change an unshared resource at any time.");
	igt_subtest("unshared-is-not-sealed")
		test_unshared_not_sealed(fd);

	igt_describe("RESOURCE_OPEN rejects the dma-buf of an unshared resource's allocation with "
		     "ENOENT.");
	igt_subtest("unshared-cannot-be-opened")
		test_unshared_not_openable(fd);

	igt_describe("RESOURCE_OPEN rejects the dma-buf of a device-owned allocation with ENOENT.");
	igt_subtest("device-owned-cannot-be-opened")
		test_device_owned_not_openable(fd);

	igt_describe("RESOURCE_OPEN rejects the dma-buf of an allocation that an unshared resource "
		     "has released.");
	igt_subtest("released-cannot-be-opened")
		test_released_not_openable(fd);

	igt_describe("RESOURCE_OPEN rejects a file descriptor that is no dma-buf.");
	igt_subtest("other-files-cannot-be-opened")
		test_no_dma_buf(fd);

	igt_describe("A device-owned allocation can be exported and imported as a plain dma-buf.");
	igt_subtest("plain-export-of-device-owned")
		test_plain_device_owned(fd);

	igt_describe("An unshared resource's allocations can be exported and imported as plain "
		     "dma-bufs.");
	igt_subtest("plain-export-of-unshared")
		test_plain_owned(fd, 0);

	igt_describe("A shared resource's allocations can also be imported one by one, as plain "
		     "dma-bufs.");
	igt_subtest("plain-export-of-shared")
		test_plain_owned(fd, SHARED);

	igt_fixture() {
		close(fd);
		fd = sd_open_renderer();
	}

	igt_describe("An importer's stream names a plain allocation by its device handle.");
	igt_subtest("plain-import-is-named-by-device-handle")
		test_stream_of_importer(fd);

	igt_fixture()
		close(fd);
}
