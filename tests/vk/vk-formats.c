// SPDX-License-Identifier: MIT
/*
 * All formats of Vulkan. A usage that a device offers for one format is offered for the family of
 * that format: the formats of its planes, its sRGB twin, the members of its compatibility class.
 * Each usage that is offered works. Prints TAP.
 *
 * vk-formats          test the first device
 * vk-formats --table  print a line for each format that has features: the format's name, then the
 *                     features of linear tiling, optimal tiling and buffers in hexadecimal;
 *                     vk-formats.py compares the tables of two devices
 */
#include <err.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vulkan/utility/vk_format_utils.h>
#include <vulkan/vk_enum_string_helper.h>

#include "vk-pipeline.h"

#include "vk-formats-shaders.h"

#define MAX_FORMATS 512
#define MAX_PLANES 3
#define BLOCKS 4	/* in each direction of an image */

static const struct {
	uint32_t first, last;
} ranges[] = {
	{ VK_FORMAT_R4G4_UNORM_PACK8, VK_FORMAT_ASTC_12x12_SRGB_BLOCK },
	{ 1000054000, 1000054007 }, /* VK_IMG_format_pvrtc */
	{ 1000066000, 1000066013 }, /* VK_EXT_texture_compression_astc_hdr */
	{ 1000156000, 1000156033 }, /* VK_KHR_sampler_ycbcr_conversion */
	{ 1000330000, 1000330003 }, /* VK_EXT_ycbcr_2plane_444_formats */
	{ 1000340000, 1000340001 }, /* VK_EXT_4444_formats */
	{ 1000464000, 1000464000 }, /* VK_NV_optical_flow */
	{ 1000470000, 1000470001 }, /* VK_KHR_maintenance5 */
};

struct format {
	VkFormat format;
	const char *name; /* without VK_FORMAT_ */
	VkFormatFeatureFlags2 linear, optimal, buffer;
};

static struct {
	struct format list[MAX_FORMATS];
	uint32_t count;
} formats;

/* Formats whose sRGB twins llvmpipe does not support, and so no driver that draws with it. */
static const VkFormat without_twin[] = { VK_FORMAT_R8_UNORM, VK_FORMAT_R8G8_UNORM };

static const VkImageAspectFlagBits plane_aspects[MAX_PLANES] = {
	VK_IMAGE_ASPECT_PLANE_0_BIT,
	VK_IMAGE_ASPECT_PLANE_1_BIT,
	VK_IMAGE_ASPECT_PLANE_2_BIT,
};

static const struct {
	VkImageUsageFlagBits usage;
	VkFormatFeatureFlags2 feature;
} usages[] = {
	{ VK_IMAGE_USAGE_SAMPLED_BIT, VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_BIT },
	{ VK_IMAGE_USAGE_STORAGE_BIT, VK_FORMAT_FEATURE_2_STORAGE_IMAGE_BIT },
	{ VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, VK_FORMAT_FEATURE_2_COLOR_ATTACHMENT_BIT },
	{ VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT,
	  VK_FORMAT_FEATURE_2_DEPTH_STENCIL_ATTACHMENT_BIT },
	{ VK_IMAGE_USAGE_TRANSFER_SRC_BIT, VK_FORMAT_FEATURE_2_TRANSFER_SRC_BIT },
	{ VK_IMAGE_USAGE_TRANSFER_DST_BIT, VK_FORMAT_FEATURE_2_TRANSFER_DST_BIT },
};
#define N_USAGES (sizeof(usages) / sizeof(usages[0]))
/* The first usages are those of views. */
#define N_VIEW_USAGES 4
#define VIEW_USAGES                                                                    \
	(VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT |                     \
	 VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT)

/* Results: a test tries many formats, prints those that fail, and has one result for all. */

static struct {
	const char *at; /* the format under test, reported if the program ends early */
	uint32_t tried, failed;
} now;

static void say_where(void)
{
	if (now.at)
		printf("# ended at %s\n", now.at);
}

static void begin(const struct format *f)
{
	now.at = f->name;
	now.tried++;
}

static bool fail(const struct format *f, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
static bool fail(const struct format *f, const char *fmt, ...)
{
	va_list args;

	printf("# %s: ", f->name);
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	printf("\n");
	now.failed++;
	return false;
}

static void finish(const char *what)
{
	tap(!now.failed && now.tried, "%s (%u formats, %u failed)", what, now.tried, now.failed);
	memset(&now, 0, sizeof(now));
}

/* Formats */

static void add(VkFormat format)
{
	VkFormatProperties3 features = { .sType = VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_3 };
	VkFormatProperties2 old = { .sType = VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_2,
				    .pNext = &features };
	const char *name = string_VkFormat(format);

	if (strncmp(name, "VK_FORMAT_", 10))
		return;
	vkGetPhysicalDeviceFormatProperties2(vk.physical, format, &old);
	if (formats.count == MAX_FORMATS)
		errx(1, "there are more formats than %u", MAX_FORMATS);
	formats.list[formats.count++] = (struct format){
		format,
		name + 10,
		features.linearTilingFeatures,
		features.optimalTilingFeatures,
		features.bufferFeatures,
	};
	begin(&formats.list[formats.count - 1]);
	if ((old.formatProperties.linearTilingFeatures & ~features.linearTilingFeatures) ||
	    (old.formatProperties.optimalTilingFeatures & ~features.optimalTilingFeatures) ||
	    (old.formatProperties.bufferFeatures & ~features.bufferFeatures))
		fail(&formats.list[formats.count - 1],
		     "VkFormatProperties has features that VkFormatProperties3 has not");
}

static void list_formats(void)
{
	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
		for (uint32_t f = ranges[i].first; f <= ranges[i].last; f++)
			add(f);
}

static const struct format *find(VkFormat format)
{
	for (uint32_t i = 0; i < formats.count; i++)
		if (formats.list[i].format == format)
			return &formats.list[i];
	errx(1, "format %d is in no range", format);
}

static const struct format *find_name(const char *name)
{
	for (uint32_t i = 0; i < formats.count; i++)
		if (!strcmp(formats.list[i].name, name))
			return &formats.list[i];
	return NULL;
}

static VkFormatFeatureFlags2 features_of(const struct format *f, VkImageTiling tiling)
{
	return tiling == VK_IMAGE_TILING_LINEAR ? f->linear : f->optimal;
}

static VkImageUsageFlags usage_of(VkFormatFeatureFlags2 features)
{
	VkImageUsageFlags usage = 0;

	for (size_t i = 0; i < N_USAGES; i++)
		usage |= features & usages[i].feature ? usages[i].usage : 0;
	return usage;
}

static bool is_planar(const struct format *f)
{
	return vkuFormatIsMultiplane(f->format);
}

/* Images */

static VkImageCreateInfo image_info(const struct format *f, VkImageTiling tiling,
				    VkImageUsageFlags usage, VkImageCreateFlags flags)
{
	const VkExtent3D block = vkuFormatTexelBlockExtent(f->format);

	return (VkImageCreateInfo){
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.flags = flags,
		.imageType = VK_IMAGE_TYPE_2D,
		.format = f->format,
		.extent = { block.width * BLOCKS, block.height * BLOCKS, 1 },
		.mipLevels = 1,
		.arrayLayers = 1,
		.samples = 1,
		.tiling = tiling,
		.usage = usage,
	};
}

/* @list: the formats of views, or NULL. */
static VkResult query(const VkImageCreateInfo *info, const VkImageFormatListCreateInfo *list)
{
	const VkPhysicalDeviceImageFormatInfo2 asked = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2,
		.pNext = list,
		.format = info->format,
		.type = info->imageType,
		.tiling = info->tiling,
		.usage = info->usage,
		.flags = info->flags,
	};
	VkImageFormatProperties2 found = { .sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2 };
	VkResult result = vkGetPhysicalDeviceImageFormatProperties2(vk.physical, &asked, &found);
	const VkExtent3D *most = &found.imageFormatProperties.maxExtent;

	if (!result && (most->width < info->extent.width || most->height < info->extent.height))
		result = VK_ERROR_FORMAT_NOT_SUPPORTED;
	return result;
}

static VkImageAspectFlags aspects_of(VkFormat format)
{
	VkImageAspectFlags aspects = 0;

	if (vkuFormatHasDepth(format))
		aspects |= VK_IMAGE_ASPECT_DEPTH_BIT;
	if (vkuFormatHasStencil(format))
		aspects |= VK_IMAGE_ASPECT_STENCIL_BIT;
	return aspects ? aspects : VK_IMAGE_ASPECT_COLOR_BIT;
}

static void make_general(const struct vk_image *image)
{
	const VkImageMemoryBarrier barrier = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
		.newLayout = VK_IMAGE_LAYOUT_GENERAL,
		.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.image = image->image,
		.subresourceRange = vk_image_all(image),
	};
	VkCommandBuffer cmd = vk_begin();

	vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT,
			     VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1, &barrier);
	vk_run(cmd);
}

/* Makes an image with memory of its own, in layout GENERAL. Reports an error and returns false. */
static bool make_image(const struct format *f, const VkImageCreateInfo *info, struct vk_image *out)
{
	VkMemoryRequirements needs;
	VkMemoryAllocateInfo memory = { .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO };
	VkResult result;

	*out = (struct vk_image){ .aspects = aspects_of(f->format), .levels = 1, .layers = 1 };
	result = vkCreateImage(vk.device, info, NULL, &out->image);
	if (result)
		return fail(f, "vkCreateImage(usage 0x%x, tiling %d) is %d", info->usage,
			    info->tiling, result);
	vkGetImageMemoryRequirements(vk.device, out->image, &needs);
	memory.allocationSize = needs.size;
	memory.memoryTypeIndex = vk_memory_type(needs.memoryTypeBits);
	VK_CHECK(vkAllocateMemory(vk.device, &memory, NULL, &out->memory));
	VK_CHECK(vkBindImageMemory(vk.device, out->image, out->memory, 0));
	make_general(out);
	return true;
}

static VkResult make_view(const struct vk_image *image, VkFormat format, VkImageAspectFlags aspect,
			  VkImageUsageFlags usage, VkImageView *view)
{
	const VkImageViewUsageCreateInfo used = { VK_STRUCTURE_TYPE_IMAGE_VIEW_USAGE_CREATE_INFO,
						  NULL, usage };
	const VkImageViewCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
		.pNext = &used,
		.image = image->image,
		.viewType = VK_IMAGE_VIEW_TYPE_2D,
		.format = format,
		.subresourceRange = { aspect, 0, 1, 0, 1 },
	};

	return vkCreateImageView(vk.device, &info, NULL, view);
}

/*
 * Creates and destroys a view. sundog's Vulkan driver sends the packets with the next submission.
 */
static void try_view(const struct format *f, const struct vk_image *image, const struct format *as,
		     VkImageAspectFlags aspect, VkImageUsageFlags usage)
{
	VkImageView view;
	const VkResult result = make_view(image, as->format, aspect, usage, &view);

	if (result)
		fail(f, "vkCreateImageView(%s, usage 0x%x) is %d", as->name, usage, result);
	else
		vkDestroyImageView(vk.device, view, NULL);
}

/* Queries: which usages the device offers */

static void test_queries(void)
{
	static const VkImageTiling tilings[] = { VK_IMAGE_TILING_LINEAR, VK_IMAGE_TILING_OPTIMAL };

	for (uint32_t i = 0; i < formats.count; i++) {
		const struct format *f = &formats.list[i];

		begin(f);
		for (uint32_t t = 0; t < 2; t++) {
			const VkFormatFeatureFlags2 features = features_of(f, tilings[t]);

			for (size_t u = 0; u < N_USAGES; u++) {
				const VkImageCreateInfo info =
					image_info(f, tilings[t], usages[u].usage, 0);
				const bool offered = features & usages[u].feature,
					   has = !query(&info, NULL);

				if (has != offered)
					fail(f,
					     "usage 0x%x, tiling %d: feature %d, query %d",
					     usages[u].usage, tilings[t], offered, has);
			}
		}
	}
	finish("an image may have a usage exactly if its format has the feature");
}

/* Copies: the data that is copied to an image can be copied back */

/* The part of an image that one copy takes: a plane, an aspect, or all of it. */
struct part {
	VkImageAspectFlagBits aspect;
	uint32_t width, height; /* texels */
	uint32_t size; /* bytes of a texel, or a block, in a buffer */
	uint32_t blocks;
	VkFormat format; /* of a plane, else that of the image */
};

static struct part plane_part(const struct format *f, uint32_t plane)
{
	const VkImageAspectFlagBits aspect = plane_aspects[plane];
	const VkExtent2D divisors = vkuFindMultiplaneExtentDivisors(f->format, aspect);
	struct part part = {
		aspect,
		BLOCKS / divisors.width,
		BLOCKS / divisors.height,
		0,
		0,
		vkuFindMultiplaneCompatibleFormat(f->format, aspect),
	};

	part.blocks = part.width * part.height;
	part.size = vkuFormatTexelBlockSize(part.format);
	return part;
}

static uint32_t parts_of(const struct format *f, struct part parts[MAX_PLANES])
{
	const VkExtent3D block = vkuFormatTexelBlockExtent(f->format);
	const struct part whole = {
		VK_IMAGE_ASPECT_COLOR_BIT,          block.width * BLOCKS, block.height * BLOCKS,
		vkuFormatTexelBlockSize(f->format), BLOCKS * BLOCKS,      f->format,
	};
	uint32_t n = 0;

	if (is_planar(f)) {
		for (; n < vkuFormatPlaneCount(f->format); n++)
			parts[n] = plane_part(f, n);
		return n;
	}
	if (!vkuFormatIsDepthOrStencil(f->format)) {
		parts[n++] = whole;
		return n;
	}
	if (vkuFormatHasDepth(f->format)) {
		parts[n] = whole;
		parts[n].aspect = VK_IMAGE_ASPECT_DEPTH_BIT;
		parts[n++].size = vkuFormatDepthSize(f->format) == 16 ? 2 : 4;
	}
	if (vkuFormatHasStencil(f->format)) {
		parts[n] = whole;
		parts[n].aspect = VK_IMAGE_ASPECT_STENCIL_BIT;
		parts[n++].size = 1;
	}
	return n;
}

/* Returns the number of unused bits of a 16-bit channel. */
static uint32_t padding(VkFormat format)
{
	const char *name = string_VkFormat(format);

	return strstr(name, "10X6") ? 6 : strstr(name, "12X4") ? 4 : 0;
}

/* Returns the bits of a 32-bit word that contain data of the part. */
static uint32_t mask_of(const struct part *p)
{
	const uint32_t pad = padding(p->format), half = 0xffff & ~((1u << pad) - 1);

	if (p->aspect == VK_IMAGE_ASPECT_DEPTH_BIT && vkuFormatDepthSize(p->format) == 24)
		return 0xffffff;
	return pad ? half << 16 | half : 0xffffffff;
}

static size_t bytes_of(const struct part *p)
{
	return (size_t)p->blocks * p->size;
}

/* Fills @bytes with noise; depths in floats are numbers from 0 to 1. */
static void fill(const struct part *p, char *bytes)
{
	const uint32_t mask = mask_of(p);

	for (size_t i = 0; i < bytes_of(p); i++)
		bytes[i] = (rand() >> 3) & mask >> i % 4 * 8;
	if (p->aspect != VK_IMAGE_ASPECT_DEPTH_BIT || vkuFormatDepthSize(p->format) != 32)
		return;
	for (uint32_t i = 0; i < p->blocks; i++)
		((float *)bytes)[i] = (float)i / p->blocks;
}

static bool same(const struct part *p, const char *a, const char *b)
{
	const uint32_t mask = mask_of(p);

	for (size_t i = 0; i < bytes_of(p); i++)
		if ((a[i] ^ b[i]) & mask >> i % 4 * 8)
			return false;
	return true;
}

static VkBufferImageCopy buffer_copy(const struct part *p, VkDeviceSize at)
{
	return (VkBufferImageCopy){
		.bufferOffset = at,
		.imageSubresource = { p->aspect, 0, 0, 1 },
		.imageExtent = { p->width, p->height, 1 },
	};
}

static VkImageCopy image_copy(const struct part *p)
{
	return (VkImageCopy){
		.srcSubresource = { p->aspect, 0, 0, 1 },
		.dstSubresource = { p->aspect, 0, 0, 1 },
		.extent = { p->width, p->height, 1 },
	};
}

/* Copies from @from through both images to @to. */
static void copy_through(const struct part *p, const struct vk_image images[2],
			 const struct vk_buffer *from, const struct vk_buffer *to)
{
	const VkBufferImageCopy texels = buffer_copy(p, 0);
	const VkImageCopy between = image_copy(p);
	VkCommandBuffer cmd = vk_begin();

	vkCmdCopyBufferToImage(cmd, from->buffer, images[0].image, VK_IMAGE_LAYOUT_GENERAL, 1,
			       &texels);
	vk_barrier(cmd);
	vkCmdCopyImage(cmd, images[0].image, VK_IMAGE_LAYOUT_GENERAL, images[1].image,
		       VK_IMAGE_LAYOUT_GENERAL, 1, &between);
	vk_barrier(cmd);
	vkCmdCopyImageToBuffer(cmd, images[1].image, VK_IMAGE_LAYOUT_GENERAL, to->buffer, 1,
			       &texels);
	vk_barrier(cmd);
	vk_run(cmd);
}

static void read_part(const struct part *p, const struct vk_image *image,
		      const struct vk_buffer *to)
{
	const VkBufferImageCopy texels = buffer_copy(p, 0);
	VkCommandBuffer cmd = vk_begin();

	vk_barrier(cmd);
	vkCmdCopyImageToBuffer(cmd, image->image, VK_IMAGE_LAYOUT_GENERAL, to->buffer, 1, &texels);
	vk_barrier(cmd);
	vk_run(cmd);
}

/* Returns true if a clear to 1 in each channel sets all bits of a texel. */
static bool ones_are_all_bits(const struct format *f)
{
	return vkuFormatIsUNORM(f->format) || vkuFormatIsSRGB(f->format);
}

static void check_clears(const struct format *f, const struct vk_image *image, const struct part *p,
			 const struct vk_buffer *buffer)
{
	static const VkClearColorValue zeros = { .uint32 = { 0 } },
				       ones = { .float32 = { 1, 1, 1, 1 } };
	char expected[bytes_of(p)];

	vk_image_fill(image, &zeros);
	read_part(p, image, buffer);
	memset(expected, 0, sizeof(expected));
	if (!same(p, buffer->map, expected))
		fail(f, "a clear to zeros leaves other bits");
	if (!ones_are_all_bits(f))
		return;
	vk_image_fill(image, &ones);
	read_part(p, image, buffer);
	memset(expected, 0xff, sizeof(expected));
	if (!same(p, buffer->map, expected))
		fail(f, "a clear to ones leaves other bits");
}

static void check_copies(const struct format *f, const struct vk_image images[2])
{
	struct part parts[MAX_PLANES];
	const uint32_t n = parts_of(f, parts);

	for (uint32_t i = 0; i < n; i++) {
		const struct part *p = &parts[i];
		const struct vk_buffer from =
			vk_buffer_new(bytes_of(p), VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
		const struct vk_buffer to =
			vk_buffer_new(bytes_of(p), VK_BUFFER_USAGE_TRANSFER_DST_BIT);

		fill(p, from.map);
		memset(to.map, 0x5a, bytes_of(p));
		copy_through(p, images, &from, &to);
		if (!same(p, from.map, to.map))
			fail(f, "copies of aspect 0x%x bring other texels", p->aspect);
		if (p->aspect == VK_IMAGE_ASPECT_COLOR_BIT && !vkuFormatIsCompressed(f->format) &&
		    !vkuFormatRequiresYcbcrConversion(f->format))
			check_clears(f, &images[0], p, &to);
		vk_buffer_del(&from);
		vk_buffer_del(&to);
	}
}

static void test_copies(VkImageTiling tiling, const char *name)
{
	const VkImageUsageFlags both =
		VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;

	for (uint32_t i = 0; i < formats.count; i++) {
		const struct format *f = &formats.list[i];
		const VkImageCreateInfo info = image_info(f, tiling, both, 0);
		struct vk_image images[2];

		if (both & ~usage_of(features_of(f, tiling)))
			continue;
		begin(f);
		if (!make_image(f, &info, &images[0]))
			continue;
		if (make_image(f, &info, &images[1])) {
			check_copies(f, images);
			vk_image_del(&images[1]);
		}
		vk_image_del(&images[0]);
	}
	finish(name);
}

/*
 * Makes an image and a view for each usage. Views of all planes need a conversion: see vk-ycbcr.c.
 */
static void test_usages(VkImageTiling tiling, const char *name)
{
	for (uint32_t i = 0; i < formats.count; i++) {
		const struct format *f = &formats.list[i];

		if (!features_of(f, tiling))
			continue;
		begin(f);
		for (size_t u = 0; u < N_VIEW_USAGES; u++) {
			const VkImageCreateInfo info = image_info(f, tiling, usages[u].usage, 0);
			struct vk_image image;
			VkImageAspectFlags aspect = aspects_of(f->format);

			if (!(features_of(f, tiling) & usages[u].feature) ||
			    !make_image(f, &info, &image))
				continue;
			/* A sampled view has one aspect. */
			if (usages[u].usage == VK_IMAGE_USAGE_SAMPLED_BIT)
				aspect &= -aspect;
			if (!vkuFormatRequiresYcbcrConversion(f->format))
				try_view(f, &image, f, aspect, usages[u].usage);
			vk_image_del(&image);
		}
	}
	vk_run(vk_begin());
	finish(name);
}

/* Planes */

static double expected_value(VkFormat format, const void *texels, uint32_t i)
{
	const uint32_t pad = padding(format);

	if (vkuFormatElementSize(format) / vkuFormatComponentCount(format) == 1)
		return ((const uint8_t *)texels)[i] / 255.0;
	return (((const uint16_t *)texels)[i] >> pad) / (double)((1 << (16 - pad)) - 1);
}

/*
 * Drivers may implement a view of 10- or 12-bit channels as one of 16 bits; the difference is less
 * than a step.
 */
static double tolerance(VkFormat format)
{
	return padding(format) ? 1.0 / ((1 << (16 - padding(format))) - 1) : 2e-6;
}

static struct {
	struct vk_set set;
	VkPipelineLayout layout;
	VkPipeline pipeline;
	VkSampler sampler;
	struct vk_buffer texels; /* four floats for each texel */
} fetch;

static void make_fetch(void)
{
	static const VkDescriptorSetLayoutBinding bindings[] = {
		{ 0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, VK_SHADER_STAGE_COMPUTE_BIT,
		  NULL },
		{ 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL },
	};

	fetch.set = vk_set_new(bindings, 2);
	fetch.layout = vk_layout_new(&fetch.set.layout, 1, 0, 0);
	fetch.pipeline = vk_compute_new(fetch.layout, VK_CODE(formats_comp));
	fetch.sampler = vk_sampler_new((VkSamplerCreateInfo){ 0 });
	fetch.texels = vk_buffer_new(BLOCKS * BLOCKS * 16, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
	vk_write_buffer(fetch.set.set, 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, &fetch.texels);
}

static void drop_fetch(void)
{
	vk_buffer_del(&fetch.texels);
	vkDestroySampler(vk.device, fetch.sampler, NULL);
	vkDestroyPipeline(vk.device, fetch.pipeline, NULL);
	vkDestroyPipelineLayout(vk.device, fetch.layout, NULL);
	vk_set_del(&fetch.set);
}

static void upload(const struct part *p, const struct vk_image *image, const struct vk_buffer *from)
{
	const VkBufferImageCopy texels = buffer_copy(p, 0);
	VkCommandBuffer cmd = vk_begin();

	vkCmdCopyBufferToImage(cmd, from->buffer, image->image, VK_IMAGE_LAYOUT_GENERAL, 1,
			       &texels);
	vk_barrier(cmd);
	vk_run(cmd);
}

/* Reports a failure if a shader that reads through @view does not get @texels. */
static void check_view(const struct format *f, const struct part *p, VkImageView view,
		       const void *texels)
{
	const uint32_t channels = vkuFormatComponentCount(p->format);
	const float *seen = fetch.texels.map;

	vk_write_image(fetch.set.set, 0, 0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
		       fetch.sampler, view);
	memset(fetch.texels.map, 0, fetch.texels.size);
	vk_dispatch(fetch.pipeline, fetch.layout, fetch.set.set, NULL, 0);
	for (uint32_t i = 0; i < p->blocks * channels; i++) {
		const double expected = expected_value(p->format, texels, i),
			     got = seen[i / channels * 4 + i % channels];

		if (fabs(expected - got) > tolerance(p->format)) {
			fail(f, "plane 0x%x as %s: texel %u is %g, not %g", p->aspect,
			     find(p->format)->name, i / channels, got, expected);
			return;
		}
	}
}

static void check_plane(const struct format *f, const struct part *p, const struct vk_image *image)
{
	const struct vk_buffer texels =
		vk_buffer_new(bytes_of(p), VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
	VkImageView view;
	VkResult result;

	fill(p, texels.map);
	upload(p, image, &texels);
	result = make_view(image, p->format, p->aspect, VK_IMAGE_USAGE_SAMPLED_BIT, &view);
	if (result) {
		fail(f, "vkCreateImageView(%s, aspect 0x%x) is %d", find(p->format)->name,
		     p->aspect, result);
	} else {
		check_view(f, p, view, texels.map);
		vkDestroyImageView(vk.device, view, NULL);
	}
	vk_buffer_del(&texels);
}

static void test_planes(void)
{
	const VkFormatFeatureFlags2 needed = VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_BIT |
					     VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_FILTER_LINEAR_BIT |
					     VK_FORMAT_FEATURE_2_TRANSFER_SRC_BIT |
					     VK_FORMAT_FEATURE_2_TRANSFER_DST_BIT |
					     VK_FORMAT_FEATURE_2_HOST_IMAGE_TRANSFER_BIT_EXT;

	for (uint32_t i = 0; i < formats.count; i++) {
		const struct format *f = &formats.list[i];

		if (!is_planar(f) || !f->optimal)
			continue;
		begin(f);
		for (uint32_t p = 0; p < vkuFormatPlaneCount(f->format); p++) {
			const struct format *plane = find(
				vkuFindMultiplaneCompatibleFormat(f->format, plane_aspects[p]));
			const VkFormatFeatureFlags2 missing = f->optimal & needed & ~plane->optimal;
			const VkFormatFeatureFlags2 missing_linear =
				f->linear & needed & ~plane->linear;

			if (missing || missing_linear)
				fail(f,
				     "%s, the format of plane %u, lacks features 0x%llx (optimal), "
				     "0x%llx (linear)",
				     plane->name, p, (unsigned long long)missing,
				     (unsigned long long)missing_linear);
		}
	}
	finish("the format of a plane has the features of the format with that plane");
}

static void test_plane_views(void)
{
	const VkImageUsageFlags usage =
		VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;

	for (uint32_t i = 0; i < formats.count; i++) {
		const struct format *f = &formats.list[i];
		const VkImageCreateInfo info = image_info(f, VK_IMAGE_TILING_OPTIMAL, usage,
							  VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT);
		struct part parts[MAX_PLANES];
		struct vk_image image;

		if (!is_planar(f) || usage & ~usage_of(f->optimal))
			continue;
		begin(f);
		if (query(&info, NULL)) {
			fail(f, "an image cannot be mutable");
			continue;
		}
		if (!make_image(f, &info, &image))
			continue;
		for (uint32_t n = parts_of(f, parts), p = 0; p < n; p++)
			check_plane(f, &parts[p], &image);
		vk_image_del(&image);
	}
	finish("a shader reads each plane through a view in the format of the plane");
}

/* The same for images of each format that a plane may have. */
static void test_plane_images(void)
{
	const VkImageUsageFlags usage =
		VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
	static const VkFormat all[] = {
		VK_FORMAT_R8_UNORM,           VK_FORMAT_R8G8_UNORM,
		VK_FORMAT_R16_UNORM,          VK_FORMAT_R16G16_UNORM,
		VK_FORMAT_R10X6_UNORM_PACK16, VK_FORMAT_R10X6G10X6_UNORM_2PACK16,
		VK_FORMAT_R12X4_UNORM_PACK16, VK_FORMAT_R12X4G12X4_UNORM_2PACK16,
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		const struct format *f = find(all[i]);
		const VkImageCreateInfo info = image_info(f, VK_IMAGE_TILING_OPTIMAL, usage, 0);
		struct part parts[MAX_PLANES];
		struct vk_image image;

		if (usage & ~usage_of(f->optimal))
			continue;
		begin(f);
		if (!make_image(f, &info, &image))
			continue;
		parts_of(f, parts);
		check_plane(f, &parts[0], &image);
		vk_image_del(&image);
	}
	finish("a shader reads an image of one plane in the format of a plane");
}

/* sRGB twins */

static bool may_lack_twin(VkFormat format)
{
	for (size_t i = 0; i < sizeof(without_twin) / sizeof(without_twin[0]); i++)
		if (without_twin[i] == format)
			return true;
	return false;
}

/* Returns the linear twin of an sRGB format, or NULL. */
static const struct format *linear_twin(const struct format *f)
{
	const char *at = strstr(f->name, "SRGB");
	char name[128];

	if (!at)
		return NULL;
	snprintf(name, sizeof(name), "%.*sUNORM%s", (int)(at - f->name), f->name, at + 4);
	return find_name(name);
}

static void try_twins(const struct format *a, const struct format *b)
{
	const VkImageCreateInfo info =
		image_info(a, VK_IMAGE_TILING_OPTIMAL, VK_IMAGE_USAGE_SAMPLED_BIT,
			   VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT);
	const VkFormat views[] = { a->format, b->format };
	const VkImageFormatListCreateInfo list = { VK_STRUCTURE_TYPE_IMAGE_FORMAT_LIST_CREATE_INFO,
						   NULL, 2, views };
	VkImageCreateInfo listed = info;
	struct vk_image image;

	listed.pNext = &list;
	if (query(&info, &list)) {
		fail(a, "an image has no views of %s", b->name);
		return;
	}
	if (!make_image(a, &listed, &image))
		return;
	try_view(a, &image, a, VK_IMAGE_ASPECT_COLOR_BIT, VK_IMAGE_USAGE_SAMPLED_BIT);
	try_view(a, &image, b, VK_IMAGE_ASPECT_COLOR_BIT, VK_IMAGE_USAGE_SAMPLED_BIT);
	vk_image_del(&image);
}

static void test_twins(void)
{
	const VkFormatFeatureFlags2 sampled = VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_BIT |
					      VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_FILTER_LINEAR_BIT;

	for (uint32_t i = 0; i < formats.count; i++) {
		const struct format *srgb = &formats.list[i], *unorm = linear_twin(srgb);
		VkFormatFeatureFlags2 differing;

		if (!unorm)
			continue;
		begin(srgb);
		differing = (srgb->optimal ^ unorm->optimal) & sampled;
		if (differing && !(may_lack_twin(unorm->format) && !srgb->optimal))
			fail(srgb, "%s differs in features 0x%llx", unorm->name,
			     (unsigned long long)differing);
		if (srgb->optimal & unorm->optimal & VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_BIT) {
			try_twins(srgb, unorm);
			try_twins(unorm, srgb);
		}
	}
	vk_run(vk_begin());
	finish("an sRGB format can be sampled and filtered like its linear twin");
}

/* Compatibility classes */

static bool is_member(const struct format *f, const struct format *of)
{
	return f->optimal &&
	       vkuFormatCompatibilityClass(f->format) == vkuFormatCompatibilityClass(of->format);
}

static void try_class(const struct format *f)
{
	VkFormat views[MAX_FORMATS];
	VkImageFormatListCreateInfo list = { VK_STRUCTURE_TYPE_IMAGE_FORMAT_LIST_CREATE_INFO, NULL,
					     0, views };
	VkImageCreateInfo info = image_info(f, VK_IMAGE_TILING_OPTIMAL, usage_of(f->optimal),
					    VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT);
	VkImageUsageFlags usage;
	struct vk_image image;

	for (uint32_t i = 0; i < formats.count; i++)
		if (is_member(&formats.list[i], f))
			views[list.viewFormatCount++] = formats.list[i].format;
	if (query(&info, &list)) {
		fail(f, "an image with usage 0x%x has no views of its %u compatible formats",
		     info.usage, list.viewFormatCount);
		return;
	}
	info.pNext = &list;
	if (!make_image(f, &info, &image))
		return;
	for (uint32_t i = 0; i < formats.count; i++) {
		const struct format *as = &formats.list[i];

		if (!is_member(as, f))
			continue;
		usage = usage_of(f->optimal & as->optimal) & VIEW_USAGES;
		if (usage)
			try_view(f, &image, as, VK_IMAGE_ASPECT_COLOR_BIT, usage);
	}
	vk_run(vk_begin());
	vk_image_del(&image);
}

static void test_classes(void)
{
	for (uint32_t i = 0; i < formats.count; i++) {
		const struct format *f = &formats.list[i];

		if (!f->optimal || vkuFormatIsDepthOrStencil(f->format) ||
		    vkuFormatRequiresYcbcrConversion(f->format))
			continue;
		begin(f);
		try_class(f);
	}
	finish("a mutable image has views in all compatible formats");
}

/*
 * Images and views of formats without features are invalid usage. sundog returns an error for them
 * and keeps the device; other drivers may crash, so the test skips them.
 */
static void test_refusals(void)
{
	const struct format *viewed = find(VK_FORMAT_R8G8B8A8_UNORM);
	const VkImageCreateInfo info =
		image_info(viewed, VK_IMAGE_TILING_OPTIMAL, VK_IMAGE_USAGE_SAMPLED_BIT,
			   VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT);
	struct vk_image image;

	if (!strstr(vk.properties.deviceName, "sundog") || !make_image(viewed, &info, &image))
		return;
	for (uint32_t i = 0; i < formats.count; i++) {
		const struct format *f = &formats.list[i];
		const VkImageCreateInfo other =
			image_info(f, VK_IMAGE_TILING_OPTIMAL, VK_IMAGE_USAGE_SAMPLED_BIT, 0);
		VkImage made;
		VkImageView view;

		if (f->optimal || vkuFormatTexelBlockSize(f->format) != 4 ||
		    vkuFormatRequiresYcbcrConversion(f->format))
			continue;
		begin(f);
		if (vkCreateImage(vk.device, &other, NULL, &made) != VK_ERROR_FORMAT_NOT_SUPPORTED)
			fail(f, "vkCreateImage() does not refuse it");
		if (make_view(&image, f->format, VK_IMAGE_ASPECT_COLOR_BIT,
			      VK_IMAGE_USAGE_SAMPLED_BIT, &view) != VK_ERROR_FORMAT_NOT_SUPPORTED)
			fail(f, "vkCreateImageView() does not refuse it");
	}
	vk_run(vk_begin());
	vk_image_del(&image);
	finish("an image or a view of a format without features is refused");
}

static void print_table(void)
{
	for (uint32_t i = 0; i < formats.count; i++) {
		const struct format *f = &formats.list[i];

		if (f->linear | f->optimal | f->buffer)
			printf("%s 0x%llx 0x%llx 0x%llx\n", f->name, (unsigned long long)f->linear,
			       (unsigned long long)f->optimal, (unsigned long long)f->buffer);
	}
}

int main(int argc, char **argv)
{
	static const char *const wishes[] = {
		VK_KHR_IMAGE_FORMAT_LIST_EXTENSION_NAME,
		VK_KHR_FORMAT_FEATURE_FLAGS_2_EXTENSION_NAME,
		VK_KHR_MAINTENANCE_5_EXTENSION_NAME,
		VK_EXT_YCBCR_2PLANE_444_FORMATS_EXTENSION_NAME,
		NULL,
	};
	VkPhysicalDeviceSamplerYcbcrConversionFeatures ycbcr = {
		VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SAMPLER_YCBCR_CONVERSION_FEATURES,
		NULL,
		true,
	};

	vk.wishes = wishes;
	vk.features = &ycbcr;
	vk_open();
	list_formats();
	if (argc > 1 && !strcmp(argv[1], "--table")) {
		print_table();
		vk_close();
		return 0;
	}
	atexit(say_where);
	finish("VkFormatProperties has no feature that VkFormatProperties3 lacks");
	test_queries();
	test_usages(VK_IMAGE_TILING_OPTIMAL,
		    "an optimal image and its view can be made for each usage");
	test_usages(VK_IMAGE_TILING_LINEAR,
		    "a linear image and its view can be made for each usage");
	test_copies(VK_IMAGE_TILING_OPTIMAL,
		    "texels survive copies to, between and from optimal images");
	test_copies(VK_IMAGE_TILING_LINEAR,
		    "texels survive copies to, between and from linear images");
	make_fetch();
	test_planes();
	test_plane_views();
	test_plane_images();
	drop_fetch();
	test_twins();
	test_classes();
	test_refusals();
	vk_close();
	return tap_failures() != 0;
}
