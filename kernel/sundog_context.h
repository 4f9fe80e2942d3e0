/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef _SUNDOG_CONTEXT_H_
#define _SUNDOG_CONTEXT_H_

#include <linux/kref.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include <drm/gpu_scheduler.h>

#include "sundog_dump.h"
#include "sundog_hw.h"

struct drm_device;
struct drm_file;
struct file;
struct sundog_channel;
struct sundog_device;
struct sundog_file;
struct vm_area_struct;

/**
 * struct sundog_client - a DRM file, as the device sees it: one worker and one space of object ids
 */
struct sundog_client {
	/** @kref: held by the file and by its contexts */
	struct kref kref;
	/** @sdev: device */
	struct sundog_device *sdev;
	/** @id: client id, not used again while a context of it is alive */
	u32 id;
	/** @busy_ns: how long its channels had work, but for what runs now */
	atomic64_t busy_ns;
	/** @killed: CLIENT_DESTROY was posted; protected by command_lock */
	bool killed;
};

/**
 * struct sundog_context - a context: it has a channel slot from birth to death
 *
 * When the last reference goes the channel is off and no job of it is left, so the slot is free.
 */
struct sundog_context {
	/** @kref: held by the file, by each job, and by the channel while it is not off */
	struct kref kref;
	/** @sdev: device */
	struct sundog_device *sdev;
	/** @client: client of the file, with a reference */
	struct sundog_client *client;
	/** @ch: channel slot */
	struct sundog_channel *ch;
	/** @entity: queue of jobs */
	struct drm_sched_entity entity;
	/** @fence_context: timeline of the hardware fences */
	u64 fence_context;
	/** @submit_lock: keeps seqnos and the queue in the same order; taken outside of dma_resv */
	struct mutex submit_lock;
	/** @seqno: of the last submission; protected by @submit_lock */
	u64 seqno;
	/** @n_queued: jobs that the scheduler has, or is about to get */
	atomic_t n_queued;
	/** @room_wait: woken when @n_queued goes down */
	wait_queue_head_t room_wait;
	/** @state: as far as the driver knows; protected by command_lock */
	enum sundog_channel_state state;
	/** @abandoned: the file gave it up; protected by command_lock */
	bool abandoned;
	/** @destroy_posted: DESTROY was posted; protected by command_lock */
	bool destroy_posted;
	/** @comm: name of the process that made it */
	char comm[TASK_COMM_LEN];
	/** @pid: id of that process */
	pid_t pid;
	/** @fault: the first fault; protected by command_lock */
	struct sundog_fault fault;
};

int sundog_context_init(struct sundog_device *sdev);
void sundog_context_get(struct sundog_context *ctx);
void sundog_context_put(struct sundog_context *ctx);
struct sundog_context *sundog_context_lookup(struct drm_file *file, u32 id);
bool sundog_context_is_lost(struct sundog_context *ctx);
int sundog_context_begin_job(struct sundog_context *ctx);
void sundog_context_end_job(struct sundog_context *ctx);
u64 sundog_context_busy_ns(struct drm_file *file);
void sundog_context_file_close(struct drm_file *file);
void sundog_context_unplug(struct sundog_device *sdev, bool quiet);
int sundog_context_mmap(struct file *filp, struct vm_area_struct *vma);
void sundog_channel_events(struct sundog_device *sdev);
extern const struct sundog_sched_funcs sundog_context_sched_funcs;

int sundog_ioctl_context_create(struct drm_device *drm, void *data, struct drm_file *file);
int sundog_ioctl_context_destroy(struct drm_device *drm, void *data, struct drm_file *file);
int sundog_ioctl_context_query(struct drm_device *drm, void *data, struct drm_file *file);

#endif
