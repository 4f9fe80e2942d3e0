/* SPDX-License-Identifier: MIT */
/* Execution of command packets in the renderer.
 * Generated from protocol/sundog.yaml by protocol/generate.py; do not edit. */
#ifndef SUNDOG_RUN_H
#define SUNDOG_RUN_H

#include <stdbool.h>

#include "sundog_packets.h"

struct exec;

/* Execute a packet that sundog_packet_check() accepts. Return false with a fault recorded. */
bool run_nop(struct exec *x,
		const struct sundog_cmd_nop *cmd,
		const __u32 *data);
bool run_destroy(struct exec *x,
		const struct sundog_cmd_destroy *cmd);
bool run_create_image(struct exec *x,
		const struct sundog_cmd_create_image *cmd);
bool run_create_linear_image(struct exec *x,
		const struct sundog_cmd_create_linear_image *cmd);
bool run_create_image_view(struct exec *x,
		const struct sundog_cmd_create_image_view *cmd);
bool run_create_sampler(struct exec *x,
		const struct sundog_cmd_create_sampler *cmd);
bool run_create_shader(struct exec *x,
		const struct sundog_cmd_create_shader *cmd,
		const __u32 *code);
bool run_create_buffer_view(struct exec *x,
		const struct sundog_cmd_create_buffer_view *cmd);
bool run_create_feedback_counter(struct exec *x,
		const struct sundog_cmd_create_feedback_counter *cmd);
bool run_create_handle_table(struct exec *x,
		const struct sundog_cmd_create_handle_table *cmd);
bool run_create_set_layout(struct exec *x,
		const struct sundog_cmd_create_set_layout *cmd,
		const struct sundog_set_binding *bindings);
bool run_create_pipeline_layout(struct exec *x,
		const struct sundog_cmd_create_pipeline_layout *cmd,
		const __u32 *layouts);
bool run_create_set(struct exec *x,
		const struct sundog_cmd_create_set *cmd);
bool run_create_layout_shader(struct exec *x,
		const struct sundog_cmd_create_layout_shader *cmd,
		const __u32 *code);
bool run_report_shader(struct exec *x,
		const struct sundog_cmd_report_shader *cmd);
bool run_create_query_pool(struct exec *x,
		const struct sundog_cmd_create_query_pool *cmd);
bool run_set_viewports(struct exec *x,
		const struct sundog_cmd_set_viewports *cmd,
		const struct sundog_viewport *viewports);
bool run_set_scissors(struct exec *x,
		const struct sundog_cmd_set_scissors *cmd,
		const struct sundog_rect *scissors);
bool run_set_raster(struct exec *x,
		const struct sundog_cmd_set_raster *cmd);
bool run_set_depth_stencil(struct exec *x,
		const struct sundog_cmd_set_depth_stencil *cmd);
bool run_set_stencil_reference(struct exec *x,
		const struct sundog_cmd_set_stencil_reference *cmd);
bool run_set_blend(struct exec *x,
		const struct sundog_cmd_set_blend *cmd,
		const struct sundog_blend_attachment *attachments);
bool run_set_blend_constants(struct exec *x,
		const struct sundog_cmd_set_blend_constants *cmd);
bool run_set_multisample(struct exec *x,
		const struct sundog_cmd_set_multisample *cmd);
bool run_set_vertex_input(struct exec *x,
		const struct sundog_cmd_set_vertex_input *cmd,
		const struct sundog_vertex_attribute *attributes);
bool run_bind_vertex_buffers(struct exec *x,
		const struct sundog_cmd_bind_vertex_buffers *cmd,
		const struct sundog_buffer_binding *buffers);
bool run_bind_index_buffer(struct exec *x,
		const struct sundog_cmd_bind_index_buffer *cmd);
bool run_bind_shaders(struct exec *x,
		const struct sundog_cmd_bind_shaders *cmd);
bool run_bind_mesh_shaders(struct exec *x,
		const struct sundog_cmd_bind_mesh_shaders *cmd);
bool run_bind_ubo(struct exec *x,
		const struct sundog_cmd_bind_ubo *cmd);
bool run_bind_vertex_ranges(struct exec *x,
		const struct sundog_cmd_bind_vertex_ranges *cmd,
		const struct sundog_mem_range *ranges);
bool run_bind_textures(struct exec *x,
		const struct sundog_cmd_bind_textures *cmd,
		const struct sundog_texture_binding *textures);
bool run_push_constants(struct exec *x,
		const struct sundog_cmd_push_constants *cmd,
		const __u32 *data);
bool run_bind_texel_buffers(struct exec *x,
		const struct sundog_cmd_bind_texel_buffers *cmd,
		const __u32 *views);
bool run_bind_feedback_buffers(struct exec *x,
		const struct sundog_cmd_bind_feedback_buffers *cmd,
		const struct sundog_mem_range *buffers);
bool run_set_patch(struct exec *x,
		const struct sundog_cmd_set_patch *cmd);
bool run_bind_ssbos(struct exec *x,
		const struct sundog_cmd_bind_ssbos *cmd,
		const struct sundog_mem_range *ranges);
bool run_bind_images(struct exec *x,
		const struct sundog_cmd_bind_images *cmd,
		const __u32 *views);
bool run_bind_storage_texels(struct exec *x,
		const struct sundog_cmd_bind_storage_texels *cmd,
		const __u32 *views);
bool run_bind_handles(struct exec *x,
		const struct sundog_cmd_bind_handles *cmd);
bool run_bind_set(struct exec *x,
		const struct sundog_cmd_bind_set *cmd,
		const __u32 *offsets);
bool run_write_set(struct exec *x,
		const struct sundog_cmd_write_set *cmd,
		const struct sundog_set_descriptor *descriptors);
bool run_copy_set(struct exec *x,
		const struct sundog_cmd_copy_set *cmd);
bool run_write_mutable_set(struct exec *x,
		const struct sundog_cmd_write_mutable_set *cmd,
		const struct sundog_set_descriptor *descriptors);
bool run_write_handle(struct exec *x,
		const struct sundog_cmd_write_handle *cmd);
bool run_begin_rendering(struct exec *x,
		const struct sundog_cmd_begin_rendering *cmd,
		const struct sundog_attachment *colors);
bool run_begin_multiview(struct exec *x,
		const struct sundog_cmd_begin_multiview *cmd,
		const struct sundog_attachment *colors);
bool run_end_rendering(struct exec *x);
bool run_draw(struct exec *x,
		const struct sundog_cmd_draw *cmd);
bool run_draw_indexed(struct exec *x,
		const struct sundog_cmd_draw_indexed *cmd);
bool run_draw_feedback(struct exec *x,
		const struct sundog_cmd_draw_feedback *cmd);
bool run_draw_indirect(struct exec *x,
		const struct sundog_cmd_draw_indirect *cmd);
bool run_draw_indexed_indirect(struct exec *x,
		const struct sundog_cmd_draw_indexed_indirect *cmd);
bool run_draw_mesh(struct exec *x,
		const struct sundog_cmd_draw_mesh *cmd);
bool run_draw_mesh_indirect(struct exec *x,
		const struct sundog_cmd_draw_mesh_indirect *cmd);
bool run_dispatch(struct exec *x,
		const struct sundog_cmd_dispatch *cmd);
bool run_dispatch_indirect(struct exec *x,
		const struct sundog_cmd_dispatch_indirect *cmd);
bool run_dispatch_base(struct exec *x,
		const struct sundog_cmd_dispatch_base *cmd);
bool run_clear_attachments(struct exec *x,
		const struct sundog_cmd_clear_attachments *cmd,
		const struct sundog_clear_attachment *attachments);
bool run_fill_buffer(struct exec *x,
		const struct sundog_cmd_fill_buffer *cmd);
bool run_copy_buffer(struct exec *x,
		const struct sundog_cmd_copy_buffer *cmd);
bool run_copy_buffer_to_image(struct exec *x,
		const struct sundog_cmd_copy_buffer_to_image *cmd);
bool run_copy_image_to_buffer(struct exec *x,
		const struct sundog_cmd_copy_image_to_buffer *cmd);
bool run_copy_image(struct exec *x,
		const struct sundog_cmd_copy_image *cmd);
bool run_blit_image(struct exec *x,
		const struct sundog_cmd_blit_image *cmd);
bool run_resolve_image(struct exec *x,
		const struct sundog_cmd_resolve_image *cmd);
bool run_barrier(struct exec *x,
		const struct sundog_cmd_barrier *cmd);
bool run_update_buffer(struct exec *x,
		const struct sundog_cmd_update_buffer *cmd,
		const __u32 *data);
bool run_clear_image(struct exec *x,
		const struct sundog_cmd_clear_image *cmd);
bool run_map_address(struct exec *x,
		const struct sundog_cmd_map_address *cmd);
bool run_unmap_address(struct exec *x,
		const struct sundog_cmd_unmap_address *cmd);
bool run_map_address_range(struct exec *x,
		const struct sundog_cmd_map_address_range *cmd);
bool run_create_sparse_memory(struct exec *x,
		const struct sundog_cmd_create_sparse_memory *cmd);
bool run_begin_query(struct exec *x,
		const struct sundog_cmd_begin_query *cmd);
bool run_end_query(struct exec *x,
		const struct sundog_cmd_end_query *cmd);
bool run_begin_feedback(struct exec *x,
		const struct sundog_cmd_begin_feedback *cmd);
bool run_end_feedback(struct exec *x);
bool run_copy_feedback_counter(struct exec *x,
		const struct sundog_cmd_copy_feedback_counter *cmd);
bool run_load_feedback_counter(struct exec *x,
		const struct sundog_cmd_load_feedback_counter *cmd);
bool run_write_timestamp(struct exec *x,
		const struct sundog_cmd_write_timestamp *cmd);
bool run_compute_query_value(struct exec *x,
		const struct sundog_cmd_compute_query_value *cmd,
		const struct sundog_mem_word *words);
bool run_copy_query_value(struct exec *x,
		const struct sundog_cmd_copy_query_value *cmd);
bool run_reset_query_pool(struct exec *x,
		const struct sundog_cmd_reset_query_pool *cmd);
bool run_begin_pool_query(struct exec *x,
		const struct sundog_cmd_begin_pool_query *cmd);
bool run_end_pool_query(struct exec *x,
		const struct sundog_cmd_end_pool_query *cmd);
bool run_write_pool_timestamp(struct exec *x,
		const struct sundog_cmd_write_pool_timestamp *cmd);
bool run_copy_query_results(struct exec *x,
		const struct sundog_cmd_copy_query_results *cmd);
bool run_begin_condition(struct exec *x,
		const struct sundog_cmd_begin_condition *cmd);
bool run_begin_memory_condition(struct exec *x,
		const struct sundog_cmd_begin_memory_condition *cmd);
bool run_end_condition(struct exec *x);

/* Refuses a packet that is not in the description. */
bool run_unknown(struct exec *x, __u32 opcode);

/* Executes the packet at @packet; @array is what follows its fixed part. */
static inline bool sundog_run_packet(struct exec *x, const __u32 *packet, const void *array)
{
	const void *body = packet + 1;

	switch (SUNDOG_PACKET_OPCODE(*packet)) {
	case SUNDOG_OP_NOP:
		return run_nop(x, body, array);
	case SUNDOG_OP_DESTROY:
		return run_destroy(x, body);
	case SUNDOG_OP_CREATE_IMAGE:
		return run_create_image(x, body);
	case SUNDOG_OP_CREATE_LINEAR_IMAGE:
		return run_create_linear_image(x, body);
	case SUNDOG_OP_CREATE_IMAGE_VIEW:
		return run_create_image_view(x, body);
	case SUNDOG_OP_CREATE_SAMPLER:
		return run_create_sampler(x, body);
	case SUNDOG_OP_CREATE_SHADER:
		return run_create_shader(x, body, array);
	case SUNDOG_OP_CREATE_BUFFER_VIEW:
		return run_create_buffer_view(x, body);
	case SUNDOG_OP_CREATE_FEEDBACK_COUNTER:
		return run_create_feedback_counter(x, body);
	case SUNDOG_OP_CREATE_HANDLE_TABLE:
		return run_create_handle_table(x, body);
	case SUNDOG_OP_CREATE_SET_LAYOUT:
		return run_create_set_layout(x, body, array);
	case SUNDOG_OP_CREATE_PIPELINE_LAYOUT:
		return run_create_pipeline_layout(x, body, array);
	case SUNDOG_OP_CREATE_SET:
		return run_create_set(x, body);
	case SUNDOG_OP_CREATE_LAYOUT_SHADER:
		return run_create_layout_shader(x, body, array);
	case SUNDOG_OP_REPORT_SHADER:
		return run_report_shader(x, body);
	case SUNDOG_OP_CREATE_QUERY_POOL:
		return run_create_query_pool(x, body);
	case SUNDOG_OP_SET_VIEWPORTS:
		return run_set_viewports(x, body, array);
	case SUNDOG_OP_SET_SCISSORS:
		return run_set_scissors(x, body, array);
	case SUNDOG_OP_SET_RASTER:
		return run_set_raster(x, body);
	case SUNDOG_OP_SET_DEPTH_STENCIL:
		return run_set_depth_stencil(x, body);
	case SUNDOG_OP_SET_STENCIL_REFERENCE:
		return run_set_stencil_reference(x, body);
	case SUNDOG_OP_SET_BLEND:
		return run_set_blend(x, body, array);
	case SUNDOG_OP_SET_BLEND_CONSTANTS:
		return run_set_blend_constants(x, body);
	case SUNDOG_OP_SET_MULTISAMPLE:
		return run_set_multisample(x, body);
	case SUNDOG_OP_SET_VERTEX_INPUT:
		return run_set_vertex_input(x, body, array);
	case SUNDOG_OP_BIND_VERTEX_BUFFERS:
		return run_bind_vertex_buffers(x, body, array);
	case SUNDOG_OP_BIND_INDEX_BUFFER:
		return run_bind_index_buffer(x, body);
	case SUNDOG_OP_BIND_SHADERS:
		return run_bind_shaders(x, body);
	case SUNDOG_OP_BIND_MESH_SHADERS:
		return run_bind_mesh_shaders(x, body);
	case SUNDOG_OP_BIND_UBO:
		return run_bind_ubo(x, body);
	case SUNDOG_OP_BIND_VERTEX_RANGES:
		return run_bind_vertex_ranges(x, body, array);
	case SUNDOG_OP_BIND_TEXTURES:
		return run_bind_textures(x, body, array);
	case SUNDOG_OP_PUSH_CONSTANTS:
		return run_push_constants(x, body, array);
	case SUNDOG_OP_BIND_TEXEL_BUFFERS:
		return run_bind_texel_buffers(x, body, array);
	case SUNDOG_OP_BIND_FEEDBACK_BUFFERS:
		return run_bind_feedback_buffers(x, body, array);
	case SUNDOG_OP_SET_PATCH:
		return run_set_patch(x, body);
	case SUNDOG_OP_BIND_SSBOS:
		return run_bind_ssbos(x, body, array);
	case SUNDOG_OP_BIND_IMAGES:
		return run_bind_images(x, body, array);
	case SUNDOG_OP_BIND_STORAGE_TEXELS:
		return run_bind_storage_texels(x, body, array);
	case SUNDOG_OP_BIND_HANDLES:
		return run_bind_handles(x, body);
	case SUNDOG_OP_BIND_SET:
		return run_bind_set(x, body, array);
	case SUNDOG_OP_WRITE_SET:
		return run_write_set(x, body, array);
	case SUNDOG_OP_COPY_SET:
		return run_copy_set(x, body);
	case SUNDOG_OP_WRITE_MUTABLE_SET:
		return run_write_mutable_set(x, body, array);
	case SUNDOG_OP_WRITE_HANDLE:
		return run_write_handle(x, body);
	case SUNDOG_OP_BEGIN_RENDERING:
		return run_begin_rendering(x, body, array);
	case SUNDOG_OP_BEGIN_MULTIVIEW:
		return run_begin_multiview(x, body, array);
	case SUNDOG_OP_END_RENDERING:
		return run_end_rendering(x);
	case SUNDOG_OP_DRAW:
		return run_draw(x, body);
	case SUNDOG_OP_DRAW_INDEXED:
		return run_draw_indexed(x, body);
	case SUNDOG_OP_DRAW_FEEDBACK:
		return run_draw_feedback(x, body);
	case SUNDOG_OP_DRAW_INDIRECT:
		return run_draw_indirect(x, body);
	case SUNDOG_OP_DRAW_INDEXED_INDIRECT:
		return run_draw_indexed_indirect(x, body);
	case SUNDOG_OP_DRAW_MESH:
		return run_draw_mesh(x, body);
	case SUNDOG_OP_DRAW_MESH_INDIRECT:
		return run_draw_mesh_indirect(x, body);
	case SUNDOG_OP_DISPATCH:
		return run_dispatch(x, body);
	case SUNDOG_OP_DISPATCH_INDIRECT:
		return run_dispatch_indirect(x, body);
	case SUNDOG_OP_DISPATCH_BASE:
		return run_dispatch_base(x, body);
	case SUNDOG_OP_CLEAR_ATTACHMENTS:
		return run_clear_attachments(x, body, array);
	case SUNDOG_OP_FILL_BUFFER:
		return run_fill_buffer(x, body);
	case SUNDOG_OP_COPY_BUFFER:
		return run_copy_buffer(x, body);
	case SUNDOG_OP_COPY_BUFFER_TO_IMAGE:
		return run_copy_buffer_to_image(x, body);
	case SUNDOG_OP_COPY_IMAGE_TO_BUFFER:
		return run_copy_image_to_buffer(x, body);
	case SUNDOG_OP_COPY_IMAGE:
		return run_copy_image(x, body);
	case SUNDOG_OP_BLIT_IMAGE:
		return run_blit_image(x, body);
	case SUNDOG_OP_RESOLVE_IMAGE:
		return run_resolve_image(x, body);
	case SUNDOG_OP_BARRIER:
		return run_barrier(x, body);
	case SUNDOG_OP_UPDATE_BUFFER:
		return run_update_buffer(x, body, array);
	case SUNDOG_OP_CLEAR_IMAGE:
		return run_clear_image(x, body);
	case SUNDOG_OP_MAP_ADDRESS:
		return run_map_address(x, body);
	case SUNDOG_OP_UNMAP_ADDRESS:
		return run_unmap_address(x, body);
	case SUNDOG_OP_MAP_ADDRESS_RANGE:
		return run_map_address_range(x, body);
	case SUNDOG_OP_CREATE_SPARSE_MEMORY:
		return run_create_sparse_memory(x, body);
	case SUNDOG_OP_BEGIN_QUERY:
		return run_begin_query(x, body);
	case SUNDOG_OP_END_QUERY:
		return run_end_query(x, body);
	case SUNDOG_OP_BEGIN_FEEDBACK:
		return run_begin_feedback(x, body);
	case SUNDOG_OP_END_FEEDBACK:
		return run_end_feedback(x);
	case SUNDOG_OP_COPY_FEEDBACK_COUNTER:
		return run_copy_feedback_counter(x, body);
	case SUNDOG_OP_LOAD_FEEDBACK_COUNTER:
		return run_load_feedback_counter(x, body);
	case SUNDOG_OP_WRITE_TIMESTAMP:
		return run_write_timestamp(x, body);
	case SUNDOG_OP_COMPUTE_QUERY_VALUE:
		return run_compute_query_value(x, body, array);
	case SUNDOG_OP_COPY_QUERY_VALUE:
		return run_copy_query_value(x, body);
	case SUNDOG_OP_RESET_QUERY_POOL:
		return run_reset_query_pool(x, body);
	case SUNDOG_OP_BEGIN_POOL_QUERY:
		return run_begin_pool_query(x, body);
	case SUNDOG_OP_END_POOL_QUERY:
		return run_end_pool_query(x, body);
	case SUNDOG_OP_WRITE_POOL_TIMESTAMP:
		return run_write_pool_timestamp(x, body);
	case SUNDOG_OP_COPY_QUERY_RESULTS:
		return run_copy_query_results(x, body);
	case SUNDOG_OP_BEGIN_CONDITION:
		return run_begin_condition(x, body);
	case SUNDOG_OP_BEGIN_MEMORY_CONDITION:
		return run_begin_memory_condition(x, body);
	case SUNDOG_OP_END_CONDITION:
		return run_end_condition(x);
	default:
		return run_unknown(x, SUNDOG_PACKET_OPCODE(*packet));
	}
}

#endif
