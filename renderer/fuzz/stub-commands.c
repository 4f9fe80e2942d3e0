// SPDX-License-Identifier: MIT
/*
 * The stub's command buffers, see stub.h: each command is checked against the state that earlier
 * commands set.
 */
#include "stub.h"

#include <math.h>
#include <string.h>

#include "exec/batch.h"
#include "host/format.h"
#include "sundog_hw.h"

/* State that VK_EXT_shader_object requires before a draw. */
enum stub_state {
	SET_VIEWPORTS,
	SET_SCISSORS,
	SET_DISCARD,
	SET_DEPTH_CLAMP,
	SET_DEPTH_CLIP,
	SET_CLIP_CONTROL,
	SET_BIAS_ENABLE,
	SET_BIAS,
	SET_PROVOKING,
	SET_RESTART,
	SET_TOPOLOGY,
	SET_POLYGON,
	SET_CULL,
	SET_FRONT,
	SET_LINE_MODE,
	SET_STIPPLE_ENABLE,
	SET_STIPPLE,
	SET_LINE_WIDTH,
	SET_DEPTH_TEST,
	SET_DEPTH_WRITE,
	SET_DEPTH_COMPARE,
	SET_BOUNDS_TEST,
	SET_STENCIL_TEST,
	SET_STENCIL_OP,
	SET_STENCIL_COMPARE,
	SET_STENCIL_WRITE,
	SET_STENCIL_REFERENCE,
	SET_LOGIC_ENABLE,
	SET_LOGIC,
	SET_BLEND_CONSTANTS,
	SET_SAMPLES,
	SET_SAMPLE_MASK,
	SET_TO_COVERAGE,
	SET_TO_ONE,
	SET_VERTEX_INPUT,
	SET_SHADERS,
	N_STATES,
};

/* Depth bounds and color blend state is checked only where it is enabled. */
#define ALL_STATES ((1ull << N_STATES) - 1)

static struct stub_commands *commands(VkCommandBuffer cb)
{
	struct stub_commands *c = STUB_OBJECT(stub_commands, cb, STUB_COMMANDS);

	REQUIRE(c->recording, "commandBuffer must be in the recording state");
	return c;
}

static struct stub_commands *outside(VkCommandBuffer cb)
{
	struct stub_commands *c = commands(cb);

	REQUIRE(!c->rendering, "must be called outside of a render pass instance");
	return c;
}

static struct stub_commands *inside(VkCommandBuffer cb)
{
	struct stub_commands *c = commands(cb);

	REQUIRE(c->rendering, "must be called inside of a render pass instance");
	return c;
}

/* Aborts with @rule unless the driver can access these bytes. */
static void touch(const struct stub_buffer *b, VkDeviceSize offset, VkDeviceSize size,
		  const char *rule)
{
	REQUIRE(b->at, "buffer must be bound to memory");
	REQUIRE(size && offset <= b->size && size <= b->size - offset, rule);
	stub_touch(b->at + offset, size);
}

static VkResult BeginCommandBuffer(VkCommandBuffer cb, const VkCommandBufferBeginInfo *info)
{
	struct stub_commands *c = STUB_OBJECT(stub_commands, cb, STUB_COMMANDS);

	(void)info;
	REQUIRE(!c->recording, "VUID-vkBeginCommandBuffer-commandBuffer-00049");
	*c = (struct stub_commands){ .type = STUB_COMMANDS,
				     .secondary = c->secondary,
				     .recording = true };
	return VK_SUCCESS;
}

static VkResult EndCommandBuffer(VkCommandBuffer cb)
{
	struct stub_commands *c = outside(cb);

	REQUIRE(!c->queries_active, "VUID-vkEndCommandBuffer-commandBuffer-00061");
	REQUIRE(!c->condition, "VUID-vkEndCommandBuffer-None-01978");
	c->recording = false;
	return VK_SUCCESS;
}

static void CmdExecuteCommands(VkCommandBuffer cb, uint32_t n, const VkCommandBuffer *buffers)
{
	outside(cb);
	for (uint32_t i = 0; i < n; i++) {
		const struct stub_commands *c = STUB_OBJECT(stub_commands, buffers[i],
							    STUB_COMMANDS);

		REQUIRE(c->secondary && !c->recording,
			"VUID-vkCmdExecuteCommands-pCommandBuffers-00089");
	}
}

/* Renderings */

/*
 * VUID-VkClearDepthStencilValue-depth-00022 with VK_EXT_depth_range_unrestricted. The host's
 * conversion of a depth that is not in 0..1 to a fixed-point number is undefined in C.
 */
static bool depth_fits(const struct stub_image *image, const VkClearDepthStencilValue *value)
{
	return format_has_float_depth(image->info.format) ?
		       !isnan(value->depth) :
		       value->depth >= 0.0f && value->depth <= 1.0f;
}

static void attach(struct stub_commands *c, const VkRenderingInfo *info,
		   const VkRenderingAttachmentInfo *a, VkImageUsageFlags usage,
		   VkImageAspectFlags aspect)
{
	const struct stub_view *view = STUB_OBJECT(stub_view, a->imageView, STUB_VIEW);
	const VkImageSubresourceRange *r = &view->info.subresourceRange;
	const VkExtent3D e = view->image->info.extent;
	const uint32_t width = format_minify(e.width, r->baseMipLevel),
		       height = format_minify(e.height, r->baseMipLevel);

	REQUIRE(view->usage & usage, "VUID-VkRenderingInfo-colorAttachmentCount-06087");
	REQUIRE(format_aspects(view->info.format) & aspect,
		"VUID-VkRenderingInfo-pDepthAttachment-06547");
	REQUIRE(r->levelCount == 1, "attachments have one level");
	REQUIRE(r->layerCount >= (info->viewMask ? 32 - (uint32_t)__builtin_clz(info->viewMask)
						 : info->layerCount),
		"VUID-VkRenderingInfo-viewMask-10859");
	REQUIRE((uint64_t)info->renderArea.offset.x + info->renderArea.extent.width <= width &&
		(uint64_t)info->renderArea.offset.y + info->renderArea.extent.height <= height,
		"VUID-VkRenderingInfo-pNext-06079");
	REQUIRE(!c->samples || c->samples == (uint32_t)view->image->info.samples,
		"VUID-VkRenderingInfo-multisampledRenderToSingleSampled-06857");
	REQUIRE(aspect != VK_IMAGE_ASPECT_DEPTH_BIT || a->loadOp != VK_ATTACHMENT_LOAD_OP_CLEAR ||
			depth_fits(view->image, &a->clearValue.depthStencil),
		"VUID-VkClearDepthStencilValue-depth-00022");
	c->samples = view->image->info.samples;
}

static void CmdBeginRendering(VkCommandBuffer cb, const VkRenderingInfo *info)
{
	struct stub_commands *c = outside(cb);

	REQUIRE(info->layerCount || info->viewMask, "VUID-VkRenderingInfo-viewMask-06069");
	REQUIRE(!(info->viewMask >> STUB_MAX_VIEWS), "VUID-VkRenderingInfo-viewMask-06128");
	REQUIRE(info->renderArea.offset.x >= 0 && info->renderArea.offset.y >= 0 &&
			info->renderArea.extent.width && info->renderArea.extent.height,
		"VUID-VkRenderingInfo-pNext-06077");
	REQUIRE(info->colorAttachmentCount <= 8, "VUID-VkRenderingInfo-colorAttachmentCount-06106");
	c->samples = 0;
	c->color_mask = 0;
	for (uint32_t i = 0; i < info->colorAttachmentCount; i++) {
		if (!info->pColorAttachments[i].imageView)
			continue;
		attach(c, info, &info->pColorAttachments[i], VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
		       VK_IMAGE_ASPECT_COLOR_BIT);
		c->color_mask |= 1u << i;
	}
	c->depth_stencil = 0;
	if (info->pDepthAttachment && info->pDepthAttachment->imageView) {
		attach(c, info, info->pDepthAttachment, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT,
		       VK_IMAGE_ASPECT_DEPTH_BIT);
		c->depth_stencil |= VK_IMAGE_ASPECT_DEPTH_BIT;
	}
	if (info->pStencilAttachment && info->pStencilAttachment->imageView) {
		attach(c, info, info->pStencilAttachment,
		       VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT, VK_IMAGE_ASPECT_STENCIL_BIT);
		c->depth_stencil |= VK_IMAGE_ASPECT_STENCIL_BIT;
		REQUIRE(!(c->depth_stencil & VK_IMAGE_ASPECT_DEPTH_BIT) ||
			info->pDepthAttachment->imageView == info->pStencilAttachment->imageView,
			"VUID-VkRenderingInfo-pDepthAttachment-06085");
	}
	c->rendering = true;
	c->area = info->renderArea;
	c->layers = info->viewMask ? 1 : info->layerCount;
	c->view_mask = info->viewMask;
	c->colors = info->colorAttachmentCount;
}

static void CmdEndRendering(VkCommandBuffer cb)
{
	struct stub_commands *c = inside(cb);

	REQUIRE(!c->feedback, "VUID-vkCmdEndRendering-None-06999");
	REQUIRE(!c->condition || !c->condition_inside, "VUID-vkCmdEndRendering-None-10645");
	c->rendering = false;
}

static void CmdClearAttachments(VkCommandBuffer cb, uint32_t n,
				const VkClearAttachment *attachments, uint32_t n_rects,
				const VkClearRect *rects)
{
	const struct stub_commands *c = inside(cb);

	REQUIRE(n && n_rects, "VUID-vkCmdClearAttachments-attachmentCount-arraylength");
	for (uint32_t i = 0; i < n; i++) {
		const VkClearAttachment *a = &attachments[i];

		REQUIRE(a->aspectMask, "VUID-VkClearAttachment-aspectMask-requiredbitmask");
		if (a->aspectMask & VK_IMAGE_ASPECT_COLOR_BIT)
			REQUIRE(a->aspectMask == VK_IMAGE_ASPECT_COLOR_BIT &&
					a->colorAttachment < c->colors,
				"VUID-vkCmdClearAttachments-colorAttachment-09503");
		else
			REQUIRE(!(a->aspectMask & ~c->depth_stencil),
				"VUID-vkCmdClearAttachments-aspectMask-07884");
	}
	for (uint32_t i = 0; i < n_rects; i++) {
		const VkRect2D *r = &rects[i].rect;

		REQUIRE(r->extent.width && r->extent.height,
			"VUID-vkCmdClearAttachments-rect-02682");
		REQUIRE(r->offset.x >= c->area.offset.x && r->offset.y >= c->area.offset.y &&
				(uint64_t)r->offset.x + r->extent.width <=
					(uint64_t)c->area.offset.x + c->area.extent.width &&
				(uint64_t)r->offset.y + r->extent.height <=
					(uint64_t)c->area.offset.y + c->area.extent.height,
			"VUID-vkCmdClearAttachments-pRects-00016");
		REQUIRE(rects[i].layerCount &&
				(uint64_t)rects[i].baseArrayLayer + rects[i].layerCount <=
					c->layers,
			"VUID-vkCmdClearAttachments-pRects-06937");
	}
}

/* Draws */

static uint32_t slot_of(VkShaderStageFlagBits stage)
{
	switch (stage) {
	case VK_SHADER_STAGE_VERTEX_BIT:
		return STUB_VERTEX;
	case VK_SHADER_STAGE_FRAGMENT_BIT:
		return STUB_FRAGMENT;
	case VK_SHADER_STAGE_GEOMETRY_BIT:
		return STUB_GEOMETRY;
	case VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT:
		return STUB_TESS_CTRL;
	case VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT:
		return STUB_TESS_EVAL;
	case VK_SHADER_STAGE_COMPUTE_BIT:
		return STUB_COMPUTE;
	case VK_SHADER_STAGE_TASK_BIT_EXT:
		return STUB_TASK;
	case VK_SHADER_STAGE_MESH_BIT_EXT:
		return STUB_MESH;
	default:
		REQUIRE(false, "the stub has eight stages");
	}
}

/* Returns true if the topology has primitives of that many vertices. */
static bool makes(VkPrimitiveTopology topology, uint32_t vertices)
{
	static const uint32_t made[] = { 1, 2, 2, 3, 3, 3, 4, 4, 6, 6 };

	return topology < sizeof(made) / sizeof(made[0]) && made[topology] == vertices;
}

static void stages_fit(const struct stub_commands *c)
{
	const struct stub_shader *geometry = c->shaders[STUB_GEOMETRY];
	const struct stub_shader *eval = c->shaders[STUB_TESS_EVAL];

	REQUIRE(!eval == !c->shaders[STUB_TESS_CTRL], "VUID-vkCmdDraw-None-08607");
	REQUIRE(!eval == (c->topology != VK_PRIMITIVE_TOPOLOGY_PATCH_LIST),
		"VUID-vkCmdDraw-stage-07065");
	REQUIRE(!eval || c->patch_vertices, "VUID-vkCmdDraw-None-04875");
	REQUIRE(!geometry || (eval ? eval->vertices == geometry->vertices
				   : makes(c->topology, geometry->vertices)),
		"VUID-VkGraphicsPipelineCreateInfo-pStages-00738");
	REQUIRE(!geometry || c->rasterization_stream, "VUID-vkCmdDraw-None-07630");
}

static bool same_sets(const struct stub_set_layout *a, const struct stub_set_layout *b)
{
	if (a->n_bindings != b->n_bindings)
		return false;
	for (uint32_t i = 0; i < a->n_bindings; i++)
		if (a->bindings[i].binding != b->bindings[i].binding ||
		    a->bindings[i].descriptorType != b->bindings[i].descriptorType ||
		    a->bindings[i].descriptorCount != b->bindings[i].descriptorCount)
			return false;
	return true;
}

static bool is_tables(const struct stub_set_layout *layout)
{
	return layout->n_bindings && layout->bindings[0].descriptorCount == SUNDOG_MAX_HANDLES;
}

/*
 * Checks that the sets that the shader uses are bound, with layouts that are defined like the
 * shader's.
 */
static void sets_fit(const struct stub_commands *c, VkPipelineBindPoint point,
		     const struct stub_shader *shader)
{
	for (uint32_t i = 0; shader && i < STUB_MAX_SETS; i++)
		REQUIRE(!(shader->sets >> i & 1) ||
				(i < shader->layout.n_sets && c->sets[point][i].layout &&
				 (c->sets[point][i].point == point ||
				  is_tables(c->sets[point][i].layout)) &&
				 same_sets(c->sets[point][i].layout, shader->layout.sets[i])),
			"VUID-vkCmdDraw-None-08600");
}

/* Checks the state that vertex and mesh draws need. */
static struct stub_commands *ready_for_fragments(VkCommandBuffer cb)
{
	struct stub_commands *c = inside(cb);
	const uint32_t colors = (1u << c->colors) - 1;

	REQUIRE(c->set == ALL_STATES || c->secondary,
		"all state that shader objects need must be set");
	REQUIRE(c->secondary || (!(colors & ~c->blend_enables) && !(colors & ~c->blend_equations) &&
				 !(colors & ~c->write_masks)),
		"VUID-vkCmdDraw-firstAttachment-07476");
	/* lavapipe accepts 1 for whole pixels of attachments with several samples. */
	REQUIRE(!c->samples || c->rasterization_samples == VK_SAMPLE_COUNT_1_BIT ||
		c->samples == (uint32_t)c->rasterization_samples,
		"VUID-vkCmdDraw-multisampledRenderToSingleSampled-07284");
	REQUIRE(!c->samples || c->samples == (uint32_t)c->mask_samples,
		"the mask is of the attachments' samples");
	for (uint32_t i = 0; i < STUB_STAGES; i++)
		REQUIRE(!c->shaders[i] || (c->shaders[i]->type == STUB_SHADER &&
					   slot_of(c->shaders[i]->stage) == i),
			"VUID-vkCmdDraw-None-08688");
	for (uint32_t i = 0; i < STUB_STAGES && !c->secondary; i++)
		if (i != STUB_COMPUTE)
			sets_fit(c, VK_PIPELINE_BIND_POINT_GRAPHICS, c->shaders[i]);
	for (uint32_t i = 0; i < STUB_COMPUTE && c->view_mask; i++)
		REQUIRE(!c->shaders[i] || !c->shaders[i]->layer,
			"VUID-VkGraphicsPipelineCreateInfo-renderPass-06059");
	return c;
}

static struct stub_commands *ready(VkCommandBuffer cb)
{
	struct stub_commands *c = ready_for_fragments(cb);

	REQUIRE(!(c->vertex_inputs & ~c->vertex_buffers), "VUID-vkCmdDraw-None-04007");
	REQUIRE(c->shaders[STUB_VERTEX], "VUID-vkCmdDraw-None-08684");
	REQUIRE(!c->shaders[STUB_MESH] && !c->shaders[STUB_TASK], "VUID-vkCmdDraw-None-08885");
	stages_fit(c);
	return c;
}

static void ready_for_meshes(VkCommandBuffer cb)
{
	const struct stub_commands *c = ready_for_fragments(cb);
	const struct stub_shader *fragment = c->shaders[STUB_FRAGMENT],
				 *task = c->shaders[STUB_TASK];
	const struct stub_shader *mesh = c->shaders[STUB_MESH];

	REQUIRE(mesh, "VUID-vkCmdDrawMeshTasksEXT-stage-06480");
	REQUIRE(!c->shaders[STUB_VERTEX] && !c->shaders[STUB_GEOMETRY] &&
			!c->shaders[STUB_TESS_CTRL] && !c->shaders[STUB_TESS_EVAL],
		"VUID-vkCmdDrawMeshTasksEXT-None-08885");
	REQUIRE(!c->feedback, "VUID-vkCmdDrawMeshTasksEXT-None-07074");
	REQUIRE(!c->view_mask, "VUID-VkGraphicsPipelineCreateInfo-renderPass-07064");
	REQUIRE(mesh->vertices <= (task ? task->vertices : 0), "llvmpipe reads all of the payload");
	REQUIRE(c->line_mode != VK_LINE_RASTERIZATION_MODE_RECTANGULAR_SMOOTH_EXT,
		"llvmpipe adds to vertices");
	REQUIRE(!fragment || !fragment->primitive_id, "llvmpipe adds numbers to vertices");
	REQUIRE(!fragment || !fragment->front_facing || c->polygon_mode == VK_POLYGON_MODE_FILL,
		"llvmpipe adds sides to vertices");
}

static void CmdDraw(VkCommandBuffer cb, uint32_t vertices, uint32_t instances, uint32_t first,
		    uint32_t first_instance)
{
	ready(cb);
	REQUIRE((uint64_t)first + vertices <= 1ull << 32 &&
			(uint64_t)first_instance + instances <= 1ull << 32,
		"numbers have 32 bits");
}

static void CmdDrawMeshTasksEXT(VkCommandBuffer cb, uint32_t x, uint32_t y, uint32_t z)
{
	ready_for_meshes(cb);
	REQUIRE(x <= SUNDOG_MAX_MESH_GROUPS && y <= SUNDOG_MAX_MESH_GROUPS &&
			z <= SUNDOG_MAX_MESH_GROUPS,
		"VUID-vkCmdDrawMeshTasksEXT-TaskEXT-07322");
	REQUIRE((uint64_t)x * y * z <= SUNDOG_MAX_MESH_TOTAL_GROUPS,
		"VUID-vkCmdDrawMeshTasksEXT-TaskEXT-07325");
}

/* Checks the arguments of @n indirect commands of @size bytes each. */
static void arguments(VkBuffer buffer, VkDeviceSize offset, uint32_t n, uint32_t stride,
		      VkDeviceSize size)
{
	const struct stub_buffer *b = STUB_OBJECT(stub_buffer, buffer, STUB_BUFFER);

	REQUIRE(b->usage & VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT,
		"VUID-vkCmdDrawIndirect-buffer-02709");
	REQUIRE(offset % 4 == 0, "VUID-vkCmdDrawIndirect-offset-02710");
	REQUIRE(n <= 1 || (stride % 4 == 0 && stride >= size),
		"VUID-vkCmdDrawIndirect-drawCount-00476");
	REQUIRE(offset <= INT32_MAX, "llvmpipe has offsets of buffers in int");
	if (n)
		touch(b, offset, (VkDeviceSize)(n - 1) * stride + size,
		      "VUID-vkCmdDrawIndirect-drawCount-00488");
}

static void CmdDrawIndirect(VkCommandBuffer cb, VkBuffer buffer, VkDeviceSize offset, uint32_t n,
			    uint32_t stride)
{
	ready(cb);
	arguments(buffer, offset, n, stride, sizeof(VkDrawIndirectCommand));
}

static void CmdDrawIndirectCount(VkCommandBuffer cb, VkBuffer buffer, VkDeviceSize offset,
				 VkBuffer count, VkDeviceSize count_offset, uint32_t n,
				 uint32_t stride)
{
	ready(cb);
	arguments(buffer, offset, n, stride, sizeof(VkDrawIndirectCommand));
	arguments(count, count_offset, 1, 4, 4);
}

static void CmdDrawMeshTasksIndirectCountEXT(VkCommandBuffer cb, VkBuffer buffer,
					     VkDeviceSize offset, VkBuffer count,
					     VkDeviceSize count_offset, uint32_t n, uint32_t stride)
{
	ready_for_meshes(cb);
	arguments(buffer, offset, n, stride, sizeof(VkDrawMeshTasksIndirectCommandEXT));
	arguments(count, count_offset, 1, 4, 4);
}

static void CmdDrawIndexedIndirect(VkCommandBuffer cb, VkBuffer buffer, VkDeviceSize offset,
				   uint32_t n, uint32_t stride)
{
	REQUIRE(ready(cb)->index, "VUID-vkCmdDrawIndexedIndirect-None-07312");
	arguments(buffer, offset, n, stride, sizeof(VkDrawIndexedIndirectCommand));
}

static void CmdDrawIndexedIndirectCount(VkCommandBuffer cb, VkBuffer buffer, VkDeviceSize offset,
					VkBuffer count, VkDeviceSize count_offset, uint32_t n,
					uint32_t stride)
{
	REQUIRE(ready(cb)->index, "VUID-vkCmdDrawIndexedIndirectCount-None-07312");
	arguments(buffer, offset, n, stride, sizeof(VkDrawIndexedIndirectCommand));
	arguments(count, count_offset, 1, 4, 4);
}

static void CmdSetPatchControlPointsEXT(VkCommandBuffer cb, uint32_t vertices)
{
	REQUIRE(vertices && vertices <= 32,
		"VUID-vkCmdSetPatchControlPointsEXT-patchControlPoints-04874");
	commands(cb)->patch_vertices = vertices;
}

static void CmdSetTessellationDomainOriginEXT(VkCommandBuffer cb, VkTessellationDomainOrigin origin)
{
	commands(cb);
	REQUIRE(origin <= VK_TESSELLATION_DOMAIN_ORIGIN_LOWER_LEFT, "must be a valid enumerant");
}

/* Dispatches */

static void ready_to_dispatch(VkCommandBuffer cb)
{
	struct stub_commands *c = commands(cb);

	REQUIRE(c->shaders[STUB_COMPUTE] && c->shaders[STUB_COMPUTE]->type == STUB_SHADER,
		"VUID-vkCmdDispatch-None-08684");
	/* Inside renderings the renderer dispatches only a shader of its own, without sets. */
	REQUIRE(!c->rendering || !c->shaders[STUB_COMPUTE]->sets,
		"VUID-vkCmdDispatch-renderpass");
	sets_fit(c, VK_PIPELINE_BIND_POINT_COMPUTE, c->shaders[STUB_COMPUTE]);
}

static void CmdDispatch(VkCommandBuffer cb, uint32_t x, uint32_t y, uint32_t z)
{
	ready_to_dispatch(cb);
	REQUIRE(x <= STUB_MAX_GROUPS && y <= STUB_MAX_GROUPS && z <= STUB_MAX_GROUPS,
		"VUID-vkCmdDispatch-groupCountX-00386");
}

static void CmdDispatchBase(VkCommandBuffer cb, uint32_t base_x, uint32_t base_y, uint32_t base_z,
			    uint32_t x, uint32_t y, uint32_t z)
{
	ready_to_dispatch(cb);
	REQUIRE(base_x < STUB_MAX_GROUPS && base_y < STUB_MAX_GROUPS && base_z < STUB_MAX_GROUPS,
		"VUID-vkCmdDispatchBase-baseGroupX-00421");
	REQUIRE(x <= STUB_MAX_GROUPS - base_x && y <= STUB_MAX_GROUPS - base_y &&
			z <= STUB_MAX_GROUPS - base_z,
		"VUID-vkCmdDispatchBase-groupCountX-00424");
	REQUIRE(commands(cb)->shaders[STUB_COMPUTE]->flags & VK_SHADER_CREATE_DISPATCH_BASE_BIT_EXT,
		"VUID-vkCmdDispatchBase-baseGroupX-00427");
}

static void CmdDispatchIndirect(VkCommandBuffer cb, VkBuffer buffer, VkDeviceSize offset)
{
	ready_to_dispatch(cb);
	arguments(buffer, offset, 1, 0, sizeof(VkDispatchIndirectCommand));
}

static void CmdDrawIndirectByteCountEXT(VkCommandBuffer cb, uint32_t instances, uint32_t first,
					VkBuffer counter, VkDeviceSize offset,
					uint32_t counter_offset, uint32_t stride)
{
	const struct stub_buffer *b = STUB_OBJECT(stub_buffer, counter, STUB_BUFFER);

	ready(cb);
	(void)counter_offset;
	REQUIRE(stride && stride <= 2048 && stride % 4 == 0,
		"VUID-vkCmdDrawIndirectByteCountEXT-vertexStride-02289");
	REQUIRE(b->usage & VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT,
		"VUID-vkCmdDrawIndirectByteCountEXT-counterBuffer-02290");
	REQUIRE((uint64_t)first + instances <= 1ull << 32, "numbers have 32 bits");
	touch(b, offset, 4, "VUID-vkCmdDrawIndirectByteCountEXT-counterBufferOffset-04568");
}

/* Transform feedback */

static void CmdBindTransformFeedbackBuffersEXT(VkCommandBuffer cb, uint32_t first, uint32_t n,
					       const VkBuffer *buffers, const VkDeviceSize *offsets,
					       const VkDeviceSize *sizes)
{
	struct stub_commands *c = commands(cb);

	REQUIRE(!c->feedback, "VUID-vkCmdBindTransformFeedbackBuffersEXT-None-02365");
	REQUIRE(n && first + n <= 4,
		"VUID-vkCmdBindTransformFeedbackBuffersEXT-firstBinding-02356");
	for (uint32_t i = 0; i < n; i++) {
		const struct stub_buffer *b = STUB_OBJECT(stub_buffer, buffers[i], STUB_BUFFER);

		REQUIRE(b->usage & VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_BUFFER_BIT_EXT,
			"VUID-vkCmdBindTransformFeedbackBuffersEXT-pBuffers-02360");
		REQUIRE(offsets[i] % 4 == 0,
			"VUID-vkCmdBindTransformFeedbackBuffersEXT-pOffsets-02359");
		REQUIRE(offsets[i] + sizes[i] <= INT32_MAX,
			"llvmpipe counts bytes of feedback in int");
		REQUIRE(offsets[i] < b->size,
			"VUID-vkCmdBindTransformFeedbackBuffersEXT-pOffsets-02358");
		if (sizes[i])
			touch(b, offsets[i], sizes[i],
			      "VUID-vkCmdBindTransformFeedbackBuffersEXT-pOffsets-02363");
	}
	c->n_feedback_buffers = n;
}

static void counters(uint32_t n, const VkBuffer *buffers, const VkDeviceSize *offsets)
{
	REQUIRE(n <= 4, "VUID-vkCmdBeginTransformFeedbackEXT-firstCounterBuffer-02369");
	for (uint32_t i = 0; i < n; i++) {
		const struct stub_buffer *b;

		if (!buffers[i])
			continue;
		b = STUB_OBJECT(stub_buffer, buffers[i], STUB_BUFFER);
		REQUIRE(b->usage & VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_COUNTER_BUFFER_BIT_EXT,
			"VUID-vkCmdBeginTransformFeedbackEXT-pCounterBuffers-02372");
		touch(b, offsets[i], 4,
		      "VUID-vkCmdBeginTransformFeedbackEXT-pCounterBufferOffsets-02370");
	}
}

static void CmdBeginTransformFeedbackEXT(VkCommandBuffer cb, uint32_t first, uint32_t n,
					 const VkBuffer *buffers, const VkDeviceSize *offsets)
{
	struct stub_commands *c = inside(cb);

	REQUIRE(!c->feedback, "VUID-vkCmdBeginTransformFeedbackEXT-None-02367");
	REQUIRE(!c->view_mask, "VUID-vkCmdBeginTransformFeedbackEXT-None-02373");
	REQUIRE(first + n <= c->n_feedback_buffers,
		"VUID-vkCmdBeginTransformFeedbackEXT-firstCounterBuffer-09630");
	counters(n, buffers, offsets);
	c->feedback = true;
}

static void CmdEndTransformFeedbackEXT(VkCommandBuffer cb, uint32_t first, uint32_t n,
				       const VkBuffer *buffers, const VkDeviceSize *offsets)
{
	struct stub_commands *c = inside(cb);

	(void)first;
	REQUIRE(c->feedback, "VUID-vkCmdEndTransformFeedbackEXT-None-02375");
	counters(n, buffers, offsets);
	c->feedback = false;
}

static uint32_t index_bytes(VkIndexType type)
{
	return type == VK_INDEX_TYPE_UINT32 ? 4 : type == VK_INDEX_TYPE_UINT16 ? 2 : 1;
}

static void CmdDrawIndexed(VkCommandBuffer cb, uint32_t indices, uint32_t instances, uint32_t first,
			   int32_t offset, uint32_t first_instance)
{
	const struct stub_commands *c = ready(cb);
	const VkDeviceSize size = index_bytes(c->index_type);

	(void)offset;
	REQUIRE(c->index, "VUID-vkCmdDrawIndexed-None-07312");
	REQUIRE((uint64_t)first_instance + instances <= 1ull << 32, "numbers have 32 bits");
	if (indices)
		touch(c->index, c->index_offset + first * size, indices * size,
		      "VUID-vkCmdDrawIndexed-robustBufferAccess2-08798");
}

static void CmdBindIndexBuffer(VkCommandBuffer cb, VkBuffer buffer, VkDeviceSize offset,
			       VkIndexType type)
{
	struct stub_commands *c = commands(cb);

	c->index = STUB_OBJECT(stub_buffer, buffer, STUB_BUFFER);
	REQUIRE(offset < c->index->size, "VUID-vkCmdBindIndexBuffer-offset-08782");
	REQUIRE(offset % index_bytes(type) == 0, "VUID-vkCmdBindIndexBuffer-offset-08783");
	REQUIRE(c->index->usage & VK_BUFFER_USAGE_INDEX_BUFFER_BIT,
		"VUID-vkCmdBindIndexBuffer-buffer-08784");
	c->index_offset = offset;
	c->index_type = type;
}

static void CmdBindVertexBuffers2(VkCommandBuffer cb, uint32_t first, uint32_t n,
				  const VkBuffer *buffers, const VkDeviceSize *offsets,
				  const VkDeviceSize *sizes, const VkDeviceSize *strides)
{
	struct stub_commands *c = commands(cb);

	REQUIRE(n && first + n <= 32, "VUID-vkCmdBindVertexBuffers-firstBinding-00625");
	for (uint32_t i = 0; i < n; i++) {
		c->vertex_buffers |= 1u << (first + i);
		if (!buffers[i]) {
			REQUIRE(!offsets[i], "VUID-vkCmdBindVertexBuffers-pBuffers-04002");
			continue;
		}
		REQUIRE(offsets[i] < STUB_OBJECT(stub_buffer, buffers[i], STUB_BUFFER)->size,
			"VUID-vkCmdBindVertexBuffers-pOffsets-00626");
		/* llvmpipe has these offsets as int. */
		REQUIRE(offsets[i] <= INT32_MAX,
			"vertex buffer offsets are signed and have 32 bits");
		if (sizes)
			touch(STUB_OBJECT(stub_buffer, buffers[i], STUB_BUFFER), offsets[i],
			      sizes[i], "VUID-vkCmdBindVertexBuffers2-pSizes-03359");
	}
	REQUIRE(!strides, "strides come with the vertex input");
}

static void CmdBindVertexBuffers(VkCommandBuffer cb, uint32_t first, uint32_t n,
				 const VkBuffer *buffers, const VkDeviceSize *offsets)
{
	CmdBindVertexBuffers2(cb, first, n, buffers, offsets, NULL, NULL);
}

static void CmdBindShadersEXT(VkCommandBuffer cb, uint32_t n, const VkShaderStageFlagBits *stages,
			      const VkShaderEXT *shaders)
{
	struct stub_commands *c = commands(cb);

	for (uint32_t i = 0; i < n; i++) {
		const uint32_t slot = slot_of(stages[i]);

		c->shaders[slot] = NULL;
		if (shaders && shaders[i]) {
			c->shaders[slot] = STUB_OBJECT(stub_shader, shaders[i], STUB_SHADER);
			REQUIRE(c->shaders[slot]->stage == stages[i],
				"VUID-vkCmdBindShadersEXT-pShaders-08469");
		}
	}
	c->set |= 1ull << SET_SHADERS;
}

static void CmdBindDescriptorBuffersEXT(VkCommandBuffer cb, uint32_t n,
					const VkDescriptorBufferBindingInfoEXT *infos)
{
	struct stub_commands *c = commands(cb);

	REQUIRE(n && n <= STUB_DESCRIPTOR_BUFFERS,
		"VUID-vkCmdBindDescriptorBuffersEXT-maxSamplerDescriptorBufferBindings-08048");
	for (uint32_t i = 0; i < n; i++) {
		REQUIRE(infos[i].address % 64 == 0,
			"VUID-VkDescriptorBufferBindingInfoEXT-address-11791");
		c->descriptor_addresses[i] = infos[i].address;
	}
	c->descriptor_buffers = n;
	memset(c->sets, 0, sizeof(c->sets));
}

/* As in lavapipe, offsets apply to all stages of the layout, whatever the bind point is. */
static void set_offset(struct stub_commands *c, VkPipelineBindPoint point, uint32_t set,
		       const struct stub_set_layout *layout)
{
	VkShaderStageFlags stages = 0;

	for (uint32_t i = 0; i < layout->n_bindings; i++)
		stages |= layout->bindings[i].stageFlags;
	for (VkPipelineBindPoint p = 0; p < 2; p++) {
		if (!(stages &
		      (p == VK_PIPELINE_BIND_POINT_COMPUTE ? VK_SHADER_STAGE_COMPUTE_BIT
							   : VK_SHADER_STAGE_ALL_GRAPHICS)) &&
		    p != point)
			continue;
		c->sets[p][set].layout = layout;
		c->sets[p][set].point = point;
	}
}

static void CmdSetDescriptorBufferOffsetsEXT(VkCommandBuffer cb, VkPipelineBindPoint point,
					     VkPipelineLayout layout, uint32_t first, uint32_t n,
					     const uint32_t *buffers, const VkDeviceSize *offsets)
{
	const struct stub_layout *l = STUB_OBJECT(stub_layout, layout, STUB_LAYOUT);
	struct stub_commands *c = commands(cb);

	REQUIRE(point <= VK_PIPELINE_BIND_POINT_COMPUTE && first + n <= l->n_sets,
		"VUID-vkCmdSetDescriptorBufferOffsetsEXT-firstSet-08066");
	for (uint32_t i = 0; i < n; i++) {
		const VkDeviceSize size = stub_set_size(l->sets[first + i]);
		volatile const char *at;

		REQUIRE(buffers[i] < c->descriptor_buffers,
			"VUID-vkCmdSetDescriptorBufferOffsetsEXT-pBufferIndices-08065");
		REQUIRE(offsets[i] % 64 == 0,
			"VUID-vkCmdSetDescriptorBufferOffsetsEXT-pOffsets-08061");
		REQUIRE(!is_tables(l->sets[first + i]) || buffers[i] == 1,
			"the set of handles has a buffer of its own");
		/*
		 * VUID-vkCmdSetDescriptorBufferOffsetsEXT-pOffsets-08063: the set must lie in the
		 * bound buffer.
		 */
		at = (const char *)c->descriptor_addresses[buffers[i]] + offsets[i];
		(void)at[0];
		(void)at[size ? size - 1 : 0];
		set_offset(c, point, first + i, l->sets[first + i]);
	}
}

static void CmdPushConstants(VkCommandBuffer cb, VkPipelineLayout layout, VkShaderStageFlags stages,
			     uint32_t offset, uint32_t size, const void *values)
{
	volatile const char *at = values;

	commands(cb);
	(void)layout;
	(void)stages;
	REQUIRE(offset % 4 == 0 && size % 4 == 0 && size && offset + size <= 256,
		"VUID-vkCmdPushConstants-size-00371");
	(void)at[0];
	(void)at[size - 1];
}

/* Dynamic state */

static void mark(VkCommandBuffer cb, enum stub_state state)
{
	commands(cb)->set |= 1ull << state;
}

#define SETTER(name, type, state)						\
	static void name(VkCommandBuffer cb, type value)			\
	{									\
		(void)value;							\
		mark(cb, state);						\
	}

#define SETTER_BOOL(name, state)						\
	static void name(VkCommandBuffer cb, VkBool32 value)			\
	{									\
		REQUIRE(value <= VK_TRUE, "VkBool32 is 0 or 1");		\
		mark(cb, state);						\
	}

#define SETTER_ENUM(name, type, last, state)					\
	static void name(VkCommandBuffer cb, type value)			\
	{									\
		REQUIRE((uint32_t)value <= (uint32_t)(last), "must be a valid enumerant");	\
		mark(cb, state);						\
	}

static void CmdSetPrimitiveTopology(VkCommandBuffer cb, VkPrimitiveTopology topology)
{
	REQUIRE(topology <= VK_PRIMITIVE_TOPOLOGY_PATCH_LIST, "must be a valid enumerant");
	commands(cb)->topology = topology;
	mark(cb, SET_TOPOLOGY);
}

SETTER_BOOL(CmdSetRasterizerDiscardEnable, SET_DISCARD)
SETTER_BOOL(CmdSetDepthClampEnableEXT, SET_DEPTH_CLAMP)
SETTER_BOOL(CmdSetDepthClipEnableEXT, SET_DEPTH_CLIP)
SETTER_BOOL(CmdSetDepthClipNegativeOneToOneEXT, SET_CLIP_CONTROL)
SETTER_BOOL(CmdSetDepthBiasEnable, SET_BIAS_ENABLE)
SETTER_BOOL(CmdSetPrimitiveRestartEnable, SET_RESTART)
SETTER_BOOL(CmdSetLineStippleEnableEXT, SET_STIPPLE_ENABLE)
SETTER_BOOL(CmdSetDepthTestEnable, SET_DEPTH_TEST)
SETTER_BOOL(CmdSetDepthWriteEnable, SET_DEPTH_WRITE)
SETTER_BOOL(CmdSetDepthBoundsTestEnable, SET_BOUNDS_TEST)
SETTER_BOOL(CmdSetStencilTestEnable, SET_STENCIL_TEST)
SETTER_BOOL(CmdSetLogicOpEnableEXT, SET_LOGIC_ENABLE)
SETTER_BOOL(CmdSetAlphaToCoverageEnableEXT, SET_TO_COVERAGE)
SETTER_BOOL(CmdSetAlphaToOneEnableEXT, SET_TO_ONE)
SETTER_ENUM(CmdSetProvokingVertexModeEXT, VkProvokingVertexModeEXT,
	    VK_PROVOKING_VERTEX_MODE_LAST_VERTEX_EXT, SET_PROVOKING)
static void CmdSetPolygonModeEXT(VkCommandBuffer cb, VkPolygonMode mode)
{
	REQUIRE((uint32_t)mode <= VK_POLYGON_MODE_POINT, "must be a valid enumerant");
	commands(cb)->polygon_mode = mode;
	commands(cb)->set |= 1ull << SET_POLYGON;
}

static void CmdSetLineRasterizationModeEXT(VkCommandBuffer cb, VkLineRasterizationModeEXT mode)
{
	REQUIRE((uint32_t)mode <= VK_LINE_RASTERIZATION_MODE_RECTANGULAR_SMOOTH_EXT,
		"must be a valid enumerant");
	commands(cb)->line_mode = mode;
	commands(cb)->set |= 1ull << SET_LINE_MODE;
}

SETTER_ENUM(CmdSetCullMode, VkCullModeFlags, VK_CULL_MODE_FRONT_AND_BACK, SET_CULL)
SETTER_ENUM(CmdSetFrontFace, VkFrontFace, VK_FRONT_FACE_CLOCKWISE, SET_FRONT)

static void CmdSetRasterizationStreamEXT(VkCommandBuffer cb, uint32_t stream)
{
	REQUIRE(stream < SUNDOG_MAX_STREAMS,
		"VUID-vkCmdSetRasterizationStreamEXT-rasterizationStream-07312");
	commands(cb)->rasterization_stream = true;
}

SETTER_ENUM(CmdSetDepthCompareOp, VkCompareOp, VK_COMPARE_OP_ALWAYS, SET_DEPTH_COMPARE)
SETTER_ENUM(CmdSetLogicOpEXT, VkLogicOp, VK_LOGIC_OP_SET, SET_LOGIC)
SETTER(CmdSetBlendConstants, const float *, SET_BLEND_CONSTANTS)

static void CmdSetLineWidth(VkCommandBuffer cb, float width)
{
	REQUIRE(width >= 1.0f && width <= 255.0f, "VUID-vkCmdSetLineWidth-lineWidth-00788");
	mark(cb, SET_LINE_WIDTH);
}

static void CmdSetLineStippleEXT(VkCommandBuffer cb, uint32_t factor, uint16_t pattern)
{
	(void)pattern;
	REQUIRE(factor >= 1 && factor <= 256, "VUID-vkCmdSetLineStipple-lineStippleFactor-02776");
	mark(cb, SET_STIPPLE);
}

static void CmdSetDepthBias(VkCommandBuffer cb, float constant, float clamp, float slope)
{
	(void)constant;
	(void)clamp;
	(void)slope;
	mark(cb, SET_BIAS);
}

static void CmdSetDepthBounds(VkCommandBuffer cb, float min, float max)
{
	commands(cb);
	REQUIRE(isfinite(min) && isfinite(max), "depth bounds are finite");
}

static void CmdSetStencilOp(VkCommandBuffer cb, VkStencilFaceFlags face, VkStencilOp fail,
			    VkStencilOp pass, VkStencilOp depth_fail, VkCompareOp compare)
{
	REQUIRE(face && (uint32_t)fail <= 7 && (uint32_t)pass <= 7 && (uint32_t)depth_fail <= 7 &&
		(uint32_t)compare <= 7, "must be valid enumerants");
	mark(cb, SET_STENCIL_OP);
}

static void CmdSetStencilCompareMask(VkCommandBuffer cb, VkStencilFaceFlags face, uint32_t mask)
{
	(void)face;
	(void)mask;
	mark(cb, SET_STENCIL_COMPARE);
}

static void CmdSetStencilWriteMask(VkCommandBuffer cb, VkStencilFaceFlags face, uint32_t mask)
{
	(void)face;
	(void)mask;
	mark(cb, SET_STENCIL_WRITE);
}

static void CmdSetStencilReference(VkCommandBuffer cb, VkStencilFaceFlags face, uint32_t reference)
{
	(void)face;
	(void)reference;
	mark(cb, SET_STENCIL_REFERENCE);
}

static void CmdSetViewportWithCount(VkCommandBuffer cb, uint32_t n, const VkViewport *v)
{
	REQUIRE(n && n <= 16, "VUID-vkCmdSetViewportWithCount-viewportCount-03394");
	for (uint32_t i = 0; i < n; i++) {
		REQUIRE(v[i].width > 0.0f && v[i].width <= STUB_MAX_IMAGE,
			"VUID-VkViewport-width-01770");
		REQUIRE(fabsf(v[i].height) <= STUB_MAX_IMAGE, "VUID-VkViewport-height-01773");
		REQUIRE(v[i].x >= -65536.0f && v[i].x <= 65536.0f && v[i].y >= -65536.0f &&
				v[i].y <= 65536.0f,
			"VUID-VkViewport-x-01774");
		REQUIRE(isfinite(v[i].minDepth) && isfinite(v[i].maxDepth),
			"depths of viewports are finite");
	}
	mark(cb, SET_VIEWPORTS);
}

static void CmdSetScissorWithCount(VkCommandBuffer cb, uint32_t n, const VkRect2D *r)
{
	REQUIRE(n && n <= 16, "VUID-vkCmdSetScissorWithCount-scissorCount-03397");
	for (uint32_t i = 0; i < n; i++)
		REQUIRE(r[i].offset.x >= 0 && r[i].offset.y >= 0 &&
			(uint64_t)r[i].offset.x + r[i].extent.width <= INT32_MAX &&
			(uint64_t)r[i].offset.y + r[i].extent.height <= INT32_MAX,
			"VUID-vkCmdSetScissorWithCount-offset-03400");
	mark(cb, SET_SCISSORS);
}

static uint32_t bits(uint32_t first, uint32_t n)
{
	REQUIRE(n && first + n <= 8, "attachments are eight");
	return ((1u << n) - 1) << first;
}

static void CmdSetColorBlendEnableEXT(VkCommandBuffer cb, uint32_t first, uint32_t n,
				      const VkBool32 *enables)
{
	commands(cb)->blend_enables |= bits(first, n);
	for (uint32_t i = 0; i < n; i++)
		REQUIRE(enables[i] <= VK_TRUE, "VkBool32 is 0 or 1");
}

static void CmdSetColorBlendEquationEXT(VkCommandBuffer cb, uint32_t first, uint32_t n,
					const VkColorBlendEquationEXT *e)
{
	commands(cb)->blend_equations |= bits(first, n);
	for (uint32_t i = 0; i < n; i++)
		REQUIRE((uint32_t)e[i].srcColorBlendFactor <= 18 &&
				(uint32_t)e[i].dstColorBlendFactor <= 18 &&
				(uint32_t)e[i].srcAlphaBlendFactor <= 18 &&
				(uint32_t)e[i].dstAlphaBlendFactor <= 18 &&
				(uint32_t)e[i].colorBlendOp <= 4 &&
				(uint32_t)e[i].alphaBlendOp <= 4,
			"must be valid enumerants");
}

static void CmdSetColorWriteMaskEXT(VkCommandBuffer cb, uint32_t first, uint32_t n,
				    const VkColorComponentFlags *masks)
{
	commands(cb)->write_masks |= bits(first, n);
	for (uint32_t i = 0; i < n; i++)
		REQUIRE(masks[i] <= 15,
			"VUID-vkCmdSetColorWriteMaskEXT-pColorWriteMasks-parameter");
}

static void CmdSetRasterizationSamplesEXT(VkCommandBuffer cb, VkSampleCountFlagBits samples)
{
	REQUIRE(samples == 1 || samples == 4,
		"VUID-vkCmdSetRasterizationSamplesEXT-rasterizationSamples-parameter");
	commands(cb)->rasterization_samples = samples;
	mark(cb, SET_SAMPLES);
}

static void CmdSetSampleMaskEXT(VkCommandBuffer cb, VkSampleCountFlagBits samples,
				const VkSampleMask *mask)
{
	(void)mask;
	REQUIRE(samples == 1 || samples == 4, "VUID-vkCmdSetSampleMaskEXT-samples-parameter");
	commands(cb)->mask_samples = samples;
	mark(cb, SET_SAMPLE_MASK);
}

static void CmdSetVertexInputEXT(VkCommandBuffer cb, uint32_t n_bindings,
				 const VkVertexInputBindingDescription2EXT *bindings,
				 uint32_t n_attributes,
				 const VkVertexInputAttributeDescription2EXT *attributes)
{
	struct stub_commands *c = commands(cb);
	uint32_t known = 0, locations = 0;

	c->vertex_inputs = 0;
	for (uint32_t i = 0; i < n_bindings; i++) {
		REQUIRE(bindings[i].binding < 32 && !(known >> bindings[i].binding & 1),
			"VUID-vkCmdSetVertexInputEXT-pVertexBindingDescriptions-04794");
		known |= 1u << bindings[i].binding;
	}
	for (uint32_t i = 0; i < n_attributes; i++) {
		const VkVertexInputAttributeDescription2EXT *a = &attributes[i];

		REQUIRE(a->location < 32 && !(locations >> a->location & 1),
			"VUID-vkCmdSetVertexInputEXT-pVertexAttributeDescriptions-04795");
		REQUIRE(a->binding < 32 && known >> a->binding & 1,
			"VUID-vkCmdSetVertexInputEXT-binding-04793");
		REQUIRE(format_block_size(a->format) && !format_is_compressed(a->format) &&
			format_aspects(a->format) == VK_IMAGE_ASPECT_COLOR_BIT,
			"VUID-VkVertexInputAttributeDescription2EXT-format-04805");
		locations |= 1u << a->location;
		c->vertex_inputs |= 1u << a->binding;
	}
	mark(cb, SET_VERTEX_INPUT);
}

/* Transfers */

static void CmdFillBuffer(VkCommandBuffer cb, VkBuffer dst, VkDeviceSize offset, VkDeviceSize size,
			  uint32_t data)
{
	outside(cb);
	(void)data;
	REQUIRE(offset % 4 == 0 && size % 4 == 0, "VUID-vkCmdFillBuffer-size-00028");
	touch(STUB_OBJECT(stub_buffer, dst, STUB_BUFFER), offset, size,
	      "VUID-vkCmdFillBuffer-size-00027");
}

static void CmdUpdateBuffer(VkCommandBuffer cb, VkBuffer dst, VkDeviceSize offset,
			    VkDeviceSize size, const void *data)
{
	volatile const char *at = data;

	outside(cb);
	REQUIRE(offset % 4 == 0 && size % 4 == 0 && size && size <= 65536,
		"VUID-vkCmdUpdateBuffer-dataSize-00037");
	touch(STUB_OBJECT(stub_buffer, dst, STUB_BUFFER), offset, size,
	      "VUID-vkCmdUpdateBuffer-dataSize-00033");
	(void)at[0];
	(void)at[size - 1];
}

static void CmdCopyBuffer(VkCommandBuffer cb, VkBuffer src, VkBuffer dst, uint32_t n,
			  const VkBufferCopy *regions)
{
	const struct stub_buffer *from = STUB_OBJECT(stub_buffer, src, STUB_BUFFER);
	const struct stub_buffer *to = STUB_OBJECT(stub_buffer, dst, STUB_BUFFER);

	outside(cb);
	for (uint32_t i = 0; i < n; i++) {
		const VkBufferCopy *r = &regions[i];

		touch(from, r->srcOffset, r->size, "VUID-vkCmdCopyBuffer-size-00115");
		touch(to, r->dstOffset, r->size, "VUID-vkCmdCopyBuffer-size-00116");
		REQUIRE(r->size <= INT32_MAX, "lavapipe counts bytes of a copy in int");
		REQUIRE(from->at + r->srcOffset + r->size <= to->at + r->dstOffset ||
			to->at + r->dstOffset + r->size <= from->at + r->srcOffset || from != to,
			"VUID-vkCmdCopyBuffer-pRegions-00117");
	}
}

static bool side_inside(int32_t at, uint32_t size, uint32_t limit, uint32_t block)
{
	return at >= 0 && size && (uint64_t)at + size <= limit && at % block == 0 &&
	       (size % block == 0 || (uint64_t)at + size == limit);
}

bool stub_box_inside(const struct stub_image *image, const VkImageSubresourceLayers *layers,
		     VkOffset3D offset, VkExtent3D extent)
{
	const VkExtent3D block = format_block_extent(image->info.format), e = image->info.extent;
	const VkImageAspectFlags aspect = layers->aspectMask;
	const bool is_3d = image->info.imageType == VK_IMAGE_TYPE_3D;

	return image->bound && aspect && !(aspect & ~format_aspects(image->info.format)) &&
	       layers->mipLevel < image->info.mipLevels && layers->layerCount &&
	       (uint64_t)layers->baseArrayLayer + layers->layerCount <= image->info.arrayLayers &&
	       side_inside(offset.x, extent.width, format_minify(e.width, layers->mipLevel),
			   block.width) &&
	       side_inside(offset.y, extent.height, format_minify(e.height, layers->mipLevel),
			   block.height) &&
	       (is_3d ? side_inside(offset.z, extent.depth,
				    format_minify(e.depth, layers->mipLevel), 1)
		      : !offset.z && extent.depth);
}

static void buffer_image(const struct stub_buffer *b, const struct stub_image *image,
			 const VkBufferImageCopy *r)
{
	const VkExtent3D block = format_block_extent(image->info.format);
	const VkDeviceSize size = format_copy_size(image->info.format,
						   r->imageSubresource.aspectMask);
	const VkDeviceSize row = (r->bufferRowLength ? r->bufferRowLength : r->imageExtent.width) +
				 block.width - 1;
	const VkDeviceSize rows = (r->bufferImageHeight ? r->bufferImageHeight
							: r->imageExtent.height) +
				  block.height - 1;
	const VkDeviceSize slices = (VkDeviceSize)r->imageExtent.depth *
				    r->imageSubresource.layerCount;
	const VkDeviceSize last = (r->imageExtent.height + block.height - 1) / block.height - 1;

	REQUIRE(image->info.samples == 1, "VUID-vkCmdCopyBufferToImage-dstImage-07969");
	REQUIRE(stub_box_inside(image, &r->imageSubresource, r->imageOffset, r->imageExtent),
		"VUID-vkCmdCopyBufferToImage-imageOffset-07738");
	REQUIRE(r->imageExtent.depth == 1 || image->info.imageType == VK_IMAGE_TYPE_3D,
		"VUID-vkCmdCopyBufferToImage-dstImage-07980");
	REQUIRE(!r->bufferRowLength || r->bufferRowLength >= r->imageExtent.width,
		"VUID-VkBufferImageCopy-bufferRowLength-09101");
	REQUIRE(!r->bufferImageHeight || r->bufferImageHeight >= r->imageExtent.height,
		"VUID-VkBufferImageCopy-bufferImageHeight-09102");
	REQUIRE(r->bufferOffset % size == 0, "VUID-vkCmdCopyBufferToImage-dstImage-07975");
	touch(b, r->bufferOffset,
	      (((slices - 1) * (rows / block.height) + last) * (row / block.width) +
	       (r->imageExtent.width + block.width - 1) / block.width) *
		      size,
	      "VUID-vkCmdCopyBufferToImage-pRegions-00171");
}

static const struct stub_image *image_for(VkImage image, VkImageUsageFlags usage)
{
	const struct stub_image *i = STUB_OBJECT(stub_image, image, STUB_IMAGE);

	REQUIRE(i->info.usage & usage, "image must have been created with the usage");
	return i;
}

static void CmdCopyBufferToImage(VkCommandBuffer cb, VkBuffer src, VkImage dst,
				 VkImageLayout layout, uint32_t n, const VkBufferImageCopy *regions)
{
	outside(cb);
	(void)layout;
	for (uint32_t i = 0; i < n; i++)
		buffer_image(STUB_OBJECT(stub_buffer, src, STUB_BUFFER),
			     image_for(dst, VK_IMAGE_USAGE_TRANSFER_DST_BIT), &regions[i]);
}

static void CmdCopyImageToBuffer(VkCommandBuffer cb, VkImage src, VkImageLayout layout,
				 VkBuffer dst, uint32_t n, const VkBufferImageCopy *regions)
{
	outside(cb);
	(void)layout;
	for (uint32_t i = 0; i < n; i++)
		buffer_image(STUB_OBJECT(stub_buffer, dst, STUB_BUFFER),
			     image_for(src, VK_IMAGE_USAGE_TRANSFER_SRC_BIT), &regions[i]);
}

/*
 * For images that are not 3D, the depth of a copy is the number of layers and the extent's depth is
 * 1.
 */
static VkExtent3D extent_in(const struct stub_image *image, VkExtent3D e)
{
	if (image->info.imageType != VK_IMAGE_TYPE_3D)
		e.depth = 1;
	return e;
}

static void CmdCopyImage(VkCommandBuffer cb, VkImage src, VkImageLayout src_layout, VkImage dst,
			 VkImageLayout dst_layout, uint32_t n, const VkImageCopy *regions)
{
	const struct stub_image *from = image_for(src, VK_IMAGE_USAGE_TRANSFER_SRC_BIT);
	const struct stub_image *to = image_for(dst, VK_IMAGE_USAGE_TRANSFER_DST_BIT);

	outside(cb);
	(void)src_layout;
	(void)dst_layout;
	REQUIRE(from->info.samples == to->info.samples, "VUID-vkCmdCopyImage-srcImage-00136");
	REQUIRE(format_block_size(from->info.format) == format_block_size(to->info.format),
		"VUID-vkCmdCopyImage-srcImage-01548");
	for (uint32_t i = 0; i < n; i++) {
		const VkImageCopy *r = &regions[i];
		const uint32_t src_slices = from->info.imageType == VK_IMAGE_TYPE_3D
						    ? r->extent.depth
						    : r->srcSubresource.layerCount;
		const uint32_t dst_slices = to->info.imageType == VK_IMAGE_TYPE_3D
						    ? r->extent.depth
						    : r->dstSubresource.layerCount;

		REQUIRE(stub_box_inside(from, &r->srcSubresource, r->srcOffset,
					extent_in(from, r->extent)),
			"VUID-vkCmdCopyImage-srcOffset-00144");
		REQUIRE(stub_box_inside(to, &r->dstSubresource, r->dstOffset,
					extent_in(to, r->extent)),
			"VUID-vkCmdCopyImage-dstOffset-00150");
		REQUIRE(src_slices == dst_slices, "VUID-vkCmdCopyImage-srcImage-08793");
		REQUIRE(r->srcSubresource.aspectMask == r->dstSubresource.aspectMask,
			"VUID-vkCmdCopyImage-srcImage-01551");
	}
}

static VkExtent3D corners(const VkOffset3D o[2], VkOffset3D *low)
{
	*low = (VkOffset3D){ o[0].x < o[1].x ? o[0].x : o[1].x, o[0].y < o[1].y ? o[0].y : o[1].y,
			     o[0].z < o[1].z ? o[0].z : o[1].z };
	return (VkExtent3D){ abs(o[1].x - o[0].x), abs(o[1].y - o[0].y), abs(o[1].z - o[0].z) };
}

static void CmdBlitImage(VkCommandBuffer cb, VkImage src, VkImageLayout src_layout, VkImage dst,
			 VkImageLayout dst_layout, uint32_t n, const VkImageBlit *regions,
			 VkFilter filter)
{
	const struct stub_image *from = image_for(src, VK_IMAGE_USAGE_TRANSFER_SRC_BIT);
	const struct stub_image *to = image_for(dst, VK_IMAGE_USAGE_TRANSFER_DST_BIT);
	VkFormatProperties props;
	VkOffset3D low;
	VkExtent3D e;

	outside(cb);
	(void)src_layout;
	(void)dst_layout;
	REQUIRE(from->info.samples == 1 && to->info.samples == 1,
		"VUID-vkCmdBlitImage-srcImage-00233");
	REQUIRE(format_number(from->info.format) == format_number(to->info.format),
		"VUID-vkCmdBlitImage-srcImage-00229");
	vkGetPhysicalDeviceFormatProperties(NULL, to->info.format, &props);
	REQUIRE(props.optimalTilingFeatures & VK_FORMAT_FEATURE_BLIT_DST_BIT,
		"VUID-vkCmdBlitImage-dstImage-02000");
	vkGetPhysicalDeviceFormatProperties(NULL, from->info.format, &props);
	REQUIRE(props.optimalTilingFeatures & VK_FORMAT_FEATURE_BLIT_SRC_BIT,
		"VUID-vkCmdBlitImage-srcImage-01999");
	REQUIRE(filter == VK_FILTER_NEAREST ||
			(props.optimalTilingFeatures &
				 VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT &&
			 format_aspects(from->info.format) == VK_IMAGE_ASPECT_COLOR_BIT),
		"VUID-vkCmdBlitImage-filter-02001");
	REQUIRE(format_aspects(from->info.format) == VK_IMAGE_ASPECT_COLOR_BIT ||
			from->info.format == to->info.format,
		"VUID-vkCmdBlitImage-srcImage-00231");
	for (uint32_t i = 0; i < n; i++) {
		e = corners(regions[i].srcOffsets, &low);
		REQUIRE(stub_box_inside(from, &regions[i].srcSubresource, low, e),
			"VUID-vkCmdBlitImage-srcOffset-00243");
		e = corners(regions[i].dstOffsets, &low);
		REQUIRE(stub_box_inside(to, &regions[i].dstSubresource, low, e),
			"VUID-vkCmdBlitImage-dstOffset-00248");
		REQUIRE(regions[i].srcSubresource.layerCount ==
				regions[i].dstSubresource.layerCount,
			"VUID-VkImageBlit-layerCount-08800");
	}
}

static void CmdResolveImage(VkCommandBuffer cb, VkImage src, VkImageLayout src_layout, VkImage dst,
			    VkImageLayout dst_layout, uint32_t n, const VkImageResolve *regions)
{
	const struct stub_image *from = image_for(src, VK_IMAGE_USAGE_TRANSFER_SRC_BIT);
	const struct stub_image *to = image_for(dst, VK_IMAGE_USAGE_TRANSFER_DST_BIT);

	outside(cb);
	(void)src_layout;
	(void)dst_layout;
	REQUIRE(from->info.samples > 1 && to->info.samples == 1,
		"VUID-vkCmdResolveImage-srcImage-00257");
	REQUIRE(from->info.format == to->info.format, "VUID-vkCmdResolveImage-srcImage-01386");
	for (uint32_t i = 0; i < n; i++) {
		REQUIRE(stub_box_inside(from, &regions[i].srcSubresource, regions[i].srcOffset,
					regions[i].extent),
			"VUID-vkCmdResolveImage-srcOffset-00269");
		REQUIRE(stub_box_inside(to, &regions[i].dstSubresource, regions[i].dstOffset,
					regions[i].extent),
			"VUID-vkCmdResolveImage-dstOffset-00274");
		REQUIRE(regions[i].srcSubresource.layerCount ==
				regions[i].dstSubresource.layerCount,
			"VUID-VkImageResolve-layerCount-08803");
	}
}

static void clear_ranges(VkImage image, VkImageAspectFlags aspects, uint32_t n,
			 const VkImageSubresourceRange *ranges)
{
	const struct stub_image *i = image_for(image, VK_IMAGE_USAGE_TRANSFER_DST_BIT);

	for (const VkImageSubresourceRange *r = ranges; r < ranges + n; r++) {
		REQUIRE(r->aspectMask && !(r->aspectMask & ~aspects),
			"VUID-vkCmdClear*Image-aspectMask");
		REQUIRE(r->levelCount && r->baseMipLevel + r->levelCount <= i->info.mipLevels,
			"VUID-vkCmdClearColorImage-pRanges-01692");
		REQUIRE(r->layerCount && r->baseArrayLayer + r->layerCount <= i->info.arrayLayers,
			"VUID-vkCmdClearColorImage-pRanges-01693");
	}
}

static void CmdClearColorImage(VkCommandBuffer cb, VkImage image, VkImageLayout layout,
			       const VkClearColorValue *color, uint32_t n,
			       const VkImageSubresourceRange *ranges)
{
	outside(cb);
	(void)layout;
	(void)color;
	clear_ranges(image, VK_IMAGE_ASPECT_COLOR_BIT, n, ranges);
}

static void CmdClearDepthStencilImage(VkCommandBuffer cb, VkImage image, VkImageLayout layout,
				      const VkClearDepthStencilValue *value, uint32_t n,
				      const VkImageSubresourceRange *ranges)
{
	outside(cb);
	(void)layout;
	REQUIRE(depth_fits(image_for(image, VK_IMAGE_USAGE_TRANSFER_DST_BIT), value),
		"VUID-VkClearDepthStencilValue-depth-00022");
	clear_ranges(image, VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT, n, ranges);
}

static void CmdPipelineBarrier2(VkCommandBuffer cb, const VkDependencyInfo *info)
{
	outside(cb);
	for (uint32_t i = 0; i < info->imageMemoryBarrierCount; i++)
		REQUIRE(STUB_OBJECT(stub_image, info->pImageMemoryBarriers[i].image, STUB_IMAGE)
				->bound,
			"VUID-VkImageMemoryBarrier2-image-01932");
}

/* Queries */

static void CmdSetEvent(VkCommandBuffer cb, VkEvent handle, VkPipelineStageFlags stages)
{
	struct stub_event *event = STUB_OBJECT(stub_event, handle, STUB_EVENT);

	outside(cb);
	REQUIRE(stages, "VUID-vkCmdSetEvent-stageMask-03937");
	REQUIRE(!event->set, "a mark is recorded once for each batch");
	event->set = true;
}

static void CmdResetQueryPool(VkCommandBuffer cb, VkQueryPool pool, uint32_t first, uint32_t n)
{
	struct stub_queries *q = STUB_OBJECT(stub_queries, pool, STUB_QUERIES);

	outside(cb);
	REQUIRE(first < q->count && n <= q->count - first,
		"VUID-vkCmdResetQueryPool-firstQuery-09437");
	for (uint32_t i = 0; i < n; i++) {
		REQUIRE(!(q->queries[first + i].active && commands(cb)->queries_active),
			"VUID-vkCmdResetQueryPool-None-02841");
		q->queries[first + i].reset = true;
		q->queries[first + i].active = false;
	}
}

static void ResetQueryPool(VkDevice device, VkQueryPool pool, uint32_t first, uint32_t n)
{
	struct stub_queries *q = STUB_OBJECT(stub_queries, pool, STUB_QUERIES);

	(void)device;
	REQUIRE(first < q->count && n <= q->count - first,
		"VUID-vkResetQueryPool-firstQuery-09437");
	for (uint32_t i = 0; i < n; i++) {
		q->queries[first + i].reset = true;
		q->queries[first + i].active = false;
	}
}

static bool has_streams(const struct stub_queries *q)
{
	return q->query_type == VK_QUERY_TYPE_PRIMITIVES_GENERATED_EXT ||
	       q->query_type == VK_QUERY_TYPE_TRANSFORM_FEEDBACK_STREAM_EXT;
}

static uint32_t bit_of(const struct stub_queries *q, uint32_t stream)
{
	switch (q->query_type) {
	case VK_QUERY_TYPE_PRIMITIVES_GENERATED_EXT:
		return 1 << stream;
	case VK_QUERY_TYPE_TRANSFORM_FEEDBACK_STREAM_EXT:
		return 16 << stream;
	case VK_QUERY_TYPE_PIPELINE_STATISTICS:
		return 256;
	case VK_QUERY_TYPE_MESH_PRIMITIVES_GENERATED_EXT:
		return 1024;
	default:
		return 512;
	}
}

/* Uses one query for each view. */
static void take_queries(const struct stub_commands *c, struct stub_queries *q, uint32_t query)
{
	const uint32_t count = c->view_mask ? (uint32_t)__builtin_popcount(c->view_mask) : 1;

	REQUIRE(query < q->count && count <= q->count - query, "VUID-vkCmdBeginQuery-query-00808");
	for (uint32_t i = 0; i < count; i++) {
		REQUIRE(q->queries[query + i].reset, "VUID-vkCmdBeginQuery-None-00807");
		q->queries[query + i].reset = false;
	}
}

static void begin_query(VkCommandBuffer cb, VkQueryPool pool, uint32_t query, uint32_t stream)
{
	struct stub_queries *q = STUB_OBJECT(stub_queries, pool, STUB_QUERIES);

	REQUIRE(stream < 4 && (!stream || has_streams(q)),
		"VUID-vkCmdBeginQueryIndexedEXT-queryType-06692");
	REQUIRE(!(commands(cb)->queries_active & bit_of(q, stream)),
		"VUID-vkCmdBeginQuery-queryPool-01922");
	REQUIRE(q->query_type != VK_QUERY_TYPE_TIMESTAMP, "VUID-vkCmdBeginQuery-queryType-02804");
	take_queries(commands(cb), q, query);
	q->queries[query].active = true;
	commands(cb)->queries_active |= bit_of(q, stream);
	/* Lavapipe takes the statistics from the compute shader. */
	REQUIRE(q->query_type != VK_QUERY_TYPE_PIPELINE_STATISTICS ||
			commands(cb)->shaders[STUB_COMPUTE],
		"statistics begin where there is a compute shader");
}

static void CmdBeginQuery(VkCommandBuffer cb, VkQueryPool pool, uint32_t query,
			  VkQueryControlFlags flags)
{
	(void)flags;
	begin_query(cb, pool, query, 0);
}

static void CmdBeginQueryIndexedEXT(VkCommandBuffer cb, VkQueryPool pool, uint32_t query,
				    VkQueryControlFlags flags, uint32_t index)
{
	(void)flags;
	begin_query(cb, pool, query, index);
}

static void CmdWriteTimestamp2(VkCommandBuffer cb, VkPipelineStageFlags2 stage, VkQueryPool pool,
			       uint32_t query)
{
	struct stub_queries *q = STUB_OBJECT(stub_queries, pool, STUB_QUERIES);

	REQUIRE(stage && !(stage & (stage - 1)), "VUID-vkCmdWriteTimestamp2-stage-03859");
	REQUIRE(q->query_type == VK_QUERY_TYPE_TIMESTAMP,
		"VUID-vkCmdWriteTimestamp2-queryPool-03861");
	take_queries(commands(cb), q, query);
}

static void end_query(VkCommandBuffer cb, VkQueryPool pool, uint32_t query, uint32_t stream)
{
	struct stub_queries *q = STUB_OBJECT(stub_queries, pool, STUB_QUERIES);

	REQUIRE(query < q->count && q->queries[query].active, "VUID-vkCmdEndQuery-None-01923");
	REQUIRE(commands(cb)->queries_active & bit_of(q, stream),
		"VUID-vkCmdEndQueryIndexedEXT-queryType-06696");
	q->queries[query].active = false;
	commands(cb)->queries_active &= ~bit_of(q, stream);
}

static void CmdEndQuery(VkCommandBuffer cb, VkQueryPool pool, uint32_t query)
{
	end_query(cb, pool, query, 0);
}

static void CmdEndQueryIndexedEXT(VkCommandBuffer cb, VkQueryPool pool, uint32_t query,
				  uint32_t index)
{
	end_query(cb, pool, query, index);
}

static void CmdCopyQueryPoolResults(VkCommandBuffer cb, VkQueryPool pool, uint32_t first,
				    uint32_t n, VkBuffer dst, VkDeviceSize offset,
				    VkDeviceSize stride, VkQueryResultFlags flags)
{
	const struct stub_queries *q = STUB_OBJECT(stub_queries, pool, STUB_QUERIES);
	const VkDeviceSize word = flags & VK_QUERY_RESULT_64_BIT ? 8 : 4;
	const VkDeviceSize size = (q->words + !!(flags & VK_QUERY_RESULT_WITH_AVAILABILITY_BIT)) *
				  word;

	outside(cb);
	REQUIRE(offset % word == 0 && stride % word == 0,
		"VUID-vkCmdCopyQueryPoolResults-dstOffset-00819");
	REQUIRE(first < q->count && n <= q->count - first,
		"VUID-vkCmdCopyQueryPoolResults-firstQuery-09437");
	for (uint32_t i = first; i < first + n; i++)
		REQUIRE(!q->queries[i].active && !q->queries[i].reset,
			"VUID-vkCmdCopyQueryPoolResults-None-09402");
	touch(STUB_OBJECT(stub_buffer, dst, STUB_BUFFER), offset, (n - 1) * stride + size,
	      "VUID-vkCmdCopyQueryPoolResults-dstBuffer-00824");
}

/* Conditions */

static void CmdBeginConditionalRenderingEXT(VkCommandBuffer cb,
					    const VkConditionalRenderingBeginInfoEXT *info)
{
	const struct stub_buffer *b = STUB_OBJECT(stub_buffer, info->buffer, STUB_BUFFER);
	struct stub_commands *c = commands(cb);

	REQUIRE(!c->condition, "VUID-vkCmdBeginConditionalRenderingEXT-None-01980");
	REQUIRE(b->usage & VK_BUFFER_USAGE_CONDITIONAL_RENDERING_BIT_EXT,
		"VUID-VkConditionalRenderingBeginInfoEXT-buffer-01982");
	REQUIRE(info->offset % 4 == 0, "VUID-VkConditionalRenderingBeginInfoEXT-offset-01984");
	touch(b, info->offset, 4, "VUID-VkConditionalRenderingBeginInfoEXT-offset-01983");
	c->condition = true;
	c->condition_inside = c->rendering && !c->condition_suspended;
	c->condition_suspended = false;
}

static void CmdEndConditionalRenderingEXT(VkCommandBuffer cb)
{
	struct stub_commands *c = commands(cb);

	REQUIRE(c->condition, "VUID-vkCmdEndConditionalRenderingEXT-None-01985");
	/* Inside of a rendering the renderer suspends conditions that began outside. */
	REQUIRE(!c->condition_inside || c->rendering,
		"VUID-vkCmdEndConditionalRenderingEXT-None-01986");
	c->condition_suspended = !c->condition_inside && c->rendering;
	c->condition = false;
}

PFN_vkVoidFunction stub_command(const char *name)
{
	static const struct {
		const char *name;
		PFN_vkVoidFunction function;
	} functions[] = {
#define FUNCTION(name) { "vk" #name, (PFN_vkVoidFunction)name }
		FUNCTION(BeginCommandBuffer),
		FUNCTION(CmdBeginQuery),
		FUNCTION(CmdBeginRendering),
		FUNCTION(CmdBindDescriptorBuffersEXT),
		FUNCTION(CmdBindIndexBuffer),
		FUNCTION(CmdBindShadersEXT),
		FUNCTION(CmdBindVertexBuffers),
		FUNCTION(CmdBindVertexBuffers2),
		FUNCTION(CmdBlitImage),
		FUNCTION(CmdClearAttachments),
		FUNCTION(CmdClearColorImage),
		FUNCTION(CmdClearDepthStencilImage),
		FUNCTION(CmdCopyBuffer),
		FUNCTION(CmdCopyBufferToImage),
		FUNCTION(CmdCopyImage),
		FUNCTION(CmdCopyImageToBuffer),
		FUNCTION(CmdCopyQueryPoolResults),
		FUNCTION(CmdBeginTransformFeedbackEXT),
		FUNCTION(CmdBindTransformFeedbackBuffersEXT),
		FUNCTION(CmdDrawIndirectByteCountEXT),
		FUNCTION(CmdEndTransformFeedbackEXT),
		FUNCTION(CmdWriteTimestamp2),
		FUNCTION(CmdBeginConditionalRenderingEXT),
		FUNCTION(CmdEndConditionalRenderingEXT),
		FUNCTION(CmdBeginQueryIndexedEXT),
		FUNCTION(CmdDispatch),
		FUNCTION(CmdDispatchBase),
		FUNCTION(CmdDispatchIndirect),
		FUNCTION(CmdDrawIndexedIndirect),
		FUNCTION(CmdDrawIndexedIndirectCount),
		FUNCTION(CmdDrawIndirect),
		FUNCTION(CmdDrawIndirectCount),
		FUNCTION(CmdEndQueryIndexedEXT),
		FUNCTION(CmdSetPatchControlPointsEXT),
		FUNCTION(CmdSetTessellationDomainOriginEXT),
		FUNCTION(CmdDrawMeshTasksEXT),
		FUNCTION(CmdDrawMeshTasksIndirectCountEXT),
		FUNCTION(CmdDraw),
		FUNCTION(CmdDrawIndexed),
		FUNCTION(CmdEndQuery),
		FUNCTION(CmdEndRendering),
		FUNCTION(CmdExecuteCommands),
		FUNCTION(CmdFillBuffer),
		FUNCTION(CmdSetEvent),
		FUNCTION(CmdPipelineBarrier2),
		FUNCTION(CmdPushConstants),
		FUNCTION(CmdResetQueryPool),
		FUNCTION(CmdResolveImage),
		FUNCTION(CmdSetAlphaToCoverageEnableEXT),
		FUNCTION(CmdSetAlphaToOneEnableEXT),
		FUNCTION(CmdSetBlendConstants),
		FUNCTION(CmdSetColorBlendEnableEXT),
		FUNCTION(CmdSetColorBlendEquationEXT),
		FUNCTION(CmdSetColorWriteMaskEXT),
		FUNCTION(CmdSetCullMode),
		FUNCTION(CmdSetDepthBias),
		FUNCTION(CmdSetDepthBiasEnable),
		FUNCTION(CmdSetDepthBounds),
		FUNCTION(CmdSetDepthBoundsTestEnable),
		FUNCTION(CmdSetDepthClampEnableEXT),
		FUNCTION(CmdSetDepthClipEnableEXT),
		FUNCTION(CmdSetDepthClipNegativeOneToOneEXT),
		FUNCTION(CmdSetDepthCompareOp),
		FUNCTION(CmdSetDepthTestEnable),
		FUNCTION(CmdSetDepthWriteEnable),
		FUNCTION(CmdSetDescriptorBufferOffsetsEXT),
		FUNCTION(CmdSetFrontFace),
		FUNCTION(CmdSetLineRasterizationModeEXT),
		FUNCTION(CmdSetLineStippleEnableEXT),
		FUNCTION(CmdSetLineStippleEXT),
		FUNCTION(CmdSetLineWidth),
		FUNCTION(CmdSetLogicOpEnableEXT),
		FUNCTION(CmdSetLogicOpEXT),
		FUNCTION(CmdSetPolygonModeEXT),
		FUNCTION(CmdSetPrimitiveRestartEnable),
		FUNCTION(CmdSetPrimitiveTopology),
		FUNCTION(CmdSetProvokingVertexModeEXT),
		FUNCTION(CmdSetRasterizationSamplesEXT),
		FUNCTION(CmdSetRasterizationStreamEXT),
		FUNCTION(CmdSetRasterizerDiscardEnable),
		FUNCTION(CmdSetSampleMaskEXT),
		FUNCTION(CmdSetScissorWithCount),
		FUNCTION(CmdSetStencilCompareMask),
		FUNCTION(CmdSetStencilOp),
		FUNCTION(CmdSetStencilReference),
		FUNCTION(CmdSetStencilTestEnable),
		FUNCTION(CmdSetStencilWriteMask),
		FUNCTION(CmdSetVertexInputEXT),
		FUNCTION(CmdSetViewportWithCount),
		FUNCTION(CmdUpdateBuffer),
		FUNCTION(EndCommandBuffer),
		FUNCTION(ResetQueryPool),
#undef FUNCTION
	};

	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (!strcmp(functions[i].name, name))
			return functions[i].function;
	return NULL;
}
