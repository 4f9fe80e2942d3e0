/* SPDX-License-Identifier: MIT */
/*
 * Views of the blocks of compressed images as texels. Called by the decoder on the worker's main
 * thread.
 */
#ifndef EXEC_IMAGE_TEXELS_H
#define EXEC_IMAGE_TEXELS_H

#include <stdbool.h>
#include <stdint.h>

#include "sundog_packets.h"

struct exec;
struct image;

/*
 * Returns true if the packet asks for a view of a compressed image's blocks as texels. Such a view
 * is one of the image that image_of_texels() creates.
 */
bool image_view_is_of_texels(const struct image *image,
			     const struct sundog_cmd_create_image_view *cmd);
struct image *image_of_texels(struct exec *x, const struct image *image,
			      const struct sundog_cmd_create_image_view *cmd);

#endif
