/* SPDX-License-Identifier: MIT */
/*
 * Counts the accesses of a SPIR-V module at device addresses, and checks that the gate has bounded
 * each of them. For tests of the gate.
 */
#ifndef GATE_ADDRESSES_H
#define GATE_ADDRESSES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include <spirv/unified1/spirv.h>

/* Index of the instruction that defines each id, 0: unknown. */
struct gate_made {
	const uint32_t *code;
	uint32_t *at, bound;
};

static inline const uint32_t *gate_made_by(const struct gate_made *m, uint32_t id)
{
	return m->code + (id < m->bound ? m->at[id] : 0);
}

static inline uint32_t gate_made_op(const struct gate_made *m, uint32_t id)
{
	return id < m->bound && m->at[id] ? *gate_made_by(m, id) & 0xffff : 0;
}

/* Returns true if the type of @id is a pointer to PhysicalStorageBuffer. */
static inline bool gate_leads_to_address(const struct gate_made *m, uint32_t id)
{
	const uint32_t type = gate_made_op(m, id) ? gate_made_by(m, id)[1] : 0;

	return gate_made_op(m, type) == SpvOpTypePointer &&
	       gate_made_by(m, type)[2] == SpvStorageClassPhysicalStorageBuffer;
}

/*
 * Returns true if pointer @id has the form that the gate makes: OpConvertUToPtr of (address & mask)
 * | base, and after it at most an access chain with constant indices.
 */
static inline bool gate_is_held(const struct gate_made *m, uint32_t id)
{
	uint32_t number;

	if (gate_made_op(m, id) == SpvOpAccessChain) {
		for (uint32_t i = 4; i < *gate_made_by(m, id) >> 16; i++)
			if (gate_made_op(m, gate_made_by(m, id)[i]) != SpvOpConstant)
				return false;
		id = gate_made_by(m, id)[3];
	}
	if (gate_made_op(m, id) != SpvOpConvertUToPtr)
		return false;
	number = gate_made_by(m, id)[3];
	return gate_made_op(m, number) == SpvOpBitwiseOr &&
	       gate_made_op(m, gate_made_by(m, number)[3]) == SpvOpBitwiseAnd;
}

/* Returns the index of the word with the pointer operand of @op, or 0 if @op accesses no memory. */
static inline uint32_t gate_access_at(uint32_t op)
{
	if (op == SpvOpStore || op == SpvOpAtomicStore)
		return 1;
	return op == SpvOpLoad || op == SpvOpArrayLength || op == SpvOpAtomicFAddEXT ||
			       (op >= SpvOpAtomicLoad && op <= SpvOpAtomicXor) ? 3 : 0;
}

/*
 * Returns the result id of an instruction, or 0. Instructions without a result id may have another
 * id in that word, which is of an earlier definition.
 */
static inline uint32_t gate_made_id(const uint32_t *in)
{
	const uint32_t op = *in & 0xffff, word = op >= SpvOpTypeVoid && op <= SpvOpTypePipe ? 1 : 2;

	if ((op < SpvOpTypeVoid && op != SpvOpUndef && op != SpvOpExtInst) || op == SpvOpDecorate ||
	    op == SpvOpMemberDecorate || op == SpvOpTypeForwardPointer)
		return 0;
	return *in >> 16 > word ? in[word] : 0;
}

/* Returns the number of accesses at device addresses, or -1 if one of them is not bounded. */
static inline int gate_held_addresses(const uint32_t *code, size_t words)
{
	struct gate_made m = { code, calloc(code[3], sizeof(*m.at)), code[3] };
	int n = 0;

	for (size_t i = 5; m.at && i < words; i += code[i] >> 16) {
		const uint32_t id = gate_made_id(code + i);

		if (id && id < m.bound && !m.at[id])
			m.at[id] = i;
	}
	for (size_t i = 5; m.at && i < words && n >= 0; i += code[i] >> 16) {
		const uint32_t at = gate_access_at(code[i] & 0xffff);

		if (at && gate_leads_to_address(&m, code[i + at]))
			n = gate_is_held(&m, code[i + at]) ? n + 1 : -1;
	}
	free(m.at);
	return n;
}

#endif
