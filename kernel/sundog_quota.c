// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * How much of the device a file may have, and all files of a user: contexts, which are channels
 * that others cannot have; objects, which are device handles or kernel memory; and bytes of
 * allocations. A desktop meets none of the limits. They are module parameters, each a number per
 * file and one per user, and hold for what comes after they were changed.
 */

#include <linux/cred.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/slab.h>

#include <drm/drm_managed.h>

#include "sundog_device.h"
#include "sundog_quota.h"

/* Per file, per user. */
static unsigned int sundog_max_contexts[2] = { 50, 75 };
module_param_array_named(max_contexts, sundog_max_contexts, uint, NULL, 0644);
MODULE_PARM_DESC(max_contexts,
		 "contexts that a file, a user may have, in percent of channels (default 50,75)");

static unsigned int sundog_max_objects[2] = { 1 << 20, 3 << 19 };
module_param_array_named(max_objects, sundog_max_objects, uint, NULL, 0644);
MODULE_PARM_DESC(max_objects,
		 "allocations and resources that a file, a user may have (default 1048576,1572864)");

static unsigned int sundog_max_memory[2] = { 1600, 2400 };
module_param_array_named(max_memory, sundog_max_memory, uint, NULL, 0644);
MODULE_PARM_DESC(max_memory,
		 "memory that a file, a user may have, in percent of VRAM (default 1600,2400)");

static __always_inline u64 sundog_quota_limit(const struct sundog_quota *quota,
					      enum sundog_quota_kind kind)
{
	const u32 i = quota->user ? 0 : 1;

	switch (kind) {
	case SUNDOG_QUOTA_CONTEXTS:
		return DIV_ROUND_UP((u64)quota->sdev->n_channels *
				    READ_ONCE(sundog_max_contexts[i]), 100);
	case SUNDOG_QUOTA_OBJECTS:
		return READ_ONCE(sundog_max_objects[i]);
	default:
		return div_u64(quota->sdev->vram_size * READ_ONCE(sundog_max_memory[i]), 100);
	}
}

/* Inlined where the kind is known: allocations are made often. */
static __always_inline int sundog_quota_take(struct sundog_quota *quota,
					     enum sundog_quota_kind kind, u64 amount)
{
	struct sundog_quota *at = quota;

	do {
		if (atomic64_add_return(amount, &at->used[kind]) > sundog_quota_limit(at, kind))
			goto undo;
		at = at->user;
	} while (at);
	return 0;

undo:
	for (; quota != at->user; quota = quota->user)
		atomic64_sub(amount, &quota->used[kind]);
	return -EDQUOT;
}

static __always_inline void sundog_quota_give(struct sundog_quota *quota,
					      enum sundog_quota_kind kind, u64 amount)
{
	atomic64_sub(amount, &quota->used[kind]);
	atomic64_sub(amount, &quota->user->used[kind]);
}

/**
 * sundog_quota_charge() - take something for a file
 * @quota: of the file
 * @kind: what
 * @amount: how much
 *
 * Return: 0, or -EDQUOT if the file or its user has too much.
 */
int sundog_quota_charge(struct sundog_quota *quota, enum sundog_quota_kind kind, u64 amount)
{
	return sundog_quota_take(quota, kind, amount);
}

/**
 * sundog_quota_uncharge() - give it back
 * @quota: of the file
 * @kind: what
 * @amount: how much
 */
void sundog_quota_uncharge(struct sundog_quota *quota, enum sundog_quota_kind kind, u64 amount)
{
	sundog_quota_give(quota, kind, amount);
}

/**
 * sundog_quota_charge_bo() - take an allocation for a file, and a reference
 * @quota: of the file
 * @size: bytes
 *
 * Return: 0, or -EDQUOT if the file or its user has too much.
 */
int sundog_quota_charge_bo(struct sundog_quota *quota, u64 size)
{
	int ret;

	ret = sundog_quota_take(quota, SUNDOG_QUOTA_OBJECTS, 1);
	if (ret)
		return ret;
	ret = sundog_quota_take(quota, SUNDOG_QUOTA_MEMORY, size);
	if (ret)
		sundog_quota_give(quota, SUNDOG_QUOTA_OBJECTS, 1);
	else
		kref_get(&quota->kref);
	return ret;
}

/**
 * sundog_quota_uncharge_bo() - give an allocation back, and the reference; may sleep
 * @quota: of the file
 * @size: bytes
 */
void sundog_quota_uncharge_bo(struct sundog_quota *quota, u64 size)
{
	sundog_quota_give(quota, SUNDOG_QUOTA_OBJECTS, 1);
	sundog_quota_give(quota, SUNDOG_QUOTA_MEMORY, size);
	sundog_quota_put(quota);
}

/**
 * sundog_quota_uncharge_all() - give back all of a kind, for a file that closes
 * @quota: of the file
 * @kind: what
 */
void sundog_quota_uncharge_all(struct sundog_quota *quota, enum sundog_quota_kind kind)
{
	sundog_quota_uncharge(quota, kind, atomic64_read(&quota->used[kind]));
}

static struct sundog_quota *sundog_quota_alloc(struct sundog_device *sdev)
{
	struct sundog_quota *quota = kzalloc(sizeof(*quota), GFP_KERNEL_ACCOUNT);

	if (!quota)
		return NULL;
	kref_init(&quota->kref);
	quota->sdev = sdev;
	quota->uid = current_fsuid();
	return quota;
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
	kfree(quota);
}

/**
 * sundog_quota_get() - take a reference
 * @quota: of a file
 */
void sundog_quota_get(struct sundog_quota *quota)
{
	kref_get(&quota->kref);
}

/**
 * sundog_quota_put() - drop a reference; may sleep
 * @quota: of a file
 */
void sundog_quota_put(struct sundog_quota *quota)
{
	kref_put(&quota->kref, sundog_quota_free);
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
	if (user)
		list_add(&user->node, &sdev->quota_users);
	return user;
}

/**
 * sundog_quota_create() - for a file that the current user opens
 * @sdev: device
 *
 * Return: with one reference, or NULL without memory.
 */
struct sundog_quota *sundog_quota_create(struct sundog_device *sdev)
{
	struct sundog_quota *quota = sundog_quota_alloc(sdev);

	if (!quota)
		return NULL;
	mutex_lock(&sdev->quota_lock);
	quota->user = sundog_quota_find_user(sdev);
	mutex_unlock(&sdev->quota_lock);
	if (!quota->user) {
		kfree(quota);
		return NULL;
	}
	return quota;
}

/**
 * sundog_quota_init() - prepare for files
 * @sdev: device
 *
 * Return: 0 or a negative error code.
 */
int sundog_quota_init(struct sundog_device *sdev)
{
	INIT_LIST_HEAD(&sdev->quota_users);
	return drmm_mutex_init(&sdev->drm, &sdev->quota_lock);
}
