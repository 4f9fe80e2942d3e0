// SPDX-License-Identifier: MIT
/*
 * Reset notification (GL_KHR_robustness): the test kills the renderer's worker, which has the
 * contexts of this program, while one of them has work there. Prints TAP.
 */
#include "gl.h"
#include "patience.h"
#include "workers.h"

#include <stdio.h>
#include <stdlib.h>

#define SIZE 512
#define WHITE 0xffffffff
#define BLACK 0x000000ff

/* Makes a texture to draw, which it returns, and one to draw to. */
static GLuint begin(EGLContext context)
{
	gl_use(context);
	gl_draw_to(gl_texture_new(SIZE, BLACK), SIZE, SIZE);
	return gl_texture_new(1, WHITE);
}

/* Waits until the reset is reported as complete, as programs do. Returns false on a timeout. */
static bool is_over(void)
{
	const int64_t end = patience_end();

	while (gl.glGetGraphicsResetStatusEXT() != GL_NO_ERROR)
		if (!patience_pause(end))
			return false;
	return true;
}

int main(void)
{
	EGLContext idle, busy;
	GLuint white;

	if (!getenv("SUNDOG_RENDERD")) {
		printf("ok - # SKIP the renderer is out of reach\n");
		return 0;
	}
	gl_open(EGL_OPENGL_API);
	idle = gl_robust_context_new();
	busy = gl_robust_context_new();

	gl_draw(GL_TEXTURE_2D, begin(idle));
	glFinish();
	tap(gl.glGetGraphicsResetStatusEXT() == GL_NO_ERROR, "a context is not lost at first");
	white = begin(busy);
	tap(workers_stop_youngest(), "the worker stands still");
	gl_draw(GL_TEXTURE_2D, white);
	glFlush();
	tap(workers_kill() > 0, "and was killed");

	tap(gl_wait_for_reset() == GL_GUILTY_CONTEXT_RESET_EXT,
	    "the context that had work there is guilty");
	tap(is_over(), "and the reset is over");
	gl_use(idle);
	tap(gl_wait_for_reset() == GL_INNOCENT_CONTEXT_RESET_EXT,
	    "the one that had none is innocent, without a flush");
	tap(is_over(), "and its reset is over");

	gl_close();
	gl_open(EGL_OPENGL_API);
	gl_draw(GL_TEXTURE_2D, begin(gl_robust_context_new()));
	tap(gl_pixel_is(1, 1, WHITE, 0) && gl.glGetGraphicsResetStatusEXT() == GL_NO_ERROR,
	    "who begins anew draws again");
	gl_close();
	return tap_failures() != 0;
}
