// SPDX-License-Identifier: MIT
/*
 * Pass "positions" of the gate, see gate.h: vertex and tessellation shaders begin with a store of
 * zeros to Position, which is declared if it is not an output.
 *
 * llvmpipe looks for the slot of an input among 80 outputs of the stage before, even if that has
 * fewer. The entries of the others are 0, which is the name of Position. If nothing stores to
 * Position, Mesa removes the output, and a stage that reads it gets 16 bytes from behind the
 * vertex. An unconditional store keeps the output. Vulkan 15.1 leaves the value undefined that is
 * read then; it is zero as other undefined values are.
 *
 * Outputs of a geometry shader lead to the rasterizer only, which draws nothing without a position,
 * and mesh shaders begin with zeros in all outputs (clamp_mesh_outputs.c).
 */
#include "gate/pass/zero_positions.h"

#include <spirv/unified1/spirv.h>

#include "gate/table.h"
#include "gate/writer.h"

struct positions {
	struct gate *g;
	struct spirv_out writer;
	uint32_t entry;			/* the function of the entry point */
	uint32_t variable;	/* the Output variable of Position, or the block that has it */
	uint32_t block, member;		/* struct with Position as a member; 0: there is none */
	uint32_t invocation;		/* the variable of InvocationId */
	bool new_variable, new_invocation;
	uint32_t vertices;		/* OutputVertices of a control shader */
	uint32_t real, vector, number;	/* types: float, vec4, uint; 0: not in the module */
	uint32_t pointer, zeros, member_number;	/* type and constants that the pass adds */
	uint32_t invocation_type;
};

static bool is_control(const struct positions *p)
{
	return p->g->cmd->stage == SUNDOG_STAGE_TESS_CTRL;
}

/* Returns the struct that an Output variable is, or is an array of; 0: neither. */
static uint32_t block_of(struct gate *g, const uint32_t *variable)
{
	uint32_t type = gate_id(g, variable[1])->b;

	if (gate_id(g, type)->op == SpvOpTypeArray)
		type = gate_id(g, type)->a;
	return gate_id(g, type)->op == SpvOpTypeStruct ? type : 0;
}

/*
 * Marks the variables in the interface of the entry point. Variables of SPIR-V that are not in it
 * may not be used, even if they have the built-in.
 */
static void visit_entry_point(struct positions *p, const uint32_t *in)
{
	struct spirv_operands o;

	p->entry = in[2];
	gate_operands_begin(&o, in);
	for (char letter; (letter = spirv_operands_next(&o));)
		if (letter == 'I')
			gate_id(p->g, in[o.word])->listed = true;
}

static void visit_decoration(struct positions *p, const uint32_t *in)
{
	if (in[2] != SpvDecorationBuiltIn)
		return;
	/* Inputs have this decoration, too: visit_variable() looks at the storage class. */
	if (in[3] == SpvBuiltInPosition)
		gate_id(p->g, in[1])->position = true;
	if (in[3] == SpvBuiltInInvocationId && gate_id(p->g, in[1])->listed)
		p->invocation = in[1];
}

static void visit_member(struct positions *p, const uint32_t *in)
{
	if (in[3] == SpvDecorationBuiltIn && in[4] == SpvBuiltInPosition)
		gate_id(p->g, in[1])->position = true;
}

static void visit_variable(struct positions *p, const uint32_t *in)
{
	const uint32_t block = block_of(p->g, in);

	if (in[3] != SpvStorageClassOutput || !gate_id(p->g, in[2])->listed)
		return;
	if (gate_id(p->g, in[2])->position)
		p->variable = in[2];
	if (block && gate_id(p->g, block)->position) {
		p->variable = in[2];
		p->block = block;
	}
}

static void visit(struct positions *p, const uint32_t *in)
{
	switch (spirv_op(in)) {
	case SpvOpEntryPoint:
		visit_entry_point(p, in);
		break;
	case SpvOpExecutionMode:
		if (in[2] == SpvExecutionModeOutputVertices)
			p->vertices = in[3];
		break;
	case SpvOpDecorate:
		visit_decoration(p, in);
		break;
	case SpvOpMemberDecorate:
		visit_member(p, in);
		break;
	case SpvOpTypeInt:
		if (in[2] == 32 && !in[3])
			p->number = in[1];
		break;
	case SpvOpTypeFloat:
		if (in[2] == 32)
			p->real = in[1];
		break;
	case SpvOpTypeVector:
		if (in[2] == p->real && in[3] == 4)
			p->vector = in[1];
		break;
	case SpvOpVariable:
		visit_variable(p, in);
	}
}

/* Finds the member of the block, since its decorations precede the variable. */
static void find_member(struct positions *p)
{
	for (uint32_t at = SPIRV_HEADER_WORDS; at < p->g->words;
	     at += spirv_words(p->g->code + at)) {
		const uint32_t *in = p->g->code + at;

		if (spirv_op(in) == SpvOpMemberDecorate && in[1] == p->block &&
		    in[3] == SpvDecorationBuiltIn && in[4] == SpvBuiltInPosition)
			p->member = in[2];
	}
}

static void look(struct positions *p)
{
	for (uint32_t at = SPIRV_HEADER_WORDS; at < p->g->words;
	     at += spirv_words(p->g->code + at))
		visit(p, gate_look(p->g, at));
	if (p->block)
		find_member(p);
	p->new_variable = !p->variable;
	p->new_invocation = is_control(p) && !p->invocation;
	if (p->invocation)
		p->invocation_type = gate_id(p->g, gate_id(p->g, p->invocation)->type)->b;
}

static void write_entry_point(struct positions *p, const uint32_t *in)
{
	const uint32_t words = spirv_words(in);

	spirv_put_head(&p->writer, SpvOpEntryPoint, words + p->new_variable + p->new_invocation);
	spirv_put(&p->writer, in + 1, words - 1);
	if (p->new_variable)
		spirv_put_word(&p->writer, p->variable);
	if (p->new_invocation)
		spirv_put_word(&p->writer, p->invocation);
}

/* Writes decorations before the first type. */
static void write_decorations(struct positions *p)
{
	if (p->new_variable)
		SPIRV_EMIT(&p->writer, SpvOpDecorate, p->variable, SpvDecorationBuiltIn,
			   SpvBuiltInPosition);
	if (p->new_invocation)
		SPIRV_EMIT(&p->writer, SpvOpDecorate, p->invocation, SpvDecorationBuiltIn,
			   SpvBuiltInInvocationId);
}

static void write_types(struct positions *p)
{
	if (!p->real) {
		p->real = spirv_new_id(&p->writer);
		SPIRV_EMIT(&p->writer, SpvOpTypeFloat, p->real, 32);
	}
	if (!p->vector) {
		p->vector = spirv_new_id(&p->writer);
		SPIRV_EMIT(&p->writer, SpvOpTypeVector, p->vector, p->real, 4);
	}
	if (!p->number) {
		p->number = spirv_new_id(&p->writer);
		SPIRV_EMIT(&p->writer, SpvOpTypeInt, p->number, 32, 0);
	}
	p->pointer = spirv_new_id(&p->writer);
	SPIRV_EMIT(&p->writer, SpvOpTypePointer, p->pointer, SpvStorageClassOutput, p->vector);
}

/* Writes the variable of Position: of a control shader, an array of its vertices. */
static void write_variable(struct positions *p)
{
	uint32_t pointer = p->pointer, length, array;

	if (is_control(p)) {
		length = spirv_new_id(&p->writer);
		array = spirv_new_id(&p->writer);
		pointer = spirv_new_id(&p->writer);
		SPIRV_EMIT(&p->writer, SpvOpConstant, p->number, length, p->vertices);
		SPIRV_EMIT(&p->writer, SpvOpTypeArray, array, p->vector, length);
		SPIRV_EMIT(&p->writer, SpvOpTypePointer, pointer, SpvStorageClassOutput, array);
	}
	SPIRV_EMIT(&p->writer, SpvOpVariable, pointer, p->variable, SpvStorageClassOutput);
}

/* Writes types, variables and constants before the first function. */
static void write_globals(struct positions *p)
{
	uint32_t pointer;

	write_types(p);
	if (p->new_variable)
		write_variable(p);
	if (p->new_invocation) {
		pointer = spirv_new_id(&p->writer);
		p->invocation_type = p->number;
		SPIRV_EMIT(&p->writer, SpvOpTypePointer, pointer, SpvStorageClassInput, p->number);
		SPIRV_EMIT(&p->writer, SpvOpVariable, pointer, p->invocation,
			   SpvStorageClassInput);
	}
	p->zeros = spirv_new_id(&p->writer);
	SPIRV_EMIT(&p->writer, SpvOpConstantNull, p->vector, p->zeros);
	if (p->block) {
		p->member_number = spirv_new_id(&p->writer);
		SPIRV_EMIT(&p->writer, SpvOpConstant, p->number, p->member_number, p->member);
	}
}

static void write_store(struct positions *p)
{
	uint32_t target = p->variable, indices[2], n = 0;

	if (is_control(p)) {
		indices[n] = spirv_new_id(&p->writer);
		SPIRV_EMIT(&p->writer, SpvOpLoad, p->invocation_type, indices[n], p->invocation);
		n++;
	}
	if (p->block)
		indices[n++] = p->member_number;
	if (n) {
		target = spirv_new_id(&p->writer);
		spirv_put_head(&p->writer, SpvOpAccessChain, 4 + n);
		spirv_put_word(&p->writer, p->pointer);
		spirv_put_word(&p->writer, target);
		spirv_put_word(&p->writer, p->variable);
		spirv_put(&p->writer, indices, n);
	}
	SPIRV_EMIT(&p->writer, SpvOpStore, target, p->zeros);
}

/* Variables of a function are the first instructions of its first block. */
static void rewrite(struct positions *p)
{
	bool types = false, functions = false, entered = false, done = false;

	for (uint32_t at = SPIRV_HEADER_WORDS; at < p->g->words;
	     at += spirv_words(p->g->code + at)) {
		const uint32_t *in = gate_look(p->g, at), op = spirv_op(in);

		if (!types && op >= SpvOpTypeVoid && op <= SpvOpTypeForwardPointer) {
			write_decorations(p);
			types = true;
		}
		if (!functions && op == SpvOpFunction) {
			write_globals(p);
			functions = true;
		}
		if (entered && !done && op != SpvOpLabel && op != SpvOpVariable) {
			write_store(p);
			done = true;
		}
		entered |= op == SpvOpFunction && in[2] == p->entry;
		if (op == SpvOpEntryPoint)
			write_entry_point(p, in);
		else
			spirv_copy(&p->writer, in);
	}
}

bool gate_zero_positions(struct gate *g, bool *changed)
{
	const uint32_t stage = g->cmd->stage;
	struct positions p = { .g = g };

	*changed = stage == SUNDOG_STAGE_VERTEX || stage == SUNDOG_STAGE_TESS_CTRL ||
		   stage == SUNDOG_STAGE_TESS_EVAL;
	if (!*changed)
		return true;
	look(&p);
	gate_write_begin(&p.writer, g);
	if (p.new_variable)
		p.variable = spirv_new_id(&p.writer);
	if (p.new_invocation)
		p.invocation = spirv_new_id(&p.writer);
	rewrite(&p);
	return gate_write_end(&p.writer, g);
}
