// SPDX-License-Identifier: MIT
/*
 * Part of pass "flatten" of the gate, see gate.h: specialization constants become constants with
 * their default values, and operations on them become their results. spirv-val does not check the
 * operands of OpSpecConstantOp. The optimizer trusts them, and folds only some operations.
 *
 * Results that the specification leaves undefined are those of Mesa, see evaluate.h. Undefined
 * components of OpVectorShuffle and OpUndef are 0.
 */
#include "gate/pass/fold_spec_constants.h"

#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "gate/pass/evaluate.h"
#include "gate/spirv_info.h"
#include "gate/writer.h"

#define MAX_FOLDED (1u << 20)		/* words; composites can be copied often */
#define MAX_COMPONENTS 4
#define MAX_LEVELS 17			/* levels of a type, see scan.c, and a vector */

/* A constant that was written. */
struct value {
	/* OpConstant (also for a boolean), OpConstantComposite, or OpConstantNull; 0: none. */
	uint32_t op;
	uint32_t type;
	uint64_t bits;			/* scalar: its value, other bits are 0 */
	size_t at;			/* composite: word of its first part in the output */
	uint32_t n;			/* composite: number of parts */
};

struct fold {
	struct gate *g;
	struct spirv_out writer;
	struct value *values;		/* by id */
	size_t room;
	uint32_t *nulls;		/* by type: a null constant that was written, or 0 */
};

static bool refuse(struct fold *f, uint32_t op)
{
	return gate_refuse(
		f->g, "OpSpecConstantOp with %s (opcode %u): the operands do not fit the operation",
		gate_op_name(op), op);
}

static struct value *value_of(struct fold *f, uint32_t id)
{
	return &f->values[id < f->room ? id : 0];
}

/* Types */

static const struct gate_id *type_of(struct fold *f, uint32_t type)
{
	return gate_id(f->g, type);
}

static uint32_t components(struct fold *f, uint32_t type)
{
	return type_of(f, type)->op == SpvOpTypeVector ? type_of(f, type)->b : 1;
}

/* Returns the type of a vector's components, or the type itself. */
static uint32_t component_type(struct fold *f, uint32_t type)
{
	return type_of(f, type)->op == SpvOpTypeVector ? type_of(f, type)->a : type;
}

/*
 * Returns the width of a scalar of this kind or of a vector's components; 0: the type is another
 * one.
 */
static uint32_t width_as(struct fold *f, uint32_t type, enum gate_scalar_kind kind)
{
	static const uint32_t ops[] = { SpvOpTypeInt, SpvOpTypeFloat, SpvOpTypeBool };
	const struct gate_id *id = type_of(f, component_type(f, type));

	if (id->op != ops[kind])
		return 0;
	return kind == GATE_BOOLEAN ? 1 : id->a;
}

static uint32_t parts(struct fold *f, uint32_t type)
{
	const struct gate_id *id = type_of(f, type);

	switch (id->op) {
	case SpvOpTypeVector:
	case SpvOpTypeMatrix:
		return id->b;
	case SpvOpTypeArray:
		return value_of(f, id->b)->op == SpvOpConstant ? value_of(f, id->b)->bits : 0;
	case SpvOpTypeStruct:
		return id->n_members;
	default:
		return 0;
	}
}

/* Returns the type of a part of a composite. */
static uint32_t part_type(struct fold *f, uint32_t type, uint32_t index)
{
	const struct gate_id *id = type_of(f, type);

	return id->op == SpvOpTypeStruct ? id->members[index] : id->a;
}

/*
 * Returns true if the type may have a null constant. Pointers may not: their type may not be
 * declared yet.
 */
static bool has_null(struct fold *f, uint32_t type)
{
	const struct gate_id *id = type_of(f, type);
	bool ok = true;

	switch (id->op) {
	case SpvOpTypeInt:
	case SpvOpTypeFloat:
	case SpvOpTypeBool:
		return true;
	case SpvOpTypeVector:
	case SpvOpTypeMatrix:
	case SpvOpTypeArray:
		return has_null(f, id->a);
	case SpvOpTypeStruct:
		for (uint32_t i = 0; i < id->n_members; i++)
			ok = ok && has_null(f, id->members[i]);
		return ok;
	default:
		return false;
	}
}

/* Values */

/* Returns a new id and makes room for its value. Returns 0 if out of memory. */
static uint32_t new_id(struct fold *f)
{
	const uint32_t id = spirv_new_id(&f->writer);

	if (id >= f->room) {
		const size_t room = 2 * (size_t)id;
		struct value *more = realloc(f->values, room * sizeof(*more));

		f->writer.failed |= !more;
		if (!more)
			return 0;
		memset(more + f->room, 0, (room - f->room) * sizeof(*more));
		f->values = more;
		f->room = room;
	}
	return id;
}

static void write_scalar(struct fold *f, uint32_t type, uint32_t id, uint64_t bits)
{
	const struct gate_id *t = type_of(f, type);

	*value_of(f, id) = (struct value){ .op = SpvOpConstant, .type = type, .bits = bits };
	if (t->op == SpvOpTypeBool && bits)
		SPIRV_EMIT(&f->writer, SpvOpConstantTrue, type, id);
	else if (t->op == SpvOpTypeBool)
		SPIRV_EMIT(&f->writer, SpvOpConstantFalse, type, id);
	else if (t->a == 64)
		SPIRV_EMIT(&f->writer, SpvOpConstant, type, id, (uint32_t)bits, bits >> 32);
	else if (t->op == SpvOpTypeInt && t->b && t->a < 32 && bits >> (t->a - 1))
		SPIRV_EMIT(&f->writer, SpvOpConstant, type, id,
			   (uint32_t)bits | UINT32_MAX << t->a);
	else
		SPIRV_EMIT(&f->writer, SpvOpConstant, type, id, (uint32_t)bits);
}

static void write_composite(struct fold *f, uint32_t type, uint32_t id, const uint32_t *list,
			    uint32_t n)
{
	const uint32_t first = (3 + n) << 16 | SpvOpConstantComposite;

	spirv_put(&f->writer, (const uint32_t[]){ first, type, id }, 3);
	*value_of(f, id) = (struct value){ .op = SpvOpConstantComposite,
					   .type = type,
					   .at = f->writer.count,
					   .n = n };
	spirv_put(&f->writer, list, n);
}

static void write_null(struct fold *f, uint32_t type, uint32_t id)
{
	*value_of(f, id) = (struct value){ .op = SpvOpConstantNull, .type = type };
	SPIRV_EMIT(&f->writer, SpvOpConstantNull, type, id);
}

static uint32_t null_of(struct fold *f, uint32_t type)
{
	if (!f->nulls[type]) {
		f->nulls[type] = new_id(f);
		write_null(f, type, f->nulls[type]);
	}
	return f->nulls[type];
}

/* Returns the constant that is part @index of a composite; 0: there is no such part. */
static uint32_t part_of(struct fold *f, uint32_t id, uint32_t index)
{
	const struct value *value = value_of(f, id);
	uint32_t type;

	if (f->writer.failed)
		return 0;
	if (value->op == SpvOpConstantComposite)
		return index < value->n ? f->writer.words[value->at + index] : 0;
	if (value->op != SpvOpConstantNull || index >= parts(f, value->type))
		return 0;
	type = part_type(f, value->type, index);
	return f->nulls[type] || has_null(f, type) ? null_of(f, type) : 0;
}

/* Returns a component of a vector, or the constant itself if it is no vector. */
static uint32_t component_of(struct fold *f, uint32_t id, uint32_t index)
{
	return type_of(f, value_of(f, id)->type)->op == SpvOpTypeVector ? part_of(f, id, index) :
									  id;
}

/*
 * Returns all parts in memory that the caller frees; NULL: no composite, too many parts, or out of
 * memory.
 */
static uint32_t *parts_of(struct fold *f, uint32_t id, uint32_t *n)
{
	const struct value value = *value_of(f, id);
	uint32_t *list;

	*n = value.op == SpvOpConstantComposite ? value.n : parts(f, value.type);
	/* The parts have to fit into an instruction. */
	if (!*n || *n > UINT16_MAX - 3)
		return NULL;
	list = calloc(*n, sizeof(*list));
	for (uint32_t i = 0; list && i < *n; i++)
		list[i] = part_of(f, id, i);
	return list;
}

static bool copy(struct fold *f, uint32_t type, uint32_t id, uint32_t from)
{
	const struct value value = *value_of(f, from);
	uint32_t *list, n;

	if (!value.op || value.type != type)
		return false;
	if (value.op == SpvOpConstant) {
		write_scalar(f, type, id, value.bits);
	} else if (value.op == SpvOpConstantNull) {
		write_null(f, type, id);
	} else {
		list = parts_of(f, from, &n);
		if (!list)
			return false;
		write_composite(f, type, id, list, n);
		free(list);
	}
	return true;
}

/* Operations */

static bool is_shift(uint32_t op)
{
	return op == SpvOpShiftLeftLogical || op == SpvOpShiftRightLogical ||
	       op == SpvOpShiftRightArithmetic;
}

/* Returns true if the operands and the result fit the operation. */
static bool fits(struct fold *f, const uint32_t *in, uint32_t n,
		 const struct gate_operation *operation)
{
	const uint32_t from = width_as(f, value_of(f, in[4])->type, operation->from);
	const uint32_t to = width_as(f, in[1], operation->to);

	if (n != operation->operands || !from || !to || (to != from && !operation->resizes) ||
	    (operation->op == SpvOpQuantizeToF16 && from != 32))
		return false;
	for (uint32_t i = 0; i < n; i++) {
		const struct value *value = value_of(f, in[4 + i]);
		const uint32_t width = value->op ? width_as(f, value->type, operation->from) : 0;

		if (!width || (width != from && !is_shift(operation->op)) ||
		    components(f, value->type) != components(f, in[1]))
			return false;
	}
	return true;
}

/* Returns one component of the result. */
static uint64_t compute(struct fold *f, const uint32_t *in, uint32_t index,
			const struct gate_operation *operation)
{
	const uint32_t from = width_as(f, value_of(f, in[4])->type, operation->from);
	const uint32_t to = width_as(f, in[1], operation->to);
	const uint64_t a = value_of(f, component_of(f, in[4], index))->bits;
	const uint64_t b =
		operation->operands > 1 ? value_of(f, component_of(f, in[5], index))->bits : 0;

	return gate_evaluate(operation, a, b, from, to);
}

static bool fold_numbers(struct fold *f, const uint32_t *in, uint32_t n,
			 const struct gate_operation *operation)
{
	const uint32_t count = components(f, in[1]), type = component_type(f, in[1]);
	uint32_t list[MAX_COMPONENTS];

	if (!fits(f, in, n, operation) || count > MAX_COMPONENTS)
		return false;
	if (type == in[1]) {
		write_scalar(f, type, in[2], compute(f, in, 0, operation));
		return true;
	}
	for (uint32_t i = 0; i < count; i++) {
		const uint64_t bits = compute(f, in, i, operation);

		list[i] = new_id(f);
		write_scalar(f, type, list[i], bits);
	}
	write_composite(f, in[1], in[2], list, count);
	return true;
}

static bool fold_select(struct fold *f, const uint32_t *in, uint32_t n)
{
	const uint32_t count = components(f, in[1]);
	uint32_t list[MAX_COMPONENTS], when;

	if (n != 3 || !width_as(f, value_of(f, in[4])->type, GATE_BOOLEAN))
		return false;
	when = value_of(f, in[4])->type;
	if (component_type(f, when) == when)
		return copy(f, in[1], in[2], value_of(f, in[4])->bits ? in[5] : in[6]);
	if (type_of(f, in[1])->op != SpvOpTypeVector || count > MAX_COMPONENTS ||
	    components(f, when) != count || value_of(f, in[5])->type != in[1] ||
	    value_of(f, in[6])->type != in[1])
		return false;
	for (uint32_t i = 0; i < count; i++)
		list[i] = part_of(f, value_of(f, part_of(f, in[4], i))->bits ? in[5] : in[6], i);
	write_composite(f, in[1], in[2], list, count);
	return true;
}

static bool fold_shuffle(struct fold *f, const uint32_t *in, uint32_t n)
{
	const uint32_t count = components(f, in[1]), type = component_type(f, in[1]);
	uint32_t list[MAX_COMPONENTS], first, second;

	if (n < 3 || n - 2 != count || count > MAX_COMPONENTS || type == in[1])
		return false;
	first = value_of(f, in[4])->type;
	second = value_of(f, in[5])->type;
	if (type == first || type == second || component_type(f, first) != type ||
	    component_type(f, second) != type)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t from = in[6 + i], before = components(f, first);

		if (from == UINT32_MAX)
			list[i] = null_of(f, type);
		else
			list[i] = from < before ? part_of(f, in[4], from) :
						  part_of(f, in[5], from - before);
		if (!list[i])
			return false;
	}
	write_composite(f, in[1], in[2], list, count);
	return true;
}

static bool fold_extract(struct fold *f, const uint32_t *in, uint32_t n)
{
	uint32_t id = in[4];

	for (uint32_t i = 1; i < n && id; i++)
		id = part_of(f, id, in[4 + i]);
	return id && copy(f, in[1], in[2], id);
}

/* Writes the changed composites from the innermost to the outermost. */
static bool fold_insert(struct fold *f, const uint32_t *in, uint32_t n)
{
	const uint32_t levels = n - 2;
	uint32_t ids[MAX_LEVELS + 1], id = in[4];

	if (n < 3 || levels > MAX_LEVELS || value_of(f, in[5])->type != in[1])
		return false;
	ids[0] = in[5];
	for (uint32_t i = 0; i < levels; i++) {
		ids[i + 1] = part_of(f, ids[i], in[6 + i]);
		if (!ids[i + 1])
			return false;
	}
	if (!value_of(f, id)->op || value_of(f, id)->type != value_of(f, ids[levels])->type)
		return false;
	for (uint32_t i = levels; i--;) {
		uint32_t count, *list = parts_of(f, ids[i], &count);
		const uint32_t whole = i ? new_id(f) : in[2];

		if (!list)
			return false;
		list[in[6 + i]] = id;
		write_composite(f, value_of(f, ids[i])->type, whole, list, count);
		free(list);
		id = whole;
	}
	return true;
}

static bool fold_operation(struct fold *f, const uint32_t *in, uint32_t words)
{
	const uint32_t op = words > 4 ? in[3] : 0, n = words - 4;
	const struct gate_operation *operation = gate_find_operation(op);

	switch (op) {
	case SpvOpSelect:
		return fold_select(f, in, n) || refuse(f, op);
	case SpvOpVectorShuffle:
		return fold_shuffle(f, in, n) || refuse(f, op);
	case SpvOpCompositeExtract:
		return fold_extract(f, in, n) || refuse(f, op);
	case SpvOpCompositeInsert:
		return fold_insert(f, in, n) || refuse(f, op);
	}
	return (operation && fold_numbers(f, in, n, operation)) || refuse(f, op);
}

/* The module */

static bool fold_constant(struct fold *f, const uint32_t *in, uint32_t words)
{
	const struct gate_id *type = type_of(f, in[1]);

	if (words < (type->a == 64 ? 5 : 4) ||
	    (type->op != SpvOpTypeInt && type->op != SpvOpTypeFloat))
		return gate_refuse(f->g, "OpConstant or OpSpecConstant is not an integer or float");
	write_scalar(f, in[1], in[2],
		     gate_low_bits(in[3] | (type->a == 64 ? (uint64_t)in[4] << 32 : 0), type->a));
	return true;
}

static bool fold_instruction(struct fold *f, const uint32_t *in)
{
	const uint32_t op = *in & 0xffff, words = *in >> 16;

	switch (op) {
	case SpvOpDecorate:
		if (in[2] != SpvDecorationSpecId)
			spirv_put(&f->writer, in, words);
		return true;
	case SpvOpConstantTrue:
	case SpvOpSpecConstantTrue:
		write_scalar(f, in[1], in[2], 1);
		return true;
	case SpvOpConstantFalse:
	case SpvOpSpecConstantFalse:
		write_scalar(f, in[1], in[2], 0);
		return true;
	case SpvOpConstant:
	case SpvOpSpecConstant:
		return fold_constant(f, in, words);
	case SpvOpConstantComposite:
	case SpvOpSpecConstantComposite:
		write_composite(f, in[1], in[2], in + 3, words - 3);
		return true;
	case SpvOpConstantNull:
		write_null(f, in[1], in[2]);
		return true;
	case SpvOpUndef:
		if (has_null(f, in[1]))
			*value_of(f, in[2]) =
				(struct value){ .op = SpvOpConstantNull, .type = in[1] };
		spirv_put(&f->writer, in, words);
		return true;
	case SpvOpSpecConstantOp:
		return fold_operation(f, in, words);
	default:
		spirv_put(&f->writer, in, words);
		return true;
	}
}

static bool fold_all(struct fold *f)
{
	struct gate *g = f->g;

	gate_write_begin(&f->writer, g);
	for (uint32_t at = 5; at < g->words; at += g->code[at] >> 16) {
		if (!fold_instruction(f, gate_look(g, at)))
			return false;
		if (f->writer.count > g->words + MAX_FOLDED)
			return gate_refuse(g,
					   "specialization constants expand to more than %u words",
					   MAX_FOLDED);
	}
	return true;
}

bool gate_fold_spec_constants(struct gate *g)
{
	struct fold f = { .g = g, .room = g->n_ids + 1 };
	bool ok;

	f.values = calloc(f.room, sizeof(*f.values));
	f.nulls = calloc(f.room, sizeof(*f.nulls));
	ok = (f.values && f.nulls) || gate_refuse(g, "out of memory");
	if (ok && !fold_all(&f)) {
		free(f.writer.words);
		ok = false;
	}
	ok = ok && gate_write_end(&f.writer, g);
	free(f.values);
	free(f.nulls);
	return ok;
}
