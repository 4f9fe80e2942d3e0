// SPDX-License-Identifier: MIT
/*
 * Uses textures and buffers that are large compared to VRAM: two draws that fit alone but not
 * together, and writes to resources in use for which VRAM has no room for a copy. Prints TAP.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gl.h"
#include "sundog.h"

#define SIZE 16			/* width and height of the picture */
#define RED 0xff0000ff
#define GREEN 0x00ff00ff
#define BLUE 0x0000ffff

static uint64_t vram;

/* Returns the width of a square texture that takes @percent of VRAM. */
static int side_of(unsigned int percent)
{
	return (int)sqrt(vram / 100.0 * percent / 4) / 64 * 64;
}

static void test_two_draws(void)
{
	const GLuint one = gl_texture_new(side_of(42), RED),
		two = gl_texture_new(side_of(60), GREEN);
	bool ok = true;

	for (int i = 0; i < 3; i++) {
		gl_draw(GL_TEXTURE_2D, one);
		gl_draw(GL_TEXTURE_2D, two);
		ok &= gl_pixel_is(3, 3, GREEN, 0);
		gl_draw(GL_TEXTURE_2D, two);
		gl_draw(GL_TEXTURE_2D, one);
		ok &= gl_pixel_is(3, 3, RED, 0);
	}
	tap(ok, "draws with textures that are not in VRAM together");
	glDeleteTextures(2, (GLuint[]){ one, two });
}

/*
 * A pending clear, whether a draw waits for it or not, must not be part of the submission that has
 * no room for its target.
 */
static void test_clears(GLuint picture)
{
	const int side = side_of(60);
	const GLuint read = gl_texture_new(side_of(42), RED), drawn = gl_texture_new(side, RED);
	const GLuint small = gl_texture_new(4, GREEN);
	bool ok = true;

	for (int i = 0; i < 4; i++) {
		gl_draw_to(picture, SIZE, SIZE);
		gl_draw(GL_TEXTURE_2D, read);
		gl_draw_to(drawn, side, side);
		glClearColor(0, 0, 1, 1);
		glClear(GL_COLOR_BUFFER_BIT);
		if (i < 2) {
			glViewport(0, 0, side / 2, side);
			gl_draw(GL_TEXTURE_2D, small);
		}
		if (i % 2)
			gl_draw_to(picture, SIZE, SIZE);
		glFinish();
		gl_draw_to(drawn, side, side);
		ok &= gl_pixel_is(3, 3, i < 2 ? GREEN : BLUE, 0) &&
		      gl_pixel_is(side - 3, 3, BLUE, 0);
	}
	gl_draw_to(picture, SIZE, SIZE);
	tap(ok && gl_pixel_is(3, 3, RED, 0),
	    "a framebuffer is cleared that has no room beside what was drawn before");
	glDeleteTextures(3, (GLuint[]){ read, drawn, small });
}

static void fill(int side, uint32_t *texels, uint32_t value)
{
	for (int i = 0; i < side * side; i++)
		texels[i] = value;
	glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, side, side, GL_RGBA, GL_UNSIGNED_BYTE, texels);
}

/* A texture that has more levels than the written one keeps its memory. */
static void test_texture(void)
{
	const PFNGLTEXSTORAGE2DEXTPROC storage =
		(PFNGLTEXSTORAGE2DEXTPROC)eglGetProcAddress("glTexStorage2DEXT");
	const int side = side_of(50);
	uint32_t *texels = malloc((size_t)side * side * 4);
	GLuint texture;

	glGenTextures(1, &texture);
	glBindTexture(GL_TEXTURE_2D, texture);
	storage(GL_TEXTURE_2D, 5, GL_RGBA8_OES, side, side);
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
	fill(side, texels, 0xff0000ff);
	gl_draw(GL_TEXTURE_2D, texture);
	fill(side, texels, 0xff00ff00);
	tap(gl_pixel_is(3, 3, RED, 0), "a level is written that has no room beside its texture");
	gl_draw(GL_TEXTURE_2D, texture);
	tap(gl_pixel_is(3, 3, GREEN, 0), "and is seen");
	glDeleteTextures(1, &texture);
	free(texels);
}

static void test_buffer(void)
{
	const GLuint texture = gl_texture_new(4, GREEN);
	const size_t size = vram / 100 * 65, part = vram / 100 * 40;
	GLfloat *data = calloc(1, part);
	GLuint buffer;
	bool ok;

	memcpy(data, gl_corners, sizeof(gl_corners));
	glGenBuffers(1, &buffer);
	glBindBuffer(GL_ARRAY_BUFFER, buffer);
	glBufferData(GL_ARRAY_BUFFER, size, NULL, GL_STATIC_DRAW);
	glBufferSubData(GL_ARRAY_BUFFER, 0, part, data);
	gl_fill(0, 0, SIZE, SIZE, RED);
	gl_draw_buffer(GL_TEXTURE_2D, texture);
	ok = gl_pixel_is(3, 3, GREEN, 0);
	gl_draw_buffer(GL_TEXTURE_2D, texture);
	/* Scales the geometry by one half, so that it does not cover the edge of the picture. */
	for (int i = 0; i < 8; i++)
		data[i] /= 2;
	glBufferSubData(GL_ARRAY_BUFFER, 0, part, data);
	gl_fill(0, 0, SIZE, SIZE, RED);
	gl_draw_buffer(GL_TEXTURE_2D, texture);
	tap(ok && gl_pixel_is(SIZE / 2, SIZE / 2, GREEN, 0) && gl_pixel_is(0, 0, RED, 0),
	    "a part of a buffer is written that has no room beside it");
	glBindBuffer(GL_ARRAY_BUFFER, 0);
	glDeleteBuffers(1, &buffer);
	glDeleteTextures(1, &texture);
	free(data);
}

int main(void)
{
	GLuint picture;

	gl_open(EGL_OPENGL_ES_API);
	vram = sdrm_device_vram_size(gl.dev);
	printf("# %llu MiB of VRAM\n", (unsigned long long)vram >> 20);
	picture = gl_texture_new(SIZE, RED);
	gl_draw_to(picture, SIZE, SIZE);
	test_two_draws();
	test_clears(picture);
	test_texture();
	test_buffer();
	tap(glGetError() == GL_NO_ERROR, "there is no error to tell");
	gl_close();
	return tap_failures() != 0;
}
