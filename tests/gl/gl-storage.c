// SPDX-License-Identifier: MIT
/* Storage buffers, atomic operations and atomic counters in all stages. Prints TAP. */
#include "gl-core.h"

#include <stdint.h>
#include <string.h>

#define HEADER								\
	"#version 330\n"						\
	"#extension GL_ARB_compute_shader: require\n"			\
	"#extension GL_ARB_shader_storage_buffer_object: require\n"	\
	"#extension GL_ARB_shader_atomic_counters: require\n"		\
	"#extension GL_ARB_shader_image_load_store: require\n"		\
	"#extension GL_ARB_gpu_shader5: require\n"			\
	"#extension GL_ARB_shading_language_420pack: require\n"

static void bind(GLuint slot, GLuint buffer)
{
	glBindBufferBase(GL_SHADER_STORAGE_BUFFER, slot, buffer);
}

/* Layouts: components of vectors, matrices, arrays of structures */

static const char layout_source[] = HEADER
	"layout(local_size_x = 1) in;\n"
	"struct Item { uint number; vec3 vector; mat2 matrix; uint tail[2]; };\n"
	"layout(std430, binding = 0) buffer Tight { uint head; vec4 four; Item items[]; };\n"
	"layout(std140, binding = 1) buffer Wide { uint n; float each[3]; mat3 square; "
	"bvec2 flags; uint end; };\n"
	"uniform int i;\n"
	"void main() {\n"
	"	head = uint(items.length());\n"
	"	four.yw = vec2(2.5, 4.5);\n"
	"	items[i].vector.z = 9.0;\n"
	"	items[i].matrix[1] = vec2(7.0, 8.0);\n"
	"	items[i + 1].matrix[i][1] = 3.0;\n"
	"	items[i].tail[i] = n + 1u;\n"
	"	each[i] = each[0] + each[2];\n"
	"	square[2] = vec3(1.0, 2.0, 3.0);\n"
	"	flags = bvec2(flags.y, !flags.x);\n"
	"	end = floatBitsToUint(square[1][2]);\n"
	"}\n";

static uint32_t bits(float value)
{
	uint32_t word;

	memcpy(&word, &value, sizeof(word));
	return word;
}

/*
 * Offsets in words of an Item: number 0, vector 4, matrix 8, tail 12. Its size is 16, and 8 words
 * precede the first one.
 */
static void test_layouts(void)
{
	GLuint program = core_compute(layout_source), tight = core_words(8 + 16 * 5 + 3, 1), wide;
	const uint32_t before[48] = {
		[0] = 41, [4] = bits(1.5f), [12] = bits(2.0f), [26] = bits(6.0f), [29] = 1
	};
	uint32_t words[88], others = 0;

	glUseProgram(program);
	glUniform1i(glGetUniformLocation(program, "i"), 1);
	wide = core_buffer(GL_SHADER_STORAGE_BUFFER, sizeof(before), before);
	bind(0, tight);
	bind(1, wide);
	glDispatchCompute(1, 1, 1);
	core_read_words(tight, 0, words, 88);
	tap(words[0] == 5, "an array ends with its buffer: %u elements", words[0]);
	tap(words[5] == bits(2.5f) && words[7] == bits(4.5f) && words[4] == 1 && words[6] == 1,
	    "two components of four are written");
	tap(words[24 + 6] == bits(9.0f) && words[24 + 5] == 1 && words[24 + 10] == bits(7.0f) &&
	    words[24 + 11] == bits(8.0f) && words[40 + 11] == bits(3.0f) && words[24 + 13] == 42,
	    "parts of a struct in an array");
	for (int i = 1; i < 88; i++)
		others += words[i] == 1;
	tap(others == 88 - 1 - 2 - 5, "and nothing else is: %u words", others);
	core_read_words(wide, 0, words, 32);
	tap(words[8] == bits(3.5f) && words[24] == bits(1.0f) && words[25] == bits(2.0f) &&
		    words[26] == bits(3.0f),
	    "arrays and matrices of std140");
	tap(words[28] == 1 && words[29] == 1 && words[30] == bits(0.0f), "booleans: %u %u",
	    words[28], words[29]);
}

/* Atomic operations */

static const char atomics_source[] = HEADER
	"layout(local_size_x = 64) in;\n"
	"layout(std430, binding = 0) buffer Out {\n"
	"	uint sum, least, most, all, any, parity, swapped, changed; int low, high;\n"
	"	uint before[];\n"
	"};\n"
	"void main() {\n"
	"	uint i = gl_GlobalInvocationID.x;\n"
	"	before[i] = atomicAdd(sum, 3u);\n"
	"	atomicMin(least, 5000u - i);\n"
	"	atomicMax(most, i);\n"
	"	atomicAnd(all, ~(1u << i % 16u));\n"
	"	atomicOr(any, 1u << i % 24u);\n"
	"	atomicXor(parity, i);\n"
	"	atomicExchange(swapped, 77u);\n"
	"	atomicCompSwap(changed, i, i + 1u);\n"
	"	atomicMin(low, -int(i));\n"
	"	atomicMax(high, int(i) - 600);\n"
	"}\n";

static bool each_once(const uint32_t *before, uint32_t n)
{
	bool seen[1024] = { false };

	for (uint32_t i = 0; i < n; i++) {
		if (before[i] % 3 || before[i] / 3 >= n || seen[before[i] / 3])
			return false;
		seen[before[i] / 3] = true;
	}
	return true;
}

static void test_atomics(void)
{
	GLuint program = core_compute(atomics_source), buffer;
	uint32_t words[10 + 512] = { [1] = ~0u, [3] = ~0u, [6] = 5, [9] = (uint32_t)-1000 };
	const uint32_t wanted[10] = {
		[0] = 512 * 3, [1] = 5000 - 511, [2] = 511, [3] = 0xffff0000, [4] = 0xffffff,
		[5] = 0, [6] = 77, [8] = (uint32_t)-511, [9] = (uint32_t)-89,
	};

	glUseProgram(program);
	buffer = core_buffer(GL_SHADER_STORAGE_BUFFER, sizeof(words), words);
	bind(0, buffer);
	glDispatchCompute(8, 1, 1);
	core_read_words(buffer, 0, words, 10 + 512);
	tap(!memcmp(words, wanted, 7 * 4) && !memcmp(&words[8], &wanted[8], 8),
	    "atomic operations: %u %u %u %x %x %x %u, %d %d", words[0], words[1], words[2],
	    words[3], words[4],
	    words[5], words[6], (int)words[8], (int)words[9]);
	tap(words[7] >= 1 && words[7] <= 512, "compare and exchange: %u", words[7]);
	tap(each_once(&words[10], 512), "each sum is seen once");
}

/* An array of blocks, a part of a buffer, bindings without a buffer */

static const char blocks_source[] = HEADER
	"layout(local_size_x = 8) in;\n"
	"layout(std430, binding = 0) buffer Part { uint size; uint words[]; } parts[7];\n"
	"uniform int which;\n"
	"void main() {\n"
	"	uint i = gl_LocalInvocationID.x;\n"
	"	if (i < uint(parts[which].words.length()))\n"
	"		parts[which].words[i] = uint(which) * 100u + i;\n"
	"	if (i == 0u)\n"
	"		parts[which].size = uint(parts[which].words.length());\n"
	"	parts[6].words[i] = parts[4].words[i] + uint(parts[4].words.length()) + "
	"parts[5].words[7u - i];\n"
	"}\n";

static void test_blocks(GLint align)
{
	GLuint program = core_compute(blocks_source), buffer = core_words(4 * align, 5), other,
	       last;
	uint32_t words[9];
	int right = 0;

	glUseProgram(program);
	other = core_words(9, 8);
	last = core_words(9, 6);
	for (int i = 0; i < 4; i++)
		glBindBufferRange(GL_SHADER_STORAGE_BUFFER, i, buffer, i * align * 4, 24 + 4 * i);
	bind(4, 0);
	bind(5, other);
	bind(6, last);
	for (int i = 0; i < 4; i++) {
		glUniform1i(glGetUniformLocation(program, "which"), i);
		glDispatchCompute(1, 1, 1);
	}
	for (uint32_t i = 0; i < 4; i++) {
		core_read_words(buffer, i * align, words, 9);
		right += words[0] == 5 + i;
		for (uint32_t w = 0; w < 8; w++)
			right += words[w + 1] == (w < 5 + i ? 100 * i + w : 5);
	}
	tap(right == 36, "an array of blocks, each as large as it is bound: %d of 36", right);
	core_read_words(last, 0, words, 9);
	tap(words[0] == 6 && words[1] == 8 && words[8] == 8, "a slot without a buffer is empty");
}

/* All stages of a draw */

static const char vertex_source[] = HEADER
	"in vec2 vertex;\n"
	"layout(std430, binding = 0) buffer Vertices { uint vertices; vec2 seen[]; };\n"
	"void main() {\n"
	"	seen[gl_VertexID] = vertex;\n"
	"	atomicAdd(vertices, 1u);\n"
	"	gl_Position = vec4(vertex, 0.0, 1.0);\n"
	"}\n";

static const char geometry_source[] = HEADER
	"layout(triangles) in;\n"
	"layout(triangle_strip, max_vertices = 3) out;\n"
	"layout(std430, binding = 1) buffer Primitives { uint primitives; };\n"
	"void main() {\n"
	"	atomicAdd(primitives, 1u);\n"
	"	for (int i = 0; i < 3; i++) {\n"
	"		gl_Position = gl_in[i].gl_Position;\n"
	"		EmitVertex();\n"
	"	}\n"
	"}\n";

static const char fragment_source[] = HEADER
	"layout(std430, binding = 2) buffer Fragments { uint fragments; uint pad[3]; "
	"uvec4 at[]; };\n"
	"layout(binding = 0, offset = 4) uniform atomic_uint counter;\n"
	"layout(binding = 0, offset = 12) uniform atomic_uint down;\n"
	"out vec4 result;\n"
	"void main() {\n"
	"	ivec2 here = ivec2(gl_FragCoord.xy);\n"
	"	atomicAdd(fragments, 1u);\n"
	"	at[here.y * 16 + here.x] = uvec4(here, gl_PrimitiveID, 1u);\n"
	"	uint n = atomicCounterIncrement(counter);\n"
	"	atomicCounterDecrement(down);\n"
	"	result = vec4(float(n) / 255.0, 0.0, 0.0, 1.0);\n"
	"}\n";

static bool colors_once(void)
{
	uint32_t pixels[CORE_SIZE * CORE_SIZE];
	bool seen[256] = { false };

	glReadPixels(0, 0, CORE_SIZE, CORE_SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
	for (int i = 0; i < CORE_SIZE * CORE_SIZE; i++) {
		if (seen[pixels[i] & 0xff])
			return false;
		seen[pixels[i] & 0xff] = true;
	}
	return true;
}

static void test_stages(void)
{
	static const GLfloat corners[] = { -1, -1, 1, -1, -1, 1, 1, 1 };
	GLuint program = core_stages(vertex_source, geometry_source, fragment_source);
	const uint32_t counts[4] = { 3, 0, 4, 1000 };
	GLuint vertices, primitives, fragments, counters;
	static uint32_t words[4 * 257];
	uint32_t here = 0;

	glUseProgram(program);
	core_buffer(GL_ARRAY_BUFFER, sizeof(corners), corners);
	glEnableVertexAttribArray(0);
	glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, 0);
	vertices = core_words(10, 0);
	primitives = core_words(1, 0);
	fragments = core_words(4 * 257, 0);
	counters = core_buffer(GL_ATOMIC_COUNTER_BUFFER, sizeof(counts), counts);
	bind(0, vertices);
	bind(1, primitives);
	bind(2, fragments);
	glBindBufferBase(GL_ATOMIC_COUNTER_BUFFER, 0, counters);
	glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
	core_read_words(vertices, 0, words, 10);
	tap(words[0] >= 4 && !memcmp(&words[2], corners, sizeof(corners)),
	    "a vertex shader stores: %u times", words[0]);
	core_read_words(primitives, 0, words, 1);
	tap(words[0] == 2, "a geometry shader: %u times", words[0]);
	core_read_words(fragments, 0, words, 4 * 257);
	for (uint32_t i = 0; i < 256; i++)
		here += words[4 + 4 * i] == i % 16 && words[5 + 4 * i] == i / 16 &&
			words[7 + 4 * i] == 1;
	tap(words[0] == 256 && here == 256, "and fragment shaders: %u times", words[0]);
	core_read_words(counters, 0, words, 4);
	tap(words[0] == 3 && words[1] == 256 && words[2] == 4 && words[3] == 744,
	    "counters: %u up, %u down", words[1], words[3]);
	tap(colors_once(), "and each pixel counts once");
}

/* Repeated draws add to the same words. */
static void test_draws(void)
{
	static const char add_vertex[] =
		"#version 330\n"
		"in vec2 vertex;\n"
		"void main() { gl_Position = vec4(vertex, 0.0, 1.0); }\n";
	static const char add_fragment[] = HEADER
		"layout(std430, binding = 0) coherent buffer Out { uint words[256]; };\n"
		"layout(std430, binding = 1) readonly buffer In { uint more; };\n"
		"out vec4 result;\n"
		"void main() {\n"
		"	int at = int(gl_FragCoord.y) * 16 + int(gl_FragCoord.x);\n"
		"	words[at] += more;\n"
		"	result = vec4(0.0);\n"
		"}\n";
	GLuint program = core_program(add_vertex, add_fragment, 0, NULL, GL_NONE), sums, one, five;
	uint32_t words[256];
	int right = 0;

	glUseProgram(program);
	sums = core_words(256, 10);
	one = core_words(1, 1);
	five = core_words(1, 5);
	bind(0, sums);
	for (int i = 0; i < 24; i++) {
		if (i % 8 == 0)
			bind(1, i == 8 ? five : one);
		glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
		glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);
	}
	core_read_words(sums, 0, words, 256);
	for (int i = 0; i < 256; i++)
		right += words[i] == 10 + 8 + 40 + 8;
	tap(right == 256, "draws add up across barriers: %d of 256", right);
}

/*
 * A shader writes buffers, which are then used in every other way that GL has; the program rewrites
 * one of them.
 */
static void test_uses(void)
{
	static const char count_source[] = HEADER
		"layout(local_size_x = 64) in;\n"
		"layout(std430, binding = 0) buffer Out { uint words[]; };\n"
		"uniform uint first;\n"
		"void main() { words[gl_GlobalInvocationID.x] = first + "
		"gl_GlobalInvocationID.x; }\n";
	GLuint program = core_compute(count_source), buffer = core_words(64, 0),
	       copy = core_words(64, 0), texture;
	uint32_t words[64];
	int right = 0;

	glUseProgram(program);
	bind(0, buffer);
	for (uint32_t i = 0; i < 10; i++) {
		const uint32_t other = 7000 + i;

		glUniform1ui(glGetUniformLocation(program, "first"), 100 * i);
		glDispatchCompute(1, 1, 1);
		glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
		glBindBuffer(GL_COPY_READ_BUFFER, buffer);
		glBindBuffer(GL_COPY_WRITE_BUFFER, copy);
		glBufferSubData(GL_COPY_READ_BUFFER, 8, 4, &other);
		glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, 0, 0, 256);
		core_read_words(copy, 0, words, 64);
		right += words[0] == 100 * i && words[1] == 100 * i + 1 && words[2] == other &&
			 words[63] == 100 * i + 63;
	}
	tap(right == 10, "written by shader and program in turns: %d of 10", right);
	glGenTextures(1, &texture);
	glBindTexture(GL_TEXTURE_2D, texture);
	glUniform1ui(glGetUniformLocation(program, "first"), 4000);
	glDispatchCompute(1, 1, 1);
	glMemoryBarrier(GL_PIXEL_BUFFER_BARRIER_BIT);
	glBindBuffer(GL_PIXEL_UNPACK_BUFFER, buffer);
	glTexImage2D(GL_TEXTURE_2D, 0, GL_R32UI, 8, 8, 0, GL_RED_INTEGER, GL_UNSIGNED_INT, NULL);
	glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
	glGetTexImage(GL_TEXTURE_2D, 0, GL_RED_INTEGER, GL_UNSIGNED_INT, words);
	right = 0;
	for (uint32_t i = 0; i < 64; i++)
		right += words[i] == 4000 + i;
	tap(right == 64, "a texture made of it: %d of 64", right);
}

int main(void)
{
	GLint align;

	core_open();
	glGetIntegerv(GL_SHADER_STORAGE_BUFFER_OFFSET_ALIGNMENT, &align);
	test_layouts();
	test_atomics();
	test_blocks(align < 16 ? 16 : align);
	test_stages();
	test_draws();
	test_uses();
	tap(core_no_error(), "there is no error to tell");
	gl_close();
	return tap_failures() != 0;
}
