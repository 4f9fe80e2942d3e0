// SPDX-License-Identifier: MIT
/*
 * Pass "core-form" of the gate, see gate.h: lowers instructions that SPIR-V offers in several forms
 * to one, so that the later passes meet few instructions that access memory.
 *
 *   Modf, Frexp                 ModfStruct, FrexpStruct, and an OpStore of the second part
 *   OpCopyMemory                OpLoad and OpStore
 *   OpInBoundsAccessChain       OpAccessChain
 *   chain of a chain            one OpAccessChain from the variable
 *   OpCopyObject of a pointer   the pointer; also of images and samplers
 *   OpUndef                     OpConstantNull, except of pointers: LLVM may take another value for
 *                               an undefined one at each use, and drops the clamp of such an index.
 *                               Nothing, if it is one of a pointer or image that nobody uses:
 *                               merge-return of SPIRV-Tools leaves those
 *   OpVectorShuffle             a component of its operands for each undefined component
 *   OpVectorExtractDynamic,     component 0 for a constant index that the vector does not have
 *   OpVectorInsertDynamic
 *   Function, Private variable  an initializer of zeros, if it has none and at most 64 words: Mesa
 *                               makes an undefined value of one to which nothing was stored
 *   OpEmitStreamVertex,         OpEmitVertex and OpEndPrimitive, if there is no stream but 0: then
 *   OpEndStreamPrimitive        strips are valid (VUID-StandaloneSpirv-Geometry-06311), and the
 *                               host counts them only without streams
 *   OpLine, OpNoLine            nothing: they may be anywhere, even between annotations and types
 *   control operands            DontUnroll of a loop, or 0: Mesa's unrolling of a loop has limits
 *                               only if the loop does not ask for Unroll, and counts selections
 *                               only if they may be flattened (limit_unrolling.c)
 *
 * Functions were inlined before, so no pointer comes from a parameter. The result is validated at
 * the end: spirv-val checks the storage class of an OpStore, but not that of Modf and Frexp.
 */
#include "gate/pass/core_form.h"

#include <stdlib.h>

#include <spirv/unified1/GLSL.std.450.h>
#include <spirv/unified1/spirv.h>

#include "gate/check/pointer.h"
#include "gate/check/type.h"
#include "gate/table.h"
#include "gate/writer.h"

/* Floats of three widths and four sizes, with two kinds of integers, are 36. */
#define MAX_PAIRS 64u
/* Words of a variable that gets zeros: the host's compiler writes each of them by itself. */
#define MAX_ZEROS 64u
#define UNDEFINED_COMPONENT UINT32_MAX	/* of OpVectorShuffle */


/* A struct of two members: the result of ModfStruct or FrexpStruct. */
struct pair {
	uint32_t first, second, type;
};

struct core {
	struct gate *g;
	struct spirv_out writer;
	uint32_t *same;	/* by id: the pointer or image that it copies; 0: it is no copy of one */
	bool *varies;			/* by id: it is decorated NonUniform */
	size_t *chains;			/* by id: word of its chain in the output; 0: it is none */
	uint32_t *zeros;		/* by id of a type: its null constant; 0: not written */
	bool *used;			/* by id: it is an operand; NULL until that matters */
	struct pair pairs[MAX_PAIRS];
	uint32_t n_pairs;
	bool streams;			/* vertices go to a stream other than 0 */
	bool any;
};


/* Returns true for a pointer to a variable or into one. Device addresses are numbers. */
static bool is_pointer(struct gate *g, uint32_t id)
{
	const struct gate_id *type = gate_id(g, gate_id(g, id)->type);

	return type->op == SpvOpTypePointer && type->a != SpvStorageClassPhysicalStorageBuffer;
}

/* Returns true if a value leads to a variable. */
static bool is_reference(struct gate *g, uint32_t id)
{
	switch (gate_id(g, gate_id(g, id)->type)->op) {
	case SpvOpTypeImage:
	case SpvOpTypeSampler:
	case SpvOpTypeSampledImage:
		return true;
	default:
		return is_pointer(g, id);
	}
}

static uint32_t original(const struct core *c, uint32_t id)
{
	return id < c->g->n_ids && c->same[id] ? c->same[id] : id;
}

/* Looking */

/* Returns the entry of the two types; NULL: there are too many. */
static const struct pair *pair_of(struct core *c, uint32_t first, uint32_t second)
{
	struct pair *pair = c->pairs;

	for (; pair < c->pairs + c->n_pairs; pair++)
		if (pair->first == first && pair->second == second)
			return pair;
	if (c->n_pairs == MAX_PAIRS)
		return NULL;
	c->n_pairs++;
	*pair = (struct pair){ first, second, 0 };
	return pair;
}

static bool look_at_extended(struct core *c, const uint32_t *in)
{
	struct gate *g = c->g;
	const struct gate_instruction *extended = gate_extended(in[4]);

	if (!extended)
		return gate_refuse(g, "extended instruction %u of GLSL.std.450 is not supported",
				   in[4]);
	if (extended->core)
		return true;
	c->any = true;
	/* spirv-val checks that both types of Modf are equal. */
	if (gate_id(g, gate_id(g, in[6])->type)->op != SpvOpTypePointer)
		return gate_refuse(g, "the last operand of %s is not a pointer", extended->name);
	return pair_of(c, in[1], gate_pointee(g, in[6])) ||
	       gate_refuse(g, "%s is used with more than %u pairs of types", extended->name,
			   MAX_PAIRS);
}

/* Returns true for an OpUndef that a null constant can replace. Both have the same operands. */
static bool is_undefined(struct gate *g, const uint32_t *in)
{
	const struct gate_id *type;

	if ((*in & 0xffff) != SpvOpUndef || gate_has_addresses(g, in[1]))
		return false;
	type = gate_id(g, in[1]);
	while (type->op == SpvOpTypeArray)
		type = gate_id(g, type->a);
	switch (type->op) {
	case SpvOpTypeImage:
	case SpvOpTypeSampler:
	case SpvOpTypeSampledImage:
		return false;
	default:
		return true;
	}
}

/* Returns the 32-bit words of a type, at most MAX_ZEROS + 1. */
static uint32_t words_of(struct gate *g, uint32_t type_id)
{
	const struct gate_id *type = gate_id(g, type_id);
	uint64_t words = 0;

	switch (type->op) {
	case SpvOpTypeVector:
	case SpvOpTypeMatrix:
		words = words_of(g, type->a) * (uint64_t)type->b;
		break;
	case SpvOpTypeArray:
		words = words_of(g, type->a) * (uint64_t)gate_id(g, type->b)->a;
		break;
	case SpvOpTypeStruct:
		for (uint32_t i = 0; i < type->n_members && words <= MAX_ZEROS; i++)
			words += words_of(g, type->members[i]);
		break;
	default:
		words = gate_number_bits(g, type_id) > 32 ? 2 : 1;
	}
	return words > MAX_ZEROS ? MAX_ZEROS + 1 : (uint32_t)words;
}

bool gate_core_begins_zero(struct gate *g, uint32_t type_id)
{
	return !gate_has_addresses(g, type_id) && words_of(g, type_id) <= MAX_ZEROS;
}

/* Returns the type of a variable that gets zeros; 0: @in is another instruction. */
static uint32_t needs_zeros(struct gate *g, const uint32_t *in)
{
	uint32_t type;

	if (spirv_op(in) != SpvOpVariable || spirv_words(in) > 4 ||
	    (in[3] != SpvStorageClassFunction && in[3] != SpvStorageClassPrivate))
		return 0;
	type = gate_id(g, in[1])->b;
	return gate_core_begins_zero(g, type) ? type : 0;
}

/*
 * Returns the word of a constant index that the vector does not have; 0: @in has none. Mesa makes
 * an undefined value of it.
 */
static uint32_t far_component(struct gate *g, const uint32_t *in)
{
	const uint32_t word = spirv_op(in) == SpvOpVectorExtractDynamic	 ? 4 :
			      spirv_op(in) == SpvOpVectorInsertDynamic ? 5 :
									 0;
	const struct gate_id *index = word ? gate_id(g, in[word]) : NULL;

	return index && index->op == SpvOpConstant &&
			       index->a >= gate_id(g, gate_id(g, in[3])->type)->b ?
		       word : 0;
}

/* Returns true if a component of an OpVectorShuffle is undefined. */
static bool has_undefined_component(const uint32_t *in)
{
	struct spirv_operands o;

	gate_operands_begin(&o, in);
	for (char letter; spirv_op(in) == SpvOpVectorShuffle && (letter = spirv_operands_next(&o));)
		if (letter == 'L' && in[o.word] == UNDEFINED_COMPONENT)
			return true;
	return false;
}

/* Returns the word of the control operand; 0: @in has none. */
static uint32_t control_at(const uint32_t *in)
{
	switch (spirv_op(in)) {
	case SpvOpSelectionMerge:
		return 2;
	case SpvOpLoopMerge:
	case SpvOpFunction:
		return 3;
	default:
		return 0;
	}
}

/* Returns the bits of a control operand that the core form keeps. */
static uint32_t kept_hints(const uint32_t *in)
{
	return spirv_op(in) == SpvOpLoopMerge ? SpvLoopControlDontUnrollMask : 0;
}

static bool look_at(struct core *c, const uint32_t *in)
{
	struct gate *g = c->g;
	const uint32_t op = *in & 0xffff, control = control_at(in);

	c->any |= !gate_instruction(op)->core || (control && in[control] & ~kept_hints(in)) ||
		  far_component(g, in);
	switch (op) {
	case SpvOpLine:
	case SpvOpNoLine:
		c->any = true;
		return true;
	case SpvOpUndef:
		c->any |= is_undefined(g, in);
		return true;
	case SpvOpVariable:
		c->any |= needs_zeros(g, in) != 0;
		return true;
	case SpvOpVectorShuffle:
		c->any |= has_undefined_component(in);
		return true;
	case SpvOpDecorate:
		if (in[2] == SpvDecorationNonUniform)
			c->varies[in[1]] = true;
		return true;
	case SpvOpAccessChain:
	case SpvOpInBoundsAccessChain:
		c->any |= c->chains[original(c, in[3])] != 0;
		/*
		 * Mesa also applies the decoration of the base chain, which is merged into this
		 * one.
		 */
		c->varies[in[2]] |= c->chains[original(c, in[3])] && c->varies[original(c, in[3])];
		c->chains[in[2]] = 1;
		return true;
	case SpvOpCopyObject:
		if (!is_reference(g, in[3]))
			return true;
		c->any = true;
		c->same[in[2]] = original(c, in[3]);
		c->varies[c->same[in[2]]] |= c->varies[in[2]];
		return true;
	case SpvOpExtInst:
		return look_at_extended(c, in);
	case SpvOpEmitStreamVertex:
	case SpvOpEndStreamPrimitive:
		c->any = true;
		c->streams |= gate_id(g, in[1])->op != SpvOpConstant || gate_id(g, in[1])->a;
		return true;
	default:
		return true;
	}
}

/* Marks operands. Names and decorations count, too, which is only too careful. */
static bool mark_used(struct core *c)
{
	struct gate *g = c->g;

	c->used = calloc(g->n_ids, sizeof(*c->used));
	if (!c->used)
		return gate_refuse(g, "out of memory");
	for (uint32_t at = 5; at < g->words; at += g->code[at] >> 16) {
		const uint32_t *in = g->code + at;
		struct spirv_operands o;

		gate_operands_begin(&o, in);
		for (char letter; (letter = spirv_operands_next(&o));)
			if ((letter == 'I' || gate_role(letter)) && in[o.word] < g->n_ids)
				c->used[in[o.word]] = true;
	}
	return true;
}

/* Returns true for an undefined pointer or image that is removed. */
static bool is_unused(const struct core *c, const uint32_t *in)
{
	return !is_undefined(c->g, in) && c->used && !c->used[in[2]];
}

static bool look(struct core *c)
{
	bool pointers = false;

	for (uint32_t at = 5; at < c->g->words; at += c->g->code[at] >> 16) {
		const uint32_t *in = gate_look(c->g, at);

		if (!look_at(c, in))
			return false;
		pointers |= spirv_op(in) == SpvOpUndef && !is_undefined(c->g, in);
	}
	c->any |= pointers;
	return !pointers || mark_used(c);
}

/* Writing */

/* Writes the structs before the first function. */
static void write_pairs(struct core *c)
{
	for (uint32_t i = 0; i < c->n_pairs; i++) {
		c->pairs[i].type = spirv_new_id(&c->writer);
		SPIRV_EMIT(&c->writer, SpvOpTypeStruct, c->pairs[i].type, c->pairs[i].first,
			   c->pairs[i].second);
	}
}

/*
 * Returns the bytes of the largest number in @type. Scalar block layout (Vulkan 15.8.4) requires no
 * larger alignment.
 */
static uint32_t alignment(struct gate *g, uint32_t type)
{
	const uint32_t bits = gate_number_bits(g, type);

	return bits ? bits / 8 : 4;
}

/* Writes an OpStore of @value, for an instruction that has no memory operands. */
static void write_store(struct core *c, uint32_t pointer, uint32_t value)
{
	pointer = original(c, pointer);
	if (is_pointer(c->g, pointer))
		SPIRV_EMIT(&c->writer, SpvOpStore, pointer, value);
	else
		SPIRV_EMIT(&c->writer, SpvOpStore, pointer, value, SpvMemoryAccessAlignedMask,
			   alignment(c->g, gate_pointee(c->g, pointer)));
}

static void write_parts(struct core *c, const uint32_t *in, uint32_t instruction)
{
	const struct pair *pair = pair_of(c, in[1], gate_pointee(c->g, in[6]));
	const uint32_t both = spirv_new_id(&c->writer), second = spirv_new_id(&c->writer);

	SPIRV_EMIT(&c->writer, SpvOpExtInst, pair->type, both, in[3], instruction, in[5]);
	SPIRV_EMIT(&c->writer, SpvOpCompositeExtract, in[1], in[2], both, 0);
	SPIRV_EMIT(&c->writer, SpvOpCompositeExtract, pair->second, second, both, 1);
	write_store(c, in[6], second);
}

/*
 * Returns the words of a mask of memory operands with the operands that its bits add; 0: @in has no
 * such word.
 */
static uint32_t memory_words(const uint32_t *in, uint32_t word)
{
	uint32_t words = 1;

	if (word >= *in >> 16)
		return 0;
	for (uint32_t bit = 0; bit < 32; bit++)
		for (const char *more = spirv_memory_access(bit); in[word] >> bit & 1 && *more;
		     more++)
			words++;
	return words;
}

/*
 * Copies memory operands to @to, except the bit @without and the operands that it adds. Returns the
 * number of words.
 */
static uint32_t copy_operands(uint32_t *to, const uint32_t *mask, uint32_t without)
{
	uint32_t n = 0, from = 1;

	to[n++] = *mask & ~without;
	for (uint32_t bit = 0; bit < 32; bit++) {
		for (const char *more = spirv_memory_access(bit); *mask >> bit & 1 && *more;
		     more++, from++)
			if (!(without >> bit & 1))
				to[n++] = mask[from];
	}
	return n;
}

/*
 * A single mask applies to both; of two, the first applies to the target (SPIR-V 3.49.8,
 * OpCopyMemory).
 */
static void write_copy(struct core *c, const uint32_t *in)
{
	const uint32_t type = gate_pointee(c->g, in[2]), value = spirv_new_id(&c->writer);
	const uint32_t first = memory_words(in, 3),
		       second = first ? memory_words(in, 3 + first) : 0;
	uint32_t load[4 + 33] = { 0, type, value, original(c, in[2]) },
		 store[3 + 33] = { 0, original(c, in[1]), value };
	uint32_t n_load = 4, n_store = 3;

	if (second)
		n_load += copy_operands(load + 4, in + 3 + first, 0);
	else if (first)
		n_load += copy_operands(load + 4, in + 3, SpvMemoryAccessMakePointerAvailableMask);
	if (first)
		n_store += copy_operands(store + 3, in + 3,
					 second ? 0 : SpvMemoryAccessMakePointerVisibleMask);
	spirv_put_instruction(&c->writer, SpvOpLoad, load, n_load);
	spirv_put_instruction(&c->writer, SpvOpStore, store, n_store);
}

/* Writes one chain from the base of the base, with the indices of the base first. */
static void write_chain(struct core *c, const uint32_t *in)
{
	const uint32_t words = *in >> 16, base = original(c, in[3]);
	const size_t start = c->writer.count, from = c->chains[base];
	const uint32_t inherited =
		from && !c->writer.failed ? spirv_words(c->writer.words + from) - 4 : 0;

	spirv_put_head(&c->writer, SpvOpAccessChain, words + inherited);
	spirv_put(&c->writer, in + 1, 2);
	/* The writer may reallocate the code that is copied, so it gets a word at a time. */
	for (uint32_t i = 0; i <= inherited && from && !c->writer.failed; i++)
		spirv_put_word(&c->writer, c->writer.words[from + 3 + i]);
	if (!from)
		spirv_put_word(&c->writer, base);
	spirv_put(&c->writer, in + 4, words - 4);
	c->chains[in[2]] = start;
}

/* Copies of pointers are removed. Of their decorations only NonUniform stays, on the original. */
static void write_decoration(struct core *c, const uint32_t *in)
{
	if (in[1] < c->g->n_ids && c->same[in[1]])
		return;
	if (in[2] != SpvDecorationNonUniform)
		spirv_copy(&c->writer, in);
}

/* Writes the NonUniform decorations before the first type. */
static void write_varying(struct core *c)
{
	for (uint32_t id = 0; id < c->g->n_ids; id++)
		if (c->varies[id] && !c->same[id])
			SPIRV_EMIT(&c->writer, SpvOpDecorate, id, SpvDecorationNonUniform);
}

/* Writes @in with the originals instead of copies as operands. */
static void write_plain(struct core *c, const uint32_t *in)
{
	const size_t start = c->writer.count;
	struct spirv_operands o;

	spirv_copy(&c->writer, in);
	gate_operands_begin(&o, in);
	for (char letter; (letter = spirv_operands_next(&o));)
		if ((letter == 'I' || gate_role(letter)) && !c->writer.failed)
			c->writer.words[start + o.word] = original(c, in[o.word]);
}

/* Returns the null constant of a type, which is written before its first use. */
static uint32_t zeros_of(struct core *c, uint32_t type)
{
	if (!c->zeros[type]) {
		c->zeros[type] = spirv_new_id(&c->writer);
		SPIRV_EMIT(&c->writer, SpvOpConstantNull, type, c->zeros[type]);
	}
	return c->zeros[type];
}

/*
 * Writes the OpUndef of functions as constants before the first function, with the same ids, and
 * the zeros of their variables. As constants they dominate all uses.
 */
static void write_constants(struct core *c)
{
	bool functions = false;

	for (uint32_t at = 5; at < c->g->words; at += c->g->code[at] >> 16) {
		const uint32_t *in = c->g->code + at;

		functions |= (*in & 0xffff) == SpvOpFunction;
		if (functions && is_undefined(c->g, in))
			SPIRV_EMIT(&c->writer, SpvOpConstantNull, in[1], in[2]);
		if (functions && needs_zeros(c->g, in))
			zeros_of(c, needs_zeros(c->g, in));
		if (functions && far_component(c->g, in))
			zeros_of(c, gate_id(c->g, in[far_component(c->g, in)])->type);
	}
}

static void write_variable(struct core *c, const uint32_t *in)
{
	const uint32_t type = needs_zeros(c->g, in), zeros = type ? zeros_of(c, type) : 0;

	if (zeros)
		SPIRV_EMIT(&c->writer, SpvOpVariable, in[1], in[2], in[3], zeros);
	else
		write_plain(c, in);
}

/* Any value will do for an undefined component, so it becomes the first one of the operands. */
static void write_shuffle(struct core *c, const uint32_t *in)
{
	const size_t start = c->writer.count;
	struct spirv_operands o;

	spirv_copy(&c->writer, in);
	gate_operands_begin(&o, in);
	for (char letter; (letter = spirv_operands_next(&o));)
		if (letter == 'L' && in[o.word] == UNDEFINED_COMPONENT)
			spirv_set(&c->writer, start + o.word, 0);
}

/* Writes an instruction with a component of a vector that exists. */
static void write_component(struct core *c, const uint32_t *in)
{
	const uint32_t word = far_component(c->g, in);
	const size_t start = c->writer.count;

	write_plain(c, in);
	if (word)
		spirv_set(&c->writer, start + word, zeros_of(c, gate_id(c->g, in[word])->type));
}

/* Further operands of OpLoopMerge belong to bits that are cleared. */
static void write_control(struct core *c, const uint32_t *in)
{
	const uint32_t control = control_at(in), words = spirv_words(in);
	const uint32_t kept = spirv_op(in) == SpvOpLoopMerge ? control + 1 : words;

	spirv_put_head(&c->writer, spirv_op(in), kept);
	spirv_put(&c->writer, in + 1, control - 1);
	spirv_put_word(&c->writer, in[control] & kept_hints(in));
	spirv_put(&c->writer, in + control + 1, kept - control - 1);
}

static void write_stream(struct core *c, const uint32_t *in)
{
	if (c->streams)
		write_plain(c, in);
	else if (spirv_op(in) == SpvOpEmitStreamVertex)
		spirv_put_head(&c->writer, SpvOpEmitVertex, 1);
	else
		spirv_put_head(&c->writer, SpvOpEndPrimitive, 1);
}

static void write_undefined(struct core *c, const uint32_t *in, bool in_function)
{
	if (is_unused(c, in))
		return;
	if (!is_undefined(c->g, in))
		write_plain(c, in);
	else if (!in_function)
		SPIRV_EMIT(&c->writer, SpvOpConstantNull, in[1], in[2]);
}

static void write_instruction(struct core *c, const uint32_t *in, bool in_function)
{
	switch (*in & 0xffff) {
	case SpvOpUndef:
		write_undefined(c, in, in_function);
		break;
	case SpvOpVariable:
		write_variable(c, in);
		break;
	case SpvOpVectorShuffle:
		write_shuffle(c, in);
		break;
	case SpvOpVectorExtractDynamic:
	case SpvOpVectorInsertDynamic:
		write_component(c, in);
		break;
	case SpvOpLine:
	case SpvOpNoLine:
		break;
	case SpvOpEmitStreamVertex:
	case SpvOpEndStreamPrimitive:
		write_stream(c, in);
		break;
	case SpvOpSelectionMerge:
	case SpvOpLoopMerge:
	case SpvOpFunction:
		write_control(c, in);
		break;
	case SpvOpName:
		if (in[1] >= c->g->n_ids || !c->same[in[1]])
			spirv_copy(&c->writer, in);
		break;
	case SpvOpDecorate:
		write_decoration(c, in);
		break;
	case SpvOpCopyObject:
		if (!c->same[in[2]])
			write_plain(c, in);
		break;
	case SpvOpCopyMemory:
		write_copy(c, in);
		break;
	case SpvOpAccessChain:
	case SpvOpInBoundsAccessChain:
		write_chain(c, in);
		break;
	case SpvOpExtInst:
		if (in[4] == GLSLstd450Modf)
			write_parts(c, in, GLSLstd450ModfStruct);
		else if (in[4] == GLSLstd450Frexp)
			write_parts(c, in, GLSLstd450FrexpStruct);
		else
			write_plain(c, in);
		break;
	default:
		write_plain(c, in);
	}
}

static bool rewrite(struct core *c)
{
	bool types = false, functions = false;
	struct gate *g = c->g;

	/* Until here the entries are marks; from here they are positions in the output. */
	for (uint32_t id = 0; id < g->n_ids; id++)
		c->chains[id] = 0;
	gate_write_begin(&c->writer, g);
	for (uint32_t at = 5; at < g->words; at += g->code[at] >> 16) {
		const uint32_t *in = gate_look(g, at), op = *in & 0xffff;

		if (!types && op >= SpvOpTypeVoid && op <= SpvOpTypeForwardPointer) {
			write_varying(c);
			types = true;
		}
		if (!functions && op == SpvOpFunction) {
			write_pairs(c);
			write_constants(c);
			functions = true;
		}
		write_instruction(c, in, functions);
	}
	return gate_write_end(&c->writer, g);
}

bool gate_core_form(struct gate *g, bool *changed)
{
	struct core c = {
		.g = g,
		.same = calloc(g->n_ids, sizeof(*c.same)),
		.varies = calloc(g->n_ids, sizeof(*c.varies)),
		.chains = calloc(g->n_ids, sizeof(*c.chains)),
		.zeros = calloc(g->n_ids, sizeof(*c.zeros)),
	};
	bool ok = c.same && c.varies && c.chains && c.zeros ? look(&c) :
							      gate_refuse(g, "out of memory");

	*changed = ok && c.any;
	if (*changed)
		ok = rewrite(&c);
	free(c.same);
	free(c.varies);
	free(c.chains);
	free(c.zeros);
	free(c.used);
	return ok;
}
