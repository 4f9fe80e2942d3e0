// SPDX-License-Identifier: MIT
/*
 * Vertex streams: captured data, counts, overflows and draws of each stream; invocations of
 * geometry shaders. Prints TAP.
 */
#include "gl-core.h"

#include <string.h>

#define ROOM 64

static const char vertex_source[] =
	"#version 400\n"
	"out int number;\n"
	"void main() { number = gl_VertexID; gl_Position = vec4(0, 0, 0, 1); }\n";

/* Vertex n goes to stream 0 once, to stream 1 n times, and to stream 3 twice. */
static const char streams_source[] =
	"#version 400\n"
	"layout(points) in;\n"
	"layout(points, max_vertices = 16) out;\n"
	"in int number[];\n"
	"layout(stream = 0) out vec2 first;\n"
	"layout(stream = 1) out ivec3 second;\n"
	"layout(stream = 3) out float fourth;\n"
	"void main() {\n"
	"	first = vec2(number[0], 0.5);\n"
	"	gl_Position = vec4(number[0] * 0.5 - 0.6875, 0.0625, 0, 1);\n"
	"	EmitStreamVertex(0);\n"
	"	EndStreamPrimitive(0);\n"
	"	for (int i = 0; i < number[0]; i++) {\n"
	"		second = ivec3(number[0], i, -1);\n"
	"		EmitStreamVertex(1);\n"
	"		EndStreamPrimitive(1);\n"
	"	}\n"
	"	for (int i = 0; i < 2; i++) {\n"
	"		fourth = number[0] + 0.25 * i;\n"
	"		EmitStreamVertex(3);\n"
	"		EndStreamPrimitive(3);\n"
	"	}\n"
	"}\n";

static const char white_source[] =
	"#version 400\n"
	"out vec4 result;\n"
	"void main() { result = vec4(1); }\n";

static GLuint program_new(void)
{
	static const char *const varyings[] = { "first", "gl_NextBuffer", "second", "gl_NextBuffer",
						"fourth" };
	const struct core_shader shaders[] = {
		{ GL_VERTEX_SHADER, vertex_source }, { GL_GEOMETRY_SHADER, streams_source },
		{ GL_FRAGMENT_SHADER, white_source }, { 0 },
	};

	return core_link(shaders, 5, varyings, GL_INTERLEAVED_ATTRIBS);
}

static void bind_buffers(GLuint *buffers, const GLsizeiptr *sizes)
{
	for (int i = 0; i < 3; i++) {
		buffers[i] = core_buffer(GL_TRANSFORM_FEEDBACK_BUFFER, ROOM * 16, NULL);
		glBindBufferRange(GL_TRANSFORM_FEEDBACK_BUFFER, i, buffers[i], 0, sizes[i]);
	}
}

static GLuint count(GLuint query)
{
	GLuint result = ~0u;

	glGetQueryObjectuiv(query, GL_QUERY_RESULT, &result);
	return result;
}

static void test_capture(void)
{
	static const GLsizeiptr sizes[] = { ROOM * 8, ROOM * 12, ROOM * 4 };
	const int expected_written[] = { 4, 6, 0, 8 };
	GLuint program = program_new(), buffers[3], generated[4], written[4], any;
	GLfloat first[8], fourth[8];
	GLint second[18];
	bool all = true;
	int n = 0;

	bind_buffers(buffers, sizes);
	glGenQueries(4, generated);
	glGenQueries(4, written);
	glGenQueries(1, &any);
	glUseProgram(program);
	glClearColor(0, 0, 0, 1);
	glClear(GL_COLOR_BUFFER_BIT);
	for (int i = 0; i < 4; i++) {
		glBeginQueryIndexed(GL_PRIMITIVES_GENERATED, i, generated[i]);
		glBeginQueryIndexed(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN, i, written[i]);
	}
	glBeginQuery(GL_TRANSFORM_FEEDBACK_OVERFLOW_ARB, any);
	glBeginTransformFeedback(GL_POINTS);
	glDrawArrays(GL_POINTS, 0, 4);
	glEndTransformFeedback();
	glEndQuery(GL_TRANSFORM_FEEDBACK_OVERFLOW_ARB);
	for (int i = 0; i < 4; i++) {
		glEndQueryIndexed(GL_PRIMITIVES_GENERATED, i);
		glEndQueryIndexed(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN, i);
	}
	glBindBuffer(GL_TRANSFORM_FEEDBACK_BUFFER, buffers[0]);
	glGetBufferSubData(GL_TRANSFORM_FEEDBACK_BUFFER, 0, sizeof(first), first);
	glBindBuffer(GL_TRANSFORM_FEEDBACK_BUFFER, buffers[1]);
	glGetBufferSubData(GL_TRANSFORM_FEEDBACK_BUFFER, 0, sizeof(second), second);
	glBindBuffer(GL_TRANSFORM_FEEDBACK_BUFFER, buffers[2]);
	glGetBufferSubData(GL_TRANSFORM_FEEDBACK_BUFFER, 0, sizeof(fourth), fourth);
	for (int i = 0; i < 4; i++) {
		all = all && first[i * 2] == i && first[i * 2 + 1] == 0.5f;
		all = all && fourth[i * 2] == i && fourth[i * 2 + 1] == i + 0.25f;
		for (int copy = 0; copy < i; copy++, n++)
			all = all && second[n * 3] == i && second[n * 3 + 1] == copy &&
			      second[n * 3 + 2] == -1;
	}
	tap(all, "three streams are captured");
	for (int i = 0; i < 4; i++)
		tap(count(written[i]) == (GLuint)expected_written[i] &&
			    count(generated[i]) == (GLuint)expected_written[i],
		    "stream %d: %u points, %u written", i, count(generated[i]), count(written[i]));
	tap(!count(any), "none of them lacked room");
	tap(gl_pixel_is(2, 8, 0xffffffff, 0) && gl_pixel_is(14, 8, 0xffffffff, 0) &&
		    gl_pixel_is(8, 8, 0x000000ff, 0),
	    "the first is drawn");
	glDeleteQueries(4, generated);
	glDeleteQueries(4, written);
	glDeleteQueries(1, &any);
	glDeleteBuffers(3, buffers);
	glDeleteProgram(program);
}

/* Buffer 1 has space for two vertices of the second stream. */
static void test_overflow(void)
{
	static const GLsizeiptr sizes[] = { ROOM * 8, 24, ROOM * 4 };
	GLuint program = program_new(), buffers[3], queries[3];

	bind_buffers(buffers, sizes);
	glGenQueries(3, queries);
	glUseProgram(program);
	glBeginQueryIndexed(GL_TRANSFORM_FEEDBACK_STREAM_OVERFLOW_ARB, 0, queries[0]);
	glBeginQueryIndexed(GL_TRANSFORM_FEEDBACK_STREAM_OVERFLOW_ARB, 1, queries[1]);
	glBeginQuery(GL_TRANSFORM_FEEDBACK_OVERFLOW_ARB, queries[2]);
	glBeginTransformFeedback(GL_POINTS);
	glDrawArrays(GL_POINTS, 0, 4);
	glEndTransformFeedback();
	glEndQueryIndexed(GL_TRANSFORM_FEEDBACK_STREAM_OVERFLOW_ARB, 0);
	glEndQueryIndexed(GL_TRANSFORM_FEEDBACK_STREAM_OVERFLOW_ARB, 1);
	glEndQuery(GL_TRANSFORM_FEEDBACK_OVERFLOW_ARB);
	tap(!count(queries[0]) && count(queries[1]) && count(queries[2]),
	    "one stream lacks room: %u %u, any: %u", count(queries[0]), count(queries[1]),
	    count(queries[2]));
	glDeleteQueries(3, queries);
	glDeleteBuffers(3, buffers);
	glDeleteProgram(program);
}

/* Draws as many points as a stream captured. */
static void test_draw(void)
{
	static const GLsizeiptr sizes[] = { ROOM * 8, ROOM * 12, ROOM * 4 };
	GLuint program = program_new(), plain = core_stages(vertex_source, NULL, white_source),
	       buffers[3], object, query;

	glGenTransformFeedbacks(1, &object);
	glBindTransformFeedback(GL_TRANSFORM_FEEDBACK, object);
	bind_buffers(buffers, sizes);
	glGenQueries(1, &query);
	glUseProgram(program);
	glBeginTransformFeedback(GL_POINTS);
	glDrawArrays(GL_POINTS, 0, 4);
	glEndTransformFeedback();
	glUseProgram(plain);
	for (int stream = 0; stream < 4; stream++) {
		static const GLuint expected[] = { 4, 6, 0, 8 };

		if (stream == 2)
			continue;
		glBeginQuery(GL_PRIMITIVES_GENERATED, query);
		glDrawTransformFeedbackStream(GL_POINTS, object, stream);
		glEndQuery(GL_PRIMITIVES_GENERATED);
		tap(count(query) == expected[stream], "stream %d is drawn: %u points", stream,
		    count(query));
	}
	glBindTransformFeedback(GL_TRANSFORM_FEEDBACK, 0);
	glDeleteTransformFeedbacks(1, &object);
	glDeleteQueries(1, &query);
	glDeleteBuffers(3, buffers);
	glDeleteProgram(program);
	glDeleteProgram(plain);
}

/* A geometry shader with several invocations. */
static void test_invocations(void)
{
	static const char *const varyings[] = { "captured" };
	static const char source[] =
		"#version 400\n"
		"layout(points, invocations = 32) in;\n"
		"layout(points, max_vertices = 1) out;\n"
		"in int number[];\n"
		"out ivec2 captured;\n"
		"void main() {\n"
		"	captured = ivec2(gl_InvocationID, number[0]);\n"
		"	gl_Position = vec4(0);\n"
		"	EmitVertex();\n"
		"}\n";
	const struct core_shader shaders[] = { { GL_VERTEX_SHADER, vertex_source },
					       { GL_GEOMETRY_SHADER, source },
					       { 0 } };
	GLuint program = core_link(shaders, 1, varyings, GL_INTERLEAVED_ATTRIBS);
	GLuint buffer = core_buffer(GL_TRANSFORM_FEEDBACK_BUFFER, 2 * 32 * 8, NULL);
	GLint seen[2 * 32][2] = { 0 };
	bool all = true;

	glUseProgram(program);
	glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, buffer);
	glEnable(GL_RASTERIZER_DISCARD);
	glBeginTransformFeedback(GL_POINTS);
	glDrawArrays(GL_POINTS, 0, 2);
	glEndTransformFeedback();
	glDisable(GL_RASTERIZER_DISCARD);
	glGetBufferSubData(GL_TRANSFORM_FEEDBACK_BUFFER, 0, sizeof(seen), seen);
	for (int i = 0; i < 64; i++)
		all = all && seen[i][0] == i % 32 && seen[i][1] == i / 32;
	tap(all, "32 invocations of each of two points");
	glDeleteBuffers(1, &buffer);
	glDeleteProgram(program);
}

int main(void)
{
	core_open();
	test_capture();
	test_overflow();
	test_draw();
	test_invocations();
	tap(core_no_error(), "there is no error to tell");
	gl_close();
	return tap_failures() != 0;
}
