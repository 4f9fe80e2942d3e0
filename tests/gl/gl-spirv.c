// SPDX-License-Identifier: MIT
/*
 * SPIR-V shaders and specialization constants (GL_ARB_gl_spirv, GL_ARB_spirv_extensions). Prints
 * TAP.
 */
#include "gl-core.h"

#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "spirv-shaders.h"

struct constants {
	GLuint n;
	const GLuint *ids, *values;
};

#define SHADER(code) code, sizeof(code)

static PFNGLSPECIALIZESHADERPROC specialize;

static GLuint load(GLenum type, const uint32_t *code, GLsizei size)
{
	const GLuint shader = glCreateShader(type);

	glShaderBinary(1, &shader, GL_SHADER_BINARY_FORMAT_SPIR_V, code, size);
	return shader;
}

static bool compiled(GLuint shader)
{
	GLint ok = GL_FALSE;

	glGetShaderiv(shader, GL_COMPILE_STATUS, &ok);
	return ok;
}

static GLuint specialized(GLenum type, const uint32_t *code, GLsizei size, struct constants c)
{
	const GLuint shader = load(type, code, size);

	specialize(shader, "main", c.n, c.ids, c.values);
	if (!compiled(shader))
		errx(1, "a shader is not specialised");
	return shader;
}

static GLuint linked(const GLuint *shaders, int n)
{
	const GLuint program = glCreateProgram();
	GLint ok;

	for (int i = 0; i < n; i++)
		glAttachShader(program, shaders[i]);
	glLinkProgram(program);
	glGetProgramiv(program, GL_LINK_STATUS, &ok);
	if (!ok)
		errx(1, "a program does not link");
	return program;
}

static GLuint drawing_program(struct constants c)
{
	const GLuint shaders[] = {
		specialized(GL_VERTEX_SHADER, SHADER(spirv_vert), (struct constants){ 0 }),
		specialized(GL_FRAGMENT_SHADER, SHADER(spirv_frag), c),
	};

	return linked(shaders, 2);
}

/* Names are optional in SPIR-V: uniforms and blocks are bound by their numbers. */
static void bind_resources(void)
{
	static const GLfloat block[] = { 9, 9, 9, 9, 0, 0.25f, 0, 0 };

	glBindBufferBase(GL_UNIFORM_BUFFER, 1,
			 core_buffer(GL_UNIFORM_BUFFER, sizeof(block), block));
	glActiveTexture(GL_TEXTURE4);
	gl_texture_new(1, 0x33000000);
	core_buffer(GL_ARRAY_BUFFER, sizeof(gl_corners), gl_corners);
	glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
	glEnableVertexAttribArray(0);
}

static bool draws(GLuint program, uint32_t left, uint32_t right)
{
	glUseProgram(program);
	glUniform4f(2, 0.2f, 0.25f, 0, 1);
	glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
	return gl_pixel_is(2, 9, left, 1) && gl_pixel_is(13, 9, right, 1) && core_no_error();
}

/* Returns a program that was saved as a binary and loaded again. */
static GLuint loaded(GLuint program)
{
	const GLuint copy = glCreateProgram();
	GLint size = 0, ok;
	GLenum format;
	void *binary;

	glGetProgramiv(program, GL_PROGRAM_BINARY_LENGTH, &size);
	binary = malloc(size);
	glGetProgramBinary(program, size, NULL, &format, binary);
	glProgramBinary(copy, format, binary, size);
	free(binary);
	glGetProgramiv(copy, GL_LINK_STATUS, &ok);
	if (!ok)
		errx(1, "a program is not loaded");
	return copy;
}

static void test_drawing(void)
{
	static const GLuint ids[] = { 9, 7 };
	const GLfloat share = 0.6f;
	GLuint values[] = { 0, 1 };

	memcpy(values, &share, sizeof(share));
	bind_resources();
	tap(draws(drawing_program((struct constants){ 0 }), 0x668000ff, 0x806600ff),
	    "shaders with their own constants");
	tap(draws(drawing_program((struct constants){ 2, ids, values }), 0x806699ff, 0x668099ff),
	    "and with others");
	tap(draws(drawing_program((struct constants){ 1, ids, values }), 0x668099ff, 0x806699ff),
	    "and with one other");
	tap(draws(loaded(drawing_program((struct constants){ 2, ids, values })), 0x806699ff,
		  0x668099ff),
	    "and from a binary");
}

/*
 * Clip distances that are not enabled do not clip, and a triangle with a corner inside is not
 * culled.
 */
static void test_distances(void)
{
	const GLuint shaders[] = {
		specialized(GL_VERTEX_SHADER, SHADER(distances_vert), (struct constants){ 0 }),
		specialized(GL_FRAGMENT_SHADER, SHADER(distances_frag), (struct constants){ 0 }),
		specialized(GL_GEOMETRY_SHADER, SHADER(distances_geom), (struct constants){ 0 }),
	};

	for (int n = 2; n <= 3; n++) {
		bool right = true;

		glUseProgram(linked(shaders, n));
		for (int clips = 0; clips < 2; clips++) {
			(clips ? glEnable : glDisable)(GL_CLIP_DISTANCE4);
			glClear(GL_COLOR_BUFFER_BIT);
			glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
			right = right && gl_pixel_is(2, 9, clips ? 0 : 0x00ff00ff, 1) &&
				gl_pixel_is(13, 9, 0xffff00ff, 1);
		}
		tap(right, "distances%s", n == 3 ? " that a geometry shader hands on" : "");
	}
	glDisable(GL_CLIP_DISTANCE4);
}

/* A fragment depth with a declared relation to the interpolated depth. */
static void test_depth(void)
{
	const GLuint shaders[] = {
		specialized(GL_VERTEX_SHADER, SHADER(distances_vert), (struct constants){ 0 }),
		specialized(GL_FRAGMENT_SHADER, SHADER(depth_frag), (struct constants){ 0 }),
	};

	glUseProgram(linked(shaders, 2));
	glClear(GL_COLOR_BUFFER_BIT);
	glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
	tap(gl_pixel_is(13, 9, 0x00ff00ff, 1) && core_no_error(), "a depth that is greater");
}

/* More distances than a vector has components; the shader reads the last ones first. */
static void test_many_distances(void)
{
	static const char vertex[] =
		"#version 450\n"
		"layout(location = 0) in vec2 vertex;\n"
		"out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[7]; "
		"float gl_CullDistance[1]; };\n"
		"void main() {\n"
		"	gl_Position = vec4(vertex, 0.0, 1.0);\n"
		"	for (int i = 0; i < 7; i++)\n"
		"		gl_ClipDistance[i] = float(i + 1) / 8.0;\n"
		"	gl_CullDistance[0] = 1.0;\n"
		"}\n";
	static const char fragment[] =
		"#version 450\n"
		"in float gl_ClipDistance[7];\n"
		"layout(location = 0) out vec4 result;\n"
		"void main() { result = vec4(gl_ClipDistance[6], gl_ClipDistance[1], 0.0, "
		"1.0); }\n";
	const char *const sources[] = { vertex, fragment };
	GLuint pipeline;

	glUseProgram(0);
	glGenProgramPipelines(1, &pipeline);
	glBindProgramPipeline(pipeline);
	glUseProgramStages(pipeline, GL_VERTEX_SHADER_BIT,
			   glCreateShaderProgramv(GL_VERTEX_SHADER, 1, &sources[0]));
	glUseProgramStages(pipeline, GL_FRAGMENT_SHADER_BIT,
			   glCreateShaderProgramv(GL_FRAGMENT_SHADER, 1, &sources[1]));
	glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
	tap(gl_pixel_is(9, 9, 0xdf4000ff, 1) && core_no_error(),
	    "the seventh distance of separate programs");
	glBindProgramPipeline(0);
	glDeleteProgramPipelines(1, &pipeline);
}

static void test_compute(void)
{
	static const GLuint ids[] = { 1, 2 }, values[] = { 5, 3 };
	const struct constants c = { 2, ids, values };
	const GLuint shader = specialized(GL_COMPUTE_SHADER, SHADER(spirv_comp), c);
	const GLuint words = core_words(16, 77), counters = core_words(2, 1000);
	uint32_t seen[16], counted[2];
	bool right = true;

	glUseProgram(linked(&shader, 1));
	glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 3, words);
	glBindBufferBase(GL_ATOMIC_COUNTER_BUFFER, 0, counters);
	glDispatchCompute(1, 1, 1);
	core_read_words(words, 0, seen, 16);
	core_read_words(counters, 0, counted, 2);
	for (uint32_t i = 0; i < 16; i++)
		right = right && seen[i] == (i < 10 ? i * 3 + 5 : 77);
	tap(right, "a group that is as wide as a constant says");
	tap(counted[0] == 1000 && counted[1] == 1010, "an atomic counter at its offset");
}

static void test_states(void)
{
	const GLuint shader = load(GL_FRAGMENT_SHADER, SHADER(spirv_frag));
	const GLuint unknown = 8, value = 0;
	GLint spirv = GL_FALSE;

	glGetShaderiv(shader, GL_SPIR_V_BINARY_ARB, &spirv);
	tap(spirv && !compiled(shader), "SPIR-V is not compiled before it is specialised");
	specialize(shader, "niam", 0, NULL, NULL);
	tap(glGetError() == GL_INVALID_VALUE && !compiled(shader),
	    "an entry point that is not there");
	specialize(shader, "main", 1, &unknown, &value);
	tap(glGetError() == GL_INVALID_VALUE && !compiled(shader), "a constant that is not there");
	specialize(shader, "main", 0, NULL, NULL);
	tap(core_no_error() && compiled(shader), "after that it can still be specialised");
	specialize(shader, "main", 0, NULL, NULL);
	tap(glGetError() == GL_INVALID_OPERATION, "but not twice");
}

/* Mesa 25.0 reports no extensions, although it accepts some. */
static void test_extensions(void)
{
	bool named = true;
	GLint n = -1;

	glGetIntegerv(GL_NUM_SPIR_V_EXTENSIONS, &n);
	for (int i = 0; i < n; i++) {
		const char *name = (const char *)glGetStringi(GL_SPIR_V_EXTENSIONS, i);

		named = named && name && !strncmp(name, "SPV_", 4);
	}
	tap(n >= 0 && named && core_no_error(), "%d extensions of SPIR-V have names", n);
	tap(!glGetStringi(GL_SPIR_V_EXTENSIONS, n) && glGetError() == GL_INVALID_VALUE,
	    "and no more");
}

int main(void)
{
	static const EGLint attributes[] = { EGL_CONTEXT_MAJOR_VERSION, 4,
					     EGL_CONTEXT_MINOR_VERSION, 6, EGL_NONE };

	core_open();
	core_use_new(attributes);
	specialize = (PFNGLSPECIALIZESHADERPROC)eglGetProcAddress("glSpecializeShader");
	test_drawing();
	test_distances();
	test_depth();
	test_many_distances();
	test_compute();
	test_states();
	test_extensions();
	gl_close();
	return tap_failures() != 0;
}
