// SPDX-License-Identifier: MIT
/*
 * Pipelines with different states and what they draw; see vk-looks.h.
 */
#include <stdio.h>
#include <string.h>

#include "vk-looks.h"

#include "vk-looks-shaders.h"

static const VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;
static const VkImageLayout general = VK_IMAGE_LAYOUT_GENERAL;

const struct look looks[LOOKS] = {
	{ .name = "plain" },
	{ .name = "with blending", .blend = true },
	{ .name = "with a write mask and a scissor", .mask = true },
	{ .name = "with views", .views = true },
	{ .name = "with outputs in other places", .swap = true },
	{ .name = "that shades samples", .shading = true },
	{ .name = "with several kinds of textures at a binding", .kinds = true },
	{ .name = "with states that commands set", .dynamic = true },
	{ .name = "with a depth test", .depth = true },
	{ .name = "with tessellation", .tessellation = true },
	{ .name = "with a geometry shader", .geometry = true },
	{ .name = "with all stages", .tessellation = true, .geometry = true },
	{ .name = "with all of that but more stages",
	  .blend = true,
	  .mask = true,
	  .views = true,
	  .swap = true,
	  .shading = true,
	  .kinds = true,
	  .dynamic = true,
	  .depth = true },
};

struct looks_things things;

/* Objects */

static struct vk_image layers_new(VkFormat of, VkSampleCountFlagBits samples,
				  VkImageUsageFlags usage, VkImageView *view)
{
	const VkImageCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.imageType = VK_IMAGE_TYPE_2D,
		.format = of,
		.extent = { SIDE, SIDE, 1 },
		.mipLevels = 1,
		.arrayLayers = LAYERS,
		.samples = samples,
		.usage = usage,
	};
	const struct vk_image image = vk_image_new(&info);

	*view = vk_view_new(&image, VK_IMAGE_VIEW_TYPE_2D_ARRAY, of, vk_image_all(&image));
	return image;
}

static void make_attachments(void)
{
	const VkImageUsageFlags color = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
				copied = VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
	const VkImageUsageFlags depth = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;

	for (int i = 0; i < ATTACHMENTS; i++) {
		things.colors[i] = layers_new(format, 1, color | copied, &things.color_views[i]);
		things.samples[i] = layers_new(format, SAMPLES, color, &things.sample_views[i]);
	}
	things.depth = layers_new(VK_FORMAT_D32_SFLOAT, 1, depth, &things.depth_view);
	things.depth_samples =
		layers_new(VK_FORMAT_D32_SFLOAT, SAMPLES, depth, &things.depth_sample_view);
}

static void make_texture(uint32_t i, VkFormat of, VkImageType type, VkImageViewType view,
			 VkClearColorValue color)
{
	const VkImageCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.imageType = type,
		.format = of,
		.extent = { 4, 4, type == VK_IMAGE_TYPE_3D ? 4 : 1 },
		.mipLevels = 1,
		.arrayLayers = 1,
		.samples = 1,
		.usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
	};

	things.textures[i] = vk_image_new(&info);
	vk_image_fill(&things.textures[i], &color);
	things.texture_views[i] =
		vk_view_new(&things.textures[i], view, of, vk_image_all(&things.textures[i]));
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
		{ 1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 2, VK_SHADER_STAGE_ALL_GRAPHICS,
		  NULL },
	};

	for (int i = 0; i < 2; i++) {
		things.sets[i] = vk_set_new(bindings, 2 - i);
		things.alike[i] = vk_set_layout_new(bindings, 2 - i);
	}
	vk_write_buffer(things.sets[0].set, 0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, &things.place);
	vk_write_buffer(things.sets[1].set, 0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, &things.paint);
	for (uint32_t i = 0; i < 2; i++)
		vk_write_image(things.sets[0].set, 1, i, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
			       things.sampler, things.texture_views[i]);
}

VkPipelineLayout looks_layout(VkDescriptorSetLayout first, VkDescriptorSetLayout second,
			      VkPipelineLayoutCreateFlags flags)
{
	const VkDescriptorSetLayout sets[] = { first, second };
	const VkPipelineLayoutCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
		.setLayoutCount = 2,
		.pSetLayouts = sets,
		.flags = flags,
	};
	VkPipelineLayout layout;

	VK_CHECK(vkCreatePipelineLayout(vk.device, &info, NULL, &layout));
	return layout;
}

static void make_things(void)
{
	static const float corners[] = { -0.9f, -0.8f, 0.9f, -0.7f, -0.3f, 0.9f },
			   place[] = { 0.05f, -0.1f, 0.5f, 0 };
	static const float paint[] = { 1, 0.7f, 0.9f, 0 };
	const VkClearColorValue number = { .uint32 = { 200 } }, value = { .float32 = { 0.6f } };

	things.sampler = vk_sampler_new((VkSamplerCreateInfo){ 0 });
	make_attachments();
	make_texture(0, VK_FORMAT_R32_UINT, VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D, number);
	make_texture(1, format, VK_IMAGE_TYPE_3D, VK_IMAGE_VIEW_TYPE_3D, value);
	things.corners = floats_new(VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, corners, 6);
	things.place = floats_new(VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT, place, 4);
	things.paint = floats_new(VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT, paint, 4);
	things.readback = vk_buffer_new(PICTURE, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
	make_sets();
	things.layout = looks_layout(things.sets[0].layout, things.sets[1].layout, 0);
}

static void drop_image(struct vk_image *image, VkImageView view)
{
	vkDestroyImageView(vk.device, view, NULL);
	vk_image_del(image);
}

static void drop_things(void)
{
	vkDestroyPipelineLayout(vk.device, things.layout, NULL);
	for (int i = 0; i < 2; i++) {
		vk_set_del(&things.sets[i]);
		vkDestroyDescriptorSetLayout(vk.device, things.alike[i], NULL);
		drop_image(&things.textures[i], things.texture_views[i]);
		drop_image(&things.colors[i], things.color_views[i]);
		drop_image(&things.samples[i], things.sample_views[i]);
	}
	drop_image(&things.depth, things.depth_view);
	drop_image(&things.depth_samples, things.depth_sample_view);
	vk_buffer_del(&things.corners);
	vk_buffer_del(&things.place);
	vk_buffer_del(&things.paint);
	vk_buffer_del(&things.readback);
	vkDestroySampler(vk.device, things.sampler, NULL);
}

/* Pipelines */

static const VkDynamicState dynamic_states[] = {
	VK_DYNAMIC_STATE_VIEWPORT,
	VK_DYNAMIC_STATE_BLEND_CONSTANTS,
	VK_DYNAMIC_STATE_DEPTH_COMPARE_OP,
};

/* The SPIR-V of a stage, for looks without and with several kinds of textures at a binding. */
struct shader {
	VkShaderStageFlagBits stage;
	struct { const uint32_t *words; size_t size; } forms[2];
};

static const struct shader shaders[] = {
	{ VK_SHADER_STAGE_VERTEX_BIT, { { VK_CODE(looks_vert) }, { VK_CODE(looks_kinds_vert) } } },
	{ VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT,
	  { { VK_CODE(looks_tesc) }, { VK_CODE(looks_tesc) } } },
	{ VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT,
	  { { VK_CODE(looks_tese) }, { VK_CODE(looks_tese) } } },
	{ VK_SHADER_STAGE_GEOMETRY_BIT, { { VK_CODE(looks_geom) }, { VK_CODE(looks_geom) } } },
	{ VK_SHADER_STAGE_FRAGMENT_BIT,
	  { { VK_CODE(looks_frag) }, { VK_CODE(looks_kinds_frag) } } },
};

static bool has_stage(const struct look *look, VkShaderStageFlagBits stage)
{
	switch (stage) {
	case VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT:
	case VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT:
		return look->tessellation;
	case VK_SHADER_STAGE_GEOMETRY_BIT:
		return look->geometry;
	default:
		return true;
	}
}

static void fill_shader(struct looks_making *m, const struct look *look,
			const struct shader *shader, bool code)
{
	const uint32_t n = m->p.info.stageCount;
	VkShaderModuleCreateInfo *info = &m->codes[n];

	*info = (VkShaderModuleCreateInfo){
		.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
		.codeSize = shader->forms[look->kinds].size,
		.pCode = shader->forms[look->kinds].words,
	};
	if (!code) {
		vk_pipeline_code(&m->p, shader->stage, info->pCode, info->codeSize);
		return;
	}
	vk_pipeline_stage(&m->p, shader->stage, VK_NULL_HANDLE);
	m->p.stages[n].pNext = info;
}

static void fill_shaders(struct looks_making *m, const struct look *look, bool code)
{
	for (int i = 0; i < 5; i++)
		if (has_stage(look, shaders[i].stage))
			fill_shader(m, look, &shaders[i], code);
	if (!look->tessellation)
		return;
	m->p.assembly.topology = VK_PRIMITIVE_TOPOLOGY_PATCH_LIST;
	m->p.tessellation.patchControlPoints = 3;
	m->p.info.pTessellationState = &m->p.tessellation;
}

static void fill_output(struct looks_making *m, const struct look *look)
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
		.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_LOCATION_INFO_KHR,
		.colorAttachmentCount = ATTACHMENTS,
		.pColorAttachmentLocations = m->locations,
	};
	m->rendering = (VkPipelineRenderingCreateInfo){
		.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
		.viewMask = look->views ? 3 : 0,
		.colorAttachmentCount = ATTACHMENTS,
		.pColorAttachmentFormats = m->formats,
		.depthAttachmentFormat = VK_FORMAT_D32_SFLOAT,
		.pNext = look->swap ? &m->places : NULL,
	};
	p->info.pNext = &m->rendering;
}

void looks_fill(struct looks_making *m, const struct look *look, bool code)
{
	struct vk_pipeline *p = &m->p;

	vk_pipeline_init(p, things.layout, SIDE);
	m->binding = (VkVertexInputBindingDescription){ 0, 2 * sizeof(float),
							VK_VERTEX_INPUT_RATE_VERTEX };
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

void looks_drop(struct looks_making *m)
{
	for (uint32_t i = 0; i < 5; i++)
		if (m->p.owned[i])
			vkDestroyShaderModule(vk.device, m->p.stages[i].module, NULL);
}

/* Pictures */

static VkRenderingAttachmentInfo attachment_of(VkImageView one, VkImageView many, bool samples)
{
	return (VkRenderingAttachmentInfo){
		.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
		.imageView = samples ? many : one,
		.imageLayout = general,
		.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
		.storeOp = VK_ATTACHMENT_STORE_OP_STORE,
		.resolveMode = samples ? VK_RESOLVE_MODE_AVERAGE_BIT : 0,
		.resolveImageView = samples ? one : VK_NULL_HANDLE,
		.resolveImageLayout = general,
	};
}

void looks_begin(VkCommandBuffer cmd, const struct look *look)
{
	VkRenderingAttachmentInfo colors[ATTACHMENTS], depth =
		attachment_of(things.depth_view, things.depth_sample_view, look->shading);
	const VkRenderingInfo info = {
		.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
		.flags = things.flags,
		.renderArea = { { 0, 0 }, { SIDE, SIDE } },
		.layerCount = LAYERS,
		.viewMask = look->views ? 3 : 0,
		.colorAttachmentCount = ATTACHMENTS,
		.pColorAttachments = colors,
		.pDepthAttachment = &depth,
	};
	const uint32_t locations[] = { 1, 0 };
	const VkRenderingAttachmentLocationInfoKHR places = {
		.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_LOCATION_INFO_KHR,
		.colorAttachmentCount = ATTACHMENTS,
		.pColorAttachmentLocations = locations,
	};

	for (int i = 0; i < ATTACHMENTS; i++) {
		colors[i] =
			attachment_of(things.color_views[i], things.sample_views[i], look->shading);
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
	VK_FUNCTION(vkCmdSetDepthCompareOpEXT)
	(cmd, look->depth ? VK_COMPARE_OP_GREATER : VK_COMPARE_OP_ALWAYS);
}

void looks_draw(VkCommandBuffer cmd, const struct look *look)
{
	const VkDescriptorSet sets[] = { things.sets[0].set, things.sets[1].set };

	if (look->dynamic)
		set_states(cmd, look);
	vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, things.layout, 0, 2, sets, 0,
				NULL);
	vkCmdBindVertexBuffers(cmd, 0, 1, &things.corners.buffer, &(VkDeviceSize){ 0 });
	vkCmdDraw(cmd, 3, 1, 0, 0);
}

void looks_end(VkCommandBuffer cmd, void *out)
{
	VK_FUNCTION(vkCmdEndRenderingKHR)(cmd);
	vk_image_read(cmd, &things.colors[0], SIDE, &things.readback);
	vk_run(cmd);
	memcpy(out, things.readback.map, PICTURE / 2);
	cmd = vk_begin();
	vk_image_read(cmd, &things.colors[1], SIDE, &things.readback);
	vk_run(cmd);
	memcpy((char *)out + PICTURE / 2, things.readback.map, PICTURE / 2);
}

bool looks_same(const uint8_t *a, const uint8_t *b)
{
	for (uint32_t i = 0; i < PICTURE; i++) {
		if (a[i] == b[i])
			continue;
		printf("# attachment %u, layer %u, (%u, %u), byte %u: %u, not %u\n",
		       i / (PICTURE / 2), i / (PICTURE / 4) % 2, i / 4 % SIDE, i / 4 / SIDE % SIDE,
		       i % 4, a[i], b[i]);
		return false;
	}
	return true;
}

/* The device */

#define MAX_EXTENSIONS 16

void looks_open(void *features, const char *const *more, uint32_t count)
{
	static VkPhysicalDeviceDynamicRenderingFeatures rendering = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_FEATURES,
	};
	static VkPhysicalDeviceDynamicRenderingLocalReadFeaturesKHR local_read = {
		.sType =
			VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_LOCAL_READ_FEATURES_KHR,
		.pNext = &rendering,
	};
	static VkPhysicalDeviceMultiviewFeatures multiview = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTIVIEW_FEATURES, .pNext = &local_read,
	};
	const char *extensions[MAX_EXTENSIONS] = {
		VK_KHR_CREATE_RENDERPASS_2_EXTENSION_NAME,
		VK_KHR_DEPTH_STENCIL_RESOLVE_EXTENSION_NAME,
		VK_KHR_DYNAMIC_RENDERING_EXTENSION_NAME,
		VK_KHR_DYNAMIC_RENDERING_LOCAL_READ_EXTENSION_NAME,
	};

	rendering.pNext = features;
	vk.features = &multiview;
	memcpy(extensions + 4, more, count * sizeof(*more));
	vk_open_with(NULL, 0, extensions, 4 + count);
	make_things();
}

void looks_close(void)
{
	drop_things();
	vk_close();
}
