// SPDX-License-Identifier: MIT
/*
 * Draws of mesh shaders, see draw.h.
 *
 * llvmpipe has task shaders run for all of a draw, then the mesh shaders of each of these, and has vertices of its own
 * for what they make: just as large as the mesh shader's outputs are. Its draw module adds slots to these for what a
 * fragment shader reads and nobody wrote, which lie behind their end: PrimitiveId, be it written or not, FrontFacing of
 * polygons that are not filled, and how far from a smooth line a fragment is.
 */
#include "memory.h"
#include "worker.h"

/* A mesh shader reads as much as it declares of what its task shader had room for. */
static bool payloads_fit(const struct draw *d)
{
	const struct shader *task = d->shaders[SUNDOG_STAGE_TASK];

	return d->shaders[SUNDOG_STAGE_MESH]->payload_bytes <= (task ? task->payload_bytes : 0);
}

static bool fragments_fit(const struct draw *d)
{
	const struct shader *fragment = d->shaders[SUNDOG_STAGE_FRAGMENT];

	return !d->smooth_lines && (!fragment || (!fragment->primitive_id && (d->fills || !fragment->front_facing)));
}

bool meshes_fit(const struct draw *d)
{
	return payloads_fit(d) && fragments_fit(d) && !d->view_mask && feedback_fits(&d->feedback, 0);
}

bool draw_mesh(struct worker *w, const struct sundog_cmd_draw_mesh *cmd)
{
	uint64_t groups = 1;

	if (!worker_has(w, SUNDOG_FEATURE_MESH_SHADERS))
		return fault(w, SUNDOG_FAULT_CODE_OPCODE, SUNDOG_OP_DRAW_MESH);
	for (uint32_t i = 0; i < 3; i++) {
		if (cmd->groups[i] > SUNDOG_MAX_MESH_GROUPS)
			return fault(w, SUNDOG_FAULT_CODE_FIELD, 1 + i);
		groups *= cmd->groups[i];
	}
	if (groups > SUNDOG_MAX_MESH_TOTAL_GROUPS)
		return fault(w, SUNDOG_FAULT_CODE_FIELD, 1);
	if (!ready_to_draw_mesh(w, SUNDOG_OP_DRAW_MESH))
		return false;
	w->draw.mesh_groups = true;
	w->vk.CmdDrawMeshTasksEXT(w->draw.cmd, cmd->groups[0], cmd->groups[1], cmd->groups[2]);
	return true;
}
