/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* struct sundog_context, its references, and its queue of jobs. */
#ifndef _SUNDOG_CONTEXT_H_
#define _SUNDOG_CONTEXT_H_

#include <linux/jiffies.h>
#include <linux/mutex.h>
#include <linux/refcount.h>
#include <linux/sched.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include <drm/gpu_scheduler.h>

#include "sundog_dump.h"
#include "sundog_hw.h"
#include "sundog_sched.h"

struct drm_file;
struct sundog_channel;
struct sundog_client;
struct sundog_device;
struct sundog_file;
struct sundog_quota;

/**
 * SUNDOG_CREATE_TIMEOUT - limit for a new context's wait for a slot, then for a worker, in jiffies
 *
 * A new client needs a new worker process, on a machine that may be busy.
 */
#define SUNDOG_CREATE_TIMEOUT	(30 * HZ)

/**
 * SUNDOG_LONGEST_JOB - ring slots of a job with the longest list
 */
#define SUNDOG_LONGEST_JOB	SUNDOG_RING_SLOTS

/**
 * struct sundog_context - context, which has the same channel slot for its whole life
 *
 * When the last reference is dropped the channel is off and no job is left, so the slot is free.
 */
struct sundog_context {
	/** @refs: held by the file, by each job, and by the channel while it is not off */
	refcount_t refs;
	/** @sdev: device */
	struct sundog_device *sdev;
	/** @client: client of the file at creation, with a reference */
	struct sundog_client *client;
	/** @quota: quota of the file, with a reference; the slot is charged to it */
	struct sundog_quota *quota;
	/** @ch: channel slot */
	struct sundog_channel *ch;
	/** @entity: drm_sched's queue of scheduled jobs */
	struct drm_sched_entity entity;
	/** @fence_context: timeline of the hardware fences */
	u64 fence_context;
	/** @submit_lock: keeps seqnos and the queue in the same order; outside of every dma_resv */
	struct mutex submit_lock;
	/** @seqno: seqno of the last submission; protected by @submit_lock */
	u64 seqno;
	/** @last: fence of the last submission, referenced, or NULL; protected by @submit_lock */
	struct dma_fence *last;
	/** @last_was_scheduled: @last is of a scheduled job; protected by @submit_lock */
	bool last_was_scheduled;
	/** @list_ring: contents of the list ring after @last; protected by @submit_lock */
	struct sundog_list_ring list_ring;
	/** @n_queued: ring slots of jobs in SUBMIT, queued or running, see &sundog_job.queued */
	atomic_t n_queued;
	/** @queue_wait: woken when @n_queued goes down */
	wait_queue_head_t queue_wait;
	/** @state: state that the driver has seen or requested; protected by command_lock */
	enum sundog_channel_state state;
	/** @abandoned: no file has the context any more; protected by command_lock */
	bool abandoned;
	/** @destroy_posted: DESTROY or CLIENT_DESTROY was posted; protected by command_lock */
	bool destroy_posted;
	/** @reap: work that drops the last reference, see sundog_context_put_later() */
	struct work_struct reap;
	/** @comm: name of the process that created the context */
	char comm[TASK_COMM_LEN];
	/** @pid: id of that process */
	pid_t pid;
	/** @fault: first fault; protected by command_lock */
	struct sundog_fault fault;
};

void sundog_context_init(struct sundog_device *sdev);
struct sundog_context *sundog_context_new(struct sundog_device *sdev, struct sundog_file *sfile);
void sundog_context_get(struct sundog_context *ctx);
void sundog_context_put(struct sundog_context *ctx);
void sundog_context_put_later(struct sundog_context *ctx);
struct sundog_context *sundog_context_lookup(struct drm_file *file, u32 id);
bool sundog_context_is_lost(struct sundog_context *ctx);
int sundog_context_begin_job(struct sundog_context *ctx);
void sundog_context_end_job(struct sundog_context *ctx, int queued);

#endif
