/* SPDX-License-Identifier: MIT */
/* Computes the memory layout of images: see sundog_image_layout.h. The functions are pure and run
 * on any thread. */
#include "sundog_image_layout.h"

#include "util/format/u_format.h"
#include "util/u_math.h"

/* Fills in the pitch and slice size of a level. Returns the bytes of the level. */
static uint64_t
layout_level(const struct sundog_caps *caps, const struct sundog_image_shape *shape, uint32_t level,
             struct sundog_image_level *out)
{
   unsigned width = u_minify(shape->width, level);
   unsigned height = u_minify(shape->height, level);
   uint64_t slices = (uint64_t)u_minify(shape->depth, level) * shape->layers;
   bool compressed = util_format_is_compressed(shape->format);

   if (!compressed) {
      width = align(width, caps->layout_block);
      if (!shape->is_1d)
         height = align(height, caps->layout_block);
   }
   out->pitch = util_format_get_stride(shape->format, width);
   if (shape->page_rows)
      out->pitch = align(out->pitch, SUNDOG_PAGE_SIZE);
   else if (!compressed)
      out->pitch = align(out->pitch, caps->layout_pitch_align);
   out->slice = (uint64_t)out->pitch * util_format_get_nblocksy(shape->format, height);
   return align64(out->slice * slices,
                  shape->page_rows ? SUNDOG_PAGE_SIZE : caps->layout_level_align);
}

uint64_t
sundog_image_layout(const struct sundog_caps *caps, const struct sundog_image_shape *shape,
                    struct sundog_image_level *levels)
{
   uint64_t offset = 0;

   for (uint32_t level = 0; level < shape->levels; level++) {
      if (caps->layout_mip_align)
         offset = align64(offset, caps->layout_mip_align);
      levels[level].offset = offset;
      offset += layout_level(caps, shape, level, &levels[level]);
   }
   /* Each sample is stored as a separate image; they follow one another. */
   return offset * shape->samples;
}
