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

/* No operation, of any length */
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

/* Destroy an object. The next packet may use its id again; work in flight keeps a reference to
 * the object */
static inline void sundog_emit_destroy(struct sundog_stream *s,
					const struct sundog_cmd_destroy *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_DESTROY, 3);

	if (at)
		memcpy(at, p, 8);
}

/* VkImageCreateInfo, bound to memory. The contents are those of the memory */
static inline void sundog_emit_create_image(struct sundog_stream *s,
					const struct sundog_cmd_create_image *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_CREATE_IMAGE, 16);

	if (at)
		memcpy(at, p, 60);
}

/* Create a 2D image with one level and one layer whose rows are placed by the driver, for memory
 * with a foreign layout. Needs layout_flag EXPLICIT */
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

/* VkShaderCreateInfoEXT with SPIR-V. The entry point is main. bindings and push_size must cover
 * everything that the code uses */
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

/* VkBufferViewCreateInfo: a range of memory as an array of texels, for reading and, with
 * bind_storage_texels, for writing */
static inline void sundog_emit_create_buffer_view(struct sundog_stream *s,
					const struct sundog_cmd_create_buffer_view *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_CREATE_BUFFER_VIEW, 9);

	if (at)
		memcpy(at, p, 32);
}

/* Create a counter for the fill level of a transform feedback buffer. It starts at zero, and
 * only the device changes it. Needs feature FEEDBACK */
static inline void sundog_emit_create_feedback_counter(struct sundog_stream *s,
					const struct sundog_cmd_create_feedback_counter *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_CREATE_FEEDBACK_COUNTER, 2);

	if (at)
		memcpy(at, p, 4);
}

/* Create handle tables, one of MAX_HANDLES entries for each kind of texture and image. All
 * entries are empty: shaders read zero there. Needs feature BINDLESS */
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

/* Create a descriptor set of null descriptors */
static inline void sundog_emit_create_set(struct sundog_stream *s,
					const struct sundog_cmd_create_set *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_CREATE_SET, 3);

	if (at)
		memcpy(at, p, 8);
}

/* Create a shader like create_shader whose descriptors are those of sets */
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

/* Write a shader_report to memory when the packet is decoded: waits until the shader is checked
 * and compiled. The memory must not be used by other commands in flight. Needs feature
 * SHADER_REPORTS */
static inline void sundog_emit_report_shader(struct sundog_stream *s,
					const struct sundog_cmd_report_shader *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_REPORT_SHADER, 6);

	if (at)
		memcpy(at, p, 20);
}

/* VkQueryPoolCreateInfo. A query must be reset before use */
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

/* vkCmdSetVertexInputEXT; binding i describes slot i */
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

/* vkCmdBindShadersEXT for all stages; 0 unbinds */
static inline void sundog_emit_bind_shaders(struct sundog_stream *s,
					const struct sundog_cmd_bind_shaders *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_BIND_SHADERS, 7);

	if (at)
		memcpy(at, p, 24);
}

/* vkCmdBindShadersEXT for all stages, with a mesh shader and no vertex, tessellation or geometry
 * shader; 0 unbinds. Needs feature MESH_SHADERS */
static inline void sundog_emit_bind_mesh_shaders(struct sundog_stream *s,
					const struct sundog_cmd_bind_mesh_shaders *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_BIND_MESH_SHADERS, 9);

	if (at)
		memcpy(at, p, 32);
}

/* Bind a uniform buffer to a slot */
static inline void sundog_emit_bind_ubo(struct sundog_stream *s,
					const struct sundog_cmd_bind_ubo *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_BIND_UBO, 9);

	if (at)
		memcpy(at, p, 32);
}

/* vkCmdBindVertexBuffers2: vertices are read from the slot's range only */
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

/* vkCmdPushConstants for all stages */
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

/* vkCmdBindTransformFeedbackBuffersEXT for all buffers, while transform feedback is inactive.
 * Needs feature FEEDBACK */
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

/* vkCmdSetPatchControlPointsEXT and vkCmdSetTessellationDomainOriginEXT, for topology 10. Needs
 * feature TESSELLATION */
static inline void sundog_emit_set_patch(struct sundog_stream *s,
					const struct sundog_cmd_set_patch *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_SET_PATCH, 3);

	if (at)
		memcpy(at, p, 8);
}

/* Bind storage buffer slots. If a shader writes storage buffers, all storage buffers of its
 * stage must be listed for writing. Needs feature COMPUTE */
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

/* Bind storage image slots. Memory of a slot that a shader writes must be listed for writing.
 * Needs feature COMPUTE */
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

/* Bind storage texel buffer slots. Memory of a slot that a shader writes must be listed for
 * writing. Needs feature COMPUTE */
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

/* Bind handle tables for all stages. Where a shader that declares a handle table is used, all
 * memory in the tables must be listed; if it writes images, that in tables of images must be
 * listed for writing. Needs feature BINDLESS */
static inline void sundog_emit_bind_handles(struct sundog_stream *s,
					const struct sundog_cmd_bind_handles *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_BIND_HANDLES, 2);

	if (at)
		memcpy(at, p, 4);
}

/* Bind a descriptor set for draws or for dispatches. The layout of the shaders used must have a
 * set with the same bindings at this number. Later writes to the set affect later draws and
 * dispatches. An element of another kind than the shader declares reads as a null descriptor. So
 * does an element whose memory is not listed, or not listed for writing if shaders may write it */
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

/* vkUpdateDescriptorSets: write elements of a binding. Earlier draws are not affected */
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

/* VkCopyDescriptorSet: copy elements of a binding to a binding of the same type, or within one
 * binding without overlap. MUTABLE_TYPE can also be copied to and from types 0 to 7: an element
 * of another type becomes a null descriptor there */
static inline void sundog_emit_copy_set(struct sundog_stream *s,
					const struct sundog_cmd_copy_set *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_COPY_SET, 8);

	if (at)
		memcpy(at, p, 28);
}

/* write_set for elements of a MUTABLE_TYPE binding, which get this type. They are null
 * descriptors for shaders that declare another type. Needs feature MUTABLE_DESCRIPTORS */
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

/* Write an entry of a handle table, outside a rendering. Earlier work sees the old entry, later
 * work the new one. The entry keeps a reference to the view and the sampler. Needs feature
 * BINDLESS */
static inline void sundog_emit_write_handle(struct sundog_stream *s,
					const struct sundog_cmd_write_handle *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_WRITE_HANDLE, 6);

	if (at)
		memcpy(at, p, 20);
}

/* vkCmdBeginRendering. The stream must end the rendering before its own end */
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

/* vkCmdBeginRendering with a view mask: draws go to each view, which is a layer of all
 * attachments. Shaders that read or write the layer are refused, and so are begin_feedback and
 * write_timestamp, whose word would belong to one view. clear_attachments uses layer 0 and
 * clears all views. A query takes as many numbers, or queries of its pool, as there are views.
 * Needs feature MULTIVIEW */
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

/* vkCmdDrawIndirectByteCountEXT: draw as many vertices as transform feedback wrote to a buffer.
 * Needs feature FEEDBACK */
static inline void sundog_emit_draw_feedback(struct sundog_stream *s,
					const struct sundog_cmd_draw_feedback *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_DRAW_FEEDBACK, 5);

	if (at)
		memcpy(at, p, 16);
}

/* vkCmdDrawIndirect or vkCmdDrawIndirectCount. Several draws, or a count in memory, need feature
 * INDIRECT */
static inline void sundog_emit_draw_indirect(struct sundog_stream *s,
					const struct sundog_cmd_draw_indirect *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_DRAW_INDIRECT, 11);

	if (at)
		memcpy(at, p, 40);
}

/* vkCmdDrawIndexedIndirect or vkCmdDrawIndexedIndirectCount. Several draws, or a count in
 * memory, need feature INDIRECT */
static inline void sundog_emit_draw_indexed_indirect(struct sundog_stream *s,
					const struct sundog_cmd_draw_indexed_indirect *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_DRAW_INDEXED_INDIRECT, 11);

	if (at)
		memcpy(at, p, 40);
}

/* vkCmdDrawMeshTasksEXT: groups counts work groups of the task shader, or of the mesh shader if
 * there is no task shader. Not with views or transform feedback. Lines must not be smooth. A
 * fragment shader must not read PrimitiveId, nor FrontFacing if polygons are not filled. It must
 * not read more clip and cull distances than the mesh shader writes, unless that writes a
 * multiple of four. Needs feature MESH_SHADERS */
static inline void sundog_emit_draw_mesh(struct sundog_stream *s,
					const struct sundog_cmd_draw_mesh *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_DRAW_MESH, 4);

	if (at)
		memcpy(at, p, 12);
}

/* vkCmdDrawMeshTasksIndirectEXT or vkCmdDrawMeshTasksIndirectCountEXT, with the rules of
 * draw_mesh. Also needs feature INDIRECT */
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

/* vkCmdClearAttachments with one rectangle, inside a rendering; attachments that the rendering
 * does not have are ignored (since 5.5) */
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

/* vkCmdCopyBuffer, outside a rendering; the ranges must not overlap */
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

/* vkCmdBlitImage, outside a rendering; the boxes range from offset to end and may be mirrored */
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

/* vkCmdPipelineBarrier2 with one memory barrier, outside a rendering. Allowed are the stages and
 * accesses of Vulkan 1.0, the shader accesses of 1.3 and those of transform feedback; others are
 * fault FIELD. Submissions of one channel need no barrier between them */
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

/* vkCmdClearColorImage or, for the other aspects, vkCmdClearDepthStencilImage, with one range,
 * outside a rendering */
static inline void sundog_emit_clear_image(struct sundog_stream *s,
					const struct sundog_cmd_clear_image *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_CLEAR_IMAGE, 11);

	if (at)
		memcpy(at, p, 40);
}

/* Map a whole allocation at a device address that the client chooses, until unmap_address;
 * shaders can access it there while it is listed. The range must be free; an allocation may be
 * mapped at several addresses. An access to unmapped addresses, or to memory that is not listed,
 * may end the client. Needs feature ADDRESSES */
static inline void sundog_emit_map_address(struct sundog_stream *s,
					const struct sundog_cmd_map_address *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_MAP_ADDRESS, 5);

	if (at)
		memcpy(at, p, 16);
}

/* Unmap a device address at once; no shader may be using it. Needs feature ADDRESSES */
static inline void sundog_emit_unmap_address(struct sundog_stream *s,
					const struct sundog_cmd_unmap_address *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_UNMAP_ADDRESS, 3);

	if (at)
		memcpy(at, p, 8);
}

/* As map_address, for a part of an allocation. Needs feature SPARSE_MEMORY */
static inline void sundog_emit_map_address_range(struct sundog_stream *s,
					const struct sundog_cmd_map_address_range *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_MAP_ADDRESS_RANGE, 9);

	if (at)
		memcpy(at, p, 32);
}

/* Make memory of a range of device addresses. Packets name it as they name an allocation, and
 * reach what is mapped at the addresses when they are executed. It needs no entry in the
 * submission's list, but the allocations that are mapped there do. An access to unmapped
 * addresses may end the client. Needs feature SPARSE_MEMORY */
static inline void sundog_emit_create_sparse_memory(struct sundog_stream *s,
					const struct sundog_cmd_create_sparse_memory *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_CREATE_SPARSE_MEMORY, 6);

	if (at)
		memcpy(at, p, 20);
}

/* Begin a query. One query of a type (OCCLUSION and OCCLUSION_BOOL count as one type) and stream
 * can be open. The result is a u64, or as many as the type has. It is added to the memory when
 * the ring entry completes, so a query can span entries. With views (begin_multiview) it also
 * takes the following numbers, one for each view, and the results of all views are added (since
 * 5.3) */
static inline void sundog_emit_begin_query(struct sundog_stream *s,
					const struct sundog_cmd_begin_query *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_BEGIN_QUERY, 8);

	if (at)
		memcpy(at, p, 28);
}

/* End a query */
static inline void sundog_emit_end_query(struct sundog_stream *s,
					const struct sundog_cmd_end_query *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_END_QUERY, 2);

	if (at)
		memcpy(at, p, 4);
}

/* vkCmdBeginTransformFeedbackEXT, inside a rendering, which must end it before its own end. The
 * outputs that the last stage before rasterisation declares go to the bound buffers */
static inline void sundog_emit_begin_feedback(struct sundog_stream *s,
					const struct sundog_cmd_begin_feedback *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_BEGIN_FEEDBACK, 6);

	if (at)
		memcpy(at, p, 20);
}

/* vkCmdEndTransformFeedbackEXT; afterwards the counters have the fill levels of the buffers */
static inline void sundog_emit_end_feedback(struct sundog_stream *s)
{
	sundog_stream_reserve(s, SUNDOG_OP_END_FEEDBACK, 1);
}

/* Write the bytes that transform feedback has written to a buffer, as a u32, to memory; earlier
 * captures count. Outside a rendering this is a transfer for barriers, and needs feature
 * FEEDBACK_COUNTS. In a rendering it is a compute shader's write, and needs feature
 * FEEDBACK_MEMORY */
static inline void sundog_emit_copy_feedback_counter(struct sundog_stream *s,
					const struct sundog_cmd_copy_feedback_counter *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_COPY_FEEDBACK_COUNTER, 6);

	if (at)
		memcpy(at, p, 20);
}

/* Set a counter to a u32 in memory, less `base` (at least 0), and at most `limit`, rounded down
 * to a multiple of 4. For barriers this is a compute shader's read. The counter can be resumed
 * in ranges of `limit` bytes and more. Needs feature FEEDBACK_MEMORY */
static inline void sundog_emit_load_feedback_counter(struct sundog_stream *s,
					const struct sundog_cmd_load_feedback_counter *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_LOAD_FEEDBACK_COUNTER, 8);

	if (at)
		memcpy(at, p, 28);
}

/* vkCmdWriteTimestamp2: the time at which all earlier commands are complete, in ticks of
 * caps.timestamp_period. It is stored as a u64 when the ring entry completes */
static inline void sundog_emit_write_timestamp(struct sundog_stream *s,
					const struct sundog_cmd_write_timestamp *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_WRITE_TIMESTAMP, 6);

	if (at)
		memcpy(at, p, 20);
}

/* Compute a value of query results, outside a rendering, while no condition and no query is
 * open. A word has the value that earlier entries left, plus the results of queries that ended
 * in this entry; a time stamp is added, too. Needs feature QUERY_VALUES */
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

/* Write a computed value to memory, outside a rendering. For barriers this is a transfer */
static inline void sundog_emit_copy_query_value(struct sundog_stream *s,
					const struct sundog_cmd_copy_query_value *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_COPY_QUERY_VALUE, 7);

	if (at)
		memcpy(at, p, 24);
}

/* vkCmdResetQueryPool for queries that are not open, outside a rendering */
static inline void sundog_emit_reset_query_pool(struct sundog_stream *s,
					const struct sundog_cmd_reset_query_pool *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_RESET_QUERY_POOL, 4);

	if (at)
		memcpy(at, p, 12);
}

/* vkCmdBeginQueryIndexedEXT for a query that was reset. One query of a type and stream can be
 * open, including those of begin_query. It ends in the rendering in which it began, or outside
 * of renderings if it began there. With views it takes the following queries, too, one for each
 * view */
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

/* vkCmdWriteTimestamp2: the time at which all earlier commands are complete, for a query that
 * was reset */
static inline void sundog_emit_write_pool_timestamp(struct sundog_stream *s,
					const struct sundog_cmd_write_pool_timestamp *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_WRITE_POOL_TIMESTAMP, 3);

	if (at)
		memcpy(at, p, 8);
}

/* vkCmdCopyQueryPoolResults for queries that are not open, outside a rendering. For barriers
 * this is a transfer */
static inline void sundog_emit_copy_query_results(struct sundog_stream *s,
					const struct sundog_cmd_copy_query_results *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_COPY_QUERY_RESULTS, 10);

	if (at)
		memcpy(at, p, 36);
}

/* vkCmdBeginConditionalRenderingEXT: until end_condition, draws, dispatches and
 * clear_attachments are executed only if the value is not 0. One condition can be open. It ends
 * in the rendering in which it began, or outside of renderings if it began there */
static inline void sundog_emit_begin_condition(struct sundog_stream *s,
					const struct sundog_cmd_begin_condition *p)
{
	__u32 *at = sundog_stream_reserve(s, SUNDOG_OP_BEGIN_CONDITION, 3);

	if (at)
		memcpy(at, p, 8);
}

/* vkCmdBeginConditionalRenderingEXT with a u32 in memory, which is read when the work executes;
 * otherwise like begin_condition. Needs feature QUERY_VALUES */
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
