// SPDX-License-Identifier: MIT
/*
 * Vulkan: null descriptors and null vertex buffers (VK_EXT_robustness2): reads return zero, sizes
 * are 0, stores are discarded. Each descriptor was not null before. Prints TAP.
 */
#include <string.h>

#include "vk-pipeline.h"

#include "vk-null-shaders.h"

#define N_BINDINGS 9
#define N_WORDS 18
#define VALUE 5		/* the value of all data */
#define SIDE 4
#define LAYERS 3
#define TEXELS 16

static struct {
	VkSampler sampler;
	struct vk_buffer result, uniforms, stores;
	VkBufferView texels, stored_texels;
	struct vk_image image, layers;
	VkImageView view, layers_view;
	struct vk_set set;
	VkPipelineLayout layout;
	VkPipeline compute, graphics;
} test;

static const VkDescriptorType types[N_BINDINGS] = {
	VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,	   VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
	VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,	   VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER,
	VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER,   VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
	VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
	VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,
};

/* The results with real descriptors, in the shader's order. */
static const uint32_t something[N_WORDS] = {
	VALUE, VALUE, TEXELS, VALUE, VALUE,  TEXELS, VALUE, TEXELS, VALUE,
	VALUE, SIDE,  1,      VALUE, LAYERS, VALUE,  SIDE,  VALUE,  VALUE,
};
static const uint32_t nothing[N_WORDS];

static VkBufferView texels_new(VkBuffer buffer)
{
	const VkBufferViewCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO,
		.buffer = buffer,
		.format = VK_FORMAT_R32_UINT,
		.range = TEXELS * 4,
	};
	VkBufferView view;

	VK_CHECK(vkCreateBufferView(vk.device, &info, NULL, &view));
	return view;
}

static VkImageView image_new(uint32_t layers, VkImageViewType type, struct vk_image *image)
{
	const VkImageCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.imageType = VK_IMAGE_TYPE_2D,
		.format = VK_FORMAT_R32_UINT,
		.extent = { SIDE, SIDE, 1 },
		.mipLevels = 1,
		.arrayLayers = layers,
		.samples = 1,
		.usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT |
			 VK_IMAGE_USAGE_TRANSFER_DST_BIT,
	};

	*image = vk_image_new(&info);
	vk_image_fill(image, &(VkClearColorValue){ .uint32 = { VALUE } });
	return vk_view_new(image, type, info.format, vk_image_all(image));
}

static void make_things(void)
{
	const VkBufferUsageFlags usage =
		VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT |
		VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT | VK_BUFFER_USAGE_VERTEX_BUFFER_BIT;

	test.sampler = vk_sampler_new((VkSamplerCreateInfo){ 0 });
	test.result = vk_buffer_new(N_WORDS * 4, usage);
	test.uniforms = vk_buffer_new(64, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT);
	test.stores = vk_buffer_new(TEXELS * 4, usage);
	for (int i = 0; i < TEXELS; i++)
		((uint32_t *)test.uniforms.map)[i] = ((uint32_t *)test.stores.map)[i] = VALUE;
	test.texels = texels_new(test.stores.buffer);
	test.stored_texels = texels_new(test.stores.buffer);
	test.view = image_new(1, VK_IMAGE_VIEW_TYPE_2D, &test.image);
	test.layers_view = image_new(LAYERS, VK_IMAGE_VIEW_TYPE_2D_ARRAY, &test.layers);
}

static void drop_things(void)
{
	vkDestroyImageView(vk.device, test.layers_view, NULL);
	vkDestroyImageView(vk.device, test.view, NULL);
	vk_image_del(&test.layers);
	vk_image_del(&test.image);
	vkDestroyBufferView(vk.device, test.stored_texels, NULL);
	vkDestroyBufferView(vk.device, test.texels, NULL);
	vk_buffer_del(&test.stores);
	vk_buffer_del(&test.uniforms);
	vk_buffer_del(&test.result);
	vkDestroySampler(vk.device, test.sampler, NULL);
}

static void make_set(void)
{
	VkDescriptorSetLayoutBinding bindings[N_BINDINGS];

	for (uint32_t i = 0; i < N_BINDINGS; i++)
		bindings[i] =
			(VkDescriptorSetLayoutBinding){ i, types[i], 1, VK_SHADER_STAGE_ALL, NULL };
	test.set = vk_set_new(bindings, N_BINDINGS);
	test.layout = vk_layout_new(&test.set.layout, 1, 0, 0);
}

/* Restores the contents of the storage buffer and the storage image. */
static void fill_stored(void)
{
	for (int i = 0; i < TEXELS; i++)
		((uint32_t *)test.stores.map)[i] = VALUE;
	vk_image_fill(&test.image, &(VkClearColorValue){ .uint32 = { VALUE } });
}

/* Writes real descriptors, or null descriptors for all but the result buffer. */
static void write_set(bool there)
{
	const VkDescriptorBufferInfo buffers[N_BINDINGS] = {
		{ test.result.buffer, 0, VK_WHOLE_SIZE },
		{ there ? test.uniforms.buffer : VK_NULL_HANDLE, 0, VK_WHOLE_SIZE },
		{ there ? test.stores.buffer : VK_NULL_HANDLE, 0, VK_WHOLE_SIZE },
	};
	const VkBufferView texels[N_BINDINGS] = {
		[3] = there ? test.texels : VK_NULL_HANDLE,
		[4] = there ? test.stored_texels : VK_NULL_HANDLE,
	};
	VkDescriptorImageInfo images[N_BINDINGS] = {
		[5].imageView = test.view,
		[6].imageView = test.layers_view,
		[7].imageView = test.view,
		[8].imageView = test.view,
	};
	VkWriteDescriptorSet writes[N_BINDINGS];

	for (uint32_t i = 0; i < N_BINDINGS; i++) {
		images[i].sampler = test.sampler;
		images[i].imageLayout = VK_IMAGE_LAYOUT_GENERAL;
		if (!there)
			images[i].imageView = VK_NULL_HANDLE;
		writes[i] = (VkWriteDescriptorSet){
			VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
			NULL,
			test.set.set,
			i,
			0,
			1,
			types[i],
			&images[i],
			&buffers[i],
			&texels[i],
		};
	}
	vkUpdateDescriptorSets(vk.device, N_BINDINGS, writes, 0, NULL);
}

static void make_pipelines(void)
{
	const VkVertexInputBindingDescription binding = { 0, 16, VK_VERTEX_INPUT_RATE_VERTEX };
	const VkVertexInputAttributeDescription attribute = { 0, 0, VK_FORMAT_R32G32B32A32_UINT,
							      0 };
	struct vk_pipeline p;

	test.compute = vk_compute_new(test.layout, VK_CODE(null_comp));
	vk_pipeline_init(&p, test.layout, SIDE);
	vk_pipeline_code(&p, VK_SHADER_STAGE_VERTEX_BIT, VK_CODE(null_vert));
	vk_pipeline_formats(&p, VK_FORMAT_UNDEFINED, VK_FORMAT_UNDEFINED, VK_FORMAT_UNDEFINED);
	vk_pipeline_inputs(&p, &binding, 1, &attribute, 1);
	p.assembly.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
	p.raster.rasterizerDiscardEnable = true;
	p.info.pViewportState = NULL;
	p.info.pMultisampleState = NULL;
	p.info.pColorBlendState = NULL;
	test.graphics = vk_pipeline_new(&p);
}

static void bind(VkCommandBuffer cmd, VkPipelineBindPoint point, VkPipeline pipeline)
{
	vkCmdBindPipeline(cmd, point, pipeline);
	vkCmdBindDescriptorSets(cmd, point, test.layout, 0, 1, &test.set.set, 0, NULL);
}

static void check_shader(const uint32_t *want, const char *what)
{
	const uint32_t *result = test.result.map;
	VkCommandBuffer cmd = vk_begin();
	uint32_t wrong = 0;

	memset(test.result.map, 0xaa, N_WORDS * 4);
	bind(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, test.compute);
	vkCmdDispatch(cmd, 1, 1, 1);
	vk_run(cmd);
	while (wrong < N_WORDS && result[wrong] == want[wrong])
		wrong++;
	if (wrong < N_WORDS)
		tap(false, "%s: word %u is %u, not %u", what, wrong, result[wrong], want[wrong]);
	else
		tap(true, "%s", what);
}

/* Draws one vertex, and returns the attribute that the shader stored. */
static uint32_t draw(VkBuffer buffer)
{
	const VkRenderingInfo rendering = {
		.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
		.renderArea.extent = { 1, 1 },
		.layerCount = 1,
	};
	VkCommandBuffer cmd = vk_begin();

	memset(test.result.map, 0xaa, N_WORDS * 4);
	bind(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, test.graphics);
	vkCmdBindVertexBuffers(cmd, 0, 1, &buffer, &(VkDeviceSize){ 0 });
	VK_FUNCTION(vkCmdBeginRenderingKHR)(cmd, &rendering);
	vkCmdDraw(cmd, 1, 1, 0, 0);
	VK_FUNCTION(vkCmdEndRenderingKHR)(cmd);
	vk_run(cmd);
	return *(const uint32_t *)test.result.map;
}

/* A buffer view with VK_WHOLE_SIZE of a buffer that is smaller than a texel. */
static void test_no_texel(void)
{
	const struct vk_buffer buffer = vk_buffer_new(8, VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT);
	const VkBufferViewCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO, .buffer = buffer.buffer,
		.format = VK_FORMAT_R32G32B32A32_UINT, .range = VK_WHOLE_SIZE,
	};
	VkBufferView view;

	VK_CHECK(vkCreateBufferView(vk.device, &info, NULL, &view));
	vk_run(vk_begin());
	vkDestroyBufferView(vk.device, view, NULL);
	vk_run(vk_begin());
	tap(true, "a view of less than a texel is nothing");
	vk_buffer_del(&buffer);
}

int main(void)
{
	static const char *const extensions[] = {
		VK_EXT_ROBUSTNESS_2_EXTENSION_NAME, VK_KHR_DYNAMIC_RENDERING_EXTENSION_NAME,
	};
	VkPhysicalDeviceRobustness2FeaturesEXT robustness2 = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT,
	};
	VkPhysicalDeviceDynamicRenderingFeatures rendering = {
		VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_FEATURES, &robustness2, true,
	};

	vk.features = &rendering;
	vk_open_with(NULL, 0, extensions, 2);
	tap(robustness2.nullDescriptor, "there are null descriptors");
	make_things();
	make_set();
	make_pipelines();
	write_set(true);
	tap(draw(test.stores.buffer) == VALUE, "a vertex has its attribute");
	check_shader(something, "all descriptors are something");
	write_set(false);
	tap(draw(VK_NULL_HANDLE) == 0, "one without a buffer has zero");
	fill_stored();
	check_shader(nothing, "all descriptors are nothing");
	check_shader(nothing, "which has not been written to");
	write_set(true);
	check_shader(something, "nor has what they were before");
	test_no_texel();
	vkDestroyPipeline(vk.device, test.graphics, NULL);
	vkDestroyPipeline(vk.device, test.compute, NULL);
	vkDestroyPipelineLayout(vk.device, test.layout, NULL);
	vk_set_del(&test.set);
	drop_things();
	vk_close();
	return tap_failures() != 0;
}
