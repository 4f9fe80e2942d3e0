// SPDX-License-Identifier: MIT
/*
 * gl-compile MS: compilations do not count as execution time. MS is the renderer's --timeout plus
 * its --compile-timeout, each half of it. The test draws a frame whose shaders together take
 * several times as long to compile, each of them less than MS, and executes such dispatches in one
 * submission; a frame whose shader does not end has to be ended. Bounded waits of a program do not
 * wait for compilations. Prints TAP.
 *
 * gl-compile cost: prints "cost MS", what the renderer takes for one of these shaders. So the
 * caller finds limits for a machine of any speed.
 */
#include "gl-core.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workers.h"

#define GREEN 0x00ff00ff
#define FEWEST 8		/* least shaders of a frame */
#define MOST 512
#define GROUPS 32		/* work groups of 64 invocations in a dispatch */

static const EGLint robust[] = {
	EGL_CONTEXT_MAJOR_VERSION, 4, EGL_CONTEXT_MINOR_VERSION, 5,
	EGL_CONTEXT_OPENGL_ROBUST_ACCESS, EGL_TRUE,
	EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY, EGL_LOSE_CONTEXT_ON_RESET, EGL_NONE,
};

/* Returns a program that draws green; each number has its own program. */
static GLuint make(int number)
{
	return core_slow_program(number, "colour = vec4(x * zero, 1.0, 0.0, 1.0);\n");
}

/*
 * Draws a frame with @count new shaders. Returns the CPU time that the renderer takes for it, in
 * ns.
 */
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

/*
 * Draws frames, each with twice as many shaders as the one before, until one takes twice the limit.
 */
static void test_long_frame(int64_t limit_ns)
{
	int64_t took = 0;
	int first = 0, count;

	for (count = FEWEST; count <= MOST && took < 2 * limit_ns; count *= 2) {
		took = frame(first, count);
		first += count;
	}
	tap(took >= 2 * limit_ns, "a frame takes %.0f ms, where it may take %.0f", took / 1e6,
	    limit_ns / 1e6);
	tap(glGetGraphicsResetStatus() == GL_NO_ERROR, "the context is there still");
	tap(gl_pixel_is(CORE_SIZE / 2, CORE_SIZE / 2, GREEN, 0), "and drew");
}

/*
 * A wait of 1 ns behind a draw with a new shader ends when the draw is done, not while the host
 * compiles.
 */
static void test_bounded_wait(void)
{
	const GLuint program = make(MOST * 2);
	GLenum status;
	GLsync sync;

	glUseProgram(program);
	glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
	sync = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
	status = glClientWaitSync(sync, GL_SYNC_FLUSH_COMMANDS_BIT, 1);
	tap(status == GL_CONDITION_SATISFIED || status == GL_ALREADY_SIGNALED,
	    "a bounded wait behind a draw with a new shader does not end before the draw: 0x%x",
	    status);
	glDeleteSync(sync);
	glUseProgram(0);
	glDeleteProgram(program);
}

/*
 * Submits @count dispatches with @turns loop turns each at once. Returns the CPU time that the
 * renderer takes, in ns.
 */
static int64_t dispatches(GLint turns_at, int turns, int count)
{
	const int64_t before = workers_cpu_ns();

	glUniform1i(turns_at, turns);
	for (int i = 0; i < count; i++)
		glDispatchCompute(GROUPS, 1, 1);
	glFinish();
	return workers_cpu_ns() - before;
}

/*
 * One submission of dispatches, each of which takes a part of the limit; together they take several
 * times the limit.
 */
static void test_long_dispatches(int64_t limit_ns)
{
	static const char source[] =
		"#version 430\n"
		"layout(local_size_x = 64) in; layout(std430, binding = 0) buffer B { "
		"float o[]; };\n"
		"uniform int turns; void main() { float x = 0.0; for (int i = 0; i < turns; "
		"i++) x = x * 0.5 + 1.0;\n"
		"o[gl_GlobalInvocationID.x] = x; }\n";
	const GLuint buffer = core_buffer(GL_SHADER_STORAGE_BUFFER, GROUPS * 64 * sizeof(float),
					  NULL);
	const GLuint program = core_compute(source);
	const GLint turns_at = glGetUniformLocation(program, "turns");
	const GLsizeiptr last_at = (GROUPS * 64 - 1) * sizeof(float);
	int64_t took = 0;
	GLfloat last = 0;
	int turns = 1000;

	glUseProgram(program);
	glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, buffer);
	dispatches(turns_at, turns, 1);
	while (took < limit_ns / 10 && turns < INT_MAX / 2) {
		turns *= 2;
		took = dispatches(turns_at, turns, 1);
	}
	took = dispatches(turns_at, turns, 30);
	tap(took >= 2 * limit_ns,
	    "dispatches take %.0f ms, where a submission without progress may take %.0f",
	    took / 1e6, limit_ns / 1e6);
	tap(glGetGraphicsResetStatus() == GL_NO_ERROR, "the context of the dispatches is not lost");
	glGetBufferSubData(GL_SHADER_STORAGE_BUFFER, last_at, sizeof(last), &last);
	tap(last == 2.0f, "the dispatches wrote 2, the limit of their series: %g", last);
	glUseProgram(0);
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
		"void main() { float x = 1.0; while (x > zero) x = x * 0.5 + 1.0; "
		"colour = vec4(x); }\n";

	glUseProgram(core_program(core_position, source, 0, NULL, 0));
	glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
	glFinish();
	expect_reset("a frame whose shader does not end");
}

/* The dearest of a few frames with one new shader each. */
static int print_cost(void)
{
	int64_t cost = 0;

	for (int i = 0; i < 4; i++) {
		const int64_t took = frame(i, 1);

		if (took > cost)
			cost = took;
	}
	printf("cost %lld\n", (long long)cost / 1000000 + 1);
	return gl_pixel_is(CORE_SIZE / 2, CORE_SIZE / 2, GREEN, 0) ? 0 : 1;
}

int main(int argc, char **argv)
{
	const bool cost = argc == 2 && !strcmp(argv[1], "cost");
	const int64_t limit_ns = argc > 1 ? atoll(argv[1]) * 1000000 : 0;

	if (argc != 2 || (limit_ns <= 0 && !cost)) {
		fprintf(stderr, "usage: gl-compile MS|cost\n");
		return 2;
	}
	core_open();
	core_use_new(robust);
	core_buffer(GL_ARRAY_BUFFER, sizeof(gl_corners), gl_corners);
	glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
	glEnableVertexAttribArray(0);
	if (cost)
		return print_cost();
	test_bounded_wait();
	test_long_frame(limit_ns);
	test_long_dispatches(limit_ns);
	tap(core_no_error(), "there is no GL error");
	test_endless_frame();
	gl_close();
	return tap_failures() != 0;
}
