// SPDX-License-Identifier: MIT
/* Makes the context on EGL's surfaceless platform, see surfaceless.h. */
#include "surfaceless.h"

#include <err.h>
#include <stddef.h>

#include <EGL/eglext.h>

void surfaceless_context(EGLenum api, const EGLint *attributes)
{
	EGLDisplay display = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA,
						   EGL_DEFAULT_DISPLAY, NULL);
	EGLContext context;

	if (!eglInitialize(display, NULL, NULL) || !eglBindAPI(api))
		errx(1, "no EGL display: %#x", eglGetError());
	context = eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, attributes);
	if (!eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context))
		errx(1, "no context: %#x", eglGetError());
}
