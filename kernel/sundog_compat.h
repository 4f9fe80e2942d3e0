/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The driver is written for the newest kernel. This header gives older kernels, from 6.12 on, the
 * interfaces that they lack. Kbuild includes it before every file, so no file names it, and the
 * driver in the kernel's own tree does not need it. probe.sh tests the kernel's headers for each
 * interface, because stable kernels get backports from newer ones.
 */
#ifndef _SUNDOG_COMPAT_H_
#define _SUNDOG_COMPAT_H_

#include "sundog_have.h"

#include <linux/overflow.h>
#include <linux/slab.h>
#ifndef kzalloc_obj
#define kmalloc_obj(obj, gfp) kmalloc(sizeof(obj), gfp)
#define kzalloc_obj(obj, gfp) kzalloc(sizeof(obj), gfp)
#define kvzalloc_obj(obj, gfp) kvzalloc(sizeof(obj), gfp)
#define kvzalloc_objs(obj, n, gfp) kvcalloc(n, sizeof(obj), gfp)
#define kmalloc_flex(obj, member, n, gfp) kmalloc(struct_size(&(obj), member, n), gfp)
#define kzalloc_flex(obj, member, n, gfp) kzalloc(struct_size(&(obj), member, n), gfp)
#define kvmalloc_flex(obj, member, n, gfp) kvmalloc(struct_size(&(obj), member, n), gfp)
#define kvzalloc_flex(obj, member, n, gfp) kvzalloc(struct_size(&(obj), member, n), gfp)
#endif

/* Older kernels take a token; the driver passes the namespace as a string. */
#ifdef SUNDOG_HAVE_IMPORT_NS_TOKEN
#include <linux/module.h>
#undef MODULE_IMPORT_NS
#define MODULE_IMPORT_NS(ns) MODULE_INFO(import_ns, ns)
#endif

/* Older kernels print the date of each driver: without a date they print a null pointer. */
#ifdef SUNDOG_HAVE_DRIVER_DATE
#include <drm/drm_fbdev_ttm.h>
#undef DRM_FBDEV_TTM_DRIVER_OPS
#ifdef CONFIG_DRM_FBDEV_EMULATION
#define DRM_FBDEV_TTM_DRIVER_OPS \
	.date = "20261120", .fbdev_probe = drm_fbdev_ttm_driver_fbdev_probe
#else
#define DRM_FBDEV_TTM_DRIVER_OPS .date = "20261120", .fbdev_probe = NULL
#endif
#endif

/* Older kernels have a function of this name in drm_atomic.h; the driver does not call it. */
#ifndef SUNDOG_HAVE_ATOMIC_COMMIT
#include <drm/drm_atomic.h>
#define drm_atomic_commit drm_atomic_state
#endif

/* Older kernels lack the argument @info: drop it in the definition and in the call in its body. */
#ifndef SUNDOG_HAVE_FB_CREATE_INFO
#include <drm/drm_gem_framebuffer_helper.h>
#define sundog_fb_create(drm, file, info, cmd) sundog_fb_create(drm, file, cmd)
#define drm_gem_fb_create_with_dirty(drm, file, info, cmd) \
	drm_gem_fb_create_with_dirty(drm, file, cmd)
#endif

/* Older kernels lack the argument @flip, and call this hook for cursor updates only. */
#ifndef SUNDOG_HAVE_ASYNC_CHECK_FLIP
#include <linux/types.h>
#define sundog_cursor_atomic_async_check(plane, state, flip) \
	sundog_cursor_atomic_async_check(plane, state)
static const bool flip __maybe_unused;
#endif

/* Older kernels print drm-active-* in fdinfo even if the size is 0. */
#ifndef SUNDOG_HAVE_OBJECT_ACTIVE
#define DRM_GEM_OBJECT_ACTIVE 0
#endif

#ifndef SUNDOG_HAVE_TTM_BO_FINI
#include <drm/ttm/ttm_bo.h>
#define ttm_bo_fini ttm_bo_put
#endif

/* A kernel with ttm_bo_populate() declares ttm_tt_populate(), but does not export it. */
#ifndef SUNDOG_HAVE_TTM_BO_POPULATE
#include <drm/ttm/ttm_bo.h>
#include <drm/ttm/ttm_tt.h>
static inline int ttm_bo_populate(struct ttm_buffer_object *tbo, struct ttm_operation_ctx *ctx)
{
	return ttm_tt_populate(tbo->bdev, tbo->ttm, ctx);
}
#endif

/* The driver passes no flag. */
#ifndef SUNDOG_HAVE_TTM_DEVICE_FLAGS
#include <drm/ttm/ttm_device.h>
#define ttm_device_init(ttm, funcs, dev, mapping, vma_manager, flags) \
	ttm_device_init(ttm, funcs, dev, mapping, vma_manager, false, false)
#endif

#ifndef SUNDOG_HAVE_SCHED_INIT_ARGS
#include <drm/gpu_scheduler.h>
struct drm_sched_init_args {
	const struct drm_sched_backend_ops *ops;
	struct workqueue_struct *submit_wq;
	u32 num_rqs;
	u32 credit_limit;
	long timeout;
	const char *name;
	struct device *dev;
};

static inline int sundog_compat_sched_init(struct drm_gpu_scheduler *sched,
					   const struct drm_sched_init_args *args)
{
	return drm_sched_init(sched, args->ops, args->submit_wq, args->num_rqs, args->credit_limit,
			      0, args->timeout, NULL, NULL, args->name, args->dev);
}

#define drm_sched_init sundog_compat_sched_init
#endif

#ifndef SUNDOG_HAVE_SCHED_CLIENT_ID
#include <drm/gpu_scheduler.h>
#define drm_sched_job_init(job, entity, credits, owner, client_id) \
	drm_sched_job_init(job, entity, credits, owner)
#endif

/* Older kernels have one more argument: whether the array signals with its first fence. */
#ifndef SUNDOG_HAVE_FENCE_ARRAY_ALL
#include <linux/dma-fence-array.h>
#define dma_fence_array_create(n, fences, context, seqno) \
	dma_fence_array_create(n, fences, context, seqno, false)
#endif

#ifndef SUNDOG_HAVE_FENCE_DEDUP
#include <linux/dma-fence.h>
#include <linux/sort.h>
/* Sorts by context, the last fence of each context first. */
static inline int sundog_compat_fence_cmp(const void *a, const void *b)
{
	struct dma_fence *x = *(struct dma_fence *const *)a, *y = *(struct dma_fence *const *)b;

	if (x->context != y->context)
		return x->context < y->context ? -1 : 1;
	return dma_fence_is_later(x, y) ? -1 : dma_fence_is_later(y, x);
}

static inline size_t dma_fence_dedup_array(struct dma_fence **fences, size_t num_fences)
{
	size_t i, n = 0;

	sort(fences, num_fences, sizeof(*fences), sundog_compat_fence_cmp, NULL);
	for (i = 0; i < num_fences; i++)
		if (n && fences[n - 1]->context == fences[i]->context)
			dma_fence_put(fences[i]);
		else
			fences[n++] = fences[i];
	return n;
}
#endif

/* The oldest kernels lack this event. Newer ones have it, but without the task to blame. */
#ifndef SUNDOG_HAVE_WEDGED_EVENT_TASK
#include <drm/drm_drv.h>
#ifdef SUNDOG_HAVE_WEDGED_EVENT
#define drm_dev_wedged_event(drm, method, info) drm_dev_wedged_event(drm, method)
#else
#define DRM_WEDGE_RECOVERY_REBIND BIT(1)
static inline int drm_dev_wedged_event(struct drm_device *drm, unsigned long method, void *info)
{
	return 0;
}
#endif
#endif

/* Newer kernels will treat a work queue without this flag as unbound. */
#ifndef SUNDOG_HAVE_WQ_PERCPU
#define WQ_PERCPU 0
#endif

#ifndef SUNDOG_HAVE_SYSTEM_PERCPU_WQ
#define system_percpu_wq system_wq
#endif

#endif
