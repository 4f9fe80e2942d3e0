// SPDX-License-Identifier: MIT
/*
 * The data-flow analysis of variable pointers, see pointer_targets.h. lower_variable_pointers.c
 * calls it. A value may lead to the places of all its sources, so the analysis repeats until no
 * place is new.
 */
#include "gate/pass/pointer_targets.h"

#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "gate/spirv_info.h"
#include "gate/table.h"

#define MAX_ROUNDS 64u
#define MAX_WORK (1u << 18)		/* places that access chains are applied to */

static const uint64_t null_bit = 1ull << PLACE_NULL;

/* Types */

static bool is_value_type(struct gate *g, uint32_t type_id)
{
	const struct gate_id *type = gate_id(g, type_id);

	return type->op == SpvOpTypePointer &&
	       (type->a == SpvStorageClassStorageBuffer || type->a == SpvStorageClassWorkgroup);
}

static bool look_at_type(struct places *p, const uint32_t *in, uint32_t op, uint32_t words)
{
	switch (op) {
	case SpvOpTypePointer:
		p->holds[in[1]] = is_value_type(p->g, in[1]);
		return !p->holds[in[3]] || in[2] == SpvStorageClassFunction ||
		       in[2] == SpvStorageClassPrivate ||
		       gate_refuse(p->g, "variable pointers: a pointer of storage class %s leads "
				   "to a pointer", gate_class_name(in[2]));
	case SpvOpTypeArray:
	case SpvOpTypeRuntimeArray:
		p->holds[in[1]] = p->holds[in[2]];
		return true;
	case SpvOpTypeStruct:
		for (uint32_t i = 2; i < words; i++)
			p->holds[in[1]] |= p->holds[in[i]];
		return true;
	default:
		return true;
	}
}

/* Places */

bool places_extend(struct gate *g, struct place *place, const uint32_t *in, uint32_t first,
		   uint32_t *slots)
{
	for (uint32_t i = first; i < *in >> 16; i++) {
		const struct gate_id *type = gate_id(g, place->type), *index = gate_id(g, in[i]);

		if (place->n_steps == MAX_STEPS)
			return gate_refuse(
				g, "variable pointers: an access chain is more than %u levels deep",
				MAX_STEPS);
		switch (type->op) {
		case SpvOpTypeStruct:
			if (index->op != SpvOpConstant || index->a >= type->n_members)
				return gate_refuse(g, "variable pointers: the index into "
						   "OpTypeStruct is not a member number");
			place->steps[place->n_steps++] = index->a;
			place->type = type->members[index->a];
			break;
		case SpvOpTypeArray:
		case SpvOpTypeRuntimeArray:
		case SpvOpTypeVector:
		case SpvOpTypeMatrix:
			if (slots)
				slots[place->n_slots] = in[i];
			place->n_slots++;
			place->steps[place->n_steps++] = STEP_SLOT;
			place->type = type->a;
			break;
		default:
			return gate_refuse(
				g, "variable pointers: an access chain has an index into %s",
				gate_op_name(type->op));
		}
	}
	return true;
}

bool places_path(const struct places *p, uint32_t id, struct place *place, uint32_t *slots)
{
	const uint32_t *in = p->g->code + p->made[id], *chain = NULL;

	if ((*in & 0xffff) == SpvOpAccessChain) {
		chain = in;
		in = p->g->code + p->made[in[3]];
	}
	if ((*in & 0xffff) != SpvOpVariable)
		return gate_refuse(p->g, "variable pointers: %s makes a pointer without a variable",
				   gate_op_name(*in & 0xffff));
	*place = (struct place){ .variable = in[2], .type = gate_id(p->g, in[1])->b };
	return !chain || places_extend(p->g, place, chain, 4, slots);
}

uint32_t places_number(struct places *p, const struct place *place)
{
	for (uint32_t i = 1; i <= p->n; i++)
		if (!memcmp(&p->all[i], place, sizeof(*place)))
			return i;
	if (p->n == MAX_PLACES) {
		gate_refuse(p->g, "variable pointers: more than %u targets", MAX_PLACES);
		return 0;
	}
	p->all[++p->n] = *place;
	if (p->n_slots < place->n_slots)
		p->n_slots = place->n_slots;
	return p->n;
}

bool places_has_descriptor(const struct places *p, uint32_t number)
{
	const struct gate_id *pointer = gate_id(p->g, gate_id(p->g, p->all[number].variable)->type);

	return pointer->a == SpvStorageClassStorageBuffer &&
	       gate_id(p->g, pointer->b)->op == SpvOpTypeArray;
}

/* Returns the mask of the places that a pointer of a type may lead to, and PLACE_NULL. */
static uint64_t places_of_type(const struct places *p, uint32_t type_id)
{
	const struct gate_id *type = gate_id(p->g, type_id);
	uint64_t mask = null_bit;

	for (uint32_t i = 1; i <= p->n; i++)
		if (p->all[i].type == type->b &&
		    gate_id(p->g, gate_id(p->g, p->all[i].variable)->type)->a == type->a)
			mask |= 1ull << i;
	return mask;
}

/* Instructions */

bool places_operands(const uint32_t *in, struct place_operands *out)
{
	const uint32_t words = *in >> 16;

	switch (*in & 0xffff) {
	case SpvOpStore:
		*out = (struct place_operands){ 2, 3, 1 };
		return true;
	case SpvOpVariable:
		*out = (struct place_operands){ 4, words, 1 };
		return true;
	case SpvOpPhi:
		*out = (struct place_operands){ 3, words, 2 };
		return true;
	case SpvOpSelect:
		*out = (struct place_operands){ 4, 6, 1 };
		return true;
	case SpvOpCompositeConstruct:
		*out = (struct place_operands){ 3, words, 1 };
		return true;
	case SpvOpCompositeInsert:
	case SpvOpPtrEqual:
	case SpvOpPtrNotEqual:
	case SpvOpPtrDiff:
		*out = (struct place_operands){ 3, 5, 1 };
		return true;
	case SpvOpCompositeExtract:
	case SpvOpCopyObject:
	case SpvOpCopyLogical:
	case SpvOpPtrAccessChain:
		*out = (struct place_operands){ 3, 4, 1 };
		return true;
	default:
		return false;
	}
}

uint32_t places_access(const struct places *p, const uint32_t *in)
{
	struct gate_operands o;

	gate_operands_begin(&o, in);
	for (char letter; (letter = gate_operands_next(&o));) {
		const struct gate_role *role = gate_role(letter);

		if (role && !role->passes && !role->leads && p->kinds[in[o.word]] == POINTER_VALUE)
			return o.word;
	}
	return 0;
}

uint32_t places_only(const struct places *p, uint32_t id)
{
	const uint64_t mask = p->leads[id];

	return mask && !(mask & (mask - 1)) ? (uint32_t)__builtin_ctzll(mask) : 0;
}

/* Classifies the result of an instruction. Its operands were classified before. */
static void look_at_result(struct places *p, const uint32_t *in, uint32_t op)
{
	const bool derived = op == SpvOpAccessChain;

	if (!is_value_type(p->g, in[1])) {
		p->roots[in[2]] = op == SpvOpVariable ? in[2] : derived ? p->roots[in[3]] : 0;
		return;
	}
	if (op == SpvOpVariable || (derived && p->kinds[in[3]] == POINTER_FIXED))
		p->kinds[in[2]] = POINTER_FIXED;
	else
		p->kinds[in[2]] = POINTER_VALUE;
}

/* Assigns places to the fixed pointers that the instruction uses as values. */
static bool look_at_operands(struct places *p, const uint32_t *in)
{
	struct place_operands operands;
	struct place place;

	if (!places_operands(in, &operands))
		return true;
	for (uint32_t i = operands.first; i < operands.end; i += operands.step) {
		if (p->kinds[in[i]] != POINTER_FIXED || p->numbers[in[i]])
			continue;
		if (!places_path(p, in[i], &place, NULL))
			return false;
		p->numbers[in[i]] = places_number(p, &place);
		if (!p->numbers[in[i]])
			return false;
		p->leads[in[i]] = 1ull << p->numbers[in[i]];
	}
	return true;
}

static bool look(struct places *p)
{
	struct gate *g = p->g;

	for (uint32_t at = 5; at < g->words; at += g->code[at] >> 16) {
		const uint32_t *in = gate_look(g, at), op = *in & 0xffff;

		if (!look_at_type(p, in, op, *in >> 16))
			return false;
		if (!gate_has_type(op))
			continue;
		p->made[in[2]] = at;
		look_at_result(p, in, op);
	}
	/* An OpPhi may precede the definition of its operands. */
	for (uint32_t at = 5; at < g->words; at += g->code[at] >> 16)
		if (!look_at_operands(p, gate_look(g, at)))
			return false;
	return true;
}

/* Adds the parts that an access chain leads to, for the places of its base that are new. */
static bool derive(struct places *p, const uint32_t *in, uint32_t first, uint64_t *leads)
{
	uint64_t mask = p->leads[in[3]] & ~p->derived[in[2]];

	p->derived[in[2]] |= mask;
	*leads |= mask & null_bit;
	for (mask &= ~null_bit; mask; mask &= mask - 1) {
		struct place place = p->all[__builtin_ctzll(mask)];
		uint32_t number;

		if (++p->work > MAX_WORK)
			return gate_refuse(
				p->g,
				"variable pointers: access chains have more than %u targets in all",
				MAX_WORK);
		if (!places_extend(p->g, &place, in, first, NULL))
			return false;
		number = places_number(p, &place);
		if (!number)
			return false;
		*leads |= 1ull << number;
	}
	return true;
}

/*
 * Stores in @leads the places of the result of an instruction, or of the value that it stores.
 * @target is the result or the variable; 0: no such value.
 */
static bool leads_of(struct places *p, const uint32_t *in, uint32_t op, uint32_t *target,
		     uint64_t *leads)
{
	struct place_operands operands;

	*target = op == SpvOpStore ? p->roots[in[1]] : gate_has_type(op) ? in[2] : 0;
	*leads = 0;
	if (!*target)
		return true;
	if (op == SpvOpPtrAccessChain)
		return p->kinds[in[2]] != POINTER_VALUE || derive(p, in, 5, leads);
	if (op == SpvOpAccessChain)
		return p->kinds[in[2]] != POINTER_VALUE || derive(p, in, 4, leads);
	if (op != SpvOpStore && op != SpvOpVariable && !p->holds[in[1]])
		return true;
	if (op == SpvOpLoad)
		*leads = p->leads[p->roots[in[3]]];
	else if (op == SpvOpConstantNull || op == SpvOpConstantComposite || op == SpvOpUndef)
		*leads = null_bit;
	else if (places_operands(in, &operands))
		for (uint32_t i = operands.first; i < operands.end; i += operands.step)
			*leads |= p->leads[in[i]];
	return true;
}

static bool flow(struct places *p, const uint32_t *in, bool *changed)
{
	uint32_t target;
	uint64_t leads;

	if (!leads_of(p, in, *in & 0xffff, &target, &leads))
		return false;
	/* A value that is extracted from a struct has only places of its own type. */
	if (leads && p->kinds[target] == POINTER_VALUE)
		leads &= places_of_type(p, gate_id(p->g, target)->type);
	*changed |= leads & ~p->leads[target];
	p->leads[target] |= leads;
	return true;
}

static bool flow_all(struct places *p)
{
	struct gate *g = p->g;
	bool changed = true;

	for (uint32_t round = 0; changed; round++) {
		if (round == MAX_ROUNDS)
			return gate_refuse(g, "variable pointers: no fixed point after %u rounds",
					   MAX_ROUNDS);
		changed = false;
		for (uint32_t at = 5; at < g->words; at += g->code[at] >> 16)
			if (!flow(p, gate_look(g, at), &changed))
				return false;
	}
	return true;
}

bool places_begin(struct places *p, struct gate *g)
{
	const size_t n = g->n_ids + 1;

	*p = (struct places){
		.g = g,
		.made = calloc(n, sizeof(*p->made)), .kinds = calloc(n, sizeof(*p->kinds)),
		.holds = calloc(n, sizeof(*p->holds)), .roots = calloc(n, sizeof(*p->roots)),
		.numbers = calloc(n, sizeof(*p->numbers)), .leads = calloc(n, sizeof(*p->leads)),
		.derived = calloc(n, sizeof(*p->derived)),
	};
	if (!p->made || !p->kinds || !p->holds || !p->roots || !p->numbers || !p->leads ||
	    !p->derived)
		return gate_refuse(g, "out of memory");
	return look(p) && flow_all(p);
}

void places_end(struct places *p)
{
	free(p->made);
	free(p->kinds);
	free(p->holds);
	free(p->roots);
	free(p->numbers);
	free(p->leads);
	free(p->derived);
}
