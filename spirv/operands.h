/* SPDX-License-Identifier: MIT */
/*
 * The operands of SPIR-V's instructions. grammar.py generates the table at build time from SPIR-V's
 * grammar. The gate has a table of its own with the roles of pointers (renderer/gate/table.h), and
 * iterates with this iterator. The table is constant, so any thread may read it.
 */
#ifndef SPIRV_OPERANDS_H
#define SPIRV_OPERANDS_H

#include <stddef.h>

#include "reader.h"

struct spirv_shape {
	/*
	 * A letter for each word after the first: T result type, R result, I id, L literal, S
	 * string, X number of an extended instruction, M and O masks of memory access and image
	 * operands followed by the words that their bits add, * repeats the previous letter until
	 * the end, + repeats the previous two. Other letters are the caller's, for one word.
	 */
	const char *operands;
	uint8_t least_words;		/* of the whole instruction; 0: the opcode is unknown */
};

/* Returns the shape of an opcode's instructions. An unknown opcode has no operands. */
const struct spirv_shape *spirv_shape(uint32_t op);

/* Return the letters of the words that a bit of the mask adds. */
const char *spirv_memory_access(uint32_t bit);
const char *spirv_image_operands(uint32_t bit);

/* Returns true if the first operand of an instruction is its result type. */
static inline bool spirv_has_type(uint32_t op)
{
	return spirv_shape(op)->operands[0] == 'T';
}

/* Returns the id that an instruction defines; 0: none. */
uint32_t spirv_result(const uint32_t *in);

/* An iterator over the operands of an instruction, one word at a time. */
struct spirv_operands {
	const uint32_t *in;
	uint32_t word;			/* index of the current word */
	const char *at;			/* its letter in the table */
	const char *more;		/* letters of the words that a bit of the mask adds */
	uint32_t mask, bit;	/* bits of the mask that are left, and the number of the lowest */
	const char *(*of_bit)(uint32_t bit);
	/* Returns the letters of the words behind an X; NULL: those of the instruction. */
	const char *(*of_extended)(uint32_t number);
};

/* Starts before the first operand of an instruction with the letters of this table. */
static inline void spirv_operands_begin(struct spirv_operands *o, const uint32_t *in)
{
	*o = (struct spirv_operands){ .in = in, .at = spirv_shape(spirv_op(in))->operands };
}

/* Continues with the words that the bits of a mask add. */
static inline void spirv_begin_mask(struct spirv_operands *o, const char *(*of_bit)(uint32_t bit))
{
	o->mask = o->in[o->word];
	o->bit = 0;
	o->more = "";
	o->of_bit = of_bit;
}

/* Returns the letter of the next word that a mask adds; 0: no word is left. */
static inline char spirv_next_of_mask(struct spirv_operands *o)
{
	while (!*o->more) {
		if (!o->mask) {
			o->of_bit = NULL;
			return 0;
		}
		if (o->mask & 1)
			o->more = o->of_bit(o->bit);
		o->mask >>= 1;
		o->bit++;
	}
	return *o->more++;
}

/* Strings end with a zero byte, and the rest of its word is zero (SPIR-V 2.2.1, Literal). */
static inline bool spirv_ends_string(uint32_t word)
{
	return !(word >> 24);
}

/*
 * Advances to the next word. Returns its letter, L for each word of a string; 0 at the end (word is
 * then the length) or if the table has no operand there.
 */
static inline char spirv_operands_next(struct spirv_operands *o)
{
	char letter;

	if (++o->word >= spirv_words(o->in))
		return 0;
	if (o->of_bit && (letter = spirv_next_of_mask(o)))
		return letter;
	if (*o->at == '+')
		o->at -= 2;
	letter = *o->at == '*' ? o->at[-1] : *o->at++;
	switch (letter) {
	case 0:
		o->at--;
		break;
	case 'M':
		spirv_begin_mask(o, spirv_memory_access);
		break;
	case 'O':
		spirv_begin_mask(o, spirv_image_operands);
		break;
	case 'X':
		if (o->of_extended)
			o->at = o->of_extended(o->in[o->word]);
		return 'L';
	case 'S':
		if (!spirv_ends_string(o->in[o->word]))
			o->at--;
		return 'L';
	}
	return letter;
}

#endif
