// SPDX-License-Identifier: MIT
/*
 * Iterates over the operands of SPIR-V instructions with the table of table.h, for all passes of
 * the gate.
 */
#include "gate/table.h"

#include <stddef.h>

#include <spirv/unified1/spirv.h>

bool gate_operands_begin(struct gate_operands *o, const uint32_t *in)
{
	const struct gate_instruction *instruction = gate_instruction(*in & 0xffff);

	*o = (struct gate_operands){ .in = in };
	o->at = instruction ? instruction->operands : "";
	return instruction;
}

/* Continues with the words that the bits of a mask add. */
static void begin_mask(struct gate_operands *o, const char *(*of_bit)(uint32_t bit))
{
	o->mask = o->in[o->word];
	o->bit = 0;
	o->more = "";
	o->of_bit = of_bit;
}

/* Returns the letter of the next word that a mask adds; 0: no word is left. */
static char next_of_mask(struct gate_operands *o)
{
	while (o->of_bit && !*o->more) {
		if (!o->mask) {
			o->of_bit = NULL;
			break;
		}
		if (o->mask & 1)
			o->more = o->of_bit(o->bit);
		o->mask >>= 1;
		o->bit++;
	}
	return o->of_bit ? *o->more++ : 0;
}

/* Strings end with a zero byte, and the rest of its word is zero (SPIR-V 2.2.1, Literal). */
static bool ends_string(uint32_t word)
{
	return !(word >> 24);
}

/* Continues with the operands of an extended instruction. */
static char begin_extended(struct gate_operands *o)
{
	const struct gate_instruction *extended = gate_extended(o->in[o->word]);

	o->at = extended ? extended->operands : "";
	return 'L';
}

char gate_operands_next(struct gate_operands *o)
{
	char letter;

	if (++o->word >= *o->in >> 16)
		return 0;
	letter = next_of_mask(o);
	if (letter)
		return letter;
	if (*o->at == '+')
		o->at -= 2;
	letter = *o->at;
	if (letter == '*')
		letter = o->at[-1];
	else if (letter && (letter != 'S' || ends_string(o->in[o->word])))
		o->at++;
	if (letter == 'M')
		begin_mask(o, gate_memory_access);
	else if (letter == 'O')
		begin_mask(o, gate_image_operands);
	else if (letter == 'X')
		return begin_extended(o);
	return letter == 'S' ? 'L' : letter;
}

static bool has_roles(const uint32_t *in)
{
	const struct gate_instruction *instruction = gate_instruction(*in & 0xffff);

	if ((*in & 0xffff) == SpvOpExtInst && *in >> 16 > 4)
		instruction = gate_extended(in[4]);
	return instruction && instruction->has_roles;
}

/* Returns the word of the first operand whose role satisfies @does; 0: none. */
static uint32_t find(const uint32_t *in, bool (*does)(const struct gate_role *role))
{
	struct gate_operands o;

	if (!has_roles(in))
		return 0;
	gate_operands_begin(&o, in);
	for (char letter; (letter = gate_operands_next(&o));) {
		const struct gate_role *role = gate_role(letter);

		if (role && does(role))
			return o.word;
	}
	return 0;
}

static bool writes(const struct gate_role *role)
{
	return role->writes;
}

static bool reads(const struct gate_role *role)
{
	return role->reads;
}

static bool is_atomic(const struct gate_role *role)
{
	return role->atomic;
}

static bool is_direction(const struct gate_role *role)
{
	return role->direction;
}

uint32_t gate_written(const uint32_t *in)
{
	return find(in, writes);
}

uint32_t gate_read(const uint32_t *in)
{
	return find(in, reads);
}

uint32_t gate_atomic(const uint32_t *in)
{
	return find(in, is_atomic);
}

uint32_t gate_direction(const uint32_t *in)
{
	return find(in, is_direction);
}

uint32_t gate_memory_mask(const uint32_t *in)
{
	struct gate_operands o;

	gate_operands_begin(&o, in);
	for (char letter; (letter = gate_operands_next(&o));)
		if (letter == 'M')
			return o.word;
	return 0;
}
