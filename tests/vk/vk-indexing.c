// SPDX-License-Identifier: MIT
/*
 * Vulkan: arrays of descriptors with a non-uniform index (VK_EXT_descriptor_indexing); sets that
 * are updated after they were bound, are partially bound, or are large. Prints TAP.
 */
#include <stdio.h>
#include <string.h>

#include "vk-pipeline.h"

#include "vk-indexing.comp.h"
#include "vk-indexing-one.comp.h"

#define N 16		/* invocations */
/* bytes between elements of a buffer; a multiple of all alignments of offsets */
#define STEP 256
#define THINGS 8	/* objects of each kind */
#define ELEMENTS 32	/* of each array; element i is object i % THINGS */
#define KINDS 8
#define LARGE 20000
#define FRAMES 40
#define VERY_LARGE 600000

static const VkImageLayout general = VK_IMAGE_LAYOUT_GENERAL;
static const VkDescriptorType types[KINDS] = {
	VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,	   VK_DESCRIPTOR_TYPE_SAMPLER,
	VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
	VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER,   VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER,
	VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,	   VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
};

static struct {
	VkSampler sampler;
	struct vk_buffer order, result;
	/* THINGS words, STEP apart, for each kind that uses a buffer */
	struct vk_buffer buffers[KINDS];
	VkBufferView texels[KINDS][THINGS];
	struct vk_image pictures[THINGS], stores[THINGS];
	VkImageView picture_views[THINGS], store_views[THINGS];
} things;

/* One or more arrays of descriptors, and the pipeline that uses them. */
static struct {
	VkDescriptorSetLayout layouts[2];
	VkPipelineLayout layout;
	VkPipeline pipeline;
	VkDescriptorPool pool;
	VkDescriptorSet sets[2];
} test;

/* Objects: object n of kind k has the value k * 10 + n, images have n + 1 */

static uint32_t value_of(uint32_t kind, uint32_t i)
{
	return kind < 3 ? i % THINGS + 1 : kind * 10 + i % THINGS;
}

static VkBufferView texels_new(VkBuffer buffer, uint32_t n)
{
	const VkBufferViewCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO,
		.buffer = buffer,
		.format = VK_FORMAT_R32_UINT,
		.offset = n * STEP,
		.range = 4,
	};
	VkBufferView view;

	VK_CHECK(vkCreateBufferView(vk.device, &info, NULL, &view));
	return view;
}

static void make_buffers(uint32_t kind, VkBufferUsageFlags usage, bool views)
{
	things.buffers[kind] = vk_buffer_new(THINGS * STEP, usage);
	for (uint32_t i = 0; i < THINGS; i++) {
		((uint32_t *)things.buffers[kind].map)[i * STEP / 4] = value_of(kind, i);
		if (views)
			things.texels[kind][i] = texels_new(things.buffers[kind].buffer, i);
	}
}

static void make_images(uint32_t i)
{
	const VkClearColorValue color = { .float32 = { (i + 1) / 255.0f } },
				number = { .uint32 = { value_of(3, i) } };

	things.pictures[i] = vk_picture_new(VK_FORMAT_R8G8B8A8_UNORM, 4, VK_IMAGE_USAGE_SAMPLED_BIT,
					    &things.picture_views[i]);
	vk_image_fill(&things.pictures[i], &color);
	things.stores[i] = vk_picture_new(VK_FORMAT_R32_UINT, 4, VK_IMAGE_USAGE_STORAGE_BIT,
					  &things.store_views[i]);
	vk_image_fill(&things.stores[i], &number);
}

static void make_things(void)
{
	things.sampler = vk_sampler_new((VkSamplerCreateInfo){ 0 });
	things.order = vk_buffer_new(4096, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
	things.result = vk_buffer_new(65536, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
	make_buffers(4, VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT, true);
	make_buffers(5, VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT, true);
	make_buffers(6, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT, false);
	make_buffers(7, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, false);
	for (uint32_t i = 0; i < THINGS; i++)
		make_images(i);
}

static void drop_things(void)
{
	for (uint32_t i = 0; i < THINGS; i++) {
		vkDestroyImageView(vk.device, things.picture_views[i], NULL);
		vkDestroyImageView(vk.device, things.store_views[i], NULL);
		vk_image_del(&things.pictures[i]);
		vk_image_del(&things.stores[i]);
		vkDestroyBufferView(vk.device, things.texels[4][i], NULL);
		vkDestroyBufferView(vk.device, things.texels[5][i], NULL);
	}
	for (uint32_t i = 4; i < KINDS; i++)
		vk_buffer_del(&things.buffers[i]);
	vk_buffer_del(&things.order);
	vk_buffer_del(&things.result);
	vkDestroySampler(vk.device, things.sampler, NULL);
}

/* Layouts and sets */

static VkDescriptorSetLayout make_layout(const VkDescriptorSetLayoutBinding *bindings, uint32_t n,
					 VkDescriptorBindingFlags flags,
					 VkDescriptorBindingFlags last)
{
	VkDescriptorBindingFlags all[KINDS];
	const VkDescriptorSetLayoutBindingFlagsCreateInfo binding_flags = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO,
		.bindingCount = n,
		.pBindingFlags = all,
	};
	const VkDescriptorSetLayoutCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
		.pNext = &binding_flags,
		.flags = flags & VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT
				 ? VK_DESCRIPTOR_SET_LAYOUT_CREATE_UPDATE_AFTER_BIND_POOL_BIT
				 : 0,
		.bindingCount = n,
		.pBindings = bindings,
	};
	VkDescriptorSetLayout layout;

	for (uint32_t i = 0; i < n; i++)
		all[i] = flags | (i + 1 == n ? last : 0);
	VK_CHECK(vkCreateDescriptorSetLayout(vk.device, &info, NULL, &layout));
	return layout;
}

static void make_layouts(const VkDescriptorSetLayoutBinding *bindings, uint32_t n,
			 VkDescriptorBindingFlags flags, VkDescriptorBindingFlags last)
{
	const VkDescriptorSetLayoutBinding first[] = {
		{ 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL },
		{ 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL },
	};

	test.layouts[0] = vk_set_layout_new(first, 2);
	test.layouts[1] = make_layout(bindings, n, flags, last);
	test.layout = vk_layout_new(test.layouts, 2, VK_SHADER_STAGE_COMPUTE_BIT, 8);
}

/*
 * @variable: elements of the last binding (a variable descriptor count), or 0: all that the layout
 * has.
 */
static void make_sets(bool after_bind, uint32_t variable)
{
	VkDescriptorPoolSize sizes[KINDS];
	VkDescriptorPoolCreateInfo pool = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
		.maxSets = 2,
		.poolSizeCount = KINDS,
		.flags = after_bind ? VK_DESCRIPTOR_POOL_CREATE_UPDATE_AFTER_BIND_BIT : 0,
		.pPoolSizes = sizes,
	};
	const uint32_t counts[] = { 0, variable };
	const VkDescriptorSetVariableDescriptorCountAllocateInfo count = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_ALLOCATE_INFO,
		.descriptorSetCount = 2, .pDescriptorCounts = counts,
	};
	VkDescriptorSetAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
		.pNext = variable ? &count : NULL,
		.descriptorSetCount = 2,
		.pSetLayouts = test.layouts,
	};

	for (uint32_t i = 0; i < KINDS; i++)
		sizes[i] = (VkDescriptorPoolSize){
			types[i],
			types[i] == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER ? LARGE : ELEMENTS + 2
		};
	VK_CHECK(vkCreateDescriptorPool(vk.device, &pool, NULL, &test.pool));
	info.descriptorPool = test.pool;
	VK_CHECK(vkAllocateDescriptorSets(vk.device, &info, test.sets));
	vk_write_buffer(test.sets[0], 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, &things.order);
	vk_write_buffer(test.sets[0], 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, &things.result);
}

static void end(void)
{
	VK_CHECK(vkQueueWaitIdle(vk.queue));
	vkDestroyDescriptorPool(vk.device, test.pool, NULL);
	vkDestroyPipeline(vk.device, test.pipeline, NULL);
	vkDestroyPipelineLayout(vk.device, test.layout, NULL);
	for (int i = 0; i < 2; i++)
		vkDestroyDescriptorSetLayout(vk.device, test.layouts[i], NULL);
}

/* Writes: element @element of the array of @kind at @binding becomes object @n. */
static void write_thing(uint32_t binding, uint32_t kind, uint32_t element, uint32_t n)
{
	const bool store = types[kind] == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
	const VkDescriptorImageInfo image = {
		things.sampler, store ? things.store_views[n] : things.picture_views[n], general,
	};
	const VkDescriptorBufferInfo buffer = { things.buffers[kind].buffer, n * STEP, 16 };
	VkWriteDescriptorSet write = vk_write_of(test.sets[1], binding, 1, types[kind]);

	write.dstArrayElement = element;
	write.pImageInfo = &image;
	write.pBufferInfo = &buffer;
	write.pTexelBufferView = &things.texels[kind][n];
	vkUpdateDescriptorSets(vk.device, 1, &write, 0, NULL);
}

static void write_picture(uint32_t element, uint32_t n)
{
	write_thing(3, 2, element, n);
}

/* Dispatches */

static void record(VkCommandBuffer cmd, uint32_t first, uint32_t add)
{
	const uint32_t push[] = { first, add };

	vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, test.pipeline);
	vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, test.layout, 0, 2, test.sets,
				0, NULL);
	vkCmdPushConstants(cmd, test.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(push), push);
	vkCmdDispatch(cmd, 1, 1, 1);
	vk_barrier(cmd);
}

static void submit(VkCommandBuffer cmd)
{
	const VkSubmitInfo info = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.commandBufferCount = 1,
		.pCommandBuffers = &cmd,
	};

	VK_CHECK(vkQueueSubmit(vk.queue, 1, &info, VK_NULL_HANDLE));
}

static void run(uint32_t first, uint32_t add)
{
	VkCommandBuffer cmd = vk_begin();

	record(cmd, first, add);
	vk_run(cmd);
}

static void set_order(uint32_t from, uint32_t times)
{
	memset(things.result.map, 0xee, things.result.size);
	for (uint32_t i = 0; i < N; i++)
		((uint32_t *)things.order.map)[i] = from + i * times;
}

/* Tests with arrays of all kinds */

static void begin_all(VkDescriptorBindingFlags flags)
{
	VkDescriptorSetLayoutBinding bindings[KINDS];

	for (uint32_t i = 0; i < KINDS; i++)
		bindings[i] = (VkDescriptorSetLayoutBinding){ i, types[i], ELEMENTS,
							      VK_SHADER_STAGE_COMPUTE_BIT, NULL };
	make_layouts(bindings, KINDS, flags, 0);
	test.pipeline = vk_compute_new(test.layout, VK_CODE(vk_indexing_comp));
	make_sets(flags & VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT, 0);
}

static void write_all(uint32_t element, uint32_t n)
{
	for (uint32_t kind = 0; kind < KINDS; kind++)
		write_thing(kind, kind, element, n);
}

/* Returns true if each invocation i read the objects of element (@from + i * @times) + @add. */
static bool found(uint32_t from, uint32_t times, uint32_t add)
{
	static const uint32_t kinds[] = { 0, 2, 3, 4, 5, 6, 7 };
	const uint32_t *words = things.result.map;
	bool ok = true;

	for (uint32_t i = 0; i < N; i++)
		for (uint32_t k = 0; k < 7; k++) {
			const uint32_t expected = value_of(kinds[k], from + i * times + add);

			if (words[i * 8 + k] == expected)
				continue;
			printf("# invocation %u, type %u: %u, not %u\n", i, types[kinds[k]],
			       words[i * 8 + k], expected);
			ok = false;
		}
	return ok;
}

static bool storages_seen(void)
{
	bool ok = true;

	for (uint32_t i = 0; i < THINGS; i++)
		ok &= ((uint32_t *)things.buffers[7].map)[i * STEP / 4 + 1] == 1;
	return ok;
}

static void test_kinds(void)
{
	begin_all(0);
	for (uint32_t i = 0; i < ELEMENTS; i++)
		write_all(i, i % THINGS);
	set_order(0, 1);
	run(0, 0);
	tap(found(0, 1, 0) && storages_seen(), "invocations pick elements of all types of arrays");
	set_order(31, -2);
	run(0, 0);
	tap(found(31, -2, 0), "in another order");
	set_order(17, 0);
	run(0, 0);
	tap(found(17, 0, 0), "and all the same");
	end();
}

static void test_partial(void)
{
	begin_all(VK_DESCRIPTOR_BINDING_PARTIALLY_BOUND_BIT);
	write_all(5, 5);
	write_all(9, 1);
	set_order(5, 0);
	((uint32_t *)things.order.map)[3] = 9;
	run(0, 0);
	tap(((uint32_t *)things.result.map)[3 * 8 + 6] == value_of(7, 1) &&
		    ((uint32_t *)things.result.map)[6] == value_of(7, 5),
	    "what is not used need not be written");
	end();
}

static void test_after_bind(void)
{
	VkCommandBuffer cmd;

	begin_all(VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT |
		  VK_DESCRIPTOR_BINDING_PARTIALLY_BOUND_BIT);
	for (uint32_t i = 0; i < ELEMENTS; i++)
		write_all(i, 0);
	set_order(0, 1);
	cmd = vk_begin();
	record(cmd, 0, 0);
	for (uint32_t i = 0; i < ELEMENTS / 2; i++)
		write_all(i, i % THINGS);
	VK_CHECK(vkEndCommandBuffer(cmd));
	for (uint32_t i = ELEMENTS / 2; i < ELEMENTS; i++)
		write_all(i, i % THINGS);
	submit(cmd);
	VK_CHECK(vkQueueWaitIdle(vk.queue));
	tap(found(0, 1, 0), "a set is written after it was bound");
	for (uint32_t i = 0; i < ELEMENTS; i++)
		write_all(i, (i + 3) % THINGS);
	submit(cmd);
	VK_CHECK(vkQueueWaitIdle(vk.queue));
	tap(found(0, 1, 3), "and before commands are submitted again");
	vkFreeCommandBuffers(vk.device, vk.pool, 1, &cmd);
	end();
}

/* Tests with one array of @count images, of which the set allocates @variable if that is not 0 */

static void begin_one(uint32_t count, uint32_t variable)
{
	const VkDescriptorSetLayoutBinding binding = {
		3,    VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, count, VK_SHADER_STAGE_COMPUTE_BIT,
		NULL,
	};

	make_layouts(&binding, 1,
		     VK_DESCRIPTOR_BINDING_PARTIALLY_BOUND_BIT |
			     VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT |
			     VK_DESCRIPTOR_BINDING_UPDATE_UNUSED_WHILE_PENDING_BIT,
		     variable ? VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT : 0);
	test.pipeline = vk_compute_new(test.layout, VK_CODE(vk_indexing_one_comp));
	make_sets(true, variable);
}

/* Returns true if each invocation i read the image of element @n + i * @times. */
static bool pictures_are(uint32_t first, uint32_t n, uint32_t times)
{
	const uint32_t *words = (uint32_t *)things.result.map + first;

	for (uint32_t i = 0; i < N; i++) {
		if (words[i] == (n + i * times) % THINGS + 1)
			continue;
		printf("# invocation %u: %u, not %u\n", i, words[i], (n + i * times) % THINGS + 1);
		return false;
	}
	return true;
}

static void test_variable(void)
{
	begin_one(LARGE, 100);
	for (uint32_t i = 0; i < 100; i++)
		write_picture(i, i % THINGS);
	set_order(99, -6);
	run(0, 0);
	tap(pictures_are(0, 99 % THINGS, THINGS - 6),
	    "a set has as many elements as it was allocated with");
	end();
}

static void test_large(void)
{
	begin_one(LARGE, 0);
	for (uint32_t i = 0; i < LARGE; i++)
		write_picture(i, i % THINGS);
	set_order(LARGE - N, 1);
	run(0, 0);
	tap(pictures_are(0, (LARGE - N) % THINGS, 1), "the last ones of many elements");
	set_order(1, 1009);
	run(0, 0);
	tap(pictures_are(0, 1, 1009 % THINGS), "and others far apart");
	write_picture(1 + 3 * 1009, 7);
	run(0, 0);
	tap(((uint32_t *)things.result.map)[3] == 8, "one is written anew");
	vkResetDescriptorPool(vk.device, test.pool, 0);
	end();
}

/*
 * Each submission uses an element that was written while earlier submissions may be executing; the
 * other elements of the set must not change.
 */
static void test_while_pending(void)
{
	VkCommandBuffer cmds[FRAMES];
	bool ok = true;

	begin_one(LARGE, 0);
	set_order(0, 0);
	for (uint32_t i = 0; i < FRAMES; i++) {
		write_picture(i * 101, i % THINGS);
		cmds[i] = vk_begin();
		record(cmds[i], i * N, i * 101);
		VK_CHECK(vkEndCommandBuffer(cmds[i]));
		submit(cmds[i]);
	}
	VK_CHECK(vkQueueWaitIdle(vk.queue));
	for (uint32_t i = 0; i < FRAMES; i++)
		ok &= pictures_are(i * N, i % THINGS, 0);
	tap(ok, "elements are written while work that uses others is pending");
	for (uint32_t i = 0; i < FRAMES; i++)
		submit(cmds[i]);
	VK_CHECK(vkQueueWaitIdle(vk.queue));
	for (uint32_t i = 0; i < FRAMES; i++)
		ok &= pictures_are(i * N, i % THINGS, 0);
	tap(ok, "and all of them stay");
	vkFreeCommandBuffers(vk.device, vk.pool, FRAMES, cmds);
	end();
}

/* An image is destroyed and its memory freed while an element that is not used still names it. */
static void test_gone(void)
{
	VkImageView view;
	struct vk_image gone;

	begin_one(LARGE, 0);
	gone = vk_picture_new(VK_FORMAT_R8G8B8A8_UNORM, 4, VK_IMAGE_USAGE_SAMPLED_BIT, &view);
	vk_write_image(test.sets[1], 3, 77, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
		       things.sampler, view);
	for (uint32_t i = 0; i < THINGS; i++)
		write_picture(i, i);
	set_order(0, 0);
	run(0, 2);
	vkDestroyImageView(vk.device, view, NULL);
	vk_image_del(&gone);
	run(N, 3);
	write_picture(77, 4);
	run(2 * N, 77);
	tap(pictures_are(0, 2, 0) && pictures_are(N, 3, 0) && pictures_are(2 * N, 4, 0),
	    "what an element names may go when nobody uses it");
	end();
}

/*
 * Allocates as many very large sets as fit, up to MOST; the device must survive if one does not
 * fit.
 */
static void test_room(void)
{
	enum { MOST = 8 };
	const VkDescriptorSetLayoutBinding binding = {
		0,	    VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
		VERY_LARGE, VK_SHADER_STAGE_COMPUTE_BIT,
		NULL,
	};
	const VkDescriptorPoolSize size = { VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
					    MOST * VERY_LARGE };
	const VkDescriptorPoolCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
		.maxSets = MOST,
		.poolSizeCount = 1,
		.flags = VK_DESCRIPTOR_POOL_CREATE_UPDATE_AFTER_BIND_BIT,
		.pPoolSizes = &size,
	};
	const VkDescriptorSetLayout layout =
		make_layout(&binding, 1, VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT, 0);
	VkDescriptorSetAllocateInfo allocate = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
		.descriptorSetCount = 1,
		.pSetLayouts = &layout,
	};
	VkResult result = VK_SUCCESS;
	VkDescriptorSet set;
	uint32_t n = 0;

	VK_CHECK(vkCreateDescriptorPool(vk.device, &info, NULL, &allocate.descriptorPool));
	while (!result && n < MOST) {
		result = vkAllocateDescriptorSets(vk.device, &allocate, &set);
		n += !result;
	}
	printf("# room for %u sets of %u\n", n, VERY_LARGE);
	tap(n && (!result || result == VK_ERROR_OUT_OF_POOL_MEMORY),
	    "sets that there is no room for are refused");
	vk_run(vk_begin());
	VK_CHECK(vkResetDescriptorPool(vk.device, allocate.descriptorPool, 0));
	result = vkAllocateDescriptorSets(vk.device, &allocate, &set);
	tap(!result, "others have it when they are gone");
	vk_run(vk_begin());
	vkDestroyDescriptorPool(vk.device, allocate.descriptorPool, NULL);
	vkDestroyDescriptorSetLayout(vk.device, layout, NULL);
}

static void test_support(void)
{
	const VkDescriptorSetLayoutBinding binding = {
		0, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, 500000, VK_SHADER_STAGE_ALL, NULL,
	};
	const VkDescriptorBindingFlags flags = VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT;
	const VkDescriptorSetLayoutBindingFlagsCreateInfo binding_flags = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO,
		.bindingCount = 1,
		.pBindingFlags = &flags,
	};
	const VkDescriptorSetLayoutCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
		.pNext = &binding_flags,
		.bindingCount = 1,
		.pBindings = &binding,
	};
	VkDescriptorSetVariableDescriptorCountLayoutSupport variable = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_LAYOUT_SUPPORT,
	};
	VkDescriptorSetLayoutSupport support = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_SUPPORT, .pNext = &variable
	};

	vkGetDescriptorSetLayoutSupport(vk.device, &info, &support);
	tap(support.supported && variable.maxVariableDescriptorCount >= 500000,
	    "layouts may have half a million elements");
}

static void test_limits(void)
{
	VkPhysicalDeviceDescriptorIndexingProperties p = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_INDEXING_PROPERTIES,
	};
	VkPhysicalDeviceProperties2 all = { .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
					    .pNext = &p };

	vkGetPhysicalDeviceProperties2(vk.physical, &all);
	tap(p.maxUpdateAfterBindDescriptorsInAllPools >= 500000 &&
		    p.maxPerStageUpdateAfterBindResources >= 500000 &&
		    p.maxPerStageDescriptorUpdateAfterBindSampledImages >= 500000 &&
		    p.maxPerStageDescriptorUpdateAfterBindStorageImages >= 500000 &&
		    p.maxPerStageDescriptorUpdateAfterBindStorageBuffers >= 500000 &&
		    p.maxPerStageDescriptorUpdateAfterBindSamplers >= 500000 &&
		    p.maxPerStageDescriptorUpdateAfterBindUniformBuffers >= 12 &&
		    p.maxDescriptorSetUpdateAfterBindUniformBuffers >= 72 &&
		    p.maxDescriptorSetUpdateAfterBindUniformBuffersDynamic >= 8 &&
		    p.maxDescriptorSetUpdateAfterBindStorageBuffersDynamic >= 4 &&
		    p.maxPerStageDescriptorUpdateAfterBindInputAttachments >= 4,
	    "limits are those that the feature requires");
}

int main(void)
{
	static VkPhysicalDeviceDescriptorIndexingFeatures indexing = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_INDEXING_FEATURES,
	};
	static const char *const extensions[] = { VK_EXT_DESCRIPTOR_INDEXING_EXTENSION_NAME };

	vk.features = &indexing;
	vk_open_with(NULL, 0, extensions, 1);
	make_things();
	test_limits();
	test_support();
	test_kinds();
	test_partial();
	test_after_bind();
	test_variable();
	test_room();
	test_large();
	test_while_pending();
	test_gone();
	drop_things();
	vk_close();
	return tap_failures() != 0;
}
