// SPDX-License-Identifier: MIT
/*
 * Vulkan: derivatives in compute shaders (VK_KHR_compute_shader_derivatives), also those by which
 * textures select a level. Prints TAP.
 */
#include <math.h>
#include <stdio.h>

#include "vk-pipeline.h"

#include "vk-derivatives-shaders.h"

#define N 32		/* invocations */
#define WIDTH 8		/* of a group with derivatives in quads */
#define SIDE 16
#define LEVELS 5

static struct {
	struct vk_set set;
	VkPipelineLayout layout;
	struct vk_buffer result;
	struct vk_image picture;
	VkImageView view;
	VkSampler sampler;
} test;

/* Fills level n with the color 10 * (n + 1). */
static void make_picture(void)
{
	const VkImageCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.imageType = VK_IMAGE_TYPE_2D,
		.format = VK_FORMAT_R8G8B8A8_UNORM,
		.extent = { SIDE, SIDE, 1 },
		.mipLevels = LEVELS,
		.arrayLayers = 1,
		.samples = 1,
		.usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
	};
	VkCommandBuffer cmd;

	test.picture = vk_image_new(&info);
	test.view = vk_view_new(&test.picture, VK_IMAGE_VIEW_TYPE_2D, info.format,
				vk_image_all(&test.picture));
	cmd = vk_begin();
	for (uint32_t i = 0; i < LEVELS; i++) {
		const VkClearColorValue color = { .float32 = { 10 * (i + 1) / 255.0f } };
		const VkImageSubresourceRange level = { VK_IMAGE_ASPECT_COLOR_BIT, i, 1, 0, 1 };

		vkCmdClearColorImage(cmd, test.picture.image, VK_IMAGE_LAYOUT_GENERAL, &color, 1,
				     &level);
	}
	vk_run(cmd);
}

static void make_things(void)
{
	const VkDescriptorSetLayoutBinding bindings[] = {
		{ 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL },
		{ 1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, VK_SHADER_STAGE_COMPUTE_BIT,
		  NULL },
	};

	make_picture();
	test.sampler = vk_sampler_new((VkSamplerCreateInfo){ .maxLod = LEVELS });
	test.result = vk_buffer_new(N * 16, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
	test.set = vk_set_new(bindings, 2);
	vk_write_buffer(test.set.set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, &test.result);
	vk_write_image(test.set.set, 1, 0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, test.sampler,
		       test.view);
	test.layout = vk_layout_new(&test.set.layout, 1, VK_SHADER_STAGE_COMPUTE_BIT, 4);
}

static float value(uint32_t i)
{
	return 3.0f * i * i;
}

/*
 * @right, @below: the bits of an invocation's index that select its horizontal and its vertical
 * neighbour.
 */
static bool derives(const uint32_t *code, size_t size, uint32_t right, uint32_t below)
{
	const VkPipeline pipeline = vk_compute_new(test.layout, code, size);
	const float (*result)[4] = test.result.map;
	const uint32_t zero = 0;
	bool ok = true;

	vk_dispatch(pipeline, test.layout, test.set.set, &zero, sizeof(zero));
	vkDestroyPipeline(vk.device, pipeline, NULL);
	for (uint32_t i = 0; i < N; i++) {
		const float dx = value(i | right) - value(i & ~right),
			    dy = value(i | below) - value(i & ~below);
		const float expected[4] = { dx, dy, fabsf(dx) + fabsf(dy), i < 16 ? 30 : 20 };

		for (uint32_t k = 0; k < 4; k++) {
			if (result[i][k] == expected[k])
				continue;
			printf("# invocation %u, number %u: %g, not %g\n", i, k, result[i][k],
			       expected[k]);
			ok = false;
		}
	}
	return ok;
}

static void drop_things(void)
{
	vkDestroyPipelineLayout(vk.device, test.layout, NULL);
	vk_set_del(&test.set);
	vkDestroySampler(vk.device, test.sampler, NULL);
	vkDestroyImageView(vk.device, test.view, NULL);
	vk_image_del(&test.picture);
	vk_buffer_del(&test.result);
}

int main(void)
{
	static VkPhysicalDeviceComputeShaderDerivativesFeaturesKHR derivatives = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COMPUTE_SHADER_DERIVATIVES_FEATURES_KHR,
	};
	static const char *const extension = VK_KHR_COMPUTE_SHADER_DERIVATIVES_EXTENSION_NAME;

	vk.features = &derivatives;
	vk_open_with(NULL, 0, &extension, 1);
	make_things();
	tap(derivatives.computeDerivativeGroupQuads &&
		    derives(VK_CODE(derivatives_quads), 1, WIDTH),
	    "squares of invocations have derivatives, and textures levels");
	tap(derivatives.computeDerivativeGroupLinear && derives(VK_CODE(derivatives_linear), 1, 2),
	    "and so have four in a row");
	drop_things();
	vk_close();
	return tap_failures() != 0;
}
