// SPDX-License-Identifier: MIT
/*
 * Checks where pointers come from and how they are used, for gate_reflect(), see gate.h.
 *
 * Without device addresses, SPIR-V only has pointers to variables and into them. With device
 * addresses, spirv-val is less strict about all pointers, so this file restricts their origin. A
 * pointer to a device address may come from anywhere, because mask_addresses.c rewrites the
 * accesses. For other pointers the gate must know the variable.
 */
#include "gate/check/pointer.h"

#include <spirv/unified1/spirv.h>

#include "gate/spirv_info.h"
#include "spirv/operands.h"

/* Returns true for a pointer type, except one of device addresses. */
static bool is_logical(struct gate *g, uint32_t type_id)
{
	const struct gate_id *type = gate_id(g, type_id);

	return type->op == SpvOpTypePointer && type->a != SpvStorageClassPhysicalStorageBuffer;
}

bool gate_is_address(struct gate *g, uint32_t id)
{
	const struct gate_id *type = gate_id(g, gate_id(g, id)->type);

	return type->op == SpvOpTypePointer && type->a == SpvStorageClassPhysicalStorageBuffer;
}

bool gate_has_addresses(struct gate *g, uint32_t type_id)
{
	const struct gate_id *type = gate_id(g, type_id);

	while (type->op == SpvOpTypeArray || type->op == SpvOpTypeRuntimeArray)
		type = gate_id(g, type->a);
	if (type->op == SpvOpTypePointer)
		return true;
	for (uint32_t i = 0; type->op == SpvOpTypeStruct && i < type->n_members; i++)
		if (gate_has_addresses(g, type->members[i]))
			return true;
	return false;
}

static bool check_model(struct gate *g, uint32_t addressing)
{
	g->addresses = addressing == SpvAddressingModelPhysicalStorageBuffer64;
	return g->addresses || addressing == SpvAddressingModelLogical ||
	       gate_refuse(g, "addressing model %u is not supported", addressing);
}

static bool check_pointer_type(struct gate *g, const uint32_t *in)
{
	if (in[2] == SpvStorageClassPhysicalStorageBuffer && !g->addresses)
		return gate_refuse(g, "storage class PhysicalStorageBuffer needs addressing model "
				   "PhysicalStorageBuffer64");
	if ((in[2] == SpvStorageClassInput || in[2] == SpvStorageClassOutput) &&
	    gate_has_addresses(g, in[3]))
		return gate_refuse(g, "an Input or Output variable contains a pointer");
	return !is_logical(g, in[3]) ||
	       gate_refuse(g, "a pointer to a pointer of storage class %s",
			   gate_class_name(gate_id(g, in[3])->a));
}

/* Checks the parts of a type, from word @first on. */
static bool check_parts(struct gate *g, const uint32_t *in, uint32_t first, uint32_t end)
{
	for (uint32_t i = first; i < end; i++)
		if (is_logical(g, in[i]))
			return gate_refuse(g, "%s contains a pointer of storage class %s",
					   gate_op_name(*in & 0xffff),
					   gate_class_name(gate_id(g, in[i])->a));
	return true;
}

/* Returns true if the result of an instruction leads to a known variable. */
static bool makes_logical(uint32_t op)
{
	switch (op) {
	case SpvOpVariable:
	case SpvOpAccessChain:
	case SpvOpImageTexelPointer:
		return true;
	default:
		return false;
	}
}

static bool check_conversion(struct gate *g, const uint32_t *in)
{
	return !(is_logical(g, in[1]) || is_logical(g, gate_id(g, in[3])->type)) ||
	       gate_refuse(g, "%s of a pointer that is not PhysicalStorageBuffer",
			   gate_op_name(*in & 0xffff));
}

/* Refuses device addresses as operands, from word @first on. */
static bool check_operands(struct gate *g, const uint32_t *in, uint32_t first, uint32_t end)
{
	for (uint32_t i = first; i < end; i++)
		if (gate_is_address(g, in[i]))
			return gate_refuse(g,
					   "%s of a PhysicalStorageBuffer pointer is not supported",
					   gate_op_name(*in & 0xffff));
	return true;
}

bool gate_pointer_ok(struct gate *g, const uint32_t *in, uint32_t op, uint32_t words)
{
	if (spirv_has_type(op) && is_logical(g, in[1]) && !makes_logical(op))
		return gate_refuse(g, "%s makes a pointer of storage class %s", gate_op_name(op),
				   gate_class_name(gate_id(g, in[1])->a));
	switch (op) {
	case SpvOpMemoryModel:
		return check_model(g, in[1]);
	case SpvOpTypePointer:
		return check_pointer_type(g, in);
	case SpvOpTypeArray:
	case SpvOpTypeRuntimeArray:
		return check_parts(g, in, 2, 3);
	case SpvOpTypeStruct:
		return check_parts(g, in, 2, words);
	case SpvOpConvertPtrToU:
	case SpvOpConvertUToPtr:
	case SpvOpBitcast:
		return check_conversion(g, in);
	case SpvOpPtrAccessChain:
		return gate_is_address(g, in[3]) ||
		       gate_refuse(g,
				   "the base of OpPtrAccessChain is not in PhysicalStorageBuffer");
	case SpvOpPtrEqual:
	case SpvOpPtrNotEqual:
	case SpvOpPtrDiff:
		return gate_refuse(g, "%s is supported for variable pointers only",
				   gate_op_name(op));
	/* These access memory through a pointer operand. */
	case SpvOpExtInst:
		return check_operands(g, in, 5, words);
	case SpvOpArrayLength:
	case SpvOpImageTexelPointer:
		return check_operands(g, in, 3, 4);
	case SpvOpCopyMemory:
		return check_operands(g, in, 1, 3);
	default:
		return true;
	}
}
