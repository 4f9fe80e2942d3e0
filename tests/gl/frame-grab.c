// SPDX-License-Identifier: MIT
/*
 * LD_PRELOAD library that makes glmark2 deterministic and saves some of its frames.
 *
 * Time: clocks that the program itself reads advance by a fixed step per call, so that every frame
 * shows the same moment with every driver. Libraries get real time.
 *
 * Frames: needs --off-screen --frame-end finish, so that glFinish() ends each frame. The frames in
 * FRAME_GRAB_FRAMES ("1,30") are written to FRAME_GRAB_PREFIX-N.png. The program ends after the
 * last of them.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <GLES2/gl2.h>

#include "picture.h"

#define STEP_NS 4000000ll

typedef void (*function)(void);
typedef function (*get_proc_fn)(const char *name);
typedef void *(*dlsym_fn)(void *handle, const char *name);

static struct {
	void (*finish)(void);
	void (*get_integer)(GLenum, GLint *);
	void (*read_pixels)(GLint, GLint, GLsizei, GLsizei, GLenum, GLenum, void *);
} gl;

static get_proc_fn egl_get_proc, glx_get_proc;

static void *real_dlsym(void *handle, const char *name)
{
	static dlsym_fn real;

	if (!real)
		real = (dlsym_fn)dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");
	return real(handle, name);
}

/* Time */

static int first_object(struct dl_phdr_info *info, size_t size, void *data)
{
	uintptr_t *range = data;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const uintptr_t at = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;

		if (info->dlpi_phdr[i].p_type != PT_LOAD)
			continue;
		if (!range[0])
			range[0] = at;
		range[1] = at + info->dlpi_phdr[i].p_memsz;
	}
	return 1;	/* dl_iterate_phdr() reports the program first */
}

static bool from_program(const void *caller)
{
	static uintptr_t range[2];

	if (!range[0])
		dl_iterate_phdr(first_object, range);
	return (uintptr_t)caller >= range[0] && (uintptr_t)caller < range[1];
}

static long long next_ns(void)
{
	static long long now = 1000000000ll;

	return now += STEP_NS;
}

int clock_gettime(clockid_t clock, struct timespec *t)
{
	static int (*real)(clockid_t, struct timespec *);
	long long ns;

	if (!real)
		real = real_dlsym(RTLD_NEXT, "clock_gettime");
	if (!from_program(__builtin_return_address(0)))
		return real(clock, t);
	ns = next_ns();
	t->tv_sec = ns / 1000000000;
	t->tv_nsec = ns % 1000000000;
	return 0;
}

int gettimeofday(struct timeval *restrict t, void *restrict zone)
{
	static int (*real)(struct timeval *, void *);
	long long ns;

	if (!real)
		real = real_dlsym(RTLD_NEXT, "gettimeofday");
	if (!from_program(__builtin_return_address(0)))
		return real(t, zone);
	ns = next_ns();
	t->tv_sec = ns / 1000000000;
	t->tv_usec = ns % 1000000000 / 1000;
	return 0;
}

/* Frames */

static void save_frame(int frame)
{
	GLint viewport[4];
	char path[4096];
	uint8_t *pixels;

	gl.get_integer(GL_VIEWPORT, viewport);
	pixels = malloc((size_t)viewport[2] * viewport[3] * 4);
	gl.read_pixels(0, 0, viewport[2], viewport[3], GL_RGBA, GL_UNSIGNED_BYTE, pixels);
	snprintf(path, sizeof(path), "%s-%d.png", getenv("FRAME_GRAB_PREFIX"), frame);
	if (!picture_save(path, pixels, viewport[2], viewport[3], -viewport[2] * 4))
		_exit(1);
	free(pixels);
}

/* Returns true if @frame is in the list. *@last: no later frame is. */
static bool wanted(int frame, bool *last)
{
	const char *at = getenv("FRAME_GRAB_FRAMES");
	bool found = false;

	*last = true;
	while (at && *at) {
		const int listed = atoi(at);

		found |= listed == frame;
		*last &= listed <= frame;
		at = strchr(at, ',');
		at = at ? at + 1 : NULL;
	}
	return found;
}

static void grabbing_finish(void)
{
	static int frame;
	bool last;

	gl.finish();
	if (wanted(++frame, &last))
		save_frame(frame);
	if (last)
		_exit(0);
}

/* Every way to get glFinish() returns the hook. */

static void *hook(const char *name, void *real, get_proc_fn get_proc)
{
	if (strcmp(name, "glFinish") || !real)
		return real;
	gl.finish = (void (*)(void))real;
	if (get_proc) {
		gl.get_integer = (__typeof__(gl.get_integer))get_proc("glGetIntegerv");
		gl.read_pixels = (__typeof__(gl.read_pixels))get_proc("glReadPixels");
	}
	return grabbing_finish;
}

static function hooked_egl_get_proc(const char *name)
{
	return (function)hook(name, (void *)egl_get_proc(name), egl_get_proc);
}

static function hooked_glx_get_proc(const char *name)
{
	return (function)hook(name, (void *)glx_get_proc(name), glx_get_proc);
}

void *dlsym(void *restrict handle, const char *restrict name)
{
	void *real = real_dlsym(handle, name);

	if (!strcmp(name, "eglGetProcAddress")) {
		egl_get_proc = (get_proc_fn)real;
		return hooked_egl_get_proc;
	}
	if (!strcmp(name, "glXGetProcAddress") || !strcmp(name, "glXGetProcAddressARB")) {
		glx_get_proc = (get_proc_fn)real;
		return hooked_glx_get_proc;
	}
	if (!strcmp(name, "glFinish")) {
		gl.get_integer = (__typeof__(gl.get_integer))real_dlsym(handle, "glGetIntegerv");
		gl.read_pixels = (__typeof__(gl.read_pixels))real_dlsym(handle, "glReadPixels");
		return hook(name, real, NULL);
	}
	return real;
}
