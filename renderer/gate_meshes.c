// SPDX-License-Identifier: MIT
/*
 * What task and mesh shaders emit, held to what the host has room for, see gate.h.
 *
 * llvmpipe looks at none of it: it copies as many vertices and primitives as a mesh shader says to memory for as many
 * as it declares, reads vertices at whatever index a primitive has, and allocates for whatever number of groups a task
 * shader asks for, in 32 bits. What was not written it takes from its stack, and what is written nowhere it does not
 * count when it lays out the rest, of which it then reads more than there is.
 *
 * So a mesh shader begins with zeroes in all outputs that it knows, and no primitives; sets all of its vertices, or
 * none, so that each index is one of a vertex that was copied; and indices are held below their number.
 */
#include "gate_writer.h"

#include <string.h>

#include <spirv/unified1/GLSL.std.450.h>
#include <spirv/unified1/spirv.h>

#define MAX_OUTPUTS 64u
#define MAX_INDEX_TYPES 4u		/* of 32 bits, with a sign and without; one vertex, or all of a primitive */
#define LISTS_ALL_VARIABLES 0x10400u	/* SPIR-V version whose entry points do */
#define RELEASE_AND_ACQUIRE 0x108u	/* of shared memory: a barrier needs some */

struct output {
	uint32_t id, type;		/* of an element */
	bool builtins;			/* it is a struct of such */
	uint64_t used;			/* members of that that are, a mask; else 0: it is not */
};

struct meshes {
	struct gate *g;
	struct gate_writer writer;
	struct output outputs[MAX_OUTPUTS];
	uint32_t n_outputs;
	struct gate_types types;
	uint32_t set;			/* of instructions; 0: not imported */
	uint32_t invocation, invocation_type;	/* a variable, 0: there is none; and the type of what it points to */
	struct {
		uint32_t type, last;	/* of a stored index; a constant: the last vertex */
	} indices[MAX_INDEX_TYPES];
	uint32_t n_index_types;
	uint32_t zero, one, vertices, primitives, groups, all_groups, scope, semantics;	/* numbers */
	uint32_t step, end;		/* of the same type as the invocation */
	uint32_t begin;			/* a function */
};

/* What the module has */

static void look_at_variable(struct meshes *m, const uint32_t *in)
{
	struct gate *g = m->g;
	const uint32_t pointee = gate_id(g, in[1])->b, type = gate_id(g, pointee)->a;

	if (in[3] == SpvStorageClassInput && gate_id(g, in[2])->builtin == SpvBuiltInLocalInvocationIndex) {
		m->invocation = in[2];
		m->invocation_type = pointee;
	}
	if (in[3] != SpvStorageClassOutput)
		return;
	if (m->n_outputs < MAX_OUTPUTS)
		m->outputs[m->n_outputs] = (struct output){
			in[2], type, gate_id(g, type)->op == SpvOpTypeStruct && gate_id(g, type)->builtin != GATE_NOT_SET, 0,
		};
	m->n_outputs++;
}

/* What nobody uses is not there for the host: glslang declares all built-ins that there are. */
static void look_at_chain(struct meshes *m, const uint32_t *in)
{
	const uint32_t words = *in >> 16;
	const struct gate_id *member = words > 5 ? gate_id(m->g, in[5]) : NULL;

	for (uint32_t i = 0; i < m->n_outputs && i < MAX_OUTPUTS; i++) {
		if (m->outputs[i].id != gate_id(m->g, in[2])->variable)
			continue;
		if (in[3] == m->outputs[i].id && member && member->op == SpvOpConstant && member->a < 64)
			m->outputs[i].used |= 1ull << member->a;
		else
			m->outputs[i].used = UINT64_MAX;
	}
}

/* Of a variable, if the id is one. */
static void use_all(struct meshes *m, uint32_t id)
{
	for (uint32_t i = 0; i < m->n_outputs && i < MAX_OUTPUTS; i++)
		if (m->outputs[i].id == id)
			m->outputs[i].used = UINT64_MAX;
}

static bool look_at_store(struct meshes *m, const uint32_t *in)
{
	const uint32_t variable = gate_id(m->g, in[1])->variable, type = gate_id(m->g, in[2])->type;
	uint32_t i = 0;

	if (!variable || variable != m->g->mesh.indices)
		return true;
	while (i < m->n_index_types && m->indices[i].type != type)
		i++;
	if (i == MAX_INDEX_TYPES)
		return gate_refuse(m->g, "indices of primitives of too many types");
	m->indices[i].type = type;
	m->n_index_types += i == m->n_index_types;
	return true;
}

static bool look(struct meshes *m)
{
	struct gate *g = m->g;

	gate_find_types(g, &m->types);
	for (uint32_t at = 5; at < g->words; at += g->code[at] >> 16) {
		const uint32_t *in = g->code + at;

		switch (*in & 0xffff) {
		case SpvOpExtInstImport:
			m->set = in[1];
			break;
		case SpvOpVariable:
			look_at_variable(m, in);
			break;
		case SpvOpAccessChain:
		case SpvOpInBoundsAccessChain:
			look_at_chain(m, in);
			break;
		case SpvOpCopyObject:
			use_all(m, gate_id(g, in[2])->variable);
			break;
		case SpvOpStore:
			use_all(m, in[1]);
			if (!look_at_store(m, in))
				return false;
			break;
		}
	}
	return m->n_outputs <= MAX_OUTPUTS || gate_refuse(g, "more than %u outputs", MAX_OUTPUTS);
}

/* Types and constants, after all others */

static uint32_t constant(struct meshes *m, uint32_t type, uint32_t value)
{
	const uint32_t id = gate_new_id(&m->writer);

	GATE_WRITE(&m->writer, SpvOpConstant, type, id, value);
	return id;
}

/* The last vertex, as often as a value of @type has a number. */
static uint32_t last_vertex(struct meshes *m, uint32_t type)
{
	const struct gate_id *t = gate_id(m->g, type);
	const bool vector = t->op == SpvOpTypeVector;
	const uint32_t one = constant(m, vector ? t->a : type, m->g->mesh.max_vertices - 1);
	const uint32_t n = vector ? t->b : 1, id = gate_new_id(&m->writer), head = (3 + n) << 16 | SpvOpConstantComposite;

	if (!vector)
		return one;
	gate_write(&m->writer, (const uint32_t[]){ head, type, id }, 3);
	for (uint32_t i = 0; i < n; i++)
		gate_write(&m->writer, &one, 1);
	return id;
}

static void emit_task_globals(struct meshes *m)
{
	gate_need_number(&m->writer, &m->types);
	m->one = constant(m, m->types.number, 1);
	m->groups = constant(m, m->types.number, SUNDOG_MAX_MESH_GROUPS);
	m->all_groups = constant(m, m->types.number, SUNDOG_MAX_MESH_TOTAL_GROUPS);
}

static uint32_t larger(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

/* Without indices the host would take something else for them, be it that nobody writes those that are declared. */
static bool writes_indices(const struct meshes *m)
{
	for (uint32_t i = 0; i < m->n_outputs; i++)
		if (m->outputs[i].id == m->g->mesh.indices)
			return m->outputs[i].used;
	return false;
}

static void emit_mesh_globals(struct meshes *m, bool has_invocation)
{
	const struct gate_mesh *mesh = &m->g->mesh;
	uint32_t pointer;

	gate_need_number(&m->writer, &m->types);
	gate_need_boolean(&m->writer, &m->types);
	m->zero = constant(m, m->types.number, 0);
	m->one = constant(m, m->types.number, 1);
	m->vertices = constant(m, m->types.number, mesh->max_vertices);
	m->primitives = constant(m, m->types.number, writes_indices(m) ? mesh->max_primitives : 0);
	m->scope = constant(m, m->types.number, SpvScopeWorkgroup);
	m->semantics = constant(m, m->types.number, RELEASE_AND_ACQUIRE);
	for (uint32_t i = 0; i < m->n_index_types; i++)
		m->indices[i].last = last_vertex(m, m->indices[i].type);
	if (!has_invocation) {
		m->invocation_type = m->types.number;
		pointer = gate_new_id(&m->writer);
		GATE_WRITE(&m->writer, SpvOpTypePointer, pointer, SpvStorageClassInput, m->types.number);
		GATE_WRITE(&m->writer, SpvOpVariable, pointer, m->invocation, SpvStorageClassInput);
	}
	m->step = constant(m, m->invocation_type, (uint32_t)m->g->group.invocations);
	m->end = constant(m, m->invocation_type, larger(mesh->max_vertices, mesh->max_primitives));
}

/* The function that a mesh shader begins with. What it stores is written apart, as are the types that it takes. */
struct beginning {
	struct gate_writer types, stores;
};

static void emit_zero(struct meshes *m, struct beginning *b, uint32_t variable, uint32_t at, const uint32_t *member,
		      uint32_t type)
{
	const uint32_t pointer = gate_new_id(&m->writer), zero = gate_new_id(&m->writer), to = gate_new_id(&m->writer);

	GATE_WRITE(&b->types, SpvOpTypePointer, pointer, SpvStorageClassOutput, type);
	GATE_WRITE(&b->types, SpvOpConstantNull, type, zero);
	if (member)
		GATE_WRITE(&b->stores, SpvOpAccessChain, pointer, to, variable, at, *member);
	else
		GATE_WRITE(&b->stores, SpvOpAccessChain, pointer, to, variable, at);
	GATE_WRITE(&b->stores, SpvOpStore, to, zero);
}

/* Elements beyond the end of an array are clamped to it, as all are that somebody computes. */
static void emit_zeroes(struct meshes *m, struct beginning *b, uint32_t at)
{
	for (uint32_t i = 0; i < m->n_outputs; i++) {
		const struct output *o = &m->outputs[i];
		const struct gate_id *type = gate_id(m->g, o->type);

		if (!o->builtins && o->used)
			emit_zero(m, b, o->id, at, NULL, o->type);
		for (uint32_t k = 0; o->builtins && k < type->n_members; k++) {
			uint32_t member;

			if (!(o->used >> k & 1))
				continue;
			member = gate_new_id(&m->writer);
			GATE_WRITE(&b->types, SpvOpConstant, m->types.number, member, k);
			emit_zero(m, b, o->id, at, &member, type->members[k]);
		}
	}
}

/*
 * SetMeshOutputs(V, 0);
 * for (i = gl_LocalInvocationIndex; i < end; i += group)
 *         output[i] = 0, of all outputs;
 * barrier();
 */
static void emit_begin(struct meshes *m, struct gate_writer *stores, uint32_t at)
{
	struct gate_writer *w = &m->writer;
	const uint32_t entry = gate_new_id(w), header = gate_new_id(w), body = gate_new_id(w), check = gate_new_id(w);
	const uint32_t go_on = gate_new_id(w), merge = gate_new_id(w), first = gate_new_id(w), next = gate_new_id(w);
	const uint32_t more = gate_new_id(w);

	GATE_WRITE(w, SpvOpFunction, m->types.nothing, m->begin, 0, m->types.procedure);
	GATE_WRITE(w, SpvOpLabel, entry);
	GATE_WRITE(w, SpvOpSetMeshOutputsEXT, m->vertices, m->zero);
	GATE_WRITE(w, SpvOpLoad, m->invocation_type, first, m->invocation);
	GATE_WRITE(w, SpvOpBranch, header);
	GATE_WRITE(w, SpvOpLabel, header);
	GATE_WRITE(w, SpvOpPhi, m->invocation_type, at, first, entry, next, go_on);
	GATE_WRITE(w, SpvOpLoopMerge, merge, go_on, 0);
	GATE_WRITE(w, SpvOpBranch, check);
	GATE_WRITE(w, SpvOpLabel, check);
	GATE_WRITE(w, SpvOpULessThan, m->types.boolean, more, at, m->end);
	GATE_WRITE(w, SpvOpBranchConditional, more, body, merge);
	GATE_WRITE(w, SpvOpLabel, body);
	gate_write_join(w, stores);
	GATE_WRITE(w, SpvOpBranch, go_on);
	GATE_WRITE(w, SpvOpLabel, go_on);
	GATE_WRITE(w, SpvOpIAdd, m->invocation_type, next, at, m->step);
	GATE_WRITE(w, SpvOpBranch, header);
	GATE_WRITE(w, SpvOpLabel, merge);
	GATE_WRITE(w, SpvOpControlBarrier, m->scope, m->scope, m->semantics);
	GATE_WRITE(w, SpvOpReturn);
	GATE_WRITE(w, SpvOpFunctionEnd);
}

/* Instructions */

static uint32_t binary(struct meshes *m, uint32_t op, uint32_t type, uint32_t a, uint32_t b)
{
	const uint32_t id = gate_new_id(&m->writer);

	GATE_WRITE(&m->writer, op, type, id, a, b);
	return id;
}

static uint32_t extended(struct meshes *m, uint32_t op, uint32_t type, uint32_t a, uint32_t b)
{
	const uint32_t id = gate_new_id(&m->writer);

	GATE_WRITE(&m->writer, SpvOpExtInst, type, id, m->set, op, a, b);
	return id;
}

static uint32_t at_most(struct meshes *m, uint32_t a, uint32_t b)
{
	return extended(m, GLSLstd450UMin, m->types.number, a, b);
}

/* All vertices; and primitives, if there are any vertices. */
static void emit_set_outputs(struct meshes *m, const uint32_t *in)
{
	const uint32_t primitives = at_most(m, in[2], m->primitives), any = at_most(m, in[1], m->one);

	GATE_WRITE(&m->writer, SpvOpSetMeshOutputsEXT, m->vertices,
		   binary(m, SpvOpIMul, m->types.number, primitives, any));
}

/* How many of @groups there may be with @others before them, which are no more than all. */
static uint32_t groups_beside(struct meshes *m, uint32_t groups, uint32_t others)
{
	const uint32_t some = extended(m, GLSLstd450UMax, m->types.number, others, m->one);
	const uint32_t most = binary(m, SpvOpUDiv, m->types.number, m->all_groups, some);

	return at_most(m, at_most(m, groups, m->groups), most);
}

static void emit_tasks(struct meshes *m, const uint32_t *in)
{
	const uint32_t x = at_most(m, in[1], m->groups), y = groups_beside(m, in[2], x);
	const uint32_t z = groups_beside(m, in[3], binary(m, SpvOpIMul, m->types.number, x, y));

	if (*in >> 16 > 4)
		GATE_WRITE(&m->writer, SpvOpEmitMeshTasksEXT, x, y, z, in[4]);
	else
		GATE_WRITE(&m->writer, SpvOpEmitMeshTasksEXT, x, y, z);
}

/* A store of what is held, where it is one of indices. */
static void emit_store(struct meshes *m, const uint32_t *in)
{
	const uint32_t variable = gate_id(m->g, in[1])->variable, type = gate_id(m->g, in[2])->type;
	uint32_t i = 0;

	if (!variable || variable != m->g->mesh.indices) {
		gate_write(&m->writer, in, *in >> 16);
		return;
	}
	while (m->indices[i].type != type)
		i++;
	GATE_WRITE(&m->writer, SpvOpStore, in[1], extended(m, GLSLstd450UMin, type, in[2], m->indices[i].last));
}

static void emit_entry_point(struct meshes *m, const uint32_t *in, bool has_invocation)
{
	const uint32_t words = *in >> 16, head = (words + 1) << 16 | SpvOpEntryPoint;

	if (has_invocation) {
		gate_write(&m->writer, in, words);
		return;
	}
	gate_write(&m->writer, &head, 1);
	gate_write(&m->writer, in + 1, words - 1);
	gate_write(&m->writer, &m->invocation, 1);
}

static void emit_instruction(struct meshes *m, const uint32_t *in, bool has_invocation)
{
	static const char set[] = "GLSL.std.450";
	uint32_t name[(sizeof(set) + 3) / 4] = { 0 };

	memcpy(name, set, sizeof(set));
	switch (*in & 0xffff) {
	case SpvOpMemoryModel:
		if (!m->set) {
			m->set = gate_new_id(&m->writer);
			GATE_WRITE(&m->writer, SpvOpExtInstImport, m->set, name[0], name[1], name[2], name[3]);
		}
		gate_write(&m->writer, in, *in >> 16);
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
		gate_write(&m->writer, in, *in >> 16);
	}
}

/* The module */

/* Does it come before decorations and types? */
static bool is_preamble(uint32_t op)
{
	switch (op) {
	case SpvOpCapability:
	case SpvOpExtension:
	case SpvOpExtInstImport:
	case SpvOpMemoryModel:
	case SpvOpEntryPoint:
	case SpvOpExecutionMode:
	case SpvOpExecutionModeId:
	case SpvOpString:
	case SpvOpSource:
	case SpvOpSourceContinued:
	case SpvOpSourceExtension:
	case SpvOpName:
	case SpvOpMemberName:
		return true;
	}
	return false;
}

static bool begins_block(uint32_t op)
{
	switch (op) {
	case SpvOpFunction:
	case SpvOpLabel:
	case SpvOpVariable:
	case SpvOpLine:
	case SpvOpNoLine:
		return true;
	}
	return false;
}

static void rewrite_task(struct meshes *m)
{
	struct gate *g = m->g;
	bool globals = false;

	for (uint32_t at = 5; at < g->words; at += g->code[at] >> 16) {
		const uint32_t *in = g->code + at;

		if ((*in & 0xffff) == SpvOpFunction && !globals) {
			emit_task_globals(m);
			globals = true;
		}
		emit_instruction(m, in, true);
	}
}

static void rewrite_mesh(struct meshes *m, bool has_invocation)
{
	bool decorated = has_invocation, globals = false, in_entry = false;
	const uint32_t index = gate_new_id(&m->writer);
	struct gate *g = m->g;
	struct beginning b;

	gate_write_part(&b.types);
	gate_write_part(&b.stores);
	for (uint32_t at = 5; at < g->words; at += g->code[at] >> 16) {
		const uint32_t *in = g->code + at, op = *in & 0xffff;

		if (!is_preamble(op) && !decorated) {
			GATE_WRITE(&m->writer, SpvOpDecorate, m->invocation, SpvDecorationBuiltIn,
				   SpvBuiltInLocalInvocationIndex);
			decorated = true;
		}
		if (op == SpvOpFunction && !globals) {
			emit_mesh_globals(m, has_invocation);
			emit_zeroes(m, &b, index);
			gate_write_join(&m->writer, &b.types);
			globals = true;
		}
		if (op == SpvOpFunction)
			in_entry = in[2] == g->entry;
		if (in_entry && !begins_block(op)) {
			GATE_WRITE(&m->writer, SpvOpFunctionCall, m->types.nothing, gate_new_id(&m->writer), m->begin);
			in_entry = false;
		}
		emit_instruction(m, in, has_invocation);
	}
	emit_begin(m, &b.stores, index);
}

bool gate_hold_meshes(struct gate *g)
{
	struct meshes m = { .g = g };
	bool has_invocation;

	if (g->cmd->stage != SUNDOG_STAGE_TASK && g->cmd->stage != SUNDOG_STAGE_MESH)
		return true;
	if (!look(&m))
		return false;
	has_invocation = m.invocation;
	gate_write_begin(&m.writer, g);
	if (g->cmd->stage == SUNDOG_STAGE_TASK) {
		rewrite_task(&m);
		return gate_write_end(&m.writer, g);
	}
	if (!has_invocation)
		m.invocation = gate_new_id(&m.writer);
	m.begin = gate_new_id(&m.writer);
	rewrite_mesh(&m, has_invocation);
	return gate_write_end(&m.writer, g);
}
