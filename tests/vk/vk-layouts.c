// SPDX-License-Identifier: MIT
/*
 * Vulkan: binding numbers, which may have any value, and set layouts that are identically defined.
 * Prints TAP.
 */
#include <string.h>

#include "vk-pipeline.h"

#include "vk-layouts-shaders.h"

#define WORDS 16
#define MANY 4096

static struct vk_buffer first, second;

static VkDescriptorSetLayoutBinding binding(uint32_t number)
{
	return (VkDescriptorSetLayoutBinding){ number, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1,
					       VK_SHADER_STAGE_COMPUTE_BIT, NULL };
}

static void forget(void)
{
	uint32_t *words = first.map;

	memset(second.map, 0, WORDS * 4);
	for (uint32_t i = 0; i < WORDS; i++)
		words[i] = i;
}

static bool is_added(void)
{
	const uint32_t *words = second.map;
	bool ok = true;

	for (uint32_t i = 0; i < WORDS; i++)
		ok &= words[i] == i + 100;
	return ok;
}

/* Tests a layout with two of its @n bindings, @one and @other. */
static void test_layout(const VkDescriptorSetLayoutBinding *bindings, uint32_t n, uint32_t one,
			uint32_t other, const uint32_t *code, size_t size)
{
	const VkDescriptorSetLayoutCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
		.bindingCount = n,
		.pBindings = bindings,
	};
	VkDescriptorSetLayoutSupport support = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_SUPPORT
	};
	struct vk_set set;
	VkPipelineLayout layout;
	VkPipeline pipeline;

	vkGetDescriptorSetLayoutSupport(vk.device, &info, &support);
	tap(support.supported, "a layout of %u bindings, with %u and %u", n, one, other);
	set = vk_set_new(bindings, n);
	layout = vk_layout_new(&set.layout, 1, 0, 0);
	pipeline = vk_compute_new(layout, code, size);
	forget();
	vk_write_buffer(set.set, one, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, &first);
	vk_write_buffer(set.set, other, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, &second);
	vk_dispatch(pipeline, layout, set.set, NULL, 0);
	tap(is_added(), "and a shader that names them");
	vkDestroyPipeline(vk.device, pipeline, NULL);
	vkDestroyPipelineLayout(vk.device, layout, NULL);
	vk_set_del(&set);
}

static void test_numbers(uint32_t one, uint32_t other, const uint32_t *code, size_t size)
{
	const VkDescriptorSetLayoutBinding bindings[] = { binding(other), binding(one) };

	test_layout(bindings, 2, one, other, code, size);
}

static void test_many(void)
{
	static VkDescriptorSetLayoutBinding bindings[MANY];

	for (uint32_t i = 0; i < MANY; i++)
		bindings[i] = binding(i ? i : 60000);
	test_layout(bindings, MANY, 3, 60000, VK_CODE(layouts_far));
}

static void push(VkCommandBuffer cmd, VkPipelineLayout layout, uint32_t number,
		 const struct vk_buffer *buffer)
{
	const VkDescriptorBufferInfo info = { buffer->buffer, 0, VK_WHOLE_SIZE };
	VkWriteDescriptorSet write =
		vk_write_of(VK_NULL_HANDLE, number, 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER);

	write.pBufferInfo = &info;
	VK_FUNCTION(vkCmdPushDescriptorSetKHR)
	(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &write);
}

/*
 * Descriptors that were pushed with one of two identically defined layouts remain valid with the
 * other.
 */
static void test_alike(void)
{
	const VkDescriptorSetLayoutBinding bindings[] = { binding(0), binding(1) };
	const VkDescriptorSetLayoutCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
		.flags = VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR,
		.bindingCount = 2,
		.pBindings = bindings,
	};
	VkDescriptorSetLayout sets[2];
	VkPipelineLayout layouts[2];
	VkPipeline pipeline;
	VkCommandBuffer cmd;

	for (int i = 0; i < 2; i++) {
		VK_CHECK(vkCreateDescriptorSetLayout(vk.device, &info, NULL, &sets[i]));
		layouts[i] = vk_layout_new(&sets[i], 1, 0, 0);
	}
	pipeline = vk_compute_new(layouts[0], VK_CODE(layouts_small));
	forget();
	cmd = vk_begin();
	vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
	push(cmd, layouts[0], 0, &first);
	push(cmd, layouts[1], 1, &second);
	vkCmdDispatch(cmd, 1, 1, 1);
	vk_barrier(cmd);
	vk_run(cmd);
	tap(is_added(),
	    "what is pushed with a layout stays where it is pushed to with one that is alike");
	vkDestroyPipeline(vk.device, pipeline, NULL);
	for (int i = 0; i < 2; i++) {
		vkDestroyPipelineLayout(vk.device, layouts[i], NULL);
		vkDestroyDescriptorSetLayout(vk.device, sets[i], NULL);
	}
}

int main(void)
{
	const char *extension = VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME;

	vk_open_with(NULL, 0, &extension, 1);
	first = vk_buffer_new(WORDS * 4, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
	second = vk_buffer_new(WORDS * 4, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
	test_numbers(0, 255, VK_CODE(layouts_some));
	test_numbers(256, 384, VK_CODE(layouts_large));
	test_numbers(3, 60000, VK_CODE(layouts_far));
	test_many();
	test_alike();
	vk_buffer_del(&first);
	vk_buffer_del(&second);
	vk_close();
	return tap_failures() != 0;
}
