/* SPDX-License-Identifier: MIT */
/*
 * Helpers of the tests that share memory and fences between GL and other users: an OpenGL context
 * without a window, textured quads, pixels, file descriptors between processes. Implemented by
 * gl.c. All state is in `gl`.
 */
#ifndef GL_H
#define GL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES2/gl2.h>
#include <GLES2/gl2ext.h>

#include "tap.h"

/* From desktop OpenGL; the OpenGL ES headers lack it. */
#define GL_LINE_SMOOTH 0x0b20

struct gbm_device;
struct sdrm_device;

/* Entry points that come from eglGetProcAddress(). */
#define GL_FUNCTIONS(X)							\
	X(PFNEGLCREATEIMAGEKHRPROC, eglCreateImageKHR)			\
	X(PFNEGLDESTROYIMAGEKHRPROC, eglDestroyImageKHR)		\
	X(PFNEGLQUERYDMABUFFORMATSEXTPROC, eglQueryDmaBufFormatsEXT)	\
	X(PFNEGLQUERYDMABUFMODIFIERSEXTPROC, eglQueryDmaBufModifiersEXT)	\
	X(PFNEGLEXPORTDMABUFIMAGEQUERYMESAPROC, eglExportDMABUFImageQueryMESA)	\
	X(PFNEGLEXPORTDMABUFIMAGEMESAPROC, eglExportDMABUFImageMESA)	\
	X(PFNEGLCREATESYNCKHRPROC, eglCreateSyncKHR)			\
	X(PFNEGLDESTROYSYNCKHRPROC, eglDestroySyncKHR)			\
	X(PFNEGLCLIENTWAITSYNCKHRPROC, eglClientWaitSyncKHR)		\
	X(PFNEGLWAITSYNCKHRPROC, eglWaitSyncKHR)			\
	X(PFNEGLDUPNATIVEFENCEFDANDROIDPROC, eglDupNativeFenceFDANDROID)	\
	X(PFNGLEGLIMAGETARGETTEXTURE2DOESPROC, glEGLImageTargetTexture2DOES)	\
	X(PFNGLCREATEMEMORYOBJECTSEXTPROC, glCreateMemoryObjectsEXT)	\
	X(PFNGLDELETEMEMORYOBJECTSEXTPROC, glDeleteMemoryObjectsEXT)	\
	X(PFNGLIMPORTMEMORYFDEXTPROC, glImportMemoryFdEXT)		\
	X(PFNGLTEXSTORAGEMEM2DEXTPROC, glTexStorageMem2DEXT)		\
	X(PFNGLBUFFERSTORAGEMEMEXTPROC, glBufferStorageMemEXT)		\
	X(PFNGLGENSEMAPHORESEXTPROC, glGenSemaphoresEXT)		\
	X(PFNGLDELETESEMAPHORESEXTPROC, glDeleteSemaphoresEXT)		\
	X(PFNGLIMPORTSEMAPHOREFDEXTPROC, glImportSemaphoreFdEXT)	\
	X(PFNGLWAITSEMAPHOREEXTPROC, glWaitSemaphoreEXT)		\
	X(PFNGLSIGNALSEMAPHOREEXTPROC, glSignalSemaphoreEXT)		\
	X(PFNGLGETUNSIGNEDBYTEVEXTPROC, glGetUnsignedBytevEXT)		\
	X(PFNGLGETGRAPHICSRESETSTATUSEXTPROC, glGetGraphicsResetStatusEXT)

struct gl {
	EGLDisplay display;
	EGLConfig config;
	EGLContext context;
	int drm;			/* render node, -1 without a kernel driver */
	struct gbm_device *gbm;
	struct sdrm_device *dev;	/* a device file separate from GL's */
#define FIELD(type, name) type name;
	GL_FUNCTIONS(FIELD)
#undef FIELD
};

extern struct gl gl;

/*
 * Fills in `gl`: on the kernel driver, or on sundog-renderd if SUNDOG_SOCKET is set. Exits on
 * failure. @api is EGL_OPENGL_ES_API, or EGL_OPENGL_API, for which more extensions have entry
 * points.
 */
void gl_open(EGLenum api);
/* Destroys the context and terminates EGL, which closes EGL's device, too. */
void gl_close(void);
/*
 * Returns a new context that shares the objects of @share, which may be EGL_NO_CONTEXT. Exits on
 * failure.
 */
EGLContext gl_context_new(EGLContext share);
/*
 * Returns a context without a share group that reports resets (GL_KHR_robustness). Exits on
 * failure.
 */
EGLContext gl_robust_context_new(void);
void gl_use(EGLContext context);
/*
 * Polls the current context, which has to be robust, for a reset. Returns the first status other
 * than GL_NO_ERROR, or GL_NO_ERROR on a timeout.
 */
GLenum gl_wait_for_reset(void);
bool gl_has(const char *extension);
bool egl_has(const char *extension);

/* Colours are 0xRRGGBBAA. */

/* Returns a texture of one colour, @size pixels wide and high, with GL_NEAREST filters. */
GLuint gl_texture_new(int size, uint32_t color);
/* Returns a texture on @image, for GL_TEXTURE_2D or GL_TEXTURE_EXTERNAL_OES; 0 if GL refuses. */
GLuint gl_texture_of(EGLImageKHR image, GLenum target);
/* Makes @texture the colour attachment of the bound framebuffer, and sets the viewport. */
void gl_draw_to(GLuint texture, int width, int height);
void gl_fill(int x, int y, int width, int height, uint32_t color);
/* Draws @texture over the whole viewport; row 0 of memory is row 0 of glReadPixels(). */
void gl_draw(GLenum target, GLuint texture);
/* Draws the quad of gl_draw() @times times, to keep the device busy. */
void gl_draw_often(GLuint texture, int times);
/* Like gl_draw(), with the corners from the bound GL_ARRAY_BUFFER. */
void gl_draw_buffer(GLenum target, GLuint texture);
/* Like gl_draw_buffer(), with four 16-bit indices at offset @indices of the bound index buffer. */
void gl_draw_elements(GLuint texture, uintptr_t indices);
/* Like gl_draw() with a GL_TEXTURE_2D, with corners that are @stride bytes apart. */
void gl_draw_strided(GLuint texture, int stride, const void *corners);
extern const GLfloat gl_corners[8];
/* Draws a line between two points in clip coordinates. */
void gl_draw_line(GLuint texture, const GLfloat *ends);
uint32_t gl_pixel(int x, int y);
/*
 * Returns true if all four channels of the pixel are within @tolerance of @color. Prints the pixel
 * if not.
 */
bool gl_pixel_is(int x, int y, uint32_t color, int tolerance);
/*
 * Returns true if the four corners of a picture, @size pixels wide and high, have exactly this
 * colour. Prints the first one that differs.
 */
bool gl_corners_are(int size, uint32_t color);

/* dma-bufs */

struct gl_plane {
	int fd;
	uint32_t offset, pitch;
};

struct gl_dmabuf {
	uint32_t fourcc;
	int width, height;
	uint64_t modifier;		/* DRM_FORMAT_MOD_INVALID: not given */
	int n_planes;
	struct gl_plane planes[3];
};

/* Returns EGL_NO_IMAGE_KHR on failure. */
EGLImageKHR gl_import(const struct gl_dmabuf *buf);
/*
 * Exports an image of one plane to @buf, except its size, which only the caller knows. Returns
 * false if it has several planes or EGL fails.
 */
bool gl_export(EGLImageKHR image, struct gl_dmabuf *buf);

/*
 * Writes GLSL statements that change the float x to @to. They take long to compile, and each
 * @number has its own statements. Returns their length in characters.
 */
int gl_slow_statements(char *to, size_t size, int number);

/*
 * Native fences of EGL that signal after all GL commands of the current context so far. Both
 * functions flush the context.
 */

EGLSyncKHR gl_fence_new(void);
int gl_fence_fd_new(void);

/*
 * Messages with file descriptors over a Unix socket. Both functions return false if the peer has
 * closed it or the message has another size or number of descriptors.
 */
bool fds_send(int socket, const void *data, uint32_t size, const int *fds, uint32_t count);
bool fds_receive(int socket, void *data, uint32_t size, int *fds, uint32_t count);

/* Returns the number of open file descriptors of this process, for comparisons. */
int fds_open(void);
/*
 * Returns one of the counters of the kernel driver in debugfs, such as "resources"; -1 if it is not
 * there.
 */
int driver_count(const char *name);

#endif
