/* SPDX-License-Identifier: MIT */
/*
 * The state of a module on its way through the gate, see gate.h, which all passes and checks share.
 * The thread that called gate_layout_shader() owns the state. Each file of check/ and pass/ has a
 * header of its own; files of check/ and of this folder, except gate.c, include none of pass/.
 *
 * Functions that take a struct gate that is not const and return bool return false only after
 * gate_refuse(), unless their name or their comment says that they are predicates.
 */
#ifndef GATE_MODULE_H
#define GATE_MODULE_H

#include "gate/gate.h"

#define GATE_NOT_SET UINT32_MAX

/* The properties of an id. Which of them are set depends on the instruction that defines it. */
struct gate_id {
	/* Decorations, GATE_NOT_SET if absent. */
	uint32_t set, binding, location, component, index, builtin;
	uint32_t xfb_buffer, xfb_stride, offset, stream;
	uint32_t op;				/* opcode of a type or constant */
	/*
	 * Operands 2 and 3 of a type (storage class and pointee, element and length); value of a
	 * constant.
	 */
	uint32_t a, b;
	uint32_t type;				/* type of a value */
	uint32_t variable;			/* variable that a pointer or image leads to */
	uint32_t stride;			/* ArrayStride, bytes */
	bool block, patch, per_primitive;
	bool member_places;			/* struct: a member has a Location or a Component */
	bool listed;				/* variable: in the interface of OpEntryPoint */
	uint64_t members_per_primitive;	/* struct: mask of members decorated PerPrimitiveEXT */
	/* Struct: mask of built-in members that can only be per vertex. */
	uint64_t members_per_vertex;
	uint64_t members_of_patch;		/* struct: mask of members decorated Patch */
	/* Struct or variable: BufferBlock, a storage buffer before SPIR-V 1.3. */
	bool buffer_block;
	bool position;	/* struct or variable: a member, or the variable, is Position */
	bool storage;				/* image type: a storage image */
	const uint32_t *members;	/* member types of a struct, constituents of a constant */
	uint32_t n_members;
	uint32_t nodes, parts, walk, depth;	/* composite type: its sums, see scan.c */
	uint32_t body;				/* function: word of its OpFunction */
	uint32_t construct;			/* block: see tess.c */
	uint32_t chain;				/* pointer: see lower_compact_arrays.c */
	uint64_t expanded;	/* function: its cost with calls expanded; 0: not known */
};

/* Execution modes of a geometry shader; 0: not declared. */
struct gate_geometry {
	uint32_t input_vertices;		/* vertices of an input primitive */
	uint32_t strip_vertices;		/* vertices of the first primitive of a strip */
	uint32_t max_vertices, invocations;
	uint32_t primitive_id;			/* id of its variable */
};

/* Execution modes and resources of a compute, task or mesh shader. */
struct gate_group {
	uint32_t size[3];
	uint64_t invocations, shared_bytes;
	bool barriers;
	bool squares, rows;			/* DerivativeGroupQuads, DerivativeGroupLinear */
};

/* Execution modes of a tessellation shader; 0: not declared. */
struct gate_tess {
	uint32_t vertices;			/* OutputVertices of the control shader */
	uint32_t domain, spacing, order;
	bool points;
};

/* Execution modes and outputs of a task or mesh shader; 0: not declared. */
struct gate_mesh {
	uint32_t max_vertices, max_primitives;
	uint32_t topology;			/* an execution mode */
	uint32_t indices;	/* id of the variable with the indices of primitives */
	uint32_t payload, payload_bytes;	/* id of its variable, and its size */
	uint32_t distances;	/* clip and cull distances that a mesh shader writes */
	uint32_t group_bytes;	/* host memory for the output of one work group of a mesh shader */
	bool primitive_id;	/* PrimitiveId is an output with zeros: the host has it */
	uint32_t locations[2];	/* masks of locations: per-vertex outputs, per-primitive outputs */
};

/* A decoration of a member of a struct; value is 0 if the decoration has no operand. */
struct gate_member {
	uint32_t type, member, decoration, value;
};

struct gate {
	const struct sundog_cmd_create_shader *cmd;
	const struct sundog_caps *caps;
	const struct gate_layout *layout;	/* NULL: descriptors are those that cmd declares */
	const uint32_t *code;			/* the code of the packet, or owned */
	uint32_t *owned;
	size_t words;
	struct gate_id *ids;
	uint32_t n_ids;
	struct gate_member *members;		/* sorted, see member.c */
	uint32_t n_members;
	uint32_t entry_points, entry;
	bool flatten;	/* has calls, specialization constants or several functions */
	bool flat;				/* flatten() removed them */
	bool pointers;				/* has a capability of variable pointers */
	bool addresses;				/* has physical storage buffer addresses */
	bool non_uniform;			/* has a NonUniform decoration */
	bool buffer_blocks;	/* has a BufferBlock decoration: class Uniform may be writable */
	uint64_t variable_bytes;
	uint32_t push_constants;		/* number of their variables */
	uint64_t builtin_elements[2];	/* elements of built-in arrays: of inputs, of outputs */
	uint32_t output_locations, output_builtins;	/* a mask, a number */
	uint32_t feedback_strides[SUNDOG_MAX_FEEDBACK_BUFFERS];	/* XfbStride; 0: not written */
	uint64_t feedback_outputs;
	struct gate_geometry geometry;
	struct gate_group group;
	struct gate_tess tess;
	struct gate_mesh mesh;
	uint32_t vertex_bytes, primitive_bytes;
	uint64_t cost;	/* words and parts of values, of functions and of Private variables */
	uint64_t all_expanded;	/* sum over all called functions, each with its calls expanded */
	bool shared;			/* share_variables.c has run: the scan counts all parts */
	uint32_t textures[SUNDOG_MAX_TEXTURES];
	uint32_t texels[SUNDOG_MAX_TEXEL_BUFFERS];
	uint32_t images[SUNDOG_MAX_IMAGES];
	uint32_t storage_texels[SUNDOG_MAX_IMAGES];
	uint32_t images_written, storage_texels_written, images_atomic, storage_texels_atomic;
	uint8_t tables[SUNDOG_NUM_HANDLE_KINDS];
	uint32_t n_tables;
	bool writes_handles;
	bool ssbo_writes;
	bool second_source;
	bool draw_index, layer, primitive_id, front_facing;	/* these built-ins are used */
	struct gate_descriptor *descriptors;
	uint32_t n_descriptors;
	const char *pass;	/* the pass that runs, for refusals; NULL: none yet */
	size_t at;	/* word of the instruction that the pass looks at, for refusals; 0: none */
	char *why;
	size_t why_size;
};

/* Returns the instruction at word @at of the module and records it for refusals. */
static inline const uint32_t *gate_look(struct gate *g, size_t at)
{
	g->at = at;
	return g->code + at;
}

/*
 * Stores the reason, the pass and the instruction in g->why, of printable characters only. Returns
 * false.
 */
bool gate_refuse(struct gate *g, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * Returns the properties of an id. Ids out of range, which valid modules do not have, share the
 * entry of id 0.
 */
static inline struct gate_id *gate_id(struct gate *g, uint32_t id)
{
	return &g->ids[id < g->n_ids ? id : 0];
}

/* Returns the type that a pointer points to. */
static inline uint32_t gate_pointee(struct gate *g, uint32_t pointer)
{
	return gate_id(g, gate_id(g, pointer)->type)->b;
}

/* Returns true if the stage has work groups. */
static inline bool gate_has_groups(const struct gate *g)
{
	return g->cmd->stage == SUNDOG_STAGE_COMPUTE || g->cmd->stage == SUNDOG_STAGE_TASK ||
	       g->cmd->stage == SUNDOG_STAGE_MESH;
}

/* The value at which sizes saturate. */
#define GATE_TOO_LARGE (1ull << 32)

/* Returns @a * @n, saturated. @a is at most GATE_TOO_LARGE. */
static inline uint64_t gate_times(uint64_t a, uint32_t n)
{
	return a && n > GATE_TOO_LARGE / a ? GATE_TOO_LARGE : a * n;
}

static inline uint64_t gate_larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

#endif
