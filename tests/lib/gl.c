// SPDX-License-Identifier: MIT
/* Implements the helpers of gl.h. */
#include "gl.h"

#include <dirent.h>
#include <err.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <drm_fourcc.h>
#include <gbm.h>

#include "gles.h"
#include "patience.h"
#include "sundog.h"

#define RENDER_NODE "/dev/dri/renderD128"

struct gl gl = { .drm = -1 };

const GLfloat gl_corners[8] = { -1, -1, 1, -1, -1, 1, 1, 1 };

static const char vertex_source[] =
	"attribute vec2 vertex;\n"
	"varying vec2 coord;\n"
	"void main() { coord = vertex * 0.5 + 0.5; gl_Position = vec4(vertex, 0.0, 1.0); }\n";

static const char plain_source[] =
	"#ifdef GL_ES\n"
	"precision highp float;\n"
	"#endif\n"
	"varying vec2 coord;\n"
	"uniform sampler2D tex;\n"
	"void main() { gl_FragColor = texture2D(tex, coord); }\n";

static const char external_source[] =
	"#extension GL_OES_EGL_image_external : require\n"
	"#ifdef GL_ES\n"
	"precision highp float;\n"
	"#endif\n"
	"varying vec2 coord;\n"
	"uniform samplerExternalOES tex;\n"
	"void main() { gl_FragColor = texture2D(tex, coord); }\n";

/* Set up */

static EGLDisplay open_display(void)
{
	if (getenv("SUNDOG_SOCKET"))
		return eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY,
					     NULL);
	gl.drm = open(RENDER_NODE, O_RDWR | O_CLOEXEC);
	if (gl.drm < 0)
		err(1, RENDER_NODE);
	gl.dev = sdrm_device_new(gl.drm);
	if (!gl.dev)
		err(1, "no sundog device");
	close(gl.drm);
	/* GL has its own open file, apart from the one of gl.dev. */
	gl.drm = open(RENDER_NODE, O_RDWR | O_CLOEXEC);
	gl.gbm = gbm_create_device(gl.drm);
	if (!gl.gbm)
		errx(1, "no GBM device");
	return eglGetPlatformDisplay(EGL_PLATFORM_GBM_KHR, gl.gbm, NULL);
}

void gl_open(EGLenum api)
{
	const EGLint attributes[] = {
		EGL_RENDERABLE_TYPE, api == EGL_OPENGL_API ? EGL_OPENGL_BIT : EGL_OPENGL_ES2_BIT,
		EGL_SURFACE_TYPE, EGL_DONT_CARE, EGL_NONE,
	};
	EGLint n;

	gl.display = open_display();
	if (!eglInitialize(gl.display, NULL, NULL) || !eglBindAPI(api) ||
	    !eglChooseConfig(gl.display, attributes, &gl.config, 1, &n) || !n)
		errx(1, "no EGL display: %#x", eglGetError());
	gl.context = gl_context_new(EGL_NO_CONTEXT);
	gl_use(gl.context);
	if (!strstr((const char *)glGetString(GL_RENDERER), "sundog"))
		errx(1, "GL is on %s", glGetString(GL_RENDERER));
#define GET(type, name) gl.name = (type)eglGetProcAddress(#name);
	GL_FUNCTIONS(GET)
#undef GET
}

void gl_close(void)
{
	eglMakeCurrent(gl.display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
	eglDestroyContext(gl.display, gl.context);
	eglTerminate(gl.display);
	if (gl.gbm)
		gbm_device_destroy(gl.gbm);
	if (gl.drm >= 0)
		close(gl.drm);
	sdrm_device_del(gl.dev);
}

static EGLContext context_new(EGLContext share, const EGLint *attributes)
{
	EGLContext context = eglCreateContext(gl.display, gl.config, share, attributes);

	if (context == EGL_NO_CONTEXT)
		errx(1, "no OpenGL context: %#x", eglGetError());
	return context;
}

EGLContext gl_context_new(EGLContext share)
{
	static const EGLint es2[] = { EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE };

	return context_new(share, eglQueryAPI() == EGL_OPENGL_ES_API ? es2 : NULL);
}

EGLContext gl_robust_context_new(void)
{
	static const EGLint attributes[] = {
		EGL_CONTEXT_CLIENT_VERSION, 2,
		EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY, EGL_LOSE_CONTEXT_ON_RESET, EGL_NONE,
	};

	return context_new(EGL_NO_CONTEXT, attributes);
}

void gl_use(EGLContext context)
{
	if (!eglMakeCurrent(gl.display, EGL_NO_SURFACE, EGL_NO_SURFACE, context))
		errx(1, "cannot use a context: %#x", eglGetError());
}

GLenum gl_wait_for_reset(void)
{
	const int64_t end = patience_end();
	GLenum status;

	do
		status = gl.glGetGraphicsResetStatusEXT();
	while (status == GL_NO_ERROR && patience_pause(end));
	return status;
}

static bool has(const char *list, const char *name)
{
	const size_t length = strlen(name);

	for (const char *at = list; (at = strstr(at, name)); at += length)
		if ((at == list || at[-1] == ' ') && (!at[length] || at[length] == ' '))
			return true;
	return false;
}

bool gl_has(const char *extension)
{
	return has((const char *)glGetString(GL_EXTENSIONS), extension);
}

bool egl_has(const char *extension)
{
	return has(eglQueryString(gl.display, EGL_EXTENSIONS), extension);
}

/* Pixels */

GLuint gl_texture_new(int size, uint32_t color)
{
	uint8_t *pixels = malloc((size_t)size * size * 4);
	GLuint texture;

	for (int i = 0; i < size * size * 4; i++)
		pixels[i] = color >> (24 - i % 4 * 8);
	glGenTextures(1, &texture);
	glBindTexture(GL_TEXTURE_2D, texture);
	glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, size, size, 0, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
	free(pixels);
	return texture;
}

GLuint gl_texture_of(EGLImageKHR image, GLenum target)
{
	GLuint texture;

	glGenTextures(1, &texture);
	glBindTexture(target, texture);
	gl.glEGLImageTargetTexture2DOES(target, image);
	glTexParameteri(target, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
	glTexParameteri(target, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
	if (glGetError() == GL_NO_ERROR)
		return texture;
	glDeleteTextures(1, &texture);
	return 0;
}

void gl_draw_to(GLuint texture, int width, int height)
{
	GLint bound;
	GLuint framebuffer;

	glGetIntegerv(GL_FRAMEBUFFER_BINDING, &bound);
	if (!bound) {
		glGenFramebuffers(1, &framebuffer);
		glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
	}
	glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
	if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
		warnx("framebuffer is not complete");
	glViewport(0, 0, width, height);
}

void gl_fill(int x, int y, int width, int height, uint32_t color)
{
	glEnable(GL_SCISSOR_TEST);
	glScissor(x, y, width, height);
	glClearColor((color >> 24) / 255.0f, (color >> 16 & 255) / 255.0f,
		     (color >> 8 & 255) / 255.0f, (color & 255) / 255.0f);
	glClear(GL_COLOR_BUFFER_BIT);
	glDisable(GL_SCISSOR_TEST);
}

/* Compiling is slow in a guest: each context keeps its programs as long as it is in use. */
static GLuint program_of(GLenum target)
{
	static EGLContext owner;
	static GLuint programs[2];
	GLuint *program = &programs[target == GL_TEXTURE_2D];

	if (owner != eglGetCurrentContext())
		memset(programs, 0, sizeof(programs));
	owner = eglGetCurrentContext();
	if (!*program)
		*program = gles_program(vertex_source, target == GL_TEXTURE_2D ?
					plain_source : external_source);
	return *program;
}

static void draw(GLenum target, GLuint texture, GLenum mode, int stride, const void *corners,
		 int times)
{
	glUseProgram(program_of(target));
	glBindTexture(target, texture);
	glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, stride, corners);
	glEnableVertexAttribArray(0);
	while (times--)
		glDrawArrays(mode, 0, mode == GL_LINES ? 2 : 4);
	glUseProgram(0);
}

void gl_draw(GLenum target, GLuint texture)
{
	glBindBuffer(GL_ARRAY_BUFFER, 0);
	draw(target, texture, GL_TRIANGLE_STRIP, 0, gl_corners, 1);
}

void gl_draw_often(GLuint texture, int times)
{
	glBindBuffer(GL_ARRAY_BUFFER, 0);
	draw(GL_TEXTURE_2D, texture, GL_TRIANGLE_STRIP, 0, gl_corners, times);
}

void gl_draw_buffer(GLenum target, GLuint texture)
{
	draw(target, texture, GL_TRIANGLE_STRIP, 0, NULL, 1);
}

void gl_draw_elements(GLuint texture, uintptr_t indices)
{
	glUseProgram(program_of(GL_TEXTURE_2D));
	glBindTexture(GL_TEXTURE_2D, texture);
	glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
	glEnableVertexAttribArray(0);
	glDrawElements(GL_TRIANGLE_STRIP, 4, GL_UNSIGNED_SHORT, (const void *)indices);
	glUseProgram(0);
}

void gl_draw_strided(GLuint texture, int stride, const void *corners)
{
	draw(GL_TEXTURE_2D, texture, GL_TRIANGLE_STRIP, stride, corners, 1);
}

void gl_draw_line(GLuint texture, const GLfloat *ends)
{
	glBindBuffer(GL_ARRAY_BUFFER, 0);
	draw(GL_TEXTURE_2D, texture, GL_LINES, 0, ends, 1);
}

uint32_t gl_pixel(int x, int y)
{
	uint8_t rgba[4] = { 0 };

	glReadPixels(x, y, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, rgba);
	return (uint32_t)rgba[0] << 24 | rgba[1] << 16 | rgba[2] << 8 | rgba[3];
}

bool gl_pixel_is(int x, int y, uint32_t color, int tolerance)
{
	const uint32_t seen = gl_pixel(x, y);

	for (int shift = 0; shift < 32; shift += 8) {
		if (abs((int)(seen >> shift & 255) - (int)(color >> shift & 255)) <= tolerance)
			continue;
		printf("# pixel %d,%d is %08x instead of %08x\n", x, y, seen, color);
		return false;
	}
	return true;
}

bool gl_corners_are(int size, uint32_t color)
{
	return gl_pixel_is(0, 0, color, 0) && gl_pixel_is(size - 1, 0, color, 0) &&
	       gl_pixel_is(0, size - 1, color, 0) && gl_pixel_is(size - 1, size - 1, color, 0);
}

/* dma-bufs */

EGLImageKHR gl_import(const struct gl_dmabuf *buf)
{
	static const EGLint names[3][5] = {
#define PLANE(n) { EGL_DMA_BUF_PLANE##n##_FD_EXT, EGL_DMA_BUF_PLANE##n##_OFFSET_EXT, \
		   EGL_DMA_BUF_PLANE##n##_PITCH_EXT, EGL_DMA_BUF_PLANE##n##_MODIFIER_LO_EXT, \
		   EGL_DMA_BUF_PLANE##n##_MODIFIER_HI_EXT }
		PLANE(0), PLANE(1), PLANE(2),
#undef PLANE
	};
	EGLint attributes[64] = {
		EGL_WIDTH, buf->width, EGL_HEIGHT, buf->height,
		EGL_LINUX_DRM_FOURCC_EXT, buf->fourcc,
	};
	int n = 6;

	for (int i = 0; i < buf->n_planes; i++) {
		const struct gl_plane *plane = &buf->planes[i];
		const EGLint values[5] = { plane->fd, plane->offset, plane->pitch,
					   (EGLint)buf->modifier,
					   (EGLint)(buf->modifier >> 32) };

		for (int j = 0; j < (buf->modifier == DRM_FORMAT_MOD_INVALID ? 3 : 5); j++) {
			attributes[n++] = names[i][j];
			attributes[n++] = values[j];
		}
	}
	attributes[n] = EGL_NONE;
	return gl.eglCreateImageKHR(gl.display, EGL_NO_CONTEXT, EGL_LINUX_DMA_BUF_EXT, NULL,
				    attributes);
}

bool gl_export(EGLImageKHR image, struct gl_dmabuf *buf)
{
	EGLint fourcc, pitch, offset;
	int fd;

	if (!gl.eglExportDMABUFImageQueryMESA(gl.display, image, &fourcc, &buf->n_planes, NULL) ||
	    buf->n_planes != 1 ||
	    !gl.eglExportDMABUFImageQueryMESA(gl.display, image, NULL, NULL, &buf->modifier) ||
	    !gl.eglExportDMABUFImageMESA(gl.display, image, &fd, &pitch, &offset))
		return false;
	buf->fourcc = fourcc;
	buf->planes[0] = (struct gl_plane){ fd, offset, pitch };
	return true;
}

/* File descriptors */

#define MAX_FDS 8

union control {
	struct cmsghdr header;
	char bytes[CMSG_SPACE(MAX_FDS * sizeof(int))];
};

bool fds_send(int socket, const void *data, uint32_t size, const int *fds, uint32_t count)
{
	union control control = { 0 };
	struct iovec iov = { (void *)data, size };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };

	if (count) {
		msg.msg_control = &control;
		msg.msg_controllen = CMSG_SPACE(count * sizeof(int));
		control.header = (struct cmsghdr){ CMSG_LEN(count * sizeof(int)), SOL_SOCKET,
						   SCM_RIGHTS };
		memcpy(CMSG_DATA(&control.header), fds, count * sizeof(int));
	}
	return sendmsg(socket, &msg, MSG_NOSIGNAL) == (ssize_t)size;
}

bool fds_receive(int socket, void *data, uint32_t size, int *fds, uint32_t count)
{
	union control control;
	struct iovec iov = { data, size };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *header;

	if (recvmsg(socket, &msg, MSG_CMSG_CLOEXEC) != (ssize_t)size)
		return false;
	header = CMSG_FIRSTHDR(&msg);
	if (!count)
		return !header;
	if (!header || header->cmsg_len != CMSG_LEN(count * sizeof(int)))
		return false;
	memcpy(fds, CMSG_DATA(header), count * sizeof(int));
	return true;
}

int fds_open(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int n = 0;

	while (dir && readdir(dir))
		n++;
	if (dir)
		closedir(dir);
	return n;
}

int driver_count(const char *name)
{
	FILE *file = fopen("/sys/kernel/debug/dri/0/sundog_counts", "r");
	char key[32];
	int value, found = -1;

	while (file && fscanf(file, "%31s %d", key, &value) == 2)
		if (!strcmp(key, name))
			found = value;
	if (file)
		fclose(file);
	return found;
}

EGLSyncKHR gl_fence_new(void)
{
	EGLSyncKHR fence = gl.eglCreateSyncKHR(gl.display, EGL_SYNC_NATIVE_FENCE_ANDROID, NULL);

	glFlush();
	return fence;
}

int gl_fence_fd_new(void)
{
	EGLSyncKHR fence = gl_fence_new();
	const int fd = gl.eglDupNativeFenceFDANDROID(gl.display, fence);

	gl.eglDestroySyncKHR(gl.display, fence);
	return fd;
}

int gl_slow_statements(char *to, size_t size, int number)
{
	int length = 0;

	for (int i = 0; i < 60; i++)
		length += snprintf(to + length, size - length,
				   "x = sin(x * %d.25) + cos(x + %d.0) * exp(-x * x);\n",
				   i + number, i);
	return length;
}
