// SPDX-License-Identifier: MIT
/*
 * The data-flow analysis of variable pointers, see pointer_targets.h. lower_variable_pointers.c
 * calls it. A value may lead to the targets of all its sources, so the analysis repeats until no
 * target is new.
 */
#include "gate/pass/pointer_targets.h"

#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "gate/spirv_info.h"
#include "gate/table.h"

#define MAX_ROUNDS 64u
#define MAX_WORK (1u << 18)		/* targets that access chains are applied to */

static const uint64_t null_bit = 1ull << GATE_TARGET_NULL;

/* Types */

static bool is_value_type(struct gate *g, uint32_t type_id)
{
	const struct gate_id *type = gate_id(g, type_id);

	return type->op == SpvOpTypePointer &&
	       (type->a == SpvStorageClassStorageBuffer || type->a == SpvStorageClassWorkgroup);
}

static bool look_at_type(struct gate_targets *p, const uint32_t *in, uint32_t op, uint32_t words)
{
	switch (op) {
	case SpvOpTypePointer:
		p->has_pointers[in[1]] = is_value_type(p->g, in[1]);
		return !p->has_pointers[in[3]] || in[2] == SpvStorageClassFunction ||
		       in[2] == SpvStorageClassPrivate ||
		       gate_refuse(p->g, "variable pointers: a pointer of storage class %s leads "
				   "to a pointer", gate_class_name(in[2]));
	case SpvOpTypeArray:
	case SpvOpTypeRuntimeArray:
		p->has_pointers[in[1]] = p->has_pointers[in[2]];
		return true;
	case SpvOpTypeStruct:
		for (uint32_t i = 2; i < words; i++)
			p->has_pointers[in[1]] |= p->has_pointers[in[i]];
		return true;
	default:
		return true;
	}
}

/* Targets */

bool gate_target_extend(struct gate *g, struct gate_target *target, const uint32_t *in,
			uint32_t first, uint32_t *slots)
{
	for (uint32_t i = first; i < *in >> 16; i++) {
		const struct gate_id *type = gate_id(g, target->type), *index = gate_id(g, in[i]);

		if (target->n_steps == GATE_MAX_STEPS)
			return gate_refuse(
				g, "variable pointers: an access chain is more than %u levels deep",
				GATE_MAX_STEPS);
		switch (type->op) {
		case SpvOpTypeStruct:
			if (index->op != SpvOpConstant || index->a >= type->n_members)
				return gate_refuse(g, "variable pointers: the index into "
						   "OpTypeStruct is not a member number");
			target->steps[target->n_steps++] = index->a;
			target->type = type->members[index->a];
			break;
		case SpvOpTypeArray:
		case SpvOpTypeRuntimeArray:
		case SpvOpTypeVector:
		case SpvOpTypeMatrix:
			if (slots)
				slots[target->n_slots] = in[i];
			target->n_slots++;
			target->steps[target->n_steps++] = GATE_STEP_SLOT;
			target->type = type->a;
			break;
		default:
			return gate_refuse(
				g, "variable pointers: an access chain has an index into %s",
				gate_op_name(type->op));
		}
	}
	return true;
}

bool gate_target_of_pointer(const struct gate_targets *p, uint32_t id, struct gate_target *target,
			    uint32_t *slots)
{
	const uint32_t *in = p->g->code + p->defined_at[id], *chain = NULL;

	if ((*in & 0xffff) == SpvOpAccessChain) {
		chain = in;
		in = p->g->code + p->defined_at[in[3]];
	}
	if ((*in & 0xffff) != SpvOpVariable)
		return gate_refuse(p->g, "variable pointers: %s makes a pointer without a variable",
				   gate_op_name(*in & 0xffff));
	*target = (struct gate_target){ .variable = in[2], .type = gate_id(p->g, in[1])->b };
	return !chain || gate_target_extend(p->g, target, chain, 4, slots);
}

uint32_t gate_targets_add(struct gate_targets *p, const struct gate_target *target)
{
	for (uint32_t i = 1; i <= p->n; i++)
		if (!memcmp(&p->all[i], target, sizeof(*target)))
			return i;
	if (p->n == GATE_MAX_TARGETS) {
		gate_refuse(p->g, "variable pointers: more than %u targets", GATE_MAX_TARGETS);
		return 0;
	}
	p->all[++p->n] = *target;
	if (p->n_slots < target->n_slots)
		p->n_slots = target->n_slots;
	return p->n;
}

bool gate_targets_has_descriptor(const struct gate_targets *p, uint32_t number)
{
	const struct gate_id *pointer = gate_id(p->g, gate_id(p->g, p->all[number].variable)->type);

	return pointer->a == SpvStorageClassStorageBuffer &&
	       gate_id(p->g, pointer->b)->op == SpvOpTypeArray;
}

/* Returns the mask of the targets that a pointer of a type may lead to, and GATE_TARGET_NULL. */
static uint64_t targets_of_type(const struct gate_targets *p, uint32_t type_id)
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

bool gate_find_value_operands(const uint32_t *in, struct gate_value_operands *out)
{
	const uint32_t words = *in >> 16;

	switch (*in & 0xffff) {
	case SpvOpStore:
		*out = (struct gate_value_operands){ 2, 3, 1 };
		return true;
	case SpvOpVariable:
		*out = (struct gate_value_operands){ 4, words, 1 };
		return true;
	case SpvOpPhi:
		*out = (struct gate_value_operands){ 3, words, 2 };
		return true;
	case SpvOpSelect:
		*out = (struct gate_value_operands){ 4, 6, 1 };
		return true;
	case SpvOpCompositeConstruct:
		*out = (struct gate_value_operands){ 3, words, 1 };
		return true;
	case SpvOpCompositeInsert:
	case SpvOpPtrEqual:
	case SpvOpPtrNotEqual:
	case SpvOpPtrDiff:
		*out = (struct gate_value_operands){ 3, 5, 1 };
		return true;
	case SpvOpCompositeExtract:
	case SpvOpCopyObject:
	case SpvOpCopyLogical:
	case SpvOpPtrAccessChain:
		*out = (struct gate_value_operands){ 3, 4, 1 };
		return true;
	default:
		return false;
	}
}

uint32_t gate_targets_access(const struct gate_targets *p, const uint32_t *in)
{
	struct spirv_operands o;

	gate_operands_begin(&o, in);
	for (char letter; (letter = spirv_operands_next(&o));) {
		const struct gate_role *role = gate_role(letter);

		if (role && !role->passes && !role->leads &&
		    p->kinds[in[o.word]] == GATE_POINTER_VALUE)
			return o.word;
	}
	return 0;
}

uint32_t gate_targets_only(const struct gate_targets *p, uint32_t id)
{
	const uint64_t mask = p->points_to[id];

	return mask && !(mask & (mask - 1)) ? (uint32_t)__builtin_ctzll(mask) : 0;
}

/* Classifies the result of an instruction. Its operands were classified before. */
static void look_at_result(struct gate_targets *p, const uint32_t *in, uint32_t op)
{
	const bool derived = op == SpvOpAccessChain;

	if (!is_value_type(p->g, in[1])) {
		p->variables[in[2]] = op == SpvOpVariable ? in[2] :
				      derived ? p->variables[in[3]] : 0;
		return;
	}
	if (op == SpvOpVariable || (derived && p->kinds[in[3]] == GATE_POINTER_FIXED))
		p->kinds[in[2]] = GATE_POINTER_FIXED;
	else
		p->kinds[in[2]] = GATE_POINTER_VALUE;
}

/* Assigns targets to the fixed pointers that the instruction uses as values. */
static bool look_at_operands(struct gate_targets *p, const uint32_t *in)
{
	struct gate_value_operands operands;
	struct gate_target target;

	if (!gate_find_value_operands(in, &operands))
		return true;
	for (uint32_t i = operands.first; i < operands.end; i += operands.step) {
		if (p->kinds[in[i]] != GATE_POINTER_FIXED || p->target_of[in[i]])
			continue;
		if (!gate_target_of_pointer(p, in[i], &target, NULL))
			return false;
		p->target_of[in[i]] = gate_targets_add(p, &target);
		if (!p->target_of[in[i]])
			return false;
		p->points_to[in[i]] = 1ull << p->target_of[in[i]];
	}
	return true;
}

static bool look(struct gate_targets *p)
{
	struct gate *g = p->g;

	for (uint32_t at = 5; at < g->words; at += g->code[at] >> 16) {
		const uint32_t *in = gate_look(g, at), op = *in & 0xffff;

		if (!look_at_type(p, in, op, *in >> 16))
			return false;
		if (!spirv_has_type(op))
			continue;
		p->defined_at[in[2]] = at;
		look_at_result(p, in, op);
	}
	/* An OpPhi may precede the definition of its operands. */
	for (uint32_t at = 5; at < g->words; at += g->code[at] >> 16)
		if (!look_at_operands(p, gate_look(g, at)))
			return false;
	return true;
}

/* Adds the parts that an access chain leads to, for the targets of its base that are new. */
static bool derive(struct gate_targets *p, const uint32_t *in, uint32_t first, uint64_t *points_to)
{
	uint64_t mask = p->points_to[in[3]] & ~p->derived[in[2]];

	p->derived[in[2]] |= mask;
	*points_to |= mask & null_bit;
	for (mask &= ~null_bit; mask; mask &= mask - 1) {
		struct gate_target target = p->all[__builtin_ctzll(mask)];
		uint32_t index;

		if (++p->work > MAX_WORK)
			return gate_refuse(
				p->g,
				"variable pointers: access chains have more than %u targets in all",
				MAX_WORK);
		if (!gate_target_extend(p->g, &target, in, first, NULL))
			return false;
		index = gate_targets_add(p, &target);
		if (!index)
			return false;
		*points_to |= 1ull << index;
	}
	return true;
}

/*
 * Stores in @points_to the targets of the result of an instruction, or of the value that it stores.
 * @holder is the result or the variable; 0: no such value.
 */
static bool find_points_to(struct gate_targets *p, const uint32_t *in, uint32_t op,
			   uint32_t *holder, uint64_t *points_to)
{
	struct gate_value_operands operands;

	*holder = op == SpvOpStore ? p->variables[in[1]] : spirv_has_type(op) ? in[2] : 0;
	*points_to = 0;
	if (!*holder)
		return true;
	if (op == SpvOpPtrAccessChain)
		return p->kinds[in[2]] != GATE_POINTER_VALUE || derive(p, in, 5, points_to);
	if (op == SpvOpAccessChain)
		return p->kinds[in[2]] != GATE_POINTER_VALUE || derive(p, in, 4, points_to);
	if (op != SpvOpStore && op != SpvOpVariable && !p->has_pointers[in[1]])
		return true;
	if (op == SpvOpLoad)
		*points_to = p->points_to[p->variables[in[3]]];
	else if (op == SpvOpConstantNull || op == SpvOpConstantComposite || op == SpvOpUndef)
		*points_to = null_bit;
	else if (gate_find_value_operands(in, &operands))
		for (uint32_t i = operands.first; i < operands.end; i += operands.step)
			*points_to |= p->points_to[in[i]];
	return true;
}

static bool flow(struct gate_targets *p, const uint32_t *in, bool *changed)
{
	uint32_t holder;
	uint64_t points_to;

	if (!find_points_to(p, in, *in & 0xffff, &holder, &points_to))
		return false;
	/* A value that is extracted from a struct has only targets of its own type. */
	if (points_to && p->kinds[holder] == GATE_POINTER_VALUE)
		points_to &= targets_of_type(p, gate_id(p->g, holder)->type);
	*changed |= points_to & ~p->points_to[holder];
	p->points_to[holder] |= points_to;
	return true;
}

static bool flow_all(struct gate_targets *p)
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

bool gate_targets_begin(struct gate_targets *p, struct gate *g)
{
	const size_t n = g->n_ids + 1;

	*p = (struct gate_targets){
		.g = g,
		.defined_at = calloc(n, sizeof(*p->defined_at)),
		.kinds = calloc(n, sizeof(*p->kinds)),
		.has_pointers = calloc(n, sizeof(*p->has_pointers)),
		.variables = calloc(n, sizeof(*p->variables)),
		.target_of = calloc(n, sizeof(*p->target_of)),
		.points_to = calloc(n, sizeof(*p->points_to)),
		.derived = calloc(n, sizeof(*p->derived)),
	};
	if (!p->defined_at || !p->kinds || !p->has_pointers || !p->variables || !p->target_of ||
	    !p->points_to || !p->derived)
		return gate_refuse(g, "out of memory");
	return look(p) && flow_all(p);
}

void gate_targets_end(struct gate_targets *p)
{
	free(p->defined_at);
	free(p->kinds);
	free(p->has_pointers);
	free(p->variables);
	free(p->target_of);
	free(p->points_to);
	free(p->derived);
}
