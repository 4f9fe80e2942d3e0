// SPDX-License-Identifier: MIT
/*
 * Fragment shaders that write stencil references and sample masks, post-depth coverage, min/max and
 * anisotropic filters, and shaders of OpenGL ES 3.2. Prints TAP.
 */
#include "gl-core.h"

#include <stdio.h>

#define SAMPLES 4

/* Two strips: the whole picture, and its left half nearer to the viewer. */
static const GLfloat corners[] = {
	-1, -1, 0.5f, 1, -1, 0.5f, -1, 1, 0.5f, 1, 1, 0.5f,
	-1, -1, 0, 0, -1, 0, -1, 1, 0, 0, 1, 0,
};

static void draw_all(void)
{
	glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

static void draw_left(void)
{
	glDrawArrays(GL_TRIANGLE_STRIP, 4, 4);
}

/* Draws to new renderbuffers: @color, unless it is 0, and depth and stencil. */
static void draw_to_new(GLenum color, int samples)
{
	const GLenum formats[] = { color, GL_DEPTH24_STENCIL8 };
	const GLenum attachments[] = { GL_COLOR_ATTACHMENT0, GL_DEPTH_STENCIL_ATTACHMENT };
	GLuint framebuffer, renderbuffers[2];

	glGenFramebuffers(1, &framebuffer);
	glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
	glGenRenderbuffers(2, renderbuffers);
	for (int i = 0; i < 2; i++) {
		glBindRenderbuffer(GL_RENDERBUFFER, renderbuffers[i]);
		glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, formats[i], CORE_SIZE,
						 CORE_SIZE);
		glFramebufferRenderbuffer(GL_FRAMEBUFFER, attachments[i], GL_RENDERBUFFER,
					  renderbuffers[i]);
	}
	if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
		tap(false, "the framebuffer is complete");
}

/* References of the stencil test */

static const char stencil_source[] =
	"#version 430\n"
	"#extension GL_ARB_shader_stencil_export: require\n"
	"out vec4 result;\n"
	"void main() {\n"
	"	gl_FragStencilRefARB = int(gl_FragCoord.x) * 16 + int(gl_FragCoord.y) + 256;\n"
	"	result = vec4(1.0);\n"
	"}\n";

static bool stencils_are(bool (*wanted)(int x, int y, GLubyte stencil))
{
	GLubyte stencils[CORE_SIZE][CORE_SIZE];

	glReadPixels(0, 0, CORE_SIZE, CORE_SIZE, GL_STENCIL_INDEX, GL_UNSIGNED_BYTE, stencils);
	for (int y = 0; y < CORE_SIZE; y++) {
		for (int x = 0; x < CORE_SIZE; x++) {
			if (!wanted(x, y, stencils[y][x])) {
				printf("# stencil %d at %d,%d\n", stencils[y][x], x, y);
				return false;
			}
		}
	}
	return true;
}

static bool is_place(int x, int y, GLubyte stencil)
{
	return stencil == x * 16 + y;
}

/* Returns true if the stencil was incremented where the reference exceeds 100, and only there. */
static bool is_large(int x, int y, GLubyte stencil)
{
	return stencil == (x * 16 + y > 100 ? 101 : 100);
}

static void test_stencil(void)
{
	draw_to_new(GL_RGBA8, 0);
	glClearStencil(7);
	glClear(GL_STENCIL_BUFFER_BIT);
	glUseProgram(core_program(core_position, stencil_source, 0, NULL, 0));
	glEnable(GL_STENCIL_TEST);
	glStencilFunc(GL_ALWAYS, 3, 0xff);
	glStencilOp(GL_KEEP, GL_KEEP, GL_REPLACE);
	draw_all();
	tap(core_no_error() && stencils_are(is_place), "each fragment writes its stencil");
	glClearStencil(100);
	glClear(GL_STENCIL_BUFFER_BIT);
	glStencilFunc(GL_GREATER, 3, 0xff);
	glStencilOp(GL_KEEP, GL_KEEP, GL_INCR);
	draw_all();
	tap(core_no_error() && stencils_are(is_large), "and is tested with it");
	glDisable(GL_STENCIL_TEST);
}

/* Samples that are left after early fragment tests */

static const char mask_source[] =
	"#version 430\n"
	"uniform int mask;\n"
	"out vec4 result;\n"
	"void main() { gl_SampleMask[0] = mask; result = vec4(0.0); }\n";

/*
 * Each mask has bit 16, so that the mask of a fragment is never 0. Two triangles may share the
 * samples of a pixel, which is why masks are combined.
 */
static const char left_source[] =
	"#version 430\n"
	"#extension GL_ARB_post_depth_coverage: require\n"
	"layout(%s) in;\n"
	"layout(std430, binding = 0) buffer Out { uint masks[]; };\n"
	"out vec4 result;\n"
	"void main() {\n"
	"	atomicOr(masks[int(gl_FragCoord.y) * 16 + int(gl_FragCoord.x)], "
	"16u | uint(gl_SampleMaskIn[0]));\n"
	"	result = vec4(1.0);\n"
	"}\n";

/*
 * Stores the sample masks of fragments that cover the picture to @masks. In its left half, nearer
 * fragments hide the samples of @mask.
 */
static void find_masks(GLuint masking, GLuint program, int mask, uint32_t *masks)
{
	GLuint buffer = core_words(CORE_SIZE * CORE_SIZE, 0);

	glClearDepthf(1.0f);
	glClear(GL_DEPTH_BUFFER_BIT | GL_COLOR_BUFFER_BIT);
	glUseProgram(masking);
	glUniform1i(glGetUniformLocation(masking, "mask"), mask);
	draw_left();
	glUseProgram(program);
	glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, buffer);
	draw_all();
	core_read_words(buffer, 0, masks, CORE_SIZE * CORE_SIZE);
}

static bool masks_are(const uint32_t *masks, uint32_t left, uint32_t right)
{
	for (int i = 0; i < CORE_SIZE * CORE_SIZE; i++) {
		const uint32_t wanted = i % CORE_SIZE < CORE_SIZE / 2 ? left : right;

		if (masks[i] != wanted) {
			printf("# %#x instead of %#x at %d,%d\n", masks[i], wanted, i % CORE_SIZE,
			       i / CORE_SIZE);
			return false;
		}
	}
	return true;
}

static GLuint left_program(const char *layout)
{
	char source[sizeof(left_source) + 64];

	snprintf(source, sizeof(source), left_source, layout);
	return core_program(core_position, source, 0, NULL, 0);
}

static void test_coverage(void)
{
	GLuint masking, after, before;
	uint32_t masks[CORE_SIZE * CORE_SIZE];
	bool right = true;

	draw_to_new(GL_RGBA8, SAMPLES);
	masking = core_program(core_position, mask_source, 0, NULL, 0);
	after = left_program("post_depth_coverage");
	before = left_program("early_fragment_tests");
	glEnable(GL_DEPTH_TEST);
	for (int mask = 0; mask < 15; mask++) {
		find_masks(masking, after, mask, masks);
		right = masks_are(masks, 16 | (~mask & 15), 16 | 15) && right;
	}
	tap(right && core_no_error(), "fragments know which samples early tests left");
	find_masks(masking, after, 15, masks);
	tap(masks_are(masks, 0, 16 | 15), "fragments of no sample do not run");
	find_masks(masking, before, 1, masks);
	tap(masks_are(masks, 16 | 15, 16 | 15), "others know which there were before");
	glDisable(GL_DEPTH_TEST);
}

/* Minimum and maximum filters */

static const char texture_source[] =
	"#version 430\n"
	"uniform sampler2D image;\n"
	"uniform vec2 at;\n"
	"uniform float level;\n"
	"out vec4 result;\n"
	"void main() { result = textureLod(image, at, level); }\n";

/* Each channel has its minimum and its maximum in other texels. */
static const GLubyte texels[2][2][4] = {
	{ { 10, 90, 200, 255 }, { 20, 80, 100, 0 } }, { { 30, 70, 50, 64 }, { 40, 60, 150, 128 } },
};

static bool sampled(GLuint program, float s, float t, float level, uint32_t color)
{
	glUniform2f(glGetUniformLocation(program, "at"), s, t);
	glUniform1f(glGetUniformLocation(program, "level"), level);
	draw_all();
	return gl_pixel_is(3, 3, color, 1);
}

static void reduce(GLenum mode)
{
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_REDUCTION_MODE_ARB, mode);
}

static void test_reduction(void)
{
	GLuint texture, program;
	GLint mode = 0;

	draw_to_new(GL_RGBA8, 0);
	program = core_program(core_position, texture_source, 0, NULL, 0);
	glUseProgram(program);
	glGenTextures(1, &texture);
	glBindTexture(GL_TEXTURE_2D, texture);
	glTexStorage2D(GL_TEXTURE_2D, 2, GL_RGBA8, 2, 2);
	glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 2, 2, GL_RGBA, GL_UNSIGNED_BYTE, texels);
	glTexSubImage2D(GL_TEXTURE_2D, 1, 0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE,
			(GLubyte[]){ 5, 250, 120, 130 });
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
	glGetTexParameteriv(GL_TEXTURE_2D, GL_TEXTURE_REDUCTION_MODE_ARB, &mode);
	tap(mode == GL_WEIGHTED_AVERAGE_ARB && sampled(program, 0.5f, 0.5f, 0, 0x194b7d70),
	    "texels are averaged");
	reduce(GL_MIN);
	tap(sampled(program, 0.5f, 0.5f, 0, 0x0a3c3200), "the least of four texels");
	reduce(GL_MAX);
	tap(sampled(program, 0.5f, 0.5f, 0, 0x285ac8ff), "the greatest of four texels");
	tap(sampled(program, 0.5f, 0.5f, 0.5f, 0x28fac8ff), "and of those of two levels");
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
	tap(sampled(program, 0.7f, 0.7f, 0, 0x283c9680), "one texel is the greatest of itself");
	tap(core_no_error(), "there is no error to tell");
}

/* Anisotropic filters (GL_ARB_texture_filter_anisotropic, GL_EXT_texture_filter_anisotropic) */

static const char footprint_source[] =
	"#version 430\n"
	"uniform sampler2D image;\n"
	"out vec4 result;\n"
	"void main() { result = texture(image, gl_FragCoord.xy / vec2(16.0, 64.0)); }\n";

/*
 * A pixel covers four by one texels: isotropic filters use the level for four texels, anisotropic
 * filters the level for one.
 */
static void test_anisotropy(void)
{
	static const GLfloat colors[][4] = { { 1, 0, 0, 1 }, { 0, 1, 0, 1 }, { 0, 0, 1, 1 } };
	GLfloat most = 0;
	GLuint texture;
	bool wide;

	glGetFloatv(GL_MAX_TEXTURE_MAX_ANISOTROPY, &most);
	glUseProgram(core_program(core_position, footprint_source, 0, NULL, 0));
	glGenTextures(1, &texture);
	glBindTexture(GL_TEXTURE_2D, texture);
	glTexStorage2D(GL_TEXTURE_2D, 3, GL_RGBA8, 64, 64);
	for (int i = 0; i < 3; i++)
		glClearTexImage(texture, i, GL_RGBA, GL_FLOAT, colors[i]);
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_NEAREST);
	draw_all();
	wide = gl_pixel_is(8, 8, 0x0000ffff, 0);
	glTexParameterf(GL_TEXTURE_2D, GL_TEXTURE_MAX_ANISOTROPY, 4);
	draw_all();
	tap(most >= 4 && wide && gl_pixel_is(8, 8, 0xff0000ff, 0) && core_no_error(),
	    "filters of up to %d to 1", (int)most);
}

/* Shaders of OpenGL ES 3.2 (GL_ARB_ES3_2_compatibility) */

static void test_es_shaders(void)
{
	static const char vertex[] =
		"#version 320 es\n"
		"in vec3 vertex;\n"
		"void main() { gl_Position = vec4(vertex, 1.0); }\n";
	static const char fragment[] =
		"#version 320 es\n"
		"precision highp float;\n"
		"out vec4 result;\n"
		"void main() { result = vec4(0, fma(0.25, 2.0, 0.5), 0, 1); }\n";
	void(APIENTRY *
	     bounding_box)(GLfloat, GLfloat, GLfloat, GLfloat, GLfloat, GLfloat, GLfloat,
			   GLfloat) = (void *)eglGetProcAddress("glPrimitiveBoundingBoxARB");
	GLfloat widths[2] = { 0 }, box[8] = { 0 };

	bounding_box(-1, -1, -1, 1, 1, 1, 1, 3);
	glGetFloatv(GL_PRIMITIVE_BOUNDING_BOX_ARB, box);
	glGetFloatv(GL_MULTISAMPLE_LINE_WIDTH_RANGE_ARB, widths);
	glUseProgram(core_program(vertex, fragment, 0, NULL, 0));
	draw_all();
	tap(gl_pixel_is(8, 8, 0x00ff00ff, 0) && box[7] == 3 && widths[0] <= 1 && widths[1] >= 1 &&
		    core_no_error(),
	    "shaders of OpenGL ES 3.2");
}

int main(void)
{
	core_open();
	core_buffer(GL_ARRAY_BUFFER, sizeof(corners), corners);
	glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, 0, NULL);
	glEnableVertexAttribArray(0);
	test_stencil();
	test_coverage();
	test_reduction();
	test_anisotropy();
	test_es_shaders();
	gl_close();
	return tap_failures() != 0;
}
