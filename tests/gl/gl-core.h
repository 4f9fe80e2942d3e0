/* SPDX-License-Identifier: MIT */
/*
 * Helpers of the tests of desktop OpenGL 3.3 and later and of OpenGL ES 3.0: a current context, its
 * entry points, programs, a colour attachment. Implemented by gl-core.c on top of gl.h.
 */
#ifndef GL_CORE_H
#define GL_CORE_H

#include "gl.h"

#define GL_GLEXT_PROTOTYPES 1
#include <GL/glcorearb.h>

/* Side of the square colour attachment that tests draw to, in pixels. */
#define CORE_SIZE 16

/*
 * Makes a core context of OpenGL 3.3 current, with a colour attachment of CORE_SIZE. Exits on
 * failure.
 */
void core_open(void);
/* Like core_open(), for OpenGL ES 3.0. */
void es3_open(void);
/* Replaces the current context by one of these EGL attributes. Exits on failure. */
void core_use_new(const EGLint *attributes);

/* Source of a vertex shader that passes the attribute "vertex" on as the position. */
extern const char core_position[];

/*
 * Links a program that captures @n_varyings (0: none) in @mode. Attribute 0 is "vertex". Exits on
 * failure.
 */
GLuint core_program(const char *vertex, const char *fragment, int n_varyings,
		    const char *const *varyings, GLenum mode);

/* Links a program of the stages that are not NULL. Exits on failure. */
GLuint core_stages(const char *vertex, const char *geometry, const char *fragment);

/*
 * Links a program that takes long to compile; each @number has its own program. @end is the end of
 * its main(), which has the float "x" and the uniforms "zero" and "turns", and has to set "colour".
 * Exits on failure.
 */
GLuint core_slow_program(int number, const char *end);

/* A shader of a program; arrays of them end with type 0. */
struct core_shader {
	GLenum type;
	const char *source;
};

/*
 * Links a program of any stages that captures @n_varyings (0: none) in @mode; stages without a
 * source are left out. Exits on failure.
 */
GLuint core_link(const struct core_shader *shaders, int n_varyings, const char *const *varyings,
		 GLenum mode);

/* Links a program of one compute shader. Exits on failure. */
GLuint core_compute(const char *source);

/* Returns a new buffer, which is bound to @target. */
GLuint core_buffer(GLenum target, GLsizeiptr size, const void *data);

/* Returns a new storage buffer of @n words of @value, with @n at most 64 Ki. */
GLuint core_words(int n, uint32_t value);

/* Reads @n words from word @first on of a buffer that shaders stored to. */
void core_read_words(GLuint buffer, int first, uint32_t *words, int n);

/* Dispatches work that keeps the device busy for a millisecond or more before the next commands. */
void core_take_time(void);

/* Makes attribute 0 a triangle that covers the colour attachment. */
void core_cover(void);

/*
 * Draws three vertices of attribute 0 with a fragment shader, and reports as a test whether pixel
 * (7, 7) is @expected.
 */
void core_is_seen(const char *fragment, uint32_t expected, const char *what);

/* Names of GL_NVX_gpu_memory_info and GL_ATI_meminfo, which headers of core profiles lack. */
#define TOTAL_AVAILABLE_MEMORY 0x9048
#define CURRENT_AVAILABLE_MEMORY 0x9049
#define VBO_FREE_MEMORY 0x87fb

/* Returns the first number, in KiB, that glGetIntegerv() has for one of the names above. */
GLint core_memory(GLenum which);

/* Returns true if there was no GL error; prints the error if there was one. */
bool core_no_error(void);

#endif
