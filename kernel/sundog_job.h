/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Creation and release of jobs. */
#ifndef _SUNDOG_JOB_H_
#define _SUNDOG_JOB_H_

#include <linux/types.h>

struct dma_fence;
struct drm_file;
struct sundog_context;
struct sundog_job;

struct sundog_job *sundog_job_create(struct sundog_context *ctx, u32 n_list, u32 **flags);
void sundog_job_put(struct sundog_job *job);
int sundog_job_wait_for(struct sundog_job *job, struct dma_fence *fence);
int sundog_job_schedule(struct sundog_job *job, struct drm_file *file);

#endif
