// SPDX-License-Identifier: MIT
/*
 * Variants ("twins") of tessellation evaluation shaders, see draw.h. Called by the decoder on the
 * worker's main thread.
 *
 * llvmpipe's draw module appends slots to vertices: for FrontFacing of polygons that are not
 * filled, and for the distance from a smooth line. The code of an evaluation shader has the vertex
 * stride of the draw that it was compiled for. llvmpipe reuses it for other draws, and writes
 * behind the end of their vertices. So each shader has a variant for each number of such slots; the
 * host shares no code between shader objects.
 */
#include "worker/worker.h"

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
	w->vk.CmdBindShadersEXT(w->draw.cmd, 1, &stage,
				added ? &eval->twins[added - 1] : &eval->shader);
	w->draw.twin = added;
	patch_origin_to_host(w);
	return true;
}
