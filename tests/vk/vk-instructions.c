// SPDX-License-Identifier: MIT
/*
 * Vulkan: SPIR-V instructions of extensions: expect and assume, non-semantic instructions, exact
 * floats (float controls 2), float atomics, clocks; and rarely used instructions. Prints TAP.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "vk-pipeline.h"

#include "vk-fast-floats.h"
#include "vk-floats.h"
#include "vk-grouped.h"
#include "vk-instructions-shaders.h"
#include "vk-replicas.h"
#include "vk-said.h"
#include "vk-scan.h"
#include "vk-seldom.h"

#define N 64			/* invocations */
#define SIDE 4			/* of the image */

static struct {
	struct vk_set set;
	VkPipelineLayout layout;
	struct vk_buffer words, counter;
	struct vk_image image;
	VkImageView view;
} test;

/* Each begins as VkBaseOutStructure does. */
static VkPhysicalDeviceShaderFloat16Int8Features numbers = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES,
};
static VkPhysicalDeviceShaderExpectAssumeFeaturesKHR expectations = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_EXPECT_ASSUME_FEATURES_KHR,
	.pNext = &numbers,
};
static VkPhysicalDeviceShaderRelaxedExtendedInstructionFeaturesKHR relaxed = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_RELAXED_EXTENDED_INSTRUCTION_FEATURES_KHR,
	.pNext = &expectations,
};
static VkPhysicalDeviceShaderFloatControls2FeaturesKHR controls = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT_CONTROLS_2_FEATURES_KHR,
	.pNext = &relaxed,
};
static VkPhysicalDeviceShaderAtomicFloatFeaturesEXT atomics = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT,
	.pNext = &controls,
};
static VkPhysicalDeviceShaderClockFeaturesKHR clocks = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CLOCK_FEATURES_KHR, .pNext = &atomics,
};
static VkPhysicalDeviceShaderAtomicFloat2FeaturesEXT extrema = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_2_FEATURES_EXT,
	.pNext = &clocks,
};
static VkPhysicalDeviceShaderReplicatedCompositesFeaturesEXT replicas = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_REPLICATED_COMPOSITES_FEATURES_EXT,
	.pNext = &extrema,
};

static void make_things(void)
{
	const VkDescriptorSetLayoutBinding bindings[] = {
		{ 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL },
		{ 1, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL },
		{ 2, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL },
	};

	test.words = vk_buffer_new(N * 4, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
						  VK_BUFFER_USAGE_TRANSFER_DST_BIT);
	test.counter = vk_buffer_new(4, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
	test.image =
		vk_picture_new(VK_FORMAT_R32_SFLOAT, SIDE, VK_IMAGE_USAGE_STORAGE_BIT, &test.view);
	test.set = vk_set_new(bindings, 3);
	vk_write_buffer(test.set.set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, &test.words);
	vk_write_image(test.set.set, 1, 0, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, VK_NULL_HANDLE,
		       test.view);
	vk_write_buffer(test.set.set, 2, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, &test.counter);
	test.layout = vk_layout_new(&test.set.layout, 1, 0, 0);
}

static void drop_things(void)
{
	vkDestroyPipelineLayout(vk.device, test.layout, NULL);
	vk_set_del(&test.set);
	vkDestroyImageView(vk.device, test.view, NULL);
	vk_image_del(&test.image);
	vk_buffer_del(&test.counter);
	vk_buffer_del(&test.words);
}

/* Runs @code on the words in the buffer. */
static void run(const uint32_t *code, size_t size)
{
	const VkPipeline pipeline = vk_compute_new(test.layout, code, size);

	vk_dispatch(pipeline, test.layout, test.set.set, NULL, 0);
	vkDestroyPipeline(vk.device, pipeline, NULL);
}

/* Expect, assume, and non-semantic instructions */

static void test_expectations(void)
{
	uint32_t *words = test.words.map;
	bool ok = true;

	for (uint32_t i = 0; i < N; i++)
		words[i] = i * 5 % 11;
	run(VK_CODE(instructions_expect));
	for (uint32_t i = 0; i < N; i++) {
		const uint32_t rounds = i * 5 % 11 % 7,
			       sum = rounds ? rounds * (rounds - 1) / 2 : 0;

		ok &= words[i] == sum + (i == 5 ? 1000 : 0) + i * 100;
	}
	tap(expectations.shaderExpectAssume && ok, "what is expected may be otherwise");
}

static void test_said(void)
{
	uint32_t *words = test.words.map;
	bool ok = true;

	for (uint32_t i = 0; i < N; i++)
		words[i] = i;
	run(VK_CODE(vk_said));
	for (uint32_t i = 0; i < N; i++)
		ok &= words[i] == 3 * i + 1;
	tap(relaxed.shaderRelaxedExtendedInstruction && ok,
	    "a shader that says a lot that means nothing");
}

/* Conversions of floats that the integer type does not have: hardware saturates. */
static void test_conversions(void)
{
	static const float values[] = { 5e9f, -5e9f, 2147483648, -7.5f, INFINITY, -INFINITY, 3e19f,
					-3e19f };
	static const uint32_t expected[][8] = {	/* of a value, by way of conversion */
		{ INT32_MAX, UINT32_MAX, INT32_MAX, UINT32_MAX, INT32_MAX, UINT32_MAX, 1, 1 },
		{ 1u << 31, 0, 1u << 31, 0, 1u << 31, 0, -2, 0 },
		{ INT32_MAX, 1u << 31, INT32_MAX, 1u << 31, INT32_MAX, UINT32_MAX, 0, 0 },
		{ -7, 0, -7, 0, -7, 0, -1, 0 },
		{ INT32_MAX, UINT32_MAX, INT32_MAX, UINT32_MAX, INT32_MAX, UINT32_MAX, INT32_MAX,
		  UINT32_MAX },
		{ 1u << 31, 0, 1u << 31, 0, 1u << 31, 0, 1u << 31, 0 },
		{ INT32_MAX, UINT32_MAX, INT32_MAX, UINT32_MAX, INT32_MAX, UINT32_MAX, INT32_MAX,
		  UINT32_MAX },
		{ 1u << 31, 0, 1u << 31, 0, 1u << 31, 0, 1u << 31, 0 },
	};
	uint32_t *words = test.words.map;
	bool ok = true;

	for (uint32_t i = 0; i < N; i++)
		memcpy(&words[i], &values[i / 8], 4);
	run(VK_CODE(instructions_conversions));
	for (uint32_t i = 0; i < N; i++) {
		if (words[i] == expected[i / 8][i % 8])
			continue;
		printf("# %g, way %u: %#x instead of %#x\n", values[i / 8], i % 8, words[i],
		       expected[i / 8][i % 8]);
		ok = false;
	}
	tap(ok, "floats past the limits of an integer become the limit");
}

/*
 * Runs @code on words that are their own indices; specializes the constants @first and @first + 1
 * (0 if @first is UINT32_MAX) to @values.
 */
static void run_special(const uint32_t *code, size_t size, uint32_t first, const uint32_t values[2])
{
	const VkSpecializationMapEntry entries[] = { { first, 0, 4 }, { first + 1, 4, 4 } };
	const VkSpecializationInfo special = { 2, entries, 2 * sizeof(*values), values };
	VkComputePipelineCreateInfo info = vk_compute_info(test.layout, code, size);
	uint32_t *words = test.words.map;
	VkPipeline pipeline;

	for (uint32_t i = 0; i < N; i++)
		words[i] = i;
	info.stage.pSpecializationInfo = &special;
	VK_CHECK(vk_compute_try(&info, &pipeline));
	vk_dispatch(pipeline, test.layout, test.set.set, NULL, 0);
	vkDestroyPipeline(vk.device, pipeline, NULL);
}

/*
 * The literal group operation ExclusiveScan is 2, which is also the id of a buffer of another entry
 * point.
 */
static void test_scan(void)
{
	uint32_t *words = test.words.map;
	bool ok = true;

	memset(words, 0, N * sizeof(*words));
	run(VK_CODE(vk_scan));
	for (uint32_t i = 0; i < N; i++)
		ok &= words[i] == 5;
	tap(ok, "numbers that look like variables");
}

/*
 * Composites whose constituents are all equal (SPV_EXT_replicated_composites); a pipeline
 * specializes two of them.
 */
static void test_replicas(void)
{
	const uint32_t *words = test.words.map;
	bool ok = replicas.shaderReplicatedComposites;

	run_special(VK_CODE(vk_replicas), UINT32_MAX, (const uint32_t[]){ 40, 6 });
	for (uint32_t i = 0; i < N; i++)
		ok &= words[i] == 1047 + 2 * i;
	tap(ok, "composites have the same part everywhere");
}

/* Decoration groups: one of their targets is a constant that a pipeline specializes. */
static void test_grouped(void)
{
	const uint32_t *words = test.words.map;
	uint32_t *counter = test.counter.map;
	bool ok = true;

	*counter = 100;
	run_special(VK_CODE(vk_grouped), UINT32_MAX, (const uint32_t[]){ 40, 6 });
	for (uint32_t i = 0; i < N; i++)
		ok &= words[i] == 40 * i + 106;
	tap(ok, "decorations of groups are those of their targets");
}

/*
 * A function with DontInline, the device index, copies with memory operands for both sides. The
 * renderer's gate allows an id bound of 2^18, of which a shader need not use all.
 */
static void test_seldom(uint32_t ids, const char *what)
{
	uint32_t code[sizeof(vk_seldom) / 4], *words = test.words.map;
	bool ok = true;

	memcpy(code, vk_seldom, sizeof(code));
	if (ids)
		code[3] = ids;
	for (uint32_t i = 0; i < N; i++)
		words[i] = i;
	run(VK_CODE(code));
	for (uint32_t i = 0; i < N; i++)
		ok &= words[i] == 3 * i + 7;
	tap(ok, "%s", what);
}

/* Array lengths that are computed from specialization constants: 17 arrays of 4. */
static void test_lengths(void)
{
	const uint32_t *words = test.words.map;
	bool ok = true;

	run_special(VK_CODE(instructions_lengths), 0, (const uint32_t[]){ 2, 6 });
	for (uint32_t i = 0; i < N; i++)
		ok &= words[i] == (i ^ 1) * 3 + 17000 + 400;
	tap(ok, "shared memory is as long as is computed of constants");
}

/* Floats */

#define FLOATS 4		/* floats that the shader computes with */
#define ROW 8			/* words of each */

static bool same(float a, float b)
{
	return (isnan(a) && isnan(b)) || (a == b && signbit(a) == signbit(b));
}

static bool is(uint32_t i, uint32_t word, float expected)
{
	const float *row = (float *)test.words.map + i * ROW;

	if (!same(row[word], expected))
		printf("# float %u, word %u: %g, not %g\n", i, word, row[word], expected);
	return same(row[word], expected);
}

/*
 * The last two floats are halfway between two 16-bit floats; the even one is below the first and
 * above the second. llvmpipe does not add a constant zero, so that minus zero stays minus zero
 * (index 1 is not checked).
 */
static void test_exact(const char *name, const uint32_t *code, size_t size, bool rounds)
{
	static const float in[FLOATS] = { INFINITY, -0.0f, 1.0f + 0x1p-11f, 1.0f + 0x3p-11f };
	static const float short_in[FLOATS] = { INFINITY, -0.0f, 1.0f, 1.0f + 0x1p-9f };
	bool exact = true, rounded = true;
	float *words = test.words.map;

	memset(words, 0, test.words.size);
	for (uint32_t i = 0; i < FLOATS; i++)
		words[i * ROW] = in[i];
	run(code, size);
	for (uint32_t i = 0; i < FLOATS; i++) {
		exact &= is(i, 0, in[i] * 0.0f) && is(i, 2, in[i] * 0.0f) && is(i, 4, in[i] * 0.0f);
		if (i != 1)
			exact &= is(i, 1, in[i] + 0.0f) &&
				 (!rounds || is(i, 3, short_in[i] + 0.0f)) &&
				 is(i, 5, in[i] + 0.0f);
		rounded &= !rounds || is(i, 6, short_in[i]);
	}
	tap(exact, "%s: zeros have signs, infinity and zero are no number", name);
	if (rounds)
		tap(rounded, "%s: the nearest even number of 16 bits", name);
}

static void test_floats(void)
{
	VkPhysicalDeviceFloatControlsProperties p = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES,
	};
	VkPhysicalDeviceProperties2 properties = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &p
	};

	vkGetPhysicalDeviceProperties2(vk.physical, &properties);
	tap(p.shaderSignedZeroInfNanPreserveFloat16 && p.shaderSignedZeroInfNanPreserveFloat32 &&
		    p.shaderSignedZeroInfNanPreserveFloat64 && p.shaderRoundingModeRTEFloat16 &&
		    p.shaderRoundingModeRTEFloat32 && p.shaderRoundingModeRTEFloat64 &&
		    p.roundingModeIndependence == VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_ALL,
	    "floats can be exact, of 16, 32 and 64 bits");
	test_exact("modes", VK_CODE(vk_floats), true);
	tap(controls.shaderFloatControls2, "operations can be exact");
	test_exact("operations", VK_CODE(vk_fast_floats), false);
}

/* Atomics */

static bool image_is(const float *expected)
{
	VkCommandBuffer cmd = vk_begin();

	vk_image_read(cmd, &test.image, SIDE, &test.words);
	vk_run(cmd);
	return !memcmp(test.words.map, expected, SIDE * sizeof(*expected));
}

static void test_atomics(void)
{
	/* The sum of every fourth invocation. */
	static const float columns[SIDE] = { 480, 496, 512, 528 };
	const float all = N * (N + 1) / 2;
	float *words = test.words.map, last_of_image;

	memset(words, 0, test.words.size);
	vk_image_clear(&test.image);
	run(VK_CODE(instructions_adds));
	tap(atomics.shaderBufferFloat32AtomicAdd && words[0] == N * (N - 1) / 4.0f,
	    "a float of a buffer is added to");
	tap(atomics.shaderBufferFloat32Atomics && words[1] >= 1 && words[1] <= N &&
		    words[2] + words[1] == all,
	    "and put in the place of another");
	tap(atomics.shaderSharedFloat32AtomicAdd && words[3] == N * (N - 1) / 8.0f,
	    "a float of a work group is added to");
	tap(atomics.shaderSharedFloat32Atomics && words[4] >= 1 && words[4] <= N &&
		    words[5] + words[4] == all,
	    "and put in the place of another");
	last_of_image = all - words[6];
	tap(atomics.shaderImageFloat32AtomicAdd && image_is(columns),
	    "a float of an image is added to");
	tap(atomics.shaderImageFloat32Atomics && last_of_image >= 1 &&
		    words[SIDE + 2] == last_of_image,
	    "and put in the place of another");
}

static void test_extrema(void)
{
	static const float columns[SIDE] = { -20.5f, -19.5f, 41.5f, 42.5f };
	float *words = test.words.map;

	memset(words, 0, test.words.size);
	vk_image_clear(&test.image);
	run(VK_CODE(instructions_extrema));
	tap(extrema.shaderBufferFloat32AtomicMinMax && words[0] == -20.5f && words[1] == 42.5f,
	    "the least and the greatest in a buffer");
	tap(extrema.shaderSharedFloat32AtomicMinMax && words[2] == -20.5f && words[3] == 42.5f,
	    "the least and the greatest in a work group");
	tap(extrema.shaderImageFloat32AtomicMinMax && image_is(columns),
	    "the least and the greatest in an image");
}

/* Clocks */

/* Compares differences: a clock may wrap while it is read. */
static void test_clocks(void)
{
	const uint32_t *words = test.words.map;
	uint32_t before;
	bool between;

	memset(test.words.map, 0, test.words.size);
	run(VK_CODE(instructions_clock));
	before = words[3];
	tap(clocks.shaderSubgroupClock && words[2] - words[0] && words[2] - words[0] < 1u << 31,
	    "the clock of a subgroup goes on while a shader works");
	tap(clocks.shaderDeviceClock && words[3] - words[1] && words[3] - words[1] < 1u << 31,
	    "that of the device does");
	run(VK_CODE(instructions_clock));
	between = words[1] - before && words[1] - before < 1u << 31;
	tap(between, "and between shaders");
}

int main(void)
{
	/* Few devices support the last extension. */
	static const char *const all[] = {
		VK_KHR_SHADER_EXPECT_ASSUME_EXTENSION_NAME,
		VK_KHR_SHADER_NON_SEMANTIC_INFO_EXTENSION_NAME,
		VK_KHR_SHADER_RELAXED_EXTENDED_INSTRUCTION_EXTENSION_NAME,
		VK_GOOGLE_DECORATE_STRING_EXTENSION_NAME,
		VK_GOOGLE_HLSL_FUNCTIONALITY_1_EXTENSION_NAME,
		VK_KHR_SHADER_FLOAT_CONTROLS_EXTENSION_NAME,
		VK_KHR_SHADER_FLOAT_CONTROLS_2_EXTENSION_NAME,
		VK_KHR_SHADER_FLOAT16_INT8_EXTENSION_NAME,
		VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME,
		VK_KHR_SHADER_CLOCK_EXTENSION_NAME,
		VK_EXT_SHADER_ATOMIC_FLOAT_2_EXTENSION_NAME,
		VK_EXT_SHADER_REPLICATED_COMPOSITES_EXTENSION_NAME,
		VK_GOOGLE_USER_TYPE_EXTENSION_NAME,
	};
	const uint32_t count = sizeof(all) / sizeof(all[0]);

	vk.features = &replicas;
	vk_open_with(NULL, 0, all, count - 1);
	tap(vk_has(all[count - 1]) || !strstr(vk.properties.deviceName, "sundog"),
	    "types may have names");
	make_things();
	test_expectations();
	test_said();
	test_floats();
	test_replicas();
	test_grouped();
	test_scan();
	test_seldom(0, "what shaders seldom have");
	test_seldom(200000, "shaders with ids up to 200,000");
	test_lengths();
	test_atomics();
	test_extrema();
	test_conversions();
	test_clocks();
	drop_things();
	vk_close();
	return tap_failures() != 0;
}
