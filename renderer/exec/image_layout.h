/* SPDX-License-Identifier: MIT */
/*
 * How the host lays out images with optimal tiling, and whether this follows the simple rule that
 * lets drivers map images: see docs/reference/device.md, Image layout. The worker's main thread
 * calls it.
 */
#ifndef EXEC_IMAGE_LAYOUT_H
#define EXEC_IMAGE_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

#include "host/lvp_interface.h"

struct sundog_caps;
struct exec;

/*
 * Find the parameters of the rule, compare the rule with the host's layout of a set of images, and
 * set the layout_* capabilities and feature LINEAR_LAYOUT, or leave them at NONE.
 */
void layout_probe(struct exec *x);

/*
 * In bytes: offset of the level from the start of the image, row pitch, distance of layers or
 * slices, and size of the level.
 */
struct level_layout {
	uint64_t offset, pitch, slice, size;
};

/*
 * Returns where the rule puts @level of the image with one sample that @info describes, with rows
 * at multiples of pages or not.
 */
struct level_layout layout_level(const struct sundog_caps *caps, const VkImageCreateInfo *info,
				 bool page_rows, uint32_t level);

/*
 * Request rows at multiples of pages. @rows must live as long as @image. Needs layout_flag
 * PAGE_ROWS.
 */
void layout_page_rows(struct lvp_image_rows_create_info *rows, VkImageCreateInfo *image,
		      bool residency);
/* Returns the structure that layout_page_rows() chained to @image; NULL: none. */
const struct lvp_image_rows_create_info *layout_rows_of(const VkImageCreateInfo *image);

/* Structures that must live as long as the VkImageCreateInfo that points at them. */
struct explicit_layout {
	VkImageDrmFormatModifierExplicitCreateInfoEXT info;
	VkSubresourceLayout plane;
};

/*
 * Request an image layout: rows are @pitch bytes apart, the first one starts @offset bytes after
 * the bound memory, and layers are @slice bytes apart, if there are several. Needs layout_flag
 * EXPLICIT; layers need TEXEL_VIEWS.
 */
void layout_explicit(struct explicit_layout *layout, VkImageCreateInfo *image, uint64_t offset,
		     uint32_t pitch, uint64_t slice);

#endif
