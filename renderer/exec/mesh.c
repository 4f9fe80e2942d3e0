// SPDX-License-Identifier: MIT
/*
 * Draws with mesh shaders, see mesh.h. Called by the decoder on the worker's main thread.
 *
 * llvmpipe runs the task shaders of a whole draw, then the mesh shaders of each task group. It
 * allocates the vertices that mesh shaders write just as large as the mesh shader's outputs. Its
 * draw module appends slots to vertices for inputs of the fragment shader that no shader wrote:
 * PrimitiveId, FrontFacing for polygons that are not filled, and the distance from a smooth line.
 * These slots lie behind the end of the vertex. So lines of meshes are not smooth, and draws with
 * one of the other slots are refused. Vulkan requires that a mesh shader writes the PrimitiveId
 * that a fragment shader reads (VUID-VkGraphicsPipelineCreateInfo-PrimitiveId-06264).
 */
#include "exec/mesh.h"

#include "exec/exec.h"
#include "ipc/log.h"
#include "sundog_run.h"

/* per dimension: llvmpipe keeps the output of so many groups */
#define MAX_GROUPS_AT_ONCE 4096u
/* bytes before a payload: the group counts that the task shader sets */
#define PAYLOAD_HEADER 12u
#define MAX_DRAW_BYTES (3ull << 30)	/* bytes of the heap that worker_sandbox.c gives a worker */

/*
 * A mesh shader reads as many bytes as it declares; the payload of its task shader must be as
 * large.
 */
static bool payloads_fit(const struct draw *d)
{
	const struct shader *task = d->shaders[SUNDOG_STAGE_TASK];

	return d->shaders[SUNDOG_STAGE_MESH]->payload_bytes <= (task ? task->payload_bytes : 0);
}

/*
 * The host writes distances in groups of four. If a mesh shader has fewer, the others are
 * uninitialized stack memory, so the fragment shader must not read them.
 */
static bool distances_fit(const struct draw *d)
{
	const struct shader *fragment = d->shaders[SUNDOG_STAGE_FRAGMENT];
	const uint32_t written = d->shaders[SUNDOG_STAGE_MESH]->distances;

	return !fragment || fragment->distances <= written || !(written % 4);
}

/* Returns true if the draw module appends no slot, see above. */
static bool slots_fit(const struct draw *d)
{
	const struct shader *fragment = d->shaders[SUNDOG_STAGE_FRAGMENT];

	return !fragment ||
	       ((!fragment->primitive_id ||
		 d->shaders[SUNDOG_STAGE_MESH]->writes_primitive_id) &&
		(d->fills || !fragment->front_facing));
}

bool meshes_fit(const struct draw *d)
{
	return payloads_fit(d) && slots_fit(d) && distances_fit(d) && !d->view_mask;
}

/*
 * Returns the bytes that the host allocates for a draw: all payloads, or the output of all groups
 * up to MAX_GROUPS_AT_ONCE per dimension. The group counts that task shaders set, and those of
 * indirect draws, are not known here.
 */
static uint64_t draw_bytes(const struct draw *d, const uint32_t *groups)
{
	const struct shader *task = d->shaders[SUNDOG_STAGE_TASK];
	uint64_t at_once = 1;

	if (task)
		return (uint64_t)groups[0] * groups[1] * groups[2] *
		       (task->payload_bytes + PAYLOAD_HEADER);
	for (uint32_t i = 0; i < 3; i++)
		at_once *= groups[i] < MAX_GROUPS_AT_ONCE ? groups[i] : MAX_GROUPS_AT_ONCE;
	return at_once * d->shaders[SUNDOG_STAGE_MESH]->mesh_bytes;
}

/*
 * Refuse draws for which the host has no memory: it would draw nothing or write to unmapped memory.
 */
static bool there_is_room(struct exec *x, const uint32_t *groups)
{
	const uint64_t bytes = draw_bytes(&x->draw, groups);

	if (bytes <= MAX_DRAW_BYTES)
		return true;
	log_warn("mesh draw of %u x %u x %u groups: payloads or outputs take %llu bytes at once, "
		 "at most %llu",
		 groups[0], groups[1], groups[2], (unsigned long long)bytes,
		 (unsigned long long)MAX_DRAW_BYTES);
	return fault(x, SUNDOG_FAULT_CODE_HOST, -VK_ERROR_OUT_OF_HOST_MEMORY);
}

bool run_draw_mesh(struct exec *x, const struct sundog_cmd_draw_mesh *cmd)
{
	uint64_t groups = 1;

	if (!exec_has(x, SUNDOG_FEATURE_MESH_SHADERS))
		return fault(x, SUNDOG_FAULT_CODE_OPCODE, SUNDOG_OP_DRAW_MESH);
	for (uint32_t i = 0; i < 3; i++) {
		if (cmd->groups[i] > SUNDOG_MAX_MESH_GROUPS)
			return fault(x, SUNDOG_FAULT_CODE_FIELD, 1 + i);
		groups *= cmd->groups[i];
	}
	if (groups > SUNDOG_MAX_MESH_TOTAL_GROUPS)
		return fault(x, SUNDOG_FAULT_CODE_FIELD, 1);
	if (!ready_to_draw_mesh(x, SUNDOG_OP_DRAW_MESH))
		return false;
	if (!there_is_room(x, cmd->groups))
		return false;
	x->draw.mesh_groups = true;
	x->vk.CmdDrawMeshTasksEXT(x->draw.cmd, cmd->groups[0], cmd->groups[1], cmd->groups[2]);
	return true;
}
