// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * KUnit tests of sundog_sched.c: workers that report progress, and workers that make none.
 */

#include <linux/jiffies.h>
#include <linux/list.h>
#include <linux/spinlock.h>

#include "../sundog_client.h"
#include "../sundog_sched.h"
#include "sundog_test_device.h"

/* A channel with one job in its ring, which the worker executes. */
struct sundog_sched_test {
	struct sundog_channel ch;
	struct sundog_ring_status status;
	struct sundog_hw_fence fence;
	struct sundog_busy busy;
};

static int sundog_sched_test_init(struct kunit *test)
{
	struct sundog_sched_test *priv = kunit_kzalloc(test, sizeof(*priv), GFP_KERNEL);
	struct sundog_channel *ch = &priv->ch;

	KUNIT_ASSERT_NOT_NULL(test, priv);
	ch->sdev = sundog_test_device(test);
	ch->status = &priv->status;
	spin_lock_init(&priv->busy.lock);
	ch->busy = &priv->busy;
	ch->running = true;
	ch->emitted = 1;
	spin_lock_init(&ch->lock);
	INIT_LIST_HEAD(&ch->pending);
	INIT_LIST_HEAD(&ch->signal);
	priv->fence.ch = ch;
	priv->fence.seqno = 1;
	list_add_tail(&priv->fence.node, &ch->pending);
	sundog_sched_note_progress(ch);
	test->priv = priv;
	return 0;
}

static u64 sundog_sched_test_hung_seqno(struct sundog_channel *ch)
{
	unsigned long flags;
	u64 seqno;

	spin_lock_irqsave(&ch->lock, flags);
	seqno = sundog_sched_hung_seqno(ch);
	spin_unlock_irqrestore(&ch->lock, flags);
	return seqno;
}

/* A worker that reports progress may take job_timeout_ms for a job, but no longer. */
static void sundog_sched_test_progress(struct kunit *test)
{
	struct sundog_sched_test *priv = test->priv;
	struct sundog_channel *ch = &priv->ch;

	if (!sundog_timeout_ms || !sundog_job_timeout_ms)
		kunit_skip(test, "jobs have no limit");
	KUNIT_EXPECT_EQ(test, sundog_sched_test_hung_seqno(ch), 0);
	ch->progress_at = jiffies - sundog_sched_timeout();
	KUNIT_EXPECT_EQ(test, sundog_sched_test_hung_seqno(ch), 1);
	priv->status.progress = cpu_to_le64(77);
	KUNIT_EXPECT_EQ(test, sundog_sched_test_hung_seqno(ch), 0);
	ch->progress_at = jiffies - sundog_sched_timeout();
	KUNIT_EXPECT_EQ(test, sundog_sched_test_hung_seqno(ch), 1);
	priv->status.progress = cpu_to_le64(78);
	KUNIT_EXPECT_EQ(test, sundog_sched_test_hung_seqno(ch), 0);
	ch->job_at = jiffies - msecs_to_jiffies(sundog_job_timeout_ms);
	priv->status.progress = cpu_to_le64(79);
	KUNIT_EXPECT_EQ(test, sundog_sched_test_hung_seqno(ch), 1);
	/* A completed seqno beyond the last job is rejected and does not count as progress. */
	priv->status.completed = cpu_to_le64(2);
	KUNIT_EXPECT_EQ(test, sundog_sched_test_hung_seqno(ch), 1);
}

/* A channel that was told to stop has the same limit. */
static void sundog_sched_test_stop(struct kunit *test)
{
	struct sundog_sched_test *priv = test->priv;
	struct sundog_channel *ch = &priv->ch;

	if (!sundog_job_timeout_ms)
		kunit_skip(test, "jobs have no limit");
	sundog_sched_stop_begins(ch);
	KUNIT_EXPECT_FALSE(test, sundog_sched_still_stops(ch));
	priv->status.progress = cpu_to_le64(77);
	KUNIT_EXPECT_TRUE(test, sundog_sched_still_stops(ch));
	KUNIT_EXPECT_FALSE(test, sundog_sched_still_stops(ch));
	priv->status.progress = cpu_to_le64(78);
	ch->stop_at = jiffies - msecs_to_jiffies(sundog_job_timeout_ms);
	KUNIT_EXPECT_FALSE(test, sundog_sched_still_stops(ch));
	priv->status.progress = cpu_to_le64(79);
	ch->stop_at = jiffies;
	ch->stopped = true;
	KUNIT_EXPECT_FALSE(test, sundog_sched_still_stops(ch));
}

static struct kunit_case sundog_sched_test_cases[] = {
	KUNIT_CASE(sundog_sched_test_progress),
	KUNIT_CASE(sundog_sched_test_stop),
	{}
};

static struct kunit_suite sundog_sched_test_suite = {
	.name = "sundog_sched",
	.init = sundog_sched_test_init,
	.test_cases = sundog_sched_test_cases,
};

kunit_test_suite(sundog_sched_test_suite);
