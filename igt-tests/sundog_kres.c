// SPDX-License-Identifier: MIT
/*
 * Kernel resource handles: when a resource gets its kernel handle, that all clients see the same
 * one, and that it names memory in streams only for clients that list that memory.
 */
#include "sundog_test.h"

#include <unistd.h>

IGT_TEST_DESCRIPTION("Kernel resource handles");

static void test_first_allocation(int fd, uint32_t flags)
{
	const struct sd_counts before = sd_idle_counts(fd);
	struct sd_resource *res = sd_resource(fd, flags, PAGE, 0);
	struct drm_sundog_alloc_info info;

	igt_assert_eq_u32(res->kres, 0);
	igt_assert_eq(sd_counts(fd).kres, before.kres);
	igt_assert_eq(sd_add_try(fd, res, 2), 0);
	igt_assert(res->kres);
	igt_assert_eq(sd_counts(fd).kres, before.kres + 1);
	for (uint32_t i = 0; i < 2; i++) {
		igt_assert_eq(sd_info_try(fd, res->bos[i].handle, &info), 0);
		igt_assert_eq_u32(info.kres, res->kres);
		igt_assert_eq_u32(info.index, i);
	}
	sd_destroy(fd, res);
	igt_assert_eq(sd_counts(fd).kres, before.kres);
}

static void test_later_allocations(int fd)
{
	struct sd_resource *res = sd_resource(fd, 0, PAGE, 1);
	const uint32_t kres = res->kres;
	struct drm_sundog_alloc_info info;

	for (uint32_t i = 1; i < 40; i++) {
		igt_assert_eq(sd_add_try(fd, res, 1), 0);
		igt_assert_eq_u32(res->kres, kres);
		igt_assert_eq_u32(res->bos[i].index, i);
		igt_assert_eq(sd_info_try(fd, res->bos[i].handle, &info), 0);
		igt_assert_eq_u32(info.kres, kres);
	}
	sd_destroy(fd, res);
}

/* An ALLOC that fails assigns no kernel handle, and does not seal the resource. */
static void test_failed_allocation(int fd, uint32_t flags)
{
	struct sd_resource *res = sd_resource(fd, flags, PAGE, 0);
	const uint64_t sizes[] = { PAGE, sd_param(fd, DRM_SUNDOG_PARAM_VRAM_SIZE) + 1 };
	const struct sd_counts before = sd_idle_counts(fd);
	struct sd_bo bos[2];

	igt_assert_eq(sd_alloc_try(fd, res->res, sizes, 2, bos), -ENOSPC);
	sd_wait_counts(fd, &before);
	igt_assert_eq(sd_add_try(fd, res, 1), 0);
	igt_assert(res->kres);
	igt_assert_eq_u32(res->bos[0].index, 0);
	sd_destroy(fd, res);
}

/* Like test_failed_allocation(), but the driver fails late: it cannot write the results back. */
static void test_failed_publication(int fd)
{
	static const struct drm_sundog_alloc_desc desc __attribute__((aligned(4096))) = {
		.size = PAGE
	};
	struct sd_resource *res = sd_resource(fd, SHARED, PAGE, 0);
	struct drm_sundog_alloc args = {
		.allocs = (uintptr_t)&desc,
		.n_allocs = 1,
		.alloc_stride = sizeof(desc),
		.res = res->res,
	};
	const struct sd_counts before = sd_idle_counts(fd);

	igt_assert_eq(sd_try(fd, DRM_IOCTL_SUNDOG_ALLOC, &args), -EFAULT);
	sd_wait_counts(fd, &before);
	igt_assert_eq(sd_add_try(fd, res, 2), 0);
	sd_destroy(fd, res);
}

/* Resources of each of four processes. */
#define N_EACH 100

static void test_unique(int fd)
{
	uint32_t all[4 * N_EACH];
	int pipes[2], leave[2];
	char byte;

	igt_assert(!pipe(pipes));
	igt_assert(!pipe(leave));
	igt_fork(child, 4) {
		int other = sd_open();

		close(leave[1]);
		for (int i = 0; i < N_EACH; i++) {
			struct sd_resource *res = sd_resource(other, child % 2 ? SHARED : 0, PAGE,
							      1);

			igt_assert(write(pipes[1], &res->kres, 4) == 4);
			free(res);
		}
		/* Keep the resources until all children are done. */
		igt_assert(read(leave[0], &byte, 1) == 0);
	}
	for (int i = 0; i < 4 * N_EACH; i++) {
		igt_assert(read(pipes[0], &all[i], 4) == 4);
		igt_assert(all[i]);
		for (int j = 0; j < i; j++)
			igt_assert_neq_u32(all[i], all[j]);
	}
	close(leave[1]);
	igt_waitchildren();
	close(leave[0]);
	close(pipes[0]);
	close(pipes[1]);
	(void)fd;
}

/* The forked openers have only the dma-buf. */
static void test_openers(int fd)
{
	struct sd_resource *res = sd_resource(fd, SHARED, PAGE, 2);
	int dmabuf = sd_export(fd, res->bos[1].handle);

	igt_fork(child, 4) {
		int other = sd_open();

		/* Different numbers of resources, so that the ids of the children differ. */
		for (int i = 0; i < child; i++)
			sd_resource(other, 0, PAGE, 1);
		for (int i = 0; i < 10; i++) {
			struct sd_resource *opened = sd_opened(other, dmabuf);

			igt_assert_eq_u32(opened->kres, res->kres);
			igt_assert_eq_u32(opened->bos[0].mem.kres, res->kres);
			free(opened);
		}
	}
	igt_waitchildren();
	close(dmabuf);
	sd_destroy(fd, res);
}

/*
 * A resource keeps its kernel handle after a partial release, and after the release of all
 * allocations.
 */
static void test_partial_release(int fd)
{
	struct sd_resource *res = sd_resource(fd, 0, PAGE, 3);
	const uint32_t kres = res->kres;
	struct drm_sundog_alloc_info info;

	igt_assert_eq(sd_remove_try(fd, res, 0, 2), 0);
	igt_assert_eq(sd_info_try(fd, res->bos[2].handle, &info), 0);
	igt_assert_eq_u32(info.kres, kres);
	igt_assert_eq(sd_remove_try(fd, res, 2, 1), 0);
	igt_assert_eq(sd_add_try(fd, res, 1), 0);
	igt_assert_eq_u32(res->kres, kres);
	sd_destroy(fd, res);
}

static void test_stream(int fd)
{
	struct sd_context *ctx = sd_context(fd);
	struct sd_resource *a = sd_resource(fd, 0, 4 * PAGE, 2);
	struct sd_resource *b = sd_resource(fd, SHARED, 4 * PAGE, 2);

	sd_emit_fill(ctx, &a->bos[1], 0x11111111, 1);
	sd_run(ctx);
	sd_emit_copy(ctx, &a->bos[1], &b->bos[0]);
	sd_run(ctx);
	igt_assert(sd_is_filled(fd, &b->bos[0], 0x11111111));
	igt_assert(sd_is_filled(fd, &b->bos[1], 0));
	igt_assert(sd_is_filled(fd, &a->bos[0], 0));
	sd_destroy(fd, a);
	sd_destroy(fd, b);
	sd_context_free(ctx);
}

static void test_stream_of_opener(int fd)
{
	int other = sd_open();
	struct sd_resource *res = sd_resource(fd, SHARED, 4 * PAGE, 2), *opened;
	int dmabuf = sd_export(fd, res->bos[0].handle);
	struct sd_context *ctx = sd_context(other);

	opened = sd_opened(other, dmabuf);
	close(dmabuf);
	/* The stream names the memory as the creator does, and the list has the opener's handle. */
	opened->bos[1].mem = res->bos[1].mem;
	sd_emit_fill(ctx, &opened->bos[1], 0x22222222, 1);
	sd_run(ctx);
	igt_assert(sd_is_filled(fd, &res->bos[1], 0x22222222));
	igt_assert(sd_is_filled(fd, &res->bos[0], 0));
	sd_context_free(ctx);
	sd_destroy(other, opened);
	close(other);
	sd_destroy(fd, res);
}

/*
 * The stream is valid but for the name of the memory: the context faults, and no memory changes.
 * Another context works on.
 */
static void test_bad_name(int fd, struct sundog_mem (*bad)(const struct sd_resource *res),
			  bool list)
{
	struct sd_context *ctx = sd_context(fd), *neighbour = sd_context(fd);
	struct sd_resource *res = sd_resource(fd, 0, 4 * PAGE, 2);
	struct sd_bo listed = sd_alloc(fd, 4 * PAGE);
	struct drm_sundog_context_query query;
	const struct sundog_mem mem = bad(res);
	const struct sundog_cmd_fill_buffer fill = {
		.dst = { .mem = mem, .size = 4 * PAGE },
		.value = 0x33333333,
	};

	sd_list(ctx, &listed, WRITE);
	if (list)
		sd_list(ctx, &res->bos[1], WRITE);
	sundog_emit_fill_buffer(&ctx->stream, &fill);
	sd_submit(ctx);
	query = sd_wait_dead(ctx);
	igt_assert_eq(query.fault, SUNDOG_FAULT_CODE_NOT_LISTED);
	igt_assert_eq_u64(query.arg, mem.index);
	igt_assert_eq_u64(query.offset, 0);
	igt_assert(sd_is_filled(fd, &listed, 0));
	igt_assert(sd_is_filled(fd, &res->bos[0], 0));
	igt_assert(sd_is_filled(fd, &res->bos[1], 0));
	sd_emit_fill(neighbour, &res->bos[1], 1, 1);
	sd_run(neighbour);
	igt_assert(sd_is_filled(fd, &res->bos[1], 1));
	sd_destroy(fd, res);
	sd_dealloc(fd, &listed);
	sd_context_free(ctx);
	sd_context_free(neighbour);
}

static struct sundog_mem right_name(const struct sd_resource *res)
{
	return res->bos[1].mem;
}

static struct sundog_mem other_index(const struct sd_resource *res)
{
	return res->bos[0].mem;
}

static struct sundog_mem nobodys_index(const struct sd_resource *res)
{
	return (struct sundog_mem){ res->kres, 2 };
}

static struct sundog_mem nobodys_kres(const struct sd_resource *res)
{
	return (struct sundog_mem){ res->kres + 100000, 1 };
}

igt_main()
{
	static const struct {
		const char *name, *description;
		struct sundog_mem (*bad)(const struct sd_resource *res);
		bool list;
	} bad_names[] = {
		{ "not-listed-faults",
		  "A stream that names an allocation that is not listed faults, and no memory "
		  "changes.", right_name, false },
		{ "index-not-listed-faults",
		  "A stream that names another allocation of the resource than the listed one "
		  "faults.", other_index, true },
		{ "index-of-nothing-faults",
		  "A stream that names an index past the resource's last allocation faults.",
		  nobodys_index, true },
		{ "kres-of-nobody-faults",
		  "A stream that names a kernel handle without a resource faults.",
		  nobodys_kres, true },
	};
	static int fd = -1;

	igt_fixture()
		fd = sd_open();

	igt_describe("An unshared resource gets its kernel handle with its first allocation.");
	igt_subtest("unshared-gets-it-with-its-first-allocation")
		test_first_allocation(fd, 0);

	igt_describe("A shared resource gets its kernel handle with its first allocation.");
	igt_subtest("shared-gets-it-with-its-first-allocation")
		test_first_allocation(fd, SHARED);

	igt_describe("Allocations that are added later have the kernel handle of their resource.");
	igt_subtest("later-allocations-share-it")
		test_later_allocations(fd);

	igt_describe("A failed ALLOC leaves an unshared resource without a kernel handle.");
	igt_subtest("failed-allocation-of-unshared-brings-none")
		test_failed_allocation(fd, 0);

	igt_describe("A failed ALLOC leaves a shared resource without a kernel handle, and open "
		     "for another ALLOC.");
	igt_subtest("failed-allocation-of-shared-brings-none")
		test_failed_allocation(fd, SHARED);

	igt_describe("An ALLOC that cannot write its results back leaves the resource without a "
		     "kernel handle.");
	igt_subtest("failed-publication-brings-none")
		test_failed_publication(fd);

	igt_describe("Live resources of all files have distinct kernel handles.");
	igt_subtest("unique-among-live-resources")
		test_unique(fd);

	igt_describe("Every opener of a shared resource, in any process, gets the creator's kernel "
		     "handle.");
	igt_subtest("same-for-every-opener")
		test_openers(fd);

	igt_describe("A resource keeps its kernel handle after the release of some or all "
		     "allocations.");
	igt_subtest("survives-partial-release")
		test_partial_release(fd);

	igt_fixture() {
		close(fd);
		fd = sd_open_renderer();
	}

	igt_describe("A stream names an allocation by kernel handle and index.");
	igt_subtest("stream-names-memory")
		test_stream(fd);

	igt_describe("An opener's stream names an allocation by the creator's kernel handle and "
		     "index.");
	igt_subtest("stream-of-opener")
		test_stream_of_opener(fd);

	for (unsigned int i = 0; i < sizeof(bad_names) / sizeof(bad_names[0]); i++) {
		igt_describe(bad_names[i].description);
		igt_subtest(bad_names[i].name)
			test_bad_name(fd, bad_names[i].bad, bad_names[i].list);
	}

	igt_fixture()
		close(fd);
}
