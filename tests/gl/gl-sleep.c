// SPDX-License-Identifier: MIT
/*
 * Draws the same picture again and again until it is killed, from a texture that was uploaded once
 * and from one that was drawn once, and prints a checksum of each. Adds a word to the line if GL's
 * clock differs from that of its queries. Started by tests/guest/guest-sleep.
 */
#include "gl.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define SIZE 256

static GLuint noise_new(void)
{
	static uint32_t pixels[SIZE * SIZE];
	GLuint texture = gl_texture_new(SIZE, 0);
	uint32_t seed = 1;

	for (int i = 0; i < SIZE * SIZE; i++)
		pixels[i] = seed = seed * 1664525 + 1013904223;
	glBindTexture(GL_TEXTURE_2D, texture);
	glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
	return texture;
}

static uint32_t checksum(void)
{
	static uint32_t pixels[SIZE * SIZE];
	uint32_t sum = 0;

	glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
	for (int i = 0; i < SIZE * SIZE; i++)
		sum = sum * 31 + pixels[i];
	return sum;
}

/*
 * The device's clock runs on while the CPU sleeps, and the CPU may count that time in whole
 * seconds: hence the tolerance.
 */
static bool clocks_agree(void)
{
	const int64_t tolerance = 2000000000;
	const PFNGLGETINTEGER64VEXTPROC now = (PFNGLGETINTEGER64VEXTPROC)eglGetProcAddress(
		"glGetInteger64vEXT");
	const PFNGLQUERYCOUNTEREXTPROC count = (PFNGLQUERYCOUNTEREXTPROC)eglGetProcAddress(
		"glQueryCounterEXT");
	const PFNGLGETQUERYOBJECTUI64VEXTPROC get =
		(PFNGLGETQUERYOBJECTUI64VEXTPROC)eglGetProcAddress("glGetQueryObjectui64vEXT");
	const PFNGLGENQUERIESEXTPROC new = (PFNGLGENQUERIESEXTPROC)eglGetProcAddress(
		"glGenQueriesEXT");
	GLint64 before = 0, after = 0;
	GLuint64 stamp = 0;
	static GLuint query;

	if (!query)
		new(1, &query);
	now(GL_TIMESTAMP_EXT, &before);
	count(query, GL_TIMESTAMP_EXT);
	get(query, GL_QUERY_RESULT_EXT, &stamp);
	now(GL_TIMESTAMP_EXT, &after);
	return (int64_t)stamp > before - tolerance && (int64_t)stamp < after + tolerance;
}

int main(void)
{
	GLuint noise, drawn, target;

	setvbuf(stdout, NULL, _IOLBF, 0);
	gl_open(EGL_OPENGL_ES_API);
	noise = noise_new();
	drawn = gl_texture_new(SIZE, 0xff);
	gl_draw_to(drawn, SIZE, SIZE);
	gl_draw(GL_TEXTURE_2D, noise);
	gl_fill(10, 20, 30, 40, 0xc08040ff);
	target = gl_texture_new(SIZE, 0);
	gl_draw_to(target, SIZE, SIZE);
	for (;;) {
		gl_draw(GL_TEXTURE_2D, noise);
		glViewport(SIZE / 2, 0, SIZE / 2, SIZE);
		gl_draw(GL_TEXTURE_2D, drawn);
		glViewport(0, 0, SIZE, SIZE);
		printf("%08x%s\n", checksum(), clocks_agree() ? "" : " at two times");
		usleep(20000);
	}
}
