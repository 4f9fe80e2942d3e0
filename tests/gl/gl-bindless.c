// SPDX-License-Identifier: MIT
/*
 * Handles of textures and images (GL_ARB_bindless_texture): all kinds of textures, handles from
 * every place that a shader can read, many handles, and a different one for each invocation;
 * handles that are no longer resident, handles whose texture is deleted, and a worker that ends.
 * Prints TAP.
 */
#include "gl-core.h"
#include "workers.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HEADER								\
	"#version 450\n"						\
	"#extension GL_ARB_bindless_texture: require\n"

#define MANY 1000

static PFNGLGETTEXTUREHANDLEARBPROC get_texture_handle;
static PFNGLGETTEXTURESAMPLERHANDLEARBPROC get_sampler_handle;
static PFNGLMAKETEXTUREHANDLERESIDENTARBPROC make_resident;
static PFNGLMAKETEXTUREHANDLENONRESIDENTARBPROC make_non_resident;
static PFNGLGETIMAGEHANDLEARBPROC get_image_handle;
static PFNGLMAKEIMAGEHANDLERESIDENTARBPROC make_image_resident;
static PFNGLMAKEIMAGEHANDLENONRESIDENTARBPROC make_image_non_resident;
static PFNGLUNIFORMHANDLEUI64ARBPROC uniform_handle;
static PFNGLVERTEXATTRIBL1UI64ARBPROC vertex_handle;

static void find_functions(void)
{
	get_texture_handle = (void *)eglGetProcAddress("glGetTextureHandleARB");
	get_sampler_handle = (void *)eglGetProcAddress("glGetTextureSamplerHandleARB");
	make_resident = (void *)eglGetProcAddress("glMakeTextureHandleResidentARB");
	make_non_resident = (void *)eglGetProcAddress("glMakeTextureHandleNonResidentARB");
	get_image_handle = (void *)eglGetProcAddress("glGetImageHandleARB");
	make_image_resident = (void *)eglGetProcAddress("glMakeImageHandleResidentARB");
	make_image_non_resident = (void *)eglGetProcAddress("glMakeImageHandleNonResidentARB");
	uniform_handle = (void *)eglGetProcAddress("glUniformHandleui64ARB");
	vertex_handle = (void *)eglGetProcAddress("glVertexAttribL1ui64ARB");
}

static GLuint buffer_at(GLenum target, GLuint slot, GLsizeiptr size, const void *data)
{
	GLuint buffer = core_buffer(target, size, data);

	glBindBufferBase(target, slot, buffer);
	return buffer;
}

/* Returns true if the first @n words of @words, where a compute shader stored, are @expected. */
static bool words_are(GLuint words, int n, const uint32_t *expected)
{
	uint32_t seen[MANY];

	core_read_words(words, 0, seen, n);
	for (int i = 0; i < n; i++) {
		if (seen[i] == expected[i])
			continue;
		printf("# word %d is %#x, not %#x\n", i, seen[i], expected[i]);
		return false;
	}
	return true;
}

/* Kinds */

static const struct kind {
	const char *type;		/* of its sampler, and of its image without the letter */
	GLenum target, format, client, component;
	int depth;			/* texels in z, or layers; 0: neither */
	const char *texel, *coordinates;	/* of texel 1, 1, for a fetch and for an image */
	uint32_t size[3];
} kinds[] = {
	{ "1D", GL_TEXTURE_1D, GL_R32UI, GL_RED_INTEGER, GL_UNSIGNED_INT, 0, "1", "1", { 4 } },
	{ "2D", GL_TEXTURE_2D, GL_R32UI, GL_RED_INTEGER, GL_UNSIGNED_INT, 0, "ivec2(1)", "ivec2(1)",
	  { 4, 4 } },
	{ "3D", GL_TEXTURE_3D, GL_R32UI, GL_RED_INTEGER, GL_UNSIGNED_INT, 2, "ivec3(1)", "ivec3(1)",
	  { 4, 4, 2 } },
	{ "1DArray", GL_TEXTURE_1D_ARRAY, GL_R32UI, GL_RED_INTEGER, GL_UNSIGNED_INT, 0, "ivec2(1)",
	  "ivec2(1)",
	  { 4, 4 } },
	{ "2DArray", GL_TEXTURE_2D_ARRAY, GL_R32UI, GL_RED_INTEGER, GL_UNSIGNED_INT, 2, "ivec3(1)",
	  "ivec3(1)",
	  { 4, 4, 2 } },
};

static GLuint texture_of(const struct kind *k, uint32_t first)
{
	uint32_t texels[4 * 4 * 2];
	GLuint texture;

	for (uint32_t i = 0; i < 32; i++)
		texels[i] = first + i;
	glGenTextures(1, &texture);
	glBindTexture(k->target, texture);
	glTexParameteri(k->target, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
	glTexParameteri(k->target, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
	if (k->target == GL_TEXTURE_1D)
		glTexImage1D(k->target, 0, k->format, 4, 0, k->client, k->component, texels);
	else if (!k->depth)
		glTexImage2D(k->target, 0, k->format, 4, 4, 0, k->client, k->component, texels);
	else
		glTexImage3D(k->target, 0, k->format, 4, 4, k->depth, 0, k->client, k->component,
			     texels);
	return texture;
}

/* Returns the value of texel 1, 1, 1 of such a texture; values count from 1 on in memory order. */
static uint32_t texel_of(const struct kind *k)
{
	return 1 + (k->target == GL_TEXTURE_1D ? 0 : 4) + (k->depth ? 16 : 0);
}

static uint64_t resident_texture(GLuint texture)
{
	const uint64_t handle = get_texture_handle(texture);

	make_resident(handle);
	return handle;
}

static uint64_t resident_image(GLuint texture, bool layered, GLenum format)
{
	const uint64_t handle = get_image_handle(texture, 0, layered, 0, format);

	make_image_resident(handle, GL_READ_WRITE);
	return handle;
}

static const char kind_source[] =
	HEADER
	"layout(local_size_x = 1) in;\n"
	"layout(std430, binding = 0) buffer Words { uint words[]; };\n"
	"layout(bindless_sampler) uniform usampler%1$s tex;\n"
	"layout(bindless_image, r32ui) uniform uimage%1$s img;\n"
	"void main() {\n"
	"	words[0] = texelFetch(tex, %2$s, 0).x;\n"
	"	words[1] = uint(textureSize(tex, 0)%4$s);\n"
	"	words[2] = imageLoad(img, %3$s).x;\n"
	"	words[3] = uint(imageSize(img)%4$s);\n"
	"	imageStore(img, %3$s, uvec4(7));\n"
	"	words[4] = imageAtomicAdd(img, %3$s, 5u);\n"
	"	words[5] = imageLoad(img, %3$s).x;\n"
	"}\n";

static void try_kind(const struct kind *k)
{
	const uint32_t expected[] = { 100 + texel_of(k), k->size[0], 200 + texel_of(k),
				      k->size[0], 7, 12 };
	GLuint words = core_words(8, 0), textures[2] = { texture_of(k, 100), texture_of(k, 200) },
	       program;
	const bool layered = k->target != GL_TEXTURE_1D && k->target != GL_TEXTURE_2D;
	const uint64_t texture = resident_texture(textures[0]),
		       image = resident_image(textures[1], layered, GL_R32UI);
	char source[2048];

	glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, words);
	snprintf(source, sizeof(source), kind_source, k->type, k->texel, k->coordinates,
		 k->target == GL_TEXTURE_1D ? "" : ".x");
	program = core_compute(source);
	glUseProgram(program);
	uniform_handle(glGetUniformLocation(program, "tex"), texture);
	uniform_handle(glGetUniformLocation(program, "img"), image);
	glDispatchCompute(1, 1, 1);
	tap(words_are(words, 6, expected) && core_no_error(), "usampler%s and uimage%s", k->type,
	    k->type);
	make_non_resident(texture);
	make_image_non_resident(image);
	glDeleteTextures(2, textures);
	glDeleteProgram(program);
	glDeleteBuffers(1, &words);
}

/* Views of textures: the shader sees the type of the view, not that of the texture. */

static const struct view {
	const char *type, *coordinates;
	GLenum target, of;
	int layers, first, n;
	uint32_t depth;			/* of the view's size, 0: none */
} views[] = {
	{ "2DArray", "ivec3(1, 1, 0)", GL_TEXTURE_2D_ARRAY, GL_TEXTURE_2D, 1, 0, 1, 1 },
	{ "2DArray", "ivec3(1, 1, 0)", GL_TEXTURE_2D_ARRAY, GL_TEXTURE_CUBE_MAP, 6, 0, 6, 6 },
	{ "Cube", "ivec3(1, 1, 0)", GL_TEXTURE_CUBE_MAP, GL_TEXTURE_2D_ARRAY, 12, 3, 6, 0 },
	{ "CubeArray", "ivec3(1, 1, 0)", GL_TEXTURE_CUBE_MAP_ARRAY, GL_TEXTURE_CUBE_MAP, 6, 0, 6,
	  1 },
	{ "CubeArray", "ivec3(1, 1, 6)", GL_TEXTURE_CUBE_MAP_ARRAY, GL_TEXTURE_2D_ARRAY, 14, 1, 12,
	  2 },
};

static const char view_source[] =
	HEADER
	"layout(local_size_x = 1) in;\n"
	"layout(std430, binding = 0) buffer Words { uint words[]; };\n"
	"layout(bindless_image, r32ui) uniform uimage%1$s img;\n"
	"void main() {\n"
	"	imageStore(img, %2$s, uvec4(7));\n"
	"	words[0] = imageAtomicAdd(img, %2$s, 5u);\n"
	"	words[1] = imageLoad(img, %2$s).x;\n"
	"	words[2] = uint(imageSize(img)%3$s);\n"
	"}\n";

static void try_view(const struct view *v)
{
	const uint32_t expected[] = { 7, 12, v->depth ? v->depth : 4 };
	GLuint words = core_words(4, 0), texture, view, program;
	uint64_t image;
	char source[2048];

	glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, words);
	glGenTextures(1, &texture);
	glBindTexture(v->of, texture);
	if (v->of == GL_TEXTURE_2D_ARRAY)
		glTexStorage3D(v->of, 1, GL_R32UI, 4, 4, v->layers);
	else
		glTexStorage2D(v->of, 1, GL_R32UI, 4, 4);
	glGenTextures(1, &view);
	glTextureView(view, v->target, texture, GL_R32UI, 0, 1, v->first, v->n);
	glBindTexture(v->target, view);
	glTexParameteri(v->target, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
	glTexParameteri(v->target, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
	image = resident_image(view, true, GL_R32UI);
	snprintf(source, sizeof(source), view_source, v->type, v->coordinates,
		 v->depth ? ".z" : ".x");
	program = core_compute(source);
	glUseProgram(program);
	uniform_handle(glGetUniformLocation(program, "img"), image);
	glDispatchCompute(1, 1, 1);
	tap(words_are(words, 3, expected) && core_no_error(), "uimage%s of a view of %#x", v->type,
	    v->of);
	make_image_non_resident(image);
	glDeleteTextures(1, &view);
	glDeleteTextures(1, &texture);
	glDeleteProgram(program);
	glDeleteBuffers(1, &words);
}

/*
 * Floats, signed integers, depth, samples, cubes and buffers in one shader: each type is a
 * descriptor table of its own.
 */
static const char mixed_source[] =
	HEADER
	"layout(local_size_x = 1) in;\n"
	"layout(std430, binding = 0) buffer Words { uint words[]; };\n"
	"layout(bindless_sampler) uniform;\n"
	"uniform sampler2D floats;\n"
	"uniform isampler2D signed_numbers;\n"
	"uniform sampler2DShadow depth;\n"
	"uniform samplerCube cube;\n"
	"uniform samplerBuffer texels;\n"
	"uniform sampler2DRect rectangle;\n"
	"void main() {\n"
	"	words[0] = uint(texture(floats, vec2(0.5)).x * 255.0 + 0.5);\n"
	"	words[1] = uint(-texelFetch(signed_numbers, ivec2(0), 0).x);\n"
	"	words[2] = uint(texture(depth, vec3(0.5, 0.5, 0.25)) * 10.0);\n"
	"	words[3] = uint(texture(depth, vec3(0.5, 0.5, 0.75)) * 10.0);\n"
	"	words[4] = uint(texture(cube, vec3(0.0, -1.0, 0.0)).x * 255.0 + 0.5);\n"
	"	words[5] = uint(texelFetch(texels, 3).x);\n"
	"	words[6] = uint(textureSize(texels));\n"
	"	words[7] = uint(texture(rectangle, vec2(1.5, 0.5)).x * 255.0 + 0.5);\n"
	"	words[8] = uint(textureQueryLevels(cube));\n"
	"}\n";

static GLuint plain_texture(GLenum target, GLenum format, GLenum client, GLenum component, int size,
			    const void *texels)
{
	GLuint texture;

	glGenTextures(1, &texture);
	glBindTexture(target, texture);
	glTexParameteri(target, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
	glTexParameteri(target, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
	if (target == GL_TEXTURE_RECTANGLE || target == GL_TEXTURE_CUBE_MAP) {
		glTexParameteri(target, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
		glTexParameteri(target, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
	}
	if (target != GL_TEXTURE_CUBE_MAP)
		glTexImage2D(target, 0, format, size, size, 0, client, component, texels);
	return texture;
}

static void try_mixed(void)
{
	static const uint8_t reds[4] = { 10, 20, 30, 40 };
	static const float depth = 0.5f, numbers[4] = { 1, 2, 3, 4 };
	static const uint32_t expected[] = { 77, 9, 10, 0, 53, 4, 4, 20, 1 };
	static const uint8_t seventy_seven = 77;
	static const int32_t minus_nine = -9;
	GLuint words = core_words(16, 0), program = core_compute(mixed_source), textures[6], buffer;
	static const char *const names[6] = { "floats", "signed_numbers", "depth",
					      "cube",   "texels",         "rectangle" };

	glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, words);
	glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
	textures[0] = plain_texture(GL_TEXTURE_2D, GL_R8, GL_RED, GL_UNSIGNED_BYTE, 1,
				    &seventy_seven);
	textures[1] = plain_texture(GL_TEXTURE_2D, GL_R32I, GL_RED_INTEGER, GL_INT, 1, &minus_nine);
	textures[2] = plain_texture(GL_TEXTURE_2D, GL_DEPTH_COMPONENT32F, GL_DEPTH_COMPONENT,
				    GL_FLOAT, 1, &depth);
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_FUNC, GL_LEQUAL);
	textures[3] = plain_texture(GL_TEXTURE_CUBE_MAP, 0, 0, 0, 1, NULL);
	for (int i = 0; i < 6; i++) {
		const uint8_t face = 50 + i;

		glTexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + i, 0, GL_R8, 1, 1, 0, GL_RED,
			     GL_UNSIGNED_BYTE, &face);
	}
	buffer = core_buffer(GL_TEXTURE_BUFFER, sizeof(numbers), numbers);
	glGenTextures(1, &textures[4]);
	glBindTexture(GL_TEXTURE_BUFFER, textures[4]);
	glTexBuffer(GL_TEXTURE_BUFFER, GL_R32F, buffer);
	textures[5] = plain_texture(GL_TEXTURE_RECTANGLE, GL_R8, GL_RED, GL_UNSIGNED_BYTE, 2, reds);
	glUseProgram(program);
	for (int i = 0; i < 6; i++)
		uniform_handle(glGetUniformLocation(program, names[i]),
			       resident_texture(textures[i]));
	glDispatchCompute(1, 1, 1);
	tap(words_are(words, 9, expected) && core_no_error(),
		  "floats, signs, depths, cubes, buffers and rectangles side by side");
	glDeleteTextures(6, textures);
	glDeleteBuffers(1, &buffer);
}

/* Colours, and the places from which a shader reads their handles */

static const uint32_t colors[4] = { 0xff0000ff, 0x00ff00ff, 0x0000ffff, 0xffff00ff };

static GLuint color_texture(uint32_t color)
{
	return gl_texture_new(1, color);
}

static const char plain_vertex[] =
	HEADER
	"in vec2 vertex;\n"
	"void main() { gl_Position = vec4(vertex, 0.0, 1.0); }\n";

/*
 * Draws the whole picture. Returns true if each quarter of the columns has its colour of @expected.
 */
static bool columns_are(const uint32_t *expected)
{
	glClear(GL_COLOR_BUFFER_BIT);
	glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
	for (int i = 0; i < CORE_SIZE; i++) {
		const uint32_t seen = gl_pixel(i, i), want = expected[i * 4 / CORE_SIZE];

		if (seen == want)
			continue;
		printf("# column %d is %#010x, not %#010x\n", i, seen, want);
		return false;
	}
	return true;
}

static void use_quad(GLuint program)
{
	glUseProgram(program);
	core_buffer(GL_ARRAY_BUFFER, sizeof(gl_corners), gl_corners);
	glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
	glEnableVertexAttribArray(0);
}

/*
 * A uniform, an element of an array of uniforms, a uniform block and a storage block; each provides
 * the handle of a quarter of the columns.
 */
static const char sources_source[] =
	HEADER
	"layout(bindless_sampler) uniform sampler2D plain;\n"
	"layout(bindless_sampler) uniform sampler2D several[3];\n"
	"layout(std140, binding = 0) uniform Block { sampler2D in_block; };\n"
	"layout(std430, binding = 1) buffer Storage { uvec2 in_storage[2]; };\n"
	"uniform int pick;\n"
	"out vec4 color;\n"
	"void main() {\n"
	"	vec2 at = vec2(0.5);\n"
	"	switch (int(gl_FragCoord.x) / 4) {\n"
	"	case 0: color = texture(plain, at); break;\n"
	"	case 1: color = texture(several[pick], at); break;\n"
	"	case 2: color = texture(in_block, at); break;\n"
	"	default: color = texture(sampler2D(in_storage[pick - 1]), at); break;\n"
	"	}\n"
	"}\n";

static void try_sources(const uint64_t *handles)
{
	const GLuint program = core_program(plain_vertex, sources_source, 0, NULL, 0);
	const uint64_t storage[2] = { handles[0], handles[3] };

	use_quad(program);
	uniform_handle(glGetUniformLocation(program, "plain"), handles[0]);
	uniform_handle(glGetUniformLocation(program, "several[2]"), handles[1]);
	glUniform1i(glGetUniformLocation(program, "pick"), 2);
	buffer_at(GL_UNIFORM_BUFFER, 0, 16, (const uint64_t[2]){ handles[2] });
	buffer_at(GL_SHADER_STORAGE_BUFFER, 1, sizeof(storage), storage);
	tap(columns_are(colors) && core_no_error(),
	    "handles in uniforms, arrays, uniform and storage blocks");
}

/*
 * A handle that takes many steps to compute, from uniforms only. A compiler that follows every path
 * to each of the steps needs exponential time.
 */
static void try_computed(const uint64_t *handles)
{
	static const char head[] =
		HEADER
		"uniform uvec2 handle;\n"
		"uniform uint zero;\n"
		"out vec4 color;\n"
		"void main() {\n"
		"	uint a = zero, b = handle.x & zero;\n";
	static const char step[] = "	a ^= b * 3u; b += a * 5u;\n";
	static const char tail[] =
		"	color = texture(sampler2D(uvec2(handle.x + b, handle.y)), vec2(0.5));\n"
		"}\n";
	const uint32_t expected[4] = { colors[1], colors[1], colors[1], colors[1] };
	char source[sizeof(head) + 64 * sizeof(step) + sizeof(tail)];
	GLuint program;

	strcpy(source, head);
	for (int i = 0; i < 64; i++)
		strcat(source, step);
	strcat(source, tail);
	program = core_program(plain_vertex, source, 0, NULL, 0);
	use_quad(program);
	glUniform2ui(glGetUniformLocation(program, "handle"), (GLuint)handles[1], handles[1] >> 32);
	alarm(600);
	tap(columns_are(expected) && core_no_error(), "a handle that takes many steps to compute");
	alarm(0);
}

static const char attribute_vertex[] =
	HEADER
	"in vec2 vertex;\n"
	"layout(location = 1) in sampler2D from;\n"
	"out vec4 read;\n"
	"flat out sampler2D passed;\n"
	"void main() {\n"
	"	gl_Position = vec4(vertex, 0.0, 1.0);\n"
	"	read = textureLod(from, vec2(0.5), 0.0);\n"
	"	passed = from;\n"
	"}\n";

static const char varying_source[] =
	HEADER
	"in vec4 read;\n"
	"flat in sampler2D passed;\n"
	"out vec4 color;\n"
	"void main() { color = int(gl_FragCoord.x) < 8 ? read : texture(passed, vec2(0.5)); }\n";

static void try_attributes(const uint64_t *handles)
{
	const uint32_t expected[4] = { colors[2], colors[2], colors[2], colors[2] };

	use_quad(core_program(attribute_vertex, varying_source, 0, NULL, 0));
	vertex_handle(1, handles[2]);
	tap(columns_are(expected) && core_no_error(), "handles in attributes and varyings");
}

/* Each fragment selects one of many handles. */
static const char many_source[] =
	HEADER
	"layout(std430, binding = 1) buffer Handles { uvec2 handles[]; };\n"
	"uniform int first;\n"
	"out vec4 color;\n"
	"void main() {\n"
	"	int i = first + int(gl_FragCoord.x) / 4;\n"
	"	color = texture(sampler2D(handles[i]), vec2(0.5));\n"
	"}\n";

static void try_many(void)
{
	static GLuint textures[MANY];
	static uint64_t handles[MANY];
	const GLuint program = core_program(plain_vertex, many_source, 0, NULL, 0);
	uint32_t expected[4];
	bool ok = true;

	for (uint32_t i = 0; i < MANY; i++) {
		textures[i] = color_texture(i << 16 | 0x12ff);
		handles[i] = resident_texture(textures[i]);
	}
	use_quad(program);
	buffer_at(GL_SHADER_STORAGE_BUFFER, 1, sizeof(handles), handles);
	for (uint32_t i = 0; i < MANY; i += 4) {
		for (uint32_t j = 0; j < 4; j++)
			expected[j] = (i + j) << 16 | 0x12ff;
		glUniform1i(glGetUniformLocation(program, "first"), i);
		ok = ok && columns_are(expected);
	}
	tap(ok && core_no_error(), "%u of them, a few side by side", MANY);
	glDeleteTextures(MANY, textures);
	tap(core_no_error(), "all of them deleted");
}

/* Lifetimes */

static GLuint use_plain(uint64_t handle)
{
	static const char source[] =
		HEADER
		"layout(bindless_sampler) uniform sampler2D plain;\n"
		"out vec4 color;\n"
		"void main() { color = texture(plain, vec2(0.5)); }\n";
	const GLuint program = core_program(plain_vertex, source, 0, NULL, 0);

	use_quad(program);
	uniform_handle(glGetUniformLocation(program, "plain"), handle);
	return program;
}

static bool whole_is(uint32_t color)
{
	return columns_are((const uint32_t[4]){ color, color, color, color });
}

static void try_residency(void)
{
	static const uint8_t cyan[] = { 0, 255, 255, 255 };
	GLuint texture = color_texture(colors[0]);
	const uint64_t handle = resident_texture(texture);
	bool ok;

	use_plain(handle);
	ok = whole_is(colors[0]);
	glBindTexture(GL_TEXTURE_2D, texture);
	glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, cyan);
	tap(ok && whole_is(0x00ffffff), "a texture changes, its handle does not");
	make_non_resident(handle);
	/* The result is undefined (GL_ARB_bindless_texture); the driver must not crash. */
	glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
	glFinish();
	make_resident(handle);
	tap(whole_is(0x00ffffff) && core_no_error(), "not resident, and resident again");
	glDeleteTextures(1, &texture);
	glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
	glFinish();
	tap(core_no_error(), "drawn with after its texture was deleted");
	texture = color_texture(colors[1]);
	use_plain(resident_texture(texture));
	tap(whole_is(colors[1]) && core_no_error(), "another texture after that");
	glDeleteTextures(1, &texture);
}

/* Draws to a texture and reads it by its handle, in turns. */
static void try_drawn_to(void)
{
	GLuint texture = color_texture(0), framebuffer, picture;
	const uint64_t handle = resident_texture(texture);
	GLint bound;
	bool ok = true;

	glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &bound);
	picture = bound;
	glGenFramebuffers(1, &framebuffer);
	glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
	glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
	use_plain(handle);
	for (int i = 0; i < 8; i++) {
		glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
		glClearColor(i & 1, i >> 1 & 1, i >> 2, 1.0f);
		glClear(GL_COLOR_BUFFER_BIT);
		glBindFramebuffer(GL_FRAMEBUFFER, picture);
		ok &= whole_is((i & 1 ? 0xff000000 : 0) | (i & 2 ? 0xff0000 : 0) |
			       (i & 4 ? 0xff00 : 0) | 0xff);
	}
	glClearColor(0.0f, 0.0f, 0.0f, 0.0f);
	tap(ok && core_no_error(), "drawn to, and read by handle");
	glDeleteTextures(1, &texture);
	glDeleteFramebuffers(1, &framebuffer);
}

static void try_sampler(void)
{
	static const uint32_t two[4] = { 0xff0000ff, 0xff0000ff, 0xff00ff00, 0xff00ff00 };
	GLuint texture, sampler;
	uint64_t handle;

	glGenTextures(1, &texture);
	glBindTexture(GL_TEXTURE_2D, texture);
	glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 2, 2, 0, GL_RGBA, GL_UNSIGNED_BYTE, two);
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
	glGenSamplers(1, &sampler);
	glSamplerParameteri(sampler, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
	glSamplerParameteri(sampler, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
	handle = get_sampler_handle(texture, sampler);
	make_resident(handle);
	use_plain(handle);
	/* The average of two texels. */
	tap((whole_is(0x808000ff) || whole_is(0x7f7f00ff)) && core_no_error(),
	    "a sampler of its own");
	glDeleteTextures(1, &texture);
	glDeleteSamplers(1, &sampler);
}

/*
 * Kills the renderer's worker: a handle that is resident has to be resident in the next worker,
 * too.
 */
static void try_crash(const uint64_t *handles)
{
	bool ok;

	use_plain(handles[1]);
	ok = whole_is(colors[1]);
	for (int i = 0; i < 3; i++) {
		workers_kill();
		/* The crash may cost some frames. */
		for (int j = 0; j < 20 && !whole_is(colors[1]); j++)
			glFinish();
		ok &= whole_is(colors[1]);
	}
	tap(ok && core_no_error(), "a worker ends");
}

int main(void)
{
	GLuint textures[4];
	uint64_t handles[4];

	setvbuf(stdout, NULL, _IOLBF, 0);
	core_open();
	find_functions();
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		try_kind(&kinds[i]);
	for (size_t i = 0; i < sizeof(views) / sizeof(views[0]); i++)
		try_view(&views[i]);
	try_mixed();
	for (int i = 0; i < 4; i++) {
		textures[i] = color_texture(colors[i]);
		handles[i] = resident_texture(textures[i]);
	}
	try_sources(handles);
	try_attributes(handles);
	try_computed(handles);
	try_many();
	try_residency();
	try_drawn_to();
	try_sampler();
	/* In a guest the test cannot reach the renderer. */
	if (getenv("SUNDOG_RENDERD"))
		try_crash(handles);
	glDeleteTextures(4, textures);
	gl_close();
	return tap_failures() != 0;
}
