/* SPDX-License-Identifier: MIT */
/*
 * State of the stream that is being decoded, its begin and its end, and checks before draws. The
 * worker's main thread calls all functions.
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

#define MAX_MERGED_DRAWS 256

/* Consecutive draws that are not recorded yet, see merge_draws.c. */
struct merged_draws {
	uint32_t count, first_instance;
	bool indexed;				/* false: `draws` has vertices instead of indices */
	VkMultiDrawIndexedInfoEXT draws[MAX_MERGED_DRAWS];
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
	struct vk_host_buffer indirect_pieces;	/* of split_indirect.c, made at first use */

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
	bool fills, outlines;			/* polygon mode is fill; is line */
	bool smooth_lines;
	bool plain_lines;	/* lines should be smooth; the host draws plain ones */
	uint32_t patch_vertices;		/* 0: not set */
	VkTessellationDomainOrigin patch_origin;
	/* the host has bound a copy of the evaluation shader, see eval_variant.c */
	bool eval_copied;
	struct merged_draws merged;
	/* number of pieces that draws of patches were split into, see split_draw.c */
	uint32_t pieces;
	/* a draw with its draw count in memory was recorded */
	bool counted;
	/* a barrier that makes transfers wait for attachments was left out */
	bool left_out;
	/* a barrier that orders fragments behind attachment writes was left out */
	bool fragments_left_out;
	/* images that the last rendering attached, colours first; NULL: none */
	const struct image *attached[SUNDOG_MAX_COLOR_ATTACHMENTS + 2];
	uint32_t n_attached;
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
	VkFormat depth_format;			/* VK_FORMAT_UNDEFINED: no depth attachment */
	uint32_t rendering_samples;		/* 0: no attachment */
	bool discard;				/* rasterizer discard is on */
	uint32_t rendering_layers;		/* layers that clears may name */
	uint32_t view_mask;			/* 0: no multiview, or outside renderings */
	VkRect2D area;
};

void draw_begin(struct exec *x, VkCommandBuffer cmd);
/*
 * End the stream. Returns false with a fault recorded if a rendering, a query or a condition is
 * still open.
 */
bool draw_end(struct exec *x);
/*
 * Tell the objects that the stream changed whether it was submitted. If not, their changes are
 * undone or unknown; objects that the stream did not change stay as they are.
 */
void draw_done(struct exec *x, bool submitted);

/*
 * Returns true if the host may add a slot to vertices, for PrimitiveId or for FrontFacing of
 * polygons that are not filled. The gate reports a built-in if the fragment shader declares it,
 * used or not.
 */
bool draw_may_add_slot(const struct draw *d);
/* Returns true if the last stage before rasterization makes lines; not for draws of meshes. */
bool draw_has_lines(const struct draw *d);

/* Returns true if no rendering is open, else false with a fault for @opcode recorded. */
bool outside_rendering(struct exec *x, uint32_t opcode);

/*
 * Return true if all state that such a draw needs is set, else false with a fault for @opcode
 * recorded. A draw of at most @max_draws has to be split if fits_at_once() is false.
 */
bool ready_to_draw_indirect(struct exec *x, uint32_t opcode, uint32_t max_draws);
bool ready_to_draw_mesh(struct exec *x, uint32_t opcode);

#endif
