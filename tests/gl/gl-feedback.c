// SPDX-License-Identifier: MIT
/* Transform feedback: the captured data is compared word by word, and is drawn from. Prints TAP. */
#include "gl-core.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLACK 0x000000ff
#define WHITE 0xffffffff
#define FRESH 0x5a5a5a5a	/* contents of words that were not written */
/* Modes of the compatibility profile; OpenGL's core headers lack these. */
#define QUADS 7
#define QUAD_STRIP 8
#define POLYGON 9
#define MAX_BYTES 8192

typedef struct {
	union { float f; int32_t i; uint32_t u; };
} word;

static const char fragment_source[] =
	"#version 330\n"
	"out vec4 result;\n"
	"void main() { result = vec4(1.0); }\n";

/* Every output is computed from the index of the vertex. */
static const char vertex_source[] =
	"#version 330\n"
	"in float vertex;\n"
	"uniform int index;\n"
	"out vec4 four;\n"
	"out vec2 two;\n"
	"out float one, other;\n"
	"flat out int whole;\n"
	"flat out uvec3 bits;\n"
	"out vec3 list[3];\n"
	"out float few[3];\n"
	"out mat2 matrix;\n"
	"out float gl_ClipDistance[2];\n"
	"void main() {\n"
	"	float v = vertex;\n"
	"	four = vec4(v, v + 0.25, v + 0.5, v + 0.75);\n"
	"	two = vec2(1.0 - v, 100.0 + v);\n"
	"	one = v * 3.0;\n"
	"	other = v * 5.0;\n"
	"	whole = -int(v);\n"
	"	bits = uvec3(uint(v), 0xffffffffu, uint(v) * 7u);\n"
	"	for (int i = 0; i < 3; i++) {\n"
	"		few[i] = v * 16.0 + float(i);\n"
	"		list[i] = vec3(v, 0.0, 1.0);\n"
	"	}\n"
	"	list[index].y = 9.0;\n"
	"	matrix = mat2(v, 1.0, 2.0, 1.0 - v);\n"
	"	gl_Position = vec4(0.0, v / 64.0, 0.0, 1.0);\n"
	"	gl_PointSize = v + 4.0;\n"
	"	gl_ClipDistance[0] = v + 1.0;\n"
	"	gl_ClipDistance[1] = -1.0 - v;\n"
	"}\n";

/* Writes the words that are captured of vertex @v to @out. Returns their number. */
typedef int fill_fn(word *out, int v);

static int four(word *out, int v)
{
	for (int i = 0; i < 4; i++)
		out[i].f = v + 0.25f * i;
	return 4;
}

static int two(word *out, int v)
{
	out[0].f = 1 - v;
	out[1].f = 100 + v;
	return 2;
}

static int one(word *out, int v)
{
	out->f = v * 3.0f;
	return 1;
}

static int other(word *out, int v)
{
	out->f = v * 5.0f;
	return 1;
}

static int whole(word *out, int v)
{
	out->i = -v;
	return 1;
}

static int bits(word *out, int v)
{
	out[0].u = v;
	out[1].u = 0xffffffff;
	out[2].u = v * 7;
	return 3;
}

static int list(word *out, int v)
{
	for (int i = 0; i < 3; i++) {
		out[i * 3].f = v;
		out[i * 3 + 1].f = i == 1 ? 9 : 0;
		out[i * 3 + 2].f = 1;
	}
	return 9;
}

static int list_1(word *out, int v)
{
	out[0].f = v;
	out[1].f = 9;
	out[2].f = 1;
	return 3;
}

static int few(word *out, int v)
{
	for (int i = 0; i < 3; i++)
		out[i].f = v * 16 + i;
	return 3;
}

static int few_2(word *out, int v)
{
	out->f = v * 16 + 2;
	return 1;
}

static int matrix(word *out, int v)
{
	out[0].f = v;
	out[1].f = 1;
	out[2].f = 2;
	out[3].f = 1 - v;
	return 4;
}

static int position(word *out, int v)
{
	out[0].f = 0;
	out[1].f = v / 64.0f;
	out[2].f = 0;
	out[3].f = 1;
	return 4;
}

static int point_size(word *out, int v)
{
	out->f = v + 4;
	return 1;
}

static int clip_distances(word *out, int v)
{
	out[0].f = v + 1;
	out[1].f = -1 - v;
	return 2;
}

static int skip_1(word *out, int v)
{
	(void)v;
	out->u = FRESH;
	return 1;
}

static int skip_3(word *out, int v)
{
	for (int i = 0; i < 3; i++)
		skip_1(&out[i], v);
	return 3;
}

struct varying {
	const char *name;
	fill_fn *fill;		/* NULL: gl_NextBuffer */
};

#define MAX_VARYINGS 8

struct layout {
	const char *what;
	GLenum mode;
	struct varying varyings[MAX_VARYINGS];
};

static const struct layout layouts[] = {
	{ "a vector", GL_INTERLEAVED_ATTRIBS, { { "four", four } } },
	{ "vectors and numbers of all kinds", GL_INTERLEAVED_ATTRIBS,
	  { { "whole", whole }, { "two", two }, { "bits", bits }, { "four", four },
	    { "one", one } } },
	{ "buffers of their own", GL_SEPARATE_ATTRIBS,
	  { { "four", four }, { "one", one }, { "bits", bits }, { "two", two } } },
	{ "what is built in", GL_INTERLEAVED_ATTRIBS,
	  { { "one", one }, { "gl_Position", position } } },
	{ "the size of points", GL_INTERLEAVED_ATTRIBS,
	  { { "gl_PointSize", point_size }, { "two", two } } },
	{ "clip distances", GL_INTERLEAVED_ATTRIBS, { { "gl_ClipDistance", clip_distances },
						      { "one", one } } },
	{ "arrays", GL_INTERLEAVED_ATTRIBS, { { "list", list }, { "few", few } } },
	{ "elements of arrays", GL_INTERLEAVED_ATTRIBS,
	  { { "few[2]", few_2 }, { "list[1]", list_1 } } },
	{ "a matrix", GL_INTERLEAVED_ATTRIBS, { { "matrix", matrix }, { "other", other } } },
	{ "gaps", GL_INTERLEAVED_ATTRIBS,
	  { { "gl_SkipComponents1", skip_1 }, { "two", two }, { "gl_SkipComponents3", skip_3 },
	    { "one", one }, { "gl_SkipComponents1", skip_1 } } },
	{ "two buffers of several", GL_INTERLEAVED_ATTRIBS,
	  { { "one", one }, { "two", two }, { "gl_NextBuffer", NULL }, { "whole", whole },
	    { "gl_SkipComponents1", skip_1 }, { "other", other } } },
};

/* Buffers */

#define N_BUFFERS 4
#define N_VERTICES 48

static GLuint feedback_buffers[N_BUFFERS];

static void reset_buffers(void)
{
	uint8_t fresh[MAX_BYTES];

	memset(fresh, 0x5a, sizeof(fresh));
	for (int i = 0; i < N_BUFFERS; i++) {
		glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, i, feedback_buffers[i]);
		glBufferData(GL_TRANSFORM_FEEDBACK_BUFFER, MAX_BYTES, fresh, GL_DYNAMIC_COPY);
	}
}

static void read_buffer(int i, word *out)
{
	glBindBuffer(GL_COPY_READ_BUFFER, feedback_buffers[i]);
	glGetBufferSubData(GL_COPY_READ_BUFFER, 0, MAX_BYTES, out);
}

/* Returns true if buffer @i has the vertices with @indices and nothing behind them. */
static bool holds(int i, const struct varying *varyings, int n_varyings, const int *indices,
		  int count)
{
	static word seen[MAX_BYTES / 4], expected[MAX_BYTES / 4];
	int n = 0;

	read_buffer(i, seen);
	for (int v = 0; v < count; v++)
		for (int j = 0; j < n_varyings; j++)
			n += varyings[j].fill(&expected[n], indices[v]);
	while (n < MAX_BYTES / 4)
		expected[n++].u = FRESH;
	for (int at = 0; at < n; at++) {
		if (seen[at].u == expected[at].u)
			continue;
		printf("# word %d of buffer %d is %#x (%g) instead of %#x (%g)\n", at, i,
		       seen[at].u, seen[at].f, expected[at].u, expected[at].f);
		return false;
	}
	return true;
}

static int count_varyings(const struct layout *layout)
{
	int n = 0;

	while (n < MAX_VARYINGS && layout->varyings[n].name)
		n++;
	return n;
}

static bool layout_holds(const struct layout *layout, const int *indices, int count)
{
	const int n = count_varyings(layout);
	int buffer = 0, begin = 0;
	bool ok = true;

	for (int i = 0; i < n; i++) {
		const bool last = i + 1 == n || layout->mode == GL_SEPARATE_ATTRIBS ||
				  !layout->varyings[i + 1].fill;

		if (!last)
			continue;
		ok &= holds(buffer++, &layout->varyings[begin], i + 1 - begin, indices, count);
		begin = i + (i + 1 < n && !layout->varyings[i + 1].fill ? 2 : 1);
		i = begin - 1;
	}
	return ok;
}

static GLuint layout_program(const struct layout *layout)
{
	const char *names[MAX_VARYINGS];
	const int n = count_varyings(layout);
	GLuint program;

	for (int i = 0; i < n; i++)
		names[i] = layout->varyings[i].name;
	program = core_program(vertex_source, fragment_source, n, names, layout->mode);
	glUseProgram(program);
	glUniform1i(glGetUniformLocation(program, "index"), 1);
	return program;
}

/* Tests */

static const struct layout built_in = {
	"what is built in", GL_INTERLEAVED_ATTRIBS,
	{ { "gl_PointSize", point_size }, { "gl_ClipDistance", clip_distances } },
};

static int counting[N_VERTICES];

static void test_layout(const struct layout *layout)
{
	const GLuint program = layout_program(layout);

	reset_buffers();
	glEnable(GL_RASTERIZER_DISCARD);
	glBeginTransformFeedback(GL_POINTS);
	glDrawArrays(GL_POINTS, 0, 20);
	glEndTransformFeedback();
	glDisable(GL_RASTERIZER_DISCARD);
	tap(layout_holds(layout, counting, 20), "captured: %s", layout->what);
	glDeleteProgram(program);
}

struct primitive {
	const char *what;
	GLenum mode, captured;
	int count, n_indices;
	int indices[16];
};

/* The last vertex of each primitive is the provoking vertex, and has to stay the last. */
static const struct primitive primitives[] = {
	{ "lines", GL_LINES, GL_LINES, 5, 4, { 0, 1, 2, 3 } },
	{ "a line strip", GL_LINE_STRIP, GL_LINES, 4, 6, { 0, 1, 1, 2, 2, 3 } },
	{ "a line loop", GL_LINE_LOOP, GL_LINES, 3, 6, { 0, 1, 1, 2, 2, 0 } },
	{ "triangles", GL_TRIANGLES, GL_TRIANGLES, 8, 6, { 0, 1, 2, 3, 4, 5 } },
	{ "a triangle strip", GL_TRIANGLE_STRIP, GL_TRIANGLES, 5, 9,
	  { 0, 1, 2, 2, 1, 3, 2, 3, 4 } },
	{ "a triangle fan", GL_TRIANGLE_FAN, GL_TRIANGLES, 5, 9, { 0, 1, 2, 0, 2, 3, 0, 3, 4 } },
};

static GLuint query_new(GLenum target)
{
	GLuint query;

	glGenQueries(1, &query);
	glBeginQuery(target, query);
	return query;
}

static GLuint query_end(GLenum target, GLuint query)
{
	GLuint value = ~0u;

	glEndQuery(target);
	glGetQueryObjectuiv(query, GL_QUERY_RESULT, &value);
	glDeleteQueries(1, &query);
	return value;
}

static void test_primitive(const struct primitive *primitive)
{
	const int per = primitive->captured == GL_LINES ? 2 : 3;
	GLuint written, generated, query;

	reset_buffers();
	query = query_new(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN);
	glBeginTransformFeedback(primitive->captured);
	glDrawArrays(primitive->mode, 0, primitive->count);
	glEndTransformFeedback();
	written = query_end(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN, query);
	query = query_new(GL_PRIMITIVES_GENERATED);
	glDrawArrays(primitive->mode, 0, primitive->count);
	generated = query_end(GL_PRIMITIVES_GENERATED, query);
	tap(holds(0, layouts[0].varyings, 1, primitive->indices, primitive->n_indices),
	    "captured one by one: %s", primitive->what);
	if (written != (GLuint)primitive->n_indices / per || generated != written)
		printf("# %u written, %u generated\n", written, generated);
	tap(written == (GLuint)primitive->n_indices / per && generated == written, "and counted");
}

static void test_indexed(void)
{
	static const GLushort indices[] = { 7, 3, 11, 0, 3, 40 };
	static const int expected[] = { 7, 3, 11, 0, 3, 40, 7, 3, 11, 0, 3, 40 };

	reset_buffers();
	core_buffer(GL_ELEMENT_ARRAY_BUFFER, sizeof(indices), indices);
	glBeginTransformFeedback(GL_TRIANGLES);
	glDrawElementsInstanced(GL_TRIANGLES, 6, GL_UNSIGNED_SHORT, NULL, 2);
	glEndTransformFeedback();
	tap(holds(0, layouts[0].varyings, 1, expected, 12),
	    "indexed vertices of two instances are captured");
}

/* The order is all loops of one instance, then all loops of the next. */
static void test_loops(void)
{
	static const GLubyte loops[] = { 0, 1, 2, 99, 3, 99, 4, 5, 6, 7 };
	static const int once[] = { 0, 1, 1, 2, 2, 0, 4, 5, 5, 6, 6, 7, 7, 4 };
	enum { N = sizeof(once) / sizeof(*once) };
	int expected[2 * N];
	GLuint buffer;

	for (int i = 0; i < 2 * N; i++)
		expected[i] = once[i % N];
	buffer = core_buffer(GL_ELEMENT_ARRAY_BUFFER, sizeof(loops), loops);
	reset_buffers();
	glEnable(GL_PRIMITIVE_RESTART);
	glPrimitiveRestartIndex(99);
	glBeginTransformFeedback(GL_LINES);
	glDrawElementsInstanced(GL_LINE_LOOP, sizeof(loops), GL_UNSIGNED_BYTE, NULL, 2);
	glEndTransformFeedback();
	glDisable(GL_PRIMITIVE_RESTART);
	tap(holds(0, layouts[0].varyings, 1, expected, 2 * N),
	    "loops are restarted in each instance");
	glDeleteBuffers(1, &buffer);
}

static void test_full(void)
{
	GLuint written, generated, query, query_generated;

	reset_buffers();
	/* Space for 5.5 vertices, which is one triangle and a part of the next. */
	glBindBufferRange(GL_TRANSFORM_FEEDBACK_BUFFER, 0, feedback_buffers[0], 0, 5 * 16 + 8);
	query = query_new(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN);
	query_generated = query_new(GL_PRIMITIVES_GENERATED);
	glBeginTransformFeedback(GL_TRIANGLES);
	glDrawArrays(GL_TRIANGLES, 0, 3);
	glDrawArrays(GL_TRIANGLES, 3, 9);
	glEndTransformFeedback();
	written = query_end(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN, query);
	generated = query_end(GL_PRIMITIVES_GENERATED, query_generated);
	tap(holds(0, layouts[0].varyings, 1, counting, 3),
	    "a full buffer takes no part of a triangle");
	tap(written == 1 && generated == 4, "which counts as generated and not as written");
}

static void test_range(void)
{
	static word seen[MAX_BYTES / 4];
	bool ok = true;

	reset_buffers();
	glBindBufferRange(GL_TRANSFORM_FEEDBACK_BUFFER, 0, feedback_buffers[0], 100, 400);
	glBeginTransformFeedback(GL_POINTS);
	glDrawArrays(GL_POINTS, 0, 30);
	glEndTransformFeedback();
	read_buffer(0, seen);
	for (int i = 0; i < MAX_BYTES / 4; i++) {
		const int at = i - 25;

		if (at < 0 || at >= 100)
			ok &= seen[i].u == FRESH;
		else
			ok &= seen[i].f == at / 4 + at % 4 * 0.25f;
	}
	tap(ok, "a range of a buffer is filled, and nothing else");
}

/* Ends the render pass, the submission, or both in the middle of feedback. */
static void interrupt(int how)
{
	switch (how) {
	case 0:
		glFinish();
		break;
	case 1:
		glClear(GL_COLOR_BUFFER_BIT);
		gl_pixel(0, 0);
		break;
	case 2:
		glPauseTransformFeedback();
		glResumeTransformFeedback();
		break;
	case 3:
		glPauseTransformFeedback();
		glDrawArrays(GL_POINTS, 3, 5);
		glResumeTransformFeedback();
		break;
	default:
		glFlush();
	}
}

static void test_interrupted(void)
{
	static const char *const how[] = {
		"finished", "read back", "paused", "paused for another draw", "flushed",
	};

	for (int i = 0; i < 5; i++) {
		reset_buffers();
		glBeginTransformFeedback(GL_POINTS);
		for (int at = 0; at < N_VERTICES; at += 4) {
			glDrawArrays(GL_POINTS, at, 4);
			interrupt(i);
		}
		glEndTransformFeedback();
		tap(holds(0, layouts[0].varyings, 1, counting, N_VERTICES),
		    "it goes on when it was %s", how[i]);
	}
}

/* Two transform feedback objects that are filled in turns. */
static void test_objects(void)
{
	static const int evens[] = { 0, 2, 4, 6, 8, 10 }, odds[] = { 1, 3, 5, 7, 9, 11 };
	GLuint objects[2];

	reset_buffers();
	glGenTransformFeedbacks(2, objects);
	for (int i = 0; i < 2; i++) {
		glBindTransformFeedback(GL_TRANSFORM_FEEDBACK, objects[i]);
		glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, feedback_buffers[i]);
		glBeginTransformFeedback(GL_POINTS);
		glPauseTransformFeedback();
	}
	for (int i = 0; i < 12; i++) {
		glBindTransformFeedback(GL_TRANSFORM_FEEDBACK, objects[i % 2]);
		glResumeTransformFeedback();
		glDrawArrays(GL_POINTS, i, 1);
		glPauseTransformFeedback();
	}
	for (int i = 0; i < 2; i++) {
		glBindTransformFeedback(GL_TRANSFORM_FEEDBACK, objects[i]);
		glEndTransformFeedback();
	}
	glBindTransformFeedback(GL_TRANSFORM_FEEDBACK, 0);
	glDeleteTransformFeedbacks(2, objects);
	tap(holds(0, layouts[0].varyings, 1, evens, 6) && holds(1, layouts[0].varyings, 1, odds, 6),
	    "two objects are filled in turns");
}

/*
 * The program writes a part of the buffer while feedback is paused; feedback fills that part later.
 */
static void test_written(void)
{
	word data[4];
	static word seen[MAX_BYTES / 4];

	reset_buffers();
	glBeginTransformFeedback(GL_POINTS);
	glDrawArrays(GL_POINTS, 0, 8);
	glPauseTransformFeedback();
	glFinish();
	for (int i = 0; i < 4; i++)
		data[i].f = 1000 + i;
	glBindBuffer(GL_COPY_WRITE_BUFFER, feedback_buffers[0]);
	glBufferSubData(GL_COPY_WRITE_BUFFER, 20 * 16, 16, data);
	glResumeTransformFeedback();
	glDrawArrays(GL_POINTS, 8, 8);
	glEndTransformFeedback();
	read_buffer(0, seen);
	tap(seen[80].f == 1000 && seen[83].f == 1003 && seen[60].f == 15 && seen[64].u == FRESH,
	    "the program writes to the buffer while it is paused");
}

/* The program writes or invalidates the whole buffer while feedback is paused. */
static void rewrite(int how)
{
	static word data[MAX_BYTES / 4];
	void *map = NULL;

	for (int i = 0; i < MAX_BYTES / 4; i++)
		data[i].f = 1000 + i;
	glBindBuffer(GL_COPY_WRITE_BUFFER, feedback_buffers[0]);
	if (how == 0)
		glBufferSubData(GL_COPY_WRITE_BUFFER, 0, MAX_BYTES, data);
	if (how == 1)
		map = glMapBufferRange(GL_COPY_WRITE_BUFFER, 0, MAX_BYTES,
				       GL_MAP_WRITE_BIT | GL_MAP_INVALIDATE_BUFFER_BIT);
	if (how == 2)
		map = glMapBufferRange(GL_COPY_WRITE_BUFFER, 0, MAX_BYTES,
				       GL_MAP_WRITE_BIT | GL_MAP_INVALIDATE_RANGE_BIT);
	if (map) {
		memcpy(map, data, MAX_BYTES);
		glUnmapBuffer(GL_COPY_WRITE_BUFFER);
	}
}

static void test_rewritten(void)
{
	static const char *const how[] = { "glBufferSubData", "a map of a new buffer",
					   "a map of a new range" };
	static word seen[MAX_BYTES / 4];

	for (int i = 0; i < 3; i++) {
		reset_buffers();
		glBeginTransformFeedback(GL_POINTS);
		glDrawArrays(GL_POINTS, 0, 8);
		glPauseTransformFeedback();
		rewrite(i);
		glResumeTransformFeedback();
		glDrawArrays(GL_POINTS, 8, 8);
		glEndTransformFeedback();
		read_buffer(0, seen);
		tap(seen[0].f == 1000 && seen[31].f == 1031 && seen[32].f == 8 &&
			    seen[60].f == 15 && seen[64].f == 1064,
		    "it goes on where it was though %s wrote all of the buffer", how[i]);
	}
}

/*
 * A buffer whose data was invalidated has valid data again after feedback: later writes of the
 * program must wait for it.
 */
static void test_invalidated(GLuint slot)
{
	static const char *const names[] = { "one", "gl_NextBuffer", "other" };
	static const char *const how[] = { "glInvalidateBufferData", "glBufferData of nothing" };
	const GLuint program = core_program(vertex_source, fragment_source, 3, names,
					    GL_INTERLEAVED_ATTRIBS);
	const word mark = { .u = 0x12345678 };
	static word seen[MAX_BYTES / 4];

	glUseProgram(program);
	reset_buffers();
	for (int i = -1; i < 2; i++) {
		glBindBuffer(GL_COPY_WRITE_BUFFER, feedback_buffers[slot]);
		if (i == 0)
			glInvalidateBufferData(feedback_buffers[slot]);
		if (i == 1)
			glBufferData(GL_COPY_WRITE_BUFFER, MAX_BYTES, NULL, GL_DYNAMIC_COPY);
		glBeginTransformFeedback(GL_POINTS);
		glDrawArrays(GL_POINTS, 0, 8);
		glEndTransformFeedback();
		glBufferSubData(GL_COPY_WRITE_BUFFER, 8, 4, &mark);
		read_buffer(slot, seen);
		if (i >= 0)
			tap(seen[2].u == mark.u && seen[3].f == (slot ? 15 : 9),
			    "buffer %u is written to after feedback after %s: %#x, %g", slot,
			    how[i], seen[2].u,
			    seen[3].f);
	}
	glDeleteProgram(program);
}

/* Draws captured positions, as many as were captured. */
static void test_drawn(void)
{
	static const char source[] =
		"#version 330\n"
		"in float vertex;\n"
		"out vec2 corner;\n"
		"void main() {\n"
		"	int v = int(vertex);\n"
		"	corner = vec2(float(v & 1) * 2.0 - 1.0, float(v >> 1));\n"
		"	gl_Position = vec4(corner, 0.0, 1.0);\n"
		"}\n";
	static const char *const names[] = { "corner" };
	static const char draw_source[] =
		"#version 330\n"
		"in vec2 vertex;\n"
		"void main() { gl_Position = vec4(vertex, 0.0, 1.0); }\n";
	const GLuint capture = core_program(source, fragment_source, 1, names,
					    GL_INTERLEAVED_ATTRIBS);
	const GLuint draw = core_program(draw_source, fragment_source, 0, NULL, GL_NONE);
	GLuint object, array, query;

	reset_buffers();
	gl_fill(0, 0, CORE_SIZE, CORE_SIZE, BLACK);
	glGenTransformFeedbacks(1, &object);
	glBindTransformFeedback(GL_TRANSFORM_FEEDBACK, object);
	glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, feedback_buffers[0]);
	glUseProgram(capture);
	glEnable(GL_RASTERIZER_DISCARD);
	glBeginTransformFeedback(GL_POINTS);
	glDrawArrays(GL_POINTS, 0, 4);
	glEndTransformFeedback();
	glDisable(GL_RASTERIZER_DISCARD);

	glGenVertexArrays(1, &array);
	glBindVertexArray(array);
	glBindBuffer(GL_ARRAY_BUFFER, feedback_buffers[0]);
	glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
	glEnableVertexAttribArray(0);
	glUseProgram(draw);
	query = query_new(GL_PRIMITIVES_GENERATED);
	glDrawTransformFeedback(GL_TRIANGLE_STRIP, object);
	tap(query_end(GL_PRIMITIVES_GENERATED, query) == 2,
	    "as many vertices are drawn as were captured");
	tap(gl_pixel_is(2, CORE_SIZE - 2, WHITE, 0) &&
		    gl_pixel_is(CORE_SIZE - 2, CORE_SIZE / 2, WHITE, 0) &&
		    gl_pixel_is(2, CORE_SIZE / 2 - 2, BLACK, 0),
	    "what was captured is drawn");
	query = query_new(GL_PRIMITIVES_GENERATED);
	glFinish();
	glDrawTransformFeedbackInstanced(GL_POINTS, object, 3);
	tap(query_end(GL_PRIMITIVES_GENERATED, query) == 12,
	    "in another submission, and in three instances");

	glBindTransformFeedback(GL_TRANSFORM_FEEDBACK, 0);
	glDeleteTransformFeedbacks(1, &object);
	glDeleteVertexArrays(1, &array);
	glDeleteProgram(capture);
	glDeleteProgram(draw);
}

/* The corners of a quad, in the order of a loop or of a strip. */
static const char quad_source[] =
	"#version 330\n"
	"in float vertex;\n"
	"uniform int strip;\n"
	"out vec2 corner;\n"
	"void main() {\n"
	"	int v = int(vertex);\n"
	"	corner = vec2((v ^ (strip == 0 ? v >> 1 : 0)) & 1, v >> 1) - 0.5;\n"
	"	gl_Position = vec4(0.0);\n"
	"}\n";

static const char corner_source[] =
	"#version 330\n"
	"in vec2 vertex;\n"
	"void main() { gl_Position = vec4(vertex + 0.03, 0.0, 1.0); }\n";

static GLuint quad_program(void)
{
	static const char *const names[] = { "corner" };

	return core_program(quad_source, fragment_source, 1, names, GL_INTERLEAVED_ATTRIBS);
}

/* Captures the quad in two parts into a buffer with space for more. Returns the feedback object. */
static GLuint capture_quad(GLuint program, bool strip)
{
	GLuint object;

	glGenTransformFeedbacks(1, &object);
	glBindTransformFeedback(GL_TRANSFORM_FEEDBACK, object);
	reset_buffers();
	glUseProgram(program);
	glUniform1i(glGetUniformLocation(program, "strip"), strip);
	glEnable(GL_RASTERIZER_DISCARD);
	glBeginTransformFeedback(GL_POINTS);
	glDrawArrays(GL_POINTS, 0, 1);
	glFlush();
	glDrawArrays(GL_POINTS, 1, 3);
	glEndTransformFeedback();
	glDisable(GL_RASTERIZER_DISCARD);
	glBindTransformFeedback(GL_TRANSFORM_FEEDBACK, 0);
	return object;
}

/* Returns the number of white pixels. */
static int count_white(void)
{
	int n = 0;

	for (int i = 0; i < CORE_SIZE * CORE_SIZE; i++)
		n += gl_pixel(i % CORE_SIZE, i / CORE_SIZE) == WHITE;
	return n;
}

/*
 * Draws the vertices captured by @object, or four vertices if @object is 0. Returns the number of
 * white pixels.
 */
static int draw_quad(GLenum mode, GLuint object)
{
	glClear(GL_COLOR_BUFFER_BIT);
	if (object)
		glDrawTransformFeedback(mode, object);
	else
		glDrawArrays(mode, 0, 4);
	return count_white();
}

static void test_mode(const char *what, GLenum mode, GLuint capture, GLuint draw)
{
	const GLuint object = capture_quad(capture, mode == QUAD_STRIP);
	GLuint array;
	int by_number, captured;

	glGenVertexArrays(1, &array);
	glBindVertexArray(array);
	glBindBuffer(GL_ARRAY_BUFFER, feedback_buffers[0]);
	glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
	glEnableVertexAttribArray(0);
	glUseProgram(draw);
	captured = draw_quad(mode, object);
	by_number = draw_quad(mode, 0);
	tap(captured && captured == by_number, "what was captured is drawn as %s, %d pixels of %d",
	    what, captured, by_number);
	glBindVertexArray(0);
	glDeleteVertexArrays(1, &array);
	glDeleteTransformFeedbacks(1, &object);
}

/*
 * A geometry shader whose output per vertex can be so large that the device needs the number of
 * vertices.
 */
static void test_much(void)
{
	static const char geometry[] =
		"#version 400\n"
		"layout(points, invocations = 8) in;\n"
		"layout(points, max_vertices = 250) out;\n"
		"void main() {\n"
		"	if (gl_InvocationID != 7)\n"
		"		return;\n"
		"	gl_Position = gl_in[0].gl_Position;\n"
		"	EmitVertex();\n"
		"}\n";
	const GLuint capture = quad_program(),
		     draw = core_stages(corner_source, geometry, fragment_source);
	const GLuint object = capture_quad(capture, false);
	GLuint array;
	GLint before;
	int captured;

	glGetIntegerv(GL_VERTEX_ARRAY_BINDING, &before);
	glGenVertexArrays(1, &array);
	glBindVertexArray(array);
	glBindBuffer(GL_ARRAY_BUFFER, feedback_buffers[0]);
	glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
	glEnableVertexAttribArray(0);
	glUseProgram(draw);
	glClearColor(0, 0, 0, 1);
	glDisable(GL_PROGRAM_POINT_SIZE);
	captured = draw_quad(GL_POINTS, object);
	tap(captured == 4,
	    "what was captured goes through a geometry shader that may make much of it: %d points",
	    captured);
	glEnable(GL_PROGRAM_POINT_SIZE);
	glBindVertexArray(before);
	glDeleteVertexArrays(1, &array);
	glDeleteTransformFeedbacks(1, &object);
	glDeleteProgram(capture);
	glDeleteProgram(draw);
}

/* Captures from one buffer to the other and back; each pass adds one. */
static void test_ping_pong(void)
{
	static const char source[] =
		"#version 330\n"
		"in float vertex;\n"
		"out float next;\n"
		"void main() { next = vertex + 1.0; gl_Position = vec4(0.0); }\n";
	static const char *const names[] = { "next" };
	const GLuint program = core_program(source, fragment_source, 1, names,
					    GL_INTERLEAVED_ATTRIBS);
	static word seen[MAX_BYTES / 4];
	GLuint arrays[2];
	bool ok = true;

	reset_buffers();
	for (int i = 0; i < 100; i++)
		seen[i].f = i;
	glGenVertexArrays(2, arrays);
	for (int i = 0; i < 2; i++) {
		glBindVertexArray(arrays[i]);
		glBindBuffer(GL_ARRAY_BUFFER, feedback_buffers[i]);
		glBufferSubData(GL_ARRAY_BUFFER, 0, 400, seen);
		glVertexAttribPointer(0, 1, GL_FLOAT, GL_FALSE, 0, NULL);
		glEnableVertexAttribArray(0);
	}
	glUseProgram(program);
	glEnable(GL_RASTERIZER_DISCARD);
	for (int i = 0; i < 200; i++) {
		glBindVertexArray(arrays[i % 2]);
		glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, feedback_buffers[1 - i % 2]);
		glBeginTransformFeedback(GL_POINTS);
		glDrawArrays(GL_POINTS, 0, 100);
		glEndTransformFeedback();
	}
	glDisable(GL_RASTERIZER_DISCARD);
	read_buffer(0, seen);
	for (int i = 0; i < 100; i++)
		ok &= seen[i].f == i + 200;
	tap(ok, "200 passes from one buffer to the other and back");
	glDeleteVertexArrays(2, arrays);
	glDeleteProgram(program);
}

/* Captured primitives are rasterised, too. */
static void test_both(void)
{
	reset_buffers();
	gl_fill(0, 0, CORE_SIZE, CORE_SIZE, BLACK);
	glBeginTransformFeedback(GL_POINTS);
	glDrawArrays(GL_POINTS, 0, 1);
	glEndTransformFeedback();
	tap(gl_pixel_is(CORE_SIZE / 2, CORE_SIZE / 2, WHITE, 0) &&
		    holds(0, layouts[0].varyings, 1, counting, 1),
	    "points are captured and drawn");
}

/*
 * The captured point size is not the one that is used, and clip distances that are not enabled do
 * not clip.
 */
static void test_built_in(void)
{
	const GLuint program = layout_program(&built_in);

	reset_buffers();
	gl_fill(0, 0, CORE_SIZE, CORE_SIZE, BLACK);
	glDisable(GL_PROGRAM_POINT_SIZE);
	glViewport(0, 0, CORE_SIZE + 1, CORE_SIZE + 1);
	glBeginTransformFeedback(GL_POINTS);
	glDrawArrays(GL_POINTS, 0, 1);
	glEndTransformFeedback();
	glViewport(0, 0, CORE_SIZE, CORE_SIZE);
	glEnable(GL_PROGRAM_POINT_SIZE);
	tap(gl_pixel_is(8, 8, WHITE, 0) && gl_pixel_is(7, 7, BLACK, 0) &&
		    gl_pixel_is(9, 9, BLACK, 0),
	    "a point of size one is drawn");
	tap(layout_holds(&built_in, counting, 1),
	    "whose size and clip distances are captured as the shader has them");
	glDeleteProgram(program);
}

/* Captures the output of a geometry shader: two triangles in a strip for each point. */
static void test_geometry(void)
{
	static const char vertex[] =
		"#version 330\n"
		"in float vertex;\n"
		"out float index;\n"
		"void main() { index = vertex; gl_Position = vec4(0.0); }\n";
	static const char geometry[] =
		"#version 330\n"
		"layout(points) in;\n"
		"layout(triangle_strip, max_vertices = 4) out;\n"
		"in float index[];\n"
		"out vec4 corner[2];\n"
		"void main() {\n"
		"	for (int i = 0; i < 4; i++) {\n"
		"		corner[0] = vec4(0.0);\n"
		"		corner[1] = vec4(index[0], float(i), index[0] * 10.0 + "
		"float(i), 3.0);\n"
		"		gl_Position = vec4(0.0);\n"
		"		EmitVertex();\n"
		"	}\n"
		"}\n";
	static const char *const names[] = { "gl_SkipComponents1", "corner[1]" };
	static const int strip[] = { 0, 1, 2, 2, 1, 3 };
	static word seen[MAX_BYTES / 4];
	const GLuint program = core_stages(vertex, geometry, fragment_source);
	GLuint written, generated, query, query_generated;
	bool ok = true;

	glTransformFeedbackVaryings(program, 2, names, GL_INTERLEAVED_ATTRIBS);
	glLinkProgram(program);
	glUseProgram(program);
	reset_buffers();
	query = query_new(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN);
	query_generated = query_new(GL_PRIMITIVES_GENERATED);
	glBeginTransformFeedback(GL_TRIANGLES);
	glDrawArrays(GL_POINTS, 0, 3);
	glFinish();
	glDrawArrays(GL_POINTS, 3, 2);
	glEndTransformFeedback();
	written = query_end(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN, query);
	generated = query_end(GL_PRIMITIVES_GENERATED, query_generated);
	read_buffer(0, seen);
	for (int i = 0; i < 5 * 6; i++) {
		const word *at = &seen[i * 5];
		const int point = i / 6, corner = strip[i % 6];

		ok &= at[0].u == FRESH && at[1].f == point && at[2].f == corner &&
		      at[3].f == point * 10 + corner && at[4].f == 3;
	}
	ok &= seen[5 * 6 * 5].u == FRESH;
	tap(ok, "the triangles of a geometry shader are captured");
	tap(written == 10 && generated == 10, "and counted");
	glDeleteProgram(program);
}

/* Modes that the device lacks: their conversion needs the number of captured vertices. */
static void test_modes(void)
{
	static const struct {
		const char *what;
		GLenum mode;
	} modes[] = {
		{ "a line strip", GL_LINE_STRIP }, { "a line loop", GL_LINE_LOOP },
		{ "a quad", QUADS },
		{ "a strip of quads", QUAD_STRIP }, { "a polygon", POLYGON },
	};
	const GLuint capture = quad_program(),
		     draw = core_program(corner_source, fragment_source, 0, NULL, GL_NONE);

	glClearColor(0, 0, 0, 1);
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		test_mode(modes[i].what, modes[i].mode, capture, draw);
	glDeleteProgram(capture);
	glDeleteProgram(draw);
}

/* gl_ClipVertex, of the compatibility profile, is captured; no later stage reads it. */
static void test_clip_vertex(void)
{
	static const char vertex[] =
		"#version 330 compatibility\n"
		"in float vertex;\n"
		"void main() {\n"
		"	gl_ClipVertex = vec4(vertex, vertex + 0.25, vertex + 0.5, vertex + 0.75);\n"
		"	gl_Position = vec4(0.0, 0.0, 0.0, 1.0);\n"
		"}\n";
	static const char *const names[] = { "gl_ClipVertex" };
	static const GLfloat vertices[] = { 0, 1, 2, 3, 4 };
	static word seen[MAX_BYTES / 4];
	bool ok = true;

	gl_open(EGL_OPENGL_API);
	gl_draw_to(gl_texture_new(CORE_SIZE, BLACK), CORE_SIZE, CORE_SIZE);
	glUseProgram(core_program(vertex, fragment_source, 1, names, GL_INTERLEAVED_ATTRIBS));
	glGenBuffers(N_BUFFERS, feedback_buffers);
	reset_buffers();
	core_buffer(GL_ARRAY_BUFFER, sizeof(vertices), vertices);
	glVertexAttribPointer(0, 1, GL_FLOAT, GL_FALSE, 0, NULL);
	glEnableVertexAttribArray(0);
	glBeginTransformFeedback(GL_POINTS);
	glDrawArrays(GL_POINTS, 0, 5);
	glEndTransformFeedback();
	read_buffer(0, seen);
	for (int i = 0; i < 5 * 4; i++)
		ok &= seen[i].f == i / 4 + i % 4 * 0.25f;
	tap(ok, "clip vertices are captured");
	test_modes();
	tap(core_no_error(), "and there is no error to tell");
	gl_close();
}

int main(void)
{
	GLfloat indices[N_VERTICES];
	GLuint array, program;

	core_open();
	for (int i = 0; i < N_VERTICES; i++)
		indices[i] = counting[i] = i;
	glGenVertexArrays(1, &array);
	glBindVertexArray(array);
	core_buffer(GL_ARRAY_BUFFER, sizeof(indices), indices);
	glVertexAttribPointer(0, 1, GL_FLOAT, GL_FALSE, 0, NULL);
	glEnableVertexAttribArray(0);
	glGenBuffers(N_BUFFERS, feedback_buffers);
	glEnable(GL_PROGRAM_POINT_SIZE);
	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++)
		test_layout(&layouts[i]);

	program = layout_program(&layouts[0]);
	for (size_t i = 0; i < sizeof(primitives) / sizeof(primitives[0]); i++)
		test_primitive(&primitives[i]);
	test_indexed();
	test_loops();
	test_full();
	test_range();
	test_interrupted();
	test_objects();
	test_written();
	test_rewritten();
	test_invalidated(0);
	test_invalidated(1);
	glUseProgram(program);
	test_both();
	test_built_in();
	test_geometry();
	test_much();
	test_drawn();
	test_ping_pong();
	glDeleteProgram(program);
	tap(core_no_error(), "there is no error to tell");
	gl_close();
	test_clip_vertex();
	return tap_failures() != 0;
}
