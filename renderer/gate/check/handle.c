// SPDX-License-Identifier: MIT
/*
 * Checks tables of handles for gate_reflect(), see gate.h: arrays of textures and images in a
 * descriptor set of their own.
 *
 * The renderer puts only descriptors of one kind into a table, which its binding implies, so a
 * shader must declare that kind there. Indices are clamped like all others (gate.c). llvmpipe uses
 * the entry of the first invocation for all that run side by side. If a shader decorates the index
 * NonUniform, llvmpipe confuses tables that have the same index, so allow.c refuses the
 * decoration without a layout.
 */
#include "gate/check/handle.h"

#include <spirv/unified1/spirv.h>

#include "gate/texture.h"

bool gate_handle_table(struct gate *g, const struct gate_id *var, const struct gate_id *image,
		       uint64_t count)
{
	const enum sundog_handle_class class = handle_binding_class(var->binding);

	if (!(g->caps->features & SUNDOG_FEATURE_BINDLESS))
		return gate_refuse(
			g, "DescriptorSet %u (handle tables) needs the device feature BINDLESS",
			SUNDOG_HANDLE_SET);
	if (var->binding >= SUNDOG_NUM_HANDLE_KINDS || count > SUNDOG_MAX_HANDLES)
		return gate_refuse(g, "handle table at binding %u has %llu elements; bindings are "
				   "below %u, elements at most %u", var->binding,
				   (unsigned long long)count, SUNDOG_NUM_HANDLE_KINDS,
				   SUNDOG_MAX_HANDLES);
	if (image->storage != (class != SUNDOG_HANDLE_CLASS_SAMPLED) ||
	    texture_kind_binding(image->a, class) != var->binding)
		return gate_refuse(g, "handle table at binding %u has an image type that does not "
				   "match the binding", var->binding);
	for (uint32_t i = 0; i < g->n_tables; i++)
		if (g->tables[i] == var->binding)
			return gate_refuse(g, "handle table at binding %u has two variables",
					   var->binding);
	g->tables[g->n_tables++] = var->binding;
	return true;
}

bool gate_handle_write(struct gate *g, const struct gate_id *var, bool is_atomic)
{
	if (is_atomic && handle_binding_class(var->binding) != SUNDOG_HANDLE_CLASS_ATOMIC)
		return gate_refuse(g, "handle table at binding %u does not allow atomic operations",
				   var->binding);
	g->writes_handles = true;
	return true;
}

/* A load of a whole table, or another array of images, would leave no index to clamp. */
bool gate_handle_load(struct gate *g, const uint32_t *in)
{
	const struct gate_id *type = gate_id(g, in[1]), *element;

	if ((*in & 0xffff) != SpvOpLoad || type->op != SpvOpTypeArray)
		return true;
	element = gate_id(g, type->a);
	return (element->op != SpvOpTypeImage && element->op != SpvOpTypeSampler &&
		element->op != SpvOpTypeSampledImage) ||
	       gate_refuse(g, "the result of OpLoad is an array of images or samplers");
}
