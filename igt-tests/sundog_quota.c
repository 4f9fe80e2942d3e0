// SPDX-License-Identifier: MIT
/*
 * Limits on the objects, memory and contexts of a file and of a user. Each test sets small limits
 * and restores the old ones afterwards.
 */
#include "sundog_gate.h"
#include "sundog_parameter.h"
#include "sundog_share.h"

#include <fcntl.h>
#include <glob.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xf86drm.h>

IGT_TEST_DESCRIPTION("Quotas of files and users");

/* A user without other files. */
#define USER 4711

/* Opens a new file as that user. */
static int open_as_user(int (*open_node)(void))
{
	glob_t nodes;
	int fd;

	igt_assert(!glob("/dev/dri/[cr]*", 0, NULL, &nodes));
	for (size_t i = 0; i < nodes.gl_pathc; i++)
		igt_assert(!chmod(nodes.gl_pathv[i], 0666));
	globfree(&nodes);
	setfsuid(USER);
	fd = open_node();
	setfsuid(0);
	return fd;
}

static struct sd_parameter max_contexts = SD_PARAMETER("max_contexts");
static struct sd_parameter max_objects = SD_PARAMETER("max_objects");
static struct sd_parameter max_memory = SD_PARAMETER("max_memory");

static void unlimit(void)
{
	sd_parameter_restore(&max_contexts);
	sd_parameter_restore(&max_objects);
	sd_parameter_restore(&max_memory);
}

static int create_try(int fd, uint64_t *res)
{
	struct drm_sundog_resource_create args = { 0 };
	int ret = sd_try(fd, DRM_IOCTL_SUNDOG_RESOURCE_CREATE, &args);

	*res = args.res;
	return ret;
}

static int dumb_try(int fd)
{
	struct drm_mode_create_dumb args = { .width = 32, .height = 32, .bpp = 32 };

	return sd_try(fd, DRM_IOCTL_MODE_CREATE_DUMB, &args);
}

/* Two files of a user, with limits of four objects per file and six per user. */
static void try_objects(int a, int b)
{
	const uint64_t sizes[] = { PAGE, PAGE, PAGE, PAGE, PAGE };
	struct sd_bo bos[5], more;
	uint64_t res, resources[2];

	igt_assert_eq(sd_alloc_try(a, 0, sizes, 5, bos), -EDQUOT);
	igt_assert_eq(sd_alloc_try(a, 0, sizes, 4, bos), 0);
	igt_assert_eq(sd_alloc_try(a, 0, sizes, 1, &more), -EDQUOT);
	igt_assert_eq(create_try(a, &res), -EDQUOT);
	igt_assert_eq(create_try(b, &resources[0]), 0);
	igt_assert_eq(create_try(b, &resources[1]), 0);
	igt_assert_eq(create_try(b, &res), -EDQUOT);
	igt_assert_eq(sd_alloc_try(b, 0, sizes, 1, &more), -EDQUOT);
	igt_assert_eq(sd_destroy_try(b, resources[0]), 0);
	igt_assert_eq(sd_alloc_try(b, resources[1], sizes, 1, &more), 0);
	igt_assert_eq(sd_destroy_try(b, resources[1]), 0);
	for (int i = 0; i < 4; i++)
		sd_dealloc(a, &bos[i]);
	igt_assert_eq(sd_alloc_try(a, 0, sizes, 4, bos), 0);
}

static void test_objects(void)
{
	int a = open_as_user(sd_open), b = open_as_user(sd_open);

	sd_parameter_set(&max_objects, "4,6");
	try_objects(a, b);
	unlimit();
	close(a);
	close(b);
}

static void test_memory(void)
{
	int fd = open_as_user(sd_open), primary = open_as_user(sd_open_primary);
	const uint64_t vram = sd_param(fd, DRM_SUNDOG_PARAM_VRAM_SIZE);
	const uint64_t half = vram / 2 / PAGE * PAGE, page = PAGE;
	struct sd_bo bo, more;

	sd_parameter_set(&max_memory, "50,50");
	igt_assert_eq(sd_alloc_try(fd, 0, &half, 1, &bo), 0);
	igt_assert_eq(sd_alloc_try(fd, 0, &page, 1, &more), -EDQUOT);
	igt_assert_eq(dumb_try(primary), -EDQUOT);
	sd_dealloc(fd, &bo);
	igt_assert_eq(sd_alloc_try(fd, 0, &page, 1, &more), 0);
	igt_assert_eq(dumb_try(primary), 0);
	unlimit();
	close(primary);
	close(fd);
}

/*
 * Tries to allocate with limits of one VRAM per file and one and a half per user, of which another
 * file uses one already.
 */
static void ask_for_too_much(void)
{
	const int fd = open_as_user(sd_open);
	const uint64_t much = sd_param(fd, DRM_SUNDOG_PARAM_VRAM_SIZE) / 8 * 7 / PAGE * PAGE;
	struct sd_bo bo;

	for (;;)
		igt_assert_eq(sd_alloc_try(fd, 0, &much, 1, &bo), -EDQUOT);
}

static void test_refused(void)
{
	const int fd = open_as_user(sd_open), other = open_as_user(sd_open);
	const uint64_t page = PAGE, vram = sd_param(fd, DRM_SUNDOG_PARAM_VRAM_SIZE) / PAGE * PAGE;
	struct sd_bo bo;
	pid_t child;

	sd_parameter_set(&max_memory, "100,150");
	igt_assert_eq(sd_alloc_try(other, 0, &vram, 1, &bo), 0);
	child = sd_start_child(ask_for_too_much);
	for (int i = 0; i < 20000; i++) {
		igt_assert_eq(sd_alloc_try(fd, 0, &page, 1, &bo), 0);
		sd_dealloc(fd, &bo);
	}
	sd_kill_child(child);
	unlimit();
	close(other);
	close(fd);
}

/*
 * Creates a resource with @n allocations; the private data of allocation @bad is an invalid
 * pointer.
 */
static int create_with(int fd, uint32_t n, uint32_t bad, uint64_t *res)
{
	struct drm_sundog_alloc_desc descs[8] = { 0 };
	struct drm_sundog_resource_create args = {
		.allocs = (uintptr_t)descs,
		.n_allocs = n,
		.alloc_stride = sizeof(descs[0]),
	};
	int ret;

	for (uint32_t i = 0; i < n; i++) {
		descs[i].size = PAGE;
		descs[i].priv = i == bad ? 1 : 0;
		descs[i].priv_size = i == bad ? 8 : 0;
	}
	ret = sd_try(fd, DRM_IOCTL_SUNDOG_RESOURCE_CREATE, &args);
	*res = args.res;
	return ret;
}

/* Each open adds a handle for each allocation, which takes memory and counts as an object. */
static void test_opens(void)
{
	int fd = sd_open(), other = open_as_user(sd_open);
	struct sd_resource *res = sd_resource(fd, SHARED, PAGE, 3),
		*opened = calloc(2, sizeof(*opened));
	int dma_buf = sd_export(fd, res->bos[0].handle);
	uint32_t index;

	sd_parameter_set(&max_objects, "7,7");
	for (int i = 0; i < sd_rounds(5, 20); i++) {
		igt_assert_eq(sd_open_try(other, dma_buf, &opened[0], &index), 0);
		igt_assert_eq(sd_open_try(other, dma_buf, &opened[1], &index), -EDQUOT);
		igt_assert_eq(sd_destroy_try(other, opened[0].res), 0);
	}
	unlimit();
	igt_assert_eq(sd_open_try(other, dma_buf, &opened[0], &index), 0);
	igt_assert_eq(sd_open_try(other, dma_buf, &opened[1], &index), 0);
	sd_parameter_set(&max_objects, "8,8");
	igt_assert_eq(sd_destroy_try(other, opened[1].res), 0);
	igt_assert_eq(sd_open_try(other, dma_buf, &opened[1], &index), 0);
	unlimit();
	close(other);
	close(dma_buf);
	sd_destroy(fd, res);
	free(opened);
	close(fd);
}

/* RESLIST_UPDATE with one element for each of @n allocations. */
static int list_try(int fd, uint32_t reslist, const struct sd_bo *bos, uint32_t n, uint32_t flags)
{
	struct drm_sundog_submit_alloc allocs[4];
	struct drm_sundog_reslist_update args = {
		.allocs = (uintptr_t)allocs,
		.n_allocs = n,
		.alloc_stride = sizeof(allocs[0]),
		.reslist = reslist,
	};

	for (uint32_t i = 0; i < n; i++)
		allocs[i] = (struct drm_sundog_submit_alloc){ bos[i].handle, flags };
	return sd_try(fd, DRM_IOCTL_SUNDOG_RESLIST_UPDATE, &args);
}

/*
 * Each entry of a residency list takes memory and counts as an object, until it is taken off or the
 * list ends. An update that fails counts nothing.
 */
static void test_list_entries(void)
{
	const uint64_t sizes[] = { PAGE, PAGE, PAGE };
	const int fd = open_as_user(sd_open);
	struct drm_sundog_reslist_create lists[2] = { 0 };
	struct drm_sundog_reslist_destroy destroy = { 0 };
	struct sd_bo bos[3], more;

	igt_assert_eq(sd_alloc_try(fd, 0, sizes, 3, bos), 0);
	sd_ioctl(fd, DRM_IOCTL_SUNDOG_RESLIST_CREATE, &lists[0]);
	sd_ioctl(fd, DRM_IOCTL_SUNDOG_RESLIST_CREATE, &lists[1]);
	sd_parameter_set(&max_objects, "8,8");
	for (int i = 0; i < sd_rounds(5, 20); i++) {
		igt_assert_eq(list_try(fd, lists[0].reslist, bos, 3, READ), 0);
		igt_assert_eq(list_try(fd, lists[1].reslist, bos, 1, READ), -EDQUOT);
		igt_assert_eq(sd_alloc_try(fd, 0, sizes, 1, &more), -EDQUOT);
		igt_assert_eq(list_try(fd, lists[0].reslist, bos, 3, WRITE), 0);
		igt_assert_eq(list_try(fd, lists[0].reslist, bos, 1, 0), 0);
		igt_assert_eq(list_try(fd, lists[1].reslist, bos, 2, READ), -EDQUOT);
		igt_assert_eq(list_try(fd, lists[1].reslist, bos, 1, READ), 0);
		igt_assert_eq(list_try(fd, lists[1].reslist, bos, 1, 0), 0);
		igt_assert_eq(list_try(fd, lists[0].reslist, bos, 1, READ), 0);
	}
	destroy.reslist = lists[0].reslist;
	sd_ioctl(fd, DRM_IOCTL_SUNDOG_RESLIST_DESTROY, &destroy);
	igt_assert_eq(list_try(fd, lists[1].reslist, bos, 3, READ), 0);
	unlimit();
	close(fd);
}

/* Imports a page of vgem, which takes one map of the device. */
static int import_page_try(int fd, int vgem)
{
	struct drm_mode_create_dumb args = { .width = 32, .height = 32, .bpp = 32 };
	uint32_t handle;
	int dma_buf, ret;

	sd_ioctl(vgem, DRM_IOCTL_MODE_CREATE_DUMB, &args);
	dma_buf = sd_export(vgem, args.handle);
	sd_gem_close(vgem, args.handle);
	ret = sd_import_try(fd, dma_buf, &handle);
	close(dma_buf);
	return ret;
}

/* One user cannot take all maps of the device. */
static void test_maps(void)
{
	const int before = sd_count_dma_bufs(), vgem = sd_open_vgem(), stranger = sd_open();
	const int a = open_as_user(sd_open), b = open_as_user(sd_open);
	int n_a = 0, n_b = 0, ret;

	sd_require_guest_heap(stranger);
	while (!(ret = import_page_try(a, vgem)))
		n_a++;
	igt_assert_eq(ret, -EDQUOT);
	igt_assert_eq(n_a, SUNDOG_MAX_GUEST_MAPS / 2);
	while (!(ret = import_page_try(b, vgem)))
		n_b++;
	igt_assert_eq(ret, -EDQUOT);
	igt_assert_eq(n_b, SUNDOG_MAX_GUEST_MAPS / 4);
	igt_assert_eq(import_page_try(stranger, vgem), 0);
	close(a);
	close(stranger);
	sd_wait_dma_bufs(before + n_b);
	igt_assert_eq(import_page_try(b, vgem), 0);
	close(b);
	close(vgem);
	sd_wait_dma_bufs(before);
}

/* A call gets all objects that it asks for or none, and a failed call is not counted. */
static void test_together(void)
{
	int fd = open_as_user(sd_open);
	uint64_t res, more;

	sd_parameter_set(&max_objects, "5,5");
	for (int i = 0; i < sd_rounds(5, 20); i++) {
		igt_assert_eq(create_with(fd, 5, 8, &res), -EDQUOT);
		igt_assert_eq(create_with(fd, 4, i % 4, &res), -EFAULT);
		igt_assert_eq(create_with(fd, 4, 8, &res), 0);
		igt_assert_eq(create_try(fd, &more), -EDQUOT);
		igt_assert_eq(sd_destroy_try(fd, res), 0);
	}
	unlimit();
	close(fd);
}

/* Closing a file returns its whole charge, also for the objects that it did not free. */
static void test_close(void)
{
	const uint64_t sizes[] = { PAGE, PAGE, PAGE, PAGE };
	struct sd_bo bos[4];

	sd_parameter_set(&max_objects, "4,4");
	for (int i = 0; i < sd_rounds(15, 50); i++) {
		int fd = open_as_user(sd_open);

		igt_assert_eq(sd_alloc_try(fd, 0, sizes, 4, bos), 0);
		close(fd);
	}
	unlimit();
}

/*
 * A context keeps its channel while it has jobs, even if it is destroyed or its file is closed. A
 * client at its limit gets another context when those jobs are done, and no sooner.
 */
static void test_contexts(void)
{
	int a = sd_open_renderer(), b = sd_open(), ret;
	struct sd_gate gate;
	uint64_t offset;
	uint32_t id, first = 0;

	sd_wait_idle(a);
	gate = sd_gate();
	sd_parameter_set(&max_contexts, "2,2");
	while (!(ret = sd_context_try(a, &id, &offset))) {
		sd_submit_after(a, id, gate.sync_file);
		first = first ?: id;
	}
	igt_assert_eq(ret, -EBUSY);
	igt_assert_eq(sd_context_destroy_try(a, first), 0);
	close(a);
	sd_gate_lift_later(&gate);
	igt_assert_eq(sd_context_try(b, &id, &offset), 0);
	igt_assert(sd_is_ready(gate.sync_file, POLLIN, 0));
	sd_gate_join(&gate);
	unlimit();
	close(b);
}

/* The driver rejects limits that no device could reach, since they would overflow its counters. */
static void test_bounds(void)
{
	igt_assert(sd_parameter_refused(&max_objects, "4194305,4194305"));
	igt_assert(sd_parameter_refused(&max_memory, "10001,10001"));
	igt_assert(sd_parameter_refused(&max_memory, "-1,-1"));
}

igt_main()
{
	igt_fixture()
		close(sd_open());

	igt_describe("ALLOC and RESOURCE_CREATE beyond max_objects of a file or a user fail with "
		     "EDQUOT.");
	igt_subtest("objects")
		test_objects();

	igt_describe("ALLOC and dumb buffers beyond max_memory fail with EDQUOT, until memory is "
		     "freed.");
	igt_subtest("memory")
		test_memory();

	igt_describe("An ALLOC that fails with EDQUOT never takes memory from the quota of the "
		     "user's other files.");
	igt_subtest("refused-meanwhile")
		test_refused();

	igt_describe("A resource and its allocations are charged together, and a failed call "
		     "charges nothing.");
	igt_subtest("together")
		test_together();

	igt_describe("Contexts that were destroyed, or whose file was closed, count against the "
		     "quota while their jobs wait.");
	igt_subtest("contexts-given-up")
		test_contexts();

	igt_describe("RESOURCE_OPEN charges the opener for each handle, and fails with EDQUOT "
		     "beyond max_objects.");
	igt_subtest("opens")
		test_opens();

	igt_describe("Each entry of a residency list counts as an object while it is on the list.");
	igt_subtest("list-entries")
		test_list_entries();

	igt_describe("Imports beyond max_maps of a file or a user fail with EDQUOT, and another "
		     "user can still import.");
	igt_subtest("maps")
		test_maps();

	igt_describe("The parameters reject limits that would overflow the driver's counters.");
	igt_subtest("bounds")
		test_bounds();

	igt_describe("Closing a file returns its objects to the user's quota.");
	igt_subtest("close-gives-back")
		test_close();

	/* A subtest that failed may have left its limits. */
	igt_fixture()
		unlimit();
}
