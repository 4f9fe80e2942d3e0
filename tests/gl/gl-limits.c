// SPDX-License-Identifier: MIT
/*
 * Legal calls that exceed limits of the device: none of them may lose the context. Prints TAP.
 */
#include "gl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* From desktop OpenGL; the OpenGL ES headers lack it. */
#define GL_RGB32F_ARB 0x8815

#define SIZE 64
#define RED 0xff0000ff
#define GREEN 0x00ff00ff
#define WHITE 0xffffffff
#define BLACK 0x000000ff

static GLuint white;

/* Makes a new context current, for a test that may lose it. */
static void begin(void)
{
	gl_use(gl_context_new(EGL_NO_CONTEXT));
	white = gl_texture_new(1, WHITE);
	gl_draw_to(gl_texture_new(SIZE, BLACK), SIZE, SIZE);
}

/*
 * Uploads to a busy texture are staged. The size of a texel of three channels is no power of two.
 */
static void test_three_channels(void)
{
	enum { TEXELS = 8 };
	static const GLfloat green[3] = { 0, 1, 0 };
	static GLfloat red[TEXELS * TEXELS * 3];
	GLuint texture;
	bool ok = true;

	begin();
	for (int i = 0; i < TEXELS * TEXELS; i++)
		red[i * 3] = 1;
	glGenTextures(1, &texture);
	glBindTexture(GL_TEXTURE_2D, texture);
	glTexImage2D(GL_TEXTURE_2D, 0, GL_RGB32F_ARB, TEXELS, TEXELS, 0, GL_RGB, GL_FLOAT, red);
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
	for (int i = 0; i < TEXELS; i++) {
		gl_draw(GL_TEXTURE_2D, texture);
		glBindTexture(GL_TEXTURE_2D, texture);
		glTexSubImage2D(GL_TEXTURE_2D, 0, i, i, 1, 1, GL_RGB, GL_FLOAT, green);
	}
	gl_draw(GL_TEXTURE_2D, texture);
	for (int i = 0; i < TEXELS; i++)
		ok &= gl_pixel_is(i * SIZE / TEXELS, i * SIZE / TEXELS, GREEN, 0) &&
		      gl_pixel_is(i * SIZE / TEXELS, (TEXELS - 1 - i) * SIZE / TEXELS, RED, 0);
	tap(ok, "texels of twelve bytes go into a texture that is in use");
	glDeleteTextures(1, &texture);
}

/*
 * Draws with a viewport, and then over the left half of the frame. Returns true if only that half
 * is white.
 */
static bool draws_half(int x, int y, int width, int height)
{
	begin();
	glViewport(x, y, width, height);
	gl_draw(GL_TEXTURE_2D, white);
	glViewport(0, 0, SIZE / 2, SIZE);
	gl_draw(GL_TEXTURE_2D, white);
	return gl_pixel_is(0, 0, WHITE, 0) && gl_pixel_is(SIZE / 2 - 1, SIZE - 1, WHITE, 0) &&
	       gl_pixel_is(SIZE / 2, 0, BLACK, 0) && gl_pixel_is(SIZE - 1, SIZE - 1, BLACK, 0);
}

static void test_viewports(void)
{
	static const int places[][4] = {
		{ -70000, 0, 9, 9 }, { 70000, 0, 9, 9 }, { 0, -70000, 9, 9 }, { 0, 70000, 9, 9 },
		{ 0x7fffffff, 0x7fffffff, SIZE, SIZE },
		{ -0x7fffffff - 1, -0x7fffffff - 1, SIZE, SIZE },
		{ -70000, -70000, 16384, 16384 }, { 70000, 70000, 16384, 16384 },
	};

	for (unsigned i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		const int *p = places[i];

		tap(draws_half(p[0], p[1], p[2], p[3]),
		    "a viewport of %dx%d at %d, %d shows nothing", p[2], p[3], p[0], p[1]);
	}
	glViewport(-8000, -8000, 16000, 16000);
	gl_draw(GL_TEXTURE_2D, white);
	tap(gl_corners_are(SIZE, WHITE), "a viewport that is larger than the frame covers it");
}

/* Draws a quad whose corners are @stride bytes apart. */
static void test_stride(int stride, bool in_buffer)
{
	const size_t size = 3 * (size_t)stride + 2 * sizeof(GLfloat);
	uint8_t *corners = calloc(1, size);
	GLuint buffer = 0;

	begin();
	for (int i = 0; i < 4; i++)
		memcpy(corners + i * (size_t)stride, &gl_corners[i * 2], 2 * sizeof(GLfloat));
	if (in_buffer) {
		glGenBuffers(1, &buffer);
		glBindBuffer(GL_ARRAY_BUFFER, buffer);
		glBufferData(GL_ARRAY_BUFFER, size, corners, GL_STATIC_DRAW);
	}
	gl_draw_strided(white, stride, in_buffer ? NULL : corners);
	tap(gl_corners_are(SIZE, WHITE), "vertices are %d bytes apart in %s", stride,
	    in_buffer ? "a buffer" : "the program's memory");
	glBindBuffer(GL_ARRAY_BUFFER, 0);
	if (buffer)
		glDeleteBuffers(1, &buffer);
	free(corners);
}

int main(void)
{
	static const int strides[] = { 2048, 2052, 4096, 65532, 65536, 70000, 1 << 20 };

	/*
	 * OpenGL 4.4 and later refuse strides above a limit; programs for older versions may use
	 * them.
	 */
	setenv("MESA_GL_VERSION_OVERRIDE", "3.3COMPAT", 1);
	gl_open(EGL_OPENGL_API);
	test_three_channels();
	test_viewports();
	for (unsigned i = 0; i < sizeof(strides) / sizeof(strides[0]); i++) {
		test_stride(strides[i], true);
		test_stride(strides[i], false);
	}
	tap(glGetError() == GL_NO_ERROR, "there is no error to tell");
	gl_close();
	return tap_failures() != 0;
}
