// SPDX-License-Identifier: MIT
/*
 * Tests whether the verifier of the gate (gate_verify.c) is enough. Each pass that keeps a shader within bounds is left out
 * in turn, for each module: the verifier has to refuse what comes of that, unless it has as many instructions that hold
 * something within bounds. Prints TAP.
 * usage: test-mutants [--all] FOLDER... of SPIR-V modules; those that the gate refuses anyway count for nothing. With --all
 * each pass must have something to do for one of them.
 */
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/GLSL.std.450.h>
#include <spirv/unified1/spirv.h>

#include "gate-caps.h"
#include "gate.h"
#include "gate_module.h"
#include "spirv-reflect.h"

#define MAX_WORDS (1u << 18)
#define MAX_BINDINGS 256u

/* Without these a shader would reach something that is not its own. */
static const char *const passes[] = {
	"core-form", "variable-pointers", "mesh-outputs", "part-indices", "compact-arrays", "cube-directions", "strips",
	"sample-indices", "rotations", "addresses", "subgroup-barriers", "robust-access", "layout",
};
#define N_PASSES (sizeof(passes) / sizeof(passes[0]))

struct counts {
	unsigned int verified, refused, equal, missed;
};

struct subject {
	const uint32_t *code;
	struct sundog_cmd_create_shader cmd;
	struct gate_layout layout;
	struct sundog_set_binding bindings[SUNDOG_MAX_SETS][MAX_BINDINGS];
	bool slots;			/* no layout: those of OpenGL */
};

static struct counts counts[N_PASSES];
static unsigned int n_modules;

static uint32_t stage_of(uint32_t model)
{
	switch (model) {
	case SpvExecutionModelVertex:
		return SUNDOG_STAGE_VERTEX;
	case SpvExecutionModelFragment:
		return SUNDOG_STAGE_FRAGMENT;
	case SpvExecutionModelGeometry:
		return SUNDOG_STAGE_GEOMETRY;
	case SpvExecutionModelTessellationControl:
		return SUNDOG_STAGE_TESS_CTRL;
	case SpvExecutionModelTessellationEvaluation:
		return SUNDOG_STAGE_TESS_EVAL;
	case SpvExecutionModelTaskEXT:
		return SUNDOG_STAGE_TASK;
	case SpvExecutionModelMeshEXT:
		return SUNDOG_STAGE_MESH;
	default:
		return SUNDOG_STAGE_COMPUTE;
	}
}

/* Bindings of the module are those of the layout. False: there are too many. */
static bool make_layout(struct subject *s, const struct spirv *spirv)
{
	struct spirv_binding *all = NULL;
	uint32_t n = 0;
	bool ok = !spirv_bindings(spirv, &spirv->entries[0], &all, &n);

	s->layout = (struct gate_layout){ 0 };
	for (uint32_t i = 0; ok && i < n; i++) {
		struct gate_layout_set *set = &s->layout.sets[all[i].set % SUNDOG_MAX_SETS];

		ok = all[i].set < SUNDOG_MAX_SETS && set->n_bindings < MAX_BINDINGS;
		if (!ok)
			break;
		set->bindings = s->bindings[all[i].set];
		s->bindings[all[i].set][set->n_bindings++] = (struct sundog_set_binding){
			all[i].binding, all[i].descriptor, all[i].count,
		};
		if (s->layout.n_sets <= all[i].set)
			s->layout.n_sets = all[i].set + 1;
	}
	free(all);
	return ok;
}

static bool run(const struct subject *s, const char *without, struct gate_module *module, char *why, size_t size)
{
	gate_left_out = without;
	return gate_layout_shader(&s->cmd, s->code, &gate_caps, s->slots ? NULL : &s->layout, module, why, size);
}

/* Instructions that hold something within bounds. */
static uint32_t count_guards(const struct gate_module *module)
{
	uint32_t n = 0;

	for (size_t at = 5; at < module->words; at += module->code[at] >> 16) {
		const uint32_t *in = module->code + at;

		switch (*in & 0xffff) {
		case SpvOpBitwiseAnd:
		case SpvOpBitwiseXor:
		case SpvOpSelect:
		case SpvOpULessThan:
			n++;
			break;
		case SpvOpExtInst:
			n += in[4] == GLSLstd450UMin || in[4] == GLSLstd450UClamp || in[4] == GLSLstd450SClamp ||
			     in[4] == GLSLstd450NClamp;
			break;
		}
	}
	return n;
}

/* Where the instruction is that makes an id; 0: there is none. */
static size_t find(const struct gate_module *module, uint32_t id)
{
	for (size_t at = 5; at < module->words; at += module->code[at] >> 16)
		if (gate_has_type(module->code[at] & 0xffff) && module->code[at + 2] == id)
			return at;
	return 0;
}

/* Returns true if the program itself clamps each index that is no constant. */
static bool holds_indices(const struct gate_module *module)
{
	for (size_t at = 5; at < module->words; at += module->code[at] >> 16) {
		const uint32_t *in = module->code + at;

		for (uint32_t i = 4; (*in & 0xffff) == SpvOpAccessChain && i < *in >> 16; i++) {
			const size_t made = find(module, in[i]);
			const uint32_t op = module->code[made] & 0xffff;

			if (!made || (op != SpvOpConstant && op != SpvOpConstantNull && op != SpvOpBitwiseAnd &&
				      (op != SpvOpExtInst || (module->code[made + 4] != GLSLstd450UMin &&
							      module->code[made + 4] != GLSLstd450UClamp &&
							      module->code[made + 4] != GLSLstd450SClamp))))
				return false;
		}
	}
	return true;
}

static bool leave_out(const struct subject *s, const struct gate_module *whole, size_t pass, const char *file)
{
	struct gate_module module = { 0 };
	char why[256] = "";
	bool ok = true;

	if (!run(s, passes[pass], &module, why, sizeof(why))) {
		if (strstr(why, "(pass verify"))
			counts[pass].verified++;
		else
			counts[pass].refused++;
		return true;
	}
	if (count_guards(&module) >= count_guards(whole) ||
	    (!strcmp(passes[pass], "robust-access") && holds_indices(&module))) {
		counts[pass].equal++;
	} else {
		counts[pass].missed++;
		printf("# %s without %s passes\n", file, passes[pass]);
		ok = false;
	}
	free(module.code);
	free(module.descriptors);
	return ok;
}

/* The module as Vulkan's, with a layout, and as OpenGL's. */
static void try_module(struct subject *s, const struct spirv *spirv, const char *file)
{
	struct gate_module module = { 0 };
	char why[256] = "";

	s->cmd = (struct sundog_cmd_create_shader){
		.stage = stage_of(spirv->entries[0].model), .n_dwords = spirv->n_words, .push_size = 256,
	};
	if (!s->slots && !make_layout(s, spirv))
		return;
	if (s->slots) {
		s->cmd.n_bindings = 3;
		s->cmd.bindings[0] = (struct sundog_shader_binding){ 0, 1, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER };
		s->cmd.bindings[1] = (struct sundog_shader_binding){ SUNDOG_BINDING_SSBOS, 16, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER };
		s->cmd.bindings[2] = (struct sundog_shader_binding){
			SUNDOG_BINDING_TEXTURE0, 1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
		};
	}
	if (!run(s, NULL, &module, why, sizeof(why)))
		return;
	n_modules++;
	for (size_t i = 0; i < N_PASSES; i++)
		leave_out(s, &module, i, file);
	free(module.code);
	free(module.descriptors);
}

static void try_file(const char *folder, const char *name)
{
	static uint32_t code[MAX_WORDS];
	static struct subject subject;
	struct spirv spirv = { 0 };
	char path[1024];
	size_t words = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "r");
	if (f) {
		words = fread(code, 4, MAX_WORDS, f);
		fclose(f);
	}
	if (words < 5 || words == MAX_WORDS || code[0] != SpvMagicNumber)
		return;
	if (!spirv_init(&spirv, code, words) && spirv.n_entries == 1 && !strcmp(spirv.entries[0].name, "main")) {
		subject.code = code;
		for (int slots = 0; slots < 2; slots++) {
			subject.slots = slots;
			try_module(&subject, &spirv, name);
		}
	}
	spirv_del(&spirv);
}

static void try_folder(const char *folder)
{
	struct dirent **all;
	const int n = scandir(folder, &all, NULL, alphasort);

	for (int i = 0; i < n; i++) {
		const char *end = strrchr(all[i]->d_name, '.');

		if (end && !strcmp(end, ".spv"))
			try_file(folder, all[i]->d_name);
		free(all[i]);
	}
	if (n >= 0)
		free(all);
}

int main(int argc, char **argv)
{
	const bool all = argc > 1 && !strcmp(argv[1], "--all");
	bool failed = false;

	for (int i = 1 + all; i < argc; i++)
		try_folder(argv[i]);
	printf("# %u modules\n", n_modules);
	for (size_t i = 0; i < N_PASSES; i++) {
		const struct counts *c = &counts[i];
		const bool ok = !c->missed && (!all || c->verified + c->refused);

		printf("%sok %zu - without %s: %u refused by the verifier, %u elsewhere, %u alike, %u missed\n", ok ? "" : "not ",
		       i + 1, passes[i], c->verified, c->refused, c->equal, c->missed);
		failed |= !ok;
	}
	printf("1..%zu\n", N_PASSES);
	return failed;
}
