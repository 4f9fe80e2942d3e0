// SPDX-License-Identifier: MIT
/*
 * Variants of tessellation evaluation shaders (QUIRK_EVAL_STRIDE), see eval_variant.h. Called by
 * the decoder on the worker's main thread.
 *
 * llvmpipe's draw module appends slots to vertices: for FrontFacing of polygons that are not
 * filled, and for the distance from a smooth line. The code of an evaluation shader has the vertex
 * stride of the draw that it was compiled for. llvmpipe reuses it for other draws, and writes
 * behind the end of their vertices. So each shader has a variant for each number of such slots; the
 * host shares no code between shader objects.
 */
#include "exec/eval_variant.h"

#include "exec/exec.h"
#include "exec/patch.h"

static uint32_t added_slots(const struct draw *d)
{
	const struct shader *fragment = d->shaders[SUNDOG_STAGE_FRAGMENT];

	return (!d->fills && fragment && fragment->front_facing) + d->smooth_lines;
}

_Static_assert(NUM_EVAL_VARIANTS == 2, "as many as there may be slots");

bool eval_variant_to_host(struct exec *x)
{
	const VkShaderStageFlagBits stage = VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT;
	struct shader *eval = x->draw.shaders[SUNDOG_STAGE_TESS_EVAL];
	const uint32_t added = added_slots(&x->draw);
	VkResult r = VK_SUCCESS;

	if (!vk_has_quirk(&x->vk, QUIRK_EVAL_STRIDE) || !eval || x->draw.eval_variant == added)
		return true;
	if (added && !eval->eval_variants[added - 1])
		r = shader_make_eval_variant(x, eval, added - 1);
	if (r != VK_SUCCESS)
		return fault(x, SUNDOG_FAULT_CODE_HOST, -r);
	x->vk.CmdBindShadersEXT(x->draw.cmd, 1, &stage,
				added ? &eval->eval_variants[added - 1] : &eval->shader);
	x->draw.eval_variant = added;
	patch_origin_to_host(x);
	return true;
}
