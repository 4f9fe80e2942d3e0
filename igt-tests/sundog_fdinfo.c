// SPDX-License-Identifier: MIT
/*
 * The /proc/PID/fdinfo of a client, in the format of drm-usage-stats: the client's identity, its
 * memory and its engine time. The kernel's Documentation/gpu/drm-usage-stats.rst defines the keys.
 */
#include "sundog_gate.h"

#include <unistd.h>

IGT_TEST_DESCRIPTION("Per-client figures in fdinfo");

#define SIZE (64ull * PAGE)
#define TT_SHRINK "/sys/kernel/debug/ttm/tt_shrink"	/* a read makes TTM swap out */

/* Returns the value of a key without leading blanks, or NULL if the key is missing. */
static const char *find(int fd, const char *key, char *text, size_t room)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	file = fopen(path, "r");
	igt_assert(file);
	while (fgets(text, room, file)) {
		const char *value = text + strlen(key) + 1;

		if (strncmp(text, key, strlen(key)) || value[-1] != ':')
			continue;
		fclose(file);
		text[strcspn(text, "\n")] = 0;
		return value + strspn(value, " \t");
	}
	fclose(file);
	return NULL;
}

static uint64_t bytes_in(int fd, const char *kind, const char *region)
{
	unsigned long long number;
	char key[64], text[256], unit[8] = "";
	const char *value;

	snprintf(key, sizeof(key), "drm-%s-%s", kind, region);
	value = find(fd, key, text, sizeof(text));
	if (!value)
		return 0;
	igt_assert(sscanf(value, "%llu %7s", &number, unit) >= 1);
	return number << (!strcmp(unit, "KiB") ? 10 : !strcmp(unit, "MiB") ? 20 : 0);
}

/* Bytes of one kind in both regions. */
static uint64_t bytes(int fd, const char *kind)
{
	return bytes_in(fd, kind, "vram") + bytes_in(fd, kind, "memory");
}

static void test_client(int fd)
{
	char text[256], other_text[256];
	const char *value = find(fd, "drm-driver", text, sizeof(text));
	int other = sd_open();

	igt_assert(value && !strcmp(value, "sundog"));
	value = find(fd, "drm-pdev", text, sizeof(text));
	igt_assert(value && strlen(value) == strlen("0000:00:00.0"));
	value = find(fd, "drm-client-id", text, sizeof(text));
	igt_assert(value && find(other, "drm-client-id", other_text, sizeof(other_text)));
	igt_assert(strcmp(text, other_text));
	close(other);
}

static void test_total(void)
{
	int fd = sd_open();
	struct sd_resource *res;
	struct sd_bo bo;

	igt_assert(find(fd, "drm-total-vram", (char [256]){ 0 }, 256));
	igt_assert_eq_u64(bytes(fd, "total"), 0);
	bo = sd_alloc(fd, SIZE);
	igt_assert_eq_u64(bytes(fd, "total"), SIZE);
	res = sd_resource(fd, 0, SIZE, 3);
	igt_assert_eq_u64(bytes(fd, "total"), 4 * SIZE);
	igt_assert_eq_u64(bytes(fd, "shared"), 0);
	igt_assert_eq(sd_remove_try(fd, res, 1, 1), 0);
	igt_assert_eq_u64(bytes(fd, "total"), 3 * SIZE);
	sd_destroy(fd, res);
	sd_dealloc(fd, &bo);
	igt_assert_eq_u64(bytes(fd, "total"), 0);
	close(fd);
}

static void test_shared(void)
{
	int fd = sd_open(), other = sd_open(), dmabuf;
	struct sd_resource *res = sd_resource(fd, SHARED, SIZE, 2), *opened;

	igt_assert_eq_u64(bytes(fd, "shared"), 0);
	dmabuf = sd_export(fd, res->bos[0].handle);
	igt_assert_eq_u64(bytes(fd, "shared"), SIZE);
	opened = sd_opened(other, dmabuf);
	close(dmabuf);
	igt_assert_eq_u64(bytes(fd, "shared"), 2 * SIZE);
	igt_assert_eq_u64(bytes(other, "shared"), 2 * SIZE);
	igt_assert_eq_u64(bytes(other, "total"), 2 * SIZE);
	free(res);
	close(fd);
	igt_assert_eq_u64(bytes(other, "total"), 2 * SIZE);
	sd_destroy(other, opened);
	igt_assert_eq_u64(bytes(other, "total"), 0);
	close(other);
}

static void test_resident(void)
{
	int fd = sd_open();
	struct sd_bo bo = sd_alloc(fd, SIZE);

	sd_fill(fd, &bo, 1);
	igt_assert_eq_u64(bytes(fd, "resident"), SIZE);
	sd_dealloc(fd, &bo);
	igt_assert_eq_u64(bytes(fd, "resident"), 0);
	close(fd);
}

/* A second handle of a BO does not count as more memory. */
static void test_twice(void)
{
	int fd = sd_open(), dmabuf;
	struct sd_resource *res = sd_resource(fd, SHARED, SIZE, 2), *opened;

	dmabuf = sd_export(fd, res->bos[0].handle);
	opened = sd_opened(fd, dmabuf);
	close(dmabuf);
	igt_assert_neq(opened->bos[0].handle, res->bos[0].handle);
	igt_assert_eq_u64(bytes(fd, "total"), 2 * SIZE);
	igt_assert_eq_u64(bytes(fd, "resident"), 2 * SIZE);
	sd_destroy(fd, opened);
	igt_assert_eq_u64(bytes(fd, "total"), 2 * SIZE);
	sd_destroy(fd, res);
	close(fd);
}

#define N_MANY 10

/* Fills BOs, one after the other, that are larger than VRAM together. Returns their size. */
static uint64_t fill_many(struct sd_context *ctx, struct sd_bo bos[N_MANY])
{
	const uint64_t size = sd_param(ctx->fd, DRM_SUNDOG_PARAM_VRAM_SIZE) / 8;

	for (int i = 0; i < N_MANY; i++) {
		bos[i] = sd_alloc(ctx->fd, size);
		sd_emit_fill(ctx, &bos[i], i, 1);
		sd_run(ctx);
	}
	return size;
}

static void dealloc_many(int fd, struct sd_bo bos[N_MANY])
{
	for (int i = 0; i < N_MANY; i++)
		sd_dealloc(fd, &bos[i]);
}

/* Evicted BOs stay in the total of VRAM, and are resident in system memory. */
static void test_evicted(void)
{
	int fd = sd_open_renderer();
	struct sd_context *ctx = sd_context(fd);
	const uint64_t stream = ctx->stream_bo.size;
	struct sd_bo bos[N_MANY];
	const uint64_t size = fill_many(ctx, bos);

	igt_assert_eq_u64(bytes_in(fd, "total", "vram"), N_MANY * size + stream);
	igt_assert_eq_u64(bytes_in(fd, "total", "memory"), 0);
	igt_assert_eq_u64(bytes(fd, "resident"), N_MANY * size + stream);
	igt_assert(bytes_in(fd, "resident", "vram") <= 8 * size);
	igt_assert(bytes_in(fd, "resident", "memory") >= 2 * size);
	dealloc_many(fd, bos);
	sd_context_free(ctx);
	close(fd);
}

/* Makes TTM swap out one allocation. */
static void swap_out(void)
{
	char text[32];
	FILE *file = fopen(TT_SHRINK, "r");

	igt_assert(file);
	igt_assert(fgets(text, sizeof(text), file));
	fclose(file);
}

/* Memory that TTM swapped out is not resident, and is again when the device has used it. */
static void test_swapped(void)
{
	int fd = sd_open_renderer();
	struct sd_context *ctx = sd_context(fd);
	struct sd_bo bos[N_MANY];
	uint64_t size, vram;

	igt_require(!access(TT_SHRINK, R_OK));
	size = fill_many(ctx, bos);
	vram = bytes_in(fd, "resident", "vram");
	igt_assert(bytes_in(fd, "resident", "memory") >= 2 * size);
	/* The console and other clients may have system memory, too. */
	for (int i = 0; i < 100 && bytes_in(fd, "resident", "memory"); i++)
		swap_out();
	igt_assert_eq_u64(bytes_in(fd, "resident", "memory"), 0);
	igt_assert_eq_u64(bytes_in(fd, "resident", "vram"), vram);
	igt_assert_eq_u64(bytes(fd, "total"), N_MANY * size + ctx->stream_bo.size);
	for (int i = 0; i < N_MANY; i++)
		igt_assert(sd_is_filled(fd, &bos[i], i));
	igt_assert_eq_u64(bytes(fd, "resident"), N_MANY * size + ctx->stream_bo.size);
	dealloc_many(fd, bos);
	sd_context_free(ctx);
	close(fd);
}

/* If VRAM is full, a BO that only the CPU uses is in system memory from the start. */
static void test_cpu_only(void)
{
	int fd = sd_open();
	const uint64_t size = sd_param(fd, DRM_SUNDOG_PARAM_VRAM_SIZE) / 8;
	struct sd_bo bos[10];

	for (int i = 0; i < 10; i++) {
		uint32_t *map;

		bos[i] = sd_alloc(fd, size);
		map = sd_map(fd, &bos[i]);
		*map = i;
		sd_unmap(map, &bos[i]);
		igt_assert_eq_u64(bytes(fd, "resident"), (i + 1) * size);
	}
	igt_assert(bytes_in(fd, "resident", "memory") >= 2 * size);
	for (int i = 0; i < 10; i++)
		sd_dealloc(fd, &bos[i]);
	close(fd);
}

static uint64_t engine_ns(int fd)
{
	unsigned long long ns;
	char text[256];
	const char *value = find(fd, "drm-engine-render", text, sizeof(text));

	igt_assert(value && sscanf(value, "%llu ns", &ns) == 1);
	return ns;
}

/*
 * The engine time of a client grows while it has jobs, also before they end, and never faster than
 * the clock.
 */
static void test_engine(void)
{
	int fd = sd_open_renderer(), other = sd_open();
	const struct sd_bo bo = sd_alloc(fd, 4096 * PAGE);
	const int64_t start = sd_now_plus_ms(0);
	struct sd_context *ctx = sd_context(fd);
	uint64_t first = 0, second = 0, seqno;

	igt_assert_eq_u64(engine_ns(fd), 0);
	/*
	 * All jobs may end before the first query, if the machine stands still in between: retry.
	 */
	for (int i = 0; i < 20 && second == first; i++) {
		sd_emit_fill(ctx, &bo, 1, 200);
		seqno = sd_submit(ctx);
		first = engine_ns(fd);
		sd_wait_seqno(ctx, seqno);
		sd_wait(fd, &bo);
		second = engine_ns(fd);
	}
	igt_assert(second > first);
	igt_assert(second <= (uint64_t)(sd_now_plus_ms(0) - start));
	igt_assert_eq_u64(engine_ns(fd), second);
	igt_assert_eq_u64(engine_ns(other), 0);
	sd_context_free(ctx);
	igt_assert_eq_u64(engine_ns(fd), second);
	sd_dealloc(fd, &bo);
	close(fd);
	close(other);
}

/* Contexts of a client that have work at the same time count once: one engine, without capacity. */
static void test_engine_together(void)
{
	int fd = sd_open_renderer();
	const struct sd_bo bo = sd_alloc(fd, 4096 * PAGE);
	struct sd_context *ctxs[4];
	uint64_t seqnos[4];
	int64_t start;
	char text[256];

	for (int i = 0; i < 4; i++)
		ctxs[i] = sd_context(fd);
	start = sd_now_plus_ms(0);
	for (int i = 0; i < 4; i++) {
		sd_emit_fill(ctxs[i], &bo, i, 40);
		seqnos[i] = sd_submit(ctxs[i]);
	}
	for (int i = 0; i < 4; i++)
		sd_wait_seqno(ctxs[i], seqnos[i]);
	sd_wait(fd, &bo);
	igt_assert(engine_ns(fd) > 0);
	igt_assert(engine_ns(fd) <= (uint64_t)(sd_now_plus_ms(0) - start));
	igt_assert(!find(fd, "drm-engine-capacity-render", text, sizeof(text)));
	for (int i = 0; i < 4; i++)
		sd_context_free(ctxs[i]);
	sd_dealloc(fd, &bo);
	close(fd);
}

static void test_active(void)
{
	int fd = sd_open_renderer();
	struct sd_context *ctx = sd_context(fd);
	struct sd_bo bo = sd_alloc(fd, SIZE), idle = sd_alloc(fd, SIZE);
	struct sd_gate gate = sd_gate_before(ctx);
	uint64_t seqno;

	igt_assert_eq_u64(bytes(fd, "active"), 0);
	sd_list(ctx, &bo, READ);
	seqno = sd_submit(ctx);
	igt_assert_eq_u64(bytes(fd, "active"), SIZE);
	sd_gate_lift(&gate);
	sd_wait_seqno(ctx, seqno);
	sd_wait(fd, &bo);
	igt_assert_eq_u64(bytes(fd, "active"), 0);
	sd_dealloc(fd, &bo);
	sd_dealloc(fd, &idle);
	sd_context_free(ctx);
	close(fd);
}

igt_main()
{
	static int fd = -1;

	igt_fixture()
		fd = sd_open();

	igt_describe("fdinfo has the driver, the PCI device and a client id that differs from "
		     "another file's.");
	igt_subtest("client")
		test_client(fd);

	igt_describe("drm-total is the size of the client's allocations.");
	igt_subtest("total")
		test_total();

	igt_describe("drm-shared counts allocations that were exported, or that several files have "
		     "opened.");
	igt_subtest("shared")
		test_shared();

	igt_describe("drm-resident counts allocations that have memory.");
	igt_subtest("resident")
		test_resident();

	igt_describe("An allocation with two handles counts once.");
	igt_subtest("two-handles")
		test_twice();

	igt_describe("Evicted allocations are resident in region memory, and stay in the total of "
		     "region vram.");
	igt_subtest("evicted")
		test_evicted();

	igt_describe("Allocations that TTM swapped out are not resident until they are used "
		     "again.");
	igt_subtest("swapped")
		test_swapped();

	igt_describe("An allocation that the CPU touches while VRAM is full is resident in region "
		     "memory.");
	igt_subtest("cpu-only")
		test_cpu_only();

	igt_describe("drm-engine-render grows while the client has jobs, and never faster than the "
		     "clock.");
	igt_subtest("engine")
		test_engine();

	igt_describe("drm-engine-render counts simultaneous jobs of several contexts once, so it "
		     "is at most 100 %.");
	igt_subtest("engine-together")
		test_engine_together();

	igt_describe("drm-active counts allocations that a queued job lists.");
	igt_subtest("active")
		test_active();

	igt_fixture()
		close(fd);
}
