// SPDX-License-Identifier: MIT
/*
 * Vulkan: expressions of specialization constants (OpSpecConstantOp), which are evaluated before
 * the shader runs. Prints TAP.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "vk-pipeline.h"

#include "../shaders/vk-constants.h"
#include "vk-constants.comp.h"
#include "vk-folded.h"
#include "vk-size.comp.h"

#define ROOM 65536		/* bytes of results */

static VkPhysicalDeviceShaderFloat16Int8Features numbers = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES,
};

static struct {
	struct vk_set set;
	VkPipelineLayout layout;
	struct vk_buffer results, numbers;
} test;

static void make_things(void)
{
	const VkDescriptorSetLayoutBinding bindings[] = {
		{ 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL },
		{ 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL },
	};

	test.results = vk_buffer_new(ROOM, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
	test.numbers = vk_buffer_new(ROOM, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
	test.set = vk_set_new(bindings, 2);
	vk_write_buffer(test.set.set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, &test.results);
	vk_write_buffer(test.set.set, 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, &test.numbers);
	test.layout = vk_layout_new(&test.set.layout, 1, 0, 0);
}

static void drop_things(void)
{
	vkDestroyPipelineLayout(vk.device, test.layout, NULL);
	vk_set_del(&test.set);
	vk_buffer_del(&test.numbers);
	vk_buffer_del(&test.results);
}

static void run(const uint32_t *code, size_t size, const VkSpecializationInfo *special)
{
	VkComputePipelineCreateInfo info = vk_compute_info(test.layout, code, size);
	VkPipeline pipeline;

	memset(test.results.map, 0xa5, ROOM);
	info.stage.pSpecializationInfo = special;
	VK_CHECK(vk_compute_try(&info, &pipeline));
	vk_dispatch(pipeline, test.layout, test.set.set, NULL, 0);
	vkDestroyPipeline(vk.device, pipeline, NULL);
}

/* Values with the types of the shader. Like GLSL, C computes with at least 32 bits. */
struct values {
	int64_t l;
	double d;
	int32_t i, j;
	uint32_t u, v;
	VkBool32 p, q;
	int16_t s;
	_Float16 h;
	int8_t c;
};

#define ENTRY(id, name) { id, offsetof(struct values, name), sizeof(((struct values *)0)->name) }

#define TO(type, e) ((type)(e))
#define PUT(e) expected[n++] = (int64_t)(e);

static bool expressions_are(const struct values *x)
{
	static const VkSpecializationMapEntry entries[] = {
		ENTRY(0, i), ENTRY(1, j), ENTRY(2, u), ENTRY(3, v), ENTRY(4, c),  ENTRY(5, s),
		ENTRY(6, l), ENTRY(7, p), ENTRY(8, q), ENTRY(9, h), ENTRY(10, d),
	};
	const VkSpecializationInfo special = { sizeof(entries) / sizeof(entries[0]), entries,
					       sizeof(*x), x };
	struct {
		int64_t l;
		double d;
		int32_t rest[9];
	} *in = test.numbers.map;
	const int64_t *results = test.results.map;
	int64_t expected[128];
	uint32_t n = 0;

	in->l = x->l;
	in->d = x->d;
	memcpy(in->rest,
	       (const int32_t[]){ x->i, x->j, (int32_t)x->u, (int32_t)x->v, x->c, x->s, x->p, x->q,
				  (int32_t)(x->h * 4) },
	       sizeof(in->rest));
	EXPRESSIONS(x->i, x->j, x->u, x->v, x->c, x->s, x->l, x->p, x->q, x->h, x->d)
	run(VK_CODE(vk_constants_comp), &special);
	for (uint32_t k = 0; k < n; k++)
		if (results[k] != expected[k] || results[n + k] != expected[k]) {
			printf("# expression %u: %lld of constants, %lld of numbers, not %lld\n", k,
			       (long long)results[k], (long long)results[n + k],
			       (long long)expected[k]);
			return false;
		}
	return n && !memcmp(results + 2 * n, &(uint64_t){ 0xa5a5a5a5a5a5a5a5 }, 8);
}

static void test_expressions(void)
{
	tap(expressions_are(&(struct values){ .i = -37,
					      .j = 5,
					      .u = 4000000000u,
					      .v = 7,
					      .c = -90,
					      .s = -300,
					      .l = -1234567890,
					      .p = true,
					      .h = 2.75,
					      .d = -11.5 }),
	    "what is computed of constants is what is computed of numbers");
	tap(expressions_are(&(struct values){ .i = 1000,
					      .j = -3,
					      .u = 12,
					      .v = 1u << 31,
					      .c = 100,
					      .s = 20000,
					      .l = 1ll << 31,
					      .q = true,
					      .h = -0.25,
					      .d = 1e6 }),
	    "and of others");
}

static bool folded_is(uint32_t i, uint32_t expected)
{
	const uint32_t *words = test.results.map;

	if (words[i] != expected)
		printf("# result %u is %#x, not %#x\n", i, words[i], expected);
	return words[i] == expected;
}

static uint32_t word_of(float f)
{
	uint32_t word;

	memcpy(&word, &f, sizeof(word));
	return word;
}

/* In the order of vk-folded.spvasm. */
static void test_folded(void)
{
	static const VkSpecializationMapEntry entries[] = { { 0, 0, 4 }, { 1, 4, 4 } };
	static const int32_t values[] = { -23, 5 };
	const VkSpecializationInfo special = { 2, entries, sizeof(values), values };
	const uint32_t i = (uint32_t)values[0], j = (uint32_t)values[1];
	bool ok;

	run(VK_CODE(vk_folded), &special);
	ok = folded_is(0, (uint32_t)-3) & folded_is(1, 2);
	tap(ok, "remainders have the sign of the one or of the other");
	ok = folded_is(2, i) & folded_is(3, j) & folded_is(4, 0) & folded_is(5, i);
	tap(ok, "parts of composites become others");
	ok = folded_is(6, j) & folded_is(7, 13) & folded_is(8, i);
	tap(ok, "vectors of the components of two");
	ok = folded_is(9, 7) & folded_is(10, j);
	tap(ok, "vectors of components that are chosen");
	ok = folded_is(11, word_of((float)(_Float16)0.333333343f)) & folded_is(12, 0) &
	     folded_is(13, word_of(INFINITY)) &
	     folded_is(14, word_of((float)(_Float16)0.333333343f));
	ok &= folded_is(15, (uint32_t)-12) & folded_is(16, 0xf4);
	tap(ok, "numbers of other sizes");
}

static bool sizes_are(uint32_t x, uint32_t y, uint32_t n, VkBool32 more)
{
	static const VkSpecializationMapEntry entries[] = {
		{ 0, 0, 4 }, { 1, 4, 4 }, { 2, 8, 4 }, { 3, 12, 4 }
	};
	const uint32_t values[] = { x, y, n, more };
	const VkSpecializationInfo special = { 4, entries, sizeof(values), values };
	const uint32_t *sums = (const uint32_t *)test.results.map + 6;
	bool ok;

	run(VK_CODE(vk_size_comp), &special);
	ok = folded_is(0, x) & folded_is(1, y) & folded_is(2, x * y) &
	     folded_is(3, more ? n % 7 + 2 : 1) & folded_is(4, (n | 8) ^ 1) & folded_is(5, n + 1);
	for (uint32_t i = 0; i < x * y; i++)
		ok &= folded_is(6 + i, (i + 1) % (x * y) * ((i + 1) % (x * y)));
	return ok && sums[x * y] == 0xa5a5a5a5;
}

static void test_sizes(void)
{
	tap(sizes_are(1, 1, 1, false), "groups and shared memory of the sizes that shaders have");
	tap(sizes_are(64, 2, 5, true), "of larger ones, by specialisation");
	tap(sizes_are(7, 9, 300, true), "and of odd ones");
}

int main(void)
{
	vk.features = &numbers;
	vk_open();
	make_things();
	test_expressions();
	test_folded();
	test_sizes();
	drop_things();
	vk_close();
	return tap_failures() != 0;
}
