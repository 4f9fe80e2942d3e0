// SPDX-License-Identifier: MIT
/*
 * The device is unplugged while a program has contexts on it (kernel driver only): the contexts are
 * lost through no fault of theirs, are destroyed without an error, and leave nothing that breaks a
 * later fork. The test binds the device again at the end. Prints TAP.
 */
#include "gl.h"

#include <err.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <xf86drm.h>

#define SIZE 64
#define RED 0xff0000ff

static char bus_name[32];

static void find_name(void)
{
	drmDevicePtr device;

	if (drmGetDevice2(gl.drm, 0, &device))
		errx(1, "the device has no name");
	snprintf(bus_name, sizeof(bus_name), "%04x:%02x:%02x.%d", device->businfo.pci->domain,
		 device->businfo.pci->bus, device->businfo.pci->dev, device->businfo.pci->func);
	drmFreeDevice(&device);
}

static void tell_driver(const char *what)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/sys/bus/pci/drivers/sundog/%s", what);
	file = fopen(path, "w");
	if (!file || fputs(bus_name, file) == EOF || fclose(file))
		err(1, "%s", path);
}

static void draw(void)
{
	gl_fill(0, 0, SIZE, SIZE, RED);
	glFlush();
}

static void draw_to_new(void)
{
	gl_draw_to(gl_texture_new(SIZE, 0), SIZE, SIZE);
	draw();
}

/*
 * Returns true if a fork works. At a fork, a library handles all memory that it believes is mapped.
 */
static bool forks(void)
{
	pid_t child = fork();
	int status;

	if (!child)
		_exit(0);
	return child > 0 && waitpid(child, &status, 0) == child && !status;
}

int main(void)
{
	EGLContext robust;
	GLenum status;

	/* Overwrites memory when it is freed, so that a use after free shows. */
	mallopt(M_PERTURB, 0x5a);
	gl_open(EGL_OPENGL_ES_API);
	find_name();
	robust = gl_robust_context_new();
	draw_to_new();
	gl_use(robust);
	draw_to_new();
	tap(gl_pixel_is(3, 5, RED, 0) && forks(), "there is a device");
	tell_driver("unbind");
	draw();
	status = gl.glGetGraphicsResetStatusEXT();
	tap(status != GL_NO_ERROR && status != GL_GUILTY_CONTEXT_RESET_EXT,
	    "a context is not to blame: %#x", status);
	gl_use(gl.context);
	draw();
	glFinish();
	eglDestroyContext(gl.display, robust);
	gl_close();
	tap(forks(), "contexts end without their device");
	tell_driver("bind");
	gl_open(EGL_OPENGL_ES_API);
	draw_to_new();
	tap(gl_pixel_is(3, 5, RED, 0) && forks(), "and there is a device again");
	gl_close();
	return tap_failures() != 0;
}
