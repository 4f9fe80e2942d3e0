// SPDX-License-Identifier: MIT
/*
 * How many pipe_resources a second a driver can make and destroy: an OpenGL ES program that gives a
 * renderbuffer new storage over and over, which is the shortest way through the API. Some may be
 * kept alive meanwhile. Prints JSON.
 * usage: pipe-rate [SECONDS [LIVE]]
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <GLES2/gl2.h>
#include <GLES2/gl2ext.h>

#include "gles.h"

#define SIZE 32		/* of 4 bytes a pixel: a page */
#define CHUNK 64	/* storages between two looks at the clock */

static void make_storage(GLsizei height)
{
	glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8_OES, SIZE, height);
}

static void make_renderbuffer(void)
{
	GLuint renderbuffer;

	glGenRenderbuffers(1, &renderbuffer);
	glBindRenderbuffer(GL_RENDERBUFFER, renderbuffer);
	make_storage(SIZE);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Another size each time: for the same one nothing would be done. Returns how many a second. */
static double rate(double seconds)
{
	const double start = now();
	unsigned long made = 0;
	double end;

	do {
		for (int i = 0; i < CHUNK; i++)
			make_storage(SIZE - 1 - i % 2);
		made += CHUNK;
		end = now();
	} while (end - start < seconds);
	return (double)made / (end - start);
}

int main(int argc, char **argv)
{
	const double seconds = argc > 1 ? atof(argv[1]) : 2.0;
	const long live = argc > 2 ? atol(argv[2]) : 0;
	double result;

	gles_context();
	for (long i = 0; i <= live; i++)
		make_renderbuffer();
	glFinish();
	rate(seconds / 4);	/* an emulated CPU is slow the first time */
	result = rate(seconds);
	if (glGetError() != GL_NO_ERROR)
		errx(1, "OpenGL failed");
	printf("{\"renderer\": \"%s\", \"live\": %ld, \"pipe_resources_per_second\": %.0f}\n",
	       (const char *)glGetString(GL_RENDERER), live, result);
	return 0;
}
