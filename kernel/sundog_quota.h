/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef _SUNDOG_QUOTA_H_
#define _SUNDOG_QUOTA_H_

#include <linux/atomic.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/types.h>
#include <linux/uidgid.h>

struct sundog_device;
struct sundog_vram_owner;

/**
 * struct sundog_quota - what a file, or all files of a user, have of a device
 *
 * A file's lives as long as something is charged to it, contexts included; while the file is open,
 * it is an object of its own. A user's lives as long as there is one of a file.
 */
struct sundog_quota {
	/** @kref: of a file's: by contexts, and while @used is not 0; of a user's: by files' */
	struct kref kref;
	/** @sdev: device */
	struct sundog_device *sdev;
	/** @vram_pages: pages of VRAM that the device has */
	u64 vram_pages;
	/** @user: of the file's user; NULL: this is a user's */
	struct sundog_quota *user;
	/** @vram_owner: of a file's: whose extents its allocations are in; held as long as they are */
	struct sundog_vram_owner *vram_owner;
	/** @uid: the user */
	kuid_t uid;
	/** @node: of a user's: in the device's list */
	struct list_head node;
	/** @contexts: contexts that have a channel; protected by channels_lock */
	u32 contexts;
	/** @maps: maps of heap GUEST; protected by the heap's ranges_lock */
	u32 maps;
	/**
	 * @used: allocations, resource ids, handles that opens brought, residency lists and their
	 * entries; below their number the pages of the allocations, wherever they are
	 */
	atomic64_t used;
};

int sundog_quota_init(struct sundog_device *sdev);
struct sundog_quota *sundog_quota_create(struct sundog_device *sdev,
					 struct sundog_vram_owner *vram_owner);
void sundog_quota_close(struct sundog_quota *quota);
int sundog_quota_charge(struct sundog_quota *quota, u32 n, u64 size);
void sundog_quota_uncharge(struct sundog_quota *quota, u32 n, u64 size);
struct sundog_quota *sundog_quota_charge_context(struct sundog_quota *quota);
void sundog_quota_uncharge_context(struct sundog_quota *quota);
bool sundog_quota_charge_maps(struct sundog_quota *quota, u32 n);
void sundog_quota_uncharge_maps(struct sundog_quota *quota, u32 n);
void sundog_quota_get(struct sundog_quota *quota);
void sundog_quota_put(struct sundog_quota *quota);

#endif
