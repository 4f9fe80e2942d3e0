// SPDX-License-Identifier: MIT
/* Attributes, blending, depth and formats of OpenGL 3.3 and ES 3.0. Prints TAP. */
#include "gl-core.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define BLACK 0x000000ff
#define WHITE 0xffffffff
#define LENGTH(a) (sizeof(a) / sizeof((a)[0]))

static const char color_source[] =
	"#version 330\n"
	"uniform vec4 color;\n"
	"layout(location = 0) out vec4 result;\n"
	"void main() { result = color; }\n";

static const GLfloat corners[] = { -1, -1, 0, 1, -1, 0, -1, 1, 0, 1, 1, 0 };

static GLuint corner_buffer, color_program, picture;

static void set_corners(void)
{
	glBindBuffer(GL_ARRAY_BUFFER, corner_buffer);
	glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, 0, NULL);
	glEnableVertexAttribArray(0);
}

static void draw(void)
{
	glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

static void use_color(float r, float g, float b, float a)
{
	glUseProgram(color_program);
	glUniform4f(glGetUniformLocation(color_program, "color"), r, g, b, a);
}

static void clear_black(void)
{
	glClearColor(0, 0, 0, 1);
	glClear(GL_COLOR_BUFFER_BIT);
}

static GLuint texture_new(GLenum internal, GLenum format, GLenum type, int size, const void *texels)
{
	GLuint texture;

	glGenTextures(1, &texture);
	glBindTexture(GL_TEXTURE_2D, texture);
	glTexImage2D(GL_TEXTURE_2D, 0, internal, size, size, 0, format, type, texels);
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
	return texture;
}

/* Blending */

static void test_two_sources(void)
{
	static const char two_source[] =
		"#version 330\n"
		"layout(location = 0, index = 0) out vec4 first;\n"
		"layout(location = 0, index = 1) out vec4 second;\n"
		"void main() { first = vec4(0.0, 0.0, 0.25, 1.0); "
		"second = vec4(0.5, 1.0, 0.0, 1.0); }\n";
	GLuint program = core_stages(core_position, NULL, two_source);

	set_corners();
	glClearColor(1, 1, 1, 1);
	glClear(GL_COLOR_BUFFER_BIT);
	glEnable(GL_BLEND);
	glBlendFunc(GL_ONE, GL_SRC1_COLOR);
	glUseProgram(program);
	draw();
	tap(gl_pixel_is(5, 5, 0x80ff40ff, 1), "blending with a second colour");
	use_color(0.25f, 0.5f, 0.75f, 1);
	draw();
	glDisable(GL_BLEND);
	glFinish();
	tap(gl_pixel(5, 5) >> 24 >= 63, "a shader without a second colour draws");
	use_color(1, 0, 0, 1);
	draw();
	tap(gl_pixel_is(5, 5, 0xff0000ff, 0), "and the context lives");
	glDeleteProgram(program);
}

/* Attachments of several types, each with its own mask, blending and clear. */
static void test_several_buffers(void)
{
	static const char several_source[] =
		"#version 330\n"
		"layout(location = 0) out vec4 a;\n"
		"layout(location = 1) out ivec4 b;\n"
		"layout(location = 3) out uvec2 d;\n"
		"void main() { a = vec4(0.5); b = ivec4(-3, 2, 1, 0); d = uvec2(70000u, 5u); }\n";
	static const GLenum buffers[] = { GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1, GL_NONE,
					  GL_COLOR_ATTACHMENT3 };
	GLuint program = core_stages(core_position, NULL, several_source), framebuffer, textures[3];
	static const GLint minus[] = { -9, -9, -9, -9 };
	static const GLuint nine[] = { 9, 9, 9, 9 };
	GLint b[4] = { 0 }, b_outside[4] = { 0 };
	GLuint d[4] = { 0 };

	textures[0] = texture_new(GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, CORE_SIZE, NULL);
	textures[1] = texture_new(GL_RGBA16I, GL_RGBA_INTEGER, GL_SHORT, CORE_SIZE, NULL);
	textures[2] = texture_new(GL_RG32UI, GL_RG_INTEGER, GL_UNSIGNED_INT, CORE_SIZE, NULL);
	glGenFramebuffers(1, &framebuffer);
	glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
	glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, textures[0], 0);
	glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT1, GL_TEXTURE_2D, textures[1], 0);
	glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT3, GL_TEXTURE_2D, textures[2], 0);
	glDrawBuffers(4, buffers);
	clear_black();
	glClearBufferiv(GL_COLOR, 1, minus);
	glClearBufferuiv(GL_COLOR, 3, nine);
	glColorMaski(1, GL_TRUE, GL_FALSE, GL_TRUE, GL_TRUE);
	glEnablei(GL_BLEND, 0);
	glBlendFunc(GL_ONE, GL_ONE);
	glUseProgram(program);
	glEnable(GL_SCISSOR_TEST);
	glScissor(0, 0, 8, 8);
	draw();
	draw();
	glDisable(GL_SCISSOR_TEST);
	glDisablei(GL_BLEND, 0);
	glColorMaski(1, GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
	tap(gl_pixel_is(3, 3, WHITE, 1), "the first buffer is blended");
	glReadBuffer(GL_COLOR_ATTACHMENT1);
	glReadPixels(3, 3, 1, 1, GL_RGBA_INTEGER, GL_INT, b);
	glReadPixels(12, 12, 1, 1, GL_RGBA_INTEGER, GL_INT, b_outside);
	tap(b[0] == -3 && b[1] == -9 && b[2] == 1 && b[3] == 0 && b_outside[3] == -9,
	    "the second has integers, and a mask: %d %d %d %d, %d", b[0], b[1], b[2], b[3],
	    b_outside[3]);
	glReadBuffer(GL_COLOR_ATTACHMENT3);
	glReadPixels(3, 3, 1, 1, GL_RG_INTEGER, GL_UNSIGNED_INT, d);
	tap(d[0] == 70000 && d[1] == 5, "the fourth has large integers: %u %u", d[0], d[1]);
	glBindFramebuffer(GL_FRAMEBUFFER, picture);
	glDeleteFramebuffers(1, &framebuffer);
	glDeleteTextures(3, textures);
	glDeleteProgram(program);
}

static void test_srgb(void)
{
	GLuint texture = texture_new(GL_SRGB8_ALPHA8, GL_RGBA, GL_UNSIGNED_BYTE, CORE_SIZE, NULL),
	       framebuffer;

	glGenFramebuffers(1, &framebuffer);
	glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
	glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
	for (int on = 0; on < 2; on++) {
		const uint32_t grey = on ? 188 : 128;

		(on ? glEnable : glDisable)(GL_FRAMEBUFFER_SRGB);
		glClearColor(0.5f, 0, 0, 0.5f);
		glClear(GL_COLOR_BUFFER_BIT);
		tap(gl_pixel_is(3, 3, grey << 24 | 0x80, 1), "sRGB %s: cleared", on ? "on" : "off");
		use_color(0, 0.5f, 0, 0.5f);
		draw();
		tap(gl_pixel_is(3, 3, grey << 16 | 0x80, 1), "sRGB %s: drawn", on ? "on" : "off");
	}
	glDisable(GL_FRAMEBUFFER_SRGB);
	glBindFramebuffer(GL_FRAMEBUFFER, picture);
	glDeleteFramebuffers(1, &framebuffer);
	glDeleteTextures(1, &texture);
}

/* Depth */

static void test_depth_clamp(void)
{
	static const GLfloat far_away[] = { -1, -1, 3, 1, -1, 3, -1, 1, 3, 1, 1, 3 };
	GLuint buffer = core_buffer(GL_ARRAY_BUFFER, sizeof(far_away), far_away), depth;
	GLfloat seen = 0;

	glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, 0, NULL);
	glGenRenderbuffers(1, &depth);
	glBindRenderbuffer(GL_RENDERBUFFER, depth);
	glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH32F_STENCIL8, CORE_SIZE, CORE_SIZE);
	glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_STENCIL_ATTACHMENT, GL_RENDERBUFFER,
				  depth);
	glClearDepth(1);
	glClear(GL_DEPTH_BUFFER_BIT);
	glEnable(GL_DEPTH_TEST);
	glDepthFunc(GL_LEQUAL);
	glDepthRange(0.25, 0.75);
	clear_black();
	use_color(1, 1, 1, 1);
	draw();
	tap(gl_pixel_is(3, 3, BLACK, 0), "what is too far is clipped");
	glEnable(GL_DEPTH_CLAMP);
	draw();
	glDisable(GL_DEPTH_CLAMP);
	glReadPixels(3, 3, 1, 1, GL_DEPTH_COMPONENT, GL_FLOAT, &seen);
	tap(gl_pixel_is(3, 3, WHITE, 0) && fabsf(seen - 0.75f) < 0.001f, "depth is clamped: %f",
	    seen);
	glDepthRange(0, 1);
	glDisable(GL_DEPTH_TEST);
	glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_STENCIL_ATTACHMENT, GL_RENDERBUFFER, 0);
	glDeleteRenderbuffers(1, &depth);
	glDeleteBuffers(1, &buffer);
	set_corners();
}

/* Formats */

static void test_formats(void)
{
	static const char show_source[] =
		"#version 330\n"
		"uniform sampler2D image;\n"
		"out vec4 result;\n"
		"void main() { result = texture(image, vec2(0.5)); }\n";
	static const struct {
		const char *name;
		GLenum internal, format, type;
		uint32_t texel[2];
		float values[4];
	} formats[] = {
		{ "R11F_G11F_B10F", GL_R11F_G11F_B10F, GL_RGB, GL_UNSIGNED_INT_10F_11F_11F_REV,
		  { 0x781e03c0, 0 }, { 1, 1, 1, 1 } },
		{ "RGB9_E5", GL_RGB9_E5, GL_RGB, GL_UNSIGNED_INT_5_9_9_9_REV,
		  { 16u << 27 | 64u << 18 | 128 << 9 | 256, 0 }, { 1, 0.5f, 0.25f, 1 } },
		{ "RGB10_A2", GL_RGB10_A2, GL_RGBA, GL_UNSIGNED_INT_2_10_10_10_REV,
		  { 1u << 30 | 1023 << 10, 0 }, { 0, 1, 0, 1 / 3.0f } },
		{ "RGBA8_SNORM", GL_RGBA8_SNORM, GL_RGBA, GL_BYTE, { 0x7f008140, 0 },
		  { 64 / 127.0f, -1, 0, 1 } },
		{ "RG16_SNORM", GL_RG16_SNORM, GL_RG, GL_SHORT, { 0x80017fff, 0 },
		  { 1, -1, 0, 1 } },
		{ "RGBA16F", GL_RGBA16F, GL_RGBA, GL_HALF_FLOAT, { 0xc0003c00, 0x3800bc00 },
		  { 1, -2, -1, 0.5f } },
		{ "RGB16F", GL_RGB16F, GL_RGB, GL_HALF_FLOAT, { 0xc0003c00, 0x3800 },
		  { 1, -2, 0.5f, 1 } },
		{ "R16", GL_R16, GL_RED, GL_UNSIGNED_SHORT, { 0xffff, 0 }, { 1, 0, 0, 1 } },
		{ "RGB5_A1", GL_RGB5_A1, GL_RGBA, GL_UNSIGNED_SHORT_5_5_5_1, { 0x003f, 0 },
		  { 0, 0, 1, 1 } },
		{ "SRGB8_ALPHA8", GL_SRGB8_ALPHA8, GL_RGBA, GL_UNSIGNED_BYTE, { 0x80bc00ff, 0 },
		  { 1, 0, 0.5029f, 0.502f } },
	};
	GLuint program = core_stages(core_position, NULL, show_source), target, framebuffer;

	target = texture_new(GL_RGBA32F, GL_RGBA, GL_FLOAT, 4, NULL);
	glGenFramebuffers(1, &framebuffer);
	glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
	glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, target, 0);
	glUseProgram(program);
	for (unsigned i = 0; i < LENGTH(formats); i++) {
		GLuint texture = texture_new(formats[i].internal, formats[i].format,
					     formats[i].type, 1, formats[i].texel);
		float seen[4] = { 0 };
		bool ok = true;

		glClear(GL_COLOR_BUFFER_BIT);
		draw();
		glReadPixels(1, 1, 1, 1, GL_RGBA, GL_FLOAT, seen);
		for (int c = 0; c < 4; c++)
			ok &= fabsf(seen[c] - formats[i].values[c]) < 0.002f;
		tap(ok, "%s: %f %f %f %f", formats[i].name, seen[0], seen[1], seen[2], seen[3]);
		glDeleteTextures(1, &texture);
	}
	glBindFramebuffer(GL_FRAMEBUFFER, picture);
	glDeleteFramebuffers(1, &framebuffer);
	glDeleteTextures(1, &target);
	glDeleteProgram(program);
}

/* Integer textures are drawn to, read and blitted. */
static void test_number_targets(void)
{
	static const char *const kinds[] = { "ivec4", "uvec4" };
	static const struct {
		const char *name;
		GLenum internal;
		bool is_unsigned;
		int64_t values[4];
	} targets[] = {
		{ "R8I", GL_R8I, false, { -100, 0, 0, 1 } },
		{ "RG8UI", GL_RG8UI, true, { 200, 100, 0, 1 } },
		{ "RGBA8I", GL_RGBA8I, false, { -100, 100, -1, 7 } },
		{ "RGB10_A2UI", GL_RGB10_A2UI, true, { 1000, 1023, 1, 3 } },
		{ "R16UI", GL_R16UI, true, { 60000, 0, 0, 1 } },
		{ "RGBA16I", GL_RGBA16I, false, { -30000, 30000, -1, 5 } },
		{ "R32I", GL_R32I, false, { -2000000000, 0, 0, 1 } },
		{ "RG32UI", GL_RG32UI, true, { 4000000000, 7, 0, 1 } },
		{ "RGBA32UI", GL_RGBA32UI, true, { 4000000000, 7, 1, 4294967295 } },
	};

	for (unsigned i = 0; i < LENGTH(targets); i++) {
		const bool is_unsigned = targets[i].is_unsigned;
		const GLenum format = GL_RGBA_INTEGER,
			     type = is_unsigned ? GL_UNSIGNED_INT : GL_INT;
		GLuint program, framebuffers[2], textures[2];
		char source[256];
		int32_t seen[4] = { 0 };
		bool ok = true;

		snprintf(source, sizeof(source),
			 "#version 330\n"
			 "out %s result;\n"
			 "void main() { result = %s(%ld%s, %ld%s, %ld%s, %ld%s); }\n",
			 kinds[is_unsigned], kinds[is_unsigned], (long)targets[i].values[0],
			 is_unsigned ? "u" : "", (long)targets[i].values[1], is_unsigned ? "u" : "",
			 (long)targets[i].values[2], is_unsigned ? "u" : "",
			 (long)targets[i].values[3], is_unsigned ? "u" : "");
		program = core_stages(core_position, NULL, source);
		glGenFramebuffers(2, framebuffers);
		for (int j = 1; j >= 0; j--) {
			textures[j] = texture_new(targets[i].internal, format, type, 8, NULL);
			glBindFramebuffer(GL_FRAMEBUFFER, framebuffers[j]);
			glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D,
					       textures[j], 0);
		}
		glUseProgram(program);
		draw();
		glBindFramebuffer(GL_DRAW_FRAMEBUFFER, framebuffers[1]);
		glBlitFramebuffer(0, 0, 8, 8, 8, 8, 0, 0, GL_COLOR_BUFFER_BIT, GL_NEAREST);
		glBindFramebuffer(GL_FRAMEBUFFER, framebuffers[1]);
		glReadPixels(3, 3, 1, 1, format, type, seen);
		for (int c = 0; c < 4; c++)
			ok &= seen[c] == (int32_t)targets[i].values[c];
		tap(ok, "%s: %d %d %d %d", targets[i].name, seen[0], seen[1], seen[2], seen[3]);
		glDeleteFramebuffers(2, framebuffers);
		glDeleteTextures(2, textures);
		glDeleteProgram(program);
	}
	glBindFramebuffer(GL_FRAMEBUFFER, picture);
}

static void test_swizzle(void)
{
	static const char show_source[] =
		"#version 330\n"
		"uniform sampler2D image;\n"
		"out vec4 result;\n"
		"void main() { result = texture(image, vec2(0.5)); }\n";
	static const GLint swizzle[] = { GL_ALPHA, GL_ONE, GL_RED, GL_ZERO };
	static const uint8_t texel[] = { 10, 20, 30, 40 };
	GLuint program = core_stages(core_position, NULL, show_source);
	GLuint texture = texture_new(GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, 1, texel);

	glTexParameteriv(GL_TEXTURE_2D, GL_TEXTURE_SWIZZLE_RGBA, swizzle);
	glUseProgram(program);
	draw();
	tap(gl_pixel_is(3, 3, 0x28ff0a00, 0), "a texture's channels are swapped");
	glDeleteTextures(1, &texture);
	glDeleteProgram(program);
}

static void test_mipmaps(void)
{
	static const char show_source[] =
		"#version 330\n"
		"uniform usampler2D numbers;\n"
		"uniform sampler2D image;\n"
		"out vec4 result;\n"
		"void main() { result = textureLod(image, vec2(0.5), 3.0); }\n";
	GLuint program = core_stages(core_position, NULL, show_source), texture;
	uint8_t texels[64][4];

	for (int i = 0; i < 64; i++)
		memset(texels[i], i % 2 ? 200 : 100, 4);
	texture = texture_new(GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, 8, texels);
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST_MIPMAP_NEAREST);
	glGenerateMipmap(GL_TEXTURE_2D);
	glUseProgram(program);
	draw();
	tap(gl_pixel_is(3, 3, 0x96969696, 1), "the last of the generated levels");
	glDeleteTextures(1, &texture);
	glDeleteProgram(program);
}

/* Attributes */

static void test_attributes(void)
{
	static const char attribute_source[] =
		"#version 330\n"
		"layout(location = 1) in vec4 packed_norm;\n"
		"layout(location = 2) in vec4 packed_plain;\n"
		"layout(location = 3) in ivec3 bytes;\n"
		"layout(location = 4) in uvec2 shorts;\n"
		"layout(location = 5) in vec2 halves;\n"
		"layout(location = 6) in mat2 matrix;\n"
		"layout(location = 9) in uvec4 constant;\n"
		"flat out ivec4 a, b;\n"
		"flat out vec4 c, d;\n"
		"void main() {\n"
		"	a = ivec4(bytes, int(constant.w));\n"
		"	b = ivec4(shorts, constant.xy);\n"
		"	c = packed_norm;\n"
		"	d = vec4(packed_plain.xw, halves.y, matrix[1][0]);\n"
		"	gl_Position = vec4(0, 0, 0, 1);\n"
		"}\n";
	static const char check_source[] =
		"#version 330\n"
		"flat in ivec4 a, b;\n"
		"flat in vec4 c, d;\n"
		"layout(location = 0) out ivec4 out_a;\n"
		"layout(location = 1) out ivec4 out_b;\n"
		"layout(location = 2) out vec4 out_c;\n"
		"layout(location = 3) out vec4 out_d;\n"
		"void main() { out_a = a; out_b = b; out_c = c; out_d = d; }\n";
	static const struct {
		uint32_t norm, plain;
		int8_t bytes[4];
		uint16_t shorts[2], halves[2];
		float matrix[4];
	} vertex = {
		2u << 30 | 512u << 20 | 0 << 10 | 511, 1u << 30 | 1000, { -128, 127, -1, 0 },
		{ 65535, 3 },
		{ 0x3c00, 0xc000 }, { 1, 2, 3, 4 },
	};
	static const GLenum all[] = { GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1,
				      GL_COLOR_ATTACHMENT2, GL_COLOR_ATTACHMENT3 };
	GLuint program = core_stages(attribute_source, NULL, check_source), array, buffer,
	       framebuffer, textures[4];
	int32_t a[4] = { 0 }, b[4] = { 0 };
	float c[4] = { 0 }, d[4] = { 0 };
	GLint old_array;

	glGetIntegerv(GL_VERTEX_ARRAY_BINDING, &old_array);
	glGenVertexArrays(1, &array);
	glBindVertexArray(array);
	glGenFramebuffers(1, &framebuffer);
	glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
	for (int i = 0; i < 4; i++) {
		textures[i] = i < 2 ? texture_new(GL_RGBA32I, GL_RGBA_INTEGER, GL_INT, 1, NULL) :
				      texture_new(GL_RGBA32F, GL_RGBA, GL_FLOAT, 1, NULL);
		glFramebufferTexture2D(GL_FRAMEBUFFER, all[i], GL_TEXTURE_2D, textures[i], 0);
	}
	glDrawBuffers(4, all);
	glViewport(0, 0, 1, 1);
	buffer = core_buffer(GL_ARRAY_BUFFER, sizeof(vertex), &vertex);
	glVertexAttribPointer(1, 4, GL_INT_2_10_10_10_REV, GL_TRUE, sizeof(vertex), (void *)0);
	glVertexAttribPointer(2, 4, GL_UNSIGNED_INT_2_10_10_10_REV, GL_FALSE, sizeof(vertex),
			      (void *)4);
	glVertexAttribIPointer(3, 3, GL_BYTE, sizeof(vertex), (void *)8);
	glVertexAttribIPointer(4, 2, GL_UNSIGNED_SHORT, sizeof(vertex), (void *)12);
	glVertexAttribPointer(5, 2, GL_HALF_FLOAT, GL_FALSE, sizeof(vertex), (void *)16);
	glVertexAttribPointer(6, 2, GL_FLOAT, GL_FALSE, sizeof(vertex), (void *)20);
	glVertexAttribPointer(7, 2, GL_FLOAT, GL_FALSE, sizeof(vertex), (void *)28);
	for (int i = 1; i < 8; i++)
		glEnableVertexAttribArray(i);
	glVertexAttribI4ui(9, 4000000000u, 2, 3, 0x80000000u);
	glUseProgram(program);
	glDrawArrays(GL_POINTS, 0, 1);
	glReadBuffer(all[0]);
	glReadPixels(0, 0, 1, 1, GL_RGBA_INTEGER, GL_INT, a);
	glReadBuffer(all[1]);
	glReadPixels(0, 0, 1, 1, GL_RGBA_INTEGER, GL_INT, b);
	glReadBuffer(all[2]);
	glReadPixels(0, 0, 1, 1, GL_RGBA, GL_FLOAT, c);
	glReadBuffer(all[3]);
	glReadPixels(0, 0, 1, 1, GL_RGBA, GL_FLOAT, d);
	tap(a[0] == -128 && a[1] == 127 && a[2] == -1, "bytes as integers: %d %d %d", a[0], a[1],
	    a[2]);
	tap(b[0] == 65535 && b[1] == 3, "shorts as integers: %d %d", b[0], b[1]);
	tap((uint32_t)a[3] == 0x80000000 && (uint32_t)b[2] == 4000000000u && b[3] == 2,
	    "a constant attribute of integers");
	tap(c[0] == 1.0f && fabsf(c[1]) < 0.002f && c[2] == -1.0f && c[3] == -1.0f,
	    "2_10_10_10, normalised: %f %f %f %f", c[0], c[1], c[2], c[3]);
	tap(d[0] == 1000.0f && d[1] == 1.0f, "2_10_10_10, not normalised: %f %f", d[0], d[1]);
	tap(d[2] == -2.0f && d[3] == 3.0f, "halves, and a matrix: %f %f", d[2], d[3]);
	glBindVertexArray(old_array);
	glBindFramebuffer(GL_FRAMEBUFFER, picture);
	glViewport(0, 0, CORE_SIZE, CORE_SIZE);
	glDeleteVertexArrays(1, &array);
	glDeleteBuffers(1, &buffer);
	glDeleteFramebuffers(1, &framebuffer);
	glDeleteTextures(4, textures);
	glDeleteProgram(program);
}

/* Each instance draws a column, coloured by attributes with several divisors. */
static void test_instances(void)
{
	static const char instance_source[] =
		"#version 330\n"
		"layout(location = 1) in float each;\n"
		"layout(location = 2) in float third;\n"
		"flat out vec4 shown;\n"
		"void main() {\n"
		"	shown = vec4(each, third, gl_InstanceID, 255) / 255.0;\n"
		"	gl_Position = vec4((float(gl_InstanceID) + 0.5) / 8.0 - 1.0, "
		"(float(gl_VertexID) + 0.5) / 8.0 - 1.0, 0, 1);\n"
		"}\n";
	static const char shown_source[] = "#version 330\n"
					   "flat in vec4 shown;\n"
					   "out vec4 result;\n"
					   "void main() { result = shown; }\n";
	static const float values[] = { 0, 10, 20, 30, 40, 50, 60, 70 };
	GLuint program = core_stages(instance_source, NULL, shown_source);
	GLuint buffer = core_buffer(GL_ARRAY_BUFFER, sizeof(values), values);
	bool ok = true;

	/* Both attributes come from one buffer, with the same stride. */
	glVertexAttribPointer(1, 1, GL_FLOAT, GL_FALSE, 4, NULL);
	glVertexAttribPointer(2, 1, GL_FLOAT, GL_FALSE, 4, NULL);
	glVertexAttribDivisor(1, 1);
	glVertexAttribDivisor(2, 3);
	glEnableVertexAttribArray(1);
	glEnableVertexAttribArray(2);
	clear_black();
	glUseProgram(program);
	glDrawArraysInstanced(GL_POINTS, 2, 3, 7);
	for (uint32_t i = 0; i < 7; i++)
		ok &= gl_pixel_is(i, 3, i * 10 << 24 | i / 3 * 10 << 16 | i << 8 | 255, 0);
	tap(ok, "attributes with divisors 1 and 3");
	tap(gl_pixel_is(2, 1, BLACK, 0) && gl_pixel_is(2, 5, BLACK, 0) &&
		    gl_pixel_is(7, 3, BLACK, 0) && gl_pixel_is(6, 2, 0x3c1406ff, 0),
	    "gl_VertexID begins with the first vertex");
	glDisableVertexAttribArray(1);
	glDisableVertexAttribArray(2);
	glDeleteBuffers(1, &buffer);
	glDeleteProgram(program);
}

/*
 * Returns the drawn pixels of the bottom row as bits; the positions of points come from
 * gl_VertexID.
 */
/*
 * A stride of 0: one value for all vertices, near the end of its buffer and past it, where the
 * device reads no words.
 */
static void test_no_stride(void)
{
	static const char vertex[] =
		"#version 330\n"
		"layout(location = 0) in vec4 vertex;\n"
		"layout(location = 1) in uint value;\n"
		"flat out uint seen;\n"
		"void main() {\n"
		"	seen = value;\n"
		"	gl_Position = vertex;\n"
		"}\n";
	static const char fragment[] =
		"#version 330\n"
		"flat in uint seen;\n"
		"layout(location = 0) out vec4 result;\n"
		"void main() { result = vec4(seen == 0x04030201u ? 0.0 : 1.0, 1.0, 0.0, 1.0); }\n";
	GLubyte bytes[32] = { [25] = 1, 2, 3, 4 };
	GLuint program = core_stages(vertex, NULL, fragment),
	       buffer = core_buffer(GL_ARRAY_BUFFER, sizeof(bytes), bytes);

	glUseProgram(program);
	glEnableVertexAttribArray(1);
	glVertexAttribIFormat(1, 1, GL_UNSIGNED_INT, 17);
	glVertexAttribBinding(1, 1);
	glBindVertexBuffer(1, buffer, 8, 0);
	draw();
	tap(gl_pixel_is(0, 0, 0x00ff00ff, 0), "a value that all vertices have, at an odd offset");
	glBindVertexBuffer(1, buffer, 1 << 28, 0);
	draw();
	glFinish();
	use_color(0, 0, 1, 1);
	glDisableVertexAttribArray(1);
	draw();
	tap(gl_pixel_is(0, 0, 0x0000ffff, 0), "one that begins past its buffer does no harm");
	glDeleteBuffers(1, &buffer);
	set_corners();
}

static uint32_t drawn_points(void)
{
	uint32_t mask = 0;

	for (int x = 0; x < CORE_SIZE; x++)
		mask |= (uint32_t)(gl_pixel(x, 0) == WHITE) << x;
	return mask;
}

static const char point_source[] =
	"#version 300 es\n"
	"void main() { gl_PointSize = 1.0; gl_Position = vec4((float(gl_VertexID) + "
	"0.5) / 8.0 - 1.0, -0.95, 0, 1); }\n";
static const char white_source[] =
	"#version 300 es\n"
	"precision highp float;\n"
	"out vec4 result;\n"
	"void main() { result = vec4(1.0); }\n";

static void test_base_vertex(void)
{
	static const GLushort indices[] = { 0, 1, 4 };
	GLuint program = core_stages(point_source, NULL, white_source);
	GLuint buffer = core_buffer(GL_ELEMENT_ARRAY_BUFFER, sizeof(indices), indices);
	uint32_t seen;

	glUseProgram(program);
	clear_black();
	glDrawElementsBaseVertex(GL_POINTS, 3, GL_UNSIGNED_SHORT, NULL, 5);
	seen = drawn_points();
	tap(seen == (1 << 5 | 1 << 6 | 1 << 9), "gl_VertexID has the base vertex: %#x", seen);
	glDeleteBuffers(1, &buffer);
	glDeleteProgram(program);
}

/* Draws lines from one index to the next, but not across a restart. */
static void test_restart(GLenum capability, GLenum type, uint32_t restart, const char *name)
{
	const uint32_t numbers[] = { 1, 4, restart, 8, 11 };
	uint8_t indices[20];
	const int size = type == GL_UNSIGNED_INT ? 4 : type == GL_UNSIGNED_SHORT ? 2 : 1;
	GLuint program = core_stages(point_source, NULL, white_source), buffer;
	uint32_t seen;

	for (int i = 0; i < 5; i++)
		memcpy(indices + i * size, &numbers[i], size);
	buffer = core_buffer(GL_ELEMENT_ARRAY_BUFFER, 5 * size, indices);
	glUseProgram(program);
	glEnable(capability);
	if (capability == GL_PRIMITIVE_RESTART)
		glPrimitiveRestartIndex(restart);
	clear_black();
	glDrawElements(GL_LINE_STRIP, 5, type, NULL);
	glDisable(capability);
	seen = drawn_points();
	/* The last pixel of a line is not drawn (OpenGL 4.6, 14.5.1). */
	tap(seen == (7 << 1 | 7 << 8), "%s: lines end at index %#x: %#x", name, restart, seen);
	glDeleteBuffers(1, &buffer);
	glDeleteProgram(program);
}

static void test_interpolation(void)
{
	static const char varying_source[] =
		"#version 330\n"
		"smooth out float smooth_x; noperspective out float plain_x; flat out int flat_x; "
		"centroid out float middle_x;\n"
		"void main() {\n"
		"	int i = gl_VertexID;\n"
		"	float w = (i & 1) == 0 ? 1.0 : 4.0;\n"
		"	smooth_x = plain_x = middle_x = float(i & 1);\n"
		"	flat_x = i;\n"
		"	gl_Position = vec4(vec2((i & 1) * 2 - 1, (i >> 1) * 2 - 1) * w, 0, w);\n"
		"}\n";
	static const char varied_source[] =
		"#version 330\n"
		"smooth in float smooth_x; noperspective in float plain_x; flat in int flat_x; "
		"centroid in float middle_x;\n"
		"out vec4 result;\n"
		"void main() { result = vec4(smooth_x, plain_x, float(flat_x) / 255.0, "
		"middle_x); }\n";
	GLuint program = core_stages(varying_source, NULL, varied_source);
	const float x = 8.5f / CORE_SIZE, smooth_x = (x / 4) / ((1 - x) + x / 4);
	const uint32_t s = lroundf(smooth_x * 255), p = lroundf(x * 255);

	glUseProgram(program);
	clear_black();
	draw();
	tap(gl_pixel_is(8, 1, s << 24 | p << 16 | 2 << 8 | s, 1),
	    "interpolation with and without perspective, and none");
	glDeleteProgram(program);
}

/* A compressed format that only OpenGL ES has natively, with a block of one colour. */
static void test_etc2(void)
{
	static const char show_source[] =
		"#version 300 es\n"
		"precision highp float;\n"
		"uniform sampler2D image;\n"
		"out vec4 result;\n"
		"void main() { result = texture(image, vec2(0.5)); }\n";
	static const char es_vertex[] = "#version 300 es\n"
					"in vec4 vertex;\n"
					"void main() { gl_Position = vertex; }\n";
	/*
	 * Individual mode: base colours of four bits, and modifiers of the first table, which add
	 * 2.
	 */
	static const uint8_t block[] = { 0xff, 0x88, 0x00, 0x00, 0, 0, 0, 0 };
	GLuint program = core_stages(es_vertex, NULL, show_source), texture;

	glGenTextures(1, &texture);
	glBindTexture(GL_TEXTURE_2D, texture);
	glCompressedTexImage2D(GL_TEXTURE_2D, 0, GL_COMPRESSED_RGB8_ETC2, 4, 4, 0, sizeof(block),
			       block);
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
	glUseProgram(program);
	draw();
	tap(gl_pixel_is(3, 3, 0xff8a02ff, 0), "ES 3.0: a texture of ETC2");
	glDeleteTextures(1, &texture);
	glDeleteProgram(program);
}

/* Minimum values that the specifications demand. */
static void test_limits(bool es)
{
	static const struct {
		const char *name;
		GLenum what;
		GLint gl, es;
	} limits[] = {
#define LIMIT(name, gl, es) { #name, GL_##name, gl, es }
		LIMIT(MAX_TEXTURE_SIZE, 1024, 2048), LIMIT(MAX_3D_TEXTURE_SIZE, 256, 256),
		LIMIT(MAX_CUBE_MAP_TEXTURE_SIZE, 1024, 2048),
		LIMIT(MAX_ARRAY_TEXTURE_LAYERS, 256, 256), LIMIT(MAX_RENDERBUFFER_SIZE, 1024, 2048),
		LIMIT(MAX_DRAW_BUFFERS, 8, 4), LIMIT(MAX_COLOR_ATTACHMENTS, 8, 4),
		LIMIT(MAX_SAMPLES, 4, 4), LIMIT(MAX_VERTEX_ATTRIBS, 16, 16),
		LIMIT(MAX_VERTEX_UNIFORM_COMPONENTS, 1024, 1024),
		LIMIT(MAX_FRAGMENT_UNIFORM_COMPONENTS, 1024, 896),
		LIMIT(MAX_VERTEX_UNIFORM_BLOCKS, 12, 12),
		LIMIT(MAX_FRAGMENT_UNIFORM_BLOCKS, 12, 12),
		LIMIT(MAX_COMBINED_UNIFORM_BLOCKS, 36, 24),
		LIMIT(MAX_UNIFORM_BUFFER_BINDINGS, 36, 24),
		LIMIT(MAX_UNIFORM_BLOCK_SIZE, 16384, 16384),
		LIMIT(MAX_VERTEX_OUTPUT_COMPONENTS, 64, 64),
		LIMIT(MAX_FRAGMENT_INPUT_COMPONENTS, 128, 60),
		LIMIT(MAX_VARYING_COMPONENTS, 60, 60), LIMIT(MAX_TEXTURE_IMAGE_UNITS, 16, 16),
		LIMIT(MAX_VERTEX_TEXTURE_IMAGE_UNITS, 16, 16),
		LIMIT(MAX_COMBINED_TEXTURE_IMAGE_UNITS, 48, 32),
		LIMIT(MAX_PROGRAM_TEXEL_OFFSET, 7, 7),
		LIMIT(MAX_TRANSFORM_FEEDBACK_SEPARATE_ATTRIBS, 4, 4),
		LIMIT(MAX_TRANSFORM_FEEDBACK_SEPARATE_COMPONENTS, 4, 4),
		LIMIT(MAX_TRANSFORM_FEEDBACK_INTERLEAVED_COMPONENTS, 64, 64),
		LIMIT(MAX_CLIP_DISTANCES, 8, 0), LIMIT(MAX_TEXTURE_BUFFER_SIZE, 65536, 0),
		LIMIT(MAX_RECTANGLE_TEXTURE_SIZE, 1024, 0),
		LIMIT(MAX_GEOMETRY_UNIFORM_BLOCKS, 12, 0),
		LIMIT(MAX_GEOMETRY_INPUT_COMPONENTS, 64, 0),
		LIMIT(MAX_GEOMETRY_OUTPUT_COMPONENTS, 128, 0),
		LIMIT(MAX_GEOMETRY_OUTPUT_VERTICES, 256, 0),
		LIMIT(MAX_GEOMETRY_TOTAL_OUTPUT_COMPONENTS, 1024, 0),
		LIMIT(MAX_GEOMETRY_TEXTURE_IMAGE_UNITS, 16, 0),
		LIMIT(MAX_GEOMETRY_UNIFORM_COMPONENTS, 512, 0), LIMIT(MAX_SAMPLE_MASK_WORDS, 1, 0),
		LIMIT(MAX_COLOR_TEXTURE_SAMPLES, 1, 0), LIMIT(MAX_DEPTH_TEXTURE_SAMPLES, 1, 0),
		LIMIT(MAX_INTEGER_SAMPLES, 1, 0), LIMIT(MAX_DUAL_SOURCE_DRAW_BUFFERS, 1, 0),
#undef LIMIT
	};

	for (unsigned i = 0; i < LENGTH(limits); i++) {
		const GLint least = es ? limits[i].es : limits[i].gl;
		GLint value = 0;

		if (!least)
			continue;
		glGetIntegerv(limits[i].what, &value);
		tap(value >= least, "%s%s: %d", es ? "ES 3.0: " : "", limits[i].name, value);
	}
}

static void test_es3(void)
{
	static const char es_vertex[] =
		"#version 300 es\n"
		"layout(std140) uniform Place { mat4 m; } place;\n"
		"in vec4 vertex;\n"
		"flat out uint number;\n"
		"void main() { number = uint(gl_InstanceID) + packUnorm2x16(vec2(0.0, 1.0)); "
		"gl_Position = place.m * vertex; }\n";
	static const char es_fragment[] =
		"#version 300 es\n"
		"precision highp float;\n"
		"flat in uint number;\n"
		"uniform highp sampler2DArray layers;\n"
		"layout(location = 0) out vec4 color;\n"
		"layout(location = 1) out uint word;\n"
		"void main() { color = texelFetch(layers, ivec3(0, 0, 1), 0); word = number; }\n";
	static const float place[16] = { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1 };
	static const uint8_t texels[] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	static const GLenum both[] = { GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1 };
	GLuint program = core_stages(es_vertex, NULL, es_fragment), numbers, layers;
	GLint bound;
	GLuint word[4] = { 0 };

	glGetIntegerv(GL_FRAMEBUFFER_BINDING, &bound);
	glUseProgram(program);
	numbers = texture_new(GL_R32UI, GL_RED_INTEGER, GL_UNSIGNED_INT, CORE_SIZE, NULL);
	glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT1, GL_TEXTURE_2D, numbers, 0);
	glDrawBuffers(2, both);
	glGenTextures(1, &layers);
	glBindTexture(GL_TEXTURE_2D_ARRAY, layers);
	glTexStorage3D(GL_TEXTURE_2D_ARRAY, 1, GL_RGBA8, 1, 1, 2);
	glTexSubImage3D(GL_TEXTURE_2D_ARRAY, 0, 0, 0, 0, 1, 1, 2, GL_RGBA, GL_UNSIGNED_BYTE,
			texels);
	glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
	core_buffer(GL_UNIFORM_BUFFER, sizeof(place), place);
	glBindBufferBase(GL_UNIFORM_BUFFER, 0,
			 core_buffer(GL_UNIFORM_BUFFER, sizeof(place), place));
	corner_buffer = core_buffer(GL_ARRAY_BUFFER, sizeof(corners), corners);
	set_corners();
	glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, 3);
	glReadBuffer(GL_COLOR_ATTACHMENT1);
	glReadPixels(3, 3, 1, 1, GL_RGBA_INTEGER, GL_UNSIGNED_INT, word);
	glReadBuffer(GL_COLOR_ATTACHMENT0);
	tap(gl_pixel_is(3, 3, 0x05060708, 0) && word[0] == 0xffff0002, "ES 3.0: %08x", word[0]);
	test_limits(true);
	glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT1, GL_TEXTURE_2D, 0, 0);
	glDrawBuffers(1, both);
	test_etc2();
	glDisableVertexAttribArray(0);
	test_restart(GL_PRIMITIVE_RESTART_FIXED_INDEX, GL_UNSIGNED_BYTE, 0xff, "ES 3.0, bytes");
	test_restart(GL_PRIMITIVE_RESTART_FIXED_INDEX, GL_UNSIGNED_SHORT, 0xffff, "ES 3.0, shorts");
	test_restart(GL_PRIMITIVE_RESTART_FIXED_INDEX, GL_UNSIGNED_INT, 0xffffffff,
		     "ES 3.0, words");
	tap(core_no_error(), "ES 3.0: there is no error to tell");
}

int main(void)
{
	GLint bound;

	core_open();
	glGetIntegerv(GL_FRAMEBUFFER_BINDING, &bound);
	picture = bound;
	corner_buffer = core_buffer(GL_ARRAY_BUFFER, sizeof(corners), corners);
	color_program = core_stages(core_position, NULL, color_source);
	set_corners();
	test_limits(false);
	test_two_sources();
	test_several_buffers();
	test_srgb();
	test_depth_clamp();
	test_formats();
	test_number_targets();
	test_swizzle();
	test_mipmaps();
	test_attributes();
	test_instances();
	test_no_stride();
	test_base_vertex();
	test_restart(GL_PRIMITIVE_RESTART, GL_UNSIGNED_SHORT, 0xffff, "shorts");
	test_restart(GL_PRIMITIVE_RESTART, GL_UNSIGNED_SHORT, 77, "shorts");
	test_restart(GL_PRIMITIVE_RESTART, GL_UNSIGNED_INT, 77, "words");
	test_interpolation();
	tap(core_no_error(), "there is no error to tell");
	gl_close();
	es3_open();
	test_es3();
	gl_close();
	return tap_failures() != 0;
}
