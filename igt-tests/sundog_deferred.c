// SPDX-License-Identifier: MIT
/*
 * Deferred release: ids and handles become invalid at once, the memory is freed after the last
 * submission that lists it. Until then it is a zombie, and is not reused.
 */
#include "sundog_gate.h"
#include "sundog_parameter.h"

#include <unistd.h>

#include <xf86drm.h>

IGT_TEST_DESCRIPTION("Release of memory that the device still uses");

#define BIG (1 << 20)

struct scene {
	struct sd_context *ctx;
	struct sd_gate gate;
	struct sd_counts idle;
};

static void scene_make(struct scene *scene, int fd)
{
	scene->ctx = sd_idle_context(fd);
	scene->idle = sd_counts(fd);
}

/* Checks that the submission waits for the gate, lifts the gate and waits for the submission. */
static void lift(struct scene *scene, uint64_t seqno)
{
	igt_assert(scene->ctx->status->completed < seqno);
	sd_gate_lift(&scene->gate);
	sd_wait_seqno(scene->ctx, seqno);
}

static void scene_end(struct scene *scene)
{
	sd_wait_counts(scene->ctx->fd, &scene->idle);
	sd_context_free(scene->ctx);
}

/* The source of a queued copy is destroyed: the copy still gets the right data. */
static void test_source(int fd, uint32_t flags)
{
	struct sd_bo dst = sd_alloc(fd, BIG);
	struct sd_resource *src;
	struct scene scene;
	struct sd_counts now;
	uint64_t seqno;

	sd_fill(fd, &dst, 0);
	scene_make(&scene, fd);
	src = sd_resource(fd, flags, BIG, 3);
	for (uint32_t i = 0; i < 3; i++)
		sd_fill(fd, &src->bos[i], 0x51515150 + i);
	scene.gate = sd_gate_before(scene.ctx);
	sd_emit_copy(scene.ctx, &src->bos[1], &dst);
	seqno = sd_submit(scene.ctx);
	sd_destroy(fd, src);
	now = sd_counts(fd);
	igt_assert_eq(now.zombie, scene.idle.zombie + 1);
	igt_assert_eq(now.live, scene.idle.live);
	igt_assert_eq(now.resources, scene.idle.resources);
	igt_assert_eq(now.kres, scene.idle.kres);
	lift(&scene, seqno);
	igt_assert(sd_is_filled(fd, &dst, 0x51515151));
	scene_end(&scene);
	sd_dealloc(fd, &dst);
}

/*
 * The target of a queued fill is destroyed: the fill does not write to memory that is allocated
 * meanwhile.
 */
static void test_target(int fd)
{
	struct sd_resource *dst, *fresh;
	struct scene scene;
	uint64_t seqno;

	scene_make(&scene, fd);
	dst = sd_resource(fd, 0, BIG, 2);
	for (uint32_t i = 0; i < 2; i++)
		sd_fill(fd, &dst->bos[i], 1);
	scene.gate = sd_gate_before(scene.ctx);
	sd_emit_fill(scene.ctx, &dst->bos[0], 0xbadbad, 1);
	sd_emit_fill(scene.ctx, &dst->bos[1], 0xbadbad, 1);
	seqno = sd_submit(scene.ctx);
	sd_destroy(fd, dst);
	fresh = sd_resource(fd, 0, BIG, 6);
	for (uint32_t i = 0; i < 6; i++) {
		igt_assert(sd_is_filled(fd, &fresh->bos[i], 0));
		sd_fill(fd, &fresh->bos[i], i);
	}
	lift(&scene, seqno);
	for (uint32_t i = 0; i < 6; i++)
		igt_assert(sd_is_filled(fd, &fresh->bos[i], i));
	sd_destroy(fd, fresh);
	scene_end(&scene);
}

static void test_names(int fd)
{
	const uint64_t size = PAGE;
	struct drm_sundog_alloc_info info;
	struct scene scene;
	struct sd_resource *res, old;
	struct sd_bo bo;
	uint64_t seqno, ignored;

	scene_make(&scene, fd);
	res = sd_resource(fd, 0, BIG, 2);
	scene.gate = sd_gate_before(scene.ctx);
	sd_emit_fill(scene.ctx, &res->bos[0], 1, 1);
	seqno = sd_submit(scene.ctx);
	old = *res;
	sd_destroy(fd, res);
	sd_list(scene.ctx, &old.bos[0], READ);
	igt_assert_eq(sd_submit_try(scene.ctx, &ignored), -ENOENT);
	igt_assert_eq(sd_info_try(fd, old.bos[0].handle, &info), -ENOENT);
	igt_assert_eq(sd_wait_try(fd, old.bos[0].handle, WRITE, 0), -ENOENT);
	igt_assert_eq(sd_alloc_try(fd, old.res, &size, 1, &bo), -ENOENT);
	lift(&scene, seqno);
	scene_end(&scene);
}

static void test_partial(int fd)
{
	struct scene scene;
	struct sd_resource *res;
	uint64_t seqno;

	scene_make(&scene, fd);
	res = sd_resource(fd, 0, PAGE, 3);
	scene.gate = sd_gate_before(scene.ctx);
	sd_emit_copy(scene.ctx, &res->bos[0], &res->bos[1]);
	seqno = sd_submit(scene.ctx);
	igt_assert_eq(sd_remove_try(fd, res, 0, 2), 0);
	igt_assert_eq(sd_counts(fd).zombie, scene.idle.zombie + 2);
	lift(&scene, seqno);
	sd_destroy(fd, res);
	scene_end(&scene);
}

static void test_stream_memory(int fd)
{
	struct scene scene;
	struct sd_bo code, dst = sd_alloc(fd, PAGE);
	struct drm_sundog_submit_alloc list = { .flags = WRITE };
	struct drm_sundog_submit args = {
		.allocs = (uintptr_t)&list,
		.n_allocs = 1,
		.alloc_stride = sizeof(list),
		.sync_stride = sizeof(struct drm_sundog_sync),
	};
	const struct sundog_cmd_fill_buffer fill = {
		.dst = { .mem = dst.mem, .size = PAGE },
		.value = 0x7e57,
	};
	struct sundog_stream stream = { .size = PAGE / 4 };

	sd_fill(fd, &dst, 0);
	scene_make(&scene, fd);
	code = sd_alloc(fd, PAGE);
	stream.map = sd_map(fd, &code);
	sundog_emit_fill_buffer(&stream, &fill);
	sd_unmap(stream.map, &code);
	scene.gate = sd_gate_before(scene.ctx);
	list.handle = dst.handle;
	args.ctx = scene.ctx->id;
	args.stream = code.handle;
	args.stream_size = stream.used * 4;
	sd_ioctl(fd, DRM_IOCTL_SUNDOG_SUBMIT, &args);
	sd_dealloc(fd, &code);
	igt_assert_eq(sd_counts(fd).zombie, scene.idle.zombie + 1);
	lift(&scene, args.seqno);
	igt_assert(sd_is_filled(fd, &dst, 0x7e57));
	scene_end(&scene);
	sd_dealloc(fd, &dst);
}

/*
 * Two contexts of two files use an allocation: the driver frees it after both, whichever ends last.
 */
static void test_two_contexts(int fd)
{
	int other = sd_open(), dmabuf;
	struct sd_bo mine = sd_alloc(fd, BIG), copy = sd_alloc(other, BIG);
	struct sd_resource *res, *opened;
	struct sd_context *theirs;
	struct scene scene;
	uint64_t seqno;

	sd_fill(fd, &mine, 0);
	sd_fill(other, &copy, 0);
	scene_make(&scene, fd);
	theirs = sd_context(other);
	scene.idle = sd_counts(fd);
	res = sd_resource(fd, SHARED, BIG, 1);
	sd_fill(fd, &res->bos[0], 0x2c2c);
	dmabuf = sd_export(fd, res->bos[0].handle);
	opened = sd_opened(other, dmabuf);
	close(dmabuf);
	scene.gate = sd_gate_before(scene.ctx);
	sd_emit_copy(scene.ctx, &res->bos[0], &mine);
	seqno = sd_submit(scene.ctx);
	sd_emit_copy(theirs, &opened->bos[0], &copy);
	sd_wait_seqno(theirs, sd_submit(theirs));
	sd_destroy(fd, res);
	sd_destroy(other, opened);
	igt_assert_eq(sd_counts(fd).zombie, scene.idle.zombie + 1);
	lift(&scene, seqno);
	igt_assert(sd_is_filled(fd, &mine, 0x2c2c));
	igt_assert(sd_is_filled(other, &copy, 0x2c2c));
	scene_end(&scene);
	sd_dealloc(fd, &mine);
	sd_context_free(theirs);
	close(other);
}

/*
 * The resource is destroyed after the device has begun with the job; the job may or may not be done
 * by then.
 */
static void test_running(int fd)
{
	struct scene scene;

	scene_make(&scene, fd);
	for (uint32_t i = 0; i < 20; i++) {
		struct sd_resource *res = sd_resource(fd, i % 2 ? SHARED : 0, 4 * BIG, 1);
		struct sd_bo dst = sd_alloc(fd, 4 * BIG);

		sd_emit_fill(scene.ctx, &res->bos[0], 0x1000 + i, 10);
		sd_emit_copy(scene.ctx, &res->bos[0], &dst);
		sd_submit(scene.ctx);
		usleep(i * 500);
		sd_destroy(fd, res);
		sd_wait(fd, &dst);
		igt_assert(sd_is_filled(fd, &dst, 0x1000 + i));
		sd_dealloc(fd, &dst);
	}
	scene_end(&scene);
}

static struct sd_parameter timeout = SD_PARAMETER("timeout_ms");
static struct sd_parameter job_timeout = SD_PARAMETER("job_timeout_ms");

/*
 * The job ends although no process waits for its fence, submits or frees, and no timeout checks for
 * progress.
 */
static void test_unwaited(int fd)
{
	struct sd_bo bo = sd_alloc(fd, BIG);
	struct scene scene;

	sd_parameter_set(&timeout, "0");
	scene_make(&scene, fd);
	sd_emit_fill(scene.ctx, &bo, 0x3c3c, 1);
	sd_submit(scene.ctx);
	scene_end(&scene);
	sd_dealloc(fd, &bo);
	sd_parameter_restore(&timeout);
}

#define FILLS 20

/*
 * Keeps several submissions queued, so that the device does not run out of work and the driver need
 * not wait.
 */
static void keep_busy(struct sd_context *ctx, const struct sd_bo *bo, uint64_t *seqno, int fills)
{
	while (*seqno > ctx->status->completed + 4)
		;
	sd_emit_fill(ctx, bo, 0x4c4c, fills);
	*seqno = sd_submit(ctx);
}

/* Like test_unwaited(), for the memory of a BO, while another context keeps the device busy. */
static void test_unwaited_among_others(int fd)
{
	struct sd_bo much = sd_alloc(fd, 4 * BIG);
	const int64_t end = sd_deadline();
	struct sd_context *busy;
	struct scene scene;
	uint64_t seqno = 0;

	sd_parameter_set(&timeout, "0");
	scene_make(&scene, fd);
	busy = sd_context(fd);
	scene.idle.contexts++;
	for (int i = 0; i < 8; i++)
		keep_busy(busy, &much, &seqno, FILLS);
	/*
	 * A device that runs out of work reports all jobs. Such a round shows nothing, so repeat.
	 */
	do {
		struct sd_bo bo = sd_alloc(fd, BIG);

		sd_emit_fill(scene.ctx, &bo, 0x3c3c, 1);
		sd_submit(scene.ctx);
		sd_dealloc(fd, &bo);
		do {
			keep_busy(busy, &much, &seqno, FILLS);
			igt_assert(sd_now_plus_ms(0) < end);
		} while (sd_counts(fd).zombie > scene.idle.zombie);
	} while (busy->status->completed == seqno);
	sd_wait_seqno(busy, seqno);
	sd_context_free(busy);
	scene.idle.contexts--;
	scene_end(&scene);
	sd_dealloc(fd, &much);
	sd_parameter_restore(&timeout);
}

/* Uses a file of its own: its close ends the remaining jobs, which would take many seconds. */
static void test_unwaited_before_others(void)
{
	const int fd = sd_open();
	struct sd_context *ctx = sd_idle_context(fd);
	const struct sd_counts idle = sd_counts(fd);
	struct sd_bo bo = sd_alloc(fd, BIG), much = sd_alloc(fd, 40 * BIG);
	const int64_t end = sd_deadline();
	uint64_t seqno;

	/* Disable the checks for progress, which free memory, too. */
	sd_parameter_set(&timeout, "0");
	sd_parameter_set(&job_timeout, "0");
	sd_emit_fill(ctx, &much, 0x4c4c, 50);
	sd_submit(ctx);
	sd_emit_fill(ctx, &bo, 0x3c3c, 1);
	sd_submit(ctx);
	sd_emit_fill(ctx, &much, 0x4c4c, 3000);
	seqno = sd_submit(ctx);
	sd_dealloc(fd, &bo);
	while (sd_counts(fd).zombie > idle.zombie)
		igt_assert(sd_now_plus_ms(0) < end);
	igt_assert(ctx->status->completed < seqno);
	/* The end of the context would have freed the memory, too. */
	usleep(100000);
	igt_assert(!ctx->status->lost);
	sd_context_unmap(ctx);
	close(fd);
	sd_parameter_restore(&timeout);
	sd_parameter_restore(&job_timeout);
}

/* Returns the number of fence interrupts so far. */
static unsigned long fence_interrupts(void)
{
	FILE *file = fopen("/proc/interrupts", "r");
	unsigned long sum = 0;
	char line[4096], *at;

	igt_assert(file);
	while (fgets(line, sizeof(line), file)) {
		if (!strstr(line, "sundog-fence"))
			continue;
		/* a count for each CPU */
		at = strchr(line, ':') + 1;
		for (char *end; *(at += strspn(at, " ")) >= '0' && *at <= '9'; at = end)
			sum += strtoul(at, &end, 10);
	}
	fclose(file);
	return sum;
}

#define N_MAPPINGS 100

/*
 * Returns the number of fence interrupts while one client only maps and unmaps memory and the other
 * keeps the worker busy.
 */
static unsigned long disturb_by_mappings(struct sd_context *busy, const struct sd_bo *much,
					 uint64_t *seqno, int fills, int other)
{
	unsigned long before = fence_interrupts();
	struct sd_bo bo;
	void *map;

	for (int i = 0; i < N_MAPPINGS; i++) {
		bo = sd_alloc(other, PAGE);
		map = sd_map(other, &bo);
		sd_dealloc(other, &bo);
		sd_unmap(map, &bo);
		keep_busy(busy, much, seqno, fills);
	}
	return fence_interrupts() - before;
}

/*
 * No process waits for the end of a job, so the device sends a fence interrupt only if the worker
 * runs out of work. That happens on a busy machine or with a slow guest, so each round has longer
 * jobs.
 */
static void test_mappings(int fd)
{
	const int other = sd_open();
	struct sd_bo much = sd_alloc(fd, 4 * BIG);
	struct sd_context *busy = sd_context(fd);
	unsigned long n = N_MAPPINGS;
	uint64_t seqno = 0;

	for (int i = 0; i < 8; i++)
		keep_busy(busy, &much, &seqno, FILLS);
	for (int i = 0; i < 5 && n >= N_MAPPINGS / 4; i++) {
		n = disturb_by_mappings(busy, &much, &seqno, FILLS << i, other);
		igt_info("%lu interrupts for %d jobs of %d fills\n", n, N_MAPPINGS, FILLS << i);
	}
	igt_assert(n < N_MAPPINGS / 4);
	sd_wait_seqno(busy, seqno);
	sd_dealloc(fd, &much);
	sd_context_free(busy);
	close(other);
}

igt_main()
{
	static int fd = -1;

	igt_fixture()
		fd = sd_open_renderer();

	igt_describe("A queued copy reads the right data after its source, an unshared resource, "
		     "was destroyed.");
	igt_subtest("unshared-destroyed-under-a-job")
		test_source(fd, 0);

	igt_describe("A queued copy reads the right data after its source, a shared resource, was "
		     "destroyed.");
	igt_subtest("shared-destroyed-under-a-job")
		test_source(fd, SHARED);

	igt_describe("The memory of a resource that is destroyed while a queued job writes to it "
		     "is not reused before the job is done.");
	igt_subtest("memory-is-reused-only-afterwards")
		test_target(fd);

	igt_describe("Ids and handles of a destroyed resource are invalid at once, although a "
		     "queued job still uses its memory.");
	igt_subtest("names-are-dead-at-once")
		test_names(fd);

	igt_describe("DEALLOC of allocations that a queued job uses frees their memory after the "
		     "job.");
	igt_subtest("released-in-part-under-a-job")
		test_partial(fd);

	igt_describe("A queued job executes its stream although the BO of the stream was freed.");
	igt_subtest("stream-freed-before-it-runs")
		test_stream_memory(fd);

	igt_describe("The memory of a destroyed resource is freed after the jobs of all contexts "
		     "that use it.");
	igt_subtest("waits-for-every-context")
		test_two_contexts(fd);

	igt_describe("Jobs write the right data although their resources are destroyed while the "
		     "device executes them.");
	igt_subtest("destroyed-while-the-device-works")
		test_running(fd);

	igt_describe("The driver completes a job that no process waits for, with timeout_ms "
		     "disabled.");
	igt_subtest("nobody-waits")
		test_unwaited(fd);

	igt_describe("A freed BO's memory is released after its job although no process waits and "
		     "another context keeps the device busy.");
	igt_subtest("nobody-waits-among-others")
		test_unwaited_among_others(fd);

	igt_describe("A freed BO's memory is released after its job, before later jobs of the same "
		     "context are done.");
	igt_subtest("nobody-waits-before-others")
		test_unwaited_before_others();

	igt_describe("Unmapping freed BOs raises no fence interrupts for the jobs of another "
		     "client.");
	igt_subtest("mappings-disturb-nobody")
		test_mappings(fd);

	igt_fixture() {
		sd_parameter_restore(&timeout);
		close(fd);
	}
}
