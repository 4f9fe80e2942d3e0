// SPDX-License-Identifier: MIT
/*
 * Evaluation of integer, float and boolean operations, see evaluate.h. fold_spec_constants.c calls
 * it.
 */
#include "gate/pass/evaluate.h"

#include <stddef.h>

#include <spirv/unified1/spirv.h>

static const struct gate_operation operations[] = {
	{ SpvOpSConvert, 1, GATE_INTEGER, GATE_INTEGER, true },
	{ SpvOpUConvert, 1, GATE_INTEGER, GATE_INTEGER, true },
	{ SpvOpFConvert, 1, GATE_FLOAT, GATE_FLOAT, true },
	{ SpvOpQuantizeToF16, 1, GATE_FLOAT, GATE_FLOAT, false },
	{ SpvOpSNegate, 1, GATE_INTEGER, GATE_INTEGER, false },
	{ SpvOpNot, 1, GATE_INTEGER, GATE_INTEGER, false },
	{ SpvOpIAdd, 2, GATE_INTEGER, GATE_INTEGER, false },
	{ SpvOpISub, 2, GATE_INTEGER, GATE_INTEGER, false },
	{ SpvOpIMul, 2, GATE_INTEGER, GATE_INTEGER, false },
	{ SpvOpUDiv, 2, GATE_INTEGER, GATE_INTEGER, false },
	{ SpvOpSDiv, 2, GATE_INTEGER, GATE_INTEGER, false },
	{ SpvOpUMod, 2, GATE_INTEGER, GATE_INTEGER, false },
	{ SpvOpSRem, 2, GATE_INTEGER, GATE_INTEGER, false },
	{ SpvOpSMod, 2, GATE_INTEGER, GATE_INTEGER, false },
	{ SpvOpShiftRightLogical, 2, GATE_INTEGER, GATE_INTEGER, false },
	{ SpvOpShiftRightArithmetic, 2, GATE_INTEGER, GATE_INTEGER, false },
	{ SpvOpShiftLeftLogical, 2, GATE_INTEGER, GATE_INTEGER, false },
	{ SpvOpBitwiseOr, 2, GATE_INTEGER, GATE_INTEGER, false },
	{ SpvOpBitwiseXor, 2, GATE_INTEGER, GATE_INTEGER, false },
	{ SpvOpBitwiseAnd, 2, GATE_INTEGER, GATE_INTEGER, false },
	{ SpvOpLogicalOr, 2, GATE_BOOLEAN, GATE_BOOLEAN, false },
	{ SpvOpLogicalAnd, 2, GATE_BOOLEAN, GATE_BOOLEAN, false },
	{ SpvOpLogicalNot, 1, GATE_BOOLEAN, GATE_BOOLEAN, false },
	{ SpvOpLogicalEqual, 2, GATE_BOOLEAN, GATE_BOOLEAN, false },
	{ SpvOpLogicalNotEqual, 2, GATE_BOOLEAN, GATE_BOOLEAN, false },
	{ SpvOpIEqual, 2, GATE_INTEGER, GATE_BOOLEAN, true },
	{ SpvOpINotEqual, 2, GATE_INTEGER, GATE_BOOLEAN, true },
	{ SpvOpULessThan, 2, GATE_INTEGER, GATE_BOOLEAN, true },
	{ SpvOpSLessThan, 2, GATE_INTEGER, GATE_BOOLEAN, true },
	{ SpvOpUGreaterThan, 2, GATE_INTEGER, GATE_BOOLEAN, true },
	{ SpvOpSGreaterThan, 2, GATE_INTEGER, GATE_BOOLEAN, true },
	{ SpvOpULessThanEqual, 2, GATE_INTEGER, GATE_BOOLEAN, true },
	{ SpvOpSLessThanEqual, 2, GATE_INTEGER, GATE_BOOLEAN, true },
	{ SpvOpUGreaterThanEqual, 2, GATE_INTEGER, GATE_BOOLEAN, true },
	{ SpvOpSGreaterThanEqual, 2, GATE_INTEGER, GATE_BOOLEAN, true },
};

const struct gate_operation *gate_find_operation(uint32_t op)
{
	for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++)
		if (operations[i].op == op)
			return &operations[i];
	return NULL;
}

static int64_t with_sign(uint64_t bits, uint32_t width)
{
	return (int64_t)(bits << (64 - width)) >> (64 - width);
}

static uint64_t quotient(int64_t a, int64_t b)
{
	if (!b)
		return 0;
	return b == -1 ? -(uint64_t)a : (uint64_t)(a / b);
}

static uint64_t remainder_of(int64_t a, int64_t b, bool has_sign_of_b)
{
	int64_t rest;

	if (!b || b == -1)
		return 0;
	rest = a % b;
	return has_sign_of_b && rest && (rest < 0) != (b < 0) ? rest + b : rest;
}

/*
 * Operands have @width bits each, except distances. The result may have more bits, which the caller
 * drops.
 */
static uint64_t integers(uint32_t op, uint64_t a, uint64_t b, uint32_t width)
{
	const int64_t sa = with_sign(a, width), sb = with_sign(b, width);
	const uint32_t distance = b & (width - 1);

	switch (op) {
	case SpvOpSConvert:			return sa;
	case SpvOpUConvert:			return a;
	case SpvOpSNegate:			return -a;
	case SpvOpNot:				return ~a;
	case SpvOpIAdd:				return a + b;
	case SpvOpISub:				return a - b;
	case SpvOpIMul:				return a * b;
	case SpvOpUDiv:				return b ? a / b : 0;
	case SpvOpSDiv:				return quotient(sa, sb);
	case SpvOpUMod:				return b ? a % b : 0;
	case SpvOpSRem:				return remainder_of(sa, sb, false);
	case SpvOpSMod:				return remainder_of(sa, sb, true);
	case SpvOpShiftRightLogical:		return a >> distance;
	case SpvOpShiftRightArithmetic:		return sa >> distance;
	case SpvOpShiftLeftLogical:		return a << distance;
	case SpvOpBitwiseOr:			return a | b;
	case SpvOpBitwiseXor:			return a ^ b;
	case SpvOpBitwiseAnd:			return a & b;
	case SpvOpIEqual:			return a == b;
	case SpvOpINotEqual:			return a != b;
	case SpvOpULessThan:			return a < b;
	case SpvOpSLessThan:			return sa < sb;
	case SpvOpUGreaterThan:			return a > b;
	case SpvOpSGreaterThan:			return sa > sb;
	case SpvOpULessThanEqual:		return a <= b;
	case SpvOpSLessThanEqual:		return sa <= sb;
	case SpvOpUGreaterThanEqual:		return a >= b;
	default:				return sa >= sb;	/* SpvOpSGreaterThanEqual */
	}
}

static uint64_t booleans(uint32_t op, bool a, bool b)
{
	switch (op) {
	case SpvOpLogicalOr:			return a || b;
	case SpvOpLogicalAnd:			return a && b;
	case SpvOpLogicalNot:			return !a;
	case SpvOpLogicalEqual:			return a == b;
	default:				return a != b;	/* SpvOpLogicalNotEqual */
	}
}

union real {
	uint64_t bits;
	_Float16 half;
	float single;
	double whole;
};

static uint64_t reals(uint32_t op, uint64_t a, uint32_t width, uint32_t to)
{
	const union real in = { .bits = a };
	const double value = width == 16 ? (double)in.half :
			     width == 32 ? (double)in.single :
					   in.whole;
	union real out = { .bits = 0 };

	if (op == SpvOpQuantizeToF16)
		/* A value that would be a denormal half becomes 0. */
		out.single = value > -0x1p-14 && value < 0x1p-14 ? (float)(value * 0.0) :
								   (float)(_Float16)in.single;
	else if (to == 16)
		out.half = (_Float16)value;
	else if (to == 32)
		out.single = (float)value;
	else
		out.whole = value;
	return out.bits;
}

uint64_t gate_low_bits(uint64_t bits, uint32_t width)
{
	return width < 64 ? bits & ((1ull << width) - 1) : bits;
}

uint64_t gate_evaluate(const struct gate_operation *operation, uint64_t a, uint64_t b,
		       uint32_t from, uint32_t to)
{
	switch (operation->from) {
	case GATE_INTEGER:
		return gate_low_bits(integers(operation->op, a, b, from), to);
	case GATE_FLOAT:
		return gate_low_bits(reals(operation->op, a, from, to), to);
	default:
		return booleans(operation->op, a, b);
	}
}
