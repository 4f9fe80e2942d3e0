/* SPDX-License-Identifier: MIT */
/*
 * The state of a module on its way through the gate, and the passes that gate.c runs, see gate.h.
 * The thread that called gate_layout_shader() owns the state.
 *
 * Functions that take a struct gate that is not const and return bool return false only after
 * gate_refuse(), unless their name or their comment says that they are predicates.
 */
#ifndef GATE_MODULE_H
#define GATE_MODULE_H

#include "gate/gate.h"
#include "gate/spirv_info.h"

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
	bool block, member_offsets, patch, per_primitive;
	bool listed;				/* variable: in the interface of OpEntryPoint */
	uint64_t members_per_primitive;	/* struct: mask of members decorated PerPrimitiveEXT */
	/* Struct: mask of built-in members that can only be per vertex. */
	uint64_t members_per_vertex;
	uint64_t members_of_patch;		/* struct: mask of members decorated Patch */
	/* Struct or variable: BufferBlock, a storage buffer before SPIR-V 1.3. */
	bool buffer_block;
	bool position;				/* struct: a member is Position */
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
	uint64_t cost;				/* words, and parts of values */
	uint64_t all_expanded;	/* sum over all called functions, each with its calls expanded */
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

/*
 * allow.c: return true if the host supports the enumerant and the gate handles its effects.
 * They do not refuse.
 */
bool gate_capability_allowed(const struct gate *g, uint32_t capability);
bool gate_mode_allowed(const struct gate *g, uint32_t mode);
bool gate_decoration_allowed(const struct gate *g, uint32_t decoration);
bool gate_builtin_allowed(uint32_t builtin);

/*
 * scan.c: read all instructions of a module that need not be valid, bound its size and fill in
 * the ids.
 */
bool gate_scan(struct gate *g);

/*
 * fold_spec_constants.c: give the specialization constants of a valid module their defaults, and
 * fold the operations on them.
 */
bool gate_fold(struct gate *g);

/*
 * core_form.c: lower a valid module, whose functions are inlined, to the core form. @changed: the
 * module was rewritten.
 */
bool gate_lower(struct gate *g, bool *changed);

/*
 * verify.c: verify the core form. With @host, verify also the rules for the module that the
 * host gets.
 */
bool gate_verify(struct gate *g, bool host);

/*
 * member.c: list the member decorations of a valid module, and find one of them (NULL:
 * absent). The list stays valid as long as the structs of the original module do.
 */
bool gate_list_members(struct gate *g);
const struct gate_member *gate_member_find(const struct gate *g, uint32_t type_id, uint32_t member,
					   uint32_t decoration);

/*
 * reflect.c: check a valid module against its packet and our limits, and fill in the resources
 * that it uses.
 */
bool gate_reflect(struct gate *g);

/* push.c: check that the push constants of a type lie within the push_size of the packet. */
bool gate_push_constants(struct gate *g, uint32_t type_id);

/*
 * Returns the width of a number, or of the numbers in an array, vector or matrix; 0: the type is
 * another one.
 */
uint32_t gate_number_bits(struct gate *g, uint32_t type_id);

/*
 * Returns the bytes of a type without padding; an array counts with its stride if that is larger.
 * Saturates.
 */
uint64_t gate_size_of(struct gate *g, uint32_t type_id);

/*
 * group.c: set the local size of the execution mode to the constant decorated WorkgroupSize,
 * which overrides it. @changed: the module was rewritten.
 */
bool gate_group_take_size(struct gate *g, bool *changed);

/*
 * group.c: check LocalSize, a variable of shared memory, a barrier; and at the end their sums
 * against the limits.
 */
bool gate_group_size(struct gate *g, const uint32_t *in, uint32_t words);
bool gate_group_variable(struct gate *g, uint32_t type_id, const uint32_t *in, uint32_t words);
bool gate_group_barrier(struct gate *g, const uint32_t *in);
bool gate_group_ok(struct gate *g);

/*
 * texture.c: check that the numeric operands of an instruction on a texture or an image have
 * 32 bits.
 */
bool gate_texture_numbers(struct gate *g, const uint32_t *in);

/*
 * storage.c: record an instruction that writes memory which others see; pass on the variable
 * that a pointer leads to.
 */
bool gate_storage_access(struct gate *g, const uint32_t *in);
void gate_storage_derive(struct gate *g, const uint32_t *in);

/*
 * pointer.c: check that an instruction makes and uses pointers only in ways that the gate can
 * follow. Device addresses may come from anywhere.
 */
bool gate_pointer_ok(struct gate *g, const uint32_t *in, uint32_t op, uint32_t words);
/* Return true if a value is a pointer to a device address, or if a type contains pointers. */
bool gate_is_address(struct gate *g, uint32_t id);
bool gate_has_addresses(struct gate *g, uint32_t type_id);

/*
 * size_runtime_arrays.c: arrays of descriptors get the length that the layout has, and inputs of
 * geometry shaders that of a primitive. @changed: the module was rewritten, and its ids have to be
 * scanned again.
 */
bool gate_size_arrays(struct gate *g, bool *changed);

/*
 * widen_indices.c: convert indices to 32 bits or more, and null indices to 0. @changed: as above.
 */
bool gate_widen_indices(struct gate *g, bool *changed);

/*
 * lower_variable_pointers.c: lower variable pointers to integers that select among access chains.
 * @changed: as above.
 */
bool gate_choose_pointers(struct gate *g, bool *changed);

/*
 * split_nonuniform.c: make the NonUniform indices into different arrays of textures and images
 * different values. Runs after gate_reflect().
 */
bool gate_part_indices(struct gate *g);

/*
 * handle.c: check the variable @var of @count textures or images of type @image in the
 * descriptor set of handles.
 */
bool gate_handle_table(struct gate *g, const struct gate_id *var, const struct gate_id *image,
		       uint64_t count);
static inline bool gate_is_handle_table(const struct gate *g, const struct gate_id *var)
{
	return !g->layout && var->set == SUNDOG_HANDLE_SET;
}
/* Record a store to an image of a table, or an atomic operation on it. */
bool gate_handle_write(struct gate *g, const struct gate_id *var, bool is_atomic);
/* Refuse an OpLoad of a whole array of textures or images. */
bool gate_handle_load(struct gate *g, const uint32_t *in);

/*
 * layout.c: record a variable of @count descriptors of VkDescriptorType @type, and of @kind
 * if they are textures or images; record a store to an image or an atomic operation on it.
 * gate_layout_find() returns NULL if the layout has no such binding.
 */
const struct sundog_set_binding *gate_layout_find(const struct gate_layout *layout,
						  const struct gate_id *var);
bool gate_layout_declare(struct gate *g, const struct gate_id *var, uint64_t count, uint32_t type,
			 uint32_t kind);
bool gate_layout_write(struct gate *g, const struct gate_id *var, bool is_atomic);
/* Move the variables of the result to the sets and bindings that the host has for them. */
bool gate_layout_move(struct gate *g);

/* Returns the vertices of an input primitive; 0: @mode is another execution mode. */
uint32_t gate_stage_input_vertices(uint32_t mode);

/* Record an OpExecutionMode or OpExecutionModeId of the stage. */
bool gate_stage_mode(struct gate *g, const uint32_t *in, uint32_t words);

/*
 * Store @value, which must not be 0, and refuse a second one: readers differ in which of two they
 * take.
 */
bool gate_stage_declare(struct gate *g, uint32_t *field, uint32_t value, uint32_t mode);

/*
 * Return the type of the input or output @var of type @type_id without the array of vertices around
 * it; 0: refused.
 */
uint32_t gate_stage_input(struct gate *g, const struct gate_id *var, uint32_t type_id);
uint32_t gate_stage_output(struct gate *g, const struct gate_id *var, uint32_t type_id);

/* tess.c: the same for tessellation shaders. */
bool gate_tess_mode(struct gate *g, uint32_t mode, uint32_t value);
uint32_t gate_tess_vertices(struct gate *g, const struct gate_id *var, uint32_t type_id);
bool gate_tess_ok(struct gate *g);
uint32_t gate_tess_output_vertices(const struct gate *g);

/*
 * Refuse a control shader if not all of its invocations reach the same barriers. Runs before calls
 * are inlined.
 */
bool gate_tess_barriers(struct gate *g);

/* Check an instruction with a vertex stream. */
bool gate_stage_stream(struct gate *g, const uint32_t *in);

/* Check the sums of the stage against the limits, at the end of gate_reflect(). */
bool gate_stage_ok(struct gate *g);

/*
 * feedback.c: check what transform feedback captures of the output variable @var of type
 * @type_id.
 */
bool gate_feedback(struct gate *g, const struct gate_id *var, uint32_t type_id);

/*
 * bound_strips.c: bound the strips that a geometry shader emits to the memory of the host. Runs
 * after gate_reflect().
 */
bool gate_limit_strips(struct gate *g);

/*
 * mesh.c: check the execution modes, inputs, outputs and payload of task and mesh shaders, and
 * their instructions. gate_mesh_output() returns the type of an output without the array of
 * vertices or primitives around it; 0: refused.
 */
bool gate_mesh_of_primitives(uint32_t builtin);	/* predicate: may be per primitive */
bool gate_mesh_indices(uint32_t builtin);	/* predicate: indices of primitives */
bool gate_mesh_mode(struct gate *g, const uint32_t *in, uint32_t words);
bool gate_mesh_input(struct gate *g, const struct gate_id *var);
uint32_t gate_mesh_output(struct gate *g, const struct gate_id *var, uint32_t id, uint32_t type_id,
			  bool begins);
bool gate_mesh_locations(struct gate *g, const struct gate_id *var, uint32_t type_id,
			 uint32_t locations);
bool gate_mesh_payload(struct gate *g, uint32_t id, uint32_t type_id, uint32_t words);
bool gate_mesh_access(struct gate *g, const uint32_t *in);
bool gate_mesh_ok(struct gate *g);

/*
 * clamp_mesh_outputs.c: bound the output of task and mesh shaders to the memory of the host. Runs
 * after gate_reflect().
 */
bool gate_hold_meshes(struct gate *g);

/*
 * clamp_sample_indices.c: clamp the numbers of samples and invocations. Runs after gate_reflect().
 */
bool gate_hold_indices(struct gate *g);

/*
 * fix_access_chain_types.c: correct the result types of access chains that SPIRV-Tools added, with
 * ids from @first on.
 */
bool gate_right_pointers(struct gate *g, uint32_t first);

/*
 * restore_oob.c: let out-of-bounds indices of storage buffers, which SPIRV-Tools clamped with ids
 * from @first on, reach an element past the end.
 */
bool gate_reach_beyond(struct gate *g, uint32_t first);

/*
 * bound_rotations.c: bound the distances of shuffles and rotations to the subgroup. Runs after
 * gate_reflect().
 */
bool gate_hold_rotations(struct gate *g);
/*
 * Returns true if an instruction shuffles or rotates by a distance, which gate_hold_rotations()
 * bounds.
 */
bool gate_has_distance(uint32_t op);

/*
 * lower_subgroup_barriers.c: find barriers of subgroup scope, and replace them by memory barriers.
 * Runs after gate_reflect().
 */
bool gate_is_subgroup_barrier(struct gate *g, const uint32_t *in);
bool gate_free_subgroups(struct gate *g);

/*
 * lower_compact_arrays.c: replace dynamic indices of built-in arrays that a control shader reads.
 * Runs after gate_reflect().
 */
bool gate_read_compact(struct gate *g);

/*
 * mask_addresses.c: keep all accesses to device addresses in their range. Runs after the passes
 * that look at ids, except gate_free_subgroups().
 */
bool gate_hold_addresses(struct gate *g);

/*
 * Set the addressing model: SPIRV-Tools and other readers do not take modules with device
 * addresses.
 */
void gate_set_addressing(struct gate *g, bool addresses);

/*
 * clamp_cube_directions.c: make directions into cubes finite and long enough. Runs after
 * gate_reflect(), which records the kinds of image types.
 */
bool gate_clamp_cubes(struct gate *g);

#endif
