// SPDX-License-Identifier: MIT
/*
 * Vulkan: dynamic state. The test draws with each state as part of the pipeline and as set by a
 * command: both pictures must be the same, and differ from one without the state. Prints TAP.
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "vk-pipeline.h"

#include "vk-dynamic.frag.h"
#include "vk-dynamic.vert.h"

#define SIDE 64
#define PICTURE (SIDE * SIDE * 4)
#define SAMPLES VK_SAMPLE_COUNT_4_BIT
#define STIPPLE 0x0f0f

static const VkImageLayout general = VK_IMAGE_LAYOUT_GENERAL;
static const VkFormat color_format = VK_FORMAT_R8G8B8A8_UNORM,
		      depth_format = VK_FORMAT_D32_SFLOAT_S8_UINT;

struct vertex {
	float position[4], color[4];
};

/*
 * Vertices of triangles and of lines: some primitives cover others, some extend beyond the depth
 * range. No two vertices have the same color.
 */
static const struct vertex vertices[] = {
	{ { -0.9f, -0.9f, 0.3f, 1 }, { 1, 0, 0, 0.5f } },
	{ { 0.5f, -0.8f, 0.3f, 1 }, { 0.9f, 0.1f, 0, 0.5f } },
	{ { -0.7f, 0.6f, 0.3f, 1 }, { 0.8f, 0.2f, 0, 0.5f } },
	{ { -0.5f, -0.7f, 0.6f, 1 }, { 0, 1, 0, 1 } },
	{ { -0.3f, 0.9f, 0.6f, 1 }, { 0, 0.9f, 0.1f, 1 } },
	{ { 0.9f, 0.1f, 0.6f, 1 }, { 0, 0.8f, 0.2f, 1 } },
	{ { -0.2f, -0.9f, -0.8f, 1 }, { 0, 0, 1, 0.7f } },
	{ { 0.9f, -0.6f, 0.5f, 1 }, { 0.1f, 0, 0.9f, 0.7f } },
	{ { 0.3f, 0.9f, 1.8f, 1 }, { 0.2f, 0, 0.8f, 0.7f } },
};
#define VERTICES (sizeof(vertices) / sizeof(vertices[0]))
static const uint16_t indices[VERTICES] = { 0, 1, 0xffff, 2, 3, 4, 5, 6, 7 };

/* All states of a pipeline. */
struct look {
	VkPrimitiveTopology topology;
	bool restart;
	VkRect2D scissor;
	VkViewport viewport;
	bool discard, depth_clamp, depth_clip, negative_one_to_one, depth_bias;
	/*
	 * no VkPipelineRasterizationDepthClipStateCreateInfoEXT: depths are clipped unless they are
	 * clamped
	 */
	bool implied_clip;
	VkPolygonMode polygon;
	VkCullModeFlags cull;
	VkFrontFace front;
	float bias, bias_clamp, line_width;
	VkLineRasterizationModeEXT line_mode;
	bool stipple;
	uint16_t pattern;
	VkProvokingVertexModeEXT provoking;
	VkSampleCountFlagBits samples;
	VkSampleMask mask;
	bool alpha_to_coverage, alpha_to_one;
	bool depth_test, depth_write, stencil_test;
	VkCompareOp compare;
	VkStencilOpState stencil;
	bool logic;
	VkLogicOp logic_op;
	bool blend;
	VkColorBlendEquationEXT equation;
	VkColorComponentFlags write_mask;
	VkBool32 write;
	float constants[4];
	uint32_t stride, color_offset;
};

static const struct look plain = {
	.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
	.scissor = { { 0, 0 }, { SIDE, SIDE } },
	.viewport = { 0, 0, SIDE, SIDE, 0, 1 },
	.depth_clip = true,
	.polygon = VK_POLYGON_MODE_FILL,
	.front = VK_FRONT_FACE_COUNTER_CLOCKWISE,
	.line_width = 1,
	.pattern = 0xffff,
	.samples = SAMPLES,
	.mask = 0xf,
	.depth_test = true,
	.depth_write = true,
	.compare = VK_COMPARE_OP_LESS_OR_EQUAL,
	.stencil = { .compareOp = VK_COMPARE_OP_EQUAL, .compareMask = 0xff, .writeMask = 0xff },
	.logic_op = VK_LOGIC_OP_COPY,
	.write_mask = 0xf,
	.write = true,
	.equation = { VK_BLEND_FACTOR_SRC_ALPHA, VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA,
		      VK_BLEND_OP_ADD, VK_BLEND_FACTOR_ONE, VK_BLEND_FACTOR_ZERO, VK_BLEND_OP_ADD },
	.stride = sizeof(struct vertex),
	.color_offset = offsetof(struct vertex, color),
};

/*
 * A dynamic state: the look that it is tested with, the change of the state, and the command that
 * sets it.
 */
struct state {
	const char *name;
	VkDynamicState dynamic;
	/* changes the look before the state changes; NULL: plain */
	void (*begin)(struct look *look);
	/* changes the state; NULL: the plain look shows the state */
	void (*choose)(struct look *look);
	void (*set)(VkCommandBuffer cmd, const struct look *look);
	bool indexed;
};

static struct {
	VkPipelineLayout layout;
	VkShaderModule vertex, fragment;
	struct vk_image color, depth, resolved;
	VkImageView color_view, depth_view, resolved_view;
	struct vk_buffer vertices, indices, readback;
} test;

/* Pipelines */

static VkVertexInputAttributeDescription attribute(const struct look *l, uint32_t i)
{
	return (VkVertexInputAttributeDescription){ i, 0, VK_FORMAT_R32G32B32A32_SFLOAT,
						    i ? l->color_offset : 0 };
}

/* Creates the pipeline, with the rasterization state of @l. */
static VkPipeline rasterized(struct vk_pipeline *p, const struct look *l)
{
	const VkPipelineRasterizationLineStateCreateInfoEXT line = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_LINE_STATE_CREATE_INFO_EXT,
		.lineRasterizationMode = l->line_mode,
		.stippledLineEnable = l->stipple,
		.lineStippleFactor = 1,
		.lineStipplePattern = l->pattern,
	};
	const VkPipelineRasterizationProvokingVertexStateCreateInfoEXT provoking = {
		VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_PROVOKING_VERTEX_STATE_CREATE_INFO_EXT,
		&line,
		l->provoking,
	};
	const VkPipelineRasterizationDepthClipStateCreateInfoEXT clip = {
		VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_DEPTH_CLIP_STATE_CREATE_INFO_EXT,
		&provoking,
		0,
		l->depth_clip,
	};

	p->raster = (VkPipelineRasterizationStateCreateInfo){
		.sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO,
		.pNext = l->implied_clip ? (const void *)&provoking : &clip,
		.depthClampEnable = l->depth_clamp,
		.rasterizerDiscardEnable = l->discard,
		.polygonMode = l->polygon,
		.cullMode = l->cull,
		.frontFace = l->front,
		.depthBiasEnable = l->depth_bias,
		.depthBiasConstantFactor = l->bias,
		.depthBiasClamp = l->bias_clamp,
		.lineWidth = l->line_width,
	};
	return vk_pipeline_new(p);
}

static VkPipeline pipeline_new(const struct look *l, const VkDynamicState *dynamic)
{
	const VkVertexInputBindingDescription binding = { 0, l->stride,
							  VK_VERTEX_INPUT_RATE_VERTEX };
	const VkVertexInputAttributeDescription attributes[] = { attribute(l, 0), attribute(l, 1) };
	const VkPipelineViewportDepthClipControlCreateInfoEXT control = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_DEPTH_CLIP_CONTROL_CREATE_INFO_EXT,
		.negativeOneToOne = l->negative_one_to_one,
	};
	const VkPipelineColorWriteCreateInfoEXT write = {
		VK_STRUCTURE_TYPE_PIPELINE_COLOR_WRITE_CREATE_INFO_EXT, NULL, 1, &l->write,
	};
	const VkColorBlendEquationEXT *e = &l->equation;
	struct vk_pipeline p;

	vk_pipeline_init(&p, test.layout, SIDE);
	vk_pipeline_stage(&p, VK_SHADER_STAGE_VERTEX_BIT, test.vertex);
	vk_pipeline_stage(&p, VK_SHADER_STAGE_FRAGMENT_BIT, test.fragment);
	vk_pipeline_formats(&p, color_format, depth_format, depth_format);
	vk_pipeline_inputs(&p, &binding, 1, attributes, 2);
	p.assembly.topology = l->topology;
	p.assembly.primitiveRestartEnable = l->restart;
	p.viewports.pNext = &control;
	p.viewports.viewportCount = !dynamic || *dynamic != VK_DYNAMIC_STATE_VIEWPORT_WITH_COUNT;
	p.viewport = l->viewport;
	p.viewports.scissorCount = !dynamic || *dynamic != VK_DYNAMIC_STATE_SCISSOR_WITH_COUNT;
	p.scissor = l->scissor;
	p.samples.rasterizationSamples = l->samples;
	p.samples.pSampleMask = &l->mask;
	p.samples.alphaToCoverageEnable = l->alpha_to_coverage;
	p.samples.alphaToOneEnable = l->alpha_to_one;
	vk_pipeline_depth(&p, l->compare, l->depth_write);
	p.depth.depthTestEnable = l->depth_test;
	p.depth.stencilTestEnable = l->stencil_test;
	p.depth.front = p.depth.back = l->stencil;
	p.blends[0] = (VkPipelineColorBlendAttachmentState){
		l->blend,	 e->srcColorBlendFactor, e->dstColorBlendFactor,
		e->colorBlendOp, e->srcAlphaBlendFactor, e->dstAlphaBlendFactor,
		e->alphaBlendOp, l->write_mask,
	};
	p.blend.pNext = &write;
	p.blend.logicOpEnable = l->logic;
	p.blend.logicOp = l->logic_op;
	memcpy(p.blend.blendConstants, l->constants, sizeof(l->constants));
	if (dynamic)
		vk_pipeline_dynamic(&p, dynamic, 1);
	return rasterized(&p, l);
}

/* States */

#define CHOOSE(name, ...) static void name(struct look *l) { __VA_ARGS__; }
#define SET(name, ...) static void name(VkCommandBuffer cmd, const struct look *l) { __VA_ARGS__; }

CHOOSE(lines, l->topology = VK_PRIMITIVE_TOPOLOGY_LINE_LIST)
CHOOSE(strip, l->topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP)
CHOOSE(restart, l->restart = true)
CHOOSE(half_viewport, l->viewport.width = SIDE / 2)
CHOOSE(half_scissor, l->scissor.extent.height = SIDE / 2)
CHOOSE(discard, l->discard = true)
CHOOSE(no_depth_clip, l->depth_clip = false)
CHOOSE(depth_clamp, l->depth_clamp = true)
CHOOSE(implied_clip, l->implied_clip = true)
CHOOSE(negative_one_to_one, l->negative_one_to_one = true)
CHOOSE(points, l->polygon = VK_POLYGON_MODE_POINT)
CHOOSE(outlines, l->polygon = VK_POLYGON_MODE_LINE)
CHOOSE(cull_back, l->cull = VK_CULL_MODE_BACK_BIT)
CHOOSE(clockwise, l->front = VK_FRONT_FACE_CLOCKWISE)
CHOOSE(far_behind, l->bias = 1e8f)
CHOOSE(biased, l->depth_bias = true)
CHOOSE(biased_far, biased(l); far_behind(l))
CHOOSE(bias_clamped, l->bias_clamp = 0.1f)
CHOOSE(wide, l->line_width = 5)
CHOOSE(wide_lines, lines(l); wide(l))
CHOOSE(bresenham, l->line_mode = VK_LINE_RASTERIZATION_MODE_BRESENHAM_EXT)
CHOOSE(bresenham_lines, lines(l); bresenham(l))
CHOOSE(rectangular_lines, lines(l); l->line_mode = VK_LINE_RASTERIZATION_MODE_RECTANGULAR_EXT)
CHOOSE(smooth_lines, lines(l); l->line_mode = VK_LINE_RASTERIZATION_MODE_RECTANGULAR_SMOOTH_EXT)
CHOOSE(stippled, l->stipple = true)
CHOOSE(stippled_lines, bresenham_lines(l); l->stipple = true)
CHOOSE(pattern, l->pattern = STIPPLE)
CHOOSE(bresenham_pattern, bresenham_lines(l); pattern(l))
CHOOSE(rectangular_pattern, rectangular_lines(l); pattern(l))
CHOOSE(smooth_pattern, smooth_lines(l); pattern(l))
CHOOSE(last_vertex, l->provoking = VK_PROVOKING_VERTEX_MODE_LAST_VERTEX_EXT)
CHOOSE(two_samples, l->mask = 0x5)
CHOOSE(to_coverage, l->alpha_to_coverage = true)
CHOOSE(to_one, l->alpha_to_one = true)
CHOOSE(no_depth_test, l->depth_test = false)
CHOOSE(no_depth_write, l->depth_write = false)
CHOOSE(greater, l->compare = VK_COMPARE_OP_GREATER)
CHOOSE(stencil_not_equal, l->stencil.reference = 1)
CHOOSE(stencil, l->stencil_test = true)
CHOOSE(stencil_alone, stencil(l); no_depth_test(l))
CHOOSE(count_stencil, l->stencil.passOp = VK_STENCIL_OP_INCREMENT_AND_CLAMP)
CHOOSE(logic, l->logic = true)
CHOOSE(inverted, l->logic_op = VK_LOGIC_OP_COPY_INVERTED)
CHOOSE(blended, l->blend = true)
CHOOSE(added, l->equation.dstColorBlendFactor = VK_BLEND_FACTOR_ONE)
CHOOSE(of_constants, blended(l); l->equation.srcColorBlendFactor = VK_BLEND_FACTOR_CONSTANT_COLOR)
CHOOSE(constants, l->constants[0] = 1; l->constants[2] = 0.5f)
CHOOSE(red_only, l->write_mask = VK_COLOR_COMPONENT_R_BIT)
CHOOSE(no_write, l->write = false)
CHOOSE(wide_stride, l->stride = 2 * sizeof(struct vertex))
CHOOSE(other_color, l->color_offset = offsetof(struct vertex, position))

SET(set_topology, VK_FUNCTION(vkCmdSetPrimitiveTopologyEXT)(cmd, l->topology))
SET(set_restart, VK_FUNCTION(vkCmdSetPrimitiveRestartEnableEXT)(cmd, l->restart))
SET(set_viewports, VK_FUNCTION(vkCmdSetViewportWithCountEXT)(cmd, 1, &l->viewport))
SET(set_scissors, VK_FUNCTION(vkCmdSetScissorWithCountEXT)(cmd, 1, &l->scissor))
SET(set_discard, VK_FUNCTION(vkCmdSetRasterizerDiscardEnableEXT)(cmd, l->discard))
SET(set_depth_clip, VK_FUNCTION(vkCmdSetDepthClipEnableEXT)(cmd, l->depth_clip))
SET(set_depth_clamp, VK_FUNCTION(vkCmdSetDepthClampEnableEXT)(cmd, l->depth_clamp))
SET(set_negative, VK_FUNCTION(vkCmdSetDepthClipNegativeOneToOneEXT)(cmd, l->negative_one_to_one))
SET(set_polygon, VK_FUNCTION(vkCmdSetPolygonModeEXT)(cmd, l->polygon))
SET(set_cull, VK_FUNCTION(vkCmdSetCullModeEXT)(cmd, l->cull))
SET(set_front, VK_FUNCTION(vkCmdSetFrontFaceEXT)(cmd, l->front))
SET(set_bias_enable, VK_FUNCTION(vkCmdSetDepthBiasEnableEXT)(cmd, l->depth_bias))
SET(set_bias, vkCmdSetDepthBias(cmd, l->bias, l->bias_clamp, 0))
SET(set_width, vkCmdSetLineWidth(cmd, l->line_width))
SET(set_line_mode, VK_FUNCTION(vkCmdSetLineRasterizationModeEXT)(cmd, l->line_mode))
SET(set_stipple_enable, VK_FUNCTION(vkCmdSetLineStippleEnableEXT)(cmd, l->stipple))
SET(set_stipple, VK_FUNCTION(vkCmdSetLineStippleEXT)(cmd, 1, l->pattern))
SET(set_provoking, VK_FUNCTION(vkCmdSetProvokingVertexModeEXT)(cmd, l->provoking))
SET(set_samples, VK_FUNCTION(vkCmdSetRasterizationSamplesEXT)(cmd, l->samples))
SET(set_sample_mask, VK_FUNCTION(vkCmdSetSampleMaskEXT)(cmd, l->samples, &l->mask))
SET(set_to_coverage, VK_FUNCTION(vkCmdSetAlphaToCoverageEnableEXT)(cmd, l->alpha_to_coverage))
SET(set_to_one, VK_FUNCTION(vkCmdSetAlphaToOneEnableEXT)(cmd, l->alpha_to_one))
SET(set_depth_test, VK_FUNCTION(vkCmdSetDepthTestEnableEXT)(cmd, l->depth_test))
SET(set_depth_write, VK_FUNCTION(vkCmdSetDepthWriteEnableEXT)(cmd, l->depth_write))
SET(set_compare, VK_FUNCTION(vkCmdSetDepthCompareOpEXT)(cmd, l->compare))
SET(set_stencil_test, VK_FUNCTION(vkCmdSetStencilTestEnableEXT)(cmd, l->stencil_test))
SET(set_stencil_op, VK_FUNCTION(vkCmdSetStencilOpEXT)(cmd, VK_STENCIL_FACE_FRONT_AND_BACK,
						      l->stencil.failOp, l->stencil.passOp,
						      l->stencil.depthFailOp, l->stencil.compareOp))
SET(set_reference,
    vkCmdSetStencilReference(cmd, VK_STENCIL_FACE_FRONT_AND_BACK, l->stencil.reference))
SET(set_logic, VK_FUNCTION(vkCmdSetLogicOpEnableEXT)(cmd, l->logic))
SET(set_logic_op, VK_FUNCTION(vkCmdSetLogicOpEXT)(cmd, l->logic_op))
SET(set_blend, VK_FUNCTION(vkCmdSetColorBlendEnableEXT)(cmd, 0, 1, &(VkBool32){ l->blend }))
SET(set_equation, VK_FUNCTION(vkCmdSetColorBlendEquationEXT)(cmd, 0, 1, &l->equation))
SET(set_constants, vkCmdSetBlendConstants(cmd, l->constants))
SET(set_write_mask, VK_FUNCTION(vkCmdSetColorWriteMaskEXT)(cmd, 0, 1, &l->write_mask))
SET(set_write, VK_FUNCTION(vkCmdSetColorWriteEnableEXT)(cmd, 1, &l->write))
/* Without sizes and strides there may be no buffers. */
SET(set_stride,
    VK_FUNCTION(vkCmdBindVertexBuffers2EXT)(cmd, 0, 1, &test.vertices.buffer, &(VkDeviceSize){ 0 },
					    NULL, &(VkDeviceSize){ l->stride });
    VK_FUNCTION(vkCmdBindVertexBuffers2EXT)(cmd, 0, 0, NULL, NULL, NULL, NULL))

static void set_input(VkCommandBuffer cmd, const struct look *l)
{
	const VkVertexInputBindingDescription2EXT binding = {
		VK_STRUCTURE_TYPE_VERTEX_INPUT_BINDING_DESCRIPTION_2_EXT, NULL, 0, l->stride,
		VK_VERTEX_INPUT_RATE_VERTEX, 1,
	};
	VkVertexInputAttributeDescription2EXT attributes[2];

	for (uint32_t i = 0; i < 2; i++) {
		const VkVertexInputAttributeDescription a = attribute(l, i);

		attributes[i] = (VkVertexInputAttributeDescription2EXT){
			VK_STRUCTURE_TYPE_VERTEX_INPUT_ATTRIBUTE_DESCRIPTION_2_EXT,
			NULL,
			a.location,
			a.binding,
			a.format,
			a.offset,
		};
	}
	VK_FUNCTION(vkCmdSetVertexInputEXT)(cmd, 1, &binding, 2, attributes);
}

#define DYNAMIC(name) VK_DYNAMIC_STATE_##name

static const struct state states[] = {
	{ "topology", DYNAMIC(PRIMITIVE_TOPOLOGY), NULL, strip, set_topology, false },
	{ "topology of another class", DYNAMIC(PRIMITIVE_TOPOLOGY), NULL, lines, set_topology,
	  false },
	{ "restart of strips", DYNAMIC(PRIMITIVE_RESTART_ENABLE), strip, restart, set_restart,
	  true },
	{ "restart of lists", DYNAMIC(PRIMITIVE_RESTART_ENABLE), NULL, restart, set_restart, true },
	{ "viewports", DYNAMIC(VIEWPORT_WITH_COUNT), NULL, half_viewport, set_viewports, false },
	{ "scissors", DYNAMIC(SCISSOR_WITH_COUNT), NULL, half_scissor, set_scissors, false },
	{ "discard", DYNAMIC(RASTERIZER_DISCARD_ENABLE), NULL, discard, set_discard, false },
	{ "depth clip", DYNAMIC(DEPTH_CLIP_ENABLE_EXT), depth_clamp, no_depth_clip, set_depth_clip,
	  false },
	{ "depth clamp", DYNAMIC(DEPTH_CLAMP_ENABLE_EXT), implied_clip, depth_clamp,
	  set_depth_clamp, false },
	{ "depths from -1 to 1", DYNAMIC(DEPTH_CLIP_NEGATIVE_ONE_TO_ONE_EXT), NULL,
	  negative_one_to_one, set_negative, false },
	{ "polygons as points", DYNAMIC(POLYGON_MODE_EXT), NULL, points, set_polygon, false },
	{ "polygons as lines", DYNAMIC(POLYGON_MODE_EXT), NULL, outlines, set_polygon, false },
	{ "culling", DYNAMIC(CULL_MODE), NULL, cull_back, set_cull, false },
	{ "front", DYNAMIC(FRONT_FACE), cull_back, clockwise, set_front, false },
	{ "biased depths", DYNAMIC(DEPTH_BIAS_ENABLE), far_behind, biased, set_bias_enable, false },
	{ "bias", DYNAMIC(DEPTH_BIAS), biased, far_behind, set_bias, false },
	{ "clamped bias", DYNAMIC(DEPTH_BIAS), biased_far, bias_clamped, set_bias, false },
	{ "line width", DYNAMIC(LINE_WIDTH), lines, wide, set_width, false },
	{ "line mode", DYNAMIC(LINE_RASTERIZATION_MODE_EXT), rectangular_lines, bresenham,
	  set_line_mode, false },
	{ "stippled Bresenham lines", DYNAMIC(LINE_STIPPLE_ENABLE_EXT), bresenham_pattern, stippled,
	  set_stipple_enable, false },
	{ "stippled rectangular lines", DYNAMIC(LINE_STIPPLE_ENABLE_EXT), rectangular_pattern,
	  stippled, set_stipple_enable, false },
	{ "stippled smooth lines", DYNAMIC(LINE_STIPPLE_ENABLE_EXT), smooth_pattern, stippled,
	  set_stipple_enable, false },
	{ "stipple", DYNAMIC(LINE_STIPPLE_EXT), stippled_lines, pattern, set_stipple, false },
	{ "provoking vertex", DYNAMIC(PROVOKING_VERTEX_MODE_EXT), NULL, last_vertex, set_provoking,
	  false },
	{ "samples", DYNAMIC(RASTERIZATION_SAMPLES_EXT), NULL, NULL, set_samples, false },
	{ "sample mask", DYNAMIC(SAMPLE_MASK_EXT), NULL, two_samples, set_sample_mask, false },
	{ "alpha to coverage", DYNAMIC(ALPHA_TO_COVERAGE_ENABLE_EXT), NULL, to_coverage,
	  set_to_coverage, false },
	{ "alpha to one", DYNAMIC(ALPHA_TO_ONE_ENABLE_EXT), NULL, to_one, set_to_one, false },
	{ "depth test", DYNAMIC(DEPTH_TEST_ENABLE), NULL, no_depth_test, set_depth_test, false },
	{ "depths written", DYNAMIC(DEPTH_WRITE_ENABLE), NULL, no_depth_write, set_depth_write,
	  false },
	{ "comparison", DYNAMIC(DEPTH_COMPARE_OP), NULL, greater, set_compare, false },
	{ "stencil test", DYNAMIC(STENCIL_TEST_ENABLE), stencil_not_equal, stencil,
	  set_stencil_test, false },
	{ "stencil operations", DYNAMIC(STENCIL_OP), stencil_alone, count_stencil, set_stencil_op,
	  false },
	{ "stencil reference", DYNAMIC(STENCIL_REFERENCE), stencil, stencil_not_equal,
	  set_reference, false },
	{ "logic", DYNAMIC(LOGIC_OP_ENABLE_EXT), inverted, logic, set_logic, false },
	{ "logical operation", DYNAMIC(LOGIC_OP_EXT), logic, inverted, set_logic_op, false },
	{ "blending", DYNAMIC(COLOR_BLEND_ENABLE_EXT), NULL, blended, set_blend, false },
	{ "equation", DYNAMIC(COLOR_BLEND_EQUATION_EXT), blended, added, set_equation, false },
	{ "constants", DYNAMIC(BLEND_CONSTANTS), of_constants, constants, set_constants, false },
	{ "write mask", DYNAMIC(COLOR_WRITE_MASK_EXT), NULL, red_only, set_write_mask, false },
	{ "writing", DYNAMIC(COLOR_WRITE_ENABLE_EXT), NULL, no_write, set_write, false },
	{ "stride", DYNAMIC(VERTEX_INPUT_BINDING_STRIDE), NULL, wide_stride, set_stride, false },
	{ "vertex input", DYNAMIC(VERTEX_INPUT_EXT), NULL, other_color, set_input, false },
};

/* Looks that must differ in a state that no command sets here. */
static const struct {
	const char *name;
	void (*begin)(struct look *look), (*choose)(struct look *look);
} fixed[] = {
	{ "wide lines are others", lines, wide_lines },
	{ "smooth lines are others", rectangular_lines, smooth_lines },
};

/* Pictures */

static VkRenderingAttachmentInfo attachment(VkImageView view, VkClearValue clear)
{
	return (VkRenderingAttachmentInfo){
		.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
		.imageView = view,
		.imageLayout = general,
		.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
		.storeOp = VK_ATTACHMENT_STORE_OP_STORE,
		.clearValue = clear,
	};
}

static void begin_rendering(VkCommandBuffer cmd)
{
	const VkClearValue dark = { .color.float32 = { 0, 0.2f, 0.4f, 0.2f } };
	VkRenderingAttachmentInfo color = attachment(test.color_view, dark);
	const VkRenderingAttachmentInfo depth =
		attachment(test.depth_view, (VkClearValue){ .depthStencil = { 1, 0 } });
	const VkRenderingInfo info = {
		.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
		.renderArea = { { 0, 0 }, { SIDE, SIDE } },
		.layerCount = 1,
		.colorAttachmentCount = 1,
		.pColorAttachments = &color,
		.pDepthAttachment = &depth,
		.pStencilAttachment = &depth,
	};

	color.resolveMode = VK_RESOLVE_MODE_AVERAGE_BIT;
	color.resolveImageView = test.resolved_view;
	color.resolveImageLayout = general;
	VK_FUNCTION(vkCmdBeginRenderingKHR)(cmd, &info);
}

/* Draws @look and copies the picture. If @set, a command sets state @s to its value in @look. */
static void draw(const struct look *look, VkPipeline pipeline, const struct state *s, bool set,
		 uint8_t *picture)
{
	VkCommandBuffer cmd = vk_begin();

	begin_rendering(cmd);
	vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
	vkCmdBindVertexBuffers(cmd, 0, 1, &test.vertices.buffer, &(VkDeviceSize){ 0 });
	vkCmdBindIndexBuffer(cmd, test.indices.buffer, 0, VK_INDEX_TYPE_UINT16);
	if (set)
		s->set(cmd, look);
	if (s && s->indexed)
		vkCmdDrawIndexed(cmd, VERTICES, 1, 0, 0, 0);
	else
		vkCmdDraw(cmd, VERTICES, 1, 0, 0);
	VK_FUNCTION(vkCmdEndRenderingKHR)(cmd);
	vk_image_read(cmd, &test.resolved, SIDE, &test.readback);
	vk_run(cmd);
	memcpy(picture, test.readback.map, PICTURE);
	vkDestroyPipeline(vk.device, pipeline, NULL);
}

static bool same(const char *what, const uint8_t *a, const uint8_t *b)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < PICTURE; i += 4)
		n += memcmp(a + i, b + i, 4) != 0;
	if (n)
		printf("# %s: %u pixels differ\n", what, n);
	return !n;
}

static void test_state(const struct state *s)
{
	static uint8_t without[PICTURE], with[PICTURE], commanded[PICTURE];
	struct look before = plain, look, other;

	if (s->begin)
		s->begin(&before);
	look = before;
	if (s->choose)
		s->choose(&look);
	other = before;
	/*
	 * The state shows in the plain look. The pipeline is created with one sample, so that the
	 * command sets more than the pipeline has.
	 */
	if (!s->choose)
		other.samples = VK_SAMPLE_COUNT_1_BIT;
	draw(&before, pipeline_new(&before, NULL), s, false, without);
	draw(&look, pipeline_new(&look, NULL), s, false, with);
	draw(&look, pipeline_new(&other, &s->dynamic), s, true, commanded);
	tap(same(s->name, with, commanded) && (!s->choose || memcmp(without, with, PICTURE)), "%s",
	    s->name);
}

static void test_fixed(void)
{
	static uint8_t without[PICTURE], with[PICTURE];

	for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++) {
		struct look before = plain, look = plain;

		fixed[i].begin(&before);
		fixed[i].choose(&look);
		draw(&before, pipeline_new(&before, NULL), NULL, false, without);
		draw(&look, pipeline_new(&look, NULL), NULL, false, with);
		tap(memcmp(without, with, PICTURE), "%s", fixed[i].name);
	}
}

/* Properties without which programs may not do what tests here do. */
static void test_properties(void)
{
	VkPhysicalDeviceProvokingVertexPropertiesEXT provoking = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROVOKING_VERTEX_PROPERTIES_EXT,
	};
	VkPhysicalDeviceExtendedDynamicState3PropertiesEXT dynamic = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTENDED_DYNAMIC_STATE_3_PROPERTIES_EXT,
		.pNext = &provoking,
	};
	VkPhysicalDeviceProperties2 properties = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &dynamic,
	};

	vkGetPhysicalDeviceProperties2(vk.physical, &properties);
	tap(dynamic.dynamicPrimitiveTopologyUnrestricted,
	    "a draw may have a topology of another class than its pipeline");
	tap(provoking.provokingVertexModePerPipeline,
	    "pipelines of one rendering may have other provoking vertices");
	tap(properties.properties.limits.strictLines, "rectangular lines are strict");
}

/*
 * Pipelines with different provoking vertices draw the upper and the lower half of a picture in one
 * rendering (provokingVertexModePerPipeline).
 */
static void test_provoking_vertices(void)
{
	const VkDynamicState scissors = VK_DYNAMIC_STATE_SCISSOR_WITH_COUNT;
	static uint8_t whole[2][PICTURE], halves[PICTURE];
	struct look looks[2] = { plain, plain };
	VkPipeline pipelines[2];
	VkCommandBuffer cmd;

	last_vertex(&looks[1]);
	for (int i = 0; i < 2; i++) {
		draw(&looks[i], pipeline_new(&looks[i], NULL), NULL, false, whole[i]);
		pipelines[i] = pipeline_new(&looks[i], &scissors);
		looks[i].scissor = (VkRect2D){ { 0, i * SIDE / 2 }, { SIDE, SIDE / 2 } };
	}
	cmd = vk_begin();
	begin_rendering(cmd);
	vkCmdBindVertexBuffers(cmd, 0, 1, &test.vertices.buffer, &(VkDeviceSize){ 0 });
	for (int i = 1; i >= 0; i--) {
		vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipelines[i]);
		set_scissors(cmd, &looks[i]);
		vkCmdDraw(cmd, VERTICES, 1, 0, 0);
	}
	VK_FUNCTION(vkCmdEndRenderingKHR)(cmd);
	vk_image_read(cmd, &test.resolved, SIDE, &test.readback);
	vk_run(cmd);
	memcpy(halves, test.readback.map, PICTURE);
	tap(memcmp(whole[0], whole[1], PICTURE) &&
	    !memcmp(halves, whole[0], PICTURE / 2) &&
	    !memcmp(halves + PICTURE / 2, whole[1] + PICTURE / 2, PICTURE / 2),
	    "each pipeline of a rendering has its provoking vertex");
	for (int i = 0; i < 2; i++)
		vkDestroyPipeline(vk.device, pipelines[i], NULL);
}

/* Objects */

static struct vk_image attachment_new(VkFormat format, VkSampleCountFlagBits samples,
				      VkImageUsageFlags usage, VkImageView *view)
{
	const VkImageCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.imageType = VK_IMAGE_TYPE_2D,
		.format = format,
		.extent = { SIDE, SIDE, 1 },
		.mipLevels = 1,
		.arrayLayers = 1,
		.samples = samples,
		.usage = usage,
	};
	const struct vk_image image = vk_image_new(&info);

	*view = vk_view_new(&image, VK_IMAGE_VIEW_TYPE_2D, format, vk_image_all(&image));
	return image;
}

static void make_things(void)
{
	test.layout = vk_layout_new(NULL, 0, 0, 0);
	test.vertex = vk_module_new(VK_CODE(vk_dynamic_vert));
	test.fragment = vk_module_new(VK_CODE(vk_dynamic_frag));
	test.color = attachment_new(color_format, SAMPLES, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
				    &test.color_view);
	test.depth = attachment_new(depth_format, SAMPLES,
				    VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT, &test.depth_view);
	test.resolved = vk_picture_new(color_format, SIDE, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
				       &test.resolved_view);
	/* The buffer has twice the vertices: a larger stride reads the zeros behind them. */
	test.vertices = vk_buffer_new(2 * sizeof(vertices), VK_BUFFER_USAGE_VERTEX_BUFFER_BIT);
	memcpy(test.vertices.map, vertices, sizeof(vertices));
	memset((char *)test.vertices.map + sizeof(vertices), 0, sizeof(vertices));
	test.indices = vk_buffer_new(sizeof(indices), VK_BUFFER_USAGE_INDEX_BUFFER_BIT);
	memcpy(test.indices.map, indices, sizeof(indices));
	test.readback = vk_buffer_new(PICTURE, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
}

static void drop_things(void)
{
	vkDestroyImageView(vk.device, test.color_view, NULL);
	vkDestroyImageView(vk.device, test.depth_view, NULL);
	vkDestroyImageView(vk.device, test.resolved_view, NULL);
	vk_image_del(&test.color);
	vk_image_del(&test.depth);
	vk_image_del(&test.resolved);
	vk_buffer_del(&test.vertices);
	vk_buffer_del(&test.indices);
	vk_buffer_del(&test.readback);
	vkDestroyShaderModule(vk.device, test.vertex, NULL);
	vkDestroyShaderModule(vk.device, test.fragment, NULL);
	vkDestroyPipelineLayout(vk.device, test.layout, NULL);
}

/* Each begins as VkBaseOutStructure does. */
static VkPhysicalDeviceDynamicRenderingFeatures rendering = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_FEATURES,
};
static VkPhysicalDeviceDepthClipEnableFeaturesEXT clip_enable = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEPTH_CLIP_ENABLE_FEATURES_EXT,
	.pNext = &rendering,
};
static VkPhysicalDeviceDepthClipControlFeaturesEXT clip_control = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEPTH_CLIP_CONTROL_FEATURES_EXT,
	.pNext = &clip_enable,
};
static VkPhysicalDeviceLineRasterizationFeaturesEXT line_rasterization = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_LINE_RASTERIZATION_FEATURES_EXT,
	.pNext = &clip_control,
};
static VkPhysicalDeviceProvokingVertexFeaturesEXT provoking_vertex = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROVOKING_VERTEX_FEATURES_EXT,
	.pNext = &line_rasterization,
};
static VkPhysicalDeviceColorWriteEnableFeaturesEXT color_write = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COLOR_WRITE_ENABLE_FEATURES_EXT,
	.pNext = &provoking_vertex,
};
static VkPhysicalDevicePrimitiveTopologyListRestartFeaturesEXT list_restart = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRIMITIVE_TOPOLOGY_LIST_RESTART_FEATURES_EXT,
	.pNext = &color_write,
};
static VkPhysicalDeviceVertexInputDynamicStateFeaturesEXT vertex_input = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VERTEX_INPUT_DYNAMIC_STATE_FEATURES_EXT,
	.pNext = &list_restart,
};

int main(void)
{
	static const char *const extensions[] = {
		VK_KHR_CREATE_RENDERPASS_2_EXTENSION_NAME,
		VK_KHR_DEPTH_STENCIL_RESOLVE_EXTENSION_NAME,
		VK_KHR_DYNAMIC_RENDERING_EXTENSION_NAME,
		VK_EXT_DEPTH_CLIP_ENABLE_EXTENSION_NAME,
		VK_EXT_EXTENDED_DYNAMIC_STATE_3_EXTENSION_NAME,
		VK_EXT_DEPTH_CLIP_CONTROL_EXTENSION_NAME,
		VK_EXT_LINE_RASTERIZATION_EXTENSION_NAME,
		VK_EXT_PROVOKING_VERTEX_EXTENSION_NAME,
		VK_EXT_COLOR_WRITE_ENABLE_EXTENSION_NAME,
		VK_EXT_PRIMITIVE_TOPOLOGY_LIST_RESTART_EXTENSION_NAME,
		VK_EXT_VERTEX_INPUT_DYNAMIC_STATE_EXTENSION_NAME,
	};

	vk.features = &vertex_input;
	vk_open_with(NULL, 0, extensions, sizeof(extensions) / sizeof(extensions[0]));
	make_things();
	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++)
		test_state(&states[i]);
	test_fixed();
	test_properties();
	test_provoking_vertices();
	drop_things();
	vk_close();
	return tap_failures() != 0;
}
