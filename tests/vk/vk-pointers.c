// SPDX-License-Identifier: MIT
/*
 * Vulkan: pointers as values (VK_KHR_variable_pointers): selected, moved by loops, stored,
 * compared, and out of bounds. Each descriptor's range is in the middle of a buffer; shaders must
 * not read or change the other words. Prints TAP.
 */
#include <stdio.h>
#include <string.h>

#include "vk.h"

#include "vk-pointers-begin.h"
#include "vk-pointers-beyond.h"
#include "vk-pointers-compare.h"
#include "vk-pointers-flow.h"
#include "vk-pointers.h"

#define N 64			/* invocations */
#define N_WORDS 4096
#define FIRST 1024		/* word of the range */
#define CANARY 0xdeadbeefu
#define LAST 70			/* the element that ends a list */
#define CODE(name) name, sizeof(name)

enum { RESULT, A, B, PAIRS, MANY, N_MANY = 4, BUFFERS = MANY + N_MANY };

/* Words of the ranges. The first word of each range but that of PAIRS is no element. */
static const uint32_t sizes[BUFFERS] = { 1 + 8 * N, 100, 80, 2 * N, 65, 66, 67, 68 };

static struct {
	struct vk_buffer buffers[BUFFERS];
	struct vk_set set;
	VkPipelineLayout layout;
} test;

/* Each begins as VkBaseOutStructure does. */
static VkPhysicalDeviceRobustness2FeaturesEXT robustness = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT,
};
static VkPhysicalDeviceVariablePointersFeatures pointers = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VARIABLE_POINTERS_FEATURES, .pNext = &robustness,
};

static bool is_sundog(void)
{
	return strstr(vk.properties.deviceName, "sundog");
}

/* A word of the range; an element of it. */
static uint32_t *word(int buffer, uint32_t i)
{
	return (uint32_t *)test.buffers[buffer].map + FIRST + i;
}

static uint32_t element(int buffer, uint32_t i)
{
	return *word(buffer, 1 + i);
}

/* The initial words of a buffer: all different; A contains a list with an end. */
static uint32_t first_of(int buffer, uint32_t i)
{
	if (buffer == RESULT)
		return 0;
	return buffer == A && i == 1 + LAST ? 0 : 1000 * (uint32_t)buffer + i;
}

static void fill(void)
{
	for (int b = 0; b < BUFFERS; b++) {
		uint32_t *words = test.buffers[b].map;

		for (uint32_t i = 0; i < N_WORDS; i++)
			words[i] = i >= FIRST && i < FIRST + sizes[b] ? first_of(b, i - FIRST)
								      : CANARY;
	}
}

/*
 * Returns true if no word outside of the ranges changed and, if @inside, none inside of them, but
 * for the results.
 */
static bool is_held(bool inside)
{
	for (int b = 0; b < BUFFERS; b++) {
		const uint32_t *words = test.buffers[b].map;

		for (uint32_t i = 0; i < N_WORDS; i++) {
			const bool in = i >= FIRST && i < FIRST + sizes[b];

			if (in ? inside && b != RESULT && words[i] != first_of(b, i - FIRST)
			       : words[i] != CANARY) {
				printf("# buffer %d, word %u: %u\n", b, i, words[i]);
				return false;
			}
		}
	}
	return true;
}

static void make_things(void)
{
	const VkDescriptorSetLayoutBinding bindings[] = {
		{ RESULT, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL },
		{ A, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL },
		{ B, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL },
		{ PAIRS, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL },
		{ MANY, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, N_MANY, VK_SHADER_STAGE_COMPUTE_BIT,
		  NULL },
	};
	const VkPipelineLayoutCreateInfo layout = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
		.setLayoutCount = 1,
		.pSetLayouts = &test.set.layout,
	};

	test.set = vk_set_new(bindings, sizeof(bindings) / sizeof(bindings[0]));
	for (uint32_t b = 0; b < BUFFERS; b++) {
		test.buffers[b] = vk_buffer_new(N_WORDS * 4, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
		const VkDescriptorBufferInfo buffer = { test.buffers[b].buffer, FIRST * 4,
							sizes[b] * 4 };
		const VkWriteDescriptorSet write = {
			.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
			.dstSet = test.set.set,
			.dstBinding = b < MANY ? b : MANY,
			.dstArrayElement = b < MANY ? 0 : b - MANY,
			.descriptorCount = 1,
			.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
			.pBufferInfo = &buffer,
		};

		vkUpdateDescriptorSets(vk.device, 1, &write, 0, NULL);
	}
	VK_CHECK(vkCreatePipelineLayout(vk.device, &layout, NULL, &test.layout));
}

static void drop_things(void)
{
	vkDestroyPipelineLayout(vk.device, test.layout, NULL);
	vk_set_del(&test.set);
	for (int b = 0; b < BUFFERS; b++)
		vk_buffer_del(&test.buffers[b]);
}

static void run(const uint32_t *code, size_t size)
{
	VkComputePipelineCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
		.stage = { .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
			   .stage = VK_SHADER_STAGE_COMPUTE_BIT,
			   .module = vk_module_new(code, size),
			   .pName = "main" },
		.layout = test.layout,
	};
	VkPipeline pipeline;
	VkCommandBuffer cmd;

	VK_CHECK(vkCreateComputePipelines(vk.device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline));
	cmd = vk_begin();
	vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
	vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, test.layout, 0, 1,
				&test.set.set, 0, NULL);
	vkCmdDispatch(cmd, 1, 1, 1);
	vk_barrier(cmd);
	vk_run(cmd);
	vkDestroyPipeline(vk.device, pipeline, NULL);
	vkDestroyShaderModule(vk.device, info.stage.module, NULL);
}

/* Checks one word of each invocation's row. */
static void check(uint32_t column, uint32_t (*expected)(uint32_t i), const char *what)
{
	bool ok = true;

	for (uint32_t i = 0; i < N; i++) {
		const uint32_t value = element(RESULT, 8 * i + column), want = expected(i);

		if (value != want && ok)
			printf("# invocation %u: %u, not %u\n", i, value, want);
		ok &= value == want;
	}
	tap(ok, "%s", what);
}

static uint32_t first_element(int buffer, uint32_t i)
{
	return first_of(buffer, 1 + i);
}

/* vk-pointers.spvasm */

static uint32_t of_one(uint32_t i)
{
	return first_element(i & 1 ? B : A, i);
}

static uint32_t length_of_one(uint32_t i)
{
	return sizes[i & 1 ? B : A] - 1;
}

static uint32_t sum_of_loop(uint32_t i)
{
	uint32_t sum = first_element(A, 0);

	for (uint32_t k = 1; k < i; k++)
		sum += first_element(A, k);
	return sum;
}

static uint32_t sum_of_list(uint32_t i)
{
	uint32_t sum = 0;

	for (uint32_t k = i; k < LAST; k++)
		sum += first_element(A, k) + first_element(B, k);
	return sum;
}

static uint32_t of_opposite(uint32_t i)
{
	return 2 * (N - 1 - i);
}

static bool pairs_are_added_to(void)
{
	bool ok = true;

	/* The shader leaves the even structs and adds to the first two members of the odd ones. */
	for (uint32_t i = 0; i < 2 * N; i++)
		ok &= *word(PAIRS, i) == first_of(PAIRS, i) + (i / 2 % 2 ? N : 0);
	return ok;
}

static void test_values(void)
{
	fill();
	run(CODE(vk_pointers));
	check(0, of_one, "a word of one of two buffers");
	check(1, of_one, "a word of a buffer that is one of two");
	/* lavapipe uses the length of one invocation's buffer for all. */
	if (is_sundog())
		check(2, length_of_one, "the length of such a buffer");
	check(3, sum_of_loop, "a loop goes through a buffer");
	check(4, sum_of_list, "a loop goes through two, by turns, up to an end");
	check(5, of_one, "a pointer in a variable");
	check(6, of_one, "a pointer in an array");
	check(7, of_opposite, "a word of one of two shared arrays");
	tap(*word(A, 0) == first_of(A, 0) + N / 2 && *word(B, 0) == first_of(B, 0) + N / 2,
	    "a word of one of two buffers is added to");
	tap(*word(RESULT, 0) == N / 2, "a shared one is");
	tap(pairs_are_added_to(), "members of structs");
	tap(is_held(false), "nothing else is changed");
}

/* vk-pointers-flow.spvasm: its loops in C */

static uint32_t before_body(uint32_t i)
{
	uint32_t sum = 0;

	for (uint32_t k = 0; k < (i & 7); k++)
		sum += of_one(i) + k;
	return sum;
}

static uint32_t inside_of_another(uint32_t i)
{
	uint32_t total = 0, element = 0;

	for (uint32_t m = 0; m < 3; m++) {
		for (uint32_t n = 0;; n++) {
			total += of_one(i) + element;
			if (n >= m)
				break;
			element++;
		}
		total += of_one(i) + element;
	}
	return total;
}

/* Each invocation changes a word of its own, in its row or in a buffer. */
static uint32_t own_before(uint32_t i)
{
	return i & 1 ? first_element(PAIRS, i) : 0;
}

static uint32_t own_after(uint32_t i)
{
	return (i & 7) == 2 ? 16 : own_before(i) + ((i & 7) == 5 ? 5 : 0);
}

static uint32_t of_cases(uint32_t i)
{
	switch (i & 7) {
	case 0:
		return 2 * own_before(i);
	case 1:
	case 5:
		return own_before(i);
	case 2:
		return 2;
	default:
		return 7;
	}
}

static uint32_t twice_own(uint32_t i)
{
	return 2 * own_after(i);
}

static uint32_t of_gone(uint32_t i)
{
	return i > 16 ? own_after(i) : 0;
}

static uint32_t of_others(uint32_t i)
{
	return i > 16 ? 0 : own_after(i);
}

static uint32_t up_to_multiple(uint32_t i)
{
	uint32_t t = 0;

	while (i <= 16 && (of_one(i) + t++) & 7)
		;
	return t;
}

static bool own_words_are_changed(void)
{
	bool ok = true;

	for (uint32_t i = 0; i < N; i++)
		ok &= (i & 1 ? element(PAIRS, i) : element(RESULT, 8 * i + 7)) == own_after(i);
	return ok;
}

static void test_flow(void)
{
	fill();
	run(CODE(vk_pointers_flow));
	check(0, before_body, "a loop that reads before it decides, and where it goes on");
	check(1, inside_of_another, "a loop in another, which is left in its middle");
	check(2, of_cases, "cases that go on into each other");
	check(3, twice_own, "a block that reads twice, and decides with it");
	check(4, of_gone, "a branch that returns");
	check(5, of_others, "and what others do after it");
	check(6, up_to_multiple, "a loop of one block, which decides with what it read");
	tap(own_words_are_changed(), "cases change words");
	tap(is_held(false), "nothing else is changed");
}

/* vk-pointers-compare.spvasm */

static uint32_t is_odd(uint32_t i)
{
	return i & 1;
}

static uint32_t is_even(uint32_t i)
{
	return !(i & 1);
}

static uint32_t from_second(uint32_t i)
{
	return i - 2;
}

static uint32_t unless_null(uint32_t i)
{
	return i < 32 ? first_element(B, i) : 7;
}

static uint32_t of_many(uint32_t i)
{
	return first_element(MANY + (i & 1 ? 3 : 1), i);
}

static uint32_t of_a(uint32_t i)
{
	return first_element(A, i);
}

static uint32_t of_three(uint32_t i)
{
	return i & 1 ? of_many(i) : of_a(i);
}

static bool adds_to_three(void)
{
	bool ok = true;

	for (uint32_t i = 0; i < N; i++)
		ok &= element(i & 1 ? MANY + 3 : A, i) == of_three(i) + 5;
	return ok;
}

static void test_comparisons(void)
{
	fill();
	run(CODE(vk_pointers_compare));
	check(0, is_odd, "pointers that are equal");
	check(1, is_even, "pointers that are not");
	check(2, from_second, "how many elements are between them");
	check(3, unless_null, "pointers that are null");
	check(4, of_one, "a pointer that a function returns");
	check(5, of_many, "a word of one of the buffers of an array");
	check(6, of_a, "a number of 64 bits below 0 of elements further");
	check(7, of_three, "a word of one of several buffers, some of an array");
	tap(adds_to_three(), "which is added to");
	tap(is_held(false), "nothing else is changed");
}

/* vk-pointers-begin.spvasm */

static uint32_t of_begun(uint32_t i)
{
	return first_element(A, i);
}

static void test_beginnings(void)
{
	fill();
	run(CODE(vk_pointers_begin));
	check(0, of_begun, "a word of the buffer that a variable begins with");
	check(1, of_begun, "and of shared memory that one begins with");
	tap(is_held(true), "nothing is changed");
}

/* vk-pointers-beyond.spvasm. The word before the elements is the head of the block */

static void test_beyond(void)
{
	static const uint32_t numbers[] = {
		99,	    100,	101,	    127,	1000,	    1024,
		2047,	    0x0fffffff, 0x3fffffff, 0x40000000, 0x40000001, 0x7fffffff,
		0x80000000, 0xc0000000, 0xfffffc00, 0xfffffffe, 0xffffffff,
	};
	const uint32_t count = sizeof(numbers) / sizeof(numbers[0]);
	bool ok = true;

	for (uint32_t shift = 0; shift < 2; shift++) {
		fill();
		for (uint32_t i = 0; i < N; i++)
			*word(PAIRS, 1 + i) = numbers[(i + shift) % count];
		run(CODE(vk_pointers_beyond));
		for (uint32_t i = 0; i < 8 * N; i++)
			ok &= !element(RESULT, i);
		for (uint32_t i = 0; i < N; i++)
			*word(PAIRS, 1 + i) = first_of(PAIRS, 1 + i);
		ok &= is_held(true);
	}
	tap(ok, "pointers beyond a buffer, and null, read zeros, and nothing is changed");
}

int main(void)
{
	static const char *const all[] = {
		VK_KHR_VARIABLE_POINTERS_EXTENSION_NAME,
		VK_KHR_STORAGE_BUFFER_STORAGE_CLASS_EXTENSION_NAME,
		VK_EXT_ROBUSTNESS_2_EXTENSION_NAME,
	};

	vk.features = &pointers;
	vk_open_with(NULL, 0, all, sizeof(all) / sizeof(all[0]));
	tap(pointers.variablePointers && pointers.variablePointersStorageBuffer,
	    "pointers may be values");
	make_things();
	test_values();
	test_comparisons();
	test_flow();
	test_beginnings();
	/* Only sundog defines the result of reads through null pointers. */
	if (is_sundog())
		test_beyond();
	drop_things();
	vk_close();
	return tap_failures() != 0;
}
