// SPDX-License-Identifier: MIT
/*
 * Begin and end of a stream, direct draws, and clears of attachments, see draw.h. Called by the
 * decoder on the worker's main thread.
 */
#include "exec/draw.h"
#include "exec/clear.h"
#include "exec/eval_variant.h"
#include "exec/merge_draws.h"
#include "exec/mesh.h"
#include "exec/patch.h"
#include "exec/split_draw.h"
#include "exec/split_indirect.h"
#include "exec/state.h"

#include <string.h>

#include "exec/exec.h"
#include "exec/memory.h"
#include "sundog_run.h"

void draw_begin(struct exec *x, VkCommandBuffer cmd)
{
	struct draw *d = &x->draw;

	d->cmd = cmd;
	d->have = 0;
	d->vertex_slots_needed = d->vertex_slots_bound = 0;
	d->vertex_ranges = false;
	d->index_size = 0;
	d->patch_vertices = d->pieces = d->copies = 0;
	d->merged.count = 0;
	d->counted = d->mesh_groups = d->left_out = d->fragments_left_out = false;
	d->n_attached = 0;
	d->n_descriptor_buffers = 0;
	d->scope = d->renderings = d->view_mask = 0;
	feedback_reset(&d->feedback);
	d->condition.open = false;
	pool_queries_reset(x);
	memset(d->pushed, 0, sizeof(d->pushed));
	d->has_pushed = false;
	d->host_stages = 0;
	handles_begin(&d->handles);
	for (int i = 0; i < NUM_STAGES; i++) {
		d->shaders[i] = NULL;
		stage_bindings_reset(&d->stages[i]);
	}
	for (int i = 0; i < 2; i++)
		bound_sets_reset(x, &d->bound_sets[i]);
}

bool draw_may_add_slot(const struct draw *d)
{
	const struct shader *fragment = d->shaders[SUNDOG_STAGE_FRAGMENT];

	return fragment &&
	       (fragment->primitive_id || (!d->fills && fragment->front_facing));
}

bool outside_rendering(struct exec *x, uint32_t opcode)
{
	return !x->draw.scope || fault(x, SUNDOG_FAULT_CODE_STATE, opcode);
}

bool draw_end(struct exec *x)
{
	if (!outside_rendering(x, SUNDOG_OP_END_RENDERING) || !queries_closed(x, 0) ||
	    !condition_closed(x, 0))
		return false;
	handles_settle(x);
	vertex_ranges_release(x);
	return true;
}

void draw_done(struct exec *x, bool submitted)
{
	handles_done(&x->draw.handles, submitted);
	feedback_done(&x->draw.feedback, submitted);
	pool_queries_done(x, submitted);
}

/* Draws */

enum primitives { POINTS, LINES, TRIANGLES, LINES_ADJACENCY, TRIANGLES_ADJACENCY };

static enum primitives primitives_of(VkPrimitiveTopology topology)
{
	switch (topology) {
	case VK_PRIMITIVE_TOPOLOGY_POINT_LIST:
		return POINTS;
	case VK_PRIMITIVE_TOPOLOGY_LINE_LIST:
	case VK_PRIMITIVE_TOPOLOGY_LINE_STRIP:
		return LINES;
	case VK_PRIMITIVE_TOPOLOGY_LINE_LIST_WITH_ADJACENCY:
	case VK_PRIMITIVE_TOPOLOGY_LINE_STRIP_WITH_ADJACENCY:
		return LINES_ADJACENCY;
	case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST_WITH_ADJACENCY:
	case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP_WITH_ADJACENCY:
		return TRIANGLES_ADJACENCY;
	default:
		return TRIANGLES;
	}
}

/* Returns the vertices of each primitive that a geometry shader gets. */
static uint32_t primitive_vertices(const struct draw *d)
{
	static const uint32_t vertices[] = { 1, 2, 3, 4, 6 };
	const struct shader *eval = d->shaders[SUNDOG_STAGE_TESS_EVAL];

	return eval ? eval->output_vertices : vertices[primitives_of(d->topology)];
}

bool draw_has_lines(const struct draw *d)
{
	const struct shader *geometry = d->shaders[SUNDOG_STAGE_GEOMETRY];
	const uint32_t vertices = geometry ? geometry->output_vertices : primitive_vertices(d);

	/* With adjacency there are two vertices for each one. */
	if (vertices == 2 || vertices == 4)
		return true;
	return d->outlines && vertices != 1;
}

/*
 * Returns false if a bound shader accesses the layer while multiview is on. llvmpipe clamps a layer
 * to the attachments before it adds the view, which leads past their end except for layer 0. It
 * also uses a layer that fragment shaders read without checking it.
 */
static bool views_fit(const struct draw *d)
{
	for (int i = 0; d->view_mask && i < NUM_STAGES; i++)
		if (GRAPHICS_STAGES >> i & 1 && d->shaders[i] && d->shaders[i]->layer)
			return false;
	return true;
}

static bool shaders_fit(const struct draw *d)
{
	const struct shader *geometry = d->shaders[SUNDOG_STAGE_GEOMETRY];

	/*
	 * A geometry shader reads as many vertices as it declares, whatever it gets. Without a
	 * geometry shader adjacent vertices are ignored.
	 */
	return patches_fit(d) && views_fit(d) &&
	       (!geometry || geometry->input_vertices == primitive_vertices(d));
}

/* Returns true if blend state, fragment outputs and sample count match the attachments. */
static bool colors_fit(const struct draw *d)
{
	const struct shader *fragment = d->shaders[SUNDOG_STAGE_FRAGMENT];

	return d->blend_count >= d->color_count && (!d->dual_source || d->color_count <= 1) &&
	       (!d->dual_source || !d->color_count || (fragment && fragment->second_source)) &&
	       (d->discard || !d->rendering_samples || d->rendering_samples == d->samples);
}

static bool ready_to_draw(struct exec *x, uint32_t opcode)
{
	const struct draw *d = &x->draw;

	if (!shaders_usable(x, GRAPHICS_STAGES))
		return false;
	if (!d->scope || d->have != HAVE_ALL || !d->shaders[SUNDOG_STAGE_VERTEX] ||
	    !colors_fit(d) || (d->vertex_slots_needed & ~d->vertex_slots_bound) || !shaders_fit(d))
		return fault(x, SUNDOG_FAULT_CODE_STATE, opcode);
	return eval_variant_to_host(x) && descriptors_flush(x, GRAPHICS_STAGES);
}

bool ready_to_draw_mesh(struct exec *x, uint32_t opcode)
{
	const struct draw *d = &x->draw;

	if (!shaders_usable(x, GRAPHICS_STAGES))
		return false;
	if (!d->scope || d->have != HAVE_ALL || !d->shaders[SUNDOG_STAGE_MESH] || !colors_fit(d) ||
	    !meshes_fit(d))
		return fault(x, SUNDOG_FAULT_CODE_STATE, opcode);
	smooth_lines_to_host(x, true);
	return descriptors_flush(x, GRAPHICS_STAGES);
}

bool ready_to_draw_indirect(struct exec *x, uint32_t opcode, uint32_t max_draws)
{
	return ready_to_draw(x, opcode) && (fits_at_once(x) || may_split_indirect(x, max_draws) ||
					    fault(x, SUNDOG_FAULT_CODE_STATE, opcode));
}

/* Returns true if the last vertex or instance has a number of 32 bits. */
static bool numbers_fit(uint32_t first, uint32_t count)
{
	return (uint64_t)first + count <= 1ull << 32;
}

bool run_draw(struct exec *x, const struct sundog_cmd_draw *cmd)
{
	struct draw_pieces pieces;
	uint32_t first, count;

	/* If merged draws are pending, no state has changed since the last check. */
	if (!x->draw.merged.count && !ready_to_draw(x, SUNDOG_OP_DRAW))
		return false;
	if (!numbers_fit(cmd->first_vertex, cmd->vertex_count) ||
	    !numbers_fit(cmd->first_instance, cmd->instance_count))
		return fault(x, SUNDOG_FAULT_CODE_FIELD, 1);
	if (draw_merges(x, cmd))
		return true;
	draws_record_merged(x);
	draw_pieces(x, cmd->vertex_count, &pieces);
	while (next_piece(&pieces, &first, &count))
		x->vk.CmdDraw(x->draw.cmd, count, cmd->instance_count, cmd->first_vertex + first,
			      cmd->first_instance);
	return true;
}

bool run_draw_indexed(struct exec *x, const struct sundog_cmd_draw_indexed *cmd)
{
	const struct draw *d = &x->draw;
	struct draw_pieces pieces;
	uint32_t first, count;
	uint64_t end;

	if (!d->merged.count && !ready_to_draw(x, SUNDOG_OP_DRAW_INDEXED))
		return false;
	if (!d->index_size)
		return fault(x, SUNDOG_FAULT_CODE_STATE, SUNDOG_OP_DRAW_INDEXED);
	end = ((uint64_t)cmd->first_index + cmd->index_count) * d->index_size;
	if (!memory_buffer_range(x, d->index_alloc, d->index_offset, end))
		return false;
	if (!numbers_fit(cmd->first_instance, cmd->instance_count))
		return fault(x, SUNDOG_FAULT_CODE_FIELD, 5);
	if (draw_indexed_merges(x, cmd))
		return true;
	draws_record_merged(x);
	draw_pieces(x, cmd->index_count, &pieces);
	while (next_piece(&pieces, &first, &count))
		x->vk.CmdDrawIndexed(d->cmd, count, cmd->instance_count, cmd->first_index + first,
				     cmd->vertex_offset, cmd->first_instance);
	return true;
}

static bool draw_counted(struct exec *x, const struct sundog_cmd_draw_feedback *cmd,
			 const struct feedback_counter *counter)
{
	const struct split_indirect s = {
		.draws = counter->buffer.address, .max_draws = 1, .divisor = cmd->stride,
		.instances = cmd->instance_count, .first_instance = cmd->first_instance,
	};

	return split_indirect(x, &s);
}

bool run_draw_feedback(struct exec *x, const struct sundog_cmd_draw_feedback *cmd)
{
	const struct feedback_counter *counter;

	if (!x->vk.feedback)
		return fault(x, SUNDOG_FAULT_CODE_OPCODE, SUNDOG_OP_DRAW_FEEDBACK);
	if (!ready_to_draw_indirect(x, SUNDOG_OP_DRAW_FEEDBACK, 1))
		return false;
	counter = (struct feedback_counter *)object_find(x, cmd->counter,
							 SUNDOG_OBJECT_KIND_FEEDBACK_COUNTER);
	if (!counter)
		return false;
	if (feedback_has(&x->draw.feedback, counter))
		return fault(x, SUNDOG_FAULT_CODE_OBJECT, cmd->counter);
	if (cmd->stride % 4)
		return fault(x, SUNDOG_FAULT_CODE_FIELD, 2);
	if (!numbers_fit(cmd->first_instance, cmd->instance_count))
		return fault(x, SUNDOG_FAULT_CODE_FIELD, 4);
	if (!fits_at_once(x))
		return draw_counted(x, cmd, counter);
	x->vk.CmdDrawIndirectByteCountEXT(x->draw.cmd, cmd->instance_count, cmd->first_instance,
					  counter->buffer.buffer, 0, 0, cmd->stride);
	return true;
}

static bool clear_ok(const struct exec *x, const struct sundog_clear_attachment *a)
{
	if (a->aspect == SUNDOG_ASPECT_COLOR)
		return true;
	return a->aspect && !(a->aspect & SUNDOG_ASPECT_COLOR) &&
	       clear_value_ok(x, a->aspect, a->clear);
}

/* Returns the aspects of @a that the rendering has. */
static uint32_t aspects_there(const struct draw *d, const struct sundog_clear_attachment *a)
{
	if (a->aspect == SUNDOG_ASPECT_COLOR)
		return d->color_mask >> a->index & 1 ? a->aspect : 0;
	return a->aspect & d->depth_stencil;
}

bool run_clear_attachments(struct exec *x, const struct sundog_cmd_clear_attachments *cmd,
			   const struct sundog_clear_attachment *attachments)
{
	VkClearAttachment out[SUNDOG_MAX_COLOR_ATTACHMENTS + 1];
	const struct draw *d = &x->draw;
	const struct sundog_rect *r = &cmd->rect;
	VkClearRect rect = { { { r->x, r->y }, { r->width, r->height } },
			     cmd->base_layer,
			     cmd->layers };
	uint32_t n = 0;

	if (!d->scope)
		return fault(x, SUNDOG_FAULT_CODE_STATE, SUNDOG_OP_CLEAR_ATTACHMENTS);
	if (!r->width || !r->height || !cmd->count || r->x < d->area.offset.x ||
	    r->y < d->area.offset.y ||
	    (uint64_t)r->x + r->width > (uint64_t)d->area.offset.x + d->area.extent.width ||
	    (uint64_t)r->y + r->height > (uint64_t)d->area.offset.y + d->area.extent.height ||
	    cmd->base_layer + cmd->layers > d->rendering_layers)
		return fault(x, SUNDOG_FAULT_CODE_FIELD, 1);
	for (uint32_t i = 0; i < cmd->count; i++) {
		const struct sundog_clear_attachment *a = &attachments[i];

		if (!clear_ok(x, a))
			return fault(x, SUNDOG_FAULT_CODE_FIELD, sizeof(*cmd) / 4 + 1 + i * 6);
		if (!aspects_there(d, a))
			continue;
		out[n] = (VkClearAttachment){ .aspectMask = aspects_there(d, a),
					      .colorAttachment = a->index,
					      .clearValue = clear_value(a->aspect, d->depth_format,
									a->clear) };
		n++;
	}
	if (n)
		x->vk.CmdClearAttachments(d->cmd, n, out, 1, &rect);
	return true;
}
