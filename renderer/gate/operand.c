// SPDX-License-Identifier: MIT
/* Finds operands of SPIR-V instructions by the table of table.h, for all passes of the gate. */
#include "gate/table.h"

#include <stddef.h>

/* Returns the letters of the operands of an extended instruction. */
static const char *of_extended(uint32_t number)
{
	const struct gate_instruction *extended = gate_extended(number);

	return extended ? extended->operands : "";
}

bool gate_operands_begin(struct spirv_operands *o, const uint32_t *in)
{
	const struct gate_instruction *instruction = gate_instruction(spirv_op(in));

	*o = (struct spirv_operands){ .in = in, .of_extended = of_extended };
	o->at = instruction ? instruction->operands : "";
	return instruction;
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
	struct spirv_operands o;

	if (!has_roles(in))
		return 0;
	gate_operands_begin(&o, in);
	for (char letter; (letter = spirv_operands_next(&o));) {
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
	struct spirv_operands o;

	gate_operands_begin(&o, in);
	for (char letter; (letter = spirv_operands_next(&o));)
		if (letter == 'M')
			return o.word;
	return 0;
}
