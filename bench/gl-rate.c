// SPDX-License-Identifier: MIT
/*
 * Measures how often a second OpenGL does single operations: draws, state changes, transfers. Each
 * runs in a loop for some seconds. Draws cover a few pixels, so that the rasterizer does not count.
 * Transfers have two sizes, of which the small one fits into CPU caches and is dominated by the
 * time to wait for the device. "memcpy" is a copy by the CPU, to one place and to two by turns, to
 * compare transfers with. Prints JSON.
 *
 * usage: gl-rate [SECONDS [FIGURE]]
 */
#include <err.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GL_GLEXT_PROTOTYPES 1
#include <GL/glcorearb.h>

#include "rate.h"
#include "surfaceless.h"

#define STREAMED (64 << 10)		/* bytes of the buffer that is mapped over and over */
#define DRAWS 1000			/* in a slice */
#define TRANSFERS 8
#define FRAMES 100
#define FRAME_DRAWS 20
#define N_PROGRAMS 8
#define LARGE ", 4K" /* suffix of the names of transfers that are larger than caches */

static const char vertex_source[] =
	"#version 330 core\n"
	"in vec2 vertex;\n"
	"void main() { gl_Position = vec4(vertex, 0.0, 1.0); }\n";

/* A number makes each program a different one. */
static const char fragment_source[] =
	"#version 330 core\n"
	"uniform sampler2D tex;\n"
	"uniform vec4 tint;\n"
	"out vec4 color;\n"
	"void main() { color = texture(tex, gl_FragCoord.xy / 1024.0) * tint + %d.0 / 255.0; }\n";

static const GLfloat corners[] = { -0.5f, -0.5f, -0.498f, -0.5f, -0.5f, -0.498f };

static struct {
	GLuint programs[N_PROGRAMS], vertices, streamed;
	GLint tint;
	/* Source and target of transfers and of draws; created again for each size. */
	GLsizei width, height;
	GLsizeiptr size;	/* bytes */
	GLuint textures[2], picture, framebuffer, large, pack;
	uint8_t *pixels, *copies[2];
} gl;

/* Set up */

static void make_context(void)
{
	static const EGLint attributes[] = {
		EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 3,
		EGL_CONTEXT_OPENGL_PROFILE_MASK, EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, EGL_NONE,
	};

	surfaceless_context(EGL_OPENGL_API, attributes);
	fprintf(stderr, "gl-rate: on %s\n", glGetString(GL_RENDERER));
}

static void attach(GLuint program, GLenum type, const char *source)
{
	GLuint shader = glCreateShader(type);

	glShaderSource(shader, 1, &source, NULL);
	glCompileShader(shader);
	glAttachShader(program, shader);
	glDeleteShader(shader);
}

static GLuint make_program(int number)
{
	GLuint program = glCreateProgram();
	char source[sizeof(fragment_source) + 16];
	GLint ok;

	snprintf(source, sizeof(source), fragment_source, number);
	attach(program, GL_VERTEX_SHADER, vertex_source);
	attach(program, GL_FRAGMENT_SHADER, source);
	glBindAttribLocation(program, 0, "vertex");
	glLinkProgram(program);
	glGetProgramiv(program, GL_LINK_STATUS, &ok);
	if (!ok)
		errx(1, "a program does not link");
	glUseProgram(program);
	glUniform4f(glGetUniformLocation(program, "tint"), 1, 1, 1, 1);
	return program;
}

static GLuint make_texture(void)
{
	GLuint texture;

	glGenTextures(1, &texture);
	glBindTexture(GL_TEXTURE_2D, texture);
	glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, gl.width, gl.height);
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
	glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, gl.width, gl.height, GL_RGBA, GL_UNSIGNED_BYTE,
			gl.pixels);
	return texture;
}

static GLuint make_buffer(GLenum target, GLsizeiptr size, const void *data, GLenum usage)
{
	GLuint buffer;

	glGenBuffers(1, &buffer);
	glBindBuffer(target, buffer);
	glBufferData(target, size, data, usage);
	return buffer;
}

static void make_framebuffer(void)
{
	gl.picture = make_texture();
	glGenFramebuffers(1, &gl.framebuffer);
	glBindFramebuffer(GL_FRAMEBUFFER, gl.framebuffer);
	glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, gl.picture, 0);
	if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
		errx(1, "the framebuffer is not complete");
	glViewport(0, 0, gl.width, gl.height);
}

static void make_pictures(GLsizei width, GLsizei height)
{
	gl.width = width;
	gl.height = height;
	gl.size = (GLsizeiptr)width * height * 4;
	gl.pixels = malloc(gl.size);
	if (!gl.pixels)
		err(1, "memory");
	for (GLsizeiptr i = 0; i < gl.size; i++)
		gl.pixels[i] = i * 31;
	memcpy(gl.pixels, corners, sizeof(corners)); /* this buffer is used as vertex buffer, too */
	for (int i = 0; i < 2; i++) {
		gl.copies[i] = malloc(gl.size);
		if (!gl.copies[i])
			err(1, "memory");
		memset(gl.copies[i], 0, gl.size);
		gl.textures[i] = make_texture();
	}
	make_framebuffer();
	gl.large = make_buffer(GL_ARRAY_BUFFER, gl.size, gl.pixels, GL_DYNAMIC_DRAW);
	gl.pack = make_buffer(GL_PIXEL_PACK_BUFFER, gl.size, NULL, GL_STREAM_READ);
	glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
}

static void destroy_pictures(void)
{
	glDeleteBuffers(1, &gl.pack);
	glDeleteBuffers(1, &gl.large);
	glDeleteFramebuffers(1, &gl.framebuffer);
	glDeleteTextures(1, &gl.picture);
	glDeleteTextures(2, gl.textures);
	for (int i = 0; i < 2; i++)
		free(gl.copies[i]);
	free(gl.pixels);
}

static void use_vertices(GLuint buffer)
{
	glBindBuffer(GL_ARRAY_BUFFER, buffer);
	glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
}

static void set_up(void)
{
	GLuint array;

	glGenVertexArrays(1, &array);
	glBindVertexArray(array);
	for (int i = 0; i < N_PROGRAMS; i++)
		gl.programs[i] = make_program(i);
	gl.tint = glGetUniformLocation(gl.programs[N_PROGRAMS - 1], "tint");
	gl.streamed = make_buffer(GL_ARRAY_BUFFER, STREAMED, NULL, GL_STREAM_DRAW);
	gl.vertices = make_buffer(GL_ARRAY_BUFFER, sizeof(corners), corners, GL_STATIC_DRAW);
	glEnableVertexAttribArray(0);
	use_vertices(gl.vertices);
}

static void draw(void)
{
	glDrawArrays(GL_TRIANGLES, 0, 3);
}

/* Slices of work that are measured. Each returns how much it did */

static double draws(void)
{
	for (int i = 0; i < DRAWS; i++)
		draw();
	return DRAWS;
}

static double states(void)
{
	for (int i = 0; i < DRAWS; i++) {
		if (i & 1)
			glEnable(GL_BLEND);
		else
			glDisable(GL_BLEND);
		glBindTexture(GL_TEXTURE_2D, gl.textures[i & 1]);
		draw();
	}
	return DRAWS;
}

static double uniforms(void)
{
	for (int i = 0; i < DRAWS; i++) {
		glUniform4f(gl.tint, i * 0.001f, 1, 1, 1);
		draw();
	}
	return DRAWS;
}

static double programs(void)
{
	for (int i = 0; i < DRAWS; i++) {
		glUseProgram(gl.programs[(i + 1) % N_PROGRAMS]);
		draw();
	}
	return DRAWS;
}

static double map_discard(void)
{
	use_vertices(gl.streamed);
	for (int i = 0; i < DRAWS / 10; i++) {
		void *map = glMapBufferRange(GL_ARRAY_BUFFER, 0, STREAMED,
					     GL_MAP_WRITE_BIT | GL_MAP_INVALIDATE_BUFFER_BIT);

		memset(map, 0, sizeof(corners));
		glUnmapBuffer(GL_ARRAY_BUFFER);
		draw();
	}
	use_vertices(gl.vertices);
	return DRAWS / 10;
}

static double upload_texture(void)
{
	for (int i = 0; i < TRANSFERS; i++) {
		glBindTexture(GL_TEXTURE_2D, gl.textures[i & 1]);
		glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, gl.width, gl.height, GL_RGBA,
				GL_UNSIGNED_BYTE, gl.pixels);
		draw();
	}
	return TRANSFERS * (double)gl.size / 1e6;
}

static double upload_buffer(void)
{
	use_vertices(gl.large);
	for (int i = 0; i < TRANSFERS; i++) {
		glBufferSubData(GL_ARRAY_BUFFER, 0, gl.size, gl.pixels);
		draw();
	}
	use_vertices(gl.vertices);
	return TRANSFERS * (double)gl.size / 1e6;
}

static double read_pixels(void)
{
	for (int i = 0; i < TRANSFERS; i++) {
		draw();
		glReadPixels(0, 0, gl.width, gl.height, GL_RGBA, GL_UNSIGNED_BYTE, gl.copies[0]);
	}
	return TRANSFERS * (double)gl.size / 1e6;
}

static double read_texture(void)
{
	glBindBuffer(GL_PIXEL_PACK_BUFFER, gl.pack);
	glBindTexture(GL_TEXTURE_2D, gl.textures[0]);
	for (int i = 0; i < TRANSFERS; i++) {
		glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
		if (!glMapBufferRange(GL_PIXEL_PACK_BUFFER, 0, gl.size, GL_MAP_READ_BIT))
			errx(1, "a buffer cannot be mapped");
		glUnmapBuffer(GL_PIXEL_PACK_BUFFER);
	}
	glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
	return TRANSFERS * (double)gl.size / 1e6;
}

static double copies(void)
{
	return rate_memcpy(gl.copies[0], gl.pixels, gl.size, TRANSFERS);
}

/*
 * A driver cannot upload to the place that the device still reads the last upload from: two places
 * by turns.
 */
static double copies_in_turns(void)
{
	double done = 0;

	for (int i = 0; i < TRANSFERS; i++)
		done += rate_memcpy(gl.copies[i & 1], gl.pixels, gl.size, 1);
	return done;
}

static double frames(void)
{
	for (int i = 0; i < FRAMES; i++) {
		glClear(GL_COLOR_BUFFER_BIT);
		for (int n = 0; n < FRAME_DRAWS; n++)
			draw();
		glFinish();
	}
	return FRAMES;
}

struct figure {
	const char *name;
	double (*slice)(void);	/* returns a number of the unit that the name says */
};

static const struct figure figures[] = {
	{ "draws", draws },
	{ "draws, state changed", states },
	{ "draws, uniform changed", uniforms },
	{ "draws, program changed", programs },
	{ "draws, buffer mapped and discarded", map_discard },
	{ "frames of 20 draws", frames },
};

static const struct figure transfers[] = {
	{ "MB to a texture", upload_texture },
	{ "MB to a buffer", upload_buffer },
	{ "MB by ReadPixels", read_pixels },
	{ "MB by GetTexImage to a buffer", read_texture },
	{ "MB by memcpy", copies },
	{ "MB by memcpy to two places", copies_in_turns },
};

static void measure(double (*slice)(void), const char *name, double seconds)
{
	struct rate rate;
	double done;

	slice();	/* the first use creates the objects of the slice */
	glFinish();
	rate = rate_begin(seconds);
	do {
		done = slice();
		glFinish();
	} while (rate_add(&rate, done));
	rate_print(&rate, "small", name);
}

/* Returns the context switches of the whole machine since boot, with those of other processes. */
static long all_switches(void)
{
	FILE *file = fopen("/proc/stat", "r");
	char line[1024];
	long n = 0;

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "ctxt %ld", &n) == 1)
			break;
	if (file)
		fclose(file);
	return n;
}

/* Prints the lowest count of some slices, when other processes did least. */
static void measure_switches(void)
{
	double fewest = 1e9;

	for (int i = 0; i < 20; i++) {
		const long before = all_switches();
		const double n = frames(), each = (all_switches() - before) / n;

		if (each < fewest)
			fewest = each;
	}
	printf("{\"group\": \"small\", \"name\": \"context switches a frame\", \"value\": %.1f}\n",
	       fewest);
}

/*
 * Measures each figure of a list, with @of as suffix of its name; only @figure unless that is NULL.
 */
static void measure_each(const struct figure *list, size_t n, const char *of, const char *figure,
			 double seconds)
{
	char name[64];

	for (size_t i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "%s%s", list[i].name, of);
		if (!figure || !strcmp(figure, name))
			measure(list[i].slice, name, seconds);
	}
}

#define N(list) (sizeof(list) / sizeof(*(list)))

int main(int argc, char **argv)
{
	const double seconds = argc > 1 ? atof(argv[1]) : 1;
	const char *figure = argc > 2 ? argv[2] : NULL;

	make_context();
	set_up();
	make_pictures(1024, 1024);
	measure_each(figures, N(figures), "", figure, seconds);
	if (!figure)
		measure_switches();
	measure_each(transfers, N(transfers), "", figure, seconds);
	destroy_pictures();
	if (!figure || strstr(figure, LARGE)) {
		make_pictures(3840, 2160);
		measure_each(transfers, N(transfers), LARGE, figure, seconds);
		destroy_pictures();
	}
	return glGetError() != GL_NO_ERROR;
}
