// SPDX-License-Identifier: MIT
/*
 * The order of the gate's passes, and the calls into the validator and the optimizer of
 * SPIRV-Tools, see gate.h.
 */
#include "gate/gate.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <spirv-tools/libspirv.h>
#include <spirv/unified1/spirv.h>
#include <vulkan/vulkan.h>

#include "gate/check/group.h"
#include "gate/check/layout.h"
#include "gate/check/member.h"
#include "gate/check/reflect.h"
#include "gate/check/scan.h"
#include "gate/check/tess.h"
#include "gate/check/verify.h"
#include "gate/module.h"
#include "gate/mutants.h"
#include "gate/pass/bound_rotations.h"
#include "gate/pass/bound_strips.h"
#include "gate/pass/clamp_conversions.h"
#include "gate/pass/clamp_cube_directions.h"
#include "gate/pass/clamp_mesh_outputs.h"
#include "gate/pass/clamp_sample_indices.h"
#include "gate/pass/core_form.h"
#include "gate/pass/demote_kills.h"
#include "gate/pass/fix_access_chain_types.h"
#include "gate/pass/fold_spec_constants.h"
#include "gate/pass/limit_unrolling.h"
#include "gate/pass/lower_compact_arrays.h"
#include "gate/pass/lower_subgroup_barriers.h"
#include "gate/pass/lower_variable_pointers.h"
#include "gate/pass/mask_addresses.h"
#include "gate/pass/restore_oob.h"
#include "gate/pass/share_variables.h"
#include "gate/pass/size_runtime_arrays.h"
#include "gate/pass/split_nonuniform.h"
#include "gate/pass/widen_indices.h"
#include "gate/pass/zero_positions.h"
#include "gate/spirv_info.h"

#define MAX_IDS (1u << 18)

/*
 * Appends the pass and the instruction to the reason. The last instruction of a module,
 * OpFunctionEnd, is never the cause.
 */
static void append_location(struct gate *g)
{
	const size_t length = strlen(g->why);
	char *const end = g->why + length;
	const size_t room = g->why_size - length;

	if (!g->pass)
		return;
	if (g->at && g->at < g->words && g->at + (g->code[g->at] >> 16) < g->words)
		snprintf(end, room, " (pass %s, word %zu: %s)", g->pass, g->at,
			 gate_op_name(g->code[g->at] & 0xffff));
	else
		snprintf(end, room, " (pass %s)", g->pass);
}

/*
 * Replaces characters that are not printable: spirv-val quotes names that the guest chose, and the
 * reason goes to a log.
 */
bool gate_refuse(struct gate *g, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(g->why, g->why_size, fmt, args);
	va_end(args);
	append_location(g);
	for (char *at = g->why; *at; at++)
		if (*at < ' ' || *at > '~')
			*at = *at == '\n' ? ' ' : '?';
	return false;
}

static bool make_ids(struct gate *g)
{
	free(g->ids);
	g->ids = NULL;
	g->n_ids = g->code[3];
	if (g->n_ids > MAX_IDS)
		return gate_refuse(g, "the id bound %u exceeds the limit %u", g->n_ids, MAX_IDS);
	g->ids = calloc(g->n_ids + 1, sizeof(*g->ids));
	if (!g->ids)
		return gate_refuse(g, "out of memory");
	for (uint32_t i = 0; i < g->n_ids; i++) {
		struct gate_id *id = &g->ids[i];

		id->set = id->binding = id->location = id->component = id->index = id->builtin =
			GATE_NOT_SET;
		id->xfb_buffer = id->xfb_stride = id->offset = id->stream = GATE_NOT_SET;
	}
	return true;
}

/*
 * Runs spirv-val. Scalar block layout is allowed, since vk.c makes sure that the host has
 * VK_EXT_scalar_block_layout.
 */
static bool validate(struct gate *g)
{
	spv_validator_options options = spvValidatorOptionsCreate();
	spv_context context = spvContextCreate(SPV_ENV_VULKAN_1_3);
	spv_const_binary_t binary = { g->code, g->words };
	spv_diagnostic diagnostic = NULL;
	spv_result_t r;

	spvValidatorOptionsSetScalarBlockLayout(options, true);
	spvValidatorOptionsSetAllowLocalSizeId(options, true);
	spvValidatorOptionsSetAllowOffsetTextureOperand(
		options, g->caps->features & SUNDOG_FEATURE_TEXEL_OFFSETS);
	r = spvValidateWithOptions(context, options, &binary, &diagnostic);
	if (r != SPV_SUCCESS)
		gate_refuse(g, "invalid SPIR-V: %s", diagnostic ? diagnostic->error : "malformed");
	spvDiagnosticDestroy(diagnostic);
	spvContextDestroy(context);
	spvValidatorOptionsDestroy(options);
	return r == SPV_SUCCESS;
}

/*
 * The first error of the optimizer that runs in this thread. The message consumer gets no user
 * pointer.
 */
static _Thread_local char optimizer_message[160];

static void keep_message(spv_message_level_t level, const char *source,
			 const spv_position_t *position, const char *message)
{
	(void)source;
	(void)position;
	if (level <= SPV_MSG_ERROR && !optimizer_message[0])
		snprintf(optimizer_message, sizeof(optimizer_message), "%s", message);
}

/*
 * Runs @n passes of SPIRV-Tools on a valid module. On failure returns false, keeps the module, and
 * leaves the reason in optimizer_message.
 */
static bool optimize(struct gate *g, const char *const *passes, size_t n)
{
	spv_optimizer_t *optimizer = spvOptimizerCreate(SPV_ENV_VULKAN_1_3);
	spv_optimizer_options options = spvOptimizerOptionsCreate();
	spv_binary binary = NULL;
	uint32_t *code = NULL;
	bool ok = true;

	/* The gate validates the module before these passes and again at the end. */
	spvOptimizerOptionsSetRunValidator(options, false);
	spvOptimizerOptionsSetPreserveBindings(options, true);
	optimizer_message[0] = '\0';
	spvOptimizerSetMessageConsumer(optimizer, keep_message);
	for (size_t i = 0; ok && i < n; i++)
		ok = spvOptimizerRegisterPassFromFlag(optimizer, passes[i]);
	if (ok && spvOptimizerRun(optimizer, g->code, g->words, &binary, options) == SPV_SUCCESS) {
		code = malloc(binary->wordCount * sizeof(*code));
		if (!code)
			snprintf(optimizer_message, sizeof(optimizer_message), "out of memory");
	}
	if (code) {
		memcpy(code, binary->code, binary->wordCount * sizeof(*code));
		g->words = binary->wordCount;
		free(g->owned);
		g->code = g->owned = code;
	}
	spvBinaryDestroy(binary);
	spvOptimizerOptionsDestroy(options);
	spvOptimizerDestroy(optimizer);
	return code;
}

/*
 * Runs the passes of SPIRV-Tools up to the NULL. Together they read and write the module once; if
 * that fails, they run one by one, so that the refusal names the pass.
 */
static bool rewrite(struct gate *g, const char *const *passes)
{
	size_t n = 0;

	while (passes[n])
		n++;
	/* The passes move instructions, so g->at is no longer valid. */
	g->at = 0;
	if (optimize(g, passes, n))
		return true;
	for (; *passes; passes++)
		if (!optimize(g, passes, 1))
			return gate_refuse(g, "spirv-opt %s: %s", *passes,
					   optimizer_message[0] ? optimizer_message :
								  "no reason given");
	return true;
}

/* Copies the module to memory of the gate, unless it is there already. */
static bool own(struct gate *g)
{
	if (g->owned)
		return true;
	g->owned = malloc(g->words * sizeof(*g->owned));
	if (!g->owned)
		return gate_refuse(g, "out of memory");
	memcpy(g->owned, g->code, g->words * sizeof(*g->owned));
	g->code = g->owned;
	return true;
}

/* Clears DontInline, which is only a hint: the optimizer would not inline such a function. */
static bool let_inline(struct gate *g)
{
	if (!own(g))
		return false;
	for (uint32_t at = 5; at < g->words; at += g->owned[at] >> 16) {
		if ((g->owned[at] & 0xffff) == SpvOpFunction)
			g->owned[at + 3] &= ~(uint32_t)SpvFunctionControlDontInlineMask;
	}
	return true;
}

/*
 * Lets variables share their memory, and scans the result, with all parts of its values from here
 * on.
 */
static bool share_variables(struct gate *g)
{
	bool changed;

	if (!gate_share_variables(g, &changed))
		return false;
	g->shared = true;
	return make_ids(g) && gate_scan(g);
}

static bool has_calls(const struct gate *g)
{
	for (uint32_t at = 5; at < g->words; at += g->code[at] >> 16)
		if ((g->code[at] & 0xffff) == SpvOpFunctionCall)
			return true;
	return false;
}

/*
 * Inlines calls. The optimizer leaves calls in a continue construct of functions that end the
 * invocation. gate_demote_kills() adds returns to these functions, so the passes before are run
 * again.
 */
static bool inline_calls(struct gate *g, const char *const *before)
{
	static const char *const passes[] = {
		"--inline-entry-points-exhaustive", "--eliminate-dead-functions", NULL,
	};
	bool changed;

	if (!gate_scan_calls(g) || !rewrite(g, passes))
		return false;
	if (!has_calls(g))
		return true;
	return make_ids(g) && gate_scan(g) && gate_demote_kills(g, &changed) &&
	       (!changed || (rewrite(g, before) && make_ids(g) && gate_scan(g) &&
			     gate_scan_calls(g) && rewrite(g, passes)));
}

/*
 * Inlines all calls into one function, and makes every specialization constant a constant.
 *
 * merge-return refuses unreachable blocks, unless they are a merge block with only OpUnreachable or
 * a continue target with only a branch. SPIR-V allows any code in them (2.16.1), and tint and naga
 * write merge blocks that end in OpReturn or OpBranch if both branches of a selection return.
 * eliminate-dead-branches brings them to the form that merge-return takes. It looks only at
 * functions that the entry point calls, so uncalled functions are removed first.
 *
 * merge-return adds variables, which share_variables.c sees, too.
 */
static bool flatten(struct gate *g)
{
	static const char *const passes[] = {
		"--eliminate-dead-functions", "--eliminate-dead-branches", "--merge-return", NULL,
	};

	if (!g->flatten && !g->pointers)
		return true;
	if (!gate_fold_spec_constants(g) || !make_ids(g) || !gate_scan(g) || !let_inline(g) ||
	    !rewrite(g, passes) || !make_ids(g) || !gate_scan(g) || !share_variables(g) ||
	    !inline_calls(g, passes))
		return false;
	g->flat = true;
	return make_ids(g) && gate_scan(g);
}

/*
 * Lowers the module to the core form and scans the result. Storage classes are left to the verifier
 * and to the last validation.
 */
static bool lower_to_core_form(struct gate *g)
{
	bool changed;

	return gate_core_form(g, &changed) && (!changed || (make_ids(g) && gate_scan(g)));
}

/* Adds a variable that the checks of later passes have to know, so the ids are scanned again. */
static bool zero_positions(struct gate *g)
{
	bool changed;

	return gate_zero_positions(g, &changed) && (!changed || (make_ids(g) && gate_scan(g)));
}

/*
 * The rewrite moves instructions, so the ids, which have words of instructions, are scanned again.
 */
static bool set_local_size(struct gate *g)
{
	bool changed;

	return gate_group_set_local_size(g, &changed) &&
	       (!changed || (make_ids(g) && gate_scan(g)));
}

/* Sizes arrays, and validates and scans the result like the original module. */
static bool size_runtime_arrays(struct gate *g)
{
	bool changed;

	return gate_size_runtime_arrays(g, &changed) &&
	       (!changed || (validate(g) && make_ids(g) && gate_scan(g)));
}

static bool widen_indices(struct gate *g)
{
	bool changed;

	return gate_widen_indices(g, &changed) && (!changed || (make_ids(g) && gate_scan(g)));
}

/* Lowers variable pointers, and scans and validates the result like the original module. */
static bool lower_variable_pointers(struct gate *g)
{
	bool changed;

	return gate_lower_variable_pointers(g, &changed) &&
	       (!changed || (make_ids(g) && gate_scan(g) && validate(g)));
}

static bool limit_unrolling(struct gate *g)
{
	return own(g) && gate_limit_unrolling(g);
}

/*
 * Clamps indices. Debug information is removed, because the host driver prints names and source
 * lines of shaders that it does not accept. SPIRV-Tools refuses to clamp in modules with device
 * addresses, so the addressing model is Logical meanwhile: gate_mask_addresses() has left no index
 * of a device address to clamp.
 */
static bool make_robust(struct gate *g)
{
	static const char *const passes[] = { "--strip-debug", "--graphics-robust-access", NULL };
	const uint32_t first = g->code[3];
	bool ok;

	if (g->addresses)
		gate_set_addressing(g, false);
	ok = rewrite(g, passes) && gate_fix_access_chain_types(g, first) &&
	     gate_restore_oob(g, first);
	if (g->addresses)
		gate_set_addressing(g, true);
	return ok;
}

/* The bindings of each descriptor type, and the elements of the array at each binding. */
static const struct {
	uint32_t first, bindings, elements;
	VkDescriptorType type;
	uint32_t feature;
} binding_types[] = {
	{ SUNDOG_BINDING_UBO0, 1, 1, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 0 },
	{ SUNDOG_BINDING_UBOS, 1, SUNDOG_MAX_UBOS - 1, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 0 },
	{ SUNDOG_BINDING_TEXTURE0, SUNDOG_MAX_TEXTURES, 1,
	  VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 0 },
	{ SUNDOG_BINDING_TEXELS0, SUNDOG_MAX_TEXEL_BUFFERS, 1,
	  VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, 0 },
	{ SUNDOG_BINDING_SSBOS, 1, SUNDOG_MAX_SSBOS, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
	  SUNDOG_FEATURE_COMPUTE },
	{ SUNDOG_BINDING_IMAGE0, SUNDOG_MAX_IMAGES, 1, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
	  SUNDOG_FEATURE_COMPUTE },
	{ SUNDOG_BINDING_STORAGE_TEXELS0, SUNDOG_MAX_IMAGES, 1,
	  VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, SUNDOG_FEATURE_COMPUTE },
};

/*
 * Returns the elements of the array at a binding and stores its VkDescriptorType in @type; 0: the
 * binding is reserved.
 */
static uint32_t binding_elements(const struct gate *g, uint32_t binding, uint32_t *type)
{
	for (size_t i = 0; i < sizeof(binding_types) / sizeof(binding_types[0]); i++) {
		if (binding < binding_types[i].first ||
		    binding - binding_types[i].first >= binding_types[i].bindings)
			continue;
		*type = binding_types[i].type;
		return (g->caps->features & binding_types[i].feature) == binding_types[i].feature ?
			       binding_types[i].elements : 0;
	}
	return 0;
}

static bool interface_ok(struct gate *g)
{
	for (uint32_t i = 0; i < g->cmd->n_bindings; i++) {
		const struct sundog_shader_binding *b = &g->cmd->bindings[i];
		uint32_t type;
		const uint32_t most = binding_elements(g, b->binding, &type);

		if (!most)
			return gate_refuse(g,
					   "create_shader declares binding %u, which is reserved",
					   b->binding);
		if (!b->count || b->count > most || b->type != type)
			return gate_refuse(g, "create_shader: binding %u has %u descriptors of "
					   "VkDescriptorType %u; the limit is %u of type %u",
					   b->binding, b->count, b->type, most, type);
	}
	return true;
}

static bool is_stage_supported(const struct gate *g)
{
	switch (g->cmd->stage) {
	case SUNDOG_STAGE_VERTEX:
	case SUNDOG_STAGE_FRAGMENT:
	case SUNDOG_STAGE_GEOMETRY:
		return true;
	case SUNDOG_STAGE_TESS_CTRL:
	case SUNDOG_STAGE_TESS_EVAL:
		return g->caps->features & SUNDOG_FEATURE_TESSELLATION;
	case SUNDOG_STAGE_COMPUTE:
		return g->caps->features & SUNDOG_FEATURE_COMPUTE;
	case SUNDOG_STAGE_TASK:
	case SUNDOG_STAGE_MESH:
		return g->layout && (g->caps->features & SUNDOG_FEATURE_MESH_SHADERS);
	default:
		return false;
	}
}

static void describe(const struct gate *g, struct gate_module *out)
{
	out->code = g->owned;
	out->words = g->words;
	memcpy(out->textures, g->textures, sizeof(out->textures));
	memcpy(out->texels, g->texels, sizeof(out->texels));
	memcpy(out->images, g->images, sizeof(out->images));
	memcpy(out->storage_texels, g->storage_texels, sizeof(out->storage_texels));
	out->images_written = g->images_written;
	out->storage_texels_written = g->storage_texels_written;
	out->ssbo_writes = g->ssbo_writes;
	out->images_atomic = g->images_atomic;
	out->storage_texels_atomic = g->storage_texels_atomic;
	out->output_vertices = g->cmd->stage == SUNDOG_STAGE_TESS_EVAL ?
			       gate_tess_output_vertices(g) : g->geometry.strip_vertices;
	out->patch_vertices_out = g->tess.vertices;
	out->vertex_bytes = g->vertex_bytes;
	out->primitive_bytes = g->primitive_bytes;
	out->input_vertices = g->geometry.input_vertices;
	out->second_source = g->second_source;
	out->primitive_id = g->geometry.primitive_id ||
			    (g->primitive_id && g->cmd->stage == SUNDOG_STAGE_FRAGMENT);
	out->writes_primitive_id = g->mesh.primitive_id;
	out->front_facing = g->front_facing;
	out->payload_bytes = g->mesh.payload_bytes;
	out->mesh_bytes = g->mesh.group_bytes;
	out->distances = g->cmd->stage == SUNDOG_STAGE_MESH ? g->mesh.distances :
							      (uint32_t)g->builtin_elements[0];
	out->draw_index = g->draw_index;
	out->layer = g->layer;
	memcpy(out->tables, g->tables, sizeof(out->tables));
	out->n_tables = g->n_tables;
	out->writes_handles = g->writes_handles;
	out->descriptors = g->descriptors;
	out->n_descriptors = g->n_descriptors;
}

static bool verify_core(struct gate *g)
{
	return gate_verify(g, false);
}

static bool verify_result(struct gate *g)
{
	return gate_verify(g, true);
}

/* The passes of the gate in their order; a refusal names the pass. */
static const struct {
	const char *name;
	bool (*run)(struct gate *g);
} gate_passes[] = {
	{ "interface", interface_ok },
	{ "ids", make_ids },
	{ "scan", gate_scan },
	{ "validate", validate },
	{ "tess-barriers", gate_tess_barriers },
	{ "flatten", flatten },
	{ "share-variables", share_variables },
	{ "core-form", lower_to_core_form },
	{ "positions", zero_positions },
	{ "group-size", set_local_size },
	{ "array-lengths", size_runtime_arrays },
	{ "widen-indices", widen_indices },
	{ "variable-pointers", lower_variable_pointers },
	{ "members", gate_list_members },
	{ "reflect", gate_reflect },
	{ "verify-core", verify_core },
	{ "unrolling", limit_unrolling },
	{ "mesh-outputs", gate_clamp_mesh_outputs },
	{ "part-indices", gate_split_nonuniform },
	{ "compact-arrays", gate_lower_compact_arrays },
	{ "cube-directions", gate_clamp_cube_directions },
	{ "strips", gate_bound_strips },
	{ "sample-indices", gate_clamp_sample_indices },
	{ "rotations", gate_bound_rotations },
	{ "conversions", gate_clamp_conversions },
	{ "addresses", gate_mask_addresses },
	{ "subgroup-barriers", gate_lower_subgroup_barriers },
	{ "robust-access", make_robust },
	{ "layout", gate_layout_move },
	{ "validate-result", validate },
	{ "verify-result", verify_result },
};

#ifdef GATE_MUTANTS
static bool run_pass(struct gate *g, bool (*run)(struct gate *g))
{
	bool ok;

	if (gate_mutation.left_out && !strcmp(g->pass, gate_mutation.left_out))
		return own(g);
	/* gate_mutants_begin() changes only code that the gate owns. */
	if (gate_mutation.blind && !strcmp(g->pass, gate_mutation.blind) && !own(g))
		return false;
	if (!gate_mutants_begin(g))
		return false;
	ok = run(g);
	gate_mutants_end(g);
	return ok;
}
#else
static bool run_pass(struct gate *g, bool (*run)(struct gate *g))
{
	return run(g);
}
#endif

bool gate_layout_shader(const struct sundog_cmd_create_shader *cmd, const uint32_t *code,
			const struct sundog_caps *caps, const struct gate_layout *layout,
			struct gate_module *out, char *why, size_t why_size)
{
	struct gate g = {
		.cmd = cmd,
		.caps = caps,
		.layout = layout,
		.code = code,
		.words = cmd->n_dwords,
		.why = why,
		.why_size = why_size,
	};
	bool ok = true;

	*out = (struct gate_module){ 0 };
	if (!is_stage_supported(&g))
		return gate_refuse(
			&g,
			"shader stage %u is reserved, or needs a device feature that is missing",
			cmd->stage);
	/*
	 * Word 4 is reserved and must be 0 (SPIR-V 2.3): spirv-val ignores it, and drivers give up
	 * on other values.
	 */
	if (cmd->n_dwords < 5 || code[0] != SpvMagicNumber || code[4])
		return gate_refuse(&g, "not SPIR-V: the header is too short, or its magic number "
				   "or schema is wrong");
	for (size_t i = 0; ok && i < sizeof(gate_passes) / sizeof(gate_passes[0]); i++) {
		g.pass = gate_passes[i].name;
		g.at = 0;
		ok = run_pass(&g, gate_passes[i].run);
	}
	if (ok) {
		describe(&g, out);
	} else {
		free(g.owned);
		free(g.descriptors);
	}
	free(g.members);
	free(g.ids);
	return ok;
}
