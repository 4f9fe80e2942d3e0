// SPDX-License-Identifier: MIT
/*
 * Tests which Function variables of a shader share their memory (share_variables.c), what the
 * shared variables begin with, and that calls do not multiply the limits of the gate. Prints TAP.
 *
 * tests/vk/vk-variables.c compares the values that such shaders compute.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Each file that includes the header gets its own copy of this constant, as in gate.c. */
#define kDefaultMaxIdBound test_max_id_bound
#include <spirv-tools/libspirv.h>
#include <spirv/unified1/spirv.h>
#include <vulkan/vulkan.h>

#include "gate/gate.h"
#include "gate-caps.h"
#include "gate-variables.h"
#include "spirv/reader.h"

#define MAX_TEXT 16384

static unsigned int tests;
static bool failed;

static void result(bool ok, const char *title)
{
	printf("%sok %u - %s\n", ok ? "" : "not ", ++tests, title);
	failed |= !ok;
}

/* The gate */

static bool gate(const uint32_t *code, uint32_t words, struct gate_module *module)
{
	const struct sundog_cmd_create_shader cmd = {
		.stage = SUNDOG_STAGE_COMPUTE, .n_dwords = words, .n_bindings = 1,
		.bindings = { { SUNDOG_BINDING_SSBOS, 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER } },
	};
	char why[256] = "";
	const bool ok = gate_shader(&cmd, code, &gate_caps, module, why, sizeof(why));

	if (!ok)
		printf("# %s\n", why);
	return ok;
}

static const uint32_t *find(const struct gate_module *module, uint32_t id)
{
	static const uint32_t nothing[8];

	for (size_t at = 5; at < module->words; at += spirv_words(module->code + at)) {
		const uint32_t *in = module->code + at;
		const uint32_t op = spirv_op(in);

		if (op >= SpvOpTypeVoid && op <= SpvOpTypeForwardPointer ? in[1] == id :
		    ((op >= SpvOpConstantTrue && op <= SpvOpConstantNull) ||
		     op == SpvOpVariable) && in[2] == id)
			return in;
	}
	return nothing;
}

/* The variables of arrays and structs, and the constants that are stored to all of one. */
struct counts {
	uint32_t variables, tables;	/* with or without an initializer that is not zero */
	uint32_t zeros, constants;	/* stores */
};

static struct counts count(const struct gate_module *module)
{
	struct counts n = { 0 };

	for (size_t at = 5; at < module->words; at += spirv_words(module->code + at)) {
		const uint32_t *in = module->code + at, *variable = in;
		uint32_t type;

		if (spirv_op(in) == SpvOpStore)
			variable = find(module, in[1]);
		if (spirv_op(variable) != SpvOpVariable || variable[3] != SpvStorageClassFunction)
			continue;
		type = spirv_op(find(module, find(module, variable[1])[3]));
		if (type != SpvOpTypeArray && type != SpvOpTypeStruct)
			continue;
		if (spirv_op(in) == SpvOpStore) {
			n.zeros += spirv_op(find(module, in[2])) == SpvOpConstantNull;
			n.constants += spirv_op(find(module, in[2])) == SpvOpConstantComposite;
			continue;
		}
		n.variables++;
		n.tables += spirv_words(in) > 4 &&
			    spirv_op(find(module, in[4])) == SpvOpConstantComposite;
	}
	return n;
}

/* Modules from text */

static const char head[] =
	"OpCapability Shader\n"
	"OpMemoryModel Logical GLSL450\n"
	"OpEntryPoint GLCompute %main \"main\" %id\n"
	"OpExecutionMode %main LocalSize 1 1 1\n"
	"OpDecorate %id BuiltIn LocalInvocationIndex\n"
	"OpDecorate %numbers ArrayStride 4\n"
	"OpDecorate %block Block\n"
	"OpMemberDecorate %block 0 Offset 0\n"
	"OpDecorate %buffer DescriptorSet 5\n"
	"OpDecorate %buffer Binding 34\n"
	"%void = OpTypeVoid\n"
	"%procedure = OpTypeFunction %void\n"
	"%bool = OpTypeBool\n"
	"%uint = OpTypeInt 32 0\n"
	"%n0 = OpConstant %uint 0\n"
	"%n1 = OpConstant %uint 1\n"
	"%n4 = OpConstant %uint 4\n"
	"%n65 = OpConstant %uint 65\n"
	"%numbers = OpTypeRuntimeArray %uint\n"
	"%block = OpTypeStruct %numbers\n"
	"%buffers = OpTypePointer StorageBuffer %block\n"
	"%buffer = OpVariable %buffers StorageBuffer\n"
	"%results = OpTypePointer StorageBuffer %uint\n"
	"%inputs = OpTypePointer Input %uint\n"
	"%id = OpVariable %inputs Input\n"
	"%four = OpTypeArray %uint %n4\n"
	"%long = OpTypeArray %uint %n65\n"
	"%fours = OpTypePointer Function %four\n"
	"%n2100 = OpConstant %uint 2100\n"
	"%n8200 = OpConstant %uint 8200\n"
	"%broad = OpTypeArray %uint %n2100\n"
	"%broads = OpTypePointer Function %broad\n"
	"%ballast = OpTypeArray %uint %n8200\n"
	"%ballasts = OpTypePointer Function %ballast\n"
	"%longs = OpTypePointer Function %long\n"
	"%element = OpTypePointer Function %uint\n"
	"%table = OpConstantComposite %four %n4 %n1 %n0 %n1\n"
	"%other = OpConstantComposite %four %n0 %n0 %n1 %n4\n"
	"%of_number = OpTypeFunction %uint %uint\n"
	"%of_array = OpTypeFunction %uint %broads\n"
	"%of_arrays = OpTypeFunction %uint %broads %broads\n"
	"%of_four = OpTypeFunction %uint %fours\n";
/*
 * Of main(): %i is a number that is no constant; the code between leaves a number in %sum.
 * Variables share nothing before they take 32 KiB, so there is one of that size.
 */
static const char begin[] =
	"%main = OpFunction %void None %procedure\n%label = OpLabel\n"
	"%s = OpVariable %ballasts Function\n";
static const char load_id[] =
	"%i = OpLoad %uint %id\n%ps = OpAccessChain %element %s %i\nOpStore %ps %i\n";
static const char end[] =
	"%to = OpAccessChain %results %buffer %n0 %n0\nOpStore %to %sum\nOpReturn\nOpFunctionEnd\n";
static const char three_calls[] =
	"%c1 = OpFunctionCall %uint %f %i\n%c2 = OpFunctionCall %uint %f %c1\n"
	"%sum = OpFunctionCall %uint %f %c2\n";
static const char both_calls[] =
	"%c1 = OpFunctionCall %uint %f %i\n%sum = OpFunctionCall %uint %g %c1\n";

/* Function @name has variable %v@name, and returns its element %i@name. */
#define FUNCTION(name, type, initializer, code) \
	"%" name " = OpFunction %uint None %of_number\n%i" name " = OpFunctionParameter %uint\n" \
	"%l" name " = OpLabel\n%v" name " = OpVariable %" type " Function" initializer "\n" code \
	"%e" name " = OpAccessChain %element %v" name " %i" name "\n%r" name \
	" = OpLoad %uint %e" name "\nOpReturnValue %r" name "\nOpFunctionEnd\n"
#define STORE(variable, value) "OpStore %" variable " %" value "\n"
#define STORE_PART(name) \
	"%p" name " = OpAccessChain %element %v" name " %n1\nOpStore %p" name " %i" name "\n"
#define BROAD(name) "%" name " = OpVariable %broads Function\n"
#define WRITE_T "%pt = OpAccessChain %element %t %n1\nOpStore %pt %i\n"
/* Reads its argument; writes its second one. */
#define READER \
	"%h = OpFunction %uint None %of_array\n%ah = OpFunctionParameter %broads\n%lh = OpLabel\n" \
	"%eh = OpAccessChain %element %ah %n1\n%rh = OpLoad %uint %eh\nOpReturnValue %rh\n" \
	"OpFunctionEnd\n"
#define WRITER \
	"%w = OpFunction %uint None %of_arrays\n%aw = OpFunctionParameter %broads\n" \
	"%bw = OpFunctionParameter %broads\n%lw = OpLabel\n" \
	"%ew = OpAccessChain %element %aw %n1\n%fw = OpAccessChain %element %bw %n1\n" \
	"%rw = OpLoad %uint %ew\nOpStore %fw %rw\nOpReturnValue %rw\nOpFunctionEnd\n"

#define FOUR_WRITER \
	"%u = OpFunction %uint None %of_four\n%au = OpFunctionParameter %fours\n%lu = OpLabel\n" \
	"%eu = OpAccessChain %element %au %n1\nOpStore %eu %n4\nOpReturnValue %n4\n" \
	"OpFunctionEnd\n"

static const struct {
	const char *title;
	const char *functions, *variables, *code;
	struct counts want;
} cases[] = {
	{ "all calls of a function read one variable of its constant",
	  FUNCTION("f", "fours", "", STORE("vf", "table")), "", three_calls, { 1, 1, 0, 0 } },
	{ "an initializer is such a constant",
	  FUNCTION("f", "fours", " %table", ""), "", three_calls, { 1, 1, 0, 0 } },
	{ "an initializer and stores of the same constant are one constant",
	  FUNCTION("f", "fours", " %table", STORE("vf", "table") STORE("vf", "table")), "",
	  three_calls, { 1, 1, 0, 0 } },
	{ "functions with the same constant read one variable",
	  FUNCTION("f", "fours", "", STORE("vf", "table"))
	  FUNCTION("g", "fours", "", STORE("vg", "table")), "", both_calls, { 1, 1, 0, 0 } },
	{ "two constants are two variables",
	  FUNCTION("f", "fours", "", STORE("vf", "table"))
	  FUNCTION("g", "fours", "", STORE("vg", "other")), "", both_calls, { 2, 2, 0, 0 } },
	{ "a variable of which a part is stored is no constant",
	  FUNCTION("f", "fours", "", STORE("vf", "table") STORE_PART("f")), "", three_calls,
	  { 1, 0, 0, 3 } },
	{ "an initializer that is never read is no second value",
	  FUNCTION("f", "fours", " %other", STORE("vf", "table")), "", three_calls,
	  { 1, 1, 0, 0 } },
	{ "a variable with two values is no constant",
	  FUNCTION("f", "fours", "", STORE("vf", "table")
		   "%of = OpAccessChain %element %vf %n1\n%xf = OpLoad %uint %of\n"
		   STORE("vf", "other")), "", three_calls, { 1, 0, 0, 6 } },
	{ "a variable that a called function writes is no constant",
	  FOUR_WRITER FUNCTION("f", "fours", "", STORE("vf", "table")
			       "%cf = OpFunctionCall %uint %u %vf\n"), "", three_calls,
	  { 1, 0, 0, 3 } },
	{ "a volatile store is no constant",
	  FUNCTION("f", "fours", "", "OpStore %vf %table Volatile\n"), "", three_calls,
	  { 1, 0, 3, 3 } },
	{ "a shared variable begins each call with its initializer",
	  FUNCTION("f", "fours", " %table", STORE_PART("f")), "", three_calls, { 1, 0, 0, 3 } },
	{ "a shared variable without an initializer begins each call with zeros",
	  FUNCTION("f", "fours", "", STORE_PART("f")), "", three_calls, { 1, 0, 3, 0 } },
	{ "a large shared variable gets no zeros, like one of its own",
	  FUNCTION("f", "longs", "", STORE_PART("f")), "", three_calls, { 1, 0, 0, 0 } },
	{ "functions that do not call each other share a variable",
	  FUNCTION("f", "fours", "", STORE_PART("f")) FUNCTION("g", "fours", "", STORE_PART("g")),
	  "", both_calls, { 1, 0, 2, 0 } },
	{ "a function and the one that it calls have two variables",
	  FUNCTION("g", "fours", "", STORE_PART("g"))
	  FUNCTION("f", "fours", "", "%cf = OpFunctionCall %uint %g %if\n"
		   "%pf = OpAccessChain %element %vf %n1\nOpStore %pf %cf\n"), "",
	  three_calls, { 2, 0, 6, 0 } },
	{ "arguments of calls after each other share a variable",
	  READER, BROAD("t") BROAD("a") BROAD("b"),
	  WRITE_T "%x = OpLoad %broad %t\nOpStore %a %x\n%c1 = OpFunctionCall %uint %h %a\n"
	  "%y = OpLoad %broad %t\nOpStore %b %y\n%sum = OpFunctionCall %uint %h %b\n",
	  { 2, 0, 0, 0 } },
	{ "a copy of all of another variable begins a variable, too",
	  READER, BROAD("t") BROAD("a") BROAD("b"),
	  WRITE_T "OpCopyMemory %a %t\n%c1 = OpFunctionCall %uint %h %a\nOpCopyMemory %b %t\n"
	  "%sum = OpFunctionCall %uint %h %b\n", { 2, 0, 0, 0 } },
	{ "a variable that is copied to another one is not that one",
	  READER, BROAD("t") BROAD("a") BROAD("b") BROAD("c"),
	  WRITE_T "%x = OpLoad %broad %t\nOpStore %a %x\nOpCopyMemory %b %a\n"
	  "%c1 = OpFunctionCall %uint %h %b\nOpStore %c %x\n"
	  "%sum = OpFunctionCall %uint %h %c\n", { 3, 0, 0, 0 } },
	{ "arguments of one call have two variables",
	  READER WRITER, BROAD("t") BROAD("a") BROAD("b") BROAD("c"),
	  WRITE_T "%x = OpLoad %broad %t\nOpStore %a %x\nOpStore %b %x\n"
	  "%c1 = OpFunctionCall %uint %w %a %b\nOpStore %c %x\n"
	  "%sum = OpFunctionCall %uint %h %c\n", { 3, 0, 0, 0 } },
	{ "a variable that a block reads first keeps its value of the block before",
	  READER, BROAD("a") BROAD("b") BROAD("c"),
	  "OpBranch %loop\n%loop = OpLabel\n%k = OpPhi %uint %i %label %more %loop\n"
	  "%pa = OpAccessChain %element %a %n1\n%la = OpLoad %uint %pa\n"
	  "%more = OpIAdd %uint %la %k\nOpStore %pa %more\n%x = OpLoad %broad %a\n"
	  "OpStore %b %x\n%c1 = OpFunctionCall %uint %h %b\nOpStore %c %x\n"
	  "%c2 = OpFunctionCall %uint %h %c\n%less = OpULessThan %bool %c1 %c2\n"
	  "OpLoopMerge %after %loop None\nOpBranchConditional %less %loop %after\n"
	  "%after = OpLabel\n%sum = OpIAdd %uint %c1 %more\n", { 2, 0, 0, 0 } },
	{ "a variable of two blocks keeps its value between them",
	  READER, BROAD("t") BROAD("a") BROAD("b") BROAD("c"),
	  WRITE_T "%x = OpLoad %broad %t\nOpStore %a %x\nOpBranch %next\n"
	  "%next = OpLabel\nOpStore %b %x\n%c1 = OpFunctionCall %uint %h %b\nOpStore %c %x\n"
	  "%c2 = OpFunctionCall %uint %h %c\nOpBranch %after\n%after = OpLabel\n"
	  "%c3 = OpFunctionCall %uint %h %a\n%c4 = OpIAdd %uint %c1 %c2\n"
	  "%sum = OpIAdd %uint %c3 %c4\n", { 3, 0, 0, 0 } },
	{ "a variable without a use is gone",
	  FUNCTION("f", "fours", "\n%unused = OpVariable %fours Function",
		   STORE("vf", "table")), "", three_calls, { 1, 1, 0, 0 } },
};

/* Returns the assembled text, or NULL if it is invalid. */
static spv_binary assemble(const char *text)
{
	spv_context context = spvContextCreate(SPV_ENV_VULKAN_1_1);
	spv_diagnostic diagnostic = NULL;
	spv_binary binary = NULL;

	spvTextToBinary(context, text, strlen(text), &binary, &diagnostic);
	if (diagnostic)
		printf("# %s\n", diagnostic->error);
	spvDiagnosticDestroy(diagnostic);
	spvContextDestroy(context);
	return binary;
}

static void test_case(size_t k)
{
	const struct counts *want = &cases[k].want;
	struct gate_module module = { 0 };
	static char text[MAX_TEXT];
	struct counts n = { 0 };
	spv_binary binary;
	bool ok;

	snprintf(text, sizeof(text), "%s%s%s%s%s%s%s", head, cases[k].functions, begin,
		 cases[k].variables, load_id, cases[k].code, end);
	binary = assemble(text);
	ok = binary && gate(binary->code, binary->wordCount, &module);
	if (ok)
		n = count(&module);
	n.variables -= ok;		/* ballast */
	ok = ok && !memcmp(&n, want, sizeof(n));
	if (!ok)
		printf("# %u variables, %u tables, %u stores of zeros, %u of constants; not %u, "
		       "%u, %u, %u\n", n.variables, n.tables, n.zeros, n.constants,
		       want->variables, want->tables, want->zeros, want->constants);
	result(ok, cases[k].title);
	free(module.code);
	spvBinaryDestroy(binary);
}

/* Modules of compilers */

static void test_compiled(const char *title, const uint32_t *code, size_t size, uint32_t most)
{
	struct gate_module module = { 0 };
	struct counts n = { 0 };
	const bool ok = gate(code, size / 4, &module);

	if (ok)
		n = count(&module);
	printf("# %u variables, %u tables\n", n.variables, n.tables);
	result(ok && n.variables <= most, title);
	free(module.code);
}

/* A damaged word must not crash the gate. */
static void test_damage(const uint32_t *code, size_t size)
{
	static const uint32_t damage[] = { 0, 1, 0xffff, 0xffff0000, UINT32_MAX };
	const uint32_t kinds = sizeof(damage) / sizeof(damage[0]), words = size / 4;
	struct sundog_cmd_create_shader cmd = {
		.stage = SUNDOG_STAGE_COMPUTE, .n_dwords = words, .n_bindings = 1,
		.bindings = { { SUNDOG_BINDING_SSBOS, 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER } },
	};
	uint32_t *copy = malloc(size);
	struct gate_module module;
	char why[256];

	for (uint32_t i = 0; copy && i < words; i++) {
		memcpy(copy, code, size);
		copy[i] = damage[i % kinds];
		gate_shader(&cmd, copy, &gate_caps, &module, why, sizeof(why));
		free(module.code);
	}
	result(copy, "damaged modules with shared variables do not crash");
	free(copy);
}

#define CODE(words) words, sizeof(words)

int main(void)
{
	for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++)
		test_case(k);
	test_compiled("33 calls read one table of 512 constants", CODE(table_512_33), 1);
	test_compiled("300 calls read one table of 4096 constants", CODE(table_4096_300), 1);
	test_compiled("33 calls with a struct of 512 numbers take turns with 4 variables",
		      CODE(struct_512_33), 5);
	test_compiled("300 calls with a struct of 512 numbers take turns with 4 variables",
		      CODE(struct_512_300), 5);
	test_compiled("300 calls that return a struct of 64 numbers take turns with 32 variables",
		      CODE(answer_64_300), 66);
	test_compiled("100 calls of two functions with an array have two variables",
		      CODE(nest_512_100), 2);
	test_damage(CODE(nest_4_3));
	printf("1..%u\n", tests);
	return failed;
}
