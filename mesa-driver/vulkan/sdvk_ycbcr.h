/* SPDX-License-Identifier: MIT */
#ifndef SDVK_YCBCR_H
#define SDVK_YCBCR_H

#include <stdint.h>

#include "vk_ycbcr_conversion.h"

/* What is read of planes, as Vulkan names them: red is Cr, green Y, and blue Cb. */
#define SDVK_YCBCR_CHANNELS 3

/* A colour is the sum of the columns, each times its channel, and what is constant. */
struct sdvk_ycbcr_transform {
   float columns[SDVK_YCBCR_CHANNELS][4];
   float constant[4];
};

/* All that Vulkan does to what was read: swizzle, range and model. */
struct sdvk_ycbcr_transform
sdvk_ycbcr_transform(const struct vk_ycbcr_conversion_state *conversion);

#endif
