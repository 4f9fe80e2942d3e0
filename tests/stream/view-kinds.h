/* SPDX-License-Identifier: MIT */
/* All texture types that a shader can declare: view types times numeric classes. */
#ifndef VIEW_KINDS_H
#define VIEW_KINDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vulkan/vulkan_core.h>

#include "sundog.h"

static const struct kind {
	const char *name;
	uint32_t view_type, image_type;
	uint32_t depth, layers, samples, flags;
	bool fetched;			/* texelFetch() accepts it */
} kinds[] = {
	{ "1D", VK_IMAGE_VIEW_TYPE_1D, VK_IMAGE_TYPE_1D, 1, 1, 1, 0, true },
	{ "2D", VK_IMAGE_VIEW_TYPE_2D, VK_IMAGE_TYPE_2D, 1, 1, 1, 0, true },
	{ "3D", VK_IMAGE_VIEW_TYPE_3D, VK_IMAGE_TYPE_3D, 4, 1, 1, 0, true },
	{ "Cube", VK_IMAGE_VIEW_TYPE_CUBE, VK_IMAGE_TYPE_2D, 1, 6, 1,
	  SUNDOG_IMAGE_FLAG_CUBE_COMPATIBLE, false },
	{ "1DArray", VK_IMAGE_VIEW_TYPE_1D_ARRAY, VK_IMAGE_TYPE_1D, 1, 4, 1, 0, true },
	{ "2DArray", VK_IMAGE_VIEW_TYPE_2D_ARRAY, VK_IMAGE_TYPE_2D, 1, 4, 1, 0, true },
	{ "CubeArray", VK_IMAGE_VIEW_TYPE_CUBE_ARRAY, VK_IMAGE_TYPE_2D, 1, 12, 1,
	  SUNDOG_IMAGE_FLAG_CUBE_COMPATIBLE, false },
	{ "2DMS", VK_IMAGE_VIEW_TYPE_2D, VK_IMAGE_TYPE_2D, 1, 1, 4, 0, true },
	{ "2DMSArray", VK_IMAGE_VIEW_TYPE_2D_ARRAY, VK_IMAGE_TYPE_2D, 1, 4, 4, 0, true },
};

#define N_KINDS (sizeof(kinds) / sizeof(kinds[0]))
#define N_TYPES (N_KINDS * 3)		/* kind * 3 + class */

static const char *const class_names[] = { "", "i", "u" };
static const VkFormat class_formats[] = { VK_FORMAT_R32_SFLOAT, VK_FORMAT_R32_SINT,
					  VK_FORMAT_R32_UINT };

struct type_shader {
	const uint32_t *code;
	size_t size;
};

/* The shaders of one kind, for each class: PREFIX_kind_class. */
#define KIND_SHADERS(prefix, kind) \
	{ prefix##_##kind##_, sizeof(prefix##_##kind##_) }, \
	{ prefix##_##kind##_i, sizeof(prefix##_##kind##_i) }, \
	{ prefix##_##kind##_u, sizeof(prefix##_##kind##_u) }
#define TYPE_SHADERS(prefix) \
	KIND_SHADERS(prefix, 0), KIND_SHADERS(prefix, 1), KIND_SHADERS(prefix, 2), \
	KIND_SHADERS(prefix, 3), KIND_SHADERS(prefix, 4), KIND_SHADERS(prefix, 5), \
	KIND_SHADERS(prefix, 6), KIND_SHADERS(prefix, 7), KIND_SHADERS(prefix, 8)

#endif
