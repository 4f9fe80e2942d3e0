// SPDX-License-Identifier: MIT
/*
 * Pass "share-variables" of the gate, see gate.h: bounds the stack of the host's code by the
 * variables that hold a value at the same time. Without it, each call that is inlined has a copy of
 * all variables of the called function, and the host gives each copy its own memory.
 *
 *   a constant         Variables of an array, struct or matrix to which nothing but one constant is
 *                      ever stored, as a whole, and which only loads read, become one variable with
 *                      that initializer. Compilers make such a variable of each table of constants,
 *                      in each function that indexes the table.
 *   of one block       A variable is dead outside of the one block that uses it if that block first
 *                      stores the whole of it. Compilers make such a variable of each argument that
 *                      they pass by reference.
 *   of a called        A variable is dead while its function does not run. SPIR-V has no
 *   function           recursion, so a function and those that it calls need different
 *                      variables, and all calls of a function use the same ones.
 *
 * The last two share slots: variables of the entry point, which are numbered for each type. Slots
 * of a function begin after those of the functions that it calls. Variables that begin with a value
 * get it by an OpStore where their function begins. That value is the initializer, or the zeros
 * that core_form.c gives to small variables: no slot shows the values of another call where a
 * variable of its own would show zeros.
 *
 * LLVM takes up to seven times as long for one variable with many values as for many variables. So
 * only types that save the most share slots, until the copies of all others fit into BUDGET. For
 * the same reason the variables of blocks take turns among slots of up to ROTATION bytes.
 */
#include "gate/pass/share_variables.h"

#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "gate/check/type.h"
#include "gate/pass/core_form.h"
#include "gate/table.h"
#include "gate/writer.h"

#define MAX_KINDS 256u		/* types of pointers that have slots; others share nothing */
#define MAX_AT_ONCE 32u		/* live variables of one type and one block that have slots */
#define NO_KIND UINT32_MAX
/* Half of what reflect.c allows: bytes of an invocation up to which each call has its copies. */
#define BUDGET 32768u
#define ROTATION 8192u		/* bytes of the slots of one type that blocks take in turn */
#define MAX_SIZE (1ull << 20)		/* at which sizes saturate, so that no sum overflows */

/* A Function variable. */
struct local {
	uint32_t id, pointer, initializer;
	uint32_t kind;			/* index of its type; NO_KIND: it shares nothing */
	uint32_t constant;		/* the only value that is stored as a whole; 0: none */
	uint32_t block;			/* label of the first block that uses it */
	uint32_t first, last;		/* words of the first and the last use; 0: none */
	bool written;			/* a part of it is written, or a called function may */
	bool varies;			/* several values are stored as a whole */
	bool spread;			/* several blocks use it */
	bool whole_first;		/* the first use stores the whole variable */
	bool at_entry;			/* the first use is in the first block of its function */
	bool stored;			/* the module has an OpStore of the whole variable */
	enum { KEPT, UNUSED, SHARES_CONSTANT, SHARES_SLOT } fate;
	uint32_t shared;		/* number of the constant, or of the slot of its kind */
};

struct function {
	uint32_t id, at;		/* of its OpFunction */
	/* In struct share, by declaration and by first use. */
	uint32_t first_local, end_local;
	bool counted, assigned;
	uint32_t *slots;	/* by kind: the end of the slots that it and its callees use */
	uint64_t *copies;		/* by kind: its variables, with all calls inlined */
	uint64_t returned;	/* bytes of the results of these calls, which have variables */
};

/* A type of variables, by its pointer. Its slots have consecutive ids. */
struct kind {
	uint32_t pointer;
	bool shares, begins_zero;
	bool enabled;			/* its variables have slots */
	uint32_t zeros;			/* a null constant; 0: not needed */
	uint32_t n_slots, first_slot;
	uint64_t size;			/* bytes of a variable */
	uint64_t n_copies;		/* variables with all calls inlined, none shared */
	uint64_t n_kept;		/* variables of the entry point that have no slot */
	uint32_t turns, turn;		/* slots that blocks take in turn, and the next one */
};

struct constant {
	uint32_t value, pointer, id;
	uint32_t n_locals;
};

struct share {
	struct gate *g;
	struct spirv_out writer;
	bool *decorated;	/* by id: it has a decoration that a shared variable would lack */
	uint32_t *roots;		/* by id of a pointer: index of its variable + 1 */
	uint32_t *function_of, *kind_of, *constant_of;	/* by id: index + 1 */
	struct local *locals;
	uint32_t *order;		/* indices of the locals of each function, by first use */
	uint32_t n_locals, n_used;
	struct function *functions;
	uint32_t n_functions;
	struct kind kinds[MAX_KINDS];
	uint32_t n_kinds;
	uint32_t busy[MAX_KINDS][MAX_AT_ONCE];	/* word until which a slot of a block is in use */
	struct constant *constants;
	uint32_t n_constants;
	uint64_t private_bytes;		/* of Private variables */
	uint32_t block;
	bool first_block;
};

/* Looking */

/* Returns true if a type contains a pointer that leads to a variable. */
static bool has_logical_pointers(struct gate *g, uint32_t type_id)
{
	const struct gate_id *type = gate_id(g, type_id);

	while (type->op == SpvOpTypeArray)
		type = gate_id(g, type->a);
	if (type->op == SpvOpTypePointer)
		return type->a != SpvStorageClassPhysicalStorageBuffer;
	for (uint32_t i = 0; type->op == SpvOpTypeStruct && i < type->n_members; i++)
		if (has_logical_pointers(g, type->members[i]))
			return true;
	return false;
}

static uint64_t stack_size(const struct share *s, uint32_t type)
{
	const uint64_t size = gate_stack_size(s->g, type);

	return size < MAX_SIZE ? size : MAX_SIZE;
}

static uint32_t find_kind(struct share *s, uint32_t pointer)
{
	const uint32_t type = gate_id(s->g, pointer)->b;
	const uint64_t size = stack_size(s, type);

	if (!s->kind_of[pointer] && s->n_kinds < MAX_KINDS) {
		s->kinds[s->n_kinds] = (struct kind){
			.pointer = pointer,
			.shares = !has_logical_pointers(s->g, type),
			.begins_zero = gate_core_begins_zero(s->g, type),
			.size = size,
			.turns = size && ROTATION / size ? (uint32_t)(ROTATION / size) : 1,
		};
		if (s->kinds[s->n_kinds].turns > MAX_AT_ONCE)
			s->kinds[s->n_kinds].turns = MAX_AT_ONCE;
		s->kind_of[pointer] = ++s->n_kinds;
	}
	return s->kind_of[pointer] && s->kinds[s->kind_of[pointer] - 1].shares ?
		       s->kind_of[pointer] - 1 : NO_KIND;
}

/* Returns true for constants that are worth sharing. */
static bool is_constant(struct gate *g, uint32_t value)
{
	const uint32_t op = gate_id(g, value)->op;

	return op == SpvOpConstantComposite || op == SpvOpConstantNull;
}

static void note_whole(struct share *s, struct local *local, uint32_t value)
{
	local->varies |= !is_constant(s->g, value) || (local->constant && local->constant != value);
	local->constant = value;
}

static void visit_variable(struct share *s, const uint32_t *in)
{
	struct local *local = &s->locals[s->n_locals++];

	local->id = in[2];
	local->pointer = in[1];
	local->initializer = spirv_words(in) > 4 ? in[4] : 0;
	local->kind = s->decorated[in[2]] ? NO_KIND : find_kind(s, in[1]);
	if (local->initializer)
		note_whole(s, local, local->initializer);
	s->roots[in[2]] = s->n_locals;
	s->functions[s->n_functions - 1].end_local = s->n_locals;
}

static void note_use(struct share *s, struct local *local, uint32_t at)
{
	if (!local->first) {
		local->first = at;
		local->block = s->block;
		local->at_entry = s->first_block;
		s->order[s->n_used++] = (uint32_t)(local - s->locals);
	}
	local->spread |= local->block != s->block;
	local->last = at;
}

/* Looks at operand @word, which leads to @local. */
static void visit_use(struct share *s, struct local *local, const uint32_t *in, uint32_t word)
{
	const uint32_t op = spirv_op(in), at = (uint32_t)(in - s->g->code);
	const bool begins = !local->first, whole = in[word] == local->id && spirv_words(in) == 3;

	note_use(s, local, at);
	if (op == SpvOpLoad && word == 3)
		return;
	if ((op == SpvOpAccessChain || op == SpvOpInBoundsAccessChain) && word == 3) {
		s->roots[in[2]] = s->roots[in[3]];
		return;
	}
	if (op == SpvOpCopyMemory && word == 2)
		return;
	if (op == SpvOpStore && word == 1 && whole) {
		local->whole_first |= begins;
		local->stored = true;
		note_whole(s, local, in[2]);
		return;
	}
	local->written = true;
	if (op == SpvOpCopyMemory && word == 1)
		local->whole_first |= begins && whole && s->roots[in[2]] != s->roots[in[1]];
	else if (op != SpvOpFunctionCall && op != SpvOpExtInst && (op != SpvOpStore || word != 1))
		local->kind = NO_KIND;
}

static void visit_operands(struct share *s, const uint32_t *in)
{
	struct spirv_operands o;

	gate_operands_begin(&o, in);
	for (char letter; (letter = spirv_operands_next(&o));)
		if ((letter == 'I' || gate_role(letter)) && in[o.word] < s->g->n_ids &&
		    s->roots[in[o.word]])
			visit_use(s, &s->locals[s->roots[in[o.word]] - 1], in, o.word);
}

/* A shared variable needs none of these decorations. */
static bool is_dispensable(uint32_t decoration)
{
	return decoration == SpvDecorationRelaxedPrecision ||
	       decoration == SpvDecorationNonWritable || decoration == SpvDecorationRestrict ||
	       decoration == SpvDecorationAliased;
}

static void look_at(struct share *s, const uint32_t *in)
{
	switch (spirv_op(in)) {
	case SpvOpName:
	case SpvOpEntryPoint:
		return;
	case SpvOpDecorate:
		if (in[1] < s->g->n_ids)
			s->decorated[in[1]] |= !is_dispensable(in[2]);
		return;
	case SpvOpFunction:
		s->functions[s->n_functions] = (struct function){
			.id = in[2], .at = (uint32_t)(in - s->g->code),
			.first_local = s->n_locals, .end_local = s->n_locals,
		};
		s->function_of[in[2]] = ++s->n_functions;
		s->first_block = false;
		s->block = 0;
		return;
	case SpvOpLabel:
		s->first_block = !s->block;
		s->block = in[1];
		return;
	case SpvOpVariable:
		if (in[3] == SpvStorageClassFunction)
			visit_variable(s, in);
		else if (in[3] == SpvStorageClassPrivate)
			s->private_bytes += stack_size(s, gate_id(s->g, in[1])->b);
		return;
	default:
		visit_operands(s, in);
	}
}

/* Assigning */

static bool is_composite(struct gate *g, uint32_t type)
{
	const uint32_t op = gate_id(g, type)->op;

	return op == SpvOpTypeArray || op == SpvOpTypeStruct || op == SpvOpTypeMatrix;
}

/* Lets the variable share the one of its constant, if it has no other value. */
static void assign_constant(struct share *s, struct local *local)
{
	uint32_t *known = &s->constant_of[local->constant];
	struct constant *constant;

	if (!local->constant || local->varies || local->written ||
	    !is_composite(s->g, gate_id(s->g, local->pointer)->b))
		return;
	if (!*known) {
		s->constants[s->n_constants++] =
			(struct constant){ .value = local->constant, .pointer = local->pointer };
		*known = s->n_constants;
	}
	constant = &s->constants[*known - 1];
	if (constant->pointer != local->pointer)
		return;
	constant->n_locals++;
	local->fate = SHARES_CONSTANT;
	local->shared = *known - 1;
}

/* Gives a variable of one block a slot, from @base on, that is not in use, if there is one. */
static void assign_in_block(struct share *s, struct local *local, uint32_t base, uint32_t *end)
{
	struct kind *kind = &s->kinds[local->kind];
	uint32_t *busy = s->busy[local->kind], i = kind->turn;

	for (uint32_t n = 1; n < kind->turns && busy[i] >= local->first; n++)
		i = (i + 1) % kind->turns;
	if (busy[i] >= local->first)
		i = kind->turns;
	while (i < MAX_AT_ONCE && busy[i] >= local->first)
		i++;
	if (i == MAX_AT_ONCE)
		return;
	kind->turn = (i + 1) % kind->turns;
	busy[i] = local->last;
	local->fate = SHARES_SLOT;
	local->shared = base + i;
	if (*end < base + i + 1)
		*end = base + i + 1;
}

static void assign(struct share *s, uint32_t f);

/* Assigns the called functions, whose slots @slots begins after. */
static void assign_called(struct share *s, const struct function *function, uint32_t *slots)
{
	const struct gate *g = s->g;

	for (uint32_t at = function->at; spirv_op(g->code + at) != SpvOpFunctionEnd;
	     at += spirv_words(g->code + at)) {
		const uint32_t *in = g->code + at;
		uint32_t called;

		if (spirv_op(in) != SpvOpFunctionCall || !s->function_of[in[3]])
			continue;
		called = s->function_of[in[3]] - 1;
		assign(s, called);
		for (uint32_t i = 0; i < s->n_kinds; i++)
			if (slots[i] < s->functions[called].slots[i])
				slots[i] = s->functions[called].slots[i];
	}
}

/*
 * Assigns the variables of function @f, after those of the functions that it calls. gate_scan()
 * bounds the depth of calls.
 */
static void assign(struct share *s, uint32_t f)
{
	struct function *function = &s->functions[f];
	const bool is_entry = function->id == s->g->entry;
	uint32_t base[MAX_KINDS];

	if (function->assigned)
		return;
	function->assigned = true;
	assign_called(s, function, function->slots);
	memcpy(base, function->slots, s->n_kinds * sizeof(*base));
	memset(s->busy, 0, s->n_kinds * sizeof(*s->busy));
	for (uint32_t i = function->first_local; i < function->end_local; i++) {
		struct local *local = &s->locals[s->order[i]];

		if (local->kind != NO_KIND && local->fate == KEPT && !local->spread &&
		    local->whole_first)
			assign_in_block(s, local, base[local->kind], &function->slots[local->kind]);
	}
	for (uint32_t i = function->first_local; i < function->end_local; i++) {
		struct local *local = &s->locals[s->order[i]];

		if (local->kind == NO_KIND || local->fate != KEPT)
			continue;
		if (is_entry) {
			s->kinds[local->kind].n_kept++;
			continue;
		}
		local->fate = SHARES_SLOT;
		local->shared = function->slots[local->kind]++;
	}
}

/* Variables without a use come last in the order of their function. */
static void order_unused(struct share *s, const struct function *function)
{
	for (uint32_t i = function->first_local; i < function->end_local; i++) {
		struct local *local = &s->locals[i];

		if (local->first)
			continue;
		local->fate = local->kind == NO_KIND ? KEPT : UNUSED;
		s->order[s->n_used++] = i;
	}
}

static uint64_t add_up(uint64_t a, uint64_t b)
{
	return a + b < GATE_TOO_LARGE ? a + b : GATE_TOO_LARGE;
}

/* Counts the variables of function @f and of all calls in it, as often as they are inlined. */
static void count_copies(struct share *s, uint32_t f)
{
	struct function *function = &s->functions[f];
	const struct gate *g = s->g;

	if (function->counted)
		return;
	function->counted = true;
	for (uint32_t i = function->first_local; i < function->end_local; i++)
		if (s->locals[i].kind != NO_KIND && s->locals[i].fate == KEPT)
			function->copies[s->locals[i].kind]++;
	for (uint32_t at = function->at; spirv_op(g->code + at) != SpvOpFunctionEnd;
	     at += spirv_words(g->code + at)) {
		const uint32_t *in = g->code + at;
		const struct function *called;

		if (spirv_op(in) != SpvOpFunctionCall || !s->function_of[in[3]])
			continue;
		count_copies(s, s->function_of[in[3]] - 1);
		called = &s->functions[s->function_of[in[3]] - 1];
		for (uint32_t i = 0; i < s->n_kinds; i++)
			function->copies[i] = add_up(function->copies[i], called->copies[i]);
		function->returned = add_up(function->returned, called->returned);
		if (gate_id(s->g, in[1])->op != SpvOpTypeVoid)
			function->returned = add_up(function->returned,
						    stack_size(s, in[1]));
	}
}

static uint64_t bytes_saved(const struct kind *kind)
{
	const uint64_t all = kind->size * kind->n_copies,
		       shared = kind->size * (kind->n_slots + kind->n_kept);

	return all > shared ? all - shared : 0;
}

/*
 * Enables the kinds that save the most, until the copies of the others fit. @returned: bytes of the
 * results of calls.
 */
static void enable_kinds(struct share *s, uint64_t returned)
{
	uint64_t total = returned + s->private_bytes;

	for (uint32_t i = 0; i < s->n_constants; i++)
		total += s->kinds[s->kind_of[s->constants[i].pointer] - 1].size;
	for (uint32_t i = 0; i < s->n_kinds; i++)
		total += s->kinds[i].size * s->kinds[i].n_copies;
	while (total > BUDGET) {
		struct kind *best = NULL;

		for (uint32_t i = 0; i < s->n_kinds; i++)
			if (!s->kinds[i].enabled &&
			    bytes_saved(&s->kinds[i]) > (best ? bytes_saved(best) : 0))
				best = &s->kinds[i];
		if (!best)
			break;
		best->enabled = true;
		total -= bytes_saved(best);
	}
}

/* Returns true if a variable is replaced, after the variables of other kinds are kept. */
static bool is_changed(struct share *s)
{
	bool changed = false;

	for (uint32_t i = 0; i < s->n_locals; i++) {
		struct local *local = &s->locals[i];

		if (local->fate == SHARES_SLOT && !s->kinds[local->kind].enabled)
			local->fate = KEPT;
		changed |= local->fate == SHARES_SLOT || local->fate == UNUSED ||
			   (local->fate == SHARES_CONSTANT &&
			    (local->stored || s->constants[local->shared].n_locals > 1 ||
			     s->n_functions > 1));
	}
	for (uint32_t i = 0; i < s->n_kinds; i++)
		if (!s->kinds[i].enabled)
			s->kinds[i].n_slots = 0;
	return changed;
}

/* Decides on all variables. Stores in @changed whether any is replaced. */
static bool assign_all(struct share *s, bool *changed)
{
	const size_t n = (size_t)s->n_functions * s->n_kinds + 1;
	uint32_t *slots = calloc(n, sizeof(*slots));
	uint64_t *copies = calloc(n, sizeof(*copies));
	const uint32_t entry = s->function_of[s->g->entry];
	const bool ok = (slots && copies) || gate_refuse(s->g, "out of memory");

	for (uint32_t i = 0; ok && i < s->n_functions; i++) {
		s->functions[i].slots = slots + (size_t)i * s->n_kinds;
		s->functions[i].copies = copies + (size_t)i * s->n_kinds;
	}
	for (uint32_t i = 0; i < s->n_locals; i++)
		if (s->locals[i].kind != NO_KIND && s->locals[i].fate == KEPT)
			assign_constant(s, &s->locals[i]);
	if (ok && entry) {
		count_copies(s, entry - 1);
		assign(s, entry - 1);
		for (uint32_t i = 0; i < s->n_kinds; i++) {
			s->kinds[i].n_slots = s->functions[entry - 1].slots[i];
			s->kinds[i].n_copies = s->functions[entry - 1].copies[i];
		}
		enable_kinds(s, s->functions[entry - 1].returned);
	}
	*changed = ok && is_changed(s);
	free(slots);
	free(copies);
	return ok;
}

/* Writing */

/* Returns the variable that replaces @local; 0: none. */
static uint32_t shared_id(const struct share *s, const struct local *local)
{
	switch (local->fate) {
	case SHARES_CONSTANT:
		return s->constants[local->shared].id;
	case SHARES_SLOT:
		return s->kinds[local->kind].first_slot + local->shared;
	default:
		return 0;
	}
}

static const struct local *local_of(const struct share *s, uint32_t id)
{
	const uint32_t root = id < s->g->n_ids ? s->roots[id] : 0;

	return root && s->locals[root - 1].id == id ? &s->locals[root - 1] : NULL;
}

static bool is_replaced(const struct share *s, uint32_t id)
{
	const struct local *local = local_of(s, id);

	return local && local->fate != KEPT;
}

/* Returns true if a slot has to get the zeros that a variable of its own would begin with. */
static bool needs_zeros(const struct share *s, const struct local *local)
{
	return local->fate == SHARES_SLOT && !local->initializer &&
	       !(local->whole_first && (local->at_entry || !local->spread)) &&
	       s->kinds[local->kind].begins_zero;
}

/* Writes the null constants before the first function. */
static void write_zeros(struct share *s)
{
	for (uint32_t i = 0; i < s->n_locals; i++) {
		struct kind *kind;

		if (!needs_zeros(s, &s->locals[i]))
			continue;
		kind = &s->kinds[s->locals[i].kind];
		if (kind->zeros)
			continue;
		kind->zeros = spirv_new_id(&s->writer);
		SPIRV_EMIT(&s->writer, SpvOpConstantNull, gate_id(s->g, kind->pointer)->b,
			   kind->zeros);
	}
}

static void make_ids(struct share *s)
{
	for (uint32_t i = 0; i < s->n_constants; i++)
		if (s->constants[i].n_locals)
			s->constants[i].id = spirv_new_id(&s->writer);
	for (uint32_t i = 0; i < s->n_kinds; i++) {
		s->kinds[i].first_slot = s->writer.next_id;
		s->writer.next_id += s->kinds[i].n_slots;
	}
}

static void write_variables(struct share *s)
{
	for (uint32_t i = 0; i < s->n_constants; i++)
		if (s->constants[i].n_locals)
			SPIRV_EMIT(&s->writer, SpvOpVariable, s->constants[i].pointer,
				   s->constants[i].id, SpvStorageClassFunction,
				   s->constants[i].value);
	for (uint32_t i = 0; i < s->n_kinds; i++)
		for (uint32_t k = 0; k < s->kinds[i].n_slots; k++)
			SPIRV_EMIT(&s->writer, SpvOpVariable, s->kinds[i].pointer,
				   s->kinds[i].first_slot + k, SpvStorageClassFunction);
}

/* Stores the values with which the slots of a function begin. */
static void write_begin(struct share *s, const struct function *function)
{
	for (uint32_t i = function->first_local; i < function->end_local; i++) {
		const struct local *local = &s->locals[i];

		/* The variables of a block begin with the whole that it stores. */
		if (local->fate != SHARES_SLOT || (local->whole_first && !local->spread))
			continue;
		if (local->initializer)
			SPIRV_EMIT(&s->writer, SpvOpStore, shared_id(s, local), local->initializer);
		else if (needs_zeros(s, local))
			SPIRV_EMIT(&s->writer, SpvOpStore, shared_id(s, local),
				   s->kinds[local->kind].zeros);
	}
}

/* Writes @in with the shared variables as operands. */
static void write_plain(struct share *s, const uint32_t *in)
{
	const size_t start = s->writer.count;
	struct spirv_operands o;

	spirv_copy(&s->writer, in);
	gate_operands_begin(&o, in);
	for (char letter; (letter = spirv_operands_next(&o));)
		if ((letter == 'I' || gate_role(letter)) && is_replaced(s, in[o.word]))
			spirv_set(&s->writer, start + o.word,
				  shared_id(s, local_of(s, in[o.word])));
}

static void write_instruction(struct share *s, const uint32_t *in)
{
	const struct local *local;

	switch (spirv_op(in)) {
	case SpvOpName:
	case SpvOpDecorate:
		if (!is_replaced(s, in[1]))
			spirv_copy(&s->writer, in);
		break;
	case SpvOpVariable:
		if (!is_replaced(s, in[2]))
			spirv_copy(&s->writer, in);
		break;
	case SpvOpStore:
		local = local_of(s, in[1]);
		if (!local || local->fate != SHARES_CONSTANT)
			write_plain(s, in);
		break;
	default:
		write_plain(s, in);
	}
}

static bool rewrite(struct share *s)
{
	const struct function *function = NULL;	/* it has begun, and its values are not stored */
	bool functions = false, labeled = false;
	struct gate *g = s->g;

	gate_write_begin(&s->writer, g);
	make_ids(s);
	for (uint32_t at = SPIRV_HEADER_WORDS; at < g->words; at += spirv_words(g->code + at)) {
		const uint32_t *in = gate_look(g, at), op = spirv_op(in);

		if (op == SpvOpFunction) {
			if (!functions)
				write_zeros(s);
			functions = true;
			function = &s->functions[s->function_of[in[2]] - 1];
			labeled = false;
		}
		if (function && labeled && !spirv_begins_block(op)) {
			write_begin(s, function);
			function = NULL;
		}
		write_instruction(s, in);
		if (op == SpvOpLabel && function && !labeled) {
			labeled = true;
			if (function->id == g->entry)
				write_variables(s);
		}
	}
	return gate_write_end(&s->writer, g);
}

/* Allocates the arrays, of at most as many variables and functions as the module has. */
static bool allocate(struct share *s)
{
	const struct gate *g = s->g;
	size_t n_locals = 0, n_functions = 0;

	for (uint32_t at = SPIRV_HEADER_WORDS; at < g->words; at += spirv_words(g->code + at)) {
		n_locals += spirv_op(g->code + at) == SpvOpVariable;
		n_functions += spirv_op(g->code + at) == SpvOpFunction;
	}
	s->decorated = calloc(g->n_ids, sizeof(*s->decorated));
	s->roots = calloc(g->n_ids, sizeof(*s->roots));
	s->function_of = calloc(g->n_ids, sizeof(*s->function_of));
	s->kind_of = calloc(g->n_ids, sizeof(*s->kind_of));
	s->constant_of = calloc(g->n_ids, sizeof(*s->constant_of));
	s->locals = calloc(n_locals + 1, sizeof(*s->locals));
	s->order = calloc(n_locals + 1, sizeof(*s->order));
	s->constants = calloc(n_locals + 1, sizeof(*s->constants));
	s->functions = calloc(n_functions + 1, sizeof(*s->functions));
	return (s->decorated && s->roots && s->function_of && s->kind_of && s->constant_of &&
		s->locals && s->order && s->constants && s->functions) ||
	       gate_refuse(s->g, "out of memory");
}

static void look(struct share *s)
{
	struct gate *g = s->g;

	for (uint32_t at = SPIRV_HEADER_WORDS; at < g->words; at += spirv_words(g->code + at)) {
		look_at(s, gate_look(g, at));
		if (spirv_op(g->code + at) == SpvOpFunctionEnd && s->n_functions)
			order_unused(s, &s->functions[s->n_functions - 1]);
	}
}

bool gate_share_variables(struct gate *g, bool *changed)
{
	struct share *s = calloc(1, sizeof(*s));
	bool ok;

	*changed = false;
	if (!s)
		return gate_refuse(g, "out of memory");
	s->g = g;
	ok = allocate(s);
	if (ok)
		look(s);
	ok = ok && assign_all(s, changed);
	if (*changed)
		ok = rewrite(s);
	free(s->decorated);
	free(s->roots);
	free(s->function_of);
	free(s->kind_of);
	free(s->constant_of);
	free(s->locals);
	free(s->order);
	free(s->constants);
	free(s->functions);
	free(s);
	return ok;
}
