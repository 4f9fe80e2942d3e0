// SPDX-License-Identifier: MIT
/*
 * Pass "widen-indices" of the gate, see gate.h: converts indices of less than 32 bits to 32 bits.
 * SPIR-V treats all indices as signed. The optimizer takes narrow constants without a sign by their
 * unsigned value, then clamps nothing and makes types that a module may not have. Null indices
 * become 0, because the optimizer reads the value words of an index, which a null constant does not
 * have.
 */
#include "gate/pass/widen_indices.h"

#include <stdlib.h>

#include <spirv/unified1/spirv.h>

#include "gate/writer.h"

struct widen {
	struct gate *g;
	struct spirv_out writer;
	uint32_t integer;		/* a 32-bit type */
	bool integer_is_new;
	/* By id of such an index: 1, then its constant of 32 bits; 0: it is no constant. */
	uint32_t *constants;
};

static bool is_chain(uint32_t op)
{
	return op == SpvOpAccessChain || op == SpvOpPtrAccessChain;
}

/* Returns true if an index has to be replaced. */
static bool is_narrow(struct gate *g, uint32_t id)
{
	const struct gate_id *type = gate_id(g, gate_id(g, id)->type);

	return type->op == SpvOpTypeInt &&
	       (type->a < 32 || gate_id(g, id)->op == SpvOpConstantNull);
}

static bool is_constant(struct gate *g, uint32_t id)
{
	return gate_id(g, id)->op == SpvOpConstant || gate_id(g, id)->op == SpvOpConstantNull;
}

static bool look(struct widen *x)
{
	struct gate *g = x->g;
	bool any = false;

	for (uint32_t at = 5; at < g->words; at += g->code[at] >> 16) {
		const uint32_t *in = gate_look(g, at), op = *in & 0xffff;

		if (op == SpvOpTypeInt && in[2] == 32 && !x->integer)
			x->integer = in[1];
		for (uint32_t i = 4; is_chain(op) && i < *in >> 16; i++) {
			if (!is_narrow(g, in[i]))
				continue;
			any = true;
			x->constants[in[i]] = is_constant(g, in[i]);
		}
	}
	return any;
}

/* Returns the sign-extended value; 0 for the null constant. */
static uint32_t value_of(struct gate *g, uint32_t id)
{
	const uint32_t value = gate_id(g, id)->op == SpvOpConstant ? gate_id(g, id)->a : 0;

	return gate_id(g, gate_id(g, id)->type)->a == 8 ? (uint32_t)(int8_t)value :
							  (uint32_t)(int16_t)value;
}

static void write_globals(struct widen *x)
{
	if (x->integer_is_new)
		SPIRV_EMIT(&x->writer, SpvOpTypeInt, x->integer, 32, 0);
	x->integer_is_new = false;
	for (uint32_t i = 0; i < x->g->n_ids; i++) {
		if (x->constants[i] != 1)
			continue;
		x->constants[i] = spirv_new_id(&x->writer);
		SPIRV_EMIT(&x->writer, SpvOpConstant, x->integer, x->constants[i],
			   value_of(x->g, i));
	}
}

static void write_chain(struct widen *x, const uint32_t *in)
{
	const uint32_t words = *in >> 16;
	uint32_t wide = 0, n = 0;

	/* The ids of the conversions are consecutive. */
	for (uint32_t i = 4; i < words; i++) {
		if (!is_narrow(x->g, in[i]) || x->constants[in[i]])
			continue;
		wide = spirv_new_id(&x->writer);
		SPIRV_EMIT(&x->writer, SpvOpSConvert, x->integer, wide, in[i]);
		n++;
	}
	wide -= n;
	spirv_put(&x->writer, in, 4);
	for (uint32_t i = 4; i < words; i++) {
		const uint32_t index = !is_narrow(x->g, in[i]) ? in[i] :
				       x->constants[in[i]]     ? x->constants[in[i]] :
								 ++wide;

		spirv_put_word(&x->writer, index);
	}
}

static bool rewrite(struct widen *x)
{
	struct gate *g = x->g;
	bool globals = false;

	gate_write_begin(&x->writer, g);
	x->integer_is_new = !x->integer;
	if (!x->integer)
		x->integer = spirv_new_id(&x->writer);
	for (uint32_t at = 5; at < g->words; at += g->code[at] >> 16) {
		const uint32_t *in = gate_look(g, at), op = *in & 0xffff;

		if (op == SpvOpFunction && !globals) {
			write_globals(x);
			globals = true;
		}
		if (is_chain(op))
			write_chain(x, in);
		else
			spirv_copy(&x->writer, in);
	}
	return gate_write_end(&x->writer, g);
}

bool gate_widen_indices(struct gate *g, bool *changed)
{
	struct widen x = { .g = g, .constants = calloc(g->n_ids + 1, sizeof(*x.constants)) };
	bool ok = true;

	*changed = false;
	if (!x.constants)
		return gate_refuse(g, "out of memory");
	if (look(&x)) {
		*changed = true;
		ok = rewrite(&x);
	}
	free(x.constants);
	return ok;
}
