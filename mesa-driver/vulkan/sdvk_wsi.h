/* SPDX-License-Identifier: MIT */
#ifndef SDVK_WSI_H
#define SDVK_WSI_H

#include "vulkan/vulkan_core.h"

struct sdvk_physical_device;

/*
 * Presentation by Mesa's window systems, which copy linear images that the CPU maps; and to displays, if the program
 * asks for that. @primary: the node of those, or NULL.
 */
VkResult
sdvk_wsi_init(struct sdvk_physical_device *physical, const char *primary);
void
sdvk_wsi_fini(struct sdvk_physical_device *physical);

#endif
