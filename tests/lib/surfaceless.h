/* SPDX-License-Identifier: MIT */
/*
 * A current OpenGL context without a window surface, for programs that render to their own
 * framebuffers.
 */
#ifndef SURFACELESS_H
#define SURFACELESS_H

#include <EGL/egl.h>

/*
 * Creates a context of @api with @attributes and makes it current without a surface. Ends the
 * program on failure.
 */
void surfaceless_context(EGLenum api, const EGLint *attributes);

#endif
