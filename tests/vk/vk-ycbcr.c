// SPDX-License-Identifier: MIT
/*
 * Vulkan: multi-planar images and samplers with Y'CbCr conversion. A second implementation of the
 * specification's "Sampler Y'CbCr Conversion" on the CPU computes the expected values. Prints TAP.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vk-pipeline.h"

#include "vk-ycbcr-shaders.h"

#define WIDTH 24
#define HEIGHT 16
#define LAYERS 2
#define PLANES 3
#define PLACES 64	/* invocations */
#define WAYS 10		/* ways to sample, see the shader */
#define OTHER_WAY 9	/* way that uses the other sampler */
#define BINDINGS 6

enum { CR, Y, CB };	/* the order of Vulkan: red, green and blue */

static const struct format {
	VkFormat format;
	const char *name;
	uint32_t planes, scale_x, scale_y;	/* of chroma */
	uint32_t bits, below;			/* bits of a channel, and unused bits below them */
} formats[] = {
	{ VK_FORMAT_G8_B8R8_2PLANE_420_UNORM, "8 bits, 2 planes, 4:2:0", 2, 2, 2, 8, 0 },
	{ VK_FORMAT_G8_B8_R8_3PLANE_420_UNORM, "8 bits, 3 planes, 4:2:0", 3, 2, 2, 8, 0 },
	{ VK_FORMAT_G8_B8R8_2PLANE_422_UNORM, "8 bits, 2 planes, 4:2:2", 2, 2, 1, 8, 0 },
	{ VK_FORMAT_G8_B8_R8_3PLANE_422_UNORM, "8 bits, 3 planes, 4:2:2", 3, 2, 1, 8, 0 },
	{ VK_FORMAT_G8_B8_R8_3PLANE_444_UNORM, "8 bits, 3 planes, 4:4:4", 3, 1, 1, 8, 0 },
	{ VK_FORMAT_G8_B8R8_2PLANE_444_UNORM, "8 bits, 2 planes, 4:4:4", 2, 1, 1, 8, 0 },
	{ VK_FORMAT_G10X6_B10X6R10X6_2PLANE_420_UNORM_3PACK16, "10 bits, 2 planes, 4:2:0", 2, 2, 2,
	  10, 6 },
	{ VK_FORMAT_G10X6_B10X6_R10X6_3PLANE_420_UNORM_3PACK16, "10 bits, 3 planes, 4:2:0", 3, 2, 2,
	  10, 6 },
	{ VK_FORMAT_G10X6_B10X6R10X6_2PLANE_422_UNORM_3PACK16, "10 bits, 2 planes, 4:2:2", 2, 2, 1,
	  10, 6 },
	{ VK_FORMAT_G10X6_B10X6_R10X6_3PLANE_422_UNORM_3PACK16, "10 bits, 3 planes, 4:2:2", 3, 2, 1,
	  10, 6 },
	{ VK_FORMAT_G10X6_B10X6_R10X6_3PLANE_444_UNORM_3PACK16, "10 bits, 3 planes, 4:4:4", 3, 1, 1,
	  10, 6 },
	{ VK_FORMAT_G10X6_B10X6R10X6_2PLANE_444_UNORM_3PACK16, "10 bits, 2 planes, 4:4:4", 2, 1, 1,
	  10, 6 },
	{ VK_FORMAT_G12X4_B12X4R12X4_2PLANE_420_UNORM_3PACK16, "12 bits, 2 planes, 4:2:0", 2, 2, 2,
	  12, 4 },
	{ VK_FORMAT_G12X4_B12X4_R12X4_3PLANE_420_UNORM_3PACK16, "12 bits, 3 planes, 4:2:0", 3, 2, 2,
	  12, 4 },
	{ VK_FORMAT_G12X4_B12X4R12X4_2PLANE_422_UNORM_3PACK16, "12 bits, 2 planes, 4:2:2", 2, 2, 1,
	  12, 4 },
	{ VK_FORMAT_G12X4_B12X4_R12X4_3PLANE_422_UNORM_3PACK16, "12 bits, 3 planes, 4:2:2", 3, 2, 1,
	  12, 4 },
	{ VK_FORMAT_G12X4_B12X4_R12X4_3PLANE_444_UNORM_3PACK16, "12 bits, 3 planes, 4:4:4", 3, 1, 1,
	  12, 4 },
	{ VK_FORMAT_G12X4_B12X4R12X4_2PLANE_444_UNORM_3PACK16, "12 bits, 2 planes, 4:4:4", 2, 1, 1,
	  12, 4 },
	{ VK_FORMAT_G16_B16R16_2PLANE_420_UNORM, "16 bits, 2 planes, 4:2:0", 2, 2, 2, 16, 0 },
	{ VK_FORMAT_G16_B16_R16_3PLANE_420_UNORM, "16 bits, 3 planes, 4:2:0", 3, 2, 2, 16, 0 },
	{ VK_FORMAT_G16_B16R16_2PLANE_422_UNORM, "16 bits, 2 planes, 4:2:2", 2, 2, 1, 16, 0 },
	{ VK_FORMAT_G16_B16_R16_3PLANE_422_UNORM, "16 bits, 3 planes, 4:2:2", 3, 2, 1, 16, 0 },
	{ VK_FORMAT_G16_B16_R16_3PLANE_444_UNORM, "16 bits, 3 planes, 4:4:4", 3, 1, 1, 16, 0 },
	{ VK_FORMAT_G16_B16R16_2PLANE_444_UNORM, "16 bits, 2 planes, 4:4:4", 2, 1, 1, 16, 0 },
};

static const VkImageAspectFlagBits plane_aspects[PLANES] = {
	VK_IMAGE_ASPECT_PLANE_0_BIT, VK_IMAGE_ASPECT_PLANE_1_BIT, VK_IMAGE_ASPECT_PLANE_2_BIT,
};

/* An image with noise. */
struct picture {
	const struct format *format;
	/* CR, Y, CB; chroma uses the beginning of its rows and columns only */
	uint16_t channels[3][LAYERS][HEIGHT][WIDTH];
	VkImage image;
	VkDeviceMemory memory[PLANES];
	struct vk_buffer texels;			/* the planes, one after the other */
};

static struct {
	struct vk_buffer places, results;
	const uint32_t *code;		/* of the shader */
	size_t code_size;
} things;

/* Pictures */

static uint32_t plane_width(const struct format *f, uint32_t plane)
{
	return plane ? WIDTH / f->scale_x : WIDTH;
}

static uint32_t plane_height(const struct format *f, uint32_t plane)
{
	return plane ? HEIGHT / f->scale_y : HEIGHT;
}

/* Writes the channels of a plane to @channels, in their order; returns their number. */
static uint32_t plane_channels(const struct format *f, uint32_t plane, uint32_t channels[2])
{
	channels[0] = plane == 0 ? Y : plane == 1 ? CB : CR;
	channels[1] = CR;
	return plane == 1 && f->planes == 2 ? 2 : 1;
}

static size_t plane_size(const struct format *f, uint32_t plane)
{
	uint32_t channels[2];

	return (size_t)plane_width(f, plane) * plane_height(f, plane) * LAYERS *
	       plane_channels(f, plane, channels) * (f->bits > 8 ? 2 : 1);
}

static size_t plane_start(const struct format *f, uint32_t plane)
{
	size_t start = 0;

	for (uint32_t i = 0; i < plane; i++)
		start += plane_size(f, i);
	return start;
}

static void put_texel(const struct format *f, void *texels, size_t n, uint32_t value)
{
	if (f->bits > 8)
		((uint16_t *)texels)[n] = value << f->below;
	else
		((uint8_t *)texels)[n] = value;
}

static void fill_plane(struct picture *p, uint32_t plane)
{
	const struct format *f = p->format;
	uint32_t channels[2];
	const uint32_t n = plane_channels(f, plane, channels);
	char *texels = (char *)p->texels.map + plane_start(f, plane);
	size_t at = 0;

	for (uint32_t layer = 0; layer < LAYERS; layer++)
		for (uint32_t y = 0; y < plane_height(f, plane); y++)
			for (uint32_t x = 0; x < plane_width(f, plane); x++)
				for (uint32_t i = 0; i < n; i++) {
					uint16_t *channel = &p->channels[channels[i]][layer][y][x];

					*channel = (uint32_t)rand() & ((1u << f->bits) - 1);
					put_texel(f, texels, at++, *channel);
				}
}

static VkBufferImageCopy plane_copy(const struct format *f, uint32_t plane)
{
	return (VkBufferImageCopy){
		.bufferOffset = plane_start(f, plane),
		.imageSubresource = { plane_aspects[plane], 0, 0, LAYERS },
		.imageExtent = { plane_width(f, plane), plane_height(f, plane), 1 },
	};
}

static void upload(const struct picture *p)
{
	const VkImageMemoryBarrier barrier = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
		.dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
		.newLayout = VK_IMAGE_LAYOUT_GENERAL,
		.image = p->image,
		.subresourceRange = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, LAYERS },
	};
	VkBufferImageCopy copies[PLANES];
	VkCommandBuffer cmd = vk_begin();

	for (uint32_t i = 0; i < p->format->planes; i++)
		copies[i] = plane_copy(p->format, i);
	vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT,
			     0, 0, NULL, 0, NULL, 1, &barrier);
	vkCmdCopyBufferToImage(cmd, p->texels.buffer, p->image, VK_IMAGE_LAYOUT_GENERAL,
			       p->format->planes, copies);
	vk_barrier(cmd);
	vk_run(cmd);
}

static VkDeviceMemory memory_new(const VkMemoryRequirements *needed)
{
	const VkMemoryAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = needed->size,
		.memoryTypeIndex = vk_memory_type(needed->memoryTypeBits),
	};
	VkDeviceMemory memory;

	VK_CHECK(vkAllocateMemory(vk.device, &info, NULL, &memory));
	return memory;
}

static void bind_whole(struct picture *p)
{
	VkMemoryRequirements needed;

	vkGetImageMemoryRequirements(vk.device, p->image, &needed);
	p->memory[0] = memory_new(&needed);
	VK_CHECK(vkBindImageMemory(vk.device, p->image, p->memory[0], 0));
}

static void bind_planes(struct picture *p)
{
	VkBindImagePlaneMemoryInfo planes[PLANES];
	VkBindImageMemoryInfo binds[PLANES];

	for (uint32_t i = 0; i < p->format->planes; i++) {
		const VkImagePlaneMemoryRequirementsInfo plane = {
			.sType = VK_STRUCTURE_TYPE_IMAGE_PLANE_MEMORY_REQUIREMENTS_INFO,
			.planeAspect = plane_aspects[i],
		};
		const VkImageMemoryRequirementsInfo2 info = {
			.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_REQUIREMENTS_INFO_2,
			.pNext = &plane,
			.image = p->image,
		};
		VkMemoryRequirements2 needed = { .sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2 };

		vkGetImageMemoryRequirements2(vk.device, &info, &needed);
		p->memory[i] = memory_new(&needed.memoryRequirements);
		planes[i] = (VkBindImagePlaneMemoryInfo){
			.sType = VK_STRUCTURE_TYPE_BIND_IMAGE_PLANE_MEMORY_INFO,
			.planeAspect = plane_aspects[i],
		};
		binds[i] = (VkBindImageMemoryInfo){
			.sType = VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_INFO,
			.pNext = &planes[i],
			.image = p->image,
			.memory = p->memory[i],
		};
	}
	VK_CHECK(vkBindImageMemory2(vk.device, p->format->planes, binds));
}

static struct picture *picture_new(const struct format *format, VkImageCreateFlags flags)
{
	const VkImageCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.flags = flags,
		.imageType = VK_IMAGE_TYPE_2D,
		.format = format->format,
		.extent = { WIDTH, HEIGHT, 1 },
		.mipLevels = 1,
		.arrayLayers = LAYERS,
		.samples = 1,
		.usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |
			 VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
	};
	struct picture *p = calloc(1, sizeof(*p));

	p->format = format;
	p->texels =
		vk_buffer_new(plane_start(format, format->planes),
			      VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT);
	for (uint32_t i = 0; i < format->planes; i++)
		fill_plane(p, i);
	VK_CHECK(vkCreateImage(vk.device, &info, NULL, &p->image));
	if (flags & VK_IMAGE_CREATE_DISJOINT_BIT)
		bind_planes(p);
	else
		bind_whole(p);
	upload(p);
	return p;
}

static void picture_del(struct picture *p)
{
	vkDestroyImage(vk.device, p->image, NULL);
	for (uint32_t i = 0; i < PLANES; i++)
		vkFreeMemory(vk.device, p->memory[i], NULL);
	vk_buffer_del(&p->texels);
	free(p);
}

/* Expected values */

static double texel(const struct picture *p, uint32_t channel, uint32_t layer, int x, int y)
{
	const int width = plane_width(p->format, channel != Y),
		  height = plane_height(p->format, channel != Y);

	x = x < 0 ? 0 : x < width ? x : width - 1;
	y = y < 0 ? 0 : y < height ? y : height - 1;
	return p->channels[channel][layer][y][x] / ((1u << p->format->bits) - 1.0);
}

static double between(double a, double b, double share)
{
	return a + (b - a) * share;
}

/* @x, @y: in texels of the channel. */
static double filtered(const struct picture *p, uint32_t channel, uint32_t layer, double x,
		       double y, VkFilter filter)
{
	const double left = floor(x - 0.5), top = floor(y - 0.5);

	if (filter == VK_FILTER_NEAREST)
		return texel(p, channel, layer, (int)floor(x), (int)floor(y));
	return between(between(texel(p, channel, layer, (int)left, (int)top),
			       texel(p, channel, layer, (int)left + 1, (int)top), x - 0.5 - left),
		       between(texel(p, channel, layer, (int)left, (int)top + 1),
			       texel(p, channel, layer, (int)left + 1, (int)top + 1),
			       x - 0.5 - left),
		       y - 0.5 - top);
}

/*
 * Converts the coordinate @at from luma texels to chroma texels. The first chroma sample is cosited
 * with the first luma sample, or at the midpoint of two.
 */
static double chroma_place(double at, uint32_t scale, VkChromaLocation location)
{
	if (scale == 1)
		return at;
	return (at + (location == VK_CHROMA_LOCATION_COSITED_EVEN ? 0.5 : 0)) / scale;
}

static void expand(const struct format *f, const VkSamplerYcbcrConversionCreateInfo *c, double v[3])
{
	const double most = (1u << f->bits) - 1.0, step = 1u << (f->bits - 8);

	if (c->ycbcrModel == VK_SAMPLER_YCBCR_MODEL_CONVERSION_RGB_IDENTITY)
		return;
	if (c->ycbcrRange == VK_SAMPLER_YCBCR_RANGE_ITU_FULL) {
		v[CR] -= (1u << (f->bits - 1)) / most;
		v[CB] -= (1u << (f->bits - 1)) / most;
		return;
	}
	v[Y] = (v[Y] * most - 16 * step) / (219 * step);
	v[CR] = (v[CR] * most - 128 * step) / (224 * step);
	v[CB] = (v[CB] * most - 128 * step) / (224 * step);
}

/* The coefficients are those that the specification prints. */
static void to_rgb(const VkSamplerYcbcrConversionCreateInfo *c, const double v[3], double rgb[3])
{
	static const struct { double red, green_cb, green_cr, blue;
	} factors[] = {
		[VK_SAMPLER_YCBCR_MODEL_CONVERSION_YCBCR_709] = { 1.5748, -0.13397432 / 0.7152,
								  -0.33480248 / 0.7152, 1.8556 },
		[VK_SAMPLER_YCBCR_MODEL_CONVERSION_YCBCR_601] = { 1.402, -0.202008 / 0.587,
								  -0.419198 / 0.587, 1.772 },
		[VK_SAMPLER_YCBCR_MODEL_CONVERSION_YCBCR_2020] = { 1.4746, -0.11156702 / 0.6780,
								   -0.38737742 / 0.6780, 1.8814 },
	};

	if (c->ycbcrModel < VK_SAMPLER_YCBCR_MODEL_CONVERSION_YCBCR_709) {
		memcpy(rgb, v, 3 * sizeof(*v));
		return;
	}
	rgb[0] = v[Y] + factors[c->ycbcrModel].red * v[CR];
	rgb[1] = v[Y] + factors[c->ycbcrModel].green_cb * v[CB] +
		 factors[c->ycbcrModel].green_cr * v[CR];
	rgb[2] = v[Y] + factors[c->ycbcrModel].blue * v[CB];
}

static double swizzled(VkComponentSwizzle swizzle, const double v[4], uint32_t i)
{
	switch (swizzle) {
	case VK_COMPONENT_SWIZZLE_IDENTITY:
		return v[i];
	case VK_COMPONENT_SWIZZLE_ZERO:
		return 0;
	case VK_COMPONENT_SWIZZLE_ONE:
		return 1;
	default:
		return v[swizzle - VK_COMPONENT_SWIZZLE_R];
	}
}

static void expect(const struct picture *p, const VkSamplerYcbcrConversionCreateInfo *c,
		   uint32_t layer, const float *at, double out[4])
{
	const double x = at[0] * WIDTH, y = at[1] * HEIGHT;
	const double cx = chroma_place(x, p->format->scale_x, c->xChromaOffset);
	const double cy = chroma_place(y, p->format->scale_y, c->yChromaOffset);
	const double read[4] = {
		filtered(p, CR, layer, cx, cy, c->chromaFilter),
		filtered(p, Y, layer, x, y, c->chromaFilter),
		filtered(p, CB, layer, cx, cy, c->chromaFilter),
		1,
	};
	double v[4] = {
		swizzled(c->components.r, read, 0),
		swizzled(c->components.g, read, 1),
		swizzled(c->components.b, read, 2),
		swizzled(c->components.a, read, 3),
	};

	expand(p->format, c, v);
	to_rgb(c, v, out);
	out[3] = v[3];
}

/* Sampling */

static VkImageView view_new(const struct picture *p, VkFormat format, VkImageAspectFlags aspect,
			    VkImageViewType type, uint32_t first, uint32_t layers,
			    VkSamplerYcbcrConversion conversion)
{
	const VkSamplerYcbcrConversionInfo ycbcr = {
		.sType = VK_STRUCTURE_TYPE_SAMPLER_YCBCR_CONVERSION_INFO, .conversion = conversion,
	};
	const VkImageViewCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
		.pNext = conversion ? &ycbcr : NULL,
		.image = p->image,
		.viewType = type,
		.format = format,
		.subresourceRange = { aspect, 0, 1, first, layers },
	};
	VkImageView view;

	VK_CHECK(vkCreateImageView(vk.device, &info, NULL, &view));
	return view;
}

static VkSampler sampler_new(VkFilter filter, VkSamplerYcbcrConversion conversion)
{
	const VkSamplerYcbcrConversionInfo ycbcr = {
		.sType = VK_STRUCTURE_TYPE_SAMPLER_YCBCR_CONVERSION_INFO, .conversion = conversion,
	};

	return vk_sampler_new((VkSamplerCreateInfo){
		.pNext = conversion ? &ycbcr : NULL,
		.magFilter = filter,
		.minFilter = filter,
		.addressModeU = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
		.addressModeV = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
		.addressModeW = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
	});
}

/* views[0] has both layers, the others have one each. */
static void write_set(VkDescriptorSet set, const VkImageView views[1 + LAYERS])
{
	const VkDescriptorImageInfo images[] = {
		{ VK_NULL_HANDLE, views[1], VK_IMAGE_LAYOUT_GENERAL },
		{ VK_NULL_HANDLE, views[2], VK_IMAGE_LAYOUT_GENERAL },
		{ VK_NULL_HANDLE, views[1], VK_IMAGE_LAYOUT_GENERAL },
		{ VK_NULL_HANDLE, views[0], VK_IMAGE_LAYOUT_GENERAL },
	};
	const VkDescriptorImageInfo pair[] = { images[0], images[0] };
	const VkDescriptorBufferInfo buffers[] = {
		{ things.places.buffer, 0, VK_WHOLE_SIZE },
		{ things.results.buffer, 0, VK_WHOLE_SIZE },
	};
	const VkWriteDescriptorSet writes[] = {
		/* The write continues in the next bindings. */
		{ VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, NULL, set, 0, 0, 4,
		  VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, images, NULL, NULL },
		{ VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, NULL, set, 3, 0, 2,
		  VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, NULL, buffers, NULL },
		{ VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, NULL, set, 5, 0, 2,
		  VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, pair, NULL, NULL },
	};

	vkUpdateDescriptorSets(vk.device, 3, writes, 0, NULL);
}

static void copy_set(VkDescriptorSet from, VkDescriptorSet to)
{
	VkCopyDescriptorSet copies[BINDINGS];

	for (uint32_t i = 0; i < BINDINGS; i++)
		copies[i] = (VkCopyDescriptorSet){
			.sType = VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET,
			.srcSet = from,
			.srcBinding = i,
			.dstSet = to,
			.dstBinding = i,
			.descriptorCount = i == 1 || i == 5 ? 2 : 1,
		};
	vkUpdateDescriptorSets(vk.device, 0, NULL, BINDINGS, copies);
}

static void dispatch(VkPipelineLayout layout, VkDescriptorSet set)
{
	const VkSpecializationMapEntry second = { 0, 0, 4 };
	const VkSpecializationInfo constants = { 1, &second, 4, &(const uint32_t){ 1 } };
	VkComputePipelineCreateInfo info = vk_compute_info(layout, things.code, things.code_size);
	VkPipeline pipeline;

	info.stage.pSpecializationInfo = &constants;
	VK_CHECK(vk_compute_try(&info, &pipeline));
	vk_dispatch(pipeline, layout, set, NULL, 0);
	vkDestroyPipeline(vk.device, pipeline, NULL);
}

/* Samples the views in all ways, with immutable samplers. */
static void sample(VkSampler sampler, VkSampler other, const VkImageView views[1 + LAYERS])
{
	const VkSampler samplers[] = { sampler, sampler }, pair[] = { sampler, other };
	const VkShaderStageFlags stage = VK_SHADER_STAGE_COMPUTE_BIT;
	const VkDescriptorSetLayoutBinding bindings[] = {
		{ 0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, stage, samplers },
		{ 1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 2, stage, samplers },
		{ 2, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, stage, samplers },
		{ 3, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, stage, NULL },
		{ 4, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, stage, NULL },
		{ 5, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 2, stage, pair },
	};
	const struct vk_set written = vk_set_new(bindings, BINDINGS),
			    copied = vk_set_new(bindings, BINDINGS);
	VkPipelineLayout layout = vk_layout_new(&copied.layout, 1, 0, 0);

	memset(things.results.map, 0xff, things.results.size);
	write_set(written.set, views);
	copy_set(written.set, copied.set);
	dispatch(layout, copied.set);
	vkDestroyPipelineLayout(vk.device, layout, NULL);
	vk_set_del(&written);
	vk_set_del(&copied);
}

static uint32_t layer_of(uint32_t way)
{
	return way > 4 && way < 8;
}

/* Returns true if @seen differs from @expected by at most @error. */
static bool is_near(const float *seen, const double expected[4], double error, uint32_t place,
		    uint32_t way)
{
	for (uint32_t i = 0; i < 4; i++) {
		if (fabs(seen[i] - expected[i]) <= error)
			continue;
		printf("# place %u, way %u, component %u: %f, not %f\n", place, way, i, seen[i],
		       expected[i]);
		return false;
	}
	return true;
}

/* Linear filtering of 8-bit texels may have 8 bits of precision. */
static double allowed(VkFilter filter)
{
	return filter == VK_FILTER_NEAREST ? 0.0001 : 0.03;
}

/* Returns @info, or, for the way with the other sampler, an identity conversion. */
static VkSamplerYcbcrConversionCreateInfo info_of(const VkSamplerYcbcrConversionCreateInfo *info,
						  uint32_t way)
{
	VkSamplerYcbcrConversionCreateInfo other = *info;

	other.ycbcrModel = VK_SAMPLER_YCBCR_MODEL_CONVERSION_RGB_IDENTITY;
	return way == OTHER_WAY ? other : *info;
}

static bool is_converted(const struct picture *p, const VkSamplerYcbcrConversionCreateInfo *info,
			 uint32_t place, uint32_t way)
{
	const VkSamplerYcbcrConversionCreateInfo of_way = info_of(info, way);
	double expected[4];

	expect(p, &of_way, layer_of(way), (const float *)things.places.map + place * 2, expected);
	return is_near((const float *)things.results.map + (place * WAYS + way) * 4, expected,
		       allowed(info->chromaFilter), place, way);
}

static bool converts(const struct picture *p, const VkSamplerYcbcrConversionCreateInfo *info)
{
	const VkSamplerYcbcrConversionCreateInfo other = info_of(info, OTHER_WAY);
	const VkFormat format = p->format->format;
	const VkImageAspectFlags color = VK_IMAGE_ASPECT_COLOR_BIT;
	VkSamplerYcbcrConversion conversions[2];
	VkImageView views[1 + LAYERS];
	VkSampler samplers[2];
	bool ok = true;

	VK_CHECK(vkCreateSamplerYcbcrConversion(vk.device, info, NULL, &conversions[0]));
	VK_CHECK(vkCreateSamplerYcbcrConversion(vk.device, &other, NULL, &conversions[1]));
	for (uint32_t i = 0; i < 2; i++)
		samplers[i] = sampler_new(info->chromaFilter, conversions[i]);
	views[0] =
		view_new(p, format, color, VK_IMAGE_VIEW_TYPE_2D_ARRAY, 0, LAYERS, conversions[0]);
	for (uint32_t i = 0; i < LAYERS; i++)
		views[1 + i] =
			view_new(p, format, color, VK_IMAGE_VIEW_TYPE_2D, i, 1, conversions[0]);
	sample(samplers[0], samplers[1], views);
	for (uint32_t i = 0; i < PLACES && ok; i++)
		for (uint32_t way = 0; way < WAYS && ok; way++)
			ok = is_converted(p, info, i, way);
	for (uint32_t i = 0; i < 1 + LAYERS; i++)
		vkDestroyImageView(vk.device, views[i], NULL);
	for (uint32_t i = 0; i < 2; i++) {
		vkDestroySampler(vk.device, samplers[i], NULL);
		vkDestroySamplerYcbcrConversion(vk.device, conversions[i], NULL);
	}
	return ok;
}

static VkSamplerYcbcrConversionCreateInfo conversion_of(const struct format *format)
{
	return (VkSamplerYcbcrConversionCreateInfo){
		.sType = VK_STRUCTURE_TYPE_SAMPLER_YCBCR_CONVERSION_CREATE_INFO,
		.format = format->format,
		.ycbcrModel = VK_SAMPLER_YCBCR_MODEL_CONVERSION_YCBCR_709,
		.ycbcrRange = VK_SAMPLER_YCBCR_RANGE_ITU_NARROW,
		.xChromaOffset = VK_CHROMA_LOCATION_COSITED_EVEN,
		.yChromaOffset = VK_CHROMA_LOCATION_MIDPOINT,
		.chromaFilter = VK_FILTER_NEAREST,
	};
}

/* Tests */

static void test_formats(void)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		VkSamplerYcbcrConversionCreateInfo info = conversion_of(&formats[i]);
		VkFormatProperties properties;
		struct picture *p;

		vkGetPhysicalDeviceFormatProperties(vk.physical, formats[i].format, &properties);
		if (!(properties.optimalTilingFeatures &
		      VK_FORMAT_FEATURE_COSITED_CHROMA_SAMPLES_BIT)) {
			tap(false, "%s can be converted", formats[i].name);
			continue;
		}
		p = picture_new(&formats[i], 0);
		tap(converts(p, &info), "%s is converted", formats[i].name);
		/* The full range depends on the number of bits. */
		info.ycbcrRange = VK_SAMPLER_YCBCR_RANGE_ITU_FULL;
		tap(converts(p, &info), "and with all of its range");
		picture_del(p);
	}
}

static void test_models(void)
{
	static const char *const names[] = { "RGB", "YCbCr", "BT.709", "BT.601", "BT.2020" };
	VkSamplerYcbcrConversionCreateInfo info = conversion_of(&formats[0]);
	struct picture *p = picture_new(&formats[0], 0);

	for (uint32_t i = 0; i < 5; i++) {
		info.ycbcrModel = i;
		info.ycbcrRange = VK_SAMPLER_YCBCR_RANGE_ITU_FULL;
		tap(converts(p, &info), "%s, all of the range", names[i]);
		info.ycbcrRange = VK_SAMPLER_YCBCR_RANGE_ITU_NARROW;
		tap(converts(p, &info), "%s, the narrow range", names[i]);
	}
	info.components =
		(VkComponentMapping){ .r = VK_COMPONENT_SWIZZLE_B, .b = VK_COMPONENT_SWIZZLE_R };
	tap(converts(p, &info), "Cr and Cb in each other's place");
	info.components = (VkComponentMapping){ .a = VK_COMPONENT_SWIZZLE_ZERO };
	tap(converts(p, &info), "an alpha of zero");
	picture_del(p);
}

static void test_filters(void)
{
	VkSamplerYcbcrConversionCreateInfo info = conversion_of(&formats[0]);
	struct picture *p = picture_new(&formats[0], 0);

	for (uint32_t i = 0; i < 8; i++) {
		info.xChromaOffset = i & 1;
		info.yChromaOffset = i >> 1 & 1;
		info.chromaFilter = i >> 2;
		tap(converts(p, &info), "chroma%s in x and%s in y, filter %s",
		    i & 1 ? " between" : "", i & 2 ? " between" : "", i & 4 ? "linear" : "nearest");
	}
	picture_del(p);
}

static void test_disjoint(void)
{
	for (uint32_t i = 0; i < 2; i++) {
		const VkSamplerYcbcrConversionCreateInfo info = conversion_of(&formats[i]);
		struct picture *p = picture_new(&formats[i], VK_IMAGE_CREATE_DISJOINT_BIT);

		tap(converts(p, &info), "%s, each in memory of its own", formats[i].name);
		picture_del(p);
	}
}

/* Samples a view of one plane without a conversion. */
static bool plane_is_seen(const struct picture *p)
{
	VkSampler sampler = sampler_new(VK_FILTER_NEAREST, VK_NULL_HANDLE);
	const VkImageAspectFlags aspect = VK_IMAGE_ASPECT_PLANE_1_BIT;
	VkImageView views[1 + LAYERS];
	bool ok = true;

	views[0] = view_new(p, VK_FORMAT_R8G8_UNORM, aspect, VK_IMAGE_VIEW_TYPE_2D_ARRAY, 0, LAYERS,
			    VK_NULL_HANDLE);
	for (uint32_t i = 0; i < LAYERS; i++)
		views[1 + i] = view_new(p, VK_FORMAT_R8G8_UNORM, aspect, VK_IMAGE_VIEW_TYPE_2D, i,
					1, VK_NULL_HANDLE);
	sample(sampler, sampler, views);
	for (uint32_t i = 0; i < PLACES && ok; i++)
		for (uint32_t way = 0; way < WAYS && ok; way++) {
			const float *at = (const float *)things.places.map + i * 2;
			const double x = at[0] * WIDTH / 2, y = at[1] * HEIGHT / 2;
			const double expected[4] = {
				filtered(p, CB, layer_of(way), x, y, VK_FILTER_NEAREST),
				filtered(p, CR, layer_of(way), x, y, VK_FILTER_NEAREST), 0, 1,
			};

			ok = is_near((const float *)things.results.map + (i * WAYS + way) * 4,
				     expected, 0.0001, i, way);
		}
	for (uint32_t i = 0; i < 1 + LAYERS; i++)
		vkDestroyImageView(vk.device, views[i], NULL);
	vkDestroySampler(vk.device, sampler, NULL);
	return ok;
}

/* Copies a plane to an image with the plane's format, and from there to memory. */
static bool plane_is_copied(const struct picture *p)
{
	const VkImageCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.imageType = VK_IMAGE_TYPE_2D,
		.format = VK_FORMAT_R8G8_UNORM,
		.extent = { WIDTH / 2, HEIGHT / 2, 1 },
		.mipLevels = 1,
		.arrayLayers = LAYERS,
		.samples = 1,
		.usage = VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
	};
	const struct vk_image other = vk_image_new(&info);
	const struct vk_buffer texels =
		vk_buffer_new(plane_size(p->format, 1), VK_BUFFER_USAGE_TRANSFER_DST_BIT);
	const VkImageCopy to_other = {
		.srcSubresource = { VK_IMAGE_ASPECT_PLANE_1_BIT, 0, 0, LAYERS },
		.dstSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, LAYERS },
		.extent = info.extent,
	};
	const VkBufferImageCopy to_memory = {
		.imageSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, LAYERS },
		.imageExtent = info.extent,
	};
	VkCommandBuffer cmd = vk_begin();
	bool ok;

	vkCmdCopyImage(cmd, p->image, VK_IMAGE_LAYOUT_GENERAL, other.image, VK_IMAGE_LAYOUT_GENERAL,
		       1, &to_other);
	vk_barrier(cmd);
	vkCmdCopyImageToBuffer(cmd, other.image, VK_IMAGE_LAYOUT_GENERAL, texels.buffer, 1,
			       &to_memory);
	vk_barrier(cmd);
	vk_run(cmd);
	ok = !memcmp(texels.map, (const char *)p->texels.map + plane_start(p->format, 1),
		     texels.size);
	vk_image_del(&other);
	vk_buffer_del(&texels);
	return ok;
}

static bool planes_come_back(const struct picture *p)
{
	const size_t size = p->texels.size;
	void *before = malloc(size);
	VkCommandBuffer cmd = vk_begin();
	bool ok;

	memcpy(before, p->texels.map, size);
	memset(p->texels.map, 0, size);
	for (uint32_t i = 0; i < p->format->planes; i++) {
		const VkBufferImageCopy copy = plane_copy(p->format, i);

		vkCmdCopyImageToBuffer(cmd, p->image, VK_IMAGE_LAYOUT_GENERAL, p->texels.buffer, 1,
				       &copy);
	}
	vk_barrier(cmd);
	vk_run(cmd);
	ok = !memcmp(before, p->texels.map, size);
	free(before);
	return ok;
}

static void test_planes(void)
{
	struct picture *p = picture_new(&formats[0], VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT);
	const VkSamplerYcbcrConversionCreateInfo info = conversion_of(&formats[0]);

	tap(plane_is_seen(p), "a plane is an image by itself");
	tap(converts(p, &info), "which is still one of all");
	tap(plane_is_copied(p), "a plane is copied to another image");
	tap(planes_come_back(p), "and planes are to memory");
	picture_del(p);
}

/* A SPIR-V 1.4 entry point lists all variables. */
static void test_new_code(void)
{
	const VkSamplerYcbcrConversionCreateInfo info = conversion_of(&formats[1]);
	struct picture *p = picture_new(&formats[1], 0);

	things.code = ycbcr_new;
	things.code_size = sizeof(ycbcr_new);
	tap(converts(p, &info), "SPIR-V 1.4 converts, too");
	picture_del(p);
}

/* Sparse instructions convert, and say that the texels are resident. */
static void test_sparse_code(void)
{
	const VkSamplerYcbcrConversionCreateInfo info = conversion_of(&formats[1]);
	VkPhysicalDeviceFeatures features;
	struct picture *p;

	vkGetPhysicalDeviceFeatures(vk.physical, &features);
	if (!features.shaderResourceResidency) {
		tap(true, "sparse instructions convert, too # SKIP not supported");
		return;
	}
	p = picture_new(&formats[1], 0);
	things.code = ycbcr_sparse;
	things.code_size = sizeof(ycbcr_sparse);
	tap(converts(p, &info), "sparse instructions convert, too");
	picture_del(p);
}

/*
 * Coordinates that are not near the edge between two texels, of luma or of chroma at either
 * location.
 */
static void make_places(void)
{
	static const float parts[] = { 0.15f, 0.35f, 0.65f, 0.85f };
	float *at;

	things.places =
		vk_buffer_new(PLACES * 2 * sizeof(float), VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
	things.results = vk_buffer_new(PLACES * WAYS * 4 * sizeof(float),
				       VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
	at = things.places.map;
	for (uint32_t i = 0; i < PLACES; i++) {
		at[i * 2] = (i % WIDTH + parts[i / 4 % 4]) / WIDTH;
		at[i * 2 + 1] = (i * 7 % HEIGHT + parts[i % 4]) / HEIGHT;
	}
}

int main(void)
{
	static const char *const wanted[] = {
		VK_KHR_SAMPLER_YCBCR_CONVERSION_EXTENSION_NAME,
		VK_EXT_YCBCR_IMAGE_ARRAYS_EXTENSION_NAME,
		VK_EXT_YCBCR_2PLANE_444_FORMATS_EXTENSION_NAME,
		VK_KHR_SHADER_FLOAT_CONTROLS_EXTENSION_NAME,
		VK_KHR_SPIRV_1_4_EXTENSION_NAME,
	};
	VkPhysicalDeviceYcbcr2Plane444FormatsFeaturesEXT more = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_YCBCR_2_PLANE_444_FORMATS_FEATURES_EXT,
	};
	VkPhysicalDeviceYcbcrImageArraysFeaturesEXT arrays = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_YCBCR_IMAGE_ARRAYS_FEATURES_EXT,
		.pNext = &more,
	};
	VkPhysicalDeviceSamplerYcbcrConversionFeatures ycbcr = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SAMPLER_YCBCR_CONVERSION_FEATURES,
		.pNext = &arrays,
	};

	vk.features = &ycbcr;
	vk_open_with(NULL, 0, wanted, sizeof(wanted) / sizeof(wanted[0]));
	tap(ycbcr.samplerYcbcrConversion && arrays.ycbcrImageArrays && more.ycbcr2plane444Formats,
	    "samplers convert, of images with layers and of all formats, too");
	srand(1);
	make_places();
	things.code = ycbcr_comp;
	things.code_size = sizeof(ycbcr_comp);
	test_formats();
	test_models();
	test_filters();
	test_disjoint();
	test_planes();
	test_new_code();
	test_sparse_code();
	vk_buffer_del(&things.places);
	vk_buffer_del(&things.results);
	vk_close();
	return tap_failures() != 0;
}
