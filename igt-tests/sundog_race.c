// SPDX-License-Identifier: MIT
/*
 * Races: threads and processes that share a DRM file create, open, destroy, export, import,
 * release, map, list and submit the same resources, for a bounded number of rounds. A call that
 * loses a race returns the error for that; nothing else may happen, and nothing is left at the end.
 */
#include "sundog_test.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

#include <xf86drm.h>

IGT_TEST_DESCRIPTION("Calls that race on the same resources");

#define N_SLOTS 6

/* A resource that all workers use; the numbers may be stale at any time. */
struct slot {
	_Atomic uint64_t res;
	_Atomic uint32_t handle;
	_Atomic uint32_t list;		/* a residency list */
};

struct worker {
	/* The file that all workers share, the process's own file, and a context in the former. */
	int fd, own;
	uint32_t ctx;
	struct slot *slots;
	uint32_t seed;
	int rounds;
};

static uint32_t pick(struct worker *w, uint32_t n)
{
	w->seed = w->seed * 1103515245 + 12345;
	return (w->seed >> 16) % n;
}

/* Fails unless @ret is one of the results in @allowed, which ends with 1. */
static void check(const char *what, int ret, const int *allowed)
{
	for (; *allowed <= 0; allowed++)
		if (ret == *allowed)
			return;
	igt_assert_f(false, "%s: %d\n", what, ret);
}

#define CHECK(what, ret, ...) check(what, ret, (const int []){ __VA_ARGS__, 1 })

static void create(struct worker *w, struct slot *slot)
{
	struct drm_sundog_alloc_desc descs[3] = {
		{ .size = PAGE }, { .size = PAGE }, { .size = PAGE }
	};
	struct drm_sundog_resource_create args = {
		.allocs = (uintptr_t)descs,
		.n_allocs = 1 + pick(w, 3),
		.alloc_stride = sizeof(descs[0]),
		.flags = pick(w, 4) ? SHARED : 0,
	};
	uint64_t old;

	for (uint32_t i = 0; !args.flags && i < args.n_allocs; i++)
		descs[i].flags = pick(w, 2) ? DRM_SUNDOG_ALLOC_PRIVATE : 0;
	CHECK("create", sd_try(w->fd, DRM_IOCTL_SUNDOG_RESOURCE_CREATE, &args), 0);
	old = atomic_exchange(&slot->res, args.res);
	atomic_store(&slot->handle, descs[pick(w, args.n_allocs)].handle);
	if (old)
		CHECK("destroy", sd_destroy_try(w->fd, old), 0, -ENOENT);
}

static void destroy(struct worker *w, struct slot *slot)
{
	CHECK("destroy", sd_destroy_try(w->fd, atomic_load(&slot->res)), 0, -ENOENT);
}

static int export(struct worker *w, struct slot *slot)
{
	int dmabuf;

	if (drmPrimeHandleToFD(w->fd, atomic_load(&slot->handle), DRM_CLOEXEC, &dmabuf)) {
		CHECK("export", -errno, -ENOENT, -EPERM);
		return -1;
	}
	return dmabuf;
}

/* @fd: the shared file, or the process's own. No other worker uses the opened resource id. */
static void open_in(struct worker *w, struct slot *slot, int fd)
{
	struct drm_sundog_alloc_desc descs[8] = { 0 };
	struct drm_sundog_resource_open args = {
		.allocs = (uintptr_t)descs,
		.n_allocs = 8,
		.alloc_stride = sizeof(descs[0]),
		.fd = export(w, slot),
	};
	int ret;

	if (args.fd < 0)
		return;
	ret = sd_try(fd, DRM_IOCTL_SUNDOG_RESOURCE_OPEN, &args);
	CHECK("open", ret, 0, -ENOENT);
	close(args.fd);
	if (ret)
		return;
	igt_assert(args.kres);
	igt_assert(args.n_allocs >= 1 && args.n_allocs <= 3);
	/* No stale number of another thread can be this id. */
	CHECK("destroy opened", sd_destroy_try(fd, args.res), 0);
}

static void open_common(struct worker *w, struct slot *slot)
{
	open_in(w, slot, w->fd);
}

static void open_own(struct worker *w, struct slot *slot)
{
	open_in(w, slot, w->own);
}

/*
 * Both threads of a process import into its own file and share the handle: the first GEM_CLOSE
 * closes it for both.
 */
static void import(struct worker *w, struct slot *slot)
{
	int dmabuf = export(w, slot);
	struct drm_sundog_alloc_info info;
	struct drm_gem_close args = { 0 };

	if (dmabuf < 0)
		return;
	CHECK("import", drmPrimeFDToHandle(w->own, dmabuf, &args.handle) ? -errno : 0, 0);
	close(dmabuf);
	CHECK("info", sd_info_try(w->own, args.handle, &info), 0, -ENOENT);
	CHECK("close import", sd_try(w->own, DRM_IOCTL_GEM_CLOSE, &args), 0, -EINVAL);
}

static void alloc(struct worker *w, struct slot *slot)
{
	const uint64_t size = PAGE;
	struct sd_bo bo;

	CHECK("alloc", sd_alloc_try(w->fd, atomic_load(&slot->res), &size, 1, &bo), 0, -EBUSY,
	      -ENOENT);
	if (pick(w, 2))
		atomic_store(&slot->handle, bo.handle);
}

static void release(struct worker *w, struct slot *slot)
{
	const uint32_t handle = atomic_load(&slot->handle);

	CHECK("release", sd_dealloc_try(w->fd, atomic_load(&slot->res), &handle, 1), 0, -EBUSY,
	      -EINVAL, -ENOENT);
}

static void release_owned(struct worker *w, struct slot *slot)
{
	const uint32_t handle = atomic_load(&slot->handle);

	CHECK("release owned", sd_dealloc_try(w->fd, 0, &handle, 1), 0, -EINVAL, -ENOENT);
}

static void gem_close(struct worker *w, struct slot *slot)
{
	struct drm_gem_close args = { .handle = atomic_load(&slot->handle) };

	CHECK("close", sd_try(w->fd, DRM_IOCTL_GEM_CLOSE, &args), 0, -EINVAL);
}

static void map(struct worker *w, struct slot *slot)
{
	struct drm_sundog_alloc_info info;
	volatile uint32_t *at;
	int ret = sd_info_try(w->fd, atomic_load(&slot->handle), &info);

	CHECK("info", ret, 0, -ENOENT);
	if (ret)
		return;
	at = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, w->fd, info.map_offset);
	if (at == MAP_FAILED) {
		CHECK("map", -errno, -EINVAL, -EACCES);
		return;
	}
	at[pick(w, PAGE / 4)] = 1;
	munmap((void *)at, PAGE);
}

static void submit(struct worker *w, struct slot *slot)
{
	struct drm_sundog_submit_alloc list = {
		atomic_load(&slot->handle), pick(w, 2) ? READ : WRITE
	};
	struct drm_sundog_submit args = {
		.ctx = w->ctx,
		.allocs = (uintptr_t)&list,
		.n_allocs = 1,
		.alloc_stride = sizeof(list),
	};

	CHECK("submit", sd_try(w->fd, DRM_IOCTL_SUNDOG_SUBMIT, &args), 0, -ENOENT);
}

static void list_create(struct worker *w, struct slot *slot)
{
	const uint32_t old = atomic_exchange(&slot->list, sd_reslist(w->fd));

	if (old)
		CHECK("destroy list", sd_reslist_destroy_try(w->fd, old), 0, -ENOENT);
}

static void list_update(struct worker *w, struct slot *slot)
{
	CHECK("update list", sd_reslist_put_try(w->fd, atomic_load(&slot->list),
						atomic_load(&slot->handle),
						pick(w, 3) ? READ : 0), 0, -ENOENT);
}

static void list_destroy(struct worker *w, struct slot *slot)
{
	CHECK("destroy list", sd_reslist_destroy_try(w->fd, atomic_load(&slot->list)), 0, -ENOENT);
}

static void list_submit(struct worker *w, struct slot *slot)
{
	uint64_t seqno;

	CHECK("submit list", sd_reslist_submit_try(w->fd, w->ctx, atomic_load(&slot->list),
						   &seqno), 0, -ENOENT);
}

static void *work(void *data)
{
	static void (*const ops[])(struct worker *w, struct slot *slot) = {
		create, create, create, destroy, open_common, open_own, open_own, import, alloc,
		release, release_owned, gem_close, map, submit, submit, list_create, list_update,
		list_update, list_destroy, list_submit,
	};
	struct worker *w = data;

	for (int i = 0; i < w->rounds; i++)
		ops[pick(w, sizeof(ops) / sizeof(ops[0]))](w, &w->slots[pick(w, N_SLOTS)]);
	return NULL;
}

static void run_threads(struct worker *w, uint32_t seed)
{
	struct worker workers[2] = { *w, *w };
	pthread_t thread;

	workers[0].seed = seed;
	workers[1].seed = seed + 1000;
	igt_assert(!pthread_create(&thread, NULL, work, &workers[0]));
	work(&workers[1]);
	pthread_join(thread, NULL);
}

static void run_process(struct worker *w, uint32_t seed)
{
	uint64_t ignored;

	w->own = sd_open();
	igt_assert_eq(sd_context_try(w->fd, &w->ctx, &ignored), 0);
	run_threads(w, seed);
	igt_assert_eq(sd_context_destroy_try(w->fd, w->ctx), 0);
	close(w->own);
}

static void test(int fd, int processes, int rounds)
{
	const struct sd_counts idle = sd_idle_counts(fd);
	struct worker w = { .fd = sd_open(), .rounds = rounds };

	w.slots = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	igt_assert(w.slots != MAP_FAILED);
	if (processes == 1) {
		run_process(&w, 1);
	} else {
		igt_fork(child, processes)
			run_process(&w, child);
		igt_waitchildren();
	}
	close(w.fd);
	munmap(w.slots, PAGE);
	sd_wait_counts(fd, &idle);
}

/* A call with arguments that the kernel can read, but not write to the end. */
struct failing {
	int fd;
	struct drm_sundog_resource_create args;
	_Atomic bool done;
};

static void *create_failing(void *data)
{
	struct failing *failing = data;
	struct drm_sundog_resource_create args = failing->args;

	igt_assert_eq(sd_try(failing->fd, DRM_IOCTL_SUNDOG_RESOURCE_CREATE, &args), -EFAULT);
	atomic_store(&failing->done, true);
	return NULL;
}

/*
 * Exports the BOs of one such call by guessed handles, and tries to open them. Returns the number
 * of tries.
 */
static int guess_and_open(struct failing *failing, struct sd_resource *res)
{
	int dmabuf, n = 0;
	pthread_t thread;
	uint32_t index;

	failing->fd = sd_open();
	failing->done = false;
	igt_assert(!pthread_create(&thread, NULL, create_failing, failing));
	while (!atomic_load(&failing->done)) {
		if (drmPrimeHandleToFD(failing->fd, 1, DRM_CLOEXEC, &dmabuf))
			continue;
		igt_assert_eq(sd_open_try(failing->fd, dmabuf, res, &index), -ENOENT);
		close(dmabuf);
		n++;
	}
	pthread_join(thread, NULL);
	close(failing->fd);
	return n;
}

static void test_failing_create(int fd)
{
	const struct sd_counts idle = sd_idle_counts(fd);
	const uint32_t count = DRM_SUNDOG_MAX_ALLOCS;
	const size_t size = 64 * PAGE, used = count * sizeof(struct drm_sundog_alloc_desc);
	char *mem = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct drm_sundog_alloc_desc *descs = (void *)(mem + size - used);
	struct sd_resource *res = calloc(1, sizeof(*res));
	struct failing failing = {
		.args = {
			.allocs = (uintptr_t)descs,
			.n_allocs = count,
			.alloc_stride = sizeof(descs[0]),
			.flags = SHARED,
		},
	};
	int n = 0;

	igt_assert(mem != MAP_FAILED && used <= size);
	for (uint32_t i = 0; i < count; i++)
		descs[i].size = PAGE;
	igt_assert(!mprotect(mem + size - PAGE, PAGE, PROT_READ));
	for (int i = 0; i < 200 && n < 20; i++)
		n += guess_and_open(&failing, res);
	igt_assert(n > 0);
	munmap(mem, size);
	free(res);
	sd_wait_counts(fd, &idle);
}

/* Writes two handles to a word, in turn. */
struct flipper {
	volatile uint32_t *word;
	_Atomic uint64_t handles;	/* one in each half */
	_Atomic bool stop;
};

static void *flip(void *data)
{
	struct flipper *flipper = data;

	while (!atomic_load(&flipper->stop)) {
		const uint64_t handles = atomic_load(&flipper->handles);

		*flipper->word = handles;
		*flipper->word = handles >> 32;
	}
	return NULL;
}

/*
 * The argument of GEM_CLOSE changes during the call, between a handle of a resource and another
 * one. In both cases RESOURCE_DESTROY closes the resource's handle.
 */
static void test_changing_handle(int fd)
{
	const struct sd_counts idle = sd_idle_counts(fd);
	/* The thread goes on if the subtest fails. */
	static struct drm_gem_close args;
	static struct flipper flipper = { .word = &args.handle };
	struct drm_sundog_alloc_info info;
	const uint64_t size = PAGE;
	const int own = sd_open();
	pthread_t thread;

	igt_assert(!pthread_create(&thread, NULL, flip, &flipper));
	for (int i = 0; i < sd_rounds(20000, 500000); i++) {
		struct drm_sundog_alloc_desc desc = { .size = PAGE };
		struct drm_sundog_resource_create create = {
			.allocs = (uintptr_t)&desc,
			.n_allocs = 1,
			.alloc_stride = sizeof(desc),
		};
		struct sd_bo bo;

		sd_ioctl(own, DRM_IOCTL_SUNDOG_RESOURCE_CREATE, &create);
		igt_assert_eq(sd_alloc_try(own, 0, &size, 1, &bo), 0);
		atomic_store(&flipper.handles, (uint64_t)bo.handle << 32 | desc.handle);
		/* The other thread may still write older handles, which are the same mostly. */
		CHECK("close", sd_try(own, DRM_IOCTL_GEM_CLOSE, &args), 0, -EINVAL);
		igt_assert_eq(sd_destroy_try(own, create.res), 0);
		igt_assert_eq(sd_info_try(own, desc.handle, &info), -ENOENT);
		CHECK("release", sd_dealloc_try(own, 0, &bo.handle, 1), 0, -ENOENT);
	}
	atomic_store(&flipper.stop, true);
	pthread_join(thread, NULL);
	close(own);
	sd_wait_counts(fd, &idle);
}

igt_main()
{
	static int fd = -1;

	igt_fixture()
		fd = sd_open_renderer();

	igt_describe("Two threads race on the same resources: no call returns an unexpected error, "
		     "and nothing leaks.");
	igt_subtest("two-threads")
		test(fd, 1, sd_rounds(3000, 100000));

	igt_describe("Eight processes of two threads each race on the same resources: no "
		     "unexpected error, and no leak.");
	igt_subtest("eight-processes")
		test(fd, 8, sd_rounds(400, 20000));

	igt_describe("RESOURCE_OPEN cannot open a resource whose RESOURCE_CREATE is about to "
		     "fail.");
	igt_subtest("open-of-a-failing-create")
		test_failing_create(fd);

	igt_describe("RESOURCE_DESTROY closes the resource's handle although GEM_CLOSE's argument "
		     "changes during its call.");
	igt_subtest("close-of-a-changing-handle")
		test_changing_handle(fd);

	igt_fixture()
		close(fd);
}
