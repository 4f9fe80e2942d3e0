/* SPDX-License-Identifier: MIT */
#ifndef SDVK_FORMAT_H
#define SDVK_FORMAT_H

#include "sdvk_physical_device.h"

/* What images of @format can be, with any tiling: the host lays them out the same way. */
VkFormatFeatureFlags2
sdvk_format_image_features(const struct sdvk_physical_device *physical, VkFormat format);

/* Features of buffer views and vertex attributes of @format. */
VkFormatFeatureFlags2
sdvk_format_buffer_features(const struct sdvk_physical_device *physical, VkFormat format);

/* All usage that an image, or a view of one, of a format with @features may have. */
VkImageUsageFlags
sdvk_format_usage(VkFormatFeatureFlags2 features);

/* The renderer's format for images and views of @format, which has one plane. */
VkFormat
sdvk_format_host(VkFormat format);

/* The renderer's format for plane @plane of an image of @format. */
VkFormat
sdvk_format_plane(VkFormat format, uint32_t plane);

#endif
