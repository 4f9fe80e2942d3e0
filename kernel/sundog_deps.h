/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef _SUNDOG_DEPS_H_
#define _SUNDOG_DEPS_H_

#include <linux/types.h>

struct dma_fence;
struct sundog_job;

/* As many as most submissions wait for; nothing is allocated for them. */
#define SUNDOG_FEW_DEPS		16

/**
 * struct sundog_deps - fences that a job has to wait for, while they are collected
 */
struct sundog_deps {
	/** @job: the job */
	struct sundog_job *job;
	/** @fences: those that the scheduler was not given yet, each with a reference */
	struct dma_fence **fences;
	/** @n: how many there are */
	u32 n;
	/** @capacity: for how many there is room */
	u32 capacity;
	/** @few: where @fences are if they are not more */
	struct dma_fence *few[SUNDOG_FEW_DEPS];
};

void sundog_deps_init(struct sundog_deps *deps, struct sundog_job *job);
int sundog_deps_add(struct sundog_deps *deps, struct dma_fence *fence);
int sundog_deps_finish(struct sundog_deps *deps);
void sundog_deps_fini(struct sundog_deps *deps);

#endif
