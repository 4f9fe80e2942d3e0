/* SPDX-License-Identifier: MIT */
/*
 * Writes a module, one instruction after the other, for passes of the gate that rewrite. The pass
 * that calls it owns the writer.
 */
#ifndef GATE_WRITER_H
#define GATE_WRITER_H

#include "gate/module.h"

struct gate_writer {
	uint32_t *out;
	size_t words, room;
	bool failed;			/* out of memory, or an instruction is too long */
	uint32_t next_id;
};

/*
 * Starts a module with the header of @g's. gate_write_end() takes over the code; a caller that does
 * not get there frees w->out.
 */
void gate_write_begin(struct gate_writer *w, const struct gate *g);

/* Start a part of a module, which has no header. Append the part to @w, and free its code. */
void gate_write_part(struct gate_writer *part);
void gate_write_join(struct gate_writer *w, struct gate_writer *part);

/* Adds @words words of code. */
void gate_write(struct gate_writer *w, const uint32_t *in, size_t words);

/* Adds the first word of an instruction of @words words. Fails above 65,535 words (SPIR-V 2.3). */
void gate_write_head(struct gate_writer *w, uint32_t op, size_t words);

/* Adds an instruction of @words words, whose operands start at @in[1]. */
void gate_write_instruction(struct gate_writer *w, uint32_t op, const uint32_t *in, size_t words);

/*
 * Makes the written code the module of @g, and frees the old one. Refuses and frees the code if a
 * write failed.
 */
bool gate_write_end(struct gate_writer *w, struct gate *g);

/* Adds an instruction with its operands, if it has any. */
#define GATE_WRITE(w, op, ...) \
	do { \
		const uint32_t in_[] = { 0, ##__VA_ARGS__ }; \
		gate_write_instruction(w, op, in_, sizeof(in_) / sizeof(in_[0])); \
	} while (0)

/*
 * Ids of types that passes need; 0: the module does not have it. A number is an unsigned 32-bit
 * integer.
 */
struct gate_types {
	uint32_t nothing, boolean, number;
	uint32_t procedure;		/* a function without parameters and result */
};

/* Finds the types of the module. */
void gate_find_types(const struct gate *g, struct gate_types *types);

/*
 * Add the type if the module does not have it. Call them before writing instructions that use the
 * type.
 */
void gate_need_boolean(struct gate_writer *w, struct gate_types *types);
void gate_need_number(struct gate_writer *w, struct gate_types *types);

#define GATE_MAX_INT_TYPES 2		/* of 32 bits: signed, unsigned */
#define GATE_MAX_NUMBERS 8

/* The 32-bit integer types of which a pass needs constants, and the ids of these constants. */
struct gate_numbers {
	uint32_t types[GATE_MAX_INT_TYPES], ids[GATE_MAX_INT_TYPES][GATE_MAX_NUMBERS];
};

/* Registers @type. Returns false without a refusal if it is not a 32-bit integer. */
bool gate_need_numbers(struct gate *g, struct gate_numbers *numbers, uint32_t type);

/*
 * Adds constants with the @n @values for each registered type. Call it after all other types and
 * constants.
 */
void gate_write_numbers(struct gate_writer *w, struct gate_numbers *numbers, const uint32_t *values,
			uint32_t n);

/* Returns the constants of a registered type, in the order of the values. */
const uint32_t *gate_numbers_of(const struct gate_numbers *numbers, uint32_t type);

/* Returns true if instructions of @op precede decorations and types (SPIR-V 2.4). */
bool gate_is_preamble(uint32_t op);

/* Returns true if instructions of @op precede the code of the first block of a function. */
bool gate_begins_block(uint32_t op);

static inline uint32_t gate_new_id(struct gate_writer *w)
{
	return w->next_id++;
}

#endif
