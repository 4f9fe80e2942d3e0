// SPDX-License-Identifier: MIT
/*
 * Vulkan: subgroup operations that read the value of an invocation at a distance (shuffle relative,
 * rotate), and the active invocations of a subgroup after divergence
 * (VK_KHR_shader_maximal_reconvergence). Prints TAP.
 */
#include <stdio.h>
#include <string.h>

#include "vk-pipeline.h"

#include "vk-groups-shaders.h"

#define N 64			/* invocations */
#define WORDS 16		/* of each */
#define BY 2			/* a distance that is not constant in shaders */
#define ANY 0xfffffff0		/* any result is right */

static struct {
	struct vk_set set;
	VkPipelineLayout layout;
	struct vk_buffer words;
} test;

static void make_things(void)
{
	const VkDescriptorSetLayoutBinding binding = {
		0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL,
	};

	test.words = vk_buffer_new(N * WORDS * 4, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
	test.set = vk_set_new(&binding, 1);
	vk_write_buffer(test.set.set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, &test.words);
	test.layout = vk_layout_new(&test.set.layout, 1, 0, 0);
}

static void drop_things(void)
{
	vkDestroyPipelineLayout(vk.device, test.layout, NULL);
	vk_set_del(&test.set);
	vk_buffer_del(&test.words);
}

static void run(const uint32_t *code, size_t size)
{
	const VkPipeline pipeline = vk_compute_new(test.layout, code, size);
	uint32_t *words = test.words.map;

	memset(words, 0xee, test.words.size);
	words[0] = BY;
	vk_dispatch(pipeline, test.layout, test.set.set, NULL, 0);
	vkDestroyPipeline(vk.device, pipeline, NULL);
}

/* Writes the words that invocation @i must have to @out; @size is the subgroup size. */
typedef void (*expectation)(uint32_t i, uint32_t size, uint32_t *out);

static void look(const char *const *names, expectation expect, uint32_t size)
{
	const uint32_t (*words)[WORDS] = test.words.map;

	for (uint32_t w = 1; w < WORDS && names[w]; w++) {
		bool ok = true;

		for (uint32_t i = 0; i < N; i++) {
			uint32_t expected[WORDS];

			expect(i, size, expected);
			if (expected[w] == ANY || words[i][w] == expected[w])
				continue;
			if (ok)
				printf("# invocation %u: %#x, not %#x\n", i, words[i][w],
				       expected[w]);
			ok = false;
		}
		tap(ok, "%s", names[w]);
	}
}

/* Distances */

static uint32_t up(uint32_t i, uint32_t size, uint32_t distance)
{
	return i % size >= distance ? i - distance : ANY;
}

static uint32_t down(uint32_t i, uint32_t size, uint32_t distance)
{
	return i % size + distance < size ? i + distance : ANY;
}

static uint32_t rotated(uint32_t i, uint32_t size, uint32_t distance)
{
	return i / size * size + (i + distance) % size;
}

static void expect_distances(uint32_t i, uint32_t size, uint32_t *out)
{
	const uint32_t next = down(i, size, 1), second = up(i, size, 2);

	out[1] = up(i, size, 1);
	out[2] = up(i, size, i % size % 3);
	out[3] = down(i, size, 2);
	out[4] = down(i, size, i % size % 2 + BY);
	out[5] = next == ANY ? ANY : next + 10 * (next + 1) + 200;
	out[6] = rotated(i, size, 3);
	out[7] = rotated(i, size, BY);
	out[8] = rotated(i, 4, 1);
	out[9] = rotated(i, 2, BY);
	out[10] = 2 * rotated(i, size, BY);
	out[11] = rotated(i, size, 1) * 1000 & 0xffff;
	out[12] = rotated(i, size, 1) % 3 == 0;
	out[13] = second == ANY ? ANY : second - 70;
}

static void test_distances(uint32_t size)
{
	static const char *const names[WORDS] = {
		[1] = "what the one before has",
		[2] = "what one before has, each another",
		[3] = "what the second next has",
		[4] = "what one behind has, each another",
		[5] = "what the next has, of a vector",
		[6] = "a rotation by three",
		[7] = "a rotation by a number",
		[8] = "a rotation in clusters",
		[9] = "a rotation in small clusters",
		[10] = "a rotation of 64 bits",
		[11] = "a rotation of 16 bits",
		[12] = "a rotation of truths",
		[13] = "what the second before has, with a sign",
	};

	run(VK_CODE(groups_distances));
	look(names, expect_distances, size);
}

/* Divergence */

/*
 * Returns the mask of the invocations that are active together with @me: those for which @is_there
 * returns true.
 */
static uint32_t those(uint32_t me, uint32_t size, bool (*is_there)(uint32_t me, uint32_t other))
{
	uint32_t mask = 0;

	for (uint32_t other = 0; other < size; other++)
		mask |= (uint32_t)is_there(me, other) << other;
	return mask;
}

static bool same_half(uint32_t me, uint32_t other)
{
	return me / 2 == other / 2;
}

static bool is_odd(uint32_t me, uint32_t other)
{
	(void)me;
	return other & 1;
}

static bool same_third(uint32_t me, uint32_t other)
{
	return me % 3 == other % 3;
}

static bool leaves_too(uint32_t me, uint32_t other)
{
	return (me % 4 == 3) == (other % 4 == 3);
}

static void expect_ways(uint32_t i, uint32_t size, uint32_t *out)
{
	const uint32_t me = i % size, all = UINT32_MAX >> (32 - size), untouched = 0xeeeeeeee;

	out[1] = those(me, size, same_half);
	out[2] = all;
	out[3] = me & 1 ? those(me, size, is_odd) : untouched;
	out[4] = all;
	out[5] = me % 3 == 0 ? those(me, size, same_third) : untouched;
	out[6] = me % 3 == 1 ? those(me, size, same_third) : untouched;
	out[7] = me % 3 == 2 ? those(me, size, same_third) : untouched;
	out[8] = those(me, size, leaves_too) | (me % 4 == 3 ? 0 : 0x80000000);
	out[9] = all;
}

static void test_ways(uint32_t size)
{
	static const char *const names[WORDS] = {
		[1] = "those who leave a loop together",
		[2] = "all, behind the loop",
		[3] = "those who did not go on with the loop",
		[4] = "all, in the loop's next round",
		[5] = "those of a case",
		[6] = "those of another case",
		[7] = "those of no case",
		[8] = "those who leave a function, or not",
		[9] = "all, in the end",
	};

	run(VK_CODE(groups_together));
	look(names, expect_ways, size);
}

/* Each begins as VkBaseOutStructure does. */
static VkPhysicalDeviceShaderFloat16Int8Features numbers = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES,
};
static VkPhysicalDeviceShaderSubgroupExtendedTypesFeatures types = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SUBGROUP_EXTENDED_TYPES_FEATURES,
	.pNext = &numbers,
};
static VkPhysicalDeviceShaderSubgroupRotateFeaturesKHR rotation = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SUBGROUP_ROTATE_FEATURES_KHR,
	.pNext = &types,
};
static VkPhysicalDeviceShaderMaximalReconvergenceFeaturesKHR reconvergence = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_MAXIMAL_RECONVERGENCE_FEATURES_KHR,
	.pNext = &rotation,
};

int main(void)
{
	static const char *const extensions[] = {
		VK_KHR_SHADER_SUBGROUP_ROTATE_EXTENSION_NAME,
		VK_KHR_SHADER_MAXIMAL_RECONVERGENCE_EXTENSION_NAME,
		VK_KHR_SHADER_SUBGROUP_EXTENDED_TYPES_EXTENSION_NAME,
		VK_KHR_SHADER_FLOAT16_INT8_EXTENSION_NAME,
	};
	const VkSubgroupFeatureFlags operations = VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT |
						  VK_SUBGROUP_FEATURE_ROTATE_BIT_KHR |
						  VK_SUBGROUP_FEATURE_ROTATE_CLUSTERED_BIT_KHR;
	VkPhysicalDeviceSubgroupProperties groups = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES
	};
	VkPhysicalDeviceProperties2 properties = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &groups
	};

	vk.features = &reconvergence;
	vk_open_with(NULL, 0, extensions, sizeof(extensions) / sizeof(extensions[0]));
	vkGetPhysicalDeviceProperties2(vk.physical, &properties);
	tap(rotation.shaderSubgroupRotate && rotation.shaderSubgroupRotateClustered &&
	    (groups.supportedOperations & operations) == operations, "subgroups rotate");
	tap(reconvergence.shaderMaximalReconvergence, "invocations come together again");
	make_things();
	test_distances(groups.subgroupSize);
	test_ways(groups.subgroupSize);
	drop_things();
	vk_close();
	return tap_failures() != 0;
}
