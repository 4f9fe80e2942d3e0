/* SPDX-License-Identifier: MIT */
/*
 * The effects of SPIR-V instructions on their operands: the table of gate_instructions.yaml, which is the only place that
 * says what reads, writes or leads anywhere. gate_table.py generates its C form at build time from that file and the
 * grammars of spirv-headers.
 */
#ifndef GATE_TABLE_H
#define GATE_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include <spirv/unified1/spirv.h>

/* The effect of an instruction on an operand that has one. */
struct gate_role {
	const char *name;
	bool reads, writes, atomic;	/* the memory it leads to */
	bool leads;			/* the result is a pointer to a part of that */
	bool passes;			/* it becomes another value, or is stored: not in the core form */
	bool sample, invocation;	/* it is the number of one, in a quad or in a subgroup */
	bool direction;			/* in a cube, if the image is one */
	uint32_t classes;		/* storage classes that the pointer may have, see gate_class_bit() */
};

struct gate_instruction {
	const char *name;
	/*
	 * A letter for each word behind the first: T type of the result, R result, I id that is no pointer to a
	 * variable, L literal, S string, X number of an extended instruction, M and O masks of memory access and image
	 * operands with the words that their bits add, * the letter before again until the end, + the two before;
	 * small letters are roles.
	 */
	const char *operands;
	bool core;			/* the core form has it, see gate_core.c */
	bool ends_block;
	bool has_roles;			/* of operands; of OpExtInst the extended instruction says it */
};

/* NULL: shaders may not have it. */
const struct gate_instruction *gate_instruction(uint32_t op);
static inline bool gate_ends_block(uint32_t op)
{
	const struct gate_instruction *instruction = gate_instruction(op);

	return instruction && instruction->ends_block;
}

/* The operands are those behind the number of an instruction of the set GLSL.std.450. */
const struct gate_instruction *gate_extended(uint32_t number);
/* NULL: the letter is no role. */
const struct gate_role *gate_role(char letter);
/* Letters of the words that a bit of a mask adds. */
const char *gate_memory_access(uint32_t bit);
const char *gate_image_operands(uint32_t bit);

/* The bit of a storage class in masks of them; classes that shaders may not have share the last one. */
static inline uint32_t gate_class_bit(uint32_t storage_class)
{
	if (storage_class <= SpvStorageClassStorageBuffer)
		return 1u << storage_class;
	if (storage_class == SpvStorageClassPhysicalStorageBuffer)
		return 1u << 13;
	return storage_class == SpvStorageClassTaskPayloadWorkgroupEXT ? 1u << 14 : 1u << 15;
}

/* The operands of an instruction, one word after the other. */
struct gate_operands {
	const uint32_t *in;
	uint32_t word;			/* the current one */
	const char *at;			/* its letter in the table */
	const char *more;		/* letters of words that a mask adds */
	uint32_t mask, bit;		/* of it: bits that were not looked at */
	const char *(*of_bit)(uint32_t bit);
};

/* Begin in front of the first operand. Returns false if the instruction is not in the table. */
bool gate_operands_begin(struct gate_operands *o, const uint32_t *in);
/*
 * Go to the next operand. Returns its letter, L for a word of a string; 0: there is none (word is the length), or it is
 * not in the table.
 */
char gate_operands_next(struct gate_operands *o);

/* The word of the first operand that is written or read, or 0. */
uint32_t gate_written(const uint32_t *in);
uint32_t gate_read(const uint32_t *in);
/* The word of the pointer of an atomic instruction, or 0. */
uint32_t gate_atomic(const uint32_t *in);
/* The word of the coordinate that is a direction if the image is a cube, or 0. */
uint32_t gate_direction(const uint32_t *in);
/* The word of the first mask of memory access, or 0. */
uint32_t gate_memory_mask(const uint32_t *in);

#endif
