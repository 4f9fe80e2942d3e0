/* SPDX-License-Identifier: MIT */
/* The memory layout of images: computes on the CPU, from the parameters in sundog_caps, the offsets
 * and pitches that the device uses. Called by the Gallium and the Vulkan driver. */
#ifndef SUNDOG_IMAGE_LAYOUT_H
#define SUNDOG_IMAGE_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include <sundog.h>

#include "util/format/u_formats.h"

/* The properties of an image that determine its layout. */
struct sundog_image_shape {
   enum pipe_format format;
   bool is_1d;
   uint32_t width, height, depth; /* level 0, in texels */
   uint32_t layers;               /* array layers; each cube face is one */
   uint32_t levels, samples;
   bool page_rows;                /* rows begin at multiples of pages (image_flag PAGE_ROWS) */
};

/* All in bytes: @offset from the start of the image, @pitch between rows (of blocks, for compressed
 * formats), @slice between array layers or depth slices. */
struct sundog_image_level {
   uint64_t offset;
   uint32_t pitch;
   uint64_t slice;
};

/* Fills in @levels, an array of @shape->levels elements. Returns the size of the image in bytes. */
uint64_t
sundog_image_layout(const struct sundog_caps *caps, const struct sundog_image_shape *shape,
                    struct sundog_image_level *levels);

#endif
