// SPDX-License-Identifier: MIT
/*
 * Shader objects: from packets through the gate to VK_EXT_shader_object, see shader.h. A compiler
 * thread calls shader_compile(); the rest runs on the worker's main thread.
 */
#include "exec/shader.h"
#include "exec/set_layout.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exec/exec.h"
#include "exec/set.h"
#include "gate/gate.h"
#include "ipc/log.h"
#include "sundog_run.h"

const VkShaderStageFlagBits shader_stage_bits[NUM_STAGES] = {
	[SUNDOG_STAGE_VERTEX] = VK_SHADER_STAGE_VERTEX_BIT,
	[SUNDOG_STAGE_FRAGMENT] = VK_SHADER_STAGE_FRAGMENT_BIT,
	[SUNDOG_STAGE_GEOMETRY] = VK_SHADER_STAGE_GEOMETRY_BIT,
	[SUNDOG_STAGE_TESS_CTRL] = VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT,
	[SUNDOG_STAGE_TESS_EVAL] = VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT,
	[SUNDOG_STAGE_COMPUTE] = VK_SHADER_STAGE_COMPUTE_BIT,
	[SUNDOG_STAGE_TASK] = VK_SHADER_STAGE_TASK_BIT_EXT,
	[SUNDOG_STAGE_MESH] = VK_SHADER_STAGE_MESH_BIT_EXT,
};

VkShaderStageFlags shader_all_stages(const struct exec *x)
{
	const VkShaderStageFlags mesh = VK_SHADER_STAGE_TASK_BIT_EXT | VK_SHADER_STAGE_MESH_BIT_EXT;

	return VK_SHADER_STAGE_ALL_GRAPHICS | VK_SHADER_STAGE_COMPUTE_BIT |
	       (exec_has(x, SUNDOG_FEATURE_MESH_SHADERS) ? mesh : 0);
}

VkPushConstantRange shader_push_range(const struct exec *x)
{
	return (VkPushConstantRange){ shader_all_stages(x), 0, SUNDOG_MAX_PUSH_CONSTANTS };
}

bool shader_stage_there(const struct exec *x, uint32_t stage)
{
	static const uint64_t features[NUM_STAGES] = {
		[SUNDOG_STAGE_GEOMETRY] = SUNDOG_FEATURE_GEOMETRY,
		[SUNDOG_STAGE_TESS_CTRL] = SUNDOG_FEATURE_TESSELLATION,
		[SUNDOG_STAGE_TESS_EVAL] = SUNDOG_FEATURE_TESSELLATION,
		[SUNDOG_STAGE_COMPUTE] = SUNDOG_FEATURE_COMPUTE,
		[SUNDOG_STAGE_TASK] = SUNDOG_FEATURE_MESH_SHADERS,
		[SUNDOG_STAGE_MESH] = SUNDOG_FEATURE_MESH_SHADERS,
	};

	return exec_has(x, features[stage]);
}

struct shader_source {
	struct sundog_cmd_create_shader cmd;
	uint32_t code[];
};

/* Returns the stages that may follow @stage directly. */
static VkShaderStageFlags next_stages(const struct exec *x, uint32_t stage)
{
	static const uint32_t next[NUM_STAGES] = {
		[SUNDOG_STAGE_VERTEX] = 1u << SUNDOG_STAGE_TESS_CTRL | 1u << SUNDOG_STAGE_GEOMETRY |
					1u << SUNDOG_STAGE_FRAGMENT,
		[SUNDOG_STAGE_TESS_CTRL] = 1u << SUNDOG_STAGE_TESS_EVAL,
		[SUNDOG_STAGE_TESS_EVAL] = 1u << SUNDOG_STAGE_GEOMETRY |
					   1u << SUNDOG_STAGE_FRAGMENT,
		[SUNDOG_STAGE_GEOMETRY] = 1u << SUNDOG_STAGE_FRAGMENT,
		[SUNDOG_STAGE_TASK] = 1u << SUNDOG_STAGE_MESH,
		[SUNDOG_STAGE_MESH] = 1u << SUNDOG_STAGE_FRAGMENT,
	};
	VkShaderStageFlags bits = 0;

	for (uint32_t i = 0; i < NUM_STAGES; i++)
		if (next[stage] >> i & 1 && shader_stage_there(x, i))
			bits |= shader_stage_bits[i];
	return bits;
}

/* Store the gate's findings that draws and dispatches are checked against. */
static void take_module(struct shader *shader, const struct gate_module *module)
{
	memcpy(shader->kinds[SLOT_TEXTURE], module->textures, sizeof(module->textures));
	memcpy(shader->kinds[SLOT_TEXELS], module->texels, sizeof(module->texels));
	memcpy(shader->kinds[SLOT_IMAGE], module->images, sizeof(module->images));
	memcpy(shader->kinds[SLOT_STORAGE_TEXELS], module->storage_texels,
	       sizeof(module->storage_texels));
	shader->writes[SLOT_SSBO] = module->ssbo_writes ? UINT32_MAX : 0;
	shader->writes[SLOT_IMAGE] = module->images_written;
	shader->writes[SLOT_STORAGE_TEXELS] = module->storage_texels_written;
	shader->atomics[SLOT_IMAGE] = module->images_atomic;
	shader->atomics[SLOT_STORAGE_TEXELS] = module->storage_texels_atomic;
	shader->input_vertices = module->input_vertices;
	shader->output_vertices = module->output_vertices;
	shader->patch_vertices_out = module->patch_vertices_out;
	shader->vertex_bytes = module->vertex_bytes;
	shader->primitive_bytes = module->primitive_bytes;
	shader->second_source = module->second_source;
	shader->primitive_id = module->primitive_id;
	shader->writes_primitive_id = module->writes_primitive_id;
	shader->front_facing = module->front_facing;
	shader->payload_bytes = module->payload_bytes;
	shader->mesh_bytes = module->mesh_bytes;
	shader->distances = module->distances;
	shader->draw_index = module->draw_index;
	shader->layer = module->layer;
	memcpy(shader->tables, module->tables, sizeof(shader->tables));
	shader->n_tables = module->n_tables;
	shader->writes_handles = module->writes_handles;
	shader->descriptors = module->descriptors;
	shader->n_descriptors = module->n_descriptors;
}

/* Names the shader in the reports of the host about its compilations. */
static void label_shaders(const struct exec *x, const struct shader *shader)
{
	char label[32];

	if (!x->vk.lavapipe.set_shader_label)
		return;
	snprintf(label, sizeof(label), "shader %u", shader->id);
	x->vk.lavapipe.set_shader_label(x->vk.device, label);
}

static VkResult make_host_shader(const struct exec *x, const struct shader *shader,
				 const uint32_t *code, size_t words, VkShaderEXT *out)
{
	const struct pipeline_layout *layout = shader->layout;
	const VkPushConstantRange range = shader_push_range(x);
	VkDescriptorSetLayout sets[SUNDOG_MAX_SETS];
	const VkShaderCreateInfoEXT info = {
		.sType = VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT,
		.flags = shader->stage == SUNDOG_STAGE_COMPUTE
				 ? VK_SHADER_CREATE_DISPATCH_BASE_BIT_EXT
				 : 0,
		.codeType = VK_SHADER_CODE_TYPE_SPIRV_EXT,
		.pName = "main",
		.stage = shader_stage_bits[shader->stage],
		.nextStage = next_stages(x, shader->stage),
		.codeSize = words * 4,
		.pCode = code,
		.setLayoutCount = layout ? pipeline_layout_sets(layout, sets) : x->draw.n_sets,
		.pSetLayouts = layout ? sets : x->draw.set_layouts,
		.pushConstantRangeCount = 1,
		.pPushConstantRanges = &range,
	};

	label_shaders(x, shader);
	return x->vk.CreateShadersEXT(x->vk.device, 1, &info, NULL, out);
}

struct shader *shader_copy(const struct exec *x, const struct shader *shader, VkResult *result)
{
	struct shader *copy = calloc(1, sizeof(*copy));

	*result = VK_ERROR_OUT_OF_HOST_MEMORY;
	if (!copy)
		return NULL;
	copy->object = (struct object){ .kind = SUNDOG_OBJECT_KIND_SHADER, .refs = 1 };
	*result = make_host_shader(x, shader, shader->code, shader->words, &copy->shader);
	if (*result == VK_SUCCESS)
		return copy;
	free(copy);
	return NULL;
}

struct shader *shader_new(const struct sundog_cmd_create_shader *cmd, const uint32_t *code)
{
	const size_t size = (size_t)cmd->n_dwords * sizeof(*code);
	struct shader_source *source = malloc(sizeof(*source) + size);
	struct shader *shader = calloc(1, sizeof(*shader));

	if (!source || !shader) {
		free(source);
		free(shader);
		return NULL;
	}
	source->cmd = *cmd;
	memcpy(source->code, code, size);
	shader->object = (struct object){ .kind = SUNDOG_OBJECT_KIND_SHADER, .refs = 1 };
	shader->id = cmd->id;
	shader->stage = cmd->stage;
	shader->n_dwords = cmd->n_dwords;
	shader->n_bindings = cmd->n_bindings;
	memcpy(shader->bindings, cmd->bindings, sizeof(shader->bindings));
	shader->source = source;
	return shader;
}

uint32_t shader_source_dwords(const struct shader *shader)
{
	return shader->source->cmd.n_dwords;
}

static struct gate_layout gate_layout_of(const struct pipeline_layout *layout)
{
	struct gate_layout out = {
		.n_sets = layout->n_sets,
		.dynamic_set = layout->dynamic.layout ? layout->n_sets : 0,
	};

	for (uint32_t i = 0; i < layout->n_sets; i++)
		out.sets[i] = (struct gate_layout_set){ layout->sets[i]->n_bindings,
							layout->sets[i]->declared };
	return out;
}

static void keep_code(const struct exec *x, struct shader *shader, struct gate_module *module)
{
	if (!vk_has_quirk(&x->vk, QUIRK_EVAL_STRIDE) || shader->stage != SUNDOG_STAGE_TESS_EVAL) {
		free(module->code);
		return;
	}
	shader->code = module->code;
	shader->words = module->words;
}

/* A refused module becomes a shader without code; draws and dispatches with it fault. */
void shader_compile(const struct exec *x, struct shader *shader)
{
	const struct shader_source *source = shader->source;
	struct gate_layout layout;
	struct gate_module module;
	char why[384];

	if (shader->layout)
		layout = gate_layout_of(shader->layout);
	shader->refused = !gate_layout_shader(&source->cmd, source->code, &x->caps,
					      shader->layout ? &layout : NULL, &module, why,
					      sizeof(why));
	if (shader->refused) {
		log_warn("shader %u refused: %s", shader->id, why);
		shader->reason = strdup(why);
	} else {
		take_module(shader, &module);
		shader->n_dwords = module.words;
		shader->result = make_host_shader(x, shader, module.code, module.words,
						  &shader->shader);
		keep_code(x, shader, &module);
	}
	free(shader->source);
	shader->source = NULL;
}

bool run_create_shader(struct exec *x, const struct sundog_cmd_create_shader *cmd,
		       const uint32_t *code)
{
	struct shader *shader;

	if (!object_id_free(x, cmd->id))
		return false;
	if (cmd->stage >= NUM_SLOT_STAGES || !shader_stage_there(x, cmd->stage))
		return fault(x, SUNDOG_FAULT_CODE_FIELD, 2);
	shader = x->prefetch ? prefetch_take(x->prefetch, cmd) : NULL;
	if (!shader) {
		shader = shader_new(cmd, code);
		if (!shader)
			return fault(x, SUNDOG_FAULT_CODE_HOST, -VK_ERROR_OUT_OF_HOST_MEMORY);
		compiler_add(x, shader);
	}
	object_publish(x, cmd->id, &shader->object);
	return true;
}

bool run_create_layout_shader(struct exec *x, const struct sundog_cmd_create_layout_shader *cmd,
			      const uint32_t *code)
{
	struct sundog_cmd_create_shader plain = { .id = cmd->id,
						  .stage = cmd->stage,
						  .n_dwords = cmd->n_dwords };
	struct pipeline_layout *layout;
	struct shader *shader;

	if (!object_id_free(x, cmd->id))
		return false;
	if (!shader_stage_there(x, cmd->stage))
		return fault(x, SUNDOG_FAULT_CODE_FIELD, 2);
	layout = (struct pipeline_layout *)object_find(x, cmd->layout,
						       SUNDOG_OBJECT_KIND_PIPELINE_LAYOUT);
	if (!layout)
		return false;
	plain.push_size = layout->push_size;
	shader = shader_new(&plain, code);
	if (!shader)
		return fault(x, SUNDOG_FAULT_CODE_HOST, -VK_ERROR_OUT_OF_HOST_MEMORY);
	object_ref(&layout->object);
	shader->layout = layout;
	compiler_add(x, shader);
	object_publish(x, cmd->id, &shader->object);
	return true;
}

bool shader_is_made(const struct shader *shader)
{
	return !shader->refused && shader->result == VK_SUCCESS;
}

/* Fills in a report; its memory may be read at any time, so nothing of it is read back. */
static void report(struct sundog_shader_report *out, const struct shader *shader)
{
	struct sundog_shader_report report = { .state = SUNDOG_SHADER_STATE_ACCEPTED };

	if (shader->refused) {
		report.state = SUNDOG_SHADER_STATE_REFUSED;
		if (shader->reason)
			snprintf(report.reason, sizeof(report.reason), "%s", shader->reason);
	} else if (shader->result != VK_SUCCESS) {
		report.state = SUNDOG_SHADER_STATE_FAILED;
		report.result = -shader->result;
	}
	memcpy(out, &report, sizeof(report));
}

bool run_report_shader(struct exec *x, const struct sundog_cmd_report_shader *cmd)
{
	const uint64_t size = sizeof(struct sundog_shader_report);
	struct shader *shader =
		(struct shader *)object_find(x, cmd->shader, SUNDOG_OBJECT_KIND_SHADER);
	struct alloc *alloc = shader ? memory_find_alloc(x, cmd->mem, SUNDOG_ACCESS_WRITE) : NULL;

	if (!alloc || !memory_range(x, alloc, cmd->offset, size))
		return false;
	if (cmd->offset % sizeof(uint32_t))
		return fault(x, SUNDOG_FAULT_CODE_RANGE, alloc->handle);
	compiler_finish(x, shader);
	report(memory_at(alloc, cmd->offset), shader);
	return true;
}

static bool shader_usable(struct exec *x, struct shader *shader)
{
	if (shader->refused)
		return fault(x, SUNDOG_FAULT_CODE_SHADER, shader->id);
	if (shader->result != VK_SUCCESS)
		return fault(x, SUNDOG_FAULT_CODE_HOST, -shader->result);
	if (!shader->used) {
		shader->used = true;
		batch_note_code(x, shader->n_dwords);
	}
	return true;
}

bool shaders_usable(struct exec *x, uint32_t stages)
{
	for (uint32_t i = 0; i < NUM_STAGES; i++)
		if (stages >> i & 1 && x->draw.shaders[i] && !shader_usable(x, x->draw.shaders[i]))
			return false;
	return true;
}

void shader_free(struct exec *x, struct shader *shader)
{
	x->vk.DestroyShaderEXT(x->vk.device, shader->shader, NULL);
	free(shader->code);
	free(shader->reason);
	if (shader->layout)
		object_unref(x, &shader->layout->object);
	free(shader->descriptors);
	free(shader->source);
	free(shader);
}
