// SPDX-License-Identifier: MIT
/*
 * The DRM back end: every operation is an ioctl, except reading the status page of a context.
 *
 * A GEM handle must belong to one BO only: if two BOs closed it, the second close could hit an
 * unrelated BO that got the handle in between. An import of a dma-buf that the file already knows
 * returns the existing handle, so all BOs are kept in a table by handle, and handles are created
 * and closed under its lock.
 */
#include "sundog_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <xf86drm.h>

#include "sundog_drm.h"

_Static_assert(SUNDOG_ACCESS_READ == DRM_SUNDOG_SUBMIT_READ, "access flags are passed through");
_Static_assert(SUNDOG_ACCESS_WRITE == DRM_SUNDOG_SUBMIT_WRITE, "access flags are passed through");
_Static_assert((int)SDRM_CONTEXT_LOST == DRM_SUNDOG_CONTEXT_LOST, "states are passed through");
_Static_assert((int)SDRM_CONTEXT_ENDED == DRM_SUNDOG_CONTEXT_ENDED, "states are passed through");
_Static_assert(SDRM_FAULT_DEVICE == DRM_SUNDOG_FAULT_DEVICE, "faults are passed through");
_Static_assert(SDRM_RESOURCE_SHARED == DRM_SUNDOG_RESOURCE_SHARED, "flags are passed through");

/* Syncs of most submissions; an array for them needs no memory. */
#define FEW_SYNCS 8
/* Mappings of fewer pages than TCG's smallest TLB has entries get any address, see apart(). */
#define APART_SIZE (64 * SUNDOG_PAGE_SIZE)

struct drm_device {
	struct sdrm_device base;
	pthread_mutex_t handles_lock;
	struct sdrm_bo **handles;
	uint32_t n_handles;
};

static struct drm_device *to_drm(struct sdrm_device *dev)
{
	return (struct drm_device *)dev;
}

static int call(struct sdrm_device *dev, unsigned long request, void *arg)
{
	return drmIoctl(dev->fd, request, arg) ? -errno : 0;
}

static void close_handle(struct sdrm_device *dev, uint32_t handle)
{
	drmCloseBufferHandle(dev->fd, handle);
}

/* The table of handles; the caller holds handles_lock, except for table_add() */

static int table_set(struct drm_device *drm, struct sdrm_bo *bo)
{
	const uint32_t handle = bo->handle;
	struct sdrm_bo **handles;
	uint32_t n = drm->n_handles ? drm->n_handles : 64;

	while (n <= handle)
		n *= 2;
	if (n != drm->n_handles) {
		handles = realloc(drm->handles, n * sizeof(*handles));
		if (!handles)
			return -ENOMEM;
		memset(handles + drm->n_handles, 0, (n - drm->n_handles) * sizeof(*handles));
		drm->handles = handles;
		drm->n_handles = n;
	}
	drm->handles[handle] = bo;
	return 0;
}

static int table_add(struct drm_device *drm, struct sdrm_bo **bos, uint32_t count)
{
	int ret = 0;

	pthread_mutex_lock(&drm->handles_lock);
	for (uint32_t i = 0; !ret && i < count; i++)
		ret = table_set(drm, bos[i]);
	pthread_mutex_unlock(&drm->handles_lock);
	return ret;
}

static void table_clear(struct drm_device *drm, struct sdrm_bo *bo)
{
	if (bo->handle < drm->n_handles && drm->handles[bo->handle] == bo)
		drm->handles[bo->handle] = NULL;
}

static void unmap(struct sdrm_bo *bo)
{
	void *map = atomic_exchange(&bo->map, NULL);

	if (!map)
		return;
	sdrm_fork_remove_map(&bo->drm.shared);
	munmap(map, bo->size);
}

/* Allocations */

static struct drm_sundog_alloc_desc *descs_new(struct sdrm_bo **bos, uint32_t count)
{
	struct drm_sundog_alloc_desc *descs = calloc(count ? count : 1, sizeof(*descs));

	for (uint32_t i = 0; descs && i < count; i++)
		descs[i] = (struct drm_sundog_alloc_desc){
			.size = bos[i]->size,
			.flags = bos[i]->private ? DRM_SUNDOG_ALLOC_PRIVATE : 0,
		};
	return descs;
}

static void bo_fill(struct sdrm_bo *bo, const struct drm_sundog_alloc_desc *desc, uint32_t kres)
{
	bo->handle = desc->handle;
	bo->size = desc->size;
	bo->drm.map_offset = desc->map_offset;
	bo->mem.kres = kres;
	bo->mem.index = kres ? desc->index : desc->device_handle;
}

static int drm_dealloc(struct sdrm_device *dev, struct sdrm_resource *res,
		       struct sdrm_bo **bos, uint32_t count);

static int drm_alloc(struct sdrm_device *dev, struct sdrm_resource *res,
		     struct sdrm_bo **bos, uint32_t count)
{
	struct drm_sundog_alloc_desc *descs = descs_new(bos, count);
	struct drm_sundog_alloc args = {
		.allocs = (uintptr_t)descs,
		.n_allocs = count,
		.alloc_stride = sizeof(*descs),
		.res = res ? res->id : 0,
	};
	int ret;

	if (!descs)
		return -ENOMEM;
	ret = call(dev, DRM_IOCTL_SUNDOG_ALLOC, &args);
	for (uint32_t i = 0; !ret && i < count; i++)
		bo_fill(bos[i], &descs[i], args.kres);
	free(descs);
	if (ret)
		return ret;
	if (res)
		res->kres = args.kres;
	ret = table_add(to_drm(dev), bos, count);
	if (ret)
		drm_dealloc(dev, res, bos, count);
	return ret;
}

static int dealloc_call(struct sdrm_device *dev, struct sdrm_resource *res,
			struct sdrm_bo **bos, uint32_t count)
{
	uint32_t small[8], *handles = small;
	struct drm_sundog_dealloc args = { .n_handles = count, .res = res ? res->id : 0 };
	int ret;

	if (bos[0]->drm.foreign) {
		close_handle(dev, bos[0]->handle);
		return 0;
	}
	if (count > sizeof(small) / sizeof(small[0]))
		handles = calloc(count, sizeof(*handles));
	if (!handles)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++)
		handles[i] = bos[i]->handle;
	args.handles = (uintptr_t)handles;
	ret = call(dev, DRM_IOCTL_SUNDOG_DEALLOC, &args);
	if (handles != small)
		free(handles);
	return ret;
}

static int drm_dealloc(struct sdrm_device *dev, struct sdrm_resource *res,
		       struct sdrm_bo **bos, uint32_t count)
{
	struct drm_device *drm = to_drm(dev);
	int ret;

	pthread_mutex_lock(&drm->handles_lock);
	ret = dealloc_call(dev, res, bos, count);
	/* -ENODEV: the device was unplugged, which freed the memory. */
	if (ret == -ENODEV)
		ret = 0;
	for (uint32_t i = 0; !ret && i < count; i++) {
		table_clear(drm, bos[i]);
		unmap(bos[i]);
		bos[i]->handle = 0;
	}
	pthread_mutex_unlock(&drm->handles_lock);
	return ret;
}

/* Resources */

static void destroy_call(struct sdrm_device *dev, uint64_t id)
{
	struct drm_sundog_resource_destroy args = { .res = id };

	call(dev, DRM_IOCTL_SUNDOG_RESOURCE_DESTROY, &args);
}

static void drm_resource_fini(struct sdrm_resource *res)
{
	struct drm_device *drm = to_drm(res->dev);

	pthread_mutex_lock(&drm->handles_lock);
	for (uint32_t i = 0; i < res->n_bos; i++) {
		if (!res->bos[i])
			continue;
		unmap(res->bos[i]);
		table_clear(drm, res->bos[i]);
	}
	destroy_call(res->dev, res->id);
	pthread_mutex_unlock(&drm->handles_lock);
}

/* Fills in the BOs of a resource and adds them to the table; destroys the resource on failure.
 * Other files may use the BOs of a shared resource. */
static int resource_publish(struct sdrm_resource *res, const struct drm_sundog_alloc_desc *descs)
{
	int ret;

	for (uint32_t i = 0; i < res->n_bos; i++) {
		bo_fill(res->bos[i], &descs[i], res->kres);
		res->bos[i]->drm.external = res->flags & SDRM_RESOURCE_SHARED;
	}
	ret = table_add(to_drm(res->dev), res->bos, res->n_bos);
	if (ret)
		drm_resource_fini(res);
	return ret;
}

static int drm_resource_new(struct sdrm_resource *res, const void *priv, size_t priv_size)
{
	struct drm_sundog_alloc_desc *descs = descs_new(res->bos, res->n_bos);
	struct drm_sundog_resource_create args = {
		.allocs = (uintptr_t)descs,
		.n_allocs = res->n_bos,
		.alloc_stride = sizeof(*descs),
		.priv = priv_size ? (uintptr_t)priv : 0,
		.priv_size = priv_size,
		.flags = res->flags,
	};
	int ret;

	if (!descs)
		return -ENOMEM;
	ret = call(res->dev, DRM_IOCTL_SUNDOG_RESOURCE_CREATE, &args);
	if (!ret) {
		res->id = args.res;
		res->kres = args.kres;
		ret = resource_publish(res, descs);
	}
	free(descs);
	return ret;
}

/* Opens a resource into *@descs, which this allocates as long as needed, and the buffer in
 * @args->priv. The caller frees *@descs. */
static int open_call(struct sdrm_device *dev, struct drm_sundog_resource_open *args,
		     struct drm_sundog_alloc_desc **descs)
{
	/* Without an array it only asks for the length, which is constant. */
	int ret = call(dev, DRM_IOCTL_SUNDOG_RESOURCE_OPEN, args);

	if (ret)
		return ret;
	*descs = calloc(args->n_allocs, sizeof(**descs));
	if (!*descs)
		return -ENOMEM;
	args->allocs = (uintptr_t)*descs;
	args->alloc_stride = sizeof(**descs);
	args->priv_size = DRM_SUNDOG_MAX_PRIVATE;
	return call(dev, DRM_IOCTL_SUNDOG_RESOURCE_OPEN, args);
}

/* Makes the object of a resource that the kernel has opened; closes the kernel's one on failure. */
static int adopt(struct sdrm_device *dev, const struct drm_sundog_resource_open *args,
		 const struct drm_sundog_alloc_desc *descs, const void *priv,
		 struct sdrm_resource **out)
{
	struct sdrm_resource *res = NULL;
	uint64_t *sizes = calloc(args->n_allocs, sizeof(*sizes));
	int ret = -ENOMEM;

	for (uint32_t i = 0; sizes && i < args->n_allocs; i++)
		sizes[i] = descs[i].size;
	if (sizes)
		res = sdrm_resource_alloc(dev, SDRM_RESOURCE_SHARED, sizes, args->n_allocs);
	free(sizes);
	if (res)
		ret = sdrm_resource_set_private(res, priv, args->priv_size);
	if (ret) {
		destroy_call(dev, args->res);
	} else {
		res->id = args->res;
		res->kres = args->kres;
		ret = resource_publish(res, descs);
	}
	if (!ret)
		*out = res;
	else if (res)
		sdrm_resource_free(res);
	return ret;
}

static int drm_resource_open(struct sdrm_device *dev, int fd, uint32_t *index,
			     struct sdrm_resource **out)
{
	char priv[DRM_SUNDOG_MAX_PRIVATE];
	struct drm_sundog_resource_open args = { .priv = (uintptr_t)priv, .fd = fd };
	struct drm_sundog_alloc_desc *descs = NULL;
	int ret = open_call(dev, &args, &descs);

	if (!ret)
		ret = adopt(dev, &args, descs, priv, out);
	free(descs);
	*index = args.index;
	return ret;
}

/* Imported handles */

static int bo_describe(struct sdrm_bo *bo)
{
	struct drm_sundog_alloc_info args = { .handle = bo->handle };
	int ret = call(bo->dev, DRM_IOCTL_SUNDOG_ALLOC_INFO, &args);

	if (ret)
		return ret;
	bo->size = args.size;
	bo->drm.map_offset = args.map_offset;
	bo->mem.kres = args.kres;
	bo->mem.index = args.kres ? args.index : args.device_handle;
	return 0;
}

static int bo_adopt(struct drm_device *drm, uint32_t handle, struct sdrm_bo **out)
{
	struct sdrm_bo *bo = sdrm_bo_alloc(&drm->base, NULL, SUNDOG_PAGE_SIZE);
	int ret;

	if (!bo)
		return -errno;
	bo->handle = handle;
	bo->drm.external = true;
	bo->drm.foreign = true;
	ret = bo_describe(bo);
	if (!ret)
		ret = table_set(drm, bo);
	if (ret) {
		sdrm_bo_free(bo);
		return ret;
	}
	*out = bo;
	return 0;
}

/* Gets a reference to the BO of a handle, or a new BO if it has none. -EAGAIN: another thread is
 * deleting the BO of the handle. The caller holds handles_lock. */
static int bo_of_handle(struct drm_device *drm, uint32_t handle, struct sdrm_bo **out)
{
	struct sdrm_bo *bo = handle < drm->n_handles ? drm->handles[handle] : NULL;

	if (!bo)
		return bo_adopt(drm, handle, out);
	if (!sdrm_bo_get(bo))
		return -EAGAIN;
	bo->drm.external = true;
	*out = bo;
	return 0;
}

static int drm_bo_import(struct sdrm_device *dev, int fd, struct sdrm_bo **out)
{
	struct drm_device *drm = to_drm(dev);
	uint32_t handle;
	int ret;

	for (;;) {
		pthread_mutex_lock(&drm->handles_lock);
		ret = drmPrimeFDToHandle(dev->fd, fd, &handle) ? -errno : 0;
		if (!ret) {
			ret = bo_of_handle(drm, handle, out);
			if (ret && ret != -EAGAIN)
				close_handle(dev, handle);
		}
		pthread_mutex_unlock(&drm->handles_lock);
		if (ret != -EAGAIN)
			return ret;
		sched_yield();
	}
}

static int drm_bo_from_gem(struct sdrm_device *dev, uint32_t handle, struct sdrm_bo **out)
{
	struct drm_device *drm = to_drm(dev);
	int ret;

	pthread_mutex_lock(&drm->handles_lock);
	ret = bo_of_handle(drm, handle, out);
	pthread_mutex_unlock(&drm->handles_lock);
	return ret == -EAGAIN ? -ENOENT : ret;
}

/* Marks the BO as external: the caller may pass the handle to code that uses the BO without this
 * library. */
static uint32_t drm_bo_gem(struct sdrm_bo *bo)
{
	bo->drm.external = true;
	return bo->handle;
}

/*
 * Returns a hint for the address of a mapping of @size bytes that leaves an unused page behind it,
 * or NULL if any address will do. Adjacent mappings of one size are that size apart, often a power
 * of two, so equal pages of both share an entry of TCG's direct-mapped TLB: a copy between them
 * misses it with each word and has a fifth of the speed.
 */
static void *apart(uint64_t size)
{
	const uint64_t reserved = size + SUNDOG_PAGE_SIZE;
	void *at;

	if (size < APART_SIZE)
		return NULL;
	at = mmap(NULL, reserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (at == MAP_FAILED)
		return NULL;
	munmap(at, reserved);
	return at;
}

static void *drm_bo_map(struct sdrm_bo *bo)
{
	void *own = mmap(apart(bo->size), bo->size, PROT_READ | PROT_WRITE, MAP_SHARED,
			 bo->dev->fd, bo->drm.map_offset);
	void *map = own;

	if (own == MAP_FAILED)
		return NULL;
	if (!sdrm_fork_publish_map(&bo->drm.shared, &bo->map, &map, bo->size))
		munmap(own, bo->size);
	return map;
}

static int drm_bo_export(struct sdrm_bo *bo)
{
	int fd;

	bo->drm.external = true;
	return drmPrimeHandleToFD(bo->dev->fd, bo->handle, DRM_CLOEXEC | DRM_RDWR, &fd) ?
	       -errno : fd;
}

static int drm_bo_wait(struct sdrm_bo *bo, bool write, int64_t timeout_ns)
{
	struct drm_sundog_wait args = {
		.handle = bo->handle,
		.flags = write ? DRM_SUNDOG_SUBMIT_WRITE : DRM_SUNDOG_SUBMIT_READ,
		.timeout_ns = timeout_ns,
	};
	struct sdrm_use use;
	uint64_t seqno;
	bool busy;

	if (!bo->drm.external) {
		sdrm_lock(&bo->dev->lock);
		busy = sdrm_use_busy(bo->dev, &bo->uses, write, &use, &seqno);
		sdrm_unlock(&bo->dev->lock);
		if (!busy)
			return 0;
	}
	return call(bo->dev, DRM_IOCTL_SUNDOG_WAIT, &args);
}

/* Contexts */

/* Takes a free timeline slot for the context. -EBUSY: all SUNDOG_MAX_CHANNELS slots are in use. */
static int take_slot(struct sdrm_context *ctx)
{
	struct sdrm_device *dev = ctx->dev;
	int ret = -EBUSY;

	sdrm_lock(&dev->lock);
	for (uint32_t slot = 0; ret && slot < SUNDOG_MAX_CHANNELS; slot++) {
		if (dev->timelines[slot].serial)
			continue;
		ctx->slot = slot;
		ctx->serial = sdrm_timeline_new(dev, slot, ctx->status);
		ret = 0;
	}
	sdrm_unlock(&dev->lock);
	return ret;
}

static void context_destroy(struct sdrm_context *ctx)
{
	struct drm_sundog_context_destroy args = { .ctx = ctx->drm.id };

	call(ctx->dev, DRM_IOCTL_SUNDOG_CONTEXT_DESTROY, &args);
}

static int drm_context_init(struct sdrm_context *ctx)
{
	struct sdrm_device *dev = ctx->dev;
	struct drm_sundog_context_create args = { 0 };
	void *status;
	int ret = call(dev, DRM_IOCTL_SUNDOG_CONTEXT_CREATE, &args);

	if (ret)
		return ret;
	ctx->drm.id = args.ctx;
	status = mmap(NULL, SUNDOG_PAGE_SIZE, PROT_READ, MAP_SHARED, dev->fd, args.status_offset);
	if (status == MAP_FAILED) {
		ret = -errno;
		goto out_context;
	}
	ctx->status = status;
	sdrm_fork_add_map(&ctx->drm.shared, status, SUNDOG_PAGE_SIZE);
	if (drmSyncobjCreate(dev->fd, 0, &ctx->drm.timeline)) {
		ret = -errno;
		goto out_status;
	}
	ret = take_slot(ctx);
	if (!ret)
		return 0;
	drmSyncobjDestroy(dev->fd, ctx->drm.timeline);
out_status:
	sdrm_fork_remove_map(&ctx->drm.shared);
	munmap(status, SUNDOG_PAGE_SIZE);
out_context:
	context_destroy(ctx);
	return ret;
}

static bool drm_context_is_lost(struct sdrm_context *ctx)
{
	const struct drm_sundog_status *status = (const void *)ctx->status;

	return __atomic_load_n(&status->lost, __ATOMIC_RELAXED);
}

/* The fences of a lost context signal, too, but status->completed never reaches their seqno. */
static int drm_point_wait(struct sdrm_context *ctx, const struct sdrm_point *at,
			  int64_t timeout_ns)
{
	uint32_t handle = ctx->drm.timeline;
	uint64_t point = at->syncobj;
	int ret;

	/* A caller that polls has read the status page, which suffices unless the context was lost,
	 * or the page reads as zero because the context is gone: then only the syncobj tells. */
	if (timeout_ns <= 0 && sdrm_seqno_done(ctx->status, 1) && !drm_context_is_lost(ctx))
		return -ETIME;
	ret = drmSyncobjTimelineWait(ctx->dev->fd, &handle, &point, 1, timeout_ns, 0, NULL);
	if (ret)
		return ret;
	return sdrm_seqno_done(ctx->status, at->seqno) ? 0 : -EIO;
}

/* Waits for the submission that may still run after the context was destroyed: its BOs must not
 * look idle, which they do when the timeline's serial is cleared. */
static void drm_context_fini(struct sdrm_context *ctx)
{
	struct sdrm_device *dev = ctx->dev;

	context_destroy(ctx);
	if (ctx->last.seqno)
		drm_point_wait(ctx, &ctx->last, SDRM_FOREVER);
	sdrm_lock(&dev->lock);
	dev->timelines[ctx->slot].serial = 0;
	sdrm_unlock(&dev->lock);
	sdrm_fork_remove_map(&ctx->drm.shared);
	munmap((void *)ctx->status, SUNDOG_PAGE_SIZE);
	drmSyncobjDestroy(dev->fd, ctx->drm.timeline);
	if (ctx->drm.in)
		drmSyncobjDestroy(dev->fd, ctx->drm.in);
	free(ctx->drm.allocs);
}

static int drm_context_query(struct sdrm_context *ctx, struct sdrm_context_status *status)
{
	struct drm_sundog_context_query args = { .ctx = ctx->drm.id };
	int ret = call(ctx->dev, DRM_IOCTL_SUNDOG_CONTEXT_QUERY, &args);

	if (ret)
		return ret;
	*status = (struct sdrm_context_status){
		.state = args.state,
		.fault = args.fault,
		.seqno = args.seqno,
		.offset = args.offset,
		.arg = args.arg,
		.guilty = args.guilt == DRM_SUNDOG_GUILTY,
	};
	return 0;
}

/* Residency lists */

static int drm_reslist_init(struct sdrm_reslist *list)
{
	struct drm_sundog_reslist_create args = { 0 };
	int ret = call(list->dev, DRM_IOCTL_SUNDOG_RESLIST_CREATE, &args);

	list->id = args.reslist;
	return ret;
}

static void drm_reslist_fini(struct sdrm_reslist *list)
{
	struct drm_sundog_reslist_destroy args = { .reslist = list->id };

	call(list->dev, DRM_IOCTL_SUNDOG_RESLIST_DESTROY, &args);
}

/* Marks the BO as external: submissions that use a residency list do not add to its uses, so only
 * the kernel knows whether it is idle. */
static int drm_reslist_set(struct sdrm_reslist *list, struct sdrm_bo *bo, uint32_t access)
{
	const struct drm_sundog_submit_alloc alloc = {
		.handle = bo->handle, .flags = access
	};
	struct drm_sundog_reslist_update args = {
		.allocs = (uintptr_t)&alloc,
		.n_allocs = 1,
		.alloc_stride = sizeof(alloc),
		.reslist = list->id,
	};

	bo->drm.external = true;
	return call(list->dev, DRM_IOCTL_SUNDOG_RESLIST_UPDATE, &args);
}

/* Submissions */

/* Private BOs have no implicit synchronisation; all others may be shared or shown, or used by
 * several contexts whose order the library does not know. */
static uint32_t alloc_flags(const struct sdrm_bo *bo, uint32_t access)
{
	return bo->private ? access : access | DRM_SUNDOG_SUBMIT_IMPLICIT;
}

static int fill_allocs(struct sdrm_context *ctx, const struct sdrm_list *list)
{
	if (ctx->drm.max_allocs < list->count) {
		void *allocs = realloc(ctx->drm.allocs, list->size * sizeof(*ctx->drm.allocs));

		if (!allocs)
			return -ENOMEM;
		ctx->drm.allocs = allocs;
		ctx->drm.max_allocs = list->size;
	}
	for (uint32_t i = 0; i < list->count; i++)
		ctx->drm.allocs[i] = (struct drm_sundog_submit_alloc){
			.handle = list->items[i].bo->handle,
			.flags = alloc_flags(list->items[i].bo, list->items[i].access),
		};
	return 0;
}

/* Imports a sync_file into the context's in-fence syncobj; DRM_SUNDOG_SUBMIT takes the fence. */
static int set_in_fence(struct sdrm_context *ctx, int fd)
{
	const int drm = ctx->dev->fd;

	if (!ctx->drm.in && drmSyncobjCreate(drm, 0, &ctx->drm.in))
		return -errno;
	return drmSyncobjImportSyncFile(drm, ctx->drm.in, fd) ? -errno : 0;
}

/* Writes @n syncs with @flags to @to. Returns where the next one goes. */
static struct drm_sundog_sync *put_syncs(struct drm_sundog_sync *to, uint32_t flags,
					 const struct sdrm_sync *syncs, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		*to++ = (struct drm_sundog_sync){
			.type = syncs[i].point ? DRM_SUNDOG_SYNC_TYPE_TIMELINE :
						 DRM_SUNDOG_SYNC_TYPE_BINARY,
			.flags = flags,
			.handle = syncs[i].handle,
			.point = syncs[i].point,
		};
	return to;
}

/* Submits with @syncs, the context's own timeline at @point, and its in-fence syncobj if
 * @in_fence. */
static int submit_with(struct sdrm_submit *submit, const struct sdrm_syncs *syncs,
		       bool in_fence, struct drm_sundog_submit *args, uint64_t point)
{
	const struct sdrm_context *ctx = submit->ctx;
	const struct sdrm_sync own = { ctx->drm.timeline, point }, in = { ctx->drm.in, 0 };
	const uint32_t n = syncs->n_waits + syncs->n_signals + 2;
	struct drm_sundog_sync few[FEW_SYNCS], *list = few, *end;
	int ret;

	if (n > FEW_SYNCS) {
		list = malloc(n * sizeof(*list));
		if (!list)
			return -ENOMEM;
	}
	end = put_syncs(list, DRM_SUNDOG_SYNC_WAIT, syncs->waits, syncs->n_waits);
	end = put_syncs(end, DRM_SUNDOG_SYNC_WAIT, &in, in_fence);
	end = put_syncs(end, DRM_SUNDOG_SYNC_SIGNAL, syncs->signals, syncs->n_signals);
	end = put_syncs(end, DRM_SUNDOG_SYNC_SIGNAL, &own, 1);
	args->syncs = (uintptr_t)list;
	args->n_syncs = end - list;
	args->sync_stride = sizeof(*list);
	ret = call(ctx->dev, DRM_IOCTL_SUNDOG_SUBMIT, args);
	if (list != few)
		free(list);
	return ret;
}

static int drm_submit(struct sdrm_submit *submit, int in_fence_fd,
		      const struct sdrm_syncs *syncs, struct sdrm_point *at)
{
	struct sdrm_context *ctx = submit->ctx;
	const uint64_t point = ctx->last.syncobj + 1;
	struct drm_sundog_submit args = {
		.ctx = ctx->drm.id,
		.stream_size = submit->stream.used * 4,
		.n_allocs = submit->list.count,
		.alloc_stride = sizeof(*ctx->drm.allocs),
		.reslist = submit->reslist ? submit->reslist->id : 0,
	};
	int ret = fill_allocs(ctx, &submit->list);

	if (!ret && in_fence_fd >= 0)
		ret = set_in_fence(ctx, in_fence_fd);
	if (ret)
		return ret;
	if (args.stream_size) {
		args.stream = submit->chunk->bo->handle;
		args.stream_offset = submit->chunk->used * 4ull;
	}
	args.allocs = (uintptr_t)ctx->drm.allocs;
	ret = submit_with(submit, syncs, in_fence_fd >= 0, &args, point);
	if (ret)
		return ret;
	*at = (struct sdrm_point){ .seqno = args.seqno, .syncobj = point };
	return 0;
}

static int drm_fence_export(struct sdrm_fence *fence)
{
	struct sdrm_context *ctx = fence->ctx;
	const int drm = ctx->dev->fd;
	uint32_t binary;
	int fd = -1, ret;

	if (drmSyncobjCreate(drm, 0, &binary))
		return -errno;
	ret = drmSyncobjTransfer(drm, binary, 0, ctx->drm.timeline, fence->at.syncobj, 0);
	if (!ret)
		ret = drmSyncobjExportSyncFile(drm, binary, &fd);
	if (ret)
		ret = -errno;
	drmSyncobjDestroy(drm, binary);
	return ret ? ret : fd;
}

/* Device */

static void drm_device_fini(struct sdrm_device *dev)
{
	struct drm_device *drm = to_drm(dev);

	sdrm_fork_close(&dev->fd);
	free(drm->handles);
	pthread_mutex_destroy(&drm->handles_lock);
	sdrm_device_fini(dev);
	free(drm);
}

static int get_param(struct sdrm_device *dev, uint32_t param, uint64_t *value)
{
	struct drm_sundog_get_param args = { .param = param };
	int ret = call(dev, DRM_IOCTL_SUNDOG_GET_PARAM, &args);

	*value = args.value;
	return ret;
}

static uint64_t drm_vram_free(struct sdrm_device *dev)
{
	uint64_t bytes;

	return get_param(dev, DRM_SUNDOG_PARAM_VRAM_FREE, &bytes) ? 0 : bytes;
}

static int drm_reopen(struct sdrm_device *dev);

static const struct sdrm_ops drm_ops = {
	.device_fini = drm_device_fini,
	.reopen = drm_reopen,
	.resource_new = drm_resource_new,
	.resource_open = drm_resource_open,
	.resource_fini = drm_resource_fini,
	.alloc = drm_alloc,
	.dealloc = drm_dealloc,
	.bo_import = drm_bo_import,
	.bo_from_gem = drm_bo_from_gem,
	.bo_gem = drm_bo_gem,
	.bo_map = drm_bo_map,
	.bo_export = drm_bo_export,
	.bo_wait = drm_bo_wait,
	.vram_free = drm_vram_free,
	.context_init = drm_context_init,
	.context_fini = drm_context_fini,
	.context_is_lost = drm_context_is_lost,
	.context_query = drm_context_query,
	.reslist_init = drm_reslist_init,
	.reslist_fini = drm_reslist_fini,
	.reslist_set = drm_reslist_set,
	.submit = drm_submit,
	.point_wait = drm_point_wait,
	.fence_export = drm_fence_export,
};

/* Major version of the kernel driver whose interface uapi/sundog_drm.h describes. */
#define DRIVER_MAJOR 3

static int is_sundog(int fd)
{
	drmVersionPtr version = drmGetVersion(fd);
	int ret = version && !strcmp(version->name, "sundog") ? 0 : -ENODEV;

	if (!ret && version->version_major != DRIVER_MAJOR)
		ret = sdrm_version_differs("the kernel driver's version is",
					   version->version_major, version->version_minor,
					   DRIVER_MAJOR);
	drmFreeVersion(version);
	return ret;
}

static int probe(struct sdrm_device *dev)
{
	struct drm_sundog_get_caps caps = {
		.data = (uintptr_t)&dev->caps, .size = sizeof(dev->caps)
	};
	uint64_t protocol, max_list;
	int ret = is_sundog(dev->fd);

	if (!ret)
		ret = get_param(dev, DRM_SUNDOG_PARAM_PROTOCOL, &protocol);
	if (!ret && protocol >> 16 != SUNDOG_VERSION_MAJOR)
		ret = sdrm_version_differs("the device's protocol is", protocol >> 16,
					   protocol & 0xffff, SUNDOG_VERSION_MAJOR);
	if (!ret)
		ret = get_param(dev, DRM_SUNDOG_PARAM_VRAM_SIZE, &dev->vram_size);
	if (!ret)
		ret = get_param(dev, DRM_SUNDOG_PARAM_MAX_LIST, &max_list);
	if (!ret)
		ret = call(dev, DRM_IOCTL_SUNDOG_GET_CAPS, &caps);
	if (!ret && caps.version >> 16 != SUNDOG_VERSION_MAJOR)
		ret = -EPROTONOSUPPORT;
	if (ret)
		return ret;
	/* The kernel does not look at the block, and the host wrote it. */
	dev->caps.host_driver[sizeof(dev->caps.host_driver) - 1] = 0;
	dev->caps.host_device[sizeof(dev->caps.host_device) - 1] = 0;
	dev->max_list = max_list;
	return 0;
}

/*
 * Opens the render node with this number. Other nodes are not opened again: the program may use the
 * file that it has opened beside the device, for a screen and with handles of this library.
 */
static int open_node(dev_t number)
{
	drmDevicePtr device;
	int fd;

	if (drmGetNodeTypeFromDevId(number) != DRM_NODE_RENDER ||
	    drmGetDeviceFromDevId(number, 0, &device))
		return -ENODEV;
	fd = open(device->nodes[DRM_NODE_RENDER], O_RDWR | O_CLOEXEC);
	if (fd < 0)
		fd = -errno;
	drmFreeDevice(&device);
	return fd;
}

/* The new file gets the number of the old one, which callers of sdrm_device_fd() know. */
static int drm_reopen(struct sdrm_device *dev)
{
	struct drm_device *drm = to_drm(dev);
	struct sdrm_device now = { .fd = open_node(dev->node) };
	int ret = now.fd < 0 ? now.fd : probe(&now);

	if (!ret && !sdrm_device_is(&now, &dev->caps, dev->vram_size))
		ret = -ENODEV;
	if (!ret)
		ret = sdrm_fork_replace(dev, now.fd);
	else if (now.fd >= 0)
		close(now.fd);
	if (ret)
		return ret;
	/*
	 * The table has BOs of the parent's file. It is not freed: another thread, which the child
	 * lacks, may have been inside realloc(), or have held the lock.
	 */
	drm->handles = NULL;
	drm->n_handles = 0;
	pthread_mutex_init(&drm->handles_lock, NULL);
	return 0;
}

SUNDOG_PUBLIC struct sdrm_device *sdrm_device_new(int fd)
{
	struct drm_device *drm = calloc(1, sizeof(*drm));
	int ret;

	if (!drm)
		return NULL;
	sdrm_device_init(&drm->base, &drm_ops);
	pthread_mutex_init(&drm->handles_lock, NULL);
	drm->base.fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	ret = drm->base.fd < 0 ? -errno : probe(&drm->base);
	if (ret) {
		drm_device_fini(&drm->base);
		errno = -ret;
		return NULL;
	}
	return &drm->base;
}
