// SPDX-License-Identifier: MIT
/*
 * Shader objects: through the gate into VK_EXT_shader_object.
 */
#include "shader.h"

#include <stdlib.h>
#include <string.h>

#include "gate.h"
#include "log.h"
#include "worker.h"

const VkShaderStageFlagBits shader_stage_bits[NUM_STAGES] = {
	VK_SHADER_STAGE_VERTEX_BIT, VK_SHADER_STAGE_FRAGMENT_BIT, VK_SHADER_STAGE_GEOMETRY_BIT,
};

const VkPushConstantRange shader_push_range = {
	VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT | VK_SHADER_STAGE_GEOMETRY_BIT, 0,
	SUNDOG_MAX_PUSH_CONSTANTS,
};

/* What may be bound together with a shader, after it. */
static VkShaderStageFlags next_stages(const struct worker *w, uint32_t stage)
{
	switch (stage) {
	case SUNDOG_STAGE_VERTEX:
		return VK_SHADER_STAGE_FRAGMENT_BIT |
		       (w->vk.features.geometryShader ? VK_SHADER_STAGE_GEOMETRY_BIT : 0);
	case SUNDOG_STAGE_GEOMETRY:
		return VK_SHADER_STAGE_FRAGMENT_BIT;
	default:
		return 0;
	}
}

bool shader_create(struct worker *w, const struct sundog_cmd_create_shader *cmd, const uint32_t *code)
{
	VkShaderCreateInfoEXT info = {
		.sType = VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT,
		.codeType = VK_SHADER_CODE_TYPE_SPIRV_EXT, .pName = "main",
		.setLayoutCount = NUM_STAGES, .pSetLayouts = w->draw.set_layouts,
		.pushConstantRangeCount = 1, .pPushConstantRanges = &shader_push_range,
	};
	struct gate_module module;
	struct shader *shader;
	char why[256];
	VkResult r;

	if (!object_id_free(w, cmd->id))
		return false;
	if (cmd->stage == SUNDOG_STAGE_GEOMETRY && !w->vk.features.geometryShader)
		return fault(w, SUNDOG_FAULT_CODE_FIELD, 2);
	if (!gate_shader(cmd, code, &w->caps, &module, why, sizeof(why))) {
		log_warn("shader %u refused: %s", cmd->id, why);
		return fault(w, SUNDOG_FAULT_CODE_SHADER, cmd->id);
	}
	shader = calloc(1, sizeof(*shader));
	if (!shader) {
		free(module.code);
		return fault(w, SUNDOG_FAULT_CODE_HOST, -VK_ERROR_OUT_OF_HOST_MEMORY);
	}
	shader->object = (struct object){ .kind = SUNDOG_OBJECT_KIND_SHADER, .refs = 1 };
	shader->stage = cmd->stage;
	shader->n_bindings = cmd->n_bindings;
	memcpy(shader->bindings, cmd->bindings, sizeof(shader->bindings));
	memcpy(shader->textures, module.textures, sizeof(shader->textures));
	memcpy(shader->texels, module.texels, sizeof(shader->texels));
	shader->input_vertices = module.input_vertices;
	shader->feedback_buffers = module.feedback_buffers;
	shader->second_source = module.second_source;
	info.stage = shader_stage_bits[cmd->stage];
	info.nextStage = next_stages(w, cmd->stage);
	info.codeSize = module.words * 4;
	info.pCode = module.code;
	r = w->vk.CreateShadersEXT(w->vk.device, 1, &info, NULL, &shader->shader);
	free(module.code);
	if (r != VK_SUCCESS) {
		free(shader);
		return fault(w, SUNDOG_FAULT_CODE_HOST, -r);
	}
	object_publish(w, cmd->id, &shader->object);
	return true;
}

void shader_free(struct worker *w, struct shader *shader)
{
	w->vk.DestroyShaderEXT(w->vk.device, shader->shader, NULL);
	free(shader);
}
