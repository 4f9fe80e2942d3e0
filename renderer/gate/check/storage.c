// SPDX-License-Identifier: MIT
/*
 * Records writes to storage buffers and images for gate_reflect(), see gate.h.
 *
 * llvmpipe checks each access to a storage buffer against the size of the buffer, and each access
 * to an image against the view, whatever the module declares. The gate checks that atomic
 * operations are only on shared memory. It also records the slots that are written, since memory
 * has to be listed for writing.
 */
#include "gate/check/storage.h"

#include <spirv/unified1/spirv.h>

#include "gate/check/handle.h"
#include "gate/check/layout.h"
#include "gate/check/pointer.h"
#include "gate/spirv_info.h"
#include "gate/table.h"

/*
 * Returns true if a pointer leads into a storage buffer. Before SPIR-V 1.3 these are BufferBlocks
 * of class Uniform.
 */
static bool is_buffer(struct gate *g, uint32_t id)
{
	const uint32_t class = gate_id(g, gate_id(g, id)->type)->a;

	return class == SpvStorageClassStorageBuffer ||
	       (class == SpvStorageClassUniform &&
		gate_id(g, gate_id(g, id)->variable)->buffer_block);
}

static bool check_atomic(struct gate *g, uint32_t id)
{
	const struct gate_id *pointer = gate_id(g, gate_id(g, id)->type),
			     *type = gate_id(g, pointer->b);

	if (!is_buffer(g, id) && !gate_is_address(g, id) &&
	    pointer->a != SpvStorageClassWorkgroup && pointer->a != SpvStorageClassImage &&
	    pointer->a != SpvStorageClassTaskPayloadWorkgroupEXT)
		return gate_refuse(g, "an atomic operation in storage class %s is not supported",
				   gate_class_name(pointer->a));
	/* The validator checks the capability for 64 bits. */
	if (type->op == SpvOpTypeInt && type->a == 64 && pointer->a != SpvStorageClassImage)
		return true;
	return ((type->op == SpvOpTypeInt || type->op == SpvOpTypeFloat) && type->a == 32) ||
	       gate_refuse(g,
			   "an atomic operation on a value that is not a 32-bit integer or float");
}

static bool may_write(struct gate *g)
{
	return g->cmd->stage == SUNDOG_STAGE_COMPUTE ||
	       (g->caps->features & SUNDOG_FEATURE_STORAGE) ||
	       gate_refuse(g, "stores and atomic operations in execution model %s need the device "
			   "feature STORAGE", gate_stage_name(g->cmd->stage));
}

/*
 * Returns the mask that has the slot at @binding, and its bit in @bit; NULL: not a storage image or
 * texel buffer.
 */
static uint32_t *mask_of(uint32_t binding, uint32_t *images, uint32_t *texels, uint32_t *bit)
{
	if (binding >= SUNDOG_BINDING_IMAGE0 &&
	    binding < SUNDOG_BINDING_IMAGE0 + SUNDOG_MAX_IMAGES) {
		*bit = 1u << (binding - SUNDOG_BINDING_IMAGE0);
		return images;
	}
	*bit = 1u << (binding - SUNDOG_BINDING_STORAGE_TEXELS0) % 32;
	return binding >= SUNDOG_BINDING_STORAGE_TEXELS0 &&
			       binding < SUNDOG_BINDING_STORAGE_TEXELS0 + SUNDOG_MAX_IMAGES ?
		       texels : NULL;
}

static bool write_image(struct gate *g, uint32_t id, bool is_atomic)
{
	const struct gate_id *var = gate_id(g, gate_id(g, id)->variable);
	const uint32_t binding = var->binding;
	uint32_t bit, *mask;

	if (g->layout)
		return gate_layout_write(g, var, is_atomic) && may_write(g);
	if (gate_is_handle_table(g, var))
		return gate_handle_write(g, var, is_atomic) && may_write(g);
	mask = mask_of(binding, &g->images_written, &g->storage_texels_written, &bit);
	if (!mask)
		return gate_refuse(
			g, "the written image is not loaded from a declared image variable");
	*mask |= bit;
	if (is_atomic)
		*mask_of(binding, &g->images_atomic, &g->storage_texels_atomic, &bit) |= bit;
	return may_write(g);
}

bool gate_storage_access(struct gate *g, const uint32_t *in)
{
	const uint32_t word = gate_written(in), atomic = gate_atomic(in);
	const uint32_t id = word ? in[word] : 0;
	const struct gate_id *type = gate_id(g, gate_id(g, id)->type);

	if (atomic && !check_atomic(g, in[atomic]))
		return false;
	if (!word)
		return true;
	if (type->op == SpvOpTypeImage || type->a == SpvStorageClassImage)
		return write_image(g, id, atomic);
	if (!is_buffer(g, id))
		return !gate_is_address(g, id) || may_write(g);
	g->ssbo_writes = true;
	return may_write(g);
}

/* The result of the instruction leads to the same variable as its operand. */
void gate_storage_derive(struct gate *g, const uint32_t *in)
{
	gate_id(g, in[2])->variable = gate_id(g, in[3])->variable;
}
