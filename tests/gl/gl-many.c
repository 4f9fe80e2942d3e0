// SPDX-License-Identifier: MIT
/*
 * Many small rectangles on top of each other, more than a driver bins at once: the last one is
 * visible, queries and shaders count each fragment once, and some rectangles may be clipped. A
 * driver may rasterise the first ones while it still computes the others. Prints TAP.
 */
#include "gl-core.h"

#include <stdlib.h>
#include <string.h>

#define SIDE 128		/* of the picture */
#define RECTS 24000
#define LARGEST 9		/* sides, in pixels */
#define CORNERS 6		/* of the two triangles of a rectangle */
#define PARTS 3			/* draws; the one in the middle is counted */
#define CLIPPED 50		/* one of so many rectangles is clipped, if some are */
#define RED_RECTS 600		/* in a draw of one colour */

static const char vertex_source[] =
	"#version 430\n"
	"layout(location = 0) in vec4 vertex;\n"
	"flat out uint number;\n"
	"void main() { number = uint(gl_VertexID / 6) + 1u; gl_Position = vertex; }\n";

static const char fragment_source[] =
	"#version 430\n"
	"layout(binding = 0, std430) buffer Counts { uint fragments; };\n"
	"flat in uint number;\n"
	"out uint colour;\n"
	"void main() { colour = number; atomicAdd(fragments, 1u); }\n";

/* Simple enough for a special path of a driver. */
static const char red_source[] =
	"#version 430\n"
	"out vec4 colour; void main() { colour = vec4(1.0, 0.0, 0.0, 1.0); }\n";

struct rect {
	int x, y, width, height;
	bool clipped;
};

static struct rect rects[RECTS];
static uint32_t expected[SIDE * SIDE], seen[SIDE * SIDE];

static void make_rects(unsigned int seed, bool clipped)
{
	for (int i = 0; i < RECTS; i++) {
		struct rect *rect = &rects[i];

		rect->width = 1 + rand_r(&seed) % LARGEST;
		rect->height = 1 + rand_r(&seed) % LARGEST;
		rect->x = rand_r(&seed) % (SIDE - LARGEST);
		rect->y = rand_r(&seed) % (SIDE - LARGEST);
		rect->clipped = clipped && i % CLIPPED == 0;
	}
}

/* Returns the edge of a pixel in clip coordinates. */
static GLfloat edge(int pixel)
{
	return 2.0f * pixel / SIDE - 1.0f;
}

/*
 * A clipped rectangle is twice as wide and reaches behind the far plane; its half in front of that
 * is visible.
 */
static void corners_of(const struct rect *rect, GLfloat (*to)[4])
{
	static const bool far_x[CORNERS] = { 0, 1, 0, 0, 1, 1 },
			  far_y[CORNERS] = { 0, 0, 1, 1, 0, 1 };
	const int width = rect->clipped ? 2 * rect->width : rect->width;

	for (int i = 0; i < CORNERS; i++) {
		to[i][0] = edge(rect->x + far_x[i] * width);
		to[i][1] = edge(rect->y + far_y[i] * rect->height);
		to[i][2] = rect->clipped && far_x[i] ? 2 : 0;
		to[i][3] = 1;
	}
}

static GLuint make_vertices(void)
{
	const size_t size = RECTS * CORNERS * 4 * sizeof(GLfloat);
	GLfloat (*corners)[4] = malloc(size);
	GLuint buffer;

	if (!corners)
		exit(1);
	for (int i = 0; i < RECTS; i++)
		corners_of(&rects[i], corners + i * CORNERS);
	buffer = core_buffer(GL_ARRAY_BUFFER, size, corners);
	free(corners);
	glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, 0, NULL);
	glEnableVertexAttribArray(0);
	return buffer;
}

/* Returns the number of fragments of @n rectangles, and adds them to the expected picture. */
static uint32_t fragments_of(int first, int n)
{
	uint32_t fragments = 0;

	for (int i = first; i < first + n; i++) {
		const struct rect *rect = &rects[i];

		for (int y = rect->y; y < rect->y + rect->height; y++)
			for (int x = rect->x; x < rect->x + rect->width; x++)
				expected[y * SIDE + x] = i + 1;
		fragments += rect->width * rect->height;
	}
	return fragments;
}

static int differences(void)
{
	int n = 0;

	glReadPixels(0, 0, SIDE, SIDE, GL_RED_INTEGER, GL_UNSIGNED_INT, seen);
	for (int i = 0; i < SIDE * SIDE; i++)
		n += seen[i] != expected[i];
	return n;
}

static void test_many(unsigned int seed, bool clipped)
{
	static const GLuint none[4];
	uint32_t counted = 0, all = 0, passed = 0, fragments = 0;
	GLuint vertices, counts, query;
	const char *what = clipped ? "of which some are clipped" : "within the picture";
	int different;

	make_rects(seed, clipped);
	vertices = make_vertices();
	counts = core_words(1, 0);
	glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, counts);
	glGenQueries(1, &query);
	memset(expected, 0, sizeof(expected));
	glClearBufferuiv(GL_COLOR, 0, none);
	for (int part = 0; part < PARTS; part++) {
		const int n = RECTS / PARTS, first = part * n;
		const uint32_t area = fragments_of(first, n);

		if (part == 1)
			glBeginQuery(GL_SAMPLES_PASSED, query);
		glDrawArrays(GL_TRIANGLES, first * CORNERS, n * CORNERS);
		if (part == 1) {
			glEndQuery(GL_SAMPLES_PASSED);
			counted = area;
		}
		all += area;
	}
	different = differences();
	glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
	core_read_words(counts, 0, &fragments, 1);
	glGetQueryObjectuiv(query, GL_QUERY_RESULT, &passed);
	tap(different == 0, "of %d rectangles %s the last ones are seen (%d pixels differ)", RECTS,
	    what, different);
	tap(passed == counted, "a query counts each fragment of a third of them: %u of %u", passed,
	    counted);
	tap(fragments == all, "so do shaders, of all: %u of %u", fragments, all);
	glDeleteQueries(1, &query);
	glDeleteBuffers(1, &counts);
	glDeleteBuffers(1, &vertices);
}

/* Many draws within one query. */
static void test_colour(void)
{
	uint32_t area = 0, passed = 0;
	GLuint vertices, query;

	make_rects(1, false);
	vertices = make_vertices();
	glGenQueries(1, &query);
	glClear(GL_COLOR_BUFFER_BIT);
	glBeginQuery(GL_SAMPLES_PASSED, query);
	for (int first = 0; first < RECTS; first += RED_RECTS) {
		glDrawArrays(GL_TRIANGLES, first * CORNERS, RED_RECTS * CORNERS);
		area += fragments_of(first, RED_RECTS);
	}
	glEndQuery(GL_SAMPLES_PASSED);
	glGetQueryObjectuiv(query, GL_QUERY_RESULT, &passed);
	tap(passed == area, "fragments of one colour are counted: %u of %u", passed, area);
	glDeleteQueries(1, &query);
	glDeleteBuffers(1, &vertices);
}

static void draw_to(GLenum format)
{
	GLuint texture, framebuffer;

	glGenTextures(1, &texture);
	glBindTexture(GL_TEXTURE_2D, texture);
	glTexStorage2D(GL_TEXTURE_2D, 1, format, SIDE, SIDE);
	glGenFramebuffers(1, &framebuffer);
	glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
	glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
	glViewport(0, 0, SIDE, SIDE);
}

int main(void)
{
	core_open();
	glUseProgram(core_program(vertex_source, fragment_source, 0, NULL, 0));
	draw_to(GL_R32UI);
	for (int round = 0; round < 4; round++)
		test_many(round + 1, round & 1);
	glUseProgram(core_program(core_position, red_source, 0, NULL, 0));
	draw_to(GL_RGBA8);
	for (int round = 0; round < 4; round++)
		test_colour();
	tap(core_no_error(), "there is no error to tell");
	gl_close();
	return tap_failures() != 0;
}
