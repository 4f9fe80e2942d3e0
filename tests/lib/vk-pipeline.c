// SPDX-License-Identifier: MIT
/*
 * Defaults and helpers for pipelines of the Vulkan tests; see vk-pipeline.h.
 */
#include "vk-pipeline.h"

void vk_pipeline_init(struct vk_pipeline *p, VkPipelineLayout layout, uint32_t side)
{
	*p = (struct vk_pipeline){
		.vertices = { .sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO },
		.assembly = { .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
			      .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST },
		.tessellation = {
			.sType = VK_STRUCTURE_TYPE_PIPELINE_TESSELLATION_STATE_CREATE_INFO
		},
		.viewport = { 0, 0, side, side, 0, 1 },
		.scissor = { { 0, 0 }, { side, side } },
		.viewports = { .sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
			       .viewportCount = 1,
			       .pViewports = &p->viewport,
			       .scissorCount = 1,
			       .pScissors = &p->scissor },
		.raster = { .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO,
			    .lineWidth = 1 },
		.samples = { .sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
			     .rasterizationSamples = 1 },
		.depth = { .sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO },
		.blend = { .sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
			   .attachmentCount = 1,
			   .pAttachments = p->blends },
		.dynamic = { .sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO },
		.rendering = { .sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO },
		.info = { .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
			  .pStages = p->stages,
			  .pVertexInputState = &p->vertices,
			  .pInputAssemblyState = &p->assembly,
			  .pViewportState = &p->viewports,
			  .pRasterizationState = &p->raster,
			  .pMultisampleState = &p->samples,
			  .pColorBlendState = &p->blend,
			  .layout = layout },
	};
	for (uint32_t i = 0; i < 4; i++)
		p->blends[i].colorWriteMask = 0xf;
}

static VkPipelineShaderStageCreateInfo stage_of(VkShaderStageFlagBits stage, VkShaderModule module)
{
	return (VkPipelineShaderStageCreateInfo){
		.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
		.stage = stage,
		.module = module,
		.pName = "main",
	};
}

void vk_pipeline_stage(struct vk_pipeline *p, VkShaderStageFlagBits stage, VkShaderModule module)
{
	p->stages[p->info.stageCount++] = stage_of(stage, module);
}

void vk_pipeline_code(struct vk_pipeline *p, VkShaderStageFlagBits stage, const uint32_t *code,
		      size_t size)
{
	p->owned[p->info.stageCount] = true;
	vk_pipeline_stage(p, stage, vk_module_new(code, size));
}

void vk_pipeline_inputs(struct vk_pipeline *p, const VkVertexInputBindingDescription *bindings,
			uint32_t n_bindings, const VkVertexInputAttributeDescription *attributes,
			uint32_t n_attributes)
{
	p->vertices.vertexBindingDescriptionCount = n_bindings;
	p->vertices.pVertexBindingDescriptions = bindings;
	p->vertices.vertexAttributeDescriptionCount = n_attributes;
	p->vertices.pVertexAttributeDescriptions = attributes;
}

void vk_pipeline_dynamic(struct vk_pipeline *p, const VkDynamicState *states, uint32_t count)
{
	p->dynamic.dynamicStateCount = count;
	p->dynamic.pDynamicStates = states;
	p->info.pDynamicState = &p->dynamic;
}

void vk_pipeline_depth(struct vk_pipeline *p, VkCompareOp compare, bool write)
{
	p->depth.depthTestEnable = true;
	p->depth.depthWriteEnable = write;
	p->depth.depthCompareOp = compare;
	p->info.pDepthStencilState = &p->depth;
}

void vk_pipeline_formats(struct vk_pipeline *p, VkFormat color, VkFormat depth, VkFormat stencil)
{
	p->color = color;
	p->rendering.colorAttachmentCount = p->blend.attachmentCount = color != VK_FORMAT_UNDEFINED;
	p->rendering.pColorAttachmentFormats = &p->color;
	p->rendering.depthAttachmentFormat = depth;
	p->rendering.stencilAttachmentFormat = stencil;
	p->info.pNext = &p->rendering;
}

VkResult vk_pipeline_try(struct vk_pipeline *p, VkPipeline *pipeline)
{
	const VkResult result =
		vkCreateGraphicsPipelines(vk.device, VK_NULL_HANDLE, 1, &p->info, NULL, pipeline);

	for (uint32_t i = 0; i < p->info.stageCount; i++)
		if (p->owned[i])
			vkDestroyShaderModule(vk.device, p->stages[i].module, NULL);
	return result;
}

VkPipeline vk_pipeline_new(struct vk_pipeline *p)
{
	VkPipeline pipeline;

	VK_CHECK(vk_pipeline_try(p, &pipeline));
	return pipeline;
}

VkComputePipelineCreateInfo vk_compute_info(VkPipelineLayout layout, const uint32_t *code,
					    size_t size)
{
	return (VkComputePipelineCreateInfo){
		.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, .layout = layout,
		.stage = stage_of(VK_SHADER_STAGE_COMPUTE_BIT, vk_module_new(code, size)),
	};
}

VkResult vk_compute_try(const VkComputePipelineCreateInfo *info, VkPipeline *pipeline)
{
	const VkResult result =
		vkCreateComputePipelines(vk.device, VK_NULL_HANDLE, 1, info, NULL, pipeline);

	vkDestroyShaderModule(vk.device, info->stage.module, NULL);
	return result;
}

VkPipeline vk_compute_new(VkPipelineLayout layout, const uint32_t *code, size_t size)
{
	const VkComputePipelineCreateInfo info = vk_compute_info(layout, code, size);
	VkPipeline pipeline;

	VK_CHECK(vk_compute_try(&info, &pipeline));
	return pipeline;
}

void vk_dispatch(VkPipeline pipeline, VkPipelineLayout layout, VkDescriptorSet set,
		 const void *push, uint32_t size)
{
	VkCommandBuffer cmd = vk_begin();

	vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
	vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, NULL);
	if (size)
		vkCmdPushConstants(cmd, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, size, push);
	vkCmdDispatch(cmd, 1, 1, 1);
	vk_barrier(cmd);
	vk_run(cmd);
}

VkWriteDescriptorSet vk_write_of(VkDescriptorSet set, uint32_t binding, uint32_t count,
				 VkDescriptorType type)
{
	return (VkWriteDescriptorSet){
		.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
		.dstSet = set,
		.dstBinding = binding,
		.descriptorCount = count,
		.descriptorType = type,
	};
}

void vk_write_buffer(VkDescriptorSet set, uint32_t binding, VkDescriptorType type,
		     const struct vk_buffer *buffer)
{
	const VkDescriptorBufferInfo info = { buffer->buffer, 0, VK_WHOLE_SIZE };
	VkWriteDescriptorSet write = vk_write_of(set, binding, 1, type);

	write.pBufferInfo = &info;
	vkUpdateDescriptorSets(vk.device, 1, &write, 0, NULL);
}

void vk_write_image(VkDescriptorSet set, uint32_t binding, uint32_t element, VkDescriptorType type,
		    VkSampler sampler, VkImageView view)
{
	const VkDescriptorImageInfo info = { sampler, view, VK_IMAGE_LAYOUT_GENERAL };
	VkWriteDescriptorSet write = vk_write_of(set, binding, 1, type);

	write.dstArrayElement = element;
	write.pImageInfo = &info;
	vkUpdateDescriptorSets(vk.device, 1, &write, 0, NULL);
}

VkPipelineLayout vk_layout_new(const VkDescriptorSetLayout *sets, uint32_t count,
			       VkShaderStageFlags stages, uint32_t pushed)
{
	const VkPushConstantRange range = { stages, 0, pushed };
	const VkPipelineLayoutCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
		.setLayoutCount = count,
		.pSetLayouts = sets,
		.pushConstantRangeCount = pushed ? 1 : 0,
		.pPushConstantRanges = &range,
	};
	VkPipelineLayout layout;

	VK_CHECK(vkCreatePipelineLayout(vk.device, &info, NULL, &layout));
	return layout;
}

VkRenderPass vk_pass_new(VkFormat format, VkAttachmentLoadOp load)
{
	const VkAttachmentDescription attachment = {
		.format = format,
		.samples = 1,
		.loadOp = load,
		.storeOp = VK_ATTACHMENT_STORE_OP_STORE,
		.initialLayout = VK_IMAGE_LAYOUT_GENERAL,
		.finalLayout = VK_IMAGE_LAYOUT_GENERAL,
	};
	const VkAttachmentReference reference = { 0, VK_IMAGE_LAYOUT_GENERAL };
	const VkSubpassDescription subpass = { .colorAttachmentCount = 1,
					       .pColorAttachments = &reference };
	const VkRenderPassCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
		.attachmentCount = 1,
		.pAttachments = &attachment,
		.subpassCount = 1,
		.pSubpasses = &subpass,
	};
	VkRenderPass pass;

	VK_CHECK(vkCreateRenderPass(vk.device, &info, NULL, &pass));
	return pass;
}

VkFramebuffer vk_framebuffer_new(VkRenderPass pass, const VkImageView *views, uint32_t count,
				 uint32_t side)
{
	const VkFramebufferCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
		.renderPass = pass,
		.attachmentCount = count,
		.pAttachments = views,
		.width = side,
		.height = side,
		.layers = 1,
	};
	VkFramebuffer framebuffer;

	VK_CHECK(vkCreateFramebuffer(vk.device, &info, NULL, &framebuffer));
	return framebuffer;
}
