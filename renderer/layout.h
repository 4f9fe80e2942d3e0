/* SPDX-License-Identifier: MIT */
/*
 * How the host lays out images with optimal tiling, and whether that follows the simple rule that
 * lets drivers map them: see docs/device.md, Image layout.
 */
#ifndef LAYOUT_H
#define LAYOUT_H

#include <stdint.h>

#include <vulkan/vulkan.h>

struct sundog_caps;
struct worker;

/*
 * Find the parameters of the rule, compare them with what the host does to a set of images, and set
 * the layout_* capabilities and feature LINEAR_LAYOUT, or leave them at NONE.
 */
void layout_probe(struct worker *w);

/* Bytes: from the start of an image, from row to row, from layer or slice to the next, and of all of it. */
struct level_layout {
	uint64_t offset, pitch, slice, size;
};

/* Where the rule has @level of the image with one sample that @info describes. */
struct level_layout layout_level(const struct sundog_caps *caps, const VkImageCreateInfo *info, uint32_t level);

/* What has to live as long as the VkImageCreateInfo that points at it. */
struct explicit_layout {
	VkImageDrmFormatModifierExplicitCreateInfoEXT info;
	VkSubresourceLayout plane;
};

/*
 * Ask for an image whose rows are @pitch bytes apart, the first one @offset bytes after where the
 * image is bound, and its layers @slice bytes, if it has several. Needs layout_flag EXPLICIT; TEXEL_VIEWS with layers.
 */
void layout_explicit(struct explicit_layout *layout, VkImageCreateInfo *image, uint64_t offset,
		     uint32_t pitch, uint64_t slice);

#endif
