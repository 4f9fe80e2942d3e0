// SPDX-License-Identifier: MIT
/*
 * Unit test of the direct back end with a fake renderer: rings that fill up and wrap, memory that
 * must not be reused early, waits, faults, lost connections, resources.
 */
#include "check.h"
#include "fake_renderer.h"
#include "sundog.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define VRAM (8u << 20)
#define PAGE 4096

static struct fake_renderer fake;

static struct sundog_device *begin(void)
{
	struct sundog_device *dev;

	memset(&fake, 0, sizeof(fake));
	fake_renderer_start(&fake);
	dev = sundog_device_new_direct(fake.path, VRAM);
	CHECK(dev && sundog_device_vram_size(dev) == VRAM && sundog_device_fd(dev) == -1);
	return dev;
}

static void end(struct sundog_device *dev)
{
	sundog_device_del(dev);
	fake_renderer_join(&fake);
}

static void emit(struct sundog_submit *submit, uint32_t verb, uint32_t value, uint32_t handles)
{
	const struct fake_order order = { verb, value, handles };
	const struct sundog_cmd_nop nop = { .count = sizeof(order) / 4 };

	sundog_emit_nop(sundog_submit_stream(submit), &nop, (const uint32_t *)&order);
}

static int64_t now_plus(int64_t ns)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ll + now.tv_nsec + ns;
}

static struct sundog_bo *new_bo(struct sundog_device *dev, uint64_t size, uint32_t value)
{
	struct sundog_bo *bo;
	uint32_t *map;

	CHECK(!sundog_bo_new(dev, size, &bo));
	map = sundog_bo_map(bo);
	for (uint64_t i = 0; i < size / 4; i++)
		CHECK(!map[i]);
	map[0] = value;
	map[size / 4 - 1] = value;
	return bo;
}

/* Queues more submissions than the ring has slots, with more list entries than fit, and allocates
 * more memory in total than VRAM has. */
static void *run_ring(void *arg)
{
	struct sundog_device *dev = arg;
	struct sundog_context *ctx = sundog_context_new(dev);
	struct sundog_submit *submit = sundog_submit_new(ctx, 64);
	struct sundog_fence *fence;
	unsigned int seed = 1;

	CHECK(ctx && submit);
	for (uint32_t i = 1; i <= 3000; i++) {
		uint32_t count = rand_r(&seed) % (i % 100 ? 8 : 500);
		uint32_t handles = 0;

		while (count--) {
			struct sundog_bo *bo = new_bo(dev, PAGE, i);

			CHECK(!sundog_submit_add(submit, bo, SUNDOG_ACCESS_READ));
			CHECK(!sundog_submit_add(submit, bo, SUNDOG_ACCESS_WRITE));
			CHECK(sundog_submit_access(submit, bo) ==
			      (SUNDOG_ACCESS_READ | SUNDOG_ACCESS_WRITE));
			handles += sundog_bo_mem(bo).index;
			sundog_bo_del(bo);
		}
		emit(submit, FAKE_CHECK, i, handles);
		CHECK(!sundog_submit_flush(submit, -1, i % 50 ? NULL : &fence));
		if (i % 50 == 0) {
			CHECK(!sundog_fence_wait(fence, SUNDOG_FOREVER));
			sundog_fence_del(fence);
		}
	}
	CHECK(!sundog_submit_flush(submit, -1, &fence));
	CHECK(!sundog_fence_wait(fence, SUNDOG_FOREVER));
	sundog_fence_del(fence);
	sundog_submit_del(submit);
	sundog_context_del(ctx);
	return NULL;
}

static void test_ring(void)
{
	struct sundog_device *dev = begin();
	pthread_t threads[3];
	struct sundog_bo *bo;

	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, run_ring, dev);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	CHECK(atomic_load(&fake.done) == 9000);
	CHECK(!sundog_bo_new(dev, VRAM, &bo));		/* all of it is free again */
	sundog_bo_del(bo);
	end(dev);
}

enum { LISTED = 1000 };

static void *run_lists(void *arg)
{
	struct sundog_device *dev = arg;
	struct sundog_context *ctx = sundog_context_new(dev);
	struct sundog_submit *submit = sundog_submit_new(ctx, 64);
	struct sundog_bo *bos[LISTED];

	for (int i = 0; i < LISTED; i++)
		bos[i] = new_bo(dev, PAGE, 1);
	for (int round = 0; round < 100; round++) {
		uint32_t handles = 0;

		for (int i = round; i < LISTED; i++) {
			CHECK(!sundog_submit_add(submit, bos[i], SUNDOG_ACCESS_READ));
			handles += sundog_bo_mem(bos[i]).index;
		}
		emit(submit, FAKE_CHECK, 1, handles);
		CHECK(!sundog_submit_flush(submit, -1, NULL));
	}
	for (int i = 0; i < LISTED; i++)
		sundog_bo_del(bos[i]);
	sundog_submit_del(submit);
	sundog_context_del(ctx);
	return NULL;
}

/* A submission must wait for the worker if the list is full, even if the ring is not. */
static void test_lists(void)
{
	struct sundog_device *dev = begin();
	pthread_t thread;

	fake.hold = true;
	pthread_create(&thread, NULL, run_lists, dev);
	nanosleep(&(struct timespec){ .tv_nsec = 50000000 }, NULL);
	fake.hold = false;
	pthread_join(thread, NULL);
	end(dev);
}

enum { GATES = 3000 };

struct waiter {
	pthread_t thread;
	struct sundog_fence *fence;
	struct sundog_bo *bo;
};

static void *run_waiter(void *arg)
{
	struct waiter *waiter = arg;

	CHECK(!sundog_fence_wait(waiter->fence, SUNDOG_FOREVER));
	CHECK(!sundog_bo_wait(waiter->bo, true, now_plus(60000000000ll)));
	return NULL;
}

static void test_wait(void)
{
	struct sundog_device *dev = begin();
	struct sundog_context *ctx = sundog_context_new(dev);
	struct sundog_submit *submit = sundog_submit_new(ctx, 64);
	struct waiter waiters[8];

	fake.hold = true;
	for (uint32_t i = 0; i < 8; i++) {
		waiters[i].bo = new_bo(dev, PAGE, i);
		emit(submit, FAKE_CHECK, i, sundog_bo_mem(waiters[i].bo).index);
		CHECK(!sundog_submit_add(submit, waiters[i].bo, SUNDOG_ACCESS_READ));
		CHECK(!sundog_submit_flush(submit, -1, &waiters[i].fence));
		CHECK(sundog_fence_wait(waiters[i].fence, 0) == -ETIME);
		CHECK(sundog_fence_wait(waiters[i].fence, now_plus(2000000)) == -ETIME);
		CHECK(!sundog_bo_wait(waiters[i].bo, false, 0));
		CHECK(sundog_bo_wait(waiters[i].bo, true, 0) == -ETIME);
	}
	for (int i = 7; i >= 0; i--)
		pthread_create(&waiters[i].thread, NULL, run_waiter, &waiters[i]);
	fake.hold = false;
	for (int i = 0; i < 8; i++) {
		pthread_join(waiters[i].thread, NULL);
		sundog_fence_del(waiters[i].fence);
		sundog_bo_del(waiters[i].bo);
	}
	sundog_submit_del(submit);
	sundog_context_del(ctx);
	end(dev);
}

/* Two threads wait for one context; the second submission completes while its wait begins. */
static void test_wait_for_two(void)
{
	struct sundog_device *dev = begin();
	struct sundog_context *ctx = sundog_context_new(dev);
	struct sundog_submit *submit = sundog_submit_new(ctx, 64);
	struct sundog_fence *first;
	struct waiter waiter;
	unsigned int seed = 1;

	waiter.bo = new_bo(dev, PAGE, 1);
	for (uint32_t round = 1; round < 2 * GATES; round += 2) {
		emit(submit, FAKE_GATE, round, 0);
		CHECK(!sundog_submit_flush(submit, -1, &first));
		emit(submit, FAKE_GATE, round + 1, 0);
		CHECK(!sundog_submit_flush(submit, -1, &waiter.fence));
		pthread_create(&waiter.thread, NULL, run_waiter, &waiter);
		usleep(100);
		fake.gate = round;
		for (volatile int i = rand_r(&seed) % 100; i; i--)
			;
		CHECK(!sundog_fence_wait(first, SUNDOG_FOREVER));
		fake.gate = round + 1;
		pthread_join(waiter.thread, NULL);
		sundog_fence_del(first);
		sundog_fence_del(waiter.fence);
	}
	sundog_bo_del(waiter.bo);
	sundog_submit_del(submit);
	sundog_context_del(ctx);
	end(dev);
}

static void *run_release(void *arg)
{
	(void)arg;
	usleep(20000);
	fake.hold = false;
	return NULL;
}

/* The deletion of a context waits for its queued submissions. */
static void test_last_work(void)
{
	struct sundog_device *dev = begin();
	struct sundog_context *ctx = sundog_context_new(dev);
	struct sundog_submit *submit = sundog_submit_new(ctx, 64);
	pthread_t thread;

	fake.hold = true;
	emit(submit, FAKE_CHECK, 0, 0);
	CHECK(!sundog_submit_flush(submit, -1, NULL));
	sundog_submit_del(submit);
	pthread_create(&thread, NULL, run_release, NULL);
	sundog_context_del(ctx);
	CHECK(fake.done == 1);
	pthread_join(thread, NULL);
	end(dev);
}

static void check_lost(struct sundog_context *ctx, struct sundog_submit *submit)
{
	struct sundog_fence *fence;

	CHECK(!sundog_submit_flush(submit, -1, &fence));
	CHECK(sundog_fence_wait(fence, SUNDOG_FOREVER) == -EIO);
	sundog_fence_del(fence);
	emit(submit, FAKE_CHECK, 0, 0);
	CHECK(sundog_submit_flush(submit, -1, &fence) == -EIO);
	sundog_submit_del(submit);
	sundog_context_del(ctx);
}

static void test_fault(void)
{
	struct sundog_device *dev = begin();
	struct sundog_context *bad = sundog_context_new(dev), *good = sundog_context_new(dev);
	struct sundog_submit *submit = sundog_submit_new(bad, 64);
	struct sundog_context_status status;
	struct sundog_fence *fence;
	struct sundog_bo *bo = new_bo(dev, VRAM / 2, 1);

	CHECK(!sundog_context_query(bad, &status) && status.state == SUNDOG_CONTEXT_RUNNING);
	CHECK(!status.guilty && !sundog_context_is_lost(bad));
	sundog_context_ref(bad);
	emit(submit, FAKE_FAULT, 0, 0);
	CHECK(!sundog_submit_add(submit, bo, SUNDOG_ACCESS_WRITE));
	check_lost(bad, submit);
	CHECK(!sundog_context_query(bad, &status));
	CHECK(status.state == SUNDOG_CONTEXT_ENDED);
	CHECK(status.guilty && sundog_context_is_lost(bad));
	CHECK(status.fault == SUNDOG_FAULT_CODE_OPCODE);
	CHECK(status.seqno == 1 && status.offset == 4 && status.arg == 5);
	CHECK(!sundog_bo_wait(bo, true, 0));
	sundog_bo_del(bo);
	sundog_bo_del(new_bo(dev, VRAM / 2, 1));
	sundog_context_del(bad);

	submit = sundog_submit_new(good, 64);
	emit(submit, FAKE_CHECK, 0, 0);
	CHECK(!sundog_submit_flush(submit, -1, &fence));
	CHECK(!sundog_fence_wait(fence, SUNDOG_FOREVER));
	sundog_fence_del(fence);
	sundog_submit_del(submit);
	sundog_context_del(good);
	end(dev);
}

/* The worker of two contexts ends: the one with a queued submission is guilty, the idle one not. */
static void test_crash(void)
{
	struct sundog_device *dev = begin();
	struct sundog_context *guilty = sundog_context_new(dev), *idle = sundog_context_new(dev);
	struct sundog_submit *submit = sundog_submit_new(guilty, 64);
	struct sundog_context_status status;

	sundog_context_ref(guilty);
	emit(submit, FAKE_CRASH, 0, 0);
	check_lost(guilty, submit);
	CHECK(!sundog_context_query(guilty, &status));
	CHECK(status.state == SUNDOG_CONTEXT_ENDED && status.guilty);
	CHECK(status.fault == SUNDOG_FAULT_CODE_WORKER);
	while (!sundog_context_is_lost(idle))
		usleep(1000);
	CHECK(!sundog_context_query(idle, &status));
	CHECK(status.state == SUNDOG_CONTEXT_ENDED && !status.guilty);
	CHECK(status.fault == SUNDOG_FAULT_CODE_WORKER);
	sundog_context_del(guilty);
	sundog_context_del(idle);
	end(dev);
}

static void wait_ended(struct sundog_context *ctx, struct sundog_context_status *status)
{
	do {
		usleep(1000);
		CHECK(!sundog_context_query(ctx, status));
	} while (status->state != SUNDOG_CONTEXT_ENDED);
}

/* The worker names the submission at which it ends: all other contexts are innocent, even if
 * another context has the channel of the guilty one when they are queried. */
static void test_blame(void)
{
	struct sundog_device *dev = begin();
	struct sundog_context *guilty = sundog_context_new(dev), *busy = sundog_context_new(dev);
	struct sundog_submit *submit = sundog_submit_new(busy, 64);
	struct sundog_context_status status;

	emit(submit, FAKE_GATE, fake.gate + 1, 0);
	CHECK(!sundog_submit_flush(submit, -1, NULL));
	sundog_submit_del(submit);
	submit = sundog_submit_new(guilty, 64);
	emit(submit, FAKE_BLAME, 0, 0);
	CHECK(!sundog_submit_flush(submit, -1, NULL));
	sundog_submit_del(submit);
	wait_ended(guilty, &status);
	CHECK(status.guilty && status.fault == SUNDOG_FAULT_CODE_WORKER && status.seqno == 1);
	sundog_context_del(guilty);
	/* One of these contexts reuses the channel of the guilty one. */
	for (int i = 0; i < 50; i++) {
		sundog_context_del(sundog_context_new(dev));
		usleep(1000);
	}
	wait_ended(busy, &status);
	CHECK(!status.guilty && status.fault == SUNDOG_FAULT_CODE_WORKER && !status.seqno);
	sundog_context_del(busy);
	end(dev);
}

/* If workers ended while their clients had no channel, the creation of a context tries new clients,
 * and fails only after several of these. */
static void test_unnoticed_end(void)
{
	struct sundog_device *dev = begin();
	struct sundog_context *ctx;

	fake.ended = 2;
	ctx = sundog_context_new(dev);
	CHECK(ctx && !sundog_context_is_lost(ctx));
	sundog_context_del(ctx);
	fake.ended = 1000;
	CHECK(!sundog_context_new(dev) && errno == EIO);
	fake.ended = 0;
	ctx = sundog_context_new(dev);
	CHECK(ctx);
	sundog_context_del(ctx);
	end(dev);
}

static void test_connection_lost(void)
{
	struct sundog_device *dev = begin();
	struct sundog_context *ctx = sundog_context_new(dev);
	struct sundog_submit *submit = sundog_submit_new(ctx, 64);
	struct sundog_context_status status;

	sundog_context_ref(ctx);
	emit(submit, FAKE_CLOSE, 0, 0);
	check_lost(ctx, submit);
	CHECK(!sundog_context_query(ctx, &status));
	CHECK(status.state == SUNDOG_CONTEXT_ENDED && sundog_context_is_lost(ctx));
	CHECK(status.fault == SUNDOG_FAULT_DEVICE && !status.guilty);
	sundog_context_del(ctx);
	CHECK(!sundog_context_new(dev) && errno == EIO);
	end(dev);
}

/* The buffers on a residency list are listed with each submission until they are removed. */
static void test_reslist(void)
{
	struct sundog_device *dev = begin();
	struct sundog_context *ctx = sundog_context_new(dev);
	struct sundog_submit *submit = sundog_submit_new(ctx, 64);
	struct sundog_bo *a = new_bo(dev, PAGE, 7), *b = new_bo(dev, PAGE, 7);
	const uint32_t handle_a = sundog_bo_mem(a).index, handle_b = sundog_bo_mem(b).index;
	struct sundog_reslist *list;
	struct sundog_fence *fence;

	CHECK(!sundog_reslist_new(dev, &list));
	CHECK(sundog_reslist_set(list, a, 0) == -ENOENT);
	CHECK(sundog_reslist_set(list, a, 8) == -EINVAL);
	CHECK(!sundog_reslist_set(list, a, SUNDOG_ACCESS_READ));
	CHECK(!sundog_reslist_set(list, b, SUNDOG_ACCESS_WRITE));
	sundog_submit_set_reslist(submit, list);
	for (int i = 0; i < 2; i++) {
		emit(submit, FAKE_CHECK, 7, handle_a + handle_b);
		CHECK(!sundog_submit_flush(submit, -1, &fence));
		CHECK(!sundog_fence_wait(fence, SUNDOG_FOREVER));
		sundog_fence_del(fence);
	}
	CHECK(!sundog_reslist_set(list, b, 0));
	sundog_bo_del(b);
	CHECK(!sundog_submit_add(submit, a, SUNDOG_ACCESS_WRITE));
	emit(submit, FAKE_CHECK, 7, handle_a);
	CHECK(!sundog_submit_flush(submit, -1, &fence));
	CHECK(!sundog_fence_wait(fence, SUNDOG_FOREVER));
	sundog_fence_del(fence);
	sundog_submit_set_reslist(submit, NULL);
	emit(submit, FAKE_CHECK, 7, 0);
	CHECK(!sundog_submit_flush(submit, -1, &fence));
	CHECK(!sundog_fence_wait(fence, SUNDOG_FOREVER));
	sundog_fence_del(fence);
	sundog_bo_del(a);
	sundog_reslist_del(list);
	sundog_submit_del(submit);
	sundog_context_del(ctx);
	end(dev);
}

static void test_overflow(void)
{
	struct sundog_device *dev = begin();
	struct sundog_context *ctx = sundog_context_new(dev);
	struct sundog_submit *submit = sundog_submit_new(ctx, 10);
	struct sundog_fence *fence;

	for (int i = 0; i < 3; i++)
		emit(submit, FAKE_CHECK, 0, 0);
	CHECK(sundog_submit_flush(submit, -1, &fence) == -EOVERFLOW);
	emit(submit, FAKE_CHECK, 0, 0);
	CHECK(!sundog_submit_flush(submit, -1, &fence));
	CHECK(!sundog_fence_wait(fence, SUNDOG_FOREVER));
	CHECK(sundog_fence_export(fence) == -EOPNOTSUPP);
	sundog_fence_del(fence);
	sundog_submit_del(submit);
	sundog_context_del(ctx);
	end(dev);
}

/* sundog_submit_reserve() enlarges the current stream only, not those after it. */
static void test_reserve(void)
{
	struct sundog_device *dev = begin();
	struct sundog_context *ctx = sundog_context_new(dev);
	struct sundog_submit *submit = sundog_submit_new(ctx, 1);
	struct sundog_stream *stream = sundog_submit_stream(submit);
	struct sundog_fence *fence;
	uint32_t check;

	CHECK(sundog_submit_reserve(submit, 0) == -EINVAL);
	CHECK(sundog_submit_reserve(submit, SUNDOG_MAX_STREAM_DWORDS + 1) == -EINVAL);
	CHECK(!sundog_submit_reserve(submit, 64));
	emit(submit, FAKE_CHECK, 0, 0);
	check = stream->used;
	CHECK(!sundog_submit_flush(submit, -1, NULL));
	for (uint32_t n = 1; n < 100000; n *= 10) {
		CHECK(!sundog_submit_reserve(submit, n * check) && stream->size == n * check);
		CHECK(!sundog_submit_reserve(submit, 1) && stream->size == n * check);
		for (uint32_t i = 0; i < n; i++)
			emit(submit, FAKE_CHECK, 0, 0);
		CHECK(sundog_submit_reserve(submit, 2 * n * check) == -EBUSY);
		CHECK(!sundog_submit_flush(submit, -1, &fence));
		CHECK(!sundog_fence_wait(fence, SUNDOG_FOREVER));
		CHECK(stream->size == 1);
		sundog_fence_del(fence);
	}
	sundog_submit_del(submit);
	sundog_context_del(ctx);
	end(dev);
}

static void test_contexts(void)
{
	struct sundog_device *dev = begin();
	struct sundog_context *all[SUNDOG_MAX_CHANNELS];

	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < SUNDOG_MAX_CHANNELS; i++) {
			all[i] = sundog_context_new(dev);
			CHECK(all[i]);
		}
		CHECK(!sundog_context_new(dev) && errno == EBUSY);
		for (int i = 0; i < SUNDOG_MAX_CHANNELS; i++)
			sundog_context_del(all[i]);
	}
	end(dev);
}

/* A BO that gets the handle of a listed and freed BO is not listed in its place. */
static void test_freed_while_listed(void)
{
	static const uint64_t sizes[] = { PAGE, PAGE };
	static const uint32_t first, second = 1;
	struct sundog_device *dev = begin();
	struct sundog_context *ctx = sundog_context_new(dev);
	struct sundog_submit *submit = sundog_submit_new(ctx, 64);
	struct sundog_resource *res;
	struct sundog_reslist *list;
	struct sundog_bo *a, *b;

	CHECK(!sundog_resource_new(dev, 0, sizes, 2, NULL, 0, &res));
	CHECK(!sundog_reslist_new(dev, &list));
	a = sundog_resource_bo(res, 0);
	CHECK(!sundog_reslist_set(list, a, SUNDOG_ACCESS_READ));
	CHECK(!sundog_allocation_destroy(dev, res, &first, 1, 0));
	b = new_bo(dev, PAGE, 7);
	CHECK(sundog_reslist_set(list, b, 0) == -ENOENT);
	CHECK(!sundog_reslist_set(list, b, SUNDOG_ACCESS_READ));
	sundog_submit_set_reslist(submit, list);
	emit(submit, FAKE_CHECK, 7, sundog_bo_mem(b).index);
	CHECK(!sundog_submit_flush(submit, -1, NULL));
	CHECK(!sundog_reslist_set(list, b, 0));
	CHECK(sundog_reslist_set(list, a, SUNDOG_ACCESS_READ) == -EINVAL);
	CHECK(!sundog_reslist_set(list, a, 0) && sundog_bo_size(b) == PAGE);
	sundog_submit_set_reslist(submit, NULL);
	sundog_bo_del(b);

	CHECK(!sundog_submit_add(submit, sundog_resource_bo(res, 1), SUNDOG_ACCESS_READ));
	CHECK(!sundog_allocation_destroy(dev, res, &second, 1, 0));
	b = new_bo(dev, PAGE, 7);
	CHECK(!sundog_submit_access(submit, b));
	CHECK(!sundog_submit_add(submit, b, SUNDOG_ACCESS_READ));
	emit(submit, FAKE_CHECK, 7, sundog_bo_mem(b).index);
	CHECK(sundog_submit_flush(submit, -1, NULL) == -ENOENT);
	CHECK(!sundog_submit_add(submit, b, SUNDOG_ACCESS_READ));
	emit(submit, FAKE_CHECK, 7, sundog_bo_mem(b).index);
	CHECK(!sundog_submit_flush(submit, -1, NULL));
	CHECK(!sundog_context_is_lost(ctx));
	sundog_bo_del(b);
	sundog_reslist_del(list);
	sundog_resource_del(res);
	sundog_submit_del(submit);
	sundog_context_del(ctx);
	end(dev);
}

static void test_resources(void)
{
	const uint64_t sizes[] = { 1, PAGE, 3 * PAGE + 1 };
	struct sundog_device *dev = begin();
	struct sundog_resource *a, *b;
	struct sundog_bo *bo, *held;
	uint32_t indices[] = { 1, 1, 0 };
	size_t size;

	CHECK(!sundog_resource_new(dev, 0, NULL, 0, "priv", 5, &a));
	CHECK(!sundog_resource_kres(a) && !sundog_resource_count(a));
	CHECK(!strcmp(sundog_resource_private(a, &size), "priv") && size == 5);
	CHECK(!sundog_resource_add(a, sizes, 1, &bo));
	CHECK(sundog_resource_kres(a) && sundog_bo_mem(bo).kres == sundog_resource_kres(a));
	CHECK(sundog_bo_size(bo) == PAGE && !sundog_bo_mem(bo).index);
	CHECK(!sundog_resource_add(a, sizes, 1, &bo) && sundog_bo_mem(bo).index == 1);

	CHECK(!sundog_resource_new(dev, SUNDOG_RESOURCE_SHARED, sizes, 3, NULL, 0, &b));
	CHECK(sundog_resource_kres(b) && sundog_resource_kres(b) != sundog_resource_kres(a));
	CHECK(sundog_bo_size(sundog_resource_bo(b, 2)) == 4 * PAGE);
	CHECK(!sundog_resource_bo(b, 3));
	CHECK(sundog_resource_add(b, sizes, 1, &bo) == -EBUSY);
	CHECK(sundog_allocation_destroy(dev, b, indices, 1, 0) == -EBUSY);

	CHECK(sundog_allocation_destroy(dev, a, indices, 2, 0) == -EINVAL);
	CHECK(sundog_resource_bo(a, 0) && sundog_resource_bo(a, 1));
	held = sundog_bo_ref(sundog_resource_bo(a, 0));
	CHECK(!sundog_allocation_destroy(dev, a, indices + 1, 2, 0));
	CHECK(!sundog_resource_bo(a, 0) && sundog_resource_kres(a));
	CHECK(!sundog_resource_add(a, sizes, 1, &bo) && !sundog_bo_mem(bo).index);
	sundog_bo_del(held);

	CHECK(sundog_resource_is_unique(a));
	held = sundog_bo_ref(bo);
	CHECK(!sundog_resource_is_unique(a));
	CHECK(!sundog_allocation_destroy(dev, a, NULL, 0, SUNDOG_DESTROY_RESOURCE));
	CHECK(sundog_bo_map(held));
	sundog_bo_del(held);
	sundog_resource_del(b);
	CHECK(!sundog_bo_new(dev, VRAM, &bo));
	CHECK(sundog_bo_new(dev, 1, &held) == -ENOSPC);
	CHECK(sundog_bo_new(dev, 0, &held) == -EINVAL);
	CHECK(sundog_bo_new(dev, UINT64_MAX, &held) == -EINVAL);
	sundog_bo_del(bo);
	end(dev);
}

int main(void)
{
	test_resources();
	test_wait();
	test_wait_for_two();
	test_last_work();
	test_fault();
	test_crash();
	test_blame();
	test_unnoticed_end();
	test_connection_lost();
	test_reslist();
	test_freed_while_listed();
	test_overflow();
	test_reserve();
	test_contexts();
	test_lists();
	test_ring();
	return 0;
}
