// SPDX-License-Identifier: MIT
/*
 * Submission to the host, see submitter.h: by the main thread, or by the submitter thread, which is
 * submitter_main().
 */
#include "exec/submitter.h"

#include <unistd.h>

#include "exec/exec.h"
#include "ipc/log.h"

static VkResult submit(const struct vk *vk, const struct submission *s)
{
	VkCommandBufferSubmitInfo cmds[2] = { 0 };
	const VkSemaphoreSubmitInfo signal = {
		.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO, .semaphore = s->timeline,
		.value = s->value, .stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
	};
	const VkSubmitInfo2 info = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
		.commandBufferInfoCount = s->n_cmds, .pCommandBufferInfos = cmds,
		.signalSemaphoreInfoCount = s->timeline ? 1 : 0, .pSignalSemaphoreInfos = &signal,
	};

	for (uint32_t i = 0; i < s->n_cmds; i++) {
		cmds[i].sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO;
		cmds[i].commandBuffer = s->cmds[i];
	}
	return vk->QueueSubmit2(vk->queue, 1, &info, VK_NULL_HANDLE);
}

/* Returns the decayed maximum: between fast submissions another slow one may come. */
static uint64_t slowest_of_late(uint64_t before, uint64_t took_ns)
{
	before -= before / 8;
	return took_ns > before ? took_ns : before;
}

/*
 * Takes part in the host's work while there is nothing to submit; drops sub->lock meanwhile.
 * Returns false if there is no work and no submission.
 */
static bool take_part(struct exec *x)
{
	struct submitter *sub = &x->submitter;
	bool more;

	if (!x->vk.lavapipe.queue_take_part)
		return false;
	pthread_mutex_unlock(&sub->lock);
	more = x->vk.lavapipe.queue_take_part(x->vk.queue, TAKE_PART_NS);
	pthread_mutex_lock(&sub->lock);
	return more || sub->head != sub->tail;
}

/*
 * Records how long the main thread took. If that was long, the main thread takes no part any more,
 * and this wakes the submitter thread to do so.
 */
static void note_time(struct submitter *sub, uint64_t took_ns)
{
	pthread_mutex_lock(&sub->lock);
	sub->took_ns = slowest_of_late(sub->took_ns, took_ns);
	if (sub->took_ns >= SLOW_SUBMISSION_NS)
		pthread_cond_signal(&sub->more);
	pthread_mutex_unlock(&sub->lock);
}

static void *submitter_main(void *arg)
{
	struct exec *x = arg;
	struct submitter *sub = &x->submitter;
	uint64_t start;

	pthread_mutex_lock(&sub->lock);
	for (;;) {
		while (sub->head == sub->tail)
			if (!take_part(x))
				pthread_cond_wait(&sub->more, &sub->lock);
		pthread_mutex_unlock(&sub->lock);
		start = now_ns();
		if (submit(&x->vk, &sub->queue[sub->tail % MAX_SUBMISSIONS]) != VK_SUCCESS) {
			/* The broker reports the end of the worker to all channels. */
			log_error("vkQueueSubmit2() failed, ending the worker");
			_exit(1);
		}
		pthread_mutex_lock(&sub->lock);
		sub->took_ns = slowest_of_late(sub->took_ns, now_ns() - start);
		sub->tail++;
	}
	return NULL;
}

bool submitter_init(struct exec *x)
{
	struct submitter *sub = &x->submitter;

	pthread_mutex_init(&sub->lock, NULL);
	pthread_cond_init(&sub->more, NULL);
	return !pthread_create(&sub->thread, NULL, submitter_main, x);
}

VkResult submitter_submit(struct exec *x, const struct submission *s)
{
	struct submitter *sub = &x->submitter;
	uint64_t start;
	VkResult r;
	bool here;

	pthread_mutex_lock(&sub->lock);
	here = sub->head == sub->tail && sub->took_ns < SLOW_SUBMISSION_NS && !s->is_long;
	if (!here) {
		sub->queue[sub->head++ % MAX_SUBMISSIONS] = *s;
		pthread_cond_signal(&sub->more);
	}
	pthread_mutex_unlock(&sub->lock);
	if (!here)
		return VK_SUCCESS;
	start = now_ns();
	/* Our lavapipe executes a part of the submission in this call. */
	sub->main_runs = x->vk.lavapipe.queue_take_part;
	r = submit(&x->vk, s);
	sub->main_runs = false;
	note_time(sub, now_ns() - start);
	return r;
}

bool submitter_take_part(struct exec *x)
{
	struct submitter *sub = &x->submitter;
	uint64_t took;
	bool more;

	if (!x->vk.lavapipe.queue_take_part)
		return false;
	pthread_mutex_lock(&sub->lock);
	more = sub->took_ns < SLOW_SUBMISSION_NS;
	pthread_mutex_unlock(&sub->lock);
	if (!more)
		return false;
	took = now_ns();
	sub->main_runs = true;
	more = x->vk.lavapipe.queue_take_part(x->vk.queue, TAKE_PART_NS);
	sub->main_runs = false;
	took = now_ns() - took;
	if (took >= TAKE_PART_NS + SLOW_SUBMISSION_NS)
		note_time(sub, took);
	return more;
}
