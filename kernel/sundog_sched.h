/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Channels, hardware fences and struct sundog_job. */
#ifndef _SUNDOG_SCHED_H_
#define _SUNDOG_SCHED_H_

#include <linux/dma-fence.h>
#include <linux/irq_work.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include <drm/gpu_scheduler.h>

#include "sundog_hw.h"

struct dma_resv;
struct sundog_bo;
struct sundog_channel;
struct sundog_context;
struct sundog_device;
struct sundog_job;
struct sundog_list_snapshot;
struct sundog_private_list;

/**
 * struct sundog_busy - time during which at least one channel of a client has work
 */
struct sundog_busy {
	/** @lock: protects the members below; taken inside &sundog_channel.lock */
	spinlock_t lock;
	/** @n_channels: number of channels of the client with jobs in their rings */
	u32 n_channels;
	/** @since: time when @n_channels became 1 */
	ktime_t since;
	/** @ns: nanoseconds of busy time before @since */
	u64 ns;
};

/**
 * struct sundog_hw_fence - hardware fence of a job: the worker has completed a ring entry
 */
struct sundog_hw_fence {
	/** @base: the fence */
	struct dma_fence base;
	/**
	 * @lock: lock of @base, outside of the lock of @ch; in &struct dma_fence there is one only
	 * in new kernels
	 */
	spinlock_t lock;
	/** @error: negative error code that @base is to signal, or 0; set under @ch's lock */
	int error;
	/** @ch: channel, with a reference */
	struct sundog_channel *ch;
	/** @seqno: seqno of the ring entry */
	u64 seqno;
	/** @job: direct job, with a reference while the fence is pending; NULL: scheduled job */
	struct sundog_job *job;
	/** @entry: copy of the ring entry, because the host can write to the ring */
	struct sundog_ring_entry entry;
	/**
	 * @node: node in &sundog_channel.pending, then in &sundog_channel.signal, which have a
	 * reference; under @ch's lock
	 */
	struct list_head node;
};

/**
 * struct sundog_sched_funcs - callbacks of the scheduler into the context code
 *
 * All but @put_job are called in the fence signalling path.
 */
struct sundog_sched_funcs {
	/** @end_job: returns @queued queue slots of a job that has ended to its context */
	void (*end_job)(struct sundog_context *ctx, int queued);
	/** @put_job: drops the reference to a job that has ended; may sleep */
	void (*put_job)(struct sundog_job *job);
	/** @watchdog: work function of &sundog_channel.watchdog */
	void (*watchdog)(struct work_struct *work);
	/** @timeout: work function of &sundog_channel.timeout */
	void (*timeout)(struct work_struct *work);
};

/**
 * struct sundog_channel - channel slot: its ring and its scheduler
 *
 * Created when the slot is first used, and lives as long as the device. Its memory stays until the
 * last hardware fence is freed: fences use @lock, and the scheduler's fences of the same job use
 * the name in @sched. It then stays for an RCU grace period, like the fence itself.
 */
struct sundog_channel {
	/** @kref: held by the device and by hardware fences; the last one frees only the memory */
	struct kref kref;
	/** @rcu: frees the memory after a grace period */
	struct rcu_head rcu;
	/** @sdev: device; not for the fence callbacks, since fences can outlive it */
	struct sundog_device *sdev;
	/** @index: number of the slot */
	u32 index;
	/** @name: name of @sched */
	char name[16];
	/** @sched: scheduler of the slot */
	struct drm_gpu_scheduler sched;

	/** @control: driver's side of the ring state; mapped while @stopped is false */
	struct sundog_ring_control *control;
	/** @status: the worker's side of the ring state */
	const struct sundog_ring_status *status;
	/** @lost: driver's field in the status page of user space, see struct drm_sundog_status */
	u32 *lost;
	/** @ring: ring of entries */
	struct sundog_ring_entry *ring;
	/** @list: ring of list entries */
	struct sundog_list_entry *list;

	/** @list_put: index of the next entry in @list; for the thread that puts jobs into @ring */
	u32 list_put;

	/** @ctx: context that uses the slot, NULL if it is free; protected by command_lock */
	struct sundog_context *ctx;
	/** @fence_context: timeline of the last job's fence; no other channel has fences of it */
	u64 fence_context;
	/** @watchdog: expires if the channel does not stop in time */
	struct delayed_work watchdog;
	/** @timeout: checks for hangs while the channel has jobs, see sundog_sched_look() */
	struct delayed_work timeout;
	/** @look_at: time of the next run of @timeout, in jiffies; only a hint */
	unsigned long look_at;
	/** @reap: frees the jobs in @ended; holds @kref while it is queued */
	struct delayed_work reap;
	/** @signal_work: signals the fences in @signal for threads that hold the lock of a fence */
	struct irq_work signal_work;

	/** @n_unsignalled: number of jobs in the ring or ended whose fences have not signalled */
	atomic_t n_unsignalled;

	/** @lock: protects all members below; inside of the locks of hardware fences; irq-safe */
	spinlock_t lock;
	/** @running: the ring takes entries */
	bool running;
	/** @stopped: the device does nothing for the slot any more */
	bool stopped;
	/** @quarantine: the worker may still write to memory of jobs, so @ended keeps them */
	bool quarantine;
	/** @tells_idle: the worker raises an IRQ when idle, so fences without waiter need none */
	bool tells_idle;
	/** @irq_forced_seqno: the worker raises an IRQ for every seqno up to this one */
	u64 irq_forced_seqno;
	/** @put: number of ring entries ever written */
	u32 put;
	/** @credits: ring slots of direct jobs */
	u32 credits;
	/** @emitted: seqno of the last ring entry */
	u64 emitted;
	/** @n_ended: number of jobs that have ever ended */
	u64 n_ended;
	/** @busy: busy time of the client, which is alive while @pending is not empty */
	struct sundog_busy *busy;
	/** @is_busy: the channel is counted in @busy, because its ring has jobs */
	bool is_busy;
	/** @progress: seqno of the oldest job at the last check for progress, or 0 */
	u64 progress;
	/** @progress_at: time of the last progress seen, or of the first job, in jiffies */
	unsigned long progress_at;
	/** @job_at: time when @progress became the oldest job, in jiffies */
	unsigned long job_at;
	/** @reported: the worker's progress counter at the last check */
	u64 reported;
	/** @stop_at: time when the stop of the channel began, in jiffies */
	unsigned long stop_at;
	/** @stop_reported: the worker's progress counter at the last run of @watchdog */
	u64 stop_reported;
	/** @pending: hardware fences whose jobs have not ended, in the order of seqnos */
	struct list_head pending;
	/** @signal: fences of jobs that have ended, to be signalled after @lock is unlocked */
	struct list_head signal;
	/** @ended: jobs that have ended, to be freed where that may sleep */
	struct list_head ended;
};

/**
 * struct sundog_list_ring - contents of a channel's list ring after all queued jobs
 *
 * A job whose list entries are those that the ring got last reuses them. They then stay in use
 * after the job that copied them, and that paid ring slots for them, has ended. The next job that
 * copies other entries pays for both. Its entries directly follow the old ones, so no job
 * overwrites these before it is done.
 */
struct sundog_list_ring {
	/** @id: id of the list snapshot that was copied last, with no entries after it; 0: none */
	u64 id;
	/** @credits: ring slots for the entries of @id if a later job reuses them, otherwise 0 */
	u32 credits;
};

/**
 * struct sundog_ring_snapshot - state of a channel when its context is lost
 */
struct sundog_ring_snapshot {
	/** @put: number of ring entries ever written */
	u32 put;
	/** @get: number of ring entries that the worker has taken */
	u32 get;
	/** @emitted: seqno of the last ring entry */
	u64 emitted;
	/** @completed: last seqno that the worker has completed */
	u64 completed;
	/** @progress: the worker's progress counter */
	u64 progress;
	/** @entry: ring entry of the requested submission, as the driver wrote it */
	struct sundog_ring_entry entry;
	/** @ring: the ring, into which the driver puts no entry until the channel has stopped */
	const struct sundog_ring_entry *ring;
	/** @list: the list ring, under the same condition as @ring */
	const struct sundog_list_entry *list;
};

/**
 * struct sundog_job - submission in the kernel, from SUBMIT to its fence
 *
 * Allocated by sundog_job.c together with its arrays, and filled by sundog_submit.c. SUBMIT holds a
 * reference until it has unlocked the allocations. The scheduler holds the other reference, or the
 * hardware fence of a direct job. When the job ends, the channel's list of ended jobs gets that.
 */
struct sundog_job {
	/** @base: drm_sched's part, if @is_scheduled */
	struct drm_sched_job base;
	/** @refs: references; the last one frees the job */
	refcount_t refs;
	/** @is_scheduled: drm_sched runs the job; false for a direct job */
	bool is_scheduled;
	/** @credits: ring slots of the job */
	u32 credits;
	/** @sdev: device, with a reference */
	struct sundog_device *sdev;
	/** @ctx: context of the job, with a reference */
	struct sundog_context *ctx;
	/** @fence_context: timeline of the hardware fence */
	u64 fence_context;
	/** @fence: hardware fence, initialised when the job is armed; NULL once the job runs */
	struct sundog_hw_fence *fence;
	/** @entry: ring entry */
	struct sundog_ring_entry entry;
	/** @snapshot: first part of the list entries, with a reference, or NULL */
	struct sundog_list_snapshot *snapshot;
	/** @list: rest of the list entries; entry.list_count counts both parts */
	struct sundog_list_entry *list;
	/** @n_list: number of entries in @list */
	u32 n_list;
	/** @waits: fences to wait for, each with a reference; passed on to drm_sched */
	struct dma_fence **waits;
	/** @n_waits: number of fences in @waits */
	u32 n_waits;
	/** @n_deps: number of fences that the job waits for, implicit ones and in-syncs */
	u32 n_deps;
	/**
	 * @queued: queue slots of the context that the job takes: the ring slots of the longest
	 * list that SUBMIT could have made of its arguments, because the job has room for it, or 1
	 * if the job reuses the list of the job before; plus one for every SUNDOG_LIST_PER_SLOT of
	 * @n_deps
	 */
	u32 queued;
	/** @force_irq: the end of the job needs an IRQ: it may hold the last reference to a BO */
	bool force_irq;
	/** @is_copied: the list entries are those that the list ring got last */
	bool is_copied;
	/** @privates: PRIVATE allocations of the residency list, with a reference, or NULL */
	struct sundog_private_list *privates;
	/** @bos: all other allocations, including the stream, each with a TTM reference */
	struct sundog_bo **bos;
	/** @n_bos: number of allocations in @bos */
	u32 n_bos;
	/** @node: node in &sundog_channel.ended; protected by its lock */
	struct list_head node;
};

struct sundog_channel *sundog_sched_channel(struct sundog_device *sdev, u32 index);
struct sundog_channel *sundog_sched_get_channel(struct sundog_device *sdev, u32 index);
struct sundog_hw_fence *sundog_hw_fence_alloc(struct sundog_channel *ch);
void sundog_hw_fence_free(struct sundog_hw_fence *fence);
void sundog_sched_start(struct sundog_channel *ch, struct sundog_busy *busy);
u64 sundog_busy_ns(struct sundog_busy *busy);
void sundog_sched_run(struct sundog_channel *ch);
int sundog_sched_settle(struct sundog_device *sdev);
int sundog_sched_pause(struct sundog_device *sdev);
void sundog_sched_continue(struct sundog_device *sdev);
void sundog_sched_close(struct sundog_channel *ch);
bool sundog_sched_is_busy(struct sundog_channel *ch);
bool sundog_sched_snapshot(struct sundog_channel *ch, u64 seqno,
			   struct sundog_ring_snapshot *snapshot);
void sundog_sched_tell_lost(struct sundog_channel *ch);
void sundog_sched_stop(struct sundog_channel *ch, int error);
void sundog_sched_reap(struct sundog_channel *ch);
bool sundog_sched_quarantine(struct sundog_channel *ch);
void sundog_sched_release_quarantine(struct sundog_channel *ch);
void sundog_sched_force_irq_channel(struct sundog_channel *ch);
void sundog_sched_force_irq(struct sundog_device *sdev, struct dma_resv *resv);
void sundog_sched_scan(struct sundog_device *sdev, const struct sundog_busy *busy);
u64 sundog_sched_look(struct sundog_channel *ch);
void sundog_sched_stop_begins(struct sundog_channel *ch);
bool sundog_sched_still_stops(struct sundog_channel *ch);
bool sundog_sched_try_claim(struct sundog_channel *ch, struct sundog_job *job);
struct dma_fence *sundog_sched_arm_job(struct sundog_job *job);
void sundog_sched_run_direct(struct sundog_job *job);
u32 sundog_sched_credits(u32 n_list);
void sundog_sched_plan_list(struct sundog_list_ring *ring, struct sundog_job *job);
void sundog_sched_module_exit(void);
int sundog_sched_init(struct sundog_device *sdev, const struct sundog_sched_funcs *funcs);

/* For tests. */
#if IS_ENABLED(CONFIG_KUNIT)
extern unsigned int sundog_timeout_ms;
extern unsigned int sundog_job_timeout_ms;
long sundog_sched_timeout(void);
void sundog_sched_note_progress(struct sundog_channel *ch);
u64 sundog_sched_hung_seqno(struct sundog_channel *ch);
#endif

#endif
