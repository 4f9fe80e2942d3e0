// SPDX-License-Identifier: MIT
/* What the shader gate lets through, and what it refuses and why. Prints TAP. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gate.h"
#include "gate-shaders.h"

#define SHADER(name) name, sizeof(name) / 4
#define VERTEX SUNDOG_STAGE_VERTEX
#define FRAGMENT SUNDOG_STAGE_FRAGMENT
#define SAMPLER { SUNDOG_BINDING_TEXTURE0, 1, 1 }

struct test_case {
	const char *name;
	const uint32_t *code;
	uint32_t words;
	const char *refusal;		/* part of the reason; NULL: passes */
	struct sundog_cmd_create_shader cmd;
};

static const struct test_case cases[] = {
	{ "plain vertex shader", SHADER(plain_vert), NULL,
	  { .stage = VERTEX, .n_bindings = 2, .bindings = { { 0, 1, 6 }, { SUNDOG_BINDING_UBOS, 3, 6 } } } },
	{ "plain fragment shader", SHADER(plain_frag), NULL,
	  { .stage = FRAGMENT, .n_bindings = 1, .bindings = { SAMPLER } } },
	{ "push constants as declared", SHADER(push_vert), NULL, { .stage = VERTEX, .push_size = 64 } },
	{ "dynamic index, made robust", SHADER(dynamic_index_frag), NULL, { .stage = FRAGMENT } },
	{ "push constants past the declared size", SHADER(push_vert), "push constants of 64",
	  { .stage = VERTEX, .push_size = 60 } },
	{ "undeclared binding", SHADER(plain_frag), "binding 1 is not declared", { .stage = FRAGMENT } },
	{ "array longer than declared", SHADER(plain_vert), "binding 33",
	  { .stage = VERTEX, .n_bindings = 2, .bindings = { { 0, 1, 6 }, { SUNDOG_BINDING_UBOS, 2, 6 } } } },
	{ "declaration of another type", SHADER(plain_frag), "binding 1 declared as type 6",
	  { .stage = FRAGMENT, .n_bindings = 1, .bindings = { { SUNDOG_BINDING_TEXTURE0, 1, 6 } } } },
	{ "declaration of no elements", SHADER(plain_frag), "binding 1 declared",
	  { .stage = FRAGMENT, .n_bindings = 1, .bindings = { { SUNDOG_BINDING_TEXTURE0, 0, 1 } } } },
	{ "reserved binding", SHADER(plain_frag), "binding 34 is reserved",
	  { .stage = FRAGMENT, .n_bindings = 1, .bindings = { { SUNDOG_BINDING_SSBOS, 1, 7 } } } },
	{ "another stage's set", SHADER(other_set_frag), "descriptor set 0",
	  { .stage = FRAGMENT, .n_bindings = 1, .bindings = { SAMPLER } } },
	{ "another stage's code", SHADER(plain_frag), "entry point", { .stage = VERTEX } },
	{ "reserved stage", SHADER(plain_frag), "stage 5", { .stage = SUNDOG_STAGE_COMPUTE } },
	{ "storage buffer", SHADER(storage_buffer_frag), "", { .stage = FRAGMENT } },
	{ "storage image", SHADER(storage_image_frag), "", { .stage = FRAGMENT } },
	{ "runtime array of descriptors", SHADER(runtime_array_frag), "capability",
	  { .stage = FRAGMENT, .n_bindings = 1, .bindings = { SAMPLER } } },
	{ "variables that would fill the stack", SHADER(large_variable_frag), "bytes of variables",
	  { .stage = FRAGMENT } },
	{ "array whose size wraps around", SHADER(wrapping_array_frag), "bytes of variables",
	  { .stage = FRAGMENT } },
	{ "type of many parts", SHADER(type_tree_frag), "a type of more than 4096 parts", { .stage = FRAGMENT } },
	{ "clip distances", SHADER(clip_distances_vert), NULL, { .stage = VERTEX } },
	{ "interpolateAtSample", SHADER(interpolate_at_sample_frag), "", { .stage = FRAGMENT } },
	{ "function calls", SHADER(function_call_frag), "function calls", { .stage = FRAGMENT } },
	{ "colour output past the last attachment", SHADER(output_location_frag), "location 9",
	  { .stage = FRAGMENT } },
	{ "inputs past the last location", SHADER(input_location_frag), "location 30", { .stage = FRAGMENT } },
	{ "64-bit numbers", SHADER(double_frag), "capability 10", { .stage = FRAGMENT } },
	{ "specialisation constants", SHADER(specialisation_frag), "specialisation", { .stage = FRAGMENT } },
};

static bool run(const struct test_case *t)
{
	struct sundog_cmd_create_shader cmd = t->cmd;
	struct gate_module module;
	char why[256] = "";
	bool passed;

	cmd.n_dwords = t->words;
	passed = gate_shader(&cmd, t->code, &module, why, sizeof(why));
	free(module.code);
	if (passed != !t->refusal || (t->refusal && !strstr(why, t->refusal))) {
		printf("# %s: %s\n", passed ? "passed" : "refused", why);
		return false;
	}
	return true;
}

/* The rewrite adds clamps: a module that indexes must have grown. */
static bool grew(void)
{
	struct sundog_cmd_create_shader cmd = { .stage = FRAGMENT, .n_dwords = sizeof(dynamic_index_frag) / 4 };
	struct gate_module module;
	char why[256];
	bool ok = gate_shader(&cmd, dynamic_index_frag, &module, why, sizeof(why)) && module.words > cmd.n_dwords;

	free(module.code);
	return ok;
}

/* The compiler does not write it: the length of gl_ClipDistance, made longer by hand. */
static bool refuses_clip_distances(void)
{
	uint32_t code[sizeof(clip_distances_vert) / 4];
	struct sundog_cmd_create_shader cmd = { .stage = VERTEX, .n_dwords = sizeof(code) / 4 };
	const uint32_t op_constant = 4 << 16 | 43;
	struct gate_module module;
	char why[256] = "";

	memcpy(code, clip_distances_vert, sizeof(code));
	for (uint32_t i = 5; i + 3 < cmd.n_dwords; i++)
		if (code[i] == op_constant && code[i + 3] == 7)
			code[i + 3] = 4096;
	if (!gate_shader(&cmd, code, &module, why, sizeof(why)) && strstr(why, "built-in arrays"))
		return true;
	free(module.code);
	printf("# %s\n", why);
	return false;
}

/*
 * Nor this: struct 2 is empty, struct 3 has two of it, struct 4 two of that and so on. Walking all of
 * it takes longer than the universe will last.
 */
static bool refuses_empty_structs(void)
{
	enum { DEPTH = 200 };
	const uint32_t op_struct = 30;
	uint32_t code[5 + 4 * DEPTH] = { 0x07230203, 0x00010500, 0, DEPTH + 3, 0 }, *at = code + 5;
	struct sundog_cmd_create_shader cmd = { .stage = FRAGMENT };
	struct gate_module module;
	char why[256] = "";

	*at++ = 2 << 16 | op_struct;
	*at++ = 2;
	for (uint32_t id = 3; id < DEPTH + 2; id++) {
		*at++ = 4 << 16 | op_struct;
		*at++ = id;
		*at++ = id - 1;
		*at++ = id - 1;
	}
	cmd.n_dwords = at - code;
	if (!gate_shader(&cmd, code, &module, why, sizeof(why)) && strstr(why, "parts"))
		return true;
	free(module.code);
	printf("# %s\n", why);
	return false;
}

/* No damage of a word may crash the gate, whatever it answers. */
static bool survives_damage(void)
{
	uint32_t code[sizeof(plain_vert) / 4];
	struct sundog_cmd_create_shader cmd = cases[0].cmd;
	static const uint32_t damage[] = { 0, 1, 0xffff, 0xffff0000, UINT32_MAX };
	struct gate_module module;
	char why[256];

	cmd.n_dwords = sizeof(plain_vert) / 4;
	for (uint32_t i = 0; i < cmd.n_dwords; i++) {
		for (uint32_t d = 0; d < sizeof(damage) / sizeof(damage[0]); d++) {
			memcpy(code, plain_vert, sizeof(code));
			code[i] = damage[d];
			if (gate_shader(&cmd, code, &module, why, sizeof(why)))
				free(module.code);
		}
	}
	return true;
}

int main(void)
{
	const int n = sizeof(cases) / sizeof(cases[0]);

	printf("1..%d\n", n + 4);
	for (int i = 0; i < n; i++)
		printf("%sok %d - %s\n", run(&cases[i]) ? "" : "not ", i + 1, cases[i].name);
	printf("%sok %d - robust access rewrites dynamic indices\n", grew() ? "" : "not ", n + 1);
	printf("%sok %d - damaged modules do not crash\n", survives_damage() ? "" : "not ", n + 2);
	printf("%sok %d - more clip distances than there are\n", refuses_clip_distances() ? "" : "not ", n + 3);
	printf("%sok %d - a tree of empty structs\n", refuses_empty_structs() ? "" : "not ", n + 4);
	return 0;
}
