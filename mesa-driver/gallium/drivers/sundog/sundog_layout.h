/* SPDX-License-Identifier: MIT */
/* The memory layout of textures: the device's layout rule, computed on the CPU. */
#ifndef SUNDOG_LAYOUT_H
#define SUNDOG_LAYOUT_H

#include "sundog_resource.h"

/* Fills in rsc->levels and rsc->size. */
void
sdog_layout_image(const struct sundog_caps *caps, struct sdog_resource *rsc);

/* Returns the number of layers of a level: slices of a 3D image, otherwise array layers including
 * cube faces. */
unsigned
sdog_level_layers(const struct pipe_resource *prsc, unsigned level);

#endif
