// SPDX-License-Identifier: MIT
/*
 * EGL displays of GBM devices of sundog through libglvnd, which asks each vendor in turn whether a
 * display is its own: a display that the program has is found again, a terminated one is asked for
 * anew, and a question of one thread leaves the display of another thread alone. Needs a guest with
 * the packages, where EGL has two vendors. Prints TAP.
 */
#include <err.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES2/gl2.h>
#include <gbm.h>

#include "tap.h"

#define RENDER_NODE "/dev/dri/renderD128"
#define FILES 24		/* more than EGL opens for a display */
#define ROUNDS 30
#define THREADS 4
#define MOST_PAUSE_MS 30

static struct gbm_device *gbm_new(void)
{
	const int fd = open(RENDER_NODE, O_RDWR | O_CLOEXEC);
	struct gbm_device *gbm = fd < 0 ? NULL : gbm_create_device(fd);

	if (!gbm)
		err(1, RENDER_NODE);
	return gbm;
}

static void gbm_del(struct gbm_device *gbm)
{
	const int fd = gbm_device_get_fd(gbm);

	gbm_device_destroy(gbm);
	close(fd);
}

static EGLDisplay display_of(struct gbm_device *gbm)
{
	return eglGetPlatformDisplay(EGL_PLATFORM_GBM_KHR, gbm, NULL);
}

/* Returns true if a context without a surface can be made current, and is one of sundog. */
static bool draws(EGLDisplay display)
{
	static const EGLint es2[] = { EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE };
	const char *renderer;
	EGLContext context;
	bool ok;

	if (!eglQueryString(display, EGL_VENDOR) || !eglBindAPI(EGL_OPENGL_ES_API))
		return false;
	context = eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, es2);
	if (!context)
		return false;
	ok = eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context);
	renderer = ok ? (const char *)glGetString(GL_RENDERER) : NULL;
	ok = renderer && strstr(renderer, "sundog");
	eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
	eglDestroyContext(display, context);
	return ok;
}

/* Lets only @count more files be opened. Returns the limit before. */
static struct rlimit limit_files(int count)
{
	int files[FILES + 1];
	struct rlimit old, few;

	for (int i = 0; i <= count; i++) {
		files[i] = dup(0);
		if (files[i] < 0)
			err(1, "dup");
	}
	if (getrlimit(RLIMIT_NOFILE, &old))
		err(1, "getrlimit");
	few = (struct rlimit){ files[count], old.rlim_max };
	for (int i = 0; i <= count; i++)
		close(files[i]);
	if (setrlimit(RLIMIT_NOFILE, &few))
		err(1, "setrlimit");
	return old;
}

static void allow_files(const struct rlimit *limit)
{
	if (setrlimit(RLIMIT_NOFILE, limit))
		err(1, "setrlimit");
}

static void test_known(void)
{
	struct gbm_device *gbm = gbm_new();
	EGLDisplay display = display_of(gbm), again;
	struct rlimit limit;

	tap(eglInitialize(display, NULL, NULL) && draws(display), "a display of a GBM device");
	limit = limit_files(0);
	again = display_of(gbm);
	allow_files(&limit);
	tap(again == display, "the same display again, while no file can be opened");
	tap(draws(display), "the display still draws");
	eglTerminate(display);
	gbm_del(gbm);
}

/*
 * Asks for a terminated display while only a few files can be opened: if sundog takes the display,
 * it must be able to initialize the display.
 */
static void test_terminated(void)
{
	struct gbm_device *gbm = gbm_new();
	EGLDisplay display = display_of(gbm), again;
	int taken = 0, right = 0;

	eglInitialize(display, NULL, NULL);
	eglTerminate(display);
	for (int i = 0; i < FILES; i++) {
		const struct rlimit limit = limit_files(i);
		bool ok;

		again = display_of(gbm);
		ok = again == display && eglInitialize(display, NULL, NULL);
		allow_files(&limit);
		taken += again == display;
		right += again != display || (ok && draws(display));
		eglTerminate(display);
	}
	tap(taken > 0 && taken < FILES && right == FILES,
	    "a terminated display is asked for anew: taken with %d of %d limits, right with %d",
	    taken, FILES, right);
	again = display_of(gbm);
	tap(eglInitialize(again, NULL, NULL) && draws(again),
	    "the terminated display can be initialized again");
	eglTerminate(again);
	gbm_del(gbm);
}

/* Threads that ask for the same display at the same time; the first one uses it. */

static pthread_barrier_t barrier;

struct thread {
	pthread_t thread;
	struct gbm_device *gbm;
	struct timespec pause;
	bool uses, ok;
};

static void *get_display(void *data)
{
	struct thread *thread = data;
	EGLDisplay display;

	pthread_barrier_wait(&barrier);
	display = display_of(thread->gbm);
	thread->ok = display != EGL_NO_DISPLAY;
	if (thread->uses) {
		thread->ok = thread->ok && eglInitialize(display, NULL, NULL);
		nanosleep(&thread->pause, NULL);
		thread->ok = thread->ok && draws(display);
	}
	eglReleaseThread();
	return NULL;
}

/* Returns true if all threads get the display of a GBM device, and one draws. */
static bool threads_share(struct gbm_device *gbm)
{
	struct thread threads[THREADS];
	bool ok = true;

	for (int i = 0; i < THREADS; i++) {
		threads[i].gbm = gbm;
		threads[i].uses = !i;
		threads[i].pause = (struct timespec){ 0, rand() % (MOST_PAUSE_MS * 1000000) };
		if (pthread_create(&threads[i].thread, NULL, get_display, &threads[i]))
			errx(1, "no thread");
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i].thread, NULL);
		ok &= threads[i].ok;
	}
	eglTerminate(display_of(gbm));
	return ok;
}

static void test_threads(void)
{
	struct gbm_device *devices[ROUNDS];
	int good = 0;

	pthread_barrier_init(&barrier, NULL, THREADS);
	/* EGL knows displays by the address of their device: all of these live until the end. */
	for (int i = 0; i < ROUNDS; i++) {
		devices[i] = gbm_new();
		good += threads_share(devices[i]);
	}
	for (int i = 0; i < ROUNDS; i++)
		gbm_del(devices[i]);
	pthread_barrier_destroy(&barrier);
	tap(good == ROUNDS,
	    "a thread uses a display that others ask for meanwhile: right in %d of %d rounds",
	    good, ROUNDS);
}

int main(void)
{
	test_known();
	test_terminated();
	test_threads();
	return tap_failures() != 0;
}
