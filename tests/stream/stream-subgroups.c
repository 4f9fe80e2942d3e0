// SPDX-License-Identifier: MIT
/*
 * Uses results of subgroup operations and clocks as indices of buffers, words, invocations and
 * shared memory. The gate cannot know their values, so its checks have to bound all of them. Also
 * tests stores of 8 to 64 bits. Runs on the device that device.h finds. Prints TAP.
 */
#include <stdio.h>

#include <vulkan/vulkan_core.h>

#include "hostile.h"
#include "small-shaders.h"
#include "subgroup-shaders.h"

#define BUFFER_WORDS 1024u		/* words from one buffer to the next */
#define GROUP 64u			/* words that are bound of each buffer */
#define SLOTS 16u

enum { ID_VERTEX = HOSTILE_FREE, ID_COMPUTE, ID_FRAGMENT, ID_SMALL_COMPUTE, ID_SMALL_FRAGMENT };

static const char *const ops[] = {
	"half a clock", "a clock", "a ballot", "masks", "own numbers", "what others say",
	"what another has",
	"what others have", "a bit of a ballot", "what a quad has", "a sum",
	"what one at a distance has",
	"what comes round", "the last of a ballot",
};
static const char *const small_ops[] = {
	"bytes", "words of 16 bits", "halves", "vectors of bytes", "words of 64 bits, atomically",
	"indices of 8 bits",
	"indices of 16 bits",
};
static const uint32_t numbers[] = { 0, 1, 3, 8, 64, 0x10000, 0x7fffffff, 0x80000000, 0xfffffff0,
				    0xffffffff };

#define N(array) (sizeof(array) / sizeof((array)[0]))

struct scene {
	struct hostile *h;
	struct sdrm_bo *buffers;
	uint32_t stage, shader;
};

static void make_shaders(struct hostile *h)
{
	struct sundog_cmd_create_shader cmd = { .stage = SUNDOG_STAGE_VERTEX };

	hostile_shader(h, ID_VERTEX, &cmd, probe_vert, sizeof(probe_vert));
	cmd = (struct sundog_cmd_create_shader){
		.stage = SUNDOG_STAGE_COMPUTE, .push_size = 8, .n_bindings = 1,
		.bindings = { { SUNDOG_BINDING_SSBOS, SLOTS, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER } },
	};
	hostile_shader(h, ID_COMPUTE, &cmd, subgroups_comp, sizeof(subgroups_comp));
	hostile_shader(h, ID_SMALL_COMPUTE, &cmd, small_comp, sizeof(small_comp));
	cmd.stage = SUNDOG_STAGE_FRAGMENT;
	hostile_shader(h, ID_FRAGMENT, &cmd, subgroups_frag, sizeof(subgroups_frag));
	hostile_shader(h, ID_SMALL_FRAGMENT, &cmd, small_frag, sizeof(small_frag));
}

static bool run(struct scene *s, uint32_t op, uint32_t number)
{
	uint32_t *words = sdrm_bo_map(s->buffers);
	struct sundog_mem_range ranges[SLOTS];

	for (uint32_t i = 0; i < SLOTS * BUFFER_WORDS; i++)
		words[i] = CANARY;
	for (uint32_t i = 0; i < SLOTS; i++)
		ranges[i] = (struct sundog_mem_range){ sdrm_bo_mem(s->buffers),
						       i * BUFFER_WORDS * 4, GROUP * 4 };
	hostile_list(s->h, s->buffers);
	sundog_emit_bind_ssbos(s->h->stream, &(struct sundog_cmd_bind_ssbos){ s->stage, 0, SLOTS },
			       ranges);
	sundog_emit_push_constants(s->h->stream, &(struct sundog_cmd_push_constants){ .count = 2 },
				   (const uint32_t[]){ op, number });
	hostile_work(s->h, s->stage, ID_VERTEX, s->shader);
	return hostile_runs(s->h);
}

/* Returns true if only bound ranges changed, and the rest has canaries. */
static bool stays_in_the_buffers(const struct scene *s)
{
	const uint32_t *words = sdrm_bo_map(s->buffers);

	for (uint32_t i = 0; i < SLOTS * BUFFER_WORDS; i++)
		if (i % BUFFER_WORDS >= GROUP && words[i] != CANARY) {
			printf("# buffer %u, word %u is %#x\n", i / BUFFER_WORDS, i % BUFFER_WORDS,
			       words[i]);
			return false;
		}
	return true;
}

/*
 * Returns true if each invocation read its own element of its array, and the sum of the shared
 * memory next to the array is unchanged.
 */
static bool says_its_own(const struct scene *s)
{
	const uint32_t *words = sdrm_bo_map(s->buffers), *pixels = hostile_pixels(s->h);
	const bool compute = s->stage == SUNDOG_STAGE_COMPUTE;

	for (uint32_t i = 0; i < (compute ? GROUP : HOSTILE_PIXELS); i++) {
		const uint32_t own = compute ? words[i] >> 8 : pixels[2 * i];
		const uint32_t beside = compute ? words[i] & 0xff : 14;

		if (own > 15 || beside != 14) {
			printf("# invocation %u has %#x, beside it %#x\n", i, own, beside);
			return false;
		}
	}
	return true;
}

static void test_stage(struct scene *s, const char *who, const char *const *names, uint32_t n)
{
	for (uint32_t op = 0; op < n; op++)
		for (uint32_t i = 0; i < N(numbers); i++)
			hostile_result(run(s, op, numbers[i]) && stays_in_the_buffers(s) &&
				       says_its_own(s),
				       "%s store to %s, with %#x", who, names[op], numbers[i]);
}

int main(void)
{
	struct scene s = { .h = hostile_new(), .stage = SUNDOG_STAGE_COMPUTE,
			   .shader = ID_COMPUTE };

	hostile_guard_front(s.h);
	s.buffers = hostile_bo(s.h, SLOTS * BUFFER_WORDS * 4);
	hostile_guard_back(s.h);
	make_shaders(s.h);
	hostile_need(s.h, "shaders");
	test_stage(&s, "work groups", ops, N(ops));
	s.shader = ID_SMALL_COMPUTE;
	test_stage(&s, "work groups", small_ops, N(small_ops));
	s.stage = SUNDOG_STAGE_FRAGMENT;
	s.shader = ID_FRAGMENT;
	test_stage(&s, "fragments", ops, N(ops));
	s.shader = ID_SMALL_FRAGMENT;
	test_stage(&s, "fragments", small_ops, N(small_ops));
	sdrm_bo_del(s.buffers);
	hostile_del(s.h);
	return hostile_status();
}
