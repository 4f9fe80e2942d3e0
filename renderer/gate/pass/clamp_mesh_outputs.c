// SPDX-License-Identifier: MIT
/*
 * Pass "mesh-outputs" of the gate, see gate.h: bounds the output of task and mesh shaders to the
 * memory of the host.
 *
 * llvmpipe checks none of it. It copies as many vertices and primitives as SetMeshOutputs says, to
 * memory for as many as are declared. It reads vertices at any index that a primitive has, and
 * allocates for any number of groups that a task shader asks for, computed in 32 bits. An output
 * that an invocation does not write has values from llvmpipe's stack. An output without any store
 * in the module is not counted when llvmpipe lays out the others, so that it reads beyond them.
 *
 * So a mesh shader begins with zeros in all its outputs and with no primitives. It sets all of its
 * vertices or none, so that each index names a vertex that was copied, and indices are clamped to
 * their number. Components that no output has, at a location that an output has, become outputs,
 * since a fragment shader may read them. Task and mesh shaders also begin with zeros in shared
 * memory.
 */
#include "gate/pass/clamp_mesh_outputs.h"

#include <string.h>

#include <spirv/unified1/GLSL.std.450.h>
#include <spirv/unified1/spirv.h>

#include "gate/check/member.h"
#include "gate/pass/mesh_output_mask.h"
#include "gate/pass/zero_shared_memory.h"
#include "gate/writer.h"

#define MAX_OUTPUTS 160u	/* 128 components, and built-ins */
/* A location that is used has at least one component. */
#define MAX_MISSING (GATE_LOCATIONS * 3)
#define MAX_INDEX_TYPES 4u		/* signed and unsigned; one vertex or all of a primitive */
/* Words of an entry point, to which outputs are added. */
#define MAX_LISTED (0xffffu - MAX_MISSING - 1)
#define VERTEX_BYTES 32u		/* of a vertex in the host, beside its outputs */
#define SLOT_BYTES 16u			/* of an output */
#define MORE_ELEMENTS 8u		/* elements more than are declared */
/* llvmpipe's stride is that of eight vertices, and it allocates one for each. */
#define HOST_FACTOR 8u
/* AcquireRelease, WorkgroupMemory: a barrier needs some semantics. */
#define RELEASE_AND_ACQUIRE 0x108u

struct output {
	uint32_t id, type;		/* the type of an element */
	bool builtins;			/* a struct of built-ins */
	uint64_t used;	/* mask of the struct's used members; otherwise 0: not used */
};

/* A component that no output has, at a location that is used: the pass adds an output for it. */
struct missing {
	uint32_t id, location, component;
	bool of_primitives;
};

struct clamp {
	struct gate *g;
	struct spirv_out writer;
	struct output outputs[MAX_OUTPUTS];
	uint32_t n_outputs;
	struct missing missing[MAX_MISSING];
	uint32_t n_missing;
	bool shares;			/* there is shared memory */
	uint32_t shared_parts;		/* parts of shared memory that get zeros */
	struct gate_types types;
	uint32_t set;			/* id of GLSL.std.450; 0: not imported */
	/* Variable of LocalInvocationIndex, 0: none; and its pointee. */
	uint32_t invocation, invocation_type;
	struct {
		uint32_t type, last;	/* type of a stored index; constant: the last vertex */
	} indices[MAX_INDEX_TYPES];
	uint32_t n_index_types;
	/* Ids of constants. */
	uint32_t zero, one, vertices, primitives, groups, all_groups, scope, semantics;
	uint32_t begin;	/* the function that stores zeros; 0: the shader needs none */
};

/* Looking at the module */

static void look_at_variable(struct clamp *m, const uint32_t *in)
{
	struct gate *g = m->g;
	const uint32_t pointee = gate_id(g, in[1])->b, type = gate_id(g, pointee)->a;

	if (in[3] == SpvStorageClassInput && gate_id(g, in[2])->listed &&
	    gate_id(g, in[2])->builtin == SpvBuiltInLocalInvocationIndex) {
		m->invocation = in[2];
		m->invocation_type = pointee;
	}
	m->shares |= gate_is_shared_variable(g, in);
	if (in[3] != SpvStorageClassOutput)
		return;
	if (m->n_outputs < MAX_OUTPUTS)
		m->outputs[m->n_outputs] = (struct output){
			in[2],
			type,
			gate_id(g, type)->op == SpvOpTypeStruct &&
				gate_id(g, type)->builtin != GATE_NOT_SET,
			0,
		};
	m->n_outputs++;
}

/*
 * Records the outputs that an access chain uses. The host has no unused outputs: glslang declares
 * all built-ins that exist.
 */
static void look_at_chain(struct clamp *m, const uint32_t *in)
{
	const uint32_t words = *in >> 16;
	const struct gate_id *member = words > 5 ? gate_id(m->g, in[5]) : NULL;

	for (uint32_t i = 0; i < m->n_outputs && i < MAX_OUTPUTS; i++) {
		if (m->outputs[i].id != gate_id(m->g, in[2])->variable)
			continue;
		if (in[3] == m->outputs[i].id && member && member->op == SpvOpConstant &&
		    member->a < 64)
			m->outputs[i].used |= 1ull << member->a;
		else
			m->outputs[i].used = UINT64_MAX;
	}
}

/* Marks all of a variable as used, if the id is an output. */
static void use_all(struct clamp *m, uint32_t id)
{
	for (uint32_t i = 0; i < m->n_outputs && i < MAX_OUTPUTS; i++)
		if (m->outputs[i].id == id)
			m->outputs[i].used = UINT64_MAX;
}

static bool look_at_store(struct clamp *m, const uint32_t *in)
{
	const uint32_t variable = gate_id(m->g, in[1])->variable, type = gate_id(m->g, in[2])->type;
	uint32_t i = 0;

	if (!variable || variable != m->g->mesh.indices)
		return true;
	while (i < m->n_index_types && m->indices[i].type != type)
		i++;
	if (i == MAX_INDEX_TYPES)
		return gate_refuse(m->g, "primitive indices are stored as more than %u types",
				   MAX_INDEX_TYPES);
	m->indices[i].type = type;
	m->n_index_types += i == m->n_index_types;
	return true;
}

/*
 * Outputs with a location in the interface count as used. Finds the components that these do not
 * have.
 */
static void find_missing(struct clamp *m)
{
	uint8_t masks[GATE_LOCATIONS] = { 0 };

	for (uint32_t i = 0; i < m->n_outputs; i++) {
		const struct gate_id *var = gate_id(m->g, m->outputs[i].id);

		if ((var->location == GATE_NOT_SET &&
		     !gate_id(m->g, m->outputs[i].type)->member_places) || !var->listed)
			continue;
		m->outputs[i].used = UINT64_MAX;
		gate_mesh_output_mask(m->g, var, m->outputs[i].type, masks);
	}
	for (uint32_t i = 0; i < GATE_LOCATIONS * 4; i++)
		if (masks[i / 4] && !(masks[i / 4] >> i % 4 & 1) && m->n_missing < MAX_MISSING)
			m->missing[m->n_missing++] = (struct missing){
				.location = i / 4,
				.component = i % 4,
				.of_primitives = m->g->mesh.locations[1] >> i / 4 & 1,
			};
}

/*
 * Returns the most slots that a built-in takes: 2 for an array, which are distances here and are
 * counted, and 1 for others.
 */
static uint32_t take_slots(struct clamp *m, uint32_t type_id)
{
	const struct gate_id *type = gate_id(m->g, type_id);

	if (type->op != SpvOpTypeArray)
		return 1;
	m->g->mesh.distances += gate_id(m->g, type->b)->a;
	return 2;
}

/*
 * Counts the slots of built-ins, for vertices and for primitives, and records whether PrimitiveId
 * is one of them. Indices of primitives need no PerPrimitive decoration.
 */
static void count_slots(struct clamp *m, const struct output *o, uint32_t *slots)
{
	const struct gate_id *var = gate_id(m->g, o->id), *type = gate_id(m->g, o->type);

	if (!o->builtins) {
		if (o->used && var->builtin != GATE_NOT_SET) {
			slots[var->per_primitive || o->id == m->g->mesh.indices] +=
				take_slots(m, o->type);
			m->g->mesh.primitive_id |= var->builtin == SpvBuiltInPrimitiveId;
		}
		return;
	}
	for (uint32_t k = 0; k < type->n_members; k++) {
		const struct gate_member *builtin;

		if (!(o->used >> k & 1))
			continue;
		slots[var->per_primitive || (type->members_per_primitive >> k & 1)] +=
			take_slots(m, type->members[k]);
		builtin = gate_member_find(m->g, o->type, k, SpvDecorationBuiltIn);
		m->g->mesh.primitive_id |= builtin && builtin->value == SpvBuiltInPrimitiveId;
	}
}

/* Returns at least the bytes that the host allocates for each work group. */
static uint32_t group_bytes(struct clamp *m)
{
	const struct gate_mesh *mesh = &m->g->mesh;
	uint32_t slots[2] = {
		(uint32_t)__builtin_popcount(mesh->locations[0]),
		(uint32_t)__builtin_popcount(mesh->locations[1]),
	};

	for (uint32_t i = 0; i < m->n_outputs; i++)
		count_slots(m, &m->outputs[i], slots);
	return HOST_FACTOR *
	       ((VERTEX_BYTES + SLOT_BYTES * slots[0]) * (mesh->max_vertices + MORE_ELEMENTS) +
		SLOT_BYTES * slots[1] * (mesh->max_primitives + MORE_ELEMENTS));
}

static bool look(struct clamp *m)
{
	struct gate *g = m->g;

	gate_find_types(g, &m->types);
	for (uint32_t at = 5; at < g->words; at += g->code[at] >> 16) {
		const uint32_t *in = gate_look(g, at);

		switch (*in & 0xffff) {
		case SpvOpExtInstImport:
			m->set = in[1];
			break;
		case SpvOpEntryPoint:
			if (*in >> 16 > MAX_LISTED)
				return gate_refuse(g, "OpEntryPoint has %u words, the limit is %u",
						   *in >> 16, MAX_LISTED);
			break;
		case SpvOpVariable:
			look_at_variable(m, in);
			break;
		case SpvOpAccessChain:
			look_at_chain(m, in);
			break;
		case SpvOpStore:
			use_all(m, in[1]);
			if (!look_at_store(m, in))
				return false;
			break;
		}
	}
	if (m->n_outputs > MAX_OUTPUTS)
		return gate_refuse(g, "more than %u Output variables", MAX_OUTPUTS);
	find_missing(m);
	m->g->mesh.group_bytes = group_bytes(m);
	return true;
}

/* Types and constants, after all others */

static uint32_t constant(struct clamp *m, uint32_t type, uint32_t value)
{
	const uint32_t id = spirv_new_id(&m->writer);

	SPIRV_EMIT(&m->writer, SpvOpConstant, type, id, value);
	return id;
}

/* Returns the number of the last vertex as a constant of @type, which may be a vector. */
static uint32_t last_vertex(struct clamp *m, uint32_t type)
{
	const struct gate_id *t = gate_id(m->g, type);
	const bool vector = t->op == SpvOpTypeVector;
	const uint32_t one = constant(m, vector ? t->a : type, m->g->mesh.max_vertices - 1);
	const uint32_t n = vector ? t->b : 1, id = spirv_new_id(&m->writer);

	if (!vector)
		return one;
	spirv_put_head(&m->writer, SpvOpConstantComposite, 3 + n);
	spirv_put(&m->writer, (const uint32_t[]){ type, id }, 2);
	for (uint32_t i = 0; i < n; i++)
		spirv_put_word(&m->writer, one);
	return id;
}

static void emit_task_globals(struct clamp *m)
{
	m->one = constant(m, m->types.number, 1);
	m->groups = constant(m, m->types.number, SUNDOG_MAX_MESH_GROUPS);
	m->all_groups = constant(m, m->types.number, SUNDOG_MAX_MESH_TOTAL_GROUPS);
}

/*
 * Returns true if a shader writes the indices of primitives. Otherwise the host would take another
 * output for them, so it may emit no primitives.
 */
static bool writes_indices(const struct clamp *m)
{
	for (uint32_t i = 0; i < m->n_outputs; i++)
		if (m->outputs[i].id == m->g->mesh.indices)
			return m->outputs[i].used;
	return false;
}

static void emit_mesh_globals(struct clamp *m)
{
	const struct gate_mesh *mesh = &m->g->mesh;

	m->one = constant(m, m->types.number, 1);
	m->vertices = constant(m, m->types.number, mesh->max_vertices);
	m->primitives = constant(m, m->types.number, writes_indices(m) ? mesh->max_primitives : 0);
	for (uint32_t i = 0; i < m->n_index_types; i++)
		m->indices[i].last = last_vertex(m, m->indices[i].type);
}

/* Writes the added outputs: a number for each vertex or each primitive. */
static void emit_missing(struct clamp *m)
{
	for (uint32_t i = 0; i < m->n_missing; i++) {
		const uint32_t array = spirv_new_id(&m->writer), pointer = spirv_new_id(&m->writer);
		const uint32_t most = m->missing[i].of_primitives ? m->g->mesh.max_primitives :
								    m->g->mesh.max_vertices;

		SPIRV_EMIT(&m->writer, SpvOpTypeArray, array, m->types.number,
			   constant(m, m->types.number, most));
		SPIRV_EMIT(&m->writer, SpvOpTypePointer, pointer, SpvStorageClassOutput, array);
		SPIRV_EMIT(&m->writer, SpvOpVariable, pointer, m->missing[i].id,
			   SpvStorageClassOutput);
	}
}

/* Writes the types, constants and variables of the function that stores zeros. */
static void emit_begin_globals(struct clamp *m, bool has_invocation)
{
	uint32_t pointer;

	gate_need_boolean(&m->writer, &m->types);
	m->zero = constant(m, m->types.number, 0);
	m->scope = constant(m, m->types.number, SpvScopeWorkgroup);
	m->semantics = constant(m, m->types.number, RELEASE_AND_ACQUIRE);
	emit_missing(m);
	if (has_invocation)
		return;
	m->invocation_type = m->types.number;
	pointer = spirv_new_id(&m->writer);
	SPIRV_EMIT(&m->writer, SpvOpTypePointer, pointer, SpvStorageClassInput, m->types.number);
	SPIRV_EMIT(&m->writer, SpvOpVariable, pointer, m->invocation, SpvStorageClassInput);
}

/* The function that stores zeros */

static void emit_zero(struct clamp *m, struct gate_zero_loop *z, uint32_t variable,
		      const uint32_t *member, uint32_t type)
{
	const uint32_t pointer = spirv_new_id(&m->writer), zero = spirv_new_id(&m->writer),
		       to = spirv_new_id(&m->writer);

	SPIRV_EMIT(&z->globals, SpvOpTypePointer, pointer, SpvStorageClassOutput, type);
	SPIRV_EMIT(&z->globals, SpvOpConstantNull, type, zero);
	if (member)
		SPIRV_EMIT(&z->stores, SpvOpAccessChain, pointer, to, variable, z->at, *member);
	else
		SPIRV_EMIT(&z->stores, SpvOpAccessChain, pointer, to, variable, z->at);
	SPIRV_EMIT(&z->stores, SpvOpStore, to, zero);
}

/*
 * Indices beyond the end of an array are clamped to its last element, like all indices that are not
 * constant.
 */
static void emit_zeroes(struct clamp *m, struct gate_zero_loop *z)
{
	z->turns = gate_larger(m->g->mesh.max_vertices, m->g->mesh.max_primitives);
	for (uint32_t i = 0; i < m->n_missing; i++)
		emit_zero(m, z, m->missing[i].id, NULL, m->types.number);
	for (uint32_t i = 0; i < m->n_outputs; i++) {
		const struct output *o = &m->outputs[i];
		const struct gate_id *type = gate_id(m->g, o->type);

		if (!o->builtins && o->used)
			emit_zero(m, z, o->id, NULL, o->type);
		for (uint32_t k = 0; o->builtins && k < type->n_members; k++) {
			uint32_t member;

			if (!(o->used >> k & 1))
				continue;
			member = spirv_new_id(&m->writer);
			SPIRV_EMIT(&z->globals, SpvOpConstant, m->types.number, member, k);
			emit_zero(m, z, o->id, &member, type->members[k]);
		}
	}
}

/* Writes the types and constants for zeros, and collects the stores. */
static void begin_zeroes(struct clamp *m, struct gate_zero_loop *z,
			 void (*emit)(struct clamp *m, struct gate_zero_loop *z))
{
	*z = (struct gate_zero_loop){ .ids = &m->writer,
				      .number = m->types.number,
				      .at = spirv_new_id(&m->writer) };
	emit(m, z);
	spirv_append(&m->writer, &z->globals);
	z->turns = constant(m, m->types.number, z->turns);
}

static void emit_shared(struct clamp *m, struct gate_zero_loop *z)
{
	gate_zero_shared_memory(m->g, z);
	m->shared_parts = z->parts;
}

/*
 * for (at = first; at < turns; at += group)
 *         stores;
 *
 * The block before the loop is @entry. Returns the block after it.
 */
static uint32_t emit_loop(struct clamp *m, struct gate_zero_loop *z, uint32_t entry, uint32_t first,
			  uint32_t step)
{
	struct spirv_out *w = &m->writer;
	const uint32_t header = spirv_new_id(w), body = spirv_new_id(w), check = spirv_new_id(w),
		       go_on = spirv_new_id(w);
	const uint32_t merge = spirv_new_id(w), next = spirv_new_id(w), more = spirv_new_id(w);

	SPIRV_EMIT(w, SpvOpBranch, header);
	SPIRV_EMIT(w, SpvOpLabel, header);
	SPIRV_EMIT(w, SpvOpPhi, m->types.number, z->at, first, entry, next, go_on);
	/* The pass that limits unrolling has run before. */
	SPIRV_EMIT(w, SpvOpLoopMerge, merge, go_on, SpvLoopControlDontUnrollMask);
	SPIRV_EMIT(w, SpvOpBranch, check);
	SPIRV_EMIT(w, SpvOpLabel, check);
	SPIRV_EMIT(w, SpvOpULessThan, m->types.boolean, more, z->at, z->turns);
	SPIRV_EMIT(w, SpvOpBranchConditional, more, body, merge);
	SPIRV_EMIT(w, SpvOpLabel, body);
	spirv_append(w, &z->stores);
	SPIRV_EMIT(w, SpvOpBranch, go_on);
	SPIRV_EMIT(w, SpvOpLabel, go_on);
	SPIRV_EMIT(w, SpvOpIAdd, m->types.number, next, z->at, step);
	SPIRV_EMIT(w, SpvOpBranch, header);
	SPIRV_EMIT(w, SpvOpLabel, merge);
	return merge;
}

/* Loads LocalInvocationIndex, which may be signed, as an unsigned number. */
static uint32_t emit_invocation(struct clamp *m)
{
	const uint32_t loaded = spirv_new_id(&m->writer), number = spirv_new_id(&m->writer);

	SPIRV_EMIT(&m->writer, SpvOpLoad, m->invocation_type, loaded, m->invocation);
	if (m->invocation_type == m->types.number)
		return loaded;
	SPIRV_EMIT(&m->writer, SpvOpBitcast, m->types.number, number, loaded);
	return number;
}

/*
 * SetMeshOutputs(V, 0);
 * for (i = gl_LocalInvocationIndex; i < end; i += group)
 *         output[i] = 0, for all outputs;
 * the same for shared memory;
 * barrier();
 */
static void emit_begin(struct clamp *m, struct gate_zero_loop *outputs,
		       struct gate_zero_loop *shared, uint32_t step)
{
	struct spirv_out *w = &m->writer;
	uint32_t block = spirv_new_id(w), first;

	SPIRV_EMIT(w, SpvOpFunction, m->types.nothing, m->begin, 0, m->types.procedure);
	SPIRV_EMIT(w, SpvOpLabel, block);
	if (outputs)
		SPIRV_EMIT(w, SpvOpSetMeshOutputsEXT, m->vertices, m->zero);
	first = emit_invocation(m);
	if (outputs)
		block = emit_loop(m, outputs, block, first, step);
	if (shared)
		emit_loop(m, shared, block, first, step);
	SPIRV_EMIT(w, SpvOpControlBarrier, m->scope, m->scope, m->semantics);
	SPIRV_EMIT(w, SpvOpReturn);
	SPIRV_EMIT(w, SpvOpFunctionEnd);
}

/* Instructions */

static uint32_t binary(struct clamp *m, uint32_t op, uint32_t type, uint32_t a, uint32_t b)
{
	const uint32_t id = spirv_new_id(&m->writer);

	SPIRV_EMIT(&m->writer, op, type, id, a, b);
	return id;
}

static uint32_t extended(struct clamp *m, uint32_t op, uint32_t type, uint32_t a, uint32_t b)
{
	const uint32_t id = spirv_new_id(&m->writer);

	SPIRV_EMIT(&m->writer, SpvOpExtInst, type, id, m->set, op, a, b);
	return id;
}

static uint32_t at_most(struct clamp *m, uint32_t a, uint32_t b)
{
	return extended(m, GLSLstd450UMin, m->types.number, a, b);
}

/* Sets all vertices, and the primitives if there are any vertices. */
static void emit_set_outputs(struct clamp *m, const uint32_t *in)
{
	const uint32_t primitives = at_most(m, in[2], m->primitives),
		       any = at_most(m, in[1], m->one);

	SPIRV_EMIT(&m->writer, SpvOpSetMeshOutputsEXT, m->vertices,
		   binary(m, SpvOpIMul, m->types.number, primitives, any));
}

/*
 * Returns @groups, bounded so that the product with @others, the number of groups before it, is
 * within the total limit.
 */
static uint32_t groups_beside(struct clamp *m, uint32_t groups, uint32_t others)
{
	const uint32_t some = extended(m, GLSLstd450UMax, m->types.number, others, m->one);
	const uint32_t most = binary(m, SpvOpUDiv, m->types.number, m->all_groups, some);

	return at_most(m, at_most(m, groups, m->groups), most);
}

static void emit_tasks(struct clamp *m, const uint32_t *in)
{
	const uint32_t x = at_most(m, in[1], m->groups), y = groups_beside(m, in[2], x);
	const uint32_t z = groups_beside(m, in[3], binary(m, SpvOpIMul, m->types.number, x, y));

	if (*in >> 16 > 4)
		SPIRV_EMIT(&m->writer, SpvOpEmitMeshTasksEXT, x, y, z, in[4]);
	else
		SPIRV_EMIT(&m->writer, SpvOpEmitMeshTasksEXT, x, y, z);
}

/* Writes a store, with the value clamped if it stores indices of primitives. */
static void emit_store(struct clamp *m, const uint32_t *in)
{
	const uint32_t variable = gate_id(m->g, in[1])->variable, type = gate_id(m->g, in[2])->type;
	uint32_t i = 0;

	if (!variable || variable != m->g->mesh.indices) {
		spirv_copy(&m->writer, in);
		return;
	}
	while (m->indices[i].type != type)
		i++;
	SPIRV_EMIT(&m->writer, SpvOpStore, in[1],
		   extended(m, GLSLstd450UMin, type, in[2], m->indices[i].last));
}

/* Adds the new variables to the interface of the entry point. */
static void emit_entry_point(struct clamp *m, const uint32_t *in, bool has_invocation)
{
	const uint32_t words = *in >> 16, more = m->n_missing + !has_invocation;

	spirv_put_head(&m->writer, SpvOpEntryPoint, words + more);
	spirv_put(&m->writer, in + 1, words - 1);
	for (uint32_t i = 0; i < m->n_missing; i++)
		spirv_put_word(&m->writer, m->missing[i].id);
	if (!has_invocation)
		spirv_put_word(&m->writer, m->invocation);
}

static void emit_decorations(struct clamp *m, bool has_invocation)
{
	struct spirv_out *w = &m->writer;

	for (uint32_t i = 0; i < m->n_missing; i++) {
		SPIRV_EMIT(w, SpvOpDecorate, m->missing[i].id, SpvDecorationLocation,
			   m->missing[i].location);
		SPIRV_EMIT(w, SpvOpDecorate, m->missing[i].id, SpvDecorationComponent,
			   m->missing[i].component);
		if (m->missing[i].of_primitives)
			SPIRV_EMIT(w, SpvOpDecorate, m->missing[i].id,
				   SpvDecorationPerPrimitiveEXT);
	}
	if (!has_invocation)
		SPIRV_EMIT(w, SpvOpDecorate, m->invocation, SpvDecorationBuiltIn,
			   SpvBuiltInLocalInvocationIndex);
}

static void emit_instruction(struct clamp *m, const uint32_t *in, bool has_invocation)
{
	static const char set[] = "GLSL.std.450";
	uint32_t name[(sizeof(set) + 3) / 4] = { 0 };

	memcpy(name, set, sizeof(set));
	switch (*in & 0xffff) {
	case SpvOpMemoryModel:
		if (!m->set) {
			m->set = spirv_new_id(&m->writer);
			SPIRV_EMIT(&m->writer, SpvOpExtInstImport, m->set, name[0], name[1],
				   name[2], name[3]);
		}
		spirv_copy(&m->writer, in);
		break;
	case SpvOpEntryPoint:
		emit_entry_point(m, in, has_invocation);
		break;
	case SpvOpSetMeshOutputsEXT:
		emit_set_outputs(m, in);
		break;
	case SpvOpEmitMeshTasksEXT:
		emit_tasks(m, in);
		break;
	case SpvOpStore:
		emit_store(m, in);
		break;
	default:
		spirv_copy(&m->writer, in);
	}
}

/* The module */

/* Writes the types, constants and variables before the first function. */
static void emit_globals(struct clamp *m, bool has_invocation)
{
	gate_need_number(&m->writer, &m->types);
	if (m->begin)
		emit_begin_globals(m, has_invocation);
	if (m->g->cmd->stage == SUNDOG_STAGE_MESH)
		emit_mesh_globals(m);
	else
		emit_task_globals(m);
}

static void rewrite(struct clamp *m, bool has_invocation)
{
	const bool mesh = m->g->cmd->stage == SUNDOG_STAGE_MESH;
	bool decorated = false, globals = false, in_entry = false;
	struct gate_zero_loop outputs, shared;
	struct gate *g = m->g;
	uint32_t step = 0;

	for (uint32_t at = 5; at < g->words; at += g->code[at] >> 16) {
		const uint32_t *in = gate_look(g, at), op = *in & 0xffff;

		if (spirv_is_annotation_or_type(op) && !decorated) {
			emit_decorations(m, has_invocation);
			decorated = true;
		}
		if (op == SpvOpFunction && !globals) {
			emit_globals(m, has_invocation);
			if (mesh)
				begin_zeroes(m, &outputs, emit_zeroes);
			if (m->shares)
				begin_zeroes(m, &shared, emit_shared);
			step = constant(m, m->types.number, (uint32_t)g->group.invocations);
			globals = true;
		}
		if (op == SpvOpFunction)
			in_entry = m->begin && in[2] == g->entry;
		if (in_entry && !spirv_begins_block(op)) {
			SPIRV_EMIT(&m->writer, SpvOpFunctionCall, m->types.nothing,
				   spirv_new_id(&m->writer), m->begin);
			in_entry = false;
		}
		emit_instruction(m, in, has_invocation);
	}
	if (m->begin)
		emit_begin(m, mesh ? &outputs : NULL, m->shares ? &shared : NULL, step);
}

bool gate_clamp_mesh_outputs(struct gate *g)
{
	struct clamp m = { .g = g };
	bool has_invocation;

	if (g->cmd->stage != SUNDOG_STAGE_TASK && g->cmd->stage != SUNDOG_STAGE_MESH)
		return true;
	if (!look(&m))
		return false;
	gate_write_begin(&m.writer, g);
	if (g->cmd->stage == SUNDOG_STAGE_MESH || m.shares)
		m.begin = spirv_new_id(&m.writer);
	has_invocation = m.invocation || !m.begin;
	if (!has_invocation)
		m.invocation = spirv_new_id(&m.writer);
	for (uint32_t i = 0; i < m.n_missing; i++)
		m.missing[i].id = spirv_new_id(&m.writer);
	rewrite(&m, has_invocation);
	return gate_write_end(&m.writer, g) &&
	       (m.shared_parts <= GATE_MAX_SHARED_PARTS ||
		gate_refuse(g, "Workgroup variables have %u scalars, vectors and matrices; the "
			    "limit is %u", m.shared_parts, GATE_MAX_SHARED_PARTS));
}
