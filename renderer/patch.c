// SPDX-License-Identifier: MIT
/*
 * Patches and tessellation, see draw.h.
 *
 * llvmpipe keeps all that a batch of patches is made into, at once and with sizes of 32 bits, and numbers vertices
 * with 16. So a draw is as many of the host's draws as it takes; one whose arguments are in memory must fit as it is,
 * and has wrong primitives if it has too many vertices.
 */
#include "worker.h"

#define BATCH_VERTICES 4096u		/* at most, in llvmpipe */
#define MAX_BATCH_BYTES (512ull << 20)
#define PATCH_POINTS (65u * 65)		/* of a quad at level 64 */
#define PATCH_PRIMITIVES (64u * 64 * 2)
#define MAX_POINTS 65536u		/* that have numbers of their own */
#define MAX_PIECES (1u << 20)		/* of the draws of a stream */

/*
 * Lavapipe binds the evaluation shader that it knows when the origin changes, be that one bound or not: it is told of
 * an origin where there is one.
 */
void patch_origin_to_host(struct worker *w)
{
	const struct shader *eval = w->draw.shaders[SUNDOG_STAGE_TESS_EVAL];

	if (w->draw.patch_vertices && eval && !eval->refused)
		w->vk.CmdSetTessellationDomainOriginEXT(w->draw.cmd, w->draw.patch_origin);
}

bool set_patch(struct worker *w, const struct sundog_cmd_set_patch *cmd)
{
	if (!worker_has(w, SUNDOG_FEATURE_TESSELLATION))
		return fault(w, SUNDOG_FAULT_CODE_OPCODE, SUNDOG_OP_SET_PATCH);
	if (cmd->vertices > w->caps.max_patch_vertices)
		return fault(w, SUNDOG_FAULT_CODE_FIELD, 1);
	w->vk.CmdSetPatchControlPointsEXT(w->draw.cmd, cmd->vertices);
	w->draw.patch_vertices = cmd->vertices;
	w->draw.patch_origin = cmd->origin;
	patch_origin_to_host(w);
	return true;
}

/* What a patch can be made into; there is a list of primitives beside their vertices. */
static uint64_t patch_bytes(const struct draw *d)
{
	const struct shader *geometry = d->shaders[SUNDOG_STAGE_GEOMETRY];

	return (uint64_t)PATCH_POINTS * d->shaders[SUNDOG_STAGE_TESS_EVAL]->vertex_bytes +
	       (geometry ? 2ull * PATCH_PRIMITIVES * geometry->primitive_bytes : 0);
}

/*
 * A position that nobody wrote: llvmpipe takes what comes behind the vertex for it, and these vertices are
 * reallocated as they become more, where renderer/slack.c puts no room behind them.
 */
static bool positions_fit(const struct draw *d)
{
	const struct shader *eval = d->shaders[SUNDOG_STAGE_TESS_EVAL], *geometry = d->shaders[SUNDOG_STAGE_GEOMETRY];

	return (!eval->reads_position || d->shaders[SUNDOG_STAGE_TESS_CTRL]->writes_position) &&
	       (!geometry || !geometry->reads_position || eval->writes_position);
}

bool patches_fit(const struct draw *d)
{
	const struct shader *control = d->shaders[SUNDOG_STAGE_TESS_CTRL];
	const struct shader *eval = d->shaders[SUNDOG_STAGE_TESS_EVAL];

	if (!eval)
		return d->topology != VK_PRIMITIVE_TOPOLOGY_PATCH_LIST;
	return d->topology == VK_PRIMITIVE_TOPOLOGY_PATCH_LIST && d->patch_vertices && positions_fit(d) &&
	       (!eval->patch_vertices_out || eval->patch_vertices_out == control->patch_vertices_out);
}

bool patches_fit_at_once(const struct draw *d)
{
	return !d->shaders[SUNDOG_STAGE_TESS_EVAL] ||
	       BATCH_VERTICES / d->patch_vertices * patch_bytes(d) <= UINT32_MAX;
}

/* The host counts patches from the first one of its draw. */
static bool counts_patches(const struct draw *d)
{
	const struct shader *geometry = d->shaders[SUNDOG_STAGE_GEOMETRY];

	return d->shaders[SUNDOG_STAGE_TESS_EVAL]->primitive_id || (geometry && geometry->primitive_id);
}

/* Patches of one of the host's draws. */
static uint64_t patches_at_once(const struct draw *d)
{
	const uint64_t fit = MAX_BATCH_BYTES / patch_bytes(d);

	if (!fit)
		return 1;
	return counts_patches(d) || fit < MAX_POINTS / PATCH_POINTS ? fit : MAX_POINTS / PATCH_POINTS;
}

bool draw_pieces(struct worker *w, uint32_t count, struct draw_pieces *out)
{
	struct draw *d = &w->draw;
	uint64_t vertices;

	*out = (struct draw_pieces){ .count = count, .size = count };
	if (!d->shaders[SUNDOG_STAGE_TESS_EVAL])
		return true;
	vertices = patches_at_once(d) * d->patch_vertices;
	if (vertices >= BATCH_VERTICES)
		return true;
	out->size = vertices;
	if (count / out->size > MAX_PIECES - d->pieces)
		return fault(w, SUNDOG_FAULT_CODE_RANGE, count);
	d->pieces += count / out->size;
	return true;
}

bool next_piece(struct draw_pieces *p, uint32_t *first, uint32_t *count)
{
	const uint32_t left = p->count - p->done;

	*first = p->done;
	*count = left < p->size ? left : p->size;
	p->done += *count;
	return *count;
}
