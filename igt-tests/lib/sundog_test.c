// SPDX-License-Identifier: MIT
/*
 * Helpers that all tests share, see sundog_test.h.
 */
#include "sundog_test.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

#include <xf86drm.h>

#define GUEST_ASK "/sundog/tools/guest/ask"
#define STREAM_SIZE (256 * 1024)

static bool is_driver(int fd, const char *driver)
{
	drmVersionPtr version = drmGetVersion(fd);
	bool ret = version && !strcmp(version->name, driver);

	drmFreeVersion(version);
	return ret;
}

int sd_open_driver(const char *driver, int first_minor, int nth)
{
	char path[64];
	int fd;

	for (int minor = first_minor; minor < first_minor + 64; minor++) {
		snprintf(path, sizeof(path), "/dev/dri/%s%d",
			 minor < SD_RENDER_MINOR ? "card" : "renderD", minor);
		fd = open(path, O_RDWR | O_CLOEXEC);
		if (fd < 0)
			continue;
		if (is_driver(fd, driver) && !nth--)
			return fd;
		close(fd);
	}
	return -1;
}

int sd_open(void)
{
	int fd = sd_open_driver("sundog", SD_RENDER_MINOR, 0);

	igt_require(fd >= 0);
	return fd;
}

int sd_open_primary(void)
{
	int fd = sd_open_driver("sundog", SD_PRIMARY_MINOR, 0);

	igt_require(fd >= 0);
	return fd;
}

static bool has_renderer(int fd)
{
	struct sundog_caps caps;
	struct drm_sundog_get_caps args = { .data = (uintptr_t)&caps, .size = sizeof(caps) };

	return !sd_try(fd, DRM_IOCTL_SUNDOG_GET_CAPS, &args);
}

int sd_open_renderer(void)
{
	int fd = sd_open();

	igt_require(has_renderer(fd));
	return fd;
}

void sd_wait_renderer(int fd)
{
	const int64_t end = sd_deadline();

	while (!has_renderer(fd) && sd_now_plus_ms(0) < end)
		usleep(10000);
	igt_assert(has_renderer(fd));
}

static uint64_t bar_address(int fd, int bar)
{
	unsigned long long start = 0;
	struct stat st;
	char path[64];
	FILE *file;

	igt_assert(!fstat(fd, &st));
	snprintf(path, sizeof(path), "/sys/dev/char/%u:%u/device/resource", major(st.st_rdev),
		 minor(st.st_rdev));
	file = fopen(path, "r");
	igt_assert(file);
	for (int i = 0; i <= bar; i++)
		igt_assert_eq(fscanf(file, "%llx %*x %*x", &start), 1);
	fclose(file);
	return start;
}

void *sd_map_bar(int fd, int bar, uint64_t offset, size_t bytes, int protection)
{
	int mem = open("/dev/mem", (protection & PROT_WRITE ? O_RDWR : O_RDONLY) | O_CLOEXEC);
	void *map;

	igt_require(mem >= 0);
	map = mmap(NULL, bytes, protection, MAP_SHARED, mem, bar_address(fd, bar) + offset);
	close(mem);
	igt_require(map != MAP_FAILED);
	return map;
}

int sd_try(int fd, unsigned long request, void *arg)
{
	return drmIoctl(fd, request, arg) ? -errno : 0;
}

int sd_param_try(int fd, uint32_t param, uint64_t *value)
{
	struct drm_sundog_get_param args = { .param = param };
	int ret = sd_try(fd, DRM_IOCTL_SUNDOG_GET_PARAM, &args);

	*value = args.value;
	return ret;
}

uint64_t sd_param(int fd, uint32_t param)
{
	uint64_t value;

	igt_assert_eq(sd_param_try(fd, param, &value), 0);
	return value;
}

uint64_t sd_vram_free(int fd)
{
	return sd_param(fd, DRM_SUNDOG_PARAM_VRAM_FREE);
}

void sd_wait_vram_free(int fd, uint64_t bytes)
{
	const int64_t end = sd_deadline();
	struct sd_counts counts;
	uint64_t now;

	while ((now = sd_vram_free(fd)) != bytes && sd_now_plus_ms(0) < end)
		usleep(1000);
	if (now == bytes)
		return;
	counts = sd_counts(fd);
	igt_assert_f(false,
		     "%llu bytes of VRAM are free, not %llu; %d allocations live, %d without a "
		     "name, %d contexts, %d jobs\n", (unsigned long long)now,
		     (unsigned long long)bytes, counts.live, counts.zombie, counts.contexts,
		     counts.jobs);
}

static int read_count(const char *text, const char *name)
{
	const char *at = strstr(text, name);
	int value;

	igt_assert_f(at && sscanf(at + strlen(name), " %d", &value) == 1, "no count of %s\n", name);
	return value;
}

/* Stores a newline and the file in @text, so that a newline precedes each name. */
static void read_debugfs(int fd, const char *name, char *text, size_t text_size)
{
	char path[64];
	struct stat st;
	ssize_t size;
	int file;

	igt_assert(!fstat(fd, &st));
	snprintf(path, sizeof(path), "/sys/kernel/debug/dri/%u/%s", minor(st.st_rdev), name);
	file = open(path, O_RDONLY | O_CLOEXEC);
	igt_require(file >= 0);
	text[0] = '\n';
	size = read(file, text + 1, text_size - 2);
	close(file);
	igt_assert(size > 0);
	text[1 + size] = 0;
}

static uint64_t read_number(int fd, const char *file, const char *name)
{
	char text[4096], line[64];
	unsigned long long value;
	const char *at;

	read_debugfs(fd, file, text, sizeof(text));
	snprintf(line, sizeof(line), "\n%s", name);
	at = strstr(text, line);
	igt_assert_f(at && sscanf(at + strlen(line), " %llu", &value) == 1, "no %s\n", name);
	return value;
}

uint64_t sd_vram_number(int fd, const char *name)
{
	return read_number(fd, "sundog_vram", name);
}

uint64_t sd_lists_number(int fd, const char *name)
{
	return read_number(fd, "sundog_lists", name);
}

struct sd_counts sd_counts(int fd)
{
	char text[512];

	read_debugfs(fd, "sundog_counts", text, sizeof(text));
	return (struct sd_counts){
		.live = read_count(text, "\nlive"),
		.shared = read_count(text, "\nshared"),
		.zombie = read_count(text, "\nzombie"),
		.resources = read_count(text, "\nresources"),
		.res_ids = read_count(text, "\nres_ids"),
		.kres = read_count(text, "\nkres"),
		.contexts = read_count(text, "\ncontexts"),
		.jobs = read_count(text, "\njobs"),
	};
}

/*
 * Objects of a subtest that failed stay until this process ends, so only the first wait may time
 * out.
 */
struct sd_counts sd_idle_counts(int fd)
{
	static bool in_vain;
	const int64_t end = sd_deadline();
	struct sd_counts now = sd_counts(fd);

	while ((now.zombie || now.contexts || now.jobs) && !in_vain) {
		usleep(1000);
		now = sd_counts(fd);
		in_vain = sd_now_plus_ms(0) > end;
		if (in_vain)
			igt_info("somebody has contexts, jobs or memory without a name, "
				 "and keeps them\n");
	}
	return now;
}

void sd_wait_idle(int fd)
{
	sd_idle_counts(fd);
}

uint64_t sd_idle_vram_free(int fd)
{
	sd_wait_idle(fd);
	return sd_vram_free(fd);
}

void sd_settle(int fd)
{
	const int64_t end = sd_deadline();

	while (sd_counts(fd).zombie || sd_vram_number(fd, "empty_extents") ||
	       sd_vram_number(fd, "leaving_extents") ||
	       sd_vram_number(fd, "pending_revoke_pages")) {
		igt_assert(sd_now_plus_ms(0) < end);
		usleep(10000);
	}
}

void sd_wait_counts(int fd, const struct sd_counts *expected)
{
	const int64_t end = sd_deadline();
	struct sd_counts now = sd_counts(fd);

	while (memcmp(&now, expected, sizeof(now)) && sd_now_plus_ms(0) < end) {
		usleep(1000);
		now = sd_counts(fd);
	}
	igt_assert_eq(now.live, expected->live);
	igt_assert_eq(now.shared, expected->shared);
	igt_assert_eq(now.zombie, expected->zombie);
	igt_assert_eq(now.resources, expected->resources);
	igt_assert_eq(now.res_ids, expected->res_ids);
	igt_assert_eq(now.kres, expected->kres);
	igt_assert_eq(now.contexts, expected->contexts);
	igt_assert_eq(now.jobs, expected->jobs);
}

void sd_wait_mapped(int fd, const struct sd_counts *idle)
{
	const int64_t end = sd_deadline();
	struct sd_counts expected = *idle, now;

	do {
		now = sd_counts(fd);
		usleep(1000);
	} while (now.live + now.zombie != idle->live + idle->zombie + 1 && sd_now_plus_ms(0) < end);
	if (now.live > idle->live)
		expected.live++;
	else
		expected.zombie++;
	sd_wait_counts(fd, &expected);
}

void sd_require_host(void)
{
	igt_require(!access(GUEST_ASK, X_OK));
}

void sd_ask(const char *what)
{
	char command[64];

	snprintf(command, sizeof(command), GUEST_ASK " %s", what);
	igt_assert_eq(system(command), 0);
}

int sd_rounds(int few, int many)
{
	return getenv("SUNDOG_LONG") ? many : few;
}

/* Allocations */

static void bo_fill(struct sd_bo *bo, const struct drm_sundog_alloc_desc *desc, uint32_t kres)
{
	*bo = (struct sd_bo){
		.handle = desc->handle,
		.device_handle = desc->device_handle,
		.index = desc->index,
		.size = desc->size,
		.map_offset = desc->map_offset,
		.mem = { kres, kres ? desc->index : desc->device_handle },
	};
}

int sd_alloc_try(int fd, uint64_t res, const uint64_t *sizes, uint32_t count, struct sd_bo *bos)
{
	struct drm_sundog_alloc_desc *descs = calloc(count + 1, sizeof(*descs));
	struct drm_sundog_alloc args = {
		.allocs = (uintptr_t)descs,
		.n_allocs = count,
		.alloc_stride = sizeof(*descs),
		.res = res,
	};
	int ret;

	for (uint32_t i = 0; i < count; i++)
		descs[i].size = sizes[i];
	ret = sd_try(fd, DRM_IOCTL_SUNDOG_ALLOC, &args);
	for (uint32_t i = 0; !ret && i < count; i++)
		bo_fill(&bos[i], &descs[i], args.kres);
	free(descs);
	return ret;
}

struct sd_bo sd_alloc(int fd, uint64_t size)
{
	struct sd_bo bo;

	igt_assert_eq(sd_alloc_try(fd, 0, &size, 1, &bo), 0);
	sd_touch(fd, &bo);
	return bo;
}

void sd_touch(int fd, const struct sd_bo *bo)
{
	volatile uint32_t *map = sd_map(fd, bo);

	(void)map[0];
	sd_unmap((void *)map, bo);
}

int sd_dealloc_try(int fd, uint64_t res, const uint32_t *handles, uint32_t count)
{
	struct drm_sundog_dealloc args = {
		.handles = (uintptr_t)handles,
		.n_handles = count,
		.res = res,
	};

	return sd_try(fd, DRM_IOCTL_SUNDOG_DEALLOC, &args);
}

void sd_dealloc(int fd, const struct sd_bo *bo)
{
	igt_assert_eq(sd_dealloc_try(fd, 0, &bo->handle, 1), 0);
}

int sd_info_try(int fd, uint32_t handle, struct drm_sundog_alloc_info *info)
{
	*info = (struct drm_sundog_alloc_info){ .handle = handle };
	return sd_try(fd, DRM_IOCTL_SUNDOG_ALLOC_INFO, info);
}

void *sd_map(int fd, const struct sd_bo *bo)
{
	void *map = mmap(NULL, bo->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, bo->map_offset);

	igt_assert(map != MAP_FAILED);
	return map;
}

void sd_unmap(void *map, const struct sd_bo *bo)
{
	munmap(map, bo->size);
}

void sd_fill(int fd, const struct sd_bo *bo, uint32_t value)
{
	wchar_t *map = sd_map(fd, bo);

	wmemset(map, value, bo->size / 4);
	sd_unmap(map, bo);
}

void sd_gem_close(int fd, uint32_t handle)
{
	struct drm_gem_close args = { .handle = handle };

	sd_ioctl(fd, DRM_IOCTL_GEM_CLOSE, &args);
}

int sd_export(int fd, uint32_t handle)
{
	int dmabuf = -1;

	igt_assert_eq(drmPrimeHandleToFD(fd, handle, DRM_CLOEXEC | DRM_RDWR, &dmabuf), 0);
	return dmabuf;
}

int sd_wait_try(int fd, uint32_t handle, uint32_t flags, int64_t timeout_ns)
{
	struct drm_sundog_wait args = {
		.handle = handle, .flags = EXPLICIT(flags), .timeout_ns = timeout_ns
	};

	return sd_try(fd, DRM_IOCTL_SUNDOG_WAIT, &args);
}

void sd_wait(int fd, const struct sd_bo *bo)
{
	igt_assert_eq(sd_wait_try(fd, bo->handle, WRITE, sd_deadline()), 0);
}

/* Resources */

struct sd_resource *sd_resource(int fd, uint32_t flags, uint64_t size, uint32_t count)
{
	struct drm_sundog_alloc_desc *descs = calloc(count + 1, sizeof(*descs));
	struct sd_resource *res = calloc(1, sizeof(*res));
	struct drm_sundog_resource_create args = {
		.allocs = (uintptr_t)descs,
		.n_allocs = count,
		.alloc_stride = sizeof(*descs),
		.flags = flags,
	};

	for (uint32_t i = 0; i < count; i++)
		descs[i].size = size;
	sd_ioctl(fd, DRM_IOCTL_SUNDOG_RESOURCE_CREATE, &args);
	res->res = args.res;
	res->kres = args.kres;
	res->count = count;
	for (uint32_t i = 0; i < count; i++) {
		bo_fill(&res->bos[i], &descs[i], args.kres);
		sd_touch(fd, &res->bos[i]);
	}
	free(descs);
	return res;
}

int sd_open_try(int fd, int dmabuf, struct sd_resource *res, uint32_t *index)
{
	struct drm_sundog_alloc_desc *descs = calloc(DRM_SUNDOG_MAX_ALLOCS, sizeof(*descs));
	struct drm_sundog_resource_open args = {
		.allocs = (uintptr_t)descs,
		.n_allocs = DRM_SUNDOG_MAX_ALLOCS,
		.alloc_stride = sizeof(*descs),
		.fd = dmabuf,
	};
	int ret = sd_try(fd, DRM_IOCTL_SUNDOG_RESOURCE_OPEN, &args);

	if (!ret) {
		res->res = args.res;
		res->kres = args.kres;
		res->count = args.n_allocs;
		*index = args.index;
	}
	for (uint32_t i = 0; !ret && i < args.n_allocs; i++)
		bo_fill(&res->bos[i], &descs[i], args.kres);
	free(descs);
	return ret;
}

struct sd_resource *sd_opened(int fd, int dmabuf)
{
	struct sd_resource *res = calloc(1, sizeof(*res));
	uint32_t index;

	igt_assert_eq(sd_open_try(fd, dmabuf, res, &index), 0);
	return res;
}

int sd_add_try(int fd, struct sd_resource *res, uint32_t count)
{
	uint64_t sizes[DRM_SUNDOG_MAX_ALLOCS];
	int ret;

	igt_assert(res->count + count <= DRM_SUNDOG_MAX_ALLOCS);
	for (uint32_t i = 0; i < count; i++)
		sizes[i] = PAGE;
	ret = sd_alloc_try(fd, res->res, sizes, count, res->bos + res->count);
	if (ret)
		return ret;
	res->kres = res->bos[res->count].mem.kres;
	res->count += count;
	return 0;
}

int sd_remove_try(int fd, const struct sd_resource *res, uint32_t first, uint32_t count)
{
	uint32_t handles[DRM_SUNDOG_MAX_ALLOCS];

	for (uint32_t i = 0; i < count; i++)
		handles[i] = res->bos[first + i].handle;
	return sd_dealloc_try(fd, res->res, handles, count);
}

int sd_destroy_try(int fd, uint64_t res)
{
	struct drm_sundog_resource_destroy args = { .res = res };

	return sd_try(fd, DRM_IOCTL_SUNDOG_RESOURCE_DESTROY, &args);
}

void sd_destroy(int fd, struct sd_resource *res)
{
	igt_assert_eq(sd_destroy_try(fd, res->res), 0);
	free(res);
}

/* Contexts and submissions */

struct sd_resource *sd_private_resource(int fd, uint64_t size, uint32_t count)
{
	struct sd_resource *res = calloc(1, sizeof(*res));
	struct drm_sundog_alloc_desc descs[8] = { 0 };
	struct drm_sundog_resource_create args = {
		.allocs = (uintptr_t)descs,
		.n_allocs = count,
		.alloc_stride = sizeof(descs[0]),
	};

	igt_assert(count <= 8);
	for (uint32_t i = 0; i < count; i++)
		descs[i] = (struct drm_sundog_alloc_desc){
			.size = size, .flags = DRM_SUNDOG_ALLOC_PRIVATE,
		};
	sd_ioctl(fd, DRM_IOCTL_SUNDOG_RESOURCE_CREATE, &args);
	res->res = args.res;
	res->kres = args.kres;
	res->count = count;
	for (uint32_t i = 0; i < count; i++)
		res->bos[i] = (struct sd_bo){
			.handle = descs[i].handle,
			.device_handle = descs[i].device_handle,
			.index = descs[i].index,
			.size = descs[i].size,
			.map_offset = descs[i].map_offset,
			.mem = { args.kres, descs[i].index },
		};
	return res;
}

uint32_t sd_reslist(int fd)
{
	struct drm_sundog_reslist_create args = { 0 };

	sd_ioctl(fd, DRM_IOCTL_SUNDOG_RESLIST_CREATE, &args);
	return args.reslist;
}

int sd_reslist_put_try(int fd, uint32_t list, uint32_t handle, uint32_t flags)
{
	struct drm_sundog_submit_alloc alloc = { handle, flags };
	struct drm_sundog_reslist_update args = {
		.allocs = (uintptr_t)&alloc,
		.n_allocs = 1,
		.alloc_stride = sizeof(alloc),
		.reslist = list,
	};

	return sd_try(fd, DRM_IOCTL_SUNDOG_RESLIST_UPDATE, &args);
}

int sd_reslist_destroy_try(int fd, uint32_t list)
{
	struct drm_sundog_reslist_destroy args = { .reslist = list };

	return sd_try(fd, DRM_IOCTL_SUNDOG_RESLIST_DESTROY, &args);
}

int sd_reslist_submit_try(int fd, uint32_t ctx, uint32_t list, uint64_t *seqno)
{
	struct drm_sundog_submit args = { .ctx = ctx, .reslist = list };
	int ret = sd_try(fd, DRM_IOCTL_SUNDOG_SUBMIT, &args);

	*seqno = args.seqno;
	return ret;
}

int sd_context_try(int fd, uint32_t *id, uint64_t *status_offset)
{
	struct drm_sundog_context_create args = { 0 };
	int ret = sd_try(fd, DRM_IOCTL_SUNDOG_CONTEXT_CREATE, &args);

	*id = args.ctx;
	*status_offset = args.status_offset;
	return ret;
}

int sd_context_destroy_try(int fd, uint32_t id)
{
	struct drm_sundog_context_destroy args = { .ctx = id };

	return sd_try(fd, DRM_IOCTL_SUNDOG_CONTEXT_DESTROY, &args);
}

struct sd_context *sd_context(int fd)
{
	struct sd_context *ctx = calloc(1, sizeof(*ctx));
	uint64_t offset;

	ctx->fd = fd;
	igt_assert_eq(sd_context_try(fd, &ctx->id, &offset), 0);
	ctx->status = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, offset);
	igt_assert(ctx->status != MAP_FAILED);
	ctx->stream_bo = sd_alloc(fd, STREAM_SIZE);
	ctx->stream_map = sd_map(fd, &ctx->stream_bo);
	ctx->stream.map = ctx->stream_map;
	ctx->stream.size = STREAM_SIZE / 4;
	return ctx;
}

struct sd_context *sd_idle_context(int fd)
{
	sd_wait_idle(fd);
	return sd_context(fd);
}

void sd_context_unmap(struct sd_context *ctx)
{
	munmap((void *)ctx->status, PAGE);
	sd_unmap(ctx->stream_map, &ctx->stream_bo);
	free(ctx);
}

void sd_context_free(struct sd_context *ctx)
{
	igt_assert_eq(sd_context_destroy_try(ctx->fd, ctx->id), 0);
	sd_dealloc(ctx->fd, &ctx->stream_bo);
	sd_context_unmap(ctx);
}

struct drm_sundog_context_query sd_query(struct sd_context *ctx)
{
	struct drm_sundog_context_query args = { .ctx = ctx->id };

	sd_ioctl(ctx->fd, DRM_IOCTL_SUNDOG_CONTEXT_QUERY, &args);
	return args;
}

struct drm_sundog_context_query sd_wait_dead(struct sd_context *ctx)
{
	const int64_t end = sd_deadline();
	struct drm_sundog_context_query query;

	do {
		query = sd_query(ctx);
		usleep(500);
	} while (query.state != DRM_SUNDOG_CONTEXT_ENDED && sd_now_plus_ms(0) < end);
	igt_assert_eq(query.state, DRM_SUNDOG_CONTEXT_ENDED);
	return query;
}

void sd_list(struct sd_context *ctx, const struct sd_bo *bo, uint32_t access)
{
	igt_assert(ctx->count < sizeof(ctx->list) / sizeof(ctx->list[0]));
	ctx->list[ctx->count++] = (struct drm_sundog_submit_alloc){ bo->handle, access };
}

/*
 * Places the next stream behind the last one in their allocation. Waits until all are done if it is
 * half full.
 */
static void next_stream(struct sd_context *ctx)
{
	struct sundog_stream *stream = &ctx->stream;
	int ret;

	stream->map += stream->used;
	stream->size -= stream->used;
	stream->used = 0;
	if (stream->size * 4 > STREAM_SIZE / 2)
		return;
	/* Wait for the BO and not for the seqno: the seqno does not complete after an unplug. */
	ret = sd_wait_try(ctx->fd, ctx->stream_bo.handle, WRITE, sd_deadline());
	igt_assert(!ret || ret == -ENODEV);
	stream->map = ctx->stream_map;
	stream->size = STREAM_SIZE / 4;
}

int sd_submit_try(struct sd_context *ctx, uint64_t *seqno)
{
	struct drm_sundog_submit args = {
		.ctx = ctx->id,
		.stream = ctx->stream_bo.handle,
		.stream_size = ctx->stream.used * 4,
		.stream_offset = STREAM_SIZE - ctx->stream.size * 4ull,
		.allocs = (uintptr_t)ctx->list,
		.n_allocs = ctx->count,
		.alloc_stride = sizeof(ctx->list[0]),
	};
	int ret;

	igt_assert(!ctx->stream.overflow);
	ret = sd_try(ctx->fd, DRM_IOCTL_SUNDOG_SUBMIT, &args);
	ctx->count = 0;
	next_stream(ctx);
	*seqno = args.seqno;
	return ret;
}

uint64_t sd_submit(struct sd_context *ctx)
{
	uint64_t seqno;
	const int ret = sd_submit_try(ctx, &seqno);
	char text[4096];

	if (ret == -ENOSPC) {
		read_debugfs(ctx->fd, "sundog_vram", text, sizeof(text));
		igt_info("there is no space in VRAM:%s", text);
	}
	igt_assert_eq(ret, 0);
	return seqno;
}

void sd_wait_seqno(struct sd_context *ctx, uint64_t seqno)
{
	const int64_t end = sd_deadline();

	while (ctx->status->completed < seqno && sd_now_plus_ms(0) < end)
		usleep(100);
	igt_assert(ctx->status->completed >= seqno);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
}

void sd_run(struct sd_context *ctx)
{
	sd_wait_seqno(ctx, sd_submit(ctx));
}

void sd_emit_fill(struct sd_context *ctx, const struct sd_bo *bo, uint32_t value, int times)
{
	const struct sundog_cmd_fill_buffer fill = {
		.dst = { .mem = bo->mem, .size = bo->size },
		.value = value,
	};

	while (times--)
		sundog_emit_fill_buffer(&ctx->stream, &fill);
	sd_list(ctx, bo, WRITE);
}

void sd_emit_copy(struct sd_context *ctx, const struct sd_bo *src, const struct sd_bo *dst)
{
	const struct sundog_cmd_copy_buffer copy = {
		.src = src->mem,
		.dst = dst->mem,
		.size = src->size < dst->size ? src->size : dst->size,
	};

	sundog_emit_copy_buffer(&ctx->stream, &copy);
	sd_list(ctx, src, READ);
	sd_list(ctx, dst, WRITE);
}

bool sd_is_filled(int fd, const struct sd_bo *bo, uint32_t value)
{
	uint32_t *map = sd_map(fd, bo);
	/*
	 * Compare each dword with its successor: guests are emulated, and memcmp() takes few
	 * instructions.
	 */
	const bool filled = *map == value && !memcmp(map, map + 1, bo->size - sizeof(*map));

	sd_unmap(map, bo);
	return filled;
}

pid_t sd_start_child(void (*what)(void))
{
	pid_t child = fork();

	igt_assert(child >= 0);
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		what();
		_exit(1);
	}
	return child;
}

void sd_kill_child(pid_t child)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

int64_t sd_now_plus_ms(int ms)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ll + now.tv_nsec + ms * 1000000ll;
}

int sd_patience_ms(void)
{
	const char *seconds = getenv("SUNDOG_PATIENCE");

	return (seconds ? atoi(seconds) : 120) * 1000;
}

int64_t sd_deadline(void)
{
	return sd_now_plus_ms(sd_patience_ms());
}

/* File descriptors */

union fd_message {
	struct cmsghdr header;
	char bytes[CMSG_SPACE(sizeof(int))];
};

void sd_send_fd(int socket, int fd, const void *data, size_t size)
{
	union fd_message space = { .header = { CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS } };
	struct iovec iov = { .iov_base = (void *)data, .iov_len = size };
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &space,
		.msg_controllen = sizeof(space),
	};

	memcpy(CMSG_DATA(&space.header), &fd, sizeof(fd));
	igt_assert(sendmsg(socket, &msg, 0) == (ssize_t)size);
}

int sd_receive_fd(int socket, void *data, size_t size)
{
	union fd_message space;
	struct iovec iov = { .iov_base = data, .iov_len = size };
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &space,
		.msg_controllen = sizeof(space),
	};
	int fd;

	igt_assert(recvmsg(socket, &msg, MSG_CMSG_CLOEXEC) == (ssize_t)size);
	igt_assert(CMSG_FIRSTHDR(&msg));
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(fd));
	return fd;
}
