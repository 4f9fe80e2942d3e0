// SPDX-License-Identifier: MIT
/*
 * PRIVATE allocations, which never leave their file, and residency lists, which save submissions
 * from listing the BOs that they always use.
 */
#include "sundog_gate.h"
#include "sundog_share.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#include <drm_fourcc.h>
#include <xf86drm.h>
#include <xf86drmMode.h>

IGT_TEST_DESCRIPTION("PRIVATE allocations and residency lists of a sundog device");

static int alloc_private_try(int fd, uint64_t res, uint64_t size, struct sd_bo *bo)
{
	struct drm_sundog_alloc_desc desc = { .size = size, .flags = DRM_SUNDOG_ALLOC_PRIVATE };
	struct drm_sundog_alloc args = {
		.allocs = (uintptr_t)&desc,
		.n_allocs = 1,
		.alloc_stride = sizeof(desc),
		.res = res,
	};
	int ret = sd_try(fd, DRM_IOCTL_SUNDOG_ALLOC, &args);

	*bo = (struct sd_bo){
		.handle = desc.handle,
		.device_handle = desc.device_handle,
		.index = desc.index,
		.size = desc.size,
		.map_offset = desc.map_offset,
		.mem = { args.kres, args.kres ? desc.index : desc.device_handle },
	};
	return ret;
}

static struct sd_bo alloc_private(int fd, uint64_t size)
{
	struct sd_bo bo;

	igt_assert_eq(alloc_private_try(fd, 0, size, &bo), 0);
	return bo;
}

static uint32_t reslist(int fd)
{
	struct drm_sundog_reslist_create args = { 0 };

	sd_ioctl(fd, DRM_IOCTL_SUNDOG_RESLIST_CREATE, &args);
	igt_assert(args.reslist);
	return args.reslist;
}

static int update_try(int fd, uint32_t list, const struct drm_sundog_submit_alloc *allocs,
		      uint32_t n)
{
	struct drm_sundog_reslist_update args = {
		.allocs = (uintptr_t)allocs,
		.n_allocs = n,
		.alloc_stride = sizeof(*allocs),
		.reslist = list,
	};

	return sd_try(fd, DRM_IOCTL_SUNDOG_RESLIST_UPDATE, &args);
}

static int put_try(int fd, uint32_t list, const struct sd_bo *bo, uint32_t flags)
{
	const struct drm_sundog_submit_alloc alloc = { bo->handle, flags };

	return update_try(fd, list, &alloc, 1);
}

static int destroy_try(int fd, uint32_t list)
{
	struct drm_sundog_reslist_destroy args = { .reslist = list };

	return sd_try(fd, DRM_IOCTL_SUNDOG_RESLIST_DESTROY, &args);
}

/* Submits the emitted packets with a residency list. */
static int submit_with_try(struct sd_context *ctx, uint32_t list, uint64_t *seqno)
{
	struct drm_sundog_submit args = {
		.ctx = ctx->id,
		.stream = ctx->stream_bo.handle,
		.stream_size = ctx->stream.used * 4,
		.stream_offset = (uintptr_t)ctx->stream.map - (uintptr_t)ctx->stream_map,
		.allocs = (uintptr_t)ctx->list,
		.n_allocs = ctx->count,
		.alloc_stride = sizeof(ctx->list[0]),
		.reslist = list,
	};
	int ret = sd_try(ctx->fd, DRM_IOCTL_SUNDOG_SUBMIT, &args);

	*seqno = args.seqno;
	ctx->count = 0;
	if (!ret)
		ctx->stream.used = 0;
	return ret;
}

/* Like sd_emit_fill(), but does not list the BO. */
static void emit_fill(struct sd_context *ctx, const struct sd_bo *bo, uint32_t value)
{
	sd_emit_fill(ctx, bo, value, 1);
	ctx->count--;
}

static void run_with(struct sd_context *ctx, uint32_t list)
{
	uint64_t seqno;

	igt_assert_eq(submit_with_try(ctx, list, &seqno), 0);
	sd_wait_seqno(ctx, seqno);
}

static void test_private_use(int fd)
{
	struct sd_context *ctx = sd_context(fd);
	const struct sd_bo a = alloc_private(fd, 4 * PAGE), b = alloc_private(fd, 4 * PAGE);
	struct drm_sundog_alloc_info info;

	sd_emit_fill(ctx, &a, 0x11111111, 1);
	sd_emit_copy(ctx, &a, &b);
	sd_run(ctx);
	igt_assert(sd_is_filled(fd, &b, 0x11111111));
	igt_assert_eq(sd_info_try(fd, b.handle, &info), 0);
	igt_assert_eq_u32(info.alloc_flags, DRM_SUNDOG_ALLOC_PRIVATE);
	sd_dealloc(fd, &a);
	sd_dealloc(fd, &b);
	sd_context_free(ctx);
}

static void test_private_stays(int fd)
{
	const struct sd_bo bo = alloc_private(fd, 64 * 64 * 4);
	uint32_t handles[4] = { bo.handle }, pitches[4] = { 64 * 4 }, offsets[4] = { 0 }, fb;
	struct drm_sundog_resource_create create = { .flags = SHARED };
	struct sd_bo other;
	int dmabuf, primary;

	igt_assert(drmPrimeHandleToFD(fd, bo.handle, DRM_CLOEXEC, &dmabuf) == -1);
	igt_assert_eq(errno, EPERM);
	sd_ioctl(fd, DRM_IOCTL_SUNDOG_RESOURCE_CREATE, &create);
	igt_assert_eq(alloc_private_try(fd, create.res, PAGE, &other), -EINVAL);
	igt_assert_eq(sd_destroy_try(fd, create.res), 0);
	sd_dealloc(fd, &bo);

	primary = sd_open_primary();
	other = alloc_private(primary, 64 * 64 * 4);
	handles[0] = other.handle;
	igt_assert(drmModeAddFB2(primary, 64, 64, DRM_FORMAT_XRGB8888, handles, pitches, offsets,
				 &fb, 0));
	close(primary);
}

/* Jobs on PRIVATE BOs do not wait for each other, but WAIT waits for them. */
static void test_private_sync(int fd)
{
	struct sd_context *held = sd_context(fd), *other = sd_context(fd);
	const struct sd_bo bo = alloc_private(fd, PAGE), idle = alloc_private(fd, PAGE);
	struct sd_gate gate = sd_gate_before(held);
	uint64_t seqno;

	sd_emit_fill(held, &bo, 1, 1);
	seqno = sd_submit(held);
	sd_emit_fill(other, &bo, 2, 1);
	sd_run(other);
	igt_assert(held->status->completed < seqno);
	igt_assert_eq(sd_wait_try(fd, bo.handle, READ, 0), -ETIME);
	igt_assert_eq(sd_wait_try(fd, idle.handle, READ, 0), -ETIME);
	sd_gate_lift(&gate);
	sd_wait(fd, &idle);
	igt_assert(held->status->completed >= seqno);
	sd_dealloc(fd, &bo);
	sd_dealloc(fd, &idle);
	sd_context_free(held);
	sd_context_free(other);
}

/* More PRIVATE memory than VRAM: a submission evicts BOs that it does not list. */
static void test_private_overcommit(int fd)
{
	const uint64_t size = sd_param(fd, DRM_SUNDOG_PARAM_VRAM_SIZE) / 8 / PAGE * PAGE;
	struct sd_context *ctx = sd_context(fd);
	struct sd_bo bos[20];
	const uint32_t n = sizeof(bos) / sizeof(bos[0]), rounds = sd_rounds(2, 3);

	for (uint32_t i = 0; i < n; i++)
		bos[i] = alloc_private(fd, size);
	for (uint32_t round = 1; round <= rounds; round++) {
		for (uint32_t i = 0; i < n; i++) {
			sd_emit_fill(ctx, &bos[i], round << 8 | i, 1);
			sd_emit_fill(ctx, &bos[(i + 7) % n], round << 8 | (i + 7) % n, 1);
			sd_run(ctx);
		}
		for (uint32_t i = 0; i < n; i++)
			igt_assert(sd_is_filled(fd, &bos[i], round << 8 | i));
	}
	for (uint32_t i = 0; i < n; i++)
		sd_dealloc(fd, &bos[i]);
	sd_context_free(ctx);
}

/*
 * Allocates idle BOs of @size bytes until VRAM has no room in one piece for another one: then a new
 * BO takes the place of an old one, and free VRAM does not shrink. Returns their number.
 */
static uint32_t fill_vram(int fd, struct sd_bo *bos, uint32_t max, uint64_t size)
{
	uint32_t n = 0;
	uint64_t room;

	sd_settle(fd);
	do {
		room = sd_vram_free(fd);
		if (room < size)
			break;
		igt_assert(n < max);
		bos[n++] = sd_alloc(fd, size);
		sd_settle(fd);
	} while (sd_vram_free(fd) + size <= room);
	return n;
}

/*
 * BOs that the CPU wrote while VRAM was full move into VRAM for a job that uses them, whatever
 * other contexts of the file do. Idle BOs make room.
 */
static void test_private_comes_in(int fd)
{
	enum { AWAY = 3, FULL = 100 };
	const uint64_t size = sd_param(fd, DRM_SUNDOG_PARAM_VRAM_SIZE) / 64 / PAGE * PAGE;
	struct sd_context *held = sd_idle_context(fd), *other = sd_context(fd);
	const struct sd_bo used = alloc_private(fd, PAGE), copy = alloc_private(fd, size);
	struct sd_bo full[FULL], away[AWAY];
	uint64_t seqno, room;
	struct sd_gate gate;
	uint32_t n;

	sd_emit_fill(held, &used, 1, 1);
	sd_run(held);
	sd_emit_fill(other, &copy, 1, 1);
	sd_run(other);
	n = fill_vram(fd, full, FULL, size);
	room = sd_vram_free(fd);
	for (int i = 0; i < AWAY; i++) {
		away[i] = alloc_private(fd, size);
		/* The last BO was never written: it reads as zero. */
		if (i < AWAY - 1)
			sd_fill(fd, &away[i], 0x500 + i);
		else
			sd_touch(fd, &away[i]);
	}
	igt_assert_eq_u64(sd_vram_free(fd), room);

	gate = sd_gate_before(held);
	sd_emit_fill(held, &used, 2, 1);
	seqno = sd_submit(held);
	for (int i = 0; i < AWAY; i++) {
		sd_emit_copy(other, &away[i], &copy);
		sd_run(other);
		igt_assert(held->status->completed < seqno);
		igt_assert(sd_is_filled(fd, &copy, i < AWAY - 1 ? 0x500 + i : 0));
	}
	sd_gate_lift(&gate);
	sd_wait_seqno(held, seqno);
	igt_assert(sd_is_filled(fd, &used, 2) && sd_is_filled(fd, &away[0], 0x500));
	for (int i = 0; i < AWAY; i++)
		sd_dealloc(fd, &away[i]);
	for (uint32_t i = 0; i < n; i++)
		sd_dealloc(fd, &full[i]);
	sd_dealloc(fd, &copy);
	sd_dealloc(fd, &used);
	sd_context_free(held);
	sd_context_free(other);
}

static void test_list(int fd)
{
	struct sd_context *ctx = sd_context(fd);
	const struct sd_bo a = alloc_private(fd, PAGE), b = sd_alloc(fd, PAGE);
	const uint32_t list = reslist(fd);

	igt_assert_eq(put_try(fd, list, &a, WRITE), 0);
	igt_assert_eq(put_try(fd, list, &b, READ), 0);
	emit_fill(ctx, &a, 1);
	run_with(ctx, list);
	igt_assert(sd_is_filled(fd, &a, 1));
	/* The list has the BO for reading, the submission for writing. */
	sd_emit_fill(ctx, &b, 2, 1);
	run_with(ctx, list);
	igt_assert(sd_is_filled(fd, &b, 2));
	igt_assert_eq(put_try(fd, list, &b, WRITE), 0);
	emit_fill(ctx, &b, 3);
	run_with(ctx, list);
	igt_assert(sd_is_filled(fd, &b, 3));
	igt_assert_eq(destroy_try(fd, list), 0);
	sd_dealloc(fd, &a);
	sd_dealloc(fd, &b);
	sd_context_free(ctx);
}

/* A BO that is not on the list, or not any more, cannot be accessed. */
static void test_off_list(int fd)
{
	struct sd_context *ctx = sd_context(fd);
	const struct sd_bo bo = alloc_private(fd, PAGE);
	const uint32_t list = reslist(fd);
	uint64_t seqno;

	igt_assert_eq(put_try(fd, list, &bo, 0), -ENOENT);
	igt_assert_eq(put_try(fd, list, &bo, WRITE), 0);
	igt_assert_eq(put_try(fd, list, &bo, 0), 0);
	emit_fill(ctx, &bo, 1);
	igt_assert_eq(submit_with_try(ctx, list, &seqno), 0);
	igt_assert_eq_u32(sd_wait_dead(ctx).fault, DRM_SUNDOG_FAULT_NOT_LISTED);
	igt_assert(sd_is_filled(fd, &bo, 0));
	igt_assert_eq(destroy_try(fd, list), 0);
	sd_dealloc(fd, &bo);
	sd_context_free(ctx);
}

/* A full list; the last BOs are reachable like the first. */
static void test_long_list(int fd)
{
	const uint32_t n = sd_param(fd, DRM_SUNDOG_PARAM_MAX_LIST);
	struct drm_sundog_submit_alloc *allocs = calloc(n + 1, sizeof(*allocs));
	struct sd_bo *bos = calloc(n + 1, sizeof(*bos));
	struct sd_context *ctx = sd_context(fd);
	const uint32_t list = reslist(fd);
	uint64_t seqno;

	for (uint32_t i = 0; i <= n; i++) {
		bos[i] = alloc_private(fd, PAGE);
		allocs[i] = (struct drm_sundog_submit_alloc){ bos[i].handle, WRITE };
	}
	igt_assert_eq(update_try(fd, list, allocs, n), 0);
	igt_assert_eq(put_try(fd, list, &bos[n], WRITE), -EDQUOT);
	/* Replaces a BO by another in one update, in either order. */
	for (int i = 0; i < 2; i++) {
		const struct sd_bo *comes = &bos[i ? 0 : n], *goes = &bos[i ? n : 0];
		struct drm_sundog_submit_alloc swap[2];

		swap[i] = (struct drm_sundog_submit_alloc){ comes->handle, WRITE };
		swap[!i] = (struct drm_sundog_submit_alloc){ goes->handle, 0 };
		igt_assert_eq(update_try(fd, list, swap, 2), 0);
		igt_assert_eq(put_try(fd, list, goes, WRITE), -EDQUOT);
	}
	for (int round = 0; round < 20; round++) {
		emit_fill(ctx, &bos[0], round);
		emit_fill(ctx, &bos[n - 1], round);
		run_with(ctx, list);
	}
	igt_assert(sd_is_filled(fd, &bos[0], 19) && sd_is_filled(fd, &bos[n - 1], 19));
	sd_emit_fill(ctx, &bos[n], 1, 1);
	igt_assert_eq(submit_with_try(ctx, list, &seqno), -EINVAL);
	igt_assert_eq(destroy_try(fd, list), 0);
	for (uint32_t i = 0; i <= n; i++)
		sd_dealloc(fd, &bos[i]);
	sd_context_free(ctx);
	free(bos);
	free(allocs);
}

/* A list keeps its BOs; an update that fails changes nothing. */
static void test_list_holds(int fd)
{
	const struct sd_counts idle = sd_idle_counts(fd);
	const struct sd_bo a = alloc_private(fd, PAGE), b = alloc_private(fd, PAGE);
	const struct sd_bo c = alloc_private(fd, PAGE);
	const struct drm_sundog_submit_alloc bad[] = { { b.handle, READ }, { 0x7ffffff0, READ } };
	const struct drm_sundog_submit_alloc off[] = { { a.handle, 0 }, { b.handle, 0 } };
	const uint32_t list = reslist(fd);

	igt_assert_eq(put_try(fd, list, &a, WRITE), 0);
	igt_assert_eq(update_try(fd, list, bad, 2), -ENOENT);
	igt_assert_eq(put_try(fd, list, &b, 0), -ENOENT);
	igt_assert_eq(update_try(fd, list, off, 2), -ENOENT);
	sd_dealloc(fd, &a);
	sd_dealloc(fd, &b);
	igt_assert_eq(sd_counts(fd).live, idle.live + 2);
	igt_assert_eq(put_try(fd, list, &c, WRITE), 0);
	igt_assert_eq(put_try(fd, list, &c, 0), 0);
	sd_dealloc(fd, &c);
	igt_assert_eq(sd_counts(fd).live, idle.live + 1);
	igt_assert_eq(destroy_try(fd, list), 0);
	igt_assert_eq(destroy_try(fd, list), -ENOENT);
	sd_wait_counts(fd, &idle);
}

static void test_file_close(int fd)
{
	const struct sd_counts idle = sd_idle_counts(fd);
	int other = sd_open();
	const struct sd_bo bo = alloc_private(other, PAGE);
	const uint32_t list = reslist(other);

	igt_assert_eq(put_try(other, list, &bo, WRITE), 0);
	igt_assert_eq(put_try(fd, list, &bo, WRITE), -ENOENT);
	igt_assert_eq(destroy_try(fd, list), -ENOENT);
	close(other);
	sd_wait_counts(fd, &idle);
}

/* Returns a list with @n new PRIVATE BOs, which the caller frees. */
static uint32_t new_list(int fd, struct sd_bo *bos, uint32_t n, uint64_t size)
{
	struct drm_sundog_submit_alloc *allocs = calloc(n, sizeof(*allocs));
	const uint32_t list = reslist(fd);

	for (uint32_t i = 0; i < n; i++) {
		bos[i] = alloc_private(fd, size);
		allocs[i] = (struct drm_sundog_submit_alloc){ bos[i].handle, WRITE };
	}
	igt_assert_eq(update_try(fd, list, allocs, n), 0);
	free(allocs);
	return list;
}

static void end_list(int fd, uint32_t list, const struct sd_bo *bos, uint32_t n)
{
	igt_assert_eq(destroy_try(fd, list), 0);
	for (uint32_t i = 0; i < n; i++)
		sd_dealloc(fd, &bos[i]);
}

/*
 * While nothing changes the driver does not walk the list, and the device has its entries already.
 */
static void test_list_unchanged(int fd)
{
	const uint32_t n = 2000;
	struct sd_bo *bos = calloc(n, sizeof(*bos)), other = sd_alloc(fd, PAGE);
	struct sd_context *ctx = sd_context(fd);
	const uint32_t list = new_list(fd, bos, n, PAGE);
	uint64_t written, copied;

	run_with(ctx, list);
	written = sd_lists_number(fd, "written");
	copied = sd_lists_number(fd, "copied");
	for (int round = 0; round < 20; round++) {
		emit_fill(ctx, &bos[0], round);
		emit_fill(ctx, &bos[n - 1], round);
		run_with(ctx, list);
		igt_assert(sd_is_filled(fd, &bos[n - 1], round));
	}
	igt_assert_eq_u64(sd_lists_number(fd, "written"), written);
	igt_assert_eq_u64(sd_lists_number(fd, "copied"), copied);

	/*
	 * With one more BO the driver copies the entries to where the device finds all of them
	 * together.
	 */
	for (uint32_t round = 1; round <= 10; round++) {
		sd_emit_fill(ctx, &other, round, 1);
		emit_fill(ctx, &bos[n / 2], round);
		run_with(ctx, list);
		igt_assert(sd_is_filled(fd, &bos[n / 2], round));
		igt_assert_eq_u64(sd_lists_number(fd, "copied"), copied + round * (n + 1));
	}
	igt_assert_eq_u64(sd_lists_number(fd, "written"), written);

	igt_assert_eq(put_try(fd, list, &bos[0], 0), 0);
	emit_fill(ctx, &bos[1], 5);
	run_with(ctx, list);
	igt_assert(sd_is_filled(fd, &bos[1], 5));
	igt_assert_eq_u64(sd_lists_number(fd, "written"), written + n - 1);
	end_list(fd, list, bos, n);
	sd_dealloc(fd, &other);
	sd_context_free(ctx);
	free(bos);
}

/*
 * Two lists in turn, also with other BOs in between: a copy of entries must not be used after it
 * was overwritten.
 */
static void test_lists_in_turn(int fd)
{
	const uint32_t n = 1500;
	struct sd_bo *bos = calloc(2 * n, sizeof(*bos));
	struct sd_context *ctx = sd_context(fd);
	uint32_t lists[2], which;

	lists[0] = new_list(fd, bos, n, PAGE);
	lists[1] = new_list(fd, bos + n, n, PAGE);
	for (uint32_t round = 1; round <= 40; round++) {
		which = round / 3 % 2;
		emit_fill(ctx, &bos[which * n], round);
		emit_fill(ctx, &bos[which * n + n - 1], round);
		if (round % 5 == 0)
			sd_list(ctx, &bos[0], READ);
		run_with(ctx, lists[which]);
		igt_assert(sd_is_filled(fd, &bos[which * n], round));
		igt_assert(sd_is_filled(fd, &bos[which * n + n - 1], round));
	}
	end_list(fd, lists[0], bos, n);
	end_list(fd, lists[1], bos + n, n);
	sd_context_free(ctx);
	free(bos);
}

/* Like submit_with_try(), but does not reuse the memory of the stream. */
static uint64_t queue_with(struct sd_context *ctx, uint32_t list)
{
	const uint32_t used = ctx->stream.used;
	uint64_t seqno;

	igt_assert(!ctx->stream.overflow);
	igt_assert_eq(submit_with_try(ctx, list, &seqno), 0);
	ctx->stream.map += used;
	ctx->stream.size -= used;
	return seqno;
}

/*
 * Many submissions in flight, with one list and then with another: more than the device's ring
 * holds.
 */
static void test_lists_in_flight(int fd)
{
	enum { N = 1100, LISTS = 3, JOBS = 60 };
	static const uint8_t order[] = { 0, 0, 0, 1, 0, 1, 1, 2, 2, 2, 2, 2, 0, 1, 2, 2 };
	struct sd_bo *bos = calloc(LISTS * N, sizeof(*bos)), *which;
	struct sd_context *ctx = sd_context(fd);
	const struct sundog_stream stream = ctx->stream;
	uint32_t lists[LISTS], last[LISTS] = { 0 }, value = 0;
	uint64_t seqno = 0;

	for (int i = 0; i < LISTS; i++)
		lists[i] = new_list(fd, bos + i * N, N, PAGE);
	for (int round = 0; round < sd_rounds(2, 100); round++) {
		for (int i = 0; i < JOBS; i++) {
			const int l = order[i % sizeof(order)];

			which = bos + l * N;
			last[l] = ++value;
			emit_fill(ctx, &which[0], value);
			emit_fill(ctx, &which[N - 1], value);
			if (i % 13 == 5)
				sd_list(ctx, &bos[N / 2], READ);
			seqno = queue_with(ctx, lists[l]);
		}
		sd_wait_seqno(ctx, seqno);
		ctx->stream = stream;
		for (int i = 0; i < LISTS; i++)
			igt_assert(sd_is_filled(fd, &bos[i * N], last[i]) &&
				   sd_is_filled(fd, &bos[i * N + N - 1], last[i]));
	}
	for (int i = 0; i < LISTS; i++)
		end_list(fd, lists[i], bos + i * N, N);
	sd_context_free(ctx);
	free(bos);
}

/* Two files, each with a list that needs most of VRAM. */
static void test_list_evicted(int fd)
{
	enum { N = 6, FILES = 2 };
	const uint64_t size = sd_param(fd, DRM_SUNDOG_PARAM_VRAM_SIZE) / 8 / PAGE * PAGE;
	const int fds[FILES] = { fd, sd_open() };
	struct sd_context *ctx[FILES];
	struct sd_bo bos[FILES][N];
	uint32_t lists[FILES];
	uint64_t written;

	for (int f = 0; f < FILES; f++) {
		ctx[f] = sd_context(fds[f]);
		lists[f] = new_list(fds[f], bos[f], N, size);
		for (uint32_t i = 0; i < N; i++)
			emit_fill(ctx[f], &bos[f][i], f << 8 | i);
		run_with(ctx[f], lists[f]);
	}
	for (uint32_t round = 1; round <= 2; round++) {
		for (int f = 0; f < FILES; f++) {
			written = sd_lists_number(fd, "written");
			emit_fill(ctx[f], &bos[f][round], round << 16 | f);
			run_with(ctx[f], lists[f]);
			igt_assert_eq_u64(sd_lists_number(fd, "written"), written + N);
			igt_assert(sd_is_filled(fds[f], &bos[f][round], round << 16 | f));
			igt_assert(sd_is_filled(fds[f], &bos[f][5], f << 8 | 5));
		}
	}
	for (int f = 0; f < FILES; f++) {
		end_list(fds[f], lists[f], bos[f], N);
		sd_context_free(ctx[f]);
	}
	close(fds[1]);
}

/*
 * BOs that never fit into VRAM together. A BO that both the list and the submission have counts
 * once.
 */
static void test_list_too_large(int fd)
{
	const uint64_t size = sd_param(fd, DRM_SUNDOG_PARAM_VRAM_SIZE) / 4 / PAGE * PAGE;
	struct sd_context *ctx = sd_context(fd);
	struct sd_bo bos[5];
	const uint32_t list = new_list(fd, bos, 5, size);
	uint64_t seqno;

	emit_fill(ctx, &bos[0], 1);
	igt_assert_eq(submit_with_try(ctx, list, &seqno), -ENOSPC);
	igt_assert_eq(submit_with_try(ctx, list, &seqno), -ENOSPC);
	igt_assert_eq(put_try(fd, list, &bos[3], 0), 0);
	igt_assert_eq(put_try(fd, list, &bos[4], 0), 0);
	for (int round = 0; round < 3; round++) {
		sd_list(ctx, &bos[1], READ);
		sd_list(ctx, &bos[2], READ);
		run_with(ctx, list);
		emit_fill(ctx, &bos[0], round);
	}
	run_with(ctx, list);
	igt_assert(sd_is_filled(fd, &bos[0], 2));
	sd_list(ctx, &bos[3], READ);
	sd_list(ctx, &bos[4], READ);
	igt_assert_eq(submit_with_try(ctx, list, &seqno), -ENOSPC);
	end_list(fd, list, bos, 5);
	sd_context_free(ctx);
}

/* A job keeps the BOs of its list, whatever happens to them and to the list before it runs. */
static void test_list_of_a_job(int fd)
{
	const struct sd_counts idle = sd_idle_counts(fd);
	struct sd_context *ctx = sd_context(fd);
	struct sd_bo bos[3];
	const uint32_t list = new_list(fd, bos, 3, PAGE);
	struct sd_gate gate = sd_gate_before(ctx);
	uint64_t seqno[2];

	emit_fill(ctx, &bos[0], 1);
	emit_fill(ctx, &bos[1], 1);
	igt_assert_eq(submit_with_try(ctx, list, &seqno[0]), 0);
	igt_assert_eq(put_try(fd, list, &bos[0], 0), 0);
	sd_dealloc(fd, &bos[0]);
	emit_fill(ctx, &bos[2], 2);
	igt_assert_eq(submit_with_try(ctx, list, &seqno[1]), 0);
	igt_assert_eq(destroy_try(fd, list), 0);
	sd_dealloc(fd, &bos[2]);
	igt_assert(sd_counts(fd).zombie >= idle.zombie + 2);
	sd_gate_lift(&gate);
	sd_wait_seqno(ctx, seqno[1]);
	igt_assert_eq_u32(sd_query(ctx).fault, DRM_SUNDOG_FAULT_NONE);
	igt_assert(sd_is_filled(fd, &bos[1], 1));
	sd_dealloc(fd, &bos[1]);
	sd_context_free(ctx);
	sd_wait_counts(fd, &idle);
}

/* A job waits for other users of a shared BO on its list. */
static void test_list_shared(int fd)
{
	const int other = sd_open();
	struct sd_context *ctx = sd_context(fd), *held = sd_context(other);
	const struct sd_bo a = alloc_private(fd, PAGE);
	struct sd_resource *res = sd_resource(fd, SHARED, PAGE, 1), *opened;
	const uint32_t list = reslist(fd);
	const int dmabuf = sd_export(fd, res->bos[0].handle);
	struct sd_gate gate;
	uint64_t seqno;

	opened = sd_opened(other, dmabuf);
	close(dmabuf);
	igt_assert_eq(put_try(fd, list, &a, WRITE), 0);
	igt_assert_eq(put_try(fd, list, &res->bos[0], WRITE), 0);
	gate = sd_gate_before(held);
	sd_emit_fill(held, &opened->bos[0], 1, 1);
	sd_submit(held);
	for (uint32_t round = 2; round <= 3; round++) {
		emit_fill(ctx, &a, round);
		emit_fill(ctx, &res->bos[0], round);
		igt_assert_eq(submit_with_try(ctx, list, &seqno), 0);
	}
	igt_assert_eq(sd_wait_try(fd, a.handle, READ, 0), -ETIME);
	sd_gate_lift(&gate);
	sd_wait_seqno(ctx, seqno);
	igt_assert(sd_is_filled(fd, &res->bos[0], 3) && sd_is_filled(fd, &a, 3));
	igt_assert_eq(destroy_try(fd, list), 0);
	sd_dealloc(fd, &a);
	sd_destroy(other, opened);
	sd_destroy(fd, res);
	sd_context_free(ctx);
	sd_context_free(held);
	close(other);
}

/* The entries of an unchanged list are stored once, however many submissions with it are queued. */
static void test_list_queued(int fd)
{
	struct sd_context *ctx = sd_context(fd);
	const uint32_t list = reslist(fd);
	struct sd_bo bos[240];
	struct sd_gate gate;
	uint64_t seqno;

	for (int i = 0; i < 240; i++) {
		bos[i] = alloc_private(fd, PAGE);
		igt_assert_eq(put_try(fd, list, &bos[i], READ), 0);
	}
	run_with(ctx, list);
	gate = sd_gate_before(ctx);
	for (int i = 0; i < 1000; i++)
		igt_assert_eq(submit_with_try(ctx, list, &seqno), 0);
	igt_assert(!sd_is_ready(gate.sync_file, POLLIN, 0));
	sd_gate_lift(&gate);
	sd_wait_seqno(ctx, seqno);
	igt_assert_eq(destroy_try(fd, list), 0);
	for (int i = 0; i < 240; i++)
		sd_dealloc(fd, &bos[i]);
	sd_context_free(ctx);
}

/*
 * A BO that loses its resource loses its name in streams, also on the list; its name is its device
 * handle then.
 */
static void test_list_name(int fd)
{
	struct drm_sundog_resource_create create = { 0 };
	struct sd_context *ctx = sd_context(fd);
	const uint32_t list = reslist(fd);
	struct sundog_mem name;
	uint64_t seqno;
	struct sd_bo bo;

	sd_ioctl(fd, DRM_IOCTL_SUNDOG_RESOURCE_CREATE, &create);
	igt_assert_eq(alloc_private_try(fd, create.res, PAGE, &bo), 0);
	igt_assert(bo.mem.kres);
	igt_assert_eq(put_try(fd, list, &bo, WRITE), 0);
	emit_fill(ctx, &bo, 1);
	run_with(ctx, list);
	igt_assert_eq(sd_destroy_try(fd, create.res), 0);
	name = bo.mem;
	bo.mem = (struct sundog_mem){ 0, bo.device_handle };
	emit_fill(ctx, &bo, 2);
	run_with(ctx, list);
	igt_assert_eq_u32(sd_query(ctx).fault, DRM_SUNDOG_FAULT_NONE);
	bo.mem = name;
	emit_fill(ctx, &bo, 3);
	igt_assert_eq(submit_with_try(ctx, list, &seqno), 0);
	igt_assert_eq_u32(sd_wait_dead(ctx).fault, DRM_SUNDOG_FAULT_NOT_LISTED);
	igt_assert_eq(destroy_try(fd, list), 0);
	sd_context_free(ctx);
}

static void on_alarm(int signal)
{
	(void)signal;
}

/* ALLOC of a PRIVATE BO that is not repeated after a signal. */
static int alloc_private_once(int fd)
{
	struct drm_sundog_alloc_desc desc = { .size = PAGE, .flags = DRM_SUNDOG_ALLOC_PRIVATE };
	struct drm_sundog_alloc args = {
		.allocs = (uintptr_t)&desc,
		.n_allocs = 1,
		.alloc_stride = sizeof(desc),
	};
	struct sd_bo bo = { 0 };

	if (ioctl(fd, DRM_IOCTL_SUNDOG_ALLOC, &args))
		return -errno;
	bo.handle = desc.handle;
	sd_dealloc(fd, &bo);
	return 0;
}

/*
 * Another client needs the VRAM of a busy PRIVATE BO. It keeps the dma_resv of the file locked
 * until the BO is idle, and ALLOC needs that lock.
 */
static void test_private_alloc_interrupted(int fd)
{
	const struct itimerval on = { { 0, 1000 }, { 0, 1000 } }, off = { 0 };
	const struct sigaction action = { .sa_handler = on_alarm };
	const struct sd_counts idle = sd_idle_counts(fd);
	const uint64_t vram = sd_param(fd, DRM_SUNDOG_PARAM_VRAM_SIZE);
	const int other_fd = sd_open();
	struct sd_context *ctx = sd_context(fd), *other = sd_context(other_fd);
	struct sd_bo bo = alloc_private(fd, vram / 4 * 3), large = sd_alloc(other_fd, vram / 2);
	const struct drm_sundog_submit_alloc alloc = { large.handle, WRITE };
	const struct drm_sundog_submit args = {
		.ctx = other->id, .allocs = (uintptr_t)&alloc, .n_allocs = 1,
		.alloc_stride = sizeof(alloc),
	};
	struct sd_gate gate = sd_gate_before(ctx);
	const int64_t end = sd_deadline();
	struct sd_progress *progress;
	int ret;

	sd_emit_fill(ctx, &bo, 0x1111, 1);
	sd_submit(ctx);
	progress = sd_submit_often(other_fd, &args, 1);
	igt_assert_eq(progress->submitted, 0);
	igt_assert(!sigaction(SIGALRM, &action, NULL));
	igt_assert(!setitimer(ITIMER_REAL, &on, NULL));
	/* The other client may not hold the lock yet. Zombies count until @bo is idle. */
	do {
		usleep(1000);
		ret = alloc_private_once(fd);
	} while (!ret && sd_now_plus_ms(0) < end);
	igt_assert(!setitimer(ITIMER_REAL, &off, NULL));
	igt_assert_eq(ret, -EINTR);
	sd_gate_lift(&gate);
	igt_waitchildren();
	igt_assert_eq(progress->submitted, 1);
	munmap(progress, PAGE);
	igt_assert_eq(alloc_private_once(fd), 0);
	igt_assert(sd_is_filled(fd, &bo, 0x1111));
	sd_dealloc(fd, &bo);
	sd_dealloc(other_fd, &large);
	sd_context_free(other);
	close(other_fd);
	sd_context_free(ctx);
	sd_wait_counts(fd, &idle);
}

igt_main()
{
	static int fd = -1;

	igt_fixture()
		fd = sd_open_renderer();

	igt_describe("CPU and device can use a PRIVATE allocation like any other.");
	igt_subtest("private-use")
		test_private_use(fd);

	igt_describe("A PRIVATE allocation cannot be exported, shown or added to a shared "
		     "resource.");
	igt_subtest("private-stays")
		test_private_stays(fd);

	igt_describe("Jobs on PRIVATE allocations do not wait for each other; WAIT on any of them "
		     "waits for all of these jobs.");
	igt_subtest("private-sync")
		test_private_sync(fd);

	igt_describe("PRIVATE allocations can exceed VRAM: a submission evicts those that it does "
		     "not list.");
	igt_subtest("private-overcommit")
		test_private_overcommit(fd);

	igt_describe("A job moves PRIVATE BOs into full VRAM without waiting for jobs of the "
		     "file's other contexts.");
	igt_subtest("private-comes-in")
		test_private_comes_in(fd);

	igt_describe("A signal interrupts ALLOC of a PRIVATE BO while another client evicts a busy "
		     "PRIVATE BO of the file.");
	igt_subtest("private-alloc-interrupted")
		test_private_alloc_interrupted(fd);

	igt_describe("A submission can use the allocations of its residency list without listing "
		     "them.");
	igt_subtest("reslist")
		test_list(fd);

	igt_describe("A stream that uses an allocation that was taken off the residency list "
		     "faults.");
	igt_subtest("reslist-taken-off")
		test_off_list(fd);

	igt_describe("A residency list takes MAX_LIST allocations, and one more fails with "
		     "EDQUOT.");
	igt_subtest("reslist-full")
		test_long_list(fd);

	igt_describe("A residency list keeps its allocations, and an update that fails changes "
		     "nothing.");
	igt_subtest("reslist-holds")
		test_list_holds(fd);

	igt_describe("Closing a file frees its residency lists, and another file cannot use them.");
	igt_subtest("reslist-file")
		test_file_close(fd);

	igt_describe("The driver neither writes nor copies the entries of an unchanged residency "
		     "list again.");
	igt_subtest("reslist-unchanged")
		test_list_unchanged(fd);

	igt_describe("Many queued submissions with an unchanged residency list do not fill the "
		     "queue.");
	igt_subtest("reslist-queued")
		test_list_queued(fd);

	igt_describe("Submissions that alternate between two residency lists use the right "
		     "entries.");
	igt_subtest("reslist-in-turn")
		test_lists_in_turn(fd);

	igt_describe("Submissions that alternate between residency lists use the right entries "
		     "while many are in flight.");
	igt_subtest("reslist-in-flight")
		test_lists_in_flight(fd);

	igt_describe("The allocations of a residency list are evicted, and return to VRAM with "
		     "their contents.");
	igt_subtest("reslist-evicted")
		test_list_evicted(fd);

	igt_describe("SUBMIT with a residency list that exceeds VRAM fails with ENOSPC, and works "
		     "after the list was shortened.");
	igt_subtest("reslist-too-large")
		test_list_too_large(fd);

	igt_describe("A queued job keeps the allocations that its residency list had at SUBMIT.");
	igt_subtest("reslist-of-a-job")
		test_list_of_a_job(fd);

	igt_describe("A job waits for other users of a shared allocation on its residency list.");
	igt_subtest("reslist-shared")
		test_list_shared(fd);

	igt_describe("An allocation on a residency list whose resource was destroyed is named by "
		     "its device handle only.");
	igt_subtest("reslist-name")
		test_list_name(fd);

	igt_fixture()
		close(fd);
}
