// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Jobs: creation, dependencies and release. SUBMIT creates jobs in the calling process.
 *
 * A job holds TTM references to its allocations, one reference to all PRIVATE allocations of a
 * residency list, and references to its context and the device. Dropping the last reference to one
 * of them may sleep, so jobs are freed outside of the fence signalling path. SUBMIT owns a job
 * until it is queued, so these functions need no lock.
 */

#include <linux/dma-fence-array.h>
#include <linux/dma-fence-chain.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include <drm/drm_file.h>
#include <drm/gpu_scheduler.h>

#include "sundog_bo.h"
#include "sundog_context.h"
#include "sundog_device.h"
#include "sundog_job.h"
#include "sundog_private_list.h"
#include "sundog_sched.h"
#include "sundog_stats.h"

/* The array of fences to wait for grows by this number. */
#define SUNDOG_WAITS_STEP	64

static void sundog_job_free(struct sundog_job *job)
{
	struct sundog_device *sdev = job->sdev;
	u32 i;

	while (job->n_waits)
		dma_fence_put(job->waits[--job->n_waits]);
	kfree(job->waits);
	for (i = 0; i < job->n_bos; i++)
		ttm_bo_fini(&job->bos[i]->tbo);
	if (job->privates)
		sundog_private_list_put(job->privates);
	if (job->snapshot)
		sundog_list_snapshot_put(job->snapshot);
	if (job->fence)
		sundog_hw_fence_free(job->fence);
	sundog_context_put(job->ctx);
	kvfree(job);
	this_cpu_dec(sdev->stats->jobs);
	drm_dev_put(&sdev->drm);
}

/**
 * sundog_job_put() - drop a reference; may sleep
 * @job: job; drm_sched_job_cleanup() comes first for a scheduled job that was never armed
 */
void sundog_job_put(struct sundog_job *job)
{
	if (refcount_dec_and_test(&job->refs))
		sundog_job_free(job);
}

/**
 * sundog_job_create() - allocate a job
 * @ctx: context of the job
 * @n_list: number of allocations that the job may list; there is room for the stream in addition
 * @flags: set to an array with an element for each allocation and the stream, freed with the job
 *
 * Return: a job without allocations and with one reference, or NULL if out of memory.
 */
struct sundog_job *sundog_job_create(struct sundog_context *ctx, u32 n_list, u32 **flags)
{
	struct sundog_job *job;
	size_t size = sizeof(*job);

	size += n_list * sizeof(*job->list);
	size += (n_list + 1) * (sizeof(*job->bos) + sizeof(**flags));
	job = kvzalloc(size, GFP_KERNEL_ACCOUNT);
	if (!job)
		return NULL;
	job->list = (void *)(job + 1);
	job->bos = (void *)(job->list + n_list);
	*flags = (void *)(job->bos + n_list + 1);
	job->fence = sundog_hw_fence_alloc(ctx->ch);
	if (!job->fence) {
		kvfree(job);
		return NULL;
	}
	refcount_set(&job->refs, 1);
	sundog_context_get(ctx);
	job->ctx = ctx;
	job->fence_context = ctx->fence_context;
	job->sdev = ctx->sdev;
	drm_dev_get(&job->sdev->drm);
	this_cpu_inc(job->sdev->stats->jobs);
	return job;
}

/* A fence array or chain keeps all its fences in memory. */
static u32 sundog_job_count_fences(struct dma_fence *fence)
{
	const struct dma_fence_array *array = to_dma_fence_array(dma_fence_chain_contained(fence));

	return array ? array->num_fences : 1;
}

/**
 * sundog_job_wait_for() - add a dependency to a job
 * @job: job that is not armed; it has to be scheduled
 * @fence: fence to wait for; takes over the reference, also on failure
 *
 * Return: 0 or -ENOMEM.
 */
int sundog_job_wait_for(struct sundog_job *job, struct dma_fence *fence)
{
	struct dma_fence **waits = job->waits;

	if (job->n_waits % SUNDOG_WAITS_STEP == 0)
		waits = krealloc_array(waits, job->n_waits + SUNDOG_WAITS_STEP, sizeof(*waits),
				       GFP_KERNEL_ACCOUNT);
	if (!waits) {
		dma_fence_put(fence);
		return -ENOMEM;
	}
	job->waits = waits;
	job->waits[job->n_waits++] = fence;
	job->n_deps += sundog_job_count_fences(fence);
	return 0;
}

/**
 * sundog_job_schedule() - make a job a scheduled one, with its dependencies
 * @job: job that is not armed, and whose credits are known
 * @file: DRM file that submits the job
 *
 * Return: 0 or a negative error code.
 */
int sundog_job_schedule(struct sundog_job *job, struct drm_file *file)
{
	int ret;

	ret = drm_sched_job_init(&job->base, &job->ctx->entity, job->credits, file,
				 file->client_id);
	if (ret)
		return ret;
	job->is_scheduled = true;
	while (!ret && job->n_waits)
		ret = drm_sched_job_add_dependency(&job->base, job->waits[--job->n_waits]);
	return ret;
}
