// SPDX-License-Identifier: MIT
/*
 * gl-cube OUT.png: vertices look up a cube map with every pair of filters and wrap modes, in all
 * directions and close to the seams. A row of the picture is one pair of states, a pixel one
 * look-up. The picture is for comparison with that of another driver.
 */
#include <err.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "gles.h"
#include "picture.h"

#define SIDE 28
#define WIDTH 1024		/* look-ups */

static const GLenum min_filters[] = {
	GL_NEAREST, GL_LINEAR, GL_NEAREST_MIPMAP_NEAREST, GL_LINEAR_MIPMAP_NEAREST,
	GL_NEAREST_MIPMAP_LINEAR, GL_LINEAR_MIPMAP_LINEAR,
};
static const GLenum mag_filters[] = { GL_NEAREST, GL_LINEAR };
static const GLenum wraps[] = { GL_REPEAT, GL_CLAMP_TO_EDGE, GL_MIRRORED_REPEAT };

#define HEIGHT (6 * 2 * 3 * 2)

/* position, level of detail, direction */
struct vertex {
	GLfloat at[2], lod, direction[3];
};

static const char *const vertex_sources[] = {
	"attribute vec2 vertex;\n"
	"attribute vec4 lookup;\n"
	"uniform samplerCube tex;\n"
	"varying vec4 color;\n"
	"void main() {\n"
	"	color = textureCubeLod(tex, lookup.yzw, lookup.x);\n"
	"	gl_Position = vec4(vertex, 0.0, 1.0);\n"
	"	gl_PointSize = 1.0;\n"
	"}\n",
	"attribute vec2 vertex;\n"
	"attribute vec4 lookup;\n"
	"uniform samplerCube tex;\n"
	"varying vec4 color;\n"
	"void main() {\n"
	"	color = textureCube(tex, lookup.yzw) + lookup.x * 0.0;\n"
	"	gl_Position = vec4(vertex, 0.0, 1.0);\n"
	"	gl_PointSize = 1.0;\n"
	"}\n",
};

static const char fragment_source[] =
	"precision highp float;\n"
	"varying vec4 color;\n"
	"void main() { gl_FragColor = color; }\n";

static uint32_t random_state = 1;

static float random_float(void)
{
	random_state = random_state * 1664525 + 1013904223;
	return (random_state >> 8) / (float)(1 << 23) - 1;
}

static void make_texture(void)
{
	GLuint texture;

	glGenTextures(1, &texture);
	glBindTexture(GL_TEXTURE_CUBE_MAP, texture);
	for (int face = 0; face < 6; face++) {
		for (int level = 0, side = SIDE; side; level++, side /= 2) {
			uint8_t texels[SIDE * SIDE * 4];

			for (int i = 0; i < side * side * 4; i++)
				texels[i] = random_float() * 127 + 128;
			glTexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + face, level, GL_RGBA, side,
				     side, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
		}
	}
}

static void make_vertices(struct vertex *vertices, int row)
{
	random_state = 7;
	for (int i = 0; i < WIDTH; i++) {
		struct vertex *v = &vertices[i];

		v->at[0] = (i + 0.5f) * 2 / WIDTH - 1;
		v->at[1] = (row + 0.5f) * 2 / HEIGHT - 1;
		v->lod = random_float() * 3 + 2;
		for (int j = 0; j < 3; j++)
			v->direction[j] = random_float();
		/* Every second direction is within about a texel of a seam. */
		if (i % 2)
			v->direction[i / 2 % 3] = v->direction[(i / 2 + 1) % 3] *
						  (1 + random_float() / SIDE);
	}
}

static void draw_row(int row, GLenum min, GLenum mag, GLenum wrap)
{
	struct vertex vertices[WIDTH];

	make_vertices(vertices, row);
	glTexParameteri(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_MIN_FILTER, min);
	glTexParameteri(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_MAG_FILTER, mag);
	glTexParameteri(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_WRAP_S, wrap);
	glTexParameteri(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_WRAP_T, wrap);
	glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, sizeof(*vertices), vertices[0].at);
	glVertexAttribPointer(1, 4, GL_FLOAT, GL_FALSE, sizeof(*vertices), &vertices[0].lod);
	glDrawArrays(GL_POINTS, 0, WIDTH);
}

int main(int argc, char **argv)
{
	static uint8_t rgba[WIDTH * HEIGHT * 4];
	GLuint renderbuffer, framebuffer;
	int row = 0;

	if (argc != 2)
		errx(2, "usage: gl-cube OUT.png");
	gles_context();
	glGenRenderbuffers(1, &renderbuffer);
	glBindRenderbuffer(GL_RENDERBUFFER, renderbuffer);
	glRenderbufferStorage(GL_RENDERBUFFER, 0x8058 /* GL_RGBA8_OES */, WIDTH, HEIGHT);
	glGenFramebuffers(1, &framebuffer);
	glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
	glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER,
				  renderbuffer);
	glViewport(0, 0, WIDTH, HEIGHT);
	glClear(GL_COLOR_BUFFER_BIT);
	make_texture();
	glEnableVertexAttribArray(0);
	glEnableVertexAttribArray(1);
	for (int source = 0; source < 2; source++) {
		GLuint program = gles_program(vertex_sources[source], fragment_source);

		glBindAttribLocation(program, 1, "lookup");
		glLinkProgram(program);
		glUseProgram(program);
		for (int min = 0; min < 6; min++)
			for (int mag = 0; mag < 2; mag++)
				for (int wrap = 0; wrap < 3; wrap++)
					draw_row(row++, min_filters[min], mag_filters[mag],
						 wraps[wrap]);
	}
	glReadPixels(0, 0, WIDTH, HEIGHT, GL_RGBA, GL_UNSIGNED_BYTE, rgba);
	if (glGetError() != GL_NO_ERROR)
		errx(1, "GL has an error to tell");
	return !picture_save(argv[1], rgba, WIDTH, HEIGHT, WIDTH * 4);
}
