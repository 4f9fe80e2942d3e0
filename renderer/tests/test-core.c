// SPDX-License-Identifier: MIT
/*
 * Tests the core form of shaders (core_form.c) and its verifier: each instruction that reads or
 * writes through a pointer, in each storage class, is lowered or refused, and its writes are known.
 * Prints TAP.
 *
 * usage: test-core FOLDER, with assembled modules
 */
#include <stdbool.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Each file that includes the header gets its own copy of this constant, as in gate.c. */
#define kDefaultMaxIdBound test_max_id_bound
#include <spirv-tools/libspirv.h>
#include <spirv/unified1/GLSL.std.450.h>
#include <spirv/unified1/spirv.h>
#include <vulkan/vulkan.h>

#include "gate/gate.h"
#include "gate-caps.h"
#include "gate-load.h"
#include "spirv/reader.h"

#define MAX_TEXT 8192

static unsigned int tests;
static bool failed;

static void __attribute__((format(printf, 2, 3))) result(bool ok, const char *format, ...)
{
	va_list args;

	printf("%sok %u - ", ok ? "" : "not ", ++tests);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
	failed |= !ok;
}

/* Modules from text */

/*
 * A compute shader with a float or an int at a pointer %p of each storage class. The tested code
 * goes between head and tail.
 */
static const char head[] =
	"OpCapability Shader\n"
	"OpCapability VariablePointers\n"
	"OpExtension \"SPV_KHR_variable_pointers\"\n"
	"%set = OpExtInstImport \"GLSL.std.450\"\n"
	"OpMemoryModel Logical GLSL450\n"
	"OpEntryPoint GLCompute %main \"main\" %id\n"
	"OpExecutionMode %main LocalSize 1 1 1\n"
	"OpDecorate %id BuiltIn GlobalInvocationId\n"
	"OpDecorate %block Block\n"
	"OpMemberDecorate %block 0 Offset 0\n"
	"OpMemberDecorate %block 1 Offset 4\n"
	"OpDecorate %buffer DescriptorSet 5\n"
	"OpDecorate %buffer Binding 34\n"
	"OpDecorate %uniform DescriptorSet 5\n"
	"OpDecorate %uniform Binding 0\n"
	"%void = OpTypeVoid\n"
	"%procedure = OpTypeFunction %void\n"
	"%float = OpTypeFloat 32\n"
	"%int = OpTypeInt 32 1\n"
	"%uint = OpTypeInt 32 0\n"
	"%uvec3 = OpTypeVector %uint 3\n"
	"%zero = OpConstant %int 0\n"
	"%one = OpConstant %int 1\n"
	"%number = OpConstant %float 41.5\n"
	"%block = OpTypeStruct %float %int\n"
	"%id_pointer = OpTypePointer Input %uvec3\n"
	"%id = OpVariable %id_pointer Input\n"
	"%own_block = OpTypeStruct %float %int\n"
	"%buffers = OpTypePointer StorageBuffer %block\n"
	"%buffer = OpVariable %buffers StorageBuffer\n"
	"%uniforms = OpTypePointer Uniform %block\n"
	"%uniform = OpVariable %uniforms Uniform\n"
	"%pushes = OpTypePointer PushConstant %block\n"
	"%push = OpVariable %pushes PushConstant\n"
	"%shareds = OpTypePointer Workgroup %own_block\n"
	"%shared = OpVariable %shareds Workgroup\n"
	"%privates = OpTypePointer Private %own_block\n"
	"%private = OpVariable %privates Private\n"
	"%locals = OpTypePointer Function %own_block\n"
	"%buffer_float = OpTypePointer StorageBuffer %float\n"
	"%buffer_int = OpTypePointer StorageBuffer %int\n"
	"%uniform_float = OpTypePointer Uniform %float\n"
	"%uniform_int = OpTypePointer Uniform %int\n"
	"%push_float = OpTypePointer PushConstant %float\n"
	"%push_int = OpTypePointer PushConstant %int\n"
	"%shared_float = OpTypePointer Workgroup %float\n"
	"%shared_int = OpTypePointer Workgroup %int\n"
	"%private_float = OpTypePointer Private %float\n"
	"%private_int = OpTypePointer Private %int\n"
	"%local_float = OpTypePointer Function %float\n"
	"%local_int = OpTypePointer Function %int\n"
	"%input_int = OpTypePointer Input %uint\n"
	"%main = OpFunction %void None %procedure\n"
	"%label = OpLabel\n"
	"%local = OpVariable %locals Function\n";
static const char tail[] = "OpReturn\nOpFunctionEnd\n";

/* Assembles @text. Returns the module, or NULL if it is invalid. */
static uint32_t *assemble(const char *text, uint32_t *words)
{
	spv_context context = spvContextCreate(SPV_ENV_VULKAN_1_1);
	spv_diagnostic diagnostic = NULL;
	spv_binary binary = NULL;
	uint32_t *code = NULL;

	*words = 0;
	if (spvTextToBinary(context, text, strlen(text), &binary, &diagnostic) == SPV_SUCCESS) {
		code = malloc(binary->wordCount * sizeof(*code));
		if (code) {
			memcpy(code, binary->code, binary->wordCount * sizeof(*code));
			*words = binary->wordCount;
		}
	} else if (diagnostic) {
		printf("# %s\n", diagnostic->error);
	}
	spvDiagnosticDestroy(diagnostic);
	spvBinaryDestroy(binary);
	spvContextDestroy(context);
	return code;
}

/* Runs the gate. @sets: with a layout of four storage buffers. */
static bool gate(uint32_t stage, bool sets, const uint32_t *code, uint32_t words,
		 struct gate_module *module, char *why,
		 size_t size)
{
	const struct sundog_cmd_create_shader cmd = {
		.stage = stage, .n_dwords = words, .push_size = 256, .n_bindings = 2,
		.bindings = { { 0, 1, 6 }, { SUNDOG_BINDING_SSBOS, 1, 7 } },
	};
	static const struct sundog_set_binding buffers = { 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
							   4 };
	static const struct gate_layout layout = { 1, { { 1, &buffers } }, 0 };
	struct sundog_cmd_create_shader plain = cmd;

	if (sets)
		plain.n_bindings = 0;
	return gate_layout_shader(&plain, code, &gate_caps, sets ? &layout : NULL, module, why,
				  size);
}

/* Checks of results */

static uint32_t count(const struct gate_module *module, uint32_t op)
{
	uint32_t n = 0;

	for (size_t at = 5; at < module->words; at += module->code[at] >> 16)
		n += (module->code[at] & 0xffff) == op;
	return n;
}

static uint32_t count_extended(const struct gate_module *module, uint32_t number)
{
	uint32_t n = 0;

	for (size_t at = 5; at < module->words; at += module->code[at] >> 16)
		n += (module->code[at] & 0xffff) == SpvOpExtInst && module->code[at + 4] == number;
	return n;
}

static uint32_t count_decorations(const struct gate_module *module, uint32_t decoration)
{
	uint32_t n = 0;

	for (size_t at = 5; at < module->words; at += module->code[at] >> 16)
		n += (module->code[at] & 0xffff) == SpvOpDecorate &&
		     module->code[at + 2] == decoration;
	return n;
}

/* Returns true if the base of an access chain is another access chain. */
static bool has_nested_chains(const struct gate_module *module)
{
	for (size_t at = 5; at < module->words; at += module->code[at] >> 16)
		for (size_t k = 5; k < at && (module->code[at] & 0xffff) == SpvOpAccessChain;
		     k += module->code[k] >> 16)
			if ((module->code[k] & 0xffff) == SpvOpAccessChain &&
			    module->code[k + 2] == module->code[at + 3])
				return true;
	return false;
}

static bool is_core(const struct gate_module *module)
{
	return !count_extended(module, GLSLstd450Modf) &&
	       !count_extended(module, GLSLstd450Frexp) &&
	       !count(module, SpvOpCopyMemory) && !count(module, SpvOpInBoundsAccessChain) &&
	       !has_nested_chains(module);
}

/* Instructions and storage classes */

static const struct storage {
	const char *name;		/* part of the names of the variable and its pointers */
	bool writable;
} storages[] = {
	{ "buffer", true }, { "shared", true }, { "private", true }, { "local", true },
	{ "uniform", false }, { "push", false },
};

/*
 * %s is the name of the storage. The pointer is an access chain or comes from another instruction.
 */
static const struct {
	const char *name, *text;
} writes[] = {
	{ "OpStore", "%%p = OpAccessChain %%%s_float %%%s %%zero\nOpStore %%p %%number\n" },
	{ "Modf",
	  "%%p = OpAccessChain %%%s_float %%%s %%zero\n%%r = OpExtInst %%float %%set Modf %%number %%p\n" },
	{ "Frexp",
	  "%%p = OpAccessChain %%%s_int %%%s %%one\n%%r = OpExtInst %%float %%set Frexp %%number %%p\n" },
	{ "OpCopyMemory", "%%p = OpAccessChain %%%s_float %%%s %%zero\n"
			  "%%q = OpAccessChain %%uniform_float %%uniform %%zero\nOpCopyMemory %%p %%q\n" },
	{ "Modf through a copy",
	  "%%p = OpInBoundsAccessChain %%%s_float %%%s %%zero\n%%c = OpCopyObject %%%s_float %%p\n"
				 "%%r = OpExtInst %%float %%set Modf %%number %%c\n" },
	{ "Modf through a chain of a chain",
	  "%%p = OpAccessChain %%%s_float %%%s %%zero\n%%c = OpAccessChain %%%s_float %%p\n"
					     "%%r = OpExtInst %%float %%set Modf %%number %%c\n" },
};

static void test_write(size_t write, const struct storage *storage)
{
	char text[MAX_TEXT], code[1024], why[256] = "";
	struct gate_module module;
	uint32_t words, *binary;
	bool passed, ok;

	snprintf(code, sizeof(code), writes[write].text, storage->name, storage->name,
		 storage->name);
	snprintf(text, sizeof(text), "%s%s%s", head, code, tail);
	binary = assemble(text, &words);
	passed = binary && gate(SUNDOG_STAGE_COMPUTE, false, binary, words, &module, why,
				sizeof(why));
	ok = passed == storage->writable;
	if (passed) {
		ok = ok && is_core(&module) && count(&module, SpvOpStore) == 1 &&
		     module.ssbo_writes == !strcmp(storage->name, "buffer");
		free(module.code);
	} else {
		ok = ok && binary;
	}
	if (!ok)
		printf("# %s\n", passed ? "it passes" : why);
	free(binary);
	result(ok, passed ? "%s writes %s" : "%s does not write %s", writes[write].name,
	       storage->name);
}

/* Modules of attacks */

static const struct attack {
	const char *file, *name;
	uint32_t stage;
	const char *refusal;		/* NULL: passes the gate */
	/* then: at least this number (0: any) of this extended instruction */
	uint32_t least[2];
	bool writes, sets;
} attacks[] = {
	{ "modf-push", "a part of a number to push constants", SUNDOG_STAGE_COMPUTE, "OpStore",
	  { 0 }, false, false },
	{ "modf-uniform", "a part of a number to a uniform block", SUNDOG_STAGE_COMPUTE, "OpStore",
	  { 0 }, false, false },
	{ "modf-task", "a part of a number to push constants of a task shader", SUNDOG_STAGE_TASK,
	  "OpStore", { 0 }, false, true },
	{ "frexp-indices", "exponents as indices of primitives", SUNDOG_STAGE_MESH, NULL,
	  { 1, GLSLstd450UMin }, false, true },
	{ "modf-buffer", "a part of a number to a storage buffer", SUNDOG_STAGE_COMPUTE, NULL,
	  { 1, GLSLstd450ModfStruct }, true, false },
	{ "chain-of-chain", "a chain of a chain into a built-in array", SUNDOG_STAGE_TESS_CTRL,
	  NULL, { 0 }, false, false },
	{ "choose-task", "a block that ends in tasks, where pointers may be values",
	  SUNDOG_STAGE_TASK, NULL, { 0 }, false, true },
	{ "varying-chain", "chains of one that differs", SUNDOG_STAGE_COMPUTE, NULL, { 0 }, true,
	  true },
	{ "line-before-types", "a line before the types", SUNDOG_STAGE_COMPUTE, NULL, { 0 }, true,
	  true },
};

static void test_attack(const char *folder, const struct attack *a)
{
	uint32_t code[MAX_ASSEMBLED];
	const uint32_t words = gate_load(folder, a->file, code);
	struct gate_module module = { 0 };
	char why[256] = "no file";
	const bool passed = words && gate(a->stage, a->sets, code, words, &module, why,
					  sizeof(why));
	bool ok = words && passed == !a->refusal && (passed || strstr(why, a->refusal));

	if (passed)
		ok = ok && is_core(&module) &&
		     count_extended(&module, a->least[1]) >= a->least[0] &&
		     module.ssbo_writes == a->writes;
	if (passed && a->stage == SUNDOG_STAGE_TESS_CTRL)
		ok = ok && count(&module, SpvOpSelect) >= 3;
	/* The chain, its two uses and its index. */
	if (passed && !strcmp(a->file, "varying-chain"))
		ok = ok && count_decorations(&module, SpvDecorationNonUniform) == 4;
	if (!ok)
		printf("# %s\n", passed ? "it passes" : why);
	free(module.code);
	free(module.descriptors);
	result(ok, "%s%s", a->name, passed ? "" : ": refused");
}

/*
 * Assembles @text and runs the gate. The caller frees the module. Returns false with the reason if
 * it is refused.
 */
static bool gate_text(uint32_t stage, const char *text, struct gate_module *module, char *why,
		      size_t size)
{
	uint32_t words, *code = assemble(text, &words);
	const bool passed = code && gate(stage, false, code, words, module, why, size);

	free(code);
	return passed;
}

/*
 * LLVM may replace an undefined value with another one at each use, so the gate must remove all
 * OpUndef.
 */
static void test_undefined(void)
{
	static const char text[] =
		"OpCapability Shader\n%set = OpExtInstImport \"GLSL.std.450\"\n"
		"OpMemoryModel Logical GLSL450\n"
		"OpEntryPoint GLCompute %main \"main\"\nOpExecutionMode %main LocalSize 1 1 1\n"
		"OpDecorate %block Block\nOpMemberDecorate %block 0 Offset 0\n"
		"OpDecorate %list ArrayStride 4\n"
		"OpDecorate %buffer DescriptorSet 5\nOpDecorate %buffer Binding 34\n"
		"%void = OpTypeVoid\n%procedure = OpTypeFunction %void\n%uint = OpTypeInt 32 0\n"
		"%four = OpConstant %uint 4\n"
		"%zero = OpConstant %uint 0\n%three = OpConstant %uint 3\n"
		"%list = OpTypeArray %uint %four\n"
		"%block = OpTypeStruct %list\n%blocks = OpTypePointer StorageBuffer %block\n"
		"%buffer = OpVariable %blocks StorageBuffer\n"
		"%pointer = OpTypePointer StorageBuffer %uint\n%outer = OpUndef %uint\n"
		"%main = OpFunction %void None %procedure\n%label = OpLabel\n"
		"%inner = OpUndef %uint\n%all = OpUndef %list\n"
		"%a = OpExtInst %uint %set UMin %outer %three\n%b = OpIAdd %uint %a %inner\n"
		"%c = OpCompositeExtract %uint %all 1\n%d = OpIAdd %uint %b %c\n"
		"%p = OpAccessChain %pointer %buffer %zero %a\nOpStore %p %d\n"
		"%q = OpAccessChain %pointer %buffer %zero %d\n"
		"OpStore %q %a\nOpReturn\nOpFunctionEnd\n";
	char why[256] = "";
	struct gate_module module = { 0 };
	bool ok = gate_text(SUNDOG_STAGE_COMPUTE, text, &module, why, sizeof(why)) &&
		  !count(&module, SpvOpUndef) &&
		  count(&module, SpvOpConstantNull) >= 3;

	if (!ok)
		printf("# %s\n", why);
	free(module.code);
	free(module.descriptors);
	result(ok, "undefined values");
}

/* Returns the number of variables of an invocation that have no initializer. */
static unsigned int count_uninitialized(const struct gate_module *module)
{
	unsigned int n = 0;

	for (size_t at = 5; at < module->words; at += spirv_words(module->code + at)) {
		const uint32_t *in = module->code + at;

		n += spirv_op(in) == SpvOpVariable && spirv_words(in) == 4 &&
		     (in[3] == SpvStorageClassFunction || in[3] == SpvStorageClassPrivate);
	}
	return n;
}

static bool has_undefined_components(const struct gate_module *module)
{
	for (size_t at = 5; at < module->words; at += spirv_words(module->code + at)) {
		const uint32_t *in = module->code + at;

		for (uint32_t i = 5; spirv_op(in) == SpvOpVectorShuffle && i < spirv_words(in); i++)
			if (in[i] == UINT32_MAX)
				return true;
	}
	return false;
}

/*
 * An index that was never stored, and a component that no vector has, are undefined like OpUndef.
 * Variables get zeros up to 64 words: of these six, all but the array of 65 words.
 */
static void test_unset(void)
{
	static const char text[] =
		"OpCapability Shader\nOpMemoryModel Logical GLSL450\n"
		"OpEntryPoint GLCompute %main \"main\"\nOpExecutionMode %main LocalSize 1 1 1\n"
		"%void = OpTypeVoid\n%procedure = OpTypeFunction %void\n%uint = OpTypeInt 32 0\n"
		"%bool = OpTypeBool\n%uvec2 = OpTypeVector %uint 2\n%uvec4 = OpTypeVector %uint 4\n"
		"%zero = OpConstant %uint 0\n%n16 = OpConstant %uint 16\n"
		"%n65 = OpConstant %uint 65\n"
		"%list = OpTypeArray %uvec4 %n16\n%long = OpTypeArray %uint %n65\n"
		"%pair = OpTypeStruct %bool %uvec2\n"
		"%some = OpConstantComposite %uvec2 %zero %zero\n"
		"%private = OpTypePointer Private %uint\n%function = OpTypePointer Function %uint\n"
		"%pairs = OpTypePointer Private %pair\n%lists = OpTypePointer Function %list\n"
		"%longs = OpTypePointer Function %long\n%shared = OpTypePointer Workgroup %long\n"
		"%element = OpTypePointer Workgroup %uint\n%all = OpVariable %shared Workgroup\n"
		"%a = OpVariable %private Private\n%b = OpVariable %pairs Private\n"
		"%main = OpFunction %void None %procedure\n%label = OpLabel\n"
		"%c = OpVariable %function Function\n%d = OpVariable %function Function\n"
		"%e = OpVariable %lists Function\n%f = OpVariable %longs Function\n"
		"%i = OpLoad %uint %a\n%j = OpLoad %uint %c\n%k = OpIAdd %uint %i %j\n"
		"%shuffled = OpVectorShuffle %uvec2 %some %some 0xffffffff 1\n"
		"%l = OpCompositeExtract %uint %shuffled 0\n%o = OpIAdd %uint %k %l\n"
		"%q = OpAccessChain %function %f %zero\n%r = OpLoad %uint %q\n"
		"%m = OpIAdd %uint %o %r\n"
		"%p = OpAccessChain %element %all %m\nOpStore %p %m\nOpReturn\nOpFunctionEnd\n";
	char why[256] = "";
	struct gate_module module = { 0 };
	bool ok = gate_text(SUNDOG_STAGE_COMPUTE, text, &module, why, sizeof(why));

	result(ok && count_uninitialized(&module) == 1, "variables of up to 64 words get zeros");
	result(ok && !has_undefined_components(&module), "components of vectors are defined");
	if (!ok)
		printf("# %s\n", why);
	free(module.code);
	free(module.descriptors);
}

/*
 * Members of the array's blocks would be built-ins that bypass the checks: too many clip distances,
 * or a layer for each element.
 */
static void test_builtin_array(void)
{
	static const char text[] =
		"OpCapability Shader\nOpCapability ClipDistance\nOpMemoryModel Logical GLSL450\n"
		"OpEntryPoint Vertex %main \"main\" %out\nOpDecorate %block Block\n"
		"OpMemberDecorate %block 0 BuiltIn Position\n"
		"OpMemberDecorate %block 1 BuiltIn ClipDistance\nOpDecorate %out Location 0\n"
		"%void = OpTypeVoid\n%procedure = OpTypeFunction %void\n%float = OpTypeFloat 32\n"
		"%vec4 = OpTypeVector %float 4\n"
		"%uint = OpTypeInt 32 0\n%one = OpConstant %uint 1\n%thirty = OpConstant %uint 30\n"
		"%list = OpTypeArray %float %thirty\n%block = OpTypeStruct %vec4 %list\n"
		"%array = OpTypeArray %block %one\n"
		"%pointer = OpTypePointer Output %array\n%out = OpVariable %pointer Output\n"
		"%main = OpFunction %void None %procedure\n%label = OpLabel\nOpReturn\n"
		"OpFunctionEnd\n";
	char why[256] = "it passes";
	struct gate_module module = { 0 };
	bool ok = !gate_text(SUNDOG_STAGE_VERTEX, text, &module, why, sizeof(why)) &&
		  strstr(why, "an array of blocks with built-in members");

	if (!ok)
		printf("# %s\n", why);
	result(ok, "an array of blocks of built-ins: refused");
}

/* Passes add variables to the interface of an entry point, whose word count has 16 bits. */
static void test_long_list(void)
{
	enum { LISTED = 65000 };
	static const char begin[] =
		"OpCapability Geometry\nOpMemoryModel Logical GLSL450\nOpEntryPoint Geometry %main \"main\"";
	static const char rest[] =
		"\nOpExecutionMode %main InputPoints\nOpExecutionMode %main OutputPoints\n"
		"OpExecutionMode %main OutputVertices 1\n"
		"OpDecorate %v Location 0\n%void = OpTypeVoid\n%procedure = OpTypeFunction %void\n"
		"%float = OpTypeFloat 32\n"
		"%p = OpTypePointer Output %float\n%v = OpVariable %p Output\n"
		"%main = OpFunction %void None %procedure\n"
		"%l = OpLabel\nOpEmitVertex\nOpReturn\nOpFunctionEnd\n";
	char *text = malloc(sizeof(begin) + sizeof(rest) + 3 * LISTED), why[256] = "it passes";
	struct gate_module module;
	uint32_t words, *code;
	size_t at;
	bool ok;

	at = sprintf(text, "%s", begin);
	for (int i = 0; i < LISTED; i++)
		at += sprintf(text + at, " %%v");
	sprintf(text + at, "%s", rest);
	code = assemble(text, &words);
	ok = code && !gate(SUNDOG_STAGE_GEOMETRY, false, code, words, &module, why, sizeof(why)) &&
	     strstr(why, "OpEntryPoint has");
	if (!ok)
		printf("# %s\n", why);
	free(code);
	free(text);
	result(ok, "an entry point of very many variables: refused");
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 1;
	for (size_t i = 0; i < sizeof(writes) / sizeof(writes[0]); i++)
		for (size_t k = 0; k < sizeof(storages) / sizeof(storages[0]); k++)
			test_write(i, &storages[k]);
	for (size_t i = 0; i < sizeof(attacks) / sizeof(attacks[0]); i++)
		test_attack(argv[1], &attacks[i]);
	test_long_list();
	test_undefined();
	test_unset();
	test_builtin_array();
	printf("1..%u\n", tests);
	return failed;
}
