// SPDX-License-Identifier: MIT
/*
 * Unfilled polygons of the compatibility profile: which edges and corners are drawn, depending on
 * edge flags; the inner edges of quads and polygons are not. Prints TAP.
 */
#include "gl-core.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define BLACK 0x000000ff
#define GREEN 0x00ff00ff
#define RED 0xff0000ff
/* Green after one and after two subtractions of half of it. */
#define HALF 0x008000ff
#define QUARTER 0x004000ff

/* From the compatibility profile; OpenGL's core headers lack these. */
#define QUADS 7
#define QUAD_STRIP 8
#define POLYGON 9
#define EDGE_FLAG_ARRAY 0x8079
#define POLYGON_STIPPLE 0x0b42
#define LINE_STIPPLE 0x0b24
#define POINT_SMOOTH 0x0b10
#define POINT_SPRITE 0x8861
#define COORD_REPLACE 0x8862

static const char vertex_source[] =
	"#version 330 compatibility\n"
	"in vec2 vertex;\n"
	"out vec2 corner;\n"
	"void main() { corner = vertex; gl_Position = vec4((vertex + 0.5) / 8.0 - 1.0, 0.0, "
	"1.0); }\n";

static const char fragment_source[] =
	"#version 330 compatibility\n"
	"in vec2 corner;\n"
	"void main() {\n"
	"	bool ok = corner.x > 1.0 && corner.x < 14.0;\n"
	"	gl_FragColor = vec4(!gl_FrontFacing, gl_FrontFacing, !ok, 1);\n"
	"}\n";

static const char clipping_source[] =
	"#version 330 compatibility\n"
	"in vec2 vertex;\n"
	"out vec2 corner;\n"
	"out float gl_ClipDistance[2];\n"
	"void main() {\n"
	"	corner = vertex;\n"
	"	gl_Position = vec4((vertex + 0.5) / 8.0 - 1.0, 0.0, 1.0);\n"
	"	gl_ClipDistance[0] = 7.0 - vertex.x;\n"
	"	gl_ClipDistance[1] = 7.0 - vertex.y;\n"
	"}\n";

static const char number_source[] =
	"#version 330 compatibility\n"
	"uniform int none;\n"
	"void main() { gl_FragColor = vec4(gl_PrimitiveID != none, gl_PrimitiveID == none, "
	"0, 1); }\n";

/* Pixel coordinates of corners. The middle between neighbours is a pixel, too. */
static const GLfloat square[] = { 2, 2, 12, 2, 12, 12, 2, 12 };
/* The corners in the order of a strip. */
static const GLfloat zigzag[] = { 2, 2, 12, 2, 2, 7, 12, 7, 2, 12, 12, 12 };
static const GLfloat hexagon[] = { 2, 7, 4, 3, 10, 3, 12, 7, 10, 11, 4, 11 };

static void (*edge_flag_pointer)(GLsizei, const void *);
static void (*enable_array)(GLenum);
static void (*disable_array)(GLenum);
static void (*line_stipple)(GLint, GLushort);
static void (*tex_env)(GLenum, GLenum, GLint);
static void (*multi_draw_arrays)(GLenum, const GLint *, const GLsizei *, GLsizei);

static void clear_and_point(const GLfloat *corners)
{
	glClear(GL_COLOR_BUFFER_BIT);
	glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, corners);
	glEnableVertexAttribArray(0);
}

static void draw(GLenum mode, const GLfloat *corners, int n, const GLubyte *flags)
{
	glClearColor(0, 0, 0, 1);
	clear_and_point(corners);
	if (flags) {
		edge_flag_pointer(1, flags);
		enable_array(EDGE_FLAG_ARRAY);
	}
	glDrawArrays(mode, 0, n);
	if (flags)
		disable_array(EDGE_FLAG_ARRAY);
}

/*
 * Returns true if the middle between corners @a and @b has this colour. Black is checked in the
 * pixels around it, too.
 */
static bool between_is(const GLfloat *corners, int a, int b, uint32_t color)
{
	const int x = (corners[2 * a] + corners[2 * b]) / 2,
		  y = (corners[2 * a + 1] + corners[2 * b + 1]) / 2;

	if (color != BLACK)
		return gl_pixel_is(x, y, color, 0);
	for (int i = -1; i <= 1; i++)
		for (int j = -1; j <= 1; j++)
			if (!gl_pixel_is(x + i, y + j, BLACK, 0))
				return false;
	return true;
}

static bool corner_is(const GLfloat *corners, int i, uint32_t color)
{
	return gl_pixel_is(corners[2 * i], corners[2 * i + 1], color, 0);
}

static bool ring_is(const GLfloat *corners, int n, const GLubyte *flags)
{
	bool ok = true;

	for (int i = 0; i < n; i++)
		ok &= between_is(corners, i, (i + 1) % n, !flags || flags[i] ? GREEN : BLACK);
	return ok;
}

static void test_diagonals(const char *convention)
{
	draw(QUADS, square, 4, NULL);
	tap(ring_is(square, 4, NULL) && between_is(square, 0, 2, BLACK),
	    "a quad of lines has no diagonal, %s", convention);
	draw(QUAD_STRIP, zigzag, 6, NULL);
	tap(between_is(zigzag, 0, 1, GREEN) && between_is(zigzag, 2, 3, GREEN) &&
		    between_is(zigzag, 4, 5, GREEN) && between_is(zigzag, 0, 4, GREEN) &&
		    between_is(zigzag, 1, 5, GREEN) && gl_pixel_is(7, 4, BLACK, 0) &&
		    gl_pixel_is(7, 5, BLACK, 0) && gl_pixel_is(7, 9, BLACK, 0),
	    "nor has a strip of quads");
	draw(POLYGON, hexagon, 6, NULL);
	tap(ring_is(hexagon, 6, NULL) && between_is(hexagon, 0, 2, BLACK) &&
		    between_is(hexagon, 0, 4, BLACK),
	    "nor a polygon");
	draw(POLYGON, square, 3, NULL);
	tap(ring_is(square, 3, NULL), "and one of three corners has all edges");
	draw(GL_TRIANGLE_FAN, square, 4, NULL);
	tap(ring_is(square, 4, NULL) && between_is(square, 0, 2, GREEN),
	    "but triangles have all theirs");
}

static void test_flags(void)
{
	static const GLubyte flags[][6] = { { 1, 0, 1, 0, 1, 0 },
					    { 0, 1, 1, 0, 0, 1 },
					    { 0, 0, 0, 0, 0, 1 } };

	for (int i = 0; i < 3; i++) {
		draw(QUADS, square, 4, flags[i]);
		tap(ring_is(square, 4, flags[i]) && between_is(square, 0, 2, BLACK),
		    "flags %d of a quad", i);
		draw(POLYGON, hexagon, 6, flags[i]);
		tap(ring_is(hexagon, 6, flags[i]), "flags %d of a polygon", i);
		draw(GL_TRIANGLES, square, 3, flags[i]);
		tap(ring_is(square, 3, flags[i]), "flags %d of a triangle", i);
	}
	draw(GL_TRIANGLE_FAN, square, 4, flags[0]);
	tap(ring_is(square, 4, NULL) && between_is(square, 0, 2, GREEN), "fans have no flags");
	glPolygonMode(GL_FRONT_AND_BACK, GL_FILL);
	draw(GL_TRIANGLES, square, 3, flags[2]);
	tap(between_is(square, 0, 2, GREEN) && gl_pixel_is(10, 4, GREEN, 0),
	    "nor have filled polygons");
}

static void test_points(void)
{
	static const GLubyte flags[] = { 1, 0, 1, 0 };

	glPolygonMode(GL_FRONT_AND_BACK, GL_POINT);
	draw(QUADS, square, 4, flags);
	tap(corner_is(square, 0, GREEN) && corner_is(square, 1, BLACK) &&
		    corner_is(square, 2, GREEN) && corner_is(square, 3, BLACK) &&
		    between_is(square, 0, 2, BLACK),
	    "flags of corners");
	draw(QUADS, square, 4, NULL);
	tap(corner_is(square, 0, GREEN) && corner_is(square, 1, GREEN) &&
		    corner_is(square, 2, GREEN) && corner_is(square, 3, GREEN),
	    "and corners without flags");
}

/* A corner is one point, even if several triangles share it. */
static void test_blended_points(const char *convention)
{
	bool ok = true;

	glPolygonMode(GL_FRONT_AND_BACK, GL_POINT);
	glEnable(GL_BLEND);
	glBlendFunc(GL_ZERO, GL_ONE_MINUS_SRC_COLOR);
	glUseProgram(core_stages(vertex_source, NULL, "#version 330 compatibility\n"
						      "void main() { gl_FragColor = vec4(0, 0.5, "
						      "0, 0); }\n"));
	glClearColor(0, 1, 0, 1);
	clear_and_point(square);
	glDrawArrays(QUADS, 0, 4);
	for (int i = 0; i < 4; i++)
		ok &= gl_pixel_is(square[2 * i], square[2 * i + 1], HALF, 1);
	clear_and_point(hexagon);
	glDrawArrays(POLYGON, 0, 6);
	for (int i = 0; i < 6; i++)
		ok &= gl_pixel_is(hexagon[2 * i], hexagon[2 * i + 1], HALF, 1);
	/* The two corners in the middle belong to two quads. */
	clear_and_point(zigzag);
	glDrawArrays(QUAD_STRIP, 0, 6);
	for (int i = 0; i < 6; i++)
		ok &= gl_pixel_is(zigzag[2 * i], zigzag[2 * i + 1], i / 2 == 1 ? QUARTER : HALF, 1);
	tap(ok, "each corner is drawn once, %s", convention);
	glDisable(GL_BLEND);
	glUseProgram(core_stages(vertex_source, NULL, fragment_source));
}

/* If two corners of a quad are equal, one of its triangles has no area, and may be culled. */
static void test_culled_points(void)
{
	bool ok = true;

	glPolygonMode(GL_FRONT_AND_BACK, GL_POINT);
	glEnable(GL_CULL_FACE);
	for (int twice = 0; twice < 3; twice++) {
		GLfloat quad[8];

		for (int i = 0, corner = 0; i < 4; i++) {
			memcpy(quad + 2 * i, square + 2 * corner, 8);
			corner += i != twice;
		}
		draw(QUADS, quad, 4, NULL);
		ok &= corner_is(square, 0, GREEN) && corner_is(square, 1, GREEN) &&
		      corner_is(square, 2, GREEN);
	}
	tap(ok, "a quad with two equal corners has three where faces are culled");
	glDisable(GL_CULL_FACE);
}

/* Front and back faces with different polygon modes. */
static void test_faces(void)
{
	static const GLfloat pair[] = { 2, 2, 6, 2, 6, 12, 2, 12, 9, 2, 9, 12, 13, 12, 13, 2 };

	glPolygonMode(GL_FRONT, GL_FILL);
	glPolygonMode(GL_BACK, GL_LINE);
	draw(QUADS, pair, 8, NULL);
	tap(gl_pixel_is(3, 7, GREEN, 0) && gl_pixel_is(4, 4, GREEN, 0), "front faces are filled");
	tap(gl_pixel_is(9, 6, RED, 0) && gl_pixel_is(11, 12, RED, 0) &&
		    gl_pixel_is(11, 7, BLACK, 0) && gl_pixel_is(11, 4, BLACK, 0),
	    "and back faces are not");
	glEnable(GL_CULL_FACE);
	draw(QUADS, pair, 8, NULL);
	tap(gl_pixel_is(3, 7, GREEN, 0) && gl_pixel_is(9, 6, BLACK, 0), "back faces are culled");
	glCullFace(GL_FRONT);
	draw(QUADS, pair, 8, NULL);
	tap(gl_pixel_is(3, 7, BLACK, 0) && gl_pixel_is(9, 6, RED, 0) &&
		    gl_pixel_is(11, 7, BLACK, 0),
	    "front faces are culled");
	glDisable(GL_CULL_FACE);
}

static GLuint counted(GLenum target, const GLfloat *corners, int n)
{
	GLuint query, count = 0;

	glGenQueries(1, &query);
	glBeginQuery(target, query);
	draw(GL_TRIANGLES, corners, n, NULL);
	glEndQuery(target);
	glGetQueryObjectuiv(query, GL_QUERY_RESULT, &count);
	glDeleteQueries(1, &query);
	return count;
}

/* A vertex shader writes @n varyings, all of which the fragment shader reads. */
static void test_varyings(int n)
{
	char vertex[512], fragment[512];

	snprintf(vertex, sizeof(vertex),
		 "#version 330 compatibility\n"
		 "in vec2 vertex;\n"
		 "out vec4 given[%d];\n"
		 "void main() {\n"
		 "	gl_Position = vec4((vertex + 0.5) / 8.0 - 1.0, 0.0, 1.0);\n"
		 "	for (int i = 0; i < %d; i++)\n"
		 "		given[i] = vertex.xyxy * vec4(1, 2, 3, 4) + float(i);\n"
		 "}\n", n, n);
	snprintf(fragment, sizeof(fragment),
		 "#version 330 compatibility\n"
		 "in vec4 given[%d];\n"
		 "void main() {\n"
		 "	float sum = 0.0;\n"
		 "	for (int i = 0; i < %d; i++)\n"
		 "		sum += dot(abs(given[i] - given[0] - float(i)), vec4(1));\n"
		 "	gl_FragColor = vec4(sum >= 0.1, sum < 0.1, 0, 1);\n"
		 "}\n", n, n);
	glUseProgram(core_stages(vertex, NULL, fragment));
	glPolygonMode(GL_FRONT_AND_BACK, GL_LINE);
	draw(QUADS, square, 4, NULL);
	tap(ring_is(square, 4, NULL) && between_is(square, 0, 2, BLACK),
	    "a quad has no diagonal beside %d varyings", n);
}

/* A triangle that faces the viewer, and one that shows its back. */
static const GLfloat fronts[] = { 2, 2, 12, 2, 12, 12 }, backs[] = { 2, 2, 12, 12, 12, 2 };

/* Filled faces keep their texture coordinates; faces that are points are sprites. */
static void test_sprite_faces(void)
{
	static const char sprite_source[] =
		"#version 330 compatibility\n"
		"in vec2 vertex;\n"
		"void main() {\n"
		"	gl_TexCoord[0] = vec4(0.75, 0.25, 0, 1);\n"
		"	gl_Position = vec4((vertex + 0.5) / 8.0 - 1.0, 0.0, 1.0);\n"
		"}\n";
	static const char coordinate_source[] =
		"#version 330 compatibility\n"
		"void main() { gl_FragColor = vec4(gl_TexCoord[0].st, 0, 1); }\n";
	const uint32_t filled = 0xbf4000ff, sprite = 0x808000ff;

	glUseProgram(core_stages(sprite_source, NULL, coordinate_source));
	glEnable(POINT_SPRITE);
	tex_env(POINT_SPRITE, COORD_REPLACE, 1);
	glPointSize(3);
	for (int i = 0; i < 2; i++) {
		const GLfloat *points = i ? backs : fronts, *polygon = i ? fronts : backs;
		bool ok;

		glPolygonMode(GL_FRONT, i ? GL_FILL : GL_POINT);
		glPolygonMode(GL_BACK, i ? GL_POINT : GL_FILL);
		draw(GL_TRIANGLES, points, 3, NULL);
		ok = gl_pixel_is(2, 2, sprite, 2) && gl_pixel_is(9, 6, BLACK, 0);
		draw(GL_TRIANGLES, polygon, 3, NULL);
		tap(ok && gl_pixel_is(9, 6, filled, 2), "%s faces are sprites, and others are not",
		    i ? "back" : "front");
	}
	glDisable(POINT_SPRITE);
	glPointSize(1);
}

/* Faces that are points are round; filled faces keep all their pixels. */
static void test_round_faces(void)
{
	glUseProgram(core_stages(vertex_source, NULL, "#version 330 compatibility\n"
						      "void main() { gl_FragColor = vec4(0, 1, "
						      "0, 1); }\n"));
	glEnable(POINT_SMOOTH);
	glEnable(GL_BLEND);
	glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
	glPointSize(5);
	for (int i = 0; i < 2; i++) {
		bool ok;

		glPolygonMode(GL_FRONT, i ? GL_FILL : GL_POINT);
		glPolygonMode(GL_BACK, i ? GL_POINT : GL_FILL);
		draw(GL_TRIANGLES, i ? backs : fronts, 3, NULL);
		/* A disc covers a seventh of the corner of its square. */
		ok = gl_pixel_is(2, 2, GREEN, 2) && (gl_pixel(0, 0) >> 16 & 0xff) < 0x40;
		draw(GL_TRIANGLES, i ? fronts : backs, 3, NULL);
		tap(ok && gl_pixel_is(9, 6, GREEN, 0), "%s faces are round points",
		    i ? "back" : "front");
	}
	glDisable(GL_BLEND);
	glDisable(POINT_SMOOTH);
	glPointSize(1);
}

/* Queries count polygons of two modes, and their fragments, once. */
static void test_statistics(void)
{
	static const GLfloat pair[] = { 2, 2, 6, 2, 6, 12, 9, 2, 9, 12, 13, 12 };
	static const struct { GLenum target; GLuint count; } exact[] = {
		{ GL_VERTICES_SUBMITTED, 6 }, { GL_PRIMITIVES_SUBMITTED, 2 },
		{ GL_VERTEX_SHADER_INVOCATIONS, 6 },
		{ GL_CLIPPING_INPUT_PRIMITIVES, 2 }, { GL_PRIMITIVES_GENERATED, 2 },
	};
	GLuint count, front, back;

	glPolygonMode(GL_FRONT, GL_FILL);
	glPolygonMode(GL_BACK, GL_LINE);
	for (int i = 0; i < 5; i++) {
		count = counted(exact[i].target, pair, 6);
		tap(count == exact[i].count, "two modes count %#x once: %u of %u", exact[i].target,
		    count, exact[i].count);
	}
	front = counted(GL_FRAGMENT_SHADER_INVOCATIONS, pair, 3);
	back = counted(GL_FRAGMENT_SHADER_INVOCATIONS, pair + 6, 3);
	count = counted(GL_FRAGMENT_SHADER_INVOCATIONS, pair, 6);
	tap(front && back && count == front + back,
	    "fragments of both are counted: %u of %u and %u", count, front, back);
}

/*
 * Feedback captures polygons of two modes once, although they are drawn in two passes; queries
 * count them once, too.
 */
static void test_captured_statistics(void)
{
	static const GLfloat pair[] = { 2, 2, 6, 2, 6, 12, 9, 2, 9, 12, 13, 12 };
	static const char *const varyings[] = { "corner" };
	const GLuint program = core_program(vertex_source, fragment_source, 1, varyings,
					    GL_INTERLEAVED_ATTRIBS);
	const GLuint buffer = core_buffer(GL_TRANSFORM_FEEDBACK_BUFFER, 1024, NULL);
	GLuint generated, invocations, fragments;

	glUseProgram(program);
	glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, buffer);
	glBeginTransformFeedback(GL_TRIANGLES);
	generated = counted(GL_PRIMITIVES_GENERATED, pair, 6);
	invocations = counted(GL_VERTEX_SHADER_INVOCATIONS, pair, 6);
	fragments = counted(GL_FRAGMENT_SHADER_INVOCATIONS, pair, 6);
	glEndTransformFeedback();
	tap(generated == 2 && invocations == 6, "nor where they are captured: %u of 2, %u of 6",
	    generated, invocations);
	tap(fragments == counted(GL_FRAGMENT_SHADER_INVOCATIONS, pair, 6),
	    "with as many fragments as without: %u", fragments);
	glDeleteBuffers(1, &buffer);
	glUseProgram(core_stages(vertex_source, NULL, fragment_source));
	glDeleteProgram(program);
}

/* A polygon stipple without a set bit hides filled polygons, but neither lines nor points. */
static void test_stipple(void)
{
	static const GLfloat pair[] = { 2, 2, 6, 2, 6, 12, 2, 12, 9, 2, 9, 12, 13, 12, 13, 2 };
	static const GLubyte none[32 * 4];
	void (*polygon_stipple)(const GLubyte *) = (void *)eglGetProcAddress("glPolygonStipple");

	polygon_stipple(none);
	glEnable(POLYGON_STIPPLE);
	glPolygonMode(GL_FRONT_AND_BACK, GL_FILL);
	draw(QUADS, square, 4, NULL);
	tap(gl_pixel_is(7, 7, BLACK, 0) && ring_is(square, 4, (const GLubyte[4]){ 0 }),
	    "filled polygons are stippled");
	glPolygonMode(GL_FRONT_AND_BACK, GL_LINE);
	draw(QUADS, square, 4, NULL);
	tap(ring_is(square, 4, NULL), "those of lines are not");
	glPolygonMode(GL_FRONT_AND_BACK, GL_POINT);
	draw(GL_TRIANGLES, square, 3, NULL);
	tap(corner_is(square, 0, GREEN) && corner_is(square, 2, GREEN), "nor are those of points");
	glPolygonMode(GL_FRONT, GL_FILL);
	glPolygonMode(GL_BACK, GL_LINE);
	draw(QUADS, pair, 8, NULL);
	tap(gl_pixel_is(3, 7, BLACK, 0) && gl_pixel_is(9, 6, RED, 0),
	    "front faces are stippled, back faces are not");
	glPolygonMode(GL_FRONT, GL_LINE);
	glPolygonMode(GL_BACK, GL_FILL);
	draw(QUADS, pair, 8, NULL);
	tap(gl_pixel_is(2, 7, GREEN, 0) && gl_pixel_is(11, 6, BLACK, 0), "and the other way round");
	glDisable(POLYGON_STIPPLE);
}

/* Returns true if the square is drawn halfway between the clip plane and its diagonal. */
static bool is_cut(void)
{
	return gl_pixel_is(7, 4, GREEN, 0) && gl_pixel_is(7, 10, GREEN, 0) &&
	       gl_pixel_is(9, 5, BLACK, 0);
}

/* A clip distance that is not enabled does not clip lines. One that is enabled makes new edges. */
static void test_clipping(void)
{
	static const GLubyte none[4];

	glUseProgram(core_stages(clipping_source, NULL, fragment_source));
	glPolygonMode(GL_FRONT_AND_BACK, GL_LINE);
	draw(QUADS, square, 4, NULL);
	tap(ring_is(square, 4, NULL), "clip distances that are not enabled leave lines alone");
	glEnable(GL_CLIP_DISTANCE0);
	draw(QUADS, square, 4, NULL);
	tap(between_is(square, 1, 2, BLACK) && between_is(square, 3, 0, GREEN),
	    "one that is enabled does not");
	tap(is_cut() && gl_pixel_is(4, 4, BLACK, 0) && gl_pixel_is(5, 5, BLACK, 0),
	    "where a quad is cut, there is an edge");
	draw(QUADS, square, 4, none);
	tap(is_cut() && between_is(square, 3, 0, BLACK) && gl_pixel_is(4, 4, BLACK, 0),
	    "also where none of its own is drawn");
	draw(POLYGON, hexagon, 6, NULL);
	tap(gl_pixel_is(7, 5, GREEN, 0) && gl_pixel_is(7, 9, GREEN, 0) &&
		    gl_pixel_is(5, 7, BLACK, 0),
	    "and where a polygon is");
	glPolygonMode(GL_FRONT_AND_BACK, GL_POINT);
	draw(QUADS, square, 4, NULL);
	tap(gl_pixel_is(7, 2, GREEN, 0) && gl_pixel_is(7, 12, GREEN, 0) &&
		    corner_is(square, 0, GREEN) && corner_is(square, 3, GREEN) &&
		    corner_is(square, 1, BLACK) && gl_pixel_is(7, 7, BLACK, 0),
	    "which has corners, but none on a diagonal");
	glDisable(GL_CLIP_DISTANCE0);
}

static void restart(GLenum mode, const GLfloat *corners, const GLubyte *indices, int n)
{
	glClear(GL_COLOR_BUFFER_BIT);
	glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, corners);
	glEnable(GL_PRIMITIVE_RESTART);
	glPrimitiveRestartIndex(99);
	glDrawElements(mode, n, GL_UNSIGNED_BYTE, indices);
	glDisable(GL_PRIMITIVE_RESTART);
}

/* Returns true if, of two quads side by side, only the second has a gl_PrimitiveID other than 0. */
static bool are_counted(void)
{
	return gl_pixel_is(3, 10, GREEN, 0) && gl_pixel_is(5, 4, GREEN, 0) &&
	       gl_pixel_is(10, 10, RED, 0) && gl_pixel_is(12, 4, RED, 0);
}

static void test_restarted_numbers(const GLfloat *pair)
{
	static const GLubyte two[] = { 0, 1, 2, 3, 99, 4, 5, 6, 7 },
			     cut[] = { 0, 1, 2, 3, 4, 5, 99, 6, 99, 4, 5, 6, 7 };
	static const GLubyte strips[] = { 0, 1, 3, 2, 99, 4, 5, 7, 6 };

	restart(QUADS, pair, two, sizeof(two));
	tap(are_counted(), "a restart does not count quads anew");
	restart(QUADS, pair, cut, sizeof(cut));
	tap(are_counted(), "nor does it count what is no quad");
	restart(QUAD_STRIP, pair, strips, sizeof(strips));
	tap(are_counted(), "strips of quads count on");
	restart(POLYGON, pair, two, sizeof(two));
	tap(are_counted(), "and so do polygons");
	restart(POLYGON, pair, two, 4);
	tap(gl_pixel_is(3, 10, GREEN, 0), "but not those of another draw");
}

/* A polygon and a quad are one primitive each, however they are drawn. */
static void test_numbers(void)
{
	static const GLfloat pair[] = { 2, 2, 6, 2, 6, 12, 2, 12, 9, 2, 13, 2, 13, 12, 9, 12 };

	glPolygonMode(GL_FRONT_AND_BACK, GL_FILL);
	glUseProgram(core_stages(vertex_source, NULL, number_source));
	draw(POLYGON, hexagon, 6, NULL);
	tap(gl_pixel_is(4, 7, GREEN, 0) && gl_pixel_is(9, 4, GREEN, 0) &&
		    gl_pixel_is(9, 9, GREEN, 0),
	    "all of a polygon has number 0");
	draw(QUADS, pair, 8, NULL);
	tap(are_counted(), "and quads are counted");
	test_restarted_numbers(pair);
}

/* The fifth index belongs to no quad strip. The memory behind it is not mapped. */
static void test_strip_of_five(void)
{
	enum { PAGE = 4096, N = 5 };
	uint8_t *pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			      -1, 0);
	uint16_t *indices = (uint16_t *)(pages + PAGE) - N;

	if (pages == MAP_FAILED || mprotect(pages + PAGE, PAGE, PROT_NONE)) {
		tap(false, "there is memory that ends");
		return;
	}
	for (int i = 0; i < N; i++)
		indices[i] = i;
	draw(QUAD_STRIP, zigzag, 0, NULL);
	glDrawElements(QUAD_STRIP, N, GL_UNSIGNED_SHORT, indices);
	tap(gl_pixel_is(4, 5, GREEN, 0) && gl_pixel_is(4, 10, BLACK, 0),
	    "a strip of five indices is one quad");
	munmap(pages, 2 * PAGE);
}

static void test_empty_draw(void)
{
	static const GLint first[] = { 0, 0, 2 };
	static const GLsizei count[] = { 4, 0, 4 };

	draw(QUAD_STRIP, zigzag, 0, NULL);
	multi_draw_arrays(QUAD_STRIP, first, count, 3);
	tap(gl_pixel_is(4, 5, GREEN, 0) && gl_pixel_is(4, 10, GREEN, 0),
	    "an empty draw does not end those after it");
}

/* The line stipple continues across the segments of a loop, including the closing one. */
static void test_stippled_loop(void)
{
	static const GLfloat there_and_back[] = { 2, 2, 12, 2, 12, 12, 2, 12, 2, 2 };
	uint32_t strip[CORE_SIZE * CORE_SIZE], loop[CORE_SIZE * CORE_SIZE];
	int drawn = 0;

	line_stipple(1, 0x0fff);
	glEnable(LINE_STIPPLE);
	draw(GL_LINE_STRIP, there_and_back, 5, NULL);
	glReadPixels(0, 0, CORE_SIZE, CORE_SIZE, GL_RGBA, GL_UNSIGNED_BYTE, strip);
	draw(GL_LINE_LOOP, there_and_back, 4, NULL);
	glReadPixels(0, 0, CORE_SIZE, CORE_SIZE, GL_RGBA, GL_UNSIGNED_BYTE, loop);
	glDisable(LINE_STIPPLE);
	for (int i = 0; i < CORE_SIZE * CORE_SIZE; i++)
		drawn += loop[i] != 0xff000000;
	tap(drawn > 25 && drawn < 36 && !memcmp(strip, loop, sizeof(strip)),
	    "a loop is stippled as a strip is: %d pixels", drawn);
}

/*
 * A line loop whose strip would take nearly 4 GiB of indices, in the index buffer behind those of
 * earlier loops.
 */
static void test_endless_loop(void)
{
	static const char row_source[] = "#version 330 compatibility\n"
					 "void main() { gl_Position = "
					 "vec4(gl_VertexID % 16 / 8.0 - 1.0, 0.0625, 0.0, "
					 "1.0); }\n";
	const GLuint program = core_stages(row_source, NULL, "#version 330 compatibility\n"
							     "void main() { gl_FragColor = vec4(0, "
							     "1, 0, 1); }\n");

	glDisableVertexAttribArray(0);
	glUseProgram(program);
	for (int i = 0; i < 8; i++)
		glDrawArrays(GL_LINE_LOOP, 0, 16);
	glDrawArrays(GL_LINE_LOOP, 0, 536870000);
	glGetError();
	glClear(GL_COLOR_BUFFER_BIT);
	glDrawArrays(GL_LINE_LOOP, 0, 16);
	tap(gl_pixel_is(4, 8, GREEN, 0), "a loop that no memory is long enough for");
	glDeleteProgram(program);
}

int main(void)
{
	gl_open(EGL_OPENGL_API);
	gl_draw_to(gl_texture_new(CORE_SIZE, 0), CORE_SIZE, CORE_SIZE);
	edge_flag_pointer = (void (*)(GLsizei, const void *))eglGetProcAddress("glEdgeFlagPointer");
	enable_array = (void (*)(GLenum))eglGetProcAddress("glEnableClientState");
	disable_array = (void (*)(GLenum))eglGetProcAddress("glDisableClientState");
	line_stipple = (void (*)(GLint, GLushort))eglGetProcAddress("glLineStipple");
	tex_env = (void (*)(GLenum, GLenum, GLint))eglGetProcAddress("glTexEnvi");
	multi_draw_arrays = (void (*)(GLenum, const GLint *, const GLsizei *, GLsizei))
		eglGetProcAddress("glMultiDrawArrays");
	glUseProgram(core_stages(vertex_source, NULL, fragment_source));
	glPolygonMode(GL_FRONT_AND_BACK, GL_LINE);
	test_diagonals("the last vertex provokes");
	glProvokingVertex(GL_FIRST_VERTEX_CONVENTION);
	test_diagonals("the first vertex provokes");
	test_flags();
	glProvokingVertex(GL_LAST_VERTEX_CONVENTION);
	glPolygonMode(GL_FRONT_AND_BACK, GL_LINE);
	test_flags();
	test_points();
	test_blended_points("the last vertex provokes");
	glProvokingVertex(GL_FIRST_VERTEX_CONVENTION);
	test_blended_points("the first vertex provokes");
	test_culled_points();
	glProvokingVertex(GL_LAST_VERTEX_CONVENTION);
	test_culled_points();
	test_faces();
	test_statistics();
	test_captured_statistics();
	test_stipple();
	test_clipping();
	test_numbers();
	glUseProgram(core_stages(vertex_source, NULL, fragment_source));
	test_varyings(18);
	test_varyings(31);
	test_sprite_faces();
	test_round_faces();
	glUseProgram(core_stages(vertex_source, NULL, fragment_source));
	glPolygonMode(GL_FRONT_AND_BACK, GL_FILL);
	test_strip_of_five();
	test_empty_draw();
	test_stippled_loop();
	test_endless_loop();
	tap(core_no_error(), "there is no error to tell");
	gl_close();
	return tap_failures() != 0;
}
