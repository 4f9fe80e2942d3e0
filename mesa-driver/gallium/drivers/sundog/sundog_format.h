/* SPDX-License-Identifier: MIT */
/* Formats: the mapping from Gallium to Vulkan formats, and the device's support for them. */
#ifndef SUNDOG_FORMAT_H
#define SUNDOG_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

#include "pipe/p_defines.h"
#include "util/format/u_formats.h"
#include "vulkan/vulkan_core.h"

struct pipe_screen;
struct sdog_screen;

/* Returns VK_FORMAT_UNDEFINED if @format has no equivalent. */
VkFormat
sdog_vk_format(enum pipe_format format);

/* Returns the SUNDOG_FORMAT_FEATURE_* mask of @format, or 0 if the device does not support it. */
uint32_t
sdog_format_features(const struct sdog_screen *screen, enum pipe_format format);

/* Returns true if @format is stored with an alpha channel that the API must not see. */
bool
sdog_format_hides_alpha(enum pipe_format format);

/* A swizzle: four PIPE_SWIZZLE_* values of three bits each. */
#define SDOG_SWIZZLE(r, g, b, a) ((r) | (g) << 3 | (b) << 6 | (a) << 9)
#define SDOG_SWIZZLE_NONE                                                                          \
   SDOG_SWIZZLE(PIPE_SWIZZLE_X, PIPE_SWIZZLE_Y, PIPE_SWIZZLE_Z, PIPE_SWIZZLE_W)

/* Return the device's format for texels of a buffer, and the swizzle that converts them to the GL
 * format: the device has no luminance, intensity or alpha-only formats. */
enum pipe_format
sdog_texel_format(enum pipe_format format);
uint16_t
sdog_texel_swizzle(enum pipe_format format);

/* Returns the SUNDOG_ASPECT_* mask of @format. */
uint32_t
sdog_format_aspects(enum pipe_format format);

void
sdog_init_format_functions(struct pipe_screen *pscreen);

#endif
