// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The PCI device: BARs, version check, reset. sundog_irq.c has its interrupts.
 *
 * Probe, remove and resume from disk call this file. Its resources are devm_ or pcim_ managed and
 * end when the driver is unbound. The DRM device can live longer, which is why the rest of the
 * driver brackets its accesses with drm_dev_enter(), or holds the lock of a head that is not gone.
 *
 * VRAM and the control region are coherent memory. Both are mapped write-back as a whole while the
 * driver is bound. The mappings also reserve the memory type: without them, PAT gives UC-minus to
 * the pages that user space maps.
 */

#include <linux/build_bug.h>
#include <linux/dma-mapping.h>
#include <linux/interrupt.h>
#include <linux/iopoll.h>
#include <linux/pci.h>

#include <drm/drm_print.h>

#include "sundog_device.h"

/* Memory shared with the device is laid out in pages of the device. */
static_assert(PAGE_SIZE == SUNDOG_PAGE_SIZE);

#define SUNDOG_BAR_REGS		0
#define SUNDOG_BAR_VRAM		2
#define SUNDOG_BAR_CONTROL	4

/* Longer than the device waits for its renderer, even if the host does not run QEMU for seconds. */
#define SUNDOG_RESET_TIMEOUT_US	(30 * USEC_PER_SEC)

static int sundog_check_version(struct sundog_device *sdev)
{
	u32 magic = sundog_read(sdev, SUNDOG_REG_MAGIC);

	if (magic != SUNDOG_MAGIC) {
		drm_err(&sdev->drm, "bad magic 0x%08x in register 0, this is no sundog device\n",
			magic);
		return -ENODEV;
	}
	sdev->version = sundog_read(sdev, SUNDOG_REG_VERSION);
	if (sdev->version >> 16 != SUNDOG_VERSION_MAJOR) {
		drm_err(&sdev->drm,
			"device speaks protocol %u.%u, this driver speaks %u.x: update the older of QEMU and the driver\n",
			sdev->version >> 16, sdev->version & 0xffff, SUNDOG_VERSION_MAJOR);
		return -ENODEV;
	}
	return 0;
}

static void *sundog_map_memory(struct sundog_device *sdev, struct pci_dev *pdev, int bar,
			       u64 size, const char *what)
{
	int ret;

	if (pci_resource_len(pdev, bar) != size) {
		drm_err(&sdev->drm, "BAR%d (%s) has %llu bytes, expected %llu\n", bar, what,
			(u64)pci_resource_len(pdev, bar), size);
		return ERR_PTR(-ENODEV);
	}
	ret = pcim_request_region(pdev, bar, SUNDOG_DRIVER_NAME);
	if (ret)
		return ERR_PTR(ret);
	return devm_memremap(&pdev->dev, pci_resource_start(pdev, bar), size, MEMREMAP_WB);
}

/**
 * sundog_device_init() - map the BARs, check the version, reset the device
 * @sdev: device
 * @pdev: PCI device of @sdev
 *
 * Return: 0 or a negative error code.
 */
int sundog_device_init(struct sundog_device *sdev, struct pci_dev *pdev)
{
	int ret;

	ret = pcim_enable_device(pdev);
	if (ret)
		return ret;
	pci_set_master(pdev);
	ret = dma_set_mask_and_coherent(&pdev->dev, DMA_BIT_MASK(64));
	if (ret)
		return ret;
	/* sundog_guest.c splits long runs of pages itself. */
	dma_set_max_seg_size(&pdev->dev, UINT_MAX);

	sdev->regs = pcim_iomap_region(pdev, SUNDOG_BAR_REGS, SUNDOG_DRIVER_NAME);
	if (IS_ERR(sdev->regs))
		return PTR_ERR(sdev->regs);
	ret = sundog_check_version(sdev);
	if (ret)
		return ret;

	sdev->vram_base = pci_resource_start(pdev, SUNDOG_BAR_VRAM);
	sdev->vram_size = sundog_read64(sdev, SUNDOG_REG_VRAM_SIZE);
	sdev->vram = sundog_map_memory(sdev, pdev, SUNDOG_BAR_VRAM, sdev->vram_size, "VRAM");
	if (IS_ERR(sdev->vram))
		return PTR_ERR(sdev->vram);

	sdev->control_base = pci_resource_start(pdev, SUNDOG_BAR_CONTROL);
	sdev->control = sundog_map_memory(sdev, pdev, SUNDOG_BAR_CONTROL, SUNDOG_CONTROL_SIZE,
					  "control region");
	if (IS_ERR(sdev->control))
		return PTR_ERR(sdev->control);

	sdev->n_channels = min(sundog_read(sdev, SUNDOG_REG_NUM_CHANNELS), SUNDOG_MAX_CHANNELS);

	ret = sundog_device_reset(sdev);
	if (ret)
		return ret;
	drm_info(&sdev->drm, "protocol %u.%u, %llu MiB of VRAM, %u channels\n",
		 sdev->version >> 16, sdev->version & 0xffff, sdev->vram_size >> 20,
		 sdev->n_channels);
	return 0;
}

/* A device that was pulled out reads as all ones; its reset counts as done. */
static bool sundog_reset_is_done(u32 busy)
{
	return !busy || PCI_POSSIBLE_ERROR(busy);
}

/**
 * sundog_device_reset() - end every client, channel and display on the device
 * @sdev: device
 *
 * A device that was pulled out has ended them already.
 *
 * Context: may sleep.
 *
 * Return: 0, or -ETIMEDOUT if the device does not finish its reset.
 */
int sundog_device_reset(struct sundog_device *sdev)
{
	u32 busy;
	int ret;

	sundog_write(sdev, SUNDOG_REG_RESET, 1);
	ret = readl_poll_timeout(sdev->regs + SUNDOG_REG_RESET, busy,
				 sundog_reset_is_done(busy), 500, SUNDOG_RESET_TIMEOUT_US);
	if (ret)
		drm_err(&sdev->drm, "the device does not finish its reset\n");
	return ret;
}

/**
 * sundog_device_raise_hotplug() - send a hot-plug event, so that clients set their modes again
 * @sdev: device
 *
 * The interrupt thread of the display sends it.
 */
void sundog_device_raise_hotplug(struct sundog_device *sdev)
{
	int idx;

	if (!drm_dev_enter(&sdev->drm, &idx))
		return;
	irq_wake_thread(pci_irq_vector(to_pci_dev(sdev->drm.dev), SUNDOG_VECTOR_DISPLAY), sdev);
	drm_dev_exit(idx);
}
