// SPDX-License-Identifier: MIT
/*
 * Keeps reads and writes at device addresses in the range of device addresses (mapping.h). gate.c
 * runs it as pass "addresses", see gate.h.
 *
 * A pointer of class PhysicalStorageBuffer is a 64-bit number of any origin. Each access masks it:
 * it keeps the bits of an address, clears those below the natural alignment of the largest number
 * in the type, and sets the base of the range. The Aligned operand becomes that alignment, because
 * compilers claim larger alignments that pointers do not always have, and the host must not rely on
 * these. Access chains become 64-bit arithmetic before the mask, so their result may be any number.
 * An access that begins in the range and ends behind it stays in the guard, because no single
 * access is larger than the guard.
 *
 * The layout of a matrix is a decoration of the struct member that it is, so a pointer that was a
 * number has lost it. Such a pointer leads to a wrapper, a struct with the matrix as its only
 * member.
 */
#include "gate/pass/mask_addresses.h"

#include <stdlib.h>

#include <spirv/unified1/spirv.h>

#include "gate/address_range.h"
#include "gate/check/member.h"
#include "gate/check/pointer.h"
#include "gate/check/type.h"
#include "gate/spirv_info.h"
#include "gate/table.h"
#include "gate/writer.h"

#define MAX_BYTES (1ull << 31)		/* of one access; offsets may be signed, too */
#define MAX_SCALAR 8u			/* bytes of the largest number */
#define MAX_MATRIX_BYTES 256u	/* of four columns, or of one, without the strides between them */
#define MAX_COLUMNS 4u			/* or rows */
#define MAX_WRAPPERS 256u

_Static_assert(MAX_BYTES <= MAPPING_GUARD,
	       "what begins in the range of addresses ends in the guard");

/* The sections of the rewritten module, in this order. */
enum { HEAD, ANNOTATIONS, TYPES, CONSTANTS, CODE, N_PARTS };

/* The layout of the memory that a pointer leads to, as far as its type does not have it. */
struct layout {
	uint32_t stride;			/* MatrixStride; 0: no matrix */
	/* row-major matrix of which this is a column: the components are apart. */
	uint32_t column_of;
	bool by_rows, is_volatile;
};

struct wrapper {
	uint32_t type, pointer;			/* the struct, and a pointer to it */
	uint32_t member, stride;
	bool by_rows;
};

struct address {
	struct gate *g;
	struct spirv_out parts[N_PARTS];	/* the first part allocates ids */
	int part;				/* the part that instructions are copied to */
	struct layout *layouts;			/* by id of a pointer */
	uint64_t *sizes;	/* by id of a type, see size_of(); 0: not computed */
	struct wrapper wrappers[MAX_WRAPPERS];
	uint32_t n_wrappers;
	uint32_t ulong, zero, base;
	uint32_t masks[MAX_SCALAR + 1];		/* constants, by bytes of the largest number */
	bool has_ulong_capability;
};

static uint32_t new_id(struct address *a)
{
	return spirv_new_id(&a->parts[HEAD]);
}

static struct spirv_out *code(struct address *a)
{
	return &a->parts[CODE];
}

/* Types */

/* Returns the extent of a type in memory, in bytes; GATE_TOO_LARGE if it is larger or unknown. */
static uint64_t size_of(struct address *a, uint32_t type_id)
{
	const struct gate_id *type = gate_id(a->g, type_id);
	uint64_t size = 0, *known = &a->sizes[type_id];

	if (*known)
		return *known;
	switch (type->op) {
	/* Booleans have no layout in memory. */
	case SpvOpTypeBool:
		size = GATE_TOO_LARGE;
		break;
	case SpvOpTypeMatrix:
	case SpvOpTypeVector:
		size = MAX_MATRIX_BYTES;
		break;
	case SpvOpTypeArray:
		size = size_of(a, type->a);
		size = gate_times(size > type->stride ? size : type->stride,
				  gate_id(a->g, type->b)->a);
		break;
	case SpvOpTypeStruct:
		for (uint32_t i = 0; i < type->n_members; i++) {
			const struct gate_member *offset =
				gate_member_find(a->g, type_id, i, SpvDecorationOffset);
			const struct gate_member *stride =
				gate_member_find(a->g, type_id, i, SpvDecorationMatrixStride);
			const uint64_t end = size_of(a, type->members[i]) +
					     MAX_COLUMNS * (stride ? stride->value : 0ull) +
					     (offset ? offset->value : GATE_TOO_LARGE);

			size = end > size ? end : size;
		}
		break;
	default:
		size = gate_size_of(a->g, type_id);
	}
	*known = size < GATE_TOO_LARGE ? size : GATE_TOO_LARGE;
	return *known;
}

/* Returns the bytes of the largest number in a type. */
static uint32_t scalar_of(struct gate *g, uint32_t type_id)
{
	const struct gate_id *type = gate_id(g, type_id);
	uint32_t most = 1;

	switch (type->op) {
	case SpvOpTypePointer:
		return 8;
	case SpvOpTypeArray:
	case SpvOpTypeMatrix:
	case SpvOpTypeVector:
		return scalar_of(g, type->a);
	case SpvOpTypeStruct:
		for (uint32_t i = 0; i < type->n_members; i++) {
			const uint32_t size = scalar_of(g, type->members[i]);

			most = size > most ? size : most;
		}
		return most;
	default:
		return gate_size_of(g, type_id);
	}
}

static bool is_matrix(struct gate *g, uint32_t type_id)
{
	const struct gate_id *type = gate_id(g, type_id);

	while (type->op == SpvOpTypeArray || type->op == SpvOpTypeRuntimeArray)
		type = gate_id(g, type->a);
	return type->op == SpvOpTypeMatrix;
}

/* Constants and wrappers, which follow all other types and constants */

static uint32_t constant(struct address *a, uint64_t value)
{
	const uint32_t id = new_id(a);

	SPIRV_EMIT(&a->parts[CONSTANTS], SpvOpConstant, a->ulong, id, (uint32_t)value,
		   (uint32_t)(value >> 32));
	return id;
}

static uint32_t mask(struct address *a, uint32_t scalar)
{
	uint32_t *id = &a->masks[scalar];

	if (!*id)
		*id = constant(a, (1ull << SUNDOG_ADDRESS_BITS) - scalar);
	return *id;
}

/*
 * Returns the wrapper of matrix type, or array of matrices, @member with this layout; NULL: there
 * are MAX_WRAPPERS others.
 */
static const struct wrapper *wrap(struct address *a, uint32_t member, uint32_t stride, bool by_rows)
{
	struct spirv_out *annotations = &a->parts[ANNOTATIONS];
	struct wrapper *w = a->wrappers;

	for (; w < a->wrappers + a->n_wrappers; w++)
		if (w->member == member && w->stride == stride && w->by_rows == by_rows)
			return w;
	if (a->n_wrappers == MAX_WRAPPERS)
		return NULL;
	a->n_wrappers++;
	*w = (struct wrapper){ new_id(a), new_id(a), member, stride, by_rows };
	SPIRV_EMIT(annotations, SpvOpMemberDecorate, w->type, 0, SpvDecorationOffset, 0);
	SPIRV_EMIT(annotations, SpvOpMemberDecorate, w->type, 0, SpvDecorationMatrixStride, stride);
	SPIRV_EMIT(annotations, SpvOpMemberDecorate, w->type, 0,
		   by_rows ? SpvDecorationRowMajor : SpvDecorationColMajor);
	SPIRV_EMIT(&a->parts[CONSTANTS], SpvOpTypeStruct, w->type, member);
	SPIRV_EMIT(&a->parts[CONSTANTS], SpvOpTypePointer, w->pointer,
		   SpvStorageClassPhysicalStorageBuffer, w->type);
	return w;
}

/* Access chains */

/* The state of an access chain while its indices are applied. */
struct walk {
	uint32_t type;
	struct layout layout;
	uint32_t at;				/* id of the address so far, a 64-bit number */
	uint64_t offset;			/* constant offset to add to it, bytes */
};

/* Adds @index times @stride. Constants of 32 bits go to the constant offset. */
static void add(struct address *a, struct walk *w, uint32_t index, uint32_t stride)
{
	const struct gate_id *id = gate_id(a->g, index);
	uint32_t wide = index, product, sum;

	if (id->op == SpvOpConstant && gate_id(a->g, id->type)->a == 32) {
		w->offset += (uint64_t)(int64_t)(int32_t)id->a * stride;
		return;
	}
	if (gate_id(a->g, id->type)->a != 64) {
		wide = new_id(a);
		SPIRV_EMIT(code(a), SpvOpSConvert, a->ulong, wide, index);
	}
	product = new_id(a);
	sum = new_id(a);
	SPIRV_EMIT(code(a), SpvOpIMul, a->ulong, product, wide, constant(a, stride));
	SPIRV_EMIT(code(a), SpvOpIAdd, a->ulong, sum, w->at, product);
	w->at = sum;
}

static bool into_member(struct address *a, struct walk *w, const struct gate_id *type,
			uint32_t member)
{
	const struct gate_member *offset =
		gate_member_find(a->g, w->type, member, SpvDecorationOffset);
	const struct gate_member *stride =
		gate_member_find(a->g, w->type, member, SpvDecorationMatrixStride);

	if (!offset || member >= type->n_members)
		return gate_refuse(a->g,
				   "PhysicalStorageBuffer: member %u of a struct has no Offset",
				   member);
	w->offset += offset->value;
	w->layout.is_volatile |=
		gate_member_find(a->g, w->type, member, SpvDecorationVolatile) != NULL;
	w->layout.stride = stride ? stride->value : 0;
	w->layout.by_rows = gate_member_find(a->g, w->type, member, SpvDecorationRowMajor);
	w->type = type->members[member];
	return true;
}

static bool into(struct address *a, struct walk *w, uint32_t index)
{
	const struct gate_id *type = gate_id(a->g, w->type);
	const struct layout layout = w->layout;
	const uint32_t column_of = layout.by_rows ? w->type : 0;

	switch (type->op) {
	case SpvOpTypeStruct:
		return into_member(a, w, type, gate_id(a->g, index)->a);
	case SpvOpTypeArray:
	case SpvOpTypeRuntimeArray:
		if (!type->stride)
			return gate_refuse(a->g,
					   "PhysicalStorageBuffer: an array has no ArrayStride");
		add(a, w, index, type->stride);
		break;
	case SpvOpTypeMatrix:
		if (!layout.stride)
			return gate_refuse(a->g,
					   "PhysicalStorageBuffer: a matrix has no MatrixStride");
		add(a, w, index, layout.by_rows ? scalar_of(a->g, w->type) : layout.stride);
		w->layout.column_of = column_of;
		break;
	case SpvOpTypeVector:
		add(a, w, index, layout.column_of ? layout.stride : scalar_of(a->g, w->type));
		w->layout.column_of = 0;
		break;
	default:
		return gate_refuse(a->g,
				   "PhysicalStorageBuffer: an access chain has an index into %s",
				   gate_op_name(type->op));
	}
	w->type = type->a;
	return true;
}

static bool rewrite_chain(struct address *a, const uint32_t *in, uint32_t words)
{
	const struct gate_id *pointer = gate_id(a->g, gate_id(a->g, in[3])->type);
	struct walk w = { .type = pointer->b, .layout = a->layouts[in[3]], .at = new_id(a) };
	uint32_t sum, first = 4;

	SPIRV_EMIT(code(a), SpvOpConvertPtrToU, a->ulong, w.at, in[3]);
	if ((*in & 0xffff) == SpvOpPtrAccessChain) {
		if (!pointer->stride)
			return gate_refuse(
				a->g,
				"the base of OpPtrAccessChain has a type without ArrayStride");
		add(a, &w, in[first++], pointer->stride);
	}
	for (uint32_t i = first; i < words; i++)
		if (!into(a, &w, in[i]))
			return false;
	sum = new_id(a);
	SPIRV_EMIT(code(a), SpvOpIAdd, a->ulong, sum, w.at, constant(a, w.offset));
	SPIRV_EMIT(code(a), SpvOpConvertUToPtr, in[1], in[2], sum);
	a->layouts[in[2]] = w.layout;
	return true;
}

/* Accesses */

/*
 * Returns the pointer into the range that replaces @pointer in an access to numbers of at most
 * @scalar bytes; 0: refused.
 */
static uint32_t mask_pointer(struct address *a, uint32_t pointer, uint32_t scalar)
{
	const struct layout *layout = &a->layouts[pointer];
	const uint32_t type = gate_id(a->g, pointer)->type, pointee = gate_id(a->g, type)->b;
	const uint32_t number = new_id(a), low = new_id(a), address = new_id(a), masked = new_id(a);
	const uint32_t member = layout->column_of ? layout->column_of : pointee;
	const struct wrapper *w = NULL;
	uint32_t part;

	if (layout->column_of || is_matrix(a->g, pointee)) {
		w = layout->stride ? wrap(a, member, layout->stride, layout->by_rows) : NULL;
		if (!w) {
			gate_refuse(a->g, "PhysicalStorageBuffer: a matrix has no MatrixStride, or "
				    "matrices have more than %u layouts", MAX_WRAPPERS);
			return 0;
		}
	}
	SPIRV_EMIT(code(a), SpvOpConvertPtrToU, a->ulong, number, pointer);
	SPIRV_EMIT(code(a), SpvOpBitwiseAnd, a->ulong, low, number, mask(a, scalar));
	SPIRV_EMIT(code(a), SpvOpBitwiseOr, a->ulong, address, low, a->base);
	SPIRV_EMIT(code(a), SpvOpConvertUToPtr, w ? w->pointer : type, masked, address);
	if (!w)
		return masked;
	part = new_id(a);
	if (layout->column_of)
		SPIRV_EMIT(code(a), SpvOpAccessChain, type, part, masked, a->zero, a->zero);
	else
		SPIRV_EMIT(code(a), SpvOpAccessChain, type, part, masked, a->zero);
	return part;
}

/*
 * Writes the access @in with the pointer in word @at replaced. @operands is the word of its memory
 * operands; 0: none.
 */
static bool rewrite_access(struct address *a, const uint32_t *in, uint32_t at, uint32_t operands)
{
	const uint32_t words = *in >> 16, pointee = gate_id(a->g, gate_id(a->g, in[at])->type)->b;
	const bool has_operands = operands;
	const uint32_t scalar = scalar_of(a->g, pointee), end = has_operands ? operands : words;
	const uint64_t size =
		size_of(a, pointee) + MAX_COLUMNS * (uint64_t)a->layouts[in[at]].stride;
	uint32_t masked, access[2];

	if (size > MAX_BYTES)
		return gate_refuse(a->g, "PhysicalStorageBuffer: an access of at least %llu bytes "
				   "exceeds the limit %llu", (unsigned long long)size, MAX_BYTES);
	masked = mask_pointer(a, in[at], scalar);
	if (!masked)
		return false;
	spirv_put(code(a), in, at);
	spirv_put_word(code(a), masked);
	spirv_put(code(a), in + at + 1, end - at - 1);
	if (!has_operands)
		return true;
	if (!(in[operands] & SpvMemoryAccessAlignedMask))
		return gate_refuse(a->g, "PhysicalStorageBuffer: an access has no Aligned operand");
	access[0] =
		in[operands] | (a->layouts[in[at]].is_volatile ? SpvMemoryAccessVolatileMask : 0);
	access[1] = scalar;
	spirv_put(code(a), access, 2);
	spirv_put(code(a), in + operands + 2, words - operands - 2);
	return true;
}

static bool rewrite_instruction(struct address *a, const uint32_t *in, uint32_t op, uint32_t words)
{
	const uint32_t written = gate_written(in), at = written ? written : gate_read(in);

	if (at && gate_is_address(a->g, in[at]))
		return rewrite_access(a, in, at, gate_memory_mask(in));
	if ((op == SpvOpAccessChain || op == SpvOpPtrAccessChain) && gate_is_address(a->g, in[3]))
		return rewrite_chain(a, in, words);
	if (op == SpvOpCopyObject && gate_is_address(a->g, in[2]))
		a->layouts[in[2]] = a->layouts[in[3]];
	spirv_put(&a->parts[a->part], in, words);
	return true;
}

/* The module */

/* Returns the part that an instruction starts; @part if it starts none. */
static int part_of(uint32_t op, int part)
{
	if (op == SpvOpFunction)
		return CODE;
	/* The first type follows the last annotation (SPIR-V 2.4). */
	if (part == HEAD && op >= SpvOpTypeVoid && op <= SpvOpTypeForwardPointer)
		return TYPES;
	return part;
}

/* Finds or adds capability Int64, its type, and the constants that each access needs. */
static void make_numbers(struct address *a)
{
	const struct gate *g = a->g;

	for (uint32_t at = 5; at < g->words; at += g->code[at] >> 16) {
		const uint32_t *in = g->code + at, op = *in & 0xffff;

		if (op == SpvOpTypeInt && in[2] == 64 && !in[3])
			a->ulong = in[1];
		a->has_ulong_capability |= op == SpvOpCapability && in[1] == SpvCapabilityInt64;
	}
	if (!a->has_ulong_capability)
		SPIRV_EMIT(&a->parts[HEAD], SpvOpCapability, SpvCapabilityInt64);
	if (!a->ulong) {
		a->ulong = new_id(a);
		SPIRV_EMIT(&a->parts[CONSTANTS], SpvOpTypeInt, a->ulong, 64, 0);
	}
	a->zero = constant(a, 0);
	a->base = constant(a, MAPPING_DEVICE);
}

static bool rewrite(struct address *a)
{
	const struct gate *g = a->g;

	make_numbers(a);
	for (uint32_t at = 5; at < g->words; at += g->code[at] >> 16) {
		const uint32_t *in = g->code + at, op = *in & 0xffff;

		a->part = part_of(op, a->part);
		if (!rewrite_instruction(a, in, op, *in >> 16))
			return false;
	}
	return true;
}

bool gate_mask_addresses(struct gate *g)
{
	struct address *a = g->addresses ? calloc(1, sizeof(*a)) : NULL;
	bool ok;

	if (!g->addresses)
		return true;
	if (!a)
		return gate_refuse(g, "out of memory");
	a->g = g;
	a->layouts = calloc(g->n_ids, sizeof(*a->layouts));
	a->sizes = calloc(g->n_ids, sizeof(*a->sizes));
	gate_write_begin(&a->parts[HEAD], g);
	ok = a->layouts && a->sizes ? rewrite(a) : gate_refuse(g, "out of memory");
	for (int i = ANNOTATIONS; i < N_PARTS; i++)
		spirv_append(&a->parts[HEAD], &a->parts[i]);
	if (ok)
		ok = gate_write_end(&a->parts[HEAD], g);
	else
		free(a->parts[HEAD].words);
	free(a->layouts);
	free(a->sizes);
	free(a);
	return ok;
}

void gate_set_addressing(struct gate *g, bool addresses)
{
	uint32_t at = 5;

	while ((g->owned[at] & 0xffff) != SpvOpMemoryModel)
		at += g->owned[at] >> 16;
	g->owned[at + 1] =
		addresses ? SpvAddressingModelPhysicalStorageBuffer64 : SpvAddressingModelLogical;
}
