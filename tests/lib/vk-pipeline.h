/* SPDX-License-Identifier: MIT */
/*
 * Pipelines for the Vulkan tests, with defaults for all states that a test does not set; layouts,
 * descriptor writes, render passes and framebuffers for them; dispatches.
 */
#ifndef TESTS_VK_PIPELINE_H
#define TESTS_VK_PIPELINE_H

#include "vk.h"

/*
 * The create info of a graphics pipeline with all its states. vk_pipeline_init() fills it for
 * triangles without vertex buffers, drawn to all of one square color attachment with one sample;
 * tests change the fields that differ. It contains pointers to itself, so it must not be moved.
 */
struct vk_pipeline {
	VkPipelineShaderStageCreateInfo stages[5];
	/* vk_pipeline_try() destroys the module of the stage */
	bool owned[5];
	VkPipelineVertexInputStateCreateInfo vertices;
	VkPipelineInputAssemblyStateCreateInfo assembly;
	/* info does not point to it at first */
	VkPipelineTessellationStateCreateInfo tessellation;
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
/*
 * Adds a stage: vk_pipeline_stage() with a module that the caller keeps, vk_pipeline_code() with a
 * module of its own made from @code.
 */
void vk_pipeline_stage(struct vk_pipeline *p, VkShaderStageFlagBits stage, VkShaderModule module);
void vk_pipeline_code(struct vk_pipeline *p, VkShaderStageFlagBits stage, const uint32_t *code,
		      size_t size);
/* Arrays passed to these two must live until the pipeline is created. */
void vk_pipeline_inputs(struct vk_pipeline *p, const VkVertexInputBindingDescription *bindings,
			uint32_t n_bindings, const VkVertexInputAttributeDescription *attributes,
			uint32_t n_attributes);
void vk_pipeline_dynamic(struct vk_pipeline *p, const VkDynamicState *states, uint32_t count);
/* Enables the depth test; without this call the pipeline has no depth-stencil state. */
void vk_pipeline_depth(struct vk_pipeline *p, VkCompareOp compare, bool write);
/* For dynamic rendering: sets the attachment formats; VK_FORMAT_UNDEFINED: no such attachment. */
void vk_pipeline_formats(struct vk_pipeline *p, VkFormat color, VkFormat depth, VkFormat stencil);
/*
 * Create the pipeline and destroy the modules that @p owns, so that they can be called only once
 * after vk_pipeline_init() if it owns any. vk_pipeline_new() ends the program on an error.
 */
VkResult vk_pipeline_try(struct vk_pipeline *p, VkPipeline *pipeline);
VkPipeline vk_pipeline_new(struct vk_pipeline *p);

/*
 * Compute pipelines with entry point "main". vk_compute_try() takes a vk_compute_info() that the
 * caller may have changed, and destroys its module. vk_compute_new() ends the program on an error.
 */
VkComputePipelineCreateInfo vk_compute_info(VkPipelineLayout layout, const uint32_t *code,
					    size_t size);
VkResult vk_compute_try(const VkComputePipelineCreateInfo *info, VkPipeline *pipeline);
VkPipeline vk_compute_new(VkPipelineLayout layout, const uint32_t *code, size_t size);
/* Dispatches one work group with one set and @size bytes of push constants, and waits for it. */
void vk_dispatch(VkPipeline pipeline, VkPipelineLayout layout, VkDescriptorSet set,
		 const void *push, uint32_t size);

/*
 * vk_write_of() returns a write of @count elements from element 0 on, without the descriptors.
 * vk_write_buffer() writes a whole buffer, vk_write_image() an image in layout GENERAL.
 */
VkWriteDescriptorSet vk_write_of(VkDescriptorSet set, uint32_t binding, uint32_t count,
				 VkDescriptorType type);
void vk_write_buffer(VkDescriptorSet set, uint32_t binding, VkDescriptorType type,
		     const struct vk_buffer *buffer);
void vk_write_image(VkDescriptorSet set, uint32_t binding, uint32_t element, VkDescriptorType type,
		    VkSampler sampler, VkImageView view);

/*
 * A layout with @count sets and, if @pushed is not 0, @pushed bytes of push constants for @stages.
 */
VkPipelineLayout vk_layout_new(const VkDescriptorSetLayout *sets, uint32_t count,
			       VkShaderStageFlags stages, uint32_t pushed);
/* A render pass with one color attachment, which is stored, in layout GENERAL. */
VkRenderPass vk_pass_new(VkFormat format, VkAttachmentLoadOp load);
VkFramebuffer vk_framebuffer_new(VkRenderPass pass, const VkImageView *views, uint32_t count,
				 uint32_t side);

#endif
