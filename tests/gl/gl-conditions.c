// SPDX-License-Identifier: MIT
/*
 * Conditional rendering on queries that are in flight when the condition is evaluated, and query
 * results in buffers. Prints TAP.
 */
#include "gl-core.h"

#include <stdio.h>
#include <string.h>

#define ALL (CORE_SIZE * CORE_SIZE)
#define BLACK 0x000000ff
#define WHITE 0xffffffff

static const char vertex_source[] =
	"#version 330\n"
	"in vec2 vertex;\n"
	"out float captured;\n"
	"void main() { captured = vertex.x; gl_Position = vec4(vertex, 0.0, 1.0); }\n";

static const char fragment_source[] =
	"#version 330\n"
	"uniform vec4 color;\n"
	"out vec4 result;\n"
	"void main() { result = color; }\n";

static const char compute_source[] =
	"#version 430\n"
	"layout(local_size_x = 1) in;\n"
	"layout(std430, binding = 0) buffer Sum { uint sum[]; };\n"
	"void main() { atomicAdd(sum[0], 1u); }\n";

static const GLfloat corners[] = { -1, -1, 1, -1, -1, 1, 1, 1 };

static GLuint program, capturing, adding;
static GLuint picture, other_framebuffer, white_framebuffer, sum;

static void draw(void)
{
	glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

static void scissor(bool all)
{
	glScissor(0, 0, all ? CORE_SIZE : 0, CORE_SIZE);
}

static void use_color(float white)
{
	glUniform4f(glGetUniformLocation(program, "color"), white, white, white, 1);
}

static GLuint framebuffer_new(uint32_t color)
{
	GLuint framebuffer;

	glGenFramebuffers(1, &framebuffer);
	glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
	glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D,
			       gl_texture_new(CORE_SIZE, color), 0);
	glBindFramebuffer(GL_FRAMEBUFFER, picture);
	return framebuffer;
}

/* Queries that have just ended, whose results are not 0 if @pass. */

static GLuint query_new(void)
{
	GLuint query;

	glGenQueries(1, &query);
	return query;
}

static GLuint samples(GLenum target, bool pass, void (*between)(void))
{
	GLuint query = query_new();

	glColorMask(GL_FALSE, GL_FALSE, GL_FALSE, GL_FALSE);
	glEnable(GL_SCISSOR_TEST);
	glBeginQuery(target, query);
	scissor(pass);
	draw();
	if (between)
		between();
	scissor(false);
	draw();
	glEndQuery(target);
	glDisable(GL_SCISSOR_TEST);
	glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
	return query;
}

static GLuint all_samples(bool pass)
{
	return samples(GL_SAMPLES_PASSED, pass, NULL);
}

static GLuint any_samples(bool pass)
{
	return samples(GL_ANY_SAMPLES_PASSED, pass, NULL);
}

static void draw_elsewhere(void)
{
	glBindFramebuffer(GL_FRAMEBUFFER, other_framebuffer);
	scissor(false);
	draw();
	glBindFramebuffer(GL_FRAMEBUFFER, picture);
}

static GLuint samples_of_renderings(bool pass)
{
	return samples(GL_SAMPLES_PASSED, pass, draw_elsewhere);
}

static GLuint samples_of_submissions(bool pass)
{
	return samples(GL_SAMPLES_PASSED, pass, glFlush);
}

static GLuint flushed_samples(bool pass)
{
	GLuint query = all_samples(pass);

	glFlush();
	return query;
}

static GLuint primitives(bool pass)
{
	GLuint query = query_new();

	glColorMask(GL_FALSE, GL_FALSE, GL_FALSE, GL_FALSE);
	glBeginQuery(GL_PRIMITIVES_GENERATED, query);
	if (pass)
		draw();
	glEndQuery(GL_PRIMITIVES_GENERATED);
	glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
	return query;
}

/*
 * Captures two triangles into a buffer with room for one if @pass, else for more. Returns the
 * query.
 */
static GLuint overflow_of(GLenum target, bool pass, void (*before)(void))
{
	GLuint query = query_new(), buffer = core_buffer(GL_TRANSFORM_FEEDBACK_BUFFER, 64, NULL);

	glBindBufferRange(GL_TRANSFORM_FEEDBACK_BUFFER, 0, buffer, 0, pass ? 12 : 64);
	glUseProgram(capturing);
	glEnable(GL_RASTERIZER_DISCARD);
	glBeginQuery(target, query);
	glBeginTransformFeedback(GL_TRIANGLES);
	if (before)
		before();
	draw();
	glEndTransformFeedback();
	glEndQuery(target);
	glDisable(GL_RASTERIZER_DISCARD);
	glUseProgram(program);
	glDeleteBuffers(1, &buffer);
	return query;
}

static GLuint stream_overflow(bool pass)
{
	return overflow_of(GL_TRANSFORM_FEEDBACK_STREAM_OVERFLOW, pass, NULL);
}

static GLuint any_overflow(bool pass)
{
	return overflow_of(GL_TRANSFORM_FEEDBACK_OVERFLOW, pass, NULL);
}

/*
 * Begins and ends another query of the captured primitives, so that the result of the open query is
 * a sum.
 */
static void capture_apart(void)
{
	GLuint other = query_new();

	draw();
	glBeginQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN, other);
	glEndQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN);
	glDeleteQueries(1, &other);
}

static GLuint overflow_in_places(bool pass)
{
	return overflow_of(GL_TRANSFORM_FEEDBACK_STREAM_OVERFLOW, pass, capture_apart);
}

static void draw_paused(void)
{
	glPauseTransformFeedback();
	draw();
	glResumeTransformFeedback();
}

/*
 * A draw while feedback is paused needs no space in the buffer, even if a query counts primitives
 * meanwhile.
 */
static GLuint overflow_beside_primitives(bool pass)
{
	GLuint generated = query_new(), query;

	glBeginQuery(GL_PRIMITIVES_GENERATED, generated);
	query = overflow_of(GL_TRANSFORM_FEEDBACK_OVERFLOW, pass, draw_paused);
	glEndQuery(GL_PRIMITIVES_GENERATED);
	glDeleteQueries(1, &generated);
	return query;
}

static const struct source {
	const char *name;
	GLuint (*make)(bool pass);
} sources[] = {
	{ "samples", all_samples }, { "any samples", any_samples },
	{ "samples of several renderings", samples_of_renderings },
	{ "samples of two submissions", samples_of_submissions },
	{ "samples of the submission before", flushed_samples },
	{ "overflows of a stream", stream_overflow }, { "overflows of any stream", any_overflow },
	{ "overflows, counted beside another query's", overflow_in_places },
	{ "overflows beside primitives", overflow_beside_primitives }, { "primitives", primitives },
};

/* Commands under a condition. Each makes a white pixel on black. */

static void clear(float white)
{
	glClearBufferfv(GL_COLOR, 0, (const GLfloat[]){ white, white, white, 1 });
}

static void clear_all(void)
{
	clear(1);
}

static void clear_part(void)
{
	glEnable(GL_SCISSOR_TEST);
	glScissor(0, 0, CORE_SIZE / 2, CORE_SIZE / 2);
	clear(1);
	glDisable(GL_SCISSOR_TEST);
}

static void draw_and_clear(void)
{
	use_color(0);
	draw();
	clear_part();
	use_color(1);
}

static void blit(void)
{
	glBindFramebuffer(GL_READ_FRAMEBUFFER, white_framebuffer);
	glBlitFramebuffer(0, 0, CORE_SIZE, CORE_SIZE, 0, 0, CORE_SIZE, CORE_SIZE,
			  GL_COLOR_BUFFER_BIT, GL_NEAREST);
	glBindFramebuffer(GL_READ_FRAMEBUFFER, picture);
}

static void draw_after_others(void)
{
	glBindTexture(GL_TEXTURE_2D, gl_texture_new(CORE_SIZE, WHITE));
	glGenerateMipmap(GL_TEXTURE_2D);
	glBindFramebuffer(GL_FRAMEBUFFER, other_framebuffer);
	draw();
	glBindFramebuffer(GL_FRAMEBUFFER, picture);
	glFlush();
	draw();
}

static const struct way {
	const char *name;
	void (*run)(void);
} ways[] = {
	{ "a draw", draw }, { "a clear", clear_all }, { "a clear of a part", clear_part },
	{ "a draw and a clear", draw_and_clear }, { "a blit", blit },
	{ "a draw after a mipmap, one elsewhere and a flush", draw_after_others },
};

static bool is_drawn(const struct source *source, bool pass, GLenum mode, const struct way *way)
{
	GLuint query;

	clear(0);
	query = source->make(pass);
	use_color(1);
	glBeginConditionalRender(query, mode);
	way->run();
	glEndConditionalRender();
	glDeleteQueries(1, &query);
	return gl_pixel(1, 1) == WHITE;
}

static void test_sources(void)
{
	for (size_t i = 0; i < sizeof(sources) / sizeof(*sources); i++) {
		bool ok = true;

		/* A count of primitives cannot be a condition. */
		if (sources[i].make == primitives)
			continue;
		for (size_t j = 0; j < sizeof(ways) / sizeof(*ways); j++) {
			const bool fine =
				is_drawn(&sources[i], true, GL_QUERY_WAIT, &ways[j]) &&
				!is_drawn(&sources[i], false, GL_QUERY_WAIT, &ways[j]) &&
				!is_drawn(&sources[i], true, GL_QUERY_WAIT_INVERTED, &ways[j]) &&
				is_drawn(&sources[i], false, GL_QUERY_WAIT_INVERTED, &ways[j]);

			if (!fine)
				printf("# %s is wrong\n", ways[j].name);
			ok &= fine;
		}
		tap(ok, "%s decide on draws, clears and blits", sources[i].name);
	}
}

/* Without a wait the commands may be executed whatever the result is. */
static void test_modes(void)
{
	static const GLenum modes[] = { GL_QUERY_NO_WAIT, GL_QUERY_BY_REGION_WAIT,
					GL_QUERY_BY_REGION_NO_WAIT };
	static const GLenum inverted[] = {
		GL_QUERY_NO_WAIT_INVERTED, GL_QUERY_BY_REGION_WAIT_INVERTED,
		GL_QUERY_BY_REGION_NO_WAIT_INVERTED,
	};
	bool ok = true;

	for (int i = 0; i < 3; i++)
		ok &= is_drawn(&sources[0], true, modes[i], &ways[0]) &&
		      is_drawn(&sources[0], false, inverted[i], &ways[0]);
	tap(ok, "in all modes what is to be drawn is drawn");
	tap(!is_drawn(&sources[0], false, GL_QUERY_BY_REGION_WAIT, &ways[0]) &&
	    !is_drawn(&sources[0], true, GL_QUERY_BY_REGION_WAIT_INVERTED, &ways[0]),
	    "and in those that wait nothing else is");
}

/* Draws one column for each query, of more queries than fit in a submission. */
static void test_many(void)
{
	GLuint queries[CORE_SIZE];
	bool ok = true;

	for (int round = 0; round < 6; round++) {
		clear(0);
		use_color(1);
		for (int i = 0; i < CORE_SIZE; i++) {
			queries[i] = all_samples((i + round) % 2);
			glEnable(GL_SCISSOR_TEST);
			glScissor(i, 0, 1, CORE_SIZE);
			glBeginConditionalRender(queries[i], GL_QUERY_WAIT);
			draw();
			glEndConditionalRender();
			glDisable(GL_SCISSOR_TEST);
		}
		for (int i = 0; i < CORE_SIZE; i++)
			ok &= (gl_pixel(i, 3) == WHITE) == ((i + round) % 2);
		glDeleteQueries(CORE_SIZE, queries);
	}
	tap(ok, "%d queries decide on a column each", 6 * CORE_SIZE);
}

static void dispatch(GLuint query)
{
	glUseProgram(adding);
	glBeginConditionalRender(query, GL_QUERY_WAIT);
	glDispatchCompute(3, 1, 1);
	glEndConditionalRender();
	glUseProgram(program);
}

static void test_dispatches(void)
{
	GLuint yes, no;
	uint32_t added;

	sum = core_words(1, 0);
	glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, sum);
	yes = all_samples(true);
	no = all_samples(false);
	dispatch(no);
	dispatch(yes);
	dispatch(no);
	core_read_words(sum, 0, &added, 1);
	tap(added == 3, "they decide on dispatches: %u", added);
	glDeleteQueries(2, (GLuint[]){ yes, no });
}

/*
 * Queries do not count draws that the condition discards; the condition ends within the render
 * pass.
 */
static void test_nested(void)
{
	GLuint no = all_samples(false), counts[2] = { query_new(), query_new() };
	GLuint64 results[2];

	glBeginQuery(GL_SAMPLES_PASSED, counts[0]);
	glBeginConditionalRender(no, GL_QUERY_WAIT);
	draw();
	glEndConditionalRender();
	glEndQuery(GL_SAMPLES_PASSED);
	glBeginConditionalRender(no, GL_QUERY_WAIT);
	glBeginQuery(GL_SAMPLES_PASSED, counts[1]);
	draw();
	glEndConditionalRender();
	draw();
	glEndQuery(GL_SAMPLES_PASSED);
	for (int i = 0; i < 2; i++)
		glGetQueryObjectui64v(counts[i], GL_QUERY_RESULT, &results[i]);
	tap(results[0] == 0 && results[1] == ALL, "a query counts what is drawn: %u and %u",
	    (unsigned)results[0], (unsigned)results[1]);
	glDeleteQueries(2, counts);
	glDeleteQueries(1, &no);
}

/*
 * The number of results that were read before a condition must not change which queries count a
 * draw.
 */
static void test_last_value(void)
{
	bool ok = true;

	for (int before = 0; before < 40; before++) {
		GLuint buffer = core_buffer(GL_QUERY_BUFFER, 4, NULL), empty = query_new(),
		       count = query_new();
		GLuint no = all_samples(false), seen = 0;

		glBindBuffer(GL_QUERY_BUFFER, buffer);
		for (int i = 0; i < before; i++) {
			glBeginQuery(GL_SAMPLES_PASSED, empty);
			glEndQuery(GL_SAMPLES_PASSED);
			glGetQueryObjectuiv(empty, GL_QUERY_RESULT, (GLuint *)0);
		}
		glBindBuffer(GL_QUERY_BUFFER, 0);
		glBeginQuery(GL_PRIMITIVES_GENERATED, count);
		glBeginConditionalRender(no, GL_QUERY_WAIT_INVERTED);
		draw();
		glEndConditionalRender();
		glEndQuery(GL_PRIMITIVES_GENERATED);
		glGetQueryObjectuiv(count, GL_QUERY_RESULT, &seen);
		if (seen != 2)
			printf("# %u primitives after %d results\n", seen, before);
		ok &= seen == 2;
		glDeleteQueries(3, (GLuint[]){ empty, count, no });
		glDeleteBuffers(1, &buffer);
	}
	tap(ok, "what a condition lets through is counted after any number of results");
}

/* A query that begins again while it is the condition. */
static void test_reused(void)
{
	GLuint query = all_samples(false);

	clear(0);
	use_color(1);
	glBeginConditionalRender(query, GL_QUERY_WAIT);
	draw();
	glEndConditionalRender();
	glColorMask(GL_FALSE, GL_FALSE, GL_FALSE, GL_FALSE);
	glBeginQuery(GL_SAMPLES_PASSED, query);
	draw();
	glEndQuery(GL_SAMPLES_PASSED);
	glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
	glEnable(GL_SCISSOR_TEST);
	glScissor(0, 0, 1, 1);
	glBeginConditionalRender(query, GL_QUERY_WAIT);
	draw();
	glEndConditionalRender();
	glDisable(GL_SCISSOR_TEST);
	tap(gl_pixel(0, 0) == WHITE && gl_pixel(2, 2) == BLACK,
	    "a query that is used again decides anew");
	glDeleteQueries(1, &query);
}

/* Buffers */

/*
 * Writes the result of @query to word 1 and to words 2 and 3, and its availability to word 4.
 * Returns true if all of them are correct, and agree with the result that the CPU reads.
 */
static bool is_written(GLuint query)
{
	const uint32_t before[6] = { 1, 2, 3, 4, 5, 6 };
	uint32_t words[6];
	GLuint buffer = core_buffer(GL_QUERY_BUFFER, sizeof(before), before);
	GLuint64 wide, told = 0;
	bool ok;

	glGetQueryObjectuiv(query, GL_QUERY_RESULT, (GLuint *)4);
	glGetQueryObjectui64v(query, GL_QUERY_RESULT_NO_WAIT, (GLuint64 *)8);
	glGetQueryObjectuiv(query, GL_QUERY_RESULT_AVAILABLE, (GLuint *)16);
	glGetBufferSubData(GL_QUERY_BUFFER, 0, sizeof(words), words);
	glBindBuffer(GL_QUERY_BUFFER, 0);
	glDeleteBuffers(1, &buffer);
	glGetQueryObjectui64v(query, GL_QUERY_RESULT, &told);
	memcpy(&wide, &words[2], sizeof(wide));
	ok = words[0] == 1 && words[1] == told && wide == told && words[4] == 1 && words[5] == 6;
	if (!ok)
		printf("# %u, %llu, %u instead of %llu, beside %u and %u\n", words[1],
		       (unsigned long long)wide, words[4], (unsigned long long)told, words[0],
		       words[5]);
	return ok;
}

static void test_results(void)
{
	GLuint query;

	for (size_t i = 0; i < sizeof(sources) / sizeof(*sources); i++) {
		bool ok = true;

		for (int pass = 0; pass < 2; pass++) {
			query = sources[i].make(pass);
			ok &= is_written(query);
			glDeleteQueries(1, &query);
		}
		tap(ok, "%s are in a buffer what the CPU is told", sources[i].name);
	}
	query = query_new();
	glBeginQuery(GL_VERTICES_SUBMITTED, query);
	draw();
	glEndQuery(GL_VERTICES_SUBMITTED);
	tap(is_written(query), "so are statistics");
	glDeleteQueries(1, &query);
}

static void test_times(void)
{
	GLuint stamp = query_new(), elapsed = query_new(), buffer;
	GLuint64 words[2], told[2];

	glBeginQuery(GL_TIME_ELAPSED, elapsed);
	draw();
	glQueryCounter(stamp, GL_TIMESTAMP);
	glEndQuery(GL_TIME_ELAPSED);
	buffer = core_buffer(GL_QUERY_BUFFER, sizeof(words), NULL);
	glGetQueryObjectui64v(stamp, GL_QUERY_RESULT, (GLuint64 *)0);
	glGetQueryObjectui64v(elapsed, GL_QUERY_RESULT, (GLuint64 *)8);
	glGetBufferSubData(GL_QUERY_BUFFER, 0, sizeof(words), words);
	glBindBuffer(GL_QUERY_BUFFER, 0);
	glGetQueryObjectui64v(stamp, GL_QUERY_RESULT, &told[0]);
	glGetQueryObjectui64v(elapsed, GL_QUERY_RESULT, &told[1]);
	tap(words[0] == told[0] && words[1] == told[1] && words[1], "and times");
	glDeleteBuffers(1, &buffer);
	glDeleteQueries(2, (GLuint[]){ stamp, elapsed });
}

/*
 * An offset that is not aligned to a word, a result that exceeds 31 bits, and a draw whose number
 * of instances is a result.
 */
static void test_corners(void)
{
	GLuint query = query_new(), buffer, arguments;
	uint32_t words[5] = { 0 };
	int32_t capped;

	glBeginQuery(GL_SAMPLES_PASSED, query);
	draw();
	glEndQuery(GL_SAMPLES_PASSED);
	buffer = core_buffer(GL_QUERY_BUFFER, sizeof(words), words);
	glGetQueryObjectuiv(query, GL_QUERY_RESULT, (GLuint *)1);
	glGetBufferSubData(GL_QUERY_BUFFER, 0, sizeof(words), words);
	tap(words[0] == (uint32_t)ALL << 8 && !words[1], "a result goes to any byte");
	glQueryCounter(query = query_new(), GL_TIMESTAMP);
	glGetQueryObjectiv(query, GL_QUERY_RESULT, (GLint *)8);
	glGetBufferSubData(GL_QUERY_BUFFER, 8, sizeof(capped), &capped);
	tap(capped == INT32_MAX, "a result that does not fit is the most that does");
	glBindBuffer(GL_QUERY_BUFFER, 0);

	clear(0);
	use_color(1);
	query = primitives(true);
	arguments = core_buffer(GL_QUERY_BUFFER, 16, (const uint32_t[]){ 4, 0, 0, 0 });
	glGetQueryObjectuiv(query, GL_QUERY_RESULT, (GLuint *)4);
	glBindBuffer(GL_QUERY_BUFFER, 0);
	glBindBuffer(GL_DRAW_INDIRECT_BUFFER, arguments);
	glDrawArraysIndirect(GL_TRIANGLE_STRIP, NULL);
	tap(gl_pixel(1, 1) == WHITE, "a draw takes a result for its number of instances");
	glBindBuffer(GL_DRAW_INDIRECT_BUFFER, 0);
	glDeleteBuffers(2, (GLuint[]){ buffer, arguments });
}

int main(void)
{
	static const char *const varyings[] = { "captured" };

	core_open();
	program = core_program(vertex_source, fragment_source, 0, NULL, GL_NONE);
	capturing = core_program(vertex_source, fragment_source, 1, varyings,
				 GL_INTERLEAVED_ATTRIBS);
	adding = core_compute(compute_source);
	glUseProgram(program);
	core_buffer(GL_ARRAY_BUFFER, sizeof(corners), corners);
	glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
	glEnableVertexAttribArray(0);
	glGetIntegerv(GL_FRAMEBUFFER_BINDING, (GLint *)&picture);
	other_framebuffer = framebuffer_new(BLACK);
	white_framebuffer = framebuffer_new(WHITE);
	test_sources();
	test_modes();
	test_many();
	test_dispatches();
	test_nested();
	test_last_value();
	test_reused();
	test_results();
	test_times();
	test_corners();
	tap(core_no_error(), "there is no error to tell");
	gl_close();
	return tap_failures() != 0;
}
