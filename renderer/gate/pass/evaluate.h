/* SPDX-License-Identifier: MIT */
/*
 * Evaluates operations on integers, floats and booleans, for fold_spec_constants.c.
 *
 * Results that the specification leaves undefined are those of Mesa: division by 0 yields 0, and a
 * shift uses only as many low bits of its distance as the width needs.
 */
#ifndef GATE_PASS_EVALUATE_H
#define GATE_PASS_EVALUATE_H

#include <stdbool.h>
#include <stdint.h>

enum gate_scalar_kind { GATE_INTEGER, GATE_FLOAT, GATE_BOOLEAN };

/* An operation, on scalars or on vectors component by component. */
struct gate_operation {
	uint16_t op;
	uint8_t operands;		/* 1 or 2 */
	uint8_t from, to;		/* enum gate_scalar_kind of the operands, of the result */
	bool resizes;	/* the width of the result differs from that of the operands */
};

/* Returns the operation of an opcode; NULL: there is none. */
const struct gate_operation *gate_find_operation(uint32_t op);

/*
 * Returns the result, of @to bits, for operands of @from bits each. @b is ignored if there is one
 * operand. A boolean has 1 bit. The distance of a shift may have any width.
 */
uint64_t gate_evaluate(const struct gate_operation *operation, uint64_t a, uint64_t b,
		       uint32_t from, uint32_t to);

/* Returns the lowest @width bits. */
uint64_t gate_low_bits(uint64_t bits, uint32_t width);

#endif
