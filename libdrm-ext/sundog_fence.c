// SPDX-License-Identifier: MIT
/*
 * Fences: a submission of a context, or an imported sync_file of any driver, for which poll() waits
 * (Documentation/driver-api/sync_file.rst).
 */
#include "sundog_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <linux/sync_file.h>
#include <xf86drm.h>

#define NSEC_PER_SEC 1000000000ll

/*
 * Nanoseconds to poll the seqno before a thread sleeps: a small submission completes in less time
 * than a sleep and a wakeup take. If the last wait of the context was more than three times as
 * long, the next one does not poll.
 */
#define LOOK_NS 100000

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * NSEC_PER_SEC + now.tv_nsec;
}

bool sdrm_time_left(int64_t timeout_ns, struct timespec *store, struct timespec **left)
{
	int64_t ns;

	*left = NULL;
	if (timeout_ns == SDRM_FOREVER)
		return true;
	ns = timeout_ns - now_ns();
	if (timeout_ns <= 0 || ns <= 0)
		return false;
	*store = (struct timespec){ ns / NSEC_PER_SEC, ns % NSEC_PER_SEC };
	*left = store;
	return true;
}

int sdrm_poll_fd(int fd, int64_t timeout_ns)
{
	struct pollfd poll = { .fd = fd, .events = POLLIN };
	struct timespec store, *left;
	bool time_left;
	int ret;

	do {
		time_left = sdrm_time_left(timeout_ns, &store, &left);
		if (!time_left)
			store = (struct timespec){ 0, 0 };
		ret = ppoll(&poll, 1, time_left ? left : &store, NULL);
	} while ((ret < 0 && errno == EINTR) || (!ret && time_left));
	if (ret < 0)
		return -errno;
	return ret ? 0 : -ETIME;
}

SUNDOG_PUBLIC struct sdrm_fence *sdrm_fence_ref(struct sdrm_fence *fence)
{
	atomic_fetch_add(&fence->refs, 1);
	return fence;
}

SUNDOG_PUBLIC void sdrm_fence_del(struct sdrm_fence *fence)
{
	if (!fence || atomic_fetch_sub(&fence->refs, 1) != 1)
		return;
	if (fence->fd >= 0)
		close(fence->fd);
	sdrm_context_del(fence->ctx);
	free(fence);
}

/* Polls until @seqno is done or @until_ns has passed; returns true if it is done. Yields the CPU
 * between polls, which the worker may need. */
static bool look(const struct sdrm_context *ctx, uint64_t seqno, int64_t until_ns)
{
	bool done;

	while (!(done = sdrm_seqno_done(ctx->status, seqno)) && now_ns() < until_ns)
		sched_yield();
	return done;
}

static int wait_point(struct sdrm_context *ctx, const struct sdrm_point *at, int64_t timeout_ns)
{
	const int64_t begun = now_ns();
	int ret;

	if (!atomic_load_explicit(&ctx->waits_long, memory_order_relaxed) &&
	    timeout_ns > begun + LOOK_NS && look(ctx, at->seqno, begun + LOOK_NS))
		return 0;
	ret = ctx->dev->ops->point_wait(ctx, at, timeout_ns);
	atomic_store_explicit(&ctx->waits_long, now_ns() - begun > 3 * LOOK_NS,
			      memory_order_relaxed);
	return ret;
}

SUNDOG_PUBLIC int sdrm_fence_wait(struct sdrm_fence *fence, int64_t timeout_ns)
{
	struct sdrm_context *ctx = fence->ctx;

	if (!ctx)
		return sdrm_poll_fd(fence->fd, timeout_ns);
	if (sdrm_seqno_done(ctx->status, fence->at.seqno))
		return 0;
	if (timeout_ns <= 0)
		return ctx->dev->ops->point_wait(ctx, &fence->at, timeout_ns);
	return wait_point(ctx, &fence->at, timeout_ns);
}

SUNDOG_PUBLIC int sdrm_fence_export(struct sdrm_fence *fence)
{
	int fd;

	if (fence->ctx)
		return fence->ctx->dev->ops->fence_export(fence);
	fd = fcntl(fence->fd, F_DUPFD_CLOEXEC, 0);
	return fd < 0 ? -errno : fd;
}

static bool is_sync_file(int fd)
{
	struct sync_file_info info = { .num_fences = 0 };

	return !drmIoctl(fd, SYNC_IOC_FILE_INFO, &info);
}

SUNDOG_PUBLIC int sdrm_fence_import(struct sdrm_device *dev, int fd, struct sdrm_fence **out)
{
	struct sdrm_fence *fence;

	(void)dev;
	if (!is_sync_file(fd))
		return -EINVAL;
	fence = calloc(1, sizeof(*fence));
	if (!fence)
		return -ENOMEM;
	atomic_init(&fence->refs, 1);
	fence->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (fence->fd < 0) {
		free(fence);
		return -errno;
	}
	*out = fence;
	return 0;
}
