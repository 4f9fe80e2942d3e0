/* SPDX-License-Identifier: MIT */
/*
 * The targets of variable pointers: pointers that are selected, stored in variables, or moved by a
 * number of elements. lower_variable_pointers.c uses this analysis to lower them.
 *
 * A target is a variable and a path to a part of it. The path leaves the indices of elements open:
 * they are the slots of the target. The parts of the types bound the number of targets, and moving
 * a pointer by elements adds none.
 */
#ifndef GATE_PASS_POINTER_TARGETS_H
#define GATE_PASS_POINTER_TARGETS_H

#include "gate/module.h"

#define GATE_MAX_TARGETS 63u		/* they share a 64-bit mask with GATE_TARGET_NULL */
#define GATE_MAX_STEPS 20u		/* types have fewer levels */
#define GATE_TARGET_NULL 0u
#define GATE_STEP_SLOT UINT32_MAX	/* an element; other steps are numbers of members */

struct gate_target {
	uint32_t variable, type;	/* the variable, and the type of the part */
	uint32_t n_steps, n_slots;
	uint32_t steps[GATE_MAX_STEPS];
};

/*
 * The kinds of pointers to storage buffers and shared memory. GATE_POINTER_VALUE is a variable
 * pointer.
 */
enum gate_pointer_kind {
	GATE_POINTER_OTHER,		/* no such pointer */
	GATE_POINTER_FIXED,		/* a variable, or an access chain of one */
	GATE_POINTER_VALUE,
};

struct gate_targets {
	struct gate *g;
	struct gate_target all[GATE_MAX_TARGETS + 1];	/* index 0 is GATE_TARGET_NULL */
	uint32_t n;			/* number of targets without GATE_TARGET_NULL */
	uint32_t n_slots;		/* the most slots of one target */
	uint32_t work;
	/* By id: */
	uint32_t *defined_at;		/* word of the defining instruction; 0: none */
	uint8_t *kinds;
	bool *has_pointers;		/* type: its values contain such pointers */
	uint32_t *variables;		/* other pointer: the variable it leads into */
	uint32_t *target_of;	/* fixed pointer that becomes a value: number of its target */
	/* Mask of the targets that a value, or the content of a variable, may lead to. */
	uint64_t *points_to;
	/* Access chain: the targets of its base that derive() has processed. */
	uint64_t *derived;
};

/* The words of an instruction that are values: from first up to end, each step words. */
struct gate_value_operands {
	uint32_t first, end, step;
};

/* Analyses the module of @g. The caller calls gate_targets_end() also after a refusal. */
bool gate_targets_begin(struct gate_targets *p, struct gate *g);
void gate_targets_end(struct gate_targets *p);

/* Stores the words of @in that are values in @out. Returns false if it has none. */
bool gate_find_value_operands(const uint32_t *in, struct gate_value_operands *out);

/* Returns the word of the variable pointer that an instruction accesses memory through; 0: none. */
uint32_t gate_targets_access(const struct gate_targets *p, const uint32_t *in);

/* Returns the only target that a value may lead to; 0: it may lead to several, or be null. */
uint32_t gate_targets_only(const struct gate_targets *p, uint32_t id);

/*
 * Extends @target by the indices of the access chain @in from word @first on. Stores the ids of the
 * element indices in @slots, which has GATE_MAX_STEPS entries or is NULL.
 */
bool gate_target_extend(struct gate *g, struct gate_target *target, const uint32_t *in,
			uint32_t first, uint32_t *slots);

/* Stores the target of a fixed pointer in @target, and the ids of its element indices in @slots. */
bool gate_target_of_pointer(const struct gate_targets *p, uint32_t id, struct gate_target *target,
			    uint32_t *slots);

/* Returns the number of a target, which is added if it is new; 0: refused, there are too many. */
uint32_t gate_targets_add(struct gate_targets *p, const struct gate_target *target);

/* Returns true if the first slot of a target selects a descriptor. */
bool gate_targets_has_descriptor(const struct gate_targets *p, uint32_t number);

#endif
