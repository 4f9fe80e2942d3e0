// SPDX-License-Identifier: MIT
/*
 * Submissions: in-fences and out-fences, syncobjs, implicit synchronisation, and memory and
 * contexts that are released while the device uses them.
 */
#include "sundog_gate.h"
#include "sundog_share.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <xf86drm.h>

IGT_TEST_DESCRIPTION("Submissions to a sundog device and their fences");

#define BIG (8 << 20)
/* Fills of BIG that keep the device busy for a while. */
#define LONG 100

static uint64_t submit_sync(struct sd_context *ctx, const struct drm_sundog_sync *syncs, uint32_t n)
{
	struct drm_sundog_submit args = {
		.ctx = ctx->id,
		.syncs = (uintptr_t)syncs,
		.n_syncs = n,
		.sync_stride = sizeof(*syncs),
		.alloc_stride = sizeof(ctx->list[0]),
	};

	sd_ioctl(ctx->fd, DRM_IOCTL_SUNDOG_SUBMIT, &args);
	return args.seqno;
}

static void test_fence(int fd)
{
	struct sd_context *ctx = sd_context(fd);
	uint64_t seqno, last = 0;

	for (int i = 0; i < 300; i++) {
		seqno = sd_submit(ctx);
		igt_assert(seqno > last);
		last = seqno;
		sd_wait_seqno(ctx, seqno);
	}
	sd_context_free(ctx);
}

/* Submits more jobs than the ring has slots, with no wait in between. */
static void test_many(int fd)
{
	struct sd_context *ctx = sd_context(fd);
	uint64_t seqno = 0;

	for (int i = 0; i < 20 * SUNDOG_RING_SLOTS; i++)
		seqno = sd_submit(ctx);
	sd_wait_seqno(ctx, seqno);
	sd_context_free(ctx);
}

static void test_order(int fd)
{
	struct sd_context *ctx = sd_context(fd);
	struct sd_bo bo = sd_alloc(fd, 16 * PAGE);

	for (uint32_t i = 1; i <= 200; i++) {
		sd_emit_fill(ctx, &bo, i, 1);
		sd_submit(ctx);
	}
	sd_wait(fd, &bo);
	igt_assert(sd_is_filled(fd, &bo, 200));
	sd_dealloc(fd, &bo);
	sd_context_free(ctx);
}

/*
 * Some jobs go straight to the ring, others wait for a fence in the scheduler: all complete in
 * order.
 */
static void test_both_ways(int fd)
{
	struct sd_context *ctx = sd_context(fd);
	struct sd_bo bo = sd_alloc(fd, BIG);
	struct sd_gate gate;
	uint64_t seqno;

	for (uint32_t i = 0; i < 10; i++) {
		sd_emit_fill(ctx, &bo, 4 * i, 20);
		sd_submit(ctx);
		gate = sd_gate_before(ctx);
		sd_emit_fill(ctx, &bo, 4 * i + 1, 1);
		seqno = sd_submit(ctx);
		sd_emit_fill(ctx, &bo, 4 * i + 2, 1);
		sd_submit(ctx);
		igt_assert(ctx->status->completed < seqno);
		sd_gate_lift(&gate);
		sd_emit_fill(ctx, &bo, 4 * i + 3, 1);
		sd_submit(ctx);
		if (i % 2)
			continue;
		sd_wait(fd, &bo);
		igt_assert(sd_is_filled(fd, &bo, 4 * i + 3));
	}
	sd_wait(fd, &bo);
	igt_assert(sd_is_filled(fd, &bo, 4 * 9 + 3));
	sd_dealloc(fd, &bo);
	sd_context_free(ctx);
}

/*
 * The first job keeps the ring full until all others are queued and the scheduler has had time to
 * run some of them: no job in the ring is overwritten. If the first job was done before, repeats
 * that with a longer one.
 */
static void test_ring_kept(int fd)
{
	struct sd_bo busy = sd_alloc(fd, 2 * BIG), bos[3 * SUNDOG_RING_SLOTS];
	const uint32_t n = sizeof(bos) / sizeof(*bos);
	uint32_t length = LONG;
	struct sd_context *ctx;
	uint64_t first;
	bool kept;

	for (uint32_t i = 0; i < n; i++)
		bos[i] = sd_alloc(fd, PAGE);
	do {
		ctx = sd_context(fd);
		sd_emit_fill(ctx, &busy, 1, length);
		first = sd_submit(ctx);
		for (uint32_t i = 0; i < n; i++) {
			sd_emit_fill(ctx, &bos[i], length + i, 1);
			sd_submit(ctx);
		}
		usleep(100000);
		kept = ctx->status->completed < first;
		sd_run(ctx);
		for (uint32_t i = 0; i < n; i++)
			igt_assert(sd_is_filled(fd, &bos[i], length + i));
		sd_context_free(ctx);
		igt_info("the ring %s full behind a job of %u fills\n", kept ? "stayed" : "was not",
			 length);
		length *= 2;
	} while (!kept && length <= 16 * LONG);
	igt_assert(kept);
	for (uint32_t i = 0; i < n; i++)
		sd_dealloc(fd, &bos[i]);
	sd_dealloc(fd, &busy);
}

static void wait_syncobj(int fd, uint32_t handle)
{
	igt_assert_eq(drmSyncobjWait(fd, &handle, 1, sd_deadline(), 0, NULL), 0);
}

static void test_syncobj_out(int fd)
{
	struct sd_context *ctx = sd_context(fd);
	struct drm_sundog_sync out[2] = { { .flags = SIGNAL }, { .flags = SIGNAL } };
	struct sd_bo bo = sd_alloc(fd, BIG);
	int file = -1;

	igt_assert(!drmSyncobjCreate(fd, 0, &out[0].handle));
	igt_assert(!drmSyncobjCreate(fd, 0, &out[1].handle));
	sd_emit_fill(ctx, &bo, 5, LONG);
	sd_submit(ctx);
	submit_sync(ctx, out, 2);
	wait_syncobj(fd, out[0].handle);
	wait_syncobj(fd, out[1].handle);
	igt_assert(sd_is_filled(fd, &bo, 5));
	igt_assert(!drmSyncobjExportSyncFile(fd, out[0].handle, &file));
	close(file);
	drmSyncobjDestroy(fd, out[0].handle);
	drmSyncobjDestroy(fd, out[1].handle);
	sd_dealloc(fd, &bo);
	sd_context_free(ctx);
}

/* One context waits for another's job by a syncobj alone: they have no BO in common. */
static void test_syncobj_in(int fd)
{
	struct sd_context *a = sd_context(fd), *b = sd_context(fd);
	struct drm_sundog_sync sync = { .flags = SIGNAL };
	struct sd_bo bo = sd_alloc(fd, BIG);

	igt_assert(!drmSyncobjCreate(fd, 0, &sync.handle));
	sd_emit_fill(a, &bo, 6, LONG);
	sd_submit(a);
	submit_sync(a, &sync, 1);
	sync.flags = WAIT;
	sd_wait_seqno(b, submit_sync(b, &sync, 1));
	igt_assert(sd_is_filled(fd, &bo, 6));
	drmSyncobjDestroy(fd, sync.handle);
	sd_dealloc(fd, &bo);
	sd_context_free(a);
	sd_context_free(b);
}

static void test_syncobj_empty(int fd)
{
	struct sd_context *ctx = sd_context(fd);
	struct drm_sundog_sync sync = { .flags = WAIT };
	struct drm_sundog_submit args = {
		.ctx = ctx->id,
		.syncs = (uintptr_t)&sync,
		.n_syncs = 1,
		.sync_stride = sizeof(sync),
		.alloc_stride = sizeof(ctx->list[0]),
	};
	int ret;

	igt_assert_eq(sd_try(fd, DRM_IOCTL_SUNDOG_SUBMIT, &args), -ENOENT);
	igt_assert(!drmSyncobjCreate(fd, 0, &sync.handle));
	ret = sd_try(fd, DRM_IOCTL_SUNDOG_SUBMIT, &args);
	igt_assert(ret == -EINVAL || ret == -ENOENT);
	drmSyncobjDestroy(fd, sync.handle);
	sd_run(ctx);
	sd_context_free(ctx);
}

static void test_timeline(int fd)
{
	struct sd_context *a = sd_context(fd), *b = sd_context(fd);
	struct drm_sundog_sync syncs[2] = {
		{ .type = DRM_SUNDOG_SYNC_TYPE_TIMELINE, .flags = SIGNAL },
		{ .type = DRM_SUNDOG_SYNC_TYPE_TIMELINE, .flags = WAIT },
	};
	uint64_t point, seqno = 0;
	uint32_t handle;

	igt_assert(!drmSyncobjCreate(fd, 0, &handle));
	syncs[0].handle = syncs[1].handle = handle;
	for (point = 1; point <= 20; point++) {
		syncs[0].point = point;
		syncs[1].point = point - 1;
		seqno = submit_sync(point % 2 ? a : b, syncs, point > 1 ? 2 : 1);
	}
	sd_wait_seqno(b, seqno);
	point = 20;
	igt_assert_eq(drmSyncobjTimelineWait(fd, &handle, &point, 1, sd_deadline(), 0,
					     NULL), 0);
	igt_assert_eq(drmSyncobjQuery(fd, &handle, &point, 1), 0);
	igt_assert_eq_u64(point, 20);
	drmSyncobjDestroy(fd, handle);
	sd_context_free(a);
	sd_context_free(b);
}

/* Writers and readers of a BO in two contexts, ordered by nothing but their lists. */
static void test_implicit(int fd)
{
	struct sd_context *a = sd_context(fd), *b = sd_context(fd);
	struct sd_bo src = sd_alloc(fd, BIG), dst = sd_alloc(fd, BIG);

	for (uint32_t i = 1; i <= 5; i++) {
		sd_emit_fill(a, &src, i, 8);
		sd_submit(a);
		sd_emit_copy(b, &src, &dst);
		sd_submit(b);
		sd_emit_fill(a, &src, 0xffffffff, 1);
		sd_submit(a);
		sd_wait(fd, &dst);
		igt_assert(sd_is_filled(fd, &dst, i));
	}
	sd_wait(fd, &src);
	sd_dealloc(fd, &src);
	sd_dealloc(fd, &dst);
	sd_context_free(a);
	sd_context_free(b);
}

static void test_wait(int fd)
{
	struct sd_context *ctx = sd_context(fd);
	struct sd_bo src = sd_alloc(fd, BIG), dst = sd_alloc(fd, BIG);
	struct sd_gate gate;
	uint64_t seqno;

	igt_assert_eq(sd_wait_try(fd, dst.handle, WRITE, 0), 0);
	gate = sd_gate_before(ctx);
	for (int i = 0; i < LONG; i++) {
		sd_emit_copy(ctx, &src, &dst);
		ctx->count -= i ? 2 : 0;
	}
	seqno = sd_submit(ctx);
	igt_assert_eq(sd_wait_try(fd, dst.handle, WRITE, 0), -ETIME);
	igt_assert_eq(sd_wait_try(fd, dst.handle, READ, 0), -ETIME);
	igt_assert_eq(sd_wait_try(fd, src.handle, READ, 0), 0);
	igt_assert_eq(sd_wait_try(fd, src.handle, WRITE, sd_now_plus_ms(1)), -ETIME);
	igt_assert(ctx->status->completed < seqno);
	sd_gate_lift(&gate);
	igt_assert_eq(sd_wait_try(fd, dst.handle, READ, INT64_MAX), 0);
	igt_assert(ctx->status->completed >= seqno);
	igt_assert_eq(sd_wait_try(fd, src.handle, WRITE, 0), 0);
	sd_dealloc(fd, &src);
	sd_dealloc(fd, &dst);
	sd_context_free(ctx);
}

static void on_signal(int signal)
{
	(void)signal;
}

/* Waits restart after signals, and still end at their timeout. */
static void test_wait_signals(int fd)
{
	struct sd_context *ctx = sd_context(fd);
	struct sd_bo bo = sd_alloc(fd, BIG);
	pid_t parent = getpid(), child;

	signal(SIGUSR1, on_signal);
	child = fork();
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;) {
			kill(parent, SIGUSR1);
			usleep(1000);
		}
	}
	for (int i = 0; i < 3; i++) {
		struct sd_gate gate = sd_gate_before(ctx);

		sd_emit_fill(ctx, &bo, 9, 2 * LONG);
		sd_submit(ctx);
		igt_assert_eq(sd_wait_try(fd, bo.handle, WRITE, sd_now_plus_ms(10)), -ETIME);
		sd_gate_lift(&gate);
		sd_wait(fd, &bo);
	}
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	signal(SIGUSR1, SIG_DFL);
	igt_assert(sd_is_filled(fd, &bo, 9));
	sd_dealloc(fd, &bo);
	sd_context_free(ctx);
}

/*
 * Row 13 of docs/design/resource-model.md: memory that a queued submission lists is released, and
 * not reused before the submission is done.
 */
static void test_dealloc_busy(int fd)
{
	struct sd_context *ctx = sd_idle_context(fd);
	const uint64_t before = sd_vram_free(fd);
	struct sd_bo busy = sd_alloc(fd, BIG), src = sd_alloc(fd, BIG), dst = sd_alloc(fd, BIG),
		fresh;

	sd_emit_fill(ctx, &src, 0xabcdabcd, 1);
	sd_run(ctx);
	sd_emit_fill(ctx, &busy, 1, LONG);
	sd_submit(ctx);
	sd_emit_copy(ctx, &src, &dst);
	sd_submit(ctx);
	sd_dealloc(fd, &src);
	sd_dealloc(fd, &busy);
	for (int i = 0; i < 4; i++) {
		fresh = sd_alloc(fd, BIG);
		igt_assert(sd_is_filled(fd, &fresh, 0));
		sd_dealloc(fd, &fresh);
	}
	sd_wait(fd, &dst);
	igt_assert(sd_is_filled(fd, &dst, 0xabcdabcd));
	sd_dealloc(fd, &dst);
	sd_wait_vram_free(fd, before);
	sd_context_free(ctx);
}

/*
 * A job without implicit synchronisation neither waits for others nor delays them; but it counts
 * as a use of the BO.
 */
static void test_explicit(int fd)
{
	struct sd_context *held = sd_context(fd), *other = sd_context(fd);
	const struct sd_bo bo = sd_alloc(fd, PAGE);
	struct sd_gate gate = sd_gate_before(held);
	uint64_t seqno;

	sd_emit_fill(held, &bo, 1, 1);
	held->list[0].flags = EXPLICIT(held->list[0].flags);
	seqno = sd_submit(held);
	sd_emit_fill(other, &bo, 2, 1);
	sd_run(other);
	igt_assert(held->status->completed < seqno);
	igt_assert_eq(sd_wait_try(fd, bo.handle, READ, sd_deadline()), 0);
	igt_assert_eq(sd_wait_try(fd, bo.handle, WRITE, 0), -ETIME);
	sd_gate_lift(&gate);
	sd_wait_seqno(held, seqno);
	igt_assert(sd_is_filled(fd, &bo, 1));
	sd_dealloc(fd, &bo);
	sd_context_free(held);
	sd_context_free(other);
}

/* A job waits for two jobs of another context, each found at another BO: the later one counts. */
static void wait_for_later(int fd, bool later_first)
{
	struct sd_context *held = sd_context(fd), *other = sd_context(fd);
	const struct sd_bo bos[2] = { sd_alloc(fd, PAGE), sd_alloc(fd, PAGE) };
	struct sd_gate gates[2];
	uint64_t first, seqno;

	gates[0] = sd_gate_before(held);
	sd_emit_fill(held, &bos[later_first], 1, 1);
	first = sd_submit(held);
	gates[1] = sd_gate_before(held);
	sd_emit_fill(held, &bos[!later_first], 1, 1);
	sd_submit(held);
	sd_list(other, &bos[0], READ);
	sd_list(other, &bos[1], READ);
	seqno = sd_submit(other);
	sd_gate_lift(&gates[0]);
	sd_wait_seqno(held, first);
	igt_assert(sd_is_held_back(other, seqno));
	sd_gate_lift(&gates[1]);
	sd_wait_seqno(other, seqno);
	for (int i = 0; i < 2; i++)
		sd_dealloc(fd, &bos[i]);
	sd_context_free(held);
	sd_context_free(other);
}

/* A BO that is listed twice, once with implicit synchronisation, has implicit synchronisation. */
static void test_half_implicit(int fd)
{
	struct sd_context *held = sd_context(fd), *other = sd_context(fd);
	const struct sd_bo bo = sd_alloc(fd, PAGE);
	struct sd_gate gate = sd_gate_before(held);
	uint64_t seqno;

	sd_emit_fill(held, &bo, 1, 1);
	sd_list(held, &bo, EXPLICIT(READ));
	sd_submit(held);
	sd_emit_fill(other, &bo, 2, 1);
	seqno = sd_submit(other);
	igt_assert_eq(sd_wait_try(fd, bo.handle, READ, sd_now_plus_ms(200)), -ETIME);
	igt_assert(other->status->completed < seqno);
	sd_gate_lift(&gate);
	sd_wait_seqno(other, seqno);
	igt_assert(sd_is_filled(fd, &bo, 2));
	sd_dealloc(fd, &bo);
	sd_context_free(held);
	sd_context_free(other);
}

/* Released memory counts as free, even if the client that allocates it has to wait for it. */
static void test_alloc_behind_busy(int fd)
{
	struct sd_context *ctx = sd_idle_context(fd);
	struct sd_bo bo = sd_alloc(fd, BIG), most;
	const uint64_t before = sd_vram_free(fd), size = before / 4 * 3 / PAGE * PAGE;

	for (int i = 0; i < 3; i++) {
		igt_assert_eq(sd_alloc_try(fd, 0, &size, 1, &most), 0);
		sd_emit_fill(ctx, &bo, i, LONG / 4);
		sd_list(ctx, &most, WRITE);
		sd_submit(ctx);
		sd_dealloc(fd, &most);
	}
	sd_wait_vram_free(fd, before);
	sd_dealloc(fd, &bo);
	sd_context_free(ctx);
}

/* Contexts and files that end with work in the ring leave nothing behind. */
static void test_close_busy(int fd)
{
	const uint64_t before = sd_idle_vram_free(fd);

	for (int i = 0; i < 10; i++) {
		int other = sd_open();
		struct sd_context *ctx = sd_context(other);
		struct sd_bo bo = sd_alloc(other, BIG);

		for (int j = 0; j < 10; j++) {
			sd_emit_fill(ctx, &bo, j, 4);
			sd_submit(ctx);
		}
		if (i % 2)
			sd_context_free(ctx);
		else
			sd_context_unmap(ctx);
		close(other);
	}
	sd_wait_vram_free(fd, before);
}

static void work_forever(void)
{
	int fd = sd_open();
	struct sd_context *ctx = sd_context(fd);
	struct sd_bo bo = sd_alloc(fd, BIG);

	for (uint32_t i = 0;; i++) {
		sd_emit_fill(ctx, &bo, i, 1);
		sd_submit(ctx);
		if (i % 8 == 0)
			sd_wait(fd, &bo);
	}
}

static void test_kill(int fd)
{
	struct sd_context *ctx = sd_idle_context(fd);
	const uint64_t before = sd_vram_free(fd);

	for (int i = 0; i < 20; i++) {
		pid_t child = sd_start_child(work_forever);

		usleep(10000 * (i % 11) + 1000);
		sd_kill_child(child);
		sd_run(ctx);
	}
	sd_wait_vram_free(fd, before);
	sd_context_free(ctx);
}

static void test_parallel(int fd)
{
	igt_fork(child, 4) {
		int other = sd_open();
		struct sd_context *ctx = sd_context(other);
		struct sd_bo bo = sd_alloc(other, 64 * PAGE);

		for (uint32_t i = 0; i < 100; i++) {
			sd_emit_fill(ctx, &bo, i << 8 | child, 1);
			sd_run(ctx);
			igt_assert(sd_is_filled(other, &bo, i << 8 | child));
		}
	}
	igt_waitchildren();
	(void)fd;
}

/* Number of submissions with the longest list that is possible. */
#define N_LONGEST 40

/*
 * Queued jobs keep their lists, so the queue takes fewer jobs with long lists: 16 times as much as
 * fills the ring.
 */
static void test_long_lists(int fd)
{
	struct sd_context *ctx = sd_context(fd);
	const struct sd_bo bo = sd_alloc(fd, PAGE);
	struct drm_sundog_submit args = {
		.ctx = ctx->id,
		.n_allocs = sd_param(fd, DRM_SUNDOG_PARAM_MAX_LIST),
		.alloc_stride = sizeof(struct drm_sundog_submit_alloc),
	};
	struct drm_sundog_submit_alloc *allocs = calloc(args.n_allocs, sizeof(*allocs));
	struct sd_progress *progress;
	struct sd_gate gate;

	for (uint32_t i = 0; i < args.n_allocs; i++)
		allocs[i] = (struct drm_sundog_submit_alloc){ bo.handle, READ };
	args.allocs = (uintptr_t)allocs;
	gate = sd_gate_before(ctx);
	progress = sd_submit_often(fd, &args, N_LONGEST);
	igt_assert(!sd_is_ready(gate.sync_file, POLLIN, 0));
	igt_assert_eq(progress->submitted, 16);
	sd_gate_lift(&gate);
	igt_waitchildren();
	igt_assert_eq(progress->submitted, N_LONGEST);
	sd_run(ctx);
	munmap(progress, PAGE);
	free(allocs);
	sd_dealloc(fd, &bo);
	sd_context_free(ctx);
}

/* A kind of bad last element, after good ones. */
struct bad_end {
	const char *name;
	uint32_t tail, flags;
	bool no_handle, no_memory;
	int error;
};

/*
 * Places an array of @n elements of @stride bytes at the end of a map of @size bytes, where
 * readable memory ends.
 */
static void *array_at_end(char *map, size_t size, uint32_t n, uint32_t stride)
{
	memset(map, 0, size);
	return map + size - n * stride;
}

/*
 * Arrays of all lengths around the limit up to which the driver allocates nothing, with each kind
 * of bad last element.
 */
static void test_array(struct sd_context *ctx, char *map, size_t size, uint32_t n, uint32_t stride,
		       bool syncs)
{
	static const struct bad_end ends[] = {
		{ .name = "good" },
		{ .name = "tail", .tail = 1, .error = -EINVAL },
		{ .name = "flags", .flags = 8, .error = -EINVAL },
		{ .name = "handle", .no_handle = true, .error = -ENOENT },
		{ .name = "memory", .no_memory = true, .error = -EFAULT },
	};
	const struct sd_bo bo = sd_alloc(ctx->fd, PAGE);
	const uint32_t min = syncs ? sizeof(struct drm_sundog_sync) :
		sizeof(struct drm_sundog_submit_alloc);
	char *array = array_at_end(map, size, n, stride);
	uint32_t handle;
	uint64_t point = 1;

	for (uint32_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		const struct bad_end *end = &ends[i];
		struct drm_sundog_submit args = {
			.ctx = ctx->id,
			.allocs = syncs ? 0 : (uintptr_t)array,
			.syncs = syncs ? (uintptr_t)array : 0,
			.n_allocs = syncs ? 0 : n,
			.n_syncs = syncs ? n : 0,
			.alloc_stride = stride,
			.sync_stride = stride,
		};

		if (end->tail && stride == min)
			continue;
		igt_assert(!drmSyncobjCreate(ctx->fd, 0, &handle));
		for (uint32_t j = 0; j < n; j++) {
			void *element = array + j * stride;
			uint32_t *words = element;
			const bool last = j == n - 1;
			const uint32_t flags = last ? end->flags : 0;

			if (syncs)
				*(struct drm_sundog_sync *)element = (struct drm_sundog_sync){
					.type = j % 2 ? DRM_SUNDOG_SYNC_TYPE_TIMELINE :
							DRM_SUNDOG_SYNC_TYPE_BINARY,
					.flags = SIGNAL | flags,
					.handle = last && end->no_handle ? UINT32_MAX : handle,
					.point = j % 2 ? point++ : 0,
				};
			else
				*(struct drm_sundog_submit_alloc *)element =
					(struct drm_sundog_submit_alloc){
						.handle = last && end->no_handle ? UINT32_MAX :
										   bo.handle,
						.flags = READ | flags,
					};
			if (stride > min)
				words[stride / 4 - 1] = last ? end->tail : 0;
		}
		if (end->no_memory) {
			args.allocs += args.allocs ? stride : 0;
			args.syncs += args.syncs ? stride : 0;
		}
		igt_assert_f(sd_try(ctx->fd, DRM_IOCTL_SUNDOG_SUBMIT, &args) == end->error,
			     "%u %s of %u bytes, %s\n", n, syncs ? "syncobjs" : "allocations",
			     stride, end->name);
		drmSyncobjDestroy(ctx->fd, handle);
	}
	sd_run(ctx);
	sd_dealloc(ctx->fd, &bo);
}

static void test_arrays(int fd)
{
	const struct sd_counts idle = sd_idle_counts(fd);
	struct sd_context *ctx = sd_context(fd);
	const size_t size = 4 * PAGE;
	char *map = mmap(NULL, size + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			 0);

	igt_assert(map != MAP_FAILED && !mprotect(map + size, PAGE, PROT_NONE));
	for (uint32_t n = 1; n <= 20; n++) {
		for (uint32_t stride = 24; stride <= 56; stride += 16)
			test_array(ctx, map, size, n, stride, true);
		for (uint32_t stride = 8; stride <= 40; stride += 16)
			test_array(ctx, map, size, n, stride, false);
	}
	munmap(map, size + PAGE);
	sd_context_free(ctx);
	sd_wait_counts(fd, &idle);
}

/*
 * Lists from empty to the longest, whose BOs only the jobs hold in the end, of a file that closes.
 */
static void test_last_references(int fd)
{
	static const uint32_t lengths[] = {
		0, 1, 2, 15, 16, 17, 120, 121, 1000, 4000, SUNDOG_LIST_ENTRIES
	};
	const struct sd_counts idle = sd_idle_counts(fd);
	struct drm_sundog_submit_alloc *list = calloc(SUNDOG_LIST_ENTRIES, sizeof(*list));

	for (int round = 0; round < 3; round++) {
		int other = sd_open();
		struct sd_context *ctx = sd_context(other);
		struct sd_gate gate = sd_gate_before(ctx);

		for (uint32_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
			const struct sd_bo bos[2] = {
				sd_alloc(other, PAGE), sd_alloc(other, PAGE)
			};
			struct drm_sundog_submit args = {
				.ctx = ctx->id,
				.allocs = (uintptr_t)list,
				.n_allocs = lengths[i],
				.alloc_stride = sizeof(*list),
			};

			for (uint32_t j = 0; j < lengths[i]; j++)
				list[j] = (struct drm_sundog_submit_alloc){
					bos[j % 2].handle, READ };
			sd_ioctl(other, DRM_IOCTL_SUNDOG_SUBMIT, &args);
			sd_gem_close(other, bos[0].handle);
			sd_gem_close(other, bos[1].handle);
		}
		sd_context_unmap(ctx);
		if (round == 0)
			sd_gate_lift(&gate);
		close(other);
		if (round == 1)
			sd_gate_lift(&gate);
		if (round == 2) {
			usleep(100000);
			sd_gate_lift(&gate);
		}
	}
	free(list);
	sd_wait_counts(fd, &idle);
}

/* The number of jobs in the backlog, which fit the queue of one context, and the time of each. */
#define BACKLOG 900
#define BACKLOG_MS 50

/* Returns how many fills of @bo take @ms milliseconds. */
static int fills_of(struct sd_context *ctx, const struct sd_bo *bo, int ms)
{
	int64_t start, took = 0;
	int n;

	for (n = 8; took < 100000000; n *= 2) {
		start = sd_now_plus_ms(0);
		sd_emit_fill(ctx, bo, 1, n);
		sd_run(ctx);
		took = sd_now_plus_ms(0) - start;
	}
	return ms * 1000000ll * (n / 2) / took + 1;
}

/*
 * The device suspends though a context has a long backlog: it runs only the jobs in the ring. The
 * others run after it has resumed.
 */
static void test_sleep(void)
{
	const int fd = sd_open();
	struct sd_context *ctx = sd_context(fd);
	struct sd_bo bo = sd_alloc(fd, BIG);
	const int n = fills_of(ctx, &bo, BACKLOG_MS);
	struct drm_sundog_submit args = {
		.ctx = ctx->id,
		.stream = ctx->stream_bo.handle,
		.stream_offset = (ctx->stream.map - ctx->stream_map) * 4,
		.allocs = (uintptr_t)ctx->list,
		.n_allocs = 1,
		.alloc_stride = sizeof(ctx->list[0]),
	};
	uint64_t completed;
	int64_t end;

	/* All jobs have the same stream: sd_submit() would wait for some of them. */
	sd_emit_fill(ctx, &bo, 1, n);
	args.stream_size = ctx->stream.used * 4;
	for (int i = 0; i < BACKLOG; i++)
		sd_ioctl(fd, DRM_IOCTL_SUNDOG_SUBMIT, &args);
	igt_assert_eq(sd_driver_sleep_try(false), 0);
	completed = ctx->status->completed;
	igt_assert(completed < args.seqno);
	end = sd_deadline();
	while (ctx->status->completed <= completed + SUNDOG_RING_SLOTS)
		igt_assert(sd_now_plus_ms(0) < end);
	sd_context_unmap(ctx);
	close(fd);
}

igt_main()
{
	static int fd = -1;

	igt_fixture()
		fd = sd_open_renderer();

	igt_describe("Empty submissions complete, and their sequence numbers increase.");
	igt_subtest("fence")
		test_fence(fd);

	igt_describe("More submissions than the ring has slots complete, without a wait in "
		     "between.");
	igt_subtest("ring-full")
		test_many(fd);

	igt_describe("SUBMIT blocks when jobs with long lists fill the queue, and all jobs "
		     "complete.");
	igt_subtest("long-lists")
		test_long_lists(fd);

	igt_describe("Submissions of a context are executed in their order.");
	igt_subtest("order")
		test_order(fd);

	igt_describe("Jobs that wait for a fence in the scheduler and jobs that go straight to the "
		     "ring complete in order.");
	igt_subtest("both-ways")
		test_both_ways(fd);

	igt_describe("Jobs that are queued while the ring is full overwrite no job in the ring.");
	igt_subtest("ring-kept")
		test_ring_kept(fd);

	igt_describe("A submission signals syncobjs, which can be exported as sync_files.");
	igt_subtest("syncobj-out")
		test_syncobj_out(fd);

	igt_describe("A submission waits for the fence of a syncobj.");
	igt_subtest("syncobj-in")
		test_syncobj_in(fd);

	igt_describe("SUBMIT rejects in-syncs that do not exist or have no fence.");
	igt_subtest("syncobj-bad")
		test_syncobj_empty(fd);

	igt_describe("Two contexts take turns along a timeline syncobj.");
	igt_subtest("timeline")
		test_timeline(fd);

	igt_describe("Readers wait for writers and writers for readers, across contexts.");
	igt_subtest("implicit")
		test_implicit(fd);

	igt_describe("A job that finds two jobs of another context at its BOs waits for the later "
		     "one.");
	igt_subtest("implicit-later") {
		wait_for_later(fd, false);
		wait_for_later(fd, true);
	}

	igt_describe("A job without IMPLICIT neither waits for other jobs on its BO nor delays "
		     "them.");
	igt_subtest("explicit")
		test_explicit(fd);

	igt_describe("A BO that is listed twice has implicit synchronisation if one of its entries "
		     "has IMPLICIT.");
	igt_subtest("half-implicit")
		test_half_implicit(fd);

	igt_describe("WAIT distinguishes readers from writers, and returns ETIME at its timeout.");
	igt_subtest("wait")
		test_wait(fd);

	igt_describe("WAIT restarts after signals, and still ends at its timeout.");
	igt_subtest("wait-signals")
		test_wait_signals(fd);

	igt_describe("The memory of a BO that is freed while a queued job lists it is not reused "
		     "before the job is done.");
	igt_subtest("dealloc-busy")
		test_dealloc_busy(fd);

	igt_describe("A submission that needs the VRAM of a freed, busy BO succeeds, and the "
		     "memory counts as free afterwards.");
	igt_subtest("alloc-behind-busy")
		test_alloc_behind_busy(fd);

	igt_describe("Contexts and files that are closed with jobs in the ring free all their "
		     "memory.");
	igt_subtest("close-busy")
		test_close_busy(fd);

	igt_describe("Four processes submit at the same time, and each reads back its own data.");
	igt_subtest("parallel")
		test_parallel(fd);

	igt_describe("SUBMIT accepts arrays of all lengths and strides, and rejects a bad last "
		     "element with the right error.");
	igt_subtest("arrays")
		test_arrays(fd);

	igt_describe("Jobs that hold the last references to their BOs and their context free them "
		     "when they end.");
	igt_subtest("last-references")
		test_last_references(fd);

	igt_describe("The device suspends with many queued submissions, and executes them after "
		     "the resume.");
	igt_subtest("sleep-with-backlog")
		test_sleep();

	igt_describe("Killing a process at any moment while it submits frees its memory, and "
		     "another context goes on.");
	igt_subtest("kill")
		test_kill(fd);

	igt_fixture()
		close(fd);
}
