// SPDX-License-Identifier: MIT
/*
 * Vulkan: numbers of 8 to 64 bits in shaders and in memory, subgroups, inline uniform blocks, and
 * other features of Vulkan 1.2 and 1.3. Prints TAP.
 */
#include <stdio.h>
#include <string.h>

#include "vk-pipeline.h"

#include "vk-chains.comp.h"
#include "vk-subgroups.comp.h"
#include "vk-types.comp.h"

#define N 64			/* invocations */
#define BLOCK 3			/* binding of the inline uniform block */
#define BLOCK_SIZE 64
#define GROUPS 20		/* work groups that the words go through */
#define GROUP 16		/* invocations of each */
#define FACTOR 5
#define SUM (-7)
#define SCALE 1.5f

struct numbers {
	int8_t bytes[N];
	uint16_t shorts[N][3];
	_Float16 halves[N];
};

struct results {
	uint64_t total;
	uint32_t words[N][4];
	struct numbers numbers;
};

struct push {
	uint8_t factor;
	int16_t sum;
	_Float16 scale;
	uint16_t pad;			/* push constants have whole words */
};

static struct {
	VkDescriptorSetLayout set_layout;
	VkPipelineLayout layout;
	VkDescriptorPool pool;
	VkDescriptorSet set, other;
	struct vk_buffer source, result;
} test;

static void make_layouts(void)
{
	const VkDescriptorSetLayoutBinding bindings[] = {
		{ 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL },
		{ 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL },
		{ 2, VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK, 8, VK_SHADER_STAGE_COMPUTE_BIT,
		  NULL },
		{ BLOCK, VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK, BLOCK_SIZE,
		  VK_SHADER_STAGE_COMPUTE_BIT, NULL },
	};
	const VkDescriptorBindingFlags flags[] = { 0, 0, 0,
						   VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT };
	const VkDescriptorSetLayoutBindingFlagsCreateInfo binding_flags = {
		VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO, NULL, 4, flags,
	};
	const VkDescriptorSetLayoutCreateInfo set_layout = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
		.pNext = &binding_flags,
		.flags = VK_DESCRIPTOR_SET_LAYOUT_CREATE_UPDATE_AFTER_BIND_POOL_BIT,
		.bindingCount = 4,
		.pBindings = bindings,
	};

	VK_CHECK(vkCreateDescriptorSetLayout(vk.device, &set_layout, NULL, &test.set_layout));
	test.layout = vk_layout_new(&test.set_layout, 1, VK_SHADER_STAGE_COMPUTE_BIT, 8);
}

static void make_sets(void)
{
	const VkDescriptorPoolInlineUniformBlockCreateInfo blocks = {
		VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_INLINE_UNIFORM_BLOCK_CREATE_INFO, NULL, 4,
	};
	const VkDescriptorPoolSize sizes[] = {
		{ VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 4 },
		{ VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK, 2 * (BLOCK_SIZE + 8) },
	};
	const VkDescriptorPoolCreateInfo pool = {
		VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
		&blocks,
		VK_DESCRIPTOR_POOL_CREATE_FREE_DESCRIPTOR_SET_BIT |
			VK_DESCRIPTOR_POOL_CREATE_UPDATE_AFTER_BIND_BIT,
		2,
		2,
		sizes,
	};
	const VkDescriptorSetLayout layouts[] = { test.set_layout, test.set_layout };
	VkDescriptorSetAllocateInfo allocate = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
		.descriptorSetCount = 2,
		.pSetLayouts = layouts,
	};
	const VkDescriptorBufferInfo buffers[] = {
		{ test.source.buffer, 0, VK_WHOLE_SIZE }, { test.result.buffer, 0, VK_WHOLE_SIZE },
	};
	VkWriteDescriptorSet write;
	VkDescriptorSet sets[2];

	VK_CHECK(vkCreateDescriptorPool(vk.device, &pool, NULL, &test.pool));
	allocate.descriptorPool = test.pool;
	VK_CHECK(vkAllocateDescriptorSets(vk.device, &allocate, sets));
	/* A freed set's memory in the pool is reused. */
	VK_CHECK(vkFreeDescriptorSets(vk.device, test.pool, 1, &sets[0]));
	allocate.descriptorSetCount = 1;
	VK_CHECK(vkAllocateDescriptorSets(vk.device, &allocate, &sets[0]));
	test.set = sets[0];
	test.other = sets[1];
	write = vk_write_of(test.set, 0, 2, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER);
	write.pBufferInfo = buffers;
	vkUpdateDescriptorSets(vk.device, 1, &write, 0, NULL);
}

/* Writes @size bytes of the inline uniform block of @set from byte @at on. */
static void write_block(VkDescriptorSet set, uint32_t at, uint32_t size, const void *bytes)
{
	const VkWriteDescriptorSetInlineUniformBlock block = {
		VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_INLINE_UNIFORM_BLOCK, NULL, size, bytes,
	};
	VkWriteDescriptorSet write =
		vk_write_of(set, BLOCK, size, VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK);

	write.pNext = &block;
	write.dstArrayElement = at;
	vkUpdateDescriptorSets(vk.device, 1, &write, 0, NULL);
}

static void copy_block(uint32_t from, uint32_t to, uint32_t size)
{
	const VkCopyDescriptorSet copy = {
		VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET,
		NULL,
		test.other,
		BLOCK,
		from,
		test.set,
		BLOCK,
		to,
		size,
	};

	vkUpdateDescriptorSets(vk.device, 0, NULL, 1, &copy);
}

static void write_template(uint32_t at, uint32_t size, const char *bytes)
{
	const VkDescriptorUpdateTemplateEntry entry = {
		BLOCK, at, size, VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK, 4, 0,
	};
	const VkDescriptorUpdateTemplateCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_UPDATE_TEMPLATE_CREATE_INFO,
		.descriptorUpdateEntryCount = 1,
		.pDescriptorUpdateEntries = &entry,
		.descriptorSetLayout = test.set_layout,
	};
	VkDescriptorUpdateTemplate template;

	VK_CHECK(vkCreateDescriptorUpdateTemplate(vk.device, &info, NULL, &template));
	vkUpdateDescriptorSetWithTemplate(vk.device, test.set, template, bytes - 4);
	vkDestroyDescriptorUpdateTemplate(vk.device, template, NULL);
}

static VkResult make_pipeline(const uint32_t *code, size_t size, VkPipelineCreateFlags flags,
			      VkPipeline *out)
{
	const VkSpecializationMapEntry entry = { 0, 0, 4 };
	const VkSpecializationInfo special = { 1, &entry, 4, &(const uint32_t){ N } };
	VkPipelineCreationFeedback feedbacks[2] = { { 0, 77 }, { 0, 77 } };
	const VkPipelineCreationFeedbackCreateInfo feedback = {
		VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO,
		NULL,
		&feedbacks[0],
		1,
		&feedbacks[1],
	};
	VkComputePipelineCreateInfo info = vk_compute_info(test.layout, code, size);

	info.pNext = &feedback;
	info.flags = flags;
	info.stage.pSpecializationInfo = &special;
	return vk_compute_try(&info, out);
}

static VkCommandBuffer begin(VkPipeline pipeline)
{
	const struct push push = { FACTOR, SUM, (_Float16)SCALE, 0 };
	VkCommandBuffer cmd = vk_begin();

	memset(test.result.map, 0, test.result.size);
	vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
	vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, test.layout, 0, 1, &test.set,
				0, NULL);
	vkCmdPushConstants(cmd, test.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(push), &push);
	return cmd;
}

static void run(const uint32_t *code, size_t size, uint32_t times)
{
	VkCommandBuffer cmd;
	VkPipeline pipeline;

	VK_CHECK(make_pipeline(code, size, 0, &pipeline));
	cmd = begin(pipeline);
	for (uint32_t i = 0; i < times; i++) {
		vkCmdDispatch(cmd, 1, 1, 1);
		vk_barrier(cmd);
	}
	vk_run(cmd);
	vkDestroyPipeline(vk.device, pipeline, NULL);
}

/* Numbers */

static void fill_source(void)
{
	struct numbers *in = test.source.map;

	for (int i = 0; i < N; i++) {
		in->bytes[i] = i - 32;
		in->halves[i] = (_Float16)(i * 0.25f);
		for (int c = 0; c < 3; c++)
			in->shorts[i][c] = 65530 + i * (c + 1);
	}
}

static uint32_t dot(uint32_t a, uint32_t b)
{
	uint32_t sum = 0;

	for (int i = 0; i < 32; i += 8)
		sum += (a >> i & 0xff) * (b >> i & 0xff);
	return sum;
}

static void test_numbers(const uint8_t *block)
{
	const struct numbers *in = test.source.map;
	const struct results *out = test.result.map;
	bool bytes = true, shorts = true, halves = true, zeros = true, dots = true, blocks = true;
	uint32_t add;

	memcpy(&add, block, 4);
	/* Two dispatches: shared memory is zero at the start of each. */
	run(VK_CODE(vk_types_comp), 2);
	for (int i = 0; i < N; i++) {
		const int64_t sum = 0x7ffffff0ll + (int8_t)i * 0x7f;

		bytes &= out->numbers.bytes[i] == (int8_t)(in->bytes[i] * FACTOR) / 3;
		for (int c = 0; c < 3; c++)
			shorts &=
				out->numbers.shorts[i][c] == (uint16_t)(in->shorts[i][2 - c] + SUM);
		halves &= (float)out->numbers.halves[i] == (float)in->halves[i] * SCALE + 0.5f;
		zeros &= out->words[i][0] == N;
		dots &= out->words[i][1] == dot(i * 0x01020304u, 0x05060708u) &&
			out->words[i][2] == (uint32_t)(sum > INT32_MAX ? INT32_MAX : sum);
		blocks &= out->words[i][3] == add + block[4 + i % 60];
	}
	tap(bytes, "integers of 8 bits");
	tap(shorts, "integers of 16 bits, as vectors");
	tap(halves, "floats of 16 bits");
	tap(zeros, "shared memory begins with zeros, for a group of a size that is a constant");
	tap(dots, "dot products of integers");
	tap(out->total == 2 * ((uint64_t)(N * (N - 1) / 2) << 32 | N),
	    "atomic operations on 64 bits");
	tap(blocks,
	    "an inline uniform block that was written, copied, and updated with a template");
}

/*
 * The block is updated after the command that binds it was recorded, and before that is submitted.
 */
static void test_late_block(const uint8_t *block)
{
	const struct results *out = test.result.map;
	VkCommandBuffer cmd;
	VkPipeline pipeline;
	uint8_t late[BLOCK_SIZE];
	uint32_t add;
	bool ok = true;

	for (uint32_t i = 0; i < BLOCK_SIZE; i++)
		late[i] = ~block[i];
	memcpy(&add, late, 4);
	VK_CHECK(make_pipeline(VK_CODE(vk_types_comp), 0, &pipeline));
	cmd = begin(pipeline);
	write_block(test.set, 0, BLOCK_SIZE / 2, late);
	vkCmdDispatch(cmd, 1, 1, 1);
	vk_barrier(cmd);
	write_block(test.set, BLOCK_SIZE / 2, BLOCK_SIZE / 2, late + BLOCK_SIZE / 2);
	vk_run(cmd);
	for (int i = 0; i < N; i++)
		ok &= out->words[i][3] == add + late[4 + i % 60];
	tap(ok, "an inline uniform block is written after it was bound");
	vkDestroyPipeline(vk.device, pipeline, NULL);
}

/* Memory */

static void test_chains(void)
{
	const uint32_t *words = test.result.map;
	VkCommandBuffer cmd;
	VkPipeline pipeline;
	bool ok;

	VK_CHECK(make_pipeline(VK_CODE(vk_chains_comp), 0, &pipeline));
	cmd = begin(pipeline);
	vkCmdDispatch(cmd, GROUPS, 1, 1);
	vk_barrier(cmd);
	vk_run(cmd);
	ok = words[0] == GROUPS;
	for (uint32_t i = 0; i < GROUP; i++)
		ok &= words[1 + i] ==
		      GROUPS * (3 * i + 1) + 3 * GROUP * (GROUPS * (GROUPS - 1) / 2);
	tap(ok,
	    "what a group's invocations wrote comes to those of another group, "
	    "by way of one of each");
	vkDestroyPipeline(vk.device, pipeline, NULL);
}

/* Subgroups */

static void expect(uint32_t i, uint32_t size, uint32_t *out)
{
	const uint32_t me = i % size, first = i - me;
	uint32_t k;

	memset(out, 0, 64);
	out[0] = me;
	out[1] = i / size + 100 * (N / size);
	for (k = first; k < first + size; k++) {
		out[2] += k;
		out[3] += k < i ? k : 0;
		out[4] = k <= i && (k ^ 5) > out[4] ? k ^ 5 : out[4];
		out[5] += k % 3 == 0;
		out[11] += k / 4 == i / 4 ? k : 0;
	}
	out[6] = first;
	out[7] = first + first % 3;
	out[8] = first + (me + 1) % size;
	out[9] = i ^ 2;
	out[10] = i ^ 1;
	out[12] = !me;
	out[13] = out[2];
	out[14] = first + size <= 32;
	out[15] = (i ^ 1) * 7;
}

static void test_subgroups(const VkPhysicalDeviceSubgroupProperties *groups)
{
	static const char *const names[16] = {
		"numbers of invocations",
		"numbers of subgroups",
		"a sum",
		"sums of those before",
		"maxima up to each",
		"a ballot",
		"what the first has",
		"what one has",
		"what the next has",
		"what the one beside that has",
		"what the one beside has",
		"a sum of four",
		"who is elected",
		"a sum of 16 bits",
		"a vote",
		"what others noted",
	};
	const uint32_t (*words)[16] = test.result.map;

	run(VK_CODE(vk_subgroups_comp), 1);
	for (uint32_t w = 0; w < 16; w++) {
		bool ok = true;

		for (uint32_t i = 0; i < N; i++) {
			uint32_t expected[16];

			expect(i, groups->subgroupSize, expected);
			if (ok && words[i][w] != expected[w])
				printf("# invocation %u: %u, not %u\n", i, words[i][w],
				       expected[w]);
			ok &= words[i][w] == expected[w];
		}
		tap(ok, "subgroups: %s", names[w]);
	}
}

/* Properties */

static void test_properties(VkPhysicalDeviceSubgroupProperties *groups)
{
	VkPhysicalDeviceSubgroupSizeControlProperties sizes = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES,
	};
	VkPhysicalDeviceInlineUniformBlockProperties blocks = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_INLINE_UNIFORM_BLOCK_PROPERTIES,
		.pNext = &sizes,
	};
	VkPhysicalDeviceProperties2 properties = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = groups
	};

	*groups = (VkPhysicalDeviceSubgroupProperties){
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES, .pNext = &blocks,
	};
	vkGetPhysicalDeviceProperties2(vk.physical, &properties);
	tap(groups->subgroupSize >= 4 && groups->subgroupSize <= N &&
		    (groups->supportedStages & VK_SHADER_STAGE_COMPUTE_BIT) &&
		    sizes.minSubgroupSize <= groups->subgroupSize &&
		    sizes.maxSubgroupSize >= groups->subgroupSize &&
		    sizes.maxComputeWorkgroupSubgroups,
	    "subgroups have a size, and stages");
	tap(blocks.maxInlineUniformBlockSize >= 256 &&
		    blocks.maxPerStageDescriptorInlineUniformBlocks >= 4 &&
		    blocks.maxDescriptorSetInlineUniformBlocks >= 4,
	    "inline uniform blocks are as large as they must be");
}

static void test_cache_control(void)
{
	VkPipeline pipeline = (VkPipeline)(uintptr_t)1;

	tap(make_pipeline(VK_CODE(vk_types_comp),
			  VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT,
			  &pipeline) == VK_PIPELINE_COMPILE_REQUIRED &&
		    !pipeline,
	    "a pipeline that must not be compiled is none");
}

int main(void)
{
	static const char *const extensions[] = {
		VK_KHR_8BIT_STORAGE_EXTENSION_NAME,
		VK_KHR_16BIT_STORAGE_EXTENSION_NAME,
		VK_KHR_SHADER_FLOAT16_INT8_EXTENSION_NAME,
		VK_KHR_SHADER_ATOMIC_INT64_EXTENSION_NAME,
		VK_KHR_VULKAN_MEMORY_MODEL_EXTENSION_NAME,
		VK_KHR_SHADER_INTEGER_DOT_PRODUCT_EXTENSION_NAME,
		VK_KHR_ZERO_INITIALIZE_WORKGROUP_MEMORY_EXTENSION_NAME,
		VK_KHR_SHADER_SUBGROUP_EXTENDED_TYPES_EXTENSION_NAME,
		VK_KHR_SPIRV_1_4_EXTENSION_NAME,
		VK_KHR_SHADER_FLOAT_CONTROLS_EXTENSION_NAME,
		VK_EXT_INLINE_UNIFORM_BLOCK_EXTENSION_NAME,
		VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME,
		VK_EXT_PIPELINE_CREATION_CACHE_CONTROL_EXTENSION_NAME,
		VK_EXT_PIPELINE_CREATION_FEEDBACK_EXTENSION_NAME,
		VK_EXT_SCALAR_BLOCK_LAYOUT_EXTENSION_NAME,
		VK_KHR_MAINTENANCE_4_EXTENSION_NAME,
		VK_EXT_DESCRIPTOR_INDEXING_EXTENSION_NAME,
		VK_KHR_SHADER_NON_SEMANTIC_INFO_EXTENSION_NAME,
	};
	VkPhysicalDevice16BitStorageFeatures storage16 = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES,
	};
	VkPhysicalDevice8BitStorageFeatures storage8 = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_8BIT_STORAGE_FEATURES,
		.pNext = &storage16,
	};
	VkPhysicalDeviceShaderFloat16Int8Features numbers = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES,
		.pNext = &storage8,
	};
	VkPhysicalDeviceShaderAtomicInt64Features atomics = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_INT64_FEATURES,
		.pNext = &numbers,
	};
	VkPhysicalDeviceVulkanMemoryModelFeatures model = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_MEMORY_MODEL_FEATURES,
		.pNext = &atomics,
	};
	VkPhysicalDeviceShaderIntegerDotProductFeatures dots = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_FEATURES,
		.pNext = &model,
	};
	VkPhysicalDeviceZeroInitializeWorkgroupMemoryFeatures zeros = {
		.sType =
			VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ZERO_INITIALIZE_WORKGROUP_MEMORY_FEATURES,
		.pNext = &dots,
	};
	VkPhysicalDeviceShaderSubgroupExtendedTypesFeatures types = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SUBGROUP_EXTENDED_TYPES_FEATURES,
		.pNext = &zeros,
	};
	VkPhysicalDeviceInlineUniformBlockFeatures blocks = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_INLINE_UNIFORM_BLOCK_FEATURES,
		.pNext = &types,
	};
	VkPhysicalDevicePipelineCreationCacheControlFeatures control = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_CREATION_CACHE_CONTROL_FEATURES,
		.pNext = &blocks,
	};
	VkPhysicalDeviceScalarBlockLayoutFeatures scalar = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SCALAR_BLOCK_LAYOUT_FEATURES,
		.pNext = &control,
	};
	VkPhysicalDeviceMaintenance4Features maintenance = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_FEATURES, .pNext = &scalar,
	};
	VkPhysicalDeviceSubgroupProperties groups;
	uint8_t block[BLOCK_SIZE], wrong[BLOCK_SIZE] = { 0 };

	vk.features = &maintenance;
	vk_open_with(NULL, 0, extensions, sizeof(extensions) / sizeof(extensions[0]));
	for (uint32_t i = 0; i < BLOCK_SIZE; i++)
		block[i] = i * 11;
	make_layouts();
	test.source = vk_buffer_new(4096, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
	test.result = vk_buffer_new(8192, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
	make_sets();
	fill_source();
	tap(storage8.uniformAndStorageBuffer8BitAccess && storage8.storagePushConstant8 &&
		    storage16.uniformAndStorageBuffer16BitAccess &&
		    storage16.storagePushConstant16 && numbers.shaderFloat16 &&
		    numbers.shaderInt8 && atomics.shaderBufferInt64Atomics &&
		    model.vulkanMemoryModel && model.vulkanMemoryModelDeviceScope &&
		    model.vulkanMemoryModelAvailabilityVisibilityChains &&
		    dots.shaderIntegerDotProduct && zeros.shaderZeroInitializeWorkgroupMemory &&
		    types.shaderSubgroupExtendedTypes && blocks.inlineUniformBlock &&
		    blocks.descriptorBindingInlineUniformBlockUpdateAfterBind &&
		    control.pipelineCreationCacheControl && maintenance.maintenance4,
	    "features of Vulkan 1.2 and 1.3");
	test_properties(&groups);
	write_block(test.set, 0, BLOCK_SIZE, wrong);
	write_block(test.other, 0, BLOCK_SIZE, block);
	write_block(test.set, 0, 16, block);
	copy_block(16, 16, 24);
	write_template(40, BLOCK_SIZE - 40, (const char *)block + 40);
	test_numbers(block);
	test_late_block(block);
	test_chains();
	test_subgroups(&groups);
	test_cache_control();
	vkDestroyDescriptorPool(vk.device, test.pool, NULL);
	vkDestroyPipelineLayout(vk.device, test.layout, NULL);
	vkDestroyDescriptorSetLayout(vk.device, test.set_layout, NULL);
	vk_buffer_del(&test.source);
	vk_buffer_del(&test.result);
	vk_close();
	return tap_failures() != 0;
}
