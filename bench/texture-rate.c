// SPDX-License-Identifier: MIT
/*
 * How many textures a second an OpenGL ES program can make and delete again: one pipe_resource each,
 * with storage and no contents. Some may be kept alive meanwhile. Prints JSON.
 * usage: texture-rate [SECONDS [LIVE]]
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES2/gl2.h>

#define SIZE 32		/* RGBA: a page */
#define CHUNK 64	/* textures between two looks at the clock */

static void make_context(void)
{
	static const EGLint attributes[] = { EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE };
	EGLDisplay display = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
	EGLContext context;

	if (!eglInitialize(display, NULL, NULL) || !eglBindAPI(EGL_OPENGL_ES_API))
		errx(1, "no EGL display: %#x", eglGetError());
	context = eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, attributes);
	if (!eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context))
		errx(1, "no OpenGL ES context: %#x", eglGetError());
}

static GLuint make_texture(void)
{
	GLuint texture;

	glGenTextures(1, &texture);
	glBindTexture(GL_TEXTURE_2D, texture);
	/* Without mipmaps a driver knows at once what storage it takes. */
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
	glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, SIZE, SIZE, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
	return texture;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int main(int argc, char **argv)
{
	const double seconds = argc > 1 ? atof(argv[1]) : 2.0;
	const long live = argc > 2 ? atol(argv[2]) : 0;
	unsigned long made = 0;
	double start, end;

	make_context();
	for (long i = 0; i < live; i++)
		make_texture();
	glFinish();
	start = now();
	do {
		for (int i = 0; i < CHUNK; i++) {
			const GLuint texture = make_texture();

			glDeleteTextures(1, &texture);
		}
		made += CHUNK;
		end = now();
	} while (end - start < seconds);
	if (glGetError() != GL_NO_ERROR)
		errx(1, "OpenGL failed");
	printf("{\"renderer\": \"%s\", \"live\": %ld, \"textures_per_second\": %.0f}\n",
	       (const char *)glGetString(GL_RENDERER), live, (double)made / (end - start));
	return 0;
}
