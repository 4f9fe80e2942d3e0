// SPDX-License-Identifier: MIT
/*
 * Eviction: with more BOs in use than VRAM holds the rest is in system memory, and no client
 * sees a difference.
 *
 * Most BOs are a sixteenth of VRAM, so these tests want a small VRAM.
 */
#include "sundog_gate.h"
#include "sundog_head.h"
#include "sundog_share.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/dma-buf.h>

#include <drm_fourcc.h>
#include <xf86drm.h>
#include <xf86drmMode.h>

IGT_TEST_DESCRIPTION("Eviction from VRAM and back");

/* Three times VRAM; a quick run uses one and a half times VRAM (many). */
#define MANY 48
#define PAGES_LIMIT "/sys/module/ttm/parameters/pages_limit"

static uint64_t vram, size;
static int many;

/* Steps of the test that are done, for on_alarm(). */
static volatile sig_atomic_t n_steps;

/* Allocates without touching, unlike sd_alloc(). */
static struct sd_bo alloc(int fd, uint64_t bytes)
{
	struct sd_bo bo;

	igt_assert_eq(sd_alloc_try(fd, 0, &bytes, 1, &bo), 0);
	return bo;
}

static void alloc_many(int fd, struct sd_bo *bos, int n)
{
	for (int i = 0; i < n; i++)
		bos[i] = alloc(fd, size);
}

static void dealloc_many(int fd, const struct sd_bo *bos, int n)
{
	for (int i = 0; i < n; i++)
		sd_dealloc(fd, &bos[i]);
}

static void device_fill(struct sd_context *ctx, const struct sd_bo *bo, uint32_t value)
{
	sd_emit_fill(ctx, bo, value, 1);
	sd_run(ctx);
	n_steps++;
}

/* Returns a copy of the BO by the device, in memory with other contents before. */
static struct sd_bo device_copy(struct sd_context *ctx, const struct sd_bo *bo)
{
	struct sd_bo copy = alloc(ctx->fd, bo->size);

	device_fill(ctx, &copy, 0x99999999);
	sd_emit_copy(ctx, bo, &copy);
	sd_run(ctx);
	return copy;
}

static void check_by_device(struct sd_context *ctx, const struct sd_bo *bo, uint32_t value)
{
	struct sd_bo copy = device_copy(ctx, bo);

	igt_assert(sd_is_filled(ctx->fd, &copy, value));
	sd_dealloc(ctx->fd, &copy);
}

/* Evicts everything of other clients from VRAM that can be evicted. */
static void squeeze(struct sd_context *ctx)
{
	struct sd_bo bos[MANY / 2];

	alloc_many(ctx->fd, bos, MANY / 2);
	for (int i = 0; i < MANY / 2; i++)
		device_fill(ctx, &bos[i], 0x77777777);
	dealloc_many(ctx->fd, bos, MANY / 2);
}

static void test_cpu_written(int fd)
{
	const uint64_t before = sd_idle_vram_free(fd);
	struct sd_context *ctx = sd_context(fd);
	struct sd_bo bos[MANY];

	alloc_many(fd, bos, many);
	for (int i = 0; i < many; i++)
		sd_fill(fd, &bos[i], 0x1000 + i);
	for (int i = 0; i < many; i++)
		check_by_device(ctx, &bos[i], 0x1000 + i);
	for (int i = 0; i < many; i++)
		igt_assert(sd_is_filled(fd, &bos[i], 0x1000 + i));
	dealloc_many(fd, bos, many);
	sd_context_free(ctx);
	sd_wait_vram_free(fd, before);
}

/* Reads debugfs file framebuffer into @buf. */
static void read_framebuffers(int fd, char *buf, size_t room)
{
	struct stat node;
	char path[64];
	ssize_t n;
	int file;

	igt_assert(!fstat(fd, &node));
	snprintf(path, sizeof(path), "/sys/kernel/debug/dri/%u/framebuffer", minor(node.st_rdev));
	file = open(path, O_RDONLY | O_CLOEXEC);
	igt_require(file >= 0);
	n = read(file, buf, room - 1);
	igt_assert(n >= 0);
	buf[n] = 0;
	close(file);
}

/* Returns true if @placement is the line of debugfs' @text that follows the BO's device handle. */
static bool is_printed(const char *text, const struct sd_bo *bo, const char *placement)
{
	char line[64];
	const char *at;

	snprintf(line, sizeof(line), "allocation=%u\n", bo->device_handle);
	at = strstr(text, line);
	if (!at)
		return false;
	at += strlen(line);
	at += strspn(at, "\t ");
	return !strncmp(at, placement, strlen(placement));
}

/*
 * Framebuffers in VRAM and in system memory. The CPU's first faults fill VRAM, and the last BO
 * finds no room unless an extent becomes free meanwhile: so the test waits for the extents of the
 * subtests before. The driver omits the placement while the BO is locked, so the test reads
 * repeatedly.
 */
static void test_printed(int renderer)
{
	const int64_t end = sd_deadline();
	const int fd = sd_open_primary();
	static char text[1 << 16];
	struct sd_bo bos[MANY];
	bool found = false;
	uint32_t fbs[2];

	sd_settle(renderer);
	alloc_many(fd, bos, many);
	for (int i = 0; i < many; i++)
		sd_fill(fd, &bos[i], i);
	for (int i = 0; i < 2; i++) {
		const uint32_t handles[4] = { bos[i ? many - 1 : 0].handle }, pitches[4] = { 256 },
			offsets[4] = { 0 };

		igt_assert_eq(drmModeAddFB2(fd, 64, 64, DRM_FORMAT_XRGB8888, handles, pitches,
					    offsets, &fbs[i], 0), 0);
	}
	while (!found && sd_now_plus_ms(0) < end) {
		read_framebuffers(fd, text, sizeof(text));
		found = is_printed(text, &bos[0], "placement=vram\n") &&
			is_printed(text, &bos[many - 1], "placement=system\n");
		if (!found)
			usleep(10000);
	}
	for (int i = 0; i < 2; i++)
		drmModeRmFB(fd, fbs[i]);
	dealloc_many(fd, bos, many);
	close(fd);
	igt_assert_f(found, "debugfs has no such placements:\n%s", text);
}

static void test_device_written(int fd)
{
	const uint64_t before = sd_idle_vram_free(fd);
	struct sd_context *ctx = sd_context(fd);
	struct drm_sundog_alloc_info info;
	struct sd_bo bos[MANY];

	alloc_many(fd, bos, many);
	for (int i = 0; i < many; i++)
		device_fill(ctx, &bos[i], 0x2000 + i);
	for (int i = 0; i < many; i++) {
		igt_assert(sd_is_filled(fd, &bos[i], 0x2000 + i));
		n_steps++;
	}
	for (int i = 0; i < many; i++) {
		check_by_device(ctx, &bos[i], 0x2000 + i);
		igt_assert_eq(sd_info_try(fd, bos[i].handle, &info), 0);
		igt_assert_eq_u32(info.device_handle, bos[i].device_handle);
	}
	dealloc_many(fd, bos, many);
	sd_context_free(ctx);
	sd_wait_vram_free(fd, before);
}

static void test_processes(int fd)
{
	const uint64_t before = sd_idle_vram_free(fd);

	igt_fork(child, 4) {
		const uint32_t value = (child + 1) << 16;
		int own = sd_open();
		struct sd_context *ctx = sd_context(own);
		struct sd_bo bos[MANY / 4];

		alloc_many(own, bos, many / 4);
		for (int round = 0; round < sd_rounds(2, 3); round++) {
			for (int i = 0; i < many / 4; i++)
				device_fill(ctx, &bos[i], value + (round << 8) + i);
			for (int i = 0; i < many / 4; i++)
				igt_assert(sd_is_filled(own, &bos[i], value + (round << 8) + i));
		}
	}
	igt_waitchildren();
	sd_wait_vram_free(fd, before);
}

/* The clients also list BOs of each other, in random order. */
static void submit_at_random(int child, struct sd_context *ctx, const struct sd_bo *own,
			     const struct sd_bo *common, int n)
{
	uint32_t values[8] = { 0 }, seed = child + 1;

	for (int i = 0; i < sd_rounds(4, 40); i++) {
		for (int j = 0; j < 4; j++) {
			seed = seed * 1103515245 + 12345;
			sd_list(ctx, &common[(seed >> 16) % n], READ);
		}
		seed = seed * 1103515245 + 12345;
		values[(seed >> 16) % 8] = seed;
		sd_emit_fill(ctx, &own[(seed >> 16) % 8], seed, 1);
		sd_submit(ctx);
	}
	for (int i = 0; i < 8; i++) {
		sd_wait(ctx->fd, &own[i]);
		igt_assert(sd_is_filled(ctx->fd, &own[i], values[i]));
	}
}

static void test_submitters(int fd)
{
	const uint64_t before = sd_idle_vram_free(fd);
	struct sd_bo common[6];
	int dmabufs[6];

	alloc_many(fd, common, 6);
	for (int i = 0; i < 6; i++) {
		sd_fill(fd, &common[i], 0x3000 + i);
		dmabufs[i] = sd_export(fd, common[i].handle);
	}
	igt_fork(child, 8) {
		int own = sd_open();
		struct sd_context *ctx = sd_context(own);
		struct sd_bo bos[8], imported[6];

		alloc_many(own, bos, 8);
		for (int i = 0; i < 6; i++) {
			imported[i] = common[i];
			igt_assert_eq(drmPrimeFDToHandle(own, dmabufs[i], &imported[i].handle), 0);
		}
		submit_at_random(child, ctx, bos, imported, 6);
	}
	igt_waitchildren();
	for (int i = 0; i < 6; i++) {
		igt_assert(sd_is_filled(fd, &common[i], 0x3000 + i));
		close(dmabufs[i]);
	}
	dealloc_many(fd, common, 6);
	sd_wait_vram_free(fd, before);
}

/* Microseconds between signals, and the most for a slow machine. */
#define SIGNAL_PERIOD 500
#define SIGNAL_PERIOD_MAX 64000

static volatile sig_atomic_t period;

static void set_alarm(int usec)
{
	const struct itimerval timer = { { 0, usec }, { 0, usec } };

	igt_assert(!setitimer(ITIMER_REAL, &timer, NULL));
}

/* Signals come less often if the test has done no step for 2,000 of them. */
static void on_alarm(int signal)
{
	static int last_step, n_signals;

	(void)signal;
	if (n_steps != last_step) {
		last_step = n_steps;
		n_signals = 0;
	} else if (++n_signals % 2000 == 0 && period < SIGNAL_PERIOD_MAX) {
		period *= 2;
		set_alarm(period);
	}
}

static void test_signals(int fd)
{
	struct sigaction action = { .sa_handler = on_alarm };

	igt_assert(!sigaction(SIGALRM, &action, NULL));
	period = SIGNAL_PERIOD;
	set_alarm(period);
	test_device_written(fd);
	set_alarm(0);
	igt_assert_f(period < SIGNAL_PERIOD_MAX, "a call makes no progress between signals\n");
}

static void squeeze_forever(void)
{
	struct sd_context *ctx = sd_context(sd_open());

	for (;;)
		squeeze(ctx);
}

static void test_kill(int fd)
{
	const uint64_t before = sd_idle_vram_free(fd);
	pid_t children[2];

	for (int i = 0; i < sd_rounds(4, 8); i++) {
		for (int j = 0; j < 2; j++)
			children[j] = sd_start_child(squeeze_forever);
		usleep(30000 * (i % 5) + 50000);
		for (int j = 0; j < 2; j++)
			sd_kill_child(children[j]);
	}
	sd_wait_vram_free(fd, before);
}

static void test_submission_too_large(int fd)
{
	struct sd_context *ctx = sd_context(fd);
	struct sd_bo bos[17];
	uint64_t free, seqno;

	alloc_many(fd, bos, 17);
	for (int i = 0; i < 17; i++)
		sd_fill(fd, &bos[i], 0x4000 + i);
	sd_run(ctx);
	free = sd_vram_free(fd);
	for (int i = 0; i < 17; i++)
		sd_emit_fill(ctx, &bos[i], 0, 1);
	igt_assert_eq(sd_submit_try(ctx, &seqno), -ENOSPC);
	igt_assert_eq_u64(sd_vram_free(fd), free);
	igt_assert_eq_u32(sd_query(ctx).state, DRM_SUNDOG_CONTEXT_RUNNING);
	for (int i = 0; i < 17; i++)
		igt_assert(sd_is_filled(fd, &bos[i], 0x4000 + i));
	sd_run(ctx);
	dealloc_many(fd, bos, 17);
	sd_context_free(ctx);
}

static void test_allocation_too_large(int fd)
{
	const uint64_t before = sd_idle_vram_free(fd), sizes[] = { PAGE, vram + PAGE };
	struct sd_bo bos[2];

	igt_assert_eq(sd_alloc_try(fd, 0, sizes, 2, bos), -ENOSPC);
	igt_assert_eq(sd_alloc_try(fd, 0, sizes + 1, 1, bos), -ENOSPC);
	igt_assert_eq_u64(sd_vram_free(fd), before);
}

/* Every other sixteenth of VRAM is in use when a BO is needed that is larger than the holes. */
static void test_pack(int fd)
{
	struct sd_context *ctx = sd_context(fd);
	struct sd_bo bos[12], large;

	squeeze(ctx);
	for (int i = 0; i < 12; i++) {
		bos[i] = alloc(fd, size);
		device_fill(ctx, &bos[i], 0x5000 + i);
	}
	for (int i = 0; i < 12; i += 2)
		sd_dealloc(fd, &bos[i]);
	large = alloc(fd, 6 * size);
	for (int i = 1; i < 12; i += 2)
		sd_list(ctx, &bos[i], READ);
	sd_emit_fill(ctx, &large, 0x5678, 1);
	sd_run(ctx);
	igt_assert(sd_is_filled(fd, &large, 0x5678));
	for (int i = 1; i < 12; i += 2) {
		igt_assert(sd_is_filled(fd, &bos[i], 0x5000 + i));
		sd_dealloc(fd, &bos[i]);
	}
	sd_dealloc(fd, &large);
	sd_context_free(ctx);
}

static void *map_dmabuf(int fd, const struct sd_bo *bo)
{
	int dmabuf = sd_export(fd, bo->handle);
	void *map = mmap(NULL, bo->size, PROT_READ | PROT_WRITE, MAP_SHARED, dmabuf, 0);

	igt_assert(map != MAP_FAILED);
	close(dmabuf);
	return map;
}

/* Writes to a BO in VRAM, evicted and in VRAM again, through mappings that exist all the time. */
static void test_mapping(int fd)
{
	const uint64_t before = sd_idle_vram_free(fd);
	struct sd_context *ctx = sd_context(fd);
	struct sd_bo bo = alloc(fd, size), copy;
	volatile uint32_t *map = sd_map(fd, &bo), *dmabuf = map_dmabuf(fd, &bo), *found;
	const uint64_t last = size / 4 - 1;

	device_fill(ctx, &bo, 1);
	map[0] = 2;
	dmabuf[last] = 3;
	squeeze(ctx);
	igt_assert_eq_u32(dmabuf[0], 2);
	igt_assert_eq_u32(map[1], 1);
	igt_assert_eq_u32(map[last], 3);
	map[1] = 4;
	dmabuf[last] = 5;
	copy = device_copy(ctx, &bo);
	found = sd_map(fd, &copy);
	igt_assert_eq_u32(found[0], 2);
	igt_assert_eq_u32(found[1], 4);
	igt_assert_eq_u32(found[2], 1);
	igt_assert_eq_u32(found[last], 5);
	map[2] = 6;
	igt_assert_eq_u32(dmabuf[2], 6);
	sd_unmap((void *)found, &copy);
	sd_dealloc(fd, &copy);
	sd_unmap((void *)map, &bo);
	sd_unmap((void *)dmabuf, &bo);
	sd_dealloc(fd, &bo);
	sd_context_free(ctx);
	sd_wait_vram_free(fd, before);
}

static drmModeConnector *connected(int card)
{
	drmModeRes *res = drmModeGetResources(card);
	drmModeConnector *connector = NULL;

	igt_assert(res);
	for (int i = 0; i < res->count_connectors; i++) {
		connector = drmModeGetConnector(card, res->connectors[i]);
		if (connector->connection == DRM_MODE_CONNECTED && connector->count_modes)
			break;
		drmModeFreeConnector(connector);
		connector = NULL;
	}
	igt_require(connector);
	drmModeFreeResources(res);
	return connector;
}

static uint32_t show(int card, const struct sd_bo *bo, drmModeConnector *connector)
{
	drmModeModeInfo *mode = &connector->modes[0];
	drmModeRes *res = drmModeGetResources(card);
	uint32_t fb;

	igt_assert(res);
	igt_assert_eq(drmModeAddFB(card, mode->hdisplay, mode->vdisplay, 24, 32,
				   mode->hdisplay * 4, bo->handle, &fb), 0);
	igt_assert_eq(drmModeSetCrtc(card, res->crtcs[0], fb, 0, 0, &connector->connector_id, 1,
				     mode), 0);
	drmModeFreeResources(res);
	return fb;
}

/*
 * A framebuffer on screen is pinned, so a BO that needs its place does not fit; the rest of VRAM
 * can be freed.
 */
static void test_framebuffer(int fd)
{
	int card = sd_open_driver("sundog", SD_PRIMARY_MINOR, 0);
	drmModeConnector *connector = connected(card);
	const uint64_t bytes = 4ull * connector->modes[0].hdisplay * connector->modes[0].vdisplay;
	struct sd_context *ctx = sd_context(fd);
	struct sd_bo shown = alloc(card, bytes), large = alloc(fd, vram - shown.size / 2);
	uint64_t seqno;
	uint32_t fb;

	sd_fill(card, &shown, 0xff336699);
	fb = show(card, &shown, connector);
	squeeze(ctx);
	sd_list(ctx, &large, READ);
	igt_assert_eq(sd_submit_try(ctx, &seqno), -ENOSPC);
	squeeze(ctx);
	igt_assert(sd_is_filled(card, &shown, 0xff336699));
	igt_assert_eq(drmModeRmFB(card, fb), 0);
	sd_dealloc(card, &shown);
	drmModeFreeConnector(connector);
	close(card);
	sd_dealloc(fd, &large);
	sd_context_free(ctx);
}

/*
 * A job that does not end. Its BO leaves too little of VRAM for two other clients that need half of
 * VRAM each, and enough for a framebuffer in one of the two remaining parts.
 */
struct stuck {
	struct sd_context *ctx, *others[2];
	struct sd_bo bo;
	struct sd_gate gate;
	uint64_t seqno;
};

/*
 * Finished jobs count until the kernel frees them. So that they cannot be taken for a new job, wait
 * for the number without it first.
 */
static void wait_jobs(int fd, int jobs)
{
	const int64_t end = sd_deadline();

	while (sd_counts(fd).jobs != jobs && sd_now_plus_ms(0) < end)
		usleep(1000);
	igt_assert_eq(sd_counts(fd).jobs, jobs);
}

/*
 * The two clients wait for the job for the whole test. A waiter that should not wait for the job
 * would do so until the gate expires; stuck_free() finds the job done then.
 */
static struct stuck stuck_new(int fd)
{
	struct stuck stuck = { .ctx = sd_context(fd), .bo = alloc(fd, vram / 8 * 5) };

	/*
	 * Their streams are older in the LRU than the BO of the job, so eviction comes to that
	 * last.
	 */
	for (int i = 0; i < 2; i++)
		stuck.others[i] = sd_context(sd_open());
	stuck.gate = sd_gate_before(stuck.ctx);
	sd_list(stuck.ctx, &stuck.bo, WRITE);
	stuck.seqno = sd_submit(stuck.ctx);
	for (int i = 0; i < 2; i++) {
		wait_jobs(fd, 2 + i);
		igt_fork(child, 1) {
			struct sd_context *ctx = stuck.others[i];
			struct sd_bo large = alloc(ctx->fd, vram / 2);

			device_fill(ctx, &large, 0x44444444);
			igt_assert(sd_is_filled(ctx->fd, &large, 0x44444444));
			sd_dealloc(ctx->fd, &large);
		}
		/*
		 * The job of the gate, the one behind it, and one that each client is about to
		 * queue.
		 */
		wait_jobs(fd, 3 + i);
		/* The first client waits with its stream locked when the second one starts. */
		igt_assert(sd_is_held_back(stuck.ctx, stuck.seqno));
	}
	return stuck;
}

/* Frees a context, and closes its file. */
static void close_context(struct sd_context *ctx)
{
	const int fd = ctx->fd;

	sd_context_free(ctx);
	close(fd);
}

static void stuck_free(struct stuck *stuck)
{
	igt_assert(!sd_is_done(stuck->ctx, stuck->seqno));
	sd_gate_lift(&stuck->gate);
	igt_waitchildren();
	for (int i = 0; i < 2; i++)
		close_context(stuck->others[i]);
	sd_dealloc(stuck->ctx->fd, &stuck->bo);
	sd_context_free(stuck->ctx);
}

/* The two clients may evict idle BOs, so this test finds its BO in VRAM, or room for it. */
static void test_stuck_submit(int fd)
{
	const uint64_t before = sd_idle_vram_free(fd);
	struct sd_context *ctx = sd_context(fd);
	struct sd_bo bo = alloc(fd, PAGE);
	struct stuck stuck;

	device_fill(ctx, &bo, 0);
	stuck = stuck_new(fd);
	/*
	 * A few only: a debug kernel takes a second for each, and vgem's fences expire after ten.
	 */
	for (int i = 1; i < 5; i++) {
		device_fill(ctx, &bo, i);
		igt_assert(sd_is_filled(fd, &bo, i));
	}
	stuck_free(&stuck);
	sd_dealloc(fd, &bo);
	sd_context_free(ctx);
	sd_wait_vram_free(fd, before);
}

/* More framebuffers than fit into VRAM. */
#define STUCK_FLIPS 12

/* Shows a new framebuffer; the memory of the previous ones stays allocated. */
static uint32_t flip(int card, drmModeConnector *connector, struct sd_bo *bo, uint32_t before)
{
	uint32_t fb;

	*bo = alloc(card, 4ull * connector->modes[0].hdisplay * connector->modes[0].vdisplay);
	fb = show(card, bo, connector);
	if (before)
		igt_assert_eq(drmModeRmFB(card, before), 0);
	return fb;
}

static void test_stuck_flip(int fd)
{
	const struct sd_counts before = sd_idle_counts(fd);
	int card = sd_open_driver("sundog", SD_PRIMARY_MINOR, 0);
	drmModeConnector *connector = connected(card);
	struct sd_context *ctx = sd_context(fd);
	struct sd_bo bos[STUCK_FLIPS + 2];
	struct stuck stuck;
	uint32_t fb;

	/* Wait until the end of VRAM is free, so that this framebuffer is not in the middle. */
	sd_settle(fd);
	fb = flip(card, connector, &bos[0], 0);
	stuck = stuck_new(fd);
	for (int i = 1; i <= STUCK_FLIPS; i++)
		fb = flip(card, connector, &bos[i], fb);
	stuck_free(&stuck);
	/*
	 * Evict the console's framebuffer, which then comes back at the end of VRAM like this one.
	 */
	squeeze(ctx);
	sd_settle(fd);
	fb = flip(card, connector, &bos[STUCK_FLIPS + 1], fb);
	igt_assert_eq(drmModeRmFB(card, fb), 0);
	dealloc_many(card, bos, STUCK_FLIPS + 2);
	sd_context_free(ctx);
	drmModeFreeConnector(connector);
	close(card);
	/* The driver may keep the pin of a framebuffer for a second. */
	sd_wait_counts(fd, &before);
}

/* Submits a job that needs @bytes of VRAM, in a child process. There are @jobs jobs before. */
static void fill_in_child(int fd, struct sd_context *ctx, uint64_t bytes, int jobs)
{
	wait_jobs(fd, jobs);
	igt_fork(child, 1) {
		struct sd_bo large = alloc(ctx->fd, bytes);

		device_fill(ctx, &large, 1);
		sd_dealloc(ctx->fd, &large);
	}
	wait_jobs(fd, jobs + 1);
}

/* BOs with a job each; the first jobs end, the others do not. All BOs take 7 tenths of VRAM. */
#define CLAIM_BOS 14
#define CLAIM_ENDED 10

/*
 * A call that needs 8 tenths of VRAM waits for one job after the other. It claims VRAM, and then
 * meets a job that does not end.
 */
static void test_claim(int fd)
{
	struct sd_context *ctx = sd_context(fd), *large_ctx = sd_context(sd_open());
	struct sd_context *other = sd_context(sd_open());
	struct sd_gate gates[CLAIM_BOS];
	struct sd_bo bos[CLAIM_BOS], bo;
	uint64_t seqno = 0;

	for (int i = 0; i < CLAIM_BOS; i++) {
		bos[i] = alloc(fd, vram / 20);
		device_fill(ctx, &bos[i], i);
	}
	for (int i = 0; i < CLAIM_BOS; i++) {
		gates[i] = sd_gate_before(ctx);
		sd_list(ctx, &bos[i], WRITE);
		seqno = sd_submit(ctx);
	}
	fill_in_child(fd, large_ctx, vram / 10 * 8, 2 * CLAIM_BOS);
	for (int i = 0; i < CLAIM_ENDED; i++) {
		usleep(100000);
		sd_gate_lift(&gates[i]);
	}
	usleep(300000);
	bo = alloc(other->fd, vram / 64);
	device_fill(other, &bo, 2);
	igt_assert(sd_is_filled(other->fd, &bo, 2));
	igt_assert(!sd_is_done(ctx, seqno));
	for (int i = CLAIM_ENDED; i < CLAIM_BOS; i++)
		sd_gate_lift(&gates[i]);
	igt_waitchildren();
	dealloc_many(fd, bos, CLAIM_BOS);
	sd_dealloc(other->fd, &bo);
	sd_context_free(ctx);
	close_context(other);
	close_context(large_ctx);
}

/*
 * A process that adds a fence to a dma-buf takes its lock, and no signal interrupts that.
 * @late: the BO gets its dma-buf when the other client waits for it already.
 */
static void test_shared_victim(int fd, bool late)
{
	struct sd_context *ctx = sd_context(fd), *large_ctx = sd_context(sd_open());
	struct sd_resource *shared = sd_resource(fd, SHARED, vram / 2, 1);
	struct dma_buf_import_sync_file import = { .flags = DMA_BUF_SYNC_READ };
	struct sd_gate gate, added;
	uint64_t seqno;
	int buf = -1;

	device_fill(ctx, &shared->bos[0], 1);
	if (!late)
		buf = sd_export(fd, shared->bos[0].handle);
	added = sd_gate();
	import.fd = added.sync_file;
	gate = sd_gate_before(ctx);
	sd_list(ctx, &shared->bos[0], EXPLICIT(WRITE));
	seqno = sd_submit(ctx);
	fill_in_child(fd, large_ctx, vram / 10 * 7, 2);
	usleep(500000);
	if (late)
		buf = sd_export(fd, shared->bos[0].handle);
	igt_assert_eq(ioctl(buf, DMA_BUF_IOCTL_IMPORT_SYNC_FILE, &import), 0);
	igt_assert(!sd_is_done(ctx, seqno));
	sd_gate_lift(&gate);
	sd_gate_lift(&added);
	igt_waitchildren();
	close(buf);
	sd_destroy(fd, shared);
	sd_context_free(ctx);
	close_context(large_ctx);
}

/*
 * A client needs the VRAM of a shared BO, whose job ends @ms later, and that of a BO whose job does
 * not end.
 */
static void check_evicted_shared(int fd, int ms)
{
	struct sd_context *ctx = sd_context(fd), *other = sd_context(sd_open());
	struct sd_context *large_ctx = sd_context(sd_open());
	struct sd_resource *shared = sd_resource(fd, SHARED, vram / 10 * 3, 1);
	struct sd_bo bo = alloc(other->fd, vram / 10 * 4);
	struct dma_buf_import_sync_file import = { .flags = DMA_BUF_SYNC_READ };
	struct sd_gate first, last, added = sd_gate();
	const int buf = sd_export(fd, shared->bos[0].handle);
	uint64_t seqno;

	device_fill(ctx, &shared->bos[0], 1);
	device_fill(other, &bo, 1);
	import.fd = added.sync_file;
	first = sd_gate_before(ctx);
	sd_list(ctx, &shared->bos[0], EXPLICIT(WRITE));
	sd_submit(ctx);
	last = sd_gate_before(other);
	sd_list(other, &bo, EXPLICIT(WRITE));
	seqno = sd_submit(other);
	fill_in_child(fd, large_ctx, vram / 10 * 8, 4);
	usleep(ms * 1000);
	sd_gate_lift(&first);
	usleep(500000);
	igt_assert_eq(ioctl(buf, DMA_BUF_IOCTL_IMPORT_SYNC_FILE, &import), 0);
	igt_assert(!sd_is_done(other, seqno));
	sd_gate_lift(&last);
	sd_gate_lift(&added);
	igt_waitchildren();
	close(buf);
	sd_dealloc(other->fd, &bo);
	sd_destroy(fd, shared);
	sd_context_free(ctx);
	close_context(other);
	close_context(large_ctx);
}

/* Calls keep a shared victim locked for a tenth of a second, so the job has to end in that time. */
static void test_evicted_shared(int fd)
{
	for (int ms = 10; ms < 90; ms += 20)
		check_evicted_shared(fd, ms);
}

/*
 * A thread waits for VRAM. It has evicted PRIVATE memory of its own file for that, whose
 * allocations have one lock, and waits for the job of another client now.
 */
static void test_private_victim(int fd)
{
	struct sd_context *ctx = sd_context(fd);
	const int file = sd_open();
	struct sd_context *busy = sd_context(file), *waiting = sd_context(file);
	struct sd_context *going = sd_context(file);
	struct sd_resource *victim = sd_private_resource(file, vram / 100 * 35, 1);
	struct sd_resource *large = sd_private_resource(file, vram / 10 * 7, 1);
	struct sd_resource *small = sd_private_resource(file, PAGE, 1);
	struct sd_bo bo = alloc(fd, vram / 100 * 35);
	struct sd_gate first, last;
	uint64_t seqno;

	device_fill(busy, &victim->bos[0], 1);
	device_fill(going, &small->bos[0], 1);
	device_fill(ctx, &bo, 1);
	first = sd_gate_before(busy);
	sd_list(busy, &victim->bos[0], WRITE);
	sd_submit(busy);
	last = sd_gate_before(ctx);
	sd_list(ctx, &bo, WRITE);
	seqno = sd_submit(ctx);
	wait_jobs(fd, 4);
	igt_fork(child, 1)
		device_fill(waiting, &large->bos[0], 2);
	wait_jobs(fd, 5);
	usleep(500000);
	sd_gate_lift(&first);
	usleep(500000);
	device_fill(going, &small->bos[0], 3);
	igt_assert(!sd_is_done(ctx, seqno));
	sd_gate_lift(&last);
	igt_waitchildren();
	sd_destroy(file, victim);
	sd_destroy(file, large);
	sd_destroy(file, small);
	sd_dealloc(fd, &bo);
	sd_context_free(ctx);
	sd_context_free(busy);
	sd_context_free(waiting);
	close_context(going);
}

/*
 * PRIVATE memory that was freed while another job of its file was queued. A submission needs its
 * VRAM, of another file or (@own) of a thread that lists the memory of that job. Other threads of
 * the file do not have to wait.
 */
static void test_private_freed(int fd, bool own)
{
	const uint64_t before = sd_idle_vram_free(fd);
	const int file = sd_open();
	struct sd_context *busy = sd_context(file), *going = sd_context(file);
	struct sd_context *waiting = sd_context(own ? file : sd_open());
	struct sd_resource *freed = sd_private_resource(file, vram / 10 * 6, 1);
	struct sd_resource *used = sd_private_resource(file, PAGE, 1), *small;
	struct sd_gate gate;
	uint64_t seqno;

	device_fill(busy, &freed->bos[0], 1);
	device_fill(busy, &used->bos[0], 1);
	gate = sd_gate_before(busy);
	sd_list(busy, &used->bos[0], WRITE);
	seqno = sd_submit(busy);
	sd_destroy(file, freed);
	if (own)
		sd_list(waiting, &used->bos[0], WRITE);
	else
		sd_destroy(file, used);
	fill_in_child(fd, waiting, vram / 10 * 7, 2);
	usleep(500000);
	small = sd_private_resource(file, PAGE, 1);
	device_fill(going, &small->bos[0], 2);
	igt_assert(!sd_is_done(busy, seqno));
	sd_gate_lift(&gate);
	igt_waitchildren();
	sd_destroy(file, small);
	if (own) {
		sd_destroy(file, used);
		sd_context_free(waiting);
	} else {
		close_context(waiting);
	}
	sd_context_free(busy);
	close_context(going);
	sd_wait_vram_free(fd, before);
}

/* Clients whose jobs end CHURN_MS after one another, by gates that a thread lifts. */
#define CHURN_MS 400
#define CHURN_GATES 64

static struct sd_gate churn_gates[CHURN_GATES];
static volatile int n_shut, n_lifted;

static void *churn_lift(void *arg)
{
	for (;;) {
		usleep(CHURN_MS * 1000);
		if (n_lifted < n_shut) {
			sd_gate_lift(&churn_gates[n_lifted % CHURN_GATES]);
			n_lifted++;
		}
	}
	return arg;
}

/* Returns a new gate as soon as fewer than @n are shut, at most CHURN_GATES - 1. */
static const struct sd_gate *churn_gate(int n)
{
	struct sd_gate *gate = &churn_gates[n_shut % CHURN_GATES];

	while (n_shut - n_lifted >= n)
		usleep(1000);
	*gate = sd_gate();
	n_shut++;
	return gate;
}

/* The BOs of the client with the backlog: nine tenths of VRAM. */
#define BACKLOG_BOS 9

/* Submits an empty job that lists @n BOs and waits for a gate. Returns 0 or -errno. */
static int submit_behind(struct sd_context *ctx, const struct sd_gate *gate,
			 const struct sd_bo *bos, int n)
{
	struct drm_sundog_submit_alloc listed[BACKLOG_BOS];
	struct drm_sundog_sync sync = { .flags = WAIT };
	struct drm_sundog_submit args = {
		.ctx = ctx->id,
		.allocs = (uintptr_t)listed,
		.n_allocs = n,
		.alloc_stride = sizeof(listed[0]),
		.syncs = (uintptr_t)&sync,
		.n_syncs = 1,
		.sync_stride = sizeof(sync),
	};
	int ret;

	for (int i = 0; i < n; i++)
		listed[i] = (struct drm_sundog_submit_alloc){
			.handle = bos[i].handle,
			.flags = WRITE,
		};
	igt_assert(!drmSyncobjCreate(ctx->fd, 0, &sync.handle));
	igt_assert(!drmSyncobjImportSyncFile(ctx->fd, sync.handle, gate->sync_file));
	ret = sd_try(ctx->fd, DRM_IOCTL_SUNDOG_SUBMIT, &args);
	drmSyncobjDestroy(ctx->fd, sync.handle);
	return ret;
}

/*
 * Always has two or three jobs queued, each of which lists nine tenths of VRAM. Framebuffers are
 * pinned, so sometimes that does not fit.
 */
static void backlog_forever(void)
{
	struct sd_context *ctx = sd_context(sd_open());
	struct sd_bo bos[BACKLOG_BOS];
	pthread_t lifter;
	int ret;

	for (int i = 0; i < BACKLOG_BOS; i++)
		bos[i] = alloc(ctx->fd, vram / 10);
	igt_assert_eq(pthread_create(&lifter, NULL, churn_lift, NULL), 0);
	for (;;) {
		ret = submit_behind(ctx, churn_gate(3), bos, BACKLOG_BOS);
		igt_assert(!ret || ret == -ENOSPC);
	}
}

static pid_t backlog_new(int fd)
{
	const pid_t child = sd_start_child(backlog_forever);
	const int64_t end = sd_deadline();
	uint64_t jobs;

	while ((jobs = sd_counts(fd).jobs) < 2 && sd_now_plus_ms(0) < end)
		usleep(1000);
	igt_assert(jobs >= 2);
	return child;
}

/*
 * Other clients need memory that the client with the backlog uses. Each of their submissions waits
 * for the jobs that are queued at that time, and for none that comes later. A BO of half of VRAM
 * may find no place beside pinned framebuffers, so these have a quarter.
 */
static void test_backlog_submit(int fd)
{
	const uint64_t before = sd_idle_vram_free(fd);
	const pid_t backlog = backlog_new(fd);

	igt_fork(child, 2) {
		struct sd_context *ctx = sd_context(sd_open());

		for (int i = 0; i < sd_rounds(2, 4); i++) {
			struct sd_bo bo = alloc(ctx->fd, vram / 4);

			device_fill(ctx, &bo, 0x1000 * child + i);
			igt_assert(sd_is_filled(ctx->fd, &bo, 0x1000 * child + i));
			sd_dealloc(ctx->fd, &bo);
		}
	}
	igt_waitchildren();
	sd_kill_child(backlog);
	sd_wait_vram_free(fd, before);
}

/*
 * A client that frees each BO as soon as the job that uses it is queued, and needs another one for
 * the next job, so nothing is queued for long.
 */
static bool churn_private;
/* If there is a file, the client is a thread of it, and lists this BO with each job. */
static int churn_file = -1;
static struct sd_bo churn_bo;

/* PRIVATE memory that only mappings keep; it fills six tenths of VRAM. */
#define DEAD_BOS 6

struct dead {
	struct sd_bo bos[DEAD_BOS];
	uint32_t *maps[DEAD_BOS];
};

static struct dead dead_new(struct sd_context *ctx)
{
	struct sd_resource *res = sd_private_resource(ctx->fd, vram / 10, DEAD_BOS);
	struct dead dead;

	for (int i = 0; i < DEAD_BOS; i++) {
		dead.bos[i] = res->bos[i];
		dead.maps[i] = sd_map(ctx->fd, &res->bos[i]);
		device_fill(ctx, &res->bos[i], i);
	}
	sd_destroy(ctx->fd, res);
	return dead;
}

static void dead_check_and_free(struct dead *dead)
{
	for (int i = 0; i < DEAD_BOS; i++) {
		for (uint64_t j = 0; j < dead->bos[i].size / 4; j += PAGE / 4)
			igt_assert_eq_u32(dead->maps[i][j], i);
		sd_unmap(dead->maps[i], &dead->bos[i]);
	}
}

static void churn_forever(void)
{
	struct sd_context *ctx = sd_context(churn_file < 0 ? sd_open() : churn_file);
	struct sd_resource *res = NULL;
	pthread_t lifter;

	if (churn_private)
		dead_new(ctx);
	igt_assert_eq(pthread_create(&lifter, NULL, churn_lift, NULL), 0);
	for (;;) {
		const struct sd_gate *gate = churn_gate(CHURN_GATES - 1);
		struct sd_bo bo = churn_bo;

		if (churn_private)
			res = sd_private_resource(ctx->fd, PAGE, 1);
		if (churn_file < 0)
			bo = res ? res->bos[0] : alloc(ctx->fd, size);
		igt_assert_eq(submit_behind(ctx, gate, &bo, 1), 0);
		if (res)
			sd_destroy(ctx->fd, res);
		else if (churn_file < 0)
			sd_dealloc(ctx->fd, &bo);
	}
}

static pid_t churn_new(int fd)
{
	const int64_t end = sd_deadline();
	const pid_t churn = sd_start_child(churn_forever);

	while (sd_counts(fd).jobs < 12 && sd_now_plus_ms(0) < end)
		usleep(10000);
	return churn;
}

/*
 * A client that needs more VRAM than one of those BOs gets it, though each BO is used only once.
 * @private: most of VRAM is PRIVATE memory without a handle, which has the fences of those BOs.
 */
static void test_churn_submit(int fd, bool private)
{
	const uint64_t before = sd_idle_vram_free(fd);
	pid_t churn;

	churn_private = private;
	churn = churn_new(fd);
	igt_fork(child, 1) {
		struct sd_context *ctx = sd_context(sd_open());
		struct sd_bo bo = alloc(ctx->fd, vram / 10 * (private ? 7 : 5));

		alarm(sd_patience_ms() / 1000);
		device_fill(ctx, &bo, 0x1234 + child);
		igt_assert(sd_is_filled(ctx->fd, &bo, 0x1234 + child));
	}
	igt_waitchildren();
	sd_kill_child(churn);
	sd_wait_vram_free(fd, before);
}

/*
 * A thread needs seven tenths of VRAM, while another one of the program always has jobs queued that
 * list a PRIVATE BO. Either that BO is so large that both do not fit, or (@dead) it is small, the
 * thread lists it, too, and PRIVATE memory without a handle is in the way.
 */
static void test_churn_threads(int fd, bool dead)
{
	const uint64_t before = sd_idle_vram_free(fd);
	const int file = sd_open();
	struct sd_context *ctx = sd_context(file);
	struct sd_resource *listed = sd_private_resource(file, dead ? PAGE : vram / 10 * 6, 1);
	struct dead mapped = dead ? dead_new(ctx) : (struct dead){};
	pid_t churn;

	churn_private = false;
	churn_file = file;
	churn_bo = listed->bos[0];
	churn = churn_new(fd);
	igt_fork(child, 1) {
		struct sd_resource *large = sd_private_resource(file, vram / 10 * 7, 1);

		alarm(sd_patience_ms() / 1000);
		if (dead)
			sd_list(ctx, &churn_bo, WRITE);
		device_fill(ctx, &large->bos[0], 0x1234);
		igt_assert(sd_is_filled(file, &large->bos[0], 0x1234));
		sd_destroy(file, large);
	}
	igt_waitchildren();
	sd_kill_child(churn);
	churn_file = -1;
	if (dead)
		dead_check_and_free(&mapped);
	sd_destroy(file, listed);
	close_context(ctx);
	sd_wait_vram_free(fd, before);
}

/* The framebuffers do not fit beside the BOs of the client with the backlog. */
static void test_backlog_flip(int fd)
{
	const struct sd_counts before = sd_idle_counts(fd);
	int card = sd_open_driver("sundog", SD_PRIMARY_MINOR, 0);
	drmModeConnector *connector = connected(card);
	const uint64_t bytes = 4ull * connector->modes[0].hdisplay * connector->modes[0].vdisplay;
	const pid_t backlog = backlog_new(fd);
	const int flips = vram / 10 / bytes + sd_rounds(2, 4);
	struct sd_bo bos[64];
	uint32_t fb = 0;

	igt_require(flips <= 64);
	for (int i = 0; i < flips; i++)
		fb = flip(card, connector, &bos[i], fb);
	sd_kill_child(backlog);
	igt_assert_eq(drmModeRmFB(card, fb), 0);
	dealloc_many(card, bos, flips);
	drmModeFreeConnector(connector);
	close(card);
	/* The driver may keep the pin of a framebuffer for a second. */
	sd_wait_counts(fd, &before);
}

/* Returns the minor number of the primary node of the first sundog device. */
static int primary_minor(void)
{
	char path[64], driver[256];
	ssize_t size;

	for (int minor = 0; minor < SD_RENDER_MINOR; minor++) {
		snprintf(path, sizeof(path), "/sys/class/drm/card%d/device/driver", minor);
		size = readlink(path, driver, sizeof(driver) - 1);
		if (size <= 0)
			continue;
		driver[size] = 0;
		if (!strcmp(strrchr(driver, '/'), "/sundog"))
			return minor;
	}
	igt_assert(false);
}

/*
 * Does not open the device: the first opener is its master, and the console ignores a hot-plug
 * event while there is a master.
 */
static bool is_lit(void)
{
	char path[64], line[256];
	int fb = 0, active = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/sys/kernel/debug/dri/%d/state", primary_minor());
	file = fopen(path, "r");
	igt_require(file);
	/* The first plane is the primary one of the first head. */
	while (fgets(line, sizeof(line), file) && sscanf(line, "\tfb=%d", &fb) != 1)
		;
	while (fgets(line, sizeof(line), file) && sscanf(line, "\tactive=%d", &active) != 1)
		;
	fclose(file);
	return fb && active;
}

static bool wait_lit(void)
{
	const int64_t end = sd_deadline();
	bool lit;

	while (!(lit = is_lit()) && sd_now_plus_ms(0) < end)
		usleep(10000);
	return lit;
}

#define FILL_BOS 61

/*
 * Lists as many BOs of a sixty-fourth of VRAM as fit, @n at most, in a job that waits for a gate.
 * Each attempt that does not fit takes a while.
 */
static int fill_vram(struct sd_context *ctx, struct sd_bo bos[FILL_BOS], int n, uint64_t *seqno)
{
	int ret = -ENOSPC;

	for (int i = 0; i < FILL_BOS; i++)
		bos[i] = alloc(ctx->fd, vram / 64);
	for (; ret == -ENOSPC; n--) {
		for (int i = 0; i < n; i++)
			sd_list(ctx, &bos[i], WRITE);
		ret = sd_submit_try(ctx, seqno);
	}
	igt_assert_eq(ret, 0);
	return n;
}

/*
 * A framebuffer needs memory that a queued job uses, and the job waits for a fence of another
 * driver. The suspend to disk fails while the job is still queued.
 */
static void test_freeze_pin(void)
{
	int card = sd_open_driver("sundog", SD_PRIMARY_MINOR, 0);
	const int console = sd_open_console(card);
	drmModeConnector *connector = connected(card);
	drmModeModeInfo *mode = &connector->modes[0];
	drmModeRes *res = drmModeGetResources(card);
	struct sd_context *ctx;
	struct sd_bo bos[FILL_BOS], bo;
	struct drm_mode_crtc set = {
		.crtc_id = res->crtcs[0],
		.set_connectors_ptr = (uintptr_t)&connector->connector_id,
		.count_connectors = 1,
		.mode_valid = 1,
	};
	struct sd_gate gate;
	uint64_t seqno;
	int64_t begin;
	int free, ret;

	/* Skips the test where it cannot run, before a job waits for the gate. */
	igt_assert_eq(sd_driver_sleep_try(true), 0);
	free = sd_idle_vram_free(card) / (vram / 64);
	ctx = sd_context(card);
	gate = sd_gate_before(ctx);
	igt_info("%d BOs fill VRAM\n",
		 fill_vram(ctx, bos, free < FILL_BOS ? free : FILL_BOS, &seqno));
	memcpy(&set.mode, mode, sizeof(set.mode));
	bo = alloc(card, 4ull * mode->hdisplay * mode->vdisplay);
	igt_assert_eq(drmModeAddFB(card, mode->hdisplay, mode->vdisplay, 24, 32,
				   mode->hdisplay * 4, bo.handle, &set.fb_id), 0);
	ret = ioctl(card, DRM_IOCTL_MODE_SETCRTC, &set) ? -errno : 0;
	igt_info("the mode set returns %d\n", ret);
	igt_assert_eq(ret, -EAGAIN);
	begin = sd_now_plus_ms(0);
	ret = sd_driver_sleep_try(true);
	igt_info("sleep to disk: %d after %lld ms, the job is %s\n", ret,
		 (long long)(sd_now_plus_ms(0) - begin) / 1000000,
		 sd_is_done(ctx, seqno) ? "done" : "queued");
	igt_assert_eq(ret, -EBUSY);
	igt_assert(!sd_is_done(ctx, seqno));
	sd_gate_lift(&gate);
	sd_wait_seqno(ctx, seqno);
	igt_assert_eq(drmModeRmFB(card, set.fb_id), 0);
	drmModeFreeResources(res);
	drmModeFreeConnector(connector);
	sd_context_free(ctx);
	close(card);
	/* Resuming raised a hot-plug event, so the console comes back now or later. */
	if (console >= 0) {
		sd_light_console(console);
		igt_assert(wait_lit());
		close(console);
	}
}

/* Turns all heads off, which unpins the console's buffer. */
static void darken(int card)
{
	drmModeRes *res = drmModeGetResources(card);

	for (int i = 0; i < res->count_crtcs; i++)
		igt_assert_eq(drmModeSetCrtc(card, res->crtcs[i], 0, 0, 0, NULL, 0, NULL), 0);
	drmModeFreeResources(res);
}

/*
 * A job that waits for a fence uses all VRAM, so the console's buffer has to wait. The state of
 * the mode setting can be read meanwhile, and the console is shown when the job is done.
 */
static void test_stuck_console(int fd)
{
	int card = sd_open_driver("sundog", SD_PRIMARY_MINOR, 0);
	const int console = sd_open_console(card);
	struct sd_bo bos[FILL_BOS];
	struct sd_context *ctx;
	struct sd_gate gate;
	uint64_t seqno;
	pid_t child;

	igt_require(console >= 0);
	darken(card);
	close(card);
	ctx = sd_context(fd);
	gate = sd_gate_before(ctx);
	fill_vram(ctx, bos, FILL_BOS, &seqno);
	child = fork();
	igt_assert(child >= 0);
	if (!child) {
		sd_light_console(console);
		_exit(0);
	}
	igt_assert_eq(waitpid(child, NULL, 0), child);
	igt_assert(!is_lit());
	igt_assert(!sd_is_done(ctx, seqno));
	sd_gate_lift(&gate);
	sd_wait_seqno(ctx, seqno);
	igt_assert(wait_lit());
	dealloc_many(fd, bos, FILL_BOS);
	sd_context_free(ctx);
	close(console);
}

static void show_and_squeeze(void)
{
	int card = sd_open_driver("sundog", SD_PRIMARY_MINOR, 0);
	drmModeConnector *connector = connected(card);
	struct sd_bo bo;

	flip(card, connector, &bo, 0);
	squeeze_forever();
}

/*
 * Clients are killed in changing order; the memory of the first is freed only a while later. No
 * other client may have the device open, or the console does not return.
 */
static void test_console(int *fd)
{
	bool lit = is_lit();

	igt_require(lit);
	close(*fd);
	for (int i = 0; lit && i < sd_rounds(8, 32); i++) {
		pid_t children[] = {
			sd_start_child(squeeze_forever), sd_start_child(show_and_squeeze)
		};

		usleep(50000 * (i % 4) + 300000);
		for (int j = 0; j < 2; j++)
			kill(children[i % 2 ^ j], SIGKILL);
		for (int j = 0; j < 2; j++)
			sd_kill_child(children[j]);
		lit = wait_lit();
	}
	*fd = sd_open();
	igt_assert(lit);
}

static struct sd_gate console_gate;
static int console_ready;

/* Turns the heads off, and fills VRAM with a job that waits for the gate. */
static void fill_behind_gate(void)
{
	int card = sd_open_driver("sundog", SD_PRIMARY_MINOR, 0), fd = sd_open();
	struct sd_context *ctx = sd_context(fd);
	struct sd_bo bos[FILL_BOS];
	uint64_t seqno;

	darken(card);
	sd_submit_after(fd, ctx->id, console_gate.sync_file);
	fill_vram(ctx, bos, FILL_BOS, &seqno);
	igt_assert_eq(write(console_ready, "", 1), 1);
	pause();
}

/*
 * The last client is killed while its job keeps VRAM full. The exiting process, which has a signal
 * pending all the time, tries to show the console. It is shown once the job is done.
 */
static void test_blocked_console(int *fd)
{
	bool ready, dark, lit = is_lit();
	int pipe_fds[2];
	pid_t child;

	igt_require(lit);
	console_gate = sd_gate();
	igt_assert(!pipe2(pipe_fds, O_CLOEXEC));
	console_ready = pipe_fds[1];
	close(*fd);
	child = sd_start_child(fill_behind_gate);
	close(console_ready);
	ready = sd_is_ready(pipe_fds[0], POLLIN, sd_patience_ms());
	sd_kill_child(child);
	dark = !is_lit();
	sd_gate_lift(&console_gate);
	lit = wait_lit();
	close(pipe_fds[0]);
	*fd = sd_open();
	igt_assert(ready);
	igt_assert(dark);
	igt_assert(lit);
}

/*
 * The memory of one client becomes another client's, in VRAM and evicted from it; it must read as
 * zeros.
 */
static void test_zero(int fd)
{
	igt_fork(child, 2) {
		int own = sd_open();
		struct sd_context *ctx = sd_context(own);
		struct sd_bo bo;

		for (int i = 0; i < 24; i++) {
			bo = alloc(own, size);
			if (i % 2)
				igt_assert(sd_is_filled(own, &bo, 0));
			else
				check_by_device(ctx, &bo, 0);
			device_fill(ctx, &bo, 0xdead0000 + child);
			if (i % 3)
				sd_dealloc(own, &bo);
		}
	}
	igt_waitchildren();
	(void)fd;
}

static uint64_t read_number(const char *path, const char *format)
{
	FILE *file = fopen(path, "r");
	unsigned long long value = 0;
	char line[128];

	igt_assert(file);
	while (fgets(line, sizeof(line), file) && sscanf(line, format, &value) != 1)
		;
	fclose(file);
	return value;
}

static void write_number(const char *path, uint64_t value)
{
	FILE *file = fopen(path, "w");

	igt_assert(file);
	igt_assert(fprintf(file, "%llu\n", (unsigned long long)value) > 0);
	igt_assert(!fclose(file));
}

/* A BO of half of VRAM may find no place beside the console's buffer. */
static void test_given_back(int fd)
{
	struct sd_context *ctx = sd_context(fd);
	struct sd_bo bo = alloc(fd, vram / 4);
	const int64_t end = sd_deadline();

	igt_require(sd_param(fd, DRM_SUNDOG_PARAM_FEATURES) & SUNDOG_FEATURE_DISCARD);
	device_fill(ctx, &bo, 0x88888888);
	sd_dealloc(fd, &bo);
	sd_context_free(ctx);
	/* Memory becomes dirty when it is freed. The driver does not clear short ranges. */
	while (sd_counts(fd).zombie && sd_now_plus_ms(0) < end)
		usleep(1000);
	while (sd_vram_number(fd, "dirty") >= vram / 64 / PAGE && sd_now_plus_ms(0) < end)
		usleep(10000);
	igt_assert(sd_vram_number(fd, "dirty") < vram / 64 / PAGE);
	bo = alloc(fd, vram / 4);
	igt_assert(sd_is_filled(fd, &bo, 0));
	sd_dealloc(fd, &bo);
}

/*
 * A fence keeps a BO without handles. A client that needs its VRAM waits for the fence, then the BO
 * is freed once.
 */
static void test_dead(int fd)
{
	const uint64_t before = sd_idle_vram_free(fd);
	struct sd_context *ctx = sd_context(fd);
	struct sd_bo bo = alloc(fd, vram / 4 * 3);
	struct sd_gate gate = sd_gate();
	const int dma_buf = sd_export(fd, bo.handle);

	device_fill(ctx, &bo, 0x66666666);
	sd_import_sync_file(dma_buf, DMA_BUF_SYNC_WRITE, gate.sync_file);
	close(dma_buf);
	sd_dealloc(fd, &bo);
	sd_gate_lift_later(&gate);
	bo = alloc(fd, vram / 4 * 3);
	device_fill(ctx, &bo, 0x55555555);
	igt_assert(sd_is_filled(fd, &bo, 0x55555555));
	sd_gate_join(&gate);
	sd_dealloc(fd, &bo);
	sd_context_free(ctx);
	sd_wait_vram_free(fd, before);
}

/*
 * A BO that only a mapping keeps is evicted like any other, and the mapping still shows its
 * contents.
 */
static void test_mapped_dead(int fd)
{
	const uint64_t before = sd_idle_vram_free(fd);
	struct sd_context *ctx = sd_context(fd);
	struct sd_bo bo = alloc(fd, vram / 4 * 3), next = alloc(fd, vram / 4 * 3);
	uint32_t *map = sd_map(fd, &bo);

	device_fill(ctx, &bo, 0x33333333);
	sd_dealloc(fd, &bo);
	device_fill(ctx, &next, 0x22222222);
	for (uint64_t i = 0; i < bo.size / 4; i += PAGE / 4)
		igt_assert_eq_u32(map[i], 0x33333333);
	sd_unmap(map, &bo);
	sd_dealloc(fd, &next);
	sd_context_free(ctx);
	sd_wait_vram_free(fd, before);
}

/*
 * As test_mapped_dead(), with PRIVATE BOs of a file that has a busy BO: a call that waits for that
 * one has the lock of all.
 */
static void test_private_dead(int fd)
{
	const uint64_t before = sd_idle_vram_free(fd);
	struct sd_context *ctx = sd_context(fd), *busy_ctx = sd_context(sd_open());
	struct sd_resource *busy = sd_private_resource(busy_ctx->fd, vram / 10, 1);
	struct sd_bo bo = alloc(fd, vram / 10 * 8);
	struct dead dead = dead_new(busy_ctx);
	struct sd_gate gate;

	device_fill(busy_ctx, &busy->bos[0], 1);
	gate = sd_gate_before(busy_ctx);
	sd_list(busy_ctx, &busy->bos[0], WRITE);
	sd_submit(busy_ctx);
	sd_gate_lift_later(&gate);
	device_fill(ctx, &bo, 2);
	sd_gate_join(&gate);
	sd_dealloc(fd, &bo);
	dead_check_and_free(&dead);
	sd_destroy(busy_ctx->fd, busy);
	close_context(busy_ctx);
	sd_context_free(ctx);
	sd_wait_vram_free(fd, before);
}

static uint64_t limit;

/* TTM may use system memory for an eighth of VRAM; it swaps the rest to shmem. */
static void test_swap(int fd)
{
	struct sd_context *ctx = sd_context(fd);
	struct sd_bo bos[MANY];
	uint64_t shmem;

	limit = read_number(PAGES_LIMIT, "%llu");
	write_number(PAGES_LIMIT, vram / 8 / PAGE);
	shmem = read_number("/proc/meminfo", "Shmem: %llu");
	alloc_many(fd, bos, MANY);
	for (int i = 0; i < MANY; i++)
		device_fill(ctx, &bos[i], 0x6000 + i);
	igt_assert(read_number("/proc/meminfo", "Shmem: %llu") > shmem + vram / 1024);
	for (int i = 0; i < MANY; i++)
		igt_assert(sd_is_filled(fd, &bos[i], 0x6000 + i));
	for (int i = 0; i < MANY; i++)
		check_by_device(ctx, &bos[i], 0x6000 + i);
	dealloc_many(fd, bos, MANY);
	sd_context_free(ctx);
}

igt_main()
{
	static int fd = -1;

	igt_fixture() {
		fd = sd_open_renderer();
		vram = sd_param(fd, DRM_SUNDOG_PARAM_VRAM_SIZE);
		size = vram / 16;
		many = sd_rounds(MANY / 2, MANY);
	}

	igt_describe("ALLOC rejects an allocation larger than VRAM with ENOSPC.");
	igt_subtest("allocation-larger-than-vram")
		test_allocation_too_large(fd);

	igt_describe("SUBMIT rejects a list of BOs larger than VRAM with ENOSPC, and changes "
		     "neither BOs nor context.");
	igt_subtest("submission-larger-than-vram")
		test_submission_too_large(fd);

	igt_describe("The CPU writes up to three times VRAM; the device and the CPU read it back.");
	igt_subtest("overcommit-cpu-written")
		test_cpu_written(fd);

	igt_describe("The framebuffer file in debugfs shows whether a framebuffer is in VRAM or in "
		     "system memory.");
	igt_subtest("printed")
		test_printed(fd);

	igt_describe("The device writes up to three times VRAM; the CPU and the device read it "
		     "back, and device handles stay.");
	igt_subtest("overcommit-device-written")
		test_device_written(fd);

	igt_describe("Four processes that overcommit VRAM together read back only their own data.");
	igt_subtest("overcommit-processes")
		test_processes(fd);

	igt_describe("Eight processes submit jobs that list shared BOs in random order; all jobs "
		     "complete with the right data.");
	igt_subtest("many-submitters")
		test_submitters(fd);

	igt_describe("A submission moves BOs if VRAM has enough free space for a new BO, but not "
		     "in one piece.");
	igt_subtest("submission-packs-vram")
		test_pack(fd);

	igt_describe("Frequent signals interrupt calls that evict BOs; the calls restart and make "
		     "progress.");
	igt_subtest("interrupted-by-signals")
		test_signals(fd);

	igt_describe("Killing processes while their submissions evict BOs frees all their VRAM.");
	igt_subtest("kill")
		test_kill(fd);

	igt_describe("Mappings of a BO and of its dma-buf show its contents in VRAM, after "
		     "eviction and in VRAM again.");
	igt_subtest("mapping-follows")
		test_mapping(fd);

	igt_describe("A framebuffer on screen stays in VRAM: a submission that needs its place "
		     "fails with ENOSPC.");
	igt_subtest("framebuffer-stays")
		test_framebuffer(fd);

	igt_describe("A submission whose BO is in VRAM does not wait for a hung job, while other "
		     "clients wait for that job's VRAM.");
	igt_subtest("stuck-job-holds-up-no-submission")
		test_stuck_submit(fd);

	igt_describe("A mode set with a new framebuffer does not wait for a hung job, while other "
		     "clients wait for that job's VRAM.");
	igt_subtest("stuck-job-holds-up-no-flip")
		test_stuck_flip(fd);

	igt_describe("A submission does not wait for another client that claims VRAM from job "
		     "after job, the last of which hangs.");
	igt_subtest("claim-holds-up-nobody")
		test_claim(fd);

	igt_describe("A fence can be added to the dma-buf of a busy BO while another client waits "
		     "for that BO's VRAM.");
	igt_subtest("shared-victim-takes-fences")
		test_shared_victim(fd, false);

	igt_describe("It can also be added if the BO got its dma-buf during that wait.");
	igt_subtest("late-shared-victim-takes-fences")
		test_shared_victim(fd, true);

	igt_describe("It can also be added if the other client has evicted the BO, and waits for "
		     "the next one.");
	igt_subtest("evicted-shared-victim-takes-fences")
		test_evicted_shared(fd);

	igt_describe("A thread submits PRIVATE memory while another thread of the program, which "
		     "has evicted some for its submission, waits for another client's job.");
	igt_subtest("private-victim-holds-up-no-thread")
		test_private_victim(fd);

	igt_describe("A thread submits PRIVATE memory while another client waits for VRAM of "
		     "PRIVATE memory that the program has freed, and that is still busy.");
	igt_subtest("freed-private-victim-holds-up-no-thread")
		test_private_freed(fd, false);

	igt_describe("The same if another thread of the program waits.");
	igt_subtest("freed-private-victim-of-a-thread")
		test_private_freed(fd, true);

	igt_describe("A submission gets VRAM although another client always has jobs queued that "
		     "list most of VRAM.");
	igt_subtest("endless-backlog-submit")
		test_backlog_submit(fd);

	igt_describe("Framebuffers get VRAM although another client always has jobs queued that "
		     "list most of VRAM.");
	igt_subtest("endless-backlog-flip")
		test_backlog_flip(fd);

	igt_describe("A submission gets half of VRAM although another client always frees BOs and "
		     "allocates new ones.");
	igt_subtest("endless-churn-submit")
		test_churn_submit(fd, false);

	igt_describe("A submission gets VRAM that is filled by PRIVATE BOs without handles, which "
		     "have mappings, although other PRIVATE BOs of that client always have jobs "
		     "queued.");
	igt_subtest("endless-churn-beside-mapped-dead")
		test_churn_submit(fd, true);

	igt_describe("A submission gets VRAM although another thread of the program always has "
		     "jobs queued that list most of VRAM.");
	igt_subtest("endless-churn-of-a-thread")
		test_churn_threads(fd, false);

	igt_describe("A submission gets VRAM that is filled by PRIVATE BOs of the program without "
		     "handles, which have mappings, although another thread always has jobs "
		     "queued that list a BO which this one lists, too.");
	igt_subtest("endless-churn-of-a-thread-beside-mapped-dead")
		test_churn_threads(fd, true);

	igt_describe("While a queued job uses all VRAM, a mode set fails with EAGAIN and a suspend "
		     "to disk with EBUSY.");
	igt_subtest("sleep-on-disk-beside-a-pin")
		test_freeze_pin();

	igt_describe("The console holds no mode-setting lock while its framebuffer waits for a "
		     "queued job.");
	igt_subtest("stuck-job-holds-up-no-console")
		test_stuck_console(fd);

	igt_describe("The console is shown again after the clients that filled VRAM were killed.");
	igt_subtest("console-after-kill")
		test_console(&fd);

	igt_describe("The console is shown again when the last client was killed with a job that "
		     "keeps VRAM full: after the job.");
	igt_subtest("console-after-blocked-kill")
		test_blocked_console(&fd);

	igt_describe("A new BO reads as zero by CPU and device, also where another client's data "
		     "was.");
	igt_subtest("new-memory-is-zero")
		test_zero(fd);

	igt_describe("The driver returns freed VRAM to the host some time later, and a new BO "
		     "reads as zero.");
	igt_subtest("freed-vram-is-given-back")
		test_given_back(fd);

	igt_describe("A submission that needs VRAM waits for a freed BO that is still busy.");
	igt_subtest("the-dead-make-room")
		test_dead(fd);

	igt_describe("A freed BO that only a mapping keeps is evicted, and the mapping still shows "
		     "its contents.");
	igt_subtest("the-mapped-dead-make-room")
		test_mapped_dead(fd);

	igt_describe("The same for PRIVATE BOs of a file that has a busy BO.");
	igt_subtest("the-mapped-private-dead-make-room")
		test_private_dead(fd);

	igt_describe("TTM swaps evicted BOs out beyond its page limit; they keep their contents.");
	igt_subtest("swap-out")
		test_swap(fd);

	igt_fixture() {
		if (limit)
			write_number(PAGES_LIMIT, limit);
		close(fd);
	}
}
