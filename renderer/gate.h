/* SPDX-License-Identifier: MIT */
/*
 * The gate that every shader passes before the host driver sees it.
 *
 * A guest's SPIR-V is hostile until shown otherwise. In this order: instructions, capabilities and decorations come from
 * allow-lists, and types and the whole module, its calls expanded, are bounded; spirv-val must accept it; specialisation
 * constants get their defaults, what is computed of them its result, and calls are inlined; what the language offers in
 * several ways is lowered to one (gate_core.c); pointers that are values become numbers that choose among variables; what it declares must lie inside the interface of its create_shader packet
 * and inside our limits; indices are clamped so that none leaves its array, directions in cubes to numbers, and what
 * geometry, task and mesh shaders emit to what the host has room for, and device addresses to the range of them; bindings
 * that take offsets go where the host has them; spirv-val must accept the result, and so must a verifier that shares no code
 * with all that (gate_verify.c).
 */
#ifndef GATE_H
#define GATE_H

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
	 * The set that has, in the host, bindings that take offsets: numbered from 0 on, those of the first set first,
	 * as they come there. 0: they are in the set that the shader says.
	 */
	uint32_t dynamic_set;
};

/* A binding that a module declares something at. */
struct gate_descriptor {
	uint32_t set, binding;
	uint32_t type;			/* VkDescriptorType, the first one's; of a mutable binding there is one */
	uint32_t kind;			/* of textures and images, see texture.h; 0: it is a buffer */
	bool atomic;			/* there are atomic operations on the images */
};

/* A module that passed. */
struct gate_module {
	uint32_t *code;			/* free() it */
	size_t words;
	uint32_t textures[SUNDOG_MAX_TEXTURES];	/* kind of each slot, see texture.h; 0: not declared */
	uint32_t texels[SUNDOG_MAX_TEXEL_BUFFERS];
	uint32_t images[SUNDOG_MAX_IMAGES];	/* storage images and texel buffers, likewise */
	uint32_t storage_texels[SUNDOG_MAX_IMAGES];
	uint32_t images_written;	/* masks of slots that it stores to, or changes with atomic operations */
	uint32_t storage_texels_written;
	uint32_t images_atomic;		/* those with atomic operations */
	uint32_t storage_texels_atomic;
	bool ssbo_writes;		/* it writes storage buffers, any of them */
	uint32_t input_vertices;	/* of a primitive; 0: not a geometry shader */
	uint32_t output_vertices;	/* of a primitive that a tessellation evaluation shader makes: 1, 2 or 3 */
	uint32_t patch_vertices_out;	/* of a patch between tessellation shaders, 0: not declared */
	uint32_t vertex_bytes;		/* of a vertex of a tessellation evaluation shader, in the host */
	uint32_t primitive_bytes;	/* of all that a geometry shader makes of one primitive, in the host */
	bool reads_position, writes_position;	/* of vertices that come from a stage, and go to one */
	uint32_t feedback_buffers;	/* mask of those that it writes */
	bool second_source;		/* it has a second colour for attachment 0 */
	bool primitive_id;		/* it reads the number of a primitive */
	bool front_facing;		/* and whether its front is seen */
	uint32_t payload_bytes;		/* that a task shader hands on, or that a mesh shader gets */
	uint32_t distances;		/* to clip and cull by, that a fragment shader reads or a mesh shader writes */
	uint32_t mesh_bytes;		/* of all that a group of a mesh shader makes, in the host */
	bool draw_index;		/* and that of a draw among several */
	bool layer;			/* it reads or writes the number of a layer */
	uint8_t tables[SUNDOG_NUM_HANDLE_KINDS];	/* of handles, that it declares: bindings of HANDLE_SET */
	uint32_t n_tables;
	bool writes_handles;		/* it stores to images in those */
	struct gate_descriptor *descriptors;	/* with a layout; free() them */
	uint32_t n_descriptors;
};

/*
 * Check and rewrite the shader of a create_shader packet, @code being its n_dwords words, for a host with
 * the features and limits @caps. With a @layout descriptors are those of its sets, and @cmd declares none.
 * On refusal returns false with the reason in @why, of printable characters only.
 */
bool gate_layout_shader(const struct sundog_cmd_create_shader *cmd, const uint32_t *code,
			const struct sundog_caps *caps, const struct gate_layout *layout, struct gate_module *out,
			char *why, size_t why_size);

static inline bool gate_shader(const struct sundog_cmd_create_shader *cmd, const uint32_t *code,
			       const struct sundog_caps *caps, struct gate_module *out, char *why, size_t why_size)
{
	return gate_layout_shader(cmd, code, caps, NULL, out, why, why_size);
}

#endif
