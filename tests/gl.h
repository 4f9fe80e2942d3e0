/* SPDX-License-Identifier: MIT */
/*
 * What the tests of sharing between GL and others have in common: an OpenGL context without a
 * window, textured quads, pixels, file descriptors between processes, TAP.
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

/* Desktop OpenGL. */
#define GL_LINE_SMOOTH 0x0b20

struct gbm_device;
struct sundog_device;

/* Entry points that EGL and GL have to be asked for. */
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
	struct sundog_device *dev;	/* a device file apart from GL's */
#define FIELD(type, name) type name;
	GL_FUNCTIONS(FIELD)
#undef FIELD
};

extern struct gl gl;

/* Fill in gl: on the kernel driver, or on sundog-renderd if SUNDOG_SOCKET is set. Exits on failure.
 * @api: EGL_OPENGL_ES_API, or EGL_OPENGL_API, where more extensions have functions. */
void gl_open(EGLenum api);
/* Destroy the context; EGL gives up its device with it. */
void gl_close(void);
/* @share: a context whose objects it has, too, or EGL_NO_CONTEXT. */
EGLContext gl_context_new(EGLContext share);
/* One of its own that is told of resets (GL_KHR_robustness). */
EGLContext gl_robust_context_new(void);
void gl_use(EGLContext context);
/* What such a context, which has to be in use, is told first; "no error" if nothing comes. */
GLenum gl_wait_for_reset(void);
bool gl_has(const char *extension);
bool egl_has(const char *extension);

/* Colours are 0xRRGGBBAA. */

/* A texture of one colour, not filtered; @size pixels wide and high. */
GLuint gl_texture_new(int size, uint32_t color);
/* A texture on @image, for GL_TEXTURE_2D or GL_TEXTURE_EXTERNAL_OES; 0 if GL refuses. */
GLuint gl_texture_of(EGLImageKHR image, GLenum target);
/* Draw to @texture from here on. */
void gl_draw_to(GLuint texture, int width, int height);
void gl_fill(int x, int y, int width, int height, uint32_t color);
/* Draw @texture over the whole viewport; row 0 of memory is row 0 of what is read back. */
void gl_draw(GLenum target, GLuint texture);
/* The same over and over, to have the device busy. */
void gl_draw_often(GLuint texture, int times);
/* The same, with the corners in the buffer that is bound. */
void gl_draw_buffer(GLenum target, GLuint texture);
/* The same, with four 16-bit indices at an offset of the buffer that is bound for them. */
void gl_draw_elements(GLuint texture, uintptr_t indices);
/* The same, with corners that are @stride bytes apart. */
void gl_draw_strided(GLuint texture, int stride, const void *corners);
extern const GLfloat gl_corners[8];
/* A line between two points, in clip coordinates. */
void gl_draw_line(GLuint texture, const GLfloat *ends);
uint32_t gl_pixel(int x, int y);
/* Do all four channels agree within @tolerance? Says what it saw if not. */
bool gl_pixel_is(int x, int y, uint32_t color, int tolerance);
/* Are the corners of a picture, @size pixels wide and high, of just this colour? Says likewise. */
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

/* EGL_NO_IMAGE_KHR on failure. */
EGLImageKHR gl_import(const struct gl_dmabuf *buf);
/* An image of one plane; size is the caller's to know. */
bool gl_export(EGLImageKHR image, struct gl_dmabuf *buf);

/*
 * Statements of a shader that take long to compile, and are others for each number: they change float x. How long
 * they are.
 */
int gl_slow_statements(char *to, size_t size, int number);

/* Native fences of EGL, after everything that GL was told so far. */

EGLSyncKHR gl_fence_new(void);
int gl_fence_fd_new(void);

/* Messages with file descriptors, over a Unix socket. False: the other side is gone. */
bool fds_send(int socket, const void *data, uint32_t size, const int *fds, uint32_t count);
bool fds_receive(int socket, void *data, uint32_t size, int *fds, uint32_t count);

/* File descriptors of this process. */
int fds_open(void);
/* A figure of the kernel driver's counts, such as "resources". */
int driver_count(const char *name);

#endif
