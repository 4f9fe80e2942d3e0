// SPDX-License-Identifier: MIT
/* Render modes that do not draw: feedback and selection. Prints TAP. */
#include "gl.h"

#include <string.h>

#define GL_GLEXT_PROTOTYPES 1
#include <GL/gl.h>
#include <GL/glext.h>

#define SIZE 16
#define BLACK 0x000000ff
#define TIMES 8		/* unwritten memory may be right once */

static const GLfloat corners[] = { -0.5f, -0.5f, 0.5f, -0.5f, 0, 0.5f };
static GLfloat said[256];

static void draw_triangle(bool from_behind)
{
	static const GLubyte forward[] = { 0, 1, 2 }, backward[] = { 2, 1, 0 };

	glVertexPointer(2, GL_FLOAT, 0, corners);
	glEnableClientState(GL_VERTEX_ARRAY);
	glDrawElements(GL_TRIANGLES, 3, GL_UNSIGNED_BYTE, from_behind ? backward : forward);
	glDisableClientState(GL_VERTEX_ARRAY);
}

static void begin_feedback(GLenum what)
{
	memset(said, 0, sizeof(said));
	glFeedbackBuffer(sizeof(said) / sizeof(said[0]), what, said);
	glRenderMode(GL_FEEDBACK);
}

/*
 * Returns true if GL_3D_COLOR returned a triangle: its token, its number of corners, and seven
 * values of each.
 */
static bool triangle_has(GLfloat red, GLfloat green, GLfloat blue)
{
	bool ok = glRenderMode(GL_RENDER) == 23 && said[0] == GL_POLYGON_TOKEN && said[1] == 3;

	for (const GLfloat *vertex = said + 2; ok && vertex < said + 23; vertex += 7)
		ok = vertex[3] == red && vertex[4] == green && vertex[5] == blue;
	return ok;
}

static void test_sides(void)
{
	static const GLfloat red[] = { 1, 0, 0, 1 }, green[] = { 0, 1, 0, 1 },
			     none[] = { 0, 0, 0, 1 };

	glEnable(GL_LIGHTING);
	glLightModelfv(GL_LIGHT_MODEL_AMBIENT, none);
	glLightModeli(GL_LIGHT_MODEL_TWO_SIDE, 1);
	glMaterialfv(GL_FRONT, GL_EMISSION, red);
	glMaterialfv(GL_BACK, GL_EMISSION, green);
	begin_feedback(GL_3D_COLOR);
	draw_triangle(false);
	tap(triangle_has(1, 0, 0), "feedback of a front face has its colour");
	begin_feedback(GL_3D_COLOR);
	draw_triangle(true);
	tap(triangle_has(0, 1, 0), "and that of a back face its own");
	glLightModeli(GL_LIGHT_MODEL_TWO_SIDE, 0);
	glDisable(GL_LIGHTING);
}

static void test_clamp(void)
{
	glColor4f(2, -1, 0.5f, 1);
	glClampColor(GL_CLAMP_VERTEX_COLOR, GL_TRUE);
	begin_feedback(GL_3D_COLOR);
	draw_triangle(false);
	tap(triangle_has(1, 0, 0.5f), "feedback has colours that are clamped");
	glClampColor(GL_CLAMP_VERTEX_COLOR, GL_FALSE);
	begin_feedback(GL_3D_COLOR);
	draw_triangle(false);
	tap(triangle_has(2, -1, 0.5f), "or are not");
	glColor4f(1, 1, 1, 1);
}

/* Returns the number of lines of an outline with these edge flags. */
static int edges_said(const GLboolean *flags)
{
	glEdgeFlagPointer(0, flags);
	glEnableClientState(GL_EDGE_FLAG_ARRAY);
	begin_feedback(GL_2D);
	draw_triangle(false);
	glDisableClientState(GL_EDGE_FLAG_ARRAY);
	return glRenderMode(GL_RENDER) / 5;
}

static int edges_hit(const GLboolean *flags)
{
	GLuint hits[16];

	glEdgeFlagPointer(0, flags);
	glEnableClientState(GL_EDGE_FLAG_ARRAY);
	glSelectBuffer(16, hits);
	glRenderMode(GL_SELECT);
	glInitNames();
	glPushName(7);
	draw_triangle(false);
	glDisableClientState(GL_EDGE_FLAG_ARRAY);
	return glRenderMode(GL_RENDER);
}

static void test_edges(void)
{
	static const GLboolean none[] = { 0, 0, 0 }, two[] = { 0, 1, 1 }, all[] = { 1, 1, 1 };
	bool said_right = true, hit_right = true;

	glPolygonMode(GL_FRONT_AND_BACK, GL_LINE);
	for (int i = 0; i < TIMES; i++) {
		said_right &= edges_said(two) == 2 && edges_said(none) == 0 && edges_said(all) == 3;
		hit_right &= edges_hit(two) == 1 && edges_hit(none) == 0;
	}
	tap(said_right, "feedback has the edges that have flags");
	tap(hit_right, "and they alone are hit");
	glPolygonMode(GL_FRONT_AND_BACK, GL_FILL);
}

/*
 * Tests that a quad strip returns the four sides of a square once each, with either provoking
 * vertex. Its corners are at 4 and 12.
 */
static void test_strip(GLenum convention, const char *what)
{
	static const GLfloat square[] = { -0.5f, -0.5f, 0.5f, -0.5f, -0.5f, 0.5f, 0.5f, 0.5f };
	GLfloat sum[2] = { 0 };
	GLint n;
	bool ok;

	glPolygonMode(GL_FRONT_AND_BACK, GL_LINE);
	glProvokingVertex(convention);
	glVertexPointer(2, GL_FLOAT, 0, square);
	glEnableClientState(GL_VERTEX_ARRAY);
	begin_feedback(GL_2D);
	glDrawArrays(GL_QUAD_STRIP, 0, 4);
	n = glRenderMode(GL_RENDER);
	glDisableClientState(GL_VERTEX_ARRAY);
	glProvokingVertex(GL_LAST_VERTEX_CONVENTION);
	glPolygonMode(GL_FRONT_AND_BACK, GL_FILL);
	ok = n == 4 * 5;
	for (const GLfloat *line = said; ok && line < said + n; line += 5) {
		/* Each line is parallel to x or to y. */
		ok = (line[1] == line[3]) != (line[2] == line[4]);
		sum[0] += line[1] + line[3];
		sum[1] += line[2] + line[4];
	}
	tap(ok && sum[0] == 64 && sum[1] == 64,
	    "a strip of quads whose %s vertex provokes has four sides", what);
}

int main(void)
{
	gl_open(EGL_OPENGL_API);
	gl_draw_to(gl_texture_new(SIZE, BLACK), SIZE, SIZE);
	test_sides();
	test_clamp();
	test_edges();
	test_strip(GL_LAST_VERTEX_CONVENTION, "last");
	test_strip(GL_FIRST_VERTEX_CONVENTION, "first");
	tap(glGetError() == GL_NO_ERROR, "no error");
	gl_close();
	return tap_failures() != 0;
}
