/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Limits of files and users. */
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
 * struct sundog_quota - use of a device by a DRM file, or by all files of a user
 *
 * The quota of a file lives as long as something is charged to it, contexts and maps included. The
 * open file counts as one object. The quota of a user lives as long as that of one of its files.
 */
struct sundog_quota {
	/** @kref: file: held by contexts, by maps, and by @used if not 0; user: held by files */
	struct kref kref;
	/** @sdev: device */
	struct sundog_device *sdev;
	/** @base_pages: 100 percent of max_memory in pages: VRAM, limited by the mmap offsets */
	u64 base_pages;
	/** @user: quota of the file's user; NULL in the quota of a user */
	struct sundog_quota *user;
	/** @vram_owner: VRAM owner of the file, with a reference; NULL in the quota of a user */
	struct sundog_vram_owner *vram_owner;
	/** @uid: fsuid of the process that opened the file */
	kuid_t uid;
	/** @node: quota of a user: node in sundog_device.quota_users; protected by quota_lock */
	struct list_head node;
	/** @contexts: number of contexts with a channel; protected by channels_lock */
	u32 contexts;
	/** @maps: number of maps of heap GUEST; protected by the heap's ranges_lock */
	u32 maps;
	/**
	 * @used: upper bits: number of allocations, res ids, handles from RESOURCE_OPEN, residency
	 * lists and their entries; lower 40 bits: pages of allocations, in any placement
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
