// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * GEM handles that res ids brought, and are to close: a number comes again as soon as user space
 * closed it, perhaps for the same allocation, and then is not theirs any more.
 */

#include <drm/drm_file.h>
#include <drm/drm_gem.h>

#include "sundog_bo.h"
#include "sundog_file.h"
#include "sundog_handle.h"

/* No GEM handle is 0, so none has place 1. */
#define SUNDOG_HANDLE_PLACE(handle)	((handle) + 1UL)

/**
 * sundog_handle_note() - a res id brought a GEM handle
 * @file: DRM file
 * @handle: GEM handle, which was made just now
 * @res: res id
 *
 * Return: 0 or -ENOMEM.
 */
int sundog_handle_note(struct drm_file *file, u32 handle, struct sundog_res *res)
{
	struct sundog_file *sfile = file->driver_priv;

	return xa_err(xa_store(&sfile->handles, SUNDOG_HANDLE_PLACE(handle), res, GFP_KERNEL));
}

/**
 * sundog_handle_res() - which res id brought a GEM handle?
 * @file: DRM file
 * @handle: GEM handle
 *
 * Return: the res id, to be compared only, or NULL.
 */
struct sundog_res *sundog_handle_res(struct drm_file *file, u32 handle)
{
	struct sundog_file *sfile = file->driver_priv;

	return xa_load(&sfile->handles, SUNDOG_HANDLE_PLACE(handle));
}

/**
 * sundog_handle_forget() - a GEM handle is closed, or about to be
 * @file: DRM file
 * @handle: GEM handle
 * @res: res id, which need not be there any more
 *
 * A number comes again at once, also for the same allocation: brought by another id, or an import.
 *
 * Return: whether it was the handle that @res brought, until now.
 */
bool sundog_handle_forget(struct drm_file *file, u32 handle, struct sundog_res *res)
{
	struct sundog_file *sfile = file->driver_priv;

	return xa_cmpxchg(&sfile->handles, SUNDOG_HANDLE_PLACE(handle), res, NULL,
			  GFP_KERNEL) == res;
}

/**
 * sundog_handle_close() - close a GEM handle if it still means that allocation
 * @file: DRM file
 * @res: res id that brought it, or NULL
 * @handle: GEM handle, which user space may have closed and reused
 * @bo: allocation
 *
 * The DRM core cannot look and delete in one step: who closes and reuses a handle while it is given
 * up otherwise can lose what it means then, which is the file's own and nobody else's.
 */
void sundog_handle_close(struct drm_file *file, struct sundog_res *res, u32 handle,
			 struct sundog_bo *bo)
{
	const struct drm_gem_object *now;

	if (res && !sundog_handle_forget(file, handle, res))
		return;
	spin_lock(&file->table_lock);
	now = idr_find(&file->object_idr, handle);
	spin_unlock(&file->table_lock);
	if (now == &bo->tbo.base)
		drm_gem_handle_delete(file, handle);
}
