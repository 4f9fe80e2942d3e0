/* SPDX-License-Identifier: MIT */
/*
 * Shader objects.
 */
#ifndef SHADER_H
#define SHADER_H

#include <stdbool.h>
#include <stdint.h>

#include "object.h"

#define NUM_STAGES 6
#define GRAPHICS_STAGES ((1u << SUNDOG_STAGE_COMPUTE) - 1)	/* the mask of those that a draw has */

/* What shader objects and the pipeline layout must agree on. */
extern const VkShaderStageFlagBits shader_stage_bits[NUM_STAGES];
extern const VkPushConstantRange shader_push_range;

struct shader {
	struct object object;
	VkShaderEXT shader;
	uint32_t id, stage;
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
};

/* Does the host have shaders of @stage? */
bool shader_stage_there(const struct worker *w, uint32_t stage);

bool shader_create(struct worker *w, const struct sundog_cmd_create_shader *cmd, const uint32_t *code);
/* Is there code of all shaders bound to @stages, a mask? */
bool shaders_usable(struct worker *w, uint32_t stages);
void shader_free(struct worker *w, struct shader *shader);

#endif
