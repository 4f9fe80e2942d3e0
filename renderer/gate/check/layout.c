// SPDX-License-Identifier: MIT
/*
 * Checks descriptors of modules with a pipeline layout for gate_reflect(), and implements pass
 * "layout" of the gate, see gate.h. The gate records the declarations, so that draws can check that
 * the descriptors written to the sets are of that type and kind.
 *
 * The host has bindings with dynamic offsets in a set of their own (set.h). All other bindings are
 * numbered by their position in the layout of their set, because the host allocates for all numbers
 * up to the largest.
 */
#include "gate/check/layout.h"

#include <stdlib.h>

#include <spirv/unified1/spirv.h>
#include <vulkan/vulkan.h>

const struct sundog_set_binding *gate_layout_find(const struct gate_layout *layout,
						  const struct gate_id *var)
{
	const struct gate_layout_set *set =
		var->set < layout->n_sets ? &layout->sets[var->set] : NULL;

	for (uint32_t i = 0; set && i < set->n_bindings; i++)
		if (set->bindings[i].binding == var->binding)
			return &set->bindings[i];
	return NULL;
}

/* Returns true if shaders may declare descriptors of @type as @as. */
static bool can_be(uint32_t type, uint32_t as)
{
	switch (type) {
	case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC:
		return as == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
	case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC:
		return as == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
	case SUNDOG_MUTABLE_TYPE:
		return as < VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC;
	case VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER:
		return as == type || as == VK_DESCRIPTOR_TYPE_SAMPLER ||
		       as == VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE;
	default:
		return as == type;
	}
}

static struct gate_descriptor *find(const struct gate *g, const struct gate_id *var)
{
	for (uint32_t i = 0; i < g->n_descriptors; i++)
		if (g->descriptors[i].set == var->set && g->descriptors[i].binding == var->binding)
			return &g->descriptors[i];
	return NULL;
}

static bool add(struct gate *g, const struct gate_id *var, uint32_t type, uint32_t kind)
{
	struct gate_descriptor *more =
		realloc(g->descriptors, (g->n_descriptors + 1) * sizeof(*more));

	if (!more)
		return gate_refuse(g, "out of memory");
	g->descriptors = more;
	more[g->n_descriptors++] = (struct gate_descriptor){
		.set = var->set, .binding = var->binding, .type = type, .kind = kind,
	};
	return true;
}

bool gate_layout_declare(struct gate *g, const struct gate_id *var, uint64_t count, uint32_t type,
			 uint32_t kind)
{
	const struct sundog_set_binding *b = gate_layout_find(g->layout, var);
	struct gate_descriptor *before = find(g, var);

	if (!b)
		return gate_refuse(g, "the pipeline layout has no binding %u in set %u",
				   var->binding, var->set);
	if (!can_be(b->type, type) || count > b->count)
		return gate_refuse(g, "set %u, binding %u: %llu descriptors of VkDescriptorType "
				   "%u; the pipeline layout has %u of type %u", var->set,
				   var->binding, (unsigned long long)count, type, b->count,
				   b->type);
	if (!before)
		return add(g, var, type, kind);
	if (b->type == SUNDOG_MUTABLE_TYPE && before->type != type)
		return gate_refuse(
			g,
			"set %u, binding %u (mutable) has variables of VkDescriptorType %u and %u",
			var->set, var->binding, before->type, type);
	/* A sampler has no kind. */
	if (before->kind && kind && before->kind != kind)
		return gate_refuse(
			g, "set %u, binding %u: images differ in Dim, Arrayed, MS or Sampled Type",
			var->set, var->binding);
	if (kind)
		before->kind = kind;
	return true;
}

bool gate_layout_write(struct gate *g, const struct gate_id *var, bool is_atomic)
{
	struct gate_descriptor *d = find(g, var);

	if (!d)
		return gate_refuse(
			g, "the written image is not loaded from a declared image variable");
	d->atomic |= is_atomic;
	return true;
}

/* Moving */

static bool is_dynamic(uint32_t type)
{
	return type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC ||
	       type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC;
}

/* The set and binding of a variable. */
struct host_binding {
	uint32_t set, binding;
	bool has_set, has_binding, moves;
};

static bool is_binding_decoration(const uint32_t *in, uint32_t bound)
{
	return (*in & 0xffff) == SpvOpDecorate && in[1] < bound &&
	       (in[2] == SpvDecorationDescriptorSet || in[2] == SpvDecorationBinding);
}

static void look(const struct gate *g, struct host_binding *bindings, uint32_t bound)
{
	for (size_t at = 5; at < g->words; at += g->code[at] >> 16) {
		const uint32_t *in = g->code + at;

		if (!is_binding_decoration(in, bound))
			continue;
		if (in[2] == SpvDecorationDescriptorSet) {
			bindings[in[1]].set = in[3];
			bindings[in[1]].has_set = true;
		} else {
			bindings[in[1]].binding = in[3];
			bindings[in[1]].has_binding = true;
		}
	}
}

/* Stores the host's set and binding. Returns false if the layout does not have the binding. */
static bool move(const struct gate_layout *layout, struct host_binding *to)
{
	uint32_t n_dynamic = 0;

	for (uint32_t s = 0; s < layout->n_sets; s++)
		for (uint32_t i = 0; i < layout->sets[s].n_bindings; i++) {
			const struct sundog_set_binding *b = &layout->sets[s].bindings[i];
			const bool dynamic = layout->dynamic_set && is_dynamic(b->type);

			if (s == to->set && b->binding == to->binding) {
				to->set = dynamic ? layout->dynamic_set : s;
				to->binding = dynamic ? n_dynamic : i;
				return true;
			}
			n_dynamic += dynamic;
		}
	return false;
}

bool gate_layout_move(struct gate *g)
{
	const uint32_t bound = g->code[3];
	struct host_binding *bindings;

	if (!g->layout)
		return true;
	bindings = calloc(bound, sizeof(*bindings));
	if (!bindings)
		return gate_refuse(g, "out of memory");
	look(g, bindings, bound);
	for (uint32_t i = 0; i < bound; i++)
		bindings[i].moves = bindings[i].has_set && bindings[i].has_binding &&
				    move(g->layout, &bindings[i]);
	for (size_t at = 5; at < g->words; at += g->code[at] >> 16) {
		uint32_t *in = g->owned + at;
		const struct host_binding *to =
			is_binding_decoration(in, bound) ? &bindings[in[1]] : NULL;

		if (to && to->moves)
			in[3] = in[2] == SpvDecorationBinding ? to->binding : to->set;
	}
	free(bindings);
	return true;
}
