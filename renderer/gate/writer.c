// SPDX-License-Identifier: MIT
/*
 * Writes a module for passes of the gate, see writer.h.
 */
#include "gate/writer.h"

#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#define HEADER_WORDS 5
#define HEADER_BOUND 3			/* the word with the id bound */

void gate_write_begin(struct gate_writer *w, const struct gate *g)
{
	*w = (struct gate_writer){ .room = 2 * g->words, .next_id = g->code[HEADER_BOUND] };
	w->out = malloc(w->room * sizeof(*w->out));
	w->failed = !w->out;
	gate_write(w, g->code, HEADER_WORDS);
}

#define PART_WORDS 1024			/* initial room */

void gate_write_part(struct gate_writer *part)
{
	*part = (struct gate_writer){ .room = PART_WORDS,
				      .out = malloc(PART_WORDS * sizeof(*part->out)) };
	part->failed = !part->out;
}

void gate_write_join(struct gate_writer *w, struct gate_writer *part)
{
	w->failed |= part->failed;
	gate_write(w, part->out, part->words);
	free(part->out);
}

void gate_write(struct gate_writer *w, const uint32_t *in, size_t words)
{
	while (!w->failed && w->words + words > w->room) {
		uint32_t *more = realloc(w->out, 2 * w->room * sizeof(*more));

		w->failed = !more;
		if (more) {
			w->out = more;
			w->room *= 2;
		}
	}
	if (w->failed)
		return;
	memcpy(w->out + w->words, in, words * sizeof(*in));
	w->words += words;
}

void gate_write_head(struct gate_writer *w, uint32_t op, size_t words)
{
	const uint32_t first = (uint32_t)words << 16 | op;

	w->failed |= words > UINT16_MAX;
	gate_write(w, &first, 1);
}

void gate_write_instruction(struct gate_writer *w, uint32_t op, const uint32_t *in, size_t words)
{
	gate_write_head(w, op, words);
	gate_write(w, in + 1, words - 1);
}

void gate_find_types(const struct gate *g, struct gate_types *types)
{
	for (uint32_t at = HEADER_WORDS; at < g->words; at += g->code[at] >> 16) {
		const uint32_t *in = g->code + at;

		switch (*in & 0xffff) {
		case SpvOpTypeVoid:
			types->nothing = in[1];
			break;
		case SpvOpTypeBool:
			types->boolean = in[1];
			break;
		case SpvOpTypeInt:
			if (in[2] == 32 && !in[3])
				types->number = in[1];
			break;
		case SpvOpTypeFunction:
			if (*in >> 16 == 3 && in[2] == types->nothing)
				types->procedure = in[1];
			break;
		case SpvOpFunction:
			return;
		}
	}
}

void gate_need_boolean(struct gate_writer *w, struct gate_types *types)
{
	if (types->boolean)
		return;
	types->boolean = gate_new_id(w);
	GATE_WRITE(w, SpvOpTypeBool, types->boolean);
}

void gate_need_number(struct gate_writer *w, struct gate_types *types)
{
	if (types->number)
		return;
	types->number = gate_new_id(w);
	GATE_WRITE(w, SpvOpTypeInt, types->number, 32, 0);
}

bool gate_need_numbers(struct gate *g, struct gate_numbers *numbers, uint32_t type)
{
	const struct gate_id *id = gate_id(g, type);
	int i = 0;

	if (id->op != SpvOpTypeInt || id->a != 32)
		return false;
	while (i < GATE_MAX_INT_TYPES && numbers->types[i] && numbers->types[i] != type)
		i++;
	if (i == GATE_MAX_INT_TYPES)
		return false;
	numbers->types[i] = type;
	return true;
}

void gate_write_numbers(struct gate_writer *w, struct gate_numbers *numbers, const uint32_t *values,
			uint32_t n)
{
	for (int i = 0; i < GATE_MAX_INT_TYPES && numbers->types[i]; i++) {
		for (uint32_t k = 0; k < n; k++) {
			numbers->ids[i][k] = gate_new_id(w);
			GATE_WRITE(w, SpvOpConstant, numbers->types[i], numbers->ids[i][k],
				   values[k]);
		}
	}
}

const uint32_t *gate_numbers_of(const struct gate_numbers *numbers, uint32_t type)
{
	return numbers->ids[numbers->types[0] == type ? 0 : 1];
}

bool gate_is_preamble(uint32_t op)
{
	switch (op) {
	case SpvOpCapability:
	case SpvOpExtension:
	case SpvOpExtInstImport:
	case SpvOpMemoryModel:
	case SpvOpEntryPoint:
	case SpvOpExecutionMode:
	case SpvOpExecutionModeId:
	case SpvOpString:
	case SpvOpSource:
	case SpvOpSourceContinued:
	case SpvOpSourceExtension:
	case SpvOpName:
	case SpvOpMemberName:
		return true;
	}
	return false;
}

bool gate_begins_block(uint32_t op)
{
	switch (op) {
	case SpvOpFunction:
	case SpvOpLabel:
	case SpvOpVariable:
	case SpvOpLine:
	case SpvOpNoLine:
		return true;
	}
	return false;
}

/* Updates pointers into the module, which gate_id has for structs and constants. */
static void find_members(struct gate *g)
{
	for (uint32_t at = HEADER_WORDS; at < g->words; at += g->code[at] >> 16) {
		const uint32_t *in = g->code + at, op = *in & 0xffff;

		if (op == SpvOpTypeStruct)
			gate_id(g, in[1])->members = in + 2;
		if (op == SpvOpConstantComposite)
			gate_id(g, in[2])->members = in + 3;
	}
}

bool gate_write_end(struct gate_writer *w, struct gate *g)
{
	if (w->failed) {
		free(w->out);
		return gate_refuse(g, "out of memory");
	}
	w->out[HEADER_BOUND] = w->next_id;
	free(g->owned);
	g->code = g->owned = w->out;
	g->words = w->words;
	g->at = 0;
	find_members(g);
	return true;
}
