// SPDX-License-Identifier: MIT
/*
 * Texture buffers of OpenGL 3.3: texels of all formats, in both stages, from buffers that change.
 * Prints TAP.
 */
#include "gl-core.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define N_TEXELS 40

/* Pixel x shows texel x + first; a vertex shader that fetches gives all pixels the same texel. */
#define VERTEX(type, fetch)						\
	"#version 330\n"						\
	"in vec2 vertex;\n"						\
	"uniform " type "samplerBuffer tex;\n"				\
	"uniform int first;\n"						\
	"flat out vec4 texel;\n"					\
	"flat out int size;\n"						\
	"void main() {\n"						\
	"	texel = " fetch ";\n"					\
	"	size = textureSize(tex);\n"				\
	"	gl_Position = vec4(vertex, 0.0, 1.0);\n"		\
	"}\n"

#define FRAGMENT(type, value)						\
	"#version 330\n"						\
	"uniform " type "samplerBuffer tex;\n"				\
	"uniform int first;\n"						\
	"flat in vec4 texel;\n"						\
	"flat in int size;\n"						\
	"out vec4 result;\n"						\
	"void main() {\n"						\
	"	result = " value ";\n"					\
	"}\n"

#define HERE "vec4(texelFetch(tex, int(gl_FragCoord.x) + first))"

enum kind { FLOATS, INTS, UINTS, N_KINDS };

static GLuint fetch_here[N_KINDS], fetch_vertex[N_KINDS], size_program;

static GLuint fetching(const char *vertex, const char *fragment)
{
	return core_program(vertex, fragment, 0, NULL, GL_NONE);
}

static void make_programs(void)
{
	fetch_here[FLOATS] = fetching(VERTEX("", "vec4(0.0)"), FRAGMENT("", HERE));
	fetch_here[INTS] = fetching(VERTEX("i", "vec4(0.0)"), FRAGMENT("i", HERE));
	fetch_here[UINTS] = fetching(VERTEX("u", "vec4(0.0)"), FRAGMENT("u", HERE));
	fetch_vertex[FLOATS] = fetching(VERTEX("", "texelFetch(tex, first)"),
					FRAGMENT("", "texel"));
	fetch_vertex[INTS] = fetching(VERTEX("i", "vec4(texelFetch(tex, first))"),
				      FRAGMENT("i", "texel"));
	fetch_vertex[UINTS] = fetching(VERTEX("u", "vec4(texelFetch(tex, first))"),
				       FRAGMENT("u", "texel"));
	size_program = fetching(VERTEX("", "vec4(textureSize(tex))"),
				FRAGMENT("", "vec4(textureSize(tex), size, texel.x, 1.0)"));
}

/*
 * A format, and how its texels read in a shader: @reads has a component, 0 or 1 for each of the
 * four components that a shader reads.
 */
struct format {
	const char *name;
	GLenum format;
	enum kind kind;
	int components, bytes;		/* number of components of a texel, and bytes of each */
	double scale;			/* stored value that reads as 1.0; 0: floats */
	const char *reads;
};

static const struct format formats[] = {
	{ "R8", GL_R8, FLOATS, 1, 1, 255, "x001" },
	{ "RG8", GL_RG8, FLOATS, 2, 1, 255, "xy01" },
	{ "RGBA8", GL_RGBA8, FLOATS, 4, 1, 255, "xyzw" },
	{ "R16", GL_R16, FLOATS, 1, 2, 65535, "x001" },
	{ "RG16", GL_RG16, FLOATS, 2, 2, 65535, "xy01" },
	{ "RGBA16", GL_RGBA16, FLOATS, 4, 2, 65535, "xyzw" },
	{ "R32F", GL_R32F, FLOATS, 1, 4, 0, "x001" },
	{ "RG32F", GL_RG32F, FLOATS, 2, 4, 0, "xy01" },
	{ "RGB32F", GL_RGB32F, FLOATS, 3, 4, 0, "xyz1" },
	{ "RGBA32F", GL_RGBA32F, FLOATS, 4, 4, 0, "xyzw" },
	{ "R8I", GL_R8I, INTS, 1, 1, 1, "x001" },
	{ "RGBA16I", GL_RGBA16I, INTS, 4, 2, 1, "xyzw" },
	{ "R32I", GL_R32I, INTS, 1, 4, 1, "x001" },
	{ "RGB32I", GL_RGB32I, INTS, 3, 4, 1, "xyz1" },
	{ "RGBA8UI", GL_RGBA8UI, UINTS, 4, 1, 1, "xyzw" },
	{ "RG16UI", GL_RG16UI, UINTS, 2, 2, 1, "xy01" },
	{ "R32UI", GL_R32UI, UINTS, 1, 4, 1, "x001" },
	{ "RGB32UI", GL_RGB32UI, UINTS, 3, 4, 1, "xyz1" },
	{ "RGBA32UI", GL_RGBA32UI, UINTS, 4, 4, 1, "xyzw" },
};

/* From the compatibility profile. */
static const struct format old_formats[] = {
	{ "ALPHA8", 0x803c, FLOATS, 1, 1, 255, "000x" },
	{ "LUMINANCE8", 0x8040, FLOATS, 1, 1, 255, "xxx1" },
	{ "LUMINANCE8_ALPHA8", 0x8045, FLOATS, 2, 1, 255, "xxxy" },
	{ "INTENSITY8", 0x804b, FLOATS, 1, 1, 255, "xxxx" },
	{ "LUMINANCE32F", 0x8818, FLOATS, 1, 4, 0, "xxx1" },
	{ "ALPHA16I", 0x8d8a, INTS, 1, 2, 1, "000x" },
	{ "LUMINANCE_ALPHA32UI", 0x8d75, UINTS, 2, 4, 1, "xxxy" },
};

/* Returns component @c of texel @i as it is stored. */
static int stored(const struct format *f, int i, int c)
{
	const int value = i * 3 + c * 40 + 1;

	return f->kind == INTS ? -(value % 128) : value;
}

static void store(const struct format *f, uint8_t *out)
{
	for (int i = 0; i < N_TEXELS * f->components; i++, out += f->bytes) {
		const int value = stored(f, i / f->components, i % f->components);
		const float number = value * 0.5f;

		memcpy(out, f->scale ? (const void *)&value : &number, f->bytes);
	}
}

static float expected(const struct format *f, int i, int c)
{
	int value;

	if (f->reads[c] == '0' || f->reads[c] == '1')
		return f->reads[c] - '0';
	value = stored(f, i, f->reads[c] == 'w' ? 3 : f->reads[c] - 'x');
	return f->scale ? value / f->scale : value * 0.5f;
}

static void draw_with(GLuint program, int first)
{
	glUseProgram(program);
	glUniform1i(glGetUniformLocation(program, "first"), first);
	glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

/* Returns true if pixel @x shows texel @i. */
static bool pixel_is(const struct format *f, int x, int i)
{
	GLfloat seen[4];

	glReadPixels(x, 0, 1, 1, GL_RGBA, GL_FLOAT, seen);
	for (int c = 0; c < 4; c++) {
		const float difference = seen[c] - expected(f, i, c);

		if (difference < 1e-6f && difference > -1e-6f)
			continue;
		printf("# component %d of texel %d is %g instead of %g\n", c, i, seen[c],
		       expected(f, i, c));
		return false;
	}
	return true;
}

static void test_format(const struct format *f, GLuint buffer)
{
	uint8_t data[N_TEXELS * 16];
	bool ok = true;

	store(f, data);
	glBufferData(GL_TEXTURE_BUFFER, N_TEXELS * f->components * f->bytes, data, GL_STATIC_DRAW);
	glTexBuffer(GL_TEXTURE_BUFFER, f->format, buffer);
	for (int first = 0; first <= N_TEXELS - CORE_SIZE; first += 8) {
		draw_with(fetch_here[f->kind], first);
		for (int x = 0; ok && x < CORE_SIZE; x++)
			ok = pixel_is(f, x, x + first);
	}
	tap(ok, "fragments fetch %s", f->name);
	draw_with(fetch_vertex[f->kind], 33);
	tap(pixel_is(f, CORE_SIZE / 2, 33), "and vertices");
}

static void test_size(void)
{
	GLfloat seen[4];

	draw_with(size_program, 0);
	glReadPixels(3, 3, 1, 1, GL_RGBA, GL_FLOAT, seen);
	tap(seen[0] == 100 && seen[1] == 100 && seen[2] == 100,
	    "textureSize is what fits the buffer");
}

static bool is_value(int x, float value)
{
	GLfloat seen[4];

	glReadPixels(x, 0, 1, 1, GL_RGBA, GL_FLOAT, seen);
	if (seen[0] != value)
		printf("# pixel %d is %g instead of %g\n", x, seen[0], value);
	return seen[0] == value;
}

/* The program writes while the device may still read. */
static void test_changes(void)
{
	bool ok = true;

	for (int i = 0; i < 50; i++) {
		const GLfloat value = i;

		glBufferSubData(GL_TEXTURE_BUFFER, 8, 4, &value);
		draw_with(fetch_here[FLOATS], 0);
		if (i % 10 == 9)
			ok &= is_value(2, i);
	}
	tap(ok, "a texel that the program changed is fetched");
	for (int i = 0; i < 20; i++) {
		GLfloat data[100];

		for (int j = 0; j < 100; j++)
			data[j] = i * 100 + j;
		glBufferData(GL_TEXTURE_BUFFER, sizeof(data), data, GL_STREAM_DRAW);
		draw_with(fetch_here[FLOATS], 4);
		ok &= is_value(3, i * 100 + 7);
	}
	tap(ok, "and of a buffer that was filled anew");
}

/* The device writes the buffer: a copy, and transform feedback. */
static void test_written(GLuint buffer)
{
	static const char source[] =
		"#version 330\n"
		"in vec2 vertex;\n"
		"out float captured;\n"
		"void main() { captured = 7.0 + vertex.x; gl_Position = vec4(0.0); }\n";
	static const char *const names[] = { "captured" };
	const GLuint program = core_program(source, FRAGMENT("", "vec4(1.0)"), 1, names,
					    GL_INTERLEAVED_ATTRIBS);
	static const GLfloat data[] = { 500, 501, 502, 503 };
	GLuint from = core_buffer(GL_COPY_READ_BUFFER, sizeof(data), data);

	draw_with(fetch_here[FLOATS], 0);
	glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_TEXTURE_BUFFER, 0, 0, sizeof(data));
	draw_with(fetch_here[FLOATS], 0);
	tap(is_value(1, 501), "a texel that was copied there is fetched");

	glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, buffer);
	glUseProgram(program);
	glEnable(GL_RASTERIZER_DISCARD);
	glBeginTransformFeedback(GL_POINTS);
	glDrawArrays(GL_POINTS, 0, 4);
	glEndTransformFeedback();
	glDisable(GL_RASTERIZER_DISCARD);
	draw_with(fetch_here[FLOATS], 0);
	tap(is_value(0, 6) && is_value(1, 8), "and one that was captured there");
	draw_with(fetch_vertex[FLOATS], 3);
	tap(is_value(5, 8), "by vertices, too");
	glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, 0);
	glDeleteBuffers(1, &from);
	glDeleteProgram(program);
}

/* A part of a buffer, if OpenGL has the extension for it. */
static void test_range(GLuint buffer)
{
	const PFNGLTEXBUFFERRANGEPROC range = (PFNGLTEXBUFFERRANGEPROC)eglGetProcAddress(
		"glTexBufferRange");
	GLfloat data[1000];
	GLint align = 0;

	for (int i = 0; i < 1000; i++)
		data[i] = i;
	glBufferData(GL_TEXTURE_BUFFER, sizeof(data), data, GL_STATIC_DRAW);
	glGetIntegerv(GL_TEXTURE_BUFFER_OFFSET_ALIGNMENT, &align);
	if (!core_no_error() || !align || !range) {
		printf("ok - a range of a buffer # SKIP\n");
		return;
	}
	range(GL_TEXTURE_BUFFER, GL_R32F, buffer, align * 2, 400);
	draw_with(fetch_here[FLOATS], 10);
	tap(is_value(5, align / 2 + 15), "a range of a buffer is fetched from");
	test_size();
}

/*
 * The memory is too large to be kept after it is freed, so that new memory gets the id of freed
 * memory.
 */
static void test_numbers(GLuint buffer)
{
	static GLfloat data[10 << 20];
	GLuint textures[2];
	bool ok = true;

	glGenTextures(2, textures);
	for (int i = 0; i < 6; i++) {
		data[0] = i + 1;
		glBufferData(GL_TEXTURE_BUFFER, sizeof(data), data, GL_STATIC_DRAW);
		glBindTexture(GL_TEXTURE_BUFFER, textures[i % 2]);
		if (i < 2)
			glTexBuffer(GL_TEXTURE_BUFFER, i % 2 ? GL_RGBA32F : GL_R32F, buffer);
		draw_with(fetch_here[FLOATS], 0);
		ok &= is_value(0, i + 1);
		/* Nothing waits for this draw. */
		draw_with(fetch_here[FLOATS], 0);
	}
	tap(ok && core_no_error(),
	    "a texel of memory that has the number of other memory before it");
	glDeleteTextures(2, textures);
}

/* Texture units with buffers and units with textures, in one program. */
static void test_mixed(GLuint buffer)
{
	static const char vertex[] =
		"#version 330\n"
		"in vec2 vertex;\n"
		"void main() { gl_Position = vec4(vertex, 0.0, 1.0); }\n";
	static const char fragment[] =
		"#version 330\n"
		"uniform sampler2D plain;\n"
		"uniform samplerBuffer tex;\n"
		"uniform isamplerBuffer whole;\n"
		"out vec4 result;\n"
		"void main() {\n"
		"	result = vec4(texelFetch(tex, 4).x, texelFetch(whole, 2).x, texture(plain, "
		"vec2(0.5)).y, 1.0);\n"
		"}\n";
	const GLint numbers[] = { 11, 22, 33, 44 };
	const GLuint program = core_program(vertex, fragment, 0, NULL, GL_NONE);
	GLuint textures[2], other = core_buffer(GL_COPY_READ_BUFFER, sizeof(numbers), numbers);
	GLfloat data[] = { 0, 1, 2, 3, 4, 5 }, seen[4];

	glBufferData(GL_TEXTURE_BUFFER, sizeof(data), data, GL_STATIC_DRAW);
	glTexBuffer(GL_TEXTURE_BUFFER, GL_R32F, buffer);
	glGenTextures(1, textures);
	glActiveTexture(GL_TEXTURE1);
	glBindTexture(GL_TEXTURE_BUFFER, textures[0]);
	glTexBuffer(GL_TEXTURE_BUFFER, GL_R32I, other);
	glActiveTexture(GL_TEXTURE2);
	textures[1] = gl_texture_new(4, 0x00ff00ff);
	glUseProgram(program);
	glUniform1i(glGetUniformLocation(program, "plain"), 2);
	glUniform1i(glGetUniformLocation(program, "tex"), 0);
	glUniform1i(glGetUniformLocation(program, "whole"), 1);
	glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
	glReadPixels(3, 3, 1, 1, GL_RGBA, GL_FLOAT, seen);
	tap(seen[0] == 4 && seen[1] == 33 && seen[2] == 1,
	    "two buffers and a texture are read by one program");
	glDeleteTextures(2, textures);
	glDeleteBuffers(1, &other);
	glActiveTexture(GL_TEXTURE0);
	glDeleteProgram(program);
}

/* Creates the objects of the current context. Returns the buffer of the buffer texture. */
static GLuint set_up(void)
{
	GLuint picture, texture;

	make_programs();
	glGenTextures(1, &picture);
	glBindTexture(GL_TEXTURE_2D, picture);
	glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA32F, CORE_SIZE, CORE_SIZE, 0, GL_RGBA, GL_FLOAT,
		     NULL);
	gl_draw_to(picture, CORE_SIZE, CORE_SIZE);
	core_buffer(GL_ARRAY_BUFFER, sizeof(gl_corners), gl_corners);
	glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
	glEnableVertexAttribArray(0);
	glGenTextures(1, &texture);
	glBindTexture(GL_TEXTURE_BUFFER, texture);
	return core_buffer(GL_TEXTURE_BUFFER, 400, NULL);
}

static void test_old_formats(void)
{
	const EGLContext context = gl_context_new(EGL_NO_CONTEXT);
	GLuint buffer;

	gl_use(context);
	buffer = set_up();
	for (size_t i = 0; i < sizeof(old_formats) / sizeof(old_formats[0]); i++)
		test_format(&old_formats[i], buffer);
	tap(core_no_error(), "there is no error to tell");
	gl_use(gl.context);
	eglDestroyContext(gl.display, context);
}

int main(void)
{
	GLuint buffer;

	core_open();
	buffer = set_up();
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		test_format(&formats[i], buffer);
	glTexBuffer(GL_TEXTURE_BUFFER, GL_R32F, buffer);
	glBufferData(GL_TEXTURE_BUFFER, 402, NULL, GL_STATIC_DRAW);
	test_size();
	test_changes();
	test_written(buffer);
	test_range(buffer);
	test_numbers(buffer);
	test_mixed(buffer);
	tap(core_no_error(), "there is no error to tell");
	test_old_formats();
	gl_close();
	return tap_failures() != 0;
}
