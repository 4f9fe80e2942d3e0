// SPDX-License-Identifier: MIT
/*
 * gl-compile MS [compiling]: on a renderer with --timeout MS, and a lavapipe that tells how long it compiled, a frame
 * whose shaders take longer than that to be compiled is drawn, and one that does not end is ended. So is one whose
 * shaders take longer than --compile-timeout as well, which is MS, too, if asked about compiling. Prints TAP.
 */
#include "gl-core.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workers.h"

#define GREEN 0x00ff00ff
#define FEWEST 8		/* shaders a frame, and */
#define MOST 512
#define TOO_MANY 64		/* the driver flushes after 16 */

static const EGLint robust[] = {
	EGL_CONTEXT_MAJOR_VERSION, 4, EGL_CONTEXT_MINOR_VERSION, 5,
	EGL_CONTEXT_OPENGL_ROBUST_ACCESS, EGL_TRUE,
	EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY, EGL_LOSE_CONTEXT_ON_RESET, EGL_NONE,
};

/* Green, and another one for each number. */
static GLuint make(int number)
{
	return core_slow_program(number, "colour = vec4(x * zero, 1.0, 0.0, 1.0);\n");
}

/* A frame that draws with so many new shaders: CPU time that the renderer takes. */
static int64_t frame(int first, int count)
{
	const int64_t before = workers_cpu_ns();
	GLuint programs[MOST];

	for (int i = 0; i < count; i++)
		programs[i] = make(first + i);
	glClear(GL_COLOR_BUFFER_BIT);
	for (int i = 0; i < count; i++) {
		glUseProgram(programs[i]);
		glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
	}
	glUseProgram(0);
	glFinish();
	for (int i = 0; i < count; i++)
		glDeleteProgram(programs[i]);
	return workers_cpu_ns() - before;
}

/* Frames of twice as many shaders as before, until one takes several times what it may. */
static void test_long_frame(int64_t limit_ns)
{
	int64_t took = 0;
	int first = 0, count;

	for (count = FEWEST; count <= MOST && took < 4 * limit_ns; count *= 2) {
		took = frame(first, count);
		first += count;
	}
	tap(took >= 4 * limit_ns, "a frame takes %.0f ms, where it may take %.0f", took / 1e6, limit_ns / 1e6);
	tap(glGetGraphicsResetStatus() == GL_NO_ERROR, "the context is there still");
	tap(gl_pixel_is(CORE_SIZE / 2, CORE_SIZE / 2, GREEN, 0), "and drew");
}

static void expect_reset(const char *what)
{
	const GLenum status = gl_wait_for_reset();

	tap(status == GL_GUILTY_CONTEXT_RESET, "%s is ended: reset status 0x%x", what, status);
}

static void test_endless_frame(void)
{
	static const char source[] =
		"#version 330\nuniform float zero; out vec4 colour;\n"
		"void main() { float x = 1.0; while (x > zero) x = x * 0.5 + 1.0; colour = vec4(x); }\n";

	glUseProgram(core_program(core_position, source, 0, NULL, 0));
	glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
	glFinish();
	expect_reset("a frame whose shader does not end");
}

static void test_compiling_frame(void)
{
	frame(0, TOO_MANY);
	expect_reset("a frame that takes too long to compile, too,");
}

int main(int argc, char **argv)
{
	const int64_t limit_ns = argc > 1 ? atoll(argv[1]) * 1000000 : 0;
	const bool compiling = argc == 3 && !strcmp(argv[2], "compiling");

	if (limit_ns <= 0 || (argc > 2 && !compiling)) {
		fprintf(stderr, "usage: gl-compile MS [compiling]\n");
		return 2;
	}
	core_open();
	core_use_new(robust);
	core_buffer(GL_ARRAY_BUFFER, sizeof(gl_corners), gl_corners);
	glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
	glEnableVertexAttribArray(0);
	if (compiling) {
		test_compiling_frame();
	} else {
		test_long_frame(limit_ns);
		tap(core_no_error(), "there is no error to tell");
		test_endless_frame();
	}
	gl_close();
	return tap_failures() != 0;
}
