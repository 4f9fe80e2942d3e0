// SPDX-License-Identifier: MIT
/* Writes the SPIR-V of the other pipeline stages, see spirv-partner.h. */
#include "spirv-partner.h"

#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#define MAX_TYPES 256
#define MAX_LEAVES 256
#define MAX_INTERFACE 128
#define MAX_WORDS (1 << 17)

struct section {
	uint32_t *words;
	size_t count, room;
};

/* A type that must be declared only once. */
struct type {
	uint32_t op, a, b, id;
};

struct partner {
	const struct spirv *from;
	struct section preamble, decorations, globals, code;
	struct type types[MAX_TYPES];
	uint32_t n_types;
	uint32_t interface[MAX_INTERFACE], n_interface;
	uint32_t next_id, storage;
	uint32_t chain[SPIRV_MAX_DEPTH + 1], chained;	/* ids of the indices of a leaf */
	uint32_t leaves;
	uint32_t vertex, hash[4];	/* number of the vertex as a float; hash so far */
	bool failed;
};

static void put(struct section *to, uint32_t word)
{
	if (to->count == to->room) {
		to->room = to->room ? 2 * to->room : 256;
		to->words = realloc(to->words, to->room * sizeof(*to->words));
		if (!to->words)
			abort();
	}
	to->words[to->count++] = word;
}

static void emit_n(struct section *to, uint32_t op, const uint32_t *args, uint32_t count)
{
	put(to, op | (count + 1) << 16);
	for (uint32_t i = 0; i < count; i++)
		put(to, args[i]);
}

#define EMIT(to, op, ...) \
	emit_n(to, op, (const uint32_t[]){ __VA_ARGS__ }, \
	       sizeof((const uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t))

static uint32_t id_new(struct partner *p)
{
	return p->next_id++;
}

/*
 * Returns the id of a type with up to two operands. Declares it on first use, as types must be
 * unique.
 */
static uint32_t type_of(struct partner *p, uint32_t op, uint32_t n, uint32_t a, uint32_t b)
{
	for (uint32_t i = 0; i < p->n_types; i++)
		if (p->types[i].op == op && p->types[i].a == a && p->types[i].b == b)
			return p->types[i].id;
	if (p->n_types == MAX_TYPES) {
		p->failed = true;
		return 0;
	}
	p->types[p->n_types++] = (struct type){ op, a, b, id_new(p) };
	emit_n(&p->globals, op, (const uint32_t[]){ p->next_id - 1, a, b }, n + 1);
	return p->next_id - 1;
}

static uint32_t number(struct partner *p, enum spirv_class class, uint32_t width)
{
	if (class == SPIRV_FLOAT)
		return type_of(p, SpvOpTypeFloat, 1, width, 0);
	return type_of(p, SpvOpTypeInt, 2, width, class == SPIRV_INT);
}

static uint32_t vector(struct partner *p, uint32_t scalar, uint32_t count)
{
	return count == 1 ? scalar : type_of(p, SpvOpTypeVector, 2, scalar, count);
}

static uint32_t pointer(struct partner *p, uint32_t storage, uint32_t type)
{
	return type_of(p, SpvOpTypePointer, 2, storage, type);
}

static uint32_t constant_word(struct partner *p, uint32_t type, uint32_t word)
{
	const uint32_t id = id_new(p);

	EMIT(&p->globals, SpvOpConstant, type, id, word);
	return id;
}

static uint32_t constant_uint(struct partner *p, uint32_t value)
{
	return constant_word(p, number(p, SPIRV_UINT, 32), value);
}

static uint32_t constant_float(struct partner *p, float value)
{
	uint32_t word;

	memcpy(&word, &value, sizeof(word));
	return constant_word(p, number(p, SPIRV_FLOAT, 32), word);
}

/* Returns a constant: @value, or @value / 8 if it is a float. */
static uint32_t constant_small(struct partner *p, enum spirv_class class, uint32_t width,
			       uint32_t value)
{
	static const uint16_t halves[4] = { 0x3000, 0x3400, 0x3600, 0x3800 };	/* 0.125 to 0.5 */
	const uint32_t type = number(p, class, width);
	const double real = value / 8.0;
	uint64_t bits = value;
	uint32_t id;

	if (class == SPIRV_FLOAT && width == 32)
		return constant_float(p, real);
	if (class == SPIRV_FLOAT && width == 16)
		bits = halves[value % 4];
	else if (class == SPIRV_FLOAT)
		memcpy(&bits, &real, sizeof(bits));
	if (width < 64)
		return constant_word(p, type, bits);
	id = id_new(p);
	EMIT(&p->globals, SpvOpConstant, type, id, bits, bits >> 32);
	return id;
}

static uint32_t constant_vector(struct partner *p, enum spirv_class class, uint32_t width,
				uint32_t count, uint32_t seed)
{
	uint32_t args[6], type;

	if (count == 1)
		return constant_small(p, class, width, 1 + seed % 5);
	for (uint32_t i = 0; i < count; i++)
		args[2 + i] = constant_small(p, class, width, 1 + (seed + i) % 5);
	type = vector(p, number(p, class, width), count);
	args[0] = type;
	args[1] = id_new(p);
	emit_n(&p->globals, SpvOpConstantComposite, args, count + 2);
	return args[1];
}

/* Copies the Location and Component decorations of members. */
static void copy_member_decorations(struct partner *p, uint32_t from, uint32_t to, uint32_t members)
{
	static const uint32_t kept[] = { SpvDecorationLocation, SpvDecorationComponent };
	uint32_t value;

	for (uint32_t m = 0; m < members; m++) {
		for (int i = 0; i < 2; i++)
			if (spirv_decoration(p->from, from, m, kept[i], &value))
				EMIT(&p->decorations, SpvOpMemberDecorate, to, m, kept[i], value);
		/*
		 * Vulkan, "Interpolation Decorations": integer inputs of a fragment shader must be
		 * Flat.
		 */
		if (p->storage == SpvStorageClassInput)
			EMIT(&p->decorations, SpvOpMemberDecorate, to, m, SpvDecorationFlat);
	}
	if (spirv_decoration(p->from, from, SPIRV_NO_MEMBER, SpvDecorationBlock, NULL))
		EMIT(&p->decorations, SpvOpDecorate, to, SpvDecorationBlock);
}

static uint32_t copy_type(struct partner *p, uint32_t type, int depth)
{
	const uint32_t *op = spirv_def(p->from, type);
	const uint32_t words = op ? spirv_words(op) : 0;
	uint32_t width, count, id, args[MAX_INTERFACE];
	enum spirv_class class;

	if (depth > SPIRV_MAX_DEPTH || words > MAX_INTERFACE) {
		p->failed = true;
		return 0;
	}
	switch (spirv_opcode(op)) {
	case SpvOpTypeInt:
	case SpvOpTypeFloat:
		if (!spirv_number(p->from, type, &class, &width))
			break;
		return number(p, class, width);
	case SpvOpTypeVector:
		return vector(p, copy_type(p, spirv_arg(op, 2), depth + 1), spirv_arg(op, 3));
	case SpvOpTypeMatrix:
		id = copy_type(p, spirv_arg(op, 2), depth + 1);
		return type_of(p, SpvOpTypeMatrix, 2, id, spirv_arg(op, 3));
	case SpvOpTypeArray:
		if (!spirv_constant(p->from, spirv_arg(op, 3), &count))
			break;
		args[1] = copy_type(p, spirv_arg(op, 2), depth + 1);
		args[2] = constant_uint(p, count);
		args[0] = id = id_new(p);
		emit_n(&p->globals, SpvOpTypeArray, args, 3);
		return id;
	case SpvOpTypeStruct:
		for (uint32_t m = 0; m + 2 < words; m++)
			args[1 + m] = copy_type(p, spirv_arg(op, 2 + m), depth + 1);
		args[0] = id = id_new(p);
		emit_n(&p->globals, SpvOpTypeStruct, args, words - 1);
		copy_member_decorations(p, type, id, words - 2);
		return id;
	}
	p->failed = true;
	return 0;
}

static uint32_t calculate(struct partner *p, uint32_t op, uint32_t type, uint32_t a, uint32_t b)
{
	const uint32_t id = id_new(p);

	emit_n(&p->code, op, (const uint32_t[]){ type, id, a, b }, b ? 4 : 3);
	return id;
}

/* Returns a pointer to the leaf that the chain's indices select. */
static uint32_t leaf_pointer(struct partner *p, uint32_t variable, uint32_t type)
{
	uint32_t args[SPIRV_MAX_DEPTH + 4] = { pointer(p, p->storage, type), id_new(p), variable };

	if (!p->chained)
		return variable;
	memcpy(args + 3, p->chain, p->chained * sizeof(uint32_t));
	emit_n(&p->code, SpvOpAccessChain, args, 3 + p->chained);
	return args[1];
}

/* For vertex shaders: stores numbers, 32-bit floats as a + b * vertex. */
static void write_leaf(struct partner *p, uint32_t to, enum spirv_class class, uint32_t width,
		       uint32_t count)
{
	const uint32_t type = vector(p, number(p, class, width), count);
	uint32_t value = constant_vector(p, class, width, count, p->leaves);

	if (class == SPIRV_FLOAT && width == 32) {
		const uint32_t slope = constant_vector(p, class, width, count, p->leaves + 2);
		const uint32_t scaled = calculate(p, count > 1 ? SpvOpVectorTimesScalar : SpvOpFMul,
						  type, slope, p->vertex);

		value = calculate(p, SpvOpFAdd, type, value, scaled);
	}
	EMIT(&p->code, SpvOpStore, to, value);
}

/* Returns the bits of a number as a 32-bit uint. */
static uint32_t to_uint(struct partner *p, uint32_t value, enum spirv_class class, uint32_t width)
{
	const uint32_t f32 = number(p, SPIRV_FLOAT, 32), u32 = number(p, SPIRV_UINT, 32);

	if (class == SPIRV_FLOAT) {
		if (width != 32)
			value = calculate(p, SpvOpFConvert, f32, value, 0);
		return calculate(p, SpvOpBitcast, u32, value, 0);
	}
	if (class == SPIRV_INT) {
		if (width != 32)
			value = calculate(p, SpvOpSConvert, number(p, SPIRV_INT, 32), value, 0);
		return calculate(p, SpvOpBitcast, u32, value, 0);
	}
	return width != 32 ? calculate(p, SpvOpUConvert, u32, value, 0) : value;
}

/* For fragment shaders: hash = hash * 31 + bits. */
static void read_leaf(struct partner *p, uint32_t from, enum spirv_class class, uint32_t width,
		      uint32_t count)
{
	const uint32_t scalar = number(p, class, width), type = vector(p, scalar, count);
	const uint32_t u32 = number(p, SPIRV_UINT, 32);
	const uint32_t value = calculate(p, SpvOpLoad, type, from, 0);

	for (uint32_t i = 0; i < count; i++) {
		uint32_t component = value;

		if (count > 1) {
			component = id_new(p);
			EMIT(&p->code, SpvOpCompositeExtract, scalar, component, value, i);
		}
		component = to_uint(p, component, class, width);
		p->hash[i] = calculate(p, SpvOpIMul, u32, p->hash[i], constant_uint(p, 31));
		p->hash[i] = calculate(p, SpvOpIAdd, u32, p->hash[i], component);
	}
}

static void visit(struct partner *p, uint32_t variable, uint32_t type, int depth);

static void visit_elements(struct partner *p, uint32_t variable, const uint32_t *op, uint32_t count,
			   int depth)
{
	const bool structure = spirv_opcode(op) == SpvOpTypeStruct;

	for (uint32_t i = 0; i < count && !p->failed; i++) {
		p->chain[p->chained++] = constant_uint(p, i);
		visit(p, variable, spirv_arg(op, structure ? 2 + i : 2), depth + 1);
		p->chained--;
	}
}

static void visit(struct partner *p, uint32_t variable, uint32_t type, int depth)
{
	const uint32_t *op = spirv_def(p->from, type);
	uint32_t count = 1, width, leaf = type;
	enum spirv_class class;

	if (depth >= SPIRV_MAX_DEPTH || p->leaves == MAX_LEAVES || p->code.count > MAX_WORDS) {
		p->failed = true;
		return;
	}
	switch (spirv_opcode(op)) {
	case SpvOpTypeMatrix:
		visit_elements(p, variable, op, spirv_arg(op, 3), depth);
		return;
	case SpvOpTypeArray:
		spirv_constant(p->from, spirv_arg(op, 3), &count);
		visit_elements(p, variable, op, count, depth);
		return;
	case SpvOpTypeStruct:
		visit_elements(p, variable, op, spirv_words(op) - 2, depth);
		return;
	case SpvOpTypeVector:
		leaf = spirv_arg(op, 2);
		count = spirv_arg(op, 3);
		break;
	}
	if (!spirv_number(p->from, leaf, &class, &width) || count > 4) {
		p->failed = true;
		return;
	}
	p->leaves++;
	leaf = leaf_pointer(p, variable, vector(p, number(p, class, width), count));
	if (p->storage == SpvStorageClassOutput)
		write_leaf(p, leaf, class, width, count);
	else
		read_leaf(p, leaf, class, width, count);
}

static uint32_t variable_new(struct partner *p, uint32_t storage, uint32_t type)
{
	const uint32_t id = id_new(p);

	if (p->n_interface == MAX_INTERFACE) {
		p->failed = true;
		return id;
	}
	EMIT(&p->globals, SpvOpVariable, pointer(p, storage, type), id, storage);
	p->interface[p->n_interface++] = id;
	return id;
}

static uint32_t builtin_new(struct partner *p, uint32_t storage, uint32_t type, uint32_t builtin)
{
	const uint32_t id = variable_new(p, storage, type);

	EMIT(&p->decorations, SpvOpDecorate, id, SpvDecorationBuiltIn, builtin);
	return id;
}

/*
 * Declares a copy of an interface variable. @arrayed: strips the outer array over vertices, which
 * the other stage's variable does not have.
 */
static void copy_variable(struct partner *p, uint32_t from, bool arrayed)
{
	static const uint32_t kept[] = { SpvDecorationLocation, SpvDecorationComponent };
	uint32_t type = spirv_pointee(p->from, from), id, value;
	const uint32_t *op;

	if (arrayed)
		type = spirv_arg(spirv_def(p->from, type), 2);
	op = spirv_def(p->from, type);
	id = copy_type(p, type, 0);
	if (p->failed)
		return;
	id = variable_new(p, p->storage, id);
	for (int i = 0; i < 2; i++)
		if (spirv_decoration(p->from, from, SPIRV_NO_MEMBER, kept[i], &value))
			EMIT(&p->decorations, SpvOpDecorate, id, kept[i], value);
	if (p->storage == SpvStorageClassInput && spirv_opcode(op) != SpvOpTypeStruct)
		EMIT(&p->decorations, SpvOpDecorate, id, SpvDecorationFlat);
	visit(p, id, type, 0);
}

static void copy_interface(struct partner *p, const struct spirv_entry *e, uint32_t storage)
{
	const bool arrayed =
		e->model == SpvExecutionModelGeometry && storage == SpvStorageClassInput;

	for (uint32_t i = e->interface; i < spirv_words(e->op) && !p->failed; i++) {
		const uint32_t id = e->op[i], *op = spirv_def(p->from, id);
		uint32_t stream = 0;

		/* The rasterizer gets only vertex stream 0 of a geometry shader. */
		spirv_decoration(p->from, id, SPIRV_NO_MEMBER, SpvDecorationStream, &stream);
		if (spirv_opcode(op) == SpvOpVariable && spirv_arg(op, 3) == storage && !stream &&
		    !spirv_is_builtin(p->from, id))
			copy_variable(p, id, arrayed);
	}
}

static bool has_type(const struct partner *p, uint32_t op, uint32_t width)
{
	for (uint32_t i = 0; i < p->n_types; i++)
		if (p->types[i].op == op && p->types[i].a == width)
			return true;
	return false;
}

static void put_capabilities(struct partner *p)
{
	const bool float16 = has_type(p, SpvOpTypeFloat, 16), int16 = has_type(p, SpvOpTypeInt, 16);

	EMIT(&p->preamble, SpvOpCapability, SpvCapabilityShader);
	if (float16)
		EMIT(&p->preamble, SpvOpCapability, SpvCapabilityFloat16);
	if (int16)
		EMIT(&p->preamble, SpvOpCapability, SpvCapabilityInt16);
	if (float16 || int16)
		EMIT(&p->preamble, SpvOpCapability, SpvCapabilityStorageInputOutput16);
	if (has_type(p, SpvOpTypeFloat, 64))
		EMIT(&p->preamble, SpvOpCapability, SpvCapabilityFloat64);
	if (has_type(p, SpvOpTypeInt, 64))
		EMIT(&p->preamble, SpvOpCapability, SpvCapabilityInt64);
	EMIT(&p->preamble, SpvOpMemoryModel, SpvAddressingModelLogical, SpvMemoryModelGLSL450);
}

static void put_section(struct section *to, struct section *from)
{
	for (size_t i = 0; i < from->count; i++)
		put(to, from->words[i]);
	free(from->words);
}

/*
 * Concatenates the sections of the module. The code so far becomes the body of function @function.
 */
static uint32_t *finish(struct partner *p, uint32_t model, uint32_t function, size_t *size)
{
	struct section all = { 0 };
	const uint32_t header[] = { SpvMagicNumber, 0x10300, 0, p->next_id, 0 };
	const uint32_t main_name[2] = { 'm' | 'a' << 8 | 'i' << 16 | (uint32_t)'n' << 24, 0 };

	for (int i = 0; i < 5; i++)
		put(&all, header[i]);
	put_capabilities(p);
	put(&p->preamble, SpvOpEntryPoint | (5 + p->n_interface) << 16);
	put(&p->preamble, model);
	put(&p->preamble, function);
	put(&p->preamble, main_name[0]);
	put(&p->preamble, main_name[1]);
	for (uint32_t i = 0; i < p->n_interface; i++)
		put(&p->preamble, p->interface[i]);
	if (model == SpvExecutionModelFragment)
		EMIT(&p->preamble, SpvOpExecutionMode, function, SpvExecutionModeOriginUpperLeft);
	put(&p->code, SpvOpReturn | 1 << 16);
	put(&p->code, SpvOpFunctionEnd | 1 << 16);
	put_section(&all, &p->preamble);
	put_section(&all, &p->decorations);
	put_section(&all, &p->globals);
	put_section(&all, &p->code);
	*size = all.count * 4;
	if (!p->failed)
		return all.words;
	free(all.words);
	return NULL;
}

static uint32_t begin(struct partner *p, const struct spirv *s, uint32_t storage)
{
	uint32_t type, function;

	*p = (struct partner){ .from = s, .next_id = 1, .storage = storage };
	type = type_of(p, SpvOpTypeVoid, 0, 0, 0);
	function = id_new(p);
	EMIT(&p->code, SpvOpFunction, type, function, 0, type_of(p, SpvOpTypeFunction, 1, type, 0));
	EMIT(&p->code, SpvOpLabel, id_new(p));
	return function;
}

/* Returns a coordinate of the vertex: 3 for vertex @number_of, -1 for others. */
static uint32_t coordinate(struct partner *p, uint32_t index, uint32_t number_of)
{
	const uint32_t f32 = number(p, SPIRV_FLOAT, 32), s32 = number(p, SPIRV_INT, 32);
	const uint32_t is = calculate(p, SpvOpIEqual, type_of(p, SpvOpTypeBool, 0, 0, 0), index,
				      constant_word(p, s32, number_of));
	const uint32_t far = constant_float(p, 3), near = constant_float(p, -1), id = id_new(p);

	EMIT(&p->code, SpvOpSelect, f32, id, is, far, near);
	return id;
}

uint32_t *spirv_partner_vertex(const struct spirv *s, const struct spirv_entry *e, size_t *size)
{
	struct partner p;
	const uint32_t function = begin(&p, s, SpvStorageClassOutput);
	const uint32_t f32 = number(&p, SPIRV_FLOAT, 32), s32 = number(&p, SPIRV_INT, 32);
	const uint32_t vec4 = vector(&p, f32, 4);
	const uint32_t position = builtin_new(&p, SpvStorageClassOutput, vec4, SpvBuiltInPosition);
	const uint32_t index = builtin_new(&p, SpvStorageClassInput, s32, SpvBuiltInVertexIndex);
	const uint32_t vertex = calculate(&p, SpvOpLoad, s32, index, 0);
	const uint32_t x = coordinate(&p, vertex, 1), y = coordinate(&p, vertex, 2);
	const uint32_t z = constant_float(&p, 0.25f), w = constant_float(&p, 1), at = id_new(&p);

	EMIT(&p.code, SpvOpCompositeConstruct, vec4, at, x, y, z, w);
	EMIT(&p.code, SpvOpStore, position, at);
	p.vertex = calculate(&p, SpvOpConvertSToF, f32, vertex, 0);
	copy_interface(&p, e, SpvStorageClassInput);
	return finish(&p, SpvExecutionModelVertex, function, size);
}

uint32_t *spirv_partner_fragment(const struct spirv *s, const struct spirv_entry *e, size_t *size)
{
	struct partner p;
	const uint32_t function = begin(&p, s, SpvStorageClassInput);
	const uint32_t uvec4 = vector(&p, number(&p, SPIRV_UINT, 32), 4);
	const uint32_t color = variable_new(&p, SpvStorageClassOutput, uvec4);
	uint32_t value;

	EMIT(&p.decorations, SpvOpDecorate, color, SpvDecorationLocation, 0);
	for (uint32_t i = 0; i < 4; i++)
		p.hash[i] = constant_uint(&p, 1 + i);
	if (e->model != SpvExecutionModelMeshEXT)
		copy_interface(&p, e, SpvStorageClassOutput);
	value = id_new(&p);
	EMIT(&p.code, SpvOpCompositeConstruct, uvec4, value, p.hash[0], p.hash[1], p.hash[2],
	     p.hash[3]);
	EMIT(&p.code, SpvOpStore, color, value);
	return finish(&p, SpvExecutionModelFragment, function, size);
}
