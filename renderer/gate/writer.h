/* SPDX-License-Identifier: MIT */
/*
 * Writes a module for passes of the gate that rewrite, with types and constants that they need. The
 * pass owns the output (spirv/writer.h).
 */
#ifndef GATE_WRITER_H
#define GATE_WRITER_H

#include "gate/module.h"
#include "spirv/writer.h"

/*
 * Starts a module with the header of @g's. gate_write_end() takes over the code; a caller that does
 * not get there frees w->count.
 */
static inline void gate_write_begin(struct spirv_out *w, const struct gate *g)
{
	spirv_out_begin(w, g->code, g->words);
}

/*
 * Makes the written code the module of @g, and frees the old one. Refuses and frees the code if a
 * write failed.
 */
bool gate_write_end(struct spirv_out *w, struct gate *g);

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
void gate_need_boolean(struct spirv_out *w, struct gate_types *types);
void gate_need_number(struct spirv_out *w, struct gate_types *types);

/* Imports GLSL.std.450 and returns its id. Call it before OpMemoryModel. */
uint32_t gate_write_glsl(struct spirv_out *w);

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
void gate_write_numbers(struct spirv_out *w, struct gate_numbers *numbers, const uint32_t *values,
			uint32_t n);

/* Returns the constants of a registered type, in the order of the values. */
const uint32_t *gate_numbers_of(const struct gate_numbers *numbers, uint32_t type);

#endif
