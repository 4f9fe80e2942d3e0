// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Implicit dependencies of a job, reduced before drm_sched gets them.
 *
 * drm_sched compares each fence that it gets with all that it has. With fences of thousands of
 * contexts a job would take minutes, with all its allocations locked. Here fences are collected and
 * sorted from time to time, to keep the last one of each context. If many are left, they become one
 * dma_fence_array. drm_sched sees few fences, however many other clients have added.
 *
 * SUBMIT calls these functions with the dma_resv of its allocations locked. A struct sundog_deps
 * belongs to one call and needs no lock.
 */

#include <linux/dma-fence-array.h>
#include <linux/dma-fence-unwrap.h>
#include <linux/slab.h>

#include "sundog_deps.h"
#include "sundog_device.h"
#include "sundog_job.h"
#include "sundog_sched.h"
#include "sundog_stats.h"

/* Number of fences that become one dma_fence_array; their array has the size of a page. */
#define SUNDOG_MANY_DEPS	512

/**
 * sundog_deps_init() - start to collect the dependencies of a job
 * @deps: set of fences, initialised by this function
 * @job: job that is not armed
 */
void sundog_deps_init(struct sundog_deps *deps, struct sundog_job *job)
{
	deps->job = job;
	deps->fences = deps->few;
	deps->n = 0;
	deps->capacity = SUNDOG_FEW_DEPS;
}

/* Takes over the reference to @fence. */
static int sundog_deps_give(struct sundog_deps *deps, struct dma_fence *fence)
{
	this_cpu_inc(deps->job->sdev->stats->waits);
	return sundog_job_wait_for(deps->job, fence);
}

static int sundog_deps_grow(struct sundog_deps *deps)
{
	struct dma_fence **fences = kmalloc_array(SUNDOG_MANY_DEPS, sizeof(*fences),
						  GFP_KERNEL_ACCOUNT);

	if (!fences)
		return -ENOMEM;
	memcpy(fences, deps->few, deps->n * sizeof(*fences));
	deps->fences = fences;
	deps->capacity = SUNDOG_MANY_DEPS;
	return 0;
}

/* Joins all fences into one. A job keeps that for long, so the copied array has no spare room. */
static int sundog_deps_join(struct sundog_deps *deps)
{
	struct dma_fence **fences;
	struct dma_fence_array *array;
	const u32 n = deps->n;

	fences = kmemdup(deps->fences, n * sizeof(*fences), GFP_KERNEL_ACCOUNT);
	if (!fences)
		return -ENOMEM;
	array = dma_fence_array_create(n, fences, dma_fence_context_alloc(1), 1);
	if (!array) {
		kfree(fences);
		return -ENOMEM;
	}
	deps->n = 0;
	return sundog_deps_give(deps, &array->base);
}

static int sundog_deps_compact(struct sundog_deps *deps)
{
	deps->n = dma_fence_dedup_array(deps->fences, deps->n);
	if (deps->n <= deps->capacity / 2)
		return 0;
	return deps->fences == deps->few ? sundog_deps_grow(deps) : sundog_deps_join(deps);
}

/**
 * sundog_deps_add() - add a fence
 * @deps: set of fences
 * @fence: fence of a dma_resv, so not an array or a chain
 *
 * Return: 0 or -ENOMEM.
 */
int sundog_deps_add(struct sundog_deps *deps, struct dma_fence *fence)
{
	int ret = deps->n < deps->capacity ? 0 : sundog_deps_compact(deps);

	if (!ret)
		deps->fences[deps->n++] = dma_fence_get(fence);
	return ret;
}

/**
 * sundog_deps_finish() - pass all remaining fences on to the job
 * @deps: set of fences
 *
 * Return: 0 or -ENOMEM.
 */
int sundog_deps_finish(struct sundog_deps *deps)
{
	int ret = 0;

	deps->n = dma_fence_dedup_array(deps->fences, deps->n);
	if (deps->n > SUNDOG_FEW_DEPS)
		return sundog_deps_join(deps);
	while (!ret && deps->n)
		ret = sundog_deps_give(deps, deps->fences[--deps->n]);
	return ret;
}

/**
 * sundog_deps_fini() - drop the fences that were not passed on to the job
 * @deps: set of fences
 */
void sundog_deps_fini(struct sundog_deps *deps)
{
	while (deps->n)
		dma_fence_put(deps->fences[--deps->n]);
	if (deps->fences != deps->few)
		kfree(deps->fences);
}
