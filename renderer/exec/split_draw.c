// SPDX-License-Identifier: MIT
/*
 * Splits draws that are too large for the host, see split_draw.h. Called by the decoder on the
 * worker's main thread.
 *
 * llvmpipe keeps the whole output of a run of primitives or patches in memory, with 32-bit sizes,
 * and has 16-bit indices for the vertices of patches (QUIRK_DRAW_AT_ONCE). So one draw becomes as
 * many host draws as necessary. An indirect draw must fit as it is, and has wrong primitives if its
 * patches have too many vertices. The patched lavapipe splits runs itself, keeps the numbering of
 * the whole draw, and keeps the order of instances.
 */
#include "exec/split_draw.h"

#include "exec/exec.h"

#define BATCH_VERTICES 4096u		/* limit in llvmpipe, also of primitives */
#define MAX_BATCH_BYTES (512ull << 20)
#define PATCH_POINTS (65u * 65)		/* vertices of a quad patch at level 64 */
#define PATCH_PRIMITIVES (64u * 64 * 2)
#define MAX_POINTS 65536u		/* vertices of patches with distinct indices */
#define MAX_PIECES (1u << 20)		/* of all draws of a stream */

/*
 * Returns the bytes that one patch can become; there is a list of primitives besides their
 * vertices.
 */
static uint64_t patch_bytes(const struct draw *d)
{
	const struct shader *geometry = d->shaders[SUNDOG_STAGE_GEOMETRY];

	return (uint64_t)PATCH_POINTS * d->shaders[SUNDOG_STAGE_TESS_EVAL]->vertex_bytes +
	       (geometry ? 2ull * PATCH_PRIMITIVES * geometry->primitive_bytes : 0);
}

bool patch_fits(const struct draw *d)
{
	return patch_bytes(d) <= UINT32_MAX;
}

bool fits_at_once(const struct draw *d)
{
	const struct shader *geometry = d->shaders[SUNDOG_STAGE_GEOMETRY];

	if (d->shaders[SUNDOG_STAGE_TESS_EVAL])
		return BATCH_VERTICES / d->patch_vertices * patch_bytes(d) <= UINT32_MAX;
	return !geometry || BATCH_VERTICES * (uint64_t)geometry->primitive_bytes <= MAX_BATCH_BYTES;
}

/*
 * Split draws of @count vertices into pieces of @size vertices, each of which begins with the last
 * @overlap vertices of the previous one. Returns false with a fault recorded if the stream has too
 * many pieces.
 */
static bool cut(struct exec *x, uint32_t count, uint64_t size, uint32_t overlap,
		struct draw_pieces *out)
{
	struct draw *d = &x->draw;
	uint64_t pieces;

	if (count <= size)
		return true;
	pieces = count / (size - overlap);
	if (pieces > MAX_PIECES - d->pieces)
		return fault(x, SUNDOG_FAULT_CODE_RANGE, count);
	d->pieces += pieces;
	out->size = size;
	out->overlap = overlap;
	return true;
}

/*
 * Returns true if a shader reads the patch number: the host counts from the first patch of its
 * draw.
 */
static bool counts_patches(const struct draw *d)
{
	const struct shader *geometry = d->shaders[SUNDOG_STAGE_GEOMETRY];

	return d->shaders[SUNDOG_STAGE_TESS_EVAL]->primitive_id ||
	       (geometry && geometry->primitive_id);
}

/* Returns the number of patches per host draw. */
static uint64_t patches_at_once(const struct draw *d)
{
	const uint64_t fit = MAX_BATCH_BYTES / patch_bytes(d);

	if (!fit)
		return 1;
	return counts_patches(d) || fit < MAX_POINTS / PATCH_POINTS ? fit
								    : MAX_POINTS / PATCH_POINTS;
}

static bool cut_patches(struct exec *x, uint32_t count, struct draw_pieces *out)
{
	const uint64_t vertices = patches_at_once(&x->draw) * x->draw.patch_vertices;

	return vertices >= BATCH_VERTICES || cut(x, count, vertices, 0, out);
}

/*
 * Split draws whose geometry shader amplifies a lot. Draws with primitive restart, triangle fans
 * and triangle strips with adjacency (step 0 below) cannot be split.
 */
static bool cut_primitives(struct exec *x, uint32_t count, const struct shader *geometry,
			   struct draw_pieces *out)
{
	static const struct {
		/* of the first primitive; vertices per further primitive */
		uint32_t vertices, step;
	} topologies[] = {
		[VK_PRIMITIVE_TOPOLOGY_POINT_LIST] = { 1, 1 },
		[VK_PRIMITIVE_TOPOLOGY_LINE_LIST] = { 2, 2 },
		[VK_PRIMITIVE_TOPOLOGY_LINE_STRIP] = { 2, 1 },
		[VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST] = { 3, 3 },
		[VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP] = { 3, 1 },
		[VK_PRIMITIVE_TOPOLOGY_LINE_LIST_WITH_ADJACENCY] = { 4, 4 },
		[VK_PRIMITIVE_TOPOLOGY_LINE_STRIP_WITH_ADJACENCY] = { 4, 1 },
		[VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST_WITH_ADJACENCY] = { 6, 6 },
		[VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP_WITH_ADJACENCY] = { 0, 0 },
	};
	const uint32_t vertices = topologies[x->draw.topology].vertices,
		       step = topologies[x->draw.topology].step;
	/* Even, because every second triangle of a strip has the opposite winding order. */
	const uint64_t primitives = MAX_BATCH_BYTES / geometry->primitive_bytes & ~1ull;

	if (primitives >= BATCH_VERTICES || count <= primitives)
		return true;
	if (!step || x->draw.restarts)
		return fault(x, SUNDOG_FAULT_CODE_RANGE, count);
	return cut(x, count, (primitives - 1) * step + vertices, vertices - step, out);
}

bool draw_pieces(struct exec *x, uint32_t count, struct draw_pieces *out)
{
	const struct shader *geometry = x->draw.shaders[SUNDOG_STAGE_GEOMETRY];
	const bool patches = x->draw.shaders[SUNDOG_STAGE_TESS_EVAL];

	*out = (struct draw_pieces){ .count = count, .size = count };
	if (patches ? !cut_patches(x, count, out)
		    : geometry && !cut_primitives(x, count, geometry, out))
		return false;
	/*
	 * Draws that only such a host need not split are refused all the same, so that drivers see
	 * one device.
	 */
	if (!vk_has_quirk(&x->vk, QUIRK_DRAW_AT_ONCE))
		out->size = count;
	return true;
}

bool next_piece(struct draw_pieces *p, uint32_t *first, uint32_t *count)
{
	const uint32_t left = p->count - p->done;

	*first = p->done;
	*count = left < p->size ? left : p->size;
	p->done += left > p->size ? p->size - p->overlap : left;
	return *count;
}
