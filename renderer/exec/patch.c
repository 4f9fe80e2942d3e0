// SPDX-License-Identifier: MIT
/*
 * Patches and tessellation, see patch.h. Called by the decoder on the worker's main thread.
 */
#include "exec/patch.h"

#include "exec/exec.h"
#include "exec/split_draw.h"
#include "sundog_run.h"

/*
 * When the domain origin changes, lavapipe binds the evaluation shader that it used last, even if
 * it is not bound any more. So set the origin only while an evaluation shader is bound.
 */
void patch_origin_to_host(struct exec *x)
{
	const struct shader *eval = x->draw.shaders[SUNDOG_STAGE_TESS_EVAL];

	if (x->draw.patch_vertices && eval && !eval->refused)
		x->vk.CmdSetTessellationDomainOriginEXT(x->draw.cmd, x->draw.patch_origin);
}

bool run_set_patch(struct exec *x, const struct sundog_cmd_set_patch *cmd)
{
	if (!exec_has(x, SUNDOG_FEATURE_TESSELLATION))
		return fault(x, SUNDOG_FAULT_CODE_OPCODE, SUNDOG_OP_SET_PATCH);
	if (cmd->vertices > x->caps.max_patch_vertices)
		return fault(x, SUNDOG_FAULT_CODE_FIELD, 1);
	x->vk.CmdSetPatchControlPointsEXT(x->draw.cmd, cmd->vertices);
	x->draw.patch_vertices = cmd->vertices;
	x->draw.patch_origin = cmd->origin;
	patch_origin_to_host(x);
	return true;
}

bool patches_fit(const struct draw *d)
{
	const struct shader *control = d->shaders[SUNDOG_STAGE_TESS_CTRL];
	const struct shader *eval = d->shaders[SUNDOG_STAGE_TESS_EVAL];

	if (!eval)
		return d->topology != VK_PRIMITIVE_TOPOLOGY_PATCH_LIST;
	return d->topology == VK_PRIMITIVE_TOPOLOGY_PATCH_LIST && d->patch_vertices &&
	       patch_fits(d) &&
	       (!eval->patch_vertices_out ||
		eval->patch_vertices_out == control->patch_vertices_out);
}
