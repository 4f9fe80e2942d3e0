// SPDX-License-Identifier: MIT
/*
 * Compute shaders: their built-in variables, the resources that they read, shared memory, and the
 * order with later commands. Prints TAP.
 */
#include "gl-core.h"

#include <stdint.h>
#include <string.h>

#define HEADER								\
	"#version 330\n"						\
	"#extension GL_ARB_compute_shader: require\n"			\
	"#extension GL_ARB_shader_storage_buffer_object: require\n"	\
	"#extension GL_ARB_shader_image_load_store: require\n"		\
	"#extension GL_ARB_shading_language_420pack: require\n"

/* Built-in variables */

#define GROUPS_X 3
#define GROUPS_Y 2
#define GROUPS_Z 4
#define SIZE_X 4
#define SIZE_Y 3
#define SIZE_Z 2
#define WIDE (GROUPS_X * SIZE_X)
#define HIGH (GROUPS_Y * SIZE_Y)
#define DEEP (GROUPS_Z * SIZE_Z)

static const char ids_source[] = HEADER
	"layout(local_size_x = 4, local_size_y = 3, local_size_z = 2) in;\n"
	"struct Ids { uvec3 global; uint index; uvec3 local; uint a; uvec3 group; uint b; "
	"uvec3 groups; uint c; };\n"
	"layout(std430, binding = 0) buffer Out { Ids ids[]; };\n"
	"void main() {\n"
	"	uvec3 size = gl_NumWorkGroups * gl_WorkGroupSize;\n"
	"	uint at = (gl_GlobalInvocationID.z * size.y + gl_GlobalInvocationID.y) * size.x +\n"
	"		gl_GlobalInvocationID.x;\n"
	"	ids[at].global = gl_GlobalInvocationID;\n"
	"	ids[at].index = gl_LocalInvocationIndex;\n"
	"	ids[at].local = gl_LocalInvocationID;\n"
	"	ids[at].group = gl_WorkGroupID;\n"
	"	ids[at].groups = gl_NumWorkGroups;\n"
	"}\n";

struct ids {
	uint32_t global[3], index, local[3], pad, group[3], pad2, groups[3], pad3;
};

static bool ids_are_right(const struct ids *ids, uint32_t x, uint32_t y, uint32_t z)
{
	const struct ids wanted = {
		.global = { x, y, z },
		.index = (z % SIZE_Z * SIZE_Y + y % SIZE_Y) * SIZE_X + x % SIZE_X,
		.local = { x % SIZE_X, y % SIZE_Y, z % SIZE_Z },
		.group = { x / SIZE_X, y / SIZE_Y, z / SIZE_Z },
		.groups = { GROUPS_X, GROUPS_Y, GROUPS_Z },
	};

	return !memcmp(ids, &wanted, sizeof(wanted));
}

static int count_right_ids(GLuint buffer)
{
	static struct ids ids[DEEP][HIGH][WIDE];
	int right = 0;

	core_read_words(buffer, 0, (uint32_t *)ids, sizeof(ids) / 4);
	for (uint32_t z = 0; z < DEEP; z++)
		for (uint32_t y = 0; y < HIGH; y++)
			for (uint32_t x = 0; x < WIDE; x++)
				right += ids_are_right(&ids[z][y][x], x, y, z);
	return right;
}

static void test_ids(void)
{
	const int all = WIDE * HIGH * DEEP;
	const GLuint args[] = { 7, 7, 7, GROUPS_X, GROUPS_Y, GROUPS_Z };
	GLuint program = core_compute(ids_source), buffer;

	glUseProgram(program);
	buffer = core_words(all * sizeof(struct ids) / 4, 0);
	glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, buffer);
	glDispatchCompute(GROUPS_X, GROUPS_Y, GROUPS_Z);
	tap(count_right_ids(buffer) == all, "what an invocation is told of itself: %d of %d",
	    count_right_ids(buffer), all);
	glBufferData(GL_SHADER_STORAGE_BUFFER, all * sizeof(struct ids), NULL, GL_DYNAMIC_DRAW);
	core_buffer(GL_DISPATCH_INDIRECT_BUFFER, sizeof(args), args);
	glDispatchComputeIndirect(12);
	tap(count_right_ids(buffer) == all, "and where the number of groups is in memory: %d of %d",
	    count_right_ids(buffer), all);
	glDispatchCompute(0, 5, 5);
	tap(count_right_ids(buffer) == all, "no groups at all");
}

/* Uniforms, blocks and textures */

static const char reads_source[] = HEADER
	"layout(local_size_x = 16) in;\n"
	"layout(std430, binding = 0) buffer Out { uint words[]; };\n"
	"layout(std140, binding = 3) uniform Block { uvec4 block[4]; };\n"
	"uniform uint few, many[96];\n"
	"uniform usampler2D tex;\n"
	"uniform usamplerBuffer texels;\n"
	"void main() {\n"
	"	uint i = gl_GlobalInvocationID.x;\n"
	"	words[4u * i] = few + many[i];\n"
	"	words[4u * i + 1u] = block[i % 4u][i / 4u % 4u];\n"
	"	words[4u * i + 2u] = textureLod(tex, (vec2(i % 8u, i / 8u % 8u) + 0.5) / 8.0, "
	"0.0).x;\n"
	"	words[4u * i + 3u] = texelFetch(texels, int(i)).x + uint(textureSize(texels));\n"
	"}\n";

static GLuint number_texture(uint32_t first)
{
	uint32_t numbers[64];
	GLuint texture;

	for (int i = 0; i < 64; i++)
		numbers[i] = first + i;
	glGenTextures(1, &texture);
	glBindTexture(GL_TEXTURE_2D, texture);
	glTexImage2D(GL_TEXTURE_2D, 0, GL_R32UI, 8, 8, 0, GL_RED_INTEGER, GL_UNSIGNED_INT, numbers);
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
	return texture;
}

static void number_texels(uint32_t first)
{
	uint32_t numbers[64];
	GLuint texture;

	for (int i = 0; i < 64; i++)
		numbers[i] = first + i;
	glGenTextures(1, &texture);
	glBindTexture(GL_TEXTURE_BUFFER, texture);
	glTexBuffer(GL_TEXTURE_BUFFER, GL_R32UI,
		    core_buffer(GL_TEXTURE_BUFFER, sizeof(numbers), numbers));
}

static void test_reads(void)
{
	GLuint program = core_compute(reads_source), buffer, many[96], block[16];
	uint32_t words[256];
	int right = 0;

	for (int i = 0; i < 96; i++)
		many[i] = 1000 + 3 * i;
	for (int i = 0; i < 16; i++)
		block[i] = 5000 + i;
	glUseProgram(program);
	glUniform1ui(glGetUniformLocation(program, "few"), 11);
	glUniform1uiv(glGetUniformLocation(program, "many"), 96, many);
	glUniform1i(glGetUniformLocation(program, "texels"), 1);
	glActiveTexture(GL_TEXTURE1);
	number_texels(800);
	glActiveTexture(GL_TEXTURE0);
	number_texture(300);
	glBindBufferBase(GL_UNIFORM_BUFFER, 3,
			 core_buffer(GL_UNIFORM_BUFFER, sizeof(block), block));
	buffer = core_words(256, 0);
	glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, buffer);
	glDispatchCompute(4, 1, 1);
	core_read_words(buffer, 0, words, 256);
	for (uint32_t i = 0; i < 64; i++)
		right += words[4 * i] == 1011 + 3 * i &&
			 words[4 * i + 1] == 5000 + i % 4 * 4 + i / 4 % 4 &&
			 words[4 * i + 2] == 300 + i && words[4 * i + 3] == 864 + i;
	tap(right == 64, "uniforms, a block, a texture and a texture buffer: %d of 64", right);
}

/* Shared memory */

static const char shared_source[] = HEADER
	"layout(local_size_x = 64, local_size_y = 2) in;\n"
	"layout(std430, binding = 0) buffer Out { uint words[]; };\n"
	"shared uint turned[128];\n"
	"shared vec3 vectors[128];\n"
	"shared uint sum, highest;\n"
	"void main() {\n"
	"	uint i = gl_LocalInvocationIndex;\n"
	"	if (i == 0u) {\n"
	"		sum = 0u;\n"
	"		highest = 0u;\n"
	"	}\n"
	"	turned[i] = 0u;\n"
	"	barrier();\n"
	"	turned[127u - i] = i * i;\n"
	"	vectors[(i + 1u) % 128u] = vec3(i, 2u * i, 3u * i);\n"
	"	atomicAdd(sum, i);\n"
	"	atomicMax(highest, i * 7u % 128u);\n"
	"	memoryBarrierShared();\n"
	"	barrier();\n"
	"	uint at = 4u * (gl_WorkGroupID.x * 128u + i);\n"
	"	words[at] = turned[i];\n"
	"	words[at + 1u] = uint(vectors[i].x + vectors[i].y + vectors[i].z);\n"
	"	words[at + 2u] = sum;\n"
	"	words[at + 3u] = highest;\n"
	"}\n";

static void test_shared(void)
{
	static uint32_t words[4 * 128 * 5];
	GLuint program = core_compute(shared_source), buffer;
	int right = 0;

	glUseProgram(program);
	buffer = core_words(4 * 128 * 5, 0);
	glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, buffer);
	glDispatchCompute(5, 1, 1);
	core_read_words(buffer, 0, words, 4 * 128 * 5);
	for (uint32_t n = 0; n < 128 * 5; n++) {
		const uint32_t i = n % 128, *at = &words[4 * n];

		right += at[0] == (127 - i) * (127 - i) && at[1] == 6 * ((i + 127) % 128) &&
			 at[2] == 127 * 64 && at[3] == 127;
	}
	tap(right == 128 * 5, "memory of a group: %d of %d", right, 128 * 5);
}

/* Order */

static const char double_source[] = HEADER
	"layout(local_size_x = 64) in;\n"
	"layout(std430, binding = 0) readonly buffer In { uint from[]; };\n"
	"layout(std430, binding = 1) writeonly buffer Out { uint to[]; };\n"
	"void main() { to[gl_GlobalInvocationID.x] = 2u * from[(gl_GlobalInvocationID.x + "
	"1u) % 256u] + 1u; }\n";

static void test_chain(void)
{
	GLuint program = core_compute(double_source), buffers[2];
	uint32_t words[256], wanted = 0;
	int right = 0;

	glUseProgram(program);
	buffers[0] = core_words(256, 0);
	buffers[1] = core_words(256, 0);
	for (int i = 0; i < 20; i++) {
		glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, buffers[i % 2]);
		glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 1, buffers[(i + 1) % 2]);
		glDispatchCompute(4, 1, 1);
		glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);
		wanted = 2 * wanted + 1;
	}
	core_read_words(buffers[0], 0, words, 256);
	for (int i = 0; i < 256; i++)
		right += words[i] == wanted;
	tap(right == 256, "each dispatch sees what the one before the barrier wrote: %d of 256",
	    right);
}

/*
 * A dispatch writes the vertices of a strip and its colour; another dispatch reads the result of
 * the draw.
 */
static const char corners_source[] = HEADER
	"layout(local_size_x = 4) in;\n"
	"layout(std430, binding = 0) buffer Out { vec2 corners[4]; };\n"
	"layout(std430, binding = 1) buffer Color { vec4 color; };\n"
	"layout(std430, binding = 2) buffer Args { uint args[4]; };\n"
	"uniform vec4 wanted;\n"
	"void main() {\n"
	"	uint i = gl_LocalInvocationID.x;\n"
	"	corners[i] = vec2(i % 2u, i / 2u) * 2.0 - 1.0;\n"
	"	args[i] = i == 0u ? 4u : i == 1u ? 1u : 0u;\n"
	"	if (i == 0u)\n"
	"		color = wanted;\n"
	"}\n";

static const char strip_vertex[] =
	"#version 330\n"
	"in vec2 vertex;\n"
	"void main() { gl_Position = vec4(vertex, 0.0, 1.0); }\n";

static const char strip_fragment[] =
	"#version 330\n"
	"layout(std140) uniform Color { vec4 color; };\n"
	"out vec4 result;\n"
	"void main() { result = color; }\n";

static const char pixels_source[] = HEADER
	"layout(local_size_x = 16, local_size_y = 16) in;\n"
	"layout(std430, binding = 0) buffer Out { uint words[]; };\n"
	"uniform sampler2D picture;\n"
	"void main() {\n"
	"	vec4 texel = texelFetch(picture, ivec2(gl_GlobalInvocationID.xy), 0);\n"
	"	uvec4 bytes = uvec4(texel * 255.0 + 0.5);\n"
	"	words[gl_LocalInvocationIndex] = bytes.x | bytes.y << 8 | bytes.z << 16 | "
	"bytes.w << 24;\n"
	"}\n";

static void test_with_draws(void)
{
	GLuint corners = core_compute(corners_source), strip, pixels = core_compute(pixels_source);
	GLuint picture, vertices, color, args, out;
	uint32_t words[256];
	int right = 0;

	strip = core_program(strip_vertex, strip_fragment, 0, NULL, GL_NONE);
	picture = gl_texture_new(CORE_SIZE, 0);
	gl_draw_to(picture, CORE_SIZE, CORE_SIZE);
	vertices = core_words(8, 0);
	color = core_words(4, 0);
	args = core_words(4, 0);
	out = core_words(256, 0);
	glBindBuffer(GL_ARRAY_BUFFER, vertices);
	glEnableVertexAttribArray(0);
	glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, 0);
	for (int i = 0; i < 8; i++) {
		const float rgba[4] = { i / 255.0f, 10 * i / 255.0f, 1.0f, (255 - i) / 255.0f };

		glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, vertices);
		glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 1, color);
		glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 2, args);
		glUseProgram(corners);
		glUniform4fv(glGetUniformLocation(corners, "wanted"), 1, rgba);
		glDispatchCompute(1, 1, 1);
		glMemoryBarrier(GL_VERTEX_ATTRIB_ARRAY_BARRIER_BIT | GL_UNIFORM_BARRIER_BIT);
		glBindBufferBase(GL_UNIFORM_BUFFER, 0, color);
		glUseProgram(strip);
		glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
		glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, out);
		glBindTexture(GL_TEXTURE_2D, picture);
		glUseProgram(pixels);
		glDispatchCompute(1, 1, 1);
		core_read_words(out, 0, words, 256);
		for (int p = 0; p < 256; p++)
			right += words[p] == ((uint32_t)(255 - i) << 24 | 0xff0000 |
					      (uint32_t)(10 * i) << 8 | i);
	}
	tap(right == 8 * 256, "dispatches before and after draws: %d of %d pixels", right, 8 * 256);
}

/* The program rewrites a buffer while dispatches that read it are in flight. */
static void test_updates(void)
{
	GLuint program = core_compute(double_source), from = core_words(256, 0), to;
	uint32_t words[256], seen[10];
	GLuint outs[10];
	int right = 0;

	glUseProgram(program);
	glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, from);
	for (uint32_t i = 0; i < 10; i++) {
		for (int w = 0; w < 256; w++)
			words[w] = 100 * i;
		glBindBuffer(GL_SHADER_STORAGE_BUFFER, from);
		if (i % 2)
			glBufferData(GL_SHADER_STORAGE_BUFFER, sizeof(words), words,
				     GL_DYNAMIC_DRAW);
		else
			glBufferSubData(GL_SHADER_STORAGE_BUFFER, 0, sizeof(words), words);
		to = outs[i] = core_words(256, 0);
		glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 1, to);
		glDispatchCompute(4, 1, 1);
	}
	for (uint32_t i = 0; i < 10; i++) {
		core_read_words(outs[i], 0, words, 256);
		seen[i] = words[17];
		right += seen[i] == 200 * i + 1;
	}
	tap(right == 10, "each dispatch reads what the buffer had then: %d of 10", right);
}

/* An expression that is indexed like a variable. */
static void test_indexed_values(void)
{
	static const char source[] = HEADER
		"layout(local_size_x = 4) in;\n"
		"layout(std140, binding = 0) uniform In { vec4 before; float member; };\n"
		"layout(std430, binding = 0) writeonly buffer Out { uint to[]; };\n"
		"void main() {\n"
		"	uint i = gl_LocalInvocationIndex;\n"
		"	to[i] = uint((vec4(member))[1]) + uint((vec3(member) * vec3(1, 2, "
		"3))[i % 3u]);\n"
		"}\n";
	static const GLfloat numbers[] = { 1, 2, 3, 4, 5, 0, 0, 0 };
	static const uint32_t expected[] = { 10, 15, 20, 10 };
	GLuint program = core_compute(source), to = core_words(4, 0);
	uint32_t seen[4];

	glUseProgram(program);
	glBindBufferBase(GL_UNIFORM_BUFFER, 0,
			 core_buffer(GL_UNIFORM_BUFFER, sizeof(numbers), numbers));
	glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, to);
	glDispatchCompute(1, 1, 1);
	core_read_words(to, 0, seen, 4);
	tap(!memcmp(seen, expected, sizeof(seen)), "a vector that is no variable is indexed");
	glDeleteProgram(program);
}

int main(void)
{
	core_open();
	test_ids();
	test_reads();
	test_shared();
	test_chain();
	test_with_draws();
	test_updates();
	test_indexed_values();
	tap(core_no_error(), "there is no error to tell");
	gl_close();
	return tap_failures() != 0;
}
