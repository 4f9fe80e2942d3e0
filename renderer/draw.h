/* SPDX-License-Identifier: MIT */
/*
 * State of the stream that is being decoded, and the packets that set or use it.
 *
 * Nothing survives a ring entry: draw_begin() forgets everything. A state packet goes to the host at
 * once; what is kept here is what draws must be checked against, and the descriptors.
 */
#ifndef DRAW_H
#define DRAW_H

#include <stdbool.h>
#include <stdint.h>

#include "descriptor.h"
#include "feedback.h"
#include "handle.h"
#include "object.h"
#include "query_pool.h"
#include "query_value.h"
#include "set.h"
#include "shader.h"

/* State that a draw needs and that a stream must have set. */
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

/* Draws that are not recorded yet. */
struct joined {
	uint32_t count, first_instance;
	bool indexed;				/* else indices are vertices */
	VkMultiDrawIndexedInfoEXT draws[MAX_JOINED];
};

struct draw {
	/* Made once. */
	VkDescriptorSetLayout set_layouts[NUM_SLOT_SETS];
	uint32_t n_sets;			/* one for each stage, and that of handles */
	VkPipelineLayout pipeline_layout;
	VkDeviceSize set_size;
	VkDeviceSize binding_offset[SUNDOG_NUM_BINDINGS];
	uint32_t descriptor_size[NUM_BINDING_KINDS];
	unsigned char null[NUM_BINDING_KINDS][MAX_DESCRIPTOR_SIZE];
	struct handles handles;
	uint64_t set_bytes;			/* of large sets and their copies */
	struct set *large_sets;
	struct vk_host_buffer no_limit;		/* the largest number of draws */

	/* Of the current stream. */
	VkCommandBuffer cmd;
	uint32_t have;				/* enum draw_have */
	struct shader *shaders[NUM_STAGES];
	struct stage_bindings stages[NUM_STAGES];
	struct bound_sets bound_sets[2];	/* for draws, and for dispatches */
	VkDeviceAddress descriptor_buffers[MAX_DESCRIPTOR_BUFFERS];	/* that are bound */
	uint32_t n_descriptor_buffers;
	uint32_t samples, blend_count;
	bool dual_source;			/* blending takes the second source of attachment 0 */
	uint32_t vertex_slots_needed, vertex_slots_bound;
	bool vertex_ranges;			/* some were bound */
	struct alloc *index_alloc;
	uint64_t index_offset;
	uint32_t index_size;			/* bytes of an index, 0: nothing bound */
	VkPrimitiveTopology topology;
	bool restarts;
	bool fills, smooth_lines;		/* polygons are filled; lines are smooth */
	uint32_t patch_vertices;		/* 0: not set */
	VkTessellationDomainOrigin patch_origin;
	uint32_t twin;				/* of the evaluation shader, that the host has bound; see twin.c */
	struct joined joined;
	uint32_t pieces;			/* that draws of patches were cut into */
	bool counted;				/* a draw had its number of draws in memory */
	bool left_out;				/* a barrier that had transfers wait for attachments was */
	bool mesh_groups;			/* lavapipe has the size of a mesh shader's groups for a compute shader's */
	struct feedback feedback;
	struct condition condition;
	uint32_t copies;			/* of results of pools, in this stream */
	struct open_pool_query pool_queries[NUM_QUERY_KINDS][SUNDOG_MAX_STREAMS];
	struct query_pool *changed_pools;	/* a list */
	uint32_t pushed[SUNDOG_MAX_PUSH_CONSTANTS / 4];
	bool has_pushed;
	uint32_t host_stages;			/* that the host has a shader for */

	/* Of the current rendering. */
	uint32_t scope;				/* its number in the stream, 0: outside */
	uint32_t renderings;
	uint32_t color_count, color_mask;
	VkImageAspectFlags depth_stencil;	/* aspects attached */
	uint32_t rendering_samples;		/* 0: no attachment */
	bool discard;				/* nothing is rasterised */
	uint32_t rendering_layers;		/* that clears may name */
	uint32_t view_mask;			/* 0: no views, or outside */
	VkRect2D area;
};

void draw_begin(struct worker *w, VkCommandBuffer cmd);
/* Is everything closed that a stream must close? */
bool draw_end(struct worker *w);
/* The stream was submitted, or will never be: objects that it changed hear of it, and those of other streams do not. */
void draw_done(struct worker *w, bool submitted);

/* Opcodes that stand outside renderings: is there none? */
bool outside_rendering(struct worker *w, uint32_t opcode);

/* barrier.c */
bool pipeline_barrier(struct worker *w, const struct sundog_cmd_barrier *cmd);
/* As outside_rendering(); and what was drawn is waited for if it must be. */
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
/* At the end of a stream. */
void vertex_ranges_release(struct worker *w);
bool bind_index_buffer(struct worker *w, const struct sundog_cmd_bind_index_buffer *cmd);
bool bind_shaders(struct worker *w, const struct sundog_cmd_bind_shaders *cmd);
bool bind_mesh_shaders(struct worker *w, const struct sundog_cmd_bind_mesh_shaders *cmd);
/* Bind shaders of @stages (a mask), as far as the host has these. */
void shaders_to_host(struct worker *w, const VkShaderEXT *shaders, uint32_t stages);
/* Llvmpipe blits by drawing, and takes what a bound mesh shader writes for what its own do: not @bound meanwhile. */
void mesh_shaders_to_host(struct worker *w, bool bound);
bool push_constants(struct worker *w, const struct sundog_cmd_push_constants *cmd,
		    const uint32_t *data);

/* rendering.c */
bool begin_rendering(struct worker *w, const struct sundog_cmd_begin_rendering *cmd,
		     const struct sundog_attachment *colors);
bool begin_multiview(struct worker *w, const struct sundog_cmd_begin_multiview *cmd,
		     const struct sundog_attachment *colors);
bool end_rendering(struct worker *w);
/* An empty rendering: what follows is in another scene of the host's than what was. */
void rendering_break(struct worker *w);

/* draw.c */
bool draw_vertices(struct worker *w, const struct sundog_cmd_draw *cmd);
bool draw_indexed(struct worker *w, const struct sundog_cmd_draw_indexed *cmd);
/* Is all there that such a draw needs? */
bool ready_to_draw_indirect(struct worker *w, uint32_t opcode);
bool ready_to_draw_mesh(struct worker *w, uint32_t opcode);
bool draw_feedback(struct worker *w, const struct sundog_cmd_draw_feedback *cmd);
bool clear_attachments(struct worker *w, const struct sundog_cmd_clear_attachments *cmd,
		       const struct sundog_clear_attachment *attachments);

/* join.c */
/* Put it with those before, if it can be. All is there that draws need. */
bool draw_joins(struct worker *w, const struct sundog_cmd_draw *cmd);
bool draw_indexed_joins(struct worker *w, const struct sundog_cmd_draw_indexed *cmd);
/* Before anything else. */
void draws_record_joined(struct worker *w);

/* patch.c */
bool set_patch(struct worker *w, const struct sundog_cmd_set_patch *cmd);
/* After shaders were bound: tell the host of the origin that was set. */
void patch_origin_to_host(struct worker *w);
/* Do topology, patches and tessellation shaders belong together? */
bool patches_fit(const struct draw *d);

/* twin.c: bind the evaluation shader's code that the next draw takes. False: a fault is recorded. */
bool twin_to_host(struct worker *w);

/* pieces.c */
/* Has the host room for all that one patch may be made into? */
bool patch_fits(const struct draw *d);
/* May a draw have any number of primitives or patches, and remain one? */
bool fits_at_once(const struct draw *d);

/* A draw of @count vertices, cut into pieces that the host has room for. */
struct draw_pieces {
	uint32_t count, size, overlap, done;
};

bool draw_pieces(struct worker *w, uint32_t count, struct draw_pieces *out);
/* The next one; false: there is none. */
bool next_piece(struct draw_pieces *p, uint32_t *first, uint32_t *count);

/* indirect.c */
bool indirect_init(struct worker *w);
bool draw_indirect(struct worker *w, const struct sundog_cmd_draw_indirect *cmd);
bool draw_indexed_indirect(struct worker *w, const struct sundog_cmd_draw_indexed_indirect *cmd);
bool draw_mesh_indirect(struct worker *w, const struct sundog_cmd_draw_mesh_indirect *cmd);

/* mesh.c */
/* Do shaders and state belong together, as far as the host does not look? */
bool meshes_fit(const struct draw *d);
bool draw_mesh(struct worker *w, const struct sundog_cmd_draw_mesh *cmd);

/* dispatch.c */
bool dispatch(struct worker *w, const struct sundog_cmd_dispatch *cmd);
bool dispatch_base(struct worker *w, const struct sundog_cmd_dispatch_base *cmd);
bool dispatch_indirect(struct worker *w, const struct sundog_cmd_dispatch_indirect *cmd);

/* clear.c: depth clears lie in 0..1; a NaN does not. */
bool clear_value_ok(VkImageAspectFlags aspect, const uint32_t *clear);
bool clear_image(struct worker *w, const struct sundog_cmd_clear_image *cmd);

/* transfer.c */
bool fill_buffer(struct worker *w, const struct sundog_cmd_fill_buffer *cmd);
bool update_buffer(struct worker *w, const struct sundog_cmd_update_buffer *cmd, const uint32_t *data);
bool copy_buffer(struct worker *w, const struct sundog_cmd_copy_buffer *cmd);
bool copy_buffer_to_image(struct worker *w, const struct sundog_cmd_copy_buffer_to_image *cmd);
bool copy_image_to_buffer(struct worker *w, const struct sundog_cmd_copy_image_to_buffer *cmd);
bool copy_image(struct worker *w, const struct sundog_cmd_copy_image *cmd);
bool blit_image(struct worker *w, const struct sundog_cmd_blit_image *cmd);
bool resolve_image(struct worker *w, const struct sundog_cmd_resolve_image *cmd);

#endif
