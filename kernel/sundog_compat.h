/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Differences between kernels, from 6.12 on. What a kernel has says probe.sh, which asks its
 * headers and not its version. All other files are written for any, with what is here.
 */
#ifndef _SUNDOG_COMPAT_H_
#define _SUNDOG_COMPAT_H_

#include <linux/dma-fence-array.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include <drm/drm_device.h>
#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_probe_helper.h>
#include <drm/gpu_scheduler.h>
#include <drm/ttm/ttm_bo.h>
#include <drm/ttm/ttm_device.h>
#include <drm/ttm/ttm_tt.h>

#include "sundog_have.h"

#ifdef SUNDOG_HAVE_CLIENTS_FOLDER
#include <drm/clients/drm_client_setup.h>
#else
#include <drm/drm_client_setup.h>
#endif

#ifdef SUNDOG_HAVE_IMPORT_NS_TOKEN
#define SUNDOG_COMPAT_IMPORT_NS(ns) MODULE_IMPORT_NS(ns)
#else
#define SUNDOG_COMPAT_IMPORT_NS(ns) MODULE_IMPORT_NS(#ns)
#endif

#ifdef SUNDOG_HAVE_DRIVER_DATE
#define SUNDOG_COMPAT_DRIVER_DATE .date = "20261120",
#else
#define SUNDOG_COMPAT_DRIVER_DATE
#endif

#ifdef SUNDOG_HAVE_ATOMIC_COMMIT
#define drm_atomic_state drm_atomic_commit
#endif

#ifndef SUNDOG_HAVE_TTM_BO_PUT
static inline void ttm_bo_get(struct ttm_buffer_object *tbo)
{
	kref_get(&tbo->kref);
}

static inline void ttm_bo_put(struct ttm_buffer_object *tbo)
{
	ttm_bo_fini(tbo);
}
#endif

/* Where it is, ttm_tt_populate() is declared, but no longer exported. */
#ifndef SUNDOG_HAVE_TTM_BO_POPULATE
static inline int ttm_bo_populate(struct ttm_buffer_object *tbo, struct ttm_operation_ctx *ctx)
{
	return ttm_tt_populate(tbo->bdev, tbo->ttm, ctx);
}
#endif

static inline int sundog_compat_sched_init(struct drm_gpu_scheduler *sched,
					   const struct drm_sched_backend_ops *ops,
					   struct workqueue_struct *wq, u32 credits, long timeout,
					   const char *name, struct device *dev)
{
#ifdef SUNDOG_HAVE_SCHED_INIT_ARGS
	const struct drm_sched_init_args args = {
		.ops = ops,
		.submit_wq = wq,
		.num_rqs = DRM_SCHED_PRIORITY_COUNT,
		.credit_limit = credits,
		.timeout = timeout,
		.name = name,
		.dev = dev,
	};

	return drm_sched_init(sched, &args);
#else
	return drm_sched_init(sched, ops, wq, DRM_SCHED_PRIORITY_COUNT, credits, 0, timeout, NULL,
			      NULL, name, dev);
#endif
}

static inline int sundog_compat_sched_job_init(struct drm_sched_job *job,
					       struct drm_sched_entity *entity, u32 credits,
					       struct drm_file *file)
{
#ifdef SUNDOG_HAVE_SCHED_CLIENT_ID
	return drm_sched_job_init(job, entity, credits, file, file->client_id);
#else
	return drm_sched_job_init(job, entity, credits, file);
#endif
}

/*
 * An older scheduler takes the job off its list before it calls timedout_job: give it back. If it
 * finished meanwhile nobody noticed, so have the scheduler look again.
 */
static inline enum drm_gpu_sched_stat sundog_compat_sched_no_hang(struct drm_sched_job *job)
{
#ifdef SUNDOG_HAVE_SCHED_NO_HANG
	return DRM_GPU_SCHED_STAT_NO_HANG;
#else
	struct drm_gpu_scheduler *sched = job->sched;

	spin_lock(&sched->job_list_lock);
	list_add(&job->list, &sched->pending_list);
	spin_unlock(&sched->job_list_lock);
	if (!READ_ONCE(sched->pause_submit))
		drm_sched_wqueue_start(sched);
	return DRM_GPU_SCHED_STAT_NOMINAL;
#endif
}

/* One that signals when all have, and has @fences from then on. */
static inline struct dma_fence_array *sundog_compat_fence_array(int n, struct dma_fence **fences)
{
#ifdef SUNDOG_HAVE_FENCE_ARRAY_ANY
	return dma_fence_array_create(n, fences, dma_fence_context_alloc(1), 1, false);
#else
	return dma_fence_array_create(n, fences, dma_fence_context_alloc(1), 1);
#endif
}

static inline int sundog_compat_ttm_device_init(struct ttm_device *ttm,
						const struct ttm_device_funcs *funcs,
						struct drm_device *drm)
{
#ifdef SUNDOG_HAVE_TTM_DEVICE_FLAGS
	return ttm_device_init(ttm, funcs, drm->dev, drm->anon_inode->i_mapping,
			       drm->vma_offset_manager, 0);
#else
	return ttm_device_init(ttm, funcs, drm->dev, drm->anon_inode->i_mapping,
			       drm->vma_offset_manager, false, false);
#endif
}

static inline int sundog_compat_poll_init(struct drm_device *drm)
{
#ifdef SUNDOG_HAVE_POLL_INIT_STATUS
	return drmm_kms_helper_poll_init(drm);
#else
	drmm_kms_helper_poll_init(drm);
	return 0;
#endif
}

/* What fb_create() is given, and passes on, between the file and the command. */
#ifdef SUNDOG_HAVE_FB_CREATE_INFO
#define SUNDOG_COMPAT_FB_INFO_PARAM const struct drm_format_info *info,
#define SUNDOG_COMPAT_FB_INFO info,
#else
#define SUNDOG_COMPAT_FB_INFO_PARAM
#define SUNDOG_COMPAT_FB_INFO
#endif

/* What atomic_async_check() is given, and if that is about an asynchronous flip. */
#ifdef SUNDOG_HAVE_ASYNC_CHECK_FLIP
#define SUNDOG_COMPAT_ASYNC_PARAM struct drm_atomic_state *state, bool flip
#define SUNDOG_COMPAT_ASYNC_FLIP flip
#else
#define SUNDOG_COMPAT_ASYNC_PARAM struct drm_atomic_state *state
#define SUNDOG_COMPAT_ASYNC_FLIP false
#endif

/*
 * Tells user space that the driver has to be bound again. May sleep. Older kernels have
 * no such event.
 */
static inline void sundog_compat_wedged_event(struct drm_device *drm)
{
#if defined(SUNDOG_HAVE_WEDGED_EVENT_TASK)
	drm_dev_wedged_event(drm, DRM_WEDGE_RECOVERY_REBIND, NULL);
#elif defined(SUNDOG_HAVE_WEDGED_EVENT)
	drm_dev_wedged_event(drm, DRM_WEDGE_RECOVERY_REBIND);
#endif
}

/* Without it, busy memory is always printed. */
#ifdef SUNDOG_HAVE_OBJECT_ACTIVE
#define SUNDOG_COMPAT_OBJECT_ACTIVE DRM_GEM_OBJECT_ACTIVE
#else
#define SUNDOG_COMPAT_OBJECT_ACTIVE 0
#endif

/* A queue that is bound to CPUs; newer kernels are told, and will take others for unbound. */
#ifdef SUNDOG_HAVE_WQ_PERCPU
#define SUNDOG_COMPAT_WQ_PERCPU WQ_PERCPU
#else
#define SUNDOG_COMPAT_WQ_PERCPU 0
#endif

#endif
