// SPDX-License-Identifier: MIT
/*
 * Operations that programs repeat, whose packets to the device gl-packets.sh counts. usage:
 * gl-packets THING TIMES. Fails if the pixels are wrong.
 */
#include "gl.h"

#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* From desktop OpenGL; the OpenGL ES headers lack these. */
#define GL_COPY_READ_BUFFER 0x8f36
#define GL_COPY_WRITE_BUFFER 0x8f37
#define GL_SAMPLES_PASSED 0x8914
#define GL_QUERY_WAIT 0x8e13
#define GL_QUERY_BUFFER 0x9192

#define SIZE 64
#define WHITE 0xffffffff
#define BLACK 0x000000ff

static GLuint frame, white;

/* A buffer of @size bytes that begins with the corners. */
static GLuint buffer_new(GLenum target, size_t size)
{
	uint8_t *data = calloc(1, size);
	GLuint buffer;

	memcpy(data, gl_corners, sizeof(gl_corners));
	glGenBuffers(1, &buffer);
	glBindBuffer(target, buffer);
	glBufferData(target, size, data, GL_STATIC_DRAW);
	free(data);
	return buffer;
}

/* Draws from a buffer, changes a small part of it while it is in use, and draws again. */
static bool update(int times)
{
	const size_t sizes[] = { 512 << 10, 4 << 20 };
	bool ok = true;

	for (int i = 0; i < 2; i++) {
		GLuint buffer = buffer_new(GL_ARRAY_BUFFER, sizes[i]);

		gl_fill(0, 0, SIZE, SIZE, BLACK);
		for (int j = 0; j < times; j++) {
			/* One column of the frame after the other. */
			const GLfloat left = j * 2.0f / times - 1,
				      right = (j + 1) * 2.0f / times - 1;
			const GLfloat corners[8] = { left, -1, right, -1, left, 1, right, 1 };

			glBufferSubData(GL_ARRAY_BUFFER, 0, sizeof(corners), corners);
			gl_draw_buffer(GL_TEXTURE_2D, white);
		}
		for (int x = 0; x < SIZE; x++)
			ok &= gl_pixel_is(x, SIZE / 2, WHITE, 0);
		glDeleteBuffers(1, &buffer);
	}
	glBindBuffer(GL_ARRAY_BUFFER, 0);
	return ok;
}

/* The device fills a buffer, which then provides vertices and indices. */
static bool copy(int times)
{
	static const GLushort indices[4] = { 0, 1, 2, 3 };
	PFNGLCOPYBUFFERSUBDATANVPROC copy_buffer =
		(PFNGLCOPYBUFFERSUBDATANVPROC)eglGetProcAddress("glCopyBufferSubData");
	GLuint from = buffer_new(GL_COPY_READ_BUFFER, 4096), to[2];

	glBufferSubData(GL_COPY_READ_BUFFER, 2048, sizeof(indices), indices);
	for (int i = 0; i < 2; i++)
		to[i] = buffer_new(GL_COPY_WRITE_BUFFER, 4096);
	gl_fill(0, 0, SIZE, SIZE, BLACK);
	glFinish();
	while (times--) {
		for (int i = 0; i < 2; i++) {
			glBindBuffer(GL_COPY_WRITE_BUFFER, to[i]);
			copy_buffer(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, 0, 0, 4096);
		}
		glBindBuffer(GL_ARRAY_BUFFER, to[0]);
		glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, to[1]);
		gl_draw_elements(white, 2048);
	}
	glDeleteBuffers(2, to);
	glDeleteBuffers(1, &from);
	return gl_pixel_is(1, 1, WHITE, 0) && gl_pixel_is(SIZE - 2, SIZE - 2, WHITE, 0);
}

static PFNGLGENQUERIESEXTPROC gen;
static PFNGLBEGINQUERYEXTPROC begin;
static PFNGLENDQUERYEXTPROC end;
static PFNGLGETQUERYOBJECTUIVEXTPROC get;

static void find_queries(void)
{
	gen = (PFNGLGENQUERIESEXTPROC)eglGetProcAddress("glGenQueries");
	begin = (PFNGLBEGINQUERYEXTPROC)eglGetProcAddress("glBeginQuery");
	end = (PFNGLENDQUERYEXTPROC)eglGetProcAddress("glEndQuery");
	get = (PFNGLGETQUERYOBJECTUIVEXTPROC)eglGetProcAddress("glGetQueryObjectuiv");
}

/* Begin and end queries. */
static bool query(int times)
{
	GLuint *queries = calloc(times, sizeof(*queries)), samples = 0;
	bool ok = true;

	gen(times, queries);
	for (int i = 0; i < times; i++) {
		begin(GL_SAMPLES_PASSED, queries[i]);
		for (int j = 0; j < i % 3; j++)
			gl_draw(GL_TEXTURE_2D, white);
		end(GL_SAMPLES_PASSED);
	}
	for (int i = 0; i < times; i++) {
		get(queries[i], GL_QUERY_RESULT_EXT, &samples);
		ok &= samples == (GLuint)(i % 3 * SIZE * SIZE);
	}
	free(queries);
	return ok;
}

/* Draws depend on a query that has just ended: one column each, if samples passed. */
static bool condition(int times)
{
	void (*begin_condition)(GLuint, GLenum) = (void (*)(GLuint, GLenum))eglGetProcAddress(
		"glBeginConditionalRender");
	void (*end_condition)(void) = (void (*)(void))eglGetProcAddress("glEndConditionalRender");
	GLuint black = gl_texture_new(1, BLACK), *queries = calloc(times, sizeof(*queries));
	bool ok = true;

	gen(times, queries);
	gl_fill(0, 0, SIZE, SIZE, BLACK);
	glEnable(GL_SCISSOR_TEST);
	for (int i = 0; i < times; i++) {
		glScissor(i, 0, 1, SIZE);
		begin(GL_SAMPLES_PASSED, queries[i]);
		if (i % 2)
			gl_draw(GL_TEXTURE_2D, black);
		end(GL_SAMPLES_PASSED);
		begin_condition(queries[i], GL_QUERY_WAIT);
		gl_draw(GL_TEXTURE_2D, white);
		end_condition();
	}
	glDisable(GL_SCISSOR_TEST);
	for (int i = 0; i < times; i++)
		ok &= gl_pixel_is(i, SIZE / 2, i % 2 ? WHITE : BLACK, 0);
	free(queries);
	return ok;
}

/* Query results go to a buffer. */
static bool result(int times)
{
	void (*read)(GLenum, GLintptr, GLsizeiptr,
		     void *) = (void (*)(GLenum, GLintptr, GLsizeiptr,
					 void *))eglGetProcAddress("glGetBufferSubData");
	GLuint query, words[256] = { 0 }, buffer = buffer_new(GL_QUERY_BUFFER, sizeof(words));
	bool ok = true;

	gen(1, &query);
	for (int i = 0; i < times; i++) {
		begin(GL_SAMPLES_PASSED, query);
		for (int j = 0; j < i % 3; j++)
			gl_draw(GL_TEXTURE_2D, white);
		end(GL_SAMPLES_PASSED);
		get(query, GL_QUERY_RESULT_EXT, (GLuint *)(uintptr_t)(4 * i));
	}
	read(GL_QUERY_BUFFER, 0, sizeof(words), words);
	glBindBuffer(GL_QUERY_BUFFER, 0);
	glDeleteBuffers(1, &buffer);
	for (int i = 0; i < times; i++)
		ok &= words[i] == (GLuint)(i % 3 * SIZE * SIZE);
	return ok;
}

/* Generates the mipmap of a texture. */
static bool mipmap(int times)
{
	GLuint texture = gl_texture_new(SIZE, WHITE);

	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_NEAREST);
	while (times--) {
		glBindTexture(GL_TEXTURE_2D, texture);
		glGenerateMipmap(GL_TEXTURE_2D);
	}
	glViewport(0, 0, SIZE / 8, SIZE / 8);
	gl_draw(GL_TEXTURE_2D, texture);
	glViewport(0, 0, SIZE, SIZE);
	return gl_pixel_is(1, 1, WHITE, 0);
}

/* Draws to one texture and to another, in turns. */
static bool attach(int times)
{
	GLuint other = gl_texture_new(SIZE, BLACK);

	while (times--) {
		gl_draw_to(other, SIZE, SIZE);
		gl_draw(GL_TEXTURE_2D, white);
		gl_draw_to(frame, SIZE, SIZE);
		gl_draw(GL_TEXTURE_2D, other);
	}
	return gl_pixel_is(1, 1, WHITE, 0);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		bool (*run)(int times);
	} things[] = {
		{ "update", update }, { "copy", copy }, { "query", query },
		{ "condition", condition },
		{ "result", result }, { "mipmap", mipmap },
		{ "attach", attach },
	};

	if (argc != 3)
		errx(1, "usage: gl-packets THING TIMES");
	gl_open(EGL_OPENGL_API);
	find_queries();
	frame = gl_texture_new(SIZE, BLACK);
	white = gl_texture_new(1, WHITE);
	gl_draw_to(frame, SIZE, SIZE);
	for (unsigned i = 0; i < sizeof(things) / sizeof(things[0]); i++) {
		if (strcmp(things[i].name, argv[1]))
			continue;
		tap(things[i].run(atoi(argv[2])), "%s %s times", argv[1], argv[2]);
		gl_close();
		return tap_failures() != 0;
	}
	errx(1, "no thing is called %s", argv[1]);
}
