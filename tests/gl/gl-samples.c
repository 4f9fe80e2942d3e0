// SPDX-License-Identifier: MIT
/* Multisampling: renderbuffers, textures, resolves, sample masks, sample shading. Prints TAP. */
#include "gl-core.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SAMPLES 4
#define BLACK 0x000000ff
#define WHITE 0xffffffff

static const char color_source[] =
	"#version 330\n"
	"uniform vec4 color;\n"
	"out vec4 result;\n"
	"void main() { result = color; }\n";

static const char number_source[] =
	"#version 330\n"
	"uniform uint number;\n"
	"out uvec4 result;\n"
	"void main() { result = uvec4(number); }\n";

static const char fetch_source[] =
	"#version 330\n"
	"uniform sampler2DMS image;\n"
	"uniform int which;\n"
	"out vec4 result;\n"
	"void main() { result = texelFetch(image, ivec2(gl_FragCoord.xy), which); }\n";

static const char depth_source[] =
	"#version 330\n"
	"uniform sampler2DMS image;\n"
	"uniform int which;\n"
	"out vec4 result;\n"
	"void main() { result = vec4(texelFetch(image, ivec2(gl_FragCoord.xy), which).x, 0, "
	"1, 1); }\n";

static const char fetch_layer_source[] =
	"#version 330\n"
	"uniform sampler2DMSArray image;\n"
	"uniform int which;\n"
	"out vec4 result;\n"
	"void main() {\n"
	"	result = texelFetch(image, ivec3(gl_FragCoord.xy, textureSize(image).z - 1), "
	"which);\n"
	"}\n";

/* Two triangle strips: the whole picture, and the half below its diagonal. */
static const GLfloat corners[] = {
	-1, -1, 0.5f, 1, -1, 0.5f, -1, 1, 0.5f, 1, 1, 0.5f,
	-1, -1, 0, 1, -1, 0, 1, 1, 0,
};

static GLuint program;

static void use_color(float r, float g, float b, float a)
{
	glUseProgram(program);
	glUniform4f(glGetUniformLocation(program, "color"), r, g, b, a);
}

static void draw_all(void)
{
	glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

static void draw_half(void)
{
	glDrawArrays(GL_TRIANGLES, 4, 3);
}

static GLuint framebuffer_new(void)
{
	GLuint framebuffer;

	glGenFramebuffers(1, &framebuffer);
	glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
	return framebuffer;
}

static void attach_new(GLenum attachment, GLenum format, int samples)
{
	GLuint renderbuffer;

	glGenRenderbuffers(1, &renderbuffer);
	glBindRenderbuffer(GL_RENDERBUFFER, renderbuffer);
	glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, format, CORE_SIZE, CORE_SIZE);
	glFramebufferRenderbuffer(GL_FRAMEBUFFER, attachment, GL_RENDERBUFFER, renderbuffer);
}

/* Returns a framebuffer with renderbuffers of a colour and a depth format (0: no depth). */
static GLuint buffers_new(GLenum color, GLenum depth, int samples)
{
	GLuint framebuffer = framebuffer_new();

	attach_new(GL_COLOR_ATTACHMENT0, color, samples);
	if (depth)
		attach_new(GL_DEPTH_STENCIL_ATTACHMENT, depth, samples);
	if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
		tap(false, "framebuffer of formats %#x and %#x is complete", color, depth);
	return framebuffer;
}

static void blit(GLuint from, GLuint to, GLbitfield mask)
{
	glBindFramebuffer(GL_READ_FRAMEBUFFER, from);
	glBindFramebuffer(GL_DRAW_FRAMEBUFFER, to);
	glBlitFramebuffer(0, 0, CORE_SIZE, CORE_SIZE, 0, 0, CORE_SIZE, CORE_SIZE, mask, GL_NEAREST);
	glBindFramebuffer(GL_FRAMEBUFFER, to);
}

static void clear_black(void)
{
	glClearColor(0, 0, 0, 1);
	glClear(GL_COLOR_BUFFER_BIT);
}

static void test_resolve(GLuint many, GLuint one)
{
	uint32_t edge;

	glBindFramebuffer(GL_FRAMEBUFFER, many);
	clear_black();
	use_color(1, 1, 1, 1);
	draw_half();
	blit(many, one, GL_COLOR_BUFFER_BIT);
	edge = gl_pixel(7, 7) >> 24;
	tap(gl_pixel_is(12, 3, WHITE, 0) && gl_pixel_is(3, 12, BLACK, 0),
	    "inside and outside are not mixed");
	tap(edge == 64 || edge == 128 || edge == 191, "a pixel of the edge is a part of both: %u",
	    edge);

	glBindFramebuffer(GL_FRAMEBUFFER, one);
	clear_black();
	glEnable(GL_SCISSOR_TEST);
	glScissor(8, 0, 8, 8);
	blit(many, one, GL_COLOR_BUFFER_BIT);
	glDisable(GL_SCISSOR_TEST);
	tap(gl_pixel_is(12, 3, WHITE, 0) && gl_pixel_is(6, 2, BLACK, 0), "a resolve is scissored");
}

/* The pixels of the diagonal, with multisampling off and on again. */
static void test_disabled(GLuint many, GLuint one)
{
	uint32_t edge;

	glBindFramebuffer(GL_FRAMEBUFFER, many);
	clear_black();
	use_color(1, 1, 1, 1);
	glDisable(GL_MULTISAMPLE);
	draw_half();
	blit(many, one, GL_COLOR_BUFFER_BIT);
	edge = gl_pixel(7, 7);
	tap(gl_pixel_is(12, 3, WHITE, 0) && (edge == BLACK || edge == WHITE),
	    "without multisampling a pixel is covered or not: %#x", edge);

	glBindFramebuffer(GL_FRAMEBUFFER, many);
	clear_black();
	draw_half();
	glEnable(GL_MULTISAMPLE);
	use_color(0, 0, 0, 1);
	draw_half();
	blit(many, one, GL_COLOR_BUFFER_BIT);
	edge = gl_pixel(7, 7) >> 24;
	tap(edge < 192, "and what is drawn over it with samples covers a part: %u", edge);
}

/* Clears with and without a scissor, of all samples. */
static void test_clear(GLuint many, GLuint one)
{
	glBindFramebuffer(GL_FRAMEBUFFER, many);
	clear_black();
	glEnable(GL_SCISSOR_TEST);
	glScissor(4, 4, 4, 4);
	glClearColor(1, 1, 1, 1);
	glClear(GL_COLOR_BUFFER_BIT);
	glDisable(GL_SCISSOR_TEST);
	blit(many, one, GL_COLOR_BUFFER_BIT);
	tap(gl_pixel_is(4, 4, WHITE, 0) && gl_pixel_is(7, 7, WHITE, 0) &&
		    gl_pixel_is(8, 8, BLACK, 0) && gl_pixel_is(3, 3, BLACK, 0),
	    "clears are of all samples");
}

static void test_masks(GLuint many, GLuint one)
{
	uint32_t half;

	glBindFramebuffer(GL_FRAMEBUFFER, many);
	clear_black();
	glEnable(GL_SAMPLE_MASK);
	glSampleMaski(0, 0x6);
	use_color(1, 1, 1, 1);
	draw_all();
	glDisable(GL_SAMPLE_MASK);
	blit(many, one, GL_COLOR_BUFFER_BIT);
	tap(gl_pixel_is(5, 5, 0x808080ff, 1), "a mask of two samples is half of a pixel");

	glBindFramebuffer(GL_FRAMEBUFFER, many);
	clear_black();
	glEnable(GL_SAMPLE_COVERAGE);
	glSampleCoverage(0.75f, GL_FALSE);
	draw_all();
	glDisable(GL_SAMPLE_COVERAGE);
	blit(many, one, GL_COLOR_BUFFER_BIT);
	tap(gl_pixel_is(5, 5, 0xbfbfbfff, 1), "coverage of three quarters");

	glBindFramebuffer(GL_FRAMEBUFFER, many);
	clear_black();
	glEnable(GL_SAMPLE_ALPHA_TO_COVERAGE);
	use_color(1, 1, 1, 0.5f);
	draw_all();
	glDisable(GL_SAMPLE_ALPHA_TO_COVERAGE);
	blit(many, one, GL_COLOR_BUFFER_BIT);
	half = gl_pixel(5, 5) >> 24;
	tap(half >= 63 && half <= 192, "alpha of one half covers some samples: %u", half);

	glBindFramebuffer(GL_FRAMEBUFFER, many);
	clear_black();
	glEnable(GL_SAMPLE_ALPHA_TO_ONE);
	use_color(0, 1, 0, 0.25f);
	draw_all();
	glDisable(GL_SAMPLE_ALPHA_TO_ONE);
	blit(many, one, GL_COLOR_BUFFER_BIT);
	tap(gl_pixel_is(5, 5, 0x00ff00ff, 0), "alpha becomes one");
}

/* Depth tests for each sample; depth and stencil of resolved framebuffers. */
static void test_depth(GLuint many, GLuint one)
{
	GLfloat depth = -1, corner = -1;
	GLubyte stencil = 0;
	uint32_t edge;

	glBindFramebuffer(GL_FRAMEBUFFER, many);
	clear_black();
	glClearDepth(1);
	glClearStencil(3);
	glClear(GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
	glEnable(GL_DEPTH_TEST);
	glEnable(GL_STENCIL_TEST);
	glStencilOp(GL_KEEP, GL_KEEP, GL_INCR);
	use_color(0, 0, 1, 1);
	draw_half();
	use_color(1, 0, 0, 1);
	draw_all();
	glDisable(GL_DEPTH_TEST);
	glDisable(GL_STENCIL_TEST);
	blit(many, one, GL_COLOR_BUFFER_BIT);
	edge = gl_pixel(7, 7);
	tap(gl_pixel_is(12, 3, 0x0000ffff, 0) && gl_pixel_is(3, 12, 0xff0000ff, 0),
	    "depth is tested");
	tap(edge >> 24 && (edge >> 8 & 255), "depth is tested sample by sample: %08x", edge);

	glBindFramebuffer(GL_FRAMEBUFFER, one);
	glClearStencil(0);
	glClearDepth(0);
	glClear(GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
	blit(many, one, GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
	glReadPixels(12, 3, 1, 1, GL_DEPTH_COMPONENT, GL_FLOAT, &depth);
	glReadPixels(3, 12, 1, 1, GL_DEPTH_COMPONENT, GL_FLOAT, &corner);
	tap(fabsf(depth - 0.5f) < 0.001f && fabsf(corner - 0.75f) < 0.001f,
	    "depth is resolved: %f, %f", depth, corner);
	glReadPixels(12, 3, 1, 1, GL_STENCIL_INDEX, GL_UNSIGNED_BYTE, &stencil);
	tap(stencil == 4, "stencil is resolved: %u", stencil);
}

static void test_copy(GLuint many, GLuint other, GLuint one)
{
	glBindFramebuffer(GL_FRAMEBUFFER, many);
	clear_black();
	use_color(1, 1, 1, 1);
	draw_half();
	blit(many, other, GL_COLOR_BUFFER_BIT);
	blit(other, one, GL_COLOR_BUFFER_BIT);
	tap(gl_pixel_is(12, 3, WHITE, 0) && gl_pixel_is(3, 12, BLACK, 0) &&
		    gl_pixel(7, 7) != WHITE && gl_pixel(7, 7) != BLACK,
	    "samples are copied one by one");
}

static void test_numbers(void)
{
	GLuint many = buffers_new(GL_RGBA32UI, 0, SAMPLES), one = buffers_new(GL_RGBA32UI, 0, 0);
	GLuint numbers = core_stages(core_position, NULL, number_source);
	uint32_t seen[4] = { 0 };

	glBindFramebuffer(GL_FRAMEBUFFER, many);
	glUseProgram(numbers);
	glUniform1ui(glGetUniformLocation(numbers, "number"), 0xfedcba98);
	draw_all();
	blit(many, one, GL_COLOR_BUFFER_BIT);
	glReadPixels(5, 5, 1, 1, GL_RGBA_INTEGER, GL_UNSIGNED_INT, seen);
	tap(seen[0] == 0xfedcba98 && seen[3] == 0xfedcba98, "integers are resolved: %08x", seen[0]);
}

/* Draws another grey to each sample. */
static void draw_samples(void)
{
	glEnable(GL_SAMPLE_MASK);
	for (int i = 0; i < SAMPLES; i++) {
		glSampleMaski(0, 1u << i);
		use_color(i / 5.0f, i / 5.0f, 1, 1);
		draw_all();
	}
	glDisable(GL_SAMPLE_MASK);
}

static void test_fetch(GLuint one, GLenum target, const char *source)
{
	GLuint fetch = core_stages(core_position, NULL, source), texture, many = framebuffer_new();

	glGenTextures(1, &texture);
	glBindTexture(target, texture);
	if (target == GL_TEXTURE_2D_MULTISAMPLE) {
		glTexImage2DMultisample(target, SAMPLES, GL_RGBA8, CORE_SIZE, CORE_SIZE, GL_TRUE);
		glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, target, texture, 0);
	} else {
		glTexImage3DMultisample(target, SAMPLES, GL_RGBA8, CORE_SIZE, CORE_SIZE, 3,
					GL_TRUE);
		glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, texture, 0, 0);
		clear_black();
		glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, texture, 0, 2);
	}
	draw_samples();
	glBindFramebuffer(GL_FRAMEBUFFER, one);
	glUseProgram(fetch);
	for (int i = 0; i < SAMPLES; i++) {
		const uint32_t grey = i * 51;

		glUniform1i(glGetUniformLocation(fetch, "which"), i);
		draw_all();
		tap(gl_pixel_is(6, 9, grey << 24 | grey << 16 | 0xffff, 0),
		    "sample %d of a texture%s", i,
		    target == GL_TEXTURE_2D_MULTISAMPLE ? "" : "'s layer");
	}
	blit(many, one, GL_COLOR_BUFFER_BIT);
	tap(gl_pixel_is(6, 9, 0x4d4dffff, 1), "the texture is resolved");
	glDeleteFramebuffers(1, &many);
	glDeleteTextures(1, &texture);
}

static void test_depth_fetch(GLuint one)
{
	GLuint fetch = core_stages(core_position, NULL, depth_source), texture,
	       many = framebuffer_new();

	glGenTextures(1, &texture);
	glBindTexture(GL_TEXTURE_2D_MULTISAMPLE, texture);
	glTexImage2DMultisample(GL_TEXTURE_2D_MULTISAMPLE, SAMPLES, GL_DEPTH_COMPONENT24, CORE_SIZE,
				CORE_SIZE, GL_TRUE);
	glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D_MULTISAMPLE,
			       texture, 0);
	glDrawBuffer(GL_NONE);
	glClearDepth(0);
	glClear(GL_DEPTH_BUFFER_BIT);
	glEnable(GL_DEPTH_TEST);
	glDepthFunc(GL_ALWAYS);
	glEnable(GL_SAMPLE_MASK);
	glUseProgram(program);
	for (int i = 0; i < SAMPLES; i++) {
		glSampleMaski(0, 1u << i);
		glDepthRange(i / 5.0, i / 5.0);
		draw_all();
	}
	glDisable(GL_SAMPLE_MASK);
	glDisable(GL_DEPTH_TEST);
	glDepthRange(0, 1);
	glBindFramebuffer(GL_FRAMEBUFFER, one);
	glUseProgram(fetch);
	for (int i = 0; i < SAMPLES; i++) {
		glUniform1i(glGetUniformLocation(fetch, "which"), i);
		draw_all();
		tap(gl_pixel_is(6, 9, (uint32_t)i * 51 << 24 | 0xffff, 1),
		    "sample %d of a depth texture", i);
	}
	glDeleteFramebuffers(1, &many);
	glDeleteTextures(1, &texture);
}

/* Fragment shaders that run for each sample (sample shading) */

static const char place_source[] =
	"#version 400\n"
	"in vec3 vertex;\n"
	"out vec2 place;\n"
	"sample out vec2 sample_place;\n"
	"void main() {\n"
	"	gl_Position = vec4(vertex, 1.0);\n"
	"	place = sample_place = (vertex.xy + 1.0) * 8.0;\n"
	"}\n";

#define PLACED(body)							\
	"#version 400\n"						\
	"in vec2 place;\n"						\
	"sample in vec2 sample_place;\n"				\
	"out vec4 result;\n"						\
	"void main() { " body " }\n"

/* Returns the colour that a draw left in sample @which of a pixel in the middle. */
static uint32_t sample_of(GLuint one, GLuint fetch, int which)
{
	GLint old;

	glGetIntegerv(GL_CURRENT_PROGRAM, &old);
	glBindFramebuffer(GL_FRAMEBUFFER, one);
	glUseProgram(fetch);
	glUniform1i(glGetUniformLocation(fetch, "which"), which);
	draw_all();
	glUseProgram(old);
	/* Only one triangle covers this pixel. */
	return gl_pixel(4, 5);
}

/*
 * Tests that the shader @source runs at the standard sample positions, as fractions of the pixel.
 */
static void is_placed(GLuint many, GLuint one, GLuint fetch, const char *source, const char *what)
{
	static const double places[SAMPLES][2] = {
		{ 0.375, 0.125 }, { 0.875, 0.375 }, { 0.125, 0.625 }, { 0.625, 0.875 }
	};
	GLuint placed = core_stages(place_source, NULL, source);
	bool all = true;
	uint32_t seen = 0;

	glBindFramebuffer(GL_FRAMEBUFFER, many);
	clear_black();
	glUseProgram(placed);
	draw_all();
	for (int i = 0; i < SAMPLES; i++) {
		seen = sample_of(one, fetch, i);
		all = all && fabs((seen >> 24) / 255.0 - places[i][0]) < 0.01 &&
		      fabs((seen >> 16 & 255) / 255.0 - places[i][1]) < 0.01;
	}
	tap(all, "%s (the last is %08x)", what, seen);
	glDeleteProgram(placed);
}

/* Tests that the shader @source writes @color to all samples. */
static void is_uniform(GLuint many, GLuint one, GLuint fetch, const char *source, uint32_t color,
		       const char *what)
{
	GLuint placed = core_stages(place_source, NULL, source);
	bool all = true;

	glBindFramebuffer(GL_FRAMEBUFFER, many);
	clear_black();
	glUseProgram(placed);
	draw_all();
	for (int i = 0; i < SAMPLES; i++) {
		const uint32_t seen = sample_of(one, fetch, i);

		for (int shift = 0; shift < 32; shift += 8)
			all = all &&
			      abs((int)(seen >> shift & 255) - (int)(color >> shift & 255)) <= 1;
	}
	tap(all, "%s", what);
	glDeleteProgram(placed);
}

static void test_sample_shading(GLuint one)
{
	GLuint fetch = core_stages(core_position, NULL, fetch_source), texture,
	       many = framebuffer_new();

	glGenTextures(1, &texture);
	glBindTexture(GL_TEXTURE_2D_MULTISAMPLE, texture);
	glTexImage2DMultisample(GL_TEXTURE_2D_MULTISAMPLE, SAMPLES, GL_RGBA8, CORE_SIZE, CORE_SIZE,
				GL_TRUE);
	glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D_MULTISAMPLE,
			       texture, 0);

	is_uniform(many, one, fetch, PLACED("result = vec4(fract(place), 0, 1);"), 0x808000ff,
		   "inputs are those of the pixel's middle");
	is_placed(many, one, fetch, PLACED("result = vec4(fract(sample_place), 0, 1);"),
		  "inputs of samples");
	is_placed(many, one, fetch, PLACED("result = vec4(gl_SamplePosition, 0, 1);"),
		  "positions of samples");
	is_uniform(many, one, fetch,
		   PLACED("result = vec4(fract(interpolateAtSample(place, 2)), 0, 1);"), 0x209f00ff,
		   "inputs of one sample");
	is_uniform(
		many, one, fetch,
		PLACED("result = vec4(fract(interpolateAtOffset(place, vec2(0.25, -0.25))), "
		       "0, 1);"),
		0xbf4000ff, "inputs beside the middle");
	is_uniform(many, one, fetch, PLACED("result = vec4(gl_SampleMaskIn[0]) / 15.0;"),
		   0xffffffff, "all samples are covered");
	is_uniform(
		many, one, fetch,
		PLACED("result = vec4(gl_SampleMaskIn[0] == 1 << gl_SampleID, "
		       "gl_NumSamples == 4, 0, 1);"),
		0xffff00ff, "where a shader runs for each, one is");

	glEnable(GL_SAMPLE_SHADING);
	glMinSampleShading(1.0f);
	is_placed(many, one, fetch, PLACED("result = vec4(fract(place), 0, 1);"),
		  "sample shading of inputs");
	is_placed(many, one, fetch, PLACED("result = vec4(fract(gl_FragCoord.xy), 0, 1);"),
		  "sample shading of coordinates alone");
	glMinSampleShading(0.0f);
	is_uniform(many, one, fetch, PLACED("result = vec4(fract(place), 0, 1);"), 0x808000ff,
		   "sample shading of no samples");
	glDisable(GL_SAMPLE_SHADING);
	glDeleteFramebuffers(1, &many);
	glDeleteTextures(1, &texture);
	glDeleteProgram(fetch);
}

/* The first shader of a context that runs for each sample, with integer outputs. */
static void test_sample_numbers(GLuint one)
{
	static const char number[] =
		"#version 400\n"
		"out ivec4 result;\n"
		"void main() { result = ivec4(0, gl_SampleID, 0, 1); }\n";
	static const char fetch[] =
		"#version 400\n"
		"uniform isampler2DMS image;\n"
		"uniform int which;\n"
		"out vec4 result;\n"
		"void main() {\n"
		"	ivec4 texel = texelFetch(image, ivec2(gl_FragCoord.xy), which);\n"
		"	result = vec4(texel.y * 16, texel.w, texel.x, 255) / 255.0;\n"
		"}\n";
	GLuint numbers = core_stages(core_position, NULL, number),
	       fetcher = core_stages(core_position, NULL, fetch), texture;
	GLuint many = framebuffer_new();

	glGenTextures(1, &texture);
	glBindTexture(GL_TEXTURE_2D_MULTISAMPLE, texture);
	glTexImage2DMultisample(GL_TEXTURE_2D_MULTISAMPLE, SAMPLES, GL_RGBA8I, CORE_SIZE, CORE_SIZE,
				GL_TRUE);
	glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D_MULTISAMPLE,
			       texture, 0);
	glUseProgram(numbers);
	draw_all();
	for (int i = 0; i < SAMPLES; i++) {
		const uint32_t seen = sample_of(one, fetcher, i);

		tap(seen == ((uint32_t)(i * 16) << 24 | 0x000100ff), "number of sample %d: %08x", i,
		    seen);
	}
	glDeleteFramebuffers(1, &many);
	glDeleteTextures(1, &texture);
	glDeleteProgram(numbers);
	glDeleteProgram(fetcher);
}

/* gl_SampleMask, which has an effect on multisampled framebuffers only. */
static void test_written_mask(GLuint many, GLuint one)
{
	GLuint masked = core_stages(place_source, NULL,
				    PLACED("gl_SampleMask[0] = 1; result = vec4(1);"));

	glBindFramebuffer(GL_FRAMEBUFFER, many);
	clear_black();
	glUseProgram(masked);
	draw_all();
	blit(many, one, GL_COLOR_BUFFER_BIT);
	tap(gl_pixel_is(5, 5, 0x404040ff, 1),
	    "a shader's mask of one sample is a quarter of a pixel");
	glDeleteProgram(masked);
	masked = core_stages(place_source, NULL, PLACED("gl_SampleMask[0] = 0; result = vec4(1);"));
	clear_black();
	glUseProgram(masked);
	draw_all();
	tap(gl_pixel_is(5, 5, WHITE, 0), "and nothing to a picture without samples");
	glDeleteProgram(masked);
	masked = core_stages(place_source, NULL,
			     PLACED("result = vec4(fract(interpolateAtSample(place, 2)), 0, 1);"));
	glUseProgram(masked);
	draw_all();
	tap(gl_pixel_is(5, 5, 0x808000ff, 1), "whose only sample is in the middle");
	glDeleteProgram(masked);
}

/*
 * A multisampled surface of the window system, which programs read as single-sampled. Needs an X
 * server.
 */
static void test_surface(void)
{
	static const EGLint attributes[] = {
		EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_SAMPLES,
		SAMPLES, EGL_RED_SIZE, 8, EGL_ALPHA_SIZE, 8, EGL_NONE,
	};
	static const EGLint size[] = { EGL_WIDTH, CORE_SIZE, EGL_HEIGHT, CORE_SIZE, EGL_NONE };
	static const EGLint version[] = {
		EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 3,
		EGL_CONTEXT_OPENGL_PROFILE_MASK, EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, EGL_NONE,
	};
	EGLDisplay display = eglGetPlatformDisplay(EGL_PLATFORM_X11_KHR, EGL_DEFAULT_DISPLAY, NULL);
	EGLConfig config;
	EGLSurface surface;
	EGLContext context;
	GLuint array;
	uint32_t edge;
	EGLint n = 0;

	if (!eglInitialize(display, NULL, NULL)) {
		printf("ok - a surface with samples # SKIP no X server\n");
		return;
	}
	eglBindAPI(EGL_OPENGL_API);
	eglChooseConfig(display, attributes, &config, 1, &n);
	tap(n == 1, "there are surfaces with samples");
	surface = eglCreatePbufferSurface(display, config, size);
	context = eglCreateContext(display, config, EGL_NO_CONTEXT, version);
	if (!eglMakeCurrent(display, surface, surface, context)) {
		tap(false, "a surface with samples is current");
		return;
	}
	glGenVertexArrays(1, &array);
	glBindVertexArray(array);
	program = core_stages(core_position, NULL, color_source);
	core_buffer(GL_ARRAY_BUFFER, sizeof(corners), corners);
	glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, 0, NULL);
	glEnableVertexAttribArray(0);
	glViewport(0, 0, CORE_SIZE, CORE_SIZE);
	clear_black();
	use_color(1, 1, 1, 1);
	draw_half();
	edge = gl_pixel(7, 7) >> 24;
	tap(gl_pixel_is(12, 3, WHITE, 0) && gl_pixel_is(3, 12, BLACK, 0) && edge > 50 && edge < 200,
	    "a surface with samples is read: %u", edge);
	tap(core_no_error(), "and there is no error to tell");
	eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
	eglTerminate(display);
}

int main(void)
{
	GLint samples = 0;
	GLuint many, other, one;
	GLfloat where[2] = { 0 };

	core_open();
	glGetIntegerv(GL_MAX_SAMPLES, &samples);
	tap(samples == SAMPLES, "%d samples", samples);
	program = core_stages(core_position, NULL, color_source);
	core_buffer(GL_ARRAY_BUFFER, sizeof(corners), corners);
	glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, 0, NULL);
	glEnableVertexAttribArray(0);
	many = buffers_new(GL_RGBA8, GL_DEPTH24_STENCIL8, SAMPLES);
	glGetMultisamplefv(GL_SAMPLE_POSITION, 1, where);
	tap(fabsf(where[0] - 0.875f) < 0.01f && fabsf(where[1] - 0.375f) < 0.01f,
	    "sample 1 is at %f, %f", where[0], where[1]);
	other = buffers_new(GL_RGBA8, GL_DEPTH24_STENCIL8, SAMPLES);
	one = buffers_new(GL_RGBA8, GL_DEPTH24_STENCIL8, 0);
	test_resolve(many, one);
	test_disabled(many, one);
	test_clear(many, one);
	test_masks(many, one);
	test_depth(many, one);
	test_copy(many, other, one);
	test_numbers();
	test_fetch(one, GL_TEXTURE_2D_MULTISAMPLE, fetch_source);
	test_fetch(one, GL_TEXTURE_2D_MULTISAMPLE_ARRAY, fetch_layer_source);
	test_depth_fetch(one);
	test_sample_shading(one);
	test_sample_numbers(one);
	test_written_mask(many, one);
	tap(core_no_error(), "there is no error to tell");
	gl_close();
	test_surface();
	return tap_failures() != 0;
}
