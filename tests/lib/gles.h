/* SPDX-License-Identifier: MIT */
/* Context and program of a test that draws with OpenGL ES 2. Implemented by gles.c. */
#ifndef GLES_H
#define GLES_H

#include <GLES2/gl2.h>

/* Makes a context without a surface current. Exits on failure. */
void gles_context(void);

/* Links a program; attribute 0 is "vertex". Exits on failure. */
GLuint gles_program(const char *vertex_source, const char *fragment_source);

#endif
