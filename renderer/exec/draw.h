/* SPDX-License-Identifier: MIT */
/*
 * State of the stream that is being decoded, and the packets that set or use it. Everything here
 * runs on the worker's main thread.
 *
 * No state survives a ring entry: draw_begin() resets all of it. A state packet goes to the host at
 * once; this structure keeps only the state that draws are checked against, and the descriptors.
 */
#ifndef EXEC_DRAW_H
#define EXEC_DRAW_H

#include <stdbool.h>
#include <stdint.h>

#include "exec/descriptor.h"
#include "exec/feedback.h"
#include "exec/handle.h"
#include "exec/object.h"
#include "exec/query_pool.h"
#include "exec/query_value.h"
#include "exec/set.h"
#include "exec/shader.h"

/* State that a stream must set before a draw. */
enum draw_have {
	HAVE_VIEWPORTS = 1 << 0,
	HAVE_SCISSORS = 1 << 1,
	HAVE_RASTER = 1 << 2,
	HAVE_DEPTH_STENCIL = 1 << 3,
	HAVE_STENCIL_REFERENCE = 1 << 4,
	HAVE_BLEND = 1 << 5,
	HAVE_BLEND_CONSTANTS = 1 << 6,
	HAVE_MULTISAMPLE = 1 << 7,
	HAVE_VERTEX_INPUT = 1 << 8,
	HAVE_SHADERS = 1 << 9,
	HAVE_ALL = (1 << 10) - 1,
};

#define MAX_JOINED 256

/* Consecutive draws that are not recorded yet, see merge_draws.c. */
struct joined {
	uint32_t count, first_instance;
	bool indexed;				/* false: `draws` has vertices instead of indices */
	VkMultiDrawIndexedInfoEXT draws[MAX_JOINED];
};

struct draw {
	/* Created once. */
	VkDescriptorSetLayout set_layouts[NUM_SLOT_SETS];
	uint32_t n_sets;			/* one set per stage, and one for handle tables */
	VkPipelineLayout pipeline_layout;
	VkDeviceSize set_size;
	VkDeviceSize binding_offset[SUNDOG_NUM_BINDINGS];
	uint32_t descriptor_size[NUM_BINDING_KINDS];
	unsigned char null[NUM_BINDING_KINDS][MAX_DESCRIPTOR_SIZE];
	struct handles handles;
	uint64_t set_bytes;			/* bytes of large sets and their copies */
	struct set *large_sets;
	struct vk_host_buffer no_limit;		/* a draw count of UINT32_MAX */

	/* State of the current stream. */
	VkCommandBuffer cmd;
	uint32_t have;				/* enum draw_have */
	struct shader *shaders[NUM_STAGES];
	struct stage_bindings stages[NUM_STAGES];
	struct bound_sets bound_sets[2];	/* by VkPipelineBindPoint: draws, dispatches */
	VkDeviceAddress descriptor_buffers[MAX_DESCRIPTOR_BUFFERS];	/* bound ones */
	uint32_t n_descriptor_buffers;
	uint32_t samples, blend_count;
	/* blending uses the second source of attachment 0 */
	bool dual_source;
	uint32_t vertex_slots_needed, vertex_slots_bound;
	bool vertex_ranges;			/* vertex ranges were bound */
	struct alloc *index_alloc;
	uint64_t index_offset;
	uint32_t index_size;			/* bytes per index, 0: no index buffer is bound */
	VkPrimitiveTopology topology;
	bool restarts;
	bool fills, smooth_lines;		/* polygon mode is fill; lines are smooth */
	uint32_t patch_vertices;		/* 0: not set */
	VkTessellationDomainOrigin patch_origin;
	/* variant of the evaluation shader that the host has bound, see eval_variant.c */
	uint32_t twin;
	struct joined joined;
	/* number of pieces that draws of patches were split into, see split_draw.c */
	uint32_t pieces;
	/* a draw with its draw count in memory was recorded */
	bool counted;
	/* a barrier that makes transfers wait for attachments was left out */
	bool left_out;
	/* lavapipe uses a mesh shader's group size for compute shaders */
	bool mesh_groups;
	struct feedback feedback;
	struct condition condition;
	uint32_t copies;			/* copies of query pool results in this stream */
	struct open_pool_query pool_queries[NUM_QUERY_KINDS][SUNDOG_MAX_STREAMS];
	struct query_pool *changed_pools;	/* a list */
	uint32_t pushed[SUNDOG_MAX_PUSH_CONSTANTS / 4];
	bool has_pushed;
	uint32_t host_stages;			/* stages that the host has a shader bound to */

	/* State of the current rendering. */
	/* number of the rendering in the stream, 0: outside renderings */
	uint32_t scope;
	uint32_t renderings;
	uint32_t color_count, color_mask;
	VkImageAspectFlags depth_stencil;	/* attached aspects */
	uint32_t rendering_samples;		/* 0: no attachment */
	bool discard;				/* rasterizer discard is on */
	uint32_t rendering_layers;		/* layers that clears may name */
	uint32_t view_mask;			/* 0: no multiview, or outside renderings */
	VkRect2D area;
};

void draw_begin(struct worker *w, VkCommandBuffer cmd);
/*
 * End the stream. Returns false with a fault recorded if a rendering, a query or a condition is
 * still open.
 */
bool draw_end(struct worker *w);
/*
 * Tell the objects that the stream changed whether it was submitted. If not, their changes are
 * undone or unknown; objects that the stream did not change stay as they are.
 */
void draw_done(struct worker *w, bool submitted);

/* Returns true if no rendering is open, else false with a fault for @opcode recorded. */
bool outside_rendering(struct worker *w, uint32_t opcode);

/* barrier.c */
bool pipeline_barrier(struct worker *w, const struct sundog_cmd_barrier *cmd);
/*
 * As outside_rendering(). Records a barrier that pipeline_barrier() left out, if the transfer needs
 * it.
 */
bool may_transfer(struct worker *w, uint32_t opcode);

/* state.c */
bool set_viewports(struct worker *w, const struct sundog_cmd_set_viewports *cmd,
		   const struct sundog_viewport *viewports);
bool set_scissors(struct worker *w, const struct sundog_cmd_set_scissors *cmd,
		  const struct sundog_rect *rects);
bool set_raster(struct worker *w, const struct sundog_cmd_set_raster *cmd);
bool set_depth_stencil(struct worker *w, const struct sundog_cmd_set_depth_stencil *cmd);
bool set_stencil_reference(struct worker *w, const struct sundog_cmd_set_stencil_reference *cmd);
bool set_blend(struct worker *w, const struct sundog_cmd_set_blend *cmd,
	       const struct sundog_blend_attachment *attachments);
bool set_blend_constants(struct worker *w, const struct sundog_cmd_set_blend_constants *cmd);
bool set_multisample(struct worker *w, const struct sundog_cmd_set_multisample *cmd);
bool set_vertex_input(struct worker *w, const struct sundog_cmd_set_vertex_input *cmd,
		      const struct sundog_vertex_attribute *attributes);
bool bind_vertex_buffers(struct worker *w, const struct sundog_cmd_bind_vertex_buffers *cmd,
			 const struct sundog_buffer_binding *buffers);
bool bind_vertex_ranges(struct worker *w, const struct sundog_cmd_bind_vertex_ranges *cmd,
			const struct sundog_mem_range *ranges);
/* Drop the stream's references to vertex ranges, at its end. */
void vertex_ranges_release(struct worker *w);
bool bind_index_buffer(struct worker *w, const struct sundog_cmd_bind_index_buffer *cmd);
bool bind_shaders(struct worker *w, const struct sundog_cmd_bind_shaders *cmd);
bool bind_mesh_shaders(struct worker *w, const struct sundog_cmd_bind_mesh_shaders *cmd);
/* Bind shaders of @stages (a mask) that the host has. */
void shaders_to_host(struct worker *w, const VkShaderEXT *shaders, uint32_t stages);
/*
 * llvmpipe blits with draws and takes a bound mesh shader's outputs for those of its own shaders:
 * unbind mesh shaders (@bound false) before a blit and bind them (true) after it.
 */
void mesh_shaders_to_host(struct worker *w, bool bound);
bool push_constants(struct worker *w, const struct sundog_cmd_push_constants *cmd,
		    const uint32_t *data);

/* rendering.c */
bool begin_rendering(struct worker *w, const struct sundog_cmd_begin_rendering *cmd,
		     const struct sundog_attachment *colors);
bool begin_multiview(struct worker *w, const struct sundog_cmd_begin_multiview *cmd,
		     const struct sundog_attachment *colors);
bool end_rendering(struct worker *w);
/*
 * Record an empty rendering, so that lavapipe puts later commands into another scene than earlier
 * ones.
 */
void rendering_break(struct worker *w);

/* draw.c */
bool draw_vertices(struct worker *w, const struct sundog_cmd_draw *cmd);
bool draw_indexed(struct worker *w, const struct sundog_cmd_draw_indexed *cmd);
/*
 * Return true if all state that such a draw needs is set, else false with a fault for @opcode
 * recorded.
 */
bool ready_to_draw_indirect(struct worker *w, uint32_t opcode);
bool ready_to_draw_mesh(struct worker *w, uint32_t opcode);
bool draw_feedback(struct worker *w, const struct sundog_cmd_draw_feedback *cmd);
bool clear_attachments(struct worker *w, const struct sundog_cmd_clear_attachments *cmd,
		       const struct sundog_clear_attachment *attachments);

/* merge_draws.c */
/*
 * Add a draw to the joined draws if possible. Returns false if the caller has to record it.
 * ready_to_draw() holds.
 */
bool draw_joins(struct worker *w, const struct sundog_cmd_draw *cmd);
bool draw_indexed_joins(struct worker *w, const struct sundog_cmd_draw_indexed *cmd);
/* Record the joined draws. Call it before any other packet. */
void draws_record_joined(struct worker *w);

/* patch.c */
bool set_patch(struct worker *w, const struct sundog_cmd_set_patch *cmd);
/* After shaders were bound: set the tessellation domain origin of the stream in the host. */
void patch_origin_to_host(struct worker *w);
/* Returns true if topology, patch size and tessellation shaders match. */
bool patches_fit(const struct draw *d);

/*
 * eval_variant.c: bind the variant of the evaluation shader that the next draw needs. Returns false
 * with a fault recorded.
 */
bool twin_to_host(struct worker *w);

/* split_draw.c */
/* Returns true if the host has room for all vertices that one patch can be tessellated into. */
bool patch_fits(const struct draw *d);
/* Returns true if draws of any number of primitives or patches need no splitting. */
bool fits_at_once(const struct draw *d);

/* A draw of @count vertices, split into pieces that the host has room for. */
struct draw_pieces {
	uint32_t count, size, overlap, done;
};

bool draw_pieces(struct worker *w, uint32_t count, struct draw_pieces *out);
/* Get the next piece. Returns false if there is none left. */
bool next_piece(struct draw_pieces *p, uint32_t *first, uint32_t *count);

/* indirect.c */
bool indirect_init(struct worker *w);
bool draw_indirect(struct worker *w, const struct sundog_cmd_draw_indirect *cmd);
bool draw_indexed_indirect(struct worker *w, const struct sundog_cmd_draw_indexed_indirect *cmd);
bool draw_mesh_indirect(struct worker *w, const struct sundog_cmd_draw_mesh_indirect *cmd);

/* mesh.c */
/* Returns true if mesh shaders and state match, for the rules that the host does not check. */
bool meshes_fit(const struct draw *d);
bool draw_mesh(struct worker *w, const struct sundog_cmd_draw_mesh *cmd);

/* dispatch.c */
bool dispatch(struct worker *w, const struct sundog_cmd_dispatch *cmd);
bool dispatch_base(struct worker *w, const struct sundog_cmd_dispatch_base *cmd);
bool dispatch_indirect(struct worker *w, const struct sundog_cmd_dispatch_indirect *cmd);

/* clear.c: returns true unless @clear is a depth outside 0..1 or a NaN. */
bool clear_value_ok(VkImageAspectFlags aspect, const uint32_t *clear);
bool clear_image(struct worker *w, const struct sundog_cmd_clear_image *cmd);

/* transfer.c */
bool fill_buffer(struct worker *w, const struct sundog_cmd_fill_buffer *cmd);
bool update_buffer(struct worker *w, const struct sundog_cmd_update_buffer *cmd,
		   const uint32_t *data);
bool copy_buffer(struct worker *w, const struct sundog_cmd_copy_buffer *cmd);
bool copy_buffer_to_image(struct worker *w, const struct sundog_cmd_copy_buffer_to_image *cmd);
bool copy_image_to_buffer(struct worker *w, const struct sundog_cmd_copy_image_to_buffer *cmd);
bool copy_image(struct worker *w, const struct sundog_cmd_copy_image *cmd);
bool blit_image(struct worker *w, const struct sundog_cmd_blit_image *cmd);
bool resolve_image(struct worker *w, const struct sundog_cmd_resolve_image *cmd);

#endif
