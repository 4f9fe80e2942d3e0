// SPDX-License-Identifier: MIT
/*
 * Splits draws whose arguments are in memory, see split_indirect.h. Called by the decoder on the
 * worker's main thread.
 *
 * Each piece is one draw of a host command. If the vertex shader reads the index of its draw, the
 * n-th draw of a command must be a piece of draw n: there are several commands then, and a command
 * has at most one piece of each draw, in the order of the draws. To need few of them, the pieces
 * are large.
 */
#include "exec/split_indirect.h"

#include "exec/dispatch.h"
#include "exec/exec.h"
#include "exec/quirk_prelude.h"
#include "exec/split_draw.h"
#include "split_indirect.comp.h"
#include "sundog_run.h"

#define MAX_PIECES 65536u		/* of one host draw; no more are drawn */
/* client draws per dispatch, unless shaders read their index */
#define DRAWS_AT_ONCE 4096u
#define MAX_PASSES 256u			/* host commands for draws that keep their index */
#define HEADER_SIZE 16u			/* of the buffer; the first word is the number of draws */

/* Push constants of the shader. */
struct arguments {
	VkDeviceAddress draws, count, pieces;
	uint32_t has_count, first_draw, max_draws, stride;
	uint32_t size, overlap, cut;
	uint32_t n_words, room, passes, keep_index;
	uint32_t divisor, instances, first_instance;
};

_Static_assert(sizeof(struct arguments) <= SUNDOG_MAX_PUSH_CONSTANTS, "they are push constants");

bool split_indirect_init(struct exec *x)
{
	return !vk_has_quirk(&x->vk, QUIRK_DISPATCH_IN_RENDERING) ||
	       !exec_has(x, SUNDOG_FEATURE_COMPUTE | SUNDOG_FEATURE_INDIRECT) ||
	       prelude_shader(x, SUNDOG_STAGE_COMPUTE, split_indirect_comp,
			      sizeof(split_indirect_comp), &x->split_indirect);
}

static bool keeps_index(const struct exec *x)
{
	return x->draw.shaders[SUNDOG_STAGE_VERTEX]->draw_index;
}

bool may_split_indirect(const struct exec *x, uint32_t max_draws)
{
	return x->split_indirect && (!keeps_index(x) || max_draws <= MAX_PIECES);
}

static bool has_pieces(struct exec *x)
{
	struct vk_host_buffer *b = &x->draw.indirect_pieces;

	return b->map ||
	       vk_host_buffer_init(&x->vk, b,
				   HEADER_SIZE + MAX_PIECES * sizeof(VkDrawIndexedIndirectCommand),
				   VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT |
					   VK_BUFFER_USAGE_STORAGE_BUFFER_BIT) ||
	       fault(x, SUNDOG_FAULT_CODE_HOST, -VK_ERROR_OUT_OF_HOST_MEMORY);
}

/* Record the host commands for the pieces that a dispatch with @a makes. */
static void draw_pieces_of(struct exec *x, const struct arguments *a, bool indexed)
{
	const VkBuffer buffer = x->draw.indirect_pieces.buffer;
	const uint32_t size = a->n_words * sizeof(uint32_t),
		       n = a->keep_index ? a->room : a->room * a->passes;
	VkDeviceSize offset = HEADER_SIZE;

	x->draw.counted = true;
	/* See run_draw_indexed_indirect(). */
	if (indexed)
		x->vk.CmdDrawIndexed(x->draw.cmd, 0, 1, 0, 0, 0);
	for (uint32_t i = 0; i < (a->keep_index ? a->passes : 1); i++, offset += n * size) {
		if (indexed)
			x->vk.CmdDrawIndexedIndirectCount(x->draw.cmd, buffer, offset, buffer, 0, n,
							  size);
		else
			x->vk.CmdDrawIndirectCount(x->draw.cmd, buffer, offset, buffer, 0, n, size);
	}
}

static void split(struct exec *x, const struct arguments *a, bool indexed)
{
	dispatch_own(x, x->split_indirect, a, sizeof(*a));
	draw_pieces_of(x, a, indexed);
}

bool split_indirect(struct exec *x, const struct split_indirect *s)
{
	const struct draw_cut cut = draw_cut(&x->draw, keeps_index(x) ? CUT_LARGE : CUT_SMALL);
	struct arguments a = {
		.draws = s->draws, .count = s->count, .has_count = s->count != 0,
		.stride = s->stride / sizeof(uint32_t), .size = cut.size, .overlap = cut.overlap,
		.cut = !cut.never, .n_words = s->indexed ? 5 : 4, .room = MAX_PIECES, .passes = 1,
		.keep_index = keeps_index(x), .divisor = s->divisor, .instances = s->instances,
		.first_instance = s->first_instance,
	};

	if (!s->max_draws)
		return true;
	if (!has_pieces(x))
		return false;
	a.pieces = x->draw.indirect_pieces.address;
	if (a.keep_index) {
		a.max_draws = a.room = s->max_draws;
		a.passes = MAX_PIECES / a.room < MAX_PASSES ? MAX_PIECES / a.room : MAX_PASSES;
		split(x, &a, s->indexed);
		return true;
	}
	for (; a.first_draw < s->max_draws; a.first_draw += a.max_draws) {
		const uint32_t left = s->max_draws - a.first_draw;

		a.max_draws = left < DRAWS_AT_ONCE ? left : DRAWS_AT_ONCE;
		a.draws = s->draws + (uint64_t)a.first_draw * s->stride;
		split(x, &a, s->indexed);
	}
	return true;
}
