// SPDX-License-Identifier: MIT
/*
 * Writes of the program to buffers, in every way, while the device is idle, has commands that use
 * the buffer, or executes them: later reads see the new data, and the device's commands see the
 * data of the time when they were submitted. Prints TAP.
 */
#include "gl-core.h"

#include <err.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAGE 4096
/* Large, and not a power of two. */
#define UNROUND 1500000

/* For writes of a MiB and more, the driver flushes earlier commands. */
static const int sizes[] = { 4 << 20, 1 << 20, 64 << 10, 60, UNROUND };

enum busy { IDLE, TOLD, AT_IT, N_BUSY };

static const char *const busy_names[N_BUSY] = { "idle", "told to use it", "at it" };

/*
 * Ways to write, and whether a way may write a part only. Invalidated ranges are written as a
 * whole.
 */
static const struct way {
	const char *name;
	bool part;
	GLbitfield access;	/* 0: glBufferSubData() */
} ways[] = {
	{ "glBufferSubData()", true, 0 },
	{ "a map", true, GL_MAP_WRITE_BIT },
	{ "a map to read, too", true, GL_MAP_WRITE_BIT | GL_MAP_READ_BIT },
	{ "a map of what is thrown away", true, GL_MAP_WRITE_BIT | GL_MAP_INVALIDATE_RANGE_BIT },
	{ "a map of all, thrown away", false, GL_MAP_WRITE_BIT | GL_MAP_INVALIDATE_BUFFER_BIT },
	{ "a map that is flushed", true, GL_MAP_WRITE_BIT | GL_MAP_FLUSH_EXPLICIT_BIT },
	{ "a map of what is thrown away, flushed", true,
	  GL_MAP_WRITE_BIT | GL_MAP_INVALIDATE_RANGE_BIT | GL_MAP_FLUSH_EXPLICIT_BIT },
};

static void *allocate(size_t size)
{
	void *memory = malloc(size);

	if (!memory)
		err(1, "memory");
	return memory;
}

static void fill(uint8_t *bytes, int size, uint32_t seed)
{
	for (int i = 0; i < size; i++) {
		seed = seed * 1664525 + 1013904223;
		bytes[i] = seed >> 16;
	}
}

static void write_buffer(const struct way *way, int at, int size, const uint8_t *bytes)
{
	void *map;

	if (!way->access) {
		glBufferSubData(GL_COPY_READ_BUFFER, at, size, bytes);
		return;
	}
	map = glMapBufferRange(GL_COPY_READ_BUFFER, at, size, way->access);
	if (!map)
		errx(1, "a buffer cannot be mapped");
	memcpy(map, bytes, size);
	if (way->access & GL_MAP_FLUSH_EXPLICIT_BIT)
		glFlushMappedBufferRange(GL_COPY_READ_BUFFER, 0, size);
	glUnmapBuffer(GL_COPY_READ_BUFFER);
}

static bool has(GLenum target, int size, const uint8_t *bytes)
{
	uint8_t *seen = allocate(size);
	bool same = true;

	glGetBufferSubData(target, 0, size, seen);
	for (int i = 0; same && i < size; i++) {
		same = seen[i] == bytes[i];
		if (!same)
			printf("# byte %d: %#x instead of %#x\n", i, seen[i], bytes[i]);
	}
	free(seen);
	return same;
}

/*
 * Makes the device copy the buffer: with the next flush (TOLD), or at once, behind other work
 * (AT_IT).
 */
static void keep_busy(int size, enum busy busy)
{
	if (busy == IDLE)
		return;
	if (busy == AT_IT)
		core_take_time();
	glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, 0, 0, size);
	if (busy == AT_IT)
		glFlush();
}

static bool is_written(const struct way *way, int size, enum busy busy, bool part)
{
	const int at = part ? size / 4 : 0, length = part ? size / 2 : size;
	uint8_t *old = allocate(size), *new = allocate(size);
	GLuint buffers[2];
	bool ok;

	fill(old, size, 1);
	memcpy(new, old, size);
	fill(new + at, length, 2);
	buffers[0] = core_buffer(GL_COPY_READ_BUFFER, size, old);
	buffers[1] = core_buffer(GL_COPY_WRITE_BUFFER, size, old);
	glFinish();
	keep_busy(size, busy);
	write_buffer(way, at, length, new + at);
	ok = has(GL_COPY_READ_BUFFER, size, new) && has(GL_COPY_WRITE_BUFFER, size, old);
	if (!ok)
		printf("# %s of %d bytes\n", part ? "half" : "all", size);
	glDeleteBuffers(2, buffers);
	free(old);
	free(new);
	return ok;
}

static void test_way(const struct way *way)
{
	for (enum busy busy = 0; busy < N_BUSY; busy++) {
		bool ok = true;

		for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
			for (int part = 0; part <= way->part; part++)
				ok &= is_written(way, sizes[i], busy, part);
		tap(ok, "%s, the device %s: what is written is there, and what was there is copied",
		    way->name, busy_names[busy]);
	}
}

/*
 * A persistent map keeps its memory: the program writes one half while the device copies the other.
 */
static void test_kept(void)
{
	const GLbitfield access = GL_MAP_WRITE_BIT | GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT;
	const int size = UNROUND, half = size / 2;
	uint8_t *bytes = allocate(size), *map;
	GLuint buffers[2];

	fill(bytes, size, 3);
	glGenBuffers(1, buffers);
	glBindBuffer(GL_COPY_READ_BUFFER, buffers[0]);
	glBufferStorage(GL_COPY_READ_BUFFER, size, NULL, access | GL_DYNAMIC_STORAGE_BIT);
	buffers[1] = core_buffer(GL_COPY_WRITE_BUFFER, size, NULL);
	map = glMapBufferRange(GL_COPY_READ_BUFFER, 0, size, access);
	if (!map)
		errx(1, "a buffer cannot be mapped");
	tap((uintptr_t)map % PAGE == 0,
	    "a map that stays begins at a page, which a program may give to a virtual machine");
	memcpy(map, bytes, half);
	keep_busy(half, AT_IT);
	memcpy(map + half, bytes + half, half);
	glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, half, half, half);
	tap(has(GL_COPY_WRITE_BUFFER, size, bytes),
	    "a map that stays, the device at the other half");

	/* The map has to show what glBufferSubData() writes then. */
	keep_busy(size, AT_IT);
	fill(bytes, size, 4);
	glBufferSubData(GL_COPY_READ_BUFFER, 0, size, bytes);
	glFinish();
	tap(!memcmp(map, bytes, size),
	    "a map that stays has what glBufferSubData() writes while the device is at it");
	glUnmapBuffer(GL_COPY_READ_BUFFER);
	glDeleteBuffers(2, buffers);
	free(bytes);
}

/* Maps @size bytes, of which it writes and flushes the first 64. */
static void write_some(int at, int size, const uint8_t *bytes)
{
	const GLbitfield access = GL_MAP_WRITE_BIT | GL_MAP_INVALIDATE_RANGE_BIT |
				  GL_MAP_FLUSH_EXPLICIT_BIT;
	void *map = glMapBufferRange(GL_COPY_READ_BUFFER, at, size, access);

	if (!map)
		errx(1, "a buffer cannot be mapped");
	memcpy(map, bytes, 64);
	glFlushMappedBufferRange(GL_COPY_READ_BUFFER, 0, 64);
	glUnmapBuffer(GL_COPY_READ_BUFFER);
}

/* A program that writes faster than the device copies must not use up all memory. */
static void test_ahead(bool mapped)
{
	const int all = core_memory(TOTAL_AVAILABLE_MEMORY), piece = sizes[1] / 2 + 4096,
		  n = all / 4 * 3 / (piece >> 10);
	int before = core_memory(CURRENT_AVAILABLE_MEMORY), least = before, n_right = 0;
	uint8_t *bytes = allocate(piece);
	GLuint buffers[2];

	buffers[0] = core_buffer(GL_COPY_READ_BUFFER, sizes[0], NULL);
	buffers[1] = core_buffer(GL_COPY_WRITE_BUFFER, piece, NULL);
	fill(bytes, piece, 5);
	glFinish();
	core_take_time();
	for (int i = 0; i < n; i++) {
		int now;

		glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, i % 7 * piece, 0,
				    piece);
		bytes[0] = i;
		if (mapped)
			write_some(i % 7 * piece, piece, bytes);
		else
			glBufferSubData(GL_COPY_READ_BUFFER, i % 7 * piece, piece, bytes);
		now = core_memory(CURRENT_AVAILABLE_MEMORY);
		least = now < least ? now : least;
	}
	for (int i = n - 7; i < n; i++) {
		uint8_t seen;

		glGetBufferSubData(GL_COPY_READ_BUFFER, i % 7 * piece, 1, &seen);
		n_right += seen == (uint8_t)i;
	}
	tap(before - least < all / 2 && n_right == 7,
	    "of %d MiB, pieces of %d MiB that are %s have %d on their way, "
	    "and the last 7 of them are there: %d",
	    all >> 10, n * (piece >> 10) >> 10,
	    mapped ? "mapped, a few bytes of them flushed," : "written",
	    (before - least) >> 10, n_right);
	glDeleteBuffers(2, buffers);
	free(bytes);
}

/*
 * Clear values whose type differs from the buffer's format. Arrays of values have no more
 * components than the format needs.
 */
static void test_cleared(void)
{
	static const float floats[] = { 1, 0.5f, 0, 1 };
	static const uint32_t words[] = { 1, 2, 3, 4 };
	static const uint8_t bytes[] = { 255, 0, 255, 0 };
	static const struct {
		const char *name;
		GLenum internal, format, type;
		const void *value;
		uint8_t size, expected[16];
	} fills[] = {
		{ "RGBA8UI of words", GL_RGBA8UI, GL_RGBA_INTEGER, GL_UNSIGNED_INT, words, 4,
		  { 1, 2, 3, 4 } },
		{ "RGBA8 of floats", GL_RGBA8, GL_RGBA, GL_FLOAT, floats, 4, { 255, 128, 0, 255 } },
		{ "RGBA8 of BGRA", GL_RGBA8, GL_BGRA, GL_UNSIGNED_BYTE, "\1\2\3\4", 4,
		  { 3, 2, 1, 4 } },
		{ "R32F of a byte", GL_R32F, GL_RED, GL_UNSIGNED_BYTE, bytes, 4,
		  { 0, 0, 0x80, 0x3f } },
		{ "RGBA32F of bytes", GL_RGBA32F, GL_RGBA, GL_UNSIGNED_BYTE, bytes, 16,
		  { 0, 0, 0x80, 0x3f, 0, 0, 0, 0, 0, 0, 0x80, 0x3f } },
		{ "RGBA32UI of one word", GL_RGBA32UI, GL_RED_INTEGER, GL_UNSIGNED_INT, words, 16,
		  { 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1 } },
		{ "RGB32I of words", GL_RGB32I, GL_RGB_INTEGER, GL_UNSIGNED_INT, words, 12,
		  { 1, 0, 0, 0, 2, 0, 0, 0, 3 } },
		{ "nothing", GL_R16UI, GL_RED_INTEGER, GL_UNSIGNED_INT, NULL, 2, { 0 } },
	};
	uint8_t seen[192];
	GLuint buffer = core_buffer(GL_COPY_WRITE_BUFFER, sizeof(seen), NULL);

	for (size_t i = 0; i < sizeof(fills) / sizeof(*fills); i++) {
		bool ok = true;

		memset(seen, 0xa5, sizeof(seen));
		glBufferSubData(GL_COPY_WRITE_BUFFER, 0, sizeof(seen), seen);
		glClearBufferSubData(GL_COPY_WRITE_BUFFER, fills[i].internal, 48, 96,
				     fills[i].format, fills[i].type, fills[i].value);
		glGetBufferSubData(GL_COPY_WRITE_BUFFER, 0, sizeof(seen), seen);
		for (int k = 0; k < 192; k++)
			ok &= seen[k] ==
			      (k < 48 || k >= 144 ? 0xa5 : fills[i].expected[k % fills[i].size]);
		tap(ok, "a buffer is cleared to %s", fills[i].name);
	}
	glDeleteBuffers(1, &buffer);
}

int main(void)
{
	core_open();
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		test_way(&ways[i]);
	test_kept();
	test_cleared();
	test_ahead(false);
	test_ahead(true);
	tap(core_no_error(), "there is no error to tell");
	gl_close();
	return tap_failures() != 0;
}
