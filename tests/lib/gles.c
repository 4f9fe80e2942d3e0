// SPDX-License-Identifier: MIT
/* Implements the helpers of gles.h. */
#include "gles.h"

#include <err.h>
#include <stddef.h>

#include "surfaceless.h"

void gles_context(void)
{
	static const EGLint attributes[] = { EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE };

	surfaceless_context(EGL_OPENGL_ES_API, attributes);
}

static GLuint compile(GLenum type, const char *source)
{
	GLuint shader = glCreateShader(type);
	GLint ok;

	glShaderSource(shader, 1, &source, NULL);
	glCompileShader(shader);
	glGetShaderiv(shader, GL_COMPILE_STATUS, &ok);
	if (!ok)
		errx(1, "a shader does not compile");
	return shader;
}

GLuint gles_program(const char *vertex_source, const char *fragment_source)
{
	GLuint program = glCreateProgram();
	GLint ok;

	glAttachShader(program, compile(GL_VERTEX_SHADER, vertex_source));
	glAttachShader(program, compile(GL_FRAGMENT_SHADER, fragment_source));
	glBindAttribLocation(program, 0, "vertex");
	glLinkProgram(program);
	glGetProgramiv(program, GL_LINK_STATUS, &ok);
	if (!ok)
		errx(1, "a program does not link");
	return program;
}
