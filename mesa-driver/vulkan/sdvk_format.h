/* SPDX-License-Identifier: MIT */
#ifndef SDVK_FORMAT_H
#define SDVK_FORMAT_H

#include "sdvk_physical_device.h"

/* What images of @format can be, with any tiling: the host lays them out the same way. */
VkFormatFeatureFlags2
sdvk_format_image_features(const struct sdvk_physical_device *physical, VkFormat format);

/* What plane @plane of an image of @format is an image of. */
VkFormat
sdvk_format_plane(VkFormat format, uint32_t plane);

#endif
