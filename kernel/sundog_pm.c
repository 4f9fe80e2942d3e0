// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * System sleep: suspend to RAM and to disk.
 *
 * The PM core calls this file after it has frozen user space and sundog_wq. Suspend waits for the
 * jobs in the rings. Jobs that are still queued, and the pictures of the heads, wait for resume.
 *
 * Suspend to RAM: the device keeps everything but its registers, including the clients of the
 * renderer. The driver therefore saves nothing, and no context is lost. Interrupts may be lost.
 *
 * Suspend to disk: the image contains guest pages only. All allocations therefore move there,
 * before the image is created and before it is loaded. A queued job keeps its allocations in VRAM,
 * so all jobs run before. If no image is loaded, the driver continues as after suspend to RAM. A
 * loaded image finds a device without its state: VRAM is cleared, and contexts are lost as if their
 * workers had ended. User space recovers if it can create its objects again. An allocation that
 * another driver or the kernel shares cannot move, so suspend to disk fails then. If the machine
 * stays on after the image was written, the PM core also calls restore, for a device that still has
 * its state.
 */

#include <linux/errno.h>
#include <linux/pci.h>

#include <drm/drm_modeset_helper.h>
#include <drm/drm_print.h>
#include <drm/drm_probe_helper.h>

#include "sundog_client.h"
#include "sundog_context_state.h"
#include "sundog_crtc.h"
#include "sundog_device.h"
#include "sundog_guest.h"
#include "sundog_irq.h"
#include "sundog_kms.h"
#include "sundog_pin.h"
#include "sundog_pm.h"
#include "sundog_revoke.h"
#include "sundog_sched.h"
#include "sundog_ttm.h"
#include "sundog_vram.h"

/*
 * The heads go off before the schedulers stop, because their flips may wait for queued jobs.
 * drm_mode_config_helper_suspend() waits for flips without a limit, sundog_kms_settle() with one.
 */
static int sundog_pm_suspend(struct device *dev)
{
	struct sundog_device *sdev = dev_get_drvdata(dev);
	int ret;

	/* A hot-plug event would make in-kernel clients turn heads on. */
	sundog_irq_hold_hotplug(sdev, true);
	ret = sundog_kms_settle(sdev);
	if (ret)
		drm_warn(&sdev->drm, "a head waits for what is drawn, no sleep\n");
	else
		ret = drm_mode_config_helper_suspend(&sdev->drm);
	if (ret)
		goto err_go_on;
	sundog_kms_wait(sdev);
	ret = sundog_sched_pause(sdev);
	if (ret) {
		drm_warn(&sdev->drm, "the device stays busy, no sleep\n");
		drm_mode_config_helper_resume(&sdev->drm);
		goto err_go_on;
	}
	/* A pin that still waits for a queued job touches no hardware before that job has run. */
	sundog_pin_settle(sdev);
	return 0;

err_go_on:
	sundog_irq_hold_hotplug(sdev, false);
	/* The windows of heads may have been resized while hot-plug events were held. */
	drm_kms_helper_hotplug_event(&sdev->drm);
	return ret;
}

static int sundog_pm_resume(struct device *dev)
{
	struct sundog_device *sdev = dev_get_drvdata(dev);
	int ret;

	sundog_irq_catch_up(sdev);
	sundog_sched_continue(sdev);
	ret = drm_mode_config_helper_resume(&sdev->drm);
	sundog_irq_hold_hotplug(sdev, false);
	/* The windows of heads may have been resized during sleep. */
	drm_kms_helper_hotplug_event(&sdev->drm);
	return ret;
}

static int sundog_pm_freeze(struct device *dev)
{
	struct sundog_device *sdev = dev_get_drvdata(dev);
	int ret;

	ret = sundog_sched_settle(sdev);
	if (ret) {
		drm_warn(&sdev->drm, "jobs are queued for too long, no sleep on disk\n");
		return ret;
	}
	ret = sundog_pm_suspend(dev);
	if (ret)
		return ret;
	/* A remaining pin may hold a dma_resv lock while it waits for a fence of another device. */
	ret = atomic_read(&sdev->n_pins) ? -EBUSY : sundog_ttm_evict_all(sdev);
	if (ret) {
		drm_warn(&sdev->drm, "memory cannot leave the device, no sleep on disk: %d\n", ret);
		sundog_pm_resume(dev);
	}
	return ret;
}

static int sundog_pm_poweroff(struct device *dev)
{
	struct sundog_device *sdev = dev_get_drvdata(dev);
	int ret = sundog_pm_suspend(dev);

	/* False in the image, so a restore that finds true runs in a kernel that stayed on. */
	sdev->going_off = !ret;
	return ret;
}

/* If the reset fails, the contexts end all the same, so that no caller waits for the device. */
static int sundog_pm_restore(struct device *dev)
{
	struct sundog_device *sdev = dev_get_drvdata(dev);
	int ret, resumed;

	if (sdev->going_off) {
		sdev->going_off = false;
		return sundog_pm_resume(dev);
	}
	ret = sundog_device_reset(sdev);
	sundog_context_end_all(sdev, SUNDOG_FAULT_CODE_WORKER, !ret);
	sundog_client_reset_all(sdev);
	if (!ret) {
		sundog_revoke_restart(sdev);
		sundog_guest_restart(sdev);
		sundog_vram_restart(sdev);
		sundog_kms_call_heads(sdev, sundog_crtc_restart);
	}
	resumed = sundog_pm_resume(dev);
	return ret ?: resumed;
}

/** sundog_pm_ops - callbacks for suspend to RAM and to disk */
const struct dev_pm_ops sundog_pm_ops = {
	.suspend = pm_sleep_ptr(sundog_pm_suspend),
	.resume = pm_sleep_ptr(sundog_pm_resume),
	.freeze = pm_sleep_ptr(sundog_pm_freeze),
	.thaw = pm_sleep_ptr(sundog_pm_resume),
	.poweroff = pm_sleep_ptr(sundog_pm_poweroff),
	.restore = pm_sleep_ptr(sundog_pm_restore),
};
