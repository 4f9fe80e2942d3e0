// SPDX-License-Identifier: MIT
/*
 * Extensions of the fixed-function pipeline: lighting, texture environments, assembly programs.
 * Prints TAP.
 */
#include "gl.h"
#include "gles.h"

#include <stdio.h>
#include <string.h>

#define GL_GLEXT_PROTOTYPES 1
#include <GL/gl.h>
#include <GL/glext.h>

#define SIZE 16
#define BLACK 0x000000ff

static bool no_error(void)
{
	return glGetError() == GL_NO_ERROR;
}

/* Draws a square over the whole picture, which faces the viewer. */
static void draw_square(void)
{
	static const GLfloat corners[] = { -1, -1, 1, -1, -1, 1, 1, 1 };

	glVertexPointer(2, GL_FLOAT, 0, corners);
	glEnableClientState(GL_VERTEX_ARRAY);
	glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
	glDisableClientState(GL_VERTEX_ARRAY);
}

static bool draws(uint32_t color)
{
	glClearColor(0, 0, 1, 1);
	glClear(GL_COLOR_BUFFER_BIT);
	draw_square();
	return gl_pixel_is(5, 9, color, 2) && no_error();
}

/* Lighting */

/* A directional light from the viewer with these diffuse and specular colours. */
static void light_up(const GLfloat *diffuse, const GLfloat *specular)
{
	static const GLfloat position[] = { 0, 0, 1, 0 }, none[] = { 0, 0, 0, 1 };

	glLightfv(GL_LIGHT0, GL_POSITION, position);
	glLightfv(GL_LIGHT0, GL_DIFFUSE, diffuse);
	glLightfv(GL_LIGHT0, GL_SPECULAR, specular);
	glLightModelfv(GL_LIGHT_MODEL_AMBIENT, none);
	glMaterialfv(GL_FRONT_AND_BACK, GL_AMBIENT, none);
	glMaterialfv(GL_FRONT_AND_BACK, GL_DIFFUSE, (GLfloat[]){ 1, 1, 1, 1 });
	glMaterialfv(GL_FRONT_AND_BACK, GL_SPECULAR, (GLfloat[]){ 1, 1, 1, 1 });
	glNormal3f(0, 0, 1);
	glEnable(GL_LIGHTING);
	glEnable(GL_LIGHT0);
}

/* GL_EXT_rescale_normal: an object that is scaled by two has the same brightness. */
static void test_rescale(void)
{
	bool dark;

	light_up((GLfloat[]){ 0.8f, 0.4f, 0, 1 }, (GLfloat[]){ 0, 0, 0, 1 });
	glScalef(2, 2, 2);
	dark = draws(0x663300ff);
	glEnable(GL_RESCALE_NORMAL);
	tap(dark && draws(0xcc6600ff), "GL_EXT_rescale_normal");
	glDisable(GL_RESCALE_NORMAL);
	glLoadIdentity();
}

/* GL_EXT_separate_specular_color: a black texture leaves the highlight. */
static void test_separate_specular(void)
{
	bool black;

	light_up((GLfloat[]){ 0.8f, 0.4f, 0, 1 }, (GLfloat[]){ 0, 0.4f, 0.2f, 1 });
	gl_texture_new(1, BLACK);
	glEnable(GL_TEXTURE_2D);
	black = draws(BLACK);
	glLightModeli(GL_LIGHT_MODEL_COLOR_CONTROL, GL_SEPARATE_SPECULAR_COLOR);
	tap(black && draws(0x006633ff), "GL_EXT_separate_specular_color");
	glLightModeli(GL_LIGHT_MODEL_COLOR_CONTROL, GL_SINGLE_COLOR);
	glDisable(GL_TEXTURE_2D);
}

/* GL_NV_light_max_exponent: exponents above 128 are allowed. */
static void test_exponent(void)
{
	GLint shininess = 0, spot = 0;

	glGetIntegerv(0x8504 /* MAX_SHININESS_NV */, &shininess);
	glGetIntegerv(0x8505 /* MAX_SPOT_EXPONENT_NV */, &spot);
	glMaterialf(GL_FRONT, GL_SHININESS, shininess);
	glLightf(GL_LIGHT0, GL_SPOT_EXPONENT, spot);
	tap(shininess >= 128 && spot >= 128 && no_error(), "GL_NV_light_max_exponent: %d and %d",
	    shininess, spot);
	glMaterialf(GL_FRONT, GL_SHININESS, shininess + 1.0f);
	tap(glGetError() == GL_INVALID_VALUE, "and no more");
	glMaterialf(GL_FRONT, GL_SHININESS, 0);
	glLightf(GL_LIGHT0, GL_SPOT_EXPONENT, 0);
	glDisable(GL_LIGHTING);
}

/* Texture environments */

/* GL_ARB_texture_env_add, GL_EXT_texture_env_add, GL_ARB_texture_env_dot3 */
static void test_environments(void)
{
	gl_texture_new(1, 0x404080ff);
	glEnable(GL_TEXTURE_2D);
	glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, GL_ADD);
	glColor4f(0.5f, 0.25f, 0.75f, 1);
	tap(draws(0xc080ffff), "GL_ARB_texture_env_add and GL_EXT_texture_env_add");
	glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, GL_COMBINE);
	glTexEnvi(GL_TEXTURE_ENV, GL_COMBINE_RGB, GL_DOT3_RGB);
	glTexEnvi(GL_TEXTURE_ENV, GL_SOURCE0_RGB, GL_TEXTURE);
	glTexEnvi(GL_TEXTURE_ENV, GL_SOURCE1_RGB, GL_PRIMARY_COLOR);
	/* The dot product is 4 ((0.251 - 0.5) (0 - 0.5) + (0.251 - 0.5) (0.25 - 0.5) + 0). */
	glColor4f(0, 0.25f, 0.5f, 1);
	tap(draws(0xbfbfbfff), "GL_ARB_texture_env_dot3");
	glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, GL_REPLACE);
	glDisable(GL_TEXTURE_2D);
}

/* GL_NV_texgen_reflection: the normal is the texture coordinate. */
static void test_normal_map(void)
{
	static const GLubyte texels[] = { 255, 0, 0, 255, 0, 255, 0, 255 };
	bool left;

	gl_texture_new(1, BLACK);
	glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 2, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
	glEnable(GL_TEXTURE_2D);
	glTexGeni(GL_S, GL_TEXTURE_GEN_MODE, GL_NORMAL_MAP);
	glEnable(GL_TEXTURE_GEN_S);
	glNormal3f(0.25f, 0, 0);
	left = draws(0xff0000ff);
	glNormal3f(0.75f, 0, 0);
	tap(left && draws(0x00ff00ff), "GL_NV_texgen_reflection");
	glDisable(GL_TEXTURE_GEN_S);
}

/* GL_S3_s3tc: a format that the driver compresses to. Colours of 5 and 6 bits are exact. */
static void test_s3tc(void)
{
	GLubyte texels[16][4];
	GLint compressed = 0;

	for (int i = 0; i < 16; i++)
		memcpy(texels[i], (GLubyte[]){ 0x84, 0x41, 0xff, 0xff }, 4);
	gl_texture_new(1, BLACK);
	glTexImage2D(GL_TEXTURE_2D, 0, 0x83a0 /* RGB_S3TC */, 4, 4, 0, GL_RGBA, GL_UNSIGNED_BYTE,
		     texels);
	glGetTexLevelParameteriv(GL_TEXTURE_2D, 0, GL_TEXTURE_COMPRESSED, &compressed);
	tap(compressed && draws(0x8441ffff), "GL_S3_s3tc");
	glDisable(GL_TEXTURE_2D);
}

/* Vertices and programs */

/* GL_EXT_compiled_vertex_array */
static void test_locked_arrays(void)
{
	static const GLfloat corners[] = { -1, -1, 1, -1, -1, 1, 1, 1 };
	PFNGLLOCKARRAYSEXTPROC lock = (PFNGLLOCKARRAYSEXTPROC)eglGetProcAddress("glLockArraysEXT");
	PFNGLUNLOCKARRAYSEXTPROC unlock = (PFNGLUNLOCKARRAYSEXTPROC)eglGetProcAddress(
		"glUnlockArraysEXT");
	GLint first = -1, count = -1;

	glClear(GL_COLOR_BUFFER_BIT);
	glColor4f(1, 0, 0, 1);
	glVertexPointer(2, GL_FLOAT, 0, corners);
	glEnableClientState(GL_VERTEX_ARRAY);
	lock(0, 4);
	glGetIntegerv(GL_ARRAY_ELEMENT_LOCK_FIRST_EXT, &first);
	glGetIntegerv(GL_ARRAY_ELEMENT_LOCK_COUNT_EXT, &count);
	glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
	unlock();
	glDisableClientState(GL_VERTEX_ARRAY);
	tap(first == 0 && count == 4 && gl_pixel_is(9, 9, 0xff0000ff, 0) && no_error(),
	    "GL_EXT_compiled_vertex_array");
	unlock();
	tap(glGetError() == GL_INVALID_OPERATION, "arrays that are not locked cannot be unlocked");
}

/* GL_EXT_gpu_program_parameters: sets several parameters of a program at once. */
static void test_program_parameters(void)
{
	static const char source[] =
		"!!ARBfp1.0\n"
		"PARAM env = program.env[3];\n"
		"PARAM local = program.local[5];\n"
		"ADD result.color, env, local;\n"
		"END\n";
	static const GLfloat env[] = { 9, 9, 9, 9, 0.2f, 0, 0.4f, 0.5f },
			     local[] = { 0, 0.6f, 0.2f, 0.5f };
	PFNGLPROGRAMENVPARAMETERS4FVEXTPROC set_env = (PFNGLPROGRAMENVPARAMETERS4FVEXTPROC)
		eglGetProcAddress("glProgramEnvParameters4fvEXT");
	PFNGLPROGRAMLOCALPARAMETERS4FVEXTPROC set_local = (PFNGLPROGRAMLOCALPARAMETERS4FVEXTPROC)
		eglGetProcAddress("glProgramLocalParameters4fvEXT");
	PFNGLPROGRAMSTRINGARBPROC set_source = (PFNGLPROGRAMSTRINGARBPROC)eglGetProcAddress(
		"glProgramStringARB");
	PFNGLBINDPROGRAMARBPROC bind = (PFNGLBINDPROGRAMARBPROC)eglGetProcAddress(
		"glBindProgramARB");

	bind(GL_FRAGMENT_PROGRAM_ARB, 1);
	set_source(GL_FRAGMENT_PROGRAM_ARB, GL_PROGRAM_FORMAT_ASCII_ARB, strlen(source), source);
	set_env(GL_FRAGMENT_PROGRAM_ARB, 2, 2, env);
	set_local(GL_FRAGMENT_PROGRAM_ARB, 5, 1, local);
	glEnable(GL_FRAGMENT_PROGRAM_ARB);
	tap(draws(0x339999ff), "GL_EXT_gpu_program_parameters");
	glDisable(GL_FRAGMENT_PROGRAM_ARB);
}

/*
 * GL_IBM_rasterpos_clip: pixels whose raster position is outside of the picture are drawn where
 * they reach into it.
 */
static void test_raster_position(void)
{
	static const GLubyte pixels[4] = { 255, 255, 255, 255 };
	bool nothing;

	glClearColor(0, 0, 0, 1);
	glClear(GL_COLOR_BUFFER_BIT);
	glRasterPos2f(-1.125f, -1);
	glPixelZoom(4, 4);
	glDrawPixels(1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
	nothing = gl_pixel_is(1, 1, BLACK, 0);
	glEnable(0x19262 /* RASTER_POSITION_UNCLIPPED_IBM */);
	glRasterPos2f(-1.125f, -1);
	glDrawPixels(1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
	glDisable(0x19262);
	glPixelZoom(1, 1);
	tap(nothing && gl_pixel_is(2, 1, 0xffffffff, 0) && gl_pixel_is(3, 1, BLACK, 0) &&
		    no_error(),
	    "GL_IBM_rasterpos_clip");
}

/* Signed normalised texels: GL_MESA_texture_signed_rgba */
static void test_signed(void)
{
	static const GLbyte texel[] = { -64, 64, -127, 127 };
	GLfloat seen[4] = { 0 };

	gl_texture_new(1, BLACK);
	glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8_SNORM, 1, 1, 0, GL_RGBA, GL_BYTE, texel);
	glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_FLOAT, seen);
	tap(seen[0] < -0.5f && seen[0] > -0.51f && seen[1] > 0.5f && seen[2] == -1 &&
		    seen[3] == 1 && no_error(),
	    "GL_MESA_texture_signed_rgba");
}

/* GL_CLAMP of a cube map has no effect on its directions. */
static void test_clamped_cube(void)
{
	static const GLfloat directions[6][3] = {
		{ 1, 0.1f, 0.2f }, { -1, 0.1f, 0.2f }, { 0.1f, 1, 0.2f }, { 0.1f, -1, 0.2f },
		{ 0.1f, 0.2f, 1 }, { 0.1f, 0.2f, -1 },
	};
	static const uint32_t colors[6] = { 0xff0000ff, 0x00ff00ff, 0x0000ffff,
					    0xffff00ff, 0x00ffffff, 0xff00ffff };
	GLuint texture;
	bool ok = true;

	glGenTextures(1, &texture);
	glBindTexture(GL_TEXTURE_CUBE_MAP, texture);
	for (int i = 0; i < 6; i++)
		glTexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + i, 0, GL_RGBA8, 1, 1, 0, GL_RGBA,
			     GL_UNSIGNED_INT_8_8_8_8, &colors[i]);
	glTexParameteri(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
	glTexParameteri(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
	glTexParameteri(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_WRAP_S, GL_CLAMP);
	glTexParameteri(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_WRAP_T, GL_CLAMP);
	glTexParameteri(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_WRAP_R, GL_CLAMP);
	glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, GL_REPLACE);
	glEnable(GL_TEXTURE_CUBE_MAP);
	for (int i = 0; i < 6; i++) {
		glTexCoord3fv(directions[i]);
		ok &= draws(colors[i]);
	}
	tap(ok, "a cube map is clamped, and its directions are not");
	glDisable(GL_TEXTURE_CUBE_MAP);
	glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, GL_MODULATE);
	glDeleteTextures(1, &texture);
}

/*
 * Returns the light of a smooth white point in white pixels. Its centre is @at pixels away from
 * that of a pixel, in x and in y.
 */
static double light_of(GLfloat size, GLfloat at)
{
	const GLfloat place[] = { (at + 0.5f) * 2 / SIZE, (at + 0.5f) * 2 / SIZE };
	double light = 0;

	glClearColor(0, 0, 0, 1);
	glClear(GL_COLOR_BUFFER_BIT);
	glPointSize(size);
	glVertexPointer(2, GL_FLOAT, 0, place);
	glEnableClientState(GL_VERTEX_ARRAY);
	glDrawArrays(GL_POINTS, 0, 1);
	glDisableClientState(GL_VERTEX_ARRAY);
	for (int y = 0; y < SIZE; y++)
		for (int x = 0; x < SIZE; x++)
			light += (gl_pixel(x, y) >> 24) / 255.0;
	return light;
}

/*
 * Returns true if the point has the area of a disc at each position. Small points get a larger
 * tolerance, because the coverage of a pixel is an estimate.
 */
static bool is_round(GLfloat size)
{
	const double area = 3.1416 / 4 * size * size, error = size < 2 ? 0.5 : 0.2;
	bool ok = true;

	for (GLfloat at = -0.5f; at < 0.5f; at += 0.09f) {
		const double light = light_of(size, at);

		if (light < area * (1 - error) || light > area * (1 + error)) {
			printf("# a point %g wide, %g off, has %g of %g\n", size, at, light, area);
			ok = false;
		}
	}
	return ok;
}

static const char vertex_source[] =
	"#version 120\n"
	"void main() { gl_PointSize = 3.0; gl_Position = gl_Vertex; }\n";
static const char fragment_source[] =
	"#version 120\n"
	"void main() { gl_FragColor = vec4(1.0); }\n";

static void test_smooth_points(void)
{
	GLuint program = gles_program(vertex_source, fragment_source);

	glEnable(GL_POINT_SMOOTH);
	glEnable(GL_BLEND);
	glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
	tap(is_round(1) && is_round(1.5f) && is_round(2) && is_round(3) && is_round(7),
	    "smooth points are circles");
	glUseProgram(program);
	tap(is_round(1) && is_round(2), "a program's size is the API's");
	glEnable(GL_VERTEX_PROGRAM_POINT_SIZE);
	glPointSize(1);
	tap(light_of(1, 0.2f) > 5 && light_of(1, 0.2f) < 9, "or its own");
	glDisable(GL_VERTEX_PROGRAM_POINT_SIZE);
	glUseProgram(0);
	glDisable(GL_BLEND);
	glDisable(GL_POINT_SMOOTH);
	glPointSize(1);
	glDeleteProgram(program);
}

/* Clip planes */

/*
 * Draws the square. Returns true if its left half is white (@left) or clipped, and its right half,
 * too (@right).
 */
static bool is_seen(GLuint program, bool left, bool right)
{
	const uint32_t blue = 0x0000ffff, white = 0xffffffff;

	glUseProgram(program);
	glClear(GL_COLOR_BUFFER_BIT);
	draw_square();
	return gl_pixel_is(3, 9, left ? white : blue, 0) &&
	       gl_pixel_is(12, 9, right ? white : blue, 0) && no_error();
}

/* The first clip plane is enabled after the programs have been drawn with. */
static void test_planes(void)
{
	static const char vertex[] =
		"#version 120\n"
		"void main() { gl_Position = gl_Vertex; gl_ClipVertex = gl_Vertex; }\n";
	static const char fragment[] = "#version 120\nvoid main() { gl_FragColor = vec4(1.0); }\n";
	static const GLdouble left[] = { -1, 0, 0, 0 }, right[] = { 1, 0, 0, 0 };
	const GLuint programs[] = { gles_program(vertex, fragment), gles_program(vertex, fragment),
				    0 };

	glClearColor(0, 0, 1, 1);
	glColor4f(1, 1, 1, 1);
	for (int i = 0; i < 3; i++)
		tap(is_seen(programs[i], true, true), "program %u without a plane", i);
	glClipPlane(GL_CLIP_PLANE0, right);
	glEnable(GL_CLIP_PLANE0);
	for (int i = 0; i < 3; i++)
		tap(is_seen(programs[i], false, true), "and with one");
	glClipPlane(GL_CLIP_PLANE0, left);
	for (int i = 0; i < 3; i++)
		tap(is_seen(programs[i], true, false), "and with another");
	glDisable(GL_CLIP_PLANE0);
	for (int i = 0; i < 3; i++)
		tap(is_seen(programs[i], true, true), "and without again");
	glDeleteProgram(programs[0]);
	glDeleteProgram(programs[1]);
}

/*
 * OpenGL ES 1: lit colours are clamped before they are interpolated; the other end of the square is
 * not lit.
 */
static void test_es1(void)
{
	static const EGLint version[] = { EGL_CONTEXT_CLIENT_VERSION, 1, EGL_NONE },
		size[] = { EGL_WIDTH, SIZE, EGL_HEIGHT, 4,
		EGL_NONE };
	static const GLfloat normals[] = { 0, 0, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0 },
			     bright[] = { 4, 4, 4, 1 }, none[] = { 0, 0, 0, 1 };
	const EGLint wanted[] = { EGL_RENDERABLE_TYPE, EGL_OPENGL_ES_BIT, EGL_SURFACE_TYPE,
				  EGL_PBUFFER_BIT, EGL_NONE };
	EGLSurface surface;
	EGLContext context;
	EGLConfig config;
	EGLint n;

	if (!eglBindAPI(EGL_OPENGL_ES_API) ||
	    !eglChooseConfig(gl.display, wanted, &config, 1, &n) || !n) {
		tap(false, "a configuration of OpenGL ES 1");
		return;
	}
	context = eglCreateContext(gl.display, config, EGL_NO_CONTEXT, version);
	surface = eglCreatePbufferSurface(gl.display, config, size);
	tap(eglMakeCurrent(gl.display, surface, surface, context), "a context of OpenGL ES 1");
	glViewport(0, 0, SIZE, 4);
	light_up(bright, none);
	glEnableClientState(GL_NORMAL_ARRAY);
	glNormalPointer(GL_FLOAT, 0, normals);
	draw_square();
	tap(gl_pixel_is(SIZE / 2, 2, 0x7b7b7bff, 6) && no_error(),
	    "colours are clamped before they are interpolated");
	eglDestroySurface(gl.display, surface);
	gl_use(gl.context);
	eglDestroyContext(gl.display, context);
}

int main(void)
{
	gl_open(EGL_OPENGL_API);
	gl_draw_to(gl_texture_new(SIZE, BLACK), SIZE, SIZE);
	test_rescale();
	test_separate_specular();
	test_exponent();
	test_environments();
	test_normal_map();
	test_s3tc();
	test_locked_arrays();
	test_program_parameters();
	test_raster_position();
	test_planes();
	test_signed();
	test_clamped_cube();
	test_smooth_points();
	test_es1();
	gl_close();
	return tap_failures() != 0;
}
