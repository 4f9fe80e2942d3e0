/* SPDX-License-Identifier: MIT */
/*
 * Injects faults into passes of the gate, to test its verifier (test-mutants). Only builds with
 * GATE_MUTANTS contain this code; the renderer does not.
 */
#ifndef GATE_MUTANTS_H
#define GATE_MUTANTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gate;

#define GATE_MAX_PASSES 32

/* The fault that a test sets before it calls the gate, and the passes that the gate reports. */
struct gate_mutation {
	const char *left_out;		/* the pass that is skipped; NULL: none */
	/* The pass that does not see instructions with an operand of @role; NULL: none. */
	const char *blind;
	char role;			/* a letter of table.h */
	/*
	 * In the result, an operand of a bound that depends on a value becomes another value: the
	 * length of an array is added to itself, and the limit of mesh groups divided by itself.
	 */
	bool wrong_bounds;
	unsigned int n_wrong;		/* operands that were replaced */
	/* The damage to the result: 1 and the number of a kind, see gate_damage_name(); 0: none. */
	unsigned int damage;
	unsigned int n_damaged;		/* places that were damaged */
	const char *running;		/* the pass that runs */
	/* Passes that changed the module, NULL after the last. */
	const char *changes[GATE_MAX_PASSES + 1];
};

extern struct gate_mutation gate_mutation;

/*
 * Set in the opcode of an instruction that a pass must not see. In the table, such an opcode has
 * literal operands only.
 */
#define GATE_UNSEEN 0x8000u

/* Returns the name of a kind of damage; NULL: there are no more kinds. */
const char *gate_damage_name(unsigned int kind);

/*
 * Damages the module, which the gate owns, or what the gate reports of it. Returns the number of
 * damaged places.
 */
unsigned int gate_damage(struct gate *g, unsigned int kind);

/*
 * Called before and after each pass. gate_mutants_begin() returns false if it is out of memory.
 * Otherwise the caller calls gate_mutants_end(), also after a refusal.
 */
bool gate_mutants_begin(struct gate *g);
void gate_mutants_end(struct gate *g);

#endif
