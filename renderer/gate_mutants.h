/* SPDX-License-Identifier: MIT */
/*
 * Faults of the gate's passes, for tests of its verifier. Builds of the gate with GATE_MUTANTS have them; the renderer's
 * does not.
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
	const char *left_out;		/* the pass that does nothing; NULL: none */
	const char *blind;		/* the pass that does not see the instructions of @role; NULL: none */
	char role;			/* a letter of gate_table.h */
	const char *running;		/* the pass that runs */
	const char *changes[GATE_MAX_PASSES + 1];	/* passes that changed the module, NULL behind the last one */
};

extern struct gate_mutation gate_mutation;

/* Set in the opcode of an instruction that a pass does not see. The table has such opcodes as an instruction of literals. */
#define GATE_UNSEEN 0x8000u

/*
 * Before and after each pass. gate_mutants_begin() returns false if there is no memory. Otherwise gate_mutants_end() has
 * to be called, also after a refusal.
 */
bool gate_mutants_begin(struct gate *g);
void gate_mutants_end(struct gate *g);

#endif
