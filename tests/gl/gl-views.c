// SPDX-License-Identifier: MIT
/*
 * Textures of OpenGL 4: views, copies of blocks, cube map arrays, gathers, queries, barriers.
 * Prints TAP.
 */
#include "gl-core.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static GLuint texture_new(GLenum target)
{
	GLuint texture;

	glGenTextures(1, &texture);
	glBindTexture(target, texture);
	return texture;
}

static void nearest(GLenum target)
{
	glTexParameteri(target, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
	glTexParameteri(target, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
}

/* Returns a view of @texture, which is bound. */
static GLuint view_new(GLuint texture, GLenum target, GLenum format, int level, int layer,
		       int layers)
{
	GLuint view;

	glGenTextures(1, &view);
	glTextureView(view, target, texture, format, level, 1, layer, layers);
	glBindTexture(target, view);
	nearest(target);
	return view;
}

static void test_formats(void)
{
	static const GLubyte texel[] = { 0x12, 0x34, 0x56, 0x78 };
	GLuint texture = texture_new(GL_TEXTURE_2D), view;

	glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, 1, 1);
	glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, texel);
	view = view_new(texture, GL_TEXTURE_2D, GL_R32UI, 0, 0, 1);
	core_is_seen("#version 400\n"
		     "uniform usampler2D image;\n"
		     "out vec4 result;\n"
		     "void main() { result = vec4(texelFetch(image, ivec2(0), "
		     "0).x == 0x78563412u); }\n",
		     0xffffffff, "four bytes as one number");
	glDeleteTextures(1, &view);
	view = view_new(texture, GL_TEXTURE_2D, GL_RGBA8UI, 0, 0, 1);
	core_is_seen("#version 400\n"
		     "uniform usampler2D image;\n"
		     "out vec4 result;\n"
		     "void main() { result = vec4(texelFetch(image, ivec2(0), 0)) / 255.0; }\n",
		     0x12345678, "bytes as integers");
	glDeleteTextures(1, &view);
	view = view_new(texture, GL_TEXTURE_2D, GL_SRGB8_ALPHA8, 0, 0, 1);
	core_is_seen("#version 400\n"
		     "uniform sampler2D image;\n"
		     "out vec4 result;\n"
		     "void main() {\n"
		     "	vec4 texel = texture(image, vec2(0.5));\n"
		     "	result = vec4(abs(texel.g - 0.0343) < 0.0005, "
		     "abs(texel.a - 0.4706) < 0.0005, 0, 1);\n"
		     "}\n",
		     0xffff00ff, "bytes as sRGB");
	glDeleteTextures(1, &view);
	glDeleteTextures(1, &texture);
}

/* Layers and levels of an array. */
static void test_layers(void)
{
	const uint32_t level0[12 * 16] = { 0 };
	uint32_t level1[12 * 4];
	GLuint texture = texture_new(GL_TEXTURE_2D_ARRAY), view;

	for (int i = 0; i < 48; i++)
		level1[i] = 0xff000000 | (uint32_t)(i / 4) * 0x11;
	glTexStorage3D(GL_TEXTURE_2D_ARRAY, 2, GL_RGBA8, 4, 4, 12);
	glTexSubImage3D(GL_TEXTURE_2D_ARRAY, 0, 0, 0, 0, 4, 4, 12, GL_RGBA, GL_UNSIGNED_BYTE,
			level0);
	glTexSubImage3D(GL_TEXTURE_2D_ARRAY, 1, 0, 0, 0, 2, 2, 12, GL_RGBA, GL_UNSIGNED_BYTE,
			level1);

	view = view_new(texture, GL_TEXTURE_2D, GL_RGBA8, 1, 7, 1);
	core_is_seen("#version 400\nuniform sampler2D image;\nout vec4 result;\n"
		     "void main() { result = texture(image, vec2(0.5)); }\n", 0x770000ff,
		     "a layer of a level");
	glDeleteTextures(1, &view);
	view = view_new(texture, GL_TEXTURE_2D_ARRAY, GL_RGBA8, 1, 3, 4);
	core_is_seen("#version 400\nuniform sampler2DArray image;\nout vec4 result;\n"
		     "void main() { result = texture(image, vec3(0.5, 0.5, 1)); }\n", 0x440000ff,
		     "a layer of some");
	core_is_seen("#version 400\nuniform sampler2DArray image;\nout vec4 result;\n"
		     "void main() { result = texture(image, vec3(0.5, 0.5, 100)); }\n", 0x660000ff,
		     "and no more of them");
	glDeleteTextures(1, &view);
	view = view_new(texture, GL_TEXTURE_CUBE_MAP, GL_RGBA8, 1, 2, 6);
	core_is_seen("#version 400\nuniform samplerCube image;\nout vec4 result;\n"
		     "void main() { result = texture(image, vec3(0, 0, -1)); }\n", 0x770000ff,
		     "six layers as a cube");
	glDeleteTextures(1, &view);
	view = view_new(texture, GL_TEXTURE_CUBE_MAP_ARRAY, GL_RGBA8, 1, 0, 12);
	core_is_seen("#version 400\nuniform samplerCubeArray image;\nout vec4 result;\n"
		     "void main() { result = texture(image, vec4(0, -1, 0, 1)); }\n", 0x990000ff,
		     "twelve as two cubes");
	core_is_seen("#version 400\nuniform samplerCubeArray image;\nout vec4 result;\n"
		     "void main() { result = vec4(textureSize(image, 0), 2) / 15.0; }\n",
		     0x22222222, "which are two");
	glDeleteTextures(1, &view);
	glDeleteTextures(1, &texture);
}

/* A draw to a view changes the texture. */
static void test_drawing(void)
{
	GLuint texture = texture_new(GL_TEXTURE_2D_ARRAY), view, framebuffer;
	uint32_t texels[3] = { 0 };
	GLint old;

	glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &old);
	glTexStorage3D(GL_TEXTURE_2D_ARRAY, 1, GL_RGBA8, 1, 1, 3);
	view = view_new(texture, GL_TEXTURE_2D, GL_R32UI, 0, 1, 1);
	glGenFramebuffers(1, &framebuffer);
	glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
	glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, view, 0);
	glClearBufferuiv(GL_COLOR, 0, (const GLuint[]){ 0x04030201, 0, 0, 0 });
	glBindFramebuffer(GL_FRAMEBUFFER, old);
	glBindTexture(GL_TEXTURE_2D_ARRAY, texture);
	glGetTexImage(GL_TEXTURE_2D_ARRAY, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
	tap(texels[1] == 0x04030201 && texels[2] != texels[1], "a view is drawn to: %08x",
	    texels[1]);
	glDeleteFramebuffers(1, &framebuffer);
	glDeleteTextures(1, &view);
	glDeleteTextures(1, &texture);
}

/*
 * Layers of a cube map array that do not form cubes, as images; and framebuffers of formats that
 * cannot be drawn to must not do harm.
 */
static void test_odd_targets(void)
{
	GLuint program = core_compute("#version 430\nlayout(local_size_x = 1) in;\n"
				      "layout(binding = 0, rgba8) uniform writeonly "
				      "image2DArray image;\n"
				      "void main() { imageStore(image, ivec3(0, 0, 3), "
				      "vec4(imageSize(image).z / 15.0)); }\n");
	GLuint texture = texture_new(GL_TEXTURE_CUBE_MAP_ARRAY), shared, float_view, view,
	       framebuffer;
	uint32_t texels[12] = { 0 };
	GLint old;

	glTexStorage3D(GL_TEXTURE_CUBE_MAP_ARRAY, 1, GL_RGBA8, 1, 1, 12);
	view = view_new(texture, GL_TEXTURE_2D_ARRAY, GL_RGBA8, 0, 2, 7);
	glBindImageTexture(0, view, 0, GL_TRUE, 0, GL_WRITE_ONLY, GL_RGBA8);
	glUseProgram(program);
	glDispatchCompute(1, 1, 1);
	glMemoryBarrier(GL_TEXTURE_UPDATE_BARRIER_BIT);
	glBindTexture(GL_TEXTURE_CUBE_MAP_ARRAY, texture);
	glGetTexImage(GL_TEXTURE_CUBE_MAP_ARRAY, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
	tap(texels[5] == 0x77777777, "seven layers of cubes as an image: %08x", texels[5]);
	glDeleteTextures(1, &view);

	glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &old);
	glGenFramebuffers(1, &framebuffer);
	glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
	view = view_new(texture, GL_TEXTURE_2D, GL_RGB9_E5, 0, 1, 1);
	glFramebufferTexture(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, view, 0);
	glClear(GL_COLOR_BUFFER_BIT);
	shared = texture_new(GL_TEXTURE_2D);
	glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGB9_E5, 2, 2);
	float_view = view_new(shared, GL_TEXTURE_2D, GL_R32F, 0, 0, 1);
	glFramebufferTexture(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, float_view, 0);
	glEnable(GL_SCISSOR_TEST);
	glScissor(0, 0, 1, 1);
	glClear(GL_COLOR_BUFFER_BIT);
	glDisable(GL_SCISSOR_TEST);
	glDispatchCompute(1, 1, 1);
	glFinish();
	tap(glGetError() != GL_CONTEXT_LOST, "clears of what cannot be drawn to");
	glBindFramebuffer(GL_FRAMEBUFFER, old);
	glDeleteFramebuffers(1, &framebuffer);
	glDeleteTextures(3, (GLuint[]){ view, shared, float_view });
	glDeleteTextures(1, &texture);
	glDeleteProgram(program);
}

/* The largest depth of a 3D texture: all slices at once, and the last slice. */
static void test_last_slice(void)
{
	GLuint deep = texture_new(GL_TEXTURE_3D), framebuffer, all = 0, last = 0;
	GLint depth, old;

	glGetIntegerv(GL_MAX_3D_TEXTURE_SIZE, &depth);
	glTexStorage3D(GL_TEXTURE_3D, 1, GL_RGBA8, 1, 1, depth);
	glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &old);
	glGenFramebuffers(1, &framebuffer);
	glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
	glFramebufferTexture(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, deep, 0);
	glClearColor(0, 1, 0, 1);
	glClear(GL_COLOR_BUFFER_BIT);
	glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, deep, 0, depth - 1);
	glReadPixels(0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, &all);
	glClearColor(1, 0, 1, 1);
	glClear(GL_COLOR_BUFFER_BIT);
	glReadPixels(0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, &last);
	tap(all == 0xff00ff00 && last == 0xffff00ff,
	    "the last of %d slices is drawn to: %08x, %08x", depth, all, last);
	glClearColor(0, 0, 0, 0);
	glBindFramebuffer(GL_FRAMEBUFFER, old);
	glDeleteFramebuffers(1, &framebuffer);
	glDeleteTextures(1, &deep);
}

/* Copies between compressed and uncompressed formats with the same block size. */
static void test_copies(void)
{
	uint64_t blocks[8 * 8], seen[8 * 8] = { 0 };
	GLuint plain, packed;
	bool all = true;

	for (int i = 0; i < 64; i++)
		blocks[i] = 0x0123456789abcdefull * (i + 1);
	plain = texture_new(GL_TEXTURE_2D);
	glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA16UI, 8, 8);
	glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 8, 8, GL_RGBA_INTEGER, GL_UNSIGNED_SHORT, blocks);
	packed = texture_new(GL_TEXTURE_2D);
	glTexStorage2D(GL_TEXTURE_2D, 2, GL_COMPRESSED_RED_RGTC1, 32, 32);
	glCopyImageSubData(plain, GL_TEXTURE_2D, 0, 2, 1, 0, packed, GL_TEXTURE_2D, 0, 4, 8, 0, 5,
			   4, 1);
	glGetCompressedTexImage(GL_TEXTURE_2D, 0, seen);
	for (int y = 0; y < 4; y++)
		for (int x = 0; x < 5; x++)
			all = all && seen[(y + 2) * 8 + x + 1] == blocks[(y + 1) * 8 + x + 2];
	tap(all, "texels become blocks");

	memset(seen, 0, sizeof(seen));
	glCopyImageSubData(packed, GL_TEXTURE_2D, 0, 4, 8, 0, plain, GL_TEXTURE_2D, 0, 0, 0, 0, 20,
			   16, 1);
	glBindTexture(GL_TEXTURE_2D, plain);
	glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA_INTEGER, GL_UNSIGNED_SHORT, seen);
	all = true;
	for (int y = 0; y < 4; y++)
		for (int x = 0; x < 5; x++)
			all = all && seen[y * 8 + x] == blocks[(y + 1) * 8 + x + 2];
	tap(all && seen[7] == blocks[7], "blocks become texels");
	glDeleteTextures(1, &plain);
	glDeleteTextures(1, &packed);
}

/*
 * Bitwise copies between formats, one of which (shared exponents) can neither be drawn to nor be
 * viewed as another.
 */
static void test_copies_of_shared_exponents(void)
{
	static const struct {
		GLenum internal, format, type;
	} kinds[] = {
		{ GL_R32UI, GL_RED_INTEGER, GL_UNSIGNED_INT },
		{ GL_RG16I, GL_RG_INTEGER, GL_SHORT },
		{ GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE },
		{ GL_RGB10_A2, GL_RGBA, GL_UNSIGNED_INT_2_10_10_10_REV },
		{ GL_R11F_G11F_B10F, GL_RGB, GL_UNSIGNED_INT_10F_11F_11F_REV },
	};
	const int n = sizeof(kinds) / sizeof(kinds[0]);
	uint32_t texels[16], there[16], back[16];
	bool all = true;

	for (int i = 0; i < 16; i++)
		texels[i] = 0x12345678u + 0x01010101u * i;
	for (int i = 0; i < n; i++) {
		GLuint other = texture_new(GL_TEXTURE_2D), shared = texture_new(GL_TEXTURE_2D);

		glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGB9_E5, 4, 4);
		glBindTexture(GL_TEXTURE_2D, other);
		glTexStorage2D(GL_TEXTURE_2D, 1, kinds[i].internal, 4, 4);
		glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 4, 4, kinds[i].format, kinds[i].type,
				texels);
		glCopyImageSubData(other, GL_TEXTURE_2D, 0, 0, 0, 0, shared, GL_TEXTURE_2D, 0, 0, 0,
				   0, 4, 4, 1);
		glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 4, 4, kinds[i].format, kinds[i].type,
				(uint32_t[16]){ 0 });
		glCopyImageSubData(shared, GL_TEXTURE_2D, 0, 0, 0, 0, other, GL_TEXTURE_2D, 0, 0, 0,
				   0, 4, 4, 1);
		glGetTexImage(GL_TEXTURE_2D, 0, kinds[i].format, kinds[i].type, back);
		glBindTexture(GL_TEXTURE_2D, shared);
		glGetTexImage(GL_TEXTURE_2D, 0, GL_RGB, GL_UNSIGNED_INT_5_9_9_9_REV, there);
		for (int j = 0; j < 16; j++)
			all = all && there[j] == texels[j] && back[j] == texels[j];
		if (!all)
			printf("# format 0x%x: %08x and %08x, not %08x\n", kinds[i].internal,
			       there[0], back[0], texels[0]);
		glDeleteTextures(1, &other);
		glDeleteTextures(1, &shared);
	}
	tap(all, "texels with a shared exponent are copied as they are");
}

/* Copies a whole level that ends with partial blocks to the middle of a larger level. */
static void test_parts_of_blocks(void)
{
	enum { WIDTH = 9, HEIGHT = 5, COLUMNS = 3, ROWS = 2, SIDE = 8 };
	uint64_t blocks[COLUMNS * ROWS], seen[SIDE * SIDE] = { 0 };
	GLuint small, large;
	bool all = true;

	for (int i = 0; i < COLUMNS * ROWS; i++)
		blocks[i] = 0x0123456789abcdefull * (i + 1);
	small = texture_new(GL_TEXTURE_2D);
	glTexStorage2D(GL_TEXTURE_2D, 2, GL_COMPRESSED_RED_RGTC1, 2 * WIDTH, 2 * HEIGHT);
	glCompressedTexSubImage2D(GL_TEXTURE_2D, 1, 0, 0, WIDTH, HEIGHT, GL_COMPRESSED_RED_RGTC1,
				  sizeof(blocks), blocks);
	large = texture_new(GL_TEXTURE_2D);
	glTexStorage2D(GL_TEXTURE_2D, 1, GL_COMPRESSED_RED_RGTC1, SIDE * 4, SIDE * 4);
	glCopyImageSubData(small, GL_TEXTURE_2D, 1, 0, 0, 0, large, GL_TEXTURE_2D, 0, 4, 16, 0,
			   WIDTH, HEIGHT, 1);
	glGetCompressedTexImage(GL_TEXTURE_2D, 0, seen);
	for (int y = 0; y < ROWS; y++)
		for (int x = 0; x < COLUMNS; x++)
			all = all && seen[(y + 4) * SIDE + x + 1] == blocks[y * COLUMNS + x];
	tap(all && core_no_error(),
	    "blocks that stick out of a level are copied to where they do not");
	glDeleteTextures(1, &small);
	glDeleteTextures(1, &large);
}

static void test_gather(void)
{
	static const GLubyte texels[4 * 4] = {
		1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16
	};
	GLuint texture = texture_new(GL_TEXTURE_2D);
	GLubyte two[32];

	for (int i = 0; i < 32; i++)
		two[i] = i % 2 ? texels[i / 2] * 3 : texels[i / 2];
	glTexStorage2D(GL_TEXTURE_2D, 1, GL_RG8, 4, 4);
	glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 4, 4, GL_RG, GL_UNSIGNED_BYTE, two);
	nearest(GL_TEXTURE_2D);
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
	core_is_seen("#version 400\nuniform sampler2D image;\nout vec4 result;\n"
		     "void main() { result = textureGather(image, vec2(0.5)); }\n", 0x0a0b0706,
		     "four texels");
	core_is_seen("#version 400\nuniform sampler2D image;\nout vec4 result;\n"
		     "void main() { result = textureGather(image, vec2(0.5), 1); }\n", 0x1e211512,
		     "their second components");
	core_is_seen("#version 400\nuniform sampler2D image;\nout vec4 result;\n"
		     "void main() { result = textureGatherOffset(image, vec2(0.5), "
		     "ivec2(int(gl_FragCoord.x) - 6, -1)); }\n",
		     0x07080403, "with an offset that is not constant");
	core_is_seen("#version 400\nuniform sampler2D image;\nout vec4 result;\n"
		     "void main() {\n"
		     "	const ivec2 offsets[4] = ivec2[](ivec2(-1, -1), ivec2(0, 1), ivec2(1, 0), "
		     "ivec2(-1, 1));\n"
		     "	result = textureGatherOffsets(image, vec2(0.5), offsets);\n"
		     "}\n", 0x010a0709, "with four offsets");
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_SWIZZLE_R, GL_GREEN);
	core_is_seen("#version 400\nuniform sampler2D image;\nout vec4 result;\n"
		     "void main() { result = textureGather(image, vec2(0.5)); }\n", 0x1e211512,
		     "swizzled");
	glDeleteTextures(1, &texture);
}

static void test_compared(void)
{
	static const GLfloat depths[4] = { 0.2f, 0.4f, 0.6f, 0.8f };
	GLuint texture = texture_new(GL_TEXTURE_2D), cubes;
	GLfloat faces[12 * 4];

	glTexStorage2D(GL_TEXTURE_2D, 1, GL_DEPTH_COMPONENT32F, 2, 2);
	glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 2, 2, GL_DEPTH_COMPONENT, GL_FLOAT, depths);
	nearest(GL_TEXTURE_2D);
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
	core_is_seen("#version 400\nuniform sampler2DShadow image;\nout vec4 result;\n"
		     "void main() { result = textureGather(image, vec2(0.5), 0.5); }\n", 0xffff0000,
		     "four comparisons");
	/* OpenGL leaves this undefined; textures that are not complete return zero. */
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE, GL_NONE);
	core_is_seen("#version 400\nuniform sampler2DShadow image;\nout vec4 result;\n"
		     "void main() { result = vec4(texture(image, vec3(0.5)), textureLod(image, "
		     "vec3(0.1), 0.0), 0, 1); }\n",
		     0xcc3300ff, "depths that a sampler does not compare");
	core_is_seen("#version 400\nuniform sampler2DShadow image;\nout vec4 result;\n"
		     "void main() { result = textureGather(image, vec2(0.5), 0.5); }\n", 0x99cc6633,
		     "four of them");
	glDeleteTextures(1, &texture);
	texture = texture_new(GL_TEXTURE_2D);
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
	core_is_seen("#version 400\nuniform sampler2DShadow image;\nout vec4 result;\n"
		     "void main() { result = vec4(texture(image, vec3(0.0)), 0, 0, 1); }\n",
		     0x000000ff,
		     "a comparison with a texture that is not complete");
	glDeleteTextures(1, &texture);

	for (int i = 0; i < 48; i++)
		faces[i] = i / 4 / 12.0f;
	cubes = texture_new(GL_TEXTURE_CUBE_MAP_ARRAY);
	glTexStorage3D(GL_TEXTURE_CUBE_MAP_ARRAY, 1, GL_DEPTH_COMPONENT32F, 2, 2, 12);
	glTexSubImage3D(GL_TEXTURE_CUBE_MAP_ARRAY, 0, 0, 0, 0, 2, 2, 12, GL_DEPTH_COMPONENT,
			GL_FLOAT, faces);
	nearest(GL_TEXTURE_CUBE_MAP_ARRAY);
	glTexParameteri(GL_TEXTURE_CUBE_MAP_ARRAY, GL_TEXTURE_COMPARE_MODE,
			GL_COMPARE_REF_TO_TEXTURE);
	core_is_seen("#version 400\nuniform samplerCubeArrayShadow image;\nout vec4 result;\n"
		     "void main() {\n"
		     "	vec4 face = vec4(0, 1, 0, 1);\n"	/* the ninth */
		     "	result = vec4(texture(image, face, 8.1 / 12.0), texture(image, face, "
		     "7.9 / 12.0), 0, 1);\n"
		     "}\n", 0x00ff00ff, "a comparison with a face of the second cube");
	glDeleteTextures(1, &cubes);
}

static void test_queries(void)
{
	GLuint texture = texture_new(GL_TEXTURE_2D);

	glTexStorage2D(GL_TEXTURE_2D, 5, GL_RGBA8, 64, 64);
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST_MIPMAP_NEAREST);
	core_is_seen("#version 400\nuniform sampler2D image;\nout vec4 result;\n"
		     "void main() {\n"
		     "	vec2 lod = textureQueryLod(image, gl_FragCoord.xy / 16.0);\n"
		     "	result = vec4(lod.x == 2.0, abs(lod.y - 2.0) < 0.1, 0, 1);\n"
		     "}\n", 0xffff00ff, "the level that would be read");
	core_is_seen("#version 400\n#extension GL_ARB_texture_query_levels: require\n"
		     "uniform sampler2D image;\nout vec4 result;\n"
		     "void main() { result = vec4(textureQueryLevels(image) == 5); }\n", 0xffffffff,
		     "how many levels there are");
	glDeleteTextures(1, &texture);
}

static void test_stencil(void)
{
	static const GLuint texel = 0x80000042;
	GLuint texture = texture_new(GL_TEXTURE_2D);

	glTexStorage2D(GL_TEXTURE_2D, 1, GL_DEPTH24_STENCIL8, 1, 1);
	glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 1, 1, GL_DEPTH_STENCIL, GL_UNSIGNED_INT_24_8,
			&texel);
	nearest(GL_TEXTURE_2D);
	glTexParameteri(GL_TEXTURE_2D, GL_DEPTH_STENCIL_TEXTURE_MODE, GL_STENCIL_INDEX);
	core_is_seen("#version 400\nuniform usampler2D image;\nout vec4 result;\n"
		     "void main() { result = vec4(texture(image, vec2(0.5)).x == 0x42u); }\n",
		     0xffffffff, "stencils are read");
	glTexParameteri(GL_TEXTURE_2D, GL_DEPTH_STENCIL_TEXTURE_MODE, GL_DEPTH_COMPONENT);
	core_is_seen("#version 400\nuniform sampler2D image;\nout vec4 result;\n"
		     "void main() { "
		     "result = vec4(abs(texture(image, vec2(0.5)).x - 0.5) < 0.001); }\n",
		     0xffffffff, "so are depths");
	glDeleteTextures(1, &texture);
}

/* Each draw reads the texel that the draw before wrote, adds one, and writes the texel beside. */
static void test_barrier(void)
{
	static const char source[] =
		"#version 400\n"
		"uniform sampler2D image;\n"
		"uniform int column;\n"
		"out vec4 result;\n"
		"void main() {\n"
		"	if (int(gl_FragCoord.x) != column)\n"
		"		discard;\n"
		"	result = texelFetch(image, ivec2(column - 1, gl_FragCoord.y), 0) + "
		"vec4(1.0 / 255.0);\n"
		"}\n";
	GLuint texture = texture_new(GL_TEXTURE_2D), framebuffer,
	       program = core_stages(core_position, NULL, source);
	GLint old;
	bool all = true;

	glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &old);
	glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, CORE_SIZE, CORE_SIZE);
	nearest(GL_TEXTURE_2D);
	glGenFramebuffers(1, &framebuffer);
	glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
	glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
	glClearColor(0, 0, 0, 0);
	glClear(GL_COLOR_BUFFER_BIT);
	glUseProgram(program);
	for (int i = 1; i < CORE_SIZE; i++) {
		glTextureBarrier();
		glUniform1i(glGetUniformLocation(program, "column"), i);
		glDrawArrays(GL_TRIANGLES, 0, 3);
	}
	for (int i = 0; i < CORE_SIZE; i++)
		all = all && gl_pixel_is(i, 9, (uint32_t)i * 0x01010101, 0);
	tap(all, "draws read what draws before a barrier wrote");
	glBindFramebuffer(GL_FRAMEBUFFER, old);
	glDeleteFramebuffers(1, &framebuffer);
	glDeleteTextures(1, &texture);
	glDeleteProgram(program);
}

/* Each half is drawn from the other one, which lies in other tiles of a software renderer. */
static void test_barriers_across(void)
{
	enum { SIDE = 256, ROUNDS = 40 };
	static const char source[] =
		"#version 400\n"
		"uniform sampler2D image;\n"
		"out vec4 result;\n"
		"void main() {\n"
		"	result = texelFetch(image, ivec2(255) - ivec2(gl_FragCoord.xy), 0) + "
		"vec4(1.0 / 255.0);\n"
		"}\n";
	GLuint texture = texture_new(GL_TEXTURE_2D), framebuffer,
	       program = core_stages(core_position, NULL, source);
	GLint old, viewport[4];
	bool all = true;

	glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &old);
	glGetIntegerv(GL_VIEWPORT, viewport);
	glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, SIDE, SIDE);
	nearest(GL_TEXTURE_2D);
	glGenFramebuffers(1, &framebuffer);
	glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
	glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
	glViewport(0, 0, SIDE, SIDE);
	glClearColor(0, 0, 0, 0);
	glClear(GL_COLOR_BUFFER_BIT);
	glUseProgram(program);
	glEnable(GL_SCISSOR_TEST);
	for (int i = 1; i <= ROUNDS; i++) {
		glScissor(i % 2 * (SIDE / 2), 0, SIDE / 2, SIDE);
		glTextureBarrier();
		glDrawArrays(GL_TRIANGLES, 0, 3);
	}
	glDisable(GL_SCISSOR_TEST);
	for (int y = 0; y < SIDE; y += 15)
		for (int x = 0; x < SIDE; x += 15)
			all = all &&
			      gl_pixel_is(x, y, 0x01010101u * (x < SIDE / 2 ? ROUNDS : ROUNDS - 1),
					  0);
	tap(all, "and what they wrote far away");
	glViewport(viewport[0], viewport[1], viewport[2], viewport[3]);
	glBindFramebuffer(GL_FRAMEBUFFER, old);
	glDeleteFramebuffers(1, &framebuffer);
	glDeleteTextures(1, &texture);
	glDeleteProgram(program);
}

#define LARGE 256	/* side; too large for a copy to be as good as new memory */

static void fill(int x, int size, uint32_t color)
{
	static uint32_t pixels[LARGE * LARGE];

	for (int i = 0; i < size * LARGE; i++)
		pixels[i] = __builtin_bswap32(color);
	glTexSubImage2D(GL_TEXTURE_2D, 0, x, 0, size, LARGE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
}

/* Replaces texels while earlier draws still read the texture, or drew to it. */
static void test_replaced(void)
{
	static const char source[] =
		"#version 400\n"
		"uniform sampler2D image;\n"
		"out vec4 result;\n"
		"void main() { result = texelFetch(image, ivec2(gl_FragCoord.y < 8.0 ? 0 : 255, "
		"100), 0); }\n";
	GLuint texture = texture_new(GL_TEXTURE_2D), framebuffer,
	       program = core_stages(core_position, NULL, source);
	bool all = true, parts = true;
	GLint old;

	glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, LARGE, LARGE);
	nearest(GL_TEXTURE_2D);
	glUseProgram(program);
	glEnable(GL_SCISSOR_TEST);
	for (int i = 0; i < CORE_SIZE; i++) {
		fill(0, LARGE, 0x01010101 * (i + 1));
		if (i & 1)
			fill(0, 16, 0xff0000ff);
		glScissor(i, 0, 1, CORE_SIZE);
		glDrawArrays(GL_TRIANGLES, 0, 3);
	}
	glDisable(GL_SCISSOR_TEST);
	for (int i = 0; i < CORE_SIZE; i++) {
		all = all && gl_pixel_is(i, 12, 0x01010101 * (i + 1), 0);
		parts = parts && gl_pixel_is(i, 4, i & 1 ? 0xff0000ff : 0x01010101u * (i + 1), 0);
	}
	tap(all, "draws see what was in a texture when they were made");
	tap(parts, "and what was written over a part of it");

	glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &old);
	glGenFramebuffers(1, &framebuffer);
	glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
	glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
	glClearColor(0, 0, 1, 1);
	glClear(GL_COLOR_BUFFER_BIT);
	fill(0, LARGE, 0x00ff00ff);
	all = gl_pixel_is(40, 40, 0x00ff00ff, 0);
	gl_fill(0, 0, 50, 50, 0xff0000ff);
	all = all && gl_pixel_is(40, 40, 0xff0000ff, 0) && gl_pixel_is(60, 60, 0x00ff00ff, 0);
	glBindFramebuffer(GL_FRAMEBUFFER, old);
	glDrawArrays(GL_TRIANGLES, 0, 3);
	fill(0, LARGE, 0x102030ff);
	glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
	all = all && gl_pixel_is(40, 40, 0x102030ff, 0);
	tap(all, "so does who draws to one that is replaced");
	glBindFramebuffer(GL_FRAMEBUFFER, old);
	all = gl_pixel_is(3, 3, 0x00ff00ff, 0);
	tap(all, "and a draw of before");
	glDeleteFramebuffers(1, &framebuffer);
	glDeleteTextures(1, &texture);
	glDeleteProgram(program);
}

/* Clears of formats that cannot be drawn to: all levels of an array except some texels. */
static void test_clears(void)
{
	static const GLfloat color[] = { 0.5f, 0.25f, 1 }, other[] = { 2, 0, 0.125f };
	GLuint texture = texture_new(GL_TEXTURE_2D_ARRAY);
	GLfloat seen[2 * 2 * 3][3];
	bool ok = true;

	glTexStorage3D(GL_TEXTURE_2D_ARRAY, 2, GL_RGB9_E5, 4, 4, 3);
	glClearTexImage(texture, 0, GL_RGB, GL_FLOAT, other);
	glClearTexImage(texture, 1, GL_RGB, GL_FLOAT, color);
	glClearTexSubImage(texture, 1, 1, 0, 1, 1, 2, 2, GL_RGB, GL_FLOAT, other);
	glGetTexImage(GL_TEXTURE_2D_ARRAY, 1, GL_RGB, GL_FLOAT, seen);
	for (int i = 0; i < 12; i++)
		ok &= !memcmp(seen[i], i >= 4 && i % 2 ? other : color, sizeof(color));
	tap(ok, "clears of GL_RGB9_E5: %g %g %g", seen[5][0], seen[5][1], seen[5][2]);
	glDeleteTextures(1, &texture);
}

int main(void)
{
	core_open();
	core_cover();
	test_formats();
	test_layers();
	test_drawing();
	test_odd_targets();
	test_last_slice();
	test_copies();
	test_copies_of_shared_exponents();
	test_parts_of_blocks();
	test_gather();
	test_compared();
	test_queries();
	test_stencil();
	test_barrier();
	test_barriers_across();
	test_replaced();
	test_clears();
	tap(core_no_error(), "there is no error to tell");
	gl_close();
	return tap_failures() != 0;
}
