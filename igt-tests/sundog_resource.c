// SPDX-License-Identifier: MIT
/*
 * The resource model: resources, their kernel handles, who may open and who frees what. Comments
 * name the rows of the resource model in docs/uapi.md that a subtest is about.
 */
#include "sundog_test.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <xf86drm.h>

IGT_TEST_DESCRIPTION("Resources of a sundog device");

#define SHARED DRM_SUNDOG_RESOURCE_SHARED
#define PRIVATE "what the creator attached"

static const uint32_t counts[] = { 0, 1, 2, 100 };
#define N_COUNTS (sizeof(counts) / sizeof(counts[0]))

static int dealloc_of(int fd, const struct sd_resource *res, uint32_t first, uint32_t count)
{
	uint32_t handles[DRM_SUNDOG_MAX_ALLOCS];

	for (uint32_t i = 0; i < count; i++)
		handles[i] = res->bos[first + i].handle;
	return sd_dealloc_try(fd, res->res, handles, count);
}

static int add(int fd, struct sd_resource *res, uint32_t count)
{
	uint64_t sizes[DRM_SUNDOG_MAX_ALLOCS];

	for (uint32_t i = 0; i < count; i++)
		sizes[i] = PAGE;
	return sd_alloc_try(fd, res->res, sizes, count, res->bos + res->count);
}

/* Rows 1, 3, 4. */
static void test_create(int fd, uint32_t flags)
{
	const uint64_t before = sd_vram_free(fd);
	struct sd_resource *all[N_COUNTS];

	for (uint32_t i = 0; i < N_COUNTS; i++) {
		all[i] = sd_resource(fd, flags, PAGE, counts[i]);
		igt_assert(all[i]->res);
		igt_assert_eq(!all[i]->kres, !counts[i]);
		for (uint32_t j = 0; j < counts[i]; j++)
			igt_assert_eq_u32(all[i]->bos[j].index, j);
		for (uint32_t j = 0; j < i; j++) {
			igt_assert_neq_u32(all[i]->res, all[j]->res);
			igt_assert(!all[j]->kres || all[i]->kres != all[j]->kres);
		}
	}
	for (uint32_t i = 0; i < N_COUNTS; i++)
		sd_destroy(fd, all[i]);
	sd_wait_vram_free(fd, before);
}

/* Row 4: the first allocation gives the kernel handle, later ones keep it. */
static void test_kres(int fd)
{
	struct sd_resource *res = sd_resource(fd, 0, PAGE, 0);
	struct drm_sundog_alloc_info info;
	uint32_t kres;

	igt_assert_eq_u32(res->kres, 0);
	igt_assert_eq(add(fd, res, 2), 0);
	kres = res->bos[0].mem.kres;
	igt_assert(kres);
	res->count = 2;
	igt_assert_eq(add(fd, res, 1), 0);
	igt_assert_eq_u32(res->bos[2].mem.kres, kres);
	igt_assert_eq_u32(res->bos[2].index, 2);
	igt_assert_eq(sd_info_try(fd, res->bos[2].handle, &info), 0);
	igt_assert_eq_u32(info.kres, kres);
	igt_assert_eq_u32(info.index, 2);
	sd_destroy(fd, res);
}

/* Row 5. */
static void test_device_owned(int fd)
{
	struct sd_bo bo = sd_alloc(fd, PAGE);
	struct drm_sundog_alloc_info info;

	igt_assert_eq_u32(bo.mem.kres, 0);
	igt_assert_eq(sd_info_try(fd, bo.handle, &info), 0);
	igt_assert_eq_u32(info.kres, 0);
	sd_dealloc(fd, &bo);
}

/* Rows 3 and 7, in one file: two ids, one kernel handle, either outlives the other. */
static void test_open_same_file(int fd, bool creator_first)
{
	const uint64_t before = sd_vram_free(fd);
	struct sd_resource *res = sd_resource(fd, SHARED, PAGE, 3);
	struct sd_resource *opened = calloc(1, sizeof(*opened));
	struct drm_sundog_alloc_info info;
	int dmabuf = sd_export(fd, res->bos[1].handle);
	uint32_t index, last;

	igt_assert_eq(sd_open_try(fd, dmabuf, opened, &index), 0);
	close(dmabuf);
	igt_assert_neq_u32(opened->res, res->res);
	igt_assert_eq_u32(opened->kres, res->kres);
	igt_assert_eq_u32(opened->count, 3);
	igt_assert_eq_u32(index, 1);
	for (int i = 0; i < 3; i++) {
		igt_assert_neq_u32(opened->bos[i].handle, res->bos[i].handle);
		igt_assert_eq_u32(opened->bos[i].device_handle, res->bos[i].device_handle);
	}
	last = creator_first ? opened->bos[2].handle : res->bos[2].handle;
	sd_destroy(fd, creator_first ? res : opened);
	igt_assert_eq(sd_info_try(fd, last, &info), 0);
	igt_assert(sd_vram_free(fd) < before);
	sd_destroy(fd, creator_first ? opened : res);
	sd_wait_vram_free(fd, before);
}

struct note {
	uint32_t kres, res;
	uint64_t sizes[2];
};

static void send_fd(int socket, int fd, const struct note *note)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} space = { .header = { CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS } };
	struct iovec iov = { .iov_base = (void *)note, .iov_len = sizeof(*note) };
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &space,
		.msg_controllen = sizeof(space),
	};

	memcpy(CMSG_DATA(&space.header), &fd, sizeof(fd));
	igt_assert(sendmsg(socket, &msg, 0) == sizeof(*note));
}

static int receive_fd(int socket, struct note *note)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} space;
	struct iovec iov = { .iov_base = note, .iov_len = sizeof(*note) };
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &space,
		.msg_controllen = sizeof(space),
	};
	int fd;

	igt_assert(recvmsg(socket, &msg, 0) == sizeof(*note));
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(fd));
	return fd;
}

/* The opener sees everything that the creator made, with all private data. */
static void check_opened(int dmabuf, const struct note *note)
{
	char priv[64], bo_priv[2][64];
	struct drm_sundog_alloc_desc descs[2] = {
		{ .priv = (uintptr_t)bo_priv[0], .priv_size = sizeof(bo_priv[0]) },
		{ .priv = (uintptr_t)bo_priv[1], .priv_size = sizeof(bo_priv[1]) },
	};
	struct drm_sundog_resource_open args = {
		.allocs = (uintptr_t)descs,
		.n_allocs = 2,
		.alloc_stride = sizeof(descs[0]),
		.priv = (uintptr_t)priv,
		.priv_size = sizeof(priv),
		.fd = dmabuf,
	};
	struct sd_bo bo;
	int fd = sd_open();

	sd_ioctl(fd, DRM_IOCTL_SUNDOG_RESOURCE_OPEN, &args);
	igt_assert_eq_u32(args.kres, note->kres);
	igt_assert_eq_u32(args.n_allocs, 2);
	igt_assert_eq_u32(args.index, 1);
	igt_assert_eq_u32(args.priv_size, sizeof(PRIVATE));
	igt_assert(!strcmp(priv, PRIVATE));
	igt_assert_eq_u64(descs[0].size, note->sizes[0]);
	igt_assert_eq_u64(descs[1].size, note->sizes[1]);
	igt_assert_eq_u32(descs[0].priv_size, 0);
	igt_assert_eq_u32(descs[1].priv_size, 4);
	igt_assert(!memcmp(bo_priv[1], "priv", 4));
	bo = (struct sd_bo){ .size = descs[1].size, .map_offset = descs[1].map_offset };
	igt_assert(sd_is_filled(fd, &bo, 0xfeedface));
	close(fd);
}

/* Rows 2 and 7, in another process; the creator is gone before the other opens. */
static void test_open_other_process(int fd)
{
	const uint64_t before = sd_vram_free(fd);
	int sockets[2];

	igt_assert(!socketpair(AF_UNIX, SOCK_STREAM, 0, sockets));
	igt_fork(child, 1) {
		struct drm_sundog_alloc_desc descs[2] = {
			{ .size = PAGE },
			{ .size = 5 * PAGE, .priv = (uintptr_t)"priv", .priv_size = 4 },
		};
		struct drm_sundog_resource_create args = {
			.allocs = (uintptr_t)descs,
			.n_allocs = 2,
			.alloc_stride = sizeof(descs[0]),
			.priv = (uintptr_t)PRIVATE,
			.priv_size = sizeof(PRIVATE),
			.flags = SHARED,
		};
		int other = sd_open();
		struct note note = { 0 };
		struct sd_bo bo;
		uint32_t *map;

		(void)child;
		sd_ioctl(other, DRM_IOCTL_SUNDOG_RESOURCE_CREATE, &args);
		bo = (struct sd_bo){ .size = descs[1].size, .map_offset = descs[1].map_offset };
		map = sd_map(other, &bo);
		for (uint32_t i = 0; i < 5 * PAGE / 4; i++)
			map[i] = 0xfeedface;
		note.kres = args.kres;
		note.sizes[0] = descs[0].size;
		note.sizes[1] = descs[1].size;
		send_fd(sockets[1], sd_export(other, descs[1].handle), &note);
	}
	igt_waitchildren();
	{
		struct note note;
		int dmabuf = receive_fd(sockets[0], &note);

		igt_assert(sd_vram_free(fd) < before);
		check_opened(dmabuf, &note);
		close(dmabuf);
	}
	close(sockets[0]);
	close(sockets[1]);
	sd_wait_vram_free(fd, before);
}

static void test_open_short_array(int fd)
{
	struct drm_sundog_alloc_desc descs[3] = { 0 };
	struct sd_resource *res = sd_resource(fd, SHARED, PAGE, 3);
	struct drm_sundog_resource_open args = {
		.allocs = (uintptr_t)descs,
		.n_allocs = 2,
		.alloc_stride = sizeof(descs[0]),
		.fd = sd_export(fd, res->bos[0].handle),
	};

	igt_assert_eq(sd_try(fd, DRM_IOCTL_SUNDOG_RESOURCE_OPEN, &args), -ENOSPC);
	igt_assert_eq_u32(args.n_allocs, 3);
	igt_assert_eq_u32(descs[0].handle, 0);
	igt_assert_eq(sd_try(fd, DRM_IOCTL_SUNDOG_RESOURCE_OPEN, &args), 0);
	igt_assert_eq(sd_destroy_try(fd, args.res), 0);
	close(args.fd);
	sd_destroy(fd, res);
}

/* Row 8: what no shared resource owns cannot be opened as one, but travels as a plain dma-buf. */
static void test_open_unshared(int fd)
{
	const uint64_t before = sd_vram_free(fd);
	struct sd_resource *res = sd_resource(fd, 0, PAGE, 1), *opened = calloc(1, sizeof(*opened));
	struct sd_bo bo = sd_alloc(fd, PAGE);
	int of_res = sd_export(fd, res->bos[0].handle), plain = sd_export(fd, bo.handle);
	int other = sd_open();
	struct drm_sundog_alloc_info info;
	uint32_t index, handle, again;

	igt_assert_eq(sd_open_try(other, of_res, opened, &index), -ENOENT);
	igt_assert_eq(sd_open_try(other, plain, opened, &index), -ENOENT);
	igt_assert_eq(drmPrimeFDToHandle(other, plain, &handle), 0);
	igt_assert_eq(drmPrimeFDToHandle(other, plain, &again), 0);
	igt_assert_eq_u32(handle, again);
	igt_assert_eq(sd_info_try(other, handle, &info), 0);
	igt_assert_eq_u32(info.device_handle, bo.device_handle);
	igt_assert_eq_u32(info.kres, 0);
	free(opened);
	sd_destroy(fd, res);
	sd_dealloc(fd, &bo);
	close(of_res);
	close(plain);
	igt_assert_eq(sd_info_try(other, handle, &info), 0);
	close(other);
	sd_wait_vram_free(fd, before);
}

/* Row 8: a shared resource is sealed by its first allocations. */
static void test_sealed(int fd)
{
	const uint64_t before = sd_vram_free(fd);
	struct sd_resource *full = sd_resource(fd, SHARED, PAGE, 2);
	struct sd_resource *late = sd_resource(fd, SHARED, PAGE, 0);
	uint64_t now;

	igt_assert_eq(add(fd, late, 2), 0);
	late->count = 2;
	now = sd_vram_free(fd);
	igt_assert_eq(add(fd, full, 1), -EBUSY);
	igt_assert_eq(add(fd, late, 1), -EBUSY);
	igt_assert_eq(dealloc_of(fd, full, 0, 1), -EBUSY);
	igt_assert_eq(dealloc_of(fd, late, 0, 2), -EBUSY);
	igt_assert_eq_u64(sd_vram_free(fd), now);
	sd_destroy(fd, full);
	sd_destroy(fd, late);
	sd_wait_vram_free(fd, before);
}

/* Row 10: a list with anything that a resource owns is refused as a whole. */
static void test_dealloc_owned(int fd)
{
	struct sd_resource *a = sd_resource(fd, 0, PAGE, 2), *b = sd_resource(fd, 0, PAGE, 1);
	struct sd_bo bo = sd_alloc(fd, PAGE);
	const uint32_t mixed[] = { bo.handle, a->bos[0].handle };
	const uint32_t foreign[] = { a->bos[0].handle, b->bos[0].handle };
	const uint32_t unowned[] = { a->bos[0].handle, bo.handle };
	struct drm_sundog_alloc_info info;

	igt_assert_eq(sd_dealloc_try(fd, 0, mixed, 2), -EINVAL);
	igt_assert_eq(sd_dealloc_try(fd, a->res, foreign, 2), -EINVAL);
	igt_assert_eq(sd_dealloc_try(fd, a->res, unowned, 2), -EINVAL);
	igt_assert_eq(sd_info_try(fd, bo.handle, &info), 0);
	igt_assert_eq(sd_info_try(fd, a->bos[0].handle, &info), 0);
	igt_assert_eq(sd_info_try(fd, b->bos[0].handle, &info), 0);
	sd_dealloc(fd, &bo);
	sd_destroy(fd, a);
	sd_destroy(fd, b);
}

/* Row 11: an unshared resource survives partial release, keeps its kernel handle, gets new ones. */
static void test_partial(int fd)
{
	const uint64_t before = sd_vram_free(fd);
	struct sd_resource *res = sd_resource(fd, 0, PAGE, 4);
	struct drm_sundog_alloc_info info;
	const uint32_t kres = res->kres;

	igt_assert_eq(dealloc_of(fd, res, 1, 2), 0);
	sd_wait_vram_free(fd, before - 2 * PAGE);
	igt_assert_eq(sd_info_try(fd, res->bos[1].handle, &info), -ENOENT);
	igt_assert_eq(sd_info_try(fd, res->bos[3].handle, &info), 0);
	igt_assert_eq_u32(info.kres, kres);
	igt_assert_eq_u32(info.index, 3);
	res->count = 4;
	igt_assert_eq(add(fd, res, 1), 0);
	igt_assert_eq_u32(res->bos[4].mem.kres, kres);
	igt_assert(res->bos[4].index != 0 && res->bos[4].index != 3);
	igt_assert_eq(dealloc_of(fd, res, 0, 1), 0);
	igt_assert_eq(dealloc_of(fd, res, 3, 2), 0);
	sd_destroy(fd, res);
	sd_wait_vram_free(fd, before);
}

static void test_unknown(int fd)
{
	int other = sd_open();
	struct sd_resource *res = sd_resource(fd, 0, PAGE, 1);
	struct sd_resource *opened = calloc(1, sizeof(*opened));
	const uint64_t size = PAGE;
	struct sd_bo bo;
	uint32_t index;

	igt_assert_eq(sd_destroy_try(fd, 0), -ENOENT);
	igt_assert_eq(sd_destroy_try(fd, 4711), -ENOENT);
	igt_assert_eq(sd_destroy_try(other, res->res), -ENOENT);
	igt_assert_eq(sd_alloc_try(other, res->res, &size, 1, &bo), -ENOENT);
	igt_assert(sd_open_try(fd, -1, opened, &index) < 0);
	igt_assert(sd_open_try(fd, fd, opened, &index) < 0);
	igt_assert_eq(sd_destroy_try(fd, res->res), 0);
	igt_assert_eq(sd_destroy_try(fd, res->res), -ENOENT);
	free(res);
	free(opened);
	close(other);
}

/* Row 9: a dma-buf in flight is a holder; the resource opens whole after its creator is gone. */
static void test_dmabuf_holds(int fd)
{
	const uint64_t before = sd_vram_free(fd);
	int creator = sd_open(), opener = sd_open();
	struct sd_resource *res = sd_resource(creator, SHARED, 16 * PAGE, 3);
	struct sd_resource *opened = calloc(1, sizeof(*opened));
	const uint32_t kres = res->kres;
	int dmabuf = sd_export(creator, res->bos[2].handle);
	uint32_t index;

	free(res);
	close(creator);
	igt_assert_eq_u64(sd_vram_free(fd), before - 48 * PAGE);
	igt_assert_eq(sd_open_try(opener, dmabuf, opened, &index), 0);
	close(dmabuf);
	igt_assert_eq_u32(opened->kres, kres);
	igt_assert_eq_u32(opened->count, 3);
	sd_destroy(opener, opened);
	sd_wait_vram_free(fd, before);
	close(opener);
}

/* Row 9: a mapping keeps its own allocation and nothing else. */
static void test_mapping_holds(int fd)
{
	const uint64_t before = sd_vram_free(fd);
	struct sd_resource *res = sd_resource(fd, 0, 4 * PAGE, 3);
	const struct sd_bo bo = res->bos[1];
	uint32_t *map = sd_map(fd, &bo);

	map[0] = 7;
	sd_destroy(fd, res);
	sd_wait_vram_free(fd, before - 4 * PAGE);
	igt_assert_eq_u32(map[0], 7);
	sd_unmap(map, &bo);
	sd_wait_vram_free(fd, before);
}

/* Row 15: closing a handle of an allocation that a resource owns leaks nothing. */
static void test_gem_close(int fd, uint32_t flags)
{
	const uint64_t before = sd_vram_free(fd);
	struct sd_resource *res = sd_resource(fd, flags, PAGE, 3);

	sd_gem_close(fd, res->bos[1].handle);
	sd_destroy(fd, res);
	sd_wait_vram_free(fd, before);
}

/* Row 15: every order in which creator, opener and dma-buf can go. */
static void test_orders(int fd)
{
	static const char orders[][4] = { "cod", "cdo", "ocd", "odc", "dco", "doc" };
	const uint64_t before = sd_vram_free(fd);

	for (unsigned int i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
		int creator = sd_open(), opener = sd_open();
		struct sd_resource *res = sd_resource(creator, SHARED, PAGE, 2);
		struct sd_resource *opened = calloc(1, sizeof(*opened));
		int dmabuf = sd_export(creator, res->bos[0].handle);
		uint32_t index;

		igt_assert_eq(sd_open_try(opener, dmabuf, opened, &index), 0);
		for (const char *c = orders[i]; *c; c++) {
			igt_assert_eq_u64(sd_vram_free(fd), before - 2 * PAGE);
			close(*c == 'c' ? creator : *c == 'o' ? opener : dmabuf);
		}
		free(res);
		free(opened);
		sd_wait_vram_free(fd, before);
	}
}

/*
 * Exports allocation 0, and again after all its handles were closed and allocation 1 brought it back:
 * two dma-bufs of one allocation. Between the two @first is closed, unless @both.
 */
static struct sd_resource *export_twice(int opener, bool both, int *first, int *path, int *second)
{
	int fd = sd_open();
	struct sd_resource *res = sd_resource(fd, SHARED, PAGE, 2);
	struct sd_resource *opened = calloc(1, sizeof(*opened));
	char name[64];
	uint32_t index;
	int dmabuf;

	*first = sd_export(fd, res->bos[0].handle);
	snprintf(name, sizeof(name), "/proc/self/fd/%d", *first);
	*path = open(name, O_PATH | O_CLOEXEC);
	igt_assert(*path >= 0);
	sd_gem_close(fd, res->bos[0].handle);
	if (!both)
		close(*first);
	dmabuf = sd_export(fd, res->bos[1].handle);
	igt_assert_eq(sd_open_try(opener, dmabuf, opened, &index), 0);
	*second = sd_export(opener, opened->bos[0].handle);
	close(dmabuf);
	free(res);
	close(fd);
	return opened;
}

/* Importing a dma-buf again gives the same handle, and it is of @bo. */
static void check_import(int fd, int dmabuf, const struct sd_bo *bo)
{
	struct drm_sundog_alloc_info info;
	uint32_t handle, again;

	igt_assert_eq(drmPrimeFDToHandle(fd, dmabuf, &handle), 0);
	igt_assert_eq(drmPrimeFDToHandle(fd, dmabuf, &again), 0);
	igt_assert_eq_u32(handle, again);
	igt_assert_eq(sd_info_try(fd, handle, &info), 0);
	igt_assert_eq_u32(info.device_handle, bo->device_handle);
}

/* An O_PATH descriptor keeps the dma-buf, but not its file: export must not look for that. */
static void test_export_after_path(int fd)
{
	const uint64_t before = sd_vram_free(fd);
	int first, path, second, opener = sd_open(), importer = sd_open();
	struct sd_resource *res = export_twice(opener, false, &first, &path, &second);

	check_import(importer, second, &res->bos[0]);
	close(path);
	close(second);
	free(res);
	close(opener);
	close(importer);
	sd_wait_vram_free(fd, before);
}

static void test_two_dmabufs(int fd)
{
	const uint64_t before = sd_vram_free(fd);
	int first, path, second, opener = sd_open(), importer = sd_open();
	struct sd_resource *res = export_twice(opener, true, &first, &path, &second);

	check_import(importer, first, &res->bos[0]);
	check_import(importer, second, &res->bos[0]);
	check_import(importer, first, &res->bos[0]);
	close(path);
	close(first);
	check_import(importer, second, &res->bos[0]);
	close(second);
	free(res);
	close(opener);
	close(importer);
	sd_wait_vram_free(fd, before);
}

struct exporter {
	int fd;
	uint32_t handle;
	volatile bool stop;
};

static void *export_until_stopped(void *data)
{
	struct exporter *exporter = data;
	int dmabuf;

	while (!exporter->stop)
		if (!drmPrimeHandleToFD(exporter->fd, exporter->handle, DRM_CLOEXEC, &dmabuf))
			close(dmabuf);
	return NULL;
}

/* A plain import is no holder. Its exports may meet the resource at its end, and must not save it. */
static void test_export_at_end(int fd)
{
	const uint64_t before = sd_vram_free(fd);

	for (int i = 0; i < 30; i++) {
		struct sd_resource *res = sd_resource(fd, SHARED, PAGE, 100);
		struct exporter exporter = { .fd = sd_open() };
		int dmabuf = sd_export(fd, res->bos[99].handle);
		pthread_t thread;

		igt_assert_eq(drmPrimeFDToHandle(exporter.fd, dmabuf, &exporter.handle), 0);
		close(dmabuf);
		igt_assert_eq(pthread_create(&thread, NULL, export_until_stopped, &exporter), 0);
		usleep(500 * (i % 5));
		sd_destroy(fd, res);
		usleep(500);
		exporter.stop = true;
		pthread_join(thread, NULL);
		close(exporter.fd);
	}
	sd_wait_vram_free(fd, before);
}

static void share_forever(void)
{
	int fd = sd_open(), other = sd_open();
	struct sd_resource *opened = calloc(1, sizeof(*opened));
	uint32_t index;

	for (;;) {
		struct sd_resource *res = sd_resource(fd, SHARED, PAGE, 5);
		int dmabuf = sd_export(fd, res->bos[3].handle);

		igt_assert_eq(sd_open_try(other, dmabuf, opened, &index), 0);
		sd_destroy(fd, res);
		close(dmabuf);
		igt_assert_eq(sd_destroy_try(other, opened->res), 0);
	}
}

static void test_kill(int fd)
{
	const uint64_t before = sd_vram_free(fd);

	for (int i = 0; i < 20; i++) {
		pid_t child = fork();

		igt_assert(child >= 0);
		if (!child)
			share_forever();
		usleep(3000 * (i % 7) + 1000);
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
	}
	sd_wait_vram_free(fd, before);
}

/* Row 6: packets name an allocation by {kres, index}. */
static void test_stream(int fd)
{
	struct sd_context *ctx = sd_context(fd);
	struct sd_resource *a = sd_resource(fd, 0, 4 * PAGE, 2), *b = sd_resource(fd, SHARED, 4 * PAGE, 2);

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

/* Rows 6 and 7: the opener's streams name it by the creator's kernel handle. */
static void test_stream_opened(int fd)
{
	int other = sd_open();
	struct sd_resource *res = sd_resource(fd, SHARED, 4 * PAGE, 2);
	struct sd_resource *opened = calloc(1, sizeof(*opened));
	int dmabuf = sd_export(fd, res->bos[0].handle);
	struct sd_context *ctx = sd_context(other);
	uint32_t index;

	igt_assert_eq(sd_open_try(other, dmabuf, opened, &index), 0);
	close(dmabuf);
	igt_assert_eq_u32(opened->bos[1].mem.kres, res->bos[1].mem.kres);
	sd_emit_fill(ctx, &opened->bos[1], 0x22222222, 1);
	sd_run(ctx);
	igt_assert(sd_is_filled(fd, &res->bos[1], 0x22222222));
	sd_context_free(ctx);
	sd_destroy(other, opened);
	close(other);
	sd_destroy(fd, res);
}

igt_main()
{
	static int fd = -1;

	igt_fixture()
		fd = sd_open();

	igt_describe("Unshared resources with no, one and many allocations.");
	igt_subtest("create-unshared")
		test_create(fd, 0);

	igt_describe("Shared resources with no, one and many allocations.");
	igt_subtest("create-shared")
		test_create(fd, SHARED);

	igt_describe("The first allocation brings the kernel handle.");
	igt_subtest("kernel-handle")
		test_kres(fd);

	igt_describe("What the device owns has no kernel handle.");
	igt_subtest("device-owned")
		test_device_owned(fd);

	igt_describe("Opened in the creator's file, which then destroys its own first.");
	igt_subtest("open-same-file")
		test_open_same_file(fd, true);

	igt_describe("Opened in the creator's file, the opened one being destroyed first.");
	igt_subtest("open-same-file-reverse")
		test_open_same_file(fd, false);

	igt_describe("Another process opens it whole, after the creator is gone.");
	igt_subtest("open-other-process")
		test_open_other_process(fd);

	igt_describe("Opening into an array that is too short says how long it has to be.");
	igt_subtest("open-short-array")
		test_open_short_array(fd);

	igt_describe("What no shared resource owns cannot be opened, only imported.");
	igt_subtest("open-unshared")
		test_open_unshared(fd);

	igt_describe("A shared resource takes and gives no allocations later.");
	igt_subtest("sealed")
		test_sealed(fd);

	igt_describe("Freeing without the resource what a resource owns is refused.");
	igt_subtest("dealloc-owned")
		test_dealloc_owned(fd);

	igt_describe("An unshared resource survives the loss of some allocations, and of all.");
	igt_subtest("partial-release")
		test_partial(fd);

	igt_describe("Ids that do not exist, are another file's, or not of a resource.");
	igt_subtest("unknown-id")
		test_unknown(fd);

	igt_describe("A dma-buf keeps a shared resource whole.");
	igt_subtest("dma-buf-holds")
		test_dmabuf_holds(fd);

	igt_describe("A mapping keeps its own allocation only.");
	igt_subtest("mapping-holds")
		test_mapping_holds(fd);

	igt_describe("GEM_CLOSE of an unshared resource's allocation.");
	igt_subtest("gem-close-unshared")
		test_gem_close(fd, 0);

	igt_describe("GEM_CLOSE of a shared resource's allocation.");
	igt_subtest("gem-close-shared")
		test_gem_close(fd, SHARED);

	igt_describe("Creator, opener and dma-buf go in every order.");
	igt_subtest("every-order")
		test_orders(fd);

	igt_describe("Exported again after the first dma-buf lost its file, not its name.");
	igt_subtest("export-after-path")
		test_export_after_path(fd);

	igt_describe("Two dma-bufs of one allocation can both be imported.");
	igt_subtest("two-dma-bufs")
		test_two_dmabufs(fd);

	igt_describe("Exports through a plain import, while the last holder goes.");
	igt_subtest("export-at-end")
		test_export_at_end(fd);

	igt_describe("Killed at any moment.");
	igt_subtest("kill")
		test_kill(fd);

	igt_fixture() {
		close(fd);
		fd = sd_open_renderer();
	}

	igt_describe("A stream names memory by kernel handle and index.");
	igt_subtest("stream")
		test_stream(fd);

	igt_describe("A stream of an opener, in another file.");
	igt_subtest("stream-opened")
		test_stream_opened(fd);

	igt_fixture()
		close(fd);
}
