/* SPDX-License-Identifier: MIT */
/*
 * The gate checks and rewrites every shader before the host driver sees it. shader_compile() calls
 * it in a worker process, on a compiler thread or on the main thread (compiler.h). It has no shared
 * state, so several threads may use it at once.
 *
 * The SPIR-V of a guest is untrusted. The passes run in this order (gate_passes in gate.c):
 * - gate.c checks the bindings of the create_shader packet.
 * - scan.c accepts only instructions, capabilities and decorations of the allow-lists
 *   (instructions.yaml, allow.c). It bounds the types and the size of the module with its calls
 *   expanded.
 * - spirv-val validates the module, and tess.c checks the barriers of control shaders.
 * - fold_spec_constants.c gives specialization constants their defaults and folds the operations on
 *   them, and SPIRV-Tools inlines all calls. share_variables.c lets variables share memory.
 * - core_form.c lowers the module to the core form, which has one way to express each access to
 *   memory.
 * - group.c resolves the size of work groups, size_runtime_arrays.c sizes arrays, and
 *   widen_indices.c widens indices.
 * - lower_variable_pointers.c lowers variable pointers to integers that select a variable and an
 *   element.
 * - reflect.c checks the declarations against the interface of the packet and our limits.
 * - verify.c verifies the core form.
 * - The next passes remove or bound what the host driver does not check or gets wrong: outputs of
 *   mesh shaders and groups of task shaders (clamp_mesh_outputs.c), NonUniform indices
 *   (split_nonuniform.c), built-in arrays (lower_compact_arrays.c), directions in cubes
 *   (clamp_cube_directions.c), strips of geometry shaders (bound_strips.c), samples and invocations
 *   (clamp_sample_indices.c, bound_rotations.c), device addresses (mask_addresses.c), subgroup
 *   barriers (lower_subgroup_barriers.c), and indices of arrays (SPIRV-Tools,
 *   fix_access_chain_types.c, restore_oob.c).
 * - layout.c moves variables to the bindings that the host has.
 * - spirv-val validates the result, and verify.c, which shares no code with the passes, verifies
 *   it.
 *
 * Checks are in check/, passes in pass/; docs/design/shader-gate.md has the reason of each.
 */
#ifndef GATE_GATE_H
#define GATE_GATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sundog_hw.h"
#include "sundog_packets.h"

/* The sets of a pipeline layout. */
struct gate_layout {
	uint32_t n_sets;
	struct gate_layout_set {
		uint32_t n_bindings;
		const struct sundog_set_binding *bindings;
	} sets[SUNDOG_MAX_SETS];
	/*
	 * The descriptor set of the host that has all bindings with dynamic offsets. They are
	 * numbered from 0 in the order of the sets and of the bindings in each set. 0: these
	 * bindings stay in the set that the shader names.
	 */
	uint32_t dynamic_set;
};

/* A binding at which a module declares a variable. */
struct gate_descriptor {
	uint32_t set, binding;
	/*
	 * VkDescriptorType of the first variable; variables at a mutable binding all have this
	 * type.
	 */
	uint32_t type;
	uint32_t kind;	/* of a texture or an image, see texture.h; 0: a buffer or a sampler */
	bool atomic;			/* the module has atomic operations on the images */
};

/* A module that passed the gate. */
struct gate_module {
	uint32_t *code;			/* the caller frees it */
	size_t words;
	/* Kind of each slot, see texture.h; 0: not declared. */
	uint32_t textures[SUNDOG_MAX_TEXTURES];
	uint32_t texels[SUNDOG_MAX_TEXEL_BUFFERS];
	/* Kinds of storage images, then of storage texel buffers. */
	uint32_t images[SUNDOG_MAX_IMAGES];
	uint32_t storage_texels[SUNDOG_MAX_IMAGES];
	uint32_t images_written;	/* mask of slots with stores or atomic operations */
	uint32_t storage_texels_written;
	uint32_t images_atomic;		/* mask of slots with atomic operations */
	uint32_t storage_texels_atomic;
	bool ssbo_writes;		/* the module writes at least one storage buffer */
	/* Vertices of an input primitive; 0: not a geometry shader. */
	uint32_t input_vertices;
	/*
	 * Vertices of a primitive that a tessellation evaluation or geometry shader emits: 1, 2 or
	 * 3; 0: another shader.
	 */
	uint32_t output_vertices;
	/* OutputVertices: vertices of a patch between the tessellation shaders; 0: not declared. */
	uint32_t patch_vertices_out;
	uint32_t vertex_bytes;	/* host memory for one vertex of a tessellation evaluation shader */
	/* Host memory for the output of a geometry shader per input primitive. */
	uint32_t primitive_bytes;
	bool second_source;		/* a fragment output has index 1 (dual-source blending) */
	bool primitive_id;		/* reads PrimitiveId */
	bool writes_primitive_id;	/* a mesh shader: stores PrimitiveId for all primitives */
	bool front_facing;		/* reads FrontFacing */
	/* Size of the task payload that a task shader writes or a mesh shader reads. */
	uint32_t payload_bytes;
	/* Clip and cull distances that a fragment shader reads or a mesh shader writes. */
	uint32_t distances;
	uint32_t mesh_bytes;		/* host memory for the output of one mesh work group */
	bool draw_index;		/* reads DrawIndex */
	bool layer;			/* reads or writes Layer */
	/* Bindings of HANDLE_SET at which it declares tables of handles. */
	uint8_t tables[SUNDOG_NUM_HANDLE_KINDS];
	uint32_t n_tables;
	bool writes_handles;		/* it stores to images of these tables */
	struct gate_descriptor *descriptors;	/* with a layout; the caller frees them */
	uint32_t n_descriptors;
};

/*
 * Check and rewrite the shader of the create_shader packet @cmd, whose @cmd->n_dwords words are at
 * @code, for a host with the features and limits @caps. If @layout is not NULL, descriptors are
 * those of its sets and @cmd declares none. Returns true and fills @out, whose code and descriptors
 * the caller frees. On refusal returns false, with an empty @out and the reason in @why, of
 * printable characters only.
 */
bool gate_layout_shader(const struct sundog_cmd_create_shader *cmd, const uint32_t *code,
			const struct sundog_caps *caps, const struct gate_layout *layout,
			struct gate_module *out, char *why, size_t why_size);

static inline bool gate_shader(const struct sundog_cmd_create_shader *cmd, const uint32_t *code,
			       const struct sundog_caps *caps, struct gate_module *out, char *why,
			       size_t why_size)
{
	return gate_layout_shader(cmd, code, caps, NULL, out, why, why_size);
}

#endif
