// SPDX-License-Identifier: MIT
/*
 * Allocations that a sundog device shares with other drivers: vgem and a second sundog device.
 * Without heap GUEST sharing fails, see sundog_prime.c.
 *
 * vgem cannot read what it imports, so it stands for a driver that keeps the pages pinned, and the
 * CPU and the sundog device check them. A second sundog device reads and writes by itself.
 */
#include "sundog_gate.h"
#include "sundog_parameter.h"
#include "sundog_share.h"

#include <sys/mman.h>
#include <unistd.h>

#include <xf86drmMode.h>

IGT_TEST_DESCRIPTION("Allocations of a sundog device that other devices share");

#define SIZE (16 * PAGE)
/* Fills that keep a device busy for a while. */
#define LONG 50
/* Size of the picture that cirrus shows. */
#define WIDTH 640
#define HEIGHT 480

/* One of two devices, or the only one. */
struct side {
	int fd;
	struct sd_context *ctx;
	/* The shared BO, and a private one. */
	struct sd_bo bo, copy;
};

static struct side side_new(int fd)
{
	return (struct side){ .fd = fd, .ctx = sd_context(fd), .copy = sd_alloc(fd, SIZE) };
}

static void side_free(struct side *side)
{
	sd_dealloc(side->fd, &side->copy);
	sd_context_free(side->ctx);
}

/* Two sundog devices that share a BO. */
struct pair {
	int before;
	struct side a, b;
	int dma_buf;
};

/* Opens the second device; skips unless both devices have heap GUEST. */
static int open_second(int fd)
{
	int other = sd_open_second();

	sd_require_guest_heap(fd);
	sd_require_guest_heap(other);
	return other;
}

/* Allocates a BO on @a and imports it on @b. Returns its dma-buf. */
static int share(struct side *a, struct side *b)
{
	int dma_buf;

	a->bo = sd_alloc(a->fd, SIZE);
	dma_buf = sd_export(a->fd, a->bo.handle);
	b->bo = sd_import(b->fd, dma_buf, SIZE);
	return dma_buf;
}

static struct pair pair_new(int fd)
{
	struct pair pair = { .before = sd_count_dma_bufs(), .b = side_new(open_second(fd)) };

	pair.a = side_new(fd);
	pair.dma_buf = share(&pair.a, &pair.b);
	return pair;
}

static void pair_free(struct pair *pair)
{
	close(pair->dma_buf);
	sd_dealloc(pair->b.fd, &pair->b.bo);
	sd_dealloc(pair->a.fd, &pair->a.bo);
	side_free(&pair->a);
	side_free(&pair->b);
	close(pair->b.fd);
	sd_wait_dma_bufs(pair->before);
}

/* The CPU reads the device's writes, and the device reads the CPU's writes. */
static void check_with_cpu(struct side *side, uint32_t *map, uint32_t value)
{
	uint32_t *copy = sd_map(side->fd, &side->copy);

	sd_emit_fill(side->ctx, &side->bo, value, 1);
	sd_run(side->ctx);
	for (uint32_t i = 0; i < SIZE / 4; i++)
		igt_assert_eq_u32(map[i], value);
	for (uint32_t i = 0; i < SIZE / 4; i++)
		map[i] = i ^ value;
	sd_emit_copy(side->ctx, &side->bo, &side->copy);
	sd_run(side->ctx);
	igt_assert(!memcmp(map, copy, SIZE));
	sd_unmap(copy, &side->copy);
}

/* @to reads the writes of @from; only the fences of the BO order them. */
static void check_with_other(struct side *from, struct side *to, uint32_t value)
{
	sd_emit_fill(from->ctx, &from->bo, value, LONG);
	sd_submit(from->ctx);
	sd_emit_copy(to->ctx, &to->bo, &to->copy);
	sd_run(to->ctx);
	igt_assert(sd_is_filled(to->fd, &to->copy, value));
}

static void test_vgem(int fd)
{
	const int before = sd_count_dma_bufs();
	int other = sd_open_vgem(), dma_buf;
	uint32_t *map, *device_map, handle;
	struct side side;
	uint64_t vram;

	sd_require_guest_heap(fd);
	side = side_new(fd);
	vram = sd_vram_free(fd);
	side.bo = sd_alloc(fd, SIZE);
	dma_buf = sd_export(fd, side.bo.handle);
	map = sd_map_dma_buf(dma_buf, SIZE);
	device_map = sd_map(fd, &side.bo);
	check_with_cpu(&side, map, 1);
	igt_assert_eq_u64(sd_vram_free(fd), vram - SIZE);

	/* The contents move with the BO when it leaves VRAM, under the mappings. */
	igt_assert_eq(sd_import_try(other, dma_buf, &handle), 0);
	igt_assert_eq_u64(sd_vram_free(fd), vram);
	for (uint32_t i = 0; i < SIZE / 4; i++)
		igt_assert_eq_u32(map[i], i ^ 1);
	for (uint32_t i = 2; i < 7; i++)
		check_with_cpu(&side, map, i);
	igt_assert(!memcmp(map, device_map, SIZE));
	igt_assert_eq_u64(sd_vram_free(fd), vram);

	/* The contents move back, too. */
	sd_gem_close(other, handle);
	sd_emit_copy(side.ctx, &side.bo, &side.copy);
	sd_run(side.ctx);
	igt_assert_eq_u64(sd_vram_free(fd), vram - SIZE);
	for (uint32_t i = 0; i < SIZE / 4; i++)
		igt_assert_eq_u32(map[i], i ^ 6);
	check_with_cpu(&side, map, 7);

	munmap(map, SIZE);
	sd_unmap(device_map, &side.bo);
	close(dma_buf);
	sd_dealloc(fd, &side.bo);
	side_free(&side);
	close(other);
	sd_wait_dma_bufs(before);
}

static void test_second(int fd)
{
	struct pair pair = pair_new(fd);
	uint32_t *map = sd_map_dma_buf(pair.dma_buf, SIZE);

	for (uint32_t i = 1; i <= 3; i++) {
		check_with_other(&pair.a, &pair.b, 4 * i);
		check_with_other(&pair.b, &pair.a, 4 * i + 1);
		check_with_cpu(&pair.a, map, 4 * i + 2);
		check_with_cpu(&pair.b, map, 4 * i + 3);
	}
	munmap(map, SIZE);
	pair_free(&pair);
}

/* The BO is shared before it has a placement. */
static void test_untouched(int fd)
{
	const int before = sd_count_dma_bufs();
	const uint64_t size = SIZE;
	const size_t rubbish_size = 32 << 20;
	int other = open_second(fd), dma_buf;
	void *rubbish = malloc(rubbish_size);
	struct side a = side_new(fd), b = side_new(other);

	/* Leave dirty pages to the page allocator. */
	igt_assert(rubbish);
	memset(rubbish, 0xa5, rubbish_size);
	free(rubbish);
	for (int i = 0; i < 16; i++) {
		igt_assert_eq(sd_alloc_try(fd, 0, &size, 1, &a.bo), 0);
		dma_buf = sd_export(fd, a.bo.handle);
		b.bo = sd_import(other, dma_buf, SIZE);
		close(dma_buf);
		sd_emit_copy(b.ctx, &b.bo, &b.copy);
		sd_run(b.ctx);
		igt_assert(sd_is_filled(other, &b.copy, 0));
		check_with_other(&a, &b, 0xa5a5a5a5);
		sd_dealloc(other, &b.bo);
		sd_dealloc(fd, &a.bo);
	}
	side_free(&a);
	side_free(&b);
	close(other);
	sd_wait_dma_bufs(before);
}

/* A queued job of one device delays a job of the other. */
static void check_fences(struct side *from, struct side *to, uint32_t value)
{
	struct sd_gate gate = sd_gate_before(from->ctx);
	uint64_t first, second;

	sd_emit_fill(from->ctx, &from->bo, value, 1);
	first = sd_submit(from->ctx);
	sd_emit_copy(to->ctx, &to->bo, &to->copy);
	second = sd_submit(to->ctx);
	igt_assert(sd_is_held_back(to->ctx, second));
	sd_gate_lift(&gate);
	sd_wait_seqno(to->ctx, second);
	igt_assert(sd_is_done(from->ctx, first));
	igt_assert(sd_is_filled(to->fd, &to->copy, value));
}

static void test_fences(int fd)
{
	struct pair pair = pair_new(fd);
	struct sd_gate gate;
	uint64_t seqno;

	check_fences(&pair.a, &pair.b, 1);
	check_fences(&pair.b, &pair.a, 2);

	/* A fence of a third driver in the dma-buf delays a job, too. */
	gate = sd_gate();
	sd_import_sync_file(pair.dma_buf, DMA_BUF_SYNC_WRITE, gate.sync_file);
	sd_list(pair.b.ctx, &pair.b.bo, READ);
	seqno = sd_submit(pair.b.ctx);
	igt_assert(sd_is_held_back(pair.b.ctx, seqno));
	sd_gate_lift(&gate);
	sd_wait_seqno(pair.b.ctx, seqno);
	pair_free(&pair);
}

/* Sharing waits for the job that draws to the BO. */
static void test_busy(int fd)
{
	const int before = sd_count_dma_bufs();
	int other = open_second(fd), dma_buf;
	struct side a = side_new(fd), b = side_new(other);

	for (uint32_t i = 1; i <= 3; i++) {
		a.bo = sd_alloc(fd, SIZE);
		dma_buf = sd_export(fd, a.bo.handle);
		sd_emit_fill(a.ctx, &a.bo, i, LONG);
		sd_submit(a.ctx);
		b.bo = sd_import(other, dma_buf, SIZE);
		close(dma_buf);
		sd_emit_copy(b.ctx, &b.bo, &b.copy);
		sd_run(b.ctx);
		igt_assert(sd_is_filled(other, &b.copy, i));
		sd_dealloc(other, &b.bo);
		sd_dealloc(fd, &a.bo);
	}
	side_free(&a);
	side_free(&b);
	close(other);
	sd_wait_dma_bufs(before);
}

/* Releases the three references to the BO in the given order, while both devices are busy. */
static void check_order(struct side *a, struct side *b, const char *order)
{
	const int before = sd_count_dma_bufs();
	const uint64_t vram = sd_vram_free(a->fd);
	int dma_buf = share(a, b);

	sd_emit_fill(a->ctx, &a->bo, 1, LONG);
	sd_submit(a->ctx);
	sd_emit_fill(b->ctx, &b->bo, 2, LONG);
	sd_submit(b->ctx);
	for (; *order; order++) {
		if (*order == 'a')
			sd_gem_close(a->fd, a->bo.handle);
		else if (*order == 'b')
			sd_gem_close(b->fd, b->bo.handle);
		else
			close(dma_buf);
	}
	sd_wait_dma_bufs(before);
	sd_wait_vram_free(a->fd, vram);
}

static void test_orders(int fd)
{
	static const char *const orders[] = { "abd", "adb", "bad", "bda", "dab", "dba" };
	int other = open_second(fd);
	struct sd_counts counts, other_counts;
	struct side a, b;

	sd_wait_idle(fd);
	sd_wait_idle(other);
	a = side_new(fd);
	b = side_new(other);
	counts = sd_counts(fd);
	other_counts = sd_counts(other);
	for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++)
		check_order(&a, &b, orders[i]);
	sd_wait_counts(fd, &counts);
	sd_wait_counts(other, &other_counts);
	side_free(&a);
	side_free(&b);
	close(other);
}

static void share_forever(void)
{
	int fd = sd_open(), other = sd_open_second(), vgem = sd_open_vgem();
	struct sd_context *a = sd_context(fd), *b = sd_context(other);

	for (uint32_t i = 0;; i++) {
		struct sd_bo bo = sd_alloc(fd, SIZE), there;
		const int dma_buf = sd_export(fd, bo.handle);
		uint32_t handle;

		sd_emit_fill(a, &bo, i, 20);
		sd_submit(a);
		there = sd_import(other, dma_buf, SIZE);
		igt_assert_eq(sd_import_try(vgem, dma_buf, &handle), 0);
		close(dma_buf);
		sd_emit_fill(b, &there, i, 20);
		sd_submit(b);
		if (i % 2)
			sd_gem_close(fd, bo.handle);
		if (i % 3)
			sd_gem_close(other, there.handle);
		if (i % 4)
			sd_gem_close(vgem, handle);
	}
}

/* Returns the connector's mode with the size of this test's pictures. */
static drmModeModeInfo *find_mode(drmModeConnector *connector)
{
	igt_assert(connector);
	for (int i = 0; i < connector->count_modes; i++)
		if (connector->modes[i].hdisplay == WIDTH && connector->modes[i].vdisplay == HEIGHT)
			return &connector->modes[i];
	igt_assert_f(false, "no mode of %ux%u\n", WIDTH, HEIGHT);
	return NULL;
}

/* cirrus copies the framebuffer through a kernel mapping (vmap) of the imported dma-buf. */
static void test_mapped(int fd)
{
	const int before = sd_count_dma_bufs();
	int other = sd_open_cirrus(), dma_buf;
	struct sd_context *ctx;
	drmModeConnector *connector;
	drmModeRes *resources;
	struct sd_bo bo;
	uint32_t handle, fb;

	sd_require_guest_heap(fd);
	ctx = sd_context(fd);
	bo = sd_alloc(fd, WIDTH * HEIGHT * 4);
	dma_buf = sd_export(fd, bo.handle);
	resources = drmModeGetResources(other);
	igt_assert(resources);
	connector = drmModeGetConnector(other, resources->connectors[0]);
	igt_assert_eq(sd_import_try(other, dma_buf, &handle), 0);
	igt_assert_eq(drmModeAddFB(other, WIDTH, HEIGHT, 24, 32, WIDTH * 4, handle, &fb), 0);
	igt_assert_eq(drmModeSetCrtc(other, resources->crtcs[0], fb, 0, 0,
				     &connector->connector_id, 1, find_mode(connector)), 0);
	sd_emit_fill(ctx, &bo, 0x336699, 1);
	sd_run(ctx);
	igt_assert(sd_is_filled(fd, &bo, 0x336699));
	igt_assert_eq(drmModeDirtyFB(other, fb, NULL, 0), 0);
	igt_assert_eq(drmModeRmFB(other, fb), 0);
	drmModeFreeConnector(connector);
	drmModeFreeResources(resources);
	close(dma_buf);
	close(other);
	sd_dealloc(fd, &bo);
	sd_context_free(ctx);
	sd_wait_dma_bufs(before);
}

/* Kills the renderers of all devices, as if they had crashed. */
static void kill_renderers(void)
{
	const char *command = getenv("SUNDOG_KILL_RENDERERS");

	igt_require(command);
	igt_assert_eq(system(command), 0);
}

/* Replaces the context by one of the device's next renderer. */
static void side_renew(struct side *side)
{
	const int64_t end = sd_deadline();

	sd_wait_dead(side->ctx);
	while (!sd_has_guest_heap(side->fd) && sd_now_plus_ms(0) < end)
		usleep(10000);
	sd_context_free(side->ctx);
	side->ctx = sd_context(side->fd);
}

static void test_renderers_end(int fd)
{
	struct pair pair = pair_new(fd);
	uint32_t *map = sd_map_dma_buf(pair.dma_buf, SIZE), i = 0;
	struct side *sides[] = { &pair.a, &pair.b };

	for (int round = 0; round < 3; round++) {
		check_with_other(sides[round % 2], sides[!(round % 2)], ++i);
		kill_renderers();
		side_renew(&pair.a);
		side_renew(&pair.b);
		for (uint32_t j = 0; j < SIZE / 4; j++)
			igt_assert_eq_u32(map[j], i);
		check_with_other(&pair.a, &pair.b, ++i);
		check_with_other(&pair.b, &pair.a, ++i);
		check_with_cpu(&pair.a, map, ++i);
		check_with_cpu(&pair.b, map, ++i);
	}
	munmap(map, SIZE);
	pair_free(&pair);
}

static void test_kill(int fd)
{
	const int before = sd_count_dma_bufs();
	int other = open_second(fd), vgem = sd_open_vgem();
	const uint64_t vram = sd_idle_vram_free(fd);
	const struct sd_counts counts = sd_idle_counts(fd), other_counts = sd_idle_counts(other);

	for (int i = 0; i < 6; i++) {
		pid_t child = sd_start_child(share_forever);

		usleep(250000 * i + 10000);
		sd_kill_child(child);
	}
	sd_wait_dma_bufs(before);
	sd_wait_vram_free(fd, vram);
	sd_wait_counts(fd, &counts);
	sd_wait_counts(other, &other_counts);
	close(vgem);
	close(other);
}

/* A shared BO keeps its place while other BOs need all of VRAM. */
static void test_pressure(int fd)
{
	struct pair pair = pair_new(fd);
	const uint64_t size = sd_param(fd, DRM_SUNDOG_PARAM_VRAM_SIZE) / 4;
	struct sd_bo bos[5];

	check_with_other(&pair.a, &pair.b, 1);
	igt_assert_eq(sd_alloc_try(fd, 0, (uint64_t[]){ size, size, size, size, size }, 5, bos), 0);
	for (int i = 0; i < 10; i++) {
		sd_list(pair.a.ctx, &bos[i % 5], READ);
		sd_list(pair.a.ctx, &pair.a.bo, READ);
		sd_run(pair.a.ctx);
	}
	sd_emit_copy(pair.b.ctx, &pair.b.bo, &pair.b.copy);
	sd_run(pair.b.ctx);
	igt_assert(sd_is_filled(pair.b.fd, &pair.b.copy, 1));
	check_with_other(&pair.b, &pair.a, 2);
	for (int i = 0; i < 5; i++)
		sd_dealloc(fd, &bos[i]);
	pair_free(&pair);
}

/* An import on the same device needs no other pages: it is the same BO, wherever that is. */
static void test_same_device(int fd)
{
	struct pair pair = pair_new(fd);
	int second = sd_open();
	struct side c = side_new(second);
	struct drm_sundog_alloc_info info;

	c.bo = pair.a.bo;
	igt_assert_eq(sd_import_try(second, pair.dma_buf, &c.bo.handle), 0);
	igt_assert_eq(sd_info_try(second, c.bo.handle, &info), 0);
	igt_assert_eq_u32(info.device_handle, pair.a.bo.device_handle);
	check_with_other(&c, &pair.b, 1);
	check_with_other(&pair.b, &c, 2);
	side_free(&c);
	close(second);
	check_with_other(&pair.a, &pair.b, 3);
	pair_free(&pair);
}

/* virtio-gpu of Linux 6.12 attaches to the dma-buf, and then fails the import. */
static void test_undone(int fd)
{
	const int before = sd_count_dma_bufs();
	int other = sd_open_virtio_gpu(), dma_buf;
	struct side side;
	uint64_t vram;
	uint32_t handle;

	sd_require_guest_heap(fd);
	side = side_new(fd);
	vram = sd_vram_free(fd);
	side.bo = sd_alloc(fd, SIZE);
	dma_buf = sd_export(fd, side.bo.handle);
	sd_emit_fill(side.ctx, &side.bo, 1, 1);
	sd_run(side.ctx);
	for (int i = 0; i < 10; i++)
		igt_require(sd_import_try(other, dma_buf, &handle) < 0);
	igt_assert(sd_is_filled(fd, &side.bo, 1));
	sd_emit_copy(side.ctx, &side.bo, &side.copy);
	sd_run(side.ctx);
	igt_assert(sd_is_filled(fd, &side.copy, 1));
	igt_assert_eq_u64(sd_vram_free(fd), vram - SIZE);
	close(dma_buf);
	sd_dealloc(fd, &side.bo);
	sd_wait_vram_free(fd, vram);
	side_free(&side);
	close(other);
	sd_wait_dma_bufs(before);
}

/* The device reads streams from VRAM only, so a shared BO cannot be one. */
static void test_stream(int fd)
{
	struct drm_sundog_submit submit = { .stream_size = 4 };
	struct pair pair = pair_new(fd);

	submit.ctx = pair.a.ctx->id;
	submit.stream = pair.a.bo.handle;
	submit.alloc_stride = sizeof(pair.a.ctx->list[0]);
	submit.sync_stride = sizeof(struct drm_sundog_sync);
	igt_assert_eq(sd_try(fd, DRM_IOCTL_SUNDOG_SUBMIT, &submit), -EBUSY);
	check_with_other(&pair.a, &pair.b, 1);
	pair_free(&pair);
}

/*
 * Imports a BO of @fd into another driver, until the caller closes *@handle. Returns 0 or -errno.
 */
static int share_try(int fd, const struct sd_bo *bo, int other, uint32_t *handle)
{
	const int dma_buf = sd_export(fd, bo->handle);
	int ret = sd_import_try(other, dma_buf, handle);

	close(dma_buf);
	return ret;
}

static struct sd_parameter max_maps = SD_PARAMETER("max_maps");

/*
 * The heap reuses the maps of BOs that are not shared any more. They stay charged until the device
 * uses the BO or it is freed, so the quota must allow all of them.
 */
static void test_one_by_one(int fd)
{
	const int before = sd_count_dma_bufs(), count = SUNDOG_MAX_GUEST_MAPS + 50;
	int other = sd_open_vgem();
	struct sd_bo *bos;

	sd_require_guest_heap(fd);
	sd_parameter_set(&max_maps, "100,100");
	bos = calloc(count, sizeof(*bos));
	for (int i = 0; i < count; i++) {
		uint32_t handle;

		bos[i] = sd_alloc(fd, PAGE);
		sd_fill(fd, &bos[i], i);
		igt_assert_eq(share_try(fd, &bos[i], other, &handle), 0);
		sd_gem_close(other, handle);
	}
	for (int i = 0; i < count; i++) {
		igt_assert(sd_is_filled(fd, &bos[i], i));
		sd_dealloc(fd, &bos[i]);
	}
	free(bos);
	close(other);
	sd_wait_dma_bufs(before);
	sd_wait_idle(fd);
	sd_parameter_restore(&max_maps);
}

/* Fills @maps maps of the heap with BOs that other devices use; the next one fails with @error. */
static void check_full(int fd, int maps, int error)
{
	const int before = sd_count_dma_bufs();
	int other = sd_open_vgem(), n = 0, ret = 0;
	uint32_t handles[SUNDOG_MAX_GUEST_MAPS + 1];
	struct sd_bo *bos;

	sd_require_guest_heap(fd);
	/* Freed BOs have maps until the device has returned their pages. */
	sd_wait_idle(fd);
	bos = calloc(SUNDOG_MAX_GUEST_MAPS + 1, sizeof(*bos));
	while (!ret && n <= SUNDOG_MAX_GUEST_MAPS) {
		bos[n] = sd_alloc(fd, PAGE);
		sd_fill(fd, &bos[n], n);
		ret = share_try(fd, &bos[n], other, &handles[n]);
		n++;
	}
	igt_assert_eq(ret, error);
	igt_assert_eq(n, maps + 1);
	if (ret == -ENOMEM) {
		sd_gem_close(other, handles[0]);
		igt_assert_eq(share_try(fd, &bos[n - 1], other, &handles[n - 1]), 0);
	}
	for (int i = 0; i < n; i++) {
		igt_assert(sd_is_filled(fd, &bos[i], i));
		sd_dealloc(fd, &bos[i]);
	}
	close(other);
	sd_wait_dma_bufs(before);
	free(bos);
	/* The maps are charged until then, and the next subtest has the limits of the module. */
	sd_wait_idle(fd);
}

/* Another file of the same user shares an allocation, too. */
static void test_quota(int fd)
{
	const int file = sd_open(), other = sd_open_vgem();
	struct sd_bo bo = sd_alloc(file, PAGE);
	uint32_t handle;

	sd_require_guest_heap(fd);
	igt_assert_eq(share_try(file, &bo, other, &handle), 0);
	sd_parameter_set(&max_maps, "25,75");
	check_full(fd, SUNDOG_MAX_GUEST_MAPS / 4, -EDQUOT);
	sd_parameter_set(&max_maps, "75,25");
	check_full(fd, SUNDOG_MAX_GUEST_MAPS / 4 - 1, -EDQUOT);
	sd_parameter_restore(&max_maps);
	sd_gem_close(other, handle);
	sd_dealloc(file, &bo);
	close(other);
	close(file);
}

static void test_too_many(int fd)
{
	sd_parameter_set(&max_maps, "100,100");
	check_full(fd, SUNDOG_MAX_GUEST_MAPS, -ENOMEM);
	sd_parameter_restore(&max_maps);
}

/* Returns the first device as soon as both devices have their renderers. */
static int open_both(void)
{
	const int64_t end = sd_deadline();

	for (;;) {
		int fd = sd_open_driver("sundog", SD_RENDER_MINOR, 0);
		int other = sd_open_driver("sundog", SD_RENDER_MINOR, 1);
		const bool ready = fd >= 0 && other >= 0 && sd_has_guest_heap(fd) &&
				   sd_has_guest_heap(other);

		close(other);
		if (ready)
			return fd;
		close(fd);
		igt_assert(sd_now_plus_ms(0) < end);
		usleep(10000);
	}
}

/* Unbinds one of two devices that share a BO; the other one works on, and so does the next pair. */
static void check_unbound(struct pair *pair, struct side *gone, struct side *left)
{
	char name[64];

	check_with_other(&pair->a, &pair->b, 1);
	check_with_other(&pair->b, &pair->a, 2);
	sd_device_name(gone->fd, name, sizeof(name));
	sd_tell_driver("unbind", name);

	sd_emit_copy(left->ctx, &left->bo, &left->copy);
	sd_run(left->ctx);
	igt_assert(sd_is_filled(left->fd, &left->copy, 2));
	sd_emit_fill(left->ctx, &left->bo, 3, 1);
	sd_run(left->ctx);

	close(pair->dma_buf);
	sd_dealloc(left->fd, &left->bo);
	side_free(left);
	sd_context_unmap(gone->ctx);
	close(gone->fd);
	close(left->fd);
	sd_wait_dma_bufs(pair->before);
	sd_tell_driver("bind", name);

	*pair = pair_new(open_both());
	check_with_other(&pair->a, &pair->b, 4);
	pair_free(pair);
	close(pair->a.fd);
}

static void test_unbound_exporter(void)
{
	struct pair pair = pair_new(sd_open_renderer());

	check_unbound(&pair, &pair.a, &pair.b);
}

static void test_unbound_importer(void)
{
	struct pair pair = pair_new(sd_open_renderer());

	check_unbound(&pair, &pair.b, &pair.a);
}

igt_main()
{
	static int fd = -1;

	igt_fixture()
		fd = sd_open_renderer();

	igt_describe("CPU and device access the pages that vgem imports; the contents move with "
		     "the BO out of VRAM and back.");
	igt_subtest("vgem-zero-copy")
		test_vgem(fd);

	igt_describe("Two sundog devices and the CPU read each other's writes to a shared BO.");
	igt_subtest("second-zero-copy")
		test_second(fd);

	igt_describe("A BO that was never used before its export reads as zero on the importing "
		     "device.");
	igt_subtest("untouched-is-zero")
		test_untouched(fd);

	igt_describe("A job on a shared BO waits for queued jobs of the other device, and for a "
		     "fence of a third driver.");
	igt_subtest("fences")
		test_fences(fd);

	igt_describe("A device that imports a BO while its exporter draws to it reads the drawn "
		     "contents.");
	igt_subtest("busy")
		test_busy(fd);

	igt_describe("The handles and the dma-buf of a busy shared BO are closed in every order, "
		     "and nothing leaks.");
	igt_subtest("destroy-orders")
		test_orders(fd);

	igt_describe("Killing a process at any moment while it shares BOs leaks no memory, object "
		     "or dma-buf.");
	igt_subtest("kill")
		test_kill(fd);

	igt_describe("A shared BO keeps its contents when the renderers are killed, and new "
		     "contexts can use it.");
	igt_subtest("renderers-end")
		test_renderers_end(fd);

	igt_describe("A shared BO keeps its contents while other BOs overcommit VRAM.");
	igt_subtest("pressure")
		test_pressure(fd);

	igt_describe("cirrus shows an imported BO through a kernel mapping while the device draws "
		     "to the BO.");
	igt_subtest("mapped-by-importer")
		test_mapped(fd);

	igt_describe("An import into another file of the same device names the same BO, also while "
		     "a second device shares it.");
	igt_subtest("same-device")
		test_same_device(fd);

	igt_describe("A BO returns to VRAM after another driver failed to import it.");
	igt_subtest("failed-import-is-undone")
		test_undone(fd);

	igt_describe("SUBMIT with a stream in a BO that another device shares fails with EBUSY.");
	igt_subtest("stream-is-busy")
		test_stream(fd);

	igt_describe("More BOs than heap GUEST has maps can be shared one after the other.");
	igt_subtest("one-by-one")
		test_one_by_one(fd);

	igt_describe("Sharing more BOs than max_maps allows a file or a user fails with EDQUOT.");
	igt_subtest("quota")
		test_quota(fd);

	igt_describe("Sharing more BOs at the same time than heap GUEST has maps fails with "
		     "ENOMEM.");
	igt_subtest("too-many")
		test_too_many(fd);

	igt_fixture() {
		sd_parameter_restore(&max_maps);
		close(fd);
	}

	igt_describe("The importer can still use a shared BO after the exporter's driver was "
		     "unbound.");
	igt_subtest("unbound-exporter")
		test_unbound_exporter();

	igt_describe("The exporter can still use a shared BO after the importer's driver was "
		     "unbound.");
	igt_subtest("unbound-importer")
		test_unbound_importer();
}
