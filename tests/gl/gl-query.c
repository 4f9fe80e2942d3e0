// SPDX-License-Identifier: MIT
/* Queries and conditional rendering of OpenGL 3.3. Prints TAP. */
#include "gl-core.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define ALL (CORE_SIZE * CORE_SIZE)
#define BLACK 0x000000ff
#define WHITE 0xffffffff
#define QUERY_WAIT_INVERTED 0x8e17	/* GL_ARB_conditional_render_inverted */

static const char vertex_source[] =
	"#version 330\n"
	"in vec2 vertex;\n"
	"void main() { gl_Position = vec4(vertex, 0.0, 1.0); }\n";

static const char fragment_source[] =
	"#version 330\n"
	"uniform vec4 color;\n"
	"out vec4 result;\n"
	"void main() { result = color; }\n";

/* The quad, and its left half. */
static const GLfloat corners[] = { -1, -1, 1, -1, -1, 1, 1, 1, -1, -1, 0, -1, -1, 1, 0, 1 };

static GLuint program;

static void use_color(uint32_t color)
{
	glUniform4f(glGetUniformLocation(program, "color"), (color >> 24) / 255.0f,
		    (color >> 16 & 255) / 255.0f, (color >> 8 & 255) / 255.0f,
		    (color & 255) / 255.0f);
}

static void draw_all(void)
{
	glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

static void draw_half(void)
{
	glDrawArrays(GL_TRIANGLE_STRIP, 4, 4);
}

static GLuint query_new(void)
{
	GLuint query;

	glGenQueries(1, &query);
	return query;
}

static uint64_t result(GLuint query)
{
	GLuint64 value = UINT64_MAX;

	glGetQueryObjectui64v(query, GL_QUERY_RESULT, &value);
	return value;
}

static bool is(const char *what, uint64_t value, uint64_t expected)
{
	if (value != expected)
		printf("# %s: %llu instead of %llu\n", what, (unsigned long long)value,
		       (unsigned long long)expected);
	return value == expected;
}

static void clear(uint32_t color)
{
	gl_fill(0, 0, CORE_SIZE, CORE_SIZE, color);
}

static void test_samples(void)
{
	GLuint query = query_new();
	bool ok;

	glBeginQuery(GL_SAMPLES_PASSED, query);
	draw_all();
	glFinish();
	draw_half();
	clear(BLACK);
	draw_half();
	glEndQuery(GL_SAMPLES_PASSED);
	draw_all();
	ok = is("samples", result(query), 2 * ALL);
	tap(ok, "samples are counted over two submissions");

	glBeginQuery(GL_SAMPLES_PASSED, query);
	draw_half();
	glEndQuery(GL_SAMPLES_PASSED);
	tap(is("samples", result(query), ALL / 2), "a query that is used again begins at 0");

	glBeginQuery(GL_SAMPLES_PASSED, query);
	glEndQuery(GL_SAMPLES_PASSED);
	tap(is("samples", result(query), 0), "a query of nothing is 0");
	glDeleteQueries(1, &query);
}

static void test_any(void)
{
	GLuint query = query_new();

	glBeginQuery(GL_ANY_SAMPLES_PASSED, query);
	draw_half();
	draw_all();
	glEndQuery(GL_ANY_SAMPLES_PASSED);
	tap(is("any", result(query), 1), "samples that passed are 1, not how many");

	glEnable(GL_SCISSOR_TEST);
	glScissor(0, 0, 0, 0);
	glBeginQuery(GL_ANY_SAMPLES_PASSED, query);
	draw_all();
	glEndQuery(GL_ANY_SAMPLES_PASSED);
	glDisable(GL_SCISSOR_TEST);
	tap(is("any", result(query), 0), "none that passed are 0");
	glDeleteQueries(1, &query);
}

/* More queries than fit in a submission; their results are read late. */
static void test_many(void)
{
	GLuint queries[300];
	bool ok = true;

	glGenQueries(300, queries);
	for (int i = 0; i < 300; i++) {
		glBeginQuery(GL_SAMPLES_PASSED, queries[i]);
		for (int j = 0; j < i % 4; j++)
			draw_half();
		glEndQuery(GL_SAMPLES_PASSED);
	}
	for (int i = 0; i < 300; i++)
		ok &= is("samples", result(queries[i]), i % 4 * ALL / 2);
	tap(ok, "300 queries have a result each");
	glDeleteQueries(300, queries);
}

static uint64_t primitives(GLenum mode, int count, int instances)
{
	GLuint query = query_new();
	uint64_t value;

	glBeginQuery(GL_PRIMITIVES_GENERATED, query);
	glDrawArraysInstanced(mode, 0, count, instances);
	glEndQuery(GL_PRIMITIVES_GENERATED);
	value = result(query);
	glDeleteQueries(1, &query);
	return value;
}

static void test_primitives(const char *how)
{
	tap(is("points", primitives(GL_POINTS, 7, 1), 7), "points are counted%s", how);
	tap(is("lines", primitives(GL_LINES, 7, 2), 6), "and lines of two instances");
	tap(is("strip", primitives(GL_LINE_STRIP, 7, 1), 6), "and line strips");
	tap(is("loop", primitives(GL_LINE_LOOP, 7, 1), 7), "and line loops");
	tap(is("triangles", primitives(GL_TRIANGLES, 8, 1), 2), "and triangles");
	tap(is("strip", primitives(GL_TRIANGLE_STRIP, 8, 3), 18),
	    "and triangle strips of three instances");
	tap(is("fan", primitives(GL_TRIANGLE_FAN, 8, 1), 6), "and triangle fans");
}

/* A query of each target; they begin and end at different times. */
static void test_at_once(void)
{
	GLuint samples = query_new(), generated = query_new(), written = query_new(),
	       elapsed = query_new();
	bool ok;

	glBeginQuery(GL_SAMPLES_PASSED, samples);
	draw_all();
	glBeginQuery(GL_PRIMITIVES_GENERATED, generated);
	draw_all();
	glBeginQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN, written);
	glBeginQuery(GL_TIME_ELAPSED, elapsed);
	draw_half();
	glEndQuery(GL_SAMPLES_PASSED);
	draw_all();
	glEndQuery(GL_TIME_ELAPSED);
	glEndQuery(GL_PRIMITIVES_GENERATED);
	draw_all();
	glEndQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN);
	ok = is("samples", result(samples), 5 * ALL / 2);
	ok &= is("generated", result(generated), 6);
	ok &= is("written", result(written), 0);
	ok &= result(elapsed) > 0;
	tap(ok, "queries of all targets count at once");
	glDeleteQueries(4, (GLuint[]){ samples, generated, written, elapsed });
}

/* Time */

static uint64_t cpu_time_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ull + now.tv_nsec;
}

static uint64_t time_now(void)
{
	GLint64 now = 0;

	glGetInteger64v(GL_TIMESTAMP, &now);
	return now;
}

static void test_time(void)
{
	GLuint first = query_new(), second = query_new(), elapsed = query_new();
	uint64_t start, before, after, t1, t2, length;

	glFinish();
	start = cpu_time_now();
	before = time_now();
	glQueryCounter(first, GL_TIMESTAMP);
	glBeginQuery(GL_TIME_ELAPSED, elapsed);
	for (int i = 0; i < 200; i++)
		draw_all();
	glEndQuery(GL_TIME_ELAPSED);
	glQueryCounter(second, GL_TIMESTAMP);
	glFinish();
	after = time_now();
	t1 = result(first);
	t2 = result(second);
	length = result(elapsed);
	printf("# 200 draws took %llu ns of %llu; "
	       "%llu after the CPU's time, which ended %llu later\n",
	       (unsigned long long)length, (unsigned long long)(t2 - t1),
	       (unsigned long long)(t1 - before), (unsigned long long)(after - t2));
	tap(length > 0, "time elapses");
	tap(t1 < t2 && length <= t2 - t1,
	    "time stamps follow each other, and are around what is between");
	tap(before <= t1 && t2 <= after, "they are on one time line with the time that GL tells");
	tap(after - before < 2 * (cpu_time_now() - start), "in nanoseconds");
	glDeleteQueries(3, (GLuint[]){ first, second, elapsed });
}

/* Conditions */

static GLuint samples_query(bool pass)
{
	GLuint query = query_new();

	glColorMask(GL_FALSE, GL_FALSE, GL_FALSE, GL_FALSE);
	glBeginQuery(GL_SAMPLES_PASSED, query);
	if (pass)
		draw_half();
	glEndQuery(GL_SAMPLES_PASSED);
	glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
	return query;
}

/* Returns true if @draw, under a condition, makes a white pixel on black. */
static bool is_drawn(GLuint query, GLenum mode, void (*draw)(void))
{
	clear(BLACK);
	use_color(WHITE);
	glBeginConditionalRender(query, mode);
	draw();
	glEndConditionalRender();
	return gl_pixel(CORE_SIZE / 4, CORE_SIZE / 2) == WHITE;
}

static void clear_white(void)
{
	glClearColor(1, 1, 1, 1);
	glClear(GL_COLOR_BUFFER_BIT);
}

static void clear_buffer(void)
{
	glClearBufferfv(GL_COLOR, 0, (const GLfloat[]){ 1, 1, 1, 1 });
}

static GLuint picture, white_framebuffer;

static void blit(void)
{
	glBindFramebuffer(GL_READ_FRAMEBUFFER, white_framebuffer);
	glBlitFramebuffer(0, 0, CORE_SIZE, CORE_SIZE, 0, 0, CORE_SIZE, CORE_SIZE,
			  GL_COLOR_BUFFER_BIT, GL_NEAREST);
	glBindFramebuffer(GL_READ_FRAMEBUFFER, picture);
}

/* Copies to textures ignore the condition. */
static bool is_copied(GLuint query)
{
	GLuint texture;
	bool ok;

	clear(WHITE);
	glGenTextures(1, &texture);
	glBindTexture(GL_TEXTURE_2D, texture);
	glBeginConditionalRender(query, GL_QUERY_WAIT);
	glCopyTexImage2D(GL_TEXTURE_2D, 0, GL_RGB8, 0, 0, CORE_SIZE, CORE_SIZE, 0);
	glEndConditionalRender();
	clear(BLACK);
	glBindFramebuffer(GL_READ_FRAMEBUFFER, white_framebuffer);
	glFramebufferTexture2D(GL_READ_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture,
			       0);
	ok = gl_pixel(0, 0) == WHITE;
	glBindFramebuffer(GL_READ_FRAMEBUFFER, picture);
	return ok;
}

/* The name of a deleted query is free, while its result still decides a condition. */
static void test_deleted_condition(void)
{
	GLuint query = samples_query(false), other;

	clear(BLACK);
	use_color(WHITE);
	glBeginConditionalRender(query, GL_QUERY_WAIT);
	glDeleteQueries(1, &query);
	other = samples_query(true);
	glBindTexture(GL_TEXTURE_2D, gl_texture_new(CORE_SIZE, WHITE));
	glGenerateMipmap(GL_TEXTURE_2D);
	draw_all();
	glEndConditionalRender();
	tap(gl_pixel(0, 0) == BLACK, "a condition outlives its query");
	glDeleteQueries(1, &other);
}

static void test_conditions(void)
{
	static const struct { const char *name; void (*draw)(void); } ways[] = {
		{ "a draw", draw_all }, { "a clear", clear_white },
		{ "a clear of a buffer", clear_buffer },
		{ "a blit", blit },
	};
	GLuint yes = samples_query(true), no = samples_query(false);

	glGetIntegerv(GL_FRAMEBUFFER_BINDING, (GLint *)&picture);
	glGenFramebuffers(1, &white_framebuffer);
	glBindFramebuffer(GL_FRAMEBUFFER, white_framebuffer);
	glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D,
			       gl_texture_new(CORE_SIZE, WHITE), 0);
	glBindFramebuffer(GL_FRAMEBUFFER, picture);
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		tap(is_drawn(yes, GL_QUERY_WAIT, ways[i].draw), "%s is done if samples passed",
		    ways[i].name);
		tap(!is_drawn(no, GL_QUERY_WAIT, ways[i].draw), "and not if none did");
	}
	tap(is_drawn(yes, GL_QUERY_NO_WAIT, draw_all) &&
		    !is_drawn(no, GL_QUERY_BY_REGION_NO_WAIT, draw_all),
	    "a result that is there need not be waited for");
	tap(is_copied(no), "a copy to a texture has no condition");
	tap(!is_drawn(yes, QUERY_WAIT_INVERTED, draw_all) &&
		    is_drawn(no, QUERY_WAIT_INVERTED, draw_all),
	    "a condition can be inverted");
	glDeleteQueries(2, (GLuint[]){ yes, no });
}

/* Results go to a buffer, beside words that must not change. */
static void test_buffers(void)
{
	const uint32_t before[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	uint32_t words[8];
	uint64_t wide;
	GLuint query = query_new(), any = query_new(), buffer;

	glBeginQuery(GL_SAMPLES_PASSED, query);
	draw_all();
	glEndQuery(GL_SAMPLES_PASSED);
	glBeginQuery(GL_ANY_SAMPLES_PASSED, any);
	draw_half();
	glEndQuery(GL_ANY_SAMPLES_PASSED);
	buffer = core_buffer(GL_QUERY_BUFFER, sizeof(before), before);
	glGetQueryObjectuiv(query, GL_QUERY_RESULT, (GLuint *)4);
	glGetQueryObjectui64v(query, GL_QUERY_RESULT, (GLuint64 *)8);
	glGetQueryObjectiv(any, GL_QUERY_RESULT, (GLint *)20);
	glGetQueryObjectuiv(any, GL_QUERY_RESULT_AVAILABLE, (GLuint *)24);
	glGetBufferSubData(GL_QUERY_BUFFER, 0, sizeof(words), words);
	memcpy(&wide, &words[2], sizeof(wide));
	tap(words[1] == CORE_SIZE * CORE_SIZE && wide == words[1] && words[5] == 1 && words[6] == 1,
	    "results in a buffer: %u and %u, %u, %u", words[1], (unsigned)wide, words[5], words[6]);
	tap(words[0] == 1 && words[4] == 5 && words[7] == 8, "and nothing beside them");
	glBindBuffer(GL_QUERY_BUFFER, 0);
	glDeleteBuffers(1, &buffer);
}

/* Statistics count the draws and dispatches between their begin and their end, and nothing else. */
static uint64_t counted(GLenum target, void (*work)(void))
{
	GLuint query = query_new();

	draw_all();
	glBeginQuery(target, query);
	work();
	glEndQuery(target);
	draw_all();
	return result(query);
}

static GLuint dispatched;

static void dispatch(void)
{
	glUseProgram(dispatched);
	glDispatchCompute(3, 2, 1);
	glUseProgram(program);
}

static void draw_and_dispatch(void)
{
	draw_all();
	dispatch();
	draw_half();
	dispatch();
}

static void test_statistics(void)
{
	static const char source[] =
		"#version 330\n"
		"#extension GL_ARB_compute_shader: require\n"
		"layout(local_size_x = 5) in;\n"
		"shared uint sum;\n"
		"void main() { atomicAdd(sum, 1u); }\n";
	static const struct {
		const char *name;
		GLenum target;
		void (*work)(void);
		uint64_t count;
	} exact[] = {
		{ "vertices of draws", GL_VERTICES_SUBMITTED, draw_and_dispatch, 8 },
		{ "primitives of draws", GL_PRIMITIVES_SUBMITTED, draw_and_dispatch, 4 },
		{ "primitives to be clipped", GL_CLIPPING_INPUT_PRIMITIVES, draw_and_dispatch, 4 },
		{ "and those that are left", GL_CLIPPING_OUTPUT_PRIMITIVES, draw_and_dispatch, 4 },
		{ "compute shaders run", GL_COMPUTE_SHADER_INVOCATIONS, draw_and_dispatch,
		  2 * 6 * 5 },
		{ "a dispatch draws nothing", GL_VERTICES_SUBMITTED, dispatch, 0 },
		{ "a draw dispatches nothing", GL_COMPUTE_SHADER_INVOCATIONS, draw_all, 0 },
		{ "no geometry shaders run", GL_GEOMETRY_SHADER_INVOCATIONS, draw_all, 0 },
	};
	uint64_t vertices, fragments;

	dispatched = core_compute(source);
	for (size_t i = 0; i < sizeof(exact) / sizeof(*exact); i++)
		tap(is("count", counted(exact[i].target, exact[i].work), exact[i].count), "%s",
		    exact[i].name);
	vertices = counted(GL_VERTEX_SHADER_INVOCATIONS, draw_all);
	tap(vertices >= 4 && vertices <= 6, "vertex shaders run: %u", (unsigned)vertices);
	fragments = counted(GL_FRAGMENT_SHADER_INVOCATIONS, draw_all);
	tap(fragments >= CORE_SIZE * CORE_SIZE && fragments <= 2 * CORE_SIZE * CORE_SIZE,
	    "fragment shaders run: %u", (unsigned)fragments);
}

/* Queries before the first draw: the host may have no render pass for them. */
static void test_first(void)
{
	GLuint stamp = query_new(), passed = query_new();
	uint64_t before = time_now(), time;

	glQueryCounter(stamp, GL_TIMESTAMP);
	glBeginQuery(GL_SAMPLES_PASSED, passed);
	glEndQuery(GL_SAMPLES_PASSED);
	time = result(stamp);
	tap(before <= time && time <= time_now() && !result(passed),
	    "queries before anything is drawn");
	glDeleteQueries(2, (GLuint[]){ stamp, passed });
}

int main(void)
{
	core_open();
	test_first();
	program = core_program(vertex_source, fragment_source, 0, NULL, GL_NONE);
	glUseProgram(program);
	core_buffer(GL_ARRAY_BUFFER, sizeof(corners), corners);
	glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
	glEnableVertexAttribArray(0);
	test_samples();
	test_any();
	test_many();
	test_primitives("");
	glEnable(GL_RASTERIZER_DISCARD);
	test_primitives(" that are not drawn");
	glDisable(GL_RASTERIZER_DISCARD);
	test_at_once();
	test_time();
	test_conditions();
	test_deleted_condition();
	test_buffers();
	test_statistics();
	tap(core_no_error(), "there is no error to tell");
	gl_close();
	return tap_failures() != 0;
}
