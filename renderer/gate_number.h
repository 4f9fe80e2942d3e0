/* SPDX-License-Identifier: MIT */
/*
 * What operations on numbers and booleans make of theirs, for gate_fold.c.
 *
 * What the specification leaves undefined is what Mesa makes of it: a division by 0 is 0, and of distances of shifts
 * only as many bits count as they need.
 */
#ifndef GATE_NUMBER_H
#define GATE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

enum gate_kind { GATE_INTEGER, GATE_FLOAT, GATE_BOOLEAN };

/* What it takes, and what it makes: that kind, or vectors with as many of them. */
struct gate_operation {
	uint16_t op;
	uint8_t operands;		/* 1 or 2 */
	uint8_t from, to;		/* enum gate_kind */
	bool resizes;			/* its result has another width */
};

/* NULL: it is none. */
const struct gate_operation *gate_operation(uint32_t op);

/*
 * Its result, of @to bits, for operands of @from bits each, or for one, without @b; a boolean has 1. Distances of
 * shifts may have any number of them.
 */
uint64_t gate_compute(const struct gate_operation *operation, uint64_t a, uint64_t b, uint32_t from, uint32_t to);

/* The lowest @width of @bits. */
uint64_t gate_lowest(uint64_t bits, uint32_t width);

#endif
