// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Writeback connectors: the device writes the frame of a commit to a framebuffer.
 *
 * The CRTC queues jobs in atomic commits, with &sundog_head.commit_lock held. The display interrupt
 * completes them; &sundog_head.lock protects the list of jobs.
 *
 * A job is queued before the COMMIT that requests its frame. The device latches no other commit
 * until the frame is written, so there are at most two jobs: one in progress, and the next one.
 * WRITEBACK_DONE has the token of the last commit whose frame was written; the display interrupt
 * reports a change. Jobs that remain when the head is off or the device was pulled out fail. All
 * jobs end before the device is unplugged, and new ones fail at once. Otherwise a thread with
 * mode-setting locks might wait for the fence of a job.
 *
 * A framebuffer is pinned in VRAM from before its commit until the cleanup of the job. The core
 * cleans up on a system work queue, which drivers must not flush. The driver therefore counts jobs,
 * and waits until the count is 0.
 */

#include <linux/array_size.h>
#include <linux/atomic.h>
#include <linux/container_of.h>
#include <linux/iopoll.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/wait_bit.h>

#include <drm/drm_atomic.h>
#include <drm/drm_atomic_helper.h>
#include <drm/drm_atomic_state_helper.h>
#include <drm/drm_crtc.h>
#include <drm/drm_drv.h>
#include <drm/drm_edid.h>
#include <drm/drm_fourcc.h>
#include <drm/drm_framebuffer.h>
#include <drm/drm_mode_config.h>
#include <drm/drm_modeset_helper_vtables.h>
#include <drm/drm_print.h>
#include <drm/drm_probe_helper.h>
#include <drm/drm_writeback.h>

#include "sundog_device.h"
#include "sundog_head.h"
#include "sundog_writeback.h"

static const u32 sundog_writeback_formats[] = {
	DRM_FORMAT_XRGB8888,
	DRM_FORMAT_ARGB8888,
};

/**
 * struct sundog_writeback_job - &drm_writeback_job.priv
 */
struct sundog_writeback_job {
	/** @node: in &sundog_head.writeback_jobs until completion; under &sundog_head.lock */
	struct list_head node;
	/** @token: low 32 bits of the token of the commit whose frame is written */
	u32 token;
};

static struct sundog_head *to_head(struct drm_writeback_connector *writeback)
{
	return container_of(writeback, struct sundog_head, writeback);
}

/* The registers of writeback are new in protocol 5.1. */
static bool sundog_head_has_writeback(const struct sundog_head *head)
{
	return sundog_device_has_minor(head->sdev, 1);
}

static int sundog_writeback_get_modes(struct drm_connector *connector)
{
	const struct drm_mode_config *config = &connector->dev->mode_config;

	return drm_add_modes_noedid(connector, config->max_width, config->max_height);
}

/* The core ensures that a job has a framebuffer and an active CRTC. */
static int sundog_writeback_atomic_check(struct drm_connector *connector,
					 struct drm_atomic_commit *state)
{
	const struct drm_connector_state *conn_state =
		drm_atomic_get_new_connector_state(state, connector);
	const struct drm_writeback_job *job = conn_state->writeback_job;
	const struct drm_crtc_state *crtc_state;

	if (!job)
		return 0;
	crtc_state = drm_atomic_get_new_crtc_state(state, conn_state->crtc);
	if (job->fb->width != crtc_state->mode.hdisplay ||
	    job->fb->height != crtc_state->mode.vdisplay)
		return -EINVAL;
	return drm_atomic_helper_check_wb_connector_state(connector, state);
}

static int sundog_writeback_prepare_job(struct drm_writeback_connector *writeback,
					struct drm_writeback_job *job)
{
	struct sundog_writeback_job *sjob = kzalloc_obj(*sjob, GFP_KERNEL);
	int ret;

	if (!sjob)
		return -ENOMEM;
	ret = sundog_fb_pin(job->fb, true);
	if (ret) {
		kfree(sjob);
		return ret;
	}
	job->priv = sjob;
	atomic_inc(&to_head(writeback)->n_writeback_jobs);
	return 0;
}

/*
 * Drops the core's reference to the framebuffer, which the core would drop afterwards:
 * sundog_writeback_wait() waits for this function only.
 */
static void sundog_writeback_cleanup_job(struct drm_writeback_connector *writeback,
					 struct drm_writeback_job *job)
{
	atomic_t *n_jobs = &to_head(writeback)->n_writeback_jobs;

	kfree(job->priv);
	sundog_fb_unpin(job->fb);
	drm_framebuffer_put(job->fb);
	job->fb = NULL;
	if (atomic_dec_and_test(n_jobs))
		wake_up_var(n_jobs);
}

static void sundog_writeback_write(struct sundog_head *head, struct drm_framebuffer *fb)
{
	const unsigned int i = head->index;

	sundog_write(head->sdev, SUNDOG_REG_WRITEBACK_PITCH(i), fb->pitches[0]);
	sundog_write64(head->sdev, SUNDOG_REG_WRITEBACK_OFFSET(i), sundog_fb_vram_offset(fb, 0));
	sundog_write(head->sdev, SUNDOG_REG_WRITEBACK_FORMAT(i), fb->format->format);
}

/**
 * sundog_writeback_off() - request no frame with the next commit
 * @head: head; the caller is inside drm_dev_enter()
 */
void sundog_writeback_off(struct sundog_head *head)
{
	if (sundog_head_has_writeback(head))
		sundog_write(head->sdev, SUNDOG_REG_WRITEBACK_FORMAT(head->index), 0);
}

/* Completes all jobs up to the commit of @token. @status is 0 or a negative error code. */
static void sundog_writeback_end_jobs(struct sundog_head *head, u32 token, int status)
{
	struct sundog_writeback_job *sjob, *next;

	lockdep_assert_held(&head->lock);
	list_for_each_entry_safe(sjob, next, &head->writeback_jobs, node) {
		if ((s32)(token - sjob->token) < 0)
			break;
		list_del(&sjob->node);
		/* Completes the core's first job, which is this one. @sjob may be freed at once. */
		drm_writeback_signal_completion(&head->writeback, status);
	}
}

/**
 * sundog_writeback_queue() - queue the writeback job of a commit, if it has one
 * @head: head; the caller holds @commit_lock until it writes COMMIT
 * @state: state to be committed
 *
 * If the device is about to be unplugged, the job fails at once with -ENODEV.
 */
void sundog_writeback_queue(struct sundog_head *head, struct drm_atomic_commit *state)
{
	struct drm_connector_state *conn_state;
	struct sundog_writeback_job *sjob;
	struct drm_writeback_job *job;
	unsigned long flags;
	bool fails = true;
	int idx;

	lockdep_assert_held(&head->commit_lock);
	if (!sundog_head_has_writeback(head))
		return;
	conn_state = drm_atomic_get_new_connector_state(state, &head->writeback.base);
	if (!conn_state || !conn_state->writeback_job)
		return;
	job = conn_state->writeback_job;
	sjob = job->priv;
	/* The caller writes this token next; @commit_lock excludes other commits. */
	sjob->token = lower_32_bits(head->token + 1);
	if (!head->writeback_ended && drm_dev_enter(head->crtc.dev, &idx)) {
		sundog_writeback_write(head, job->fb);
		drm_dev_exit(idx);
		fails = false;
	}
	spin_lock_irqsave(&head->lock, flags);
	list_add_tail(&sjob->node, &head->writeback_jobs);
	drm_writeback_queue_job(&head->writeback, conn_state);
	if (fails)
		sundog_writeback_end_jobs(head, sjob->token, -ENODEV);
	spin_unlock_irqrestore(&head->lock, flags);
}

/**
 * sundog_writeback_done() - complete the jobs whose frames are written
 * @head: head
 *
 * Called from the display interrupt, and by waits that poll.
 */
void sundog_writeback_done(struct sundog_head *head)
{
	unsigned long flags;
	int idx;

	if (!sundog_head_has_writeback(head) || !drm_dev_enter(head->crtc.dev, &idx))
		return;
	spin_lock_irqsave(&head->lock, flags);
	sundog_writeback_end_jobs(head, sundog_read(head->sdev,
						    SUNDOG_REG_WRITEBACK_DONE(head->index)), 0);
	spin_unlock_irqrestore(&head->lock, flags);
	drm_dev_exit(idx);
}

/* Also returns true if the device is unplugged or was pulled out: then it writes no frames. */
static bool sundog_writeback_is_over(struct sundog_head *head)
{
	bool is_gone = true;
	int idx;

	if (!sundog_head_is_writing(head))
		return true;
	if (drm_dev_enter(head->crtc.dev, &idx)) {
		is_gone = !sundog_device_is_present(head->sdev);
		drm_dev_exit(idx);
	}
	sundog_writeback_done(head);
	return is_gone || !sundog_head_is_writing(head);
}

/**
 * sundog_writeback_finish() - wait until the device has written all frames
 * @head: head that is about to be disabled; the caller is outside of drm_dev_enter()
 *
 * A head that is off does not complete its frame. The caller may hold mode-setting locks. The wait
 * therefore ends after SUNDOG_LATCH_TIMEOUT_US, and if the device is unplugged or does not respond.
 */
void sundog_writeback_finish(struct sundog_head *head)
{
	bool is_over;

	if (read_poll_timeout(sundog_writeback_is_over, is_over, is_over, 500,
			      SUNDOG_LATCH_TIMEOUT_US, false, head))
		drm_err(head->crtc.dev, "head %u: a frame was not written in %ld s\n",
			head->index, SUNDOG_LATCH_TIMEOUT_US / USEC_PER_SEC);
}

/**
 * sundog_writeback_cancel() - fail all jobs with -ENODEV
 * @head: head that writes no more frames: it is off, or its device is about to be unplugged
 */
void sundog_writeback_cancel(struct sundog_head *head)
{
	unsigned long flags;

	spin_lock_irqsave(&head->lock, flags);
	sundog_writeback_end_jobs(head, lower_32_bits(head->token + 1), -ENODEV);
	spin_unlock_irqrestore(&head->lock, flags);
}

/**
 * sundog_writeback_end() - wait for all jobs or fail them, and fail new jobs at once
 * @head: head of a device that is about to be unplugged
 */
void sundog_writeback_end(struct sundog_head *head)
{
	mutex_lock(&head->commit_lock);
	head->writeback_ended = true;
	mutex_unlock(&head->commit_lock);
	sundog_writeback_finish(head);
	sundog_writeback_cancel(head);
}

/**
 * sundog_writeback_wait() - wait until all jobs are cleaned up
 * @head: head whose jobs have all completed
 */
void sundog_writeback_wait(struct sundog_head *head)
{
	wait_var_event(&head->n_writeback_jobs, !atomic_read(&head->n_writeback_jobs));
}

static const struct drm_connector_helper_funcs sundog_writeback_helpers = {
	.get_modes = sundog_writeback_get_modes,
	.atomic_check = sundog_writeback_atomic_check,
	.prepare_writeback_job = sundog_writeback_prepare_job,
	.cleanup_writeback_job = sundog_writeback_cleanup_job,
};

static const struct drm_connector_funcs sundog_writeback_funcs = {
	.reset = drm_atomic_helper_connector_reset,
	.destroy = drm_connector_cleanup,
	.fill_modes = drm_helper_probe_single_connector_modes,
	.atomic_duplicate_state = drm_atomic_helper_connector_duplicate_state,
	.atomic_destroy_state = drm_atomic_helper_connector_destroy_state,
};

/**
 * sundog_writeback_init() - set up the writeback connector
 * @head: head with an initialised CRTC and encoder
 *
 * The connector works alone and as a clone of the head's other connector.
 *
 * Return: 0 or a negative error code.
 */
int sundog_writeback_init(struct sundog_head *head)
{
	struct drm_writeback_connector *writeback = &head->writeback;
	u32 clones;
	int ret;

	INIT_LIST_HEAD(&head->writeback_jobs);
	if (!sundog_head_has_writeback(head))
		return 0;
	drm_connector_helper_add(&writeback->base, &sundog_writeback_helpers);
	ret = drm_writeback_connector_init(&head->sdev->drm, writeback, &sundog_writeback_funcs,
					   NULL, sundog_writeback_formats,
					   ARRAY_SIZE(sundog_writeback_formats),
					   drm_crtc_mask(&head->crtc));
	if (ret)
		return ret;
	clones = drm_encoder_mask(&head->encoder) | drm_encoder_mask(&writeback->encoder);
	head->encoder.possible_clones = clones;
	writeback->encoder.possible_clones = clones;
	return 0;
}
