// SPDX-License-Identifier: MIT
/*
 * Lists that DEALLOC rejects: an allocation in them does not belong to the caller, or to the
 * resource. DEALLOC frees all allocations of the list or none.
 */
#include "sundog_test.h"

#include <unistd.h>

#include <xf86drm.h>

IGT_TEST_DESCRIPTION("Errors of DEALLOC");

/* Two resources, an opened resource and two allocations of the file: none of them may get lost. */
struct scene {
	int fd, other;
	struct sd_resource *a, *b, *shared;
	struct sd_bo bos[2];
	struct sd_counts counts;
};

static void scene_make(struct scene *scene, int fd)
{
	scene->fd = fd;
	scene->other = sd_open();
	scene->a = sd_resource(fd, 0, PAGE, 3);
	scene->b = sd_resource(fd, 0, PAGE, 1);
	scene->shared = sd_resource(fd, SHARED, PAGE, 2);
	scene->bos[0] = sd_alloc(fd, PAGE);
	scene->bos[1] = sd_alloc(fd, PAGE);
	scene->counts = sd_idle_counts(fd);
}

static void check_handle(const struct scene *scene, const struct sd_bo *bo, uint32_t kres)
{
	struct drm_sundog_alloc_info info;

	igt_assert_eq(sd_info_try(scene->fd, bo->handle, &info), 0);
	igt_assert_eq_u32(info.device_handle, bo->device_handle);
	igt_assert_eq_u32(info.kres, kres);
	igt_assert_eq_u32(info.index, bo->index);
}

static void scene_check(struct scene *scene)
{
	sd_wait_counts(scene->fd, &scene->counts);
	for (int i = 0; i < 3; i++)
		check_handle(scene, &scene->a->bos[i], scene->a->kres);
	check_handle(scene, &scene->b->bos[0], scene->b->kres);
	for (int i = 0; i < 2; i++) {
		check_handle(scene, &scene->shared->bos[i], scene->shared->kres);
		check_handle(scene, &scene->bos[i], 0);
	}
}

/* Checks that DEALLOC fails with @error, and that all objects are still there. */
static void refuse(struct scene *scene, uint64_t res, uint32_t first, uint32_t second,
		   uint32_t third, int error)
{
	const uint32_t handles[] = { first, second, third };

	igt_assert_eq(sd_dealloc_try(scene->fd, res, handles, 3), error);
	scene_check(scene);
}

static void scene_end(struct scene *scene)
{
	sd_dealloc(scene->fd, &scene->bos[0]);
	sd_dealloc(scene->fd, &scene->bos[1]);
	igt_assert_eq(sd_remove_try(scene->fd, scene->a, 0, 3), 0);
	sd_destroy(scene->fd, scene->a);
	sd_destroy(scene->fd, scene->b);
	sd_destroy(scene->fd, scene->shared);
	close(scene->other);
}

static void owned_without_resource(struct scene *scene)
{
	const uint32_t one = scene->bos[0].handle, two = scene->bos[1].handle;
	const uint32_t owned = scene->a->bos[1].handle, shared = scene->shared->bos[0].handle;

	refuse(scene, 0, owned, one, two, -EINVAL);
	refuse(scene, 0, one, owned, two, -EINVAL);
	refuse(scene, 0, one, two, owned, -EINVAL);
	refuse(scene, 0, one, two, shared, -EINVAL);
	igt_assert_eq(sd_remove_try(scene->fd, &(struct sd_resource){ .bos = { scene->b->bos[0] } },
				    0, 1), -EINVAL);
	scene_check(scene);
}

static void others_of_resource(struct scene *scene)
{
	const uint32_t one = scene->a->bos[0].handle, two = scene->a->bos[1].handle;
	const uint64_t res = scene->a->res;

	refuse(scene, res, one, two, scene->b->bos[0].handle, -EINVAL);
	refuse(scene, res, scene->shared->bos[0].handle, one, two, -EINVAL);
	refuse(scene, res, one, scene->bos[0].handle, two, -EINVAL);
}

static void shared_resource(struct scene *scene)
{
	const uint32_t handles[] = { scene->shared->bos[0].handle, scene->shared->bos[1].handle };

	igt_assert_eq(sd_dealloc_try(scene->fd, scene->shared->res, handles, 2), -EBUSY);
	scene_check(scene);
}

static void unknown_handles(struct scene *scene)
{
	const uint32_t one = scene->bos[0].handle, two = scene->bos[1].handle;
	const uint32_t mine = scene->a->bos[0].handle, next = scene->a->bos[1].handle;

	refuse(scene, 0, one, two, 0, -ENOENT);
	refuse(scene, 0, one, two, 0x7ffffff0, -ENOENT);
	refuse(scene, scene->a->res, mine, next, 0x7ffffff0, -ENOENT);
	refuse(scene, scene->a->res + 1000, mine, next, scene->a->bos[2].handle, -ENOENT);
}

static void twice(struct scene *scene)
{
	const uint32_t one = scene->bos[0].handle, mine = scene->a->bos[0].handle;

	refuse(scene, 0, one, scene->bos[1].handle, one, -EINVAL);
	refuse(scene, scene->a->res, mine, scene->a->bos[1].handle, mine, -EINVAL);
}

/* Ids and handles of another file are invalid, even if the numbers are right. */
static void other_file(struct scene *scene)
{
	const uint32_t handles[] = { scene->a->bos[0].handle };

	igt_assert_eq(sd_dealloc_try(scene->other, scene->a->res, handles, 1), -ENOENT);
	igt_assert_eq(sd_dealloc_try(scene->other, 0, handles, 1), -ENOENT);
	scene_check(scene);
}

/* A handle of an allocation that a resource owns counts as owned in other files, too. */
static void import_of_owned(struct scene *scene)
{
	int dmabuf = sd_export(scene->fd, scene->shared->bos[0].handle);
	uint32_t handle;

	igt_assert_eq(drmPrimeFDToHandle(scene->other, dmabuf, &handle), 0);
	close(dmabuf);
	igt_assert_eq(sd_dealloc_try(scene->other, 0, &handle, 1), -EINVAL);
	sd_gem_close(scene->other, handle);
	/* The dma-buf stays with the object for the next export. */
	scene->counts.shared++;
	scene_check(scene);
}

static void test(int fd, void (*what)(struct scene *scene))
{
	const struct sd_counts idle = sd_idle_counts(fd);
	struct scene scene;

	scene_make(&scene, fd);
	what(&scene);
	scene_end(&scene);
	sd_wait_counts(fd, &idle);
}

/*
 * On Windows a rejected call would leak; here the close of the file frees the allocations all the
 * same.
 */
static void test_no_leak(int fd)
{
	const struct sd_counts idle = sd_idle_counts(fd);
	int other = sd_open();
	struct sd_resource *res = sd_resource(other, 0, PAGE, 10);
	uint32_t handles[10];

	for (int i = 0; i < 10; i++)
		handles[i] = res->bos[i].handle;
	igt_assert_eq(sd_dealloc_try(other, 0, handles, 10), -EINVAL);
	free(res);
	close(other);
	sd_wait_counts(fd, &idle);
}

static void test_never_associated(int fd, uint32_t flags)
{
	const struct sd_counts idle = sd_idle_counts(fd);
	struct sd_resource *res = sd_resource(fd, flags, PAGE, 0);
	struct sd_bo bo = sd_alloc(fd, PAGE);

	sd_destroy(fd, res);
	sd_dealloc(fd, &bo);
	sd_wait_counts(fd, &idle);
}

/* After a resource has released an allocation, only the files with a handle own it. */
static void test_after_release(int fd)
{
	const struct sd_counts idle = sd_idle_counts(fd);
	struct sd_resource *res = sd_resource(fd, 0, PAGE, 1);
	int other = sd_open(), dmabuf = sd_export(fd, res->bos[0].handle);
	uint32_t handle;

	igt_assert_eq(drmPrimeFDToHandle(other, dmabuf, &handle), 0);
	close(dmabuf);
	igt_assert_eq(sd_dealloc_try(other, 0, &handle, 1), -EINVAL);
	igt_assert_eq(sd_remove_try(fd, res, 0, 1), 0);
	igt_assert_eq(sd_dealloc_try(other, 0, &handle, 1), 0);
	sd_destroy(fd, res);
	close(other);
	sd_wait_counts(fd, &idle);
}

igt_main()
{
	static const struct {
		const char *name, *description;
		void (*test)(struct scene *scene);
	} tests[] = {
		{ "owned-needs-its-resource",
		  "DEALLOC without a resource rejects a list with an allocation that a resource "
		  "owns.", owned_without_resource },
		{ "only-the-resources-own",
		  "DEALLOC of a resource rejects a list with an allocation that does not belong to "
		  "the resource.", others_of_resource },
		{ "shared-is-sealed",
		  "DEALLOC of all allocations of a shared resource fails with EBUSY.",
		  shared_resource },
		{ "unknown-handles",
		  "DEALLOC rejects a list with an unknown handle, and an unknown resource.",
		  unknown_handles },
		{ "each-handle-once", "DEALLOC rejects a list that contains a handle twice.",
		  twice },
		{ "not-another-files", "DEALLOC rejects resource ids and handles of another file.",
		  other_file },
		{ "import-of-owned",
		  "DEALLOC rejects an imported handle of an allocation that a resource owns.",
		  import_of_owned },
	};
	static int fd = -1;

	igt_fixture()
		fd = sd_open();

	for (unsigned int i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		igt_describe(tests[i].description);
		igt_subtest(tests[i].name)
			test(fd, tests[i].test);
	}

	igt_describe("Closing a file frees allocations whose DEALLOC was rejected.");
	igt_subtest("refused-does-not-leak")
		test_no_leak(fd);

	igt_describe("An unshared resource that never had an allocation can be destroyed.");
	igt_subtest("unshared-never-associated")
		test_never_associated(fd, 0);

	igt_describe("A shared resource that never had an allocation can be destroyed.");
	igt_subtest("shared-never-associated")
		test_never_associated(fd, SHARED);

	igt_describe("DEALLOC accepts an imported handle after the resource has released the "
		     "allocation.");
	igt_subtest("import-of-released")
		test_after_release(fd);

	igt_fixture()
		close(fd);
}
