// SPDX-License-Identifier: MIT
/*
 * Tests that only the guilty one of a program's contexts reports GL_GUILTY_CONTEXT_RESET
 * (GL_KHR_robustness) after their worker ended. One context draws without end, and draws of the
 * others wait behind it; these can be used again, however often that happens. The test sends the
 * worker a signal, as if it had crashed in that draw. With the argument "hang" it waits for the
 * renderer's timeout instead, which should be short. Prints TAP.
 */
#include "gl-core.h"
#include "workers.h"

#include <string.h>

#define CRASHES 4	/* more crashes than a context may cause in a row */
#define HANGS 2		/* more timeouts than a context may cause in a row */
#define RED 0xff0000ff
#define GREEN 0x00ff00ff
#define BLUE 0x0000ffff

static const char endless_source[] =
	"#version 330\n"
	"uniform float step;\n"
	"out vec4 result;\n"
	"void main() {\n"
	"	float sum = 0.0;\n"
	"	while (sum < 1.0)\n"
	"		sum += step;\n"
	"	result = vec4(sum);\n"
	"}\n";

static void draw_behind_that(EGLContext context)
{
	gl_use(context);
	gl_fill(0, 0, CORE_SIZE, CORE_SIZE, RED);
	glFlush();
}

/*
 * Returns a robust context that has already executed each command that comes later, so that nothing
 * needs to be compiled when it does so again.
 */
static EGLContext robust_context(void)
{
	const EGLContext context = gl_robust_context_new();

	gl_use(context);
	gl_draw_to(gl_texture_new(CORE_SIZE, 0), CORE_SIZE, CORE_SIZE);
	core_cover();
	glUseProgram(core_stages(core_position, NULL, endless_source));
	glUniform1f(0, 1.0f);
	glDrawArrays(GL_TRIANGLES, 0, 3);
	draw_behind_that(context);
	glFinish();
	return context;
}

static void draw_for_ever(EGLContext context)
{
	gl_use(context);
	glUniform1f(0, 0.0f);
	glDrawArrays(GL_TRIANGLES, 0, 3);
	glFlush();
}

static GLenum status_of(EGLContext context)
{
	gl_use(context);
	return gl_wait_for_reset();
}

/* Returns true if @context, whose work waited and which is not notified of resets, still draws. */
static bool draws_on(EGLContext context, uint32_t color)
{
	gl_use(context);
	gl_fill(0, 0, CORE_SIZE, CORE_SIZE, color);
	return gl_pixel_is(1, 1, color, 0);
}

int main(int argc, char **argv)
{
	const bool hang = argc > 1 && !strcmp(argv[1], "hang");
	const int times = hang ? HANGS : CRASHES;
	int guilty = 0, innocent = 0, drawn = 0;

	core_open();
	draw_behind_that(gl.context);
	glFinish();
	for (int i = 0; i < times; i++) {
		const EGLContext endless = robust_context(), behind = robust_context();

		draw_for_ever(endless);
		draw_behind_that(behind);
		draw_behind_that(gl.context);
		if (!hang)
			workers_crash_youngest();
		guilty += status_of(endless) == GL_GUILTY_CONTEXT_RESET;
		innocent += status_of(behind) == GL_INNOCENT_CONTEXT_RESET;
		drawn += draws_on(gl.context, i % 2 ? GREEN : BLUE);
		eglDestroyContext(gl.display, endless);
		eglDestroyContext(gl.display, behind);
	}
	tap(guilty == times, "the one whose work ended its worker is guilty (%d of %d times)",
	    guilty, times);
	tap(innocent == times, "the one whose work waited behind that is innocent (%d of %d times)",
	    innocent, times);
	tap(drawn == times, "and is not lost for good (%d of %d times)", drawn, times);
	gl_close();
	return tap_failures() != 0;
}
