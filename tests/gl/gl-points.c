// SPDX-License-Identifier: MIT
/*
 * Points in framebuffers of several samples. Without point sprites they are circles (OpenGL 4.6
 * compatibility profile, 14.4.3 Point Multisample Rasterization): a sample is covered if it is less
 * than half the size from the point's position. Point sprites are squares, and so are all points of
 * core profiles and of OpenGL ES 2.0 and later. Prints TAP.
 */
#include "gl-core.h"

#include <math.h>
#include <stdio.h>

#define SIZE 80
#define SAMPLES 4
#define MIDDLE (SIZE / 2 + 0.3f)

/* Of the compatibility profile; the headers of core profiles lack them. */
#define POINT_SPRITE 0x8861

static const EGLint compatible[] = {
	EGL_CONTEXT_MAJOR_VERSION, 4, EGL_CONTEXT_MINOR_VERSION, 5,
	EGL_CONTEXT_OPENGL_PROFILE_MASK, EGL_CONTEXT_OPENGL_COMPATIBILITY_PROFILE_BIT, EGL_NONE,
};
static const EGLint es2[] = { EGL_CONTEXT_MAJOR_VERSION, 2, EGL_NONE };

static const char position_source[] =
	"#version 120\n"
	"attribute vec4 vertex;\n"
	"void main() { gl_Position = vertex; }\n";
static const char white_source[] =
	"#version 120\n"
	"void main() { gl_FragColor = vec4(1.0); }\n";

static GLuint many, one;

static GLuint framebuffer_new(int samples)
{
	GLuint framebuffer, renderbuffer;

	glGenFramebuffers(1, &framebuffer);
	glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
	glGenRenderbuffers(1, &renderbuffer);
	glBindRenderbuffer(GL_RENDERBUFFER, renderbuffer);
	glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, GL_RGBA8, SIZE, SIZE);
	glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER,
				  renderbuffer);
	return framebuffer;
}

static void make_framebuffers(void)
{
	many = framebuffer_new(SAMPLES);
	one = framebuffer_new(0);
	glViewport(0, 0, SIZE, SIZE);
	glClearColor(0, 0, 0, 1);
	core_buffer(GL_ARRAY_BUFFER, 3 * 2 * sizeof(GLfloat), NULL);
	glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
	glEnableVertexAttribArray(0);
}

/* Clears @framebuffer and draws to it. The corners are in pixels. */
static void draw(GLuint framebuffer, GLenum mode, int n, const GLfloat (*corners)[2])
{
	GLfloat clip[3][2];

	for (int i = 0; i < n; i++)
		for (int j = 0; j < 2; j++)
			clip[i][j] = corners[i][j] * 2 / SIZE - 1;
	glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
	glClear(GL_COLOR_BUFFER_BIT);
	glBufferSubData(GL_ARRAY_BUFFER, 0, n * sizeof(clip[0]), clip);
	glDrawArrays(mode, 0, n);
}

/* Returns the red light of a framebuffer in pixels; resolves @many first. */
static double light(GLuint framebuffer)
{
	static GLubyte pixels[SIZE * SIZE][4];
	double sum = 0;

	if (framebuffer == many) {
		glBindFramebuffer(GL_READ_FRAMEBUFFER, many);
		glBindFramebuffer(GL_DRAW_FRAMEBUFFER, one);
		glBlitFramebuffer(0, 0, SIZE, SIZE, 0, 0, SIZE, SIZE, GL_COLOR_BUFFER_BIT,
				  GL_NEAREST);
	}
	glBindFramebuffer(GL_FRAMEBUFFER, one);
	glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
	for (int i = 0; i < SIZE * SIZE; i++)
		sum += pixels[i][0] / 255.0;
	return sum;
}

/* Returns the area that is lit by a point in the middle, in pixels. */
static double area_of(GLuint framebuffer, GLfloat size)
{
	glPointSize(size);
	draw(framebuffer, GL_POINTS, 1, (const GLfloat[][2]){ { MIDDLE, MIDDLE } });
	return light(framebuffer);
}

/* The number of samples in a circle or square differs from its area by a part of its outline. */
static bool is_near(double area, double expected, double size)
{
	const double tolerance = 0.2 * size + 0.5;

	if (fabs(area - expected) > tolerance)
		printf("# an area of %g pixels instead of %g\n", area, expected);
	return fabs(area - expected) <= tolerance;
}

static double circle(double size)
{
	return M_PI / 4 * size * size;
}

static double square(double size)
{
	return size * size;
}

/* The number of samples that the specification says are covered, in pixels. */
static double covered(GLfloat size)
{
	GLfloat places[SAMPLES][2];
	int n = 0;

	glBindFramebuffer(GL_FRAMEBUFFER, many);
	for (int i = 0; i < SAMPLES; i++)
		glGetMultisamplefv(GL_SAMPLE_POSITION, i, places[i]);
	for (int y = 0; y < SIZE; y++)
		for (int x = 0; x < SIZE; x++)
			for (int i = 0; i < SAMPLES; i++)
				n += hypot(x + places[i][0] - MIDDLE,
					   y + places[i][1] - MIDDLE) < size / 2;
	return (double)n / SAMPLES;
}

static void test_circles(void)
{
	static const GLfloat sizes[] = { 1, 2, 4.5f, 17, 33.25f, 60 };

	for (int i = 0; i < 6; i++) {
		const double area = area_of(many, sizes[i]), samples = covered(sizes[i]);

		tap(is_near(area, circle(sizes[i]), sizes[i]),
		    "a point of size %g is a circle: %g pixels of %g", sizes[i], area,
		    circle(sizes[i]));
		/* The position is rounded to a part of a pixel. */
		tap(fabs(area - samples) <= 0.02 * sizes[i] + 0.3,
		    "a point of size %g covers the samples inside: %g pixels of %g", sizes[i],
		    area, samples);
	}
}

static void test_squares(void)
{
	glEnable(POINT_SPRITE);
	tap(is_near(area_of(many, 60), square(60), 60), "a point sprite is a square");
	glDisable(POINT_SPRITE);
	glDisable(GL_MULTISAMPLE);
	tap(is_near(area_of(many, 60), square(60), 60),
	    "a point without multisampling is a square");
	glEnable(GL_MULTISAMPLE);
	tap(is_near(area_of(one, 60), square(60), 60),
	    "a point in a framebuffer of one sample is a square");
	tap(is_near(area_of(many, 60), circle(60), 60),
	    "a point is a circle again in a framebuffer of four samples");
}

/* The circle is half outside of the picture. */
static void test_border(void)
{
	glPointSize(60);
	draw(many, GL_POINTS, 1, (const GLfloat[][2]){ { SIZE, SIZE / 2 } });
	tap(is_near(light(many), circle(60) / 2, 60), "a point at the border is half a circle");
}

static void test_polygon_points(void)
{
	glPolygonMode(GL_FRONT_AND_BACK, GL_POINT);
	glPointSize(20);
	draw(many, GL_TRIANGLES, 3, (const GLfloat[][2]){ { 15, 15 }, { 60, 15 }, { 30, 60 } });
	tap(is_near(light(many), 3 * circle(20), 60), "corners of a polygon are circles");
	glPolygonMode(GL_FRONT_AND_BACK, GL_FILL);
}

static void test_sample_shading(void)
{
	glEnable(GL_SAMPLE_SHADING);
	glMinSampleShading(1);
	tap(is_near(area_of(many, 40), circle(40), 40),
	    "a point whose samples are shaded apart is a circle");
	glDisable(GL_SAMPLE_SHADING);
}

/* The samples of a fragment that the shader covers and that are in the circle. */
static void test_mask(void)
{
	static const char mask_source[] =
		"#version 400 compatibility\n"
		"void main() { gl_SampleMask[0] = 5; gl_FragColor = vec4(1.0); }\n";
	const GLuint program = core_program(position_source, mask_source, 0, NULL, 0);

	glUseProgram(program);
	tap(is_near(area_of(many, 60), circle(60) / 2, 60), "a shader's sample mask is kept");
	glUseProgram(0);
	glDeleteProgram(program);
}

static void test_query(void)
{
	GLuint query, samples = 0;

	glGenQueries(1, &query);
	glBeginQuery(GL_SAMPLES_PASSED, query);
	area_of(many, 60);
	glEndQuery(GL_SAMPLES_PASSED);
	glGetQueryObjectuiv(query, GL_QUERY_RESULT, &samples);
	tap(is_near(samples / (double)SAMPLES, circle(60), 60),
	    "a query counts the samples of the circle: %u", samples);
	glDeleteQueries(1, &query);
}

/* Pixels outside of the circle have no fragments that could count. */
static void test_stores(void)
{
	static const char count_source[] =
		"#version 430 compatibility\n"
		"layout(std430, binding = 0) buffer Words { uint n; };\n"
		"void main() { atomicAdd(n, 1u); gl_FragColor = vec4(1.0); }\n";
	const GLuint program = core_program(position_source, count_source, 0, NULL, 0),
		     buffer = core_words(1, 0);
	uint32_t n = 0;

	glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, buffer);
	glUseProgram(program);
	area_of(many, 60);
	glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
	core_read_words(buffer, 0, &n, 1);
	tap(n >= circle(60) && n < circle(63),
	    "a fragment shader runs for the pixels of the circle only: %u times", n);
	glUseProgram(0);
	glDeleteProgram(program);
}

static void test_core(void)
{
	static const char fragment[] =
		"#version 330\n"
		"out vec4 colour;\n"
		"void main() { colour = vec4(1.0); }\n";

	make_framebuffers();
	glUseProgram(core_program(core_position, fragment, 0, NULL, 0));
	tap(is_near(area_of(many, 60), square(60), 60), "points of a core profile are squares");
	tap(core_no_error(), "there is no GL error in the core profile");
}

static void test_compatible(void)
{
	GLuint program;

	make_framebuffers();
	program = core_program(position_source, white_source, 0, NULL, 0);
	glUseProgram(program);
	test_circles();
	test_squares();
	test_border();
	test_polygon_points();
	test_sample_shading();
	test_query();
	test_mask();
	test_stores();
	tap(core_no_error(), "there is no GL error in the compatibility profile");
}

static void test_es2(void)
{
	static const char vertex[] =
		"attribute vec4 vertex;\n"
		"void main() { gl_PointSize = 60.0; gl_Position = vertex; }\n";
	static const char fragment[] = "void main() { gl_FragColor = vec4(1.0); }\n";

	make_framebuffers();
	glUseProgram(core_program(vertex, fragment, 0, NULL, 0));
	draw(many, GL_POINTS, 1, (const GLfloat[][2]){ { MIDDLE, MIDDLE } });
	tap(is_near(light(many), square(60), 60), "points of OpenGL ES are squares");
	tap(glGetError() == GL_NO_ERROR, "there is no GL error in OpenGL ES");
}

int main(void)
{
	core_open();
	test_core();
	core_use_new(compatible);
	test_compatible();
	gl_close();
	gl_open(EGL_OPENGL_ES_API);
	core_use_new(es2);
	test_es2();
	gl_close();
	return tap_failures() != 0;
}
