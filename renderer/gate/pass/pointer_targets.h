/* SPDX-License-Identifier: MIT */
/*
 * The targets of variable pointers: pointers that are selected, stored in variables, or moved by a
 * number of elements. lower_variable_pointers.c uses this analysis to lower them.
 *
 * A place is a variable and a path to a part of it. The path leaves the indices of elements open:
 * they are the slots of the place. The parts of the types bound the number of places, and moving a
 * pointer by elements adds none.
 */
#ifndef GATE_PASS_POINTER_TARGETS_H
#define GATE_PASS_POINTER_TARGETS_H

#include "gate/module.h"

#define MAX_PLACES 63u			/* the places and PLACE_NULL share a 64-bit mask */
#define MAX_STEPS 20u			/* types have fewer levels */
#define PLACE_NULL 0u
#define STEP_SLOT UINT32_MAX		/* an element; other steps are numbers of members */

struct place {
	uint32_t variable, type;	/* the variable, and the type of the part */
	uint32_t n_steps, n_slots;
	uint32_t steps[MAX_STEPS];
};

/*
 * The kinds of pointers to storage buffers and shared memory. POINTER_VALUE is a variable pointer.
 */
enum pointer_kind {
	POINTER_OTHER,			/* no such pointer */
	POINTER_FIXED,			/* a variable, or an access chain of one */
	POINTER_VALUE,
};

struct places {
	struct gate *g;
	struct place all[MAX_PLACES + 1];	/* index 0 is PLACE_NULL */
	uint32_t n;				/* number of places without PLACE_NULL */
	uint32_t n_slots;			/* the most slots of one place */
	uint32_t work;
	/* By id: */
	uint32_t *made;				/* word of the defining instruction; 0: none */
	uint8_t *kinds;
	bool *holds;				/* type: its values contain such pointers */
	uint32_t *roots;			/* other pointer: the variable it leads into */
	uint32_t *numbers;	/* fixed pointer that becomes a value: number of its place */
	/* Mask of the places that a value, or the content of a variable, may lead to. */
	uint64_t *leads;
	/* Access chain: the places of its base that derive() has processed. */
	uint64_t *derived;
};

/* The words of an instruction that are values: from first up to end, each step words. */
struct place_operands {
	uint32_t first, end, step;
};

/* Analyses the module of @g. The caller calls places_end() also after a refusal. */
bool places_begin(struct places *p, struct gate *g);
void places_end(struct places *p);

/* Stores the words of @in that are values in @out. Returns false if it has none. */
bool places_operands(const uint32_t *in, struct place_operands *out);

/* Returns the word of the variable pointer that an instruction accesses memory through; 0: none. */
uint32_t places_access(const struct places *p, const uint32_t *in);

/* Returns the only place that a value may lead to; 0: it may lead to several, or be null. */
uint32_t places_only(const struct places *p, uint32_t id);

/*
 * Extends @place by the indices of the access chain @in from word @first on. Stores the ids of the
 * element indices in @slots, which has MAX_STEPS entries or is NULL.
 */
bool places_extend(struct gate *g, struct place *place, const uint32_t *in, uint32_t first,
		   uint32_t *slots);

/* Stores the place of a fixed pointer in @place, and the ids of its element indices in @slots. */
bool places_path(const struct places *p, uint32_t id, struct place *place, uint32_t *slots);

/* Returns the number of a place, which is added if it is new; 0: refused, there are too many. */
uint32_t places_number(struct places *p, const struct place *place);

/* Returns true if the first slot of a place selects a descriptor. */
bool places_has_descriptor(const struct places *p, uint32_t number);

#endif
