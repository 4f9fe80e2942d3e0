/* SPDX-License-Identifier: MIT */
/*
 * The effects of SPIR-V instructions on their operands. table.py generates the C form of the
 * table at build time from instructions.yaml, which is the only place that says which operand
 * is read, written or the base of a pointer, and from the grammars of spirv-headers. The table is
 * constant, so any thread may read it.
 */
#ifndef GATE_TABLE_H
#define GATE_TABLE_H

#include "spirv/operands.h"

/* The effect of an instruction on an operand that has one. */
struct gate_role {
	const char *name;
	bool reads, writes, atomic;	/* accesses to the memory that the operand leads to */
	bool leads;			/* the result is a pointer to a part of that memory */
	bool passes;	/* the pointer becomes another value or is stored: not in the core form */
	/* The number of a sample or invocation, in a quad or a subgroup. */
	bool sample, invocation;
	bool direction;			/* the direction of a cube, if the image is one */
	/* Mask of the storage classes that the pointer may have, see gate_class_bit() */
	uint32_t classes;
};

struct gate_instruction {
	const char *name;
	/*
	 * The letters of spirv/operands.h. I is no pointer to a variable; lower-case letters are
	 * roles.
	 */
	const char *operands;
	bool core;			/* part of the core form, see core_form.c */
	bool ends_block;
	bool has_roles;	/* an operand has a role; for OpExtInst, ask the extended instruction */
};

/* Returns the entry of an opcode; NULL: shaders may not use it. */
const struct gate_instruction *gate_instruction(uint32_t op);
static inline bool gate_ends_block(uint32_t op)
{
	const struct gate_instruction *instruction = gate_instruction(op);

	return instruction && instruction->ends_block;
}

/*
 * Returns the entry of an instruction of GLSL.std.450. Its operands follow the number of the
 * instruction.
 */
const struct gate_instruction *gate_extended(uint32_t number);
/* Returns the role of a letter; NULL: the letter is no role. */
const struct gate_role *gate_role(char letter);

/*
 * Returns the bit of a storage class in a mask. Classes that shaders may not use share the last
 * bit.
 */
static inline uint32_t gate_class_bit(uint32_t storage_class)
{
	if (storage_class <= SpvStorageClassStorageBuffer)
		return 1u << storage_class;
	if (storage_class == SpvStorageClassPhysicalStorageBuffer)
		return 1u << 13;
	return storage_class == SpvStorageClassTaskPayloadWorkgroupEXT ? 1u << 14 : 1u << 15;
}

/*
 * Starts before the first operand, with the letters of this table. Returns false if the instruction
 * is not in the table.
 */
bool gate_operands_begin(struct spirv_operands *o, const uint32_t *in);

/* Return the word of the first operand that is written or read; 0: none. */
uint32_t gate_written(const uint32_t *in);
uint32_t gate_read(const uint32_t *in);
/* Returns the word of the pointer of an atomic instruction; 0: none. */
uint32_t gate_atomic(const uint32_t *in);
/* Returns the word of the coordinate that is a direction if the image is a cube; 0: none. */
uint32_t gate_direction(const uint32_t *in);
/* Returns the word of the first mask of memory operands; 0: none. */
uint32_t gate_memory_mask(const uint32_t *in);

#endif
