// SPDX-License-Identifier: MIT
/*
 * Tests fork(): a child that uses the objects of its parent's device does not affect the parent,
 * and does not block on locks that other threads held during the fork. Runs on the device that
 * device.h finds. Prints TAP.
 */
#include <err.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xf86drm.h>

#include "device.h"
#include "sundog.h"

#define DWORDS 64
#define CHILDREN 200

struct parent {
	struct sundog_device *dev;
	struct sundog_context *ctx;
	struct sundog_submit *submit;
	struct sundog_semaphore *sem;
	struct sundog_bo *bo;
};

static atomic_bool stop;

static void tap(bool ok, const char *name)
{
	printf("%s - %s\n", ok ? "ok" : "not ok", name);
}

static void fill(struct sundog_submit *submit, struct sundog_bo *bo)
{
	const struct sundog_cmd_fill_buffer fill = { .dst = { .mem = sundog_bo_mem(bo),
							      .size = 4096 } };

	sundog_submit_add(submit, bo, SUNDOG_ACCESS_WRITE);
	sundog_emit_fill_buffer(sundog_submit_stream(submit), &fill);
}

/* Submits in a loop, so that a fork is likely to find locks held. */
static void *submit_often(void *arg)
{
	const struct parent *p = arg;
	struct sundog_submit *submit = sundog_submit_new(p->ctx, DWORDS);

	if (!submit)
		errx(1, "no submission");
	while (!stop) {
		fill(submit, p->bo);
		if (sundog_submit_flush(submit, -1, NULL))
			errx(1, "a submission was refused");
	}
	sundog_submit_del(submit);
	return NULL;
}

/* Does all that the exit of a program may do. */
static void clean_up(struct parent *p)
{
	struct sundog_fence *fence = NULL;

	fill(p->submit, p->bo);
	sundog_submit_flush(p->submit, -1, &fence);
	sundog_fence_del(fence);
	sundog_semaphore_del(p->sem);
	sundog_submit_del(p->submit);
	sundog_bo_del(p->bo);
	sundog_context_del(p->ctx);
	sundog_device_del(p->dev);
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
	const int fd = sundog_device_fd(p->dev);

	for (uint32_t handle = 1; fd >= 0 && handle < 100; handle++)
		drmSyncobjDestroy(fd, handle);
}

static bool semaphore_is_whole(struct parent *p)
{
	const int fd = sundog_semaphore_export(p->sem);

	if (fd < 0)
		return false;
	close(fd);
	return true;
}

static void test_semaphore(struct parent *p)
{
	struct sundog_fence *fence = NULL;
	bool ended;

	if (sundog_semaphore_new(p->dev, &p->sem)) {
		printf("ok - a child leaves semaphores alone # SKIP there are none without a kernel\n");
		return;
	}
	if (sundog_submit_flush(p->submit, -1, &fence) || sundog_semaphore_signal(p->sem, fence))
		errx(1, "no signal");
	sundog_fence_del(fence);
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
	struct sundog_fence *fence = NULL;
	bool ok;

	fill(p->submit, p->bo);
	ok = !sundog_submit_flush(p->submit, -1, &fence) && !sundog_fence_wait(fence, INT64_MAX);
	sundog_fence_del(fence);
	tap(ok && !sundog_context_is_lost(p->ctx), "and its parent goes on");
}

int main(void)
{
	struct parent p = { .dev = device_open() };

	p.ctx = sundog_context_new(p.dev);
	p.submit = p.ctx ? sundog_submit_new(p.ctx, DWORDS) : NULL;
	if (!p.submit || sundog_bo_new(p.dev, 4096, &p.bo))
		errx(1, "no context");
	printf("1..3\n");
	test_semaphore(&p);
	test_threads(&p);
	test_after(&p);
	sundog_semaphore_del(p.sem);
	sundog_submit_del(p.submit);
	sundog_bo_del(p.bo);
	sundog_context_del(p.ctx);
	sundog_device_del(p.dev);
	return 0;
}
