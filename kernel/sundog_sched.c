// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Rings and schedulers: the way of a job to the device, and of its fence back.
 *
 * SUBMIT passes jobs in. drm_sched, the fence IRQ, waiters and the works of a channel call the
 * rest. sundog_channel.lock protects rings and fences, sundog_device.channels_lock the creation of
 * channels.
 *
 * Each channel slot has a drm_sched scheduler, created on first use. Its credits are ring slots. A
 * job with a long allocation list costs several credits, which also pay for its part of the list
 * ring. When the scheduler runs a job the ring therefore has room, and sundog_sched_run_job() only
 * copies.
 *
 * A *scheduled* job goes through drm_sched. A *direct* job has no dependency and finds room in the
 * ring, so SUBMIT puts it there itself. That halves its cost, because no other thread wakes up to
 * run or free it. sundog_sched_try_claim() explains how the two kinds share the ring.
 *
 * Each job has a hardware fence, which other jobs and waiters use, so all jobs of a context are on
 * one timeline. No entity ends with jobs in its queue, so each hardware fence signals. It is in the
 * channel's pending list from the moment the job runs until the worker's completed seqno passes it
 * or the channel has stopped.
 *
 * - Jobs end in the order of the pending list, because dma_resv takes the last fence of a context
 *   for all earlier ones. Jobs of a channel that takes no more entries join the list, too.
 * - The fence of a failed job signals after the channel has stopped. Otherwise a running worker
 *   could write to memory that is reused.
 * - If the channel cannot be stopped, its fences signal in the end, and the memory of its jobs is
 *   quarantined. See sundog_sched_quarantine().
 *
 * The worker raises an IRQ for a fence with a waiter, and when it runs out of work. The next SUBMIT
 * finds other completed jobs. sundog_sched_force_irq() requests an IRQ for each job if memory that
 * jobs use is to be freed. A program that keeps the worker busy and polls its status page therefore
 * gets no IRQs.
 *
 * run_job and free_job run in the fence signalling path: they allocate nothing and wait for
 * nothing. dma_fence_begin_signalling() makes lockdep check that, here and in each other thread
 * that ends jobs. free_job is in the path because its work shares sundog_submit_wq with that of
 * run_job. A job that ends goes to the channel's list of ended jobs, because dropping its last
 * references may sleep. The next SUBMIT frees it, or a work item after SUNDOG_REAP_DELAY: waking a
 * thread for each job would cost as much as the job. The work item runs at once if an allocation
 * waits to be freed.
 *
 * Hardware fences hold the module and the channel's memory. A syncobj or a sync_file with such a
 * fence keeps the module loaded. See sundog_sched_module_exit() for the last fence.
 */

#include <kunit/visibility.h>
#include <linux/delay.h>
#include <linux/dma-fence.h>
#include <linux/dma-resv.h>
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <drm/drm_drv.h>
#include <drm/drm_managed.h>
#include <drm/drm_print.h>
#include "uapi/sundog_drm.h"

#include "sundog_device.h"
#include "sundog_private_list.h"
#include "sundog_sched.h"
#include "sundog_stats.h"
#include "sundog_trace.h"
#include "sundog_wq.h"

/* Time after which a work item frees ended jobs, unless SUBMIT did, in jiffies. */
#define SUNDOG_REAP_DELAY	(HZ / 10)

/* In jiffies. Suspend fails if no job ends for this time, hibernation if jobs are left after it. */
#define SUNDOG_PAUSE_TIMEOUT	(60 * HZ)

/* Time without progress after which a worker is ended, in ms; 0: never. */
VISIBLE_IF_KUNIT unsigned int sundog_timeout_ms = 30000;
module_param_named(timeout_ms, sundog_timeout_ms, uint, 0644);
MODULE_PARM_DESC(timeout_ms,
		 "milliseconds without progress after which a job counts as hung, 0: never (default 30000)");

/*
 * A worker reports progress within a job, so that a long job does not count as hung. The worker is
 * not trusted and other clients may wait for the job's fence, so each job ends after this time, in
 * ms.
 */
VISIBLE_IF_KUNIT unsigned int sundog_job_timeout_ms = 600000;
module_param_named(job_timeout_ms, sundog_job_timeout_ms, uint, 0644);
MODULE_PARM_DESC(job_timeout_ms,
		 "milliseconds after which a job counts as hung in spite of reported progress, 0: never (default 600000)");

static struct sundog_job *to_sundog_job(struct drm_sched_job *base)
{
	return container_of(base, struct sundog_job, base);
}

/**
 * sundog_sched_channel() - find a channel by its slot number
 * @sdev: device
 * @index: number of the slot
 *
 * Slots are used from the lowest number up, so a loop over all channels ends at the first NULL.
 *
 * Return: the channel, or NULL if the slot was never used.
 */
struct sundog_channel *sundog_sched_channel(struct sundog_device *sdev, u32 index)
{
	/* Pairs with sundog_sched_get_channel(). */
	return index < sdev->n_channels ? smp_load_acquire(&sdev->channels[index]) : NULL;
}

static void sundog_channel_free(struct kref *kref)
{
	struct sundog_channel *ch = container_of(kref, struct sundog_channel, kref);

	/* An RCU reader may still use the fence whose release dropped the last reference. */
	kfree_rcu(ch, rcu);
}

/**
 * sundog_hw_fence_alloc() - allocate a hardware fence, to be initialised by sundog_sched_arm_job()
 * @ch: channel
 *
 * Return: the fence, or NULL if out of memory.
 */
struct sundog_hw_fence *sundog_hw_fence_alloc(struct sundog_channel *ch)
{
	struct sundog_hw_fence *fence = kzalloc_obj(*fence, GFP_KERNEL_ACCOUNT);

	if (!fence)
		return NULL;
	__module_get(THIS_MODULE);
	kref_get(&ch->kref);
	fence->ch = ch;
	return fence;
}

/**
 * sundog_hw_fence_free() - free a hardware fence whose job never ran
 * @fence: fence that is not initialised
 */
void sundog_hw_fence_free(struct sundog_hw_fence *fence)
{
	kref_put(&fence->ch->kref, sundog_channel_free);
	kfree(fence);
	module_put(THIS_MODULE);
}

/* Signals a fence that has left the lists of its channel, and drops their reference. */
static void sundog_hw_fence_signal(struct sundog_hw_fence *fence)
{
	unsigned long flags;

	spin_lock_irqsave(&fence->lock, flags);
	/* A poll, or a new waiter, may have signalled the fence already: keep that result. */
	if (test_bit(DMA_FENCE_FLAG_SIGNALED_BIT, &fence->base.flags))
		fence->error = 0;
	if (fence->error)
		dma_fence_set_error(&fence->base, fence->error);
	trace_sundog_done(fence->ch->index, fence->seqno, fence->error);
	dma_fence_signal_locked(&fence->base);
	spin_unlock_irqrestore(&fence->lock, flags);
	atomic_dec(&fence->ch->n_unsignalled);
	dma_fence_put(&fence->base);
}

/*
 * Unlocks a channel, then signals the fences of the jobs that were found to have ended. A fence's
 * own lock is outside of the channel's. Two threads may signal fences of one channel at a time, not
 * in their order: their jobs have ended in order. No other thread finds the fences any more, so the
 * thread is not preempted before it has signalled them.
 */
static void sundog_channel_unlock(struct sundog_channel *ch, unsigned long flags)
	__releases(&ch->lock)
{
	struct sundog_hw_fence *fence, *next;
	LIST_HEAD(signal);

	list_splice_init(&ch->signal, &signal);
	/* On PREEMPT_RT these locks may sleep. */
	if (!IS_ENABLED(CONFIG_PREEMPT_RT))
		preempt_disable();
	spin_unlock_irqrestore(&ch->lock, flags);
	list_for_each_entry_safe(fence, next, &signal, node)
		sundog_hw_fence_signal(fence);
	if (!IS_ENABLED(CONFIG_PREEMPT_RT))
		preempt_enable();
}

static void sundog_channel_signal_work(struct irq_work *work)
{
	struct sundog_channel *ch = container_of(work, struct sundog_channel, signal_work);
	unsigned long flags;

	spin_lock_irqsave(&ch->lock, flags);
	sundog_channel_unlock(ch, flags);
}

/* Returns the seqno of the oldest job in the ring, or 0. */
static u64 sundog_sched_oldest(struct sundog_channel *ch)
{
	struct sundog_hw_fence *fence;

	fence = list_first_entry_or_null(&ch->pending, struct sundog_hw_fence, node);
	return fence && fence->seqno <= ch->emitted ? fence->seqno : 0;
}

static bool sundog_sched_is_awaited(struct sundog_channel *ch, const struct sundog_hw_fence *fence)
{
	return !ch->tells_idle || fence->seqno <= ch->irq_forced_seqno ||
	       test_bit(DMA_FENCE_FLAG_ENABLE_SIGNAL_BIT, &fence->base.flags);
}

/* Returns the seqno of the oldest job in the ring that needs an IRQ, or 0. */
static u64 sundog_sched_awaited(struct sundog_channel *ch)
{
	struct sundog_hw_fence *fence;

	list_for_each_entry(fence, &ch->pending, node) {
		if (fence->seqno > ch->emitted)
			break;
		if (sundog_sched_is_awaited(ch, fence))
			return fence->seqno;
	}
	return 0;
}

/* Selects the seqnos for which the worker raises an IRQ. */
static void sundog_sched_arm(struct sundog_channel *ch)
{
	lockdep_assert_held(&ch->lock);
	WRITE_ONCE(ch->control->irq_seqno, cpu_to_le64(sundog_sched_awaited(ch)));
	if (ch->tells_idle)
		WRITE_ONCE(ch->control->idle_seqno,
			   cpu_to_le64(sundog_sched_oldest(ch) ? ch->emitted : 0));
	/*
	 * Pairs with the worker's barriers: either it sees these seqnos, or a later read of
	 * completed here sees the completion.
	 */
	virt_mb();
}

static void sundog_sched_copy_entries(struct sundog_channel *ch,
				      const struct sundog_list_entry *entries, u32 n)
{
	u32 i;

	for (i = 0; i < n; i++) {
		ch->list[ch->list_put] = entries[i];
		ch->list_put = (ch->list_put + 1) % SUNDOG_LIST_ENTRIES;
	}
	this_cpu_add(ch->sdev->stats->list_copied, n);
}

/*
 * Puts the job's list entries into the list ring, unless they are there already, and returns the
 * index of the first. They have up to 240 KiB, so the caller does not hold the channel's lock. One
 * thread at a time puts jobs into a ring: SUBMIT while the scheduler has no job, otherwise the
 * scheduler.
 */
static u32 sundog_sched_copy_list(struct sundog_channel *ch, const struct sundog_job *job)
{
	const u32 first = ch->list_put;

	if (job->is_copied)
		return (first + SUNDOG_LIST_ENTRIES - job->snapshot->n) % SUNDOG_LIST_ENTRIES;
	if (job->snapshot)
		sundog_sched_copy_entries(ch, job->snapshot->entries, job->snapshot->n);
	if (job->n_list)
		sundog_sched_copy_entries(ch, job->list, job->n_list);
	return first;
}

static long sundog_sched_jiffies(unsigned int ms)
{
	return ms ? msecs_to_jiffies(ms) : MAX_SCHEDULE_TIMEOUT;
}

VISIBLE_IF_KUNIT long sundog_sched_timeout(void)
{
	return sundog_sched_jiffies(READ_ONCE(sundog_timeout_ms));
}

/* Returns the limit for checks of a busy channel, which is finite if either limit is set. */
static long sundog_sched_look_timeout(void)
{
	return min(sundog_sched_timeout(), sundog_sched_jiffies(READ_ONCE(sundog_job_timeout_ms)));
}

VISIBLE_IF_KUNIT void sundog_sched_note_progress(struct sundog_channel *ch)
{
	ch->progress = sundog_sched_oldest(ch);
	ch->progress_at = jiffies;
	ch->job_at = jiffies;
	ch->reported = le64_to_cpu(READ_ONCE(ch->status->progress));
}

/* A report of the worker counts as progress of its oldest job. */
static void sundog_sched_note_report(struct sundog_channel *ch)
{
	const u64 reported = le64_to_cpu(READ_ONCE(ch->status->progress));

	lockdep_assert_held(&ch->lock);
	if (reported == ch->reported)
		return;
	ch->reported = reported;
	ch->progress_at = jiffies;
}

/* Returns true if the oldest job has run for job_timeout_ms, whatever the worker reports. */
static bool sundog_sched_is_overdue(struct sundog_channel *ch)
{
	const unsigned int ms = READ_ONCE(sundog_job_timeout_ms);

	return ms && time_after_eq(jiffies, ch->job_at + msecs_to_jiffies(ms));
}

/**
 * sundog_sched_stop_begins() - start the time limit for the stop of a channel
 * @ch: channel that the device is about to stop
 */
void sundog_sched_stop_begins(struct sundog_channel *ch)
{
	unsigned long flags;

	spin_lock_irqsave(&ch->lock, flags);
	ch->stop_at = jiffies;
	if (!ch->stopped)
		ch->stop_reported = le64_to_cpu(READ_ONCE(ch->status->progress));
	spin_unlock_irqrestore(&ch->lock, flags);
}

/**
 * sundog_sched_still_stops() - check if the worker makes progress with a channel that is to stop
 * @ch: channel, after sundog_sched_stop_begins()
 *
 * Called by the channel's watchdog. A worker ends a channel when it has completed all of the
 * channel's jobs. These may take as long as any job may, see job_timeout_ms, while the worker
 * reports progress.
 *
 * Return: true if the worker reported progress since the last call, within the time limit.
 */
bool sundog_sched_still_stops(struct sundog_channel *ch)
{
	const long timeout = sundog_sched_jiffies(READ_ONCE(sundog_job_timeout_ms));
	bool reported = false;
	unsigned long flags;

	spin_lock_irqsave(&ch->lock, flags);
	if (!ch->stopped && le64_to_cpu(READ_ONCE(ch->status->progress)) != ch->stop_reported) {
		ch->stop_reported = le64_to_cpu(READ_ONCE(ch->status->progress));
		reported = timeout == MAX_SCHEDULE_TIMEOUT ||
			   time_before(jiffies, ch->stop_at + timeout);
	}
	spin_unlock_irqrestore(&ch->lock, flags);
	return reported;
}

/* The last job's fence signals after this: a pending job keeps the client, and its @busy, alive. */
static void sundog_sched_set_busy(struct sundog_channel *ch, bool is_busy)
{
	struct sundog_busy *busy = ch->busy;

	lockdep_assert_held(&ch->lock);
	lockdep_assert_irqs_disabled();
	if (ch->is_busy == is_busy)
		return;
	ch->is_busy = is_busy;
	spin_lock(&busy->lock);
	if (is_busy && !busy->n_channels++)
		busy->since = ktime_get();
	if (!is_busy && !--busy->n_channels)
		busy->ns += ktime_to_ns(ktime_sub(ktime_get(), busy->since));
	spin_unlock(&busy->lock);
}

/* Writes the ring entry of a job, whose fence is in the pending list. */
static void sundog_sched_emit(struct sundog_channel *ch, const struct sundog_job *job,
			      struct sundog_hw_fence *fence, u32 list_first)
{
	struct sundog_ring_entry entry = job->entry;

	lockdep_assert_held(&ch->lock);
	entry.list_first = cpu_to_le32(list_first);
	/* The host can write to the ring, so the driver keeps a copy and never reads the ring. */
	ch->ring[ch->put % SUNDOG_RING_SLOTS] = entry;
	fence->entry = entry;
	ch->emitted = le64_to_cpu(job->entry.seqno);
	if (list_is_singular(&ch->pending))
		sundog_sched_note_progress(ch);
	sundog_sched_set_busy(ch, true);
	sundog_sched_arm(ch);
	/* Pairs with the worker's acquire of put: it sees the entry and its list. */
	virt_store_release(&ch->control->put, cpu_to_le32(++ch->put));
	/* Pairs with the worker's barrier: we see need_doorbell, or the worker sees put. */
	virt_mb();
	if (READ_ONCE(ch->status->need_doorbell))
		sundog_write(ch->sdev, SUNDOG_REG_DOORBELL(ch->index), 1);
}

/* Schedules the work that frees ended jobs, in @delay jiffies or before. */
static void sundog_sched_reap_in(struct sundog_channel *ch, unsigned long delay)
{
	bool queued;

	lockdep_assert_held(&ch->lock);
	if (list_empty(&ch->ended) || ch->quarantine)
		return;
	if (delay)
		queued = queue_delayed_work(sundog_reap_wq, &ch->reap, delay);
	else
		queued = !mod_delayed_work(sundog_reap_wq, &ch->reap, 0);
	/* The work takes @lock first, so it cannot drop this reference before. */
	if (queued)
		kref_get(&ch->kref);
}

/* Returns the queue slots of a job that has ended, and moves it to the ended jobs. */
static void sundog_sched_end_job(struct sundog_channel *ch, struct sundog_job *job)
{
	lockdep_assert_held(&ch->lock);
	ch->sdev->sched_funcs->end_job(job->ctx, job->queued);
	list_add_tail(&job->node, &ch->ended);
	/* No SUBMIT follows on a stopped channel, and module exit flushes works, but no timers. */
	if (ch->stopped || le64_to_cpu(job->entry.seqno) <= ch->irq_forced_seqno)
		sundog_sched_reap_in(ch, 0);
	else
		sundog_sched_reap_in(ch, SUNDOG_REAP_DELAY);
}

/*
 * Has sundog_channel_unlock() signal @fence, and drop a reference to it. A direct job ends here, a
 * scheduled job in free_job.
 */
static void sundog_sched_end_fence(struct sundog_channel *ch, struct sundog_hw_fence *fence,
				   int error)
{
	struct sundog_job *job = fence->job;

	lockdep_assert_held(&ch->lock);
	fence->error = error;
	list_add_tail(&fence->node, &ch->signal);
	ch->n_ended++;
	if (!job)
		return;
	ch->credits -= job->credits;
	sundog_sched_end_job(ch, job);
}

static void sundog_sched_complete(struct sundog_channel *ch, u64 completed)
{
	struct sundog_hw_fence *fence, *next;

	lockdep_assert_held(&ch->lock);
	if (completed == ch->emitted)
		sundog_sched_set_busy(ch, false);
	list_for_each_entry_safe(fence, next, &ch->pending, node) {
		if (fence->seqno > completed)
			break;
		list_del(&fence->node);
		sundog_sched_end_fence(ch, fence, 0);
	}
}

/* Returns the worker's completed seqno, or 0 if it is larger than that of the last ring entry. */
static u64 sundog_sched_completed(const struct sundog_channel *ch)
{
	u64 completed;

	/* Pairs with the worker's release: its writes to memory are visible, too. */
	completed = le64_to_cpu(virt_load_acquire(&ch->status->completed));
	if (completed <= ch->emitted)
		return completed;
	drm_err_ratelimited(&ch->sdev->drm, "%s: seqno %llu completed, %llu was the last\n",
			    ch->name, completed, ch->emitted);
	return 0;
}

/* Repeats after sundog_sched_arm(): a job may have completed before the worker saw the seqnos. */
static void sundog_sched_scan_channel(struct sundog_channel *ch)
{
	u64 oldest, completed;

	lockdep_assert_held(&ch->lock);
	while ((oldest = sundog_sched_oldest(ch))) {
		completed = sundog_sched_completed(ch);
		if (completed < oldest)
			return;
		sundog_sched_complete(ch, completed);
		sundog_sched_arm(ch);
	}
}

/* The caller holds the lock, and the channel has not stopped: its status page is mapped. */
static bool sundog_sched_is_done(const struct sundog_channel *ch,
				 const struct sundog_hw_fence *fence)
{
	return fence->seqno <= ch->emitted && fence->seqno <= sundog_sched_completed(ch);
}

static const char *sundog_hw_fence_driver_name(struct dma_fence *base)
{
	return SUNDOG_DRIVER_NAME;
}

static const char *sundog_hw_fence_timeline_name(struct dma_fence *base)
{
	return container_of(base, struct sundog_hw_fence, base)->ch->name;
}

/*
 * The core holds the fence's lock, and signals this fence on return if its job is done. The IRQ
 * work signals other fences whose jobs are found to have ended, unless a thread does so first.
 */
static bool sundog_hw_fence_enable_signaling(struct dma_fence *base)
{
	struct sundog_hw_fence *fence = container_of(base, struct sundog_hw_fence, base);
	struct sundog_channel *ch = fence->ch;
	bool done = false;

	lockdep_assert_held(&fence->lock);
	spin_lock(&ch->lock);
	if (!ch->stopped) {
		sundog_sched_arm(ch);
		sundog_sched_scan_channel(ch);
		done = sundog_sched_is_done(ch, fence);
	}
	if (!list_empty(&ch->signal))
		irq_work_queue(&ch->signal_work);
	spin_unlock(&ch->lock);
	return !done;
}

/* For callers that poll, and that may hold the fence's lock. */
static bool sundog_hw_fence_signaled(struct dma_fence *base)
{
	struct sundog_hw_fence *fence = container_of(base, struct sundog_hw_fence, base);
	struct sundog_channel *ch = fence->ch;
	unsigned long flags;
	bool done;

	spin_lock_irqsave(&ch->lock, flags);
	done = !ch->stopped && sundog_sched_is_done(ch, fence);
	spin_unlock_irqrestore(&ch->lock, flags);
	return done;
}

static void sundog_hw_fence_release(struct dma_fence *base)
{
	struct sundog_hw_fence *fence = container_of(base, struct sundog_hw_fence, base);

	kref_put(&fence->ch->kref, sundog_channel_free);
	dma_fence_free(base);
	module_put(THIS_MODULE);
}

static const struct dma_fence_ops sundog_hw_fence_ops = {
	.get_driver_name = sundog_hw_fence_driver_name,
	.get_timeline_name = sundog_hw_fence_timeline_name,
	.enable_signaling = sundog_hw_fence_enable_signaling,
	.signaled = sundog_hw_fence_signaled,
	.release = sundog_hw_fence_release,
};

/* Puts the job into the ring, if that takes entries. Its fence signals in any case. */
static void sundog_sched_take(struct sundog_channel *ch, const struct sundog_job *job,
			      struct sundog_hw_fence *fence)
{
	unsigned long flags;
	u32 list_first = 0;
	bool there;
	int idx;

	/* The list ring is mapped until unplug, even if the channel stops meanwhile. */
	there = drm_dev_enter(&ch->sdev->drm, &idx);
	if (there) {
		list_first = sundog_sched_copy_list(ch, job);
		drm_dev_exit(idx);
	}
	dma_fence_get(&fence->base);
	atomic_inc(&ch->n_unsignalled);
	spin_lock_irqsave(&ch->lock, flags);
	if (ch->stopped) {
		sundog_sched_end_fence(ch, fence, -EIO);
	} else {
		sundog_sched_scan_channel(ch);
		list_add_tail(&fence->node, &ch->pending);
		if (job->force_irq)
			ch->irq_forced_seqno = max(ch->irq_forced_seqno, fence->seqno);
		if (ch->running && there)
			sundog_sched_emit(ch, job, fence, list_first);
	}
	sundog_channel_unlock(ch, flags);
}

/*
 * Returns the interval between two checks of a busy channel. Progress counts from the check that
 * sees it, so a hang is detected at most one interval after the timeout.
 */
static long sundog_sched_look_interval(long timeout)
{
	return max(timeout / 8, 1L);
}

/*
 * Starts the checks of a channel that has got a job; they end when it has none. A check that was
 * scheduled with a longer timeout is moved forward.
 */
static void sundog_sched_watch(struct sundog_channel *ch)
{
	const long timeout = sundog_sched_look_timeout();
	const long interval = sundog_sched_look_interval(timeout);

	if (timeout == MAX_SCHEDULE_TIMEOUT)
		return;
	if (!delayed_work_pending(&ch->timeout) ||
	    time_after(READ_ONCE(ch->look_at), jiffies + interval + 1)) {
		WRITE_ONCE(ch->look_at, jiffies + interval);
		mod_delayed_work(system_percpu_wq, &ch->timeout, interval);
	}
}

static struct dma_fence *sundog_sched_run_job(struct drm_sched_job *base)
{
	struct sundog_job *job = to_sundog_job(base);
	struct sundog_hw_fence *fence = job->fence;
	const bool cookie = dma_fence_begin_signalling();

	/* drm_sched takes over the fence with its initial reference. */
	job->fence = NULL;
	sundog_sched_take(fence->ch, job, fence);
	sundog_sched_watch(fence->ch);
	dma_fence_end_signalling(cookie);
	return &fence->base;
}

/**
 * sundog_sched_scan() - signal the fences of all jobs that the workers completed
 * @sdev: device
 * @busy: busy time of the client whose channels to scan, or NULL for all channels
 *
 * The fence interrupt does not name a channel, so its handler scans all channels.
 */
void sundog_sched_scan(struct sundog_device *sdev, const struct sundog_busy *busy)
{
	struct sundog_channel *ch;
	unsigned long flags;
	u32 i;

	for (i = 0; (ch = sundog_sched_channel(sdev, i)); i++) {
		spin_lock_irqsave(&ch->lock, flags);
		if (!ch->stopped && (!busy || ch->busy == busy))
			sundog_sched_scan_channel(ch);
		sundog_channel_unlock(ch, flags);
	}
}

static bool sundog_sched_is_late(struct sundog_channel *ch)
{
	const long timeout = sundog_sched_timeout();

	return timeout != MAX_SCHEDULE_TIMEOUT && time_after_eq(jiffies, ch->progress_at + timeout);
}

/*
 * Returns the seqno of the job at which the worker hangs, or 0. The time counts from the worker's
 * last progress, not from the start of the job. Progress is a completed job or, up to
 * job_timeout_ms, a report of the worker.
 */
VISIBLE_IF_KUNIT u64 sundog_sched_hung_seqno(struct sundog_channel *ch)
{
	lockdep_assert_held(&ch->lock);
	if (ch->stopped || !ch->running || list_empty(&ch->pending))
		return 0;
	/* An interrupt may have been lost, or be late on a slow machine. */
	sundog_sched_scan_channel(ch);
	if (sundog_sched_oldest(ch) != ch->progress)
		sundog_sched_note_progress(ch);
	else
		sundog_sched_note_report(ch);
	if (!sundog_sched_is_late(ch) && !sundog_sched_is_overdue(ch))
		return 0;
	return sundog_sched_oldest(ch);
}

/**
 * sundog_sched_force_irq_channel() - request an interrupt for each job in the ring
 * @ch: channel
 *
 * Includes the next job: the thread that submits it may be dropping references to its allocations.
 */
void sundog_sched_force_irq_channel(struct sundog_channel *ch)
{
	unsigned long flags;

	spin_lock_irqsave(&ch->lock, flags);
	ch->irq_forced_seqno = ch->emitted + 1;
	sundog_sched_reap_in(ch, 0);
	if (!ch->stopped && !list_empty(&ch->pending)) {
		sundog_sched_arm(ch);
		sundog_sched_scan_channel(ch);
	}
	sundog_channel_unlock(ch, flags);
}

/* Returns the channel whose job ends with the fence, or NULL if the fence is not of this device. */
static struct sundog_channel *sundog_sched_fence_channel(struct sundog_device *sdev,
							 const struct dma_fence *fence)
{
	struct sundog_channel *ch;
	u32 i;

	for (i = 0; (ch = sundog_sched_channel(sdev, i)); i++)
		if (READ_ONCE(ch->fence_context) == fence->context)
			break;
	return ch;
}

/**
 * sundog_sched_force_irq() - request interrupts for jobs whose memory is to be freed
 * @sdev: device
 * @resv: dma_resv with the fences of these jobs; need not be locked
 *
 * A fence stands for earlier ones of its context, and a context has one channel. The channels of
 * the fences in @resv are therefore all channels with such jobs.
 */
void sundog_sched_force_irq(struct sundog_device *sdev, struct dma_resv *resv)
{
	struct dma_resv_iter cursor;
	struct sundog_channel *ch;
	struct dma_fence *fence;

	dma_resv_iter_begin(&cursor, resv, DMA_RESV_USAGE_BOOKKEEP);
	dma_resv_for_each_fence_unlocked(&cursor, fence) {
		ch = sundog_sched_fence_channel(sdev, fence);
		if (ch)
			sundog_sched_force_irq_channel(ch);
	}
	dma_resv_iter_end(&cursor);
	/* ops->signaled() reports fences without ending their jobs: the scan ends them. */
	sundog_sched_scan(sdev, NULL);
}

/**
 * sundog_sched_look() - check if a worker makes progress with the jobs of a channel
 * @ch: channel whose work @timeout runs
 *
 * Covers scheduled jobs, too: drm_sched's own timeout is off, because it does not know of progress
 * within a job. The work is queued again unless the channel has no job or no limit is set. The next
 * job then starts it. A hung job does not fail here: its fence signals when the channel has
 * stopped.
 *
 * Return: the seqno of the job at which the worker hangs, or 0.
 */
u64 sundog_sched_look(struct sundog_channel *ch)
{
	const long timeout = sundog_sched_look_timeout();
	unsigned long flags;
	bool is_busy;
	long left;
	u64 seqno;

	spin_lock_irqsave(&ch->lock, flags);
	seqno = sundog_sched_hung_seqno(ch);
	is_busy = !list_empty(&ch->pending);
	left = ch->progress_at + timeout - jiffies;
	sundog_channel_unlock(ch, flags);
	/* A hung channel is being ended, which needs no frequent checks. */
	if (seqno || left <= 0)
		left = timeout;
	else
		left = min(left, sundog_sched_look_interval(timeout));
	if (is_busy && timeout != MAX_SCHEDULE_TIMEOUT) {
		WRITE_ONCE(ch->look_at, jiffies + left);
		queue_delayed_work(system_percpu_wq, &ch->timeout, left);
	}
	return seqno;
}

static void sundog_sched_free_job(struct drm_sched_job *base)
{
	struct sundog_job *job = to_sundog_job(base);
	struct sundog_channel *ch = container_of(base->sched, struct sundog_channel, sched);
	const bool cookie = dma_fence_begin_signalling();
	unsigned long flags;

	drm_sched_job_cleanup(base);
	spin_lock_irqsave(&ch->lock, flags);
	sundog_sched_end_job(ch, job);
	spin_unlock_irqrestore(&ch->lock, flags);
	dma_fence_end_signalling(cookie);
}

static const struct drm_sched_backend_ops sundog_sched_ops = {
	.run_job = sundog_sched_run_job,
	.free_job = sundog_sched_free_job,
};

/**
 * sundog_sched_try_claim() - take ring slots for a direct job
 * @ch: channel without a scheduled job that is not done
 * @job: job without dependencies; the caller holds its context's submit_lock
 *
 * While the ring has direct jobs, the scheduler has no job that could run, and vice versa: each of
 * them counts the ring's slots as if it had all of them. The caller ensures that.
 *
 * Return: true if the ring had enough free slots, which now belong to @job.
 */
bool sundog_sched_try_claim(struct sundog_channel *ch, struct sundog_job *job)
{
	unsigned long flags;
	bool ret;

	spin_lock_irqsave(&ch->lock, flags);
	if (!ch->stopped)
		sundog_sched_scan_channel(ch);
	ret = ch->credits + job->credits <= SUNDOG_RING_SLOTS;
	if (ret)
		ch->credits += job->credits;
	sundog_channel_unlock(ch, flags);
	return ret;
}

/**
 * sundog_sched_arm_job() - initialise a job's fence, and have drm_sched arm a scheduled job
 * @job: job with a seqno that is scheduled or has its ring slots
 *
 * The caller runs or pushes the job before any later one of its context.
 *
 * Return: the fence, which signals when the job has ended.
 */
struct dma_fence *sundog_sched_arm_job(struct sundog_job *job)
{
	struct sundog_hw_fence *fence = job->fence;

	fence->seqno = le64_to_cpu(job->entry.seqno);
	WRITE_ONCE(fence->ch->fence_context, job->fence_context);
	spin_lock_init(&fence->lock);
	dma_fence_init(&fence->base, &sundog_hw_fence_ops, &fence->lock, job->fence_context,
		       fence->seqno);
	if (job->is_scheduled)
		drm_sched_job_arm(&job->base);
	return &fence->base;
}

/**
 * sundog_sched_run_direct() - put a direct job into the ring
 * @job: armed job; takes over a reference to it
 *
 * sundog_sched_pause() does not stop direct jobs: user space is frozen then, and does not submit.
 */
void sundog_sched_run_direct(struct sundog_job *job)
{
	struct sundog_hw_fence *fence = job->fence;
	struct sundog_channel *ch = fence->ch;

	fence->job = job;
	job->fence = NULL;
	sundog_sched_take(ch, job, fence);
	sundog_sched_watch(ch);
	dma_fence_put(&fence->base);
}

/**
 * sundog_sched_credits() - compute the ring slots of a job
 * @n_list: entries of its allocation list
 *
 * Return: number of slots.
 */
u32 sundog_sched_credits(u32 n_list)
{
	return max(1, DIV_ROUND_UP(n_list, SUNDOG_LIST_PER_SLOT));
}

/**
 * sundog_sched_plan_list() - set a job's credits, and whether it reuses entries in the list ring
 * @ring: list ring as the job before @job leaves it; updated for @job
 * @job: next job to be queued, with a complete list
 */
void sundog_sched_plan_list(struct sundog_list_ring *ring, struct sundog_job *job)
{
	const u64 id = job->snapshot && !job->n_list ? job->snapshot->id : 0;
	u32 credits = sundog_sched_credits(le32_to_cpu(job->entry.list_count));

	if (id && id == ring->id) {
		ring->credits = credits;
		job->is_copied = true;
		credits = 1;
	} else if (job->entry.list_count) {
		/* A job with all credits runs alone. */
		credits = min(credits + ring->credits, SUNDOG_RING_SLOTS);
		*ring = (struct sundog_list_ring) { .id = id };
	}
	job->credits = credits;
}

/**
 * sundog_sched_start() - initialise a channel's ring before the device creates the channel
 * @ch: channel that is off; the caller is inside drm_dev_enter()
 * @busy: busy time of its client
 */
void sundog_sched_start(struct sundog_channel *ch, struct sundog_busy *busy)
{
	void *segment = ch->sdev->control + SUNDOG_CONTROL_CHANNELS +
			(size_t)ch->index * SUNDOG_CHANNEL_SIZE;
	unsigned long flags;

	/* Nothing of the old client stays: a client may map all that its rings and lists name. */
	memset64(segment, 0, SUNDOG_CHANNEL_SIZE / sizeof(u64));
	spin_lock_irqsave(&ch->lock, flags);
	ch->control = segment + SUNDOG_CHANNEL_CONTROL;
	ch->status = segment + SUNDOG_CHANNEL_STATUS;
	ch->lost = segment + SUNDOG_CHANNEL_STATUS + offsetof(struct drm_sundog_status, lost);
	ch->ring = segment + SUNDOG_CHANNEL_RING;
	ch->list = segment + SUNDOG_CHANNEL_LIST;
	ch->put = 0;
	ch->list_put = 0;
	ch->emitted = 0;
	ch->irq_forced_seqno = 0;
	ch->progress = 0;
	ch->busy = busy;
	ch->stopped = false;
	spin_unlock_irqrestore(&ch->lock, flags);
}

/**
 * sundog_busy_ns() - compute how long a client had work
 * @busy: busy time of the client
 *
 * Return: nanoseconds, up to now.
 */
u64 sundog_busy_ns(struct sundog_busy *busy)
{
	u64 ns;

	spin_lock_irq(&busy->lock);
	ns = busy->ns;
	if (busy->n_channels)
		ns += ktime_to_ns(ktime_sub(ktime_get(), busy->since));
	spin_unlock_irq(&busy->lock);
	return ns;
}

/**
 * sundog_sched_run() - let a channel's ring take entries
 * @ch: channel that the device has created
 */
void sundog_sched_run(struct sundog_channel *ch)
{
	unsigned long flags;

	spin_lock_irqsave(&ch->lock, flags);
	if (!ch->stopped) {
		ch->running = true;
		/* Features of the renderer that runs the channel: its event came first. */
		ch->tells_idle = READ_ONCE(ch->sdev->features) & SUNDOG_FEATURE_IDLE_INTERRUPTS;
	}
	spin_unlock_irqrestore(&ch->lock, flags);
}

/* User space sees @lost before the fences of dropped jobs signal, see struct drm_sundog_status. */
static void sundog_sched_end_ring(struct sundog_channel *ch)
{
	lockdep_assert_held(&ch->lock);
	ch->running = false;
	WRITE_ONCE(*ch->lost, 1);
}

/*
 * Returns the number of jobs of all channels whose fences have not signalled, and sets @ended to
 * the number of jobs that have ever ended.
 */
static size_t sundog_sched_count(struct sundog_device *sdev, u64 *ended)
{
	struct sundog_channel *ch;
	unsigned long flags;
	size_t n = 0;
	u32 i;

	*ended = 0;
	for (i = 0; (ch = sundog_sched_channel(sdev, i)); i++) {
		spin_lock_irqsave(&ch->lock, flags);
		if (!ch->stopped)
			sundog_sched_scan_channel(ch);
		*ended += ch->n_ended;
		sundog_channel_unlock(ch, flags);
		n += atomic_read(&ch->n_unsignalled);
	}
	return n;
}

/* Returns false if a ring has jobs. The end of a job may let one of another channel run. */
static bool sundog_sched_is_idle(struct sundog_device *sdev)
{
	u64 ended, last;

	if (sundog_sched_count(sdev, &last))
		return false;
	/*
	 * The end of a job queues drm_sched's work_free_job, which queues work_run_job when it is
	 * done. A flush does not wait for work that is queued after it has begun.
	 */
	flush_workqueue(sundog_submit_wq);
	flush_workqueue(sundog_submit_wq);
	/* A job that ran meanwhile may have ended already, and work_run_job is queued again. */
	return !sundog_sched_count(sdev, &ended) && ended == last;
}

/**
 * sundog_sched_settle() - wait until the device has run all jobs that can run
 * @sdev: device to which no thread submits
 *
 * Return: 0, or -EBUSY after SUNDOG_PAUSE_TIMEOUT.
 */
int sundog_sched_settle(struct sundog_device *sdev)
{
	const unsigned long end = jiffies + SUNDOG_PAUSE_TIMEOUT;

	while (!sundog_sched_is_idle(sdev)) {
		if (time_after(jiffies, end))
			return -EBUSY;
		usleep_range(1000, 2000);
	}
	return 0;
}

/**
 * sundog_sched_pause() - keep jobs in the queues, and wait for those in the rings
 * @sdev: device to which no thread submits, and for which no thread creates contexts
 *
 * The schedulers stop first, so the wait is for at most one ring of jobs per channel, however many
 * are queued. The schedulers see the end of these jobs after sundog_sched_continue().
 *
 * Return: 0, or -EBUSY if no job ends for SUNDOG_PAUSE_TIMEOUT; then the schedulers run again.
 */
int sundog_sched_pause(struct sundog_device *sdev)
{
	unsigned long end = jiffies + SUNDOG_PAUSE_TIMEOUT;
	struct sundog_channel *ch;
	u64 ended, last = 0;
	u32 i;

	for (i = 0; (ch = sundog_sched_channel(sdev, i)); i++)
		drm_sched_wqueue_stop(&ch->sched);
	while (sundog_sched_count(sdev, &ended)) {
		if (ended != last)
			end = jiffies + SUNDOG_PAUSE_TIMEOUT;
		last = ended;
		if (time_after(jiffies, end)) {
			sundog_sched_continue(sdev);
			return -EBUSY;
		}
		usleep_range(1000, 2000);
	}
	return 0;
}

/**
 * sundog_sched_continue() - undo sundog_sched_pause()
 * @sdev: device
 */
void sundog_sched_continue(struct sundog_device *sdev)
{
	struct sundog_channel *ch;
	u32 i;

	for (i = 0; (ch = sundog_sched_channel(sdev, i)); i++)
		drm_sched_wqueue_start(&ch->sched);
}

/**
 * sundog_sched_close() - refuse further ring entries
 * @ch: channel
 */
void sundog_sched_close(struct sundog_channel *ch)
{
	unsigned long flags;

	spin_lock_irqsave(&ch->lock, flags);
	if (!ch->stopped)
		sundog_sched_end_ring(ch);
	spin_unlock_irqrestore(&ch->lock, flags);
}

/**
 * sundog_sched_is_busy() - check if the worker has incomplete jobs of a channel
 * @ch: channel
 *
 * Return: true if the ring has a job that is not completed; false if the channel has stopped.
 */
bool sundog_sched_is_busy(struct sundog_channel *ch)
{
	unsigned long flags;
	bool busy = false;

	spin_lock_irqsave(&ch->lock, flags);
	if (!ch->stopped)
		busy = le64_to_cpu(READ_ONCE(ch->status->completed)) < ch->emitted;
	spin_unlock_irqrestore(&ch->lock, flags);
	return busy;
}

/* Returns the fence of job @seqno if it is in the ring, else of the oldest job there, or NULL. */
static struct sundog_hw_fence *sundog_sched_find(struct sundog_channel *ch, u64 seqno)
{
	struct sundog_hw_fence *fence;

	lockdep_assert_held(&ch->lock);
	if (!sundog_sched_oldest(ch))
		return NULL;
	list_for_each_entry(fence, &ch->pending, node)
		if (fence->seqno == seqno && seqno <= ch->emitted)
			return fence;
	return list_first_entry(&ch->pending, struct sundog_hw_fence, node);
}

/**
 * sundog_sched_snapshot() - copy the state of a channel
 * @ch: channel
 * @seqno: seqno of the submission to look for; 0: the oldest one in the ring
 * @snapshot: filled in on success
 *
 * Return: true, or false if the channel has stopped or its ring has no job.
 */
bool sundog_sched_snapshot(struct sundog_channel *ch, u64 seqno,
			   struct sundog_ring_snapshot *snapshot)
{
	struct sundog_hw_fence *fence = NULL;
	unsigned long flags;

	spin_lock_irqsave(&ch->lock, flags);
	if (!ch->stopped)
		fence = sundog_sched_find(ch, seqno);
	if (fence)
		*snapshot = (struct sundog_ring_snapshot) {
			.put = ch->put,
			.get = le32_to_cpu(READ_ONCE(ch->status->get)),
			.emitted = ch->emitted,
			.completed = le64_to_cpu(READ_ONCE(ch->status->completed)),
			.progress = le64_to_cpu(READ_ONCE(ch->status->progress)),
			.entry = fence->entry,
			.ring = ch->ring,
			.list = ch->list,
		};
	spin_unlock_irqrestore(&ch->lock, flags);
	return fence;
}

/**
 * sundog_sched_stop() - signal all fences of a channel of which nothing runs any more
 * @ch: channel
 * @error: negative error code for jobs that were not completed
 */
void sundog_sched_stop(struct sundog_channel *ch, int error)
{
	struct sundog_hw_fence *fence, *next;
	unsigned long flags;

	spin_lock_irqsave(&ch->lock, flags);
	if (!ch->stopped) {
		sundog_sched_scan_channel(ch);
		sundog_sched_set_busy(ch, false);
		sundog_sched_end_ring(ch);
		ch->stopped = true;
		list_for_each_entry_safe(fence, next, &ch->pending, node) {
			list_del(&fence->node);
			sundog_sched_end_fence(ch, fence, error);
		}
		sundog_sched_reap_in(ch, 0);
	}
	sundog_channel_unlock(ch, flags);
}

/**
 * sundog_sched_tell_lost() - set the flag @lost in a status page again
 * @ch: channel that has stopped, of a mapped device that was reset, which clears its memory
 */
void sundog_sched_tell_lost(struct sundog_channel *ch)
{
	unsigned long flags;

	spin_lock_irqsave(&ch->lock, flags);
	if (ch->lost)
		WRITE_ONCE(*ch->lost, 1);
	spin_unlock_irqrestore(&ch->lock, flags);
}

/**
 * sundog_sched_reap() - free the ended jobs of a channel; may sleep
 * @ch: channel
 */
void sundog_sched_reap(struct sundog_channel *ch)
{
	struct sundog_job *job, *next;
	unsigned long flags;
	LIST_HEAD(jobs);

	spin_lock_irqsave(&ch->lock, flags);
	if (!ch->quarantine)
		list_splice_init(&ch->ended, &jobs);
	spin_unlock_irqrestore(&ch->lock, flags);
	/* A job holds the device, so the last one may free it. */
	list_for_each_entry_safe(job, next, &jobs, node)
		job->sdev->sched_funcs->put_job(job);
}

static void sundog_sched_reap_work(struct work_struct *work)
{
	struct sundog_channel *ch = container_of(work, struct sundog_channel, reap.work);

	sundog_sched_reap(ch);
	kref_put(&ch->kref, sundog_channel_free);
}

/**
 * sundog_sched_quarantine() - keep the memory of all jobs that end from now on
 * @ch: channel that did not stop in time, and whose fences the caller signals next
 *
 * Return: false if the channel has stopped meanwhile, or was in quarantine already.
 */
bool sundog_sched_quarantine(struct sundog_channel *ch)
{
	unsigned long flags;
	bool ret;

	spin_lock_irqsave(&ch->lock, flags);
	ret = !ch->stopped && !ch->quarantine;
	if (ret) {
		ch->quarantine = true;
		atomic_inc(&ch->sdev->wedged);
	}
	spin_unlock_irqrestore(&ch->lock, flags);
	return ret;
}

/**
 * sundog_sched_release_quarantine() - free the memory in quarantine, if the channel had any
 * @ch: channel that has stopped
 */
void sundog_sched_release_quarantine(struct sundog_channel *ch)
{
	unsigned long flags;
	bool was;

	spin_lock_irqsave(&ch->lock, flags);
	was = ch->quarantine;
	ch->quarantine = false;
	sundog_sched_reap_in(ch, 0);
	spin_unlock_irqrestore(&ch->lock, flags);
	if (!was)
		return;
	drm_info(&ch->sdev->drm, "%s stopped after all\n", ch->name);
	atomic_dec(&ch->sdev->wedged);
}

static struct sundog_channel *sundog_sched_make_channel(struct sundog_device *sdev, u32 index)
{
	struct sundog_channel *ch = kzalloc_obj(*ch, GFP_KERNEL);
	struct drm_sched_init_args args = {
		.ops = &sundog_sched_ops,
		.submit_wq = sundog_submit_wq,
		.num_rqs = DRM_SCHED_PRIORITY_COUNT,
		.credit_limit = SUNDOG_RING_SLOTS,
		.timeout = MAX_SCHEDULE_TIMEOUT,
		.dev = sdev->drm.dev,
	};
	int ret;

	if (!ch)
		return ERR_PTR(-ENOMEM);
	kref_init(&ch->kref);
	ch->sdev = sdev;
	ch->index = index;
	ch->stopped = true;
	snprintf(ch->name, sizeof(ch->name), "sundog-ch%u", index);
	spin_lock_init(&ch->lock);
	INIT_LIST_HEAD(&ch->pending);
	INIT_LIST_HEAD(&ch->signal);
	INIT_LIST_HEAD(&ch->ended);
	INIT_DELAYED_WORK(&ch->watchdog, sdev->sched_funcs->watchdog);
	INIT_DELAYED_WORK(&ch->timeout, sdev->sched_funcs->timeout);
	INIT_DELAYED_WORK(&ch->reap, sundog_sched_reap_work);
	init_irq_work(&ch->signal_work, sundog_channel_signal_work);

	args.name = ch->name;
	ret = drm_sched_init(&ch->sched, &args);
	if (ret) {
		kfree(ch);
		return ERR_PTR(ret);
	}
	return ch;
}

/**
 * sundog_sched_get_channel() - find a channel, or create it if its slot was never used
 * @sdev: device; the caller holds channels_lock
 * @index: number of the slot
 *
 * Return: the channel, or an error pointer.
 */
struct sundog_channel *sundog_sched_get_channel(struct sundog_device *sdev, u32 index)
{
	struct sundog_channel *ch = sdev->channels[index];

	lockdep_assert_held(&sdev->channels_lock);
	if (ch)
		return ch;
	ch = sundog_sched_make_channel(sdev, index);
	if (!IS_ERR(ch))
		/* Pairs with sundog_sched_channel(). */
		smp_store_release(&sdev->channels[index], ch);
	return ch;
}

/* Jobs hold the device, so none is left. The work @reap of a channel may be the caller. */
static void sundog_sched_fini(struct drm_device *drm, void *arg)
{
	struct sundog_device *sdev = to_sundog_device(drm);
	struct sundog_channel *ch;
	u32 i;

	for (i = 0; (ch = sundog_sched_channel(sdev, i)); i++) {
		irq_work_sync(&ch->signal_work);
		cancel_delayed_work_sync(&ch->watchdog);
		cancel_delayed_work_sync(&ch->timeout);
		if (cancel_delayed_work(&ch->reap))
			kref_put(&ch->kref, sundog_channel_free);
		drm_sched_fini(&ch->sched);
		kref_put(&ch->kref, sundog_channel_free);
	}
}

/**
 * sundog_sched_module_exit() - wait for threads that drop the last hardware fences
 *
 * A fence drops its reference to the module by module_put(), in this module's text. The thread may
 * be preempted before it has left that text. No fence is left now, so no thread is in that text
 * after this wait.
 */
void sundog_sched_module_exit(void)
{
	synchronize_rcu_tasks();
}

/**
 * sundog_sched_init() - initialise the state that all channels share
 * @sdev: device
 * @funcs: callbacks into the context code
 *
 * Return: 0 or a negative error code.
 */
int sundog_sched_init(struct sundog_device *sdev, const struct sundog_sched_funcs *funcs)
{
	int ret = drmm_mutex_init(&sdev->drm, &sdev->channels_lock);

	sdev->sched_funcs = funcs;
	if (ret)
		return ret;
	return drmm_add_action_or_reset(&sdev->drm, sundog_sched_fini, NULL);
}
