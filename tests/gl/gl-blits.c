// SPDX-License-Identifier: MIT
/*
 * Blits that mirror or scale depth and stencil, which a Vulkan copy cannot do: between textures,
 * between layers and within a layer; and copies of framebuffers without alpha. Prints TAP.
 */
#include "gl-core.h"

#include <math.h>
#include <stdio.h>

#define LAYERS 6
#define HALF (CORE_SIZE / 2)
#define QUARTER (CORE_SIZE / 4)

static const struct {
	const char *name;
	GLenum format;
} formats[] = {
	{ "depth24_stencil8", GL_DEPTH24_STENCIL8 },
	{ "depth32f_stencil8", GL_DEPTH32F_STENCIL8 },
};

/* Each place has a texture of each format, and the layers that are blitted from and to. */
static const struct {
	const char *name;
	GLenum target;
	int from, to;
} places[] = {
	{ "of a 2D texture", GL_TEXTURE_2D, 0, 0 },
	{ "from layer to layer", GL_TEXTURE_2D_ARRAY, 4, 2 },
	{ "within a layer", GL_TEXTURE_2D_ARRAY, 3, 3 },
	{ "from face to face", GL_TEXTURE_CUBE_MAP, 1, 4 },
	{ "from the last face to the first", GL_TEXTURE_CUBE_MAP, 5, 0 },
};

static GLuint texture_new(GLenum target, GLenum format)
{
	GLuint texture;

	glGenTextures(1, &texture);
	glBindTexture(target, texture);
	if (target == GL_TEXTURE_2D_ARRAY)
		glTexStorage3D(target, 1, format, CORE_SIZE, CORE_SIZE, LAYERS);
	else
		glTexStorage2D(target, 1, format, CORE_SIZE, CORE_SIZE);
	return texture;
}

static void attach(GLenum target, GLuint texture, int layer)
{
	GLuint framebuffer;

	glGenFramebuffers(1, &framebuffer);
	glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
	if (target == GL_TEXTURE_2D_ARRAY)
		glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_DEPTH_STENCIL_ATTACHMENT, texture, 0,
					  layer);
	else if (target == GL_TEXTURE_CUBE_MAP)
		glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_STENCIL_ATTACHMENT,
				       GL_TEXTURE_CUBE_MAP_POSITIVE_X + layer, texture, 0);
	else
		glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_STENCIL_ATTACHMENT, target, texture,
				       0);
}

/* Returns the stencil value of a field of the lower left quarter; each layer has its own values. */
static int number(int layer, int x, int y)
{
	return 1 + layer * 16 + y / QUARTER * 2 + x / QUARTER;
}

static float depth(int layer, int x, int y)
{
	return number(layer, x, y) / 256.0f;
}

static void fill(int layer)
{
	glClearStencil(0xff);
	glClearDepth(1);
	glClear(GL_STENCIL_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
	glEnable(GL_SCISSOR_TEST);
	for (int y = 0; y < HALF; y += QUARTER)
		for (int x = 0; x < HALF; x += QUARTER) {
			glScissor(x, y, QUARTER, QUARTER);
			glClearStencil(number(layer, x, y));
			glClearDepth(depth(layer, x, y));
			glClear(GL_STENCIL_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
		}
	glDisable(GL_SCISSOR_TEST);
}

/*
 * Returns true if the upper half has the lower left quarter, rotated by 180 degrees or scaled to
 * twice its width.
 */
static bool is_blitted(int layer, bool turned, bool stencil)
{
	const int width = turned ? HALF : CORE_SIZE;

	for (int y = 0; y < HALF; y++)
		for (int x = 0; x < width; x++) {
			const int from_x = turned ? HALF - 1 - x : x / 2,
				  from_y = turned ? HALF - 1 - y : y;
			GLubyte value = 0;
			GLfloat z = -1;

			glReadPixels(x, HALF + y, 1, 1, GL_STENCIL_INDEX, GL_UNSIGNED_BYTE, &value);
			glReadPixels(x, HALF + y, 1, 1, GL_DEPTH_COMPONENT, GL_FLOAT, &z);
			if (stencil ? value == number(layer, from_x, from_y) :
			    fabsf(z - depth(layer, from_x, from_y)) < 1e-5f)
				continue;
			printf("# pixel %d, %d: stencil %#x, depth %f\n", x, HALF + y, value, z);
			return false;
		}
	return true;
}

static void blit(bool turned, GLbitfield mask)
{
	if (turned)
		glBlitFramebuffer(0, 0, HALF, HALF, HALF, CORE_SIZE, 0, HALF, mask, GL_NEAREST);
	else
		glBlitFramebuffer(0, 0, HALF, HALF, 0, HALF, CORE_SIZE, CORE_SIZE, mask,
				  GL_NEAREST);
}

static void test_place(int format, int place)
{
	const GLenum target = places[place].target;
	GLuint texture = texture_new(target, formats[format].format);

	for (int turned = 0; turned < 2; turned++) {
		GLint from, to;

		attach(target, texture, places[place].to);
		glGetIntegerv(GL_FRAMEBUFFER_BINDING, &to);
		fill(LAYERS);
		attach(target, texture, places[place].from);
		glGetIntegerv(GL_FRAMEBUFFER_BINDING, &from);
		fill(places[place].from);
		glBindFramebuffer(GL_DRAW_FRAMEBUFFER, to);
		blit(turned, GL_STENCIL_BUFFER_BIT);
		blit(turned, GL_DEPTH_BUFFER_BIT);
		glBindFramebuffer(GL_READ_FRAMEBUFFER, to);
		for (int stencil = 0; stencil < 2; stencil++)
			tap(is_blitted(places[place].from, turned, stencil), "%s of %s %s, %s",
			    stencil ? "stencil" : "depth", formats[format].name, places[place].name,
			    turned ? "turned" : "scaled");
	}
}

/* Blits whose destination exceeds all edges, and blits whose source exceeds the left edge. */
static void test_edges(int format, int place)
{
	const GLenum target = places[place].target;
	const int layer = places[place].from;
	GLuint texture = texture_new(target, formats[format].format);
	bool past = true, outside = true;
	GLint from, to;

	attach(target, texture, places[place].to);
	glGetIntegerv(GL_FRAMEBUFFER_BINDING, &to);
	fill(LAYERS);
	attach(target, texture, layer);
	glGetIntegerv(GL_FRAMEBUFFER_BINDING, &from);
	fill(layer);
	glBindFramebuffer(GL_DRAW_FRAMEBUFFER, to);
	for (int i = 0; i < 2; i++)
		glBlitFramebuffer(-HALF, 0, HALF, HALF, CORE_SIZE, HALF, 0, CORE_SIZE,
				  i ? GL_STENCIL_BUFFER_BIT : GL_DEPTH_BUFFER_BIT, GL_NEAREST);
	glBindFramebuffer(GL_READ_FRAMEBUFFER, to);
	for (int x = 0; x < HALF; x++) {
		GLubyte value = 0;

		glReadPixels(x, HALF + 1, 1, 1, GL_STENCIL_INDEX, GL_UNSIGNED_BYTE, &value);
		outside &= value == number(layer, HALF - 1 - x, 1);
	}
	tap(outside, "stencil of %s %s, from beyond an edge", formats[format].name,
	    places[place].name);
	if (from == to || layer == places[place].to)
		return;
	glBindFramebuffer(GL_READ_FRAMEBUFFER, from);
	for (int i = 0; i < 2; i++)
		glBlitFramebuffer(0, 0, HALF, HALF, -HALF, -HALF, CORE_SIZE + HALF,
				  CORE_SIZE + HALF, i ? GL_STENCIL_BUFFER_BIT : GL_DEPTH_BUFFER_BIT,
				  GL_NEAREST);
	glBindFramebuffer(GL_READ_FRAMEBUFFER, to);
	for (int x = 0; x < CORE_SIZE; x++) {
		GLubyte value = 0;

		glReadPixels(x, 1, 1, 1, GL_STENCIL_INDEX, GL_UNSIGNED_BYTE, &value);
		past &= value == number(layer, (x + HALF) / 4, (1 + HALF) / 4);
	}
	tap(past, "stencil of %s %s, to beyond all edges", formats[format].name,
	    places[place].name);
}

/*
 * The driver may keep textures of three channels in formats of four: copies must not read the
 * fourth.
 */
static void test_hidden_alpha(void)
{
	static const struct {
		const char *name;
		GLenum format;
	} three[] = {
		{ "rgb8", GL_RGB8 }, { "rgb8_snorm", GL_RGB8_SNORM }, { "rgb16", GL_RGB16 },
		{ "rgb16f", GL_RGB16F },
		{ "rgb10", GL_RGB10 }, { "rgb32f", GL_RGB32F },
	};
	const GLuint copy = texture_new(GL_TEXTURE_2D, GL_RGBA8);
	GLuint framebuffers[2];

	glGenFramebuffers(2, framebuffers);
	for (size_t i = 0; i < sizeof(three) / sizeof(*three); i++) {
		const GLuint texture = texture_new(GL_TEXTURE_2D, three[i].format);

		glBindFramebuffer(GL_FRAMEBUFFER, framebuffers[0]);
		glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture,
				       0);
		if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) {
			printf("# %s is not drawn to\n", three[i].name);
			continue;
		}
		glClearColor(1, 0, 1, 0);
		glClear(GL_COLOR_BUFFER_BIT);
		glBindTexture(GL_TEXTURE_2D, copy);
		glCopyTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 0, 0, CORE_SIZE, CORE_SIZE);
		glBindFramebuffer(GL_FRAMEBUFFER, framebuffers[1]);
		glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, copy,
				       0);
		tap(gl_pixel_is(3, 5, 0xff00ffff, 0), "a copy of %s has alpha of one",
		    three[i].name);
		glDeleteTextures(1, &texture);
	}
	glDeleteFramebuffers(2, framebuffers);
	glDeleteTextures(1, &copy);
}

int main(void)
{
	core_open();
	for (int format = 0; format < 2; format++)
		for (int place = 0; place < 5; place++) {
			test_place(format, place);
			test_edges(format, place);
		}
	test_hidden_alpha();
	tap(core_no_error(), "there is no error to tell");
	gl_close();
	return tap_failures() != 0;
}
