/* SPDX-License-Identifier: MIT */
/* What tests of OpenGL 3.3 have in common: a core context, its entry points, programs, a picture. */
#ifndef GL_CORE_H
#define GL_CORE_H

#include "gl.h"

#define GL_GLEXT_PROTOTYPES 1
#include <GL/glcorearb.h>

/* Side of the picture that tests draw to. */
#define CORE_SIZE 16

/* A core context of OpenGL 3.3 is current, and draws to a picture of CORE_SIZE. Exits on failure. */
void core_open(void);
/* The same of OpenGL ES 3.0. */
void es3_open(void);
/* Instead of that context, one of these attributes. */
void core_use_new(const EGLint *attributes);

/* A vertex shader: "vertex" is the position. */
extern const char core_position[];

/* Link a program that captures @n_varyings (0: none) in @mode. Attribute 0 is "vertex". Exits on
 * failure. */
GLuint core_program(const char *vertex, const char *fragment, int n_varyings, const char *const *varyings,
		    GLenum mode);

/* Link a program of the stages that are not NULL. Exits on failure. */
GLuint core_stages(const char *vertex, const char *geometry, const char *fragment);

/* A program that takes long to compile, and is another one for each @number. @end is the end of its main(): there are
 * "x", the uniforms "zero" and "turns", and "colour" to be set. Exits on failure. */
GLuint core_slow_program(int number, const char *end);

/* A shader of a program; arrays of them end with type 0. */
struct core_shader {
	GLenum type;
	const char *source;
};

/* Link a program of any stages, those without a source left out, that captures @n_varyings (0: none) in @mode.
 * Exits on failure. */
GLuint core_link(const struct core_shader *shaders, int n_varyings, const char *const *varyings, GLenum mode);

/* The same of a compute shader. */
GLuint core_compute(const char *source);

/* A buffer bound to @target. */
GLuint core_buffer(GLenum target, GLsizeiptr size, const void *data);

/* A storage buffer of @n words of @value, at most 64 Ki. */
GLuint core_words(int n, uint32_t value);

/* @n words of a buffer that shaders stored to, from @first. */
void core_read_words(GLuint buffer, int first, uint32_t *words, int n);

/* Have the device busy for a millisecond or more, before what it is told next. */
void core_take_time(void);

/* Attribute 0 is a triangle that covers the picture. */
void core_cover(void);

/* Draw that with a fragment shader, and report whether @expected is in the middle. */
void core_is_seen(const char *fragment, uint32_t expected, const char *what);

/* Of GL_NVX_gpu_memory_info and GL_ATI_meminfo, which core profiles' headers leave out. */
#define TOTAL_AVAILABLE_MEMORY 0x9048
#define CURRENT_AVAILABLE_MEMORY 0x9049
#define VBO_FREE_MEMORY 0x87fb

/* One of those, in KiB. */
GLint core_memory(GLenum which);

/* There was no error of OpenGL; says which if there was. */
bool core_no_error(void);

#endif
