// SPDX-License-Identifier: MIT
/*
 * glDrawPixels, glBitmap, glCopyPixels and transfers with pixel maps, among them integers. Prints
 * TAP.
 */
#include "gl.h"

#include <string.h>

#define GL_GLEXT_PROTOTYPES 1
#include <GL/gl.h>
#include <GL/glext.h>

#define SIZE 16
#define BLACK 0x000000ff
#define WHITE 0xffffffff

static bool no_error(void)
{
	return glGetError() == GL_NO_ERROR;
}

static void clear(void)
{
	glClearColor(0, 0, 0, 1);
	glClear(GL_COLOR_BUFFER_BIT);
	glWindowPos2i(0, 0);
}

static void draw_pixels(uint32_t color)
{
	uint32_t pixels[SIZE * SIZE];

	for (int i = 0; i < SIZE * SIZE; i++)
		pixels[i] = color;
	glDrawPixels(SIZE, SIZE, GL_RGBA, GL_UNSIGNED_INT_8_8_8_8, pixels);
}

/* Pixel maps */

/* glReadPixels() applies pixel maps, too, so they are disabled before it. */
static void draw_mapped(uint32_t color)
{
	clear();
	glPixelTransferi(GL_MAP_COLOR, GL_TRUE);
	draw_pixels(color);
	glPixelTransferi(GL_MAP_COLOR, GL_FALSE);
}

/* Each channel has a map of its own, from 0 and 1 to two values. */
static void test_maps(void)
{
	static const GLenum targets[] = {
		GL_TEXTURE_1D, GL_TEXTURE_2D, GL_TEXTURE_3D, GL_TEXTURE_CUBE_MAP,
		GL_TEXTURE_RECTANGLE,
	};
	static const GLfloat red[] = { 0.25, 0.5 }, green[] = { 0.5, 0.75 }, blue[] = { 0.125, 1 },
			     alpha[] = { 0.25, 0.75 };

	glPixelMapfv(GL_PIXEL_MAP_R_TO_R, 2, red);
	glPixelMapfv(GL_PIXEL_MAP_G_TO_G, 2, green);
	glPixelMapfv(GL_PIXEL_MAP_B_TO_B, 2, blue);
	glPixelMapfv(GL_PIXEL_MAP_A_TO_A, 2, alpha);
	draw_mapped(0xff00ff00);
	tap(gl_pixel_is(5, 9, 0x8080ff40, 1) && no_error(),
	    "pixels are mapped, each channel by its map");
	glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, GL_REPLACE);
	for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++) {
		GLuint texture;

		glGenTextures(1, &texture);
		glBindTexture(targets[i], texture);
		glTexParameteri(targets[i], GL_TEXTURE_MIN_FILTER, GL_NEAREST);
		glEnable(targets[i]);
		draw_mapped(0x00ff00ff);
		tap(gl_pixel_is(5, 9, 0x40bf20bf, 1) && no_error(),
		    "and where a texture of target %#x is on", targets[i]);
		glDisable(targets[i]);
		glDeleteTextures(1, &texture);
	}
}

/* The alpha test */

static void copy_white(void)
{
	glEnable(GL_SCISSOR_TEST);
	glScissor(SIZE / 2, 0, SIZE / 2, SIZE);
	glClearColor(1, 1, 1, 1);
	glClear(GL_COLOR_BUFFER_BIT);
	glDisable(GL_SCISSOR_TEST);
	glCopyPixels(SIZE / 2, 0, SIZE / 2, SIZE, GL_COLOR);
}

static void draw_bits(void)
{
	GLubyte bits[SIZE * 4];

	memset(bits, 0xff, sizeof(bits));
	glColor4f(1, 1, 1, 1);
	glWindowPos2i(0, 0);
	glBitmap(SIZE, SIZE, 0, 0, 0, 0, bits);
}

static void set_alpha_test(bool on, GLfloat reference)
{
	(on ? glEnable : glDisable)(GL_ALPHA_TEST);
	glAlphaFunc(GL_GREATER, reference);
}

static void test_alpha(GLenum function, uint32_t expected, const char *what)
{
	glEnable(GL_ALPHA_TEST);
	glAlphaFunc(function, 0.5);
	clear();
	draw_pixels(WHITE);
	tap(gl_pixel_is(3, 9, expected, 0), "pixels of %s alpha", what);
	clear();
	copy_white();
	tap(gl_pixel_is(3, 9, expected, 0), "copied ones of %s alpha", what);
	clear();
	draw_bits();
	tap(gl_pixel_is(3, 9, expected, 0) && no_error(), "a bitmap of %s alpha", what);
	glDisable(GL_ALPHA_TEST);
}

/*
 * The driver may draw bitmaps later. The alpha test has to be the one of the call; the bitmap's
 * alpha is 0.25.
 */
static void test_alpha_of_then(void)
{
	static const struct {
		const char *what;
		bool before, after;
		GLfloat reference;	/* before; later 0.5 */
		uint32_t expected;
	} cases[] = {
		{ "no test yet", false, true, 0.5, 0xffffff40 },
		{ "a test that ends", true, false, 0.5, BLACK },
		{ "a test that gets another reference", true, true, 0.1, 0xffffff40 },
	};
	GLubyte bits[SIZE * 4];

	memset(bits, 0xff, sizeof(bits));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		clear();
		set_alpha_test(cases[i].before, cases[i].reference);
		glColor4f(1, 1, 1, 0.25);
		glWindowPos2i(0, 0);
		glBitmap(SIZE, SIZE, 0, 0, 0, 0, bits);
		set_alpha_test(cases[i].after, 0.5);
		tap(gl_pixel_is(3, 9, cases[i].expected, 1) && no_error(), "a bitmap with %s",
		    cases[i].what);
	}
	set_alpha_test(false, 0.5);
}

/*
 * A bitmap uses the texture of the call, even if the texture is changed before the bitmap is drawn.
 */
static void test_textured_bitmap(bool other)
{
	static const uint32_t texels[] = { 0xff0000ff, 0xff00ff00 };
	GLuint textures[2];

	glGenTextures(2, textures);
	for (int i = 0; i < 2; i++) {
		glBindTexture(GL_TEXTURE_2D, textures[i]);
		glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
		glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 1, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE,
			     &texels[i]);
	}
	glBindTexture(GL_TEXTURE_2D, textures[0]);
	glEnable(GL_TEXTURE_2D);
	clear();
	draw_bits();
	if (other)
		glBindTexture(GL_TEXTURE_2D, textures[1]);
	else
		glDisable(GL_TEXTURE_2D);
	tap(gl_pixel_is(3, 9, 0xff0000ff, 1) && no_error(), "a bitmap with a texture, and %s then",
	    other ? "another" : "none");
	glDisable(GL_TEXTURE_2D);
	glDeleteTextures(2, textures);
}

/* Copies */

/*
 * Copies from a framebuffer of integers to a texture. Both formats have three channels, which the
 * device stores with an alpha channel.
 */
static bool copies_integers(GLenum format, const GLint *values)
{
	GLint got[6] = { 0 };
	GLuint textures[2], framebuffer;

	glGenTextures(2, textures);
	for (int i = 0; i < 2; i++) {
		glBindTexture(GL_TEXTURE_2D, textures[i]);
		glTexImage2D(GL_TEXTURE_2D, 0, format, 2, 1, 0, GL_RGB_INTEGER, GL_INT,
			     i ? NULL : values);
	}
	glGenFramebuffers(1, &framebuffer);
	glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer);
	glFramebufferTexture2D(GL_READ_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D,
			       textures[0], 0);
	glCopyTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 0, 0, 2, 1);
	glGetTexImage(GL_TEXTURE_2D, 0, GL_RGB_INTEGER, GL_INT, got);
	glDeleteFramebuffers(1, &framebuffer);
	glDeleteTextures(2, textures);
	return !memcmp(got, values, sizeof(got)) && no_error();
}

static void test_copies(void)
{
	static const GLint few[] = { 5, 99, 18, 6, 100, 19 },
			   less[] = { -5, 99, -3000, 6, -100, 19 };

	tap(copies_integers(GL_RGB8UI, few), "integers of 8 bits are copied");
	tap(copies_integers(GL_RGB16I, less), "and of 16 bits, with a sign");
	tap(copies_integers(GL_RGB32UI, (GLint[]){ 1 << 30, 99, 0x7654321, 6, 100, 19 }),
	    "and of 32 bits");
}

/* GL_MESA_pack_invert: the skipped rows come first, then the rows from the last one on. */
static void test_inverted(void)
{
	uint32_t picture[4], room[12] = { 0 };
	bool ok = true;

	for (uint32_t i = 0; i < 4; i++)
		picture[i] = i + 1;
	gl_texture_new(1, BLACK);
	glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 1, 4, 0, GL_RGBA, GL_UNSIGNED_BYTE, picture);
	glPixelStorei(GL_PACK_INVERT_MESA, 1);
	glPixelStorei(GL_PACK_SKIP_ROWS, 2);
	glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, room + 4);
	glPixelStorei(GL_PACK_INVERT_MESA, 0);
	glPixelStorei(GL_PACK_SKIP_ROWS, 0);
	for (uint32_t i = 0; i < 12; i++)
		ok &= room[i] == (i >= 6 && i < 10 ? 10 - i : 0);
	tap(ok && no_error(), "rows that are read upside down come behind those that are skipped");
}

/* Converted texels start at the offset that the program sets, too. Rows have 8 texels. */
static void skip(bool on)
{
	glPixelStorei(GL_UNPACK_ROW_LENGTH, on ? 8 : 0);
	glPixelStorei(GL_UNPACK_SKIP_PIXELS, on ? 2 : 0);
	glPixelStorei(GL_UNPACK_SKIP_ROWS, on ? 3 : 0);
}

/* Returns the index of the source of a texel; the picture is 4 texels wide. */
static int given(int texel)
{
	return (3 + texel / 4) * 8 + 2 + texel % 4;
}

static void test_swapped(void)
{
	uint16_t words[8 * 5], read[8] = { 0 };
	bool ok = true;

	for (int i = 0; i < 8 * 5; i++)
		words[i] = i << 8 | (i + 100);
	gl_texture_new(1, BLACK);
	skip(true);
	glPixelStorei(GL_UNPACK_SWAP_BYTES, 1);
	glTexImage2D(GL_TEXTURE_2D, 0, GL_R16UI, 4, 2, 0, GL_RED_INTEGER, GL_UNSIGNED_SHORT, words);
	glPixelStorei(GL_UNPACK_SWAP_BYTES, 0);
	skip(false);
	glGetTexImage(GL_TEXTURE_2D, 0, GL_RED_INTEGER, GL_UNSIGNED_SHORT, read);
	for (int i = 0; i < 8; i++)
		ok &= read[i] == ((given(i) + 100) << 8 | given(i));
	tap(ok && no_error(),
	    "texels with their bytes swapped begin behind those that are skipped");
}

/* Uploads numbers, which are scaled by one half or mapped. Returns true if red is right. */
static bool converts(GLenum format)
{
	uint8_t numbers[8 * 5], read[4 * 2 * 4] = { 0 };
	bool ok = true;

	for (int i = 0; i < 8 * 5; i++)
		numbers[i] = 2 * i;
	gl_texture_new(1, BLACK);
	skip(true);
	glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 4, 2, 0, format, GL_UNSIGNED_BYTE, numbers);
	skip(false);
	glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, read);
	for (int i = 0; i < 8; i++)
		ok &= read[i * 4] == given(i);
	return ok && no_error();
}

static void test_converted(void)
{
	GLfloat map[128];

	for (int i = 0; i < 128; i++)
		map[i] = i / 2 / 255.0f;
	glPixelTransferf(GL_RED_SCALE, 0.5);
	tap(converts(GL_RED), "so do those that are scaled");
	glPixelTransferf(GL_RED_SCALE, 1);
	glPixelMapfv(GL_PIXEL_MAP_I_TO_R, 128, map);
	tap(converts(GL_COLOR_INDEX), "and indices of colours");
}

int main(void)
{
	gl_open(EGL_OPENGL_API);
	gl_draw_to(gl_texture_new(SIZE, BLACK), SIZE, SIZE);
	test_alpha(GL_LESS, BLACK, "too much");
	test_alpha(GL_GREATER, WHITE, "enough");
	test_alpha_of_then();
	test_textured_bitmap(false);
	test_textured_bitmap(true);
	test_maps();
	test_copies();
	test_inverted();
	test_swapped();
	test_converted();
	gl_close();
	return tap_failures() != 0;
}
