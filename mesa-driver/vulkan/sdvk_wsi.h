/* SPDX-License-Identifier: MIT */
/*
 * Window systems: presentation through Mesa's common WSI code. The physical device owns its state.
 */
#ifndef SDVK_WSI_H
#define SDVK_WSI_H

#include "vulkan/vulkan_core.h"

struct sdvk_physical_device;

/*
 * Sets up presentation to windows, and to displays if the program enables VK_KHR_display. Images
 * are linear; without a DRM device the CPU copies them. @primary: the primary node of the displays,
 * or NULL.
 */
VkResult
sdvk_wsi_init(struct sdvk_physical_device *physical, const char *primary);
void
sdvk_wsi_fini(struct sdvk_physical_device *physical);

#endif
