// SPDX-License-Identifier: MIT
/*
 * Vulkan: video frames from a decoder. A dma-buf has two planes at any offset and with any row
 * pitch; it is imported as an image, or exported from one. Runs in a guest, where dma-bufs exist.
 * Prints TAP.
 */
#include <stdlib.h>
#include <string.h>
#include <drm_fourcc.h>

#include "vk.h"

#define PLANES 2

/* The layout of a decoder's frame, in bytes. */
struct frame {
	const char *name;
	uint32_t width, height, pitch, y_start, chroma_start, size;
	bool is_written;
};

static const struct frame frames[] = {
	{ "with room between planes and rows", 40, 24, 128, 4096, 16384, 65536, true },
	/*
	 * The host writes whole texel blocks, which extend beyond the last row of chroma, while the
	 * file ends there.
	 */
	{ "with nothing behind it", 2048, 36, 2048, 0, 73728, 110592, false },
	{ "with rows that begin anywhere", 42, 36, 42, 6, 2000, 4096, false },
};

static const VkFormat nv12 = VK_FORMAT_G8_B8R8_2PLANE_420_UNORM;
static const VkExternalMemoryHandleTypeFlagBits dma_buf =
	VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT;
static const VkImageAspectFlagBits aspects[PLANES] = { VK_IMAGE_ASPECT_PLANE_0_BIT,
						       VK_IMAGE_ASPECT_PLANE_1_BIT };
static const VkImageAspectFlagBits memory_planes[PLANES] = {
	VK_IMAGE_ASPECT_MEMORY_PLANE_0_BIT_EXT, VK_IMAGE_ASPECT_MEMORY_PLANE_1_BIT_EXT,
};

/*
 * Four pixels share two bytes of chroma, in half as many rows: the rows of both planes have the
 * same length.
 */
static uint32_t rows_of(const struct frame *f, uint32_t plane)
{
	return plane ? f->height / 2 : f->height;
}

/* Memory */

static VkDeviceMemory memory_new(VkDeviceSize size, const void *next)
{
	const VkMemoryAllocateInfo info = { VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, next, size,
					    vk_memory_type(~0u) };
	VkDeviceMemory memory;

	VK_CHECK(vkAllocateMemory(vk.device, &info, NULL, &memory));
	return memory;
}

static VkDeviceMemory memory_exported(VkDeviceSize size, char **map)
{
	const VkExportMemoryAllocateInfo export = { VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO,
						    NULL, dma_buf };
	VkDeviceMemory memory = memory_new(size, &export);

	VK_CHECK(vkMapMemory(vk.device, memory, 0, VK_WHOLE_SIZE, 0, (void **)map));
	return memory;
}

static VkDeviceMemory memory_imported(VkDeviceMemory from, VkDeviceSize size)
{
	const VkMemoryGetFdInfoKHR get = { VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR, NULL, from,
					   dma_buf };
	VkImportMemoryFdInfoKHR import = { VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR, NULL,
					   dma_buf, -1 };

	VK_CHECK(VK_FUNCTION(vkGetMemoryFdKHR)(vk.device, &get, &import.fd));
	return memory_new(size, &import);
}

/* Images */

/* Returns the result unchecked, since some images cannot be created. */
static VkResult image_make(const struct frame *f, VkImageCreateFlags flags, const void *modifier,
			   VkImage *image)
{
	const VkExternalMemoryImageCreateInfo external = {
		VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO, modifier, dma_buf,
	};
	const VkImageCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.pNext = &external,
		.flags = flags,
		.imageType = VK_IMAGE_TYPE_2D,
		.format = nv12,
		.extent = { f->width, f->height, 1 },
		.mipLevels = 1,
		.arrayLayers = 1,
		.samples = 1,
		.tiling = VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT,
		.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
			 (f->is_written ? VK_IMAGE_USAGE_TRANSFER_DST_BIT : 0),
	};

	return vkCreateImage(vk.device, &info, NULL, image);
}

/* Makes an image with the planes where the decoder put them. */
static VkResult image_lay_out(const struct frame *f, VkImageCreateFlags flags, VkImage *image)
{
	const VkSubresourceLayout planes[PLANES] = {
		{ .offset = f->y_start, .rowPitch = f->pitch },
		{ .offset = f->chroma_start, .rowPitch = f->pitch },
	};
	const VkImageDrmFormatModifierExplicitCreateInfoEXT modifier = {
		VK_STRUCTURE_TYPE_IMAGE_DRM_FORMAT_MODIFIER_EXPLICIT_CREATE_INFO_EXT,
		NULL,
		DRM_FORMAT_MOD_LINEAR,
		PLANES,
		planes,
	};

	return image_make(f, flags, &modifier, image);
}

static uint64_t image_size(VkImage image)
{
	VkMemoryRequirements needs;

	vkGetImageMemoryRequirements(vk.device, image, &needs);
	return needs.size;
}

static void bind_planes(VkImage image, const VkDeviceMemory memory[PLANES])
{
	VkBindImagePlaneMemoryInfo planes[PLANES];
	VkBindImageMemoryInfo binds[PLANES];

	for (uint32_t i = 0; i < PLANES; i++) {
		planes[i] = (VkBindImagePlaneMemoryInfo){
			VK_STRUCTURE_TYPE_BIND_IMAGE_PLANE_MEMORY_INFO, NULL, memory_planes[i],
		};
		binds[i] = (VkBindImageMemoryInfo){
			VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_INFO, &planes[i], image, memory[i], 0,
		};
	}
	VK_CHECK(vkBindImageMemory2(vk.device, PLANES, binds));
}

static VkBufferImageCopy plane_copy(const struct frame *f, uint32_t plane)
{
	return (VkBufferImageCopy){
		.bufferOffset = plane * f->width * f->height,
		.imageSubresource = { aspects[plane], 0, 0, 1 },
		.imageExtent = { plane ? f->width / 2 : f->width, rows_of(f, plane), 1 },
	};
}

/* Copies between the image and a buffer without row padding. */
static void copy(const struct frame *f, VkImage image, const struct vk_buffer *buffer,
		 bool to_image)
{
	const VkBufferImageCopy planes[PLANES] = { plane_copy(f, 0), plane_copy(f, 1) };
	const VkImageMemoryBarrier barrier = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
		.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT,
		.newLayout = VK_IMAGE_LAYOUT_GENERAL,
		.image = image,
		.oldLayout = to_image ? VK_IMAGE_LAYOUT_UNDEFINED : VK_IMAGE_LAYOUT_GENERAL,
		.srcQueueFamilyIndex = to_image ? 0 : VK_QUEUE_FAMILY_FOREIGN_EXT,
		.subresourceRange = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1 },
	};
	VkCommandBuffer cmd = vk_begin();

	vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
			     VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1, &barrier);
	if (to_image)
		vkCmdCopyBufferToImage(cmd, buffer->buffer, image, VK_IMAGE_LAYOUT_GENERAL, PLANES,
				       planes);
	else
		vkCmdCopyImageToBuffer(cmd, image, VK_IMAGE_LAYOUT_GENERAL, buffer->buffer, PLANES,
				       planes);
	vk_barrier(cmd);
	vk_run(cmd);
}

/* Fills @bytes with noise that differs from frame to frame. */
static void make_noise(char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		bytes[i] = (char)(rand() >> 8);
}

/* Returns true if the rows of a plane, which are @pitch bytes apart, equal those of the buffer. */
static bool rows_are(const struct frame *f, uint32_t plane, const char *at, size_t pitch,
		     const struct vk_buffer *buffer)
{
	const char *rows = (const char *)buffer->map + plane * f->width * f->height;

	for (uint32_t y = 0; y < rows_of(f, plane); y++)
		if (memcmp(at + y * pitch, rows + y * f->width, f->width))
			return false;
	return true;
}

static bool frame_is(const struct frame *f, const char *map, const struct vk_buffer *buffer)
{
	return rows_are(f, 0, map + f->y_start, f->pitch, buffer) &&
	       rows_are(f, 1, map + f->chroma_start, f->pitch, buffer);
}

/* Tests */

static void test_modifier(void)
{
	VkDrmFormatModifierPropertiesEXT modifiers[8];
	VkDrmFormatModifierPropertiesListEXT list = {
		VK_STRUCTURE_TYPE_DRM_FORMAT_MODIFIER_PROPERTIES_LIST_EXT, NULL, 8, modifiers,
	};
	VkFormatProperties2 properties = { .sType = VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_2,
					   .pNext = &list };

	vkGetPhysicalDeviceFormatProperties2(vk.physical, nv12, &properties);
	tap(list.drmFormatModifierCount == 1 &&
		    modifiers[0].drmFormatModifier == DRM_FORMAT_MOD_LINEAR &&
		    modifiers[0].drmFormatModifierPlaneCount == PLANES,
	    "NV12 is linear, and of two planes");
}

static struct vk_buffer buffer_new(const struct frame *f)
{
	return vk_buffer_new(f->width * f->height * 3 / 2,
			     VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT);
}

/* Imports the whole frame, or, if @disjoint, each plane with its own memory. */
static void test_import(const struct frame *f, bool disjoint)
{
	const char *how = disjoint ? ", each plane in memory of its own" : "";
	const struct vk_buffer rows = buffer_new(f);
	VkDeviceMemory theirs, ours[PLANES] = { NULL, NULL };
	VkImage image;
	char *map;

	theirs = memory_exported(f->size, &map);
	VK_CHECK(image_lay_out(f, disjoint ? VK_IMAGE_CREATE_DISJOINT_BIT : 0, &image));
	for (uint32_t i = 0; i < (disjoint ? PLANES : 1); i++)
		ours[i] = memory_imported(theirs, disjoint ? f->size : image_size(image));
	make_noise(map, f->size);
	if (disjoint)
		bind_planes(image, ours);
	else
		VK_CHECK(vkBindImageMemory(vk.device, image, ours[0], 0));
	copy(f, image, &rows, false);
	tap(frame_is(f, map, &rows), "a frame of somebody else's is read, %s%s", f->name, how);
	if (f->is_written) {
		make_noise(rows.map, rows.size);
		copy(f, image, &rows, true);
		tap(frame_is(f, map, &rows), "and written, %s%s", f->name, how);
	}
	vkDestroyImage(vk.device, image, NULL);
	for (uint32_t i = 0; i < PLANES; i++)
		vkFreeMemory(vk.device, ours[i], NULL);
	vkFreeMemory(vk.device, theirs, NULL);
	vk_buffer_del(&rows);
}

/* Exports an image with the driver's layout, which vkGetImageSubresourceLayout() returns. */
static void test_export(void)
{
	static const uint64_t linear = DRM_FORMAT_MOD_LINEAR;
	const VkImageDrmFormatModifierListCreateInfoEXT modifiers = {
		VK_STRUCTURE_TYPE_IMAGE_DRM_FORMAT_MODIFIER_LIST_CREATE_INFO_EXT, NULL, 1, &linear,
	};
	const struct frame *f = &frames[0];
	const struct vk_buffer rows = buffer_new(f);
	VkSubresourceLayout layouts[PLANES];
	VkDeviceMemory memory;
	VkImage image;
	char *map;

	VK_CHECK(image_make(f, 0, &modifiers, &image));
	memory = memory_exported(image_size(image), &map);
	VK_CHECK(vkBindImageMemory(vk.device, image, memory, 0));
	for (uint32_t i = 0; i < PLANES; i++)
		vkGetImageSubresourceLayout(vk.device, image,
					    &(VkImageSubresource){ memory_planes[i], 0, 0 },
					    &layouts[i]);
	make_noise(rows.map, rows.size);
	copy(f, image, &rows, true);
	tap(rows_are(f, 0, map + layouts[0].offset, layouts[0].rowPitch, &rows) &&
		    rows_are(f, 1, map + layouts[1].offset, layouts[1].rowPitch, &rows) &&
		    layouts[0].offset + layouts[0].size <= layouts[1].offset &&
		    layouts[1].offset + layouts[1].size <= image_size(image),
	    "a frame of ours is where we say");
	vkDestroyImage(vk.device, image, NULL);
	vkFreeMemory(vk.device, memory, NULL);
	vk_buffer_del(&rows);
}

static bool is_refused(const struct frame *f)
{
	VkImage image;

	return image_lay_out(f, 0, &image) == VK_ERROR_INVALID_DRM_FORMAT_MODIFIER_PLANE_LAYOUT_EXT;
}

/* Layouts that the host cannot use must be refused, since they would lose the device. */
static void test_refusals(void)
{
	struct frame frame = frames[2];

	frame.is_written = true;
	tap(is_refused(&frame), "a frame that is written has aligned rows");
	frame = frames[0];
	frame.pitch = 16;
	tap(is_refused(&frame), "rows of texels that lie on each other are refused");
	frame = frames[0];
	frame.pitch = 0x40000000;
	tap(is_refused(&frame), "and a frame of more than the host counts");
}

int main(void)
{
	static const char *const wanted[] = {
		VK_KHR_SAMPLER_YCBCR_CONVERSION_EXTENSION_NAME,
		VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME,
		VK_EXT_EXTERNAL_MEMORY_DMA_BUF_EXTENSION_NAME,
		VK_EXT_IMAGE_DRM_FORMAT_MODIFIER_EXTENSION_NAME,
		VK_KHR_IMAGE_FORMAT_LIST_EXTENSION_NAME,
		VK_EXT_QUEUE_FAMILY_FOREIGN_EXTENSION_NAME,
	};
	static VkPhysicalDeviceSamplerYcbcrConversionFeatures ycbcr = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SAMPLER_YCBCR_CONVERSION_FEATURES,
	};

	vk.features = &ycbcr;
	vk_open_with(NULL, 0, wanted, sizeof(wanted) / sizeof(wanted[0]));
	test_modifier();
	for (size_t i = 0; i < sizeof(frames) / sizeof(frames[0]); i++)
		test_import(&frames[i], false);
	test_import(&frames[0], true);
	test_export();
	test_refusals();
	vk_close();
	return tap_failures() != 0;
}
