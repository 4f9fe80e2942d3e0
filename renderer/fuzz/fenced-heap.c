// SPDX-License-Identifier: MIT
/*
 * Replaces malloc(), realloc() and free() of a fuzz target, see fenced-heap.h. Any thread.
 *
 * The functions of the C library are weak aliases of AddressSanitizer's interceptors.
 */
#define _GNU_SOURCE
#include "fenced-heap.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include <sanitizer/asan_interface.h>

#define MIN_SIZE 256u
#define GUARD (64u << 10)	/* bytes that are not mapped behind each place */
#define MAX_DELAY 256u
#define MAX_PLACES 8192u

/* The loader calls malloc() before AddressSanitizer is initialized. */
#define PLAIN __attribute__((no_sanitize("address", "undefined", "coverage")))

void *__interceptor_malloc(size_t size);
void *__interceptor_realloc(void *old, size_t size);
void __interceptor_free(void *p);
size_t __interceptor_malloc_usable_size(void *p);
size_t malloc_usable_size(void *p);

/* Places of one size. A block lies at the end of its place. */
struct places {
	size_t room;			/* bytes of a place, without its guard */
	uint32_t n, delay;		/* number; frees until a place is used again */
	char *start;			/* NULL: not made yet */
	uint32_t free[MAX_PLACES], n_free;
	uint32_t delayed[MAX_DELAY], n_delayed;	/* a ring; n_delayed counts all frees */
	uint32_t sizes[MAX_PLACES];
};

static struct places places[] = {
	{ .room = 64u << 10, .n = MAX_PLACES, .delay = MAX_DELAY },
	{ .room = 4u << 20, .n = 64, .delay = 16 },
};

#define N_SIZES (sizeof(places) / sizeof(places[0]))

static atomic_flag lock = ATOMIC_FLAG_INIT;

PLAIN static void take_lock(void)
{
	while (atomic_flag_test_and_set_explicit(&lock, memory_order_acquire))
		;
}

PLAIN static void release_lock(void)
{
	atomic_flag_clear_explicit(&lock, memory_order_release);
}

PLAIN static size_t step(const struct places *s)
{
	return s->room + GUARD;
}

/* Maps the places. Blocks are AddressSanitizer's until then, and if it fails. */
PLAIN __attribute__((constructor)) static void make_places(void)
{
	for (size_t i = 0; i < N_SIZES; i++) {
		struct places *s = &places[i];
		char *start = mmap(NULL, s->n * step(s), PROT_NONE,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

		if (start == MAP_FAILED)
			return;
		for (uint32_t k = 0; k < s->n; k++) {
			if (mprotect(start + k * step(s), s->room, PROT_READ | PROT_WRITE))
				return;
			s->free[s->n_free++] = k;
		}
		s->start = start;
	}
}

/* Returns the places that @p is in, or NULL. */
PLAIN static struct places *find(const void *p)
{
	for (size_t i = 0; i < N_SIZES; i++) {
		struct places *s = &places[i];

		if (s->start && (uintptr_t)p - (uintptr_t)s->start < s->n * step(s))
			return s;
	}
	return NULL;
}

PLAIN static uint32_t place_of(const struct places *s, const void *p)
{
	return ((uintptr_t)p - (uintptr_t)s->start) / step(s);
}

PLAIN static void *allocate(size_t size)
{
	struct places *s = &places[0];
	uint32_t place = 0;
	bool found;
	char *p;

	while (s < places + N_SIZES && size > s->room)
		s++;
	if (size < MIN_SIZE || s == places + N_SIZES || !s->start)
		return NULL;
	take_lock();
	found = s->n_free;
	if (found) {
		place = s->free[--s->n_free];
		s->sizes[place] = size;
	}
	release_lock();
	if (!found)
		return NULL;
	p = s->start + place * step(s) + s->room - ((size + 15) & ~15ull);
	__asan_unpoison_memory_region(p, size);
	memset(p, FENCED_FILL, size);
	__asan_poison_memory_region(p + size, -size & 15);
	return p;
}

PLAIN void *malloc(size_t size)
{
	void *p = allocate(size);

	return p ? p : __interceptor_malloc(size);
}

PLAIN void free(void *p)
{
	struct places *s = find(p);
	const uint32_t place = s ? place_of(s, p) : 0;
	uint32_t *at;

	if (!s) {
		__interceptor_free(p);
		return;
	}
	__asan_poison_memory_region(p, s->sizes[place]);
	take_lock();
	at = &s->delayed[s->n_delayed % s->delay];
	if (s->n_delayed >= s->delay)
		s->free[s->n_free++] = *at;
	*at = place;
	s->n_delayed++;
	release_lock();
}

PLAIN size_t malloc_usable_size(void *p)
{
	const struct places *s = find(p);

	return s ? s->sizes[place_of(s, p)] : __interceptor_malloc_usable_size(p);
}

PLAIN void *realloc(void *old, size_t size)
{
	size_t used;
	void *p;

	if (!old)
		return malloc(size);
	if (!find(old) && size < MIN_SIZE)
		return __interceptor_realloc(old, size);
	if (!size) {
		free(old);
		return NULL;
	}
	p = malloc(size);
	if (!p)
		return NULL;
	used = malloc_usable_size(old);
	memcpy(p, old, used < size ? used : size);
	free(old);
	return p;
}
