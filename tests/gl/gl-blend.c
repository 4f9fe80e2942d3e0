// SPDX-License-Identifier: MIT
/*
 * Advanced blending (GL_KHR_blend_equation_advanced): each equation against its formula, on
 * single-layer, layered and multisampled framebuffers. Prints TAP.
 */
#include "gl-core.h"

#include <math.h>
#include <stdio.h>

#define GREY 0x808080ff

static const char color_source[] =
	"#version 330\n"
	"#extension GL_KHR_blend_equation_advanced: require\n"
	"layout(blend_support_all_equations) out;\n"
	"uniform vec4 color;\n"
	"out vec4 result;\n"
	"void main() { result = color; }\n";

static const char layer_source[] =
	"#version 330\n"
	"layout(triangles) in;\n"
	"layout(triangle_strip, max_vertices = 6) out;\n"
	"void main() {\n"
	"	for (int layer = 1; layer < 3; layer++) {\n"
	"		for (int i = 0; i < 3; i++) {\n"
	"			gl_Layer = layer;\n"
	"			gl_Position = gl_in[i].gl_Position;\n"
	"			EmitVertex();\n"
	"		}\n"
	"		EndPrimitive();\n"
	"	}\n"
	"}\n";

static const GLfloat cover[] = { -1, -1, 3, -1, -1, 3, -1, -1, 3, -1, -1, 3, -1, -1, 3, -1, -1, 3 };
/* Number of times that a draw covers the picture. */
static int covers = 1;
static void (*blend_barrier)(void);

/* f(Cs, Cd) of GL_KHR_blend_equation_advanced, for one component. */

static double multiply(double s, double d) { return s * d; }
static double screen(double s, double d) { return s + d - s * d; }
static double overlay(double s, double d)
{
	return d <= 0.5 ? 2 * s * d : 1 - 2 * (1 - s) * (1 - d);
}
static double darken(double s, double d) { return fmin(s, d); }
static double lighten(double s, double d) { return fmax(s, d); }
static double dodge(double s, double d) { return d <= 0 ? 0 : s < 1 ? fmin(1, d / (1 - s)) : 1; }
static double burn(double s, double d) { return d >= 1 ? 1 : s > 0 ? 1 - fmin(1, (1 - d) / s) : 0; }
static double hardlight(double s, double d) { return overlay(d, s); }
static double difference(double s, double d) { return fabs(d - s); }
static double exclusion(double s, double d) { return s + d - 2 * s * d; }

static double softlight(double s, double d)
{
	if (s <= 0.5)
		return d - (1 - 2 * s) * d * (1 - d);
	if (d <= 0.25)
		return d + (2 * s - 1) * d * ((16 * d - 12) * d + 3);
	return d + (2 * s - 1) * (sqrt(d) - d);
}

static const struct {
	const char *name;
	GLenum equation;
	double (*f)(double s, double d);
} equations[] = {
	{ "multiply", GL_MULTIPLY_KHR, multiply }, { "screen", GL_SCREEN_KHR, screen },
	{ "overlay", GL_OVERLAY_KHR, overlay }, { "darken", GL_DARKEN_KHR, darken },
	{ "lighten", GL_LIGHTEN_KHR, lighten }, { "colour dodge", GL_COLORDODGE_KHR, dodge },
	{ "colour burn", GL_COLORBURN_KHR, burn }, { "hard light", GL_HARDLIGHT_KHR, hardlight },
	{ "soft light", GL_SOFTLIGHT_KHR, softlight },
	{ "difference", GL_DIFFERENCE_KHR, difference },
	{ "exclusion", GL_EXCLUSION_KHR, exclusion },
};

static uint32_t byte(double value)
{
	return (uint32_t)(fmin(fmax(value, 0), 1) * 255 + 0.5);
}

/* Returns the blended colour. Both inputs are premultiplied, as they are in the framebuffer. */
static uint32_t blended(double (*f)(double s, double d), const double s[4], const double d[4])
{
	const double both = s[3] * d[3], only_s = s[3] * (1 - d[3]), only_d = d[3] * (1 - s[3]);
	uint32_t color = 0;

	for (int i = 0; i < 3; i++) {
		const double cs = s[3] ? s[i] / s[3] : 0, cd = d[3] ? d[i] / d[3] : 0;

		color = color << 8 | byte(f(cs, cd) * both + cs * only_s + cd * only_d);
	}
	return color << 8 | byte(both + only_s + only_d);
}

static void fill(const double color[4])
{
	glClearColor(color[0], color[1], color[2], color[3]);
	glClear(GL_COLOR_BUFFER_BIT);
}

static void blend(GLuint program, GLenum equation, const double color[4])
{
	glUseProgram(program);
	glUniform4f(glGetUniformLocation(program, "color"), color[0], color[1], color[2], color[3]);
	glEnable(GL_BLEND);
	glBlendEquation(equation);
	glDrawArrays(GL_TRIANGLES, 0, 3 * covers);
	glDisable(GL_BLEND);
	glBlendEquation(GL_FUNC_ADD);
}

static void test_equations(GLuint program)
{
	static const double colors[][4] = {
		{ 0.2, 0.6, 0.9, 1 }, { 0.8, 0.4, 0.1, 1 }, { 0.1, 0.4, 0.3, 0.5 },
		{ 0.6, 0.2, 0.7, 0.8 },
	};

	for (size_t i = 0; i < sizeof(equations) / sizeof(equations[0]); i++) {
		bool all = true;

		/* Divisions amplify the rounding to eight bits: hence the tolerance. */
		for (int s = 0; s < 4; s++)
			for (int d = 0; d < 4; d++) {
				fill(colors[d]);
				blend(program, equations[i].equation, colors[s]);
				all = all &&
				      gl_pixel_is(5, 9,
						  blended(equations[i].f, colors[s], colors[d]), 6);
			}
		tap(all, "%s", equations[i].name);
	}
}

static double luminosity(uint32_t color)
{
	return 0.3 * (color >> 24) + 0.59 * (color >> 16 & 255) + 0.11 * (color >> 8 & 255);
}

/* The HSL equations: the components that they keep of the source and of the destination. */
static void test_hsl(GLuint program)
{
	const double s[] = { 0.7, 0.3, 0.5, 1 }, d[] = { 0.2, 0.5, 0.6, 1 };
	const double source_luminosity = (0.3 * 0.7 + 0.59 * 0.3 + 0.11 * 0.5) * 255;
	const double target_luminosity = (0.3 * 0.2 + 0.59 * 0.5 + 0.11 * 0.6) * 255;

	fill(d);
	blend(program, GL_HSL_LUMINOSITY_KHR, s);
	tap(fabs(luminosity(gl_pixel(3, 3)) - source_luminosity) < 2,
	    "the luminosity of the source: %08x", gl_pixel(3, 3));
	fill(d);
	blend(program, GL_HSL_COLOR_KHR, s);
	tap(fabs(luminosity(gl_pixel(3, 3)) - target_luminosity) < 2,
	    "its colour with the luminosity of the target: %08x", gl_pixel(3, 3));
	fill(d);
	blend(program, GL_HSL_HUE_KHR, s);
	tap(fabs(luminosity(gl_pixel(3, 3)) - target_luminosity) < 2,
	    "its hue with the luminosity of the target: %08x", gl_pixel(3, 3));
	fill(d);
	blend(program, GL_HSL_SATURATION_KHR, s);
	tap(fabs(luminosity(gl_pixel(3, 3)) - target_luminosity) < 2,
	    "its saturation with the luminosity of the target: %08x", gl_pixel(3, 3));
}

/* Overlapping draws, each of a part of the picture, with a barrier between them. */
static void test_barriers(GLuint program)
{
	const double half[] = { 0.5, 0.5, 0.5, 1 }, white[] = { 1, 1, 1, 1 };

	fill(white);
	glEnable(GL_SCISSOR_TEST);
	for (int i = 0; i < 3; i++) {
		glScissor(0, 0, CORE_SIZE, CORE_SIZE >> i);
		blend_barrier();
		blend(program, GL_MULTIPLY_KHR, half);
	}
	glDisable(GL_SCISSOR_TEST);
	tap(gl_pixel_is(7, 12, GREY, 1) && gl_pixel_is(7, 6, 0x404040ff, 1) &&
		    gl_pixel_is(7, 2, 0x202020ff, 1),
	    "draws that overlap, with barriers");
}

static GLuint framebuffer_of(GLuint texture, GLint level)
{
	GLuint framebuffer;

	glGenFramebuffers(1, &framebuffer);
	glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
	glFramebufferTexture(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, texture, level);
	return framebuffer;
}

static void test_layers(void)
{
	static const GLenum targets[] = { GL_TEXTURE_2D_ARRAY, GL_TEXTURE_3D };
	const double s[] = { 0.5, 1, 0.25, 1 }, d[] = { 0.5, 0.5, 0.5, 1 };
	GLuint program = core_stages(core_position, layer_source, color_source), texture,
	       framebuffer;
	GLint old;

	glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &old);
	for (int i = 0; i < 2; i++) {
		glGenTextures(1, &texture);
		glBindTexture(targets[i], texture);
		glTexStorage3D(targets[i], 2, GL_RGBA8, 2 * CORE_SIZE, 2 * CORE_SIZE, i ? 6 : 3);
		framebuffer = framebuffer_of(texture, 1);
		fill(d);
		blend(program, GL_MULTIPLY_KHR, s);
		glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, texture, 1, 2);
		tap(gl_pixel_is(5, 5, 0x408020ff, 1), "a layer of a level of %s",
		    i ? "a 3D texture" : "an array");
		glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, texture, 1, 0);
		tap(gl_pixel_is(5, 5, GREY, 1), "another is left alone");
		glDeleteFramebuffers(1, &framebuffer);
		glDeleteTextures(1, &texture);
	}
	glBindFramebuffer(GL_FRAMEBUFFER, old);
	glDeleteProgram(program);
}

/* Half of the samples are white before the draw: each sample is blended separately. */
static void test_samples(GLuint program)
{
	const double white[] = { 1, 1, 1, 1 }, black[] = { 0, 0, 0, 1 },
		     half[] = { 0.5, 0.5, 0.5, 1 };
	GLuint texture, framebuffer;
	GLint old;

	glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &old);
	glGenTextures(1, &texture);
	glBindTexture(GL_TEXTURE_2D_MULTISAMPLE, texture);
	glTexImage2DMultisample(GL_TEXTURE_2D_MULTISAMPLE, 4, GL_RGBA8, CORE_SIZE, CORE_SIZE,
				GL_TRUE);
	framebuffer = framebuffer_of(texture, 0);
	fill(black);
	glUseProgram(program);
	glUniform4f(glGetUniformLocation(program, "color"), 1, 1, 1, 1);
	glEnable(GL_SAMPLE_MASK);
	glSampleMaski(0, 3);
	glDrawArrays(GL_TRIANGLES, 0, 3);
	glDisable(GL_SAMPLE_MASK);
	blend_barrier();
	blend(program, GL_DIFFERENCE_KHR, white);
	blend_barrier();
	blend(program, GL_MULTIPLY_KHR, half);
	glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer);
	glBindFramebuffer(GL_DRAW_FRAMEBUFFER, old);
	glBlitFramebuffer(0, 0, CORE_SIZE, CORE_SIZE, 0, 0, CORE_SIZE, CORE_SIZE,
			  GL_COLOR_BUFFER_BIT, GL_NEAREST);
	glBindFramebuffer(GL_FRAMEBUFFER, old);
	tap(gl_pixel_is(5, 5, 0x404040ff, 1), "samples are blended one by one");
	glDeleteFramebuffers(1, &framebuffer);
	glDeleteTextures(1, &texture);
}

#define WIDE 256

/*
 * Draws the triangle @covers times in one draw, on a framebuffer of several tiles, with @samples
 * samples.
 */
static void test_overlap(GLuint program, GLsizei samples)
{
	const double half[] = { 0.5, 0.5, 0.5, 1 }, white[] = { 1, 1, 1, 1 };
	GLuint framebuffer, resolved, renderbuffers[2];
	GLint old;

	glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &old);
	glGenRenderbuffers(2, renderbuffers);
	glGenFramebuffers(1, &resolved);
	glGenFramebuffers(1, &framebuffer);
	for (int i = 0; i < 2; i++) {
		glBindFramebuffer(GL_FRAMEBUFFER, i ? framebuffer : resolved);
		glBindRenderbuffer(GL_RENDERBUFFER, renderbuffers[i]);
		glRenderbufferStorageMultisample(GL_RENDERBUFFER, i ? samples : 0, GL_RGBA8, WIDE,
						 WIDE);
		glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER,
					  renderbuffers[i]);
	}
	glViewport(0, 0, WIDE, WIDE);
	fill(white);
	covers = 3;
	blend(program, GL_MULTIPLY_KHR, half);
	blend(program, GL_MULTIPLY_KHR, half);
	covers = 1;
	glBindFramebuffer(GL_DRAW_FRAMEBUFFER, resolved);
	glBlitFramebuffer(0, 0, WIDE, WIDE, 0, 0, WIDE, WIDE, GL_COLOR_BUFFER_BIT, GL_NEAREST);
	glBindFramebuffer(GL_FRAMEBUFFER, resolved);
	tap(gl_pixel_is(5, 5, 0x040404ff, 1) && gl_pixel_is(70, 130, 0x040404ff, 1) &&
		    gl_pixel_is(WIDE - 1, WIDE - 1, 0x040404ff, 1),
	    "what overlaps in a draw, with %d samples", samples);
	glBindFramebuffer(GL_FRAMEBUFFER, old);
	glViewport(0, 0, CORE_SIZE, CORE_SIZE);
	glDeleteFramebuffers(2, (GLuint[]){ framebuffer, resolved });
	glDeleteRenderbuffers(2, renderbuffers);
}

int main(void)
{
	GLuint program;

	core_open();
	blend_barrier = (void (*)(void))eglGetProcAddress("glBlendBarrierKHR");
	core_buffer(GL_ARRAY_BUFFER, sizeof(cover), cover);
	glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
	glEnableVertexAttribArray(0);
	program = core_stages(core_position, NULL, color_source);
	test_equations(program);
	test_hsl(program);
	test_barriers(program);
	test_layers();
	test_samples(program);
	tap(glIsEnabled(GL_BLEND_ADVANCED_COHERENT_KHR),
	    "advanced blending is coherent unless it need not be");
	test_overlap(program, 0);
	test_overlap(program, 4);
	tap(core_no_error(), "there is no error to tell");
	gl_close();
	return tap_failures() != 0;
}
