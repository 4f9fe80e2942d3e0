// SPDX-License-Identifier: MIT
/*
 * The prelude, a secondary command buffer that is recorded once, and the idle compute shader, see
 * quirk_prelude.h. Runs on the worker's main thread.
 */
#include "exec/quirk_prelude.h"
#include "exec/exec.h"
#include "exec/state.h"
#include "quirk_prelude.comp.h"
#include "quirk_prelude.vert.h"
#include "sundog_run.h"

bool prelude_shader(struct exec *x, uint32_t stage, const uint32_t *code, size_t size,
		    VkShaderEXT *shader)
{
	const VkPushConstantRange range = shader_push_range(x);
	VkShaderCreateInfoEXT info = {
		.sType = VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT,
		.stage = shader_stage_bits[stage], .codeType = VK_SHADER_CODE_TYPE_SPIRV_EXT,
		.codeSize = size, .pCode = code, .pName = "main",
		.setLayoutCount = x->draw.n_sets, .pSetLayouts = x->draw.set_layouts,
		.pushConstantRangeCount = 1, .pPushConstantRanges = &range,
	};

	return x->vk.CreateShadersEXT(x->vk.device, 1, &info, NULL, shader) == VK_SUCCESS;
}

static bool make_buffer(struct exec *x, VkCommandBuffer *buffer)
{
	VkCommandPoolCreateInfo pool_info = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
		.queueFamilyIndex = x->vk.queue_family,
	};
	VkCommandBufferAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
		.level = VK_COMMAND_BUFFER_LEVEL_SECONDARY, .commandBufferCount = 1,
	};

	if (x->vk.CreateCommandPool(x->vk.device, &pool_info, NULL, &info.commandPool) !=
	    VK_SUCCESS)
		return false;
	return x->vk.AllocateCommandBuffers(x->vk.device, &info, buffer) == VK_SUCCESS;
}

/* With rasterizer discard a draw needs little state. Only the sample count matters. */
static bool set_state(struct exec *x, VkShaderEXT vertex)
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

	shaders_to_host(x, shaders, GRAPHICS_STAGES);
	return run_set_viewports(x, &viewports, &viewport) &&
	       run_set_scissors(x, &scissors, &scissor) && run_set_raster(x, &raster) &&
	       run_set_multisample(x, &multisample) && run_set_vertex_input(x, &no_input, NULL);
}

static bool record(struct exec *x, VkShaderEXT vertex)
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

	draw_begin(x, x->prelude);
	if (x->vk.BeginCommandBuffer(x->prelude, &begin) != VK_SUCCESS)
		return false;
	x->vk.CmdBeginRendering(x->prelude, &rendering);
	if (!set_state(x, vertex))
		return false;
	x->vk.CmdDraw(x->prelude, 0, 1, 0, 0);
	x->vk.CmdEndRendering(x->prelude);
	return x->vk.EndCommandBuffer(x->prelude) == VK_SUCCESS;
}

bool prelude_init(struct exec *x)
{
	VkShaderEXT vertex;

	if (exec_has(x, SUNDOG_FEATURE_COMPUTE) &&
	    !prelude_shader(x, SUNDOG_STAGE_COMPUTE, quirk_prelude_comp, sizeof(quirk_prelude_comp),
			    &x->idle_compute))
		return false;
	if (!vk_has_quirk(&x->vk, QUIRK_SAMPLES_AT_DRAW))
		return true;
	return prelude_shader(x, SUNDOG_STAGE_VERTEX, quirk_prelude_vert,
			      sizeof(quirk_prelude_vert), &vertex) &&
	       make_buffer(x, &x->prelude) && record(x, vertex);
}

void prelude_compute(struct exec *x)
{
	const VkShaderEXT shaders[NUM_STAGES] = { [SUNDOG_STAGE_COMPUTE] = x->idle_compute };
	const struct shader *bound = x->draw.shaders[SUNDOG_STAGE_COMPUTE];

	if (x->idle_compute && (!bound || !shader_is_made(bound)))
		shaders_to_host(x, shaders, 1u << SUNDOG_STAGE_COMPUTE);
}

void prelude_record(struct exec *x, VkCommandBuffer cmd)
{
	if (x->prelude)
		x->vk.CmdExecuteCommands(cmd, 1, &x->prelude);
}
