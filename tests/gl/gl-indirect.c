// SPDX-License-Identifier: MIT
/*
 * Draws with arguments in memory, multi-draws, and the built-in variables that vertex shaders get.
 * Each vertex stores these variables at an address that consists of its draw, instance and vertex
 * number. Prints TAP.
 */
#include "gl-core.h"

#include <stdint.h>
#include <string.h>

#define DRAWS 8
#define INSTANCES 4
#define VERTICES 16

#define HEADER								\
	"#version 330\n"						\
	"#extension GL_ARB_arrays_of_arrays: require\n"			\
	"#extension GL_ARB_compute_shader: require\n"			\
	"#extension GL_ARB_shader_draw_parameters: require\n"		\
	"#extension GL_ARB_shader_storage_buffer_object: require\n"	\
	"#extension GL_ARB_shading_language_420pack: require\n"

static const char vertex_source[] = HEADER
	"in vec2 vertex;\n"
	"in float each;\n"
	"struct Seen { uint n, vertex, instance, each; "
	"int base_vertex, base_instance, draw, known; };\n"
	"layout(std430, binding = 0) buffer Out { Seen seen[8][4][16]; };\n"
	"uniform vec4 many[6];\n"
	"uniform int last;\n"
	"void main() {\n"
	"	int number = int(vertex.x);\n"
	"	Seen here = Seen(1u, uint(gl_VertexID), uint(gl_InstanceID), uint(each), "
	"gl_BaseVertexARB,\n"
	"		gl_BaseInstanceARB, gl_DrawIDARB, int(many[last].x));\n"
	"	atomicAdd(seen[gl_DrawIDARB][gl_InstanceID][number].n, 1u);\n"
	"	here.n = 1u;\n"
	"	seen[gl_DrawIDARB][gl_InstanceID][number].vertex = here.vertex;\n"
	"	seen[gl_DrawIDARB][gl_InstanceID][number].instance = here.instance;\n"
	"	seen[gl_DrawIDARB][gl_InstanceID][number].each = here.each;\n"
	"	seen[gl_DrawIDARB][gl_InstanceID][number].base_vertex = here.base_vertex;\n"
	"	seen[gl_DrawIDARB][gl_InstanceID][number].base_instance = here.base_instance;\n"
	"	seen[gl_DrawIDARB][gl_InstanceID][number].draw = here.draw;\n"
	"	seen[gl_DrawIDARB][gl_InstanceID][number].known = here.known;\n"
	"	gl_Position = vec4(2.0);\n"
	"}\n";

static const char fragment_source[] =
	"#version 330\n"
	"out vec4 result;\n"
	"void main() { result = vec4(1.0); }\n";

struct seen {
	uint32_t n, vertex, instance, each;
	int32_t base_vertex, base_instance, draw, known;
};

struct arrays {
	uint32_t count, instances, first, base_instance;
};

struct elements {
	uint32_t count, instances, first;
	int32_t base_vertex;
	uint32_t base_instance;
};

static GLuint program, out;
static PFNGLMULTIDRAWARRAYSINDIRECTCOUNTPROC multi_draw_arrays_indirect_count;
static PFNGLMULTIDRAWELEMENTSINDIRECTCOUNTPROC multi_draw_elements_indirect_count;
static const GLushort indices[] = { 3, 1, 2, 0, 5, 4, 7, 6 };

static void clear_out(void)
{
	static const struct seen none[DRAWS][INSTANCES][VERTICES];

	glBindBuffer(GL_SHADER_STORAGE_BUFFER, out);
	glBufferData(GL_SHADER_STORAGE_BUFFER, sizeof(none), none, GL_DYNAMIC_DRAW);
	glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, out);
}

/* Tests that exactly the vertices of @n draws were run, with correct variables. */
static void check(const struct elements *draws, int n, bool indexed, const char *what)
{
	static struct seen seen[DRAWS][INSTANCES][VERTICES], wanted[DRAWS][INSTANCES][VERTICES];
	int wrong = 0, all = 0;

	memset(wanted, 0, sizeof(wanted));
	for (int d = 0; d < n; d++)
		for (uint32_t i = 0; i < draws[d].instances; i++)
			for (uint32_t v = 0; v < draws[d].count; v++) {
				const int vertex = indexed ? indices[draws[d].first + v] +
								     draws[d].base_vertex
							   : (int)(draws[d].first + v);

				all++;
				wanted[d][i][vertex] = (struct seen){
					1, (uint32_t)vertex, i, 100 + draws[d].base_instance + i,
					indexed ? draws[d].base_vertex : 0,
					(int32_t)draws[d].base_instance, d, 5,
				};
			}
	glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
	glBindBuffer(GL_SHADER_STORAGE_BUFFER, out);
	glGetBufferSubData(GL_SHADER_STORAGE_BUFFER, 0, sizeof(seen), seen);
	for (int d = 0; d < DRAWS; d++)
		for (int i = 0; i < INSTANCES; i++)
			for (int v = 0; v < VERTICES; v++) {
				/* The device may run a vertex more than once. */
				if (seen[d][i][v].n)
					seen[d][i][v].n = 1;
				if (memcmp(&seen[d][i][v], &wanted[d][i][v], sizeof(struct seen)))
					wrong++;
			}
	tap(!wrong && all, "%s: %d vertices, %d wrong", what, all, wrong);
	clear_out();
}

static void set_up(void)
{
	GLfloat numbers[VERTICES][2] = { 0 }, each[16], many[6][4] = { 0 };

	for (int i = 0; i < VERTICES; i++)
		numbers[i][0] = i;
	for (int i = 0; i < 16; i++)
		each[i] = 100 + i;
	multi_draw_arrays_indirect_count = (void *)eglGetProcAddress(
		"glMultiDrawArraysIndirectCountARB");
	multi_draw_elements_indirect_count = (void *)eglGetProcAddress(
		"glMultiDrawElementsIndirectCountARB");
	program = core_program(vertex_source, fragment_source, 0, NULL, GL_NONE);
	glUseProgram(program);
	for (int i = 0; i < 6; i++)
		many[i][0] = i;
	glUniform4fv(glGetUniformLocation(program, "many"), 6, many[0]);
	glUniform1i(glGetUniformLocation(program, "last"), 5);
	core_buffer(GL_ARRAY_BUFFER, sizeof(numbers), numbers);
	glEnableVertexAttribArray(0);
	glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, 0);
	core_buffer(GL_ARRAY_BUFFER, sizeof(each), each);
	glEnableVertexAttribArray(glGetAttribLocation(program, "each"));
	glVertexAttribPointer(glGetAttribLocation(program, "each"), 1, GL_FLOAT, GL_FALSE, 0, 0);
	glVertexAttribDivisor(glGetAttribLocation(program, "each"), 1);
	core_buffer(GL_ELEMENT_ARRAY_BUFFER, sizeof(indices), indices);
	glGenBuffers(1, &out);
	clear_out();
}

/* Arguments of glDrawArrays*() are these without the base vertex. */
static const struct elements draws[DRAWS] = {
	{ 4, 1, 0, 0, 0 }, { 3, 2, 2, 5, 3 }, { 8, 4, 0, 7, 1 }, { 0, 1, 0, 0, 0 },
	{ 1, 1, 7, 2, 11 }, { 2, 0, 0, 0, 0 }, { 6, 1, 1, 1, 2 }, { 5, 3, 3, 8, 0 },
};

static void fill_arrays(struct arrays *arrays)
{
	for (int i = 0; i < DRAWS; i++)
		arrays[i] = (struct arrays){ draws[i].count, draws[i].instances, draws[i].first,
					     draws[i].base_instance };
}

static void test_direct(void)
{
	const GLint first[] = { 0, 4, 2 };
	const GLsizei count[] = { 4, 2, 9 };
	const GLint bases[] = { 3, 0, 8 };
	const void *offsets[] = { (void *)0, (void *)4, (void *)2 };
	const GLsizei index_count[] = { 4, 2, 6 };
	const struct elements arrays[] = { { 4, 1, 0, 0, 0 },
					   { 2, 1, 4, 0, 0 },
					   { 9, 1, 2, 0, 0 } };
	const struct elements elements[] = { { 4, 1, 0, 3, 0 },
					     { 2, 1, 2, 0, 0 },
					     { 6, 1, 1, 8, 0 } };
	const struct elements instanced = { 5, 4, 3, 0, 6 }, indexed = { 5, 4, 2, 7, 6 };

	glMultiDrawArrays(GL_POINTS, first, count, 3);
	check(arrays, 3, false, "many arrays");
	glMultiDrawElementsBaseVertex(GL_POINTS, index_count, GL_UNSIGNED_SHORT, offsets, 3, bases);
	check(elements, 3, true, "many elements");
	glDrawArraysInstancedBaseInstance(GL_POINTS, 3, 5, 4, 6);
	check(&instanced, 1, false, "instances from a base");
	glDrawElementsInstancedBaseVertexBaseInstance(GL_POINTS, 5, GL_UNSIGNED_SHORT, (void *)4, 4,
						      7, 6);
	check(&indexed, 1, true, "and of elements");
	/* Instance numbers wrap past 2^32: the device must survive this. */
	glDrawArraysInstancedBaseInstance(GL_POINTS, 3, 5, 4, UINT32_MAX);
	glDrawElementsInstancedBaseVertexBaseInstance(GL_POINTS, 5, GL_UNSIGNED_SHORT, (void *)4, 4,
						      7, UINT32_MAX);
	clear_out();
	glDrawArraysInstancedBaseInstance(GL_POINTS, 3, 5, 4, 6);
	check(&instanced, 1, false, "instances after those whose numbers wrap");
}

static void test_indirect(void)
{
	struct arrays arrays[DRAWS];
	struct {
		struct elements args;
		uint32_t pad[3];
	} spaced[DRAWS];
	const uint32_t counts[] = { 99, 5, 1000 };

	fill_arrays(arrays);
	for (int i = 0; i < DRAWS; i++)
		spaced[i].args = draws[i];
	core_buffer(GL_DRAW_INDIRECT_BUFFER, sizeof(arrays), arrays);
	glDrawArraysIndirect(GL_POINTS, (void *)16);
	check((struct elements[]){ draws[1] }, 1, false, "one draw of arrays");
	glMultiDrawArraysIndirect(GL_POINTS, NULL, DRAWS, 0);
	check(draws, DRAWS, false, "many draws of arrays");
	glMultiDrawArraysIndirect(GL_POINTS, NULL, 4, 32);
	check((struct elements[]){ draws[0], draws[2], draws[4], draws[6] }, 4, false,
	      "every other one");
	core_buffer(GL_DRAW_INDIRECT_BUFFER, sizeof(spaced), spaced);
	glDrawElementsIndirect(GL_POINTS, GL_UNSIGNED_SHORT, (void *)32);
	check((struct elements[]){ draws[1] }, 1, true, "one draw of elements");
	glMultiDrawElementsIndirect(GL_POINTS, GL_UNSIGNED_SHORT, NULL, DRAWS, 32);
	check(draws, DRAWS, true, "many draws of elements");
	core_buffer(GL_PARAMETER_BUFFER, sizeof(counts), counts);
	multi_draw_elements_indirect_count(GL_POINTS, GL_UNSIGNED_SHORT, NULL, 4, DRAWS, 32);
	check(draws, 5, true, "as many as memory says");
	multi_draw_elements_indirect_count(GL_POINTS, GL_UNSIGNED_SHORT, NULL, 8, 7, 32);
	check(draws, 7, true, "but no more than the program says");
}

/* The bound parameter buffer has a count of 0, which these draws must ignore. */
static void test_other_counts(void)
{
	struct arrays arrays[DRAWS];
	const uint32_t zero = 0;
	const GLuint count = core_buffer(GL_PARAMETER_BUFFER, sizeof(zero), &zero);

	fill_arrays(arrays);
	core_buffer(GL_DRAW_INDIRECT_BUFFER, sizeof(arrays), arrays);
	glDrawArraysIndirect(GL_POINTS, (void *)16);
	check((struct elements[]){ draws[1] }, 1, false, "one draw of arrays, beside a count");
	glMultiDrawArraysIndirect(GL_POINTS, NULL, DRAWS, 0);
	check(draws, DRAWS, false, "many draws of arrays, beside a count");
	core_buffer(GL_DRAW_INDIRECT_BUFFER, sizeof(draws), draws);
	glDrawElementsIndirect(GL_POINTS, GL_UNSIGNED_SHORT, (void *)20);
	check((struct elements[]){ draws[1] }, 1, true, "one draw of elements, beside a count");
	glMultiDrawElementsIndirect(GL_POINTS, GL_UNSIGNED_SHORT, NULL, DRAWS, 0);
	check(draws, DRAWS, true, "many draws of elements, beside a count");
	glDeleteBuffers(1, &count);
}

/*
 * Mesa widens 8-bit indices. For this it reads the arguments, and draws one by one if base vertices
 * differ.
 */
static void test_bytes(void)
{
	struct {
		struct elements args;
		uint32_t pad[3];
	} spaced[DRAWS];
	struct elements alike[DRAWS];
	const uint32_t counts[] = { 1000, UINT32_MAX };
	GLubyte bytes[sizeof(indices) / sizeof(indices[0])];

	for (unsigned i = 0; i < sizeof(bytes); i++)
		bytes[i] = indices[i];
	for (int i = 0; i < DRAWS; i++)
		spaced[i].args = draws[i];
	core_buffer(GL_ELEMENT_ARRAY_BUFFER, sizeof(bytes), bytes);
	core_buffer(GL_DRAW_INDIRECT_BUFFER, sizeof(spaced), spaced);
	glMultiDrawElementsIndirect(GL_POINTS, GL_UNSIGNED_BYTE, NULL, DRAWS, 32);
	check(draws, DRAWS, true, "indices of a byte");
	core_buffer(GL_PARAMETER_BUFFER, sizeof(counts), counts);
	for (int i = 0; i < 2; i++) {
		multi_draw_elements_indirect_count(GL_POINTS, GL_UNSIGNED_BYTE, NULL, i * 4, 7, 32);
		check(draws, 7, true, "and no more of them than the program says");
	}
	/* Mesa takes another path if all base vertices are equal. */
	for (int i = 0; i < DRAWS; i++) {
		alike[i] = draws[i];
		alike[i].base_vertex = 0;
		spaced[i].args = alike[i];
	}
	core_buffer(GL_DRAW_INDIRECT_BUFFER, sizeof(spaced), spaced);
	for (int i = 0; i < 2; i++) {
		multi_draw_elements_indirect_count(GL_POINTS, GL_UNSIGNED_BYTE, NULL, i * 4, 7, 32);
		check(alike, 7, true, "nor of those that have the same base");
	}
	core_buffer(GL_ELEMENT_ARRAY_BUFFER, sizeof(indices), indices);
}

/* Argument structures that overlap, which the device's may not. */
static void test_overlap(void)
{
	const uint32_t words[] = { 1, 1, 2, 1, 3, 0, 5, 2 };
	const struct elements wanted[] = { { 1, 1, 2, 0, 1 },
					   { 2, 1, 3, 0, 0 },
					   { 3, 0, 5, 0, 2 } };

	core_buffer(GL_DRAW_INDIRECT_BUFFER, sizeof(words), words);
	glMultiDrawArraysIndirect(GL_POINTS, NULL, 3, 8);
	check(wanted, 3, false, "arguments that overlap");
}

/* A dispatch writes the arguments of draws of triangle strips, whose indices have restarts. */
static void test_written(void)
{
	static const char args_source[] = HEADER
		"layout(local_size_x = 8) in;\n"
		"layout(std430, binding = 1) buffer Args { uint args[8][4]; };\n"
		"layout(std430, binding = 2) buffer Count { uint count; };\n"
		"uniform uvec4 wanted[8];\n"
		"void main() {\n"
		"	uint i = gl_LocalInvocationID.x;\n"
		"	for (int w = 0; w < 4; w++)\n"
		"		args[i][w] = wanted[i][w];\n"
		"	atomicAdd(count, 1u);\n"
		"}\n";
	GLuint writer = core_compute(args_source), args, count;
	struct arrays arrays[DRAWS];
	const uint32_t zero = 0;

	fill_arrays(arrays);
	args = core_buffer(GL_DRAW_INDIRECT_BUFFER, sizeof(arrays), NULL);
	count = core_buffer(GL_PARAMETER_BUFFER, sizeof(zero), &zero);
	glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 1, args);
	glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 2, count);
	glUseProgram(writer);
	glUniform4uiv(glGetUniformLocation(writer, "wanted"), DRAWS, &arrays[0].count);
	glDispatchCompute(1, 1, 1);
	glMemoryBarrier(GL_COMMAND_BARRIER_BIT);
	glUseProgram(program);
	multi_draw_arrays_indirect_count(GL_POINTS, NULL, 0, DRAWS, 0);
	check(draws, DRAWS, false, "arguments and their number from a dispatch");
}

int main(void)
{
	core_open();
	set_up();
	test_direct();
	test_indirect();
	test_other_counts();
	test_bytes();
	test_overlap();
	test_written();
	tap(core_no_error(), "there is no error to tell");
	gl_close();
	return tap_failures() != 0;
}
