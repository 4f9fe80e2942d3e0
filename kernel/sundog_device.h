/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* struct sundog_device: BARs, registers, and the parts of the driver that belong to a device. */
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
struct sundog_sched_funcs;
struct task_struct;
struct sundog_dump;
struct sundog_stats;
struct ttm_buffer_object;

/**
 * struct sundog_device - one PCI device
 *
 * Allocated by probe, freed with the last reference to @drm. @regs, @vram and @control are mapped
 * while the driver is bound. Access them only between drm_dev_enter() and drm_dev_exit(), with the
 * lock of a channel that has not stopped, or with that of a head that is not gone.
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
	/** @n_channels: number of channel slots */
	unsigned int n_channels;
	/** @features: FEATURES at the last change of RENDERER_STATE, see sundog_irq.c */
	u64 features;

	/** @table_handles: device handles in use, see sundog_table.c */
	struct ida table_handles;
	/** @table_generation: last generation that was assigned, see sundog_table.c */
	atomic64_t table_generation;

	/** @gem_funcs: GEM callbacks of allocations, see sundog_gem.c; constant */
	const struct drm_gem_object_funcs *gem_funcs;
	/** @ttm: memory manager, see sundog_ttm.c */
	struct ttm_device ttm;

	/** @extents: extents of VRAM and their owners, see sundog_extent.c */
	struct sundog_extents *extents;
	/** @unpopulated: TTM manager of allocations that were never used */
	struct ttm_resource_manager unpopulated;
	/** @imports: TTM manager of imports, each of which has one placement for life */
	struct ttm_resource_manager imports;
	/** @tt: TTM manager of the driver's own pages in heap GUEST, see sundog_guest.c */
	struct ttm_resource_manager tt;
	/** @claim: call that has claimed all VRAM that becomes free, or NULL; see sundog_evict.c */
	struct sundog_evict *claim;
	/** @claim_wait: calls that wait for @claim; they hold no dma_resv */
	wait_queue_head_t claim_wait;
	/** @guest: heap GUEST, see sundog_guest.c */
	struct sundog_guest_heap *guest;

	/** @owner_lock: protects owners of allocations, see sundog_resource.c; innermost */
	spinlock_t owner_lock;
	/** @kres_ids: kernel resource handles in use */
	struct ida kres_ids;

	/** @channels_lock: protects @channels; taken outside of the locks of channels */
	struct mutex channels_lock;
	/** @channels: channel slots that were ever used, see sundog_sched.c */
	struct sundog_channel *channels[SUNDOG_MAX_CHANNELS];
	/** @sched_funcs: callbacks of sundog_sched.c; constant */
	const struct sundog_sched_funcs *sched_funcs;
	/** @clients: client ids in use, see sundog_client.c */
	struct xarray clients;
	/** @clients_next: where the search for the next client id starts */
	u32 clients_next;
	/** @last_context: counter that context ids are made of, see sundog_context_ioctl.c */
	atomic_t last_context;
	/**
	 * @command_lock: protects the states of contexts, and CHANNEL_CLIENT until CHANNEL_CMD is
	 * written; taken outside of the locks of channels
	 */
	spinlock_t command_lock;
	/** @ending: the device is about to be unplugged, no new contexts; under @command_lock */
	bool ending;
	/** @n_slots_freed: number of channel slots that contexts have ever released */
	atomic_t n_slots_freed;
	/** @event_wait: woken when a channel changes its state or @n_slots_freed increases */
	wait_queue_head_t event_wait;
	/** @quota_lock: protects @quota_users; innermost */
	struct mutex quota_lock;
	/** @quota_users: struct sundog_quota of users with open files */
	struct list_head quota_users;
	/** @fdinfo_lock: serializes reads of fdinfo, see sundog_fdinfo.c; outermost */
	struct mutex fdinfo_lock;
	/** @fdinfo_round: number of reads of fdinfo; protected by @fdinfo_lock */
	u64 fdinfo_round;
	/** @loss_ratelimit: limits log messages about lost contexts */
	struct ratelimit_state loss_ratelimit;
	/** @dump: preallocated coredump of a lost context, see sundog_dump.c */
	struct sundog_dump *dump;
	/** @wedged: number of channels that did not stop in time; no new contexts unless 0 */
	atomic_t wedged;

	/** @hotplug_held: hot-plug events are suppressed, see sundog_irq.c */
	bool hotplug_held;
	/** @going_off: the hibernation image is on disk, the machine powers off; see sundog_pm.c */
	bool going_off;
	/** @clock_lock: protects a read of both halves of CLOCK; inside head locks, irq-safe */
	spinlock_t clock_lock;
	/** @heads: display heads */
	struct sundog_head *heads;
	/** @num_heads: number of @heads */
	unsigned int num_heads;
	/** @n_pins: number of work items that pin or unpin allocations, see sundog_pin.c */
	atomic_t n_pins;
	/** @stats: object counts */
	struct sundog_stats __percpu *stats;
};

/**
 * to_sundog_device() - find the sundog device of a DRM device
 * @drm: DRM device
 *
 * Return: the device.
 */
static inline struct sundog_device *to_sundog_device(struct drm_device *drm)
{
	return container_of(drm, struct sundog_device, drm);
}

/**
 * sundog_device_has_minor() - check the minor protocol version of the device
 * @sdev: device with the major version of the driver
 * @minor: minor version
 *
 * Return: true if the device has this minor version or a newer one.
 */
static inline bool sundog_device_has_minor(const struct sundog_device *sdev, u32 minor)
{
	return (sdev->version & 0xffff) >= minor;
}

/* Register access. struct sundog_device lists the sections and locks that the caller needs. */
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
 * @sdev: device, whose registers the caller may access
 *
 * A device that was pulled out reads as all ones on real buses, and as zero in QEMU.
 *
 * Return: false if the device was pulled out.
 */
static inline bool sundog_device_is_present(struct sundog_device *sdev)
{
	return sundog_read(sdev, SUNDOG_REG_MAGIC) == SUNDOG_MAGIC;
}

int sundog_device_init(struct sundog_device *sdev, struct pci_dev *pdev);
int sundog_device_reset(struct sundog_device *sdev);
void sundog_device_raise_hotplug(struct sundog_device *sdev);

#endif
