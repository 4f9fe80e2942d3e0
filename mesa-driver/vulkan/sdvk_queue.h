/* SPDX-License-Identifier: MIT */
/*
 * VkQueue: each device has one, which executes submissions in order on one context of
 * libdrm_sundog. The device owns it.
 */
#ifndef SDVK_QUEUE_H
#define SDVK_QUEUE_H

#include <sundog.h>

#include "vk_queue.h"

struct sdvk_device;

struct sdvk_queue {
   struct vk_queue vk;
   struct sdrm_context *ctx;
   struct sdrm_submit *submit; /* guarded by sdvk_objects::lock */
   struct sdrm_fence *last;    /* of the last command buffers, likewise; NULL: there were none */
};

VkResult
sdvk_queue_init(struct sdvk_device *device, const VkDeviceQueueCreateInfo *info);
void
sdvk_queue_fini(struct sdvk_queue *queue);

/* Returns true if submitted command buffers are not completed yet. */
bool
sdvk_queue_is_busy(struct sdvk_device *device);

/*
 * Submits pending packets of objects, if there are any. Returns a fence in @out, unless it is NULL:
 * behind it all objects exist that were created before the call. The caller owns it; NULL: nothing
 * was ever submitted.
 */
VkResult
sdvk_queue_submit_pending(struct sdvk_device *device, struct sdrm_fence **out);

#endif
