/* SPDX-License-Identifier: MIT */
/*
 * Checks that the gate has replaced variable pointers, so that the target of each pointer is known.
 * For tests of the gate.
 */
#ifndef GATE_POINTERS_H
#define GATE_POINTERS_H

#include <spirv/unified1/GLSL.std.450.h>

#include "gate-addresses.h"

/* Returns the storage class of a pointer, or UINT32_MAX if @id is not a pointer. */
static inline uint32_t gate_class_of(const struct gate_made *m, uint32_t id)
{
	const uint32_t op = gate_made_op(m, id);
	const bool is_value = op == SpvOpUndef || op == SpvOpExtInst ||
			      (op > SpvOpTypeForwardPointer && op != SpvOpLabel);
	const uint32_t type = is_value ? gate_made_by(m, id)[1] : 0;

	return gate_made_op(m, type) == SpvOpTypePointer ? gate_made_by(m, type)[2] : UINT32_MAX;
}

static inline bool gate_is_chain(uint32_t op)
{
	return op == SpvOpAccessChain || op == SpvOpInBoundsAccessChain;
}

static inline bool gate_makes_fixed(uint32_t op)
{
	return op == SpvOpVariable || gate_is_chain(op) || op == SpvOpCopyObject ||
	       op == SpvOpImageTexelPointer ||
	       op == SpvOpFunctionParameter;
}

/* Returns true if each index of the access chain is constant or clamped. */
static inline bool gate_is_clamped(const struct gate_made *m, const uint32_t *chain)
{
	for (uint32_t i = 4; i < *chain >> 16; i++) {
		const uint32_t op = gate_made_op(m, chain[i]), *in = gate_made_by(m, chain[i]);

		if (op != SpvOpConstant && op != SpvOpConstantNull &&
		    (op != SpvOpExtInst ||
		     (in[4] != GLSLstd450UClamp && in[4] != GLSLstd450SClamp)))
			return false;
	}
	return true;
}

/*
 * Returns the number of instructions @op that access a storage buffer or shared memory, or -1 if
 * the target of a pointer to them is variable. With @clamped, also -1 if an index of an access
 * chain is neither constant nor clamped.
 */
static inline int gate_fixed_pointers(const uint32_t *code, size_t words, uint32_t op, bool clamped)
{
	struct gate_made m = { code, calloc(code[3], sizeof(*m.at)), code[3] };
	int n = 0;

	for (size_t i = 5; m.at && i < words; i += code[i] >> 16) {
		const uint32_t id = gate_made_id(code + i);

		if (id && id < m.bound && !m.at[id])
			m.at[id] = i;
	}
	for (size_t i = 5; m.at && i < words && n >= 0; i += code[i] >> 16) {
		const uint32_t *in = code + i, id = gate_made_id(in),
			at = (*in & 0xffff) == op ? gate_access_at(op) : 0;
		const uint32_t made = id && m.at[id] == i ? gate_class_of(&m, id) : UINT32_MAX;
		const uint32_t class = at ? gate_class_of(&m, in[at]) : UINT32_MAX;

		n += class == SpvStorageClassStorageBuffer || class == SpvStorageClassWorkgroup;
		if (made == SpvStorageClassStorageBuffer || made == SpvStorageClassWorkgroup) {
			if (!gate_makes_fixed(*in & 0xffff))
				n = -1;
			else if (clamped && gate_is_chain(*in & 0xffff) && !gate_is_clamped(&m, in))
				n = -1;
		}
	}
	free(m.at);
	return n;
}

#endif
