// SPDX-License-Identifier: MIT
/*
 * Splits draws that are too large for the host, see split_draw.h. Called by the decoder on the
 * worker's main thread.
 *
 * llvmpipe keeps the whole output of a run of primitives or patches in memory, with 32-bit sizes,
 * and has 16-bit indices for the vertices of patches (QUIRK_DRAW_AT_ONCE). So one draw becomes as
 * many host draws as necessary. An indirect draw that might take more than 4 GiB is split when it
 * runs (split_indirect.c); others have wrong primitives if their patches have too many vertices.
 * The patched lavapipe splits runs itself, keeps the numbering of the whole draw, and keeps the
 * order of instances; it does not split triangle strips with adjacency.
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

bool fits_at_once(const struct exec *x)
{
	const struct draw *d = &x->draw;
	const struct shader *geometry = d->shaders[SUNDOG_STAGE_GEOMETRY];

	if (!vk_has_quirk(&x->vk, QUIRK_DRAW_AT_ONCE) &&
	    d->topology != VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP_WITH_ADJACENCY)
		return true;
	if (d->shaders[SUNDOG_STAGE_TESS_EVAL])
		return BATCH_VERTICES / d->patch_vertices * patch_bytes(d) <= UINT32_MAX;
	return !geometry || BATCH_VERTICES * (uint64_t)geometry->primitive_bytes <= MAX_BATCH_BYTES;
}

static uint64_t most_bytes(enum cut_size size)
{
	return size == CUT_LARGE ? UINT32_MAX : MAX_BATCH_BYTES;
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
static uint64_t patches_at_once(const struct draw *d, enum cut_size size)
{
	const uint64_t fit = most_bytes(size) / patch_bytes(d);

	if (!fit)
		return 1;
	return counts_patches(d) || size == CUT_LARGE || fit < MAX_POINTS / PATCH_POINTS ?
		       fit :
		       MAX_POINTS / PATCH_POINTS;
}

static struct draw_cut cut_patches(const struct draw *d, enum cut_size size)
{
	const uint64_t vertices = patches_at_once(d, size) * d->patch_vertices;

	return (struct draw_cut){ .size = vertices < BATCH_VERTICES ? vertices : UINT32_MAX };
}

/*
 * Cut draws whose geometry shader amplifies a lot. Draws with primitive restart, triangle fans and
 * triangle strips with adjacency (step 0 below) cannot be cut.
 */
static struct draw_cut cut_primitives(const struct draw *d, const struct shader *geometry,
				      enum cut_size size)
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
	const uint32_t vertices = topologies[d->topology].vertices,
		       step = topologies[d->topology].step;
	/* Even, because every second triangle of a strip has the opposite winding order. */
	const uint64_t primitives = most_bytes(size) / geometry->primitive_bytes & ~1ull;

	if (primitives >= BATCH_VERTICES)
		return (struct draw_cut){ .size = UINT32_MAX };
	if (!step || d->restarts)
		return (struct draw_cut){ .size = primitives, .never = true };
	return (struct draw_cut){ .size = (primitives - 1) * step + vertices,
				  .overlap = vertices - step };
}

struct draw_cut draw_cut(const struct draw *d, enum cut_size size)
{
	const struct shader *geometry = d->shaders[SUNDOG_STAGE_GEOMETRY];

	if (d->shaders[SUNDOG_STAGE_TESS_EVAL])
		return cut_patches(d, size);
	return geometry ? cut_primitives(d, geometry, size)
			: (struct draw_cut){ .size = UINT32_MAX };
}

void draw_pieces(struct exec *x, uint32_t count, struct draw_pieces *out)
{
	const struct draw_cut cut = draw_cut(&x->draw, CUT_SMALL);
	const uint32_t left = x->draw.pieces < MAX_PIECES ? MAX_PIECES - x->draw.pieces : 0;
	const uint32_t step = cut.size - cut.overlap;

	*out = (struct draw_pieces){ .count = count, .size = count };
	if (count <= cut.size || fits_at_once(x))
		return;
	out->size = cut.size;
	out->overlap = cut.overlap;
	/* As of draws whose arguments are in memory, the rest is not drawn. */
	if (cut.never)
		out->count = cut.size;
	else if (count / step > left)
		out->count = left * step;
	x->draw.pieces += out->count / step;
}

bool next_piece(struct draw_pieces *p, uint32_t *first, uint32_t *count)
{
	const uint32_t left = p->count - p->done;

	*first = p->done;
	*count = left < p->size ? left : p->size;
	p->done += left > p->size ? p->size - p->overlap : left;
	return *count;
}
