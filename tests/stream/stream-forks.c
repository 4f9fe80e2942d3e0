// SPDX-License-Identifier: MIT
/*
 * Tests fork(): a child that uses the objects of its parent's device does not affect the parent,
 * and does not block on locks that other threads held during the fork. Runs on the device that
 * device.h finds. Prints TAP.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <err.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xf86drm.h>

#include "device.h"
#include "sundog.h"

#define DWORDS 64
#define CHILDREN 200
/* More than the number of files that this program has open. */
#define FILES 64

struct parent {
	struct sdrm_device *dev;
	struct sdrm_context *ctx;
	struct sdrm_submit *submit;
	struct sdrm_semaphore *sem;
	struct sdrm_bo *bo;
};

static atomic_bool stop;

/*
 * A fork at one moment of the library: before the next mutex that this thread locks, or after it
 * closed a file. The library calls these functions instead of libc's.
 */
static _Thread_local bool (*at_lock)(void), (*at_close)(int fd);
static _Thread_local bool was_good;
static _Thread_local int closes;	/* until @at_close */

int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	static int (*next)(pthread_mutex_t *mutex);
	bool (*then)(void) = at_lock;

	if (!next)
		next = (int (*)(pthread_mutex_t *))dlsym(RTLD_NEXT, "pthread_mutex_lock");
	at_lock = NULL;
	if (then)
		was_good = then();
	return next(mutex);
}

int close(int fd)
{
	static int (*next)(int fd);
	bool (*then)(int fd) = closes-- ? NULL : at_close;
	int ret;

	if (!next)
		next = (int (*)(int))dlsym(RTLD_NEXT, "close");
	ret = next(fd);
	if (then) {
		at_close = NULL;
		was_good = then(fd);
	}
	return ret;
}

static void tap(bool ok, const char *name)
{
	printf("%s - %s\n", ok ? "ok" : "not ok", name);
}

static void fill(struct sdrm_submit *submit, struct sdrm_bo *bo)
{
	const struct sundog_cmd_fill_buffer fill = { .dst = { .mem = sdrm_bo_mem(bo),
							      .size = 4096 } };

	sdrm_submit_add(submit, bo, SUNDOG_ACCESS_WRITE);
	sundog_emit_fill_buffer(sdrm_submit_stream(submit), &fill);
}

/* Submits in a loop, so that a fork is likely to find locks held. */
static void *submit_often(void *arg)
{
	const struct parent *p = arg;
	struct sdrm_submit *submit = sdrm_submit_new(p->ctx, DWORDS);

	if (!submit)
		errx(1, "no submission");
	while (!stop) {
		fill(submit, p->bo);
		if (sdrm_submit_flush(submit, -1, NULL))
			errx(1, "a submission was refused");
	}
	sdrm_submit_del(submit);
	return NULL;
}

/* Does all that the exit of a program may do. */
static void clean_up(struct parent *p)
{
	struct sdrm_fence *fence = NULL;

	fill(p->submit, p->bo);
	sdrm_submit_flush(p->submit, -1, &fence);
	sdrm_fence_del(fence);
	sdrm_semaphore_del(p->sem);
	sdrm_submit_del(p->submit);
	sdrm_bo_del(p->bo);
	sdrm_context_del(p->ctx);
	sdrm_device_del(p->dev);
}

static bool child_ends(struct parent *p, void (*what)(struct parent *p))
{
	int status = -1;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (!child) {
		alarm(120);
		what(p);
		_exit(0);
	}
	return waitpid(child, &status, 0) == child && !status;
}

/* Destroys sync objects by their handles, as Vulkan's runtime does with the device's descriptor. */
static void destroy_syncobjs(struct parent *p)
{
	const int fd = sdrm_device_fd(p->dev);

	for (uint32_t handle = 1; fd >= 0 && handle < 100; handle++)
		drmSyncobjDestroy(fd, handle);
}

static bool semaphore_is_whole(struct parent *p)
{
	const int fd = sdrm_semaphore_export(p->sem);

	if (fd < 0)
		return false;
	close(fd);
	return true;
}

static void test_semaphore(struct parent *p)
{
	struct sdrm_fence *fence = NULL;
	bool ended;

	if (sdrm_semaphore_new(p->dev, &p->sem)) {
		printf("ok - a child leaves semaphores alone "
		       "# SKIP there are none without a kernel\n");
		return;
	}
	if (sdrm_submit_flush(p->submit, -1, &fence) || sdrm_semaphore_signal(p->sem, fence))
		errx(1, "no signal");
	sdrm_fence_del(fence);
	ended = child_ends(p, destroy_syncobjs);
	tap(ended && semaphore_is_whole(p), "a child leaves semaphores alone");
}

static void test_threads(struct parent *p)
{
	pthread_t thread;
	int ended = 0;

	if (pthread_create(&thread, NULL, submit_often, p))
		errx(1, "no thread");
	while (ended < CHILDREN && child_ends(p, clean_up))
		ended++;
	stop = true;
	pthread_join(thread, NULL);
	printf("# %d of %d children ended well\n", ended, CHILDREN);
	tap(ended == CHILDREN, "a child cleans up whatever another thread was doing");
}

static void test_after(struct parent *p)
{
	struct sdrm_fence *fence = NULL;
	bool ok;

	fill(p->submit, p->bo);
	ok = !sdrm_submit_flush(p->submit, -1, &fence) && !sdrm_fence_wait(fence, INT64_MAX);
	sdrm_fence_del(fence);
	tap(ok && !sdrm_context_is_lost(p->ctx), "and its parent goes on");
}

static struct sdrm_bo *mapped;

static bool is_shared(const void *at)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long begin, end;
	char line[512], rights[5];
	bool shared = false;

	while (maps && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %4s", &begin, &end, rights) == 3 &&
		    begin <= (unsigned long)at && (unsigned long)at < end)
			shared = rights[3] == 's';
	if (maps)
		fclose(maps);
	return shared;
}

/* Returns true if a child of this moment has no memory of the parent's device. */
static bool child_has_no_map(void)
{
	int status = -1;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (!child) {
		void *map = sdrm_bo_map(mapped);

		_exit(map && is_shared(map));
	}
	return waitpid(child, &status, 0) == child && !status;
}

/* A fork between the mmap() of a buffer and its registration. */
static void test_map(struct parent *p)
{
	void *map;

	if (sdrm_bo_new(p->dev, 4096, &mapped))
		errx(1, "no buffer");
	was_good = true;
	at_lock = child_has_no_map;
	map = sdrm_bo_map(mapped);
	at_lock = NULL;
	tap(map && was_good, "a child has no mapping that its parent was just making");
	sdrm_bo_del(mapped);
}

/* Returns true if a child keeps a file that got the number of a closed one. */
static bool child_keeps_file(int fd)
{
	const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	struct stat before, after;
	int status = -1;
	pid_t child;

	if (null != fd) {
		if (fcntl(null, F_DUPFD_CLOEXEC, fd) != fd)
			errx(1, "number %d is not free", fd);
		close(null);
	}
	if (fstat(fd, &before))
		err(1, "no file");
	fflush(stdout);
	child = fork();
	if (!child)
		_exit(fstat(fd, &after) || before.st_ino != after.st_ino ||
		      before.st_rdev != after.st_rdev);
	waitpid(child, &status, 0);
	close(fd);
	return !status;
}

/* Returns true if the device does what a submission on a new context wants. */
static bool works(struct sdrm_device *dev)
{
	struct sdrm_context *ctx = sdrm_context_new(dev);
	struct sdrm_submit *submit = ctx ? sdrm_submit_new(ctx, DWORDS) : NULL;
	struct sdrm_fence *fence = NULL;
	struct sdrm_bo *bo = NULL;
	const uint32_t *words;
	bool ok;

	if (!submit || sdrm_bo_new(dev, 4096, &bo))
		return false;
	((uint32_t *)sdrm_bo_map(bo))[1023] = 1;
	fill(submit, bo);
	ok = !sdrm_submit_flush(submit, -1, &fence) && !sdrm_fence_wait(fence, INT64_MAX);
	words = sdrm_bo_map(bo);
	ok = ok && words && !words[1023] && !sdrm_context_is_lost(ctx);
	sdrm_fence_del(fence);
	sdrm_submit_del(submit);
	sdrm_bo_del(bo);
	sdrm_context_del(ctx);
	return ok;
}

/* Forks after a device closed its file number @n, when another thread's file has the number.
 * Returns false if the device does not close as many. */
static bool fork_at_close(int n, bool *good)
{
	struct sdrm_device *dev = device_open();
	bool all = !works(dev);

	was_good = false;
	closes = n;
	at_close = child_keeps_file;
	sdrm_device_del(dev);
	all = all || at_close;
	at_close = NULL;
	*good = *good && (all || was_good);
	return !all;
}

static void test_close(void)
{
	bool good = true;
	int n = 0;

	while (fork_at_close(n, &good))
		n++;
	tap(n && good, "a child keeps a file that has the number of a closed device's");
}

static void use_once(struct parent *p)
{
	if (!works(p->dev))
		_exit(1);
}

static void use_device(struct parent *p)
{
	const int fd = sdrm_device_fd(p->dev);

	if (!works(p->dev) || !works(p->dev) || sdrm_device_fd(p->dev) != fd)
		_exit(1);
	if (!child_ends(p, use_once))
		_exit(2);
	if (!works(p->dev))
		_exit(3);
	sdrm_device_del(p->dev);
}

/* Deletes the copies of the parent's objects: after the last one the device can be used. */
static void use_device_at_last(struct parent *p)
{
	if (sdrm_context_new(p->dev))
		_exit(1);
	sdrm_semaphore_del(p->sem);
	sdrm_submit_del(p->submit);
	sdrm_context_del(p->ctx);
	if (sdrm_context_new(p->dev))
		_exit(2);
	sdrm_bo_del(p->bo);
	if (!works(p->dev))
		_exit(3);
}

/* Closes all files, as a daemon does, opens others with their numbers, and uses the device. */
static void use_device_with_files(struct parent *p)
{
	struct stat before[FILES], after;
	int fds[FILES];
	bool worked;

	for (int fd = 3; fd < 3 + FILES; fd++)
		close(fd);
	for (int i = 0; i < FILES; i++) {
		fds[i] = memfd_create("own", MFD_CLOEXEC);
		if (fds[i] < 0 || fstat(fds[i], &before[i]))
			_exit(1);
	}
	worked = works(p->dev);
	for (int i = 0; i < FILES; i++)
		if (fstat(fds[i], &after) || after.st_dev != before[i].st_dev ||
		    after.st_ino != before[i].st_ino)
			_exit(2);
	/* A DRM device has to keep its number, see sdrm_fork_replace(). */
	if (!worked && sdrm_device_fd(p->dev) < 0)
		_exit(3);
}

static void use_device_without_files(struct parent *p)
{
	for (int fd = 3; fd < 3 + FILES; fd++)
		close(fd);
	if (!works(p->dev))
		_exit(1);
}

static void test_files(void)
{
	struct parent unused = { .dev = device_open() };
	bool worked = works(unused.dev);

	tap(worked && child_ends(&unused, use_device_with_files),
	    "a child that closed all files keeps those that it opened then");
	tap(child_ends(&unused, use_device_without_files),
	    "a child that closed all files and opened none uses the device");
	sdrm_device_del(unused.dev);
}

static void use_device_elsewhere(struct parent *p)
{
	if (chdir("/") || !works(p->dev))
		_exit(1);
}

/* The path of the renderer's socket is relative. */
static void test_directory(void)
{
	const char *name = "a child uses a direct device after a change of the directory";
	const char *path = getenv("SUNDOG_SOCKET");
	const int here = open(".", O_DIRECTORY | O_CLOEXEC);
	char *copy = path ? strdup(path) : NULL;
	char *end = copy ? strrchr(copy, '/') : NULL;
	struct parent unused = { 0 };

	if (!end) {
		printf("ok - %s # SKIP there is no directory of a socket\n", name);
		free(copy);
		return;
	}
	*end = 0;
	if (chdir(copy))
		err(1, "%s", copy);
	unused.dev = sdrm_device_new_direct(end + 1, 16 << 20);
	tap(unused.dev && child_ends(&unused, use_device_elsewhere), name);
	sdrm_device_del(unused.dev);
	if (fchdir(here))
		err(1, "the directory before");
	free(copy);
}

static bool has_socket(void)
{
	struct stat st;

	for (int fd = 3; fd < 3 + FILES; fd++)
		if (!fstat(fd, &st) && S_ISSOCK(st.st_mode))
			return true;
	return false;
}

static atomic_bool connecting;

/* Gives the other thread time to fork, when there is a connection. */
static bool wait_for_fork(int fd)
{
	(void)fd;
	if (!has_socket()) {
		closes = 0;
		at_close = wait_for_fork;
		return true;
	}
	connecting = true;
	usleep(300000);
	return true;
}

static void *connect_slowly(void *arg)
{
	at_close = wait_for_fork;
	closes = 0;
	return works(arg) ? arg : NULL;
}

static void check_no_socket(struct parent *p)
{
	(void)p;
	if (has_socket())
		_exit(1);
}

static void fork_while_connecting(struct parent *p)
{
	pthread_t thread;
	void *ret;

	for (int fd = 3; fd < 3 + FILES; fd++)
		close(fd);
	if (pthread_create(&thread, NULL, connect_slowly, p->dev))
		_exit(1);
	while (!connecting)
		usleep(1000);
	if (!child_ends(p, check_no_socket))
		_exit(2);
	if (pthread_join(thread, &ret) || !ret)
		_exit(3);
}

static void test_connecting(void)
{
	const char *name = "a child has no connection that its parent was just making";
	struct parent unused = { .dev = device_open() };

	if (sdrm_device_fd(unused.dev) >= 0)
		printf("ok - %s # SKIP only direct devices have connections\n", name);
	else
		tap(child_ends(&unused, fork_while_connecting), name);
	sdrm_device_del(unused.dev);
}

/* A device without objects at the fork, as EGL and Vulkan keep it from their start. */
static void test_unused(struct parent *p)
{
	struct parent unused = { .dev = device_open() };
	bool ended = true;

	for (int i = 0; i < 3; i++)
		ended = child_ends(&unused, use_device) && ended;
	tap(ended && works(unused.dev), "a child uses a device of which its parent had no objects");
	tap(child_ends(&unused, use_device), "or has none any more");
	sdrm_device_del(unused.dev);
	tap(child_ends(p, use_device_at_last),
	    "or of which the child deleted its copies, but not before");
}

int main(void)
{
	struct parent p = { .dev = device_open() };

	p.ctx = sdrm_context_new(p.dev);
	p.submit = p.ctx ? sdrm_submit_new(p.ctx, DWORDS) : NULL;
	if (!p.submit || sdrm_bo_new(p.dev, 4096, &p.bo))
		errx(1, "no context");
	printf("1..12\n");
	test_semaphore(&p);
	test_map(&p);
	test_close();
	test_files();
	test_directory();
	test_connecting();
	test_unused(&p);
	test_threads(&p);
	test_after(&p);
	sdrm_semaphore_del(p.sem);
	sdrm_submit_del(p.submit);
	sdrm_bo_del(p.bo);
	sdrm_context_del(p.ctx);
	sdrm_device_del(p.dev);
	return 0;
}
