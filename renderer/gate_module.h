/* SPDX-License-Identifier: MIT */
/*
 * A module on its way through the gate, see gate.h.
 */
#ifndef GATE_MODULE_H
#define GATE_MODULE_H

#include "gate.h"

#define GATE_NOT_SET UINT32_MAX

/* What is remembered of an id. */
struct gate_id {
	/* Decorations, GATE_NOT_SET if absent. */
	uint32_t set, binding, location, component, index, builtin;
	uint32_t xfb_buffer, xfb_stride, offset, stream;
	uint32_t op;				/* of a type or constant */
	uint32_t a, b;				/* type operands: pointee, element, length; value */
	uint32_t type;				/* of a value */
	uint32_t variable;			/* that a pointer or image leads to */
	uint32_t stride;			/* of an array, bytes */
	bool block, member_offsets, patch, per_primitive;
	bool listed;				/* a variable, in the entry point's list */
	uint64_t members_per_primitive;		/* of a struct: which of them are */
	uint64_t members_per_vertex;		/* and are built-ins that can be of nothing else */
	uint64_t members_of_patch;		/* of a struct: which of them are of a patch */
	bool buffer_block;			/* of a struct, and of a variable of such: a storage buffer of old */
	bool position;				/* of a struct: a member is one */
	bool storage;				/* of an image type */
	const uint32_t *members;		/* member types of a struct, parts of a constant */
	uint32_t n_members;
	uint32_t nodes, parts, walk, depth;	/* of a container type, see gate_scan.c */
	uint32_t body;				/* of a function: the word where it begins */
	uint32_t construct;			/* of a block: see gate_tess.c */
	uint32_t chain;				/* of a pointer: see gate_compact.c */
	uint64_t expanded;			/* of a function: its size with its calls, 0: not known */
};

/* Of a geometry shader; 0 is what it did not declare. */
struct gate_geometry {
	uint32_t input_vertices;		/* of a primitive */
	uint32_t strip_vertices;		/* that the first primitive of a strip takes */
	uint32_t max_vertices, invocations;
	uint32_t primitive_id;			/* its variable */
};

/* Of a compute shader. */
struct gate_group {
	uint32_t size[3];
	uint64_t invocations, shared_bytes;
	bool barriers;
	bool squares, rows;			/* of four invocations, that have derivatives */
};

/* Of a tessellation shader; 0 is what it did not declare. */
struct gate_tess {
	uint32_t vertices;			/* of a patch that comes out of the control shader */
	uint32_t domain, spacing, order;
	bool points;
};

/* Of a task or mesh shader; 0 is what it did not declare. */
struct gate_mesh {
	uint32_t max_vertices, max_primitives;
	uint32_t topology;			/* an execution mode */
	uint32_t indices;			/* the variable of its primitives' vertices */
	uint32_t payload, payload_bytes;	/* a variable */
	uint32_t distances;			/* that a mesh shader writes */
	uint32_t group_bytes;			/* of all that a mesh shader makes, in the host */
	uint32_t locations[2];			/* that outputs of vertices have, and those of primitives: masks */
};

/* What is said of a member of a struct; value is 0 where the decoration has none. */
struct gate_member {
	uint32_t type, member, decoration, value;
};

struct gate {
	const struct sundog_cmd_create_shader *cmd;
	const struct sundog_caps *caps;
	const struct gate_layout *layout;	/* NULL: descriptors are those that cmd declares */
	const uint32_t *code;			/* the packet's, or owned */
	uint32_t *owned;
	size_t words;
	struct gate_id *ids;
	uint32_t n_ids;
	struct gate_member *members;		/* sorted, see gate_member.c */
	uint32_t n_members;
	uint32_t entry_points, entry;
	bool flatten;				/* has calls or specialisation constants */
	bool flat;				/* they are gone */
	bool pointers;				/* pointers may be values: chosen, and stored */
	bool addresses;				/* pointers to device addresses are numbers */
	bool non_uniform;			/* indices may differ between invocations */
	bool buffer_blocks;			/* storage buffers may be of class Uniform */
	uint64_t variable_bytes;
	uint32_t push_constants;		/* variables of them */
	uint64_t builtin_elements[2];		/* of built-in arrays: inputs, outputs */
	uint32_t output_locations, output_builtins;	/* a mask, and how many */
	uint32_t feedback_strides[SUNDOG_MAX_FEEDBACK_BUFFERS];	/* 0: not written */
	uint64_t feedback_outputs;
	struct gate_geometry geometry;
	struct gate_group group;
	struct gate_tess tess;
	struct gate_mesh mesh;
	uint32_t vertex_bytes, primitive_bytes;
	uint64_t cost;				/* words and parts of values */
	uint64_t all_expanded;			/* of all functions that are called, each with its calls */
	uint32_t textures[SUNDOG_MAX_TEXTURES];
	uint32_t texels[SUNDOG_MAX_TEXEL_BUFFERS];
	uint32_t images[SUNDOG_MAX_IMAGES];
	uint32_t storage_texels[SUNDOG_MAX_IMAGES];
	uint32_t images_written, storage_texels_written, images_atomic, storage_texels_atomic;
	uint8_t tables[SUNDOG_NUM_HANDLE_KINDS];
	uint32_t n_tables;
	bool writes_handles;
	bool ssbo_writes;
	bool reads_position, writes_position;
	bool second_source;
	bool draw_index, layer, primitive_id, front_facing;	/* it has those built-ins */
	struct gate_descriptor *descriptors;
	uint32_t n_descriptors;
	const char *pass;			/* that runs, for a refusal; NULL: none yet */
	size_t at;				/* word of the instruction that the pass looks at; 0: none */
	char *why;
	size_t why_size;
};

/* Returns the instruction at word @at of the module, and has a refusal name it. */
static inline const uint32_t *gate_look(struct gate *g, size_t at)
{
	g->at = at;
	return g->code + at;
}

/* Returns false. Stores the reason with the pass and the instruction in g->why, of printable characters only. */
bool gate_refuse(struct gate *g, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Ids that are out of range share the first one; valid modules have none. */
static inline struct gate_id *gate_id(struct gate *g, uint32_t id)
{
	return &g->ids[id < g->n_ids ? id : 0];
}

/* The type that a pointer points to. */
static inline uint32_t gate_pointee(struct gate *g, uint32_t pointer)
{
	return gate_id(g, gate_id(g, pointer)->type)->b;
}

/* A stage whose invocations are a group's. */
static inline bool gate_has_groups(const struct gate *g)
{
	return g->cmd->stage == SUNDOG_STAGE_COMPUTE || g->cmd->stage == SUNDOG_STAGE_TASK ||
	       g->cmd->stage == SUNDOG_STAGE_MESH;
}

/* What sizes saturate at. */
#define GATE_TOO_LARGE (1ull << 32)

/* Saturates; @a is at most GATE_TOO_LARGE. */
static inline uint64_t gate_times(uint64_t a, uint32_t n)
{
	return a && n > GATE_TOO_LARGE / a ? GATE_TOO_LARGE : a * n;
}

static inline uint64_t gate_larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* gate_allow.c: does the host take it, and is it known what comes of it? */
bool gate_capability_allowed(const struct gate *g, uint32_t capability);
bool gate_mode_allowed(const struct gate *g, uint32_t mode);
bool gate_decoration_allowed(const struct gate *g, uint32_t decoration);
bool gate_builtin_allowed(uint32_t builtin);

/* Read all instructions of a module that may be anything, and fill in what ids are. */
bool gate_scan(struct gate *g);

/* The name of an opcode; "Unknown" if SPIR-V has none. */
const char *gate_op_name(uint32_t op);

/* Is the first operand of an instruction the type of its result? */
bool gate_has_type(uint32_t op);

/* gate_fold.c: constants of a valid module are known, and what is computed of them. */
bool gate_fold(struct gate *g);

/* gate_core.c: lower a valid module, whose functions are inlined, to the core form. @changed: it is another one. */
bool gate_lower(struct gate *g, bool *changed);

/* gate_verify.c: hold the core form, or the module for the host as well, against what the passes rely on. */
bool gate_verify(struct gate *g, bool host);

/*
 * gate_member.c: list what a valid module says of members, and what is said of one of them (NULL: nothing). What was
 * listed holds as long as the structs do that the module came with.
 */
bool gate_list_members(struct gate *g);
const struct gate_member *gate_member_find(const struct gate *g, uint32_t type_id, uint32_t member,
					   uint32_t decoration);

/* Hold a valid module against its packet. */
bool gate_reflect(struct gate *g);

/* gate_push.c: do push constants of a type lie within what the packet says? */
bool gate_push_constants(struct gate *g, uint32_t type_id);

/* Bits of a number, or of those in an array, vector or matrix; 0: the type is another. */
uint32_t gate_number_bits(struct gate *g, uint32_t type_id);

/* Bytes of a type without padding; arrays by their stride where that is longer. */
uint64_t gate_size_of(struct gate *g, uint32_t type_id);

/* gate_group.c: the size of a group that counts is the one of its execution mode, then. @changed: there was another. */
bool gate_group_take_size(struct gate *g, bool *changed);

/* gate_group.c: LocalSize, a variable of shared memory, a barrier; and is there room for all of it? */
bool gate_group_size(struct gate *g, const uint32_t *in, uint32_t words);
bool gate_group_variable(struct gate *g, uint32_t type_id, const uint32_t *in, uint32_t words);
bool gate_group_barrier(struct gate *g, const uint32_t *in);
bool gate_group_ok(struct gate *g);

/* An instruction that reads or writes a texture or an image: is it at what the host takes? */
bool gate_texture_numbers(struct gate *g, const uint32_t *in);

/* An instruction that may change memory that others see, or make a pointer to it. */
bool gate_storage_access(struct gate *g, const uint32_t *in);
void gate_storage_derive(struct gate *g, const uint32_t *in);

/* gate_pointer.c: does an instruction make and use pointers that may be made and used so? */
bool gate_pointer_ok(struct gate *g, const uint32_t *in, uint32_t op, uint32_t words);
/* Is a value a pointer to a device address? Are there such in a type? */
bool gate_is_address(struct gate *g, uint32_t id);
bool gate_has_addresses(struct gate *g, uint32_t type_id);

/*
 * gate_runtime.c: arrays of descriptors get the lengths of the layout, and inputs those of primitives. @changed: the module
 * is another one, and its ids.
 */
bool gate_size_arrays(struct gate *g, bool *changed);

/* gate_widen.c: indices have 32 bits or more, and a value. @changed: as above. */
bool gate_widen_indices(struct gate *g, bool *changed);

/* gate_choose.c: pointers that are values become numbers, which choose among places. @changed: as above. */
bool gate_choose_pointers(struct gate *g, bool *changed);

/* gate_differ.c: indices into different arrays of textures and images are different values. After gate_reflect(). */
bool gate_part_indices(struct gate *g);

/* gate_handle.c: a variable of @count textures or images, @image being the type of one, in the set of handles. */
bool gate_handle_table(struct gate *g, const struct gate_id *var, const struct gate_id *image, uint64_t count);
static inline bool gate_is_handle_table(const struct gate *g, const struct gate_id *var)
{
	return !g->layout && var->set == SUNDOG_HANDLE_SET;
}
/* A store to an image of a table, or an atomic operation. */
bool gate_handle_write(struct gate *g, const struct gate_id *var, bool is_atomic);
/* An OpLoad: of one texture or image, not of all? */
bool gate_handle_load(struct gate *g, const uint32_t *in);

/*
 * gate_layout.c: with a layout, a variable of @count descriptors of VkDescriptorType @type, and of a kind where that is
 * textures or images. And a store to an image, or an atomic operation.
 */
const struct sundog_set_binding *gate_layout_find(const struct gate_layout *layout, const struct gate_id *var);
bool gate_layout_declare(struct gate *g, const struct gate_id *var, uint64_t count, uint32_t type, uint32_t kind);
bool gate_layout_write(struct gate *g, const struct gate_id *var, bool is_atomic);
/* Of the result: have variables that take offsets in the host's set for them. */
bool gate_layout_move(struct gate *g);

/* The vertices of a primitive that comes in; 0: the mode says something else. */
uint32_t gate_stage_input_vertices(uint32_t mode);

/* An OpExecutionMode: remember what it says of a stage. */
bool gate_stage_mode(struct gate *g, const uint32_t *in, uint32_t words);

/* Readers differ in which of two values they take, and 0 is none. */
bool gate_stage_declare(struct gate *g, uint32_t *field, uint32_t value, uint32_t mode);

/* The types of an input and an output @var, which has type @type_id, without the vertices that it is for; 0: refused. */
uint32_t gate_stage_input(struct gate *g, const struct gate_id *var, uint32_t type_id);
uint32_t gate_stage_output(struct gate *g, const struct gate_id *var, uint32_t type_id);

/* gate_tess.c: likewise, for tessellation shaders. */
bool gate_tess_mode(struct gate *g, uint32_t mode, uint32_t value);
uint32_t gate_tess_vertices(struct gate *g, const struct gate_id *var, uint32_t type_id);
bool gate_tess_ok(struct gate *g);
uint32_t gate_tess_output_vertices(const struct gate *g);

/* Do all invocations of a valid module come to the same barriers? Before its calls are inlined. */
bool gate_tess_barriers(struct gate *g);

/* An instruction for a vertex stream: are there such? */
bool gate_stage_stream(struct gate *g, const uint32_t *in);

/* Once all is known: is there room for what the stage makes? */
bool gate_stage_ok(struct gate *g);

/* What transform feedback captures of an output variable of type @type_id, if anything. */
bool gate_feedback(struct gate *g, const struct gate_id *var, uint32_t type_id);

/* Make what a geometry shader emits fit the host's memory. After gate_reflect(). */
bool gate_limit_strips(struct gate *g);

/*
 * gate_mesh.c: what a task or mesh shader says, an output of it without the vertices or primitives that it is for (0:
 * refused), what goes from the one to the other, and an instruction that only they have, or may not.
 */
bool gate_mesh_of_primitives(uint32_t builtin);	/* may it be of primitives? */
bool gate_mesh_indices(uint32_t builtin);	/* are those of primitives' vertices? */
bool gate_mesh_mode(struct gate *g, const uint32_t *in, uint32_t words);
bool gate_mesh_input(struct gate *g, const struct gate_id *var);
uint32_t gate_mesh_output(struct gate *g, const struct gate_id *var, uint32_t id, uint32_t type_id, bool begins);
bool gate_mesh_locations(struct gate *g, const struct gate_id *var, uint32_t type_id, uint32_t locations);
bool gate_mesh_payload(struct gate *g, uint32_t id, uint32_t type_id, uint32_t words);
bool gate_mesh_access(struct gate *g, const uint32_t *in);
bool gate_mesh_ok(struct gate *g);

/* Make what task and mesh shaders emit fit the host's memory. After gate_reflect(). */
bool gate_hold_meshes(struct gate *g);

/* Hold numbers of samples and invocations within what there is. After gate_reflect(). */
bool gate_hold_indices(struct gate *g);

/* gate_right.c: what SPIRV-Tools asks for lengths, with ids from @first on, are pointers to blocks that are there. */
bool gate_right_pointers(struct gate *g, uint32_t first);

/* gate_beyond.c: what SPIRV-Tools clamped to the end of a storage buffer, with ids from @first on, reaches beyond. */
bool gate_reach_beyond(struct gate *g, uint32_t first);

/* gate_rotate.c: shuffles by a distance and rotations stay in the subgroup. After gate_reflect(). */
bool gate_hold_rotations(struct gate *g);
/* Returns true if an instruction shuffles or rotates by a distance, which that pass holds. */
bool gate_has_distance(uint32_t op);

/* gate_subgroup.c: a barrier for the invocations of a subgroup alone, and what it becomes. After gate_reflect(). */
bool gate_is_subgroup_barrier(struct gate *g, const uint32_t *in);
bool gate_free_subgroups(struct gate *g);

/* Read elements of built-in arrays as the host can. After gate_reflect(). */
bool gate_read_compact(struct gate *g);

/* Hold what is read and written at device addresses within the range of them. After all that looks at ids. */
bool gate_hold_addresses(struct gate *g);

/* Say that a module has device addresses, or that it has none: for what would not read it. */
void gate_set_addressing(struct gate *g, bool addresses);

/* Make what cubes are sampled with safe. After gate_reflect(): ids of image types have their kinds. */
bool gate_clamp_cubes(struct gate *g);

#endif
