// SPDX-License-Identifier: MIT
/*
 * Fragment shaders that read the framebuffer (GL_EXT_shader_framebuffer_fetch): triangles that
 * overlap within a draw, and draws that overlap, each read the colour that the one before left.
 * Runs in one thread on whatever driver EGL finds. Prints TAP.
 */
#include "gl-core.h"

#include <math.h>
#include <stdio.h>

#define MAX_COVERS 24
/* Several tiles of the rasteriser. */
#define WIDE 256
#define STEP 8

#define ES "#version 320 es\n"
#define FETCH "#extension GL_EXT_shader_framebuffer_fetch: require\nprecision highp float;\n"
#define MAIN(statements) "void main() { " statements " }\n"

static const char vertex_source[] = ES
	"in vec2 vertex;\n"
	MAIN("gl_Position = vec4(vertex, 0.0, 1.0);");

/* Emits the triangle once to layer 1 and twice to layer 2. */
static const char layer_source[] = ES
	"layout(triangles) in;\n"
	"layout(triangle_strip, max_vertices = 9) out;\n"
	"void main() {\n"
	"	for (int i = 0; i < 9; i++) {\n"
	"		gl_Layer = i < 3 ? 1 : 2;\n"
	"		gl_Position = gl_in[i % 3].gl_Position;\n"
	"		EmitVertex();\n"
	"		if (i % 3 == 2)\n"
	"			EndPrimitive();\n"
	"	}\n"
	"}\n";

/* Adds STEP to the red byte. */
static const char add_source[] = ES FETCH
	"layout(location = 0) inout vec4 color;\n"
	MAIN("color.r += 8.0 / 255.0;");

static const char old_vertex_source[] = "#version 100\n"
	"attribute vec2 vertex;\n"
	MAIN("gl_Position = vec4(vertex, 0.0, 1.0);");
static const char old_source[] = "#version 100\n" FETCH
	MAIN("gl_FragColor = gl_LastFragData[0] + vec4(8.0 / 255.0, 0, 0, 0);");

static GLuint program_of(const char *fragment)
{
	return core_stages(vertex_source, NULL, fragment);
}

static void draw(int covers)
{
	glDrawArrays(GL_TRIANGLES, 0, 3 * covers);
}

static void clear(float r, float g, float b, float a)
{
	glClearColor(r, g, b, a);
	glClear(GL_COLOR_BUFFER_BIT);
}

static GLuint texture_new(GLenum format, int size)
{
	GLuint texture;

	glGenTextures(1, &texture);
	glBindTexture(GL_TEXTURE_2D, texture);
	glTexStorage2D(GL_TEXTURE_2D, 1, format, size, size);
	return texture;
}

/* A framebuffer with @n textures of @formats. target_new() binds it, target_del() deletes it. */
struct target {
	GLuint framebuffer, textures[4];
	int n;
	GLint old;
};

static struct target target_new(const GLenum *formats, int n, int size)
{
	static const GLenum buffers[] = {
		GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1, GL_COLOR_ATTACHMENT2,
		GL_COLOR_ATTACHMENT3,
	};
	struct target t = { .n = n };

	glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &t.old);
	glGenFramebuffers(1, &t.framebuffer);
	glBindFramebuffer(GL_FRAMEBUFFER, t.framebuffer);
	for (int i = 0; i < n; i++) {
		t.textures[i] = texture_new(formats[i], size);
		glFramebufferTexture2D(GL_FRAMEBUFFER, buffers[i], GL_TEXTURE_2D, t.textures[i], 0);
	}
	glDrawBuffers(n, buffers);
	glViewport(0, 0, size, size);
	return t;
}

static void target_del(const struct target *t)
{
	glBindFramebuffer(GL_FRAMEBUFFER, t->old);
	glViewport(0, 0, CORE_SIZE, CORE_SIZE);
	glDeleteFramebuffers(1, &t->framebuffer);
	glDeleteTextures(t->n, t->textures);
}

/* Returns true if two corners and the middle of the picture have this colour. */
static bool all_are(int size, uint32_t color, int tolerance)
{
	return gl_pixel_is(0, 0, color, tolerance) &&
	       gl_pixel_is(size - 1, size - 1, color, tolerance) &&
	       gl_pixel_is(size / 2, size / 2 - 1, color, tolerance);
}

static bool word_is(int x, int y, GLuint expected)
{
	GLuint words[4] = { 0 };

	glReadPixels(x, y, 1, 1, GL_RGBA_INTEGER, GL_UNSIGNED_INT, words);
	if (words[0] != expected)
		printf("# pixel %d, %d is %u, not %u\n", x, y, words[0], expected);
	return words[0] == expected;
}

static bool float_is(int x, int y, float expected)
{
	GLfloat floats[4] = { 0 };

	glReadPixels(x, y, 1, 1, GL_RGBA, GL_FLOAT, floats);
	if (floats[0] != expected)
		printf("# pixel %d, %d is %g, not %g\n", x, y, floats[0], expected);
	return floats[0] == expected;
}

/* Overlap within one draw, and between draws without a barrier. */
static void test_overlap(GLuint program, const char *what)
{
	struct target t = target_new((const GLenum[]){ GL_RGBA8 }, 1, WIDE);

	glUseProgram(program);
	clear(0, 0, 0, 1);
	draw(7);
	tap(all_are(WIDE, (7 * STEP) << 24 | 0xff, 0), "%s: triangles of one draw", what);
	draw(1);
	draw(3);
	tap(all_are(WIDE, (11 * STEP) << 24 | 0xff, 0), "%s: draws after each other", what);
	target_del(&t);
}

static void test_scissors(GLuint program)
{
	struct target t = target_new((const GLenum[]){ GL_RGBA8 }, 1, WIDE);

	glUseProgram(program);
	clear(0, 0, 0, 1);
	glEnable(GL_SCISSOR_TEST);
	for (int i = 0; i < 3; i++) {
		glScissor(0, 0, WIDE, WIDE >> i);
		draw(1);
	}
	glDisable(GL_SCISSOR_TEST);
	tap(gl_pixel_is(9, WIDE - 1, 0x080000ff, 0) &&
	    gl_pixel_is(9, WIDE / 2 - 1, 0x100000ff, 0) && gl_pixel_is(9, 0, 0x180000ff, 0),
	    "draws to parts of the picture");
	target_del(&t);
}

static void test_samples(GLuint program)
{
	GLuint buffer, framebuffer;
	struct target t = target_new((const GLenum[]){ GL_RGBA8 }, 1, WIDE);

	glGenRenderbuffers(1, &buffer);
	glBindRenderbuffer(GL_RENDERBUFFER, buffer);
	glRenderbufferStorageMultisample(GL_RENDERBUFFER, 4, GL_RGBA8, WIDE, WIDE);
	glGenFramebuffers(1, &framebuffer);
	glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
	glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, buffer);
	clear(0, 0, 0, 1);
	glUseProgram(program);
	draw(4);
	/* Half of the samples get four more steps. */
	glEnable(GL_SAMPLE_MASK);
	glSampleMaski(0, 3);
	draw(4);
	glDisable(GL_SAMPLE_MASK);
	glBindFramebuffer(GL_DRAW_FRAMEBUFFER, t.framebuffer);
	glBlitFramebuffer(0, 0, WIDE, WIDE, 0, 0, WIDE, WIDE, GL_COLOR_BUFFER_BIT, GL_NEAREST);
	glBindFramebuffer(GL_FRAMEBUFFER, t.framebuffer);
	tap(all_are(WIDE, (6 * STEP) << 24 | 0xff, 1), "each sample has its own colour");
	glDeleteFramebuffers(1, &framebuffer);
	glDeleteRenderbuffers(1, &buffer);
	target_del(&t);
}

static void test_integers(void)
{
	static const char source[] = ES FETCH
		"layout(location = 0) inout highp uvec4 word;\n"
		MAIN("word.x = word.x * 3u + 1u;");
	static const char signed_source[] = ES FETCH
		"layout(location = 0) inout highp ivec4 word;\n"
		MAIN("word.x = word.x * -3 - 1;");
	struct target t = target_new((const GLenum[]){ GL_R32UI }, 1, WIDE);
	GLuint program = program_of(source), signed_program = program_of(signed_source);

	glUseProgram(program);
	glClearBufferuiv(GL_COLOR, 0, (const GLuint[]){ 5, 0, 0, 0 });
	draw(4);
	/* The clear value and the values after each triangle: 5, 16, 49, 148, 445. */
	tap(word_is(0, 0, 445) && word_is(WIDE / 2, 3, 445) && word_is(WIDE - 1, WIDE - 1, 445),
	    "numbers without a sign");
	target_del(&t);

	t = target_new((const GLenum[]){ GL_RGBA8I }, 1, WIDE);
	glUseProgram(signed_program);
	glClearBufferiv(GL_COLOR, 0, (const GLint[]){ 3, 0, 0, 0 });
	draw(3);
	/* The clear value and the values after each triangle: 3, -10, 29, -88. */
	GLint words[4] = { 0 };
	glReadPixels(WIDE - 2, 1, 1, 1, GL_RGBA_INTEGER, GL_INT, words);
	tap(words[0] == -88, "numbers with a sign: %d", words[0]);
	target_del(&t);
	glDeleteProgram(program);
	glDeleteProgram(signed_program);
}

static void test_floats(void)
{
	static const char source[] = ES FETCH
		"layout(location = 0) inout vec4 color;\n"
		MAIN("color += 0.5;");
	struct target t = target_new((const GLenum[]){ GL_RGBA16F }, 1, WIDE);
	GLuint program = program_of(source);

	glUseProgram(program);
	clear(-1, 0, 0, 0);
	draw(9);
	tap(float_is(0, 0, 3.5f) && float_is(WIDE - 1, WIDE / 2, 3.5f), "floats beyond 0 and 1");
	target_del(&t);
	glDeleteProgram(program);
}

static void test_few_components(void)
{
	static const char source[] = ES FETCH
		"layout(location = 0) inout vec2 color;\n"
		MAIN("color += vec2(1, 2) * (8.0 / 255.0);");
	struct target t = target_new((const GLenum[]){ GL_RG8 }, 1, WIDE);
	GLuint program = program_of(source);

	glUseProgram(program);
	clear(0, 0, 0, 0);
	draw(3);
	tap(all_are(WIDE, 0x183000ff, 0), "two components");
	target_del(&t);
	glDeleteProgram(program);
}

/* The shader reads an sRGB attachment as the value that was written. */
static void test_srgb(void)
{
	static const char source[] = ES FETCH
		"layout(location = 0) inout vec4 color;\n"
		"layout(location = 0) uniform float zero;\n"
		MAIN("color = color + zero;");
	struct target t = target_new((const GLenum[]){ GL_SRGB8_ALPHA8 }, 1, WIDE);
	GLuint program = program_of(source);

	glUseProgram(program);
	clear(0.5, 0.25, 0.125, 1);
	draw(5);
	tap(all_are(WIDE, 0xbc8963ff, 2), "sRGB: %08x", gl_pixel(3, 3));
	target_del(&t);
	glDeleteProgram(program);
}

/* A shader reads and writes three attachments of different formats. */
static void test_attachments(void)
{
	static const GLenum formats[] = { GL_RGBA8, GL_R32UI, GL_RGBA16F };
	static const char source[] = ES FETCH
		"layout(location = 0) inout vec4 color;\n"
		"layout(location = 1) inout highp uvec4 word;\n"
		"layout(location = 2) inout vec4 half_float;\n"
		MAIN("color = vec4(color.r + 8.0 / 255.0, half_float.x,"
		     " float(word.x) / 255.0, 1.0);"
		     "word.x = word.x * 3u + 1u;"
		     "half_float.x += 0.25;");
	struct target t = target_new(formats, 3, WIDE);
	GLuint program = program_of(source);
	bool ok;

	glUseProgram(program);
	glClearBufferfv(GL_COLOR, 0, (const GLfloat[]){ 0, 0, 0, 1 });
	glClearBufferuiv(GL_COLOR, 1, (const GLuint[]){ 0, 0, 0, 0 });
	glClearBufferfv(GL_COLOR, 2, (const GLfloat[]){ 0, 0, 0, 0 });
	draw(4);
	/* The last but one of the numbers 0, 1, 4, 13, 40 and of the floats from 0 to 1. */
	ok = all_are(WIDE, 0x20bf0dff, 1);
	glReadBuffer(GL_COLOR_ATTACHMENT1);
	ok = word_is(WIDE - 1, 7, 40) && ok;
	glReadBuffer(GL_COLOR_ATTACHMENT2);
	ok = float_is(WIDE - 1, 7, 1) && ok;
	glReadBuffer(GL_COLOR_ATTACHMENT0);
	tap(ok, "three attachments of three formats");
	target_del(&t);
	glDeleteProgram(program);
}

/*
 * An output that a shader reads and does not write keeps its color; an index of an array of outputs
 * may be dynamic.
 */
static void test_read_only(void)
{
	static const GLenum formats[] = { GL_RGBA8, GL_RGBA8 };
	static const char kept[] = ES FETCH
		"layout(location = 0) inout vec4 color;\n"
		"layout(location = 1) inout vec4 other;\n"
		MAIN("color.r += other.g;");
	static const char dynamic[] = ES FETCH
		"layout(location = 0) inout vec4 colors[2];\n"
		"uniform int which;\n"
		MAIN("colors[which].b += 8.0 / 255.0;");
	struct target t = target_new(formats, 2, WIDE);
	GLuint programs[] = { program_of(kept), program_of(dynamic) };
	bool ok;

	glClearBufferfv(GL_COLOR, 0, (const GLfloat[]){ 0, 0, 0, 1 });
	glClearBufferfv(GL_COLOR, 1, (const GLfloat[]){ 0.2f, 8.0f / 255, 0.6f, 1 });
	glUseProgram(programs[0]);
	draw(3);
	ok = all_are(WIDE, 0x180000ff, 1);
	glReadBuffer(GL_COLOR_ATTACHMENT1);
	tap(ok && all_are(WIDE, 0x330899ff, 1),
	    "an output that is read and not written keeps its color");
	glUseProgram(programs[1]);
	glUniform1i(glGetUniformLocation(programs[1], "which"), 1);
	draw(2);
	ok = all_are(WIDE, 0x3308a9ff, 1);
	glReadBuffer(GL_COLOR_ATTACHMENT0);
	tap(ok && all_are(WIDE, 0x180000ff, 1), "a dynamic index of an array of outputs");
	target_del(&t);
	for (int i = 0; i < 2; i++)
		glDeleteProgram(programs[i]);
}

/* The shader reads the second attachment, and never the first. */
static void test_second_attachment(void)
{
	static const GLenum formats[] = { GL_RGBA8, GL_RGBA8 };
	static const char source[] = ES FETCH
		"layout(location = 0) out vec4 color;\n"
		"layout(location = 1) inout vec4 other;\n"
		MAIN("color = vec4(0, other.r, 0, 1); other.r += 8.0 / 255.0;");
	struct target t = target_new(formats, 2, WIDE);
	GLuint program = program_of(source);
	bool ok;

	glUseProgram(program);
	clear(0, 0, 0, 1);
	draw(5);
	ok = all_are(WIDE, 0x002000ff, 0);
	glReadBuffer(GL_COLOR_ATTACHMENT1);
	ok = all_are(WIDE, 0x280000ff, 0) && ok;
	glReadBuffer(GL_COLOR_ATTACHMENT0);
	tap(ok, "just the second attachment");
	target_del(&t);
	glDeleteProgram(program);
}

static void test_layers(void)
{
	static const GLenum targets[] = { GL_TEXTURE_2D_ARRAY, GL_TEXTURE_3D };
	GLuint program = core_stages(vertex_source, layer_source, add_source);
	GLint old;

	glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &old);
	for (int i = 0; i < 2; i++) {
		GLuint texture, framebuffer;
		bool ok = true;

		glGenTextures(1, &texture);
		glBindTexture(targets[i], texture);
		glTexStorage3D(targets[i], 1, GL_RGBA8, CORE_SIZE, CORE_SIZE, 3);
		glGenFramebuffers(1, &framebuffer);
		glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
		glFramebufferTexture(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, texture, 0);
		clear(0, 0, 0, 1);
		glUseProgram(program);
		draw(3);
		for (int layer = 0; layer < 3; layer++) {
			glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, texture,
						  0, layer);
			ok = all_are(CORE_SIZE, (uint32_t)(3 * layer * STEP) << 24 | 0xff, 0) && ok;
		}
		tap(ok, "each layer of %s has its own colour", i ? "a 3D texture" : "an array");
		glDeleteFramebuffers(1, &framebuffer);
		glDeleteTextures(1, &texture);
	}
	glBindFramebuffer(GL_FRAMEBUFFER, old);
	glDeleteProgram(program);
}

/* A fragment that is discarded leaves the colour to the next one. */
static void test_discard(void)
{
	static const char source[] = ES FETCH
		"layout(location = 0) inout vec4 color;\n"
		MAIN("if (color.r > 63.5 / 255.0) discard; color.r += 8.0 / 255.0;");
	struct target t = target_new((const GLenum[]){ GL_RGBA8 }, 1, WIDE);
	GLuint program = program_of(source);

	glUseProgram(program);
	clear(0, 0, 0, 1);
	draw(20);
	tap(all_are(WIDE, 0x400000ff, 0), "fragments that are discarded");
	target_del(&t);
	glDeleteProgram(program);
}

/* GL blends the output that the shader computes from the colour it reads. */
static void test_blending(void)
{
	static const char source[] = ES FETCH
		"layout(location = 0) inout vec4 color;\n"
		"layout(location = 0) uniform float zero;\n"
		MAIN("color.rgb += zero;");
	struct target t = target_new((const GLenum[]){ GL_RGBA8 }, 1, WIDE);
	GLuint program = program_of(source);

	glUseProgram(program);
	clear(1.0 / 255, 2.0 / 255, 0, 1);
	glEnable(GL_BLEND);
	glBlendFunc(GL_ONE, GL_ONE);
	draw(5);
	glDisable(GL_BLEND);
	tap(all_are(WIDE, 0x204000ff, 0), "what is read, and blended again");
	clear(0, 0, 0, 1);
	glColorMask(GL_TRUE, GL_FALSE, GL_TRUE, GL_TRUE);
	glUniform1f(0, 8.0f / 255);
	draw(4);
	glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
	tap(all_are(WIDE, 0x200020ff, 0), "a component that is masked");
	target_del(&t);
	glDeleteProgram(program);
}

static void test_barriers(void)
{
	static const char source[] = ES
		"#extension GL_EXT_shader_framebuffer_fetch_non_coherent: require\n"
		"precision highp float;\n"
		"layout(noncoherent, location = 0) inout vec4 color;\n"
		MAIN("color.r += 8.0 / 255.0;");
	void (*barrier)(void) = (void (*)(void))eglGetProcAddress("glFramebufferFetchBarrierEXT");
	struct target t = target_new((const GLenum[]){ GL_RGBA8 }, 1, WIDE);
	GLuint program = program_of(source);

	glUseProgram(program);
	clear(0, 0, 0, 1);
	for (int i = 0; i < 5; i++) {
		barrier();
		draw(1);
	}
	tap(all_are(WIDE, 0x280000ff, 0), "draws that are not coherent, with barriers");
	target_del(&t);
	glDeleteProgram(program);
}

/* All texture units are in use beside the framebuffer fetch. */
static void test_textures(void)
{
	static const char source[] = ES FETCH
		"uniform sampler2D images[16];\n"
		"layout(location = 0) inout vec4 color;\n"
		"void main() {\n"
		"	vec4 sum = vec4(0);\n"
		"	for (int i = 0; i < 16; i++)\n"
		"		sum += texture(images[i], vec2(0.5));\n"
		"	color.r += sum.r / 16.0;\n"
		"}\n";
	struct target t = target_new((const GLenum[]){ GL_RGBA8 }, 1, WIDE);
	GLuint program = program_of(source), texture = gl_texture_new(1, 0x080000ff);
	GLint units[16];

	glUseProgram(program);
	for (int i = 0; i < 16; i++) {
		units[i] = i;
		glActiveTexture(GL_TEXTURE0 + i);
		glBindTexture(GL_TEXTURE_2D, texture);
	}
	glActiveTexture(GL_TEXTURE0);
	glUniform1iv(glGetUniformLocation(program, "images"), 16, units);
	clear(0, 0, 0, 1);
	draw(5);
	tap(all_are(WIDE, 0x280000ff, 0), "beside sixteen textures");
	target_del(&t);
	glDeleteTextures(1, &texture);
	glDeleteProgram(program);
}

/* Colour dodge of opaque colours, as 2D graphics libraries write it in a shader. */

static int dodged(int s, int d)
{
	const double source = s / 255.0, target = d / 255.0;

	if (!d)
		return 0;
	return s == 255 ? 255 : (int)(fmin(1, target / (1 - source)) * 255 + 0.5);
}

static void test_dodge(void)
{
	static const char source[] = ES FETCH
		"layout(location = 0) inout vec4 color;\n"
		"layout(location = 0) uniform vec4 source;\n"
		"float dodge(float s, float d) {\n"
		"	return d == 0.0 ? 0.0 : s == 1.0 ? 1.0 : min(1.0, d / (1.0 - s));\n"
		"}\n"
		MAIN("color = vec4(dodge(source.r, color.r), dodge(source.g, color.g),"
		     " dodge(source.b, color.b), 1.0);");
	static const int colors[][3] = {
		{ 0, 51, 102 }, { 20, 10, 5 }, { 100, 130, 77 }, { 255, 0, 60 },
	};
	struct target t = target_new((const GLenum[]){ GL_RGBA8 }, 1, WIDE);
	GLuint program = program_of(source);
	bool ok = true;

	glUseProgram(program);
	for (int s = 0; s < 4; s++) {
		for (int d = 0; d < 4; d++) {
			uint32_t expected = 0;

			clear(colors[d][0] / 255.f, colors[d][1] / 255.f, colors[d][2] / 255.f, 1);
			glUniform4f(0, colors[s][0] / 255.f, colors[s][1] / 255.f,
				    colors[s][2] / 255.f, 1);
			draw(2);
			for (int i = 0; i < 3; i++)
				expected = expected << 8 |
					   dodged(colors[s][i], dodged(colors[s][i], colors[d][i]));
			/* The second division at most doubles an error of one. */
			ok = all_are(WIDE, expected << 8 | 0xff, 3) && ok;
		}
	}
	tap(ok, "colour dodge, twice in a draw");
	target_del(&t);
	glDeleteProgram(program);
}

static void test_points(void)
{
	struct target t = target_new((const GLenum[]){ GL_RGBA8 }, 1, CORE_SIZE);
	static const char vertex[] = ES
		MAIN("gl_PointSize = 9.0; gl_Position = vec4(0, 0, 0, 1);");
	GLuint program = core_stages(vertex, NULL, add_source);

	glUseProgram(program);
	clear(0, 0, 0, 1);
	glDrawArrays(GL_POINTS, 0, 6);
	tap(gl_pixel_is(CORE_SIZE / 2, CORE_SIZE / 2, 0x300000ff, 0) &&
	    gl_pixel_is(0, 0, 0x000000ff, 0), "points on top of each other");
	target_del(&t);
	glDeleteProgram(program);
}

int main(void)
{
	static GLfloat corners[MAX_COVERS * 6];
	GLuint add, old;

	es3_open();
	tap(gl_has("GL_EXT_shader_framebuffer_fetch"), "the extension is offered");
	tap(gl_has("GL_EXT_shader_framebuffer_fetch_non_coherent"), "so is the one with barriers");
	for (int i = 0; i < MAX_COVERS * 6; i++)
		corners[i] = i % 6 == 2 || i % 6 == 5 ? 3 : -1;
	core_buffer(GL_ARRAY_BUFFER, sizeof(corners), corners);
	glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
	glEnableVertexAttribArray(0);
	add = program_of(add_source);
	old = core_stages(old_vertex_source, NULL, old_source);
	test_overlap(add, "inout");
	test_overlap(old, "gl_LastFragData");
	test_scissors(add);
	test_samples(add);
	test_integers();
	test_floats();
	test_few_components();
	test_srgb();
	test_attachments();
	test_read_only();
	test_second_attachment();
	test_layers();
	test_discard();
	test_blending();
	test_barriers();
	test_textures();
	test_dodge();
	test_points();
	tap(core_no_error(), "there is no error to tell");
	gl_close();
	return tap_failures() != 0;
}
