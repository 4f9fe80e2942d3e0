// SPDX-License-Identifier: MIT
/*
 * Isolation: a process tries to access another client's data by every name that ioctls and streams
 * take: handles, ids, kernel and device handles, map offsets, and memory that another client had
 * before. All attempts fail, and new memory reads as zero.
 *
 * The victim is a file of its own with secrets in resources and allocations of all kinds; the
 * attacker has another file, and knows all the victim's numbers.
 */
#include "sundog_gate.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <xf86drm.h>

IGT_TEST_DESCRIPTION("Isolation of clients from each other");

#define SECRET 0x5ec2e700
#define SIZE (4 * PAGE)
#define N_BOS 7

struct victim {
	int fd;
	struct sd_resource *unshared, *shared;
	struct sd_bo bos[N_BOS];
	struct sd_context *ctx;		/* NULL without a renderer */
};

static void victim_make(struct victim *victim, bool renderer)
{
	victim->fd = sd_open();
	victim->unshared = sd_resource(victim->fd, 0, SIZE, 3);
	victim->shared = sd_resource(victim->fd, SHARED, SIZE, 3);
	for (uint32_t i = 0; i < 3; i++) {
		victim->bos[i] = victim->unshared->bos[i];
		victim->bos[3 + i] = victim->shared->bos[i];
	}
	victim->bos[6] = sd_alloc(victim->fd, SIZE);
	for (uint32_t i = 0; i < N_BOS; i++)
		sd_fill(victim->fd, &victim->bos[i], SECRET + i);
	victim->ctx = renderer ? sd_context(victim->fd) : NULL;
}

/* Checks that all secrets are intact, and that the context works. */
static void victim_check(struct victim *victim)
{
	for (uint32_t i = 0; i < N_BOS; i++)
		igt_assert(sd_is_filled(victim->fd, &victim->bos[i], SECRET + i));
	if (victim->ctx)
		sd_run(victim->ctx);
}

static void victim_end(struct victim *victim)
{
	victim_check(victim);
	if (victim->ctx)
		sd_context_free(victim->ctx);
	sd_destroy(victim->fd, victim->unshared);
	sd_destroy(victim->fd, victim->shared);
	sd_dealloc(victim->fd, &victim->bos[6]);
	close(victim->fd);
}

/* Tries every GEM handle up to well past the victim's. */
static void handles(struct victim *victim, int fd)
{
	struct drm_sundog_alloc_info info;
	struct drm_gem_close gem_close = { 0 };
	struct drm_sundog_submit_alloc list = { .flags = READ | WRITE };
	struct drm_sundog_submit submit = {
		.allocs = (uintptr_t)&list,
		.n_allocs = 1,
		.alloc_stride = sizeof(list),
	};
	uint64_t ignored;
	uint32_t ctx = 0;
	int dmabuf;

	if (victim->ctx)
		igt_assert_eq(sd_context_try(fd, &ctx, &ignored), 0);
	for (uint32_t handle = 0; handle < 64; handle++) {
		igt_assert_eq(sd_info_try(fd, handle, &info), -ENOENT);
		igt_assert_eq_u64(info.map_offset, 0);
		igt_assert_eq_u32(info.device_handle, 0);
		igt_assert(drmPrimeHandleToFD(fd, handle, DRM_RDWR, &dmabuf));
		igt_assert_eq(sd_dealloc_try(fd, 0, &handle, 1), -ENOENT);
		igt_assert_eq(sd_wait_try(fd, handle, WRITE, 0), -ENOENT);
		gem_close.handle = handle;
		igt_assert(sd_try(fd, DRM_IOCTL_GEM_CLOSE, &gem_close) < 0);
		if (!ctx)
			continue;
		submit.ctx = ctx;
		list.handle = handle;
		igt_assert_eq(sd_try(fd, DRM_IOCTL_SUNDOG_SUBMIT, &submit), -ENOENT);
	}
	if (ctx)
		igt_assert_eq(sd_context_destroy_try(fd, ctx), 0);
}

static void res_ids(struct victim *victim, int fd)
{
	const uint64_t size = PAGE;
	struct sd_bo bo;

	const uint64_t known[] = { victim->unshared->res, victim->shared->res };

	for (int i = 0; i < 2; i++) {
		for (uint64_t id = known[i] - 8; id < known[i] + 8; id++) {
			igt_assert_eq(sd_destroy_try(fd, id), -ENOENT);
			igt_assert_eq(sd_alloc_try(fd, id, &size, 1, &bo), -ENOENT);
			igt_assert_eq(sd_dealloc_try(fd, id, &victim->bos[0].handle, 1), -ENOENT);
		}
	}
}

/* Tries every page of the victim's map offsets and around them; also all of a BO at once. */
static void map_offsets(struct victim *victim, int fd)
{
	for (uint32_t i = 0; i < N_BOS; i++) {
		const uint64_t first = victim->bos[i].map_offset;

		for (uint64_t offset = first - SIZE; offset < first + 2 * SIZE; offset += PAGE)
			igt_assert(mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, offset) ==
				   MAP_FAILED);
		igt_assert(mmap(NULL, SIZE, PROT_READ, MAP_SHARED, fd, first) == MAP_FAILED);
		igt_assert(mmap(NULL, SIZE, PROT_READ, MAP_PRIVATE, fd, first) == MAP_FAILED);
	}
}

/* A mapping of the attacker's own memory cannot be extended to the next allocation. */
static void stretched_mapping(struct victim *victim, int fd)
{
	struct sd_bo bo = sd_alloc(fd, PAGE);
	void *map = sd_map(fd, &bo);

	(void)victim;
	igt_assert(mmap(NULL, 2 * PAGE, PROT_READ, MAP_SHARED, fd, bo.map_offset) == MAP_FAILED);
	igt_assert(mremap(map, PAGE, 16 * PAGE, MREMAP_MAYMOVE) == MAP_FAILED);
	sd_unmap(map, &bo);
	sd_dealloc(fd, &bo);
}

static void status_pages(struct victim *victim, int fd)
{
	/* Context ids belong to a file: the attacker has none, so it has no status page to map. */
	for (uint64_t offset = 0; offset < 64 * PAGE; offset += PAGE) {
		igt_assert(mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, offset) == MAP_FAILED);
		igt_assert(mmap(NULL, PAGE, PROT_WRITE, MAP_SHARED, fd, offset) == MAP_FAILED);
	}
	for (uint32_t id = 0; id < 64; id++) {
		struct drm_sundog_context_query query = { .ctx = id };
		struct drm_sundog_submit submit = { .ctx = id };

		igt_assert_eq(sd_try(fd, DRM_IOCTL_SUNDOG_CONTEXT_QUERY, &query), -ENOENT);
		igt_assert_eq(sd_try(fd, DRM_IOCTL_SUNDOG_SUBMIT, &submit), -ENOENT);
		igt_assert_eq(sd_context_destroy_try(fd, id), -ENOENT);
	}
	(void)victim;
}

/*
 * Checks that a stream of the attacker that copies from @mem, or fills it, faults and has no
 * effect.
 */
static void check_out_of_reach(int fd, struct sundog_mem mem, bool write)
{
	struct sd_context *ctx = sd_context(fd);
	struct sd_bo mine = sd_alloc(fd, SIZE);
	const struct sundog_cmd_copy_buffer copy = { .src = mem, .dst = mine.mem, .size = SIZE };
	const struct sundog_cmd_fill_buffer fill = { .dst = { .mem = mem, .size = SIZE } };

	sd_list(ctx, &mine, READ | WRITE);
	if (write)
		sundog_emit_fill_buffer(&ctx->stream, &fill);
	else
		sundog_emit_copy_buffer(&ctx->stream, &copy);
	sd_submit(ctx);
	igt_assert_eq(sd_wait_dead(ctx).fault, SUNDOG_FAULT_CODE_NOT_LISTED);
	igt_assert(sd_is_filled(fd, &mine, 0));
	sd_dealloc(fd, &mine);
	sd_context_free(ctx);
}

static void stream_names(struct victim *victim, int fd)
{
	for (uint32_t i = 0; i < N_BOS; i += 2) {
		check_out_of_reach(fd, victim->bos[i].mem, false);
		check_out_of_reach(fd, victim->bos[i].mem, true);
	}
}

static void stream_device_handles(struct victim *victim, int fd)
{
	for (uint32_t i = 0; i < N_BOS; i += 2) {
		const struct sundog_mem mem = { 0, victim->bos[i].device_handle };

		check_out_of_reach(fd, mem, false);
		check_out_of_reach(fd, mem, true);
	}
}

/* Ranges that exceed the attacker's memory on either side. */
static void stream_ranges(struct victim *victim, int fd)
{
	static const uint64_t offsets[] = {
		SIZE - PAGE, SIZE, SIZE + PAGE, 1ull << 32, 1ull << 40, UINT64_MAX - PAGE + 1,
	};

	for (unsigned int i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++) {
		struct sd_context *ctx = sd_context(fd);
		struct sd_bo mine = sd_alloc(fd, SIZE), to = sd_alloc(fd, SIZE);
		const struct sundog_cmd_copy_buffer copy = {
			.src = mine.mem,
			.src_offset = offsets[i],
			.dst = to.mem,
			.size = 2 * PAGE,
		};

		sd_list(ctx, &mine, READ);
		sd_list(ctx, &to, WRITE);
		sundog_emit_copy_buffer(&ctx->stream, &copy);
		sd_submit(ctx);
		igt_assert_eq(sd_wait_dead(ctx).fault, SUNDOG_FAULT_CODE_RANGE);
		igt_assert(sd_is_filled(fd, &to, 0));
		sd_dealloc(fd, &mine);
		sd_dealloc(fd, &to);
		sd_context_free(ctx);
	}
	(void)victim;
}

/* The victim's memory cannot be the stream of a submission. */
static void stream_memory(struct victim *victim, int fd)
{
	struct sd_context *ctx = sd_context(fd);

	for (uint32_t i = 0; i < N_BOS; i++) {
		struct drm_sundog_submit submit = {
			.ctx = ctx->id,
			.stream = victim->bos[i].handle + 64,
			.stream_size = 64,
		};

		igt_assert_eq(sd_try(fd, DRM_IOCTL_SUNDOG_SUBMIT, &submit), -ENOENT);
	}
	sd_run(ctx);
	sd_context_free(ctx);
}

/* Objects of the victim's streams, by their ids: each client has ids of its own. */
static void stream_objects(struct victim *victim, int fd)
{
	const struct sundog_cmd_create_sampler sampler = { .id = 5, .max_anisotropy = 1 };
	const struct sundog_cmd_destroy destroy = { SUNDOG_OBJECT_KIND_SAMPLER, 5 };
	struct sd_context *ctx = sd_context(fd);
	struct drm_sundog_context_query query;

	sundog_emit_create_sampler(&victim->ctx->stream, &sampler);
	sd_run(victim->ctx);
	sundog_emit_destroy(&ctx->stream, &destroy);
	sd_submit(ctx);
	query = sd_wait_dead(ctx);
	igt_assert_eq(query.fault, SUNDOG_FAULT_CODE_OBJECT);
	igt_assert_eq_u64(query.arg, 5);
	sundog_emit_destroy(&victim->ctx->stream, &destroy);
	sd_run(victim->ctx);
	igt_assert_eq(sd_query(victim->ctx).state, DRM_SUNDOG_CONTEXT_RUNNING);
	sd_context_free(ctx);
}

static void test(void (*what)(struct victim *victim, int fd), bool renderer)
{
	struct victim victim;
	int fd;

	victim_make(&victim, renderer);
	fd = sd_open();
	what(&victim, fd);
	close(fd);
	victim_end(&victim);
}

/* Names that the attacker had, and that belong to another client by now. */
static void test_stale_names(int fd)
{
	struct sd_context *ctx = sd_context(fd);
	struct sd_resource *old = sd_resource(fd, SHARED, SIZE, 2);
	const struct sd_bo bo = old->bos[1];
	struct drm_sundog_alloc_info info;
	struct sd_resource *theirs;
	int victim = sd_open();

	sd_emit_fill(ctx, &bo, 1, 1);
	sd_run(ctx);
	sd_destroy(fd, old);
	/* The driver reuses the lowest free numbers: these are the attacker's old ones. */
	theirs = sd_resource(victim, SHARED, SIZE, 2);
	sd_fill(victim, &theirs->bos[0], SECRET);
	sd_fill(victim, &theirs->bos[1], SECRET);
	igt_assert_eq(sd_info_try(fd, bo.handle, &info), -ENOENT);
	igt_assert(mmap(NULL, SIZE, PROT_READ, MAP_SHARED, fd, theirs->bos[1].map_offset) ==
		   MAP_FAILED);
	check_out_of_reach(fd, bo.mem, false);
	check_out_of_reach(fd, bo.mem, true);
	check_out_of_reach(fd, theirs->bos[1].mem, false);
	check_out_of_reach(fd, (struct sundog_mem){ 0, bo.device_handle }, false);
	check_out_of_reach(fd, (struct sundog_mem){ 0, theirs->bos[1].device_handle }, true);
	igt_assert(sd_is_filled(victim, &theirs->bos[0], SECRET));
	igt_assert(sd_is_filled(victim, &theirs->bos[1], SECRET));
	sd_destroy(victim, theirs);
	close(victim);
	sd_context_free(ctx);
}

/* An image that is bound to memory that the attacker has freed cannot access that memory. */
static void test_stale_object(int fd)
{
	struct sd_context *ctx = sd_context(fd);
	struct sd_bo old = sd_alloc(fd, 64 * PAGE), to = sd_alloc(fd, 64 * PAGE);
	const struct sundog_cmd_create_image image = {
		.id = 3,
		.mem = old.mem,
		.type = 1,	/* 2D */
		.format = 37,	/* R8G8B8A8_UNORM */
		.extent = { 64, 64, 1 },
		.levels = 1,
		.layers = 1,
		.samples = 1,
		.usage = SUNDOG_IMAGE_USAGE_TRANSFER_SRC,
	};
	const struct sundog_cmd_copy_image_to_buffer copy = {
		.mem = to.mem,
		.src = { .image = 3, .aspect = SUNDOG_ASPECT_COLOR },
		.extent = { 64, 64, 1 },
	};
	int victim = sd_open();
	struct sd_bo theirs;

	sd_list(ctx, &old, READ);
	sundog_emit_create_image(&ctx->stream, &image);
	sd_run(ctx);
	sd_dealloc(fd, &old);
	theirs = sd_alloc(victim, 64 * PAGE);
	sd_fill(victim, &theirs, SECRET);
	sd_list(ctx, &to, WRITE);
	sundog_emit_copy_image_to_buffer(&ctx->stream, &copy);
	sd_submit(ctx);
	igt_assert_eq(sd_wait_dead(ctx).fault, SUNDOG_FAULT_CODE_NOT_LISTED);
	igt_assert(sd_is_filled(fd, &to, 0));
	sd_dealloc(fd, &to);
	sd_context_free(ctx);
	close(victim);
}

/*
 * The victim fills memory with secrets and closes its file; the attacker then allocates and reads.
 */
static void leave_secrets(uint64_t size)
{
	int victim = sd_open();
	struct sd_bo bo = sd_alloc(victim, size);

	sd_fill(victim, &bo, SECRET);
	close(victim);
}

static void test_reused_by_cpu(int fd)
{
	static const uint64_t sizes[] = { 1, PAGE, 3 * PAGE, 100 * PAGE, 1 << 20, 4 << 20 };
	const struct sd_counts idle = sd_idle_counts(fd);
	struct sd_bo bo;

	leave_secrets(16 << 20);
	sd_wait_counts(fd, &idle);
	for (unsigned int i = 0; i < 4 * sizeof(sizes) / sizeof(sizes[0]); i++) {
		igt_assert_eq(sd_alloc_try(fd, 0, &sizes[i / 4], 1, &bo), 0);
		igt_assert(sd_is_filled(fd, &bo, 0));
		sd_fill(fd, &bo, SECRET);
		sd_dealloc(fd, &bo);
	}
}

/*
 * The device reads the new memory first, before any CPU access. The memory of one turn has to be
 * free in the next, or that one gets other memory.
 */
static void test_reused_by_device(int fd)
{
	const struct sd_counts before = sd_idle_counts(fd);
	const int64_t end = sd_deadline();
	struct sd_context *ctx = sd_context(fd);

	leave_secrets(16 << 20);
	for (uint32_t i = 0; i < 8; i++) {
		struct sd_resource *res = sd_resource(fd, 0, 1 << 20, 2);

		sd_fill(fd, &res->bos[1], SECRET);
		sd_emit_copy(ctx, &res->bos[0], &res->bos[1]);
		sd_run(ctx);
		igt_assert(sd_is_filled(fd, &res->bos[1], 0));
		sd_emit_fill(ctx, &res->bos[0], SECRET, 1);
		sd_run(ctx);
		sd_destroy(fd, res);
		while (sd_counts(fd).zombie && sd_now_plus_ms(0) < end)
			usleep(1000);
	}
	sd_context_free(ctx);
	sd_wait_counts(fd, &before);
}

/* The victim frees memory while the jobs that write to it are still queued. */
static void test_reused_behind_jobs(int fd)
{
	int victim = sd_open();
	struct sd_context *ctx = sd_context(victim);
	struct sd_resource *res = sd_resource(victim, 0, 1 << 20, 4);
	struct sd_gate gate = sd_gate_before(ctx);
	struct sd_bo mine;
	uint64_t seqno;

	for (uint32_t i = 0; i < 4; i++)
		sd_emit_fill(ctx, &res->bos[i], SECRET, 1);
	seqno = sd_submit(ctx);
	sd_destroy(victim, res);
	mine = sd_alloc(fd, 4 << 20);
	igt_assert(sd_is_filled(fd, &mine, 0));
	igt_assert(ctx->status->completed < seqno);
	sd_gate_lift(&gate);
	sd_wait_seqno(ctx, seqno);
	igt_assert(sd_is_filled(fd, &mine, 0));
	sd_dealloc(fd, &mine);
	sd_context_free(ctx);
	close(victim);
}

/*
 * Only clients with a resource's dma-buf get its private data, and no kernel memory comes with it.
 */
static void test_private_data(int fd)
{
	unsigned char room[256];
	struct drm_sundog_alloc_desc desc = {
		.size = PAGE, .priv = (uintptr_t)"ab", .priv_size = 2
	};
	struct drm_sundog_resource_create create = {
		.allocs = (uintptr_t)&desc,
		.n_allocs = 1,
		.alloc_stride = sizeof(desc),
		.flags = SHARED,
	};
	struct drm_sundog_resource_open open = {
		.allocs = (uintptr_t)&desc,
		.n_allocs = 1,
		.alloc_stride = sizeof(desc),
		.priv = (uintptr_t)room,
		.priv_size = sizeof(room),
	};

	sd_ioctl(fd, DRM_IOCTL_SUNDOG_RESOURCE_CREATE, &create);
	open.fd = sd_export(fd, desc.handle);
	memset(room, 0xee, sizeof(room));
	desc = (struct drm_sundog_alloc_desc){ .priv = (uintptr_t)room, .priv_size = sizeof(room) };
	sd_ioctl(fd, DRM_IOCTL_SUNDOG_RESOURCE_OPEN, &open);
	igt_assert_eq_u32(open.priv_size, 0);
	igt_assert_eq_u32(desc.priv_size, 2);
	igt_assert(!memcmp(room, "ab", 2));
	for (unsigned int i = 2; i < sizeof(room); i++)
		igt_assert_eq(room[i], 0xee);
	close(open.fd);
	igt_assert_eq(sd_destroy_try(fd, open.res), 0);
	igt_assert_eq(sd_destroy_try(fd, create.res), 0);
}

igt_main()
{
	static const struct {
		const char *name, *description;
		void (*test)(struct victim *victim, int fd);
		bool renderer;
	} tests[] = {
		{ "guessed-handles", "Ioctls reject GEM handles that the attacker does not own.",
		  handles, false },
		{ "guessed-res-ids", "Ioctls reject the victim's resource ids with ENOENT.",
		  res_ids, false },
		{ "guessed-map-offsets", "mmap() of the victim's map offsets fails.",
		  map_offsets, false },
		{ "stretched-mapping",
		  "A mapping cannot be extended past the end of its allocation.",
		  stretched_mapping, false },
		{ "listed-handles",
		  "SUBMIT rejects lists with GEM handles that the attacker does not own.",
		  handles, true },
		{ "guessed-contexts",
		  "The attacker can neither map status pages nor use context ids of other files.",
		  status_pages, true },
		{ "stream-kernel-handles",
		  "A stream that names the victim's memory by kernel handle faults and has no "
		  "effect.", stream_names, true },
		{ "stream-device-handles",
		  "A stream that names the victim's memory by device handle faults and has no "
		  "effect.", stream_device_handles, true },
		{ "stream-ranges",
		  "A stream that copies from a range past its own allocation faults and has no "
		  "effect.", stream_ranges, true },
		{ "stream-memory",
		  "SUBMIT rejects a handle that the attacker does not own as its stream.",
		  stream_memory, true },
		{ "stream-objects",
		  "A stream cannot destroy an object of the victim's streams by its id.",
		  stream_objects, true },
	};
	static int fd = -1;

	igt_fixture()
		fd = sd_open();

	igt_describe("RESOURCE_OPEN copies the attached private data, and no byte more.");
	igt_subtest("private-data")
		test_private_data(fd);

	igt_describe("New BOs of any size read as zero by CPU, also where a closed file's secrets "
		     "were.");
	igt_subtest("reused-memory-reads-zero")
		test_reused_by_cpu(fd);

	for (unsigned int i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		igt_describe(tests[i].description);
		igt_subtest(tests[i].name) {
			if (tests[i].renderer)
				close(sd_open_renderer());
			test(tests[i].test, tests[i].renderer);
		}
	}

	igt_fixture() {
		close(fd);
		fd = sd_open_renderer();
	}

	igt_describe("New BOs read as zero on the device before any CPU access, also where a "
		     "closed file's secrets were.");
	igt_subtest("reused-memory-reads-zero-on-the-device")
		test_reused_by_device(fd);

	igt_describe("A new BO does not get the memory of a freed BO that another client's queued "
		     "jobs still write.");
	igt_subtest("reused-behind-jobs")
		test_reused_behind_jobs(fd);

	igt_describe("Handles and names that the attacker had before they became the victim's give "
		     "no access.");
	igt_subtest("stale-names")
		test_stale_names(fd);

	igt_describe("An image on freed memory that became the victim's gives no access to it.");
	igt_subtest("stale-object")
		test_stale_object(fd);

	igt_fixture()
		close(fd);
}
