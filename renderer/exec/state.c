// SPDX-License-Identifier: MIT
/*
 * State packets, see state.h. Called by the decoder on the worker's main thread. The packet's
 * description has checked enumerations; this file checks the host's limits and memory.
 */
#include "exec/state.h"

#include <math.h>
#include <string.h>

#include "exec/caps.h"
#include "exec/clear.h"
#include "exec/exec.h"
#include "exec/memory.h"
#include "exec/patch.h"
#include "host/format.h"
#include "sundog_run.h"

bool run_set_viewports(struct exec *x, const struct sundog_cmd_set_viewports *cmd,
		       const struct sundog_viewport *viewports)
{
	VkViewport out[SUNDOG_MAX_VIEWPORTS];

	if (cmd->count > x->caps.max_viewports)
		return fault(x, SUNDOG_FAULT_CODE_FIELD, 1);
	for (uint32_t i = 0; i < cmd->count; i++) {
		const struct sundog_viewport *v = &viewports[i];

		/* Written so that a NaN fails. */
		if (!(v->width > 0.0f && v->width <= x->caps.max_image_2d) ||
		    !(v->height >= -(float)x->caps.max_image_2d &&
		      v->height <= x->caps.max_image_2d) ||
		    !(v->x >= -65536.0f && v->x <= 65536.0f && v->y >= -65536.0f &&
		      v->y <= 65536.0f) ||
		    !depth_ok(x, v->min_depth) || !depth_ok(x, v->max_depth))
			return fault(x, SUNDOG_FAULT_CODE_FIELD, 2 + i * 6);
		out[i] = (VkViewport){
			v->x, v->y, v->width, v->height, v->min_depth, v->max_depth
		};
	}
	x->vk.CmdSetViewportWithCount(x->draw.cmd, cmd->count, out);
	x->draw.have |= HAVE_VIEWPORTS;
	return true;
}

bool run_set_scissors(struct exec *x, const struct sundog_cmd_set_scissors *cmd,
		      const struct sundog_rect *rects)
{
	VkRect2D out[SUNDOG_MAX_VIEWPORTS];

	if (cmd->count > x->caps.max_viewports)
		return fault(x, SUNDOG_FAULT_CODE_FIELD, 1);
	for (uint32_t i = 0; i < cmd->count; i++)
		out[i] = (VkRect2D){ { rects[i].x, rects[i].y },
				     { rects[i].width, rects[i].height } };
	x->vk.CmdSetScissorWithCount(x->draw.cmd, cmd->count, out);
	x->draw.have |= HAVE_SCISSORS;
	return true;
}

static uint64_t topology_feature(VkPrimitiveTopology topology)
{
	if (topology == VK_PRIMITIVE_TOPOLOGY_PATCH_LIST)
		return SUNDOG_FEATURE_TESSELLATION;
	return topology > VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN ? SUNDOG_FEATURE_GEOMETRY : 0;
}

bool run_set_raster(struct exec *x, const struct sundog_cmd_set_raster *cmd)
{
	const struct vk *vk = &x->vk;
	const VkCommandBuffer cb = x->draw.cmd;
	const uint32_t f = cmd->flags;
	/* Vulkan clamps widths to lineWidthRange. NaN becomes the least one. */
	const float width = fminf(fmaxf(cmd->line_width, x->caps.line_width_min),
				  x->caps.line_width_max);

	if (!exec_has(x, topology_feature(cmd->topology)))
		return fault(x, SUNDOG_FAULT_CODE_FIELD, 2);
	if ((cmd->polygon_mode && !vk->features.fillModeNonSolid) ||
	    ((f & SUNDOG_RASTER_FLAG_DEPTH_CLAMP) && !vk->features.depthClamp))
		return fault(x, SUNDOG_FAULT_CODE_FIELD, 1);
	x->draw.discard = f & SUNDOG_RASTER_FLAG_DISCARD;
	vk->CmdSetRasterizerDiscardEnable(cb, x->draw.discard);
	vk->CmdSetDepthClampEnableEXT(cb, !!(f & SUNDOG_RASTER_FLAG_DEPTH_CLAMP));
	vk->CmdSetDepthClipEnableEXT(cb, !!(f & SUNDOG_RASTER_FLAG_DEPTH_CLIP));
	vk->CmdSetDepthClipNegativeOneToOneEXT(cb, !!(f & SUNDOG_RASTER_FLAG_CLIP_NEGATIVE_ONE));
	vk->CmdSetDepthBiasEnable(cb, !!(f & SUNDOG_RASTER_FLAG_DEPTH_BIAS));
	vk->CmdSetDepthBias(cb, cmd->bias_constant, cmd->bias_clamp, cmd->bias_slope);
	vk->CmdSetProvokingVertexModeEXT(cb, f & SUNDOG_RASTER_FLAG_PROVOKING_LAST ?
					 VK_PROVOKING_VERTEX_MODE_LAST_VERTEX_EXT :
					 VK_PROVOKING_VERTEX_MODE_FIRST_VERTEX_EXT);
	/* There is no primitive restart for patches. */
	vk->CmdSetPrimitiveRestartEnable(cb, (f & SUNDOG_RASTER_FLAG_PRIMITIVE_RESTART) &&
					 cmd->topology != VK_PRIMITIVE_TOPOLOGY_PATCH_LIST);
	vk->CmdSetPrimitiveTopology(cb, cmd->topology);
	vk->CmdSetPolygonModeEXT(cb, cmd->polygon_mode);
	vk->CmdSetCullMode(cb, cmd->cull_mode);
	vk->CmdSetFrontFace(cb, cmd->front_face);
	vk->CmdSetLineRasterizationModeEXT(cb, cmd->line_mode);
	vk->CmdSetLineStippleEnableEXT(cb, !!(f & SUNDOG_RASTER_FLAG_LINE_STIPPLE));
	vk->CmdSetLineStippleEXT(cb, cmd->stipple_factor, cmd->stipple_pattern);
	vk->CmdSetLineWidth(cb, width);
	x->draw.topology = cmd->topology;
	x->draw.fills = !cmd->polygon_mode;
	x->draw.outlines = cmd->polygon_mode == VK_POLYGON_MODE_LINE;
	x->draw.smooth_lines = cmd->line_mode == VK_LINE_RASTERIZATION_MODE_RECTANGULAR_SMOOTH_EXT;
	x->draw.plain_lines = false;
	x->draw.restarts = f & SUNDOG_RASTER_FLAG_PRIMITIVE_RESTART;
	x->draw.have |= HAVE_RASTER;
	return true;
}

static void set_stencil_face(struct exec *x, VkStencilFaceFlags face,
			     const struct sundog_stencil_face *s)
{
	const VkCommandBuffer cb = x->draw.cmd;

	x->vk.CmdSetStencilOp(cb, face, s->fail_op, s->pass_op, s->depth_fail_op, s->compare_op);
	x->vk.CmdSetStencilCompareMask(cb, face, s->compare_mask);
	x->vk.CmdSetStencilWriteMask(cb, face, s->write_mask);
}

bool run_set_depth_stencil(struct exec *x, const struct sundog_cmd_set_depth_stencil *cmd)
{
	const struct vk *vk = &x->vk;
	const VkCommandBuffer cb = x->draw.cmd;
	const bool bounds = cmd->flags & SUNDOG_DEPTH_STENCIL_FLAG_DEPTH_BOUNDS;

	if (bounds && (!vk->features.depthBounds ||
		       !depth_ok(x, cmd->bounds_min) || !depth_ok(x, cmd->bounds_max) ||
		       cmd->bounds_min > cmd->bounds_max))
		return fault(x, SUNDOG_FAULT_CODE_FIELD, 3);
	vk->CmdSetDepthTestEnable(cb, !!(cmd->flags & SUNDOG_DEPTH_STENCIL_FLAG_DEPTH_TEST));
	vk->CmdSetDepthWriteEnable(cb, !!(cmd->flags & SUNDOG_DEPTH_STENCIL_FLAG_DEPTH_WRITE));
	vk->CmdSetDepthCompareOp(cb, cmd->depth_compare);
	vk->CmdSetDepthBoundsTestEnable(cb, bounds);
	if (bounds)
		vk->CmdSetDepthBounds(cb, cmd->bounds_min, cmd->bounds_max);
	vk->CmdSetStencilTestEnable(cb, !!(cmd->flags & SUNDOG_DEPTH_STENCIL_FLAG_STENCIL_TEST));
	set_stencil_face(x, VK_STENCIL_FACE_FRONT_BIT, &cmd->front);
	set_stencil_face(x, VK_STENCIL_FACE_BACK_BIT, &cmd->back);
	x->draw.have |= HAVE_DEPTH_STENCIL;
	return true;
}

bool run_set_stencil_reference(struct exec *x, const struct sundog_cmd_set_stencil_reference *cmd)
{
	x->vk.CmdSetStencilReference(x->draw.cmd, VK_STENCIL_FACE_FRONT_BIT, cmd->front);
	x->vk.CmdSetStencilReference(x->draw.cmd, VK_STENCIL_FACE_BACK_BIT, cmd->back);
	x->draw.have |= HAVE_STENCIL_REFERENCE;
	return true;
}

static bool uses_second_source(const struct sundog_blend_attachment *a)
{
	const uint32_t first = VK_BLEND_FACTOR_SRC1_COLOR;

	return a->enable && (a->src_color >= first || a->dst_color >= first ||
			     a->src_alpha >= first || a->dst_alpha >= first);
}

bool run_set_blend(struct exec *x, const struct sundog_cmd_set_blend *cmd,
		   const struct sundog_blend_attachment *attachments)
{
	VkBool32 enable[SUNDOG_MAX_COLOR_ATTACHMENTS];
	VkColorBlendEquationEXT equation[SUNDOG_MAX_COLOR_ATTACHMENTS];
	VkColorComponentFlags mask[SUNDOG_MAX_COLOR_ATTACHMENTS];
	const VkCommandBuffer cb = x->draw.cmd;

	if (cmd->logic_enable && !x->vk.features.logicOp)
		return fault(x, SUNDOG_FAULT_CODE_FIELD, 1);
	for (uint32_t i = 0; i < cmd->count; i++) {
		const struct sundog_blend_attachment *a = &attachments[i];

		/* Only attachment 0 has a second source: llvmpipe looks at the first one only. */
		if (uses_second_source(a) && (i || !x->vk.features.dualSrcBlend))
			return fault(x, SUNDOG_FAULT_CODE_FIELD, sizeof(*cmd) / 4 + 1 + i * 8);
		enable[i] = a->enable;
		equation[i] = (VkColorBlendEquationEXT){
			a->src_color, a->dst_color, a->color_op,
			a->src_alpha, a->dst_alpha, a->alpha_op,
		};
		mask[i] = a->write_mask;
	}
	x->vk.CmdSetLogicOpEnableEXT(cb, cmd->logic_enable);
	x->vk.CmdSetLogicOpEXT(cb, cmd->logic_op);
	if (cmd->count) {
		x->vk.CmdSetColorBlendEnableEXT(cb, 0, cmd->count, enable);
		x->vk.CmdSetColorBlendEquationEXT(cb, 0, cmd->count, equation);
		x->vk.CmdSetColorWriteMaskEXT(cb, 0, cmd->count, mask);
	}
	x->draw.blend_count = cmd->count;
	x->draw.dual_source = cmd->count && uses_second_source(&attachments[0]);
	x->draw.have |= HAVE_BLEND;
	return true;
}

bool run_set_blend_constants(struct exec *x, const struct sundog_cmd_set_blend_constants *cmd)
{
	x->vk.CmdSetBlendConstants(x->draw.cmd, cmd->color);
	x->draw.have |= HAVE_BLEND_CONSTANTS;
	return true;
}

bool run_set_multisample(struct exec *x, const struct sundog_cmd_set_multisample *cmd)
{
	const VkSampleMask mask[2] = { cmd->mask, cmd->mask };
	const VkCommandBuffer cb = x->draw.cmd;
	const bool to_one = cmd->flags & SUNDOG_MULTISAMPLE_FLAG_ALPHA_TO_ONE;
	const bool whole = cmd->flags & SUNDOG_MULTISAMPLE_FLAG_WHOLE_PIXELS;

	if (!(cmd->samples & x->caps.sample_counts) || cmd->samples & (cmd->samples - 1))
		return fault(x, SUNDOG_FAULT_CODE_FIELD, 2);
	if ((to_one && (whole || !x->vk.features.alphaToOne)) ||
	    (whole && !exec_has(x, SUNDOG_FEATURE_WHOLE_PIXELS)))
		return fault(x, SUNDOG_FAULT_CODE_FIELD, 1);
	x->draw.samples = cmd->samples;
	/*
	 * Set alpha-to-one first: lavapipe assumes several samples until the sample count is set.
	 */
	if (x->vk.features.alphaToOne)
		x->vk.CmdSetAlphaToOneEnableEXT(cb, to_one);
	x->vk.CmdSetRasterizationSamplesEXT(cb, whole ? VK_SAMPLE_COUNT_1_BIT : cmd->samples);
	x->vk.CmdSetSampleMaskEXT(cb, cmd->samples, mask);
	x->vk.CmdSetAlphaToCoverageEnableEXT(cb, !!(cmd->flags &
						    SUNDOG_MULTISAMPLE_FLAG_ALPHA_TO_COVERAGE));
	x->draw.have |= HAVE_MULTISAMPLE;
	return true;
}

bool run_set_vertex_input(struct exec *x, const struct sundog_cmd_set_vertex_input *cmd,
			  const struct sundog_vertex_attribute *attributes)
{
	VkVertexInputBindingDescription2EXT bindings[SUNDOG_MAX_VERTEX_BUFFERS];
	VkVertexInputAttributeDescription2EXT out[SUNDOG_MAX_VERTEX_ATTRIBUTES];
	uint32_t locations = 0, needed = 0;

	for (uint32_t i = 0; i < cmd->n_bindings; i++) {
		if (cmd->bindings[i].stride > x->caps.max_vertex_stride)
			return fault(x, SUNDOG_FAULT_CODE_FIELD, 2 + i * 2);
		bindings[i] = (VkVertexInputBindingDescription2EXT){
			.sType = VK_STRUCTURE_TYPE_VERTEX_INPUT_BINDING_DESCRIPTION_2_EXT,
			.binding = i, .stride = cmd->bindings[i].stride,
			.inputRate = cmd->bindings[i].divisor ? VK_VERTEX_INPUT_RATE_INSTANCE :
				     VK_VERTEX_INPUT_RATE_VERTEX,
			.divisor = cmd->bindings[i].divisor ? cmd->bindings[i].divisor : 1,
		};
	}
	for (uint32_t i = 0; i < cmd->count; i++) {
		const struct sundog_vertex_attribute *a = &attributes[i];
		const VkFormat format = format_of_stream(a->format);

		if (a->location >= x->caps.max_vertex_attributes || locations & 1u << a->location ||
		    a->binding >= cmd->n_bindings ||
		    a->offset > x->vk.props.limits.maxVertexInputAttributeOffset ||
		    !(caps_format(x, format) & SUNDOG_FORMAT_FEATURE_VERTEX))
			return fault(x, SUNDOG_FAULT_CODE_FIELD, sizeof(*cmd) / 4 + 1 + i * 4);
		locations |= 1u << a->location;
		needed |= 1u << a->binding;
		out[i] = (VkVertexInputAttributeDescription2EXT){
			.sType = VK_STRUCTURE_TYPE_VERTEX_INPUT_ATTRIBUTE_DESCRIPTION_2_EXT,
			.location = a->location, .binding = a->binding, .format = format,
			.offset = a->offset,
		};
	}
	x->draw.vertex_slots_needed = needed;
	x->vk.CmdSetVertexInputEXT(x->draw.cmd, cmd->n_bindings, bindings, cmd->count, out);
	x->draw.have |= HAVE_VERTEX_INPUT;
	return true;
}

struct vertex_buffers {
	VkBuffer buffers[SUNDOG_MAX_VERTEX_BUFFERS];
	VkDeviceSize offsets[SUNDOG_MAX_VERTEX_BUFFERS], sizes[SUNDOG_MAX_VERTEX_BUFFERS];
};

/* Bind @size bytes or more at @offset of @mem as buffer @i. */
static bool take_vertex_buffer(struct exec *x, struct vertex_buffers *out, uint32_t i,
			       struct sundog_mem mem, uint64_t offset, uint64_t size)
{
	struct alloc *alloc = memory_find(x, mem, SUNDOG_ACCESS_READ);

	if (!alloc || !memory_buffer_range(x, alloc, offset, size))
		return false;
	out->buffers[i] = memory_buffer(x, alloc);
	out->offsets[i] = offset;
	out->sizes[i] = size;
	return out->buffers[i];
}

static bool vertex_slots_ok(struct exec *x, uint32_t first, uint32_t count)
{
	return (count && first + count <= SUNDOG_MAX_VERTEX_BUFFERS) ||
	       fault(x, SUNDOG_FAULT_CODE_FIELD, 2);
}

bool run_bind_vertex_buffers(struct exec *x, const struct sundog_cmd_bind_vertex_buffers *cmd,
			     const struct sundog_buffer_binding *buffers)
{
	struct vertex_buffers out = { 0 };

	if (!vertex_slots_ok(x, cmd->first, cmd->count))
		return false;
	for (uint32_t i = 0; i < cmd->count; i++) {
		if (!buffers[i].mem.kres && !buffers[i].mem.index)
			continue;
		if (!take_vertex_buffer(x, &out, i, buffers[i].mem, buffers[i].offset, 1))
			return false;
	}
	x->vk.CmdBindVertexBuffers(x->draw.cmd, cmd->first, cmd->count, out.buffers, out.offsets);
	x->draw.vertex_slots_bound |= ((1u << cmd->count) - 1) << cmd->first;
	return true;
}

bool run_bind_vertex_ranges(struct exec *x, const struct sundog_cmd_bind_vertex_ranges *cmd,
			    const struct sundog_mem_range *ranges)
{
	struct vertex_buffers out = { 0 };

	if (!vertex_slots_ok(x, cmd->first, cmd->count))
		return false;
	for (uint32_t i = 0; i < cmd->count; i++)
		if (ranges[i].size && !take_vertex_buffer(x, &out, i, ranges[i].mem,
							  ranges[i].offset, ranges[i].size))
			return false;
	x->vk.CmdBindVertexBuffers2(x->draw.cmd, cmd->first, cmd->count, out.buffers, out.offsets,
				    out.sizes, NULL);
	x->draw.vertex_slots_bound |= ((1u << cmd->count) - 1) << cmd->first;
	x->draw.vertex_ranges = true;
	return true;
}

/* Lavapipe creates a buffer for a range, and frees it when something else is bound to the slot. */
void vertex_ranges_release(struct exec *x)
{
	static const struct vertex_buffers none;

	if (x->draw.vertex_ranges)
		x->vk.CmdBindVertexBuffers(x->draw.cmd, 0, SUNDOG_MAX_VERTEX_BUFFERS, none.buffers,
					   none.offsets);
}

bool run_bind_index_buffer(struct exec *x, const struct sundog_cmd_bind_index_buffer *cmd)
{
	static const struct {
		VkIndexType vk;
		uint32_t size;
	} types[] = { { VK_INDEX_TYPE_UINT16, 2 },
		      { VK_INDEX_TYPE_UINT32, 4 },
		      { VK_INDEX_TYPE_UINT8_EXT, 1 } };
	const uint32_t size = types[cmd->type].size;
	struct alloc *alloc = memory_find(x, cmd->mem, SUNDOG_ACCESS_READ);
	VkBuffer buffer;

	if (!alloc)
		return false;
	if (size == 1 && !exec_has(x, SUNDOG_FEATURE_INDEX_UINT8))
		return fault(x, SUNDOG_FAULT_CODE_FIELD, 5);
	if (cmd->offset % size || !memory_buffer_range(x, alloc, cmd->offset, size))
		return fault(x, SUNDOG_FAULT_CODE_RANGE, alloc->handle);
	buffer = memory_buffer(x, alloc);
	if (!buffer)
		return false;
	x->vk.CmdBindIndexBuffer(x->draw.cmd, buffer, cmd->offset, types[cmd->type].vk);
	x->draw.index_alloc = alloc;
	x->draw.index_offset = cmd->offset;
	x->draw.index_size = size;
	return true;
}

/*
 * Look up the shaders that a packet names by @n ids. Returns false with a fault recorded if one
 * does not exist or has another stage.
 */
static bool find_shaders(struct exec *x, const uint32_t *ids, uint32_t n, struct shader **shaders)
{
	for (uint32_t i = 0; i < NUM_STAGES; i++) {
		shaders[i] = NULL;
		if (i >= n || !ids[i])
			continue;
		shaders[i] = (struct shader *)object_find(x, ids[i], SUNDOG_OBJECT_KIND_SHADER);
		if (!shaders[i])
			return false;
		if (shaders[i]->stage != i)
			return fault(x, SUNDOG_FAULT_CODE_OBJECT, ids[i]);
	}
	return true;
}

/*
 * Check that the shaders are a complete set: a vertex shader or only a compute shader, and both
 * tessellation shaders or none.
 */
static bool stages_ok(struct exec *x, struct shader *const *shaders)
{
	bool any = false;

	for (uint32_t i = 0; i < NUM_STAGES; i++)
		any |= shaders[i] && GRAPHICS_STAGES >> i & 1;
	if ((any || !shaders[SUNDOG_STAGE_COMPUTE]) && !shaders[SUNDOG_STAGE_VERTEX])
		return fault(x, SUNDOG_FAULT_CODE_OBJECT, 0);
	if (!shaders[SUNDOG_STAGE_TESS_CTRL] != !shaders[SUNDOG_STAGE_TESS_EVAL])
		return fault(x, SUNDOG_FAULT_CODE_OBJECT, 0);
	return true;
}

/*
 * Check that mesh and vertex pipelines are never bound together: llvmpipe takes the outputs of a
 * mesh shader for those of any last stage.
 */
static bool mesh_stages_ok(struct exec *x, struct shader *const *shaders)
{
	if (!shaders[SUNDOG_STAGE_MESH] || shaders[SUNDOG_STAGE_VERTEX] ||
	    shaders[SUNDOG_STAGE_GEOMETRY] || shaders[SUNDOG_STAGE_TESS_CTRL] ||
	    shaders[SUNDOG_STAGE_TESS_EVAL])
		return fault(x, SUNDOG_FAULT_CODE_OBJECT, 0);
	return true;
}

/*
 * lavapipe passes push constants on with the next draw or query to the stages that have a shader
 * then; stages that get a shader later do not receive them. So push them again.
 */
static void push_to_new_stages(struct exec *x, uint32_t stages, uint32_t bound)
{
	const uint32_t before = x->draw.host_stages;

	x->draw.host_stages = (before & ~stages) | bound;
	if (x->draw.has_pushed && bound & ~before)
		x->vk.CmdPushConstants(x->draw.cmd, x->draw.pipeline_layout, shader_all_stages(x),
				       0, sizeof(x->draw.pushed), x->draw.pushed);
}

void shaders_to_host(struct exec *x, const VkShaderEXT *shaders, uint32_t stages)
{
	VkShaderStageFlagBits bits[NUM_STAGES];
	VkShaderEXT out[NUM_STAGES];
	uint32_t n = 0, bound = 0;

	for (uint32_t i = 0; i < NUM_STAGES; i++) {
		if (!(stages >> i & 1) || !shader_stage_there(x, i))
			continue;
		bits[n] = shader_stage_bits[i];
		bound |= (uint32_t)(shaders[i] != VK_NULL_HANDLE) << i;
		out[n++] = shaders[i];
	}
	x->vk.CmdBindShadersEXT(x->draw.cmd, n, bits, out);
	push_to_new_stages(x, stages, bound);
	x->draw.mesh_groups &= !(stages >> SUNDOG_STAGE_COMPUTE & 1);
	if (stages >> SUNDOG_STAGE_TESS_EVAL & 1)
		x->draw.eval_copied = false;
	/* A geometry shader may have several vertex streams; select the one that is rasterized. */
	if (x->vk.feedback && stages >> SUNDOG_STAGE_GEOMETRY & 1 && shaders[SUNDOG_STAGE_GEOMETRY])
		x->vk.CmdSetRasterizationStreamEXT(x->draw.cmd, 0);
}

static void bind(struct exec *x, struct shader *const *shaders)
{
	VkShaderEXT out[NUM_STAGES];

	for (int i = 0; i < NUM_STAGES; i++) {
		if (shaders[i])
			compiler_finish(x, shaders[i]);
		out[i] = shaders[i] ? shaders[i]->shader : VK_NULL_HANDLE;
		if (x->draw.shaders[i] != shaders[i])
			x->draw.stages[i].dirty = x->draw.bound_sets[i == SUNDOG_STAGE_COMPUTE]
							  .dirty = true;
		x->draw.shaders[i] = shaders[i];
	}
	if (shaders[SUNDOG_STAGE_COMPUTE])
		shaders_to_host(x, out, 1u << SUNDOG_STAGE_COMPUTE);
	x->draw.have &= ~HAVE_SHADERS;
	if (shaders[SUNDOG_STAGE_VERTEX] || shaders[SUNDOG_STAGE_MESH]) {
		shaders_to_host(x, out, GRAPHICS_STAGES);
		patch_origin_to_host(x);
		x->draw.have |= HAVE_SHADERS;
	}
}

void mesh_shaders_to_host(struct exec *x, bool bound)
{
	VkShaderEXT out[NUM_STAGES] = { 0 };

	if (!x->draw.shaders[SUNDOG_STAGE_MESH])
		return;
	for (int i = 0; bound && i < NUM_STAGES; i++)
		out[i] = x->draw.shaders[i] ? x->draw.shaders[i]->shader : VK_NULL_HANDLE;
	shaders_to_host(x, out, MESH_STAGES);
}

bool run_bind_shaders(struct exec *x, const struct sundog_cmd_bind_shaders *cmd)
{
	struct shader *shaders[NUM_STAGES];

	if (!find_shaders(x, cmd->shaders, NUM_SLOT_STAGES, shaders) || !stages_ok(x, shaders))
		return false;
	bind(x, shaders);
	return true;
}

bool run_bind_mesh_shaders(struct exec *x, const struct sundog_cmd_bind_mesh_shaders *cmd)
{
	struct shader *shaders[NUM_STAGES];

	if (!exec_has(x, SUNDOG_FEATURE_MESH_SHADERS))
		return fault(x, SUNDOG_FAULT_CODE_OPCODE, SUNDOG_OP_BIND_MESH_SHADERS);
	if (!find_shaders(x, cmd->shaders, NUM_STAGES, shaders) || !mesh_stages_ok(x, shaders))
		return false;
	bind(x, shaders);
	return true;
}

bool run_push_constants(struct exec *x, const struct sundog_cmd_push_constants *cmd,
			const uint32_t *data)
{
	if (cmd->offset % 4 || !cmd->count ||
	    cmd->offset + cmd->count * 4 > SUNDOG_MAX_PUSH_CONSTANTS)
		return fault(x, SUNDOG_FAULT_CODE_FIELD, 1);
	memcpy((char *)x->draw.pushed + cmd->offset, data, cmd->count * 4);
	x->draw.has_pushed = true;
	x->vk.CmdPushConstants(x->draw.cmd, x->draw.pipeline_layout,
			       shader_all_stages(x),
			       cmd->offset, cmd->count * 4, data);
	return true;
}
