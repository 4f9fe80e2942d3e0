// SPDX-License-Identifier: MIT
/*
 * RESOURCE_DESTROY: the objects that hold a resource, and that the last of them releases the kernel
 * handle and all allocations. A user of an allocation that is no holder keeps only that allocation.
 */
#include "sundog_gate.h"

#include <unistd.h>

#include <drm_fourcc.h>
#include <xf86drm.h>
#include <xf86drmMode.h>

IGT_TEST_DESCRIPTION("RESOURCE_DESTROY and the holders of a resource");

/* The id, its GEM handles and the access to their memory end with the call. */
static void test_dead_at_once(int fd)
{
	struct sd_resource *res = sd_resource(fd, 0, PAGE, 3);
	const struct sd_resource old = *res;
	struct drm_sundog_alloc_info info;
	struct sd_bo bo;
	const uint64_t size = PAGE;
	int dmabuf;

	sd_destroy(fd, res);
	igt_assert_eq(sd_destroy_try(fd, old.res), -ENOENT);
	igt_assert_eq(sd_alloc_try(fd, old.res, &size, 1, &bo), -ENOENT);
	for (int i = 0; i < 3; i++) {
		igt_assert_eq(sd_info_try(fd, old.bos[i].handle, &info), -ENOENT);
		igt_assert_eq(sd_dealloc_try(fd, 0, &old.bos[i].handle, 1), -ENOENT);
		igt_assert_eq(sd_wait_try(fd, old.bos[i].handle, WRITE, 0), -ENOENT);
		igt_assert(drmPrimeHandleToFD(fd, old.bos[i].handle, 0, &dmabuf));
	}
}

static void test_unknown(int fd)
{
	int other = sd_open();
	struct sd_resource *res = sd_resource(fd, 0, PAGE, 1);
	const struct sd_counts before = sd_idle_counts(fd);

	igt_assert_eq(sd_destroy_try(fd, 0), -ENOENT);
	igt_assert_eq(sd_destroy_try(fd, res->res + 1000), -ENOENT);
	igt_assert_eq(sd_destroy_try(fd, UINT32_MAX), -ENOENT);
	igt_assert_eq(sd_destroy_try(other, res->res), -ENOENT);
	sd_wait_counts(fd, &before);
	sd_destroy(fd, res);
	close(other);
}

/*
 * The holders of a resource of three allocations: the creator's id, an opener's id, the dma-bufs of
 * allocations 0 and 1.
 */
#define N_HOLDERS 4

struct scene {
	int creator, opener, dmabufs[2];
	struct sd_resource *created, *opened;
};

static void scene_make(struct scene *scene)
{
	scene->creator = sd_open();
	scene->opener = sd_open();
	scene->created = sd_resource(scene->creator, SHARED, PAGE, 3);
	scene->dmabufs[0] = sd_export(scene->creator, scene->created->bos[0].handle);
	scene->opened = sd_opened(scene->opener, scene->dmabufs[0]);
	scene->dmabufs[1] = sd_export(scene->opener, scene->opened->bos[1].handle);
}

static void scene_drop(struct scene *scene, int holder, bool by_file)
{
	switch (holder) {
	case 0:
		if (by_file)
			close(scene->creator);
		else
			igt_assert_eq(sd_destroy_try(scene->creator, scene->created->res), 0);
		break;
	case 1:
		if (by_file)
			close(scene->opener);
		else
			igt_assert_eq(sd_destroy_try(scene->opener, scene->opened->res), 0);
		break;
	default:
		close(scene->dmabufs[holder - 2]);
	}
}

static void scene_end(struct scene *scene, bool by_file)
{
	free(scene->created);
	free(scene->opened);
	if (by_file)
		return;
	close(scene->creator);
	close(scene->opener);
}

static void test_order(int fd, const int *order, bool by_file)
{
	const struct sd_counts idle = sd_idle_counts(fd);
	struct scene scene;
	struct sd_counts now;

	scene_make(&scene);
	for (int i = 0; i < N_HOLDERS; i++) {
		now = sd_counts(fd);
		igt_assert_eq(now.resources, idle.resources + 1);
		igt_assert_eq(now.kres, idle.kres + 1);
		igt_assert_eq(now.live, idle.live + 3);
		scene_drop(&scene, order[i], by_file);
	}
	sd_wait_counts(fd, &idle);
	scene_end(&scene, by_file);
}

static void test_every_order(int fd, bool by_file)
{
	for (int code = 0; code < N_HOLDERS * N_HOLDERS * N_HOLDERS * N_HOLDERS; code++) {
		const int order[] = { code & 3, code >> 2 & 3, code >> 4 & 3, code >> 6 };
		int seen = 0;

		for (int i = 0; i < N_HOLDERS; i++)
			seen |= 1 << order[i];
		if (seen == (1 << N_HOLDERS) - 1)
			test_order(fd, order, by_file);
	}
}

/* A dma-buf holds the whole resource, also while no file has a handle. */
static void test_dma_buf(int fd)
{
	const struct sd_counts idle = sd_idle_counts(fd);
	int creator = sd_open(), opener = sd_open();
	struct sd_resource *res = sd_resource(creator, SHARED, 16 * PAGE, 3), *opened;
	const uint32_t kres = res->kres;
	int dmabuf = sd_export(creator, res->bos[2].handle);
	struct sd_counts expected = idle;

	free(res);
	close(creator);
	expected.live += 3;
	expected.shared++;
	expected.resources++;
	expected.kres++;
	sd_wait_counts(fd, &expected);
	opened = sd_opened(opener, dmabuf);
	close(dmabuf);
	igt_assert_eq_u32(opened->kres, kres);
	igt_assert_eq_u32(opened->count, 3);
	sd_destroy(opener, opened);
	close(opener);
	sd_wait_counts(fd, &idle);
}

/* A mapping keeps its memory, which has no handle any more. */
static void test_mapping(int fd)
{
	const struct sd_counts idle = sd_idle_counts(fd);
	struct sd_resource *res = sd_resource(fd, 0, 4 * PAGE, 3);
	const struct sd_bo bo = res->bos[1];
	uint32_t *map = sd_map(fd, &bo);

	map[0] = 7;
	sd_destroy(fd, res);
	sd_wait_mapped(fd, &idle);
	igt_assert_eq_u32(map[0], 7);
	sd_unmap(map, &bo);
	sd_wait_counts(fd, &idle);
}

static void test_framebuffer(void)
{
	int fd = sd_open_primary();
	const struct sd_counts idle = sd_idle_counts(fd);
	struct sd_resource *res = sd_resource(fd, SHARED, 64 * 64 * 4, 3);
	uint32_t handles[4] = { res->bos[1].handle }, pitches[4] = { 64 * 4 }, offsets[4] = { 0 },
		fb;
	struct sd_counts expected = idle;

	igt_assert(!drmModeAddFB2(fd, 64, 64, DRM_FORMAT_XRGB8888, handles, pitches, offsets, &fb,
				  0));
	sd_destroy(fd, res);
	expected.live++;
	sd_wait_counts(fd, &expected);
	igt_assert(!drmModeRmFB(fd, fb));
	sd_wait_counts(fd, &idle);
	close(fd);
}

/*
 * If a framebuffer holds the GEM handle, or an equivalent, it keeps the dma-buf of an exported
 * allocation and with that the whole resource; otherwise it keeps its allocation only. Both are
 * valid, but nothing in between.
 */
static void test_exported_framebuffer(void)
{
	int fd = sd_open_primary();
	const struct sd_counts idle = sd_idle_counts(fd);
	struct sd_resource *res = sd_resource(fd, SHARED, 64 * 64 * 4, 3);
	uint32_t handles[4] = { res->bos[1].handle }, pitches[4] = { 64 * 4 }, offsets[4] = { 0 },
		fb;
	struct sd_counts expected = idle, now;

	close(sd_export(fd, res->bos[1].handle));
	igt_assert(!drmModeAddFB2(fd, 64, 64, DRM_FORMAT_XRGB8888, handles, pitches, offsets, &fb,
				  0));
	sd_destroy(fd, res);
	now = sd_counts(fd);
	expected.live++;
	if (now.resources != idle.resources) {
		expected.live += 2;
		expected.shared++;
		expected.resources++;
		expected.kres++;
	}
	sd_wait_counts(fd, &expected);
	igt_info("it keeps %s\n",
		 now.resources != idle.resources ? "the resource" : "the allocation");
	igt_assert(!drmModeRmFB(fd, fb));
	sd_wait_counts(fd, &idle);
	close(fd);
}

/*
 * A GEM handle that another file got from a dma-buf by PRIME. As with every driver it holds the
 * dma-buf, for the next export from that file, and with the dma-buf the resource.
 */
static void test_import(int fd)
{
	const struct sd_counts idle = sd_idle_counts(fd);
	int importer = sd_open(), dmabuf;
	struct sd_resource *res = sd_resource(fd, SHARED, PAGE, 3), *opened;
	const uint32_t kres = res->kres;
	struct sd_counts expected = idle;
	uint32_t handle;

	dmabuf = sd_export(fd, res->bos[1].handle);
	igt_assert(!drmPrimeFDToHandle(importer, dmabuf, &handle));
	close(dmabuf);
	sd_destroy(fd, res);
	expected.live += 3;
	expected.shared++;
	expected.resources++;
	expected.kres++;
	sd_wait_counts(fd, &expected);
	dmabuf = sd_export(importer, handle);
	opened = sd_opened(importer, dmabuf);
	close(dmabuf);
	igt_assert_eq_u32(opened->kres, kres);
	sd_destroy(importer, opened);
	sd_wait_counts(fd, &expected);
	sd_gem_close(importer, handle);
	sd_wait_counts(fd, &idle);
	close(importer);
}

static void test_import_same_file(int fd)
{
	const struct sd_counts idle = sd_idle_counts(fd);
	struct sd_resource *res = sd_resource(fd, SHARED, PAGE, 3);
	int dmabuf = sd_export(fd, res->bos[1].handle);
	uint32_t handle;

	igt_assert(!drmPrimeFDToHandle(fd, dmabuf, &handle));
	igt_assert_eq_u32(handle, res->bos[1].handle);
	close(dmabuf);
	sd_destroy(fd, res);
	sd_wait_counts(fd, &idle);
}

/* PRIVATE allocations have the reservation of their file. */
static void test_job(int fd, bool private)
{
	struct sd_context *ctx = sd_idle_context(fd);
	const struct sd_counts idle = sd_counts(fd);
	struct sd_resource *res = private ? sd_private_resource(fd, PAGE, 3) :
					    sd_resource(fd, 0, PAGE, 3);
	struct sd_gate gate = sd_gate_before(ctx);
	struct sd_counts now;
	uint64_t seqno;

	sd_list(ctx, &res->bos[2], READ);
	seqno = sd_submit(ctx);
	sd_destroy(fd, res);
	now = sd_counts(fd);
	igt_assert_eq(now.live, idle.live);
	igt_assert_eq(now.resources, idle.resources);
	igt_assert_eq(now.kres, idle.kres);
	/* All three have the fence of the job if they are PRIVATE. */
	if (private)
		igt_assert(now.zombie >= idle.zombie + 1);
	else
		igt_assert_eq(now.zombie, idle.zombie + 1);
	sd_gate_lift(&gate);
	sd_wait_seqno(ctx, seqno);
	sd_wait_counts(fd, &idle);
	sd_context_free(ctx);
}

/*
 * A residency list keeps its allocation, not the resource, until the list is destroyed, or its file
 * is closed. No handle names the allocation any more.
 */
static void test_list(int fd, bool private, bool by_file)
{
	const struct sd_counts idle = sd_idle_counts(fd);
	int own = sd_open();
	struct sd_resource *res = private ? sd_private_resource(own, PAGE, 3) :
					    sd_resource(own, SHARED, PAGE, 3);
	const uint32_t list = sd_reslist(own);
	struct sd_counts expected = idle;

	igt_assert_eq(sd_reslist_put_try(own, list, res->bos[1].handle, WRITE), 0);
	sd_destroy(own, res);
	expected.live++;
	sd_wait_counts(fd, &expected);
	if (!by_file)
		igt_assert_eq(sd_reslist_destroy_try(own, list), 0);
	else
		close(own);
	sd_wait_counts(fd, &idle);
	if (!by_file)
		close(own);
}

/*
 * A job keeps the allocations of a destroyed residency list, also PRIVATE ones: see test_job().
 */
static void test_list_job(int fd, bool private)
{
	struct sd_context *ctx = sd_idle_context(fd);
	const struct sd_counts idle = sd_counts(fd);
	struct sd_resource *res = private ? sd_private_resource(fd, PAGE, 3) :
					    sd_resource(fd, 0, PAGE, 3);
	const uint32_t list = sd_reslist(fd);
	struct sd_gate gate = sd_gate_before(ctx);
	struct sd_counts now;
	uint64_t seqno;

	igt_assert_eq(sd_reslist_put_try(fd, list, res->bos[0].handle, READ), 0);
	igt_assert_eq(sd_reslist_submit_try(fd, ctx->id, list, &seqno), 0);
	igt_assert_eq(sd_reslist_destroy_try(fd, list), 0);
	sd_destroy(fd, res);
	now = sd_counts(fd);
	igt_assert_eq(now.live, idle.live);
	igt_assert_eq(now.resources, idle.resources);
	igt_assert_eq(now.kres, idle.kres);
	igt_assert(now.zombie >= idle.zombie + 1);
	sd_gate_lift(&gate);
	sd_wait_seqno(ctx, seqno);
	sd_wait_counts(fd, &idle);
	sd_context_free(ctx);
}

igt_main()
{
	static int fd = -1;

	igt_fixture()
		fd = sd_open();

	igt_describe("RESOURCE_DESTROY invalidates the resource's id and all its handles at once.");
	igt_subtest("names-are-dead-at-once")
		test_dead_at_once(fd);

	igt_describe("RESOURCE_DESTROY of an unknown id, or of another file's id, fails with "
		     "ENOENT.");
	igt_subtest("unknown-ids-are-refused")
		test_unknown(fd);

	igt_describe("A resource lives until the last of two ids and two dma-bufs is released, in "
		     "every order.");
	igt_subtest("every-order-by-destroy")
		test_every_order(fd, false);

	igt_describe("A resource lives until the last of two files and two dma-bufs is closed, in "
		     "every order.");
	igt_subtest("every-order-by-close")
		test_every_order(fd, true);

	igt_describe("A dma-buf of one allocation keeps the whole shared resource.");
	igt_subtest("dma-buf-keeps-the-resource")
		test_dma_buf(fd);

	igt_describe("A mapping keeps its own allocation only.");
	igt_subtest("mapping-keeps-its-allocation-only")
		test_mapping(fd);

	igt_describe("A framebuffer keeps its own allocation only.");
	igt_subtest("framebuffer-keeps-its-allocation-only")
		test_framebuffer();

	igt_describe("A framebuffer of an exported allocation keeps either the whole resource or "
		     "that allocation only.");
	igt_subtest("framebuffer-of-what-was-exported")
		test_exported_framebuffer();

	igt_describe("An imported handle keeps its dma-buf, and with it the whole resource.");
	igt_subtest("import-keeps-its-dma-buf")
		test_import(fd);

	igt_describe("Importing a dma-buf into the file that exported it returns the existing "
		     "handle.");
	igt_subtest("import-into-the-same-file")
		test_import_same_file(fd);

	igt_describe("A residency list keeps its own allocation only.");
	igt_subtest("residency-list-keeps-its-allocation-only")
		test_list(fd, false, false);

	igt_describe("A residency list keeps its own allocation only, also a PRIVATE one.");
	igt_subtest("residency-list-keeps-its-private-allocation-only")
		test_list(fd, true, false);

	igt_describe("Closing a file frees its residency lists and the allocations on them.");
	igt_subtest("residency-list-ends-with-its-file") {
		test_list(fd, false, true);
		test_list(fd, true, true);
	}

	igt_fixture() {
		close(fd);
		fd = sd_open_renderer();
	}

	igt_describe("After RESOURCE_DESTROY a queued submission keeps only the allocation that it "
		     "lists, until it is done.");
	igt_subtest("job-keeps-its-allocation-only")
		test_job(fd, false);

	igt_describe("After RESOURCE_DESTROY a queued submission keeps the PRIVATE allocation that "
		     "it lists, until it is done.");
	igt_subtest("job-keeps-its-private-allocation-only")
		test_job(fd, true);

	igt_describe("A queued submission keeps the allocations of its residency list after the "
		     "list was destroyed.");
	igt_subtest("job-keeps-what-its-list-brought") {
		test_list_job(fd, false);
		test_list_job(fd, true);
	}

	igt_fixture()
		close(fd);
}
