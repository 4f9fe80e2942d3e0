/* SPDX-License-Identifier: MIT */
/* The layout of a resource, by the rule in sundog_image_layout.h. Called when a resource is
 * created. The function is pure, and runs on any thread. */
#include "sundog_layout.h"

#include "sundog_resource.h"

#include "util/u_math.h"

unsigned
sdog_level_layers(const struct pipe_resource *prsc, unsigned level)
{
   return prsc->target == PIPE_TEXTURE_3D ? u_minify(prsc->depth0, level) : prsc->array_size;
}

void
sdog_layout_image(const struct sundog_caps *caps, struct sdog_resource *rsc)
{
   const struct pipe_resource *prsc = &rsc->base;
   bool is_3d = prsc->target == PIPE_TEXTURE_3D;
   const struct sundog_image_shape shape = {
      .format = prsc->format,
      .is_1d = prsc->target == PIPE_TEXTURE_1D || prsc->target == PIPE_TEXTURE_1D_ARRAY,
      .width = prsc->width0,
      .height = prsc->height0,
      .depth = is_3d ? prsc->depth0 : 1,
      .layers = is_3d ? 1 : prsc->array_size,
      .levels = prsc->last_level + 1,
      .samples = sdog_samples(prsc),
   };

   rsc->size = sundog_image_layout(caps, &shape, rsc->levels);
}
