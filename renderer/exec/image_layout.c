// SPDX-License-Identifier: MIT
/*
 * The probe of the host's image layout, and images with explicit layouts, see image_layout.h. Runs
 * on the worker's main thread; the probe runs once at startup.
 *
 * The probe first compares sizes: the rule must give each test image the size that the host asks
 * for. Then it compares bytes: the host clears each level and layer of a small image to its own
 * colour, and the probe compares the memory, texel by texel, with the addresses that the rule
 * gives.
 */
#include "exec/image_layout.h"

#include <stdlib.h>
#include <string.h>

#include <drm/drm_fourcc.h>

#include "exec/exec.h"
#include "host/format.h"
#include "ipc/log.h"

struct test_image {
	VkImageType type;
	VkFormat format;
	VkExtent3D extent;
	uint32_t levels, layers, samples;
	bool page_rows;
};

static const struct test_image size_tests[] = {
	{ VK_IMAGE_TYPE_2D, VK_FORMAT_R8G8B8A8_UNORM, { 1, 1, 1 }, 1, 1, 1, false },
	{ VK_IMAGE_TYPE_2D, VK_FORMAT_R8G8B8A8_UNORM, { 33, 7, 1 }, 1, 1, 1, false },
	{ VK_IMAGE_TYPE_2D, VK_FORMAT_R8G8B8A8_UNORM, { 800, 600, 1 }, 10, 1, 1, false },
	{ VK_IMAGE_TYPE_2D, VK_FORMAT_R8_UNORM, { 129, 65, 1 }, 8, 3, 1, false },
	{ VK_IMAGE_TYPE_2D, VK_FORMAT_R32G32B32A32_SFLOAT, { 17, 19, 1 }, 5, 6, 1, false },
	{ VK_IMAGE_TYPE_2D, VK_FORMAT_D32_SFLOAT, { 100, 50, 1 }, 1, 1, 1, false },
	{ VK_IMAGE_TYPE_2D, VK_FORMAT_R8G8B8A8_UNORM, { 50, 20, 1 }, 1, 1, 4, false },
	{ VK_IMAGE_TYPE_2D, VK_FORMAT_R16G16B16A16_SFLOAT, { 33, 17, 1 }, 1, 3, 4, false },
	{ VK_IMAGE_TYPE_2D, VK_FORMAT_D32_SFLOAT_S8_UINT, { 7, 90, 1 }, 1, 2, 4, false },
	{ VK_IMAGE_TYPE_3D, VK_FORMAT_R8G8B8A8_UNORM, { 20, 10, 5 }, 3, 1, 1, false },
	{ VK_IMAGE_TYPE_1D, VK_FORMAT_R8G8B8A8_UNORM, { 77, 1, 1 }, 7, 2, 1, false },
	{ VK_IMAGE_TYPE_2D, VK_FORMAT_BC1_RGBA_UNORM_BLOCK, { 60, 36, 1 }, 6, 1, 1, false },
};

static const struct test_image byte_tests[] = {
	{ VK_IMAGE_TYPE_2D, VK_FORMAT_R8G8B8A8_UNORM, { 21, 13, 1 }, 4, 3, 1, false },
	{ VK_IMAGE_TYPE_2D, VK_FORMAT_R8G8B8A8_UNORM, { 21, 13, 1 }, 1, 3, 4, false },
};

/* Explicit layout of the test images of explicit_works(). */
#define EXPLICIT_OFFSET 64
#define EXPLICIT_PITCH 320
#define EXPLICIT_SLICE (EXPLICIT_PITCH * 20)
static const struct test_image explicit_test = {
	VK_IMAGE_TYPE_2D, VK_FORMAT_R8G8B8A8_UNORM, { 21, 13, 1 }, 1, 1, 1, false,
};
static const struct test_image explicit_layers_test = {
	VK_IMAGE_TYPE_2D, VK_FORMAT_R8G8B8A8_UNORM, { 21, 13, 1 }, 1, 3, 1, false,
};

static uint64_t align(uint64_t value, uint64_t to)
{
	return (value + to - 1) / to * to;
}

/* Returns where the rule puts level @level of @t. */
static struct level_layout rule(const struct sundog_caps *c, const struct test_image *t,
				uint32_t level)
{
	const VkExtent3D block = format_block_extent(t->format);
	const bool compressed = format_is_compressed(t->format);
	const uint64_t level_align = t->page_rows ? SUNDOG_PAGE_SIZE : c->layout_level_align;
	struct level_layout l = { 0 };

	for (uint32_t i = 0; i <= level; i++) {
		uint64_t width = format_minify(t->extent.width, i),
			 height = format_minify(t->extent.height, i);

		l.offset += l.size;
		if (!compressed) {
			width = align(width, c->layout_block);
			if (t->type != VK_IMAGE_TYPE_1D)
				height = align(height, c->layout_block);
		}
		l.pitch = (width + block.width - 1) / block.width * format_block_size(t->format);
		if (t->page_rows)
			l.pitch = align(l.pitch, SUNDOG_PAGE_SIZE);
		else if (!compressed)
			l.pitch = align(l.pitch, c->layout_pitch_align);
		l.slice = l.pitch * ((height + block.height - 1) / block.height);
		l.size = align(l.slice * format_minify(t->extent.depth, i) * t->layers,
			       level_align);
	}
	return l;
}

struct level_layout layout_level(const struct sundog_caps *caps, const VkImageCreateInfo *info,
				 bool page_rows, uint32_t level)
{
	const struct test_image t = {
		info->imageType, info->format, info->extent, info->mipLevels, info->arrayLayers, 1,
		page_rows,
	};

	return rule(caps, &t, level);
}

static uint64_t rule_size(const struct sundog_caps *c, const struct test_image *t)
{
	const struct level_layout last = rule(c, t, t->levels - 1);

	return (last.offset + last.size) * t->samples;
}

static VkImageCreateInfo image_info(const struct test_image *t)
{
	return (VkImageCreateInfo){
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.imageType = t->type, .format = t->format, .extent = t->extent,
		.mipLevels = t->levels, .arrayLayers = t->layers, .samples = t->samples,
		.tiling = VK_IMAGE_TILING_OPTIMAL,
		.usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
	};
}

static VkImage make_image(const struct vk *vk, const struct test_image *t)
{
	VkImageCreateInfo info = image_info(t);
	struct lvp_image_rows_create_info rows;
	VkImageFormatProperties limits;
	VkImage image;

	if (t->page_rows)
		layout_page_rows(&rows, &info, false);
	if (vkGetPhysicalDeviceImageFormatProperties(vk->physical, info.format, info.imageType,
						     info.tiling, info.usage, 0,
						     &limits) != VK_SUCCESS ||
	    !(limits.sampleCounts & t->samples) ||
	    vk->CreateImage(vk->device, &info, NULL, &image) != VK_SUCCESS)
		return VK_NULL_HANDLE;
	return image;
}

static bool size_matches(struct exec *x, const struct test_image *t, size_t i)
{
	VkImage image = make_image(&x->vk, t);
	VkMemoryRequirements need;

	if (!image)
		return true;	/* a format that the host lacks tells nothing */
	x->vk.GetImageMemoryRequirements(x->vk.device, image, &need);
	x->vk.DestroyImage(x->vk.device, image, NULL);
	if (need.size == rule_size(&x->caps, t) && need.alignment <= x->caps.layout_level_align)
		return true;
	log_info("layout probe: image %zu needs %llu bytes with alignment %llu, the rule computes "
		 "%llu bytes with alignment %u", i, (unsigned long long)need.size,
		 (unsigned long long)need.alignment, (unsigned long long)rule_size(&x->caps, t),
		 x->caps.layout_level_align);
	return false;
}

static bool sizes_match(struct exec *x)
{
	for (size_t i = 0; i < sizeof(size_tests) / sizeof(size_tests[0]); i++)
		if (!size_matches(x, &size_tests[i], i))
			return false;
	return true;
}

/* Returns the colour of a level and a layer, exact in 8 bits. */
static uint8_t probe_color(uint32_t level, uint32_t layer)
{
	return 16 + 32 * level + 5 * layer;
}

static void record_clears(struct exec *x, VkCommandBuffer cmd, VkImage image,
			  const struct test_image *t)
{
	VkImageMemoryBarrier2 barrier = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2,
		.dstStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
		.dstAccessMask = VK_ACCESS_2_MEMORY_WRITE_BIT,
		.newLayout = VK_IMAGE_LAYOUT_GENERAL,
		.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED, .image = image,
		.subresourceRange = { VK_IMAGE_ASPECT_COLOR_BIT, 0, t->levels, 0, t->layers },
	};
	VkDependencyInfo info = {
		.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
		.imageMemoryBarrierCount = 1, .pImageMemoryBarriers = &barrier,
	};

	x->vk.CmdPipelineBarrier2(cmd, &info);
	for (uint32_t level = 0; level < t->levels; level++) {
		for (uint32_t layer = 0; layer < t->layers; layer++) {
			const float c = probe_color(level, layer) / 255.0f;
			VkClearColorValue color = { .float32 = { c, c, c, c } };
			VkImageSubresourceRange range = { VK_IMAGE_ASPECT_COLOR_BIT, level, 1,
							  layer, 1 };

			x->vk.CmdClearColorImage(cmd, image, VK_IMAGE_LAYOUT_GENERAL, &color, 1,
						 &range);
		}
	}
}

static bool run_clears(struct exec *x, VkImage image, const struct test_image *t)
{
	const struct batch *batch = batch_begin(x);
	VkSubmitInfo submit = { .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1 };
	bool ok;

	if (!batch)
		return false;
	record_clears(x, batch->cmd, image, t);
	submit.pCommandBuffers = &batch->cmd;
	ok = x->vk.EndCommandBuffer(batch->cmd) == VK_SUCCESS &&
	     x->vk.QueueSubmit(x->vk.queue, 1, &submit, VK_NULL_HANDLE) == VK_SUCCESS &&
	     x->vk.QueueWaitIdle(x->vk.queue) == VK_SUCCESS;
	batch_discard(x);
	return ok;
}

static bool level_as_ruled(const struct sundog_caps *c, const struct test_image *t, uint32_t level,
			   const uint8_t *map)
{
	const struct level_layout l = rule(c, t, level);

	for (uint32_t layer = 0; layer < t->layers; layer++)
		for (uint32_t y = 0; y < format_minify(t->extent.height, level); y++)
			for (uint32_t x = 0; x < format_minify(t->extent.width, level) * 4; x++)
				if (map[l.offset + layer * l.slice + y * l.pitch + x] !=
				    probe_color(level, layer))
					return false;
	return true;
}

static bool bytes_as_ruled(const struct sundog_caps *c, const struct test_image *t,
			   const uint8_t *map)
{
	const uint64_t sample_size = rule_size(c, t) / t->samples;

	for (uint32_t sample = 0; sample < t->samples; sample++)
		for (uint32_t level = 0; level < t->levels; level++)
			if (!level_as_ruled(c, t, level, map + sample * sample_size))
				return false;
	return true;
}

/*
 * Bind @image, which is as @t says, to new memory, clear it and call @check with the memory.
 * Destroys the image. Returns the result of @check, or false if the host fails.
 */
static bool cleared_bytes(struct exec *x, VkImage image, const struct test_image *t,
			  bool (*check)(const struct sundog_caps *c, const struct test_image *t,
					const uint8_t *map))
{
	VkMemoryAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
		.memoryTypeIndex = x->vk.host_memory_type,
	};
	VkDeviceMemory memory = VK_NULL_HANDLE;
	VkMemoryRequirements need;
	void *map;
	bool ok;

	if (!image)
		return false;
	x->vk.GetImageMemoryRequirements(x->vk.device, image, &need);
	/* For images with explicit layers, lavapipe reports the size of one layer. */
	info.allocationSize = need.size * t->layers + EXPLICIT_OFFSET;
	ok = (need.memoryTypeBits >> info.memoryTypeIndex & 1) &&
	     x->vk.AllocateMemory(x->vk.device, &info, NULL, &memory) == VK_SUCCESS &&
	     x->vk.MapMemory(x->vk.device, memory, 0, VK_WHOLE_SIZE, 0, &map) == VK_SUCCESS &&
	     x->vk.BindImageMemory(x->vk.device, image, memory, 0) == VK_SUCCESS;
	if (ok) {
		memset(map, 0, info.allocationSize);
		ok = run_clears(x, image, t) && check(&x->caps, t, map);
	}
	x->vk.DestroyImage(x->vk.device, image, NULL);
	x->vk.FreeMemory(x->vk.device, memory, NULL);
	return ok;
}

static bool bytes_match(struct exec *x)
{
	for (size_t i = 0; i < sizeof(byte_tests) / sizeof(byte_tests[0]); i++)
		if (!cleared_bytes(x, make_image(&x->vk, &byte_tests[i]), &byte_tests[i],
				   bytes_as_ruled))
			return false;
	return true;
}

/* Rows at multiples of pages */

void layout_page_rows(struct lvp_image_rows_create_info *rows, VkImageCreateInfo *image,
		      bool residency)
{
	*rows = (struct lvp_image_rows_create_info){
		LVP_STRUCTURE_TYPE_IMAGE_ROWS_CREATE_INFO, image->pNext, LVP_IMAGE_ROWS_ALIGNMENT,
		residency,
	};
	image->pNext = rows;
}

const struct lvp_image_rows_create_info *layout_rows_of(const VkImageCreateInfo *image)
{
	const VkBaseInStructure *chained = image->pNext;

	while (chained && chained->sType != LVP_STRUCTURE_TYPE_IMAGE_ROWS_CREATE_INFO)
		chained = chained->pNext;
	return (const struct lvp_image_rows_create_info *)chained;
}

_Static_assert(LVP_IMAGE_ROWS_ALIGNMENT == SUNDOG_PAGE_SIZE, "rows begin at pages");

/* Returns true if the host aligns rows to pages, in all images with one sample. */
static bool page_rows_work(struct exec *x)
{
	/* Only a host with this interface knows the structure. */
	if (!x->vk.lavapipe.get_progress)
		return false;
	for (size_t i = 0; i < sizeof(size_tests) / sizeof(size_tests[0]); i++) {
		struct test_image t = size_tests[i];

		t.page_rows = true;
		if (t.samples == 1 && !size_matches(x, &t, i))
			return false;
	}
	for (size_t i = 0; i < sizeof(byte_tests) / sizeof(byte_tests[0]); i++) {
		struct test_image t = byte_tests[i];

		t.page_rows = true;
		if (t.samples == 1 && !cleared_bytes(x, make_image(&x->vk, &t), &t, bytes_as_ruled))
			return false;
	}
	return true;
}

/* Explicit layouts */

/* For layers, lavapipe uses depthPitch only. */
void layout_explicit(struct explicit_layout *layout, VkImageCreateInfo *image, uint64_t offset,
		     uint32_t pitch, uint64_t slice)
{
	const uint64_t layers = image->arrayLayers > 1 || image->extent.depth > 1 ? slice : 0;

	*layout = (struct explicit_layout){
		.info = {
			.sType =
			    VK_STRUCTURE_TYPE_IMAGE_DRM_FORMAT_MODIFIER_EXPLICIT_CREATE_INFO_EXT,
			.pNext = image->pNext,
			.drmFormatModifier = DRM_FORMAT_MOD_LINEAR,
			.drmFormatModifierPlaneCount = 1,
			.pPlaneLayouts = &layout->plane,
		},
		.plane = {
			.offset = offset, .rowPitch = pitch, .arrayPitch = layers,
			.depthPitch = layers
		},
	};
	image->pNext = &layout->info;
	image->tiling = VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT;
}

static bool layer_as_asked(const struct test_image *t, uint32_t layer, const uint8_t *map)
{
	const uint32_t row = t->extent.width * 4;

	for (uint32_t y = 0; y < t->extent.height; y++)
		for (uint32_t x = 0; x < EXPLICIT_PITCH; x++)
			if (map[y * EXPLICIT_PITCH + x] != (x < row ? probe_color(0, layer) : 0))
				return false;
	return true;
}

static bool bytes_as_asked(const struct sundog_caps *c, const struct test_image *t,
			   const uint8_t *map)
{
	(void)c;
	for (uint32_t i = 0; i < EXPLICIT_OFFSET; i++)
		if (map[i])
			return false;
	for (uint32_t i = 0; i < t->layers; i++)
		if (!layer_as_asked(t, i, map + EXPLICIT_OFFSET + i * EXPLICIT_SLICE))
			return false;
	return true;
}

/*
 * Returns true if the host obeys explicit layouts. Lavapipe always does, although it offers
 * VK_EXT_image_drm_format_modifier only where the host has udmabuf, for memory that is exported or
 * imported as dma-buf.
 */
static bool explicit_works(struct exec *x, const struct test_image *t)
{
	VkImageCreateInfo info = image_info(t);
	struct explicit_layout layout;
	VkImage image;

	if (!vk_has_quirk(&x->vk, QUIRK_EXPLICIT_LAYOUTS))
		return false;
	layout_explicit(&layout, &info, EXPLICIT_OFFSET, EXPLICIT_PITCH, EXPLICIT_SLICE);
	if (x->vk.CreateImage(x->vk.device, &info, NULL, &image) != VK_SUCCESS)
		return false;
	return cleared_bytes(x, image, t, bytes_as_asked);
}

/*
 * Returns the layouts that the driver may request. The renderer itself lays out blocks that are
 * viewed as texels, see image_texels.c.
 */
static uint32_t explicit_layouts(struct exec *x)
{
	if (!explicit_works(x, &explicit_test))
		return 0;
	if (!explicit_works(x, &explicit_layers_test))
		return SUNDOG_LAYOUT_FLAG_EXPLICIT;
	return SUNDOG_LAYOUT_FLAG_EXPLICIT | SUNDOG_LAYOUT_FLAG_TEXEL_VIEWS;
}

void layout_probe(struct exec *x)
{
	struct sundog_caps *c = &x->caps;

	c->layout_block = 4;
	c->layout_pitch_align = 64;
	c->layout_level_align = 64;
	/* The host rounds row pitches and level sizes up to its cache line size. */
	for (int line = 64; line <= 256; line *= 2) {
		c->layout_pitch_align = c->layout_level_align = line;
		if (sizes_match(x) && bytes_match(x)) {
			c->layout_rule = SUNDOG_LAYOUT_RULE_LINEAR;
			c->features |= SUNDOG_FEATURE_LINEAR_LAYOUT;
			if (vk_has_quirk(&x->vk, QUIRK_MEMORY_MOVES))
				c->features |= SUNDOG_FEATURE_RAW_MOVE;
			c->layout_flags |= explicit_layouts(x);
			/* The interface that page rows need has tables of residency, too. */
			if (page_rows_work(x))
				c->layout_flags |= SUNDOG_LAYOUT_FLAG_PAGE_ROWS |
						   SUNDOG_LAYOUT_FLAG_RESIDENCY;
			return;
		}
	}
	log_warn("Vulkan device '%s': no layout rule fits its images, the Mesa drivers refuse it; "
		 "use lavapipe", x->vk.props.deviceName);
	c->layout_rule = SUNDOG_LAYOUT_RULE_NONE;
	c->layout_block = c->layout_pitch_align = c->layout_level_align = 0;
}
