// SPDX-License-Identifier: MIT
/*
 * No leaks, whatever a process does: it is killed, forks, duplicates its descriptors, sends them to
 * others, carries them through exec, closes them in any order, or closes handles that belong to a
 * resource.
 */
#include "sundog_test.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <drm_fourcc.h>
#include <xf86drm.h>
#include <xf86drmMode.h>

IGT_TEST_DESCRIPTION("Lifetimes of resources across kill, fork, exec and file descriptor passing");

static void sleep_forever(void)
{
	for (;;)
		pause();
}

static void share_forever(void)
{
	int fd = sd_open(), other = sd_open();

	for (;;) {
		struct sd_resource *res = sd_resource(fd, SHARED, PAGE, 5), *opened;
		int dmabuf = sd_export(fd, res->bos[3].handle);
		struct sd_bo bo = res->bos[1];
		void *map = sd_map(fd, &bo);

		opened = sd_opened(other, dmabuf);
		sd_destroy(fd, res);
		close(dmabuf);
		sd_destroy(other, opened);
		sd_unmap(map, &bo);
		res = sd_resource(fd, 0, PAGE, 5);
		igt_assert_eq(sd_remove_try(fd, res, 1, 3), 0);
		sd_destroy(fd, res);
	}
}

static void submit_forever(void)
{
	int fd = sd_open();
	struct sd_context *ctx = sd_context(fd);

	for (uint32_t i = 0;; i++) {
		struct sd_resource *res = sd_resource(fd, i % 2 ? SHARED : 0, 1 << 20, 2);

		sd_emit_fill(ctx, &res->bos[0], i, 2);
		sd_emit_copy(ctx, &res->bos[0], &res->bos[1]);
		sd_submit(ctx);
		sd_destroy(fd, res);
	}
}

static void list_forever(void)
{
	int fd = sd_open();

	for (uint32_t i = 0;; i++) {
		struct sd_resource *res = i % 2 ? sd_private_resource(fd, PAGE, 4) :
						  sd_resource(fd, SHARED, PAGE, 4);
		const uint32_t list = sd_reslist(fd);

		for (uint32_t j = 0; j < 4; j++)
			igt_assert_eq(sd_reslist_put_try(fd, list, res->bos[j].handle, READ), 0);
		igt_assert_eq(sd_reslist_put_try(fd, list, res->bos[0].handle, 0), 0);
		sd_destroy(fd, res);
		if (i % 3)
			igt_assert_eq(sd_reslist_destroy_try(fd, list), 0);
	}
}

static void submit_lists_forever(void)
{
	int fd = sd_open();
	struct sd_context *ctx = sd_context(fd);

	for (uint32_t i = 0;; i++) {
		struct sd_resource *res = sd_private_resource(fd, 1 << 20, 2);
		const uint32_t list = sd_reslist(fd);
		uint64_t seqno;

		sd_emit_fill(ctx, &res->bos[0], i, 2);
		sd_submit(ctx);
		for (uint32_t j = 0; j < 2; j++)
			igt_assert_eq(sd_reslist_put_try(fd, list, res->bos[j].handle, WRITE), 0);
		igt_assert_eq(sd_reslist_submit_try(fd, ctx->id, list, &seqno), 0);
		sd_destroy(fd, res);
		igt_assert_eq(sd_reslist_destroy_try(fd, list), 0);
	}
}

static void test_kill(int fd, void (*what)(void), int rounds, int step_us)
{
	const struct sd_counts idle = sd_idle_counts(fd);

	for (int i = 0; i < rounds; i++) {
		pid_t child = sd_start_child(what);

		usleep(step_us * (i % 7) + 1000);
		sd_kill_child(child);
	}
	sd_wait_counts(fd, &idle);
}

/*
 * The child shares the parent's file: each can name the other's objects, and nothing is freed
 * early.
 */
static void test_fork(int fd)
{
	const struct sd_counts idle = sd_idle_counts(fd);
	int shared = sd_open(), pipes[2], status;
	struct sd_resource *res = sd_resource(shared, SHARED, PAGE, 2), *theirs;
	struct drm_sundog_alloc_info info;
	uint32_t handle;
	uint64_t id;
	pid_t child;

	igt_assert(!pipe(pipes));
	child = fork();
	if (!child) {
		theirs = sd_resource(shared, 0, PAGE, 3);
		if (sd_destroy_try(shared, res->res) ||
		    write(pipes[1], &theirs->res, 8) != 8 ||
		    write(pipes[1], &theirs->bos[2].handle, 4) != 4)
			_exit(1);
		_exit(0);
	}
	igt_assert(read(pipes[0], &id, 8) == 8 && read(pipes[0], &handle, 4) == 4);
	igt_assert(waitpid(child, &status, 0) == child && !status);
	igt_assert_eq(sd_destroy_try(shared, res->res), -ENOENT);
	igt_assert_eq(sd_info_try(shared, handle, &info), 0);
	igt_assert_eq_u32(info.index, 2);
	igt_assert_eq(sd_destroy_try(shared, id), 0);
	free(res);
	sd_wait_counts(fd, &idle);

	res = sd_resource(shared, 0, PAGE, 2);
	child = sd_start_child(sleep_forever);
	close(shared);
	igt_assert_eq(sd_counts(fd).resources, idle.resources + 1);
	sd_kill_child(child);
	free(res);
	close(pipes[0]);
	close(pipes[1]);
	sd_wait_counts(fd, &idle);
}

/* A mapping that a child inherited keeps the memory after all other references are released. */
static void test_fork_mapping(int fd)
{
	const struct sd_counts idle = sd_idle_counts(fd);
	struct sd_resource *res = sd_resource(fd, 0, PAGE, 2);
	const struct sd_bo bo = res->bos[0];
	volatile uint32_t *map = sd_map(fd, &bo);
	pid_t child;

	child = sd_start_child(sleep_forever);
	sd_unmap((void *)map, &bo);
	sd_destroy(fd, res);
	sd_wait_mapped(fd, &idle);
	sd_kill_child(child);
	sd_wait_counts(fd, &idle);
}

static void test_dup(int fd)
{
	const struct sd_counts idle = sd_idle_counts(fd);
	int first = sd_open(), second = dup(first), third = fcntl(first, F_DUPFD_CLOEXEC, 0),
		dmabuf;
	struct sd_resource *res = sd_resource(first, SHARED, PAGE, 2);

	close(first);
	igt_assert_eq(sd_counts(fd).resources, idle.resources + 1);
	dmabuf = sd_export(second, res->bos[0].handle);
	first = dup(dmabuf);
	close(dmabuf);
	close(second);
	igt_assert_eq(sd_counts(fd).resources, idle.resources + 1);
	igt_assert_eq(sd_destroy_try(third, res->res), 0);
	close(third);
	igt_assert_eq(sd_counts(fd).resources, idle.resources + 1);
	close(first);
	free(res);
	sd_wait_counts(fd, &idle);
}

/* Sends the DRM file itself; its ids stay valid after the sender has exited. */
static void test_send_file(int fd)
{
	const struct sd_counts idle = sd_idle_counts(fd);
	int sockets[2], received;
	uint64_t id;

	igt_assert(!socketpair(AF_UNIX, SOCK_STREAM, 0, sockets));
	igt_fork(child, 1) {
		int other = sd_open();
		struct sd_resource *res = sd_resource(other, 0, PAGE, 3);

		(void)child;
		sd_send_fd(sockets[1], other, &res->res, sizeof(res->res));
	}
	igt_waitchildren();
	igt_assert_eq(sd_counts(fd).resources, idle.resources + 1);
	received = sd_receive_fd(sockets[0], &id, sizeof(id));
	igt_assert_eq(sd_destroy_try(received, id), 0);
	igt_assert_eq(sd_counts(fd).resources, idle.resources);
	close(received);
	close(sockets[0]);
	close(sockets[1]);
	sd_wait_counts(fd, &idle);
}

/*
 * Runs the kernel's garbage collector for Unix sockets, by closing sockets. A run that has begun
 * already may miss the last socket, so this repeats.
 */
static void collect(int fd, const struct sd_counts *idle)
{
	const int64_t end = sd_deadline();
	int sockets[2];

	do {
		igt_assert(!socketpair(AF_UNIX, SOCK_STREAM, 0, sockets));
		close(sockets[0]);
		close(sockets[1]);
		usleep(1000);
	} while (sd_counts(fd).live != idle->live && sd_now_plus_ms(0) < end);
	sd_wait_counts(fd, idle);
}

/* Descriptors of dma-bufs and DRM files that no process receives, in sockets that are closed. */
static void test_send_nowhere(int fd)
{
	const struct sd_counts idle = sd_idle_counts(fd);

	for (int i = 0; i < 20; i++) {
		int sockets[2], other = sd_open(), dmabuf;
		struct sd_resource *res = sd_resource(other, SHARED, PAGE, 3);

		igt_assert(!socketpair(AF_UNIX, SOCK_STREAM, 0, sockets));
		dmabuf = sd_export(other, res->bos[1].handle);
		sd_send_fd(sockets[1], dmabuf, "d", 1);
		sd_send_fd(sockets[1], other, "f", 1);
		/* A socket in its own queue: only the kernel's garbage collector frees it. */
		if (i % 2)
			sd_send_fd(sockets[1], sockets[0], "s", 1);
		close(dmabuf);
		close(other);
		igt_assert_eq(sd_counts(fd).resources, idle.resources + 1);
		close(sockets[i % 2]);
		close(sockets[1 - i % 2]);
		free(res);
		collect(fd, &idle);
	}
}

/* @keep: the file survives exec. The child sleeps in another program until it is killed. */
static void test_exec(int fd, bool keep)
{
	const struct sd_counts idle = sd_idle_counts(fd);
	struct sd_counts expected = idle;
	int ready[2];
	char byte;
	pid_t child;

	/* A successful exec closes the pipe, which ends the read. */
	igt_assert(!pipe2(ready, O_CLOEXEC));
	child = fork();
	if (!child) {
		int other = sd_open();
		struct sd_resource *res = sd_resource(other, SHARED, PAGE, 3);

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		sd_export(other, res->bos[0].handle);
		if (keep)
			fcntl(other, F_SETFD, 0);
		execlp("sleep", "sleep", "1000", NULL);
		_exit(1);
	}
	close(ready[1]);
	igt_assert(read(ready[0], &byte, 1) == 0);
	close(ready[0]);
	if (keep) {
		expected.live += 3;
		expected.shared++;
		expected.resources++;
		expected.res_ids++;
		expected.kres++;
	}
	sd_wait_counts(fd, &expected);
	igt_assert(waitpid(child, NULL, WNOHANG) == 0);
	sd_kill_child(child);
	sd_wait_counts(fd, &idle);
}

/* GEM_CLOSE closes a handle of the resource; its allocation is freed with the resource. */
static void test_gem_close(int fd, uint32_t flags)
{
	const struct sd_counts idle = sd_idle_counts(fd);

	for (uint32_t which = 0; which < 8; which++) {
		struct sd_resource *res = sd_resource(fd, flags, PAGE, 3);
		struct sd_counts now;

		for (uint32_t i = 0; i < 3; i++)
			if (which >> i & 1)
				sd_gem_close(fd, res->bos[i].handle);
		now = sd_counts(fd);
		igt_assert_eq(now.live, idle.live + 3);
		sd_destroy(fd, res);
		sd_wait_counts(fd, &idle);
	}
}

/* The number of a closed handle names another BO when the resource is destroyed. */
static void test_handle_reused(int fd, uint32_t flags)
{
	const struct sd_counts idle = sd_idle_counts(fd);
	struct sd_resource *res = sd_resource(fd, flags, PAGE, 3);
	struct drm_sundog_alloc_info info;
	const uint32_t handle = res->bos[1].handle;
	struct sd_bo bo;

	sd_gem_close(fd, handle);
	bo = sd_alloc(fd, PAGE);
	igt_assert_eq_u32(bo.handle, handle);
	sd_fill(fd, &bo, 0xabcd);
	igt_assert_eq(sd_remove_try(fd, res, 0, 2), flags & SHARED ? -EBUSY : -EINVAL);
	sd_destroy(fd, res);
	igt_assert_eq(sd_info_try(fd, handle, &info), 0);
	igt_assert_eq_u32(info.device_handle, bo.device_handle);
	igt_assert(sd_is_filled(fd, &bo, 0xabcd));
	sd_dealloc(fd, &bo);
	sd_wait_counts(fd, &idle);
}

/* A handle of a resource id is closed, and its number is reused for the same allocation. */
static void test_handle_again(int creator, bool same_file, bool imported)
{
	int fd = same_file ? creator : sd_open();
	const struct sd_counts idle = sd_idle_counts(creator);
	struct sd_resource *res = sd_resource(creator, SHARED, PAGE, 1), *first, *second = NULL;
	struct drm_sundog_alloc_info info;
	int dmabuf = sd_export(creator, res->bos[0].handle);
	uint32_t handle, again;

	first = same_file ? res : sd_opened(fd, dmabuf);
	handle = first->bos[0].handle;
	sd_gem_close(fd, handle);
	if (imported) {
		igt_assert_eq(drmPrimeFDToHandle(fd, dmabuf, &again), 0);
	} else {
		second = sd_opened(fd, dmabuf);
		again = second->bos[0].handle;
	}
	igt_assert_eq_u32(again, handle);
	sd_destroy(fd, first);
	igt_assert_eq(sd_info_try(fd, handle, &info), 0);
	if (imported)
		sd_gem_close(fd, handle);
	else
		sd_destroy(fd, second);
	if (!same_file) {
		sd_destroy(creator, res);
		close(fd);
	}
	close(dmabuf);
	sd_wait_counts(creator, &idle);
}

/*
 * Exports allocation 0 twice, the second time after all its handles were closed and an open through
 * allocation 1 brought it back: two dma-bufs of one allocation. In between @first is closed, unless
 * @both.
 */
static struct sd_resource *export_twice(int opener, bool both, int *first, int *path, int *second)
{
	int fd = sd_open();
	struct sd_resource *res = sd_resource(fd, SHARED, PAGE, 2), *opened;
	char name[64];
	int dmabuf;

	*first = sd_export(fd, res->bos[0].handle);
	snprintf(name, sizeof(name), "/proc/self/fd/%d", *first);
	*path = open(name, O_PATH | O_CLOEXEC);
	igt_assert(*path >= 0);
	sd_gem_close(fd, res->bos[0].handle);
	if (!both)
		close(*first);
	dmabuf = sd_export(fd, res->bos[1].handle);
	opened = sd_opened(opener, dmabuf);
	*second = sd_export(opener, opened->bos[0].handle);
	close(dmabuf);
	free(res);
	close(fd);
	return opened;
}

/* Checks that each import of a dma-buf gives the same handle, and that it names @bo. */
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

/* An O_PATH descriptor keeps the dma-buf, but not its file: an export must not look the file up. */
static void test_export_after_path(int fd)
{
	const struct sd_counts idle = sd_idle_counts(fd);
	int first, path, second, opener = sd_open(), importer = sd_open();
	struct sd_resource *res = export_twice(opener, false, &first, &path, &second);

	check_import(importer, second, &res->bos[0]);
	close(path);
	close(second);
	free(res);
	close(opener);
	close(importer);
	sd_wait_counts(fd, &idle);
}

static void test_two_dmabufs(int fd)
{
	const struct sd_counts idle = sd_idle_counts(fd);
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
	sd_wait_counts(fd, &idle);
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

/*
 * A plain import does not hold the resource. Its exports may race with the resource's end, and must
 * not keep it alive.
 */
static void test_export_at_end(int fd)
{
	const struct sd_counts idle = sd_idle_counts(fd);

	for (int i = 0; i < sd_rounds(20, 500); i++) {
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
	sd_wait_counts(fd, &idle);
}

/*
 * Objects of all kinds that can hold a resource or an allocation of it, to be released in a random
 * order.
 */
#define N_THINGS 12

struct thing {
	enum { FILE_OF, RES_ID, DMA_BUF, MAPPING, FRAMEBUFFER, HANDLE } kind;
	int fd;
	uint64_t id;
	void *map;
};

static void let_go(struct thing *thing)
{
	const struct sd_bo bo = { .size = 2 * PAGE };

	switch (thing->kind) {
	case FILE_OF:
	case DMA_BUF:
		close(thing->fd);
		break;
	case RES_ID:
		igt_assert_eq(sd_destroy_try(thing->fd, thing->id), 0);
		close(thing->fd);
		break;
	case MAPPING:
		sd_unmap(thing->map, &bo);
		break;
	case FRAMEBUFFER:
		igt_assert(!drmModeRmFB(thing->fd, thing->id));
		close(thing->fd);
		break;
	case HANDLE:
		sd_gem_close(thing->fd, thing->id);
		close(thing->fd);
		break;
	}
}

static uint32_t add_framebuffer(int fd, uint32_t handle)
{
	uint32_t handles[4] = { handle }, pitches[4] = { 256 }, offsets[4] = { 0 }, fb;

	igt_assert(!drmModeAddFB2(fd, 64, 32, DRM_FORMAT_XRGB8888, handles, pitches, offsets, &fb,
				  0));
	return fb;
}

/* Duplicates descriptors, so that each thing has its own and can be released at any time. */
static void make_things(struct thing *things)
{
	int creator = sd_open_primary(), opener = sd_open(), importer = sd_open();
	struct sd_resource *res = sd_resource(creator, SHARED, 2 * PAGE, 4), *opened;
	int dmabufs[] = {
		sd_export(creator, res->bos[0].handle), sd_export(creator, res->bos[1].handle)
	};
	uint32_t imported;

	opened = sd_opened(opener, dmabufs[0]);
	igt_assert(!drmPrimeFDToHandle(importer, dmabufs[1], &imported));
	things[0] = (struct thing){ FILE_OF, .fd = dup(creator) };
	things[1] = (struct thing){ FILE_OF, .fd = dup(opener) };
	things[2] = (struct thing){ FILE_OF, .fd = dup(importer) };
	things[3] = (struct thing){ RES_ID, .fd = creator, .id = res->res };
	things[4] = (struct thing){ RES_ID, .fd = opener, .id = opened->res };
	things[5] = (struct thing){ DMA_BUF, .fd = dmabufs[0] };
	things[6] = (struct thing){ DMA_BUF, .fd = dmabufs[1] };
	things[7] = (struct thing){ MAPPING, .map = sd_map(creator, &res->bos[1]) };
	things[8] = (struct thing){ MAPPING, .map = sd_map(opener, &opened->bos[2]) };
	things[9] = (struct thing){ FRAMEBUFFER, .fd = dup(creator),
				    .id = add_framebuffer(creator, res->bos[2].handle) };
	things[10] = (struct thing){ HANDLE, .fd = importer, .id = imported };
	things[11] = (struct thing){ DMA_BUF, .fd = sd_export(opener, opened->bos[3].handle) };
	free(res);
	free(opened);
}

static void test_out_of_order(int fd)
{
	const struct sd_counts idle = sd_idle_counts(fd);
	struct thing things[N_THINGS];
	uint32_t seed = 42;

	for (int round = 0; round < sd_rounds(60, 2000); round++) {
		make_things(things);
		for (int left = N_THINGS; left; left--) {
			uint32_t which;

			seed = seed * 1103515245 + 12345;
			which = (seed >> 16) % left;
			let_go(&things[which]);
			things[which] = things[left - 1];
		}
		sd_wait_counts(fd, &idle);
	}
}

igt_main()
{
	static int fd = -1;

	igt_fixture()
		fd = sd_open();

	igt_describe("Killing a process at any moment while it creates, shares, opens, maps and "
		     "destroys resources leaks nothing.");
	igt_subtest("kill-while-sharing")
		test_kill(fd, share_forever, sd_rounds(20, 300), 3000);

	igt_describe("Killing a process at any moment while it updates residency lists leaks "
		     "nothing, also with PRIVATE allocations.");
	igt_subtest("kill-while-listing")
		test_kill(fd, list_forever, sd_rounds(20, 300), 3000);

	igt_describe("Parent and child use each other's objects in a file that both hold; the last "
		     "close frees them.");
	igt_subtest("fork")
		test_fork(fd);

	igt_describe("A mapping that a child inherited keeps its memory until the child ends.");
	igt_subtest("fork-with-mapping")
		test_fork_mapping(fd);

	igt_describe("A resource lives until the last duplicate of its files and dma-bufs is "
		     "closed.");
	igt_subtest("dup")
		test_dup(fd);

	igt_describe("A DRM file that was sent to another process keeps its resources after the "
		     "sender exits.");
	igt_subtest("scm-rights")
		test_send_file(fd);

	igt_describe("Files and dma-bufs that are sent and never received are freed with their "
		     "sockets.");
	igt_subtest("scm-rights-never-received")
		test_send_nowhere(fd);

	igt_describe("exec() closes a DRM file with FD_CLOEXEC and frees its resources.");
	igt_subtest("exec-closes")
		test_exec(fd, false);

	igt_describe("A DRM file without FD_CLOEXEC keeps its resources across exec(), until the "
		     "process ends.");
	igt_subtest("exec-keeps")
		test_exec(fd, true);

	igt_describe("Allocations of an unshared resource whose handles were closed are freed with "
		     "the resource.");
	igt_subtest("gem-close-of-unshared")
		test_gem_close(fd, 0);

	igt_describe("Allocations of a shared resource whose handles were closed are freed with "
		     "the resource.");
	igt_subtest("gem-close-of-shared")
		test_gem_close(fd, SHARED);

	igt_describe("Destroying an unshared resource does not close another BO that reuses the "
		     "number of a closed handle.");
	igt_subtest("handle-reused-unshared")
		test_handle_reused(fd, 0);

	igt_describe("Destroying a shared resource does not close another BO that reuses the "
		     "number of a closed handle.");
	igt_subtest("handle-reused-shared")
		test_handle_reused(fd, SHARED);

	igt_describe("A handle number that a second open reuses for the same allocation stays "
		     "valid when the first id is destroyed.");
	igt_subtest("handle-again-opened")
		test_handle_again(fd, false, false);

	igt_describe("A handle number that an open reuses in the creator's file stays valid when "
		     "the creator's id is destroyed.");
	igt_subtest("handle-again-created")
		test_handle_again(fd, true, false);

	igt_describe("A handle number that a plain import reuses for the same allocation stays "
		     "valid when the opener's id is destroyed.");
	igt_subtest("handle-again-imported")
		test_handle_again(fd, false, true);

	igt_describe("An allocation can be exported again while an O_PATH descriptor keeps its "
		     "first dma-buf without the file.");
	igt_subtest("export-after-path")
		test_export_after_path(fd);

	igt_describe("Two dma-bufs of one allocation can both be imported.");
	igt_subtest("two-dma-bufs")
		test_two_dmabufs(fd);

	igt_describe("Exports of a plain import that race with the destruction of the resource do "
		     "not keep it alive.");
	igt_subtest("export-at-end")
		test_export_at_end(fd);

	igt_describe("Files, ids, dma-bufs, mappings, framebuffers and imports of a resource are "
		     "released in random orders, and nothing leaks.");
	igt_subtest("out-of-order")
		test_out_of_order(fd);

	igt_fixture() {
		close(fd);
		fd = sd_open_renderer();
	}

	igt_describe("Killing a process at any moment while queued jobs use destroyed resources "
		     "leaks nothing.");
	igt_subtest("kill-while-submitting")
		test_kill(fd, submit_forever, sd_rounds(10, 100), 15000);

	igt_describe("Killing a process at any moment while queued jobs use destroyed residency "
		     "lists leaks nothing.");
	igt_subtest("kill-while-submitting-lists")
		test_kill(fd, submit_lists_forever, sd_rounds(10, 100), 15000);

	igt_fixture()
		close(fd);
}
