// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Sleep: suspend to RAM and to disk.
 *
 * User space and sundog_wq are frozen before. The device runs the jobs in its rings first. Jobs
 * that are still queued then, and the pictures of heads, wait until the machine is awake.
 *
 * To RAM: the device keeps all that it has but its registers, the clients of the renderer, too. So
 * nothing is saved, and no context is lost; but interrupts may have been.
 *
 * To disk: what is to last has to be in pages of the guest, so all allocations go there, before the
 * image is made and before it is loaded. A queued job keeps its allocations in VRAM, so all jobs
 * run before. If the image is not loaded, all goes on as after a suspend to RAM. If it is, it finds
 * a device that knows nothing of it: VRAM is cleared, and contexts are lost as if their workers had
 * ended, which user space gets over where it can make its objects again. What other drivers or the
 * kernel share cannot leave, so there is no image meanwhile. And if the machine is not switched off
 * after all when the image is on the disk, the same callback comes for a device that has
 * everything.
 */

#include <linux/errno.h>
#include <linux/pci.h>

#include <drm/drm_modeset_helper.h>
#include <drm/drm_print.h>
#include <drm/drm_probe_helper.h>

#include "sundog_client.h"
#include "sundog_context_state.h"
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
 * Heads first: what they wait for may have to be drawn yet. Who turns them off waits for that
 * without an end.
 */
static int sundog_pm_suspend(struct device *dev)
{
	struct sundog_device *sdev = dev_get_drvdata(dev);
	int ret;

	/* A hot-plug would turn heads on. */
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
	/* A pin that waits for a queued job touches no hardware before that job has run. */
	sundog_pin_settle(sdev);
	return 0;

err_go_on:
	sundog_irq_hold_hotplug(sdev, false);
	/* Windows may have got other sizes meanwhile. */
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
	/* Windows may have got other sizes. */
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
	/* A pin may wait for a job that waits for a fence of others, with the lock of a BO. */
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

	/* No image has this: who finds it was not switched off. */
	sdev->going_off = !ret;
	return ret;
}

/* A device that does not come back is of no use, but nobody is to wait for it. */
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
		sundog_kms_restart(sdev);
	}
	resumed = sundog_pm_resume(dev);
	return ret ?: resumed;
}

/** sundog_pm_ops - what the PCI bus is told */
const struct dev_pm_ops sundog_pm_ops = {
	.suspend = pm_sleep_ptr(sundog_pm_suspend),
	.resume = pm_sleep_ptr(sundog_pm_resume),
	.freeze = pm_sleep_ptr(sundog_pm_freeze),
	.thaw = pm_sleep_ptr(sundog_pm_resume),
	.poweroff = pm_sleep_ptr(sundog_pm_poweroff),
	.restore = pm_sleep_ptr(sundog_pm_restore),
};
