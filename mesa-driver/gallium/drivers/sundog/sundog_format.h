/* SPDX-License-Identifier: MIT */
/* Formats: from Gallium's to Vulkan's, and what the device can do with them. */
#ifndef SUNDOG_FORMAT_H
#define SUNDOG_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

#include "pipe/p_defines.h"
#include "util/format/u_formats.h"
#include "vulkan/vulkan_core.h"

struct pipe_screen;
struct sdog_screen;

/* VK_FORMAT_UNDEFINED where there is none. */
VkFormat
sdog_vk_format(enum pipe_format format);

/* SUNDOG_FORMAT_FEATURE_* bits of a format, 0 if the device does not know it. */
uint32_t
sdog_format_features(const struct sdog_screen *screen, enum pipe_format format);

/* Stored with an alpha channel that the API must not see. */
bool
sdog_format_hides_alpha(enum pipe_format format);

/* A swizzle in four times three bits of PIPE_SWIZZLE_*. */
#define SDOG_SWIZZLE(r, g, b, a) ((r) | (g) << 3 | (b) << 6 | (a) << 9)
#define SDOG_SWIZZLE_NONE                                                                          \
   SDOG_SWIZZLE(PIPE_SWIZZLE_X, PIPE_SWIZZLE_Y, PIPE_SWIZZLE_Z, PIPE_SWIZZLE_W)

/* What texels of a buffer are on the device, and the swizzle that makes them what they are in GL:
 * there is no luminance, intensity or alpha alone. */
enum pipe_format
sdog_texel_format(enum pipe_format format);
uint16_t
sdog_texel_swizzle(enum pipe_format format);

/* SUNDOG_ASPECT_* bits of a format. */
uint32_t
sdog_format_aspects(enum pipe_format format);

void
sdog_init_format_functions(struct pipe_screen *pscreen);

#endif
