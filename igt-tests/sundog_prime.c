// SPDX-License-Identifier: MIT
/*
 * PRIME: dma-bufs of and for other devices, and the fences in dma-bufs. The other devices are vgem,
 * udmabuf, virtio-gpu, the system's DMA heap and a second sundog device.
 *
 * Jobs that must not be done yet wait for a gate, see sundog_gate.h.
 */
#include "sundog_gate.h"
#include "sundog_share.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/dma-heap.h>
#include <linux/udmabuf.h>
#include <xf86drm.h>

IGT_TEST_DESCRIPTION("Sharing between a sundog device and other devices");

#define SIZE (16 * PAGE)
#define ROUNDS 100

/* 64 x 64 pixels are SIZE bytes. */
static uint32_t dumb_create(int fd)
{
	struct drm_mode_create_dumb args = { .width = 64, .height = SIZE / 64 / 4, .bpp = 32 };

	sd_ioctl(fd, DRM_IOCTL_MODE_CREATE_DUMB, &args);
	return args.handle;
}

/* Returns a dma-buf that is the only reference to its dumb buffer once @other is closed. */
static int dumb_dma_buf(int other)
{
	const uint32_t handle = dumb_create(other);
	const int dma_buf = sd_export(other, handle);

	sd_gem_close(other, handle);
	return dma_buf;
}

static int udmabuf_dma_buf(void)
{
	int device = open("/dev/udmabuf", O_RDWR | O_CLOEXEC);
	int memfd = memfd_create("sundog-prime", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	struct udmabuf_create args = { memfd, UDMABUF_FLAGS_CLOEXEC, 0, SIZE };
	int dma_buf;

	igt_require(device >= 0);
	igt_assert(!ftruncate(memfd, SIZE));
	igt_assert(!fcntl(memfd, F_ADD_SEALS, F_SEAL_SHRINK));
	dma_buf = ioctl(device, UDMABUF_CREATE, &args);
	igt_assert(dma_buf >= 0);
	close(memfd);
	close(device);
	return dma_buf;
}

static int heap_dma_buf(void)
{
	struct dma_heap_allocation_data args = { .len = SIZE, .fd_flags = O_RDWR | O_CLOEXEC };
	int heap = open("/dev/dma_heap/system", O_RDWR | O_CLOEXEC);

	igt_require(heap >= 0);
	sd_ioctl(heap, DMA_HEAP_IOCTL_ALLOC, &args);
	close(heap);
	return args.fd;
}

/*
 * Checks that @dma_buf, which this takes over, can be neither imported nor opened. @before is the
 * number of dma-bufs without it.
 */
static void check_import_refused(int fd, int dma_buf, int before)
{
	const uint64_t vram = sd_idle_vram_free(fd);
	struct sd_resource *res = calloc(1, sizeof(*res));
	uint32_t handle, index;

	sd_require_no_guest_heap(fd);
	for (int i = 0; i < ROUNDS; i++) {
		igt_assert_eq(sd_import_try(fd, dma_buf, &handle), -EOPNOTSUPP);
		igt_assert_eq(sd_open_try(fd, dma_buf, res, &index), -ENOENT);
	}
	igt_assert_eq_u64(sd_vram_free(fd), vram);
	close(dma_buf);
	sd_wait_dma_bufs(before);
	free(res);
}

static void test_import_dumb(int fd, int other)
{
	const int before = sd_count_dma_bufs();
	const int dma_buf = dumb_dma_buf(other);

	close(other);
	check_import_refused(fd, dma_buf, before);
}

static void test_import_udmabuf(int fd)
{
	const int before = sd_count_dma_bufs();

	check_import_refused(fd, udmabuf_dma_buf(), before);
}

/*
 * Without heap GUEST no other driver can import an allocation, and a failed import leaves nothing
 * behind on either side.
 */
static void test_export(int fd, int other)
{
	const uint64_t vram = sd_idle_vram_free(fd);
	const int before = sd_count_dma_bufs();
	struct sd_bo bo = sd_alloc(fd, SIZE);
	const int dma_buf = sd_export(fd, bo.handle);
	uint32_t handle;

	sd_require_no_guest_heap(fd);
	for (int i = 0; i < ROUNDS; i++)
		igt_assert_eq(sd_import_try(other, dma_buf, &handle), -EOPNOTSUPP);
	close(dma_buf);
	sd_dealloc(fd, &bo);
	sd_wait_dma_bufs(before);
	sd_wait_vram_free(fd, vram);
	close(other);
}

/* A shared resource can be opened on its own device only, wherever its dma-buf goes. */
static void test_open_second(int fd)
{
	int other = sd_open_second();
	struct sd_resource *res = sd_resource(fd, DRM_SUNDOG_RESOURCE_SHARED, SIZE, 1);
	struct sd_resource *opened = calloc(1, sizeof(*opened));
	const int dma_buf = sd_export(fd, res->bos[0].handle);
	uint32_t index;

	igt_assert_eq(sd_open_try(other, dma_buf, opened, &index), -ENOENT);
	igt_assert_eq(sd_open_try(fd, dma_buf, opened, &index), 0);
	igt_assert_eq_u32(opened->kres, res->kres);
	close(dma_buf);
	sd_destroy(fd, opened);
	sd_destroy(fd, res);
	close(other);
}

/* A device assigns its kernel handles independently of other devices. */
static void test_second_kres(int fd)
{
	int other = sd_open_second();
	struct sd_resource *res = sd_resource(other, 0, SIZE, 1), *many[16];
	const uint32_t kres = res->kres;

	sd_destroy(other, res);
	for (int i = 0; i < 16; i++)
		many[i] = sd_resource(fd, 0, SIZE, 1);
	res = sd_resource(other, 0, SIZE, 1);
	igt_assert_eq_u32(res->kres, kres);
	sd_destroy(other, res);
	for (int i = 0; i < 16; i++)
		sd_destroy(fd, many[i]);
	close(other);
}

/* Both devices work at once, each on memory of its own. */
static void test_second_submit(int fd)
{
	struct sundog_caps caps;
	struct drm_sundog_get_caps args = { .data = (uintptr_t)&caps, .size = sizeof(caps) };
	int fds[2] = { fd, sd_open_second() };
	struct sd_context *ctx[2];
	struct sd_bo bo[2];

	igt_require(!sd_try(fds[1], DRM_IOCTL_SUNDOG_GET_CAPS, &args));
	for (int i = 0; i < 2; i++) {
		ctx[i] = sd_context(fds[i]);
		bo[i] = sd_alloc(fds[i], SIZE);
	}
	for (uint32_t round = 1; round <= 20; round++) {
		for (int i = 0; i < 2; i++) {
			sd_emit_fill(ctx[i], &bo[i], round << 8 | i, 1);
			sd_submit(ctx[i]);
		}
		for (int i = 0; i < 2; i++) {
			sd_wait(fds[i], &bo[i]);
			igt_assert(sd_is_filled(fds[i], &bo[i], round << 8 | i));
		}
	}
	for (int i = 0; i < 2; i++) {
		sd_dealloc(fds[i], &bo[i]);
		sd_context_free(ctx[i]);
	}
	close(fds[1]);
}

/* Fences */

/* A BO with its dma-buf. */
struct shared_bo {
	struct sd_bo bo;
	int dma_buf;
};

static struct shared_bo shared_alloc(int fd)
{
	struct shared_bo shared = { .bo = sd_alloc(fd, SIZE) };

	shared.dma_buf = sd_export(fd, shared.bo.handle);
	return shared;
}

static void shared_free(int fd, struct shared_bo *shared)
{
	close(shared->dma_buf);
	sd_dealloc(fd, &shared->bo);
}

static uint64_t submit_access(struct sd_context *ctx, const struct sd_bo *bo, uint32_t access)
{
	sd_list(ctx, bo, access);
	return sd_submit(ctx);
}

/* Submits a copy from @src to @dst that waits for @gate. */
static uint64_t submit_gated_copy(struct sd_context *ctx, struct sd_gate *gate,
				  struct shared_bo *src, struct shared_bo *dst)
{
	struct shared_bo lock = shared_alloc(ctx->fd);
	uint64_t seqno;

	sd_import_sync_file(lock.dma_buf, DMA_BUF_SYNC_WRITE, gate->sync_file);
	sd_list(ctx, &lock.bo, READ);
	sd_emit_copy(ctx, &src->bo, &dst->bo);
	seqno = sd_submit(ctx);
	shared_free(ctx->fd, &lock);
	return seqno;
}

static void test_sync_file_export(int fd)
{
	struct sd_context *ctx = sd_context(fd);
	struct shared_bo src = shared_alloc(fd), dst = shared_alloc(fd);
	struct sd_gate gate = sd_gate();
	uint64_t seqno = submit_gated_copy(ctx, &gate, &src, &dst);
	const int src_read = sd_export_sync_file(src.dma_buf, DMA_BUF_SYNC_READ);
	const int src_write = sd_export_sync_file(src.dma_buf, DMA_BUF_SYNC_WRITE);
	const int dst_read = sd_export_sync_file(dst.dma_buf, DMA_BUF_SYNC_READ);
	const int dst_write = sd_export_sync_file(dst.dma_buf, DMA_BUF_SYNC_WRITE);

	igt_assert(sd_is_held_back(ctx, seqno));
	igt_assert(sd_is_ready(src_read, POLLIN, 0));
	igt_assert(!sd_is_ready(src_write, POLLIN, 0));
	igt_assert(!sd_is_ready(dst_read, POLLIN, 0));
	igt_assert(!sd_is_ready(dst_write, POLLIN, 0));
	sd_gate_lift(&gate);
	igt_assert(sd_is_ready(src_write, POLLIN, sd_patience_ms()));
	igt_assert(sd_is_ready(dst_read, POLLIN, sd_patience_ms()));
	igt_assert(sd_is_ready(dst_write, POLLIN, sd_patience_ms()));
	igt_assert(sd_is_done(ctx, seqno));
	close(src_read);
	close(src_write);
	close(dst_read);
	close(dst_write);
	shared_free(fd, &src);
	shared_free(fd, &dst);
	sd_context_free(ctx);
}

/*
 * @imported: access that the imported fence stands for; @access: access of the submission that must
 * wait.
 */
static void check_import_delays(int fd, uint32_t imported, uint32_t access)
{
	struct sd_context *ctx = sd_context(fd), *free_ctx = sd_context(fd);
	struct shared_bo shared = shared_alloc(fd), other = shared_alloc(fd);
	struct sd_gate gate = sd_gate();
	uint64_t seqno;

	sd_import_sync_file(shared.dma_buf, imported, gate.sync_file);
	seqno = submit_access(ctx, &shared.bo, access);
	sd_wait_seqno(free_ctx, submit_access(free_ctx, &other.bo, WRITE));
	igt_assert(sd_is_held_back(ctx, seqno));
	igt_assert_eq(sd_wait_try(fd, shared.bo.handle, WRITE, 0), -ETIME);
	sd_gate_lift(&gate);
	sd_wait_seqno(ctx, seqno);
	shared_free(fd, &shared);
	shared_free(fd, &other);
	sd_context_free(ctx);
	sd_context_free(free_ctx);
}

/* The opposite: a submission with @access runs although the fence is not signalled. */
static void check_import_does_not_delay(int fd, uint32_t imported, uint32_t access)
{
	struct sd_context *ctx = sd_context(fd);
	struct shared_bo shared = shared_alloc(fd);
	struct sd_gate gate = sd_gate();

	sd_import_sync_file(shared.dma_buf, imported, gate.sync_file);
	sd_wait_seqno(ctx, submit_access(ctx, &shared.bo, access));
	igt_assert(!sd_is_ready(gate.sync_file, POLLIN, 0));
	sd_gate_lift(&gate);
	shared_free(fd, &shared);
	sd_context_free(ctx);
}

static void test_sync_file_import(int fd)
{
	check_import_delays(fd, DMA_BUF_SYNC_WRITE, READ);
	check_import_delays(fd, DMA_BUF_SYNC_WRITE, WRITE);
	check_import_delays(fd, DMA_BUF_SYNC_READ, WRITE);
	check_import_does_not_delay(fd, DMA_BUF_SYNC_READ, READ);
}

static void test_explicit(int fd)
{
	check_import_does_not_delay(fd, DMA_BUF_SYNC_WRITE, EXPLICIT(READ));
	check_import_does_not_delay(fd, DMA_BUF_SYNC_RW, EXPLICIT(WRITE));
}

#define N_OLD_FENCES 2048
#define N_OLD_BOS 16

/* Returns the time to add many fences to BOs, over the time of a SUBMIT once they are signalled. */
static double old_fences_ratio(struct sd_context *ctx)
{
	struct shared_bo shared[N_OLD_BOS];
	struct sd_gate gate = sd_gate_of(N_OLD_FENCES);
	const int fd = ctx->fd, sync_file = dup(gate.sync_file);
	int64_t begin, added, found;

	for (int i = 0; i < N_OLD_BOS; i++)
		shared[i] = shared_alloc(fd);
	begin = sd_now_plus_ms(0);
	for (int i = 0; i < N_OLD_BOS; i++)
		sd_import_sync_file(shared[i].dma_buf, DMA_BUF_SYNC_READ, sync_file);
	added = sd_now_plus_ms(0) - begin;
	sd_gate_lift(&gate);
	igt_assert(sd_is_ready(sync_file, POLLIN, sd_patience_ms()));
	for (int i = 0; i < N_OLD_BOS; i++)
		sd_list(ctx, &shared[i].bo, WRITE);
	begin = sd_now_plus_ms(0);
	sd_submit(ctx);
	found = sd_now_plus_ms(0) - begin;
	igt_info("added in %ld us, found in %ld us\n", (long)added / 1000, (long)found / 1000);
	close(sync_file);
	for (int i = 0; i < N_OLD_BOS; i++)
		shared_free(fd, &shared[i]);
	return (double)added / found;
}

/*
 * SUBMIT takes little time for fences that have signalled, however many a BO has. A round in which
 * the machine stood still does not count.
 */
static void test_sync_file_old(int fd)
{
	struct sd_context *ctx = sd_context(fd);
	const int64_t end = sd_deadline();
	double ratio;

	do
		ratio = old_fences_ratio(ctx);
	while (ratio <= 4 && sd_now_plus_ms(0) < end);
	igt_assert(ratio > 4);
	sd_context_free(ctx);
}

/* More in total than the driver merges into one fence at a time. */
#define N_FENCES 160
#define N_BOS 4

/*
 * A job waits for the fences of hundreds of contexts, merged into few, since the scheduler compares
 * each fence of a job with all others.
 */
static void test_sync_file_many(int fd)
{
	const uint64_t before = sd_lists_number(fd, "waits");
	struct sd_context *ctx = sd_context(fd);
	struct shared_bo shared[N_BOS];
	struct sd_gate gates[N_BOS];
	uint64_t seqno;

	for (int i = 0; i < N_BOS; i++) {
		gates[i] = sd_gate_of(N_FENCES);
		shared[i] = shared_alloc(fd);
		sd_import_sync_file(shared[i].dma_buf, DMA_BUF_SYNC_READ, gates[i].sync_file);
		sd_list(ctx, &shared[i].bo, WRITE);
	}
	seqno = sd_submit(ctx);
	igt_info("%d waits for %d fences\n", (int)(sd_lists_number(fd, "waits") - before),
		 N_BOS * N_FENCES);
	igt_assert(sd_lists_number(fd, "waits") - before <= N_BOS * N_FENCES / 100);
	for (int i = 0; i < N_BOS; i++) {
		igt_assert(sd_is_held_back(ctx, seqno));
		sd_gate_lift(&gates[i]);
	}
	sd_wait_seqno(ctx, seqno);
	for (int i = 0; i < N_BOS; i++)
		shared_free(fd, &shared[i]);
	sd_context_free(ctx);
}

/*
 * The fences of a job take as much room as ten slots of the ring; a queue has room for 1024 slots.
 */
#define N_WAITED 1200
#define N_WAITING 1000

/*
 * Checks that the queue takes only few jobs that each wait for the many fences of @gate, and lifts
 * the gate.
 */
static void check_few_are_queued(int fd, const struct drm_sundog_submit *args, struct sd_gate *gate)
{
	struct sd_progress *progress = sd_submit_often(fd, args, N_WAITING);

	igt_info("%d jobs wait for %d fences each\n", progress->submitted, N_WAITED);
	igt_assert(!sd_is_ready(gate->sync_file, POLLIN, 0));
	igt_assert(progress->submitted < 100);
	sd_gate_lift(gate);
	igt_waitchildren();
	igt_assert_eq(progress->submitted, N_WAITING);
	munmap(progress, PAGE);
}

static void test_sync_file_queued(int fd)
{
	struct sd_gate gate = sd_gate_of(N_WAITED);
	struct sd_context *ctx = sd_context(fd);
	struct shared_bo shared = shared_alloc(fd);
	const struct drm_sundog_submit_alloc alloc = { shared.bo.handle, WRITE };
	const struct drm_sundog_submit args = {
		.ctx = ctx->id, .allocs = (uintptr_t)&alloc, .n_allocs = 1,
		.alloc_stride = sizeof(alloc),
	};

	sd_import_sync_file(shared.dma_buf, DMA_BUF_SYNC_READ, gate.sync_file);
	check_few_are_queued(fd, &args, &gate);
	sd_run(ctx);
	shared_free(fd, &shared);
	sd_context_free(ctx);
}

/* A sync_file of many fences is one fence to a syncobj. */
static void test_in_sync_queued(int fd)
{
	struct sd_gate gate = sd_gate_of(N_WAITED);
	struct sd_context *ctx = sd_context(fd);
	struct drm_sundog_sync sync = { .flags = WAIT };
	const struct drm_sundog_submit args = {
		.ctx = ctx->id, .syncs = (uintptr_t)&sync, .n_syncs = 1,
		.sync_stride = sizeof(sync),
	};

	igt_assert(!drmSyncobjCreate(fd, 0, &sync.handle));
	igt_assert(!drmSyncobjImportSyncFile(fd, sync.handle, gate.sync_file));
	check_few_are_queued(fd, &args, &gate);
	drmSyncobjDestroy(fd, sync.handle);
	sd_run(ctx);
	sd_context_free(ctx);
}

/*
 * The fences take two slots for each job, besides its own. There are few, since the scheduler
 * compares each with all others.
 */
#define N_IN_SYNCS 240

/* Timeline points are separate fences, whatever they wait for. */
static void test_in_syncs_queued(int fd)
{
	struct sd_context *ctx = sd_context(fd);
	struct sd_gate gate = sd_gate();
	struct drm_sundog_sync syncs[N_IN_SYNCS] = { 0 };
	const struct drm_sundog_submit args = {
		.ctx = ctx->id, .syncs = (uintptr_t)syncs, .n_syncs = N_IN_SYNCS,
		.sync_stride = sizeof(syncs[0]),
	};
	struct sd_progress *progress;
	uint32_t behind;

	igt_assert(!drmSyncobjCreate(fd, 0, &behind));
	igt_assert(!drmSyncobjImportSyncFile(fd, behind, gate.sync_file));
	for (int i = 0; i < N_IN_SYNCS; i++) {
		syncs[i].type = DRM_SUNDOG_SYNC_TYPE_TIMELINE;
		syncs[i].flags = WAIT;
		syncs[i].point = 1;
		igt_assert(!drmSyncobjCreate(fd, 0, &syncs[i].handle));
		igt_assert(!drmSyncobjTransfer(fd, syncs[i].handle, syncs[i].point, behind, 0, 0));
	}
	progress = sd_submit_often(fd, &args, N_WAITING);
	igt_info("%d jobs wait for %d in-syncs each\n", progress->submitted, N_IN_SYNCS);
	igt_assert(!sd_is_ready(gate.sync_file, POLLIN, 0));
	igt_assert(progress->submitted < 400);
	sd_gate_lift(&gate);
	igt_waitchildren();
	igt_assert_eq(progress->submitted, N_WAITING);
	sd_run(ctx);
	for (int i = 0; i < N_IN_SYNCS; i++)
		drmSyncobjDestroy(fd, syncs[i].handle);
	drmSyncobjDestroy(fd, behind);
	munmap(progress, PAGE);
	sd_context_free(ctx);
}

/*
 * One job occupies the device for longer than the test waits; the other waits for the gate in the
 * scheduler. Both end with their context, and their fences signal with an error.
 */
static void test_sync_file_error(int fd)
{
	struct sd_context *ctx = sd_context(fd);
	struct sd_bo large = sd_alloc(fd, sd_param(fd, DRM_SUNDOG_PARAM_VRAM_SIZE) / 2);
	struct shared_bo shared = shared_alloc(fd);
	struct sd_gate gate;
	int sync_file;

	sd_run(ctx);
	sd_list(ctx, &shared.bo, WRITE);
	sd_emit_fill(ctx, &large, 1, 1000);
	sd_submit(ctx);
	gate = sd_gate_before(ctx);
	submit_access(ctx, &shared.bo, WRITE);
	sync_file = sd_export_sync_file(shared.dma_buf, DMA_BUF_SYNC_READ);
	sd_gate_lift(&gate);
	igt_assert_eq(sd_sync_file_status(sync_file), 0);
	sd_context_free(ctx);
	while (!sd_sync_file_status(sync_file))
		usleep(10000);
	igt_assert(sd_sync_file_status(sync_file) < 0);
	close(sync_file);
	shared_free(fd, &shared);
	sd_dealloc(fd, &large);
}

/* A sync_file transfers the fence of a job to a BO that the job does not list. */
static void test_sync_file_job(int fd)
{
	struct sd_context *a = sd_context(fd), *b = sd_context(fd);
	struct shared_bo src = shared_alloc(fd), dst = shared_alloc(fd), other = shared_alloc(fd);
	struct sd_gate gate = sd_gate();
	uint64_t first = submit_gated_copy(a, &gate, &src, &dst), second;
	const int sync_file = sd_export_sync_file(dst.dma_buf, DMA_BUF_SYNC_READ);

	sd_import_sync_file(other.dma_buf, DMA_BUF_SYNC_WRITE, sync_file);
	close(sync_file);
	second = submit_access(b, &other.bo, READ);
	igt_assert(sd_is_held_back(b, second));
	sd_gate_lift(&gate);
	sd_wait_seqno(b, second);
	igt_assert(sd_is_done(a, first));
	shared_free(fd, &src);
	shared_free(fd, &dst);
	shared_free(fd, &other);
	sd_context_free(a);
	sd_context_free(b);
}

static void test_poll(int fd)
{
	struct sd_context *ctx = sd_context(fd);
	struct shared_bo src = shared_alloc(fd), dst = shared_alloc(fd);
	struct sd_gate gate = sd_gate();
	uint64_t seqno = submit_gated_copy(ctx, &gate, &src, &dst);

	igt_assert(sd_is_ready(src.dma_buf, POLLIN, 0));
	igt_assert(!sd_is_ready(src.dma_buf, POLLOUT, 0));
	igt_assert(!sd_is_ready(dst.dma_buf, POLLIN, 0));
	igt_assert(!sd_is_ready(dst.dma_buf, POLLOUT, 200));
	igt_assert(!sd_is_done(ctx, seqno));
	sd_gate_lift(&gate);
	igt_assert(sd_is_ready(dst.dma_buf, POLLOUT, sd_patience_ms()));
	igt_assert(sd_is_done(ctx, seqno));
	igt_assert(sd_is_ready(src.dma_buf, POLLOUT, sd_patience_ms()));
	shared_free(fd, &src);
	shared_free(fd, &dst);
	sd_context_free(ctx);
}

static void cpu_access(int dma_buf, uint64_t flags)
{
	struct dma_buf_sync args = { .flags = flags };

	sd_ioctl(dma_buf, DMA_BUF_IOCTL_SYNC, &args);
}

/*
 * CPU access to read does not wait for the device's reads. It waits for the device's writes, which
 * the CPU sees then.
 */
static void test_cpu_access(int fd)
{
	struct sd_context *ctx = sd_context(fd);
	struct shared_bo src = shared_alloc(fd), dst = shared_alloc(fd);
	uint32_t *from = sd_map_dma_buf(src.dma_buf, SIZE), *to = sd_map_dma_buf(dst.dma_buf, SIZE);
	struct sd_gate gate = sd_gate();
	uint64_t seqno;

	cpu_access(src.dma_buf, DMA_BUF_SYNC_START | DMA_BUF_SYNC_WRITE);
	for (uint32_t i = 0; i < SIZE / 4; i++)
		from[i] = i ^ 0x5d095d09;
	cpu_access(src.dma_buf, DMA_BUF_SYNC_END | DMA_BUF_SYNC_WRITE);

	seqno = submit_gated_copy(ctx, &gate, &src, &dst);
	cpu_access(src.dma_buf, DMA_BUF_SYNC_START | DMA_BUF_SYNC_READ);
	cpu_access(src.dma_buf, DMA_BUF_SYNC_END | DMA_BUF_SYNC_READ);
	igt_assert(!sd_is_done(ctx, seqno));
	sd_gate_lift_later(&gate);
	cpu_access(dst.dma_buf, DMA_BUF_SYNC_START | DMA_BUF_SYNC_READ);
	igt_assert(sd_is_done(ctx, seqno));
	igt_assert(!memcmp(from, to, SIZE));
	cpu_access(dst.dma_buf, DMA_BUF_SYNC_END | DMA_BUF_SYNC_READ);
	sd_gate_join(&gate);

	munmap(from, SIZE);
	munmap(to, SIZE);
	shared_free(fd, &src);
	shared_free(fd, &dst);
	sd_context_free(ctx);
}

/* Mappings through the device and through the dma-buf show the same memory. */
static void test_mmap(int fd)
{
	struct sd_context *ctx = sd_context(fd);
	struct shared_bo shared = shared_alloc(fd);
	uint32_t *map = sd_map_dma_buf(shared.dma_buf, SIZE);
	uint32_t *device_map = sd_map(fd, &shared.bo);

	for (uint32_t i = 1; i <= 20; i++) {
		sd_emit_fill(ctx, &shared.bo, i, 1);
		sd_run(ctx);
		igt_assert_eq_u32(map[0], i);
		igt_assert_eq_u32(map[SIZE / 4 - 1], i);
		map[1] = ~i;
		igt_assert_eq_u32(device_map[1], ~i);
	}
	sd_unmap(device_map, &shared.bo);
	munmap(map, SIZE);
	shared_free(fd, &shared);
	sd_context_free(ctx);
}

/* Imports, if the device has heap GUEST */

/*
 * The device reads the CPU's writes through the exporter, and the CPU reads the device's writes,
 * while only the import keeps the memory. Takes over @dma_buf.
 */
static void check_zero_copy(int fd, int dma_buf, int before)
{
	struct sd_context *ctx = sd_context(fd);
	uint32_t *map = sd_map_dma_buf(dma_buf, SIZE), *device_map, *copy_map;
	struct sd_bo copy = sd_alloc(fd, SIZE), bo;

	for (uint32_t i = 0; i < SIZE / 4; i++)
		map[i] = i ^ 0x5d095d09;
	bo = sd_import(fd, dma_buf, SIZE);
	close(dma_buf);
	device_map = sd_map(fd, &bo);
	copy_map = sd_map(fd, &copy);
	igt_assert(!memcmp(device_map, map, SIZE));

	sd_emit_copy(ctx, &bo, &copy);
	sd_run(ctx);
	igt_assert(!memcmp(copy_map, map, SIZE));
	map[SIZE / 8] = 0xabcdabcd;
	sd_emit_copy(ctx, &bo, &copy);
	sd_run(ctx);
	igt_assert_eq_u32(copy_map[SIZE / 8], 0xabcdabcd);
	for (uint32_t i = 1; i <= 5; i++) {
		sd_emit_fill(ctx, &bo, i, 1);
		sd_run(ctx);
		for (uint32_t j = 0; j < SIZE / 4; j++)
			igt_assert_eq_u32(map[j], i);
		igt_assert_eq_u32(device_map[SIZE / 4 - 1], i);
	}
	munmap(map, SIZE);
	sd_unmap(device_map, &bo);
	sd_unmap(copy_map, &copy);
	sd_dealloc(fd, &bo);
	sd_dealloc(fd, &copy);
	sd_context_free(ctx);
	sd_wait_dma_bufs(before);
}

static void test_zero_copy_dumb(int fd, int other)
{
	const int before = sd_count_dma_bufs();
	int dma_buf;

	sd_require_guest_heap(fd);
	dma_buf = dumb_dma_buf(other);
	close(other);
	check_zero_copy(fd, dma_buf, before);
}

static void test_zero_copy_udmabuf(int fd)
{
	const int before = sd_count_dma_bufs();

	sd_require_guest_heap(fd);
	check_zero_copy(fd, udmabuf_dma_buf(), before);
}

/*
 * The system's DMA heap maps its pages in mmap(), and handles no page faults later.
 */
static void test_zero_copy_heap(int fd)
{
	const int before = sd_count_dma_bufs();
	struct sd_bo bo;
	uint32_t *map;
	int dma_buf;

	sd_require_guest_heap(fd);
	dma_buf = heap_dma_buf();
	bo = sd_import(fd, dma_buf, SIZE);
	map = sd_map(fd, &bo);
	map[0] = 1;
	igt_fork(child, 1) {
		igt_assert_eq_u32(map[0], 1);
		map[SIZE / 4 - 1] = 2;
	}
	igt_waitchildren();
	igt_assert_eq_u32(map[SIZE / 4 - 1], 2);
	sd_unmap(map, &bo);
	sd_dealloc(fd, &bo);
	check_zero_copy(fd, dma_buf, before);
}

/* The exporter's fences delay the device, and the exporter sees the device's fences. */
static void test_import_fences(int fd)
{
	const int before = sd_count_dma_bufs();
	int other = sd_open_vgem(), dma_buf;
	struct sd_context *ctx;
	struct sd_gate gate;
	struct sd_bo bo;
	uint64_t seqno;

	sd_require_guest_heap(fd);
	ctx = sd_context(fd);
	dma_buf = dumb_dma_buf(other);
	bo = sd_import(fd, dma_buf, SIZE);
	gate = sd_gate();
	sd_import_sync_file(dma_buf, DMA_BUF_SYNC_WRITE, gate.sync_file);
	seqno = submit_access(ctx, &bo, WRITE);
	igt_assert(sd_is_held_back(ctx, seqno));
	igt_assert(!sd_is_ready(dma_buf, POLLIN, 0));
	sd_gate_lift(&gate);
	igt_assert(sd_is_ready(dma_buf, POLLIN, sd_patience_ms()));
	igt_assert(sd_is_done(ctx, seqno));
	close(dma_buf);
	sd_dealloc(fd, &bo);
	sd_context_free(ctx);
	close(other);
	sd_wait_dma_bufs(before);
}

/*
 * All imports of a dma-buf into a file have one handle, another file has another; both see the same
 * memory.
 */
static void test_import_twice(int fd)
{
	const int before = sd_count_dma_bufs();
	int other = sd_open_vgem(), second = sd_open(), dma_buf;
	struct sd_context *a, *b;
	struct sd_bo bo, again, elsewhere;
	uint32_t *map;

	sd_require_guest_heap(fd);
	dma_buf = dumb_dma_buf(other);
	a = sd_context(fd);
	b = sd_context(second);
	map = sd_map_dma_buf(dma_buf, SIZE);
	bo = sd_import(fd, dma_buf, SIZE);
	again = sd_import(fd, dma_buf, SIZE);
	elsewhere = sd_import(second, dma_buf, SIZE);
	igt_assert_eq_u32(bo.handle, again.handle);
	igt_assert_neq_u32(bo.device_handle, elsewhere.device_handle);
	sd_emit_fill(a, &bo, 1, 1);
	sd_run(a);
	igt_assert_eq_u32(map[0], 1);
	sd_dealloc(fd, &bo);
	sd_emit_fill(b, &elsewhere, 2, 1);
	sd_run(b);
	igt_assert_eq_u32(map[0], 2);
	munmap(map, SIZE);
	close(dma_buf);
	sd_context_free(a);
	sd_context_free(b);
	close(second);
	close(other);
	sd_wait_dma_bufs(before);
}

/*
 * Imports a dma-buf and closes the handle, so that only the list keeps the BO, and the next import
 * is another BO.
 */
static void import_to_list(int fd, int dma_buf, uint32_t reslist, uint32_t flags)
{
	struct drm_sundog_submit_alloc alloc = {
		.handle = sd_import(fd, dma_buf, SIZE).handle, .flags = flags
	};
	struct drm_sundog_reslist_update update = {
		.allocs = (uintptr_t)&alloc,
		.n_allocs = 1,
		.alloc_stride = sizeof(alloc),
		.reslist = reslist,
	};

	sd_ioctl(fd, DRM_IOCTL_SUNDOG_RESLIST_UPDATE, &update);
	sd_gem_close(fd, alloc.handle);
}

static void submit_list(struct sd_context *ctx, uint32_t reslist)
{
	struct drm_sundog_submit args = {
		.ctx = ctx->id,
		.reslist = reslist,
		.alloc_stride = sizeof(struct drm_sundog_submit_alloc),
		.sync_stride = sizeof(struct drm_sundog_sync),
	};

	sd_ioctl(ctx->fd, DRM_IOCTL_SUNDOG_SUBMIT, &args);
}

#define N_LIST_CONTEXTS 16

/*
 * All imports of a dma-buf share its fences: a job that uses several imports in different ways adds
 * its own fence as often.
 */
static void test_import_fences_shared(int fd)
{
	const int before = sd_count_dma_bufs();
	int other = sd_open_vgem(), dma_buf;
	struct drm_sundog_reslist_create create = { 0 };
	struct drm_sundog_reslist_destroy destroy = { 0 };
	struct sd_context *ctx[N_LIST_CONTEXTS];
	struct sd_gate gate[N_LIST_CONTEXTS];

	sd_require_guest_heap(fd);
	dma_buf = dumb_dma_buf(other);
	sd_ioctl(fd, DRM_IOCTL_SUNDOG_RESLIST_CREATE, &create);
	import_to_list(fd, dma_buf, create.reslist, WRITE);
	import_to_list(fd, dma_buf, create.reslist, READ);
	import_to_list(fd, dma_buf, create.reslist, EXPLICIT(READ));
	for (int i = 0; i < N_LIST_CONTEXTS; i++) {
		ctx[i] = sd_context(fd);
		gate[i] = sd_gate_before(ctx[i]);
		submit_list(ctx[i], create.reslist);
	}
	igt_assert(!sd_is_ready(dma_buf, POLLOUT, 0));
	for (int i = 0; i < N_LIST_CONTEXTS; i++)
		sd_gate_lift(&gate[i]);
	igt_assert(sd_is_ready(dma_buf, POLLOUT, sd_patience_ms()));
	destroy.reslist = create.reslist;
	sd_ioctl(fd, DRM_IOCTL_SUNDOG_RESLIST_DESTROY, &destroy);
	close(dma_buf);
	for (int i = 0; i < N_LIST_CONTEXTS; i++)
		sd_context_free(ctx[i]);
	close(other);
	sd_wait_dma_bufs(before);
}

/*
 * The handle is closed while a job writes to the import: the job ends, then the exporter has its
 * pages back.
 */
static void test_import_busy(int fd)
{
	const int before = sd_count_dma_bufs();
	int other = sd_open_vgem();
	struct sd_context *ctx;

	sd_require_guest_heap(fd);
	ctx = sd_context(fd);
	for (int i = 0; i < 5; i++) {
		const int dma_buf = dumb_dma_buf(other);
		struct sd_bo bo = sd_import(fd, dma_buf, SIZE);

		close(dma_buf);
		sd_emit_fill(ctx, &bo, i, 200);
		sd_submit(ctx);
		sd_gem_close(fd, bo.handle);
	}
	sd_wait_dma_bufs(before);
	sd_context_free(ctx);
	close(other);
}

static void import_forever(void)
{
	int fd = sd_open(), other = sd_open_vgem();
	struct sd_context *ctx = sd_context(fd);

	for (uint32_t i = 0;; i++) {
		const int dma_buf = dumb_dma_buf(other);
		struct sd_bo bo = sd_import(fd, dma_buf, SIZE);

		close(dma_buf);
		sd_emit_fill(ctx, &bo, i, 20);
		sd_submit(ctx);
		if (i % 2)
			sd_gem_close(fd, bo.handle);
		else if (i % 4)
			sd_dealloc(fd, &bo);
	}
}

static void test_import_kill(int fd)
{
	const int before = sd_count_dma_bufs();

	sd_require_guest_heap(fd);
	for (int i = 0; i < 8; i++) {
		pid_t child = sd_start_child(import_forever);

		usleep(100000 * i + 10000);
		sd_kill_child(child);
	}
	sd_wait_dma_bufs(before);
}

/* Streams and framebuffers must be in VRAM, which imports never are. */
static void test_import_limits(int fd)
{
	const int before = sd_count_dma_bufs();
	int other = sd_open_vgem(), card = sd_open_driver("sundog", SD_PRIMARY_MINOR, 0), dma_buf;
	struct drm_mode_fb_cmd2 fb = {
		.width = 64, .height = SIZE / 64 / 4, .pixel_format = 0x34325258,
		.pitches = { 64 * 4 },
	};
	struct drm_sundog_submit submit = { .stream_size = 4 };
	struct sd_context *ctx;
	struct sd_bo bo;

	sd_require_guest_heap(fd);
	ctx = sd_context(fd);
	dma_buf = dumb_dma_buf(other);
	bo = sd_import(fd, dma_buf, SIZE);
	submit.ctx = ctx->id;
	submit.stream = bo.handle;
	submit.alloc_stride = sizeof(ctx->list[0]);
	submit.sync_stride = sizeof(struct drm_sundog_sync);
	igt_assert_eq(sd_try(fd, DRM_IOCTL_SUNDOG_SUBMIT, &submit), -EINVAL);
	igt_assert_eq(sd_import_try(card, dma_buf, &fb.handles[0]), 0);
	igt_assert_eq(sd_try(card, DRM_IOCTL_MODE_ADDFB2, &fb), -EINVAL);
	close(dma_buf);
	sd_dealloc(fd, &bo);
	sd_context_free(ctx);
	close(card);
	close(other);
	sd_wait_dma_bufs(before);
}

/*
 * The renderer, which passes pages on to the device, does not respond: an import does not wait for
 * it, only a use does.
 */
static void test_import_does_not_wait(int fd)
{
	const int before = sd_count_dma_bufs();
	int other = sd_open_vgem(), dma_buf, ret;
	struct sd_context *ctx;
	uint32_t handle, *map;
	struct sd_bo bo;

	sd_require_guest_heap(fd);
	sd_require_host();
	ctx = sd_context(fd);
	dma_buf = dumb_dma_buf(other);
	map = sd_map_dma_buf(dma_buf, SIZE);
	sd_ask("stop-renderer");
	ret = sd_import_try(fd, dma_buf, &handle);
	sd_ask("continue-renderer");
	igt_assert_eq(ret, 0);
	bo = sd_import(fd, dma_buf, SIZE);
	igt_assert_eq_u32(bo.handle, handle);
	sd_emit_fill(ctx, &bo, 1, 1);
	sd_run(ctx);
	igt_assert_eq_u32(map[0], 1);
	munmap(map, SIZE);
	close(dma_buf);
	sd_dealloc(fd, &bo);
	sd_context_free(ctx);
	close(other);
	sd_wait_dma_bufs(before);
}

igt_main()
{
	static int fd = -1;

	igt_fixture()
		fd = sd_open_renderer();

	igt_describe("Without heap GUEST the import of a dma-buf of vgem fails with EOPNOTSUPP, "
		     "and nothing leaks.");
	igt_subtest("import-vgem-refused")
		test_import_dumb(fd, sd_open_vgem());

	igt_describe("Without heap GUEST the import of a dma-buf of udmabuf fails with EOPNOTSUPP, "
		     "and nothing leaks.");
	igt_subtest("import-udmabuf-refused")
		test_import_udmabuf(fd);

	igt_describe("Without heap GUEST the import of a dma-buf of virtio-gpu fails with "
		     "EOPNOTSUPP, and nothing leaks.");
	igt_subtest("import-virtio-gpu-refused")
		test_import_dumb(fd, sd_open_virtio_gpu());

	igt_describe("Without heap GUEST vgem cannot import an allocation, and nothing leaks.");
	igt_subtest("export-to-vgem-refused")
		test_export(fd, sd_open_vgem());

	igt_describe("Without heap GUEST virtio-gpu cannot import an allocation, and nothing "
		     "leaks.");
	igt_subtest("export-to-virtio-gpu-refused")
		test_export(fd, sd_open_virtio_gpu());

	igt_describe("Without heap GUEST a second sundog device cannot import an allocation, and "
		     "nothing leaks.");
	igt_subtest("export-to-sundog-refused")
		test_export(fd, sd_open_second());

	igt_describe("A shared resource cannot be opened on another sundog device.");
	igt_subtest("resource-open-is-of-its-device")
		test_open_second(fd);

	igt_describe("Two sundog devices assign their kernel handles independently.");
	igt_subtest("kres-is-of-its-device")
		test_second_kres(fd);

	igt_describe("Two sundog devices execute submissions at the same time.");
	igt_subtest("two-devices")
		test_second_submit(fd);

	igt_describe("A sync_file exported from a dma-buf signals when the jobs that conflict with "
		     "its access are done.");
	igt_subtest("sync-file-export")
		test_sync_file_export(fd);

	igt_describe("A sync_file imported into a dma-buf delays jobs whose access conflicts with "
		     "it.");
	igt_subtest("sync-file-import")
		test_sync_file_import(fd);

	igt_describe("SUBMIT takes little time for signalled fences, however many a BO has.");
	igt_subtest("sync-file-old")
		test_sync_file_old(fd);

	igt_describe("A job waits for hundreds of fences, which the driver merges into few.");
	igt_subtest("sync-file-many")
		test_sync_file_many(fd);

	igt_describe("SUBMIT blocks after few jobs that each wait for many fences of a BO, until "
		     "queued jobs end.");
	igt_subtest("sync-file-queued")
		test_sync_file_queued(fd);

	igt_describe("SUBMIT blocks after few jobs that each wait for a sync_file of many fences "
		     "as their only in-sync.");
	igt_subtest("in-sync-of-many-queued")
		test_in_sync_queued(fd);

	igt_describe("SUBMIT blocks earlier if each job has many in-syncs, whose fences take up "
		     "room in the queue.");
	igt_subtest("in-syncs-queued")
		test_in_syncs_queued(fd);

	igt_describe("The fences of jobs that end with their context signal with an error, "
		     "although no process waits for them.");
	igt_subtest("sync-file-of-errors")
		test_sync_file_error(fd);

	igt_describe("A sync_file transfers a job's fence to another BO, where it delays jobs.");
	igt_subtest("sync-file-of-a-job")
		test_sync_file_job(fd);

	igt_describe("Without IMPLICIT a job does not wait for fences of a dma-buf.");
	igt_subtest("explicit-does-not-wait")
		test_explicit(fd);

	igt_describe("poll() of a dma-buf reports POLLIN after all writers, and POLLOUT after all "
		     "users.");
	igt_subtest("poll")
		test_poll(fd);

	igt_describe("DMA_BUF_IOCTL_SYNC for reading waits for the device's writes, and not for "
		     "its reads.");
	igt_subtest("cpu-access-waits")
		test_cpu_access(fd);

	igt_describe("A mapping of the dma-buf is coherent with the device.");
	igt_subtest("mmap-is-coherent")
		test_mmap(fd);

	igt_describe("With heap GUEST the device uses vgem's pages without a copy.");
	igt_subtest("import-vgem-zero-copy")
		test_zero_copy_dumb(fd, sd_open_vgem());

	igt_describe("With heap GUEST the device uses udmabuf's pages without a copy.");
	igt_subtest("import-udmabuf-zero-copy")
		test_zero_copy_udmabuf(fd);

	igt_describe("With heap GUEST the device uses virtio-gpu's pages without a copy.");
	igt_subtest("import-virtio-gpu-zero-copy")
		test_zero_copy_dumb(fd, sd_open_virtio_gpu());

	igt_describe("With heap GUEST the device uses the pages of a DMA heap without a copy, "
		     "mapped in two processes.");
	igt_subtest("import-dma-heap-zero-copy")
		test_zero_copy_heap(fd);

	igt_describe("An import and its exporter honour each other's fences.");
	igt_subtest("import-fences")
		test_import_fences(fd);

	igt_describe("All imports of a dma-buf into one file have the same handle, and imports of "
		     "all files share the memory.");
	igt_subtest("import-twice")
		test_import_twice(fd);

	igt_describe("Jobs that use three imports of one dma-buf with different access all delay "
		     "the dma-buf.");
	igt_subtest("import-thrice-in-a-job")
		test_import_fences_shared(fd);

	igt_describe("The exporter gets its pages back after an import was closed while a job "
		     "wrote to it.");
	igt_subtest("import-busy")
		test_import_busy(fd);

	igt_describe("The exporter gets its pages back after an importing process was killed at "
		     "any moment.");
	igt_subtest("import-kill")
		test_import_kill(fd);

	igt_describe("An import can be neither a stream nor a framebuffer: EINVAL.");
	igt_subtest("import-limits")
		test_import_limits(fd);

	igt_describe("An import succeeds while the renderer does not respond; the device gets the "
		     "pages when a job uses them.");
	igt_subtest("import-does-not-wait")
		test_import_does_not_wait(fd);

	igt_fixture()
		close(fd);
}
