// SPDX-License-Identifier: MIT
/*
 * Calls each ioctl and system call of the driver with each of its kernel memory allocations failing
 * in turn. The call returns ENOMEM or succeeds without the memory, and a call that fails changes
 * nothing. Needs a kernel with fault injection; the kernel's leak detector checks that nothing is
 * lost.
 *
 * A write of n to /proc/thread-self/fail-nth makes the thread's n-th allocation from now on fail; a
 * read returns the rest of n. See Documentation/fault-injection/ of the kernel.
 */
#include "sundog_share.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <xf86drm.h>
#include <xf86drmMode.h>

IGT_TEST_DESCRIPTION("Calls whose memory allocations fail");

#define N_ALLOCS 3
/* More allocations than any call makes. */
#define MANY 5000

/* Files, devices and objects that the calls work on. */
struct env {
	/* The render node and two open files of it. */
	char *render_path;
	int fd, other;
	/* Other devices to share memory with. */
	int second, vgem;
	/* The primary node as DRM master, and its pipe. */
	int card;
	uint32_t crtc, plane, connector, mode_blob, fb, fb_handle;
	/* A context, and the BOs that its stream uses. */
	struct sd_context *ctx;
	struct sd_bo used[2];
	/* Arguments and results of a call. */
	struct sd_bo bo, bos[N_ALLOCS];
	struct sd_resource *res, made;
	struct drm_sundog_sync syncs[2];
	uint32_t id;
	uint64_t offset;
	/* Residency list, or 0 */
	uint32_t list;
	int file;
	void *map;
};

/* @run is the call under test, one system call. It returns 0 or -errno. */
struct call {
	void (*prepare)(struct env *env);
	int (*run)(struct env *env);
	void (*undo)(struct env *env);
	/* DRM keeps the dma-buf with the object if an export fails late. */
	bool may_leave_dma_buf;
};

static int fail_nth;

static void arm(unsigned int n)
{
	char text[16];
	int size = snprintf(text, sizeof(text), "%u", n);

	igt_assert(pwrite(fail_nth, text, size, 0) == size);
}

/* Disarms fail-nth. Returns true if an allocation failed on request. */
static bool disarm(void)
{
	char text[16] = "";

	igt_assert(pread(fail_nth, text, sizeof(text) - 1, 0) > 0);
	arm(0);
	return !atoi(text);
}

/* The text of debugfs file sundog_counts. */
struct counts {
	char text[512];
};

static char counts_path[64];

static struct counts read_counts(void)
{
	struct counts counts = { "" };
	int fd = open(counts_path, O_RDONLY);

	igt_assert(fd >= 0);
	igt_assert(read(fd, counts.text, sizeof(counts.text) - 1) > 0);
	close(fd);
	return counts;
}

/* Waits, since some objects are freed a moment after their last user. */
static void wait_counts(const struct counts *want)
{
	const int64_t end = sd_deadline();
	struct counts now = read_counts();

	while (strcmp(now.text, want->text) && sd_now_plus_ms(0) < end) {
		usleep(2000);
		now = read_counts();
	}
	igt_assert_f(!strcmp(now.text, want->text), "expected:\n%snow:\n%s", want->text, now.text);
}

/* Runs one call with its n-th allocation failing. Returns false if it made fewer. */
static bool fail_call(const struct call *call, struct env *env, unsigned int n)
{
	struct counts idle = read_counts(), before;
	bool failed;
	int ret;

	if (call->prepare)
		call->prepare(env);
	before = read_counts();
	arm(n);
	ret = call->run(env);
	failed = disarm();
	if (ret) {
		igt_assert_f(failed && ret == -ENOMEM, "allocation %u: error %d\n", n, ret);
		if (!call->may_leave_dma_buf)
			wait_counts(&before);
		igt_assert_eq(call->run(env), 0);
	}
	if (call->undo)
		call->undo(env);
	wait_counts(&idle);
	return failed;
}

static void inject(const struct call *call, struct env *env)
{
	unsigned int n = 1;

	while (fail_call(call, env, n))
		igt_assert(++n < MANY);
	igt_info("%u allocations\n", n - 1);
}

/* Files */

static int run_open(struct env *env)
{
	env->file = open(env->render_path, O_RDWR | O_CLOEXEC);
	return env->file < 0 ? -errno : 0;
}

static void close_file(struct env *env)
{
	close(env->file);
}

static const struct call call_open = { .run = run_open, .undo = close_file };

static void open_fdinfo(struct env *env)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", env->fd);
	env->file = open(path, O_RDONLY);
	igt_assert(env->file >= 0);
}

static int run_read(struct env *env)
{
	char text[4096];

	return read(env->file, text, sizeof(text)) < 0 ? -errno : 0;
}

static const struct call call_fdinfo = {
	.prepare = open_fdinfo,
	.run = run_read,
	.undo = close_file,
};

static int run_get_caps(struct env *env)
{
	struct sundog_caps caps;
	struct drm_sundog_get_caps args = { .data = (uintptr_t)&caps, .size = sizeof(caps) };

	return sd_try(env->fd, DRM_IOCTL_SUNDOG_GET_CAPS, &args);
}

static const struct call call_get_caps = { .run = run_get_caps };

static int run_get_param(struct env *env)
{
	uint64_t value;

	return sd_param_try(env->fd, DRM_SUNDOG_PARAM_VRAM_FREE, &value);
}

static const struct call call_get_param = { .run = run_get_param };

/* Allocations */

static int run_alloc(struct env *env)
{
	const uint64_t sizes[N_ALLOCS] = { PAGE, 5 * PAGE, 64 * PAGE };

	return sd_alloc_try(env->fd, 0, sizes, N_ALLOCS, env->bos);
}

static int run_dealloc(struct env *env)
{
	uint32_t handles[N_ALLOCS];

	for (int i = 0; i < N_ALLOCS; i++)
		handles[i] = env->bos[i].handle;
	return sd_dealloc_try(env->fd, 0, handles, N_ALLOCS);
}

static void alloc(struct env *env)
{
	igt_assert_eq(run_alloc(env), 0);
}

static void dealloc(struct env *env)
{
	igt_assert_eq(run_dealloc(env), 0);
}

static const struct call call_alloc = { .run = run_alloc, .undo = dealloc };
static const struct call call_dealloc = { .prepare = alloc, .run = run_dealloc };

static void alloc_one(struct env *env)
{
	env->bo = sd_alloc(env->fd, 4 * PAGE);
}

static void dealloc_one(struct env *env)
{
	sd_dealloc(env->fd, &env->bo);
}

static int run_alloc_info(struct env *env)
{
	struct drm_sundog_alloc_info info;

	return sd_info_try(env->fd, env->bo.handle, &info);
}

static int run_gem_close(struct env *env)
{
	struct drm_gem_close args = { .handle = env->bo.handle };

	return sd_try(env->fd, DRM_IOCTL_GEM_CLOSE, &args);
}

static const struct call call_alloc_info = {
	.prepare = alloc_one,
	.run = run_alloc_info,
	.undo = dealloc_one,
};
static const struct call call_gem_close = { .prepare = alloc_one, .run = run_gem_close };

static int run_map(struct env *env)
{
	env->map = mmap(NULL, env->bo.size, PROT_READ | PROT_WRITE, MAP_SHARED, env->fd,
			env->bo.map_offset);
	return env->map == MAP_FAILED ? -errno : 0;
}

static void unmap(struct env *env)
{
	sd_unmap(env->map, &env->bo);
	dealloc_one(env);
}

static const struct call call_mmap = { .prepare = alloc_one, .run = run_map, .undo = unmap };

static void map(struct env *env)
{
	alloc_one(env);
	igt_assert_eq(run_map(env), 0);
}

/* The kernel retries a page fault that failed for lack of memory. */
static int run_touch(struct env *env)
{
	volatile uint32_t *word = env->map;

	*word = 0x5157;
	igt_assert_eq_u32(*word, 0x5157);
	return 0;
}

static const struct call call_fault = { .prepare = map, .run = run_touch, .undo = unmap };

/* Resources */

static int run_create(struct env *env, uint32_t flags)
{
	char priv[300] = "private";
	struct drm_sundog_alloc_desc descs[N_ALLOCS] = { 0 };
	struct drm_sundog_resource_create args = {
		.allocs = (uintptr_t)descs,
		.n_allocs = N_ALLOCS,
		.alloc_stride = sizeof(descs[0]),
		.priv = (uintptr_t)priv,
		.priv_size = sizeof(priv),
		.flags = flags,
	};
	int ret;

	for (int i = 0; i < N_ALLOCS; i++) {
		descs[i].size = PAGE << i;
		descs[i].priv = (uintptr_t)priv;
		descs[i].priv_size = sizeof(priv);
	}
	ret = sd_try(env->fd, DRM_IOCTL_SUNDOG_RESOURCE_CREATE, &args);
	env->made.res = args.res;
	return ret;
}

static int run_create_unshared(struct env *env)
{
	return run_create(env, 0);
}

static int run_create_shared(struct env *env)
{
	return run_create(env, DRM_SUNDOG_RESOURCE_SHARED);
}

static int run_destroy(struct env *env)
{
	return sd_destroy_try(env->fd, env->made.res);
}

static void create(struct env *env)
{
	igt_assert_eq(run_create_shared(env), 0);
}

static void destroy(struct env *env)
{
	igt_assert_eq(run_destroy(env), 0);
}

static const struct call call_create = { .run = run_create_unshared, .undo = destroy };
static const struct call call_create_shared = { .run = run_create_shared, .undo = destroy };
static const struct call call_destroy = { .prepare = create, .run = run_destroy };

static void create_exported(struct env *env)
{
	env->res = sd_resource(env->fd, DRM_SUNDOG_RESOURCE_SHARED, PAGE, N_ALLOCS);
	env->file = sd_export(env->fd, env->res->bos[0].handle);
}

static int run_resource_open(struct env *env)
{
	uint32_t index;

	return sd_open_try(env->other, env->file, &env->made, &index);
}

static void destroy_exported(struct env *env)
{
	igt_assert_eq(sd_destroy_try(env->other, env->made.res), 0);
	sd_destroy(env->fd, env->res);
	close(env->file);
}

static const struct call call_resource_open = {
	.prepare = create_exported,
	.run = run_resource_open,
	.undo = destroy_exported,
};

/* Sharing */

static void create_shared(struct env *env)
{
	env->res = sd_resource(env->fd, DRM_SUNDOG_RESOURCE_SHARED, PAGE, 1);
}

static int run_export(struct env *env)
{
	return drmPrimeHandleToFD(env->fd, env->res->bos[0].handle, DRM_CLOEXEC | DRM_RDWR,
				  &env->file) ? -errno : 0;
}

static void undo_export(struct env *env)
{
	close(env->file);
	sd_destroy(env->fd, env->res);
}

static const struct call call_export = {
	.prepare = create_shared,
	.run = run_export,
	.undo = undo_export,
	.may_leave_dma_buf = true,
};

static int run_import(struct env *env)
{
	return drmPrimeFDToHandle(env->other, env->file, &env->id) ? -errno : 0;
}

static void undo_import(struct env *env)
{
	sd_gem_close(env->other, env->id);
	undo_export(env);
}

static const struct call call_import = {
	.prepare = create_exported,
	.run = run_import,
	.undo = undo_import,
};

/* Sharing with other devices */

static void export_one(struct env *env)
{
	alloc_one(env);
	env->file = sd_export(env->fd, env->bo.handle);
}

static int run_import_second(struct env *env)
{
	return sd_import_try(env->second, env->file, &env->id);
}

static void undo_import_second(struct env *env)
{
	sd_gem_close(env->second, env->id);
	close(env->file);
	dealloc_one(env);
}

static const struct call call_import_second = {
	.prepare = export_one,
	.run = run_import_second,
	.undo = undo_import_second,
};

static void export_vgem(struct env *env)
{
	struct drm_mode_create_dumb args = { .width = 64, .height = 64, .bpp = 32 };

	sd_ioctl(env->vgem, DRM_IOCTL_MODE_CREATE_DUMB, &args);
	env->file = sd_export(env->vgem, args.handle);
	sd_gem_close(env->vgem, args.handle);
}

static int run_import_vgem(struct env *env)
{
	return sd_import_try(env->fd, env->file, &env->id);
}

static void undo_import_vgem(struct env *env)
{
	sd_gem_close(env->fd, env->id);
	close(env->file);
}

static const struct call call_import_vgem = {
	.prepare = export_vgem,
	.run = run_import_vgem,
	.undo = undo_import_vgem,
};

/* Contexts and submissions */

static int run_context_create(struct env *env)
{
	return sd_context_try(env->fd, &env->id, &env->offset);
}

static int run_context_destroy(struct env *env)
{
	return sd_context_destroy_try(env->fd, env->id);
}

static void context_create(struct env *env)
{
	igt_assert_eq(run_context_create(env), 0);
}

static void context_destroy(struct env *env)
{
	igt_assert_eq(run_context_destroy(env), 0);
}

static int run_context_query(struct env *env)
{
	struct drm_sundog_context_query args = { .ctx = env->id };

	return sd_try(env->fd, DRM_IOCTL_SUNDOG_CONTEXT_QUERY, &args);
}

static const struct call call_context_query = {
	.prepare = context_create,
	.run = run_context_query,
	.undo = context_destroy,
};
static const struct call call_context_create = {
	.run = run_context_create,
	.undo = context_destroy,
};
static const struct call call_context_destroy = {
	.prepare = context_create,
	.run = run_context_destroy,
};

static int run_map_status(struct env *env)
{
	env->map = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, env->fd, env->offset);
	return env->map == MAP_FAILED ? -errno : 0;
}

static void unmap_status(struct env *env)
{
	munmap(env->map, PAGE);
	context_destroy(env);
}

static const struct call call_mmap_status = {
	.prepare = context_create,
	.run = run_map_status,
	.undo = unmap_status,
};

static void map_status(struct env *env)
{
	context_create(env);
	igt_assert_eq(run_map_status(env), 0);
}

static int run_touch_status(struct env *env)
{
	const volatile struct drm_sundog_status *status = env->map;

	igt_assert_eq_u64(status->completed, 0);
	return 0;
}

static const struct call call_fault_status = {
	.prepare = map_status,
	.run = run_touch_status,
	.undo = unmap_status,
};

/* The common part of all submissions: a fill of one BO, with another BO in the list. */
static void init_submit(struct env *env)
{
	env->ctx = sd_context(env->fd);
	for (int i = 0; i < 2; i++)
		env->used[i] = sd_alloc(env->fd, 16 * PAGE);
	sd_emit_fill(env->ctx, &env->used[0], 0x5157, 1);
	sd_list(env->ctx, &env->used[1], READ);
}

static void prepare_submit(struct env *env)
{
	uint32_t *map = sd_map(env->fd, &env->used[0]);

	map[0] = 0;
	sd_unmap(map, &env->used[0]);
	env->syncs[0] = (struct drm_sundog_sync){ .flags = WAIT };
	env->syncs[1] = (struct drm_sundog_sync){
		.type = DRM_SUNDOG_SYNC_TYPE_TIMELINE, .flags = SIGNAL, .point = 7,
	};
	igt_assert(!drmSyncobjCreate(env->fd, DRM_SYNCOBJ_CREATE_SIGNALED, &env->syncs[0].handle));
	igt_assert(!drmSyncobjCreate(env->fd, 0, &env->syncs[1].handle));
}

static int run_submit(struct env *env)
{
	struct drm_sundog_submit args = {
		.ctx = env->ctx->id,
		.stream = env->ctx->stream_bo.handle,
		.stream_size = env->ctx->stream.used * 4,
		.allocs = (uintptr_t)env->ctx->list,
		.n_allocs = env->ctx->count,
		.alloc_stride = sizeof(env->ctx->list[0]),
		.syncs = (uintptr_t)env->syncs,
		.n_syncs = 2,
		.sync_stride = sizeof(env->syncs[0]),
		.reslist = env->list,
	};

	return sd_try(env->fd, DRM_IOCTL_SUNDOG_SUBMIT, &args);
}

static void undo_submit(struct env *env)
{
	uint64_t point = env->syncs[1].point;

	igt_assert(!drmSyncobjTimelineWait(env->fd, &env->syncs[1].handle, &point, 1,
					   sd_deadline(), 0, NULL));
	igt_assert(sd_is_filled(env->fd, &env->used[0], 0x5157));
	drmSyncobjDestroy(env->fd, env->syncs[0].handle);
	drmSyncobjDestroy(env->fd, env->syncs[1].handle);
}

static const struct call call_submit = {
	.prepare = prepare_submit,
	.run = run_submit,
	.undo = undo_submit,
};

/* Residency lists */

static int run_reslist_create(struct env *env)
{
	struct drm_sundog_reslist_create args = { 0 };
	int ret = sd_try(env->fd, DRM_IOCTL_SUNDOG_RESLIST_CREATE, &args);

	env->list = args.reslist;
	return ret;
}

static int run_reslist_destroy(struct env *env)
{
	struct drm_sundog_reslist_destroy args = { .reslist = env->list };

	return sd_try(env->fd, DRM_IOCTL_SUNDOG_RESLIST_DESTROY, &args);
}

static void reslist_create(struct env *env)
{
	igt_assert_eq(run_reslist_create(env), 0);
}

static void reslist_destroy(struct env *env)
{
	igt_assert_eq(run_reslist_destroy(env), 0);
	env->list = 0;
}

static const struct call call_reslist_create = {
	.run = run_reslist_create,
	.undo = reslist_destroy,
};

/* An empty list and the BOs to add to it; the first is not PRIVATE. */
static void prepare_reslist(struct env *env)
{
	struct drm_sundog_alloc_desc descs[N_ALLOCS] = { 0 };
	struct drm_sundog_alloc args = {
		.allocs = (uintptr_t)descs,
		.n_allocs = N_ALLOCS,
		.alloc_stride = sizeof(descs[0]),
	};

	reslist_create(env);
	for (int i = 0; i < N_ALLOCS; i++)
		descs[i] = (struct drm_sundog_alloc_desc){
			.size = PAGE,
			.flags = i ? DRM_SUNDOG_ALLOC_PRIVATE : 0,
		};
	sd_ioctl(env->fd, DRM_IOCTL_SUNDOG_ALLOC, &args);
	for (int i = 0; i < N_ALLOCS; i++)
		env->bos[i].handle = descs[i].handle;
}

static int run_reslist_update(struct env *env)
{
	struct drm_sundog_submit_alloc allocs[N_ALLOCS];
	struct drm_sundog_reslist_update args = {
		.allocs = (uintptr_t)allocs,
		.n_allocs = N_ALLOCS,
		.alloc_stride = sizeof(allocs[0]),
		.reslist = env->list,
	};

	for (int i = 0; i < N_ALLOCS; i++)
		allocs[i] = (struct drm_sundog_submit_alloc){ env->bos[i].handle, WRITE };
	return sd_try(env->fd, DRM_IOCTL_SUNDOG_RESLIST_UPDATE, &args);
}

static void end_reslist(struct env *env)
{
	for (int i = 0; i < N_ALLOCS; i++)
		sd_dealloc(env->fd, &env->bos[i]);
	env->list = 0;
}

static void undo_reslist(struct env *env)
{
	igt_assert_eq(run_reslist_destroy(env), 0);
	end_reslist(env);
}

static const struct call call_reslist_update = {
	.prepare = prepare_reslist,
	.run = run_reslist_update,
	.undo = undo_reslist,
};

static void fill_reslist(struct env *env)
{
	prepare_reslist(env);
	igt_assert_eq(run_reslist_update(env), 0);
}

static const struct call call_reslist_destroy = {
	.prepare = fill_reslist,
	.run = run_reslist_destroy,
	.undo = end_reslist,
};

/* The first submission with a list resolves its entries. */
static void prepare_submit_with(struct env *env)
{
	prepare_submit(env);
	fill_reslist(env);
}

static void undo_submit_with(struct env *env)
{
	undo_submit(env);
	undo_reslist(env);
}

static const struct call call_submit_with = {
	.prepare = prepare_submit_with,
	.run = run_submit,
	.undo = undo_submit_with,
};

static void prepare_wait(struct env *env)
{
	prepare_submit(env);
	igt_assert_eq(run_submit(env), 0);
}

static int run_wait(struct env *env)
{
	return sd_wait_try(env->fd, env->used[0].handle, WRITE, sd_deadline());
}

static const struct call call_wait = {
	.prepare = prepare_wait,
	.run = run_wait,
	.undo = undo_submit,
};

/* Mode setting */

static int run_dumb_create(struct env *env)
{
	struct drm_mode_create_dumb args = { .width = 640, .height = 480, .bpp = 32 };
	int ret = sd_try(env->card, DRM_IOCTL_MODE_CREATE_DUMB, &args);

	env->id = args.handle;
	return ret;
}

static void dumb_destroy(struct env *env)
{
	struct drm_mode_destroy_dumb args = { .handle = env->id };

	sd_ioctl(env->card, DRM_IOCTL_MODE_DESTROY_DUMB, &args);
}

static const struct call call_dumb_create = { .run = run_dumb_create, .undo = dumb_destroy };

static int run_add_fb(struct env *env)
{
	return drmModeAddFB(env->card, 640, 480, 24, 32, 640 * 4, env->fb_handle, &env->id) ?
	       -errno : 0;
}

static void remove_fb(struct env *env)
{
	igt_assert(!drmModeRmFB(env->card, env->id));
}

static const struct call call_add_fb = { .run = run_add_fb, .undo = remove_fb };

static uint32_t property(struct env *env, uint32_t object, uint32_t type, const char *name)
{
	drmModeObjectProperties *props = drmModeObjectGetProperties(env->card, object, type);
	uint32_t id = 0;

	igt_assert(props);
	for (uint32_t i = 0; i < props->count_props && !id; i++) {
		drmModePropertyRes *prop = drmModeGetProperty(env->card, props->props[i]);

		if (!strcmp(prop->name, name))
			id = prop->prop_id;
		drmModeFreeProperty(prop);
	}
	drmModeFreeObjectProperties(props);
	igt_assert_f(id, "no property %s\n", name);
	return id;
}

static void set(struct env *env, drmModeAtomicReq *request, uint32_t object, uint32_t type,
		const char *name, uint64_t value)
{
	igt_assert(drmModeAtomicAddProperty(request, object, property(env, object, type, name),
					    value) > 0);
}

static drmModeAtomicReq *request;

/* Builds a commit that shows the picture on the screen, or turns the screen off. */
static void prepare_commit(struct env *env, bool on)
{
	const uint64_t width = on ? 640 : 0, height = on ? 480 : 0;

	request = drmModeAtomicAlloc();
	igt_assert(request);
	set(env, request, env->crtc, DRM_MODE_OBJECT_CRTC, "ACTIVE", on);
	set(env, request, env->crtc, DRM_MODE_OBJECT_CRTC, "MODE_ID", on ? env->mode_blob : 0);
	set(env, request, env->connector, DRM_MODE_OBJECT_CONNECTOR, "CRTC_ID", on ? env->crtc : 0);
	set(env, request, env->plane, DRM_MODE_OBJECT_PLANE, "FB_ID", on ? env->fb : 0);
	set(env, request, env->plane, DRM_MODE_OBJECT_PLANE, "CRTC_ID", on ? env->crtc : 0);
	set(env, request, env->plane, DRM_MODE_OBJECT_PLANE, "SRC_X", 0);
	set(env, request, env->plane, DRM_MODE_OBJECT_PLANE, "SRC_Y", 0);
	set(env, request, env->plane, DRM_MODE_OBJECT_PLANE, "SRC_W", width << 16);
	set(env, request, env->plane, DRM_MODE_OBJECT_PLANE, "SRC_H", height << 16);
	set(env, request, env->plane, DRM_MODE_OBJECT_PLANE, "CRTC_X", 0);
	set(env, request, env->plane, DRM_MODE_OBJECT_PLANE, "CRTC_Y", 0);
	set(env, request, env->plane, DRM_MODE_OBJECT_PLANE, "CRTC_W", width);
	set(env, request, env->plane, DRM_MODE_OBJECT_PLANE, "CRTC_H", height);
}

static int run_commit(struct env *env)
{
	return drmModeAtomicCommit(env->card, request, DRM_MODE_ATOMIC_ALLOW_MODESET, NULL);
}

static void commit(struct env *env, bool on)
{
	prepare_commit(env, on);
	igt_assert_eq(run_commit(env), 0);
	drmModeAtomicFree(request);
}

static void prepare_on(struct env *env)
{
	prepare_commit(env, true);
}

static void undo_on(struct env *env)
{
	drmModeAtomicFree(request);
	commit(env, false);
}

static const struct call call_commit = {
	.prepare = prepare_on,
	.run = run_commit,
	.undo = undo_on,
};

static void screen_on(struct env *env)
{
	commit(env, true);
}

static int run_flip(struct env *env)
{
	return drmModePageFlip(env->card, env->crtc, env->fb, DRM_MODE_PAGE_FLIP_EVENT, NULL) ?
	       -errno : 0;
}

static void undo_flip(struct env *env)
{
	struct drm_event_vblank event;

	igt_assert(read(env->card, &event, sizeof(event)) == sizeof(event));
	igt_assert_eq_u32(event.base.type, DRM_EVENT_FLIP_COMPLETE);
	commit(env, false);
}

static const struct call call_flip = { .prepare = screen_on, .run = run_flip, .undo = undo_flip };

/* Finds the first screen with its CRTC and its primary plane. */
static void find_pipe(struct env *env)
{
	drmModeRes *res = drmModeGetResources(env->card);
	drmModePlaneRes *planes;
	drmModeConnector *connector;

	igt_assert(res && res->count_connectors && res->count_crtcs);
	connector = drmModeGetConnector(env->card, res->connectors[0]);
	igt_assert(connector);
	env->connector = connector->connector_id;
	env->crtc = res->crtcs[0];
	for (int i = 0; i < connector->count_modes && !env->mode_blob; i++) {
		const drmModeModeInfo *mode = &connector->modes[i];

		if (mode->hdisplay == 640 && mode->vdisplay == 480)
			igt_assert(!drmModeCreatePropertyBlob(env->card, mode, sizeof(*mode),
							      &env->mode_blob));
	}
	igt_assert(env->mode_blob);
	drmModeFreeConnector(connector);
	drmModeFreeResources(res);

	igt_assert(!drmSetClientCap(env->card, DRM_CLIENT_CAP_ATOMIC, 1));
	planes = drmModeGetPlaneResources(env->card);
	igt_assert(planes && planes->count_planes);
	env->plane = planes->planes[0];
	drmModeFreePlaneResources(planes);
}

static void open_card(struct env *env)
{
	char *path = drmGetPrimaryDeviceNameFromFd(env->fd);

	igt_assert(path);
	env->card = open(path, O_RDWR | O_CLOEXEC);
	igt_assert(env->card >= 0);
	free(path);
	find_pipe(env);
	igt_assert_eq(run_dumb_create(env), 0);
	env->fb_handle = env->id;
	igt_assert_eq(run_add_fb(env), 0);
	env->fb = env->id;
}

static void set_attribute(const char *path, const char *value)
{
	int fd = open(path, O_WRONLY);

	igt_require(fd >= 0);
	igt_assert(write(fd, value, strlen(value)) > 0);
	close(fd);
}

/* Enables failures of all allocations that may fail, without log messages. */
static void enable(void)
{
	set_attribute("/sys/kernel/debug/failslab/ignore-gfp-wait", "N");
	set_attribute("/sys/kernel/debug/failslab/verbose", "0");
	set_attribute("/sys/kernel/debug/fail_page_alloc/ignore-gfp-wait", "N");
	set_attribute("/sys/kernel/debug/fail_page_alloc/min-order", "0");
	set_attribute("/sys/kernel/debug/fail_page_alloc/verbose", "0");
	fail_nth = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	igt_require(fail_nth >= 0);

	/* Check that fault injection works: otherwise no call would ever fail. */
	arm(1);
	igt_assert_eq(open("/dev/null", O_RDONLY), -1);
	igt_assert_eq(errno, ENOMEM);
	igt_assert(disarm());
}

static void open_render(struct env *env)
{
	struct stat node;

	env->fd = sd_open_renderer();
	env->other = sd_open();
	env->render_path = drmGetRenderDeviceNameFromFd(env->fd);
	igt_assert(env->render_path && !fstat(env->fd, &node));
	snprintf(counts_path, sizeof(counts_path), "/sys/kernel/debug/dri/%u/sundog_counts",
		 minor(node.st_rdev));
}

static void open_others(struct env *env)
{
	env->second = sd_open_second();
	env->vgem = sd_open_vgem();
	sd_require_guest_heap(env->fd);
	sd_require_guest_heap(env->second);
}

static const struct {
	const char *name;
	const struct call *call;
} render_calls[] = {
	{ "open", &call_open },
	{ "fdinfo", &call_fdinfo },
	{ "get-caps", &call_get_caps },
	{ "get-param", &call_get_param },
	{ "alloc", &call_alloc },
	{ "dealloc", &call_dealloc },
	{ "alloc-info", &call_alloc_info },
	{ "gem-close", &call_gem_close },
	{ "mmap", &call_mmap },
	{ "page-fault", &call_fault },
	{ "resource-create", &call_create },
	{ "resource-create-shared", &call_create_shared },
	{ "resource-open", &call_resource_open },
	{ "resource-destroy", &call_destroy },
	{ "prime-export", &call_export },
	{ "prime-import", &call_import },
	{ "context-create", &call_context_create },
	{ "context-destroy", &call_context_destroy },
	{ "context-query", &call_context_query },
	{ "mmap-status", &call_mmap_status },
	{ "page-fault-status", &call_fault_status },
	{ "submit", &call_submit },
	{ "reslist-create", &call_reslist_create },
	{ "reslist-update", &call_reslist_update },
	{ "reslist-destroy", &call_reslist_destroy },
	{ "submit-with-reslist", &call_submit_with },
	{ "wait", &call_wait },
}, sharing_calls[] = {
	{ "prime-import-second", &call_import_second },
	{ "prime-import-vgem", &call_import_vgem },
}, card_calls[] = {
	{ "dumb-create", &call_dumb_create },
	{ "add-framebuffer", &call_add_fb },
	{ "atomic-commit", &call_commit },
	{ "page-flip", &call_flip },
};

igt_main()
{
	static struct env env;

	igt_fixture() {
		open_render(&env);
		enable();
		init_submit(&env);
	}

	igt_describe("The call with its first, second, ... allocation failing: ENOMEM or success.");
	for (unsigned int i = 0; i < sizeof(render_calls) / sizeof(render_calls[0]); i++)
		igt_subtest(render_calls[i].name)
			inject(render_calls[i].call, &env);

	igt_fixture()
		open_card(&env);

	igt_describe("The same for mode setting.");
	for (unsigned int i = 0; i < sizeof(card_calls) / sizeof(card_calls[0]); i++)
		igt_subtest(card_calls[i].name)
			inject(card_calls[i].call, &env);

	igt_fixture()
		open_others(&env);

	igt_describe("The same for sharing with other devices, which needs heap GUEST.");
	for (unsigned int i = 0; i < sizeof(sharing_calls) / sizeof(sharing_calls[0]); i++)
		igt_subtest(sharing_calls[i].name)
			inject(sharing_calls[i].call, &env);
}
