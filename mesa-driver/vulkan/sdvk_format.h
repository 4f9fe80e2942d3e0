/* SPDX-License-Identifier: MIT */
/*
 * Format features of the physical device, and the renderer's formats for formats of Vulkan. The
 * functions are pure.
 */
#ifndef SDVK_FORMAT_H
#define SDVK_FORMAT_H

#include "sdvk_physical_device.h"

/*
 * Returns features of images of @format, the same for each tiling: the host lays out all of them
 * linearly.
 */
VkFormatFeatureFlags2
sdvk_format_image_features(const struct sdvk_physical_device *physical, VkFormat format);

/* Returns features of buffer views and vertex attributes of @format. */
VkFormatFeatureFlags2
sdvk_format_buffer_features(const struct sdvk_physical_device *physical, VkFormat format);

/* Returns all usage bits that an image or a view may have whose format has @features. */
VkImageUsageFlags
sdvk_format_usage(VkFormatFeatureFlags2 features);

/* Returns the renderer's format for images and views of the single-plane format @format. */
VkFormat
sdvk_format_host(VkFormat format);

/*
 * Returns the number of @format in a packet and in the capability block; not below
 * SUNDOG_NUM_FORMATS if it has none.
 */
uint32_t
sdvk_format_number(VkFormat format);

/* Returns the renderer's format for plane @plane of an image of @format. */
VkFormat
sdvk_format_plane(VkFormat format, uint32_t plane);

#endif
