// SPDX-License-Identifier: MIT
/* A decoder with a real host driver, see harness.h. */
#define _GNU_SOURCE
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <sanitizer/lsan_interface.h>

#include "exec/decode.h"
#include "exec/indirect.h"
#include "exec/quirk_prelude.h"
#include "ipc/log.h"
#include "sundog_emit.h"
#include "worker/channel.h"

/* The client's memory is in the middle of its VRAM. No access may reach the rest. */
#define VRAM_SIZE (16ull << 30)
#define MEMORY_OFFSET (8ull << 30)
#define HANDLE 1

struct exec harness_exec;
const struct sundog_mem harness_memory = { 0, HANDLE };

static struct sundog_ring_control control;
static struct sundog_ring_status status;
static struct channel channel = {
	.irq = -1, .doorbell = -1, .control = &control, .status = &status,
};
static uint64_t seqno;

bool harness_run(struct sundog_stream *s)
{
	const struct sundog_list_entry entry = {
		.index = HANDLE, .handle = HANDLE, .generation = 1,
		.access = SUNDOG_ACCESS_READ | SUNDOG_ACCESS_WRITE,
	};
	uint64_t offset;

	memory_begin(&harness_exec);
	if (s->overflow || !memory_list(&harness_exec, &entry, 0) || !batch_begin(&harness_exec))
		abort();
	if (!decode(&harness_exec, s->map, s->used, &offset)) {
		batch_discard(&harness_exec);
		draw_done(&harness_exec, false);
		return false;
	}
	if (!batch_submit(&harness_exec, &channel.exec, ++seqno))
		abort();
	draw_done(&harness_exec, true);
	batches_drain(&harness_exec, &channel.exec);
	return true;
}

const void *harness_bytes(uint32_t offset)
{
	return (const char *)harness_exec.memory.space.home + MEMORY_OFFSET + offset;
}

void harness_close(void)
{
	char *home = harness_exec.memory.space.home;

	if (mprotect(home, MEMORY_OFFSET, PROT_NONE) ||
	    mprotect(home + MEMORY_OFFSET + HARNESS_MEMORY,
		     VRAM_SIZE - MEMORY_OFFSET - HARNESS_MEMORY, PROT_NONE))
		abort();
}

/*
 * Maps all device addresses and the guard behind them: shaders may read and write all of it, so an
 * access outside is a finding.
 */
static void set_up_addresses(void)
{
	const uint64_t size = (1ull << SUNDOG_ADDRESS_BITS) + MAPPING_GUARD;

	if (mmap((void *)MAPPING_DEVICE, size, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED)
		abort();
}

static void set_up_memory(void)
{
	const size_t table_size = (size_t)SUNDOG_TABLE_ENTRIES * sizeof(struct sundog_alloc_entry);
	const int vram = memfd_create("vram", 0), table_fd = memfd_create("table", 0);
	const struct message_setup setup = { .client = 1, .vram_size = VRAM_SIZE };
	const int fds[4] = { vram, table_fd, -1, -1 };
	struct sundog_alloc_entry *table;

	if (ftruncate(vram, VRAM_SIZE) || ftruncate(table_fd, table_size))
		abort();
	table = mmap(NULL, table_size, PROT_READ | PROT_WRITE, MAP_SHARED, table_fd, 0);
	if (table == MAP_FAILED || !memory_init(&harness_exec, &setup, fds))
		abort();
	table[HANDLE] = (struct sundog_alloc_entry){
		.generation = 1, .size = HARNESS_MEMORY, .n_runs = 1, .offset = MEMORY_OFFSET,
		.birth = 1,
	};
}

void harness_init(void)
{
	struct exec *x = &harness_exec;
	char error[256];

	log_level = LOG_ERROR;
	setenv("MESA_SHADER_CACHE_DISABLE", "true", 1);
	setenv("LP_PERF", "no_rast_linear", 1);
	setenv("LP_NUM_THREADS", "0", 1);
	__lsan_disable();
	if (!vk_init(&x->vk, NULL, error, sizeof(error))) {
		fprintf(stderr, "harness: %s\n", error);
		abort();
	}
	if (!batches_init(x, channel_complete) || !objects_init(&x->objects))
		abort();
	caps_init(x);
	if (!memory_prepare(x) || !descriptors_init(x) || !indirect_init(x) ||
	    !prelude_init(x) || !query_values_init(x) || !feedback_init(x) ||
	    !submitter_init(x) || !batches_start(x))
		abort();
	set_up_memory();
	set_up_addresses();
}
