// SPDX-License-Identifier: MIT
/*
 * 64-bit floats and integers: arithmetic, uniforms, blocks, attributes, varyings, transform
 * feedback. Prints TAP.
 */
#include "gl-core.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define HEADER								\
	"#version 400\n"						\
	"#extension GL_ARB_vertex_attrib_64bit: require\n"

/* Numbers that need all 53 bits of the mantissa. */
static const GLdouble third = 1.0 / 3.0, big = 9007199254740991.0, pi = 3.14159265358979323846;

/* Runs @draw with a program that captures "captured", and copies the captured data to @out. */
static void capture_drawn(GLuint program, void *out, size_t size, void (*draw)(const GLint *bases),
			  const GLint *bases)
{
	GLuint buffer = core_buffer(GL_TRANSFORM_FEEDBACK_BUFFER, size, NULL);

	glUseProgram(program);
	glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, buffer);
	glEnable(GL_RASTERIZER_DISCARD);
	glBeginTransformFeedback(GL_POINTS);
	draw(bases);
	glEndTransformFeedback();
	glDisable(GL_RASTERIZER_DISCARD);
	glGetBufferSubData(GL_TRANSFORM_FEEDBACK_BUFFER, 0, size, out);
	glDeleteBuffers(1, &buffer);
}

static void draw_point(const GLint *bases)
{
	(void)bases;
	glDrawArrays(GL_POINTS, 0, 1);
}

static void capture(GLuint program, void *out, size_t size)
{
	capture_drawn(program, out, size, draw_point, NULL);
}

static GLuint capturing(const char *vertex, const char *geometry)
{
	static const char *const varyings[] = { "captured" };
	const struct core_shader shaders[] = {
		{ GL_VERTEX_SHADER, vertex }, { GL_GEOMETRY_SHADER, geometry }, { 0 },
	};

	return core_link(shaders, 1, varyings, GL_INTERLEAVED_ATTRIBS);
}

static bool same(const GLdouble *a, const GLdouble *b, int n)
{
	return !memcmp(a, b, n * sizeof(*a));
}

static void test_arithmetic(void)
{
	static const char source[] = HEADER
		"uniform double a, b;\n"
		"out double captured[8];\n"
		"void main() {\n"
		"	captured[0] = a + b;\n"
		"	captured[1] = a * b - 1.0lf;\n"
		"	captured[2] = a / b;\n"
		"	captured[3] = sqrt(b);\n"
		"	captured[4] = floor(b * 100.0lf) + fract(b) + double(int(b));\n"
		"	captured[5] = fma(a, b, -a);\n"
		"	captured[6] = a < b ? max(a, b) : abs(min(a, -b));\n"
		"	captured[7] = packDouble2x32(unpackDouble2x32(a)) + roundEven(2.5lf);\n"
		"	gl_Position = vec4(0);\n"
		"}\n";
	const GLdouble expected[] = {
		third + pi, third * pi - 1.0, third / pi, sqrt(pi), floor(pi * 100) + (pi - 3) + 3,
		fma(third, pi, -third), pi, third + 2.0,
	};
	GLuint program = capturing(source, NULL);
	GLdouble seen[8] = { 0 };

	glUseProgram(program);
	glUniform1d(glGetUniformLocation(program, "a"), third);
	glUniform1d(glGetUniformLocation(program, "b"), pi);
	capture(program, seen, sizeof(seen));
	for (int i = 0; i < 8; i++)
		tap(fabs(seen[i] - expected[i]) <= fabs(expected[i]) * 0x1p-51,
		    "operation %d: %.17g, not %.17g", i, seen[i], expected[i]);
	glDeleteProgram(program);
}

/* Vectors and matrices outside of blocks and in a block, some of them not aligned to 16 bytes. */
static void test_uniforms(void)
{
	static const char source[] = HEADER
		"uniform dvec3 v;\n"
		"uniform dmat2x3 m[2];\n"
		"uniform int at;\n"
		"layout(std140) uniform Block { float pad; double one; dvec2 two; "
		"dvec3 three[2]; };\n"
		"out double captured[6];\n"
		"void main() {\n"
		"	captured[0] = v.z;\n"
		"	captured[1] = m[at][1].y;\n"
		"	captured[2] = one;\n"
		"	captured[3] = two.y;\n"
		"	captured[4] = three[at].z;\n"
		"	captured[5] = three[at + 1 - 1].x + v.x;\n"
		"	gl_Position = vec4(0);\n"
		"}\n";
	const GLdouble v[] = { 1, 2, third }, m[12] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, pi, 11 };
	const GLdouble block[] = { 0, big, 5, third, 6, 7, 8, 0, 9, 10, pi, 0 };
	const GLdouble expected[] = { third, pi, big, third, pi, 10 };
	GLuint program = capturing(source, NULL);
	GLdouble seen[6] = { 0 };

	glUseProgram(program);
	glUniform3dv(glGetUniformLocation(program, "v"), 1, v);
	glUniformMatrix2x3dv(glGetUniformLocation(program, "m"), 2, GL_FALSE, m);
	glUniform1i(glGetUniformLocation(program, "at"), 1);
	glBindBufferBase(GL_UNIFORM_BUFFER, 0,
			 core_buffer(GL_UNIFORM_BUFFER, sizeof(block), block));
	glUniformBlockBinding(program, glGetUniformBlockIndex(program, "Block"), 0);
	capture(program, seen, sizeof(seen));
	for (int i = 0; i < 6; i++)
		tap(same(&seen[i], &expected[i], 1), "uniform %d: %.17g, not %.17g", i, seen[i],
		    expected[i]);
	glDeleteProgram(program);
}

/* Members of structures, behind 32-bit members. */
static void test_members(void)
{
	static const char source[] = HEADER
		"struct Inner { float f; dvec3 v; };\n"
		"struct Outer { int i; double d; Inner inner[2]; float last; };\n"
		"uniform int first;\n"
		"uniform Outer o[2];\n"
		"uniform int at;\n"
		"out double captured[7];\n"
		"void main() {\n"
		"	captured[0] = o[1].d;\n"
		"	captured[1] = o[at].inner[1].v.z;\n"
		"	captured[2] = o[0].inner[at].v.x;\n"
		"	captured[3] = o[0].last + o[1].inner[0].f;\n"
		"	captured[4] = o[at].i;\n"
		"	captured[5] = o[0].d;\n"
		"	captured[6] = first;\n"
		"	gl_Position = vec4(0);\n"
		"}\n";
	const GLdouble one[] = { 1, 2, third }, other[] = { pi, 5, 6 };
	const GLdouble expected[] = { big, third, pi, 3.75, 9, third, 4 };
	GLuint program = capturing(source, NULL);
	GLdouble seen[7] = { 0 };

	glUseProgram(program);
	glUniform1i(glGetUniformLocation(program, "first"), 4);
	glUniform1i(glGetUniformLocation(program, "at"), 1);
	glUniform1d(glGetUniformLocation(program, "o[0].d"), third);
	glUniform3dv(glGetUniformLocation(program, "o[0].inner[1].v"), 1, other);
	glUniform1f(glGetUniformLocation(program, "o[0].last"), 3.5f);
	glUniform1i(glGetUniformLocation(program, "o[1].i"), 9);
	glUniform1d(glGetUniformLocation(program, "o[1].d"), big);
	glUniform1f(glGetUniformLocation(program, "o[1].inner[0].f"), 0.25f);
	glUniform3dv(glGetUniformLocation(program, "o[1].inner[1].v"), 1, one);
	capture(program, seen, sizeof(seen));
	for (int i = 0; i < 7; i++)
		tap(same(&seen[i], &expected[i], 1), "member %d: %.17g, not %.17g", i, seen[i],
		    expected[i]);
	glDeleteProgram(program);
}

/* Attributes of one to four components, which take one or two locations. */
static void test_attributes(void)
{
	static const char source[] = HEADER
		"in dvec4 vertex;\n"
		"layout(location = 3) in double one;\n"
		"layout(location = 4) in dvec2 two;\n"
		"layout(location = 5) in dvec3 three;\n"
		"layout(location = 8) in vec2 plain;\n"
		"out double captured[11];\n"
		"void main() {\n"
		"	for (int i = 0; i < 4; i++)\n"
		"		captured[i] = vertex[i];\n"
		"	captured[4] = one;\n"
		"	captured[5] = two.x;\n"
		"	captured[6] = two.y;\n"
		"	for (int i = 0; i < 3; i++)\n"
		"		captured[7 + i] = three[i];\n"
		"	captured[10] = plain.y;\n"
		"	gl_Position = vec4(0);\n"
		"}\n";
	const GLdouble data[] = { third, 2, big, pi, 5, third, 7, 8, big, pi, 11 };
	const GLfloat plain[] = { 1, 11 };
	static const struct { GLuint location; int size, offset; } attributes[] = {
		{ 0, 4, 0 }, { 3, 1, 4 }, { 4, 2, 5 }, { 5, 3, 7 },
	};
	GLuint program = capturing(source, NULL), arrays[2];
	GLdouble seen[11] = { 0 };

	glGenVertexArrays(2, arrays);
	glBindVertexArray(arrays[0]);
	core_buffer(GL_ARRAY_BUFFER, sizeof(data), data);
	for (int i = 0; i < 4; i++) {
		glVertexAttribLPointer(attributes[i].location, attributes[i].size, GL_DOUBLE,
				       sizeof(data),
				       (void *)(attributes[i].offset * sizeof(*data)));
		glEnableVertexAttribArray(attributes[i].location);
	}
	core_buffer(GL_ARRAY_BUFFER, sizeof(plain), plain);
	glVertexAttribPointer(8, 2, GL_FLOAT, GL_FALSE, 0, NULL);
	glEnableVertexAttribArray(8);
	capture(program, seen, sizeof(seen));
	for (int i = 0; i < 11; i++)
		tap(same(&seen[i], &data[i], 1), "attribute component %d: %.17g, not %.17g", i,
		    seen[i], data[i]);
	glDeleteProgram(program);
	glBindVertexArray(arrays[1]);
	glDeleteVertexArrays(1, arrays);
}

/* Elements of arrays and columns of matrices at dynamic indices; each is two vectors. */
static void test_indexed_attributes(void)
{
	static const char source[] = HEADER
		"layout(location = 0) in dvec4 array[2];\n"
		"layout(location = 4) in dmat3 matrix;\n"
		"uniform int i = 1;\n"
		"out double captured[8];\n"
		"void main() {\n"
		"	for (int k = 0; k < 4; k++)\n"
		"		captured[k] = array[i][k];\n"
		"	for (int k = 0; k < 3; k++)\n"
		"		captured[4 + k] = matrix[i][k];\n"
		"	captured[7] = array[1].w + array[i].w;\n"
		"	gl_Position = vec4(0);\n"
		"}\n";
	const GLdouble expected[8] = { third, 2, big, pi, 5, third, 7, 2 * pi };
	GLuint program = capturing(source, NULL);
	GLint array = glGetAttribLocation(program, "array"),
	      matrix = glGetAttribLocation(program, "matrix");
	GLdouble seen[8] = { 0 };

	for (int i = 0; i < 3; i++)
		glVertexAttribL3d(matrix + i, i + 4, third, i + 6);
	glVertexAttribL4d(array, 21, 22, 23, 24);
	glVertexAttribL4d(array + 1, third, 2, big, pi);
	capture(program, seen, sizeof(seen));
	tap(same(seen, expected, 8),
	    "an element and a column that are not known before: %g %g %g %g, %g %g %g, %g", seen[0],
	    seen[1], seen[2], seen[3], seen[4], seen[5], seen[6], seen[7]);
	glDeleteProgram(program);
}

#define N_FAR 6
#define FAR_SIZE 1000

/*
 * Makes attribute 0 floats that are stored as doubles or 7 bytes apart; the device can fetch
 * neither. The attribute of each vertex is its index.
 */
static GLuint far_attribute(bool doubles)
{
	static GLdouble numbers[FAR_SIZE];
	static char odd[FAR_SIZE * 7];
	GLuint buffer;

	for (int i = 0; i < FAR_SIZE; i++) {
		numbers[i] = i;
		memcpy(odd + i * 7, &(GLfloat){ i }, sizeof(GLfloat));
	}
	buffer = core_buffer(GL_ARRAY_BUFFER, doubles ? sizeof(numbers) : sizeof(odd),
			     doubles ? (void *)numbers : odd);
	glVertexAttribPointer(0, 1, doubles ? GL_DOUBLE : GL_FLOAT, GL_FALSE, doubles ? 8 : 7,
			      NULL);
	return buffer;
}

/* Clears the stack, whose old contents could pass for correct data. */
static __attribute__((noinline)) void clear_stack(void)
{
	volatile char nothing[16384];

	for (size_t i = 0; i < sizeof(nothing); i++)
		nothing[i] = 0;
}

static void draw_one_far(const GLint *bases)
{
	glDrawElementsBaseVertex(GL_POINTS, N_FAR, GL_UNSIGNED_SHORT, NULL, bases[0]);
}

static void draw_two_far(const GLint *bases)
{
	static const GLsizei counts[] = { N_FAR / 2, N_FAR / 2 };
	static const void *const offsets[] = { NULL, (const void *)N_FAR };

	clear_stack();
	glMultiDrawElementsBaseVertex(GL_POINTS, counts, GL_UNSIGNED_SHORT, offsets, 2, bases);
}

/* Attributes and gl_VertexID with indices that are far apart. */
static void test_far(bool doubles, bool several)
{
	static const char source[] = HEADER
		"in float number;\n"
		"out ivec2 captured;\n"
		"void main() {\n"
		"	captured = ivec2(int(number), gl_VertexID);\n"
		"	gl_Position = vec4(0);\n"
		"}\n";
	static const GLushort indices[N_FAR] = { 300, 1, 200, 401, 7, 555 };
	const GLint bases[2] = { 10, several ? 20 : 10 };
	GLuint program = capturing(source, NULL), attribute = far_attribute(doubles);
	GLuint elements = core_buffer(GL_ELEMENT_ARRAY_BUFFER, sizeof(indices), indices);
	GLint seen[N_FAR][2] = { 0 };
	bool ok = true;

	glEnableVertexAttribArray(0);
	capture_drawn(program, seen, sizeof(seen), several ? draw_two_far : draw_one_far, bases);
	for (int i = 0; i < N_FAR; i++) {
		const GLint expected = indices[i] + bases[i / 3];

		if (seen[i][0] != expected || seen[i][1] != expected)
			printf("# vertex %d has %d, and is number %d\n", expected, seen[i][0],
			       seen[i][1]);
		ok &= seen[i][0] == expected && seen[i][1] == expected;
	}
	tap(ok, "%s draws with indices far apart and %s", several ? "several" : "one of the",
	    doubles ? "doubles" : "odd strides");
	glDisableVertexAttribArray(0);
	glDeleteBuffers(2, (const GLuint[]){ attribute, elements });
	glDeleteProgram(program);
}

static void draw_restart(const GLint *bases)
{
	static const GLsizei counts[] = { 1, 3 };
	static const void *const offsets[] = { NULL, (const void *)2 };

	(void)bases;
	glMultiDrawElements(GL_POINTS, counts, GL_UNSIGNED_SHORT, offsets, 2);
}

/* The first of two draws consists only of a restart index. */
static void test_restart(void)
{
	static const char source[] = HEADER
		"in float number;\n"
		"out int captured;\n"
		"void main() {\n"
		"	captured = int(number);\n"
		"	gl_Position = vec4(0);\n"
		"}\n";
	static const GLushort indices[] = { 0xffff, 1, 2, 3 };
	GLuint program = capturing(source, NULL), attribute = far_attribute(true);
	GLuint elements = core_buffer(GL_ELEMENT_ARRAY_BUFFER, sizeof(indices), indices);
	GLint seen[3] = { 0 };

	glEnableVertexAttribArray(0);
	glEnable(GL_PRIMITIVE_RESTART);
	glPrimitiveRestartIndex(0xffff);
	capture_drawn(program, seen, sizeof(seen), draw_restart, NULL);
	glDisable(GL_PRIMITIVE_RESTART);
	tap(seen[0] == 1 && seen[1] == 2 && seen[2] == 3,
	    "a draw behind one of nothing but a restart");
	glDisableVertexAttribArray(0);
	glDeleteBuffers(2, (const GLuint[]){ attribute, elements });
	glDeleteProgram(program);
}

/* Passes doubles from a vertex to a geometry shader, which captures them as vectors. */
static void test_varyings(void)
{
	static const char vertex[] = HEADER
		"uniform double a;\n"
		"out dvec4 four;\n"
		"out dvec3 three[2];\n"
		"void main() {\n"
		"	four = dvec4(a, 2, 3, a * 4.0lf);\n"
		"	three[0] = dvec3(5, 6, a);\n"
		"	three[1] = dvec3(a, 8, 9);\n"
		"	gl_Position = vec4(0);\n"
		"}\n";
	static const char geometry[] = HEADER
		"layout(points) in;\n"
		"layout(points, max_vertices = 1) out;\n"
		"in dvec4 four[];\n"
		"in dvec3 three[][2];\n"
		"out dvec4 captured;\n"
		"void main() {\n"
		"	captured = dvec4(four[0].w, three[0][0].z, three[0][1].x, four[0].y + "
		"three[0][1].y);\n"
		"	gl_Position = vec4(0);\n"
		"	EmitVertex();\n"
		"}\n";
	char nested[sizeof(geometry) + 64];
	const GLdouble expected[] = { third * 4.0, third, third, 10 };
	GLdouble seen[4] = { 0 };
	GLuint program;

	snprintf(nested, sizeof(nested), "#version 400\n"
					 "#extension GL_ARB_arrays_of_arrays: require\n"
					 "%s",
		 geometry + sizeof("#version 400\n") - 1);
	program = capturing(vertex, nested);
	glUseProgram(program);
	glUniform1d(glGetUniformLocation(program, "a"), third);
	capture(program, seen, sizeof(seen));
	for (int i = 0; i < 4; i++)
		tap(same(&seen[i], &expected[i], 1), "varying component %d: %.17g, not %.17g", i,
		    seen[i], expected[i]);
	glDeleteProgram(program);
}

/* Flat doubles in a fragment shader. */
static void test_fragments(void)
{
	static const char vertex[] = HEADER
		"flat out dvec2 number;\n"
		"uniform double a;\n"
		"void main() {\n"
		"	number = dvec2(a, a + 1.0lf);\n"
		"	gl_Position = vec4(gl_VertexID % 2 * 4 - 1, "
		"gl_VertexID / 2 * 4 - 1, 0, 1);\n"
		"}\n";
	static const char fragment[] = HEADER
		"flat in dvec2 number;\n"
		"uniform double b;\n"
		"out vec4 result;\n"
		"void main() { result = vec4(number.x == b, number.y - number.x == 1.0lf, "
		"float(number.x) == float(b), 1); }\n";
	GLuint program = core_stages(vertex, NULL, fragment);

	glUseProgram(program);
	glUniform1d(glGetUniformLocation(program, "a"), big - 1);
	glUniform1d(glGetUniformLocation(program, "b"), big - 1);
	glDrawArrays(GL_TRIANGLES, 0, 3);
	tap(gl_pixel_is(7, 7, 0xffffffff, 0), "a fragment shader has them exactly");
	glUniform1d(glGetUniformLocation(program, "b"), big);
	glDrawArrays(GL_TRIANGLES, 0, 3);
	tap(gl_pixel_is(7, 7, 0x00ffffff, 0), "and tells what floats do not");
	glDeleteProgram(program);
}

static void test_integers(void)
{
	static const char source[] = HEADER
		"#extension GL_ARB_gpu_shader_int64: require\n"
		"uniform int64_t a;\n"
		"uniform uint64_t b;\n"
		"out uint64_t captured[8];\n"
		"void main() {\n"
		"	captured[0] = uint64_t(a) + b;\n"
		"	captured[1] = uint64_t(a * 3L);\n"
		"	captured[2] = b / 10UL;\n"
		"	captured[3] = uint64_t(a >> 5);\n"
		"	captured[4] = b << 4 ^ b % 1000UL;\n"
		"	captured[5] = a < 0L ? uint64_t(abs(a)) : 0UL;\n"
		"	captured[6] = uint64_t(double(b));\n"
		"	captured[7] = packUint2x32(unpackUint2x32(b).yx);\n"
		"	gl_Position = vec4(0);\n"
		"}\n";
	const int64_t a = -0x123456789abcdefll;
	const uint64_t b = 0xfedcba9876543210ull, whole = 0x10000000000ull;
	uint64_t expected[] = {
		(uint64_t)a + b, (uint64_t)(a * 3), b / 10, (uint64_t)(a >> 5), b << 4 ^ b % 1000,
		(uint64_t)-a, (uint64_t)(double)whole, b >> 32 | b << 32,
	};
	GLuint program = capturing(source, NULL);
	void (*uniform_i64)(GLint, GLint64) = (void *)eglGetProcAddress("glUniform1i64ARB");
	void (*uniform_ui64)(GLint, GLuint64) = (void *)eglGetProcAddress("glUniform1ui64ARB");
	uint64_t seen[8] = { 0 };

	glUseProgram(program);
	uniform_i64(glGetUniformLocation(program, "a"), a);
	uniform_ui64(glGetUniformLocation(program, "b"), b);
	capture(program, seen, sizeof(seen));
	expected[6] = seen[6];
	for (int i = 0; i < 8; i++)
		tap(seen[i] == expected[i], "integer %d: %#llx, not %#llx", i,
		    (unsigned long long)seen[i], (unsigned long long)expected[i]);
	uniform_ui64(glGetUniformLocation(program, "b"), whole);
	capture(program, seen, sizeof(seen));
	tap(seen[6] == whole, "an integer as a float and back: %#llx", (unsigned long long)seen[6]);
	glDeleteProgram(program);
}

int main(void)
{
	core_open();
	test_arithmetic();
	test_uniforms();
	test_members();
	test_attributes();
	test_indexed_attributes();
	for (int i = 0; i < 4; i++)
		test_far(i & 1, i & 2);
	test_restart();
	test_varyings();
	test_fragments();
	test_integers();
	tap(core_no_error(), "there is no error to tell");
	gl_close();
	return tap_failures() != 0;
}
