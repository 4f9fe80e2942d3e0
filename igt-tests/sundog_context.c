// SPDX-License-Identifier: MIT
/*
 * Contexts: ids, limits, status pages, loss, and that all of them are freed.
 */
#include "sundog_test.h"

#include <sys/fsuid.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

IGT_TEST_DESCRIPTION("Creation, loss and destruction of contexts");

static void test_create(int fd)
{
	struct sd_context *a = sd_context(fd), *b = sd_context(fd);

	igt_assert(a->id && b->id);
	igt_assert_neq(a->id, b->id);
	sd_context_free(a);
	sd_context_free(b);
}

static void test_unknown(int fd)
{
	int other = sd_open();
	struct drm_sundog_context_query query = { 0 };
	struct sd_context *ctx = sd_context(fd);

	igt_assert_eq(sd_context_destroy_try(fd, 0), -ENOENT);
	igt_assert_eq(sd_context_destroy_try(fd, 12345), -ENOENT);
	igt_assert_eq(sd_context_destroy_try(other, ctx->id), -ENOENT);
	query.ctx = ctx->id;
	igt_assert_eq(sd_try(other, DRM_IOCTL_SUNDOG_CONTEXT_QUERY, &query), -ENOENT);
	igt_assert_eq(sd_context_destroy_try(fd, ctx->id), 0);
	igt_assert_eq(sd_context_destroy_try(fd, ctx->id), -ENOENT);
	query.ctx = ctx->id;
	igt_assert_eq(sd_try(fd, DRM_IOCTL_SUNDOG_CONTEXT_QUERY, &query), -ENOENT);
	close(other);
}

/* Creates contexts until the driver rejects one. Returns their number. */
static uint32_t take_all(int fd, uint32_t *ids)
{
	uint32_t count = 0;
	uint64_t offset;
	int ret;

	while (!(ret = sd_context_try(fd, &ids[count], &offset)))
		igt_assert(++count < SUNDOG_MAX_CHANNELS);
	igt_assert_eq(ret, -EBUSY);
	return count;
}

/* Creates and frees a context as another user. */
static void other_user_draws(void)
{
	int fd;

	igt_assert_eq(system("chmod a+rw /dev/dri/*"), 0);
	igt_assert(!setfsuid(65534));
	fd = sd_open();
	sd_context_free(sd_context(fd));
	close(fd);
}

/* Neither a file nor a user can take all channels, and all channels become free again. */
static void test_exhaust(int fd)
{
	uint32_t ids[SUNDOG_MAX_CHANNELS], other_ids[SUNDOG_MAX_CHANNELS];
	const struct sd_counts idle = sd_idle_counts(fd);
	uint32_t count = take_all(fd, ids), id;
	int other = sd_open(), third = sd_open();
	uint64_t offset;

	igt_assert(count > 1);
	igt_assert_eq_u32(take_all(other, other_ids), count / 2);
	igt_assert_eq(sd_context_try(third, &id, &offset), -EBUSY);
	igt_fork(child, 1) {
		(void)child;
		other_user_draws();
	}
	igt_waitchildren();
	for (uint32_t i = 0; i < count; i++)
		igt_assert_eq(sd_context_destroy_try(fd, ids[i]), 0);
	igt_assert_eq(sd_context_try(third, &id, &offset), 0);
	close(third);
	close(other);
	test_create(fd);
	sd_wait_counts(fd, &idle);
}

/*
 * DESTROY frees a context and its jobs before it returns; the test tolerates rounds in which the
 * guest stood still.
 */
static void test_destroyed(int fd)
{
	const struct sd_bo bo = sd_alloc(fd, 16 * PAGE);
	const struct sd_counts idle = sd_idle_counts(fd);
	const int rounds = sd_rounds(30, 100);
	int late = 0;

	for (int i = 0; i < rounds; i++) {
		struct sd_context *ctx = sd_context(fd);

		sd_emit_fill(ctx, &bo, i, 1);
		sd_submit(ctx);
		igt_assert_eq(sd_counts(fd).contexts, 1);
		sd_context_free(ctx);
		late += sd_counts(fd).contexts;
		sd_wait_counts(fd, &idle);
	}
	igt_assert(late < rounds / 2);
	sd_dealloc(fd, &bo);
}

/* Ending the contexts of a closed file takes time, which the next file must not notice. */
static void test_reuse(int fd)
{
	const struct sd_counts idle = sd_idle_counts(fd);
	uint32_t ids[SUNDOG_MAX_CHANNELS], count = 0;

	for (int i = 0; i < 3; i++) {
		int a = sd_open(), b = sd_open();
		uint32_t half = take_all(a, ids);

		igt_assert(!count || half == count);
		count = half;
		igt_assert_eq_u32(take_all(b, ids), count / 2);
		close(a);
		close(b);
	}
	sd_wait_counts(fd, &idle);
}

static void test_status_page(int fd)
{
	uint32_t id;
	uint64_t offset;
	void *map;

	igt_assert_eq(sd_context_try(fd, &id, &offset), 0);
	igt_assert(mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset) == MAP_FAILED);
	map = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, offset);
	igt_assert(map != MAP_FAILED);
	igt_assert(mprotect(map, PAGE, PROT_READ | PROT_WRITE));
	igt_assert_eq_u64(((struct drm_sundog_status *)map)->completed, 0);
	igt_assert_eq(sd_context_destroy_try(fd, id), 0);
	munmap(map, PAGE);
}

/* A status page can still be read after its context was destroyed. */
static void test_status_after_destroy(int fd)
{
	struct sd_context *ctx = sd_context(fd);
	volatile uint64_t sum = 0;

	igt_assert_eq(sd_context_destroy_try(fd, ctx->id), 0);
	sum += ctx->status->completed;
	sd_dealloc(fd, &ctx->stream_bo);
	sd_context_unmap(ctx);
}

static long minor_faults(void)
{
	struct rusage usage;

	igt_assert(!getrusage(RUSAGE_SELF, &usage));
	return usage.ru_minflt;
}

/*
 * Another file's context is destroyed, and the status page of this one stays mapped. The kernel may
 * unmap a page of a process for reasons of its own, but not each time.
 */
static void test_status_of_others(void)
{
	const int fd = sd_open(), other_fd = sd_open();
	struct sd_context *ctx = sd_context(fd);
	volatile uint64_t sum = ctx->status->completed;
	int with_fault = 0;
	long before;

	for (int i = 0; i < 4; i++) {
		sd_context_free(sd_context(other_fd));
		minor_faults();
		before = minor_faults();
		sum += ctx->status->completed;
		with_fault += minor_faults() != before;
	}
	igt_assert(with_fault < 4);
	sd_context_free(ctx);
	close(other_fd);
	close(fd);
}

static void test_query(int fd)
{
	struct sd_context *ctx = sd_context(fd);
	struct drm_sundog_context_query query = sd_query(ctx);

	igt_assert_eq(query.state, DRM_SUNDOG_CONTEXT_RUNNING);
	igt_assert_eq(query.fault, DRM_SUNDOG_FAULT_NONE);
	igt_assert_eq(query.guilt, DRM_SUNDOG_GUILT_NONE);
	sd_run(ctx);
	query = sd_query(ctx);
	igt_assert_eq(query.state, DRM_SUNDOG_CONTEXT_RUNNING);
	igt_assert(!ctx->status->lost);
	sd_context_free(ctx);
}

/* A client that waits for the job then reads the reason of the loss. */
static void test_lost(int fd)
{
	const struct sd_bo bo = sd_alloc(fd, PAGE);

	for (int i = 0; i < sd_rounds(40, 200); i++) {
		struct sd_context *ctx = sd_context(fd);
		struct drm_sundog_context_query query;

		ctx->stream.map[ctx->stream.used++] = SUNDOG_PACKET(0xfff, 1);
		sd_list(ctx, &bo, WRITE);
		sd_submit(ctx);
		sd_wait(fd, &bo);
		query = sd_query(ctx);
		igt_assert_neq(query.state, DRM_SUNDOG_CONTEXT_RUNNING);
		igt_assert_eq_u32(query.fault, DRM_SUNDOG_FAULT_OPCODE);
		igt_assert_eq_u32(query.guilt, DRM_SUNDOG_GUILTY);
		igt_assert(ctx->status->lost);
		sd_context_free(ctx);
	}
	sd_dealloc(fd, &bo);
}

/*
 * A client that polls only the status page learns that its context is lost, and that it is
 * innocent.
 */
static void test_renderer_ends(int fd)
{
	struct sd_context *idle = sd_context(fd), *busy = sd_context(fd);
	const struct sd_bo bo = sd_alloc(fd, 16 * PAGE);
	const int64_t end = sd_deadline();
	struct drm_sundog_context_query query;
	uint64_t seqno;

	sd_require_host();
	sd_ask("kill-renderer");
	while (!idle->status->lost && sd_now_plus_ms(0) < end) {
		sd_emit_fill(busy, &bo, 1, 1);
		if (sd_submit_try(busy, &seqno))
			break;
		sd_wait(fd, &bo);
	}
	query = sd_wait_dead(idle);
	igt_assert(idle->status->lost);
	igt_assert_eq_u32(query.fault, DRM_SUNDOG_FAULT_WORKER);
	igt_assert_eq_u32(query.guilt, DRM_SUNDOG_INNOCENT);
	query = sd_wait_dead(busy);
	igt_assert(busy->status->lost);
	igt_assert_eq_u32(query.guilt, DRM_SUNDOG_INNOCENT);
	sd_context_free(idle);
	sd_context_free(busy);
	sd_dealloc(fd, &bo);
	sd_wait_renderer(fd);
}

/* The worker ends while the file has no context. */
static void test_unnoticed_end(int fd)
{
	for (int i = 0; i < 5; i++) {
		struct sd_context *ctx = sd_context(fd);

		sd_run(ctx);
		sd_context_free(ctx);
		sd_ask("kill-worker 0");
		ctx = sd_context(fd);
		sd_run(ctx);
		sd_context_free(ctx);
	}
}

/*
 * The worker ends while the file has a context, which is reported as lost while the next one is
 * created.
 */
static void test_end_beside(int fd)
{
	for (int i = 0; i < 5; i++) {
		struct sd_context *lost = sd_context(fd), *ctx;

		sd_run(lost);
		sd_ask("kill-worker 0");
		ctx = sd_context(fd);
		sd_run(ctx);
		sd_wait_dead(lost);
		sd_context_free(lost);
		sd_context_free(ctx);
	}
}

/*
 * Submits empty jobs until one is rejected: some of them fall between the end of the worker and its
 * report.
 */
static void test_refused(int fd)
{
	for (int i = 0; i < 5; i++) {
		struct sd_context *ctx = sd_context(fd);
		struct drm_sundog_submit args = { .ctx = ctx->id };
		int begun[2], ret;
		char byte = 0;

		sd_run(ctx);
		igt_assert(!pipe(begun));
		igt_fork(killer, 1) {
			igt_assert_eq(write(begun[1], &byte, 1), 1);
			sd_ask("kill-worker 0");
		}
		igt_assert_eq(read(begun[0], &byte, 1), 1);
		do
			ret = sd_try(fd, DRM_IOCTL_SUNDOG_SUBMIT, &args);
		while (!ret);
		igt_assert(ctx->status->lost);
		igt_assert_eq(ret, -EIO);
		igt_waitchildren();
		close(begun[0]);
		close(begun[1]);
		sd_context_free(ctx);
	}
}

static void make_contexts_and_hang(void)
{
	uint64_t offset;
	uint32_t id;
	int fd = sd_open();

	for (int i = 0; i < 8; i++)
		igt_assert_eq(sd_context_try(fd, &id, &offset), 0);
	pause();
}

/*
 * Kills processes that have more contexts in total than there are channels; all of them must be
 * freed.
 */
static void test_kill(int fd)
{
	const struct sd_counts idle = sd_idle_counts(fd);

	for (int i = 0; i < 40; i++) {
		pid_t child = sd_start_child(make_contexts_and_hang);

		usleep(5000 * (i % 4));
		sd_kill_child(child);
	}
	sd_wait_counts(fd, &idle);
	test_exhaust(fd);
}

static void test_close(int fd)
{
	const struct sd_counts idle = sd_idle_counts(fd);
	uint32_t id;
	uint64_t offset;

	for (int i = 0; i < 2 * SUNDOG_MAX_CHANNELS / 16; i++) {
		int other = sd_open();

		for (int j = 0; j < 16; j++)
			igt_assert_eq(sd_context_try(other, &id, &offset), 0);
		close(other);
	}
	sd_wait_counts(fd, &idle);
}

igt_main()
{
	static int fd = -1;

	igt_fixture()
		fd = sd_open_renderer();

	igt_describe("Two contexts of a file get different ids, and no id is 0.");
	igt_subtest("create-destroy")
		test_create(fd);

	igt_describe("CONTEXT_DESTROY frees a context before it returns, even if a job of the "
		     "context was just submitted.");
	igt_subtest("destroy-is-complete")
		test_destroyed(fd);

	igt_describe("CONTEXT_DESTROY and QUERY of an id that does not exist, or of another file, "
		     "fail with ENOENT.");
	igt_subtest("unknown-id")
		test_unknown(fd);

	igt_describe("Neither a file nor a user can take all channels, and destroyed contexts "
		     "return their channels.");
	igt_subtest("exhaust")
		test_exhaust(fd);

	igt_describe("New files can create as many contexts as before, right after files with "
		     "contexts were closed.");
	igt_subtest("reuse-after-close")
		test_reuse(fd);

	igt_describe("The status page can be read and not written.");
	igt_subtest("status-page-read-only")
		test_status_page(fd);

	igt_describe("A status page that is still mapped outlives its context.");
	igt_subtest("status-page-after-destroy")
		test_status_after_destroy(fd);

	igt_describe("A status page stays mapped when another file's context is destroyed.");
	igt_subtest("status-page-of-others")
		test_status_of_others();

	igt_describe("QUERY reports a new context, and a context whose job has completed, as "
		     "RUNNING.");
	igt_subtest("query")
		test_query(fd);

	igt_describe("QUERY reports the fault and the guilt of a lost context as soon as the fence "
		     "of its job signals.");
	igt_subtest("lost-before-its-fences")
		test_lost(fd);

	igt_describe("When the renderer is killed, every context is lost as innocent, and its "
		     "status page reports the loss.");
	igt_subtest("renderer-ends")
		test_renderer_ends(fd);

	igt_describe("A file whose worker was killed while it had no context gets a new worker for "
		     "its next context.");
	igt_subtest("worker-ends-unnoticed") {
		sd_require_host();
		test_unnoticed_end(fd);
	}

	igt_describe("A context that is created right after the file's worker was killed works, "
		     "and the file's old context is lost.");
	igt_subtest("worker-ends-beside") {
		sd_require_host();
		test_end_beside(fd);
	}

	igt_describe("When SUBMIT fails with EIO because the worker was killed, the status page "
		     "already reports the loss.");
	igt_subtest("lost-before-it-is-refused") {
		sd_require_host();
		test_refused(fd);
	}

	igt_describe("Closing a file destroys its contexts.");
	igt_subtest("close-file")
		test_close(fd);

	igt_describe("Killing a process destroys its contexts and frees their channels.");
	igt_subtest("kill")
		test_kill(fd);

	igt_fixture()
		close(fd);
}
