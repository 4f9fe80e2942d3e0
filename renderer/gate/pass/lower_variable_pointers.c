// SPDX-License-Identifier: MIT
/*
 * Lowers variable pointers, which are pointers that are values, so that later passes meet none.
 * gate.c runs it as pass "variable-pointers", see gate.h.
 *
 * SPIRV-Tools clamps no index in a module with variable pointers, and lavapipe trusts the index of
 * the descriptor in one. Here each of them becomes a struct of integers: the number of its target
 * (pointer_targets.h), and its slots from the last to the first. A read or write switches on the
 * target to select an access chain of a variable, whose indices are clamped like all others. So for
 * any value of these integers an access reaches only targets of the module, and there only elements
 * that exist. A pointer that is null, or has a target that cannot occur at the access, reads zeros
 * and writes nothing.
 *
 * The switch splits a block into several. An OpPhi that names the block as a parent names the last
 * of them instead. The OpLoopMerge of a loop header stays in front of the switch.
 */
#include "gate/pass/lower_variable_pointers.h"

#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "gate/check/allow.h"
#include "gate/check/pointer.h"
#include "gate/pass/pointer_targets.h"
#include "gate/table.h"
#include "gate/writer.h"

#define MAX_WRITTEN (1u << 20)		/* words of all functions */
#define MAX_SMALL 256u			/* constants below this are shared */
#define MAX_MEMBERS (GATE_MAX_STEPS + 1)	/* of the struct: the target, and slots */
#define EXTENSION "SPV_KHR_variable_pointers"

/* The sections of the rewritten module, in this order. */
enum { HEAD, DECORATIONS, TYPES, CONSTANTS, CODE, N_PARTS };

/* The block that is being written. */
struct block {
	uint32_t label;			/* its label in the original module */
	uint32_t current;		/* label of the current block in the output */
	const uint32_t *merge;	/* OpLoopMerge that is written early; NULL: it stays in place */
	bool pending;			/* it is not written yet */
	uint32_t new_continue;	/* label, if the block was its own continue target; 0: it was not */
};

struct lowering {
	struct gate_targets targets;
	struct gate *g;
	struct spirv_out parts[N_PARTS];	/* the first part allocates ids */
	int part;				/* the part that instructions are copied to */
	/* Types: unsigned 32-bit integer, boolean, the struct. */
	uint32_t number, boolean, pointer;
	uint32_t n_members;
	uint32_t small[MAX_SMALL];		/* ids of constants; 0: not written */
	bool has_descriptors;			/* there are targets in arrays of storage buffers */
	struct block block;
	/* By id: */
	uint32_t *values;			/* fixed pointer: its struct */
	uint32_t *nulls;			/* type: its null constant */
	uint32_t *last;	/* label: that of the last block it was split into */
};

static uint32_t new_id(struct lowering *c)
{
	return spirv_new_id(&c->parts[HEAD]);
}

static struct spirv_out *code(struct lowering *c)
{
	return &c->parts[CODE];
}

/* Constants */

static uint32_t number(struct lowering *c, uint32_t value)
{
	uint32_t id = value < MAX_SMALL ? c->small[value] : 0;

	if (id)
		return id;
	id = new_id(c);
	SPIRV_EMIT(&c->parts[CONSTANTS], SpvOpConstant, c->number, id, value);
	if (value < MAX_SMALL)
		c->small[value] = id;
	return id;
}

static uint32_t null_of(struct lowering *c, uint32_t type)
{
	if (!c->nulls[type]) {
		c->nulls[type] = new_id(c);
		SPIRV_EMIT(&c->parts[CONSTANTS], SpvOpConstantNull, type, c->nulls[type]);
	}
	return c->nulls[type];
}

/*
 * Returns the result of a read without a matching target. Types with device addresses have no
 * constants, and any address will do: it is undefined.
 */
static uint32_t result_without_target(struct lowering *c, uint32_t type)
{
	uint32_t id;

	if (!gate_has_addresses(c->g, type))
		return null_of(c, type);
	id = new_id(c);
	SPIRV_EMIT(&c->parts[CONSTANTS], SpvOpUndef, type, id);
	return id;
}

/*
 * Indices and slots are signed, since a pointer may move in front of its array and come back.
 * Values that do not fit 32 bits saturate, which keeps them out of bounds.
 */

static uint32_t write_operation(struct lowering *c, uint32_t op, uint32_t type, uint32_t a,
				uint32_t b)
{
	const uint32_t id = new_id(c);

	SPIRV_EMIT(code(c), op, type, id, a, b);
	return id;
}

static uint32_t write_conditional(struct lowering *c, uint32_t condition, uint32_t a, uint32_t b)
{
	const uint32_t id = new_id(c);

	SPIRV_EMIT(code(c), SpvOpSelect, c->number, id, condition, a, b);
	return id;
}

static uint32_t narrow(struct lowering *c, uint32_t id)
{
	const uint32_t type = gate_id(c->g, id)->type, low = new_id(c), least = new_id(c),
		       most = new_id(c);
	uint32_t result;

	SPIRV_EMIT(&c->parts[CONSTANTS], SpvOpConstant, type, least, (uint32_t)INT32_MIN,
		   UINT32_MAX);
	SPIRV_EMIT(&c->parts[CONSTANTS], SpvOpConstant, type, most, INT32_MAX, 0);
	SPIRV_EMIT(code(c), SpvOpUConvert, c->number, low, id);
	result = write_conditional(c, write_operation(c, SpvOpSGreaterThan, c->boolean, id, most),
				   number(c, INT32_MAX), low);
	return write_conditional(c, write_operation(c, SpvOpSLessThan, c->boolean, id, least),
				 number(c, INT32_MIN), result);
}

static uint32_t constant_slot(const struct lowering *c, uint32_t id, uint32_t bits)
{
	const uint32_t *words = c->g->code + c->targets.defined_at[id] + 3;
	int64_t value;

	if (bits <= 32)
		return words[0];
	value = (int64_t)((uint64_t)words[1] << 32 | words[0]);
	return value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? (uint32_t)INT32_MIN : words[0];
}

/* Returns an index as a number of 32 bits. */
static uint32_t slot_of(struct lowering *c, uint32_t id)
{
	const struct gate_id *value = gate_id(c->g, id), *type = gate_id(c->g, value->type);
	uint32_t result;

	if (value->op == SpvOpConstant)
		return number(c, constant_slot(c, id, type->a));
	if (value->op == SpvOpConstantNull)
		return number(c, 0);
	if (value->type == c->number)
		return id;
	if (type->a > 32)
		return narrow(c, id);
	result = new_id(c);
	SPIRV_EMIT(code(c), type->a < 32 ? SpvOpSConvert : SpvOpBitcast, c->number, result, id);
	return result;
}

/* Returns @slot moved by @element, saturated. In most loops the element is a constant. */
static uint32_t write_sum(struct lowering *c, uint32_t slot, uint32_t element)
{
	const struct gate_id *value = gate_id(c->g, element);
	const uint32_t by = slot_of(c, element),
		       sum = write_operation(c, SpvOpIAdd, c->number, slot, by);
	const bool is_known = value->op == SpvOpConstant || value->op == SpvOpConstantNull;
	uint32_t is_back, wraps, farthest;

	if (is_known) {
		const bool is_less = value->op == SpvOpConstant &&
				     constant_slot(c, element, gate_id(c->g, value->type)->a) >> 31;

		wraps = write_operation(c, is_less ? SpvOpSGreaterThan : SpvOpSLessThan, c->boolean,
					sum, slot);
		return write_conditional(c, wraps, number(c, is_less ? INT32_MIN : INT32_MAX), sum);
	}
	is_back = write_operation(c, SpvOpSLessThan, c->boolean, by, number(c, 0));
	wraps = write_operation(c, SpvOpLogicalNotEqual, c->boolean,
				write_operation(c, SpvOpSLessThan, c->boolean, sum, slot), is_back);
	farthest = write_conditional(c, is_back, number(c, INT32_MIN), number(c, INT32_MAX));
	return write_conditional(c, wraps, farthest, sum);
}

/* Pointers as values */

/* Returns the id that stands for an operand: the struct of a fixed pointer, else the operand. */
static uint32_t value_of(const struct lowering *c, uint32_t id)
{
	return c->values[id] ? c->values[id] : id;
}

static uint32_t member_of(struct lowering *c, uint32_t value, uint32_t member)
{
	const uint32_t id = new_id(c);

	SPIRV_EMIT(code(c), SpvOpCompositeExtract, c->number, id, value, member);
	return id;
}

/* Writes the struct @id with @members. */
static void write_struct(struct lowering *c, struct spirv_out *w, uint32_t op, uint32_t id,
			 const uint32_t *members)
{
	uint32_t in[3 + MAX_MEMBERS] = { 0, c->pointer, id };

	memcpy(in + 3, members, c->n_members * sizeof(*members));
	spirv_put_instruction(w, op, in, 3 + c->n_members);
}

/*
 * Writes the struct of a fixed pointer after the instruction that makes it; that of a variable is a
 * constant.
 */
static bool write_value(struct lowering *c, uint32_t id, bool is_variable)
{
	uint32_t members[MAX_MEMBERS], slots[GATE_MAX_STEPS];
	struct gate_target target;

	if (!gate_target_of_pointer(&c->targets, id, &target, slots))
		return false;
	members[0] = number(c, c->targets.target_of[id]);
	for (uint32_t i = 1; i < c->n_members; i++)
		members[i] =
			i <= target.n_slots ? slot_of(c, slots[target.n_slots - i]) : number(c, 0);
	write_struct(c, is_variable ? &c->parts[CONSTANTS] : code(c),
		     is_variable ? SpvOpConstantComposite : SpvOpCompositeConstruct, c->values[id],
		     members);
	return true;
}

/*
 * Stores the target of the pointer that @in derives from @base in @result. If the base may have
 * several targets, the code selects among the targets that they become.
 */
static bool write_target(struct lowering *c, const uint32_t *in, uint32_t first, uint32_t base,
			 uint32_t *result)
{
	uint64_t mask = c->targets.points_to[in[3]] & ~(1ull << GATE_TARGET_NULL);
	const bool only = gate_targets_only(&c->targets, in[3]);
	uint32_t old;

	*result = first < *in >> 16 ? number(c, 0) : member_of(c, base, 0);
	old = !only && first < *in >> 16 ? member_of(c, base, 0) : 0;
	for (; mask && first < *in >> 16; mask &= mask - 1) {
		const uint32_t from = (uint32_t)__builtin_ctzll(mask), before = *result;
		struct gate_target target = c->targets.all[from];
		uint32_t to, is_it;

		to = gate_target_extend(c->g, &target, in, first, NULL) ?
			     gate_targets_add(&c->targets, &target) : 0;
		if (!to)
			return false;
		*result = number(c, to);
		if (only)
			continue;
		is_it = new_id(c);
		*result = new_id(c);
		SPIRV_EMIT(code(c), SpvOpIEqual, c->boolean, is_it, old, number(c, from));
		SPIRV_EMIT(code(c), SpvOpSelect, c->number, *result, is_it, number(c, to), before);
	}
	return true;
}

/*
 * Writes a pointer that is derived from another one: moved by @element, if that is not 0, and then
 * into a part.
 */
static bool write_derived(struct lowering *c, const uint32_t *in, uint32_t first, uint32_t element)
{
	struct gate_target part = { .type = gate_id(c->g, gate_id(c->g, in[3])->type)->b };
	uint32_t members[MAX_MEMBERS], slots[GATE_MAX_STEPS];
	const uint32_t base = value_of(c, in[3]);

	if (!gate_target_extend(c->g, &part, in, first, slots) ||
	    !write_target(c, in, first, base, &members[0]))
		return false;
	for (uint32_t i = 1; i < c->n_members; i++)
		members[i] = i <= part.n_slots ? slot_of(c, slots[part.n_slots - i]) :
						 member_of(c, base, i - part.n_slots);
	if (element && part.n_slots + 1 < c->n_members)
		members[part.n_slots + 1] = write_sum(c, members[part.n_slots + 1], element);
	write_struct(c, code(c), SpvOpCompositeConstruct, in[2], members);
	return true;
}

/* OpSelect takes structs only since SPIR-V 1.4, so each member is selected. */
static void write_select(struct lowering *c, const uint32_t *in)
{
	const uint32_t a = value_of(c, in[4]), b = value_of(c, in[5]);
	uint32_t members[MAX_MEMBERS];

	for (uint32_t i = 0; i < c->n_members; i++) {
		const uint32_t of_a = member_of(c, a, i), of_b = member_of(c, b, i);

		members[i] = new_id(c);
		SPIRV_EMIT(code(c), SpvOpSelect, c->number, members[i], in[3], of_a, of_b);
	}
	write_struct(c, code(c), SpvOpCompositeConstruct, in[2], members);
}

/* Compares the targets and all slots. Slots that a target does not have are 0. */
static void write_comparison(struct lowering *c, const uint32_t *in, bool differs)
{
	const uint32_t a = value_of(c, in[3]), b = value_of(c, in[4]);
	uint32_t all = 0;

	for (uint32_t i = 0; i < c->n_members; i++) {
		const uint32_t of_a = member_of(c, a, i), of_b = member_of(c, b, i),
			       one = new_id(c), before = all;

		SPIRV_EMIT(code(c), differs ? SpvOpINotEqual : SpvOpIEqual, c->boolean, one, of_a,
			   of_b);
		all = before ? new_id(c) : one;
		if (before)
			SPIRV_EMIT(code(c), differs ? SpvOpLogicalOr : SpvOpLogicalAnd, c->boolean,
				   all, before, one);
	}
	SPIRV_EMIT(code(c), SpvOpCopyObject, in[1], in[2], all);
}

/* Writes OpPtrDiff of pointers into one array: the difference of their last slots. */
static void write_distance(struct lowering *c, const uint32_t *in)
{
	const uint32_t member = c->n_members > 1 ? 1 : 0, bits = gate_id(c->g, in[1])->a,
		       difference = new_id(c);
	const uint32_t a = member_of(c, value_of(c, in[3]), member),
		       b = member_of(c, value_of(c, in[4]), member);

	SPIRV_EMIT(code(c), SpvOpISub, c->number, difference, a, b);
	if (in[1] == c->number)
		SPIRV_EMIT(code(c), SpvOpCopyObject, in[1], in[2], difference);
	else
		SPIRV_EMIT(code(c), bits == 32 ? SpvOpBitcast : SpvOpSConvert, in[1], in[2],
			   difference);
}

/* Accesses */

static void decorate_non_uniform(struct lowering *c, uint32_t id)
{
	SPIRV_EMIT(&c->parts[DECORATIONS], SpvOpDecorate, id, SpvDecorationNonUniform);
}

/*
 * Returns a pointer of @type to target @index with the slots of @value. An index into an array of
 * buffers may differ between invocations.
 */
static uint32_t write_chain(struct lowering *c, uint32_t index, uint32_t type, uint32_t value)
{
	const struct gate_target *target = &c->targets.all[index];
	uint32_t in[4 + GATE_MAX_STEPS] = { 0, type, 0, target->variable }, slot = target->n_slots;
	const bool has_descriptor = gate_targets_has_descriptor(&c->targets, index);

	if (!target->n_steps)
		return target->variable;
	for (uint32_t i = 0; i < target->n_steps; i++)
		in[4 + i] = target->steps[i] == GATE_STEP_SLOT ? member_of(c, value, slot--) :
								number(c, target->steps[i]);
	in[2] = new_id(c);
	spirv_put_instruction(code(c), SpvOpAccessChain, in, 4 + target->n_steps);
	if (has_descriptor) {
		decorate_non_uniform(c, in[4]);
		decorate_non_uniform(c, in[2]);
	}
	return in[2];
}

/*
 * Writes @in with a pointer to @target in word @at, and with @result as its result unless that is
 * 0.
 */
static void write_access(struct lowering *c, const uint32_t *in, uint32_t at, uint32_t target,
			 uint32_t result)
{
	const uint32_t chain = write_chain(c, target, gate_id(c->g, in[at])->type, in[at]);
	struct spirv_out *w = code(c);
	const size_t begin = w->count;

	spirv_copy(w, in);
	if (w->failed)
		return;
	w->words[begin + at] = chain;
	if (result)
		w->words[begin + 2] = result;
}

/* Writes a switch with @in for each target that the pointer in word @at may have. */
static void write_switch(struct lowering *c, const uint32_t *in, uint32_t at)
{
	const uint64_t points_to = c->targets.points_to[in[at]] & ~(1ull << GATE_TARGET_NULL);
	const bool has_result =
		spirv_has_type(*in & 0xffff) && gate_id(c->g, in[1])->op != SpvOpTypeVoid;
	const uint32_t n = __builtin_popcountll(points_to), target = member_of(c, in[at], 0),
		       merge = new_id(c), none = new_id(c);
	uint32_t cases[3 + 2 * GATE_MAX_TARGETS] = { 0, target, none };
	uint32_t phi[5 + 2 * GATE_MAX_TARGETS] = { 0, in[1], in[2] };
	uint32_t i = 0;

	for (uint64_t mask = points_to; mask; mask &= mask - 1, i++) {
		cases[3 + 2 * i] = (uint32_t)__builtin_ctzll(mask);
		cases[4 + 2 * i] = new_id(c);
	}
	SPIRV_EMIT(code(c), SpvOpSelectionMerge, merge, 0);
	spirv_put_instruction(code(c), SpvOpSwitch, cases, 3 + 2 * n);
	SPIRV_EMIT(code(c), SpvOpLabel, none);
	SPIRV_EMIT(code(c), SpvOpBranch, merge);
	for (i = 0; i < n; i++) {
		phi[5 + 2 * i] = has_result ? new_id(c) : 0;
		phi[6 + 2 * i] = cases[4 + 2 * i];
		SPIRV_EMIT(code(c), SpvOpLabel, cases[4 + 2 * i]);
		write_access(c, in, at, cases[3 + 2 * i], phi[5 + 2 * i]);
		SPIRV_EMIT(code(c), SpvOpBranch, merge);
	}
	SPIRV_EMIT(code(c), SpvOpLabel, merge);
	c->block.current = merge;
	if (!has_result)
		return;
	phi[3] = result_without_target(c, in[1]);
	phi[4] = none;
	spirv_put_instruction(code(c), SpvOpPhi, phi, 5 + 2 * n);
}

/* Blocks */

static bool branches_to(const uint32_t *in, uint32_t label)
{
	const uint32_t op = *in & 0xffff;

	if (op == SpvOpBranch)
		return in[1] == label;
	return op == SpvOpBranchConditional && (in[2] == label || in[3] == label);
}

/* Starts a block. The OpLoopMerge of a loop header that is split is written early. */
static void begin_block(struct lowering *c, const uint32_t *in)
{
	const uint32_t *const end = c->g->code + c->g->words;
	bool splits = false;
	uint32_t at;

	c->block = (struct block){ .label = in[1], .current = in[1] };
	do {
		in += *in >> 16;
		at = gate_targets_access(&c->targets, in);
		splits |= at && !gate_targets_only(&c->targets, in[at]);
		if ((*in & 0xffff) == SpvOpLoopMerge)
			c->block.merge = in;
	} while (!gate_ends_block(*in & 0xffff) && in + (*in >> 16) < end);
	if (!splits)
		c->block.merge = NULL;
	c->block.pending = c->block.merge;
	if (c->block.merge && c->block.merge[2] == c->block.label &&
	    branches_to(in, c->block.label))
		c->block.new_continue = new_id(c);
}

static void write_loop(struct lowering *c)
{
	const uint32_t *merge = c->block.merge;
	const size_t begin = code(c)->count;

	c->block.pending = false;
	c->block.current = new_id(c);
	spirv_put(code(c), merge, *merge >> 16);
	if (c->block.new_continue && !code(c)->failed)
		code(c)->words[begin + 2] = c->block.new_continue;
	SPIRV_EMIT(code(c), SpvOpBranch, c->block.current);
	SPIRV_EMIT(code(c), SpvOpLabel, c->block.current);
}

static void end_block(struct lowering *c, const uint32_t *in)
{
	if (c->block.new_continue) {
		c->block.current = c->block.new_continue;
		SPIRV_EMIT(code(c), SpvOpBranch, c->block.new_continue);
		SPIRV_EMIT(code(c), SpvOpLabel, c->block.new_continue);
	}
	spirv_copy(code(c), in);
	c->last[c->block.label] = c->block.current;
}

/* Replaces the parents of OpPhi that were split by their last block. */
static void fix_phi_parents(struct lowering *c)
{
	struct spirv_out *w = code(c);

	if (w->failed)
		return;
	for (size_t at = 0; at < w->count; at += w->words[at] >> 16)
		for (uint32_t i = 4; (w->words[at] & 0xffff) == SpvOpPhi && i < w->words[at] >> 16;
		     i += 2)
			if (w->words[at + i] < c->g->n_ids && c->last[w->words[at + i]])
				w->words[at + i] = c->last[w->words[at + i]];
}

/* Instructions */

/* Replaces a type of variable pointers by the struct. */
static void lower_type(const struct lowering *c, uint32_t *type)
{
	if (c->targets.has_pointers[*type] && gate_id(c->g, *type)->op == SpvOpTypePointer)
		*type = c->pointer;
}

static void write_type(struct lowering *c, const uint32_t *in, uint32_t op)
{
	struct spirv_out *w = &c->parts[TYPES];
	const size_t begin = w->count;
	uint32_t end = 0;

	/* write_first_types() wrote these two. */
	if (in[1] == c->number || in[1] == c->boolean)
		return;
	if (op == SpvOpTypePointer &&
	    (in[2] == SpvStorageClassFunction || in[2] == SpvStorageClassPrivate))
		end = 4;
	else if (op == SpvOpTypeStruct)
		end = *in >> 16;
	else if (op == SpvOpTypeArray)
		end = 3;
	spirv_copy(w, in);
	for (uint32_t i = op == SpvOpTypePointer ? 3 : 2; i < end && !w->failed; i++)
		lower_type(c, &w->words[begin + i]);
}

/*
 * Returns true if a variable of the module has a fixed pointer as its initializer. Its struct is a
 * constant, which the variable has to follow.
 */
static bool begins_with_value(const struct lowering *c, const uint32_t *in, uint32_t op)
{
	return c->part == TYPES && op == SpvOpVariable && *in >> 16 > 4 && c->values[in[4]];
}

/*
 * Returns true for a variable of pointers to which nothing may have been stored. Its integers are
 * indices, and begin as 0: the host takes undefined values for them (core_form.c).
 */
static bool needs_zeros(const struct lowering *c, const uint32_t *in)
{
	return spirv_op(in) == SpvOpVariable && spirv_words(in) == 4 &&
	       (in[3] == SpvStorageClassFunction || in[3] == SpvStorageClassPrivate) &&
	       c->targets.has_pointers[gate_id(c->g, in[1])->b];
}

static void write_zeroed_variable(struct lowering *c, const uint32_t *in)
{
	const uint32_t zeros = new_id(c);
	uint32_t type = gate_id(c->g, in[1])->b;

	lower_type(c, &type);
	SPIRV_EMIT(&c->parts[CONSTANTS], SpvOpConstantNull, type, zeros);
	SPIRV_EMIT(&c->parts[c->part == TYPES ? CONSTANTS : c->part], SpvOpVariable, in[1], in[2],
		   in[3], zeros);
}

/*
 * Writes an instruction with replaced types and values. The integers of an undefined pointer are 0.
 */
static void write_changed(struct lowering *c, const uint32_t *in, uint32_t op)
{
	const bool undefined = op == SpvOpUndef && c->targets.kinds[in[2]] != GATE_POINTER_FIXED;
	struct spirv_out *w =
		&c->parts[undefined || begins_with_value(c, in, op) ? CONSTANTS : c->part];
	struct gate_value_operands operands;
	const size_t begin = w->count;

	if (needs_zeros(c, in)) {
		write_zeroed_variable(c, in);
		return;
	}
	spirv_copy(w, in);
	if (w->failed)
		return;
	if (undefined)
		w->words[begin] = (*in & 0xffff0000) | SpvOpConstantNull;
	if (spirv_has_type(op) && c->targets.kinds[in[2]] != GATE_POINTER_FIXED)
		lower_type(c, &w->words[begin + 1]);
	if (!gate_find_value_operands(in, &operands))
		return;
	for (uint32_t i = operands.first; i < operands.end; i += operands.step)
		w->words[begin + i] = value_of(c, in[i]);
}

static bool write_pointer(struct lowering *c, const uint32_t *in, uint32_t op)
{
	switch (op) {
	case SpvOpAccessChain:
		return write_derived(c, in, 4, 0);
	case SpvOpPtrAccessChain:
		return write_derived(c, in, 5, in[4]);
	case SpvOpSelect:
		write_select(c, in);
		return true;
	default:
		write_changed(c, in, op);
		return true;
	}
}

static bool write_other(struct lowering *c, const uint32_t *in, uint32_t op)
{
	const uint32_t at = gate_targets_access(&c->targets, in);
	const uint32_t only = at ? gate_targets_only(&c->targets, in[at]) : 0;

	if (only)
		write_access(c, in, at, only, 0);
	else if (at)
		write_switch(c, in, at);
	else if (op == SpvOpPtrEqual || op == SpvOpPtrNotEqual)
		write_comparison(c, in, op == SpvOpPtrNotEqual);
	else if (op == SpvOpPtrDiff)
		write_distance(c, in);
	else if (spirv_has_type(op) && c->targets.kinds[in[2]] == GATE_POINTER_VALUE)
		return write_pointer(c, in, op);
	else
		write_changed(c, in, op);
	if (spirv_has_type(op) && c->values[in[2]])
		return write_value(c, in[2], op == SpvOpVariable);
	return true;
}

static bool write_code(struct lowering *c, const uint32_t *in, uint32_t op)
{
	if (code(c)->count > MAX_WRITTEN)
		return gate_refuse(c->g,
				   "variable pointers: the accesses expand to more than %u words",
				   MAX_WRITTEN);
	if (c->block.pending && op != SpvOpPhi && op != SpvOpLine && op != SpvOpNoLine)
		write_loop(c);
	if (op == SpvOpLabel)
		begin_block(c, in);
	if (gate_ends_block(op))
		end_block(c, in);
	else if (in != c->block.merge)
		return write_other(c, in, op);
	return true;
}

static bool is_extension(const uint32_t *in)
{
	return *in >> 16 == 1 + (sizeof(EXTENSION) + 3) / 4 &&
	       !memcmp(in + 1, EXTENSION, sizeof(EXTENSION));
}

static void write_extension(struct lowering *c)
{
	static const char name[] = "SPV_EXT_descriptor_indexing";
	uint32_t in[1 + (sizeof(name) + 3) / 4] = { 0 };

	memcpy(in + 1, name, sizeof(name));
	spirv_put_instruction(&c->parts[HEAD], SpvOpExtension, in, sizeof(in) / sizeof(in[0]));
}

/*
 * Writes the head of the module without the extension and the capabilities of variable pointers.
 * These capabilities imply Shader, and some modules declare no other.
 */
static void write_head(struct lowering *c, const uint32_t *in, uint32_t op)
{
	const bool pointers =
		op == SpvOpCapability && (in[1] == SpvCapabilityVariablePointers ||
					  in[1] == SpvCapabilityVariablePointersStorageBuffer);

	if (op != SpvOpCapability && c->has_descriptors) {
		write_extension(c);
		c->has_descriptors = false;
	}
	if (pointers)
		SPIRV_EMIT(&c->parts[HEAD], SpvOpCapability, SpvCapabilityShader);
	else if (op != SpvOpExtension || !is_extension(in))
		spirv_copy(&c->parts[HEAD], in);
}

static void write_first_types(struct lowering *c)
{
	uint32_t in[2 + MAX_MEMBERS] = { 0, c->pointer };

	SPIRV_EMIT(&c->parts[TYPES], SpvOpTypeInt, c->number, 32, 0);
	SPIRV_EMIT(&c->parts[TYPES], SpvOpTypeBool, c->boolean);
	for (uint32_t i = 0; i < c->n_members; i++)
		in[2 + i] = c->number;
	spirv_put_instruction(&c->parts[TYPES], SpvOpTypeStruct, in, 2 + c->n_members);
}

/* The module */

static void find_types(struct lowering *c)
{
	const struct gate *g = c->g;
	struct gate_types types = { 0 };

	gate_find_types(g, &types);
	c->number = types.number ? types.number : new_id(c);
	c->boolean = types.boolean ? types.boolean : new_id(c);
	c->pointer = new_id(c);
	c->n_members = 1 + c->targets.n_slots;
	for (uint32_t id = 0; id < g->n_ids; id++)
		c->values[id] = c->targets.target_of[id] ? new_id(c) : 0;
}

/*
 * Declares the capabilities for NonUniform indices if a pointer may lead to different buffers of an
 * array.
 */
static bool allow_descriptors(struct lowering *c)
{
	for (uint32_t i = 1; i <= c->targets.n; i++)
		c->has_descriptors |= gate_targets_has_descriptor(&c->targets, i);
	if (!c->has_descriptors)
		return true;
	if (!gate_capability_allowed(c->g, SpvCapabilityStorageBufferArrayNonUniformIndexing))
		return gate_refuse(c->g, "variable pointers into an array of buffers need "
				   "StorageBufferArrayNonUniformIndexing");
	SPIRV_EMIT(&c->parts[HEAD], SpvOpCapability, SpvCapabilityShaderNonUniform);
	SPIRV_EMIT(&c->parts[HEAD], SpvOpCapability,
		   SpvCapabilityStorageBufferArrayNonUniformIndexing);
	return true;
}

static bool rewrite(struct lowering *c)
{
	const struct gate *g = c->g;

	find_types(c);
	if (!allow_descriptors(c))
		return false;
	for (uint32_t at = 5; at < g->words; at += g->code[at] >> 16) {
		const uint32_t *in = g->code + at, op = *in & 0xffff;

		if (c->part == HEAD && op >= SpvOpTypeVoid && op <= SpvOpTypeForwardPointer) {
			write_first_types(c);
			c->part = TYPES;
		}
		if (op == SpvOpFunction)
			c->part = CODE;
		if (c->part == HEAD)
			write_head(c, in, op);
		else if (op >= SpvOpTypeVoid && op <= SpvOpTypeForwardPointer)
			write_type(c, in, op);
		else if (!(c->part == CODE ? write_code(c, in, op) : write_other(c, in, op)))
			return false;
	}
	fix_phi_parents(c);
	return true;
}

static bool lower_module(struct lowering *c)
{
	struct gate *g = c->g;
	bool ok;

	c->values = calloc(g->n_ids + 1, sizeof(*c->values));
	c->nulls = calloc(g->n_ids + 1, sizeof(*c->nulls));
	c->last = calloc(g->n_ids + 1, sizeof(*c->last));
	gate_write_begin(&c->parts[HEAD], g);
	ok = c->values && c->nulls && c->last ? rewrite(c) : gate_refuse(g, "out of memory");
	for (int i = DECORATIONS; i < N_PARTS; i++)
		spirv_append(&c->parts[HEAD], &c->parts[i]);
	if (ok)
		ok = gate_write_end(&c->parts[HEAD], g);
	else
		free(c->parts[HEAD].words);
	free(c->values);
	free(c->nulls);
	free(c->last);
	return ok;
}

bool gate_lower_variable_pointers(struct gate *g, bool *changed)
{
	struct lowering *c = g->pointers ? calloc(1, sizeof(*c)) : NULL;
	bool ok;

	*changed = g->pointers;
	if (!g->pointers)
		return true;
	if (!c)
		return gate_refuse(g, "out of memory");
	c->g = g;
	ok = gate_targets_begin(&c->targets, g) && lower_module(c);
	gate_targets_end(&c->targets);
	free(c);
	return ok;
}
