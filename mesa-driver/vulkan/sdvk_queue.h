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
struct sdvk_stream;

struct sdvk_queue {
   struct vk_queue vk;
   struct sdrm_context *ctx;
   struct sdrm_submit *submit; /* guarded by sdvk_objects::lock */
};

VkResult
sdvk_queue_init(struct sdvk_device *device, const VkDeviceQueueCreateInfo *info);
void
sdvk_queue_fini(struct sdvk_queue *queue);

/* Submits pending packets of objects, if there are any. */
VkResult
sdvk_queue_submit_pending(struct sdvk_device *device);

/*
 * Submits the packets of @stream behind all pending ones, which get a submission of their own.
 * Returns the fence in @out on success.
 */
VkResult
sdvk_queue_submit_reports(struct sdvk_device *device, const struct sdvk_stream *stream,
                          struct sdrm_fence **out);

#endif
