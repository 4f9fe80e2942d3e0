/* SPDX-License-Identifier: MIT */
/*
 * Shader objects.
 */
#ifndef SHADER_H
#define SHADER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "blame.h"
#include "object.h"

#define NUM_STAGES 8
#define NUM_SLOT_STAGES 6				/* of shaders without a layout */
#define NUM_SLOT_SETS (SUNDOG_HANDLE_SET + 1)		/* theirs */
#define MESH_STAGES (1u << SUNDOG_STAGE_TASK | 1u << SUNDOG_STAGE_MESH)
#define GRAPHICS_STAGES (((1u << SUNDOG_STAGE_COMPUTE) - 1) | MESH_STAGES)	/* the mask of those that a draw has */

/* Of @stages, which are a draw's or a dispatch's. */
static inline VkPipelineBindPoint stages_bind_point(uint32_t stages)
{
	return stages & GRAPHICS_STAGES ? VK_PIPELINE_BIND_POINT_GRAPHICS : VK_PIPELINE_BIND_POINT_COMPUTE;
}

/* What shader objects and the pipeline layout must agree on. */
extern const VkShaderStageFlagBits shader_stage_bits[NUM_STAGES];
VkPushConstantRange shader_push_range(const struct worker *w);
/* All stages that the host has. */
VkShaderStageFlags shader_all_stages(const struct worker *w);

#define NUM_TWINS 2

enum shader_progress { SHADER_WAITS, SHADER_COMPILES, SHADER_COMPILED };

struct shader {
	struct object object;
	uint32_t id, stage;
	_Atomic enum shader_progress progress;	/* what follows is there when it is compiled */
	struct shader_source *source;		/* until then */
	struct shader *next;			/* the compiler's */
	struct work work;			/* that it was made for */
	const struct sundog_cmd_create_shader *packet;	/* that it was made of, see ahead.h */

	VkShaderEXT shader;
	VkShaderEXT twins[NUM_TWINS];		/* the same for other draws, made when one comes: see twin.c */
	uint32_t *code;				/* that they are made of, NULL: there are none */
	size_t words;
	VkResult result;			/* of the host, if the gate let it pass */
	uint32_t n_dwords;			/* of the module that it is made of */
	bool used;				/* a batch draws or dispatches with it */
	bool refused;				/* by the gate: it may be bound, not used */
	uint32_t n_bindings;
	struct sundog_shader_binding bindings[SUNDOG_NUM_BINDINGS];
	uint32_t kinds[NUM_SLOT_KINDS][MAX_SLOTS];	/* of what it declares, see texture.h; 0: nothing */
	uint32_t writes[NUM_SLOT_KINDS];		/* slots that it writes, masks */
	uint32_t atomics[NUM_SLOT_KINDS];		/* slots that it has atomic operations on */
	uint32_t input_vertices;		/* of a primitive, for a geometry shader */
	uint32_t output_vertices;		/* of a primitive that a tessellation evaluation shader makes */
	uint32_t patch_vertices_out;		/* of a patch between tessellation shaders, 0: not declared */
	uint32_t vertex_bytes, primitive_bytes;	/* what the host may need for what it makes, see gate.h */
	uint32_t feedback_buffers;		/* that it writes, a mask */
	bool reads_position, writes_position;	/* see gate.h */
	bool second_source;			/* it writes one for blending */
	bool primitive_id;			/* it reads the number of a primitive */
	bool front_facing;			/* and whether it sees its front */
	uint32_t payload_bytes;			/* that go from a task shader to a mesh shader; 0: nothing does */
	uint32_t distances;			/* that it reads, or as a mesh shader writes, see gate.h */
	uint32_t mesh_bytes;			/* of what a group of a mesh shader makes, in the host */
	bool draw_index;			/* and that of a draw among several */
	bool layer;				/* it reads or writes the number of a layer */
	uint8_t tables[SUNDOG_NUM_HANDLE_KINDS];	/* of handles, that it declares: bindings of HANDLE_SET */
	uint32_t n_tables;
	bool writes_handles;			/* it stores to images in those */
	struct pipeline_layout *layout;		/* NULL: its descriptors are slots, and tables of handles */
	struct gate_descriptor *descriptors;	/* with a layout */
	uint32_t n_descriptors;
};

/* Does the host have shaders of @stage? */
bool shader_stage_there(const struct worker *w, uint32_t stage);

struct pipeline_layout;

/* A copy of the packet, of which nothing is compiled; NULL: no memory. The reference is the caller's. */
struct shader *shader_new(const struct sundog_cmd_create_shader *cmd, const uint32_t *code);
/* Of one that is not compiled. */
uint32_t shader_source_dwords(const struct shader *shader);
/* Any thread, once. Touches nothing of the main thread's but what stays as it is. */
void shader_compile(const struct worker *w, struct shader *shader);

bool shader_create(struct worker *w, const struct sundog_cmd_create_shader *cmd, const uint32_t *code);
bool layout_shader_create(struct worker *w, const struct sundog_cmd_create_layout_shader *cmd, const uint32_t *code);
/* Once more, for the host. */
VkResult shader_make_twin(const struct worker *w, struct shader *shader, uint32_t i);
/* Did the gate let it pass, and did the host make it? */
bool shader_is_made(const struct shader *shader);
/* Is there code of all shaders bound to @stages, a mask? */
bool shaders_usable(struct worker *w, uint32_t stages);
void shader_free(struct worker *w, struct shader *shader);

#endif
