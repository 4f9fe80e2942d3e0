// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Status pages of contexts: mappings of user space, see struct drm_sundog_status. The lock of the
 * file keeps a fault from inserting the page of a context that CONTEXT_DESTROY removes.
 */

#include <linux/mm.h>

#include <drm/drm_drv.h>
#include <drm/drm_file.h>

#include "sundog_context.h"
#include "sundog_device.h"
#include "sundog_file.h"
#include "sundog_sched.h"
#include "sundog_status.h"

/* Maps the zero page if the context was destroyed, or the device unplugged. */
static vm_fault_t sundog_status_fault(struct vm_fault *vmf)
{
	struct vm_area_struct *vma = vmf->vma;
	struct drm_file *file = vma->vm_file->private_data;
	struct sundog_device *sdev = to_sundog_device(file->minor->dev);
	struct sundog_file *sfile = file->driver_priv;
	unsigned long pfn = page_to_pfn(ZERO_PAGE(vmf->address));
	struct sundog_context *ctx;
	bool there;
	vm_fault_t ret;
	u64 segment;
	int idx;

	there = drm_dev_enter(&sdev->drm, &idx);
	mutex_lock(&sfile->lock);
	ctx = xa_load(&sfile->contexts, vma->vm_pgoff);
	if (ctx && there) {
		segment = SUNDOG_CONTROL_CHANNELS + (u64)ctx->ch->index * SUNDOG_CHANNEL_SIZE;
		pfn = (sdev->control_base + segment + SUNDOG_CHANNEL_STATUS) >> PAGE_SHIFT;
	}
	ret = vmf_insert_pfn(vma, vmf->address, pfn);
	mutex_unlock(&sfile->lock);
	if (there)
		drm_dev_exit(idx);
	return ret;
}

static const struct vm_operations_struct sundog_status_vm_ops = {
	.fault = sundog_status_fault,
};

/**
 * sundog_status_mmap() - map a status page, read-only
 * @filp: DRM file
 * @vma: mapping of one page, at the offset that CONTEXT_CREATE returned
 *
 * Return: 0, -EINVAL, or -EACCES if @vma is writable.
 */
int sundog_status_mmap(struct file *filp, struct vm_area_struct *vma)
{
	struct drm_file *file = filp->private_data;
	struct sundog_file *sfile = file->driver_priv;

	if (vma_pages(vma) != 1 || !xa_load(&sfile->contexts, vma->vm_pgoff))
		return -EINVAL;
	if (vma->vm_flags & VM_WRITE)
		return -EACCES;
	vm_flags_mod(vma, VM_PFNMAP | VM_IO | VM_DONTEXPAND | VM_DONTDUMP, VM_MAYWRITE);
	vma->vm_ops = &sundog_status_vm_ops;
	return 0;
}
