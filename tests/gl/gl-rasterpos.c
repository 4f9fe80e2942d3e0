// SPDX-License-Identifier: MIT
/*
 * glRasterPos with a vertex shader that reads textures, images and buffers. Mesa interprets the
 * shader, which has to read their contents, and zero beyond them. Prints TAP.
 */
#include "gl-core.h"

#include <stdio.h>

/* From the compatibility profile; OpenGL's core headers lack these. */
#define CURRENT_RASTER_TEXTURE_COORDS 0x0b06
#define CURRENT_RASTER_POSITION_VALID 0x0b08

#define SIDE 4
#define LAYERS 3

/* The shader writes the value to the texture coordinates, which glGet returns. */
#define SHADER(code)							\
	"#version 430 compatibility\n"					\
	"uniform int at;\n"						\
	"layout(binding = 0) uniform sampler2DArray layered;\n"		\
	"layout(binding = 1) uniform samplerBuffer texels;\n"		\
	"layout(binding = 2) uniform sampler3D volume;\n"		\
	"layout(binding = 3) uniform isampler1D line;\n"		\
	"layout(binding = 4) uniform sampler2D swizzled;\n"		\
	"layout(binding = 0, rgba32f) uniform readonly image2D image;\n"	\
	"layout(binding = 1, rgba32f) uniform readonly imageBuffer words;\n"	\
	"layout(binding = 2, rgba32f) uniform readonly image2D layer;\n"	\
	"layout(binding = 3, rgba32f) uniform readonly image2D slice;\n"	\
	"layout(binding = 4, rgba32f) uniform readonly image2DArray layers;\n"	\
	"layout(binding = 0, std430) buffer Stored { vec4 stored[]; };\n"	\
	"void main() { gl_Position = vec4(0.0, 0.0, 0.0, 1.0); gl_TexCoord[0] = " code "; }\n"

static void (*raster_pos)(GLfloat, GLfloat);
static GLint location;

/* Sets the four numbers of a texel: its coordinates, and the kind of its memory. */
static void set_texel(GLfloat *texel, GLfloat x, GLfloat y, GLfloat z, GLfloat kind)
{
	texel[0] = x;
	texel[1] = y;
	texel[2] = z;
	texel[3] = kind;
}

static const GLfloat *texels_of(int width, int height, int depth, GLfloat kind)
{
	static GLfloat texels[SIDE * SIDE * SIDE][4];

	for (int i = 0; i < width * height * depth; i++)
		set_texel(texels[i], i % width, i / width % height, i / width / height, kind);
	return texels[0];
}

static GLuint texture_at(GLuint unit, GLenum target)
{
	GLuint texture;

	glActiveTexture(GL_TEXTURE0 + unit);
	glGenTextures(1, &texture);
	glBindTexture(target, texture);
	if (target != GL_TEXTURE_BUFFER) {
		glTexParameteri(target, GL_TEXTURE_MIN_FILTER, GL_NEAREST_MIPMAP_NEAREST);
		glTexParameteri(target, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
	}
	return texture;
}

static void make_textures(void)
{
	static const GLint numbers[] = { -1, -2, -3, -4 };
	static const GLubyte bytes[] = { 51, 102, 153, 204 };
	static const GLint swizzle[] = { GL_ALPHA, GL_ONE, GL_RED, GL_ZERO };
	GLuint texture;

	texture = texture_at(0, GL_TEXTURE_2D_ARRAY);
	glTexStorage3D(GL_TEXTURE_2D_ARRAY, 2, GL_RGBA32F, SIDE, SIDE, LAYERS);
	glTexSubImage3D(GL_TEXTURE_2D_ARRAY, 0, 0, 0, 0, SIDE, SIDE, LAYERS, GL_RGBA, GL_FLOAT,
			texels_of(SIDE, SIDE, LAYERS, 10));
	glTexSubImage3D(GL_TEXTURE_2D_ARRAY, 1, 0, 0, 0, SIDE / 2, SIDE / 2, LAYERS, GL_RGBA,
			GL_FLOAT, texels_of(SIDE / 2, SIDE / 2, LAYERS, 11));
	glBindImageTexture(2, texture, 0, GL_FALSE, 2, GL_READ_ONLY, GL_RGBA32F);
	glBindImageTexture(4, texture, 0, GL_TRUE, 0, GL_READ_ONLY, GL_RGBA32F);
	texture_at(1, GL_TEXTURE_BUFFER);
	glTexBuffer(GL_TEXTURE_BUFFER, GL_RGBA32F,
		    core_buffer(GL_TEXTURE_BUFFER, SIDE * 16, texels_of(SIDE, 1, 1, 12)));
	texture = texture_at(2, GL_TEXTURE_3D);
	glTexStorage3D(GL_TEXTURE_3D, 1, GL_RGBA32F, SIDE, SIDE, SIDE);
	glTexSubImage3D(GL_TEXTURE_3D, 0, 0, 0, 0, SIDE, SIDE, SIDE, GL_RGBA, GL_FLOAT,
			texels_of(SIDE, SIDE, SIDE, 13));
	glBindImageTexture(3, texture, 0, GL_FALSE, 1, GL_READ_ONLY, GL_RGBA32F);
	texture_at(3, GL_TEXTURE_1D);
	glTexStorage1D(GL_TEXTURE_1D, 1, GL_R32I, SIDE);
	glTexSubImage1D(GL_TEXTURE_1D, 0, 0, SIDE, GL_RED_INTEGER, GL_INT, numbers);
	texture_at(4, GL_TEXTURE_2D);
	glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, 1, 1);
	glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, bytes);
	glTexParameteriv(GL_TEXTURE_2D, GL_TEXTURE_SWIZZLE_RGBA, swizzle);
}

static void make_images(void)
{
	GLuint textures[2];

	glActiveTexture(GL_TEXTURE7);
	glGenTextures(2, textures);
	glBindTexture(GL_TEXTURE_2D, textures[0]);
	glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA32F, SIDE, SIDE);
	glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, SIDE, SIDE, GL_RGBA, GL_FLOAT,
			texels_of(SIDE, SIDE, 1, 14));
	glBindImageTexture(0, textures[0], 0, GL_FALSE, 0, GL_READ_ONLY, GL_RGBA32F);
	glBindTexture(GL_TEXTURE_BUFFER, textures[1]);
	glTexBuffer(GL_TEXTURE_BUFFER, GL_RGBA32F,
		    core_buffer(GL_TEXTURE_BUFFER, SIDE * 16, texels_of(SIDE, 1, 1, 15)));
	glBindImageTexture(1, textures[1], 0, GL_FALSE, 0, GL_READ_ONLY, GL_RGBA32F);
	glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0,
			 core_buffer(GL_SHADER_STORAGE_BUFFER, SIDE * 16,
				     texels_of(SIDE, 1, 1, 16)));
}

/* Returns true if the current program reads these four numbers. */
static bool finds(int at, GLfloat x, GLfloat y, GLfloat z, GLfloat w)
{
	const GLfloat expected[] = { x, y, z, w };
	GLfloat seen[4] = { 0 };
	GLboolean valid = GL_FALSE;
	bool ok = true;

	glUniform1i(location, at);
	raster_pos(0, 0);
	glGetBooleanv(CURRENT_RASTER_POSITION_VALID, &valid);
	glGetFloatv(CURRENT_RASTER_TEXTURE_COORDS, seen);
	for (int i = 0; i < 4; i++)
		ok &= seen[i] > expected[i] - 0.01f && seen[i] < expected[i] + 0.01f;
	if (!ok || !valid)
		printf("# at %d: %g %g %g %g, valid: %d\n", at, seen[0], seen[1], seen[2], seen[3],
		       valid);
	return ok && valid;
}

static void use(const char *vertex)
{
	GLuint program = core_stages(vertex, NULL, NULL);

	glUseProgram(program);
	location = glGetUniformLocation(program, "at");
}

static void test_textures(void)
{
	use(SHADER("texelFetch(layered, ivec3(at, 1, 2), 0)"));
	tap(finds(3, 3, 1, 2, 10) && finds(SIDE, 0, 0, 0, 0) && finds(-1, 0, 0, 0, 0),
	    "texels of layers");
	use(SHADER("texelFetch(layered, ivec3(1, 1, at), 1)"));
	tap(finds(2, 1, 1, 2, 11) && finds(LAYERS, 0, 0, 0, 0), "texels of another level");
	use(SHADER("texelFetch(layered, ivec3(0), at)"));
	tap(finds(1, 0, 0, 0, 11) && finds(2, 0, 0, 0, 0) && finds(1 << 30, 0, 0, 0, 0),
	    "and no level beyond");
	use(SHADER("texelFetch(texels, at)"));
	tap(finds(2, 2, 0, 0, 12) && finds(SIDE, 0, 0, 0, 0) && finds(-1000000, 0, 0, 0, 0),
	    "texels of a buffer");
	use(SHADER("texelFetch(volume, ivec3(1, 2, at), 0)"));
	tap(finds(3, 1, 2, 3, 13) && finds(SIDE, 0, 0, 0, 0), "texels of a volume");
	use(SHADER("vec4(texelFetch(line, at, 0))"));
	tap(finds(2, -3, 0, 0, 1) && finds(SIDE, 0, 0, 0, 1), "integers");
	use(SHADER("texelFetch(swizzled, ivec2(at), 0)"));
	tap(finds(0, 0.8f, 1, 0.2f, 0), "texels whose components are another's");
	use(SHADER("vec4(textureSize(layered, at), textureSize(texels))"));
	tap(finds(1, SIDE / 2, SIDE / 2, LAYERS, SIDE), "sizes of textures");
}

static void test_images(void)
{
	use(SHADER("imageLoad(image, ivec2(at, 2))"));
	tap(finds(1, 1, 2, 0, 14) && finds(SIDE, 0, 0, 0, 0) && finds(-1, 0, 0, 0, 0),
	    "texels of an image");
	use(SHADER("imageLoad(words, at)"));
	tap(finds(3, 3, 0, 0, 15) && finds(SIDE, 0, 0, 0, 0),
	    "texels of a buffer that is an image");
	/* The array comes first: its layer must not become a coordinate of the images after it. */
	use(SHADER("imageLoad(layers, ivec3(at, 1, 1)) + imageLoad(layer, ivec2(at, 3)) + "
		   "imageLoad(slice, ivec2(2, at))"));
	tap(finds(1, 4, 5, 4, 33), "texels of images that are one layer of a texture");
	use(SHADER("vec4(imageSize(image), imageSize(words), at)"));
	tap(finds(7, SIDE, SIDE, SIDE, 7), "sizes of images");
	use(SHADER("stored[at]"));
	tap(finds(3, 3, 0, 0, 16) && finds(1000000, 0, 0, 0, 0), "a storage buffer");
}

int main(void)
{
	gl_open(EGL_OPENGL_API);
	gl_draw_to(gl_texture_new(CORE_SIZE, 0), CORE_SIZE, CORE_SIZE);
	raster_pos = (void (*)(GLfloat, GLfloat))eglGetProcAddress("glRasterPos2f");
	make_textures();
	make_images();
	/* glGet returns the raster coordinates of this unit. */
	glActiveTexture(GL_TEXTURE0);
	test_textures();
	test_images();
	tap(core_no_error(), "there is no error to tell");
	gl_close();
	return tap_failures() != 0;
}
