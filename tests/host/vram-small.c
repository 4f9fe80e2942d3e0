// SPDX-License-Identifier: MIT
/*
 * A draw uses two textures that are larger than VRAM together: its context is lost, and the driver
 * queues nothing else for it, also if the program is not told. A new context draws. Prints TAP;
 * guest-overcommit looks at stderr and dmesg.
 */
#include <math.h>
#include <stdio.h>

#include "gl.h"
#include "sundog.h"

#define SIZE 16			/* width and height of small textures */
#define RED 0xff0000ff
#define GREEN 0x00ff00ff

/* Draws with one texture to another, each of 60 % of VRAM. */
static void draw_too_much(void)
{
	const int side = (int)sqrt(sdrm_device_vram_size(gl.dev) * 0.6 / 4) / 64 * 64;
	const GLuint large = gl_texture_new(side, RED), target = gl_texture_new(side, RED);

	gl_draw_to(target, side, side);
	gl_draw(GL_TEXTURE_2D, large);
	glFlush();
	glDeleteTextures(2, (GLuint[]){ large, target });
}

int main(void)
{
	gl_open(EGL_OPENGL_API);
	gl_use(gl_robust_context_new());
	draw_too_much();
	tap(gl_wait_for_reset() == GL_GUILTY_CONTEXT_RESET_EXT,
	    "a draw that needs more than VRAM loses its context");

	gl_use(gl.context);
	draw_too_much();
	for (int i = 0; i < 4; i++) {
		gl_draw_to(gl_texture_new(SIZE, RED), SIZE, SIZE);
		gl_draw(GL_TEXTURE_2D, gl_texture_new(SIZE, GREEN));
		glFinish();
	}
	tap(glGetError() == GL_NO_ERROR, "a program that is not told goes on");

	gl_use(gl_robust_context_new());
	gl_draw_to(gl_texture_new(SIZE, RED), SIZE, SIZE);
	gl_draw(GL_TEXTURE_2D, gl_texture_new(SIZE, GREEN));
	tap(gl_pixel_is(3, 3, GREEN, 0) && gl.glGetGraphicsResetStatusEXT() == GL_NO_ERROR,
	    "and a new context draws");
	gl_close();
	return tap_failures() != 0;
}
