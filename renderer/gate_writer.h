/* SPDX-License-Identifier: MIT */
/*
 * A module that is written anew, one instruction after the other, for passes of the gate.
 */
#ifndef GATE_WRITER_H
#define GATE_WRITER_H

#include "gate_module.h"

struct gate_writer {
	uint32_t *out;
	size_t words, room;
	bool failed;			/* there is no memory */
	uint32_t next_id;
};

/* Begin with the header of @g's module. */
void gate_write_begin(struct gate_writer *w, const struct gate *g);

/* Begin a part of one, without a header; and add it to one, at the end. */
void gate_write_part(struct gate_writer *part);
void gate_write_join(struct gate_writer *w, struct gate_writer *part);

/* Add @words of code. */
void gate_write(struct gate_writer *w, const uint32_t *in, size_t words);

/* Add the first word of an instruction of @words, which fails above 65,535 (SPIR-V 2.3). */
void gate_write_head(struct gate_writer *w, uint32_t op, size_t words);

/* Add an instruction of @words, the first of them left out. */
void gate_write_instruction(struct gate_writer *w, uint32_t op, const uint32_t *in, size_t words);

/* What was written is @g's module. */
bool gate_write_end(struct gate_writer *w, struct gate *g);

/* Add an instruction with its operands, if it has any. */
#define GATE_WRITE(w, op, ...) \
	do { \
		const uint32_t in_[] = { 0, ##__VA_ARGS__ }; \
		gate_write_instruction(w, op, in_, sizeof(in_) / sizeof(in_[0])); \
	} while (0)

/* What a module has, or gets, of types that passes write with; 0: none. A number has 32 bits and no sign. */
struct gate_types {
	uint32_t nothing, boolean, number;
	uint32_t procedure;		/* a function of nothing, which has no result */
};

/* Those that the module has. */
void gate_find_types(const struct gate *g, struct gate_types *types);

/* Add one where there is none; before what is written with it. */
void gate_need_boolean(struct gate_writer *w, struct gate_types *types);
void gate_need_number(struct gate_writer *w, struct gate_types *types);

#define GATE_MAX_INT_TYPES 2		/* of 32 bits: with a sign, and without */
#define GATE_MAX_NUMBERS 8

/* The 32-bit integer types of a module that a pass needs numbers of, and these numbers. */
struct gate_numbers {
	uint32_t types[GATE_MAX_INT_TYPES], ids[GATE_MAX_INT_TYPES][GATE_MAX_NUMBERS];
};

/* Numbers of @type will be needed. False: it is no 32-bit integer. */
bool gate_need_numbers(struct gate *g, struct gate_numbers *numbers, uint32_t type);

/* Add constants of every type that is needed, of @values; after all other types and constants. */
void gate_write_numbers(struct gate_writer *w, struct gate_numbers *numbers, const uint32_t *values, uint32_t n);

/* Constants of @type, which was needed, in the order of the values. */
const uint32_t *gate_numbers_of(const struct gate_numbers *numbers, uint32_t type);

/* Does an instruction of @op come before decorations and types? */
bool gate_is_preamble(uint32_t op);

/* Does one come before what a function's first block does? */
bool gate_begins_block(uint32_t op);

static inline uint32_t gate_new_id(struct gate_writer *w)
{
	return w->next_id++;
}

#endif
