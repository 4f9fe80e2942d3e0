// SPDX-License-Identifier: MIT
/*
 * The gate for shaders, see gate.h.
 */
#include "gate.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <spirv-tools/libspirv.h>
#include <spirv/unified1/GLSL.std.450.h>
#include <spirv/unified1/spirv.h>

#include "sundog_hw.h"

#define MAX_IDS 65536u
#define MAX_TYPE_PARTS 4096u		/* members of a type, of their types and so on */
#define MAX_LOCATIONS 32u
#define MAX_VARIABLE_BYTES 65536u	/* of Function and Private variables: the host's stack */
#define MAX_CLIP_DISTANCES 8u		/* clip and cull distances together */
#define NOT_SET UINT32_MAX
#define TOO_LARGE (1ull << 32)		/* what sizes saturate at */

static const SpvCapability allowed_capabilities[] = {
	SpvCapabilityMatrix, SpvCapabilityShader, SpvCapabilitySampled1D,
	SpvCapabilitySampledCubeArray, SpvCapabilityImageQuery, SpvCapabilityDerivativeControl,
	SpvCapabilityClipDistance, SpvCapabilityCullDistance, SpvCapabilityInterpolationFunction,
	SpvCapabilityImageGatherExtended, SpvCapabilityDrawParameters,
	SpvCapabilityDemoteToHelperInvocation,
	SpvCapabilityUniformBufferArrayDynamicIndexing, SpvCapabilitySampledImageArrayDynamicIndexing,
};

/* Execution modes that change no limit and no memory. */
static const SpvExecutionMode allowed_modes[] = {
	SpvExecutionModeOriginUpperLeft, SpvExecutionModeDepthReplacing, SpvExecutionModeDepthGreater,
	SpvExecutionModeDepthLess, SpvExecutionModeDepthUnchanged, SpvExecutionModeEarlyFragmentTests,
	SpvExecutionModePixelCenterInteger, SpvExecutionModeSignedZeroInfNanPreserve,
	SpvExecutionModeDenormPreserve, SpvExecutionModeDenormFlushToZero,
	SpvExecutionModeRoundingModeRTE, SpvExecutionModeRoundingModeRTZ,
};

/* What reflection remembers of an id. */
struct id_info {
	uint32_t set, binding, location;	/* decorations, NOT_SET if absent */
	uint32_t op;				/* of a type or constant */
	uint32_t a, b;				/* type operands: pointee, element, length; value */
	uint32_t stride;			/* of an array, bytes */
	bool builtin;
	bool block;
	const uint32_t *members;		/* member types of a struct */
	uint32_t n_members;
	uint32_t parts;				/* of a struct or array, with itself; 0: just one */
};

struct gate {
	const struct sundog_cmd_create_shader *cmd;
	const uint32_t *code;
	struct id_info *ids;
	uint32_t n_ids;
	uint32_t entry_points;
	uint64_t variable_bytes;
	uint64_t builtin_floats;		/* elements of built-in arrays */
	char *why;
	size_t why_size;
};

static bool refuse(struct gate *g, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static bool refuse(struct gate *g, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(g->why, g->why_size, fmt, args);
	va_end(args);
	return false;
}

static bool listed(const unsigned int *list, size_t n, unsigned int value)
{
	for (size_t i = 0; i < n; i++)
		if (list[i] == value)
			return true;
	return false;
}

#define LISTED(list, value) \
	listed((const unsigned int *)(list), sizeof(list) / sizeof((list)[0]), value)

static SpvExecutionModel model_of_stage(uint32_t stage)
{
	return stage == SUNDOG_STAGE_VERTEX ? SpvExecutionModelVertex : SpvExecutionModelFragment;
}

/* Before validation: instructions may be anything. */

static struct id_info *info(struct gate *g, uint32_t id)
{
	return &g->ids[id < g->n_ids ? id : 0];
}

/* A struct of these @words, or an array of the first two. */
static bool count_parts(struct gate *g, const uint32_t *in, uint32_t words)
{
	uint64_t parts = 1;

	for (uint32_t i = 2; i < words; i++) {
		const uint32_t more = info(g, in[i])->parts;

		parts += more ? more : 1;
	}
	info(g, in[1])->parts = parts;
	return parts <= MAX_TYPE_PARTS || refuse(g, "a type of more than %u parts", MAX_TYPE_PARTS);
}

/*
 * Types share their parts, so a few words can describe a tree of any size, even of nothing but empty
 * structs. The validator, the host driver and what follows here walk it.
 */
static bool check_types(struct gate *g)
{
	const uint32_t words = g->cmd->n_dwords;

	for (uint32_t at = 5, length; at < words; at += length) {
		const uint32_t *in = g->code + at, op = *in & 0xffff;

		length = *in >> 16;
		if (!length || length > words - at)
			return refuse(g, "malformed instruction at word %u", at);
		if (op == SpvOpTypeStruct && length > 1 && !count_parts(g, in, length))
			return false;
		if ((op == SpvOpTypeArray || op == SpvOpTypeRuntimeArray) && length > 2 && !count_parts(g, in, 3))
			return false;
	}
	return true;
}

static bool make_ids(struct gate *g)
{
	g->n_ids = g->code[3];
	if (g->n_ids > MAX_IDS)
		return refuse(g, "%u ids", g->n_ids);
	g->ids = calloc(g->n_ids + 1, sizeof(*g->ids));
	if (!g->ids)
		return refuse(g, "out of memory");
	for (uint32_t i = 0; i < g->n_ids; i++)
		g->ids[i].set = g->ids[i].binding = g->ids[i].location = NOT_SET;
	return true;
}

/* spirv-val */

static bool validate(struct gate *g, const uint32_t *code, size_t words)
{
	spv_context context = spvContextCreate(SPV_ENV_VULKAN_1_3);
	spv_const_binary_t binary = { code, words };
	spv_diagnostic diagnostic = NULL;
	spv_result_t r = spvValidate(context, &binary, &diagnostic);

	if (r != SPV_SUCCESS)
		refuse(g, "invalid SPIR-V: %s", diagnostic ? diagnostic->error : "malformed");
	spvDiagnosticDestroy(diagnostic);
	spvContextDestroy(context);
	return r == SPV_SUCCESS;
}

/* Reflection. It runs on validated modules, so that instructions are well formed and ids in bound. */

static bool on_decorate(struct gate *g, const uint32_t *in, uint32_t words)
{
	struct id_info *target = info(g, in[1]);
	uint32_t value = words > 3 ? in[3] : 0;

	switch (in[2]) {
	case SpvDecorationDescriptorSet:
		target->set = value;
		break;
	case SpvDecorationBinding:
		target->binding = value;
		break;
	case SpvDecorationLocation:
		target->location = value;
		break;
	case SpvDecorationBuiltIn:
		target->builtin = true;
		break;
	case SpvDecorationBlock:
		target->block = true;
		break;
	case SpvDecorationArrayStride:
		target->stride = value;
		break;
	case SpvDecorationXfbBuffer:
	case SpvDecorationXfbStride:
		return refuse(g, "transform feedback is not offered");
	}
	return true;
}

static bool on_member_decorate(struct gate *g, const uint32_t *in, uint32_t words)
{
	struct id_info *target = info(g, in[1]);

	if (in[3] == SpvDecorationBuiltIn)
		target->builtin = true;
	if (in[3] == SpvDecorationLocation)
		return refuse(g, "locations of members");
	if (in[3] == SpvDecorationMatrixStride && words > 4 && in[4] > 16)
		return refuse(g, "matrix stride %u", in[4]);
	return true;
}

/* Saturates; @a is at most TOO_LARGE. */
static uint64_t times(uint64_t a, uint32_t n)
{
	return a && n > TOO_LARGE / a ? TOO_LARGE : a * n;
}

/* Interface locations that a type takes. */
static uint64_t locations_of(struct gate *g, uint32_t type_id, unsigned int depth)
{
	const struct id_info *type = info(g, type_id);
	uint64_t total = 0;

	if (depth > 8)
		return TOO_LARGE;
	switch (type->op) {
	case SpvOpTypeMatrix:
		return type->b;
	case SpvOpTypeArray:
		return times(locations_of(g, type->a, depth + 1), info(g, type->b)->a);
	case SpvOpTypeStruct:
		for (uint32_t i = 0; i < type->n_members && total < TOO_LARGE; i++)
			total += locations_of(g, type->members[i], depth + 1);
		return total;
	default:
		return 1;
	}
}

/* Built-in arrays are clip and cull distances, and a sample mask of one word. */
static bool check_builtin(struct gate *g, uint32_t type_id)
{
	const struct id_info *type = info(g, type_id);

	if (type->op == SpvOpTypeStruct) {
		for (uint32_t i = 0; i < type->n_members; i++)
			if (!check_builtin(g, type->members[i]))
				return false;
	} else if (type->op == SpvOpTypeArray) {
		g->builtin_floats += info(g, type->b)->a;
	}
	return g->builtin_floats <= MAX_CLIP_DISTANCES ||
	       refuse(g, "built-in arrays of more than %u elements", MAX_CLIP_DISTANCES);
}

static bool check_location(struct gate *g, const struct id_info *var, uint32_t type_id, bool output)
{
	const bool color = output && g->cmd->stage == SUNDOG_STAGE_FRAGMENT;
	const uint32_t most = color ? SUNDOG_MAX_COLOR_ATTACHMENTS : MAX_LOCATIONS;
	uint64_t size = locations_of(g, type_id, 0);

	if (var->builtin || info(g, type_id)->builtin)
		return check_builtin(g, type_id);
	if (var->location == NOT_SET)
		return refuse(g, "interface variable without a location");
	if (var->location >= most || size > most - var->location)
		return refuse(g, "location %u of size %llu", var->location, (unsigned long long)size);
	return true;
}

static bool check_descriptor(struct gate *g, const struct id_info *var, uint32_t type_id, bool buffer)
{
	const struct id_info *type = info(g, type_id);
	const uint32_t want = buffer ? 6 : 1;	/* VkDescriptorType */
	uint64_t count = 1;

	if (type->op == SpvOpTypeRuntimeArray)
		return refuse(g, "runtime array of descriptors");
	if (type->op == SpvOpTypeArray) {
		count = info(g, type->b)->a;
		type = info(g, type->a);
	}
	if (type->op == SpvOpTypeArray || (!buffer && type->op != SpvOpTypeSampledImage) ||
	    (buffer && (type->op != SpvOpTypeStruct || !type->block)))
		return refuse(g, "descriptor of an unsupported type (opcode %u)", type->op);
	if (var->set != g->cmd->stage)
		return refuse(g, "descriptor set %u in stage %u", var->set, g->cmd->stage);
	for (uint32_t i = 0; i < g->cmd->n_bindings; i++) {
		const struct sundog_shader_binding *b = &g->cmd->bindings[i];

		if (b->binding == var->binding)
			return (b->type == want && count <= b->count) ||
			       refuse(g, "binding %u: type %u, %llu of them, declared as type %u, %u",
				      var->binding, want, (unsigned long long)count, b->type, b->count);
	}
	return refuse(g, "binding %u is not declared", var->binding);
}

/*
 * Bytes of a type without the padding between members; arrays by their stride where they have one.
 * (Push constants are also bounded by the host, so that a stride inside them can at most read zeroes.)
 */
static uint64_t size_of(struct gate *g, uint32_t type_id, unsigned int depth)
{
	const struct id_info *type = info(g, type_id);
	uint64_t total = 0;

	if (depth > 8)
		return TOO_LARGE;
	switch (type->op) {
	case SpvOpTypeBool:
		return 4;
	case SpvOpTypeInt:
	case SpvOpTypeFloat:
		return type->a / 8;
	case SpvOpTypeVector:
		return size_of(g, type->a, depth + 1) * type->b;
	case SpvOpTypeMatrix:
		return 16 * (uint64_t)type->b;
	case SpvOpTypeArray:
		total = type->stride ? type->stride : size_of(g, type->a, depth + 1);
		return times(total, info(g, type->b)->a);
	case SpvOpTypeStruct:
		for (uint32_t i = 0; i < type->n_members && total < TOO_LARGE; i++)
			total += size_of(g, type->members[i], depth + 1);
		return total;
	default:
		return TOO_LARGE;
	}
}

/* End of the furthest member: offsets need not ascend. */
static bool check_push_constants(struct gate *g, uint32_t type_id)
{
	const struct id_info *type = info(g, type_id);
	const uint32_t *in;
	uint64_t end = 0;

	if (type->op != SpvOpTypeStruct)
		return refuse(g, "push constants that are no struct");
	for (uint32_t at = 5; at < g->cmd->n_dwords; at += g->code[at] >> 16) {
		in = g->code + at;
		if (*in != (5u << 16 | SpvOpMemberDecorate) || in[1] != type_id ||
		    in[3] != SpvDecorationOffset || in[2] >= type->n_members)
			continue;
		if (in[4] + size_of(g, type->members[in[2]], 0) > end)
			end = in[4] + size_of(g, type->members[in[2]], 0);
	}
	return end <= g->cmd->push_size ||
	       refuse(g, "push constants of %llu bytes, declared %u", (unsigned long long)end,
		      g->cmd->push_size);
}

static bool on_variable(struct gate *g, const uint32_t *in)
{
	const struct id_info *var = info(g, in[2]);
	const uint32_t pointee = info(g, in[1])->b;

	switch (in[3]) {
	case SpvStorageClassFunction:
	case SpvStorageClassPrivate:
		g->variable_bytes += size_of(g, pointee, 0);
		return g->variable_bytes <= MAX_VARIABLE_BYTES ||
		       refuse(g, "more than %u bytes of variables", MAX_VARIABLE_BYTES);
	case SpvStorageClassInput:
	case SpvStorageClassOutput:
		return check_location(g, var, pointee, in[3] == SpvStorageClassOutput);
	case SpvStorageClassUniformConstant:
		return check_descriptor(g, var, pointee, false);
	case SpvStorageClassUniform:
		return check_descriptor(g, var, pointee, true);
	case SpvStorageClassPushConstant:
		return check_push_constants(g, pointee);
	default:
		return refuse(g, "storage class %u", in[3]);
	}
}

static bool is_glsl_std_450(const uint32_t *in, uint32_t words)
{
	static const char name[] = "GLSL.std.450";

	return words == 2 + (sizeof(name) + 3) / 4 && !memcmp(in + 2, name, sizeof(name));
}

static bool on_entry_point(struct gate *g, const uint32_t *in, uint32_t words)
{
	char name[8] = { 0 };

	if (words > 3)
		memcpy(name, in + 3, words > 4 ? 8 : 4);
	name[7] = 0;
	if (++g->entry_points > 1 || in[1] != model_of_stage(g->cmd->stage) || strcmp(name, "main"))
		return refuse(g, "needs exactly one entry point, main of stage %u", g->cmd->stage);
	return true;
}

static bool on_instruction(struct gate *g, const uint32_t *in, uint32_t op, uint32_t words)
{
	struct id_info *t;

	switch (op) {
	case SpvOpCapability:
		return LISTED(allowed_capabilities, in[1]) || refuse(g, "capability %u", in[1]);
	case SpvOpEntryPoint:
		return on_entry_point(g, in, words);
	case SpvOpExecutionMode:
		return LISTED(allowed_modes, in[2]) || refuse(g, "execution mode %u", in[2]);
	case SpvOpDecorate:
		return on_decorate(g, in, words);
	case SpvOpMemberDecorate:
		return on_member_decorate(g, in, words);
	/* Inlined once per call, each time with all its variables: drivers inline them themselves. */
	case SpvOpFunctionCall:
		return refuse(g, "function calls");
	case SpvOpExtInstImport:
		return is_glsl_std_450(in, words) || refuse(g, "instruction set");
	/* lavapipe takes the sample number as it is. */
	case SpvOpExtInst:
		return in[4] != GLSLstd450InterpolateAtSample || refuse(g, "interpolateAtSample");
	case SpvOpDecorationGroup:
		return refuse(g, "decoration groups");
	case SpvOpSpecConstant:
	case SpvOpSpecConstantTrue:
	case SpvOpSpecConstantFalse:
	case SpvOpSpecConstantComposite:
	case SpvOpSpecConstantOp:
		return refuse(g, "specialisation constants");
	case SpvOpConstant:
		t = info(g, in[2]);
		t->op = op;
		t->a = in[3];
		return true;
	case SpvOpTypeInt:
	case SpvOpTypeFloat:
		if (in[2] != 32)
			return refuse(g, "%u-bit numbers", in[2]);
		/* fall through */
	case SpvOpTypeBool:
	case SpvOpTypeVector:
	case SpvOpTypeMatrix:
	case SpvOpTypeArray:
	case SpvOpTypeRuntimeArray:
	case SpvOpTypePointer:
	case SpvOpTypeSampledImage:
		t = info(g, in[1]);
		t->op = op;
		t->a = words > 2 ? in[2] : 0;
		t->b = words > 3 ? in[3] : 0;
		return true;
	case SpvOpTypeImage:
		return (in[3] <= SpvDimCube && in[7] == 1) || refuse(g, "image of dimension %u", in[3]);
	case SpvOpTypeStruct:
		t = info(g, in[1]);
		t->op = op;
		t->members = in + 2;
		t->n_members = words - 2;
		return true;
	case SpvOpVariable:
		return on_variable(g, in);
	default:
		return true;
	}
}

static bool reflect(struct gate *g)
{
	for (uint32_t at = 5; at < g->cmd->n_dwords; at += g->code[at] >> 16)
		if (!on_instruction(g, g->code + at, g->code[at] & 0xffff, g->code[at] >> 16))
			return false;
	return g->entry_points == 1 || refuse(g, "no entry point");
}

/* The rewrite */

static bool make_robust(struct gate *g, struct gate_module *out)
{
	spv_optimizer_t *optimizer = spvOptimizerCreate(SPV_ENV_VULKAN_1_3);
	spv_optimizer_options options = spvOptimizerOptionsCreate();
	spv_binary binary = NULL;
	bool ok;

	/* Validated above, and once more after the rewrite. */
	spvOptimizerOptionsSetRunValidator(options, false);
	spvOptimizerOptionsSetPreserveBindings(options, true);
	ok = spvOptimizerRegisterPassFromFlag(optimizer, "--graphics-robust-access") &&
	     spvOptimizerRun(optimizer, g->code, g->cmd->n_dwords, &binary, options) == SPV_SUCCESS;
	if (ok) {
		out->words = binary->wordCount;
		out->code = malloc(out->words * 4);
		ok = out->code != NULL;
	}
	if (ok)
		memcpy(out->code, binary->code, out->words * 4);
	else
		refuse(g, "cannot be made robust");
	spvBinaryDestroy(binary);
	spvOptimizerOptionsDestroy(options);
	spvOptimizerDestroy(optimizer);
	return ok;
}

bool gate_shader(const struct sundog_cmd_create_shader *cmd, const uint32_t *code,
		 struct gate_module *out, char *why, size_t why_size)
{
	struct gate g = { .cmd = cmd, .code = code, .why = why, .why_size = why_size };
	bool ok;

	*out = (struct gate_module){ 0 };
	if (cmd->stage > SUNDOG_STAGE_FRAGMENT)
		return refuse(&g, "stage %u is reserved", cmd->stage);
	if (cmd->n_dwords < 5 || code[0] != SpvMagicNumber)
		return refuse(&g, "not SPIR-V");
	for (uint32_t i = 0; i < cmd->n_bindings; i++) {
		const struct sundog_shader_binding *b = &cmd->bindings[i];
		const bool ubos = b->binding == SUNDOG_BINDING_UBOS;
		const bool buffer = ubos || b->binding == SUNDOG_BINDING_UBO0;
		const uint32_t most = ubos ? SUNDOG_MAX_UBOS - 1 : 1;

		if (b->binding >= SUNDOG_BINDING_TEXTURE0 + SUNDOG_MAX_TEXTURES && !ubos)
			return refuse(&g, "binding %u is reserved", b->binding);
		if (!b->count || b->count > most || b->type != (buffer ? 6 : 1))
			return refuse(&g, "binding %u declared as type %u, %u of them", b->binding, b->type, b->count);
	}
	ok = make_ids(&g) && check_types(&g) && validate(&g, code, cmd->n_dwords) && reflect(&g) && make_robust(&g, out);
	if (ok && !validate(&g, out->code, out->words)) {
		free(out->code);
		ok = false;
	}
	free(g.ids);
	return ok;
}
