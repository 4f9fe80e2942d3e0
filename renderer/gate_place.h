/* SPDX-License-Identifier: MIT */
/*
 * Where pointers lead that are values: variable pointers, which are chosen, stored in variables, or moved by a number of
 * elements. See gate_choose.c.
 *
 * A place is a variable and the way into a part of it, with the numbers of elements left open: they are the place's
 * slots. There are as many places as types have parts, and what moves a pointer finds no new ones.
 */
#ifndef GATE_PLACE_H
#define GATE_PLACE_H

#include "gate_module.h"

#define MAX_PLACES 63u			/* in a mask, behind PLACE_NULL */
#define MAX_STEPS 20u			/* types have fewer levels */
#define PLACE_NULL 0u
#define STEP_SLOT UINT32_MAX		/* an element; other steps are numbers of members */

struct place {
	uint32_t variable, type;	/* the part's */
	uint32_t n_steps, n_slots;
	uint32_t steps[MAX_STEPS];
};

/* What a pointer to a storage buffer or to shared memory is. */
enum pointer_kind {
	POINTER_OTHER,			/* none of those */
	POINTER_FIXED,			/* a variable, or what access chains make of one */
	POINTER_VALUE,
};

struct places {
	struct gate *g;
	struct place all[MAX_PLACES + 1];	/* the first is none */
	uint32_t n;				/* of them, without that */
	uint32_t n_slots;			/* the most that one has */
	uint32_t work;
	/* By id: */
	uint32_t *made;				/* the word of the instruction that makes it, 0: none does */
	uint8_t *kinds;
	bool *holds;				/* of a type: there are such pointers in its values */
	uint32_t *roots;			/* of other pointers: the variable they lead into */
	uint32_t *numbers;			/* of fixed ones that become values: their place */
	uint64_t *leads;			/* where a value, or what is in a variable, may lead: a mask */
	uint64_t *derived;			/* what of that was looked at for an access chain of it */
};

/* Words of an instruction that are values, or hold them. */
struct place_operands {
	uint32_t first, end, step;
};

/* Find them all. On refusal, too, places_end() has to follow. */
bool places_begin(struct places *p, struct gate *g);
void places_end(struct places *p);

/* Of an instruction; false: it has none. */
bool places_operands(const uint32_t *in, struct place_operands *out);

/* The word with the pointer that an instruction reads or writes at, if that is a value; 0: there is none. */
uint32_t places_access(const struct places *p, const uint32_t *in);

/* The only place that a value may lead to; 0: there are others, or it may be null. */
uint32_t places_only(const struct places *p, uint32_t id);

/* Go into a part, by the indices of an access chain from word @first on. @slots, of MAX_STEPS: those that are elements. */
bool places_extend(struct gate *g, struct place *place, const uint32_t *in, uint32_t first, uint32_t *slots);

/* The way to a fixed pointer. */
bool places_path(const struct places *p, uint32_t id, struct place *place, uint32_t *slots);

/* The number of a place, which is a new one if need be; 0: it was refused. */
uint32_t places_number(struct places *p, const struct place *place);

/* Is the first slot the number of a descriptor? */
bool places_has_descriptor(const struct places *p, uint32_t number);

#endif
