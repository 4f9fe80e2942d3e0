// SPDX-License-Identifier: MIT
/*
 * Vulkan: texel offsets that are not constant (VK_KHR_maintenance8), compared with what the
 * specification says (Vulkan 1.4, 17.6 "Integer Texel Coordinate Operations"). Then offsets far
 * beyond the limits, whose texels are undefined: none may come from the memory around the image,
 * which is full of canaries. Prints TAP.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vk-pipeline.h"

#include "vk-offsets-shaders.h"

#define WIDTH 13		/* no power of two */
#define HEIGHT 8
#define DEPTH 4
#define PLACES 1024
#define ALL (WIDTH * HEIGHT * DEPTH)
#define CANARY 12345678.0f
#define AROUND (1 << 20)	/* bytes of canaries on each side of the image */

struct place {
	float at[4];
	int32_t texel[4], offset[4];
};

enum { LOD, FETCH, GRAD, PROJ, RESULTS };

static const struct shape {
	const char *name;
	const uint32_t *code;
	size_t size;
	VkImageType type;
	VkImageViewType view;
	uint32_t dims;		/* coordinates that have an offset */
	uint32_t extent[3];	/* depth or layers last */
} shapes[] = {
	{ "1D", VK_CODE(offsets_1d), VK_IMAGE_TYPE_1D, VK_IMAGE_VIEW_TYPE_1D, 1, { WIDTH, 1, 1 } },
	{ "2D", VK_CODE(offsets_2d), VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D, 2,
	  { WIDTH, HEIGHT, 1 } },
	{ "3D", VK_CODE(offsets_3d), VK_IMAGE_TYPE_3D, VK_IMAGE_VIEW_TYPE_3D, 3,
	  { WIDTH, HEIGHT, DEPTH } },
	{ "2D array", VK_CODE(offsets_2d_array), VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D_ARRAY, 2,
	  { WIDTH, HEIGHT, DEPTH } },
};

static const struct wrap {
	const char *name;
	VkSamplerAddressMode mode;
} wraps[] = {
	{ "repeat", VK_SAMPLER_ADDRESS_MODE_REPEAT },
	{ "mirror", VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT },
	{ "edge", VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE },
	{ "border", VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER },
};

static VkPhysicalDeviceMaintenance8FeaturesKHR maintenance8 = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_8_FEATURES_KHR,
};

static struct {
	struct vk_buffer texels, places, results;
	VkImage image;
	VkDeviceMemory memory;
	VkDeviceSize size;	/* of the memory */
	VkImageView view;
	struct vk_set set;
	VkPipelineLayout layout;
	VkPipeline pipeline;
} test;

/* Images */

static VkBuffer whole_memory(void)
{
	const VkBufferCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
		.size = test.size,
		.usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT,
	};
	VkMemoryRequirements needs;
	VkBuffer buffer;

	VK_CHECK(vkCreateBuffer(vk.device, &info, NULL, &buffer));
	vkGetBufferMemoryRequirements(vk.device, buffer, &needs);
	VK_CHECK(vkBindBufferMemory(vk.device, buffer, test.memory, 0));
	return buffer;
}

/* Fills the memory with canaries, then the image with texels, each of which is its number + 1. */
static void fill_memory(const struct shape *shape)
{
	const bool is_3d = shape->type == VK_IMAGE_TYPE_3D;
	const uint32_t layers = is_3d ? 1 : shape->extent[2];
	const VkBufferImageCopy all = {
		.imageSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, layers },
		.imageExtent = { shape->extent[0], shape->extent[1], is_3d ? DEPTH : 1 },
	};
	const VkImageMemoryBarrier general = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
		.dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
		.newLayout = VK_IMAGE_LAYOUT_GENERAL,
		.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.image = test.image,
		.subresourceRange = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, layers },
	};
	const float canary = CANARY;
	VkBuffer buffer = whole_memory();
	VkCommandBuffer cmd = vk_begin();
	uint32_t bits;

	memcpy(&bits, &canary, 4);
	vkCmdFillBuffer(cmd, buffer, 0, test.size, bits);
	vk_barrier(cmd);
	vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0,
			     0, NULL, 0, NULL, 1, &general);
	vkCmdCopyBufferToImage(cmd, test.texels.buffer, test.image, VK_IMAGE_LAYOUT_GENERAL, 1,
			       &all);
	vk_barrier(cmd);
	vk_run(cmd);
	vkDestroyBuffer(vk.device, buffer, NULL);
}

static void make_image(const struct shape *shape)
{
	const bool is_3d = shape->type == VK_IMAGE_TYPE_3D;
	const uint32_t layers = is_3d ? 1 : shape->extent[2];
	const VkImageCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.imageType = shape->type,
		.format = VK_FORMAT_R32_SFLOAT,
		.extent = { shape->extent[0], shape->extent[1], is_3d ? DEPTH : 1 },
		.mipLevels = 1,
		.arrayLayers = layers,
		.samples = 1,
		.usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
	};
	VkImageViewCreateInfo view = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
		.viewType = shape->view,
		.format = info.format,
		.subresourceRange = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, layers },
	};
	VkMemoryAllocateInfo memory = { .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO };
	VkMemoryRequirements needs;

	VK_CHECK(vkCreateImage(vk.device, &info, NULL, &test.image));
	vkGetImageMemoryRequirements(vk.device, test.image, &needs);
	memory.allocationSize = test.size = 2 * AROUND + needs.size;
	memory.memoryTypeIndex = vk_memory_type(needs.memoryTypeBits);
	VK_CHECK(vkAllocateMemory(vk.device, &memory, NULL, &test.memory));
	VK_CHECK(vkBindImageMemory(vk.device, test.image, test.memory, AROUND));
	view.image = test.image;
	VK_CHECK(vkCreateImageView(vk.device, &view, NULL, &test.view));
	fill_memory(shape);
}

static void make_things(const struct shape *shape)
{
	const VkDescriptorSetLayoutBinding bindings[] = {
		{ 0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, VK_SHADER_STAGE_COMPUTE_BIT,
		  NULL },
		{ 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL },
		{ 2, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL },
	};

	make_image(shape);
	test.set = vk_set_new(bindings, 3);
	vk_write_buffer(test.set.set, 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, &test.places);
	vk_write_buffer(test.set.set, 2, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, &test.results);
	test.layout = vk_layout_new(&test.set.layout, 1, 0, 0);
	test.pipeline = vk_compute_new(test.layout, shape->code, shape->size);
}

static void drop_things(void)
{
	vkDestroyPipeline(vk.device, test.pipeline, NULL);
	vkDestroyPipelineLayout(vk.device, test.layout, NULL);
	vk_set_del(&test.set);
	vkDestroyImageView(vk.device, test.view, NULL);
	vkDestroyImage(vk.device, test.image, NULL);
	vkFreeMemory(vk.device, test.memory, NULL);
}

static void run(const struct wrap *wrap, VkFilter filter)
{
	VkSampler sampler = vk_sampler_new((VkSamplerCreateInfo){
		.magFilter = filter, .minFilter = filter, .addressModeU = wrap->mode,
		.addressModeV = wrap->mode, .addressModeW = wrap->mode });
	VkCommandBuffer cmd;

	vk_write_image(test.set.set, 0, 0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, sampler,
		       test.view);
	cmd = vk_begin();
	vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, test.pipeline);
	vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, test.layout, 0, 1,
				&test.set.set, 0, NULL);
	vkCmdDispatch(cmd, PLACES / 64, 1, 1);
	vk_barrier(cmd);
	vk_run(cmd);
	vkDestroySampler(vk.device, sampler, NULL);
}

/* Offsets within the limits */

static int random_below(int n)
{
	return rand() % n;
}

/* Chooses texels, as coordinates of their centres, and offsets whose fetches stay inside. */
static void choose_places(const struct shape *shape)
{
	struct place *places = test.places.map;

	memset(places, 0, test.places.size);
	for (uint32_t i = 0; i < PLACES; i++) {
		for (uint32_t d = 0; d < 3; d++) {
			const int size = shape->extent[d];
			const int texel = random_below(size);
			const bool is_layer = d >= shape->dims;

			places[i].texel[d] = texel;
			places[i].at[d] = is_layer ? (float)texel : (texel + 0.5f) / size;
			places[i].offset[d] = is_layer ? 0 : random_below(16) - 8;
		}
	}
}

/* Returns the texel of a coordinate, or -1 for the border. */
static int wrapped(VkSamplerAddressMode mode, int at, int size)
{
	int period;

	switch (mode) {
	case VK_SAMPLER_ADDRESS_MODE_REPEAT:
		return ((at % size) + size) % size;
	case VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT:
		period = ((at % (2 * size)) + 2 * size) % (2 * size);
		return period < size ? period : 2 * size - 1 - period;
	case VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE:
		return at < 0 ? 0 : at >= size ? size - 1 : at;
	default:
		return at < 0 || at >= size ? -1 : at;
	}
}

static float expected(const struct shape *shape, VkSamplerAddressMode mode, const struct place *p)
{
	uint32_t number = 0;

	for (int d = 2; d >= 0; d--) {
		const int at = wrapped(mode, p->texel[d] + p->offset[d], shape->extent[d]);

		if (at < 0)
			return 0;
		number = number * shape->extent[d] + at;
	}
	return number + 1;
}

static bool samples(const struct shape *shape, const struct wrap *wrap)
{
	const struct place *places = test.places.map;
	const float (*results)[RESULTS] = test.results.map;

	run(wrap, VK_FILTER_NEAREST);
	for (uint32_t i = 0; i < PLACES; i++) {
		const float want = expected(shape, wrap->mode, &places[i]);
		const float fetched = expected(shape, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER,
					       &places[i]);

		for (int r = 0; r < RESULTS; r++) {
			/* Fetches outside of the image are undefined. */
			if (r == FETCH ? !fetched || results[i][r] == fetched
				       : results[i][r] == want)
				continue;
			printf("# place %u, result %d is %g, not %g\n", i, r, results[i][r],
			       r == FETCH ? fetched : want);
			return false;
		}
	}
	return true;
}

/* Offsets beyond the limits */

static int32_t wild_offset(void)
{
	static const int32_t wild[] = { INT32_MIN, INT32_MAX, INT32_MIN + 1, -WIDTH, 1 << 24,
					-(1 << 30), 65536, 4096, -4096 };
	const int kind = random_below(12);

	return kind < 9 ? wild[kind] : (int32_t)((uint32_t)rand() << 16 ^ (uint32_t)rand());
}

static void choose_wild_places(const struct shape *shape)
{
	struct place *places = test.places.map;

	choose_places(shape);
	for (uint32_t i = 0; i < PLACES; i++)
		for (uint32_t d = 0; d < shape->dims; d++)
			if (random_below(4))
				places[i].offset[d] = wild_offset();
}

/* Returns true if each result is a mean of texels and the border, which is 0. */
static bool stays_inside(const struct wrap *wrap, VkFilter filter)
{
	const float (*results)[RESULTS] = test.results.map;

	memset(test.results.map, 0xff, test.results.size);
	run(wrap, filter);
	for (uint32_t i = 0; i < PLACES; i++) {
		for (int r = 0; r < RESULTS; r++) {
			if (results[i][r] >= 0 && results[i][r] <= ALL)
				continue;
			printf("# place %u, result %d is %g\n", i, r, results[i][r]);
			return false;
		}
	}
	return true;
}

static void test_shape(const struct shape *shape)
{
	make_things(shape);
	choose_places(shape);
	for (uint32_t i = 0; i < sizeof(wraps) / sizeof(wraps[0]); i++)
		tap(samples(shape, &wraps[i]), "%s, %s: texels at offsets that are not constant",
		    shape->name, wraps[i].name);
	choose_wild_places(shape);
	for (uint32_t i = 0; i < sizeof(wraps) / sizeof(wraps[0]); i++)
		tap(stays_inside(&wraps[i], VK_FILTER_NEAREST) &&
			    stays_inside(&wraps[i], VK_FILTER_LINEAR),
		    "%s, %s: offsets beyond the limits stay in the image", shape->name,
		    wraps[i].name);
	drop_things();
}

int main(void)
{
	static const char *const wishes[] = { VK_KHR_MAINTENANCE_8_EXTENSION_NAME, NULL };
	float *texels;

	vk.features = &maintenance8;
	vk.wishes = wishes;
	vk_open();
	if (!maintenance8.maintenance8) {
		tap(true, "texel offsets # SKIP there is no VK_KHR_maintenance8");
		vk_close();
		return 0;
	}
	test.texels = vk_buffer_new(ALL * 4, VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
	texels = test.texels.map;
	for (uint32_t i = 0; i < ALL; i++)
		texels[i] = i + 1;
	test.places = vk_buffer_new(PLACES * sizeof(struct place),
				    VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
	test.results = vk_buffer_new(PLACES * RESULTS * 4, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
	for (uint32_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		test_shape(&shapes[i]);
	vk_buffer_del(&test.results);
	vk_buffer_del(&test.places);
	vk_buffer_del(&test.texels);
	vk_close();
	return tap_failures() != 0;
}
