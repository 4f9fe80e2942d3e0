// SPDX-License-Identifier: MIT
/*
 * The prelude, a secondary command buffer that is recorded once, and the idle compute shader, see
 * quirk_prelude.h. Runs on the worker's main thread.
 */
#include "exec/quirk_prelude.h"

#include "quirk_prelude.comp.h"
#include "quirk_prelude.vert.h"
#include "worker/worker.h"

bool prelude_shader(struct worker *w, uint32_t stage, const uint32_t *code, size_t size,
		    VkShaderEXT *shader)
{
	const VkPushConstantRange range = shader_push_range(w);
	VkShaderCreateInfoEXT info = {
		.sType = VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT,
		.stage = shader_stage_bits[stage], .codeType = VK_SHADER_CODE_TYPE_SPIRV_EXT,
		.codeSize = size, .pCode = code, .pName = "main",
		.setLayoutCount = w->draw.n_sets, .pSetLayouts = w->draw.set_layouts,
		.pushConstantRangeCount = 1, .pPushConstantRanges = &range,
	};

	return w->vk.CreateShadersEXT(w->vk.device, 1, &info, NULL, shader) == VK_SUCCESS;
}

static bool make_buffer(struct worker *w, VkCommandBuffer *buffer)
{
	VkCommandPoolCreateInfo pool_info = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
		.queueFamilyIndex = w->vk.queue_family,
	};
	VkCommandBufferAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
		.level = VK_COMMAND_BUFFER_LEVEL_SECONDARY, .commandBufferCount = 1,
	};

	if (w->vk.CreateCommandPool(w->vk.device, &pool_info, NULL, &info.commandPool) !=
	    VK_SUCCESS)
		return false;
	return w->vk.AllocateCommandBuffers(w->vk.device, &info, buffer) == VK_SUCCESS;
}

/* With rasterizer discard a draw needs little state. Only the sample count matters. */
static bool set_state(struct worker *w, VkShaderEXT vertex)
{
	static const struct sundog_cmd_set_raster raster = {
		.flags = SUNDOG_RASTER_FLAG_DISCARD,
		.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
		.line_width = 1.0f,
		.stipple_factor = 1,
	};
	static const struct sundog_cmd_set_multisample multisample = { .samples = 1,
								       .mask = UINT32_MAX };
	static const struct sundog_cmd_set_vertex_input no_input;
	static const struct sundog_cmd_set_viewports viewports = { .count = 1 };
	static const struct sundog_viewport viewport = { .width = 1.0f,
							 .height = 1.0f,
							 .max_depth = 1.0f };
	static const struct sundog_cmd_set_scissors scissors = { .count = 1 };
	static const struct sundog_rect scissor = { .width = 1, .height = 1 };
	const VkShaderEXT shaders[NUM_STAGES] = { vertex };

	shaders_to_host(w, shaders, GRAPHICS_STAGES);
	return set_viewports(w, &viewports, &viewport) && set_scissors(w, &scissors, &scissor) &&
	       set_raster(w, &raster) && set_multisample(w, &multisample) &&
	       set_vertex_input(w, &no_input, NULL);
}

static bool record(struct worker *w, VkShaderEXT vertex)
{
	static const VkCommandBufferInheritanceInfo inheritance = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO,
	};
	static const VkCommandBufferBeginInfo begin = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
		.flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT,
		.pInheritanceInfo = &inheritance,
	};
	static const VkRenderingInfo rendering = {
		.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
		.renderArea = { .extent = { 1, 1 } },
		.layerCount = 1,
	};

	draw_begin(w, w->prelude);
	if (w->vk.BeginCommandBuffer(w->prelude, &begin) != VK_SUCCESS)
		return false;
	w->vk.CmdBeginRendering(w->prelude, &rendering);
	if (!set_state(w, vertex))
		return false;
	w->vk.CmdDraw(w->prelude, 0, 1, 0, 0);
	w->vk.CmdEndRendering(w->prelude);
	return w->vk.EndCommandBuffer(w->prelude) == VK_SUCCESS;
}

bool prelude_init(struct worker *w)
{
	VkShaderEXT vertex;

	if (worker_has(w, SUNDOG_FEATURE_COMPUTE) &&
	    !prelude_shader(w, SUNDOG_STAGE_COMPUTE, quirk_prelude_comp, sizeof(quirk_prelude_comp),
			    &w->idle_compute))
		return false;
	if (!w->vk.needs_prelude)
		return true;
	return prelude_shader(w, SUNDOG_STAGE_VERTEX, quirk_prelude_vert,
			      sizeof(quirk_prelude_vert), &vertex) &&
	       make_buffer(w, &w->prelude) && record(w, vertex);
}

void prelude_compute(struct worker *w)
{
	const VkShaderEXT shaders[NUM_STAGES] = { [SUNDOG_STAGE_COMPUTE] = w->idle_compute };
	const struct shader *bound = w->draw.shaders[SUNDOG_STAGE_COMPUTE];

	if (w->idle_compute && (!bound || !shader_is_made(bound)))
		shaders_to_host(w, shaders, 1u << SUNDOG_STAGE_COMPUTE);
}

void prelude_record(struct worker *w, VkCommandBuffer cmd)
{
	if (w->prelude)
		w->vk.CmdExecuteCommands(cmd, 1, &w->prelude);
}
