// SPDX-License-Identifier: MIT
/*
 * Bad arguments to every ioctl: unknown flags, padding that is not zero, ids and handles that do
 * not exist, invalid pointers, strides and counts that overflow. The driver rejects each with the
 * right error, and nothing changes.
 */
#include "sundog_test.h"

#include <unistd.h>

#include <xf86drm.h>

IGT_TEST_DESCRIPTION("Bad arguments to every ioctl");

#define NOWHERE 0x10
#define KERNEL_SPACE 0xffff888000000000ull
#define NO_HANDLE 0x7ffffff0

/* The objects that the bad calls name. All must exist, unchanged, afterwards. */
struct scene {
	int fd;
	uint64_t vram_free;
	struct sd_bo bo;
	struct sd_resource *res;
	struct sd_context *ctx;		/* NULL without a renderer */
};

static struct scene scene_new(int fd)
{
	struct scene scene = {
		.fd = fd,
		.bo = sd_alloc(fd, PAGE),
		.res = sd_resource(fd, 0, PAGE, 2),
	};

	scene.vram_free = sd_vram_free(fd);
	return scene;
}

static void scene_check(struct scene *scene)
{
	struct drm_sundog_alloc_info info;

	sd_wait_vram_free(scene->fd, scene->vram_free);
	igt_assert_eq(sd_info_try(scene->fd, scene->bo.handle, &info), 0);
	igt_assert_eq(sd_info_try(scene->fd, scene->res->bos[0].handle, &info), 0);
	igt_assert_eq(sd_info_try(scene->fd, scene->res->bos[1].handle, &info), 0);
	if (scene->ctx)
		sd_run(scene->ctx);
}

static void scene_free(struct scene *scene)
{
	scene_check(scene);
	sd_dealloc(scene->fd, &scene->bo);
	sd_destroy(scene->fd, scene->res);
	if (scene->ctx)
		sd_context_free(scene->ctx);
}

/* Checks that @request fails with @error for a copy of @args with @field set to @value. */
#define refuse(fd, request, args, field, value, error) \
	do { \
		__typeof__(args) changed = (args); \
		changed.field = (value); \
		igt_assert_f(sd_try(fd, request, &changed) == (error), \
			     "%s = %#llx: not %s\n", #field, (unsigned long long)(value), #error); \
	} while (0)

static void test_get_param(int fd)
{
	struct drm_sundog_get_param good = { .param = DRM_SUNDOG_PARAM_VRAM_SIZE };

	refuse(fd, DRM_IOCTL_SUNDOG_GET_PARAM, good, pad, 1, -EINVAL);
	refuse(fd, DRM_IOCTL_SUNDOG_GET_PARAM, good, param, 0x80000000, -EINVAL);
}

static void test_get_caps(int fd)
{
	struct sundog_caps caps;
	struct drm_sundog_get_caps good = { .data = (uintptr_t)&caps, .size = sizeof(caps) };

	refuse(fd, DRM_IOCTL_SUNDOG_GET_CAPS, good, version, 1, -EINVAL);
	refuse(fd, DRM_IOCTL_SUNDOG_GET_CAPS, good, data, NOWHERE, -EFAULT);
	refuse(fd, DRM_IOCTL_SUNDOG_GET_CAPS, good, data, KERNEL_SPACE, -EFAULT);
	refuse(fd, DRM_IOCTL_SUNDOG_GET_CAPS, good, data, 0, -EFAULT);
}

static void test_context(struct scene *scene)
{
	struct drm_sundog_context_create create = { 0 };
	struct drm_sundog_context_destroy destroy = { .ctx = scene->ctx->id };
	struct drm_sundog_context_query query = { .ctx = scene->ctx->id };
	const int fd = scene->fd;

	refuse(fd, DRM_IOCTL_SUNDOG_CONTEXT_CREATE, create, flags, 1, -EINVAL);
	refuse(fd, DRM_IOCTL_SUNDOG_CONTEXT_CREATE, create, flags, 0x80000000, -EINVAL);
	refuse(fd, DRM_IOCTL_SUNDOG_CONTEXT_DESTROY, destroy, pad, 1, -EINVAL);
	refuse(fd, DRM_IOCTL_SUNDOG_CONTEXT_DESTROY, destroy, ctx, 0, -ENOENT);
	refuse(fd, DRM_IOCTL_SUNDOG_CONTEXT_DESTROY, destroy, ctx, UINT32_MAX, -ENOENT);
	refuse(fd, DRM_IOCTL_SUNDOG_CONTEXT_QUERY, query, pad, 1, -EINVAL);
	refuse(fd, DRM_IOCTL_SUNDOG_CONTEXT_QUERY, query, flags, 1, -EINVAL);
	refuse(fd, DRM_IOCTL_SUNDOG_CONTEXT_QUERY, query, flags, 0x80000000, -EINVAL);
	refuse(fd, DRM_IOCTL_SUNDOG_CONTEXT_QUERY, query, ctx, UINT32_MAX, -ENOENT);
}

static void test_resource_create(struct scene *scene)
{
	const unsigned long request = DRM_IOCTL_SUNDOG_RESOURCE_CREATE;
	struct drm_sundog_alloc_desc descs[2] = { { .size = PAGE }, { .size = PAGE } };
	static char priv[DRM_SUNDOG_MAX_PRIVATE + 1];
	struct drm_sundog_resource_create good = {
		.allocs = (uintptr_t)descs,
		.n_allocs = 2,
		.alloc_stride = sizeof(descs[0]),
		.priv = (uintptr_t)priv,
		.priv_size = 8,
	};
	const int fd = scene->fd;

	refuse(fd, request, good, flags, 2, -EINVAL);
	refuse(fd, request, good, flags, 0x80000001, -EINVAL);
	refuse(fd, request, good, pad, 1, -EINVAL);
	refuse(fd, request, good, allocs, NOWHERE, -EFAULT);
	refuse(fd, request, good, allocs, KERNEL_SPACE, -EFAULT);
	refuse(fd, request, good, allocs, 0, -EFAULT);
	refuse(fd, request, good, n_allocs, DRM_SUNDOG_MAX_ALLOCS + 1, -EINVAL);
	refuse(fd, request, good, n_allocs, UINT32_MAX, -EINVAL);
	refuse(fd, request, good, alloc_stride, 0, -EINVAL);
	refuse(fd, request, good, alloc_stride, sizeof(descs[0]) - 8, -EINVAL);
	refuse(fd, request, good, priv, NOWHERE, -EFAULT);
	refuse(fd, request, good, priv, KERNEL_SPACE, -EFAULT);
	refuse(fd, request, good, priv_size, sizeof(priv), -EINVAL);
	refuse(fd, request, good, priv_size, UINT32_MAX, -EINVAL);
}

/* The second element is the bad one, so that the driver has to undo the first. */
static void try_descs(int fd, unsigned long request, void *args,
		      struct drm_sundog_alloc_desc *descs)
{
	struct drm_sundog_alloc_desc good = { .size = PAGE };
	const struct {
		struct drm_sundog_alloc_desc desc;
		int error;
	} bad[] = {
		{ { .size = 0 }, -EINVAL },
		{ { .size = UINT64_MAX }, -ENOSPC },
		{ { .size = PAGE, .flags = 2 }, -EINVAL },
		{ { .size = PAGE, .flags = 0x80000000 }, -EINVAL },
		{ { .size = PAGE, .pad = 1 }, -EINVAL },
		{ { .size = PAGE, .priv = NOWHERE, .priv_size = 8 }, -EFAULT },
		{ { .size = PAGE, .priv = KERNEL_SPACE, .priv_size = 8 }, -EFAULT },
		{ { .size = PAGE, .priv_size = DRM_SUNDOG_MAX_PRIVATE + 1 }, -EINVAL },
		{ { .size = PAGE, .priv_size = UINT32_MAX }, -EINVAL },
	};

	for (unsigned int i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		descs[0] = good;
		descs[1] = bad[i].desc;
		igt_assert_f(sd_try(fd, request, args) == bad[i].error, "element %u\n", i);
	}
}

static void test_descs(struct scene *scene)
{
	struct drm_sundog_alloc_desc descs[2];
	struct drm_sundog_resource_create create = {
		.allocs = (uintptr_t)descs,
		.n_allocs = 2,
		.alloc_stride = sizeof(descs[0]),
	};
	struct drm_sundog_alloc alloc = {
		.allocs = (uintptr_t)descs,
		.n_allocs = 2,
		.alloc_stride = sizeof(descs[0]),
	};

	try_descs(scene->fd, DRM_IOCTL_SUNDOG_RESOURCE_CREATE, &create, descs);
	try_descs(scene->fd, DRM_IOCTL_SUNDOG_ALLOC, &alloc, descs);
	alloc.res = scene->res->res;
	try_descs(scene->fd, DRM_IOCTL_SUNDOG_ALLOC, &alloc, descs);
}

/* If the driver cannot write the results back, it must free the objects that it created. */
static void test_read_only_array(struct scene *scene)
{
	static const struct drm_sundog_alloc_desc descs[2] __attribute__((aligned(4096))) = {
		{ .size = PAGE }, { .size = PAGE },
	};
	struct drm_sundog_alloc alloc = {
		.allocs = (uintptr_t)descs,
		.n_allocs = 2,
		.alloc_stride = sizeof(descs[0]),
	};
	struct drm_sundog_resource_create create = {
		.allocs = (uintptr_t)descs,
		.n_allocs = 2,
		.alloc_stride = sizeof(descs[0]),
	};

	igt_assert_eq(sd_try(scene->fd, DRM_IOCTL_SUNDOG_ALLOC, &alloc), -EFAULT);
	igt_assert_eq(sd_try(scene->fd, DRM_IOCTL_SUNDOG_RESOURCE_CREATE, &create), -EFAULT);
}

static void test_resource_open(struct scene *scene)
{
	const unsigned long request = DRM_IOCTL_SUNDOG_RESOURCE_OPEN;
	struct drm_sundog_alloc_desc descs[2] = { { .size = PAGE }, { .size = PAGE } };
	char priv[16] = "private";
	struct drm_sundog_resource_create create = {
		.allocs = (uintptr_t)descs,
		.n_allocs = 2,
		.alloc_stride = sizeof(descs[0]),
		.priv = (uintptr_t)priv,
		.priv_size = sizeof(priv),
		.flags = DRM_SUNDOG_RESOURCE_SHARED,
	};
	struct drm_sundog_resource_open good = {
		.allocs = (uintptr_t)descs,
		.n_allocs = 2,
		.alloc_stride = sizeof(descs[0]),
		.priv = (uintptr_t)priv,
		.priv_size = sizeof(priv),
	};
	const int fd = scene->fd;

	sd_ioctl(fd, DRM_IOCTL_SUNDOG_RESOURCE_CREATE, &create);
	good.fd = sd_export(fd, descs[0].handle);
	memset(descs, 0, sizeof(descs));

	refuse(fd, request, good, flags, 1, -EINVAL);
	refuse(fd, request, good, pad, 1, -EINVAL);
	refuse(fd, request, good, fd, -1, -EBADF);
	refuse(fd, request, good, fd, 9999, -EBADF);
	refuse(fd, request, good, fd, fd, -EINVAL);
	refuse(fd, request, good, allocs, NOWHERE, -EFAULT);
	refuse(fd, request, good, allocs, KERNEL_SPACE, -EFAULT);
	refuse(fd, request, good, alloc_stride, 0, -EINVAL);
	refuse(fd, request, good, alloc_stride, sizeof(descs[0]) - 8, -EINVAL);
	refuse(fd, request, good, priv, NOWHERE, -EFAULT);
	descs[1].flags = 1;
	refuse(fd, request, good, flags, 0, -EINVAL);
	close(good.fd);
	igt_assert_eq(sd_destroy_try(fd, create.res), 0);
}

static void test_resource_destroy(struct scene *scene)
{
	struct drm_sundog_resource_destroy good = { .res = scene->res->res };

	refuse(scene->fd, DRM_IOCTL_SUNDOG_RESOURCE_DESTROY, good, flags, 1, -EINVAL);
	refuse(scene->fd, DRM_IOCTL_SUNDOG_RESOURCE_DESTROY, good, flags, 0x80000000, -EINVAL);
	refuse(scene->fd, DRM_IOCTL_SUNDOG_RESOURCE_DESTROY, good, pad, 1, -EINVAL);
	refuse(scene->fd, DRM_IOCTL_SUNDOG_RESOURCE_DESTROY, good, res, 0, -ENOENT);
	refuse(scene->fd, DRM_IOCTL_SUNDOG_RESOURCE_DESTROY, good, res, UINT32_MAX, -ENOENT);
	/* The slot in the file's table alone, without the generation, is no valid id. */
	refuse(scene->fd, DRM_IOCTL_SUNDOG_RESOURCE_DESTROY, good, res,
	       scene->res->res | 1ull << 63, -ENOENT);
	refuse(scene->fd, DRM_IOCTL_SUNDOG_RESOURCE_DESTROY, good, res,
	       (uint32_t)scene->res->res ^ 1u << 31, -ENOENT);
}

static void test_alloc(struct scene *scene)
{
	const unsigned long request = DRM_IOCTL_SUNDOG_ALLOC;
	struct drm_sundog_alloc_desc descs[2] = { { .size = PAGE }, { .size = PAGE } };
	struct drm_sundog_alloc good = {
		.allocs = (uintptr_t)descs,
		.n_allocs = 2,
		.alloc_stride = sizeof(descs[0]),
	};
	const int fd = scene->fd;

	refuse(fd, request, good, flags, 1, -EINVAL);
	refuse(fd, request, good, res, UINT32_MAX, -ENOENT);
	refuse(fd, request, good, res, scene->res->res | 1ull << 63, -ENOENT);
	refuse(fd, request, good, n_allocs, 0, -EINVAL);
	refuse(fd, request, good, n_allocs, UINT32_MAX, -EINVAL);
	refuse(fd, request, good, alloc_stride, 0, -EINVAL);
	refuse(fd, request, good, alloc_stride, sizeof(descs[0]) - 8, -EINVAL);
	refuse(fd, request, good, alloc_stride, 0x80000000, -EINVAL);
	refuse(fd, request, good, allocs, NOWHERE, -EFAULT);
	refuse(fd, request, good, allocs, KERNEL_SPACE, -EFAULT);
	refuse(fd, request, good, allocs, UINT64_MAX - 8, -EFAULT);
}

static void test_dealloc(struct scene *scene)
{
	const unsigned long request = DRM_IOCTL_SUNDOG_DEALLOC;
	struct drm_sundog_dealloc good = {
		.handles = (uintptr_t)&scene->bo.handle,
		.n_handles = 1,
	};
	const int fd = scene->fd;
	int ret;

	refuse(fd, request, good, handles, NOWHERE, -EFAULT);
	refuse(fd, request, good, handles, KERNEL_SPACE, -EFAULT);
	refuse(fd, request, good, flags, 1, -EINVAL);
	refuse(fd, request, good, flags, 0x80000000, -EINVAL);
	refuse(fd, request, good, n_handles, 0, -EINVAL);
	refuse(fd, request, good, res, UINT32_MAX, -ENOENT);
	refuse(fd, request, good, res, scene->res->res | 1ull << 63, -ENOENT);
	refuse(fd, request, good, res, scene->res->res, -EINVAL);
	ret = sd_try(fd, request, &(struct drm_sundog_dealloc){ good.handles, UINT32_MAX, 0, 0 });
	igt_assert(ret == -EINVAL || ret == -ENOMEM || ret == -EFAULT);
}

static void test_alloc_info(struct scene *scene)
{
	struct drm_sundog_alloc_info good = { .handle = scene->bo.handle };

	refuse(scene->fd, DRM_IOCTL_SUNDOG_ALLOC_INFO, good, flags, 1, -EINVAL);
	refuse(scene->fd, DRM_IOCTL_SUNDOG_ALLOC_INFO, good, flags, 0x80000000, -EINVAL);
	refuse(scene->fd, DRM_IOCTL_SUNDOG_ALLOC_INFO, good, handle, 0, -ENOENT);
	refuse(scene->fd, DRM_IOCTL_SUNDOG_ALLOC_INFO, good, handle, NO_HANDLE, -ENOENT);
}

static void test_reslist(struct scene *scene)
{
	const unsigned long request = DRM_IOCTL_SUNDOG_RESLIST_UPDATE;
	struct drm_sundog_submit_alloc item = { scene->bo.handle, READ };
	struct drm_sundog_reslist_create create = { 0 };
	struct drm_sundog_reslist_update good = {
		.allocs = (uintptr_t)&item,
		.n_allocs = 1,
		.alloc_stride = sizeof(item),
	};
	struct drm_sundog_reslist_destroy destroy = { 0 };
	const int fd = scene->fd;

	refuse(fd, DRM_IOCTL_SUNDOG_RESLIST_CREATE, create, flags, 1, -EINVAL);
	refuse(fd, DRM_IOCTL_SUNDOG_RESLIST_CREATE, create, flags, 0x80000000, -EINVAL);
	sd_ioctl(fd, DRM_IOCTL_SUNDOG_RESLIST_CREATE, &create);
	good.reslist = create.reslist;
	destroy.reslist = create.reslist;
	refuse(fd, request, good, flags, 1, -EINVAL);
	refuse(fd, request, good, reslist, 0, -ENOENT);
	refuse(fd, request, good, reslist, UINT32_MAX, -ENOENT);
	refuse(fd, request, good, n_allocs, 0, -EINVAL);
	refuse(fd, request, good, n_allocs, sd_param(fd, DRM_SUNDOG_PARAM_MAX_LIST) + 1, -EINVAL);
	refuse(fd, request, good, n_allocs, UINT32_MAX, -EINVAL);
	refuse(fd, request, good, alloc_stride, 0, -EINVAL);
	refuse(fd, request, good, alloc_stride, sizeof(item) - 4, -EINVAL);
	refuse(fd, request, good, allocs, NOWHERE, -EFAULT);
	refuse(fd, request, good, allocs, KERNEL_SPACE, -EFAULT);
	item.flags = DRM_SUNDOG_SUBMIT_IMPLICIT;
	refuse(fd, request, good, flags, 0, -EINVAL);
	item.flags = READ | 8;
	refuse(fd, request, good, flags, 0, -EINVAL);
	item = (struct drm_sundog_submit_alloc){ NO_HANDLE, READ };
	refuse(fd, request, good, flags, 0, -ENOENT);
	refuse(fd, DRM_IOCTL_SUNDOG_RESLIST_DESTROY, destroy, flags, 1, -EINVAL);
	refuse(fd, DRM_IOCTL_SUNDOG_RESLIST_DESTROY, destroy, reslist, 0, -ENOENT);
	sd_ioctl(fd, DRM_IOCTL_SUNDOG_RESLIST_DESTROY, &destroy);
}

static void test_submit(struct scene *scene)
{
	const unsigned long request = DRM_IOCTL_SUNDOG_SUBMIT;
	struct drm_sundog_submit_alloc list = { scene->bo.handle, READ };
	struct drm_sundog_sync sync = { 0 };
	struct drm_sundog_submit good = {
		.ctx = scene->ctx->id,
		.stream = scene->ctx->stream_bo.handle,
		.stream_size = 8,
		.allocs = (uintptr_t)&list,
		.n_allocs = 1,
		.alloc_stride = sizeof(list),
		.sync_stride = sizeof(sync),
	};
	const int fd = scene->fd;

	refuse(fd, request, good, ctx, 0, -ENOENT);
	refuse(fd, request, good, ctx, UINT32_MAX, -ENOENT);
	refuse(fd, request, good, flags, 1, -EINVAL);
	refuse(fd, request, good, pad, 1, -EINVAL);
	refuse(fd, request, good, reslist, 1, -ENOENT);
	refuse(fd, request, good, reslist, UINT32_MAX, -ENOENT);
	refuse(fd, request, good, stream, 0, -ENOENT);
	refuse(fd, request, good, stream, NO_HANDLE, -ENOENT);
	refuse(fd, request, good, stream_size, 6, -EINVAL);
	refuse(fd, request, good, stream_size, UINT32_MAX - 3, -EINVAL);
	refuse(fd, request, good, stream_size, sd_param(fd, DRM_SUNDOG_PARAM_MAX_STREAM) + 4,
	       -EINVAL);
	refuse(fd, request, good, stream_offset, 2, -EINVAL);
	refuse(fd, request, good, stream_offset, scene->ctx->stream_bo.size, -EINVAL);
	refuse(fd, request, good, stream_offset, UINT64_MAX - 3, -EINVAL);
	refuse(fd, request, good, allocs, NOWHERE, -EFAULT);
	refuse(fd, request, good, allocs, KERNEL_SPACE, -EFAULT);
	refuse(fd, request, good, alloc_stride, 0, -EINVAL);
	refuse(fd, request, good, alloc_stride, 4, -EINVAL);
	refuse(fd, request, good, n_allocs, sd_param(fd, DRM_SUNDOG_PARAM_MAX_LIST) + 1, -EINVAL);
	refuse(fd, request, good, n_allocs, UINT32_MAX, -EINVAL);
}

static int submit_list(struct scene *scene, const struct drm_sundog_submit_alloc *list,
		       uint32_t count)
{
	struct drm_sundog_submit args = {
		.ctx = scene->ctx->id,
		.allocs = (uintptr_t)list,
		.n_allocs = count,
		.alloc_stride = sizeof(*list),
		.sync_stride = sizeof(struct drm_sundog_sync),
	};

	return sd_try(scene->fd, DRM_IOCTL_SUNDOG_SUBMIT, &args);
}

static void test_submit_list(struct scene *scene)
{
	const uint32_t handle = scene->bo.handle, of_res = scene->res->bos[0].handle;
	const struct {
		struct drm_sundog_submit_alloc list[2];
		int error;
	} bad[] = {
		{ { { handle, READ }, { 0, READ } }, -ENOENT },
		{ { { handle, READ }, { NO_HANDLE, READ } }, -ENOENT },
		{ { { handle, READ }, { of_res, 0 } }, -EINVAL },
		{ { { handle, READ }, { of_res, DRM_SUNDOG_SUBMIT_IMPLICIT } }, -EINVAL },
		{ { { handle, READ }, { of_res, READ | 8 } }, -EINVAL },
		{ { { handle, READ }, { of_res, 0x80000000 | WRITE } }, -EINVAL },
	};

	for (unsigned int i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		igt_assert_f(submit_list(scene, bad[i].list, 2) == bad[i].error, "list %u\n", i);
}

static void test_submit_syncs(struct scene *scene)
{
	static const struct drm_sundog_sync wrong[] = {
		{ .flags = 0 },
		{ .flags = WAIT | SIGNAL },
		{ .flags = SIGNAL | 4 },
		{ .flags = SIGNAL | 0x80000000 },
		{ .flags = SIGNAL, .pad = 1 },
		{ .flags = SIGNAL, .type = 2 },
		{ .flags = SIGNAL, .type = UINT32_MAX, .point = 1 },
		{ .flags = SIGNAL, .point = 1 },
		{ .flags = SIGNAL, .type = DRM_SUNDOG_SYNC_TYPE_TIMELINE },
		{ .flags = WAIT, .type = DRM_SUNDOG_SYNC_TYPE_TIMELINE },
		/* A point that was not submitted. */
		{ .flags = WAIT, .type = DRM_SUNDOG_SYNC_TYPE_TIMELINE, .point = 1 },
	};
	const unsigned long request = DRM_IOCTL_SUNDOG_SUBMIT;
	struct drm_sundog_sync sync = { .flags = SIGNAL };
	struct drm_sundog_sync bad = { .flags = SIGNAL, .handle = NO_HANDLE };
	const int fd = scene->fd;
	struct drm_sundog_submit good = {
		.ctx = scene->ctx->id,
		.syncs = (uintptr_t)&sync,
		.n_syncs = 1,
		.sync_stride = sizeof(sync),
		.alloc_stride = sizeof(struct drm_sundog_submit_alloc),
	};

	igt_assert(!drmSyncobjCreate(fd, 0, &sync.handle));
	refuse(fd, request, good, sync_stride, 0, -EINVAL);
	refuse(fd, request, good, sync_stride, 8, -EINVAL);
	refuse(fd, request, good, syncs, NOWHERE, -EFAULT);
	refuse(fd, request, good, syncs, KERNEL_SPACE, -EFAULT);
	refuse(fd, request, good, syncs, (uintptr_t)&bad, -ENOENT);
	bad.flags = WAIT;
	refuse(fd, request, good, syncs, (uintptr_t)&bad, -ENOENT);
	refuse(fd, request, good, n_syncs, sd_param(fd, DRM_SUNDOG_PARAM_MAX_SYNCS) + 1, -EINVAL);
	refuse(fd, request, good, n_syncs, UINT32_MAX, -EINVAL);
	for (unsigned int i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		bad = wrong[i];
		bad.handle = sync.handle;
		good.syncs = (uintptr_t)&bad;
		igt_assert_f(sd_try(fd, request, &good) == -EINVAL, "sync %u\n", i);
	}
	drmSyncobjDestroy(fd, sync.handle);
}

static void test_wait(struct scene *scene)
{
	struct drm_sundog_wait good = { .handle = scene->bo.handle, .flags = EXPLICIT(READ) };

	refuse(scene->fd, DRM_IOCTL_SUNDOG_WAIT, good, handle, 0, -ENOENT);
	refuse(scene->fd, DRM_IOCTL_SUNDOG_WAIT, good, handle, NO_HANDLE, -ENOENT);
	refuse(scene->fd, DRM_IOCTL_SUNDOG_WAIT, good, flags, 0, -EINVAL);
	refuse(scene->fd, DRM_IOCTL_SUNDOG_WAIT, good, flags, EXPLICIT(READ) | 8, -EINVAL);
	refuse(scene->fd, DRM_IOCTL_SUNDOG_WAIT, good, flags, READ, -EINVAL);
}

/* Pointers that cannot be read, for each ioctl, and a number past the last ioctl. */
static void test_pointers(int fd)
{
	for (unsigned int nr = DRM_SUNDOG_GET_PARAM; nr <= DRM_SUNDOG_RESLIST_DESTROY; nr++) {
		const unsigned long request = DRM_IOWR(DRM_COMMAND_BASE + nr,
						       struct drm_sundog_submit);

		igt_assert_eq(sd_try(fd, request, (void *)NOWHERE), -EFAULT);
		igt_assert_eq(sd_try(fd, request, (void *)KERNEL_SPACE), -EFAULT);
		igt_assert_eq(sd_try(fd, request, NULL), -EFAULT);
	}
	igt_assert_eq(sd_try(fd, DRM_IO(DRM_COMMAND_BASE + DRM_SUNDOG_RESLIST_DESTROY + 1), NULL),
		      -EINVAL);
}

static void test_scene(int fd, void (*test)(struct scene *scene), bool context)
{
	struct scene scene;

	scene = scene_new(fd);
	if (context) {
		scene.ctx = sd_context(fd);
		scene.vram_free = sd_vram_free(fd);
	}
	test(&scene);
	scene_free(&scene);
}

igt_main()
{
	static const struct {
		const char *name;
		void (*test)(struct scene *scene);
	} plain[] = {
		{ "resource-create", test_resource_create },
		{ "alloc-desc", test_descs },
		{ "read-only-array", test_read_only_array },
		{ "resource-open", test_resource_open },
		{ "resource-destroy", test_resource_destroy },
		{ "alloc", test_alloc },
		{ "dealloc", test_dealloc },
		{ "alloc-info", test_alloc_info },
		{ "wait", test_wait },
		{ "reslist", test_reslist },
	}, with_context[] = {
		{ "context", test_context },
		{ "submit", test_submit },
		{ "submit-list", test_submit_list },
		{ "submit-syncs", test_submit_syncs },
	};
	static int fd = -1;

	igt_fixture()
		fd = sd_open();

	igt_describe("GET_PARAM rejects unknown parameters and padding that is not zero with "
		     "EINVAL.");
	igt_subtest("get-param")
		test_get_param(fd);

	igt_describe("Each ioctl rejects an argument pointer that cannot be read with EFAULT, and "
		     "a number past the last ioctl is EINVAL.");
	igt_subtest("pointers")
		test_pointers(fd);

	for (unsigned int i = 0; i < sizeof(plain) / sizeof(plain[0]); i++) {
		igt_describe("The ioctl in the subtest's name rejects each bad argument with the "
			     "right error and changes no object.");
		igt_subtest(plain[i].name)
			test_scene(fd, plain[i].test, false);
	}

	igt_fixture() {
		close(fd);
		fd = sd_open_renderer();
	}

	igt_describe("GET_CAPS rejects an unknown version with EINVAL, and a buffer that cannot be "
		     "written with EFAULT.");
	igt_subtest("get-caps")
		test_get_caps(fd);

	for (unsigned int i = 0; i < sizeof(with_context) / sizeof(with_context[0]); i++) {
		igt_describe("The ioctl in the subtest's name rejects each bad argument with the "
			     "right error and changes no object.");
		igt_subtest(with_context[i].name)
			test_scene(fd, with_context[i].test, true);
	}

	igt_fixture()
		close(fd);
}
