// SPDX-License-Identifier: MIT
/*
 * Generates SPIR-V modules that are valid by construction, see grammar.h. Used by shader-mutator.c.
 */
#include "grammar.h"

#include <stdbool.h>
#include <string.h>

#include <spirv/unified1/GLSL.std.450.h>
#include <spirv/unified1/spirv.h>

#include "sundog_hw.h"

#define MAX_VALUES 64			/* of each type, for later instructions */
#define MAX_POINTERS 64
#define MAX_NESTED 4			/* nested conditions */
#define VERTICES 4			/* output vertices of a stage */
#define PRIMITIVES 2
#define SPARE_WORDS 256			/* for the longest instruction and the end of a module */

/*
 * Pointee types. BLOCK and LIST (an array of blocks) are only in buffers. LONG is a runtime array.
 * VECTORS is an array of vertices, between stages.
 */
enum type { FLOAT, INT, VECTOR, ARRAY, STRUCT, BLOCK, LIST, LONG, VECTORS, N_TYPES };
enum class { FUNCTION, PRIVATE, SHARED, BUFFER, UNIFORM, PUSH, PAYLOAD, INPUT, OUTPUT, N_CLASSES };

static const uint32_t storage[N_CLASSES] = {
	SpvStorageClassFunction,
	SpvStorageClassPrivate,
	SpvStorageClassWorkgroup,
	SpvStorageClassStorageBuffer,
	SpvStorageClassUniform,
	SpvStorageClassPushConstant,
	SpvStorageClassTaskPayloadWorkgroupEXT,
	SpvStorageClassInput,
	SpvStorageClassOutput,
};
/* Type of the variable of each class. */
static const enum type roots[N_CLASSES] = { STRUCT, STRUCT, STRUCT, LIST,  BLOCK,
					    BLOCK,  STRUCT, VECTOR, VECTOR };

/* Execution model, interface and modes of each stage. */
static const struct stage {
	uint32_t model;
	uint32_t capability;		/* 0: none */
	/* array length of inputs and outputs; 0: they are not arrays */
	uint32_t vertices_in, vertices_out;
	bool in, out, group, slots;
	/* execution modes with an operand; operand 0: there is none */
	uint32_t modes[5][2];
	uint32_t n_modes;
} stages[] = {
	[SUNDOG_STAGE_VERTEX] = { SpvExecutionModelVertex, 0, 0, 0, true, true, false, true,
		{ { 0 } }, 0 },
	[SUNDOG_STAGE_FRAGMENT] = {
		SpvExecutionModelFragment, 0, 0, 0, true, true, false, true,
		{ { SpvExecutionModeOriginUpperLeft } }, 1,
	},
	[SUNDOG_STAGE_GEOMETRY] = {
		SpvExecutionModelGeometry, SpvCapabilityGeometry, 3, 0, true, true, false, true,
		{ { SpvExecutionModeTriangles }, { SpvExecutionModeOutputTriangleStrip },
		  { SpvExecutionModeInvocations, 1 },
		  { SpvExecutionModeOutputVertices, VERTICES } }, 4,
	},
	[SUNDOG_STAGE_TESS_CTRL] = {
		SpvExecutionModelTessellationControl, SpvCapabilityTessellation, 32, VERTICES, true,
		true, false, true,
		{ { SpvExecutionModeOutputVertices, VERTICES } }, 1,
	},
	[SUNDOG_STAGE_TESS_EVAL] = {
		SpvExecutionModelTessellationEvaluation, SpvCapabilityTessellation, 32, 0, true,
		true, false, true,
		{ { SpvExecutionModeTriangles }, { SpvExecutionModeSpacingEqual },
		  { SpvExecutionModeVertexOrderCcw } }, 3,
	},
	[SUNDOG_STAGE_COMPUTE] = { SpvExecutionModelGLCompute, 0, 0, 0, false, false, true, true,
		{ { 0 } }, 0 },
	[SUNDOG_STAGE_TASK] = {
		SpvExecutionModelTaskEXT, SpvCapabilityMeshShadingEXT, 0, 0, false, false, true,
		false, { { 0 } }, 0,
	},
	[SUNDOG_STAGE_MESH] = {
		SpvExecutionModelMeshEXT, SpvCapabilityMeshShadingEXT, 0, VERTICES, false, true,
		true, false,
		{ { SpvExecutionModeOutputVertices, VERTICES },
		  { SpvExecutionModeOutputPrimitivesEXT, PRIMITIVES },
		  { SpvExecutionModeOutputTrianglesEXT } }, 3,
	},
};

/* Ids. Composite types exist twice: with a layout, for blocks, and without one. */
enum {
	ID_MAIN = 1,
	ID_SET,
	ID_VOID,
	ID_PROCEDURE,
	ID_BOOL,
	ID_UINT,
	ID_LABEL,
	ID_TYPES,
	ID_PLAIN = ID_TYPES + N_TYPES,
	ID_POINTERS = ID_PLAIN + N_TYPES,
	ID_VARIABLES = ID_POINTERS + N_CLASSES * N_TYPES,
	ID_NUMBERS = ID_VARIABLES + N_CLASSES
};
/* Constants for indices of members and elements, in range and out of range. */
static const int32_t numbers[] = { 0, 1, 2, 3, 4, 100, -1, INT32_MAX, INT32_MIN };
#define N_NUMBERS (sizeof(numbers) / sizeof(numbers[0]))
enum {
	ID_FLOATS = ID_NUMBERS + N_NUMBERS,
	ID_VECTOR = ID_FLOATS + 2,
	ID_LENGTHS,
	ID_VERTICES = ID_LENGTHS + 2,
	ID_SCOPE = ID_VERTICES + 2,
	/* Levels of a patch; indices of triangles, with their types. */
	ID_LEVELS,
	ID_INDICES,
	ID_TRIPLE,
	ID_TRIPLES,
	ID_TRIPLE_POINTER,
	ID_TRIPLES_POINTER,
	ID_TRIANGLE,
	ID_ONE,
	ID_FREE
};

struct pointer {
	uint32_t id;
	enum class class;
	enum type type;
};

/* Values and pointers that may be used in the current block. */
struct scope {
	uint32_t n_pointers, n_values[VECTOR + 1];
	uint32_t merge;
};

struct grammar {
	const uint8_t *choices;
	size_t left;
	uint32_t stage, *code;
	size_t words;
	uint32_t next_id;
	struct pointer pointers[MAX_POINTERS];
	uint32_t values[VECTOR + 1][MAX_VALUES];
	struct scope scope, outer[MAX_NESTED];
	uint32_t depth;
};

static uint32_t choose(struct grammar *g, uint32_t n)
{
	uint32_t choice = 0;

	if (g->left) {
		choice = *g->choices++ % n;
		g->left--;
	}
	return choice;
}

static void emit_words(struct grammar *g, uint32_t op, const uint32_t *operands, size_t n)
{
	if (g->words + n + 1 > GRAMMAR_WORDS)
		return;
	g->code[g->words++] = (uint32_t)(n + 1) << SpvWordCountShift | op;
	if (n)
		memcpy(g->code + g->words, operands, n * sizeof(*operands));
	g->words += n;
}

#define EMIT(g, op, ...) \
	do { \
		const uint32_t operands_[] = { __VA_ARGS__ }; \
		emit_words(g, op, operands_, sizeof(operands_) / sizeof(operands_[0])); \
	} while (0)

static bool has_class(const struct grammar *g, enum class class)
{
	const struct stage *stage = &stages[g->stage];

	switch (class) {
	case SHARED:
		return stage->group;
	case BUFFER:
	case UNIFORM:
		return stage->slots;
	case PAYLOAD:
		return !stage->slots;
	case INPUT:
		return stage->in;
	case OUTPUT:
		return stage->out;
	default:
		return true;
	}
}

/* Returns true if inputs or outputs are arrays of vertices. */
static bool has_vertices(const struct grammar *g, enum class class)
{
	return (class == INPUT && stages[g->stage].vertices_in) ||
	       (class == OUTPUT && stages[g->stage].vertices_out);
}

static enum type root_of(const struct grammar *g, enum class class)
{
	return has_vertices(g, class) ? VECTORS : roots[class];
}

static bool has_layout(enum class class)
{
	return class == BUFFER || class == UNIFORM || class == PUSH;
}

static uint32_t type_id(enum class class, enum type type)
{
	if (type == VECTORS)
		return (class == OUTPUT ? ID_TYPES : ID_PLAIN) + type;
	return (has_layout(class) || type <= VECTOR ? ID_TYPES : ID_PLAIN) + type;
}

static uint32_t pointer_type(enum class class, enum type type)
{
	return ID_POINTERS + class * N_TYPES + type;
}

/* Pools */

static void add_pointer(struct grammar *g, uint32_t id, enum class class, enum type type)
{
	const uint32_t at = g->scope.n_pointers < MAX_POINTERS ? g->scope.n_pointers++
							       : MAX_POINTERS - 1;

	g->pointers[at] = (struct pointer){ id, class, type };
}

static void add_value(struct grammar *g, enum type type, uint32_t id)
{
	uint32_t *n = &g->scope.n_values[type];

	if (*n < MAX_VALUES)
		g->values[type][(*n)++] = id;
}

static uint32_t a_value(struct grammar *g, enum type type)
{
	return g->values[type][choose(g, g->scope.n_values[type])];
}

#define ANY_CLASS ((1u << N_CLASSES) - 1)
#define WRITABLE \
	(1u << FUNCTION | 1u << PRIVATE | 1u << SHARED | 1u << BUFFER | 1u << OUTPUT | \
	 1u << PAYLOAD)
#define ATOMIC (1u << SHARED | 1u << BUFFER | 1u << PAYLOAD)
/* one in so many pointers is of a class that the instruction does not allow */
#define RARELY 64

/* A mesh shader must not write the payload, which its task shader wrote. */
static uint32_t writable(const struct grammar *g)
{
	return g->stage == SUNDOG_STAGE_MESH ? WRITABLE & ~(1u << PAYLOAD) : WRITABLE;
}

/* Returns a pointer to @type of one of @classes, a mask; NULL if there is none. */
static const struct pointer *a_pointer(struct grammar *g, enum type type, uint32_t classes)
{
	const uint32_t first = choose(g, g->scope.n_pointers);

	if (classes != ANY_CLASS && choose(g, RARELY) == RARELY - 1)
		classes = ANY_CLASS;
	for (uint32_t i = 0; i < g->scope.n_pointers; i++) {
		const struct pointer *p = &g->pointers[(first + i) % g->scope.n_pointers];

		if (p->type == type && classes >> p->class & 1)
			return p;
	}
	return NULL;
}

/* Start and end of modules */

static void emit_types(struct grammar *g, uint32_t base, bool layout)
{
	EMIT(g, SpvOpTypeArray, base + ARRAY, ID_TYPES + FLOAT, ID_LENGTHS);
	EMIT(g, SpvOpTypeStruct, base + STRUCT, ID_TYPES + FLOAT, ID_TYPES + INT, ID_TYPES + VECTOR,
	     base + ARRAY);
	if (!layout)
		return;
	EMIT(g, SpvOpTypeRuntimeArray, base + LONG, ID_TYPES + FLOAT);
	EMIT(g, SpvOpTypeStruct, base + BLOCK, ID_TYPES + FLOAT, ID_TYPES + INT, ID_TYPES + VECTOR,
	     base + ARRAY);
	/* The blocks of a list end with a runtime array. */
	EMIT(g, SpvOpTypeStruct, ID_PLAIN + BLOCK, ID_TYPES + FLOAT, ID_TYPES + INT,
	     ID_TYPES + VECTOR, base + ARRAY, base + LONG);
	EMIT(g, SpvOpTypeArray, base + LIST, ID_PLAIN + BLOCK, ID_LENGTHS + 1);
}

/* Returns the id of the type that a class's pointers to @type point to. */
static uint32_t pointee(enum class class, enum type type)
{
	return class == BUFFER && type == BLOCK ? ID_PLAIN + BLOCK : type_id(class, type);
}

static bool has_type(const struct grammar *g, enum class class, enum type type)
{
	if (type == VECTORS)
		return has_vertices(g, class);
	if (type == LIST || type == LONG)
		return class == BUFFER;
	return type == BLOCK ? has_layout(class) : !has_layout(class) || type != STRUCT;
}

static void emit_block_layout(struct grammar *g, uint32_t block)
{
	static const uint32_t offsets[] = { 0, 4, 16, 32, 96 };
	const uint32_t n = block == ID_TYPES + BLOCK ? 4 : 5;

	EMIT(g, SpvOpDecorate, block, SpvDecorationBlock);
	for (uint32_t i = 0; i < n; i++)
		EMIT(g, SpvOpMemberDecorate, block, i, SpvDecorationOffset, offsets[i]);
}

static bool has_meshes(const struct grammar *g)
{
	return stages[g->stage].capability == SpvCapabilityMeshShadingEXT;
}

/*
 * Emits the entry point with its interface variables. Since SPIR-V 1.4, which mesh shaders need,
 * the interface has all global variables.
 */
static void emit_entry_point(struct grammar *g)
{
	const uint32_t name = 'm' | 'a' << 8 | 'i' << 16 | 'n' << 24;
	uint32_t words[4 + N_CLASSES + 2] = { stages[g->stage].model, ID_MAIN, name, 0 }, n = 4;

	for (enum class class = FUNCTION + 1; class < N_CLASSES; class++)
		if (has_class(g, class) && (has_meshes(g) || class == INPUT || class == OUTPUT))
			words[n++] = ID_VARIABLES + class;
	if (g->stage == SUNDOG_STAGE_TESS_CTRL)
		words[n++] = ID_LEVELS;
	if (g->stage == SUNDOG_STAGE_MESH)
		words[n++] = ID_INDICES;
	emit_words(g, SpvOpEntryPoint, words, n);
}

static void emit_modes(struct grammar *g)
{
	const struct stage *stage = &stages[g->stage];

	if (stage->group)
		EMIT(g, SpvOpExecutionMode, ID_MAIN, SpvExecutionModeLocalSize, 4, 1, 1);
	for (uint32_t i = 0; i < stage->n_modes; i++) {
		const uint32_t words[] = { ID_MAIN, stage->modes[i][0], stage->modes[i][1] };

		emit_words(g, SpvOpExecutionMode, words, words[2] ? 3 : 2);
	}
}

static void emit_slots(struct grammar *g)
{
	EMIT(g, SpvOpDecorate, ID_VARIABLES + BUFFER, SpvDecorationDescriptorSet, g->stage);
	EMIT(g, SpvOpDecorate, ID_VARIABLES + BUFFER, SpvDecorationBinding, SUNDOG_BINDING_SSBOS);
	EMIT(g, SpvOpDecorate, ID_VARIABLES + UNIFORM, SpvDecorationDescriptorSet, g->stage);
	EMIT(g, SpvOpDecorate, ID_VARIABLES + UNIFORM, SpvDecorationBinding, SUNDOG_BINDING_UBO0);
}

static void emit_head(struct grammar *g)
{
	static const char extension[] = "SPV_EXT_mesh_shader";
	uint32_t set[1 + 4] = { ID_SET };

	memcpy(set + 1, "GLSL.std.450", 13);
	memcpy(g->code,
	       (const uint32_t[]){ SpvMagicNumber, has_meshes(g) ? 0x10400 : 0x10300, 0, 0, 0 },
	       20);
	g->words = 5;
	EMIT(g, SpvOpCapability, SpvCapabilityShader);
	if (stages[g->stage].capability)
		EMIT(g, SpvOpCapability, stages[g->stage].capability);
	if (has_meshes(g)) {
		uint32_t words[sizeof(extension) / 4];

		memcpy(words, extension, sizeof(extension));
		emit_words(g, SpvOpExtension, words, sizeof(extension) / 4);
	}
	emit_words(g, SpvOpExtInstImport, set, 5);
	EMIT(g, SpvOpMemoryModel, SpvAddressingModelLogical, SpvMemoryModelGLSL450);
	emit_entry_point(g);
	emit_modes(g);
	EMIT(g, SpvOpDecorate, ID_TYPES + ARRAY, SpvDecorationArrayStride, 16);
	EMIT(g, SpvOpDecorate, ID_TYPES + LONG, SpvDecorationArrayStride, 4);
	emit_block_layout(g, ID_TYPES + BLOCK);
	emit_block_layout(g, ID_PLAIN + BLOCK);
	if (stages[g->stage].slots)
		emit_slots(g);
	for (enum class class = INPUT; class <= OUTPUT; class++)
		if (has_class(g, class))
			EMIT(g, SpvOpDecorate, ID_VARIABLES + class, SpvDecorationLocation, 0);
	if (g->stage == SUNDOG_STAGE_TESS_CTRL) {
		EMIT(g, SpvOpDecorate, ID_LEVELS, SpvDecorationBuiltIn, SpvBuiltInTessLevelOuter);
		EMIT(g, SpvOpDecorate, ID_LEVELS, SpvDecorationPatch);
	}
	if (g->stage == SUNDOG_STAGE_MESH)
		EMIT(g, SpvOpDecorate, ID_INDICES, SpvDecorationBuiltIn,
		     SpvBuiltInPrimitiveTriangleIndicesEXT);
}

/* Emits the variable of a mesh's primitive indices, and one triangle. */
static void emit_triangles(struct grammar *g)
{
	EMIT(g, SpvOpTypeVector, ID_TRIPLE, ID_UINT, 3);
	EMIT(g, SpvOpTypeArray, ID_TRIPLES, ID_TRIPLE, ID_LENGTHS + 1);
	EMIT(g, SpvOpTypePointer, ID_TRIPLE_POINTER, SpvStorageClassOutput, ID_TRIPLE);
	EMIT(g, SpvOpTypePointer, ID_TRIPLES_POINTER, SpvStorageClassOutput, ID_TRIPLES);
	EMIT(g, SpvOpConstantComposite, ID_TRIPLE, ID_TRIANGLE, ID_LENGTHS + 1, ID_ONE, ID_LENGTHS);
	EMIT(g, SpvOpVariable, ID_TRIPLES_POINTER, ID_INDICES, SpvStorageClassOutput);
}

static void emit_globals(struct grammar *g)
{
	EMIT(g, SpvOpTypeVoid, ID_VOID);
	EMIT(g, SpvOpTypeFunction, ID_PROCEDURE, ID_VOID);
	EMIT(g, SpvOpTypeBool, ID_BOOL);
	EMIT(g, SpvOpTypeFloat, ID_TYPES + FLOAT, 32);
	EMIT(g, SpvOpTypeInt, ID_TYPES + INT, 32, 1);
	EMIT(g, SpvOpTypeInt, ID_UINT, 32, 0);
	EMIT(g, SpvOpTypeVector, ID_TYPES + VECTOR, ID_TYPES + FLOAT, 4);
	EMIT(g, SpvOpConstant, ID_UINT, ID_LENGTHS, 4);
	EMIT(g, SpvOpConstant, ID_UINT, ID_LENGTHS + 1, 2);
	EMIT(g, SpvOpConstant, ID_UINT, ID_VERTICES, stages[g->stage].vertices_in);
	EMIT(g, SpvOpConstant, ID_UINT, ID_VERTICES + 1, stages[g->stage].vertices_out);
	EMIT(g, SpvOpConstant, ID_UINT, ID_SCOPE, SpvScopeDevice);
	EMIT(g, SpvOpConstant, ID_UINT, ID_ONE, 1);
	for (uint32_t i = 0; i < N_NUMBERS; i++)
		EMIT(g, SpvOpConstant, ID_TYPES + INT, ID_NUMBERS + i, (uint32_t)numbers[i]);
	EMIT(g, SpvOpConstant, ID_TYPES + FLOAT, ID_FLOATS, 0x42260000);
	EMIT(g, SpvOpConstant, ID_TYPES + FLOAT, ID_FLOATS + 1, 0xcf000000);
	EMIT(g, SpvOpConstantComposite, ID_TYPES + VECTOR, ID_VECTOR, ID_FLOATS, ID_FLOATS + 1,
	     ID_FLOATS, ID_FLOATS);
	emit_types(g, ID_TYPES, true);
	emit_types(g, ID_PLAIN, false);
	if (has_vertices(g, INPUT))
		EMIT(g, SpvOpTypeArray, ID_PLAIN + VECTORS, ID_TYPES + VECTOR, ID_VERTICES);
	if (has_vertices(g, OUTPUT))
		EMIT(g, SpvOpTypeArray, ID_TYPES + VECTORS, ID_TYPES + VECTOR, ID_VERTICES + 1);
	for (enum class class = 0; class < N_CLASSES; class++) {
		for (enum type type = 0; has_class(g, class) && type < N_TYPES; type++)
			if (has_type(g, class, type))
				EMIT(g, SpvOpTypePointer, pointer_type(class, type), storage[class],
				     pointee(class, type));
		if (has_class(g, class) && class != FUNCTION)
			EMIT(g, SpvOpVariable, pointer_type(class, root_of(g, class)),
			     ID_VARIABLES + class, storage[class]);
	}
	if (g->stage == SUNDOG_STAGE_TESS_CTRL)
		EMIT(g, SpvOpVariable, pointer_type(OUTPUT, ARRAY), ID_LEVELS,
		     SpvStorageClassOutput);
	if (g->stage == SUNDOG_STAGE_MESH)
		emit_triangles(g);
}

static void begin_function(struct grammar *g)
{
	EMIT(g, SpvOpFunction, ID_VOID, ID_MAIN, 0, ID_PROCEDURE);
	EMIT(g, SpvOpLabel, ID_LABEL);
	EMIT(g, SpvOpVariable, pointer_type(FUNCTION, STRUCT), ID_VARIABLES + FUNCTION,
	     SpvStorageClassFunction);
	for (enum class class = 0; class < N_CLASSES; class++)
		if (has_class(g, class))
			add_pointer(g, ID_VARIABLES + class, class, root_of(g, class));
	if (g->stage == SUNDOG_STAGE_TESS_CTRL)
		add_pointer(g, ID_LEVELS, OUTPUT, ARRAY);
	if (g->stage == SUNDOG_STAGE_MESH)
		EMIT(g, SpvOpSetMeshOutputsEXT, ID_LENGTHS, ID_LENGTHS + 1);
	for (uint32_t i = 0; i < N_NUMBERS; i++)
		add_value(g, INT, ID_NUMBERS + i);
	add_value(g, FLOAT, ID_FLOATS);
	add_value(g, FLOAT, ID_FLOATS + 1);
	add_value(g, VECTOR, ID_VECTOR);
}

/* Instructions */

/*
 * Chooses a part of a composite. Returns the index of a member, or -1 if any number may be the
 * index; sets *@part to the part's type.
 */
static int part_of(struct grammar *g, enum class class, enum type type, enum type *part)
{
	static const enum type members[] = { FLOAT, INT, VECTOR, ARRAY, LONG };
	uint32_t member;

	switch (type) {
	case STRUCT:
	case BLOCK:
		member = choose(g, class == BUFFER ? 5 : 4);
		*part = members[member];
		return member;
	case LIST:
		*part = BLOCK;
		return -1;
	case VECTORS:
		*part = VECTOR;
		return -1;
	default:
		*part = FLOAT;
		return -1;
	}
}

/*
 * Returns true if a chain must end here: a mesh shader does not read its outputs, and writes whole
 * vectors to them.
 */
static bool is_whole(struct grammar *g, enum class class, enum type type)
{
	return g->stage == SUNDOG_STAGE_MESH && class == OUTPUT && type == VECTOR &&
	       choose(g, RARELY) != RARELY - 1;
}

static uint32_t readable(struct grammar *g)
{
	return g->stage == SUNDOG_STAGE_MESH ? ANY_CLASS & ~(1u << OUTPUT) : ANY_CLASS;
}

/* Emits an access chain of up to three indices, from a variable or from another chain. */
static void emit_chain(struct grammar *g)
{
	const struct pointer base = g->pointers[choose(g, g->scope.n_pointers)];
	const uint32_t most = choose(g, 4),
		       op = choose(g, 2) ? SpvOpAccessChain : SpvOpInBoundsAccessChain;
	uint32_t words[3 + 3] = { 0, g->next_id, base.id }, n = 0;
	enum type type = base.type;

	while (n < most && n < 3 && type != FLOAT && type != INT &&
	       !is_whole(g, base.class, type)) {
		const int member = part_of(g, base.class, type, &type);

		words[3 + n++] = member >= 0 ? ID_NUMBERS + (uint32_t)member : a_value(g, INT);
	}
	words[0] = pointer_type(base.class, type);
	emit_words(g, op, words, 3 + n);
	add_pointer(g, g->next_id++, base.class, type);
}

static void emit_load(struct grammar *g, enum type type)
{
	const struct pointer *p = a_pointer(g, type, readable(g));

	if (!p)
		return;
	EMIT(g, SpvOpLoad, type_id(p->class, type), g->next_id, p->id);
	add_value(g, type, g->next_id++);
}

static void emit_write(struct grammar *g, uint32_t how)
{
	const enum type type = how == 1 ? FLOAT : how == 2 ? INT : choose(g, 3);
	const struct pointer *p = a_pointer(g, type, writable(g)),
			     *from = a_pointer(g, type, readable(g));
	const uint32_t id = g->next_id;

	if (!p || !from)
		return;
	switch (how) {
	case 0:
		EMIT(g, SpvOpStore, p->id, a_value(g, type));
		break;
	case 1:
		EMIT(g, SpvOpExtInst, ID_TYPES + FLOAT, id, ID_SET, GLSLstd450Modf,
		     a_value(g, FLOAT), p->id);
		add_value(g, FLOAT, g->next_id++);
		break;
	case 2:
		EMIT(g, SpvOpExtInst, ID_TYPES + FLOAT, id, ID_SET, GLSLstd450Frexp,
		     a_value(g, FLOAT), p->id);
		add_value(g, FLOAT, g->next_id++);
		break;
	default:
		EMIT(g, SpvOpCopyMemory, p->id, from->id);
	}
}

static void emit_atomic(struct grammar *g)
{
	static const uint32_t ops[] = {
		SpvOpAtomicIAdd, SpvOpAtomicExchange, SpvOpAtomicSMax,
		SpvOpAtomicXor,  SpvOpAtomicLoad,     SpvOpAtomicStore,
	};
	const uint32_t op = ops[choose(g, 6)], id = g->next_id;
	const struct pointer *p = a_pointer(g, INT, ATOMIC & writable(g));

	if (!p)
		return;
	if (op == SpvOpAtomicStore) {
		EMIT(g, op, p->id, ID_SCOPE, ID_NUMBERS, a_value(g, INT));
		return;
	}
	if (op == SpvOpAtomicLoad)
		EMIT(g, op, ID_TYPES + INT, id, p->id, ID_SCOPE, ID_NUMBERS);
	else
		EMIT(g, op, ID_TYPES + INT, id, p->id, ID_SCOPE, ID_NUMBERS, a_value(g, INT));
	add_value(g, INT, g->next_id++);
}

static void emit_length(struct grammar *g)
{
	const struct pointer *p = a_pointer(g, BLOCK, ANY_CLASS);
	const uint32_t length = g->next_id;

	if (!p || p->class != BUFFER)
		return;
	g->next_id += 2;
	EMIT(g, SpvOpArrayLength, ID_UINT, length, p->id, 4);
	EMIT(g, SpvOpBitcast, ID_TYPES + INT, length + 1, length);
	add_value(g, INT, length + 1);
}

static void emit_number(struct grammar *g)
{
	static const uint32_t ops[] = { SpvOpIAdd, SpvOpISub, SpvOpIMul, SpvOpBitwiseAnd,
					SpvOpShiftLeftLogical };
	const uint32_t how = choose(g, 8), id = g->next_id++;

	if (how < 5)
		EMIT(g, ops[how], ID_TYPES + INT, id, a_value(g, INT), a_value(g, INT));
	else if (how == 5)
		EMIT(g, SpvOpExtInst, ID_TYPES + INT, id, ID_SET,
		     choose(g, 2) ? GLSLstd450SClamp : GLSLstd450UClamp, a_value(g, INT),
		     a_value(g, INT), a_value(g, INT));
	else
		EMIT(g, SpvOpConvertFToS, ID_TYPES + INT, id, a_value(g, FLOAT));
	add_value(g, INT, id);
}

static void emit_component(struct grammar *g)
{
	EMIT(g, SpvOpVectorExtractDynamic, ID_TYPES + FLOAT, g->next_id, a_value(g, VECTOR),
	     a_value(g, INT));
	add_value(g, FLOAT, g->next_id++);
}

static void emit_copy(struct grammar *g)
{
	const struct pointer p = g->pointers[choose(g, g->scope.n_pointers)];

	EMIT(g, SpvOpCopyObject, pointer_type(p.class, p.type), g->next_id, p.id);
	add_pointer(g, g->next_id++, p.class, p.type);
}

/*
 * Emits a vertex or the end of a strip, the indices of a triangle, or, in other stages, a component
 * of a vector.
 */
static void emit_output(struct grammar *g)
{
	if (g->stage == SUNDOG_STAGE_GEOMETRY) {
		emit_words(g, choose(g, 4) ? SpvOpEmitVertex : SpvOpEndPrimitive, NULL, 0);
	} else if (g->stage == SUNDOG_STAGE_MESH) {
		EMIT(g, SpvOpAccessChain, ID_TRIPLE_POINTER, g->next_id, ID_INDICES,
		     a_value(g, INT));
		EMIT(g, SpvOpStore, g->next_id++, ID_TRIANGLE);
	} else {
		emit_component(g);
	}
}

static void begin_condition(struct grammar *g)
{
	const uint32_t condition = g->next_id, then = condition + 1, merge = condition + 2;

	if (g->depth == MAX_NESTED)
		return;
	g->next_id += 3;
	EMIT(g, SpvOpSLessThan, ID_BOOL, condition, a_value(g, INT), a_value(g, INT));
	EMIT(g, SpvOpSelectionMerge, merge, 0);
	EMIT(g, SpvOpBranchConditional, condition, then, merge);
	EMIT(g, SpvOpLabel, then);
	g->outer[g->depth++] = g->scope;
	g->scope.merge = merge;
}

static void end_condition(struct grammar *g)
{
	if (!g->depth)
		return;
	EMIT(g, SpvOpBranch, g->scope.merge);
	EMIT(g, SpvOpLabel, g->scope.merge);
	g->scope = g->outer[--g->depth];
}

static void emit_instruction(struct grammar *g)
{
	const uint32_t what = choose(g, 16);

	if (what < 5)
		emit_chain(g);
	else if (what < 7)
		emit_load(g, choose(g, 3));
	else if (what < 11)
		emit_write(g, what - 7);
	else if (what == 11)
		emit_atomic(g);
	else if (what == 12)
		emit_number(g);
	else if (what == 13)
		choose(g, 2) ? emit_copy(g) : emit_output(g);
	else if (what == 14)
		begin_condition(g);
	else
		choose(g, 2) ? emit_length(g) : end_condition(g);
}

size_t grammar_module(uint32_t stage, const uint8_t *choices, size_t size,
		      uint32_t code[GRAMMAR_WORDS])
{
	struct grammar g = { .choices = choices,
			     .left = size,
			     .stage = stage,
			     .code = code,
			     .next_id = ID_FREE };

	emit_head(&g);
	emit_globals(&g);
	begin_function(&g);
	while (g.left && g.words + SPARE_WORDS < GRAMMAR_WORDS)
		emit_instruction(&g);
	while (g.depth)
		end_condition(&g);
	if (stage == SUNDOG_STAGE_TASK)
		EMIT(&g, SpvOpEmitMeshTasksEXT, ID_ONE, ID_LENGTHS + 1, ID_ONE,
		     ID_VARIABLES + PAYLOAD);
	else
		emit_words(&g, SpvOpReturn, NULL, 0);
	emit_words(&g, SpvOpFunctionEnd, NULL, 0);
	code[3] = g.next_id;
	return g.words;
}
