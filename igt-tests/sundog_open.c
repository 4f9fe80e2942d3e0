// SPDX-License-Identifier: MIT
/*
 * RESOURCE_OPEN: through a dma-buf of any allocation, from any process, any number of times. An
 * open returns a new id, new GEM handles, and all private data that the creator attached.
 */
#include "sundog_test.h"

#include <sys/socket.h>
#include <unistd.h>

IGT_TEST_DESCRIPTION("RESOURCE_OPEN");

#define PRIVATE "what the creator attached"

static void test_any_allocation(int fd)
{
	struct sd_resource *res = sd_resource(fd, SHARED, PAGE, 5),
		*opened = calloc(1, sizeof(*opened));
	int other = sd_open();
	uint32_t index;

	for (uint32_t i = 0; i < 5; i++) {
		int dmabuf = sd_export(fd, res->bos[i].handle);

		igt_assert_eq(sd_open_try(other, dmabuf, opened, &index), 0);
		close(dmabuf);
		igt_assert_eq_u32(index, i);
		igt_assert_eq_u32(opened->count, 5);
		for (uint32_t j = 0; j < 5; j++) {
			igt_assert_eq_u32(opened->bos[j].index, j);
			igt_assert_eq_u32(opened->bos[j].device_handle, res->bos[j].device_handle);
		}
	}
	free(opened);
	close(other);
	sd_destroy(fd, res);
}

/* Two ids of one resource in one file: destroying one leaves the other valid. */
static void test_same_file(int fd, bool creator_first)
{
	const struct sd_counts idle = sd_idle_counts(fd);
	struct sd_resource *res = sd_resource(fd, SHARED, PAGE, 3), *opened, *last;
	int dmabuf = sd_export(fd, res->bos[1].handle);
	struct drm_sundog_alloc_info info;
	struct sd_counts expected = idle;

	opened = sd_opened(fd, dmabuf);
	close(dmabuf);
	igt_assert(opened->res != res->res);
	for (int i = 0; i < 3; i++) {
		igt_assert_neq_u32(opened->bos[i].handle, res->bos[i].handle);
		igt_assert_eq_u32(opened->bos[i].device_handle, res->bos[i].device_handle);
	}
	/* The object keeps its dma-buf for the next export, until the allocation has no handle. */
	expected.live += 3;
	expected.shared++;
	expected.resources++;
	expected.kres++;
	expected.res_ids += 2;
	sd_wait_counts(fd, &expected);

	last = creator_first ? opened : res;
	sd_destroy(fd, creator_first ? res : opened);
	expected.res_ids--;
	sd_wait_counts(fd, &expected);
	for (int i = 0; i < 3; i++)
		igt_assert_eq(sd_info_try(fd, last->bos[i].handle, &info), 0);
	sd_destroy(fd, last);
	sd_wait_counts(fd, &idle);
}

#define N_OPENS 50

static void test_each_open(int fd)
{
	const struct sd_counts idle = sd_idle_counts(fd);
	static struct sd_resource *all[N_OPENS];
	struct drm_sundog_alloc_info info;
	int dmabuf;

	all[0] = sd_resource(fd, SHARED, PAGE, 2);
	dmabuf = sd_export(fd, all[0]->bos[0].handle);
	for (int i = 1; i < N_OPENS; i++) {
		all[i] = sd_opened(fd, dmabuf);
		igt_assert_eq_u32(all[i]->kres, all[0]->kres);
		for (int j = 0; j < i; j++) {
			igt_assert(all[i]->res != all[j]->res);
			igt_assert_neq_u32(all[i]->bos[0].handle, all[j]->bos[0].handle);
			igt_assert_neq_u32(all[i]->bos[1].handle, all[j]->bos[1].handle);
		}
	}
	close(dmabuf);
	/* 7 and the number of opens are coprime: this destroys each once, the first one early. */
	for (int i = 0; i < N_OPENS; i++) {
		struct sd_resource *res = all[i * 7 % N_OPENS];

		igt_assert_eq(sd_info_try(fd, res->bos[1].handle, &info), 0);
		sd_destroy(fd, res);
	}
	sd_wait_counts(fd, &idle);
}

struct note {
	uint32_t kres;
	uint64_t res;
	uint64_t sizes[2];
};

static void create_and_send(int socket)
{
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
	int fd = sd_open();
	struct note note = { 0 };
	struct sd_bo bo;

	sd_ioctl(fd, DRM_IOCTL_SUNDOG_RESOURCE_CREATE, &args);
	bo = (struct sd_bo){ .size = descs[1].size, .map_offset = descs[1].map_offset };
	sd_fill(fd, &bo, 0xfeedface);
	note.kres = args.kres;
	note.sizes[0] = descs[0].size;
	note.sizes[1] = descs[1].size;
	sd_send_fd(socket, sd_export(fd, descs[1].handle), &note, sizeof(note));
}

/* Checks that the opener gets all allocations, and all private data. */
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

static void test_other_process(int fd)
{
	const struct sd_counts idle = sd_idle_counts(fd);
	int sockets[2], dmabuf;
	struct note note;

	igt_assert(!socketpair(AF_UNIX, SOCK_STREAM, 0, sockets));
	igt_fork(child, 1) {
		(void)child;
		create_and_send(sockets[1]);
	}
	igt_waitchildren();
	dmabuf = sd_receive_fd(sockets[0], &note, sizeof(note));
	igt_assert_eq(sd_counts(fd).resources, idle.resources + 1);
	check_opened(dmabuf, &note);
	close(dmabuf);
	close(sockets[0]);
	close(sockets[1]);
	sd_wait_counts(fd, &idle);
}

/*
 * A chain of files: each opens the dma-buf that its predecessor exported, after the predecessor has
 * closed.
 */
static void test_passed_on(int fd)
{
	const struct sd_counts idle = sd_idle_counts(fd);
	int owner = sd_open(), dmabuf;
	struct sd_resource *res = sd_resource(owner, SHARED, PAGE, 3);
	const uint32_t kres = res->kres;

	sd_fill(owner, &res->bos[2], 0xbeef);
	dmabuf = sd_export(owner, res->bos[0].handle);
	for (int i = 0; i < 5; i++) {
		free(res);
		close(owner);
		owner = sd_open();
		res = sd_opened(owner, dmabuf);
		close(dmabuf);
		dmabuf = sd_export(owner, res->bos[i % 3].handle);
		igt_assert_eq_u32(res->kres, kres);
		igt_assert(sd_is_filled(owner, &res->bos[2], 0xbeef));
	}
	free(res);
	close(owner);
	close(dmabuf);
	sd_wait_counts(fd, &idle);
}

/*
 * Attaches data of one size to a resource and its allocation, and reads it into buffers of all
 * sizes.
 */
static void test_private(int fd, uint32_t attached)
{
	static unsigned char data[DRM_SUNDOG_MAX_PRIVATE], got[2][DRM_SUNDOG_MAX_PRIVATE + 1];
	static const uint32_t rooms[] = { 0, 1, 100, DRM_SUNDOG_MAX_PRIVATE };
	struct drm_sundog_alloc_desc desc = {
		.size = PAGE,
		.priv = (uintptr_t)data,
		.priv_size = attached,
	};
	struct drm_sundog_resource_create create = {
		.allocs = (uintptr_t)&desc,
		.n_allocs = 1,
		.alloc_stride = sizeof(desc),
		.priv = (uintptr_t)data,
		.priv_size = attached,
		.flags = SHARED,
	};
	int dmabuf;

	for (uint32_t i = 0; i < sizeof(data); i++)
		data[i] = i * 7 + (i >> 8);
	sd_ioctl(fd, DRM_IOCTL_SUNDOG_RESOURCE_CREATE, &create);
	dmabuf = sd_export(fd, desc.handle);
	for (unsigned int i = 0; i < sizeof(rooms) / sizeof(rooms[0]); i++) {
		const uint32_t n = rooms[i] < attached ? rooms[i] : attached;
		struct drm_sundog_resource_open open = {
			.allocs = (uintptr_t)&desc,
			.n_allocs = 1,
			.alloc_stride = sizeof(desc),
			.priv = (uintptr_t)got[0],
			.priv_size = rooms[i],
			.fd = dmabuf,
		};

		memset(got, 0xaa, sizeof(got));
		desc = (struct drm_sundog_alloc_desc){
			.priv = (uintptr_t)got[1],
			.priv_size = rooms[i],
		};
		sd_ioctl(fd, DRM_IOCTL_SUNDOG_RESOURCE_OPEN, &open);
		igt_assert_eq_u32(open.priv_size, attached);
		igt_assert_eq_u32(desc.priv_size, attached);
		for (int j = 0; j < 2; j++) {
			igt_assert(!memcmp(got[j], data, n));
			igt_assert_eq(got[j][n], 0xaa);
		}
		igt_assert_eq(sd_destroy_try(fd, open.res), 0);
	}
	close(dmabuf);
	igt_assert_eq(sd_destroy_try(fd, create.res), 0);
}

static void test_short_array(int fd)
{
	struct drm_sundog_alloc_desc descs[3] = { 0 };
	struct sd_resource *res = sd_resource(fd, SHARED, PAGE, 3);
	struct drm_sundog_resource_open args = {
		.allocs = (uintptr_t)descs,
		.n_allocs = 2,
		.alloc_stride = sizeof(descs[0]),
		.fd = sd_export(fd, res->bos[1].handle),
	};
	const struct drm_sundog_resource_open short_args = args;
	const struct sd_counts before = sd_idle_counts(fd);

	igt_assert_eq(sd_try(fd, DRM_IOCTL_SUNDOG_RESOURCE_OPEN, &args), -EINVAL);
	igt_assert(!memcmp(&args, &short_args, sizeof(args)));
	igt_assert_eq_u32(descs[0].handle, 0);
	args.n_allocs = 0;
	igt_assert_eq(sd_try(fd, DRM_IOCTL_SUNDOG_RESOURCE_OPEN, &args), 0);
	igt_assert_eq_u32(args.n_allocs, 3);
	igt_assert_eq_u64(args.res, 0);
	igt_assert_eq_u32(args.kres, res->kres);
	igt_assert_eq_u32(args.index, 1);
	igt_assert_eq_u32(descs[0].handle, 0);
	sd_wait_counts(fd, &before);
	igt_assert_eq(sd_try(fd, DRM_IOCTL_SUNDOG_RESOURCE_OPEN, &args), 0);
	igt_assert_eq(sd_destroy_try(fd, args.res), 0);
	close(args.fd);
	sd_destroy(fd, res);
}

/* An open that fails has no effect, and does not change its arguments and arrays. */
static void test_failed(int fd)
{
	static const struct drm_sundog_alloc_desc read_only[2] __attribute__((aligned(4096)));
	char priv[] = PRIVATE, got[2][sizeof(PRIVATE)] = { 0 };
	const char untouched[sizeof(got)] = { 0 };
	struct drm_sundog_alloc_desc bad[2] = {
		{ .priv = (uintptr_t)got[1], .priv_size = 5, .flags = 1 },
	};
	struct drm_sundog_resource_open refused;
	struct drm_sundog_alloc_desc desc = { .size = PAGE };
	struct drm_sundog_resource_create create = {
		.allocs = (uintptr_t)&desc,
		.n_allocs = 1,
		.alloc_stride = sizeof(desc),
		.priv = (uintptr_t)priv,
		.priv_size = sizeof(priv),
		.flags = SHARED,
	};
	struct drm_sundog_resource_open open = {
		.allocs = (uintptr_t)read_only,
		.n_allocs = 2,
		.alloc_stride = sizeof(desc),
		.priv = (uintptr_t)got[0],
		.priv_size = 5,
	};
	struct sd_counts before;

	desc.priv = (uintptr_t)priv;
	desc.priv_size = sizeof(priv);
	sd_ioctl(fd, DRM_IOCTL_SUNDOG_RESOURCE_CREATE, &create);
	open.fd = sd_export(fd, desc.handle);
	before = sd_idle_counts(fd);
	open.allocs = (uintptr_t)bad;
	refused = open;
	igt_assert_eq(sd_try(fd, DRM_IOCTL_SUNDOG_RESOURCE_OPEN, &open), -EINVAL);
	igt_assert(!memcmp(&open, &refused, sizeof(open)));
	igt_assert(!memcmp(got, untouched, sizeof(got)));
	igt_assert_eq_u32(bad[0].priv_size, 5);
	igt_assert_eq_u32(bad[0].handle, 0);
	sd_wait_counts(fd, &before);
	open.allocs = (uintptr_t)read_only;
	igt_assert_eq(sd_try(fd, DRM_IOCTL_SUNDOG_RESOURCE_OPEN, &open), -EFAULT);
	igt_assert_eq_u32(open.priv_size, 5);
	igt_assert_eq_u32(open.n_allocs, 2);
	sd_wait_counts(fd, &before);
	close(open.fd);
	igt_assert_eq(sd_destroy_try(fd, create.res), 0);
}

/* Names @handle globally (GEM_FLINK). */
static uint32_t flink(int fd, uint32_t handle)
{
	struct drm_gem_flink args = { .handle = handle };

	sd_ioctl(fd, DRM_IOCTL_GEM_FLINK, &args);
	return args.name;
}

static int open_name_try(int fd, uint32_t name, uint32_t *handle)
{
	struct drm_gem_open args = { .name = name };
	int ret = sd_try(fd, DRM_IOCTL_GEM_OPEN, &args);

	*handle = args.handle;
	return ret;
}

/*
 * A global name gives another file a handle to the allocation, as for every GEM driver, and nothing
 * of its resource. The name is valid until the last handle is closed.
 */
static void test_global_name(void)
{
	const int fd = sd_open_primary(), other = sd_open_primary();
	const struct sd_counts idle = sd_idle_counts(fd);
	struct sd_resource *res = sd_resource(fd, 0, PAGE, 2);
	const uint32_t name = flink(fd, res->bos[1].handle);
	struct drm_sundog_alloc_info info;
	struct sd_counts expected = idle;
	uint32_t handle, again;

	igt_assert_eq(open_name_try(other, name, &handle), 0);
	igt_assert_eq(sd_info_try(other, handle, &info), 0);
	igt_assert_eq_u32(info.device_handle, res->bos[1].device_handle);
	igt_assert_eq(sd_dealloc_try(other, 0, &handle, 1), -EINVAL);
	sd_destroy(fd, res);
	expected.live++;
	sd_wait_counts(fd, &expected);
	igt_assert_eq(sd_info_try(other, handle, &info), 0);
	igt_assert_eq_u32(info.kres, 0);
	sd_gem_close(other, handle);
	igt_assert_eq(open_name_try(other, name, &again), -ENOENT);
	sd_wait_counts(fd, &idle);
	close(other);
	close(fd);
}

/* PRIVATE allocations stay in their file, also by a global name. */
static void test_global_name_private(void)
{
	const int fd = sd_open_primary(), other = sd_open_primary();
	const struct sd_counts idle = sd_idle_counts(fd);
	struct drm_sundog_alloc_desc desc = { .size = PAGE, .flags = DRM_SUNDOG_ALLOC_PRIVATE };
	struct drm_sundog_alloc alloc = {
		.allocs = (uintptr_t)&desc,
		.n_allocs = 1,
		.alloc_stride = sizeof(desc),
	};
	uint32_t handle, none, name;

	sd_ioctl(fd, DRM_IOCTL_SUNDOG_ALLOC, &alloc);
	name = flink(fd, desc.handle);
	igt_assert_eq(open_name_try(other, name, &none), -EPERM);
	igt_assert_eq(open_name_try(fd, name, &handle), 0);
	igt_assert_eq(sd_dealloc_try(fd, 0, &desc.handle, 1), 0);
	igt_assert_eq(open_name_try(other, name, &none), -EPERM);
	sd_gem_close(fd, handle);
	sd_wait_counts(fd, &idle);
	close(other);
	close(fd);
}

igt_main()
{
	static int fd = -1;

	igt_fixture()
		fd = sd_open();

	igt_describe("A dma-buf of any allocation opens the whole resource, and RESOURCE_OPEN "
		     "returns the allocation's index.");
	igt_subtest("through-any-allocation")
		test_any_allocation(fd);

	igt_describe("An opener in another process gets all allocations, sizes, contents and "
		     "private data.");
	igt_subtest("other-process-sees-everything")
		test_other_process(fd);

	igt_describe("An opener can export the resource to another opener after all previous files "
		     "were closed.");
	igt_subtest("openers-pass-it-on")
		test_passed_on(fd);

	igt_describe("An open in the creator's file returns a second id, which stays valid when "
		     "the first id is destroyed.");
	igt_subtest("same-file-creator-goes-first")
		test_same_file(fd, true);

	igt_describe("An open in the creator's file returns a second id; the first id stays valid "
		     "when the second is destroyed.");
	igt_subtest("same-file-opener-goes-first")
		test_same_file(fd, false);

	igt_describe("Each open of a resource returns a new id and new handles.");
	igt_subtest("each-open-has-its-own-ids")
		test_each_open(fd);

	igt_describe("RESOURCE_OPEN returns a size of 0 for a resource without private data.");
	igt_subtest("private-data-none")
		test_private(fd, 0);

	igt_describe("RESOURCE_OPEN returns one byte of private data to buffers of all sizes.");
	igt_subtest("private-data-one-byte")
		test_private(fd, 1);

	igt_describe("RESOURCE_OPEN returns private data of the maximum size, and to a smaller "
		     "buffer the part that fits.");
	igt_subtest("private-data-most")
		test_private(fd, DRM_SUNDOG_MAX_PRIVATE);

	igt_describe("RESOURCE_OPEN with a too short array fails with EINVAL, and with an empty "
		     "array returns the number of allocations.");
	igt_subtest("array-too-short")
		test_short_array(fd);

	igt_describe("A failed RESOURCE_OPEN creates no object, and does not change its arguments "
		     "and arrays.");
	igt_subtest("failed-open-changes-nothing")
		test_failed(fd);

	igt_describe("A global name (GEM_FLINK) gives another file a handle to one allocation, and "
		     "no access to its resource.");
	igt_subtest("global-name")
		test_global_name();

	igt_describe("GEM_OPEN of a PRIVATE allocation's global name fails with EPERM in another "
		     "file.");
	igt_subtest("global-name-of-private")
		test_global_name_private();

	igt_fixture()
		close(fd);
}
