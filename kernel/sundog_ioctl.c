// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The ioctl table, and the ioctls GET_PARAM, GET_CAPS and WAIT. They hold no lock; registers are
 * read inside drm_dev_enter().
 */

#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_gem.h>
#include <drm/drm_utils.h>
#include "uapi/sundog_drm.h"

#include "sundog_bo.h"
#include "sundog_context_ioctl.h"
#include "sundog_device.h"
#include "sundog_ioctl.h"
#include "sundog_prime.h"
#include "sundog_reslist.h"
#include "sundog_resource.h"
#include "sundog_submit.h"
#include "sundog_vram.h"

static int sundog_ioctl_get_param(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct sundog_device *sdev = to_sundog_device(drm);
	struct drm_sundog_get_param *args = data;
	int ret = 0;
	int idx;

	if (args->pad)
		return -EINVAL;
	if (!drm_dev_enter(drm, &idx))
		return -ENODEV;
	switch (args->param) {
	case DRM_SUNDOG_PARAM_PROTOCOL:
		args->value = sdev->version;
		break;
	case DRM_SUNDOG_PARAM_FEATURES:
		args->value = sundog_read64(sdev, SUNDOG_REG_FEATURES);
		break;
	case DRM_SUNDOG_PARAM_VRAM_SIZE:
		args->value = sdev->vram_size;
		break;
	case DRM_SUNDOG_PARAM_VRAM_FREE:
		args->value = sdev->vram_size - sundog_vram_used(sdev);
		break;
	case DRM_SUNDOG_PARAM_MAX_LIST:
		args->value = SUNDOG_LIST_ENTRIES;
		break;
	case DRM_SUNDOG_PARAM_MAX_SYNCS:
		args->value = SUNDOG_MAX_SYNCS;
		break;
	case DRM_SUNDOG_PARAM_MAX_STREAM:
		args->value = SUNDOG_MAX_STREAM_DWORDS * sizeof(u32);
		break;
	default:
		ret = -EINVAL;
	}
	drm_dev_exit(idx);
	return ret;
}

/*
 * Copies the capability block out of its register window. Returns -ENODEV if the device has no
 * renderer after the copy: the block may then be zero or torn.
 */
static int sundog_read_caps(struct drm_device *drm, __le32 *caps)
{
	struct sundog_device *sdev = to_sundog_device(drm);
	u32 i, state;
	int idx;

	if (!drm_dev_enter(drm, &idx))
		return -ENODEV;
	for (i = 0; i < SUNDOG_CAPS_SIZE / sizeof(*caps); i++)
		caps[i] = cpu_to_le32(sundog_read(sdev, SUNDOG_REG_CAPS + i * sizeof(*caps)));
	state = sundog_read(sdev, SUNDOG_REG_RENDERER_STATE);
	drm_dev_exit(idx);
	return state == SUNDOG_RENDERER_STATE_READY ? 0 : -ENODEV;
}

static int sundog_ioctl_get_caps(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_sundog_get_caps *args = data;
	void __user *user = u64_to_user_ptr(args->data);
	const u32 room = args->size;
	__le32 *caps;
	u32 size, n;
	int ret;

	if (args->version)
		return -EINVAL;
	caps = kmalloc(SUNDOG_CAPS_SIZE, GFP_KERNEL);
	if (!caps)
		return -ENOMEM;
	ret = sundog_read_caps(drm, caps);
	if (ret)
		goto out_free;
	/* The size comes from the host: do not trust it. */
	size = min_t(u32, le32_to_cpu(caps[0]), SUNDOG_CAPS_SIZE);
	n = min(room, size);
	if (copy_to_user(user, caps, n) || clear_user(user + n, room - n)) {
		ret = -EFAULT;
		goto out_free;
	}
	args->size = size;
	args->version = le32_to_cpu(caps[1]);
out_free:
	kfree(caps);
	return ret;
}

static int sundog_ioctl_wait(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_sundog_wait *args = data;
	enum dma_resv_usage usage;
	struct sundog_bo *bo;
	long ret;

	switch (args->flags) {
	case DRM_SUNDOG_SUBMIT_READ:
		usage = DMA_RESV_USAGE_WRITE;
		break;
	case DRM_SUNDOG_SUBMIT_WRITE:
	case DRM_SUNDOG_SUBMIT_READ | DRM_SUNDOG_SUBMIT_WRITE:
		/* Jobs use streams, and BOs listed without IMPLICIT, as BOOKKEEP only. */
		usage = DMA_RESV_USAGE_BOOKKEEP;
		break;
	default:
		return -EINVAL;
	}
	bo = sundog_bo_lookup(file, args->handle);
	if (!bo)
		return -ENOENT;
	if (bo->file_resv)
		usage = DMA_RESV_USAGE_BOOKKEEP;
	ret = dma_resv_wait_timeout(bo->tbo.base.resv, usage, true,
				    drm_timeout_abs_to_jiffies(args->timeout_ns));
	sundog_bo_put(bo);
	if (ret < 0)
		return ret;
	return ret ? 0 : -ETIME;
}

const struct drm_ioctl_desc sundog_ioctls[SUNDOG_N_IOCTLS] = {
	DRM_IOCTL_DEF_DRV(SUNDOG_GET_PARAM, sundog_ioctl_get_param, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(SUNDOG_GET_CAPS, sundog_ioctl_get_caps, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(SUNDOG_CONTEXT_CREATE, sundog_ioctl_context_create, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(SUNDOG_CONTEXT_DESTROY, sundog_ioctl_context_destroy, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(SUNDOG_CONTEXT_QUERY, sundog_ioctl_context_query, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(SUNDOG_RESOURCE_CREATE, sundog_ioctl_resource_create, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(SUNDOG_RESOURCE_OPEN, sundog_ioctl_resource_open, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(SUNDOG_RESOURCE_DESTROY, sundog_ioctl_resource_destroy,
			  DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(SUNDOG_ALLOC, sundog_ioctl_alloc, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(SUNDOG_DEALLOC, sundog_ioctl_dealloc, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(SUNDOG_ALLOC_INFO, sundog_ioctl_alloc_info, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(SUNDOG_SUBMIT, sundog_ioctl_submit, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(SUNDOG_WAIT, sundog_ioctl_wait, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(SUNDOG_RESLIST_CREATE, sundog_ioctl_reslist_create, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(SUNDOG_RESLIST_UPDATE, sundog_ioctl_reslist_update, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(SUNDOG_RESLIST_DESTROY, sundog_ioctl_reslist_destroy, DRM_RENDER_ALLOW),
};
