// SPDX-License-Identifier: MIT
/*
 * A worker that cannot be stopped: the device is wedged, and the BOs of the worker's jobs keep
 * their place in VRAM, even if other clients need it, until the worker has stopped.
 *
 * Also a worker that can be stopped, but makes no progress. No worker does either by itself, so the
 * host stops processes of the renderer for a while when the guest asks for that, and the tests
 * shorten the driver's timeouts.
 */
#include "sundog_gate.h"
#include "sundog_parameter.h"
#include "sundog_test.h"
#include "sundog_uevent.h"

#include <signal.h>
#include <unistd.h>

#include <xf86drm.h>

IGT_TEST_DESCRIPTION("Workers that cannot be stopped, or make no progress");

#define VALUE 0x11111111u
/* Timeout of a hung job: longer than a busy machine keeps a worker from its CPU. */
#define SHORT_S 5
#define SHORT_MS "5000"
/* A timeout that the test does not reach. */
#define LONG_S 60
#define LONG_MS "60000"

static uint64_t vram;

static struct sd_parameter stop_timeout = SD_PARAMETER("stop_timeout_ms");
static struct sd_parameter timeout = SD_PARAMETER("timeout_ms");
static struct sd_parameter job_timeout = SD_PARAMETER("job_timeout_ms");

/* Allocates without touching, so that the BO has no placement yet. */
static struct sd_bo alloc(int fd, uint64_t size)
{
	struct sd_bo bo;

	igt_assert_eq(sd_alloc_try(fd, 0, &size, 1, &bo), 0);
	return bo;
}

/*
 * The BO that the child works on, its dma-buf, and the pipe in which the child reports that it has
 * begun.
 */
static struct sd_bo shared;
static int shared_dma_buf, begun[2];

/* Submits a job on the shared BO to a stopped renderer, and sleeps until it is killed. */
static void write_shared(void)
{
	struct sd_context *ctx = sd_context(sd_open());
	struct sd_bo bo = shared;

	igt_assert_eq(drmPrimeFDToHandle(ctx->fd, shared_dma_buf, &bo.handle), 0);
	sd_run(ctx);
	sd_ask("stop-renderer");
	sd_emit_fill(ctx, &bo, 0x22222222, 1);
	sd_submit(ctx);
	igt_assert_eq(write(begun[1], "", 1), 1);
	for (;;)
		pause();
}

/*
 * Moves the BO into VRAM by a job: a page fault takes only VRAM that is free at once, a job also
 * VRAM that becomes free. Leaves nothing of the job behind.
 */
static void bring_to_vram(int fd, const struct sd_bo *bo)
{
	struct sd_context *ctx = sd_context(fd);

	sd_list(ctx, bo, READ);
	sd_run(ctx);
	sd_context_free(ctx);
	sd_settle(fd);
}

/* Returns true if DRM has an event for a device that is wedged, as kernels from 6.15 on have. */
static bool kernel_has_wedged_event(void)
{
	FILE *symbols = fopen("/proc/kallsyms", "r");
	char line[256];
	bool has = false;

	igt_assert(symbols);
	while (!has && fgets(line, sizeof(line), symbols))
		has = strstr(line, " drm_dev_wedged_event");
	fclose(symbols);
	return has;
}

/*
 * A client that needs the memory sleeps until the job on it is done. The job's fence signals
 * because the driver gives up on the worker, not because the worker is done.
 */
static void test_quarantine(int fd)
{
	const uint64_t before = sd_idle_vram_free(fd);
	struct sd_context *ctx = sd_context(fd);
	const struct sd_counts idle = sd_counts(fd);
	struct sd_bo wanted = alloc(fd, vram / 4 * 3);
	uint64_t free, offset, seqno;
	uint32_t id;
	pid_t child;
	char byte;
	const int events = sd_uevents_open();

	igt_assert(!pipe(begun));
	shared = alloc(fd, vram / 4 * 3);
	shared_dma_buf = sd_export(fd, shared.handle);
	sd_fill(fd, &shared, VALUE);
	bring_to_vram(fd, &shared);
	free = sd_vram_free(fd);
	child = sd_start_child(write_shared);
	igt_assert_eq(read(begun[0], &byte, 1), 1);
	igt_fork(waiter, 1) {
		sd_list(ctx, &wanted, READ);
		igt_assert_eq(sd_submit_try(ctx, &seqno), -ENOSPC);
	}
	usleep(300000);
	sd_parameter_set(&stop_timeout, "100");
	sd_kill_child(child);
	sd_wait(fd, &shared);
	igt_waitchildren();
	igt_assert_eq(sd_context_try(fd, &id, &offset), -EBUSY);
	if (kernel_has_wedged_event())
		sd_uevents_wait(events, "WEDGED=rebind");
	close(events);
	igt_assert_eq_u64(sd_vram_free(fd), free);
	igt_assert(sd_is_filled(fd, &shared, VALUE));

	/* No client gets the memory after its last handle is closed, either. */
	close(shared_dma_buf);
	sd_dealloc(fd, &shared);
	sd_list(ctx, &wanted, READ);
	igt_assert_eq(sd_submit_try(ctx, &seqno), -ENOSPC);
	igt_assert_eq_u64(sd_vram_free(fd), free);

	/* The worker stops after all. */
	sd_ask("continue-renderer");
	sd_parameter_restore(&stop_timeout);
	sd_dealloc(fd, &wanted);
	sd_wait_counts(fd, &idle);
	sd_run(ctx);
	sd_context_free(ctx);
	ctx = sd_context(fd);
	wanted = alloc(fd, vram / 4 * 3);
	sd_emit_fill(ctx, &wanted, VALUE, 1);
	sd_run(ctx);
	igt_assert(sd_is_filled(fd, &wanted, VALUE));
	sd_dealloc(fd, &wanted);
	sd_context_free(ctx);
	sd_wait_vram_free(fd, before);
}

/* Submits a job that waits for a gate and one behind it, then lifts the gate. */
static void submit_scheduled(struct sd_context *ctx, const struct sd_bo *bo)
{
	struct sd_gate gate = sd_gate_before(ctx);

	sd_emit_fill(ctx, bo, VALUE, 1);
	sd_submit(ctx);
	sd_gate_lift(&gate);
}

/*
 * The context of a hung job is lost and the job ends, whether it came from the scheduler
 * (@scheduled) or went straight to the ring.
 */
static void test_hang(bool scheduled)
{
	const int fd = sd_open();
	struct sd_context *ctx = sd_context(fd);
	struct sd_bo bo = sd_alloc(fd, PAGE);

	if (scheduled) {
		submit_scheduled(ctx, &bo);
		sd_wait(fd, &bo);
	} else {
		sd_run(ctx);
	}
	sd_ask("stop-youngest 0");
	sd_parameter_set(&timeout, SHORT_MS);
	if (scheduled) {
		submit_scheduled(ctx, &bo);
	} else {
		sd_emit_fill(ctx, &bo, VALUE, 1);
		sd_submit(ctx);
	}
	sd_wait(fd, &bo);
	igt_assert_eq(sd_wait_dead(ctx).fault, DRM_SUNDOG_FAULT_TIMEOUT);
	igt_assert_eq(sd_query(ctx).guilt, DRM_SUNDOG_GUILTY);
	sd_parameter_restore(&timeout);
	sd_context_unmap(ctx);
	close(fd);
}

/* The timeout is disabled when the timer expires, and enabled again later. */
static void test_unlimited(void)
{
	const int fd = sd_open();
	struct sd_context *ctx = sd_context(fd);
	struct sd_bo bo = sd_alloc(fd, PAGE);

	sd_run(ctx);
	sd_ask("stop-youngest 0");
	sd_parameter_set(&timeout, LONG_MS);
	sd_emit_fill(ctx, &bo, VALUE, 1);
	sd_submit(ctx);
	sd_parameter_set(&timeout, "0");
	/* The timer that was armed expires after an eighth of the timeout. */
	sleep(LONG_S / 8 + 2);
	igt_assert_eq(sd_query(ctx).guilt, DRM_SUNDOG_GUILT_NONE);
	sd_parameter_set(&timeout, SHORT_MS);
	sd_emit_fill(ctx, &bo, VALUE, 1);
	sd_submit(ctx);
	sd_wait(fd, &bo);
	igt_assert_eq(sd_wait_dead(ctx).fault, DRM_SUNDOG_FAULT_TIMEOUT);
	sd_parameter_restore(&timeout);
	sd_context_unmap(ctx);
	close(fd);
}

/* Without timeout_ms a job still ends at job_timeout_ms. */
static void test_job_limit(void)
{
	const int fd = sd_open();
	struct sd_context *ctx = sd_context(fd);
	struct sd_bo bo = sd_alloc(fd, PAGE);

	sd_run(ctx);
	sd_ask("stop-youngest 0");
	sd_parameter_set(&timeout, "0");
	sd_parameter_set(&job_timeout, SHORT_MS);
	sd_emit_fill(ctx, &bo, VALUE, 1);
	sd_submit(ctx);
	sd_wait(fd, &bo);
	igt_assert_eq(sd_wait_dead(ctx).fault, DRM_SUNDOG_FAULT_TIMEOUT);
	sd_parameter_restore(&timeout);
	sd_parameter_restore(&job_timeout);
	sd_context_unmap(ctx);
	close(fd);
}

/*
 * A context is destroyed while it has work for several times stop_timeout_ms, and the worker makes
 * progress. The work completes, and the other contexts of the file go on.
 */
static void test_slow_stop(void)
{
	const int fd = sd_open();
	struct sd_context *slow = sd_context(fd), *other = sd_context(fd);
	struct sd_bo bo = sd_alloc(fd, 40u << 20), small = sd_alloc(fd, PAGE);
	/* The worker's status page; the kernel omits this field from the header for user space. */
	const volatile struct sundog_ring_status *status = (const volatile void *)slow->status;
	uint64_t seqno, before;
	bool is_counted;

	sd_run(other);
	/* 160 GB in total. */
	sd_emit_fill(slow, &bo, VALUE, 4000);
	seqno = sd_submit(slow);
	before = status->progress;
	/* The worker reports four times a second; decoding the stream counts as progress, too. */
	while (slow->status->completed < seqno && !slow->status->lost &&
	       status->progress - before < 4)
		usleep(1000);
	is_counted = slow->status->completed < seqno && !slow->status->lost;
	sd_parameter_set(&stop_timeout, "2000");
	sd_context_free(slow);
	sd_wait(fd, &bo);
	/* Debian's lavapipe does not count fills: to the renderer the worker hangs. */
	igt_require(is_counted);
	igt_assert_eq(sd_query(other).guilt, DRM_SUNDOG_GUILT_NONE);
	sd_emit_fill(other, &small, VALUE, 1);
	sd_run(other);
	igt_assert(sd_is_filled(fd, &small, VALUE));
	igt_assert(sd_is_filled(fd, &bo, VALUE));
	sd_parameter_restore(&stop_timeout);
	sd_context_unmap(other);
	close(fd);
}

/* The file in which the child creates its context. */
static int shared_fd;

static void create_context(void)
{
	uint64_t offset;
	uint32_t id;

	sd_context_try(shared_fd, &id, &offset);
}

/*
 * The worker of a file stops, so that it never answers for the file's next context. The process
 * that creates this context is killed, and the file stays open. The driver ends the client.
 */
static void test_unanswered(void)
{
	const int fd = sd_open();
	struct sd_counts expected = sd_idle_counts(fd);
	struct sd_context *ctx = sd_context(fd);
	const int64_t end = sd_deadline();
	pid_t child;

	sd_run(ctx);
	/* The context stays until it is destroyed, and so does the BO of its streams. */
	expected.contexts++;
	expected.live++;
	sd_ask("stop-youngest 0");
	sd_parameter_set(&stop_timeout, SHORT_MS);
	shared_fd = fd;
	child = sd_start_child(create_context);
	while (sd_counts(fd).contexts == expected.contexts)
		igt_assert(sd_now_plus_ms(0) < end);
	sd_kill_child(child);
	sd_wait_counts(fd, &expected);
	sd_parameter_restore(&stop_timeout);
	sd_context_unmap(ctx);
	ctx = sd_context(fd);
	sd_run(ctx);
	sd_context_free(ctx);
	close(fd);
}

igt_main()
{
	static int fd = -1;

	igt_fixture() {
		sd_require_host();
		fd = sd_open_renderer();
		vram = sd_param(fd, DRM_SUNDOG_PARAM_VRAM_SIZE);
	}

	igt_describe("BOs that a worker that does not stop may still write keep their VRAM, and no "
		     "other client gets it.");
	igt_subtest("memory-is-quarantined")
		test_quarantine(fd);

	igt_describe("A job that hangs is ended after timeout_ms, and its context is lost as "
		     "guilty.");
	igt_subtest("hang")
		test_hang(false);

	igt_describe("A job that hangs is not ended while timeout_ms is 0, and is ended after "
		     "timeout_ms is set again.");
	igt_subtest("hang-unlimited")
		test_unlimited();

	igt_describe("A job from the scheduler that hangs is ended after timeout_ms, and its "
		     "context is lost as guilty.");
	igt_subtest("hang-scheduled")
		test_hang(true);

	igt_describe("A job that hangs is ended after job_timeout_ms while timeout_ms is 0.");
	igt_subtest("hang-job-limit")
		test_job_limit();

	igt_describe("A context whose CONTEXT_CREATE the worker never answers is freed after its "
		     "process was killed.");
	igt_subtest("create-unanswered")
		test_unanswered();

	igt_describe("Destroying a context with a long job does not end another context of the "
		     "file.");
	igt_subtest("slow-stop")
		test_slow_stop();

	/* Also after a failure: no other test may find the renderer stopped. */
	igt_fixture() {
		sd_ask("continue-renderer");
		sd_parameter_restore(&stop_timeout);
		sd_parameter_restore(&timeout);
		sd_parameter_restore(&job_timeout);
		close(fd);
	}
}
