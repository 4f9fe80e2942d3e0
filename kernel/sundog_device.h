/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef _SUNDOG_DEVICE_H_
#define _SUNDOG_DEVICE_H_

#include <linux/idr.h>
#include <linux/io.h>
#include <linux/mutex.h>
#include <linux/ratelimit_types.h>
#include <linux/rwsem.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <linux/xarray.h>

#include <drm/drm_device.h>
#include <drm/drm_drv.h>
#include <drm/ttm/ttm_device.h>
#include <drm/ttm/ttm_resource.h>

#include "sundog_hw.h"

#define SUNDOG_DRIVER_NAME	"sundog"

struct drm_gem_object_funcs;
struct pci_dev;
struct sundog_channel;
struct sundog_extents;
struct sundog_guest_heap;
struct sundog_head;
struct task_struct;
struct sundog_dump;
struct sundog_sched_funcs;
struct sundog_stats;
struct ttm_buffer_object;

/**
 * struct sundog_device - one PCI device
 *
 * Allocated with the PCI device, freed with the last reference to @drm. @regs, @vram and @control
 * are mapped while the driver is bound: touch them between drm_dev_enter() and drm_dev_exit(), or
 * with the lock of a channel that has not stopped.
 */
struct sundog_device {
	/** @drm: the DRM device */
	struct drm_device drm;
	/** @regs: BAR0, registers and doorbells */
	void __iomem *regs;
	/** @vram: BAR2, mapped write-back */
	void *vram;
	/** @vram_base: bus address of BAR2 */
	resource_size_t vram_base;
	/** @vram_size: bytes of BAR2 */
	u64 vram_size;
	/** @control: BAR4, allocation table and channel segments, mapped write-back */
	void *control;
	/** @control_base: bus address of BAR4 */
	resource_size_t control_base;
	/** @version: protocol version of the device, major << 16 | minor */
	u32 version;
	/** @n_channels: channel slots */
	unsigned int n_channels;
	/** @features: FEATURES, as it was when the renderer came or went the last time */
	u64 features;

	/** @table_handles: device handles in use, see sundog_table.c */
	struct ida table_handles;
	/** @table_generation: the last generation that was given out */
	atomic64_t table_generation;

	/** @gem_funcs: what the DRM core calls for allocations, see sundog_gem.c; constant */
	const struct drm_gem_object_funcs *gem_funcs;
	/** @ttm: memory manager, see sundog_ttm.c */
	struct ttm_device ttm;

	/** @extents: VRAM, see sundog_extent.c */
	struct sundog_extents *extents;
	/** @unpopulated: manager of what was never used */
	struct ttm_resource_manager unpopulated;
	/** @imports: manager of what was imported; the places in it are the allocations' own */
	struct ttm_resource_manager imports;
	/** @tt: manager of our own pages in heap GUEST, see sundog_guest.c */
	struct ttm_resource_manager tt;
	/** @claim: the one call that gets VRAM that becomes free, or NULL; see sundog_evict.c */
	struct sundog_evict *claim;
	/** @claim_wait: calls that wait for @claim, without a lock */
	wait_queue_head_t claim_wait;
	/** @guest: heap GUEST, see sundog_guest.c */
	struct sundog_guest_heap *guest;

	/** @owner_lock: who owns which allocation, see sundog_resource.c; innermost */
	spinlock_t owner_lock;
	/** @kres_ids: kernel resource handles in use */
	struct ida kres_ids;

	/** @channels_lock: protects @channels; taken outside of any channel's lock */
	struct mutex channels_lock;
	/** @channels: channel slots that were ever used, see sundog_sched.c */
	struct sundog_channel *channels[SUNDOG_MAX_CHANNELS];
	/** @sched_funcs: whom sundog_sched.c tells what */
	const struct sundog_sched_funcs *sched_funcs;
	/** @clients: client ids in use, see sundog_client.c */
	struct xarray clients;
	/** @clients_next: where the search for the next client id starts */
	u32 clients_next;
	/** @last_context: where the last context id came from, see sundog_context_ioctl.c */
	atomic_t last_context;
	/** @command_lock: CHANNEL_CLIENT and CHANNEL_CMD go together; outside of channels' locks */
	spinlock_t command_lock;
	/** @ending: the device is about to be unplugged, no new contexts; under @command_lock */
	bool ending;
	/** @n_slots_freed: contexts that gave back their channel slot, ever */
	atomic_t n_slots_freed;
	/** @event_wait: woken when a channel changed its state or @n_slots_freed goes up */
	wait_queue_head_t event_wait;
	/** @quota_lock: protects @quota_users; innermost */
	struct mutex quota_lock;
	/** @quota_users: struct sundog_quota of users with open files */
	struct list_head quota_users;
	/** @fdinfo_lock: one client is counted at a time, see sundog_fdinfo.c; outermost */
	struct mutex fdinfo_lock;
	/** @fdinfo_round: how often one was counted; protected by @fdinfo_lock */
	u64 fdinfo_round;
	/** @loss_ratelimit: how often the log says that a context was lost */
	struct ratelimit_state loss_ratelimit;
	/** @dump: room for what a context was doing that was lost, see sundog_dump.c */
	struct sundog_dump *dump;
	/** @wedged: channels that did not stop in time; no new contexts while there are any */
	atomic_t wedged;

	/** @hotplug_held: nobody is told of a hot-plug; see sundog_irq.c */
	bool hotplug_held;
	/** @pulled: the device was pulled out before it was removed, and has no more vblanks */
	bool pulled;
	/** @going_off: the machine is to be switched off, its image is on disk; see sundog_pm.c */
	bool going_off;
	/** @clock_lock: both halves of CLOCK are read together; inside a head's lock, irq-safe */
	spinlock_t clock_lock;
	/** @heads: the display heads */
	struct sundog_head *heads;
	/** @num_heads: how many there are */
	unsigned int num_heads;
	/** @n_pins: work items that pin or unpin allocations, see sundog_pin.c */
	atomic_t n_pins;
	/** @stats: object counts */
	struct sundog_stats __percpu *stats;
};

/**
 * to_sundog_device() - downcast
 * @drm: DRM device
 *
 * Return: the device.
 */
static inline struct sundog_device *to_sundog_device(struct drm_device *drm)
{
	return container_of(drm, struct sundog_device, drm);
}

/**
 * sundog_device_has_minor() - does the device have what came with a minor version of the protocol?
 * @sdev: device, whose major version is ours
 * @minor: minor version
 *
 * Return: true if it is as new as that.
 */
static inline bool sundog_device_has_minor(const struct sundog_device *sdev, u32 minor)
{
	return (sdev->version & 0xffff) >= minor;
}

/* Register access. The caller holds what struct sundog_device asks for. */
static inline u32 sundog_read(struct sundog_device *sdev, u32 reg)
{
	return readl(sdev->regs + reg);
}

static inline u64 sundog_read64(struct sundog_device *sdev, u32 reg)
{
	u32 low = readl(sdev->regs + reg);

	return low | (u64)readl(sdev->regs + reg + 4) << 32;
}

static inline void sundog_write(struct sundog_device *sdev, u32 reg, u32 value)
{
	writel(value, sdev->regs + reg);
}

static inline void sundog_write64(struct sundog_device *sdev, u32 reg, u64 value)
{
	writel(lower_32_bits(value), sdev->regs + reg);
	writel(upper_32_bits(value), sdev->regs + reg + 4);
}

/**
 * sundog_device_is_present() - check whether the device answers
 * @sdev: device; the caller is inside drm_dev_enter()
 *
 * A device that was pulled out reads as ones on real buses, and as zero in QEMU.
 *
 * Return: false if it was pulled out.
 */
static inline bool sundog_device_is_present(struct sundog_device *sdev)
{
	return sundog_read(sdev, SUNDOG_REG_MAGIC) == SUNDOG_MAGIC;
}

int sundog_device_init(struct sundog_device *sdev, struct pci_dev *pdev);
int sundog_device_reset(struct sundog_device *sdev);
void sundog_device_raise_hotplug(struct sundog_device *sdev);

#endif
