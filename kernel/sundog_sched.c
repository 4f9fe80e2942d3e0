// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Rings and schedulers: how a job gets to the device and how its fence comes back.
 *
 * Every channel slot has a scheduler of its own, made on first use. Its credits are ring slots; a
 * job with a long allocation list costs several, which also gives it its part of the list ring. So
 * when the scheduler runs a job there is room, and sundog_sched_run_job() only copies.
 *
 * A job that there is nothing to schedule for, because it waits for nobody and the ring has room,
 * is put there by SUBMIT itself: that is half the price, for no other thread is woken up, neither
 * to run the job nor to free it. See sundog_sched_try_claim() for how the two go together.
 *
 * Each job has a hardware fence, which others wait for, so that all jobs of a context are on one
 * timeline. No entity ends with jobs in its queue, so each hardware fence signals. It is in the
 * channel's pending list from the moment the job runs until the worker's completed seqno passes it
 * or the channel has stopped. Jobs are ended in the order of that list, always: dma_resv takes the
 * last fence of a context for all that came before it. Jobs of a channel that no longer takes
 * entries therefore join the list as well, and fail when the channel has stopped. A failed job's
 * fence never signals before that, or its memory would be reused under a worker that still runs.
 * When the channel cannot be stopped the fences have to signal in the end; then the memory is kept,
 * see sundog_sched_quarantine().
 *
 * An interrupt comes for a fence that somebody waits for. What nobody waits for is found to be done
 * by the next submission, or because the worker has run out of work, which it says by an interrupt
 * as well; or each job is told, if something that jobs use is to be given back. So a program that
 * keeps the worker busy, and looks for the end of its work in its status page, is not interrupted.
 *
 * run_job, free_job and timedout_job run in the fence signalling path: they allocate nothing and
 * wait for nothing. dma_fence_begin_signalling() has lockdep check that, here and in each other
 * thread that ends jobs. free_job is in the path because its work shares sundog_submit_wq with that
 * of run_job. A job that ends goes to a list of its channel, for its last references may sleep. The
 * next SUBMIT drops it, or else a work item after SUNDOG_REAP_DELAY: waking another thread for each
 * job would cost as much as the job. The work item runs at once if an allocation waits to be freed.
 *
 * Hardware fences hold the module and the channel's memory. A file that still has one, in a syncobj
 * or a sync_file, keeps the module loaded. See sundog_sched_module_exit() for the last one's end.
 */

#include <kunit/visibility.h>
#include <linux/delay.h>
#include <linux/dma-fence.h>
#include <linux/dma-resv.h>
#include <linux/jiffies.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
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

/* How long a job that has ended waits for the next SUBMIT to drop it. */
#define SUNDOG_REAP_DELAY	(HZ / 10)

/* If no job ends in that time, or not all of them before hibernation, the machine stays awake. */
#define SUNDOG_PAUSE_TIMEOUT	(60 * HZ)

/*
 * How long a worker may make no progress before it is ended; 0: for ever. A scheduler has that of
 * when its channel was first used.
 */
VISIBLE_IF_KUNIT unsigned int sundog_timeout_ms = 30000;
module_param_named(timeout_ms, sundog_timeout_ms, uint, 0644);
MODULE_PARM_DESC(timeout_ms,
		 "milliseconds without progress after which a job counts as hung, 0: never (default 30000)");

/*
 * A worker reports what it finishes of a job, so that a large one is not taken for a hung one. It
 * may report whatever it likes, and others wait for the job's fence: each job ends after this.
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
 * sundog_sched_channel() - a channel slot that was ever used
 * @sdev: device
 * @index: number of the slot
 *
 * Slots are used from the lowest up, so who wants all of them stops at the first that is not there.
 *
 * Return: the channel, or NULL.
 */
struct sundog_channel *sundog_sched_channel(struct sundog_device *sdev, u32 index)
{
	/* Pairs with sundog_sched_get_channel(). */
	return index < sdev->n_channels ? smp_load_acquire(&sdev->channels[index]) : NULL;
}

static void sundog_channel_free(struct kref *kref)
{
	kfree(container_of(kref, struct sundog_channel, kref));
}

/**
 * sundog_hw_fence_alloc() - make a hardware fence, to be initialised later
 * @ch: channel
 *
 * Return: the fence, or NULL without memory.
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
 * sundog_hw_fence_free() - undo sundog_hw_fence_alloc() for a job that never runs
 * @fence: fence
 */
void sundog_hw_fence_free(struct sundog_hw_fence *fence)
{
	kref_put(&fence->ch->kref, sundog_channel_free);
	kfree(fence);
	module_put(THIS_MODULE);
}

static void sundog_hw_fence_signal(struct sundog_hw_fence *fence, int error)
{
	lockdep_assert_held(&fence->ch->lock);
	/* Who looked may have found it done; then so it was. */
	if (test_bit(DMA_FENCE_FLAG_SIGNALED_BIT, &fence->base.flags))
		error = 0;
	if (error)
		dma_fence_set_error(&fence->base, error);
	trace_sundog_done(fence->ch->index, fence->seqno, error);
	dma_fence_signal_locked(&fence->base);
}

/* The oldest job that is with the worker, or 0. */
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

/* The oldest job with the worker whose end somebody waits for, or 0. */
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

/* For what does the worker raise an interrupt? */
static void sundog_sched_arm(struct sundog_channel *ch)
{
	lockdep_assert_held(&ch->lock);
	WRITE_ONCE(ch->control->irq_seqno, cpu_to_le64(sundog_sched_awaited(ch)));
	if (ch->tells_idle)
		WRITE_ONCE(ch->control->idle_seqno,
			   cpu_to_le64(sundog_sched_oldest(ch) ? ch->emitted : 0));
	/* Either the worker sees the new seqnos, or who looks now sees what was completed. */
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
 * Puts the job's list entries into the list ring, unless they are there, and returns the index of
 * the first. These are up to 240 KiB, so the channel's lock is not held. One thread at a time puts
 * jobs into a ring: SUBMIT while the scheduler has none of them, or else the scheduler.
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

/* A channel with jobs is looked at if any limit is set. */
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
 * sundog_sched_stop_begins() - a channel is told to stop
 * @ch: channel
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
 * sundog_sched_still_stops() - does the worker make progress with what a channel has left?
 * @ch: channel that was told to stop
 *
 * Called by the channel's watchdog. A worker ends a channel when it has done all of the channel's
 * jobs. These may take as long as any job may, see job_timeout_ms, while the worker reports
 * progress.
 *
 * Return: true if the worker reported progress since the last call, and the time is not up.
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

/* Counts a channel that gets work. */
static void sundog_busy_begin(struct sundog_busy *busy)
{
	lockdep_assert_irqs_disabled();
	spin_lock(&busy->lock);
	if (!busy->n_channels++)
		busy->since = ktime_get();
	spin_unlock(&busy->lock);
}

/* Stops to count a channel, whose work is done. */
static void sundog_busy_end(struct sundog_busy *busy)
{
	lockdep_assert_irqs_disabled();
	spin_lock(&busy->lock);
	if (!--busy->n_channels)
		busy->ns += ktime_to_ns(ktime_sub(ktime_get(), busy->since));
	spin_unlock(&busy->lock);
}

/* Counts the time of the client; before the fence of the last job ends, which keeps the client. */
static void sundog_sched_set_busy(struct sundog_channel *ch, bool is_busy)
{
	lockdep_assert_held(&ch->lock);
	if (ch->is_busy == is_busy)
		return;
	ch->is_busy = is_busy;
	if (is_busy)
		sundog_busy_begin(ch->busy);
	else
		sundog_busy_end(ch->busy);
}

/* Puts a job, whose fence is in the pending list, into the ring. */
static void sundog_sched_emit(struct sundog_channel *ch, const struct sundog_job *job,
			      struct sundog_hw_fence *fence, u32 list_first)
{
	struct sundog_ring_entry entry = job->entry;

	lockdep_assert_held(&ch->lock);
	entry.list_first = cpu_to_le32(list_first);
	/* The host may write what is in the ring, so it is not read back. */
	ch->ring[ch->put % SUNDOG_RING_SLOTS] = entry;
	fence->entry = entry;
	ch->emitted = le64_to_cpu(job->entry.seqno);
	if (list_is_singular(&ch->pending))
		sundog_sched_note_progress(ch);
	sundog_sched_set_busy(ch, true);
	sundog_sched_arm(ch);
	/* The worker sees the entry and its list when it sees put. */
	virt_store_release(&ch->control->put, cpu_to_le32(++ch->put));
	/* Either we see that the worker went to sleep, or it sees our entry before it does. */
	virt_mb();
	if (READ_ONCE(ch->status->need_doorbell))
		sundog_write(ch->sdev, SUNDOG_REG_DOORBELL(ch->index), 1);
}

/* Has the work item drop the jobs that have ended, in @delay jiffies or before. */
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
	/* The work item needs the lock first. */
	if (queued)
		kref_get(&ch->kref);
}

/* The fence of a job has signalled: its context may queue another one. */
static void sundog_sched_end_job(struct sundog_channel *ch, struct sundog_job *job)
{
	lockdep_assert_held(&ch->lock);
	ch->sdev->sched_funcs->end_job(job->ctx, job->queued);
	list_add_tail(&job->node, &ch->ended);
	/* No SUBMIT follows on a channel that has stopped, and the module may be unloaded. */
	if (ch->stopped || le64_to_cpu(job->entry.seqno) <= ch->irq_forced_seqno)
		sundog_sched_reap_in(ch, 0);
	else
		sundog_sched_reap_in(ch, SUNDOG_REAP_DELAY);
}

/* The job is done, or is not going to be. */
static void sundog_sched_end_fence(struct sundog_hw_fence *fence, int error)
{
	struct sundog_job *job = fence->job;

	sundog_hw_fence_signal(fence, error);
	if (!job)
		return;
	fence->ch->credits -= job->credits;
	sundog_sched_end_job(fence->ch, job);
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
		sundog_sched_end_fence(fence, 0);
		dma_fence_put(&fence->base);
	}
}

/* What the worker has done; 0 if it claims more than there was. */
static u64 sundog_sched_completed(const struct sundog_channel *ch)
{
	u64 completed;

	/* We see what the worker wrote to memory when we see completed. */
	completed = le64_to_cpu(virt_load_acquire(&ch->status->completed));
	if (completed <= ch->emitted)
		return completed;
	drm_err_ratelimited(&ch->sdev->drm, "%s: seqno %llu completed, %llu was the last\n",
			    ch->name, completed, ch->emitted);
	return 0;
}

/* Signals what is done. */
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

static const char *sundog_hw_fence_driver_name(struct dma_fence *base)
{
	return SUNDOG_DRIVER_NAME;
}

static const char *sundog_hw_fence_timeline_name(struct dma_fence *base)
{
	return container_of(base, struct sundog_hw_fence, base)->ch->name;
}

/* Somebody waits. Its own lock is the channel's. */
static bool sundog_hw_fence_enable_signaling(struct dma_fence *base)
{
	struct sundog_hw_fence *fence = container_of(base, struct sundog_hw_fence, base);
	struct sundog_channel *ch = fence->ch;

	lockdep_assert_held(&ch->lock);
	if (!ch->stopped) {
		sundog_sched_arm(ch);
		sundog_sched_scan_channel(ch);
	}
	return !test_bit(DMA_FENCE_FLAG_SIGNALED_BIT, &base->flags);
}

/*
 * For who looks and does not wait. Who has the lock, maybe the caller, looks himself; with it the
 * device cannot go, and who is late looks again.
 */
static bool sundog_hw_fence_signaled(struct dma_fence *base)
{
	struct sundog_hw_fence *fence = container_of(base, struct sundog_hw_fence, base);
	struct sundog_channel *ch = fence->ch;
	unsigned long flags;
	bool done = false;

	if (!spin_trylock_irqsave(&ch->lock, flags))
		return false;
	if (!ch->stopped && fence->seqno <= ch->emitted)
		done = fence->seqno <= sundog_sched_completed(ch);
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

/* Puts the job into the ring, if that takes any; its fence is going to be signalled. */
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
	spin_lock_irqsave(&ch->lock, flags);
	if (ch->stopped) {
		sundog_sched_end_fence(fence, -EIO);
	} else {
		sundog_sched_scan_channel(ch);
		dma_fence_get(&fence->base);
		list_add_tail(&fence->node, &ch->pending);
		if (job->force_irq)
			ch->irq_forced_seqno = max(ch->irq_forced_seqno, fence->seqno);
		if (ch->running && there)
			sundog_sched_emit(ch, job, fence, list_first);
	}
	spin_unlock_irqrestore(&ch->lock, flags);
}

/*
 * How often a busy channel is looked at. Progress counts from the look that sees it, so a hang is
 * found at most this much later than after the timeout.
 */
static long sundog_sched_look_interval(long timeout)
{
	return max(timeout / 8, 1L);
}

/*
 * Starts the looks at a channel that has got a job; they end when it has none. A look that was
 * planned with a longer timeout comes sooner.
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

	/* From here on the scheduler has the fence, and the reference that it was made with. */
	job->fence = NULL;
	sundog_sched_take(fence->ch, job, fence);
	sundog_sched_watch(fence->ch);
	dma_fence_end_signalling(cookie);
	return &fence->base;
}

/**
 * sundog_sched_scan() - signal what the workers completed, for all channels
 * @sdev: device
 *
 * Called from the fence interrupt, which does not say whose it is.
 */
void sundog_sched_scan(struct sundog_device *sdev)
{
	struct sundog_channel *ch;
	unsigned long flags;
	u32 i;

	for (i = 0; (ch = sundog_sched_channel(sdev, i)); i++) {
		spin_lock_irqsave(&ch->lock, flags);
		if (!ch->stopped)
			sundog_sched_scan_channel(ch);
		spin_unlock_irqrestore(&ch->lock, flags);
	}
}

/* The scheduler and sundog_sched_look() may both have looked a moment ago; timers are not exact. */
static bool sundog_sched_is_late(struct sundog_channel *ch)
{
	const long timeout = sundog_sched_timeout();

	return timeout != MAX_SCHEDULE_TIMEOUT &&
	       time_after_eq(jiffies, ch->progress_at + timeout - timeout / 16);
}

/*
 * The seqno that the worker hangs at, or 0. The time counts from its last progress, not from the
 * job's start. Progress is that a job is done, or for a bounded time that the worker reports some.
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
 * sundog_sched_force_irq_channel() - somebody waits for the end of any job that is with a worker
 * @ch: channel
 *
 * Or is about to be there: who submits may be giving up what his job uses.
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
	spin_unlock_irqrestore(&ch->lock, flags);
}

/* Returns the channel whose job ends with the fence, or NULL if the fence is not the device's. */
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
 * sundog_sched_force_irq() - what some job uses is to be given back as soon as it can
 * @sdev: device
 * @resv: where the fences of such jobs are; it need not be locked
 *
 * A fence stands for earlier ones of its context, which has one channel. So those channels, and no
 * others, have such a job.
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
	/* What was found to be done has its job still, if who looked left that to others. */
	sundog_sched_scan(sdev);
}

/**
 * sundog_sched_look() - does a worker make progress? for jobs that were not scheduled
 * @ch: channel, whose timeout ran out
 *
 * The timer runs on until a look finds no job, or that there is no limit; the next job arms it.
 *
 * Return: the seqno that the worker hangs at, or 0.
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
	spin_unlock_irqrestore(&ch->lock, flags);
	/* A channel that hangs is being ended, which needs no frequent look. */
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

/* A job is not given up here: its fence signals when the channel has stopped. */
static enum drm_gpu_sched_stat sundog_sched_timedout_job(struct drm_sched_job *base)
{
	struct sundog_job *job = to_sundog_job(base);
	struct sundog_channel *ch = container_of(base->sched, struct sundog_channel, sched);
	const bool cookie = dma_fence_begin_signalling();
	unsigned long flags;
	u64 seqno;

	spin_lock_irqsave(&ch->lock, flags);
	seqno = sundog_sched_hung_seqno(ch);
	spin_unlock_irqrestore(&ch->lock, flags);
	if (seqno)
		ch->sdev->sched_funcs->hang(job->ctx, seqno);
	dma_fence_end_signalling(cookie);
	return DRM_GPU_SCHED_STAT_NO_HANG;
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
	.timedout_job = sundog_sched_timedout_job,
	.free_job = sundog_sched_free_job,
};

/**
 * sundog_sched_try_claim() - may a job go to the ring at once?
 * @ch: channel that has no scheduled job that is not done
 * @job: job that waits for nobody; its context's submit_lock is held
 *
 * While the ring has jobs that were not scheduled, the scheduler has none that could run, and the
 * other way round: each counts the ring's slots as if it had all of them. The caller sees to that.
 *
 * Return: true if the ring has room for it, which it has taken now.
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
	spin_unlock_irqrestore(&ch->lock, flags);
	return ret;
}

/**
 * sundog_sched_arm_job() - initialise a job's fence, and have drm_sched arm a scheduled job
 * @job: job that has its part of the ring, or is scheduled, and has its seqno
 *
 * Return: the fence, which signals when the job has ended. The caller runs or pushes the job before
 * any later one of its context.
 */
struct dma_fence *sundog_sched_arm_job(struct sundog_job *job)
{
	struct sundog_hw_fence *fence = job->fence;

	fence->seqno = le64_to_cpu(job->entry.seqno);
	WRITE_ONCE(fence->ch->fence_context, job->fence_context);
	dma_fence_init(&fence->base, &sundog_hw_fence_ops, &fence->ch->lock, job->fence_context,
		       fence->seqno);
	if (job->is_scheduled)
		drm_sched_job_arm(&job->base);
	return &fence->base;
}

/**
 * sundog_sched_run_direct() - put a job into the ring
 * @job: job that is armed; this passes on a reference to it
 *
 * Nobody submits while the machine goes to sleep, so this is not what sundog_sched_pause() holds.
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
 * sundog_sched_credits() - ring slots that a job takes
 * @n_list: entries of its allocation list
 *
 * Return: number of slots.
 */
u32 sundog_sched_credits(u32 n_list)
{
	return max(1, DIV_ROUND_UP(n_list, SUNDOG_LIST_PER_SLOT));
}

/**
 * sundog_sched_plan_list() - must a job's list entries be put into the list ring, and for how much?
 * @ring: what the job before it leaves there
 * @job: job whose list is complete, and that is the next to be queued
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
		/* With all of them it runs alone. */
		credits = min(credits + ring->credits, SUNDOG_RING_SLOTS);
		*ring = (struct sundog_list_ring) { .id = id };
	}
	job->credits = credits;
}

/**
 * sundog_sched_start() - make a channel's ring ready, before it is created on the device
 * @ch: channel that is off; the caller is inside drm_dev_enter()
 * @busy: time of its client
 */
void sundog_sched_start(struct sundog_channel *ch, struct sundog_busy *busy)
{
	void *segment = ch->sdev->control + SUNDOG_CONTROL_CHANNELS +
			(size_t)ch->index * SUNDOG_CHANNEL_SIZE;
	unsigned long flags;

	/* What another client listed is not for this one to map. */
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
 * sundog_busy_ns() - the time in which a client had work
 * @busy: time of the client
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
 * sundog_sched_scan_client() - notice the jobs of a client that are done
 * @sdev: device
 * @busy: time of the client
 */
void sundog_sched_scan_client(struct sundog_device *sdev, const struct sundog_busy *busy)
{
	struct sundog_channel *ch;
	unsigned long flags;
	u32 i;

	for (i = 0; (ch = sundog_sched_channel(sdev, i)); i++) {
		spin_lock_irqsave(&ch->lock, flags);
		if (!ch->stopped && ch->busy == busy)
			sundog_sched_scan_channel(ch);
		spin_unlock_irqrestore(&ch->lock, flags);
	}
}

/**
 * sundog_sched_run() - the device takes ring entries now
 * @ch: channel
 */
void sundog_sched_run(struct sundog_channel *ch)
{
	unsigned long flags;

	spin_lock_irqsave(&ch->lock, flags);
	if (!ch->stopped) {
		ch->running = true;
		/* The renderer is the one that it runs on. */
		ch->tells_idle = READ_ONCE(ch->sdev->features) & SUNDOG_FEATURE_IDLE_INTERRUPTS;
	}
	spin_unlock_irqrestore(&ch->lock, flags);
}

/* User space sees it before the fences of what is dropped. */
static void sundog_sched_end_ring(struct sundog_channel *ch)
{
	lockdep_assert_held(&ch->lock);
	ch->running = false;
	WRITE_ONCE(*ch->lost, 1);
}

/* The number of jobs of a channel whose hardware fences have not signalled. */
static size_t sundog_sched_count_pending(struct sundog_channel *ch)
{
	unsigned long flags;
	size_t n;

	spin_lock_irqsave(&ch->lock, flags);
	if (!ch->stopped)
		sundog_sched_scan_channel(ch);
	n = list_count_nodes(&ch->pending);
	spin_unlock_irqrestore(&ch->lock, flags);
	return n;
}

static size_t sundog_sched_count_all(struct sundog_device *sdev)
{
	struct sundog_channel *ch;
	size_t n = 0;
	u32 i;

	for (i = 0; (ch = sundog_sched_channel(sdev, i)); i++)
		n += sundog_sched_count_pending(ch);
	return n;
}

/* Returns false if the rings have jobs. The end of a job may let one of another channel run. */
static bool sundog_sched_is_idle(struct sundog_device *sdev)
{
	if (sundog_sched_count_all(sdev))
		return false;
	flush_workqueue(sundog_submit_wq);
	return !sundog_sched_count_all(sdev);
}

/**
 * sundog_sched_settle() - wait until the device has run all jobs that can run
 * @sdev: device to which nobody submits
 *
 * Return: 0, or -EBUSY if it takes longer than SUNDOG_PAUSE_TIMEOUT.
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
 * @sdev: device to which nobody submits, and for which nobody makes contexts
 *
 * The schedulers stop first, so the wait is for a ring of jobs for each channel, whatever is
 * queued. They get to know of the end of these jobs in sundog_sched_continue().
 *
 * Return: 0, or -EBUSY if no job ends for SUNDOG_PAUSE_TIMEOUT; then nothing has changed.
 */
int sundog_sched_pause(struct sundog_device *sdev)
{
	unsigned long end = jiffies + SUNDOG_PAUSE_TIMEOUT;
	struct sundog_channel *ch;
	size_t n, last = 0;
	u32 i;

	for (i = 0; (ch = sundog_sched_channel(sdev, i)); i++)
		drm_sched_wqueue_stop(&ch->sched);
	while ((n = sundog_sched_count_all(sdev))) {
		if (n != last)
			end = jiffies + SUNDOG_PAUSE_TIMEOUT;
		last = n;
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
 * sundog_sched_close() - put nothing into the ring any more
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
 * sundog_sched_is_busy() - has the worker something of a channel that is not done?
 * @ch: channel
 *
 * Return: the answer.
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

/* The job of that number that is with the worker, else the one that it is at. */
static struct sundog_hw_fence *sundog_sched_find(struct sundog_channel *ch, u64 seqno)
{
	struct sundog_hw_fence *fence;

	lockdep_assert_held(&ch->lock);
	list_for_each_entry(fence, &ch->pending, node)
		if (fence->seqno == seqno && seqno <= ch->emitted)
			return fence;
	fence = list_first_entry_or_null(&ch->pending, struct sundog_hw_fence, node);
	return fence && fence->seqno <= ch->emitted ? fence : NULL;
}

/**
 * sundog_sched_snapshot() - what a channel is doing
 * @ch: channel
 * @seqno: submission that is of interest, 0: what the worker is at
 * @snapshot: filled in
 *
 * Return: false if it has stopped, or the worker has nothing of it.
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
 * sundog_sched_stop() - nothing of a channel runs any more: finish its fences
 * @ch: channel
 * @error: for jobs that were not done
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
			sundog_sched_end_fence(fence, error);
			dma_fence_put(&fence->base);
		}
		sundog_sched_reap_in(ch, 0);
	}
	spin_unlock_irqrestore(&ch->lock, flags);
}

/**
 * sundog_sched_tell_lost() - tell user space once more that a channel's context is lost
 * @ch: channel that has stopped, of a device that is mapped and forgot what it was told
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
 * sundog_sched_reap() - drop the jobs of a channel that have ended; may sleep
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
	/* A job holds the device, which the last of them may end. */
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
 * sundog_sched_quarantine() - from now on keep the memory of jobs that finish
 * @ch: channel that did not stop in time; its fences are about to be signalled all the same
 *
 * Return: false if there is nothing to keep, because the channel stopped meanwhile.
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
 * sundog_sched_release_quarantine() - the channel stopped after all
 * @ch: channel
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
		.timeout = sundog_sched_timeout(),
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
	INIT_LIST_HEAD(&ch->ended);
	INIT_DELAYED_WORK(&ch->watchdog, sdev->sched_funcs->watchdog);
	INIT_DELAYED_WORK(&ch->timeout, sdev->sched_funcs->timeout);
	INIT_DELAYED_WORK(&ch->reap, sundog_sched_reap_work);

	args.name = ch->name;
	ret = drm_sched_init(&ch->sched, &args);
	if (ret) {
		kfree(ch);
		return ERR_PTR(ret);
	}
	return ch;
}

/**
 * sundog_sched_get_channel() - a channel slot, made if it was never used
 * @sdev: device; the caller has channels_lock
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

/* Jobs hold the device, so none is left; the work @reap of a channel may be what brings us here. */
static void sundog_sched_fini(struct drm_device *drm, void *arg)
{
	struct sundog_device *sdev = to_sundog_device(drm);
	struct sundog_channel *ch;
	u32 i;

	for (i = 0; (ch = sundog_sched_channel(sdev, i)); i++) {
		cancel_delayed_work_sync(&ch->watchdog);
		cancel_delayed_work_sync(&ch->timeout);
		if (cancel_delayed_work(&ch->reap))
			kref_put(&ch->kref, sundog_channel_free);
		drm_sched_fini(&ch->sched);
		kref_put(&ch->kref, sundog_channel_free);
	}
}

/**
 * sundog_sched_module_exit() - wait for those that drop the last hardware fences
 *
 * A fence drops its reference to the module by module_put(), in this module's text. The caller may
 * be preempted before it has left that text. No fence is left now, so after this wait nobody is in
 * it.
 */
void sundog_sched_module_exit(void)
{
	synchronize_rcu_tasks();
}

/**
 * sundog_sched_init() - prepare for channels
 * @sdev: device
 * @funcs: whom to tell
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
