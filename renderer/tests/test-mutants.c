// SPDX-License-Identifier: MIT
/*
 * Tests whether the verifier of the gate (verify.c) is sufficient. For each module, mutants of
 * the gate run: each pass that keeps a shader in bounds is left out in turn; each pass that changes
 * the module runs blind to the instructions with an operand of one role of the operand table, for
 * each role; each bound that the passes compute from a value is replaced by another one. The
 * verifier has to refuse the result, unless it has as many guard instructions as that of the whole
 * gate. At last the result is damaged (damage.c), each kind in turn; the verifier has to refuse
 * that wherever there is something to damage.
 *
 * Each mutant runs in a process of its own: SPIRV-Tools' passes crash on invalid modules, which
 * ends a worker before the host driver gets anything. Prints TAP.
 *
 * usage: test-mutants [--all] [--damages] FOLDER... of SPIR-V modules. Modules that the whole gate
 * refuses do not count. --all: each pass must have something to do in one of them. --damages: each
 * kind of damage must find something in one of them.
 */
#include <dirent.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <spirv/unified1/GLSL.std.450.h>
#include <spirv/unified1/spirv.h>

#include "gate/gate.h"
#include "gate/module.h"
#include "gate/mutants.h"
#include "gate/spirv_info.h"
#include "gate/table.h"
#include "gate-caps.h"
#include "spirv-reflect.h"

#define MAX_WORDS (1u << 18)
#define MAX_BINDINGS 256u

/* Passes without which a shader could access memory out of bounds. */
static const char *const passes[] = {
	"core-form", "positions", "unrolling", "array-lengths", "widen-indices",
	"variable-pointers",
	"mesh-outputs", "part-indices", "compact-arrays", "cube-directions", "strips",
	"sample-indices", "rotations", "conversions", "addresses", "subgroup-barriers",
	"robust-access", "layout",
};
#define N_PASSES (sizeof(passes) / sizeof(passes[0]))
#define N_ROLES 26u			/* letters; the table may have fewer */
#define MAX_DAMAGES 64u

/*
 * Passes that are never blind: SPIRV-Tools' passes refuse instructions that they do not know, and
 * the verifier itself is not under test.
 */
static const char *const not_blind[] = { "flatten", "validate", "validate-result", "verify-core",
					 "verify-result", "robust-access" };

/* Results of a mutant, as exit statuses. */
enum outcome { VERIFIED, REFUSED, EQUAL, MISSED, CRASHED_TOOLS, CRASHED, N_OUTCOMES };

struct counts {
	unsigned int of[N_OUTCOMES];
};

struct subject {
	const uint32_t *code;
	struct sundog_cmd_create_shader cmd;
	struct gate_layout layout;
	struct sundog_set_binding bindings[SUNDOG_MAX_SETS][MAX_BINDINGS];
	bool slots;			/* no layout: slots of OpenGL */
};

static struct counts counts[N_PASSES];	/* by the pass that is left out */
static struct counts blind[N_ROLES];	/* by the role that a pass does not see */
static struct counts wrong_bounds;
static struct counts damages[MAX_DAMAGES];	/* by the kind of damage */
static unsigned int n_modules, n_tests;

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

/* Makes the layout from the module's bindings. Returns false if there are too many. */
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

static bool run(const struct subject *s, const struct gate_mutation *mutation,
		struct gate_module *module, char *why,
		size_t size)
{
	gate_mutation = *mutation;
	return gate_layout_shader(&s->cmd, s->code, &gate_caps, s->slots ? NULL : &s->layout,
				  module, why, size);
}

/* Returns the index of the instruction that defines an id, or 0 if there is none. */
static size_t find(const struct gate_module *module, uint32_t id)
{
	for (size_t at = 5; at < module->words; at += module->code[at] >> 16)
		if (spirv_has_type(module->code[at] & 0xffff) && module->code[at + 2] == id)
			return at;
	return 0;
}

/* Returns true if both ids are constants, and no component of @a is larger than that of @b. */
static bool is_at_most(const struct gate_module *module, uint32_t a, uint32_t b)
{
	const uint32_t *x = module->code + find(module, a), *y = module->code + find(module, b);

	if (x == module->code || y == module->code || *x != *y)
		return false;
	if ((*x & 0xffff) == SpvOpConstant)
		return x[3] <= y[3];
	for (uint32_t i = 3; (*x & 0xffff) == SpvOpConstantComposite && i < *x >> 16; i++)
		if (!is_at_most(module, x[i], y[i]))
			return false;
	return (*x & 0xffff) == SpvOpConstantComposite;
}

/* Counts the instructions that bound a value, but not those of a constant that is in bounds. */
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
			n += (in[4] == GLSLstd450UMin && !is_at_most(module, in[5], in[6])) ||
			     in[4] == GLSLstd450UClamp || in[4] == GLSLstd450SClamp ||
			     in[4] == GLSLstd450NClamp;
			break;
		}
	}
	return n;
}

static uint32_t count_accesses(const struct gate_module *module)
{
	uint32_t n = 0;

	for (size_t at = 5; at < module->words; at += module->code[at] >> 16)
		n += gate_read(module->code + at) || gate_written(module->code + at);
	return n;
}

/* Returns true if the program itself clamps each index that is no constant. */
static bool holds_indices(const struct gate_module *module)
{
	for (size_t at = 5; at < module->words; at += module->code[at] >> 16) {
		const uint32_t *in = module->code + at;

		for (uint32_t i = 4; (*in & 0xffff) == SpvOpAccessChain && i < *in >> 16; i++) {
			const size_t made = find(module, in[i]);
			const uint32_t op = module->code[made] & 0xffff;

			if (!made ||
			    (op != SpvOpConstant && op != SpvOpConstantNull && op != SpvOpBitwiseAnd &&
			     (op != SpvOpExtInst ||
			      (module->code[made + 4] != GLSLstd450UMin &&
			       module->code[made + 4] != GLSLstd450UClamp &&
			       module->code[made + 4] != GLSLstd450SClamp))))
				return false;
		}
	}
	return true;
}

/* Returns true if an index has less than 32 bits: the host extends it as a signed number. */
static bool has_narrow_indices(const struct gate_module *module)
{
	for (size_t at = 5; at < module->words; at += module->code[at] >> 16) {
		const uint32_t *type = module->code + at;

		if ((*type & 0xffff) != SpvOpTypeInt || type[2] >= 32)
			continue;
		for (size_t to = 5; to < module->words; to += module->code[to] >> 16) {
			const uint32_t *in = module->code + to;

			for (uint32_t i = 4; (*in & 0xffff) == SpvOpAccessChain && i < *in >> 16; i++)
				if (module->code[find(module, in[i]) + 1] == type[1])
					return true;
		}
	}
	return false;
}

static void crash(int sig)
{
	const char *pass = gate_mutation.running;

	(void)sig;
	_exit(pass && (!strcmp(pass, "robust-access") || !strcmp(pass, "flatten")) ? CRASHED_TOOLS :
	      CRASHED);
}

/*
 * Returns true if fewer guards are harmless: robust-access was left out, or the accesses are gone
 * with their guards, and each remaining index is clamped.
 */
static bool needs_fewer(const struct gate_module *whole, const struct gate_module *module,
			const struct gate_mutation *mutation)
{
	return holds_indices(module) &&
	       (mutation->left_out ? !strcmp(mutation->left_out, "robust-access") :
		count_accesses(module) < count_accesses(whole));
}

static enum outcome judge(const struct subject *s, const struct gate_module *whole,
			  const struct gate_mutation *mutation)
{
	struct gate_module module = { 0 };
	char why[256] = "";

	if (!run(s, mutation, &module, why, sizeof(why)))
		return strstr(why, "(pass verify") ? VERIFIED : REFUSED;
	if (mutation->damage)
		return gate_mutation.n_damaged ? MISSED : EQUAL;
	if (mutation->wrong_bounds)
		return gate_mutation.n_wrong ? MISSED : EQUAL;
	if (has_narrow_indices(&module))
		return MISSED;
	if (count_guards(&module) >= count_guards(whole) || needs_fewer(whole, &module, mutation))
		return EQUAL;
	return MISSED;
}

/*
 * Runs the mutant in a child. Returns false if it has fewer guards than the module of the whole
 * gate and was not refused, or if the gate's own code crashes.
 */
static bool try_mutant(const struct subject *s, const struct gate_module *whole,
		       const struct gate_mutation *mutation,
		       struct counts *count)
{
	enum outcome outcome = CRASHED;
	int status = 0;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		signal(SIGSEGV, crash);
		signal(SIGABRT, crash);
		_exit(judge(s, whole, mutation));
	}
	if (pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
	    WEXITSTATUS(status) < N_OUTCOMES)
		outcome = WEXITSTATUS(status);
	count->of[outcome]++;
	return outcome != MISSED && outcome != CRASHED;
}

/*
 * Returns true if an operand of the module has the role. The core form lowers some instructions,
 * but its replacements have the same roles.
 */
static bool has_role(const struct subject *s, char role)
{
	for (size_t at = 5; at < s->cmd.n_dwords; at += s->code[at] >> 16) {
		struct spirv_operands operands;

		gate_operands_begin(&operands, s->code + at);
		for (char letter; (letter = spirv_operands_next(&operands));)
			if (letter == role)
				return true;
	}
	return false;
}

static bool can_be_blind(const char *pass)
{
	for (size_t i = 0; i < sizeof(not_blind) / sizeof(not_blind[0]); i++)
		if (!strcmp(pass, not_blind[i]))
			return false;
	return true;
}

/* Blinds each pass that changes the module; the other passes guard nothing. */
static void try_blind(const struct subject *s, const struct gate_module *whole,
		      const char *const *changes, const char *file)
{
	for (; *changes; changes++) {
		for (size_t i = 0; can_be_blind(*changes) && i < N_ROLES && gate_role('a' + i);
		     i++) {
			const struct gate_mutation mutation = { .blind = *changes,
								.role = 'a' + i };

			if (has_role(s, mutation.role) &&
			    !try_mutant(s, whole, &mutation, &blind[i]))
				printf("# %s passes if %s does not see instructions that %s\n",
				       file, *changes,
				       gate_role('a' + i)->name);
		}
	}
}

/* Tries the module as one of Vulkan, with a layout, and as one of OpenGL. */
static void try_module(struct subject *s, const struct spirv *spirv, const char *file)
{
	const char *changes[GATE_MAX_PASSES + 1];
	struct gate_module module = { 0 };
	char why[256] = "";

	s->cmd = (struct sundog_cmd_create_shader){
		.stage = stage_of(spirv->entries[0].model), .n_dwords = spirv->n_words,
		.push_size = 256,
	};
	if (!s->slots && !make_layout(s, spirv))
		return;
	if (s->slots) {
		s->cmd.n_bindings = 3;
		s->cmd.bindings[0] = (struct sundog_shader_binding){ 0, 1,
								     VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER };
		s->cmd.bindings[1] = (struct sundog_shader_binding){ SUNDOG_BINDING_SSBOS, 16,
								     VK_DESCRIPTOR_TYPE_STORAGE_BUFFER };
		s->cmd.bindings[2] = (struct sundog_shader_binding){
			SUNDOG_BINDING_TEXTURE0, 1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
		};
	}
	if (!run(s, &(struct gate_mutation){ 0 }, &module, why, sizeof(why)))
		return;
	memcpy(changes, gate_mutation.changes, sizeof(changes));
	n_modules++;
	for (size_t i = 0; i < N_PASSES; i++)
		if (!try_mutant(s, &module, &(struct gate_mutation){ .left_out = passes[i] },
				&counts[i]))
			printf("# %s without %s passes\n", file, passes[i]);
	try_blind(s, &module, changes, file);
	if (!try_mutant(s, &module, &(struct gate_mutation){ .wrong_bounds = true }, &wrong_bounds))
		printf("# %s passes with wrong bounds\n", file);
	for (unsigned int i = 0; i < MAX_DAMAGES && gate_damage_name(i); i++)
		if (!try_mutant(s, &module, &(struct gate_mutation){ .damage = i + 1 },
				&damages[i]))
			printf("# %s passes with %s\n", file, gate_damage_name(i));
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
	if (!spirv_init(&spirv, code, words) && spirv.n_entries == 1 &&
	    !strcmp(spirv.entries[0].name, "main")) {
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

/*
 * Prints a line of TAP. @needed: some mutants must have been refused. Returns false if the test
 * fails.
 */
static bool report(const char *how, const char *name, const struct counts *c, bool needed)
{
	const unsigned int *of = c->of;
	const bool ok = !of[MISSED] && !of[CRASHED] && (!needed || of[VERIFIED] + of[REFUSED]);

	printf("%sok %u - %s %s: %u refused by the verifier, %u elsewhere, %u alike, %u crash SPIRV-Tools, %u crash, %u missed\n",
	       ok ? "" : "not ", ++n_tests, how, name, of[VERIFIED], of[REFUSED], of[EQUAL],
	       of[CRASHED_TOOLS], of[CRASHED],
	       of[MISSED]);
	return ok;
}

int main(int argc, char **argv)
{
	bool all = false, each_damage = false, failed = false;

	for (int i = 1; i < argc; i++) {
		all |= !strcmp(argv[i], "--all");
		each_damage |= !strcmp(argv[i], "--damages");
		if (argv[i][0] != '-')
			try_folder(argv[i]);
	}
	printf("%sok %u - %u modules are tried\n", n_modules ? "" : "not ", ++n_tests, n_modules);
	failed |= !n_modules;
	/* No compiler of the corpus writes narrow indices; test-gate has a module with them. */
	for (size_t i = 0; i < N_PASSES; i++)
		failed |= !report("without", passes[i], &counts[i],
				  all && strcmp(passes[i], "widen-indices"));
	for (size_t i = 0; i < N_ROLES && gate_role('a' + i); i++)
		failed |= !report("blind for", gate_role('a' + i)->name, &blind[i], false);
	failed |= !report("with", "wrong bounds", &wrong_bounds, all);
	for (unsigned int i = 0; i < MAX_DAMAGES && gate_damage_name(i); i++)
		failed |= !report("with", gate_damage_name(i), &damages[i], each_damage);
	printf("1..%u\n", n_tests);
	return failed;
}
