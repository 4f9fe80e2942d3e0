/* SPDX-License-Identifier: MIT */
/* Where the texels of an image are: the device's layout rule, done on the CPU. */
#ifndef SUNDOG_IMAGE_LAYOUT_H
#define SUNDOG_IMAGE_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include <sundog.h>

#include "util/format/u_formats.h"

/* What the place of texels depends on. */
struct sundog_image_shape {
   enum pipe_format format;
   bool is_1d;
   uint32_t width, height, depth; /* texels of level 0 */
   uint32_t layers;               /* faces of cubes count, each */
   uint32_t levels, samples;
};

/* Bytes: from the image's start, from row to row, from layer or slice to the next. */
struct sundog_image_level {
   uint64_t offset;
   uint32_t pitch;
   uint64_t slice;
};

/* Fill in @levels, as many as the shape has; returns the bytes of the image. */
uint64_t
sundog_image_layout(const struct sundog_caps *caps, const struct sundog_image_shape *shape,
                    struct sundog_image_level *levels);

#endif
