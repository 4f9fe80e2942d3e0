// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Quotas: limits for each DRM file, and for all files of a user together.
 *
 *	contexts	channels of the device, which other clients cannot use meanwhile
 *	objects		device handles, or kernel memory
 *	memory		bytes of allocations
 *	maps		maps of heap GUEST
 *
 * The limits are module parameters with one number per file and one per user. A change applies to
 * later charges only. A normal desktop reaches no limit.
 *
 * Callers charge when they create an object, and uncharge when they free it, in process context.
 * Objects and memory are charged without a lock. channels_lock protects the number of contexts, the
 * heap's ranges_lock that of maps, and quota_lock the list of users.
 */

#include <linux/cred.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/slab.h>

#include <drm/drm_managed.h>
#include <drm/drm_vma_manager.h>

#include "sundog_device.h"
#include "sundog_extent.h"
#include "sundog_quota.h"

/*
 * Objects and pages are two fields of one number. A charge of both takes one atomic operation for
 * the file and one for the user. The bounds of the parameters (4 million objects, 100 times VRAM)
 * keep a field from overflowing, also while a charge is added to check it.
 */
#define SUNDOG_QUOTA_PAGE_BITS	40
#define SUNDOG_QUOTA_OBJECT	BIT_ULL(SUNDOG_QUOTA_PAGE_BITS)

static int sundog_set_percent(const char *value, const struct kernel_param *param)
{
	return param_set_uint_minmax(value, param, 0, 10000);
}

static int sundog_set_objects(const char *value, const struct kernel_param *param)
{
	return param_set_uint_minmax(value, param, 0, 1 << 22);
}

static const struct kernel_param_ops param_ops_percent = {
	.set = sundog_set_percent,
	.get = param_get_uint,
};

static const struct kernel_param_ops param_ops_objects = {
	.set = sundog_set_objects,
	.get = param_get_uint,
};

#define param_check_percent param_check_uint
#define param_check_objects param_check_uint

/* Limit per file, limit per user. */
static unsigned int sundog_max_contexts[2] = { 50, 75 };
module_param_array_named(max_contexts, sundog_max_contexts, percent, NULL, 0644);
MODULE_PARM_DESC(max_contexts,
		 "contexts that a file, a user may have, in percent of channels (default 50,75)");

static unsigned int sundog_max_objects[2] = { 1 << 20, 3 << 19 };
module_param_array_named(max_objects, sundog_max_objects, objects, NULL, 0644);
MODULE_PARM_DESC(max_objects,
		 "allocations and resources that a file, a user may have (default 1048576,1572864)");

static unsigned int sundog_max_memory[2] = { 1600, 2400 };
module_param_array_named(max_memory, sundog_max_memory, percent, NULL, 0644);
MODULE_PARM_DESC(max_memory,
		 "memory that a file, a user may have, in percent of VRAM (default 1600,2400)");

static unsigned int sundog_max_maps[2] = { 50, 75 };
module_param_array_named(max_maps, sundog_max_maps, percent, NULL, 0644);
MODULE_PARM_DESC(max_maps,
		 "maps for other drivers that a file, a user may have, in percent (default 50,75)");

static u64 sundog_quota_amount(u32 n, u64 size)
{
	return n * SUNDOG_QUOTA_OBJECT + (size >> PAGE_SHIFT);
}

/* Inlined for file and user, since allocations are frequent. An open file counts as one object. */
static __always_inline bool sundog_quota_fits(const struct sundog_quota *quota, u64 used, bool file)
{
	const u64 pages = used & (SUNDOG_QUOTA_OBJECT - 1);

	return used >> SUNDOG_QUOTA_PAGE_BITS <= READ_ONCE(sundog_max_objects[!file]) + file &&
	       pages * 100 <= quota->base_pages * READ_ONCE(sundog_max_memory[!file]);
}

/* Never adds an excessive amount, even briefly: other charges would fail meanwhile. */
static __always_inline bool sundog_quota_take(struct sundog_quota *quota, u64 amount, bool file)
{
	s64 used = atomic64_read(&quota->used);

	do {
		if (!sundog_quota_fits(quota, used + amount, file))
			return false;
	} while (!atomic64_try_cmpxchg(&quota->used, &used, used + amount));
	return true;
}

/* Refuses sizes beyond the limit before they are added, since the sum may overflow its field. */
static bool sundog_quota_is_absurd(const struct sundog_quota *quota, u64 size)
{
	return (size >> PAGE_SHIFT) * 100 > quota->base_pages * READ_ONCE(sundog_max_memory[0]);
}

/**
 * sundog_quota_charge() - charge objects to a file
 * @quota: quota of the file; it lives until all objects are uncharged
 * @n: number of objects, at most 1 + DRM_SUNDOG_MAX_ALLOCS
 * @size: memory of all objects in bytes, a multiple of the page size; 0 for objects without memory
 *
 * The objects may be uncharged one by one.
 *
 * Return: 0, or -EDQUOT if the file or its user would exceed a limit.
 */
int sundog_quota_charge(struct sundog_quota *quota, u32 n, u64 size)
{
	const u64 amount = sundog_quota_amount(n, size);
	struct sundog_quota *user = quota->user;

	/* Check the user first, to avoid a charge of the file that must be undone. */
	if (sundog_quota_is_absurd(quota, size) ||
	    !sundog_quota_fits(user, atomic64_read(&user->used) + amount, false) ||
	    !sundog_quota_take(quota, amount, true))
		return -EDQUOT;
	if (sundog_quota_take(user, amount, false))
		return 0;
	atomic64_sub(amount, &quota->used);
	return -EDQUOT;
}

static void sundog_quota_free_user(struct kref *kref)
{
	struct sundog_quota *user = container_of(kref, struct sundog_quota, kref);

	list_del(&user->node);
	mutex_unlock(&user->sdev->quota_lock);
	kfree(user);
}

static void sundog_quota_free(struct kref *kref)
{
	struct sundog_quota *quota = container_of(kref, struct sundog_quota, kref);

	kref_put_mutex(&quota->user->kref, sundog_quota_free_user, &quota->sdev->quota_lock);
	sundog_vram_owner_put(quota->vram_owner);
	kfree(quota);
}

/**
 * sundog_quota_get() - take a reference that is independent of the charged objects
 * @quota: quota of a file
 */
void sundog_quota_get(struct sundog_quota *quota)
{
	kref_get(&quota->kref);
}

/**
 * sundog_quota_put() - drop a reference; may sleep
 * @quota: quota of a file
 */
void sundog_quota_put(struct sundog_quota *quota)
{
	kref_put(&quota->kref, sundog_quota_free);
}

static void sundog_quota_give(struct sundog_quota *quota, u64 amount)
{
	if (!atomic64_sub_return(amount, &quota->used))
		sundog_quota_put(quota);
}

/**
 * sundog_quota_uncharge() - uncharge objects; may sleep
 * @quota: quota of the file
 * @n: number of objects
 * @size: memory of all objects in bytes
 */
void sundog_quota_uncharge(struct sundog_quota *quota, u32 n, u64 size)
{
	const u64 amount = sundog_quota_amount(n, size);

	atomic64_sub(amount, &quota->user->used);
	sundog_quota_give(quota, amount);
}

static u32 sundog_quota_max_contexts(const struct sundog_quota *quota)
{
	const u32 percent = READ_ONCE(sundog_max_contexts[quota->user ? 0 : 1]);

	return DIV_ROUND_UP(quota->sdev->n_channels * percent, 100);
}

static bool sundog_quota_is_full(const struct sundog_quota *quota)
{
	return quota->contexts >= sundog_quota_max_contexts(quota);
}

/**
 * sundog_quota_charge_context() - charge a context to a file
 * @quota: quota of the file; the caller holds channels_lock
 *
 * Return: NULL, or the quota that is full: @quota or that of its user.
 */
struct sundog_quota *sundog_quota_charge_context(struct sundog_quota *quota)
{
	struct sundog_quota *user = quota->user;

	lockdep_assert_held(&quota->sdev->channels_lock);
	if (sundog_quota_is_full(quota))
		return quota;
	if (sundog_quota_is_full(user))
		return user;
	quota->contexts++;
	user->contexts++;
	return NULL;
}

/**
 * sundog_quota_uncharge_context() - uncharge a context
 * @quota: quota of the file; the caller holds channels_lock
 */
void sundog_quota_uncharge_context(struct sundog_quota *quota)
{
	lockdep_assert_held(&quota->sdev->channels_lock);
	quota->contexts--;
	quota->user->contexts--;
}

static u32 sundog_quota_max_maps(const struct sundog_quota *quota)
{
	return DIV_ROUND_UP(SUNDOG_MAX_GUEST_MAPS * READ_ONCE(sundog_max_maps[!quota->user]), 100);
}

/**
 * sundog_quota_charge_maps() - charge maps of heap GUEST to a file
 * @quota: quota of the file; the caller has a reference, and holds the heap's ranges_lock
 * @n: number of maps
 *
 * Return: true, or false if the file or its user would exceed its limit.
 */
bool sundog_quota_charge_maps(struct sundog_quota *quota, u32 n)
{
	if (quota->maps + n > sundog_quota_max_maps(quota) ||
	    quota->user->maps + n > sundog_quota_max_maps(quota->user))
		return false;
	quota->maps += n;
	quota->user->maps += n;
	return true;
}

/**
 * sundog_quota_uncharge_maps() - uncharge maps of heap GUEST
 * @quota: quota of the file; the caller holds the heap's ranges_lock
 * @n: number of maps
 */
void sundog_quota_uncharge_maps(struct sundog_quota *quota, u32 n)
{
	quota->maps -= n;
	quota->user->maps -= n;
}

static struct sundog_quota *sundog_quota_alloc(struct sundog_device *sdev)
{
	struct sundog_quota *quota = kzalloc_obj(*quota, GFP_KERNEL_ACCOUNT);

	if (!quota)
		return NULL;
	quota->sdev = sdev;
	/*
	 * An allocation takes an mmap offset for each page, of a fixed number for all files. By
	 * default a user gets at most three quarters of them, however large VRAM is.
	 */
	quota->base_pages = min_t(u64, sdev->vram_size >> PAGE_SHIFT,
				  DRM_FILE_PAGE_OFFSET_SIZE / 32);
	quota->uid = current_fsuid();
	kref_init(&quota->kref);
	return quota;
}

static struct sundog_quota *sundog_quota_find_user(struct sundog_device *sdev)
{
	const kuid_t uid = current_fsuid();
	struct sundog_quota *user;

	lockdep_assert_held(&sdev->quota_lock);
	list_for_each_entry(user, &sdev->quota_users, node) {
		if (!uid_eq(user->uid, uid))
			continue;
		kref_get(&user->kref);
		return user;
	}
	user = sundog_quota_alloc(sdev);
	if (!user)
		return NULL;
	list_add(&user->node, &sdev->quota_users);
	return user;
}

/**
 * sundog_quota_create() - create the quota of a file that the current user opens
 * @sdev: device
 * @vram_owner: VRAM owner of the file; on success the quota takes over the caller's reference
 *
 * Return: the quota, with one object charged for the open file, or NULL without memory.
 */
struct sundog_quota *sundog_quota_create(struct sundog_device *sdev,
					 struct sundog_vram_owner *vram_owner)
{
	struct sundog_quota *quota = sundog_quota_alloc(sdev);

	if (!quota)
		return NULL;
	quota->vram_owner = vram_owner;
	mutex_lock(&sdev->quota_lock);
	quota->user = sundog_quota_find_user(sdev);
	mutex_unlock(&sdev->quota_lock);
	if (!quota->user) {
		kfree(quota);
		return NULL;
	}
	atomic64_set(&quota->used, SUNDOG_QUOTA_OBJECT);
	return quota;
}

/**
 * sundog_quota_close() - uncharge the open file; may sleep
 * @quota: quota of the file, which is freed with its last charge and reference
 */
void sundog_quota_close(struct sundog_quota *quota)
{
	sundog_quota_give(quota, SUNDOG_QUOTA_OBJECT);
}

/**
 * sundog_quota_init() - set up the list of users
 * @sdev: device
 *
 * Return: 0 or a negative error code.
 */
int sundog_quota_init(struct sundog_device *sdev)
{
	INIT_LIST_HEAD(&sdev->quota_users);
	return drmm_mutex_init(&sdev->drm, &sdev->quota_lock);
}
