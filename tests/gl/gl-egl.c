// SPDX-License-Identifier: MIT
/* EGL displays, configurations and devices, and EGLImages of parts of textures. Prints TAP. */
#include "gl-core.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xf86drm.h>

#define MAX_CONFIGS 512
#define BLACK 0x000000ff
#define RED 0xff0000ff
#define GREEN 0x00ff00ff

static EGLConfig configs[MAX_CONFIGS];

static EGLint attribute(EGLDisplay display, EGLConfig config, EGLint name)
{
	EGLint value = -1;

	eglGetConfigAttrib(display, config, name, &value);
	return value;
}

static EGLint choose(EGLDisplay display, const EGLint *attributes)
{
	EGLint n = 0;

	eglChooseConfig(display, attributes, configs, MAX_CONFIGS, &n);
	return n;
}

/* EGL_KHR_config_attribs, EGL_EXT_config_select_group, EGL_EXT_pixel_format_float */
static void test_configs(void)
{
	static const EGLint any[] = { EGL_SURFACE_TYPE, EGL_DONT_CARE, EGL_NONE };
	static const EGLint floats[] = {
		EGL_SURFACE_TYPE, EGL_DONT_CARE, EGL_COLOR_COMPONENT_TYPE_EXT,
		EGL_COLOR_COMPONENT_TYPE_FLOAT_EXT, EGL_NONE,
	};
	EGLint n = choose(gl.display, any), group = 0;
	bool conformant = n > 0, ascending = n > 0, wide = true;

	for (EGLint i = 0; i < n; i++) {
		const EGLint renderable = attribute(gl.display, configs[i], EGL_RENDERABLE_TYPE);

		conformant = conformant &&
			     !(renderable & ~attribute(gl.display, configs[i], EGL_CONFORMANT_KHR));
		ascending = ascending &&
			    attribute(gl.display, configs[i], EGL_CONFIG_SELECT_GROUP_EXT) >= group;
		group = attribute(gl.display, configs[i], EGL_CONFIG_SELECT_GROUP_EXT);
	}
	tap(conformant, "EGL_KHR_config_attribs: %d configurations conform", n);
	tap(ascending, "EGL_EXT_config_select_group: they come by their groups");
	n = choose(gl.display, floats);
	for (EGLint i = 0; i < n; i++)
		wide = wide && attribute(gl.display, configs[i], EGL_RED_SIZE) >= 16;
	tap(wide && attribute(gl.display, gl.config, EGL_COLOR_COMPONENT_TYPE_EXT) ==
			    EGL_COLOR_COMPONENT_TYPE_FIXED_EXT,
	    "EGL_EXT_pixel_format_float: %d configurations have floats", n);
}

/* EGL_EXT_query_reset_notification_strategy */
static void test_strategy(void)
{
	static const EGLint attributes[] = {
		EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY_KHR, EGL_LOSE_CONTEXT_ON_RESET_KHR,
		EGL_NONE,
	};
	EGLContext robust = eglCreateContext(gl.display, gl.config, EGL_NO_CONTEXT, attributes);
	EGLint plain = 0, said = 0;

	eglQueryContext(gl.display, gl.context, EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY_EXT,
			&plain);
	eglQueryContext(gl.display, robust, EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY_EXT,
			&said);
	tap(plain == EGL_NO_RESET_NOTIFICATION_KHR && said == EGL_LOSE_CONTEXT_ON_RESET_KHR,
	    "EGL_EXT_query_reset_notification_strategy");
	eglDestroyContext(gl.display, robust);
}

/* Images */

static const uint32_t colors[] = { 0xff0000ff, 0x00ff00ff, 0x0000ffff,
				   0xffff00ff, 0xff00ffff, 0x00ffffff };

static void bytes_of(uint32_t color, uint8_t *out)
{
	for (int i = 0; i < 4; i++)
		out[i] = color >> (24 - i * 8);
}

/*
 * Returns a framebuffer of @image as a renderbuffer; Mesa accepts parts of textures for nothing
 * else.
 */
static GLuint framebuffer_new(EGLImageKHR image, GLuint *renderbuffer)
{
	PFNGLEGLIMAGETARGETRENDERBUFFERSTORAGEOESPROC set_storage =
		(PFNGLEGLIMAGETARGETRENDERBUFFERSTORAGEOESPROC)eglGetProcAddress(
			"glEGLImageTargetRenderbufferStorageOES");
	GLuint framebuffer;

	glGenRenderbuffers(1, renderbuffer);
	glBindRenderbuffer(GL_RENDERBUFFER, *renderbuffer);
	set_storage(GL_RENDERBUFFER, image);
	gl.eglDestroyImageKHR(gl.display, image);
	glGenFramebuffers(1, &framebuffer);
	glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
	glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER,
				  *renderbuffer);
	return framebuffer;
}

static bool shows(EGLImageKHR image, uint32_t color)
{
	GLuint renderbuffer, framebuffer = framebuffer_new(image, &renderbuffer);
	const bool right = gl_pixel_is(0, 0, color, 0);

	glDeleteFramebuffers(1, &framebuffer);
	glDeleteRenderbuffers(1, &renderbuffer);
	return right && core_no_error();
}

static void draw_to(EGLImageKHR image, uint32_t color)
{
	GLuint renderbuffer, framebuffer = framebuffer_new(image, &renderbuffer);
	uint8_t bytes[4];

	bytes_of(color, bytes);
	glClearColor(bytes[0] / 255.0f, bytes[1] / 255.0f, bytes[2] / 255.0f, 1);
	glClear(GL_COLOR_BUFFER_BIT);
	glDeleteFramebuffers(1, &framebuffer);
	glDeleteRenderbuffers(1, &renderbuffer);
}

static EGLImageKHR image_of(EGLenum target, GLuint texture, const EGLint *attributes)
{
	return gl.eglCreateImageKHR(gl.display, gl.context, target,
				    (EGLClientBuffer)(uintptr_t)texture, attributes);
}

/* EGL_KHR_gl_texture_3D_image */
static void test_slices(void)
{
	uint8_t texels[4][4];
	bool right = true;
	GLuint texture;

	for (int i = 0; i < 4; i++)
		bytes_of(colors[i], texels[i]);
	glGenTextures(1, &texture);
	glBindTexture(GL_TEXTURE_3D, texture);
	glTexParameteri(GL_TEXTURE_3D, GL_TEXTURE_MAX_LEVEL, 0);
	glTexImage3D(GL_TEXTURE_3D, 0, GL_RGBA, 1, 1, 4, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
	for (int i = 0; i < 4; i++) {
		const EGLint attributes[] = { EGL_GL_TEXTURE_ZOFFSET_KHR, i, EGL_NONE };

		right = shows(image_of(EGL_GL_TEXTURE_3D_KHR, texture, attributes), colors[i]) &&
			right;
	}
	tap(right, "EGL_KHR_gl_texture_3D_image");
}

/* EGL_KHR_gl_texture_cubemap_image */
static void test_faces(void)
{
	bool right = true;
	GLuint texture;

	glGenTextures(1, &texture);
	glBindTexture(GL_TEXTURE_CUBE_MAP, texture);
	glTexParameteri(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_MAX_LEVEL, 0);
	for (int i = 0; i < 6; i++) {
		uint8_t texel[4];

		bytes_of(colors[i], texel);
		glTexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + i, 0, GL_RGBA, 1, 1, 0, GL_RGBA,
			     GL_UNSIGNED_BYTE, texel);
	}
	for (int i = 0; i < 6; i++)
		right = shows(image_of(EGL_GL_TEXTURE_CUBE_MAP_POSITIVE_X_KHR + i, texture, NULL),
			      colors[i]) &&
			right;
	tap(right, "EGL_KHR_gl_texture_cubemap_image");
}

static bool layer_is(GLuint texture, GLint level, GLint layer, uint32_t color)
{
	GLuint framebuffer;
	bool right;

	glGenFramebuffers(1, &framebuffer);
	glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
	glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, texture, level, layer);
	right = gl_pixel_is(0, 0, color, 0);
	glDeleteFramebuffers(1, &framebuffer);
	return right && core_no_error();
}

/* Draws to parts of sRGB textures; each draw changes its own part. */
static void test_srgb_parts(void)
{
	GLuint textures[2];
	bool right = true;

	glGenTextures(2, textures);
	glBindTexture(GL_TEXTURE_3D, textures[0]);
	glTexStorage3D(GL_TEXTURE_3D, 2, GL_SRGB8_ALPHA8, 8, 8, 8);
	for (int i = 0; i < 4; i++) {
		const EGLint attributes[] = { EGL_GL_TEXTURE_LEVEL_KHR, 1,
					      EGL_GL_TEXTURE_ZOFFSET_KHR, i, EGL_NONE };

		draw_to(image_of(EGL_GL_TEXTURE_3D_KHR, textures[0], attributes), colors[i]);
	}
	for (int i = 0; i < 4; i++)
		right = layer_is(textures[0], 1, i, colors[i]) && right;
	tap(right, "slices of sRGB are drawn to");
	right = true;
	glBindTexture(GL_TEXTURE_CUBE_MAP, textures[1]);
	glTexStorage2D(GL_TEXTURE_CUBE_MAP, 1, GL_SRGB8_ALPHA8, 8, 8);
	for (int i = 0; i < 6; i++)
		draw_to(image_of(EGL_GL_TEXTURE_CUBE_MAP_POSITIVE_X_KHR + i, textures[1], NULL),
			colors[i]);
	for (int i = 0; i < 6; i++)
		right = layer_is(textures[1], 0, i, colors[i]) && right;
	tap(right, "and faces");
	glDeleteTextures(2, textures);
}

/* Displays */

/*
 * Returns true if the device belongs to our kernel driver (EGL_EXT_device_drm_render_node). Other
 * drivers may have devices that nothing can draw on.
 */
static bool is_ours(EGLDeviceEXT device)
{
	PFNEGLQUERYDEVICESTRINGEXTPROC query =
		(PFNEGLQUERYDEVICESTRINGEXTPROC)eglGetProcAddress("eglQueryDeviceStringEXT");
	const char *node = query(device, EGL_DRM_RENDER_NODE_FILE_EXT);
	const int fd = node ? open(node, O_RDWR | O_CLOEXEC) : -1;
	const drmVersionPtr version = fd < 0 ? NULL : drmGetVersion(fd);
	const bool ours = version && !strcmp(version->name, "sundog");

	drmFreeVersion(version);
	if (fd >= 0)
		close(fd);
	return ours;
}

/* Returns true if the device has a display, and the display reports that device. */
static bool has_display(EGLDeviceEXT device)
{
	const EGLAttrib attributes[] = { EGL_DEVICE_EXT, (EGLAttrib)device, EGL_NONE };
	PFNEGLQUERYDISPLAYATTRIBEXTPROC query =
		(PFNEGLQUERYDISPLAYATTRIBEXTPROC)eglGetProcAddress("eglQueryDisplayAttribEXT");
	const EGLDisplay display = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA,
							 EGL_DEFAULT_DISPLAY, attributes);
	EGLAttrib its = 0;
	bool right;

	right = display != EGL_NO_DISPLAY && eglInitialize(display, NULL, NULL) &&
		query(display, EGL_DEVICE_EXT, &its) && (EGLDeviceEXT)its == device;
	eglTerminate(display);
	return right;
}

/*
 * EGL_EXT_explicit_device: a display of the requested device. There is none without a kernel
 * driver.
 */
static void test_device(void)
{
	PFNEGLQUERYDEVICESEXTPROC query_devices = (PFNEGLQUERYDEVICESEXTPROC)eglGetProcAddress(
		"eglQueryDevicesEXT");
	EGLDeviceEXT devices[8];
	EGLint n = 0, ours = 0;
	bool right = query_devices(8, devices, &n);

	for (EGLint i = 0; i < n; i++) {
		if (!is_ours(devices[i]))
			continue;
		ours++;
		right = has_display(devices[i]) && right;
	}
	tap(right && !ours == !!getenv("SUNDOG_SOCKET"), "EGL_EXT_explicit_device: %d devices",
	    ours);
}

/*
 * EGL_EXT_platform_device: the first device has a display. Programs without a screen use it
 * (moderngl's backend "egl").
 */
static void test_first_device(void)
{
	PFNEGLQUERYDEVICESEXTPROC query_devices = (PFNEGLQUERYDEVICESEXTPROC)eglGetProcAddress(
		"eglQueryDevicesEXT");
	EGLDeviceEXT device = EGL_NO_DEVICE_EXT;
	EGLDisplay display = EGL_NO_DISPLAY;
	EGLint n = 0, count = 0;

	/* A guest may have devices of drivers that this Mesa lacks. */
	if (!getenv("SUNDOG_SOCKET")) {
		tap(true,
		    "EGL_EXT_platform_device # SKIP the first device may be another driver's");
		return;
	}
	query_devices(0, NULL, &count);
	query_devices(1, &device, &n);
	if (n)
		display = eglGetPlatformDisplay(EGL_PLATFORM_DEVICE_EXT, device, NULL);
	tap(count > 0 && n == 1 && display != EGL_NO_DISPLAY && eglInitialize(display, NULL, NULL),
	    "EGL_EXT_platform_device: the first of %d devices has a display", count);
	if (display != EGL_NO_DISPLAY)
		eglTerminate(display);
}

/* EGL_EXT_platform_xcb, EGL_MESA_x11_native_visual_id: configurations for windows have visuals. */
static void test_windows(void)
{
	static const EGLint windows[] = { EGL_SURFACE_TYPE, EGL_WINDOW_BIT, EGL_NONE };
	EGLDisplay display;
	bool visuals;
	EGLint n;

	if (!getenv("DISPLAY")) {
		tap(true, "EGL_EXT_platform_xcb # SKIP there is no X server");
		return;
	}
	display = eglGetPlatformDisplay(EGL_PLATFORM_XCB_EXT, NULL, NULL);
	tap(display != EGL_NO_DISPLAY && eglInitialize(display, NULL, NULL),
	    "EGL_EXT_platform_xcb");
	n = choose(display, windows);
	visuals = n > 0;
	for (EGLint i = 0; i < n; i++)
		visuals = visuals && attribute(display, configs[i], EGL_NATIVE_VISUAL_ID) > 0;
	tap(visuals, "EGL_MESA_x11_native_visual_id: %d configurations for windows", n);
	eglTerminate(display);
}

/* Commands of a child process, on its copy of the context, before it exits. */
static void release_thread(void)
{
	eglReleaseThread();
}

static void draw_and_finish(void)
{
	gl_fill(0, 0, CORE_SIZE, CORE_SIZE, RED);
	glFinish();
}

static void destroy_all(void)
{
	eglTerminate(gl.display);
}

static void exit_only(void)
{
}

/* Forks while the parent draws. Returns true if the child runs @what and exits. */
static bool child_ends(void (*what)(void))
{
	int status = -1;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (!child) {
		what();
		exit(0);
	}
	return waitpid(child, &status, 0) == child && !status;
}

static void test_fork(const char *name, void (*what)(void))
{
	bool ended, drawn;

	gl_fill(0, 0, CORE_SIZE, CORE_SIZE, BLACK);
	glFinish();
	gl_fill(0, 0, CORE_SIZE / 2, CORE_SIZE, GREEN);
	ended = child_ends(what);
	gl_fill(CORE_SIZE / 2, 0, CORE_SIZE / 2, CORE_SIZE, GREEN);
	glFinish();
	drawn = gl_pixel_is(1, 1, GREEN, 0) && gl_pixel_is(CORE_SIZE - 2, 1, GREEN, 0);
	for (int i = 0; i < 100; i++) {
		gl_fill(0, 0, CORE_SIZE, CORE_SIZE, i % 2 ? GREEN : RED);
		glFlush();
	}
	drawn &= gl_pixel_is(1, 1, GREEN, 0);
	tap(ended && drawn, "a program draws on when a child of it %s", name);
}

int main(void)
{
	gl_open(EGL_OPENGL_API);
	test_configs();
	test_strategy();
	test_slices();
	test_faces();
	test_srgb_parts();
	tap(core_no_error(), "there is no error to tell");
	gl_draw_to(gl_texture_new(CORE_SIZE, BLACK), CORE_SIZE, CORE_SIZE);
	test_fork("exits", exit_only);
	test_fork("releases its thread", release_thread);
	test_fork("draws, too", draw_and_finish);
	test_fork("ends its display", destroy_all);
	test_device();
	test_first_device();
	test_windows();
	gl_close();
	return tap_failures() != 0;
}
