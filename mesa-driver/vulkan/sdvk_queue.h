/* SPDX-License-Identifier: MIT */
#ifndef SDVK_QUEUE_H
#define SDVK_QUEUE_H

#include <sundog.h>

#include "vk_queue.h"

struct sdvk_device;

struct sdvk_queue {
   struct vk_queue vk;
   struct sundog_context *ctx;
   struct sundog_submit *submit; /* under the lock of objects */
};

VkResult
sdvk_queue_init(struct sdvk_device *device, const VkDeviceQueueCreateInfo *info);
void
sdvk_queue_fini(struct sdvk_queue *queue);

/* Submit the packets of objects that wait for a submission, if any. */
VkResult
sdvk_queue_submit_pending(struct sdvk_device *device);

#endif
