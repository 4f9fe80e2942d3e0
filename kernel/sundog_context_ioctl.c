// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The ioctls on contexts, and the end of contexts with their DRM file.
 *
 * They run in the calling process. sundog_file.lock protects the client of a file, and its status
 * pages against their removal; the xarray lock protects the ids of contexts.
 */

#include <linux/mm.h>
#include <linux/sched/signal.h>

#include <drm/drm_device.h>
#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_vma_manager.h>
#include "uapi/sundog_drm.h"

#include "sundog_client.h"
#include "sundog_context.h"
#include "sundog_context_ioctl.h"
#include "sundog_context_state.h"
#include "sundog_device.h"
#include "sundog_file.h"

/* A context's status page is mapped at its id, below the offsets of GEM objects. */
#define SUNDOG_MAX_CONTEXT_ID	(DRM_FILE_PAGE_OFFSET_START - 1)

/* Number of clients in a row that may lose their workers before CONTEXT_CREATE fails. */
#define SUNDOG_CREATE_TRIES	4

/* FAULT is not final: each channel of a worker that ended becomes DEAD, even one created after. */
static bool sundog_context_is_created(struct sundog_context *ctx)
{
	switch (READ_ONCE(ctx->state)) {
	case SUNDOG_CHANNEL_STATE_CREATING:
	case SUNDOG_CHANNEL_STATE_FAULT:
		return false;
	default:
		return true;
	}
}

static int sundog_context_wait_created(struct sundog_context *ctx)
{
	long ret;

	ret = wait_event_killable_timeout(ctx->sdev->event_wait, sundog_context_is_created(ctx),
					  SUNDOG_CREATE_TIMEOUT);
	if (ret < 0)
		return ret;
	return READ_ONCE(ctx->state) == SUNDOG_CHANNEL_STATE_RUN ? 0 : -EIO;
}

static int sundog_context_run(struct sundog_context *ctx)
{
	int idx, ret;

	if (!drm_dev_enter(&ctx->sdev->drm, &idx))
		return -ENODEV;
	ret = sundog_context_start(ctx);
	drm_dev_exit(idx);
	return ret ?: sundog_context_wait_created(ctx);
}

/*
 * Creates a running context. The client's worker may have ended while the file had no context to
 * receive that event, or be ending now. The next try then uses another client.
 */
static struct sundog_context *sundog_context_new_running(struct sundog_device *sdev,
							 struct sundog_file *sfile)
{
	struct sundog_context *ctx;
	bool killed;
	int i, ret = -EIO;

	for (i = 0; i < SUNDOG_CREATE_TRIES; i++) {
		ctx = sundog_context_new(sdev, sfile);
		if (IS_ERR(ctx))
			return ctx;
		ret = sundog_context_run(ctx);
		if (!ret)
			return ctx;
		killed = READ_ONCE(ctx->client->killed);
		sundog_context_abandon(ctx);
		if (ret != -EIO || !killed)
			break;
	}
	return ERR_PTR(ret);
}

/* All files take ids from one counter, so that an id seldom names contexts of two files. */
static int sundog_context_create(struct sundog_device *sdev, struct sundog_file *sfile,
				 struct drm_sundog_context_create *args)
{
	struct sundog_context *ctx;
	u32 id;
	int ret;

	ctx = sundog_context_new_running(sdev, sfile);
	if (IS_ERR(ctx))
		return PTR_ERR(ctx);

	do {
		id = 1 + (u32)atomic_inc_return(&sdev->last_context) % SUNDOG_MAX_CONTEXT_ID;
		ret = xa_insert(&sfile->contexts, id, ctx, GFP_KERNEL);
	} while (ret == -EBUSY);
	if (ret)
		goto err_abandon;
	args->ctx = id;
	args->status_offset = (u64)id << PAGE_SHIFT;
	return 0;

err_abandon:
	sundog_context_abandon(ctx);
	return ret;
}

/**
 * sundog_ioctl_context_create() - DRM_IOCTL_SUNDOG_CONTEXT_CREATE
 * @drm: DRM device
 * @data: struct drm_sundog_context_create
 * @file: DRM file
 *
 * Return: 0 or a negative error code.
 */
int sundog_ioctl_context_create(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct sundog_device *sdev = to_sundog_device(drm);
	struct sundog_file *sfile = file->driver_priv;
	struct drm_sundog_context_create *args = data;

	if (args->flags)
		return -EINVAL;
	if (atomic_read(&sdev->wedged))
		return -EBUSY;
	return sundog_context_create(sdev, sfile, args);
}

/**
 * sundog_ioctl_context_destroy() - DRM_IOCTL_SUNDOG_CONTEXT_DESTROY
 * @drm: DRM device
 * @data: struct drm_sundog_context_destroy
 * @file: DRM file
 *
 * Return: 0 or a negative error code.
 */
int sundog_ioctl_context_destroy(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct sundog_device *sdev = to_sundog_device(drm);
	struct sundog_file *sfile = file->driver_priv;
	struct drm_sundog_context_destroy *args = data;
	struct sundog_context *ctx;

	if (args->pad)
		return -EINVAL;
	mutex_lock(&sfile->lock);
	ctx = xa_erase(&sfile->contexts, args->ctx);
	mutex_unlock(&sfile->lock);
	if (!ctx)
		return -ENOENT;
	/* This unmaps the page at that offset from every file, but seldom is there another one. */
	unmap_mapping_range(drm->anon_inode->i_mapping, (u64)args->ctx << PAGE_SHIFT, PAGE_SIZE, 1);

	sundog_context_get(ctx);
	sundog_context_abandon(ctx);
	/*
	 * The wait is a courtesy to callers that count contexts. A signal ends it, also that of the
	 * freezer. Jobs end soon, unless they wait for fences of other contexts or devices.
	 */
	wait_event_interruptible_timeout(sdev->event_wait,
					 READ_ONCE(ctx->state) == SUNDOG_CHANNEL_STATE_OFF,
					 2 * sundog_context_stop_timeout());
	wait_event_interruptible_timeout(sdev->event_wait, refcount_read(&ctx->refs) == 1, HZ / 10);
	sundog_context_put(ctx);
	return 0;
}

static enum drm_sundog_context_state sundog_context_uapi_state(const struct sundog_context *ctx)
{
	switch (ctx->state) {
	case SUNDOG_CHANNEL_STATE_RUN:
		return ctx->client->killed ? DRM_SUNDOG_CONTEXT_LOST : DRM_SUNDOG_CONTEXT_RUNNING;
	case SUNDOG_CHANNEL_STATE_DEAD:
	case SUNDOG_CHANNEL_STATE_OFF:
		return DRM_SUNDOG_CONTEXT_ENDED;
	default:
		return DRM_SUNDOG_CONTEXT_LOST;
	}
}

static enum drm_sundog_guilt sundog_context_guilt(const struct sundog_context *ctx)
{
	if (!ctx->fault.code)
		return DRM_SUNDOG_GUILT_NONE;
	return ctx->fault.guilty ? DRM_SUNDOG_GUILTY : DRM_SUNDOG_INNOCENT;
}

/**
 * sundog_ioctl_context_query() - DRM_IOCTL_SUNDOG_CONTEXT_QUERY
 * @drm: DRM device
 * @data: struct drm_sundog_context_query
 * @file: DRM file
 *
 * Return: 0 or a negative error code.
 */
int sundog_ioctl_context_query(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct sundog_device *sdev = to_sundog_device(drm);
	struct drm_sundog_context_query *args = data;
	struct sundog_context *ctx;

	if (args->flags || args->pad)
		return -EINVAL;
	ctx = sundog_context_lookup(file, args->ctx);
	if (!ctx)
		return -ENOENT;
	spin_lock(&sdev->command_lock);
	args->state = sundog_context_uapi_state(ctx);
	args->guilt = sundog_context_guilt(ctx);
	args->fault = ctx->fault.code;
	args->seqno = ctx->fault.seqno;
	args->offset = ctx->fault.offset;
	args->arg = ctx->fault.arg;
	spin_unlock(&sdev->command_lock);
	sundog_context_put(ctx);
	return 0;
}

/**
 * sundog_context_file_end() - end a file's client, and with it the work of its contexts
 * @file: DRM file that closes
 *
 * Does not wait: running work stops soon.
 */
void sundog_context_file_end(struct drm_file *file)
{
	struct sundog_file *sfile = file->driver_priv;

	/* One command ends all channels of the client. */
	if (sfile->client)
		sundog_client_kill(sfile->client, SUNDOG_FAULT_CODE_NONE, false);
}

/**
 * sundog_context_file_close() - end a file's contexts
 * @file: DRM file that closes
 *
 * Does not wait: contexts with running work free themselves when their channels are off.
 */
void sundog_context_file_close(struct drm_file *file)
{
	struct sundog_file *sfile = file->driver_priv;
	struct sundog_context *ctx;
	unsigned long id;

	sundog_context_file_end(file);
	xa_for_each(&sfile->contexts, id, ctx)
		sundog_context_abandon(ctx);
	xa_destroy(&sfile->contexts);
	if (sfile->client)
		sundog_client_put(sfile->client);
}
