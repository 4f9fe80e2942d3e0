// SPDX-License-Identifier: MIT
/*
 * Images in shaders: formats, dimensions, layers, levels, samples, atomic operations, uses. Prints
 * TAP.
 */
#include "gl-core.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define HEADER								\
	"#version 330\n"						\
	"#extension GL_ARB_compute_shader: require\n"			\
	"#extension GL_ARB_gpu_shader5: require\n"			\
	"#extension GL_ARB_shader_storage_buffer_object: require\n"	\
	"#extension GL_ARB_shader_image_load_store: require\n"		\
	"#extension GL_ARB_shader_image_size: require\n"		\
	"#extension GL_ARB_shading_language_420pack: require\n"		\
	"#extension GL_ARB_arrays_of_arrays: require\n"			\
	"#extension GL_ARB_texture_cube_map_array: require\n"

static GLuint words_at(GLuint slot, int n)
{
	GLuint buffer = core_words(n, 0);

	glBindBufferBase(GL_SHADER_STORAGE_BUFFER, slot, buffer);
	return buffer;
}

/*
 * Formats: a shader stores values, another one loads them, and the program reads them with
 * glGetTexImage()
 */

#define STORE(class, layout)						\
	HEADER								\
	"layout(local_size_x = 4, local_size_y = 4) in;\n"		\
	"layout(binding = 0" layout ") writeonly uniform " class "image2D image;\n"	\
	"uniform " class "vec4 values[4];\n"				\
	"void main() {\n"						\
	"	ivec2 at = ivec2(gl_GlobalInvocationID.xy);\n"		\
	"	imageStore(image, at, values[at.x]);\n"			\
	"}\n"

#define LOAD(class, layout, bits)					\
	HEADER								\
	"layout(local_size_x = 4, local_size_y = 4) in;\n"		\
	"layout(binding = 0, " layout ") readonly uniform " class "image2D image;\n"	\
	"layout(std430, binding = 0) buffer Out { uvec4 texels[]; };\n"	\
	"void main() {\n"						\
	"	ivec2 at = ivec2(gl_GlobalInvocationID.xy);\n"		\
	"	texels[gl_LocalInvocationIndex] = " bits "(imageLoad(image, at));\n"	\
	"}\n"

enum class { FLOATS, INTS, UINTS };

static const struct format {
	const char *name;
	GLenum format;
	enum class class;
	int channels;
	/* The rounding error of stored values, and their range. */
	float step, highest, lowest;
} formats[] = {
	{ "rgba32f", GL_RGBA32F, FLOATS, 4, 0, 1e30f, -1e30f },
	{ "rgba16f", GL_RGBA16F, FLOATS, 4, 0, 1e30f, -1e30f },
	{ "rg32f", GL_RG32F, FLOATS, 2, 0, 1e30f, -1e30f },
	{ "rg16f", GL_RG16F, FLOATS, 2, 0, 1e30f, -1e30f },
	{ "r11f_g11f_b10f", GL_R11F_G11F_B10F, FLOATS, 3, 0, 1e30f, 0 },
	{ "r32f", GL_R32F, FLOATS, 1, 0, 1e30f, -1e30f },
	{ "r16f", GL_R16F, FLOATS, 1, 0, 1e30f, -1e30f },
	{ "rgba16", GL_RGBA16, FLOATS, 4, 1 / 65535.0f, 1, 0 },
	{ "rgb10_a2", GL_RGB10_A2, FLOATS, 4, 1 / 1023.0f, 1, 0 },
	{ "rgba8", GL_RGBA8, FLOATS, 4, 1 / 255.0f, 1, 0 },
	{ "rg16", GL_RG16, FLOATS, 2, 1 / 65535.0f, 1, 0 },
	{ "rg8", GL_RG8, FLOATS, 2, 1 / 255.0f, 1, 0 },
	{ "r16", GL_R16, FLOATS, 1, 1 / 65535.0f, 1, 0 },
	{ "r8", GL_R8, FLOATS, 1, 1 / 255.0f, 1, 0 },
	{ "rgba16_snorm", GL_RGBA16_SNORM, FLOATS, 4, 1 / 32767.0f, 1, -1 },
	{ "rgba8_snorm", GL_RGBA8_SNORM, FLOATS, 4, 1 / 127.0f, 1, -1 },
	{ "rg16_snorm", GL_RG16_SNORM, FLOATS, 2, 1 / 32767.0f, 1, -1 },
	{ "rg8_snorm", GL_RG8_SNORM, FLOATS, 2, 1 / 127.0f, 1, -1 },
	{ "r16_snorm", GL_R16_SNORM, FLOATS, 1, 1 / 32767.0f, 1, -1 },
	{ "r8_snorm", GL_R8_SNORM, FLOATS, 1, 1 / 127.0f, 1, -1 },
	{ "rgba32i", GL_RGBA32I, INTS, 4, 0, 2e9f, -2e9f },
	{ "rgba16i", GL_RGBA16I, INTS, 4, 0, 32767, -32768 },
	{ "rgba8i", GL_RGBA8I, INTS, 4, 0, 127, -128 },
	{ "rg32i", GL_RG32I, INTS, 2, 0, 2e9f, -2e9f },
	{ "rg16i", GL_RG16I, INTS, 2, 0, 32767, -32768 },
	{ "rg8i", GL_RG8I, INTS, 2, 0, 127, -128 },
	{ "r32i", GL_R32I, INTS, 1, 0, 2e9f, -2e9f },
	{ "r16i", GL_R16I, INTS, 1, 0, 32767, -32768 },
	{ "r8i", GL_R8I, INTS, 1, 0, 127, -128 },
	{ "rgba32ui", GL_RGBA32UI, UINTS, 4, 0, 4e9f, 0 },
	{ "rgba16ui", GL_RGBA16UI, UINTS, 4, 0, 65535, 0 },
	{ "rgb10_a2ui", GL_RGB10_A2UI, UINTS, 4, 0, 1023, 0 },
	{ "rgba8ui", GL_RGBA8UI, UINTS, 4, 0, 255, 0 },
	{ "rg32ui", GL_RG32UI, UINTS, 2, 0, 4e9f, 0 },
	{ "rg16ui", GL_RG16UI, UINTS, 2, 0, 65535, 0 },
	{ "rg8ui", GL_RG8UI, UINTS, 2, 0, 255, 0 },
	{ "r32ui", GL_R32UI, UINTS, 1, 0, 4e9f, 0 },
	{ "r16ui", GL_R16UI, UINTS, 1, 0, 65535, 0 },
	{ "r8ui", GL_R8UI, UINTS, 1, 0, 255, 0 },
};

static const float floats[4][4] = {
	{ 0.25f, 0.5f, 1.0f, 1.0f }, { 1.0f, 0.0f, 0.75f, 0.0f },
	{ 0.0f, 1.0f, 0.5f, 0.0f }, { -0.5f, -1.0f, 0.0f, 1.0f },
};
static const int ints[4][4] = {
	{ 1, 2, 3, 1 }, { 100, 101, 102, 3 }, { -7, -100, 5, 2 }, { 0, -1, 127, 0 }
};
static const unsigned uints[4][4] = {
	{ 1, 2, 3, 1 }, { 100, 101, 102, 3 }, { 255, 0, 5, 2 }, { 77, 1, 127, 0 }
};

static GLuint store_program(const struct format *f)
{
	static const char *const classes[] = { "", "i", "u" };
	static const char template[] = STORE("@", "");
	char source[2048], *out = source;

	/* Images that are only stored to need no format qualifier. */
	for (const char *in = template; *in; in++) {
		if (*in == '@')
			out = stpcpy(out, classes[f->class]);
		else
			*out++ = *in;
	}
	*out = 0;
	return core_compute(source);
}

static GLuint load_program(const struct format *f)
{
	static const char *const templates[] = {
		LOAD("", "@", "floatBitsToUint"), LOAD("i", "@", "uvec4"), LOAD("u", "@", ""),
	};
	char source[2048], *out = source;

	for (const char *in = templates[f->class]; *in; in++) {
		if (*in == '@')
			out = stpcpy(out, f->name);
		else
			*out++ = *in;
	}
	*out = 0;
	return core_compute(source);
}

static bool is_close(const struct format *f, float seen, float stored)
{
	stored = stored > f->highest ? f->highest : stored < f->lowest ? f->lowest : stored;
	return seen >= stored - f->step && seen <= stored + f->step;
}

/*
 * Returns true if @texel is the result of storing values @x. Channels that the format lacks are 0,
 * alpha is 1.
 */
static bool float_is_right(const struct format *f, const uint32_t *texel, int x)
{
	for (int c = 0; c < 4; c++) {
		float seen, missing = c == 3;

		memcpy(&seen, &texel[c], sizeof(seen));
		if (c < f->channels ? !is_close(f, seen, floats[x][c]) : seen != missing)
			return false;
	}
	return true;
}

static bool int_is_right(const struct format *f, const uint32_t *texel, int x)
{
	const uint32_t *stored = f->class == INTS ? (const uint32_t *)ints[x] : uints[x];

	for (int c = 0; c < 4; c++)
		if (texel[c] != (c < f->channels ? stored[c] : (uint32_t)(c == 3)))
			return false;
	return true;
}

static int count_right(const struct format *f, uint32_t (*texels)[4])
{
	int right = 0;

	for (int i = 0; i < 16; i++)
		right += f->class == FLOATS ? float_is_right(f, texels[i], i % 4)
					    : int_is_right(f, texels[i], i % 4);
	return right;
}

/* The stored values include the maximum of a two-bit alpha. */
static void test_format(const struct format *f)
{
	GLuint store = store_program(f), load = load_program(f), texture, out;
	const GLenum transfer = f->class == FLOATS ? GL_RGBA : GL_RGBA_INTEGER;
	const GLenum type = f->class == FLOATS ? GL_FLOAT
			    : f->class == INTS ? GL_INT
					       : GL_UNSIGNED_INT;
	uint32_t texels[16][4];
	int loaded, seen;

	glGenTextures(1, &texture);
	glBindTexture(GL_TEXTURE_2D, texture);
	glTexImage2D(GL_TEXTURE_2D, 0, f->format, 4, 4, 0, transfer, type, NULL);
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
	glBindImageTexture(0, texture, 0, GL_FALSE, 0, GL_READ_WRITE, f->format);
	glUseProgram(store);
	if (f->class == FLOATS)
		glUniform4fv(glGetUniformLocation(store, "values"), 4, floats[0]);
	else if (f->class == INTS)
		glUniform4iv(glGetUniformLocation(store, "values"), 4, ints[0]);
	else
		glUniform4uiv(glGetUniformLocation(store, "values"), 4, uints[0]);
	glDispatchCompute(1, 1, 1);
	glMemoryBarrier(GL_SHADER_IMAGE_ACCESS_BARRIER_BIT);
	out = words_at(0, 64);
	glUseProgram(load);
	glDispatchCompute(1, 1, 1);
	core_read_words(out, 0, texels[0], 64);
	loaded = count_right(f, texels);
	glMemoryBarrier(GL_TEXTURE_UPDATE_BARRIER_BIT);
	glGetTexImage(GL_TEXTURE_2D, 0, transfer, type, texels);
	seen = count_right(f, texels);
	tap(loaded == 16 && seen == 16, "%s: %d of 16 texels loaded, %d read", f->name, loaded,
	    seen);
	glDeleteTextures(1, &texture);
	glDeleteBuffers(1, &out);
	glDeleteProgram(store);
	glDeleteProgram(load);
}

/* Dimensions: each texel stores its own coordinates. */

static const struct shape {
	const char *image, *coord;
	/* Width, height and depth in the image's coordinates. */
	int size[3];
	GLenum target;
	int level, layer, layers;	/* layers 0: a single one */
	GLint levels;
} shapes[] = {
	{ "image1D", "at.x", { 6, 1, 1 }, GL_TEXTURE_1D, 0, 0, 1, 1 },
	{ "image2D", "at.xy", { 6, 5, 1 }, GL_TEXTURE_2D, 0, 0, 1, 1 },
	{ "image2D", "at.xy", { 4, 3, 1 }, GL_TEXTURE_2D, 1, 0, 1, 2 },
	{ "image2DRect", "at.xy", { 7, 5, 1 }, GL_TEXTURE_RECTANGLE, 0, 0, 1, 1 },
	{ "image3D", "at", { 4, 5, 3 }, GL_TEXTURE_3D, 0, 0, 1, 1 },
	{ "image3D", "at", { 4, 3, 2 }, GL_TEXTURE_3D, 1, 0, 1, 2 },
	{ "image2D", "at.xy", { 4, 5, 1 }, GL_TEXTURE_3D, 0, 2, 0, 1 },
	{ "imageCube", "at", { 4, 4, 6 }, GL_TEXTURE_CUBE_MAP, 0, 0, 1, 1 },
	{ "image2D", "at.xy", { 4, 4, 1 }, GL_TEXTURE_CUBE_MAP, 0, 4, 0, 1 },
	{ "image1DArray", "at.xy", { 6, 5, 1 }, GL_TEXTURE_1D_ARRAY, 0, 0, 1, 1 },
	{ "image1D", "at.x", { 6, 1, 1 }, GL_TEXTURE_1D_ARRAY, 0, 3, 0, 1 },
	{ "image2DArray", "at", { 4, 3, 5 }, GL_TEXTURE_2D_ARRAY, 0, 0, 1, 1 },
	{ "image2DArray", "at", { 4, 3, 5 }, GL_TEXTURE_2D_ARRAY, 1, 0, 1, 2 },
	{ "image2D", "at.xy", { 4, 3, 1 }, GL_TEXTURE_2D_ARRAY, 0, 4, 0, 1 },
};

#define SHAPE_SOURCE HEADER						\
	"layout(local_size_x = 1) in;\n"				\
	"layout(binding = 1, r32ui) uniform u@ image;\n"		\
	"layout(std430, binding = 0) buffer Out { uint sizes[4], texels[]; };\n"	\
	"uniform bool store;\n"						\
	"void main() {\n"						\
	"	ivec3 at = ivec3(gl_GlobalInvocationID), size = ivec3(imageSize(image)^);\n"	\
	"	int i = (at.z * int(gl_NumWorkGroups.y) + at.y) * "	\
	"int(gl_NumWorkGroups.x) + at.x;\n"				\
	"	if (store) {\n"						\
	"		imageStore(image, #, uvec4(1000 + i));\n"	\
	"	} else {\n"						\
	"		texels[i] = imageLoad(image, #).x;\n"		\
	"		sizes[0] = uint(size.x);\n"			\
	"		sizes[1] = uint(size.y);\n"			\
	"		sizes[2] = uint(size.z);\n"			\
	"	}\n"							\
	"}\n"

static GLuint shape_program(const struct shape *s)
{
	char source[4096], *out = source;
	const int components = strlen(s->coord) == 4 ? 1 : strlen(s->coord) == 5 ? 2 : 3;
	/* imageSize() of a cube does not count faces. */
	static const char *const pad[] = { "", ", 1, 1", ", 1", "" };
	const int sized = strcmp(s->image, "imageCube") ? components : 2;

	for (const char *in = SHAPE_SOURCE; *in; in++) {
		if (*in == '@')
			out = stpcpy(out, s->image);
		else if (*in == '#' && strncmp(in, "#version", 8) && strncmp(in, "#extension", 10))
			out = stpcpy(out, s->coord);
		else if (*in == '^')
			out = stpcpy(out, pad[sized]);
		else
			*out++ = *in;
	}
	*out = 0;
	return core_compute(source);
}

/* Specifies @level of the texture of @s, with all its layers. */
static void shape_level(const struct shape *s, int level)
{
	/* Halving rounds down, so that the level above has twice the size. */
	const int twice = level < s->level ? 2 : 1;
	const int w = s->size[0] * twice, h = s->size[1] * twice, d = s->size[2];

	switch (s->target) {
	case GL_TEXTURE_1D:
		glTexImage1D(s->target, level, GL_R32UI, w, 0, GL_RED_INTEGER, GL_UNSIGNED_INT,
			     NULL);
		break;
	case GL_TEXTURE_CUBE_MAP:
		for (int face = 0; face < 6; face++)
			glTexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + face, level, GL_R32UI, w, h,
				     0, GL_RED_INTEGER, GL_UNSIGNED_INT, NULL);
		break;
	case GL_TEXTURE_1D_ARRAY:
		glTexImage2D(s->target, level, GL_R32UI, w, s->layers ? s->size[1] : 5, 0,
			     GL_RED_INTEGER, GL_UNSIGNED_INT, NULL);
		break;
	case GL_TEXTURE_3D:
		glTexImage3D(s->target, level, GL_R32UI, w, h, s->layers ? d * twice : 5, 0,
			     GL_RED_INTEGER, GL_UNSIGNED_INT, NULL);
		break;
	case GL_TEXTURE_2D_ARRAY:
		glTexImage3D(s->target, level, GL_R32UI, w, h, s->layers ? d : 5, 0, GL_RED_INTEGER,
			     GL_UNSIGNED_INT, NULL);
		break;
	default:
		glTexImage2D(s->target, level, GL_R32UI, w, h, 0, GL_RED_INTEGER, GL_UNSIGNED_INT,
			     NULL);
		break;
	}
}

static GLuint shape_texture(const struct shape *s)
{
	GLuint texture;

	glGenTextures(1, &texture);
	glBindTexture(s->target, texture);
	for (int level = 0; level < s->levels; level++)
		shape_level(s, level);
	if (s->target != GL_TEXTURE_RECTANGLE)
		glTexParameteri(s->target, GL_TEXTURE_MAX_LEVEL, s->levels - 1);
	glTexParameteri(s->target, GL_TEXTURE_MIN_FILTER,
			s->levels > 1 ? GL_NEAREST_MIPMAP_NEAREST : GL_NEAREST);
	return texture;
}

/* Returns how many of the first @n texels of the image are correct in glGetTexImage(). */
static int read_right(const struct shape *s, uint32_t n)
{
	static uint32_t texels[4096];
	int right = 0, first = s->layers ? 0 : s->layer * s->size[0] * s->size[1];

	glMemoryBarrier(GL_TEXTURE_UPDATE_BARRIER_BIT);
	if (s->target == GL_TEXTURE_CUBE_MAP && !s->layers)
		first = 0;
	if (s->target != GL_TEXTURE_CUBE_MAP)
		glGetTexImage(s->target, s->level, GL_RED_INTEGER, GL_UNSIGNED_INT, texels);
	for (int face = 0; s->target == GL_TEXTURE_CUBE_MAP && face < (s->layers ? 6 : 1); face++)
		glGetTexImage(GL_TEXTURE_CUBE_MAP_POSITIVE_X + face + s->layer, s->level,
			      GL_RED_INTEGER, GL_UNSIGNED_INT,
			      &texels[face * s->size[0] * s->size[1]]);
	for (uint32_t i = 0; i < n; i++)
		right += texels[first + i] == 1000 + i;
	return right;
}

static void test_shape(const struct shape *s)
{
	GLuint program = shape_program(s), texture = shape_texture(s), out;
	const int n = s->size[0] * s->size[1] * s->size[2];
	const uint32_t depth = strcmp(s->image, "imageCube") ? s->size[2] : 1;
	uint32_t words[4 + 1024];
	int right = 0;

	out = words_at(0, 4 + n);
	glBindImageTexture(1, texture, s->level, s->layers, s->layer, GL_READ_WRITE, GL_R32UI);
	glUseProgram(program);
	for (int store = 1; store >= 0; store--) {
		glUniform1i(glGetUniformLocation(program, "store"), store);
		glDispatchCompute(s->size[0], s->size[1], s->size[2]);
		glMemoryBarrier(GL_SHADER_IMAGE_ACCESS_BARRIER_BIT);
	}
	core_read_words(out, 0, words, 4 + n);
	for (int i = 0; i < n; i++)
		right += words[4 + i] == 1000u + i;
	tap(right == n && read_right(s, n) == n && words[0] == (uint32_t)s->size[0] &&
	    words[1] == (uint32_t)s->size[1] && words[2] == depth,
	    "%s, level %d, layer %d of %#x: %d and %d of %d, size %u x %u x %u", s->image, s->level,
	    s->layer,
	    s->target, right, read_right(s, n), n, words[0], words[1], words[2]);
	glDeleteTextures(1, &texture);
	glDeleteProgram(program);
}

/* Views of textures: the shader sees the type of the view, not that of the texture. */

static const struct view {
	const char *image, *coord;
	int size[3];			/* in layers, of cubes in faces */
	GLenum target, of;
	int layers, first;		/* of the texture, and the view's first one */
	GLenum format;			/* of the texture; the view has GL_R32UI */
} views[] = {
	{ "image1DArray", "at.xy", { 6, 1, 1 }, GL_TEXTURE_1D_ARRAY, GL_TEXTURE_1D, 1, 0,
	  GL_R32UI },
	{ "image2DArray", "at", { 5, 4, 1 }, GL_TEXTURE_2D_ARRAY, GL_TEXTURE_2D, 1, 0, GL_R32UI },
	{ "image2DArray", "at", { 4, 4, 4 }, GL_TEXTURE_2D_ARRAY, GL_TEXTURE_CUBE_MAP, 6, 1,
	  GL_R32UI },
	{ "image2DArray", "at", { 4, 4, 6 }, GL_TEXTURE_2D_ARRAY, GL_TEXTURE_CUBE_MAP_ARRAY, 12, 6,
	  GL_R32UI },
	{ "image2D", "at.xy", { 4, 4, 1 }, GL_TEXTURE_2D, GL_TEXTURE_2D_ARRAY, 7, 5, GL_R32UI },
	{ "image2D", "at.xy", { 4, 4, 1 }, GL_TEXTURE_2D, GL_TEXTURE_2D, 1, 0, GL_SRGB8_ALPHA8 },
	{ "image2DArray", "at", { 5, 4, 2 }, GL_TEXTURE_2D_ARRAY, GL_TEXTURE_2D_ARRAY, 3, 1,
	  GL_RGB9_E5 },
	{ "imageCube", "at", { 4, 4, 6 }, GL_TEXTURE_CUBE_MAP, GL_TEXTURE_2D_ARRAY, 12, 3,
	  GL_R32UI },
	{ "imageCube", "at", { 4, 4, 6 }, GL_TEXTURE_CUBE_MAP, GL_TEXTURE_CUBE_MAP_ARRAY, 12, 6,
	  GL_R32UI },
	{ "imageCubeArray", "at", { 4, 4, 6 }, GL_TEXTURE_CUBE_MAP_ARRAY, GL_TEXTURE_CUBE_MAP, 6, 0,
	  GL_R32UI },
	{ "imageCubeArray", "at", { 4, 4, 12 }, GL_TEXTURE_CUBE_MAP_ARRAY, GL_TEXTURE_2D_ARRAY, 14,
	  1, GL_R32UI },
};

static GLuint viewed_texture(const struct view *v)
{
	GLuint texture;

	glGenTextures(1, &texture);
	glBindTexture(v->of, texture);
	if (v->of == GL_TEXTURE_1D)
		glTexStorage1D(v->of, 1, v->format, v->size[0]);
	else if (v->of == GL_TEXTURE_2D || v->of == GL_TEXTURE_CUBE_MAP)
		glTexStorage2D(v->of, 1, v->format, v->size[0], v->size[1]);
	else
		glTexStorage3D(v->of, 1, v->format, v->size[0], v->size[1], v->layers);
	return texture;
}

static void test_view(const struct view *v)
{
	const struct shape shape = { .image = v->image, .coord = v->coord };
	const int cubes = !strcmp(v->image, "imageCube")        ? v->size[2]
			  : !strcmp(v->image, "imageCubeArray") ? 6
								: 1;
	GLuint program = shape_program(&shape), texture = viewed_texture(v), out, view;
	const int n = v->size[0] * v->size[1] * v->size[2];
	const int same = v->format == GL_R32UI;
	uint32_t words[4 + 256], texels[256];
	int loaded = 0, stored = 0;

	glGenTextures(1, &view);
	glTextureView(view, v->target, texture, GL_R32UI, 0, 1, v->first, v->size[2]);
	out = words_at(0, 4 + n);
	glBindImageTexture(1, view, 0, GL_TRUE, 0, GL_READ_WRITE, GL_R32UI);
	glUseProgram(program);
	for (int store = 1; store >= 0; store--) {
		glUniform1i(glGetUniformLocation(program, "store"), store);
		glDispatchCompute(v->size[0], v->size[1], v->size[2]);
		glMemoryBarrier(GL_ALL_BARRIER_BITS);
	}
	core_read_words(out, 0, words, 4 + n);
	glGetTextureSubImage(same ? texture : view, 0, 0, 0, same ? v->first : 0, v->size[0],
			     v->size[1], v->size[2], GL_RED_INTEGER, GL_UNSIGNED_INT,
			     sizeof(texels), texels);
	for (int i = 0; i < n; i++) {
		loaded += words[4 + i] == 1000u + i;
		stored += texels[i] == 1000u + i;
	}
	tap(loaded == n && stored == n && words[0] == (uint32_t)v->size[0] &&
		    words[2] == (uint32_t)v->size[2] / cubes,
	    "%s of %#x, %#x: %d and %d of %d, size %u x %u x %u", v->image, v->of, v->format,
	    loaded, stored, n, words[0], words[1], words[2]);
	glDeleteTextures(1, &view);
	glDeleteTextures(1, &texture);
	glDeleteProgram(program);
}

/* Atomic operations, images of buffers, arrays of images */

static const char atomics_source[] = HEADER
	"layout(local_size_x = 8, local_size_y = 8) in;\n"
	"layout(binding = 0, r32ui) coherent uniform uimage2D counts;\n"
	"layout(binding = 1, r32i) coherent uniform iimage2D bounds;\n"
	"layout(binding = 2, r32ui) coherent uniform uimageBuffer texels;\n"
	"void main() {\n"
	"	ivec2 at = ivec2(gl_GlobalInvocationID.xy);\n"
	"	int i = at.y * 32 + at.x;\n"
	"	imageAtomicAdd(counts, at / 8, 1u);\n"
	"	imageAtomicMin(bounds, ivec2(0, 0), -i);\n"
	"	imageAtomicMax(bounds, ivec2(1, 0), i);\n"
	"	imageAtomicOr(bounds, ivec2(2, 0), 1 << i % 31);\n"
	"	imageAtomicExchange(bounds, ivec2(3, 0), 9);\n"
	"	imageAtomicAdd(texels, i % 10, uint(i));\n"
	"	imageAtomicCompSwap(texels, 11, 5u, 6u);\n"
	"	if (i < imageSize(texels))\n"
	"		imageStore(texels, 20 + i, uvec4(i));\n"
	"}\n";

static GLuint zero_image(GLenum format, int width, int height)
{
	static const uint32_t zeros[4096];
	GLuint texture;

	glGenTextures(1, &texture);
	glBindTexture(GL_TEXTURE_2D, texture);
	glTexImage2D(GL_TEXTURE_2D, 0, format, width, height, 0,
		     format == GL_RGBA8 ? GL_RGBA : GL_RED_INTEGER,
		     format == GL_RGBA8  ? GL_UNSIGNED_BYTE
		     : format == GL_R32I ? GL_INT
					 : GL_UNSIGNED_INT,
		     zeros);
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
	return texture;
}

static void test_atomics(void)
{
	const uint32_t before[40] = { [11] = 5 };
	GLuint program = core_compute(atomics_source), counts, bounds, buffer, texture;
	uint32_t words[40], wanted[40] = { 0 };
	int32_t seen[4];
	int right = 0;

	counts = zero_image(GL_R32UI, 4, 4);
	bounds = zero_image(GL_R32I, 4, 1);
	buffer = core_buffer(GL_TEXTURE_BUFFER, sizeof(before), before);
	glGenTextures(1, &texture);
	glBindTexture(GL_TEXTURE_BUFFER, texture);
	glTexBuffer(GL_TEXTURE_BUFFER, GL_R32UI, buffer);
	glBindImageTexture(0, counts, 0, GL_FALSE, 0, GL_READ_WRITE, GL_R32UI);
	glBindImageTexture(1, bounds, 0, GL_FALSE, 0, GL_READ_WRITE, GL_R32I);
	glBindImageTexture(2, texture, 0, GL_FALSE, 0, GL_READ_WRITE, GL_R32UI);
	glUseProgram(program);
	glDispatchCompute(4, 4, 1);
	glMemoryBarrier(GL_ALL_BARRIER_BITS);
	glBindTexture(GL_TEXTURE_2D, counts);
	glGetTexImage(GL_TEXTURE_2D, 0, GL_RED_INTEGER, GL_UNSIGNED_INT, words);
	for (int i = 0; i < 16; i++)
		right += words[i] == 64;
	tap(right == 16, "an image counts: %d of 16", right);
	glBindTexture(GL_TEXTURE_2D, bounds);
	glGetTexImage(GL_TEXTURE_2D, 0, GL_RED_INTEGER, GL_INT, seen);
	tap(seen[0] == -1023 && seen[1] == 1023 && seen[2] == 0x7fffffff && seen[3] == 9,
	    "other atomic operations on images: %d %d %#x %d", seen[0], seen[1], seen[2], seen[3]);
	for (uint32_t i = 0; i < 1024; i++)
		wanted[i % 10] += i;
	wanted[11] = 6;
	for (uint32_t i = 20; i < 40; i++)
		wanted[i] = i - 20;
	core_read_words(buffer, 0, words, 40);
	tap(!memcmp(words, wanted, sizeof(words)), "and on an image of a buffer: %u, %u", words[0],
	    words[11]);
}

static const char array_source[] = HEADER
	"layout(local_size_x = 1) in;\n"
	"layout(binding = 0, r32ui) uniform uimage2D images[2][3];\n"
	"uniform int i, k;\n"
	"void main() {\n"
	"	imageStore(images[i][k], ivec2(0), uvec4(10 * i + k + 1));\n"
	"	imageStore(images[0][2], ivec2(0), imageLoad(images[i][k], ivec2(0)) * 3u);\n"
	"}\n";

static void test_arrays(void)
{
	GLuint program = core_compute(array_source), images[6];
	uint32_t seen[6];

	glUseProgram(program);
	for (int i = 0; i < 6; i++) {
		images[i] = zero_image(GL_R32UI, 1, 1);
		glBindImageTexture(i, images[i], 0, GL_FALSE, 0, GL_READ_WRITE, GL_R32UI);
	}
	for (int i = 0; i < 6; i++) {
		glUniform1i(glGetUniformLocation(program, "i"), i / 3);
		glUniform1i(glGetUniformLocation(program, "k"), i % 3);
		if (i != 2)
			glDispatchCompute(1, 1, 1);
		glMemoryBarrier(GL_SHADER_IMAGE_ACCESS_BARRIER_BIT);
	}
	for (int i = 0; i < 6; i++) {
		glBindTexture(GL_TEXTURE_2D, images[i]);
		glGetTexImage(GL_TEXTURE_2D, 0, GL_RED_INTEGER, GL_UNSIGNED_INT, &seen[i]);
	}
	tap(seen[0] == 1 && seen[1] == 2 && seen[2] == 39 && seen[3] == 11 && seen[4] == 12 &&
		    seen[5] == 13,
	    "an array of images: %u %u %u %u %u %u", seen[0], seen[1], seen[2], seen[3], seen[4],
	    seen[5]);
}

/* Samples: loads and fetches of each sample return the stored value. */

static const char samples_source[] = HEADER
	"layout(local_size_x = 4, local_size_y = 4, local_size_z = 4) in;\n"
	"layout(binding = 0, r32ui) uniform uimage2DMS image;\n"
	"layout(std430, binding = 0) buffer Out { uint loaded[64], fetched[64]; };\n"
	"uniform usampler2DMS tex;\n"
	"uniform bool store;\n"
	"void main() {\n"
	"	ivec3 at = ivec3(gl_LocalInvocationID);\n"
	"	uint i = gl_LocalInvocationIndex;\n"
	"	if (store) {\n"
	"		imageStore(image, at.xy, at.z, uvec4(500u + i));\n"
	"	} else {\n"
	"		loaded[i] = imageLoad(image, at.xy, at.z).x;\n"
	"		fetched[i] = texelFetch(tex, at.xy, at.z).x;\n"
	"	}\n"
	"}\n";

static void test_samples(void)
{
	GLuint program = core_compute(samples_source), texture, out;
	uint32_t words[128];
	int right = 0;

	glGenTextures(1, &texture);
	glBindTexture(GL_TEXTURE_2D_MULTISAMPLE, texture);
	glTexImage2DMultisample(GL_TEXTURE_2D_MULTISAMPLE, 4, GL_R32UI, 4, 4, GL_TRUE);
	glBindImageTexture(0, texture, 0, GL_FALSE, 0, GL_READ_WRITE, GL_R32UI);
	out = words_at(0, 128);
	glUseProgram(program);
	for (int store = 1; store >= 0; store--) {
		glUniform1i(glGetUniformLocation(program, "store"), store);
		glDispatchCompute(1, 1, 1);
		glMemoryBarrier(GL_SHADER_IMAGE_ACCESS_BARRIER_BIT | GL_TEXTURE_FETCH_BARRIER_BIT);
	}
	core_read_words(out, 0, words, 128);
	for (uint32_t i = 0; i < 64; i++)
		right += words[i] == 500 + i && words[64 + i] == 500 + i;
	tap(right == 64, "samples: %d of 64", right);
}

/* One layer that is bound to an array image: imageSize() reports an array of one layer. */
static void test_layer_of_array(void)
{
	const GLuint program = core_compute(HEADER
		"#extension GL_ARB_shader_texture_image_samples: require\n"
		"layout(local_size_x = 1) in;\n"
		"layout(binding = 0, r32i) readonly uniform iimage2DMSArray image;\n"
		"layout(std430, binding = 0) buffer Words { uint words[]; };\n"
		"void main() {\n"
		"	words[0] = uint(imageSamples(image));\n"
		"	words[1] = uint(imageSize(image).z);\n"
		"}\n");
	GLuint texture, out;
	uint32_t words[2];

	glGenTextures(1, &texture);
	glBindTexture(GL_TEXTURE_2D_MULTISAMPLE_ARRAY, texture);
	glTexImage3DMultisample(GL_TEXTURE_2D_MULTISAMPLE_ARRAY, 4, GL_R32I, 4, 4, 3, GL_TRUE);
	glBindImageTexture(0, texture, 0, GL_FALSE, 1, GL_READ_ONLY, GL_R32I);
	out = words_at(0, 2);
	glUseProgram(program);
	glDispatchCompute(1, 1, 1);
	core_read_words(out, 0, words, 2);
	tap(words[0] == 4 && words[1] == 1, "a layer as an array: %u samples, %u layers", words[0],
	    words[1]);
	glDeleteTextures(1, &texture);
}

/*
 * Accesses outside of the only layer: loads return zero, stores and atomic operations have no
 * effect.
 */
static void test_only_layer(void)
{
	static const struct {
		const char *name, *type;
		GLenum target;
		const char *inside, *outside;
	} images[] = {
		{ "an array of one", "uimage2DArray", GL_TEXTURE_2D_ARRAY, "ivec3(1, 2, 0)",
		  "ivec3(1, 2, 1)" },
		{ "one of depth 1", "uimage3D", GL_TEXTURE_3D, "ivec3(1, 2, 0)",
		  "ivec3(1, 2, -1)" },
		{ "an array of one row", "uimage1DArray", GL_TEXTURE_1D_ARRAY, "ivec2(1, 0)",
		  "ivec2(1, 1)" },
	};

	for (unsigned i = 0; i < sizeof(images) / sizeof(images[0]); i++) {
		const bool rows = images[i].target == GL_TEXTURE_1D_ARRAY;
		const uint32_t seven = 7;
		uint32_t words[3];
		GLuint texture, program, out;
		char source[2048];

		snprintf(source, sizeof(source), HEADER
			 "layout(local_size_x = 1) in;\n"
			 "layout(binding = 0, r32ui) uniform %1$s image;\n"
			 "layout(std430, binding = 0) buffer Words { uint words[]; };\n"
			 "void main() {\n"
			 "	words[0] = imageLoad(image, %3$s).x;\n"
			 "	imageStore(image, %3$s, uvec4(9));\n"
			 "	imageAtomicAdd(image, %3$s, 90u);\n"
			 "	memoryBarrierImage();\n"
			 "	words[1] = imageLoad(image, %2$s).x;\n"
			 "	words[2] = imageAtomicAdd(image, %2$s, 1u);\n"
			 "}\n", images[i].type, images[i].inside, images[i].outside);
		program = core_compute(source);
		glGenTextures(1, &texture);
		glBindTexture(images[i].target, texture);
		if (rows)
			glTexStorage2D(images[i].target, 1, GL_R32UI, 4, 1);
		else
			glTexStorage3D(images[i].target, 1, GL_R32UI, 4, 4, 1);
		glClearTexImage(texture, 0, GL_RED_INTEGER, GL_UNSIGNED_INT, &seven);
		glBindImageTexture(0, texture, 0, GL_TRUE, 0, GL_READ_WRITE, GL_R32UI);
		out = words_at(0, 3);
		glUseProgram(program);
		glDispatchCompute(1, 1, 1);
		core_read_words(out, 0, words, 3);
		tap(words[0] == 0 && words[1] == 7 && words[2] == 7,
		    "outside of the layer of %s: %u, %u, %u", images[i].name, words[0], words[1],
		    words[2]);
		glDeleteTextures(1, &texture);
		glDeleteProgram(program);
	}
}

/* Draws store to an image, other draws sample it, and a draw has it as its attachment. */

static const char corners_vertex[] =
	"#version 330\n"
	"in vec2 vertex;\n"
	"void main() { gl_Position = vec4(vertex, 0.0, 1.0); }\n";

static const char store_fragment[] = HEADER
	"layout(binding = 0, rgba8) writeonly uniform image2D image;\n"
	"uniform float red;\n"
	"out vec4 result;\n"
	"void main() {\n"
	"	ivec2 at = ivec2(gl_FragCoord.xy);\n"
	"	imageStore(image, at, vec4(red, vec2(at) / 255.0, 1.0));\n"
	"	result = vec4(0.0);\n"
	"}\n";

static const char sample_fragment[] =
	"#version 330\n"
	"uniform sampler2D tex;\n"
	"out vec4 result;\n"
	"void main() { result = texelFetch(tex, 15 - ivec2(gl_FragCoord.xy), 0); }\n";

static void test_draws(void)
{
	static const GLfloat corners[] = { -1, -1, 1, -1, -1, 1, 1, 1 };
	GLuint store = core_program(corners_vertex, store_fragment, 0, NULL, GL_NONE);
	GLuint sample = core_program(corners_vertex, sample_fragment, 0, NULL, GL_NONE), image;
	uint32_t pixels[256];
	int right = 0;

	image = zero_image(GL_RGBA8, CORE_SIZE, CORE_SIZE);
	core_buffer(GL_ARRAY_BUFFER, sizeof(corners), corners);
	glEnableVertexAttribArray(0);
	glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, 0);
	glBindTexture(GL_TEXTURE_2D, image);
	glBindImageTexture(0, image, 0, GL_FALSE, 0, GL_WRITE_ONLY, GL_RGBA8);
	for (int i = 0; i < 6; i++) {
		glUseProgram(store);
		glUniform1f(glGetUniformLocation(store, "red"), i / 255.0f);
		glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
		glMemoryBarrier(GL_TEXTURE_FETCH_BARRIER_BIT);
		glUseProgram(sample);
		glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
		glReadPixels(0, 0, CORE_SIZE, CORE_SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
		for (uint32_t p = 0; p < 256; p++)
			right += pixels[p] == (0xff000000 | (15 - p / 16) << 16 |
					       (15 - p % 16) << 8 | (uint32_t)i);
	}
	tap(right == 6 * 256, "textures that fragments stored to: %d of %d pixels", right, 6 * 256);
}

/* A framebuffer without attachments, whose fragments only store. */
static void test_no_attachments(void)
{
	GLuint store = core_program(corners_vertex, store_fragment, 0, NULL, GL_NONE), image,
	       framebuffer;
	uint32_t pixels[256];
	int right = 0, outside = 0;

	image = zero_image(GL_RGBA8, CORE_SIZE, CORE_SIZE);
	glBindImageTexture(0, image, 0, GL_FALSE, 0, GL_WRITE_ONLY, GL_RGBA8);
	glGenFramebuffers(1, &framebuffer);
	glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
	glFramebufferParameteri(GL_FRAMEBUFFER, GL_FRAMEBUFFER_DEFAULT_WIDTH, 12);
	glFramebufferParameteri(GL_FRAMEBUFFER, GL_FRAMEBUFFER_DEFAULT_HEIGHT, 9);
	glViewport(0, 0, 16, 16);
	glUseProgram(store);
	glUniform1f(glGetUniformLocation(store, "red"), 1.0f);
	glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
	glMemoryBarrier(GL_TEXTURE_UPDATE_BARRIER_BIT);
	glBindTexture(GL_TEXTURE_2D, image);
	glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
	for (uint32_t p = 0; p < 256; p++) {
		if (p % 16 < 12 && p / 16 < 9)
			right += pixels[p] == (0xff0000ff | (p / 16) << 16 | (p % 16) << 8);
		else
			outside += pixels[p] != 0;
	}
	tap(glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE && right == 108 &&
		    !outside,
	    "a framebuffer without attachments: %d of 108, %d outside", right, outside);
}

int main(void)
{
	core_open();
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
		test_format(&formats[i]);
	for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++)
		test_shape(&shapes[i]);
	for (size_t i = 0; i < sizeof(views) / sizeof(*views); i++)
		test_view(&views[i]);
	test_atomics();
	test_arrays();
	test_samples();
	test_layer_of_array();
	test_only_layer();
	test_draws();
	test_no_attachments();
	tap(core_no_error(), "there is no error to tell");
	gl_close();
	return tap_failures() != 0;
}
