// SPDX-License-Identifier: MIT
/*
 * A shader that a program makes again is not compiled again, if lavapipe has a cache of code.
 * Prints TAP.
 */
#include "gl-core.h"

#include "workers.h"

#define RED 0xff0000ff

/*
 * Returns a program that draws red. Each number has its own, with a loop, which drivers rewrite
 * when they compile it.
 */
static GLuint make(int number)
{
	return core_slow_program(number,
				 "for (int i = 0; i < turns; i++) if (x > 0.5) x = sin(x) * zero;\n"
				 "colour = vec4(1.0, x * zero, 0.0, 1.0);\n");
}

static bool draws_red(bool blended)
{
	if (blended)
		glEnable(GL_BLEND);
	glClear(GL_COLOR_BUFFER_BIT);
	glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
	glDisable(GL_BLEND);
	return gl_pixel_is(CORE_SIZE / 2, CORE_SIZE / 2, RED, 0);
}

/*
 * Returns the CPU time that the renderer takes to make the program and to draw with it in two
 * states, each of which needs code of its own.
 */
static int64_t cost(int number, bool *right)
{
	const int64_t before = workers_cpu_ns();
	const GLuint program = make(number);

	glUseProgram(program);
	*right &= draws_red(false) && draws_red(true);
	glUseProgram(0);
	glDeleteProgram(program);
	glFinish();
	return workers_cpu_ns() - before;
}

int main(void)
{
	int64_t first, again, other;
	bool right = true;

	core_open();
	glBlendFunc(GL_ONE, GL_ONE);
	core_buffer(GL_ARRAY_BUFFER, sizeof(gl_corners), gl_corners);
	glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
	glEnableVertexAttribArray(0);
	/* Makes the objects that only a first draw needs. */
	cost(1000, &right);
	first = cost(1, &right);
	again = cost(1, &right);
	other = cost(2, &right);
	tap(5 * again < first && 5 * again < other,
	    "a shader is compiled once: %.1f ms at first, %.1f again, %.1f another", first / 1e6,
	    again / 1e6, other / 1e6);
	tap(right, "and draws the same");
	tap(core_no_error(), "there is no error to tell");
	gl_close();
	return tap_failures() != 0;
}
