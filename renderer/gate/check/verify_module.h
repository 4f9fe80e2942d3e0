/* SPDX-License-Identifier: MIT */
/*
 * The module as the verifier reads it, for the files verify*.c only. They share no code with the
 * passes, so what they need to know of types and decorations they find here. The module is valid.
 */
#ifndef GATE_CHECK_VERIFY_MODULE_H
#define GATE_CHECK_VERIFY_MODULE_H

#include <spirv/unified1/spirv.h>

#include "gate/module.h"
#include "gate/table.h"

/* Decorations that an id has: bits of struct verify_id.has. */
enum verify_has {
	HAS_LOCATION = 1 << 0,
	HAS_INDEX = 1 << 1,
	HAS_BUILTIN = 1 << 2,
	HAS_OFFSET = 1 << 3,
	HAS_STREAM = 1 << 4,
	HAS_PATCH = 1 << 5,
	HAS_PER_PRIMITIVE = 1 << 6,
	HAS_XFB_BUFFER = 1 << 7,
	HAS_SET = 1 << 8,
	HAS_BINDING = 1 << 9,
	HAS_PATCH_MEMBERS = 1 << 10,
	HAS_PER_PRIMITIVE_MEMBERS = 1 << 11,
	HAS_LISTED = 1 << 12,			/* in the interface of the entry point */
	HAS_MEMBER_PLACES = 1 << 13,	/* struct: a member has a Location or a Component */
	HAS_BLOCK = 1 << 14,
	HAS_XFB_STRIDE = 1 << 15,
};

struct verify_id {
	uint32_t has;
	uint32_t location, component, index, builtin, offset, stream;
	uint32_t xfb_buffer, xfb_stride;
	uint32_t array_stride;
};

struct verify {
	struct gate *g;
	bool host;			/* verify also the rules for the result */
	uint32_t n_ids;
	size_t *at;			/* by id: word of the defining instruction; 0: none */
	bool *buffer_block;		/* by id: a struct decorated BufferBlock */
	bool *moved;		/* by id: a struct whose first member is not at offset 0 */
	/* By mask without INVOCATION_BITS: the array whose indices are combined with it. */
	uint32_t *arrays;
	uint32_t invocation;		/* variable of SubgroupLocalInvocationId; 0: none */
	uint32_t function;
	/* Pointers through which the first function stores zeros, see verify_code.c. */
	uint32_t *zeros;
	uint32_t n_zeros;
	bool *zeroed;	/* by id: shared memory, all parts of which have such a store */
	bool *builtin;	/* by id: a built-in variable, or a struct with a built-in member */
	uint32_t *binding, *set;	/* by id of a variable */
	struct verify_id *ids;
	uint64_t *reach;		/* by id of a type: its bytes in a buffer; 0: not known */
	bool in_function;
	bool non_uniform;			/* there is a NonUniform decoration */
	uint32_t array;	/* array of textures or images of which an element was picked */
	bool shares;			/* at an index that other arrays may have, too */
	uint32_t begin;		/* the function that the entry point calls first; 0: none */
	bool at_begin;			/* the current function is that one */
	bool emits;			/* there is an OpEmitVertex */
	bool first_block;	/* the instruction is in the first block of the entry point */
	bool position;			/* that block has stored zeros to Position */
	size_t label;			/* word of the label of the current block */
	uint32_t unrolled;		/* loops that may be unrolled */
	uint32_t ended, open;	/* variables that count strips, see verify_code.c; 0: none */
	const uint32_t *before[2];	/* the previous instruction, and the one before that */
};

/* Of no words; readers may look at a few operands before they compare the opcode. */
static const uint32_t verify_nothing[8];

/* Returns the instruction that defines an id; an instruction of no words if there is none. */
static inline const uint32_t *made(const struct verify *v, uint32_t id)
{
	return id < v->n_ids && v->at[id] ? v->g->code + v->at[id] : verify_nothing;
}

static inline uint32_t op_of(const uint32_t *in)
{
	return spirv_op(in);
}

/* Returns true for an extended instruction @op of GLSL.std.450. */
static inline bool is_extended(const uint32_t *in, uint32_t op)
{
	return op_of(in) == SpvOpExtInst && in[4] == op;
}

/* Returns the type of a value as an instruction; one of no words if the id has no type. */
static inline const uint32_t *type_of(const struct verify *v, uint32_t id)
{
	const uint32_t *in = made(v, id);

	return spirv_has_type(op_of(in)) ? made(v, in[1]) : verify_nothing;
}

/* Returns the type that a variable or another pointer leads to. */
static inline const uint32_t *pointee_of(const struct verify *v, const uint32_t *in)
{
	return made(v, made(v, in[1])[3]);
}

/*
 * Returns true if an id is an integer constant. The null constant is 0; constants above 32 bits
 * count as UINT32_MAX.
 */
static inline bool constant(const struct verify *v, uint32_t id, uint32_t *value)
{
	const uint32_t *in = made(v, id);

	*value = 0;
	if (op_of(in) == SpvOpConstantNull)
		return true;
	if (op_of(in) != SpvOpConstant)
		return false;
	*value = spirv_words(in) > 4 && in[4] ? UINT32_MAX : in[3];
	return true;
}

/* Returns true if an id is the constant @value. */
static inline bool is_constant(const struct verify *v, uint32_t id, uint32_t value)
{
	uint32_t number;

	return constant(v, id, &number) && number == value;
}

/* Returns the length of an array type; 0: not a constant. */
static inline uint32_t length_of(const struct verify *v, const uint32_t *array)
{
	uint32_t length;

	return constant(v, array[3], &length) ? length : 0;
}

/* Returns the element type of an array, and @type itself if it is none. */
static inline const uint32_t *element_of(const struct verify *v, const uint32_t *type)
{
	return op_of(type) == SpvOpTypeArray || op_of(type) == SpvOpTypeRuntimeArray ?
		       made(v, type[2]) : type;
}

/* Returns the variable that a pointer of the core form or a loaded image comes from; NULL: none. */
const uint32_t *verify_root(const struct verify *v, uint32_t id);

/* Returns true if the entry point lists a variable in its interface. */
static inline bool verify_is_listed(const struct verify *v, uint32_t id)
{
	return v->ids[id].has & HAS_LISTED;
}

/* verify_interface.c, rules 18 to 22: the declarations of the module. */
bool verify_interface(struct verify *v);

/*
 * verify_code.c, rules 23 and 24: the function that stores zeros, and the strips of a geometry
 * shader.
 */
bool verify_code(struct verify *v);

/*
 * Returns true if the first function stores zeros to all parts of the memory that @pointer leads
 * to, which is a variable or an access chain.
 */
bool verify_is_zeroed(const struct verify *v, const uint32_t *pointer);

#endif
