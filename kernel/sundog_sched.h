/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef _SUNDOG_SCHED_H_
#define _SUNDOG_SCHED_H_

#include <linux/dma-fence.h>
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
	/** @lock: taken under the locks of the channels */
	spinlock_t lock;
	/** @n_channels: channels whose jobs the worker has */
	u32 n_channels;
	/** @since: when the first of @n_channels got its job */
	ktime_t since;
	/** @ns: time before @since */
	u64 ns;
};

/**
 * struct sundog_hw_fence - the worker is done with a ring entry
 */
struct sundog_hw_fence {
	/** @base: the fence */
	struct dma_fence base;
	/** @ch: channel, with a reference */
	struct sundog_channel *ch;
	/** @seqno: of the ring entry */
	u64 seqno;
	/** @job: whose it is while it is pending, if that was not scheduled */
	struct sundog_job *job;
	/** @entry: the ring entry, since nobody else writes here */
	struct sundog_ring_entry entry;
	/** @node: in the channel's pending list, which then has a reference; channel's lock */
	struct list_head node;
};

/**
 * struct sundog_sched_funcs - what the scheduler tells those above it
 *
 * The first two are called in the fence signalling path.
 */
struct sundog_sched_funcs {
	/** @hang: the worker makes no progress with the context of a job, and is at @seqno */
	void (*hang)(struct sundog_context *ctx, u64 seqno);
	/** @end_job: a job of the context is done, that was @queued of its queue */
	void (*end_job)(struct sundog_context *ctx, int queued);
	/** @put_job: drops the reference to a job that has ended; may sleep */
	void (*put_job)(struct sundog_job *job);
	/** @watchdog: the watchdog of struct sundog_channel ran out */
	void (*watchdog)(struct work_struct *work);
	/** @timeout: the timeout of struct sundog_channel ran out */
	void (*timeout)(struct work_struct *work);
};

/**
 * struct sundog_channel - a channel slot: its ring and its scheduler
 *
 * Made when the slot is first used, kept as long as the device. Its memory stays longer, until the
 * last hardware fence is gone: fences use @lock, and the scheduler's fences of the same job use the
 * name in @sched.
 */
struct sundog_channel {
	/** @kref: held by the device and by hardware fences; the last one frees just the memory */
	struct kref kref;
	/** @sdev: device; not for fences, which can outlive it */
	struct sundog_device *sdev;
	/** @index: number of the slot */
	u32 index;
	/** @name: name of @sched */
	char name[16];
	/** @sched: scheduler of the slot */
	struct drm_gpu_scheduler sched;

	/** @control: our side of the ring state; mapped while @stopped is false */
	struct sundog_ring_control *control;
	/** @status: the worker's side of the ring state */
	const struct sundog_ring_status *status;
	/** @lost: our word on the same page, which user space maps; see struct drm_sundog_status */
	u32 *lost;
	/** @ring: ring entries */
	struct sundog_ring_entry *ring;
	/** @list: list entries, a ring as well */
	struct sundog_list_entry *list;

	/** @list_put: where in @list the next entry goes; for the thread that puts jobs there */
	u32 list_put;

	/** @ctx: context that has the slot, NULL when it is free; protected by command_lock */
	struct sundog_context *ctx;
	/** @fence_context: timeline of the last job's fence; no other channel has fences of it */
	u64 fence_context;
	/** @watchdog: runs out when the channel does not stop in time */
	struct delayed_work watchdog;
	/** @timeout: runs while there are jobs that were not scheduled, see sundog_sched_look() */
	struct delayed_work timeout;
	/** @look_at: when @timeout runs out, in jiffies; only a hint */
	unsigned long look_at;
	/** @reap: drops the jobs in @ended; holds @kref while it is pending */
	struct delayed_work reap;

	/** @lock: protects all that follows, and is the hardware fences' lock; irq-safe */
	spinlock_t lock;
	/** @running: the ring takes entries */
	bool running;
	/** @stopped: the device does nothing for the slot any more */
	bool stopped;
	/** @quarantine: memory of jobs may still be written, so @ended keeps them */
	bool quarantine;
	/** @tells_idle: the worker says when it is out of work, so that not all it does is told */
	bool tells_idle;
	/** @irq_forced_seqno: what is told in any case up to this seqno */
	u64 irq_forced_seqno;
	/** @put: ring entries ever written */
	u32 put;
	/** @credits: ring slots of jobs that were not scheduled */
	u32 credits;
	/** @emitted: seqno of the last ring entry */
	u64 emitted;
	/** @busy: time of its client, which is alive while anything is @pending */
	struct sundog_busy *busy;
	/** @is_busy: the channel counts in @busy, because the worker has jobs of it */
	bool is_busy;
	/** @progress: seqno of the oldest job when it was last looked at, or 0 */
	u64 progress;
	/** @progress_at: when that was, if it had changed, or the worker got work; in jiffies */
	unsigned long progress_at;
	/** @job_at: when @progress became the oldest job, in jiffies */
	unsigned long job_at;
	/** @reported: the worker's counter of progress when it was last looked at */
	u64 reported;
	/** @stop_at: when the channel was told to stop, in jiffies */
	unsigned long stop_at;
	/** @stop_reported: the worker's counter of progress when @watchdog last looked */
	u64 stop_reported;
	/** @pending: hardware fences whose jobs have not ended, in order */
	struct list_head pending;
	/** @ended: jobs whose references are dropped later, where that may sleep */
	struct list_head ended;
};

/**
 * struct sundog_list_ring - what a channel's list ring has when all jobs that are queued have run
 *
 * A job whose entries are what the job before it put there uses these. So they are in use for
 * longer than who put them there, and paid for its part of the ring: who next puts others there
 * pays for both. His entries come right behind them, so nobody gets round to them before he is
 * done.
 */
struct sundog_list_ring {
	/** @id: of the places that are there, last and with nothing behind them; 0: others are */
	u64 id;
	/** @credits: ring slots that those cost, if a job uses them that did not put them there */
	u32 credits;
};

/**
 * struct sundog_ring_snapshot - a channel as it is when something went wrong
 */
struct sundog_ring_snapshot {
	/** @put: ring entries ever written */
	u32 put;
	/** @get: ring entries that the worker has taken */
	u32 get;
	/** @emitted: seqno of the last ring entry */
	u64 emitted;
	/** @completed: seqno that the worker has completed */
	u64 completed;
	/** @progress: the worker's counter */
	u64 progress;
	/** @entry: the submission that was asked for, as the driver wrote it */
	struct sundog_ring_entry entry;
	/** @ring: the ring, which stays as it is until the channel has stopped */
	const struct sundog_ring_entry *ring;
	/** @list: the list entries, likewise */
	const struct sundog_list_entry *list;
};

/**
 * struct sundog_job - a submission
 *
 * Made by sundog_job.c, in one piece with its arrays, and filled by sundog_submit.c. SUBMIT holds a
 * reference until it has unlocked the allocations. The scheduler holds the other one, or the
 * hardware fence if the job is not scheduled. When the job ends that goes to its channel.
 */
struct sundog_job {
	/** @base: the scheduler's part, if @is_scheduled */
	struct drm_sched_job base;
	/** @refs: references; the last one frees the job */
	refcount_t refs;
	/** @is_scheduled: it is for the scheduler to run it */
	bool is_scheduled;
	/** @credits: ring slots that it takes */
	u32 credits;
	/** @sdev: device, with a reference */
	struct sundog_device *sdev;
	/** @ctx: its context, with a reference */
	struct sundog_context *ctx;
	/** @fence_context: timeline of its hardware fence */
	u64 fence_context;
	/** @fence: its hardware fence, initialised when it is armed; NULL once the job runs */
	struct sundog_hw_fence *fence;
	/** @entry: its ring entry */
	struct sundog_ring_entry entry;
	/** @snapshot: first part of its list entries, with a reference, or NULL */
	struct sundog_list_snapshot *snapshot;
	/** @list: the rest of its list entries, entry.list_count with the others */
	struct sundog_list_entry *list;
	/** @n_list: how many there are in @list */
	u32 n_list;
	/** @waits: fences to wait for, which the scheduler gets, each with a reference */
	struct dma_fence **waits;
	/** @n_waits: how many there are in @waits */
	u32 n_waits;
	/** @n_deps: fences that it waits for, be it for what it uses or for an in-sync */
	u32 n_deps;
	/**
	 * @queued: how much of its context's queue it is: ring slots for all that it was asked to
	 * list, since it has room for that, or one if it shares its list with the job before it;
	 * and for fences as many as if it listed those, since it keeps them
	 */
	u32 queued;
	/** @force_irq: its end is told in any case: what it uses may have lost its last name */
	bool force_irq;
	/** @is_copied: its list entries are those that the list ring got last */
	bool is_copied;
	/** @privates: what it uses of its residency list, with a reference, or NULL */
	struct sundog_private_list *privates;
	/** @bos: what else it uses, the stream included, each with a TTM reference */
	struct sundog_bo **bos;
	/** @n_bos: how many @bos there are */
	u32 n_bos;
	/** @node: in the channel's list of ended jobs; channel's lock */
	struct list_head node;
};

struct sundog_channel *sundog_sched_channel(struct sundog_device *sdev, u32 index);
struct sundog_channel *sundog_sched_get_channel(struct sundog_device *sdev, u32 index);
struct sundog_hw_fence *sundog_hw_fence_alloc(struct sundog_channel *ch);
void sundog_hw_fence_free(struct sundog_hw_fence *fence);
void sundog_sched_start(struct sundog_channel *ch, struct sundog_busy *busy);
u64 sundog_busy_ns(struct sundog_busy *busy);
void sundog_sched_scan_client(struct sundog_device *sdev, const struct sundog_busy *busy);
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
void sundog_sched_scan(struct sundog_device *sdev);
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
