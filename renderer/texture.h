/* SPDX-License-Identifier: MIT */
/*
 * Kinds of textures. A shader declares one, an image view is of one; where they differ, the host's code
 * would read with coordinates that it does not check for the view.
 */
#ifndef TEXTURE_H
#define TEXTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "format.h"

/* Dimensions (arrayed or not), samples and numbers as one word to be compared; never 0. */
static inline uint32_t texture_kind(VkImageViewType type, bool multisampled, enum format_number number)
{
	return 1u | (uint32_t)type << 8 | (uint32_t)multisampled << 16 | (uint32_t)number << 24;
}

static inline bool texture_kind_is_cube(uint32_t kind)
{
	const VkImageViewType type = kind >> 8 & 0xff;

	return type == VK_IMAGE_VIEW_TYPE_CUBE || type == VK_IMAGE_VIEW_TYPE_CUBE_ARRAY;
}

#endif
