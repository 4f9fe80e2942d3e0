/* SPDX-License-Identifier: MIT */
/* The start of a program that draws with OpenGL ES 2. */
#ifndef GLES_H
#define GLES_H

#include <GLES2/gl2.h>

/* Make a context without a surface current. Exits on failure. */
void gles_context(void);

/* Link a program; attribute 0 is "vertex". Exits on failure. */
GLuint gles_program(const char *vertex_source, const char *fragment_source);

#endif
