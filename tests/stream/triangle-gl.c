// SPDX-License-Identifier: MIT
/*
 * The triangle scene in OpenGL ES 2 on a surfaceless EGL display, the reference for
 * triangle-stream: a test compares their pixels and their frames per second.
 */
#include <err.h>
#include <stdbool.h>

#include "gles.h"
#include "picture.h"
#include "triangle.h"

static const char vertex_source[] =
	"attribute vec4 vertex;\n"
	"uniform mat4 matrix;\n"
	"varying vec2 coord;\n"
	"void main() { coord = vertex.zw; gl_Position = matrix * vec4(vertex.xy, 0.0, 1.0); }\n";

static const char fragment_source[] =
	"precision highp float;\n"
	"varying vec2 coord;\n"
	"uniform sampler2D tex;\n"
	"void main() { gl_FragColor = texture2D(tex, coord); }\n";

static GLuint make_program(void)
{
	GLuint program = gles_program(vertex_source, fragment_source);

	glUseProgram(program);
	return program;
}

static void make_texture(void)
{
	static uint8_t texels[TEXTURE_SIZE][TEXTURE_SIZE][4];
	GLuint texture;

	for (int y = 0; y < TEXTURE_SIZE; y++)
		for (int x = 0; x < TEXTURE_SIZE; x++)
			triangle_texel(x, y, texels[y][x]);
	glGenTextures(1, &texture);
	glBindTexture(GL_TEXTURE_2D, texture);
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
	glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, TEXTURE_SIZE, TEXTURE_SIZE, 0, GL_RGBA,
		     GL_UNSIGNED_BYTE, texels);
}

static void make_target(const struct triangle_options *o)
{
	GLuint texture, framebuffer;

	glGenTextures(1, &texture);
	glActiveTexture(GL_TEXTURE1);
	glBindTexture(GL_TEXTURE_2D, texture);
	glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, o->width, o->height, 0, GL_RGBA, GL_UNSIGNED_BYTE,
		     NULL);
	glActiveTexture(GL_TEXTURE0);
	glGenFramebuffers(1, &framebuffer);
	glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
	glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
	if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
		errx(1, "framebuffer is not complete");
	glViewport(0, 0, o->width, o->height);
}

static void draw_frame(const struct triangle_options *o, GLint matrix_location, int frame)
{
	float matrix[16];

	glClearColor(triangle_clear[0], triangle_clear[1], triangle_clear[2], triangle_clear[3]);
	glClear(GL_COLOR_BUFFER_BIT);
	for (int i = 0; i < o->draws; i++) {
		triangle_matrix(frame, i, matrix);
		glUniformMatrix4fv(matrix_location, 1, GL_FALSE, matrix);
		glDrawArrays(GL_TRIANGLES, 0, 3);
	}
	if (o->in_flight == 1)
		glFinish();
	else
		glFlush();
}

static bool save(const struct triangle_options *o)
{
	const int pitch = o->width * 4;
	uint8_t *pixels = malloc((size_t)pitch * o->height);
	bool ok;

	if (!pixels)
		return false;
	glReadPixels(0, 0, o->width, o->height, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
	ok = picture_save(o->png, pixels, o->width, o->height, -pitch);
	free(pixels);
	return ok;
}

int main(int argc, char **argv)
{
	const struct triangle_options o = triangle_parse(argc, argv);
	GLint matrix_location;
	double start = 0.0;

	gles_context();
	matrix_location = glGetUniformLocation(make_program(), "matrix");
	make_texture();
	make_target(&o);
	glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, 0, triangle_vertices);
	glEnableVertexAttribArray(0);
	for (int frame = 0; frame < o.frames; frame++) {
		/* Starts the clock after the first frame, which compiles the shaders. */
		if (frame == 1) {
			glFinish();
			start = triangle_now();
		}
		draw_frame(&o, matrix_location, frame);
	}
	glFinish();
	if (o.frames > 1)
		printf("fps %.1f\n", (o.frames - 1) / (triangle_now() - start));
	printf("renderer %s\n", (const char *)glGetString(GL_RENDERER));
	return o.png && !save(&o);
}
