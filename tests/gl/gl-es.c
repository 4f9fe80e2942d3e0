// SPDX-License-Identifier: MIT
/*
 * Extensions of OpenGL ES: one behaviour of each, in a context without a surface
 * (GL_OES_surfaceless_context). Prints TAP.
 */
#include "gl-core.h"

#include <stdlib.h>
#include <string.h>

#define GREEN 0x00ff00ff
#define RED 0xff0000ff

static void APIENTRY (*bounding_box)(GLfloat, GLfloat, GLfloat, GLfloat, GLfloat, GLfloat, GLfloat,
				     GLfloat);

/* Shaders, which draw green on success */

#define ES310 "#version 310 es\n"
#define USE(name) "#extension " name ": require\n"
#define FRAGMENT(name, declarations, condition)				\
	ES310 USE(name)							\
	"precision highp float;\n"					\
	"in vec2 place;\n"						\
	"out vec4 result;\n"						\
	declarations							\
	"void main() { result = " condition " ? vec4(0, 1, 0, 1) : vec4(1, 0, 0, 1); }\n"

static const char plain_vertex[] = ES310
	"in vec2 vertex;\n"
	"out vec2 place;\n"
	"void main() { place = vertex; gl_Position = vec4(vertex, 0.0, 1.0); }\n";

/* In the right half, w is three times as large. */
static const char deep_vertex[] = ES310 USE("GL_NV_shader_noperspective_interpolation")
	"in vec2 vertex;\n"
	"noperspective out float flat_place;\n"
	"out float place;\n"
	"void main() {\n"
	"	place = flat_place = vertex.x;\n"
	"	gl_Position = vec4(vertex, 0.0, 1.0) * (vertex.x > 0.0 ? 3.0 : 1.0);\n"
	"}\n";

static const char deep_fragment[] = ES310 USE("GL_NV_shader_noperspective_interpolation")
	"precision highp float;\n"
	"noperspective in float flat_place;\n"
	"in float place;\n"
	"out vec4 result;\n"
	"void main() {\n"
	"	float x = gl_FragCoord.x / 8.0 - 1.0;\n"
	"	bool right = abs(flat_place - x) < 0.01 && abs(place - x) > 0.2;\n"
	"	result = right ? vec4(0, 1, 0, 1) : vec4(1, 0, 0, 1);\n"
	"}\n";

#define BLOCK_VERTEX(name) ES310 USE(name)				\
	"in vec2 vertex;\n"						\
	"out Block { vec4 one; vec2 two[2]; } block;\n"			\
	"void main() {\n"						\
	"	block.one = vec4(0, 1, 0, 1); "				\
	"block.two[0] = vec2(1, 2); block.two[1] = vec2(3, 4);\n"	\
	"	gl_Position = vec4(vertex, 0.0, 1.0);\n"		\
	"}\n"
#define BLOCK_FRAGMENT(name) ES310 USE(name)				\
	"precision highp float;\n"					\
	"in Block { vec4 one; vec2 two[2]; } block;\n"			\
	"out vec4 result;\n"						\
	"void main() { result = block.two[1] == vec2(3, 4) ? block.one : vec4(1, 0, 0, 1); }\n"

#define FIVE(name) { name, plain_vertex, NULL, FRAGMENT(name,		\
	"uniform int zero;\n",						\
	"(fma(2.0, 3.0, float(zero) + 1.0) == 7.0 && bitfieldExtract(0xf0 + zero, 4, 4) == -1 &&" \
	" bitCount(0xf1 + zero) == 5 && findMSB(0x100 + zero) == 8)") }
#define BLOCKS(name) { name, BLOCK_VERTEX(name), NULL, BLOCK_FRAGMENT(name) }

/* A point in the middle that covers the whole picture. */
#define POINT_GEOMETRY(name) ES310 USE("GL_EXT_geometry_shader") USE(name) \
	"layout(triangles) in;\n"					\
	"layout(points, max_vertices = 1) out;\n"			\
	"void main() {\n"						\
	"	gl_Position = vec4(0, 0, 0, 1); gl_PointSize = 20.0; "	\
	"EmitVertex(); EndPrimitive();\n"				\
	"}\n"
#define GREEN_FRAGMENT ES310						\
	"precision highp float;\n"					\
	"out vec4 result;\n"						\
	"void main() { result = vec4(0, 1, 0, 1); }\n"
#define POINTS(name) { name, plain_vertex, POINT_GEOMETRY(name), GREEN_FRAGMENT }

static const struct {
	const char *extension, *vertex, *geometry, *fragment;
} shaders[] = {
	FIVE("GL_EXT_gpu_shader5"),
	FIVE("GL_OES_gpu_shader5"),
	BLOCKS("GL_EXT_shader_io_blocks"),
	BLOCKS("GL_OES_shader_io_blocks"),
	POINTS("GL_EXT_geometry_point_size"),
	POINTS("GL_OES_geometry_point_size"),
	{ "GL_NV_shader_noperspective_interpolation", deep_vertex, NULL, deep_fragment },
	{ "GL_EXT_shader_implicit_conversions", plain_vertex, NULL,
	  FRAGMENT("GL_EXT_shader_implicit_conversions", "uniform int zero;\n",
		   "(1.5 * (zero + 2) == 3.0 && (zero + 5) + 1u == 6u)") },
	{ "GL_EXT_shader_group_vote", plain_vertex, NULL,
	  FRAGMENT("GL_EXT_shader_group_vote", "",
		   "(anyInvocationEXT(true) && !anyInvocationEXT(false) && "
		   "allInvocationsEXT(true) && allInvocationsEqualEXT(true))") },
	{ "GL_OES_shader_multisample_interpolation", plain_vertex, NULL,
	  FRAGMENT("GL_OES_shader_multisample_interpolation", "",
		   "(abs(interpolateAtOffset(place, vec2(0.25, 0)).x - place.x - 0.03125) < "
		   "0.001 && interpolateAtCentroid(place) == place)") },
	{ "GL_EXT_texture_query_lod", plain_vertex, NULL,
	  FRAGMENT("GL_EXT_texture_query_lod", "uniform sampler2D image;\n",
		   "(abs(textureQueryLOD(image, place * 4.0).y - 5.0) < 0.01)") },
	{ "GL_ANDROID_extension_pack_es31a", plain_vertex, NULL,
	  FRAGMENT("GL_ANDROID_extension_pack_es31a", "uniform highp samplerBuffer texels;\n",
		   "(textureSize(texels) >= 0 && fma(2.0, 3.0, 1.0) == 7.0)") },
	{ "GL_OES_standard_derivatives",
	  "attribute vec2 vertex; void main() { gl_Position = vec4(vertex, 0.0, 1.0); }\n", NULL,
	  USE("GL_OES_standard_derivatives")
	  "precision highp float;\n"
	  "void main() {\n"
	  "	bool right = dFdx(gl_FragCoord.x) == 1.0 && abs(dFdy(gl_FragCoord.y)) == 1.0;\n"
	  "	gl_FragColor = right ? vec4(0, 1, 0, 1) : vec4(1, 0, 0, 1);\n"
	  "}\n" },
};

static void draw_all(void)
{
	glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

static void test_shaders(void)
{
	gl_texture_new(64, GREEN);
	glGenerateMipmap(GL_TEXTURE_2D);
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST_MIPMAP_NEAREST);
	for (size_t i = 0; i < sizeof(shaders) / sizeof(shaders[0]); i++) {
		glClearColor(0, 0, 1, 1);
		glClear(GL_COLOR_BUFFER_BIT);
		glUseProgram(
			core_stages(shaders[i].vertex, shaders[i].geometry, shaders[i].fragment));
		draw_all();
		tap(gl_pixel_is(9, 4, GREEN, 0) && core_no_error(), "%s", shaders[i].extension);
	}
}

/* Tessellation: GL_EXT_tessellation_point_size, GL_OES_tessellation_point_size */

static void test_tessellated_points(const char *extension)
{
	static const char vertex[] = ES310
		"in vec2 vertex;\n"
		"void main() { gl_Position = vec4(vertex, 0.0, 1.0); }\n";
	char evaluation[512] = ES310 USE("GL_EXT_tessellation_shader") "#extension ";
	struct core_shader stages[] = {
		{ GL_VERTEX_SHADER, vertex }, { GL_TESS_CONTROL_SHADER, NULL },
		{ GL_TESS_EVALUATION_SHADER, evaluation },
		{ GL_FRAGMENT_SHADER, GREEN_FRAGMENT }, { 0 },
	};

	stages[1].source = ES310 USE("GL_EXT_tessellation_shader")
		"layout(vertices = 1) out;\n"
		"void main() {\n"
		"	gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = 1.0;\n"
		"}\n";
	strcat(evaluation, extension);
	strcat(evaluation, ": require\n"
	       "layout(isolines, point_mode) in;\n"
	       "void main() { gl_Position = vec4(0, 0, 0, 1); gl_PointSize = 20.0; }\n");
	glClear(GL_COLOR_BUFFER_BIT);
	glUseProgram(core_link(stages, 0, NULL, 0));
	glPatchParameteri(GL_PATCH_VERTICES, 1);
	glDrawArrays(GL_PATCHES, 0, 1);
	tap(gl_pixel_is(4, 12, GREEN, 0) && core_no_error(), "%s", extension);
}

/* glReadPixels(): GL_EXT_read_format_bgra, GL_ANGLE_pack_reverse_row_order, GL_NV_pack_subimage */

static void test_reads(void)
{
	uint8_t pixels[4][4][4] = { 0 };

	glDisable(GL_DITHER);
	gl_fill(0, 0, 2, 2, 0x10203040);
	gl_fill(0, 1, 2, 1, 0x50607080);
	glReadPixels(0, 0, 1, 1, GL_BGRA_EXT, GL_UNSIGNED_BYTE, pixels);
	tap(!memcmp(pixels, "\x30\x20\x10\x40", 4) && core_no_error(), "GL_EXT_read_format_bgra");
	glPixelStorei(GL_PACK_REVERSE_ROW_ORDER_ANGLE, GL_TRUE);
	glReadPixels(0, 0, 1, 2, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
	glPixelStorei(GL_PACK_REVERSE_ROW_ORDER_ANGLE, GL_FALSE);
	tap(!memcmp(pixels, "\x50\x60\x70\x80\x10\x20\x30\x40", 8) && core_no_error(),
	    "GL_ANGLE_pack_reverse_row_order");
	memset(pixels, 0, sizeof(pixels));
	glPixelStorei(GL_PACK_ROW_LENGTH, 4);
	glPixelStorei(GL_PACK_SKIP_PIXELS, 1);
	glPixelStorei(GL_PACK_SKIP_ROWS, 2);
	glReadPixels(0, 0, 1, 2, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
	glPixelStorei(GL_PACK_ROW_LENGTH, 0);
	glPixelStorei(GL_PACK_SKIP_PIXELS, 0);
	glPixelStorei(GL_PACK_SKIP_ROWS, 0);
	tap(pixels[2][1][0] == 0x10 && pixels[3][1][0] == 0x50 && !pixels[0][0][0] &&
		    !pixels[2][0][0] && !pixels[2][2][0] && core_no_error(),
	    "GL_NV_pack_subimage");
}

static GLuint attached(GLenum attachment, GLenum format)
{
	GLuint renderbuffer;

	glGenRenderbuffers(1, &renderbuffer);
	glBindRenderbuffer(GL_RENDERBUFFER, renderbuffer);
	glRenderbufferStorage(GL_RENDERBUFFER, format, CORE_SIZE, CORE_SIZE);
	glFramebufferRenderbuffer(GL_FRAMEBUFFER, attachment, GL_RENDERBUFFER, renderbuffer);
	return renderbuffer;
}

/* GL_NV_read_depth, GL_NV_read_stencil, GL_NV_read_depth_stencil */
static void test_depth_reads(void)
{
	GLuint buffer = attached(GL_DEPTH_STENCIL_ATTACHMENT, GL_DEPTH24_STENCIL8), both[4] = { 0 };
	GLubyte stencils[4] = { 0 };
	GLuint depths[4] = { 0 };

	glClearDepthf(0.25f);
	glClearStencil(0x5a);
	glClear(GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
	glReadPixels(3, 3, 2, 2, GL_DEPTH_COMPONENT, GL_UNSIGNED_INT, depths);
	tap(core_no_error() && labs((long)depths[3] - 0x40000000) < 512, "GL_NV_read_depth");
	glPixelStorei(GL_PACK_ALIGNMENT, 1);
	glReadPixels(3, 3, 2, 2, GL_STENCIL_INDEX_OES, GL_UNSIGNED_BYTE, stencils);
	glPixelStorei(GL_PACK_ALIGNMENT, 4);
	tap(stencils[3] == 0x5a && core_no_error(), "GL_NV_read_stencil");
	glReadPixels(3, 3, 2, 2, GL_DEPTH_STENCIL, GL_UNSIGNED_INT_24_8, both);
	tap((both[3] & 0xff) == 0x5a && labs((long)(both[3] >> 8) - 0x400000) < 2 &&
		    core_no_error(),
	    "GL_NV_read_depth_stencil");
	glDeleteRenderbuffers(1, &buffer);
}

/* A stencil buffer without depth masks the left half of the picture. */
static void test_stencil8(void)
{
	GLuint buffer = attached(GL_STENCIL_ATTACHMENT, GL_STENCIL_INDEX8);

	glClearStencil(0);
	glClear(GL_STENCIL_BUFFER_BIT);
	glEnable(GL_SCISSOR_TEST);
	glScissor(0, 0, CORE_SIZE / 2, CORE_SIZE);
	glClearStencil(1);
	glClear(GL_STENCIL_BUFFER_BIT);
	glDisable(GL_SCISSOR_TEST);
	gl_fill(0, 0, CORE_SIZE, CORE_SIZE, RED);
	glEnable(GL_STENCIL_TEST);
	glStencilFunc(GL_EQUAL, 1, 0xff);
	glUseProgram(core_stages(plain_vertex, NULL, GREEN_FRAGMENT));
	draw_all();
	glDisable(GL_STENCIL_TEST);
	tap(gl_pixel_is(7, 7, GREEN, 0) && gl_pixel_is(8, 7, RED, 0) && core_no_error(),
	    "GL_OES_stencil8");
	glDeleteRenderbuffers(1, &buffer);
}

/* Depth and bounding boxes */

/* GL_EXT_conservative_depth */
static void test_conservative_depth(void)
{
	static const char fragment[] = ES310 USE("GL_EXT_conservative_depth")
		"precision highp float;\n"
		"layout(depth_less) out highp float gl_FragDepth;\n"
		"out vec4 result;\n"
		"void main() {\n"
		"	gl_FragDepth = gl_FragCoord.x < 8.0 ? gl_FragCoord.z * 0.5 : "
		"gl_FragCoord.z;\n"
		"	result = vec4(0, 1, 0, 1);\n"
		"}\n";
	GLuint buffer = attached(GL_DEPTH_ATTACHMENT, GL_DEPTH_COMPONENT24);

	glClearDepthf(0.4f);
	glClear(GL_DEPTH_BUFFER_BIT);
	gl_fill(0, 0, CORE_SIZE, CORE_SIZE, RED);
	glEnable(GL_DEPTH_TEST);
	glUseProgram(core_stages(plain_vertex, NULL, fragment));
	draw_all();
	glDisable(GL_DEPTH_TEST);
	tap(gl_pixel_is(7, 7, GREEN, 0) && gl_pixel_is(8, 7, RED, 0) && core_no_error(),
	    "GL_EXT_conservative_depth");
	glDeleteRenderbuffers(1, &buffer);
}

/* A primitive that is inside its bounding box is drawn as without one. */
static void test_bounding_box(const char *extension, const char *function)
{
	GLfloat box[8] = { 0 };

	bounding_box = (void *)eglGetProcAddress(function);
	bounding_box(-1, -1, -1, 1, 1, 1, 1, 2);
	glGetFloatv(GL_PRIMITIVE_BOUNDING_BOX_EXT, box);
	gl_fill(0, 0, CORE_SIZE, CORE_SIZE, RED);
	glUseProgram(core_stages(plain_vertex, NULL, GREEN_FRAGMENT));
	draw_all();
	tap(box[3] == 1 && box[7] == 2 && gl_pixel_is(15, 15, GREEN, 0) && core_no_error(), "%s",
	    extension);
}

/* Textures */

static const char texture_fragment[] = ES310
	"precision highp float;\n"
	"uniform sampler2D image;\n"
	"uniform vec2 at;\n"
	"uniform float level;\n"
	"out vec4 result;\n"
	"void main() { result = textureLod(image, at, level); }\n";

/* Returns true if the program above samples @color from the bound texture. */
static bool sampled(float s, float t, float level, uint32_t color)
{
	static GLuint program;

	if (!program)
		program = core_stages(plain_vertex, NULL, texture_fragment);
	glUseProgram(program);
	glUniform2f(glGetUniformLocation(program, "at"), s, t);
	glUniform1f(glGetUniformLocation(program, "level"), level);
	draw_all();
	return gl_pixel_is(6, 6, color, 1) && core_no_error();
}

static void texture_new(void)
{
	GLuint texture;

	glGenTextures(1, &texture);
	glBindTexture(GL_TEXTURE_2D, texture);
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
}

/*
 * Blocks of one colour: both halves have the same base colour, and every texel has entry 0 of the
 * table, which adds 2.
 */
static void test_etc1(void)
{
	static const GLubyte grey[8] = { 0x80, 0x80, 0x80, 0x02 },
			     red[8] = { 0x80, 0x00, 0x00, 0x02 };
	GLubyte blocks[4][8];

	for (int i = 0; i < 4; i++)
		memcpy(blocks[i], grey, 8);
	texture_new();
	glCompressedTexImage2D(GL_TEXTURE_2D, 0, GL_ETC1_RGB8_OES, 8, 8, 0, sizeof(blocks), blocks);
	glCompressedTexSubImage2D(GL_TEXTURE_2D, 0, 4, 0, 4, 4, GL_ETC1_RGB8_OES, sizeof(red), red);
	tap(sampled(0.2f, 0.2f, 0, 0x868686ff) && sampled(0.7f, 0.2f, 0, 0x860202ff) &&
		    sampled(0.7f, 0.7f, 0, 0x868686ff),
	    "GL_EXT_compressed_ETC1_RGB8_sub_texture");
}

/* 16 of 31 is 132 of 255 in sRGB, which is 0.2307 in linear space. */
static void test_s3tc_srgb(void)
{
	static const GLubyte block[8] = { 0x00, 0x80, 0x00, 0x80 };

	texture_new();
	glCompressedTexImage2D(GL_TEXTURE_2D, 0, 0x8c4c /* COMPRESSED_SRGB_S3TC_DXT1 */, 4, 4, 0,
			       sizeof(block), block);
	tap(sampled(0.5f, 0.5f, 0, 0x3b0000ff), "GL_EXT_texture_compression_s3tc_srgb");
}

/* Three texels. Coordinates beyond them mirror once, and are then clamped to the last texel. */
static void test_mirror_clamp(void)
{
	static const GLubyte texels[] = { 10, 0, 0, 255, 20, 0, 0, 255, 30, 0, 0, 255 };

	texture_new();
	glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 3, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_MIRROR_CLAMP_TO_EDGE);
	tap(sampled(-0.2f, 0.5f, 0, 0x0a0000ff) && sampled(-0.5f, 0.5f, 0, 0x140000ff) &&
		    sampled(-7, 0.5f, 0, 0x1e0000ff) && sampled(7, 0.5f, 0, 0x1e0000ff),
	    "GL_EXT_texture_mirror_clamp_to_edge");
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_REPEAT);
	tap(sampled(1.2f, 0.5f, 0, 0x0a0000ff) && sampled(-0.2f, 0.5f, 0, 0x1e0000ff),
	    "GL_OES_texture_npot");
}

static void test_bgra(void)
{
	static const GLubyte texel[] = { 10, 20, 30, 40 };

	texture_new();
	glTexImage2D(GL_TEXTURE_2D, 0, GL_BGRA_EXT, 1, 1, 0, GL_BGRA_EXT, GL_UNSIGNED_BYTE, texel);
	tap(sampled(0.5f, 0.5f, 0, 0x1e140a28), "GL_MESA_bgra");
}

/* Mipmaps of sRGB textures are averaged in linear space: half of 1 is 188 of 255. */
static void test_srgb_mipmap(void)
{
	static const GLubyte texels[] = { 255, 255, 255, 255, 0, 0, 0, 255,
					  0, 0, 0, 255, 255, 255, 255, 255 };

	texture_new();
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST_MIPMAP_NEAREST);
	glTexImage2D(GL_TEXTURE_2D, 0, GL_SRGB8_ALPHA8, 2, 2, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
	glGenerateMipmap(GL_TEXTURE_2D);
	tap(sampled(0.5f, 0.5f, 1, 0x7f7f7fff), "GL_NV_generate_mipmap_sRGB");
}

static void test_render_mipmap(void)
{
	GLuint framebuffer, texture;
	GLint draw_framebuffer;

	glGetIntegerv(GL_FRAMEBUFFER_BINDING, &draw_framebuffer);
	texture_new();
	glGetIntegerv(GL_TEXTURE_BINDING_2D, (GLint *)&texture);
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST_MIPMAP_NEAREST);
	glTexStorage2D(GL_TEXTURE_2D, 2, GL_RGBA8, 4, 4);
	glGenFramebuffers(1, &framebuffer);
	glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
	for (int level = 0; level < 2; level++) {
		glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture,
				       level);
		gl_fill(0, 0, 4, 4, level ? GREEN : RED);
	}
	glBindFramebuffer(GL_FRAMEBUFFER, draw_framebuffer);
	tap(sampled(0.5f, 0.5f, 0, RED) && sampled(0.5f, 0.5f, 1, GREEN),
	    "GL_OES_fbo_render_mipmap");
}

int main(void)
{
	es3_open();
	core_buffer(GL_ARRAY_BUFFER, sizeof(gl_corners), gl_corners);
	glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
	glEnableVertexAttribArray(0);
	test_shaders();
	test_tessellated_points("GL_EXT_tessellation_point_size");
	test_tessellated_points("GL_OES_tessellation_point_size");
	test_reads();
	test_depth_reads();
	test_stencil8();
	test_conservative_depth();
	test_bounding_box("GL_EXT_primitive_bounding_box", "glPrimitiveBoundingBoxEXT");
	test_bounding_box("GL_OES_primitive_bounding_box", "glPrimitiveBoundingBoxOES");
	test_etc1();
	test_s3tc_srgb();
	test_mirror_clamp();
	test_bgra();
	test_srgb_mipmap();
	test_render_mipmap();
	gl_close();
	return tap_failures() != 0;
}
