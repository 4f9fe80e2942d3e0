/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef _SUNDOG_QUOTA_H_
#define _SUNDOG_QUOTA_H_

#include <linux/atomic.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/types.h>
#include <linux/uidgid.h>

struct sundog_device;

/**
 * enum sundog_quota_kind - what is limited
 */
enum sundog_quota_kind {
	/** @SUNDOG_QUOTA_CONTEXTS: contexts that were not destroyed */
	SUNDOG_QUOTA_CONTEXTS,
	/** @SUNDOG_QUOTA_OBJECTS: allocations, resource ids and residency lists */
	SUNDOG_QUOTA_OBJECTS,
	/** @SUNDOG_QUOTA_MEMORY: bytes of allocations, wherever they are */
	SUNDOG_QUOTA_MEMORY,
	/** @SUNDOG_N_QUOTAS: how many kinds there are */
	SUNDOG_N_QUOTAS,
};

/**
 * struct sundog_quota - what a file, or all files of a user, have of a device
 */
struct sundog_quota {
	/** @kref: of a file's: held by the file and by its allocations; of a user's: by files' */
	struct kref kref;
	/** @sdev: device */
	struct sundog_device *sdev;
	/** @user: of the file's user; NULL: this is a user's */
	struct sundog_quota *user;
	/** @uid: the user */
	kuid_t uid;
	/** @node: of a user's: in the device's list */
	struct list_head node;
	/** @used: how much there is of each kind */
	atomic64_t used[SUNDOG_N_QUOTAS];
};

int sundog_quota_init(struct sundog_device *sdev);
struct sundog_quota *sundog_quota_create(struct sundog_device *sdev);
void sundog_quota_get(struct sundog_quota *quota);
void sundog_quota_put(struct sundog_quota *quota);
int sundog_quota_charge(struct sundog_quota *quota, enum sundog_quota_kind kind, u64 amount);
void sundog_quota_uncharge(struct sundog_quota *quota, enum sundog_quota_kind kind, u64 amount);
int sundog_quota_charge_bo(struct sundog_quota *quota, u64 size);
void sundog_quota_uncharge_bo(struct sundog_quota *quota, u64 size);
void sundog_quota_uncharge_all(struct sundog_quota *quota, enum sundog_quota_kind kind);

#endif
