// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The driver: module, PCI probe and remove, DRM driver, open and close of DRM files.
 *
 * The other files of the driver:
 *	sundog_device.c		BARs, version check, reset
 *	sundog_irq.c		interrupts
 *	sundog_pm.c		suspend to RAM and to disk
 *	sundog_table.c		allocation table of the device
 *	sundog_ttm.c		memory manager, with the VRAM manager (_vram)
 *	sundog_extent.c		extents of VRAM and their owners; revokes (_revoke)
 *	sundog_evict.c		eviction from VRAM that waits for jobs
 *	sundog_bo.c		allocations: placements, dma_resv of PRIVATE ones
 *	sundog_gem.c		GEM callbacks of allocations
 *	sundog_pin.c		pins of allocations
 *	sundog_prime.c		dma-bufs of allocations
 *	sundog_guest.c		heap GUEST: pages of other drivers (imports) and own pages (TT)
 *	sundog_resource.c	resources: allocations under one kernel handle; res ids;
 *				ioctls on resources and allocations
 *	sundog_reslist.c	residency lists: allocations that many submissions use;
 *				their PRIVATE part (_private_list)
 *	sundog_client.c		clients: DRM files as the device sees them
 *	sundog_context.c	contexts: their states (_state), their ioctls (_ioctl)
 *	sundog_status.c		status pages of contexts
 *	sundog_submit.c		the SUBMIT ioctl, up to the scheduler's queue
 *	sundog_deps.c		dependencies of a job, reduced to few fences
 *	sundog_job.c		allocation and release of jobs
 *	sundog_sched.c		rings, schedulers, fences: from the queue to the device and back
 *	sundog_dump.c		device coredumps of lost contexts
 *	sundog_kms.c		mode setting; sundog_head.c and the parts _crtc, _plane, _writeback
 *	sundog_ioctl.c		ioctl table and small ioctls
 *	sundog_array.c		arrays in ioctl arguments
 *	sundog_wq.c		work queues
 *	sundog_uapi_check.c	compile-time check of uapi/sundog_drm.h against the device protocol
 *	sundog_debugfs.c	debugfs, with object counts (_stats)
 *	sundog_fdinfo.c		fdinfo
 *	sundog_quota.c		quotas of files and users
 *
 * uapi/sundog_drm.h describes the interface to user space.
 */

#include <linux/aperture.h>
#include <linux/module.h>
#include <linux/pci.h>

#include <drm/clients/drm_client_setup.h>
#include <drm/drm_atomic_helper.h>
#include <drm/drm_drv.h>
#include <drm/drm_fbdev_ttm.h>
#include <drm/drm_file.h>
#include <drm/drm_gem.h>
#include <drm/drm_gem_ttm_helper.h>
#include <drm/drm_ioctl.h>
#include <drm/drm_managed.h>
#include <drm/drm_module.h>
#include <drm/drm_print.h>
#include <drm/drm_probe_helper.h>
#include <drm/drm_vma_manager.h>
#include "uapi/sundog_drm.h"

#include "sundog_bo.h"
#include "sundog_client.h"
#include "sundog_context.h"
#include "sundog_context_ioctl.h"
#include "sundog_context_state.h"
#include "sundog_crtc.h"
#include "sundog_debugfs.h"
#include "sundog_device.h"
#include "sundog_dump.h"
#include "sundog_extent.h"
#include "sundog_fdinfo.h"
#include "sundog_file.h"
#include "sundog_gem.h"
#include "sundog_guest.h"
#include "sundog_ioctl.h"
#include "sundog_irq.h"
#include "sundog_kms.h"
#include "sundog_pm.h"
#include "sundog_prime.h"
#include "sundog_quota.h"
#include "sundog_reslist.h"
#include "sundog_resource.h"
#include "sundog_revoke.h"
#include "sundog_sched.h"
#include "sundog_stats.h"
#include "sundog_status.h"
#include "sundog_table.h"
#include "sundog_ttm.h"
#include "sundog_wq.h"
#include "sundog_writeback.h"

static int sundog_open(struct drm_device *drm, struct drm_file *file)
{
	struct sundog_file *sfile = kzalloc_obj(*sfile, GFP_KERNEL_ACCOUNT);

	if (!sfile)
		return -ENOMEM;
	xa_init_flags(&sfile->resources, XA_FLAGS_ALLOC1 | XA_FLAGS_ACCOUNT);
	xa_init_flags(&sfile->opens, XA_FLAGS_ACCOUNT);
	sfile->resv = sundog_file_resv_create(drm);
	if (!sfile->resv)
		goto err_free;
	sfile->vram_owner = sundog_vram_owner_create(to_sundog_device(drm)->extents);
	if (!sfile->vram_owner)
		goto err_put_resv;
	sfile->quota = sundog_quota_create(to_sundog_device(drm), sfile->vram_owner);
	if (!sfile->quota)
		goto err_put_vram_owner;
	/* Reserve index 1, which no id and no kres gets, to keep the first nodes allocated. */
	if (xa_reserve(&sfile->resources, 1, GFP_KERNEL))
		goto err_close_quota;
	if (xa_reserve(&sfile->opens, 1, GFP_KERNEL))
		goto err_destroy_resources;
	xa_init_flags(&sfile->reslists, XA_FLAGS_ALLOC1 | XA_FLAGS_ACCOUNT);
	xa_init_flags(&sfile->contexts, XA_FLAGS_ALLOC1 | XA_FLAGS_ACCOUNT);
	mutex_init(&sfile->handles_lock);
	mutex_init(&sfile->lock);
	file->driver_priv = sfile;
	return 0;

err_destroy_resources:
	xa_destroy(&sfile->resources);
err_close_quota:
	sundog_quota_close(sfile->quota);
	goto err_put_resv;
err_put_vram_owner:
	sundog_vram_owner_put(sfile->vram_owner);
err_put_resv:
	sundog_file_resv_put(sfile->resv);
err_free:
	kfree(sfile);
	return -ENOMEM;
}

static void sundog_postclose(struct drm_device *drm, struct drm_file *file)
{
	struct sundog_file *sfile = file->driver_priv;

	sundog_context_file_close(file);
	sundog_reslist_file_close(sfile);
	sundog_res_file_close(sfile);
	sundog_extents_set_client(sfile->vram_owner, 0);
	sundog_file_resv_put(sfile->resv);
	sundog_quota_close(sfile->quota);
	mutex_destroy(&sfile->lock);
	mutex_destroy(&sfile->handles_lock);
	kfree(sfile);
}

/*
 * drm_release() turns off the planes that show framebuffers of the file, and waits for their flips.
 * The flips may wait for jobs of the file. Its contexts therefore have to end first.
 */
static int sundog_release(struct inode *inode, struct file *filp)
{
	struct drm_file *file = filp->private_data;
	struct sundog_file *sfile = file->driver_priv;

	sfile->closing = true;
	sundog_context_file_end(file);
	return drm_release(inode, filp);
}

static int sundog_mmap(struct file *filp, struct vm_area_struct *vma)
{
	if (vma->vm_pgoff < DRM_FILE_PAGE_OFFSET_START)
		return sundog_status_mmap(filp, vma);
	return drm_gem_mmap(filp, vma);
}

static const struct file_operations sundog_fops = {
	.owner = THIS_MODULE,
	.open = drm_open,
	.release = sundog_release,
	.unlocked_ioctl = drm_ioctl,
	.compat_ioctl = drm_compat_ioctl,
	.poll = drm_poll,
	.read = drm_read,
	.llseek = noop_llseek,
	.mmap = sundog_mmap,
	.show_fdinfo = drm_show_fdinfo,
	.fop_flags = FOP_UNSIGNED_OFFSET,
};

/*
 * Versions of the interface in uapi/sundog_drm.h:
 *
 * - 3.0: initial interface
 */
#define SUNDOG_DRIVER_MAJOR	3
#define SUNDOG_DRIVER_MINOR	0

static const struct drm_driver sundog_driver = {
	.driver_features = DRIVER_GEM | DRIVER_RENDER | DRIVER_MODESET | DRIVER_ATOMIC |
			   DRIVER_SYNCOBJ | DRIVER_SYNCOBJ_TIMELINE | DRIVER_CURSOR_HOTSPOT,
	.open = sundog_open,
	.postclose = sundog_postclose,
	.gem_prime_import = sundog_prime_import,
	.dumb_create = sundog_gem_dumb_create,
	.dumb_map_offset = drm_gem_ttm_dumb_map_offset,
	.show_fdinfo = sundog_fdinfo_show,
	DRM_FBDEV_TTM_DRIVER_OPS,
	.ioctls = sundog_ioctls,
	.num_ioctls = SUNDOG_N_IOCTLS,
	.fops = &sundog_fops,
	.name = SUNDOG_DRIVER_NAME,
	.desc = "sundog virtual GPU",
	.major = SUNDOG_DRIVER_MAJOR,
	.minor = SUNDOG_DRIVER_MINOR,
};

/* The order of calls matters for teardown: drmm actions run backwards. */
static int sundog_init(struct sundog_device *sdev, struct pci_dev *pdev)
{
	int ret;

	ret = sundog_device_init(sdev, pdev);
	if (ret)
		return ret;
	ret = sundog_stats_init(sdev);
	if (ret)
		return ret;
	ret = sundog_table_init(sdev);
	if (ret)
		return ret;
	/* The end of the memory manager still uncharges allocations, so quotas outlive it. */
	ret = sundog_quota_init(sdev);
	if (ret)
		return ret;
	sdev->gem_funcs = &sundog_gem_funcs;
	ret = sundog_ttm_init(sdev);
	if (ret)
		return ret;
	ret = sundog_resource_init(sdev);
	if (ret)
		return ret;
	ret = drmm_mutex_init(&sdev->drm, &sdev->fdinfo_lock);
	if (ret)
		return ret;
	ret = sundog_dump_init(sdev);
	if (ret)
		return ret;
	ret = sundog_client_init(sdev);
	if (ret)
		return ret;
	sundog_context_init(sdev);
	ret = sundog_sched_init(sdev, &sundog_context_sched_funcs);
	if (ret)
		return ret;
	ret = sundog_kms_init(sdev);
	if (ret)
		return ret;
	return sundog_irq_init(sdev, pdev);
}

static int sundog_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	struct sundog_device *sdev;
	int ret;

	ret = aperture_remove_conflicting_pci_devices(pdev, SUNDOG_DRIVER_NAME);
	if (ret)
		return ret;
	sdev = devm_drm_dev_alloc(&pdev->dev, &sundog_driver, struct sundog_device, drm);
	if (IS_ERR(sdev))
		return PTR_ERR(sdev);
	pci_set_drvdata(pdev, sdev);

	ret = sundog_init(sdev, pdev);
	if (ret)
		return ret;
	sundog_debugfs_init(sdev);
	ret = drm_dev_register(&sdev->drm, 0);
	if (ret)
		return ret;
	sundog_irq_enable_display(sdev);
	drm_client_setup(&sdev->drm, NULL);
	return 0;
}

/*
 * Also called at shutdown: workers can access guest memory, which the next kernel may reuse.
 *
 * drm_dev_unplug() takes all mode-setting locks to remove the framebuffer of the console. A
 * blocking commit holds some of them while it waits for jobs and writeback, so both end before. The
 * display runs until drm_dev_unplug() has returned: meanwhile the console may wait for a vblank.
 * That function also waits for readers of CRCs in debugfs, which wait for the next frame.
 */
static void sundog_remove(struct pci_dev *pdev)
{
	struct sundog_device *sdev = pci_get_drvdata(pdev);
	struct drm_device *drm = &sdev->drm;
	int ret;

	/* Commits that wait for a vblank hold locks that drm_dev_unplug() needs, so end them. */
	if (!sundog_device_is_present(sdev)) {
		sundog_kms_call_heads(sdev, sundog_crtc_stop);
		sundog_kms_call_heads(sdev, sundog_crtc_unplug);
	}
	sundog_kms_call_heads(sdev, sundog_writeback_end);
	sundog_context_kill_all(sdev);
	drm_kms_helper_poll_fini(drm);
	drm_dev_unplug(drm);
	/* The reset clears VBLANK_COUNT. */
	sundog_kms_call_heads(sdev, sundog_crtc_stop);
	/* Ends the remaining workers and the display. */
	ret = sundog_device_reset(sdev);
	sundog_context_end_all(sdev, DRM_SUNDOG_FAULT_DEVICE, !ret);
	sundog_revoke_gone(sdev);
	sundog_kms_call_heads(sdev, sundog_crtc_unplug);
	/* Waits for the dma_resv of imports. Their holders may wait for a revoke or a flip. */
	if (!ret)
		sundog_guest_gone(sdev);
	else
		sundog_guest_keep(sdev);
	drm_atomic_helper_shutdown(drm);
	sundog_kms_wait(sdev);
}

static const struct pci_device_id sundog_pci_ids[] = {
	{ PCI_DEVICE(SUNDOG_PCI_VENDOR, SUNDOG_PCI_DEVICE) },
	{}
};
MODULE_DEVICE_TABLE(pci, sundog_pci_ids);

static struct pci_driver sundog_pci_driver = {
	.name = SUNDOG_DRIVER_NAME,
	.id_table = sundog_pci_ids,
	.probe = sundog_probe,
	.remove = sundog_remove,
	.shutdown = sundog_remove,
	.driver.pm = pm_sleep_ptr(&sundog_pm_ops),
};

static int __init sundog_module_init(void)
{
	int ret;

	if (drm_firmware_drivers_only())
		return -ENODEV;
	ret = sundog_bo_module_init();
	if (ret)
		return ret;
	ret = sundog_wq_init();
	if (ret)
		goto err_bo;
	ret = pci_register_driver(&sundog_pci_driver);
	if (ret)
		goto err_wq;
	return 0;

err_wq:
	sundog_wq_exit();
err_bo:
	sundog_bo_module_exit();
	return ret;
}

static void __exit sundog_module_exit(void)
{
	pci_unregister_driver(&sundog_pci_driver);
	sundog_wq_exit();
	sundog_sched_module_exit();
	sundog_bo_module_exit();
}

module_init(sundog_module_init);
module_exit(sundog_module_exit);

MODULE_DESCRIPTION("sundog virtual GPU");
MODULE_AUTHOR("The sundog project");
MODULE_LICENSE("Dual MIT/GPL");
MODULE_IMPORT_NS("DMA_BUF");
