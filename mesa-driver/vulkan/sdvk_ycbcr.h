/* SPDX-License-Identifier: MIT */
/* Y'CbCr conversion as an affine transform, for sdvk_spirv_ycbcr.c. */
#ifndef SDVK_YCBCR_H
#define SDVK_YCBCR_H

#include <stdint.h>

#include "vk_ycbcr_conversion.h"

/* Channels of a sample: red is Cr, green Y, blue Cb, as in Vulkan. */
#define SDVK_YCBCR_CHANNELS 3

/* A colour is the sum of each column times its channel, and of the constant. */
struct sdvk_ycbcr_transform {
   float columns[SDVK_YCBCR_CHANNELS][4];
   float constant[4];
};

/* Returns the transform for the conversion's swizzle, range and model together. */
struct sdvk_ycbcr_transform
sdvk_ycbcr_transform(const struct vk_ycbcr_conversion_state *conversion);

#endif
