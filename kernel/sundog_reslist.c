// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Residency lists: lists of allocations that many submissions use. The GEM handles are looked up
 * once, when an allocation is added, and not in each submission.
 *
 * A list belongs to its file and has a GEM reference to each of its allocations. A job takes
 * references to the allocations that are on the list when the job is created (for PRIVATE
 * allocations see sundog_private_list.c). Later updates do not affect queued jobs.
 *
 * The functions run in ioctls and in the close of a file. The lock of a list protects its entries.
 */

#include <linux/err.h>
#include <linux/slab.h>

#include <drm/drm_file.h>
#include "uapi/sundog_drm.h"

#include "sundog_array.h"
#include "sundog_bo.h"
#include "sundog_file.h"
#include "sundog_quota.h"
#include "sundog_private_list.h"
#include "sundog_reslist.h"

/**
 * sundog_reslist_flags_are_valid() - check the flags of a listed allocation
 * @flags: DRM_SUNDOG_SUBMIT_*
 *
 * Return: true if @flags has READ or WRITE, and no unknown flag.
 */
bool sundog_reslist_flags_are_valid(u32 flags)
{
	return flags & SUNDOG_SUBMIT_ACCESS &&
	       !(flags & ~(SUNDOG_SUBMIT_ACCESS | DRM_SUNDOG_SUBMIT_IMPLICIT));
}

static struct xarray *sundog_reslist_part(struct sundog_reslist *list, const struct sundog_bo *bo)
{
	return bo->file_resv ? &list->private : &list->entries;
}

/* Moves an entry from the list to @removed, for sundog_reslist_free_entries(). */
static void sundog_reslist_remove(struct sundog_reslist *list, struct sundog_reslist_entry *entry,
				  struct list_head *removed)
{
	xa_erase(sundog_reslist_part(list, entry->bo), entry->bo->handle);
	list_move(&entry->touched, removed);
	list->n--;
	if (entry->bo->file_resv)
		list->n_private--;
}

/* Called without list->lock: dropping the last reference to an allocation may take long. */
static void sundog_reslist_free_entries(struct sundog_reslist *list, struct list_head *removed)
{
	struct sundog_reslist_entry *entry, *next;

	list_for_each_entry_safe(entry, next, removed, touched) {
		sundog_bo_put(entry->bo);
		sundog_quota_uncharge(list->quota, 1, 0);
		kfree(entry);
	}
}

static void sundog_reslist_free_part(struct sundog_reslist *list, struct xarray *part)
{
	struct sundog_reslist_entry *entry;
	unsigned long handle;
	LIST_HEAD(removed);

	xa_for_each(part, handle, entry)
		sundog_reslist_remove(list, entry, &removed);
	sundog_reslist_free_entries(list, &removed);
	xa_destroy(part);
}

static void sundog_reslist_free(struct kref *kref)
{
	struct sundog_reslist *list = container_of(kref, struct sundog_reslist, kref);

	if (list->privates)
		sundog_private_list_put(list->privates);
	sundog_reslist_free_part(list, &list->entries);
	sundog_reslist_free_part(list, &list->private);
	mutex_destroy(&list->lock);
	sundog_quota_uncharge(list->quota, 1, 0);
	kfree(list);
}

/**
 * sundog_reslist_put() - drop a reference
 * @list: residency list
 */
void sundog_reslist_put(struct sundog_reslist *list)
{
	kref_put(&list->kref, sundog_reslist_free);
}

/**
 * sundog_reslist_lookup() - find a residency list
 * @file: DRM file
 * @id: id of the list
 *
 * Return: the list with a reference, or NULL.
 */
struct sundog_reslist *sundog_reslist_lookup(struct drm_file *file, u32 id)
{
	struct sundog_file *sfile = file->driver_priv;
	struct sundog_reslist *list;

	xa_lock(&sfile->reslists);
	list = xa_load(&sfile->reslists, id);
	if (list)
		kref_get(&list->kref);
	xa_unlock(&sfile->reslists);
	return list;
}

/**
 * sundog_reslist_privates() - get the private list of a residency list
 * @list: residency list; the caller holds its lock
 * @privates: set to the private list with a reference, or to NULL if @list has no PRIVATE BO
 *
 * Return: 0 or -ENOMEM.
 */
int sundog_reslist_privates(struct sundog_reslist *list, struct sundog_private_list **privates)
{
	struct sundog_reslist_entry *entry;
	unsigned long handle;

	lockdep_assert_held(&list->lock);
	*privates = NULL;
	if (!list->n_private)
		return 0;
	if (!list->privates) {
		list->privates = sundog_private_list_create(list->n_private);
		if (!list->privates)
			return -ENOMEM;
		xa_for_each(&list->private, handle, entry)
			sundog_private_list_add(list->privates, entry->bo, entry->flags);
	}
	sundog_private_list_get(list->privates);
	*privates = list->privates;
	return 0;
}

/**
 * sundog_reslist_has_privates() - check whether a private list is still the current one
 * @list: residency list
 * @privates: private list from sundog_reslist_privates(), with a reference
 *
 * Return: true if no update followed; without the lock of @list an update may follow at any time.
 */
bool sundog_reslist_has_privates(const struct sundog_reslist *list,
				 const struct sundog_private_list *privates)
{
	return READ_ONCE(list->privates) == privates;
}

/* Takes over the reference to @bo, on success. */
static struct sundog_reslist_entry *sundog_reslist_insert(struct sundog_reslist *list,
							  struct sundog_bo *bo)
{
	struct sundog_reslist_entry *entry;
	int ret;

	ret = sundog_quota_charge(list->quota, 1, 0);
	if (ret)
		return ERR_PTR(ret);
	entry = kzalloc_obj(*entry, GFP_KERNEL_ACCOUNT);
	if (!entry) {
		ret = -ENOMEM;
		goto err_uncharge;
	}
	entry->bo = bo;
	INIT_LIST_HEAD(&entry->touched);
	ret = xa_insert(sundog_reslist_part(list, bo), bo->handle, entry, GFP_KERNEL);
	if (ret)
		goto err_free;
	list->n++;
	if (bo->file_resv)
		list->n_private++;
	return entry;

err_free:
	kfree(entry);
err_uncharge:
	sundog_quota_uncharge(list->quota, 1, 0);
	return ERR_PTR(ret);
}

/* Finds the entry of @bo, or adds it if @add is set. On success @bo's reference is consumed. */
static struct sundog_reslist_entry *sundog_reslist_find(struct sundog_reslist *list,
							struct sundog_bo *bo, bool add)
{
	struct sundog_reslist_entry *entry = xa_load(sundog_reslist_part(list, bo), bo->handle);

	if (entry) {
		sundog_bo_put(bo);
		return entry;
	}
	return add ? sundog_reslist_insert(list, bo) : ERR_PTR(-ENOENT);
}

/*
 * First step of an update, which can fail: finds or adds the entry of @alloc and puts it on
 * list->touched. Its flags do not change yet. On failure the caller drops the reference in
 * *@unused, if any, without list->lock.
 */
static int sundog_reslist_prepare(struct sundog_reslist *list, struct drm_file *file,
				  const struct drm_sundog_submit_alloc *alloc,
				  struct sundog_bo **unused)
{
	struct sundog_reslist_entry *entry;
	struct sundog_bo *bo;

	if (alloc->flags && !sundog_reslist_flags_are_valid(alloc->flags))
		return -EINVAL;
	bo = sundog_bo_lookup(file, alloc->handle);
	if (!bo)
		return -ENOENT;
	entry = sundog_reslist_find(list, bo, alloc->flags);
	if (IS_ERR(entry)) {
		*unused = bo;
		return PTR_ERR(entry);
	}
	entry->wanted = alloc->flags;
	if (list_empty(&entry->touched))
		list_add_tail(&entry->touched, &list->touched);
	return 0;
}

/* Checks the limit for the update as a whole, so that removed entries make room for added ones. */
static int sundog_reslist_apply(struct sundog_reslist *list)
{
	struct sundog_reslist_entry *entry;
	u32 n = list->n;

	list_for_each_entry(entry, &list->touched, touched)
		n -= !entry->wanted;
	if (n > SUNDOG_LIST_ENTRIES)
		return -EDQUOT;
	list_for_each_entry(entry, &list->touched, touched)
		entry->flags = entry->wanted;
	return 0;
}

/* Removes entries without flags: those that the update removes, or that a failed update added. */
static void sundog_reslist_sweep(struct sundog_reslist *list, struct list_head *removed)
{
	struct sundog_reslist_entry *entry, *next;

	list_for_each_entry_safe(entry, next, &list->touched, touched) {
		if (entry->flags)
			list_del_init(&entry->touched);
		else
			sundog_reslist_remove(list, entry, removed);
	}
}

static int sundog_reslist_update(struct sundog_reslist *list, struct drm_file *file,
				 const struct drm_sundog_submit_alloc *allocs, u32 n)
{
	struct sundog_private_list *privates;
	struct sundog_bo *unused = NULL;
	LIST_HEAD(removed);
	u32 i;
	int ret;

	ret = mutex_lock_interruptible(&list->lock);
	if (ret)
		return ret;
	for (i = 0; !ret && i < n; i++)
		ret = sundog_reslist_prepare(list, file, &allocs[i], &unused);
	if (!ret)
		ret = sundog_reslist_apply(list);
	/*
	 * Jobs keep their references to the old private list. The pointer changes before the GEM
	 * references of removed entries are dropped, as sundog_submit_note_update() requires.
	 */
	privates = list->privates;
	WRITE_ONCE(list->privates, NULL);
	sundog_reslist_sweep(list, &removed);
	mutex_unlock(&list->lock);

	if (privates)
		sundog_private_list_put(privates);
	if (unused)
		sundog_bo_put(unused);
	sundog_reslist_free_entries(list, &removed);
	return ret;
}

/**
 * sundog_ioctl_reslist_create() - DRM_IOCTL_SUNDOG_RESLIST_CREATE
 * @drm: DRM device
 * @data: struct drm_sundog_reslist_create
 * @file: DRM file
 *
 * Return: 0 or a negative error code.
 */
int sundog_ioctl_reslist_create(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct sundog_file *sfile = file->driver_priv;
	struct drm_sundog_reslist_create *args = data;
	struct sundog_reslist *list;
	u32 id;
	int ret;

	if (args->flags)
		return -EINVAL;
	ret = sundog_quota_charge(sfile->quota, 1, 0);
	if (ret)
		return ret;
	list = kzalloc_obj(*list, GFP_KERNEL_ACCOUNT);
	if (!list) {
		sundog_quota_uncharge(sfile->quota, 1, 0);
		return -ENOMEM;
	}
	list->quota = sfile->quota;
	kref_init(&list->kref);
	mutex_init(&list->lock);
	INIT_LIST_HEAD(&list->touched);
	xa_init_flags(&list->entries, XA_FLAGS_ACCOUNT);
	xa_init_flags(&list->private, XA_FLAGS_ACCOUNT);
	/* xa_alloc() may write the id even if it fails, but a failed ioctl changes no argument. */
	ret = xa_alloc(&sfile->reslists, &id, list, xa_limit_31b, GFP_KERNEL);
	if (ret)
		sundog_reslist_put(list);
	else
		args->reslist = id;
	return ret;
}

/**
 * sundog_ioctl_reslist_update() - DRM_IOCTL_SUNDOG_RESLIST_UPDATE
 * @drm: DRM device
 * @data: struct drm_sundog_reslist_update
 * @file: DRM file
 *
 * Return: 0 or a negative error code.
 */
int sundog_ioctl_reslist_update(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_sundog_reslist_update *args = data;
	const struct sundog_array array = { args->allocs, args->n_allocs, args->alloc_stride };
	struct drm_sundog_submit_alloc *allocs;
	struct sundog_reslist *list;
	int ret;

	if (args->flags || !args->n_allocs)
		return -EINVAL;
	allocs = sundog_array_read(&array, sizeof(*allocs), SUNDOG_LIST_ENTRIES, NULL, 0);
	if (IS_ERR(allocs))
		return PTR_ERR(allocs);
	list = sundog_reslist_lookup(file, args->reslist);
	if (!list) {
		ret = -ENOENT;
		goto out_free;
	}
	ret = sundog_reslist_update(list, file, allocs, args->n_allocs);
	sundog_reslist_put(list);
out_free:
	kvfree(allocs);
	return ret;
}

/**
 * sundog_ioctl_reslist_destroy() - DRM_IOCTL_SUNDOG_RESLIST_DESTROY
 * @drm: DRM device
 * @data: struct drm_sundog_reslist_destroy
 * @file: DRM file
 *
 * Return: 0, -EINVAL or -ENOENT.
 */
int sundog_ioctl_reslist_destroy(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct sundog_file *sfile = file->driver_priv;
	struct drm_sundog_reslist_destroy *args = data;
	struct sundog_reslist *list;

	if (args->flags)
		return -EINVAL;
	list = xa_erase(&sfile->reslists, args->reslist);
	if (!list)
		return -ENOENT;
	sundog_reslist_put(list);
	return 0;
}

/**
 * sundog_reslist_file_close() - drop the residency lists of a file that closes
 * @sfile: file
 */
void sundog_reslist_file_close(struct sundog_file *sfile)
{
	struct sundog_reslist *list;
	unsigned long id;

	xa_for_each(&sfile->reslists, id, list)
		sundog_reslist_put(list);
	xa_destroy(&sfile->reslists);
}
