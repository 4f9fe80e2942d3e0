// SPDX-License-Identifier: MIT
/*
 * Vulkan: shaders without pipelines (VK_EXT_shader_object). For each look the test draws with a
 * pipeline, and with its shaders as objects that are created and bound in many ways and with
 * dynamic state: all pictures must be the same. Corrupted shader binaries must be refused. Prints
 * TAP.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/sha1.h"
#include "vk-looks.h"

#include "vk-looks-comp-shaders.h"

#define STAGES 5
#define WORDS 8

/* Stages in the order of a pipeline. */
static const VkShaderStageFlagBits all_stages[STAGES] = {
	VK_SHADER_STAGE_VERTEX_BIT,
	VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT,
	VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT,
	VK_SHADER_STAGE_GEOMETRY_BIT,
	VK_SHADER_STAGE_FRAGMENT_BIT,
};

/* A way to create and bind shader objects. */
struct way {
	const char *name;
	bool linked, binary;
	bool some_sets;		/* each has the set layouts that it needs, and those before them */
	bool after_pipeline;	/* a pipeline is bound first */
	bool one_by_one;	/* each bound by a call of its own, the last stage first */
	bool again;		/* bound again, after no shaders were bound */
	bool secondary;		/* in a secondary command buffer */
};

static const struct way ways[] = {
	{ .name = "shaders" },
	{ .name = "shaders that are linked", .linked = true },
	{ .name = "binaries", .binary = true },
	{ .name = "binaries of shaders that are linked", .linked = true, .binary = true },
	{ .name = "shaders that know some sets each", .some_sets = true },
	{ .name = "binaries that know some sets each", .some_sets = true, .binary = true },
	{ .name = "shaders behind a pipeline", .after_pipeline = true },
	{ .name = "shaders that are bound one by one", .one_by_one = true },
	{ .name = "shaders that are bound again", .again = true },
	{ .name = "shaders of a secondary command buffer", .secondary = true },
};
#define WAYS (sizeof(ways) / sizeof(ways[0]))

static struct {
	PFN_vkCreateShadersEXT create;
	PFN_vkDestroyShaderEXT destroy;
	PFN_vkGetShaderBinaryDataEXT get_binary;
	PFN_vkCmdBindShadersEXT bind;
} ext;

/* Shader objects of all stages of a pipeline. */
struct shaders {
	VkShaderEXT handles[STAGES];
	VkShaderStageFlagBits stages[STAGES];
	uint32_t count;
};

static uint8_t expected[LOOKS][PICTURE];

/* Shader objects have no state for sample shading. */
static struct look look_of(uint32_t i)
{
	struct look look = looks[i];

	look.shading = false;
	return look;
}

/* Shaders */

static uint32_t sets_of(const struct way *way, const struct look *look, VkShaderStageFlagBits stage)
{
	if (!way->some_sets || stage == VK_SHADER_STAGE_FRAGMENT_BIT)
		return 2;
	return stage == VK_SHADER_STAGE_VERTEX_BIT ? 1 + look->kinds : 0;
}

/* Returns the create info of the @i-th stage of a pipeline as a shader object. */
static VkShaderCreateInfoEXT info_of(const struct way *way, const struct look *look,
				     const struct looks_making *m, uint32_t i,
				     const VkDescriptorSetLayout *sets)
{
	const VkPipelineShaderStageCreateInfo *stage = &m->p.stages[i];

	return (VkShaderCreateInfoEXT){
		.sType = VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT,
		.flags = way->linked ? VK_SHADER_CREATE_LINK_STAGE_BIT_EXT : 0,
		.stage = stage->stage,
		.nextStage = i + 1 < m->p.info.stageCount ? stage[1].stage : 0,
		.codeType = VK_SHADER_CODE_TYPE_SPIRV_EXT,
		.codeSize = m->codes[i].codeSize,
		.pCode = m->codes[i].pCode,
		.pName = "main",
		.setLayoutCount = sets_of(way, look, stage->stage),
		.pSetLayouts = sets,
	};
}

/* Returns the binary of @shader. The caller frees it. */
static void *binary_of(VkShaderEXT shader, size_t *size)
{
	void *data;

	VK_CHECK(ext.get_binary(vk.device, shader, size, NULL));
	data = aligned_alloc(16, (*size + 15) & ~15ul);
	if (!data)
		errx(1, "no memory");
	VK_CHECK(ext.get_binary(vk.device, shader, size, data));
	return data;
}

/* Replaces the shaders by shaders made from their binaries. */
static void become_binaries(struct shaders *s, VkShaderCreateInfoEXT *infos)
{
	void *binaries[STAGES];

	for (uint32_t i = 0; i < s->count; i++) {
		binaries[i] = binary_of(s->handles[i], &infos[i].codeSize);
		infos[i].codeType = VK_SHADER_CODE_TYPE_BINARY_EXT;
		infos[i].pCode = binaries[i];
		ext.destroy(vk.device, s->handles[i], NULL);
	}
	VK_CHECK(ext.create(vk.device, s->count, infos, NULL, s->handles));
	for (uint32_t i = 0; i < s->count; i++)
		free(binaries[i]);
}

static struct shaders make_shaders(const struct way *way, const struct look *look,
				   const struct looks_making *m)
{
	const VkDescriptorSetLayout sets[] = { things.sets[0].layout, things.sets[1].layout };
	VkShaderCreateInfoEXT infos[STAGES];
	struct shaders s = { .count = m->p.info.stageCount };

	for (uint32_t i = 0; i < s.count; i++) {
		infos[i] = info_of(way, look, m, i, sets);
		s.stages[i] = infos[i].stage;
	}
	VK_CHECK(ext.create(vk.device, s.count, infos, NULL, s.handles));
	if (way->binary)
		become_binaries(&s, infos);
	return s;
}

static void drop_shaders(const struct shaders *s)
{
	for (uint32_t i = 0; i < s->count; i++)
		ext.destroy(vk.device, s->handles[i], NULL);
}

static void bind_none(VkCommandBuffer cmd)
{
	ext.bind(cmd, STAGES, all_stages, NULL);
}

static void bind_shaders(VkCommandBuffer cmd, const struct way *way, const struct shaders *s)
{
	bind_none(cmd);
	if (!way->one_by_one) {
		ext.bind(cmd, s->count, s->stages, s->handles);
		return;
	}
	for (uint32_t i = s->count; i-- > 0;)
		ext.bind(cmd, 1, &s->stages[i], &s->handles[i]);
}

/* States */

static void set_vertices(VkCommandBuffer cmd, const struct looks_making *m)
{
	const VkVertexInputBindingDescription2EXT binding = {
		VK_STRUCTURE_TYPE_VERTEX_INPUT_BINDING_DESCRIPTION_2_EXT,
		NULL,
		m->binding.binding,
		m->binding.stride,
		m->binding.inputRate,
		1,
	};
	const VkVertexInputAttributeDescription2EXT attribute = {
		VK_STRUCTURE_TYPE_VERTEX_INPUT_ATTRIBUTE_DESCRIPTION_2_EXT,
		NULL,
		m->attribute.location,
		m->attribute.binding,
		m->attribute.format,
		m->attribute.offset,
	};

	VK_FUNCTION(vkCmdSetVertexInputEXT)(cmd, 1, &binding, 1, &attribute);
	VK_FUNCTION(vkCmdSetPrimitiveTopologyEXT)(cmd, m->p.assembly.topology);
	VK_FUNCTION(vkCmdSetPrimitiveRestartEnableEXT)(cmd, m->p.assembly.primitiveRestartEnable);
	if (m->p.info.pTessellationState) {
		VK_FUNCTION(vkCmdSetPatchControlPointsEXT)
		(cmd, m->p.tessellation.patchControlPoints);
		VK_FUNCTION(vkCmdSetTessellationDomainOriginEXT)
		(cmd, VK_TESSELLATION_DOMAIN_ORIGIN_UPPER_LEFT);
	}
}

static void set_rasters(VkCommandBuffer cmd, const struct looks_making *m)
{
	const VkSampleMask mask = ~0u;

	VK_FUNCTION(vkCmdSetViewportWithCountEXT)(cmd, 1, &m->p.viewport);
	VK_FUNCTION(vkCmdSetScissorWithCountEXT)(cmd, 1, &m->p.scissor);
	VK_FUNCTION(vkCmdSetRasterizerDiscardEnableEXT)(cmd, m->p.raster.rasterizerDiscardEnable);
	VK_FUNCTION(vkCmdSetPolygonModeEXT)(cmd, m->p.raster.polygonMode);
	VK_FUNCTION(vkCmdSetCullModeEXT)(cmd, m->p.raster.cullMode);
	VK_FUNCTION(vkCmdSetFrontFaceEXT)(cmd, m->p.raster.frontFace);
	VK_FUNCTION(vkCmdSetDepthBiasEnableEXT)(cmd, m->p.raster.depthBiasEnable);
	VK_FUNCTION(vkCmdSetDepthClampEnableEXT)(cmd, m->p.raster.depthClampEnable);
	VK_FUNCTION(vkCmdSetRasterizationSamplesEXT)(cmd, m->p.samples.rasterizationSamples);
	VK_FUNCTION(vkCmdSetSampleMaskEXT)(cmd, m->p.samples.rasterizationSamples, &mask);
	VK_FUNCTION(vkCmdSetAlphaToCoverageEnableEXT)(cmd, m->p.samples.alphaToCoverageEnable);
	VK_FUNCTION(vkCmdSetAlphaToOneEnableEXT)(cmd, m->p.samples.alphaToOneEnable);
	VK_FUNCTION(vkCmdSetDepthTestEnableEXT)(cmd, m->p.depth.depthTestEnable);
	VK_FUNCTION(vkCmdSetDepthWriteEnableEXT)(cmd, m->p.depth.depthWriteEnable);
	VK_FUNCTION(vkCmdSetDepthCompareOpEXT)(cmd, m->p.depth.depthCompareOp);
	VK_FUNCTION(vkCmdSetDepthBoundsTestEnableEXT)(cmd, m->p.depth.depthBoundsTestEnable);
	VK_FUNCTION(vkCmdSetStencilTestEnableEXT)(cmd, m->p.depth.stencilTestEnable);
}

static void set_blends(VkCommandBuffer cmd, const struct looks_making *m)
{
	VK_FUNCTION(vkCmdSetLogicOpEnableEXT)(cmd, m->p.blend.logicOpEnable);
	vkCmdSetBlendConstants(cmd, m->p.blend.blendConstants);
	for (uint32_t i = 0; i < ATTACHMENTS; i++) {
		const VkPipelineColorBlendAttachmentState *b = &m->p.blends[i];
		const VkColorBlendEquationEXT equation = {
			b->srcColorBlendFactor, b->dstColorBlendFactor, b->colorBlendOp,
			b->srcAlphaBlendFactor, b->dstAlphaBlendFactor, b->alphaBlendOp,
		};

		VK_FUNCTION(vkCmdSetColorBlendEnableEXT)(cmd, i, 1, &b->blendEnable);
		VK_FUNCTION(vkCmdSetColorBlendEquationEXT)(cmd, i, 1, &equation);
		VK_FUNCTION(vkCmdSetColorWriteMaskEXT)(cmd, i, 1, &b->colorWriteMask);
	}
}

static void set_states(VkCommandBuffer cmd, const struct looks_making *m)
{
	set_vertices(cmd, m);
	set_rasters(cmd, m);
	set_blends(cmd, m);
}

/* Pictures */

static VkPipeline pipeline_new(const struct look *look)
{
	struct looks_making m = { 0 };
	VkPipeline pipeline;

	looks_fill(&m, look, false);
	VK_CHECK(vkCreateGraphicsPipelines(vk.device, VK_NULL_HANDLE, 1, &m.p.info, NULL,
					   &pipeline));
	looks_drop(&m);
	return pipeline;
}

static void draw_pipeline(const struct look *look, void *out)
{
	const VkPipeline pipeline = pipeline_new(look);
	VkCommandBuffer cmd = vk_begin();

	looks_begin(cmd, look);
	vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
	looks_draw(cmd, look);
	looks_end(cmd, out);
	vkDestroyPipeline(vk.device, pipeline, NULL);
}

static void test_pipelines(void)
{
	for (uint32_t i = 0; i < LOOKS; i++) {
		const struct look look = look_of(i);

		draw_pipeline(&look, expected[i]);
		if (i && !looks[i].shading)
			tap(memcmp(expected[i], expected[0], PICTURE),
			    "a pipeline %s is not a plain one", look.name);
	}
}

static void bind_and_draw(VkCommandBuffer cmd, const struct way *way, const struct look *look,
			  const struct looks_making *m, const struct shaders *s)
{
	bind_shaders(cmd, way, s);
	set_states(cmd, m);
	looks_draw(cmd, look);
}

/* Begins a secondary command buffer that inherits the rendering info of the pipeline in @m. */
static VkCommandBuffer begin_secondary(const struct looks_making *m)
{
	const VkCommandBufferInheritanceRenderingInfo rendering = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_RENDERING_INFO,
		.pNext = m->rendering.pNext,
		.flags = things.flags,
		.viewMask = m->rendering.viewMask,
		.colorAttachmentCount = m->rendering.colorAttachmentCount,
		.pColorAttachmentFormats = m->rendering.pColorAttachmentFormats,
		.depthAttachmentFormat = m->rendering.depthAttachmentFormat,
		.rasterizationSamples = m->p.samples.rasterizationSamples,
	};
	const VkCommandBufferInheritanceInfo inherited = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO, .pNext = &rendering,
	};

	return vk_begin_secondary(VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT, &inherited);
}

/* The primary command buffer sets the attachment locations. */
static void draw_secondary(const struct way *way, const struct look *look,
			   const struct looks_making *m, const struct shaders *s, void *out)
{
	VkCommandBuffer cmd = vk_begin(), secondary;

	things.flags = VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT |
		       (look->swap ? VK_RENDERING_CONTENTS_INLINE_BIT_EXT : 0);
	looks_begin(cmd, look);
	secondary = begin_secondary(m);
	bind_and_draw(secondary, way, look, m, s);
	VK_CHECK(vkEndCommandBuffer(secondary));
	vkCmdExecuteCommands(cmd, 1, &secondary);
	looks_end(cmd, out);
	vkFreeCommandBuffers(vk.device, vk.pool, 1, &secondary);
	things.flags = 0;
}

static void draw_primary(const struct way *way, const struct look *look,
			 const struct looks_making *m, const struct shaders *s, void *out)
{
	const VkPipeline pipeline = way->after_pipeline ? pipeline_new(&looks[1]) : VK_NULL_HANDLE;
	VkCommandBuffer cmd = vk_begin();

	if (pipeline)
		vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
	if (way->again) {
		bind_shaders(cmd, way, s);
		bind_none(cmd);
	}
	looks_begin(cmd, look);
	bind_and_draw(cmd, way, look, m, s);
	looks_end(cmd, out);
	vkDestroyPipeline(vk.device, pipeline, NULL);
}

static void draw_shaders(const struct way *way, const struct look *look, void *out)
{
	struct looks_making m = { 0 };
	struct shaders s;

	looks_fill(&m, look, true);
	s = make_shaders(way, look, &m);
	if (way->secondary)
		draw_secondary(way, look, &m, &s, out);
	else
		draw_primary(way, look, &m, &s, out);
	drop_shaders(&s);
}

static void test_way(const struct way *way)
{
	static uint8_t picture[PICTURE];
	bool ok = true;

	for (uint32_t i = 0; i < LOOKS; i++) {
		const struct look look = look_of(i);

		draw_shaders(way, &look, picture);
		if (looks_same(picture, expected[i]))
			continue;
		printf("# %s\n", look.name);
		ok = false;
	}
	tap(ok, "%s draw what pipelines do", way->name);
}

/*
 * The same shaders stay bound for several renderings: with views, with other attachment locations,
 * plain.
 */
static void test_changes(void)
{
	static const uint32_t order[] = {
		3, 4, 0, 3, 0, 4
	}; /* with views, with outputs in other places, plain */
	static uint8_t picture[PICTURE];
	bool ok = true;

	for (uint32_t last = 2; last < sizeof(order) / sizeof(order[0]); last++) {
		struct looks_making m = { 0 };
		VkCommandBuffer cmd = vk_begin();
		struct shaders s;

		looks_fill(&m, &looks[0], true);
		s = make_shaders(&ways[0], &looks[0], &m);
		bind_shaders(cmd, &ways[0], &s);
		set_states(cmd, &m);
		for (uint32_t i = 0; i <= last; i++) {
			if (i)
				VK_FUNCTION(vkCmdEndRenderingKHR)(cmd);
			vk_barrier(cmd);
			looks_begin(cmd, &looks[order[i]]);
			looks_draw(cmd, &looks[order[i]]);
		}
		looks_end(cmd, picture);
		drop_shaders(&s);
		ok &= looks_same(picture, expected[order[last]]);
	}
	tap(ok, "shaders stay bound while what is drawn to changes");
}

/* Depth clipping is the default: depths behind the far plane are clipped. */
static void test_clipping(void)
{
	static uint8_t near[PICTURE], far[PICTURE], picture[PICTURE];
	float *z = (float *)things.place.map + 2;

	draw_pipeline(&looks[0], near);
	*z += 1.5f;
	draw_pipeline(&looks[0], far);
	draw_shaders(&ways[0], &looks[0], picture);
	*z -= 1.5f;
	tap(memcmp(near, far, PICTURE) && looks_same(picture, far),
	    "shaders draw nothing that is too far away");
}

/* A pipeline without a color blend state, all of which is set by commands. */
static void test_no_blends(void)
{
	static const VkDynamicState states[] = {
		VK_DYNAMIC_STATE_LOGIC_OP_ENABLE_EXT,	 VK_DYNAMIC_STATE_LOGIC_OP_EXT,
		VK_DYNAMIC_STATE_COLOR_BLEND_ENABLE_EXT, VK_DYNAMIC_STATE_COLOR_BLEND_EQUATION_EXT,
		VK_DYNAMIC_STATE_COLOR_WRITE_MASK_EXT,	 VK_DYNAMIC_STATE_BLEND_CONSTANTS,
	};
	static uint8_t picture[PICTURE];
	struct looks_making m = { 0 };
	VkCommandBuffer cmd = vk_begin();
	VkPipeline pipeline;

	looks_fill(&m, &looks[1], false);
	vk_pipeline_dynamic(&m.p, states, sizeof(states) / sizeof(states[0]));
	m.p.info.pColorBlendState = NULL;
	VK_CHECK(vkCreateGraphicsPipelines(vk.device, VK_NULL_HANDLE, 1, &m.p.info, NULL,
					   &pipeline));
	looks_begin(cmd, &looks[1]);
	vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
	set_blends(cmd, &m);
	looks_draw(cmd, &looks[1]);
	looks_end(cmd, picture);
	looks_drop(&m);
	vkDestroyPipeline(vk.device, pipeline, NULL);
	tap(looks_same(picture, expected[1]),
	    "a pipeline that is told nothing of colors draws as they are set");
}

/* Alternates between a pipeline and shader objects in one command buffer. */
static void test_turns(void)
{
	static uint8_t picture[PICTURE];
	const VkPipeline pipeline = pipeline_new(&looks[1]);
	bool ok = true;

	for (uint32_t last = 0; last < 2; last++) {
		struct looks_making m = { 0 };
		VkCommandBuffer cmd = vk_begin();
		struct shaders s;

		looks_fill(&m, &looks[2], true);
		s = make_shaders(&ways[0], &looks[2], &m);
		for (uint32_t i = 0; i < 3 + last; i++) {
			const bool objects = i % 2;

			if (i)
				VK_FUNCTION(vkCmdEndRenderingKHR)(cmd);
			vk_barrier(cmd);
			looks_begin(cmd, &looks[1 + objects]);
			if (objects)
				bind_shaders(cmd, &ways[0], &s);
			else
				vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
			if (objects)
				set_states(cmd, &m);
			looks_draw(cmd, &looks[1 + objects]);
		}
		looks_end(cmd, picture);
		drop_shaders(&s);
		ok &= looks_same(picture, expected[1 + last]);
	}
	vkDestroyPipeline(vk.device, pipeline, NULL);
	tap(ok, "pipelines and shaders draw in turns");
}

/* Dispatches */

static struct {
	struct vk_set set;
	VkPipelineLayout layout;
	struct vk_buffer words;
} compute;

static void make_compute(void)
{
	static const VkDescriptorSetLayoutBinding binding = {
		0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL,
	};

	compute.words = vk_buffer_new(WORDS * 4, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
	compute.set = vk_set_new(&binding, 1);
	compute.layout = vk_layout_new(&compute.set.layout, 1, VK_SHADER_STAGE_COMPUTE_BIT, 4);
	vk_write_buffer(compute.set.set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, &compute.words);
}

static void drop_compute(void)
{
	vkDestroyPipelineLayout(vk.device, compute.layout, NULL);
	vk_set_del(&compute.set);
	vk_buffer_del(&compute.words);
}

static const VkPushConstantRange pushed = { VK_SHADER_STAGE_COMPUTE_BIT, 0, 4 };

static VkShaderCreateInfoEXT compute_info(const VkSpecializationInfo *constants)
{
	return (VkShaderCreateInfoEXT){
		.sType = VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT,
		.stage = VK_SHADER_STAGE_COMPUTE_BIT,
		.codeType = VK_SHADER_CODE_TYPE_SPIRV_EXT,
		.codeSize = sizeof(looks_comp),
		.pCode = looks_comp,
		.pName = "main",
		.setLayoutCount = 1,
		.pSetLayouts = &compute.set.layout,
		.pushConstantRangeCount = 1,
		.pPushConstantRanges = &pushed,
		.pSpecializationInfo = constants,
	};
}

/* Returns a compute shader with @step as specialization constant. */
static VkShaderEXT compute_new(uint32_t step, bool binary)
{
	static const VkSpecializationMapEntry entry = { 3, 0, 4 };
	const VkSpecializationInfo constants = { 1, &entry, 4, &step };
	VkShaderCreateInfoEXT info = compute_info(&constants);
	struct shaders s = { .count = 1 };

	VK_CHECK(ext.create(vk.device, 1, &info, NULL, s.handles));
	if (binary)
		become_binaries(&s, &info);
	return s.handles[0];
}

static bool dispatch(VkShaderEXT shader, uint32_t first, uint32_t step)
{
	static const VkShaderStageFlagBits stage = VK_SHADER_STAGE_COMPUTE_BIT;
	const uint32_t *words = compute.words.map;
	VkCommandBuffer cmd = vk_begin();
	bool ok = true;

	ext.bind(cmd, 1, &stage, &shader);
	vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, compute.layout, 0, 1,
				&compute.set.set, 0, NULL);
	vkCmdPushConstants(cmd, compute.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 4, &first);
	vkCmdDispatch(cmd, 1, 1, 1);
	vk_barrier(cmd);
	vk_run(cmd);
	for (uint32_t i = 0; i < WORDS; i++)
		ok &= words[i] == first + step * i;
	return ok;
}

static void test_compute(void)
{
	const VkShaderEXT shader = compute_new(5, false), binary = compute_new(7, true);

	tap(dispatch(shader, 100, 5) && dispatch(binary, 200, 7) && dispatch(shader, 300, 5),
	    "shaders compute, of code and of a binary, with constants");
	ext.destroy(vk.device, shader, NULL);
	ext.destroy(vk.device, binary, NULL);
}

/* Invalid binaries */

/* Returns true if the binary is refused without a handle, or is accepted and @may_pass is set. */
static bool refused(const void *data, size_t size, VkShaderStageFlagBits stage, bool may_pass)
{
	VkShaderCreateInfoEXT info = compute_info(NULL);
	VkShaderEXT shader = (VkShaderEXT)(uintptr_t)0x1234;
	VkResult result;

	info.stage = stage;
	info.codeType = VK_SHADER_CODE_TYPE_BINARY_EXT;
	info.codeSize = size;
	info.pCode = data;
	result = ext.create(vk.device, 1, &info, NULL, &shader);
	if (result == VK_SUCCESS) {
		ext.destroy(vk.device, shader, NULL);
		return may_pass;
	}
	return !shader;
}

/* Passes an exact copy, in an allocation that ends where the data does. */
static bool refused_copy(const uint8_t *data, size_t size, bool may_pass)
{
	void *copy = aligned_alloc(16, (size + 16) & ~15ul);
	bool ok;

	if (!copy)
		errx(1, "no memory");
	memcpy(copy, data, size);
	ok = refused(copy, size, VK_SHADER_STAGE_COMPUTE_BIT, may_pass);
	free(copy);
	return ok;
}

static void test_incomplete(const uint8_t *data, size_t size, VkShaderEXT shader)
{
	size_t less = size - 1;
	uint8_t *out = malloc(size);
	VkResult result;

	if (!out)
		errx(1, "no memory");
	memset(out, 0x5a, size);
	result = ext.get_binary(vk.device, shader, &less, out);
	tap(result == VK_INCOMPLETE && out[0] == 0x5a,
	    "a binary does not fit where there is less room");
	less = size;
	result = ext.get_binary(vk.device, shader, &less, out);
	tap(result == VK_SUCCESS && less == size && !memcmp(out, data, size),
	    "a binary is the same each time");
	free(out);
}

static void test_cut(const uint8_t *data, size_t size)
{
	bool ok = true;

	for (size_t i = 0; i < size; i += i < 128 ? 1 : 37)
		ok &= refused_copy(data, i, false);
	tap(ok, "binaries that are cut are none");
}

static void test_flipped(uint8_t *data, size_t size)
{
	bool ok = true;

	for (size_t i = 0; i < size; i += i < 128 ? 1 : 13) {
		const uint8_t was = data[i];

		data[i] ^= 1 << i % 8;
		if (!refused_copy(data, size, false)) {
			printf("# byte %zu does not matter\n", i);
			ok = false;
		}
		data[i] = was;
	}
	tap(ok, "binaries with a bit that is another one are none");
}

/* The header of Mesa's binaries: SHA-1 of the whole binary, with zeros in place of the sum. */
#define HEADER 72
#define SUM 48

static void sum_up(uint8_t *data, size_t size)
{
	uint8_t sum[SHA1_SIZE];

	memset(data + SUM, 0, SHA1_SIZE);
	sha1(data, size, sum);
	memcpy(data + SUM, sum, SHA1_SIZE);
}

static uint32_t random_state = 1;

static uint32_t random_below(uint32_t n)
{
	random_state = random_state * 1664525 + 1013904223;
	return (random_state >> 8) % n;
}

/*
 * The binaries have a correct sum but random contents. The result may be a shader that the renderer
 * refuses, or an error; the device and the process must survive.
 */
static void test_forged(const uint8_t *data, size_t size)
{
	uint8_t *forged = malloc(size);
	bool ok = true;

	if (!forged)
		errx(1, "no memory");
	memcpy(forged, data, size);
	sum_up(forged, size);
	tap(!memcmp(forged, data, size), "the sum of a binary is known");
	for (uint32_t i = 0; i < 3000; i++) {
		const uint32_t changes = 1 + random_below(4);
		uint32_t word;

		memcpy(forged, data, size);
		for (uint32_t j = 0; j < changes; j++) {
			const size_t at = HEADER + random_below((size - HEADER) / 4) * 4;

			memcpy(&word, forged + at, 4);
			word = random_below(2) ? word ^ 1u << random_below(32)
					       : random_below(300) << 16 * random_below(2);
			memcpy(forged + at, &word, 4);
		}
		sum_up(forged, size);
		ok &= refused_copy(forged, size, true);
	}
	tap(ok, "binaries with anything in them do no harm");
	for (uint32_t stage = 0; stage < 32; stage++) {
		const uint32_t bits = stage == 5 ? 0 : 1u << stage;

		memcpy(forged, data, size);
		memcpy(forged + HEADER, &bits, 4);
		sum_up(forged, size);
		ok &= refused_copy(forged, size, false);
	}
	tap(ok && refused(data, size, VK_SHADER_STAGE_VERTEX_BIT, false),
	    "binaries of other stages, or of none, are none");
	free(forged);
}

static void test_binaries(void)
{
	const VkShaderEXT shader = compute_new(3, false);
	size_t size;
	uint8_t *data = binary_of(shader, &size);

	test_incomplete(data, size, shader);
	test_cut(data, size);
	test_flipped(data, size);
	if (!strncmp((const char *)data, "MesaVkShaderBin", 15))
		test_forged(data, size);
	free(data);
	ext.destroy(vk.device, shader, NULL);
}

int main(void)
{
	static const char *const extensions[] = {
		VK_EXT_SHADER_OBJECT_EXTENSION_NAME,
		VK_EXT_VERTEX_INPUT_DYNAMIC_STATE_EXTENSION_NAME,
		VK_EXT_NESTED_COMMAND_BUFFER_EXTENSION_NAME,
	};
	static VkPhysicalDeviceNestedCommandBufferFeaturesEXT nested = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_NESTED_COMMAND_BUFFER_FEATURES_EXT,
	};
	static VkPhysicalDeviceShaderObjectFeaturesEXT objects = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_OBJECT_FEATURES_EXT,
		.pNext = &nested,
	};

	looks_open(&objects, extensions, 3);
	tap(objects.shaderObject, "there are shader objects");
	ext.create = VK_FUNCTION(vkCreateShadersEXT);
	ext.destroy = VK_FUNCTION(vkDestroyShaderEXT);
	ext.get_binary = VK_FUNCTION(vkGetShaderBinaryDataEXT);
	ext.bind = VK_FUNCTION(vkCmdBindShadersEXT);
	make_compute();
	test_pipelines();
	for (uint32_t i = 0; i < WAYS; i++)
		test_way(&ways[i]);
	test_changes();
	test_turns();
	test_clipping();
	test_no_blends();
	test_compute();
	test_binaries();
	drop_compute();
	looks_close();
	return tap_failures() != 0;
}
