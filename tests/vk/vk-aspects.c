// SPDX-License-Identifier: MIT
/*
 * Vulkan: copies and blits of the depth or stencil aspect alone of formats that have both, which
 * must not change the other aspect; copies of an aspect to a colour and back
 * (VK_KHR_maintenance8). Prints TAP.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vk.h"

#define SIDE 8
#define TEXELS (SIDE * SIDE)
#define PART 4				/* side of the region of a copy; AT is its destination */
#define AT 3
#define DEPTH VK_IMAGE_ASPECT_DEPTH_BIT
#define STENCIL VK_IMAGE_ASPECT_STENCIL_BIT

static const VkImageLayout general = VK_IMAGE_LAYOUT_GENERAL;

/* Begins as VkBaseOutStructure does. */
static VkPhysicalDeviceHostImageCopyFeaturesEXT host_copy = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_HOST_IMAGE_COPY_FEATURES_EXT,
};

static VkPhysicalDeviceMaintenance8FeaturesKHR maintenance8 = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_8_FEATURES_KHR,
	.pNext = &host_copy,
};

static struct {
	struct vk_image from, to;
	struct vk_buffer readback;
} test;

static const struct kind {
	const char *name;
	VkFormat format;
	uint32_t before, after;		/* depths of the two clears, as copies see them */
} kinds[] = {
	{ "32 bits", VK_FORMAT_D32_SFLOAT_S8_UINT, 0x3f400000, 0x3e800000 },
	{ "24 bits", VK_FORMAT_D24_UNORM_S8_UINT, 0xbfffff, 0x400000 },
};

static const VkClearDepthStencilValue before = { 0.75f, 0x77 }, after = { 0.25f, 0x11 };

static bool is_ours(void)
{
	return strstr(vk.properties.deviceName, "sundog");
}

static struct vk_image image_new(VkFormat format)
{
	const VkImageCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.imageType = VK_IMAGE_TYPE_2D,
		.format = format,
		.extent = { SIDE, SIDE, 1 },
		.mipLevels = 1,
		.arrayLayers = 1,
		.samples = 1,
		.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |
			 (host_copy.hostImageCopy ? VK_IMAGE_USAGE_HOST_TRANSFER_BIT_EXT : 0),
	};

	return vk_image_new(&info);
}

static void clear(const struct vk_image *image, const VkClearDepthStencilValue *value)
{
	const VkImageSubresourceRange all = vk_image_all(image);
	VkCommandBuffer cmd = vk_begin();

	vkCmdClearDepthStencilImage(cmd, image->image, general, value, 1, &all);
	vk_run(cmd);
}

static void begin_with(const struct kind *kind)
{
	test.from = image_new(kind->format);
	test.to = image_new(kind->format);
	clear(&test.from, &after);
	clear(&test.to, &before);
}

static void read_aspect(VkImageAspectFlags aspect)
{
	const VkBufferImageCopy all = { .imageSubresource = { aspect, 0, 0, 1 },
					.imageExtent = { SIDE, SIDE, 1 } };
	VkCommandBuffer cmd = vk_begin();

	vkCmdCopyImageToBuffer(cmd, test.to.image, general, test.readback.buffer, 1, &all);
	vk_barrier(cmd);
	vk_run(cmd);
}

static bool is_within(uint32_t i, uint32_t at, uint32_t side)
{
	return i % SIDE - at < side && i / SIDE - at < side;
}

/*
 * Checks the depths of `to`: @within in the square at @at, @around elsewhere. An error of 1 is
 * accepted, since 24-bit depths are rounded by the host.
 */
static bool depths_are(uint32_t at, uint32_t side, uint32_t within, uint32_t around)
{
	const uint32_t *depths = test.readback.map;

	read_aspect(DEPTH);
	for (uint32_t i = 0; i < TEXELS; i++) {
		const uint32_t expected = is_within(i, at, side) ? within : around;

		if (labs((long)(depths[i] & (expected >> 24 ? ~0u : 0xffffff)) - (long)expected) >
		    1) {
			printf("# depth %u,%u is %#x, not %#x\n", i % SIDE, i / SIDE, depths[i],
			       expected);
			return false;
		}
	}
	return true;
}

static bool stencils_are(uint32_t at, uint32_t side, uint8_t within, uint8_t around)
{
	const uint8_t *stencils = test.readback.map;

	read_aspect(STENCIL);
	for (uint32_t i = 0; i < TEXELS; i++) {
		const uint8_t expected = is_within(i, at, side) ? within : around;

		if (stencils[i] != expected) {
			printf("# stencil %u,%u is %#x, not %#x\n", i % SIDE, i / SIDE, stencils[i],
			       expected);
			return false;
		}
	}
	return true;
}

/*
 * Returns true if the @aspects of a square of `to` are those of `from`, and the rest is unchanged.
 */
static bool came(const struct kind *kind, uint32_t at, uint32_t side, VkImageAspectFlags aspects)
{
	return depths_are(at, side, aspects & DEPTH ? kind->after : kind->before, kind->before) &&
	       stencils_are(at, side, aspects & STENCIL ? after.stencil : before.stencil,
			    before.stencil);
}

static void end(void)
{
	vk_image_del(&test.from);
	vk_image_del(&test.to);
}

static const char *name_of(VkImageAspectFlags aspects)
{
	return aspects == DEPTH ? "depths" : aspects == STENCIL ? "stencils" : "both aspects";
}

static void test_copy(const struct kind *kind, VkImageAspectFlags aspects)
{
	const VkImageCopy region = {
		{ aspects, 0, 0, 1 }, { 0, 0, 0 },	 { aspects, 0, 0, 1 },
		{ AT, AT, 0 },	      { PART, PART, 1 },
	};
	VkCommandBuffer cmd;

	begin_with(kind);
	cmd = vk_begin();
	vkCmdCopyImage(cmd, test.from.image, general, test.to.image, general, 1, &region);
	vk_run(cmd);
	tap(came(kind, AT, PART, aspects), "%s of %s are copied", name_of(aspects), kind->name);
	end();
}

static void copy(VkCommandBuffer cmd, const struct vk_image *from, VkImageAspectFlags from_aspect,
		 const struct vk_image *to, VkImageAspectFlags to_aspect, int32_t at)
{
	const VkImageCopy region = {
		{ from_aspect, 0, 0, 1 }, { 0, 0, 0 },	     { to_aspect, 0, 0, 1 },
		{ at, at, 0 },		  { PART, PART, 1 },
	};

	vkCmdCopyImage(cmd, from->image, general, to->image, general, 1, &region);
	vk_barrier(cmd);
}

/* Copies a square to a colour whose texels have the bits of the aspect, and back. */
static void test_color(const struct kind *kind, VkImageAspectFlags aspect)
{
	const VkImageAspectFlags color = VK_IMAGE_ASPECT_COLOR_BIT;
	struct vk_image between;
	VkCommandBuffer cmd;

	begin_with(kind);
	between = image_new(aspect == DEPTH ? VK_FORMAT_R32_UINT : VK_FORMAT_R8_UINT);
	cmd = vk_begin();
	copy(cmd, &test.from, aspect, &between, color, 0);
	copy(cmd, &between, color, &test.to, aspect, AT);
	vk_run(cmd);
	tap(came(kind, AT, PART, aspect), "%s of %s are copied to a colour and back",
	    name_of(aspect), kind->name);
	vk_image_del(&between);
	end();
}

/* Mirrors the image into a square of another size. */
static void test_blit(const struct kind *kind, VkImageAspectFlags aspects)
{
	const VkImageBlit region = {
		{ aspects, 0, 0, 1 }, { { 0, 0, 0 }, { SIDE, SIDE, 1 } },
		{ aspects, 0, 0, 1 }, { { AT + PART, AT, 0 }, { AT, AT + PART, 1 } },
	};
	VkCommandBuffer cmd;

	begin_with(kind);
	cmd = vk_begin();
	vkCmdBlitImage(cmd, test.from.image, general, test.to.image, general, 1, &region,
		       VK_FILTER_NEAREST);
	vk_run(cmd);
	tap(came(kind, AT, PART, aspects), "%s of %s are blitted", name_of(aspects), kind->name);
	end();
}

/* Copies the whole image through host memory. */
static void test_host_copy(const struct kind *kind, VkImageAspectFlags aspect)
{
	VkSubresourceHostMemcpySizeEXT size = {
		.sType = VK_STRUCTURE_TYPE_SUBRESOURCE_HOST_MEMCPY_SIZE_EXT
	};
	VkSubresourceLayout2KHR layout = { .sType = VK_STRUCTURE_TYPE_SUBRESOURCE_LAYOUT_2_KHR,
					   .pNext = &size };
	const VkImageSubresource2KHR which = { VK_STRUCTURE_TYPE_IMAGE_SUBRESOURCE_2_KHR,
					       NULL,
					       { aspect, 0, 0 } };
	VkImageToMemoryCopyEXT out = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_TO_MEMORY_COPY_EXT,
		.imageSubresource = { aspect, 0, 0, 1 },
		.imageExtent = { SIDE, SIDE, 1 },
	};
	VkMemoryToImageCopyEXT in = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_TO_IMAGE_COPY_EXT,
		.imageSubresource = { aspect, 0, 0, 1 },
		.imageExtent = { SIDE, SIDE, 1 },
	};
	VkCopyImageToMemoryInfoEXT from = {
		VK_STRUCTURE_TYPE_COPY_IMAGE_TO_MEMORY_INFO_EXT,
		NULL,
		VK_HOST_IMAGE_COPY_MEMCPY_EXT,
		0,
		general,
		1,
		&out,
	};
	VkCopyMemoryToImageInfoEXT to = {
		VK_STRUCTURE_TYPE_COPY_MEMORY_TO_IMAGE_INFO_EXT,
		NULL,
		VK_HOST_IMAGE_COPY_MEMCPY_EXT,
		0,
		general,
		1,
		&in,
	};
	void *memory;

	begin_with(kind);
	VK_FUNCTION(vkGetImageSubresourceLayout2EXT)(vk.device, test.from.image, &which, &layout);
	memory = calloc(1, size.size);
	in.pHostPointer = out.pHostPointer = memory;
	from.srcImage = test.from.image;
	to.dstImage = test.to.image;
	VK_CHECK(VK_FUNCTION(vkCopyImageToMemoryEXT)(vk.device, &from));
	VK_CHECK(VK_FUNCTION(vkCopyMemoryToImageEXT)(vk.device, &to));
	tap(came(kind, 0, SIDE, aspect), "%s of %s are copied as they are by the CPU",
	    name_of(aspect), kind->name);
	free(memory);
	end();
}

int main(void)
{
	static const char *const wishes[] = {
		VK_KHR_COPY_COMMANDS_2_EXTENSION_NAME, VK_KHR_FORMAT_FEATURE_FLAGS_2_EXTENSION_NAME,
		VK_EXT_HOST_IMAGE_COPY_EXTENSION_NAME, VK_KHR_MAINTENANCE_8_EXTENSION_NAME, NULL,
	};
	/* lavapipe always copies both aspects, so it is tested with both only. */
	static const VkImageAspectFlags aspects[] = { DEPTH | STENCIL, DEPTH, STENCIL };
	uint32_t n_aspects;

	vk.features = &maintenance8;
	vk.wishes = wishes;
	vk_open();
	n_aspects = is_ours() ? 3 : 1;
	test.readback = vk_buffer_new(TEXELS * 4, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
	for (uint32_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		for (uint32_t k = 0; k < n_aspects; k++) {
			test_copy(&kinds[i], aspects[k]);
			test_blit(&kinds[i], aspects[k]);
		}
		for (uint32_t k = 1; k < n_aspects && host_copy.hostImageCopy; k++)
			test_host_copy(&kinds[i], aspects[k]);
		for (uint32_t k = 1; k < n_aspects && maintenance8.maintenance8; k++)
			test_color(&kinds[i], aspects[k]);
	}
	vk_buffer_del(&test.readback);
	vk_close();
	return tap_failures() != 0;
}
