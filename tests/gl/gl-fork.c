// SPDX-License-Identifier: MIT
/*
 * Children of a program that has initialised EGL: they make contexts and draw, as multiprocessing
 * of Python's programs does. Each case runs in a process of its own, because a program has one
 * surfaceless display. Prints TAP.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES2/gl2.h>

#include "patience.h"
#include "tap.h"

#define CHILDREN 3
#define SIZE 64

struct scenario {
	const char *name;
	bool ended;		/* the parent had a context and destroyed it */
	bool terminates;	/* children terminate the display first */
};

static const struct scenario scenarios[] = {
	{ .name = "children of a program that initialised EGL draw" },
	{ .name = "children of a program that ended its context draw", .ended = true },
	{ .name = "children that terminate the display draw", .terminates = true },
};

static EGLDisplay display;
static EGLContext context;
static GLint color;

static GLuint shader_new(GLenum type, const char *source)
{
	const GLuint shader = glCreateShader(type);

	glShaderSource(shader, 1, &source, NULL);
	glCompileShader(shader);
	return shader;
}

static void use_program(void)
{
	static const GLfloat corners[] = { -1, -1, 1, -1, -1, 1, 1, 1 };
	const GLuint program = glCreateProgram();

	glAttachShader(program, shader_new(GL_VERTEX_SHADER,
		"attribute vec2 vertex;\n"
		"void main() { gl_Position = vec4(vertex, 0.0, 1.0); }\n"));
	glAttachShader(program, shader_new(GL_FRAGMENT_SHADER,
		"precision highp float;\n"
		"uniform vec4 color;\n"
		"void main() { gl_FragColor = color; }\n"));
	glBindAttribLocation(program, 0, "vertex");
	glLinkProgram(program);
	glUseProgram(program);
	color = glGetUniformLocation(program, "color");
	glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, corners);
	glEnableVertexAttribArray(0);
}

static void use_texture(void)
{
	GLuint texture, framebuffer;

	glGenTextures(1, &texture);
	glBindTexture(GL_TEXTURE_2D, texture);
	glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, SIZE, SIZE, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
	glGenFramebuffers(1, &framebuffer);
	glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
	glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
	glViewport(0, 0, SIZE, SIZE);
}

static bool initialize(void)
{
	display = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
	return eglInitialize(display, NULL, NULL) && eglBindAPI(EGL_OPENGL_ES_API);
}

/* Makes a context current. Returns false if EGL fails. */
static bool start(void)
{
	static const EGLint version[] = { EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE };

	if (!initialize())
		return false;
	context = eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, version);
	if (!context || !eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context)) {
		printf("# no context: %#x\n", eglGetError());
		return false;
	}
	use_program();
	use_texture();
	return true;
}

static void end_context(void)
{
	eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
	eglDestroyContext(display, context);
	context = EGL_NO_CONTEXT;
}

/* Draws @n pictures of different colours. Returns true if all pixels of them are right. */
static bool draw(int n)
{
	static unsigned char pixels[SIZE * SIZE][4];
	int wrong = 0;

	for (int i = 0; i < n; i++) {
		const int green = i * 7 & 0xff;

		glUniform4f(color, 0.2f, green / 255.0f, 0, 1);
		glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
		glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
		for (int at = 0; at < SIZE * SIZE; at++)
			wrong += pixels[at][0] != 0x33 || pixels[at][1] != green ||
				 pixels[at][2] || pixels[at][3] != 0xff;
	}
	if (wrong)
		printf("# %d pixels are wrong\n", wrong);
	return !wrong && glGetError() == GL_NO_ERROR;
}

/* Forks a process that runs @what and ends with it. SIGALRM ends a process that hangs. */
static pid_t spawn(bool (*what)(const struct scenario *s), const struct scenario *s)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid)
		return pid;
	alarm(PATIENCE_MS / 1000);
	exit(what(s) ? 0 : 1);
}

static bool succeeds(pid_t pid)
{
	int status = -1;

	if (waitpid(pid, &status, 0) != pid)
		return false;
	if (status)
		printf("# a process ended with wait status %#x\n", (unsigned int)status);
	return !status;
}

static bool run_child(const struct scenario *s)
{
	bool ok;

	if (s->terminates)
		eglTerminate(display);
	ok = start() && draw(5);
	end_context();
	eglTerminate(display);
	return ok;
}

static bool run_parent(const struct scenario *s)
{
	pid_t children[CHILDREN];
	bool ok = initialize();

	if (s->ended) {
		ok = ok && start() && draw(5);
		end_context();
	}
	for (int i = 0; ok && i < CHILDREN; i++)
		children[i] = spawn(run_child, s);
	if (!ok)
		return false;
	ok = start() && draw(20);
	for (int i = 0; i < CHILDREN; i++)
		ok = succeeds(children[i]) && ok;
	return ok && draw(20);
}

int main(void)
{
	for (unsigned int i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]); i++)
		tap(succeeds(spawn(run_parent, &scenarios[i])), "%s", scenarios[i].name);
	return tap_failures() != 0;
}
