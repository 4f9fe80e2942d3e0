// SPDX-License-Identifier: MIT
/*
 * Vulkan: stores to multisampled storage images, and border colors with swizzled image views.
 * Prints TAP.
 */
#include <stdio.h>
#include <string.h>

#include "vk-pipeline.h"

#include "vk-stores-shaders.h"

#define SIDE 4
#define LAYERS 2
#define SAMPLES 4
#define TEXELS (SIDE * SIDE * LAYERS)

static struct {
	struct vk_set set;
	VkPipelineLayout layout;
	VkPipeline pipeline;
	struct vk_buffer result;
} test;

static const VkDescriptorSetLayoutBinding bindings[] = {
	{ 0, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL },
	{ 1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL },
	{ 2, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL },
};

static void begin(uint32_t first, const uint32_t *code, size_t size)
{
	test.set = vk_set_new(bindings + first, 3 - first);
	test.layout = vk_layout_new(&test.set.layout, 1, VK_SHADER_STAGE_COMPUTE_BIT, 8);
	test.pipeline = vk_compute_new(test.layout, code, size);
	vk_write_buffer(test.set.set, 2, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, &test.result);
}

static void end(void)
{
	vkDestroyPipeline(vk.device, test.pipeline, NULL);
	vkDestroyPipelineLayout(vk.device, test.layout, NULL);
	vk_set_del(&test.set);
}

static void run(uint32_t what)
{
	const uint32_t push[] = { what, 0 };

	memset(test.result.map, 0xee, test.result.size);
	vk_dispatch(test.pipeline, test.layout, test.set.set, push, sizeof(push));
}

/* Samples */

static bool samples_are(uint32_t what, uint32_t more)
{
	const uint32_t *words = test.result.map;

	run(what);
	for (uint32_t i = 0; i < TEXELS * SAMPLES; i++) {
		const uint32_t expected = 1000 + i / SAMPLES * 10 + i % SAMPLES + more;

		if (words[i] == expected)
			continue;
		printf("# sample %u of texel %u is %u, not %u\n", i % SAMPLES, i / SAMPLES,
		       words[i], expected);
		return false;
	}
	return true;
}

static void try_samples(void)
{
	const VkImageCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.imageType = VK_IMAGE_TYPE_2D,
		.format = VK_FORMAT_R32_UINT,
		.extent = { SIDE, SIDE, 1 },
		.mipLevels = 1,
		.arrayLayers = LAYERS,
		.samples = SAMPLES,
		.usage = VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_SAMPLED_BIT,
	};
	const VkSampler sampler = vk_sampler_new((VkSamplerCreateInfo){ 0 });
	const struct vk_image image = vk_image_new(&info);
	const VkImageView view =
		vk_view_new(&image, VK_IMAGE_VIEW_TYPE_2D_ARRAY, info.format, vk_image_all(&image));

	begin(0, VK_CODE(stores_samples));
	vk_write_image(test.set.set, 0, 0, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, VK_NULL_HANDLE, view);
	vk_write_image(test.set.set, 1, 0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, sampler,
		       view);
	run(0);
	tap(((uint32_t *)test.result.map)[200] == SAMPLES * 100 + LAYERS,
	    "an image says how many samples and layers it has");
	tap(samples_are(1, 0), "what is stored to samples is loaded from them");
	tap(samples_are(2, 0), "and fetched");
	run(3);
	tap(samples_are(1, 5), "and added to, atomically");
	end();
	vkDestroyImageView(vk.device, view, NULL);
	vkDestroySampler(vk.device, sampler, NULL);
	vk_image_del(&image);
}

/* Borders */

static VkImageView swizzled(const struct vk_image *image, const VkComponentMapping *components)
{
	const VkImageViewCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
		.image = image->image,
		.viewType = VK_IMAGE_VIEW_TYPE_2D,
		.format = VK_FORMAT_R8G8B8A8_UNORM,
		.components = *components,
		.subresourceRange = vk_image_all(image),
	};
	VkImageView view;

	VK_CHECK(vkCreateImageView(vk.device, &info, NULL, &view));
	return view;
}

/* Returns true if the view's swizzle applies to texels and to the border color. */
static bool border_is(const struct vk_image *image, VkSampler sampler,
		      const VkComponentMapping *components, const uint32_t *texel,
		      const uint32_t *border)
{
	const VkImageView view = swizzled(image, components);
	const uint32_t *words = test.result.map;
	bool ok;

	vk_write_image(test.set.set, 1, 0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, sampler,
		       view);
	run(0);
	ok = !memcmp(words, texel, 16) && !memcmp(words + 4, border, 16);
	if (!ok)
		printf("# texel %u %u %u %u, border %u %u %u %u\n", words[0], words[1], words[2],
		       words[3], words[4], words[5], words[6], words[7]);
	vkDestroyImageView(vk.device, view, NULL);
	return ok;
}

static void try_borders(bool custom)
{
	static const VkComponentMapping plain = { 0 };
	static const VkComponentMapping mixed = { VK_COMPONENT_SWIZZLE_B, VK_COMPONENT_SWIZZLE_A,
						  VK_COMPONENT_SWIZZLE_G, VK_COMPONENT_SWIZZLE_R };
	static const VkComponentMapping fixed = { VK_COMPONENT_SWIZZLE_ONE, VK_COMPONENT_SWIZZLE_R,
						  VK_COMPONENT_SWIZZLE_ZERO,
						  VK_COMPONENT_SWIZZLE_G };
	const VkSamplerCustomBorderColorCreateInfoEXT color = {
		.sType = VK_STRUCTURE_TYPE_SAMPLER_CUSTOM_BORDER_COLOR_CREATE_INFO_EXT,
		.customBorderColor.float32 = { 10 / 255.0f, 20 / 255.0f, 30 / 255.0f, 40 / 255.0f },
		.format = VK_FORMAT_R8G8B8A8_UNORM,
	};
	const VkSampler sampler = vk_sampler_new((VkSamplerCreateInfo){
		.pNext = custom ? &color : NULL,
		.addressModeU = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER,
		.addressModeV = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER,
		.borderColor = custom ? VK_BORDER_COLOR_FLOAT_CUSTOM_EXT
				      : VK_BORDER_COLOR_FLOAT_OPAQUE_BLACK,
	});
	const uint32_t border[4] = { custom ? 10 : 0, custom ? 20 : 0, custom ? 30 : 0,
				     custom ? 40 : 255 };
	VkImageView view;
	const struct vk_image image =
		vk_picture_new(VK_FORMAT_R8G8B8A8_UNORM, SIDE, VK_IMAGE_USAGE_SAMPLED_BIT, &view);
	const char *what = custom ? "a border of its own" : "a black border";

	vk_image_fill(&image, &(VkClearColorValue){ .float32 = { 50 / 255.0f, 60 / 255.0f,
								 70 / 255.0f, 80 / 255.0f } });
	begin(1, VK_CODE(stores_border));
	tap(border_is(&image, sampler, &plain, (uint32_t[]){ 50, 60, 70, 80 }, border), "%s", what);
	tap(border_is(&image, sampler, &mixed, (uint32_t[]){ 70, 80, 60, 50 },
		      (uint32_t[]){ border[2], border[3], border[1], border[0] }),
	    "%s is swizzled", what);
	tap(border_is(&image, sampler, &fixed, (uint32_t[]){ 255, 50, 0, 60 },
		      (uint32_t[]){ 255, border[0], 0, border[1] }),
	    "%s has ones and zeros of the view", what);
	end();
	vkDestroyImageView(vk.device, view, NULL);
	vkDestroySampler(vk.device, sampler, NULL);
	vk_image_del(&image);
}

static bool can_store(void)
{
	VkPhysicalDeviceFeatures features;

	vkGetPhysicalDeviceFeatures(vk.physical, &features);
	return features.shaderStorageImageMultisample &&
	       (vk.properties.limits.storageImageSampleCounts & SAMPLES);
}

int main(void)
{
	static VkPhysicalDeviceBorderColorSwizzleFeaturesEXT swizzle = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BORDER_COLOR_SWIZZLE_FEATURES_EXT };
	static VkPhysicalDeviceCustomBorderColorFeaturesEXT border = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CUSTOM_BORDER_COLOR_FEATURES_EXT,
		.pNext = &swizzle
	};
	static const char *const wanted[] = { VK_EXT_CUSTOM_BORDER_COLOR_EXTENSION_NAME,
					      VK_EXT_BORDER_COLOR_SWIZZLE_EXTENSION_NAME };

	vk.features = &border;
	vk_open_with(NULL, 0, wanted, 2);
	test.result = vk_buffer_new(4096, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
	if (can_store())
		try_samples();
	else
		tap(true, "samples # SKIP shaders do not store to them");
	tap(swizzle.borderColorSwizzle && swizzle.borderColorSwizzleFromImage,
	    "borders are swizzled");
	try_borders(false);
	try_borders(true);
	vk_buffer_del(&test.result);
	vk_close();
	return tap_failures() != 0;
}
