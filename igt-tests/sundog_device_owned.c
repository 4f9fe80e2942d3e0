// SPDX-License-Identifier: MIT
/*
 * Allocations that belong to an open file: they have no resource and no kernel handle, and DEALLOC
 * or the close of the file frees them.
 */
#include "sundog_test.h"

#include <unistd.h>

#include <xf86drm.h>
#include <xf86drmMode.h>

IGT_TEST_DESCRIPTION("Allocations that the device owns");

static void test_no_kernel_handle(int fd)
{
	const struct sd_counts idle = sd_idle_counts(fd);
	const uint64_t sizes[] = { PAGE, 2 * PAGE, 3 * PAGE };
	struct drm_sundog_alloc_info info;
	struct sd_counts expected = idle;
	struct sd_bo bos[3];

	igt_assert_eq(sd_alloc_try(fd, 0, sizes, 3, bos), 0);
	expected.live += 3;
	sd_wait_counts(fd, &expected);
	for (int i = 0; i < 3; i++) {
		igt_assert_eq_u32(bos[i].mem.kres, 0);
		igt_assert_eq_u32(bos[i].index, 0);
		igt_assert_eq(sd_info_try(fd, bos[i].handle, &info), 0);
		igt_assert_eq_u32(info.kres, 0);
		sd_dealloc(fd, &bos[i]);
	}
	sd_wait_counts(fd, &idle);
}

static void test_dumb(void)
{
	int fd = sd_open_primary();
	const struct sd_counts idle = sd_idle_counts(fd);
	struct drm_mode_create_dumb args = { .width = 100, .height = 100, .bpp = 32 };
	struct drm_sundog_alloc_info info;

	igt_assert_eq(sd_try(fd, DRM_IOCTL_MODE_CREATE_DUMB, &args), 0);
	igt_assert_eq(sd_info_try(fd, args.handle, &info), 0);
	igt_assert_eq_u32(info.kres, 0);
	igt_assert_eq_u64(info.size, args.size);
	igt_assert_eq(sd_dealloc_try(fd, 0, &args.handle, 1), 0);
	sd_wait_counts(fd, &idle);
	close(fd);
}

static void test_dealloc(int fd)
{
	const struct sd_counts idle = sd_idle_counts(fd);
	const uint64_t sizes[] = { PAGE, PAGE, PAGE, PAGE };
	struct drm_sundog_alloc_info info;
	struct sd_bo bos[4];
	uint32_t handles[2];

	igt_assert_eq(sd_alloc_try(fd, 0, sizes, 4, bos), 0);
	handles[0] = bos[3].handle;
	handles[1] = bos[1].handle;
	igt_assert_eq(sd_dealloc_try(fd, 0, handles, 2), 0);
	for (int i = 0; i < 4; i++)
		igt_assert_eq(sd_info_try(fd, bos[i].handle, &info), i % 2 ? -ENOENT : 0);
	sd_dealloc(fd, &bos[0]);
	sd_dealloc(fd, &bos[2]);
	sd_wait_counts(fd, &idle);
}

static void test_close(int fd)
{
	const struct sd_counts idle = sd_idle_counts(fd);
	int other = sd_open();
	uint64_t sizes[200];
	struct sd_bo bos[200];

	for (int i = 0; i < 200; i++)
		sizes[i] = PAGE;
	igt_assert_eq(sd_alloc_try(other, 0, sizes, 200, bos), 0);
	igt_assert_eq(sd_counts(fd).live, idle.live + 200);
	close(other);
	sd_wait_counts(fd, &idle);
}

/* The importer's handle keeps the memory after the exporter's file is closed. */
static void test_import(int fd)
{
	const struct sd_counts idle = sd_idle_counts(fd);
	int owner = sd_open(), dmabuf;
	struct sd_bo bo = sd_alloc(owner, PAGE), imported = bo;

	sd_fill(owner, &bo, 0x5555);
	dmabuf = sd_export(owner, bo.handle);
	igt_assert_eq(drmPrimeFDToHandle(fd, dmabuf, &imported.handle), 0);
	close(dmabuf);
	close(owner);
	igt_assert(sd_is_filled(fd, &imported, 0x5555));
	sd_dealloc(fd, &imported);
	sd_wait_counts(fd, &idle);
}

static void test_stream(int fd)
{
	struct sd_context *ctx = sd_context(fd);
	struct sd_bo a = sd_alloc(fd, 4 * PAGE), b = sd_alloc(fd, 4 * PAGE);

	igt_assert_eq_u32(a.mem.kres, 0);
	igt_assert_eq_u32(a.mem.index, a.device_handle);
	sd_emit_fill(ctx, &a, 0x66666666, 1);
	sd_run(ctx);
	igt_assert(sd_is_filled(fd, &a, 0x66666666));
	igt_assert(sd_is_filled(fd, &b, 0));
	sd_dealloc(fd, &a);
	sd_dealloc(fd, &b);
	sd_context_free(ctx);
}

igt_main()
{
	static int fd = -1;

	igt_fixture()
		fd = sd_open();

	igt_describe("Device-owned allocations create no resource and have no kernel handle.");
	igt_subtest("no-kernel-handle")
		test_no_kernel_handle(fd);

	igt_describe("Dumb buffers are device-owned allocations.");
	igt_subtest("dumb-buffers-are-device-owned")
		test_dumb();

	igt_describe("DEALLOC without a resource frees the listed allocations and no others.");
	igt_subtest("freed-by-dealloc")
		test_dealloc(fd);

	igt_describe("Closing a file frees its device-owned allocations.");
	igt_subtest("freed-by-close")
		test_close(fd);

	igt_describe("An imported handle keeps an allocation after the exporter's file is closed.");
	igt_subtest("import-outlives-the-file")
		test_import(fd);

	igt_fixture() {
		close(fd);
		fd = sd_open_renderer();
	}

	igt_describe("A stream names a device-owned allocation by its device handle.");
	igt_subtest("named-by-device-handle")
		test_stream(fd);

	igt_fixture()
		close(fd);
}
