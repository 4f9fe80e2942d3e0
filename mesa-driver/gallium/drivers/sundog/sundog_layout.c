/* SPDX-License-Identifier: MIT */
#include "sundog_layout.h"

#include "sundog_resource.h"

#include "util/format/u_format.h"
#include "util/u_math.h"

unsigned
sdog_level_layers(const struct pipe_resource *prsc, unsigned level)
{
   return prsc->target == PIPE_TEXTURE_3D ? u_minify(prsc->depth0, level) : prsc->array_size;
}

static bool
is_1d(const struct pipe_resource *prsc)
{
   return prsc->target == PIPE_TEXTURE_1D || prsc->target == PIPE_TEXTURE_1D_ARRAY;
}

static uint64_t
layout_level(const struct sundog_caps *caps, const struct pipe_resource *prsc, unsigned level,
             struct sdog_level *out)
{
   unsigned width = u_minify(prsc->width0, level);
   unsigned height = u_minify(prsc->height0, level);
   bool compressed = util_format_is_compressed(prsc->format);

   if (!compressed) {
      width = align(width, caps->layout_block);
      if (!is_1d(prsc))
         height = align(height, caps->layout_block);
   }
   out->pitch = util_format_get_stride(prsc->format, width);
   if (!compressed)
      out->pitch = align(out->pitch, caps->layout_pitch_align);
   out->slice = (uint64_t)out->pitch * util_format_get_nblocksy(prsc->format, height);
   return align64(out->slice * sdog_level_layers(prsc, level), caps->layout_level_align);
}

void
sdog_layout_image(const struct sundog_caps *caps, struct sdog_resource *rsc)
{
   uint64_t offset = 0;

   for (unsigned level = 0; level <= rsc->base.last_level; level++) {
      if (caps->layout_mip_align)
         offset = align64(offset, caps->layout_mip_align);
      rsc->levels[level].offset = offset;
      offset += layout_level(caps, &rsc->base, level, &rsc->levels[level]);
   }
   /* Samples follow one another, each an image of its own. */
   rsc->size = offset * sdog_samples(&rsc->base);
}
