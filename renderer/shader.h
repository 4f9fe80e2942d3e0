/* SPDX-License-Identifier: MIT */
/*
 * Shader objects.
 */
#ifndef SHADER_H
#define SHADER_H

#include <stdbool.h>
#include <stdint.h>

#include "object.h"

#define NUM_STAGES 3	/* vertex, fragment, geometry; the others are reserved */

/* What shader objects and the pipeline layout must agree on. */
extern const VkShaderStageFlagBits shader_stage_bits[NUM_STAGES];
extern const VkPushConstantRange shader_push_range;

struct shader {
	struct object object;
	VkShaderEXT shader;
	uint32_t stage;
	uint32_t n_bindings;
	struct sundog_shader_binding bindings[SUNDOG_NUM_BINDINGS];
	uint32_t textures[SUNDOG_MAX_TEXTURES];	/* kinds, see texture.h; 0: not read */
	uint32_t texels[SUNDOG_MAX_TEXEL_BUFFERS];
	uint32_t input_vertices;		/* of a primitive, for a geometry shader */
	uint32_t feedback_buffers;		/* that it writes, a mask */
	bool second_source;			/* it writes one for blending */
};

bool shader_create(struct worker *w, const struct sundog_cmd_create_shader *cmd, const uint32_t *code);
void shader_free(struct worker *w, struct shader *shader);

#endif
