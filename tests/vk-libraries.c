// SPDX-License-Identifier: MIT
/*
 * Vulkan: pipelines that are linked from libraries (VK_EXT_graphics_pipeline_library). Of each kind of pipeline there is
 * a whole one, and it is linked in many ways: all of them draw the same picture, and another one than a plain pipeline.
 * Lavapipe's pipelines look into libraries that are gone, so that it is spared these. Prints TAP.
 */
#include <stdio.h>
#include <string.h>

#include "vk-pipeline.h"

#include "vk-libraries-shaders.h"

#define SIDE 16
#define LAYERS 2
#define ATTACHMENTS 2
#define SAMPLES VK_SAMPLE_COUNT_4_BIT
#define PICTURE (SIDE * SIDE * 4 * LAYERS * ATTACHMENTS)

#define VERTICES VK_GRAPHICS_PIPELINE_LIBRARY_VERTEX_INPUT_INTERFACE_BIT_EXT
#define BEFORE VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT
#define FRAGMENTS VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT
#define OUTPUT VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_OUTPUT_INTERFACE_BIT_EXT
#define FOUR { VERTICES, BEFORE, FRAGMENTS, OUTPUT }
#define ALL (VERTICES | BEFORE | FRAGMENTS | OUTPUT)

static const VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;
static const VkImageLayout general = VK_IMAGE_LAYOUT_GENERAL;

/* What a pipeline is like, beside a plain one. */
struct look {
	const char *name;
	bool blend, mask, views, swap, shading, kinds, dynamic, depth;
};

static const struct look looks[] = {
	{ .name = "plain" },
	{ .name = "with blending", .blend = true },
	{ .name = "with a write mask and a scissor", .mask = true },
	{ .name = "with views", .views = true },
	{ .name = "with outputs in other places", .swap = true },
	{ .name = "that shades samples", .shading = true },
	{ .name = "with several kinds of textures at a binding", .kinds = true },
	{ .name = "with states that commands set", .dynamic = true },
	{ .name = "with a depth test", .depth = true },
	{ .name = "with all of that", .blend = true, .mask = true, .views = true, .swap = true, .shading = true,
	  .kinds = true, .dynamic = true, .depth = true },
};
#define LOOKS (sizeof(looks) / sizeof(looks[0]))

enum layouts { ONE, PARTIAL, OTHERS };

/* How one is put together: of groups of parts, what is left comes with the last step. */
struct way {
	const char *name;
	VkGraphicsPipelineLibraryFlagsEXT groups[4];	/* up to 0 */
	enum layouts layouts;
	bool nested;		/* the first two groups are a library themselves */
	bool code;		/* without modules */
	bool optimized;
	bool twice;		/* another pipeline was linked before, and is gone */
	bool gone;		/* they are gone before it draws */
};

static const struct way ways[] = {
	{ .name = "four libraries", .groups = FOUR },
	{ .name = "libraries of layouts that know some sets each", .groups = FOUR, .layouts = PARTIAL },
	{ .name = "libraries of layouts that are alike", .groups = FOUR, .layouts = OTHERS },
	{ .name = "a library of two, and others", .groups = FOUR, .nested = true },
	{ .name = "libraries of layouts that know some sets, two of which are one",
	  .groups = { BEFORE, FRAGMENTS, VERTICES, OUTPUT }, .layouts = PARTIAL, .nested = true },
	{ .name = "a library of all shaders, optimized", .groups = { VERTICES, BEFORE | FRAGMENTS, OUTPUT },
	  .optimized = true },
	{ .name = "a library of shaders, and what is left", .groups = { BEFORE | FRAGMENTS } },
	{ .name = "libraries of ends, and shaders that are not", .groups = { VERTICES, OUTPUT } },
	{ .name = "a library that has all", .groups = { ALL } },
	{ .name = "code without modules", .groups = FOUR, .code = true },
	{ .name = "libraries that were linked before", .groups = FOUR, .layouts = PARTIAL, .twice = true },
	{ .name = "libraries that are gone", .groups = FOUR, .nested = true, .gone = true },
	{ .name = "libraries of layouts that know some sets, which are gone", .groups = FOUR, .layouts = PARTIAL,
	  .nested = true, .gone = true },
};
#define WAYS (sizeof(ways) / sizeof(ways[0]))

static struct {
	VkSampler sampler;
	struct vk_image textures[2], colors[ATTACHMENTS], samples[ATTACHMENTS], depth, depth_samples;
	VkImageView texture_views[2], color_views[ATTACHMENTS], sample_views[ATTACHMENTS], depth_view, depth_sample_view;
	struct vk_buffer corners, place, paint, readback;
	struct vk_set sets[2];
	VkDescriptorSetLayout alike[2];
	VkPipelineLayout layout, before, fragments, whole, other;
} test;

/* Things */

static struct vk_image layers_new(VkFormat of, VkSampleCountFlagBits samples, VkImageUsageFlags usage, VkImageView *view)
{
	const VkImageCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO, .imageType = VK_IMAGE_TYPE_2D, .format = of,
		.extent = { SIDE, SIDE, 1 }, .mipLevels = 1, .arrayLayers = LAYERS, .samples = samples, .usage = usage,
	};
	const struct vk_image image = vk_image_new(&info);

	*view = vk_view_new(&image, VK_IMAGE_VIEW_TYPE_2D_ARRAY, of, vk_image_all(&image));
	return image;
}

static void make_attachments(void)
{
	const VkImageUsageFlags color = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, copied = VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
	const VkImageUsageFlags depth = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;

	for (int i = 0; i < ATTACHMENTS; i++) {
		test.colors[i] = layers_new(format, 1, color | copied, &test.color_views[i]);
		test.samples[i] = layers_new(format, SAMPLES, color, &test.sample_views[i]);
	}
	test.depth = layers_new(VK_FORMAT_D32_SFLOAT, 1, depth, &test.depth_view);
	test.depth_samples = layers_new(VK_FORMAT_D32_SFLOAT, SAMPLES, depth, &test.depth_sample_view);
}

static void make_texture(uint32_t i, VkFormat of, VkImageType type, VkImageViewType view, VkClearColorValue color)
{
	const VkImageCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO, .imageType = type, .format = of,
		.extent = { 4, 4, type == VK_IMAGE_TYPE_3D ? 4 : 1 }, .mipLevels = 1, .arrayLayers = 1, .samples = 1,
		.usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
	};

	test.textures[i] = vk_image_new(&info);
	vk_image_fill(&test.textures[i], &color);
	test.texture_views[i] = vk_view_new(&test.textures[i], view, of, vk_image_all(&test.textures[i]));
}

static struct vk_buffer floats_new(VkBufferUsageFlags usage, const float *values, uint32_t count)
{
	struct vk_buffer buffer = vk_buffer_new(count * sizeof(*values), usage);

	memcpy(buffer.map, values, count * sizeof(*values));
	return buffer;
}

static void make_sets(void)
{
	static const VkDescriptorSetLayoutBinding bindings[] = {
		{ 0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1, VK_SHADER_STAGE_ALL_GRAPHICS, NULL },
		{ 1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 2, VK_SHADER_STAGE_ALL_GRAPHICS, NULL },
	};

	for (int i = 0; i < 2; i++) {
		test.sets[i] = vk_set_new(bindings, 2 - i);
		test.alike[i] = vk_set_layout_new(bindings, 2 - i);
	}
	vk_write_buffer(test.sets[0].set, 0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, &test.place);
	vk_write_buffer(test.sets[1].set, 0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, &test.paint);
	for (uint32_t i = 0; i < 2; i++)
		vk_write_image(test.sets[0].set, 1, i, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, test.sampler,
			       test.texture_views[i]);
}

static VkPipelineLayout layout_new(VkDescriptorSetLayout first, VkDescriptorSetLayout second, bool partial)
{
	const VkDescriptorSetLayout sets[] = { first, second };
	const VkPipelineLayoutCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = 2, .pSetLayouts = sets,
		.flags = partial ? VK_PIPELINE_LAYOUT_CREATE_INDEPENDENT_SETS_BIT_EXT : 0,
	};
	VkPipelineLayout layout;

	VK_CHECK(vkCreatePipelineLayout(vk.device, &info, NULL, &layout));
	return layout;
}

static void make_layouts(void)
{
	const VkDescriptorSetLayout a = test.sets[0].layout, b = test.sets[1].layout;

	test.layout = layout_new(a, b, false);
	test.before = layout_new(a, VK_NULL_HANDLE, true);
	test.fragments = layout_new(VK_NULL_HANDLE, b, true);
	test.whole = layout_new(a, b, true);
	test.other = layout_new(test.alike[0], test.alike[1], false);
}

static void make_things(void)
{
	static const float corners[] = { -0.9f, -0.8f, 0.9f, -0.7f, -0.3f, 0.9f }, place[] = { 0.05f, -0.1f, 0.5f, 0 };
	static const float paint[] = { 1, 0.7f, 0.9f, 0 };
	const VkClearColorValue number = { .uint32 = { 200 } }, value = { .float32 = { 0.6f } };

	test.sampler = vk_sampler_new((VkSamplerCreateInfo){ 0 });
	make_attachments();
	make_texture(0, VK_FORMAT_R32_UINT, VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D, number);
	make_texture(1, format, VK_IMAGE_TYPE_3D, VK_IMAGE_VIEW_TYPE_3D, value);
	test.corners = floats_new(VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, corners, 6);
	test.place = floats_new(VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT, place, 4);
	test.paint = floats_new(VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT, paint, 4);
	test.readback = vk_buffer_new(PICTURE, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
	make_sets();
	make_layouts();
}

static void drop_image(struct vk_image *image, VkImageView view)
{
	vkDestroyImageView(vk.device, view, NULL);
	vk_image_del(image);
}

static void drop_things(void)
{
	const VkPipelineLayout layouts[] = { test.layout, test.before, test.fragments, test.whole, test.other };

	for (int i = 0; i < 5; i++)
		vkDestroyPipelineLayout(vk.device, layouts[i], NULL);
	for (int i = 0; i < 2; i++) {
		vk_set_del(&test.sets[i]);
		vkDestroyDescriptorSetLayout(vk.device, test.alike[i], NULL);
		drop_image(&test.textures[i], test.texture_views[i]);
		drop_image(&test.colors[i], test.color_views[i]);
		drop_image(&test.samples[i], test.sample_views[i]);
	}
	drop_image(&test.depth, test.depth_view);
	drop_image(&test.depth_samples, test.depth_sample_view);
	vk_buffer_del(&test.corners);
	vk_buffer_del(&test.place);
	vk_buffer_del(&test.paint);
	vk_buffer_del(&test.readback);
	vkDestroySampler(vk.device, test.sampler, NULL);
}

/* Pipelines */

/* All that one, or a library, is made of. It points into itself. */
struct making {
	struct vk_pipeline p;
	VkVertexInputBindingDescription binding;
	VkVertexInputAttributeDescription attribute;
	VkFormat formats[ATTACHMENTS];
	uint32_t locations[ATTACHMENTS];
	VkRenderingAttachmentLocationInfoKHR places;
	VkPipelineRenderingCreateInfo rendering;
	VkShaderModuleCreateInfo modules[2];
	VkGraphicsPipelineLibraryCreateInfoEXT parts;
	VkPipelineLibraryCreateInfoKHR libraries;
};

static const VkDynamicState dynamic_states[] = {
	VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_BLEND_CONSTANTS, VK_DYNAMIC_STATE_DEPTH_COMPARE_OP,
};

static void fill_shaders(struct making *m, const struct look *look, bool code)
{
	const struct { const uint32_t *words; size_t size; } shaders[2][2] = {
		{ { VK_CODE(libraries_vert) }, { VK_CODE(libraries_kinds_vert) } },
		{ { VK_CODE(libraries_frag) }, { VK_CODE(libraries_kinds_frag) } },
	};

	for (int i = 0; i < 2; i++) {
		const VkShaderStageFlagBits stage = i ? VK_SHADER_STAGE_FRAGMENT_BIT : VK_SHADER_STAGE_VERTEX_BIT;

		if (!code) {
			vk_pipeline_code(&m->p, stage, shaders[i][look->kinds].words, shaders[i][look->kinds].size);
			continue;
		}
		m->modules[i] = (VkShaderModuleCreateInfo){
			.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .pCode = shaders[i][look->kinds].words,
			.codeSize = shaders[i][look->kinds].size,
		};
		vk_pipeline_stage(&m->p, stage, VK_NULL_HANDLE);
		m->p.stages[i].pNext = &m->modules[i];
	}
}

static void fill_output(struct making *m, const struct look *look)
{
	struct vk_pipeline *p = &m->p;

	p->blend.attachmentCount = ATTACHMENTS;
	for (int i = 0; i < ATTACHMENTS; i++) {
		m->formats[i] = format;
		m->locations[i] = look->swap ? 1 - i : i;
		p->blends[i].colorWriteMask = look->mask && i ? 0x9 : 0xf;
		p->blends[i].blendEnable = look->blend;
		p->blends[i].srcColorBlendFactor = VK_BLEND_FACTOR_CONSTANT_COLOR;
		p->blends[i].dstColorBlendFactor = VK_BLEND_FACTOR_ONE;
		p->blends[i].srcAlphaBlendFactor = VK_BLEND_FACTOR_ONE;
	}
	p->blend.blendConstants[0] = 0.5f;
	p->blend.blendConstants[2] = 0.75f;
	m->places = (VkRenderingAttachmentLocationInfoKHR){
		.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_LOCATION_INFO_KHR, .colorAttachmentCount = ATTACHMENTS,
		.pColorAttachmentLocations = m->locations,
	};
	m->rendering = (VkPipelineRenderingCreateInfo){
		.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO, .viewMask = look->views ? 3 : 0,
		.colorAttachmentCount = ATTACHMENTS, .pColorAttachmentFormats = m->formats,
		.depthAttachmentFormat = VK_FORMAT_D32_SFLOAT, .pNext = look->swap ? &m->places : NULL,
	};
	p->info.pNext = &m->rendering;
}

/* A whole pipeline. */
static void fill(struct making *m, const struct look *look, bool code)
{
	struct vk_pipeline *p = &m->p;

	vk_pipeline_init(p, test.layout, SIDE);
	m->binding = (VkVertexInputBindingDescription){ 0, 2 * sizeof(float), VK_VERTEX_INPUT_RATE_VERTEX };
	m->attribute = (VkVertexInputAttributeDescription){ 0, 0, VK_FORMAT_R32G32_SFLOAT, 0 };
	vk_pipeline_inputs(p, &m->binding, 1, &m->attribute, 1);
	fill_shaders(m, look, code);
	fill_output(m, look);
	vk_pipeline_depth(p, look->depth ? VK_COMPARE_OP_LESS : VK_COMPARE_OP_ALWAYS, true);
	if (look->mask)
		p->scissor = (VkRect2D){ { 3, 2 }, { 9, 10 } };
	if (look->dynamic)
		vk_pipeline_dynamic(p, dynamic_states, 3);
	p->samples.rasterizationSamples = look->shading ? SAMPLES : 1;
	p->samples.sampleShadingEnable = look->shading;
	p->samples.minSampleShading = 1;
}

/* Without the shaders and states of other parts, whose pointers lead nowhere then. */
static void cut(struct making *m, VkGraphicsPipelineLibraryFlagsEXT parts)
{
	VkGraphicsPipelineCreateInfo *info = &m->p.info;

	if (!(parts & VERTICES)) {
		info->pVertexInputState = NULL;
		info->pInputAssemblyState = NULL;
	}
	if (!(parts & BEFORE)) {
		info->pViewportState = NULL;
		info->pRasterizationState = NULL;
	}
	if (!(parts & FRAGMENTS))
		info->pDepthStencilState = NULL;
	if (!(parts & (FRAGMENTS | OUTPUT)))
		info->pMultisampleState = NULL;
	if (!(parts & OUTPUT))
		info->pColorBlendState = NULL;
	if (!(parts & OUTPUT))
		m->rendering.pNext = NULL;
	info->pStages += !(parts & BEFORE);
	info->stageCount = !!(parts & BEFORE) + !!(parts & FRAGMENTS);
}

static VkPipelineLayout layout_for(const struct look *look, enum layouts layouts,
				   VkGraphicsPipelineLibraryFlagsEXT parts)
{
	if (layouts == OTHERS)
		return parts & BEFORE ? test.other : test.layout;
	if (layouts == ONE)
		return test.layout;
	/* What both read is a set that both know. */
	if ((parts & BEFORE && parts & FRAGMENTS) || look->kinds)
		return test.whole;
	return parts & BEFORE ? test.before : test.fragments;
}

/* What has @parts of its own, and @count libraries. */
static VkResult make(const struct look *look, const struct way *way, VkGraphicsPipelineLibraryFlagsEXT parts,
		     const VkPipeline *libraries, uint32_t count, VkPipelineCreateFlags flags, VkPipeline *out)
{
	const bool is_library = flags & VK_PIPELINE_CREATE_LIBRARY_BIT_KHR, is_whole = !count && !is_library;
	struct making m = { 0 };
	VkResult result;

	fill(&m, look, way->code);
	m.p.info.flags = flags;
	if (!is_whole) {
		m.libraries = (VkPipelineLibraryCreateInfoKHR){
			VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR, m.p.info.pNext, count, libraries,
		};
		m.parts = (VkGraphicsPipelineLibraryCreateInfoEXT){
			VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT, (void *)&m.libraries, parts,
		};
		m.p.info.pNext = parts ? (const void *)&m.parts : &m.libraries;
		m.p.info.layout = layout_for(look, way->layouts, is_library && parts ? parts : ALL);
		cut(&m, parts);
	}
	result = vkCreateGraphicsPipelines(vk.device, VK_NULL_HANDLE, 1, &m.p.info, NULL, out);
	for (int i = 0; i < 2 && !way->code; i++)
		vkDestroyShaderModule(vk.device, m.p.stages[i].module, NULL);
	return result;
}

static VkPipeline make_or_end(const struct look *look, const struct way *way, VkGraphicsPipelineLibraryFlagsEXT parts,
			      const VkPipeline *libraries, uint32_t count, VkPipelineCreateFlags flags)
{
	VkPipeline pipeline;

	VK_CHECK(make(look, way, parts, libraries, count, flags, &pipeline));
	return pipeline;
}

#define MAX_LIBRARIES 5

/* Libraries of a way, the last of which are linked, and the parts that these lack. */
struct libraries {
	VkPipeline all[MAX_LIBRARIES];
	uint32_t count, first;
	VkGraphicsPipelineLibraryFlagsEXT rest;
};

static struct libraries make_libraries(const struct look *look, const struct way *way)
{
	const VkPipelineCreateFlags flags = VK_PIPELINE_CREATE_LIBRARY_BIT_KHR |
		(way->optimized ? VK_PIPELINE_CREATE_RETAIN_LINK_TIME_OPTIMIZATION_INFO_BIT_EXT : 0);
	struct libraries l = { .rest = ALL };

	for (; l.count < 4 && way->groups[l.count]; l.count++) {
		l.all[l.count] = make_or_end(look, way, way->groups[l.count], NULL, 0, flags);
		l.rest &= ~way->groups[l.count];
	}
	if (way->nested) {
		l.all[l.count++] = make_or_end(look, way, 0, l.all, 2, flags);
		l.first = 2;
	}
	return l;
}

static void drop_libraries(const struct libraries *l)
{
	for (uint32_t i = 0; i < l->count; i++)
		vkDestroyPipeline(vk.device, l->all[i], NULL);
}

static VkPipeline link_libraries(const struct look *look, const struct way *way, const struct libraries *l)
{
	const VkPipelineCreateFlags flags = way->optimized ? VK_PIPELINE_CREATE_LINK_TIME_OPTIMIZATION_BIT_EXT : 0;

	return make_or_end(look, way, l->rest, l->all + l->first, l->count - l->first, flags);
}

/* Pictures */

static VkRenderingAttachmentInfo attachment_of(VkImageView one, VkImageView many, bool samples)
{
	return (VkRenderingAttachmentInfo){
		.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO, .imageView = samples ? many : one,
		.imageLayout = general, .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR, .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
		.resolveMode = samples ? VK_RESOLVE_MODE_AVERAGE_BIT : 0, .resolveImageView = samples ? one : VK_NULL_HANDLE,
		.resolveImageLayout = general,
	};
}

static void begin(VkCommandBuffer cmd, const struct look *look)
{
	VkRenderingAttachmentInfo colors[ATTACHMENTS], depth =
		attachment_of(test.depth_view, test.depth_sample_view, look->shading);
	const VkRenderingInfo info = {
		.sType = VK_STRUCTURE_TYPE_RENDERING_INFO, .renderArea = { { 0, 0 }, { SIDE, SIDE } },
		.layerCount = LAYERS, .viewMask = look->views ? 3 : 0, .colorAttachmentCount = ATTACHMENTS,
		.pColorAttachments = colors, .pDepthAttachment = &depth,
	};
	const uint32_t locations[] = { 1, 0 };
	const VkRenderingAttachmentLocationInfoKHR places = {
		.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_LOCATION_INFO_KHR, .colorAttachmentCount = ATTACHMENTS,
		.pColorAttachmentLocations = locations,
	};

	for (int i = 0; i < ATTACHMENTS; i++) {
		colors[i] = attachment_of(test.color_views[i], test.sample_views[i], look->shading);
		colors[i].clearValue.color.float32[i] = 0.25f;
	}
	depth.clearValue.depthStencil.depth = 0.4f;
	depth.resolveMode = VK_RESOLVE_MODE_NONE;
	VK_FUNCTION(vkCmdBeginRenderingKHR)(cmd, &info);
	if (look->swap)
		VK_FUNCTION(vkCmdSetRenderingAttachmentLocationsKHR)(cmd, &places);
}

static void set_states(VkCommandBuffer cmd, const struct look *look)
{
	const VkViewport viewport = { 2, 1, SIDE - 4, SIDE - 3, 0, 1 };
	const float constants[] = { 0.25f, 0.5f, 0.5f, 0 };

	vkCmdSetViewport(cmd, 0, 1, &viewport);
	vkCmdSetBlendConstants(cmd, constants);
	VK_FUNCTION(vkCmdSetDepthCompareOpEXT)(cmd, look->depth ? VK_COMPARE_OP_GREATER : VK_COMPARE_OP_ALWAYS);
}

static void draw(const struct look *look, VkPipeline pipeline, void *out)
{
	const VkDescriptorSet sets[] = { test.sets[0].set, test.sets[1].set };
	const struct vk_image *last = &test.colors[ATTACHMENTS - 1];
	struct vk_buffer half = test.readback;
	VkCommandBuffer cmd = vk_begin();

	begin(cmd, look);
	vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
	if (look->dynamic)
		set_states(cmd, look);
	vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, test.layout, 0, 2, sets, 0, NULL);
	vkCmdBindVertexBuffers(cmd, 0, 1, &test.corners.buffer, &(VkDeviceSize){ 0 });
	vkCmdDraw(cmd, 3, 1, 0, 0);
	VK_FUNCTION(vkCmdEndRenderingKHR)(cmd);
	vk_image_read(cmd, &test.colors[0], SIDE, &half);
	vk_run(cmd);
	memcpy(out, test.readback.map, PICTURE / 2);
	cmd = vk_begin();
	vk_image_read(cmd, last, SIDE, &half);
	vk_run(cmd);
	memcpy((char *)out + PICTURE / 2, test.readback.map, PICTURE / 2);
}

static void draw_and_drop(const struct look *look, VkPipeline pipeline, void *out)
{
	draw(look, pipeline, out);
	vkDestroyPipeline(vk.device, pipeline, NULL);
}

static uint8_t expected[LOOKS][PICTURE];

/* The first pixel that differs is told. */
static bool same(const uint8_t *a, const uint8_t *b)
{
	for (uint32_t i = 0; i < PICTURE; i++) {
		if (a[i] == b[i])
			continue;
		printf("# attachment %u, layer %u, (%u, %u), byte %u: %u, not %u\n", i / (PICTURE / 2),
		       i / (PICTURE / 4) % 2, i / 4 % SIDE, i / 4 / SIDE % SIDE, i % 4, a[i], b[i]);
		return false;
	}
	return true;
}

/* Pictures that are all alike would show nothing. */
static void test_whole(void)
{
	static const struct way whole = { .name = "no libraries" };

	for (uint32_t i = 0; i < LOOKS; i++) {
		draw_and_drop(&looks[i], make_or_end(&looks[i], &whole, ALL, NULL, 0, 0), expected[i]);
		if (i)
			tap(memcmp(expected[i], expected[0], PICTURE), "a pipeline %s is not a plain one", looks[i].name);
	}
}

static void draw_way(const struct look *look, const struct way *way, void *out)
{
	const struct libraries l = make_libraries(look, way);
	VkPipeline pipeline;

	if (way->twice)
		vkDestroyPipeline(vk.device, link_libraries(look, way, &l), NULL);
	pipeline = link_libraries(look, way, &l);
	if (way->gone)
		drop_libraries(&l);
	draw_and_drop(look, pipeline, out);
	if (!way->gone)
		drop_libraries(&l);
}

static void test_way(const struct way *way)
{
	static uint8_t picture[PICTURE];
	bool ok = true;

	for (uint32_t i = 0; i < LOOKS; i++) {
		draw_way(&looks[i], way, picture);
		if (same(picture, expected[i]))
			continue;
		printf("# a pipeline %s\n", looks[i].name);
		ok = false;
	}
	tap(ok, "of %s", way->name);
}

/* The same shaders with the outputs of others: each is what its library says, whatever was linked before. */
static void test_outputs(void)
{
	static const struct way way = { .groups = { VERTICES, BEFORE, FRAGMENTS } };
	static const uint32_t others[] = { 1, 4, 0, 1 };
	static uint8_t picture[PICTURE];
	struct libraries l = make_libraries(&looks[0], &way);
	bool ok = true;

	l.rest = 0;
	l.count++;
	for (uint32_t i = 0; i < 4; i++) {
		const struct look *look = &looks[others[i]];
		VkPipeline *output = &l.all[l.count - 1];

		*output = make_or_end(look, &way, OUTPUT, NULL, 0, VK_PIPELINE_CREATE_LIBRARY_BIT_KHR);
		draw_and_drop(look, link_libraries(look, &way, &l), picture);
		vkDestroyPipeline(vk.device, *output, NULL);
		ok &= same(picture, expected[others[i]]);
	}
	l.count--;
	drop_libraries(&l);
	tap(ok, "libraries of shaders are linked with outputs of several kinds");
}

/* One that must not be compiled is there, and right, or it is not there. */
static void test_uncompiled(void)
{
	static uint8_t picture[PICTURE];
	const struct libraries l = make_libraries(&looks[0], &ways[0]);
	VkPipeline pipeline = VK_NULL_HANDLE;
	const VkResult result = make(&looks[0], &ways[0], 0, l.all, l.count,
				     VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT_EXT, &pipeline);
	bool ok = result == VK_PIPELINE_COMPILE_REQUIRED && !pipeline;

	if (result == VK_SUCCESS) {
		draw_and_drop(&looks[0], pipeline, picture);
		ok = same(picture, expected[0]);
	}
	tap(ok, "a pipeline that must not be compiled is linked%s", result == VK_SUCCESS ? "" : ", or would be");
	drop_libraries(&l);
}

int main(void)
{
	static const char *const extensions[] = {
		VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME, VK_EXT_GRAPHICS_PIPELINE_LIBRARY_EXTENSION_NAME,
		VK_KHR_CREATE_RENDERPASS_2_EXTENSION_NAME, VK_KHR_DEPTH_STENCIL_RESOLVE_EXTENSION_NAME,
		VK_KHR_DYNAMIC_RENDERING_EXTENSION_NAME, VK_KHR_DYNAMIC_RENDERING_LOCAL_READ_EXTENSION_NAME,
		VK_EXT_PIPELINE_CREATION_CACHE_CONTROL_EXTENSION_NAME,
	};
	static VkPhysicalDeviceGraphicsPipelineLibraryFeaturesEXT libraries = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GRAPHICS_PIPELINE_LIBRARY_FEATURES_EXT,
	};
	static VkPhysicalDeviceDynamicRenderingFeatures rendering = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_FEATURES, .pNext = &libraries,
	};
	static VkPhysicalDeviceDynamicRenderingLocalReadFeaturesKHR local_read = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_LOCAL_READ_FEATURES_KHR, .pNext = &rendering,
	};
	static VkPhysicalDevicePipelineCreationCacheControlFeatures control = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_CREATION_CACHE_CONTROL_FEATURES, .pNext = &local_read,
	};
	static VkPhysicalDeviceMultiviewFeatures multiview = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTIVIEW_FEATURES, .pNext = &control,
	};

	vk.features = &multiview;
	vk_open_with(NULL, 0, extensions, sizeof(extensions) / sizeof(extensions[0]));
	tap(libraries.graphicsPipelineLibrary, "there are libraries of graphics pipelines");
	make_things();
	test_whole();
	for (uint32_t i = 0; i < WAYS; i++)
		if (!ways[i].gone || strncmp(vk.properties.deviceName, "llvmpipe", 8))
			test_way(&ways[i]);
	test_outputs();
	test_uncompiled();
	drop_things();
	vk_close();
	return tap_failures() != 0;
}
