/* SPDX-License-Identifier: MIT */
/* The loss of a device: how it is noticed, and what programs are told of it (VK_EXT_device_fault). */
#ifndef SDVK_FAULT_H
#define SDVK_FAULT_H

#include <vulkan/vulkan_core.h>

struct sdvk_device;
struct vk_device;

/* Of struct vk_device: has the device taken no more work since it was asked last? */
VkResult
sdvk_check_status(struct vk_device *vk);

/* It has not, as somebody found out: VK_ERROR_DEVICE_LOST. */
VkResult
sdvk_device_lost(struct sdvk_device *device);

#endif
