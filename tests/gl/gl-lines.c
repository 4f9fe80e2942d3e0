// SPDX-License-Identifier: MIT
/*
 * Smooth lines: pixels that they cover in part are blended in part, and the sum of the coverage is
 * the area of the line. Prints TAP.
 */
#include "gl.h"

#include <math.h>
#include <stdio.h>

#define SIZE 64
#define BLACK 0x000000ff

static const GLfloat line[] = { -0.8f, -0.6f, 0.8f, 0.5f };

struct coverage {
	double sum;		/* pixels */
	int partial;
};

static struct coverage draw_line(GLuint white, float width, bool smooth)
{
	struct coverage c = { 0 };

	gl_fill(0, 0, SIZE, SIZE, BLACK);
	glLineWidth(width);
	if (smooth)
		glEnable(GL_LINE_SMOOTH);
	glEnable(GL_BLEND);
	glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
	gl_draw_line(white, line);
	glDisable(GL_BLEND);
	glDisable(GL_LINE_SMOOTH);
	for (int y = 0; y < SIZE; y++) {
		for (int x = 0; x < SIZE; x++) {
			const uint32_t red = gl_pixel(x, y) >> 24;

			c.sum += red / 255.0;
			c.partial += red && red != 255;
		}
	}
	return c;
}

static void test_width(GLuint white, float width)
{
	const double dx = (line[2] - line[0]) * SIZE / 2, dy = (line[3] - line[1]) * SIZE / 2;
	const double area = sqrt(dx * dx + dy * dy) * width;
	const struct coverage smooth = draw_line(white, width, true);

	printf("# width %g: %g pixels of %g covered, %d in part\n", width, smooth.sum, area,
	       smooth.partial);
	tap(smooth.partial > 50, "a smooth line %g wide has edges that are covered in part", width);
	tap(fabs(smooth.sum - area) < area / 20, "and covers as much as it should");
}

int main(void)
{
	GLuint frame, white;

	gl_open(EGL_OPENGL_API);
	frame = gl_texture_new(SIZE, BLACK);
	white = gl_texture_new(1, 0xffffffff);
	gl_draw_to(frame, SIZE, SIZE);
	tap(!draw_line(white, 1, false).partial, "a line that is not smooth covers whole pixels");
	test_width(white, 1);
	test_width(white, 3);
	test_width(white, 6);
	gl_close();
	return tap_failures() != 0;
}
