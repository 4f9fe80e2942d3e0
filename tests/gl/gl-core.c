// SPDX-License-Identifier: MIT
/* Implements the helpers of gl-core.h. */
#include "gl-core.h"

#include <err.h>
#include <stdio.h>

const char core_position[] =
	"#version 330\n"
	"in vec4 vertex;\n"
	"void main() { gl_Position = vertex; }\n";

void core_use_new(const EGLint *attributes)
{
	GLuint array;

	eglDestroyContext(gl.display, gl.context);
	gl.context = eglCreateContext(gl.display, gl.config, EGL_NO_CONTEXT, attributes);
	if (gl.context == EGL_NO_CONTEXT)
		errx(1, "no such context of OpenGL: %#x", eglGetError());
	gl_use(gl.context);
	glGenVertexArrays(1, &array);
	glBindVertexArray(array);
	gl_draw_to(gl_texture_new(CORE_SIZE, 0), CORE_SIZE, CORE_SIZE);
}

void core_open(void)
{
	static const EGLint attributes[] = {
		EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 3,
		EGL_CONTEXT_OPENGL_PROFILE_MASK, EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, EGL_NONE,
	};

	gl_open(EGL_OPENGL_API);
	core_use_new(attributes);
}

void es3_open(void)
{
	static const EGLint attributes[] = { EGL_CONTEXT_MAJOR_VERSION, 3, EGL_NONE };

	gl_open(EGL_OPENGL_ES_API);
	core_use_new(attributes);
}

static void attach(GLuint program, GLenum type, const char *source)
{
	GLuint shader = glCreateShader(type);
	GLchar log[1024] = "";
	GLint ok;

	glShaderSource(shader, 1, &source, NULL);
	glCompileShader(shader);
	glGetShaderiv(shader, GL_COMPILE_STATUS, &ok);
	glGetShaderInfoLog(shader, sizeof(log), NULL, log);
	if (!ok)
		errx(1, "a shader does not compile: %s", log);
	glAttachShader(program, shader);
	glDeleteShader(shader);
}

static void link_program(GLuint program)
{
	GLchar log[1024] = "";
	GLint ok;

	glLinkProgram(program);
	glGetProgramiv(program, GL_LINK_STATUS, &ok);
	glGetProgramInfoLog(program, sizeof(log), NULL, log);
	if (!ok)
		errx(1, "a program does not link: %s", log);
}

GLuint core_link(const struct core_shader *shaders, int n_varyings, const char *const *varyings,
		 GLenum mode)
{
	GLuint program = glCreateProgram();

	for (; shaders->type; shaders++)
		if (shaders->source)
			attach(program, shaders->type, shaders->source);
	glBindAttribLocation(program, 0, "vertex");
	if (n_varyings)
		glTransformFeedbackVaryings(program, n_varyings, varyings, mode);
	link_program(program);
	return program;
}

GLuint core_slow_program(int number, const char *end)
{
	char fragment[8192];
	int length;

	length = snprintf(fragment, sizeof(fragment),
		"#version 330\n"
		"uniform float zero; uniform int turns; out vec4 colour;\n"
			  "void main() { float x = gl_FragCoord.x + %d.5;\n", number);
	length += gl_slow_statements(fragment + length, sizeof(fragment) - length, number);
	snprintf(fragment + length, sizeof(fragment) - length, "%s}\n", end);
	return core_program(core_position, fragment, 0, NULL, 0);
}

GLuint core_stages(const char *vertex, const char *geometry, const char *fragment)
{
	const struct core_shader shaders[] = {
		{ GL_VERTEX_SHADER, vertex }, { GL_GEOMETRY_SHADER, geometry },
		{ GL_FRAGMENT_SHADER, fragment }, { 0 },
	};

	return core_link(shaders, 0, NULL, 0);
}

GLuint core_program(const char *vertex, const char *fragment, int n_varyings,
		    const char *const *varyings, GLenum mode)
{
	const struct core_shader shaders[] = {
		{ GL_VERTEX_SHADER, vertex }, { GL_FRAGMENT_SHADER, fragment }, { 0 },
	};

	return core_link(shaders, n_varyings, varyings, mode);
}

GLuint core_compute(const char *source)
{
	GLuint program = glCreateProgram();

	attach(program, GL_COMPUTE_SHADER, source);
	link_program(program);
	return program;
}

GLuint core_buffer(GLenum target, GLsizeiptr size, const void *data)
{
	GLuint buffer;

	glGenBuffers(1, &buffer);
	glBindBuffer(target, buffer);
	glBufferData(target, size, data, GL_DYNAMIC_DRAW);
	return buffer;
}

GLuint core_words(int n, uint32_t value)
{
	static uint32_t words[65536];

	for (int i = 0; i < n; i++)
		words[i] = value;
	return core_buffer(GL_SHADER_STORAGE_BUFFER, n * sizeof(*words), words);
}

void core_read_words(GLuint buffer, int first, uint32_t *words, int n)
{
	glBindBuffer(GL_SHADER_STORAGE_BUFFER, buffer);
	glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
	glGetBufferSubData(GL_SHADER_STORAGE_BUFFER, first * sizeof(*words), n * sizeof(*words),
			   words);
}

void core_take_time(void)
{
	/* The compiler cannot compute the result of this loop in advance. */
	static const char source[] =
		"#version 430\n"
		"layout(local_size_x = 64) in;\n"
		"layout(std430, binding = 0) buffer Stored { uint words[]; };\n"
		"void main() {\n"
		"	uint k = words[gl_GlobalInvocationID.x];\n"
		"	for (uint i = 0u; i < 20000u; i++)\n"
		"		k = k * 1664525u + 1013904223u;\n"
		"	words[gl_GlobalInvocationID.x] = k;\n"
		"}\n";
	static GLuint program, words;

	if (!program) {
		program = core_compute(source);
		words = core_words(256, 1);
	}
	glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, words);
	glUseProgram(program);
	glDispatchCompute(4, 1, 1);
}

void core_cover(void)
{
	static const GLfloat corners[] = { -1, -1, 3, -1, -1, 3 };

	core_buffer(GL_ARRAY_BUFFER, sizeof(corners), corners);
	glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
	glEnableVertexAttribArray(0);
}

void core_is_seen(const char *fragment, uint32_t expected, const char *what)
{
	const GLuint program = core_stages(core_position, NULL, fragment);
	uint32_t seen;

	glUseProgram(program);
	glDrawArrays(GL_TRIANGLES, 0, 3);
	glDeleteProgram(program);
	seen = gl_pixel(7, 7);
	tap(seen == expected, "%s: %08x, not %08x", what, seen, expected);
}

GLint core_memory(GLenum which)
{
	GLint kib[4] = { 0 };

	glGetIntegerv(which, kib);
	return kib[0];
}

bool core_no_error(void)
{
	const GLenum error = glGetError();

	if (error != GL_NO_ERROR)
		printf("# error %#x\n", error);
	return error == GL_NO_ERROR;
}
