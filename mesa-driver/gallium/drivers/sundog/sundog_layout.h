/* SPDX-License-Identifier: MIT */
/* Where the texels of an image are: the device's layout rule, done on the CPU. */
#ifndef SUNDOG_LAYOUT_H
#define SUNDOG_LAYOUT_H

#include "sundog_resource.h"

/* Fill in rsc->levels and rsc->size. */
void
sdog_layout_image(const struct sundog_caps *caps, struct sdog_resource *rsc);

/* Layers of a level: slices of a 3D image, else array layers and cube faces. */
unsigned
sdog_level_layers(const struct pipe_resource *prsc, unsigned level);

#endif
