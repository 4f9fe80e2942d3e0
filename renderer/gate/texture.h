/* SPDX-License-Identifier: MIT */
/*
 * Texture kinds: dimension, multisampling and number type in one word. A shader declares a kind and
 * an image view has one. If they differ, the host's code would read with coordinates that it does
 * not check against the view.
 */
#ifndef GATE_TEXTURE_H
#define GATE_TEXTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "host/format.h"
#include "sundog_hw.h"

/* A view type besides VkImageViewType. */
#define TEXTURE_BUFFER 0xff

/*
 * Returns dimension (and whether arrayed), multisampling and number type as one comparable word,
 * never 0.
 */
static inline uint32_t texture_kind(uint32_t type, bool multisampled, enum format_number number)
{
	return 1u | type << 8 | (uint32_t)multisampled << 16 | (uint32_t)number << 24;
}

static inline uint32_t texture_kind_type(uint32_t kind)
{
	return kind >> 8 & 0xff;
}

/* Returns the binding of the handle table for views of @kind, see SUNDOG_NUM_HANDLE_KINDS. */
static inline uint32_t texture_kind_binding(uint32_t kind, enum sundog_handle_class class)
{
	const uint32_t type = texture_kind_type(kind), number = kind >> 24;
	uint32_t dim = type == TEXTURE_BUFFER ? SUNDOG_HANDLE_DIM_BUFFER : type;

	if (kind >> 16 & 1)
		dim = type == VK_IMAGE_VIEW_TYPE_2D ? SUNDOG_HANDLE_DIM_MS
						    : SUNDOG_HANDLE_DIM_MS_ARRAY;
	return (class * SUNDOG_NUM_HANDLE_DIMS + dim) * SUNDOG_NUM_HANDLE_NUMBERS + number;
}

/* Returns how shaders access the handles at @binding. */
static inline enum sundog_handle_class handle_binding_class(uint32_t binding)
{
	return binding / (SUNDOG_NUM_HANDLE_DIMS * SUNDOG_NUM_HANDLE_NUMBERS);
}

/*
 * Returns @kind as sets compare it: signed and unsigned integers are the same. The host reads and
 * writes both alike, and Vulkan programs use views of one with shaders that declare the other.
 */
static inline uint32_t texture_kind_unsigned(uint32_t kind)
{
	return kind >> 24 == FORMAT_SINT ? (kind & 0xffffff) | (uint32_t)FORMAT_UINT << 24 : kind;
}

/*
 * Returns true if @view is of the kind that @shader samples, but with floats instead of integers.
 * Only size and sample count are useful then; the host's code is generated for the view, and
 * coordinates do not differ. (The reverse is not safe: an integer view would be filtered and
 * compared as float.)
 */
static inline bool texture_kind_as_integers(uint32_t view, uint32_t shader)
{
	return view >> 24 == FORMAT_FLOAT && shader >> 24 != FORMAT_FLOAT &&
	       (view & 0xffffff) == (shader & 0xffffff) &&
	       texture_kind_type(view) != TEXTURE_BUFFER;
}

static inline bool texture_kind_is_cube(uint32_t kind)
{
	const uint32_t type = texture_kind_type(kind);

	return type == VK_IMAGE_VIEW_TYPE_CUBE || type == VK_IMAGE_VIEW_TYPE_CUBE_ARRAY;
}

#endif
