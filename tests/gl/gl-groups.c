// SPDX-License-Identifier: MIT
/*
 * Operations across invocations: votes, ballots, the shader clock, atomic additions to floats,
 * atomic operations on 64 bits, and variable group sizes. Prints TAP.
 */
#include "gl-core.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define HEADER								\
	"#version 430\n"						\
	"#extension GL_ARB_shader_ballot: require\n"			\
	"#extension GL_ARB_shader_group_vote: require\n"		\
	"#extension GL_ARB_gpu_shader_int64: require\n"

/* Ballots of compute shaders */

#define INVOCATIONS 64

/*
 * The results of an invocation: @index is its number in the work group, @id that in its subgroup.
 */
struct findings {
	uint32_t size, id, first, last;
	uint64_t all, odd, among_odd, equal, at_least, more, at_most, less;
	uint32_t any, every, same, pad;
};

static const char ballot_source[] = HEADER
	"layout(local_size_x = 64) in;\n"
	"struct Findings {\n"
	"	uint size, id, first, last;\n"
	"	uvec2 all, odd, among_odd, equal, at_least, more, at_most, less;\n"
	"	uint any, every, same, pad;\n"
	"};\n"
	"layout(std430, binding = 0) buffer Out { Findings found[]; };\n"
	"void main() {\n"
	"	const uint i = gl_LocalInvocationIndex, id = gl_SubGroupInvocationARB, size = "
	"gl_SubGroupSizeARB;\n"
	"	found[i].size = size;\n"
	"	found[i].id = id;\n"
	"	found[i].first = readFirstInvocationARB(i);\n"
	"	found[i].last = readInvocationARB(i, size - 1u);\n"
	"	found[i].all = unpackUint2x32(ballotARB(true));\n"
	"	found[i].odd = unpackUint2x32(ballotARB((id & 1u) == 1u));\n"
	"	if ((id & 1u) == 1u)\n"
	"		found[i].among_odd = unpackUint2x32(ballotARB(true));\n"
	"	else\n"
	"		found[i].among_odd = uvec2(0);\n"
	"	found[i].equal = unpackUint2x32(gl_SubGroupEqMaskARB);\n"
	"	found[i].at_least = unpackUint2x32(gl_SubGroupGeMaskARB);\n"
	"	found[i].more = unpackUint2x32(gl_SubGroupGtMaskARB);\n"
	"	found[i].at_most = unpackUint2x32(gl_SubGroupLeMaskARB);\n"
	"	found[i].less = unpackUint2x32(gl_SubGroupLtMaskARB);\n"
	"	found[i].any = uint(anyInvocationARB(i == 13u));\n"
	"	found[i].every = uint(allInvocationsARB(i != 13u));\n"
	"	found[i].same = uint(allInvocationsEqualARB(i == 13u));\n"
	"}\n";

static bool same_subgroup(const struct findings *a, const struct findings *b)
{
	return a->first == b->first;
}

/*
 * Returns the index of the invocation with number @id in the subgroup of @of, or -1 if there is
 * none or more than one.
 */
static int find_id(const struct findings *all, const struct findings *of, uint32_t id)
{
	int found = -1;

	for (int i = 0; i < INVOCATIONS; i++) {
		if (!same_subgroup(&all[i], of) || all[i].id != id)
			continue;
		if (found >= 0)
			return -1;
		found = i;
	}
	return found;
}

static bool is_whole(const struct findings *all, const struct findings *f)
{
	for (uint32_t id = 0; id < f->size; id++)
		if (find_id(all, f, id) < 0)
			return false;
	return f->size >= 1 && f->size <= 64 && f->id < f->size &&
	       find_id(all, f, 0) == (int)f->first;
}

static bool ballots_are_right(const struct findings *f)
{
	const uint64_t everyone = UINT64_MAX >> (64 - f->size),
		       odd = everyone & 0xaaaaaaaaaaaaaaaaull;

	return f->all == everyone && f->odd == odd && f->among_odd == (f->id & 1 ? odd : 0);
}

/* Bits beyond the subgroup are ignored. */
static bool masks_are_right(const struct findings *f)
{
	const uint64_t everyone = UINT64_MAX >> (64 - f->size), self = 1ull << f->id,
		       less = self - 1;

	return f->equal == self && (f->less & everyone) == less &&
	       (f->at_most & everyone) == (less | self) &&
	       (f->at_least & everyone) == (everyone & ~less) &&
	       (f->more & everyone) == (everyone & ~less & ~self);
}

static bool votes_are_right(const struct findings *all, const struct findings *f)
{
	const bool with_13 = same_subgroup(f, &all[13]);

	return f->any == with_13 && f->every == !with_13 && f->same == (!with_13 || f->size == 1);
}

static bool reads_are_right(const struct findings *all, const struct findings *f)
{
	return (int)f->last == find_id(all, f, f->size - 1);
}

static void test_ballots(void)
{
	static struct findings all[INVOCATIONS];
	bool whole = true, ballots = true, masks = true, votes = true, reads = true;
	GLuint buffer = core_words(sizeof(all) / 4, 0xdeadbeef);

	glUseProgram(core_compute(ballot_source));
	glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, buffer);
	glDispatchCompute(1, 1, 1);
	core_read_words(buffer, 0, (uint32_t *)all, sizeof(all) / 4);
	for (int i = 0; i < INVOCATIONS; i++) {
		whole = whole && is_whole(all, &all[i]);
		if (!whole)
			break;
		ballots = ballots && ballots_are_right(&all[i]);
		masks = masks && masks_are_right(&all[i]);
		votes = votes && votes_are_right(all, &all[i]);
		reads = reads && reads_are_right(all, &all[i]);
	}
	tap(whole, "subgroups of compute shaders are whole, of %u invocations", all[0].size);
	tap(whole && ballots, "ballots are of those who are there");
	tap(whole && masks, "masks are of numbers in the subgroup");
	tap(whole && votes, "votes are of the subgroup");
	tap(whole && reads, "values of others are read");
}

/* Other stages */

static const char vertex_source[] = HEADER
	"in vec2 vertex;\n"
	"flat out uint fine;\n"
	"void main() {\n"
	"	const uint64_t all = ballotARB(true);\n"
	"	fine = uint((all & gl_SubGroupEqMaskARB) != 0ul && anyInvocationARB(true) && "
	"!anyInvocationARB(false) &&\n"
	"		    allInvocationsARB(true) && allInvocationsEqualARB(false) &&\n"
	"		    gl_SubGroupInvocationARB < gl_SubGroupSizeARB && "
	"ballotARB(false) == 0ul &&\n"
	"		    readInvocationARB(7, 0u) == 7);\n"
	"	gl_Position = vec4(vertex, 0.0, 1.0);\n"
	"}\n";

static const char fragment_source[] = HEADER
	"flat in uint fine;\n"
	"out vec4 result;\n"
	"void main() {\n"
	"	const uint64_t all = ballotARB(true), left = ballotARB(gl_FragCoord.x < 8.0);\n"
	"	const bool mine = ((left & gl_SubGroupEqMaskARB) != 0ul) == (gl_FragCoord.x "
	"< 8.0);\n"
	"	const bool own = (all & gl_SubGroupEqMaskARB) != 0ul && mine && "
	"(left & ~all) == 0ul &&\n"
	"		anyInvocationARB(gl_FragCoord.x < 8.0) == (left != 0ul) &&\n"
	"		allInvocationsARB(gl_FragCoord.x < 8.0) == (left == all);\n"
	"	result = vec4(fine != 1u, own, 0.0, 1.0);\n"
	"}\n";

static void test_stages(void)
{
	bool right = true;

	glUseProgram(core_program(vertex_source, fragment_source, 0, NULL, 0));
	core_buffer(GL_ARRAY_BUFFER, sizeof(gl_corners), gl_corners);
	glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
	glEnableVertexAttribArray(0);
	glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
	for (int y = 0; y < CORE_SIZE && right; y++)
		for (int x = 0; x < CORE_SIZE && right; x++)
			right = gl_pixel_is(x, y, 0x00ff00ff, 0);
	tap(right && core_no_error(), "vertices and fragments vote");
}

/* The clock */

static const char clock_source[] =
	"#version 430\n"
	"#extension GL_ARB_shader_clock: require\n"
	"#extension GL_ARB_gpu_shader_int64: require\n"
	"layout(local_size_x = 1) in;\n"
	"layout(std430, binding = 0) buffer Out { uint words[]; };\n"
	"void main() {\n"
	"	const uint64_t before = clockARB();\n"
	"	for (uint i = 0u; i < 1000u; i++)\n"
	"		words[1u + i % 3u] += i;\n"
	"	const uint64_t after = packUint2x32(clock2x32ARB());\n"
	"	words[0] = uint(after > before);\n"
	"}\n";

static void test_clock(void)
{
	uint32_t words[4] = { 0 };
	GLuint buffer = core_words(4, 7);

	glUseProgram(core_compute(clock_source));
	glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, buffer);
	glDispatchCompute(1, 1, 1);
	core_read_words(buffer, 0, words, 4);
	tap(words[0] == 1 && words[1] + words[2] + words[3] == 499500 + 3 * 7,
	    "a clock goes on while a shader works");
}

/* Additions to floats (GL_NV_shader_atomic_float) */

static const char float_source[] =
	"#version 430\n"
	"#extension GL_NV_shader_atomic_float: require\n"
	"layout(local_size_x = 64) in;\n"
	"layout(std430, binding = 0) buffer Out { float sum, kept, groups, last; };\n"
	"layout(binding = 0, r32f) uniform image2D image;\n"
	"shared float partial;\n"
	"void main() {\n"
	"	if (gl_LocalInvocationIndex == 0u)\n"
	"		partial = 0.5;\n"
	"	barrier();\n"
	"	atomicAdd(partial, 0.25);\n"
	"	atomicAdd(sum, float(gl_LocalInvocationIndex));\n"
	"	imageAtomicAdd(image, ivec2(1, 2), 0.5);\n"
	"	barrier();\n"
	"	if (gl_LocalInvocationIndex == 0u) {\n"
	"		if (atomicAdd(groups, partial) > 0.0)\n"
	"			atomicAdd(kept, 1.0);\n"
	"		imageAtomicExchange(image, ivec2(3, 3), 7.0);\n"
	"		atomicExchange(last, 9.0);\n"
	"	}\n"
	"}\n";

static void test_floats(void)
{
	const float zeros[16] = { 0 };
	GLuint buffer = core_words(4, 0), texture;
	float sums[4] = { 0 }, texels[16];

	glGenTextures(1, &texture);
	glBindTexture(GL_TEXTURE_2D, texture);
	glTexStorage2D(GL_TEXTURE_2D, 1, GL_R32F, 4, 4);
	glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 4, 4, GL_RED, GL_FLOAT, zeros);
	glBindImageTexture(0, texture, 0, GL_FALSE, 0, GL_READ_WRITE, GL_R32F);
	glUseProgram(core_compute(float_source));
	glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, buffer);
	glDispatchCompute(10, 1, 1);
	glMemoryBarrier(GL_ALL_BARRIER_BITS);
	core_read_words(buffer, 0, (uint32_t *)sums, 4);
	glGetTexImage(GL_TEXTURE_2D, 0, GL_RED, GL_FLOAT, texels);
	tap(sums[0] == 10 * 2016 && sums[1] == 9 && sums[3] == 9,
	    "floats of buffers are added to: %g, %g", sums[0], sums[1]);
	tap(sums[2] == 10 * 16.5f, "so are those of groups: %g", sums[2]);
	tap(texels[9] == 320 && texels[15] == 7 && texels[0] == 0 && core_no_error(),
	    "and of images: %g", texels[9]);
}

/* 64-bit atomic operations (GL_NV_shader_atomic_int64), beside 32-bit ones in the same buffer */

static const char long_source[] =
	"#version 430\n"
	"#extension GL_ARB_gpu_shader_int64: require\n"
	"#extension GL_NV_shader_atomic_int64: require\n"
	"#extension GL_NV_shader_atomic_float: require\n"
	"layout(local_size_x = 64) in;\n"
	"layout(std430, binding = 0) buffer Out {\n"
	"	int64_t sum, most, least, exchanged;\n"
	"	uint turned, total, added, highest, swapped, stored[3];\n"
	"};\n"
	"shared uint odd, words[65];\n"
	"shared int64_t group_sum;\n"
	"shared uint64_t group_most;\n"
	"shared float partial;\n"
	"shared vec4 quads[64];\n"
	"shared uint group_total, group_highest, group_swapped;\n"
	"void main() {\n"
	"	uint i = gl_LocalInvocationIndex;\n"
	"	int64_t wide = int64_t(i) << 32 | 3l;\n"
	"	if (i == 0u) {\n"
	"		group_sum = 0l;\n"
	"		group_most = 0ul;\n"
	"		partial = 0.5;\n"
	"		odd = group_total = group_highest = 0u;\n"
	"		group_swapped = 7u;\n"
	"	}\n"
	"	barrier();\n"
	"	words[i] = i;\n"
	"	quads[i] = vec4(i, i + 1u, i + 2u, i + 3u);\n"
	"	atomicAdd(group_sum, wide);\n"
	"	atomicMax(group_most, uint64_t(wide));\n"
	"	atomicAdd(partial, 0.25);\n"
	"	atomicAdd(group_total, i);\n"
	"	atomicMax(group_highest, i ^ 21u);\n"
	"	atomicCompSwap(group_swapped, 7u, 100u);\n"
	"	atomicOr(odd, 1u << (i & 31u));\n"
	"	barrier();\n"
	"	atomicAdd(turned, words[63u - i] + quads[i].w == 66.0 ? 1u : 0u);\n"
	"	atomicAdd(sum, wide);\n"
	"	atomicMin(least, -wide);\n"
	"	barrier();\n"
	"	if (i == 0u) {\n"
	"		atomicMax(most, group_sum);\n"
	"		atomicCompSwap(exchanged, 0l, int64_t(group_most));\n"
	"		atomicAdd(total, group_total);\n"
	"		atomicAdd(added, uint(partial * 2.0));\n"
	"		atomicMax(highest, group_highest);\n"
	"		swapped = group_swapped;\n"
	"		stored[0] = odd;\n"
	"		stored[1] = atomicExchange(words[3], 9u);\n"
	"		stored[2] = words[3];\n"
	"	}\n"
	"}\n";

static void test_longs(void)
{
	const uint64_t group_sum = (uint64_t)2016 << 32 | 64 * 3, most = (uint64_t)63 << 32 | 3;
	const uint64_t longs[4] = { 10 * group_sum, group_sum, -most, most };
	const uint32_t wanted[8] = { 640, 20160, 10 * 33, 63, 100, ~0u, 3, 9 };
	GLuint buffer = core_words(16, 0);
	uint32_t words[16] = { 0 };

	glUseProgram(core_compute(long_source));
	glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, buffer);
	glDispatchCompute(10, 1, 1);
	core_read_words(buffer, 0, words, 16);
	tap(!memcmp(words, longs, sizeof(longs)), "words of 64 bits are added up and compared");
	tap(!memcmp(&words[8], wanted, sizeof(wanted)) && core_no_error(),
	    "and nothing beside them is lost");
	for (int i = 0; i < 8; i++)
		if (words[8 + i] != wanted[i])
			printf("# word %d is %u instead of %u\n", i, words[8 + i], wanted[i]);
}

/* Work groups whose size comes from the dispatch */

static const char size_source[] =
	"#version 430\n"
	"#extension GL_ARB_compute_variable_group_size: require\n"
	"layout(local_size_variable) in;\n"
	"layout(std430, binding = 0) buffer Out { uint size[3]; uint count; uint sum; "
	"uint last[3]; };\n"
	"shared uint indices;\n"
	"void main() {\n"
	"	if (gl_LocalInvocationIndex == 0u)\n"
	"		indices = 0u;\n"
	"	barrier();\n"
	"	atomicAdd(indices, gl_LocalInvocationIndex);\n"
	"	barrier();\n"
	"	atomicAdd(count, 1u);\n"
	"	if (gl_LocalInvocationIndex == 0u)\n"
	"		atomicAdd(sum, indices);\n"
	"	for (int i = 0; i < 3; i++) {\n"
	"		size[i] = gl_LocalGroupSizeARB[i];\n"
	"		atomicMax(last[i], gl_GlobalInvocationID[i]);\n"
	"	}\n"
	"}\n";

static void test_size(PFNGLDISPATCHCOMPUTEGROUPSIZEARBPROC dispatch, const GLuint *size)
{
	const uint32_t n = size[0] * size[1] * size[2], groups = 2 * 3;
	const uint32_t wanted[8] = {
		size[0], size[1], size[2], groups * n, groups * (n * (n - 1) / 2),
		2 * size[0] - 1, 3 * size[1] - 1, size[2] - 1,
	};
	GLuint buffer = core_words(8, 0);
	uint32_t words[8] = { 0 };

	glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, buffer);
	dispatch(2, 3, 1, size[0], size[1], size[2]);
	core_read_words(buffer, 0, words, 8);
	tap(core_no_error() && !memcmp(words, wanted, sizeof(words)), "groups of %ux%ux%u", size[0],
	    size[1], size[2]);
}

static void test_sizes(void)
{
	static const GLuint sizes[][3] = {
		{ 1, 1, 1 }, { 8, 4, 2 }, { 5, 3, 1 }, { 8, 4, 2 }, { 512, 1, 1 }, { 1, 512, 1 },
		{ 2, 1, 64 },
	};
	PFNGLDISPATCHCOMPUTEGROUPSIZEARBPROC dispatch = (PFNGLDISPATCHCOMPUTEGROUPSIZEARBPROC)
		eglGetProcAddress("glDispatchComputeGroupSizeARB");
	GLint most = 0, size[3] = { 0 };

	glGetIntegerv(GL_MAX_COMPUTE_VARIABLE_GROUP_INVOCATIONS_ARB, &most);
	for (int i = 0; i < 3; i++)
		glGetIntegeri_v(GL_MAX_COMPUTE_VARIABLE_GROUP_SIZE_ARB, i, &size[i]);
	tap(most >= 512 && size[0] >= 512 && size[1] >= 512 && size[2] >= 64,
	    "groups may have %d invocations", most);
	glUseProgram(core_compute(size_source));
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		test_size(dispatch, sizes[i]);
	glDispatchCompute(1, 1, 1);
	tap(glGetError() == GL_INVALID_OPERATION, "a dispatch has to say the size");
	dispatch(1, 1, 1, most, 2, 1);
	tap(glGetError() == GL_INVALID_VALUE, "and one that there is");
}

int main(void)
{
	core_open();
	test_ballots();
	test_stages();
	test_clock();
	test_floats();
	test_longs();
	test_sizes();
	gl_close();
	return tap_failures() != 0;
}
