/* SPDX-License-Identifier: MIT */
/*
 * Pipelines of Vulkan's tests, which say just what is their own of a great many states; what pipelines are laid out
 * by, read and draw to; dispatches.
 */
#ifndef TESTS_VK_PIPELINE_H
#define TESTS_VK_PIPELINE_H

#include "vk.h"

/*
 * All that a pipeline for draws is made of. vk_pipeline_init() has it draw triangles without vertex buffers to all of
 * one colour attachment, a square, with one sample; what is another thing is changed in here. It points into itself,
 * so that it stays where it is.
 */
struct vk_pipeline {
	VkPipelineShaderStageCreateInfo stages[5];
	bool owned[5];					/* vk_pipeline_try() destroys the module */
	VkPipelineVertexInputStateCreateInfo vertices;
	VkPipelineInputAssemblyStateCreateInfo assembly;
	VkPipelineTessellationStateCreateInfo tessellation;	/* not pointed to at first */
	VkViewport viewport;
	VkRect2D scissor;
	VkPipelineViewportStateCreateInfo viewports;
	VkPipelineRasterizationStateCreateInfo raster;
	VkPipelineMultisampleStateCreateInfo samples;
	VkPipelineDepthStencilStateCreateInfo depth;	/* see vk_pipeline_depth() */
	VkPipelineColorBlendAttachmentState blends[4];
	VkPipelineColorBlendStateCreateInfo blend;
	VkPipelineDynamicStateCreateInfo dynamic;	/* see vk_pipeline_dynamic() */
	VkFormat color;
	VkPipelineRenderingCreateInfo rendering;	/* see vk_pipeline_formats() */
	VkGraphicsPipelineCreateInfo info;
};

void vk_pipeline_init(struct vk_pipeline *p, VkPipelineLayout layout, uint32_t side);
/* One more stage, with a module that stays, or with one of its own. */
void vk_pipeline_stage(struct vk_pipeline *p, VkShaderStageFlagBits stage, VkShaderModule module);
void vk_pipeline_code(struct vk_pipeline *p, VkShaderStageFlagBits stage, const uint32_t *code, size_t size);
/* What is pointed to in these stays until the pipeline is made. */
void vk_pipeline_inputs(struct vk_pipeline *p, const VkVertexInputBindingDescription *bindings, uint32_t n_bindings,
			const VkVertexInputAttributeDescription *attributes, uint32_t n_attributes);
void vk_pipeline_dynamic(struct vk_pipeline *p, const VkDynamicState *states, uint32_t count);
/* A depth test; without this the state is not there. */
void vk_pipeline_depth(struct vk_pipeline *p, VkCompareOp compare, bool write);
/* Without a render pass: the formats of attachments, or none. */
void vk_pipeline_formats(struct vk_pipeline *p, VkFormat color, VkFormat depth, VkFormat stencil);
/* Once for each vk_pipeline_init(), if modules are its own. */
VkResult vk_pipeline_try(struct vk_pipeline *p, VkPipeline *pipeline);
VkPipeline vk_pipeline_new(struct vk_pipeline *p);

/* A pipeline for dispatches, of code whose entry point is main; or of what is changed in vk_compute_info()'s. */
VkComputePipelineCreateInfo vk_compute_info(VkPipelineLayout layout, const uint32_t *code, size_t size);
VkResult vk_compute_try(const VkComputePipelineCreateInfo *info, VkPipeline *pipeline);
VkPipeline vk_compute_new(VkPipelineLayout layout, const uint32_t *code, size_t size);
/* One work group, with one set and @size bytes that are pushed; waits. */
void vk_dispatch(VkPipeline pipeline, VkPipelineLayout layout, VkDescriptorSet set, const void *push, uint32_t size);

/* What writes elements from the first one on, but for what they are; or writes all of a buffer, or an image. */
VkWriteDescriptorSet vk_write_of(VkDescriptorSet set, uint32_t binding, uint32_t count, VkDescriptorType type);
void vk_write_buffer(VkDescriptorSet set, uint32_t binding, VkDescriptorType type, const struct vk_buffer *buffer);
void vk_write_image(VkDescriptorSet set, uint32_t binding, uint32_t element, VkDescriptorType type, VkSampler sampler,
		    VkImageView view);

/* With so many sets, and @pushed bytes of push constants for @stages. */
VkPipelineLayout vk_layout_new(const VkDescriptorSetLayout *sets, uint32_t count, VkShaderStageFlags stages,
			       uint32_t pushed);
/* One colour, which is stored, in layout GENERAL. */
VkRenderPass vk_pass_new(VkFormat format, VkAttachmentLoadOp load);
VkFramebuffer vk_framebuffer_new(VkRenderPass pass, const VkImageView *views, uint32_t count, uint32_t side);

#endif
