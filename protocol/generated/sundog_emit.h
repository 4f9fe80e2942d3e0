/* SPDX-License-Identifier: MIT */
/* Packers: the only code that writes command packets.
 * Generated from protocol/sundog.yaml by protocol/generate.py; do not edit. */
#ifndef SUNDOG_EMIT_H
#define SUNDOG_EMIT_H

#include <stdbool.h>
#include <string.h>

#include "sundog_packets.h"

/* A stream being written. A packet that does not fit is dropped whole and sets overflow. */
struct sundog_stream {
	__u32 *map;
	/* dwords */
	__u32 used, size;
	bool overflow;
};

static inline __u32 *sundog_stream_reserve(struct sundog_stream *s, __u32 opcode, __u32 dwords)
{
	__u32 *at = s->map + s->used;

	if (dwords > s->size - s->used) {
		s->overflow = true;
		return NULL;
	}
	s->used += dwords;
	*at = SUNDOG_PACKET(opcode, dwords);
	return at + 1;
}

/* Does nothing; of any length */
static inline void sundog_emit_nop(struct sundog_stream *s,
					const struct sundog_cmd_nop *p,
					const __u32 *data)
{
	__u32 n = p->count * 1;
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_NOP, 2 + n);

	if (at) {
		memcpy(at, p, 4);
		if (data)
			memcpy(at + 1, data, n * 4);
	}
}

/* Destroy an object. Its id is free for reuse in the next packet; work in flight keeps what it needs */
static inline void sundog_emit_destroy(struct sundog_stream *s,
					const struct sundog_cmd_destroy *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_DESTROY, 3);

	if (at)
		memcpy(at, p, 8);
}

/* VkImageCreateInfo, bound to memory. Contents are what the memory holds */
static inline void sundog_emit_create_image(struct sundog_stream *s,
					const struct sundog_cmd_create_image *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_CREATE_IMAGE, 16);

	if (at)
		memcpy(at, p, 60);
}

/* A 2D image of one level and layer whose rows are where the driver says; for memory that others laid out. Takes layout_flag EXPLICIT */
static inline void sundog_emit_create_linear_image(struct sundog_stream *s,
					const struct sundog_cmd_create_linear_image *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_CREATE_LINEAR_IMAGE, 12);

	if (at)
		memcpy(at, p, 44);
}

/* VkImageViewCreateInfo */
static inline void sundog_emit_create_image_view(struct sundog_stream *s,
					const struct sundog_cmd_create_image_view *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_CREATE_IMAGE_VIEW, 15);

	if (at)
		memcpy(at, p, 56);
}

/* VkSamplerCreateInfo */
static inline void sundog_emit_create_sampler(struct sundog_stream *s,
					const struct sundog_cmd_create_sampler *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_CREATE_SAMPLER, 20);

	if (at)
		memcpy(at, p, 76);
}

/* VkShaderCreateInfoEXT with SPIR-V. Entry point is main. The interface must cover what the code uses */
static inline void sundog_emit_create_shader(struct sundog_stream *s,
					const struct sundog_cmd_create_shader *p,
					const __u32 *code)
{
	__u32 n = p->n_dwords * 1;
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_CREATE_SHADER, 303 + n);

	if (at) {
		memcpy(at, p, 1208);
		if (code)
			memcpy(at + 302, code, n * 4);
	}
}

/* VkBufferViewCreateInfo: a range of memory as an array of texels, to be read or, with bind_storage_texels, written */
static inline void sundog_emit_create_buffer_view(struct sundog_stream *s,
					const struct sundog_cmd_create_buffer_view *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_CREATE_BUFFER_VIEW, 9);

	if (at)
		memcpy(at, p, 32);
}

/* How far transform feedback has filled a buffer: zero, then moved by the device alone. Needs feature FEEDBACK */
static inline void sundog_emit_create_feedback_counter(struct sundog_stream *s,
					const struct sundog_cmd_create_feedback_counter *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_CREATE_FEEDBACK_COUNTER, 2);

	if (at)
		memcpy(at, p, 4);
}

/* Tables of MAX_HANDLES textures or images, one for each kind, all empty: shaders read zero there. Needs feature BINDLESS */
static inline void sundog_emit_create_handle_table(struct sundog_stream *s,
					const struct sundog_cmd_create_handle_table *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_CREATE_HANDLE_TABLE, 2);

	if (at)
		memcpy(at, p, 4);
}

/* VkDescriptorSetLayoutCreateInfo, for all stages */
static inline void sundog_emit_create_set_layout(struct sundog_stream *s,
					const struct sundog_cmd_create_set_layout *p,
					const struct sundog_set_binding *bindings)
{
	__u32 n = p->count * 3;
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_CREATE_SET_LAYOUT, 3 + n);

	if (at) {
		memcpy(at, p, 8);
		if (bindings)
			memcpy(at + 2, bindings, n * 4);
	}
}

/* VkPipelineLayoutCreateInfo */
static inline void sundog_emit_create_pipeline_layout(struct sundog_stream *s,
					const struct sundog_cmd_create_pipeline_layout *p,
					const __u32 *layouts)
{
	__u32 n = p->count * 1;
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_CREATE_PIPELINE_LAYOUT, 4 + n);

	if (at) {
		memcpy(at, p, 12);
		if (layouts)
			memcpy(at + 3, layouts, n * 4);
	}
}

/* A descriptor set, with nothing written to it */
static inline void sundog_emit_create_set(struct sundog_stream *s,
					const struct sundog_cmd_create_set *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_CREATE_SET, 3);

	if (at)
		memcpy(at, p, 8);
}

/* A shader like create_shader's, whose descriptors are those of sets */
static inline void sundog_emit_create_layout_shader(struct sundog_stream *s,
					const struct sundog_cmd_create_layout_shader *p,
					const __u32 *code)
{
	__u32 n = p->n_dwords * 1;
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_CREATE_LAYOUT_SHADER, 5 + n);

	if (at) {
		memcpy(at, p, 16);
		if (code)
			memcpy(at + 4, code, n * 4);
	}
}

/* VkQueryPoolCreateInfo. A query is to be reset before it is used */
static inline void sundog_emit_create_query_pool(struct sundog_stream *s,
					const struct sundog_cmd_create_query_pool *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_CREATE_QUERY_POOL, 5);

	if (at)
		memcpy(at, p, 16);
}

/* vkCmdSetViewportWithCount */
static inline void sundog_emit_set_viewports(struct sundog_stream *s,
					const struct sundog_cmd_set_viewports *p,
					const struct sundog_viewport *viewports)
{
	__u32 n = p->count * 6;
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_SET_VIEWPORTS, 2 + n);

	if (at) {
		memcpy(at, p, 4);
		if (viewports)
			memcpy(at + 1, viewports, n * 4);
	}
}

/* vkCmdSetScissorWithCount */
static inline void sundog_emit_set_scissors(struct sundog_stream *s,
					const struct sundog_cmd_set_scissors *p,
					const struct sundog_rect *scissors)
{
	__u32 n = p->count * 4;
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_SET_SCISSORS, 2 + n);

	if (at) {
		memcpy(at, p, 4);
		if (scissors)
			memcpy(at + 1, scissors, n * 4);
	}
}

/* Rasterisation state */
static inline void sundog_emit_set_raster(struct sundog_stream *s,
					const struct sundog_cmd_set_raster *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_SET_RASTER, 13);

	if (at)
		memcpy(at, p, 48);
}

/* Depth and stencil tests */
static inline void sundog_emit_set_depth_stencil(struct sundog_stream *s,
					const struct sundog_cmd_set_depth_stencil *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_SET_DEPTH_STENCIL, 17);

	if (at)
		memcpy(at, p, 64);
}

/* vkCmdSetStencilReference */
static inline void sundog_emit_set_stencil_reference(struct sundog_stream *s,
					const struct sundog_cmd_set_stencil_reference *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_SET_STENCIL_REFERENCE, 3);

	if (at)
		memcpy(at, p, 8);
}

/* Colour blending. One attachment state per colour attachment of the rendering */
static inline void sundog_emit_set_blend(struct sundog_stream *s,
					const struct sundog_cmd_set_blend *p,
					const struct sundog_blend_attachment *attachments)
{
	__u32 n = p->count * 8;
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_SET_BLEND, 4 + n);

	if (at) {
		memcpy(at, p, 12);
		if (attachments)
			memcpy(at + 3, attachments, n * 4);
	}
}

/* vkCmdSetBlendConstants */
static inline void sundog_emit_set_blend_constants(struct sundog_stream *s,
					const struct sundog_cmd_set_blend_constants *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_SET_BLEND_CONSTANTS, 5);

	if (at)
		memcpy(at, p, 16);
}

/* Multisampling */
static inline void sundog_emit_set_multisample(struct sundog_stream *s,
					const struct sundog_cmd_set_multisample *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_SET_MULTISAMPLE, 4);

	if (at)
		memcpy(at, p, 12);
}

/* vkCmdSetVertexInputEXT; bindings are slots 0 to n_bindings - 1 */
static inline void sundog_emit_set_vertex_input(struct sundog_stream *s,
					const struct sundog_cmd_set_vertex_input *p,
					const struct sundog_vertex_attribute *attributes)
{
	__u32 n = p->count * 4;
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_SET_VERTEX_INPUT, 35 + n);

	if (at) {
		memcpy(at, p, 136);
		if (attributes)
			memcpy(at + 34, attributes, n * 4);
	}
}

/* vkCmdBindVertexBuffers */
static inline void sundog_emit_bind_vertex_buffers(struct sundog_stream *s,
					const struct sundog_cmd_bind_vertex_buffers *p,
					const struct sundog_buffer_binding *buffers)
{
	__u32 n = p->count * 4;
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_BIND_VERTEX_BUFFERS, 3 + n);

	if (at) {
		memcpy(at, p, 8);
		if (buffers)
			memcpy(at + 2, buffers, n * 4);
	}
}

/* vkCmdBindIndexBuffer */
static inline void sundog_emit_bind_index_buffer(struct sundog_stream *s,
					const struct sundog_cmd_bind_index_buffer *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_BIND_INDEX_BUFFER, 6);

	if (at)
		memcpy(at, p, 20);
}

/* vkCmdBindShadersEXT, all stages: 0 unbinds */
static inline void sundog_emit_bind_shaders(struct sundog_stream *s,
					const struct sundog_cmd_bind_shaders *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_BIND_SHADERS, 7);

	if (at)
		memcpy(at, p, 24);
}

/* vkCmdBindShadersEXT, all stages, with a mesh shader and none of those that have vertices: 0 unbinds. Needs feature MESH_SHADERS */
static inline void sundog_emit_bind_mesh_shaders(struct sundog_stream *s,
					const struct sundog_cmd_bind_mesh_shaders *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_BIND_MESH_SHADERS, 9);

	if (at)
		memcpy(at, p, 32);
}

/* Bind a uniform buffer slot */
static inline void sundog_emit_bind_ubo(struct sundog_stream *s,
					const struct sundog_cmd_bind_ubo *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_BIND_UBO, 9);

	if (at)
		memcpy(at, p, 32);
}

/* vkCmdBindVertexBuffers2: vertices see nothing of a slot's memory but its range */
static inline void sundog_emit_bind_vertex_ranges(struct sundog_stream *s,
					const struct sundog_cmd_bind_vertex_ranges *p,
					const struct sundog_mem_range *ranges)
{
	__u32 n = p->count * 6;
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_BIND_VERTEX_RANGES, 3 + n);

	if (at) {
		memcpy(at, p, 8);
		if (ranges)
			memcpy(at + 2, ranges, n * 4);
	}
}

/* Bind texture slots */
static inline void sundog_emit_bind_textures(struct sundog_stream *s,
					const struct sundog_cmd_bind_textures *p,
					const struct sundog_texture_binding *textures)
{
	__u32 n = p->count * 2;
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_BIND_TEXTURES, 4 + n);

	if (at) {
		memcpy(at, p, 12);
		if (textures)
			memcpy(at + 3, textures, n * 4);
	}
}

/* vkCmdPushConstants, for all stages */
static inline void sundog_emit_push_constants(struct sundog_stream *s,
					const struct sundog_cmd_push_constants *p,
					const __u32 *data)
{
	__u32 n = p->count * 1;
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_PUSH_CONSTANTS, 3 + n);

	if (at) {
		memcpy(at, p, 8);
		if (data)
			memcpy(at + 2, data, n * 4);
	}
}

/* Bind texel buffer slots */
static inline void sundog_emit_bind_texel_buffers(struct sundog_stream *s,
					const struct sundog_cmd_bind_texel_buffers *p,
					const __u32 *views)
{
	__u32 n = p->count * 1;
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_BIND_TEXEL_BUFFERS, 4 + n);

	if (at) {
		memcpy(at, p, 12);
		if (views)
			memcpy(at + 3, views, n * 4);
	}
}

/* vkCmdBindTransformFeedbackBuffersEXT, all of them, while feedback is off. Needs feature FEEDBACK */
static inline void sundog_emit_bind_feedback_buffers(struct sundog_stream *s,
					const struct sundog_cmd_bind_feedback_buffers *p,
					const struct sundog_mem_range *buffers)
{
	__u32 n = p->count * 6;
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_BIND_FEEDBACK_BUFFERS, 2 + n);

	if (at) {
		memcpy(at, p, 4);
		if (buffers)
			memcpy(at + 1, buffers, n * 4);
	}
}

/* vkCmdSetPatchControlPointsEXT and vkCmdSetTessellationDomainOriginEXT, for topology 10. Needs feature TESSELLATION */
static inline void sundog_emit_set_patch(struct sundog_stream *s,
					const struct sundog_cmd_set_patch *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_SET_PATCH, 3);

	if (at)
		memcpy(at, p, 8);
}

/* Bind storage buffer slots. A shader that writes storage buffers needs all of its stage listed for writing. Needs feature COMPUTE */
static inline void sundog_emit_bind_ssbos(struct sundog_stream *s,
					const struct sundog_cmd_bind_ssbos *p,
					const struct sundog_mem_range *ranges)
{
	__u32 n = p->count * 6;
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_BIND_SSBOS, 4 + n);

	if (at) {
		memcpy(at, p, 12);
		if (ranges)
			memcpy(at + 3, ranges, n * 4);
	}
}

/* Bind storage image slots; a slot that a shader writes needs memory listed for writing. Needs feature COMPUTE */
static inline void sundog_emit_bind_images(struct sundog_stream *s,
					const struct sundog_cmd_bind_images *p,
					const __u32 *views)
{
	__u32 n = p->count * 1;
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_BIND_IMAGES, 4 + n);

	if (at) {
		memcpy(at, p, 12);
		if (views)
			memcpy(at + 3, views, n * 4);
	}
}

/* Bind storage texel buffer slots; a slot that a shader writes needs memory listed for writing. Needs feature COMPUTE */
static inline void sundog_emit_bind_storage_texels(struct sundog_stream *s,
					const struct sundog_cmd_bind_storage_texels *p,
					const __u32 *views)
{
	__u32 n = p->count * 1;
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_BIND_STORAGE_TEXELS, 4 + n);

	if (at) {
		memcpy(at, p, 12);
		if (views)
			memcpy(at + 3, views, n * 4);
	}
}

/* Bind tables of handles, for all stages. All memory that is in them must be listed where a shader that declares one is used, and for writing what is in those of images if it writes some. Needs feature BINDLESS */
static inline void sundog_emit_bind_handles(struct sundog_stream *s,
					const struct sundog_cmd_bind_handles *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_BIND_HANDLES, 2);

	if (at)
		memcpy(at, p, 4);
}

/* Bind a descriptor set, for draws or for dispatches. What is drawn with must have been made with a layout that has a set of the same bindings there; what is written to a set later counts for what is drawn later. An element whose memory is not listed (for writing, too, where shaders may write it) or that is of another kind than the shader declares is nothing */
static inline void sundog_emit_bind_set(struct sundog_stream *s,
					const struct sundog_cmd_bind_set *p,
					const __u32 *offsets)
{
	__u32 n = p->count * 1;
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_BIND_SET, 5 + n);

	if (at) {
		memcpy(at, p, 16);
		if (offsets)
			memcpy(at + 4, offsets, n * 4);
	}
}

/* vkUpdateDescriptorSets: write elements of a binding. What is drawn before is not touched by it */
static inline void sundog_emit_write_set(struct sundog_stream *s,
					const struct sundog_cmd_write_set *p,
					const struct sundog_set_descriptor *descriptors)
{
	__u32 n = p->count * 8;
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_WRITE_SET, 5 + n);

	if (at) {
		memcpy(at, p, 16);
		if (descriptors)
			memcpy(at + 4, descriptors, n * 4);
	}
}

/* VkCopyDescriptorSet: copy elements of a binding to one of the same type, or to others of that binding; of type MUTABLE_TYPE, to and from one of 0 to 7, too: an element of another type is nothing there */
static inline void sundog_emit_copy_set(struct sundog_stream *s,
					const struct sundog_cmd_copy_set *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_COPY_SET, 8);

	if (at)
		memcpy(at, p, 28);
}

/* write_set for elements of a binding of type MUTABLE_TYPE, which are of this type from now on. Shaders that declare another one see nothing there. Needs feature MUTABLE_DESCRIPTORS */
static inline void sundog_emit_write_mutable_set(struct sundog_stream *s,
					const struct sundog_cmd_write_mutable_set *p,
					const struct sundog_set_descriptor *descriptors)
{
	__u32 n = p->count * 8;
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_WRITE_MUTABLE_SET, 6 + n);

	if (at) {
		memcpy(at, p, 20);
		if (descriptors)
			memcpy(at + 5, descriptors, n * 4);
	}
}

/* Write an entry of the table of a kind, outside a rendering. What is done before sees the old one, what is done after the new one; it keeps what it names. Needs feature BINDLESS */
static inline void sundog_emit_write_handle(struct sundog_stream *s,
					const struct sundog_cmd_write_handle *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_WRITE_HANDLE, 6);

	if (at)
		memcpy(at, p, 20);
}

/* vkCmdBeginRendering. The stream ends it before its end */
static inline void sundog_emit_begin_rendering(struct sundog_stream *s,
					const struct sundog_cmd_begin_rendering *p,
					const struct sundog_attachment *colors)
{
	__u32 n = p->count * 7;
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_BEGIN_RENDERING, 21 + n);

	if (at) {
		memcpy(at, p, 80);
		if (colors)
			memcpy(at + 20, colors, n * 4);
	}
}

/* vkCmdBeginRendering with a view mask: what is drawn goes to each view, which is a layer of all attachments. Draws know layers no more: a shader that reads or writes one is refused, as are begin_feedback, and write_timestamp, whose word would be one view's. Clears are of layer 0, and clear all views. A query takes as many numbers, or places of its pool, as there are views. Needs feature MULTIVIEW */
static inline void sundog_emit_begin_multiview(struct sundog_stream *s,
					const struct sundog_cmd_begin_multiview *p,
					const struct sundog_attachment *colors)
{
	__u32 n = p->count * 7;
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_BEGIN_MULTIVIEW, 21 + n);

	if (at) {
		memcpy(at, p, 80);
		if (colors)
			memcpy(at + 20, colors, n * 4);
	}
}

/* vkCmdEndRendering */
static inline void sundog_emit_end_rendering(struct sundog_stream *s)
{
	sundog_stream_reserve(s, SUNDOG_OP_END_RENDERING, 1);
}

/* vkCmdDraw */
static inline void sundog_emit_draw(struct sundog_stream *s,
					const struct sundog_cmd_draw *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_DRAW, 5);

	if (at)
		memcpy(at, p, 16);
}

/* vkCmdDrawIndexed */
static inline void sundog_emit_draw_indexed(struct sundog_stream *s,
					const struct sundog_cmd_draw_indexed *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_DRAW_INDEXED, 6);

	if (at)
		memcpy(at, p, 20);
}

/* vkCmdDrawIndirectByteCountEXT: as many vertices as feedback wrote to a buffer. Needs feature FEEDBACK */
static inline void sundog_emit_draw_feedback(struct sundog_stream *s,
					const struct sundog_cmd_draw_feedback *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_DRAW_FEEDBACK, 5);

	if (at)
		memcpy(at, p, 16);
}

/* vkCmdDrawIndirect or vkCmdDrawIndirectCount. More than one draw, or a count in memory, needs feature INDIRECT */
static inline void sundog_emit_draw_indirect(struct sundog_stream *s,
					const struct sundog_cmd_draw_indirect *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_DRAW_INDIRECT, 11);

	if (at)
		memcpy(at, p, 40);
}

/* vkCmdDrawIndexedIndirect or vkCmdDrawIndexedIndirectCount, likewise */
static inline void sundog_emit_draw_indexed_indirect(struct sundog_stream *s,
					const struct sundog_cmd_draw_indexed_indirect *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_DRAW_INDEXED_INDIRECT, 11);

	if (at)
		memcpy(at, p, 40);
}

/* vkCmdDrawMeshTasksEXT: with a task shader its work groups, else the mesh shader's. Without views and feedback. A fragment shader may neither read PrimitiveId nor, where polygons are not filled, FrontFacing, nor more distances than the mesh shader writes, if those are not by fours; lines are not smooth. Needs feature MESH_SHADERS */
static inline void sundog_emit_draw_mesh(struct sundog_stream *s,
					const struct sundog_cmd_draw_mesh *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_DRAW_MESH, 4);

	if (at)
		memcpy(at, p, 12);
}

/* vkCmdDrawMeshTasksIndirectEXT or vkCmdDrawMeshTasksIndirectCountEXT, likewise. Needs feature INDIRECT, too */
static inline void sundog_emit_draw_mesh_indirect(struct sundog_stream *s,
					const struct sundog_cmd_draw_mesh_indirect *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_DRAW_MESH_INDIRECT, 11);

	if (at)
		memcpy(at, p, 40);
}

/* vkCmdDispatch, outside a rendering. Needs feature COMPUTE */
static inline void sundog_emit_dispatch(struct sundog_stream *s,
					const struct sundog_cmd_dispatch *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_DISPATCH, 4);

	if (at)
		memcpy(at, p, 12);
}

/* vkCmdDispatchIndirect, outside a rendering. Needs feature COMPUTE */
static inline void sundog_emit_dispatch_indirect(struct sundog_stream *s,
					const struct sundog_cmd_dispatch_indirect *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_DISPATCH_INDIRECT, 5);

	if (at)
		memcpy(at, p, 16);
}

/* vkCmdDispatchBase, outside a rendering. Needs feature COMPUTE */
static inline void sundog_emit_dispatch_base(struct sundog_stream *s,
					const struct sundog_cmd_dispatch_base *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_DISPATCH_BASE, 7);

	if (at)
		memcpy(at, p, 24);
}

/* vkCmdClearAttachments, one rectangle, inside a rendering; since 5.5 nothing is done of attachments that the rendering does not have */
static inline void sundog_emit_clear_attachments(struct sundog_stream *s,
					const struct sundog_cmd_clear_attachments *p,
					const struct sundog_clear_attachment *attachments)
{
	__u32 n = p->count * 6;
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_CLEAR_ATTACHMENTS, 8 + n);

	if (at) {
		memcpy(at, p, 28);
		if (attachments)
			memcpy(at + 7, attachments, n * 4);
	}
}

/* vkCmdFillBuffer, outside a rendering */
static inline void sundog_emit_fill_buffer(struct sundog_stream *s,
					const struct sundog_cmd_fill_buffer *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_FILL_BUFFER, 8);

	if (at)
		memcpy(at, p, 28);
}

/* vkCmdCopyBuffer, outside a rendering; ranges must not overlap */
static inline void sundog_emit_copy_buffer(struct sundog_stream *s,
					const struct sundog_cmd_copy_buffer *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_COPY_BUFFER, 11);

	if (at)
		memcpy(at, p, 40);
}

/* vkCmdCopyBufferToImage, outside a rendering */
static inline void sundog_emit_copy_buffer_to_image(struct sundog_stream *s,
					const struct sundog_cmd_copy_buffer_to_image *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_COPY_BUFFER_TO_IMAGE, 16);

	if (at)
		memcpy(at, p, 60);
}

/* vkCmdCopyImageToBuffer, outside a rendering */
static inline void sundog_emit_copy_image_to_buffer(struct sundog_stream *s,
					const struct sundog_cmd_copy_image_to_buffer *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_COPY_IMAGE_TO_BUFFER, 16);

	if (at)
		memcpy(at, p, 60);
}

/* vkCmdCopyImage, outside a rendering */
static inline void sundog_emit_copy_image(struct sundog_stream *s,
					const struct sundog_cmd_copy_image *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_COPY_IMAGE, 16);

	if (at)
		memcpy(at, p, 60);
}

/* vkCmdBlitImage, outside a rendering; boxes run from offset to end and may be mirrored */
static inline void sundog_emit_blit_image(struct sundog_stream *s,
					const struct sundog_cmd_blit_image *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_BLIT_IMAGE, 20);

	if (at)
		memcpy(at, p, 76);
}

/* vkCmdResolveImage, outside a rendering */
static inline void sundog_emit_resolve_image(struct sundog_stream *s,
					const struct sundog_cmd_resolve_image *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_RESOLVE_IMAGE, 16);

	if (at)
		memcpy(at, p, 60);
}

/* vkCmdPipelineBarrier2 with one memory barrier, outside a rendering. Submissions of a channel are ordered without one */
static inline void sundog_emit_barrier(struct sundog_stream *s,
					const struct sundog_cmd_barrier *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_BARRIER, 9);

	if (at)
		memcpy(at, p, 32);
}

/* vkCmdUpdateBuffer, outside a rendering */
static inline void sundog_emit_update_buffer(struct sundog_stream *s,
					const struct sundog_cmd_update_buffer *p,
					const __u32 *data)
{
	__u32 n = p->count * 1;
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_UPDATE_BUFFER, 6 + n);

	if (at) {
		memcpy(at, p, 20);
		if (data)
			memcpy(at + 5, data, n * 4);
	}
}

/* vkCmdClearColorImage or, with the other aspects, vkCmdClearDepthStencilImage, one range, outside a rendering */
static inline void sundog_emit_clear_image(struct sundog_stream *s,
					const struct sundog_cmd_clear_image *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_CLEAR_IMAGE, 11);

	if (at)
		memcpy(at, p, 40);
}

/* Have all of an allocation at a device address of the client's choice, until unmap_address: shaders find it there while it is listed. Nothing else may be at these addresses; an allocation may be at several. Where nothing is, and outside of lists, what a shader reads or writes ends the client at worst. Needs feature ADDRESSES */
static inline void sundog_emit_map_address(struct sundog_stream *s,
					const struct sundog_cmd_map_address *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_MAP_ADDRESS, 5);

	if (at)
		memcpy(at, p, 16);
}

/* Nothing is at a device address any more, at once: no shader may be using it. Needs feature ADDRESSES */
static inline void sundog_emit_unmap_address(struct sundog_stream *s,
					const struct sundog_cmd_unmap_address *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_UNMAP_ADDRESS, 3);

	if (at)
		memcpy(at, p, 8);
}

/* Begin counting; one query of a type (OCCLUSION and OCCLUSION_BOOL are one) and stream can be open. The result, a u64 or as many as the type has, is added to what is in memory when the ring entry completes, so a query may span entries. With views (begin_multiview) it takes the numbers after it as well, one for each view, and what all count is added (since 5.3) */
static inline void sundog_emit_begin_query(struct sundog_stream *s,
					const struct sundog_cmd_begin_query *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_BEGIN_QUERY, 8);

	if (at)
		memcpy(at, p, 28);
}

/* End counting */
static inline void sundog_emit_end_query(struct sundog_stream *s,
					const struct sundog_cmd_end_query *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_END_QUERY, 2);

	if (at)
		memcpy(at, p, 4);
}

/* vkCmdBeginTransformFeedbackEXT, inside a rendering that ends it before its end. What the last stage before rasterisation declares goes to the buffers bound */
static inline void sundog_emit_begin_feedback(struct sundog_stream *s,
					const struct sundog_cmd_begin_feedback *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_BEGIN_FEEDBACK, 6);

	if (at)
		memcpy(at, p, 20);
}

/* vkCmdEndTransformFeedbackEXT; the counters now say how far the buffers are filled */
static inline void sundog_emit_end_feedback(struct sundog_stream *s)
{
	sundog_stream_reserve(s, SUNDOG_OP_END_FEEDBACK, 1);
}

/* Write to memory how many bytes of a buffer feedback has filled, as a u32, outside a rendering. To barriers this is a transfer; what was captured before it counts. Needs feature FEEDBACK_COUNTS */
static inline void sundog_emit_copy_feedback_counter(struct sundog_stream *s,
					const struct sundog_cmd_copy_feedback_counter *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_COPY_FEEDBACK_COUNTER, 6);

	if (at)
		memcpy(at, p, 20);
}

/* vkCmdWriteTimestamp2: the time when all before it is done, in ticks of caps.timestamp_period, as a u64 in memory when the ring entry completes */
static inline void sundog_emit_write_timestamp(struct sundog_stream *s,
					const struct sundog_cmd_write_timestamp *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_WRITE_TIMESTAMP, 6);

	if (at)
		memcpy(at, p, 20);
}

/* Compute a value of results of queries, outside a rendering, where no condition and no query is open. A word counts as the entries before left it, and with what queries that ended in this one add to it; a time stamp counts as added, too. With feature QUERY_VALUES */
static inline void sundog_emit_compute_query_value(struct sundog_stream *s,
					const struct sundog_cmd_compute_query_value *p,
					const struct sundog_mem_word *words)
{
	__u32 n = p->count * 4;
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_COMPUTE_QUERY_VALUE, 5 + n);

	if (at) {
		memcpy(at, p, 16);
		if (words)
			memcpy(at + 4, words, n * 4);
	}
}

/* Write a value that was computed to memory, outside a rendering. To barriers this is a transfer */
static inline void sundog_emit_copy_query_value(struct sundog_stream *s,
					const struct sundog_cmd_copy_query_value *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_COPY_QUERY_VALUE, 7);

	if (at)
		memcpy(at, p, 24);
}

/* vkCmdResetQueryPool, outside a rendering, of queries that are not open */
static inline void sundog_emit_reset_query_pool(struct sundog_stream *s,
					const struct sundog_cmd_reset_query_pool *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_RESET_QUERY_POOL, 4);

	if (at)
		memcpy(at, p, 12);
}

/* vkCmdBeginQueryIndexedEXT, of a query that was reset; one query of a type and stream can be open, those of begin_query among them. It ends in the rendering that it began in, or outside as it began. Where there are views it is one for each, those that follow among them */
static inline void sundog_emit_begin_pool_query(struct sundog_stream *s,
					const struct sundog_cmd_begin_pool_query *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_BEGIN_POOL_QUERY, 5);

	if (at)
		memcpy(at, p, 16);
}

/* vkCmdEndQueryIndexedEXT */
static inline void sundog_emit_end_pool_query(struct sundog_stream *s,
					const struct sundog_cmd_end_pool_query *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_END_POOL_QUERY, 4);

	if (at)
		memcpy(at, p, 12);
}

/* vkCmdWriteTimestamp2: the time when all before it is done, to a query that was reset */
static inline void sundog_emit_write_pool_timestamp(struct sundog_stream *s,
					const struct sundog_cmd_write_pool_timestamp *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_WRITE_POOL_TIMESTAMP, 3);

	if (at)
		memcpy(at, p, 8);
}

/* vkCmdCopyQueryPoolResults, outside a rendering, of queries that are not open. To barriers this is a transfer */
static inline void sundog_emit_copy_query_results(struct sundog_stream *s,
					const struct sundog_cmd_copy_query_results *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_COPY_QUERY_RESULTS, 10);

	if (at)
		memcpy(at, p, 36);
}

/* vkCmdBeginConditionalRenderingEXT: until its end, draws, dispatches and clear_attachments are done only if the value is not 0. One can be open; it ends in the rendering that it began in, or outside as it began */
static inline void sundog_emit_begin_condition(struct sundog_stream *s,
					const struct sundog_cmd_begin_condition *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_BEGIN_CONDITION, 3);

	if (at)
		memcpy(at, p, 8);
}

/* vkCmdBeginConditionalRenderingEXT with a u32 in memory, read when the work is done; otherwise like begin_condition. With feature QUERY_VALUES */
static inline void sundog_emit_begin_memory_condition(struct sundog_stream *s,
					const struct sundog_cmd_begin_memory_condition *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_BEGIN_MEMORY_CONDITION, 6);

	if (at)
		memcpy(at, p, 20);
}

/* vkCmdEndConditionalRenderingEXT */
static inline void sundog_emit_end_condition(struct sundog_stream *s)
{
	sundog_stream_reserve(s, SUNDOG_OP_END_CONDITION, 1);
}

#endif
