// SPDX-License-Identifier: MIT
/* Tests arena.h, the memory into which host drivers record commands. Prints TAP. */
#include "host/arena.h"

#include <stdio.h>
#include <string.h>

#define SCOPE VK_SYSTEM_ALLOCATION_SCOPE_OBJECT

static struct arena arena;
static unsigned int count, failures;

static void result(bool ok, const char *name)
{
	printf("%s %u - %s\n", ok ? "ok" : "not ok", ++count, name);
	failures += !ok;
}

static void *allocate(size_t size, size_t align)
{
	void *p = arena.callbacks.pfnAllocation(&arena, size, align, SCOPE);

	if (p)
		memset(p, 0xa5, size);
	return p;
}

static void release(void *p)
{
	arena.callbacks.pfnFree(&arena, p);
}

/*
 * Allocates blocks of all sizes, some of them larger than a chunk. Returns true if none overlaps
 * another.
 */
static bool sizes(size_t align)
{
	static char *all[2000];
	bool ok = true;

	arena_begin(&arena);
	for (size_t i = 0; i < 2000; i++) {
		all[i] = allocate(i * i / 10, align);
		if (!all[i])
			return false;
		ok &= !((uintptr_t)all[i] % align);
		memset(all[i], (int)i, i * i / 10);
	}
	for (size_t i = 0; i < 2000; i++) {
		for (size_t j = 0; j < i * i / 10; j += 97)
			ok &= all[i][j] == (char)i;
		release(all[i]);
	}
	arena_end(&arena);
	return ok && !arena.live;
}

static bool grows(void)
{
	char *p;
	bool ok = true;

	arena_begin(&arena);
	p = allocate(10, 8);
	strcpy(p, "something");
	for (size_t size = 20; size < 100000; size *= 3) {
		p = arena.callbacks.pfnReallocation(&arena, p, size, 8, SCOPE);
		ok &= p && !strcmp(p, "something");
	}
	p = arena.callbacks.pfnReallocation(&arena, p, 10, 8, SCOPE);
	ok &= !strcmp(p, "something");
	ok &= !arena.callbacks.pfnReallocation(&arena, p, 0, 8, SCOPE);
	arena_end(&arena);
	return ok && !arena.live;
}

/* Returns true if the next recording reuses the memory of the previous one. */
static bool is_used_again(void)
{
	void *first, *again;

	arena_begin(&arena);
	first = allocate(100, 8);
	release(first);
	arena_end(&arena);
	arena_begin(&arena);
	again = allocate(100, 8);
	release(again);
	arena_end(&arena);
	return first == again;
}

/* A host may keep an allocation after its recording. */
static bool keeps(void)
{
	char *kept, *other;
	bool ok;

	arena_begin(&arena);
	kept = allocate(100, 8);
	strcpy(kept, "kept");
	arena_end(&arena);
	arena_begin(&arena);
	other = allocate(100, 8);
	ok = other != kept && !strcmp(kept, "kept");
	release(kept);
	release(other);
	arena_end(&arena);
	return ok && is_used_again();
}

/* An allocation outside of a recording survives the recordings. */
static bool outlives(void)
{
	char *p = allocate(100, 8);
	bool ok;

	strcpy(p, "outside");
	ok = sizes(8) && !strcmp(p, "outside");
	release(p);
	return ok;
}

int main(void)
{
	arena_init(&arena);
	result(sizes(8), "allocations of all sizes");
	result(sizes(64), "and of a large alignment");
	result(sizes(8), "and once more");
	result(grows(), "they grow and shrink");
	result(is_used_again(), "memory is used again");
	result(keeps(), "but not while something is kept");
	result(outlives(), "what is older than a recording lives on");
	result(!allocate(SIZE_MAX, 8) && !allocate(8, SIZE_MAX),
	       "there is an end to what can be had");
	release(NULL);
	printf("1..%u\n", count);
	return failures != 0;
}
