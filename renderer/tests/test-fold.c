// SPDX-License-Identifier: MIT
/*
 * Tests the folding of specialization constant operations, with valid and invalid operands: the
 * gate is the first to check their types and values. Prints TAP.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "gate/gate.h"
#include "gate-caps.h"
#include "gate-load.h"

#define MAX_OPERANDS 8
#define REFUSAL "the operands do not fit the operation"
#define INVALID "invalid SPIR-V"	/* the reason if the validator of SPIRV-Tools refuses it */

/* Names are those of gate/special.spvasm. A word that begins with a digit is a literal. */
static const struct test {
	const char *what;
	uint32_t op;
	const char *words;		/* type of the result, and operands */
	const char *refusal;		/* NULL: passes */
} tests[] = {
	{ "a sum", SpvOpIAdd, "uint u i", NULL },
	{ "a sum of vectors", SpvOpIAdd, "uint2 two two", NULL },
	{ "a sum with what has no value", SpvOpIAdd, "uint2 two unsaid", NULL },
	{ "a sum of floats", SpvOpIAdd, "float f f", REFUSAL },
	{ "a sum of booleans", SpvOpIAdd, "bool yes yes", REFUSAL },
	{ "a sum of a float and a number", SpvOpIAdd, "uint u f", REFUSAL },
	{ "a sum of two sizes", SpvOpIAdd, "uint u l", REFUSAL },
	{ "a sum that is larger", SpvOpIAdd, "long u u", REFUSAL },
	{ "a sum of vectors of two sizes", SpvOpIAdd, "uint4 two two", REFUSAL },
	{ "a sum of a vector and a number", SpvOpIAdd, "uint2 two u", REFUSAL },
	{ "a sum that is a matrix", SpvOpIAdd, "matrix two two", REFUSAL },
	{ "a sum that is a function", SpvOpIAdd, "function u u", INVALID },
	{ "a sum of types", SpvOpIAdd, "uint uint uint", INVALID },
	{ "a sum of one", SpvOpIAdd, "uint u", INVALID },
	{ "a sum of three", SpvOpIAdd, "uint u u u", INVALID },
	{ "not of a shorter vector", SpvOpNot, "uint4 two", REFUSAL },
	{ "not of a number", SpvOpLogicalNot, "bool u", REFUSAL },
	{ "not of vectors", SpvOpLogicalNot, "bool2 choice", NULL },
	{ "a quotient of the smallest and -1", SpvOpSDiv, "byte b b", NULL },
	{ "a distance of another size", SpvOpShiftLeftLogical, "uint u l", NULL },
	{ "a distance that is a float", SpvOpShiftLeftLogical, "uint u f", REFUSAL },
	{ "a comparison", SpvOpSLessThan, "bool u i", NULL },
	{ "a comparison that is a number", SpvOpSLessThan, "uint u i", REFUSAL },
	{ "a comparison of two sizes", SpvOpIEqual, "bool u b", REFUSAL },
	{ "a number of another size", SpvOpSConvert, "long b", NULL },
	{ "a float of another size", SpvOpFConvert, "half f", NULL },
	{ "a float as a number", SpvOpFConvert, "uint f", REFUSAL },
	{ "a float with fewer bits", SpvOpQuantizeToF16, "float f", NULL },
	{ "a half with fewer bits", SpvOpQuantizeToF16, "half h", REFUSAL },
	{ "a choice", SpvOpSelect, "float yes f f", NULL },
	{ "a choice of composites", SpvOpSelect, "pair yes nopair nopair", NULL },
	{ "a choice for each component", SpvOpSelect, "uint2 choice two unsaid", NULL },
	{ "a choice by a number", SpvOpSelect, "uint u u u", REFUSAL },
	{ "a choice by a vector, of a number", SpvOpSelect, "uint choice u u", REFUSAL },
	{ "a choice by a vector, of a longer one", SpvOpSelect, "uint4 choice four four", REFUSAL },
	{ "a choice of another type", SpvOpSelect, "uint yes f u", REFUSAL },
	{ "a part of a part", SpvOpCompositeExtract, "float columns 1 0", NULL },
	{ "a part of nothing", SpvOpCompositeExtract, "uint nopair 1 6", NULL },
	{ "a part that is an array", SpvOpCompositeExtract, "list nopair 1", NULL },
	{ "a part that is not there", SpvOpCompositeExtract, "uint two 2", REFUSAL },
	{ "a part that is far away", SpvOpCompositeExtract, "uint nolist 2000000", REFUSAL },
	{ "a part of a number", SpvOpCompositeExtract, "uint u 0", REFUSAL },
	{ "a part of another type", SpvOpCompositeExtract, "uint columns 1 0", REFUSAL },
	{ "all of it", SpvOpCompositeExtract, "uint2 two", NULL },
	{ "another part", SpvOpCompositeInsert, "uint2 u two 1", NULL },
	{ "a part where there was nothing", SpvOpCompositeInsert, "pair u nopair 1 6", NULL },
	{ "another array", SpvOpCompositeInsert, "pair nolist nopair 1", NULL },
	{ "a part beyond the end", SpvOpCompositeInsert, "list u nolist 7", REFUSAL },
	{ "a part of a number that is another", SpvOpCompositeInsert, "uint u u 0", REFUSAL },
	{ "a part that is a float", SpvOpCompositeInsert, "uint2 f two 1", REFUSAL },
	{ "a part of another whole", SpvOpCompositeInsert, "uint4 u two 1", REFUSAL },
	{ "all of it anew", SpvOpCompositeInsert, "uint2 two two", REFUSAL },
	{ "components of two", SpvOpVectorShuffle, "uint4 two four 0 1 2 5", NULL },
	{ "components from nowhere", SpvOpVectorShuffle, "uint4 two two 0 1 4294967295 3", NULL },
	{ "components beyond the end", SpvOpVectorShuffle, "uint4 two two 0 1 4 3", REFUSAL },
	{ "components that are far away", SpvOpVectorShuffle, "uint4 two four 0 60 1 1", REFUSAL },
	{ "more components than that", SpvOpVectorShuffle, "uint2 two two 0 1 2", REFUSAL },
	{ "components of a number", SpvOpVectorShuffle, "uint2 u u 0 1", REFUSAL },
	{ "components of another type", SpvOpVectorShuffle, "uint2 floats two 0 1", REFUSAL },
	{ "a product of floats", SpvOpFMul, "float f f", INVALID },
	{ "a sum of what is no id", SpvOpIAdd, "uint u 4000000", INVALID },
	{ "nothing", SpvOpIAdd, "uint", INVALID },
};

/* Returns the id with this OpName, or 0. */
static uint32_t id_of(const uint32_t *code, size_t words, const char *name)
{
	for (size_t at = 5; at < words; at += code[at] >> 16)
		if ((code[at] & 0xffff) == SpvOpName &&
		    !strcmp((const char *)(code + at + 2), name))
			return code[at + 1];
	return 0;
}

/*
 * Replaces the OpSpecConstantOp of @module by the operation of the test. Returns the number of
 * words of the result.
 */
static size_t put(const struct test *t, const uint32_t *module, size_t words, uint32_t *out)
{
	size_t at = 5, length, n = 4;
	uint32_t in[4 + MAX_OPERANDS];
	char text[64], *save, *word;

	while ((module[at] & 0xffff) != SpvOpSpecConstantOp)
		at += module[at] >> 16;
	length = module[at] >> 16;
	snprintf(text, sizeof(text), "%s", t->words);
	in[1] = id_of(module, words, strtok_r(text, " ", &save));
	in[2] = module[at + 2];
	in[3] = t->op;
	while ((word = strtok_r(NULL, " ", &save)))
		in[n++] = *word >= '0' && *word <= '9' ? strtoul(word, NULL, 10) :
			id_of(module, words, word);
	in[0] = (uint32_t)n << 16 | SpvOpSpecConstantOp;
	memcpy(out, module, at * 4);
	memcpy(out + at, in, n * 4);
	memcpy(out + at + n, module + at + length, (words - at - length) * 4);
	return words + n - length;
}

static bool run(const struct test *t, const uint32_t *module, size_t words)
{
	uint32_t code[MAX_ASSEMBLED + 4 + MAX_OPERANDS];
	const struct sundog_cmd_create_shader cmd = { .stage = SUNDOG_STAGE_COMPUTE,
						      .n_dwords = put(t, module, words, code) };
	char why[256] = "";
	struct gate_module out;
	bool ok;

	ok = gate_shader(&cmd, code, &gate_caps, &out, why, sizeof(why));
	if (ok)
		free(out.code);
	if (ok != !t->refusal || (t->refusal && !strstr(why, t->refusal))) {
		printf("# %s\n", ok ? "passes" : why);
		return false;
	}
	return true;
}

int main(int argc, char **argv)
{
	const size_t n = sizeof(tests) / sizeof(tests[0]);
	uint32_t module[MAX_ASSEMBLED];
	const uint32_t words = gate_load(argc > 1 ? argv[1] : ".", "special", module);
	int failures = 0;

	if (words <= 5) {
		fprintf(stderr, "there is no module\n");
		return 1;
	}
	printf("1..%zu\n", n);
	for (size_t i = 0; i < n; i++) {
		const bool ok = run(&tests[i], module, words);

		printf("%sok - %s\n", ok ? "" : "not ", tests[i].what);
		failures += !ok;
	}
	return failures != 0;
}
