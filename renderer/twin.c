// SPDX-License-Identifier: MIT
/*
 * Twins of tessellation evaluation shaders, see draw.h.
 *
 * llvmpipe's draw module adds slots to vertices, for the side that fragments see of polygons that are not filled, and
 * for how far from a smooth line they are. Code of an evaluation shader has its vertices as far apart as they were in
 * the draw that it was made for; llvmpipe takes it for other draws, too, and writes behind the end of their vertices.
 * So a shader is there once more for each number of such slots, as nothing that the host has several of shares code.
 */
#include "worker.h"

static uint32_t added_slots(const struct draw *d)
{
	const struct shader *fragment = d->shaders[SUNDOG_STAGE_FRAGMENT];

	return (!d->fills && fragment && fragment->front_facing) + d->smooth_lines;
}

_Static_assert(NUM_TWINS == 2, "as many as there may be slots");

bool twin_to_host(struct worker *w)
{
	const VkShaderStageFlagBits stage = VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT;
	struct shader *eval = w->draw.shaders[SUNDOG_STAGE_TESS_EVAL];
	const uint32_t added = added_slots(&w->draw);
	VkResult r = VK_SUCCESS;

	if (!w->vk.needs_twins || !eval || w->draw.twin == added)
		return true;
	if (added && !eval->twins[added - 1])
		r = shader_make_twin(w, eval, added - 1);
	if (r != VK_SUCCESS)
		return fault(w, SUNDOG_FAULT_CODE_HOST, -r);
	w->vk.CmdBindShadersEXT(w->draw.cmd, 1, &stage, added ? &eval->twins[added - 1] : &eval->shader);
	w->draw.twin = added;
	patch_origin_to_host(w);
	return true;
}
