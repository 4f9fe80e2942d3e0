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
#include "sundog_hw.h"

/* Beside VkImageViewType. */
#define TEXTURE_BUFFER 0xff

/* Dimensions (arrayed or not), samples and numbers as one word to be compared; never 0. */
static inline uint32_t texture_kind(uint32_t type, bool multisampled, enum format_number number)
{
	return 1u | type << 8 | (uint32_t)multisampled << 16 | (uint32_t)number << 24;
}

static inline uint32_t texture_kind_type(uint32_t kind)
{
	return kind >> 8 & 0xff;
}

/* The binding of the table that handles of a kind are in, see SUNDOG_NUM_HANDLE_KINDS. */
static inline uint32_t texture_kind_binding(uint32_t kind, enum sundog_handle_class class)
{
	const uint32_t type = texture_kind_type(kind), number = kind >> 24;
	uint32_t dim = type == TEXTURE_BUFFER ? SUNDOG_HANDLE_DIM_BUFFER : type;

	if (kind >> 16 & 1)
		dim = type == VK_IMAGE_VIEW_TYPE_2D ? SUNDOG_HANDLE_DIM_MS : SUNDOG_HANDLE_DIM_MS_ARRAY;
	return (class * SUNDOG_NUM_HANDLE_DIMS + dim) * SUNDOG_NUM_HANDLE_NUMBERS + number;
}

/* What shaders do with the handles at a binding. */
static inline enum sundog_handle_class handle_binding_class(uint32_t binding)
{
	return binding / (SUNDOG_NUM_HANDLE_DIMS * SUNDOG_NUM_HANDLE_NUMBERS);
}

/*
 * A kind as sets compare it: the host reads and writes integers with a sign and without alike, and Vulkan programs have
 * views of one where shaders have the other.
 */
static inline uint32_t texture_kind_unsigned(uint32_t kind)
{
	return kind >> 24 == FORMAT_SINT ? (kind & 0xffffff) | (uint32_t)FORMAT_UINT << 24 : kind;
}

/*
 * Is @view of the kind that a shader samples, but for floats where it has integers? It gets what is of no use but its
 * size and samples; the host's code is that of the view, and differs in no coordinate. (Of integers, floats would be
 * filtered and compared with.)
 */
static inline bool texture_kind_as_integers(uint32_t view, uint32_t shader)
{
	return view >> 24 == FORMAT_FLOAT && shader >> 24 != FORMAT_FLOAT && (view & 0xffffff) == (shader & 0xffffff) &&
	       texture_kind_type(view) != TEXTURE_BUFFER;
}

static inline bool texture_kind_is_cube(uint32_t kind)
{
	const uint32_t type = texture_kind_type(kind);

	return type == VK_IMAGE_VIEW_TYPE_CUBE || type == VK_IMAGE_VIEW_TYPE_CUBE_ARRAY;
}

#endif
