// SPDX-License-Identifier: MIT
/*
 * The decoder's loop: checks each packet against its description, then calls the one function that
 * executes it. Called by a channel on the worker's main thread.
 */
#include "exec/decode.h"

#include <stdlib.h>

#include "exec/address.h"
#include "ipc/log.h"
#include "packet.h"
#include "worker/worker.h"

static uint32_t *buffer;
static uint32_t size;		/* of the buffer, in dwords */

uint32_t *decode_buffer(uint32_t dwords)
{
	if (dwords > size) {
		free(buffer);
		buffer = malloc((size_t)dwords * 4);
		size = buffer ? dwords : 0;
	}
	return buffer;
}

uint32_t *decode_buffer_keep(void)
{
	uint32_t *kept = buffer;

	buffer = NULL;
	size = 0;
	return kept;
}

static bool run_packet(struct worker *w, const uint32_t *dw)
{
	const uint32_t opcode = SUNDOG_PACKET_OPCODE(dw[0]);
	const void *body = dw + 1;
	const void *array = dw + sundog_packets[opcode].dwords;

	switch (opcode) {
	case SUNDOG_OP_NOP:
		return true;
	case SUNDOG_OP_DESTROY:
		return object_destroy(w, body);
	case SUNDOG_OP_CREATE_IMAGE:
		return image_create(w, body);
	case SUNDOG_OP_CREATE_LINEAR_IMAGE:
		return image_create_linear(w, body);
	case SUNDOG_OP_CREATE_IMAGE_VIEW:
		return image_view_create(w, body);
	case SUNDOG_OP_CREATE_SAMPLER:
		return sampler_create(w, body);
	case SUNDOG_OP_CREATE_SHADER:
		return shader_create(w, body, array);
	case SUNDOG_OP_SET_VIEWPORTS:
		return set_viewports(w, body, array);
	case SUNDOG_OP_SET_SCISSORS:
		return set_scissors(w, body, array);
	case SUNDOG_OP_SET_RASTER:
		return set_raster(w, body);
	case SUNDOG_OP_SET_DEPTH_STENCIL:
		return set_depth_stencil(w, body);
	case SUNDOG_OP_SET_STENCIL_REFERENCE:
		return set_stencil_reference(w, body);
	case SUNDOG_OP_SET_BLEND:
		return set_blend(w, body, array);
	case SUNDOG_OP_SET_BLEND_CONSTANTS:
		return set_blend_constants(w, body);
	case SUNDOG_OP_SET_MULTISAMPLE:
		return set_multisample(w, body);
	case SUNDOG_OP_SET_VERTEX_INPUT:
		return set_vertex_input(w, body, array);
	case SUNDOG_OP_BIND_VERTEX_BUFFERS:
		return bind_vertex_buffers(w, body, array);
	case SUNDOG_OP_BIND_VERTEX_RANGES:
		return bind_vertex_ranges(w, body, array);
	case SUNDOG_OP_BIND_INDEX_BUFFER:
		return bind_index_buffer(w, body);
	case SUNDOG_OP_BIND_SHADERS:
		return bind_shaders(w, body);
	case SUNDOG_OP_BIND_MESH_SHADERS:
		return bind_mesh_shaders(w, body);
	case SUNDOG_OP_BIND_UBO:
		return bind_ubo(w, body);
	case SUNDOG_OP_BIND_TEXTURES:
		return bind_textures(w, body, array);
	case SUNDOG_OP_PUSH_CONSTANTS:
		return push_constants(w, body, array);
	case SUNDOG_OP_BEGIN_RENDERING:
		return begin_rendering(w, body, array);
	case SUNDOG_OP_BEGIN_MULTIVIEW:
		return begin_multiview(w, body, array);
	case SUNDOG_OP_END_RENDERING:
		return end_rendering(w);
	case SUNDOG_OP_DRAW:
		return draw_vertices(w, body);
	case SUNDOG_OP_DRAW_INDEXED:
		return draw_indexed(w, body);
	case SUNDOG_OP_CLEAR_ATTACHMENTS:
		return clear_attachments(w, body, array);
	case SUNDOG_OP_FILL_BUFFER:
		return fill_buffer(w, body);
	case SUNDOG_OP_COPY_BUFFER:
		return copy_buffer(w, body);
	case SUNDOG_OP_COPY_BUFFER_TO_IMAGE:
		return copy_buffer_to_image(w, body);
	case SUNDOG_OP_COPY_IMAGE_TO_BUFFER:
		return copy_image_to_buffer(w, body);
	case SUNDOG_OP_COPY_IMAGE:
		return copy_image(w, body);
	case SUNDOG_OP_BLIT_IMAGE:
		return blit_image(w, body);
	case SUNDOG_OP_RESOLVE_IMAGE:
		return resolve_image(w, body);
	case SUNDOG_OP_UPDATE_BUFFER:
		return update_buffer(w, body, array);
	case SUNDOG_OP_CLEAR_IMAGE:
		return clear_image(w, body);
	case SUNDOG_OP_MAP_ADDRESS:
		return map_address(w, body);
	case SUNDOG_OP_UNMAP_ADDRESS:
		return unmap_address(w, body);
	case SUNDOG_OP_BARRIER:
		return pipeline_barrier(w, body);
	case SUNDOG_OP_BEGIN_QUERY:
		return query_begin(w, body);
	case SUNDOG_OP_END_QUERY:
		return query_end(w, body);
	case SUNDOG_OP_WRITE_TIMESTAMP:
		return query_timestamp(w, body);
	case SUNDOG_OP_CREATE_QUERY_POOL:
		return query_pool_create(w, body);
	case SUNDOG_OP_RESET_QUERY_POOL:
		return query_pool_reset(w, body);
	case SUNDOG_OP_BEGIN_POOL_QUERY:
		return pool_query_begin(w, body);
	case SUNDOG_OP_END_POOL_QUERY:
		return pool_query_end(w, body);
	case SUNDOG_OP_WRITE_POOL_TIMESTAMP:
		return pool_query_timestamp(w, body);
	case SUNDOG_OP_COPY_QUERY_RESULTS:
		return query_results_copy(w, body);
	case SUNDOG_OP_COMPUTE_QUERY_VALUE:
		return query_value_compute(w, body, array);
	case SUNDOG_OP_COPY_QUERY_VALUE:
		return query_value_copy(w, body);
	case SUNDOG_OP_BEGIN_CONDITION:
		return condition_begin(w, body);
	case SUNDOG_OP_BEGIN_MEMORY_CONDITION:
		return memory_condition_begin(w, body);
	case SUNDOG_OP_END_CONDITION:
		return condition_end(w);
	case SUNDOG_OP_CREATE_FEEDBACK_COUNTER:
		return feedback_counter_create(w, body);
	case SUNDOG_OP_BIND_FEEDBACK_BUFFERS:
		return bind_feedback_buffers(w, body, array);
	case SUNDOG_OP_BEGIN_FEEDBACK:
		return begin_feedback(w, body);
	case SUNDOG_OP_END_FEEDBACK:
		return end_feedback(w);
	case SUNDOG_OP_COPY_FEEDBACK_COUNTER:
		return feedback_counter_copy(w, body);
	case SUNDOG_OP_DRAW_FEEDBACK:
		return draw_feedback(w, body);
	case SUNDOG_OP_CREATE_BUFFER_VIEW:
		return buffer_view_create(w, body);
	case SUNDOG_OP_BIND_TEXEL_BUFFERS:
		return bind_texel_buffers(w, body, array);
	case SUNDOG_OP_SET_PATCH:
		return set_patch(w, body);
	case SUNDOG_OP_DRAW_INDIRECT:
		return draw_indirect(w, body);
	case SUNDOG_OP_DRAW_INDEXED_INDIRECT:
		return draw_indexed_indirect(w, body);
	case SUNDOG_OP_DRAW_MESH:
		return draw_mesh(w, body);
	case SUNDOG_OP_DRAW_MESH_INDIRECT:
		return draw_mesh_indirect(w, body);
	case SUNDOG_OP_BIND_SSBOS:
		return bind_ssbos(w, body, array);
	case SUNDOG_OP_BIND_IMAGES:
		return bind_images(w, body, array);
	case SUNDOG_OP_BIND_STORAGE_TEXELS:
		return bind_storage_texels(w, body, array);
	case SUNDOG_OP_CREATE_SET_LAYOUT:
		return set_layout_create(w, body, array);
	case SUNDOG_OP_CREATE_PIPELINE_LAYOUT:
		return pipeline_layout_create(w, body, array);
	case SUNDOG_OP_CREATE_SET:
		return set_create(w, body);
	case SUNDOG_OP_CREATE_LAYOUT_SHADER:
		return layout_shader_create(w, body, array);
	case SUNDOG_OP_WRITE_SET:
		return write_set(w, body, array);
	case SUNDOG_OP_WRITE_MUTABLE_SET:
		return write_mutable_set(w, body, array);
	case SUNDOG_OP_COPY_SET:
		return copy_set(w, body);
	case SUNDOG_OP_BIND_SET:
		return bind_set(w, body, array);
	case SUNDOG_OP_CREATE_HANDLE_TABLE:
		return handle_table_create(w, body);
	case SUNDOG_OP_WRITE_HANDLE:
		return write_handle(w, body);
	case SUNDOG_OP_BIND_HANDLES:
		return bind_handles(w, body);
	case SUNDOG_OP_DISPATCH:
		return dispatch(w, body);
	case SUNDOG_OP_DISPATCH_BASE:
		return dispatch_base(w, body);
	case SUNDOG_OP_DISPATCH_INDIRECT:
		return dispatch_indirect(w, body);
	default:
		return fault(w, SUNDOG_FAULT_CODE_OPCODE, opcode);
	}
}

/* Other packets must be recorded after the joined draws. */
static bool may_be_joined(uint32_t opcode)
{
	return opcode == SUNDOG_OP_DRAW || opcode == SUNDOG_OP_DRAW_INDEXED;
}

static void log_packet(const uint32_t *dw)
{
	char line[512];

	sundog_packet_print(dw, line, sizeof(line));
	log_debug("%s", line);
}

bool decode(struct worker *w, const uint32_t *stream, uint32_t dwords, uint64_t *offset)
{
	draw_begin(w, w->batches.recording->cmd);
	for (uint32_t at = 0; at < dwords; at += SUNDOG_PACKET_DWORDS(stream[at])) {
		uint32_t arg;
		enum sundog_fault_code code = sundog_packet_check(stream + at, dwords - at, &arg);

		*offset = (uint64_t)at * 4;
		if (code)
			return fault(w, code, arg);
		if (log_level >= LOG_DEBUG)
			log_packet(stream + at);
		if (!may_be_joined(SUNDOG_PACKET_OPCODE(stream[at])))
			draws_record_joined(w);
		if (!run_packet(w, stream + at))
			return false;
		watch_progress(&w->watchdog.decode);
	}
	*offset = (uint64_t)dwords * 4;
	draws_record_joined(w);
	return draw_end(w);
}
