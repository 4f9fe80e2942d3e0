/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Differences between the kernels that this driver builds with: 6.12 and 7.2, those of Debian 13
 * and of its backports. What changed somewhere in between is taken to be as in 7.2. All other files
 * are written for both, with what is here.
 */
#ifndef _SUNDOG_COMPAT_H_
#define _SUNDOG_COMPAT_H_

#include <linux/list.h>
#include <linux/module.h>
#include <linux/spinlock.h>
#include <linux/version.h>

#include <drm/drm_probe_helper.h>
#include <drm/gpu_scheduler.h>
#include <drm/ttm/ttm_bo.h>
#include <drm/ttm/ttm_device.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)

#include <drm/drm_client_setup.h>

#define SUNDOG_COMPAT_IMPORT_NS(ns) MODULE_IMPORT_NS(ns)
#define SUNDOG_COMPAT_DRIVER_DATE .date = "20261120",

static inline int sundog_compat_sched_init(struct drm_gpu_scheduler *sched,
					   const struct drm_sched_backend_ops *ops, u32 credits,
					   long timeout, const char *name, struct device *dev)
{
	return drm_sched_init(sched, ops, NULL, DRM_SCHED_PRIORITY_COUNT, credits, 0, timeout,
			      NULL, NULL, name, dev);
}

/*
 * Give the job back to the scheduler, which takes it off its list before it calls timedout_job.
 * If it finished meanwhile nobody noticed, so have the scheduler look again.
 */
static inline enum drm_gpu_sched_stat sundog_compat_sched_no_hang(struct drm_sched_job *job)
{
	struct drm_gpu_scheduler *sched = job->sched;

	spin_lock(&sched->job_list_lock);
	list_add(&job->list, &sched->pending_list);
	spin_unlock(&sched->job_list_lock);
	drm_sched_wqueue_start(sched);
	return DRM_GPU_SCHED_STAT_NOMINAL;
}

static inline int sundog_compat_ttm_device_init(struct ttm_device *ttm,
						const struct ttm_device_funcs *funcs,
						struct drm_device *drm)
{
	return ttm_device_init(ttm, funcs, drm->dev, drm->anon_inode->i_mapping,
			       drm->vma_offset_manager, false, false);
}

static inline int sundog_compat_poll_init(struct drm_device *drm)
{
	return drmm_kms_helper_poll_init(drm);
}

/* What fb_create() is given, and passes on, between the file and the command. */
#define SUNDOG_COMPAT_FB_INFO_PARAM
#define SUNDOG_COMPAT_FB_INFO

/* Busy memory is always printed. */
#define SUNDOG_COMPAT_OBJECT_ACTIVE 0

#else

#include <drm/clients/drm_client_setup.h>

#define SUNDOG_COMPAT_IMPORT_NS(ns) MODULE_IMPORT_NS(#ns)
#define SUNDOG_COMPAT_DRIVER_DATE
#define drm_atomic_state drm_atomic_commit

static inline void ttm_bo_get(struct ttm_buffer_object *tbo)
{
	kref_get(&tbo->kref);
}

static inline void ttm_bo_put(struct ttm_buffer_object *tbo)
{
	ttm_bo_fini(tbo);
}

static inline int sundog_compat_sched_init(struct drm_gpu_scheduler *sched,
					   const struct drm_sched_backend_ops *ops, u32 credits,
					   long timeout, const char *name, struct device *dev)
{
	const struct drm_sched_init_args args = {
		.ops = ops,
		.num_rqs = DRM_SCHED_PRIORITY_COUNT,
		.credit_limit = credits,
		.timeout = timeout,
		.name = name,
		.dev = dev,
	};

	return drm_sched_init(sched, &args);
}

static inline enum drm_gpu_sched_stat sundog_compat_sched_no_hang(struct drm_sched_job *job)
{
	return DRM_GPU_SCHED_STAT_NO_HANG;
}

static inline int sundog_compat_ttm_device_init(struct ttm_device *ttm,
						const struct ttm_device_funcs *funcs,
						struct drm_device *drm)
{
	return ttm_device_init(ttm, funcs, drm->dev, drm->anon_inode->i_mapping,
			       drm->vma_offset_manager, 0);
}

static inline int sundog_compat_poll_init(struct drm_device *drm)
{
	drmm_kms_helper_poll_init(drm);
	return 0;
}

#define SUNDOG_COMPAT_FB_INFO_PARAM const struct drm_format_info *info,
#define SUNDOG_COMPAT_FB_INFO info,
#define SUNDOG_COMPAT_OBJECT_ACTIVE DRM_GEM_OBJECT_ACTIVE

#endif

#endif
