/* SPDX-License-Identifier: MIT */
/* Device loss: detection, and the report of its cause (VK_EXT_device_fault). Calls need no lock. */
#ifndef SDVK_FAULT_H
#define SDVK_FAULT_H

#include <vulkan/vulkan_core.h>

struct sdvk_device;
struct vk_device;

/* vk_device::check_status: returns VK_ERROR_DEVICE_LOST if the context of the queue is lost. */
VkResult
sdvk_check_status(struct vk_device *vk);

/* Marks the device as lost, with the cause as message. Returns VK_ERROR_DEVICE_LOST. */
VkResult
sdvk_device_lost(struct sdvk_device *device);

#endif
