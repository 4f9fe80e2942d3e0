/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Implicit dependencies of a job. */
#ifndef _SUNDOG_DEPS_H_
#define _SUNDOG_DEPS_H_

#include <linux/types.h>

struct dma_fence;
struct sundog_job;

/* Most submissions wait for no more fences. Up to this number, nothing is allocated. */
#define SUNDOG_FEW_DEPS		16

/**
 * struct sundog_deps - fences that a job has to wait for, while SUBMIT collects them
 */
struct sundog_deps {
	/** @job: job that waits */
	struct sundog_job *job;
	/** @fences: fences that were not passed on to @job yet, each with a reference */
	struct dma_fence **fences;
	/** @n: number of fences in @fences */
	u32 n;
	/** @capacity: length of the array @fences */
	u32 capacity;
	/** @few: storage of @fences if that is large enough */
	struct dma_fence *few[SUNDOG_FEW_DEPS];
};

void sundog_deps_init(struct sundog_deps *deps, struct sundog_job *job);
int sundog_deps_add(struct sundog_deps *deps, struct dma_fence *fence);
int sundog_deps_finish(struct sundog_deps *deps);
void sundog_deps_fini(struct sundog_deps *deps);

#endif
