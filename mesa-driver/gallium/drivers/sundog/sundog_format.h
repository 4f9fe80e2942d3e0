/* SPDX-License-Identifier: MIT */
/* Formats: from Gallium's to Vulkan's, and what the device can do with them. */
#ifndef SUNDOG_FORMAT_H
#define SUNDOG_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

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

/* SUNDOG_ASPECT_* bits of a format. */
uint32_t
sdog_format_aspects(enum pipe_format format);

void
sdog_init_format_functions(struct pipe_screen *pscreen);

#endif
