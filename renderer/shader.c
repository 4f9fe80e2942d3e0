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
	VK_SHADER_STAGE_VERTEX_BIT, VK_SHADER_STAGE_FRAGMENT_BIT,
};

const VkPushConstantRange shader_push_range = {
	VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0, SUNDOG_MAX_PUSH_CONSTANTS,
};

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
	if (!gate_shader(cmd, code, &module, why, sizeof(why))) {
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
	info.stage = shader_stage_bits[cmd->stage];
	info.nextStage = cmd->stage == SUNDOG_STAGE_VERTEX ? VK_SHADER_STAGE_FRAGMENT_BIT : 0;
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
