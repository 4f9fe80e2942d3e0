// SPDX-License-Identifier: MIT
/*
 * Tests atomic float add, min and max in buffers, images, texel buffers and shared memory, by
 * compute and fragment shaders: they change the addressed number and nothing else. Runs on the
 * device that device.h finds. Prints TAP.
 */
#include <stdio.h>
#include <string.h>

#include <vulkan/vulkan_core.h>

#include "atomics-shaders.h"
#include "hostile.h"

#define MEMORY_SIZE 0x30000u
#define GROUP 64u			/* numbers that a group changes */
#define SIDE 8u				/* width and height of the image */

enum { OP_BUFFER, OP_IMAGE, OP_TEXELS, OP_SHARED };

enum { ID_VERTEX = HOSTILE_FREE, ID_IMAGE, ID_VIEW, ID_TEXELS, ID_COMPUTE,
       ID_FRAGMENT = ID_COMPUTE + 3 };

/* Atomic operations. The number is zero before them. */
static const struct change {
	const char *name;
	/* operand, as float bits: a power of two, so that a change of a canary is visible */
	uint32_t step;
	bool sums;			/* the result depends on the number of operations */
	const uint32_t *compute, *fragment;
	size_t compute_size, fragment_size;
} changes[] = {
	{ "add to", 0x79800000u, true, adds_comp, adds_frag, sizeof(adds_comp),
	  sizeof(adds_frag) },
	{ "have the less in", 0xff000000u, false, less_comp, less_frag, sizeof(less_comp),
	  sizeof(less_frag) },
	{ "have the greater in", 0x7f000000u, false, greater_comp, greater_frag,
	  sizeof(greater_comp), sizeof(greater_frag) },
};

/* Parts of the memory, in words. The rest is full of canaries. */
struct part {
	const char *name;
	uint32_t first, words;
};

static const struct part said = { "what was there", 0x1000 / 4, GROUP };
static const struct part targets[] = {
	[OP_BUFFER] = { "buffers", 0x2000 / 4, 100 },
	[OP_IMAGE] = { "images", 0x10000 / 4, 0x10000 / 4 },	/* more than any layout takes */
	[OP_TEXELS] = { "texels", 0x3000 / 4, 48 },
};

static const int32_t numbers[] = {
	0, 5, 63, 90, 100, 1000, 0x10000, 0x3fffffe0, 0x7fffffe0, INT32_MIN, -64, -16, -1,
};

#define N(array) (sizeof(array) / sizeof((array)[0]))

struct scene {
	struct hostile *h;
	struct sdrm_bo *memory;
	uint32_t stage, shader;
	const struct change *change;
};

static struct sundog_mem_range range_of(const struct scene *s, const struct part *p)
{
	return (struct sundog_mem_range){ sdrm_bo_mem(s->memory), p->first * 4, p->words * 4 };
}

static void make_shaders(struct scene *s)
{
	struct sundog_cmd_create_shader cmd = { .stage = SUNDOG_STAGE_VERTEX };

	hostile_shader(s->h, ID_VERTEX, &cmd, probe_vert, sizeof(probe_vert));
	cmd = (struct sundog_cmd_create_shader){
		.stage = SUNDOG_STAGE_COMPUTE, .push_size = 8, .n_bindings = 3,
		.bindings = { { SUNDOG_BINDING_SSBOS, 16, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER },
			      { SUNDOG_BINDING_IMAGE0, 1, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE },
			      { SUNDOG_BINDING_STORAGE_TEXELS0, 1,
				VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER } },
	};
	for (uint32_t i = 0; i < N(changes); i++) {
		cmd.stage = SUNDOG_STAGE_COMPUTE;
		hostile_shader(s->h, ID_COMPUTE + i, &cmd, changes[i].compute,
			       changes[i].compute_size);
		cmd.stage = SUNDOG_STAGE_FRAGMENT;
		hostile_shader(s->h, ID_FRAGMENT + i, &cmd, changes[i].fragment,
			       changes[i].fragment_size);
	}
}

static void make_views(struct scene *s)
{
	const struct sundog_cmd_create_image image = {
		.id = ID_IMAGE, .mem = sdrm_bo_mem(s->memory),
		.offset = targets[OP_IMAGE].first * 4,
		.type = VK_IMAGE_TYPE_2D, .format = VK_FORMAT_R32_SFLOAT,
		.extent = { SIDE, SIDE, 1 },
		.levels = 1, .layers = 1, .samples = 1, .usage = SUNDOG_IMAGE_USAGE_STORAGE,
	};
	const struct sundog_cmd_create_image_view view = {
		.id = ID_VIEW, .image = ID_IMAGE, .type = VK_IMAGE_VIEW_TYPE_2D,
		.format = VK_FORMAT_R32_SFLOAT,
		.aspect = SUNDOG_ASPECT_COLOR, .levels = 1, .layers = 1,
		.usage = SUNDOG_IMAGE_USAGE_STORAGE,
	};

	hostile_list(s->h, s->memory);
	sundog_emit_create_image(s->h->stream, &image);
	sundog_emit_create_image_view(s->h->stream, &view);
	sundog_emit_create_buffer_view(s->h->stream, &(struct sundog_cmd_create_buffer_view){
		.id = ID_TEXELS, .range = range_of(s, &targets[OP_TEXELS]),
		.format = VK_FORMAT_R32_SFLOAT });
}

static void bind_buffer(struct scene *s, uint32_t slot, const struct part *p)
{
	const struct sundog_mem_range range = range_of(s, p);

	sundog_emit_bind_ssbos(s->h->stream, &(struct sundog_cmd_bind_ssbos){ s->stage, slot, 1 },
			       &range);
}

static void bind_target(struct scene *s, uint32_t op)
{
	const uint32_t view = ID_VIEW, texels = ID_TEXELS;

	switch (op) {
	case OP_BUFFER:
		bind_buffer(s, 1, &targets[OP_BUFFER]);
		break;
	case OP_IMAGE:
		sundog_emit_bind_images(s->h->stream, &(struct sundog_cmd_bind_images){
			s->stage, 0, 1 }, &view);
		break;
	case OP_TEXELS:
		sundog_emit_bind_storage_texels(s->h->stream,
			&(struct sundog_cmd_bind_storage_texels){ s->stage, 0, 1 }, &texels);
		break;
	}
}

static void work(struct scene *s, uint32_t op, int32_t number)
{
	sundog_emit_push_constants(s->h->stream, &(struct sundog_cmd_push_constants){ .count = 2 },
				   (const uint32_t[]){ op, number });
	hostile_work(s->h, s->stage, ID_VERTEX, s->shader);
}

static bool is_in(uint32_t word, const struct part *p)
{
	return word - p->first < p->words;
}

/* Fills the memory with canaries, and @target and the part with the shader's output with zeroes. */
static void fill(struct scene *s, const struct part *target)
{
	uint32_t *words = sdrm_bo_map(s->memory);

	for (uint32_t i = 0; i < MEMORY_SIZE / 4; i++)
		words[i] = is_in(i, target) || is_in(i, &said) ? 0 : CANARY;
}

/* Returns true if the number that invocation @i changes is within the resource. */
static bool exists(uint32_t op, int32_t number, uint32_t i)
{
	const uint32_t x = (uint32_t)number + (op == OP_IMAGE ? i % 8 : i),
		y = (uint32_t)number + i / 8;

	if (op == OP_IMAGE)
		return x < SIDE && y < SIDE;
	return x < targets[op].words;
}

static float as_float(uint32_t word)
{
	float value;

	memcpy(&value, &word, sizeof(value));
	return value;
}

/* Returns the number of invocations that change the same number. */
static uint32_t times(const struct scene *s)
{
	return s->stage == SUNDOG_STAGE_COMPUTE || !s->change->sums ? 1 : HOSTILE_HEIGHT;
}

/* Returns true if @target has @n results and the rest of the memory is unchanged. */
static bool added(const struct scene *s, const struct part *target, uint32_t n)
{
	const uint32_t *words = sdrm_bo_map(s->memory);
	uint32_t sums = 0;

	for (uint32_t i = 0; i < MEMORY_SIZE / 4; i++) {
		if (is_in(i, &said))
			continue;
		if (is_in(i, target) && as_float(words[i]) == times(s) * as_float(s->change->step))
			sums++;
		else if (words[i] != (is_in(i, target) ? 0 : CANARY)) {
			printf("# word %#x is %#x\n", i, words[i]);
			return false;
		}
	}
	if (sums != n)
		printf("# %u sums, not %u\n", sums, n);
	return sums == n;
}

/*
 * Returns true if each value that an operation returned is zero or the result of other operations,
 * and no canary.
 */
static bool says_sums(const struct scene *s)
{
	const uint32_t *words = (uint32_t *)sdrm_bo_map(s->memory) + said.first;
	const bool compute = s->stage == SUNDOG_STAGE_COMPUTE;

	for (uint32_t i = 0; i < (compute ? GROUP : HOSTILE_PIXELS); i++) {
		const uint32_t word = compute ? words[i] : hostile_pixels(s->h)[2 * i];
		const float value = as_float(word) / as_float(s->change->step);

		if (!(value >= 0.0f && value <= GROUP * HOSTILE_HEIGHT) ||
		    value != (uint32_t)value) {
			printf("# %u was told %#x\n", i, word);
			return false;
		}
	}
	return true;
}

static bool adds(struct scene *s, uint32_t op, int32_t number)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < GROUP; i++)
		n += exists(op, number, i);
	fill(s, &targets[op]);
	hostile_list(s->h, s->memory);
	bind_buffer(s, 0, &said);
	for (uint32_t i = 0; i < N(targets); i++)
		bind_target(s, i);
	work(s, op, number);
	return hostile_runs(s->h) && added(s, &targets[op], n) && says_sums(s);
}

static bool adds_to_nothing(struct scene *s, uint32_t op)
{
	fill(s, &said);
	hostile_list(s->h, s->memory);
	bind_buffer(s, 0, &said);
	work(s, op, 0);
	return hostile_runs(s->h) && added(s, &said, 0) && says_sums(s);
}

/* Atomics beyond the end of an array in shared memory must not change its neighbours. */
static bool stays_in_shared_memory(struct scene *s, int32_t number)
{
	const uint32_t *words = (uint32_t *)sdrm_bo_map(s->memory) + said.first;

	fill(s, &said);
	hostile_list(s->h, s->memory);
	bind_buffer(s, 0, &said);
	work(s, OP_SHARED, number);
	if (!hostile_runs(s->h))
		return false;
	for (uint32_t i = 0; i < GROUP; i++)
		if (words[i] != 14) {
			printf("# invocation %u says %#x\n", i, words[i]);
			return false;
		}
	return true;
}

static void refuses_what_is_read(struct scene *s, uint32_t op)
{
	char name[96];

	sdrm_submit_add(s->h->submit, s->memory, SUNDOG_ACCESS_READ);
	bind_target(s, op);
	work(s, op, 0);
	snprintf(name, sizeof(name), "shaders that %s %s that are listed for reading",
		 s->change->name, targets[op].name);
	hostile_refused(s->h, SUNDOG_FAULT_CODE_ACCESS, name);
}

static void test_stage(struct scene *s, const char *who)
{
	for (uint32_t op = 0; op < N(targets); op++) {
		for (uint32_t i = 0; i < N(numbers); i++)
			hostile_result(adds(s, op, numbers[i]), "%s %s %s from %d on", who,
				       s->change->name,
				       targets[op].name, numbers[i]);
		hostile_result(adds_to_nothing(s, op), "%s %s no %s", who, s->change->name,
			       targets[op].name);
		refuses_what_is_read(s, op);
	}
}

static void test_change(struct scene *s, uint32_t i)
{
	s->change = &changes[i];
	s->stage = SUNDOG_STAGE_COMPUTE;
	s->shader = ID_COMPUTE + i;
	test_stage(s, "work groups");
	for (uint32_t n = 0; n < N(numbers); n++)
		hostile_result(stays_in_shared_memory(s, numbers[n]),
			       "work groups %s shared memory from %d on",
			       s->change->name, numbers[n]);
	s->stage = SUNDOG_STAGE_FRAGMENT;
	s->shader = ID_FRAGMENT + i;
	test_stage(s, "fragments");
}

int main(void)
{
	struct scene s = { .h = hostile_new() };

	s.memory = hostile_bo(s.h, MEMORY_SIZE);
	make_shaders(&s);
	make_views(&s);
	hostile_need(s.h, "shaders");
	for (uint32_t i = 0; i < N(changes); i++)
		test_change(&s, i);
	sdrm_bo_del(s.memory);
	hostile_del(s.h);
	return hostile_status();
}
