// SPDX-License-Identifier: MIT
/*
 * Calls under a storm of signals whose handler does not restart system calls: a call that the
 * kernel interrupts has had no effect, and can be tried again.
 */
#include "sundog_gate.h"
#include "sundog_share.h"

#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

IGT_TEST_DESCRIPTION("Interrupted calls");

/* The longest jiffy of a kernel, with HZ=100. */
#define JIFFY_MS 10

static volatile sig_atomic_t n_signals;

static void on_alarm(int signal)
{
	(void)signal;
	n_signals++;
}

static void storm(bool on)
{
	const struct itimerval every = {
		.it_interval = { .tv_usec = on ? 300 : 0 },
		.it_value = { .tv_usec = on ? 300 : 0 },
	};
	const struct sigaction action = { .sa_handler = on ? on_alarm : SIG_IGN };

	if (on)
		igt_assert(!sigaction(SIGALRM, &action, NULL));
	igt_assert(!setitimer(ITIMER_REAL, &every, NULL));
	if (!on)
		igt_assert(!sigaction(SIGALRM, &action, NULL));
}

/* Calls that run in the storm, again and again; @fd is a file of their own. */

static void create_destroy(int fd)
{
	struct sd_resource *res = sd_resource(fd, SHARED, 3 * PAGE, 4);

	igt_assert_eq_u32(res->bos[3].index, 3);
	igt_assert_eq_u64(res->bos[3].size, 3 * PAGE);
	sd_destroy(fd, res);
}

static void alloc_release(int fd)
{
	struct sd_resource *res = sd_resource(fd, 0, PAGE, 0);

	for (int i = 0; i < 5; i++) {
		igt_assert_eq(sd_add_try(fd, res, 5), 0);
		igt_assert_eq(sd_remove_try(fd, res, 0, 5), 0);
		res->count = 0;
	}
	sd_destroy(fd, res);
}

static void private_lists(int fd)
{
	struct sd_resource *res = sd_private_resource(fd, 3 * PAGE, 4);
	const uint32_t list = sd_reslist(fd);

	igt_assert_eq_u32(res->bos[3].index, 3);
	for (uint32_t i = 0; i < 4; i++)
		igt_assert_eq(sd_reslist_put_try(fd, list, res->bos[i].handle, READ), 0);
	igt_assert_eq(sd_reslist_put_try(fd, list, res->bos[0].handle, 0), 0);
	sd_destroy(fd, res);
	igt_assert_eq(sd_reslist_destroy_try(fd, list), 0);
}

/*
 * vgem imports an allocation, which the device then accesses in heap GUEST. Its resource is
 * destroyed while vgem shares it.
 */
static void shared_with_vgem(int fd)
{
	const int vgem = sd_open_vgem();
	struct sd_resource *res = sd_resource(fd, SHARED, 16 * PAGE, 2);
	const int dma_buf = sd_export(fd, res->bos[1].handle);
	uint32_t handle;

	igt_assert_eq(sd_import_try(vgem, dma_buf, &handle), 0);
	close(dma_buf);
	sd_destroy(fd, res);
	close(vgem);
}

/* A job uses an import, whose handle is closed before the job ends. */
static void imported_from_vgem(int fd)
{
	struct drm_mode_create_dumb dumb = { .width = 64, .height = 64, .bpp = 32 };
	struct sd_context *ctx = sd_context(fd);
	const int vgem = sd_open_vgem();
	struct sd_bo bo;
	int dma_buf;

	sd_ioctl(vgem, DRM_IOCTL_MODE_CREATE_DUMB, &dumb);
	dma_buf = sd_export(vgem, dumb.handle);
	bo = sd_import(fd, dma_buf, 4 * PAGE);
	close(dma_buf);
	sd_emit_fill(ctx, &bo, 1, 1);
	sd_submit(ctx);
	sd_gem_close(fd, bo.handle);
	close(vgem);
	sd_context_free(ctx);
}

static void export_open(int fd)
{
	struct sd_resource *res = sd_resource(fd, SHARED, PAGE, 3), *opened;
	int dmabuf = sd_export(fd, res->bos[2].handle);

	opened = sd_opened(fd, dmabuf);
	close(dmabuf);
	igt_assert_eq_u32(opened->count, 3);
	igt_assert_eq_u32(opened->kres, res->kres);
	sd_destroy(fd, opened);
	sd_destroy(fd, res);
}

static void page_faults(int fd)
{
	struct sd_bo bo = sd_alloc(fd, 1 << 20);

	sd_fill(fd, &bo, 0xf00d);
	igt_assert(sd_is_filled(fd, &bo, 0xf00d));
	sd_dealloc(fd, &bo);
}

static void contexts(int fd)
{
	struct sd_context *ctx = sd_context(fd);

	sd_run(ctx);
	sd_context_free(ctx);
}

/* Lifts the gate a while after the queue is full. */
struct lifter {
	struct sd_gate gate;
	volatile int submitted;
};

#define QUEUE_FULL 1000
#define N_SUBMITS 1200

static void *lift_later(void *data)
{
	struct lifter *lifter = data;

	while (lifter->submitted < QUEUE_FULL)
		usleep(1000);
	usleep(100000);
	sd_gate_lift(&lifter->gate);
	return NULL;
}

/* Starts a thread that gets none of the signals. */
static pthread_t start_quietly(void *(*start)(void *data), void *data)
{
	pthread_t thread;
	sigset_t alarms;

	sigemptyset(&alarms);
	sigaddset(&alarms, SIGALRM);
	igt_assert(!pthread_sigmask(SIG_BLOCK, &alarms, NULL));
	igt_assert(!pthread_create(&thread, NULL, start, data));
	igt_assert(!pthread_sigmask(SIG_UNBLOCK, &alarms, NULL));
	return thread;
}

/* Submits more jobs than the queue takes, so that SUBMIT waits; each job is queued exactly once. */
static void submit(int fd)
{
	struct sd_context *ctx = sd_context(fd);
	struct lifter lifter = { .gate = sd_gate_before(ctx) };
	pthread_t thread = start_quietly(lift_later, &lifter);
	struct sd_bo bo = sd_alloc(fd, PAGE);
	uint64_t seqno = 0, last = 0;

	for (int i = 0; i < N_SUBMITS; i++) {
		sd_list(ctx, &bo, i % 3 ? READ : WRITE);
		seqno = sd_submit(ctx);
		igt_assert(!last || seqno == last + 1);
		last = seqno;
		lifter.submitted++;
	}
	sd_wait(fd, &bo);
	sd_wait_seqno(ctx, seqno);
	pthread_join(thread, NULL);
	sd_dealloc(fd, &bo);
	sd_context_free(ctx);
}

/* Waits end when the device is done, or at their timeout. */
static void wait_idle(int fd)
{
	struct sd_context *ctx = sd_context(fd);
	struct sd_bo bo = sd_alloc(fd, PAGE);
	struct sd_gate gate = sd_gate_before(ctx);
	int64_t end;

	sd_emit_fill(ctx, &bo, 3, 1);
	sd_submit(ctx);
	end = sd_now_plus_ms(50);
	igt_assert_eq(sd_wait_try(fd, bo.handle, WRITE, end), -ETIME);
	/* No signal ends it. drm_timeout_abs_to_jiffies() makes it up to one jiffy too short. */
	igt_assert(sd_now_plus_ms(JIFFY_MS) >= end);
	sd_gate_lift(&gate);
	sd_wait(fd, &bo);
	igt_assert(sd_is_filled(fd, &bo, 3));
	sd_dealloc(fd, &bo);
	sd_context_free(ctx);
}

/* DESTROY never waits for the device; the memory is freed later all the same. */
static void destroy_busy(int fd)
{
	struct sd_context *ctx = sd_context(fd);

	for (uint32_t i = 0; i < 10; i++) {
		struct sd_resource *res = sd_resource(fd, 0, 1 << 20, 2);

		sd_emit_fill(ctx, &res->bos[0], i, 4);
		sd_emit_copy(ctx, &res->bos[0], &res->bos[1]);
		sd_submit(ctx);
		sd_destroy(fd, res);
	}
	sd_context_free(ctx);
}

#define N_SIGNALS 100

static void test(int fd, void (*what)(int fd))
{
	const struct sd_counts idle = sd_idle_counts(fd);
	const int64_t end = sd_deadline();

	n_signals = 0;
	storm(true);
	do
		what(fd);
	while (n_signals < N_SIGNALS && sd_now_plus_ms(0) < end);
	storm(false);
	igt_assert(n_signals >= N_SIGNALS);
	sd_wait_counts(fd, &idle);
}

igt_main()
{
	static const struct {
		const char *name, *description;
		void (*test)(int fd);
	} plain[] = {
		{ "create-destroy",
		  "Resources can be created and destroyed under a storm of signals, and nothing "
		  "leaks.", create_destroy },
		{ "alloc-release",
		  "Allocations of a resource can be added and released under a storm of signals, "
		  "and nothing leaks.", alloc_release },
		{ "private-lists",
		  "PRIVATE allocations can be put on residency lists under a storm of signals, and "
		  "nothing leaks.", private_lists },
		{ "export-open",
		  "Resources can be exported and opened under a storm of signals, and nothing "
		  "leaks.", export_open },
		{ "page-faults", "Page faults of a new BO complete under a storm of signals.",
		  page_faults },
	}, on_device[] = {
		{ "contexts",
		  "Contexts can be created and destroyed under a storm of signals, and nothing "
		  "leaks.", contexts },
		{ "submit",
		  "SUBMIT waits for the full queue under a storm of signals, and queues each job "
		  "exactly once.", submit },
		{ "wait",
		  "WAIT ends when the BO is idle, or at its timeout, under a storm of signals.",
		  wait_idle },
		{ "destroy-busy",
		  "Resources can be destroyed while jobs use them under a storm of signals, and "
		  "nothing leaks.", destroy_busy },
	}, shared[] = {
		{ "shared-with-vgem",
		  "Resources can be destroyed while vgem shares them under a storm of signals, and "
		  "nothing leaks.", shared_with_vgem },
		{ "imported-from-vgem",
		  "Imports from vgem can be used and closed while a job uses them under a storm of "
		  "signals.", imported_from_vgem },
	};
	static int fd = -1;

	igt_fixture()
		fd = sd_open();

	for (unsigned int i = 0; i < sizeof(plain) / sizeof(plain[0]); i++) {
		igt_describe(plain[i].description);
		igt_subtest(plain[i].name)
			test(fd, plain[i].test);
	}

	igt_fixture() {
		close(fd);
		fd = sd_open_renderer();
	}

	for (unsigned int i = 0; i < sizeof(on_device) / sizeof(on_device[0]); i++) {
		igt_describe(on_device[i].description);
		igt_subtest(on_device[i].name)
			test(fd, on_device[i].test);
	}

	for (unsigned int i = 0; i < sizeof(shared) / sizeof(shared[0]); i++) {
		igt_describe(shared[i].description);
		igt_subtest(shared[i].name) {
			sd_require_guest_heap(fd);
			test(fd, shared[i].test);
		}
	}

	igt_fixture()
		close(fd);
}
