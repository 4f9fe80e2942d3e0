/* SPDX-License-Identifier: MIT */
/*
 * Shader objects: created by packets, checked by the gate and compiled by the host on a compiler
 * thread (compiler.h). The worker's main thread owns the object.
 */
#ifndef EXEC_SHADER_H
#define EXEC_SHADER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "exec/object.h"
#include "exec/watch.h"

#define NUM_STAGES 8
#define NUM_SLOT_STAGES 6				/* of shaders without a pipeline layout */
/* sets of shaders without a pipeline layout */
#define NUM_SLOT_SETS (SUNDOG_HANDLE_SET + 1)
#define MESH_STAGES (1u << SUNDOG_STAGE_TASK | 1u << SUNDOG_STAGE_MESH)
/* mask of the stages that a draw has */
#define GRAPHICS_STAGES (((1u << SUNDOG_STAGE_COMPUTE) - 1) | MESH_STAGES)

/* Returns the bind point of @stages, which all belong to a draw or to a dispatch. */
static inline VkPipelineBindPoint stages_bind_point(uint32_t stages)
{
	return stages & GRAPHICS_STAGES ? VK_PIPELINE_BIND_POINT_GRAPHICS
					: VK_PIPELINE_BIND_POINT_COMPUTE;
}

/* Facts that shader objects and the pipeline layout must agree on. */
extern const VkShaderStageFlagBits shader_stage_bits[NUM_STAGES];
VkPushConstantRange shader_push_range(const struct exec *x);
/* Returns all stages that the host has. */
VkShaderStageFlags shader_all_stages(const struct exec *x);

enum shader_progress { SHADER_WAITS, SHADER_COMPILES, SHADER_COMPILED };

struct shader {
	struct object object;
	uint32_t id, stage;
	/* the results, from `shader` on, are valid once this is SHADER_COMPILED */
	_Atomic enum shader_progress progress;
	struct shader_source *source;		/* NULL once it is compiled */
	struct shader *next;			/* link of the compiler's lists */
	struct work work;			/* submission that it is compiled for */
	/* packet that it was made from, see shader_prefetch.h */
	const struct sundog_cmd_create_shader *packet;

	VkShaderEXT shader;
	uint32_t *code;		/* SPIR-V for copies, see eval_variant.c; NULL: there are none */
	size_t words;
	VkResult result;			/* of the host, if the gate accepted the module */
	uint32_t n_dwords;	/* size of the module that the host got, in dwords */
	bool used;				/* a batch draws or dispatches with it */
	/* the gate refused the module: the shader may be bound, but not used */
	bool refused;
	char *reason;				/* why; NULL without memory */
	uint32_t n_bindings;
	struct sundog_shader_binding bindings[SUNDOG_NUM_BINDINGS];
	/* declared texture kinds, see gate/texture.h; 0: nothing declared */
	uint32_t kinds[NUM_SLOT_KINDS][MAX_SLOTS];
	/* masks of the slots that the shader writes */
	uint32_t writes[NUM_SLOT_KINDS];
	/* masks of the slots with atomic operations */
	uint32_t atomics[NUM_SLOT_KINDS];
	uint32_t input_vertices;		/* per input primitive of a geometry shader */
	/* per primitive that a tessellation evaluation or geometry shader generates */
	uint32_t output_vertices;
	/* per patch between tessellation shaders, 0: not declared */
	uint32_t patch_vertices_out;
	/* host memory that the outputs may need, see gate.h */
	uint32_t vertex_bytes, primitive_bytes;
	/* writes the second source of dual source blending */
	bool second_source;
	bool primitive_id;			/* reads the primitive id */
	/* a mesh shader: the host's code stores the primitive id */
	bool writes_primitive_id;
	bool front_facing;			/* reads whether the primitive is front facing */
	/* from a task shader to a mesh shader; 0: no payload */
	uint32_t payload_bytes;
	/* clip and cull distances that it reads, or writes as a mesh shader, see gate.h */
	uint32_t distances;
	/* host memory for the output of a mesh shader's work group */
	uint32_t mesh_bytes;
	bool draw_index;			/* reads the draw index */
	bool layer;				/* reads or writes the layer */
	/* declared handle tables: bindings of HANDLE_SET */
	uint8_t tables[SUNDOG_NUM_HANDLE_KINDS];
	uint32_t n_tables;
	bool writes_handles;			/* stores to images in handle tables */
	struct pipeline_layout *layout;		/* NULL: it uses slots and handle tables */
	struct gate_descriptor *descriptors;	/* with a pipeline layout */
	uint32_t n_descriptors;
};

/* Returns true if the host has shaders of @stage. */
bool shader_stage_there(const struct exec *x, uint32_t stage);

struct pipeline_layout;

/*
 * Returns a shader with a copy of the packet, not compiled yet; the caller owns the reference.
 * NULL: out of memory.
 */
struct shader *shader_new(const struct sundog_cmd_create_shader *cmd, const uint32_t *code);
/* Returns the size of the module of a shader that is not compiled yet, in dwords. */
uint32_t shader_source_dwords(const struct shader *shader);
/*
 * Compile @shader; called once, by any thread. Reads only data of the main thread that never
 * changes.
 */
void shader_compile(const struct exec *x, struct shader *shader);

/*
 * Returns a copy of a compiled shader, with a host shader of its own and nothing else. The caller
 * owns the reference. NULL: @result is the reason.
 */
struct shader *shader_copy(const struct exec *x, const struct shader *shader, VkResult *result);
/* Returns true if the gate accepted the module and the host created the shader. */
bool shader_is_made(const struct shader *shader);
/*
 * Returns true if all shaders bound to @stages (a mask) have code, else false with a fault
 * recorded.
 */
bool shaders_usable(struct exec *x, uint32_t stages);
void shader_free(struct exec *x, struct shader *shader);

#endif
