// SPDX-License-Identifier: MIT
/*
 * The part of the verifier that looks at functions which the passes add. gate_verify() calls it
 * before it looks at the instructions of the result. Rules:
 *
 * 23. The function that a task or mesh shader calls first stores zeros to each element of shared
 *     memory and of the outputs, in loops over the invocations of the work group, and ends with a
 *     barrier. A mesh shader has no primitives there. If PrimitiveId is reported as written, it is
 *     one of these outputs.
 * 24. A geometry shader counts each strip that it ends, and emits no vertex if as many were ended
 *     as a single strip of all its vertices has primitives.
 */
#include <stdlib.h>

#include <spirv/unified1/GLSL.std.450.h>
#include <spirv/unified1/spirv.h>

#include "gate/check/member.h"
#include "gate/check/verify_module.h"

#define MAX_DEPTH 16u			/* of a type, see scan.c */
#define ANY UINT32_MAX			/* the index of an array in a path */

/* 23: zeros */

/* The loop of the function that the walk is in. */
struct loop {
	uint32_t counter, turns;	/* ids of the counter; number of turns, 0: not known */
	uint32_t condition, body;	/* ids: counter < turns, and the block where it is true */
	bool in_body;
};

/* Returns true if a value is LocalInvocationIndex, or that with another sign. */
static bool is_invocation(const struct verify *v, uint32_t id)
{
	const uint32_t *in = made(v, id);

	if (op_of(in) == SpvOpBitcast)
		in = made(v, in[3]);
	return op_of(in) == SpvOpLoad && op_of(made(v, in[3])) == SpvOpVariable &&
	       v->ids[in[3]].has & HAS_BUILTIN &&
	       v->ids[in[3]].builtin == SpvBuiltInLocalInvocationIndex;
}

/* The counter begins with the invocation and grows by the number of invocations. */
static void begin_loop(const struct verify *v, const uint32_t *in, struct loop *loop)
{
	const uint32_t *next = made(v, in[5]);
	uint32_t step;

	*loop = (struct loop){ 0 };
	if (spirv_words(in) == 7 && is_invocation(v, in[3]) && op_of(next) == SpvOpIAdd &&
	    next[3] == in[2] && constant(v, next[4], &step) && step &&
	    step <= v->g->group.invocations)
		loop->counter = in[2];
}

static void follow_loop(const struct verify *v, const uint32_t *in, struct loop *loop)
{
	switch (op_of(in)) {
	case SpvOpPhi:
		begin_loop(v, in, loop);
		break;
	case SpvOpULessThan:
		if (loop->counter && in[3] == loop->counter && constant(v, in[4], &loop->turns))
			loop->condition = in[2];
		break;
	case SpvOpBranchConditional:
		if (loop->condition && in[1] == loop->condition)
			loop->body = in[2];
		break;
	case SpvOpLabel:
		loop->in_body = loop->body && in[1] == loop->body;
		break;
	}
}

/* Returns the operand of a clamp, or @id. */
static uint32_t unclamped(const struct verify *v, uint32_t id)
{
	const uint32_t *in = made(v, id);

	return is_extended(in, GLSLstd450UClamp) || is_extended(in, GLSLstd450SClamp) ||
			       is_extended(in, GLSLstd450UMin) ?
		       in[5] : id;
}

/* Returns the dividend if a value is one divided by 1, or @id. */
static uint32_t undivided(const struct verify *v, uint32_t id)
{
	const uint32_t *in = made(v, id);

	while (op_of(in) == SpvOpUDiv && is_constant(v, in[4], 1)) {
		id = in[3];
		in = made(v, id);
	}
	return id;
}

/* Returns true if a value is @rest divided by @length; 0: if it is @rest itself. */
static bool is_quotient(const struct verify *v, uint32_t id, uint32_t rest, uint32_t length)
{
	const uint32_t *in = made(v, undivided(v, id));

	if (!length)
		return undivided(v, id) == rest;
	return op_of(in) == SpvOpUDiv && undivided(v, in[3]) == rest &&
	       is_constant(v, in[4], length);
}

/*
 * Returns true if the turns of the loop meet each element of the arrays in the chain. The indices
 * are remainders of the counter, with the innermost array fastest; the outermost may be the
 * quotient itself. SPIRV-Tools makes the index of an array of one element 0.
 */
static bool meets_all(const struct verify *v, const uint32_t *chain, const uint32_t *lengths,
		      const struct loop *loop)
{
	uint64_t turns = 1;
	uint32_t rest = loop->counter, length = 0;

	for (uint32_t i = spirv_words(chain) - 4; i--;) {
		const uint32_t id = unclamped(v, chain[4 + i]), *in = made(v, id);
		const bool remainder = op_of(in) == SpvOpUMod;

		if (lengths[i] == ANY || (lengths[i] == 1 && is_constant(v, id, 0)))
			continue;
		turns *= lengths[i];
		if (turns > loop->turns || !rest ||
		    (remainder && !is_constant(v, in[4], lengths[i])) ||
		    !is_quotient(v, remainder ? in[3] : id, rest, length))
			return false;
		/* An index that is no remainder leaves nothing for the arrays around it. */
		rest = remainder ? undivided(v, in[3]) : 0;
		length = lengths[i];
	}
	return true;
}

/*
 * Stores the lengths of the arrays that an access chain indexes, and ANY for members. Returns false
 * if it is deeper than types are.
 */
static bool find_lengths(const struct verify *v, const uint32_t *chain, uint32_t *lengths)
{
	const uint32_t *type = pointee_of(v, made(v, chain[3]));
	uint32_t member;

	if (spirv_words(chain) > 4 + MAX_DEPTH)
		return false;
	for (uint32_t i = 4; i < spirv_words(chain); i++) {
		lengths[i - 4] = op_of(type) == SpvOpTypeArray ? length_of(v, type) : ANY;
		if (op_of(type) == SpvOpTypeStruct)
			type = constant(v, chain[i], &member) && member + 2 < spirv_words(type) ?
				       made(v, type[2 + member]) : verify_nothing;
		else
			type = made(v, type[2]);
	}
	return true;
}

/* Returns true if a store in the loop zeros a part of a variable, in each element of its arrays. */
static bool stores_zeros(const struct verify *v, const uint32_t *in, const struct loop *loop)
{
	const uint32_t *to = made(v, in[1]);
	uint32_t lengths[MAX_DEPTH];

	if (!loop->in_body || !loop->turns || op_of(made(v, in[2])) != SpvOpConstantNull)
		return false;
	if (op_of(to) == SpvOpVariable)
		return true;
	return op_of(to) == SpvOpAccessChain && find_lengths(v, to, lengths) &&
	       meets_all(v, to, lengths, loop);
}

/* Returns true if the pointer @to leads to the part of @variable at the path. */
static bool leads_to(const struct verify *v, const uint32_t *to, uint32_t variable,
		     const uint32_t *path, uint32_t depth)
{
	if (op_of(to) == SpvOpVariable)
		return to[2] == variable && !depth;
	if (to[3] != variable || spirv_words(to) != 4 + depth)
		return false;
	for (uint32_t i = 0; i < depth; i++)
		if (path[i] != ANY && !is_constant(v, to[4 + i], path[i]))
			return false;
	return true;
}

static bool is_stored(const struct verify *v, uint32_t variable, const uint32_t *path,
		      uint32_t depth)
{
	for (uint32_t i = 0; i < v->n_zeros; i++)
		if (leads_to(v, made(v, v->zeros[i]), variable, path, depth))
			return true;
	return false;
}

/* Returns true if all parts of a type, which is at the path, have a store. */
static bool parts_are_stored(const struct verify *v, uint32_t variable, const uint32_t *type,
			     uint32_t *path, uint32_t depth)
{
	if (is_stored(v, variable, path, depth))
		return true;
	if (depth == MAX_DEPTH)
		return false;
	switch (op_of(type)) {
	case SpvOpTypeArray:
		path[depth] = ANY;
		return parts_are_stored(v, variable, made(v, type[2]), path, depth + 1);
	case SpvOpTypeStruct:
		for (uint32_t i = 0; i + 2 < spirv_words(type); i++) {
			path[depth] = i;
			if (!parts_are_stored(v, variable, made(v, type[2 + i]), path, depth + 1))
				return false;
		}
		return true;
	default:
		return false;
	}
}

bool verify_is_zeroed(const struct verify *v, const uint32_t *pointer)
{
	const uint32_t *variable = op_of(pointer) == SpvOpVariable ? pointer : made(v, pointer[3]);
	const uint32_t *type = pointee_of(v, variable);
	uint32_t path[MAX_DEPTH], depth = 0;

	for (uint32_t i = 4; op_of(pointer) == SpvOpAccessChain && i < spirv_words(pointer) &&
			     depth < MAX_DEPTH; i++) {
		if (is_stored(v, variable[2], path, depth))
			return true;
		path[depth] = ANY;
		if (op_of(type) == SpvOpTypeStruct) {
			if (!constant(v, pointer[i], &path[depth]) ||
			    path[depth] + 2 >= spirv_words(type))
				return false;
			type = made(v, type[2 + path[depth]]);
		} else if (op_of(type) == SpvOpTypeArray) {
			type = made(v, type[2]);
		} else {
			break;
		}
		depth++;
	}
	return parts_are_stored(v, variable[2], type, path, depth);
}

/* Finds the function that the entry point calls first. */
static void find_begin(struct verify *v)
{
	const struct gate *g = v->g;
	uint32_t function = 0;

	for (size_t at = SPIRV_HEADER_WORDS; at < g->words; at += spirv_words(g->code + at)) {
		const uint32_t *in = g->code + at, op = op_of(in);

		if (op == SpvOpFunction)
			function = in[2];
		else if (function == g->entry && !spirv_begins_block(op)) {
			if (op == SpvOpFunctionCall && spirv_words(in) == 4)
				v->begin = in[3];
			return;
		}
	}
}

/* Collects the stores of that function. Returns false if it does not end with a barrier. */
static bool look_at_begin(struct verify *v)
{
	const struct gate *g = v->g;
	bool inside = false, waits = false, sets = g->cmd->stage != SUNDOG_STAGE_MESH;
	struct loop loop = { 0 };

	for (size_t at = SPIRV_HEADER_WORDS; at < g->words; at += spirv_words(g->code + at)) {
		const uint32_t *in = g->code + at;

		if (op_of(in) == SpvOpFunction)
			inside = in[2] == v->begin;
		if (!inside)
			continue;
		follow_loop(v, in, &loop);
		if (op_of(in) == SpvOpStore) {
			waits = false;
			if (stores_zeros(v, in, &loop))
				v->zeros[v->n_zeros++] = in[1];
		}
		if (op_of(in) == SpvOpControlBarrier)
			waits = is_constant(v, in[1], SpvScopeWorkgroup);
		if (op_of(in) == SpvOpSetMeshOutputsEXT)
			sets = is_constant(v, in[1], g->mesh.max_vertices) &&
			       is_constant(v, in[2], 0);
	}
	return waits && sets;
}

static bool check_outputs_zeroed(const struct verify *v)
{
	const struct gate *g = v->g;

	for (size_t at = SPIRV_HEADER_WORDS;
	     at < g->words && op_of(g->code + at) != SpvOpFunction;
	     at += spirv_words(g->code + at)) {
		const uint32_t *in = g->code + at;

		if (op_of(in) == SpvOpVariable && in[3] == SpvStorageClassOutput &&
		    v->ids[in[2]].has & HAS_LOCATION && verify_is_listed(v, in[2]) &&
		    !verify_is_zeroed(v, in))
			return false;
	}
	return true;
}

/* Returns true if an output variable, or a member of its elements, is PrimitiveId and has zeros. */
static bool stores_primitive_id(const struct verify *v, const uint32_t *variable)
{
	const uint32_t *type = element_of(v, pointee_of(v, variable));
	uint32_t path[2] = { ANY };

	if (v->ids[variable[2]].has & HAS_BUILTIN)
		return v->ids[variable[2]].builtin == SpvBuiltInPrimitiveId &&
		       verify_is_zeroed(v, variable);
	for (uint32_t i = 0; op_of(type) == SpvOpTypeStruct && i + 2 < spirv_words(type); i++) {
		const struct gate_member *builtin =
			gate_member_find(v->g, type[1], i, SpvDecorationBuiltIn);

		path[1] = i;
		if (builtin && builtin->value == SpvBuiltInPrimitiveId &&
		    is_stored(v, variable[2], path, 2))
			return true;
	}
	return false;
}

/* A mesh shader that is reported to write PrimitiveId stores it for every primitive. */
static bool check_primitive_id(const struct verify *v)
{
	const struct gate *g = v->g;

	for (size_t at = SPIRV_HEADER_WORDS;
	     g->mesh.primitive_id && at < g->words && op_of(g->code + at) != SpvOpFunction;
	     at += spirv_words(g->code + at)) {
		const uint32_t *in = g->code + at;

		if (op_of(in) == SpvOpVariable && in[3] == SpvStorageClassOutput &&
		    stores_primitive_id(v, in))
			return true;
	}
	return !g->mesh.primitive_id;
}

static bool check_begin(struct verify *v)
{
	struct gate *g = v->g;
	size_t n = 0;

	if (g->cmd->stage != SUNDOG_STAGE_MESH && g->cmd->stage != SUNDOG_STAGE_TASK)
		return true;
	find_begin(v);
	for (size_t at = SPIRV_HEADER_WORDS; at < g->words; at += spirv_words(g->code + at))
		n += op_of(g->code + at) == SpvOpStore;
	v->zeros = malloc((n + 1) * sizeof(*v->zeros));
	if (!v->zeros)
		return gate_refuse(g, "out of memory");
	if (!look_at_begin(v)) {
		v->n_zeros = 0;
		return g->cmd->stage == SUNDOG_STAGE_TASK ||
		       gate_refuse(g, "a mesh shader does not begin with a call of the function "
				   "that zeros its outputs");
	}
	if (!check_primitive_id(v))
		return gate_refuse(g, "PrimitiveId is reported as written, but the first function "
				   "does not zero it");
	return check_outputs_zeroed(v) ||
	       gate_refuse(g, "the first function does not zero an Output variable");
}

/* 24: strips */

/* Returns the pointer that a value was loaded from; 0: it was not loaded. */
static uint32_t loaded_from(const struct verify *v, uint32_t id)
{
	const uint32_t *in = made(v, id);

	return op_of(in) == SpvOpLoad ? in[3] : 0;
}

/* Returns true if an id is a variable of this function's invocation that begins as 0. */
static bool is_count(const struct verify *v, uint32_t id)
{
	const uint32_t *in = made(v, id);

	return op_of(in) == SpvOpVariable && in[3] == SpvStorageClassPrivate &&
	       spirv_words(in) > 4 && is_constant(v, in[4], 0);
}

/* Returns the instruction after @in; one of no words at the end. */
static const uint32_t *after(const struct verify *v, const uint32_t *in)
{
	const uint32_t *next = in + spirv_words(in);

	return next < v->g->code + v->g->words ? next : verify_nothing;
}

/*
 * Records the variables of a guarded OpEmitVertex: the guard compares the number of ended strips,
 * and the store behind it marks the strip as open. Returns true if they are those of the others.
 */
static bool look_at_emit(struct verify *v, const uint32_t *in, const uint32_t *branch)
{
	const struct gate_geometry *geometry = &v->g->geometry;
	const uint32_t *condition = made(v, branch[1]), *store = after(v, in);
	const uint32_t ended = loaded_from(v, condition[3]);
	const uint32_t spare = geometry->strip_vertices - 1;
	const uint32_t most =
		geometry->max_vertices > spare ? geometry->max_vertices - spare : 0;
	uint32_t limit;

	/* The other guard, which never holds; verify.c checks both. */
	if (op_of(condition) == SpvOpIEqual)
		return true;
	if (op_of(store) != SpvOpStore || !is_constant(v, store[2], 1) ||
	    (v->ended && (v->ended != ended || v->open != store[1])))
		return false;
	v->ended = ended;
	v->open = store[1];
	return ended != v->open && is_count(v, ended) && is_count(v, v->open) &&
	       constant(v, condition[4], &limit) && limit <= most;
}

/* Looks for: ended += open; open = 0. */
static bool is_counted(const struct verify *v, const uint32_t *end)
{
	const uint32_t *ended = after(v, end), *open = after(v, ended), *sum = after(v, open),
		       *count = after(v, sum), *close = after(v, count);

	return op_of(ended) == SpvOpLoad && ended[3] == v->ended && op_of(open) == SpvOpLoad &&
	       open[3] == v->open && op_of(sum) == SpvOpIAdd && sum[3] == ended[2] &&
	       sum[4] == open[2] && op_of(count) == SpvOpStore && count[1] == v->ended &&
	       count[2] == sum[2] && op_of(close) == SpvOpStore && close[1] == v->open &&
	       is_constant(v, close[2], 0);
}

static bool is_counter(const struct verify *v, const uint32_t *in)
{
	return op_of(in) == SpvOpStore && (in[1] == v->ended || in[1] == v->open);
}

static bool check_strips(struct verify *v)
{
	struct gate *g = v->g;
	const uint32_t *before[2] = { verify_nothing, verify_nothing };
	uint32_t stores = 0, expected = 0;

	if (g->cmd->stage != SUNDOG_STAGE_GEOMETRY)
		return true;
	for (size_t at = SPIRV_HEADER_WORDS; at < g->words; at += spirv_words(g->code + at)) {
		const uint32_t *in = gate_look(g, at);

		if (op_of(in) == SpvOpEmitVertex && op_of(before[1]) == SpvOpBranchConditional) {
			if (!look_at_emit(v, in, before[1]))
				return gate_refuse(g, "OpEmitVertex does not mark the strip as "
						   "open, or its limit of strips is too high");
			expected += is_counter(v, after(v, in));
		}
		before[1] = before[0];
		before[0] = in;
	}
	for (size_t at = SPIRV_HEADER_WORDS; v->ended && at < g->words;
	     at += spirv_words(g->code + at)) {
		const uint32_t *in = gate_look(g, at);

		stores += is_counter(v, in);
		if (op_of(in) != SpvOpEndPrimitive)
			continue;
		if (!is_counted(v, in))
			return gate_refuse(g, "OpEndPrimitive does not count the strip");
		expected += 2;
	}
	return stores == expected || gate_refuse(g, "the number of strips is stored elsewhere");
}

bool verify_code(struct verify *v)
{
	return check_begin(v) && check_strips(v);
}
