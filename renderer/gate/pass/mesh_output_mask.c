// SPDX-License-Identifier: MIT
/*
 * Finds the components of locations that the outputs of a mesh shader have, for
 * clamp_mesh_outputs.c, see mesh_output_mask.h.
 *
 * A fragment shader may read all four components of a location. A component that no output has
 * would be data of the host's stack.
 */
#include "gate/pass/mesh_output_mask.h"

#include <spirv/unified1/spirv.h>

#include "gate/check/member.h"
#include "gate/check/type.h"

struct mask {
	struct gate *g;
	uint32_t location, component;
	uint8_t *masks;
};

/* Adds components of 32 bits, up to eight of them: those past the fourth have the next location. */
static void add(struct mask *c, uint32_t n)
{
	const uint32_t mask = ((1u << n) - 1) << c->component;

	if (c->location < GATE_LOCATIONS)
		c->masks[c->location] |= mask & 15;
	c->location++;
	if (n <= 4)
		return;
	if (c->location < GATE_LOCATIONS)
		c->masks[c->location] |= mask >> 4 & 15;
	c->location++;
}

/* Adds the components of a type. A number of 64 bits has two, see check/mesh.c. */
static void walk(struct mask *c, uint32_t type_id)
{
	const struct gate_id *type = gate_id(c->g, type_id);
	const uint32_t before = c->location;
	uint32_t n = 1;

	switch (type->op) {
	case SpvOpTypeStruct:
		for (uint32_t i = 0; i < type->n_members; i++)
			walk(c, type->members[i]);
		break;
	case SpvOpTypeArray:
		n = gate_id(c->g, type->b)->a;
		/* fall through */
	case SpvOpTypeMatrix:
		n = type->op == SpvOpTypeMatrix ? type->b : n;
		for (uint32_t i = 0; i < n && c->location < GATE_LOCATIONS; i++) {
			walk(c, type->a);
			/* An array of empty structs may have any length. */
			if (c->location == before)
				break;
		}
		break;
	default:
		n = type->op == SpvOpTypeVector ? type->b : 1;
		add(c, gate_number_bits(c->g, type_id) == 64 ? 2 * n : n);
	}
}

/* Adds the members of a block that have places of their own, see reflect.c. */
static void walk_members(struct mask *c, uint32_t type_id)
{
	const struct gate_id *type = gate_id(c->g, type_id);

	for (uint32_t i = 0; i < type->n_members; i++) {
		const struct gate_member *location =
			gate_member_find(c->g, type_id, i, SpvDecorationLocation);
		const struct gate_member *component =
			gate_member_find(c->g, type_id, i, SpvDecorationComponent);

		if (location)
			c->location = location->value;
		c->component = component ? component->value & 3 : 0;
		walk(c, type->members[i]);
	}
}

void gate_mesh_output_mask(struct gate *g, const struct gate_id *var, uint32_t type_id,
			   uint8_t *masks)
{
	struct mask c = { g, var->location, var->component == GATE_NOT_SET ? 0 : var->component & 3,
			  masks };
	const struct gate_id *type = gate_id(g, type_id);

	if (type->op == SpvOpTypeStruct && type->member_places)
		walk_members(&c, type_id);
	else
		walk(&c, type_id);
}
