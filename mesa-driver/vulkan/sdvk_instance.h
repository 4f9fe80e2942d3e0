/* SPDX-License-Identifier: MIT */
/* VkInstance; it adds nothing to Mesa's. sdvk_instance.c owns it. */
#ifndef SDVK_INSTANCE_H
#define SDVK_INSTANCE_H

#include "vk_instance.h"

#define SDVK_API_VERSION VK_MAKE_API_VERSION(0, 1, 4, VK_HEADER_VERSION)

struct sdvk_instance {
   struct vk_instance vk;
};

VK_DEFINE_HANDLE_CASTS(sdvk_instance, vk.base, VkInstance, VK_OBJECT_TYPE_INSTANCE)

#endif
