// SPDX-License-Identifier: MIT
/*
 * What a module stores where others see it, see gate.h.
 *
 * llvmpipe compares each access of a storage buffer with the buffer's size and each of an image with the view's,
 * whatever the module declares. What is left to do here: atomic operations are for pointers into memory
 * that is shared, and which slots are written has to be known, since memory has to be listed for writing.
 */
#include "gate_module.h"

#include <spirv/unified1/spirv.h>

#include "gate_table.h"

/* Does a pointer lead into a storage buffer? Before SPIR-V 1.3 they are uniform blocks with another decoration. */
static bool is_buffer(struct gate *g, uint32_t id)
{
	const uint32_t class = gate_id(g, gate_id(g, id)->type)->a;

	return class == SpvStorageClassStorageBuffer ||
	       (class == SpvStorageClassUniform && gate_id(g, gate_id(g, id)->variable)->buffer_block);
}

static bool check_atomic(struct gate *g, uint32_t id)
{
	const struct gate_id *pointer = gate_id(g, gate_id(g, id)->type), *type = gate_id(g, pointer->b);

	if (!is_buffer(g, id) && !gate_is_address(g, id) && pointer->a != SpvStorageClassWorkgroup &&
	    pointer->a != SpvStorageClassImage && pointer->a != SpvStorageClassTaskPayloadWorkgroupEXT)
		return gate_refuse(g, "an atomic operation in storage class %u", pointer->a);
	/* The validator asks for the capability. */
	if (type->op == SpvOpTypeInt && type->a == 64 && pointer->a != SpvStorageClassImage)
		return true;
	return ((type->op == SpvOpTypeInt || type->op == SpvOpTypeFloat) && type->a == 32) ||
	       gate_refuse(g, "an atomic operation on what is no 32-bit number");
}

static bool may_write(struct gate *g)
{
	return g->cmd->stage == SUNDOG_STAGE_COMPUTE || (g->caps->features & SUNDOG_FEATURE_STORAGE) ||
	       gate_refuse(g, "stores and atomic operations in stage %u", g->cmd->stage);
}

/* The mask of storage images that @binding is in, or of storage texel buffers, and its bit; NULL: it is none. */
static uint32_t *mask_of(uint32_t binding, uint32_t *images, uint32_t *texels, uint32_t *bit)
{
	if (binding >= SUNDOG_BINDING_IMAGE0 && binding < SUNDOG_BINDING_IMAGE0 + SUNDOG_MAX_IMAGES) {
		*bit = 1u << (binding - SUNDOG_BINDING_IMAGE0);
		return images;
	}
	*bit = 1u << (binding - SUNDOG_BINDING_STORAGE_TEXELS0) % 32;
	return binding >= SUNDOG_BINDING_STORAGE_TEXELS0 &&
			       binding < SUNDOG_BINDING_STORAGE_TEXELS0 + SUNDOG_MAX_IMAGES ? texels : NULL;
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
		return gate_refuse(g, "a store to an image that is no variable");
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

/* An instruction whose result leads to the same variable as what it was made of. */
void gate_storage_derive(struct gate *g, const uint32_t *in)
{
	gate_id(g, in[2])->variable = gate_id(g, in[3])->variable;
}
