// SPDX-License-Identifier: MIT
/*
 * Tests shader indices that the host does not check: shared memory, arrays of buffers, other
 * invocations, and barriers. Only the gate's checks bound them. Runs on the device that device.h
 * finds. Prints TAP.
 */
#include <stdio.h>

#include <vulkan/vulkan_core.h>

#include "groups-shaders.h"
#include "hostile.h"

#define BUFFER_SIZE 4096u
#define BUFFER_WORDS (BUFFER_SIZE / 4)
#define GROUP 64u
#define SLOTS 16u

enum { OP_SHARED, OP_SHARED_ADD, OP_BUFFER, OP_READ, OP_BARRIERS, OP_OWN, OP_LONG };

enum { ID_GROUPS = HOSTILE_FREE, ID_SIZES, ID_TOO_LARGE = ID_SIZES + 5 };

/* Indices. At most the first few are in bounds. */
static const uint32_t numbers[] = { 1, 15, 16, 63, 64, 1000, 0x10000, 0x7fffff00, 0x80000000,
				    0xfffffff0, 0xffffffff };

#define N_NUMBERS (sizeof(numbers) / sizeof(numbers[0]))

/* Work groups of the largest sizes. The last one exceeds the limit. */
static const struct size {
	const char *name;
	uint32_t invocations;
	const uint32_t *code;
	size_t bytes;
} sizes[] = {
#define SIZE(x, y, z) \
	{ #x " * " #y " * " #z, x * y * z, \
	  sizes_##x##_##y##_##z, sizeof(sizes_##x##_##y##_##z) }
	SIZE(1, 1, 1), SIZE(1024, 1, 1), SIZE(1, 1024, 1), SIZE(7, 11, 13), SIZE(32, 8, 4),
		SIZE(1024, 2, 1),
};

#define N_SIZES (sizeof(sizes) / sizeof(sizes[0]) - 1)

static uint32_t *words_of(struct sdrm_bo *buffers, uint32_t slot)
{
	return (uint32_t *)sdrm_bo_map(buffers) + slot * BUFFER_WORDS;
}

/* Dispatches one group of @shader, with @words words of each storage buffer bound. */
static bool dispatch_of(struct hostile *h, struct sdrm_bo *buffers, uint32_t shader,
			uint32_t words, uint32_t op,
			uint32_t number)
{
	const uint32_t push[] = { op, number };
	struct sundog_mem_range ranges[SLOTS];

	for (uint32_t i = 0; i < SLOTS * BUFFER_WORDS; i++)
		words_of(buffers, 0)[i] = CANARY;
	for (uint32_t i = 0; i < SLOTS; i++)
		ranges[i] = (struct sundog_mem_range){ sdrm_bo_mem(buffers), i * BUFFER_SIZE,
						       words * 4 };
	hostile_list(h, buffers);
	sundog_emit_bind_ssbos(h->stream, &(struct sundog_cmd_bind_ssbos){
		SUNDOG_STAGE_COMPUTE, 0, SLOTS }, ranges);
	sundog_emit_push_constants(h->stream, &(struct sundog_cmd_push_constants){ .count = 2 },
				   push);
	hostile_work(h, SUNDOG_STAGE_COMPUTE, 0, shader);
	return hostile_runs(h);
}

static bool dispatch(struct hostile *h, struct sdrm_bo *buffers, uint32_t op, uint32_t number)
{
	return dispatch_of(h, buffers, ID_GROUPS, GROUP, op, number);
}

/* Returns true if @n invocations have stored @word. */
static bool so_many_say(struct sdrm_bo *buffers, uint32_t n, uint32_t word)
{
	for (uint32_t i = 0; i < n; i++)
		if (words_of(buffers, 0)[i] != word) {
			printf("# invocation %u says %#x\n", i, words_of(buffers, 0)[i]);
			return false;
		}
	return true;
}

static bool all_say(struct sdrm_bo *buffers, uint32_t word)
{
	return so_many_say(buffers, GROUP, word);
}

/* A store beyond an array in shared memory must not change its neighbours. */
static bool stays_in_shared_memory(struct hostile *h, struct sdrm_bo *buffers, uint32_t op)
{
	bool ok = dispatch(h, buffers, op, 0) && all_say(buffers, 14);

	for (uint32_t i = 0; i < N_NUMBERS; i++)
		ok = ok && dispatch(h, buffers, op, numbers[i]) && all_say(buffers, 14);
	return ok;
}

/* An index beyond the array selects its last buffer. */
static bool stays_in_the_array(struct hostile *h, struct sdrm_bo *buffers, uint32_t number)
{
	const uint32_t slot = number < SLOTS ? number : SLOTS - 1;

	if (!dispatch(h, buffers, OP_BUFFER, number))
		return false;
	for (uint32_t i = 0; i < SLOTS * BUFFER_WORDS; i++) {
		const uint32_t word = i % BUFFER_WORDS;
		const bool stored = i / BUFFER_WORDS == slot && word < GROUP;

		if (words_of(buffers, 0)[i] != (stored ? word + 1 : CANARY)) {
			printf("# buffer %u, word %u is %#x\n", i / BUFFER_WORDS, word,
			       words_of(buffers, 0)[i]);
			return false;
		}
	}
	return true;
}

/* A read of another invocation's value returns a value of some invocation. */
static bool reads_invocations(struct hostile *h, struct sdrm_bo *buffers, uint32_t number)
{
	if (!dispatch(h, buffers, OP_READ, number))
		return false;
	for (uint32_t i = 0; i < GROUP; i++) {
		const uint32_t word = words_of(buffers, 0)[i];

		if (word < 1 || word > 2 * GROUP) {
			printf("# invocation %u reads %#x\n", i, word);
			return false;
		}
	}
	return true;
}

static bool survives_barriers(struct hostile *h, struct sdrm_bo *buffers)
{
	for (uint32_t i = 0; i < 64; i++)
		if (!dispatch(h, buffers, OP_BARRIERS, 0))
			return false;
	return true;
}

static bool stays_in_its_own(struct hostile *h, struct sdrm_bo *buffers, uint32_t number)
{
	if (!dispatch(h, buffers, OP_OWN, number))
		return false;
	for (uint32_t i = 0; i < GROUP; i++)
		if (words_of(buffers, 0)[i] > 15) {
			printf("# invocation %u has %#x\n", i, words_of(buffers, 0)[i]);
			return false;
		}
	return true;
}

static bool has_64_bits(struct hostile *h, struct sdrm_bo *buffers)
{
	if (!dispatch(h, buffers, OP_LONG, 0))
		return false;
	for (uint64_t i = 0; i < GROUP; i++)
		if (words_of(buffers, 0)[i] !=
		    (uint32_t)((0xffffffffull * (0xffffffffull + i)) >> 32)) {
			printf("# invocation %u has %#x\n", (unsigned int)i,
			       words_of(buffers, 0)[i]);
			return false;
		}
	return true;
}

/* Each invocation stores a number of its own, and shared memory has room for all. */
static bool has_size(struct hostile *h, struct sdrm_bo *buffers, uint32_t i)
{
	bool ok = dispatch_of(h, buffers, ID_SIZES + i, BUFFER_WORDS, 0, 0);

	for (uint32_t n = 0; ok && n < N_NUMBERS; n++) {
		ok = so_many_say(buffers, sizes[i].invocations, 14) &&
		     dispatch_of(h, buffers, ID_SIZES + i, BUFFER_WORDS, 0, numbers[n]);
	}
	ok = ok && so_many_say(buffers, sizes[i].invocations, 14);
	for (uint32_t n = sizes[i].invocations; ok && n < BUFFER_WORDS; n++)
		ok = words_of(buffers, 0)[n] == CANARY;
	return ok;
}

static void test_sizes(struct hostile *h, struct sdrm_bo *buffers,
		       const struct sundog_cmd_create_shader *cmd)
{
	for (uint32_t i = 0; i <= N_SIZES; i++)
		hostile_shader(h, ID_SIZES + i, cmd, sizes[i].code, sizes[i].bytes);
	hostile_need(h, "groups of all sizes");
	for (uint32_t i = 0; i < N_SIZES; i++)
		hostile_result(has_size(h, buffers, i), "a group of %s", sizes[i].name);
	hostile_work(h, SUNDOG_STAGE_COMPUTE, 0, ID_TOO_LARGE);
	hostile_refused(h, SUNDOG_FAULT_CODE_SHADER, "a group of 2048");
}

int main(void)
{
	const struct sundog_cmd_create_shader cmd = {
		.stage = SUNDOG_STAGE_COMPUTE, .push_size = 8, .n_bindings = 1,
		.bindings = { { SUNDOG_BINDING_SSBOS, SLOTS, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER } },
	};
	struct hostile *h = hostile_new();
	struct sdrm_bo *buffers;

	hostile_guard_front(h);
	buffers = hostile_bo(h, SLOTS * BUFFER_SIZE);
	hostile_guard_back(h);
	hostile_shader(h, ID_GROUPS, &cmd, groups_comp, sizeof(groups_comp));
	hostile_need(h, "shader");
	hostile_result(stays_in_shared_memory(h, buffers, OP_SHARED),
		       "stores stay in their array of shared memory");
	hostile_result(stays_in_shared_memory(h, buffers, OP_SHARED_ADD),
		       "so do atomic operations");
	for (uint32_t i = 0; i < N_NUMBERS; i++) {
		hostile_result(stays_in_the_array(h, buffers, numbers[i]),
			       "buffer %#x is one of the array", numbers[i]);
		hostile_result(reads_invocations(h, buffers, numbers[i]),
			       "invocation %#x is one of them", numbers[i]);
		hostile_result(stays_in_its_own(h, buffers, numbers[i]),
			       "number %#x of an array of its own is", numbers[i]);
	}
	hostile_result(survives_barriers(h, buffers),
		       "barriers that not all invocations come to do no harm");
	hostile_result(has_64_bits(h, buffers), "integers of 64 bits");
	test_sizes(h, buffers, &cmd);
	sdrm_bo_del(buffers);
	hostile_del(h);
	return hostile_status();
}
