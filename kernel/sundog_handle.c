// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * GEM handles that res ids brought. RESOURCE_DESTROY closes them, except those that user space
 * closed: the core gives such a number out again, perhaps for the same allocation.
 *
 * &drm_gem_object_funcs.close is not told the number. It is called after the core has cleared the
 * number's slot and before the number is free, so a lookup finds out which handle it is. For that
 * each file knows its res ids by kres; most resources have one in a file.
 */

#include <drm/drm_file.h>
#include <drm/drm_gem.h>

#include "sundog_bo.h"
#include "sundog_file.h"
#include "sundog_handle.h"
#include "sundog_res.h"
#include "sundog_resource.h"

static bool sundog_handle_is_of(struct drm_file *file, u32 handle, const struct sundog_bo *bo)
{
	struct sundog_bo *now = sundog_bo_lookup(file, handle);

	if (now)
		sundog_bo_put(now);
	return now == bo;
}

/**
 * sundog_handle_untrack() - undo sundog_handle_track(), if that was called
 * @res: res id; the caller holds the file's handles_lock
 */
void sundog_handle_untrack(struct sundog_res *res)
{
	struct sundog_file *sfile = res->file->driver_priv;
	struct sundog_res *other;

	lockdep_assert_held(&sfile->handles_lock);
	if (!res->kres)
		return;
	other = xa_load(&sfile->opens, res->kres);
	if (other != res) {
		while (other->next_open != res)
			other = other->next_open;
		other->next_open = res->next_open;
	} else if (res->next_open) {
		xa_store(&sfile->opens, res->kres, res->next_open, GFP_KERNEL);
	} else {
		xa_erase(&sfile->opens, res->kres);
	}
	res->kres = 0;
}

/**
 * sundog_handle_track() - from now on the res id forgets handles that user space closes
 * @res: res id; the caller holds the file's handles_lock
 * @kres: of its resource
 *
 * Return: 0 or -ENOMEM.
 */
int sundog_handle_track(struct sundog_res *res, u32 kres)
{
	struct sundog_file *sfile = res->file->driver_priv;
	struct sundog_res *others;

	lockdep_assert_held(&sfile->handles_lock);
	if (res->kres == kres)
		return 0;
	/* A call that failed took its first kres back. */
	sundog_handle_untrack(res);
	others = xa_load(&sfile->opens, kres);
	if (xa_is_err(xa_store(&sfile->opens, kres, res, GFP_KERNEL)))
		return -ENOMEM;
	res->next_open = others;
	res->kres = kres;
	return 0;
}

/**
 * sundog_handle_delete() - close a GEM handle if it still means that allocation
 * @file: DRM file
 * @handle: GEM handle, which user space may have closed and reused
 * @bo: allocation
 *
 * The DRM core cannot look and delete in one step: a thread that closes and reuses a handle during
 * this call can lose the new handle, which is its own file's.
 */
void sundog_handle_delete(struct drm_file *file, u32 handle, const struct sundog_bo *bo)
{
	if (sundog_handle_is_of(file, handle, bo))
		drm_gem_handle_delete(file, handle);
}

/**
 * sundog_handle_opened() - &drm_gem_object_funcs.open
 * @obj: GEM object that gets a handle
 * @file: DRM file of the handle
 *
 * PRIVATE allocations have the reservation of their file. Another file can name them only by a
 * global name (GEM_FLINK). An import of another driver's dma-buf is charged to the importing file,
 * which is not known before.
 *
 * Return: 0, -EPERM if @obj is PRIVATE and not @file's, or -EDQUOT.
 */
int sundog_handle_opened(struct drm_gem_object *obj, struct drm_file *file)
{
	struct sundog_bo *bo = to_sundog_bo(obj);
	struct sundog_file *sfile = file->driver_priv;

	if (bo->file_resv && bo->file_resv != sfile->resv)
		return -EPERM;
	return bo->guest && !bo->quota ? sundog_bo_charge_import(bo, sfile->quota) : 0;
}

/**
 * sundog_handle_closed() - &drm_gem_object_funcs.close: the res id that brought it forgets a handle
 * @obj: GEM object
 * @file: DRM file of the handle
 *
 * GEM_CHANGE_HANDLE does not come here. RESOURCE_DESTROY does not close a handle whose number was
 * changed: that is left to user space, or to the close of the file.
 */
void sundog_handle_closed(struct drm_gem_object *obj, struct drm_file *file)
{
	struct sundog_bo *bo = to_sundog_bo(obj);
	struct sundog_file *sfile = file->driver_priv;
	const u64 name = READ_ONCE(bo->name);
	const u32 index = lower_32_bits(name);
	struct sundog_res_handle *handle;
	struct sundog_res *res;

	/* All handles of a file that closes go before its res ids. */
	if (!name || sfile->closing)
		return;
	mutex_lock(&sfile->handles_lock);
	for (res = xa_load(&sfile->opens, upper_32_bits(name)); res; res = res->next_open) {
		handle = index < res->n_handles ? &res->handles[index] : NULL;
		if (handle && handle->bo == bo && !sundog_handle_is_of(file, handle->handle, bo))
			handle->bo = NULL;
	}
	mutex_unlock(&sfile->handles_lock);
}
