// SPDX-License-Identifier: MIT
/*
 * Draws of mesh shaders, see draw.h.
 *
 * llvmpipe has task shaders run for all of a draw, then the mesh shaders of each of these, and has vertices of its own
 * for what they make: just as large as the mesh shader's outputs are. Its draw module adds slots to these for what a
 * fragment shader reads and nobody wrote, which lie behind their end: PrimitiveId, be it written or not, FrontFacing of
 * polygons that are not filled, and how far from a smooth line a fragment is.
 */
#include "log.h"
#include "worker.h"

#define MAX_GROUPS_AT_ONCE 4096u	/* of each dimension: llvmpipe keeps what so many of them make */
#define PAYLOAD_HEADER 12u		/* bytes before a payload: the numbers of groups that its task shader asks for */
#define MAX_DRAW_BYTES (3ull << 30)	/* of the heap that jail.c lets a worker have */

/* A mesh shader reads as much as it declares of what its task shader had room for. */
static bool payloads_fit(const struct draw *d)
{
	const struct shader *task = d->shaders[SUNDOG_STAGE_TASK];

	return d->shaders[SUNDOG_STAGE_MESH]->payload_bytes <= (task ? task->payload_bytes : 0);
}

/* Of four distances the host has all or none, and where a mesh shader has fewer the others are what was on a stack. */
static bool distances_fit(const struct draw *d)
{
	const struct shader *fragment = d->shaders[SUNDOG_STAGE_FRAGMENT];
	const uint32_t written = d->shaders[SUNDOG_STAGE_MESH]->distances;

	return !fragment || fragment->distances <= written || !(written % 4);
}

static bool fragments_fit(const struct draw *d)
{
	const struct shader *fragment = d->shaders[SUNDOG_STAGE_FRAGMENT];

	return !d->smooth_lines && (!fragment || (!fragment->primitive_id && (d->fills || !fragment->front_facing)));
}

bool meshes_fit(const struct draw *d)
{
	return payloads_fit(d) && fragments_fit(d) && distances_fit(d) && !d->view_mask && feedback_fits(&d->feedback, 0);
}

/*
 * What the host allocates for a draw: all payloads, or what all groups of it make, up to so many of them. How many
 * groups a task shader asks for, and what is in memory, is not known here.
 */
static uint64_t draw_bytes(const struct draw *d, const uint32_t *groups)
{
	const struct shader *task = d->shaders[SUNDOG_STAGE_TASK];
	uint64_t at_once = 1;

	if (task)
		return (uint64_t)groups[0] * groups[1] * groups[2] * (task->payload_bytes + PAYLOAD_HEADER);
	for (uint32_t i = 0; i < 3; i++)
		at_once *= groups[i] < MAX_GROUPS_AT_ONCE ? groups[i] : MAX_GROUPS_AT_ONCE;
	return at_once * d->shaders[SUNDOG_STAGE_MESH]->mesh_bytes;
}

/* The host would draw nothing, or write to where there is nothing. */
static bool there_is_room(struct worker *w, const uint32_t *groups)
{
	const uint64_t bytes = draw_bytes(&w->draw, groups);

	if (bytes <= MAX_DRAW_BYTES)
		return true;
	log_warn("%u by %u by %u groups of meshes: what they make takes %llu bytes at once, at most %llu", groups[0],
		 groups[1], groups[2], (unsigned long long)bytes, (unsigned long long)MAX_DRAW_BYTES);
	return fault(w, SUNDOG_FAULT_CODE_HOST, -VK_ERROR_OUT_OF_HOST_MEMORY);
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
	if (!there_is_room(w, cmd->groups))
		return false;
	w->draw.mesh_groups = true;
	w->vk.CmdDrawMeshTasksEXT(w->draw.cmd, cmd->groups[0], cmd->groups[1], cmd->groups[2]);
	return true;
}
