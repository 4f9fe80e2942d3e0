// SPDX-License-Identifier: MIT
/* GLX configurations, pbuffers, and pixmaps as textures. Prints TAP. */
#include "gl.h"

#include <err.h>

#include <GL/glx.h>

#define SIZE 16

static Display *display;
static GLXFBConfig config;
static GLXContext context;

static int attribute(GLXFBConfig of, int name)
{
	int value = -1;

	glXGetFBConfigAttrib(display, of, name, &value);
	return value;
}

/* Returns a configuration with eight bits of red; the first ones of the list may have more. */
static GLXFBConfig choose(const int *attributes)
{
	GLXFBConfig *configs, chosen = NULL;
	int n = 0;

	configs = glXChooseFBConfig(display, DefaultScreen(display), attributes, &n);
	for (int i = 0; i < n && !chosen; i++)
		if (attribute(configs[i], GLX_RED_SIZE) == 8)
			chosen = configs[i];
	if (!chosen)
		errx(1, "no such configuration");
	XFree(configs);
	return chosen;
}

static void open_context(void)
{
	static const int attributes[] = {
		GLX_DRAWABLE_TYPE, GLX_WINDOW_BIT | GLX_PIXMAP_BIT | GLX_PBUFFER_BIT,
		GLX_RENDER_TYPE, GLX_RGBA_BIT, None,
	};

	display = XOpenDisplay(NULL);
	if (!display)
		errx(1, "no X server");
	config = choose(attributes);
	context = glXCreateNewContext(display, config, GLX_RGBA_TYPE, NULL, True);
	if (!context)
		errx(1, "no context");
}

/* GLX_EXT_visual_info, GLX_EXT_visual_rating, GLX_SGIS_multisample, GLX_EXT_framebuffer_sRGB */
static void test_visual(void)
{
	XVisualInfo *visual = glXGetVisualFromFBConfig(display, config);
	const int capable = attribute(config, GLX_FRAMEBUFFER_SRGB_CAPABLE_EXT);
	int type = 0, caveat = 0, samples = -1;

	glXGetConfig(display, visual, GLX_X_VISUAL_TYPE_EXT, &type);
	glXGetConfig(display, visual, GLX_VISUAL_CAVEAT_EXT, &caveat);
	glXGetConfig(display, visual, GLX_SAMPLES_SGIS, &samples);
	tap(type == GLX_TRUE_COLOR_EXT || type == GLX_DIRECT_COLOR_EXT,
	    "GLX_EXT_visual_info: of type %#x", type);
	tap(caveat == GLX_NONE_EXT || caveat == GLX_SLOW_VISUAL_EXT, "GLX_EXT_visual_rating: %#x",
	    caveat);
	tap(samples == 0, "GLX_SGIS_multisample: no samples unless asked for");
	tap(capable == True || capable == False, "GLX_EXT_framebuffer_sRGB: %d", capable);
	XFree(visual);
}

static bool reads(GLubyte r, GLubyte g, GLubyte b)
{
	GLubyte pixel[4] = { 0 };

	glReadPixels(3, 3, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
	return pixel[0] == r && pixel[1] == g && pixel[2] == b;
}

/* GLX_SGIX_pbuffer: draws to one pbuffer while another is the read drawable. */
static void test_buffers(void)
{
	PFNGLXCREATEGLXPBUFFERSGIXPROC create = (PFNGLXCREATEGLXPBUFFERSGIXPROC)glXGetProcAddress(
		(const GLubyte *)"glXCreateGLXPbufferSGIX");
	PFNGLXQUERYGLXPBUFFERSGIXPROC query = (PFNGLXQUERYGLXPBUFFERSGIXPROC)glXGetProcAddress(
		(const GLubyte *)"glXQueryGLXPbufferSGIX");
	GLXPbufferSGIX buffers[2];
	unsigned int width = 0;

	for (int i = 0; i < 2; i++) {
		buffers[i] = create(display, config, SIZE, SIZE, NULL);
		glXMakeContextCurrent(display, buffers[i], buffers[i], context);
		glClearColor(!i, i, 0, 1);
		glClear(GL_COLOR_BUFFER_BIT);
	}
	query(display, buffers[0], GLX_WIDTH_SGIX, &width);
	tap(width == SIZE && reads(0, 255, 0), "GLX_SGIX_pbuffer");
	glXMakeContextCurrent(display, buffers[1], buffers[0], context);
	glClearColor(0, 0, 1, 1);
	glClear(GL_COLOR_BUFFER_BIT);
	tap(reads(255, 0, 0), "the one that is read is as it was");
	glXMakeContextCurrent(display, buffers[1], buffers[1], context);
	tap(reads(0, 0, 255), "and the other was drawn to");
}

/* GLX_EXT_texture_from_pixmap: the texture shows the X server's drawing. */
static void test_pixmap(void)
{
	static const int texture[] = {
		GLX_TEXTURE_TARGET_EXT, GLX_TEXTURE_2D_EXT, GLX_TEXTURE_FORMAT_EXT,
		GLX_TEXTURE_FORMAT_RGB_EXT, None,
	};
	PFNGLXBINDTEXIMAGEEXTPROC bind =
		(PFNGLXBINDTEXIMAGEEXTPROC)glXGetProcAddress((const GLubyte *)"glXBindTexImageEXT");
	PFNGLXRELEASETEXIMAGEEXTPROC release = (PFNGLXRELEASETEXIMAGEEXTPROC)glXGetProcAddress(
		(const GLubyte *)"glXReleaseTexImageEXT");
	const GLXFBConfig of_pixmaps = choose((const int[]){
		GLX_DRAWABLE_TYPE, GLX_PIXMAP_BIT, GLX_BIND_TO_TEXTURE_RGB_EXT, True,
		GLX_ALPHA_SIZE, 0, None,
	});
	GLubyte pixels[SIZE][SIZE][4] = { 0 };
	Pixmap pixmap = XCreatePixmap(display, DefaultRootWindow(display), SIZE, SIZE,
				      DefaultDepth(display, DefaultScreen(display)));
	GLXPixmap drawable;
	GLuint name;
	GC gc = XCreateGC(display, pixmap, 0, NULL);

	XSetForeground(display, gc, 0x3366cc);
	XFillRectangle(display, pixmap, gc, 0, 0, SIZE, SIZE);
	XSync(display, False);
	drawable = glXCreatePixmap(display, of_pixmaps, pixmap, texture);
	glGenTextures(1, &name);
	glBindTexture(GL_TEXTURE_2D, name);
	bind(display, drawable, GLX_FRONT_LEFT_EXT, NULL);
	glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
	release(display, drawable, GLX_FRONT_LEFT_EXT);
	tap(pixels[5][5][0] == 0x33 && pixels[5][5][1] == 0x66 && pixels[5][5][2] == 0xcc &&
		    glGetError() == GL_NO_ERROR,
	    "GLX_EXT_texture_from_pixmap");
}

int main(void)
{
	open_context();
	test_visual();
	test_buffers();
	test_pixmap();
	return tap_failures() != 0;
}
