// SPDX-License-Identifier: MIT
/*
 * Vulkan: vertex attributes at any byte offset and with numeric types other than the shader's
 * (VK_EXT_legacy_vertex_attributes); and the order in which the vertices of primitives are captured
 * by transform feedback (VK_EXT_provoking_vertex). Prints TAP.
 */
#include <stdio.h>
#include <string.h>

#include "vk-pipeline.h"

#include "vk-attributes-shaders.h"

#define SIDE 4
#define VERTICES 5
#define STRIDE 19	/* bytes of a vertex; odd, so that attributes are unaligned */
#define FIRST 3
#define CAPTURED 5	/* words of a vertex */

static struct {
	VkPipelineLayout layout;
	struct vk_buffer vertices, captured;
	bool legacy, preserves, fans;
} test;

static VkPipeline pipeline_new(const uint32_t *code, size_t size, VkPrimitiveTopology topology,
			       bool last)
{
	const VkDynamicState dynamic = VK_DYNAMIC_STATE_VERTEX_INPUT_EXT;
	const VkPipelineRasterizationProvokingVertexStateCreateInfoEXT provoking = {
		VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_PROVOKING_VERTEX_STATE_CREATE_INFO_EXT,
		NULL,
		last ? VK_PROVOKING_VERTEX_MODE_LAST_VERTEX_EXT
		     : VK_PROVOKING_VERTEX_MODE_FIRST_VERTEX_EXT,
	};
	struct vk_pipeline p;

	vk_pipeline_init(&p, test.layout, SIDE);
	vk_pipeline_code(&p, VK_SHADER_STAGE_VERTEX_BIT, code, size);
	vk_pipeline_formats(&p, VK_FORMAT_UNDEFINED, VK_FORMAT_UNDEFINED, VK_FORMAT_UNDEFINED);
	p.blend.attachmentCount = 0;
	p.assembly.topology = topology;
	p.raster.pNext = &provoking;
	p.raster.rasterizerDiscardEnable = true;
	vk_pipeline_dynamic(&p, &dynamic, 1);
	return vk_pipeline_new(&p);
}

/* Draws all vertices with an attribute of @format, and captures the shader's outputs. */
static void capture(VkPipeline pipeline, VkFormat format)
{
	const VkVertexInputBindingDescription2EXT binding = {
		VK_STRUCTURE_TYPE_VERTEX_INPUT_BINDING_DESCRIPTION_2_EXT,
		NULL,
		0,
		STRIDE,
		VK_VERTEX_INPUT_RATE_VERTEX,
		1
	};
	const VkVertexInputAttributeDescription2EXT attribute = {
		VK_STRUCTURE_TYPE_VERTEX_INPUT_ATTRIBUTE_DESCRIPTION_2_EXT,
		NULL,
		0,
		0,
		format,
		FIRST
	};
	const VkRenderingInfo rendering = { .sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
					    .renderArea = { { 0, 0 }, { SIDE, SIDE } },
					    .layerCount = 1 };
	const VkDeviceSize none = 0;
	VkCommandBuffer cmd = vk_begin();

	memset(test.captured.map, 0x5a, test.captured.size);
	VK_FUNCTION(vkCmdBeginRenderingKHR)(cmd, &rendering);
	vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
	VK_FUNCTION(vkCmdSetVertexInputEXT)(cmd, 1, &binding, 1, &attribute);
	vkCmdBindVertexBuffers(cmd, 0, 1, &test.vertices.buffer, &none);
	VK_FUNCTION(vkCmdBindTransformFeedbackBuffersEXT)
	(cmd, 0, 1, &test.captured.buffer, &none, NULL);
	VK_FUNCTION(vkCmdBeginTransformFeedbackEXT)(cmd, 0, 0, NULL, NULL);
	vkCmdDraw(cmd, VERTICES, 1, 0, 0);
	VK_FUNCTION(vkCmdEndTransformFeedbackEXT)(cmd, 0, 0, NULL, NULL);
	VK_FUNCTION(vkCmdEndRenderingKHR)(cmd);
	vk_barrier(cmd);
	vk_run(cmd);
	vkDestroyPipeline(vk.device, pipeline, NULL);
}

/* Attributes */

static void fill(void)
{
	unsigned char *bytes = test.vertices.map;

	for (uint32_t i = 0; i < test.vertices.size; i++)
		bytes[i] = i * 37 + 11;
}

/*
 * Returns true if the first @words captured words of each vertex are those of the vertex buffer,
 * and the others are those of @rest.
 */
static bool words_are(uint32_t words, const uint32_t *rest)
{
	const uint32_t *captured = test.captured.map;

	for (uint32_t i = 0; i < VERTICES; i++) {
		uint32_t expected[4];

		memcpy(expected, rest, sizeof(expected));
		memcpy(expected, (char *)test.vertices.map + i * STRIDE + FIRST, words * 4);
		if (!memcmp(captured + i * CAPTURED, expected, sizeof(expected)))
			continue;
		printf("# vertex %u: %x %x %x %x, not %x %x %x %x\n", i, captured[i * CAPTURED],
		       captured[i * CAPTURED + 1], captured[i * CAPTURED + 2],
		       captured[i * CAPTURED + 3], expected[0], expected[1], expected[2],
		       expected[3]);
		return false;
	}
	return true;
}

/* The shader gets the bits of each word unchanged, whatever its numeric type is. */
static void test_attributes(void)
{
	static const struct {
		const char *name;
		VkFormat format;
		const uint32_t *code;
		size_t size;
		uint32_t words;
		uint32_t rest[4];
	} kinds[] = {
		{ "four numbers", VK_FORMAT_R32G32B32A32_UINT, VK_CODE(attributes_uint), 4, { 0 } },
		{ "two floats as numbers",
		  VK_FORMAT_R32G32_SFLOAT,
		  VK_CODE(attributes_uint),
		  2,
		  { 0, 0, 0, 0x3f800000 } },
		{ "four numbers as others",
		  VK_FORMAT_R32G32B32A32_SINT,
		  VK_CODE(attributes_uint),
		  4,
		  { 0 } },
		{ "four numbers as floats",
		  VK_FORMAT_R32G32B32A32_UINT,
		  VK_CODE(attributes_float),
		  4,
		  { 0 } },
		{ "four floats with a sign as numbers",
		  VK_FORMAT_R32G32B32A32_SFLOAT,
		  VK_CODE(attributes_int),
		  4,
		  { 0 } },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (!test.legacy) {
			tap(true, "%s # SKIP no such attributes", kinds[i].name);
			continue;
		}
		capture(pipeline_new(kinds[i].code, kinds[i].size, VK_PRIMITIVE_TOPOLOGY_POINT_LIST,
				     false),
			kinds[i].format);
		tap(words_are(kinds[i].words, kinds[i].rest), "%s, at any byte", kinds[i].name);
	}
}

/* Order */

static bool vertices_are(VkPrimitiveTopology topology, bool last, const uint32_t *expected,
			 uint32_t n)
{
	const uint32_t *captured = test.captured.map;
	bool ok = true;

	capture(pipeline_new(VK_CODE(attributes_uint), topology, last), VK_FORMAT_R32_UINT);
	for (uint32_t i = 0; i < n; i++) {
		if (captured[i * CAPTURED + 4] != expected[i])
			printf("# vertex %u is %u, not %u\n", i, captured[i * CAPTURED + 4],
			       expected[i]);
		ok &= captured[i * CAPTURED + 4] == expected[i];
	}
	return ok;
}

static void test_order(void)
{
	static const uint32_t first[] = { 0, 1, 2, 1, 3, 2, 2, 3, 4 },
			      last[] = { 0, 1, 2, 2, 1, 3, 2, 3, 4 };
	static const uint32_t first_fan[] = { 1, 2, 0, 2, 3, 0, 3, 4, 0 },
			      last_fan[] = { 0, 1, 2, 0, 2, 3, 0, 3, 4 };

	if (!test.preserves) {
		tap(true, "the order of vertices # SKIP they are in any order");
		return;
	}
	tap(vertices_are(VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP, false, first, 9),
	    "strips are captured, the first vertex first");
	tap(vertices_are(VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP, true, last, 9),
	    "or the last vertex last");
	if (!test.fans) {
		tap(true, "fans # SKIP they are in any order");
		return;
	}
	tap(vertices_are(VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN, false, first_fan, 9),
	    "fans are, the first vertex first");
	tap(vertices_are(VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN, true, last_fan, 9),
	    "or the last vertex last");
}

static void ask(void)
{
	VkPhysicalDeviceProvokingVertexPropertiesEXT provoking = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROVOKING_VERTEX_PROPERTIES_EXT };
	VkPhysicalDeviceProperties2 properties = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &provoking };

	vkGetPhysicalDeviceProperties2(vk.physical, &properties);
	test.fans = provoking.transformFeedbackPreservesTriangleFanProvokingVertex;
}

int main(void)
{
	static VkPhysicalDeviceLegacyVertexAttributesFeaturesEXT legacy = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_LEGACY_VERTEX_ATTRIBUTES_FEATURES_EXT };
	static VkPhysicalDeviceProvokingVertexFeaturesEXT provoking = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROVOKING_VERTEX_FEATURES_EXT,
		.pNext = &legacy
	};
	static VkPhysicalDeviceVertexInputDynamicStateFeaturesEXT inputs = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VERTEX_INPUT_DYNAMIC_STATE_FEATURES_EXT,
		.pNext = &provoking
	};
	static VkPhysicalDeviceDynamicRenderingFeatures rendering = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_FEATURES,
		.pNext = &inputs
	};
	static VkPhysicalDeviceTransformFeedbackFeaturesEXT feedback = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TRANSFORM_FEEDBACK_FEATURES_EXT,
		.pNext = &rendering
	};
	static const char *const wanted[] = {
		VK_KHR_CREATE_RENDERPASS_2_EXTENSION_NAME,
		VK_KHR_DEPTH_STENCIL_RESOLVE_EXTENSION_NAME,
		VK_KHR_DYNAMIC_RENDERING_EXTENSION_NAME,
		VK_EXT_TRANSFORM_FEEDBACK_EXTENSION_NAME,
		VK_EXT_PROVOKING_VERTEX_EXTENSION_NAME,
		VK_EXT_VERTEX_INPUT_DYNAMIC_STATE_EXTENSION_NAME,
	};
	static const char *const wishes[] = { VK_EXT_LEGACY_VERTEX_ATTRIBUTES_EXTENSION_NAME,
					      NULL };

	vk.features = &feedback;
	vk.wishes = wishes;
	vk_open_with(NULL, 0, wanted, sizeof(wanted) / sizeof(wanted[0]));
	test.legacy = legacy.legacyVertexAttributes;
	test.preserves = provoking.transformFeedbackPreservesProvokingVertex;
	ask();
	test.layout = vk_layout_new(NULL, 0, 0, 0);
	test.vertices = vk_buffer_new(256, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT);
	test.captured = vk_buffer_new(1024, VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_BUFFER_BIT_EXT);
	fill();
	test_attributes();
	test_order();
	vk_buffer_del(&test.vertices);
	vk_buffer_del(&test.captured);
	vkDestroyPipelineLayout(vk.device, test.layout, NULL);
	vk_close();
	return tap_failures() != 0;
}
