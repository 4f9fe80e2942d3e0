/* SPDX-License-Identifier: MIT */
/* A context without a window, for programs that draw to pictures of their own. */
#ifndef SURFACELESS_H
#define SURFACELESS_H

#include <EGL/egl.h>

/* Make a context of @api with these attributes current, without a surface. Exits on failure. */
void surfaceless_context(EGLenum api, const EGLint *attributes);

#endif
