// SPDX-License-Identifier: MIT
/*
 * libFuzzer target: the gate, with slots and with pipeline layouts. Every module that the gate
 * accepts must pass spirv-val, have a bounded size, use only bounded device addresses and otherwise
 * only pointers to variables, and declare only descriptors that the layout has.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The header defines this constant in each file that includes it, and gate.c includes it, too. */
#define kDefaultMaxIdBound fuzz_gate_max_id_bound
#include <spirv/unified1/GLSL.std.450.h>
#include <spirv/unified1/spirv.h>
#include <spirv-tools/libspirv.h>
#include <vulkan/vulkan.h>

#include "gate/gate.h"
#include "gate-addresses.h"
#include "gate-caps.h"
#include "gate-pointers.h"
#include "shader-mutator.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);

/* Returns true if an id is a constant within the limit or the minimum of two values. */
static bool is_held(const struct gate_module *module, uint32_t id)
{
	for (size_t at = SHADER_SPIRV_HEADER; at < module->words;
	     at += module->code[at] >> SpvWordCountShift) {
		const uint32_t *in = module->code + at;

		switch (*in & SpvOpCodeMask) {
		case SpvOpConstant:
			if (in[2] == id)
				return in[3] <= SUNDOG_MAX_MESH_VERTICES;
			break;
		case SpvOpExtInst:
			if (in[2] == id)
				return in[4] == GLSLstd450UMin;
			break;
		}
	}
	return false;
}

static bool meshes_held(const struct gate_module *module)
{
	for (size_t at = SHADER_SPIRV_HEADER; at < module->words;
	     at += module->code[at] >> SpvWordCountShift) {
		const uint32_t *in = module->code + at, op = *in & SpvOpCodeMask;

		if (op == SpvOpSetMeshOutputsEXT && !is_held(module, in[1]))
			return false;
		if (op == SpvOpEmitMeshTasksEXT &&
		    !(is_held(module, in[1]) && is_held(module, in[2]) && is_held(module, in[3])))
			return false;
	}
	return true;
}

/*
 * Returns the index of the word of an instruction that names a decoration, after its target; 0 if
 * it is no decoration.
 */
static uint32_t decoration_at(const uint32_t *in)
{
	switch (*in & SpvOpCodeMask) {
	case SpvOpDecorate:
		return 2;
	case SpvOpMemberDecorate:
		return 3;
	default:
		return 0;
	}
}

/* Returns true if the target of decoration @of is a per-vertex built-in. */
static bool is_of_vertices(const struct gate_module *module, const uint32_t *of)
{
	const uint32_t n = decoration_at(of);

	for (size_t at = SHADER_SPIRV_HEADER; at < module->words;
	     at += module->code[at] >> SpvWordCountShift) {
		const uint32_t *in = module->code + at;

		if (decoration_at(in) != n || memcmp(in + 1, of + 1, (n - 1) * sizeof(*in)) ||
		    in[n] != SpvDecorationBuiltIn)
			continue;
		switch (in[n + 1]) {
		case SpvBuiltInPosition:
		case SpvBuiltInPointSize:
		case SpvBuiltInClipDistance:
		case SpvBuiltInCullDistance:
			return true;
		}
	}
	return false;
}

/*
 * Returns true if no per-vertex built-in is PerPrimitiveEXT, and task and mesh shaders have no
 * derivative groups.
 */
static bool primitives_held(const struct gate_module *module)
{
	bool meshes = false;

	for (size_t at = SHADER_SPIRV_HEADER; at < module->words;
	     at += module->code[at] >> SpvWordCountShift) {
		const uint32_t *in = module->code + at, n = decoration_at(in);

		meshes |= (*in & SpvOpCodeMask) == SpvOpEntryPoint &&
			  (in[1] == SpvExecutionModelMeshEXT || in[1] == SpvExecutionModelTaskEXT);
		if (meshes && (*in & SpvOpCodeMask) == SpvOpExecutionMode &&
		    (in[2] == SpvExecutionModeDerivativeGroupQuadsKHR ||
		     in[2] == SpvExecutionModeDerivativeGroupLinearKHR))
			return false;
		if (meshes && n && in[n] == SpvDecorationPerPrimitiveEXT &&
		    is_of_vertices(module, in))
			return false;
	}
	return true;
}

static void must_be_valid(const struct gate_module *module)
{
	spv_const_binary_t binary = { module->code, module->words };
	spv_validator_options options = spvValidatorOptionsCreate();
	spv_context context = spvContextCreate(SPV_ENV_VULKAN_1_3);

	spvValidatorOptionsSetScalarBlockLayout(options, true);
	spvValidatorOptionsSetAllowOffsetTextureOperand(options, true);
	if (spvValidateWithOptions(context, options, &binary, NULL) != SPV_SUCCESS) {
		fprintf(stderr, "the gate let an invalid module through\n");
		abort();
	}
	spvContextDestroy(context);
	spvValidatorOptionsDestroy(options);
	if (gate_held_addresses(module->code, module->words) < 0) {
		fprintf(stderr, "the gate let an address through\n");
		abort();
	}
	if (!meshes_held(module)) {
		fprintf(stderr, "the gate let a number of vertices or groups through\n");
		abort();
	}
	if (!primitives_held(module)) {
		fprintf(stderr,
			"the gate let what vertices have through as what primitives have\n");
		abort();
	}
	if (gate_fixed_pointers(module->code, module->words, SpvOpLoad, false) < 0) {
		fprintf(stderr, "the gate let a pointer through that may lead anywhere\n");
		abort();
	}
}

/* The slots as a set, and the sets of the tests. */
static const struct sundog_set_binding slots[] = {
	{ SUNDOG_BINDING_UBO0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, 1 },
	{ SUNDOG_BINDING_TEXTURE0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1 },
	{ SUNDOG_BINDING_TEXTURE0 + 1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 3 },
	{ SUNDOG_BINDING_UBOS, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, SUNDOG_MAX_UBOS },
	{ SUNDOG_BINDING_SSBOS, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, SUNDOG_MAX_SSBOS },
	{ SUNDOG_BINDING_IMAGE0, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 1 },
	{ SUNDOG_BINDING_TEXELS0, VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, 1 },
	{ SUNDOG_BINDING_STORAGE_TEXELS0, VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, 1 },
};
static const struct sundog_set_binding buffers[] = {
	{ 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 4 },
	{ 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC, 1 },
	{ 2, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1 },
	{ 3, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1 },
	{ 4, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 4 },
};
static const struct sundog_set_binding texels[] = { { 7, VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER,
						      2 } };
static const struct sundog_set_binding textures[] = {
	{ 0, VK_DESCRIPTOR_TYPE_SAMPLER, 2 }, { 1, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, 3 },
	{ 2, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1 },
};

/* Mutable bindings: the shader declares their types. */
static const struct sundog_set_binding mutables[] = {
	{ 0, SUNDOG_MUTABLE_TYPE, 4 }, { 1, SUNDOG_MUTABLE_TYPE, 3 }, { 2, SUNDOG_MUTABLE_TYPE, 1 },
	{ 3, SUNDOG_MUTABLE_TYPE, 8 }, { 4, SUNDOG_MUTABLE_TYPE, 4 }, { 7, SUNDOG_MUTABLE_TYPE, 2 },
};

#define SET(bindings) { sizeof(bindings) / sizeof((bindings)[0]), bindings }
static const struct gate_layout layouts[] = {
	{ 6, { SET(slots), SET(slots), SET(slots), SET(slots), SET(slots), SET(slots) }, 0 },
	{ 3, { SET(buffers), SET(texels), SET(textures) }, 3 },
	{ 3, { SET(mutables), SET(mutables), SET(textures) }, 0 },
};

/* Location of a variable, each number plus 1; 0: not decorated. */
struct variable {
	uint32_t set, binding;
};

/*
 * Returns the class of a type: an opcode, and for images and structs the properties that
 * distinguish their descriptors.
 */
static uint32_t class_of(const struct gate_module *module, uint32_t type)
{
	uint32_t class = 0;

	for (size_t at = SHADER_SPIRV_HEADER; at < module->words; at += module->code[at] >> 16) {
		const uint32_t *in = module->code + at, op = *in & 0xffff;

		if (op == SpvOpDecorate && in[1] == type && in[2] == SpvDecorationBufferBlock)
			class |= 1u << 31;
		if (op == SpvOpTypePointer && in[1] == type)
			return class_of(module, in[3]) | in[2] << 16;
		if ((op == SpvOpTypeArray || op == SpvOpTypeRuntimeArray) && in[1] == type)
			return class_of(module, in[2]);
		if (op == SpvOpTypeImage && in[1] == type)
			return op | in[7] << 24 | (in[3] == SpvDimBuffer) << 28;
		if (op >= SpvOpTypeVoid && op <= SpvOpTypeStruct && in[1] == type)
			return class | op;
	}
	return class;
}

/* Aborts unless all variables at the binding of @d are of one class. */
static void must_be_one_type(const struct gate_module *module, const struct gate_descriptor *d)
{
	struct variable *variables = calloc(module->code[3], sizeof(*variables));
	uint32_t class = 0;

	for (size_t at = SHADER_SPIRV_HEADER; variables && at < module->words;
	     at += module->code[at] >> 16) {
		const uint32_t *in = module->code + at, op = *in & 0xffff;

		if (op == SpvOpDecorate && in[2] == SpvDecorationDescriptorSet)
			variables[in[1]].set = in[3] + 1;
		if (op == SpvOpDecorate && in[2] == SpvDecorationBinding)
			variables[in[1]].binding = in[3] + 1;
		if (op != SpvOpVariable || variables[in[2]].set != d->set + 1 ||
		    variables[in[2]].binding != d->binding + 1)
			continue;
		if (class && class != class_of(module, in[1])) {
			fprintf(stderr, "the gate let two types at one binding through\n");
			abort();
		}
		class = class_of(module, in[1]);
	}
	free(variables);
}

static void must_be_in_layout(const struct gate_module *module, const struct gate_layout *layout)
{
	for (uint32_t i = 0; i < module->n_descriptors; i++) {
		const struct gate_descriptor *d = &module->descriptors[i];
		const struct gate_layout_set *set = d->set < layout->n_sets ? &layout->sets[d->set]
									    : NULL;
		uint32_t b = 0;

		while (set && b < set->n_bindings && set->bindings[b].binding != d->binding)
			b++;
		if (!set || b == set->n_bindings) {
			fprintf(stderr, "the gate let through what the layout does not have\n");
			abort();
		}
		if (set->bindings[b].type == SUNDOG_MUTABLE_TYPE)
			must_be_one_type(module, d);
	}
}

static void try(const struct sundog_cmd_create_shader *cmd, const uint32_t *code,
		const struct gate_layout *layout)
{
	struct gate_module module;
	char why[256];

	memset(why, 0, sizeof(why));
	if (gate_layout_shader(cmd, code, &gate_caps, layout, &module, why, sizeof(why))) {
		must_be_valid(&module);
		if (layout)
			must_be_in_layout(&module, layout);
		free(module.code);
		free(module.descriptors);
	} else if (strstr(why, "(pass verify-result")) {
		fprintf(stderr, "a pass of the gate overlooked something: %s\n", why);
		abort();
	} else if (!why[0] || !memchr(why, 0, sizeof(why))) {
		fprintf(stderr, "a refusal without a reason\n");
		abort();
	}
}

static bool has_meshes(const uint32_t *code, size_t words)
{
	for (size_t i = SHADER_SPIRV_HEADER; i + 1 < words; i++)
		if (code[i] == (2u << SpvWordCountShift | SpvOpCapability) &&
		    code[i + 1] == SpvCapabilityMeshShadingEXT)
			return true;
	return false;
}

/* Tries stages that an interface of slots cannot have. */
static void try_meshes(struct sundog_cmd_create_shader cmd, const uint32_t *code)
{
	for (cmd.stage = SUNDOG_STAGE_TASK; cmd.stage <= SUNDOG_STAGE_MESH; cmd.stage++)
		for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++)
			try(&cmd, code, &layouts[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sundog_cmd_create_shader cmd, plain;
	uint32_t *code = shader_of(data, size, &cmd);

	if (!code)
		return 0;
	try(&cmd, code, NULL);
	plain = (struct sundog_cmd_create_shader){ .stage = cmd.stage,
						   .push_size = cmd.push_size,
						   .n_dwords = cmd.n_dwords };
	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++)
		try(&plain, code, &layouts[i]);
	if (has_meshes(code, cmd.n_dwords))
		try_meshes(plain, code);
	free(code);
	return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	return shader_mutate(data, size, max_size, seed);
}
